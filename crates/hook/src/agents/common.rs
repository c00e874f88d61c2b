//! What several agents' files need.

use serde_json::{Value, json};
use tollgate_core::{Body, Cause, Ruling};

use crate::agent::{Payload, Said, otherwise};

/// A refusal for the renderers of `tollgate_wire::dialect`, which look at the reason only.
pub(super) fn refusal(reason: &str) -> Ruling {
    Ruling::of_pipeline(Cause::Objection, reason.to_owned())
}

/// Whether it would ask about the changed call was never seen, so that is not left to chance.
pub(super) fn never_asks_about_another(_: &Payload<'_>, said: &Said) -> Result<(), String> {
    match said {
        Said::AskRewritten(question, _) => Err(otherwise(question)),
        _ => Ok(()),
    }
}

/// What a person submits, in the one shape that prompts have here: a text, and perhaps attachments.
pub(super) fn prompt(payload: &Payload<'_>, text: &str, attachments: &str) -> Result<Body, String> {
    let mut prompt = json!({ "text": payload.must(text)? });
    if let Some(list) =
        payload.doc.pointer(attachments).filter(|list| list.as_array().is_some_and(|all| !all.is_empty()))
    {
        prompt["attachments"] = list.clone();
    }
    Ok(Body::from(prompt))
}

/// A number of milliseconds. Some agents write fractions.
pub(super) fn millis(payload: &Payload<'_>, pointer: &str) -> Option<u64> {
    let number = payload.doc.pointer(pointer)?;
    number.as_u64().or_else(|| {
        let millis = number.as_f64().filter(|millis| *millis >= 0.0)?;
        u64::try_from(std::time::Duration::try_from_secs_f64(millis / 1000.0).ok()?.as_millis()).ok()
    })
}

/// A document made of some members of the agent's own, for events that have the arguments beside everything else.
pub(super) fn members(payload: &Payload<'_>, names: &[&str]) -> Body {
    let found = names.iter().filter_map(|name| Some(((*name).to_owned(), payload.doc.get(name)?.clone())));
    Body::from(Value::Object(found.collect()))
}

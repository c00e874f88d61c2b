//! Our own words.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Event, Fault, Point, Verdict};
use tollgate_wire::form::{BodyForm, EventForm, VERSION};

use super::{garbage, rename, set, set_text, text};

/// What may stand in an answer.
const KEYS: &[&str] =
    &["v", "decision", "reason", "name", "arguments", "input", "output", "result", "json", "notes", "tells"];
/// What makes something else of the call.
const WRITES: &[&str] = &["name", "arguments", "input", "output", "result", "json"];

pub(super) fn question(event: &Event<'_>, body: &Body) -> Result<Value, Fault> {
    Ok(json!({ "v": VERSION, "event": EventForm::of(event), "body": BodyForm::of(event, body)? }))
}

pub(super) fn answer(event: &Event<'_>, body: &mut Body, said: Map<String, Value>) -> Result<Verdict, Fault> {
    if let Some(key) = said.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(garbage(format!("an answer has no key `{}`", key.escape_debug())));
    }
    // Answers have stayed as they were when events changed.
    if said.get("v").is_some_and(|version| !matches!(version.as_u64(), Some(1 | VERSION))) {
        return Err(garbage(format!("the version of an answer is {VERSION}")));
    }
    let modifies = said.get("decision").and_then(Value::as_str) == Some("modify");
    if let Some(key) = WRITES.iter().find(|key| !modifies && said.contains_key(**key)) {
        return Err(garbage(format!("`{key}` needs the decision `modify`")));
    }
    for (key, list) in [("notes", &mut body.notes), ("tells", &mut body.tells)] {
        list.extend(texts(&said, key)?);
    }
    decide(event, body, said)
}

fn texts(said: &Map<String, Value>, key: &str) -> Result<Vec<String>, Fault> {
    match said.get(key) {
        None => Ok(Vec::new()),
        Some(list) => {
            serde_json::from_value(list.clone()).map_err(|_| garbage(format!("`{key}` must be a list of texts")))
        }
    }
}

/// What a decision means. The seed's words are the same, as far as it has them.
pub(super) fn decide(event: &Event<'_>, body: &mut Body, said: Map<String, Value>) -> Result<Verdict, Fault> {
    let reason = || text(&said, "reason").map(|reason| reason.filter(|reason| !reason.trim().is_empty()));
    match text(&said, "decision")?.as_deref() {
        None | Some("allow") => Ok(Verdict::Pass),
        Some("block") => Ok(Verdict::deny(reason()?.unwrap_or_else(|| crate::answer::BLOCKED.to_owned()))),
        Some("ask") => Ok(Verdict::ask(reason()?.unwrap_or_else(|| "a hook asks".to_owned()))),
        Some("modify") => write(event, body, &said).map(|()| Verdict::Pass),
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            Err(garbage(format!("there is no decision `{}`; write block, modify, ask or allow", other.escape_debug())))
        }
    }
}

fn write(event: &Event<'_>, body: &mut Body, said: &Map<String, Value>) -> Result<(), Fault> {
    let of = |key: &str| said.get(key).filter(|value| !value.is_null());
    let point = event.point;
    let mut wrote = false;
    match point {
        Point::ToolBefore => {
            if let Some(arguments) = of("arguments") {
                set(body, Value::Object(arguments_of(arguments)?));
                wrote = true;
            }
            if let Some(name) = text(said, "name")? {
                rename(event, body, name);
                wrote = true;
            }
        }
        Point::PromptSubmit => {
            if let Some(input) = text(said, "input")? {
                set_text(body, &input)?;
                wrote = true;
            }
        }
        _ => {
            if let Some(output) = of("output").or_else(|| of("result")) {
                match output {
                    Value::String(text) => set_text(body, text)?,
                    doc => set(body, doc.clone()),
                }
                wrote = true;
            }
        }
    }
    if let Some(doc) = of("json").filter(|_| point != Point::ToolBefore) {
        set(body, doc.clone());
        wrote = true;
    }
    let what = match point {
        Point::ToolBefore => "`arguments` or `name`",
        Point::PromptSubmit => "`input`",
        Point::ToolUpdate | Point::ToolAfter | Point::ToolPersist => "`output`",
        _ => "`json`",
    };
    if wrote { Ok(()) } else { Err(garbage(format!("the decision `modify` needs {what} at {point}"))) }
}

/// Arguments are an object, or the text of one.
fn arguments_of(given: &Value) -> Result<Map<String, Value>, Fault> {
    match given {
        Value::Object(members) => Ok(members.clone()),
        Value::String(text) => super::object(text).map_err(|fault| garbage(format!("`arguments`: {}", fault.detail))),
        _ => Err(garbage("`arguments` must be an object")),
    }
}

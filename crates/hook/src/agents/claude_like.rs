//! What Claude Code's dialect and those that were made after it have in common.
//!
//! Only the words are here. What an agent understands and what it makes of an answer is in its own file.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::dialect::HookAnswer;
use tollgate_wire::lens::{Content, Lens as _, Output, Stdio, lens_for};

pub(super) use crate::agent::no_object;
use crate::agent::{Decision, DecodedEvent, Payload, worded};

/// What happens, in the names these agents share.
pub(super) fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: payload.body(&["tool_input"])?, ..call(payload)? },
        Point::ToolAfter => after(payload)?,
        Point::PromptSubmit => DecodedEvent { body: prompt(payload)?, ..common(payload) },
        Point::AgentStart | Point::AgentStop | Point::Notice => {
            DecodedEvent { body: payload.body(&[])?, ..common(payload) }
        }
        _ => common(payload),
    })
}

/// Whose event it is.
pub(super) fn common<'a>(payload: &Payload<'a>) -> DecodedEvent<'a> {
    DecodedEvent {
        session: payload.text("/session_id"),
        cwd: payload.text("/cwd"),
        model: payload.text("/model"),
        ..DecodedEvent::default()
    }
}

/// Which call it is about.
pub(super) fn call<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let decoded = common(payload).of_tool("claude-code", payload.must("/tool_name")?, None);
    Ok(DecodedEvent { call_id: payload.text("/tool_use_id"), ..decoded })
}

/// What the call came to. A failure has its text in place of a result.
fn after<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let result = payload.doc.get("tool_response");
    let reason = payload.text("/error").filter(|_| result.is_none());
    let failed = reason.is_some() || result.is_some_and(|result| lens_for(result).is_error(result));
    Ok(DecodedEvent {
        arguments: payload.body(&["tool_input"]).ok(),
        ended: Some(if failed { Ended::Error } else { Ended::Ok }),
        reason,
        took: payload.doc.get("duration_ms").and_then(Value::as_u64),
        body: payload.body(&[if reason.is_some() { "error" } else { "tool_response" }])?,
        ..call(payload)?
    })
}

/// What a person submits, as the document that all surfaces show, with the very bytes of the text.
pub(super) fn prompt(payload: &Payload<'_>) -> Result<Body, String> {
    payload.must("/prompt")?;
    let text = tollgate_wire::part(payload.bytes, &["prompt"]).ok_or("`prompt` is missing")?;
    Ok(tollgate_wire::body([br#"{"text":"#, text, b"}"].concat()))
}

/// An answer in the making: what stands at its top, and what belongs to the event alone.
pub(super) struct Answer {
    top: Map<String, Value>,
    own: Map<String, Value>,
}

impl Answer {
    /// An answer to an event, which says nothing yet.
    pub(super) fn to(payload: &Payload<'_>) -> Self {
        let own = Map::from_iter([("hookEventName".to_owned(), json!(payload.hook.name))]);
        Self { top: Map::new(), own }
    }

    /// Says something at the top.
    pub(super) fn top(&mut self, key: &str, value: Value) {
        self.top.insert(key.to_owned(), value);
    }

    /// Says something for this event.
    pub(super) fn own(&mut self, key: &str, value: Value) {
        self.own.insert(key.to_owned(), value);
    }

    /// Says whether a tool may run, and why.
    pub(super) fn permission(&mut self, word: &str, reason: &str) {
        self.own("permissionDecision", json!(word));
        self.own("permissionDecisionReason", json!(worded(reason)));
    }

    /// Says no where an agent asks whether its user must be asked.
    pub(super) fn forbid(&mut self, reason: &str) {
        self.own("decision", json!({"behavior": "deny", "message": worded(reason)}));
    }

    /// Says no in the older words, which are those of all other events.
    pub(super) fn block(&mut self, reason: &str) {
        self.top("decision", json!("block"));
        self.top("reason", json!(worded(reason)));
    }

    /// Adds what the model and the user are told. Nothing is said about an event that has nothing of its own.
    pub(super) fn with(mut self, decision: &Decision) -> HookAnswer {
        if !decision.notes.is_empty() {
            self.own("additionalContext", json!(decision.notes.join("\n")));
        }
        if !decision.tells.is_empty() {
            self.top("systemMessage", json!(decision.tells.join("\n")));
        }
        if self.own.len() > 1 {
            self.top.insert("hookSpecificOutput".to_owned(), Value::Object(self.own));
        }
        if self.top.is_empty() { HookAnswer::SILENT } else { HookAnswer::says(&Value::Object(self.top)) }
    }
}

/// The refusal that needs no event: nothing on standard output, which might be taken for an answer, and a text on
/// standard error, without which some of these agents go on.
pub(super) fn refuse(reason: &str) -> HookAnswer {
    HookAnswer::fails(worded(reason))
}

/// What the model would read of a result. It is never blank, because it stands where a reason does.
pub(super) fn text_of(result: &Value) -> String {
    let known = Content.fits(result) || Output.fits(result) || Stdio.fits(result);
    let text = if known { lens_for(result).text(result) } else { Some(result.to_string()) };
    text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "(the policy left nothing of this result)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_as_text_is_never_blank() {
        let cases = [
            (json!("out\n"), "out\n"),
            (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb"),
            (json!({"stdout": "o", "stderr": "e"}), "o\ne"),
            (json!({"files": ["a"], "n": 1}), r#"{"files":["a"],"n":1}"#),
            (json!(" "), "(the policy left nothing of this result)"),
            (json!({"content": []}), "(the policy left nothing of this result)"),
        ];
        for (result, expected) in cases {
            assert_eq!(text_of(&result), expected, "{result}");
        }
    }
}

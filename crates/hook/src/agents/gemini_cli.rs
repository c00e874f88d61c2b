//! Gemini CLI.

use serde_json::{Map, Value, json};
use tollgate_core::{Ended, Point};
use tollgate_wire::dialect::HookAnswer;

use super::claude_like::{self, Answer, no_object, text_of};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said, worded};

/// Gemini CLI: https://geminicli.com/docs/hooks/reference
///
/// It knows `decision` at the top of an answer only: the words that Claude Code has for a tool are ignored, and the tool
/// runs. A question hangs where nobody can answer it.
pub(super) static AGENT: Agent = Agent {
    id: "gemini-cli",
    aliases: &["gemini"],
    title: "Gemini CLI",
    hooks: &[
        Hook::new("BeforeTool", Point::ToolBefore, Can::DENY.rewrite().tell()),
        Hook::new("AfterTool", Point::ToolAfter, Can::DENY.rewrite().note().tell()),
        Hook::new("BeforeAgent", Point::PromptSubmit, Can::DENY.note().tell()),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH.note().tell()),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("AfterAgent", Point::TurnStop, Can::WATCH.tell()),
        Hook::new("PreCompress", Point::CompactBefore, Can::WATCH.tell()),
        Hook::new("BeforeModel", Point::ModelRequest, Can::DENY.rewrite().tell()).optional(),
        // Once for each piece. A refusal is shown, and the piece is used all the same: its tool calls run.
        Hook::new("AfterModel", Point::ModelResponse, Can::WATCH.tell()).optional(),
        // The tools themselves are not told; they can only be withheld all together.
        Hook::new("BeforeToolSelection", Point::ToolList, Can::DENY).optional(),
        Hook::new("Notification", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &[],
    doubled: false,
    calls: |doc| doc.get("timestamp").is_some() && event(doc).is_some_and(|event| OWN.contains(&event)),
    event,
    decode,
    fits: Some(fits),
    encode,
    refuse: claude_like::refuse,
};

const OTHER_FORM: &str = "Gemini CLI cannot send this in another form, so it is refused";

/// The events that nobody else has.
const OWN: [&str; 8] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

fn event(doc: &Value) -> Option<&str> {
    doc.get("hook_event_name")?.as_str()
}

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let model = DecodedEvent { model: payload.text("/llm_request/model"), ..claude_like::common(payload) };
    Ok(match payload.hook.point {
        Point::ToolBefore | Point::ToolAfter => {
            let tool = payload.must("/tool_name")?;
            let told = [payload.text("/mcp_context/server_name"), payload.text("/mcp_context/tool_name")];
            let decoded = match (claude_like::decode(payload)?, told) {
                // The name alone does not tell where the server's name ends, and is cut if it is long.
                (decoded, [server @ Some(_), Some(there)]) => decoded.of_server(tool, server, there),
                (decoded, [server, _]) => decoded.of_tool(AGENT.id, tool, server),
            };
            let failed = payload.doc.pointer("/tool_response/error").is_some_and(|error| !error.is_null());
            DecodedEvent {
                ended: decoded.ended.map(|ended| if failed { Ended::Error } else { ended }),
                reason: payload.text("/tool_response/error/message").or(payload.text("/tool_response/error")),
                ..decoded
            }
        }
        Point::ModelRequest | Point::ToolList => DecodedEvent { body: payload.body(&["llm_request"])?, ..model },
        Point::ModelResponse => DecodedEvent { body: payload.body(&["llm_response"])?, ..model },
        _ => claude_like::decode(payload)?,
    })
}

fn fits(payload: &Payload<'_>, said: &Said) -> Result<(), String> {
    match (said, payload.hook.point) {
        (Said::Rewrite(input), Point::ToolBefore) => unmergeable(payload, input).map_or(Ok(()), Err),
        (Said::Rewrite(request), Point::ModelRequest) if !as_many_messages(payload, request) => {
            Err(OTHER_FORM.to_owned())
        }
        _ => Ok(()),
    }
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Answer::to(payload);
    match (&decision.said, payload.hook.point) {
        (Said::Pass, _) => {}
        (Said::Deny(_), Point::ToolList) => answer.own("toolConfig", json!({"mode": "NONE"})),
        (Said::Deny(reason), Point::ToolAfter) => return instead(answer, reason, decision),
        (Said::Rewrite(result), Point::ToolAfter) => return instead(answer, &read_by_the_model(result), decision),
        (Said::Rewrite(input), Point::ToolBefore) => match unmergeable(payload, input) {
            Some(problem) => deny(&mut answer, &problem),
            None => answer.own("tool_input", input.clone()),
        },
        (Said::Rewrite(request), Point::ModelRequest) if as_many_messages(payload, request) => {
            answer.own("llm_request", request.clone());
        }
        (Said::Rewrite(_), _) => {
            deny(&mut answer, OTHER_FORM);
        }
        // It cannot ask, and is not asked to.
        (Said::Deny(reason) | Said::Ask(reason) | Said::AskRewritten(reason, _), _) => deny(&mut answer, reason),
    }
    answer.with(decision)
}

fn deny(answer: &mut Answer, reason: &str) {
    answer.top("decision", json!("deny"));
    answer.top("reason", json!(worded(reason)));
}

/// Puts a text in a result's place. Notes would not be read beside it, so they are part of it.
fn instead(mut answer: Answer, text: &str, decision: &Decision) -> HookAnswer {
    let text: Vec<&str> = [worded(text)].into_iter().chain(decision.notes.iter().map(String::as_str)).collect();
    deny(&mut answer, &text.join("\n"));
    answer.with(&Decision { notes: Vec::new(), ..decision.clone() })
}

/// What the model reads of a result; the rest is for the screen.
fn read_by_the_model(result: &Value) -> String {
    match result.get("llmContent") {
        Some(parts @ Value::Array(_)) => text_of(&json!({"content": parts})),
        Some(content) => text_of(content),
        None => text_of(result),
    }
}

/// Why new arguments cannot be told: they are laid over the old ones, so whatever was taken out would stay.
fn unmergeable(payload: &Payload<'_>, input: &Value) -> Option<String> {
    let Value::Object(input) = input else { return Some(no_object(AGENT.title)) };
    let nothing = Map::new();
    let old = payload.doc.get("tool_input").and_then(Value::as_object).unwrap_or(&nothing);
    let gone = old.keys().find(|key| !input.contains_key(*key))?;
    Some(format!("the policy takes `{gone}` out of this call, which Gemini CLI cannot do, so it is refused"))
}

/// Messages are laid over the old ones by their place.
fn as_many_messages(payload: &Payload<'_>, request: &Value) -> bool {
    let count = |request: &Value| request.get("messages").and_then(Value::as_array).map(Vec::len);
    payload.doc.get("llm_request").and_then(count) == count(request)
}

#[cfg(test)]
mod tests;

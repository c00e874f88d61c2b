//! Cline, on the command line and in VS Code.
//!
//! Exit statuses mean nothing to it, and `cancel` ends the whole run without a word to the model. So a shell command is
//! stopped by putting a harmless one in its place that prints the reason and fails, and a tool that works off a list by
//! an empty list. No other tool has an input that is known to do nothing, so there the run ends.
//!
//! Hooks are files named after events (`PreToolUse`). The command line's documents call them otherwise (`tool_call`) and
//! can do more, so both names are events here; nobody registers those of the documents.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::common::{millis, prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Tools that work off a list, and how they call it: with an empty one they were seen to do nothing.
const LISTS: &[(&str, &str)] =
    &[("read_files", "files"), ("search_codebase", "queries"), ("fetch_web_content", "requests")];

/// The tool that calls those of servers, in its extension: `server_name`, `tool_name`, `arguments`.
const WRAPPED: &str = "use_mcp_tool";

/// Cline: https://docs.cline.bot/features/hooks
pub(super) static AGENT: Agent = Agent {
    id: "cline",
    aliases: &[],
    title: "Cline",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.note()),
        Hook::new("PostToolUse", Point::ToolAfter, Can::WATCH.note()),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY.note()),
        Hook::new("TaskStart", Point::SessionStart, Can::WATCH.note()),
        Hook::new("TaskResume", Point::SessionStart, Can::WATCH.note()),
        Hook::new("TaskComplete", Point::TurnStop, Can::WATCH),
        Hook::new("SessionShutdown", Point::SessionEnd, Can::WATCH),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH),
        Hook::new("TaskCancel", Point::Notice, Can::WATCH).optional(),
        Hook::new("TaskError", Point::Notice, Can::WATCH).optional(),
        Hook::new("tool_call", Point::ToolBefore, Can::DENY.rewrite().note()).optional(),
        Hook::new("tool_result", Point::ToolAfter, Can::WATCH.note()).optional(),
        Hook::new("prompt_submit", Point::PromptSubmit, Can::DENY.note()).optional(),
        Hook::new("agent_start", Point::SessionStart, Can::WATCH.note()).optional(),
        Hook::new("agent_resume", Point::SessionStart, Can::WATCH.note()).optional(),
        Hook::new("agent_end", Point::TurnStop, Can::WATCH).optional(),
        Hook::new("session_shutdown", Point::SessionEnd, Can::WATCH).optional(),
        Hook::new("pre_compact", Point::CompactBefore, Can::WATCH).optional(),
        Hook::new("agent_abort", Point::Notice, Can::WATCH).optional(),
        Hook::new("agent_error", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["prompts on the command line: the hook for them was not seen to be called"],
    doubled: false,
    calls: |doc| doc.get("clineVersion").is_some(),
    event: |doc| doc.get("hookName")?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: |reason| dialect::cline_hook(&refusal(reason), ""),
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let root = payload.text("/workspaceInfo/rootPath").or_else(|| payload.text("/workspaceRoots/0"));
    let session = payload.text("/sessionContext/rootSessionId").or_else(|| payload.text("/taskId"));
    let common = DecodedEvent { session, cwd: root, ..DecodedEvent::default() };
    Ok(match payload.hook.point {
        Point::ToolBefore => {
            let call = called(payload, "tool_call", "preToolUse", common)?;
            DecodedEvent { body: arguments(payload, "tool_call", "preToolUse", &call)?, ..call }
        }
        Point::ToolAfter => after(payload, called(payload, "tool_result", "postToolUse", common)?)?,
        Point::PromptSubmit => {
            let text = ["/userPromptSubmit/prompt", "/user_prompt_submit/prompt", "/prompt"];
            let text = text.into_iter().find(|text| payload.text(text).is_some());
            let attachments = "/userPromptSubmit/attachments";
            // Wherever it stands, it is in the document.
            let body = text.map_or_else(|| payload.body(&[]), |text| prompt(payload, text, attachments))?;
            DecodedEvent { body, ..common }
        }
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

/// Which tool: in the newer part of the document, else in the older one.
fn called<'a>(
    payload: &Payload<'a>,
    newer: &str,
    older: &str,
    decoded: DecodedEvent<'a>,
) -> Result<DecodedEvent<'a>, String> {
    let tool = match payload.text(&format!("/{newer}/name")) {
        Some(tool) => tool,
        None => payload.must(&format!("/{older}/toolName"))?,
    };
    let decoded = DecodedEvent { call_id: payload.text(&format!("/{newer}/id")), ..decoded };
    let within = |key: &str| {
        let newer = payload.text(&format!("/{newer}/input/{key}"));
        newer.or_else(|| payload.text(&format!("/{older}/parameters/{key}"))).filter(|_| tool == WRAPPED)
    };
    Ok(match (within("server_name"), within("tool_name")) {
        (server @ Some(_), Some(inner)) => decoded.of_server(tool, server, inner),
        (server, _) => decoded.of_tool(AGENT.id, tool, server),
    })
}

/// What the call came to.
fn after<'a>(payload: &Payload<'a>, call: DecodedEvent<'a>) -> Result<DecodedEvent<'a>, String> {
    Ok(DecodedEvent {
        arguments: arguments(payload, "tool_result", "postToolUse", &call).ok(),
        took: millis(payload, "/tool_result/durationMs").or_else(|| millis(payload, "/postToolUse/executionTimeMs")),
        reason: payload.text("/tool_result/error"),
        ended: Some(if failed(payload) { Ended::Error } else { Ended::Ok }),
        body: payload
            .body(&["tool_result", "output"])
            .or_else(|_| payload.body_in_text(&["postToolUse", "result"]))
            .or_else(|_| payload.body(&["tool_result", "error"]))?,
        ..call
    })
}

/// The arguments. In the older part every value is a text, whatever it was; those of a wrapped call are its own.
fn arguments(payload: &Payload<'_>, newer: &str, older: &str, call: &DecodedEvent<'_>) -> Result<Body, String> {
    let part = if payload.doc.pointer(&format!("/{newer}/input")).is_some() {
        [newer, "input"]
    } else {
        [older, "parameters"]
    };
    let [outer, inner] = part;
    match is_wrapped(call) && payload.doc.pointer(&format!("/{outer}/{inner}/arguments")).is_some() {
        true => payload.arguments_in_text(&[outer, inner, "arguments"]),
        false => payload.body(&part),
    }
}

/// Whether a call is the tool of a server, wrapped into one of Cline's.
fn is_wrapped(call: &DecodedEvent<'_>) -> bool {
    call.tool == Some(WRAPPED) && !call.readings.is_empty()
}

fn failed(payload: &Payload<'_>) -> bool {
    let error = payload.doc.pointer("/tool_result/error").is_some_and(|error| !error.is_null());
    error || payload.doc.pointer("/postToolUse/success") == Some(&Value::Bool(false))
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Map::new();
    match &decision.said {
        Said::Deny(reason) | Said::Ask(reason) | Said::AskRewritten(reason, _) => return stopped(payload, reason),
        Said::Rewrite(value) => drop(answer.insert("overrideInput".to_owned(), wrapped(payload, value))),
        Said::Pass => {}
    }
    if !decision.notes.is_empty() {
        let older = payload.hook.name.starts_with(|first: char| first.is_ascii_uppercase());
        let key = if older { "contextModification" } else { "context" };
        answer.insert(key.to_owned(), json!(decision.notes.join("\n")));
    }
    HookAnswer::says(&Value::Object(answer))
}

/// New arguments in the form that the call came in.
fn wrapped(payload: &Payload<'_>, value: &Value) -> Value {
    let call = called(payload, "tool_call", "preToolUse", DecodedEvent::default());
    let outer = payload.doc.pointer("/tool_call/input").filter(|_| call.is_ok_and(|call| is_wrapped(&call)));
    let Some(arguments) = outer.and_then(|outer| outer.get("arguments")) else { return value.clone() };
    let arguments = if arguments.is_string() { json!(value.to_string()) } else { value.clone() };
    let mut outer = outer.cloned().unwrap_or_default();
    outer["arguments"] = arguments;
    outer
}

/// The refusal that does the least harm. Only the newer part of a document says that input can be overridden.
fn stopped(payload: &Payload<'_>, reason: &str) -> HookAnswer {
    let tool = payload.text("/tool_call/name").filter(|_| payload.hook.can.rewrite).unwrap_or("");
    match LISTS.iter().find(|(name, _)| *name == tool) {
        Some((_, list)) => HookAnswer::says(&json!({ "overrideInput": { (*list): [] }, "context": reason })),
        None => dialect::cline_hook(&refusal(reason), tool),
    }
}

#[cfg(test)]
mod tests;

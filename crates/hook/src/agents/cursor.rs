//! Cursor.
//!
//! A shell command is announced twice, as `preToolUse` and as `beforeShellExecution`; a tool of an MCP server too. The
//! first comes for every tool and can change arguments; only the second can have the user asked. One of them is enough:
//! `preToolUse` is registered, because nothing goes past it, and a question becomes a refusal.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::common::{members, millis, prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// What is written behind the name of `postToolUse` for tools of MCP servers: only their results can be replaced.
const AFTER_MCP: &str = "postToolUse of MCP tools";

/// Cursor: https://cursor.com/docs/hooks
pub(super) static AGENT: Agent = Agent {
    id: "cursor",
    aliases: &[],
    title: "Cursor",
    hooks: &[
        hook("preToolUse", Point::ToolBefore, Can::DENY.rewrite()),
        hook("postToolUse", Point::ToolAfter, Can::WATCH.note()),
        hook(AFTER_MCP, Point::ToolAfter, Can::DENY.rewrite().note()).optional(),
        hook("postToolUseFailure", Point::ToolAfter, Can::WATCH),
        hook("beforeSubmitPrompt", Point::PromptSubmit, Can::DENY),
        hook("sessionStart", Point::SessionStart, Can::WATCH.note()),
        hook("sessionEnd", Point::SessionEnd, Can::WATCH),
        hook("subagentStart", Point::AgentStart, Can::WATCH),
        hook("subagentStop", Point::AgentStop, Can::WATCH),
        hook("stop", Point::TurnStop, Can::WATCH),
        hook("preCompact", Point::CompactBefore, Can::WATCH),
        // What `preToolUse` and `postToolUse` have announced already.
        hook("beforeShellExecution", Point::ToolBefore, Can::DENY.ask()).optional(),
        hook("afterShellExecution", Point::ToolAfter, Can::WATCH).optional(),
        hook("beforeMCPExecution", Point::ToolBefore, Can::DENY.ask()).optional(),
        hook("afterMCPExecution", Point::ToolAfter, Can::WATCH).optional(),
        hook("beforeReadFile", Point::ToolBefore, Can::DENY).optional(),
        hook("afterFileEdit", Point::ToolAfter, Can::WATCH).optional(),
        // Completions while somebody types; no agent is at work.
        hook("beforeTabFileRead", Point::ToolBefore, Can::DENY).optional(),
        hook("afterTabFileEdit", Point::ToolAfter, Can::WATCH).optional(),
        hook("afterAgentResponse", Point::Notice, Can::WATCH).optional(),
        hook("afterAgentThought", Point::Notice, Can::WATCH).optional(),
        hook("workspaceOpen", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["tools of MCP servers in its cloud agents", "what its completions write, before it is written"],
    doubled: true,
    calls: |doc| doc.get("cursor_version").is_some() || doc.get("conversation_id").is_some(),
    event,
    decode,
    fits: None,
    encode,
    // The status refuses any event; the answer carries the reason to the events that read one.
    refuse: |reason| HookAnswer { stdout: dialect::cursor_hook(&refusal(reason)).stdout, ..HookAnswer::fails(reason) },
};

/// With its fail-closed switch on, no answer would be taken for a broken one.
const fn hook(name: &'static str, point: Point, can: Can) -> Hook {
    Hook::new(name, point, can).neutral("{}")
}

/// It runs the hooks of `.claude/settings.json` too, and may call its events by their names there.
fn event(doc: &Value) -> Option<&str> {
    let name = match doc.get("hook_event_name")?.as_str()? {
        "PreToolUse" => "preToolUse",
        "PostToolUse" => "postToolUse",
        "PostToolUseFailure" => "postToolUseFailure",
        "UserPromptSubmit" => "beforeSubmitPrompt",
        "SessionStart" => "sessionStart",
        "SessionEnd" => "sessionEnd",
        "SubagentStart" => "subagentStart",
        "SubagentStop" => "subagentStop",
        "Stop" => "stop",
        "PreCompact" => "preCompact",
        name => name,
    };
    let of_mcp = || doc.get("tool_name").and_then(Value::as_str).is_some_and(|tool| tool.starts_with("MCP:"));
    Some(if name == "postToolUse" && of_mcp() { AFTER_MCP } else { name })
}

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let common = DecodedEvent {
        call_id: payload.text("/tool_use_id"),
        session: payload.text("/conversation_id"),
        model: payload.text("/model"),
        cwd: payload.text("/cwd").filter(|cwd| !cwd.is_empty()).or_else(|| payload.text("/workspace_roots/0")),
        ..DecodedEvent::default()
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: arguments(payload)?, ..called(payload, common)? },
        Point::ToolAfter => DecodedEvent {
            arguments: arguments(payload).ok(),
            took: millis(payload, "/duration"),
            reason: payload.text("/error_message"),
            ended: Some(if payload.hook.name == "postToolUseFailure" { Ended::Error } else { Ended::Ok }),
            body: result(payload)?,
            ..called(payload, common)?
        },
        Point::PromptSubmit => DecodedEvent { body: prompt(payload, "/prompt", "/attachments")?, ..common },
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

/// The tool, by the name that `preToolUse` has for it: one rule then holds at both events.
fn tool<'a>(payload: &Payload<'a>) -> Result<&'a str, String> {
    Ok(match payload.hook.name {
        "beforeShellExecution" | "afterShellExecution" => "Shell",
        "beforeReadFile" => "Read",
        "afterFileEdit" => "Write",
        "beforeTabFileRead" => "TabRead",
        "afterTabFileEdit" => "TabWrite",
        _ => payload.must("/tool_name")?,
    })
}

/// Which tool it is. Of which server is told at some events: by its address or by the command that starts it, and those are
/// no name; so the name is the same at all of them.
fn called<'a>(payload: &Payload<'a>, decoded: DecodedEvent<'a>) -> Result<DecodedEvent<'a>, String> {
    let tool = tool(payload)?;
    if !matches!(payload.hook.name, "beforeMCPExecution" | "afterMCPExecution") {
        return Ok(decoded.of_tool(AGENT.id, tool, None));
    }
    let server = payload.text("/url").or_else(|| payload.text("/command"));
    Ok(DecodedEvent { server, ..decoded.of_server(tool, None, tool.strip_prefix("MCP:").unwrap_or(tool)) })
}

fn arguments(payload: &Payload<'_>) -> Result<Body, String> {
    let (must, all): (_, &[&str]) = match payload.hook.name {
        "beforeShellExecution" | "afterShellExecution" => ("/command", &["command", "cwd"]),
        // What is in the file is no argument.
        "beforeReadFile" | "beforeTabFileRead" => ("/file_path", &["file_path"]),
        "afterFileEdit" | "afterTabFileEdit" => ("/file_path", &["file_path", "edits"]),
        _ => return payload.arguments_in_text(&["tool_input"]),
    };
    payload.must(must)?;
    Ok(members(payload, all))
}

/// A result is a text that holds JSON.
fn result(payload: &Payload<'_>) -> Result<Body, String> {
    match payload.hook.name {
        "afterShellExecution" => payload.body(&["output"]),
        "afterMCPExecution" => payload.body_in_text(&["result_json"]),
        "postToolUseFailure" => Ok(payload.result(&["error_message"])),
        "afterFileEdit" | "afterTabFileEdit" => Ok(Body::from(Value::Null)),
        _ => payload.body_in_text(&["tool_output"]),
    }
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Map::new();
    let mut put = |key: &str, value: Value| drop(answer.insert(key.to_owned(), value));
    match (&decision.said, payload.hook.point) {
        (Said::Deny(reason), Point::ToolAfter) => put("updated_mcp_tool_output", dialect::mcp_error(&refusal(reason))),
        (Said::Deny(reason), Point::PromptSubmit) => {
            put("continue", json!(false));
            put("user_message", json!(reason));
        }
        // No event of it both asks and changes.
        (Said::Deny(reason) | Said::AskRewritten(reason, _), _) => return dialect::cursor_hook(&refusal(reason)),
        (Said::Ask(reason), _) => {
            put("permission", json!("ask"));
            put("user_message", json!(reason));
            put("agent_message", json!(reason));
        }
        (Said::Rewrite(value), Point::ToolAfter) => put("updated_mcp_tool_output", value.clone()),
        (Said::Rewrite(value), _) => {
            // New arguments are documented beside this word only.
            put("permission", json!("allow"));
            put("updated_input", value.clone());
        }
        (Said::Pass, _) => {}
    }
    if !decision.notes.is_empty() {
        put("additional_context", json!(decision.notes.join("\n")));
    }
    HookAnswer::says(&Value::Object(answer))
}

#[cfg(test)]
mod tests;

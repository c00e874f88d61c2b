//! Claude Code.

use serde_json::{Value, json};
use tollgate_core::Point;
use tollgate_wire::dialect::HookAnswer;
use tollgate_wire::lens::{Lens as _, Stdio};
use tollgate_wire::readings;

use super::claude_like::{self, Answer, no_object, text_of};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said, worded};

/// Claude Code: https://code.claude.com/docs/en/hooks
///
/// It could also be kept from stopping (`Stop`) and from compacting. Both make it go on, so they are no refusal.
pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    aliases: &["claude"],
    title: "Claude Code",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.ask().rewrite().note().tell()),
        // A rewritten call could only be allowed here, which would skip the very question that is about to be asked.
        Hook::new("PermissionRequest", Point::ToolBefore, Can::DENY.tell()).permission(),
        Hook::new("PostToolUse", Point::ToolAfter, Can::DENY.rewrite().note().tell()),
        Hook::new("PostToolUseFailure", Point::ToolAfter, Can::WATCH.note().tell()),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY.note().tell()),
        // What a command of the user (`/review`) becomes.
        Hook::new("UserPromptExpansion", Point::PromptSubmit, Can::DENY.note().tell()).optional(),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH.note().tell()),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("SubagentStart", Point::AgentStart, Can::WATCH.note().tell()),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH.tell()),
        Hook::new("Stop", Point::TurnStop, Can::WATCH.tell()),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH.tell()),
        notice("PostToolBatch"),
        notice("PermissionDenied"),
        notice("Setup"),
        notice("StopFailure"),
        notice("Notification"),
        notice("PostCompact"),
        notice("PreModelSwitch"),
        notice("PostModelSwitch"),
        notice("Elicitation"),
        notice("ElicitationResult"),
        notice("ConfigChange"),
        notice("InstructionsLoaded"),
        notice("CwdChanged"),
        notice("DirectoryAdded"),
        notice("FileChanged"),
        notice("WorktreeCreate"),
        notice("WorktreeRemove"),
        notice("TeammateIdle"),
        notice("TaskCreated"),
        notice("TaskCompleted"),
        notice("MessageDisplay"),
    ],
    unseen: &["files that a prompt mentions with `@`"],
    doubled: false,
    calls: |doc| {
        let has = |key| doc.get(key).is_some();
        has("prompt_id") && has("hook_event_name") && !has("timestamp")
    },
    // VS Code, which runs its hooks too, has another name for it.
    event: |doc| doc.get("hook_event_name").or_else(|| doc.get("hookEventName"))?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: claude_like::refuse,
};

const fn notice(name: &'static str) -> Hook {
    Hook::new(name, Point::Notice, Can::WATCH).optional()
}

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let decoded = claude_like::decode(payload)?;
    Ok(match (decoded.tool, payload.text("/mcp_server/name")) {
        (Some(tool), server @ Some(_)) => decoded.of_tool(AGENT.id, tool, server),
        _ => decoded,
    })
}

/// `continue: false` is never said: the tool would run, and only then the turn would end. Nor is `allow`, which skips
/// the question that Claude Code itself would have asked.
fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let hook = payload.hook;
    let mut answer = Answer::to(payload);
    match (&decision.said, hook.point) {
        (Said::Pass, _) => {}
        (Said::Deny(reason), Point::ToolBefore) if hook.permission => answer.forbid(reason),
        (Said::Deny(reason), Point::ToolBefore) => answer.permission("deny", reason),
        (Said::Deny(reason), Point::ToolAfter) => {
            // Alone it would only add the reason to the result, which stays.
            answer.block(reason);
            replace(&mut answer, payload, withheld(payload, reason));
        }
        (Said::Deny(reason), _) => answer.block(reason),
        (Said::Rewrite(result), Point::ToolAfter) if keeps_shape(payload.doc.get("tool_response"), result) => {
            replace(&mut answer, payload, result.clone());
        }
        (Said::Rewrite(result), Point::ToolAfter) => {
            let text = text_of(result);
            answer.block(&text);
            replace(&mut answer, payload, withheld(payload, &text));
        }
        (Said::Rewrite(input) | Said::AskRewritten(_, input), _) if !input.is_object() => {
            answer.permission("deny", &no_object(AGENT.title));
        }
        (Said::Rewrite(input), _) => answer.own("updatedInput", input.clone()),
        (Said::Ask(title), _) => answer.permission("ask", title),
        (Said::AskRewritten(title, input), _) => {
            answer.permission("ask", title);
            answer.own("updatedInput", input.clone());
        }
    }
    answer.with(decision)
}

/// Puts another result in place. Older versions know the second name only, and for tools of MCP servers only.
fn replace(answer: &mut Answer, payload: &Payload<'_>, result: Value) {
    if payload.text("/tool_name").is_some_and(|tool| !readings(AGENT.id, tool, None).is_empty()) {
        answer.own("updatedMCPToolOutput", result.clone());
    }
    answer.own("updatedToolOutput", result);
}

/// Whether a new result has all that the old one has. A result in another shape than its tool's is ignored, and the
/// model then reads the old one.
fn keeps_shape(old: Option<&Value>, new: &Value) -> bool {
    match (old, new) {
        (Some(Value::Object(old)), Value::Object(new)) => {
            old.iter().all(|(key, value)| new.get(key).is_some_and(|new| keeps_shape(Some(value), new)))
        }
        (Some(Value::Array(_)), Value::Array(_)) | (Some(Value::Null) | None, _) => true,
        (Some(old), new) => std::mem::discriminant(old) == std::mem::discriminant(new),
    }
}

/// A result that says nothing but why, in the shape that its tool has.
fn withheld(payload: &Payload<'_>, reason: &str) -> Value {
    let (reason, result) = (worded(reason), payload.doc.get("tool_response"));
    match result {
        Some(Value::Array(_)) => json!([{"type": "text", "text": reason}]),
        Some(result) if Stdio.fits(result) => {
            let mut result = result.clone();
            Stdio.set_text(&mut result, reason);
            blank(&mut result, &["stdout", "stderr"]);
            result
        }
        // A file that was read, which may have been an image: one without its data would end the conversation.
        Some(Value::Object(members)) if members.contains_key("file") => json!({"type": "text", "file": {
            "filePath": payload.text("/tool_input/file_path").unwrap_or_default(),
            "content": reason,
            "numLines": 1,
            "startLine": 1,
            "totalLines": 1,
        }}),
        Some(result @ Value::Object(_)) => {
            let mut result = result.clone();
            blank(&mut result, &[]);
            result
        }
        _ => json!(reason),
    }
}

/// The members that hold one of a few words. Without them the shape is another.
const WORDS: [&str; 11] =
    ["type", "mode", "status", "kind", "mediaType", "method", "level", "action", "outcome", "verdict", "taskType"];

/// Empties every text but for those members.
fn blank(value: &mut Value, but: &[&str]) {
    match value {
        Value::String(text) => text.clear(),
        Value::Array(items) => items.iter_mut().for_each(|item| blank(item, &[])),
        Value::Object(members) => {
            let stays = |key: &str| WORDS.contains(&key) || but.contains(&key);
            members.iter_mut().filter(|(key, value)| !(value.is_string() && stays(key))).for_each(|(key, value)| {
                // What `isImage` says of a command's output does not hold for a reason.
                if key == "isImage" && value.is_boolean() { *value = json!(false) } else { blank(value, &[]) }
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;

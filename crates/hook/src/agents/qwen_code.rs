//! Qwen Code.

use serde_json::Value;
use tollgate_core::Point;
use tollgate_wire::dialect::HookAnswer;

use super::claude_like::{self, Answer};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// What `UserPromptSubmit` is when nobody has submitted anything.
const CONTINUES: &str = "UserPromptSubmit (continuation)";

/// Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks
///
/// It reads Claude Code's answers, but takes over no rewritten call (outside of editors) and hides no result.
pub(super) static AGENT: Agent = Agent {
    id: "qwen-code",
    aliases: &["qwen"],
    title: "Qwen Code",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.ask().note().tell()),
        Hook::new("PermissionRequest", Point::ToolBefore, Can::DENY.tell()).permission(),
        Hook::new("PostToolUse", Point::ToolAfter, Can::WATCH.note().tell()),
        Hook::new("PostToolUseFailure", Point::ToolAfter, Can::WATCH.note().tell()),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY.note().tell()),
        // The same event comes with an empty prompt whenever a tool's result goes back to the model.
        notice(CONTINUES),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH.note().tell()),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("SubagentStart", Point::AgentStart, Can::WATCH.note().tell()),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH.tell()),
        Hook::new("Stop", Point::TurnStop, Can::WATCH.tell()),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH.tell()),
        notice("PostToolBatch"),
        notice("PermissionDenied"),
        notice("SessionDelete"),
        notice("StopFailure"),
        notice("PostCompact"),
        notice("Notification"),
        notice("MessageDisplay"),
        notice("TodoCreated"),
        notice("TodoCompleted"),
    ],
    unseen: &[],
    doubled: false,
    calls: |doc| {
        let has = |key| doc.get(key).is_some();
        has("timestamp") && has("transcript_path") && has("permission_mode") && has("hook_event_name")
    },
    event,
    decode,
    fits: None,
    encode,
    refuse: claude_like::refuse,
};

const fn notice(name: &'static str) -> Hook {
    Hook::new(name, Point::Notice, Can::WATCH).optional()
}

fn event(doc: &Value) -> Option<&str> {
    let name = doc.get("hook_event_name")?.as_str()?;
    let empty = name == "UserPromptSubmit" && doc.get("prompt") == Some(&Value::from(""));
    Some(if empty && doc.get("submitted_prompt").is_none() { CONTINUES } else { name })
}

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let decoded = claude_like::decode(payload)?;
    // The one that the model gave; the other is made up for hooks.
    Ok(DecodedEvent { call_id: payload.text("/tool_call_id").or(decoded.call_id), ..decoded })
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let hook = payload.hook;
    let mut answer = Answer::to(payload);
    match (&decision.said, hook.point) {
        (Said::Pass, _) => {}
        (Said::Deny(reason), Point::ToolBefore) if hook.permission => answer.forbid(reason),
        (Said::Deny(reason), Point::ToolBefore) => answer.permission("deny", reason),
        (Said::Deny(reason), _) => answer.block(reason),
        (Said::Ask(title), _) => answer.permission("ask", title),
        // It cannot run a call in another form, and is not asked to.
        (Said::Rewrite(_) | Said::AskRewritten(..), _) => {
            answer.permission("deny", "Qwen Code cannot run this in another form, so it is refused");
        }
    }
    answer.with(decision)
}

#[cfg(test)]
mod tests;

//! Codex CLI.

use serde_json::json;
use tollgate_core::Point;
use tollgate_wire::dialect::HookAnswer;

use super::claude_like::{self, Answer, no_object, text_of};
use crate::agent::{Agent, Can, Decision, Hook, Payload, Said};

/// Codex CLI: https://developers.openai.com/codex/hooks
///
/// It discards an answer that has one field more than its schema, or a value that it does not support, and then runs the
/// tool. So only what is known to be read is ever said. It could be kept from stopping, which is no refusal.
pub(super) static AGENT: Agent = Agent {
    id: "codex",
    aliases: &["codex-cli"],
    title: "Codex CLI",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.rewrite().note().tell()),
        Hook::new("PermissionRequest", Point::ToolBefore, Can::DENY.tell()).permission(),
        Hook::new("PostToolUse", Point::ToolAfter, Can::DENY.rewrite().note().tell()),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY.note().tell()),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH.note().tell()),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("SubagentStart", Point::AgentStart, Can::WATCH.note().tell()),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH.tell()),
        Hook::new("Stop", Point::TurnStop, Can::WATCH.tell()),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH.tell()),
        Hook::new("PostCompact", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &[
        "what is typed into a command that already runs (`write_stdin`)",
        "`wait` in code mode",
        "web searches that run at OpenAI (`web_search`)",
        "the folder that a call of its shell names to run in (`workdir`): relative paths are judged where the session is",
    ],
    doubled: false,
    calls: |doc| {
        let text = |key| doc.get(key).is_some_and(serde_json::Value::is_string);
        text("turn_id") && text("model") && text("hook_event_name")
    },
    event: |doc| doc.get("hook_event_name")?.as_str(),
    decode: claude_like::decode,
    fits: None,
    encode,
    refuse: claude_like::refuse,
};

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let hook = payload.hook;
    let mut answer = Answer::to(payload);
    match (&decision.said, hook.point) {
        (Said::Pass, _) => {}
        (Said::Deny(reason), Point::ToolBefore) if hook.permission => answer.forbid(reason),
        (Said::Deny(reason), Point::ToolBefore) => answer.permission("deny", reason),
        // What is said here stands where the result was.
        (Said::Rewrite(result), Point::ToolAfter) => answer.block(&text_of(result)),
        (Said::Deny(reason), _) => answer.block(reason),
        (Said::Rewrite(input), _) if input.is_object() => {
            // Without the word the rewritten call is an error, and the call runs as it was.
            answer.own("permissionDecision", json!("allow"));
            answer.own("updatedInput", input.clone());
        }
        (Said::Rewrite(_), _) => answer.permission("deny", &no_object(AGENT.title)),
        // It cannot ask, and is not asked to.
        (Said::Ask(title) | Said::AskRewritten(title, _), _) => answer.permission("deny", title),
    }
    answer.with(decision)
}

#[cfg(test)]
mod tests;

//! Factory's droid.

use tollgate_core::Point;
use tollgate_wire::dialect::HookAnswer;

use super::claude_like::{self, Answer, no_object};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Factory's droid: https://docs.factory.ai/reference/hooks-reference
///
/// It reads Claude Code's newer answers. The older `decision` it ignores before a tool runs, and after that it adds the
/// reason to a result, which stays. A question runs the tool where nobody can answer it.
pub(super) static AGENT: Agent = Agent {
    id: "droid",
    aliases: &["factory"],
    title: "Factory droid",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.rewrite().tell()),
        Hook::new("PostToolUse", Point::ToolAfter, Can::WATCH.note().tell()),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY.note().tell()),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH.note().tell()),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH.tell()),
        Hook::new("Stop", Point::TurnStop, Can::WATCH.tell()),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH.tell()),
        Hook::new("Notification", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["the prompt of `droid exec`"],
    doubled: false,
    calls: |doc| {
        let text = |key| doc.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let own =
            text("permission_mode").starts_with("auto-") || text("transcript_path").contains("/.factory/sessions/");
        own && !text("hook_event_name").is_empty()
    },
    event: |doc| doc.get("hook_event_name")?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: claude_like::refuse,
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let decoded = claude_like::decode(payload)?;
    Ok(match payload.hook.point {
        Point::ToolAfter => DecodedEvent { body: payload.body_in_text(&["tool_response"])?, ..decoded },
        _ => decoded,
    })
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Answer::to(payload);
    match (&decision.said, payload.hook.point) {
        (Said::Pass, _) => {}
        (Said::Deny(reason), Point::ToolBefore) => answer.permission("deny", reason),
        (Said::Deny(reason), _) => answer.block(reason),
        // It is taken over without any word. `allow` would also skip the question that droid itself would have asked.
        (Said::Rewrite(input), _) if input.is_object() => answer.own("updatedInput", input.clone()),
        (Said::Rewrite(_), _) => answer.permission("deny", &no_object(AGENT.title)),
        // It cannot ask, and is not asked to.
        (Said::Ask(title) | Said::AskRewritten(title, _), _) => answer.permission("deny", title),
    }
    answer.with(decision)
}

#[cfg(test)]
mod tests;

//! Goose, by its plugins' hooks.

use serde_json::Value;
use tollgate_core::{Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::common::{prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Goose: https://block.github.io/goose/docs
pub(super) static AGENT: Agent = Agent {
    id: "goose",
    aliases: &[],
    title: "Goose",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY),
        Hook::new("PostToolUse", Point::ToolAfter, Can::WATCH),
        Hook::new("PostToolUseFailure", Point::ToolAfter, Can::WATCH),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::WATCH),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("SubagentStart", Point::AgentStart, Can::WATCH),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH),
        // Newer versions go on working if this is refused, which is nothing a guard should cause.
        Hook::new("Stop", Point::TurnStop, Can::WATCH),
        // `PreToolUse` and `PostToolUse` say the same of the same calls, and these can refuse nothing.
        Hook::new("BeforeReadFile", Point::ToolBefore, Can::WATCH).optional(),
        Hook::new("BeforeShellExecution", Point::ToolBefore, Can::WATCH).optional(),
        Hook::new("AfterShellExecution", Point::ToolAfter, Can::WATCH).optional(),
        Hook::new("AfterFileEdit", Point::ToolAfter, Can::WATCH).optional(),
    ],
    unseen: &["prompts in time to hold them up"],
    doubled: false,
    calls: |doc| doc.get("event").is_some_and(Value::is_string) && doc.get("matcher_context").is_some(),
    event: |doc| doc.get("event")?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: |reason| dialect::goose_hook(&refusal(reason)),
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let common = DecodedEvent {
        session: payload.text("/session_id"),
        cwd: payload.text("/working_dir"),
        ..DecodedEvent::default()
    };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        let tool = match (payload.text("/tool_name"), payload.hook.name) {
            (Some(tool), _) => tool,
            (None, "BeforeShellExecution" | "AfterShellExecution") => "developer__shell",
            (None, "BeforeReadFile" | "AfterFileEdit") => "developer__text_editor",
            (None, _) => payload.must("/tool_name")?,
        };
        Ok(decoded.of_tool(AGENT.id, tool, None))
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: payload.body(&["tool_input"])?, ..call(common)? },
        Point::ToolAfter => {
            let failed = payload.hook.name == "PostToolUseFailure";
            DecodedEvent {
                arguments: payload.body(&["tool_input"]).ok(),
                ended: Some(if failed { Ended::Error } else { Ended::Ok }),
                reason: payload.text("/message").filter(|_| failed),
                body: payload.result_in_text(&["tool_output"]),
                ..call(common)?
            }
        }
        Point::PromptSubmit => DecodedEvent { body: prompt(payload, "/message", "/attachments")?, ..common },
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

fn encode(_: &Payload<'_>, decision: &Decision) -> HookAnswer {
    match &decision.said {
        Said::Pass => HookAnswer::SILENT,
        Said::Deny(reason) | Said::Ask(reason) | Said::AskRewritten(reason, _) => dialect::goose_hook(&refusal(reason)),
        Said::Rewrite(_) => {
            dialect::goose_hook(&refusal("this was to happen in another form, which cannot be said here"))
        }
    }
}

#[cfg(test)]
mod tests;

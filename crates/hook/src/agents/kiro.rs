//! Kiro, which was Amazon Q.
//!
//! There are two generations: `preToolUse` in the files of agents (2.x), and `PreToolUse` in files of its own (3.x, and
//! the editor). Both look at the exit status: 2 with a text on standard error stops what is about to happen.

use tollgate_core::{Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::common::{prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Kiro: https://kiro.dev/docs/cli/hooks and https://kiro.dev/docs/cli/v3/hooks
pub(super) static AGENT: Agent = Agent {
    id: "kiro",
    aliases: &["amazon-q"],
    title: "Kiro",
    hooks: &[
        // 2.x
        Hook::new("preToolUse", Point::ToolBefore, Can::DENY),
        Hook::new("postToolUse", Point::ToolAfter, Can::WATCH),
        Hook::new("userPromptSubmit", Point::PromptSubmit, Can::WATCH.note()),
        Hook::new("agentSpawn", Point::SessionStart, Can::WATCH.note()),
        Hook::new("stop", Point::TurnStop, Can::WATCH),
        // 3.x
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY),
        Hook::new("PostToolUse", Point::ToolAfter, Can::WATCH),
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH),
        Hook::new("Stop", Point::TurnStop, Can::WATCH),
        // A task of a plan. What it does comes as calls of tools.
        Hook::new("PreTaskExec", Point::Notice, Can::WATCH).optional(),
        Hook::new("PostTaskExec", Point::Notice, Can::WATCH).optional(),
        Hook::new("PostFileCreate", Point::Notice, Can::WATCH).optional(),
        Hook::new("PostFileSave", Point::Notice, Can::WATCH).optional(),
        Hook::new("PostFileDelete", Point::Notice, Can::WATCH).optional(),
        Hook::new("Manual", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["what an agent does whose own file does not name the hook (2.x)"],
    doubled: false,
    // Cursor spells some events alike.
    calls: |doc| {
        let event = doc.get("hook_event_name").and_then(|name| name.as_str());
        let own = ["preToolUse", "postToolUse", "userPromptSubmit", "agentSpawn", "stop"];
        event.is_some_and(|name| own.contains(&name))
            && !["cursor_version", "conversation_id"].iter().any(|key| doc.get(key).is_some())
    },
    event: |doc| doc.get("hook_event_name")?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: HookAnswer::fails,
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let common =
        DecodedEvent { session: payload.text("/session_id"), cwd: payload.text("/cwd"), ..DecodedEvent::default() };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        Ok(decoded.of_tool(AGENT.id, payload.must("/tool_name")?, None))
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: payload.body(&["tool_input"])?, ..call(common)? },
        Point::ToolAfter => {
            let failed =
                payload.doc.pointer("/tool_response/success").and_then(|success| success.as_bool()) == Some(false);
            DecodedEvent {
                arguments: payload.body(&["tool_input"]).ok(),
                ended: Some(if failed { Ended::Error } else { Ended::Ok }),
                body: payload.result(&["tool_response"]),
                ..call(common)?
            }
        }
        Point::PromptSubmit => DecodedEvent { body: prompt(payload, "/prompt", "/attachments")?, ..common },
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

fn encode(_: &Payload<'_>, decision: &Decision) -> HookAnswer {
    match &decision.said {
        // What is printed becomes context.
        Said::Pass => HookAnswer { stdout: decision.notes.join("\n"), ..HookAnswer::SILENT },
        Said::Deny(reason) | Said::Ask(reason) | Said::AskRewritten(reason, _) => dialect::kiro_hook(&refusal(reason)),
        Said::Rewrite(_) => {
            dialect::kiro_hook(&refusal("this was to happen in another form, which cannot be said here"))
        }
    }
}

#[cfg(test)]
mod tests;

//! Windsurf (Cascade).
//!
//! It looks at the exit status only: 2 with a text on standard error stops what is about to happen.

use tollgate_core::{Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::common::{prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Windsurf: https://docs.windsurf.com/windsurf/cascade/hooks
pub(super) static AGENT: Agent = Agent {
    id: "windsurf",
    aliases: &["cascade"],
    title: "Windsurf",
    hooks: &[
        Hook::new("pre_run_command", Point::ToolBefore, Can::DENY),
        Hook::new("post_run_command", Point::ToolAfter, Can::WATCH),
        Hook::new("pre_read_code", Point::ToolBefore, Can::DENY),
        Hook::new("post_read_code", Point::ToolAfter, Can::WATCH),
        Hook::new("pre_write_code", Point::ToolBefore, Can::DENY),
        Hook::new("post_write_code", Point::ToolAfter, Can::WATCH),
        Hook::new("pre_mcp_tool_use", Point::ToolBefore, Can::DENY),
        Hook::new("post_mcp_tool_use", Point::ToolAfter, Can::WATCH),
        Hook::new("pre_user_prompt", Point::PromptSubmit, Can::DENY),
        Hook::new("post_cascade_response", Point::TurnStop, Can::WATCH),
        // The same again, with everything that was said before.
        Hook::new("post_cascade_response_with_transcript", Point::Notice, Can::WATCH).optional(),
        Hook::new("post_setup_worktree", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["searches, listings and web pages: there are events for commands, files, MCP tools and prompts only"],
    doubled: false,
    calls: |doc| doc.get("agent_action_name").is_some(),
    event: |doc| doc.get("agent_action_name")?.as_str(),
    decode,
    fits: None,
    encode,
    refuse: HookAnswer::fails,
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let common = DecodedEvent {
        session: payload.text("/trajectory_id"),
        model: payload.text("/model_name"),
        cwd: payload.text("/tool_info/cwd"),
        ..DecodedEvent::default()
    };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        let tool = match payload.hook.name {
            "pre_mcp_tool_use" | "post_mcp_tool_use" => {
                let tool = payload.must("/tool_info/mcp_tool_name")?;
                return Ok(decoded.of_server(tool, payload.text("/tool_info/mcp_server_name"), tool));
            }
            // Before and after, the call has one name.
            "pre_run_command" | "post_run_command" => "pre_run_command",
            "pre_read_code" | "post_read_code" => "pre_read_code",
            _ => "pre_write_code",
        };
        Ok(decoded.of_tool(AGENT.id, tool, None))
    };
    let arguments = || match payload.hook.name.ends_with("mcp_tool_use") {
        true => payload.arguments_in_text(&["tool_info", "mcp_tool_arguments"]),
        false => payload.body(&["tool_info"]),
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: arguments()?, ..call(common)? },
        Point::ToolAfter => DecodedEvent {
            arguments: arguments().ok(),
            ended: Some(Ended::Ok),
            // Only MCP tools come with what they answered.
            body: payload.result_in_text(&["tool_info", "mcp_result"]),
            ..call(common)?
        },
        Point::PromptSubmit => {
            DecodedEvent { body: prompt(payload, "/tool_info/user_prompt", "/tool_info/attachments")?, ..common }
        }
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

fn encode(_: &Payload<'_>, decision: &Decision) -> HookAnswer {
    match &decision.said {
        Said::Pass => HookAnswer::SILENT,
        Said::Deny(reason) | Said::Ask(reason) | Said::AskRewritten(reason, _) => {
            dialect::windsurf_hook(&refusal(reason))
        }
        Said::Rewrite(_) => {
            dialect::windsurf_hook(&refusal("this was to happen in another form, which cannot be said here"))
        }
    }
}

#[cfg(test)]
mod tests;

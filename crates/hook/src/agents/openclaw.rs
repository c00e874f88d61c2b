//! OpenClaw, through the plugin that [`crate::shim`] makes.

use serde_json::Value;
use tollgate_core::{Body, Ended, Point};

use super::common::{millis, prompt};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload};
use crate::shim;

/// OpenClaw: https://docs.openclaw.ai/plugins/hooks
pub(super) static AGENT: Agent = Agent {
    id: "openclaw",
    aliases: &[],
    title: "OpenClaw",
    hooks: &[
        Hook::new("before_tool_call", Point::ToolBefore, Can::DENY.ask().rewrite()),
        Hook::new("after_tool_call", Point::ToolAfter, Can::WATCH),
        // What is stored; the model has read the result by then.
        Hook::new("tool_result_persist", Point::ToolPersist, Can::DENY.rewrite()),
        Hook::new("session_start", Point::SessionStart, Can::WATCH),
        Hook::new("session_end", Point::SessionEnd, Can::WATCH),
        Hook::new("subagent_spawned", Point::AgentStart, Can::WATCH),
        Hook::new("subagent_ended", Point::AgentStop, Can::WATCH),
        Hook::new("before_compaction", Point::CompactBefore, Can::WATCH),
        // The plugin does not hand these on: they come for every message, or only to plugins with more rights.
        Hook::new("before_message_write", Point::MessageWrite, Can::WATCH).optional(),
        Hook::new("before_agent_run", Point::PromptSubmit, Can::WATCH).optional(),
        Hook::new("agent_end", Point::TurnStop, Can::WATCH).optional(),
        Hook::new("llm_input", Point::ModelRequest, Can::WATCH).optional(),
        Hook::new("llm_output", Point::ModelResponse, Can::WATCH).optional(),
        Hook::new("model_call_started", Point::Notice, Can::WATCH).optional(),
        Hook::new("model_call_ended", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_model_resolve", Point::Notice, Can::WATCH).optional(),
        Hook::new("agent_turn_prepare", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_prompt_build", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_agent_start", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_agent_reply", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_agent_finalize", Point::Notice, Can::WATCH).optional(),
        Hook::new("heartbeat_prompt_contribution", Point::Notice, Can::WATCH).optional(),
        Hook::new("inbound_claim", Point::Notice, Can::WATCH).optional(),
        Hook::new("message_received", Point::Notice, Can::WATCH).optional(),
        Hook::new("message_sending", Point::Notice, Can::WATCH).optional(),
        Hook::new("message_sent", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_dispatch", Point::Notice, Can::WATCH).optional(),
        Hook::new("reply_dispatch", Point::Notice, Can::WATCH).optional(),
        Hook::new("after_compaction", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_reset", Point::Notice, Can::WATCH).optional(),
        Hook::new("subagent_spawning", Point::Notice, Can::WATCH).optional(),
        Hook::new("subagent_delivery_target", Point::Notice, Can::WATCH).optional(),
        Hook::new("gateway_start", Point::Notice, Can::WATCH).optional(),
        Hook::new("gateway_stop", Point::Notice, Can::WATCH).optional(),
        Hook::new("cron_changed", Point::Notice, Can::WATCH).optional(),
        Hook::new("before_install", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &["results of tools in time to hold them up", "messages that it sends to people, unless a tool sends them"],
    doubled: false,
    calls: |doc| doc.get("hook").is_some_and(Value::is_string) && doc.get("event").is_some_and(Value::is_object),
    event: |doc| doc.get("hook")?.as_str(),
    decode,
    fits: Some(shim::fits),
    encode: |_: &Payload<'_>, decision: &Decision| shim::answer(decision),
    refuse: |reason| shim::answer(&Decision::deny(reason)),
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let session = payload.text("/ctx/sessionId").or_else(|| payload.text("/ctx/sessionKey"));
    let common = DecodedEvent { session, cwd: payload.text("/cwd"), ..DecodedEvent::default() };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        let decoded = decoded.of_tool(AGENT.id, payload.must("/event/toolName")?, None);
        Ok(DecodedEvent { call_id: payload.text("/event/toolCallId"), ..decoded })
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: payload.body(&["event", "params"])?, ..call(common)? },
        Point::ToolAfter => {
            let error = payload.text("/event/error");
            let result = payload.body(&["event", "result"]).or_else(|_| payload.body(&["event", "error"]));
            DecodedEvent {
                arguments: payload.body(&["event", "params"]).ok(),
                took: millis(payload, "/event/durationMs"),
                reason: error,
                ended: Some(if error.is_some() { Ended::Error } else { Ended::Ok }),
                body: result.unwrap_or_else(|_| Body::from(Value::Null)),
                ..call(common)?
            }
        }
        Point::ToolPersist => DecodedEvent { body: payload.body(&["event", "message"])?, ..call(common)? },
        Point::MessageWrite => DecodedEvent { body: payload.body(&["event", "message"])?, ..common },
        Point::PromptSubmit => DecodedEvent { body: prompt(payload, "/event/prompt", "/event/attachments")?, ..common },
        Point::ModelRequest | Point::ModelResponse => {
            DecodedEvent { model: payload.text("/event/model"), body: payload.body(&["event"])?, ..common }
        }
        _ => DecodedEvent { body: payload.body(&["event"])?, ..common },
    })
}

#[cfg(test)]
mod tests;

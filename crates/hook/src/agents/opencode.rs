//! OpenCode, through the plugin that [`crate::shim`] makes.
//!
//! Its plugins are JavaScript within its own process. Ours hands every event to this program and does what it says.

use serde_json::{Value, json};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::among;

use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload};
use crate::shim;

/// OpenCode: https://opencode.ai/docs/plugins
pub(super) static AGENT: Agent = Agent {
    id: "opencode",
    aliases: &[],
    title: "OpenCode",
    hooks: &[
        Hook::new("tool.execute.before", Point::ToolBefore, Can::DENY.rewrite()),
        Hook::new("tool.execute.after", Point::ToolAfter, Can::DENY.rewrite().note()),
        Hook::new("chat.message", Point::PromptSubmit, Can::DENY),
        // The plugin does not hand these on: they cost a process each and nothing could be done about them.
        Hook::new("event", Point::Notice, Can::WATCH).optional(),
        Hook::new("chat.params", Point::Notice, Can::WATCH).optional(),
        Hook::new("chat.headers", Point::Notice, Can::WATCH).optional(),
        Hook::new("command.execute.before", Point::Notice, Can::WATCH).optional(),
        Hook::new("permission.ask", Point::Notice, Can::WATCH).optional(),
        Hook::new("shell.env", Point::Notice, Can::WATCH).optional(),
        Hook::new("tool.definition", Point::Notice, Can::WATCH).optional(),
        Hook::new("experimental.session.compacting", Point::CompactBefore, Can::WATCH).optional(),
    ],
    unseen: &[
        "commands that its user types with `!`",
        "what another plugin changes after ours has looked",
        "anything at all if the plugin file is gone or cannot be loaded: OpenCode goes on without it",
    ],
    doubled: false,
    calls: |doc| doc.get("hook").is_some_and(Value::is_string) && doc.get("input").is_some(),
    event: |doc| doc.get("hook")?.as_str(),
    decode,
    fits: Some(shim::fits),
    encode: |_: &Payload<'_>, decision: &Decision| shim::answer(decision),
    refuse: |reason| shim::answer(&Decision::deny(reason)),
};

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let common = DecodedEvent {
        session: payload.text("/input/sessionID"),
        cwd: payload.text("/cwd"),
        ..DecodedEvent::default()
    };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        let tool = payload.must("/input/tool")?;
        let servers =
            payload.doc.get("servers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let decoded = decoded.of_tool(AGENT.id, tool, among(AGENT.id, tool, servers));
        Ok(DecodedEvent { call_id: payload.text("/input/callID"), ..decoded })
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: payload.body(&["output", "args"])?, ..call(common)? },
        Point::ToolAfter => DecodedEvent {
            arguments: payload.body(&["input", "args"]).ok(),
            ended: Some(Ended::Ok),
            body: payload.body(&["output"])?,
            ..call(common)?
        },
        Point::PromptSubmit => {
            let model = payload.text("/output/message/model/modelID");
            DecodedEvent { model, body: message(payload)?, ..common }
        }
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

/// A message in parts, as one text with attachments.
fn message(payload: &Payload<'_>) -> Result<Body, String> {
    let parts = payload.doc.pointer("/output/parts").and_then(Value::as_array).ok_or("`output.parts` is missing")?;
    let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    let texts: Vec<String> = parts.iter().filter_map(text).collect();
    let others: Vec<&Value> = parts.iter().filter(|part| text(part).is_none()).collect();
    let mut prompt = json!({ "text": texts.join("\n") });
    if !others.is_empty() {
        prompt["attachments"] = json!(others);
    }
    Ok(Body::from(prompt))
}

#[cfg(test)]
mod tests;

//! The words of Claude Code's hooks.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Ended, Event, Fault, Name, Point, Verdict};

use super::{garbage, object, set, text, text_of};

/// Its names for tools, by ours.
const TOOLS: &[(&str, &str)] = &[
    ("exec", "Bash"),
    ("read", "Read"),
    ("write", "Write"),
    ("edit", "Edit"),
    ("multiedit", "MultiEdit"),
    ("glob", "Glob"),
    ("grep", "Grep"),
    ("webfetch", "WebFetch"),
    ("web_fetch", "WebFetch"),
    ("websearch", "WebSearch"),
    ("web_search", "WebSearch"),
    ("task", "Task"),
];

/// What the event is called there; none where there is no such event.
pub(super) fn event_name(event: &Event<'_>) -> Option<&'static str> {
    Some(match event.point {
        Point::ToolBefore => "PreToolUse",
        Point::ToolAfter if matches!(event.ended, Some(Ended::Error | Ended::Canceled)) => "PostToolUseFailure",
        Point::ToolAfter => "PostToolUse",
        Point::PromptSubmit => "UserPromptSubmit",
        Point::TurnStop => "Stop",
        Point::AgentStart => "SubagentStart",
        Point::AgentStop => "SubagentStop",
        Point::SessionStart => "SessionStart",
        Point::SessionEnd => "SessionEnd",
        Point::CompactBefore => "PreCompact",
        Point::Notice => "Notification",
        _ => return None,
    })
}

pub(super) fn question(event: &Event<'_>, body: &Body) -> Result<Value, Fault> {
    let doc = body.json()?;
    // Where the agent is Claude Code, what it said itself is better than what we could make up.
    if !event.point.is_about_a_tool() && doc.get("hook_event_name").is_some_and(Value::is_string) {
        return Ok(doc.clone());
    }
    let name = event_name(event).ok_or_else(|| garbage(format!("Claude Code has no hook at {}", event.point)))?;
    let mut question = json!({
        "session_id": event.session.unwrap_or_default(),
        "transcript_path": "",
        "cwd": event.cwd.unwrap_or_default(),
        "permission_mode": "default",
        "hook_event_name": name,
    });
    let more = match event.point {
        Point::ToolBefore => call(event, event.tool_now(body), doc),
        Point::ToolAfter => {
            let arguments = event.arguments.map_or(Ok(&Value::Null), Body::json)?;
            let mut more = call(event, event.became.or(event.name), arguments);
            match event.ended {
                Some(Ended::Error | Ended::Canceled) => {
                    more["error"] = event.reason.map_or_else(|| text_of(doc), str::to_owned).into()
                }
                _ => more["tool_response"] = doc.clone(),
            }
            more
        }
        Point::PromptSubmit => json!({ "prompt": text_of(doc) }),
        Point::TurnStop | Point::AgentStop => json!({ "stop_hook_active": false }),
        Point::SessionStart => json!({ "source": "startup" }),
        Point::SessionEnd => json!({ "reason": "other" }),
        Point::CompactBefore => {
            let trigger = doc.get("reason").and_then(Value::as_str).unwrap_or("auto");
            json!({ "trigger": trigger, "custom_instructions": "" })
        }
        Point::Notice => json!({ "message": event.native.unwrap_or_default() }),
        _ => json!({}),
    };
    if let (Some(question), Value::Object(more)) = (question.as_object_mut(), more) {
        question.extend(more);
    }
    Ok(question)
}

fn call(event: &Event<'_>, tool: Option<&Name<'_>>, arguments: &Value) -> Value {
    // The program knows nothing of servers but what is written: a hook for `Bash` is told of whatever is called so.
    let names = tollgate_wire::names();
    let written = tool.map(|tool| names.name(tool.written()));
    let normal = written.as_ref().map_or("", Name::normal);
    let known = TOOLS.iter().find(|(name, _)| *name == normal);
    let shell = || {
        let runs = tollgate_wire::kind(normal) == Some("exec");
        // Hooks for `Bash` look for its command, wherever the call comes from.
        (runs && arguments.get("command").is_some_and(Value::is_string)).then_some("Bash")
    };
    let name = known.map(|(_, name)| *name).or_else(shell);
    json!({
        "tool_name": name.or_else(|| tool.map(Name::written)).unwrap_or_default(),
        "tool_input": arguments,
        "tool_use_id": event.call_id.unwrap_or_default(),
    })
}

pub(super) fn answer(event: &Event<'_>, body: &mut Body, said: &str) -> Result<Verdict, Fault> {
    if !said.trim_start().starts_with('{') {
        // Plain text is for the transcript, or at these two for the model.
        if matches!(event.point, Point::PromptSubmit | Point::SessionStart) {
            body.notes.push(said.trim().to_owned());
        }
        return Ok(Verdict::Pass);
    }
    let said = object(said)?;
    body.tells.extend(text(&said, "systemMessage")?);
    let own = match said.get("hookSpecificOutput") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(own)) => own.clone(),
        Some(_) => return Err(garbage("`hookSpecificOutput` must be an object")),
    };
    body.notes.extend(text(&own, "additionalContext")?);
    if let Some(denied) = stopped(&said)? {
        return Ok(denied);
    }
    let verdict = decided(&said, &own)?;
    if !matches!(verdict, Verdict::Deny(_)) {
        rewrite(event, body, &own)?;
    }
    Ok(verdict)
}

/// `continue: false`: nothing goes on.
fn stopped(said: &Map<String, Value>) -> Result<Option<Verdict>, Fault> {
    match said.get("continue") {
        None | Some(Value::Null | Value::Bool(true)) => Ok(None),
        Some(Value::Bool(false)) => {
            let reason = text(said, "stopReason")?.or(text(said, "reason")?);
            Ok(Some(deny(reason)))
        }
        Some(_) => Err(garbage("`continue` must be true or false")),
    }
}

fn decided(said: &Map<String, Value>, own: &Map<String, Value>) -> Result<Verdict, Fault> {
    let unknown = |what: &str| {
        let what: String = what.chars().take(40).collect();
        garbage(format!("there is no decision `{}`", what.escape_debug()))
    };
    let old = match text(said, "decision")?.as_deref() {
        None | Some("approve" | "allow") => Verdict::Pass,
        Some("block" | "deny") => deny(text(said, "reason")?),
        Some("ask") => ask(text(said, "reason")?),
        Some(other) => return Err(unknown(other)),
    };
    let reason = || text(own, "permissionDecisionReason");
    let new = match text(own, "permissionDecision")?.as_deref() {
        None | Some("allow") => Verdict::Pass,
        Some("deny") => deny(reason()?),
        // There the run ends until somebody has decided. That is no consent.
        Some("ask" | "defer") => ask(reason()?),
        Some(other) => return Err(unknown(other)),
    };
    let strictness = |verdict: &Verdict| match verdict {
        Verdict::Deny(_) => 2,
        Verdict::Pass => 0,
        _ => 1,
    };
    Ok(if strictness(&old) > strictness(&new) { old } else { new })
}

fn rewrite(event: &Event<'_>, body: &mut Body, own: &Map<String, Value>) -> Result<(), Fault> {
    let of = |key: &str| own.get(key).filter(|value| !value.is_null());
    match event.point {
        Point::ToolBefore => match of("updatedInput") {
            Some(input) if input.is_object() => set(body, input.clone()),
            Some(_) => return Err(garbage("`updatedInput` must be an object")),
            None => {}
        },
        Point::ToolAfter => {
            if let Some(output) = of("updatedToolOutput").or_else(|| of("updatedMCPToolOutput")) {
                set(body, output.clone());
            }
        }
        _ => {}
    }
    Ok(())
}

fn deny(reason: Option<String>) -> Verdict {
    Verdict::deny(
        reason.filter(|reason| !reason.trim().is_empty()).unwrap_or_else(|| crate::answer::BLOCKED.to_owned()),
    )
}

fn ask(reason: Option<String>) -> Verdict {
    Verdict::ask(reason.filter(|reason| !reason.trim().is_empty()).unwrap_or_else(|| "a hook asks".to_owned()))
}

//! GitHub Copilot CLI, its cloud agent, and VS Code's agent.
//!
//! An event can be registered in two spellings, and the spelling picks how the document is written *and* which answer is
//! read: `preToolUse` ignores Claude Code's nested answer and runs the tool. So both spellings are events here.
//!
//! VS Code's own agent takes either spelling for the second one, and its documents are a mixture of both.

use serde_json::{Value, json};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::dialect::{self, HookAnswer};

use super::claude_like::Answer;
use super::common::{never_asks_about_another, prompt, refusal};
use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};

/// Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-reference
pub(super) static AGENT: Agent = Agent {
    id: "copilot",
    aliases: &["copilot-cli", "github-copilot"],
    title: "Copilot CLI",
    hooks: &[
        Hook::new("preToolUse", Point::ToolBefore, Can::DENY.ask().rewrite().note()),
        Hook::new("postToolUse", Point::ToolAfter, Can::DENY.rewrite().note()),
        Hook::new("postToolUseFailure", Point::ToolAfter, Can::WATCH),
        Hook::new("permissionRequest", Point::ToolBefore, Can::DENY).permission(),
        // What is answered to `userPromptSubmitted` is dropped; this spelling of it can stop the run.
        Hook::new("UserPromptSubmit", Point::PromptSubmit, Can::DENY),
        Hook::new("userPromptSubmitted", Point::PromptSubmit, Can::WATCH).optional(),
        Hook::new("userPromptTransformed", Point::Notice, Can::WATCH).optional(),
        Hook::new("sessionStart", Point::SessionStart, Can::WATCH.note()),
        Hook::new("sessionEnd", Point::SessionEnd, Can::WATCH),
        Hook::new("agentStop", Point::TurnStop, Can::WATCH),
        Hook::new("subagentStart", Point::AgentStart, Can::WATCH),
        Hook::new("subagentStop", Point::AgentStop, Can::WATCH),
        Hook::new("preCompact", Point::CompactBefore, Can::WATCH),
        Hook::new("notification", Point::Notice, Can::WATCH).optional(),
        Hook::new("errorOccurred", Point::Notice, Can::WATCH).optional(),
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.ask().rewrite().note()).optional(),
        Hook::new("PostToolUse", Point::ToolAfter, Can::DENY.rewrite().note()).optional(),
        Hook::new("PostToolUseFailure", Point::ToolAfter, Can::WATCH).optional(),
        Hook::new("PermissionRequest", Point::ToolBefore, Can::DENY).permission(),
        Hook::new("SessionStart", Point::SessionStart, Can::WATCH).optional(),
        Hook::new("SessionEnd", Point::SessionEnd, Can::WATCH).optional(),
        Hook::new("Stop", Point::TurnStop, Can::WATCH).optional(),
        Hook::new("SubagentStart", Point::AgentStart, Can::WATCH).optional(),
        Hook::new("SubagentStop", Point::AgentStop, Can::WATCH).optional(),
        Hook::new("PreCompact", Point::CompactBefore, Can::WATCH).optional(),
        Hook::new("Notification", Point::Notice, Can::WATCH).optional(),
        Hook::new("ErrorOccurred", Point::Notice, Can::WATCH).optional(),
    ],
    unseen: &[
        "commands that its user types with `!`",
        "anything in a repository that is not trusted, where the hook is registered in that repository only",
    ],
    doubled: true,
    calls,
    event,
    decode,
    fits: Some(fits),
    encode,
    refuse: HookAnswer::fails,
};

fn has(doc: &Value, key: &str) -> bool {
    doc.get(key).is_some()
}

/// It runs the hooks of `.claude/settings.json` too. Its documents are those with a time but without what the others
/// with a time always have.
fn calls(doc: &Value) -> bool {
    let time = doc.get("timestamp");
    if is_vs_code(doc) {
        return true;
    }
    if has(doc, "sessionId") && has(doc, "cwd") {
        return time.is_some_and(Value::is_number);
    }
    let Some(event) = doc.get("hook_event_name").and_then(Value::as_str) else { return false };
    let others = ["permission_mode", "tool_use_id", "tool_call_id", "turn_id", "prompt_id", "cursor_version"];
    let written_here = !has(doc, "transcript_path") || matches!(event, "Stop" | "SubagentStop" | "PreCompact");
    time.is_some_and(Value::is_string)
        && has(doc, "session_id")
        && is_pascal(event)
        && written_here
        && !others.iter().any(|key| has(doc, key))
}

/// Whether a document is VS Code's: https://code.visualstudio.com/docs/copilot/customization/hooks
fn is_vs_code(doc: &Value) -> bool {
    doc.get("hookEventName").is_some_and(Value::is_string) && has(doc, "sessionId")
}

/// The camel spelling does not name its event: it is inferred where the document leaves no doubt.
fn event(doc: &Value) -> Option<&str> {
    if let Some(name) = ["hook_event_name", "hookEventName", "hookName"].iter().find_map(|key| doc.get(key)) {
        return name.as_str();
    }
    let first = [
        (["toolName", "toolResult"], "postToolUse"),
        (["toolName", "error"], "postToolUseFailure"),
        (["toolName", "toolArgs"], "preToolUse"),
        (["prompt", "transformedPrompt"], "userPromptTransformed"),
        (["prompt", "cwd"], "userPromptSubmitted"),
        (["source", "initialPrompt"], "sessionStart"),
    ];
    first.into_iter().find(|(keys, _)| keys.iter().all(|key| has(doc, key))).map(|(_, name)| name)
}

fn is_pascal(event: &str) -> bool {
    event.starts_with(|first: char| first.is_ascii_uppercase())
}

fn decode<'a>(payload: &Payload<'a>) -> Result<DecodedEvent<'a>, String> {
    let text = |camel: &str, pascal: &str| payload.text(camel).or_else(|| payload.text(pascal));
    let common = DecodedEvent {
        session: text("/sessionId", "/session_id"),
        cwd: payload.text("/cwd"),
        ..DecodedEvent::default()
    };
    let call = |decoded: DecodedEvent<'a>| -> Result<DecodedEvent<'a>, String> {
        let tool = text("/toolName", "/tool_name").ok_or("`toolName` is missing or is no text")?;
        Ok(DecodedEvent { call_id: payload.text("/tool_use_id"), ..decoded.of_tool(AGENT.id, tool, None) })
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => DecodedEvent { body: arguments(payload)?, ..call(common)? },
        Point::ToolAfter => DecodedEvent { arguments: arguments(payload).ok(), ..result(payload, call(common)?)? },
        Point::PromptSubmit => DecodedEvent { body: prompt(payload, "/prompt", "/attachments")?, ..common },
        _ => DecodedEvent { body: payload.body(&[])?, ..common },
    })
}

/// The arguments. The cloud agent writes them as a text that holds JSON.
fn arguments(payload: &Payload<'_>) -> Result<Body, String> {
    let key = ["toolArgs", "toolInput", "tool_input"].into_iter().find(|key| has(payload.doc, key));
    payload.arguments_in_text(&[key.unwrap_or("toolArgs")])
}

/// What the model will read. The rest of a result says how the call ended.
fn result<'a>(payload: &Payload<'a>, decoded: DecodedEvent<'a>) -> Result<DecodedEvent<'a>, String> {
    let known =
        [("tool_result", "text_result_for_llm", "result_type"), ("toolResult", "textResultForLlm", "resultType")];
    let reason = payload.text("/error").or_else(|| payload.text("/error/message"));
    let (ok, body) = match known.into_iter().find(|(result, ..)| has(payload.doc, result)) {
        Some((result, text, kind)) => {
            let ok = payload.text(&format!("/{result}/{kind}")).is_none_or(|kind| kind == "success");
            (ok, payload.body(&[result, text]).or_else(|_| payload.body(&[result]))?)
        }
        None if has(payload.doc, "error") && !has(payload.doc, "tool_response") => (false, payload.body(&["error"])?),
        // VS Code's is a text, and has no more to say.
        None => (true, payload.body(&["tool_response"])?),
    };
    Ok(DecodedEvent { ended: Some(if ok { Ended::Ok } else { Ended::Error }), reason, body, ..decoded })
}

const UNCHANGEABLE: &str = "the policy changes this, which VS Code cannot do, so it is refused";

fn fits(payload: &Payload<'_>, said: &Said) -> Result<(), String> {
    match said {
        // Nobody has seen it run a call in another form without an "allow".
        Said::Rewrite(_) if is_vs_code(payload.doc) => Err(UNCHANGEABLE.to_owned()),
        _ => never_asks_about_another(payload, said),
    }
}

/// VS Code reads what Claude Code does, at every event; a prompt it goes on with unless told to stop.
fn encode_for_vs_code(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Answer::to(payload);
    match (&decision.said, payload.hook.point) {
        (Said::Pass, _) => {}
        (Said::Ask(title), _) => answer.permission("ask", title),
        (Said::Deny(reason), Point::ToolBefore) => answer.permission("deny", reason),
        (Said::Deny(reason), Point::PromptSubmit) => {
            answer.top("continue", json!(false));
            answer.top("stopReason", json!(reason));
        }
        (Said::Deny(reason), _) => answer.block(reason),
        // It is not asked to.
        (Said::Rewrite(_) | Said::AskRewritten(..), Point::ToolBefore) => answer.permission("deny", UNCHANGEABLE),
        (Said::Rewrite(_) | Said::AskRewritten(..), _) => answer.block(UNCHANGEABLE),
    }
    answer.with(decision)
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let Hook { name, point, permission, .. } = payload.hook;
    if is_vs_code(payload.doc) {
        return encode_for_vs_code(payload, decision);
    }
    if let Said::AskRewritten(reason, _) = &decision.said {
        return encode(payload, &Decision { said: Said::Deny(reason.clone()), ..decision.clone() });
    }
    let answer = match (&decision.said, point) {
        (Said::Deny(reason), _) if *permission => json!({ "behavior": "deny", "message": reason }),
        (Said::Deny(reason), Point::ToolBefore) if is_pascal(name) => {
            return dialect::copilot_pascal_hook(&refusal(reason));
        }
        (Said::Deny(reason), Point::ToolBefore) => return dialect::copilot_hook(&refusal(reason)),
        (Said::Deny(reason), Point::ToolAfter) => replaced(payload, reason),
        (Said::Deny(reason), _) => json!({ "decision": "block", "reason": reason }),
        (Said::Ask(reason), _) => json!({ "permissionDecision": "ask", "permissionDecisionReason": reason }),
        (Said::Rewrite(Value::String(text)), Point::ToolAfter) => replaced(payload, text),
        (Said::Rewrite(value), Point::ToolAfter) => replaced(payload, &value.to_string()),
        // No "allow" beside it: that would skip the question which its user may expect.
        (Said::Rewrite(value), _) if is_pascal(name) => json!({ "updatedInput": value }),
        (Said::Rewrite(value), _) => json!({ "modifiedArgs": value }),
        (Said::Pass | Said::AskRewritten(..), _) => json!({}),
    };
    HookAnswer::says(&nested(payload.hook, noted(answer, &decision.notes)))
}

/// What the model reads in place of a result.
fn replaced(payload: &Payload<'_>, text: &str) -> Value {
    let kind = ["/toolResult/resultType", "/tool_result/result_type"].iter().find_map(|kind| payload.text(kind));
    json!({ "modifiedResult": { "resultType": kind.unwrap_or("success"), "textResultForLlm": text } })
}

fn noted(mut answer: Value, notes: &[String]) -> Value {
    if !notes.is_empty() {
        answer["additionalContext"] = json!(notes.join("\n"));
    }
    answer
}

/// Before a tool, an event in Claude Code's spelling is answered as Claude Code is. After it, no event is.
fn nested(hook: &Hook, mut answer: Value) -> Value {
    if !is_pascal(hook.name) || hook.point != Point::ToolBefore || hook.permission {
        return answer;
    }
    answer["hookEventName"] = json!(hook.name);
    json!({ "hookSpecificOutput": answer })
}

#[cfg(test)]
mod tests;

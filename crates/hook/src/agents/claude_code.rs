//! Claude Code.

use serde_json::{Map, Value, json};
use tollgate_core::{Ended, Point};
use tollgate_wire::dialect::HookAnswer;

use crate::agent::{Agent, Can, Decision, Hook, Moment, Payload, Said};

/// Claude Code: https://code.claude.com/docs/en/hooks
pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    aliases: &["claude"],
    title: "Claude Code",
    hooks: &[
        Hook::new("PreToolUse", Point::ToolBefore, Can::DENY.ask().rewrite().note().tell()),
        Hook::new("PermissionRequest", Point::ToolBefore, Can::DENY.rewrite().tell()).permission(),
        Hook::new("PostToolUse", Point::ToolAfter, Can::DENY.rewrite().note().tell()),
    ],
    unseen: &["files that a prompt mentions with `@`"],
    doubled: false,
    calls: |doc| doc.get("prompt_id").is_some() && doc.get("timestamp").is_none(),
    event: |doc| doc.get("hook_event_name")?.as_str(),
    decode,
    encode,
    refuse: HookAnswer::fails,
};

fn decode<'a>(payload: &Payload<'a>) -> Result<Moment<'a>, String> {
    let common = Moment { session: payload.text("/session_id"), cwd: payload.text("/cwd"), ..Moment::default() };
    let call = |moment| -> Result<Moment<'a>, String> {
        Ok(Moment {
            tool: Some(payload.must("/tool_name")?),
            server: payload.text("/mcp_server/name"),
            call_id: payload.text("/tool_use_id"),
            ..moment
        })
    };
    Ok(match payload.hook.point {
        Point::ToolBefore => Moment { body: payload.body(&["tool_input"])?, ..call(common)? },
        Point::ToolAfter => Moment {
            arguments: payload.body(&["tool_input"]).ok(),
            ended: Some(Ended::Ok),
            took: payload.doc.get("duration_ms").and_then(Value::as_u64),
            body: payload.body(&["tool_response"])?,
            ..call(common)?
        },
        _ => Moment { body: payload.body(&[])?, ..common },
    })
}

fn encode(payload: &Payload<'_>, decision: &Decision) -> HookAnswer {
    let mut answer = Map::new();
    let mut own = Map::new();
    own.insert("hookEventName".to_owned(), json!(payload.hook.name));
    match (&decision.said, payload.hook.point) {
        (Said::Stop(reason), _) => {
            own.insert("permissionDecision".to_owned(), json!("deny"));
            own.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        (Said::Ask(reason), _) => {
            own.insert("permissionDecision".to_owned(), json!("ask"));
            own.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        (Said::Rewrite(value), _) => drop(own.insert("updatedInput".to_owned(), value.clone())),
        (Said::Go, _) => {}
    }
    if !decision.notes.is_empty() {
        own.insert("additionalContext".to_owned(), json!(decision.notes.join("\n")));
    }
    if !decision.tells.is_empty() {
        answer.insert("systemMessage".to_owned(), json!(decision.tells.join("\n")));
    }
    if own.len() > 1 {
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(own));
    }
    HookAnswer::says(&Value::Object(answer))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{decoded, fixture, said};

    #[test]
    fn a_call_is_understood_and_refused_in_its_words() {
        let text = fixture(&AGENT, "claude-code-2.1.325.PreToolUse");
        expect![[r#"
            claude-code PreToolUse tool.before
            tool: Bash
            call: toolu_fake_1
            session: 8a57b3cf-0712-4f60-ab83-344544408fca
            cwd: /home/dev/project
            body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
        "#]]
        .assert_eq(&decoded(&AGENT, None, &text));
        expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}
        "#]].assert_eq(&said(&AGENT, None, &text, Said::Stop("no".to_owned())));
    }
}

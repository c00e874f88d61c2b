#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::Arc;

use expect_test::{Expect, expect};
use tollgate_clock::SystemClock;
use tollgate_core::Registry;
use tollgate_testkit::actors::Log;
use tollgate_testkit::case::Interceptor;

use super::*;
use crate::agents::find;
use crate::testing::shown;

/// What is answered to a document where an edit stands at a point, and what a watcher sees of the call.
fn check(agent: &str, document: &Value, point: &str, actor: &str, params: Value, expected: Expect) {
    let log = Log::default();
    let clock = Arc::new(SystemClock::default());
    let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
    let edit = json!({ "id": "edit", "actor": actor, "params": params, "points": [point] });
    let watch = |point: &str| json!({ "id": point, "actor": "see", "points": [point] });
    for registration in [edit, watch("tool.before"), watch("tool.after")] {
        let interceptor: Interceptor = serde_json::from_value(registration).unwrap();
        registry.add(interceptor.build(&log).unwrap()).unwrap();
    }
    let gate = Gate { pipeline: registry.snapshot(), engine: None, tells: Vec::new() };
    let (text, mut doc) = (document.to_string(), Value::Null);
    let read =
        read(find(agent).unwrap(), None, text.as_bytes(), &mut doc).unwrap_or_else(|answer| unreachable!("{answer:?}"));
    let answer = shown(&answer(&gate, &read));
    expected.assert_eq(&format!("{answer}{}\n", log.take().join("\n")));
}

fn after(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {}, "tool_response": "key"})
}

/// Nobody is told that something was refused which the model reads all the same.
#[test]
fn a_result_that_cannot_be_changed_is_told_as_that() {
    let hide = || json!({ "find": "key", "with": "[redacted]" });
    check(
        "qwen-code",
        &after("PostToolUse"),
        "tool.after",
        "replace",
        hide(),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"the policy would have changed this result, and Qwen Code cannot change results here"}
            tool.after:go
        "#]],
    );
    check(
        "droid",
        &after("PostToolUse"),
        "tool.after",
        "replace",
        hide(),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"the policy would have changed this result, and Factory droid cannot change results here"}
            tool.after:go
        "#]],
    );
    check(
        "qwen-code",
        &after("PostToolUse"),
        "tool.after",
        "deny",
        json!({ "reason": "secret" }),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"secret"}
            tool.after:stop
        "#]],
    );
}

/// A call that the agent cannot be given in its new form has ended, and whoever watches is told.
#[test]
fn a_call_that_cannot_be_rewritten_ends_here() {
    let call = |event: &str| json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls", "env": 1}});
    let fewer = || json!({ "json": {"command": "ls"} });
    check(
        "gemini-cli",
        &call("BeforeTool"),
        "tool.before",
        "body",
        fewer(),
        expect![[r#"
            exit 0
            stdout: {"decision":"deny","reason":"the policy takes `env` out of this call, which Gemini CLI cannot do, so it is refused"}
            tool.before:go
            tool.after:go
        "#]],
    );
    check(
        "claude-code",
        &call("PreToolUse"),
        "tool.before",
        "body",
        fewer(),
        expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}
            tool.before:go
        "#]],
    );
    check(
        "claude-code",
        &call("PreToolUse"),
        "tool.before",
        "body",
        json!({ "json": [1] }),
        expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy gives this call arguments that are no object, which Claude Code does not take, so it is refused"}}
            tool.before:go
            tool.after:go
        "#]],
    );
    let open_code =
        json!({"hook": "tool.execute.before", "input": {"tool": "bash"}, "output": {"args": {"command": "ls"}}});
    check(
        "opencode",
        &open_code,
        "tool.before",
        "body",
        json!({ "json": [1] }),
        expect![[r#"
            exit 0
            stdout: {"decision":"stop","reason":"the policy gives this call arguments that are no object, which OpenCode does not take, so it is refused"}
            tool.before:go
            tool.after:go
        "#]],
    );
}

/// An event that can refuse nothing ends no call.
#[test]
fn a_call_that_goes_on_has_not_ended() {
    let document = json!({"event": "BeforeReadFile", "matcher_context": "x", "tool_input": {"path": "a"}});
    check(
        "goose",
        &document,
        "tool.before",
        "deny",
        json!({ "reason": "no" }),
        expect![[r#"
            exit 0
            tool.before:stop
        "#]],
    );
}

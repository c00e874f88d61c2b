use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::agents::tests::answers;
use crate::testing::{decoded, fixture, said};

fn understood(name: &str, expected: &Expect) {
    expected.assert_eq(&decoded(&AGENT, None, &fixture(&AGENT, &format!("droid-0.225.2{name}"))));
}

fn answered(name: &str, expected: &Expect) {
    expected.assert_eq(&answers(&AGENT, &fixture(&AGENT, &format!("droid-0.225.2{name}"))));
}

const PROMPT: &str = r#"{"session_id":"s","transcript_path":"/home/dev/.factory/sessions/s.jsonl","cwd":"/w",
    "permission_mode":"auto-low","hook_event_name":"UserPromptSubmit","prompt":"hi"}"#;

#[test]
fn its_events_are_understood() {
    understood(
        ".PreToolUse",
        &expect![[r#"
        droid PreToolUse tool.before
        tool: Execute
        session: 071f7c41-edd5-4213-b481-46dbd25caeeb
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","summary":"say hello","riskLevel":"low","riskLevelReason":"echo"}
    "#]],
    );
    understood(
        "-ext.PostToolUse",
        &expect![[r#"
        droid PostToolUse tool.after
        tool: Execute
        session: ad2c41a6-b99e-4004-b8f3-2e3b2c5ae7d0
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","summary":"say hello","riskLevel":"low","riskLevelReason":"echo"}
        body: "hello-from-tool\n\n\n[Process exited with code 0]"
    "#]],
    );
    understood(
        "-files.PostToolUse",
        &expect![[r#"
        droid PostToolUse tool.after
        tool: Create
        session: 2eb0dfac-fc88-48e5-a12b-bc5242b3379b
        cwd: /home/dev/project
        ended: Ok
        arguments: {"file_path":"/home/dev/project.txt","content":"hello\n"}
        body: {"success":true,"file_path":"/home/dev/project.txt"}
    "#]],
    );
    understood(
        "-ext.SessionStart",
        &expect![[r#"
        droid SessionStart session.start
        session: ad2c41a6-b99e-4004-b8f3-2e3b2c5ae7d0
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        "-ext.SessionEnd",
        &expect![[r#"
        droid SessionEnd session.end
        session: ad2c41a6-b99e-4004-b8f3-2e3b2c5ae7d0
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        "-ext.Stop",
        &expect![[r#"
        droid Stop turn.stop
        session: ad2c41a6-b99e-4004-b8f3-2e3b2c5ae7d0
        cwd: /home/dev/project
        body: null
    "#]],
    );
    expect![[r#"
        droid UserPromptSubmit prompt.submit
        session: s
        cwd: /w
        body: {"text":"hi"}
    "#]]
    .assert_eq(&decoded(&AGENT, None, PROMPT));
}

#[test]
fn calls_are_answered() {
    answered(
        ".PreToolUse",
        &expect![[r#"
            go: exit 0
            stop: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because"}}
            rewrite: {"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","summary":"say hello","riskLevel":"low","riskLevelReason":"echo","added":"by policy"}}}
            tell: {"systemMessage":"seen"}
            stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because"}}
        "#]],
    );
}

#[test]
fn the_rest_is_answered() {
    answered(
        "-ext.PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen\nno, because","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-ext.SessionStart",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen\nno, because","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-ext.Stop",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen\nno, because"}
    "#]],
    );
    expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mind this"}}
    "#]].assert_eq(&answers(&AGENT, PROMPT));
}

/// It ignores the older words before a tool runs, and runs it.
#[test]
fn a_refused_call_is_not_refused_in_the_older_words() {
    let text = fixture(&AGENT, "droid-0.225.2.PreToolUse");
    let answer = said(&AGENT, None, &text, Said::Deny("no".to_owned()));
    assert!(answer.contains(r#""permissionDecision":"deny""#) && !answer.contains(r#""decision""#), "{answer}");
}

/// It would skip the question that droid itself would have asked.
#[test]
fn allow_is_never_said() {
    for name in [".PreToolUse", "-ext.PostToolUse", "-ext.Stop"] {
        let all = answers(&AGENT, &fixture(&AGENT, &format!("droid-0.225.2{name}")));
        assert!(!all.contains("\"allow\""), "{name}: {all}");
    }
}

/// The call would run as it was.
#[test]
fn arguments_that_are_no_object_are_refused() {
    let text = fixture(&AGENT, "droid-0.225.2.PreToolUse");
    expect![[r#"
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy gives this call arguments that are no object, which Factory droid does not take, so it is refused"}}
    "#]].assert_eq(&said(&AGENT, None, &text, Said::Rewrite(json!("ls"))));
}

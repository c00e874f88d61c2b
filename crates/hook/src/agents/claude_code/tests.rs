#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::agents::tests::answers;
use crate::testing::{decoded, fixture, said};

fn understood(name: &str, expected: &Expect) {
    expected.assert_eq(&decoded(&AGENT, None, &fixture(&AGENT, &format!("claude-code-2.1.325{name}"))));
}

fn answered(name: &str, expected: &Expect) {
    expected.assert_eq(&answers(&AGENT, &fixture(&AGENT, &format!("claude-code-2.1.325{name}"))));
}

/// An event that was not captured, with these fields beside the common ones.
fn event(name: &str, fields: Value) -> String {
    let mut doc = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": name});
    doc.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    doc.to_string()
}

#[test]
fn calls_and_results_are_understood() {
    understood(
        ".PreToolUse",
        &expect![[r#"
        claude-code PreToolUse tool.before
        tool: Bash
        call: toolu_fake_1
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
    "#]],
    );
    understood(
        ".PostToolUse",
        &expect![[r#"
        claude-code PostToolUse tool.after
        tool: Bash
        call: toolu_fake_1
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        ended: Ok
        took: 71 ms
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
        body: {"stdout":"hello-from-tool","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}
    "#]],
    );
    understood(
        "-mcp.PostToolUse",
        &expect![[r#"
        claude-code PostToolUse tool.after
        tool: mcp__everything__echo
        server: everything
        call: toolu_fake_1
        session: cd0edadf-380a-41d8-8c6c-69fd5152856f
        cwd: /home/dev/project
        ended: Ok
        took: 17 ms
        arguments: {"message":"hi mcp"}
        body: [{"type":"text","text":"Echo: hi mcp"}]
    "#]],
    );
    understood(
        "-files.PostToolUseFailure-1",
        &expect![[r#"
        claude-code PostToolUseFailure tool.after
        tool: Bash
        call: toolu_fake_1
        session: 1b79cd42-5398-4d46-b948-d06aa9450264
        cwd: /home/dev/project
        ended: Error
        reason: Exit code 3
        took: 57 ms
        arguments: {"command":"exit 3","description":"fail"}
        body: "Exit code 3"
    "#]],
    );
    understood(
        "-ext.PermissionRequest",
        &expect![[r#"
        claude-code PermissionRequest tool.before
        tool: Bash
        session: fd2993b1-fc75-47e7-8531-dc738970255c
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
    "#]],
    );
}

#[test]
fn the_rest_of_its_life_is_understood() {
    understood(
        ".UserPromptSubmit",
        &expect![[r#"
        claude-code UserPromptSubmit prompt.submit
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        body: {"text":"please run the hello command"}
    "#]],
    );
    understood(
        ".SessionStart",
        &expect![[r#"
        claude-code SessionStart session.start
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".Stop",
        &expect![[r#"
        claude-code Stop turn.stop
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".MessageDisplay",
        &expect![[r#"
        claude-code MessageDisplay notice
        session: 8a57b3cf-0712-4f60-ab83-344544408fca
        cwd: /home/dev/project
        body: {"session_id":"8a57b3cf-0712-4f60-ab83-344544408fca","transcript_path":"/home/dev/project/-home-dev-project/8a57b3cf-0712-4f60-ab83-344544408fca.jsonl","cwd":"/home/dev/project","prompt_id":"5215b56e-933f-4346-a5e7-3e6458675e91","hook_event_name":"MessageDisplay","turn_id":"340f71f3-9173-44ae-9927-7062ff766447","message_id":"8e2f2dde-09a3-4bd1-b848-fbec00833b8e","index":0,"final":true,"delta":"FAKE-FINAL done."}
    "#]],
    );
    let start = event("SubagentStart", json!({"agent_id": "a1", "agent_type": "Explore"}));
    expect![[r#"
        claude-code SubagentStart agent.start
        session: s
        cwd: /w
        body: {"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"SubagentStart","agent_id":"a1","agent_type":"Explore"}
    "#]].assert_eq(&decoded(&AGENT, None, &start));
    let command = json!({"expansion_type": "command", "command_name": "review", "command_args": "", "prompt": "look"});
    expect![[r#"
        claude-code UserPromptExpansion prompt.submit
        session: s
        cwd: /w
        body: {"text":"look"}
    "#]]
    .assert_eq(&decoded(&AGENT, None, &event("UserPromptExpansion", command)));
}

#[test]
fn calls_are_answered() {
    answered(
        ".PreToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because"}}
        ask: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"really?"}}
        rewrite: {"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","added":"by policy"}}}
        ask for another: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"really?","updatedInput":{"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","added":"by policy"}}}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-ext.PermissionRequest",
        &expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
    "#]],
    );
}

#[test]
fn results_are_answered() {
    answered(
        ".PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"no, because","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}}
        rewrite: {"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"hello-from-tool","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"added":"by policy"}}}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"no, because","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-mcp.PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":[{"type":"text","text":"no, because"}],"updatedToolOutput":[{"type":"text","text":"no, because"}]}}
        rewrite: {"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":[{"type":"text","text":"Echo: hi mcp"},{"type":"text","text":"by policy"}],"updatedToolOutput":[{"type":"text","text":"Echo: hi mcp"},{"type":"text","text":"by policy"}]}}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":[{"type":"text","text":"no, because"}],"updatedToolOutput":[{"type":"text","text":"no, because"}],"additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-files.PostToolUseFailure-1",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen\nno, because","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"mind this"}}
    "#]],
    );
}

#[test]
fn the_rest_is_answered() {
    answered(
        ".UserPromptSubmit",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        ".SessionStart",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen\nno, because","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        ".Stop",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen\nno, because"}
    "#]],
    );
    answered(
        ".SessionEnd",
        &expect![[r#"
        go: exit 0
        stop: exit 0
        tell: exit 0
        stop and tell: exit 0
    "#]],
    );
}

/// A result in another shape than its tool's is ignored, and the model reads what was to be withheld.
#[test]
fn a_withheld_result_keeps_the_shape_of_its_tool() {
    let results = [
        json!({"stdout": "secret", "stderr": "secret", "interrupted": false, "isImage": true, "rawOutputPath": "/secret"}),
        json!({"type": "text", "file": {"filePath": "/w/a", "content": "secret", "numLines": 9}}),
        json!({"type": "image", "file": {"base64": "secret", "type": "image/png", "originalSize": 7}}),
        json!({"mode": "content", "numFiles": 1, "filenames": ["secret"], "content": "secret"}),
        json!([{"type": "text", "text": "secret"}, {"type": "image", "data": "secret"}]),
        json!("secret"),
    ];
    let mut shown = String::new();
    for result in results {
        let text = event("PostToolUse", json!({"tool_name": "T", "tool_input": {}, "tool_response": result}));
        let answer = said(&AGENT, None, &text, Said::Deny("why".to_owned()));
        assert!(!answer.contains("secret"), "{answer}");
        let answer: Value =
            serde_json::from_str(answer.lines().nth(1).unwrap().trim_start_matches("stdout: ")).unwrap();
        assert_eq!(answer["reason"], "why");
        shown += &format!("{}\n", answer["hookSpecificOutput"]["updatedToolOutput"]);
    }
    expect![[r#"
        {"stdout":"why","stderr":"","interrupted":false,"isImage":false,"rawOutputPath":""}
        {"type":"text","file":{"filePath":"","content":"why","numLines":1,"startLine":1,"totalLines":1}}
        {"type":"text","file":{"filePath":"","content":"why","numLines":1,"startLine":1,"totalLines":1}}
        {"mode":"content","numFiles":1,"filenames":[""],"content":""}
        [{"type":"text","text":"why"}]
        "why"
    "#]]
    .assert_eq(&shown);
}

/// An edit that puts a text in place of a result must not bring the result back.
#[test]
fn a_rewritten_result_in_another_shape_is_told_in_the_right_one() {
    let text = fixture(&AGENT, "claude-code-2.1.325-files.PostToolUse-1");
    let cases = [
        (
            json!("gone"),
            expect![[r#"
        exit 0
        stdout: {"decision":"block","reason":"gone","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"type":"text","file":{"filePath":"/home/dev/project/e.txt","content":"gone","numLines":1,"startLine":1,"totalLines":1}}}}
    "#]],
        ),
        (
            json!({"type": "text", "file": {"content": "gone"}}),
            expect![[r#"
        exit 0
        stdout: {"decision":"block","reason":"{\"type\":\"text\",\"file\":{\"content\":\"gone\"}}","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"type":"text","file":{"filePath":"/home/dev/project/e.txt","content":"{\"type\":\"text\",\"file\":{\"content\":\"gone\"}}","numLines":1,"startLine":1,"totalLines":1}}}}
    "#]],
        ),
    ];
    for (result, expected) in cases {
        let answer = said(&AGENT, None, &text, Said::Rewrite(result));
        assert!(!answer.contains("old text"), "{answer}");
        expected.assert_eq(&answer);
    }
}

/// The call would run as it was.
#[test]
fn arguments_that_are_no_object_are_refused() {
    let text = fixture(&AGENT, "claude-code-2.1.325.PreToolUse");
    expect![[r#"
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy gives this call arguments that are no object, which Claude Code does not take, so it is refused"}}
    "#]].assert_eq(&said(&AGENT, None, &text, Said::Rewrite(json!(["ls"]))));
}

/// Alone it lets the tool run and ends the turn only then; `allow` skips the question that would have been asked.
#[test]
fn neither_continue_nor_allow_is_ever_said() {
    for name in
        [".PreToolUse", ".PostToolUse", "-mcp.PostToolUse", "-ext.PermissionRequest", ".UserPromptSubmit", ".Stop"]
    {
        let all = answers(&AGENT, &fixture(&AGENT, &format!("claude-code-2.1.325{name}")));
        assert!(!all.contains("\"continue\"") && !all.contains("\"allow\""), "{name}: {all}");
    }
}

use expect_test::{Expect, expect};

use super::*;
use crate::agents::tests::answers;
use crate::testing::{decoded, fixture};

fn understood(name: &str, expected: &Expect) {
    expected.assert_eq(&decoded(&AGENT, None, &fixture(&AGENT, &format!("qwen-code-0.24.4{name}"))));
}

fn answered(name: &str, expected: &Expect) {
    expected.assert_eq(&answers(&AGENT, &fixture(&AGENT, &format!("qwen-code-0.24.4{name}"))));
}

#[test]
fn its_events_are_understood() {
    understood(
        ".PreToolUse",
        &expect![[r#"
        qwen-code PreToolUse tool.before
        tool: run_shell_command
        call: call_fake_1
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","is_background":false}
    "#]],
    );
    understood(
        ".PostToolUse",
        &expect![[r#"
        qwen-code PostToolUse tool.after
        tool: run_shell_command
        call: call_fake_1
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        ended: Ok
        took: 81 ms
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","is_background":false}
        body: {"llmContent":"Command: echo hello-from-tool > tool_ran.txt; cat tool_ran.txt\nDirectory: (root)\nOutput: hello-from-tool\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)","returnDisplay":"hello-from-tool"}
    "#]],
    );
    understood(
        "-mcp.PostToolUse",
        &expect![[r#"
        qwen-code PostToolUse tool.after
        tool: mcp__everything__echo
        server: everything
        call: call_fake_1
        session: 73573274-6b4c-4d6f-aa34-70ced314a0cc
        cwd: /home/dev/project
        ended: Ok
        took: 29 ms
        arguments: {"message":"hi mcp"}
        body: {"llmContent":[{"text":"Echo: hi mcp"}],"returnDisplay":"Echo: hi mcp"}
    "#]],
    );
    understood(
        ".UserPromptSubmit",
        &expect![[r#"
        qwen-code UserPromptSubmit prompt.submit
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        body: {"text":"please run the hello command"}
    "#]],
    );
    understood(
        ".SessionStart",
        &expect![[r#"
        qwen-code SessionStart session.start
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        model: fake-model
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".Stop",
        &expect![[r#"
        qwen-code Stop turn.stop
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".Notification",
        &expect![[r#"
        qwen-code Notification notice
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        body: {"session_id":"84e6e059-d107-453b-a95c-4efcade6d421","transcript_path":"/home/dev/project/-home-dev-project/chats/84e6e059-d107-453b-a95c-4efcade6d421.jsonl","cwd":"/home/dev/project","hook_event_name":"Notification","timestamp":"2026-11-15T06:58:10.557Z","permission_mode":"yolo","message":"Successfully authenticated with openai","notification_type":"auth_success","title":"Authentication successful"}
    "#]],
    );
}

/// Nobody has submitted anything, so nothing is judged as if somebody had.
#[test]
fn an_empty_prompt_on_a_continuation_is_no_prompt() {
    understood(
        ".UserPromptSubmit-1",
        &expect![[r#"
        qwen-code UserPromptSubmit (continuation) notice
        session: 84e6e059-d107-453b-a95c-4efcade6d421
        cwd: /home/dev/project
        body: {"session_id":"84e6e059-d107-453b-a95c-4efcade6d421","transcript_path":"/home/dev/project/-home-dev-project/chats/84e6e059-d107-453b-a95c-4efcade6d421.jsonl","cwd":"/home/dev/project","hook_event_name":"UserPromptSubmit","timestamp":"2026-11-15T06:58:12.664Z","permission_mode":"yolo","prompt_id":"84e6e059-d107-453b-a95c-4efcade6d421########0","prompt":""}
    "#]],
    );
    answered(
        ".UserPromptSubmit-1",
        &expect![[r#"
        go: exit 0
        stop: exit 0
        tell: exit 0
        stop and tell: exit 0
    "#]],
    );
}

#[test]
fn calls_are_answered() {
    answered(
        ".PreToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because"}}
        ask: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"really?"}}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because","additionalContext":"mind this"}}
    "#]],
    );
    let text = fixture(&AGENT, "qwen-code-0.24.4.PreToolUse").replace("PreToolUse", "PermissionRequest");
    expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
    "#]].assert_eq(&answers(&AGENT, &text));
}

/// It hides no result, so nobody is told that it did.
#[test]
fn a_refused_result_is_told_to_the_user() {
    answered(
        ".PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen\nno, because","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
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
        ".Notification",
        &expect![[r#"
        go: exit 0
        stop: exit 0
        tell: exit 0
        stop and tell: exit 0
    "#]],
    );
}

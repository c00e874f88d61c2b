use expect_test::expect;
use serde_json::json;

use super::super::documents::{answers, ask, meanings, stop};
use super::*;
use crate::agent::Said;

#[test]
fn documents_are_understood() {
    let files = [
        "openclaw-2026.9.6.before_tool_call",
        "openclaw-2026.9.6.after_tool_call",
        "doc-failed-after_tool_call",
        "openclaw-2026.9.6.tool_result_persist",
        "doc-session_start",
    ];
    expect![[r#"
        openclaw before_tool_call tool.before
        tool: exec
        call: call_fake_1
        session: s1
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt"}

        openclaw after_tool_call tool.after
        tool: exec
        call: call_fake_1
        session: s1
        ended: Ok
        took: 2744 ms
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt"}
        body: {"content":[{"type":"text","text":"hello-from-tool"}],"details":{"status":"completed","exitCode":0,"exitSignal":null,"exitReason":"exit","durationMs":1271,"aggregated":"hello-from-tool","noOutputTimedOut":false,"cwd":"/home/dev/project"}}

        openclaw after_tool_call tool.after
        tool: exec
        call: c1
        session: s1
        cwd: /home/dev/project
        ended: Error
        reason: no such program
        took: 3 ms
        arguments: {"command":"x"}
        body: "no such program"

        openclaw tool_result_persist tool.persist
        tool: exec
        call: call_fake_1
        body: {"role":"toolResult","toolCallId":"call_fake_1","toolName":"exec","content":[{"type":"text","text":"hello-from-tool"}],"details":{"status":"completed","exitCode":0,"exitSignal":null,"exitReason":"exit","durationMs":1271,"aggregated":"hello-from-tool","noOutputTimedOut":false,"cwd":"/home/dev/project"},"isError":false,"timestamp":1794726759872}

        openclaw session_start session.start
        session: s1
        cwd: /home/dev/project
        body: {"sessionId":"s1"}
    "#]].assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_as_the_plugin_reads_them() {
    let rows = [
        ("openclaw-2026.9.6.before_tool_call", stop()),
        ("openclaw-2026.9.6.before_tool_call", ask()),
        ("openclaw-2026.9.6.before_tool_call", Said::Rewrite(json!({ "command": "ls" }))),
        ("openclaw-2026.9.6.after_tool_call", stop()),
        ("openclaw-2026.9.6.tool_result_persist", stop()),
        ("openclaw-2026.9.6.before_tool_call", Said::Pass),
    ];
    expect![[r#"
        openclaw-2026.9.6.before_tool_call: stop no
        exit 0
        stdout: {"decision":"deny","reason":"no"}

        openclaw-2026.9.6.before_tool_call: ask really?
        exit 0
        stdout: {"decision":"ask","reason":"really?"}

        openclaw-2026.9.6.before_tool_call: rewrite {"command":"ls"}
        exit 0
        stdout: {"decision":"rewrite","value":{"command":"ls"}}

        openclaw-2026.9.6.after_tool_call: stop no
        exit 0

        openclaw-2026.9.6.tool_result_persist: stop no
        exit 0
        stdout: {"decision":"deny","reason":"no"}

        openclaw-2026.9.6.before_tool_call: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
}

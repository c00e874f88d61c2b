use expect_test::expect;

use super::super::documents::{answers, meanings, noted, stop};
use super::*;
use crate::agent::Said;

#[test]
fn documents_are_understood() {
    let files = [
        "opencode-1.18.33.tool.execute.before",
        "opencode-1.18.33.tool.execute.after",
        "doc-mcp-tool.execute.after",
        "opencode-1.18.33.chat.message",
    ];
    expect![[r#"
        opencode tool.execute.before tool.before
        tool: bash
        call: call_fake_1
        session: ses_e1f7a6d1effeb7n04NdPsgVJkP
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}

        opencode tool.execute.after tool.after
        tool: bash
        call: call_fake_1
        session: ses_e1f7a6d1effeb7n04NdPsgVJkP
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
        body: {"title":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","metadata":{"output":"hello-from-tool\n","exit":0,"truncated":false},"output":"hello-from-tool\n"}

        opencode tool.execute.after tool.after
        tool: github_create_issue
        call: call_1
        session: ses_1
        cwd: /home/dev/project
        ended: Ok
        arguments: {"title":"hi"}
        body: {"content":[{"type":"text","text":"made #1"}]}

        opencode chat.message prompt.submit
        session: ses_e1f7a6d1effeb7n04NdPsgVJkP
        model: fake-model
        cwd: /home/dev/project
        body: {"text":"\"go please\""}
    "#]].assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_as_the_plugin_reads_them() {
    let rows = [
        ("opencode-1.18.33.tool.execute.before", stop()),
        ("opencode-1.18.33.tool.execute.before", Said::Rewrite(json!({ "command": "ls" }))),
        ("opencode-1.18.33.tool.execute.after", stop()),
        ("opencode-1.18.33.chat.message", stop()),
        ("opencode-1.18.33.tool.execute.before", Said::Pass),
    ];
    expect![[r#"
        opencode-1.18.33.tool.execute.before: stop no
        exit 0
        stdout: {"decision":"deny","reason":"no"}

        opencode-1.18.33.tool.execute.before: rewrite {"command":"ls"}
        exit 0
        stdout: {"decision":"rewrite","value":{"command":"ls"}}

        opencode-1.18.33.tool.execute.after: stop no
        exit 0
        stdout: {"decision":"deny","reason":"no"}

        opencode-1.18.33.chat.message: stop no
        exit 0
        stdout: {"decision":"deny","reason":"no"}

        opencode-1.18.33.tool.execute.before: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
    expect![[r#"
        exit 0
        stdout: {"decision":"pass","notes":["a note"]}
    "#]]
    .assert_eq(&noted(&AGENT, "opencode-1.18.33.tool.execute.after", Said::Pass));
}

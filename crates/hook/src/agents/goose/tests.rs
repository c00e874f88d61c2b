use expect_test::expect;

use super::super::documents::{answers, meanings, stop};
use super::*;

#[test]
fn documents_are_understood() {
    let files = [
        "doc-PreToolUse",
        "doc-mcp-PreToolUse",
        "doc-PostToolUse",
        "doc-PostToolUseFailure",
        "doc-UserPromptSubmit",
        "doc-BeforeReadFile",
    ];
    expect![[r#"
        goose PreToolUse tool.before
        tool: developer__shell
        session: 20261115_1
        cwd: /home/dev/project
        body: {"command":"rm -rf build"}

        goose PreToolUse tool.before
        tool: github__create_issue
        server: github
        session: 20261115_1
        cwd: /home/dev/project
        body: {"title":"hi"}

        goose PostToolUse tool.after
        tool: developer__shell
        session: 20261115_1
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"rm -rf build"}
        body: "gone"

        goose PostToolUseFailure tool.after
        tool: developer__shell
        session: 20261115_1
        cwd: /home/dev/project
        ended: Error
        reason: exit 1
        arguments: {"command":"rm -rf build"}
        body: null

        goose UserPromptSubmit prompt.submit
        session: 20261115_1
        cwd: /home/dev/project
        body: {"text":"please build it"}

        goose BeforeReadFile tool.before
        tool: developer__text_editor
        session: 20261115_1
        cwd: /home/dev/project
        body: {"command":"view","path":"/home/dev/project/a.txt"}
    "#]]
    .assert_eq(&meanings(&AGENT, &files));
}

/// Older versions look at the exit status and newer ones at the answer: it gets both.
#[test]
fn a_refusal_is_said_twice() {
    let rows = [
        ("doc-PreToolUse", stop()),
        ("doc-PostToolUse", stop()),
        ("doc-Stop", stop()),
        ("doc-BeforeShellExecution", stop()),
        ("doc-PreToolUse", Said::Pass),
    ];
    expect![[r#"
        doc-PreToolUse: stop no
        exit 2
        stdout: {"decision":"block","reason":"no"}
        stderr: no

        doc-PostToolUse: stop no
        exit 0

        doc-Stop: stop no
        exit 0

        doc-BeforeShellExecution: stop no
        exit 0

        doc-PreToolUse: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
}

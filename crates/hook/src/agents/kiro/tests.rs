use expect_test::expect;

use super::super::documents::{answers, meanings, noted, stop};
use super::*;

#[test]
fn documents_of_both_generations_are_understood() {
    let files = [
        "doc-preToolUse",
        "doc-mcp-preToolUse",
        "doc-postToolUse",
        "doc-userPromptSubmit",
        "doc-v3-PreToolUse",
        "doc-v3-PostToolUse",
        "doc-v3-UserPromptSubmit",
    ];
    expect![[r#"
        kiro preToolUse tool.before
        tool: execute_bash
        cwd: /home/dev/project
        body: {"command":"rm -rf build"}

        kiro preToolUse tool.before
        tool: @git/status
        server: git
        cwd: /home/dev/project
        body: {"path":"."}

        kiro postToolUse tool.after
        tool: fs_read
        cwd: /home/dev/project
        ended: Ok
        arguments: {"operations":[{"mode":"Line","path":"/home/dev/project/a.txt"}]}
        body: {"success":true,"result":["text"]}

        kiro userPromptSubmit prompt.submit
        cwd: /home/dev/project
        body: {"text":"please build it"}

        kiro PreToolUse tool.before
        tool: execute_bash
        session: sess_1
        cwd: /home/dev/project
        body: {"command":"rm -rf build"}

        kiro PostToolUse tool.after
        tool: execute_bash
        session: sess_1
        cwd: /home/dev/project
        ended: Error
        arguments: {"command":"false"}
        body: {"success":false,"result":["exit 1"]}

        kiro UserPromptSubmit prompt.submit
        session: sess_1
        cwd: /home/dev/project
        body: {"text":"please build it"}
    "#]]
    .assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_by_the_exit_status() {
    let rows = [
        ("doc-preToolUse", stop()),
        ("doc-v3-PreToolUse", stop()),
        ("doc-v3-UserPromptSubmit", stop()),
        ("doc-userPromptSubmit", stop()),
        ("doc-postToolUse", stop()),
        ("doc-preToolUse", Said::Pass),
    ];
    expect![[r#"
        doc-preToolUse: stop no
        exit 2
        stderr: no

        doc-v3-PreToolUse: stop no
        exit 2
        stderr: no

        doc-v3-UserPromptSubmit: stop no
        exit 2
        stderr: no

        doc-userPromptSubmit: stop no
        exit 0

        doc-postToolUse: stop no
        exit 0

        doc-preToolUse: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
}

/// What it prints at a prompt becomes context, so nothing else is ever printed there.
#[test]
fn notes_are_printed_where_they_become_context() {
    let notes = [noted(&AGENT, "doc-userPromptSubmit", Said::Pass), noted(&AGENT, "doc-preToolUse", Said::Pass)];
    expect![[r#"
        exit 0
        stdout: a note
        exit 0
    "#]]
    .assert_eq(&notes.join(""));
}

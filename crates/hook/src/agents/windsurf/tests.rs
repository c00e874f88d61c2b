use expect_test::expect;

use super::super::documents::{answers, meanings, stop};
use super::*;

#[test]
fn documents_are_understood() {
    let files = [
        "doc-pre_run_command",
        "doc-post_run_command",
        "doc-pre_read_code",
        "doc-post_write_code",
        "doc-pre_mcp_tool_use",
        "doc-post_mcp_tool_use",
        "doc-pre_user_prompt",
    ];
    expect![[r#"
        windsurf pre_run_command tool.before
        tool: pre_run_command
        session: traj-1
        model: SWE-1.5
        cwd: /home/dev/project
        body: {"command_line":"npm install","cwd":"/home/dev/project"}

        windsurf post_run_command tool.after
        tool: pre_run_command
        session: traj-1
        model: SWE-1.5
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command_line":"npm install","cwd":"/home/dev/project"}
        body: null

        windsurf pre_read_code tool.before
        tool: pre_read_code
        session: traj-1
        model: SWE-1.5
        body: {"file_path":"/home/dev/project/a.txt"}

        windsurf post_write_code tool.after
        tool: pre_write_code
        session: traj-1
        model: SWE-1.5
        ended: Ok
        arguments: {"file_path":"/home/dev/project/a.txt","edits":[{"old_string":"a","new_string":"b"}]}
        body: null

        windsurf pre_mcp_tool_use tool.before
        tool: create_issue
        server: github
        session: traj-1
        model: SWE-1.5
        body: {"title":"hi"}

        windsurf post_mcp_tool_use tool.after
        tool: create_issue
        server: github
        session: traj-1
        model: SWE-1.5
        ended: Ok
        arguments: {"title":"hi"}
        body: "made #1"

        windsurf pre_user_prompt prompt.submit
        session: traj-1
        model: SWE-1.5
        body: {"text":"please build it"}
    "#]]
    .assert_eq(&meanings(&AGENT, &files));
}

/// It lets everything happen but for status 2, and shows what is on standard error.
#[test]
fn answers_by_the_exit_status() {
    let rows = [
        ("doc-pre_run_command", stop()),
        ("doc-pre_user_prompt", stop()),
        ("doc-post_run_command", stop()),
        ("doc-pre_run_command", Said::Pass),
    ];
    expect![[r#"
        doc-pre_run_command: stop no
        exit 2
        stderr: no

        doc-pre_user_prompt: stop no
        exit 2
        stderr: no

        doc-post_run_command: stop no
        exit 0

        doc-pre_run_command: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
}

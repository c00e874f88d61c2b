use expect_test::expect;

use super::super::documents::{answers, ask, meanings, noted, stop};
use super::*;

#[test]
fn documents_are_understood() {
    let files = [
        "doc-preToolUse",
        "doc-mcp-preToolUse",
        "doc-from-dot-claude-settings-PreToolUse",
        "doc-postToolUse",
        "doc-mcp-postToolUse",
        "doc-postToolUseFailure",
        "doc-beforeShellExecution",
        "doc-afterShellExecution",
        "doc-beforeMCPExecution",
        "doc-afterMCPExecution",
        "doc-beforeReadFile",
        "doc-afterFileEdit",
        "doc-beforeSubmitPrompt",
    ];
    expect![[r#"
        cursor preToolUse tool.before
        tool: Shell
        call: tool-1
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"command":"npm test","working_directory":"/home/dev/project"}

        cursor preToolUse tool.before
        tool: MCP:create_issue
        call: tool-2
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"title":"hi"}

        cursor preToolUse tool.before
        tool: Shell
        call: tool-1
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"command":"npm test"}

        cursor postToolUse tool.after
        tool: Shell
        call: tool-1
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Ok
        took: 5432 ms
        arguments: {"command":"npm test"}
        body: {"exitCode":0,"stdout":"ok"}

        cursor postToolUse of MCP tools tool.after
        tool: MCP:create_issue
        call: tool-2
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Ok
        took: 12 ms
        arguments: {"title":"hi"}
        body: {"content":[{"type":"text","text":"made #1"}]}

        cursor postToolUseFailure tool.after
        tool: Shell
        call: tool-1
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Error
        reason: Command timed out after 30s
        took: 30000 ms
        arguments: {"command":"npm test"}
        body: "Command timed out after 30s"

        cursor beforeShellExecution tool.before
        tool: Shell
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"command":"rm -rf build","cwd":"/home/dev/project"}

        cursor afterShellExecution tool.after
        tool: Shell
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Ok
        took: 15 ms
        arguments: {"command":"rm -rf build"}
        body: ""

        cursor beforeMCPExecution tool.before
        tool: create_issue
        server: npx server-issues
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"title":"hi"}

        cursor afterMCPExecution tool.after
        tool: create_issue
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Ok
        took: 7 ms
        arguments: {"title":"hi"}
        body: {"content":[]}

        cursor beforeReadFile tool.before
        tool: Read
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"file_path":"/home/dev/project/.env"}

        cursor afterFileEdit tool.after
        tool: Write
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        ended: Ok
        arguments: {"file_path":"/home/dev/project/a.txt","edits":[{"old_string":"a","new_string":"b"}]}
        body: null

        cursor beforeSubmitPrompt prompt.submit
        session: conv-1
        model: claude-sonnet-4-5
        cwd: /home/dev/project
        body: {"text":"please build it","attachments":[{"type":"file","file_path":"/home/dev/project/a.txt"}]}
    "#]]
    .assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_in_its_words() {
    let rows = [
        ("doc-preToolUse", stop()),
        ("doc-preToolUse", Said::Rewrite(json!({ "command": "ls" }))),
        ("doc-beforeShellExecution", ask()),
        ("doc-beforeShellExecution", stop()),
        ("doc-beforeSubmitPrompt", stop()),
        ("doc-subagentStart", stop()),
        ("doc-mcp-postToolUse", stop()),
        ("doc-mcp-postToolUse", Said::Rewrite(json!({ "content": [] }))),
        ("doc-stop", stop()),
    ];
    expect![[r#"
        doc-preToolUse: stop no
        exit 0
        stdout: {"permission":"deny","user_message":"no","agent_message":"no"}

        doc-preToolUse: rewrite {"command":"ls"}
        exit 0
        stdout: {"permission":"allow","updated_input":{"command":"ls"}}

        doc-beforeShellExecution: ask really?
        exit 0
        stdout: {"permission":"ask","user_message":"really?","agent_message":"really?"}

        doc-beforeShellExecution: stop no
        exit 0
        stdout: {"permission":"deny","user_message":"no","agent_message":"no"}

        doc-beforeSubmitPrompt: stop no
        exit 0
        stdout: {"continue":false,"user_message":"no"}

        doc-subagentStart: stop no
        exit 0
        stdout: {}

        doc-mcp-postToolUse: stop no
        exit 0
        stdout: {"updated_mcp_tool_output":{"content":[{"type":"text","text":"no"}],"isError":true}}

        doc-mcp-postToolUse: rewrite {"content":[]}
        exit 0
        stdout: {"updated_mcp_tool_output":{"content":[]}}

        doc-stop: stop no
        exit 0
        stdout: {}

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
    expect![[r#"
        exit 0
        stdout: {"additional_context":"a note"}
        exit 0
        stdout: {"additional_context":"a note"}
    "#]]
    .assert_eq(&(noted(&AGENT, "doc-postToolUse", Said::Pass) + &noted(&AGENT, "doc-sessionStart", Said::Pass)));
}

/// With `failClosed` on, no answer would be taken for a broken one, and every call would be refused.
#[test]
fn silence_is_an_empty_answer() {
    for hook in AGENT.hooks {
        assert_eq!(hook.neutral, "{}", "{}", hook.name);
    }
    expect![[r#"
        doc-preToolUse: go
        exit 0
        stdout: {}

    "#]]
    .assert_eq(&answers(&AGENT, &[("doc-preToolUse", Said::Pass)]));
}

/// A result that cannot be replaced must not be said to be.
#[test]
fn only_results_of_mcp_tools_can_be_replaced() {
    let can = |name: &str| AGENT.hooks.iter().find(|hook| hook.name == name).map(|hook| hook.can.rewrite);
    assert_eq!((can("postToolUse"), can(AFTER_MCP)), (Some(false), Some(true)));
    expect![[r#"
        doc-postToolUse: stop no
        exit 0
        stdout: {}

    "#]]
    .assert_eq(&answers(&AGENT, &[("doc-postToolUse", stop())]));
}

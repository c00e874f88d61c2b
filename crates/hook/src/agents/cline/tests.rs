use expect_test::expect;

use super::super::documents::{answers, meanings, noted, stop};
use super::*;
use crate::testing::{decoded, fixture, said};

#[test]
fn documents_of_both_dialects_are_understood() {
    let files = [
        "cline-3.0.65.tool_call",
        "cline-3.0.65-mcp.tool_call",
        "cline-3.0.65.tool_result",
        "cline-3.0.65.agent_end",
        "doc-PreToolUse",
        "doc-mcp-PreToolUse",
        "doc-PostToolUse",
        "doc-UserPromptSubmit",
    ];
    expect![[r#"
        cline tool_call tool.before
        tool: run_commands
        call: call_fake_1
        session: 1794726298683_x24rt
        cwd: /home/dev/project
        body: {"commands":["echo hello-from-tool > tool_ran.txt; cat tool_ran.txt"]}

        cline tool_call tool.before
        tool: everything__echo
        server: everything
        call: call_fake_1
        session: 1794727319644_hzp13
        cwd: /home/dev/project
        body: {"message":"hi mcp"}

        cline tool_result tool.after
        tool: run_commands
        call: call_fake_1
        session: 1794726298683_x24rt
        cwd: /home/dev/project
        ended: Ok
        took: 36 ms
        arguments: {"commands":["echo hello-from-tool > tool_ran.txt; cat tool_ran.txt"]}
        body: [{"query":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","result":"hello-from-tool\n","success":true}]

        cline agent_end turn.stop
        session: 1794726298683_x24rt
        cwd: /home/dev/project
        body: {"clineVersion":"","timestamp":"2026-11-15T07:05:00.524Z","taskId":"conv_1794726298942_ibv820g","sessionContext":{"rootSessionId":"1794726298683_x24rt"},"workspaceRoots":["/home/dev/project"],"workspaceInfo":{"rootPath":"/home/dev/project","hint":"work"},"userId":"unknown","agent_id":"agent_1794726298843_l1nk4v","parent_agent_id":null,"hookName":"agent_end","iteration":2,"turn":{"outputText":"FAKE-FINAL done.","status":"completed"},"taskComplete":{"taskMetadata":{}}}

        cline PreToolUse tool.before
        tool: execute_command
        session: 1794726298
        cwd: /home/dev/project
        body: {"command":"rm -rf build","requires_approval":"false"}

        cline PreToolUse tool.before
        tool: use_mcp_tool
        server: github
        session: 1794726298
        cwd: /home/dev/project
        body: {"title":"hi"}

        cline PostToolUse tool.after
        tool: execute_command
        session: 1794726298
        cwd: /home/dev/project
        ended: Error
        took: 12 ms
        arguments: {"command":"false"}
        body: "exit 1"

        cline UserPromptSubmit prompt.submit
        session: 1794726298
        cwd: /home/dev/project
        body: {"text":"please build it"}
    "#]].assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_in_its_words() {
    let rows = [
        ("cline-3.0.65.tool_call", stop()),
        ("cline-3.0.65.tool_call", Said::Rewrite(json!({ "commands": ["ls"] }))),
        ("cline-3.0.65-mcp.tool_call", stop()),
        ("cline-3.0.65.tool_result", stop()),
        ("cline-3.0.65.agent_end", stop()),
        ("doc-PreToolUse", stop()),
        ("doc-UserPromptSubmit", stop()),
        ("cline-3.0.65.tool_call", Said::Pass),
    ];
    expect![[r#"
        cline-3.0.65.tool_call: stop no
        exit 0
        stdout: {"overrideInput":{"commands":["echo 'blocked: no' >&2; exit 1"]},"context":"no"}

        cline-3.0.65.tool_call: rewrite {"commands":["ls"]}
        exit 0
        stdout: {"overrideInput":{"commands":["ls"]}}

        cline-3.0.65-mcp.tool_call: stop no
        exit 0
        stdout: {"cancel":true,"errorMessage":"no"}

        cline-3.0.65.tool_result: stop no
        exit 0

        cline-3.0.65.agent_end: stop no
        exit 0

        doc-PreToolUse: stop no
        exit 0
        stdout: {"cancel":true,"errorMessage":"no"}

        doc-UserPromptSubmit: stop no
        exit 0
        stdout: {"cancel":true,"errorMessage":"no"}

        cline-3.0.65.tool_call: go
        exit 0

    "#]]
    .assert_eq(&answers(&AGENT, &rows));
    let notes = noted(&AGENT, "cline-3.0.65.tool_call", Said::Pass) + &noted(&AGENT, "doc-PreToolUse", Said::Pass);
    expect![[r#"
        exit 0
        stdout: {"context":"a note"}
        exit 0
        stdout: {"contextModification":"a note"}
    "#]]
    .assert_eq(&notes);
}

fn calling(tool: &str) -> String {
    fixture(&AGENT, "cline-3.0.65.tool_call").replace("run_commands", tool)
}

/// `cancel` ends the whole run: it is the last resort, not the first.
#[test]
fn a_call_that_can_be_stopped_alone_is_stopped_alone() {
    for (tool, alone) in [
        ("run_commands", true),
        ("read_files", true),
        ("search_codebase", true),
        ("fetch_web_content", true),
        ("apply_patch", false),
        ("editor", false),
        ("server__read_files", false),
    ] {
        let answer = said(&AGENT, None, &calling(tool), stop());
        assert_eq!(answer.contains("overrideInput"), alone, "{tool}: {answer}");
        assert_eq!(answer.contains(r#""cancel":true"#), !alone, "{tool}: {answer}");
    }
}

/// The editor's dialect has no way to override input: a tool there is stopped by `cancel`, whatever it is called.
#[test]
fn the_older_dialect_is_never_answered_with_new_input() {
    let text = fixture(&AGENT, "doc-PreToolUse").replace("execute_command", "run_commands");
    let answer = said(&AGENT, None, &text, stop());
    assert!(answer.contains(r#""cancel":true"#), "{answer}");
}

/// In the older part of a document every argument is a text; a rule about `commands` would find no list there.
#[test]
fn arguments_come_from_the_part_that_keeps_their_types() {
    let meaning = decoded(&AGENT, None, &fixture(&AGENT, "cline-3.0.65.tool_call"));
    assert!(meaning.contains(r#"body: {"commands":["echo"#), "{meaning}");
}

use expect_test::expect;

use super::super::documents::{answers, ask, meanings, noted, stop};
use super::*;

fn rewrite() -> Said {
    Said::Rewrite(json!({ "command": "ls" }))
}

#[test]
fn documents_are_understood() {
    let files = [
        "copilot-cli-1.0.102.preToolUse",
        "copilot-cli-1.0.102.PreToolUse",
        "copilot-cli-1.0.102-mcp.preToolUse",
        "copilot-cli-1.0.102-mcp.permissionRequest",
        "copilot-cli-1.0.102-files.postToolUse",
        "copilot-cli-1.0.102.PostToolUse",
        "copilot-cli-1.0.102-files.postToolUseFailure",
        "copilot-cli-1.0.102.UserPromptSubmit",
        "copilot-cli-1.0.102.agentStop",
    ];
    expect![[r#"
        copilot preToolUse tool.before
        tool: bash
        session: 5a450789-6273-453b-a6ea-e09cfa249eb9
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}

        copilot PreToolUse tool.before
        tool: Bash
        session: 5a450789-6273-453b-a6ea-e09cfa249eb9
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}

        copilot preToolUse tool.before
        tool: everything-echo
        server: everything
        session: 6c78942f-262d-465b-bc03-3402b13d22e2
        cwd: /home/dev/project
        body: {"message":"hi mcp"}

        copilot permissionRequest tool.before
        tool: everything/echo
        server: everything
        session: 6c78942f-262d-465b-bc03-3402b13d22e2
        cwd: /home/dev/project
        body: {"message":"hi mcp"}

        copilot postToolUse tool.after
        tool: create
        session: 17fa2db3-2f84-4f21-802a-5d260bf5b5ed
        cwd: /home/dev/project
        ended: Ok
        arguments: {"path":"/home/dev/project.txt","file_text":"hello\n"}
        body: "Created file /home/dev/project.txt with 6 characters"

        copilot PostToolUse tool.after
        tool: Bash
        session: 5a450789-6273-453b-a6ea-e09cfa249eb9
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello"}
        body: "hello-from-tool\n<shellId: 0 completed with exit code 0>"

        copilot postToolUseFailure tool.after
        tool: edit
        session: 8cb8f519-d491-4043-986a-0d09967bd2d1
        cwd: /home/dev/project
        ended: Error
        reason: Unhandled error: Error: ENOENT: no such file or directory, open '/home/dev/project/none.txt'
        arguments: {"path":"/home/dev/project/none.txt","old_str":"a","new_str":"b"}
        body: "Unhandled error: Error: ENOENT: no such file or directory, open '/home/dev/project/none.txt'"

        copilot UserPromptSubmit prompt.submit
        session: 5a450789-6273-453b-a6ea-e09cfa249eb9
        cwd: /home/dev/project
        body: {"text":"please run the hello command"}

        copilot agentStop turn.stop
        session: 5a450789-6273-453b-a6ea-e09cfa249eb9
        cwd: /home/dev/project
        body: {"sessionId":"5a450789-6273-453b-a6ea-e09cfa249eb9","timestamp":1794726154309,"cwd":"/home/dev/project","transcriptPath":"/home/dev/copilot/home/session-state/5a450789-6273-453b-a6ea-e09cfa249eb9/events.jsonl","stopReason":"end_turn","stop_hook_active":false}
    "#]].assert_eq(&meanings(&AGENT, &files));
}

#[test]
fn answers_in_the_spelling_of_the_event() {
    let rows = [
        ("copilot-cli-1.0.102.preToolUse", stop()),
        ("copilot-cli-1.0.102.preToolUse", ask()),
        ("copilot-cli-1.0.102.preToolUse", rewrite()),
        ("copilot-cli-1.0.102.PreToolUse", stop()),
        ("copilot-cli-1.0.102.PreToolUse", ask()),
        ("copilot-cli-1.0.102.PreToolUse", rewrite()),
        ("copilot-cli-1.0.102.permissionRequest", stop()),
        ("copilot-cli-1.0.102.postToolUse", stop()),
        ("copilot-cli-1.0.102.postToolUse", Said::Rewrite(json!("hello"))),
        ("copilot-cli-1.0.102.PostToolUse", Said::Rewrite(json!("hello"))),
        ("copilot-cli-1.0.102.UserPromptSubmit", stop()),
        ("copilot-cli-1.0.102.userPromptSubmitted", stop()),
        ("copilot-cli-1.0.102.agentStop", stop()),
        ("copilot-cli-1.0.102.preToolUse", Said::Pass),
    ];
    expect![[r#"
        copilot-cli-1.0.102.preToolUse: stop no
        exit 0
        stdout: {"permissionDecision":"deny","permissionDecisionReason":"no"}

        copilot-cli-1.0.102.preToolUse: ask really?
        exit 0
        stdout: {"permissionDecision":"ask","permissionDecisionReason":"really?"}

        copilot-cli-1.0.102.preToolUse: rewrite {"command":"ls"}
        exit 0
        stdout: {"modifiedArgs":{"command":"ls"}}

        copilot-cli-1.0.102.PreToolUse: stop no
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}

        copilot-cli-1.0.102.PreToolUse: ask really?
        exit 0
        stdout: {"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"really?","hookEventName":"PreToolUse"}}

        copilot-cli-1.0.102.PreToolUse: rewrite {"command":"ls"}
        exit 0
        stdout: {"hookSpecificOutput":{"updatedInput":{"command":"ls"},"hookEventName":"PreToolUse"}}

        copilot-cli-1.0.102.permissionRequest: stop no
        exit 0
        stdout: {"behavior":"deny","message":"no"}

        copilot-cli-1.0.102.postToolUse: stop no
        exit 0
        stdout: {"modifiedResult":{"resultType":"success","textResultForLlm":"no"}}

        copilot-cli-1.0.102.postToolUse: rewrite "hello"
        exit 0
        stdout: {"modifiedResult":{"resultType":"success","textResultForLlm":"hello"}}

        copilot-cli-1.0.102.PostToolUse: rewrite "hello"
        exit 0
        stdout: {"modifiedResult":{"resultType":"success","textResultForLlm":"hello"}}

        copilot-cli-1.0.102.UserPromptSubmit: stop no
        exit 0
        stdout: {"decision":"block","reason":"no"}

        copilot-cli-1.0.102.userPromptSubmitted: stop no
        exit 0

        copilot-cli-1.0.102.agentStop: stop no
        exit 0

        copilot-cli-1.0.102.preToolUse: go
        exit 0

    "#]].assert_eq(&answers(&AGENT, &rows));
}

#[test]
fn notes_reach_the_model() {
    let notes = [
        noted(&AGENT, "copilot-cli-1.0.102.preToolUse", Said::Pass),
        noted(&AGENT, "copilot-cli-1.0.102.PreToolUse", rewrite()),
        noted(&AGENT, "copilot-cli-1.0.102.postToolUse", Said::Pass),
        noted(&AGENT, "copilot-cli-1.0.102.sessionStart", Said::Pass),
    ];
    expect![[r#"
        exit 0
        stdout: {"additionalContext":"a note"}
        exit 0
        stdout: {"hookSpecificOutput":{"updatedInput":{"command":"ls"},"additionalContext":"a note","hookEventName":"PreToolUse"}}
        exit 0
        stdout: {"additionalContext":"a note"}
        exit 0
        stdout: {"additionalContext":"a note"}
    "#]].assert_eq(&notes.join(""));
}

/// Whichever spelling is registered, and for whom: VS Code reads Claude Code's answers only.
#[test]
fn vs_code_is_answered_in_its_own_words() {
    let files = ["doc-vs-code-PreToolUse", "doc-vs-code-PostToolUse"];
    expect![[r#"
        copilot PreToolUse tool.before
        tool: run_in_terminal
        call: tool-123
        session: 0f1e2d3c-0000-4000-8000-000000000001
        cwd: /home/dev/project
        body: {"command":"npm test"}

        copilot PostToolUse tool.after
        tool: run_in_terminal
        call: tool-123
        session: 0f1e2d3c-0000-4000-8000-000000000001
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"npm test"}
        body: "all tests passed"
    "#]]
    .assert_eq(&meanings(&AGENT, &files));
    let rows = [
        ("doc-vs-code-PreToolUse", stop()),
        ("doc-vs-code-PreToolUse", ask()),
        ("doc-vs-code-PreToolUse", rewrite()),
        ("doc-vs-code-PostToolUse", stop()),
        ("doc-vs-code-UserPromptSubmit", stop()),
        ("doc-vs-code-PreToolUse", Said::Pass),
    ];
    expect![[r#"
        doc-vs-code-PreToolUse: stop no
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}

        doc-vs-code-PreToolUse: ask really?
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"really?"}}

        doc-vs-code-PreToolUse: rewrite {"command":"ls"}
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy changes this, which VS Code cannot do, so it is refused"}}

        doc-vs-code-PostToolUse: stop no
        exit 0
        stdout: {"decision":"block","reason":"no"}

        doc-vs-code-UserPromptSubmit: stop no
        exit 0
        stdout: {"continue":false,"stopReason":"no"}

        doc-vs-code-PreToolUse: go
        exit 0

    "#]].assert_eq(&answers(&AGENT, &rows));
    let text = crate::testing::fixture(&AGENT, "doc-vs-code-PreToolUse");
    let nested = crate::testing::said(&AGENT, None, &text, stop());
    for (agent, event) in [("copilot", "preToolUse"), ("claude-code", "PreToolUse")] {
        let agent = crate::find(agent).unwrap();
        assert_eq!(crate::testing::said(agent, Some(event), &text, stop()), nested, "{event}");
    }
    let mut doc = Value::Null;
    let after = crate::testing::fixture(&AGENT, "doc-vs-code-PostToolUse");
    let read = crate::run::read(&AGENT, None, after.as_bytes(), &mut doc).unwrap();
    assert!(fits(&read.payload, &rewrite()).is_err(), "it cannot change results");
}

/// A result or an error beside the arguments means that the call is over: nothing of it may be judged as if it came.
#[test]
fn a_document_without_its_events_name_is_placed_by_what_it_holds() {
    for (doc, expected) in [
        (json!({ "toolName": "bash", "toolArgs": {} }), Some("preToolUse")),
        (json!({ "toolName": "bash", "toolArgs": {}, "toolResult": {} }), Some("postToolUse")),
        (json!({ "toolName": "bash", "toolArgs": {}, "error": "x" }), Some("postToolUseFailure")),
        (json!({ "toolName": "bash" }), None),
        (json!({ "prompt": "x", "cwd": "/" }), Some("userPromptSubmitted")),
        (json!({ "reason": "complete" }), None),
        (json!({ "hookName": "permissionRequest", "toolName": "bash", "toolInput": {} }), Some("permissionRequest")),
        (json!({ "hook_event_name": "Stop" }), Some("Stop")),
    ] {
        assert_eq!(event(&doc), expected, "{doc}");
    }
}

/// The cloud agent writes arguments as a text. What is judged is what is in it.
#[test]
fn arguments_in_a_text_are_read() {
    let text = r#"{"sessionId":"s","timestamp":1,"cwd":"/","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#;
    let meaning = crate::testing::decoded(&AGENT, None, text);
    assert!(meaning.ends_with("body: {\"command\":\"ls\"}\n"), "{meaning}");
}

use expect_test::{Expect, expect};

use super::*;
use crate::agents::tests::answers;
use crate::testing::{decoded, fixture, said, told};

fn understood(name: &str, expected: &Expect) {
    expected.assert_eq(&decoded(&AGENT, None, &fixture(&AGENT, &format!("gemini-cli-0.61.0{name}"))));
}

fn answered(name: &str, expected: &Expect) {
    expected.assert_eq(&answers(&AGENT, &fixture(&AGENT, &format!("gemini-cli-0.61.0{name}"))));
}

#[test]
fn calls_and_results_are_understood() {
    understood(
        ".BeforeTool",
        &expect![[r#"
        gemini-cli BeforeTool tool.before
        tool: run_shell_command
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","is_background":false}
    "#]],
    );
    understood(
        "-files.BeforeTool",
        &expect![[r#"
        gemini-cli BeforeTool tool.before
        tool: write_file
        session: 1542e895-3cf1-44d9-af8c-5b3e8e998103
        cwd: /home/dev/project
        body: {"file_path":"w.txt","content":"hello\n"}
    "#]],
    );
    understood(
        "-mcp.BeforeTool",
        &expect![[r#"
        gemini-cli BeforeTool tool.before
        tool: mcp_everything_echo
        server: everything
        session: a938bec9-2e0d-45f9-93c5-47bb2ff27c1c
        cwd: /home/dev/project
        body: {"message":"hi mcp"}
    "#]],
    );
    understood(
        "-mcp.AfterTool",
        &expect![[r#"
        gemini-cli AfterTool tool.after
        tool: mcp_everything_echo
        server: everything
        session: a938bec9-2e0d-45f9-93c5-47bb2ff27c1c
        cwd: /home/dev/project
        ended: Ok
        arguments: {"message":"hi mcp"}
        body: {"llmContent":[{"text":"<untrusted_context>\nEcho: hi mcp\n</untrusted_context>"}],"returnDisplay":"Echo: hi mcp"}
    "#]],
    );
    let failed = fixture(&AGENT, "gemini-cli-0.61.0.AfterTool")
        .replace("\"returnDisplay\"", "\"error\": {\"type\": \"x\", \"message\": \"it broke\"}, \"returnDisplay\"");
    expect![[r#"
        gemini-cli AfterTool tool.after
        tool: run_shell_command
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        ended: Error
        reason: it broke
        arguments: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","is_background":false}
        body: {"llmContent":"<untrusted_context>\nOutput: hello-from-tool\nProcess Group PGID: 2884\n</untrusted_context>","error":{"type":"x","message":"it broke"},"returnDisplay":"hello-from-tool"}
    "#]].assert_eq(&decoded(&AGENT, None, &failed));
}

#[test]
fn the_rest_of_its_life_is_understood() {
    understood(
        ".BeforeAgent",
        &expect![[r#"
        gemini-cli BeforeAgent prompt.submit
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        body: {"text":"please run the hello command"}
    "#]],
    );
    understood(
        ".AfterAgent",
        &expect![[r#"
        gemini-cli AfterAgent turn.stop
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".SessionStart",
        &expect![[r#"
        gemini-cli SessionStart session.start
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".PreCompress",
        &expect![[r#"
        gemini-cli PreCompress compact.before
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        cwd: /home/dev/project
        body: null
    "#]],
    );
}

#[test]
fn what_goes_to_the_model_and_comes_back_is_understood() {
    understood(
        ".BeforeModel",
        &expect![[r#"
        gemini-cli BeforeModel model.request
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        model: gemini-2.5-flash
        cwd: /home/dev/project
        body: {"model":"gemini-2.5-flash","messages":[{"role":"user","content":"<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Sunday, November 15, 2026 (formatted according to the user's locale).\nMy operating system is: linux\nThe project's temporary directory is: /home/dev/project\n- **Workspace Directories:**\n  - /home/dev/project\n- **Directory Structure:**\n\nShowing up to 200 items (files + folders).\n\n/home/dev/project/\n\n\n\n</session_context>please run the hello command"}],"config":{"temperature":1,"topP":0.95,"topK":64}}
    "#]],
    );
    understood(
        ".AfterModel-1",
        &expect![[r#"
        gemini-cli AfterModel model.response
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        model: gemini-2.5-flash
        cwd: /home/dev/project
        body: {"text":"FAKE-FINAL done.","candidates":[{"content":{"role":"model","parts":["FAKE-FINAL done."]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}
    "#]],
    );
    understood(
        ".BeforeToolSelection",
        &expect![[r#"
        gemini-cli BeforeToolSelection tool.list
        session: aced54ae-41dc-4990-83d4-aa70d242a526
        model: gemini-2.5-flash
        cwd: /home/dev/project
        body: {"model":"gemini-2.5-flash","messages":[{"role":"user","content":"<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Sunday, November 15, 2026 (formatted according to the user's locale).\nMy operating system is: linux\nThe project's temporary directory is: /home/dev/project\n- **Workspace Directories:**\n  - /home/dev/project\n- **Directory Structure:**\n\nShowing up to 200 items (files + folders).\n\n/home/dev/project/\n\n\n\n</session_context>please run the hello command"}],"config":{"temperature":1,"topP":0.95,"topK":64}}
    "#]],
    );
}

#[test]
fn calls_are_answered() {
    answered(
        ".BeforeTool",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"deny","reason":"no, because"}
        rewrite: {"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","description":"say hello","is_background":false,"added":"by policy"}}}
        tell: {"systemMessage":"seen"}
        stop and tell: {"decision":"deny","reason":"no, because","systemMessage":"seen"}
    "#]],
    );
}

#[test]
fn results_are_answered() {
    answered(
        ".AfterTool",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"deny","reason":"no, because"}
        rewrite: {"decision":"deny","reason":"<untrusted_context>\nOutput: hello-from-tool\nProcess Group PGID: 2884\n</untrusted_context>"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"mind this"}}
        stop and tell: {"decision":"deny","reason":"no, because\nmind this","systemMessage":"seen"}
    "#]],
    );
    answered(
        "-mcp.AfterTool",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"deny","reason":"no, because"}
        rewrite: {"decision":"deny","reason":"<untrusted_context>\nEcho: hi mcp\n</untrusted_context>"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"mind this"}}
        stop and tell: {"decision":"deny","reason":"no, because\nmind this","systemMessage":"seen"}
    "#]],
    );
}

#[test]
fn the_rest_is_answered() {
    answered(
        ".BeforeAgent",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"deny","reason":"no, because"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"mind this"}}
        stop and tell: {"decision":"deny","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"mind this"}}
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
        ".SessionEnd",
        &expect![[r#"
        go: exit 0
        stop: exit 0
        tell: exit 0
        stop and tell: exit 0
    "#]],
    );
    answered(
        ".AfterAgent",
        &expect![[r#"
        go: exit 0
        stop: {"systemMessage":"no, because"}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen\nno, because"}
    "#]],
    );
    answered(
        ".AfterModel",
        &expect![[r#"
            go: exit 0
            stop: {"systemMessage":"no, because"}
            tell: {"systemMessage":"seen"}
            stop and tell: {"systemMessage":"seen\nno, because"}
        "#]],
    );
    answered(
        ".BeforeToolSelection",
        &expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"NONE"}}}
        tell: exit 0
        stop and tell: {"hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"NONE"}}}
    "#]],
    );
}

#[test]
fn a_rewritten_result_is_what_the_model_reads() {
    let text = fixture(&AGENT, "gemini-cli-0.61.0-mcp.AfterTool");
    let result = json!({"llmContent": [{"text": "the key is [secret]"}], "returnDisplay": "for the screen"});
    let notes = vec!["a key was taken out".to_owned()];
    let decision = Decision { said: Said::Rewrite(result), notes, tells: Vec::new() };
    expect![[r#"
        exit 0
        stdout: {"decision":"deny","reason":"the key is [secret]\na key was taken out"}
    "#]]
    .assert_eq(&told(&AGENT, None, &text, decision));
}

/// The words that Claude Code has for a tool let it run.
#[test]
fn a_refusal_is_not_said_in_the_words_that_are_ignored() {
    for name in [".BeforeTool", ".AfterTool", ".BeforeAgent", ".BeforeModel"] {
        let all = answers(&AGENT, &fixture(&AGENT, &format!("gemini-cli-0.61.0{name}")));
        assert!(all.contains(r#"stop: {"decision":"deny","reason":"no, because"}"#), "{name}: {all}");
        assert!(!all.contains("permissionDecision") && !all.contains("\"ask\""), "{name}: {all}");
    }
}

/// New arguments are laid over the old ones.
#[test]
fn arguments_that_were_taken_out_refuse_the_call() {
    let text = fixture(&AGENT, "gemini-cli-0.61.0.BeforeTool");
    let cases = [
        (
            json!({"command": "ls"}),
            expect![[r#"
            exit 0
            stdout: {"decision":"deny","reason":"the policy takes `description` out of this call, which Gemini CLI cannot do, so it is refused"}
        "#]],
        ),
        (
            json!({"command": "ls", "description": "d", "is_background": true, "more": 1}),
            expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls","description":"d","is_background":true,"more":1}}}
        "#]],
        ),
        (
            json!(["ls"]),
            expect![[r#"
            exit 0
            stdout: {"decision":"deny","reason":"the policy gives this call arguments that are no object, which Gemini CLI does not take, so it is refused"}
        "#]],
        ),
    ];
    for (input, expected) in cases {
        expected.assert_eq(&said(&AGENT, None, &text, Said::Rewrite(input)));
    }
}

/// New messages are laid over the old ones by their place.
#[test]
fn a_request_with_other_messages_than_before_is_refused() {
    let text = fixture(&AGENT, "gemini-cli-0.61.0.BeforeModel");
    let request = |messages: Value| json!({"model": "gemini-2.5-flash", "messages": messages});
    let one = request(json!([{"role": "user", "content": "hi"}]));
    expect![[r#"
        exit 0
        stdout: {"hookSpecificOutput":{"hookEventName":"BeforeModel","llm_request":{"model":"gemini-2.5-flash","messages":[{"role":"user","content":"hi"}]}}}
    "#]].assert_eq(&said(&AGENT, None, &text, Said::Rewrite(one)));
    expect![[r#"
        exit 0
        stdout: {"decision":"deny","reason":"Gemini CLI cannot send this in another form, so it is refused"}
    "#]]
    .assert_eq(&said(&AGENT, None, &text, Said::Rewrite(request(json!([])))));
}

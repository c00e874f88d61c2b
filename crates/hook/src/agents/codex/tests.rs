#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use expect_test::{Expect, expect};
use serde_json::Value;

use super::*;
use crate::agents::tests::answers;
use crate::testing::{decoded, fixture, said, told};

fn understood(name: &str, expected: &Expect) {
    expected.assert_eq(&decoded(&AGENT, None, &fixture(&AGENT, &format!("codex-0.166.0{name}"))));
}

fn answered(name: &str, expected: &Expect) {
    expected.assert_eq(&answers(&AGENT, &fixture(&AGENT, &format!("codex-0.166.0{name}"))));
}

const PERMISSION: &str = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/w","model":"m",
    "hook_event_name":"PermissionRequest","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

#[test]
fn its_events_are_understood() {
    understood(
        ".PreToolUse",
        &expect![[r#"
        codex PreToolUse tool.before
        tool: Bash
        call: call_fake_1
        session: 01a1ddf8-cfca-7023-9dca-544297cf2c0f
        model: gpt-5.5
        cwd: /home/dev/project
        body: {"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt"}
    "#]],
    );
    understood(
        "-apply_patch.PostToolUse",
        &expect![[r#"
        codex PostToolUse tool.after
        tool: apply_patch
        call: call_fake_1
        session: 01a1de13-42b0-7392-90ef-22cb44660b80
        model: gpt-5.5
        cwd: /home/dev/project
        ended: Ok
        arguments: {"command":"*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch\n"}
        body: "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA patched.txt\n"
    "#]],
    );
    understood(
        "-mcp.PostToolUse",
        &expect![[r#"
        codex PostToolUse tool.after
        tool: mcp__everything__echo
        server: everything
        call: call_fake_1
        session: 01a1de13-3521-7c11-80cb-d46df5b8411e
        model: fake-model
        cwd: /home/dev/project
        ended: Ok
        arguments: {"message":"hi mcp"}
        body: {"content":[{"type":"text","text":"Echo: hi mcp"}]}
    "#]],
    );
    understood(
        ".UserPromptSubmit",
        &expect![[r#"
        codex UserPromptSubmit prompt.submit
        session: 01a1ddf8-cfca-7023-9dca-544297cf2c0f
        model: gpt-5.5
        cwd: /home/dev/project
        body: {"text":"please run the hello command"}
    "#]],
    );
    understood(
        ".SessionStart",
        &expect![[r#"
        codex SessionStart session.start
        session: 01a1ddf8-cfca-7023-9dca-544297cf2c0f
        model: gpt-5.5
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".SessionEnd",
        &expect![[r#"
        codex SessionEnd session.end
        session: 01a1ddf8-cfca-7023-9dca-544297cf2c0f
        cwd: /home/dev/project
        body: null
    "#]],
    );
    understood(
        ".Stop",
        &expect![[r#"
        codex Stop turn.stop
        session: 01a1ddf8-cfca-7023-9dca-544297cf2c0f
        model: gpt-5.5
        cwd: /home/dev/project
        body: null
    "#]],
    );
    expect![[r#"
        codex PermissionRequest tool.before
        tool: Bash
        session: s
        model: m
        cwd: /w
        body: {"command":"ls"}
    "#]]
    .assert_eq(&decoded(&AGENT, None, PERMISSION));
}

#[test]
fn a_failed_call_of_a_server_has_failed() {
    let text =
        fixture(&AGENT, "codex-0.166.0-mcp.PostToolUse").replace("\"content\"", "\"isError\": true, \"content\"");
    assert!(decoded(&AGENT, None, &text).contains("ended: Error"));
}

#[test]
fn calls_are_answered() {
    answered(
        ".PreToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because"}}
        rewrite: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo hello-from-tool > tool_ran.txt; cat tool_ran.txt","added":"by policy"}}}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind this"}}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no, because","additionalContext":"mind this"}}
    "#]],
    );
    expect![[r#"
        go: exit 0
        stop: {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
        tell: {"systemMessage":"seen"}
        stop and tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no, because"}}}
    "#]].assert_eq(&answers(&AGENT, PERMISSION));
}

#[test]
fn results_are_answered() {
    answered(
        ".PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because"}
        rewrite: {"decision":"block","reason":"hello-from-tool\n [by policy]"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
    "#]],
    );
    answered(
        "-mcp.PostToolUse",
        &expect![[r#"
        go: exit 0
        stop: {"decision":"block","reason":"no, because"}
        rewrite: {"decision":"block","reason":"Echo: hi mcp"}
        tell: {"systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
        stop and tell: {"decision":"block","reason":"no, because","systemMessage":"seen","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind this"}}
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
        ".SessionEnd",
        &expect![[r#"
        go: exit 0
        stop: exit 0
        tell: exit 0
        stop and tell: exit 0
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
}

/// What an answer may have, by the schemas that Codex checks it with: one key more, and the tool runs.
#[test]
fn answers_have_exactly_the_fields_of_the_schema() {
    let top = ["decision", "reason", "systemMessage", "hookSpecificOutput"];
    let own: [(&str, &[&str]); 5] = [
        (".PreToolUse", &["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"]),
        (".PostToolUse", &["additionalContext"]),
        ("-mcp.PostToolUse", &["additionalContext"]),
        (".UserPromptSubmit", &["additionalContext"]),
        (".SessionStart", &["additionalContext"]),
    ];
    for (name, own) in own {
        let all = answers(&AGENT, &fixture(&AGENT, &format!("codex-0.166.0{name}")));
        for line in all.lines().filter_map(|line| line.split_once(": {")) {
            let answer: Value = serde_json::from_str(&format!("{{{}", line.1)).unwrap();
            assert!(answer.as_object().unwrap().keys().all(|key| top.contains(&key.as_str())), "{name}: {answer}");
            let specific = answer["hookSpecificOutput"].as_object().cloned().unwrap_or_default();
            let known = |key: &str| key == "hookEventName" || own.contains(&key);
            assert!(specific.keys().all(|key| known(key)), "{name}: {answer}");
            // Neither is an answer by itself.
            assert!(!specific.contains_key("updatedInput") || specific["permissionDecision"] == "allow", "{answer}");
            assert!(specific.get("permissionDecision") != Some(&json!("ask")), "{answer}");
        }
    }
}

/// It takes a refusal without a reason for none.
#[test]
fn a_reason_is_never_empty() {
    for (name, blank) in
        [(".PreToolUse", ""), (".PreToolUse", " \n"), (".PostToolUse", ""), (".UserPromptSubmit", "\t")]
    {
        let text = fixture(&AGENT, &format!("codex-0.166.0{name}"));
        let answer = said(&AGENT, None, &text, Said::Deny(blank.to_owned()));
        assert!(answer.contains("refused by policy"), "{name}: {answer}");
    }
    let emptied = said(&AGENT, None, &fixture(&AGENT, "codex-0.166.0.PostToolUse"), Said::Rewrite(json!("")));
    assert!(emptied.contains("the policy left nothing of this result"), "{emptied}");
}

#[test]
fn a_rewritten_result_is_what_the_model_reads() {
    let text = fixture(&AGENT, "codex-0.166.0-mcp.PostToolUse");
    let result = json!({"content": [{"type": "text", "text": "the key is [secret]"}], "structuredContent": {"n": 1}});
    let notes = vec!["a key was taken out".to_owned()];
    let decision = Decision { said: Said::Rewrite(result), notes, tells: Vec::new() };
    expect![[r#"
        exit 0
        stdout: {"decision":"block","reason":"the key is [secret]","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a key was taken out"}}
    "#]].assert_eq(&told(&AGENT, None, &text, decision));
}

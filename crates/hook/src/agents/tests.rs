//! What holds for every agent, and how their answers are shown in tests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fmt::Write as _;

use expect_test::expect;
use serde_json::{Value, json};
use tollgate_core::{Cause, Power, Ruling};
use tollgate_wire::dialect::{self, HookAnswer};

use super::documents::{event_of, fixtures};
use super::{AGENTS, caller};
use crate::agent::{Agent, Decision, Hook, Said};
use crate::run;
use crate::testing::{fixture, shown};

/// All that can be answered to a document, one line each; what an event cannot do is left out.
pub(super) fn answers(agent: &'static Agent, text: &str) -> String {
    let mut doc = Value::Null;
    let read = run::read(agent, None, text.as_bytes(), &mut doc).unwrap_or_else(|answer| panic!("{answer:?}"));
    let can = read.payload.hook.can;
    let decoded = read.event.as_ref().unwrap_or_else(|problem| panic!("{problem}"));
    let decision = |said| Decision { said, notes: Vec::new(), tells: Vec::new() };
    let told = Decision { said: Said::Pass, notes: vec!["mind this".to_owned()], tells: vec!["seen".to_owned()] };
    let other = marked(decoded.body.clone().into_json().unwrap_or_default());
    let cases = [
        ("go", true, decision(Said::Pass)),
        ("stop", true, decision(Said::Deny("no, because".to_owned()))),
        ("ask", can.ask, decision(Said::Ask("really?".to_owned()))),
        ("rewrite", can.rewrite, decision(Said::Rewrite(other.clone()))),
        ("ask for another", can.ask && can.rewrite, decision(Said::AskRewritten("really?".to_owned(), other))),
        ("tell", true, told.clone()),
        ("stop and tell", true, Decision { said: Said::Deny("no, because".to_owned()), ..told }),
    ];
    let mut out = String::new();
    for (name, possible, decision) in cases {
        if possible {
            let answer = shown(&run::say(&read, decision));
            let _ = writeln!(out, "{name}: {}", answer.trim_end().trim_start_matches("exit 0\nstdout: "));
        }
    }
    out
}

/// The same document in another form.
fn marked(mut doc: Value) -> Value {
    match &mut doc {
        Value::Object(members) => drop(members.insert("added".to_owned(), json!("by policy"))),
        Value::String(text) => text.push_str(" [by policy]"),
        Value::Array(items) => items.push(json!({"type": "text", "text": "by policy"})),
        _ => doc = json!({"added": "by policy"}),
    }
    doc
}

#[test]
fn every_document_is_understood_by_the_agent_that_wrote_it() {
    let mut counted = String::new();
    for agent in AGENTS {
        let all = fixtures(agent.id);
        for (name, text) in &all {
            let mut doc = Value::Null;
            let read = run::read(agent, event_of(agent, name), text.as_bytes(), &mut doc);
            let read = read.unwrap_or_else(|answer| panic!("{name}: {answer:?}"));
            assert_eq!(read.agent.id, agent.id, "{name}");
            let decoded = read.event.as_ref().unwrap_or_else(|problem| panic!("{name}: {problem}"));
            assert_eq!(decoded.tool.is_some(), read.payload.hook.point.is_about_a_tool(), "{name}");
            assert!(decoded.body.json().is_ok() && decoded.body.ambiguity().is_none(), "{name}");
            let go = Decision { said: Said::Pass, notes: Vec::new(), tells: Vec::new() };
            let neutral = HookAnswer { stdout: read.payload.hook.neutral.to_owned(), ..HookAnswer::SILENT };
            assert_eq!(run::say(&read, go), neutral, "silence is not neutral: {name}");
        }
        // Whoever is not certain of a document goes by whose hook it was given to.
        let claimed = |text: &str| (agent.calls)(&serde_json::from_str(text).unwrap());
        let unsure = all.iter().filter(|(_, text)| !claimed(text)).filter_map(|(name, _)| event_of(agent, name));
        let _ = writeln!(counted, "{} {}, not sure of {:?}", agent.id, all.len(), unsure.collect::<Vec<_>>());
    }
    expect![[r#"
        claude-code 19, not sure of ["SessionStart"]
        codex 10, not sure of ["SessionEnd", "SessionStart"]
        gemini-cli 18, not sure of ["SessionEnd", "SessionStart"]
        copilot 29, not sure of []
        cursor 24, not sure of []
        opencode 6, not sure of []
        openclaw 5, not sure of []
        qwen-code 10, not sure of []
        cline 11, not sure of []
        windsurf 12, not sure of []
        droid 7, not sure of []
        kiro 17, not sure of ["Manual", "PostFileCreate", "PostFileDelete", "PostFileSave", "PostTaskExec", "PostToolUse", "PreTaskExec", "PreToolUse", "SessionStart", "Stop", "UserPromptSubmit"]
        goose 14, not sure of []
    "#]]
    .assert_eq(&counted);
}

#[test]
fn nobody_claims_the_documents_of_another() {
    for (writer, reader) in AGENTS.iter().flat_map(|writer| AGENTS.iter().map(move |reader| (*writer, *reader))) {
        for (name, text) in fixtures(writer.id) {
            let doc: Value = serde_json::from_str(&text).unwrap();
            let found = caller(reader, &doc).id;
            assert!(found == writer.id || found == reader.id, "{name} in the hook of {} is {found}", reader.id);
            assert!(found == writer.id || !(reader.calls)(&doc), "{} claims {name}", reader.id);
        }
    }
}

#[test]
fn a_hook_that_was_registered_for_claude_code_knows_who_really_calls() {
    let claude = super::find("claude").unwrap();
    for (id, file) in [
        ("copilot", "copilot-cli-1.0.102.from-dot-claude-settings.PreToolUse"),
        ("cursor", "doc-from-dot-claude-settings-PreToolUse"),
    ] {
        let text = fixture(super::find(id).unwrap(), file);
        assert_eq!(caller(claude, &serde_json::from_str(&text).unwrap()).id, id, "{file}");
    }
}

#[test]
fn the_tables_of_events_agree_with_the_points() {
    for agent in AGENTS {
        for Hook { name, point, can, permission, registered, .. } in agent.hooks {
            let hook = format!("{} {name}", agent.id);
            assert!(!can.deny || point.takes(Power::Deny), "{hook} can refuse at {point}");
            assert!(!can.ask || point.takes(Power::Ask), "{hook} can ask at {point}");
            assert!(!can.rewrite || point.is_gate(), "{hook} can rewrite at {point}");
            assert!(!permission || point.takes(Power::Route), "{hook} asks for permission at {point}");
            assert!(!(*permission && *registered), "{hook} asks again and is registered");
            assert_eq!(agent.hooks.iter().filter(|hook| hook.name == *name).count(), 1, "{hook} is there twice");
        }
        for id in std::iter::once(agent.id).chain(agent.aliases.iter().copied()) {
            assert_eq!(super::find(id).map(|found| found.id), Some(agent.id), "{id} means two agents");
        }
    }
}

/// Whatever cannot be read is refused in a form that the agent honours: with a reason, which is never blank.
#[test]
fn what_cannot_be_read_is_refused() {
    let mut shapes = String::new();
    for agent in AGENTS {
        for reason in ["", " \n"] {
            let HookAnswer { stdout, stderr, .. } = (agent.refuse)(reason);
            let said = serde_json::from_str::<Value>(&stdout).unwrap_or_default();
            let blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
            let blanks = said.as_object().is_some_and(|members| members.values().any(blank));
            assert!(!blanks && (!stdout.is_empty() || !stderr.trim().is_empty()), "{}: {stdout}{stderr}", agent.id);
        }
        let answer = (agent.refuse)("broken");
        let _ = writeln!(shapes, "{}: {}", agent.id, shown(&answer).trim_end().replace('\n', "; "));
    }
    expect![[r#"
        claude-code: exit 2; stderr: broken
        codex: exit 2; stderr: broken
        gemini-cli: exit 2; stderr: broken
        copilot: exit 2; stderr: broken
        cursor: exit 2; stdout: {"permission":"deny","user_message":"broken","agent_message":"broken"}; stderr: broken
        opencode: exit 0; stdout: {"decision":"deny","reason":"broken"}
        openclaw: exit 0; stdout: {"decision":"deny","reason":"broken"}
        qwen-code: exit 2; stderr: broken
        cline: exit 0; stdout: {"cancel":true,"errorMessage":"broken"}
        windsurf: exit 2; stderr: broken
        droid: exit 2; stderr: broken
        kiro: exit 2; stderr: broken
        goose: exit 2; stdout: {"decision":"block","reason":"broken"}; stderr: broken
    "#]]
    .assert_eq(&shapes);
}

/// A text that holds JSON which only we cannot read is no text to the agent.
#[test]
fn arguments_that_only_the_agent_can_read_are_refused() {
    let deep = format!("{{\"command\":\"rm -rf /\",\"x\":{}{}}}", "[".repeat(130), "]".repeat(130));
    let copilot = |arguments: &str| json!({"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": "bash", "toolArgs": arguments});
    let cursor = |arguments: &str| json!({"hook_event_name": "preToolUse", "cursor_version": "1", "tool_name": "Shell", "tool_input": arguments});
    let windsurf = |arguments: &str| {
        let info = json!({"mcp_tool_name": "t", "mcp_server_name": "s", "mcp_tool_arguments": arguments});
        json!({"agent_action_name": "pre_mcp_tool_use", "tool_info": info})
    };
    for (arguments, readable) in [
        (r#"{"command":"ls"}"#, true),
        ("ls -l", true),
        ("", true),
        (&*deep, false),
        (r#"{"command":"rm -rf /","x":1e999}"#, false),
        (" \n{\"command\":\"rm -rf /\",}", false),
        ("[1", false),
    ] {
        for (id, document) in
            [("copilot", copilot(arguments)), ("cursor", cursor(arguments)), ("windsurf", windsurf(arguments))]
        {
            let (agent, text, mut doc) = (super::find(id).unwrap(), document.to_string(), Value::Null);
            let read = run::read(agent, None, text.as_bytes(), &mut doc).unwrap();
            assert_eq!(read.event.is_ok(), readable, "{id} {arguments}: {:?}", read.event);
        }
    }
}

/// Where agents may leave a result out, that the call ended is recorded. From others, one that is not where it should be
/// is a result that nobody has looked at.
#[test]
fn a_result_that_is_not_there() {
    for (id, event, may) in [
        ("kiro", "postToolUse", true),
        ("claude-code", "PostToolUse", false),
        ("codex", "PostToolUse", false),
        ("gemini-cli", "AfterTool", false),
        ("qwen-code", "PostToolUse", false),
        ("droid", "PostToolUse", false),
        ("copilot", "PostToolUse", false),
    ] {
        let (agent, mut doc) = (super::find(id).unwrap(), Value::Null);
        let text = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"}}).to_string();
        let read = run::read(agent, None, text.as_bytes(), &mut doc).unwrap();
        assert_eq!(read.event.is_ok_and(|decoded| decoded.body.json() == Ok(&Value::Null)), may, "{id}");
    }
}

/// There is one way to write a refusal, wherever it is written.
#[test]
fn a_plain_refusal_is_that_of_the_dialect() {
    let ruling = Ruling::of_pipeline(Cause::Power, "no".to_owned());
    let dialects: [(&str, &str, HookAnswer); 5] = [
        ("claude-code", "PreToolUse", dialect::claude_code_hook(&ruling)),
        ("codex", "PreToolUse", dialect::codex_hook(&ruling)),
        ("gemini-cli", "BeforeTool", dialect::gemini_cli_hook(&ruling)),
        ("qwen-code", "PreToolUse", dialect::qwen_code_hook(&ruling)),
        ("droid", "PreToolUse", dialect::droid_hook(&ruling)),
    ];
    for (id, event, expected) in dialects {
        let agent = super::find(id).unwrap();
        let text = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}}).to_string();
        let mut doc = Value::Null;
        let read = run::read(agent, None, text.as_bytes(), &mut doc).unwrap();
        assert_eq!(run::say(&read, Decision::deny("no")), expected, "{id}");
    }
}

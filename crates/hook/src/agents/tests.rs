//! What holds for every agent, and how their answers are shown in tests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};
use tollgate_core::{Cause, Power, Ruling};
use tollgate_wire::dialect::{self, HookAnswer};

use super::{AGENTS, caller};
use crate::agent::{Agent, Decision, Hook, Said};
use crate::run;
use crate::testing::shown;

/// The agents whose refusal is a text on standard error.
const CLAUDE_LIKE: [&str; 5] = ["claude-code", "codex", "gemini-cli", "qwen-code", "droid"];

/// Every document that an agent really sent: the file's name, the event it is named after, and the text.
fn fixtures(id: &str) -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(id);
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<_> = files
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let event = name.rsplit('.').next().unwrap().trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
            (name.clone(), event.to_owned(), std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    all.sort();
    all
}

/// All that can be answered to a document, one line each; what an event cannot do is left out.
pub(super) fn answers(agent: &'static Agent, text: &str) -> String {
    let mut doc = Value::Null;
    let read = run::read(agent, None, text.as_bytes(), &mut doc).unwrap_or_else(|answer| panic!("{answer:?}"));
    let (payload, can) = (&read.payload, read.payload.hook.can);
    let moment = (read.agent.decode)(payload).unwrap_or_else(|problem| panic!("{problem}"));
    let decision = |said| Decision { said, notes: Vec::new(), tells: Vec::new() };
    let told = Decision { said: Said::Go, notes: vec!["mind this".to_owned()], tells: vec!["seen".to_owned()] };
    let other = marked(moment.body.into_json().unwrap_or_default());
    let cases = [
        ("go", true, decision(Said::Go)),
        ("stop", true, decision(Said::Stop("no, because".to_owned()))),
        ("ask", can.ask, decision(Said::Ask("really?".to_owned()))),
        ("rewrite", can.rewrite, decision(Said::Rewrite(other.clone()))),
        ("ask for another", can.ask && can.rewrite, decision(Said::AskRewritten("really?".to_owned(), other))),
        ("tell", true, told.clone()),
        ("stop and tell", true, Decision { said: Said::Stop("no, because".to_owned()), ..told }),
    ];
    let mut out = String::new();
    for (name, possible, decision) in cases {
        if possible {
            let answer = shown(&run::say(agent, payload, decision));
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
fn every_captured_document_is_understood() {
    let mut counted = String::new();
    for agent in CLAUDE_LIKE.map(|id| super::find(id).unwrap()) {
        let all = fixtures(agent.id);
        for (name, event, text) in &all {
            let mut doc = Value::Null;
            let read = run::read(agent, Some(event), text.as_bytes(), &mut doc);
            let read = read.unwrap_or_else(|answer| panic!("{name}: {answer:?}"));
            assert_eq!(read.agent.id, agent.id, "{name}");
            let moment = (read.agent.decode)(&read.payload).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            assert_eq!(moment.tool.is_some(), read.payload.hook.point.is_about_a_tool(), "{name}");
            assert!(moment.body.json().is_ok() && moment.body.ambiguity().is_none(), "{name}");
        }
        let _ = writeln!(counted, "{} {}", agent.id, all.len());
    }
    expect![[r#"
        claude-code 19
        codex 10
        gemini-cli 18
        qwen-code 10
        droid 7
    "#]]
    .assert_eq(&counted);
}

#[test]
fn nobody_claims_the_documents_of_another() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut written_by: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    written_by.sort();
    let mut seen = 0;
    for id in &written_by {
        for (name, _, text) in fixtures(id) {
            let doc: Value = serde_json::from_str(&text).unwrap();
            for registered in AGENTS {
                let found = caller(registered, &doc).id;
                assert!(found == id || found == registered.id, "{name} in the hook of {} is {found}", registered.id);
                assert!(found == id || !(registered.calls)(&doc), "{} claims {name}", registered.id);
                seen += 1;
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

#[test]
fn whoever_runs_the_hooks_of_others_is_recognised() {
    let mut out = String::new();
    for agent in CLAUDE_LIKE.map(|id| super::find(id).unwrap()) {
        let claimed = |(_, _, text): &&(String, String, String)| (agent.calls)(&serde_json::from_str(text).unwrap());
        let all = fixtures(agent.id);
        let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|fixture| claimed(fixture));
        let events: Vec<_> = others.iter().map(|(_, event, _)| event.as_str()).collect();
        let _ = writeln!(out, "{} {} but for {events:?}", agent.id, own.len());
    }
    expect![[r#"
        claude-code 18 but for ["SessionStart"]
        codex 8 but for ["SessionEnd", "SessionStart"]
        gemini-cli 16 but for ["SessionEnd", "SessionStart"]
        qwen-code 10 but for []
        droid 7 but for []
    "#]]
    .assert_eq(&out);
}

#[test]
fn nothing_is_promised_that_a_point_does_not_take() {
    for agent in AGENTS {
        for Hook { name, point, can, permission, .. } in agent.hooks {
            let hook = format!("{} {name}", agent.id);
            assert!(!can.deny || point.takes(Power::Deny), "{hook} can refuse at {point}");
            assert!(!can.ask || point.takes(Power::Ask), "{hook} can ask at {point}");
            assert!(!can.rewrite || point.is_gate(), "{hook} can rewrite at {point}");
            assert!(!permission || point.takes(Power::Divert), "{hook} asks for permission at {point}");
            assert_eq!(agent.hooks.iter().filter(|hook| hook.name == *name).count(), 1, "{hook} is there twice");
        }
    }
}

#[test]
fn silence_is_neutral() {
    for agent in CLAUDE_LIKE.map(|id| super::find(id).unwrap()) {
        for (name, event, text) in fixtures(agent.id) {
            let mut doc = Value::Null;
            let read = run::read(agent, Some(&event), text.as_bytes(), &mut doc).unwrap();
            let go = Decision { said: Said::Go, notes: Vec::new(), tells: Vec::new() };
            assert_eq!(run::say(agent, &read.payload, go), HookAnswer::SILENT, "{name}");
        }
    }
}

#[test]
fn an_exit_that_refuses_never_has_an_empty_standard_error() {
    for agent in AGENTS {
        for reason in ["", " \n", "why"] {
            let HookAnswer { stdout, stderr, exit } = (agent.refuse)(reason);
            assert!(exit != 2 || !stderr.trim().is_empty(), "{} {reason:?}", agent.id);
            assert!(!stdout.contains("allow"), "{} {reason:?}", agent.id);
        }
    }
    for agent in CLAUDE_LIKE.map(|id| super::find(id).unwrap()) {
        assert_eq!(shown(&(agent.refuse)("why")), "exit 2\nstderr: why\n", "{}", agent.id);
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
        assert_eq!(run::say(agent, &read.payload, Decision::stop("no")), expected, "{id}");
    }
}

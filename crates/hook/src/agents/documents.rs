//! What holds for every agent's file, and how their tests are written: documents in, text out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::agent::{Decision, Said};
use crate::testing::{decoded, fixture, said, told};

/// Agents whose every fixture is read here.
const READ: &[&str] = &["copilot", "cursor", "windsurf", "cline", "opencode", "openclaw", "kiro", "goose"];

/// The documents of one agent: the file's name without its end, and the text.
fn fixtures(id: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(id);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<_> = files
        .map(|file| file.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{id} has no fixtures");
    found
}

/// The event that a registration would name, by the end of the file's name.
fn event_of(agent: &Agent, file: &str) -> Option<&'static str> {
    let ends = |hook: &&crate::Hook| file.strip_suffix(hook.name).is_some_and(|rest| rest.ends_with(['.', '-']));
    agent.hooks.iter().filter(ends).map(|hook| hook.name).max_by_key(|name| name.len())
}

/// What documents of an agent mean, one after another.
pub(super) fn meanings(agent: &'static Agent, files: &[&str]) -> String {
    let meaning = |file: &&str| decoded(agent, event_of(agent, file), &fixture(agent, file));
    files.iter().map(meaning).collect::<Vec<_>>().join("\n")
}

/// What is answered to documents of an agent when this is decided.
pub(super) fn answers(agent: &'static Agent, rows: &[(&str, Said)]) -> String {
    let mut out = String::new();
    for (file, decided) in rows {
        let answer = said(agent, event_of(agent, file), &fixture(agent, file), decided.clone());
        let _ = write!(out, "{file}: {}\n{answer}\n", shown(decided));
    }
    out
}

/// What is answered when there is something to say beside it.
pub(super) fn noted(agent: &'static Agent, file: &str, said: Said) -> String {
    let decision = Decision { said, notes: vec!["a note".to_owned()], tells: vec!["a tell".to_owned()] };
    told(agent, event_of(agent, file), &fixture(agent, file), decision)
}

fn shown(said: &Said) -> String {
    match said {
        Said::Go => "go".to_owned(),
        Said::Rewrite(value) => format!("rewrite {value}"),
        Said::Ask(reason) => format!("ask {reason}"),
        Said::AskRewritten(reason, value) => format!("ask {reason}, then {value}"),
        Said::Stop(reason) => format!("stop {reason}"),
    }
}

pub(super) fn stop() -> Said {
    Said::Stop("no".to_owned())
}

pub(super) fn ask() -> Said {
    Said::Ask("really?".to_owned())
}

#[test]
fn every_document_is_understood_by_the_agent_that_wrote_it() {
    for id in READ {
        let agent = find(id).unwrap();
        for (file, text) in fixtures(id) {
            let named = event_of(agent, &file);
            let meaning = decoded(agent, named, &text);
            let mut lines = meaning.lines();
            let first: Vec<&str> = lines.next().unwrap().split(' ').collect();
            assert_eq!(first.first(), Some(id), "{id}/{file}: {meaning}");
            assert!(lines.last().is_some_and(|body| body.starts_with("body: ")), "{id}/{file}: {meaning}");
            let about = |hook: &&crate::Hook| meaning.contains(&format!(" {} {}\n", hook.name, hook.point));
            let hook = agent.hooks.iter().find(about).unwrap_or_else(|| panic!("{id}/{file}: {meaning}"));
            assert_eq!(hook.point.is_about_a_tool(), meaning.contains("\ntool: "), "{id}/{file}: {meaning}");
        }
    }
}

#[test]
fn no_agent_takes_the_document_of_another_for_its_own() {
    let folders = std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures")).unwrap();
    for folder in folders {
        let id = folder.unwrap().file_name().into_string().unwrap();
        for (file, text) in fixtures(&id) {
            let doc: Value = serde_json::from_str(&text).unwrap();
            for agent in AGENTS.iter().filter(|agent| agent.id != id) {
                assert!(!(agent.calls)(&doc), "{} claims {id}/{file}", agent.id);
            }
        }
    }
}

#[test]
fn a_hook_that_was_registered_for_claude_code_knows_who_really_calls() {
    let claude = find("claude").unwrap();
    for (id, file) in [
        ("copilot", "copilot-cli-1.0.102.from-dot-claude-settings.PreToolUse"),
        ("cursor", "doc-from-dot-claude-settings-PreToolUse"),
    ] {
        let text = fixture(find(id).unwrap(), file);
        assert_eq!(caller(claude, &serde_json::from_str(&text).unwrap()).id, id, "{file}");
    }
}

/// Whatever cannot be read is refused in a form that the agent honours: with a reason, which is never blank.
#[test]
fn what_cannot_be_read_is_refused() {
    let shapes = READ.iter().map(|id| {
        let answer = (find(id).unwrap().refuse)("broken");
        format!("{id}: {}", crate::testing::shown(&answer).trim_end().replace('\n', "; "))
    });
    expect_test::expect![[r#"
        copilot: exit 2; stderr: broken
        cursor: exit 2; stdout: {"permission":"deny","user_message":"broken","agent_message":"broken"}; stderr: broken
        windsurf: exit 2; stderr: broken
        cline: exit 0; stdout: {"cancel":true,"errorMessage":"broken"}
        opencode: exit 0; stdout: {"decision":"stop","reason":"broken"}
        openclaw: exit 0; stdout: {"decision":"stop","reason":"broken"}
        kiro: exit 2; stderr: broken
        goose: exit 2; stdout: {"decision":"block","reason":"broken"}; stderr: broken"#]]
    .assert_eq(&shapes.collect::<Vec<_>>().join("\n"));
}

/// A name that stands twice would hide the second, and an event that asks again is never the first to ask.
#[test]
fn the_tables_of_events_agree_with_themselves() {
    for agent in AGENTS {
        for (at, hook) in agent.hooks.iter().enumerate() {
            assert!(!agent.hooks[..at].iter().any(|other| other.name == hook.name), "{} {}", agent.id, hook.name);
            assert!(!(hook.registered && hook.permission), "{} {}", agent.id, hook.name);
            let gate = hook.point.is_gate() || hook.point == tollgate_core::Point::Notice;
            assert!(gate || !hook.can.ask && !hook.can.rewrite, "{} {}", agent.id, hook.name);
        }
        for id in std::iter::once(agent.id).chain(agent.aliases.iter().copied()) {
            assert_eq!(find(id).map(|found| found.id), Some(agent.id), "{id} means two agents");
        }
    }
}

//! How the tests of agents' files are written: documents in, text out.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fmt::Write;
use std::path::PathBuf;

use crate::agent::{Agent, Decision, Said};
use crate::testing::{decoded, fixture, said, told};

/// The documents of one agent: the file's name without its end, and the text.
pub(super) fn fixtures(id: &str) -> Vec<(String, String)> {
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

/// The event that a registration would name, by the end of the file's name; the second of a kind has a number there.
pub(super) fn event_of(agent: &Agent, file: &str) -> Option<&'static str> {
    let file = file.trim_end_matches(|end: char| end.is_ascii_digit()).trim_end_matches('-');
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
        Said::Pass => "go".to_owned(),
        Said::Rewrite(value) => format!("rewrite {value}"),
        Said::Ask(reason) => format!("ask {reason}"),
        Said::AskRewritten(reason, value) => format!("ask {reason}, then {value}"),
        Said::Deny(reason) => format!("stop {reason}"),
    }
}

pub(super) fn stop() -> Said {
    Said::Deny("no".to_owned())
}

pub(super) fn ask() -> Said {
    Said::Ask("really?".to_owned())
}

//! Effects as compact text, for tests.

use std::fmt::Write;

use crate::{Effect, Surroundings, understand};

/// What a command does in `/home/ann/app`, one effect a line: `kind place flags path|host — what`.
pub(crate) fn effects_of(command: &str) -> String {
    let around = Surroundings {
        cwd: Some("/home/ann/app"),
        workspace: Some("/home/ann/app"),
        home: Some("/home/ann"),
        resolve: None,
    };
    render(&understand(command, &around))
}

/// The same for effects that are there already.
pub(crate) fn render(effects: &[Effect]) -> String {
    let mut text = String::new();
    for effect in effects {
        let flags: Vec<&str> = effect.flags.iter().map(crate::Flag::name).collect();
        let place = effect.place.map_or("-", crate::Place::name);
        let target = effect.path.as_deref().or(effect.host.as_deref()).unwrap_or("-");
        let flags = if flags.is_empty() { "-".to_owned() } else { flags.join(",") };
        let line = format!("{} {place} {flags} {target} — {}", effect.kind, effect.what);
        let _ = writeln!(text, "{}", line.replace(crate::arg::HOLE, "…"));
    }
    text
}

/// Only the kinds, in order, each once: for tables where the rest is beside the point.
pub(crate) fn kinds_of(command: &str) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for line in effects_of(command).lines() {
        let kind = line.split(' ').next().unwrap_or_default().to_owned();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(" ")
}

/// Compares commands with the kinds of what they do, besides `network`, which most of these do; shows all that differ.
#[track_caller]
pub(crate) fn check_kinds(rows: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (command, expected) in rows {
        let found = kinds_of(command);
        let found: Vec<&str> = found.split(' ').filter(|kind| !matches!(*kind, "network" | "")).collect();
        if found.join(" ") != *expected {
            wrong.push_str(&format!("{command}\n    expected {expected:?}, found {:?}\n", found.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

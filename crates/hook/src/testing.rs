//! For the tests of agents' files: what a document means, and what is answered, as text.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fmt::Write;

use serde_json::Value;
use tollgate_core::Body;
use tollgate_wire::dialect::HookAnswer;

use crate::agent::{Agent, Decision, Said};
use crate::run::{self, Read};

/// A document that an agent really sent: `fixtures/<agent>/<name>.json`.
pub(crate) fn fixture(agent: &Agent, name: &str) -> String {
    let path = format!("{}/fixtures/{}/{name}.json", env!("CARGO_MANIFEST_DIR"), agent.id);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn with<T>(agent: &'static Agent, event: Option<&str>, text: &str, then: impl FnOnce(&Read<'_>) -> T) -> T {
    let mut doc = Value::Null;
    let read = run::read(agent, event, text.as_bytes(), &mut doc);
    then(&read.unwrap_or_else(|answer| panic!("refused: {answer:?}")))
}

/// What a document means: the caller, the event and its point, then one line for each fact that is there.
pub(crate) fn decoded(agent: &'static Agent, event: Option<&str>, text: &str) -> String {
    with(agent, event, text, |read| {
        let hook = read.payload.hook;
        let mut out = format!("{} {} {}\n", read.agent.id, hook.name, hook.point);
        let decoded = match &read.event {
            Ok(decoded) => decoded,
            Err(problem) => return out + problem,
        };
        let mut fact = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(out, "{name}: {value}");
            }
        };
        let own = |text: Option<&str>| text.map(str::to_owned);
        let document = |body: &Body| body.json().map_or_else(|fault| fault.to_string(), Value::to_string);
        fact("tool", own(decoded.tool));
        fact("server", own(decoded.server));
        fact("call", own(decoded.call_id));
        fact("session", own(decoded.session));
        fact("model", own(decoded.model));
        fact("cwd", own(decoded.cwd));
        fact("ended", decoded.ended.map(|ended| format!("{ended:?}")));
        fact("reason", own(decoded.reason));
        fact("took", decoded.took.map(|took| format!("{took} ms")));
        fact("arguments", decoded.arguments.as_ref().map(document));
        fact("body", Some(document(&decoded.body)));
        out
    })
}

/// What is answered to a document when this is decided.
pub(crate) fn said(agent: &'static Agent, event: Option<&str>, text: &str, said: Said) -> String {
    let decision = Decision { said, notes: Vec::new(), tells: Vec::new() };
    told(agent, event, text, decision)
}

/// The same with notes and tells.
pub(crate) fn told(agent: &'static Agent, event: Option<&str>, text: &str, decision: Decision) -> String {
    with(agent, event, text, |read| shown(&run::say(read, decision)))
}

/// An answer as text: the exit status, then what is printed where.
pub(crate) fn shown(answer: &HookAnswer) -> String {
    let mut out = format!("exit {}\n", answer.exit);
    for (name, text) in [("stdout", &answer.stdout), ("stderr", &answer.stderr)] {
        if !text.is_empty() {
            let _ = writeln!(out, "{name}: {text}");
        }
    }
    out
}

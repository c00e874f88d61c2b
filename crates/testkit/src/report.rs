use std::time::Duration;

use serde_json::{Map, Value, json};
use tollgate_core::{Act, Body, Cause, Entry, FaultKind, Name, Outcome, Registration, Route, Said};

use crate::document::peek;

/// All that a run came to, as plain data: two pipelines agree if their reports are equal. The keys are those
/// of `expect` in a case.
pub type Report = Map<String, Value>;

/// What core's pipeline came to. `seen` is what watchers noted down, `started` the time since 1970 when the
/// run began.
pub fn report(outcome: &Outcome, body: &Body, seen: Vec<String>, started: Duration) -> Report {
    let mut turns = Turns::default();
    for (who, entry) in outcome.trace.entries() {
        turns.add_entry(who, &entry);
    }
    describe(&outcome.act, turns, body, seen, started)
}

/// Who had a turn and what they said.
#[derive(Default)]
pub(crate) struct Turns {
    pub(crate) taken: Vec<String>,
    /// Who was not asked about what it caused itself; a set, because being left out happens at no place.
    pub(crate) skipped: std::collections::BTreeSet<String>,
}

impl Turns {
    fn add_entry(&mut self, who: &Registration, entry: &Entry) {
        let look = Look { second: entry.look == 2, routed: entry.routed };
        self.add(who, look, &entry.said, entry.change.is_some());
    }

    pub(crate) fn add(&mut self, who: &Registration, look: Look, said: &Said, changed: bool) {
        if *said == Said::Skipped {
            self.skipped.insert(who.id.to_string());
            return;
        }
        let second = if look.second { "@2" } else { "" };
        let routed = if look.routed { "@exec" } else { "" };
        let changed = if changed { ":changed" } else { "" };
        self.taken.push(format!("{}{second}{routed}:{}{changed}", who.id, said_word(said)));
    }
}

/// Which look of an interceptor this is.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) second: bool,
    pub(crate) routed: bool,
}

pub(crate) fn describe(act: &Act, turns: Turns, body: &Body, seen: Vec<String>, started: Duration) -> Report {
    let headers: Vec<_> = body.headers().map(|headers| headers.iter().collect()).unwrap_or_default();
    let document = peek(body).unwrap_or_else(|fault| json!({ "unreadable": fault.detail }));
    let mut report = Report::new();
    let mut tell = |key: &str, value: Value| report.insert(key.to_owned(), value);
    tell("act", json!(act.name()));
    tell("body", document);
    tell("bytes", json!(String::from_utf8_lossy(&body.to_bytes())));
    tell("name", json!(body.renamed().map(Name::written)));
    tell("notes", json!(body.notes));
    tell("tells", json!(body.tells));
    tell("labels", json!(body.labels()));
    tell("headers", json!(headers));
    tell("turns", json!(turns.taken));
    tell("skipped", json!(turns.skipped));
    tell("seen", json!(seen));
    describe_act(act, started, &mut report);
    report
}

fn describe_act(act: &Act, started: Duration, report: &mut Report) {
    let mut tell = |key: &str, value: Value| report.insert(key.to_owned(), value);
    match act {
        Act::Pass => {}
        Act::Route { route, .. } => drop(tell("route", route_json(route))),
        Act::Answer(body) => drop(tell("answer", peek(body).unwrap_or_default())),
        Act::Ask(question) => {
            let parts: Vec<_> = question.parts.iter().map(|(id, query)| json!([**id, query.title])).collect();
            let left = question.deadline.map(|deadline| deadline.saturating_sub(started).as_millis() as u64);
            tell("parts", json!(parts));
            tell("deadline_ms", json!(left));
            tell("route", json!(question.route.as_deref().map(route_json)));
        }
        Act::Deny(ruling) => {
            tell("by", json!(ruling.by.as_deref()));
            tell("cause", json!(cause_word(ruling.cause)));
            tell("reason", json!(ruling.reason));
        }
    }
}

fn route_json(route: &Route) -> Value {
    json!({ "provider": route.provider, "place": route.place, "command": route.command })
}

fn said_word(said: &Said) -> String {
    match said {
        Said::Passed => "passed".to_owned(),
        Said::Denied(_) => "denied".to_owned(),
        Said::Asked(_) => "asked".to_owned(),
        Said::Routed(_) => "routed".to_owned(),
        Said::Answered => "answered".to_owned(),
        Said::Faulted(fault) => format!("faulted:{}", fault_word(fault.kind)),
        Said::Skipped => "skipped".to_owned(),
    }
}

fn cause_word(cause: Cause) -> String {
    match cause {
        Cause::Fault(kind) => format!("fault:{}", fault_word(kind)),
        cause => format!("{cause:?}").to_lowercase(),
    }
}

fn fault_word(kind: FaultKind) -> String {
    format!("{kind:?}").to_lowercase()
}

//! A plan that is recorded: what is written, and what happens if nothing can be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{Folder, Surface};
use serde_json::json;
use tollgate_audit::{Entry, Known, Reader, verify};
use tollgate_config::{File, Layer, Plan, combine};
use tollgate_core::Clock;
use tollgate_engine::record::{self, Opened};
use tollgate_engine::state::Memory;
use tollgate_engine::{Engine, Parts};
use tollgate_rules::Still;
use tollgate_rules::form::Date;
use tollgate_testkit::ManualClock;

const GITHUB: &str = include_str!("github.toml");

/// A folder for a log.
struct Place(Folder);

impl Place {
    fn new() -> Self {
        Self(Folder::new())
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn surface(&self, text: &str) -> Surface {
        let (plan, clock) = (plan(text), Arc::new(ManualClock::default()) as Arc<dyn Clock>);
        let opened = record::open(&plan, self.dir(), self.dir(), &clock).unwrap();
        let parts = Parts {
            state: Arc::new(Memory::default()),
            clock,
            ambient: Arc::new(Still::default()),
            report: None,
            more: Vec::new(),
        };
        let parts = opened.recorder().into_iter().fold(parts, Parts::recorded);
        Surface::new(Engine::new(plan, parts).unwrap_or_else(|wrong| panic!("{wrong}")).pipeline())
    }

    fn entries(&self) -> Vec<Entry> {
        let known = Known::default();
        let dir = self.dir().join("audit");
        assert_eq!(verify(&dir, &known, &mut |_| {}).unwrap().flaw, None);
        Reader::new(&dir).entries_from(2).unwrap().map(|entry| entry.unwrap()).collect()
    }

    /// One line for each record.
    fn shown(&self) -> Vec<String> {
        let text = |fact: &Option<String>| fact.clone().unwrap_or_else(|| "-".to_owned());
        let line = |entry: Entry| {
            let record = &entry.record;
            let reason = entry.fields.value("reason").map_or("-".to_owned(), |reason| reason.to_string());
            let (point, act, by) = (text(&record.point), text(&record.act), text(&record.by));
            format!("{point} {act} by={by} ended={} intent={:?} {reason}", text(&record.ended), record.intent)
        };
        self.entries().into_iter().map(line).collect()
    }
}

fn plan(text: &str) -> Plan {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into()).unwrap();
    combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn every_denial_makes_a_record_that_says_why_and_by_whom() {
    let folder = Place::new();
    let surface = folder.surface(GITHUB);
    surface.call("delete_branch", json!({"branch": "x"}));
    surface.call("nobody_knows_this", json!({}));
    let shown = folder.shown();
    let denials: Vec<&String> = shown.iter().filter(|line| line.contains(" deny ")).collect();
    assert_eq!(denials.len(), 2, "{shown:#?}");
    assert!(denials.iter().all(|line| !line.contains("by=-") && line.contains('"')), "{denials:#?}");
    assert!(shown.iter().any(|line| line.contains("ended=denied")), "{shown:#?}");
}

#[test]
fn a_write_and_a_read_leave_an_intent_and_a_result() {
    let folder = Place::new();
    let surface = folder.surface("packs.use = []\n");
    for tool in ["write_file", "read_file"] {
        surface.call(tool, json!({"path": "a.txt"}));
    }
    let shown = folder.shown();
    assert_eq!(
        shown,
        [
            "tool.before pass by=- ended=- intent=None -",
            "tool.after pass by=- ended=ok intent=Some(2) -",
            "tool.before pass by=- ended=- intent=None -",
            "tool.after pass by=- ended=ok intent=Some(4) -",
        ]
    );
}

#[test]
fn what_is_only_observed_is_recorded() {
    let folder = Place::new();
    let surface = folder.surface("mode = 'observe'\n");
    surface.call("Bash", json!({"command": "rm -rf /"}));
    let entries = folder.entries();
    let observed: Vec<String> =
        entries.iter().flat_map(|entry| &entry.record.observed).map(|one| one.to_string()).collect();
    assert!(observed.iter().any(|one| one.contains("shell-safety") && one.contains("\"deny\"")), "{observed:?}");
    assert_eq!(entries[0].record.act.as_deref(), Some("pass"));
}

#[test]
fn a_dry_run_is_recorded_as_answered() {
    let folder = Place::new();
    let surface = folder.surface("dry_run = true\npacks.use = []\ntools.write = ['create_issue']\n");
    surface.call("create_issue", json!({"title": "x"}));
    let shown = folder.shown();
    assert_eq!(shown[0], "tool.before answer by=- ended=- intent=None -", "{shown:#?}");
    assert!(shown[1].contains("ended=answered"), "{shown:#?}");
}

#[test]
fn the_rule_that_refused_is_named() {
    let folder = Place::new();
    let surface = folder.surface("");
    surface.call("Bash", json!({"command": "rm -rf /"}));
    let rule = folder.entries().into_iter().find_map(|entry| entry.record.rule);
    assert!(rule.as_deref().is_some_and(|rule| rule.starts_with("shell-safety/")), "{rule:?}");
}

#[test]
fn without_a_place_for_the_record_nothing_is_opened_unless_the_policy_says_so() {
    let folder = Place::new();
    std::fs::write(folder.dir(), "no folder").unwrap();
    let clock = Arc::new(ManualClock::default()) as Arc<dyn Clock>;
    let open = |text: &str| match record::open(&plan(text), folder.dir(), folder.dir(), &clock) {
        Ok(Opened::Recording(_)) => "recording",
        Ok(Opened::Off) => "off",
        Ok(Opened::Without(_)) => "without",
        Err(_) => "refused",
    };
    assert_eq!(open(""), "refused");
    assert_eq!(open("audit.on_fault = 'pass'\n"), "without");
    assert_eq!(open("audit.enabled = false\n"), "off");
    std::fs::remove_file(folder.dir()).unwrap();
    assert_eq!(open(""), "recording");
}

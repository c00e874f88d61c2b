//! What the tests share: rules from TOML, calls, and a pipeline to run them through.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "not every test uses everything, and all are tests")]

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use serde_json::Value;
use tollgate_core::{Act, Body, Clock, Digest, Event, Pipeline, Point, Registry};
use tollgate_rules::form::{Date, Exception, Override, Rule};
use tollgate_rules::{Ambient, Finding, Mistake, Placed, Report, RuleSet, Setting, Source, Step, Still, compile};

/// A file with nothing but what this crate knows.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Rule>,
    #[serde(default)]
    exception: Vec<Exception>,
    #[serde(default, rename = "override")]
    overrides: std::collections::BTreeMap<String, Override>,
}

/// Compiles a file, as of 2026-06-15.
pub(crate) fn try_rules(text: &str) -> Result<RuleSet, Vec<Mistake>> {
    let file: File = toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let path = |key: &str, place: usize| vec![Step::from(key), Step::from(place)];
    let source = |(place, form)| Source { form, origin: "test".into(), path: path("rule", place) };
    let placed = |(place, form)| Placed { form, path: path("exception", place) };
    let over =
        |(id, form): (String, Override)| (id.clone(), Placed { form, path: vec!["override".into(), Step::Key(id)] });
    let setting = Setting {
        exceptions: file.exception.into_iter().enumerate().map(placed).collect(),
        overrides: file.overrides.into_iter().map(over).collect(),
        ..Setting::on(Date::new(2026, 6, 15).unwrap())
    };
    compile(file.rule.into_iter().enumerate().map(source).collect(), &setting)
}

pub(crate) fn rules(text: &str) -> RuleSet {
    try_rules(text).unwrap_or_else(|found| panic!("{}\n{text}", lines(&found)))
}

/// One rule, without the heading.
pub(crate) fn rule(text: &str) -> RuleSet {
    rules(&format!("[[rule]]\nid = 'r'\n{text}"))
}

pub(crate) fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n")
}

struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn wall(&self) -> Duration {
        Duration::ZERO
    }

    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

pub(crate) fn ambient() -> Arc<dyn Ambient> {
    Arc::new(Still::default())
}

/// Remembers what was reported.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<String>>);

impl Report for Heard {
    fn report(&self, _: &Event<'_>, finding: &Finding) {
        let how = match (&finding.excepted, finding.observed) {
            (Some(excepted), _) => format!("excepted ({})", excepted.reason),
            (None, true) => "observed".to_owned(),
            (None, false) => "logged".to_owned(),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{how} {}", finding.message()));
    }
}

pub(crate) fn pipeline(set: &RuleSet, report: Option<Arc<dyn Report>>) -> Pipeline {
    let mut registry = Registry::new(tollgate_wire::names(), Arc::new(NoClock), |_| Digest([7; 32]));
    for registration in set.registrations(&ambient(), report) {
        registry.add(registration).unwrap();
    }
    registry.snapshot()
}

/// A call, as it passes `tool.before`.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) args: Value,
}

pub(crate) fn call(tool: &'static str, args: Value) -> Call {
    Call { tool, args }
}

/// A command of the tool `Bash`.
pub(crate) fn bash(command: &str) -> Call {
    call("Bash", serde_json::json!({ "command": command }))
}

pub(crate) const CWD: &str = "/home/user/project";

/// What a pipeline says to a call, and what is left of its arguments.
pub(crate) fn run(pipeline: &Pipeline, call: &Call) -> (Act, Body) {
    let name = pipeline.name(call.tool);
    let event = Event { cwd: Some(CWD), ..Event::tool(Point::ToolBefore, &name, "c") };
    let mut body = Body::from(call.args.clone());
    let outcome = pipeline.run_now(&event, &mut body);
    (outcome.act, body)
}

/// What becomes of a call, in short.
pub(crate) fn act(set: &RuleSet, call: &Call) -> String {
    short(run(&pipeline(set, None), call).0)
}

pub(crate) fn short(act: Act) -> String {
    match act {
        Act::Pass => "pass".to_owned(),
        Act::Deny(ruling) => format!("deny {}", ruling.reason),
        Act::Route { route, .. } => format!("route {}", route.provider),
        Act::Answer(_) => "answer".to_owned(),
        Act::Ask(question) => {
            let parts: Vec<_> = question.parts.iter().map(|(_, query)| query.title.clone()).collect();
            let route = question.route.map_or(String::new(), |route| format!(" then {}", route.provider));
            format!("ask {}{route}", parts.join(" + "))
        }
    }
}

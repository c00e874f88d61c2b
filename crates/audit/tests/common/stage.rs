//! A pipeline whose runs are recorded, and what was recorded of them.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "helpers of tests; not every test uses all")]

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollgate_audit::{Reader, Recorder, RecorderSettings};
use tollgate_core::{
    Act, Body, Edit, Event, Fault, Guard, Outcome, Pipeline, Point, Registration, Registry, Step, Verdict,
};

use crate::common::Folder;

pub(crate) struct Stage {
    pub(crate) folder: Folder,
    pub(crate) recorder: Recorder,
    pub(crate) registry: Registry,
}

impl Stage {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, RecorderSettings::default())
    }

    pub(crate) fn with(name: &str, settings: RecorderSettings) -> Self {
        let folder = Folder::new(name);
        let recorder = Recorder::new(Arc::new(folder.log()), settings).unwrap();
        let mut registry = Registry::new(tollgate_wire::names(), folder.clock.clone(), tollgate_wire::digest);
        recorder.registrations().into_iter().for_each(|registration| registry.add(registration).unwrap());
        Self { folder, recorder, registry }
    }

    pub(crate) fn guard(
        self,
        id: &str,
        points: &[Point],
        judge: impl Fn(&Event<'_>, &Body) -> Result<Verdict, Fault> + Send + Sync + 'static,
    ) -> Self {
        self.add(Registration::guard(id, points, Judge(judge)))
    }

    pub(crate) fn edit(
        self,
        id: &str,
        points: &[Point],
        edit: impl Fn(&Event<'_>, &mut Body) -> Result<Verdict, Fault> + Send + Sync + 'static,
    ) -> Self {
        self.add(Registration::edit(id, points, Rewrite(edit)))
    }

    pub(crate) fn add(mut self, registration: Registration) -> Self {
        self.registry.add(registration).unwrap();
        self
    }

    pub(crate) fn pipeline(&self) -> Pipeline {
        self.registry.snapshot()
    }

    /// A call before it runs.
    pub(crate) fn before(&self, tool: &str, arguments: Value) -> (Outcome, Body) {
        let pipeline = self.pipeline();
        let name = pipeline.name(tool);
        let mut body = Body::from(arguments);
        let event = Event { session: Some("s-1"), cwd: Some("/work"), ..Event::tool(Point::ToolBefore, &name, "c-1") };
        let outcome = pipeline.run_now(&event, &mut body);
        (outcome, body)
    }

    /// The same call when it has ended.
    pub(crate) fn after(&self, tool: &str, arguments: &Body, facts: Event<'_>, result: Value) -> Outcome {
        let pipeline = self.pipeline();
        let name = pipeline.name(tool);
        let event = Event { point: Point::ToolAfter, name: Some(&name), became: arguments.renamed(), ..facts };
        let event = Event { session: Some("s-1"), cwd: Some("/work"), call_id: Some("c-1"), ..event };
        pipeline.run_now(&Event { arguments: Some(arguments), ..event }, &mut Body::from(result))
    }

    /// Everything that was recorded, without what differs from run to run.
    pub(crate) fn records(&self) -> String {
        assert_eq!(self.folder.flaw(), "good");
        let mut digests = Vec::new();
        let reader = Reader::new(&self.folder.dir());
        let lines = reader.lines_from(0, 0).unwrap().map(|line| serde_json::from_slice(&line.unwrap().bytes).unwrap());
        let records = lines.filter(|record: &Map<String, Value>| record["kind"] != "checkpoint");
        let shown = records.map(|record| {
            let seq = record["seq"].as_u64().unwrap();
            let fields = reader.entry(seq).unwrap().unwrap().fields.all();
            let fields = fields.iter().map(|(name, value)| format!("\n   {name}: {}", sealed(value)));
            format!("{seq}: {}{}", members(record, &mut digests), fields.collect::<String>())
        });
        shown.collect::<Vec<_>>().join("\n")
    }
}

/// A record without its place in the chain, with short names for its digests.
fn members(mut record: Map<String, Value>, digests: &mut Vec<Value>) -> Value {
    if let Some(digest) = record.get_mut("digest") {
        let number = digests.iter().position(|known| known == digest).unwrap_or_else(|| {
            digests.push(digest.clone());
            digests.len() - 1
        });
        *digest = json!(format!("d{number}"));
    }
    ["v", "seq", "prev", "time", "fields"].iter().for_each(|name| drop(record.shift_remove(*name)));
    Value::Object(record)
}

fn sealed(value: &Value) -> String {
    if value.get("sealed").is_some() { "sealed".to_owned() } else { value.to_string() }
}

/// The word for an act, and why.
pub(crate) fn act(outcome: &Outcome) -> String {
    match &outcome.act {
        Act::Pass => "pass".to_owned(),
        Act::Deny(ruling) => format!("deny: {ruling}"),
        Act::Ask(_) => "ask".to_owned(),
        Act::Answer(_) => "answer".to_owned(),
        Act::Route { .. } => "route".to_owned(),
    }
}

struct Judge<F>(F);

impl<F: Fn(&Event<'_>, &Body) -> Result<Verdict, Fault> + Send + Sync> Guard for Judge<F> {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now((self.0)(event, body))
    }
}

struct Rewrite<F>(F);

impl<F: Fn(&Event<'_>, &mut Body) -> Result<Verdict, Fault> + Send + Sync> Edit for Rewrite<F> {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now((self.0)(event, body))
    }
}

//! A call that somebody asks about, and the answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_core::{Approval, Body, Digest, Event, Point};
use tollgate_engine::{Engine, Explained};
use tollgate_wire::form::EndedForm;
use tollgate_wire::{name_of, readings};

use crate::open::Around;

/// A call, as a line of `explain --batch` or a case of `test` writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// A shell command; short for the tool `exec` with this argument.
    pub command: Option<String>,
    pub tool: Option<String>,
    #[serde(default)]
    pub args: Option<Value>,
    /// A document that is no call: a result, a prompt.
    pub body: Option<Value>,
    pub on: Option<String>,
    pub cwd: Option<String>,
    pub home: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub server: Option<String>,
    pub model: Option<String>,
    /// Facts of the surface's own, and what was noted down at earlier points.
    #[serde(default)]
    pub own: BTreeMap<String, String>,
    #[serde(default)]
    pub label: BTreeMap<String, String>,
    pub attempt: Option<u32>,
    pub ended: Option<EndedForm>,
    /// Whether a human said yes to it.
    pub approved: Option<bool>,
    /// The arguments as they were written, where they were: they may be ambiguous, and that is refused.
    #[serde(skip)]
    pub written: Option<String>,
}

impl Question {
    pub(crate) fn ask(&self, engine: &Engine, around: &Arc<Around>) -> Result<Explained, String> {
        let point = self.point()?;
        let (tool, document) = self.document(point)?;
        around.at_home(self.home.clone());
        let pipeline = engine.pipeline();
        let (agent, server) = (self.agent.as_deref().unwrap_or_default(), self.server.as_deref());
        let read = |tool| name_of(pipeline.names(), tool, &readings(agent, tool, server));
        let name = tool.map(read);
        let mut event = match &name {
            Some(name) => Event::tool(point, name, "question"),
            None => Event::at(point),
        };
        event.cwd = self.cwd.as_deref();
        event.agent = self.agent.as_deref();
        event.session = self.session.as_deref();
        event.server = self.server.as_deref();
        event.model = self.model.as_deref();
        event.surface = Some("explain");
        let own: Vec<(&str, &str)> = self.own.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let labels: Vec<(String, String)> = self.label.clone().into_iter().collect();
        let approval = self.approved.map(approval);
        (event.own, event.labels, event.approval) = (&own, &labels, approval.as_ref());
        (event.attempt, event.ended) = (self.attempt.unwrap_or(1), self.ended.map(Into::into));
        let body =
            self.written.as_ref().map_or_else(|| Body::from(document), |text| tollgate_wire::body(text.as_str()));
        Ok(engine.explain(&event, body))
    }

    fn point(&self) -> Result<Point, String> {
        let name = self.on.as_deref().unwrap_or("tool.before");
        name.parse().map_err(|error: tollgate_core::BadRegistration| error.0)
    }

    fn document(&self, point: Point) -> Result<(Option<&str>, Value), String> {
        if let Some(command) = &self.command {
            return Ok((Some("exec"), json!({ "command": command })));
        }
        let document = self.body.clone().or_else(|| self.args.clone());
        match (self.tool.as_deref(), document) {
            (None, None) => Err("say what it is about: `command`, or `tool` with `args`".to_owned()),
            (None, Some(_)) if point == Point::ToolBefore => Err("say which `tool` the arguments are for".to_owned()),
            (tool, document) => Ok((tool, document.unwrap_or_else(|| json!({})))),
        }
    }
}

/// Somebody's answer to a question about no call in particular.
fn approval(granted: bool) -> Approval {
    Approval { digest: Digest([0; 32]), granted, by: "question".to_owned(), at: Duration::ZERO }
}

/// The answer as one JSON object.
pub(crate) fn answer(explained: &Explained) -> Value {
    let mut answer = serde_json::to_value(explained).unwrap_or_default();
    let act = word(explained);
    if let Some(object) = answer.as_object_mut() {
        object.insert("act".to_owned(), act.into());
        object.insert("rule".to_owned(), explained.rule.clone().into());
        object.insert("reason".to_owned(), explained.reason.clone().into());
    }
    answer
}

/// What would be done, in one word.
pub(crate) fn word(explained: &Explained) -> &'static str {
    use tollgate_wire::form::ActForm;
    match explained.act {
        ActForm::Pass { .. } => "pass",
        ActForm::Route { .. } => "route",
        ActForm::Ask { .. } => "ask",
        ActForm::Answer { .. } => "answer",
        ActForm::Deny { .. } => "deny",
    }
}

use std::time::Duration;

use serde_json::Value;
use tollgate_core::{Approval, Body, Ended, Event, Name, Point};

/// An event's facts, owned: for handlers that outlive the moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Where it happens.
    pub point: Point,
    /// The tool's normalized name, as it now is.
    pub tool: String,
    /// The tool's name as the agent wrote it.
    pub written: String,
    /// Which call.
    pub call_id: String,
    /// The session.
    pub session: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The arguments as they ran, from `tool.update` on.
    pub arguments: Option<Value>,
    /// How the call ended.
    pub ended: Option<Ended>,
    /// Who let it happen, where a human was asked.
    pub approval: Option<Approval>,
    /// Why it was blocked, or how it failed.
    pub reason: Option<String>,
    /// How long it ran.
    pub took: Option<Duration>,
    /// 2 when an edit is asked again about the final body.
    pub look: u8,
    /// What earlier points of the turn noted down.
    pub labels: Vec<(String, String)>,
}

impl Facts {
    /// Takes the facts of an event with them.
    pub fn of(event: &Event<'_>, body: &Body) -> Self {
        let own = |fact: Option<&str>| fact.map(str::to_owned);
        Self {
            point: event.point,
            tool: event.tool_name(body).to_owned(),
            written: event.name.map_or_else(String::new, |name: &Name<'_>| name.written().to_owned()),
            call_id: event.call_id.unwrap_or_default().to_owned(),
            session: own(event.session),
            agent: own(event.agent),
            model: own(event.model),
            cwd: own(event.cwd),
            arguments: event.arguments.and_then(|body| body.json().ok()).cloned(),
            ended: event.ended,
            approval: event.approval.cloned(),
            reason: own(event.reason),
            took: event.took,
            look: event.look,
            labels: event.labels.to_vec(),
        }
    }
}

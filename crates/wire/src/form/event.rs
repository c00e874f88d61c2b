use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::{Approval, Body, Event, Name, Names, Point};

use super::parts::{is_false, micros, present};
use super::{ApprovalForm, BadForm, BodyForm, EndedForm, Form, PointForm};

/// What is happening. Facts that are not known are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Event")]
pub struct EventForm {
    /// Where this happens.
    pub point: PointForm,
    /// The tool first asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<NameForm>,
    /// The tool that ran, where an edit renamed the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub became: Option<NameForm>,
    /// What that tool does, by the table of tools: `exec`, `read`, `write` and so on. Who reads an event works
    /// this out again, as it does with the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Which call this is; the same at all of its points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The session it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent that wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The surface it came in by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// The MCP server that owns the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The model asked, or the model that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The person or machine on whose behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The surface's own name for the event, at `notice`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    /// Facts of the surface's own, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, String>,
    /// The groups of the interceptors that caused this event, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// What edits at earlier points of the turn noted down: key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<(String, String)>,
    /// How it ended, at `tool.after` and `model.complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedForm>,
    /// How long it ran, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
    /// The arguments as they ran, from `tool.update` on; left out where they cannot be read.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub arguments: Option<Value>,
    /// Who let it happen, where a human was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalForm>,
    /// Why it was denied, or how it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Which piece of a stream this is, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Whether this is the end of a stream, or its assembled whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub last: bool,
    /// Which attempt at the same request, from 1.
    #[serde(default = "first::<u32>", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// 2 when an edit is asked again, as a judge of the final body.
    #[serde(default = "first::<u8>", skip_serializing_if = "is_first")]
    #[schemars(range(min = 1, max = 2))]
    pub look: u8,
    /// Whether this is the command of a route, judged before it runs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub routed: bool,
    /// Whether this is an agent's own permission request.
    #[serde(default, skip_serializing_if = "is_false")]
    pub permission: bool,
    /// Whether the call cannot run under another name than the one asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed_name: bool,
}

/// A tool's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object with `written`")]
#[schemars(rename = "Name")]
pub struct NameForm {
    /// As the agent wrote it.
    pub written: String,
    /// As everything matches it. Who reads an event works this out again and does not trust what is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<String>,
}

fn first<T: From<u8>>() -> T {
    T::from(1)
}

fn is_first<T: From<u8> + PartialEq>(number: &T) -> bool {
    *number == first()
}

impl Form for EventForm {
    const NAME: &'static str = "event";
}

impl From<&Name<'_>> for NameForm {
    fn from(name: &Name<'_>) -> Self {
        Self { written: name.written().to_owned(), normal: Some(name.normal().to_owned()) }
    }
}

impl EventForm {
    /// The form of an event.
    pub fn of(event: &Event<'_>) -> Self {
        let text = |fact: Option<&str>| fact.map(str::to_owned);
        Self {
            point: PointForm(event.point),
            name: event.name.map(NameForm::from),
            became: event.became.map(NameForm::from),
            kind: text(event.became.or(event.name).and_then(|name| crate::kind(name.normal()))),
            call_id: text(event.call_id),
            session: text(event.session),
            agent: text(event.agent),
            surface: text(event.surface),
            server: text(event.server),
            model: text(event.model),
            cwd: text(event.cwd),
            principal: text(event.principal),
            native: text(event.native),
            // Of two with one name the first counts.
            own: event.own.iter().rev().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            chain: event.chain.iter().map(|group| group.to_string()).collect(),
            labels: event.labels.to_vec(),
            ended: event.ended.as_ref().map(EndedForm::from),
            took_us: event.took.map(micros),
            arguments: event.arguments.and_then(|arguments| arguments.json().ok().cloned()),
            approval: event.approval.map(ApprovalForm::from),
            reason: text(event.reason),
            index: event.index,
            last: event.last,
            attempt: event.attempt,
            look: event.look,
            routed: event.routed,
            permission: event.permission,
            fixed_name: event.fixed_name,
        }
    }

    /// Lends an event **that came from outside**, and its body, to a function. Every reader of other people's
    /// events uses this: what only a surface or the pipeline can know is dropped, whatever the document says. That is
    /// `own`, `chain`, `labels`, `approval`, `attempt`, `look`, `routed`, `permission`, `index` and `last`, and of the body
    /// notes, tells and labels; before a call has ended also how it ended, what it became and its new name. Else whoever
    /// writes the event could have guards or the record left out, be judged as another tool, or bring its own approval.
    ///
    /// `surface` and `principal` are what the document says. Who knows better says so:
    /// `Event { surface: Some("mcp"), ..*event }`.
    ///
    /// ```
    /// use tollgate_wire::form::{BodyForm, EventForm, Form};
    ///
    /// let sent = br#"{"v": 2, "point": "tool.before", "name": {"written": "Bash"}, "chain": ["no-rm"]}"#;
    /// let (event, body) = (EventForm::from_bytes(sent)?, BodyForm::default());
    /// event.lend_foreign(body, &tollgate_wire::names(), |event, _body| {
    ///     assert_eq!(event.name.map(|name| name.normal()), Some("exec"));
    ///     assert!(event.chain.is_empty());
    /// })?;
    /// # Ok::<(), tollgate_wire::form::BadForm>(())
    /// ```
    pub fn lend_foreign<T>(
        &self,
        body: BodyForm,
        names: &Names,
        with: impl FnOnce(&Event<'_>, &mut Body) -> T,
    ) -> Result<T, BadForm> {
        let mut body = BodyForm { notes: None, tells: None, labels: None, ..body };
        self.lend_trusted(names, |event| {
            let event = Event { own: &[], chain: &[], labels: &[], approval: None, ..*event };
            let event = Event { attempt: 1, look: 1, routed: false, permission: false, ..event };
            let mut event = Event { index: None, last: false, ..event };
            if !matches!(event.point, Point::ToolAfter | Point::ModelComplete) {
                event.ended = None;
            }
            if event.point == Point::ToolBefore {
                (event.became, body.name) = (None, None);
            }
            let mut body = body.body(&event)?;
            Ok(with(&event, &mut body))
        })
    }

    /// Lends an event that **we wrote ourselves** to a function, with all it says: core's events borrow, and here is
    /// where it is kept. For events of anybody else there is [`lend_foreign`](Self::lend_foreign).
    pub fn lend_trusted<T>(&self, names: &Names, with: impl FnOnce(&Event<'_>) -> T) -> T {
        let (agent, server) = (self.agent.as_deref().unwrap_or_default(), self.server.as_deref());
        let written = self.name.as_ref().map(|name| name.written.as_str());
        let name = written.map(|name| crate::name_of(names, name, &crate::readings(agent, name, server)));
        let became = self.became.as_ref().map(|name| names.tool_of(&name.written, server));
        let arguments = self.arguments.clone().map(Body::from);
        let approval = self.approval.as_ref().map(Approval::from);
        let own: Vec<(&str, &str)> = self.own.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let chain: Vec<&str> = self.chain.iter().map(String::as_str).collect();
        with(&Event {
            point: self.point.0,
            name: name.as_ref(),
            became: became.as_ref(),
            call_id: self.call_id.as_deref(),
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
            surface: self.surface.as_deref(),
            server: self.server.as_deref(),
            model: self.model.as_deref(),
            cwd: self.cwd.as_deref(),
            principal: self.principal.as_deref(),
            native: self.native.as_deref(),
            own: &own,
            chain: &chain,
            labels: &self.labels,
            ended: self.ended.map(Into::into),
            took: self.took_us.map(Duration::from_micros),
            arguments: arguments.as_ref(),
            approval: approval.as_ref(),
            reason: self.reason.as_deref(),
            index: self.index,
            last: self.last,
            attempt: self.attempt,
            look: self.look,
            routed: self.routed,
            permission: self.permission,
            fixed_name: self.fixed_name,
        })
    }
}

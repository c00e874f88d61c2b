use std::time::Duration;

use crate::{Approval, Body, Name, Point};

/// What is happening: facts that nobody may change.
///
/// A surface fills in what it knows; interceptors only ever see `&Event`. What may be rewritten is the
/// [`Body`], and nothing else.
///
/// ```
/// use tollgate_core::{Event, Names, Point};
///
/// let names = Names::default();
/// let name = names.name("Read");
/// let event = Event { session: Some("s-1"), ..Event::tool(Point::ToolBefore, &name, "call-7") };
/// assert_eq!(event.name.map(|name| name.normal()), Some("read"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    /// Where this happens.
    pub point: Point,
    /// The tool first asked for.
    pub name: Option<&'a Name<'a>>,
    /// The tool that ran, where an edit renamed the call (from `tool.update` on).
    pub became: Option<&'a Name<'a>>,
    /// Which call this is; the same at all of its points.
    pub call_id: Option<&'a str>,
    /// The session it belongs to.
    pub session: Option<&'a str>,
    /// The agent that wants it.
    pub agent: Option<&'a str>,
    /// The surface it came in by.
    pub surface: Option<&'a str>,
    /// The MCP server that owns the tool.
    pub server: Option<&'a str>,
    /// The model asked, or the model that asks.
    pub model: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
    /// The person or machine on whose behalf.
    pub principal: Option<&'a str>,
    /// The surface's own name for the event, at `notice`.
    pub native: Option<&'a str>,
    /// Facts of the surface's own, by name: what it knows and no other field says. Only a surface fills them
    /// in, so a rule can rely on them; labels are what interceptors noted down.
    pub own: &'a [(&'a str, &'a str)],
    /// The groups of the interceptors that caused this event, outermost first: who makes calls of its own is
    /// not asked about them.
    pub chain: &'a [&'a str],
    /// What edits at earlier points of the turn noted down for later ones.
    pub labels: &'a [(String, String)],
    /// The arguments as they ran, from `tool.update` on.
    pub arguments: Option<&'a Body>,
    /// How it ended, at `tool.after` and `model.complete`.
    pub ended: Option<Ended>,
    /// Who let it happen, where a human was asked.
    pub approval: Option<&'a Approval>,
    /// Why it was denied, or how it failed.
    pub reason: Option<&'a str>,
    /// How long it ran, at `tool.after` and `model.complete`.
    pub took: Option<Duration>,
    /// Which piece of a stream this is, from 0.
    pub index: Option<u64>,
    /// Whether this is the end of a stream, or its assembled whole.
    pub last: bool,
    /// Which attempt at the same request, from 1, at `model.dispatch`.
    pub attempt: u32,
    /// 2 when an edit is asked again, as a judge of the final body; what it then writes is dropped.
    pub look: u8,
    /// Whether this is the command of a route, judged before it runs.
    pub routed: bool,
    /// Whether this is an agent's own permission request.
    pub permission: bool,
    /// Whether the surface cannot run a call under another name than the one asked for.
    pub fixed_name: bool,
}

/// How a tool call or a model request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ran and returned.
    Ok,
    /// It ran and failed.
    Error,
    /// The pipeline refused it.
    Denied,
    /// It ran elsewhere.
    Routed,
    /// An interceptor answered in its place.
    Answered,
    /// Whoever wanted it went away before it was done.
    Canceled,
}

impl<'a> Event<'a> {
    /// An event at a point, with no facts yet.
    pub fn at(point: Point) -> Self {
        Self { point, attempt: 1, look: 1, ..Self::default() }
    }

    /// An event about one tool call.
    pub fn tool(point: Point, name: &'a Name<'a>, call_id: &'a str) -> Self {
        Self { name: Some(name), call_id: Some(call_id), ..Self::at(point) }
    }

    /// The normalized name of the tool as it stands now; empty where there is none.
    pub fn tool_name<'b>(&'b self, body: &'b Body) -> &'b str {
        self.tool_now(body).map_or("", Name::normal)
    }

    /// The tool's name as it stands now: what an edit renamed it to, what ran, or what was asked for.
    pub fn tool_now<'b>(&'b self, body: &'b Body) -> Option<&'b Name<'b>> {
        body.renamed().or(self.became).or(self.name)
    }
}

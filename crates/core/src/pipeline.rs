use std::cmp::Reverse;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use crate::index::{Chain, Plan};
use crate::run::Run;
use crate::{
    Body, Cause, Clock, Digest, Event, Fault, FaultKind, Name, Names, OnFault, Outcome, Point, Registration, Registry,
    Role, Route,
};

/// How many interceptors may have caused one another.
pub(crate) const MAX_CHAIN: usize = 8;

/// What calls run on: a snapshot of a [`Registry`], sorted, indexed, and never changing. Cheap to clone.
#[derive(Clone)]
pub struct Pipeline {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    /// In the order they run in: by role, then priority, then registration. Watchers that must not fail
    /// come before those that may, so that these see what was really decided.
    pub(crate) sorted: Arc<Vec<Registration>>,
    chains: Vec<Chain>,
    pub(crate) names: Names,
    pub(crate) clock: Arc<dyn Clock>,
    digest: fn(&Value) -> Digest,
    pub(crate) rewrite_ambiguous: bool,
}

impl Pipeline {
    pub(crate) fn new(registry: &Registry) -> Self {
        let Registry { entries: mut sorted, clock, digest, names, rewrite_ambiguous } = registry.clone();
        sorted.sort_by_key(|entry| {
            let role = match (&entry.role, entry.on_fault) {
                (Role::Edit(_), _) => 0,
                (Role::Guard(_), _) => 1,
                (Role::Watch(_), OnFault::Deny) => 2,
                (Role::Watch(_), OnFault::Pass) => 3,
            };
            (role, Reverse(entry.priority))
        });
        let chains = Point::ALL.iter().map(|point| Chain::at(*point, &sorted, &names)).collect();
        let inner = Inner { sorted: Arc::new(sorted), chains, names, clock, digest, rewrite_ambiguous };
        Self { inner: Arc::new(inner) }
    }

    /// The name of a tool as this pipeline matches it.
    pub fn name<'a>(&'a self, written: &'a str) -> Name<'a> {
        self.inner.names.name(written)
    }

    /// How this pipeline names tools.
    pub fn names(&self) -> &Names {
        &self.inner.names
    }

    /// Runs one event: edits, second looks, guards, the route's command, watchers.
    pub async fn run(&self, event: &Event<'_>, body: &mut Body) -> Outcome {
        self.pass(event, body, true, &[]).await
    }

    /// The same without an async runtime. An interceptor that would have to wait counts as broken.
    pub fn run_now(&self, event: &Event<'_>, body: &mut Body) -> Outcome {
        let run = pin!(self.pass(event, body, false, &[]));
        match run.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Outcome::deny(Cause::Fault(FaultKind::Waits), "the pipeline had to wait"),
        }
    }

    /// Who stands at a point, for one tool or for any, in the order they run in.
    pub fn order(&self, point: Point, tool: Option<&str>) -> Vec<&Registration> {
        let sorted = &self.inner.sorted;
        let Some(tool) = tool else { return sorted.iter().filter(|entry| entry.points.contains(&point)).collect() };
        let plan = self.inner.chains[point as usize].plan(Some(&self.name(tool)), sorted).unwrap_or_default();
        plan.all().filter_map(|who| sorted.get(*who as usize)).collect()
    }

    /// Digests all that makes a call this call and no other: what an approval or a record is bound to.
    pub fn digest(&self, event: &Event<'_>, body: &Body, route: Option<&Route>) -> Result<Digest, Fault> {
        let headers: Option<Vec<_>> = body.headers().map(|headers| headers.iter().collect());
        Ok((self.inner.digest)(&json!({
            "point": event.point.name(),
            "name": event.tool_now(body).map(Name::written),
            "server": event.server,
            "cwd": event.cwd,
            "headers": headers,
            "body": body.json()?,
            "route": route.map(|route| json!([route.provider, route.place, route.command])),
        })))
    }

    /// Those due for an event, by the name its call has now.
    pub(crate) fn plan(&self, event: &Event<'_>, body: &Body) -> Option<Arc<Plan>> {
        self.inner.chains[event.point as usize].plan(event.tool_now(body), &self.inner.sorted)
    }

    /// `except` names interceptors that have already worked on the pieces of a stream.
    pub(crate) async fn pass(&self, event: &Event<'_>, body: &mut Body, patient: bool, except: &[u32]) -> Outcome {
        // Whoever knows the server may not have said so when the name was made.
        let forgotten = event.name.filter(|name| event.server.is_some() && !name.is_of_server());
        let name = forgotten.map(|name| self.inner.names.owned(name.written().to_owned(), event.server));
        let event = &Event { name: name.as_ref().or(event.name), ..*event };
        let too_deep = event.chain.len() > MAX_CHAIN;
        let plan = self.plan(event, body).or_else(|| too_deep.then(Arc::default));
        let Some(plan) = plan else { return Outcome::default() };
        let mut run = Run::new(self, patient, except);
        if too_deep {
            // Those who watch are told all the same.
            run.joined.refuse(Cause::Depth, format!("interceptors caused one another more than {MAX_CHAIN} deep"));
        }
        run.all(event, body, plan).await
    }
}

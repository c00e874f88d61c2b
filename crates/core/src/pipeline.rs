use std::cmp::Reverse;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::index::{Chain, Found, Plan};
use crate::outcome::{Joined, conflict};
use crate::trace::Slot;
use crate::{
    Act, Body, Cause, Clock, Command, Digest, Event, Fault, FaultKind, Name, Names, OnFault, Outcome, Point, Question,
    Registration, Registry, Role, Route, Ruling, Said, Step, Trace, Verdict,
};

/// How often one call may be renamed.
const MAX_RENAMES: usize = 4;
/// How many interceptors may have caused one another.
const MAX_CHAIN: usize = 8;

/// What calls run on: a snapshot of a [`Registry`], sorted, indexed, and never changing. Cheap to clone.
#[derive(Clone)]
pub struct Pipeline {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    /// In the order they run in: by role, then priority, then registration. Watchers that must not fail
    /// come before those that may, so that these see what was really decided.
    pub(crate) sorted: Arc<Vec<Registration>>,
    chains: [Option<Chain>; Point::ALL.len()],
    names: Names,
    clock: Arc<dyn Clock>,
    digest: fn(&Value) -> Digest,
    rewrite_ambiguous: bool,
}

impl Pipeline {
    pub(crate) fn new(registry: &Registry) -> Self {
        let mut sorted = registry.entries.clone();
        sorted.sort_by_key(|entry| {
            let role = match (&entry.role, entry.on_fault) {
                (Role::Edit(_), _) => 0,
                (Role::Guard(_), _) => 1,
                (Role::Watch(_), OnFault::Deny) => 2,
                (Role::Watch(_), OnFault::Pass) => 3,
            };
            (role, Reverse(entry.priority))
        });
        let names = registry.names.clone();
        let chains = Point::ALL.map(|point| Chain::at(point, &sorted, &names));
        let (clock, digest) = (Arc::clone(&registry.clock), registry.digest);
        let rewrite_ambiguous = registry.rewrite_ambiguous;
        let inner = Inner { sorted: Arc::new(sorted), chains, names, clock, digest, rewrite_ambiguous };
        Self { inner: Arc::new(inner) }
    }

    /// The name of a tool as this pipeline matches it.
    pub fn name<'a>(&'a self, written: &'a str) -> Name<'a> {
        self.inner.names.name(written)
    }

    /// Runs one event: edits, second looks, guards, the route's command, watchers.
    pub async fn run(&self, event: &Event<'_>, body: &mut Body) -> Outcome {
        self.inner.run(event, body, true, &[]).await
    }

    /// The same without an async runtime. An interceptor that would have to wait counts as broken.
    pub fn run_now(&self, event: &Event<'_>, body: &mut Body) -> Outcome {
        let run = pin!(self.inner.run(event, body, false, &[]));
        match run.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => {
                let act = Ruling::of_pipeline(Cause::Fault(FaultKind::Waits), "the pipeline had to wait").into();
                Outcome { act, trace: Trace::default() }
            }
        }
    }

    /// The digest of a call as it now is: what an approval or a record of it is bound to.
    pub fn digest(&self, event: &Event<'_>, body: &Body, route: Option<&Route>) -> Result<Digest, Fault> {
        Ok((self.inner.digest)(&call_document(event, body, route)?))
    }

    /// Who stands at a point for a tool, in the order they run in.
    pub fn order(&self, point: Point, tool: Option<&str>) -> Vec<&Registration> {
        let name = tool.map(|tool| self.name(tool));
        let Some(chain) = &self.inner.chains[point as usize] else { return Vec::new() };
        let plan = chain.plan(name.as_ref().map(Name::normal), &self.inner.sorted);
        let due = plan.edits().iter().chain(plan.guards()).chain(plan.watches());
        due.filter_map(|who| self.inner.sorted.get(*who as usize)).collect()
    }
}

impl Inner {
    /// Those due for an event, by the name its call has now.
    pub(crate) fn plan(&self, event: &Event<'_>, body: &Body) -> Option<Found<'_>> {
        let chain = self.chains[event.point as usize].as_ref()?;
        let plan = chain.plan(event.tool_now(body).map(Name::normal), &self.sorted);
        (!plan.is_empty()).then_some(plan)
    }

    /// `except` names interceptors that have already worked on the pieces of a stream.
    pub(crate) async fn run(&self, event: &Event<'_>, body: &mut Body, patient: bool, except: &[u32]) -> Outcome {
        let mut joined = Joined::default();
        if event.chain.len() > MAX_CHAIN {
            let reason = format!("interceptors caused one another more than {MAX_CHAIN} deep");
            joined.deny(Ruling::of_pipeline(Cause::Depth, reason));
        }
        let Some(plan) = self.plan(event, body) else {
            let act = joined.deny.map_or(Act::Go, Act::from);
            return Outcome { act, trace: Trace::default() };
        };
        let mut run = Run { joined, ..Run::new(self, patient, except) };
        let plan = run.edits(event, body, plan).await;
        run.second_looks(event, body, &plan).await;
        run.guards(event, body, &plan).await;
        run.routed_command(event).await;
        run.document(body);
        let act = run.act(event, body);
        let outcome = Outcome { act, trace: std::mem::take(&mut run.trace) };
        run.watches(event, body, &plan, outcome).await
    }
}

/// One event's way through the pipeline.
pub(crate) struct Run<'p> {
    inner: &'p Inner,
    pub(crate) joined: Joined,
    pub(crate) trace: Trace,
    /// How many turns had been taken when the body last changed.
    changed_at: usize,
    last: Duration,
    patient: bool,
    except: &'p [u32],
}

impl<'p> Run<'p> {
    pub(crate) fn new(inner: &'p Inner, patient: bool, except: &'p [u32]) -> Self {
        let trace = Trace::of(&inner.sorted);
        Self { inner, joined: Joined::default(), trace, changed_at: 0, last: inner.clock.now(), patient, except }
    }

    /// The next edit is always the first in order that is due for the name the call has *now* and has not
    /// had its turn. Without a rename that is simply the next one.
    async fn edits(&mut self, event: &Event<'_>, body: &mut Body, mut plan: Found<'p>) -> Found<'p> {
        let (mut next, mut renames) = (0, 0);
        while let Some(&who) = plan.edits().get(next) {
            if self.joined.deny.is_some() {
                break;
            }
            next += 1;
            let had_its_turn = renames > 0 && self.trace.slots().any(|slot| slot.who == who);
            let Some(entry) = self.due(event, who).filter(|_| !had_its_turn) else { continue };
            let name = body.renamed().cloned();
            self.edit(event, body, who, entry).await;
            if body.renamed() != name.as_ref() {
                renames += 1;
                self.check_rename(event, renames);
                (plan, next) = (self.inner.plan(event, body).unwrap_or_default(), 0);
            }
        }
        plan
    }

    async fn edit(&mut self, event: &Event<'_>, body: &mut Body, who: u32, entry: &Registration) {
        let Role::Edit(edit) = &entry.role else { return };
        let before = body.clone();
        let lent = &mut *body;
        let step = Fault::catch(move || edit.edit(event, lent));
        let answer = self.settle(step, entry).await;
        let answer = answer.and_then(|verdict| {
            let changes = body.close_edit(&before, &self.inner.names)?;
            let extra = changes.iter().find(|change| !matches!(change.as_str(), "notes" | "labels"));
            match extra {
                Some(_) if !event.point.is_gate() => Err(notes_only(event.point)),
                _ => Ok((verdict, changes)),
            }
        });
        let answer = match answer {
            Ok(answer) => Ok(answer),
            Err(fault) => {
                *body = before;
                Err(fault)
            }
        };
        let changed = matches!(&answer, Ok((_, changes)) if !changes.is_empty());
        if changed {
            self.changed_at = self.trace.slots().count();
        }
        self.heard(event, who, entry, answer);
    }

    fn check_rename(&mut self, event: &Event<'_>, renames: usize) {
        if event.point != Point::ToolBefore || event.fixed_name {
            let reason = "an interceptor renamed the call, and it cannot run under another name here";
            self.joined.deny(Ruling::of_pipeline(Cause::Power, reason));
        }
        if renames > MAX_RENAMES {
            let reason = format!("the call was renamed more than {MAX_RENAMES} times");
            self.joined.deny(Ruling::of_pipeline(Cause::Renames, reason));
        }
    }

    /// Asks every edit whose approval is older than the last change once more, on a copy.
    async fn second_looks(&mut self, event: &Event<'_>, body: &Body, plan: &Plan) {
        if self.changed_at == 0 {
            return;
        }
        let asked: Vec<u32> = self.trace.slots().take(self.changed_at).map(|slot| slot.who).collect();
        let again = Event { look: 2, ..*event };
        for &who in plan.edits().iter().filter(|who| asked.contains(who)) {
            if self.joined.deny.is_some() {
                return;
            }
            let Some(entry) = self.due(&again, who).filter(|entry| entry.second_look) else { continue };
            let Role::Edit(edit) = &entry.role else { continue };
            let mut copy = body.clone();
            let lent = &mut copy;
            let step = Fault::catch(|| edit.edit(&again, lent));
            let answer = self.settle(step, entry).await.map(|verdict| (verdict, Vec::new()));
            self.heard(&again, who, entry, answer);
            if copy.was_read() {
                // Whoever reads the copy has looked at the body.
                let _ = body.json();
            }
        }
    }

    async fn guards(&mut self, event: &Event<'_>, body: &Body, plan: &Plan) {
        for &who in plan.guards() {
            if self.joined.deny.is_some() {
                return;
            }
            let Some(entry) = self.due(event, who) else { continue };
            let Role::Guard(guard) = &entry.role else { continue };
            let step = Fault::catch(|| guard.judge(event, body));
            let answer = self.settle(step, entry).await.map(|verdict| (verdict, Vec::new()));
            self.heard(event, who, entry, answer);
        }
    }

    /// A command that comes with a route runs too, so it is judged too: as an `exec` call, by the same
    /// snapshot. What edits make of it is what the route will run.
    async fn routed_command(&mut self, event: &Event<'_>) {
        let settled = self.joined.deny.is_some() || self.joined.answer.is_some() || event.routed;
        let Some((by, mut route)) = self.joined.divert.take_if(|(_, route)| !settled && route.command.is_some()) else {
            return;
        };
        let name = self.inner.names.name("exec");
        let command = route.command.clone().unwrap_or_default();
        let exec = Event {
            point: Point::ToolBefore,
            name: Some(&name),
            became: None,
            kind: Some("exec"),
            server: None,
            cwd: command.cwd.as_deref().or(event.cwd),
            routed: true,
            fixed_name: true,
            ..*event
        };
        let mut arguments = Body::from(command.to_json());
        let outcome = Box::pin(self.inner.run(&exec, &mut arguments, self.patient, &[])).await;
        match outcome.act {
            Act::Go => {}
            Act::Stop(ruling) => self.joined.deny(*ruling),
            Act::Ask(question) => self.joined.asks.extend(question.parts),
            Act::Reply(body) => self.joined.answer = Some(body),
            Act::Elsewhere { route: place, .. } if *place == route.place() => {}
            Act::Elsewhere { route: place, .. } => {
                let mut turns = outcome.trace.entries();
                let other = turns.find(|turn| matches!(turn.said, Said::Diverted(_))).map_or(&by, |turn| &turn.by.id);
                self.joined.deny(conflict((&by, &route), (other, &place)));
            }
        }
        self.trace.append(&outcome.trace);
        route.command = arguments.json().ok().and_then(Command::from_json);
        if route.command.is_none() {
            let reason = "an edit left a routed command that cannot be run";
            self.joined.deny(Ruling::of_pipeline(Cause::Unreadable, reason));
        }
        self.joined.divert = Some((by, route));
    }

    /// Once a gate has looked, a document goes on only if everybody else must read it the same way.
    fn document(&mut self, body: &mut Body) {
        if self.trace.is_empty() || !body.was_read() {
            return;
        }
        if let Err(fault) = body.json() {
            self.joined.deny(Ruling::of_pipeline(Cause::Unreadable, fault.detail));
        }
        match body.ambiguity() {
            Some(_) if self.inner.rewrite_ambiguous => body.rewrite(),
            Some(why) => {
                let reason = format!("the document can be read in two ways ({why}); send it without that");
                self.joined.deny(Ruling::of_pipeline(Cause::Ambiguous, reason));
            }
            None => {}
        }
    }

    fn act(&mut self, event: &Event<'_>, body: &mut Body) -> Act {
        let Joined { deny, answer, asks, divert } = std::mem::take(&mut self.joined);
        if let Some(ruling) = deny {
            return ruling.into();
        }
        if let Some(answer) = answer {
            return Act::Reply(answer);
        }
        let route = divert.map(|(_, route)| route);
        if asks.is_empty() && route.is_none() {
            return Act::Go;
        }
        // To bind an approval or a route to the call, the call must be read, whoever looked before.
        let document = call_document(event, body, route.as_deref());
        self.document(body);
        let digest = match (document, self.joined.deny.take()) {
            (Ok(document), None) => (self.inner.digest)(&document),
            (_, Some(ruling)) => return ruling.into(),
            (Err(fault), None) => return Ruling::of_pipeline(Cause::Unreadable, fault.detail).into(),
        };
        self.trace.digest = digest.into();
        match route {
            Some(route) if asks.is_empty() => Act::Elsewhere { route, digest },
            route => {
                let first = asks.iter().filter_map(|(_, query)| query.timeout).min();
                let deadline = first.map(|time| self.inner.clock.wall() + time);
                Act::Ask(Box::new(Question { parts: asks, digest, deadline, route }))
            }
        }
    }

    pub(crate) async fn watches(
        &mut self,
        event: &Event<'_>,
        body: &Body,
        plan: &Plan,
        mut outcome: Outcome,
    ) -> Outcome {
        for &who in plan.watches() {
            let Some(entry) = self.due(event, who) else { continue };
            let Role::Watch(watch) = &entry.role else { continue };
            let step = Fault::catch(|| watch.watch(event, body, &outcome));
            let seen = self.settle(step, entry).await;
            let slot = self.slot(event, who, entry);
            match seen {
                Ok(()) => outcome.trace.push(slot, Said::Passed, Vec::new()),
                Err(fault) => {
                    if entry.on_fault == OnFault::Deny && !matches!(outcome.act, Act::Stop(_)) {
                        outcome.act = Ruling::of_fault(entry, &fault).into();
                    }
                    outcome.trace.push(slot, Said::Faulted(fault), Vec::new());
                }
            }
        }
        outcome
    }

    /// The interceptor at this place, if the event is for it.
    pub(crate) fn due(&mut self, event: &Event<'_>, who: u32) -> Option<&'p Registration> {
        let entry = self.inner.sorted.get(who as usize)?;
        if !entry.select.fits(event) || self.except.contains(&who) {
            return None;
        }
        if event.chain.contains(&&*entry.id) {
            let slot = Slot { who, look: event.look, routed: event.routed, ..Slot::default() };
            self.trace.push(slot, Said::Skipped, Vec::new());
            return None;
        }
        Some(entry)
    }

    /// Notes down what an interceptor said, and joins it to what the others said.
    pub(crate) fn heard(
        &mut self,
        event: &Event<'_>,
        who: u32,
        entry: &Registration,
        answer: Result<(Verdict, Vec<String>), Fault>,
    ) {
        let slot = self.slot(event, who, entry);
        match answer {
            Ok((verdict, changes)) => {
                self.trace.push(slot, Said::of(&verdict), changes);
                self.joined.join(&entry.id, event.point, verdict);
            }
            Err(fault) => {
                if entry.on_fault == OnFault::Deny {
                    self.joined.deny(Ruling::of_fault(entry, &fault));
                }
                self.trace.push(slot, Said::Faulted(fault), Vec::new());
            }
        }
    }

    fn slot(&mut self, event: &Event<'_>, who: u32, entry: &Registration) -> Slot {
        let now = self.inner.clock.now();
        let took = now.saturating_sub(self.last);
        self.last = now;
        let overran = entry.limit.is_some_and(|limit| took > limit);
        Slot { who, look: event.look, routed: event.routed, overran, took, ..Slot::default() }
    }

    /// Waits for an answer: not for ever, and not past a panic.
    async fn settle<T>(&self, step: Result<Step<'_, T>, Fault>, entry: &Registration) -> Result<T, Fault> {
        let mut future = match step? {
            Step::Now(answer) => return answer,
            Step::Later(future) => future,
        };
        let clock = &self.inner.clock;
        let deadline = entry.limit.map(|limit| clock.now() + limit);
        let mut waker: Option<Waker> = None;
        let answer = poll_fn(|context| {
            match Fault::catch(|| future.as_mut().poll(context)) {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(answer)) => return Poll::Ready(answer),
                Err(fault) => return Poll::Ready(Err(fault)),
            }
            if !self.patient {
                let detail = "it has to wait, and this caller cannot";
                return Poll::Ready(Err(Fault::new(FaultKind::Waits, detail)));
            }
            let Some(deadline) = deadline else { return Poll::Pending };
            if clock.now() >= deadline {
                let detail = format!("no answer within {:?}", entry.limit.unwrap_or_default());
                return Poll::Ready(Err(Fault::new(FaultKind::Timeout, detail)));
            }
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                clock.wake_at(deadline, context.waker());
                waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
        // Letting go of a handler can panic too.
        let dropped = Fault::catch(|| drop(future));
        answer.and_then(|answer| dropped.map(|()| answer))
    }
}

fn notes_only(point: Point) -> Fault {
    Fault::new(FaultKind::Garbage, format!("it changed more than notes, and {point} takes only those"))
}

/// All that makes a call this call and no other, as one document.
fn call_document(event: &Event<'_>, body: &Body, route: Option<&Route>) -> Result<Value, Fault> {
    let mut document = Map::new();
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            document.insert(key.to_owned(), value);
        }
    };
    add("point", Some(event.point.name().into()));
    add("name", event.tool_now(body).map(|name| name.written().into()));
    add("server", event.server.map(Value::from));
    add("cwd", event.cwd.map(Value::from));
    let headers = |headers: &crate::Headers| headers.iter().map(|(k, v)| Value::from(vec![k, v])).collect();
    add("headers", body.headers().map(headers));
    add("body", Some(body.json()?.clone()));
    add("route", route.map(Route::to_json));
    Ok(Value::Object(document))
}

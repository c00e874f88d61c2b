//! One event's way through the pipeline.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use serde_json::Value;

use crate::index::Plan;
use crate::outcome::Joined;
use crate::roles::Later;
use crate::trace::Change;
use crate::{
    Act, Body, Cause, Event, Fault, FaultKind, Name, OnFault, Outcome, Pipeline, Point, Question, Registration, Role,
    Ruling, Said, Step, Trace, Verdict,
};

/// How often one call may be renamed.
const MAX_RENAMES: usize = 4;

/// Asks an interceptor. Written out at each place, because a future for an answer that is already there would
/// cost more than the question.
macro_rules! settle {
    ($run:ident, $due:ident, $ask:expr) => {
        match Fault::catch($ask) {
            Ok(Step::Now(answer)) => answer,
            Ok(Step::Later(future)) => $run.wait(future, $due.entry).await,
            Err(fault) => Err(fault),
        }
    };
}

pub(crate) struct Run<'p> {
    pipeline: &'p Pipeline,
    pub(crate) joined: Joined,
    pub(crate) trace: Trace,
    /// How many turns had been taken when the body last changed.
    changed_at: usize,
    last: Duration,
    patient: bool,
    except: &'p [u32],
    /// Whether the body may no longer change.
    pub(crate) frozen: bool,
}

/// An interceptor whose turn it is.
#[derive(Clone, Copy)]
pub(crate) struct Due<'p> {
    pub(crate) who: u32,
    pub(crate) entry: &'p Registration,
}

impl<'p> Run<'p> {
    pub(crate) fn new(pipeline: &'p Pipeline, patient: bool, except: &'p [u32]) -> Self {
        let (joined, last) = (Joined::default(), pipeline.inner.clock.now());
        let trace = Trace { of: Some(Arc::clone(&pipeline.inner.sorted)), ..Trace::default() };
        Self { pipeline, joined, trace, changed_at: 0, last, patient, except, frozen: false }
    }

    /// The whole way. The order of these lines is the specification.
    pub(crate) async fn all(&mut self, event: &Event<'_>, body: &mut Body, plan: Arc<Plan>) -> Outcome {
        let plan = self.edits(event, body, plan).await;
        let asked: Vec<u32> = self.trace.turns().take(self.changed_at).collect();
        let again: Vec<u32> = plan.edits.iter().copied().filter(|who| asked.contains(who)).collect();
        if !again.is_empty() {
            self.judges(&Event { look: 2, ..*event }, body, &again).await;
        }
        self.judges(event, body, &plan.guards).await;
        self.routed_command(event).await;
        self.check_document(body);
        let act = self.act(event, body);
        let mut outcome = Outcome { act, trace: std::mem::take(&mut self.trace) };
        self.watches(event, body, &plan.watches, &mut outcome).await;
        outcome
    }

    /// The next edit is always the first in order that is due for the name the call has *now* and has not
    /// had its turn. Without a rename that is simply the next one.
    async fn edits(&mut self, event: &Event<'_>, body: &mut Body, mut plan: Arc<Plan>) -> Arc<Plan> {
        let (mut next, mut renames) = (0, 0);
        while let Some(&who) = plan.edits.get(next).filter(|_| self.joined.deny.is_none()) {
            next += 1;
            if renames > 0 && self.trace.turns().any(|turn| turn == who) {
                continue;
            }
            let Some(due) = self.due(event, who) else { continue };
            let name = body.renamed().cloned();
            self.edit(event, body, due).await;
            let written = name.as_ref().or(event.became).or(event.name).map(Name::written);
            if event.tool_now(body).map(Name::written) != written {
                renames += 1;
                if event.point != Point::ToolBefore || event.fixed_name || renames > MAX_RENAMES {
                    let reason = format!("`{}` renamed the call once more than is possible here", due.entry.id);
                    self.joined.refuse(Cause::Renames, reason);
                }
                (plan, next) = (self.pipeline.plan(event, body).unwrap_or_default(), 0);
            }
        }
        plan
    }

    async fn edit(&mut self, event: &Event<'_>, body: &mut Body, due: Due<'p>) {
        let Role::Edit(edit) = &due.entry.role else { return };
        let before = body.clone();
        let lent = &mut *body;
        let answer = settle!(self, due, move || edit.edit(event, lent));
        let closed = body.close_edit(&before, &self.pipeline.inner.names, event);
        let (answer, change) = match answer.and_then(|verdict| Ok((verdict, closed?))) {
            Ok((verdict, changed)) => (Ok(verdict), changed.then(|| Box::new((before, body.clone())))),
            Err(fault) => {
                *body = before;
                (Err(fault), None)
            }
        };
        let rewrote = |(a, b): &(Body, Body)| !a.shares_document(b) || a.headers() != b.headers();
        if self.frozen && change.as_deref().is_some_and(rewrote) {
            self.joined.refuse(Cause::Power, "it would rewrite the beginning of a stream, which is already out");
        }
        if change.is_some() {
            self.changed_at = self.trace.turns().count();
        }
        self.heard(event, due, answer, change);
    }

    /// Asks guards, and edits for the second time, about the final body. An edit gets a copy to write on.
    async fn judges(&mut self, event: &Event<'_>, body: &Body, whom: &[u32]) {
        for &who in whom {
            if self.joined.deny.is_some() {
                return;
            }
            let Some(due) = self.due(event, who) else { continue };
            let mut copy = None;
            let answer = match &due.entry.role {
                Role::Guard(guard) => settle!(self, due, || guard.judge(event, body)),
                Role::Edit(edit) => settle!(self, due, || edit.edit(event, copy.insert(body.clone()))),
                Role::Watch(_) => continue,
            };
            // What it wrote is dropped, and may be anything.
            let _ = copy.as_mut().map(Body::refuse_deep);
            self.heard(event, due, answer, None);
        }
    }

    /// A command that comes with a route runs too, so it is judged too: as an `exec` call, by the same
    /// snapshot. What edits make of it is what the route will run.
    async fn routed_command(&mut self, event: &Event<'_>) {
        let settled = self.joined.deny.is_some() || self.joined.answer.is_some() || event.routed;
        let Some((by, route)) = self.joined.route.as_mut().filter(|_| !settled) else { return };
        let (name, by) = (self.pipeline.inner.names.name("exec"), by.clone());
        let Some(command) = route.command.take() else { return };
        // Whoever supplies the command has caused this event, and is not asked what to do with it.
        let mut chain = event.chain.to_vec();
        for group in self.pipeline.inner.sorted.iter().filter(|who| by.contains(&who.id)).flat_map(|who| &who.group) {
            if !chain.contains(&&**group) {
                chain.push(group);
            }
        }
        let exec = Event { point: Point::ToolBefore, name: Some(&name), became: None, server: None, ..*event };
        let exec = Event { chain: &chain, routed: true, fixed_name: true, ..exec };
        let mut arguments = Body::from(Value::Object(command));
        let mut outcome = Box::pin(self.pipeline.pass(&exec, &mut arguments, self.patient, &[])).await;
        // Whoever sends every command somewhere is content with one that goes there anyway.
        let sender = outcome.trace.entries().find(|(_, turn)| matches!(turn.said, Said::Routed(_)));
        let sender = sender.map_or_else(|| "exec".into(), |(sender, _)| Arc::clone(&sender.id));
        match outcome.act {
            Act::Pass => {}
            Act::Deny(ruling) => self.joined.deny(*ruling),
            Act::Answer(body) => self.joined.answer = Some(body),
            Act::Route { route, .. } => self.joined.route(&sender, route),
            Act::Ask(question) => {
                question.parts.into_iter().for_each(|part| self.joined.ask(part));
                question.route.into_iter().for_each(|route| self.joined.route(&sender, route));
            }
        }
        self.trace.more.append(&mut outcome.trace.more);
        match (arguments.into_json(), &mut self.joined.route) {
            (Ok(Value::Object(command)), Some((_, route))) if command.get("command").is_some_and(Value::is_string) => {
                route.command = Some(command);
            }
            _ => {
                let reason = format!("`{}` routes it to a command without a text", by.join("`, `"));
                self.joined.refuse(Cause::Unreadable, reason);
            }
        }
    }

    /// Once a gate has looked, a document goes on only if everybody else must read it the same way.
    pub(crate) fn check_document(&mut self, body: &mut Body) {
        if self.trace.turns().next().is_none() || !body.was_read() {
            return;
        }
        match (body.json(), body.ambiguity()) {
            (Err(fault), _) => self.joined.refuse(Cause::Unreadable, fault.detail),
            // What leaves is then what was read.
            (Ok(_), Some(_)) if self.pipeline.inner.rewrite_ambiguous && !self.frozen => body.raw = None,
            (Ok(_), Some(why)) => {
                let reason = format!("the document can be read in two ways ({why}); send it without that");
                self.joined.refuse(Cause::Ambiguous, reason);
            }
            (Ok(_), None) => {}
        }
    }

    fn act(&mut self, event: &Event<'_>, body: &mut Body) -> Act {
        let asks = std::mem::take(&mut self.joined.asks);
        let route = self.joined.route.take().map(|(_, route)| route);
        let bound = !asks.is_empty() || route.is_some();
        self.trace.digest = bound.then(|| self.pipeline.digest(event, body, route.as_deref()).ok()).flatten();
        // To bind an approval or a route to the call it had to be read, whoever looked before.
        self.check_document(body);
        let stop = self.joined.deny.take().map(|ruling| Act::Deny(Box::new(ruling)));
        let decided = stop.or(self.joined.answer.take().map(Act::Answer));
        match (decided, self.trace.digest, route) {
            (Some(act), ..) => act,
            (None, None, _) if bound => Outcome::deny(Cause::Unreadable, "the call has no digest").act,
            (None, None, _) => Act::Pass,
            (None, Some(digest), Some(route)) if asks.is_empty() => Act::Route { route, digest },
            (None, Some(digest), route) => {
                let first = asks.iter().filter_map(|(_, query)| query.timeout).min();
                let deadline = first.map(|time| self.pipeline.inner.clock.wall().saturating_add(time));
                Act::Ask(Box::new(Question { parts: asks, digest, deadline, route }))
            }
        }
    }

    pub(crate) async fn watches(&mut self, event: &Event<'_>, body: &Body, whom: &[u32], out: &mut Outcome) {
        for &who in whom {
            let due = self.due(event, who);
            out.trace.more.append(&mut self.trace.more);
            let Some(due) = due else { continue };
            let Role::Watch(watch) = &due.entry.role else { continue };
            let seen = settle!(self, due, || watch.watch(event, body, out));
            let required = due.entry.on_fault == OnFault::Deny && !matches!(out.act, Act::Deny(_));
            if let Some(fault) = seen.as_ref().err().filter(|_| required) {
                out.act = Act::Deny(Box::new(Ruling::of_fault(due.entry, fault)));
            }
            out.trace.note(event, due, self.lap(), seen.map_or_else(Said::Faulted, |()| Said::Passed), None);
        }
    }

    /// The interceptor at this place, if the event is for it.
    pub(crate) fn due(&mut self, event: &Event<'_>, who: u32) -> Option<Due<'p>> {
        let due = Due { who, entry: self.pipeline.inner.sorted.get(who as usize)? };
        let declines = event.look == 2 && !due.entry.second_look;
        if declines || !due.entry.select.fits(event) || self.except.contains(&who) {
            return None;
        }
        // A record that must not be missing is not missing here either.
        let required = matches!(due.entry.role, Role::Watch(_)) && due.entry.on_fault == OnFault::Deny;
        let caused = due.entry.group.as_deref().is_some_and(|group| event.chain.contains(&group));
        if caused && !required {
            self.trace.note(event, due, Duration::ZERO, Said::Skipped, None);
            return None;
        }
        Some(due)
    }

    /// Notes down what an interceptor said, and joins it to what the others said.
    pub(crate) fn heard(&mut self, event: &Event<'_>, due: Due<'_>, answer: Result<Verdict, Fault>, change: Change) {
        let took = self.lap();
        if matches!(answer, Ok(Verdict::Pass)) {
            // By far the most frequent answer, so it takes the shortest way.
            return self.trace.note(event, due, took, Said::Passed, change);
        }
        let said = match answer.and_then(Verdict::refuse_deep) {
            Ok(verdict) => {
                let said = Said::of(&verdict);
                self.joined.join(&due.entry.id, event.point, verdict);
                said
            }
            Err(fault) => {
                if due.entry.on_fault == OnFault::Deny {
                    self.joined.deny(Ruling::of_fault(due.entry, &fault));
                }
                Said::Faulted(fault)
            }
        };
        self.trace.note(event, due, took, said, change);
    }

    /// The time since the last turn.
    fn lap(&mut self) -> Duration {
        let now = self.pipeline.inner.clock.now();
        now.saturating_sub(std::mem::replace(&mut self.last, now))
    }

    /// Waits for an answer: not for ever, and not past a panic.
    async fn wait<T>(&self, mut future: Later<'_, T>, entry: &Registration) -> Result<T, Fault> {
        let clock = &self.pipeline.inner.clock;
        let deadline = clock.now().saturating_add(entry.limit.unwrap_or(Duration::MAX));
        let mut alarm: Option<(Waker, Box<dyn Send>)> = None;
        let answer = poll_fn(|context| {
            let polled = Fault::catch(|| future.as_mut().poll(context)).unwrap_or_else(|fault| Poll::Ready(Err(fault)));
            if polled.is_ready() {
                return polled;
            }
            if !self.patient {
                return Poll::Ready(Err(Fault::new(FaultKind::Waits, "it has to wait, and this caller cannot")));
            }
            if clock.now() >= deadline {
                let detail = format!("no answer within {:?}", entry.limit.unwrap_or_default());
                return Poll::Ready(Err(Fault::new(FaultKind::Timeout, detail)));
            }
            if entry.limit.is_some() && !alarm.as_ref().is_some_and(|(waker, _)| waker.will_wake(context.waker())) {
                alarm = Some((context.waker().clone(), clock.wake_at(deadline, context.waker())));
            }
            Poll::Pending
        })
        .await;
        // Letting go of a handler can panic too.
        let dropped = Fault::catch(|| drop(future));
        answer.and_then(|answer| dropped.map(|()| answer))
    }
}

//! The reference pipeline: what `spec/points.md` says, in the plainest code there is.
//!
//! It clones, sorts and searches at every step, shares nothing and remembers nothing between calls. When it
//! and core's pipeline disagree, read the specification; this one is easier to compare with it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::Value;
use tollgate_core::{
    Act, Body, Cause, Digest, Event, Fault, FaultKind, Match, Name, Names, OnFault, Outcome, Point, Query, Question,
    Registration, Role, Route, Ruling, Said, Step, Trace, Verdict,
};

use crate::document::{looks, peek};
use crate::report::{Look, Turns, describe};
use crate::{Report, actors::Log};

/// Everything calls run on.
pub struct Naive<'a> {
    /// Who is registered, in order of registration.
    pub registrations: &'a [Registration],
    /// The aliases.
    pub names: &'a Names,
    /// Whether an ambiguous document is sent on as it was read.
    pub rewrite_ambiguous: bool,
    /// Whether the caller can wait for interceptors.
    pub can_wait: bool,
}

/// What is known in the middle of a run.
#[derive(Default)]
struct Round {
    turns: Turns,
    anybody_ran: bool,
    somebody_looked: bool,
    elapsed: Duration,
    refusal: Option<Ruling>,
    answer: Option<Body>,
    questions: Vec<(Arc<str>, Query)>,
    route: Option<(Vec<String>, Route)>,
}

impl Naive<'_> {
    /// Runs one event and describes what came of it; `log` is where its watchers write.
    pub fn run(&self, event: &Event<'_>, body: &mut Body, log: &Log) -> Report {
        let mut round = Round::default();
        let act = self.decide(event, body, &mut round);
        describe(&act, round.turns, body, log.take(), Duration::ZERO)
    }

    fn decide(&self, event: &Event<'_>, body: &mut Body, round: &mut Round) -> Act {
        if event.chain.len() > 8 {
            round.refuse(Cause::Depth, "interceptors caused one another more than 8 deep".to_owned());
        }
        let asked_before_the_last_change = self.edits(event, body, round);
        self.second_looks(event, body, round, &asked_before_the_last_change);
        self.guards(event, body, round);
        self.routed_command(event, round);
        self.check_document(body, round);
        let act = self.join(event, body, round);
        self.watchers(event, body, act, round)
    }

    // ---- who is due ----

    /// Those of a role who are due for the call as it is named now, in order.
    fn due(&self, role: &str, event: &Event<'_>, body: &Body) -> Vec<Registration> {
        let mut due = self.registrations.to_vec();
        due.retain(|it| word(&it.role) == role && self.is_for(it, event, body));
        due.sort_by_key(|it| std::cmp::Reverse(it.priority));
        due
    }

    fn is_for(&self, it: &Registration, event: &Event<'_>, body: &Body) -> bool {
        // A body knows no aliases; whoever runs it does.
        let written = body.renamed().or(event.became).or(event.name).map(Name::written);
        let tool = written.map(|written| self.names.tool_of(written, event.server));
        let mut tools = tool.iter().flat_map(Name::all);
        it.points.contains(&event.point)
            && (matches!(it.select.tool, Match::Any) || tools.any(|tool| self.names_tool(&it.select.tool, tool)))
            && it.select.agent.fits(event.agent)
            && it.select.session.fits(event.session)
            && it.select.surface.fits(event.surface)
            && it.select.server.fits(event.server)
            && it.select.model.fits(event.model)
    }

    fn names_tool(&self, condition: &Match, tool: &str) -> bool {
        match condition {
            Match::Any => true,
            Match::Exact(name) => self.names.name(name).normal() == tool,
            Match::Glob(pattern) => glob(pattern.trim().to_lowercase().as_bytes(), tool.as_bytes()),
            Match::With(_, fits) => fits(tool),
        }
    }

    // ---- the order of a run ----

    /// Gives back who was asked before the body last changed.
    fn edits(&self, event: &Event<'_>, body: &mut Body, round: &mut Round) -> Vec<Arc<str>> {
        let (mut had_a_turn, mut asked_before_the_last_change): (Vec<Arc<str>>, _) = (Vec::new(), Vec::new());
        let mut renames = 0;
        while round.refusal.is_none() {
            let due = self.due("edit", event, body);
            let Some(next) = due.iter().find(|it| !had_a_turn.contains(&it.id)) else { break };
            let before = body.clone();
            if self.edit(next, event, body, round) {
                asked_before_the_last_change.clone_from(&had_a_turn);
            }
            had_a_turn.push(Arc::clone(&next.id));
            let written = |body: &Body| event.tool_now(body).map(|name| name.written().to_owned());
            if written(body) != written(&before) {
                renames += 1;
                if event.point != Point::ToolBefore || event.fixed_name || renames > 4 {
                    let reason = format!("`{}` renamed the call once more than is possible here", next.id);
                    round.refuse(Cause::Renames, reason);
                }
            }
        }
        asked_before_the_last_change
    }

    /// One edit's turn. Says whether the body changed.
    fn edit(&self, it: &Registration, event: &Event<'_>, body: &mut Body, round: &mut Round) -> bool {
        if round.skips(it, event) {
            return false;
        }
        let (before, looks_before) = (body.clone(), looks());
        let mut after = body.clone();
        let answer = self.ask(it, event, &mut after, round).and_then(|verdict| {
            check_written(&before, &after, event.point)?;
            Ok(verdict)
        });
        let changed = answer.is_ok() && differs(&before, &after);
        // Who looked has looked, even if it broke afterwards.
        round.somebody_looked |= looks() != looks_before || peek(&before) != peek(&after);
        if answer.is_ok() {
            *body = keep(&before, after);
        }
        round.hear(it, event, answer, changed);
        changed
    }

    fn second_looks(&self, event: &Event<'_>, body: &Body, round: &mut Round, asked: &[Arc<str>]) {
        let event = Event { look: 2, ..*event };
        for it in self.due("edit", &event, body) {
            if asked.contains(&it.id) && it.second_look {
                self.judge(&it, &event, body, round);
            }
        }
    }

    fn guards(&self, event: &Event<'_>, body: &Body, round: &mut Round) {
        for it in self.due("guard", event, body) {
            self.judge(&it, event, body, round);
        }
    }

    /// One judge's turn, on a copy: unless it is all over, or it caused this itself.
    fn judge(&self, it: &Registration, event: &Event<'_>, body: &Body, round: &mut Round) {
        if round.refusal.is_some() || round.skips(it, event) {
            return;
        }
        let looks_before = looks();
        let answer = self.ask(it, event, &mut body.clone(), round);
        round.somebody_looked |= looks() != looks_before;
        round.hear(it, event, answer, false);
    }

    /// What comes with a route is an `exec` call like any other.
    fn routed_command(&self, event: &Event<'_>, round: &mut Round) {
        let settled = round.refusal.is_some() || round.answer.is_some() || event.routed;
        let Some((by, Route { command: Some(command), .. })) = round.route.clone().filter(|_| !settled) else { return };
        let name = self.names.name("exec");
        let exec = Event { point: Point::ToolBefore, name: Some(&name), became: None, server: None, ..*event };
        // Whoever supplies the command has caused this, and is not asked about it.
        let suppliers = self.registrations.iter().filter(|it| by.iter().any(|by| **by == *it.id));
        let mut groups: Vec<&str> = suppliers.filter_map(|it| it.group.as_deref()).collect();
        groups.retain(|group| !event.chain.contains(group));
        groups.sort_unstable();
        groups.dedup();
        let chain = [event.chain, &groups].concat();
        let exec = Event { chain: &chain, routed: true, fixed_name: true, ..exec };
        let mut arguments = Body::from(Value::Object(command));
        let mut inner = Round { elapsed: round.elapsed, ..Round::default() };
        let act = self.decide(&exec, &mut arguments, &mut inner);
        let sender = inner.route.as_ref().and_then(|(by, _)| by.first()).map_or("exec".to_owned(), String::clone);
        round.take_turns_of(inner);
        round.set_command(None);
        round.take_over(&sender, act);
        match peek(&arguments) {
            Ok(Value::Object(command)) if command.get("command").is_some_and(Value::is_string) => {
                round.set_command(Some(command));
            }
            _ => {
                round.refuse(Cause::Unreadable, format!("`{}` routes it to a command without a text", by.join("`, `")))
            }
        }
    }

    /// Once somebody looked, everybody else must read the document the same way.
    fn check_document(&self, body: &mut Body, round: &mut Round) {
        if !round.anybody_ran || !round.somebody_looked {
            return;
        }
        match (body.json().cloned(), body.ambiguity()) {
            (Err(fault), _) => round.refuse(Cause::Unreadable, fault.detail.into_owned()),
            (Ok(value), Some(_)) if self.rewrite_ambiguous => body.set(value),
            (Ok(_), Some(why)) => {
                let reason = format!("the document can be read in two ways ({why}); send it without that");
                round.refuse(Cause::Ambiguous, reason);
            }
            (Ok(_), None) => {}
        }
    }

    fn join(&self, _: &Event<'_>, body: &mut Body, round: &mut Round) -> Act {
        let route = round.route.clone().map(|(_, route)| Box::new(route));
        if route.is_some() || !round.questions.is_empty() {
            // What is bound to this call is bound to its document, so that was read.
            round.somebody_looked = true;
            self.check_document(body, round);
        }
        let digest = Digest([0; 32]);
        if let Some(ruling) = round.refusal.clone() {
            stop(ruling)
        } else if let Some(answer) = round.answer.clone() {
            Act::Answer(Box::new(answer))
        } else if !round.questions.is_empty() {
            let first = round.questions.iter().filter_map(|(_, query)| query.timeout).min();
            let deadline = first.map(|timeout| round.elapsed + timeout);
            Act::Ask(Box::new(Question { parts: round.questions.clone(), digest, deadline, route }))
        } else if let Some(route) = route {
            Act::Route { route, digest }
        } else {
            Act::Pass
        }
    }

    /// Required watchers first; if one of them breaks, nothing happens.
    fn watchers(&self, event: &Event<'_>, body: &Body, mut act: Act, round: &mut Round) -> Act {
        let mut due = self.due("watch", event, body);
        due.sort_by_key(|it| it.on_fault == OnFault::Pass);
        for it in due {
            if round.skips(&it, event) {
                continue;
            }
            let Role::Watch(watch) = &it.role else { continue };
            let outcome = Outcome { act: act.clone(), trace: Trace::default() };
            let seen = self.settle(&it, round, || watch.watch(event, body, &outcome));
            if let (Err(fault), OnFault::Deny, false) = (&seen, it.on_fault, matches!(act, Act::Deny(_))) {
                act = stop(ruling_of_fault(&it, fault));
            }
            let said = seen.map_or_else(Said::Faulted, |()| Said::Passed);
            round.turns.add(&it, look(event), &said, false);
        }
        act
    }

    // ---- asking ----

    fn ask(&self, it: &Registration, event: &Event<'_>, body: &mut Body, round: &mut Round) -> Result<Verdict, Fault> {
        match &it.role {
            Role::Edit(edit) => self.settle(it, round, || edit.edit(event, body)),
            Role::Guard(guard) => self.settle(it, round, || guard.judge(event, body)),
            Role::Watch(_) => Ok(Verdict::Pass),
        }
    }

    /// Waits for an answer, as far as one may.
    fn settle<'s, T: 's>(
        &self,
        it: &Registration,
        round: &mut Round,
        start: impl FnOnce() -> Step<'s, T>,
    ) -> Result<T, Fault> {
        let mut future = match catch(start)? {
            Step::Now(answer) => return answer,
            Step::Later(future) => future,
        };
        for _ in 0..10 {
            match catch(|| future.as_mut().poll(&mut Context::from_waker(Waker::noop())))? {
                Poll::Ready(answer) => return answer,
                Poll::Pending if self.can_wait => {}
                Poll::Pending => return Err(Fault::new(FaultKind::Waits, "it has to wait, and this caller cannot")),
            }
        }
        let limit = it.limit.unwrap_or_default();
        round.elapsed += limit;
        Err(Fault::new(FaultKind::Timeout, format!("no answer within {limit:?}")))
    }
}

impl Round {
    /// Nobody is asked about what it caused itself.
    fn skips(&mut self, it: &Registration, event: &Event<'_>) -> bool {
        let must_see = word(&it.role) == "watch" && it.on_fault == OnFault::Deny;
        let caused = !must_see && event.chain.iter().any(|group| it.group.as_deref() == Some(*group));
        if caused {
            self.turns.add(it, look(event), &Said::Skipped, false);
        }
        caused
    }

    fn hear(&mut self, it: &Registration, event: &Event<'_>, answer: Result<Verdict, Fault>, changed: bool) {
        self.anybody_ran = true;
        self.turns.add(it, look(event), &said(&answer), changed);
        match answer {
            Err(fault) if it.on_fault == OnFault::Deny => self.refuse_with(ruling_of_fault(it, &fault)),
            Err(_) | Ok(Verdict::Pass) => {}
            Ok(Verdict::Deny(reason)) => {
                self.refuse_with(Ruling { by: Some(Arc::clone(&it.id)), cause: Cause::Objection, reason });
            }
            Ok(verdict) if verdict.power().is_some_and(|power| !event.point.takes(power)) => {
                self.refuse(Cause::Power, format!("`{}` gave a verdict that {} does not take", it.id, event.point));
            }
            Ok(Verdict::Answer(body)) => drop(self.answer.get_or_insert(*body)),
            Ok(Verdict::Ask(query)) => self.question(Arc::clone(&it.id), *query),
            Ok(Verdict::Route(route)) => self.route(&it.id, *route),
        }
    }

    /// The same question of the same interceptor counts once.
    fn question(&mut self, by: Arc<str>, query: Query) {
        if !self.questions.contains(&(Arc::clone(&by), query.clone())) {
            self.questions.push((by, query));
        }
    }

    fn route(&mut self, by: &str, route: Route) {
        let Some((first, there)) = self.route.clone() else {
            self.route = Some((vec![by.to_owned()], route));
            return;
        };
        if there == route {
            self.supplied_by(by);
        } else {
            let first = first.join("`, `");
            let (at, to) = (&there.provider, &route.provider);
            let reason = format!("`{first}` sends it to `{at}` and `{by}` to `{to}`, and not in the same way");
            self.refuse(Cause::Conflict, reason);
        }
    }

    fn supplied_by(&mut self, by: &str) {
        if let Some((suppliers, _)) = self.route.as_mut().filter(|(suppliers, _)| !suppliers.iter().any(|it| it == by))
        {
            suppliers.push(by.to_owned());
        }
    }

    fn take_turns_of(&mut self, inner: Self) {
        self.elapsed = inner.elapsed;
        self.anybody_ran |= inner.anybody_ran;
        self.turns.taken.extend(inner.turns.taken);
        self.turns.skipped.extend(inner.turns.skipped);
    }

    /// What the judging of a route's command means for the call.
    fn take_over(&mut self, sender: &str, act: Act) {
        match act {
            Act::Pass => {}
            Act::Deny(ruling) => self.refuse_with(*ruling),
            Act::Answer(body) => self.answer = Some(*body),
            Act::Route { route, .. } => self.route(sender, *route),
            Act::Ask(question) => {
                question.parts.into_iter().for_each(|(by, query)| self.question(by, query));
                question.route.into_iter().for_each(|route| self.route(sender, *route));
            }
        }
    }

    fn set_command(&mut self, command: Option<serde_json::Map<String, Value>>) {
        if let Some((_, route)) = &mut self.route {
            route.command = command;
        }
    }

    fn refuse(&mut self, cause: Cause, reason: String) {
        self.refuse_with(Ruling::of_pipeline(cause, reason));
    }

    /// The first refusal stands.
    fn refuse_with(&mut self, ruling: Ruling) {
        self.refusal.get_or_insert(ruling);
    }
}

fn look(event: &Event<'_>) -> Look {
    Look { second: event.look == 2, routed: event.routed }
}

fn said(answer: &Result<Verdict, Fault>) -> Said {
    match answer {
        Err(fault) => Said::Faulted(fault.clone()),
        Ok(Verdict::Pass) => Said::Passed,
        Ok(Verdict::Deny(reason)) => Said::Denied(reason.to_string()),
        Ok(Verdict::Ask(query)) => Said::Asked(query.title.clone()),
        Ok(Verdict::Route(route)) => Said::Routed(route.provider.clone()),
        Ok(Verdict::Answer(_)) => Said::Answered,
    }
}

fn ruling_of_fault(it: &Registration, fault: &Fault) -> Ruling {
    let mend = it.mend.as_deref().unwrap_or("fix or remove it, then try again");
    let reason = format!("`{}` could not judge this ({fault}), so it is refused; to mend it: {mend}", it.id);
    Ruling { by: Some(Arc::clone(&it.id)), cause: Cause::Fault(fault.kind), reason: reason.into() }
}

/// The body after an edit: the old document if that is the same, so that it leaves as it came.
fn keep(before: &Body, after: Body) -> Body {
    let mut kept = if peek(before) == peek(&after) { before.clone() } else { after.clone() };
    kept.notes.clone_from(&after.notes);
    kept.tells.clone_from(&after.tells);
    if let Some(headers) = after.headers() {
        *kept.headers_mut() = headers.clone();
    }
    for (key, value) in after.labels().iter().skip(kept.labels().len()) {
        kept.label(key, value);
    }
    if let Some(name) = after.renamed() {
        kept.rename(name.written());
    }
    kept
}

/// What an edit may not leave behind.
fn check_written(before: &Body, after: &Body, point: Point) -> Result<(), Fault> {
    let garbage = |detail: &'static str| Err(Fault::new(FaultKind::Garbage, detail));
    let (old, new) = (peek(before), peek(after));
    let moved = before.renamed() != after.renamed() || before.headers() != after.headers();
    if new.as_ref().is_ok_and(|value| depth(value) > 127) {
        return garbage("the document nests deeper than 128 levels");
    }
    if after.renamed().is_some_and(|name| name.normal().is_empty()) {
        return garbage("it renamed the call to nothing");
    }
    if point == Point::SessionStart && (old != new || moved) {
        return garbage("it may only add notes here");
    }
    Ok(())
}

fn differs(before: &Body, after: &Body) -> bool {
    peek(before) != peek(after)
        || before.renamed().map(Name::written) != after.renamed().map(Name::written)
        || before.headers() != after.headers()
        || before.labels() != after.labels()
        || (&before.notes, &before.tells) != (&after.notes, &after.tells)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', pattern_rest @ ..], _) => (0..=text.len()).any(|skip| glob(pattern_rest, &text[skip..])),
        ([p, pattern_rest @ ..], [t, text_rest @ ..]) => p == t && glob(pattern_rest, text_rest),
        _ => false,
    }
}

fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| Fault::new(FaultKind::Panic, message(&*payload)))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

fn stop(ruling: Ruling) -> Act {
    Act::Deny(Box::new(ruling))
}

fn word(role: &Role) -> &'static str {
    match role {
        Role::Edit(_) => "edit",
        Role::Guard(_) => "guard",
        Role::Watch(_) => "watch",
    }
}

//! The other policy, asked about one recorded event after the other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Waker;
use std::time::Duration;

use serde_json::json;
use tollgate_config::Plan;
use tollgate_core::{Body, Clock, Ended, Event, Outcome, Pipeline, Point, Said};
use tollgate_engine::state::Memory;
use tollgate_engine::{Engine, Observed, Parts, Would, decider};

use super::recorded::{Act, Recorded};
use crate::command::Failure;
use crate::open::{self, Around};
use crate::output::Paint;

/// How many calls whose end is not yet known are remembered. A surface that reports no ends leaves all of its calls
/// open.
const MOST_OPEN: usize = 256;

/// What the other policy decides.
pub(super) struct Now {
    pub(super) act: Act,
    pub(super) rule: Option<String>,
}

pub(super) struct Judge {
    pipeline: Pipeline,
    clock: Arc<Shown>,
    /// Whether a decision depends on what was decided before.
    pub(super) remembers: bool,
    open: VecDeque<Begun>,
    observed: Arc<AtomicBool>,
}

/// A call that has begun.
struct Begun {
    session: Option<String>,
    call: String,
    /// The arguments, after all edits.
    arguments: Body,
    act: Act,
}

impl Judge {
    pub(super) fn new(mut plan: Plan, paint: Paint) -> Result<Self, Failure> {
        let remembers = !(plan.limits.is_empty() && plan.loops.is_empty() && plan.dedupes.is_empty());
        let (clock, observed) = (Arc::new(Shown::default()), Arc::new(AtomicBool::default()));
        let seen = Arc::clone(&observed);
        let report = move |_: &Event<'_>, one: Observed| {
            seen.fetch_or(!matches!(one.would, Would::Log(_)), Ordering::Relaxed);
        };
        let parts = Parts {
            state: Arc::new(Memory::default()),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            ambient: Around::new(),
            report: Some(Arc::new(report)),
            more: Vec::new(),
        };
        // Programs are not run for what is long over.
        plan.hooks.clear();
        let pipeline = Engine::new(plan, parts).map_err(|wrong| open::mistakes(&wrong, paint))?.pipeline();
        Ok(Self { pipeline, clock, remembers, open: VecDeque::new(), observed })
    }

    /// What is decided now; none where that cannot be compared: there is no document, or a call that ran then would not
    /// run now, or the other way round, and nobody knows what would have come of it.
    pub(super) fn judge(&mut self, recorded: &Recorded<'_>) -> Option<Now> {
        self.clock.show(recorded.time);
        self.observed.store(false, Ordering::Relaxed);
        match recorded.point {
            Point::ToolBefore => self.before(recorded),
            Point::ToolAfter => self.after(recorded),
            _ => Some(self.run(recorded, &mut recorded.document.clone().ok()?, &Rest::default())),
        }
    }

    /// Whether somebody who only observes would have objected to what was judged last.
    pub(super) fn observed(&self) -> bool {
        self.observed.load(Ordering::Relaxed)
    }

    fn before(&mut self, recorded: &Recorded<'_>) -> Option<Now> {
        let mut body = recorded.document.clone().ok()?;
        // The same call again, before its end: its agent now asks for permission, and what it takes is taken already.
        // Where the record says so, nobody has to guess.
        let is_again = self.take(recorded).is_some();
        let permission = recorded.record.permission || is_again;
        let now = self.run(recorded, &mut body, &Rest { permission, ..Rest::default() });
        if let Some(call) = recorded.record.call.clone() {
            let session = recorded.record.session.clone();
            self.open.push_back(Begun { session, call, arguments: body, act: now.act });
            self.open.drain(..self.open.len().saturating_sub(MOST_OPEN));
        }
        Some(now)
    }

    fn after(&mut self, recorded: &Recorded<'_>) -> Option<Now> {
        let begun = self.take(recorded);
        let ended = begun.as_ref().map_or(recorded.ended, |begun| end_now(begun.act, recorded.ended));
        let became = begun.as_ref().and_then(|begun| begun.arguments.renamed()).map(|name| name.written().to_owned());
        let arguments = begun.map(|begun| begun.arguments).or_else(|| recorded.arguments.clone());
        let rest = Rest { ended, arguments, became, permission: false };
        match recorded.document.clone().ok().filter(|_| ended == recorded.ended) {
            Some(mut body) => Some(self.run(recorded, &mut body, &rest)),
            None => {
                // Limits and the like must still learn that it is over. Results that nobody knows are no two alike.
                let unknown = json!({ "content": [], "record": recorded.record.seq });
                self.run(recorded, &mut Body::from(unknown), &rest);
                self.observed.store(false, Ordering::Relaxed);
                None
            }
        }
    }

    /// The call that this record is about, if it has begun.
    fn take(&mut self, recorded: &Recorded<'_>) -> Option<Begun> {
        let call = recorded.record.call.as_ref()?;
        let same = |begun: &Begun| begun.call == *call && begun.session == recorded.record.session;
        let at = self.open.iter().rposition(same)?;
        self.open.remove(at)
    }

    fn run(&self, recorded: &Recorded<'_>, body: &mut Body, rest: &Rest) -> Now {
        let record = recorded.record;
        let (agent, server) = (record.agent.as_deref().unwrap_or_default(), record.server.as_deref());
        let read =
            |tool| tollgate_wire::name_of(self.pipeline.names(), tool, &tollgate_wire::readings(agent, tool, server));
        let name = record.tool.as_deref().map(read);
        let became = rest.became.as_deref().or(record.became.as_deref());
        let became = became.map(|tool| self.pipeline.names().tool_of(tool, server));
        let chain: Vec<&str> = recorded.chain.iter().map(String::as_str).collect();
        let event = Event {
            name: name.as_ref(),
            became: became.as_ref(),
            call_id: record.call.as_deref(),
            session: record.session.as_deref(),
            agent: record.agent.as_deref(),
            surface: record.surface.as_deref(),
            server: record.server.as_deref(),
            model: record.model.as_deref(),
            native: record.native.as_deref(),
            cwd: recorded.cwd.as_deref(),
            principal: recorded.principal.as_deref(),
            chain: &chain,
            labels: &recorded.labels,
            arguments: rest.arguments.as_ref(),
            ended: rest.ended,
            took: record.took_us.map(Duration::from_micros),
            last: record.stream.is_some(),
            permission: rest.permission,
            ..Event::at(recorded.point)
        };
        let outcome = self.pipeline.run_now(&event, body);
        Now { act: Act::of(&outcome.act), rule: decider(&outcome.act).or_else(|| sender(&outcome)) }
    }
}

/// What an event is made of that does not stand in its record.
#[derive(Default)]
struct Rest {
    permission: bool,
    ended: Option<Ended>,
    arguments: Option<Body>,
    became: Option<String>,
}

/// Who sent it elsewhere, or answered it.
fn sender(outcome: &Outcome) -> Option<String> {
    if matches!(outcome.act, tollgate_core::Act::Pass) {
        return None;
    }
    let sent = |said: &Said| matches!(said, Said::Routed(_) | Said::Answered);
    let mut entries = outcome.trace.entries();
    entries.find(|(_, entry)| sent(&entry.said)).map(|(who, _)| who.id.to_string())
}

/// How a call ends now that ended otherwise then. Who is asked now is taken to say what was said then.
fn end_now(act: Act, then: Option<Ended>) -> Option<Ended> {
    match (act, then) {
        (Act::Ask, then) => then,
        (Act::Deny, _) => Some(Ended::Denied),
        (Act::Answer, _) => Some(Ended::Answered),
        (Act::Pass | Act::Route, Some(Ended::Denied | Ended::Answered)) => Some(Ended::Ok),
        (Act::Pass | Act::Route, then) => then,
    }
}

/// A clock that shows when something was recorded.
#[derive(Default)]
struct Shown(AtomicU64);

impl Shown {
    fn show(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.fetch_max(micros, Ordering::Relaxed);
    }
}

impl Clock for Shown {
    fn now(&self) -> Duration {
        self.wall()
    }

    fn wall(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    /// Nobody waits for a time that is over.
    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_call_ends_under_another_policy() {
        use Ended::{Answered, Denied, Error, Ok, Routed};
        for (act, then, expected) in [
            (Act::Pass, Some(Ok), Some(Ok)),
            (Act::Pass, Some(Error), Some(Error)),
            (Act::Pass, Some(Denied), Some(Ok)),
            (Act::Pass, Some(Answered), Some(Ok)),
            (Act::Pass, None, None),
            (Act::Route, Some(Routed), Some(Routed)),
            (Act::Ask, Some(Denied), Some(Denied)),
            (Act::Ask, Some(Ok), Some(Ok)),
            (Act::Deny, Some(Ok), Some(Denied)),
            (Act::Deny, Some(Denied), Some(Denied)),
            (Act::Answer, Some(Ok), Some(Answered)),
        ] {
            assert_eq!(end_now(act, then), expected, "{act:?} {then:?}");
        }
    }
}

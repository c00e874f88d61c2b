use std::sync::Arc;

use serde_json::Value;
use tollgate_core::{Body, Edit, Ended, Event, Fault, Guard, OnFault, Point, Power, Registration, Step, Verdict};

use super::call::Call;
use super::{Preview, When, order};
use crate::observe::{Report, observe};
use crate::state::{Repeat, State};

/// The same again and again, without progress: one call with the same result each time, or a circle of calls.
///
/// Results are compared by digest, so a call whose result keeps changing goes on for ever. Counting is per session.
#[derive(Clone)]
pub struct Loops {
    /// All of them.
    pub all: Arc<[Loop]>,
    /// Where the last calls are remembered.
    pub state: Arc<dyn State>,
    /// Takes what is only observed.
    pub report: Option<Report>,
}

/// When enough is enough.
#[derive(Clone)]
pub struct Loop {
    /// Its name.
    pub id: Arc<str>,
    /// The calls that are looked at.
    pub when: When,
    /// The model is told after so many, and again every ten.
    pub warn: usize,
    /// Refused after so many.
    pub deny: usize,
    /// How many calls back are remembered.
    pub window: usize,
    /// Whether it is only observed.
    pub observe: bool,
}

/// How often the model is told again.
const AGAIN: usize = 10;

impl Loops {
    /// The guard that refuses and the edit that counts and warns, if there is anything to look at.
    pub fn registrations(&self) -> Vec<Registration> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let guard = Registration::guard("loops", [Point::ToolBefore], self.clone());
        // First among edits, to see results as they came. It only adds notes, so it need not hold streams back, and
        // a result is not withheld because it could not be counted.
        let edit = Registration {
            priority: order::COUNT,
            on_fault: OnFault::Pass,
            hold_whole: false,
            second_look: false,
            ..Registration::edit("loops/count", [Point::ToolAfter], self.clone())
        };
        vec![Registration { priority: order::LOOPS, powers: vec![Power::Deny], ..guard }, edit]
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let call = Call::of(event, body);
        let Some(digest) = call.digest()? else { return Ok(Verdict::Pass) };
        for (index, one) in self.all.iter().enumerate() {
            if !(one.when)(&call.event, body)? {
                continue;
            }
            let repeat = self.state.repeats(call.session(), &history(index, one), digest)?;
            if repeat.times < one.deny {
                continue;
            }
            let reason = format!("{}: {}. Do something else, or ask the user", one.id, words(&call, repeat));
            let objection = Verdict::deny(reason);
            if !one.observe {
                return Ok(objection);
            }
            observe(self.report.as_ref(), event, &one.id, &objection);
        }
        Ok(Verdict::Pass)
    }

    fn count(&self, event: &Event<'_>, body: &mut Body) -> Result<(), Fault> {
        // A refused call is no try: it would make the refusal look like progress.
        if event.ended == Some(Ended::Denied) {
            return Ok(());
        }
        // By its bytes: to read a result is to refuse it if it cannot be read, and that is not for a counter to do.
        let result = tollgate_wire::digest(&Value::from(String::from_utf8_lossy(&body.to_bytes())));
        let mut notes = Vec::new();
        {
            let call = Call::of(event, body);
            let (Some(digest), Some(arguments)) = (call.digest()?, call.arguments) else { return Ok(()) };
            for (index, one) in self.all.iter().enumerate() {
                if !(one.when)(&call.event, arguments)? {
                    continue;
                }
                let repeat = self.state.record(call.session(), &history(index, one), one.window, digest, result)?;
                if repeat.times >= one.warn && (repeat.times - one.warn).is_multiple_of(AGAIN) && !one.observe {
                    let left = one.deny.saturating_sub(repeat.times);
                    let words = words(&call, repeat);
                    notes.push(format!("{}: {words}. After {left} more it is refused; try something else", one.id));
                }
            }
        }
        body.notes.extend(notes);
        Ok(())
    }
}

/// Under which a loop's calls are remembered. One without a name is called by its place, and somebody else's loop may
/// have that as its name: a shorter window there would forget what is counted here.
fn history(index: usize, one: &Loop) -> String {
    format!("{index}/{}", one.id)
}

fn words(call: &Call<'_>, Repeat { times, period }: Repeat) -> String {
    let tool = call.event.became.or(call.event.name).map_or("", |name| name.written());
    match period {
        1 => format!("`{tool}` was called {times} times with the same arguments and the same result"),
        _ => {
            format!("the same {period} calls, `{tool}` among them, went round {times} calls long with the same results")
        }
    }
}

impl Guard for Loops {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

impl Edit for Loops {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.count(event, body).map(|()| Verdict::Pass))
    }
}

impl Preview for Loops {
    fn preview(&self, event: &Event<'_>, body: &Body) -> Vec<String> {
        let call = Call::of(event, body);
        let Ok(Some(digest)) = call.digest() else { return Vec::new() };
        let due = self.all.iter().enumerate().filter(|(_, one)| (one.when)(&call.event, body).unwrap_or(false));
        due.filter_map(|(index, one)| {
            let Repeat { times, .. } = self.state.repeats(call.session(), &history(index, one), digest).ok()?;
            (times > 1).then(|| format!("loop {}: {times} times the same; {} refuse it", one.id, one.deny))
        })
        .collect()
    }
}

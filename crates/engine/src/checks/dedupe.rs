use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_core::{
    Act, Body, Clock, Digest, Ended, Event, Fault, Guard, Outcome, Point, Power, Registration, Step, Verdict, Watch,
};
use tollgate_wire::lens::lens_for;

use super::call::{Call, passed, spoken};
use super::tools::{Class, Tools};
use super::{Preview, When, order};
use crate::state::{Claim, Claimed, State};

/// How long a claim counts whose call is never heard of again, at least. Its process died, or the surface has no
/// point after the call; until then the same call is refused, because it may have run.
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// The largest result that is kept, as JSON.
const MAX_RESULT: usize = 16 * 1024;

/// The same write twice: the second gets the first one's result.
///
/// While the first runs, the second is refused. A call that failed or was refused lets go, so that it can be tried
/// again. Calls that only look are never held.
///
/// A result is kept without its credentials, whichever the store: what is remembered must not be worth stealing.
/// One that is too large is not kept; the second call is then told that the first has run.
#[derive(Clone)]
pub struct Dedupes {
    /// All of them; the first that speaks of a call counts.
    pub all: Arc<[Dedupe]>,
    /// What only looks.
    pub tools: Arc<Tools>,
    /// Where calls are remembered.
    pub state: Arc<dyn State>,
    /// For forgetting.
    pub clock: Arc<dyn Clock>,
}

/// Calls that must not happen twice.
#[derive(Clone)]
pub struct Dedupe {
    /// Its name.
    pub id: Arc<str>,
    /// The calls.
    pub when: When,
    /// How long a result is remembered.
    pub keep: Duration,
}

impl Dedupes {
    /// The guard that claims and the watcher that finishes, if there is anything to look at.
    pub fn registrations(&self) -> Vec<Registration> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let guard = Registration::guard("dedupe", [Point::ToolBefore], self.clone());
        let watch = Registration::watch("dedupe/settle", [Point::ToolBefore, Point::ToolAfter], self.clone());
        vec![Registration { priority: order::DEDUPE, powers: vec![Power::Deny, Power::Answer], ..guard }, watch]
    }

    fn due(&self, event: &Event<'_>, body: &Body) -> Result<Option<&Dedupe>, Fault> {
        for one in self.all.iter() {
            if (one.when)(event, body)? {
                return Ok((self.tools.class(event, body)? != Class::Read).then_some(one));
            }
        }
        Ok(None)
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let call = Call::of(event, body);
        let Some(one) = self.due(&call.event, body)? else { return Ok(Verdict::Pass) };
        let Some(digest) = call.digest()? else { return Ok(Verdict::Pass) };
        let claim = Claim { session: call.session(), digest, call: call.id() };
        // An agent that asks for permission has asked its hook before, and that has the claim already.
        let again = event.permission && !call.id().is_empty();
        let now = self.clock.wall();
        let ago = |then: Duration| spoken(now.saturating_sub(then));
        Ok(match self.state.claim(now, claim, again, PATIENCE.max(one.keep))? {
            Claimed::Mine => Verdict::Pass,
            Claimed::Running { since } => Verdict::deny(format!(
                "{}: the same call began {} ago and is still running. Wait for its result; it must not run twice",
                one.id,
                ago(since)
            )),
            Claimed::Done { at, result } => Verdict::answer(repeated(result, &ago(at))),
        })
    }

    fn settle(&self, event: &Event<'_>, body: &Body, outcome: &Outcome) -> Result<(), Fault> {
        let call = Call::of(event, body);
        let ran = match (event.point, event.ended, &outcome.act) {
            (Point::ToolBefore, _, Act::Deny(_) | Act::Answer(_)) if passed("dedupe", event, outcome) => false,
            (Point::ToolBefore, ..) => return Ok(()),
            (_, Some(Ended::Ok | Ended::Routed), _) => !body.json().is_ok_and(|doc| lens_for(doc).is_error(doc)),
            // Which of several that look alike was refused cannot be told.
            (_, Some(Ended::Denied | Ended::Answered), _) if call.id().is_empty() => return Ok(()),
            _ => false,
        };
        for digest in self.claimed(&call)? {
            let claim = Claim { session: call.session(), digest, call: call.id() };
            match ran {
                true => drop(self.state.finish(self.clock.wall(), claim, self.keep(&call), kept(body, outcome))?),
                false => self.state.release(claim)?,
            }
        }
        Ok(())
    }

    /// What a call has claimed; for one without an id, what it would claim.
    fn claimed(&self, call: &Call<'_>) -> Result<Vec<Digest>, Fault> {
        match call.id() {
            "" => Ok(call.digest()?.into_iter().collect()),
            id => Ok(self.state.claims(call.session(), id)?),
        }
    }

    /// How long a result is kept; the longest where it cannot be said any more which one spoke of the call.
    fn keep(&self, call: &Call<'_>) -> Duration {
        let due = call.arguments.and_then(|arguments| self.due(&call.event, arguments).ok().flatten());
        let longest = || self.all.iter().map(|one| one.keep).max().unwrap_or_default();
        due.map_or_else(longest, |one| one.keep)
    }
}

/// What may be kept of a result.
fn kept(body: &Body, outcome: &Outcome) -> Option<Value> {
    if matches!(outcome.act, Act::Deny(_)) {
        // It ran, and nobody may see what it came to.
        return None;
    }
    let mut result = body.json().ok()?.clone();
    tollgate_secrets::scanner().redact_json(&mut result);
    (result.to_string().len() <= MAX_RESULT).then_some(result)
}

/// The first one's result, marked, or word of it.
fn repeated(result: Option<Value>, ago: &str) -> Body {
    let whole = result.is_some();
    let mut result = result.unwrap_or_else(|| {
        let text = format!("This very call ran {ago} ago and was not run again. What it came to was not kept.");
        json!({"content": [{"type": "text", "text": text}]})
    });
    if let Some(members) = result.as_object_mut() {
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("tollgate/repeated".to_owned(), json!({"ago": ago, "whole": whole}));
        }
    }
    let mut body = Body::from(result);
    if whole {
        body.notes.push(format!("this is the result of the same call of {ago} ago; it was not run again"));
    }
    body
}

impl Guard for Dedupes {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

impl Watch for Dedupes {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.settle(event, body, outcome))
    }
}

impl Preview for Dedupes {
    fn preview(&self, event: &Event<'_>, body: &Body) -> Vec<String> {
        let due = self.due(event, body).ok().flatten();
        due.map(|one| format!("dedupe {}: the first of its kind in {}", one.id, spoken(one.keep))).into_iter().collect()
    }
}

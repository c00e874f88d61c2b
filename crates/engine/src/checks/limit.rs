use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_core::{
    Act, Body, Clock, Ended, Event, Fault, Guard, Outcome, Point, Power, Query, Registration, Said, Step, Verdict,
    Watch,
};

use super::call::{Call, passed, spoken};
use super::{Preview, When, order};
use crate::observe::{Report, observe};
use crate::state::{Bucket, Short, Space, State, Take};

/// How much there may be of something.
///
/// A call reserves from all limits that speak of it, or from none. It reserves when nobody before objected, and what it
/// reserved is given back when it does not run after all.
#[derive(Clone)]
pub struct Limits {
    /// All of them.
    pub all: Arc<[Limit]>,
    /// Where they are counted.
    pub state: Arc<dyn State>,
    /// For refilling.
    pub clock: Arc<dyn Clock>,
    /// Takes what is only observed.
    pub report: Option<Report>,
}

/// At most so much.
#[derive(Clone)]
pub struct Limit {
    /// Its name.
    pub id: Arc<str>,
    /// The project that wrote it, if one did: another project's limit of the same name is another limit, while the
    /// user's is one in all projects.
    pub project: Option<Arc<str>>,
    /// The calls that count.
    pub when: When,
    /// What is counted apart.
    pub per: Vec<Per>,
    /// How much, and how it refills.
    pub bucket: Bucket,
    /// Which argument says how much a call takes; 1 without.
    pub cost: Option<Vec<String>>,
    /// What becomes of too much.
    pub over: Over,
    /// Whether it is only observed.
    pub observe: bool,
}

/// What is counted apart. Without any of these, everything together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Each session.
    Session,
    /// Each agent.
    Agent,
    /// Each tool of each server.
    Tool,
    /// Each person or machine on whose behalf.
    Principal,
}

impl Per {
    fn value(self, call: &Call<'_>) -> Value {
        match self {
            // Whose ledger it is in says that.
            Self::Session => Value::Null,
            Self::Agent => Value::from(call.event.agent),
            Self::Tool => Value::from(vec![call.server().unwrap_or(""), call.tool()]),
            Self::Principal => Value::from(call.event.principal),
        }
    }
}

/// What becomes of a call that is too much.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    /// Refused, for this reason.
    Deny(String),
    /// A human decides.
    Ask(Query),
}

/// Where calls give back or spend, and where sessions begin to count and may end to.
const SETTLE: [Point; 4] = [Point::ToolBefore, Point::ToolAfter, Point::SessionStart, Point::SessionEnd];

/// What a limit wants of a call.
struct Due<'l> {
    limit: &'l Limit,
    key: String,
    group: Option<String>,
    amount: f64,
}

impl Due<'_> {
    /// Whose ledger it is counted in.
    fn space<'a>(&'a self, call: &Call<'a>) -> Space<'a> {
        match &self.group {
            _ if self.limit.per.contains(&Per::Session) => Space::Session(call.session()),
            Some(group) => Space::Group(group),
            None => Space::All,
        }
    }
}

impl Limits {
    /// The guard that reserves and the watcher that gives back, if there are limits.
    pub fn registrations(&self) -> Vec<Registration> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let guard = Registration::guard("limits", [Point::ToolBefore], self.clone());
        let watch = Registration::watch("limits/settle", SETTLE, self.clone());
        vec![Registration { priority: order::LIMITS, powers: vec![Power::Deny, Power::Ask], ..guard }, watch]
    }

    /// The limits that speak of a call.
    fn due<'l>(&'l self, call: &Call<'_>, body: &Body) -> Result<Result<Vec<Due<'l>>, String>, Fault> {
        let mut due = Vec::new();
        for limit in self.all.iter() {
            if !(limit.when)(&call.event, body)? {
                continue;
            }
            match limit.amount(body)? {
                Ok(amount) => due.push(Due { limit, key: limit.key(call), group: limit.group(call), amount }),
                Err(objection) => return Ok(Err(objection)),
            }
        }
        Ok(Ok(due))
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let call = Call::of(event, body);
        let id = call.id();
        // An agent that asks for permission has asked its hook before, and that reserved already.
        if event.permission && !id.is_empty() && self.state.holds(call.session(), id)? {
            return Ok(Verdict::Pass);
        }
        let mut due = match self.due(&call, body)? {
            Ok(due) => due,
            Err(objection) => return Ok(Verdict::deny(objection)),
        };
        let mut verdict = Verdict::Pass;
        while !due.is_empty() {
            let Err(short) = self.reserve(&call, &due)? else { break };
            let Due { limit, .. } = due.remove(short.which);
            let objection = limit.objection(short);
            match objection {
                objection if limit.observe => observe(self.report.as_ref(), event, &limit.id, &objection),
                Verdict::Ask(query) => verdict = join(verdict, *query),
                objection => return Ok(objection),
            }
            // Without the one that is short: those that remain still count the call.
        }
        Ok(verdict)
    }

    fn reserve<'a>(&self, call: &Call<'a>, due: &'a [Due<'_>]) -> Result<Result<(), Short>, Fault> {
        let take = |due: &'a Due<'_>| Take {
            space: due.space(call),
            key: &due.key,
            bucket: due.limit.bucket,
            amount: due.amount,
        };
        let takes: Vec<Take<'a>> = due.iter().map(take).collect();
        Ok(self.state.reserve(self.clock.wall(), call.session(), call.id(), &takes)?)
    }

    /// Whether what a call without an id would give back is its own. One that no limit speaks of has reserved nothing,
    /// and one that a limit asks about perhaps not; what is there is then of another call that looks the same.
    fn surely_reserved(&self, call: &Call<'_>, body: &Body, outcome: &Outcome) -> bool {
        let asked = outcome.trace.entries().any(|(who, entry)| &*who.id == "limits" && entry.said != Said::Passed);
        !asked && matches!(self.due(call, body), Ok(Ok(due)) if !due.is_empty())
    }

    fn settle(&self, event: &Event<'_>, body: &Body, outcome: &Outcome) -> Result<(), Fault> {
        let call = Call::of(event, body);
        let (session, id) = (call.session(), call.id());
        match (event.point, event.ended, &outcome.act) {
            // Those without a session have no end in common.
            (Point::SessionStart | Point::SessionEnd, ..) if session.is_empty() => {}
            (Point::SessionStart, ..) => self.state.resume(session)?,
            (Point::SessionEnd, ..) => self.state.end(self.clock.wall(), session)?,
            (Point::ToolBefore, _, Act::Deny(_) | Act::Answer(_))
                if passed("limits", event, outcome)
                    && (!id.is_empty() || self.surely_reserved(&call, body, outcome)) =>
            {
                self.state.refund(session, id)?;
            }
            // Which of several calls without an id this is cannot be told.
            (Point::ToolAfter, Some(Ended::Denied | Ended::Answered), _) if id.is_empty() => {}
            (Point::ToolAfter, Some(Ended::Denied | Ended::Answered), _) => self.state.refund_all(session, id)?,
            (Point::ToolAfter, ..) if self.state.holds(session, id)? => self.state.spend(session, id)?,
            _ => {}
        }
        Ok(())
    }
}

/// Several limits that want a human are one question.
fn join(verdict: Verdict, query: Query) -> Verdict {
    match verdict {
        Verdict::Ask(mut first) => {
            first.title = format!("{}; {}", first.title, query.title);
            first.timeout = first.timeout.into_iter().chain(query.timeout).min();
            Verdict::Ask(first)
        }
        _ => Verdict::Ask(Box::new(query)),
    }
}

impl Limit {
    /// What the call takes, or why that cannot be said. Nothing may give back by taking less than nothing.
    fn amount(&self, body: &Body) -> Result<Result<f64, String>, Fault> {
        let Some(path) = &self.cost else { return Ok(Ok(1.0)) };
        let mut value = body.json()?;
        for key in path {
            value = value.get(key).unwrap_or(&Value::Null);
        }
        let amount = value.as_f64().filter(|amount| amount.is_finite() && *amount >= 0.0);
        let path = path.join(".");
        Ok(amount.ok_or_else(|| format!("{}: what this takes is in `{path}`, which is no positive number", self.id)))
    }

    /// Who shares the ledger it is counted in, if not all do: whoever waits for one principal's need not wait for
    /// another's.
    fn group(&self, call: &Call<'_>) -> Option<String> {
        let kinds = [(Per::Principal, "principal"), (Per::Agent, "agent"), (Per::Tool, "tool")];
        let (per, kind) = kinds.into_iter().find(|(per, _)| self.per.contains(per))?;
        Some(json!([kind, per.value(call)]).to_string())
    }

    fn key(&self, call: &Call<'_>) -> String {
        let project = self.project.iter().map(|project| json!({ "project": **project }));
        let apart = self.per.iter().map(|per| per.value(call));
        let parts: Vec<Value> = [Value::from(&*self.id)].into_iter().chain(project).chain(apart).collect();
        Value::from(parts).to_string()
    }

    fn objection(&self, short: Short) -> Verdict {
        match &self.over {
            Over::Ask(query) => Verdict::Ask(Box::new(query.clone())),
            Over::Deny(reason) => {
                let again = match short.wait {
                    Some(wait) => format!("try again in {}", spoken(wait)),
                    None => format!("{} left", short.left),
                };
                Verdict::deny(format!("{}: {reason}. At most {}; {again}", self.id, self.words()))
            }
        }
    }

    fn words(&self) -> String {
        let Bucket { max, every } = self.bucket;
        every.map_or_else(|| format!("{max} in all"), |every| format!("{max} in {}", spoken(every)))
    }
}

impl Guard for Limits {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

impl Watch for Limits {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.settle(event, body, outcome))
    }
}

impl Preview for Limits {
    /// What would be left; the call at hand has reserved its part.
    fn preview(&self, event: &Event<'_>, body: &Body) -> Vec<String> {
        let call = Call::of(event, body);
        let Ok(Ok(due)) = self.due(&call, body) else { return Vec::new() };
        let left = |due: &Due<'_>| {
            let left = self.state.left(self.clock.wall(), due.space(&call), &due.key, due.limit.bucket).ok()?;
            Some(format!("limit {}: {} of {} would be left", due.limit.id, left.floor(), due.limit.words()))
        };
        due.iter().filter_map(left).collect()
    }
}

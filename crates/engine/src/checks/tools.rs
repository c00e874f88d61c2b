use std::sync::Arc;

use tollgate_core::{Body, Event, Fault, Guard, Name, Point, Power, Registration, Step, Verdict};

use super::{When, order};

/// Which tools there are, and what they may do.
#[derive(Clone, Default)]
pub struct Tools {
    /// What each layer lets through. A call must get through all of them.
    pub sets: Vec<Toolset>,
    /// What only looks.
    pub reads: Option<When>,
    /// What changes something; it beats `reads`.
    pub writes: Option<When>,
}

/// What one layer lets through.
#[derive(Clone, Default)]
pub struct Toolset {
    /// If given, other tools are unknown and refused.
    pub known: Option<When>,
    /// What is refused unless it is lifted.
    pub admin: Option<When>,
    /// What of `admin` may run all the same.
    pub lifted: Option<When>,
    /// If given, nothing else may run.
    pub allow: Option<When>,
    /// What is refused, whatever is allowed.
    pub deny: Option<When>,
}

/// What a tool does, for whoever treats looking and changing differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It only looks.
    Read,
    /// It changes something, or may.
    Write,
}

impl Tools {
    /// The guards, if there is anything to check.
    pub fn registrations(&self) -> Vec<Registration> {
        let shared: Arc<[Toolset]> = self.sets.clone().into();
        let guard = |id, priority, step| Registration {
            priority,
            powers: vec![Power::Deny],
            ..Registration::guard(id, [Point::ToolBefore], ToolGuard { sets: Arc::clone(&shared), step })
        };
        let any = |has: fn(&Toolset) -> bool| self.sets.iter().any(has);
        let steps = [
            (any(|set| set.known.is_some()), guard("tools/unknown", order::UNKNOWN, Toolset::unknown as Check)),
            (any(|set| set.admin.is_some()), guard("tools/admin", order::ADMIN, Toolset::administers)),
            (any(|set| set.deny.is_some()), guard("tools/deny", order::DENY, Toolset::denied)),
            (any(|set| set.allow.is_some()), guard("tools/allow", order::ALLOW, Toolset::not_allowed)),
        ];
        steps.into_iter().filter_map(|(any, guard)| any.then_some(guard)).collect()
    }

    /// What a tool does: as it is listed, else by its kind. What nobody knows may change something.
    pub fn class(&self, event: &Event<'_>, body: &Body) -> Result<Class, Fault> {
        if holds(self.writes.as_ref(), event, body)? {
            return Ok(Class::Write);
        }
        let looks = || matches!(tollgate_wire::kind(event.tool_name(body)), Some("read" | "web" | "other"));
        Ok(if holds(self.reads.as_ref(), event, body)? || looks() { Class::Read } else { Class::Write })
    }
}

fn holds(list: Option<&When>, event: &Event<'_>, body: &Body) -> Result<bool, Fault> {
    list.map_or(Ok(false), |list| list(event, body))
}

/// What is wrong with a call, to be said after the tool's name.
type Check = fn(&Toolset, &Event<'_>, &Body) -> Result<Option<&'static str>, Fault>;

impl Toolset {
    fn unknown(&self, event: &Event<'_>, body: &Body) -> Result<Option<&'static str>, Fault> {
        let known = self.known.as_ref().map_or(Ok(true), |known| known(event, body))?;
        Ok((!known).then_some("is unknown. Only tools that [tools] names may run"))
    }

    fn administers(&self, event: &Event<'_>, body: &Body) -> Result<Option<&'static str>, Fault> {
        let refused = holds(self.admin.as_ref(), event, body)? && !holds(self.lifted.as_ref(), event, body)?;
        Ok(refused.then_some("is an admin tool. Those are always refused; a person can do it"))
    }

    fn denied(&self, event: &Event<'_>, body: &Body) -> Result<Option<&'static str>, Fault> {
        Ok(holds(self.deny.as_ref(), event, body)?.then_some("is on the list of denied tools"))
    }

    fn not_allowed(&self, event: &Event<'_>, body: &Body) -> Result<Option<&'static str>, Fault> {
        let allowed = self.allow.as_ref().map_or(Ok(true), |allow| allow(event, body))?;
        Ok((!allowed).then_some("is not on the list of allowed tools"))
    }
}

struct ToolGuard {
    sets: Arc<[Toolset]>,
    step: Check,
}

impl ToolGuard {
    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        for set in self.sets.iter() {
            if let Some(why) = (self.step)(set, event, body)? {
                let tool = event.tool_now(body).map_or("", Name::written);
                return Ok(Verdict::deny(format!("tools: `{tool}` {why}")));
            }
        }
        Ok(Verdict::Pass)
    }
}

impl Guard for ToolGuard {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

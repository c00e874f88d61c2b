use std::sync::Arc;

use serde_json::Value;
use tollgate_core::{Body, Event, Fault, Guard, Point, Power, Registration, Step, Verdict};

use super::{When, order};

/// What arguments must be.
#[derive(Clone, Default)]
pub struct Requires {
    /// All of them must hold; the first that does not is named.
    pub all: Vec<Require>,
}

/// What an argument of some calls must be.
#[derive(Clone)]
pub struct Require {
    /// Its name.
    pub id: Arc<str>,
    /// The calls.
    pub when: When,
    /// What keeps the arguments from being what they must be, in words: `draft` must be true, and it is missing.
    pub violation: Violation,
    /// Why, if somebody said so.
    pub reason: Option<String>,
}

/// What is wrong with arguments.
pub type Violation = Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>;

impl Requires {
    /// The guard, if there is anything to check.
    pub fn registrations(&self) -> Vec<Registration> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let guard = Registration::guard("require", [Point::ToolBefore], self.clone());
        vec![Registration { priority: order::REQUIRE, powers: vec![Power::Deny], ..guard }]
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        for require in &self.all {
            if let Some(reason) = require.objection(event, body)? {
                return Ok(Verdict::deny(reason));
            }
        }
        Ok(Verdict::Pass)
    }
}

impl Require {
    fn objection(&self, event: &Event<'_>, body: &Body) -> Result<Option<String>, Fault> {
        if !(self.when)(event, body)? {
            return Ok(None);
        }
        let why = self.reason.as_ref().map(|reason| format!(". {reason}")).unwrap_or_default();
        Ok((self.violation)(body.json()?).map(|words| format!("{}: {words}{why}", self.id)))
    }
}

impl Guard for Requires {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

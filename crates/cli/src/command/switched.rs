//! What a person did to Tollgate itself, recorded beside what agents did.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tollgate_clock::SystemClock;
use tollgate_config::{Paths, Plan};
use tollgate_core::{Act, Body, Clock, Event, Point, Registry};
use tollgate_engine::record;

use super::Failure;
use crate::args::Policy;
use crate::output::{Paint, visible};

/// Where the switch lies, and what records that it was used.
pub(super) struct Switching {
    /// The folder for state.
    pub(super) state: PathBuf,
    data: PathBuf,
    plan: Plan,
    clock: Arc<dyn Clock>,
}

impl Switching {
    pub(super) fn new(policy: &Policy) -> Result<Self, Failure> {
        let paths = Paths::of_process(policy.config.as_deref())?;
        let state = paths.state().map_err(|error| error.to_string())?.to_owned();
        let data = paths.data().map_err(|error| error.to_string())?.to_owned();
        // With a policy that has mistakes, the record is what it is without one.
        let plan = crate::open::plan(policy, Paint::PLAIN).unwrap_or_default();
        Ok(Self { state, data, plan, clock: Arc::new(SystemClock::default()) })
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.wall()
    }

    /// Adds a record of its own to the log: an event that is no call.
    pub(super) fn record(&self, native: &str, what: &Value) -> Result<(), Failure> {
        let failed = |error: String| Failure::Said(format!("the record: {}", visible(&error)));
        let opened = record::open(&self.plan, &self.state, &self.data, &self.clock);
        let opened = opened.map_err(|error| failed(error.to_string()))?;
        let Some(recorder) = opened.recorder() else { return Ok(()) };
        let mut registry = Registry::new(tollgate_wire::names(), Arc::clone(&self.clock), tollgate_wire::digest);
        for registration in recorder.registrations() {
            registry.add(registration).map_err(|error| failed(error.to_string()))?;
        }
        let user = user();
        let event =
            Event { native: Some(native), surface: Some("cli"), principal: Some(&user), ..Event::at(Point::Notice) };
        match registry.snapshot().run_now(&event, &mut Body::from(what.clone())).act {
            Act::Deny(ruling) => Err(failed(ruling.reason.to_string())),
            _ => Ok(()),
        }
    }
}

/// Who types this, as far as the environment says.
pub(super) fn user() -> String {
    let named = |name| std::env::var(name).ok().filter(|name| !name.is_empty());
    named("USER").or_else(|| named("LOGNAME")).unwrap_or_else(|| "somebody".to_owned())
}

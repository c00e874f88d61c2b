//! What agents write to their hooks.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tollgate_clock::SystemClock;
use tollgate_core::{Body, Event, Guard, Pipeline, Point, Registration, Registry, Step, Verdict};
use tollgate_hook::run::{self, Gate};
use tollgate_hook::{AGENTS, Decision};

/// Every agent reads the input. Whatever it is taken for, a refusal must come out as one, and judging must end.
pub(crate) fn run(input: &[u8]) {
    let gate = Gate { pipeline: pipeline(), engine: None, here: None, tells: Vec::new() };
    for agent in AGENTS {
        for event in [None, agent.hooks.first().map(|hook| hook.name)] {
            let mut doc = Value::Null;
            let Ok(read) = run::read(agent, event, input, &mut doc) else { continue };
            let hook = read.payload.hook;
            let refused = run::say(&read, Decision::deny("no"));
            let silent = refused.stdout.is_empty() && refused.stderr.trim().is_empty();
            assert!(!hook.can.deny || !silent, "{} is silent about {}", read.agent.id, hook.name);
            let _ = run::answer(&gate, &read);
        }
    }
}

/// Objects to every call.
struct No;

impl Guard for No {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::Now(Ok(Verdict::deny("no")))
    }
}

fn pipeline() -> Pipeline {
    static MADE: OnceLock<Pipeline> = OnceLock::new();
    let make = || {
        let clock = Arc::new(SystemClock::default());
        let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
        let _ = registry.add(Registration::guard("no", [Point::ToolBefore], No));
        registry.snapshot()
    };
    MADE.get_or_init(make).clone()
}

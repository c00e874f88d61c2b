use std::sync::Arc;

use tollgate_core::{Act, Body, Clock, Event, Outcome, Pipeline};

use crate::actors::{Log, hush_intended_panics};
use crate::case::{Case, Moment, differences};
use crate::naive::Naive;
use crate::{ManualClock, Report, report};

/// Something that cases can be played through: core's pipeline, or a surface with core behind it.
pub trait Replay {
    /// Plays a case, all its steps with the same registrations, and reports on each.
    fn play(&mut self, case: &Case) -> Result<Vec<Report>, String>;

    /// Whether its reports tell this key. A surface that cannot show something says so here, and the case is
    /// not held against it.
    fn tells(&self, _key: &str) -> bool {
        true
    }
}

/// Plays a case and gives back every difference from what it expects, one line each.
pub fn check_case(case: &Case, replay: &mut impl Replay) -> Vec<String> {
    let reports = match replay.play(case) {
        Ok(reports) if reports.len() == case.steps.len() => reports,
        Ok(reports) => return vec![format!("{} steps, and reports on {}", case.steps.len(), reports.len())],
        Err(problem) => return vec![problem],
    };
    let of_step = |(index, (step, came)): (usize, (&Moment, Report))| {
        let mut expect = step.expect.clone();
        expect.retain(|key, _| replay.tells(key));
        let lines = differences(&expect, &came);
        lines.into_iter().map(move |line| format!("step {}: {line}", index + 1)).collect::<Vec<_>>()
    };
    case.steps.iter().zip(reports).enumerate().flat_map(of_step).collect()
}

/// Core's pipeline.
pub struct OnCore;

impl Replay for OnCore {
    fn play(&mut self, case: &Case) -> Result<Vec<Report>, String> {
        hush_intended_panics();
        let (clock, log) = (Arc::new(ManualClock::default()), Log::default());
        let registry = case.registry(clock.clone(), &log)?;
        let pipeline = registry.snapshot();
        let step = |step: &Moment| {
            let (mut body, started) = (step.body.build(), clock.wall());
            step.event.with(&registry.names, |event| {
                let outcome = match step.cannot_wait {
                    true => pipeline.run_now(event, &mut body),
                    false => clock.run(pipeline.run(event, &mut body)),
                };
                check_digest(&pipeline, event, &body, &outcome)?;
                Ok(report(&outcome, &body, log.take(), started))
            })?
        };
        case.steps.iter().map(step).collect()
    }
}

/// An act that is bound to a call is bound to the one that leaves.
fn check_digest(pipeline: &Pipeline, event: &Event<'_>, body: &Body, outcome: &Outcome) -> Result<(), String> {
    let (digest, route) = match &outcome.act {
        Act::Route { route, digest } => (*digest, Some(&**route)),
        Act::Ask(question) => (question.digest, question.route.as_deref()),
        Act::Pass | Act::Answer(_) | Act::Deny(_) => return Ok(()),
    };
    let own = pipeline.digest(event, body, route).map_err(|fault| fault.to_string())?;
    let same = own == digest && outcome.trace.digest == Some(digest);
    if same { Ok(()) } else { Err(format!("the act is for {digest}, the call is {own}")) }
}

/// The reference pipeline.
pub struct OnNaive;

impl Replay for OnNaive {
    fn play(&mut self, case: &Case) -> Result<Vec<Report>, String> {
        hush_intended_panics();
        let (log, names) = (Log::default(), case.names());
        let registrations = case.build(&log)?;
        let step = |step: &Moment| {
            let mut body: Body = step.body.build();
            let can_wait = !step.cannot_wait;
            let rewrite_ambiguous = case.rewrite_ambiguous;
            let naive = Naive { registrations: &registrations, names: &names, rewrite_ambiguous, can_wait };
            step.event.with(&names, |event| naive.run(event, &mut body, &log))
        };
        case.steps.iter().map(step).collect()
    }
}

//! Everything that is measured.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use serde_json::Value;
use tollgate_core::{
    Act, BadRegistration, Body, Clock, Event, Match, Outcome, Pipeline, Point, Registration, Registry, Selector,
};
use tollgate_testkit::StillClock;
use tollgate_testkit::actors::Log;
use tollgate_testkit::naive::Naive;
use tower::{Service, ServiceExt};

use crate::call::{
    Looks, LooksAway, Rewrites, Says, SystemClock, Waits, arguments, ask, deny, divert, document, event, is_harmless,
};
use crate::harness::{Case, Sample, batch, batch_async, poll_once};
use crate::{call, stack};

/// The pipeline with nobody in it.
pub const NOTHING: &str = "nothing registered";
/// The pipeline with a hundred who are not concerned.
pub const OTHERS: &str = "100 registered for other tools";
/// The pipeline with ten guards.
pub const TEN_GUARDS: &str = "10 guards pass";

const ASYNC: &str = "an empty async fn";
const ONE: &str = "1 virtual call";
const TEN: &str = "10 virtual calls";
const HUNDRED: &str = "100 virtual calls";

const AT: [Point; 1] = [Point::ToolBefore];

/// Why the cases could not be set up.
pub type Trouble = Box<dyn Error>;

/// All cases, floors first. Each has been run once, and did what it says.
pub fn all() -> Result<Vec<Case>, Trouble> {
    let mut cases = floors();
    cases.extend(unconcerned()?);
    cases.extend(passing()?);
    cases.extend(writing()?);
    cases.extend(objecting()?);
    cases.extend(reading()?);
    cases.extend(elsewise());
    Ok(cases)
}

fn case(what: &'static str, floor: &'static str, batch: impl FnMut(u64) -> Sample + 'static) -> Case {
    Case { what, floor: Some(floor), batch: Box::new(batch) }
}

fn body() -> Body {
    Body::from(arguments())
}

/// What an `async fn` and a call that the compiler cannot see through cost.
fn floors() -> Vec<Case> {
    let calls = |count: usize| {
        let checks: Vec<Arc<Check>> = (0..count)
            .map(|_| Arc::new(|_: &Event<'_>, body: &Body| is_harmless(body).unwrap_or(false)) as Arc<Check>)
            .collect();
        move |runs: u64| {
            let (event, body) = call::call();
            batch(runs, || black_box(&checks).iter().all(|check| check(black_box(event), black_box(body))))
        }
    };
    let empty = |runs| batch_async(runs, async || empty(black_box(&1)).await);
    vec![
        Case { what: ASYNC, floor: None, batch: Box::new(empty) },
        case(ONE, ASYNC, calls(1)),
        case(TEN, ASYNC, calls(10)),
        case(HUNDRED, ASYNC, calls(100)),
        case("a body is copied", ASYNC, |runs| {
            let body = body();
            batch(runs, || black_box(&body).clone())
        }),
    ]
}

type Check = dyn Fn(&Event<'_>, &Body) -> bool + Send + Sync;

#[expect(clippy::unused_async, reason = "this is the floor: what being async costs")]
async fn empty(number: &u8) -> u8 {
    *number
}

/// Interceptors that have nothing to do with the call.
fn unconcerned() -> Result<Vec<Case>, Trouble> {
    let none = pipeline(SystemClock::start(), [])?;
    let now = {
        let (none, mut body) = (none.clone(), body());
        move |runs: u64| {
            let name = none.name("exec");
            let event = event(&name);
            batch(runs, || none.run_now(black_box(&event), black_box(&mut body)))
        }
    };
    let named = {
        let none = none.clone();
        move |runs: u64| {
            batch(runs, || {
                let name = none.name(black_box("exec"));
                black_box(&event(&name)).name.map(|name| name.normal().len())
            })
        }
    };
    let named_so = |count: usize| {
        numbered(count, |id, number| {
            // Some before and some after the one that is called.
            let verb = if number.is_multiple_of(2) { "edit" } else { "find" };
            let select = Selector::tool(&format!("{verb}_{number}"));
            Registration { select, ..Registration::guard(id, AT, Looks) }
        })
    };
    let selecting = |select: fn(usize) -> Result<Selector, BadRegistration>| {
        let guards = (0..100).map(|number| {
            let guard = Registration::guard(&format!("guard-{number}"), AT, Looks);
            Ok(Registration { select: select(number)?, ..guard })
        });
        guards.collect::<Result<Vec<_>, BadRegistration>>()
    };
    let globs = selecting(|number| {
        Ok(Selector { tool: Match::glob(&format!("mcp__server{number}__*"))?, ..Selector::default() })
    })?;
    let functions = selecting(|number| {
        let prefix = format!("mcp__server{number}__");
        let tool = Match::with("a prefix", move |name| name.starts_with(&prefix));
        Ok(Selector { tool, ..Selector::default() })
    })?;
    let agents =
        selecting(|number| Ok(Selector { agent: Match::exact(&format!("helper-{number}")), ..Selector::default() }))?;
    let clock = SystemClock::start;
    Ok(vec![
        case("a name and an event are made", ASYNC, named),
        passes(NOTHING, ASYNC, none, 0)?,
        case("nothing registered, without async", ASYNC, now),
        passes(OTHERS, NOTHING, pipeline(clock(), named_so(100))?, 0)?,
        passes("10,000 registered for other tools", NOTHING, pipeline(clock(), named_so(10_000))?, 0)?,
        passes("100 registered by globs for other tools", NOTHING, pipeline(clock(), globs)?, 0)?,
        passes("100 registered by functions for other tools", NOTHING, pipeline(clock(), functions)?, 0)?,
        passes("100 registered for other agents", NOTHING, pipeline(clock(), agents)?, 0)?,
    ])
}

/// Interceptors that look and have no objection.
fn passing() -> Result<Vec<Case>, Trouble> {
    let guards = |count: usize| numbered(count, |id, _| Registration::guard(id, AT, Looks));
    let edits = numbered(10, |id, _| Registration::edit(id, AT, Looks));
    let (clock, none) = (SystemClock::start, || Arc::new(StillClock));
    Ok(vec![
        passes("1 guard passes", ONE, pipeline(clock(), guards(1))?, 1)?,
        passes("1 guard passes, no clock", ONE, pipeline(none(), guards(1))?, 1)?,
        passes(TEN_GUARDS, TEN, pipeline(clock(), guards(10))?, 10)?,
        passes("10 guards pass, no clock", TEN, pipeline(none(), guards(10))?, 10)?,
        passes("100 guards pass", HUNDRED, pipeline(clock(), guards(100))?, 100)?,
        passes("100 guards pass, no clock", HUNDRED, pipeline(none(), guards(100))?, 100)?,
        passes("1 guard waits, ready at once", ONE, pipeline(clock(), [Registration::guard("waits", AT, Waits)])?, 1)?,
        passes("10 edits pass", TEN, pipeline(clock(), edits)?, 10)?,
    ])
}

/// Edits that write. Every run gets a body of its own.
fn writing() -> Result<Vec<Case>, Trouble> {
    let rewrites = || Registration::edit("rewrites", AT, Rewrites);
    let one = pipeline(SystemClock::start(), [rewrites()])?;
    let two = pipeline(SystemClock::start(), [Registration::edit("looks", AT, Looks), rewrites()])?;
    Ok(vec![
        fresh("1 edit changes an argument", ONE, one, body(), |it| goes(it, 1))?,
        fresh("1 edit passes, 1 changes, 1 second look", ONE, two, body(), |it| goes(it, 3))?,
    ])
}

/// Guards that do not let the call pass.
fn objecting() -> Result<Vec<Case>, Trouble> {
    let says = |verdict| pipeline(SystemClock::start(), [Registration::guard("says", AT, Says(verdict))]);
    let first = {
        let mut guards = numbered(10, |id, _| Registration::guard(id, AT, Looks));
        guards.insert(0, Registration::guard("says", AT, Says(deny)));
        pipeline(SystemClock::start(), guards)?
    };
    Ok(vec![
        fresh("the first of 11 guards denies", ONE, first, body(), |it| matches!(it.act, Act::Deny(_)))?,
        fresh("1 guard asks (digest)", ONE, says(ask)?, body(), |it| matches!(it.act, Act::Ask(_)))?,
        fresh("1 guard diverts (digest)", ONE, says(divert)?, body(), |it| matches!(it.act, Act::Route { .. }))?,
    ])
}

/// Bodies that came in as bytes.
fn reading() -> Result<Vec<Case>, Trouble> {
    let mut cases = Vec::new();
    for (size, plain, read, looks, away) in [
        (1_000, "serde_json, 1 kB", "wire's reader, 1 kB", "1 guard looks at 1 kB", "1 guard looks away from 1 kB"),
        (
            100_000,
            "serde_json, 100 kB",
            "wire's reader, 100 kB",
            "1 guard looks at 100 kB",
            "1 guard looks away from 100 kB",
        ),
    ] {
        let bytes = document(size);
        let body = tollgate_wire::body(bytes.clone());
        let looking = pipeline(SystemClock::start(), [Registration::guard("looks", AT, Looks)])?;
        let looking_away = pipeline(SystemClock::start(), [Registration::guard("looks-away", AT, LooksAway)])?;
        let same = bytes.clone();
        let serde = move |runs| batch(runs, || serde_json::from_slice::<Value>(black_box(&bytes)));
        cases.extend([
            Case { what: plain, floor: None, batch: Box::new(serde) },
            case(read, plain, move |runs| batch(runs, || tollgate_wire::read(black_box(&same)))),
            fresh(looks, plain, looking, body.clone(), |it| goes(it, 1))?,
            fresh(away, plain, looking_away, body, |it| goes(it, 1))?,
        ]);
    }
    Ok(cases)
}

/// Ten checks done in other ways.
fn elsewise() -> Vec<Case> {
    let mut stack = stack::known();
    let known = move |runs| batch_async(runs, async || stack.ready().await?.call(black_box(call::call())).await);
    let mut stack = stack::dynamic();
    let shared = stack.clone();
    let dynamic = move |runs| batch_async(runs, async || stack.ready().await?.call(black_box(call::call())).await);
    let shared = move |runs| batch_async(runs, async || black_box(&shared).clone().oneshot(call::call()).await);
    let (names, log) = (tollgate_wire::names(), Log::default());
    let guards = numbered(10, |id, _| Registration::guard(id, AT, Looks));
    let naive = move |runs| {
        let naive = Naive { registrations: &guards, names: &names, rewrite_ambiguous: false, can_wait: true };
        let ((event, body), log) = (call::call(), &log);
        let mut body = body.clone();
        batch(runs, || naive.run(black_box(event), black_box(&mut body), log))
    };
    vec![
        case("tower: 10 layers of one type", TEN, known),
        case("tower: 10 boxed layers", TEN, dynamic),
        case("tower: 10 boxed layers, a clone per call", TEN, shared),
        case("the reference pipeline: 10 guards", TEN, naive),
    ]
}

/// So many interceptors, made one after another.
fn numbered(count: usize, make: impl Fn(&str, usize) -> Registration) -> Vec<Registration> {
    (0..count).map(|number| make(&format!("interceptor-{number}"), number)).collect()
}

fn pipeline(clock: Arc<dyn Clock>, who: impl IntoIterator<Item = Registration>) -> Result<Pipeline, BadRegistration> {
    let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
    who.into_iter().try_for_each(|registration| registry.add(registration))?;
    Ok(registry.snapshot())
}

fn goes(outcome: &Outcome, turns: usize) -> bool {
    matches!(outcome.act, Act::Pass) && outcome.trace.entries().count() == turns
}

/// A pipeline that lets the call pass and leaves its body as it was, after so many turns.
fn passes(what: &'static str, floor: &'static str, pipeline: Pipeline, turns: usize) -> Result<Case, Trouble> {
    let mut body = body();
    certify(what, &pipeline, &body, |outcome| goes(outcome, turns))?;
    Ok(case(what, floor, move |runs| {
        let name = pipeline.name("exec");
        let event = event(&name);
        batch_async(runs, async || pipeline.run(black_box(&event), black_box(&mut body)).await)
    }))
}

/// A pipeline where every run gets a body of its own, because a run leaves something behind in it.
fn fresh(
    what: &'static str,
    floor: &'static str,
    pipeline: Pipeline,
    body: Body,
    expected: impl Fn(&Outcome) -> bool,
) -> Result<Case, Trouble> {
    certify(what, &pipeline, &body, expected)?;
    Ok(case(what, floor, move |runs| {
        let name = pipeline.name("exec");
        let event = event(&name);
        batch_async(runs, async || {
            let mut body = black_box(&body).clone();
            pipeline.run(black_box(&event), &mut body).await
        })
    }))
}

/// Numbers mean nothing if something else was measured.
fn certify(what: &str, pipeline: &Pipeline, body: &Body, expected: impl Fn(&Outcome) -> bool) -> Result<(), Trouble> {
    let name = pipeline.name("exec");
    match poll_once(pipeline.run(&event(&name), &mut body.clone())) {
        Some(outcome) if expected(&outcome) => Ok(()),
        outcome => Err(format!("`{what}` does not do what it says: {outcome:?}").into()),
    }
}

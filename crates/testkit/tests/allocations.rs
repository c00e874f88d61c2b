//! What a run costs, counted in allocations: a promise that does not depend on the machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::sync::Arc;

use serde_json::json;
use tollgate_core::{
    Body, Edit, Event, Guard, Match, Names, Pipeline, Point, Registration, Registry, Selector, Step, Verdict,
};
use tollgate_testkit::{CountingAlloc, StillClock, count};

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

/// Looks at the document and says nothing.
struct Looks;

impl Guard for Looks {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(body.json().map(|_| Verdict::Pass))
    }
}

impl Edit for Looks {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(body.json().map(|_| Verdict::Pass))
    }
}

/// The same through a future that is ready at once.
struct LooksLater;

impl Guard for LooksLater {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::later(async move { body.json().map(|_| Verdict::Pass) })
    }
}

fn guard(id: usize) -> Registration {
    Registration::guard(&format!("guard {id}"), [Point::ToolBefore], Looks)
}

fn edit(id: usize) -> Registration {
    Registration::edit(&format!("edit {id}"), [Point::ToolBefore], Looks)
}

fn later(id: usize) -> Registration {
    Registration::guard(&format!("later {id}"), [Point::ToolBefore], LooksLater)
}

fn for_tool(tool: Match, registration: Registration) -> Registration {
    Registration { select: Selector { tool, ..Selector::default() }, ..registration }
}

fn pipeline(registrations: impl IntoIterator<Item = Registration>) -> Pipeline {
    let mut registry = Registry::new(Names::default(), Arc::new(StillClock), tollgate_wire::digest);
    registrations.into_iter().for_each(|it| registry.add(it).unwrap());
    registry.snapshot()
}

/// Allocations of a second run: the first may remember which patterns fit the name.
fn allocations(registrations: Vec<Registration>, mut body: Body) -> usize {
    let pipeline = pipeline(registrations);
    let name = pipeline.name("exec");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let mut run = || count(|| drop(pipeline.run_now(&event, &mut body))).0;
    run();
    run()
}

#[test]
fn a_run_that_passes_allocates_nothing() {
    let other = |id: usize| for_tool(Match::exact(&format!("other {id}")), guard(id));
    let pattern = |id: usize| match id % 3 {
        0 => for_tool(Match::glob("ex*").unwrap(), guard(id)),
        1 => for_tool(Match::with("long names", |name| name.len() > 8), guard(id)),
        _ => for_tool(Match::glob("*z*").unwrap(), edit(id)),
    };
    let rows: Vec<(&str, Vec<Registration>, usize)> = vec![
        ("nothing registered", vec![], 0),
        ("100 for other tools", (0..100).map(other).collect(), 0),
        ("10 guards", (0..10).map(guard).collect(), 0),
        ("10 edits", (0..10).map(edit).collect(), 0),
        ("8 edits and 8 guards", (0..8).map(edit).chain((8..16).map(guard)).collect(), 0),
        ("30 with patterns", (0..30).map(pattern).collect(), 0),
        ("one that answers later", vec![later(0)], 1),
        ("three that answer later, among others", (0..5).map(guard).chain((5..8).map(later)).collect(), 3),
    ];
    for (what, registrations, expected) in rows {
        let body = Body::from(json!({"command": "ls", "env": {"A": [1, 2, 3]}}));
        assert_eq!(allocations(registrations.clone(), body), expected, "{what}, a value");
        let body = tollgate_wire::body(r#"{ "command": "ls", "env": {"A": [1, 2, 3]} }"#);
        assert_eq!(allocations(registrations, body), expected, "{what}, bytes");
    }
}

#[test]
fn a_name_in_lower_case_costs_nothing() {
    let pipeline = pipeline([guard(0)]);
    for (written, expected) in [("exec", 0), (" exec ", 0), ("Exec", 1)] {
        assert_eq!(count(|| pipeline.name(written)).0, expected, "{written:?}");
    }
}

#[test]
fn a_snapshot_is_cheap_to_share() {
    let pipeline = pipeline((0..100).map(guard));
    assert_eq!(count(|| pipeline.clone()).0, 0);
}

/// Names come from models, which can make up any number of them.
#[test]
fn of_names_found_by_patterns_only_the_first_1024_are_remembered() {
    let pipeline = pipeline([for_tool(Match::glob("tool*").unwrap(), guard(0))]);
    let mut body = Body::from(json!({}));
    let mut cost = |number: usize| {
        let written = format!("tool {number}");
        let name = pipeline.name(&written);
        count(|| drop(pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "call-1"), &mut body))).0
    };
    (1..=1025).for_each(|number| assert!(cost(number) > 0, "tool {number}, for the first time"));
    for (number, is_remembered) in [(1, true), (1023, true), (1024, true), (1025, false), (1025, false)] {
        assert_eq!(cost(number) == 0, is_remembered, "tool {number}, again");
    }
}

#[test]
fn a_new_name_costs_nothing_where_nobody_has_a_pattern() {
    let pipeline = pipeline([guard(0), for_tool(Match::exact("other"), guard(1))]);
    let (name, mut body) = (pipeline.name("new"), Body::from(json!({})));
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    assert_eq!(count(|| drop(pipeline.run_now(&event, &mut body))).0, 0);
}

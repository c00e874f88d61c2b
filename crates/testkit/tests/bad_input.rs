//! Bad registrations, bad documents and bad handlers: each has a defined result.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::panic::panic_any;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::json;
use tollgate_core::{
    Act, Body, Edit, Event, Fault, FaultKind, Guard, Match, Names, OnFault, Point, Power, Query, Registration,
    Registry, Route, Said, Selector, Step, Verdict, Watch,
};
use tollgate_testkit::actors::{hush_intended_panics, nested};
use tollgate_testkit::{ManualClock, body};

const HERE: [Point; 1] = [Point::ToolBefore];
const DEEP: usize = 200_000;

/// An edit or a guard that is a function.
struct Does<F>(F);

impl<F: for<'a> Fn(&'a Event<'a>, &'a mut Body) -> Step<'a, Verdict> + Send + Sync> Edit for Does<F> {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        (self.0)(event, body)
    }
}

impl<F: Fn(&Body) -> Step<'static, Verdict> + Send + Sync> Guard for Does<F> {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        (self.0)(body)
    }
}

impl<F: Fn() + Send + Sync> Watch for Does<F> {
    fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, _: &'a tollgate_core::Outcome) -> Step<'a, ()> {
        (self.0)();
        Step::Now(Ok(()))
    }
}

fn edit(
    does: impl for<'a> Fn(&'a Event<'a>, &'a mut Body) -> Step<'a, Verdict> + Send + Sync + 'static,
) -> Registration {
    Registration::edit("bad", HERE, Does(does))
}

fn guard(does: impl Fn(&Body) -> Step<'static, Verdict> + Send + Sync + 'static) -> Registration {
    Registration::guard("bad", HERE, Does(does))
}

fn says(verdict: impl Fn() -> Verdict + Send + Sync + 'static) -> Registration {
    guard(move |_| Step::Now(Ok(verdict())))
}

fn passes(_: &Body) -> Step<'static, Verdict> {
    Step::PASS
}

fn looks() -> Registration {
    guard(|body| Step::Now(body.json().map(|_| Verdict::Pass)))
}

// ---- registrations ----

fn check_registration(registration: Registration, expected: &Expect) {
    let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
    registry.add(Registration::guard("taken", HERE, Does(passes))).unwrap();
    expected.assert_eq(&registry.add(registration).unwrap_err().to_string());
    assert_eq!(registry.list().len(), 1, "what is refused is not added");
}

#[test]
fn who_is_removed_was_there() {
    let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
    for id in ["a", "b"] {
        registry.add(Registration::guard(id, HERE, Does(passes))).unwrap();
    }
    for (id, there) in [("none", false), ("a", true), ("a", false)] {
        assert_eq!(registry.remove(id), there, "{id}");
    }
    assert_eq!(registry.list().iter().map(|left| &*left.id).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn bad_registrations_are_refused() {
    let guard = |id: &str, points: &[Point]| Registration::guard(id, points, Does(passes));
    let tool = Selector::tool("exec");
    let rows = [
        (guard("taken", &HERE), expect!["there is already an interceptor `taken`; choose another id"]),
        (guard("  ", &HERE), expect!["an interceptor needs an id and at least one point, and this one is `  `"]),
        (guard("g", &[]), expect!["an interceptor needs an id and at least one point, and this one is `g`"]),
        (
            guard("g", &[Point::ToolBefore, Point::SessionEnd]),
            expect!["`g` is a guard, and nothing can be refused at session.end"],
        ),
        (guard("g", &[Point::SessionStart]), expect!["`g` is a guard, and nothing can be refused at session.start"]),
        (
            Registration { points: vec![Point::Notice], ..edit(|_, _| Step::PASS) },
            expect!["`bad` is an edit, and nothing can be changed at notice"],
        ),
        (
            Registration { select: tool.clone(), ..guard("g", &[Point::PromptSubmit]) },
            expect!["`g` selects a tool, and there is none at prompt.submit"],
        ),
        (
            Registration { select: tool, ..Registration::watch("w", [Point::TurnStop], Does(|| ())) },
            expect!["`w` selects a tool, and there is none at turn.stop"],
        ),
        (
            Registration { powers: vec![Power::Deny, Power::Ask], ..guard("g", &[Point::ToolAfter]) },
            expect!["`g` may say Ask, and tool.after cannot do that"],
        ),
    ];
    rows.into_iter().for_each(|(registration, expected)| check_registration(registration, &expected));
}

#[test]
fn bad_names_are_refused() {
    let point = |name: &str| name.parse::<Point>().unwrap_err().to_string();
    let glob = |pattern: &str| Match::glob(pattern).err().unwrap().to_string();
    let rows = [
        (
            point("tool.befor"),
            expect![
                "there is no point `tool.befor`; the points are session.start, session.end, agent.start, agent.stop, turn.stop, compact.before, compact.after, prompt.submit, model.request, model.dispatch, model.response, model.complete, tool.list, tool.before, tool.update, tool.after, tool.persist, message.write, notice"
            ],
        ),
        (glob(""), expect!["the pattern `` does not work: a glob is a name in which `*` stands for any text"]),
        (
            glob("exec?"),
            expect!["the pattern `exec?` does not work: a glob is a name in which `*` stands for any text"],
        ),
        (
            glob("[ab]*"),
            expect!["the pattern `[ab]*` does not work: a glob is a name in which `*` stands for any text"],
        ),
    ];
    rows.into_iter().for_each(|(came, expected)| expected.assert_eq(&came));
}

// ---- runs ----

/// One row: who is registered, what passes, what comes of it.
struct Row {
    what: &'static str,
    who: Vec<Registration>,
    body: Body,
    expected: String,
}

fn row(what: &'static str, who: Registration, body: Body, expected: impl Into<String>) -> Row {
    Row { what, who: vec![who], body, expected: expected.into() }
}

/// The refusal for a fault.
fn refused(fault: &str) -> String {
    let mend = "fix or remove it, then try again";
    format!("deny: `bad` could not judge this ({fault}), so it is refused; to mend it: {mend}")
}

fn run(mut row: Row) -> String {
    let clock = Arc::new(ManualClock::default());
    clock.advance(Duration::from_secs(1));
    let mut registry = Registry::new(Names::default(), clock.clone(), tollgate_wire::digest);
    row.who.into_iter().for_each(|it| registry.add(it).unwrap());
    let pipeline = registry.snapshot();
    let name = pipeline.name("exec");
    let outcome = clock.run(pipeline.run(&Event::tool(Point::ToolBefore, &name, "call-1"), &mut row.body));
    match &outcome.act {
        Act::Deny(ruling) => format!("deny: {}", ruling.reason),
        act => act.name().to_owned(),
    }
}

fn call() -> Body {
    Body::from(json!({"command": "ls"}))
}

/// A future that panics when it is let go.
struct PanicsWhenDropped(Option<Verdict>);

impl Future for PanicsWhenDropped {
    type Output = Result<Verdict, Fault>;

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        self.0.take().map_or(std::task::Poll::Pending, |verdict| std::task::Poll::Ready(Ok(verdict)))
    }
}

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("on purpose: dropped");
    }
}

/// What a panic carries, and panics again with.
struct Hostile;

impl Drop for Hostile {
    fn drop(&mut self) {
        panic_any(7_u8);
    }
}

fn bad_handlers() -> Vec<Row> {
    vec![
        row("panics", guard(|_| panic!("on purpose: now")), call(), refused("panic: on purpose: now")),
        row(
            "panics in its future",
            guard(|_| Step::later(async { panic!("on purpose: later") })),
            call(),
            refused("panic: on purpose: later"),
        ),
        row(
            "panics when its future is dropped",
            guard(|_| Step::later(PanicsWhenDropped(Some(Verdict::Pass)))),
            call(),
            refused("panic: on purpose: dropped"),
        ),
        row(
            "hangs and panics when dropped",
            guard(|_| Step::later(PanicsWhenDropped(None))),
            call(),
            refused("timeout: no answer within 15s"),
        ),
        row("panics with a hostile payload", guard(|_| panic_any(Hostile)), call(), refused("panic: no message")),
        row("hangs", guard(|_| Step::later(std::future::pending())), call(), refused("timeout: no answer within 15s")),
        row(
            "says it was garbage",
            guard(|_| Step::Now(Err(Fault::new(FaultKind::Garbage, "half a verdict")))),
            call(),
            refused("garbage: half a verdict"),
        ),
        row(
            "panics and may",
            Registration { on_fault: OnFault::Pass, ..guard(|_| panic!("on purpose: now")) },
            call(),
            "pass",
        ),
        row(
            "a condition that panics holds",
            Registration {
                select: Selector { tool: Match::with("any", |_| panic!("on purpose: match")), ..Selector::default() },
                ..says(|| Verdict::deny("asked"))
            },
            call(),
            "deny: asked",
        ),
        row(
            "a watcher that panics",
            Registration::watch("bad", HERE, Does(|| panic!("on purpose: watch"))),
            call(),
            "pass",
        ),
        row(
            "limit without end",
            Registration { limit: Some(Duration::MAX), ..guard(|_| Step::later(async { Ok(Verdict::Pass) })) },
            call(),
            "pass",
        ),
        row(
            "timeout without end",
            says(|| Verdict::Ask(Box::new(Query { timeout: Some(Duration::MAX), ..Query::default() }))),
            call(),
            "ask",
        ),
    ]
}

fn bad_documents() -> Vec<Row> {
    let deep = |levels: usize| body(format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    let text = "a".repeat(50 << 20);
    vec![
        row("a number", looks(), body("7"), "pass"),
        row("127 levels", looks(), deep(127), "pass"),
        row("128 levels", looks(), deep(128), refused("unreadable: the document nests deeper than 128 levels")),
        row("10,000 levels", looks(), deep(10_000), refused("unreadable: the document nests deeper than 128 levels")),
        row("200,000 levels", looks(), deep(DEEP), refused("unreadable: the document nests deeper than 128 levels")),
        row("200,000 levels and nobody looks", guard(passes), deep(DEEP), "pass"),
        row("50 MB", looks(), body(format!("{{\"text\":\"{text}\"}}")), "pass"),
        row(
            "no UTF-8",
            looks(),
            body(vec![b'"', 0xFF, b'"']),
            refused("unreadable: the document is not JSON: invalid unicode code point at line 1 column 2"),
        ),
    ]
}

fn deep_values() -> Vec<Row> {
    let write = |levels: usize| {
        edit(move |_, body| Step::Now(body.json_mut().map(|value| *value = nested(levels)).map(|()| Verdict::Pass)))
    };
    let objects = |levels: usize| {
        let value = move || (0..levels).fold(json!(null), |inner, _| json!({ "a": inner }));
        edit(move |_, body| Step::Now(body.json_mut().map(|it| *it = value()).map(|()| Verdict::Pass)))
    };
    let garbage = refused("garbage: the document nests deeper than 128 levels");
    let add_note = edit(|_, body| {
        body.notes.push("n".to_owned());
        Step::PASS
    });
    let note = Registration { id: "note".into(), ..add_note };
    let at_second_look = edit(|event, body| {
        if event.look == 2
            && let Ok(value) = body.json_mut()
        {
            *value = nested(DEEP);
        }
        Step::PASS
    });
    vec![
        row("a value of 127 levels", write(127), call(), "pass"),
        row("a value of 128 levels", write(128), call(), &garbage),
        row("objects of 127 levels", objects(127), call(), "pass"),
        row("objects of 128 levels", objects(128), call(), &garbage),
        row("deep value, 10,000 levels", write(10_000), call(), &garbage),
        row("deep value, 200,000 levels", write(DEEP), call(), &garbage),
        row(
            "deep value put in place",
            edit(|_, body| {
                body.set(nested(DEEP));
                Step::PASS
            }),
            call(),
            "deny: the document nests deeper than 128 levels",
        ),
        row(
            "deep value and a panic",
            edit(|_, body| {
                *body.json_mut().unwrap() = nested(DEEP);
                panic!("on purpose: deep")
            }),
            call(),
            refused("panic: on purpose: deep"),
        ),
        Row {
            what: "deep value written at the second look",
            who: vec![at_second_look, note],
            body: call(),
            expected: "pass".to_owned(),
        },
        row(
            "deep answer",
            says(|| {
                let mut body = call();
                *body.json_mut().unwrap() = nested(DEEP);
                Verdict::answer(body)
            }),
            call(),
            &garbage,
        ),
        row(
            "deep data in a question",
            says(|| Verdict::Ask(Box::new(Query { data: nested(DEEP), ..Query::default() }))),
            call(),
            &garbage,
        ),
        row(
            "deep place in a route",
            says(|| Verdict::route(Route { place: json_map(DEEP), ..Route::to("box") })),
            call(),
            &garbage,
        ),
        row(
            "deep command in a route",
            says(|| Verdict::route(Route { command: Some(json_map(DEEP)), ..Route::to("box") })),
            call(),
            &garbage,
        ),
    ]
}

fn json_map(levels: usize) -> serde_json::Map<String, serde_json::Value> {
    [("command".to_owned(), nested(levels))].into_iter().collect()
}

fn all_rows() -> Vec<Row> {
    bad_handlers().into_iter().chain(bad_documents()).chain(deep_values()).collect()
}

/// Every row has a process of its own: some bugs in this corner end it, and one row must not hide the others.
#[test]
fn bad_input_has_a_defined_result() {
    let failed = |row: &Row| {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env("BAD_INPUT_ROW", row.what)
            .output()
            .unwrap();
        // Of its own success a process may be wrong: it may have run nothing.
        let ran = child.stdout.windows(8).any(|text| text == b"1 passed");
        let said = String::from_utf8_lossy(&child.stderr);
        (!child.status.success() || !ran).then(|| format!("{}: {said}", row.what))
    };
    let failures: Vec<String> = all_rows().iter().filter_map(failed).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs the row that the test above named.
#[test]
fn child() {
    let Ok(what) = std::env::var("BAD_INPUT_ROW") else { return };
    hush_intended_panics();
    let row = all_rows().into_iter().find(|row| row.what == what).unwrap();
    let expected = row.expected.clone();
    assert_eq!(run(row), expected, "{what}");
}

#[test]
fn a_large_body_that_nobody_rewrote_leaves_as_it_came() {
    let text = format!("{{ \"text\": \"{}\" }}", "a".repeat(50 << 20));
    let mut large = body(text.clone());
    let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
    let touches = edit(|_, body| Step::Now(body.json_mut().map(|_| Verdict::Pass)));
    registry.add(Registration { id: "touches".into(), ..touches }).unwrap();
    registry.add(looks()).unwrap();
    registry.add(Registration::watch("sees", HERE, Does(|| ()))).unwrap();
    let outcome = registry.snapshot().run_now(&Event::at(Point::ToolBefore), &mut large);
    assert_eq!(outcome.trace.entries().filter(|(_, turn)| turn.said == Said::Passed).count(), 3);
    assert!(*large.to_bytes() == *text.as_bytes());
}

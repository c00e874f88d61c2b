//! The checks that know more than one call, on a pipeline of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Surface, echo};
use serde_json::{Value, json};
use tollgate_core::{Act, Body, Ended, Event, Guard, Point, Query, Registration, Step, Verdict};
use tollgate_engine::checks::{
    Dedupe, Dedupes, DryRun, Limit, Limits, Loop, Loops, Over, Per, Require, Requires, Tools, Toolset, always, tools,
};
use tollgate_engine::state::{Bucket, Files, Memory, State};
use tollgate_engine::{Observed, Report};
use tollgate_testkit::ManualClock;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// A clock, a state, and what is made of them.
struct World {
    clock: Arc<ManualClock>,
    state: Arc<dyn State>,
}

impl World {
    fn new() -> Self {
        Self { clock: Arc::default(), state: Arc::new(Memory::default()) }
    }

    fn limits(&self, all: impl Into<Arc<[Limit]>>) -> Limits {
        Limits { all: all.into(), state: Arc::clone(&self.state), clock: self.clock.clone(), report: None }
    }

    fn loops(&self, one: Loop) -> Loops {
        Loops { all: [one].into(), state: Arc::clone(&self.state), report: None }
    }

    fn dedupes(&self) -> Dedupes {
        let when = tools(["create_*", "get_*"]).unwrap();
        let all = [Dedupe { id: "once".into(), when, keep: SECOND * 600 }].into();
        Dedupes { all, tools: github(), state: Arc::clone(&self.state), clock: self.clock.clone() }
    }

    fn surface(&self, registrations: impl IntoIterator<Item = Registration>) -> Surface {
        Surface::of(self.clock.clone(), registrations)
    }
}

fn github() -> Arc<Tools> {
    Arc::new(Tools {
        reads: Some(tools(["get_*", "list_*"]).unwrap()),
        writes: Some(tools(["create_*", "push_files", "pay"]).unwrap()),
        ..Tools::default()
    })
}

fn limit(id: &str, max: f64, every: Option<Duration>, per: &[Per]) -> Limit {
    Limit {
        project: None,
        id: id.into(),
        when: tools(["create_*", "pay"]).unwrap(),
        per: per.to_vec(),
        bucket: Bucket { max, every },
        cost: None,
        over: Over::Deny("too many writes".to_owned()),
        observe: false,
    }
}

/// A guard that stands wherever it is put and refuses calls with `bad`.
struct Refuses;

impl Guard for Refuses {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(body.json().map(|arguments| match arguments.get("bad") {
            Some(_) => Verdict::deny("bad"),
            None => Verdict::Pass,
        }))
    }
}

#[test]
fn a_limit_lets_so_many_through_and_refills() {
    let world = World::new();
    let surface = world.surface(world.limits([limit("writes", 2.0, Some(HOUR), &[Per::Session])]).registrations());
    let refused = "refused: writes: too many writes. At most 2 in 1h; try again in ";
    for (wait, tool, expected) in [
        (0, "create_issue", "ran {}".to_owned()),
        (0, "Create_Branch", "ran {}".to_owned()),
        (0, "create_issue", format!("{refused}30m")),
        (0, "get_issue", "ran {}".to_owned()),
        (60, "create_issue", format!("{refused}29m")),
        (1740, "create_issue", "ran {}".to_owned()),
        (0, "create_issue", format!("{refused}30m")),
        (86_400, "create_issue", "ran {}".to_owned()),
        (0, "create_issue", "ran {}".to_owned()),
        (0, "create_issue", format!("{refused}30m")),
    ] {
        world.clock.advance(Duration::from_secs(wait));
        assert_eq!(surface.call(tool, json!({})), expected, "{tool} after {wait}");
    }
}

#[test]
fn a_refusal_of_one_limit_spends_nothing_of_another() {
    let world = World::new();
    let (global, job) = (limit("global", 3.0, None, &[]), limit("job", 1.0, None, &[Per::Session]));
    let registrations = world.limits([global, job]).registrations();
    let mut surface = world.surface(registrations);
    for (session, expected) in [
        ("a", "ran {}"),
        ("a", "refused: job: too many writes. At most 1 in all; 0 left"),
        ("a", "refused: job: too many writes. At most 1 in all; 0 left"),
        ("b", "ran {}"),
        ("c", "ran {}"),
        ("d", "refused: global: too many writes. At most 3 in all; 0 left"),
    ] {
        surface.session = session;
        assert_eq!(surface.call("create_issue", json!({})), expected, "{session}");
    }
}

#[test]
fn what_is_counted_apart() {
    for (per, expected) in [
        (vec![], [true, false, false, false]),
        (vec![Per::Session], [true, true, false, false]),
        (vec![Per::Agent], [true, false, true, false]),
        (vec![Per::Tool], [true, false, false, true]),
        (vec![Per::Session, Per::Tool], [true, true, false, true]),
    ] {
        let world = World::new();
        let mut surface = world.surface(world.limits([limit("l", 1.0, None, &per)]).registrations());
        let calls = [("s", "a", "create_x"), ("t", "a", "create_x"), ("s", "b", "create_x"), ("s", "a", "create_y")];
        let came = calls.map(|(session, agent, tool)| {
            (surface.session, surface.agent) = (session, agent);
            surface.call(tool, json!({})).starts_with("ran")
        });
        assert_eq!(came, expected, "{per:?}");
    }
}

#[test]
fn what_does_not_run_is_given_back() {
    let before = |priority| Registration { priority, ..Registration::guard("refuses", [Point::ToolBefore], Refuses) };
    let world = World::new();
    let dry_run = DryRun { tools: github(), previews: Vec::new() };
    let asks = Registration::guard("asks", [Point::ToolBefore], Asks);
    for (what, others, arguments) in [
        ("refused before", vec![before(0)], json!({"bad": 1})),
        ("refused after", vec![before(i32::MIN)], json!({"bad": 1})),
        ("answered", dry_run.registrations(), json!({})),
        ("asked and not granted", vec![asks], json!({"ask": 1})),
    ] {
        let all =
            world.limits([limit(what, 1.0, None, &[]), limit(&format!("{what} own"), 1.0, None, &[Per::Session])]);
        let surface = world.surface(all.registrations().into_iter().chain(others));
        for _ in 0..3 {
            let came = surface.call("create_issue", arguments.clone());
            assert!(!came.contains("too many"), "{what}: {came}");
        }
        assert_eq!(surface.runs(), 0, "{what}");
        let alone = world.surface(all.registrations());
        assert_eq!(alone.call("create_issue", json!({})), "ran {}", "{what}");
        assert!(alone.call("create_issue", json!({})).contains("too many"), "{what}");
    }
}

struct Asks;

impl Guard for Asks {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::Now(Ok(Verdict::ask("sure?")))
    }
}

#[test]
fn a_failed_call_is_spent_and_a_lost_one_too() {
    let world = World::new();
    let surface = world.surface(world.limits([limit("l", 2.0, None, &[])]).registrations());
    assert_eq!(surface.run("create_x", json!({}), &|_| Err("no network")), "no network");
    // Its process died: it may have run.
    assert!(matches!(surface.before("create_x", "lost", json!({})).0, Act::Pass));
    assert!(surface.call("create_x", json!({})).contains("too many"));
}

#[test]
fn costs() {
    let world = World::new();
    let money = Limit { cost: Some(vec!["amount".to_owned()]), ..limit("money", 100.0, None, &[]) };
    let surface = world.surface(world.limits([money]).registrations());
    let odd = "refused: money: what this takes is in `amount`, which is no positive number";
    for (amount, expected) in [
        (json!(60), "ran"),
        (json!(60), "refused: money: too many writes. At most 100 in all; 40 left"),
        (json!(-60), odd),
        (json!("60"), odd),
        (json!(null), odd),
        (json!(39.5), "ran"),
        (json!(0), "ran"),
        (json!(1), "refused: money: too many writes. At most 100 in all; 0.5 left"),
    ] {
        let came = surface.call("pay", json!({ "amount": amount }));
        assert!(came.starts_with(expected), "{amount}: {came}");
    }
}

#[test]
fn too_much_may_be_a_question() {
    let world = World::new();
    let query = Query { title: "more than one?".to_owned(), ..Query::default() };
    let ask = Limit { over: Over::Ask(query), ..limit("ask", 1.0, None, &[]) };
    let surface = world.surface(world.limits([ask, limit("deny", 3.0, None, &[])]).registrations());
    let came: Vec<_> = (0..3).map(|_| surface.call("create_x", json!({}))).collect();
    assert_eq!(came, ["ran {}", "asked: more than one?", "asked: more than one?"]);
}

#[test]
fn a_permission_request_after_the_hook_counts_once() {
    let world = World::new();
    let surface = world.surface(world.limits([limit("l", 1.0, None, &[])]).registrations());
    let name = surface.pipeline.name("create_x");
    let event = Event { session: Some("s"), ..Event::tool(Point::ToolBefore, &name, "1") };
    let go = |event: &Event<'_>| matches!(surface.pipeline.run_now(event, &mut Body::from(json!({}))).act, Act::Pass);
    assert!(go(&event));
    assert!(go(&Event { permission: true, ..event }));
    assert!(!go(&Event { permission: true, call_id: Some("2"), ..event }), "another call");
    assert!(!go(&event), "the same id again is another try");
    assert!(!go(&Event { permission: true, call_id: None, ..event }), "nobody knows which call that is");
}

#[test]
fn a_limit_that_observes_stops_nothing() {
    let world = World::new();
    let seen: Arc<Mutex<Vec<Observed>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let report: Report = Arc::new(move |_, observed| sink.lock().unwrap().push(observed));
    let limits = world.limits([Limit { observe: true, ..limit("l", 1.0, None, &[]) }]);
    let surface = world.surface(Limits { report: Some(report), ..limits }.registrations());
    for _ in 0..3 {
        assert_eq!(surface.call("create_x", json!({})), "ran {}");
    }
    let said: Vec<_> =
        seen.lock().unwrap().iter().map(|observed| format!("{} {:?}", observed.by, observed.would)).collect();
    assert_eq!(said, [r#"l Deny("l: too many writes. At most 1 in all; 0 left")"#; 2]);
}

fn a_loop() -> Loop {
    Loop { id: "loop".into(), when: always(), warn: 10, deny: 20, window: 30, observe: false }
}

#[test]
fn polling_without_progress_is_warned_about_and_then_refused() {
    let world = World::new();
    let surface = world.surface(world.loops(a_loop()).registrations());
    for call in 1..=22 {
        let came = surface.call("process", json!({"poll": 1}));
        let expected = match call {
            10 => {
                "ran {\"poll\":1} [loop: `process` was called 10 times with the same arguments and the same result. \
                   After 10 more it is refused; try something else]"
            }
            20 => {
                "ran {\"poll\":1} [loop: `process` was called 20 times with the same arguments and the same result. \
                   After 0 more it is refused; try something else]"
            }
            21.. => {
                "refused: loop: `process` was called 20 times with the same arguments and the same result. \
                     Do something else, or ask the user"
            }
            _ => "ran {\"poll\":1}",
        };
        assert_eq!(came, expected, "call {call}");
    }
    // Another call is none of it, and other work makes it forgotten.
    for step in 0..30 {
        assert!(surface.call("exec", json!({ "command": step })).starts_with("ran"), "{step}");
    }
    assert!(surface.call("process", json!({"poll": 1})).starts_with("ran"));
}

#[test]
fn progress_is_never_refused() {
    let world = World::new();
    let surface = world.surface(world.loops(a_loop()).registrations());
    for step in 0..60 {
        let came = surface.run("process", json!({"poll": 1}), &|_| Ok(json!({ "output": step.to_string() })));
        assert_eq!(came, step.to_string());
    }
}

#[test]
fn a_result_that_cannot_be_read_is_counted_and_not_refused() {
    let world = World::new();
    let surface = world.surface(world.loops(a_loop()).registrations());
    let name = surface.pipeline.name("process");
    let arguments = Body::from(json!({}));
    let event = Event { session: Some("s"), arguments: Some(&arguments), ..Event::tool(Point::ToolAfter, &name, "1") };
    for call in 1..=10 {
        let mut body = Body::from_bytes(*b"{not json", tollgate_wire::read);
        let outcome = surface.pipeline.run_now(&Event { ended: Some(Ended::Ok), ..event }, &mut body);
        assert!(matches!(outcome.act, Act::Pass), "{:?}", outcome.act);
        assert_eq!(body.notes.len(), usize::from(call == 10), "{call}");
    }
}

#[test]
fn two_calls_that_take_turns_are_a_loop() {
    let world = World::new();
    let surface = world.surface(world.loops(a_loop()).registrations());
    let came: Vec<String> =
        (0..24).map(|step| surface.call(["read", "list_files"][step % 2], json!({"path": "a"}))).collect();
    let warned: Vec<usize> =
        came.iter().enumerate().filter(|(_, came)| came.contains("[loop: ")).map(|(i, _)| i + 1).collect();
    assert_eq!(warned, [10, 20]);
    let refused = "refused: loop: the same 2 calls, `read` among them, went round 20 calls long with the same results. \
                   Do something else, or ask the user";
    assert_eq!(came.iter().position(|came| came.starts_with("refused")), Some(20));
    assert_eq!(came[20], refused);
}

#[test]
fn loops_are_counted_per_session_and_only_where_somebody_wants_it() {
    let world = World::new();
    let mut surface = world.surface(world.loops(a_loop()).registrations());
    for call in 0..60 {
        surface.session = ["a", "b", "c", "d"][call % 4];
        assert!(surface.call("process", json!({})).starts_with("ran"), "{call}");
    }
    let when = tools(["exec"]).unwrap();
    let world = World::new();
    for (what, surface) in [
        ("none", world.surface([])),
        ("other tools", world.surface(world.loops(Loop { when, ..a_loop() }).registrations())),
        ("observe", world.surface(world.loops(Loop { observe: true, ..a_loop() }).registrations())),
    ] {
        for call in 0..30 {
            assert_eq!(surface.call("process", json!({})), "ran {}", "{what} {call}");
        }
    }
}

#[test]
fn the_second_write_gets_the_first_ones_result() {
    let world = World::new();
    let surface = world.surface(world.dedupes().registrations());
    let arguments = || json!({"title": "a", "labels": {"x": [1]}});
    let create = |tool: &str, arguments| surface.run(tool, arguments, &|_| Ok(json!({"content": "issue 7"})));
    assert_eq!(create("create_issue", arguments()), "issue 7");
    world.clock.advance(SECOND * 5);
    let again = "answered: issue 7 [this is the result of the same call of 5s ago; it was not run again]";
    assert_eq!(create("Create_Issue", json!({"labels": {"x": [1.0]}, "title": "a"})), again);
    assert_eq!(surface.runs(), 1);
    assert_eq!(create("create_issue", json!({"title": "a", "labels": {"x": [2]}})), "issue 7");
    assert_eq!(surface.runs(), 2, "another depth, another call");
    world.clock.advance(SECOND * 600);
    assert_eq!(create("create_issue", arguments()), "issue 7");
    assert_eq!(surface.runs(), 3, "after ten minutes it is a new one");
}

#[test]
fn what_was_done_or_began_is_known_after_a_restart() {
    let dir = std::env::temp_dir().join(format!("tollgate-checks-restart-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let clock = Arc::<ManualClock>::default();
    let start = || World { clock: Arc::clone(&clock), state: Arc::new(Files::new(&dir)) };
    let world = start();
    let surface = world.surface(world.dedupes().registrations());
    assert_eq!(surface.call("create_issue", json!({"n": 1})), "ran {\"n\":1}");
    let (act, _) = surface.before("create_issue", "pending", json!({"n": 2}));
    assert!(matches!(act, Act::Pass));
    drop((surface, world));
    clock.advance(SECOND * 5);
    let world = start();
    let surface = world.surface(world.dedupes().registrations());
    assert!(surface.call("create_issue", json!({"n": 1})).starts_with("answered: "));
    assert!(surface.call("create_issue", json!({"n": 2})).starts_with("refused: once: the same call began 5s ago"));
    assert_eq!(surface.runs(), 0);
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn reads_are_never_held() {
    let world = World::new();
    let surface = world.surface(world.dedupes().registrations());
    for _ in 0..3 {
        assert_eq!(surface.call("get_issue", json!({})), "ran {}");
    }
    assert_eq!(surface.runs(), 3);
}

#[test]
fn a_call_that_still_runs_is_not_run_again() {
    let world = World::new();
    let mut surface = world.surface(world.dedupes().registrations());
    let (act, arguments) = surface.before("create_issue", "first", json!({"n": 1}));
    assert!(matches!(act, Act::Pass));
    world.clock.advance(SECOND * 3);
    let running = "refused: once: the same call began 3s ago and is still running. \
                   Wait for its result; it must not run twice";
    assert_eq!(surface.call("create_issue", json!({"n": 1})), running);
    // The refused one has not taken the claim away.
    assert_eq!(surface.call("create_issue", json!({"n": 1})), running);
    surface.session = "other";
    assert_eq!(surface.call("create_issue", json!({"n": 1})), "ran {\"n\":1}");
    surface.session = "s";
    surface.after("create_issue", "first", &arguments, Ended::Ok, json!({"content": "done"}));
    assert!(surface.call("create_issue", json!({"n": 1})).starts_with("answered: done"));
}

#[test]
fn a_refused_twin_takes_nothing_from_the_one_that_runs() {
    // With one id for all, as a careless surface might have it, and with none.
    for id in [Some("id"), Some(""), None] {
        let world = World::new();
        let limits = world.limits([limit("l", 2.0, None, &[])]);
        let surface = world.surface(world.dedupes().registrations().into_iter().chain(limits.registrations()));
        let name = surface.pipeline.name("create_issue");
        let event = Event { call_id: id, session: Some("s"), ..Event::tool(Point::ToolBefore, &name, "") };
        let mut body = Body::from(json!({"n": 1}));
        assert!(matches!(surface.pipeline.run_now(&event, &mut body).act, Act::Pass), "{id:?}");
        for _ in 0..3 {
            let outcome = surface.pipeline.run_now(&event, &mut body.clone());
            assert!(matches!(outcome.act, Act::Deny(ruling) if ruling.reason.contains("still running")), "{id:?}");
        }
        let after = Event { point: Point::ToolAfter, ended: Some(Ended::Ok), arguments: Some(&body), ..event };
        surface.pipeline.run_now(&after, &mut Body::from(json!({"content": "done"})));
        let outcome = surface.pipeline.run_now(&event, &mut body.clone());
        assert!(matches!(outcome.act, Act::Answer(_)), "{id:?}");
    }
}

#[test]
fn what_failed_or_was_refused_can_be_tried_again() {
    let world = World::new();
    let late = Registration { priority: i32::MIN, ..Registration::guard("late", [Point::ToolBefore], Refuses) };
    let surface = world.surface(world.dedupes().registrations().into_iter().chain([late]));
    for (what, execute) in [
        ("an error", &(|_: &Value| Err("no network")) as common::Tool<'_>),
        ("a result that says so", &|_: &Value| Ok(json!({"content": "no network", "isError": true}))),
    ] {
        let before = surface.runs();
        surface.run("create_issue", json!({ "what": what }), execute);
        assert!(surface.call("create_issue", json!({ "what": what })).starts_with("ran"), "{what}");
        assert_eq!(surface.runs(), before + 2, "{what}");
    }
    assert_eq!(surface.call("create_issue", json!({"bad": 1})), "refused: bad");
    assert_eq!(surface.call("create_issue", json!({"bad": 1})), "refused: bad");
}

#[test]
fn a_remembered_result_holds_no_secret_and_no_flood() {
    let world = World::new();
    let surface = world.surface(world.dedupes().registrations());
    let key = "AKIAQW3RT8ZX51LMNB7K";
    let secret = |_: &Value| Ok(json!({"content": format!("the key is {key}")}));
    let large = |_: &Value| Ok(json!({"content": "x".repeat(20_000)}));
    assert_eq!(surface.run("create_key", json!({}), &secret), format!("the key is {key}"));
    let again = surface.run("create_key", json!({}), &secret);
    assert!(again.starts_with("answered: the key is [redacted:"), "{again}");
    surface.run("create_page", json!({}), &large);
    let again = surface.run("create_page", json!({}), &large);
    assert_eq!(again, "answered: This very call ran 0s ago and was not run again. What it came to was not kept.");
    let kept = format!("{:?}", world.state.look(&[tollgate_engine::state::Space::Session("s")]).unwrap());
    assert!(!kept.contains(key) && kept.len() < 5000, "{kept}");
}

#[test]
fn classes_and_lists() {
    let patterns = |patterns: &[&str]| Some(tools(patterns.iter().copied()).unwrap());
    let set = Toolset {
        known: patterns(&["get_*", "create_*", "delete_*"]),
        admin: patterns(&["delete_*"]),
        lifted: patterns(&["delete_label"]),
        allow: patterns(&["get_*", "create_issue", "create_fork", "delete_*"]),
        deny: patterns(&["create_fork"]),
    };
    // Another layer can only take away.
    let other = Toolset { deny: patterns(&["get_secret"]), ..Toolset::default() };
    let all = Tools { sets: vec![set, other], ..Tools::default() };
    let surface = World::new().surface(all.registrations());
    for (tool, expected) in [
        ("get_issue", "ran {}"),
        ("GET_ISSUE", "ran {}"),
        ("create_issue", "ran {}"),
        ("order_pizza", "refused: tools: `order_pizza` is unknown. Only tools that [tools] names may run"),
        (
            "Delete_Repository",
            "refused: tools: `Delete_Repository` is an admin tool. Those are always refused; a person can do it",
        ),
        ("delete_label", "ran {}"),
        ("create_fork", "refused: tools: `create_fork` is on the list of denied tools"),
        ("get_secret", "refused: tools: `get_secret` is on the list of denied tools"),
        ("create_branch", "refused: tools: `create_branch` is not on the list of allowed tools"),
    ] {
        assert_eq!(surface.call(tool, json!({})), expected, "{tool}");
    }
    let none = Toolset { allow: patterns(&[]), ..Toolset::default() };
    let none = Tools { sets: vec![none], ..Tools::default() };
    let surface = World::new().surface(none.registrations());
    assert_eq!(surface.call("read", json!({})), "refused: tools: `read` is not on the list of allowed tools");
    assert_eq!(Tools::default().registrations().len(), 0);
}

#[test]
fn required_arguments() {
    let draft = |arguments: &Value| (arguments["draft"] != json!(true)).then(|| "`draft` must be true".to_owned());
    let require = Require {
        id: "drafts".into(),
        when: tools(["create_pull_request"]).unwrap(),
        violation: Arc::new(draft),
        reason: Some("people publish".to_owned()),
    };
    let requires = Requires { all: vec![require] };
    let surface = World::new().surface(requires.registrations());
    let refused = "refused: drafts: `draft` must be true. people publish";
    for (tool, arguments, expected) in [
        ("create_pull_request", json!({"draft": true}), "ran {\"draft\":true}"),
        ("create_pull_request", json!({"draft": false}), refused),
        ("create_pull_request", json!({"draft": "true"}), refused),
        ("create_pull_request", json!({}), refused),
        ("create_issue", json!({}), "ran {}"),
    ] {
        assert_eq!(surface.call(tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn a_dry_run_answers_writes_and_runs_reads() {
    let world = World::new();
    let limits = world.limits([limit("writes", 2.0, None, &[])]);
    let (loops, dedupes) = (world.loops(a_loop()), world.dedupes());
    let previews: Vec<Arc<dyn tollgate_engine::checks::Preview>> =
        vec![Arc::new(loops), Arc::new(limits.clone()), Arc::new(dedupes.clone())];
    let dry_run = DryRun { tools: github(), previews };
    let refuses = Registration::guard("refuses", [Point::ToolBefore], Refuses);
    let all = [limits.registrations(), dedupes.registrations(), dry_run.registrations(), vec![refuses]];
    let surface = world.surface(all.into_iter().flatten());
    let answered = "answered: Dry run: `create_issue` was not run. No check refuses it.\n\
                    - limit writes: 1 of 2 in all would be left\n\
                    - dedupe once: the first of its kind in 10m";
    for (tool, arguments, expected) in [
        ("create_issue", json!({}), answered),
        ("create_issue", json!({}), answered),
        ("create_issue", json!({}), answered),
        ("create_issue", json!({"bad": 1}), "refused: bad"),
        ("push_files", json!({}), "answered: Dry run: `push_files` was not run. No check refuses it."),
        ("Bash", json!({}), "answered: Dry run: `Bash` was not run. No check refuses it."),
        ("order_pizza", json!({}), "answered: Dry run: `order_pizza` was not run. No check refuses it."),
    ] {
        assert_eq!(surface.call(tool, arguments.clone()), expected, "{tool} {arguments}");
        assert_eq!(surface.runs(), 0, "{tool} {arguments}");
    }
    for (runs, tool) in [(1, "get_issue"), (2, "list_issues"), (3, "Read"), (4, "WebSearch")] {
        assert_eq!(surface.run(tool, json!({}), &echo), "ran {}");
        assert_eq!(surface.runs(), runs, "{tool}");
    }
}

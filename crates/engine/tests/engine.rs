//! From the text of a policy to what becomes of calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{START, Surface};
use expect_test::expect;
use serde_json::{Value, json};
use tollgate_config::{File, Layer, Plan, combine};
use tollgate_core::{Act, Body, Event, Guard, Outcome, Point, Registration, Step, Verdict, Watch};
use tollgate_engine::state::{Files, Grant, Memory, State};
use tollgate_engine::{Engine, Observed, Parts, Report};
use tollgate_rules::Still;
use tollgate_rules::form::Date;
use tollgate_testkit::ManualClock;

const GITHUB: &str = include_str!("github.toml");
/// No packs: what is tested is what is written here.
const BARE: &str = "[packs]\nuse = []\n";

fn plan(text: &str) -> Plan {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into()).unwrap();
    combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// An engine and all that it was given.
struct World {
    clock: Arc<ManualClock>,
    parts: Parts,
    observed: Arc<Mutex<Vec<Observed>>>,
    records: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new() -> Self {
        let (clock, observed, records) = (Arc::<ManualClock>::default(), Arc::default(), Arc::default());
        let sink: Arc<Mutex<Vec<Observed>>> = Arc::clone(&observed);
        let report: Report = Arc::new(move |_, one| sink.lock().unwrap().push(one));
        let record = Record(Arc::clone(&records));
        let parts = Parts {
            state: Arc::new(Memory::default()),
            clock: clock.clone(),
            ambient: Arc::new(Still::default()),
            report: Some(report),
            more: vec![Registration::watch("record", [Point::ToolBefore, Point::ToolAfter], record)],
        };
        Self { clock, parts, observed, records }
    }

    fn engine(&self, text: &str) -> Engine {
        Engine::new(plan(text), self.parts.clone()).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    fn surface(&self, text: &str) -> Surface {
        Surface::new(self.engine(text).pipeline())
    }

    fn observed(&self) -> Vec<String> {
        let observed = std::mem::take(&mut *self.observed.lock().unwrap());
        observed.into_iter().map(|one| format!("{} {}", one.by, one.would)).collect()
    }

    fn records(&self) -> Vec<String> {
        std::mem::take(&mut *self.records.lock().unwrap())
    }
}

/// A record of all that happens.
struct Record(Arc<Mutex<Vec<String>>>);

impl Watch for Record {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        let act = match &outcome.act {
            Act::Deny(ruling) => format!("deny by {}", ruling.by.as_deref().unwrap_or("nobody")),
            Act::Answer(_) => "answer".to_owned(),
            Act::Pass => "pass".to_owned(),
            _ => "other".to_owned(),
        };
        let ended = event.ended.map(|ended| format!(" {ended:?}")).unwrap_or_default();
        self.0.lock().unwrap().push(format!("{} {}: {act}{ended}", event.point, event.tool_name(body)));
        Step::Now(Ok(()))
    }
}

#[test]
fn a_firewall_for_github() {
    let world = World::new();
    let surface = world.surface(GITHUB);
    let branches = "refused: branches: `branch` must be";
    for (tool, arguments, expected) in [
        ("drop_database", json!({}), "refused: tools: `drop_database` is unknown."),
        ("merge_pull_request", json!({}), "refused: tools: `merge_pull_request` is an admin tool."),
        ("delete_branch", json!({"branch": "feature/x"}), "refused: tools: `delete_branch` is an admin tool."),
        ("push_files", json!({"branch": "main", "files": []}), branches),
        ("push_files", json!({"branch": 7}), branches),
        ("push_files", json!({}), branches),
        ("create_pull_request", json!({"title": "x"}), "refused: drafts: `draft` must be true, and it is missing"),
        ("create_pull_request", json!({"draft": false}), "refused: drafts: `draft` must be true, and it is false"),
        ("create_pull_request_review", json!({"event": "APPROVE"}), "refused: no-approval: `event` must be"),
        ("update_issue", json!({}), "refused: tools: `update_issue` is on the list of denied tools"),
        ("search_issues", json!({}), "refused: tools: `search_issues` is not on the list of allowed tools"),
    ] {
        let came = surface.call(tool, arguments.clone());
        assert!(came.starts_with(expected), "{tool} {arguments}: {came}");
        let records = world.records();
        assert!(records[0].contains(": deny by ") && records[1].ends_with(" Denied"), "{tool}: {records:?}");
    }
    assert_eq!(surface.runs(), 0);
    for (tool, arguments) in [
        ("get_issue", json!({"n": 1})),
        ("create_pull_request", json!({"draft": true})),
        ("push_files", json!({"branch": "feature/x"})),
        ("create_pull_request_review", json!({"event": "COMMENT"})),
        // Names are normalized once, before anything is matched.
        ("Get_Issue", json!({"n": 2})),
    ] {
        assert_eq!(surface.call(tool, arguments.clone()), format!("ran {arguments}"), "{tool}");
    }
    let expected: &[&str] = &["tool.before push_files: pass", "tool.after push_files: pass Ok"];
    assert_eq!(world.records()[4..6], *expected, "what was wanted, and what it came to");
}

#[test]
fn the_first_check_that_objects_is_named() {
    let text = |tools: &str| {
        format!("{BARE}{tools}\n[[require]]\ntool = 'x'\narg.a = true\n[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\n")
    };
    let world = World::new();
    // Each takes one objection away.
    for (tools, arguments, expected) in [
        ("default = 'deny'\n[tools]\nadmin = ['y']\n", json!({}), "is unknown"),
        ("[tools]\nadmin = ['x']\ndeny = ['x']\nallow = []", json!({}), "is an admin tool"),
        ("[tools]\ndeny = ['x']\nallow = []", json!({}), "`a` must be"),
        ("[tools]\ndeny = ['x']\nallow = []", json!({"a": true}), "denied tools"),
        ("[tools]\nallow = []", json!({"a": true}), "allowed tools"),
        ("[tools]\nallow = ['x']", json!({"a": true}), "ran"),
        ("[tools]\nallow = ['x']", json!({"a": true}), "l: this is too much"),
    ] {
        let text = if tools.starts_with("default") {
            format!("default = 'deny'\n{}", text(&tools[17..]))
        } else {
            text(tools)
        };
        let came = world.surface(&text).call("x", arguments.clone());
        assert!(came.contains(expected), "{tools} {arguments}: {came}");
    }
}

#[test]
fn limits_duplicates_and_errors_for_github() {
    let world = World::new();
    let mut surface = world.surface(GITHUB);
    let fails = |_: &Value| Err("502");
    assert_eq!(surface.run("create_issue", json!({"title": "a"}), &fails), "502");
    assert!(world.records()[1].ends_with("Error"));
    assert_eq!(surface.call("create_issue", json!({"title": "a"})), r#"ran {"title":"a"}"#, "it may be tried again");
    let again = surface.call("create_issue", json!({"title": "a"}));
    assert!(again.starts_with(r#"answered: ran {"title":"a"} [this is the result of the same call"#), "{again}");
    assert_eq!(surface.runs(), 2);
    for _ in 0..3 {
        assert_eq!(surface.call("get_me", json!({})), "ran {}", "what only looks is never held");
    }
    surface.call("create_issue", json!({"title": "a"}));
    assert_eq!(surface.call("get_issue", json!({"n": 1})), r#"ran {"n":1}"#, "answers cost nothing");
    let job = "refused: job: this is too much. At most 6 in 1h; try again in 10m";
    assert_eq!(surface.call("get_issue", json!({"n": 2})), job);
    // What the job's limit refused took nothing of the global one.
    surface.session = "another";
    for n in 0..3 {
        assert_eq!(surface.call("get_issue", json!({ "n": n })), format!("ran {{\"n\":{n}}}"));
    }
    let global = "refused: global: this is too much. At most 9 in 1h; try again in 6m40s";
    assert_eq!(surface.call("get_issue", json!({"n": 9})), global);
    world.clock.advance(Duration::from_secs(400));
    assert_eq!(surface.call("get_issue", json!({"n": 9})), r#"ran {"n":9}"#);
}

#[test]
fn a_dry_run_of_the_firewall() {
    let world = World::new();
    let surface = world.surface(&format!("dry_run = true\n{GITHUB}"));
    let came = surface.call("create_issue", json!({"title": "a"}));
    expect![[r#"
        answered: Dry run: `create_issue` was not run. No check refuses it.
        - limit job: 5 of 6 in 1h would be left
        - limit global: 8 of 9 in 1h would be left
        - dedupe once: the first of its kind in 7d"#]]
    .assert_eq(&came);
    assert!(surface.call("push_files", json!({"branch": "main"})).starts_with("refused: branches"));
    assert!(surface.call("merge_pull_request", json!({})).starts_with("refused: tools"));
    assert_eq!(surface.runs(), 0);
    assert_eq!(surface.call("get_me", json!({})), "ran {}");
    let records = world.records();
    assert_eq!(records[..2], ["tool.before create_issue: answer", "tool.after create_issue: pass Answered"]);
}

#[test]
fn observing_stops_nothing_and_says_what_would_have_been() {
    let world = World::new();
    let text = "mode = 'observe'\n[packs]\nuse = []\n[tools]\ndeny = ['x']\n[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\n";
    let surface = world.surface(text);
    let denied = "tools/deny would be refused: tools: `x` is on the list of denied tools";
    for (expected, call) in
        [(vec![denied], 1), (vec![denied, "limits would be refused: l: this is too much. At most 1 in all; 0 left"], 2)]
    {
        assert_eq!(surface.call("x", json!({})), "ran {}", "{call}");
        assert_eq!(world.observed(), expected, "{call}");
    }
    let surface = world.surface(&format!("dry_run = true\n{text}"));
    assert!(surface.call("x", json!({})).starts_with("answered: Dry run"), "a dry run is no objection");
}

#[test]
fn one_thing_alone_may_only_observe() {
    let world = World::new();
    let text = format!("{BARE}[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\nmode = 'observe'\n[tools]\ndeny = ['y']\n");
    let surface = world.surface(&text);
    assert_eq!([surface.call("x", json!({})), surface.call("x", json!({}))], ["ran {}", "ran {}"]);
    assert!(surface.call("y", json!({})).starts_with("refused"));
    assert_eq!(world.observed(), ["l would be refused: l: this is too much. At most 1 in all; 0 left"]);
}

#[test]
fn a_plan_that_is_not_compiled_does_not_run() {
    let text = format!("{BARE}[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\n");
    for lose in [|plan: &mut Plan| plan.compiled = None, |plan: &mut Plan| plan.checks = None] {
        let mut plan = plan(&text);
        lose(&mut plan);
        let shown = Engine::new(plan, World::new().parts).err().unwrap().to_string();
        assert!(shown.contains("the plan is not compiled"), "{shown}");
    }
}

#[test]
fn what_is_written_is_compiled_once() {
    for (entry, texts) in [
        ("[[rule]]\nid = 'a'\ntool = { regex = 'x+' }\ndeny = 'no'", 1),
        ("[[limit]]\nid = 'a'\ntool = { regex = 'x+' }\nmax = 1", 1),
        ("[[limit]]\nid = 'a'\ntool = { regex = 'x+' }\nmax = 1\n[override.a]\nmode = 'off'", 1),
        ("[[limit]]\nid = 'a'\ntool = { regex = 'x+' }\nmax = 1\n[override.a]\ndecision = 'ask'", 1),
        ("[[loop]]\ntool = { regex = 'x+' }", 1),
        ("[[dedupe]]\ntool = { regex = 'x+' }\nfor = '1h'", 1),
        ("[[require]]\ntool = { regex = 'x+' }\nserver = 's'\narg.branch = { regex = 'x+' }", 3),
    ] {
        let before = tollgate_rules::texts_compiled();
        let plan = plan(&format!("{BARE}{entry}\n"));
        Engine::new(plan.clone(), World::new().parts).unwrap();
        Engine::new(plan, World::new().parts).unwrap();
        assert_eq!(tollgate_rules::texts_compiled() - before, texts, "{entry}");
    }
}

#[test]
fn a_grant_answers_one_question_once() {
    let world = World::new();
    let text = format!("{BARE}[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\nask = 'again?'\n");
    let engine = world.engine(&text);
    let surface = Surface::new(engine.pipeline());
    assert_eq!(surface.call("x", json!({"n": 1})), "ran {\"n\":1}");
    let ask = |n: i32| surface.before("x", &n.to_string(), json!({ "n": n })).0;
    let Act::Ask(question) = engine.redeem(ask(2)).unwrap() else { panic!("nobody has said yes") };
    let grant =
        Grant { digest: question.digest, by: "ann".to_owned(), at: START, until: START + Duration::from_secs(60) };
    engine.state().grant(&grant).unwrap();
    assert!(matches!(engine.redeem(ask(3)).unwrap(), Act::Ask(_)), "another call");
    assert!(matches!(engine.redeem(ask(2)).unwrap(), Act::Pass));
    assert!(matches!(engine.redeem(ask(2)).unwrap(), Act::Ask(_)), "used up");
}

#[test]
fn others_stand_between_the_checks() {
    /// Takes note of its turn.
    struct Turn(Arc<Mutex<Vec<i32>>>, i32);
    impl Guard for Turn {
        fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
            self.0.lock().unwrap().push(self.1);
            Step::PASS
        }
    }
    let (world, turns) = (World::new(), Arc::<Mutex<Vec<i32>>>::default());
    let mut parts = world.parts.clone();
    for priority in [i32::MIN, 0, i32::MAX] {
        let guard = Turn(Arc::clone(&turns), priority);
        let id = format!("turn {priority}");
        parts.more.push(Registration { priority, ..Registration::guard(&id, [Point::ToolBefore], guard) });
    }
    let text = format!("{BARE}[tools]\ndeny = ['x']\n[[limit]]\nid = 'l'\ntool = 'y'\nmax = 1\n");
    let engine = Engine::new(plan(&text), parts).unwrap_or_else(|wrong| panic!("{wrong}"));
    let order: Vec<_> =
        engine.pipeline().order(Point::ToolBefore, Some("y")).iter().map(|who| who.id.to_string()).collect();
    let expected = ["tools/deny", "turn 2147483647", "turn 0", "turn -2147483648", "limits", "limits/settle", "record"];
    assert_eq!(order, expected);
    Surface::new(engine.pipeline()).call("x", json!({}));
    assert_eq!(*turns.lock().unwrap(), [0; 0], "what is refused by its name is shown to nobody");
}

#[test]
fn explaining_keeps_nothing() {
    let world = World::new();
    let engine = world.engine(&format!("{BARE}[[limit]]\nid = 'l'\ntool = 'x'\nmax = 1\n"));
    let pipeline = engine.pipeline();
    let name = pipeline.name("x");
    let event = Event { session: Some("s"), ..Event::tool(Point::ToolBefore, &name, "1") };
    for _ in 0..3 {
        let explained = engine.explain(&event, Body::from(json!({})));
        assert_eq!((explained.rule, explained.reason), (None, None));
    }
    assert_eq!(Surface::new(pipeline.clone()).call("x", json!({})), "ran {}");
    let explained = engine.explain(&event, Body::from(json!({})));
    assert_eq!(explained.rule.as_deref(), Some("l"));
    assert_eq!(explained.reason.as_deref(), Some("l: this is too much. At most 1 in all; 0 left"));
    assert_eq!(world.records().len(), 2, "the record saw the one real call only");
    let shown = serde_json::to_value(&explained).unwrap();
    assert_eq!(shown["act"]["do"], "deny");
    let _: &dyn State = engine.state();
}

#[test]
fn rules_rewrite_refuse_ask_and_route() {
    let world = World::new();
    let text = format!(
        r#"{BARE}
        [[rule]]
        id = "draft"
        tool = "create_pull_request"
        rewrite = [{{ set = {{ draft = true }} }}, {{ keep = {{ labels = ["bug", "docs"] }} }}, {{ truncate = {{ bytes = 5, in = "body" }} }}]

        [[rule]]
        id = "no-prod"
        tool = "exec"
        arg.command = {{ contains = "prod" }}
        deny = "production is read-only"
        suggest = "use the replica"

        [[rule]]
        id = "push"
        tool = "push_files"
        ask = "push this?"

        [[limit]]
        id = "few"
        tool = "*"
        max = 4
        "#
    );
    let surface = world.surface(&text);
    let pull = json!({"labels": ["bug", "spam"], "body": "0123456789", "draft": false});
    let came = surface.call("create_pull_request", pull);
    assert!(came.starts_with(r#"ran {"labels":["bug"],"body":"01234"#) && came.contains(r#""draft":true"#), "{came}");
    let same = json!({"draft": true, "labels": ["docs"], "body": "0123"});
    assert_eq!(surface.call("create_pull_request", same.clone()), format!("ran {same}"), "nothing to change");
    let refused = "refused: no-prod: production is read-only. Instead: use the replica";
    for _ in 0..5 {
        assert_eq!(surface.call("Bash", json!({"command": "psql prod"})), refused);
        assert_eq!(surface.call("push_files", json!({})), "asked: push: push this?", "not granted, so given back");
    }
    assert_eq!(surface.call("Bash", json!({"command": "ls"})), r#"ran {"command":"ls"}"#);
    assert_eq!(surface.call("Bash", json!({"command": "pwd"})), r#"ran {"command":"pwd"}"#);
    assert!(surface.call("Bash", json!({"command": "id"})).starts_with("refused: few"));
}

#[test]
fn a_dry_run_says_what_rules_would_do() {
    let world = World::new();
    let text = "dry_run = true\n[packs]\nuse = []\n[[rule]]\nid = 'push'\ntool = 'push_files'\nask = 'push this?'\n\
                [[rule]]\nid = 'note'\ntool = 'push_files'\nlog = 'a push'\n";
    let came = world.surface(text).call("push_files", json!({}));
    expect![[r#"
        answered: Dry run: `push_files` was not run. No check refuses it.
        - rule push: a human would be asked: push this?
        - rule note: would be noted: a push"#]]
    .assert_eq(&came);
}

#[test]
fn overrides_of_what_is_no_rule() {
    let text = |more: &str| {
        format!(
            "{BARE}[[limit]]\nid = 'few'\ntool = 'x'\nmax = 1\n[[require]]\nid = 'must'\ntool = 'y'\narg.a = true\n\
             [[loop]]\nid = 'again'\ntool = 'z'\nwarn = 2\ndeny = 2\nwindow = 5\n[[dedupe]]\nid = 'once'\ntool = 'w'\nfor = '1h'\n{more}"
        )
    };
    for (more, tool, expected) in [
        ("", "x", "refused: few"),
        ("", "y", "refused: must"),
        ("", "z", "refused: again"),
        ("", "w", "answered"),
        ("[override.few]\nmode = 'off'\n", "x", "ran"),
        ("[override.few]\nmode = 'observe'\n", "x", "ran"),
        ("[override.few]\ndecision = 'ask'\n", "x", "asked"),
        ("[override.must]\nmode = 'off'\n", "y", "ran"),
        ("[override.again]\nmode = 'off'\n", "z", "ran"),
        ("[override.again]\nmode = 'observe'\n", "z", "ran"),
        ("[override.once]\nmode = 'off'\n", "w", "ran"),
    ] {
        let surface = World::new().surface(&text(more));
        let came = (0..3).map(|_| surface.call(tool, json!({}))).last().unwrap_or_default();
        assert!(came.starts_with(expected), "{more}{tool}: {came}");
    }
}

#[test]
fn an_explanation_for_people() {
    let world = World::new();
    let text = format!(
        "{BARE}[[rule]]\nid = 'no-prod'\ntool = 'exec'\narg.command = {{ contains = 'prod' }}\n\
         deny = 'production is read-only'\nsuggest = 'use the replica'\n\
         [[rule]]\nid = 'watch-rm'\nmode = 'observe'\neffect = 'delete'\ndeny = 'no'\n\
         [[rule]]\nid = 'other'\ntool = 'exec'\narg.command = {{ contains = 'zzz' }}\ndeny = 'no'\n"
    );
    let engine = world.engine(&text);
    let pipeline = engine.pipeline();
    let name = pipeline.name("Bash");
    let event = Event { cwd: Some("/home/user/project"), ..Event::tool(Point::ToolBefore, &name, "1") };
    let explained = engine.explain(&event, Body::from(json!({"command": "rm -rf build && psql prod"})));
    let shown = serde_json::to_value(&explained).unwrap();
    let finding = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().map(str::to_owned).unwrap_or_else(|| finding[key].to_string());
        format!(
            "{} ({}) {}: matched {}, observed {}",
            text("rule"),
            text("origin"),
            text("decision"),
            text("matched"),
            text("observed")
        )
    };
    let findings: Vec<String> = shown["findings"].as_array().unwrap().iter().map(finding).collect();
    assert_eq!(
        findings,
        [
            "no-prod (user) deny: matched true, observed null",
            "watch-rm (user) deny: matched true, observed true",
            "other (user) deny: matched false, observed null",
        ]
    );
    assert_eq!((&shown["rule"], &shown["act"]["do"]), (&json!("no-prod"), &json!("deny")));
    assert_eq!(shown["reason"], json!("no-prod: production is read-only. Instead: use the replica"));
    assert_eq!(
        shown["observed"],
        json!([{"by": "watch-rm", "would": {"deny": "watch-rm: no (/home/user/project/build)"}}])
    );
    let effect = &shown["effects"][0];
    assert_eq!((&effect["kind"], &effect["path"]), (&json!("delete"), &json!("/home/user/project/build")));
    assert_eq!(shown["findings"][1]["effect"], *effect);
}

#[test]
fn an_explanation_shows_what_a_call_becomes_and_who_asks() {
    let world = World::new();
    let text = format!(
        "{BARE}[[rule]]\nid = 'add'\ntool = 'x'\nrewrite = [{{ set = {{ a = 1 }} }}]\n\
         [[rule]]\nid = 'sure'\ntool = 'x'\narg.a = 1\nask = 'sure?'\n"
    );
    let engine = world.engine(&text);
    let pipeline = engine.pipeline();
    let name = pipeline.name("x");
    let explained = engine.explain(&Event::tool(Point::ToolBefore, &name, "1"), Body::from(json!({})));
    assert_eq!(explained.becomes, Some(json!({"a": 1})));
    assert_eq!((explained.rule.as_deref(), explained.reason.as_deref()), (Some("sure"), Some("sure: sure?")));
    let matched: Vec<_> = explained.findings.iter().map(|finding| (finding.rule.as_str(), finding.matched)).collect();
    assert_eq!(matched, [("add", true), ("sure", true)], "each about the call as it saw it");
}

#[test]
fn of_many_equal_calls_at_once_one_runs() {
    let folder = common::Folder::new();
    let world = World::new();
    let parts = Parts { state: Arc::new(Files::new(folder.path())), ..world.parts };
    let engine = Engine::new(plan(GITHUB), parts).unwrap_or_else(|wrong| panic!("{wrong}"));
    let surface = Surface::new(engine.pipeline());
    let came: Vec<String> = std::thread::scope(|scope| {
        let run = || surface.call("create_issue", json!({"title": "a"}));
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(surface.runs(), 1, "{came:?}");
    let fine = |came: &String| {
        let others = ["answered: ran", "refused: once: the same call", "refused: job: "];
        came.starts_with("ran") || others.iter().any(|other| came.starts_with(other))
    };
    assert!(came.iter().all(fine), "{came:?}");
    // Whatever became of them, all but one gave back what they had reserved.
    for n in 0..5 {
        assert_eq!(surface.call("get_issue", json!({ "n": n })), format!("ran {{\"n\":{n}}}"), "{n}");
    }
    assert!(surface.call("get_issue", json!({"n": 5})).starts_with("refused: job"));
}

#[test]
fn a_state_that_cannot_be_kept_refuses_what_must_be_counted_and_nothing_else() {
    let folder = common::Folder::new();
    std::fs::write(folder.path(), "a file where the folder should be").unwrap();
    let world = World::new();
    let parts = Parts { state: Arc::new(Files::new(folder.path().join("state"))), ..world.parts };
    let text = format!("{BARE}[[limit]]\nid = 'few'\ntool = 'x'\nmax = 1\n");
    let engine = Engine::new(plan(&text), parts).unwrap_or_else(|wrong| panic!("{wrong}"));
    let surface = Surface::new(engine.pipeline());
    let came = surface.call("x", json!({}));
    assert!(came.starts_with("refused: `limits` could not judge this (crash: cannot open `"), "{came}");
    assert_eq!(surface.call("y", json!({})), "ran {}");
    std::fs::remove_file(folder.path()).unwrap();
}

/// A tool of which neither its name nor its arguments tell what it does, judged by a pack.
#[test]
fn what_a_policy_teaches_of_a_tool_is_enforced_and_explained() {
    let names = tollgate_wire::names();
    let taught = "[[tool]]\nname = 'mcp__acme__*'\npath = 'at'\ncommand = 'line'\n";
    for (policy, args, expected) in [
        ("", json!({"line": "rm -rf /"}), "pass: network"),
        (taught, json!({"line": "rm -rf /"}), "deny: network, delete /"),
        (taught, json!({"line": "ls"}), "pass: network"),
        ("", json!({"at": "secrets.pem"}), "pass: network"),
        (taught, json!({"at": "secrets.pem"}), "deny: network, read-secret /home/user/project/secrets.pem"),
    ] {
        let engine = World::new().engine(policy);
        let pipeline = engine.pipeline();
        // However the name is spelled.
        for (written, server) in [("mcp__acme__go", None), ("Go", Some("acme"))] {
            let readings = tollgate_wire::readings("", written, server);
            let name = tollgate_wire::name_of(&names, written, &readings);
            let cwd = Some("/home/user/project");
            let event = Event { cwd, server, ..Event::tool(Point::ToolBefore, &name, "1") };
            let outcome = pipeline.run_now(&event, &mut Body::from(args.clone()));
            let explained = engine.explain(&event, Body::from(args.clone()));
            let effects = explained.effects.iter().map(|effect| match &effect.path {
                Some(path) => format!("{} {path}", effect.kind),
                None => effect.kind.to_string(),
            });
            let verdict = if matches!(outcome.act, Act::Deny(_)) { "deny" } else { "pass" };
            assert_eq!(
                format!("{verdict}: {}", effects.collect::<Vec<_>>().join(", ")),
                expected,
                "{policy} {written} {args}"
            );
        }
    }
}

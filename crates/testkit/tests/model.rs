//! Properties of the pipeline, over random registries, events and bodies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use tollgate_testkit::case::{Document, Facts, Failure, Interceptor, Moment, Pattern};
use tollgate_testkit::{Case, OnCore, OnNaive, Replay, Report};

/// So many cases, unless `PROPTEST_CASES` says otherwise.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

// ---- what is generated ----

const TOOLS: &[&str] = &["exec", "read", "Write ", "bash", "fetch_url"];
const POINTS: &[&str] = &["tool.before", "tool.after", "prompt.submit", "model.request", "session.start", "notice"];
const TEXTS: &[&str] = &[
    r#"{"command":"ls"}"#,
    r#" { "command" : "rm secret" , "n": 1.50 } "#,
    r#"{"command":"rm","path":"/a"}"#,
    r#"{"command":"ls","command":"rm"}"#,
    r#"["rm","secret"]"#,
    r#"{"id":9007199254740993}"#,
    "null",
    "no json",
];

fn judges() -> Vec<(&'static str, Value)> {
    vec![
        ("pass", json!({})),
        ("look", json!({})),
        ("wait", json!({})),
        ("deny", json!({"reason": "no"})),
        ("deny-if", json!({"contains": "rm", "reason": "no rm"})),
        ("deny-if", json!({"contains": "secret", "reason": "no secret"})),
        ("deny-if-named", json!({"name": "read", "reason": "no read"})),
        ("deny-if-fact", json!({"fact": "look", "is": 2, "reason": "twice"})),
        ("deny-if-fact", json!({"fact": "routed", "is": true, "reason": "routed"})),
        ("ask", json!({"title": "sure?"})),
        ("ask", json!({"title": "really?", "timeout_ms": 500})),
        ("answer", json!({"json": {"text": "done"}})),
        ("route", json!({"provider": "box"})),
        ("route", json!({"provider": "jail", "place": {"image": "x"}})),
        ("route-once", json!({"provider": "box", "command": {"command": "rm x"}})),
        ("route-once", json!({"provider": "box", "command": {"cwd": "/"}})),
        ("panic", json!({"message": "boom"})),
        ("fault", json!({"kind": "crash", "detail": "d"})),
        ("hang", json!({})),
    ]
}

fn writers() -> Vec<(&'static str, Value)> {
    let first = json!({"pointer": "/command", "value": "half"});
    vec![
        ("set", json!({"pointer": "/command", "value": "rm"})),
        ("set", json!({"pointer": "", "value": {"command": "ls", "x": [1]}})),
        ("append", json!({"arg": "command", "text": " secret"})),
        ("default", json!({"arg": "timeout", "value": 5})),
        ("replace", json!({"find": "rm", "with": "ls"})),
        ("body", json!({"json": {"command": "secret"}})),
        ("rename", json!({"to": "read"})),
        ("rename", json!({"to": "Exec"})),
        ("rename", json!({"to": "write"})),
        ("rename", json!({"to": " "})),
        ("rename", json!({"to": "write", "then_fail": true})),
        ("note", json!({"text": "n"})),
        ("label", json!({"key": "k", "value": "v"})),
        ("header", json!({"set": {"A": "1"}, "remove": ["b"]})),
        ("edit-and-deny-if", json!({"pointer": "/x", "value": 1, "contains": "rm", "reason": "no rm"})),
        ("touch", json!({})),
        ("deep", json!({"levels": 200})),
        ("panic", json!({"message": "boom", "first": first})),
        ("fault", json!({"kind": "garbage", "detail": "d", "first": first})),
        ("hang", json!({"first": first})),
    ]
}

fn watchers() -> Vec<(&'static str, Value)> {
    vec![
        ("see", json!({})),
        ("see-and-fail", json!({"detail": "full"})),
        ("panic", json!({"message": "boom"})),
        ("wait", json!({})),
    ]
}

fn of_role(role: &'static str, actors: Vec<(&'static str, Value)>) -> impl Strategy<Value = Interceptor> {
    let tool = prop_oneof![
        4 => Just(Pattern::Any),
        3 => select(TOOLS).prop_map(|name| Pattern::Exact(name.to_owned())),
        1 => select(&["re*", "*E*", "*"][..]).prop_map(|glob| Pattern::Glob { glob: glob.to_owned() }),
        1 => Just(Pattern::Prefix { prefix: "fetch".to_owned() }),
    ];
    let agent = prop_oneof![6 => Just(Pattern::Any), 1 => Just(Pattern::Exact("main".to_owned()))];
    let on_fault = select(&[None, Some(Failure::Deny), Some(Failure::Pass)][..]);
    let all = (select(actors), tool, agent, -1..2, on_fault, any::<bool>(), any::<bool>(), 0..12_usize);
    all.prop_map(move |((actor, params), tool, agent, priority, on_fault, second_look, later, point)| {
        // Most stand at every point they can, so that events meet them.
        let at_tools = !matches!(tool, Pattern::Any);
        let can = |point: &str| match (role, point) {
            (_, "prompt.submit" | "model.request" | "session.start" | "notice") if at_tools => false,
            ("guard", "session.start" | "notice") | ("edit", "notice") => false,
            _ => true,
        };
        let points = POINTS.iter().enumerate().filter(|(index, name)| *index != point && can(name));
        Interceptor {
            actor: actor.to_owned(),
            params,
            role: Some(role.to_owned()),
            points: points.map(|(_, name)| (*name).to_owned()).collect(),
            tool,
            agent,
            priority,
            on_fault,
            second_look: Some(second_look),
            later,
            ..Interceptor::default()
        }
    })
}

fn guard() -> impl Strategy<Value = Interceptor> {
    of_role("guard", judges())
}

/// Anybody who cannot write: guards, edits that only judge, and watchers.
fn objector() -> impl Strategy<Value = Interceptor> {
    prop_oneof![guard(), of_role("edit", judges()), of_role("watch", watchers())]
}

fn interceptor() -> impl Strategy<Value = Interceptor> {
    prop_oneof![3 => of_role("edit", writers()), 2 => objector()]
}

fn moment() -> impl Strategy<Value = Moment> {
    let point = prop_oneof![6 => Just("tool.before"), 4 => select(POINTS)];
    let deep = Just(vec!["x"; 8]);
    let chain = prop_oneof![8 => Just(vec![]), 1 => Just(vec!["i0"]), 1 => Just(vec!["i1", "pair"]), 1 => deep];
    let all = (point, select(TOOLS), chain, select(TEXTS), any::<bool>(), 0..8_u8, 0..8_u8);
    all.prop_map(|(point, name, chain, text, as_value, agent, odd)| {
        let about_a_tool = point.starts_with("tool.");
        let event = Facts {
            point: point.to_owned(),
            name: about_a_tool.then(|| name.to_owned()),
            // What an edit renamed it to, where it has run.
            became: (about_a_tool && point != "tool.before" && odd > 4).then(|| "read".to_owned()),
            agent: (agent > 1).then(|| if agent > 4 { "main" } else { "helper" }.to_owned()),
            chain: chain.into_iter().map(str::to_owned).collect(),
            fixed_name: odd == 0,
            ..Facts::default()
        };
        let json = serde_json::from_str(text).ok().filter(|_| as_value);
        let body = Document { raw: json.is_none().then(|| text.to_owned()), json, headers: vec![] };
        Moment { event, body, cannot_wait: odd == 1, expect: Report::new() }
    })
}

fn case(who: impl Strategy<Value = Vec<Interceptor>>) -> impl Strategy<Value = Case> {
    (who, moment(), 0..4_u8).prop_map(|(mut registrations, moment, rewrite)| {
        number(&mut registrations);
        Case {
            name: String::new(),
            about: String::new(),
            covers: vec![],
            registrations,
            aliases: [("bash".to_owned(), "exec".to_owned())].into(),
            rewrite_ambiguous: rewrite == 0,
            steps: vec![moment],
        }
    })
}

/// Gives everybody an id of their own.
fn number(registrations: &mut [Interceptor]) {
    for (index, interceptor) in registrations.iter_mut().enumerate() {
        interceptor.id = format!("i{index}");
        // Some are one interceptor.
        interceptor.group = (index % 3 == 2 || interceptor.later).then(|| "pair".to_owned());
    }
}

fn run(mut replay: impl Replay, case: &Case) -> Report {
    replay.play(case).unwrap().remove(0)
}

fn act(report: &Report) -> &str {
    report["act"].as_str().unwrap()
}

fn parts(report: &Report) -> Vec<Value> {
    let mut parts = report.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
    parts.sort_by_key(Value::to_string);
    parts
}

// ---- what must hold ----

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn core_does_what_the_reference_does(case in case(vec(interceptor(), 0..7))) {
        let (core, mut reference) = (run(OnCore, &case), run(OnNaive, &case));
        if act(&reference) == "deny" {
            // What is refused goes nowhere, in whatever bytes.
            reference.remove("bytes");
        }
        let differences = tollgate_testkit::case::differences(&reference, &core);
        prop_assert!(differences.is_empty(), "{}", differences.join("\n"));
    }

}

proptest! {
    #![proptest_config(config(3_000))]

    /// Whoever cannot write can only make an outcome stricter. One who writes can change what others see,
    /// and an answer makes the command of a route unnecessary, so that nobody judges it any more: neither is
    /// meant here.
    #[test]
    fn adding_an_interceptor_never_weakens(case in case(vec(interceptor(), 0..6)), new in objector(), at in 0..6_usize) {
        let mut more = case.clone();
        more.registrations.insert(at.min(case.registrations.len()), Interceptor { id: "new".to_owned(), ..new });
        let (before, after) = (run(OnCore, &case), run(OnCore, &more));
        let routed = case.registrations.iter().any(|it| it.actor == "route-once");
        prop_assume!(!(routed && act(&after) == "answer"));
        prop_assert!(is_as_strict(&before, &after), "{before:?}\nbecame\n{after:?}");
    }

    /// Whoever writes can change what others see, but gets nothing past them: what leaves is as strictly judged as
    /// if it had come in like that, with nobody there to write. (The command of a route is a document of its own.)
    #[test]
    fn adding_an_edit_gets_nothing_past_those_who_judge(
        mut case in case(vec(interceptor(), 0..6)), new in of_role("edit", writers()), at in 0..6_usize,
    ) {
        case.registrations.retain(|it| it.actor != "route-once");
        let (mut more, mut judged) = (case.clone(), case);
        more.registrations.insert(at.min(more.registrations.len()), Interceptor { id: "new".to_owned(), ..new });
        let after = run(OnCore, &more);
        // What is refused or answered goes nowhere, so there is nothing to judge.
        if matches!(act(&after), "deny" | "answer") {
            return Ok(());
        }
        judged.registrations.retain(|it| it.role.as_deref() != Some("edit"));
        let Moment { event, body, .. } = &mut judged.steps[0];
        if body.raw.as_deref() != after["bytes"].as_str() {
            *body = Document { raw: None, json: Some(after["body"].clone()), headers: vec![] };
        }
        event.name = after.get("name").and_then(Value::as_str).map(str::to_owned).or(event.name.take());
        let before = run(OnCore, &judged);
        prop_assert!(is_as_strict(&before, &after), "{before:?}\nbecame\n{after:?}");
    }

    /// A watcher changes nothing, unless it is required and fails; then what was not refused before is. (Nor here are
    /// commands of routes, which are watched before the call.)
    #[test]
    fn adding_a_watcher_changes_nothing_or_refuses(
        mut case in case(vec(interceptor(), 0..6)), new in of_role("watch", watchers()), at in 0..6_usize,
    ) {
        case.registrations.retain(|it| it.actor != "route-once");
        let mut more = case.clone();
        let required = new.on_fault == Some(Failure::Deny);
        more.registrations.insert(at.min(case.registrations.len()), Interceptor { id: "new".to_owned(), ..new });
        let (before, after) = (run(OnCore, &case), run(OnCore, &more));
        // Another watcher may have refused it before; then it is the first of them who is named.
        let by_watcher = |it: &Interceptor| it.role.as_deref() == Some("watch") && before.get("by") == Some(&json!(it.id));
        let was_open = act(&before) != "deny" || case.registrations.iter().any(by_watcher);
        let refused = was_open && act(&after) == "deny" && after["by"] == "new";
        prop_assert!(required || !refused, "{after:?}");
        for key in ["act", "by", "cause", "reason", "parts", "route", "answer", "body", "bytes", "name"] {
            prop_assert!(refused || before.get(key) == after.get(key), "{key}: {before:?}\nbecame\n{after:?}");
        }
    }

    /// The outcome of guards does not depend on who of them is asked first.
    #[test]
    fn the_order_of_guards_decides_nothing(case in case(vec(guard(), 0..6)), priorities in vec(-3..3, 6)) {
        let mut shuffled = case.clone();
        for (it, priority) in shuffled.registrations.iter_mut().zip(priorities) {
            it.priority = priority;
        }
        let (one, other) = (run(OnCore, &case), run(OnCore, &shuffled));
        prop_assert_eq!(act(&one), act(&other));
        prop_assert_eq!(parts(&one), parts(&other));
        prop_assert_eq!(one.get("route"), other.get("route"));
    }

    #[test]
    fn what_nobody_rewrote_leaves_as_it_came(mut case in case(vec(objector(), 0..6)), touch in any::<bool>()) {
        case.rewrite_ambiguous = false;
        if touch {
            let (id, actor, points) = ("touch".to_owned(), "touch".to_owned(), vec!["tool.before".to_owned()]);
            case.registrations.push(Interceptor { id, actor, points, ..Interceptor::default() });
        }
        let came = case.steps[0].body.build();
        prop_assert_eq!(&run(OnCore, &case)["bytes"], &json!(String::from_utf8_lossy(&came.to_bytes())));
    }

    #[test]
    fn answering_later_changes_nothing(case in case(vec(interceptor(), 0..6))) {
        let mut flipped = case.clone();
        flipped.registrations.iter_mut().for_each(|it| it.later = !it.later);
        prop_assert_eq!(run(OnCore, &case), run(OnCore, &flipped));
    }

    #[test]
    fn the_same_run_twice_is_the_same(mut case in case(vec(interceptor(), 0..6))) {
        case.steps.push(case.steps[0].clone());
        for mut reports in [OnCore.play(&case).unwrap(), OnNaive.play(&case).unwrap()] {
            prop_assert_eq!(reports.pop(), reports.pop());
        }
    }
}

/// `pass` is below `ask` and `route`, those are below `answer`, and that is below `deny`. What was asked stays
/// asked, and a place once chosen stays chosen, until the call does not happen at all.
fn is_as_strict(before: &Report, after: &Report) -> bool {
    let keeps_route =
        || matches!(before.get("route"), None | Some(Value::Null)) || before.get("route") == after.get("route");
    let keeps_questions = || parts(before).iter().all(|part| parts(after).contains(part));
    match (act(before), act(after)) {
        (_, "deny") => true,
        ("deny", _) => false,
        (_, "answer") => true,
        ("answer", _) => false,
        (_, _) => keeps_route() && keeps_questions(),
    }
}

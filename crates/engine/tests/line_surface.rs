//! The surface in `examples/line_surface.rs` does what the cases say, and answers what it is sent.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]
#![allow(dead_code, clippy::print_stderr, reason = "a program, used as a module")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_engine::{Live, Surface};
use tollgate_testkit::actors::Log;
use tollgate_testkit::case::{Case, Facts, Interceptor, Moment, Pattern};
use tollgate_testkit::{HastyClock, ManualClock, Report, Shown, through_surface};

#[path = "../examples/line_surface.rs"]
mod line_surface;

/// What a moment is in the words of the protocol, or why it has none.
fn line(case: &Case, step: &Moment) -> Result<String, &'static str> {
    let facts = &step.event;
    let event = match facts.point.as_str() {
        "session.start" => "start",
        "prompt.submit" => "prompt",
        "tool.before" => "call",
        "tool.after" => "result",
        "message.write" => "message",
        "turn.stop" => "turn-end",
        "notice" => facts.native.as_deref().unwrap_or("other"),
        _ => return Err("no line for the point"),
    };
    let reasons = [
        (case.aliases.is_empty(), "aliases of its own"),
        (step.body.headers.is_empty(), "headers"),
        (!step.cannot_wait, "this surface can wait"),
        (facts.chain.is_empty(), "a line is caused by nobody"),
        (facts.labels.is_empty(), "labels are not kept between lines"),
        (!facts.permission, "no permission requests"),
        (facts.became.is_none() && (facts.fixed_name || !renames(case)), "a call keeps its name"),
        (step.body.raw.as_ref().is_none_or(|raw| is_json(raw)), "the line would not be JSON"),
        (matches!(facts.ended.as_deref(), None | Some("ok" | "error")), "a result that is no result of the tool"),
        (!counts(case, facts), "a fact that counts is not told"),
    ];
    reasons.iter().find(|(fits, _)| !fits).map_or(Ok(()), |(_, why)| Err(*why))?;
    let body = step.body.raw.clone().or_else(|| step.body.json.as_ref().map(Value::to_string));
    let error = facts.reason.clone().or_else(|| facts.ended.as_ref().filter(|ended| *ended == "error").cloned());
    let Facts { name, call_id, session, agent, cwd, .. } = facts;
    let id = call_id.as_deref().or_else(|| name.as_ref().map(|_| "c1"));
    let mut line = json!({ "event": event, "id": id, "tool": name, "session": session, "agent": agent, "cwd": cwd, "error": error });
    line.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    let (line, body) = (line.to_string(), body.unwrap_or_else(|| "null".to_owned()));
    Ok(format!("{},\"body\":{body}}}", line.trim_end_matches('}')))
}

fn is_json(raw: &str) -> bool {
    serde_json::from_str::<&RawValue>(raw).is_ok()
}

fn renames(case: &Case) -> bool {
    case.registrations.iter().any(|it| it.actor == "rename" && it.points.iter().any(|point| point == "tool.before"))
}

/// Whether somebody looks at a fact that no line has.
fn counts(case: &Case, facts: &Facts) -> bool {
    let looks = |it: &Interceptor| {
        let selects = [&it.server, &it.model, &it.surface].iter().any(|pattern| !matches!(pattern, Pattern::Any));
        let fact = it.params.get("fact").and_then(Value::as_str);
        let told = ["agent", "session", "cwd", "call_id", "written", "name", "native", "look", "routed"];
        it.points.contains(&facts.point) && (selects || fact.is_some_and(|fact| !told.contains(&fact)))
    };
    facts.server.is_some() || case.registrations.iter().any(looks)
}

fn play(case: &Case, core: &[Report]) -> Vec<Shown> {
    let log = Log::default();
    let pipeline = case.registry(Arc::new(HastyClock::default()), &log).unwrap().snapshot();
    let mut moment = |(step, core): (&Moment, &Report)| {
        let line = line(case, step)?;
        let mut shown = shown(core, &line_surface::answer(&pipeline, None, line.as_bytes()));
        // A call that is denied or answered is seen once more, after it.
        let seen: Vec<_> = log.take().into_iter().take(core["seen"].as_array().map_or(0, Vec::len)).collect();
        shown.insert("seen".to_owned(), json!(seen));
        Ok(shown)
    };
    case.steps.iter().zip(core).map(&mut moment).collect()
}

/// What an answer tells, in the words of the cases.
fn shown(core: &Report, answer: &Value) -> Report {
    let mut report = answer.as_object().unwrap().clone();
    let (act, body) = (report["act"].clone(), report.remove("body"));
    assert!(["pass", "answer", "deny"].contains(&act.as_str().unwrap()), "the protocol has no word for this: {answer}");
    let reason = answer["reason"].as_str().unwrap_or_default();
    if act == "pass" {
        report.extend(body.map(|body| ("body".to_owned(), body)));
    } else if act == "answer" {
        report.insert("answer".to_owned(), body.unwrap());
    } else if core["act"] != act && reason.ends_with("so it is refused") {
        // It cannot ask or route, and says so.
        report.retain(|key, _| key != "reason");
        report.insert("act".to_owned(), core["act"].clone());
    }
    report
}

#[test]
fn every_case_with_a_line_comes_out_as_it_must() {
    let told = through_surface(play).unwrap_or_else(|wrong| panic!("{wrong}"));
    expect![[r#"
        147 shown
        12 not: a call keeps its name
        19 not: a fact that counts is not told
        9 not: a line is caused by nobody
        4 not: a result that is no result of the tool
        4 not: aliases of its own
        1 not: labels are not kept between lines
        29 not: no line for the point
        1 not: no permission requests
        6 not: the line would not be JSON
        2 not: this surface can wait
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_call_that_does_not_run_ends_here() {
    for (actor, params, seen, answer) in [
        ("pass", json!({}), vec!["before:pass"], json!({ "act": "pass" })),
        (
            "deny",
            json!({ "reason": "no" }),
            vec!["before:deny", "after:pass"],
            json!({ "act": "deny", "reason": "no" }),
        ),
        (
            "answer",
            json!({ "json": "it" }),
            vec!["before:answer", "after:pass"],
            json!({ "act": "answer", "body": "that" }),
        ),
        (
            "ask",
            json!({ "title": "?" }),
            vec!["before:ask", "after:pass"],
            json!({
                "act": "deny",
                "reason": "a human would have to agree (?), and this protocol cannot ask here, so it is refused",
            }),
        ),
    ] {
        let case: Case = serde_json::from_value(json!({ "about": "", "steps": [], "registrations": [
            { "id": "one", "actor": actor, "params": params, "points": ["tool.before"] },
            { "id": "two", "actor": "replace", "params": { "find": "it", "with": "that" }, "points": ["tool.after"] },
            { "id": "before", "actor": "see", "points": ["tool.before"] },
            { "id": "after", "actor": "see", "points": ["tool.after"] },
        ]}))
        .unwrap();
        let log = Log::default();
        let pipeline = case.registry(Arc::new(HastyClock::default()), &log).unwrap().snapshot();
        let mut came = line_surface::answer(&pipeline, None, br#"{"event": "call", "id": "1", "tool": "x"}"#);
        came.as_object_mut().unwrap().retain(|key, _| key != "notes" && key != "tells");
        assert_eq!((came, log.take()), (answer, seen.into_iter().map(str::to_owned).collect()), "{actor}");
    }
}

#[test]
fn every_line_has_an_answer_by_the_policy() {
    let home = std::env::temp_dir().join(format!("tollgate-lines-{}", std::process::id()));
    std::fs::create_dir_all(home.join("state")).unwrap();
    let here = home.clone();
    let find =
        move || Paths::find(Path::new("/nowhere"), None, |name| (name == "TOLLGATE_HOME").then(|| here.clone().into()));
    let clock = Arc::new(ManualClock::default());
    let live = Live::open(find, Surface::new(clock.clone()), |_| {}).unwrap();
    let answer = |line: &str| {
        let mut out = Vec::new();
        line_surface::serve(&live, line.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let call = r#"{"event": "call", "id": "1", "tool": "bash", "body": {"command": "ls"}}"#;
    let pass = r#"{"act":"pass","notes":[],"tells":[]}"#;
    for (lines, expected) in [
        (call.to_owned(), pass.to_owned() + "\n"),
        (format!("{call}\n{call}\n"), format!("{pass}\n{pass}\n")),
        (r#"{"event": "heartbeat"}"#.to_owned(), pass.to_owned() + "\n"),
        ("ls".to_owned(), denied("the line cannot be read: expected value at line 1 column 1")),
        (call.replace(r#""id": "1", "#, ""), denied("a call needs `tool` and `id`")),
        (
            call.replace(r#""id": "1""#, r#""tool": "read""#),
            denied("the line cannot be read: duplicate field `tool` at line 1 column 40"),
        ),
    ] {
        assert_eq!(answer(&lines), expected, "{lines}");
    }
    std::fs::write(home.join("state/halt"), "lunch").unwrap();
    clock.advance(Duration::from_secs(1));
    assert!(answer(call).contains("lunch"), "{}", answer(call));
    std::fs::remove_dir_all(home).unwrap();
}

fn denied(reason: &str) -> String {
    format!("{}\n", json!({ "act": "deny", "notes": [], "tells": [], "reason": reason }))
}

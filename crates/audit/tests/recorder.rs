//! What the recorder makes of real runs.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[path = "common/stage.rs"]
mod stage;

use std::time::Duration;

use common::Folder;
use expect_test::{Expect, expect};
use serde_json::json;
use stage::{Stage, act};
use tollgate_audit::{Keep, Keys, Reader, RecorderSettings};
use tollgate_core::{Act, Approval, Body, Ended, Event, Fault, Flow, Guard, Point, Registration, Route, Step, Verdict};

const BEFORE: &[Point] = &[Point::ToolBefore];

fn check(stage: &Stage, expected: Expect) {
    expected.assert_eq(&stage.records());
}

fn ended(ended: Ended) -> Event<'static> {
    Event { ended: Some(ended), took: Some(Duration::from_millis(3)), ..Event::at(Point::ToolAfter) }
}

#[test]
fn a_call_that_passes_is_an_intent_and_a_result_with_the_same_digest() {
    let stage = Stage::new("passes").guard("looks", BEFORE, |_, _| Ok(Verdict::Pass));
    let (outcome, body) = stage.before("Bash", json!({"command": "ls"}));
    assert_eq!(act(&outcome), "pass");
    stage.after("Bash", &body, ended(Ended::Ok), json!({"stdout": "a.txt"}));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"role":"guard","said":"passed","took_us":0,"who":"looks"}]}
           arguments: {"command":"ls"}
           cwd: "/work"
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"ok","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work"
           result: {"stdout":"a.txt"}"#]],
    );
}

#[test]
fn a_denial_says_who_and_why() {
    let stage = Stage::new("denied").guard("rules", BEFORE, |_, _| {
        Ok(Verdict::deny("files/no-etc: not there (/etc/passwd). Instead: ask me. token=q8Zr2LmX0vBn"))
    });
    let (_, body) = stage.before("Read", json!({"file_path": "/etc/passwd"}));
    let why = Event { reason: Some("files/no-etc: not there"), ..ended(Ended::Denied) };
    stage.after("Read", &body, why, json!("refused"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"deny","by":"rules","call":"c-1","cause":"objection","digest":"d0","kind":"event","point":"tool.before","rule":"files/no-etc","session":"s-1","tool":"Read","tool_kind":"read","turns":[{"role":"guard","said":"denied","took_us":0,"who":"rules"}]}
           arguments: {"file_path":"/etc/passwd"}
           cwd: "/work"
           reason: "files/no-etc: not there (/etc/passwd). Instead: ask me. token=[redacted:generic-secret]"
           said: [{"text":"files/no-etc: not there (/etc/passwd). Instead: ask me. token=[redacted:generic-secret]","who":"rules"}]
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"denied","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Read","tool_kind":"read"}
           cwd: "/work"
           reason: "files/no-etc: not there"
           result: "refused""#]],
    );
}

#[test]
fn what_is_refused_for_its_depth_is_recorded_too() {
    let stage = Stage::new("depth");
    let pipeline = stage.pipeline();
    let (name, chain) = (pipeline.name("Bash"), ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    let event = Event { chain: &chain, ..Event::tool(Point::ToolBefore, &name, "c-1") };
    pipeline.run_now(&event, &mut Body::from(json!({"command": "ls"})));
    let entry = Reader::new(&stage.folder.dir()).entry(2).unwrap().unwrap();
    assert_eq!((entry.record.act.as_deref(), entry.record.cause.as_deref()), (Some("deny"), Some("depth")));
}

#[test]
fn an_interceptor_that_breaks_is_a_refusal_or_a_note() {
    let broken = |_: &Event<'_>, _: &Body| Err(Fault::crash("no connection to db:password=q8Zr2LmX0vBn"));
    let stage = Stage::new("fault").guard("policy", BEFORE, broken);
    stage.before("Bash", json!({"command": "ls"}));
    check(
        &stage,
        expect![[r#"
        2: {"act":"deny","by":"policy","call":"c-1","cause":"fault","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"fault":"crash","role":"guard","said":"faulted","took_us":0,"who":"policy"}]}
           arguments: {"command":"ls"}
           cwd: "/work"
           reason: "`policy` could not judge this (crash: no connection to db:password=[redacted:password]), so it is refused; to mend it: fix or remove it, then try again"
           said: [{"text":"no connection to db:password=[redacted:password]","who":"policy"}]"#]],
    );
}

#[test]
fn edits_are_told_by_what_they_changed() {
    let stage = Stage::new("edits")
        .edit("timeout", BEFORE, |_, body| {
            body.json_mut()?["timeout"] = json!(30);
            body.json_mut()?["command"] = json!("nice make");
            body.notes.push("it runs for 30 seconds at most".into());
            Ok(Verdict::Pass)
        })
        .edit("redact", BEFORE, |_, body| {
            body.json_mut()?["env"]["token"] = json!("[redacted:generic-secret]");
            body.rename("sandboxed_exec");
            body.label("cleaned", "yes");
            Ok(Verdict::Pass)
        });
    let (_, body) = stage.before("Bash", json!({"command": "make", "env": {"token": "q8Zr2LmX0vBn"}}));
    stage.after("Bash", &body, ended(Ended::Ok), json!("done"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","became":"sandboxed_exec","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","turns":[{"changed":["/command","/timeout","notes"],"role":"edit","said":"passed","took_us":0,"who":"timeout"},{"changed":["/env/token","name","labels"],"role":"edit","said":"passed","took_us":0,"who":"redact"},{"look":2,"role":"edit","said":"passed","took_us":0,"who":"timeout"}]}
           arguments: {"command":"nice make","env":{"token":"[redacted:generic-secret]"},"timeout":30}
           changes: [{"from":"make","path":"/command","to":"nice make","who":"timeout"},{"path":"/timeout","to":30,"who":"timeout"},{"from":[],"path":"notes","to":["it runs for 30 seconds at most"],"who":"timeout"},{"hidden":true,"path":"/env/token","who":"redact"},{"from":"Bash","path":"name","to":"sandboxed_exec","who":"redact"},{"path":"labels","to":{"cleaned":"yes"},"who":"redact"}]
           cwd: "/work"
           notes: {"notes":["it runs for 30 seconds at most"],"tells":[]}
        3: {"act":"pass","became":"sandboxed_exec","call":"c-1","digest":"d0","ended":"ok","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash"}
           cwd: "/work"
           result: "done""#]],
    );
}

#[test]
fn a_question_its_answer_and_what_followed() {
    let stage = Stage::new("asked").guard("rules", BEFORE, |_, _| Ok(Verdict::ask("git/push: Push to main?"))).guard(
        "other",
        BEFORE,
        |_, _| Ok(Verdict::ask("Sure?")),
    );
    let (outcome, body) = stage.before("Bash", json!({"command": "git push"}));
    let Act::Ask(question) = outcome.act else { panic!("nobody asks") };
    let event = Event { session: Some("s-1"), call_id: Some("c-1"), ..Event::at(Point::ToolBefore) };
    let at = Duration::from_secs(1_700_000_100);
    let approval = Approval { digest: question.digest, granted: true, by: "ann".into(), at };
    assert_eq!(stage.recorder.approval(&event, &approval), Ok(3));
    assert!(matches!(question.answer(&approval), Act::Pass));
    let facts = Event { approval: Some(&approval), ..ended(Ended::Ok) };
    stage.after("Bash", &body, facts, json!("pushed"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"ask","call":"c-1","digest":"d0","kind":"event","point":"tool.before","rule":"git/push","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"role":"guard","said":"asked","took_us":0,"who":"rules"},{"role":"guard","said":"asked","took_us":0,"who":"other"}]}
           arguments: {"command":"git push"}
           cwd: "/work"
           reason: "git/push: Push to main?; Sure?"
           said: [{"text":"git/push: Push to main?","who":"rules"},{"text":"Sure?","who":"other"}]
        3: {"call":"c-1","digest":"d0","granted":true,"kind":"approval","session":"s-1"}
           by: "ann"
        4: {"act":"pass","approved":true,"call":"c-1","digest":"d0","ended":"ok","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           approval: {"at":"2023-11-14T22:15:00.000000Z","by":"ann"}
           cwd: "/work"
           result: "pushed""#]],
    );
}

#[test]
fn an_answer_in_the_tools_place() {
    let stage = Stage::new("answer").guard("dry-run", BEFORE, |_, _| Ok(Verdict::answer(json!("would have run"))));
    let (_, body) = stage.before("Bash", json!({"command": "make"}));
    stage.after("Bash", &body, ended(Ended::Answered), json!("would have run"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"answer","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"role":"guard","said":"answered","took_us":0,"who":"dry-run"}]}
           arguments: {"command":"make"}
           cwd: "/work"
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"answered","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work"
           result: "would have run""#]],
    );
}

#[test]
fn a_call_that_goes_elsewhere_keeps_its_digest_and_its_command_is_recorded_too() {
    let stage = Stage::new("routed").guard("sandbox", BEFORE, |_, _| {
        let command = json!({"command": "bwrap make"}).as_object().cloned();
        Ok(Verdict::route(Route { command, ..Route::to("bubblewrap") }))
    });
    let (_, body) = stage.before("Bash", json!({"command": "make"}));
    stage.after("Bash", &body, ended(Ended::Routed), json!("built"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","routed":true,"session":"s-1","tool":"exec","tool_kind":"exec","turns":[{"role":"guard","routed":true,"said":"skipped","took_us":0,"who":"sandbox"}]}
           arguments: {"command":"bwrap make"}
           chain: ["sandbox"]
           cwd: "/work"
        3: {"act":"route","call":"c-1","digest":"d1","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"role":"guard","said":"routed","took_us":0,"who":"sandbox"},{"role":"guard","routed":true,"said":"skipped","took_us":0,"who":"sandbox"},{"role":"watch","routed":true,"said":"passed","took_us":0,"who":"record"}]}
           arguments: {"command":"make"}
           cwd: "/work"
           said: [{"text":"bubblewrap","who":"sandbox"}]
        4: {"act":"pass","call":"c-1","digest":"d1","ended":"routed","intent":3,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work"
           result: "built""#]],
    );
}

#[test]
fn a_tool_that_fails() {
    let stage = Stage::new("error");
    let (_, body) = stage.before("Bash", json!({"command": "make"}));
    let why = Event { reason: Some("exit status 2: login with token=q8Zr2LmX0vBn failed"), ..ended(Ended::Error) };
    stage.after("Bash", &body, why, json!({"stderr": "login with token=q8Zr2LmX0vBn failed"}));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec"}
           arguments: {"command":"make"}
           cwd: "/work"
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"error","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work"
           reason: "exit status 2: login with token=[redacted:generic-secret] failed"
           result: {"stderr":"login with token=[redacted:generic-secret] failed"}"#]],
    );
}

#[test]
fn what_cannot_be_read_is_named_by_its_length() {
    let stage = Stage::new("unreadable");
    let pipeline = stage.pipeline();
    let name = pipeline.name("Bash");
    pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "c-1"), &mut tollgate_wire::body("{\"command\": "));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","kind":"event","point":"tool.before","tool":"Bash","tool_kind":"exec"}
           arguments: {"bytes":12,"unreadable":true}"#]],
    );
}

/// Counts pieces, and stops a stream that says so.
struct Counts;

impl Guard for Counts {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::PASS
    }

    fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
        Some(Box::new(Self))
    }
}

impl Flow for Counts {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        let stop = piece.json()? == "deny";
        out.push(piece);
        Ok(if stop { Verdict::deny("it said stop") } else { Verdict::Pass })
    }

    fn finish(&mut self, _: &Event<'_>, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
        Ok(Verdict::Pass)
    }
}

/// Streams pieces; says whether it came to its end.
fn stream(stage: &Stage, pieces: &[&str]) -> bool {
    let pipeline = stage.pipeline();
    let event = Event { session: Some("s-1"), model: Some("m-1"), ..Event::at(Point::ModelResponse) };
    stage.folder.clock.run(async {
        let mut stream = pipeline.open(&event);
        for piece in pieces {
            if stream.push(&event, Body::from(json!(piece))).await.is_err() {
                return false;
            }
        }
        let whole = |pieces: &[Body]| {
            Body::from(json!(pieces.iter().map(|piece| piece.json().unwrap().as_str().unwrap()).collect::<String>()))
        };
        let (_, outcome) = stream.finish(&event, whole, |whole| vec![whole]).await;
        matches!(outcome.act, Act::Pass)
    })
}

#[test]
fn a_stream_is_one_record() {
    let stage = Stage::new("stream").add(Registration::guard("counts", [Point::ModelResponse], Counts));
    assert!(stream(&stage, &["once ", "upon ", "a ", "time"]));
    assert!(!stream(&stage, &["once ", "deny", "never"]));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","digest":"d0","kind":"event","model":"m-1","point":"model.response","session":"s-1","stream":4,"turns":[{"role":"guard","said":"passed","took_us":0,"who":"counts"}]}
           result: "once upon a time"
        3: {"act":"deny","by":"counts","cause":"objection","digest":"d1","kind":"event","model":"m-1","point":"model.response","session":"s-1","stream":2,"turns":[{"role":"guard","said":"denied","took_us":0,"who":"counts"}]}
           reason: "it said stop"
           result: "deny"
           said: [{"text":"it said stop","who":"counts"}]"#]],
    );
}

#[test]
fn a_stream_that_nobody_wants_any_more_is_one_record_of_what_was_released() {
    let stage = Stage::new("canceled");
    let pipeline = stage.pipeline();
    let event = Event { session: Some("s-1"), call_id: Some("r-1"), ..Event::at(Point::ModelResponse) };
    stage.folder.clock.run(async {
        let mut stream = pipeline.open(&event);
        for piece in ["a", "b", "c"] {
            stream.push(&event, Body::from(json!(piece))).await.unwrap();
        }
        let count = |pieces: &[Body]| Body::from(json!(format!("{} released", pieces.len())));
        stream.cancel(&event, count).await;
    });
    check(
        &stage,
        expect![[r#"
            2: {"act":"pass","call":"r-1","digest":"d0","ended":"canceled","kind":"event","point":"model.response","session":"s-1","stream":3}
               result: "2 released""#]],
    );
}

#[test]
fn the_end_of_a_stream_waits_for_its_record() {
    let stage = Stage::new("stream-end");
    let (pipeline, event) = (stage.pipeline(), Event::at(Point::ModelResponse));
    let (released, act) = stage.folder.clock.run(async {
        let mut stream = pipeline.open(&event);
        let mut released = 0;
        for piece in ["a", "b", "c"] {
            released += stream.push(&event, Body::from(json!(piece))).await.unwrap().len();
        }
        ruin(&stage.folder);
        let (rest, outcome) = stream.finish(&event, |pieces| pieces[0].clone(), |whole| vec![whole]).await;
        (released + rest.len(), outcome.act)
    });
    assert!(matches!(act, Act::Deny(_)) && released == 2, "{released} {act:?}");
}

#[test]
fn partial_results_are_recorded_only_if_there_is_something_to_say() {
    let stage = Stage::new("update").edit("mask", &[Point::ToolUpdate], |_, body| {
        let text = body.json()?.as_str().unwrap_or_default().replace("ann", "…");
        body.set(json!(text));
        Ok(Verdict::Pass)
    });
    let pipeline = stage.pipeline();
    let name = pipeline.name("Bash");
    let event = Event { session: Some("s-1"), ..Event::tool(Point::ToolUpdate, &name, "c-1") };
    for text in ["10 %", "20 %", "hello ann", "40 %"] {
        pipeline.run_now(&event, &mut Body::from(json!(text)));
    }
    stage.recorder.observed(&event, "progress/slow", "deny");
    pipeline.run_now(&event, &mut Body::from(json!("50 %")));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","kind":"event","point":"tool.update","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"changed":[""],"role":"edit","said":"passed","took_us":0,"who":"mask"}]}
           arguments: "hello …"
           changes: [{"from":"hello ann","path":"","to":"hello …","who":"mask"}]
        3: {"act":"pass","call":"c-1","kind":"event","observed":[{"decision":"deny","rule":"progress/slow"}],"point":"tool.update","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"role":"edit","said":"passed","took_us":0,"who":"mask"}]}
           arguments: "50 %""#]],
    );
}

#[test]
fn what_is_only_observed_stands_in_the_record_of_its_own_event() {
    let stage = Stage::new("observed");
    let event = |call| Event { session: Some("s-1"), call_id: Some(call), ..Event::at(Point::ToolBefore) };
    for (call, rule) in [("c-1", "a/one"), ("c-1", "a/two"), ("c-2", "b/other"), ("c-1", "a/one")] {
        stage.recorder.observed(&event(call), rule, "deny");
    }
    let pipeline = stage.pipeline();
    for call in ["c-1", "c-1", "c-2"] {
        pipeline.run_now(&event(call), &mut Body::from(json!({})));
    }
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","observed":[{"decision":"deny","rule":"a/one"},{"decision":"deny","rule":"a/two"}],"point":"tool.before","session":"s-1"}
           arguments: {}
        3: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1"}
           arguments: {}
        4: {"act":"pass","call":"c-2","digest":"d0","kind":"event","observed":[{"decision":"deny","rule":"b/other"}],"point":"tool.before","session":"s-1"}
           arguments: {}"#]],
    );
}

#[test]
fn facts_of_one_event_are_not_those_of_the_next() {
    let stage = Stage::new("facts");
    let pipeline = stage.pipeline();
    let labels = [("ticket", "T-1"), ("ticket", "T-2"), ("api_token", "q8Zr2LmX0vBn")];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut body = Body::from(json!({"messages": []}));
    body.headers_mut().append("Authorization", "Bearer q8Zr2LmX0vBnT4wYc1");
    let request = Event::at(Point::ModelRequest);
    let full = Event {
        session: Some("s-1"),
        agent: Some("planner"),
        surface: Some("proxy"),
        server: Some("github"),
        model: Some("m-1"),
        cwd: Some("/work"),
        principal: Some("ann@example.org"),
        chain: &["outer"],
        labels: &labels,
        ..request
    };
    pipeline.run_now(&full, &mut body);
    pipeline.run_now(&request, &mut Body::from(json!({"messages": []})));
    pipeline.run_now(&Event { native: Some("Stop"), ..Event::at(Point::Notice) }, &mut Body::default());
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","agent":"planner","digest":"d0","kind":"event","model":"m-1","point":"model.request","server":"github","session":"s-1","surface":"proxy"}
           arguments: {"messages":[]}
           chain: ["outer"]
           cwd: "/work"
           headers: ["Authorization"]
           labels: {"api_token":"[redacted:generic-secret]","ticket":["T-1","T-2"]}
           principal: "ann@example.org"
        3: {"act":"pass","digest":"d1","kind":"event","point":"model.request"}
           arguments: {"messages":[]}
        4: {"act":"pass","kind":"event","native":"Stop","point":"notice"}"#]],
    );
}

/// Puts a file where the log's folder was.
fn ruin(folder: &Folder) {
    std::fs::remove_dir_all(folder.dir()).unwrap();
    std::fs::write(folder.dir(), "").unwrap();
}

#[test]
fn no_record_no_action_unless_somebody_said_so() {
    for (required, expected) in [(true, "deny: `record` could not judge this (crash: cannot "), (false, "pass")] {
        let stage = Stage::with("ruined", RecorderSettings { required, ..RecorderSettings::default() });
        assert_eq!(act(&stage.before("Bash", json!({"command": "ls"})).0), "pass");
        ruin(&stage.folder);
        let outcome = act(&stage.before("Bash", json!({"command": "ls"})).0);
        assert!(outcome.starts_with(expected), "{outcome}");
        assert_eq!(outcome.contains("tollgate log verify"), required, "{outcome}");
    }
}

#[test]
fn sealed_values_open_only_with_the_key() {
    let settings = RecorderSettings { keep: Keep::Sealed, ..RecorderSettings::default() };
    let stage = Stage::with("sealed", settings).edit("timeout", BEFORE, |_, body| {
        body.json_mut()?["timeout"] = json!(30);
        Ok(Verdict::Pass)
    });
    let arguments = json!({"command": "login --token=q8Zr2LmX0vBn"});
    let (_, body) = stage.before("Bash", arguments);
    stage.after("Bash", &body, ended(Ended::Ok), json!({"text": "x".repeat(2 << 20)}));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"changed":["/timeout"],"role":"edit","said":"passed","took_us":0,"who":"timeout"}]}
           arguments: sealed
           changes: sealed
           cwd: "/work"
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"ok","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work"
           result: sealed"#]],
    );

    let key = Keys::read(&stage.folder.key_dir()).unwrap().unwrap().seal(false).unwrap().unwrap();
    let reader = Reader::new(&stage.folder.dir());
    let fields = reader.entry(2).unwrap().unwrap().fields;
    let open = |name: &str, key: Option<&[u8; 32]>| fields.open(name, key).unwrap();
    // With the key it is all there, whole.
    assert_eq!(open("arguments", Some(&key)), Ok(json!({"command": "login --token=q8Zr2LmX0vBn", "timeout": 30})));
    assert_eq!(open("changes", Some(&key)), Ok(json!([{"who": "timeout", "path": "/timeout", "to": 30}])));
    assert!(open("arguments", Some(&[7; 32])).is_err() && open("arguments", None).is_err());
    let long = reader.entry(3).unwrap().unwrap().fields.open("result", Some(&key)).unwrap().unwrap();
    let beginning = long["beginning"]["text"].as_str().unwrap();
    assert!(long["too_long"] == true && beginning.ends_with(" bytes left out]"), "{beginning:.100}");
}

#[test]
fn nothing_of_documents_is_kept_if_nothing_shall_be() {
    let settings = RecorderSettings { keep: Keep::Nothing, ..RecorderSettings::default() };
    let stage = Stage::with("nothing", settings).edit("timeout", BEFORE, |_, body| {
        body.json_mut()?["timeout"] = json!(30);
        Ok(Verdict::Pass)
    });
    let (_, body) = stage.before("Bash", json!({"command": "ls"}));
    stage.after("Bash", &body, ended(Ended::Ok), json!("a.txt"));
    check(
        &stage,
        expect![[r#"
        2: {"act":"pass","call":"c-1","digest":"d0","kind":"event","point":"tool.before","session":"s-1","tool":"Bash","tool_kind":"exec","turns":[{"changed":["/timeout"],"role":"edit","said":"passed","took_us":0,"who":"timeout"}]}
           cwd: "/work"
        3: {"act":"pass","call":"c-1","digest":"d0","ended":"ok","intent":2,"kind":"event","point":"tool.after","session":"s-1","took_us":3000,"tool":"Bash","tool_kind":"exec"}
           cwd: "/work""#]],
    );
}

/// Whoever could name the recorder in a chain would go unrecorded.
#[test]
fn no_chain_leaves_the_record_out() {
    for required in [true, false] {
        let stage = Stage::with("chain", RecorderSettings { required, ..RecorderSettings::default() });
        let pipeline = stage.pipeline();
        let name = pipeline.name("Bash");
        let event = Event { chain: &["record"], ..Event::tool(Point::ToolBefore, &name, "c-1") };
        pipeline.run_now(&event, &mut Body::from(json!({"command": "ls"})));
        assert!(stage.records().contains(r#""point":"tool.before""#), "required: {required}");
    }
}

#[test]
fn a_request_to_a_model_is_an_intent_that_its_completion_names() {
    let stage = Stage::new("model");
    let pipeline = stage.pipeline();
    let name = pipeline.name("Bash");
    // A tool call with the same id is another call.
    let model = |point, call| Event { session: Some("s-1"), call_id: Some(call), ..Event::at(point) };
    let tool = |point| Event { name: Some(&name), ..model(point, "r-1") };
    for event in [
        model(Point::ModelRequest, "r-1"),
        model(Point::ModelRequest, "r-2"),
        tool(Point::ToolBefore),
        model(Point::ModelComplete, "r-1"),
        tool(Point::ToolAfter),
        model(Point::ModelComplete, "r-2"),
        model(Point::ModelComplete, "r-3"),
    ] {
        pipeline.run_now(&event, &mut Body::default());
    }
    let intents: Vec<String> = Reader::new(&stage.folder.dir())
        .entries_from(2)
        .unwrap()
        .map(|entry| entry.unwrap().record)
        .map(|record| format!("{} {}: {:?}", record.seq, record.point.unwrap(), record.intent))
        .collect();
    expect![[r#"
        2 model.request: None
        3 model.request: None
        4 tool.before: None
        5 model.complete: Some(2)
        6 tool.after: Some(4)
        7 model.complete: Some(3)
        8 model.complete: None"#]]
    .assert_eq(&intents.join("\n"));
}

#[test]
fn what_the_recorder_had_no_room_for_is_unknown_and_not_anothers() {
    let stage = Stage::new("unknown").guard("asks", BEFORE, |_, _| Ok(Verdict::ask("Sure?")));
    let (_, body) = stage.before("Bash", json!({"command": "ls"}));
    let pipeline = stage.pipeline();
    let name = pipeline.name("Bash");
    let ids: Vec<String> = (0..10_000).map(|number| format!("o-{number}")).collect();
    let event = |id| Event { session: Some("s-1"), ..Event::tool(Point::ToolAfter, &name, id) };
    stage.recorder.observed(&event("c-1"), "first", "deny");
    ids.iter().for_each(|id| stage.recorder.observed(&event(id), "other", "deny"));
    stage.after("Bash", &body, ended(Ended::Ok), json!("a"));
    pipeline.run_now(&event("o-0"), &mut Body::from(json!("b")));
    let reader = Reader::new(&stage.folder.dir());
    let [first, other] = [3, 4].map(|seq| serde_json::to_value(reader.entry(seq).unwrap().unwrap().record).unwrap());
    assert_eq!((&first["observed"], &first["unknown"]), (&json!([]), &json!(["observed"])));
    assert_eq!(other["observed"], json!([{"rule": "other", "decision": "deny"}]));
    assert_eq!(other.get("unknown"), None);
}

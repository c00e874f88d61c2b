use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;
use tollgate_core::{
    Act, Approval, Body, Cause, Clock, Digest, Edit, Event, FaultKind, Guard, OnFault, Outcome, Point, Query, Question,
    Registration, Registry, Route, Ruling, Step, Trace, Verdict, Watch,
};

use super::*;
use crate::samples::{documents, exact_numbers, texts};

fn spec(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a document as the named form and writes it again.
fn again(name: &str, document: Value) -> Result<Value, String> {
    fn through<F: Form>(document: Value) -> Result<Value, String> {
        F::from_json(document).map(|form| form.to_json()).map_err(|bad| bad.to_string())
    }
    match name {
        "event" => through::<EventForm>(document),
        "body" => through::<BodyForm>(document),
        "verdict" => through::<VerdictForm>(document),
        "outcome" => through::<OutcomeForm>(document),
        "trace" => through::<TraceForm>(document),
        "question" => through::<QuestionForm>(document),
        "approval" => through::<ApprovalForm>(document),
        other => panic!("there is no form `{other}`"),
    }
}

fn is_valid(name: &str, document: &Value) -> bool {
    let schema = schemas().into_iter().find(|(other, _)| *other == name).unwrap().1;
    jsonschema::draft202012::is_valid(&schema, document)
}

#[test]
fn committed_schemas() {
    for (name, schema) in schemas() {
        let is_current = spec(&format!("schema/{name}.json")) == format!("{schema:#}\n");
        assert!(is_current, "spec/schema/{name}.json has drifted; `cargo xtask schema` writes it again");
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}");
    }
}

/// The examples in the specification are forms, and come out as they went in.
#[test]
fn specified_examples() {
    let text = spec("wire.md");
    let examples: Vec<_> = text.split("```json ").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() > 10);
    for example in examples {
        let (name, source) = example.split_once('\n').unwrap();
        let (document, ambiguity) = crate::read(source.as_bytes());
        let document = document.unwrap_or_else(|fault| panic!("{fault}: {source}"));
        assert_eq!(ambiguity, None, "{source}");
        assert_eq!(again(name, document.clone()), Ok(document.clone()), "{source}");
        assert!(is_valid(name, &document), "{source}");
    }
    assert!(!text.contains("```json\n"), "an example does not say which form it is");
}

/// Whoever has only the schema refuses the same documents as we do.
#[test]
fn what_is_no_form() {
    for (name, document, expected) in [
        ("verdict", json!([]), "it is not an object"),
        ("verdict", json!({"verdict": "pass"}), "`v` is missing; write `\"v\": 2`"),
        (
            "verdict",
            json!({"v": 1, "verdict": "maybe", "x": 1}),
            "its version is `1`, and only 2 is understood here; use a Tollgate that knows it",
        ),
        (
            "verdict",
            json!({"v": "2", "verdict": "pass"}),
            "its version is `\"2\"`, and only 2 is understood here; use a Tollgate that knows it",
        ),
        ("verdict", json!({"v": 2}), "missing field `verdict`"),
        (
            "verdict",
            json!({"v": 2, "verdict": "allow"}),
            "unknown variant `allow`, expected one of `pass`, `deny`, `ask`, `route`, `answer`",
        ),
        ("verdict", json!({"v": 2, "verdict": "pass", "reason": "x"}), "unknown field `reason`, there are no fields"),
        ("verdict", json!({"v": 2, "verdict": "deny"}), "missing field `reason`"),
        ("verdict", json!({"v": 2, "verdict": "deny", "reason": 1}), "invalid type: integer `1`, expected a string"),
        (
            "verdict",
            json!({"v": 2, "verdict": "ask", "title": "t", "timeout_ms": -1}),
            "invalid value: integer `-1`, expected u64",
        ),
        (
            "verdict",
            json!({"v": 2, "verdict": "answer", "body": {"v": 2, "json": 1}}),
            "unknown field `v`, expected one of `name`, `arguments`, `json`, `headers`, `notes`, `tells`, `labels`",
        ),
        ("event", json!({"v": 2}), "missing field `point`"),
        (
            "event",
            json!({"v": 2, "point": "notice", "name": "Bash"}),
            "invalid type: string \"Bash\", expected an object with `written`",
        ),
        (
            "event",
            json!({"v": 2, "point": "notice", "ended": "well"}),
            "unknown variant `well`, expected one of `ok`, `error`, `denied`, `routed`, `answered`, `canceled`",
        ),
        ("body", json!({"v": 2, "headers": [["a"]]}), "invalid length 1, expected a tuple of size 2"),
        (
            "trace",
            json!({"v": 2, "entries": [], "digest": "AB"}),
            "`AB` is no digest, which has 64 hexadecimal digits in lower case",
        ),
    ] {
        assert_eq!(again(name, document.clone()), Err(format!("this is no {name}: {expected}")), "{document}");
        assert!(!is_valid(name, &document), "{document}");
    }
    let error = again("event", json!({"v": 2, "point": "tool.befor"})).unwrap_err();
    assert!(error.starts_with("this is no event: there is no point `tool.befor`; the points are "), "{error}");
}

#[test]
fn text_that_is_no_form() {
    for (text, expected) in [
        (&b"{"[..], "this is no verdict: the document is not JSON: EOF while parsing an object at line 1 column 1"),
        (b"", "this is no verdict: the document is empty"),
        (br#"{"v":2,"verdict":"pass","verdict":"deny"}"#, "this is no verdict: a key appears twice in one object"),
        (br#"{"v":2,"verdict":"pass"}{}"#, "this is no verdict: bytes follow the end"),
    ] {
        let bad = VerdictForm::from_bytes(text).unwrap_err();
        assert_eq!(bad.to_string(), expected);
        assert_eq!(tollgate_core::Fault::from(bad).kind, FaultKind::Garbage);
    }
}

/// What an interceptor gave back, written over a body, shown as the form of what came out.
#[test]
fn bodies_given_back() {
    let names = crate::names();
    let name = names.name("Bash");
    let call = Event::tool(Point::ToolBefore, &name, "1");
    let result = Event::tool(Point::ToolAfter, &name, "1");
    let old = || {
        let mut body = crate::body(r#"{"a": 1}"#);
        body.notes.push("old".to_owned());
        body.label("k", "v");
        body
    };
    for (event, given, expected) in [
        (&call, json!({}), r#"{"v":2,"name":"Bash","arguments":{"a":1},"notes":["old"],"labels":[["k","v"]]}"#),
        (
            &call,
            json!({"name": "read", "arguments": null}),
            r#"{"v":2,"name":"read","arguments":null,"notes":["old"],"labels":[["k","v"]]}"#,
        ),
        (&result, json!({"json": [2], "notes": []}), r#"{"v":2,"json":[2],"labels":[["k","v"]]}"#),
        (
            &result,
            json!({"headers": [["A", "1"], ["a", "2"]], "tells": ["t"], "labels": [["k", "v"], ["k", "w"]]}),
            r#"{"v":2,"json":{"a":1},"headers":[["A","1"],["a","2"]],"notes":["old"],"tells":["t"],"labels":[["k","v"],["k","w"]]}"#,
        ),
        (&call, json!({"json": 1}), "this is no body: at tool.before the document is called `arguments`, not `json`"),
        (
            &result,
            json!({"name": "x"}),
            "this is no body: at tool.after there is no call, so no `name` and no `arguments`; the document is called `json`",
        ),
        (
            &result,
            json!({"arguments": 1}),
            "this is no body: at tool.after there is no call, so no `name` and no `arguments`; the document is called `json`",
        ),
        (
            &result,
            json!({"labels": [["k", "x"]]}),
            "this is no body: labels can be added at the end, and none taken back",
        ),
        (&result, json!({"labels": []}), "this is no body: labels can be added at the end, and none taken back"),
    ] {
        let mut body = old();
        let mut document = given.clone();
        document["v"] = VERSION.into();
        let written = BodyForm::from_json(document).and_then(|form| form.write(event, &mut body));
        let text = match written {
            Ok(()) => BodyForm::of(event, &body).unwrap().to_json().to_string(),
            Err(bad) => bad.to_string(),
        };
        assert_eq!(text, expected, "{given}");
    }
}

#[test]
fn a_body_given_back_unchanged_keeps_its_bytes() {
    let names = crate::names();
    let name = names.name("Bash");
    let call = Event::tool(Point::ToolBefore, &name, "1");
    let mut body = crate::body(r#"{ "a": 1.50 }"#);
    let form = BodyForm::of(&call, &body).unwrap();
    form.write(&call, &mut body).unwrap();
    assert_eq!(&*body.to_bytes(), br#"{ "a": 1.50 }"#);
    assert_eq!((body.renamed(), body.headers()), (None, None));
    assert!(BodyForm::of(&call, &crate::body("{")).is_err());
    assert!(VerdictForm::of(&Verdict::answer(crate::body("{"))).is_err());
}

struct NoTime;

impl Clock for NoTime {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn wall(&self) -> Duration {
        Duration::from_millis(1_000)
    }

    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

/// An interceptor that does as its function says, whatever its role.
struct Does<F>(F);

impl<F: Fn(&mut Body) -> Result<Verdict, tollgate_core::Fault> + Send + Sync> Edit for Does<F> {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.0(body))
    }
}

impl<F: Fn(&Body) -> Result<Verdict, tollgate_core::Fault> + Send + Sync> Guard for Does<F> {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.0(body))
    }
}

impl<F: Fn() -> Result<(), tollgate_core::Fault> + Send + Sync> Watch for Does<F> {
    fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, _: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.0())
    }
}

/// A run in which much happens, and a document with a secret in every place.
fn busy_run() -> Outcome {
    let at = [Point::ToolBefore];
    let mut registry = Registry::new(crate::names(), Arc::new(NoTime), crate::digest);
    let route = || {
        let command = json!({"command": "echo hunter2"}).as_object().cloned();
        Route { command, ..Route::to("bubblewrap") }
    };
    let asks = || Verdict::Ask(Box::new(Query { timeout: Some(Duration::from_secs(5)), ..query("Sure?") }));
    for registration in [
        Registration::edit(
            "writes",
            at,
            Does(|body: &mut Body| {
                body.json_mut()?["deep"]["password"] = "hunter2!".into();
                body.notes.push("hunter2".to_owned());
                Ok(Verdict::Pass)
            }),
        ),
        Registration::guard("routes", at, Does(move |_: &Body| Ok(Verdict::route(route())))),
        Registration::guard("asks", at, Does(move |_: &Body| Ok(asks()))),
        Registration {
            on_fault: OnFault::Pass,
            ..Registration::guard("breaks", at, Does(|_: &Body| Err(tollgate_core::Fault::crash("exit status 1"))))
        },
        Registration::watch("records", at, Does(|| Ok(()))),
    ] {
        registry.add(registration).unwrap();
    }
    let pipeline = registry.snapshot();
    let name = pipeline.name("Bash");
    let event = Event { chain: &["routes-not"], ..Event::tool(Point::ToolBefore, &name, "1") };
    let mut body = Body::from(json!({"command": "hunter2", "deep": {"password": "hunter2"}}));
    pipeline.run_now(&event, &mut body)
}

fn query(title: &str) -> Query {
    Query { title: title.to_owned(), detail: "hunter2".to_owned(), data: json!("hunter2"), ..Query::default() }
}

#[test]
fn an_outcome_tells_who_did_what_and_no_secrets() {
    let document = OutcomeForm::of(&busy_run()).to_json();
    assert!(!document.to_string().contains("hunter2"), "{document}");
    assert!(is_valid("outcome", &document));
    assert_eq!(again("outcome", document.clone()), Ok(document.clone()));
    let mut lines: Vec<String> = vec![document["act"].to_string()];
    lines.extend(document["trace"]["entries"].as_array().unwrap().iter().map(Value::to_string));
    lines.push(document["trace"]["digest"].to_string());
    expect![[r#"
        {"do":"ask","parts":[{"by":"asks","title":"Sure?"}],"digest":"232bf4badf03439aefc4796aed4d9c4f230a0d85e4e770dbbd20d7d9a3d6ca94","deadline_ms":6000,"provider":"bubblewrap"}
        {"id":"writes","role":"edit","look":1,"said":"passed","changed":["/deep/password","notes"],"took_us":0,"on_fault":"deny"}
        {"id":"routes","role":"guard","look":1,"said":{"routed":"bubblewrap"},"took_us":0,"on_fault":"deny"}
        {"id":"asks","role":"guard","look":1,"said":{"asked":"Sure?"},"took_us":0,"on_fault":"deny"}
        {"id":"breaks","role":"guard","look":1,"said":{"faulted":{"kind":"crash","detail":"exit status 1"}},"took_us":0,"on_fault":"pass"}
        {"id":"writes","role":"edit","look":1,"said":"passed","changed":["/deep","notes"],"took_us":0,"routed":true,"on_fault":"deny"}
        {"id":"routes","role":"guard","look":1,"said":"skipped","took_us":0,"routed":true,"on_fault":"deny"}
        {"id":"asks","role":"guard","look":1,"said":{"asked":"Sure?"},"took_us":0,"routed":true,"on_fault":"deny"}
        {"id":"breaks","role":"guard","look":1,"said":{"faulted":{"kind":"crash","detail":"exit status 1"}},"took_us":0,"routed":true,"on_fault":"pass"}
        {"id":"records","role":"watch","look":1,"said":"passed","took_us":0,"routed":true,"on_fault":"pass"}
        {"id":"records","role":"watch","look":1,"said":"passed","took_us":0,"on_fault":"pass"}
        "232bf4badf03439aefc4796aed4d9c4f230a0d85e4e770dbbd20d7d9a3d6ca94"
    "#]].assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn acts() {
    let digest = Digest([7; 32]);
    let hex = "07".repeat(32);
    for (act, expected) in [
        (Act::Pass, json!({"do": "pass"})),
        (Act::Answer(Box::new(json!("hunter2").into())), json!({"do": "answer"})),
        (
            Act::Route { route: Box::new(Route::to("e2b")), digest },
            json!({"do": "route", "provider": "e2b", "digest": hex}),
        ),
        (
            Act::Deny(Box::new(Ruling::of_pipeline(Cause::Fault(FaultKind::Timeout), "late"))),
            json!({"do": "deny", "cause": "fault", "fault": "timeout", "reason": "late"}),
        ),
        (
            Act::Deny(Box::new(Ruling { by: Some("a".into()), cause: Cause::Objection, reason: "no".into() })),
            json!({"do": "deny", "by": "a", "cause": "objection", "reason": "no"}),
        ),
    ] {
        let form = OutcomeForm::of(&Outcome { act, trace: Trace::default() });
        assert_eq!(form.to_json(), json!({"v": 2, "act": expected, "trace": {"entries": []}}));
    }
}

#[test]
fn long_times_stay_numbers_that_every_parser_keeps() {
    let event = Event { took: Some(Duration::MAX), ..Event::at(Point::ToolAfter) };
    assert_eq!(EventForm::of(&event).took_us, Some(9_007_199_254_740_991));
}

/// A question that went to another process is answered there as it would be here, by an approval that came the same way.
#[test]
fn a_question_crosses_processes() {
    let command = json!({"command": "make"}).as_object().cloned();
    let route = Route { command, place: json!({"image": "x"}).as_object().cloned().unwrap(), ..Route::to("e2b") };
    let part = Query { timeout: Some(Duration::from_secs(5)), ..query("Sure?") };
    let question = |route: Option<&Route>| Question {
        parts: vec![("asks".into(), part.clone()), ("also".into(), query("Really?"))],
        digest: Digest([7; 32]),
        deadline: Some(Duration::from_millis(6_000)),
        route: route.map(|route| Box::new(route.clone())),
    };
    let yes = Approval { digest: Digest([7; 32]), granted: true, by: "ann".into(), at: Duration::from_secs(6) };
    for (route, approval, expected) in [
        (None, yes.clone(), "pass"),
        (Some(&route), yes.clone(), "route"),
        (Some(&route), Approval { granted: false, ..yes.clone() }, "deny: denied by ann"),
        (None, Approval { digest: Digest([8; 32]), ..yes.clone() }, "deny: the approval is for another call"),
        (
            None,
            Approval { at: Duration::from_millis(6_001), ..yes.clone() },
            "deny: the approval came too late; ask again",
        ),
    ] {
        let sent = QuestionForm::of(&question(route)).to_json().to_string();
        let kept = QuestionForm::from_bytes(sent.as_bytes()).unwrap().question();
        assert_eq!(kept, question(route));
        let sent = ApprovalForm::from(&approval).to_json().to_string();
        let act = kept.answer(&(&ApprovalForm::from_bytes(sent.as_bytes()).unwrap()).into());
        let text = match &act {
            Act::Deny(ruling) => format!("deny: {ruling}"),
            Act::Route { route: there, .. } if Some(&**there) != route => "another route".to_owned(),
            act => act.name().to_owned(),
        };
        assert_eq!(text, expected);
    }
}

/// What only a surface or the pipeline can know, set in a document from outside, has no effect, one by one and all
/// together; every other fact arrives.
#[test]
fn a_foreign_event_brings_no_more_than_it_may() {
    let approval = json!({"digest": "07".repeat(32), "granted": true, "by": "ann", "at_ms": 1});
    let dropped = json!({
        "own": {"client": "ide"}, "chain": ["record"], "labels": [["approved", "yes"]], "approval": approval,
        "look": 2, "routed": true, "permission": true, "index": 1, "last": true, "attempt": 3,
    });
    let kept = json!({
        "v": 2, "point": "tool.after", "name": {"written": "Bash", "normal": "mcp__m__bash"},
        "became": {"written": "read", "normal": "mcp__m__read"}, "kind": "mcp", "call_id": "c", "session": "s",
        "agent": "a", "surface": "x", "server": "m", "model": "o", "cwd": "/", "principal": "p", "native": "n",
        "ended": "error", "took_us": 5, "arguments": [1], "reason": "r", "fixed_name": true,
    });
    let known = EventForm::lend_trusted(&EventForm::from_json(kept.clone()).unwrap(), &crate::names(), EventForm::of);
    let members = serde_json::to_value(&known).unwrap().as_object().unwrap().len() + 1;
    let dropped = dropped.as_object().unwrap();
    let schema = schemas().into_iter().find(|(name, _)| *name == "event").unwrap().1;
    let all = schema["properties"].as_object().unwrap().len();
    assert_eq!(members + dropped.len(), all, "every field of an event is in one of the two lists");

    let each = dropped.iter().map(|(key, value)| Map::from_iter([(key.clone(), value.clone())]));
    for set in each.chain([dropped.clone()]) {
        let mut document = kept.clone();
        document.as_object_mut().unwrap().extend(set.clone());
        let body = json!({"v": 2, "json": 1, "notes": ["n"], "tells": ["t"], "labels": [["k", "v"]]});
        let (event, body) = (EventForm::from_json(document).unwrap(), BodyForm::from_json(body).unwrap());
        let trusted = event.lend_trusted(&crate::names(), EventForm::of);
        assert_ne!(trusted.to_json(), kept, "{set:?} says something");
        let lent = event.lend_foreign(body, &crate::names(), |event, body| {
            (EventForm::of(event).to_json(), BodyForm::of(event, body).unwrap().to_json())
        });
        assert_eq!(lent, Ok((kept.clone(), json!({"v": 2, "json": 1}))), "{set:?}");
    }
    // Before a call has run, nothing of what it became or came to can be known.
    let call = json!({"v": 2, "point": "tool.before", "name": {"written": "Bash"}, "ended": "denied",
        "became": {"written": "read"}});
    let renamed = BodyForm { name: Some("read".to_owned()), arguments: Some(json!({})), ..BodyForm::default() };
    let lent = EventForm::from_json(call)
        .unwrap()
        .lend_foreign(renamed, &crate::names(), |event, body| (event.ended, event.tool_name(body).to_owned()));
    assert_eq!(lent, Ok((None, "exec".to_owned())));
    let notice = EventForm::from_json(json!({"v": 2, "point": "notice"})).unwrap();
    let call = BodyForm { name: Some("exec".to_owned()), ..BodyForm::default() };
    assert!(notice.lend_foreign(call, &crate::names(), |_, _| ()).is_err(), "a body must fit its event");
}

#[test]
fn endings_have_one_word() {
    for ended in EndedForm::ALL.iter().copied() {
        assert_eq!((json!(ended), EndedForm::from(&ended.into())), (json!(ended.name()), ended));
    }
    let schema = schemas().into_iter().find(|(name, _)| *name == "event").unwrap().1;
    assert_eq!(schema["$defs"]["EndedForm"]["oneOf"].as_array().map(Vec::len), Some(EndedForm::ALL.len()));
}

#[test]
fn of_two_facts_with_one_name_the_first_counts() {
    let event = Event { own: &[("a", "first"), ("a", "second")], ..Event::at(Point::Notice) };
    assert_eq!(EventForm::of(&event).own, [("a".to_owned(), "first".to_owned())].into());
}

fn maybe<T: std::fmt::Debug>(of: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(of)
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::collection::vec((texts(), texts()), 0..3)
}

fn objects() -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::vec((texts(), documents(exact_numbers())), 0..3).prop_map(Map::from_iter)
}

fn events() -> impl Strategy<Value = EventForm> {
    let facts = proptest::collection::vec(maybe(texts()), 12);
    let lists = (proptest::collection::vec(texts(), 0..3), pairs(), pairs());
    let ended = maybe(proptest::sample::select(vec![EndedForm::Ok, EndedForm::Denied, EndedForm::Canceled]));
    let numbers = (maybe(0..1_u64 << 53), maybe(0..1_u64 << 53), any::<u32>(), any::<u8>());
    let document = maybe(documents(exact_numbers()));
    let point = proptest::sample::select(Point::ALL);
    (point, facts, lists, ended, numbers, any::<[bool; 4]>(), document).prop_map(
        |(point, mut facts, (chain, labels, own), ended, (took_us, index, attempt, look), flags, arguments)| {
            let names = crate::names();
            let mut text = || facts.pop().flatten();
            let (server, name, became) = (text(), text(), text());
            let of = |written: String| NameForm::from(&names.tool_of(&written, server.as_deref()));
            let (name, became) = (name.map(of), became.map(of));
            let now = became.as_ref().or(name.as_ref()).and_then(|name| name.normal.as_deref());
            EventForm {
                point: PointForm(point),
                kind: now.and_then(crate::kind).map(str::to_owned),
                name,
                became,
                call_id: text(),
                session: text(),
                agent: text(),
                surface: text(),
                server,
                model: text(),
                cwd: text(),
                principal: text(),
                native: text(),
                own: own.into_iter().collect(),
                chain,
                labels,
                ended,
                took_us,
                arguments,
                approval: index.map(|at_ms| ApprovalForm {
                    digest: DigestForm(Digest([look; 32])),
                    granted: flags[0],
                    by: "ann".to_owned(),
                    at_ms,
                }),
                reason: text(),
                index,
                last: flags[0],
                attempt,
                look,
                routed: flags[1],
                permission: flags[2],
                fixed_name: flags[3],
            }
        },
    )
}

fn bodies() -> impl Strategy<Value = BodyForm> {
    let list = || maybe(proptest::collection::vec(texts(), 1..3));
    let labels = maybe(pairs()).prop_map(|labels| labels.filter(|labels| !labels.is_empty()));
    (documents(exact_numbers()), maybe(pairs()), list(), list(), labels).prop_map(
        |(json, headers, notes, tells, labels)| BodyForm {
            json: Some(json),
            headers,
            notes,
            tells,
            labels,
            ..BodyForm::default()
        },
    )
}

fn verdicts() -> impl Strategy<Value = VerdictForm> {
    let ask = (texts(), texts(), maybe(0..1_u64 << 53), documents(exact_numbers()));
    let route = (texts(), objects(), maybe(objects()));
    prop_oneof![
        Just(VerdictForm::Pass {}),
        texts().prop_map(|reason| VerdictForm::Deny { reason }),
        ask.prop_map(|(title, detail, timeout_ms, data)| VerdictForm::Ask { title, detail, timeout_ms, data }),
        route.prop_map(|(provider, place, command)| {
            VerdictForm::Route { route: RouteForm { provider, place, command } }
        }),
        bodies().prop_map(|body| VerdictForm::Answer { body: Box::new(body) }),
    ]
}

fn questions() -> impl Strategy<Value = QuestionForm> {
    let part = (texts(), texts(), texts(), maybe(0..1_u64 << 53), documents(exact_numbers()));
    let part = part.prop_map(|(by, title, detail, timeout_ms, data)| PartForm { by, title, detail, timeout_ms, data });
    let route = (texts(), objects(), maybe(objects()));
    let route = maybe(route.prop_map(|(provider, place, command)| RouteForm { provider, place, command }));
    let all = (proptest::collection::vec(part, 0..3), any::<[u8; 32]>(), maybe(0..1_u64 << 53), route);
    all.prop_map(|(parts, digest, deadline_ms, route)| QuestionForm {
        parts,
        digest: DigestForm(Digest(digest)),
        deadline_ms,
        route,
    })
}

fn check_round_trip<F: Form + Clone + PartialEq + std::fmt::Debug>(form: &F) -> Result<(), TestCaseError> {
    let document = form.to_json();
    prop_assert_eq!(&F::from_bytes(document.to_string().as_bytes()), &Ok(form.clone()));
    prop_assert!(is_valid(F::NAME, &document), "{}", document);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_come_back(mut form in events()) {
        prop_assert_eq!(&form.lend_trusted(&crate::names(), EventForm::of), &form);
        form.look = form.look.clamp(1, 2);
        check_round_trip(&form)?;
    }

    #[test]
    fn bodies_come_back(form in bodies()) {
        check_round_trip(&form)?;
        let event = Event::at(Point::ModelRequest);
        let body = form.clone().body(&event).unwrap();
        prop_assert_eq!(BodyForm::of(&event, &body).unwrap(), form);
    }

    #[test]
    fn questions_come_back(form in questions()) {
        check_round_trip(&form)?;
        prop_assert_eq!(QuestionForm::of(&form.clone().question()), form);
    }

    #[test]
    fn verdicts_come_back(form in verdicts()) {
        check_round_trip(&form)?;
        prop_assert_eq!(VerdictForm::of(&form.clone().verdict().unwrap()), Ok(form));
    }
}

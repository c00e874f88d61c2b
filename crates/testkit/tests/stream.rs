//! Streams: what is held back, what is released, and what a refusal in the middle means.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tollgate_core::{
    Act, Body, Edit, Event, Fault, Flow, Guard, Names, OnFault, Outcome, Pipeline, Point, Registration, Registry, Step,
    Verdict, Watch,
};
use tollgate_testkit::ManualClock;
use tollgate_testkit::actors::hush_intended_panics;

const HERE: [Point; 1] = [Point::ModelResponse];
const SECRET: &str = "secret";

fn text_of(body: &Body) -> String {
    body.json().ok().and_then(|value| value["text"].as_str()).unwrap_or_default().to_owned()
}

fn piece(text: &str) -> Body {
    Body::from(json!({ "text": text }))
}

// ---- interceptors ----

/// Redacts the secret. Piece by piece it holds back what may be the secret's beginning.
#[derive(Clone, Copy)]
struct Redacts {
    piecewise: bool,
}

impl Edit for Redacts {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        let text = text_of(body).replace(SECRET, "***");
        Step::Now(body.json_mut().map(|value| value["text"] = Value::from(text)).map(|()| Verdict::Pass))
    }

    fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
        self.piecewise.then(|| Box::new(Redactor::default()) as Box<dyn Flow>)
    }
}

#[derive(Default)]
struct Redactor {
    held: String,
}

impl Flow for Redactor {
    fn push(&mut self, _: &Event<'_>, piece_in: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        let text = (std::mem::take(&mut self.held) + &text_of(&piece_in)).replace(SECRET, "***");
        let keep = (1..SECRET.len()).rev().find(|length| text.ends_with(&SECRET[..*length])).unwrap_or(0);
        let (go, held) = text.split_at(text.len() - keep);
        self.held = held.to_owned();
        if !go.is_empty() {
            out.push(piece(go));
        }
        Ok(Verdict::Pass)
    }

    fn finish(&mut self, _: &Event<'_>, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        if !self.held.is_empty() {
            out.push(piece(&std::mem::take(&mut self.held)));
        }
        Ok(Verdict::Pass)
    }
}

/// How a piecewise guard behaves.
#[derive(Clone, Copy)]
enum Way {
    /// Objects to pieces with this text, clears each piece with the next one.
    OneBehind(&'static str),
    /// Panics at pieces with this text, after holding everything back.
    Panics(&'static str),
    /// Cannot even be opened.
    CannotOpen,
}

impl Guard for Way {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::Now(Ok(Verdict::deny("a worker is not asked about the whole")))
    }

    fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
        if let Self::CannotOpen = self {
            panic!("on purpose: no stream today");
        }
        Some(Box::new(Worker { way: *self, held: Vec::new() }))
    }
}

impl Edit for Way {
    fn edit<'a>(&'a self, _: &'a Event<'a>, _: &'a mut Body) -> Step<'a, Verdict> {
        Step::PASS
    }

    fn open(&self, event: &Event<'_>) -> Option<Box<dyn Flow>> {
        Guard::open(self, event)
    }
}

struct Worker {
    way: Way,
    held: Vec<Body>,
}

impl Flow for Worker {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        match self.way {
            Way::OneBehind(bad) if text_of(&piece).contains(bad) => return Ok(Verdict::deny(format!("no {bad}"))),
            Way::OneBehind(_) => out.append(&mut self.held),
            Way::Panics(bad) if text_of(&piece).contains(bad) => panic!("on purpose: {bad}"),
            Way::Panics(_) | Way::CannotOpen => {}
        }
        self.held.push(piece);
        Ok(Verdict::Pass)
    }

    fn finish(&mut self, _: &Event<'_>, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        out.append(&mut self.held);
        Ok(Verdict::Pass)
    }
}

/// Objects to a text in the whole.
struct DeniesWhole(&'static str);

impl Guard for DeniesWhole {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        let bad = event.last && text_of(body).contains(self.0);
        Step::Now(Ok(if bad { Verdict::deny(format!("no {} at all", self.0)) } else { Verdict::Pass }))
    }
}

/// Notes down what was decided.
#[derive(Clone, Default)]
struct Sees(Arc<Mutex<Vec<String>>>);

impl Watch for Sees {
    fn watch<'a>(&'a self, _: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        self.0.lock().unwrap().push(format!("{}: {}", outcome.act.name(), text_of(body)));
        Step::Now(Ok(()))
    }
}

// ---- rows ----

struct Row {
    what: &'static str,
    who: Vec<Registration>,
    pieces: &'static [&'static str],
    /// What is released after each piece and, last, at the end; pieces are parted by `|`.
    released: &'static [&'static str],
    /// The act, and the reason where it is `deny`.
    act: &'static str,
    seen: &'static [&'static str],
}

fn pipeline(who: &[Registration], sees: &Sees) -> Pipeline {
    let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
    who.iter().cloned().for_each(|it| registry.add(it).unwrap());
    registry.add(Registration::watch("sees", HERE, sees.clone())).unwrap();
    registry.snapshot()
}

fn assemble(pieces: &[Body]) -> Body {
    piece(&pieces.iter().map(text_of).collect::<String>())
}

/// Sends pieces through a stream: what came out after each, and what it came to.
async fn play(pipeline: &Pipeline, pieces: &[&str]) -> (Vec<String>, Outcome) {
    let event = Event::at(Point::ModelResponse);
    let texts = |bodies: Vec<Body>| bodies.iter().map(text_of).collect::<Vec<_>>().join("|");
    let (mut stream, mut released) = (pipeline.open(&event), Vec::new());
    for text in pieces {
        match stream.push(&event, piece(text)).await {
            Ok(bodies) => released.push(texts(bodies)),
            Err(outcome) => return (released, *outcome),
        }
    }
    let (rest, outcome) = stream.finish(&event, assemble, |whole| vec![whole]).await;
    released.push(texts(rest));
    (released, outcome)
}

/// What is wrong with a row, if anything.
fn difference(row: &Row) -> Option<String> {
    let sees = Sees::default();
    let (released, outcome) = ManualClock::default().run(play(&pipeline(&row.who, &sees), row.pieces));
    let act = match &outcome.act {
        Act::Deny(ruling) => format!("deny: {}", ruling.reason),
        act => act.name().to_owned(),
    };
    let came = format!("{released:?}, {act}, seen {:?}", sees.0.lock().unwrap());
    let expected = format!("{:?}, {}, seen {:?}", row.released, row.act, row.seen);
    (came != expected).then(|| format!("{}:\n  expected {expected}\n  came     {came}", row.what))
}

fn check(rows: &[Row]) {
    hush_intended_panics();
    let failures: Vec<_> = rows.iter().filter_map(difference).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn guard(way: Way) -> Registration {
    Registration::guard("guard", HERE, way)
}

fn may_fail(registration: Registration) -> Registration {
    Registration { on_fault: OnFault::Pass, ..registration }
}

#[test]
fn what_is_held_back_and_what_goes() {
    let redacts = |piecewise| Registration::edit("redacts", HERE, Redacts { piecewise });
    let whole = |text| Registration::guard("whole", HERE, DeniesWhole(text));
    check(&[
        Row {
            what: "nobody",
            who: vec![],
            pieces: &["a", "b"],
            released: &["a", "b", ""],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "a secret over two pieces is redacted by an edit that holds back",
            who: vec![redacts(true)],
            pieces: &["my sec", "ret is", " s"],
            released: &["my ", "*** i", "s ", "s"],
            act: "pass",
            seen: &["pass: my *** is s"],
        },
        Row {
            what: "an edit of the whole holds everything and rewrites it",
            who: vec![redacts(false)],
            pieces: &["my sec", "ret"],
            released: &["", "", "my ***"],
            act: "pass",
            seen: &["pass: my ***"],
        },
        Row {
            what: "an edit of the whole that changes nothing releases the pieces",
            who: vec![redacts(false)],
            pieces: &["a", "b"],
            released: &["", "", "a|b"],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "a guard that clears late",
            who: vec![guard(Way::OneBehind("bomb"))],
            pieces: &["a", "b", "c"],
            released: &["", "a", "b", "c"],
            act: "pass",
            seen: &["pass: abc"],
        },
        Row {
            what: "two guards release what both have cleared",
            who: vec![
                guard(Way::OneBehind("bomb")),
                Registration { id: "second".into(), ..guard(Way::Panics("never")) },
            ],
            pieces: &["a", "b"],
            released: &["", "", "a|b"],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "guards judge what edits pass on",
            who: vec![guard(Way::OneBehind("secret")), redacts(true)],
            pieces: &["sec", "ret", "!"],
            released: &["", "", "***", "!"],
            act: "pass",
            seen: &["pass: ***!"],
        },
        Row {
            what: "a guard of the whole judges before the last piece goes",
            who: vec![whole("ab")],
            pieces: &["a", "b"],
            released: &["", "a", ""],
            act: "deny: no ab at all",
            seen: &["deny: ab"],
        },
        Row {
            what: "a guard that must see the whole first holds everything",
            who: vec![Registration { hold_whole: true, ..whole("x") }],
            pieces: &["a", "b"],
            released: &["", "", "a|b"],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "watchers see that the end would rewrite the beginning",
            who: vec![Registration { hold_whole: false, ..redacts(false) }],
            pieces: &["my sec", "ret"],
            released: &["", "my sec", ""],
            act: "deny: it would rewrite the beginning of a stream, which is already out",
            seen: &["deny: my ***"],
        },
    ]);
}

#[test]
fn a_refusal_in_the_middle_ends_the_stream() {
    check(&[
        Row {
            what: "denied in the middle, seen once",
            who: vec![guard(Way::OneBehind("bomb"))],
            pieces: &["a", "b", "a bomb", "c"],
            released: &["", "a"],
            act: "deny: no bomb",
            seen: &["deny: a bomb"],
        },
        Row {
            what: "denied at the first piece",
            who: vec![guard(Way::OneBehind("bomb"))],
            pieces: &["bomb"],
            released: &[],
            act: "deny: no bomb",
            seen: &["deny: bomb"],
        },
    ]);
}

#[test]
fn a_worker_that_breaks() {
    let refused = "deny: `guard` could not judge this (panic: on purpose: b), so it is refused; to mend it: fix or \
                   remove it, then try again";
    check(&[
        Row {
            what: "a guard that breaks refuses",
            who: vec![guard(Way::Panics("b"))],
            pieces: &["a", "b", "c"],
            released: &[""],
            act: refused,
            seen: &["deny: b"],
        },
        Row {
            what: "a guard that breaks and may holds nothing back any more",
            who: vec![may_fail(guard(Way::Panics("b")))],
            pieces: &["a", "b", "c"],
            released: &["", "a|b", "c", ""],
            act: "pass",
            seen: &["pass: abc"],
        },
        Row {
            what: "a guard that cannot open refuses",
            who: vec![guard(Way::CannotOpen)],
            pieces: &["a"],
            released: &[],
            act: "deny: `guard` could not judge this (panic: on purpose: no stream today), so it is refused; to mend \
                  it: fix or remove it, then try again",
            seen: &["deny: a"],
        },
        Row {
            what: "a guard that cannot open and may holds nothing back",
            who: vec![may_fail(guard(Way::CannotOpen))],
            pieces: &["a", "b"],
            released: &["a", "b", ""],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "an edit that breaks and may lets pieces pass as they are",
            who: vec![may_fail(Registration::edit("edit", HERE, Way::Panics("a")))],
            pieces: &["a", "b"],
            released: &["a", "b", ""],
            act: "pass",
            seen: &["pass: ab"],
        },
        Row {
            what: "an edit that held back and breaks ends the stream, even if it may: what it held is gone",
            who: vec![may_fail(Registration::edit("edit", HERE, Way::Panics("b")))],
            pieces: &["a", "b", "c"],
            released: &[""],
            act: "deny: `edit` could not judge this (panic: on purpose: b), so it is refused; \
                  to mend it: fix or remove it, then try again",
            seen: &["deny: b"],
        },
    ]);
}

#[test]
fn streams_know_nothing_of_each_other() {
    let pipeline = pipeline(&[Registration::edit("redacts", HERE, Redacts { piecewise: true })], &Sees::default());
    let clock = ManualClock::default();
    for (pieces, expected) in [(["a sec"], ["a ", "sec"]), (["ret b"], ["ret b", ""])] {
        assert_eq!(clock.run(play(&pipeline, &pieces)).0, expected, "{pieces:?}");
    }
    clock.run(async {
        let event = Event::at(Point::ModelResponse);
        let (mut one, mut two) = (pipeline.open(&event), pipeline.open(&event));
        one.push(&event, piece("sec")).await.unwrap();
        let released = two.push(&event, piece("ret")).await.unwrap();
        assert_eq!(released.iter().map(text_of).collect::<String>(), "ret", "interleaved");
    });
}

#[test]
fn pieces_are_counted() {
    type Facts = Arc<Mutex<Vec<(Option<u64>, bool)>>>;
    struct Counts(Facts);
    struct Counting(Facts);
    impl Edit for Counts {
        fn edit<'a>(&'a self, _: &'a Event<'a>, _: &'a mut Body) -> Step<'a, Verdict> {
            Step::PASS
        }
        fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
            Some(Box::new(Counting(Arc::clone(&self.0))))
        }
    }
    impl Flow for Counting {
        fn push(&mut self, event: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
            self.0.lock().unwrap().push((event.index, event.last));
            out.push(piece);
            Ok(Verdict::Pass)
        }
        fn finish(&mut self, event: &Event<'_>, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
            self.0.lock().unwrap().push((event.index, event.last));
            Ok(Verdict::Pass)
        }
    }
    let counted = Arc::default();
    let counts = Registration::edit("counts", HERE, Counts(Arc::clone(&counted)));
    ManualClock::default().run(play(&pipeline(&[counts], &Sees::default()), &["a", "b"]));
    assert_eq!(*counted.lock().unwrap(), [(Some(0), false), (Some(1), false), (Some(2), true)]);
}

fn check_fact(what: &str, came: &str, expected: &str) {
    assert_eq!(came, expected, "{what}");
}

#[test]
fn a_worker_can_only_refuse() {
    struct Asks;
    impl Guard for Asks {
        fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
            Step::PASS
        }
        fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
            Some(Box::new(Asks))
        }
    }
    impl Flow for Asks {
        fn push(&mut self, _: &Event<'_>, _: Body, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
            Ok(Verdict::ask("sure?"))
        }
        fn finish(&mut self, _: &Event<'_>, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
            Ok(Verdict::Pass)
        }
    }
    let no_power = "`asks` gave a verdict that model.response does not take";
    let no_stream = "a stream can be denied, but not asked about, routed or answered";
    for (point, reason) in [(Point::ModelResponse, no_power), (Point::PromptSubmit, no_stream)] {
        let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
        registry.add(Registration::guard("asks", [point], Asks)).unwrap();
        let event = Event::at(point);
        let mut stream = registry.snapshot().open(&event);
        let came = match ManualClock::default().run(stream.push(&event, piece("a"))) {
            Ok(_) => "nothing".to_owned(),
            Err(outcome) => format!("{:?}", outcome.act),
        };
        let expected = format!("Deny(Ruling {{ by: None, cause: Power, reason: {reason:?} }})");
        check_fact(&format!("a worker asks at {point}"), &came, &expected);
    }
}

#[test]
fn a_stream_that_was_stopped_stays_stopped() {
    let pipeline = pipeline(&[guard(Way::OneBehind("bomb"))], &Sees::default());
    let event = Event::at(Point::ModelResponse);
    let mut stream = pipeline.open(&event);
    let clock = ManualClock::default();
    let mut push = |text| clock.run(stream.push(&event, piece(text))).map(|bodies| bodies.len());
    assert!(push("a").is_ok() && push("bomb").is_err());
    check_fact("a stream that was stopped stays stopped", &format!("{}", push("b").is_err()), "true");
}

/// Sends pieces through a stream whose client then goes away: the act, and all that a required watcher was told.
fn canceled(who: &[Registration], pieces: &[&str], chain: &[&str]) -> String {
    #[derive(Clone, Default)]
    struct Record(Arc<Mutex<Vec<String>>>);
    impl Watch for Record {
        fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
            let (act, text, index) = (outcome.act.name(), text_of(body), event.index.unwrap());
            self.0.lock().unwrap().push(format!("{act} {text:?} at {index}, {:?}, {}", event.ended, event.last));
            Step::Now(Ok(()))
        }
    }
    let (record, event) = (Record::default(), Event { chain, ..Event::at(Point::ModelResponse) });
    let watch = Registration { on_fault: OnFault::Deny, ..Registration::watch("record", HERE, record.clone()) };
    let pipeline = pipeline(&[who, &[watch]].concat(), &Sees::default());
    let act = ManualClock::default().run(async {
        let mut stream = pipeline.open(&event);
        for text in pieces {
            let _ = stream.push(&event, piece(text)).await;
        }
        stream.cancel(&event, assemble).await.act.name()
    });
    format!("{act}; {}", record.0.lock().unwrap().join("; "))
}

#[test]
fn a_stream_whose_client_goes_away_is_recorded_once() {
    hush_intended_panics();
    let redacts = || Registration::edit("redacts", HERE, Redacts { piecewise: true });
    let whole = || Registration::edit("redacts", HERE, Redacts { piecewise: false });
    let bomb = || guard(Way::OneBehind("bomb"));
    for (what, who, pieces, chain, expected) in [
        ("nothing was pushed", vec![], &[][..], &[][..], "pass; pass \"\" at 0, Some(Canceled), true"),
        // The record has no worker, so the newest piece waits for it.
        ("what waits is not released", vec![], &["a", "b", "c"], &[], "pass; pass \"ab\" at 3, Some(Canceled), true"),
        (
            "what was held is not told",
            vec![redacts()],
            &["a sec", "r"],
            &[],
            "pass; pass \"\" at 2, Some(Canceled), true",
        ),
        ("all was held", vec![whole()], &["a", "b"], &[], "pass; pass \"\" at 2, Some(Canceled), true"),
        ("denied before", vec![bomb()], &["a", "bomb"], &[], "deny; deny \"bomb\" at 1, None, false"),
        ("too deep", vec![], &["a"], &["x"; 9], "deny; deny \"a\" at 0, None, false"),
        (
            "caused by the record itself",
            vec![],
            &["a", "b"],
            &["record"],
            "pass; pass \"a\" at 2, Some(Canceled), true",
        ),
    ] {
        assert_eq!(canceled(&who, pieces, chain), expected, "{what}");
    }
}

#[test]
fn a_canceled_stream_that_cannot_be_recorded_says_so() {
    struct Full;
    impl Watch for Full {
        fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, _: &'a Outcome) -> Step<'a, ()> {
            Step::Now(Err(Fault::crash("the disk is full")))
        }
    }
    let record = Registration { on_fault: OnFault::Deny, ..Registration::watch("record", HERE, Full) };
    let (pipeline, event) = (pipeline(&[record], &Sees::default()), Event::at(Point::ModelResponse));
    let outcome = ManualClock::default().run(pipeline.open(&event).cancel(&event, assemble));
    assert!(matches!(outcome.act, Act::Deny(ruling) if ruling.by.as_deref() == Some("record")));
}

#[test]
fn watchers_see_what_the_workers_said() {
    struct Turns(Arc<Mutex<usize>>);
    impl Watch for Turns {
        fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
            *self.0.lock().unwrap() = outcome.trace.entries().count();
            Step::Now(Ok(()))
        }
    }
    let turns = Arc::default();
    let watch = Registration::watch("turns", HERE, Turns(Arc::clone(&turns)));
    let pipeline = pipeline(&[Registration::edit("edit", HERE, Redacts { piecewise: true }), watch], &Sees::default());
    ManualClock::default().run(play(&pipeline, &["a"]));
    check_fact("watchers see what the workers said", &format!("{}", *turns.lock().unwrap() > 0), "true");
}

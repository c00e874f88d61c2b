//! Ways round a guard on a stream that were once open. Each test is named after what it keeps shut.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_core::{
    Act, Body, Edit, Event, Fault, Flow, Guard, Names, OnFault, Outcome, Pipeline, Point, Registration, Registry, Step,
    Stream, Verdict,
};
use tollgate_testkit::ManualClock;

const HERE: [Point; 1] = [Point::ModelResponse];

/// An edit of the whole, or a guard that reads it.
struct Does<F>(F);

impl<F: Fn(&mut Body) + Send + Sync> Edit for Does<F> {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        (self.0)(body);
        Step::PASS
    }
}

struct Reads;

impl Guard for Reads {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(body.json().map(|_| Verdict::Pass))
    }
}

/// Reads a clone, and later.
struct Clones;

impl Guard for Clones {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        let body = body.clone();
        Step::later(async move { body.json().map(|_| Verdict::Pass) })
    }
}

/// Works on pieces as a function says.
struct Works(fn(Body) -> Result<Body, Fault>);

impl Edit for Works {
    fn edit<'a>(&'a self, _: &'a Event<'a>, _: &'a mut Body) -> Step<'a, Verdict> {
        Step::PASS
    }

    fn open(&self, _: &Event<'_>) -> Option<Box<dyn Flow>> {
        Some(Box::new(Worker(self.0)))
    }
}

struct Worker(fn(Body) -> Result<Body, Fault>);

impl Flow for Worker {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        out.push((self.0)(piece)?);
        Ok(Verdict::Pass)
    }

    fn finish(&mut self, _: &Event<'_>, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
        Ok(Verdict::Pass)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "on purpose: a worker that panics when it goes");
    }
}

fn pipeline(who: Registration, rewrite_ambiguous: bool) -> Pipeline {
    let mut registry = Registry::new(Names::default(), Arc::new(ManualClock::default()), tollgate_wire::digest);
    registry.rewrite_ambiguous = rewrite_ambiguous;
    assert!(registry.add(who).is_ok());
    registry.snapshot()
}

fn push(stream: &mut Stream, event: &Event<'_>, piece: Body) -> Result<usize, Box<Outcome>> {
    ManualClock::default().run(stream.push(event, piece)).map(|released| released.len())
}

fn finish(stream: Stream, event: &Event<'_>) -> (Vec<Body>, Act) {
    let assemble = |pieces: &[Body]| pieces.first().cloned().unwrap_or_default();
    let (rest, outcome) = ManualClock::default().run(stream.finish(event, assemble, |whole| vec![whole]));
    (rest, outcome.act)
}

#[test]
fn a_stream_that_was_caused_too_deep_releases_nothing() {
    let (chain, pipeline) = (["a"; 9], pipeline(Registration::guard("reads", HERE, Reads), false));
    let event = Event { chain: &chain, ..Event::at(HERE[0]) };
    let mut stream = pipeline.open(&event);
    assert!(push(&mut stream, &event, Body::from(json!(1))).is_err());
    assert!(matches!(finish(stream, &event), (rest, Act::Deny(_)) if rest.is_empty()));
}

#[test]
fn the_only_piece_waits_for_the_guard_of_the_whole() {
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(Registration::guard("reads", HERE, Reads), false));
    let mut stream = pipeline.open(&event);
    assert_eq!(push(&mut stream, &event, Body::from(json!("SECRET"))).ok(), Some(0));
}

#[test]
fn an_ambiguous_whole_is_not_sent_again_once_its_beginning_is_out() {
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(Registration::guard("reads", HERE, Reads), true));
    let mut stream = pipeline.open(&event);
    for released in [0, 1] {
        let piece = tollgate_wire::body(r#"{"a":1,"a":2}"#);
        assert_eq!(push(&mut stream, &event, piece).ok(), Some(released));
    }
    assert!(matches!(finish(stream, &event), (rest, Act::Deny(_)) if rest.is_empty()));
}

#[test]
fn headers_set_on_the_whole_reach_what_is_released() {
    let sets = Registration::edit("sets", HERE, Does(|body: &mut Body| body.headers_mut().set("x", "y")));
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(sets, false));
    let mut stream = pipeline.open(&event);
    push(&mut stream, &event, Body::from(json!(1))).ok();
    assert!(finish(stream, &event).0.iter().all(|piece| piece.headers().is_some()));
}

#[test]
fn headers_cannot_be_set_once_the_beginning_is_out() {
    let sets = Registration::edit("sets", HERE, Does(|body: &mut Body| body.headers_mut().set("x", "y")));
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(Registration { hold_whole: false, ..sets }, false));
    let mut stream = pipeline.open(&event);
    for released in [0, 1] {
        assert_eq!(push(&mut stream, &event, Body::from(json!(1))).ok(), Some(released));
    }
    assert!(matches!(finish(stream, &event), (rest, Act::Deny(_)) if rest.is_empty()));
}

#[test]
fn a_label_on_the_whole_is_no_rewriting() {
    let labels = Registration::edit("labels", HERE, Does(|body: &mut Body| body.label("k", "v")));
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(Registration { hold_whole: false, ..labels }, false));
    let mut stream = pipeline.open(&event);
    for released in [0, 1] {
        assert_eq!(push(&mut stream, &event, Body::from(json!(1))).ok(), Some(released));
    }
    assert!(matches!(finish(stream, &event), (rest, Act::Pass) if rest.len() == 1));
}

#[test]
fn a_piece_that_is_too_deep_ends_the_stream_and_not_the_process() {
    let deepens = Works(|mut piece| {
        let value = piece.json_mut()?;
        (0..300_000).for_each(|_| *value = Value::Array(vec![value.take()]));
        Ok(piece)
    });
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(Registration::edit("deepens", HERE, deepens), false));
    assert!(push(&mut pipeline.open(&event), &event, Body::from(json!(1))).is_err());
}

#[test]
fn a_worker_that_panics_when_it_goes_stays_inside() {
    let breaks = Registration::edit("breaks", HERE, Works(|_| Err(Fault::crash("broken"))));
    let (event, pipeline) = (Event::at(HERE[0]), pipeline(breaks, false));
    assert!(push(&mut pipeline.open(&event), &event, Body::from(json!(1))).is_err());
}

#[test]
fn a_look_at_a_clone_is_a_look() {
    for (document, on_fault) in [(r#"{"a":1,"a":2}"#, OnFault::Deny), (r#"{"a":"#, OnFault::Pass)] {
        let guard = Registration { on_fault, ..Registration::guard("clones", HERE, Clones) };
        let (event, mut body) = (Event::at(HERE[0]), tollgate_wire::body(document));
        let outcome = ManualClock::default().run(pipeline(guard, false).run(&event, &mut body));
        assert!(matches!(outcome.act, Act::Deny(_)), "{document}");
    }
}

//! Taking credentials out, of documents and of streams.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};
use support::{pipeline, rule};
use tollgate_core::{Act, Body, Event, Point};

const TOKEN: &str = "ghp_x7Kq2LmZ9vRt4WbN8yHc3JdF6sGp1QaUe5To";

#[test]
fn every_string_of_a_document() {
    let cases = [
        ("true", json!({"a": TOKEN}), None),
        (
            "true",
            json!({"content": [{"type": "text", "text": format!("it is {TOKEN}.")}], "details": {"x": [TOKEN]}}),
            None,
        ),
        ("true", json!(TOKEN), None),
        ("['secrets']", json!([[TOKEN]]), None),
        ("[{ regex = 'bb+' }]", json!({"a": "abba", "t": TOKEN}), Some(json!({"a": "a[redacted]a", "t": TOKEN}))),
        ("[{ regex = 'a(b+)', with = '<$1>' }]", json!({"a": "abba"}), Some(json!({"a": "<bb>a"}))),
        ("['secrets', { regex = 'b+' }]", json!({"a": "abba"}), Some(json!({"a": "a[redacted]a"}))),
    ];
    for (form, before, after) in cases {
        let set = rule(&format!("on = ['tool.before', 'tool.after']\ntool = '*'\nredact = {form}"));
        let pipeline = pipeline(&set, None);
        let name = pipeline.name("x");
        let mut body = Body::from(before.clone());
        pipeline.run_now(&Event::tool(Point::ToolAfter, &name, "c"), &mut body);
        let left = body.json().unwrap().to_string();
        match after {
            Some(after) => assert_eq!(*body.json().unwrap(), after, "{form}"),
            None => assert!(!left.contains("x7Kq2L") && left.contains("[redacted:"), "{left}"),
        }
    }
}

fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing here waits"),
    }
}

/// What comes out of a stream, and how much of it before the end.
fn streamed(text: &str, pieces: &[Value]) -> (Vec<Value>, usize) {
    let pipeline = pipeline(&rule(text), None);
    let event = Event { model: Some("m"), ..Event::at(Point::ModelResponse) };
    let mut stream = pipeline.open(&event);
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(now(stream.push(&event, Body::from(piece.clone()))).unwrap());
    }
    let early = out.len();
    let assemble =
        |pieces: &[Body]| Body::from(Value::from_iter(pieces.iter().map(|piece| piece.json().unwrap().clone())));
    let split = |whole: Body| whole.into_json().unwrap().as_array().unwrap().iter().cloned().map(Body::from).collect();
    let (rest, outcome) = now(stream.finish(&event, assemble, split));
    assert!(matches!(outcome.act, Act::Pass), "{:?}", outcome.act);
    out.extend(rest);
    (out.into_iter().map(|body| body.into_json().unwrap()).collect(), early)
}

const RULE: &str = "on = 'model.response'\nmodel = '*'\nredact = true";

fn texts(pieces: &[Value], pointer: &str) -> String {
    pieces.iter().filter_map(|piece| piece.pointer(pointer)?.as_str()).collect()
}

/// A piece of a stream with this part of its text.
type Shape = fn(&str) -> Value;

/// A text, cut everywhere: the credential never comes out, and the rest does, whole.
#[test]
fn a_credential_in_pieces() {
    let text = format!("first line\nthe token is {TOKEN} and that is all\nlast line");
    let shapes: [(Shape, &str, Value); 4] = [
        (
            |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            "/delta/text",
            json!({"type": "content_block_stop", "index": 0}),
        ),
        (
            |text| json!({"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
            "/choices/0/delta/content",
            json!({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "deny"}]}),
        ),
        (
            |text| json!({"type": "response.output_text.delta", "item_id": "i", "delta": text}),
            "/delta",
            json!({"type": "response.completed"}),
        ),
        (|text| json!({"output": text}), "/output", json!({"done": true})),
    ];
    for (piece, pointer, end) in shapes {
        for size in [1, 3, 7, 20, 1000] {
            let cut: Vec<char> = text.chars().collect();
            let mut pieces: Vec<Value> = cut.chunks(size).map(|part| piece(&part.iter().collect::<String>())).collect();
            let parts = pieces.len();
            pieces.push(end.clone());
            let (out, early) = streamed(RULE, &pieces);
            let read = texts(&out, pointer);
            assert!(read.starts_with("first line\nthe token is [redacted:"), "{pointer} {size} {read}");
            assert!(read.ends_with("] and that is all\nlast line"), "{pointer} {size} {read}");
            assert!(early >= parts, "{pointer} {size}: pieces go on as they come");
            // What was held back comes before the end is told, where the end is told.
            if pointer != "/output" {
                assert_eq!(out.last(), Some(&end), "{pointer} {size}");
            }
        }
    }
}

#[test]
fn texts_of_one_stream_stay_apart() {
    let piece = |index: u64, text: &str| json!({"type": "d", "index": index, "delta": {"partial_json": text}});
    let (first, second) = TOKEN.split_at(9);
    let pieces = [piece(0, first), piece(1, "plain\n"), piece(0, &format!("{second} x\n")), piece(1, "more\n")];
    let (out, _) = streamed(RULE, &pieces);
    let of = |index: u64| {
        let mine: Vec<Value> = out.iter().filter(|piece| piece["index"] == index).cloned().collect();
        texts(&mine, "/delta/partial_json")
    };
    assert_eq!(of(1), "plain\nmore\n");
    assert!(of(0).starts_with("[redacted:") && of(0).ends_with("] x\n"), "{}", of(0));
}

/// What depends on the document, or looks further than a worker holds back, waits for the whole.
#[test]
fn what_needs_the_whole_gets_it() {
    let pieces = [json!({"text": "abb"}), json!({"text": "bba"})];
    for (more, early, whole) in [
        ("redact = true", 2, "abbbba"),
        ("redact = [{ regex = 'b+' }]", 0, "a[redacted][redacted]a"),
        ("text = 'abb'\nredact = [{ regex = 'b+' }]", 0, "a[redacted][redacted]a"),
        ("text = 'x'\nredact = true", 0, "abbbba"),
        ("agent = 'other'\nredact = [{ regex = 'b+' }]", 2, "abbbba"),
    ] {
        let (out, soon) = streamed(&format!("on = 'model.response'\nmodel = '*'\n{more}"), &pieces);
        assert_eq!((soon, texts(&out, "/text").as_str()), (early, whole), "{more}");
    }
}

#[test]
fn pieces_without_credentials_leave_as_they_came() {
    let pieces = [json!({"type": "message_start", "message": {"id": "m"}}), json!({"delta": {"text": "line\n"}})];
    assert_eq!(streamed(RULE, &pieces).0, pieces);
}

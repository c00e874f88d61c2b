//! Ways around rules that must stay closed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::borrow::Cow;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};
use support::{act, bash, call, pipeline, rule, rules};
use tollgate_core::{Act, Body, Event, Point};
use tollgate_rules::{CallFacts, Still};

const TOKEN: &str = "ghp_x7Kq2LmZ9vRt4WbN8yHc3JdF6sGp1QaUe5To";

fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing here waits"),
    }
}

/// What comes out of a stream of a model's answer.
fn streamed(pieces: &[Value]) -> Vec<Value> {
    let pipeline = pipeline(&rule("on = 'model.response'\nmodel = '*'\nredact = true"), None);
    let event = Event { model: Some("m"), ..Event::at(Point::ModelResponse) };
    let mut stream = pipeline.open(&event);
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(now(stream.push(&event, Body::from(piece.clone()))).unwrap());
    }
    let assemble =
        |pieces: &[Body]| Body::from(Value::from_iter(pieces.iter().map(|piece| piece.json().unwrap().clone())));
    let split = |whole: Body| whole.into_json().unwrap().as_array().unwrap().iter().cloned().map(Body::from).collect();
    let (rest, outcome) = now(stream.finish(&event, assemble, split));
    assert!(matches!(outcome.act, Act::Pass), "{:?}", outcome.act);
    out.extend(rest);
    out.into_iter().map(|body| body.into_json().unwrap()).collect()
}

/// The part of one of several texts that is in a piece.
type Text<'t> = &'t dyn Fn(&Value) -> Option<String>;

/// All that a reader of one of several texts gets to see.
fn read(pieces: &[Value], text: Text<'_>) -> String {
    pieces.iter().filter_map(text).collect()
}

#[test]
fn the_end_of_one_choice_lets_nothing_go_of_another() {
    let chat = |index: u32, text: &str, end: Option<&str>| json!({"choices": [{"index": index, "delta": {"content": text}, "finish_reason": end}]});
    let block = |index: u32, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
    let item = |index: u32, text: &str| json!({"type": "response.output_text.delta", "item_id": format!("m{index}"), "output_index": index, "content_index": 0, "delta": text});
    for cut in 1..TOKEN.len() {
        let (first, second) = TOKEN.split_at(cut);
        let streams: [(Vec<Value>, Text<'_>); 4] = [
            (
                vec![
                    chat(0, "one", None),
                    chat(1, &format!("it is {first}"), None),
                    chat(0, " more", Some("deny")),
                    chat(1, second, None),
                    chat(1, ".", Some("deny")),
                ],
                &|piece| {
                    let choice = piece["choices"].as_array()?.iter().find(|choice| choice["index"] == 1)?;
                    choice["delta"]["content"].as_str().map(str::to_owned)
                },
            ),
            (
                // The end of the one stands in the same piece as a part of the other.
                vec![
                    json!({"choices": [
                        {"index": 1, "delta": {"content": format!("it is {first}")}, "finish_reason": null},
                        {"index": 0, "delta": {"content": "one"}, "finish_reason": "deny"},
                    ]}),
                    chat(1, &format!("{second}."), Some("deny")),
                ],
                &|piece| {
                    let choice = piece["choices"].as_array()?.iter().find(|choice| choice["index"] == 1)?;
                    choice["delta"]["content"].as_str().map(str::to_owned)
                },
            ),
            (
                vec![
                    block(0, "one"),
                    block(1, &format!("it is {first}")),
                    json!({"type": "content_block_stop", "index": 0}),
                    block(1, &format!("{second}.")),
                    json!({"type": "content_block_stop", "index": 1}),
                    json!({"type": "message_stop"}),
                ],
                &|piece| (piece["index"] == 1).then(|| piece["delta"]["text"].as_str().map(str::to_owned))?,
            ),
            (
                vec![
                    item(0, "one"),
                    item(1, &format!("it is {first}")),
                    json!({"type": "response.output_item.done", "output_index": 0, "item": {"status": "completed"}}),
                    item(1, &format!("{second}.")),
                    json!({"type": "response.output_item.done", "output_index": 1, "item": {"status": "completed"}}),
                    json!({"type": "response.completed", "response": {"status": "completed"}}),
                ],
                &|piece| (piece["output_index"] == 1).then(|| piece["delta"].as_str().map(str::to_owned))?,
            ),
        ];
        for (pieces, text) in streams {
            let out = streamed(&pieces);
            let seen = read(&out, text);
            assert!(seen.starts_with("it is [redacted:") && seen.ends_with("]."), "cut at {cut}: {seen}\n{out:?}");
        }
    }
}

#[test]
fn what_a_document_says_of_itself_ends_no_text() {
    let (first, second) = TOKEN.split_at(10);
    let out = streamed(&[
        json!({"index": 0, "delta": {"text": first}, "usage": {"status": "done"}}),
        json!({"index": 0, "delta": {"text": second}}),
    ]);
    let seen = read(&out, &|piece| piece["delta"]["text"].as_str().map(str::to_owned));
    assert!(seen.starts_with("[redacted:"), "{seen}");
}

#[test]
fn an_exception_for_one_element_is_none_for_its_neighbours() {
    let set = rules(
        "[[rule]]\nid = 'r'\ntool = 'push_files'\ndeny = 'no'\n\
         [[exception]]\nrule = 'r'\nuntil = 2026-12-31\nreason = 'docs'\narg.files.path = { prefix = 'docs/' }\n",
    );
    let push = |paths: &[&str]| {
        let files: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
        act(&set, &call("push_files", json!({ "files": files })))
    };
    assert_eq!(push(&["docs/a", "docs/b"]), "pass");
    assert_eq!(push(&["docs/a", ".github/workflows/x.yml"]), "deny r: no");
    assert_eq!(push(&[]), "deny r: no");
    let nameless = json!({"files": [{"path": "docs/a"}, {"name": "x"}]});
    assert_eq!(act(&set, &call("push_files", nameless)), "deny r: no");
    assert_eq!(act(&set, &call("push_files", json!({"files": {"path": ["docs/a", "b"]}}))), "deny r: no");
}

#[test]
fn an_expression_that_begins_at_home_is_found() {
    for pattern in [r"'^~/\.private/'", r"'^~/\.private/|^/never'"] {
        let set = rule(&format!("path = {{ regex = {pattern} }}\ndeny = 'private'"));
        let said = act(&set, &bash("cat ~/.private/diary"));
        assert!(said.starts_with("deny r: private"), "{pattern}: {said}");
    }
}

#[test]
fn reasons_hold_no_credentials() {
    let file = format!("rm /srv/{TOKEN}");
    for decision in ["deny = 'no'", "ask = 'really?'"] {
        let set = rule(&format!("effect = 'delete'\n{decision}"));
        let pipeline = pipeline(&set, None);
        let shown = format!("{:?}", support::run(&pipeline, &bash(&file)).0);
        assert!(!shown.contains("x7Kq2L") && shown.contains("[redacted:"), "{shown}");
    }
    let form = [("token".to_owned(), tollgate_rules::form::ArgForm(json!({"prefix": "x"})))].into();
    let why = tollgate_rules::Arguments::compile(&form).unwrap().violation(&json!({ "token": TOKEN })).unwrap();
    assert!(!why.contains("x7Kq2L") && why.contains("[redacted:"), "{why}");
}

#[test]
fn a_relative_working_directory_is_none() {
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let body = Body::from(json!({"command": "rm -rf etc"}));
    let effects = |cwd: Option<&'static str>| {
        let event = Event { cwd, ..Event::tool(Point::ToolBefore, &name, "c") };
        CallFacts::new(&event, &body, &Still::shared()).effects().unwrap().to_vec()
    };
    for cwd in ["", ".", "rel", "../.."] {
        assert_eq!(effects(Some(cwd)), effects(None), "{cwd}");
    }
}

#[test]
fn nothing_is_below_a_folder_without_a_name() {
    struct Nowhere;
    impl tollgate_rules::Ambient for Nowhere {
        fn workspace(&self, _: Option<&str>) -> Cow<'_, [String]> {
            Cow::Owned(vec![String::new()])
        }
        fn home<'a>(&'a self, _: Option<&'a str>) -> Option<Cow<'a, str>> {
            None
        }
        fn real(&self, _: &str) -> Option<String> {
            None
        }
    }
    let set = rules(
        "[[rule]]\nid = 'r'\neffect = 'delete'\ndeny = 'no'\n\
         [[exception]]\nrule = 'r'\nuntil = 2026-12-31\nreason = 'build'\npath = 'usr/**'\n",
    );
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let event = Event { cwd: Some("/"), ..Event::tool(Point::ToolBefore, &name, "c") };
    let nowhere: Arc<dyn tollgate_rules::Ambient> = Arc::new(Nowhere);
    let found = set.findings(&event, &Body::from(json!({"command": "rm -rf /usr/lib"})), &nowhere).unwrap();
    assert!(found.iter().any(tollgate_rules::Finding::is_enforced), "{found:?}");
}

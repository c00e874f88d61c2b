//! Whatever is written, and whatever is sent: no panic, no hang.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::try_rules;
use tollgate_core::{Body, Event, Point};
use tollgate_rules::Still;
use tollgate_rules::form::{Date, Span};

/// Compiles a rule and, if it compiles, asks it.
fn ask(rule: &Value, document: &Value) {
    let Ok(text) = toml::to_string(&json!({"rule": [rule]})) else { return };
    if let Ok(set) = try_rules(&text) {
        let names = tollgate_wire::names();
        let name = names.name("Bash");
        let body = Body::from(document.clone());
        let event = Event::tool(Point::ToolBefore, &name, "c");
        drop(set.findings(&event, &body, &Still::shared()));
    }
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-e]|command|path", inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

/// Words that expressions are made of, and some that break them.
fn expression() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "args",
        "tool",
        "text",
        "effects",
        ".",
        "a",
        "b",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        ":",
        "'x'",
        "\"",
        "'",
        "1",
        "-",
        "2.5",
        "1u",
        "true",
        "null",
        "&&",
        "||",
        "!",
        "==",
        "<",
        "in",
        "+",
        "*",
        "/",
        "%",
        " ",
        "has(args.a)",
        ".all(x, ",
        ".exists(y, ",
        ".map(z, ",
        "x",
        "y",
        "size(",
        "matches('(a|b)*', ",
        "shell(",
        "paths(",
        "url(",
        "secrets(",
        "type(",
        "int(",
        "optional.of(",
        ".?",
        "[?",
        "ä",
        "\\",
        "\n",
        "//",
        "`",
        "@",
        "@cwd",
        "@pattern0",
        "r'",
        "b'",
        "9223372036854775807",
        "1e999",
        "0x",
        "...",
        ".args",
    ]);
    prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_expression(text in prop_oneof![".{0,60}", expression()], document in document()) {
        // Without optimization the parser of expressions takes more than the stack of a thread of tests; programs have this.
        let asked = move || ask(&json!({"id": "r", "deny": "no", "when": text}), &document);
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(asked).unwrap();
        prop_assert!(thread.join().is_ok());
    }

    #[test]
    fn any_pattern(text in r"[ab/*.~(){}\[\]|?+^$\\pdu0-9-]{0,20}", document in document()) {
        ask(&json!({"id": "r", "deny": "no", "path": text}), &document);
        ask(&json!({"id": "r", "deny": "no", "arg": {"a": {"regex": text}}}), &document);
        ask(&json!({"id": "r", "deny": "no", "text": {"glob": text, "ignore_case": true}}), &document);
    }

    #[test]
    fn any_condition_on_arguments(form in document(), document in document()) {
        ask(&json!({"id": "r", "deny": "no", "arg": {"a": form}}), &document);
    }

    #[test]
    fn any_edit(way in r"[a-e.*0-3]{1,8}", value in document(), document in document()) {
        for edit in [
            json!({"set": {&way: value}}),
            json!({"default": {&way: value}}),
            json!({"remove": [way]}),
            json!({"append": {&way: "x"}}),
            json!({"prefix_path": {&way: "/box"}}),
            json!({"truncate": {"bytes": 3, "in": way}}),
            json!({"truncate": {"bytes": 1}}),
            json!({"strip_ansi": true}),
            json!({"keep": {&way: [value]}}),
        ] {
            let Ok(text) = toml::to_string(&json!({"rule": [{"id": "r", "tool": "x", "rewrite": [edit]}]})) else { continue };
            let Ok(set) = try_rules(&text) else { continue };
            let pipeline = support::pipeline(&set, None);
            let name = pipeline.name("x");
            let mut body = Body::from(document.clone());
            let outcome = pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "c"), &mut body);
            // The same edit on its own work changes nothing more.
            if matches!(outcome.act, tollgate_core::Act::Pass) && !text.contains("remove") {
                let once = body.json().unwrap().clone();
                pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "c"), &mut body);
                prop_assert_eq!(body.json().unwrap(), &once, "{}", text);
            }
        }
    }

    #[test]
    fn any_date_and_span(text in "[0-9a-z -]{0,12}") {
        drop(text.parse::<Date>());
        drop(Span(text).duration());
    }
}

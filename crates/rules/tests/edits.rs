//! What edits do to a document, and that they leave alone what they do not change.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use serde_json::{Value, json};
use support::{bash, call, pipeline, rule, rules, run, short};
use tollgate_core::{Act, Body, Event, Point};

/// What becomes of arguments, or why the call was refused.
fn edited(edits: &str, args: Value) -> Result<Value, String> {
    let set = rule(&format!("tool = 'x'\nrewrite = [{edits}]"));
    match run(&pipeline(&set, None), &call("x", args)) {
        (Act::Pass, body) => Ok(body.json().unwrap().clone()),
        (act, _) => Err(short(act)),
    }
}

#[test]
fn arguments() {
    for (edits, before, after) in [
        ("{ set = { a = 1 } }", json!({"b": 2}), json!({"b": 2, "a": 1})),
        ("{ set = { a = 1 } }", json!({"a": 2}), json!({"a": 1})),
        ("{ set = { o.p = true } }", json!({"o": {"q": 1}}), json!({"o": {"q": 1, "p": true}})),
        ("{ set = { 'o.p' = true } }", json!({}), json!({"o": {"p": true}})),
        ("{ set = { a = 1 } }", json!(null), json!({"a": 1})),
        ("{ set = { 'l.1' = 'x' } }", json!({"l": ["a", "b"]}), json!({"l": ["a", "x"]})),
        ("{ set = { 'l.*.n' = 0 } }", json!({"l": [{"n": 1}, {"n": 2}]}), json!({"l": [{"n": 0}, {"n": 0}]})),
        ("{ default = { a = 1, b = 1 } }", json!({"a": 2}), json!({"a": 2, "b": 1})),
        ("{ default = { o.p = 1 } }", json!({"o": {"p": null}}), json!({"o": {"p": null}})),
        ("{ remove = ['a', 'o.p', 'none.at.all'] }", json!({"a": 1, "o": {"p": 1, "q": 2}}), json!({"o": {"q": 2}})),
        ("{ remove = ['l.0'] }", json!({"l": [1, 2]}), json!({"l": [2]})),
        ("{ append = { a = ' --dry-run' } }", json!({"a": "pass"}), json!({"a": "pass --dry-run"})),
        ("{ append = { a = ' --dry-run' } }", json!({"a": "pass --dry-run"}), json!({"a": "pass --dry-run"})),
        ("{ append = { a = 'x' } }", json!({"b": 1}), json!({"b": 1})),
        ("{ prepend = { a = 'nice ' } }", json!({"a": "make"}), json!({"a": "nice make"})),
        ("{ prepend = { 'l' = '-' } }", json!({"l": ["a", "-b"]}), json!({"l": ["-a", "-b"]})),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "a/b"}), json!({"p": "/box/a/b"})),
        ("{ prefix_path = { p = '/box/' } }", json!({"p": "/etc/./passwd"}), json!({"p": "/box/etc/passwd"})),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "/box/a"}), json!({"p": "/box/a"})),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "/boxes/a"}), json!({"p": "/box/boxes/a"})),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "a/../b"}), json!({"p": "/box/b"})),
        (
            "{ replace = { regex = 'b+', with = 'c', in = 'a' } }",
            json!({"a": "abb", "b": "b"}),
            json!({"a": "ac", "b": "b"}),
        ),
        ("{ replace = { regex = '(\\w+)@', with = '$1 at ' } }", json!({"a": ["x@y"]}), json!({"a": ["x at y"]})),
        ("{ truncate = { bytes = 3, in = 'a' } }", json!({"a": "abcdef"}), json!({"a": "abc\n[cut: 3 bytes]"})),
        (
            "{ truncate = { bytes = 3, in = 'a' } }",
            json!({"a": "abc\n[cut: 3 bytes]"}),
            json!({"a": "abc\n[cut: 3 bytes]"}),
        ),
        (
            "{ truncate = { bytes = 4 } }",
            json!({"a": "äää", "b": ["xxxx"]}),
            json!({"a": "ää\n[cut: 2 bytes]", "b": ["xxxx"]}),
        ),
        ("{ strip_ansi = true }", json!({"a": "\u{1b}[1mb\u{1b}[0m"}), json!({"a": "b"})),
        ("{ keep = { l = ['a*', 3] } }", json!({"l": ["ab", "b", 3, 4]}), json!({"l": ["ab", 3]})),
        (
            "{ keep = { l = ['x'] } }",
            json!({"l": [{"name": "x"}, {"name": "y"}, {"function": {"name": "x"}}]}),
            json!({"l": [{"name": "x"}, {"function": {"name": "x"}}]}),
        ),
        ("{ keep = { l = [] } }", json!({"l": [1]}), json!({"l": []})),
        ("{ set = { a = 1 } }, { remove = ['a'] }", json!({}), json!({})),
    ] {
        assert_eq!(edited(edits, before.clone()), Ok(after), "{edits} {before}");
    }
}

/// What fails leaves everything as it was, and refuses.
#[test]
fn a_failing_edit_is_a_fault() {
    for (edits, before, why) in [
        ("{ set = { a.b = 1 } }", json!({"a": "text"}), "`a.b` leads through something that is no table"),
        ("{ set = { a = 1 } }", json!("text"), "`a` leads through something that is no table"),
        ("{ append = { a = 'x' } }", json!({"a": 7}), "`a` is no text"),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "../x"}), "a path leads out of `/box`"),
        ("{ prefix_path = { p = '/box' } }", json!({"p": "/box/../../x"}), "a path leads out of `/box`"),
        ("{ keep = { l = ['a'] } }", json!({"l": "a"}), "`l` is no list"),
        ("{ set = { a = 1 } }, { append = { b = 'x' } }", json!({"b": {}}), "`b` is no text"),
    ] {
        let error = edited(edits, before.clone()).unwrap_err();
        assert!(error.starts_with(&format!("deny `r` could not judge this (garbage: {why})")), "{edits}: {error}");
    }
    let set = rule(
        "tool = 'x'\non_fault = 'pass'\nrewrite = [{ note = 'n' }, { set = { a = 1 } }, { append = { b = 'x' } }]",
    );
    let (act, body) = run(&pipeline(&set, None), &call("x", json!({"b": 7})));
    assert!(matches!(act, Act::Pass));
    assert_eq!((body.json().unwrap(), body.notes.len()), (&json!({"b": 7}), 0));
}

#[test]
fn what_is_beside_the_document() {
    let set = rules(
        "[[rule]]\nid = 'a'\ntool = 'x'\nrewrite = [{ note = 'careful' }, { rename = 'y' }]\n[[rule]]\nid = 'b'\ntool = 'y'\ndeny = 'no'",
    );
    // Whoever is for the new name is asked too.
    let (act, body) = run(&pipeline(&set, None), &call("x", json!({})));
    assert_eq!((short(act).as_str(), &body.notes[..]), ("deny b: no", &["careful".to_owned()][..]));

    let set = rule(
        "on = 'model.request'\nmodel = '*'\nrewrite = [{ set_header = { x-a = '1' } }, { remove_header = ['X-B'] }]",
    );
    let event = Event { model: Some("m"), ..Event::at(Point::ModelRequest) };
    let mut body = Body::from(json!({}));
    body.headers_mut().append("x-b", "2");
    pipeline(&set, None).run_now(&event, &mut body);
    assert_eq!(body.headers().unwrap().iter().collect::<Vec<_>>(), [("x-a", "1")]);

    let set = rule("on = 'session.start'\nagent = '*'\nrewrite = [{ note = 'welcome' }]");
    let event = Event { agent: Some("a"), ..Event::at(Point::SessionStart) };
    let mut body = Body::default();
    pipeline(&set, None).run_now(&event, &mut body);
    assert_eq!(body.notes, ["welcome"]);
}

/// A result is rewritten where somebody reads it, also in what repeats it for programs, and nowhere else.
#[test]
fn results_are_seen_through_a_lens() {
    let result = |text: &str| json!({"content": [{"type": "text", "text": text}, {"type": "image", "data": "text text"}], "details": {"out": text}, "id": "text"});
    for (edits, before, after) in [
        ("{ replace = { regex = 'text', with = 'T' } }", "a text", "a T"),
        ("{ truncate = { bytes = 1 } }", "abc", "a\n[cut: 2 bytes]"),
        ("{ strip_ansi = true }", "\u{1b}[31mred", "red"),
    ] {
        let set = rule(&format!("on = 'tool.after'\ntool = '*'\nrewrite = [{edits}]"));
        let names = tollgate_wire::names();
        let name = names.name("x");
        let mut body = Body::from(result(before));
        pipeline(&set, None).run_now(&Event::tool(Point::ToolAfter, &name, "c"), &mut body);
        assert_eq!(*body.json().unwrap(), result(after), "{edits}");
    }
}

#[test]
fn what_is_not_changed_leaves_as_it_came() {
    const BYTES: &str = "{ \"a\" : 1.0,  \"path\":\"/box/x\", \"t\":\"plain\" }";
    for decision in [
        "rewrite = [{ set = { b = 1 } }, { remove = ['b'] }]",
        "rewrite = [{ default = { a = 7 } }, { prefix_path = { path = '/box' } }]",
        "rewrite = [{ replace = { regex = 'zzz', with = '' } }, { strip_ansi = true }, { truncate = { bytes = 100 } }]",
        "rewrite = [{ append = { none = 'x' } }, { keep = { none = [] } }]",
        "redact = ['secrets', { regex = 'zzz' }]",
        "rewrite = [{ set = { b = 1 } }]\nmode = 'observe'",
    ] {
        let pipeline = pipeline(&rule(&format!("tool = 'x'\n{decision}")), None);
        let name = pipeline.name("x");
        let mut body = Body::from_bytes(BYTES, tollgate_wire::read);
        let outcome = pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "c"), &mut body);
        assert!(matches!(outcome.act, Act::Pass), "{decision}");
        assert_eq!(String::from_utf8_lossy(&body.to_bytes()), BYTES, "{decision}");
    }
}

#[test]
fn tools_are_hidden_from_the_model() {
    let set = rule("on = 'tool.list'\nagent = '*'\nrewrite = [{ keep = { tools = ['read*'] } }]");
    let event = Event { agent: Some("a"), ..Event::at(Point::ToolList) };
    let mut body = Body::from(json!({"tools": [{"name": "read_file"}, {"name": "bash"}]}));
    pipeline(&set, None).run_now(&event, &mut body);
    assert_eq!(*body.json().unwrap(), json!({"tools": [{"name": "read_file"}]}));
}

#[test]
fn edits_run_by_priority_and_see_one_another() {
    let set = rules(
        r#"
        [[rule]]
        id = "late"
        tool = "exec"
        rewrite = [{ append = { command = " 2" } }]
        [[rule]]
        id = "early"
        tool = "exec"
        priority = 5
        rewrite = [{ append = { command = " 1" } }]
        "#,
    );
    let (_, body) = run(&pipeline(&set, None), &bash("x"));
    assert_eq!(*body.json().unwrap(), json!({"command": "x 1 2"}));
}

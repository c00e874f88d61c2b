//! What rules decide.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use serde_json::json;
use support::{act, bash, call, pipeline, rule, rules, run, short};
use tollgate_core::{Act, Body, Event, Point};

#[test]
fn conditions_of_calls() {
    for (conditions, call, expected) in [
        ("tool = 'exec'", bash("ls"), true),
        ("tool = 'Bash'", bash("ls"), true),
        ("tool = 'BASH '", bash("ls"), true),
        ("tool = 'web_*'", call("Web_Search", json!({})), true),
        ("tool = { regex = '^(read|write)$' }", call("Write", json!({})), true),
        ("tool = ['a', 'exec']", bash("ls"), true),
        ("tool = 'read'", bash("ls"), false),
        ("tool = '*'", call("anything", json!(null)), true),
        ("kind = 'exec'", call("run_shell_command", json!({})), true),
        ("kind = ['read', 'web']", call("webfetch", json!({})), true),
        ("kind = 'mcp'", call("mcp__github__create_issue", json!({})), true),
        ("kind = 'exec'", call("order_pizza", json!({})), false),
        ("arg.command = { contains = 'prod' }", bash("psql prod"), true),
        ("arg.command = { contains = 'prod' }", bash("psql dev"), false),
        ("arg.command = 'psql *'", bash("psql dev"), true),
        ("arg.options.force = true", call("x", json!({"options": {"force": true}})), true),
        ("arg.options.force = true", call("x", json!({"options": {"force": false}})), false),
        ("arg.amount = { min = 100 }", call("x", json!({"amount": 100})), true),
        ("arg.files.path = { suffix = '.pem' }", call("x", json!({"files": [{"path": "a"}, {"path": "b.pem"}]})), true),
        ("arg.draft = { exists = false }", call("x", json!({})), true),
        ("text = { regex = '(?i)password' }", call("x", json!({"deep": [{"er": "my Password"}]})), true),
        ("text = { regex = '(?i)password' }", call("x", json!({"password": "none"})), false),
        ("text = 'a'", call("x", json!({"k": "a"})), true),
        ("tool = 'x'\nnot = { arg.draft = true }", call("x", json!({"draft": true})), false),
        ("tool = 'x'\nnot = { arg.draft = true }", call("x", json!({})), true),
        ("tool = 'x'\nnot = [{ arg.a = 1 }, { arg.b = 1 }]", call("x", json!({"b": 1})), false),
        ("any = [{ arg.a = 1 }, { arg.b = 1 }]", call("x", json!({"b": 1})), true),
        ("any = [{ arg.a = 1 }, { arg.b = 1 }]", call("x", json!({"b": 2})), false),
        ("all = [{ arg.a = 1 }, { arg.b = 1 }]", call("x", json!({"a": 1, "b": 1})), true),
        ("all = [{ arg.a = 1 }, { arg.b = 1 }]", call("x", json!({"b": 1})), false),
        ("agent = 'main'", bash("ls"), false),
        ("tool = 'exec'\nwhen = \"args.command == 'ls'\"", bash("ls"), true),
        ("tool = 'exec'\nwhen = \"args.command == 'ls'\"", bash("pwd"), false),
        ("when = \"tool == 'exec' && args.command.matches('^l')\"", bash("ls"), true),
        ("secret = true", call("x", json!({"a": "token ghp_x7Kq2LmZ9vRt4WbN8yHc3JdF6sGp1QaUe5To"})), true),
        ("secret = true", call("x", json!({"a": "nothing"})), false),
        ("tool = 'x'\nsecret = false", call("x", json!({"a": "nothing"})), true),
    ] {
        let set = rule(&format!("{conditions}\ndeny = 'no'"));
        let expected = if expected { "deny r: no" } else { "pass" };
        assert_eq!(act(&set, &call), expected, "{conditions} {} {}", call.tool, call.args);
    }
}

#[test]
fn facts_and_headers() {
    let names = tollgate_wire::names();
    let name = names.name("x");
    let facts = Event {
        agent: Some("claude-code"),
        session: Some("s-1"),
        server: Some("github"),
        model: Some("gpt-5"),
        surface: Some("hook"),
        principal: Some("ann"),
        ..Event::tool(Point::ToolBefore, &name, "c")
    };
    let request = Event { name: None, point: Point::ModelRequest, ..facts };
    for (conditions, event, expected) in [
        ("agent = 'claude-*'", facts, true),
        ("session = { prefix = 's-' }", facts, true),
        ("server = 'github'\nkind = 'mcp'", facts, true),
        ("model = ['gpt-5', 'o9']", facts, true),
        ("surface = 'gateway'", facts, false),
        ("principal = 'ann'", facts, true),
        ("on = 'model.request'\nheader.x-team = 'pay*'", request, true),
        ("on = 'model.request'\nheader.X-TEAM = 'payments'", request, true),
        ("on = 'model.request'\nheader.x-other = '*'", request, false),
        ("on = 'model.request'\narg.model = 'gpt-5'", request, true),
        ("on = ['model.request', 'prompt.submit']\ntool = '*'", request, true),
    ] {
        let set = rule(&format!("{conditions}\ndeny = 'no'"));
        let mut body = Body::from(json!({"model": "gpt-5"}));
        body.headers_mut().append("X-Team", "payments");
        let outcome = pipeline(&set, None).run_now(&event, &mut body);
        assert_eq!(matches!(outcome.act, Act::Deny(_)), expected, "{conditions}");
    }
}

#[test]
fn what_is_decided() {
    for (text, expected) in [
        ("[[rule]]\nid = 'a'\ntool = '*'\ndeny = 'no.'\nsuggest = 'use b'", "deny a: no. Instead: use b"),
        ("[[rule]]\nid = 'a'\ntool = '*'\nask = 'sure?'", "ask a: sure?"),
        ("[[rule]]\nid = 'a'\ntool = '*'\nroute = { provider = 'p' }", "route p"),
        ("[[rule]]\nid = 'a'\ntool = '*'\nlog = 'seen'", "pass"),
        ("[[rule]]\nid = 'a'\ntool = '*'\ndeny = 'no'\nmode = 'observe'", "pass"),
        // A refusal beats a question, whatever the order.
        ("[[rule]]\nid = 'a'\ntool = '*'\nask = 'sure?'\n[[rule]]\nid = 'b'\ntool = '*'\ndeny = 'no'", "deny b: no"),
        // The first refusal is named: by priority, then by order.
        ("[[rule]]\nid = 'a'\ntool = '*'\ndeny = '1'\n[[rule]]\nid = 'b'\ntool = '*'\ndeny = '2'", "deny a: 1"),
        (
            "[[rule]]\nid = 'a'\ntool = '*'\ndeny = '1'\n[[rule]]\nid = 'b'\ntool = '*'\ndeny = '2'\npriority = 1",
            "deny b: 2",
        ),
        // Questions join into one, and a question and a detour can both stand.
        (
            "[[rule]]\nid = 'a'\ntool = '*'\nask = '1?'\n[[rule]]\nid = 'b'\ntool = '*'\nask = '2?'",
            "ask a: 1? (and 1 more)",
        ),
        (
            "[[rule]]\nid = 'a'\ntool = '*'\nask = '1?'\n[[rule]]\nid = 'b'\ntool = '*'\nroute = { provider = 'p' }",
            "ask a: 1? then p",
        ),
        // A call cannot be at two places.
        (
            "[[rule]]\nid = 'a'\ntool = '*'\nroute = { provider = 'p' }\n[[rule]]\nid = 'b'\ntool = '*'\nroute = { provider = 'p' }",
            "route p",
        ),
        (
            "[[rule]]\nid = 'a'\ntool = '*'\nroute = { provider = 'p' }\n[[rule]]\nid = 'b'\ntool = '*'\nroute = { provider = 'q' }",
            "deny a: sends it to `p`, and b to `q`, and not in the same way",
        ),
    ] {
        assert_eq!(act(&rules(text), &bash("ls")), expected, "{text}");
    }
}

#[test]
fn joined_questions_name_everybody_and_close_with_the_first() {
    let set = rules(
        r#"
        [[rule]]
        id = "a"
        tool = "*"
        ask = { title = "Deploy?", detail = "It is Friday.", timeout = "10m" }
        suggest = "wait"
        [[rule]]
        id = "b"
        tool = "*"
        ask = { title = "Pay?", timeout = "2m" }
        "#,
    );
    let (act, _) = run(&pipeline(&set, None), &bash("ls"));
    let Act::Ask(question) = act else { panic!("{}", short(act)) };
    let (by, query) = &question.parts[0];
    assert_eq!((&**by, query.timeout), ("rules", Some(std::time::Duration::from_secs(120))));
    assert_eq!(query.detail, "a: Deploy?\nIt is Friday.\nwait\n\nb: Pay?");
    assert_eq!(query.data, json!({"rules": ["a", "b"]}));
}

#[test]
fn a_rule_that_cannot_tell_refuses_unless_it_says_otherwise() {
    for (decision, expected) in [
        ("deny = 'no'", "deny r: it could not be judged (crash: the expression failed: there is no `missing`)"),
        ("ask = 'sure?'", "deny r: it could not be judged (crash: the expression failed: there is no `missing`)"),
        ("deny = 'no'\non_fault = 'pass'", "pass"),
        ("log = 'seen'", "pass"),
        (
            "log = 'seen'\non_fault = 'deny'",
            "deny r: it could not be judged (crash: the expression failed: there is no `missing`)",
        ),
        ("deny = 'no'\nmode = 'observe'", "pass"),
    ] {
        let set = rule(&format!("when = 'args.missing > 1'\n{decision}"));
        assert_eq!(act(&set, &bash("ls")), expected, "{decision}");
    }
    let edit = rule("when = 'args.missing > 1'\nrewrite = [{ remove = ['a'] }]");
    assert!(act(&edit, &bash("ls")).starts_with("deny `r` could not judge this (crash: the expression failed"));
    let edit = rule("when = 'args.missing > 1'\nrewrite = [{ remove = ['command'] }]\non_fault = 'pass'");
    assert_eq!(act(&edit, &bash("ls")), "pass");
}

#[test]
fn guards_see_what_edits_wrote() {
    let set = rules(
        r#"
        [[rule]]
        id = "judge"
        tool = "x"
        arg.path = { prefix = "/sandbox/" }
        deny = "judged"
        priority = 100
        [[rule]]
        id = "write"
        tool = "x"
        rewrite = [{ prefix_path = { path = "/sandbox" } }]
        "#,
    );
    assert_eq!(act(&set, &call("x", json!({"path": "a"}))), "deny judge: judged");
}

#[test]
fn arguments_stay_known_after_the_call() {
    let set = rule("on = 'tool.after'\narg.path = { suffix = '.env' }\ndeny = 'no'");
    let names = tollgate_wire::names();
    let name = names.name("read");
    for (path, expected) in [("a/.env", true), ("a/b", false)] {
        let arguments = Body::from(json!({"path": path}));
        let event = Event { arguments: Some(&arguments), ..Event::tool(Point::ToolAfter, &name, "c") };
        let outcome = pipeline(&set, None).run_now(&event, &mut Body::from(json!({"content": "text"})));
        assert_eq!(matches!(outcome.act, Act::Deny(_)), expected, "{path}");
    }
}

#[test]
fn a_document_that_nobody_asks_about_is_not_read() {
    let set = rules("[[rule]]\nid = 'a'\ntool = 'x'\ndeny = 'no'\n[[rule]]\nid = 'b'\ntool = 'y'\nlog = 'seen'");
    let pipeline = pipeline(&set, None);
    let name = pipeline.name("z");
    let event = Event::tool(Point::ToolBefore, &name, "c");
    let mut body = Body::from_bytes("this is no JSON".as_bytes(), tollgate_wire::read);
    assert!(matches!(pipeline.run_now(&event, &mut body).act, Act::Pass));
}

//! Conditions on what the surface and earlier points know: own facts, labels, the attempt, the end, the approval.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::time::Duration;

use expect_test::expect;
use serde_json::json;
use support::{lines, pipeline, rule, try_rules};
use tollgate_core::{Act, Approval, Body, Digest, Ended, Event, Point};

/// Whether a rule with these conditions refuses the event.
fn refuses(conditions: &str, event: &Event<'_>) -> bool {
    let set = rule(&format!("{conditions}\ndeny = 'no'"));
    let outcome = pipeline(&set, None).run_now(event, &mut Body::from(json!({"model": "m"})));
    match outcome.act {
        Act::Pass => false,
        Act::Deny(ruling) if ruling.reason.starts_with("r: ") => true,
        act => panic!("{conditions}: {act:?}"),
    }
}

#[test]
fn facts_of_the_run() {
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let labels: Vec<(String, String)> =
        [("taint", "web"), ("taint", "none"), ("ticket", "T-12")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    let yes = Approval { digest: Digest([0; 32]), granted: true, by: "ann".into(), at: Duration::ZERO };
    let no = Approval { granted: false, ..yes.clone() };
    let own = [("client", "ide"), ("client", "other"), ("dotted.name", "x")];
    let call = Event { own: &own, labels: &labels, ..Event::tool(Point::ToolBefore, &name, "c") };
    let after = Event { point: Point::ToolAfter, ended: Some(Ended::Canceled), approval: Some(&yes), ..call };
    let refused = Event { ended: Some(Ended::Denied), approval: Some(&no), ..after };
    let third = Event { name: None, attempt: 3, ..Event { point: Point::ModelDispatch, ..call } };
    let first = Event { attempt: 1, ..third };
    for (conditions, event, expected) in [
        ("own.client = 'ide'", call, true),
        ("own.client = { prefix = 'i' }\nown.'dotted.name' = 'x'", call, true),
        ("own.client = 'other'", call, false),
        ("own.transport = '*'", call, false),
        ("tool = 'exec'\nnot = { own.transport = '*' }", call, true),
        ("label.ticket = 'T-*'", call, true),
        ("label.taint = 'web'", call, true),
        ("label.taint = 'none'", call, true),
        ("label.client = 'ide'", call, false),
        ("own.ticket = 'T-12'", call, false),
        ("on = 'model.dispatch'\nattempt = 3", third, true),
        ("on = 'model.dispatch'\nattempt = { min = 2 }", third, true),
        ("on = 'model.dispatch'\nattempt = { min = 1, max = 2 }", third, false),
        ("on = 'model.dispatch'\nattempt = { min = 2 }", first, false),
        ("on = 'tool.after'\nended = 'canceled'", after, true),
        ("on = 'tool.after'\nended = ['ok', 'error']", after, false),
        ("on = 'tool.after'\napproved = true", after, true),
        ("on = 'tool.after'\napproved = false", after, false),
        ("on = 'tool.after'\napproved = true", refused, false),
        ("on = 'tool.after'\napproved = false\nended = 'denied'", refused, true),
        ("on = 'tool.after'\napproved = false", Event { approval: None, ..after }, true),
        ("when = 'own.client == \"ide\"'", call, true),
        ("when = 'has(own.transport)'", call, false),
        ("when = '\"web\" in labels.taint && size(labels.taint) == 2'", call, true),
        ("on = 'model.dispatch'\nwhen = 'attempt > 2'", third, true),
        (
            "on = 'tool.after'\nwhen = 'ended == \"canceled\" && approval.granted && approval.by == \"ann\"'",
            after,
            true,
        ),
        ("when = 'ended == \"\" && !approval.granted && approval.by == \"\" && attempt == 1'", call, true),
    ] {
        assert_eq!(refuses(conditions, &event), expected, "{conditions}");
    }
}

#[test]
fn mistakes_and_examples() {
    let found = |conditions: &str| {
        let found = try_rules(&format!("[[rule]]\nid = 'r'\n{conditions}\ndeny = 'no'")).unwrap_err();
        format!("{}\n", lines(&found))
    };
    let all: String = [
        "ended = 'ok'",
        "on = ['tool.after', 'tool.persist']\nany = [{ approved = true }]",
        "on = 'tool.after'\nended = 'cancelled'",
        "own.client = { regex = '(' }",
        "on = 'model.dispatch'\nattempt = 0",
        "on = 'model.dispatch'\nattempt = { min = 3, max = 2 }",
        "label.a = 'x'\nexamples.match = [{ own = { a = 'x' } }]",
        "on = 'tool.after'\nended = 'ok'\nexamples.match = [{ ended = 'done' }]",
    ]
    .map(found)
    .concat();
    expect![[r#"
        rule.0: `ended` is not known at tool.before (`ended` is known at tool.after and model.complete, `approved` at tool.after)
        rule.0: `approved` is not known at tool.persist (`ended` is known at tool.after and model.complete, `approved` at tool.after)
        rule.0.ended: there is no ending `cancelled` (did you mean `canceled`?)
        rule.0.own.client.regex: this is no regular expression: unclosed group
        rule.0.attempt: this never holds; attempts are counted from 1
        rule.0.attempt: this never holds; attempts are counted from 1
        rule.0.examples.match.0: the rule does not match this example (its tool is `exec` and it has no effects that are known)
        rule.0.examples.match.0.ended: there is no ending `done` (there are ok, error, denied, routed, answered, canceled)
    "#]].assert_eq(&all);
    rule(
        "on = 'tool.after'\nown.a = 'x'\nlabel.b = 'y'\nattempt = 2\nended = 'canceled'\napproved = true\ndeny = 'no'\n\
         examples.match = [{ own = { a = 'x' }, label = { b = 'y' }, attempt = 2, ended = 'canceled', approved = true }]\n\
         examples.pass = ['ls', { own = { a = 'x' }, label = { b = 'y' }, attempt = 2, ended = 'canceled' }]",
    );
}

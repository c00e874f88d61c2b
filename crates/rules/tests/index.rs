//! Finding rules by an index finds what asking them all finds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::{CWD, rules};
use tollgate_core::{Body, Event, Point};
use tollgate_rules::{Finding, Still};

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["prod", "Prod", "dev", "ab", "abc", "x", "rm", "kelvin", "/srv", "b.c"])
        .prop_map(str::to_owned)
}

fn text_matcher() -> impl Strategy<Value = Value> {
    prop_oneof![
        word().prop_map(|word| json!(word)),
        word().prop_map(|word| json!(format!("*{word}*"))),
        word().prop_map(|word| json!({"contains": word})),
        word().prop_map(|word| json!({"contains": word, "ignore_case": true})),
        (word(), word()).prop_map(|(a, b)| json!({"contains": [a, b]})),
        (word(), word()).prop_map(|(a, b)| json!({"prefix": a, "suffix": b})),
        word().prop_map(|word| json!({"regex": format!("(?i){word}")})),
        (word(), word()).prop_map(|(a, b)| json!({"regex": format!("{a}|{b}+")})),
        (word(), word()).prop_map(|(a, b)| json!([a, {"prefix": b}])),
        word().prop_map(|word| json!({"regex": format!("{word}?$"), "ignore_case": true})),
    ]
}

fn tool() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(vec!["exec", "Bash", "read", "write", "tool_1", "tool_*", "*"])
            .prop_map(|tool| json!(tool)),
        Just(json!(["exec", "read"])),
        Just(json!({"regex": "^(tool|exec)"})),
        Just(json!({"prefix": "tool"})),
    ]
}

fn effect() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("delete")),
        Just(json!(["delete", "network"])),
        Just(json!({"kind": "read", "path": "/srv/**"})),
        Just(json!([{"kind": "delete", "path": {"prefix": "/srv"}}, {"kind": "network", "host": "*.com"}])),
        Just(json!({"place": ["outside", "system"]})),
    ]
}

fn path() -> impl Strategy<Value = Value> {
    let paths = vec!["/srv/**", "**/x", "~/.ssh/*", "src/**", "*.pem", "/etc/passwd", "~"];
    prop::sample::select(paths).prop_map(|path| json!(path))
}

fn conditions() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        tool().prop_map(|tool| json!({"tool": tool})),
        text_matcher().prop_map(|matcher| json!({"arg": {"command": matcher}})),
        (tool(), text_matcher()).prop_map(|(tool, matcher)| json!({"tool": tool, "arg": {"o": {"p": matcher}}})),
        text_matcher().prop_map(|matcher| json!({"text": matcher})),
        effect().prop_map(|effect| json!({"effect": effect})),
        (tool(), effect()).prop_map(|(tool, effect)| json!({"tool": tool, "effect": effect})),
        (effect(), path()).prop_map(|(effect, path)| json!({"effect": effect, "path": path})),
        path().prop_map(|path| json!({"path": path})),
        Just(json!({"host": "EXAMPLE.com"})),
        Just(json!({"kind": "exec"})),
        Just(json!({"agent": "a*"})),
        Just(json!({"arg": {"n": {"min": 3}}})),
        Just(json!({"when": "tool == 'exec' || args.?n.orValue(0) > 3"})),
        Just(json!({"when": "args.n > 3"})),
        Just(json!({"when": "args.missing > 3"})),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"all": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({"any": any})),
            (inner.clone(), tool()).prop_map(|(not, tool)| json!({"not": not, "tool": tool})),
            (inner.clone(), inner).prop_map(|(any, all)| json!({"any": [any], "all": [all]})),
        ]
    })
    .boxed()
}

fn call() -> impl Strategy<Value = (String, Value)> {
    let tool = prop::sample::select(vec!["exec", "Bash", "read", "write", "tool_1", "tool_2", "web_fetch", "other"]);
    let argument = prop_oneof![
        (word(), word()).prop_map(|(a, b)| format!("{a} {b}")),
        word(),
        prop::sample::select(vec![
            "rm -rf /srv/x",
            "rm x",
            "cat /etc/passwd",
            "curl https://Example.com/a",
            "cat ~/.ssh/id_rsa",
            "rm src/a",
            "PROD",
            "a \u{212a}elvin",
            "cp a.pem /srv/b",
            "true",
            "rm -rf ~",
        ])
        .prop_map(str::to_owned),
    ];
    (tool, argument, word(), 0..6).prop_map(|(tool, command, other, number)| {
        let arguments = json!({"command": command, "path": other, "url": "https://b.example.com", "n": number, "o": [{"p": other}]});
        (tool.to_owned(), arguments)
    })
}

fn matched(findings: Vec<Finding>) -> Vec<Finding> {
    findings.into_iter().filter(|finding| finding.matched || finding.fault.is_some()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_index_finds_what_asking_everybody_finds(
        all in prop::collection::vec((conditions(), -1..2_i32, prop::bool::ANY), 1..12),
        calls in prop::collection::vec(call(), 1..6),
    ) {
        let mut text = String::new();
        for (number, (conditions, priority, after)) in all.iter().enumerate() {
            let mut rule = conditions.clone();
            rule["id"] = json!(format!("r{number}"));
            rule["deny"] = json!("no");
            rule["priority"] = json!(priority);
            rule["on"] = json!(if *after { "tool.after" } else { "tool.before" });
            text += &toml::to_string(&json!({"rule": [rule]})).unwrap();
        }
        let set = rules(&text);
        let names = tollgate_wire::names();
        for (tool, arguments) in &calls {
            let name = names.name(tool);
            let before = Body::from(arguments.clone());
            let result = Body::from(json!({"content": "prod abc"}));
            let event = Event { cwd: Some(CWD), agent: Some("ab"), ..Event::tool(Point::ToolBefore, &name, "c") };
            let after = Event { arguments: Some(&before), point: Point::ToolAfter, ..event };
            for (event, body) in [(event, &before), (after, &result)] {
                let found = set.findings(&event, body, &Still::shared()).unwrap();
                let plainly = matched(set.all_findings(&event, body, &Still::shared()));
                prop_assert_eq!(&found, &plainly, "{} {} {}", text, tool, arguments);
            }
        }
    }
}

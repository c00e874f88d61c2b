use expect_test::{Expect, expect};
use serde_json::json;
use tollgate_core::{Names, Point};

use super::*;

fn check(before: &Body, after: &Body, expected: Expect) {
    let names = Names::default();
    let name = names.name("Bash");
    let event = Event::tool(Point::ToolBefore, &name, "c-1");
    let changes = Changes::between(&event, before, after);
    let lines: Vec<String> = changes.kept("e", 300).iter().map(Value::to_string).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn documents(before: Value, after: Value, expected: Expect) {
    check(&before.into(), &after.into(), expected);
}

#[test]
fn documents_that_are_alike_have_no_changes() {
    documents(json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 2}]}), expect![""]);
}

#[test]
fn members_and_items() {
    documents(
        json!({"a": 1, "gone": null, "list": [1, {"x": "y"}, 3], "short": [1], "a/b~c": 1}),
        json!({"a": 2, "list": [1, {"x": "z"}, 3], "short": [1, 2], "a/b~c": 2, "new": {"n": 1}}),
        expect![[r#"
            {"who":"e","path":"/a","from":1,"to":2}
            {"who":"e","path":"/gone","from":null}
            {"who":"e","path":"/list/1/x","from":"y","to":"z"}
            {"who":"e","path":"/short","from":[1],"to":[1,2]}
            {"who":"e","path":"/a~1b~0c","from":1,"to":2}
            {"who":"e","path":"/new","to":{"n":1}}"#]],
    );
}

#[test]
fn credentials_are_hidden_in_values_and_in_pointers() {
    documents(
        json!({"command": "curl -u me:q8Zr2LmX0vBn", "password": "hunter2hunter2", "tokens": ["q8Zr2LmX0vBn"], "AKIAQW3RT8ZX51LMNB7K": 1}),
        json!({"command": "curl -u me:x7Yr9KnW4uCm", "password": "gatherer3gatherer3", "tokens": ["none"], "AKIAQW3RT8ZX51LMNB7K": 2}),
        expect![[r#"
            {"who":"e","path":"/command","hidden":true}
            {"who":"e","path":"/password","hidden":true}
            {"who":"e","path":"/tokens/0","from":"[redacted:generic-secret]","to":"none"}
            {"who":"e","path":"/[redacted:aws-access-key-id]","from":1,"to":2}"#]],
    );
}

#[test]
fn a_credential_that_was_taken_out_is_hidden() {
    documents(
        json!({"command": "login --token=q8Zr2LmX0vBn"}),
        json!({"command": "login --token=[redacted:generic-secret]"}),
        expect![[r#"{"who":"e","path":"/command","hidden":true}"#]],
    );
}

#[test]
fn what_differs_behind_the_cut_says_so() {
    let long = "word ".repeat(1000);
    documents(
        json!({"a": format!("{long}x"), "b": long}),
        json!({"a": format!("{long}y"), "b": ""}),
        expect![[r#"
            {"who":"e","path":"/a","cut":true}
            {"who":"e","path":"/b","from":"word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word w… [4764 bytes left out]","to":""}"#]],
    );
}

#[test]
fn there_are_only_so_many() {
    let (before, after) = (json!(vec![1; 70]), json!(vec![2; 70]));
    let (before, after) = (Body::from(before), Body::from(after));
    let changes = Changes::between(&Event::at(Point::ToolBefore), &before, &after);
    assert_eq!((changes.places.len(), changes.more), (MOST_PLACES, 6));
    assert_eq!(changes.kept("e", 300).last(), Some(&json!({"who": "e", "more": 6})));
}

#[test]
fn what_travels_with_the_document() {
    let mut before = Body::from(json!({}));
    before.headers_mut().append("Authorization", "Bearer one");
    before.headers_mut().append("Accept", "text/plain");
    before.label("old", "fact");
    let mut after = before.clone();
    after.headers_mut().set("authorization", "Bearer two");
    after.headers_mut().set("X-New", "1");
    after.rename("Read");
    after.notes.push("for the model".into());
    after.tells.push("for the person".into());
    after.label("api_token", "q8Zr2LmX0vBn");
    after.label("seen", "once");
    after.label("seen", "twice");
    check(
        &before,
        &after,
        expect![[r#"
            {"who":"e","path":"name","from":"Bash","to":"Read"}
            {"who":"e","path":"headers","from":["Authorization"],"to":["X-New","authorization"]}
            {"who":"e","path":"notes","from":[],"to":["for the model","for the person"]}
            {"who":"e","path":"labels","to":{"api_token":"[redacted:generic-secret]","seen":["once","twice"]}}"#]],
    );
}

#[test]
fn documents_that_cannot_be_read() {
    let (bad, good) = (tollgate_wire::body("{"), Body::from(json!({"a": 1})));
    check(&bad, &bad, expect![""]);
    check(&bad, &good, expect![[r#"{"who":"e","path":"","to":{"a":1}}"#]]);
    check(&good, &bad, expect![[r#"{"who":"e","path":"","from":{"a":1}}"#]]);
}

//! What goes into a text comes out again, and nothing else.
#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::{Value, json};
use tollgate_settings::text::{Edited, Made, cut};
use tollgate_settings::{json, toml};

/// Settings as people write them.
const SETTINGS: &[&str] = &[
    "",
    "\n",
    "{}",
    "{ }\n",
    "{\r\n}\r\n",
    "{ // mine\n}\n",
    "{ /* mine */ }\n",
    "{\"model\":\"x\"}",
    "{\"model\":\"x\",\"list\":[]}",
    "\u{feff}{\n  \"model\": \"x\"\n}\n",
    "{\r\n    \"model\": \"x\", // why\r\n    \"env\": { \"A\": \"b\" } // last\r\n}\r\n",
    "{\n  \"list\": [\n    1,\n  ], // kept\n}\n",
    "{\n  \"list\": [ ]\n}\n",
    "{\n  \"list\": [\n    // mine\n    \"theirs\" // yes\n  ],\n  \"other\": [\"x\"]\n}\n",
    "// first\n{\n  /* a */ 'a': { b: [1, 2, 3] }\n  // end\n}\n// last",
];

fn wanted() -> Value {
    json!({"version": 1, "list": ["ours"], "servers": {"gate": {"command": "ours"}}})
}

fn is_ours(part: &Value) -> bool {
    part == "ours"
}

fn taken_out(text: &str, made: &Made) -> String {
    json::remove(text, &is_ours, &["/servers/gate"], made).unwrap().unwrap_or_default()
}

#[test]
fn insertions_come_out_to_the_byte() {
    for before in SETTINGS {
        let Edited { text, ranges, made } = json::add(before, &wanted()).unwrap();
        assert!(json::holds(&json::read(&text).unwrap(), &wanted()), "{before:?}: {text}");
        assert_eq!(cut(&text, &ranges).as_deref(), Some(*before), "{text}");
        // Without the places, by what is recognised: the same, except for blanks where there was nothing else.
        let rest = taken_out(&text, &made);
        assert!(rest == *before || before.trim().is_empty() && rest.is_empty(), "{before:?}: {rest:?}");
    }
}

/// They are read by people afterwards: each file in its own style.
#[test]
fn insertions_look_like_what_is_there() {
    let written =
        |before: &&str| json::add(before, &wanted()).unwrap().text.replace('\r', "\\r").replace('\u{feff}', "BOM");
    let all: Vec<String> = SETTINGS.iter().map(written).collect();
    expect_test::expect_file!["written.txt"].assert_eq(&(all.join("\n--------\n") + "\n"));
}

#[test]
fn a_text_that_was_changed_is_not_cut() {
    for before in SETTINGS {
        let Edited { text, ranges, .. } = json::add(before, &wanted()).unwrap();
        let changed = text.replacen("ours", "none", 1);
        assert_eq!(cut(&changed, &ranges), None, "{changed}");
        assert_eq!(cut("", &ranges), None, "{before:?}");
    }
}

/// A version that was not there stays if somebody else's entries need it now, whatever the container is called.
#[test]
fn what_others_add_to_a_container_keeps_what_stands_beside_it() {
    let edited = json::add("{}\n", &wanted()).unwrap();
    for (theirs, expected) in [
        (json!({}), json!({})),
        (json!({"model": "x"}), json!({"model": "x"})),
        (json!({"list": ["theirs"]}), json!({"version": 1, "list": ["theirs"]})),
        (json!({"servers": {"one": {}}}), json!({"version": 1, "servers": {"one": {}}})),
    ] {
        let both = json::add(&edited.text, &theirs).unwrap().text;
        assert_eq!(json::read(&taken_out(&both, &edited.made)).unwrap(), expected, "{both}");
    }
}

#[test]
fn tables_come_out_to_the_byte() {
    let tables = ["one", "two"].map(|name| toml::Table {
        header: format!("[servers.{name}]"),
        lines: vec!["command = \"ours\"".to_owned(), "args = []".to_owned()],
    });
    let own = |line: &str| ["command = \"ours\"", "args = "].iter().any(|start| line.starts_with(start));
    let removed =
        |text: &str| tables.iter().fold(text.to_owned(), |text, table| toml::remove(&text, &table.header, own));
    for before in
        ["", "model = \"x\"", "model = \"x\"\n", "# a\r\n[a]\r\nb = 1\r\n\r\n", "[servers.theirs]\ncommand = 1\n"]
    {
        let Edited { text, ranges, .. } = toml::add(before, &tables);
        let read = toml::read(&text).unwrap();
        assert_eq!(read["servers"]["two"]["command"].as_str(), Some("ours"), "{text}");
        assert_eq!(cut(&text, &ranges).as_deref(), Some(before), "{text}");
        let ended = if before.is_empty() || before.ends_with('\n') { before.to_owned() } else { format!("{before}\n") };
        assert_eq!(removed(&text), ended, "{text}");
        // Where somebody wrote more into a table, the table stays.
        let more = removed(&format!("{text}env = {{}}\n"));
        let two = toml::read(&more).unwrap()["servers"]["two"].to_string();
        assert_eq!((two.trim(), more.contains("ours")), ("{ env = {} }", false), "{more}");
    }
}

fn removed(text: &str, made: &Made) -> Result<Option<String>, String> {
    json::remove(text, &|part| part == "ours", &[], made)
}

#[test]
fn a_comment_swallows_nothing_when_what_follows_it_goes() {
    for (before, after) in [
        ("[ // mine\n  \"ours\", \"theirs\"]", "[ // mine\n  \"theirs\"]"),
        ("[ // mine\r\n\t\"ours\" ,\t\"theirs\"]", "[ // mine\r\n\t \"theirs\"]"),
        ("[\"theirs\", // mine\n  \"ours\" ]", "[\"theirs\" // mine\n   ]"),
        ("[ // mine\n  \"ours\"]", "[ // mine\n  ]"),
        ("[ // mine\n  \"ours\"\n]", "[ // mine\n]"),
        ("[ // mine\n  \"ours\", // not mine\n  \"theirs\"]", "[ // mine\n  // not mine\n  \"theirs\"]"),
        ("[ /* // mine */\n  \"ours\", \"theirs\"]", "[ /* // mine */ \"theirs\"]"),
        ("[\"ours\" /* mine */ , \"theirs\"]", "[ /* mine */  \"theirs\"]"),
        ("[\"theirs\" /**/ , /* mine */ \"ours\" /* too */]", "[\"theirs\" /**/  /* mine */ /* too */]"),
        ("[\"theirs\", /* mine */ /* // */ \"ours\" /* too */ ]", "[\"theirs\" /* mine */ /* // */ /* too */ ]"),
        ("[\"http://theirs\",\n  \"ours\", \"theirs\"]", "[\"http://theirs\", \"theirs\"]"),
    ] {
        assert_eq!(removed(before, &Made::default()).unwrap().as_deref(), Some(after), "{before}");
    }
    // The line that was begun in an empty list is needed since somebody wrote a comment there.
    let made = Made { tails: vec![("/a".to_owned(), "\n".to_owned())], ..Made::default() };
    let text = removed("{\"a\": [ // mine\n\"ours\"\n]}", &made).unwrap();
    assert_eq!(text.as_deref(), Some("{\"a\": [ // mine\n]}"));
}

//! What whoever runs the program, or wrote the project it runs in, must not get out of it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::io::{PipeWriter, pipe};
use std::process::{Command, Stdio};

use common::Sandbox;
use serde_json::Value;

const TOKEN: &str = "ghp_x7Kq2LmZ9vRt4WbN8yHc3JdF6sGp1QaUe5To";

/// A pipe that nobody reads.
fn closed() -> PipeWriter {
    pipe().unwrap().1
}

#[test]
fn the_status_says_no_also_when_nobody_reads() {
    let sandbox = Sandbox::new();
    sandbox.write("tests/a.toml", "[[case]]\ncommand = 'ls'\nexpect = 'stop'\n");
    for args in [&["explain", "rm -rf /"][..], &["explain", "--json", "rm -rf /"], &["test"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(args).current_dir(sandbox.project()).env_clear().env("HOME", sandbox.project());
        let status = command.stdin(Stdio::null()).stdout(closed()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn whoever_reads_json_gets_json_also_when_it_fails() {
    let good = Sandbox::new();
    let bad = Sandbox::with("mod = 1\n");
    for (sandbox, args) in [
        (&bad, &["explain", "--json", "ls"][..]),
        (&bad, &["explain", "--batch"]),
        (&bad, &["check", "--json"]),
        (&bad, &["check", "--json", "--color", "always"]),
        (&bad, &["test", "--json"]),
        (&bad, &["rules", "list", "--json"]),
        (&bad, &["rules", "show", "--json", "git-safety/rewrite"]),
        (&bad, &["trust", "--json"]),
        (&good, &["trust", "--json"]),
        (&good, &["rules", "show", "--json", "nope"]),
        (&good, &["explain", "--json", "--tool", "x", "--args", "{"]),
        (&good, &["explain", "--json", "--on", "nowhere", "ls"]),
        (&good, &["check", "--json", "--config", "/nowhere"]),
    ] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        let said: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{args:?}: {error}"));
        assert_eq!(said["error"], true, "{args:?}");
        assert!(!ran.out.contains("\\u001b"), "{args:?}: {}", ran.out);
        assert_eq!(said["act"] == "deny", args[0] == "explain", "{args:?}");
    }
}

#[test]
fn a_projects_words_move_no_cursor() {
    let sandbox = Sandbox::with(
        "[[rule]]\nid = \"a\\u001b[31m\"\ntool = 'exec'\ndeny = \"why \\u001b]0;x\\u0007 \\u202e \\u009b2J\"\nsuggest = \"\\u001b[8m\"\n\
         [[rule]]\nid = \"e\\u001b[8m\"\ntool = 'exec'\nrewrite = [{ set = { a = 1 } }]\n\
         [override.\"a\\u001b[31m\"]\nmode = 'observe'\n",
    )
    .keyed();
    sandbox.write("tests/a.toml", "[[case]]\nname = \"\\u001b[2J\"\ncommand = 'ls'\nexpect = \"\\u001b[2J\"\n");
    for args in [
        &["explain", "ls"][..],
        &["explain", "--tool", "x\u{1b}[2J", "--args", "{\"a\": \"\u{9b}2J\u{202e}\"}"],
        &["check"],
        &["test"],
        &["rules", "list"],
        &["rules", "show", "a\u{1b}[31m"],
        &["trust"],
    ] {
        let ran = sandbox.run(args);
        for letter in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'] {
            assert!(!ran.out.contains(letter), "{args:?} {letter:?}: {:?}", ran.out);
        }
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    let sandbox = Sandbox::new();
    let twice = r#"{"command": "rm -rf /", "command": "ls"}"#;
    let ran = sandbox.run(&["explain", "--json", "--tool", "exec", "--args", twice]);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &said["act"]), (Some(1), &"deny".into()), "{said}");
    let line = format!(r#"{{"tool": "exec", "args": {twice}}}"#);
    let ran = sandbox.run_with(&["explain", "--batch"], &line);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &said["act"]), (Some(2), &"deny".into()), "{said}");
}

#[test]
fn a_terminal_shows_no_credentials() {
    let sandbox = Sandbox::new();
    let command = format!("curl -H 'X: {TOKEN}' https://e.org && rm -rf /etc/{TOKEN}");
    for args in [&["explain", command.as_str()][..], &["explain", "--all", &command], &["explain", "--json", &command]]
    {
        let ran = sandbox.run(args);
        assert!(ran.out.contains("[redacted:") && !ran.out.contains("x7Kq2L"), "{}", ran.out);
    }
}

#[test]
fn a_relative_folder_is_relative_to_here() {
    let sandbox = Sandbox::new();
    let explain = |cwd: &str| {
        sandbox.run(&["explain", "--json", "--cwd", cwd, "rm -rf ../../../../etc"]).json()["effects"].clone()
    };
    assert_eq!(explain("."), explain(sandbox.project().to_str().unwrap()));
}

#[test]
fn a_damaged_store_of_trust_is_listed_or_refused_and_breaks_nothing() {
    let sandbox = Sandbox::new();
    let entry = r#"{"kind": "config\u001b", "path": "/x", "hash": "é", "date": "2026-01-01"}"#;
    sandbox.write("../home/state/data/trust.json", &format!(r#"{{"version": 1, "entries": [{entry}]}}"#));
    let ran = sandbox.run(&["trust", "--list"]);
    assert!(matches!(ran.code, Some(0 | 2)) && !ran.out.contains('\u{1b}'), "{:?} {}", ran.code, ran.err);
}

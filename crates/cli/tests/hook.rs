//! `tollgate hook`, as agents start it: real documents, real processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod common;

use common::{Ran, Sandbox};
use serde_json::{Value, json};

/// A document that Copilot CLI really sent, about this session and the sandbox's own project.
fn copilot(sandbox: &Sandbox, name: &str, session: &str) -> String {
    let path = format!("{}/../hook/fixtures/copilot/copilot-cli-1.0.102.{name}.json", env!("CARGO_MANIFEST_DIR"));
    let mut doc: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    doc["cwd"] = json!(sandbox.project());
    let key = if doc.get("sessionId").is_some() { "sessionId" } else { "session_id" };
    doc[key] = json!(session);
    doc.to_string()
}

/// The calls that were recorded, by what became of them.
fn calls(sandbox: &Sandbox) -> Vec<String> {
    let log = sandbox.run(&["log", "--json"]);
    let records = log.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let before = records.filter(|record| record["point"] == json!("tool.before"));
    before.map(|record| record["act"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The two hooks that Copilot CLI runs for one call where Tollgate was set up for it and for Claude Code: at once.
fn both(sandbox: &Sandbox, session: &str) -> [Ran; 2] {
    let own = copilot(sandbox, "preToolUse", session);
    let borrowed = copilot(sandbox, "from-dot-claude-settings.PreToolUse", session);
    std::thread::scope(|scope| {
        let own = scope.spawn(|| sandbox.run_with(&["hook", "copilot", "preToolUse"], &own));
        let borrowed = scope.spawn(|| sandbox.run_with(&["hook", "claude-code"], &borrowed));
        [own.join().unwrap(), borrowed.join().unwrap()]
    })
}

const NO_ECHO: &str = "[[rule]]\nid = \"no-echo\"\narg.command = { regex = 'echo' }\ndeny = \"no echo\"\n";

#[test]
fn a_call_judged_twice_is_answered_alike_and_recorded_once() {
    let sandbox = Sandbox::with(NO_ECHO);
    for session in ["s-1", "s-2", "s-3"] {
        let [own, borrowed] = both(&sandbox, session);
        let (own, borrowed) = (own.json(), &borrowed.json()["hookSpecificOutput"]);
        for answer in [&own, borrowed] {
            assert_eq!(answer["permissionDecision"], json!("deny"), "{session}");
            assert_eq!(answer["permissionDecisionReason"], own["permissionDecisionReason"]);
        }
    }
    assert_eq!(calls(&sandbox), ["deny", "deny", "deny"]);
}

#[test]
fn the_same_call_again_is_judged_again() {
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        for ran in both(&sandbox, "s-1") {
            assert_eq!(ran.all(), "[0]\n");
        }
    }
    assert_eq!(calls(&sandbox), ["pass", "pass"]);
    // A policy that has changed since counts at once.
    sandbox.write("tollgate.toml", NO_ECHO);
    let again = sandbox.run_with(&["hook", "copilot", "preToolUse"], &copilot(&sandbox, "preToolUse", "s-1"));
    assert_eq!(again.json()["permissionDecision"], json!("deny"));
    assert_eq!(calls(&sandbox), ["pass", "pass", "deny"]);
}

//! Paths are judged by where they lead, not by how they are written.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use std::os::unix::fs::symlink;

use common::Sandbox;
use serde_json::{Value, json};

/// A path of the project and whether it leads out of it.
const PATHS: [(&str, bool); 8] = [
    ("src/a.rs", false),
    ("same/a.rs", false),
    ("src/../src/new/missing.rs", false),
    ("../../../../../etc/motd", true),
    ("link/motd", true),
    ("src/up/notes.txt", true),
    ("same/up/notes.txt", true),
    ("/etc/motd", true),
];

/// Asks about every path in each of these ways; `out` is what is expected for those that lead out.
#[track_caller]
fn check(policy: &str, calls: fn(&str) -> Vec<Value>, out: &str) {
    let sandbox = Sandbox::with(policy);
    let project = sandbox.project();
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(project.join("src")).unwrap();
    symlink("/etc", project.join("link")).unwrap();
    symlink("/usr/share", project.join("src/up")).unwrap();
    symlink("src", project.join("same")).unwrap();
    let home = project.parent().unwrap().join("home");
    for (path, leads_out) in PATHS {
        for mut call in calls(path) {
            (call["cwd"], call["home"]) = (json!(project), json!(home));
            let ran = sandbox.run_with(&["explain", "--batch"], &format!("{call}\n"));
            assert_eq!(ran.json()["act"], if leads_out { out } else { "pass" }, "{call}: {}", ran.out);
        }
    }
}

fn reads(path: &str) -> Vec<Value> {
    vec![json!({"tool": "read", "args": {"file_path": path}}), json!({"command": format!("cat {path}")})]
}

#[test]
fn a_path_leads_where_it_really_leads() {
    let writes = |path: &str| {
        vec![
            json!({"tool": "write", "args": {"file_path": path, "content": "x"}}),
            json!({"command": format!("echo x > {path}")}),
            json!({"command": format!("rm {path}")}),
        ]
    };
    check("", writes, "deny");
}

/// Compilers, manuals and packages lie outside of every project, so reading there is refused only where somebody
/// wants that.
#[test]
fn reading_outside_passes_unless_a_rule_says_otherwise() {
    check("", reads, "pass");
    let rule = "[[rule]]\nid = 'jail'\neffect = 'read'\nplace = ['outside', 'system']\ndeny = 'stay in the project'\n";
    check(rule, reads, "deny");
}

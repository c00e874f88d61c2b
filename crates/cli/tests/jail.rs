//! Paths are judged by where they lead, not by how they are written.

#![cfg(unix)]

mod common;

use std::os::unix::fs::symlink;

use common::Sandbox;
use serde_json::json;

#[test]
fn a_path_leads_where_it_really_leads() {
    let sandbox = Sandbox::new();
    let project = sandbox.project();
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(project.join("src")).unwrap();
    symlink("/etc", project.join("link")).unwrap();
    symlink("/usr/share", project.join("src/up")).unwrap();
    symlink("src", project.join("same")).unwrap();
    let cwd = project.to_str().unwrap();
    let home = project.parent().unwrap().join("home");
    for (path, act) in [
        ("src/a.rs", "pass"),
        ("same/a.rs", "pass"),
        ("src/../src/new/missing.rs", "pass"),
        ("../../../../../etc/motd", "deny"),
        ("link/motd", "deny"),
        ("src/up/notes.txt", "deny"),
        ("same/up/notes.txt", "deny"),
        ("/etc/motd", "deny"),
    ] {
        for call in [
            json!({"tool": "write", "args": {"file_path": path, "content": "x"}, "cwd": cwd, "home": home}),
            json!({"command": format!("echo x > {path}"), "cwd": cwd, "home": home}),
            json!({"command": format!("rm {path}"), "cwd": cwd, "home": home}),
        ] {
            let ran = sandbox.run_with(&["explain", "--batch"], &format!("{call}\n"));
            assert_eq!(ran.json()["act"], act, "{call}: {}", ran.out);
        }
    }
}

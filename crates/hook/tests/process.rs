//! The program as agents start it: documents in, answers out, and that it ends.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A home with a policy and a project.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, policy: &str) -> Self {
        let place = Self(std::env::temp_dir().join(format!("tollgate-process-{name}-{}", std::process::id())));
        let _ = fs::remove_dir_all(&place.0);
        for folder in ["config/tollgate", "project/sub", "state"] {
            fs::create_dir_all(place.0.join(folder)).unwrap();
        }
        fs::write(place.0.join("config/tollgate/tollgate.toml"), policy).unwrap();
        fs::write(place.project().join("tollgate.toml"), "").unwrap();
        place
    }

    fn project(&self) -> PathBuf {
        self.0.join("project")
    }

    /// Whether a document is refused, by status and answer. A program that does not end is killed, and that is a failure.
    fn answer(&self, args: &[&str], document: &Value) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate-hook"));
        command.args(args).current_dir(self.project()).env_clear().env("PATH", "/usr/bin:/bin");
        command.env("HOME", &self.0).env("XDG_CONFIG_HOME", self.0.join("config"));
        command.env("TOLLGATE_HOME", self.0.join("state")).env("TOLLGATE_TEST_LAST_MS", "300");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(document.to_string().as_bytes()).unwrap();
        let until = Instant::now() + Duration::from_secs(15);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > until {
                child.kill().unwrap();
                panic!("it does not end: {document}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        (child.wait().unwrap().code(), said)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An agent that waits too long for the end runs the tool, whatever was printed.
#[test]
fn an_anchor_that_hangs_does_not_hold_up_the_end() {
    // Nobody ever reads from it, so opening it never ends: as a file on a server that is gone.
    let place = Place::new("anchor", "");
    let fifo = place.0.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let policy = format!("[audit]\nanchor.file = '{}'\n", fifo.display());
    fs::write(place.0.join("config/tollgate/tollgate.toml"), policy).unwrap();
    let input = json!({"command": "rm -rf /"});
    let document = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": place.project(), "tool_name": "Bash", "tool_input": input,
    });
    let (status, said) = place.answer(&["claude-code", "PreToolUse"], &document);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains(r#""permissionDecision":"deny""#), "{said}");
}

fn open_code(project: &Path, args: &Value) -> Value {
    let input = json!({"tool": "bash", "sessionID": "s", "callID": "c"});
    json!({"hook": "tool.execute.before", "input": input, "output": {"args": args}, "cwd": project})
}

/// An agent ignores the names for a folder that it does not know.
#[test]
fn a_folder_that_a_call_names_does_not_hide_where_it_may_run() {
    // With all packs, and with those places only that no agent may change.
    ["", "packs.use = []\n"].into_iter().for_each(judged_there_and_here);
}

fn judged_there_and_here(policy: &str) {
    let place = Place::new("folder", policy);
    let (project, sub) = (place.project(), place.project().join("sub"));
    for (args, refused) in [
        (json!({"command": "echo x > tollgate.toml"}), true),
        (json!({"command": "echo x > tollgate.toml", "cwd": "/srv"}), true),
        (json!({"command": "echo x > tollgate.toml", "cwd": "/srv", "workdir": sub}), true),
        (json!({"command": "echo x > ../tollgate.toml", "workdir": sub}), true),
        (json!({"command": "echo x > ../tollgate.toml", "cwd": "/srv", "workdir": sub}), true),
        (json!({"command": "rm -rf build", "workdir": sub}), false),
        (json!({"command": "rm -rf build && mkdir build && cd build && cmake ..", "workdir": "sub"}), false),
        (json!({"command": "git status; echo x > notes.txt", "workdir": sub, "cwd": project}), false),
    ] {
        let (_, said) = place.answer(&["opencode"], &open_code(&project, &args));
        assert_eq!(said.contains("deny"), refused, "{policy:?} {args}: {said}");
    }
}

/// What happens where nobody says happens where the process is, whose policy counts.
#[test]
fn an_event_without_a_folder_happens_where_the_process_is() {
    let place = Place::new("here", "packs.use = []\n");
    let folders = [json!(null), json!("project"), json!(place.project())];
    for (command, refused) in [("echo x > tollgate.toml", true), ("echo x > notes.txt", false)] {
        for folder in &folders {
            let input = json!({"command": command});
            let mut document = json!({
                "event": "PreToolUse", "matcher_context": "shell", "session_id": "s", "tool_name": "developer__shell",
                "tool_input": input,
            });
            if !folder.is_null() {
                document["working_dir"] = folder.clone();
            }
            let (status, said) = place.answer(&["goose"], &document);
            assert_eq!(status == Some(2), refused, "{command} in {folder}: {said}");
        }
    }
}

//! What the key for automation stands for, and that nobody can make one for what is not theirs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use common::{KEY, Ran, Sandbox};
use serde_json::json;

/// What whoever has no key can do: write files in a folder of their own, and set variables.
struct Attack {
    name: &'static str,
    args: &'static [&'static str],
    /// What is written or linked in the folder, before.
    arrange: fn(own: &Path, home: &Path),
    env: &'static [(&'static str, &'static str)],
    says: &'static str,
}

const PAUSE: &[&str] = &["pause", "10m", "--reason", "r"];
const UNINSTALL: &[&str] = &["uninstall", "--yes"];
const KEY_PLACE: &str = ".local/share/tollgate/automation.sha256";

/// A key that anybody can make.
fn forge(place: PathBuf) {
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, tollgate_config::sha256(KEY.as_bytes())).unwrap();
}

/// `OWN` is the folder of whoever has no key.
const ATTACKS: &[Attack] = &[
    Attack {
        name: "a key in another folder for data",
        args: UNINSTALL,
        arrange: |own, _| forge(own.join("tollgate/automation.sha256")),
        env: &[("XDG_DATA_HOME", "OWN")],
        says: "`XDG_DATA_HOME` leads out of it",
    },
    Attack {
        name: "a key in another folder of ours",
        args: PAUSE,
        arrange: |own, _| forge(own.join("data/automation.sha256")),
        env: &[("TOLLGATE_HOME", "OWN")],
        says: "`TOLLGATE_HOME` leads out of it",
    },
    Attack {
        name: "a key in a folder of ours that lies in the home",
        args: UNINSTALL,
        arrange: |_, home| forge(home.join("scratch/data/automation.sha256")),
        env: &[("TOLLGATE_HOME", "HOME/scratch")],
        says: "there is no key for automation",
    },
    Attack {
        name: "another home, and this state",
        args: PAUSE,
        arrange: |own, _| forge(own.join(KEY_PLACE)),
        env: &[("HOME", "OWN")],
        says: "`TOLLGATE_HOME` leads out of it",
    },
    Attack {
        name: "another home, and these settings",
        args: UNINSTALL,
        arrange: |own, _| forge(own.join(KEY_PLACE)),
        env: &[("HOME", "OWN"), ("TOLLGATE_HOME", ""), ("CLAUDE_CONFIG_DIR", "HOME/.claude")],
        says: "`CLAUDE_CONFIG_DIR` leads out of it",
    },
    Attack {
        name: "another home with a link to this state",
        args: PAUSE,
        arrange: |own, home| {
            forge(own.join(KEY_PLACE));
            fs::create_dir_all(own.join(".local/state")).unwrap();
            fs::create_dir_all(home.join("state/state")).unwrap();
            symlink(home.join("state/state"), own.join(".local/state/tollgate")).unwrap();
        },
        env: &[("HOME", "OWN"), ("TOLLGATE_HOME", "")],
        says: "`/own/.local/state/tollgate` is not there",
    },
    Attack {
        name: "another home with a link to these settings",
        args: UNINSTALL,
        arrange: |own, home| {
            forge(own.join(KEY_PLACE));
            symlink(home.join(".claude"), own.join(".claude")).unwrap();
        },
        env: &[("HOME", "OWN"), ("TOLLGATE_HOME", "")],
        says: "settings.json` is not there",
    },
    Attack {
        name: "another home with a note of these settings",
        args: UNINSTALL,
        arrange: |own, home| {
            forge(own.join(KEY_PLACE));
            fs::create_dir_all(own.join(".claude")).unwrap();
            let data = own.join(".local/share/tollgate/installed.json");
            let noted = fs::read_to_string(home.join("state/data/installed.json")).unwrap();
            fs::write(data, noted).unwrap();
        },
        env: &[("HOME", "OWN"), ("TOLLGATE_HOME", "")],
        says: "settings.json` is not there",
    },
    Attack {
        name: "a home in the project",
        args: PAUSE,
        arrange: |_, home| forge(home.with_file_name("project").join(KEY_PLACE)),
        env: &[("HOME", "PROJECT"), ("TOLLGATE_HOME", "")],
        says: "`HOME` leads into the project",
    },
    Attack {
        name: "the working directory as a home",
        args: PAUSE,
        arrange: |_, home| forge(home.with_file_name("project").join(KEY_PLACE)),
        env: &[("HOME", "/proc/self/cwd"), ("TOLLGATE_HOME", "")],
        says: "`HOME` leads into the project",
    },
];

fn run(sandbox: &Sandbox, args: &[&str], env: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(args);
    command.env("TOLLGATE_KEY", KEY);
    for (name, value) in env {
        let mut value = (*value).to_owned();
        for (short, folder) in [("OWN", "own"), ("HOME", "home"), ("PROJECT", "project")] {
            value = value.replace(short, sandbox.root().join(folder).to_str().unwrap());
        }
        command.env(name, value);
    }
    Ran::of(&command.output().unwrap(), sandbox.root())
}

/// Claude Code is registered, and whoever did it has taken the key along.
fn registered() -> Sandbox {
    let sandbox = Sandbox::new().keyed();
    fs::create_dir_all(sandbox.root().join("home/.claude")).unwrap();
    fs::create_dir_all(sandbox.root().join("own")).unwrap();
    let ran = sandbox.run(&["init", "--yes", "--agent", "claude-code"]);
    assert_eq!(ran.code, Some(0), "{}", ran.all());
    fs::remove_file(sandbox.key_file()).unwrap();
    sandbox
}

#[test]
fn nobody_makes_a_key_for_what_is_not_theirs() {
    for attack in ATTACKS {
        let sandbox = registered();
        let settings = sandbox.root().join("home/.claude/settings.json");
        let before = fs::read_to_string(&settings).unwrap();
        (attack.arrange)(&sandbox.root().join("own"), &sandbox.root().join("home"));
        let ran = run(&sandbox, attack.args, attack.env);
        assert_eq!(ran.code, Some(2), "{}: {}", attack.name, ran.all());
        assert!(ran.err.contains(attack.says), "{}: {}", attack.name, ran.all());
        assert_eq!(fs::read_to_string(&settings).unwrap(), before, "{}", attack.name);
        assert!(!sandbox.root().join("home/state/state/pause.json").exists(), "{}", attack.name);
    }
}

#[test]
fn whoever_has_a_home_of_their_own_changes_that_one() {
    let sandbox = registered();
    let own = sandbox.root().join("own");
    forge(own.join(KEY_PLACE));
    fs::create_dir_all(own.join(".claude")).unwrap();
    let env = [("HOME", "OWN"), ("TOLLGATE_HOME", ""), ("XDG_STATE_HOME", "OWN/state"), ("CODEX_HOME", "")];
    for args in [PAUSE, &["init", "--yes", "--agent", "claude-code"], UNINSTALL] {
        let ran = run(&sandbox, args, &env);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.all());
    }
    assert!(own.join("state/tollgate/pause.json").exists());
    assert!(!sandbox.root().join("home/state/state/pause.json").exists());
    let theirs = fs::read_to_string(sandbox.root().join("home/.claude/settings.json")).unwrap();
    assert!(theirs.contains("hook claude-code"), "{theirs}");
}

#[test]
fn the_key_is_protected_wherever_the_state_is() {
    let sandbox = Sandbox::new();
    sandbox.user_policy("packs.use = []\n");
    for path in [KEY_PLACE, ".local/share/tollgate/x"] {
        let event = json!({
            "session_id": "s", "prompt_id": "p", "hook_event_name": "PreToolUse", "cwd": sandbox.project(),
            "tool_name": "Write", "tool_use_id": path,
            "tool_input": { "file_path": sandbox.root().join("home").join(path), "content": "x" },
        });
        let ran = sandbox.run_with(&["hook", "claude-code"], &event.to_string());
        assert!(ran.out.contains("a human can do that"), "{path}: {}", ran.all());
    }
}

//! Every agent's files: what goes in comes out again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

mod interrupted;
mod kept;
mod written;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::{Expect, expect};
use serde_json::Value;
use tollgate_settings::{Order, json};

use super::agents::{Content, Event, File, Level, SETUPS, Setup, Wanted};
use super::place::Place;
use super::plan::Plan;

const PROGRAM: &str = "/opt/my tools/tollgate";

/// A home and a project nobody else uses.
struct Machine {
    root: PathBuf,
    place: Place,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Machine {
    fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tollgate-setup-{}-{number}", std::process::id());
        let root = std::env::temp_dir().canonicalize().unwrap().join(name);
        let _ = fs::remove_dir_all(&root);
        let (home, project) = (root.join("home"), root.join("project"));
        for folder in [&home, &project] {
            fs::create_dir_all(folder).unwrap();
        }
        Self { root, place: Place { home, project, env: BTreeMap::new() } }
    }

    fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    fn wanted<'a>(&'a self, setup: &'static Setup, level: Level, program: &'a str) -> Wanted<'a> {
        let event = |name: &&'static str| Event { name, tool: !name.contains("rompt"), deny: true };
        let events = events(setup.id).iter().map(event).collect();
        Wanted { setup, place: &self.place, level, program: Path::new(program), events }
    }

    fn files(&self, setup: &'static Setup, level: Level) -> Vec<File> {
        (setup.files)(&self.wanted(setup, level, PROGRAM))
    }

    fn install(&self, setup: &'static Setup, level: Level) -> Result<Plan, Vec<String>> {
        self.install_as(setup, level, PROGRAM)
    }

    fn install_as(&self, setup: &'static Setup, level: Level, program: &str) -> Result<Plan, Vec<String>> {
        let mut plan = Plan::begin(&self.data(), Order::NoteFirst).unwrap();
        let mut problems = Vec::new();
        plan.install_files(&self.wanted(setup, level, program), &mut problems);
        if problems.is_empty() { Ok(plan) } else { Err(problems) }
    }

    fn removal(&self, setup: &'static Setup) -> Plan {
        Plan::removal(&self.place, &self.data(), &[setup], Path::new(PROGRAM)).unwrap()
    }

    /// Every file and folder, with what it holds.
    fn tree(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.place.home.clone(), self.place.project.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = entry.strip_prefix(&self.root).unwrap().display().to_string();
                let text = fs::read_to_string(&entry).unwrap_or_default();
                found.insert(name, text);
                if entry.is_dir() {
                    folders.push(entry);
                }
            }
        }
        found
    }

    /// Every file, with what it holds.
    fn texts(&self) -> BTreeMap<String, String> {
        self.tree().into_iter().filter(|(name, _)| self.root.join(name).is_file()).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn events(agent: &str) -> &'static [&'static str] {
    match agent {
        "gemini-cli" => &["BeforeTool", "AfterTool", "BeforeAgent"],
        "copilot" => &["preToolUse", "postToolUse", "UserPromptSubmit"],
        "cursor" => &["preToolUse", "beforeShellExecution", "beforeSubmitPrompt"],
        "windsurf" => &["pre_run_command", "pre_user_prompt"],
        "cline" => &["tool_call", "PostToolUse"],
        "kiro" => &["preToolUse", "userPromptSubmit"],
        _ => &["PreToolUse", "PostToolUse", "UserPromptSubmit"],
    }
}

/// Settings as people write them. `EVENT` is an event of the agent.
const SETTINGS: &[&str] = &[
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "{ // mine\n}\n",
    "{ /* mine */ }\n",
    "{\n  // nothing yet\n}\n",
    "{\"model\":\"x\"}",
    "{\"model\":\"x\",\"hooks\":{}}",
    "{ \"model\": \"x\" }\n",
    "\u{feff}{\n  \"model\": \"x\"\n}\n",
    "{\n\t\"model\": \"x\"\n}",
    "{\r\n    \"model\": \"x\", // why\r\n    \"env\": { \"A\": \"b\" } // last\r\n}\r\n",
    "{\n  \"model\": \"x\", /* one */ /* two */\n  \"list\": [\n    1,\n  ], // kept\n}\n",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"EVENT\": []\n  },\n  \"model\": \"x\"\n}\n",
    "{\n  \"hooks\": {\n    \"EVENT\": [ ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"EVENT\": [\n      // mine\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] } // yes\n    ],\n    \"Other\": [{\"command\": \"x\"}]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"EVENT\": [{\"command\": \"mine\"}]}}\n",
    "// first\n{\n  /* a */ \"a\": { \"b\": [1, 2, 3] }\n  // end\n}\n// last",
];

fn each(mut check: impl FnMut(&'static Setup, Level)) {
    for (index, setup) in SETUPS.iter().enumerate() {
        // The project's files have the same forms; a second one of each shows that.
        check(setup, Level::User);
        if index % 4 == 0 {
            check(setup, Level::Project);
        }
    }
}

/// The agents that have a file for us alone, and none that others write to as well.
const OWN: &[&str] = &["copilot", "cline", "opencode", "kiro", "goose"];

/// The file of an agent that others write to as well, unless it is one of those without.
fn shared(machine: &Machine, setup: &'static Setup, level: Level) -> Option<PathBuf> {
    let files = machine.files(setup, level);
    let path = files.into_iter().find(|file| matches!(file.content, Content::Entries(..))).map(|file| file.path);
    assert_eq!(path.is_none(), OWN.contains(&setup.id), "{}", setup.id);
    path
}

fn setup(id: &str) -> &'static Setup {
    SETUPS.iter().find(|setup| setup.id == id).unwrap()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn settings(setup: &Setup) -> impl Iterator<Item = String> {
    SETTINGS.iter().map(|text| text.replace("EVENT", events(setup.id)[0]))
}

#[test]
fn where_there_was_nothing_there_is_nothing_afterwards() {
    each(|setup, level| {
        let machine = Machine::new();
        let before = machine.tree();
        machine.install(setup, level).unwrap().write().unwrap();
        assert_ne!(machine.tree(), before, "{}", setup.id);
        let again = machine.install(setup, level).unwrap();
        assert!(again.is_empty(), "{}: {:?}", setup.id, again.changes());
        let removal = machine.removal(setup);
        assert_eq!(removal.left(), [], "{}", setup.id);
        removal.write().unwrap();
        assert_eq!(machine.tree(), before, "{}", setup.id);
        assert!(!machine.data().join("installed.json").exists());
        assert!(machine.removal(setup).is_empty(), "{}", setup.id);
    });
}

#[test]
fn settings_are_byte_for_byte_as_they_were() {
    each(|setup, level| {
        for text in settings(setup) {
            let machine = Machine::new();
            let Some(path) = shared(&machine, setup, level) else { return };
            put(&path, &text);
            let before = machine.tree();
            let plan = machine.install(setup, level).unwrap_or_else(|wrong| panic!("{} {text:?}: {wrong:?}", setup.id));
            plan.write().unwrap();
            let after = fs::read_to_string(&path).unwrap();
            assert!(json::read(&after).is_ok(), "{} {text:?}: {after}", setup.id);
            assert!(machine.install(setup, level).unwrap().is_empty(), "{} {text:?}: {after}", setup.id);
            machine.removal(setup).write().unwrap();
            assert_eq!(machine.tree(), before, "{} {text:?}: {after}", setup.id);
        }
    });
}

#[test]
fn what_the_user_changes_meanwhile_stays() {
    each(|setup, level| {
        for text in settings(setup) {
            let machine = Machine::new();
            let Some(path) = shared(&machine, setup, level) else { return };
            put(&path, &text);
            machine.install(setup, level).unwrap().write().unwrap();
            let installed = fs::read_to_string(&path).unwrap();
            // At the beginning, where it concerns none of our lines; and a comment at the very end.
            let edit = |text: &str| text.replacen('{', "{ \"zzz\": 1, ", 1) + "\n// end";
            put(&path, &edit(&installed));
            assert!(machine.install(setup, level).unwrap().is_empty(), "{} {text:?}: {installed}", setup.id);
            machine.removal(setup).write().unwrap();
            let after = fs::read_to_string(&path).unwrap();
            let root = json::read(&text).unwrap();
            let shown = format!("{} {text:?}: {after}", setup.id);
            if root.as_object().is_some_and(|root| !root.is_empty()) {
                assert_eq!(after, edit(&text), "{shown}");
            } else {
                // An empty object with a comma at its end is not how anybody would have written that.
                assert_eq!(json::read(&after).unwrap(), serde_json::json!({"zzz": 1}), "{shown}");
            }
        }
    });
}

#[test]
fn hooks_that_the_user_adds_beside_ours_stay() {
    each(|setup, level| {
        for text in settings(setup) {
            let machine = Machine::new();
            let Some(path) = shared(&machine, setup, level) else { return };
            put(&path, &text);
            machine.install(setup, level).unwrap().write().unwrap();
            let installed = fs::read_to_string(&path).unwrap();
            let theirs = serde_json::json!({"hooks": {events(setup.id)[0]: [{"hooks": [{"command": "theirs"}]}]}});
            put(&path, &json::add(&installed, &theirs).unwrap().text);
            machine.removal(setup).write().unwrap();
            let after = json::read(&fs::read_to_string(&path).unwrap()).unwrap();
            let expected = match json::read(&text).unwrap() {
                Value::Null => theirs,
                _ => json::read(&json::add(&text, &theirs).unwrap().text).unwrap(),
            };
            let mut after = after;
            // A version that was not there stays if somebody else's hooks need it now.
            if expected.get("version").is_none() && !text.contains("hooks") {
                let _ = after.as_object_mut().unwrap().remove("version");
            }
            assert_eq!(after, expected, "{} {text:?}", setup.id);
        }
    });
}

#[test]
fn without_a_note_entries_are_known_by_their_command() {
    each(|setup, level| {
        let machine = Machine::new();
        let Some(path) = shared(&machine, setup, level) else { return };
        put(&path, "{\"model\": \"x\"}\n");
        machine.install(setup, level).unwrap().write().unwrap();
        fs::remove_dir_all(machine.data()).unwrap();
        machine.removal(setup).write().unwrap();
        let after = fs::read_to_string(&path).unwrap();
        assert!(!after.contains("tollgate"), "{}: {after}", setup.id);
        assert_eq!(json::read(&after).unwrap()["model"], "x", "{after}");
    });
}

#[test]
fn an_outdated_registration_is_updated() {
    each(|setup, level| {
        let machine = Machine::new();
        machine.install(setup, level).unwrap().write().unwrap();
        let fresh = machine.tree();
        for (path, text) in &fresh {
            let path = machine.root.join(path);
            if path.is_file() && path.extension().is_none_or(|kind| kind != "toml") {
                fs::write(path, text.replace("/opt/my tools/", "/old tools/")).unwrap();
            }
        }
        machine.install(setup, level).unwrap().write().unwrap();
        assert_eq!(machine.tree(), fresh, "{}", setup.id);
    });
}

#[test]
fn what_cannot_be_read_is_refused_and_left_alone() {
    fn check(setup: &'static Setup, text: &str, expected: Expect) {
        let machine = Machine::new();
        let path = shared(&machine, setup, Level::User).unwrap();
        put(&path, text);
        let before = machine.tree();
        let problems = machine.install(setup, Level::User).unwrap_err();
        let shown = problems.join("\n").replace(machine.root.to_str().unwrap(), "");
        expected.assert_eq(&shown);
        assert_eq!(machine.tree(), before);
    }
    let claude = &SETUPS[0];
    check(
        claude,
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        expect![
            "Claude Code: `/home/.claude/settings.json`: line 2, column 9: Expected comma; mend the file, or leave this agent out with `--agent`"
        ],
    );
    check(
        claude,
        "{\n  \"hooks\": []\n}",
        expect![[
            "Claude Code: `/home/.claude/settings.json`: line 2: `hooks` is not an object; mend the file, or leave this agent out with `--agent`"
        ]],
    );
    check(
        claude,
        "{\"hooks\": {}, \"hooks\": {}}",
        expect![[
            "Claude Code: `/home/.claude/settings.json`: `hooks` is there twice; keep one of the two; mend the file, or leave this agent out with `--agent`"
        ]],
    );
    check(
        claude,
        "[]",
        expect![[
            "Claude Code: `/home/.claude/settings.json`: line 1: the document is not an object; mend the file, or leave this agent out with `--agent`"
        ]],
    );
}

#[test]
fn a_foreign_script_is_not_written_over() {
    let machine = Machine::new();
    let cline = setup("cline");
    let path = machine.place.home.join(".cline/hooks/PreToolUse");
    put(&path, "#!/bin/sh\nmine\n");
    let problems = machine.install(cline, Level::User).unwrap_err();
    assert!(problems[0].contains("somebody else's file is in the way"), "{problems:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "#!/bin/sh\nmine\n");
}

#[test]
fn a_failure_in_the_middle_undoes_what_was_done() {
    let machine = Machine::new();
    let claude = &SETUPS[0];
    let path = shared(&machine, claude, Level::User).unwrap();
    put(&path, "{}\n");
    let plan = machine.install(claude, Level::User).unwrap();
    put(&path, "{ }\n");
    let before = machine.tree();
    let problem = plan.write().unwrap_err();
    assert!(problem.contains("was changed by somebody else just now"), "{problem}");
    assert!(problem.ends_with("nothing was changed"), "{problem}");
    assert_eq!(machine.tree(), before);
    assert!(!machine.data().exists(), "the folder that was made for the note is gone again");
}

#[test]
fn modes_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let machine = Machine::new();
    let claude = &SETUPS[0];
    let (real, path) = (machine.place.home.join("dotfiles.json"), machine.place.home.join(".claude/settings.json"));
    put(&real, "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&real, &path).unwrap();
    machine.install(claude, Level::User).unwrap().write().unwrap();
    assert!(path.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("tollgate"));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let note = machine.data().join("installed.json");
    assert_eq!(note.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    machine.removal(claude).write().unwrap();
    assert!(path.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
}

#[test]
fn the_note_holds_nothing_of_the_settings() {
    let machine = Machine::new();
    let claude = &SETUPS[0];
    let path = shared(&machine, claude, Level::User).unwrap();
    put(&path, "{\n  \"env\": { \"KEY\": \"very-secret\" } // also secret\n}\n");
    machine.install(claude, Level::User).unwrap().write().unwrap();
    let note = fs::read_to_string(machine.data().join("installed.json")).unwrap();
    assert!(!note.contains("secret") && !note.contains("KEY"), "{note}");
}

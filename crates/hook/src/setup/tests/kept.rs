//! What people wrote where Tollgate writes, too, stays theirs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tollgate_settings::json;

use super::{Machine, PROGRAM, each, put, setup, shared};
use crate::setup::agents::Level;
use crate::setup::command::is_ours;
use crate::setup::trust;

const MOVED: &str = "/opt/other/tollgate-hook";

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}: {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// A file as a document, whichever way it is written.
fn document(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    match path.extension().is_some_and(|kind| kind == "toml") {
        true => serde_json::to_value(trust::read(&text).unwrap()).unwrap(),
        false => json::read(&text).unwrap(),
    }
}

#[test]
fn a_file_that_we_made_stays_if_others_wrote_into_it() {
    let cases = [
        ("codex", ".codex/config.toml", "[hooks", "model = \"x\"\n[hooks", json!({"model": "x"})),
        ("codex", ".codex/hooks.json", "{", "{\"mine\": 1,", json!({"mine": 1})),
        ("claude-code", ".claude/settings.json", "{", "{ \"model\": \"x\",", json!({"model": "x"})),
        ("cursor", ".cursor/hooks.json", "{", "{ // mine\n\"a\": [],", json!({"a": []})),
    ];
    for (id, file, from, to, expected) in cases {
        for programs in [&[PROGRAM][..], &[PROGRAM, MOVED], &[PROGRAM, MOVED, PROGRAM]] {
            let machine = Machine::new();
            let path = machine.place.home.join(file);
            for (index, program) in programs.iter().enumerate() {
                machine.install_as(setup(id), Level::User, program).unwrap().write().unwrap();
                if index == 0 {
                    edit(&path, from, to);
                }
            }
            let key = expected.as_object().unwrap().keys().next().unwrap();
            assert_eq!(document(&path)[key], expected[key], "{file} {programs:?}");
            machine.removal(setup(id)).write().unwrap();
            assert_eq!(document(&path), expected, "{file} {programs:?}");
        }
    }
}

#[test]
fn a_file_that_we_made_and_changed_goes_if_nobody_wrote_into_it() {
    each(|setup, level| {
        let machine = Machine::new();
        let before = machine.tree();
        // Of two that share a file, as the trust of Codex does, the one that made it comes out first.
        for (level, program) in [(level, PROGRAM), (Level::Project, PROGRAM), (level, MOVED)] {
            machine.install_as(setup, level, program).unwrap().write().unwrap();
        }
        machine.removal(setup).write().unwrap();
        assert_eq!(machine.tree(), before, "{}", setup.id);
    });
}

#[test]
fn a_file_that_somebody_made_in_the_place_of_ours_stays() {
    let machine = Machine::new();
    let claude = setup("claude-code");
    machine.install(claude, Level::User).unwrap().write().unwrap();
    let path = shared(&machine, claude, Level::User).unwrap();
    put(&path, "{}\n");
    let before = machine.tree();
    machine.install(claude, Level::User).unwrap().write().unwrap();
    machine.removal(claude).write().unwrap();
    assert_eq!(machine.tree(), before);
}

/// Files of our own that somebody wrote into, by what stands there instead of what we wrote.
const CHANGED: &[(&str, &str, &str, &str)] = &[
    ("cline", ".cline/hooks/PreToolUse", "exec", "mine\nexec"),
    ("cline", ".cline/hooks/PreToolUse", "exec ", ""),
    ("cline", ".cline/hooks/PreToolUse", "#!/bin/sh\n", "#!/bin/sh\n# mine\n"),
    ("cline", ".cline/hooks/PreToolUse", "#!/bin/sh\n", "#!/bin/bash\n"),
    ("copilot", ".copilot/hooks/tollgate.json", "\"version\": 1", "\"version\": 1, \"mine\": 1"),
    ("opencode", ".config/opencode/plugins/tollgate.js", "const PROGRAM", "mine();\nconst PROGRAM"),
    ("goose", ".agents/plugins/tollgate/hooks/hooks.json", "{", "{ // mine"),
];

#[test]
fn a_script_that_somebody_wrote_is_neither_written_over_nor_emptied() {
    for &(id, file, from, to) in CHANGED {
        for noted in [true, false] {
            let machine = Machine::new();
            let path = machine.place.home.join(file);
            machine.install(setup(id), Level::User).unwrap().write().unwrap();
            edit(&path, from, to);
            if !noted {
                fs::remove_dir_all(machine.data()).unwrap();
            }
            let before = machine.tree();
            let at = format!("{file} {to:?}, noted: {noted}");
            for program in [PROGRAM, MOVED] {
                let problems = machine.install_as(setup(id), Level::User, program).expect_err(&at);
                let says = format!("move it away, or call `tollgate hook {id}` from it and leave this agent out");
                assert!(problems[0].contains(&says), "{at}: {problems:?}");
            }
            let removal = machine.removal(setup(id));
            let left: Vec<&Path> = removal.left().iter().map(|(path, _)| path.as_path()).collect();
            assert_eq!(left, [path.as_path()], "{at}");
            removal.write().unwrap();
            assert_eq!(machine.tree()[&format!("home/{file}")], before[&format!("home/{file}")], "{at}");
        }
    }
}

#[test]
fn a_script_for_a_program_that_moved_is_ours_without_a_note() {
    each(|setup, level| {
        let machine = Machine::new();
        if shared(&machine, setup, level).is_some() {
            return;
        }
        machine.install_as(setup, level, MOVED).unwrap().write().unwrap();
        fs::remove_dir_all(machine.data()).unwrap();
        machine.install(setup, level).unwrap().write().unwrap();
        assert!(machine.install(setup, level).unwrap().is_empty(), "{}", setup.id);
        machine.removal(setup).write().unwrap();
        assert_eq!(machine.texts(), BTreeMap::new(), "{}", setup.id);
    });
}

/// A hook in front of ours has the place for which we noted our trust.
#[test]
fn the_trust_in_a_hook_of_somebody_else_stays() {
    for noted in ["hashes", "keys", "nothing"] {
        let machine = Machine::new();
        let codex = setup("codex");
        machine.install(codex, Level::User).unwrap().write().unwrap();
        let (hooks, config) = (".codex/hooks.json", ".codex/config.toml");
        let [hooks, config] = [hooks, config].map(|file| machine.place.home.join(file));
        let theirs = "{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]},";
        edit(&hooks, "\"PreToolUse\": [", &format!("\"PreToolUse\": [{theirs}"));
        // What Codex writes when both are trusted.
        let ours = trust::needed(&hooks, &document(&hooks), &|part| is_ours("codex", part));
        let ours = ours.iter().find(|ours| ours.key.contains("pre_tool_use:1:0")).unwrap();
        edit(&config, &ours.hash, "sha256:theirs");
        let added = format!("\n[hooks.state.\"{}\"]\ntrusted_hash = \"{}\"\n", ours.key, ours.hash);
        fs::write(&config, fs::read_to_string(&config).unwrap() + &added).unwrap();
        let note = machine.data().join("installed.json");
        match noted {
            "keys" => edit(&note, "\"trusted\": [", "\"keys\": [\"a key\"], \"unknown\": ["),
            "nothing" => fs::remove_file(&note).unwrap(),
            _ => {}
        }
        machine.removal(codex).write().unwrap();
        let key = ours.key.replace(":1:0", ":0:0");
        let expected = json!({"hooks": {"state": {key: {"trusted_hash": "sha256:theirs"}}}});
        assert_eq!(document(&config), expected, "{noted}");
        assert!(fs::read_to_string(&hooks).unwrap().contains("theirs"), "{noted}");
    }
}

/// Of two members with one name the last counts; without ours, the other would.
#[test]
fn what_cannot_be_taken_out_alone_stays() {
    let machine = Machine::new();
    let claude = setup("claude-code");
    let path = shared(&machine, claude, Level::User).unwrap();
    put(&path, "{}\n");
    machine.install(claude, Level::User).unwrap().write().unwrap();
    edit(&path, "{", "{ \"hooks\": {\"Stop\": []},");
    let before = machine.tree();
    let problems = crate::setup::Plan::removal(&machine.place, &machine.data(), &[claude], Path::new(PROGRAM));
    let problems = problems.unwrap_err();
    assert!(problems[0].contains("would change something else, too; mend the file"), "{problems:?}");
    assert_eq!(machine.tree(), before);
}

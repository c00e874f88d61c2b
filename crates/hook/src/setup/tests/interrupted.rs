//! What is begun and not finished: by a kill, a failure, or somebody who writes at the same time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tollgate_settings::{Order, apply};

use super::{Machine, PROGRAM, put, setup, shared};
use crate::setup::agents::{Level, Setup};
use crate::setup::plan::Plan;

/// Some that have no file, some whose user has written one; with files of their own, with entries, and with trust.
const AGENTS: &[(&str, Option<&str>)] = &[
    ("cline", None),
    ("claude-code", None),
    ("claude-code", Some("{ \"model\": \"x\" }")),
    ("codex", None),
    ("codex", Some("{\"hooks\": {}}\n")),
    ("openclaw", Some("")),
];

/// Kills after this many steps, then takes everything away. Says whether there are so many.
fn killed(setup: &'static Setup, text: Option<&str>, removes: bool, done: usize) -> bool {
    let machine = Machine::new();
    if let Some(text) = text {
        put(&shared(&machine, setup, Level::User).unwrap(), text);
    }
    let (before, before_texts) = (machine.tree(), machine.texts());
    let mut plan = machine.install(setup, Level::User).unwrap();
    if removes {
        plan.write().unwrap();
        plan = machine.removal(setup);
    }
    let steps = plan.0.steps();
    let Some(some) = steps.get(..done) else { return false };
    apply(some).unwrap();
    machine.removal(setup).write().unwrap();
    let at = format!("{} {text:?}: {done} of {} steps, removes: {removes}", setup.id, steps.len());
    assert!(!machine.data().join("installed.json").exists(), "{at}");
    assert_eq!(machine.texts(), before_texts, "{at}");
    // After the last step of a removal nothing knows of the folders, which are empty by then.
    assert!(removes && done == steps.len() || machine.tree() == before, "{at}: {:?}", machine.tree());
    true
}

#[test]
fn what_a_kill_interrupts_can_be_taken_away_to_the_byte() {
    for &(id, text) in AGENTS {
        for removes in [false, true] {
            assert!((0..).find(|&done| !killed(setup(id), text, removes, done)) > Some(2), "{id}");
        }
    }
}

#[test]
fn a_removal_that_fails_gives_back_modes_and_folders() {
    let machine = Machine::new();
    let setups = ["copilot", "goose", "cline"].map(setup);
    for setup in setups {
        machine.install(setup, Level::User).unwrap().write().unwrap();
    }
    let private = machine.place.home.join(".copilot/hooks/tollgate.json");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).unwrap();
    let plan = Plan::removal(&machine.place, &machine.data(), &setups, Path::new(PROGRAM)).unwrap();
    put(&plan.changes().last().unwrap().path, "#!/bin/sh\nmine\n");
    let modes = |machine: &Machine| -> Vec<(PathBuf, u32)> {
        let paths = machine.tree().into_keys().map(|name| machine.root.join(name));
        paths.map(|path| (path.clone(), path.metadata().unwrap().permissions().mode())).collect()
    };
    let (tree, before) = (machine.tree(), modes(&machine));
    let problem = plan.write().unwrap_err();
    assert!(problem.ends_with("look at it and try again; nothing was changed"), "{problem}");
    assert_eq!(machine.tree(), tree);
    assert_eq!(modes(&machine), before);
}

#[test]
fn a_note_that_changes_meanwhile_is_not_written_over() {
    let machine = Machine::new();
    let plan = machine.install(setup("claude-code"), Level::User).unwrap();
    machine.install(setup("cline"), Level::User).unwrap().write().unwrap();
    let (before, note) = (machine.tree(), fs::read(machine.data().join("installed.json")).unwrap());
    let problem = plan.write().unwrap_err();
    assert!(problem.contains("installed.json` was changed by somebody else just now"), "{problem}");
    assert_eq!((machine.tree(), fs::read(machine.data().join("installed.json")).unwrap()), (before, note));
}

#[test]
fn a_note_that_others_may_write_is_not_believed() {
    let machine = Machine::new();
    machine.install(setup("cline"), Level::User).unwrap().write().unwrap();
    let note = machine.data().join("installed.json");
    fs::set_permissions(&note, fs::Permissions::from_mode(0o666)).unwrap();
    let problem = Plan::begin(&machine.data(), Order::NoteLast).unwrap_err();
    assert!(problem.contains("so it is not believed; `chmod go-w "), "{problem}");
}

//! `examples/verify_log.py`, which knows nothing but `spec/audit.md`, says the same as `verify`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

#[path = "../../crates/audit/tests/attacks/mod.rs"]
mod attacks;
#[path = "../../crates/audit/tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use attacks::{ATTACKS, Victim};
use common::{Folder, copy, small_edit};
use serde_json::{Value, json};
use tollgate_audit::Known;

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/verify_log.py")
}

/// What the script prints and exits with.
fn run(arguments: &[&str]) -> (String, Option<i32>) {
    let done = Command::new("python3").arg(script()).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("install Python 3.9 or newer as `python3`: {error}"));
    let text = [done.stdout, done.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), done.status.code())
}

fn check(dir: &Path, apart: &Path, known: &Known) -> (String, Option<i32>) {
    let key = known.key.map(|key| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut arguments = vec![dir.display().to_string()];
    arguments.extend(key.into_iter().flat_map(|key| ["--key".to_owned(), key]));
    if !known.anchors.is_empty() {
        let heads: String = known.anchors.iter().map(|head| format!("{}\n", head.to_json())).collect();
        std::fs::write(apart, heads).unwrap();
        arguments.extend(["--anchor".to_owned(), apart.display().to_string()]);
    }
    run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_script_names_the_same_first_bad_record() {
    let victim = Victim::new("python");
    let mut wrong = Vec::new();
    for (name, attack) in ATTACKS {
        victim.restore();
        let (known, expected) = attack(&victim);
        // Where there is nothing, `verify` has nothing to say; the command says that, and so does the script.
        let expected = expected.or((*name == "everything removed").then_some(1));
        let (said, code) = check(&victim.folder.dir(), &victim.folder.root.join("anchored"), &known);
        let begins = expected.map_or("good: ".to_owned(), |seq| format!("bad: record {seq}: "));
        if !said.starts_with(&begins) || code != Some(i32::from(expected.is_some())) {
            wrong.push(format!("{name}: {code:?} {said} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_script_says_the_same_of_the_log_in_the_specification() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/audit");
    let vectors: Value = serde_json::from_slice(&std::fs::read(home.join("vectors.json")).unwrap()).unwrap();
    let key = vectors["public"].as_str().unwrap();
    let folder = Folder::new("python-vectors");
    let dir = folder.dir().display().to_string();
    let none = json!({"what": "nothing", "file": "head", "from": "", "to": ""});
    for edit in vectors["bad"].as_array().unwrap().iter().chain([&none]) {
        let _ = std::fs::remove_dir_all(folder.dir());
        copy(&home.join("log"), &folder.dir());
        small_edit(&folder.dir(), edit);
        let (said, _) = run(&[&dir, "--key", key]);
        let begins = edit["first_bad"].as_u64().map_or("good: ".to_owned(), |seq| format!("bad: record {seq}: "));
        assert!(said.starts_with(&begins), "{}: {said} instead of {begins}", edit["what"]);
    }
    std::fs::write(folder.root.join("public"), format!("{key}\n")).unwrap();
    let said = run(&[&dir, "--key-file", folder.root.join("public").to_str().unwrap()]);
    assert_eq!(said.1, Some(0), "{}", said.0);
}

#[test]
fn the_script_refuses_what_it_does_not_understand() {
    let here = env!("CARGO_MANIFEST_DIR");
    for arguments in [&[][..], &["there/is/no/such/folder"], &[here, "--key", "00"], &[here, "--anchor", here]] {
        assert_eq!(run(arguments).1, Some(2), "{arguments:?}");
    }
}

#[test]
fn the_script_is_short() {
    let text = std::fs::read_to_string(script()).unwrap();
    assert!(text.lines().count() < 150, "{}", text.lines().count());
    assert!(text.lines().all(|line| line.len() <= 120));
}

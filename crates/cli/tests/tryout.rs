//! `tollgate try`: a session of an agent through the real hook, and nothing is left of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use common::{Ran, Sandbox};
use expect_test::expect;

/// Runs it where its scratch folder would be found.
fn tried(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let output = sandbox.command(&[&["try"], args].concat()).env("TMPDIR", temporary(sandbox)).output().unwrap();
    Ran::of(&output, sandbox.root())
}

fn temporary(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.root().join("t");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn left(sandbox: &Sandbox) -> Vec<PathBuf> {
    fs::read_dir(temporary(sandbox)).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// What is not the same twice, each in its place: how long a process took, when, where, and with which key.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = match line.split_once(" ms, the whole process") {
            Some((_, rest)) => format!("     N ms, the whole process{rest}"),
            None => line.split(' ').map(steady_word).collect::<Vec<_>>().join(" "),
        };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn steady_word(word: &str) -> String {
    let is_time = word.len() == 8 && word.matches(':').count() == 2;
    let is_key = word.ends_with('…') && word.chars().filter(char::is_ascii_hexdigit).count() == 12;
    match word.split_once("tollgate-try-") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            format!("{before}tollgate-try-N{rest}")
        }
        None if is_time => "HH:MM:SS".to_owned(),
        None if is_key => "KEY…".to_owned(),
        None => word.to_owned(),
    }
}

/// The words alone, where the length of a path decides where lines break.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_session_is_played_and_nothing_is_left_of_it() {
    let sandbox = Sandbox::new();
    let ran = tried(&sandbox, &[]);
    let said = steady(&ran.all());
    let (session, rest) = said.split_once("The record of it").unwrap();
    expect![[r#"
        A session of an agent, as its hook sees it
        Recorded events of a coding agent go through the real hook, with the default packs and two entries of a policy. Nothing of what they speak of is run, and no settings are touched.
        1 everyday work agent Bash cargo test --workspace && git status passes nothing is said, so the agent goes on N ms, the whole process
        2 a rule rewrites a command before it runs agent Bash npm install left-pad runs npm install left-pad --ignore-scripts N ms, the whole process
        3 a result holds a credential; the model reads it without agent result registry = npm, token = ghp_16C7e42F292c6912E7710c838347Ae178B4a reads registry = npm, token = [redacted:github-token] N ms, the whole process
        4 something else than it seems; the model reads why not agent Bash echo cm0gLXJmIH4= | base64 -d | sh stops shell-safety/delete-outside: deletes what lies outside the workspace (/t/tollgate-try-N/home). Instead: delete only named paths inside the workspace or a temporary folder N ms, the whole process
        5 a guard of your own that breaks is no consent agent deploy production stops `deploy-window` could not judge this (crash: exit status 1 (calendar: connection refused)), so it is refused; to mend it: look at this hook in /t/tollgate-try-N/home/.config/tollgate/tollgate.toml, and run it by hand N ms, the whole process

    "#]].assert_eq(&session.split("\n\n").map(|part| words(part) + "\n").collect::<String>());
    expect![[r#"
         (tollgate log)

        seq  UTC       act   what        about  (all by claude-code)
          1  HH:MM:SS        checkpoint  the log begins
          2  HH:MM:SS  pass  Bash        cargo test --workspace && git status
          3  HH:MM:SS  pass  Bash        npm install left-pad --ignore-scripts  edited
          4  HH:MM:SS  ok    Bash        {"interrupted":false,"isImage":false,"…  edited
          5  HH:MM:SS  deny  Bash        echo cm0gLXJmIH4=…  shell-safety/delete-outside
          7  HH:MM:SS  deny  deploy      production  deploy-window

        The proof that nobody changed it (tollgate log verify)

        good: 8 records (1 to 8), 2 signatures, 22 fields
              signed up to 8 with key KEY…

        What next

          tollgate init                guard your agents: shows what it would write, asks
          tollgate doctor              prove that they are guarded
          tollgate explain 'COMMAND'   what would happen to a command, and why
          tollgate init --policy       start a policy of your own
        [0]
    "#]]
    .assert_eq(rest);
    assert_eq!(left(&sandbox), Vec::<PathBuf>::new());
    // Nothing of this user's is touched, and nothing of theirs decides.
    for folder in ["home/state", "project"] {
        assert_eq!(fs::read_dir(sandbox.root().join(folder)).unwrap().count(), 0, "{folder}");
    }
}

#[test]
fn the_folder_is_kept_on_request() {
    let sandbox = Sandbox::new();
    let ran = tried(&sandbox, &["--keep"]);
    let [folder] = &left(&sandbox)[..] else { panic!("one folder: {}", ran.all()) };
    let shown = folder.strip_prefix(sandbox.root()).unwrap();
    assert!(ran.out.ends_with(&format!("\nkept: /{}\n", shown.display())), "{}", ran.all());
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    // Its record can be read like any other.
    let log = sandbox.command(&["log", "--json"]).env_remove("TOLLGATE_HOME").env("HOME", folder.join("home")).output();
    let log = String::from_utf8(log.unwrap().stdout).unwrap();
    assert!(log.contains("deploy-window") && !log.contains("ghp_16C7"), "{log}");
}

#[test]
fn it_says_what_is_wrong() {
    let sandbox = Sandbox::new();
    let output = sandbox.command(&["try"]).env("TMPDIR", sandbox.root().join("nowhere")).output().unwrap();
    let ran = Ran::of(&output, sandbox.root());
    expect![[r#"
        error: cannot make a scratch folder at /nowhere/tollgate-try-N: No such file or directory (os error 2)
        [2]
    "#]]
    .assert_eq(&steady(&ran.all()));
}

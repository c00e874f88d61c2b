//! The quick start is true: its commands are run, in order, and say what it shows.
//!
//! A block marked `sh` is run, and must end with status 0, or with the one that stands behind the mark (`sh status=1`).
//! What it says is compared with the block marked `text` that comes next, if no other comes before it. There a line with
//! nothing but `…` stands for anything. `UPDATE_EXPECT=1` writes the blocks without such a line anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{KEY, Sandbox};

const PAGE: &str = "docs/quick-start.md";
/// What stands for anything.
const GAP: &str = "…";
/// Whose home it is, on the page.
const HOME: &str = "/home/ann";

/// A block that is run.
struct Step {
    /// Where it begins, counted from 1.
    line: usize,
    script: String,
    status: i32,
    /// The lines of the block with what it says.
    shown: Option<Range<usize>>,
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut at, mut waits) = (0, false);
    while at < lines.len() {
        let Some(mark) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let end = at + 1 + lines[at + 1..].iter().position(|line| *line == "```").unwrap();
        let (kind, status) = mark.split_once(" status=").unwrap_or((mark, "0"));
        if kind == "sh" {
            let script = lines[at + 1..end].join("\n");
            steps.push(Step { line: at + 1, script, status: status.parse().unwrap(), shown: None });
        } else if kind == "text" && waits {
            steps.last_mut().unwrap().shown = Some(at + 1..end);
        }
        waits = kind == "sh";
        at = end + 1;
    }
    steps
}

/// A machine of somebody who has two agents, settings of one of them, and a project.
fn machine() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("home");
    for folder in [".claude", ".codex", ".local/bin", "shop"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    fs::write(home.join(".claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n").unwrap();
    symlink(env!("CARGO_BIN_EXE_tollgate"), home.join(".local/bin/tollgate")).unwrap();
    // There is no person in a test.
    let data = home.join(".local/share/tollgate");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&data).unwrap();
    fs::write(data.join("automation.sha256"), tollgate_config::sha256(KEY.as_bytes())).unwrap();
    (sandbox, home)
}

/// Runs a block and gives all that it says, with its status.
fn run(home: &Path, script: &str) -> (String, Option<i32>) {
    let mut command = Command::new("sh");
    command.args(["-euc", &format!("exec 2>&1\n{script}")]).current_dir(home.join("shop")).env_clear();
    command.env("HOME", home).env("PATH", format!("{}/.local/bin:/usr/bin:/bin", home.display()));
    command.env("TOLLGATE_KEY", KEY).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // To whatever is asked. A block that asks nothing may have ended by now.
    let _ = child.stdin.take().unwrap().write_all(b"y\n");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    (steady(&said.replace(home.to_str().unwrap(), HOME)), output.status.code())
}

/// The text with times, dates and digests that are the same each time.
fn steady(text: &str) -> String {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || ":.-".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| part_of_word(c) != part_of_word(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let (name, word) = word.strip_prefix("sha256:").map_or(("", word), |word| ("sha256:", word));
        out.push_str(name);
        out.push_str(&steady_word(word, after));
        rest = after;
    }
    out
}

fn steady_word(word: &str, after: &str) -> String {
    let made_of = |more: &str| word.chars().all(|c| c.is_ascii_digit() || more.contains(c));
    let like = |text: &str| text.chars().cycle().take(word.len()).collect();
    match word.len() {
        5.. if made_of(":.") && word.contains(':') => like("10:15:00.000000"),
        10 if made_of("-") && word.contains('-') => like("2026-01-31"),
        12.. if made_of("abcdef") => like("0123456789abcdef"),
        1.. if made_of(".") && (after.starts_with(" ms") || after.starts_with(" µs")) => "2.0".to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether it says what is shown. Where lines break depends on how long a path is, so only words count.
fn holds(shown: &[&str], said: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pieces: Vec<String> = shown.split(|line| line.trim() == GAP).map(|piece| words(&piece.join("\n"))).collect();
    let said = words(said);
    let [first, between @ .., last] = &pieces[..] else { return pieces == [said] };
    let Some(mut rest) = said.strip_prefix(first.as_str()) else { return false };
    for piece in between {
        let Some((_, after)) = rest.split_once(piece.as_str()) else { return false };
        rest = after;
    }
    rest.ends_with(last.as_str())
}

#[test]
fn every_command_of_the_quick_start_does_what_it_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    let page = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = page.lines().collect();
    let steps = steps(&lines);
    assert!(steps.len() > 10 && steps.iter().any(|step| step.shown.is_some()), "the page has its blocks");
    let (_sandbox, home) = machine();
    let settings = || fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    let before = settings();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let (mut wrong, mut new) = (String::new(), lines.clone());
    let said: Vec<_> = steps.iter().map(|step| run(&home, &step.script)).collect();
    for (step, (said, status)) in steps.iter().zip(&said).rev() {
        let shown = step.shown.clone().unwrap_or_default();
        let right = step.shown.is_none() || holds(&lines[shown.clone()], said);
        if *status != Some(step.status) || (!right && (!update || lines[shown.clone()].contains(&GAP))) {
            let at = format!("{PAGE}:{} ended with {status:?}", step.line);
            wrong = format!("{at}\n{}\n--- shown\n{}\n--- said\n{said}\n{wrong}", step.script, lines[shown].join("\n"));
        } else if !right {
            new.splice(shown, said.lines());
        }
    }
    if new != lines {
        fs::write(&file, new.join("\n") + "\n").unwrap();
    }
    assert!(wrong.is_empty(), "UPDATE_EXPECT=1 writes blocks without `{GAP}` anew\n\n{wrong}");
    assert_eq!(settings(), before, "at its end everything is as it was");
}

#[test]
fn what_is_shown_is_compared() {
    for (shown, said, expected) in [
        ("a b", "a\n  b\n", true),
        ("a b", "a b c", false),
        ("a\n…\nd", "a b c d", true),
        ("a\n…\nd", "a b c", false),
        ("…\nc", "a b c", true),
        ("a\n…\nb\n…", "a c b d", true),
        ("a\n…\nb\n…", "a c d", false),
        ("b\n…", "a b", false),
    ] {
        assert_eq!(holds(&shown.lines().collect::<Vec<_>>(), said), expected, "{shown} / {said}");
    }
    for (text, expected) in [
        ("at 09:58:01.123456, 2027-03-04 23:59 UTC", "at 10:15:00.000000, 2026-01-31 10:15 UTC"),
        ("sha256:a1b2c3d4e5f6 and 3f2a9b8c7d6e5f…", "sha256:0123456789ab and 0123456789abcd…"),
        ("46.2 ms, 609 µs, 26 rules, 0.1.0", "2.0 ms, 2.0 µs, 26 rules, 0.1.0"),
    ] {
        assert_eq!(steady(text), expected);
    }
}

//! Judging labelled calls with the default packs, and printing where we and the labels differ.
//!
//! The corpora are not part of this repository: their folder is an argument. Calls go through
//! `tollgate explain --batch`, the same door that users have.

mod batch;
mod dojo;
mod made_up;
mod table;
mod tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{Result, cargo};
use batch::Row;
use table::{Confusion, Wanted, percent};

/// A command that other guards judged by a policy of their own.
const PEERS: &str = "peers";

/// `--dir DIR [--show N]`
pub(crate) fn run(args: &[&str]) -> Result {
    let (dir, show) = match args {
        ["--dir", dir] => (dir, 20),
        ["--dir", dir, "--show", number] => (dir, number.parse().map_err(|_| format!("`{number}` is not a number"))?),
        _ => return Err("write `--dir DIR`, the folder with the corpora, and perhaps `--show N`".to_owned()),
    };
    let dir = Path::new(dir);
    if !dir.is_dir() {
        return Err(format!("`{}` is not a folder", dir.display()));
    }
    cargo::run("build --release -q -p tollgate-cli")?;
    judged(&dir.join("dev.jsonl"), show, &Wanted { at_least: 99.0, at_most: 0.5 })?;
    judged(&dir.join("toolcalls_dev.jsonl"), show, &Wanted { at_least: 97.0, at_most: 1.0 })?;
    harmless(&dir.join("benign_tldr.jsonl"), show)?;
    harmless(&dir.join("benign_work.jsonl"), show)?;
    dojo::run(&dir.join("agentdojo.jsonl"), show)?;
    tools::of_suites(&dir.join("agentdojo_tools.json"), show)?;
    tools::of_servers(&dir.join("mcp_tools.jsonl"), show)?;
    for file in jsonl_files(&dir.join(PEERS))? {
        agreement(&file)?;
    }
    cargo::run(&format!("run --release -q -p tollgate-secrets --example measure -- {}", dir.join("secrets").display()))
}

fn jsonl_files(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    Ok(files)
}

/// Labelled by the policy that the packs express: these are the numbers that count.
fn judged(file: &Path, show: usize, wanted: &Wanted) -> Result {
    let rows = batch::judge(file)?;
    let counts = Confusion::of(&rows);
    println!("\n# {}", file.display());
    print!("{counts}");
    let met = if counts.meets(wanted) { "met" } else { "missed" };
    println!("wanted: at least {} % and at most {} %: {met}", wanted.at_least, wanted.at_most);
    println!("\n{:<24}{:>16}{:>16}", "stopped", "of dangerous", "of harmless");
    for (class, counts) in Confusion::by_class(&rows) {
        println!("{class:<24}{}", counts.columns());
    }
    for row in rows.iter().filter(|row| row.wrong()).take(show) {
        println!("  {row}");
    }
    Ok(())
}

/// Everyday commands. What is stopped is listed by rule, because a rule is a clause of the policy: publishing a package
/// is stopped on purpose wherever it stands. Few are labelled dangerous, and only because they were stopped once: one that
/// passes now is a step back, and their share says nothing.
fn harmless(file: &Path, show: usize) -> Result {
    let (dangerous, harmless): (Vec<Row>, Vec<Row>) = batch::judge(file)?.into_iter().partition(|row| row.dangerous);
    let mut rules: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in harmless.iter().filter(|row| row.stopped) {
        rules.entry(row.rule.as_str()).or_default().push(row);
    }
    let stopped = rules.values().map(Vec::len).sum();
    println!("\n# {}\nharmless stopped {}", file.display(), percent(stopped, harmless.len()));
    let passed: Vec<&Row> = dangerous.iter().filter(|row| !row.stopped).collect();
    println!("dangerous that pass: {} of {}", passed.len(), dangerous.len());
    passed.iter().take(show).for_each(|row| println!("  {row}"));
    for (rule, rows) in rules {
        println!("\n{rule}: {}", rows.len());
        rows.iter().take(show).for_each(|row| println!("  {row}"));
    }
    Ok(())
}

/// Labelled by somebody else's policy: agreement, and the classes of disagreement.
fn agreement(file: &Path) -> Result {
    let rows = batch::judge(file)?;
    println!("\n# {}", file.display());
    print!("{}", Confusion::of(&rows));
    let mut classes: BTreeMap<(bool, &str, &str), (usize, &Row)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.wrong()) {
        classes.entry((row.dangerous, row.class.as_str(), row.rule.as_str())).or_insert((0, row)).0 += 1;
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for ((dangerous, class, rule), (count, example)) in classes.iter().take(12) {
        let who = if *dangerous { "they stop, we do not".to_owned() } else { format!("we stop ({rule}), they do not") };
        println!("  {count:>4}  {class:<32} {who}; e.g. {}", example.short());
    }
    Ok(())
}

fn text(value: &Value, key: &str) -> String {
    cargo::text(value, key).to_owned()
}

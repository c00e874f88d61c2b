//! Judging labelled commands with the default packs, and printing where we and the labels differ.
//!
//! The corpora are not part of this repository: their folder is an argument. Commands go through
//! `tollgate explain --batch`, the same door that users have.

mod batch;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{Result, cargo};
use batch::Row;
use table::{Confusion, percent};

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
    judged(&dir.join("dev.jsonl"), show)?;
    harmless(&dir.join("benign_tldr.jsonl"), show)?;
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
fn judged(file: &Path, show: usize) -> Result {
    let rows = batch::judge(file)?;
    println!("\n# {}", file.display());
    print!("{}", Confusion::of(&rows));
    println!("\n{:<24}{:>12}{:>12}", "class", "missed", "false alarm");
    for (class, (missed, alarms)) in by_class(&rows) {
        println!("{class:<24}{missed:>12}{alarms:>12}");
    }
    for row in rows.iter().filter(|row| row.wrong()).take(show) {
        println!("  {row}");
    }
    Ok(())
}

fn by_class(rows: &[Row]) -> BTreeMap<&str, (usize, usize)> {
    let mut classes = BTreeMap::new();
    for row in rows.iter().filter(|row| row.wrong()) {
        let counts: &mut (usize, usize) = classes.entry(row.class.as_str()).or_default();
        if row.dangerous { counts.0 += 1 } else { counts.1 += 1 }
    }
    classes
}

/// Everyday commands. What is stopped is listed by rule, because a rule is a clause of the policy: publishing a package
/// is stopped on purpose wherever it stands.
fn harmless(file: &Path, show: usize) -> Result {
    let rows = batch::judge(file)?;
    let stopped: Vec<&Row> = rows.iter().filter(|row| row.stopped).collect();
    println!("\n# {}\nstopped {}", file.display(), percent(stopped.len(), rows.len()));
    let mut rules: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in stopped {
        rules.entry(row.rule.as_str()).or_default().push(row);
    }
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

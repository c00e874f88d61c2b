//! Do the tests notice? cargo-mutants changes one small thing at a time, such as `<` to `<=`, and runs the tests; what
//! no test notices is missed. A random sample of each crate is tried, because all of them would take days.

mod score;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use score::{Score, table, verdict};

use crate::{Result, cargo};

/// Mutants that change nothing that anybody could see, each with the reason. They are not drawn.
const EQUIVALENT: &str = "xtask/equivalent-mutants.txt";
/// Where cargo-mutants writes, below the folder it is given.
const OUT: &str = "mutants.out";
const DEFAULT_SAMPLE: usize = 24;
/// What is left out of a build is not tested in it.
const FEATURES: &str = "--all-features";

/// A crate and the packages whose tests are run on its mutants.
type Crate = (&'static str, &'static [&'static str]);

/// Only tests near the crate are run, so that a mutant takes seconds. What has tests elsewhere names them.
const CRATES: &[Crate] = &[
    ("core", &["testkit", "wire"]),
    ("wire", &["wire", "testkit"]),
    ("clock", &["clock", "testkit", "audit"]),
    ("process", &["process", "host-command"]),
    ("settings", &["settings", "hook"]),
    ("shell", &["shell"]),
    ("secrets", &["secrets"]),
    ("rules", &["rules"]),
    ("audit", &["audit"]),
    ("host-command", &["host-command", "config"]),
    ("config", &["config"]),
    ("engine", &["engine"]),
    ("hook", &["hook"]),
    ("tollgate", &["tollgate"]),
    ("cli", &["cli"]),
];

#[derive(Debug, PartialEq)]
struct Settings {
    sample: usize,
    seed: u64,
    crates: Vec<Crate>,
}

/// `[--sample N] [--seed S] [CRATE]...`
pub(super) fn run(args: &[&str]) -> Result {
    let settings = settings(args)?;
    if !cargo::has("mutants") {
        return Err("cargo-mutants is missing; install it with `cargo install cargo-mutants --locked`".to_owned());
    }
    let Settings { sample, seed, ref crates } = settings;
    println!("{sample} mutants of each crate, seed {seed}; again with `--sample {sample} --seed {seed}`");
    let equivalent = equivalent(&read(Path::new(EQUIVALENT))?)?;
    let mut scores = Vec::new();
    for (number, chosen) in crates.iter().enumerate() {
        println!("\n==> {}/{}: {}", number + 1, crates.len(), chosen.0);
        let score = try_crate(chosen, &settings, &equivalent)?;
        print!("{}", table(std::slice::from_ref(&score)));
        scores.push(score);
    }
    print!("\n{}", table(&scores));
    verdict(&scores)
}

fn settings(args: &[&str]) -> Result<Settings> {
    let mut settings = Settings { sample: DEFAULT_SAMPLE, seed: super::seed(), crates: Vec::new() };
    let mut rest = args;
    loop {
        rest = match rest {
            [] => break,
            ["--sample", number, rest @ ..] => {
                settings.sample = above_zero(number)?;
                rest
            }
            ["--seed", number, rest @ ..] => {
                settings.seed = above_zero(number)? as u64;
                rest
            }
            [name, rest @ ..] => {
                settings.crates.push(*known(name)?);
                rest
            }
        };
    }
    if settings.crates.is_empty() {
        settings.crates = CRATES.to_vec();
    }
    Ok(settings)
}

fn above_zero(number: &str) -> Result<usize> {
    let number = number.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "`--sample` and `--seed` take a number, 1 or more".to_owned())
}

fn known(name: &str) -> Result<&'static Crate> {
    let names: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    let found = CRATES.iter().find(|(known, _)| *known == name);
    found.ok_or_else(|| format!("there are no mutants of `{name}`; choose from: {}", names.join(", ")))
}

fn try_crate(chosen: &Crate, settings: &Settings, equivalent: &[String]) -> Result<Score> {
    let (name, tested_by) = chosen;
    let list = cargo::output(&format!("mutants --no-config --list -p {}", package(name)))?;
    let sample = draw(candidates(&list, equivalent), settings.sample, settings.seed);
    let folder = PathBuf::from(cargo::text(&cargo::metadata()?, "target_directory")).join("mutants");
    let output = folder.join(name);
    pass_over(&list, &sample, &output.join(OUT))?;
    // Each run copies the sources to another place; what was built of others' crates is used again.
    let build = folder.join("build").display().to_string();
    let variables = [("CARGO_TARGET_DIR", build.as_str())];
    // The last mutant of another crate is among what was built of ours, and cargo may not notice: it goes by the times of
    // the sources.
    cargo::run_with(&variables, "clean --workspace")?;
    let tool = if cargo::has("nextest") { "nextest" } else { "cargo" };
    let limit = time_limit(&variables, tool, tested_by)?;
    let packages: String = tested_by.iter().map(|name| format!(" --test-package {}", package(name))).collect();
    let line = format!(
        "mutants --no-config -p {}{packages} {FEATURES} --iterate --caught --unviable --baseline skip --timeout {limit} --jobs 1 --test-tool {tool} -o {}",
        package(name),
        output.display()
    );
    match cargo::status(&variables, &line)? {
        // All caught, some missed, some took too long.
        Some(0 | 2 | 3) => Score::read(name, &output.join(OUT)),
        _ => Err(format!("mutants of `{name}` cannot be tried: `cargo {line}` failed")),
    }
}

/// Marks everything that was not drawn as caught by an earlier run: cargo-mutants' own filters do not know every kind.
fn pass_over(list: &str, sample: &[String], folder: &Path) -> Result {
    let failed = |error| format!("cannot write to `{}`: {error}", folder.display());
    let others: String =
        list.lines().filter(|line| !sample.iter().any(|name| name == line)).map(|line| format!("{line}\n")).collect();
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    fs::write(folder.join("caught.txt"), others).map_err(failed)
}

/// Runs the tests without any mutant, which must pass, and says how many seconds they may take with one.
fn time_limit(variables: &[(&str, &str)], tool: &str, tested_by: &[&str]) -> Result<u64> {
    let test = if tool == "nextest" { "nextest run" } else { "test" };
    let packages: String = tested_by.iter().map(|name| format!(" -p {}", package(name))).collect();
    cargo::run_with(variables, &format!("{test}{packages} {FEATURES} --no-run"))?;
    let start = Instant::now();
    cargo::run_with(variables, &format!("{test}{packages} {FEATURES}"))?;
    Ok(20 + 5 * start.elapsed().as_secs())
}

fn package(name: &str) -> String {
    if name == "tollgate" { name.to_owned() } else { format!("tollgate-{name}") }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

/// The names in the file of equivalent mutants: a line `NAME  # REASON`, the name without line and column.
fn equivalent(text: &str) -> Result<Vec<String>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once("  # ") {
            Some((name, reason)) if !reason.is_empty() => Ok(name.trim_end().to_owned()),
            _ => Err(format!("{EQUIVALENT}: `{line}` has no reason; write the mutant, two blanks, `# ` and why")),
        })
        .collect()
}

/// The listed mutants without the equivalent ones, as they were listed.
fn candidates(list: &str, equivalent: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    let mut candidates = Vec::new();
    for line in list.lines() {
        let name = without_position(line);
        let count = seen.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        // Lines and columns change every day; several of one kind in a function are counted.
        let lasting = if *count == 1 { name } else { format!("{name} ({count})") };
        if !equivalent.contains(&lasting) {
            candidates.push(line.to_owned());
        }
    }
    candidates
}

/// `src/a.rs:3:9: replace …` is `src/a.rs: replace …`.
fn without_position(line: &str) -> String {
    match line.splitn(4, ':').collect::<Vec<_>>()[..] {
        [file, _, _, what] => format!("{file}:{what}"),
        _ => line.to_owned(),
    }
}

/// Some of them, the same ones for the same seed.
fn draw(mut all: Vec<String>, count: usize, seed: u64) -> Vec<String> {
    let mut state = seed.max(1);
    for left in (1..all.len()).rev() {
        // xorshift: nobody gains from guessing it.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.swap(left, (state % (left as u64 + 1)) as usize);
    }
    all.truncate(count);
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_sample_a_seed_and_crates() {
        let settings = |args: &[&str]| settings(args).map(|found| (found.sample, found.crates.len()));
        for (args, expected) in [
            (&[][..], Ok((24, CRATES.len()))),
            (&["core", "wire"], Ok((24, 2))),
            (&["--sample", "3", "--seed", "7", "core"], Ok((3, 1))),
            (&["--sample", "0"], Err("`--sample` and `--seed` take a number, 1 or more")),
            (&["--sample"], Err("there are no mutants of `--sample`; choose from: ")),
            (&["cor"], Err("there are no mutants of `cor`; choose from: ")),
        ] {
            match (settings(args), expected) {
                (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{args:?}: {found}"),
                (found, expected) => assert_eq!(found, expected.map_err(str::to_owned), "{args:?}"),
            }
        }
    }

    #[test]
    fn equivalent_mutants_are_known_without_their_line() {
        let list = "a.rs:1:2: replace < with <= in f\na.rs:9:8: replace < with <= in f\na.rs:3:3: delete ! in g\n";
        for (text, expected) in [
            ("# nothing yet\n", vec![0, 1, 2]),
            ("a.rs: replace < with <= in f  # why\n", vec![1, 2]),
            ("a.rs: replace < with <= in f (2)  # why\n\na.rs: delete ! in g  # why\n", vec![0]),
        ] {
            let lines: Vec<&str> = list.lines().collect();
            let expected: Vec<&str> = expected.iter().map(|index| lines[*index]).collect();
            assert_eq!(candidates(list, &equivalent(text).unwrap()), expected, "{text}");
        }
        assert!(equivalent("a.rs: delete ! in g\n").is_err_and(|error| error.contains("has no reason")));
        equivalent(&read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(EQUIVALENT)).unwrap()).unwrap();
    }

    #[test]
    fn a_seed_draws_the_same_ones_again() {
        let all: Vec<String> = (0..100).map(|number| format!("{number:02}")).collect();
        let drawn = draw(all.clone(), 10, 7);
        assert_eq!(drawn, draw(all.clone(), 10, 7));
        assert_ne!(drawn, draw(all.clone(), 10, 8));
        assert_eq!(drawn.len(), 10);
        assert_eq!(draw(all.clone(), 1000, 7), all);
    }
}

//! The chores of this repository. `cargo xtask --help` lists them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a developer's terminal")]

mod bench;
mod built;
mod cargo;
mod ci;
mod corpora;
mod dist;
mod peers;
mod soak;
mod tidy;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

/// An error is the sentence its reader sees.
type Result<T = ()> = std::result::Result<T, String>;

const HELP: &str = "\
The chores of this repository.

Usage: cargo xtask <chore>

  ci                    everything a change must pass: format, lints, tidy, tests, documentation, crates
                        checked alone, fuzzers and quick benchmarks; says how long each step took
  tidy                  the house rules only: dependency arrows, sizes, the budget of core, bans,
                        conformance, text, generated files; prints every finding
  bench NAME [--quick]  one benchmark in release mode; --quick only shows that it still runs
  corpora --dir DIR [--show N]
                        judge labelled calls and texts of that folder, and calls made up for the tools listed there;
                        print the tables, and of each kind N that went wrong (20 unless told)
  dist [--out DIR]      static programs with completions, a manual page, checksums and an install script,
                        in DIR (dist unless told)
  peers                 install the coding agents that trials run, each in one version, outside of the
                        clone (in TOLLGATE_PEERS, else in the user's cache), and print where they are
  soak [--minutes N] [NAME]
                        property tests, killed processes and fuzzers with fresh random cases, for N minutes
                        each (10 unless told); NAME is one of them: pipeline, audit, shell, call, sql, address, secrets,
                        policy, cel, record, hook
  soak mutants [--sample N] [--seed S] [CRATE]...
                        change N small things (24 unless told) in each crate, one at a time, and see whether its
                        tests notice: a table of scores and what was missed; needs cargo-mutants
  schema                write the committed JSON schemas and docs/agents.md again

Before a commit: `cargo xtask ci`. While working: `cargo xtask tidy` takes a second.
A file or function that must stay too long for now goes into xtask/ratchet.txt.
";

fn main() -> ExitCode {
    let args: Vec<String> = env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Result {
    let root = root();
    env::set_current_dir(&root).map_err(|error| format!("cannot enter `{}`: {error}", root.display()))?;
    match args {
        [] | ["help", ..] | [.., "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["tidy"] => tidy::run(),
        ["ci"] => ci::run(),
        ["bench", rest @ ..] => bench::run(rest),
        ["corpora", rest @ ..] => corpora::run(rest),
        ["dist", rest @ ..] => dist::run(rest),
        ["peers"] => peers::run(),
        ["soak", rest @ ..] => soak::run(rest),
        ["schema"] => schema(),
        _ => Err(format!("`{}` is not a chore; `cargo xtask --help` lists them", args.join(" "))),
    }
}

fn schema() -> Result {
    built::generators(&[])?.into_iter().collect()
}

/// The repository's root. Cargo says where this package lies when it runs it; started by hand, the
/// program goes by where it was built.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("..")
}

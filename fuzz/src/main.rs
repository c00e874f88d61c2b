//! A small mutational fuzzer that needs no nightly compiler.
//!
//!     tollgate-fuzz TARGET --seconds N [--seed S]     mutates corpus/TARGET for N seconds
//!     tollgate-fuzz TARGET --growth                   time per byte of hard inputs from 1 kB to 1 MB
//!     tollgate-fuzz --list                            the targets
//!
//! An input that panics or takes longer than ten seconds is written to a file, whose name is printed, and the run
//! fails. It goes into `corpus/` with the fix.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a developer's terminal")]

mod growth;
mod hook;
mod mutate;
mod targets;
mod watch;

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mutate::Mutator;
use targets::Target;

const USAGE: &str = "usage: tollgate-fuzz TARGET (--seconds N [--seed S] | --growth), or --list";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Result<String, String> {
    match args {
        ["--list"] => Ok(targets::ALL.iter().map(|target| target.name).collect::<Vec<_>>().join("\n")),
        [name, "--growth"] => growth::report(targets::named(name)?),
        [name, "--seconds", seconds] => fuzz(targets::named(name)?, number(seconds)?, fresh_seed()),
        [name, "--seconds", seconds, "--seed", seed] => fuzz(targets::named(name)?, number(seconds)?, number(seed)?),
        _ => Err(USAGE.to_owned()),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64)
}

fn fuzz(target: &Target, seconds: u64, seed: u64) -> Result<String, String> {
    let corpus = targets::corpus(target)?;
    let mut mutator = Mutator::new(seed);
    let watch = watch::Watch::start(target.name);
    let (start, limit) = (Instant::now(), Duration::from_secs(seconds));
    let (mut inputs, mut bytes) = (0_u64, 0_u64);
    // What was committed comes first: an old failure is found at once.
    for input in &corpus {
        watch.run(input, target.run)?;
    }
    while start.elapsed() < limit {
        let input = mutator.next(&corpus, target.words);
        watch.run(&input, target.run)?;
        inputs += 1;
        bytes += input.len() as u64;
    }
    let rate = inputs as f64 / start.elapsed().as_secs_f64().max(0.001);
    Ok(format!(
        "{}: {} from the corpus, {inputs} mutated inputs, {bytes} bytes, {rate:.0} per second, seed {seed}: no failure",
        target.name,
        corpus.len()
    ))
}

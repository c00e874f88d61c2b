//! The property tests and the fuzzers, over and over, with new random cases each round; and many processes that record
//! while some of them are killed.
//!
//! Nothing is kept between rounds, and the tests run in our own process group: Ctrl-C ends both at once and
//! leaves nothing behind. Proptest writes a failing case down by itself.

mod mutants;

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{iter, thread};

use crate::{Result, built, cargo};

/// The pipeline against its reference, and whatever reads bytes from outside.
const TESTS: &str = "test --release -q -p tollgate-testkit -p tollgate-wire --lib --test model";
/// Processes that append to one log and are killed at random moments; each run has moments of its own.
const KILLED: &str = "test --release -q -p tollgate-trials --test processes";
const FUZZER: &str = "tollgate-fuzz";
const DEFAULT_MINUTES: u64 = 10;
const BRIEF_SECONDS: u64 = 15;
/// CI says whether a change broke something, so it draws the same inputs each time; new ones are found by soaking.
const BRIEF_SEED: &str = "1";
const FIRST_ROUND: u32 = 1_000;
/// Where start-up no longer counts and doubling would gain nothing.
const LARGEST_ROUND: u32 = 1_000_000;
/// A round this long is worth its start-up and still lets the time limit be kept.
const GOOD_ROUND: Duration = Duration::from_secs(20);

/// The pipeline is soaked by its property tests, the record by processes that are killed, parsers of outside bytes by the
/// fuzzer.
const PIPELINE: &str = "pipeline";
const AUDIT: &str = "audit";
const FUZZED: &[&str] = &["shell", "call", "sql", "address", "secrets", "policy", "cel", "record", "hook"];

/// `[--minutes N] [NAME]`, or `mutants` with arguments of its own.
pub(crate) fn run(args: &[&str]) -> Result {
    if let ["mutants", rest @ ..] = args {
        return mutants::run(rest);
    }
    let (minutes, name) = arguments(args)?;
    let limit = Duration::from_secs(minutes.saturating_mul(60));
    if name.is_none_or(|name| name == PIPELINE) {
        pipeline(limit)?;
    }
    if name.is_none_or(|name| name == AUDIT) {
        audit(limit)?;
    }
    for target in FUZZED.iter().filter(|target| name.is_none_or(|name| name == **target)) {
        fuzz(target, limit.as_secs())?;
        cargo::run(&format!("run --release -q -p {FUZZER} -- {target} --growth"))?;
    }
    Ok(())
}

/// Some seconds of every fuzzer, for each change: as the tests are built, and one on each processor.
pub(crate) fn briefly() -> Result {
    let seconds = BRIEF_SECONDS.to_string();
    let left = Mutex::new(FUZZED.iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let some = || {
        iter::from_fn(next)
            .try_for_each(|target| built::run(FUZZER, &[target, "--seconds", &seconds, "--seed", BRIEF_SEED], &[]))
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(some)).collect();
        all.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a fuzzer was lost".to_owned())))
    })
}

/// Fast, and with overflow and assertions checked as in the tests.
fn fuzz(target: &str, seconds: u64) -> Result {
    cargo::run(&format!("run --profile soak -q -p {FUZZER} -- {target} --seconds {seconds}"))
}

fn pipeline(limit: Duration) -> Result {
    cargo::run(&format!("{TESTS} --no-run"))?;
    let start = Instant::now();
    let (mut cases, mut total, mut round) = (FIRST_ROUND, 0, 0);
    while start.elapsed() < limit {
        round += 1;
        println!("round {round}: {cases} cases per property, {} s gone", start.elapsed().as_secs());
        let before = Instant::now();
        let number = cases.to_string();
        // Proptest allows the same number of discarded inputs however many cases it runs; a long round needs more.
        cargo::run_with(&[("PROPTEST_CASES", &number), ("PROPTEST_MAX_GLOBAL_REJECTS", &number)], TESTS)?;
        total += u64::from(cases);
        cases = next_cases(cases, before.elapsed(), limit.saturating_sub(start.elapsed()));
    }
    println!("{round} rounds, {total} cases per property, no failure");
    Ok(())
}

fn audit(limit: Duration) -> Result {
    cargo::run(&format!("{KILLED} --no-run"))?;
    let (start, mut round) = (Instant::now(), 0);
    while start.elapsed() < limit {
        round += 1;
        println!("round {round}: {} s gone", start.elapsed().as_secs());
        cargo::run_with(&[("TOLLGATE_TEST_SEED", &seed().to_string())], KILLED)?;
    }
    println!("{round} rounds, nothing that was acknowledged is lost");
    Ok(())
}

/// Another one each time, and never 0.
fn seed() -> u64 {
    RandomState::new().hash_one(0) | 1
}

fn arguments<'a>(args: &[&'a str]) -> Result<(u64, Option<&'a str>)> {
    let (minutes, rest) = match args {
        ["--minutes", number, rest @ ..] => (minutes(number)?, rest),
        _ => (DEFAULT_MINUTES, args),
    };
    match rest {
        [] => Ok((minutes, None)),
        [name] if [PIPELINE, AUDIT].contains(name) || FUZZED.contains(name) => Ok((minutes, Some(name))),
        _ => Err(format!(
            "`{}` is not understood here; write `--minutes N` and perhaps one of {PIPELINE}, {AUDIT}, {}, or `mutants`",
            rest.join(" "),
            FUZZED.join(", ")
        )),
    }
}

fn minutes(number: &str) -> Result<u64> {
    let minutes: std::result::Result<NonZeroU64, _> = number.parse();
    minutes.map(u64::from).map_err(|_| format!("`{number}` is not a number of minutes; write 1 or more"))
}

/// As many cases as make a good round, or fill the time that is left; at most doubled from round to round,
/// because one short round says little.
fn next_cases(cases: u32, took: Duration, left: Duration) -> u32 {
    let aim = GOOD_ROUND.min(left).as_secs_f64();
    let scale = (aim / took.as_secs_f64().max(0.001)).min(2.0);
    ((f64::from(cases) * scale) as u32).clamp(FIRST_ROUND, LARGEST_ROUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_and_shrink_towards_a_good_length() {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        for (cases, took, left, expected) in [
            (1_000, second, minute, 2_000),
            (8_000, GOOD_ROUND, minute, 8_000),
            (8_000, GOOD_ROUND * 2, minute, 4_000),
            (8_000, GOOD_ROUND, GOOD_ROUND / 4, 2_000),
            (8_000, minute, Duration::ZERO, FIRST_ROUND),
            (LARGEST_ROUND, second, minute, LARGEST_ROUND),
        ] {
            assert_eq!(next_cases(cases, took, left), expected, "{cases} cases in {took:?}, {left:?} left");
        }
    }

    #[test]
    fn arguments_are_minutes_and_a_name() {
        assert_eq!(arguments(&[]), Ok((10, None)));
        assert_eq!(arguments(&["--minutes", "3"]), Ok((3, None)));
        assert_eq!(arguments(&["shell"]), Ok((10, Some("shell"))));
        assert_eq!(arguments(&["audit"]), Ok((10, Some("audit"))));
        assert_eq!(arguments(&["--minutes", "1", "pipeline"]), Ok((1, Some("pipeline"))));
        for number in ["x", "0", "-1"] {
            let expected = format!("`{number}` is not a number of minutes; write 1 or more");
            assert_eq!(arguments(&["--minutes", number]), Err(expected));
        }
        assert!(arguments(&["3"]).is_err_and(|error| error.starts_with("`3` is not understood here")));
    }
}

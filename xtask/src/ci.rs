//! Everything a change must pass, quick checks first, stopping at the first failure.

mod alone;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Result, bench, cargo, soak, tidy};

type Step = (&'static str, fn() -> Result);

/// One build serves tidy, the tests, the documentation's examples, the fuzzers and the benchmarks: whatever is built for
/// one package alone (`-p`) has other features, and most of the dependencies are compiled once more. The examples'
/// output is compared by ordinary tests.
const STEPS: &[Step] = &[
    ("format", || cargo::run("fmt --all --check")),
    ("lints", || cargo::run("clippy --workspace --all-targets -- -D warnings")),
    ("build", || cargo::run("build --workspace --all-targets")),
    ("tidy", tidy::run),
    ("tests", all_tests),
    ("examples in the documentation", || cargo::run("test --workspace --doc")),
    ("documentation", documentation),
    ("each crate alone", alone::run),
    ("fuzzers", soak::briefly),
    ("quick benchmarks", bench::briefly),
];

/// Runs the steps. Each says how long it took when it ends; the last thing printed is all of that as a table.
pub(crate) fn run() -> Result {
    let mut times = Vec::new();
    let result = run_steps(STEPS, &mut times);
    print!("\n{}", table(&times));
    result
}

fn run_steps(steps: &[Step], times: &mut Vec<(&'static str, Duration)>) -> Result {
    for (number, (name, step)) in steps.iter().enumerate() {
        println!("\n==> {}/{}: {name}", number + 1, steps.len());
        let start = Instant::now();
        let result = step();
        times.push((name, start.elapsed()));
        println!("==> {}/{}: {name}: {:.1} s", number + 1, steps.len(), start.elapsed().as_secs_f64());
        result.map_err(|error| format!("step `{name}`: {error}"))?;
    }
    Ok(())
}

fn all_tests() -> Result {
    if cargo::has("nextest") {
        return cargo::run("nextest run --workspace");
    }
    println!("cargo-nextest is not installed: using `cargo test`");
    cargo::run("test --workspace --tests --lib --bins")
}

fn documentation() -> Result {
    cargo::run_with(&[("RUSTDOCFLAGS", "-Dwarnings")], &pages(&cargo::metadata()?))
}

/// The pages that `cargo doc --workspace --no-deps` makes, and an example's. With an example among them cargo chooses the
/// features that the tests have; with others it would check most dependencies once more.
fn pages(metadata: &Value) -> String {
    let mut line = "doc --workspace --no-deps --lib --example schema".to_owned();
    for package in cargo::list(metadata, "packages") {
        let of_kind = |kind: &'static str| {
            let targets = cargo::list(package, "targets");
            targets.filter(move |target| cargo::list(target, "kind").any(|found| found == kind))
        };
        let library = of_kind("lib").map(|target| cargo::text(target, "name")).next().unwrap_or_default();
        let programs = of_kind("bin").map(|target| cargo::text(target, "name"));
        // A program that is named like its library would have the same page.
        line.extend(programs.filter(|name| name.replace('-', "_") != library).map(|name| format!(" --bin {name}")));
    }
    line
}

fn table(times: &[(&str, Duration)]) -> String {
    let total = times.iter().map(|(_, time)| *time).sum();
    let rows = times.iter().copied().chain([("total", total)]);
    rows.map(|(name, time)| format!("{name:<30} {:>8.1} s\n", time.as_secs_f64())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_library_and_program_has_its_page() {
        let metadata = json!({"packages": [
            {"targets": [{"name": "a_hook", "kind": ["lib"]}, {"name": "a-hook", "kind": ["bin"]}]},
            {"targets": [{"name": "b", "kind": ["bin"]}, {"name": "page", "kind": ["example"]}]},
        ]});
        assert_eq!(pages(&metadata), "doc --workspace --no-deps --lib --example schema --bin b");
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let steps: &[Step] = &[("one", || Ok(())), ("two", || Err("broken".to_owned())), ("three", || Ok(()))];
        let mut times = Vec::new();
        assert_eq!(run_steps(steps, &mut times), Err("step `two`: broken".to_owned()));
        let done: Vec<_> = times.iter().map(|(name, _)| *name).collect();
        assert_eq!(done, ["one", "two"]);
    }

    #[test]
    fn the_table_adds_up() {
        let times = [("format", Duration::from_millis(1500)), ("tests", Duration::from_secs(60))];
        let expected = "\
format                              1.5 s
tests                              60.0 s
total                              61.5 s
";
        assert_eq!(table(&times), expected);
    }
}

//! Programs of this workspace as its tests build them.
//!
//! `cargo run -p X` chooses features for that package alone, and then compiles most of what it needs once more. Built
//! with everybody else, a program costs what it is itself.

use std::path::PathBuf;
use std::process::Command;

use crate::{Result, cargo};

/// The programs that write what is generated and committed, with the package each belongs to.
const GENERATORS: [(&str, &str); 3] =
    [("crates/wire", "schema"), ("crates/config", "policy_schema"), ("crates/hook", "agents_page")];

/// Runs the programs that write what is generated, and returns how each ended.
pub(crate) fn generators(args: &[&str]) -> Result<Vec<Result>> {
    let examples: String = GENERATORS.iter().map(|(_, name)| format!(" --example {name}")).collect();
    cargo::run(&format!("build -q --workspace{examples}"))?;
    let run = |(package, name): &(&str, &str)| {
        let mut command = Command::new(path(&format!("examples/{name}"))?);
        // The programs look for their own package, and would find this one.
        output(command.args(args).env("CARGO_MANIFEST_DIR", package), name)
    };
    Ok(GENERATORS.iter().map(run).collect())
}

/// Where cargo puts a program that it builds for tests.
pub(crate) fn path(name: &str) -> Result<PathBuf> {
    let metadata = cargo::metadata()?;
    Ok(PathBuf::from(cargo::text(&metadata, "target_directory")).join("debug").join(name))
}

/// Runs a program that the build of everything made, with its output on our terminal.
pub(crate) fn run(name: &str, args: &[&str], variables: &[(&str, &str)]) -> Result {
    let status = Command::new(path(name)?).args(args).envs(variables.iter().copied()).status();
    let status = status.map_err(|error| {
        format!("cannot start `{name}`: {error}; `cargo build --workspace --all-targets` builds it")
    })?;
    if status.success() { Ok(()) } else { Err(format!("`{name} {}` failed", args.join(" "))) }
}

/// Runs a program that says little; the error has what it said.
fn output(command: &mut Command, name: &str) -> Result {
    let output = command.output().map_err(|error| format!("cannot start `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("`{name}` failed:\n{}", String::from_utf8_lossy(&said)))
}

//! Calling cargo. A command is written as one line, as one would type it, so that an error can repeat it.

use std::env;
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// Runs cargo with its output on our terminal.
pub(crate) fn run(line: &str) -> Result {
    run_with(&[], line)
}

/// The same with environment variables set.
pub(crate) fn run_with(variables: &[(&str, &str)], line: &str) -> Result {
    if status(variables, line)? == Some(0) {
        return Ok(());
    }
    let set: String = variables.iter().map(|(name, value)| format!("{name}={value} ")).collect();
    Err(format!("this failed, and can be repeated alone: {set}cargo {line}"))
}

/// The same for whoever can tell one failure from another: the status, none if a signal ended it.
pub(crate) fn status(variables: &[(&str, &str)], line: &str) -> Result<Option<i32>> {
    let status = command(line).envs(variables.iter().copied()).status();
    status.map(|status| status.code()).map_err(|error| format!("cannot start `cargo {line}`: {error}"))
}

/// Runs cargo and returns what it printed. The error has all of it, from both streams.
pub(crate) fn output(line: &str) -> Result<String> {
    let output = command(line).output().map_err(|error| format!("cannot start `cargo {line}`: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(printed.into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("`cargo {line}` failed:\n{printed}{complaint}"))
}

/// Whether a cargo subcommand such as `nextest` is installed.
pub(crate) fn has(subcommand: &str) -> bool {
    output(&format!("{subcommand} --version")).is_ok()
}

/// What cargo knows of the workspace's own packages.
pub(crate) fn metadata() -> Result<Value> {
    let text = output("metadata --no-deps --format-version 1")?;
    serde_json::from_str(&text).map_err(|error| format!("cannot read what `cargo metadata` printed: {error}"))
}

/// The elements of a JSON list; none where there is no list.
pub(crate) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

/// A text in a JSON object; empty where there is none.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Cargo tells us in variables which package we are. Whoever builds must not see them: build scripts that look at such
/// variables (ring's does) would run again, and all that depends on them be built again, whenever a chore follows a plain
/// `cargo build` or the other way round.
fn command(line: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(line.split_whitespace());
    let about_us = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(about_us)) {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_not_told_which_package_we_are() {
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some() && env::var_os("CARGO_PKG_NAME").is_some());
        let command = command("build -q");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["build", "-q"]);
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION_MAJOR"] {
            assert!(command.get_envs().any(|(key, value)| key == name && value.is_none()), "{name}");
        }
    }
}

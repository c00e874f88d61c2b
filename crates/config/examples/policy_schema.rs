//! Writes the JSON Schemas of the policy file and of packs to `spec/schema`, or, with `--check`, says which of them is
//! out of date.

#![allow(clippy::print_stderr, reason = "a program for a developer's terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => each(write),
        ["--check"] => each(check),
        _ => Err("usage: schema [--check]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn each(act: fn(&Path, &str) -> Result<(), String>) -> Result<(), String> {
    // Cargo says where this package lies when it runs it; started by hand, the program goes by where it was built.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let folder = PathBuf::from(package).join("../../spec/schema");
    for (name, schema) in tollgate_config::schemas() {
        act(&folder.join(format!("{name}.json")), &format!("{schema:#}\n"))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

fn check(path: &Path, text: &str) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match fs::read_to_string(path) {
        Ok(found) if found == text => Ok(()),
        Ok(_) => Err(format!("`{name}` in `spec/schema` differs from its type; `cargo xtask schema` writes it")),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

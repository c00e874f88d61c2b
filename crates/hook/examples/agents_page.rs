//! Writes the page about agents to `docs/agents.md`, or, with `--check`, says whether it is out of date.

#![allow(clippy::print_stderr, reason = "a program for a developer's terminal")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // Cargo says where this package lies when it runs it; started by hand, the program goes by where it was built.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let path = PathBuf::from(package).join("../../docs/agents.md");
    let page = tollgate_hook::table::page();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => fs::write(&path, page).map_err(|error| format!("cannot write `{}`: {error}", path.display())),
        ["--check"] => match fs::read_to_string(&path) {
            Ok(found) if found == page => Ok(()),
            Ok(_) => Err("`docs/agents.md` differs from the tables; `cargo xtask schema` writes it".to_owned()),
            Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
        },
        _ => Err("usage: agents_page [--check]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

//! The `tollgate` command.
//!
//! Each subcommand is one file in `command`: it reads its arguments, asks the engine, and prints. What is decided is
//! decided elsewhere.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

mod args;
mod command;
mod human;
mod open;
mod output;
mod progress;
mod question;
mod when;

use std::process::ExitCode;

use clap::Parser;

#[cfg(not(panic = "unwind"))]
compile_error!("in most agents a crashed hook means that the tool runs; build this with `panic = \"unwind\"`");

fn main() -> ExitCode {
    // An agent waits for this at every step, so nothing else is touched first.
    if let Some(rest) = hook_arguments() {
        return tollgate_hook::process::main(&rest);
    }
    let args = args::Args::parse();
    let (paint, form) = (output::Paint::from(args.color), args.command.form());
    match command::run(args) {
        Ok(code) => code,
        // Whoever reads our output has had enough of it; that is not a failure of ours.
        Err(command::Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(command::Failure::Said(message)) => {
            // A program that reads JSON gets it in any case; who cannot be told in words is told by the status.
            if let Some(failed) = form.failed(&message) {
                let _ = output::print(&output::safe_json(&format!("{failed}\n")));
            } else {
                eprintln!("{} {message}", paint.red("error:"));
            }
            ExitCode::from(2)
        }
    }
}

/// What follows `hook`, if this is the hook of an agent. Help is for people, who can wait.
fn hook_arguments() -> Option<Vec<String>> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != "hook" {
        return None;
    }
    let rest: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let help = |arg: &String| arg == "--help" || arg == "-h";
    (!rest.is_empty() && !rest.iter().any(help)).then_some(rest)
}

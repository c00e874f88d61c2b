//! The `tollgate` command.
//!
//! Each subcommand is one file in `command`: it reads its arguments, asks the engine, and prints. What is decided is
//! decided elsewhere.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

mod args;
mod command;
mod open;
mod output;
mod progress;
mod question;
mod when;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
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

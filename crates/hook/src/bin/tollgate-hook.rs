//! The hook alone: what agents start at every step.
//!
//! It does what `tollgate hook` does, and is called the same way or without the word `hook`. A program of its own is
//! started faster: it holds no database, no TLS and no parser of command lines.

#![allow(clippy::print_stdout, reason = "a program")]

use std::process::ExitCode;

/// A hook lives for a millisecond. The allocators of C libraries are made for longer lives: one of them returns memory to
/// the kernel at every opportunity, which alone took half a millisecond.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

#[cfg(not(panic = "unwind"))]
compile_error!("in most agents a crashed hook means that the tool runs; build this with `panic = \"unwind\"`");

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--version" | "-V"] => {
            println!("tollgate {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        ["hook", ..] => tollgate_hook::process::main(&args[1..]),
        _ => tollgate_hook::process::main(&args),
    }
}

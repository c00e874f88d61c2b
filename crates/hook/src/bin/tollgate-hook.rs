//! The hook alone: what agents start at every step.
//!
//! It does what `tollgate hook` does. A program of its own is started faster: it holds no database, no TLS and no parser
//! of command lines.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    tollgate_hook::process::main(&args)
}

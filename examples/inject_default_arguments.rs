//! Adds what a call left out: a flag at the end of a command, and a limit of time.
//!
//! Edits see the work of those before them. An argument that is there already stays as it is.
//!
//! Prints:
//!
//! ```text
//! {"command":"grep -r TODO src --color=never","timeout":30000}
//! {"command":"ls --color=always","timeout":30000}
//! {"command":"cargo build --color=never","timeout":600000}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::json;
use tollgate::{Call, Gate, Tool, block_on};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-color").tool("exec").edit(|_call, mut args| {
        let plain = args.text("command").filter(|command| !command.contains("--color"));
        match plain.map(|command| format!("{command} --color=never")) {
            Some(command) => args.set("command", command),
            None => Ok(()),
        }
    })?;
    gate.before_tool("timeout").tool("exec").edit(|_call, mut args| args.default("timeout", 30_000))?;

    let session = gate.session("s-1");
    let exec = Tool::new("exec", |call| async move { Ok(call.params) });
    for params in [
        json!({"command": "grep -r TODO src"}),
        json!({"command": "ls --color=always"}),
        json!({"command": "cargo build", "timeout": 600_000}),
    ] {
        println!("{}", block_on(session.call(&exec, Call::new("call", params))).value);
    }
    Ok(())
}

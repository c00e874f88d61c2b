//! Keeps one command from running: a guard on one tool.
//!
//! `Bash` is an alias of `exec`, so a rule for one is a rule for both. The model is told why, and can try
//! something else.
//!
//! Prints:
//!
//! ```text
//! ls -l     {"output":"ran ls -l"}
//! rm -rf /  {"status":"blocked","tool":"exec","reason":"rm -rf is not allowed"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::json;
use tollgate::{Call, Gate, Tool, Verdict, block_on};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-rm-rf").tool("exec").guard(|_call, args| match args.text("command") {
        Some(command) if command.contains("rm -rf") => Verdict::deny("rm -rf is not allowed"),
        _ => Verdict::Pass,
    })?;

    let session = gate.session("s-1").agent("main");
    let bash = Tool::new("Bash", |call| async move {
        let command = call.params["command"].as_str().ok_or("a command is missing")?;
        Ok(json!({"output": format!("ran {command}")}))
    });
    for (id, command) in [("call-1", "ls -l"), ("call-2", "rm -rf /")] {
        let done = block_on(session.call(&bash, Call::new(id, json!({"command": command}))));
        println!("{command:<9} {}", done.value);
    }
    Ok(())
}

//! Takes colours out of what tools return: they cost tokens and tell a model nothing.
//!
//! Prints:
//!
//! ```text
//! before: "\u{1b}[1;32mok\u{1b}[0m 12 tests"
//! after:  "ok 12 tests"
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use regex::Regex;
use serde_json::json;
use tollgate::{Call, Gate, Tool, block_on};

const COLOURED: &str = "\u{1b}[1;32mok\u{1b}[0m 12 tests";

fn main() -> Result<(), Box<dyn Error>> {
    let ansi = Regex::new("\u{1b}\\[[0-9;]*m")?;
    let gate = Gate::new();
    gate.after_tool("no-colours")
        .edit(move |_call, mut result| result.map(|text| ansi.replace_all(text, "").into_owned()))?;

    let exec = Tool::new("exec", |_call| async { Ok(json!({"output": COLOURED})) });
    let done = block_on(gate.session("s-1").call(&exec, Call::new("call-1", json!({"command": "cargo test"}))));
    println!("before: {COLOURED:?}");
    println!("after:  {:?}", done.value["output"].as_str().unwrap_or_default());
    Ok(())
}

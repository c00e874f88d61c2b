//! Takes keys out of what tools return, before the model sees it.
//!
//! Results come in many shapes, and often say the same thing twice: as text for the model, and as details
//! for programs. `map` rewrites every text in every shape, the details included.
//!
//! Prints:
//!
//! ```text
//! {"output":"OPENAI_API_KEY=sk-***"}
//! {"content":[{"type":"text","text":"the key is sk-***"}],"details":{"env":{"KEY":"sk-***"}}}
//! {"stdout":"sk-short is no key","stderr":""}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use regex::Regex;
use serde_json::json;
use tollgate::{Call, Gate, Tool, block_on};

const FAKE: &str = "sk-EXAMPLEexampleEXAMPLE0000";

fn main() -> Result<(), Box<dyn Error>> {
    let keys = Regex::new("sk-[a-zA-Z0-9]{20,}")?;
    let gate = Gate::new();
    gate.after_tool("redact-secrets")
        .priority(5)
        .edit(move |_call, mut result| result.map(|text| keys.replace_all(text, "sk-***").into_owned()))?;

    let session = gate.session("s-1");
    let echo = Tool::new("read", |call| async move { Ok(call.params) });
    for result in [
        json!({"output": format!("OPENAI_API_KEY={FAKE}")}),
        json!({
            "content": [{"type": "text", "text": format!("the key is {FAKE}")}],
            "details": {"env": {"KEY": FAKE}},
        }),
        json!({"stdout": "sk-short is no key", "stderr": ""}),
    ] {
        println!("{}", block_on(session.call(&echo, Call::new("call", result))).value);
    }
    Ok(())
}

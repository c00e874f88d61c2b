//! A plugin that keeps reading inside one folder: it puts `/sandbox` before each path.
//!
//! Plugins speak JSON: the event comes in as an object, and the answer says which params are different. They
//! are laid over those of the call; what is not named stays.
//!
//! Prints:
//!
//! ```text
//! {"path":"/sandbox/etc/passwd","limit":100}
//! {"path":"/sandbox/notes.md"}
//! {}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::{Value, json};
use tollgate::{BadRegistration, Call, Gate, Plugin, PluginApi, PluginOptions, Tool, block_on};

struct PathPrefix;

impl Plugin for PathPrefix {
    fn id(&self) -> &str {
        "path-prefix"
    }

    fn name(&self) -> &str {
        "Path prefix"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration> {
        api.on("before_tool_call", |event, _context| async move { prefixed(&event) }, 0)
    }
}

/// The answer to one event; none is no opinion.
fn prefixed(event: &Value) -> Option<Value> {
    let path = event["params"]["path"].as_str().filter(|_| event["toolName"] == "read")?;
    let outside = !path.starts_with("/sandbox/");
    outside.then(|| json!({"params": {"path": format!("/sandbox{path}")}}))
}

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.activate(&PathPrefix, PluginOptions::default())?;

    let session = gate.session("s-1");
    let read = Tool::new("Read", |call| async move { Ok(call.params) });
    for params in [json!({"path": "/etc/passwd", "limit": 100}), json!({"path": "/sandbox/notes.md"}), json!({})] {
        println!("{}", block_on(session.call(&read, Call::new("call", params))).value);
    }
    Ok(())
}

//! A whole plugin: it refuses commands by pattern, before anybody else is asked, and keeps a record.
//!
//! The session tells refusals in the words that models of such plugins know, `{"status":"error", …}`.
//!
//! Prints:
//!
//! ```text
//! Tool Guard: security guardrails for shell commands
//! info: exec completed (session: s-1, success: true)
//! {"output":"ran ls -la"}
//! warn: blocked bash: `sudo` in session s-1
//! info: bash completed (session: s-1, success: false)
//! {"status":"error","tool":"exec","error":"security policy: `sudo` is not allowed"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::{Value, json};
use tollgate::{BadRegistration, Call, Dialect, Gate, Plugin, PluginApi, PluginContext, PluginOptions, Tool, block_on};

const BLOCKED: [&str; 4] = ["rm -rf", "sudo", "> /etc/", "chmod 777"];

struct ToolGuard;

impl Plugin for ToolGuard {
    fn id(&self) -> &str {
        "tool-guard"
    }

    fn name(&self) -> &str {
        "Tool Guard"
    }

    fn description(&self) -> &str {
        "security guardrails for shell commands"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration> {
        api.on("before_tool_call", |event, context| async move { veto(&event, &context) }, 1000)?;
        api.on("after_tool_call", |event, context| async move { record(&event, &context) }, 0)
    }
}

fn veto(event: &Value, context: &PluginContext) -> Option<Value> {
    let command = event["params"]["command"].as_str().unwrap_or_default();
    let is_shell = ["exec", "bash"].contains(&context.tool_name.as_str());
    let pattern = BLOCKED.into_iter().find(|pattern| is_shell && command.contains(pattern))?;
    let session = context.session_key.as_deref().unwrap_or_default();
    println!("warn: blocked {}: `{pattern}` in session {session}", context.tool_name);
    Some(json!({"block": true, "blockReason": format!("security policy: `{pattern}` is not allowed")}))
}

fn record(event: &Value, context: &PluginContext) {
    let (session, success) = (context.session_key.as_deref().unwrap_or_default(), event["error"].is_null());
    println!("info: {} completed (session: {session}, success: {success})", context.tool_name);
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}: {}", ToolGuard.name(), ToolGuard.description());
    let gate = Gate::new();
    gate.activate(&ToolGuard, PluginOptions::default())?;

    let session = gate.session("s-1").dialect(Dialect::STATUS_ERROR);
    for (name, command) in [("exec", "ls -la"), ("Bash", "sudo reboot")] {
        let tool = Tool::new(name, move |_call| async move { Ok(json!({"output": format!("ran {command}")})) });
        println!("{}", block_on(session.call(&tool, Call::new("call", json!({"command": command})))).value);
    }
    Ok(())
}

//! Wraps tools that exist already, in two layers: a firewall around an audit.
//!
//! What comes out are tools again, alike in everything but how they run. Whoever holds one can call it only
//! through its layers.
//!
//! Prints:
//!
//! ```text
//! bash (Shell): runs a command
//! open_issues (open_issues): lists open issues
//! audit: bash ended Ok
//! firewall: result of bash replaced
//! {"output":"[withheld: 42 bytes]"}
//! {"content":[{"type":"text","text":"[firewall] blocked: `open_issues` is not on the list"}],"details":{}}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::json;
use tollgate::{BadRegistration, Call, PostDecision, PreCall, PreDecision, Tool, block_on, enumerate, wrap_tools};

fn main() -> Result<(), Box<dyn Error>> {
    let bash = Tool::new("bash", |_call| async { Ok(json!({"output": "x".repeat(42)})) })
        .label("Shell")
        .description("runs a command");
    let issues =
        Tool::new("open_issues", |_call| async { Ok(json!({"output": "2 open"})) }).description("lists open issues");

    let tools = with_firewall(with_audit(vec![bash, issues])?)?;
    for tool in enumerate(&tools) {
        println!("{} ({}): {}", tool.name, tool.label, tool.description);
    }
    for tool in &tools {
        println!("{}", block_on(tool.execute(Call::new("call", json!({})))).value);
    }
    Ok(())
}

/// The inner layer sees only what the outer one let through.
fn with_audit(tools: Vec<Tool>) -> Result<Vec<Tool>, BadRegistration> {
    let pre = |_call| async { PreDecision::Allow };
    wrap_tools(tools, pre, |done| async move {
        println!("audit: {} ended {:?}", done.tool_name, done.ended);
        PostDecision::Keep
    })
}

fn with_firewall(tools: Vec<Tool>) -> Result<Vec<Tool>, BadRegistration> {
    let pre = |call: PreCall| async move {
        let listed = ["bash", "read"].contains(&call.tool_name.as_str());
        let refusal = || PreDecision::Deny(format!("`{}` is not on the list", call.tool_name));
        if listed { PreDecision::Allow } else { refusal() }
    };
    wrap_tools(tools, pre, |done| async move {
        let output = done.result["output"].as_str().unwrap_or_default();
        if output.len() < 40 {
            return PostDecision::Keep;
        }
        println!("firewall: result of {} replaced", done.tool_name);
        PostDecision::Redact(json!({"output": format!("[withheld: {} bytes]", output.len())}))
    })
}

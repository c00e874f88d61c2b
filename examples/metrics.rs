//! Counts calls, failures and time, for each tool.
//!
//! There is exactly one `tool.after` for each `tool.before`, refused calls included, so the sums are right.
//! The times are summed but not printed: they would differ each time.
//!
//! Prints:
//!
//! ```text
//! exec  3 calls, 1 denied, 0 failed
//! read  2 calls, 0 denied, 1 failed
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tollgate::{Call, Ended, Gate, Tool, Verdict, block_on};

#[derive(Default)]
struct Sums {
    calls: u32,
    denied: u32,
    failed: u32,
    time: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-sudo").tool("exec").guard(|_call, args| {
        let sudo = args.text("command").is_some_and(|command| command.starts_with("sudo"));
        sudo.then(|| Verdict::deny("there is no sudo here"))
    })?;
    let metrics: Arc<Mutex<BTreeMap<String, Sums>>> = Arc::default();
    let shared = Arc::clone(&metrics);
    gate.after_tool("metrics").watch(move |call, result, _outcome| {
        let tool = call.tool_name(&result);
        let mut metrics = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = metrics.entry(tool.to_owned()).or_default();
        sums.calls += 1;
        sums.denied += u32::from(call.ended == Some(Ended::Denied));
        sums.failed += u32::from(call.ended == Some(Ended::Error));
        sums.time += call.took.unwrap_or_default();
    })?;

    let session = gate.session("s-1");
    let exec = Tool::new("Bash", |_call| async { Ok(json!({"output": "done"})) });
    let read = Tool::new("Read", |call| async move {
        let path = call.params["path"].as_str().ok_or("a path is missing")?;
        Ok(json!({"output": format!("what is in {path}")}))
    });
    for command in ["ls", "sudo ls", "pwd"] {
        block_on(session.call(&exec, Call::new("call", json!({"command": command}))));
    }
    for params in [json!({"path": "a.txt"}), json!({})] {
        block_on(session.call(&read, Call::new("call", params)));
    }

    for (tool, Sums { calls, denied, failed, .. }) in &*metrics.lock().unwrap_or_else(PoisonError::into_inner) {
        println!("{tool:<5} {calls} calls, {denied} denied, {failed} failed");
    }
    Ok(())
}

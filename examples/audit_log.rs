//! Writes down every call: which tool, which call, its arguments, what was decided, and how it ended.
//!
//! A watcher comes last whatever its priority, so it sees the arguments as they run. It has no say, with one
//! exception: with `OnFault::Deny`, a call that could not be written down does not happen.
//!
//! Arguments may hold secrets, and a log is read by more people than a session. This one prints the fields
//! it knows to be harmless, and of all others only that they are there.
//!
//! Prints:
//!
//! ```text
//! [audit] tool=exec call=call-1 args={"command":"git status"} decided=pass
//! [audit] tool=exec call=call-1 ended=Ok
//! [audit] tool=login call=call-2 args={"user":"ada","password":"…"} decided=pass
//! [audit] tool=login call=call-2 ended=Error
//! [audit] tool=exec call=call-3 args={"command":"sudo reboot"} decided=deny
//! [audit] tool=exec call=call-3 ended=Denied
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::{Map, Value, json};
use tollgate::{Call, Gate, OnFault, Tool, ToolError, Verdict, block_on};

const HARMLESS: [&str; 3] = ["command", "path", "user"];

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-sudo").tool("exec").guard(|_call, args| {
        let sudo = args.text("command").is_some_and(|command| command.contains("sudo"));
        sudo.then(|| Verdict::deny("there is no sudo here"))
    })?;
    gate.before_tool("audit:before").on_fault(OnFault::Deny).watch(|call, args, outcome| {
        let tool = call.tool_name(&args);
        let decided = outcome.act.name();
        let (id, args) = (call.call_id.unwrap_or_default(), without_secrets(args.value()));
        println!("[audit] tool={tool} call={id} args={args} decided={decided}");
    })?;
    gate.after_tool("audit:after").watch(|call, result, _outcome| {
        let tool = call.tool_name(&result);
        let (id, ended) = (call.call_id.unwrap_or_default(), call.ended);
        println!("[audit] tool={tool} call={id} ended={}", ended.map(|how| format!("{how:?}")).unwrap_or_default());
    })?;

    let session = gate.session("s-1");
    let bash = Tool::new("Bash", |_call| async { Ok(json!({"output": "done"})) });
    let login = Tool::new("login", |_call| async { Err(ToolError("wrong password".to_owned())) });
    block_on(session.call(&bash, Call::new("call-1", json!({"command": "git status"}))));
    block_on(session.call(&login, Call::new("call-2", json!({"user": "ada", "password": "hunter2"}))));
    block_on(session.call(&bash, Call::new("call-3", json!({"command": "sudo reboot"}))));
    Ok(())
}

/// The arguments, with a mark in place of what may be secret.
fn without_secrets(args: &Value) -> Value {
    let fields = args.as_object().into_iter().flatten();
    let shown = fields.map(|(key, value)| {
        let harmless = HARMLESS.contains(&key.as_str());
        (key.clone(), if harmless { value.clone() } else { "…".into() })
    });
    Value::Object(Map::from_iter(shown))
}

//! Who runs when: by role, then by priority, then in order of registration; and for which tools.
//!
//! Edits come before guards and guards before watchers, so no number can put a check before a change. An
//! edit that both checks and changes is asked again (its second look) if one after it changed the call.
//!
//! Prints:
//!
//! ```text
//! exec:       edit vet (100), edit expand (10), guard length (0), watch log (1000)
//! web_fetch:  edit web (0), guard length (0), watch log (1000)
//! write:      edit files (0), guard length (0), watch log (1000)
//! read:       guard length (0), watch log (1000)
//! clean-up:   vet passed, expand changed it, vet (look 2) denied: rm -rf is not allowed
//! ls:         vet passed, expand passed, length passed
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::json;
use tollgate::{Call, Entry, Gate, Outcome, Point, Registration, Role, Said, Tool, Verdict, block_on};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    // Registered last to first, to show that it does not matter.
    gate.before_tool("log").priority(1000).watch(|_call, _args, outcome| println!("{}", story(outcome)))?;
    gate.before_tool("length").guard(|_call, args| {
        (args.to_bytes().len() > 10_000).then(|| Verdict::deny("that is too long; make it shorter"))
    })?;
    gate.before_tool("files").tool_regex("^(write|edit)$").edit(|_call, mut args| args.default("mode", "0644"))?;
    gate.before_tool("web").tool_glob("web*").edit(|_call, mut args| args.default("follow", true))?;
    gate.before_tool("expand").tool("exec").priority(10).edit(|_call, mut args| match args.text("command") {
        Some("clean-up") => args.set("command", "rm -rf build"),
        _ => Ok(()),
    })?;
    gate.before_tool("vet").tool_regex("^exec$").priority(100).edit(|_call, args| match args.text("command") {
        Some(command) if command.contains("rm -rf") => Verdict::deny("rm -rf is not allowed"),
        _ => Verdict::Pass,
    })?;

    for tool in ["exec", "web_fetch", "write", "read"] {
        let order: Vec<_> = gate.at(Point::ToolBefore, Some(tool)).iter().map(place).collect();
        println!("{:<11} {}", format!("{tool}:"), order.join(", "));
    }
    let session = gate.session("s-1");
    let exec = Tool::new("exec", |_call| async { Ok(json!({"output": "done"})) });
    for command in ["clean-up", "ls"] {
        print!("{:<12}", format!("{command}:"));
        block_on(session.call(&exec, Call::new("call", json!({"command": command}))));
    }
    Ok(())
}

fn place(entry: &Registration) -> String {
    let role = match entry.role {
        Role::Edit(_) => "edit",
        Role::Guard(_) => "guard",
        Role::Watch(_) => "watch",
    };
    format!("{role} {} ({})", entry.id, entry.priority)
}

fn story(outcome: &Outcome) -> String {
    outcome.trace.entries().map(|(who, turn)| format!("{}{}", who.id, did(&turn))).collect::<Vec<_>>().join(", ")
}

fn did(turn: &Entry) -> String {
    let look = if turn.look == 2 { " (look 2)" } else { "" };
    match &turn.said {
        Said::Passed if turn.change.as_deref().is_some() => format!("{look} changed it"),
        Said::Passed => format!("{look} passed"),
        Said::Denied(reason) => format!("{look} denied: {reason}"),
        other => format!("{look} said {other:?}"),
    }
}

//! A gate for the whole process, for programs where nothing can be passed along, and what a gate can be
//! asked about itself.
//!
//! Prints:
//!
//! ```text
//! before init: no gate
//! registered: ["trim", "no-rm-rf", "no-ads"]
//! before exec: ["no-rm-rf"]
//! again: there is already an interceptor `trim`; choose another id
//! removed: true, and again: false
//! the web rule is for regex `^web`
//! dropped with its handle: ["no-rm-rf", "no-ads"]
//! cleared: []
//! after reset: no gate
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use tollgate::{BadRegistration, Gate, Handle, Match, Point, Registration, Verdict, global};

fn main() -> Result<(), Box<dyn Error>> {
    println!("before init: {}", if global::get().is_some() { "a gate" } else { "no gate" });
    register(&global::init())?;

    // Anywhere else in the program: the same gate.
    let gate = global::init();
    println!("registered: {:?}", gate.ids());
    println!("before exec: {:?}", ids(&gate.at(Point::ToolBefore, Some("exec"))));
    if let Err(problem) = trim(&gate) {
        println!("again: {problem}");
    }
    println!("removed: {}, and again: {}", gate.remove("trim"), gate.remove("trim"));
    if let Some(Match::With(tools, _)) = gate.get("no-ads").map(|rule| rule.select.tool) {
        println!("the web rule is for {tools}");
    }
    drop(trim(&gate)?.remove_on_drop());
    println!("dropped with its handle: {:?}", ids(&gate.list()));
    gate.clear();
    println!("cleared: {:?}", gate.ids());

    global::reset();
    println!("after reset: {}", if global::get().is_some() { "a gate" } else { "no gate" });
    Ok(())
}

fn register(gate: &Gate) -> Result<(), BadRegistration> {
    trim(gate)?;
    gate.before_tool("no-rm-rf").tool("exec").priority(100).guard(|_call, args| {
        let bad = args.text("command").is_some_and(|command| command.contains("rm -rf"));
        bad.then(|| Verdict::deny("rm -rf is not allowed"))
    })?;
    gate.before_tool("no-ads").tool_regex("^web").edit(|_call, mut args| args.default("ads", false))?;
    Ok(())
}

fn trim(gate: &Gate) -> Result<Handle, BadRegistration> {
    gate.after_tool("trim").edit(|_call, mut result| result.map(|text| text.trim().to_owned()))
}

fn ids(registrations: &[Registration]) -> Vec<&str> {
    registrations.iter().map(|entry| &*entry.id).collect()
}

//! What happens when an interceptor itself breaks: a broken check is not a passed check.
//!
//! An edit or a guard that fails refuses, and says how to mend it. Where somebody would rather go on without
//! it, they write so. A watcher that fails changes nothing, unless the record must not be missing.
//!
//! Prints:
//!
//! ```text
//! guard fails:     `licence` could not judge this (crash: no list of licences), so it is refused; to mend it: run `get-licences`
//! guard is slow:   `licence` could not judge this (timeout: no answer within 10ms), so it is refused; to mend it: fix or remove it, then try again
//! may be missing:  Ok
//! watcher fails:   Ok
//! record fails:    `record` could not judge this (crash: the disk is full), so it is refused; to mend it: free some space
//! plugin fails:    Ok
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::future::pending;
use std::time::Duration;

use serde_json::json;
use tollgate::{BadRegistration, Call, Gate, OnFault, Plugin, PluginApi, PluginOptions, Tool, Verdict, block_on};

const NO_LIST: Result<Verdict, &str> = Err("no list of licences");

struct Forgiven;

impl Plugin for Forgiven {
    fn id(&self) -> &str {
        "forgiven"
    }

    fn name(&self) -> &str {
        "A plugin whose failures are forgiven"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration> {
        api.on("before_tool_call", |_event, _context| async { Err::<(), _>("out of order") }, 0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    attempt("guard fails:", |gate| {
        gate.before_tool("licence").mend("run `get-licences`").guard(|_call, _args| NO_LIST).map(drop)
    })?;
    attempt("guard is slow:", |gate| {
        let slow = gate.before_tool("licence").limit(Duration::from_millis(10));
        slow.guard_async(|_call, _args| pending::<Verdict>()).map(drop)
    })?;
    let optional = |gate: &Gate| gate.before_tool("licence").on_fault(OnFault::Pass);
    attempt("may be missing:", |gate| optional(gate).guard(|_call, _args| NO_LIST).map(drop))?;
    let full = Err::<(), _>("the disk is full");
    attempt("watcher fails:", |gate| gate.before_tool("record").watch(move |_, _, _| full).map(drop))?;
    attempt("record fails:", |gate| {
        let must_work = gate.before_tool("record").on_fault(OnFault::Deny).mend("free some space");
        must_work.watch(move |_, _, _| full).map(drop)
    })?;
    attempt("plugin fails:", |gate| gate.activate(&Forgiven, PluginOptions { catch_errors: true }))
}

fn attempt(what: &str, add: impl FnOnce(&Gate) -> Result<(), BadRegistration>) -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    add(&gate)?;
    let tool = Tool::new("exec", |call| async move { Ok(call.params) });
    let done = block_on(gate.session("s-1").call(&tool, Call::new("call", json!({}))));
    println!("{what:<16} {}", done.reason.unwrap_or_else(|| format!("{:?}", done.ended)));
    Ok(())
}

//! `tollgate halt`

use std::process::ExitCode;

use serde_json::json;
use tollgate_audit::stamp;
use tollgate_engine::{Halt, Switch};

use super::switched::{self, Switching};
use super::{Done, Failure};
use crate::args::{self, Policy};
use crate::output::{print, print_json, visible};

/// Anybody may stop everything, an agent included.
pub(super) fn run(policy: &Policy, args: &args::Halt) -> Done {
    let switching = Switching::new(policy)?;
    let switch = Switch::at(&switching.state);
    let before = switch.read(switching.now()).halted;
    let reason = args.reason.clone().unwrap_or_default();
    let halt = Halt { reason, by: switched::user(), since: stamp(switching.now()) };
    // Everything stops first; what cannot be recorded stops all the same.
    switch.halt(&halt)?;
    let recorded = match &before {
        Some(_) => Ok(()),
        None => switching.record("tollgate.halt", &serde_json::to_value(&halt).unwrap_or_default()),
    };
    let fault = match recorded {
        Err(Failure::Said(fault)) => Some(fault),
        _ => None,
    };
    if args.json.json {
        let (halt, already) = (before.as_ref().unwrap_or(&halt), before.is_some());
        print_json(&json!({ "halted": halt, "already": already, "recorded": fault.is_none(), "fault": fault }))?;
    } else {
        let said = if before.is_some() { "all agents were halted already" } else { "all agents are halted" };
        print(&format!("{said}: every call is refused\n  end it: tollgate resume\n"))?;
        if let Some(fault) = &fault {
            print(&format!("  this could not be recorded: {}\n", visible(fault)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

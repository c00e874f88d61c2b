//! `tollgate pause` and `tollgate resume`

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tollgate_engine::{Pause, Resumed, Switch};
use tollgate_rules::form::Span;

use super::switched::{self, Switching};
use super::{Done, Failure, NO};
use crate::args::{self, Policy};
use crate::human;
use crate::output::{print, print_json, visible};

pub(super) fn run(policy: &Policy, args: &args::Pause) -> Done {
    human::require("tollgate pause", args.key.key.as_deref())?;
    let long = long(&args.long)?;
    if args.reason.trim().is_empty() {
        return Err("`--reason` is empty; say why, for whoever reads the log later".to_owned().into());
    }
    let switching = Switching::new(policy)?;
    let pause = Pause::new(switching.now(), long, &args.reason, &switched::user())?;
    // Without a record nothing is let through.
    switching.record("tollgate.pause", &serde_json::to_value(&pause).unwrap_or_default())?;
    let switch = Switch::at(&switching.state);
    switch.pause(&pause)?;
    let halted = switch.read(switching.now()).halted.is_some();
    if args.json.json {
        print_json(&json!({ "paused": pause, "halted": halted }))?;
    } else {
        let until = pause.until.get(..16).unwrap_or(&pause.until).replace('T', " ");
        print(&format!(
            "paused until {until} UTC: nothing is stopped, everything is recorded\n  end it: tollgate resume\n"
        ))?;
        if halted {
            print("  all agents are halted, which holds until `tollgate resume`\n")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn long(text: &str) -> Result<Duration, Failure> {
    let wrong = || format!("`{}` is no length of time; write `10m` or `2h`, at most `24h`", visible(text));
    let long = Span::from(text).duration().map_err(|_| wrong())?;
    if long > tollgate_engine::LONGEST_PAUSE {
        return Err(format!("`{}` is too long; a pause lasts at most `24h`", visible(text)).into());
    }
    Ok(long)
}

pub(super) fn resume(policy: &Policy, args: &args::Resume) -> Done {
    human::require("tollgate resume", args.key.key.as_deref())?;
    let switching = Switching::new(policy)?;
    let switch = Switch::at(&switching.state);
    let stand = switch.read(switching.now());
    if !stand.is_off() {
        let reason = stand.halted.as_ref().map(|halt| halt.reason.clone());
        let what = json!({ "halted": stand.halted.is_some(), "paused": stand.paused.is_some(), "reason": reason });
        switching.record("tollgate.resume", &what)?;
    }
    let Resumed { halt, pause } = switch.resume()?;
    if args.json.json {
        print_json(&json!({ "halt_ended": halt, "pause_ended": pause }))?;
    } else {
        let said = match (halt, pause) {
            (true, true) => "the halt and the pause are over",
            (true, false) => "the halt is over",
            (false, true) => "the pause is over",
            (false, false) => "nothing was halted or paused",
        };
        print(&format!("{said}; the policy is enforced\n"))?;
    }
    Ok(if halt || pause { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

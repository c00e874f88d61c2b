//! Measures hooks as whole processes, beside other guards; see `hooks` for how.
//!
//! `TOLLGATE_HOOK` names the program to measure; `cargo xtask bench hook` builds it first, as it is given to others.

use std::io::Write as _;

use tollgate_benches::cases::Trouble;
use tollgate_benches::hooks::{FIVE_LINES, Hook, Place, kept, shown, text};
use tollgate_benches::peers;

fn main() -> Result<(), Trouble> {
    let quick = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--quick") => true,
        Some(other) => return Err(format!("there is no `{other}`; use --quick").into()),
    };
    let ours = std::env::var("TOLLGATE_HOOK").map_err(|_| "TOLLGATE_HOOK must name the hook's program")?;
    let place = Place::new()?;
    let ours = place.install(&ours)?;
    let mut hooks = vec![Hook::floor("/bin/true"), Hook::new("tollgate, all packs, recorded", &[&ours, "claude-code"])];
    // Others take long to install, and hundreds of times as long to run.
    if !quick {
        hooks.push(Hook::new("five lines of bash and jq", &["bash", "-c", FIVE_LINES]));
        let folder = peers::install()?;
        let guard = text(&peers::agentguard()?);
        let (node, nah) = (folder.join("node_modules/.bin/cc-safety-net"), folder.join("venv/bin/nah"));
        hooks.push(Hook::new("apohara-agentguard 0.5.1", &[&guard, "hook"]));
        hooks.push(Hook::new("cc-safety-net 2.4.5", &[&text(&node), "hook", "--claude-code"]));
        hooks.push(Hook::new("nah 0.11.0", &[&text(&nah), "_claude-hook"]));
    }
    let all = place.race(&hooks, if quick { 30 } else { 300 })?;
    // A quick look is at a program as cargo builds it, which starts slower than what is given to others.
    let kept = if quick { String::new() } else { kept(&all) };
    let _ = std::io::stdout().write_all(format!("{}{kept}", shown(&all)).as_bytes());
    Ok(())
}

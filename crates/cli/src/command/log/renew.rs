//! Beginning a new log.

use std::process::ExitCode;

use tollgate_audit::{follow, set_aside, stamp};
use tollgate_clock::SystemClock;
use tollgate_core::Clock;

use super::args::New;
use super::place::{Place, shown};
use super::{count, own};
use crate::args::Policy;
use crate::command::{Done, NO};
use crate::output::{Paint, print};
use crate::{human, open};

pub(super) fn run(policy: &Policy, args: &New, paint: Paint) -> Done {
    let place = Place::of(policy, &super::args::Where::default())?;
    let head = place.head();
    if head.is_none() && place.reader().segments()?.is_empty() {
        print("nothing is recorded yet, so there is nothing to set aside\n")?;
        return Ok(ExitCode::from(NO));
    }
    if !args.yes {
        let records = head.map_or("a log without a head".to_owned(), |head| count(head.count, "record"));
        print(&format!("{records} would be set aside and a new log begun; with --yes it is done\n"))?;
        return Ok(ExitCode::from(NO));
    }
    human::require("tollgate log new", args.key.key.as_deref())?;
    // What is wrong with the policy must be known before anything is moved.
    open::plan(policy, paint)?;
    let name: String = stamp(SystemClock::default().wall()).chars().filter(char::is_ascii_digit).collect();
    let (old, head) = set_aside(&place.dir, &format!("old-{name}"))?;
    let (log, _) = own::open(policy, paint)?;
    if let Some(head) = &head {
        follow(&log, head)?;
    }
    let (old, verify) = (shown(&old), "`tollgate log verify --dir` still checks it");
    print(&format!("the old log is now in {old}\n  {verify}; the new one names it\n"))?;
    Ok(ExitCode::SUCCESS)
}

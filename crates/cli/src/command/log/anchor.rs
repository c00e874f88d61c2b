//! Publishing the newest signed head.

use std::process::ExitCode;

use tollgate_audit::publish_newest;
use tollgate_engine::record::anchored;

use super::args::Anchor;
use super::{count, own};
use crate::args::Policy;
use crate::command::Done;
use crate::output::{Paint, print, visible};

pub(super) fn run(policy: &Policy, args: &Anchor, paint: Paint) -> Done {
    let (log, audit) = own::open(policy, paint)?;
    if args.print {
        let head = log.head()?.ok_or("nothing is recorded yet, so there is no head".to_owned())?;
        print(&format!("{}\n", head.to_json()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let help = "name a place in the policy, such as `[audit] anchor = { file = \"/mnt/other/head\" }`, or use --print";
    let place = audit.anchor.ok_or_else(|| format!("the policy has no anchor; {help}"))?;
    match publish_newest(&anchored(&place), &log)? {
        Some(head) => {
            let place = visible(&place.to_string());
            print(&format!("published to {place}: {} up to {}\n", count(head.count, "record"), head.time))?;
        }
        None => print("nothing is recorded yet, so there is no head\n")?,
    }
    Ok(ExitCode::SUCCESS)
}

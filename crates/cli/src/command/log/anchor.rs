//! Publishing the newest signed head.

use std::process::ExitCode;

use tollgate_audit::{Head, publish_newest};
use tollgate_config::Anchor as Place;
use tollgate_engine::record::anchored;

use super::args::Anchor;
use super::{count, json, own};
use crate::args::Policy;
use crate::command::{Done, Failure};
use crate::output::{Paint, print, thousands, visible};

pub(super) fn run(policy: &Policy, args: &Anchor, paint: Paint) -> Done {
    let (log, audit) = own::open(policy, paint)?;
    if args.print {
        let head = log.head()?.ok_or("nothing is recorded yet, so there is no head".to_owned())?;
        print(&json::line(&head.to_json()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let help = "name a place in the policy, such as `[audit] anchor = { file = \"/mnt/other/head\" }`, or use --print";
    let place = audit.anchor.ok_or_else(|| format!("the policy has no anchor; {help}"))?;
    if let Some(head) = log.head()?
        && let Some(published) = newest(&place, &head)
    {
        compare(&published, &head)?;
        if published.head == head.head {
            let place = visible(&place.to_string());
            print(&format!("{place} has this head already: {} up to {}\n", count(head.count, "record"), head.time))?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    match publish_newest(&anchored(&place), &log)? {
        Some(head) => {
            let place = visible(&place.to_string());
            print(&format!("published to {place}: {} up to {}\n", count(head.count, "record"), head.time))?;
        }
        None => print("nothing is recorded yet, so there is no head\n")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The head of this log with the most records that was published to a file. What else stands there is not ours.
fn newest(place: &Place, own: &Head) -> Option<Head> {
    let Place::File(path) = place else { return None };
    // Whoever reads a pipe waits for somebody who writes to it.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let text = std::fs::read(path).ok()?;
    let heads = text.split(|byte| *byte == b'\n').filter_map(Head::parse);
    let ours = heads.filter(|head| (head.log, head.key) == (own.log, own.key) && head.is_genuine());
    ours.max_by_key(|head| head.count)
}

/// A head that speaks of less must not come after one that speaks of more, or of something else.
fn compare(published: &Head, own: &Head) -> Result<(), Failure> {
    let (there, here) = (count(published.count, "record"), thousands(own.count));
    if published.count > own.count {
        return Err(format!("the anchor speaks of {there} and the log has {here}; run `tollgate log verify`").into());
    }
    if published.count == own.count && published.head != own.head {
        return Err(format!("the anchor speaks of another record {here}; run `tollgate log verify`").into());
    }
    Ok(())
}

//! The newest records.

use std::process::ExitCode;

use tollgate_audit::{Entry, stamp};
use tollgate_clock::SystemClock;
use tollgate_core::Clock;

use super::args::List;
use super::find::{Unreadable, Wanted, matching};
use super::place::Place;
use super::row::{Gather, Item, Row};
use super::table::Table;
use super::{follow, json, page};
use crate::args::Policy;
use crate::command::{Done, Failure};
use crate::open;
use crate::output::{Paint, print};

pub(super) fn run(policy: &Policy, args: &List, paint: Paint) -> Done {
    let place = Place::of(policy, &args.place)?;
    let reader = place.reader();
    let now = SystemClock::default().wall();
    let wanted = Wanted::of(&args.filter, &reader, now)?;
    if args.follow {
        return follow::run(&place, &wanted, args, paint);
    }
    if reader.segments()?.is_empty() {
        return nothing(policy, &place, args.json);
    }
    let unreadable = if args.json {
        let (entries, unreadable) = newest(&place, &wanted, args.before, args.lines)?;
        print(&entries.iter().map(|entry| json::line(&json::entry(entry))).collect::<String>())?;
        unreadable
    } else {
        let (items, unreadable) = calls(&place, &wanted, args.before, args.lines)?;
        let rows: Vec<Row> = items.iter().map(Row::of).collect();
        if rows.is_empty() && args.lines > 0 {
            print(nobody(&wanted))?;
        } else {
            page::print(&table(&rows, &today(now), paint), !args.no_pager)?;
        }
        unreadable
    };
    unreadable.said()?;
    Ok(ExitCode::SUCCESS)
}

fn nobody(wanted: &Wanted) -> &'static str {
    if wanted.is_all() { "there is no record before that\n" } else { "no record is like that\n" }
}

/// The date in UTC.
pub(super) fn today(now: std::time::Duration) -> String {
    stamp(now).chars().take(10).collect()
}

fn table(rows: &[Row], today: &str, paint: Paint) -> String {
    let mut table = Table::of(rows, false, today, paint);
    let mut out = table.header();
    rows.iter().for_each(|row| out.push_str(&table.row(row)));
    out
}

/// The newest records that are wanted, oldest first.
pub(super) fn newest(
    place: &Place,
    wanted: &Wanted,
    before: Option<u64>,
    most: usize,
) -> Result<(Vec<Entry>, Unreadable), Failure> {
    let mut found = Vec::new();
    if most == 0 {
        return Ok((found, Unreadable::default()));
    }
    let unreadable = matching(place, wanted, before, &mut |entry| {
        found.push(entry);
        found.len() < most
    })?;
    found.reverse();
    Ok((found, unreadable))
}

/// The same, where a call and its end are one.
pub(super) fn calls(
    place: &Place,
    wanted: &Wanted,
    before: Option<u64>,
    most: usize,
) -> Result<(Vec<Item>, Unreadable), Failure> {
    let mut gather = Gather::default();
    if most == 0 {
        return Ok((Vec::new(), Unreadable::default()));
    }
    let unreadable = matching(place, wanted, before, &mut |entry| {
        // Where the page is full, a call whose end is on it still belongs there; the next match may be far.
        if gather.len() >= most && !gather.awaits(&entry.record) {
            return false;
        }
        gather.add(entry);
        gather.len() < most || wanted.is_all()
    })?;
    Ok((gather.finish(&place.reader()), unreadable))
}

fn nothing(policy: &Policy, place: &Place, json: bool) -> Done {
    // Whoever has a policy with mistakes learns that elsewhere.
    let enabled = open::plan(policy, Paint::PLAIN).map_or(true, |plan| plan.audit.enabled);
    if !json {
        print(&place.nothing(enabled))?;
    }
    Ok(ExitCode::SUCCESS)
}

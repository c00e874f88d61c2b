//! Taking out what is about somebody.

use std::process::ExitCode;

use serde_json::json;
use tollgate_audit::{Entry, erase};

use super::args::Erase;
use super::place::Place;
use super::{count, own};
use crate::args::Policy;
use crate::command::{Done, Failure, NO};
use crate::output::{Paint, print, print_json};

pub(super) fn run(policy: &Policy, args: &Erase, paint: Paint) -> Done {
    let which = wanted(args)?;
    let reader = Place::of(policy, &super::args::Where::default())?.reader();
    let mut found = 0;
    for entry in reader.entries_from(1)? {
        let entry = entry?;
        found += u64::from(which(&entry) && entry.fields.fields.values().any(Option::is_some));
    }
    if found == 0 || !args.yes {
        return not_done(args, found);
    }
    let (log, _) = own::open(policy, paint)?;
    let erased = erase(&log, &*which, &args.field, &args.reason)?;
    if args.json.json {
        print_json(&json!({ "records": erased.records, "fields": erased.fields, "noted": erased.noted }))?;
    } else {
        let (records, fields) = (count(erased.records, "record"), count(erased.fields, "field"));
        let noted: Vec<String> = erased.noted.iter().map(u64::to_string).collect();
        print(&format!("erased {fields} of {records}; record {} says so\n", noted.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what would be erased, where nobody said yes.
fn not_done(args: &Erase, found: u64) -> Done {
    if args.json.json {
        print_json(&json!({ "records": 0, "fields": 0, "noted": [], "found": found }))?;
    } else if found == 0 {
        print("no record is like that, or all of them are erased already\n")?;
    } else {
        let them = if found == 1 { "its" } else { "their" };
        print(&format!("{} would lose {them} fields for ever; with --yes it is done\n", count(found, "record")))?;
    }
    Ok(ExitCode::from(NO))
}

/// Says whether a record is meant.
type Which = Box<dyn Fn(&Entry) -> bool>;

/// Which records are meant. Everything that is given must fit.
fn wanted(args: &Erase) -> Result<Which, Failure> {
    let (session, principal) = (args.session.clone(), args.principal.clone());
    let range = args.seq.as_deref().map(range).transpose()?;
    Ok(Box::new(move |entry| {
        let of_session = session.is_none() || entry.record.session == session;
        let of_person = principal
            .as_ref()
            .is_none_or(|person| entry.fields.value("principal").is_some_and(|found| found.as_str() == Some(person)));
        of_session && of_person && range.is_none_or(|(from, to)| (from..=to).contains(&entry.record.seq))
    }))
}

/// `57`, or `57-90`.
fn range(text: &str) -> Result<(u64, u64), Failure> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let numbers = from.trim().parse().ok().zip(to.trim().parse().ok());
    let wrong = || format!("`{}` is no number of a record; write `57` or `57-90`", crate::output::visible(text));
    Ok(numbers.filter(|(from, to): &(u64, u64)| from <= to).ok_or_else(wrong)?)
}

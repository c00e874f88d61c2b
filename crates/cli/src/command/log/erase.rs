//! Taking out what is about somebody.

use std::collections::BTreeSet;
use std::process::ExitCode;

use serde_json::json;
use tollgate_audit::{Entry, erase};

use super::args::Erase;
use super::find::known;
use super::place::{Place, shown};
use super::{count, json, own};
use crate::args::Policy;
use crate::command::{Done, Failure, NO};
use crate::human;
use crate::output::{Paint, print, visible, wrap};

/// What can stand beside a record (`spec/audit.md`).
const FIELDS: &[&str] = &[
    "arguments",
    "result",
    "reason",
    "cwd",
    "principal",
    "labels",
    "chain",
    "approval",
    "changes",
    "said",
    "notes",
    "headers",
    "by",
    "error",
];

pub(super) fn run(policy: &Policy, args: &Erase, paint: Paint) -> Done {
    let place = Place::of(policy, &super::args::Where::default())?;
    check(args)?;
    let which = wanted(args, &place)?;
    let found = Found::of(&place, args, &which)?;
    if found.records == 0 || !args.yes {
        return found.not_done(args);
    }
    human::require("tollgate log erase", args.key.key.as_deref())?;
    let (log, _) = own::open(policy, paint)?;
    let erased = erase(&log, &*which, &args.field, &args.reason)?;
    let old = set_aside(&place);
    if args.json.json {
        json::print(&json!({
            "records": erased.records,
            "fields": erased.fields,
            "noted": erased.noted,
            "names": found.names,
            "untouched": old,
        }))?;
    } else {
        let (records, fields) = (count(erased.records, "record"), count(erased.fields, "field"));
        let noted: Vec<String> = erased.noted.iter().map(u64::to_string).collect();
        print(&format!("erased {fields} of {records}; record {} says so\n", noted.join(", ")))?;
        about_old(&place, &old)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be told to be wrong without a look at the log.
fn check(args: &Erase) -> Result<(), Failure> {
    for name in &args.field {
        known("field", Some(name), FIELDS)?;
    }
    if args.reason.trim().is_empty() {
        return Err("`--reason` is empty; say why, for whoever reads the log later".to_owned().into());
    }
    Ok(())
}

/// Logs that were set aside by `tollgate log new`, by the names of their folders.
fn set_aside(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(&place.dir).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let mut old: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    old.retain(|name| name.starts_with("old-"));
    old.sort_unstable();
    old
}

/// Whoever is to be forgotten may stand in older logs too.
fn about_old(place: &Place, old: &[String]) -> Result<(), Failure> {
    let was = match old {
        [] => return Ok(()),
        [_] => "an older log was",
        _ => "older logs were",
    };
    print(&format!("note: {was} not touched: {} in {}\n", visible(&old.join(", ")), shown(&place.dir)))
}

/// What would be erased.
struct Found {
    records: u64,
    /// Which fields, at least once.
    names: BTreeSet<String>,
}

impl Found {
    fn of(place: &Place, args: &Erase, which: &Which) -> Result<Self, Failure> {
        let mut found = Self { records: 0, names: BTreeSet::new() };
        for entry in place.reader().entries_from(1)? {
            let entry = entry?;
            let is_there = |name: &str| entry.fields.fields.get(name).is_some_and(Option::is_some);
            let is_named = |name: &str| args.field.is_empty() || args.field.iter().any(|one| one == name);
            let mut names = entry.fields.fields.keys().filter(|name| is_there(name) && is_named(name)).peekable();
            if names.peek().is_some() && which(&entry) {
                found.records += 1;
                found.names.extend(names.cloned());
            }
        }
        Ok(found)
    }

    /// Says what would be erased, where nobody said yes.
    fn not_done(&self, args: &Erase) -> Done {
        if args.json.json {
            let (found, names) = (self.records, &self.names);
            json::print(&json!({ "records": 0, "fields": 0, "noted": [], "found": found, "names": names }))?;
        } else if self.records == 0 {
            print("no record is like that, or all of them are erased already\n")?;
        } else {
            let names: Vec<String> = self.names.iter().map(|name| visible(name)).collect();
            let (records, names) = (count(self.records, "record"), names.join(", "));
            let would = wrap(&format!("{records} would lose for ever: {names}"), 0, 80);
            print(&format!("{would}\n  with --yes it is done\n"))?;
        }
        Ok(ExitCode::from(NO))
    }
}

/// Says whether a record is meant.
type Which = Box<dyn Fn(&Entry) -> bool>;

/// Which records are meant. Everything that is given must fit.
fn wanted(args: &Erase, place: &Place) -> Result<Which, Failure> {
    let (session, principal) = (args.session.clone(), args.principal.clone());
    let range = args.seq.as_deref().map(range).transpose()?;
    if let (Some((from, to)), Some((first, last))) = (range, place.extent())
        && (to < first || from > last)
    {
        let asked = if from == to { format!("record {from}") } else { format!("record from {from} to {to}") };
        return Err(format!("there is no {asked}; {}", place.what_is_there()).into());
    }
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
    let wrong = || format!("`{}` is no number of a record; write `57` or `57-90`", visible(text));
    Ok(numbers.filter(|(from, to): &(u64, u64)| from <= to).ok_or_else(wrong)?)
}

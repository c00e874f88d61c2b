//! Which records somebody wants to see, and finding them.

use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use tollgate_audit::{AuditError, Entry, Index, Query, Reader, Record};
use tollgate_core::Point;
use tollgate_rules::nearest;

use super::args::Filter;
use super::place::Place;
use crate::command::Failure;
use crate::output::visible;
use crate::when;

/// What can become of an event.
const ACTS: &[&str] = &["pass", "route", "ask", "answer", "deny"];
/// How far back records are read one by one, and the beginning of a session's id is looked up.
const RECENT: usize = 10_000;
/// How many records the index names at once.
const PAGE: usize = 256;
/// After so many numbers in a row without a record, nobody looks for the next one by its number.
const MISSING: usize = 1_000;
/// From this length on, a text is compared with digests too: a shorter one would be found in most of them.
const DIGEST: usize = 8;

/// Which records are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    query: Query,
    /// In lower case.
    grep: Option<String>,
}

impl Wanted {
    pub(super) fn of(filter: &Filter, reader: &Reader, now: Duration) -> Result<Self, Failure> {
        let points: Vec<&str> = Point::ALL.iter().map(|point| point.name()).collect();
        let moment = |text: &Option<String>| text.as_ref().map(|text| when::moment(text, now)).transpose();
        let query = Query {
            session: filter.session.as_deref().map(|given| session(given, reader)).transpose()?,
            agent: filter.agent.clone(),
            tool: filter.tool.clone(),
            act: known("act", filter.act.as_deref().map(ours), ACTS)?,
            point: known("point", filter.point.as_deref(), &points)?,
            rule: filter.rule.clone(),
            since: moment(&filter.since)?,
            until: moment(&filter.until)?,
        };
        Ok(Self { query, grep: filter.grep.as_ref().map(|text| text.to_lowercase()) })
    }

    /// Whether every record is wanted.
    pub(super) fn is_all(&self) -> bool {
        self.query == Query::default() && self.grep.is_none()
    }

    /// Whether the index knows anything about what is wanted.
    fn is_indexed(&self) -> bool {
        self.query != Query::default()
    }

    pub(super) fn fits(&self, entry: &Entry) -> bool {
        self.query.fits(&entry.record) && self.grep.as_ref().is_none_or(|text| mentions(entry, text))
    }

    /// Whether neither this record nor any after it can be wanted.
    pub(super) fn is_over(&self, record: &Record) -> bool {
        self.query.until.is_some_and(|until| record.time >= tollgate_audit::stamp(until))
    }

    /// Whether neither this record nor any before it can be wanted: times never go back.
    fn is_past(&self, record: &Record) -> bool {
        self.query.since.is_some_and(|since| record.time < tollgate_audit::stamp(since))
    }
}

/// Our word for an outcome, if another tool's was given.
fn ours(word: &str) -> &str {
    tollgate_wire::verdict(word).unwrap_or(word)
}

/// A word of a closed set.
pub(super) fn known(what: &str, given: Option<&str>, all: &[&str]) -> Result<Option<String>, String> {
    let Some(given) = given else { return Ok(None) };
    if all.contains(&given) {
        return Ok(Some(given.to_owned()));
    }
    let help = match nearest(given, all) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", all.join(", ")),
    };
    Err(format!("there is no {what} `{}`; {help}", visible(given)))
}

/// The session that was meant: the table shows the beginnings of their ids only.
pub(crate) fn session(given: &str, reader: &Reader) -> Result<String, Failure> {
    let mut found: Vec<String> = Vec::new();
    for line in reader.lines_back()?.take(RECENT) {
        let Some(id) = line?.record().ok().and_then(|record| record.session) else { continue };
        if id == given {
            return Ok(id);
        }
        if id.starts_with(given) && !found.contains(&id) {
            found.push(id);
        }
    }
    match found.as_slice() {
        [] => Ok(given.to_owned()),
        [id] => Ok(id.clone()),
        [one, other, ..] => {
            let (given, one, other) = (visible(given), visible(one), visible(other));
            Err(format!("more than one session begins with `{given}`: `{one}`, `{other}`; write more of it").into())
        }
    }
}

/// Whether a text stands in a record or beside it.
fn mentions(entry: &Entry, text: &str) -> bool {
    let mut record = serde_json::to_value(&entry.record).unwrap_or_default();
    if let Some(members) = record.as_object_mut() {
        // Any short text stands in some hash.
        let chain = |name: &str| matches!(name, "prev" | "fields" | "signed" | "head");
        members.retain(|name, _| !chain(name) && (name != "digest" || text.len() >= DIGEST));
    }
    holds(&record, text, false)
        || entry.fields.all().values().any(|value| !is_sealed(value) && holds(value, text, true))
}

/// Whether a text stands in a document; `names` of members count only where somebody else chose them.
fn holds(value: &Value, text: &str, names: bool) -> bool {
    match value {
        Value::Null => false,
        Value::String(own) => own.to_lowercase().contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text, names)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| names && name.to_lowercase().contains(text) || holds(member, text, names)),
        Value::Bool(_) | Value::Number(_) => value.to_string().contains(text),
    }
}

/// Whether a value is kept encrypted.
pub(super) fn is_sealed(value: &Value) -> bool {
    value.as_object().is_some_and(|members| members.len() == 1 && members.get("sealed").is_some_and(Value::is_string))
}

/// Lines of a log that cannot be read: what could be is shown all the same.
#[derive(Debug, Default)]
pub(super) struct Unreadable(Option<AuditError>, u64);

impl Unreadable {
    fn add(&mut self, error: AuditError) {
        self.1 += 1;
        self.0.get_or_insert(error);
    }

    /// An error if there was one.
    pub(super) fn said(self) -> Result<(), Failure> {
        match self {
            Self(None, _) => Ok(()),
            Self(Some(error), 1) => Err(error.into()),
            Self(Some(error), more) => Err(format!("{error} (and {} more)", more - 1).into()),
        }
    }
}

/// Goes through the records that are wanted, newest first, from before a number or from the end, until `each` has
/// enough. The newest are read one by one, which needs no preparation; the index names the older ones.
pub(super) fn matching(
    place: &Place,
    wanted: &Wanted,
    before: Option<u64>,
    each: &mut dyn FnMut(Entry) -> bool,
) -> Result<Unreadable, Failure> {
    let reader = place.reader();
    let mut unreadable = Unreadable::default();
    let entries: Entries = match before {
        Some(before) if wanted.is_all() => Box::new(by_number(&reader, before)?),
        _ => Box::new(reader.entries_back()?),
    };
    for (read, entry) in entries.enumerate() {
        // Without an index it only takes longer.
        let newest = entry.as_ref().map_or(0, |entry| entry.record.seq);
        if read == RECENT
            && wanted.is_indexed()
            && let Ok(Some(index)) = place.index()
        {
            let end = newest.saturating_add(1);
            indexed(&reader, &index, wanted, before.map_or(end, |before| before.min(end)), each)?;
            break;
        }
        match entry {
            Err(error) => unreadable.add(error),
            Ok(entry) if before.is_some_and(|before| entry.record.seq >= before) => {}
            Ok(entry) if wanted.is_past(&entry.record) => break,
            Ok(entry) if !wanted.fits(&entry) => {}
            Ok(entry) => {
                if !each(entry) {
                    break;
                }
            }
        }
    }
    Ok(unreadable)
}

/// The same for records that the index names.
fn indexed(
    reader: &Reader,
    index: &Index,
    wanted: &Wanted,
    mut before: u64,
    each: &mut dyn FnMut(Entry) -> bool,
) -> Result<(), Failure> {
    loop {
        let found = index.find(&wanted.query, Some(before), PAGE)?;
        let Some(last) = found.last() else { return Ok(()) };
        before = *last;
        for seq in &found {
            let entry = reader.entry(*seq)?.filter(|entry| wanted.fits(entry));
            if entry.is_some_and(|entry| !each(entry)) {
                return Ok(());
            }
        }
    }
}

type Entries = Box<dyn Iterator<Item = Result<Entry, AuditError>>>;

/// All records before a number, newest first. Numbers have no gaps, so nothing after it has to be read.
fn by_number(reader: &Reader, before: u64) -> Result<ByNumber, Failure> {
    let first = reader.segments()?.first().map_or(before, |segment| segment.first);
    let newest = reader.lines_back()?.next().transpose()?.map(|line| line.record()).transpose()?;
    let end = newest.map_or(first, |newest| newest.seq.saturating_add(1)).min(before);
    Ok(ByNumber { reader: reader.clone(), numbers: first..end, found: end, missing: 0, rest: None })
}

struct ByNumber {
    reader: Reader,
    /// Those that were not yet looked at.
    numbers: Range<u64>,
    /// The one that was found last.
    found: u64,
    /// How many in a row were not there.
    missing: usize,
    /// Where there are gaps after all, what stands in the files.
    rest: Option<Entries>,
}

impl ByNumber {
    /// Somebody made up the numbers: what is there is found only by reading.
    fn read_on(&mut self) -> Result<(), AuditError> {
        let found = self.found;
        let is_new = move |entry: &Result<Entry, _>| entry.as_ref().map_or(true, |entry| entry.record.seq < found);
        self.rest = Some(Box::new(self.reader.entries_back()?.filter(is_new)));
        Ok(())
    }
}

impl Iterator for ByNumber {
    type Item = Result<Entry, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.next();
            }
            let seq = self.numbers.next_back()?;
            match self.reader.entry(seq).transpose() {
                Some(Ok(entry)) => {
                    (self.found, self.missing) = (seq, 0);
                    return Some(Ok(entry));
                }
                // It is met again by whoever reads on.
                _ if self.missing >= MISSING => {
                    if let Err(error) = self.read_on() {
                        self.numbers = 0..0;
                        return Some(Err(error));
                    }
                }
                Some(Err(error)) => {
                    self.missing += 1;
                    return Some(Err(error));
                }
                None => self.missing += 1,
            }
        }
    }
}

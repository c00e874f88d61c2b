//! Everything about one record.

mod change;
mod value;
mod words;

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tollgate_audit::{AuditError, Entry, Keys, Reader, Record};

use super::args::Show;
use super::place::{Place, shown};
use super::{json, page};
use crate::args::Policy;
use crate::command::{Done, Failure};
use crate::output::Paint;

/// How far around a record those are looked for that belong to the same call.
const BEFORE: u64 = 2_000;
const AFTER: usize = 12_000;

/// A record, and all that is known about it.
pub(super) struct Found {
    entry: Entry,
    /// Fields, opened as far as they may be.
    fields: Map<String, Value>,
    /// Its hash, if anything speaks of it.
    hash: Option<String>,
    /// The file it stands in, and on which line.
    file: String,
    line: u64,
    /// Other records about the same call.
    call: Vec<Record>,
}

pub(super) fn run(policy: &Policy, args: &Show, paint: Paint) -> Done {
    let place = Place::of(policy, &args.place)?;
    let found = find(&place, args)?;
    if args.json.json {
        json::print(&document(&found))?;
    } else {
        page::print(&words::of(&found, paint), true)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn find(place: &Place, args: &Show) -> Result<Found, Failure> {
    let reader = place.reader();
    let entry =
        reader.entry(args.seq)?.ok_or_else(|| format!("there is no record {}; {}", args.seq, place.what_is_there()))?;
    let segments = reader.segments()?;
    let segment = segments.iter().rev().find(|segment| segment.first <= args.seq);
    let file = segment.map(|segment| segment.log());
    let file = file.as_ref().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    Ok(Found {
        fields: fields(place, &entry, args)?,
        hash: hash(place, &reader, args.seq)?,
        file: file.unwrap_or_default(),
        line: args.seq.saturating_sub(segment.map_or(args.seq, |segment| segment.first)).saturating_add(1),
        call: same_call(&reader, &entry.record)?,
        entry,
    })
}

/// What stands beside the record. Credentials in what was sealed come out only for who asks for them by name.
fn fields(place: &Place, entry: &Entry, args: &Show) -> Result<Map<String, Value>, Failure> {
    if !args.unseal {
        return Ok(entry.fields.all());
    }
    let dir = place.keys()?;
    // What was sealed can be opened by somebody who has no key to sign with, as on a machine that only reads.
    let keys = Keys::read(dir)?.unwrap_or_else(|| Keys::of([0; 32], dir));
    let key = keys.seal(false)?;
    let mut opened = Map::new();
    for name in entry.fields.fields.keys() {
        let Some(value) = entry.fields.open(name, key.as_ref()) else { continue };
        let mut value = value.map_err(|error: AuditError| {
            format!("{error}; it is `TOLLGATE_SEAL_KEY`, or `{}`", shown(&dir.join("audit-seal.key")))
        })?;
        if !args.reveal {
            tollgate_secrets::scanner().redact_json(&mut value);
        }
        opened.insert(name.clone(), value);
    }
    Ok(opened)
}

/// The hash of a record: the next one names it, or else the signed head.
fn hash(place: &Place, reader: &Reader, seq: u64) -> Result<Option<String>, Failure> {
    let next = seq.checked_add(1).map(|next| reader.entry(next)).transpose()?.flatten().map(|next| next.record.prev);
    let signed = || place.head().filter(|head| head.count == seq).map(|head| head.head.to_string());
    Ok(next.or_else(signed))
}

/// Other records about the same call: the question, the answer to it, the beginning, the end.
fn same_call(reader: &Reader, record: &Record) -> Result<Vec<Record>, Failure> {
    let Some(call) = &record.call else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in reader.entries_from(record.seq.saturating_sub(BEFORE))?.take(AFTER) {
        let other = entry?.record;
        if other.call.as_ref() == Some(call) && other.session == record.session && other.seq != record.seq {
            found.push(other);
        }
    }
    Ok(found)
}

fn document(found: &Found) -> Value {
    let erased = found.entry.fields.erased().collect();
    let mut value = json::with_fields(&found.entry.record, found.fields.clone(), erased);
    value["hash"] = json!(found.hash);
    value["file"] = json!(found.file);
    value["line"] = json!(found.line);
    value["same_call"] = found.call.iter().map(|record| record.seq).collect();
    value
}

//! Taking out what is about somebody, while the chain stays whole.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::read::Forward;
use crate::segment::Segment;
use crate::{AuditError, Draft, Entry, Log, Reader};

/// How many ranges one record names at most.
const RANGES: usize = 1000;

/// What was erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Of how many records.
    pub records: u64,
    /// How many fields.
    pub fields: u64,
    /// The records that say so.
    pub noted: Vec<u64>,
}

/// A line of fields, as it lies in its file.
#[derive(Deserialize)]
struct Lying<'a> {
    seq: u64,
    #[serde(borrow)]
    fields: BTreeMap<&'a str, &'a RawValue>,
}

/// Erases the fields of records: those in `names`, all if none is named.
///
/// First the log says so, then the fields are written over where they stand. If that is interrupted, doing it again
/// finishes it; `verify` tells that it is not finished. What stands in the records themselves stays: it is what the
/// signatures are about.
pub fn erase(log: &Log, which: &dyn Fn(&Entry) -> bool, names: &[String], reason: &str) -> Result<Erased, AuditError> {
    let reader = Reader::new(log.dir());
    let wanted = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for entry in reader.entries_from(1)? {
        let entry = entry?;
        let any = entry.fields.fields.iter().any(|(name, field)| field.is_some() && wanted(name));
        if any && which(&entry) {
            extend(&mut ranges, entry.record.seq);
        }
    }
    let mut erased = Erased::default();
    for chunk in ranges.chunks(RANGES) {
        erased.noted.push(log.append(note(chunk, names, reason))?);
        blank_all(&reader.segments()?, chunk, &wanted, &mut erased)?;
    }
    Ok(erased)
}

/// Adds a number to ranges that grow.
fn extend(ranges: &mut Vec<(u64, u64)>, seq: u64) {
    match ranges.last_mut() {
        Some((_, to)) if *to + 1 == seq => *to = seq,
        _ => ranges.push((seq, seq)),
    }
}

fn note(ranges: &[(u64, u64)], names: &[String], reason: &str) -> Draft {
    let mut draft = Draft::new("erasure");
    draft.member("seqs", &json!(ranges));
    draft.member("reason", &Value::from(tollgate_secrets::scanner().redact(reason)));
    if !names.is_empty() {
        draft.member("names", &json!(names));
    }
    draft
}

fn blank_all(
    segments: &[Segment],
    ranges: &[(u64, u64)],
    wanted: &dyn Fn(&str) -> bool,
    erased: &mut Erased,
) -> Result<(), AuditError> {
    let (Some((first, _)), Some((_, last))) = (ranges.first(), ranges.last()) else { return Ok(()) };
    let begin = segments.partition_point(|segment| segment.first <= *first).saturating_sub(1);
    for segment in segments.iter().skip(begin).take_while(|segment| segment.first <= *last) {
        blank(segment, ranges, wanted, erased)?;
    }
    Ok(())
}

/// Writes blanks over the fields of one segment.
fn blank(
    segment: &Segment,
    ranges: &[(u64, u64)],
    wanted: &dyn Fn(&str) -> bool,
    erased: &mut Erased,
) -> Result<(), AuditError> {
    let path = segment.fields();
    let Some(lines) = Forward::open(path.clone(), segment.first, 0)? else { return Ok(()) };
    let file = OpenOptions::new().write(true).open(&path).map_err(|error| AuditError::io("open", &path, &error))?;
    for line in lines {
        let line = line?;
        let Ok(lying) = serde_json::from_slice::<Lying<'_>>(&line.bytes) else { continue };
        if !covers(ranges, lying.seq) {
            continue;
        }
        let mut any = false;
        for (_, field) in lying.fields.iter().filter(|(name, field)| wanted(name) && field.get() != "null") {
            let at = field.get().as_ptr() as usize - line.bytes.as_ptr() as usize;
            let blanks = format!("{:<1$}", "null", field.get().len());
            file.write_all_at(blanks.as_bytes(), line.offset + at as u64)
                .map_err(|error| AuditError::io("write to", &path, &error))?;
            (any, erased.fields) = (true, erased.fields + 1);
        }
        erased.records += u64::from(any);
    }
    // Erased is what a power failure does not bring back.
    file.sync_all().map_err(|error| AuditError::io("sync", &path, &error))
}

/// Whether a number is in one of some ranges that grow.
fn covers(ranges: &[(u64, u64)], seq: u64) -> bool {
    let at = ranges.partition_point(|(_, to)| *to < seq);
    ranges.get(at).is_some_and(|(from, _)| *from <= seq)
}

//! Whether what stands beside the records is what they commit to.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tollgate_wire::hex;

use super::{Flaw, Verified};
use crate::draft::commitment;
use crate::read::Forward;
use crate::segment::Segment;
use crate::{AuditError, Fields};

/// Commitments that were or were not opened so far.
#[derive(Default)]
pub(super) struct Openings {
    erasures: Vec<Erasure>,
    /// Commitments that nothing opens, of which a later record may say that they were erased.
    missing: Vec<(u64, String)>,
    /// Fields that were read and belong to a later record.
    ahead: Option<Fields>,
    bytes: Vec<u8>,
}

/// Which fields were erased.
struct Erasure {
    /// The record that says so.
    by: u64,
    /// Of which records, in order: many, where those of two people stand between one another.
    ranges: Vec<(u64, u64)>,
    /// All, if none is named.
    names: Vec<String>,
}

impl Erasure {
    /// Nobody can erase beforehand.
    fn covers(&self, seq: u64, name: &str) -> bool {
        let at = self.ranges.partition_point(|(_, to)| *to < seq);
        let within = || self.ranges.get(at).is_some_and(|(from, _)| *from <= seq);
        seq < self.by && within() && (self.names.is_empty() || self.names.iter().any(|one| one == name))
    }
}

impl Openings {
    pub(super) fn erased(&mut self, by: u64, seqs: &[(u64, u64)], names: &[String]) {
        let mut sorted = seqs.to_vec();
        sorted.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::with_capacity(sorted.len());
        for (from, to) in sorted {
            match ranges.last_mut().filter(|(_, last)| from <= *last) {
                Some((_, last)) => *last = to.max(*last),
                None => ranges.push((from, to)),
            }
        }
        self.erasures.push(Erasure { by, ranges, names: names.to_vec() });
    }

    /// Compares a record's commitments with the fields beside it.
    pub(super) fn compare(
        &mut self,
        seq: u64,
        commitments: &RawValue,
        fields: Option<&mut Forward>,
        found: &mut Verified,
        flaws: &mut Vec<Flaw>,
    ) -> Result<(), AuditError> {
        let Ok(commitments) = serde_json::from_str::<BTreeMap<&str, &str>>(commitments.get()) else {
            flaws.push(Flaw { seq, what: "its commitments cannot be read".to_owned() });
            return Ok(());
        };
        let beside = self.beside(seq, fields, flaws)?;
        for (name, committed) in &commitments {
            match beside.fields.get(*name).and_then(Option::as_ref) {
                None => self.missing.push((seq, (*name).to_owned())),
                Some((salt, value)) => {
                    found.fields += 1;
                    let salt = hex::decode(salt);
                    let fits = |salt| hex::encode(&commitment(&salt, name, value.get().as_bytes()).0) == *committed;
                    if !salt.is_some_and(fits) {
                        flaws.push(Flaw { seq, what: format!("its field `{name}` was changed") });
                    }
                }
            }
        }
        if let Some(name) = beside.fields.keys().find(|name| !commitments.contains_key(name.as_str())) {
            flaws.push(Flaw { seq, what: format!("it does not speak of the field `{name}` beside it") });
        }
        Ok(())
    }

    /// The fields beside a record.
    fn beside(&mut self, seq: u64, lines: Option<&mut Forward>, flaws: &mut Vec<Flaw>) -> Result<Fields, AuditError> {
        let Some(lines) = lines else { return Ok(Fields::default()) };
        loop {
            match self.ahead.take() {
                Some(fields) if fields.seq == seq => return Ok(fields),
                Some(fields) if fields.seq > seq => {
                    self.ahead = Some(fields);
                    return Ok(Fields::default());
                }
                Some(fields) => flaws.push(stray(fields.seq)),
                None => {}
            }
            if !self.read(lines, seq, flaws)? {
                return Ok(Fields::default());
            }
        }
    }

    /// Reads fields ahead; says whether there were any.
    fn read(&mut self, lines: &mut Forward, seq: u64, flaws: &mut Vec<Flaw>) -> Result<bool, AuditError> {
        if lines.next_into(&mut self.bytes)?.is_none() {
            return Ok(false);
        }
        match serde_json::from_slice(&self.bytes) {
            Ok(fields) => self.ahead = Some(fields),
            Err(error) => flaws.push(Flaw { seq, what: format!("the fields beside it cannot be read: {error}") }),
        }
        Ok(true)
    }

    /// At the end of a segment: fields that belong to no record. Those of records that are just being written are
    /// nobody's fault.
    pub(super) fn rest(
        &mut self,
        lines: Option<&mut Forward>,
        last: u64,
        flaws: &mut Vec<Flaw>,
    ) -> Result<(), AuditError> {
        let Some(lines) = lines else { return Ok(()) };
        while self.ahead.is_some() || self.read(lines, last, flaws)? {
            flaws.extend(self.ahead.take().filter(|fields| fields.seq <= last).map(|fields| stray(fields.seq)));
        }
        Ok(())
    }

    /// What nothing opens must have been erased, by somebody with the key.
    pub(super) fn leftover(&mut self, signed: &dyn Fn(u64) -> bool, found: &mut Verified, flaws: &mut Vec<Flaw>) {
        self.erasures.retain(|erasure| signed(erasure.by));
        for (seq, name) in std::mem::take(&mut self.missing) {
            if self.is_erased(seq, &name) {
                found.erased += 1;
            } else {
                flaws.push(Flaw {
                    seq,
                    what: format!("its field `{name}` is gone, and nobody wrote down that it was erased"),
                });
            }
        }
    }

    fn is_erased(&self, seq: u64, name: &str) -> bool {
        self.erasures.iter().any(|erasure| erasure.covers(seq, name))
    }

    /// How many fields should be erased and are not.
    pub(super) fn unfinished(&self, segments: &[Segment]) -> Result<u64, AuditError> {
        let mut count = 0;
        let Some(first) = self.erasures.iter().filter_map(|erasure| Some(erasure.ranges.first()?.0)).min() else {
            return Ok(0);
        };
        let begin = segments.partition_point(|segment| segment.first <= first).saturating_sub(1);
        for segment in &segments[begin.min(segments.len())..] {
            for line in Forward::open(segment.fields(), segment.first, 0)?.into_iter().flatten() {
                let Ok(fields) = serde_json::from_slice::<Fields>(&line?.bytes) else { continue };
                let still = |(name, field): &(&String, &Option<_>)| field.is_some() && self.is_erased(fields.seq, name);
                count += fields.fields.iter().filter(still).count() as u64;
            }
        }
        Ok(count)
    }
}

fn stray(seq: u64) -> Flaw {
    Flaw { seq, what: "there are fields beside it that it does not speak of".to_owned() }
}

//! Whether a log is what it says it is.

use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use tollgate_core::Digest;

use crate::draft::hash;
use crate::log::CHECKPOINT;
use crate::read::Forward;
use crate::segment::Segment;
use crate::{AuditError, Head, files};

mod opened;

use opened::Openings;

/// What is known beside the log itself.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The public key. Without it, the log is only shown to fit together.
    pub key: Option<[u8; 32]>,
    /// Heads that were kept apart from the log.
    pub anchors: Vec<Head>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many records were read.
    pub records: u64,
    /// The first and the last of them.
    pub range: Option<(u64, u64)>,
    /// How many signatures were checked.
    pub signatures: u64,
    /// How many fields were compared with their commitments.
    pub fields: u64,
    /// How many fields were erased.
    pub erased: u64,
    /// Up to which record the newest head speaks.
    pub signed: u64,
    /// The public key the log is signed with.
    pub key: Option<[u8; 32]>,
    /// Records that nobody had signed when they were found.
    pub unsigned: Vec<(u64, u64)>,
    /// Erased fields that still stand there: the erasure was interrupted.
    pub unfinished: u64,
    /// The first thing that is wrong.
    pub flaw: Option<Flaw>,
}

/// What is wrong with a log, and from which record on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The first bad record.
    pub seq: u64,
    /// What is wrong with it.
    pub what: String,
}

/// What of a record its place in the chain depends on.
#[derive(Deserialize)]
struct Link<'a> {
    v: u64,
    seq: u64,
    prev: &'a str,
    time: &'a str,
    kind: &'a str,
    #[serde(borrow, default)]
    signed: Option<&'a RawValue>,
    #[serde(borrow, default)]
    recovered: Option<&'a RawValue>,
    #[serde(borrow, default)]
    fields: Option<&'a RawValue>,
    #[serde(default)]
    through: Option<u64>,
    #[serde(default)]
    head: Option<&'a str>,
    #[serde(default)]
    seqs: Vec<(u64, u64)>,
    #[serde(default)]
    names: Vec<String>,
}

/// What a writer found when it opened the log.
#[derive(Deserialize)]
struct Recovered {
    unsigned_from: Option<u64>,
    unsigned_to: Option<u64>,
    lost_from: Option<u64>,
    lost_to: Option<u64>,
}

/// Reads a whole log and checks everything that can be checked (`spec/audit.md`, "Verifying"). `progress` is told now
/// and then how many records were read.
///
/// An error means that the log could not be read; what is wrong with it is a [`Flaw`].
pub fn verify(dir: &Path, known: &Known, progress: &mut dyn FnMut(u64)) -> Result<Verified, AuditError> {
    // First of all, because others may append while we read: the log then says more than this head, never less.
    let head = read_head(dir)?;
    let segments = Segment::all(dir)?;
    let mut walk = Walk::new(known, head);
    for segment in &segments {
        if !walk.segment(segment, progress)? {
            break;
        }
    }
    walk.end(segments.is_empty());
    let Walk { mut found, flaws, openings, .. } = walk;
    found.unfinished = openings.unfinished(&segments)?;
    found.flaw = flaws.into_iter().min_by_key(|flaw| flaw.seq);
    Ok(found)
}

/// The newest head, as far as it can be read.
enum Newest {
    Missing,
    Unreadable,
    Is(Head),
}

fn read_head(dir: &Path) -> Result<Newest, AuditError> {
    let path = dir.join("head");
    let text = files::if_there(std::fs::read(&path)).map_err(|error| AuditError::io("read", &path, &error))?;
    Ok(match text {
        None => Newest::Missing,
        Some(text) => Head::parse(&text).map_or(Newest::Unreadable, Newest::Is),
    })
}

/// A walk along the chain.
struct Walk<'k> {
    known: &'k Known,
    head: Newest,
    found: Verified,
    flaws: Vec<Flaw>,
    /// The record before: its number, hash and time.
    last: Option<(u64, Digest, String)>,
    log: Option<[u8; 16]>,
    /// After which record the last good signature stood.
    vouched: u64,
    /// Where the log begins, if that is not at the beginning, and the hash that stands there.
    begins: Option<(u64, String)>,
    /// Whether somebody wrote down that what was before is removed.
    removal_noted: bool,
    /// Heads that records must fit.
    expected: Vec<(Head, &'static str)>,
    openings: Openings,
}

impl<'k> Walk<'k> {
    fn new(known: &'k Known, head: Newest) -> Self {
        let own = if let Newest::Is(head) = &head { Some((head.clone(), "the signed head")) } else { None };
        let anchors = known.anchors.iter().map(|head| (head.clone(), "an anchored head"));
        Self {
            known,
            head,
            expected: own.into_iter().chain(anchors).collect(),
            found: Verified::default(),
            flaws: Vec::new(),
            last: None,
            log: None,
            vouched: 0,
            begins: None,
            removal_noted: false,
            openings: Openings::default(),
        }
    }

    fn flaw(&mut self, seq: u64, what: impl Into<String>) {
        self.flaws.push(Flaw { seq, what: what.into() });
    }

    /// Reads a segment; says whether it makes sense to go on.
    fn segment(&mut self, segment: &Segment, progress: &mut dyn FnMut(u64)) -> Result<bool, AuditError> {
        let expected = self.last.as_ref().map(|(seq, ..)| seq + 1);
        let lines = Forward::open(segment.log(), segment.first, 0)?;
        let mut lines =
            lines.ok_or_else(|| AuditError::new("the log was rotated away while it was read; try again"))?;
        let mut fields = Forward::open(segment.fields(), segment.first, 0)?;
        let mut bytes = Vec::new();
        let mut first = true;
        while lines.next_into(&mut bytes)?.is_some() {
            let next = self.last.as_ref().map_or(segment.first, |(seq, ..)| seq + 1);
            if first && expected.is_some_and(|expected| expected != segment.first) {
                let name = segment.first;
                self.flaw(next, format!("the next file begins with record {name}, so records before that are missing"));
                return Ok(false);
            }
            if !self.line(&bytes, next, first, fields.as_mut())? {
                return Ok(false);
            }
            first = false;
            if self.found.records.is_multiple_of(4096) {
                progress(self.found.records);
            }
        }
        self.openings.rest(fields.as_mut(), self.last.as_ref().map_or(0, |(seq, ..)| *seq), &mut self.flaws)?;
        Ok(true)
    }

    /// Checks one line; says whether the chain holds up to here.
    fn line(&mut self, bytes: &[u8], next: u64, first: bool, fields: Option<&mut Forward>) -> Result<bool, AuditError> {
        let link: Link<'_> = match serde_json::from_slice(bytes) {
            Ok(link) => link,
            Err(error) => {
                self.flaw(next, format!("the record cannot be read: {error}"));
                return Ok(false);
            }
        };
        if let Some(what) = self.out_of_place(&link, next, first) {
            self.flaw(next, what);
            return Ok(false);
        }
        let signed = link.kind != "checkpoint" || self.checkpoint(&link);
        self.remember(&link);
        if let Some(commitments) = link.fields {
            self.openings.compare(link.seq, commitments, fields, &mut self.found, &mut self.flaws)?;
        }
        let own = hash(bytes);
        self.compare_heads(link.seq, own);
        self.found.records += 1;
        let from = self.found.range.map_or(link.seq, |(from, _)| from);
        self.found.range = Some((from, link.seq));
        self.last = Some((link.seq, own, link.time.to_owned()));
        Ok(signed)
    }

    /// What keeps a record from standing where it stands.
    fn out_of_place(&mut self, link: &Link<'_>, next: u64, first: bool) -> Option<String> {
        if link.v != 1 {
            return Some(format!("the record is of version {}, and this program knows version 1", link.v));
        }
        if link.seq != next {
            return Some(format!("record {next} should stand here, and it is {}", link.seq));
        }
        match &self.last {
            Some((_, hash, _)) if hash.to_string() != link.prev => {
                return Some("it was changed, or the record before it was: their hashes do not fit".to_owned());
            }
            Some((.., time)) if link.time < time.as_str() => {
                return Some("it is older than the record before it".to_owned());
            }
            None if link.seq > 1 => self.begins = Some((link.seq, link.prev.to_owned())),
            None if link.prev.bytes().any(|digit| digit != b'0') => {
                return Some("it is the first record, and names one before it".to_owned());
            }
            _ => {}
        }
        let due = first || link.seq % CHECKPOINT == 1;
        (due && link.kind != "checkpoint").then(|| "there must be a checkpoint here".to_owned())
    }

    /// Checks a checkpoint's signature.
    fn checkpoint(&mut self, link: &Link<'_>) -> bool {
        let head = link.signed.and_then(|text| Head::parse(text.get().as_bytes()));
        let Some(head) = head.filter(|head| head.count + 1 == link.seq && head.head.to_string() == link.prev) else {
            self.flaw(link.seq, "the checkpoint does not speak of the records before it");
            return false;
        };
        let good = self.vouch(&head, link.seq);
        if let Some(text) = link.recovered {
            self.recovered(text, link.seq);
        }
        good
    }

    /// Checks whose word a head is, and counts it.
    fn vouch(&mut self, head: &Head, seq: u64) -> bool {
        let log = *self.log.get_or_insert(head.log);
        let key = *self.found.key.get_or_insert(self.known.key.unwrap_or(head.key));
        let wrong = match () {
            () if head.log != log => Some("it belongs to another log"),
            () if head.key != key => Some("it was signed with another key"),
            () if !head.is_genuine() => Some("its signature is wrong"),
            () => None,
        };
        self.found.signatures += 1;
        if let Some(wrong) = wrong {
            // The chain may fit and yet be somebody else's work, from the last good signature on.
            let from = (self.vouched + 1).min(seq);
            self.flaw(from, format!("from here on nobody with the key wrote this: at {seq}, {wrong}"));
            return false;
        }
        self.vouched = self.vouched.max(head.count);
        true
    }

    fn recovered(&mut self, text: &RawValue, seq: u64) {
        let Ok(recovered) = serde_json::from_str::<Recovered>(text.get()) else {
            return self.flaw(seq, "what it says was found cannot be read");
        };
        if let (Some(from), Some(to)) = (recovered.unsigned_from, recovered.unsigned_to) {
            self.found.unsigned.push((from, to));
        }
        if let (Some(from), Some(to)) = (recovered.lost_from, recovered.lost_to) {
            self.flaw(
                from,
                format!("records {from} to {to} had been signed and were gone when record {seq} was written"),
            );
        }
    }

    /// Keeps what later records are judged by.
    fn remember(&mut self, link: &Link<'_>) {
        if link.kind == "erasure" {
            self.openings.erased(&link.seqs, &link.names);
        }
        if let ("retention", Some((first, prev))) = (link.kind, &self.begins) {
            self.removal_noted |= link.through == Some(first - 1) && link.head == Some(prev);
        }
    }

    fn compare_heads(&mut self, seq: u64, hash: Digest) {
        let other = self.expected.iter().find(|(head, _)| head.count == seq && head.head != hash);
        if let Some((_, what)) = other {
            let what = format!("from here on this is not what {what} speaks of (it has another record {seq})");
            let from = (self.vouched + 1).min(seq);
            self.flaw(from, what);
        }
    }

    /// What can be told only when all was read.
    fn end(&mut self, empty: bool) {
        let last = self.last.as_ref().map_or(0, |(seq, ..)| *seq);
        if let (Some((first, _)), false) = (self.begins.clone(), self.removal_noted) {
            self.flaw(
                1,
                format!("records 1 to {} are missing, and nobody wrote down that they were removed", first - 1),
            );
        }
        match self.head {
            Newest::Unreadable => self.flaw(last, "the file `head` cannot be read"),
            Newest::Missing if !empty => {
                self.flaw(last, "the file `head` is missing, so nobody can tell whether the log ends here");
            }
            _ => {}
        }
        self.openings.leftover(&mut self.found, &mut self.flaws);
        if self.flaws.is_empty() {
            self.end_of_heads(last);
        }
    }

    /// Whether the log is as long as those say who signed it.
    fn end_of_heads(&mut self, last: u64) {
        for (head, what) in std::mem::take(&mut self.expected) {
            let genuine = self.vouch(&head, last);
            if genuine && head.count > last {
                let gone = head.count - last;
                let gone = if gone == 1 { "1 is gone".to_owned() } else { format!("{gone} are gone") };
                self.flaw(last + 1, format!("the end is cut off: {what} speaks of {} records, and {gone}", head.count));
            }
        }
        self.found.signed = self.vouched.min(last);
        if self.vouched < last {
            self.found.unsigned.push((self.vouched + 1, last));
        }
    }
}

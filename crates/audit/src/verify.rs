//! Whether a log is what it says it is.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use tollgate_core::Digest;
use tollgate_wire::hex;

use crate::draft::hash;
use crate::log::CHECKPOINT;
use crate::read::Forward;
use crate::segment::Segment;
use crate::{AuditError, Head, files, moment, renew};

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
    let mut tries = 3;
    loop {
        let head = read_head(dir)?;
        let found = walk(dir, known, head.clone(), progress)?;
        tries -= 1;
        // Somebody may have erased fields while we read, and have written that down after the head we know.
        if found.flaw.is_none() || tries == 0 || read_head(dir)? == head {
            return Ok(found);
        }
    }
}

/// Reads everything once. The head is read before, because others may append meanwhile: the log then says more than
/// this head, never less.
fn walk(dir: &Path, known: &Known, head: Newest, progress: &mut dyn FnMut(u64)) -> Result<Verified, AuditError> {
    let segments = Segment::all(dir)?;
    let mut walk = Walk::new(known, head);
    for segment in &segments {
        walk.segment(segment, progress)?;
    }
    walk.end();
    let Walk { mut found, flaws, openings, .. } = walk;
    found.unfinished = openings.unfinished(&segments)?;
    found.flaw = flaws.into_iter().min_by_key(|flaw| flaw.seq);
    Ok(found)
}

/// The newest head, as far as it can be read.
#[derive(Clone, PartialEq)]
enum Newest {
    Missing,
    Unreadable,
    Is(Head),
}

fn read_head(dir: &Path) -> Result<Newest, AuditError> {
    let path = dir.join("head");
    let text = files::if_there(std::fs::read(&path)).map_err(|error| AuditError::io("read", &path, &error))?;
    // The first writer makes the file before it has something to sign.
    Ok(match text.filter(|text| !text.is_empty()) {
        None => Newest::Missing,
        Some(text) => Head::parse(&text).map_or(Newest::Unreadable, Newest::Is),
    })
}

/// Where a head comes from.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Own,
    Anchored,
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => "the signed head",
            Self::Anchored => "an anchored head",
        })
    }
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
    /// Logs that were before this one, and which record says so.
    follows: Vec<(u64, [u8; 16])>,
    /// Up to which record the last good signature speaks.
    vouched: u64,
    /// The same for heads that were kept apart.
    anchored: u64,
    /// Whether the chain is broken: what follows is only asked what it says was removed.
    broken: bool,
    /// Where the log begins, if that is not at the beginning, and the hash that stands there.
    begins: Option<(u64, String)>,
    /// The records in which somebody wrote down that what was before is removed.
    removals: Vec<u64>,
    /// Heads that records must fit.
    expected: Vec<(Head, Whose)>,
    openings: Openings,
}

impl<'k> Walk<'k> {
    fn new(known: &'k Known, head: Newest) -> Self {
        let own = if let Newest::Is(head) = &head { Some((head.clone(), Whose::Own)) } else { None };
        let anchors = known.anchors.iter().map(|head| (head.clone(), Whose::Anchored));
        Self {
            known,
            head,
            expected: own.into_iter().chain(anchors).collect(),
            found: Verified::default(),
            flaws: Vec::new(),
            last: None,
            log: None,
            follows: Vec::new(),
            vouched: 0,
            anchored: 0,
            broken: false,
            begins: None,
            removals: Vec::new(),
            openings: Openings::default(),
        }
    }

    fn flaw(&mut self, seq: u64, what: impl Into<String>) {
        self.flaws.push(Flaw { seq, what: what.into() });
    }

    /// Notes down what is wrong, and that nothing after it can be trusted.
    fn breaks(&mut self, seq: u64, what: impl Into<String>) {
        self.flaw(seq, what);
        self.broken = true;
    }

    fn segment(&mut self, segment: &Segment, progress: &mut dyn FnMut(u64)) -> Result<(), AuditError> {
        let expected = self.last.as_ref().map(|(seq, ..)| seq + 1);
        let lines = Forward::open(segment.log(), segment.first, 0)?;
        let mut lines =
            lines.ok_or_else(|| AuditError::new("the log was rotated away while it was read; try again"))?;
        let mut fields = Forward::open(segment.fields(), segment.first, 0)?;
        let mut bytes = Vec::new();
        let mut first = true;
        while lines.next_into(&mut bytes)?.is_some() {
            if let Some(next) = expected.filter(|next| first && !self.broken && *next != segment.first) {
                let name = segment.first;
                let what = format!("record {next} should stand here, and the next file is named after record {name}");
                self.breaks(next, what);
            }
            let next = self.last.as_ref().map_or(segment.first, |(seq, ..)| seq + 1);
            self.line(&bytes, next, first, fields.as_mut())?;
            first = false;
            if self.found.records.is_multiple_of(4096) {
                progress(self.found.records);
            }
        }
        if !self.broken {
            self.openings.rest(fields.as_mut(), self.last.as_ref().map_or(0, |(seq, ..)| *seq), &mut self.flaws)?;
        }
        Ok(())
    }

    /// Checks one line.
    fn line(&mut self, bytes: &[u8], next: u64, first: bool, fields: Option<&mut Forward>) -> Result<(), AuditError> {
        let link: Link<'_> = match serde_json::from_slice(bytes) {
            Ok(link) => link,
            Err(_) if self.broken => return Ok(()),
            Err(error) => {
                self.breaks(next, format!("the record cannot be read: {error}"));
                return Ok(());
            }
        };
        if !self.broken
            && let Some((seq, what)) = self.out_of_place(&link, next, first)
        {
            self.breaks(seq, what);
        }
        self.remember(&link);
        if self.broken || link.kind == "checkpoint" && !self.checkpoint(&link, bytes) {
            return Ok(());
        }
        if let Some(commitments) = link.fields {
            self.openings.compare(link.seq, commitments, fields, &mut self.found, &mut self.flaws)?;
        }
        let own = hash(bytes);
        self.compare_heads(link.seq, own);
        self.found.records += 1;
        let from = self.found.range.map_or(link.seq, |(from, _)| from);
        self.found.range = Some((from, link.seq));
        self.last = Some((link.seq, own, link.time.to_owned()));
        Ok(())
    }

    /// What keeps a record from standing where it stands, and the first record that this makes doubtful.
    fn out_of_place(&mut self, link: &Link<'_>, next: u64, first: bool) -> Option<(u64, String)> {
        if link.v != 1 {
            return Some((next, format!("the record is of version {}, and this program knows version 1", link.v)));
        }
        if moment(link.time).is_none() {
            return Some((next, "its time is none".to_owned()));
        }
        if link.seq > next || self.last.is_none() && link.seq < next {
            return Some((next, format!("record {next} should stand here, and it is {}", link.seq)));
        }
        // Of two that do not fit together, either may be the wrong one.
        let before = next.saturating_sub(1);
        match &self.last {
            Some(_) if link.seq < next => {
                return Some((before, format!("after it, record {next} should stand, and it is {}", link.seq)));
            }
            Some((_, hash, _)) if hex::encode(&hash.0) != link.prev => {
                return Some((
                    before,
                    "it was changed, or the record after it was: their hashes do not fit".to_owned(),
                ));
            }
            // What somebody without the key wrote may be of any time; whoever found it wrote the right one.
            Some((.., time)) if link.time < time.as_str() && link.recovered.is_none() => {
                return Some((next, "it is older than the record before it".to_owned()));
            }
            None if link.seq > 1 => self.begins = Some((link.seq, link.prev.to_owned())),
            None if link.prev.bytes().any(|digit| digit != b'0') => {
                return Some((next, "it is the first record, and names one before it".to_owned()));
            }
            _ => {}
        }
        let due = first || link.seq % CHECKPOINT == 1;
        (due && link.kind != "checkpoint").then(|| (next, "there must be a checkpoint here".to_owned()))
    }

    /// Checks a checkpoint; says whether it is good.
    fn checkpoint(&mut self, link: &Link<'_>, line: &[u8]) -> bool {
        let head = link.signed.and_then(|text| Head::parse(text.get().as_bytes()));
        let before =
            |head: &Head| head.count.checked_add(1) == Some(link.seq) && hex::encode(&head.head.0) == link.prev;
        let Some(head) = head.filter(before) else {
            self.breaks(link.seq, "the checkpoint does not speak of the records before it");
            return false;
        };
        let vouched = self.vouched;
        if !self.vouch(&head, head.is_genuine_checkpoint(line), link.seq) {
            self.broken = true;
            return false;
        }
        if let Some(text) = link.recovered {
            self.recovered(text, link.seq, vouched);
        }
        true
    }

    /// Checks whose word a head is, and counts it.
    fn vouch(&mut self, head: &Head, genuine: bool, seq: u64) -> bool {
        let log = *self.log.get_or_insert(head.log);
        let key = *self.found.key.get_or_insert(self.known.key.unwrap_or(head.key));
        let wrong = match () {
            () if head.log != log => Some("it belongs to another log"),
            () if head.key != key => Some("it was signed with another key"),
            () if !genuine => Some("its signature is wrong"),
            () => None,
        };
        self.found.signatures += 1;
        if let Some(wrong) = wrong {
            // The chain may fit and yet be somebody else's work, from the last good signature on.
            let from = self.vouched.saturating_add(1).min(seq);
            self.flaw(from, format!("from here on nobody with the key wrote this: at {seq}, {wrong}"));
            return false;
        }
        self.vouched = self.vouched.max(head.count);
        true
    }

    /// Takes over what a writer found. What an earlier signature vouches for was signed, whatever it says.
    fn recovered(&mut self, text: &RawValue, seq: u64, vouched: u64) {
        let Ok(recovered) = serde_json::from_str::<Recovered>(text.get()) else {
            return self.flaw(seq, "what it says was found cannot be read");
        };
        if let (Some(from), Some(to)) = (recovered.unsigned_from, recovered.unsigned_to) {
            let from = from.max(vouched + 1);
            self.found.unsigned.extend((from <= to).then_some((from, to)));
        }
        match (recovered.lost_from, recovered.lost_to) {
            (Some(from), Some(to)) if from < seq => {
                let what = format!("had been signed, and others were there when record {seq} was written");
                self.flaw(from.min(vouched + 1), format!("records up to {to} {what}"));
            }
            (Some(from), Some(to)) => {
                let what = "had been signed and were gone when record";
                self.flaw(from, format!("records {from} to {to} {what} {seq} was written"));
            }
            (Some(from), None) => {
                let what = "the signed head was gone, so records from here on may have been cut off before";
                self.flaw(from, format!("when record {seq} was written, {what}"));
            }
            _ => {}
        }
    }

    /// Keeps what other records are judged by.
    fn remember(&mut self, link: &Link<'_>) {
        if link.kind == "erasure" {
            self.openings.erased(link.seq, &link.seqs, &link.names);
        }
        if link.kind == renew::KIND {
            let before = link.signed.and_then(|text| Head::parse(text.get().as_bytes()));
            self.follows.extend(before.map(|before| (link.seq, before.log)));
        }
        if let ("retention", Some((first, prev))) = (link.kind, &self.begins)
            // Whoever removed more than is gone was interrupted.
            && (link.through > Some(first - 1) || link.through == Some(first - 1) && link.head == Some(prev))
        {
            self.removals.push(link.seq);
        }
    }

    fn compare_heads(&mut self, seq: u64, hash: Digest) {
        let ours = |head: &Head| self.log.is_none_or(|log| log == head.log);
        for (head, whose) in self.expected.iter().filter(|(head, _)| head.count == seq && ours(head)) {
            // Whoever rewrote what was anchored may well have signed it.
            let sure = if *whose == Whose::Own { self.vouched } else { self.anchored };
            if head.head == hash {
                self.anchored = if *whose == Whose::Own { self.anchored } else { seq };
            } else {
                let what = format!("from here on this is not what {whose} speaks of (it has another record {seq})");
                self.flaws.push(Flaw { seq: sure.saturating_add(1).min(seq), what });
            }
        }
    }

    /// What can be told only when all was read.
    fn end(&mut self) {
        let last = self.last.as_ref().map_or(0, |(seq, ..)| *seq);
        match self.head {
            Newest::Unreadable => self.flaw(last, "the file `head` cannot be read"),
            Newest::Missing if last > 0 => {
                self.flaw(last, "the file `head` is missing, so nobody can tell whether the log ends here");
            }
            _ => {}
        }
        if !self.broken {
            self.end_of_heads(last);
        }
        // Somebody without the key can say that something was removed, too.
        let unsigned = self.found.unsigned.clone();
        let signed = |seq: u64| !unsigned.iter().any(|(from, to)| (*from..=*to).contains(&seq));
        if let (Some((first, _)), false) = (self.begins.clone(), self.removals.iter().any(|seq| signed(*seq))) {
            self.flaw(
                1,
                format!("records 1 to {} are missing, and nobody wrote down that they were removed", first - 1),
            );
        }
        self.openings.leftover(&signed, &mut self.found, &mut self.flaws);
    }

    /// Heads of a log before this one were anchored at the same place, if this one says that there was one. Otherwise
    /// another log was put in the place of the one that was anchored.
    fn refuse_others(&mut self, others: &[(Head, Whose)]) {
        let unsigned = &self.found.unsigned;
        let signed = |seq: u64| !unsigned.iter().any(|(from, to)| (*from..=*to).contains(&seq));
        let named = |(seq, log): &(u64, [u8; 16])| signed(*seq) && others.iter().any(|(head, _)| head.log == *log);
        if !others.is_empty() && !self.follows.iter().any(named) {
            self.flaw(1, "this is another log than the one that an anchored head speaks of");
        }
    }

    /// Whether the log is as long as those say who signed it.
    fn end_of_heads(&mut self, last: u64) {
        let mut known = matches!(self.head, Newest::Is(_));
        let log = self.log;
        let of_others = |head: &Head| log.is_some_and(|log| log != head.log);
        let expected = std::mem::take(&mut self.expected).into_iter();
        let (others, ours): (Vec<_>, Vec<_>) =
            expected.partition(|(head, whose)| *whose == Whose::Anchored && of_others(head));
        for (head, whose) in ours {
            let genuine = self.vouch(&head, head.is_genuine(), last);
            known &= genuine;
            if genuine && head.count > last {
                let gone = head.count - last;
                let gone = if gone == 1 { "1 is gone".to_owned() } else { format!("{gone} are gone") };
                self.flaw(
                    last + 1,
                    format!("the end is cut off: {whose} speaks of {} records, and {gone}", head.count),
                );
            }
        }
        self.found.signed = self.vouched.min(last);
        if known && self.vouched < last {
            self.found.unsigned.push((self.vouched + 1, last));
        }
        self.refuse_others(&others);
    }
}

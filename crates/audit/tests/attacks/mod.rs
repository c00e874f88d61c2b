//! Attacks on a log by somebody without its key, and the first bad record that each must be found by.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "helpers of tests; not every test uses all")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tollgate_audit::{Draft, Head, Known, Segment};
use tollgate_wire::canonical;

use crate::common::Folder;

/// A log of several segments, with an erasure in it, and copies of it from before.
pub(crate) struct Victim {
    pub(crate) folder: Folder,
    good: PathBuf,
    old: PathBuf,
    /// Another log with the same key.
    other: Folder,
    /// A head that is kept apart.
    anchor: Head,
    /// Where its segments begin.
    pub(crate) firsts: Vec<u64>,
    pub(crate) last: u64,
}

/// What to do to the log. Gives back what is known when it is verified, and the first bad record.
pub(crate) type Attack = fn(&Victim) -> (Known, Option<u64>);

/// The record whose field was erased by somebody with the key.
const ERASED: u64 = 20;

impl Victim {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Folder::new(name).segments(60_000);
        folder.fill(300);
        append(&folder, "erasure", &[("seqs", json!([[ERASED, ERASED]])), ("reason", json!("asked to"))]);
        blank(&folder, ERASED);
        let old = folder.copy_to("old");
        folder.fill(400);
        let good = folder.copy_to("good");
        let other = Folder::new(&format!("{name}-other")).segments(60_000);
        fs::create_dir_all(other.key_dir()).unwrap();
        fs::copy(folder.key_dir().join("audit.key"), other.key_dir().join("audit.key")).unwrap();
        other.fill(710);
        let firsts: Vec<u64> = Segment::all(&folder.dir()).unwrap().iter().map(|segment| segment.first).collect();
        let last = folder.verify().records;
        let anchor = folder.log().head().unwrap().unwrap();
        Self { folder, good, old, other, anchor, firsts, last }
    }

    /// Puts everything back as it was.
    pub(crate) fn restore(&self) {
        self.folder.put_back(&self.good);
    }

    fn known(&self) -> Known {
        self.folder.known()
    }

    fn anchored(&self) -> Known {
        Known { anchors: vec![self.anchor.clone()], ..self.known() }
    }

    fn segment(&self, seq: u64) -> u64 {
        *self.firsts.iter().rfind(|first| **first <= seq).unwrap()
    }

    fn path(&self, seq: u64, extension: &str) -> PathBuf {
        self.folder.dir().join(format!("{:012}.{extension}", self.segment(seq)))
    }

    /// The last record that a checkpoint before this record speaks of.
    fn vouched(&self, seq: u64) -> u64 {
        let checkpoint = (1..=seq).rev().find(|seq| seq % 256 == 1 || self.firsts.contains(seq)).unwrap();
        checkpoint - 1
    }

    /// Changes the lines of the segment that holds a record; the second argument is where that record stands.
    fn lines(&self, seq: u64, change: impl FnOnce(&mut Vec<String>, usize)) {
        let first = self.segment(seq);
        let at = usize::try_from(seq - first).unwrap();
        self.folder.rewrite(&format!("{first:012}.log"), |lines| change(lines, at));
    }

    /// Changes the text of a record.
    fn edit(&self, seq: u64, from: &str, to: &str) {
        self.lines(seq, |lines, at| {
            assert!(lines[at].contains(from), "{}", lines[at]);
            lines[at] = lines[at].replacen(from, to, 1);
        });
    }

    fn line(&self, seq: u64) -> String {
        let text = fs::read_to_string(self.path(seq, "log")).unwrap();
        text.lines().nth(usize::try_from(seq - self.segment(seq)).unwrap()).unwrap().to_owned()
    }

    /// Changes the line of fields beside a record.
    fn edit_fields(&self, seq: u64, change: impl FnOnce(&str) -> String) {
        let ending = format!("\"seq\":{seq}}}");
        let name = self.path(seq, "fields").file_name().unwrap().to_str().unwrap().to_owned();
        self.folder.rewrite(&name, |lines| {
            let line = lines.iter_mut().find(|line| line.ends_with(&ending)).unwrap();
            *line = change(line);
        });
    }

    /// Rewrites everything from a record on so that the hashes are right, and signs the checkpoints in some way.
    fn rewrite_from(&self, seq: u64, sign: &dyn Fn(&mut Value, &[u8])) -> (u64, String) {
        let mut prev: Option<String> = (seq == 1).then(|| "0".repeat(64));
        for first in self.firsts.iter().copied().filter(|first| *first >= self.segment(seq)) {
            self.folder.rewrite(&format!("{first:012}.log"), |lines| {
                for line in lines.iter_mut() {
                    let mut record: Value = serde_json::from_str(line).unwrap();
                    if record["seq"].as_u64() == Some(seq) {
                        record["tool"] = json!("Forged");
                    }
                    if let (true, Some(prev)) = (record["seq"].as_u64() >= Some(seq), &prev) {
                        record["prev"] = prev.as_str().into();
                        if record["kind"] == "checkpoint" {
                            record["signed"]["head"] = prev.as_str().into();
                            sign(&mut record, b"tollgate-audit-1 checkpoint\n");
                        }
                        *line = String::from_utf8(canonical(&record)).unwrap();
                    }
                    prev = Some(hash(line));
                }
            });
        }
        (self.last, prev.unwrap())
    }

    fn write_head(&self, head: &Value) {
        fs::write(self.folder.dir().join("head"), format!("{head:<511}\n")).unwrap();
    }

    fn read_head(&self) -> Value {
        serde_json::from_slice(&fs::read(self.folder.dir().join("head")).unwrap()).unwrap()
    }

    /// Appends a line that fits the chain, without a signature.
    fn append_unsigned(&self, record: Value) {
        let mut record = record;
        let last = self.line(self.last);
        let time = serde_json::from_str::<Value>(&last).unwrap()["time"].clone();
        record["seq"] = (self.last + 1).into();
        (record["prev"], record["time"], record["v"]) = (hash(&last).into(), time, 1.into());
        let line = String::from_utf8(canonical(&record)).unwrap();
        self.lines(self.last, |lines, _| lines.push(line));
    }

    fn cut(&self, path: &Path, by: u64) {
        let length = fs::metadata(path).unwrap().len();
        fs::File::options().write(true).open(path).unwrap().set_len(length - by).unwrap();
    }

    /// Cuts off everything after a record.
    fn cut_after(&self, seq: u64) {
        for first in self.firsts.iter().filter(|first| **first > seq) {
            fs::remove_file(self.path(*first, "log")).unwrap();
            fs::remove_file(self.path(*first, "fields")).unwrap();
        }
        self.lines(seq, |lines, at| lines.truncate(at + 1));
    }
}

/// Appends a record, as Tollgate would.
pub(crate) fn append(folder: &Folder, kind: &str, members: &[(&'static str, Value)]) -> u64 {
    let mut draft = Draft::new(kind);
    members.iter().for_each(|(name, value)| draft.member(name, value));
    folder.clock.advance(Duration::from_secs(1));
    folder.log().append(draft).unwrap()
}

/// Blanks the fields beside a record.
pub(crate) fn blank(folder: &Folder, seq: u64) {
    let segments = Segment::all(&folder.dir()).unwrap();
    let path = segments.iter().rfind(|segment| segment.first <= seq).unwrap().fields();
    let ending = format!("\"seq\":{seq}}}");
    let text = fs::read_to_string(&path).unwrap();
    let blanked = text.lines().map(|line| if line.ends_with(&ending) { erased(line) } else { line.to_owned() });
    fs::write(path, blanked.map(|line| line + "\n").collect::<String>()).unwrap();
}

fn erased(line: &str) -> String {
    let mut fields: Value = serde_json::from_str(line).unwrap();
    let seq = fields["seq"].take();
    let all = fields["fields"].as_object().unwrap().iter();
    let texts: Vec<String> =
        all.map(|(name, field)| format!("\"{name}\":{:<width$}", "null", width = canonical(field).len())).collect();
    format!("{{\"fields\":{{{}}},\"seq\":{seq}}}", texts.join(","))
}

pub(crate) fn hash(line: &str) -> String {
    hash_bytes(line.as_bytes())
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The head in a checkpoint, or the head itself.
fn statement(signed: &mut Value) -> &mut Value {
    if signed.get("signed").is_some() { &mut signed["signed"] } else { signed }
}

/// Signs with the attacker's own key.
fn own_key(signed: &mut Value, domain: &[u8]) {
    let key = SigningKey::from_bytes(&[9; 32]);
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    statement(signed)["key"] = hex(key.verifying_key().as_bytes()).into();
    statement(signed).as_object_mut().unwrap().remove("sig");
    let message = [domain, &canonical(signed)].concat();
    statement(signed)["sig"] = hex(&key.sign(&message).to_bytes()).into();
}

/// Leaves the signature that was there.
fn old_signature(_: &mut Value, _: &[u8]) {}

fn wrong_signature(signed: &mut Value, _: &[u8]) {
    statement(signed)["sig"] = "ab".repeat(64).into();
}

/// A newest head for a log that was rewritten.
fn rewritten(victim: &Victim, from: u64, sign: &dyn Fn(&mut Value, &[u8])) {
    let (count, hash) = victim.rewrite_from(from, sign);
    let mut head = victim.read_head();
    (head["count"], head["head"]) = (count.into(), hash.into());
    sign(&mut head, b"tollgate-audit-1\n");
    victim.write_head(&head);
}

mod table;

pub(crate) use table::ATTACKS;

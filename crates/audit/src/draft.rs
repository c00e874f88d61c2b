//! A record before it has its place in the chain.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use tollgate_core::Digest;
use tollgate_wire::{hex, write_canonical};

use crate::{AuditError, keys};

/// A record that is still without a number, a time and a predecessor. Everything that takes time is done when it is
/// made, because the log is locked while it is appended.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Members, in canonical form.
    members: Parts,
    /// Fields: salt and value as they stand beside the record.
    fields: Parts,
    /// Commitments to the fields.
    commitments: Parts,
    /// The call that begins with this record.
    pub(crate) opens: Option<Arc<CallKey>>,
    /// The call that ends with this record.
    pub(crate) closes: Option<Arc<CallKey>>,
}

/// Which call: calls of two sessions may have the same id, and so may a tool call and a request to a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallKey {
    /// The point at which it begins.
    pub(crate) point: &'static str,
    pub(crate) session: Option<String>,
    pub(crate) call: String,
}

impl Draft {
    /// A record of this kind.
    pub fn new(kind: &str) -> Self {
        let mut draft = Self::default();
        draft.member("kind", &Value::from(kind));
        draft.member("v", &Value::from(1));
        draft
    }

    /// Adds a member.
    pub fn member(&mut self, name: &'static str, value: &Value) {
        self.members.add(name, |out| write(value, out));
    }

    /// Adds what stands beside the record, and a commitment to it in the record. `seal` turns the value, given the
    /// salt, into what is kept.
    pub fn field_with(
        &mut self,
        name: &'static str,
        seal: impl FnOnce(&[u8; 16]) -> Result<Value, AuditError>,
    ) -> Result<(), AuditError> {
        let salt = SALTS.lock().unwrap_or_else(PoisonError::into_inner).next()?;
        let value = seal(&salt)?;
        let Digest(commitment) = self.fields.add(name, |out| {
            out.push_str("[\"");
            hex::push(out, &salt);
            out.push_str("\",");
            let start = out.len();
            write(&value, out);
            let commitment = commitment(&salt, name, &out.as_bytes()[start..]);
            out.push(']');
            commitment
        });
        self.commitments.add(name, |out| quoted(out, |out| hex::push(out, &commitment)));
        Ok(())
    }

    /// Adds what stands beside the record, as it is.
    pub fn field(&mut self, name: &'static str, value: Value) -> Result<(), AuditError> {
        self.field_with(name, |_| Ok(value))
    }

    /// Says that a call begins with this record, which names its point.
    pub fn begins(&mut self, session: Option<&str>, call: &str) {
        self.opens = Some(self.key(session, call));
    }

    /// Says that a call ends with this record, which names its point: it will also name the record with which the call
    /// began, if that is found.
    pub fn ends(&mut self, session: Option<&str>, call: &str) {
        self.closes = Some(self.key(session, call));
    }

    fn key(&self, session: Option<&str>, call: &str) -> Arc<CallKey> {
        let model = self.members.get("point").is_some_and(|point| point.starts_with("\"model."));
        let point = if model { "model.request" } else { "tool.before" };
        Arc::new(CallKey { point, session: session.map(str::to_owned), call: call.to_owned() })
    }

    /// Adds the record's line to others, without its end. Nobody else says where the record stands: a member with the
    /// name of what this adds is left out.
    pub(crate) fn line(&self, place: &Place<'_>, out: &mut String) {
        let mut members = self.members.iter().peekable();
        let own: [(&str, bool); 5] = [
            ("fields", !self.commitments.is_empty()),
            ("intent", place.intent.is_some()),
            ("prev", true),
            ("seq", true),
            ("time", true),
        ];
        let start = out.len();
        for (name, _) in own.into_iter().filter(|(_, there)| *there) {
            while let Some((member, text)) = members.next_if(|(member, _)| *member < name) {
                member_into(out, start, member);
                out.push_str(text);
            }
            let _ = members.next_if(|(member, _)| *member == name);
            member_into(out, start, name);
            self.own(name, place, out);
        }
        for (member, text) in members {
            member_into(out, start, member);
            out.push_str(text);
        }
        out.push('}');
    }

    /// What stands in a record by its place.
    fn own(&self, name: &str, place: &Place<'_>, out: &mut String) {
        match name {
            "fields" => self.commitments.object(out),
            "intent" => out.push_str(&place.intent.unwrap_or_default().to_string()),
            "prev" => quoted(out, |out| hex::push(out, &place.prev.0)),
            "seq" => out.push_str(&place.seq.to_string()),
            _ => quoted(out, |out| out.push_str(place.time)),
        }
    }

    /// Adds the line beside it, without its end; says whether there is anything to be said there.
    pub(crate) fn beside(&self, seq: u64, out: &mut String) -> bool {
        if self.fields.is_empty() {
            return false;
        }
        out.push_str("{\"fields\":");
        self.fields.object(out);
        out.push_str(",\"seq\":");
        out.push_str(&seq.to_string());
        out.push('}');
        true
    }
}

/// Texts by name, all in one: a draft has many of them and lives for some microseconds.
#[derive(Clone, Debug, Default)]
struct Parts {
    text: String,
    /// In the order of their names, which are plain words: as bytes that is the canonical one.
    places: Vec<(&'static str, Range<usize>)>,
}

impl Parts {
    /// Adds what is written, in the place of what had the same name.
    fn add<T>(&mut self, name: &'static str, write: impl FnOnce(&mut String) -> T) -> T {
        if self.places.capacity() == 0 {
            (self.text, self.places) = (String::with_capacity(512), Vec::with_capacity(16));
        }
        let start = self.text.len();
        let written = write(&mut self.text);
        let place = start..self.text.len();
        match self.places.binary_search_by_key(&name, |(name, _)| name) {
            Ok(at) => self.places[at].1 = place,
            Err(at) => self.places.insert(at, (name, place)),
        }
        written
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, text)| text)
    }

    fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.places.iter().map(|(name, place)| (*name, &self.text[place.clone()]))
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn object(&self, out: &mut String) {
        let start = out.len();
        for (name, text) in self.iter() {
            member_into(out, start, name);
            out.push_str(text);
        }
        out.push('}');
    }
}

/// Begins a member of the object that begins at `start`. Names are plain words, which need no escape.
fn member_into(out: &mut String, start: usize, name: &str) {
    out.push_str(if out.len() == start { "{\"" } else { ",\"" });
    out.push_str(name);
    out.push_str("\":");
}

fn quoted(out: &mut String, write: impl FnOnce(&mut String)) {
    out.push('"');
    write(out);
    out.push('"');
}

/// Salts for the next fields, drawn together because asking the system takes longer than all else.
struct Salts {
    /// Whose they are: a fork would use them a second time.
    process: u32,
    left: Vec<[u8; 16]>,
}

static SALTS: Mutex<Salts> = Mutex::new(Salts { process: 0, left: Vec::new() });

impl Salts {
    const TOGETHER: usize = 64;

    fn next(&mut self) -> Result<[u8; 16], AuditError> {
        let process = std::process::id();
        if self.left.is_empty() || self.process != process {
            let drawn: [u8; 16 * Self::TOGETHER] = keys::draw()?;
            self.process = process;
            self.left.clear();
            self.left.extend_from_slice(drawn.as_chunks().0);
        }
        self.left.pop().map_or_else(keys::draw, Ok)
    }
}

/// Where a record stands in the chain.
pub(crate) struct Place<'a> {
    pub(crate) seq: u64,
    pub(crate) prev: Digest,
    pub(crate) time: &'a str,
    /// The record that this one completes.
    pub(crate) intent: Option<u64>,
}

/// What a record says of a field in its place: nobody can tell the value from it, or find another that fits.
pub(crate) fn commitment(salt: &[u8; 16], name: &str, value: &[u8]) -> Digest {
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(name);
    hash.update([0]);
    hash.update(value);
    Digest(hash.finalize().into())
}

/// The hash of a line.
pub(crate) fn hash(line: &[u8]) -> Digest {
    Digest(Sha256::digest(line).into())
}

fn write(value: &Value, out: &mut String) {
    // Most are words, which only need quotes.
    let escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if let Value::String(word) = value
        && !word.bytes().any(escaped)
    {
        return quoted(out, |out| out.push_str(word));
    }
    let value = if all_plain(value) { Cow::Borrowed(value) } else { Cow::Owned(plain(value)) };
    write_canonical(out, &value);
}

/// Numbers that not every parser keeps have no canonical form in JSON; they are kept as their text.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) if !is_plain(number) => Value::from(number.to_string()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), plain(member))).collect(),
        _ => value.clone(),
    }
}

fn all_plain(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_plain(number),
        Value::Array(items) => items.iter().all(all_plain),
        Value::Object(members) => members.values().all(all_plain),
        _ => true,
    }
}

fn is_plain(number: &Number) -> bool {
    const LARGEST: u64 = 1 << 53;
    let small = |whole: i64| whole.unsigned_abs() <= LARGEST;
    number.as_i64().map_or_else(|| number.as_u64().is_none() && number.is_f64(), small)
}

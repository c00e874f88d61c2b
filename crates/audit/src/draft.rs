//! A record before it has its place in the chain.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use tollgate_core::Digest;
use tollgate_wire::canonical;
use tollgate_wire::hex;

use crate::{AuditError, keys};

/// A record that is still without a number, a time and a predecessor. Everything that takes time is done when it is
/// made, because the log is locked while it is appended.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Members by name, in canonical form.
    members: BTreeMap<&'static str, String>,
    /// Fields by name: salt and value as they stand beside the record.
    fields: BTreeMap<&'static str, String>,
    commitments: BTreeMap<&'static str, String>,
    salts: Salts,
    /// The call that begins with this record.
    pub(crate) opens: Option<CallKey>,
    /// The call that ends with this record.
    pub(crate) closes: Option<CallKey>,
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
        self.members.insert(name, text(value));
    }

    /// Adds what stands beside the record, and a commitment to it in the record. `seal` turns the value, given the
    /// salt, into what is kept.
    pub fn field_with(
        &mut self,
        name: &'static str,
        seal: impl FnOnce(&[u8; 16]) -> Result<Value, AuditError>,
    ) -> Result<(), AuditError> {
        let salt = self.salts.next()?;
        let value = text(&seal(&salt)?);
        let commitment = commitment(&salt, name, value.as_bytes());
        self.commitments.insert(name, format!("\"{}\"", hex::encode(&commitment.0)));
        self.fields.insert(name, format!("[\"{}\",{value}]", hex::encode(&salt)));
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

    fn key(&self, session: Option<&str>, call: &str) -> CallKey {
        let model = self.members.get("point").is_some_and(|point| point.starts_with("\"model."));
        let point = if model { "model.request" } else { "tool.before" };
        CallKey { point, session: session.map(str::to_owned), call: call.to_owned() }
    }

    /// Adds the record's line to others, without its end.
    pub(crate) fn line(&self, place: &Place<'_>, out: &mut Vec<u8>) {
        let mut fields = Vec::with_capacity(96 * self.commitments.len());
        object(pairs(&self.commitments), &mut fields);
        let own = [
            ("fields", (!self.commitments.is_empty()).then_some(fields)),
            ("intent", place.intent.map(|number| number.to_string().into_bytes())),
            ("prev", Some(format!("\"{}\"", hex::encode(&place.prev.0)).into_bytes())),
            ("seq", Some(place.seq.to_string().into_bytes())),
            ("time", Some(format!("\"{}\"", place.time).into_bytes())),
        ];
        let own = own.iter().filter_map(|(name, text)| Some((*name, text.as_deref()?)));
        let mut all: Vec<(&str, &[u8])> = own.chain(pairs(&self.members)).collect();
        // Nobody else says where the record stands: of two with the same name the first stays.
        all.sort_by_key(|(name, _)| *name);
        all.dedup_by_key(|(name, _)| *name);
        object(all.into_iter(), out);
    }

    /// Adds the line beside it, without its end; says whether there is anything to be said there.
    pub(crate) fn beside(&self, seq: u64, out: &mut Vec<u8>) -> bool {
        if self.fields.is_empty() {
            return false;
        }
        out.extend_from_slice(b"{\"fields\":");
        object(pairs(&self.fields), out);
        out.extend_from_slice(format!(",\"seq\":{seq}}}").as_bytes());
        true
    }
}

/// Salts for the next fields, drawn together because asking the system takes longer than all else. A copy of a draft has
/// none of them: no salt is used twice.
#[derive(Default)]
struct Salts(Vec<[u8; 16]>);

impl Salts {
    const TOGETHER: usize = 8;

    fn next(&mut self) -> Result<[u8; 16], AuditError> {
        if self.0.is_empty() {
            let drawn: [u8; 16 * Self::TOGETHER] = keys::draw()?;
            self.0.extend_from_slice(drawn.as_chunks().0);
        }
        self.0.pop().map_or_else(keys::draw, Ok)
    }
}

impl Clone for Salts {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Salts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
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

fn text(value: &Value) -> String {
    // Most are words, which only need quotes.
    let escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if let Value::String(word) = value
        && !word.bytes().any(escaped)
    {
        return ["\"", word, "\""].concat();
    }
    let value = if all_plain(value) { Cow::Borrowed(value) } else { Cow::Owned(plain(value)) };
    // Canonical form is made of texts, which are UTF-8.
    String::from_utf8(canonical(&value)).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
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

fn pairs<'a>(members: &'a BTreeMap<&'static str, String>) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    members.iter().map(|(name, text)| (*name, text.as_bytes()))
}

/// Names are plain words, whose order as bytes is the canonical one, and which need no escape.
fn object<'a>(members: impl Iterator<Item = (&'a str, &'a [u8])>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, text)) in members.enumerate() {
        out.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(text);
    }
    out.push(b'}');
}

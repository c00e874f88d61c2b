//! A record before it has its place in the chain.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use tollgate_core::Digest;
use tollgate_wire::canonical;

use crate::{AuditError, hex, keys};

/// A record that is still without a number, a time and a predecessor. Everything that takes time is done when it is
/// made, because the log is locked while it is appended.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Members by name, in canonical form.
    members: BTreeMap<&'static str, String>,
    /// Fields by name: salt and value as they stand beside the record.
    fields: BTreeMap<&'static str, String>,
    commitments: BTreeMap<&'static str, String>,
    /// The call that begins with this record.
    pub(crate) opens: Option<CallKey>,
    /// The call that ends with this record.
    pub(crate) closes: Option<CallKey>,
}

/// Which call: calls of two sessions may have the same id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallKey {
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
        let salt = keys::draw()?;
        let value = text(&seal(&salt)?);
        self.commitments.insert(name, commitment(&salt, name, value.as_bytes()).to_string());
        self.fields.insert(name, format!("[\"{}\",{value}]", hex::encode(&salt)));
        Ok(())
    }

    /// Adds what stands beside the record, as it is.
    pub fn field(&mut self, name: &'static str, value: Value) -> Result<(), AuditError> {
        self.field_with(name, |_| Ok(value))
    }

    /// Says that a call begins with this record, or ends with it.
    pub fn begins(&mut self, session: Option<&str>, call: &str) {
        self.opens = Some(CallKey { session: session.map(str::to_owned), call: call.to_owned() });
    }

    /// Says that a call ends with this record: it will name the record with which the call began, if that is found.
    pub fn ends(&mut self, session: Option<&str>, call: &str) {
        self.closes = Some(CallKey { session: session.map(str::to_owned), call: call.to_owned() });
    }

    /// The record's line, without its end.
    pub(crate) fn line(&self, place: &Place<'_>) -> String {
        let number = |number: u64| text(&Value::from(number));
        let fields = (!self.commitments.is_empty()).then(|| {
            let pairs: Vec<String> =
                self.commitments.iter().map(|(name, hash)| format!("\"{name}\":\"{hash}\"")).collect();
            format!("{{{}}}", pairs.join(","))
        });
        let own = [
            ("fields", fields),
            ("intent", place.intent.map(number)),
            ("prev", Some(format!("\"{}\"", place.prev))),
            ("seq", Some(number(place.seq))),
            ("time", Some(format!("\"{}\"", place.time))),
        ];
        let mut all: BTreeMap<&str, &str> = self.members.iter().map(|(name, text)| (*name, text.as_str())).collect();
        all.extend(own.iter().filter_map(|(name, text)| Some((*name, text.as_deref()?))));
        object(&all)
    }

    /// The line beside it, without its end; none if there is nothing to be said there.
    pub(crate) fn beside(&self, seq: u64) -> Option<String> {
        let all: BTreeMap<&str, &str> = self.fields.iter().map(|(name, text)| (*name, text.as_str())).collect();
        (!all.is_empty()).then(|| format!("{{\"fields\":{},\"seq\":{seq}}}", object(&all)))
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
    let value = if all_plain(value) { Cow::Borrowed(value) } else { Cow::Owned(plain(value)) };
    // Canonical form is made of texts, which are UTF-8.
    String::from_utf8_lossy(&canonical(&value)).into_owned()
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

/// Names are plain words, whose order as bytes is the canonical one, and which need no escape.
fn object(members: &BTreeMap<&str, &str>) -> String {
    let mut out = String::with_capacity(members.values().map(|text| text.len() + 16).sum());
    out.push('{');
    for (index, (name, text)) in members.iter().enumerate() {
        out.push_str(if index == 0 { "\"" } else { ",\"" });
        out.push_str(name);
        out.push_str("\":");
        out.push_str(text);
    }
    out.push('}');
    out
}

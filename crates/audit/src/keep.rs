//! What is kept of a document: no credential, and no more than there is room for.
//!
//! Everything is redacted before it is cut. The other way round, half a credential would be none to the scanner and
//! would stay.

mod trim;

use std::ops::ControlFlow;

use serde_json::{Map, Value};
use tollgate_secrets::scanner;

/// The least room that anything can be kept in.
pub(crate) const LEAST: usize = 256;

/// What is kept of a document, in at most `limit` bytes of JSON. What was kept once stays as it is.
pub(crate) fn document(value: &Value, limit: usize) -> Value {
    member(None, value, limit)
}

/// The same for the member of an object, whose name says whether it is a credential.
pub(crate) fn member(name: Option<&str>, value: &Value, limit: usize) -> Value {
    if size(value, limit) <= limit {
        let mut copy = value.clone();
        redact(name, &mut copy);
        // Placeholders can be longer than what they stand for.
        if size(&copy, limit) <= limit {
            return copy;
        }
    }
    // What is cut may look like a credential, whose placeholder then needs more room.
    [limit, limit / 2, limit / 4]
        .into_iter()
        .map(|room| {
            let mut trimmed = trim::value(value, name, room);
            redact(name, &mut trimmed);
            trimmed
        })
        .find(|trimmed| size(trimmed, limit) <= limit)
        .unwrap_or_else(|| Value::from("[left out]"))
}

/// What is kept of a text.
pub(crate) fn text(text: &str, limit: usize) -> String {
    match document(&Value::from(text), limit) {
        Value::String(kept) => kept,
        _ => String::new(),
    }
}

/// How many bytes a value takes as canonical JSON; anything above `most` if it is more than that.
pub(crate) fn size(value: &Value, most: usize) -> usize {
    let mut sum = 0;
    let _ = add(value, &mut sum, most);
    sum
}

fn add(value: &Value, sum: &mut usize, most: usize) -> ControlFlow<()> {
    *sum += match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.as_i64().map_or(LONGEST_NUMBER, digits),
        Value::String(text) => text_size(text),
        Value::Array(items) => 2 + items.len().saturating_sub(1),
        Value::Object(members) => {
            2 + members.len().saturating_sub(1) + members.keys().map(|name| text_size(name) + 1).sum::<usize>()
        }
    };
    if *sum > most {
        return ControlFlow::Break(());
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| add(item, sum, most)),
        Value::Object(members) => members.values().try_for_each(|member| add(member, sum, most)),
        _ => ControlFlow::Continue(()),
    }
}

/// As long as a number can be: a float with a sign, a point, five zeros and 17 digits, or a whole one in quotes.
const LONGEST_NUMBER: usize = 26;

fn digits(whole: i64) -> usize {
    // Those that a float cannot hold are kept as texts.
    let quotes = if whole.unsigned_abs() > 1 << 53 { 2 } else { 0 };
    let sign = usize::from(whole < 0);
    quotes + sign + whole.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// How many bytes a text takes, with its quotes and escapes.
fn text_size(text: &str) -> usize {
    2 + text.bytes().map(byte_size).sum::<usize>()
}

fn byte_size(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    }
}

/// Takes the credentials out of a value, given the name it goes by.
fn redact(name: Option<&str>, value: &mut Value) {
    let Some(name) = name else {
        scanner().redact_json(value);
        return;
    };
    let mut named = Value::Object(Map::from_iter([(name.to_owned(), value.take())]));
    scanner().redact_json(&mut named);
    // It may have got another name, but it is the only one.
    *value = named.as_object_mut().and_then(|members| members.values_mut().next()).map(Value::take).unwrap_or_default();
}

#[cfg(test)]
mod tests;

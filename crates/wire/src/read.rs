//! Reading a document so that whoever reads it after us must read the same.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use tollgate_core::{Body, Fault, FaultKind};

use crate::scan::Scan;

/// Reads bytes as a JSON document: its value, or why there is none, and why another parser may read it
/// differently.
///
/// This is the [`Reader`](tollgate_core::Reader) of every surface. The pipeline refuses what is ambiguous
/// once a gate has looked at it.
///
/// ```
/// let (value, ambiguity) = tollgate_wire::read(br#"{"path": "a.txt", "path": "/etc/passwd"}"#);
/// assert_eq!(value?["path"], "/etc/passwd");
/// assert_eq!(ambiguity, Some("a key appears twice in one object"));
/// # Ok::<(), tollgate_core::Fault>(())
/// ```
pub fn read(bytes: &[u8]) -> (Result<Value, Fault>, Option<&'static str>) {
    let scan = Scan::of(bytes);
    let (text, rest) = bytes.split_at_checked(scan.end).unwrap_or((bytes, &[]));
    let doubled = Cell::new(false);
    let value = match parse(&patched(text, &scan.lone_surrogates), &doubled) {
        Ok(value) => value,
        Err(error) => return (Err(unreadable(text, &error)), None),
    };
    let ambiguities = [
        (doubled.get(), "a key appears twice in one object"),
        (!scan.lone_surrogates.is_empty(), "an escaped surrogate stands alone"),
        (!rest.iter().all(is_blank), "bytes follow the end"),
        (scan.inexact_number, "a number does not fit a 64-bit float"),
    ];
    (Ok(value), ambiguities.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why))
}

/// A body that is read by [`read`] when somebody first looks.
///
/// ```
/// let body = tollgate_wire::body(r#"{ "path": "a.txt" }"#);
/// assert_eq!(body.json()?["path"], "a.txt");
/// assert_eq!(&*body.to_bytes(), br#"{ "path": "a.txt" }"#);
/// # Ok::<(), tollgate_core::Fault>(())
/// ```
pub fn body(bytes: impl Into<Vec<u8>>) -> Body {
    Body::from_bytes(bytes, read)
}

/// White space as JSON has it, which is less than Rust has.
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The text with U+FFFD for every half character, which a Rust string cannot hold. The escapes are of the
/// same length.
fn patched<'a>(text: &'a [u8], lone_surrogates: &[usize]) -> Cow<'a, [u8]> {
    let mut text = Cow::Borrowed(text);
    for &at in lone_surrogates {
        if let Some(escape) = text.to_mut().get_mut(at..at + 6) {
            escape.copy_from_slice(br"\ufffd");
        }
    }
    text
}

fn parse(text: &[u8], doubled: &Cell<bool>) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Tree { doubled }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn unreadable(text: &[u8], error: &serde_json::Error) -> Fault {
    let message = error.to_string();
    let detail: Cow<'static, str> = match message {
        _ if text.iter().all(is_blank) => "the document is empty".into(),
        // The error has no kind of its own to ask for.
        _ if message.starts_with("recursion limit") => "the document nests deeper than 128 levels".into(),
        _ => format!("the document is not JSON: {message}").into(),
    };
    Fault::new(FaultKind::Unreadable, detail)
}

/// Builds a value and notices equal keys, of which the last counts.
///
/// Not `Value`'s own way: that one takes some keys for private messages of `serde_json` if any crate of the
/// build has switched on certain features, and then reads a document that nobody wrote.
#[derive(Clone, Copy)]
struct Tree<'a> {
    doubled: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            if object.insert(key, value).is_some() {
                self.doubled.set(true);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests;

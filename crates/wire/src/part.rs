//! A part of a document, as the bytes it was written with.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

/// The bytes of one part of a document: the value below these keys, as it was written.
///
/// ```
/// let text = br#"{"tool": "x", "input": { "n": 1.0 }}"#;
/// assert_eq!(tollgate_wire::part(text, &["input"]), Some(&br#"{ "n": 1.0 }"#[..]));
/// assert_eq!(tollgate_wire::part(text, &["input", "m"]), None);
/// ```
pub fn part<'a>(bytes: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
    let Some((first, rest)) = path.split_first() else { return Some(bytes) };
    let members: HashMap<Cow<'_, str>, &'a RawValue> = serde_json::from_slice(bytes).ok()?;
    part(members.get(*first)?.get().as_bytes(), rest)
}

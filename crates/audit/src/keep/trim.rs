//! Makes documents fit into the room there is.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tollgate_secrets::scanner;

use super::{byte_size, redact, size, text_size};

/// The least room for one thing: enough to say how much of it was left out.
const SCANT: usize = 64;
/// The least room for a text of which something is kept.
const READABLE: usize = 128;
/// Room for saying how much was left out.
const NOTE: usize = 64;
/// Texts up to this long are redacted whole; of longer ones only as much as is needed.
const WHOLE: usize = 16 * 1024;
/// How a placeholder begins.
const PLACEHOLDER: &str = "[redacted:";

/// As much of a value as there is room for, redacted.
pub(super) fn value(value: &Value, name: Option<&str>, room: usize) -> Value {
    let room = room.max(SCANT);
    match value {
        Value::String(string) => Value::String(text(string, name, room)),
        Value::Array(items) => list(items, name, room),
        Value::Object(members) => object(members, room),
        _ => value.clone(),
    }
}

/// Each item gets up to half of what is left, so that a long one leaves room for those behind it.
fn list(items: &[Value], name: Option<&str>, room: usize) -> Value {
    let mut left = room.saturating_sub(2 + NOTE);
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if left < SCANT + 1 {
            kept.push(Value::from(format!("… [{} items left out]", items.len() - index)));
            break;
        }
        let item = value(item, name, share(left - 1, index + 1 == items.len()));
        left = left.saturating_sub(1 + size(&item, usize::MAX));
        kept.push(item);
    }
    Value::Array(kept)
}

fn object(members: &Map<String, Value>, room: usize) -> Value {
    let mut left = room.saturating_sub(2 + NOTE);
    let mut kept = Map::new();
    for (index, (name, member)) in members.iter().enumerate() {
        if left < 2 * SCANT + 2 {
            kept.insert("…".to_owned(), Value::from(format!("[{} members left out]", members.len() - index)));
            break;
        }
        let short = text(name, None, share(left - SCANT - 2, false).min(super::LEAST));
        left = left.saturating_sub(2 + text_size(&short));
        let member = value(member, Some(name), share(left, index + 1 == members.len()));
        left = left.saturating_sub(size(&member, usize::MAX));
        kept.insert(short, member);
    }
    Value::Object(kept)
}

fn share(left: usize, last: bool) -> usize {
    if last { left } else { (left / 2).max(SCANT) }
}

/// As much of a text as there is room for, redacted.
fn text(text: &str, name: Option<&str>, room: usize) -> String {
    if room < READABLE && text.len() > room {
        return cut("", text.len(), room);
    }
    let (redacted, whole) = beginning(text, name, room);
    match whole {
        true if text_size(&redacted) <= room => redacted.into_owned(),
        true => cut(&redacted, redacted.len(), room),
        false => cut(&redacted, text.len(), room),
    }
}

/// The beginning of a text, redacted as it is in the whole text, and whether that is all of it.
fn beginning<'t>(text: &'t str, name: Option<&str>, enough: usize) -> (Cow<'t, str>, bool) {
    if text.len() <= WHOLE {
        return (Cow::Owned(redacted(text, name)), true);
    }
    // No name makes a text of this length a credential, so that only its own lines count. What the redactor holds
    // back may be part of something that ends behind the place where reading stops.
    let mut redactor = scanner().stream();
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() && out.len() <= enough {
        let (chunk, behind) = rest.split_at(rest.floor_char_boundary(WHOLE));
        out += &redactor.push(chunk);
        rest = behind;
    }
    if out.len() > enough {
        return (Cow::Owned(out), false);
    }
    out += &redactor.finish();
    (Cow::Owned(out), true)
}

fn redacted(text: &str, name: Option<&str>) -> String {
    let mut value = Value::from(text);
    redact(name, &mut value);
    value.as_str().unwrap_or_default().to_owned()
}

/// The head of a redacted text, and how much is missing of its `length`.
fn cut(redacted: &str, length: usize, room: usize) -> String {
    let mut left = room.saturating_sub(NOTE);
    let mut fits = |byte: &u8| {
        let size = byte_size(*byte);
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    };
    let end = redacted.floor_char_boundary(redacted.as_bytes().iter().take_while(|byte| fits(byte)).count());
    let head = without_torn_placeholder(&redacted[..end]);
    format!("{head}… [{} bytes left out]", length.saturating_sub(head.len()))
}

fn without_torn_placeholder(head: &str) -> &str {
    // The torn beginning of a placeholder may itself be cut off anywhere.
    let torn = head.rfind('[').filter(|&at| {
        let tail = &head[at..];
        !tail.contains(']') && (tail.starts_with(PLACEHOLDER) || PLACEHOLDER.starts_with(tail))
    });
    torn.map_or(head, |at| &head[..at])
}

//! Functions that only make text of text.

use super::value::{LONGEST, Value};
use crate::arg::{Arg, HOLE, Origins};

/// How text was disguised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Base64,
    Hex,
    Rot13,
    /// Compressed, encrypted, marshalled: cannot be undone here.
    Opaque,
}

/// What comes out when it is undone.
pub(super) fn decoded(codec: Codec, value: &Value) -> Value {
    let from = Origins { decoded: true, ..value.origins() };
    let plain = value.as_known().and_then(|text| match codec {
        Codec::Base64 => base64(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        Codec::Hex => hex(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        Codec::Rot13 => Some(text.chars().map(rot13).collect()),
        Codec::Opaque => None,
    });
    match plain {
        Some(text) => Value::Text(Arg { text, glob: false, from }),
        None => Value::unknown(from),
    }
}

pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect();
    Some(digits?.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

fn rot13(c: char) -> char {
    let turn = |base: u8| char::from(base + (c as u8 - base + 13) % 26);
    match c {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

/// Characters by their numbers.
pub(super) fn characters(values: &[Value]) -> Value {
    let mut text = String::new();
    for value in values {
        match value {
            Value::Number(number) => text.extend(u32::try_from(*number).ok().and_then(char::from_u32)),
            Value::List(items) => text.push_str(&characters(items).as_arg().text),
            _ => text.push(HOLE),
        }
    }
    Value::text(text)
}

/// The items of a list with something between them.
pub(super) fn separated(items: &[Value], between: &str) -> Arg {
    let mut all = Arg::default();
    for (at, item) in items.iter().enumerate() {
        let item = item.as_arg();
        if at > 0 {
            all.text.push_str(between);
        }
        if all.text.len() + item.text.len() > LONGEST {
            all.text.push(HOLE);
            return all;
        }
        all.text.push_str(&item.text);
        all.from = all.from.and(item.from);
        all.glob |= item.glob;
    }
    all
}

pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Text(arg) => Value::Text(Arg {
            text: arg.text.chars().rev().collect(),
            glob: arg.glob,
            from: Origins { decoded: true, ..arg.from },
        }),
        Value::List(items) => Value::List(items.iter().rev().cloned().collect()),
        other => other.clone(),
    }
}

/// `"… %s" % (a, b)`.
pub(super) fn percent(format: &Value, given: &Value) -> Value {
    let values: Vec<Arg> = given.spread();
    let format = format.as_arg();
    let mut from = format.from;
    let mut text = String::new();
    let mut next = values.iter();
    let mut chars = format.text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' || chars.peek() == Some(&'%') {
            text.push(c);
            continue;
        }
        while chars.next_if(|c| !c.is_alphabetic()).is_some() {}
        chars.next();
        let value = next.next();
        from = value.map_or(from, |value| from.and(value.from));
        text.push_str(value.map_or(&HOLE.to_string(), |value| &value.text));
    }
    if text.len() > LONGEST { Value::unknown(from) } else { Value::Text(Arg { text, glob: format.glob, from }) }
}

/// `"… {} {1}".format(a, b)`.
pub(super) fn braces(format: &Arg, values: &[Arg]) -> Value {
    let mut text = String::new();
    let mut from = format.from;
    let mut rest = format.text.as_str();
    let mut next = 0;
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        let key = &rest[at + 1..at + end];
        let index = key.parse().unwrap_or(next);
        next += 1;
        match values.get(index) {
            Some(value) => {
                text.push_str(&value.text);
                from = from.and(value.from);
            }
            None => text.push(HOLE),
        }
        rest = &rest[at + end + 1..];
        if text.len() > LONGEST {
            return Value::unknown(from);
        }
    }
    text.push_str(rest);
    Value::Text(Arg { text, glob: format.glob, from })
}

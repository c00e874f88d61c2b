//! One pass over JSON text, before it is parsed, for what a parser would hide.
//!
//! `serde_json` keeps the last of two equal keys and rounds large numbers; another parser keeps the first,
//! or all the digits. Whoever checks with one and runs with the other has checked something else. The scan
//! does not judge syntax: the parser that follows does.

use serde_json::Value;

/// How many lists and objects may stand in one another: 128 levels with the innermost value, which is where
/// `serde_json` stops too.
pub(crate) const MAX_DEPTH: usize = 127;

/// What the text holds besides its value.
#[derive(Default)]
pub(crate) struct Scan {
    /// Where the first document ends.
    pub(crate) end: usize,
    /// How many `key: value` members were written, over all objects.
    pub(crate) members: usize,
    /// Where escaped surrogates without a partner stand (the `\`).
    pub(crate) lone_surrogates: Vec<usize>,
    /// Whether a number reads differently as a 64-bit float.
    pub(crate) inexact_number: bool,
}

impl Scan {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut scan = Self::default();
        let (mut at, mut depth) = (0, 0_usize);
        while let Some(&byte) = text.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'"' => at = scan.string(text, at),
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b':' => scan.members += 1,
                b',' | b' ' | b'\t' | b'\r' | b'\n' => continue,
                _ => {
                    at += text[at..].iter().take_while(|byte| is_word(**byte)).count();
                    scan.inexact_number |= changes_through_f64(&text[start..at]);
                }
            }
            if depth == 0 {
                break;
            }
        }
        scan.end = at;
        scan
    }

    /// Reads on from behind an opening quote to behind the closing one.
    fn string(&mut self, text: &[u8], mut at: usize) -> usize {
        let mut high = None;
        while let Some(&byte) = text.get(at) {
            let unit = if byte == b'\\' { escaped_unit(text, at) } else { None };
            match (high.take(), unit) {
                (Some(_), Some(0xDC00..=0xDFFF)) => {}
                (None, Some(0xDC00..=0xDFFF)) => self.lone_surrogates.push(at),
                (Some(unpaired), _) => self.lone_surrogates.push(unpaired),
                (None, _) => {}
            }
            if matches!(unit, Some(0xD800..=0xDBFF)) {
                high = Some(at);
            }
            match (byte, unit) {
                (b'"', _) => return at + 1,
                (b'\\', Some(_)) => at += 6,
                (b'\\', None) => at += 2,
                _ => at += 1,
            }
        }
        text.len()
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-')
}

/// The UTF-16 unit of a `\uXXXX` at this place.
fn escaped_unit(text: &[u8], at: usize) -> Option<u16> {
    let hex = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

/// Whether a number's text and the nearest 64-bit float, written out, are different numbers.
fn changes_through_f64(word: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(word) else { return false };
    let starts_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(float) if starts_number => decimal(text) != decimal(&format!("{float:e}")),
        _ => false,
    }
}

/// A decimal number as its significant digits and the power of ten they are multiplied with.
fn decimal(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).filter(char::is_ascii_digit).collect();
    let trimmed = digits.trim_end_matches('0');
    let cut = digits.len() - trimmed.len();
    let significant = trimmed.trim_start_matches('0');
    if significant.is_empty() {
        return (String::new(), 0);
    }
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
    (significant.to_owned(), exponent - fraction.len() as i64 + cut as i64)
}

/// How many members the objects of a parsed value have, all together.
pub(crate) fn members(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len() + map.values().map(members).sum::<usize>(),
        Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

/// Whether a value nests deeper than `limit`; never looks deeper than that itself.
pub(crate) fn is_deeper(value: &Value, limit: usize) -> bool {
    let Some(limit) = limit.checked_sub(1) else { return value.is_object() || value.is_array() };
    match value {
        Value::Object(map) => map.values().any(|inner| is_deeper(inner, limit)),
        Value::Array(items) => items.iter().any(|inner| is_deeper(inner, limit)),
        _ => false,
    }
}

/// Drops a value level by level: the ordinary way recurses, and a deep enough value would end the process.
pub(crate) fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(map) => left.extend(map.into_iter().map(|(_, inner)| inner)),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
}

//! One spelling for every document, and its hash.

use std::fmt::Write;

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};
use tollgate_core::Digest;

use crate::number::Decimal;

/// What identifies a document: SHA-256 over its [`canonical`] form. Pipelines are built with it.
///
/// ```
/// use serde_json::json;
/// use tollgate_wire::digest;
///
/// assert_eq!(digest(&json!({"a": 1, "b": 2})), digest(&json!({"b": 2.0, "a": 1.0})));
/// assert_ne!(digest(&json!({"a": 1})), digest(&json!({"a": "1"})));
/// ```
pub fn digest(value: &Value) -> Digest {
    Digest(Sha256::digest(canonical(value)).into())
}

/// The canonical form of a document: RFC 8785, with one addition.
///
/// RFC 8785 knows only numbers that a 64-bit float can hold. Any other is written in full behind a `#`:
/// no JSON value starts that way, so no other document has the same form.
///
/// The value must not nest deeper than a [`Body`](tollgate_core::Body) may.
///
/// ```
/// use serde_json::json;
/// use tollgate_wire::canonical;
///
/// assert_eq!(canonical(&json!({"b": 1.50, "a": [true, "\u{7}"]})), br#"{"a":[true,"\u0007"],"b":1.5}"#);
/// assert_eq!(canonical(&json!(9007199254740993_u64)), b"#9007199254740993");
/// ```
pub fn canonical(value: &Value) -> Vec<u8> {
    // Most documents are short, and few are shorter than this.
    let mut out = String::with_capacity(256);
    write_canonical(&mut out, value);
    out.into_bytes()
}

/// Adds the [`canonical`] form of a document to a text.
pub fn write_canonical(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_list(out, items),
        Value::Object(members) => write_object(out, members),
    }
}

fn write_list(out: &mut String, items: &[Value]) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_canonical(out, item);
    }
    out.push(']');
}

/// Members in the order of their keys' UTF-16 units, which is not that of their bytes: U+FF61 comes after
/// U+1F600.
fn write_object(out: &mut String, members: &Map<String, Value>) {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    // Of plain names it is that of the bytes.
    let plain = sorted.iter().all(|(name, _)| name.is_ascii());
    sorted.sort_by(|(a, _), (b, _)| if plain { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) });
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_canonical(out, value);
    }
    out.push('}');
}

/// Only what must be escaped is, and with the short escape where there is one. Everything between is copied at once.
fn write_string(out: &mut String, text: &str) {
    let is_special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    out.push('"');
    let mut rest = text;
    // What must be escaped is one byte long, so both sides of it are text.
    while let Some((plain, special)) = rest.bytes().position(is_special).map(|at| rest.split_at(at)) {
        out.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            8 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0xc => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            other => out.push_str(&format!("\\u{other:04x}")),
        }
        rest = &special[1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn write_number(out: &mut String, number: &Number) {
    // Most are short and whole, and a float would be written with the same digits.
    if let Some(whole) = number.as_i64().filter(|whole| whole.unsigned_abs() <= 1 << 53) {
        let _ = write!(out, "{whole}");
        return;
    }
    match exact_float(number) {
        Some(float) => write_float(out, float),
        None => {
            out.push('#');
            out.push_str(&number.to_string());
        }
    }
}

/// The float that is this very number.
fn exact_float(number: &Number) -> Option<f64> {
    let float = number.as_f64()?;
    let whole = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
    whole.is_none_or(|whole| float as i128 == whole).then_some(float)
}

/// A number as ECMAScript writes it: the fewest digits that name it, plain up to 21 of them before the point
/// and 6 zeros after it.
fn write_float(out: &mut String, float: f64) {
    if float == 0.0 {
        // Minus zero too.
        return out.push('0');
    }
    if float < 0.0 {
        out.push('-');
    }
    let Some(Decimal { digits, exponent }) = Decimal::shortest(float) else { return };
    let count = digits.len() as i64;
    // How many digits stand before the point.
    let point = exponent + count;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    match point {
        1..=21 if count <= point => out.push_str(&(digits + &zeros(point - count))),
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            out.push_str(&format!("{whole}.{fraction}"));
        }
        -5..=0 => out.push_str(&format!("0.{}{digits}", zeros(-point))),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            out.push_str(&format!("{first}{dot}{rest}e{:+}", point - 1));
        }
    }
}

#[cfg(test)]
mod tests;

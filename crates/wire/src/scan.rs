//! One pass over JSON text, before it is parsed, for what a parser would hide.
//!
//! A parser rounds large numbers, replaces half characters, and stops at the end of what it understands.
//! Whoever checks with one parser and runs with another has then checked something else. The scan does not
//! judge syntax: the parser that follows does.

use crate::number;

/// What the text holds besides its value.
#[derive(Default)]
pub(crate) struct Scan {
    /// Where the first document ends.
    pub(crate) end: usize,
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
                b':' | b',' | b' ' | b'\t' | b'\r' | b'\n' => continue,
                _ => {
                    at += text[at..].iter().take_while(|byte| is_word(**byte)).count();
                    scan.inexact_number |= number::changes_through_f64(&text[start..at]);
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

//! Decimal numbers, and what becomes of them in a 64-bit float.

use serde_json::Number;

/// A decimal number as its significant digits and the power of ten they are multiplied with; zero has none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: String,
    pub(crate) exponent: i64,
}

impl Decimal {
    /// Takes a number apart, whichever way it is written. The sign is left to the caller.
    pub(crate) fn of(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: String = whole.chars().chain(fraction.chars()).filter(char::is_ascii_digit).collect();
        let trimmed = digits.trim_end_matches('0');
        let cut = digits.len() - trimmed.len();
        let significant = trimmed.trim_start_matches('0');
        if significant.is_empty() {
            return Self { digits: String::new(), exponent: 0 };
        }
        // No float comes near an exponent that does not fit here, so it need not be right, only large.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
        let exponent = exponent.saturating_sub(fraction.len() as i64).saturating_add(cut as i64);
        Self { digits: significant.to_owned(), exponent }
    }

    /// The fewest digits that name this float; of two that are equally near, the even one.
    ///
    /// ECMAScript decides so, and `serde_json` with it. Rust's own formatting takes the larger one.
    pub(crate) fn shortest(float: f64) -> Option<Self> {
        Some(Self::of(&Number::from_f64(float)?.to_string()))
    }
}

/// Whether a number's text and the nearest 64-bit float, written out, are different numbers.
pub(crate) fn changes_through_f64(word: &[u8]) -> bool {
    // A float keeps any 15 digits, and most numbers have fewer.
    let short = word.len() <= 15 && !word.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let Some(text) = std::str::from_utf8(word).ok().filter(|_| !short) else { return false };
    let starts_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(float) if starts_number => Decimal::shortest(float) != Some(Decimal::of(text)),
        _ => false,
    }
}

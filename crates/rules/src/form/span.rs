use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A length of time: a number and a unit (`ms`, `s`, `m`, `h`, `d`, `w`), or several of them (`1h30m`).
///
/// ```
/// use std::time::Duration;
/// use tollgate_rules::form::Span;
///
/// assert_eq!(Span("1h30m".into()).duration(), Ok(Duration::from_secs(5400)));
/// assert!(Span("soon".into()).duration().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Span(pub String);

/// The units, and how many milliseconds each is.
const UNITS: [(&str, u64); 6] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000)];

impl Span {
    /// How long that is, or what is wrong with it.
    pub fn duration(&self) -> Result<Duration, String> {
        let wrong =
            || format!("`{}` is no length of time; write a number and a unit: `30s`, `10m`, `1h`, `7d`", self.0);
        let mut rest = self.0.trim();
        let mut total = 0_u64;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
            let (number, after) = rest.split_at(digits);
            let unit = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (unit, after) = after.split_at(unit);
            let number: u64 = number.parse().map_err(|_| wrong())?;
            let (_, each) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
            total = number.checked_mul(*each).and_then(|more| total.checked_add(more)).ok_or_else(wrong)?;
            rest = after.trim_start();
        }
        if total == 0 { Err(wrong()) } else { Ok(Duration::from_millis(total)) }
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        for (text, millis) in [
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            (" 1h 30m ", Some(5_400_000)),
            ("7d", Some(604_800_000)),
            ("1w", Some(604_800_000)),
            ("", None),
            ("0s", None),
            ("10", None),
            ("m", None),
            ("1y", None),
            ("-1s", None),
            ("1.5h", None),
            ("99999999999999999999s", None),
            ("9999999999999999w", None),
        ] {
            assert_eq!(Span(text.into()).duration().ok(), millis.map(Duration::from_millis), "{text:?}");
        }
    }
}

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day. TOML's own dates and texts (`"2026-12-31"`) are both read.
///
/// ```
/// use tollgate_rules::form::Date;
///
/// let day: Date = "2026-12-31".parse()?;
/// assert!(day > Date::new(2026, 2, 28)? && Date::new(2026, 2, 29).is_err());
/// assert_eq!(day.to_string(), "2026-12-31");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A day, if there is such a day.
    pub fn new(year: u16, month: u8, day: u8) -> Result<Self, String> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        match (1..=days).contains(&day) {
            true => Ok(Self { year, month, day }),
            false => Err(format!("there is no day {year:04}-{month:02}-{day:02}")),
        }
    }

    /// The day of a moment, given as seconds since 1970 (UTC).
    ///
    /// ```
    /// assert_eq!(tollgate_rules::form::Date::of_seconds(951_782_400).to_string(), "2000-02-29");
    /// ```
    pub fn of_seconds(seconds: u64) -> Self {
        // Days since 0000-03-01, in eras of 400 years; a year that begins in March has its leap day last.
        let days = seconds / 86_400 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        let narrow = |number: u64| u8::try_from(number).unwrap_or(1);
        Self { year: u16::try_from(year).unwrap_or(u16::MAX), month: narrow(month), day: narrow(day) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no day; write it like 2026-12-31");
        let parts: Vec<&str> = text.split('-').collect();
        let digits = |part: &str, len| part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit());
        let [year, month, day] = parts[..] else { return Err(wrong()) };
        if !(digits(year, 4) && digits(month, 2) && digits(day, 2)) {
            return Err(wrong());
        }
        let number = |_| wrong();
        Self::new(year.parse().map_err(number)?, month.parse().map_err(number)?, day.parse().map_err(number)?)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Reads texts, and the one-membered map as which TOML readers hand out a date.
struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Date;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a day, like 2026-12-31")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Date, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Date, A::Error> {
        match map.next_key::<String>()?.as_deref() {
            Some("$__toml_private_datetime") => map.next_value::<String>()?.parse().map_err(Error::custom),
            _ => Err(Error::custom("a day is written like 2026-12-31")),
        }
    }
}

impl JsonSchema for Date {
    fn schema_name() -> Cow<'static, str> {
        "Date".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A day, like 2026-12-31.", "type": "string", "format": "date" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (text, fine) in [
            ("2026-12-31", true),
            ("2024-02-29", true),
            ("2026-02-29", false),
            ("2100-02-29", false),
            ("2400-02-29", true),
            ("2026-04-30", true),
            ("2026-04-31", false),
            ("2026-05-32", false),
            ("2026-13-01", false),
            ("2026-00-01", false),
            ("2026-01-00", false),
            ("26-01-01", false),
            ("2026-1-1", false),
            ("+026-01-01", false),
            ("2026-12-31T00:00:00Z", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<Date>().map(|day| day.to_string()).ok(), fine.then(|| text.to_owned()), "{text}");
        }
    }

    #[test]
    fn days_of_moments() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (1_709_164_800, "2024-02-29"),
            (1_798_675_200, "2026-12-31"),
            (4_102_444_800, "2100-01-01"),
        ] {
            assert_eq!(Date::of_seconds(seconds).to_string(), text);
        }
    }

    #[test]
    fn every_day_follows_the_day_before() {
        let mut day = Date::new(1970, 1, 1).unwrap();
        // Longer than the calendar takes to repeat itself.
        for number in 0..200_000 {
            assert_eq!(Date::of_seconds(number * 86_400 + 86_399), day);
            let next = Date::new(day.year, day.month, day.day + 1).or_else(|_| Date::new(day.year, day.month + 1, 1));
            day = next.or_else(|_| Date::new(day.year + 1, 1, 1)).unwrap();
        }
    }
}

//! Moments as text: `2026-11-15T09:30:00.123456Z`. Text of this form sorts as the moments do.

use std::time::Duration;

const DAY: u64 = 86_400;

/// A moment since 1970 as text.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(tollgate_audit::stamp(Duration::from_micros(1_500_000)), "1970-01-01T00:00:01.500000Z");
/// ```
pub fn stamp(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs().min(253_402_300_799);
    let (year, month, day) = date(seconds / DAY);
    let (of_day, micros) = (seconds % DAY, since_1970.subsec_micros());
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let mut text = String::with_capacity("2026-11-15T09:30:00.123456Z".len());
    // Every record has one, and formatting takes ten times as long.
    for (number, digits, after) in [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (u64::from(micros), 6, 'Z'),
    ] {
        let digit = |place: u32| char::from(b'0' + (number / 10_u64.pow(place) % 10) as u8);
        text.extend((0..digits).rev().map(digit));
        text.push(after);
    }
    text
}

/// The moment that a text names; none unless it is exactly of this form.
pub fn moment(text: &str) -> Option<Duration> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let days = days(year, month, day)?;
    let found = Duration::from_secs(days * DAY + hour * 3600 + minute * 60 + second);
    let found = found + Duration::from_micros(number(20, 26)?);
    (stamp(found) == text).then_some(found)
}

/// The date that many days after 1970 began, in the calendar of today.
fn date(days: u64) -> (u64, u64, u64) {
    // Count from the 1st of March 0000: then leap days come last in their year.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// How many days after 1970 began a date is.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let of_year = (153 * month + 2) / 5 + day.checked_sub(1)?;
    let of_era = year % 400 * 365 + year % 400 / 4 - year % 400 / 100 + of_year;
    (year / 400 * 146_097 + of_era).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_their_texts() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_799, "2000-02-29T23:59:59.000000Z"),
            (1_709_164_800, "2024-02-29T00:00:00.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
            (1_794_735_000, "2026-11-15T09:30:00.000000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(stamp(Duration::from_secs(seconds)), text);
            assert_eq!(moment(text), Some(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment() {
        for text in [
            "",
            "2026-02-30T00:00:00.000000Z",
            "2026-01-01 00:00:00.000000Z",
            "2026-01-01T00:00:00Z",
            "1969-12-31T23:59:59.000000Z",
            "2026-01-01T00:00:60.000000Z",
            "+026-01-01T00:00:00.000000Z",
            "2026-00-01T00:00:00.000000Z",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}

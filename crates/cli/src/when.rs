//! Moments, as people type them.

use std::time::Duration;

use tollgate_rules::form::Span;

/// The moment that a text means, since 1970: so long ago (`2h`, `7d`, `1h 30m`), the beginning of a day (`2026-11-01`),
/// or a time of a day (`2026-11-01T09:30`). What names no time zone is in UTC.
pub(crate) fn moment(text: &str, now: Duration) -> Result<Duration, String> {
    let text = text.trim();
    let found = match text.as_bytes() {
        b"now" => Some(now),
        // A year.
        [a, b, c, d, b'-', ..] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()) => written(text),
        _ => Span::from(text).duration().ok().map(|ago| now.saturating_sub(ago)),
    };
    found.ok_or_else(|| {
        let kinds = "how long ago (`2h`, `7d`), a day (`2026-11-01`) or a time (`2026-11-01T09:30:00Z`)";
        format!("`{}` is no moment; write {kinds}", crate::output::visible(text))
    })
}

/// A day, perhaps with a time.
fn written(text: &str) -> Option<Duration> {
    let (day, rest) = text.split_at_checked(10)?;
    if rest.is_empty() {
        return tollgate_audit::moment(&format!("{day}T00:00:00.000000Z"));
    }
    let (time, east) = zone(rest.strip_prefix(['T', 't', ' '])?)?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let local = tollgate_audit::moment(&format!("{day}T{clock}{seconds}.{fraction:0<6.6}Z"))?;
    if east < 0 { Some(local + minutes(-east)) } else { local.checked_sub(minutes(east)) }
}

/// A time without its zone, and how many minutes the zone is ahead.
fn zone(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let (time, offset) = text.split_at(at);
    let (sign, digits) = offset.split_at(1);
    let (hours, rest) = digits.split_at_checked(2)?;
    let number = |text: &str, most: i64| {
        let found: i64 = text.parse().ok().filter(|_| text.len() == 2 && !text.starts_with(['+', '-']))?;
        (found <= most).then_some(found)
    };
    let ahead = number(hours, 23)? * 60 + number(rest.strip_prefix(':').unwrap_or(rest), 59)?;
    Some((time, if sign == "-" { -ahead } else { ahead }))
}

fn minutes(count: i64) -> Duration {
    Duration::from_secs(count.unsigned_abs() * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15T09:30:00Z.
    const NOW: Duration = Duration::from_secs(1_794_735_000);

    fn check(text: &str, expected: Option<&str>) {
        let found = moment(text, NOW).map(tollgate_audit::stamp);
        assert_eq!(found.as_deref().ok(), expected, "{text}");
    }

    #[test]
    fn moments_as_people_type_them() {
        for (text, expected) in [
            ("now", "2026-11-15T09:30:00.000000Z"),
            ("2h", "2026-11-15T07:30:00.000000Z"),
            (" 7d ", "2026-11-08T09:30:00.000000Z"),
            ("1h 30m", "2026-11-15T08:00:00.000000Z"),
            ("9999w", "1970-01-01T00:00:00.000000Z"),
            ("2026-11-01", "2026-11-01T00:00:00.000000Z"),
            ("2026-11-01T09:30", "2026-11-01T09:30:00.000000Z"),
            ("2026-11-01 09:30:05", "2026-11-01T09:30:05.000000Z"),
            ("2026-11-01T09:30:05.25Z", "2026-11-01T09:30:05.250000Z"),
            ("2026-11-01T09:30:05.123456789Z", "2026-11-01T09:30:05.123456Z"),
            ("2026-11-01T00:30+02:00", "2026-10-31T22:30:00.000000Z"),
            ("2026-11-01T00:30:00-0130", "2026-11-01T02:00:00.000000Z"),
        ] {
            check(text, Some(expected));
        }
    }

    #[test]
    fn what_is_no_moment() {
        for text in [
            "",
            "7",
            "0d",
            "d",
            "soon",
            "-7d",
            "2026-02-30",
            "2026-11",
            "2026-11-01T",
            "2026-11-01T25:00",
            "2026-11-01T09",
            "2026-11-01T09:30:00.",
            "2026-11-01T09:30:00.+5Z",
            "2026-11-01T09:30+2",
            "2026-11-01T09:30+02:99",
            "2026-11-01x09:30",
            "1970-01-01T00:00+01:00",
            "2026-11-ää",
        ] {
            check(text, None);
        }
        let said = moment("soon", NOW).unwrap_err();
        assert!(said.starts_with("`soon` is no moment; write how long ago (`2h`, `7d`)"), "{said}");
    }
}

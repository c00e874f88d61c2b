//! Moments as people write them.

use std::time::Duration;

use tollgate_audit::moment;
use tollgate_rules::form::Span;

use crate::output::visible;

/// A moment since 1970: so long ago, a date, or a date and a time of day. Where no zone is named it is UTC, as
/// everywhere in a log.
pub(super) fn parse(text: &str, now: Duration) -> Result<Duration, String> {
    if let Ok(ago) = Span(text.to_owned()).duration() {
        return Ok(now.saturating_sub(ago));
    }
    absolute(text.trim()).ok_or_else(|| {
        let text = visible(text);
        format!("`{text}` is no time; write `2h` (ago), `2026-11-01` or `2026-11-01T09:30:00Z`")
    })
}

fn absolute(text: &str) -> Option<Duration> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = if rest.is_empty() { "00:00:00" } else { rest.strip_prefix(['T', 't', ' '])? };
    let (clock, ahead, east) = zone(rest)?;
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let seconds = if whole.len() == 5 { ":00" } else { "" };
    let at = moment(&format!("{date}T{whole}{seconds}.{:0<6.6}Z", fraction))?;
    if east { at.checked_sub(ahead) } else { at.checked_add(ahead) }
}

/// The time of day, how far its zone is from UTC, and whether it is east of it.
fn zone(rest: &str) -> Option<(&str, Duration, bool)> {
    if let Some(clock) = rest.strip_suffix(['Z', 'z']) {
        return Some((clock, Duration::ZERO, true));
    }
    let Some(at) = rest.find(['+', '-']) else { return Some((rest, Duration::ZERO, true)) };
    let (clock, offset) = rest.split_at(at);
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let part = |text: &str, below: u64| text.parse::<u64>().ok().filter(|number| text.len() == 2 && *number < below);
    let seconds = part(hours, 24)? * 3600 + part(minutes, 60)? * 60;
    Some((clock, Duration::from_secs(seconds), offset.starts_with('+')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_audit::stamp;

    #[test]
    fn moments_as_people_write_them() {
        let now = moment("2026-11-15T09:30:00.000000Z").unwrap();
        for (text, expected) in [
            ("2h", Some("2026-11-15T07:30:00.000000Z")),
            ("1d 30m", Some("2026-11-14T09:00:00.000000Z")),
            ("2026-11-01", Some("2026-11-01T00:00:00.000000Z")),
            (" 2026-11-01T10:00:00Z ", Some("2026-11-01T10:00:00.000000Z")),
            ("2026-11-01t10:00:00z", Some("2026-11-01T10:00:00.000000Z")),
            ("2026-11-01 10:00", Some("2026-11-01T10:00:00.000000Z")),
            ("2026-11-01T10:00:00.25Z", Some("2026-11-01T10:00:00.250000Z")),
            ("2026-11-01T10:00:00.123456789Z", Some("2026-11-01T10:00:00.123456Z")),
            ("2026-11-01T01:00:00+02:00", Some("2026-10-31T23:00:00.000000Z")),
            ("2026-11-01T23:00:00-01:30", Some("2026-11-02T00:30:00.000000Z")),
            ("9000w", Some("1970-01-01T00:00:00.000000Z")),
            ("", None),
            ("yesterday", None),
            ("2026-11", None),
            ("2026-13-01", None),
            ("2026-02-30", None),
            ("2026-11-01T", None),
            ("2026-11-01T25:00:00Z", None),
            ("2026-11-01T10:00:00.Z", None),
            ("2026-11-01T10:00:00+2", None),
            ("2026-11-01T10:00:00+99:00", None),
            ("2026-11-0€", None),
        ] {
            let found = parse(text, now).ok().map(stamp);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}

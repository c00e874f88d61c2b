//! What happened, as a picture of eighty columns.

use std::fmt::Write;
use std::process::ExitCode;

use tollgate_audit::{Counts, Index, Interceptor, Stats};
use tollgate_clock::SystemClock;
use tollgate_core::Clock;

use super::args::Count;
use super::place::Place;
use super::{count, json};
use crate::args::Policy;
use crate::command::{Done, Failure};
use crate::output::{Paint, print, short, thousands, visible};
use crate::when;

/// How many columns of the picture are there for time.
const COLUMNS: usize = 64;
/// How many lines high the calls are.
const LINES: u64 = 4;
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn run(policy: &Policy, args: &Count, paint: Paint) -> Done {
    let place = Place::of(policy, &args.place)?;
    let now = SystemClock::default().wall();
    let moment = |text: &Option<String>| text.as_ref().map(|text| when::moment(text, now)).transpose();
    let (since, until) = (moment(&args.since)?, moment(&args.until)?);
    let stats = match place.index()? {
        Some(index) => index.stats(since, until)?,
        None => elsewhere(&place)?.stats(since, until)?,
    };
    if args.json.json {
        json::print(&serde_json::to_value(&stats).map_err(|error| error.to_string())?)?;
    } else {
        print(&render(&stats, paint))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An index that is gone when it was asked: somebody else's log is not ours to prepare queries for.
fn elsewhere(place: &Place) -> Result<Index, Failure> {
    let file = std::env::temp_dir().join(format!("tollgate-stats-{}.sqlite", std::process::id()));
    let index = place.index_at(&file)?;
    for end in ["", "-wal", "-shm", "-lock"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    Ok(index)
}

/// Numbers, a chart over time, and tables of the most frequent and the slowest.
pub(crate) fn render(stats: &Stats, paint: Paint) -> String {
    if stats.records == 0 {
        return "nothing was recorded\n".to_owned();
    }
    let mut out = String::new();
    for (name, value) in numbers(stats) {
        let _ = writeln!(out, "  {name:<11}{value}");
    }
    if stats.unreadable > 0 {
        let are = if stats.unreadable == 1 { "is" } else { "are" };
        let lines = count(stats.unreadable, "line");
        let text = format!("{lines} of the log {are} no record in its place; run `tollgate log verify`");
        let _ = writeln!(out, "\n{}", paint.red(&text));
    }
    chart(&mut out, &stats.hours, paint);
    counts(&mut out, "tools", &stats.by_tool, paint);
    counts(&mut out, "agents", &stats.by_agent, paint);
    rules(&mut out, &stats.by_rule, paint);
    interceptors(&mut out, &stats.interceptors, paint);
    out
}

fn numbers(stats: &Stats) -> Vec<(&'static str, String)> {
    let (granted, refused) = (thousands(stats.granted), thousands(stats.refused));
    let of_calls = |part: u64| format!("{} ({})", thousands(part), percent(part, stats.calls));
    let mut all = vec![
        ("calls", format!("{} in {}", thousands(stats.calls), count(stats.sessions, "session"))),
        ("denied", of_calls(stats.denied)),
        ("asked", format!("{}; humans granted {granted}, refused {refused}", of_calls(stats.asked))),
    ];
    let mut more = |name, count: u64, what: &str| {
        if count > 0 {
            all.push((name, format!("{}{what}", thousands(count))));
        }
    };
    more("routed", stats.routed, "");
    more("answered", stats.answered, "");
    more("faults", stats.faults, " of interceptors");
    more("open", stats.open, if stats.open == 1 { " call that never ended" } else { " calls that never ended" });
    all.push(("records", thousands(stats.records)));
    all
}

fn percent(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000) / whole.max(1);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// Calls as columns, and below them, on a scale of their own, those that were stopped.
fn chart(out: &mut String, hours: &[(String, u64, u64)], paint: Paint) {
    let (Some((from, ..)), Some((to, ..))) = (hours.first(), hours.last()) else { return };
    // As many hours or days for each column as fit.
    let each = hours.len().div_ceil(COLUMNS);
    let sums: Vec<(u64, u64)> = hours
        .chunks(each)
        .map(|some| some.iter().fold((0, 0), |(calls, denied), (_, c, b)| (calls + c, denied + b)))
        .collect();
    let most = |values: &[u64]| values.iter().copied().max().unwrap_or_default();
    let calls: Vec<u64> = sums.iter().map(|(calls, _)| *calls).collect();
    let denied: Vec<u64> = sums.iter().map(|(_, denied)| *denied).collect();
    let _ = writeln!(out, "\n{}", paint.bold("over time"));
    let top = format!("{} {}", paint.green(&bars(&calls, LINES - 1, LINES)), thousands(most(&calls)));
    let _ = writeln!(out, "  {:<8}{top}", "calls");
    for line in (0..LINES - 1).rev() {
        let _ = writeln!(out, "  {:<8}{}", "", paint.green(bars(&calls, line, LINES).trim_end()));
    }
    let _ = writeln!(out, "  {:<8}{} {}", "denied", paint.red(&bars(&denied, 0, 1)), thousands(most(&denied)));
    let width = sums.len().max(from.len() + to.len() + 1);
    let _ = writeln!(out, "  {:<8}{}", "", paint.dim(&format!("{from}{to:>rest$}", rest = width - from.len())));
}

/// One line of columns that are `lines` lines high.
fn bars(values: &[u64], line: u64, lines: u64) -> String {
    let most = values.iter().copied().max().unwrap_or_default().max(1);
    let eighths = |value: u64| {
        let height = u128::from(value) * u128::from(lines * 8);
        // Something is never shown as nothing.
        let height = u64::try_from(height.div_ceil(u128::from(most))).unwrap_or(u64::MAX);
        height.saturating_sub(line * 8).min(8) as usize
    };
    values.iter().map(|value| EIGHTHS[eighths(*value)]).collect()
}

fn counts(out: &mut String, title: &str, all: &[(String, Counts)], paint: Paint) {
    heading(out, title, &["calls", "denied", "asked"], all.is_empty(), paint);
    for (name, counts) in all {
        row(out, name, &[counts.calls, counts.denied, counts.asked], paint);
    }
}

fn rules(out: &mut String, all: &[(String, Counts)], paint: Paint) {
    heading(out, "rules", &["denied", "asked", "observed"], all.is_empty(), paint);
    for (name, counts) in all {
        row(out, name, &[counts.denied, counts.asked, counts.observed], paint);
    }
}

fn heading(out: &mut String, title: &str, columns: &[&str], is_empty: bool, paint: Paint) {
    if !is_empty {
        let columns: String = columns.iter().map(|name| format!("{name:>12}")).collect();
        let _ = writeln!(out, "\n{}{}", paint.bold(&format!("{title:<44}")), paint.dim(&columns));
    }
}

fn row(out: &mut String, name: &str, values: &[u64; 3], paint: Paint) {
    let name = short(&visible(name), 41);
    let shown = |value: &u64| {
        let text = format!("{:>12}", thousands(*value));
        if *value == 0 { paint.dim(&text) } else { text }
    };
    let _ = writeln!(out, "  {name:<42}{}", values.iter().map(shown).collect::<String>());
}

fn interceptors(out: &mut String, all: &[Interceptor], paint: Paint) {
    heading(out, "slowest interceptors", &["mean", "longest", "turns"], all.is_empty(), paint);
    for one in all.iter().take(10) {
        let name = short(&visible(&one.who), 41);
        let (mean, longest) = (time(one.total_us / one.turns.max(1)), time(one.max_us));
        let _ = writeln!(out, "  {name:<42}{mean:>12}{longest:>12}{:>12}", thousands(one.turns));
    }
}

fn time(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros / 100 % 10),
        _ => format!("{}.{} s", micros / 1_000_000, micros / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn some() -> Stats {
        let counts = |calls, denied, asked| Counts { records: calls * 2, calls, denied, asked, observed: 3 };
        let slow = |who: &str, total_us, max_us| Interceptor {
            who: who.to_owned(),
            turns: 4,
            total_us,
            max_us,
            ..Interceptor::default()
        };
        Stats {
            records: 2105,
            calls: 1000,
            denied: 42,
            asked: 7,
            routed: 1,
            faults: 2,
            open: 3,
            granted: 4,
            refused: 1,
            sessions: 12,
            by_tool: vec![("Bash".into(), counts(700, 42, 7)), ("\x1b[2J".repeat(20), counts(300, 0, 0))],
            by_rule: vec![("core/delete-outside".into(), counts(42, 42, 0))],
            by_agent: vec![("claude".into(), counts(1000, 42, 7))],
            interceptors: vec![slow("plugin", 9_000_000, 5_100_000), slow("rules", 6_000, 2_100), slow("limits", 0, 1)],
            hours: (0..24).map(|hour| (format!("2026-11-15T{hour:02}"), hour * hour, hour % 5)).collect(),
            ..Stats::default()
        }
    }

    fn check(stats: &Stats, wanted: &Expect) {
        let shown = render(stats, Paint::PLAIN);
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{line}");
            assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
        }
        wanted.assert_eq(&shown);
    }

    #[test]
    fn one_line_is_a_line_and_large_numbers_can_be_read() {
        let many = Counts { calls: 1_234_567, ..Counts::default() };
        let hours = vec![("2026-11-15T00".to_owned(), 1_234_567, 0)];
        let stats = Stats { by_tool: vec![("Bash".into(), many)], unreadable: 1, granted: 4_321, hours, ..some() };
        let shown = render(&stats, Paint::PLAIN);
        for text in ["\n1 line of the log is no", "granted 4,321,", "█ 1,234,567", "   1,234,567 "] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
    }

    #[test]
    fn a_day_fits_on_a_screen() {
        check(
            &some(),
            &expect![[r#"
                  calls      1,000 in 12 sessions
                  denied     42 (4.2%)
                  asked      7 (0.7%); humans granted 4, refused 1
                  routed     1
                  faults     2 of interceptors
                  open       3 calls that never ended
                  records    2,105

                over time
                  calls                       ▁▃▆█ 529
                                           ▂▄▆████
                                      ▁▃▄▆████████
                           ▁▁▁▁▂▃▃▄▅▇█████████████
                  denied   ▂▄▆█ ▂▄▆█ ▂▄▆█ ▂▄▆█ ▂▄▆ 4
                          2026-11-15T00 2026-11-15T23

                tools                                              calls      denied       asked
                  Bash                                               700          42           7
                  \u{1b}[2J\u{1b}[2J\u{1b}[2J\u{1b}[2J\u{1…          300           0           0

                agents                                             calls      denied       asked
                  claude                                           1,000          42           7

                rules                                             denied       asked    observed
                  core/delete-outside                                 42           0           3

                slowest interceptors                                mean     longest       turns
                  plugin                                           2.2 s       5.1 s           4
                  rules                                           1.5 ms      2.1 ms           4
                  limits                                            0 µs        1 µs           4
            "#]],
        );
    }

    #[test]
    fn years_are_squeezed_into_the_same_width() {
        let days = |day: u64| (format!("{:04}-{:02}-{:02}", 2020 + day / 360, day / 30 % 12 + 1, day % 30 + 1), day, 1);
        let hours: Vec<_> = (0..1800).map(days).collect();
        check(
            &Stats { records: 1, unreadable: 2, hours, ..Stats::default() },
            &expect![[r#"
                  calls      0 in 0 sessions
                  denied     0 (0.0%)
                  asked      0 (0.0%); humans granted 0, refused 0
                  records    1

                2 lines of the log are no record in its place; run `tollgate log verify`

                over time
                  calls                                                 ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██  51,707
                                                         ▁▁▂▂▃▃▄▅▅▆▆▇▇██████████████████
                                         ▁▁▂▂▃▃▄▄▅▅▆▆▇▇█████████████████████████████████
                          ▁▁▂▂▃▃▄▄▅▅▆▆▇█████████████████████████████████████████████████▃
                  denied  ██████████████████████████████████████████████████████████████▁ 29
                          2020-01-01                                           2024-12-30
            "#]],
        );
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        check(
            &Stats::default(),
            &expect![[r#"
            nothing was recorded
        "#]],
        );
    }
}

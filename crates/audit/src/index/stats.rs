//! How much happened, and what came of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;

use rusqlite::{Connection, params};
use serde::Serialize;

use super::bits::BLOCK;
use super::block::unpacked;
use super::row::Row;
use super::store::{Trouble, signed, unsigned};
use super::summary::{Counts, Interceptor, Summary};
use super::{Index, find};
use crate::{Reader, stamp};

/// How many tools, rules and agents are named.
const TOP: usize = 10;
/// Up to this many hours are shown one by one, more as days.
const HOURS: u64 = 72;
/// Beyond this, days on which nothing happened are left out.
const DAYS: u64 = 3660;

/// What happened in some time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Records of any kind.
    pub records: u64,
    /// Calls that agents wanted to make: records at `tool.before`, without commands of routes and permission requests.
    pub calls: u64,
    /// Records at any point whose act is `deny`.
    pub denied: u64,
    /// … `ask`.
    pub asked: u64,
    /// … `route`.
    pub routed: u64,
    /// … `answer`.
    pub answered: u64,
    /// Turns of interceptors that failed.
    pub faults: u64,
    /// Calls that began and of which nobody knows how they ended.
    pub open: u64,
    /// Calls that a human let happen, as the records of their end say.
    pub granted: u64,
    /// Calls that a human refused.
    pub refused: u64,
    /// Lines of the whole log that are no record, or not in their place: `tollgate log verify` says more.
    pub unreadable: u64,
    /// How many sessions there were.
    pub sessions: u64,
    /// The tools most called, under the name they were asked for.
    pub by_tool: Vec<(String, Counts)>,
    /// The rules that stand in most records, or would if they were enforced.
    pub by_rule: Vec<(String, Counts)>,
    /// The agents that stand in most records.
    pub by_agent: Vec<(String, Counts)>,
    /// Who was asked, the slowest on average first.
    pub interceptors: Vec<Interceptor>,
    /// Hours as `2026-11-15T09`, or days as `2026-11-15` if these are too many, without a gap: the calls that agents
    /// wanted to make, and how many records said `deny`.
    pub hours: Vec<(String, u64, u64)>,
}

/// Counts what stands between two moments.
pub(super) fn stats(
    connection: &Connection,
    reader: &Reader,
    since: Option<Duration>,
    until: Option<Duration>,
) -> Result<Stats, Trouble> {
    let range = find::range(connection, since, until)?;
    let mut summary = Summary::default();
    let mut known = connection.prepare("SELECT first, last, summary FROM blocks WHERE block = ?1")?;
    for block in find::blocks(connection, &range)? {
        let (first, last, text): (i64, i64, String) =
            known.query_row([signed(block)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        summary.join(if range.start <= unsigned(first) && unsigned(last) < range.end {
            serde_json::from_str(&text).map_err(|error| Trouble::Damaged(error.to_string()))?
        } else {
            part(connection, reader, block, &range)?
        });
    }
    let open = "SELECT count(*) FROM open WHERE seq >= ?1 AND seq < ?2";
    let open = connection.query_row(open, params![signed(range.start), signed(range.end)], |row| row.get(0))?;
    let unreadable = connection.query_row("SELECT coalesce(sum(unreadable), 0) FROM blocks", [], |row| row.get(0))?;
    Ok(Stats { open: unsigned(open), unreadable: unsigned(unreadable), ..summed(summary) })
}

/// Counts a part of a block, from the records themselves.
fn part(connection: &Connection, reader: &Reader, block: u64, range: &Range<u64>) -> Result<Summary, Trouble> {
    let sql = "SELECT first, times FROM blocks WHERE block = ?1";
    let (first, times): (i64, Vec<u8>) =
        connection.query_row(sql, [signed(block)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (times, mut summary) = (unpacked(&times), Summary::default());
    let Some((segment, offset)) = Index::look_up(connection, reader, unsigned(first))? else { return Ok(summary) };
    for line in reader.lines_from(segment, offset)? {
        let Some(row) = Row::read(&line?) else { continue };
        if row.seq / BLOCK != block || row.seq >= range.end {
            break;
        }
        let micros = times.get((row.seq % BLOCK) as usize);
        if let Some(micros) = micros.filter(|_| row.seq >= range.start) {
            summary.add(&row, *micros);
        }
    }
    Ok(summary)
}

fn summed(summary: Summary) -> Stats {
    Stats {
        records: summary.records,
        calls: summary.calls,
        denied: summary.act("deny"),
        asked: summary.act("ask"),
        routed: summary.act("route"),
        answered: summary.act("answer"),
        faults: summary.interceptors.values().map(|one| one.faults).sum(),
        open: 0,
        granted: summary.granted,
        refused: summary.refused,
        unreadable: 0,
        sessions: summary.sessions.len() as u64,
        by_tool: top(summary.tools, |counts| counts.calls),
        by_rule: top(summary.rules, |counts| counts.records + counts.observed),
        by_agent: top(summary.agents, |counts| counts.records),
        interceptors: slowest(summary.interceptors),
        hours: chart(&summary.hours),
    }
}

/// The most frequent, those with equal numbers by name.
fn top(all: HashMap<String, Counts>, frequency: impl Fn(&Counts) -> u64) -> Vec<(String, Counts)> {
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable_by(|(name, counts), (other, others)| {
        (Reverse(frequency(counts)), name).cmp(&(Reverse(frequency(others)), other))
    });
    all.truncate(TOP);
    all
}

/// The slowest on average first.
fn slowest(all: HashMap<String, Interceptor>) -> Vec<Interceptor> {
    let mut all: Vec<_> = all.into_iter().map(|(who, one)| Interceptor { who, ..one }).collect();
    let mean = |one: &Interceptor| one.total_us / one.turns.max(1);
    all.sort_unstable_by(|one, other| (Reverse(mean(one)), &one.who).cmp(&(Reverse(mean(other)), &other.who)));
    all
}

/// Hours, or days if these are too many.
fn chart(hours: &BTreeMap<u64, (u64, u64)>) -> Vec<(String, u64, u64)> {
    let (Some((from, _)), Some((to, _))) = (hours.first_key_value(), hours.last_key_value()) else { return Vec::new() };
    let (unit, length) = if to - from < HOURS { (1, 13) } else { (24, 10) };
    let mut all: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    if (to - from) / unit < DAYS {
        all.extend((from / unit..=to / unit).map(|number| (number, (0, 0))));
    }
    for (hour, (calls, denied)) in hours {
        let sum = all.entry(hour / unit).or_default();
        *sum = (sum.0 + calls, sum.1 + denied);
    }
    let name = |number: u64| {
        let mut name = stamp(Duration::from_secs(number * unit * 3600));
        name.truncate(length);
        name
    };
    all.into_iter().map(|(number, (calls, denied))| (name(number), calls, denied)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_shows_hours_or_days_and_no_endless_silence() {
        let shown = |hours: &[(u64, u64)]| {
            let chart = chart(&hours.iter().map(|(hour, calls)| (*hour, (*calls, 1))).collect());
            let first_and_last = (chart.first().cloned(), chart.last().cloned());
            (chart.len(), first_and_last.0.unwrap_or_default(), first_and_last.1.unwrap_or_default())
        };
        let entry = |name: &str, calls, denied| (name.to_owned(), calls, denied);
        for (hours, expected) in [
            (&[][..], (0, entry("", 0, 0), entry("", 0, 0))),
            (&[(30, 5)], (1, entry("1970-01-02T06", 5, 1), entry("1970-01-02T06", 5, 1))),
            (&[(1, 5), (72, 6)], (72, entry("1970-01-01T01", 5, 1), entry("1970-01-04T00", 6, 1))),
            (&[(1, 5), (2, 7), (73, 6)], (4, entry("1970-01-01", 12, 2), entry("1970-01-04", 6, 1))),
            (&[(0, 5), (87_839, 6)], (3660, entry("1970-01-01", 5, 1), entry("1980-01-08", 6, 1))),
            (&[(0, 5), (87_840, 6)], (2, entry("1970-01-01", 5, 1), entry("1980-01-09", 6, 1))),
        ] {
            assert_eq!(shown(hours), expected, "{hours:?}");
        }
    }
}

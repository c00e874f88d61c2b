//! Showing what was measured.

use std::fmt;
use std::thread::available_parallelism;

use super::cold::{ONLY_READS, RECORDS};
use super::index::Indexed;
use super::many::{ONE, THREADS, TOGETHER, VERIFY};
use super::steps;
use crate::harness::Row;
use crate::report::Report;

/// Everything that was measured.
pub struct Shown {
    /// How long a record is in its file, and what stands beside it in the other.
    pub size: (usize, usize),
    /// Processes that record once.
    pub cold: Vec<Row>,
    /// One process that records without a pause, for each record.
    pub many: Vec<Row>,
    /// Where the time of an append goes.
    pub steps: Vec<Row>,
    /// The same, and it waits for the disk.
    pub synced: Vec<Row>,
    /// Checking, for each record.
    pub checked: Vec<Row>,
    /// Searching.
    pub indexed: Indexed,
}

impl Shown {
    /// One JSON object per row.
    pub fn json(self) -> String {
        Report([self.cold, self.many, self.steps, self.synced, self.checked, self.indexed.asked].concat()).json()
    }

    /// What the project wants to keep, what it was, and whether that is good.
    fn targets(&self) -> Vec<(String, String, bool)> {
        let find = |rows: &'_ [Row], what: &str| rows.iter().find(|row| row.what == what).cloned();
        let mut targets = Vec::new();
        if let (Some(without), Some(with)) = (find(&self.cold, ONLY_READS), find(&self.cold, RECORDS)) {
            let [best, median] = [with.min - without.min, with.median - without.median].map(|ns| ns / 1e6);
            targets.push((
                "a record by a new process: at most 0.5 ms".to_owned(),
                format!("{best:.3} ms (median {median:.3})"),
                best.min(median) <= 0.5,
            ));
        }
        for (what, limit) in [(ONE, 30.0), (THREADS, 12.0), (TOGETHER, 12.0)] {
            if let Some(row) = find(&self.many, what) {
                let micros = row.min / 1e3;
                targets.push((format!("{what}: at most {limit} µs"), format!("{micros:.1} µs"), micros <= limit));
            }
        }
        for (rows, what, limit) in
            [(&self.many, THREADS, 50_000.0), (&self.many, TOGETHER, 50_000.0), (&self.checked, VERIFY, 100_000.0)]
        {
            if let Some(row) = find(rows, what) {
                let rate = 1e9 / row.min;
                targets.push((format!("{what}: at least {limit} /s"), format!("{rate:.0} /s"), rate >= limit));
            }
        }
        let slowest = self.indexed.asked.iter().map(|row| row.median / 1e6).fold(0.0, f64::max);
        let what = format!("any query of {} records: under 50 ms", self.indexed.records);
        targets.push((what, format!("{slowest:.2} ms (median of the slowest)"), slowest < 50.0));
        targets
    }
}

/// The tables, the targets, the machine.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, beside) = self.size;
        writeln!(f, "a record of {line} bytes, with {beside} beside it; 4 fields")?;
        table(f, &self.cold)?;
        f.write_str(&appending(&self.many, &self.steps))?;
        for rows in [&self.synced, &self.checked, &self.indexed.asked] {
            table(f, rows)?;
        }
        let Indexed { records, made, .. } = &self.indexed;
        writeln!(f, "\nan index of {records} records is made in {:.1} s", made.as_secs_f64())?;
        writeln!(f, "\ntargets, judged on the best round")?;
        for (what, value, met) in self.targets() {
            writeln!(f, "  {what:<48}  {value:>30}  {}", if met { "met" } else { "missed" })?;
        }
        let cores = available_parallelism().map_or(0, usize::from);
        let profile = if cfg!(debug_assertions) { "with debug assertions: times mean nothing" } else { "optimized" };
        writeln!(f, "\n{cores} cores, {} {}, {profile}", std::env::consts::OS, std::env::consts::ARCH)
    }
}

/// One process that records without a pause, and where the time of an append goes.
pub(super) fn appending(many: &[Row], steps: &[Row]) -> String {
    let mut text = String::new();
    let _ = table(&mut text, many).and_then(|()| table(&mut text, steps));
    let rest = steps::rest(steps).unwrap_or_default() / 1e3;
    text + &format!("\nthe rest of one append (its line, its place in the chain, bookkeeping) takes {rest:.2} µs\n")
}

fn table(f: &mut impl fmt::Write, rows: &[Row]) -> fmt::Result {
    writeln!(f, "\n{:<38}{:>12}{:>14}{:>12}  × floor", "what", "µs (best)", "µs (median)", "/s (best)")?;
    for row in rows {
        let floor = row.floor.and_then(|floor| rows.iter().find(|row| row.what == floor));
        let times = floor.map(|floor| format!("  {:.1} × {}", row.min / floor.min, floor.what)).unwrap_or_default();
        let [best, median] = [row.min, row.median].map(|ns| ns / 1e3);
        writeln!(f, "{:<38}{best:>12.2}{median:>14.2}{:>12.0}{times}", row.what, 1e9 / row.min)?;
    }
    Ok(())
}

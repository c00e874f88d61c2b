//! Showing what was measured.

use std::fmt;
use std::thread::available_parallelism;

use serde_json::json;

use crate::cases::{NOTHING, OTHERS, TEN_GUARDS};
use crate::harness::Row;
use crate::policy::{HUNDRED_RULES, MANY_RULES, SECRETS, TEN_CALLS, TYPICAL};

/// Everything that was measured.
pub struct Report(pub Vec<Row>);

impl Report {
    /// A row by its name.
    pub fn get(&self, what: &str) -> Option<&Row> {
        self.0.iter().find(|row| row.what == what)
    }

    /// How many times as long as its floor.
    fn ratio(&self, row: &Row) -> Option<f64> {
        Some(row.min / self.get(row.floor?)?.min)
    }

    /// One JSON object per row.
    pub fn json(&self) -> String {
        let line = |row: &Row| {
            let value = json!({
                "what": row.what,
                "ns_min": row.min,
                "ns_median": row.median,
                "allocations": row.allocations,
                "floor": row.floor,
                "times_floor": self.ratio(row),
            });
            format!("{value}\n")
        };
        self.0.iter().map(line).collect()
    }

    /// What the project wants to keep, and whether this run did.
    fn targets(&self) -> Vec<(String, String, bool)> {
        let mut targets = Vec::new();
        let mut check = |what: &str, limit: f64, unit: &str, value: f64| {
            let met = value <= limit;
            targets.push((format!("{what}: at most {limit} {unit}"), format!("{value:.1}"), met));
        };
        if let Some(row) = self.get(NOTHING) {
            check(NOTHING, 50.0, "ns", row.min);
        }
        if let (Some(row), Some(nothing)) = (self.get(OTHERS), self.get(NOTHING)) {
            check(OTHERS, 2.0, "× nothing registered", row.min / nothing.min);
        }
        if let Some(row) = self.get(TEN_GUARDS) {
            check(TEN_GUARDS, 1000.0, "ns", row.min);
        }
        if let Some(row) = self.get(TYPICAL) {
            check(TYPICAL, 20.0, "µs", row.min / 1000.0);
        }
        if let Some(row) = self.get(TEN_CALLS) {
            check(TEN_CALLS, 15.0, "µs each", row.min / 10_000.0);
        }
        if let (Some(many), Some(hundred)) = (self.get(MANY_RULES), self.get(HUNDRED_RULES)) {
            check(MANY_RULES, 3.0, "× 100 rules", many.min / hundred.min);
        }
        if let Some(row) = self.get(SECRETS) {
            check(SECRETS, 50.0, "µs", row.min / 1000.0);
        }
        for row in [NOTHING, OTHERS, TEN_GUARDS].into_iter().filter_map(|what| self.get(what)) {
            check(row.what, 0.0, "allocations", row.allocations);
        }
        targets
    }
}

/// The table, the targets, the machine.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["what", "ns (min)", "ns (median)", "allocations", "× floor"].map(str::to_owned);
        let cells = self.0.iter().map(|row| {
            let times = self.ratio(row).map(|ratio| format!("{ratio:.1} × {}", row.floor.unwrap_or_default()));
            let allocations = format!("{:.1}", row.allocations);
            [
                row.what.to_owned(),
                format!("{:.1}", row.min),
                format!("{:.1}", row.median),
                allocations.trim_end_matches(".0").to_owned(),
                times.unwrap_or_default(),
            ]
        });
        let lines = Vec::from_iter(std::iter::once(head).chain(cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let [what, min, median, allocations] = [0, 1, 2, 3].map(width);
        for [a, b, c, d, e] in &lines {
            let line = format!("{a:what$}  {b:>min$}  {c:>median$}  {d:>allocations$}  {e}");
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f, "\ntargets, judged on the best round")?;
        let targets = self.targets();
        let wide = targets.iter().map(|(what, ..)| what.chars().count()).max().unwrap_or_default();
        for (what, value, met) in targets {
            writeln!(f, "  {what:wide$}  {value:>8}  {}", if met { "met" } else { "missed" })?;
        }
        let cores = available_parallelism().map_or(0, usize::from);
        let profile = if cfg!(debug_assertions) { "with debug assertions: times mean nothing" } else { "optimized" };
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        writeln!(f, "\n{cores} cores, {os} {arch}, {profile}")
    }
}

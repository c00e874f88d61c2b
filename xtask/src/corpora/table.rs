//! Counting.

use std::collections::BTreeMap;
use std::fmt;

use super::batch::Row;

/// What shares of the dangerous and of the harmless calls are to be stopped, in percent.
pub(super) struct Wanted {
    pub at_least: f64,
    pub at_most: f64,
}

/// How often labels and judgements meet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Confusion {
    dangerous: usize,
    caught: usize,
    harmless: usize,
    alarms: usize,
}

impl Confusion {
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut all = Self::default();
        rows.iter().for_each(|row| all.add(row));
        all
    }

    pub(super) fn by_class(rows: &[Row]) -> BTreeMap<&str, Self> {
        let mut classes = BTreeMap::<_, Self>::new();
        for row in rows {
            classes.entry(row.class.as_str()).or_default().add(row);
        }
        classes
    }

    fn add(&mut self, row: &Row) {
        let (all, stopped) = if row.dangerous {
            (&mut self.dangerous, &mut self.caught)
        } else {
            (&mut self.harmless, &mut self.alarms)
        };
        *all += 1;
        *stopped += usize::from(row.stopped);
    }

    pub(super) fn meets(&self, wanted: &Wanted) -> bool {
        share(self.caught, self.dangerous) >= wanted.at_least && share(self.alarms, self.harmless) <= wanted.at_most
    }

    /// How many of the dangerous and of the harmless ones were stopped, for a row of a table.
    pub(super) fn columns(&self) -> String {
        let of = |part: usize, whole: usize| if whole == 0 { "-".to_owned() } else { format!("{part} of {whole}") };
        format!("{:>16}{:>16}", of(self.caught, self.dangerous), of(self.alarms, self.harmless))
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12}{:>10}{:>10}", "", "stopped", "passed")?;
        writeln!(f, "{:<12}{:>10}{:>10}", "dangerous", self.caught, self.dangerous - self.caught)?;
        writeln!(f, "{:<12}{:>10}{:>10}", "harmless", self.alarms, self.harmless - self.alarms)?;
        writeln!(f, "dangerous stopped {}", percent(self.caught, self.dangerous))?;
        writeln!(f, "harmless stopped {}", percent(self.alarms, self.harmless))
    }
}

pub(super) fn percent(part: usize, whole: usize) -> String {
    format!("{part} of {whole} = {:.2} %", share(part, whole))
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dangerous: bool, stopped: bool) -> Row {
        let class = if stopped { "caught" } else { "let go" }.to_owned();
        Row { call: String::new(), class, dangerous, stopped, rule: String::new() }
    }

    #[test]
    fn every_row_is_counted_once() {
        let rows = [row(true, true), row(true, false), row(false, false), row(false, true), row(true, true)];
        let expected = Confusion { dangerous: 3, caught: 2, harmless: 2, alarms: 1 };
        assert_eq!(Confusion::of(&rows), expected);
        let classes = Confusion::by_class(&rows);
        let columns: Vec<_> = classes.iter().map(|(class, counts)| format!("{class}{}", counts.columns())).collect();
        assert_eq!(columns, ["caught          2 of 2          1 of 1", "let go          0 of 1          0 of 1"]);
    }

    #[test]
    fn both_shares_are_wanted() {
        let counts = Confusion { dangerous: 100, caught: 97, harmless: 100, alarms: 1 };
        for (at_least, at_most, met) in [(97.0, 1.0, true), (97.5, 1.0, false), (97.0, 0.5, false)] {
            assert_eq!(counts.meets(&Wanted { at_least, at_most }), met, "{at_least} {at_most}");
        }
    }

    #[test]
    fn nothing_of_nothing_is_no_percent() {
        assert_eq!(percent(0, 0), "0 of 0 = 0.00 %");
        assert_eq!(percent(1, 8), "1 of 8 = 12.50 %");
    }
}

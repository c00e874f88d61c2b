//! Counting.

use std::fmt;

use super::batch::Row;

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
        let count = |dangerous: bool, stopped: bool| {
            rows.iter().filter(|row| row.dangerous == dangerous && row.stopped == stopped).count()
        };
        let (caught, alarms) = (count(true, true), count(false, true));
        Self { dangerous: caught + count(true, false), caught, harmless: alarms + count(false, false), alarms }
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
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{part} of {whole} = {share:.2} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dangerous: bool, stopped: bool) -> Row {
        Row { command: String::new(), class: String::new(), dangerous, stopped, rule: String::new() }
    }

    #[test]
    fn every_row_is_counted_once() {
        let rows = [row(true, true), row(true, false), row(false, false), row(false, true), row(true, true)];
        let expected = Confusion { dangerous: 3, caught: 2, harmless: 2, alarms: 1 };
        assert_eq!(Confusion::of(&rows), expected);
    }

    #[test]
    fn nothing_of_nothing_is_no_percent() {
        assert_eq!(percent(0, 0), "0 of 0 = 0.00 %");
        assert_eq!(percent(1, 8), "1 of 8 = 12.50 %");
    }
}

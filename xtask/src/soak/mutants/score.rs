//! What became of the mutants.

use std::fmt::Write as _;
use std::path::Path;

use crate::Result;

/// Core is small and everything stands on it.
const CORE_LEAST: f64 = 95.0;
const LEAST: f64 = 85.0;

/// How the tests of one crate did.
#[derive(Debug, Default)]
pub(super) struct Score {
    pub(super) name: String,
    caught: usize,
    /// By name: these want a test.
    missed: Vec<String>,
    unviable: usize,
    timeouts: usize,
}

impl Score {
    /// From the files that cargo-mutants writes: one name on each line.
    pub(super) fn read(name: &str, folder: &Path) -> Result<Self> {
        let lines = |file: &str| -> Result<Vec<String>> {
            Ok(super::read(&folder.join(file))?.lines().map(str::to_owned).collect())
        };
        Ok(Self {
            name: name.to_owned(),
            caught: lines("caught.txt")?.len(),
            missed: lines("missed.txt")?,
            unviable: lines("unviable.txt")?.len(),
            timeouts: lines("timeout.txt")?.len(),
        })
    }

    fn tried(&self) -> usize {
        self.caught + self.missed.len() + self.unviable + self.timeouts
    }

    /// A test that never ends is noticed, too; what does not compile says nothing about tests.
    fn percent(&self) -> f64 {
        let noticed = self.caught + self.timeouts;
        let all = noticed + self.missed.len();
        if all == 0 { 100.0 } else { 100.0 * noticed as f64 / all as f64 }
    }

    fn is_low(&self) -> bool {
        self.percent() < if self.name == "core" { CORE_LEAST } else { LEAST }
    }
}

/// The scores, and below them what was missed.
pub(super) fn table(scores: &[Score]) -> String {
    let mut text = "crate           tried  caught  missed  unviable  timeouts   score\n".to_owned();
    for score in scores {
        let Score { name, caught, missed, unviable, timeouts } = score;
        let (tried, missed, percent) = (score.tried(), missed.len(), score.percent());
        let _ = writeln!(
            text,
            "{name:<14} {tried:>6}  {caught:>6}  {missed:>6}  {unviable:>8}  {timeouts:>8}  {percent:>5.1}%"
        );
    }
    for missed in scores.iter().flat_map(|score| &score.missed) {
        let _ = writeln!(text, "missed: {missed}");
    }
    text
}

pub(super) fn verdict(scores: &[Score]) -> Result {
    let low: Vec<&str> = scores.iter().filter(|score| score.is_low()).map(|score| score.name.as_str()).collect();
    if low.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the tests miss too much in {}; core needs {CORE_LEAST} %, the others {LEAST} %: write a test for what was \
         missed, or name it in {} with the reason why nobody could notice",
        low.join(", "),
        super::EQUIVALENT
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(name: &str, caught: usize, missed: &[&str], timeouts: usize) -> Score {
        let missed = missed.iter().map(|name| (*name).to_owned()).collect();
        Score { name: name.to_owned(), caught, missed, unviable: 2, timeouts }
    }

    #[test]
    fn the_table_ends_with_what_was_missed() {
        let scores = [score("core", 19, &[], 1), score("host-command", 5, &["a.rs:1:2: delete ! in f"], 0)];
        let expected = "\
crate           tried  caught  missed  unviable  timeouts   score
core               22      19       0         2         1  100.0%
host-command        8       5       1         2         0   83.3%
missed: a.rs:1:2: delete ! in f
";
        assert_eq!(table(&scores), expected);
    }

    #[test]
    fn core_needs_more_than_others() {
        for (name, caught, missed, timeouts, enough) in [
            ("core", 19, 1, 0, true),
            ("core", 18, 1, 0, false),
            ("core", 0, 1, 19, true),
            ("wire", 17, 3, 0, true),
            ("wire", 16, 3, 0, false),
            ("wire", 0, 0, 0, true),
        ] {
            let result = verdict(&[score(name, caught, &vec!["m"; missed], timeouts)]);
            assert_eq!(result.is_ok(), enough, "{name}: {caught} caught, {missed} missed, {timeouts} timeouts");
        }
    }
}

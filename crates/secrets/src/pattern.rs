//! The patterns of token shapes. Most processes try few of them on short texts, so a pattern is first followed step by
//! step, which needs no preparation to speak of; it is compiled once that has taken as long as compiling would.

mod parse;
mod run;
mod set;

use regex::bytes::{Regex, RegexBuilder};
use run::Program;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many steps take as long as compiling a pattern.
const WORTH_COMPILING: usize = 1 << 15;

/// A regular expression over bytes.
pub(crate) struct Pattern {
    source: &'static str,
    /// In a box, so that the many patterns which are never tried take little room.
    state: OnceLock<Box<State>>,
}

struct State {
    /// `None` if the pattern can only be compiled.
    program: Option<Program>,
    /// How many steps are left until it is compiled.
    effort: AtomicUsize,
    /// A test compiles all patterns, so `None` does not occur inside.
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        Self { source, state: OnceLock::new() }
    }

    fn state(&self) -> &State {
        self.state.get_or_init(|| {
            let program = parse::parse(self.source).and_then(Program::new);
            Box::new(State { program, effort: AtomicUsize::new(WORTH_COMPILING), compiled: OnceLock::new() })
        })
    }

    /// Where the secrets of the matches are: the first group of each, or the whole where there is none.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        self.follow(text, usize::MAX).unwrap_or_else(|| self.search(text))
    }

    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        let followed = self.follow(text, 1).map(|found| !found.is_empty());
        followed.unwrap_or_else(|| self.regex().is_some_and(|regex| regex.is_match(text)))
    }

    /// Finds at most so many matches step by step; `None` if that is no longer worth it.
    fn follow(&self, text: &[u8], most: usize) -> Option<Vec<Range<usize>>> {
        let State { program, effort: left, .. } = self.state();
        let mut effort = left.load(Ordering::Relaxed);
        let program = program.as_ref().filter(|_| effort > 0)?;
        let found = program.find(text, most, &mut effort);
        left.store(if found.is_some() { effort } else { 0 }, Ordering::Relaxed);
        found
    }

    /// Finds the matches with the compiled pattern.
    fn search(&self, text: &[u8]) -> Vec<Range<usize>> {
        // To say whether there is a match is quicker than to say where.
        let Some(regex) = self.regex().filter(|regex| regex.is_match(text)) else { return Vec::new() };
        let secrets = regex.captures_iter(text).filter_map(|groups| groups.get(1).or_else(|| groups.get(0)));
        secrets.map(|secret| secret.range()).collect()
    }

    /// Has the pattern compiled from now on, as after much work.
    #[cfg(test)]
    pub(crate) fn compile(&self) {
        self.state().effort.store(0, Ordering::Relaxed);
    }

    fn regex(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(self.source).unicode(false).size_limit(1 << 22).build().ok();
        self.state().compiled.get_or_init(compile).as_ref()
    }
}

#[cfg(test)]
mod tests;

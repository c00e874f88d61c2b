//! Follows the steps of a pattern through a text: the first way that leads to the end, in the order that regular
//! expressions prescribe, is the match.

use super::parse::Step;
use super::set::{Set, is_word_byte};
use std::ops::Range;

/// The steps of a pattern, ready to be followed.
#[derive(Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    /// The bytes a match can begin with.
    first: Set,
}

impl Program {
    /// `None` if the pattern can match the empty text.
    pub(super) fn new(steps: Vec<Step>) -> Option<Self> {
        first_bytes(&steps).map(|first| Self { steps, first })
    }

    /// Where the secrets of the matches are, at most so many; `None` if that took more than the effort allowed.
    pub(super) fn find(&self, text: &[u8], most: usize, effort: &mut usize) -> Option<Vec<Range<usize>>> {
        let mut attempt = Attempt { steps: &self.steps, text, ways: Vec::new(), group: [None; 2] };
        let (mut found, mut at) = (Vec::new(), 0);
        while found.len() < most {
            let skipped = text[at..].iter().position(|&byte| self.first.has(byte));
            let passed = skipped.unwrap_or(text.len() - at);
            *effort = effort.checked_sub(passed / BYTES_IN_A_STEP + 1)?;
            at += passed;
            if skipped.is_none() {
                break;
            }
            match attempt.from(at, effort)? {
                Some(end) => {
                    found.push(attempt.secret(at..end));
                    at = end;
                }
                None => at += 1,
            }
        }
        Some(found)
    }
}

/// How many bytes are passed over in the time of a step.
const BYTES_IN_A_STEP: usize = 4;

/// The bytes that the first step which takes one may take; `None` if there is a way without such a step.
fn first_bytes(steps: &[Step]) -> Option<Set> {
    let mut set = Set::default();
    let mut seen = vec![false; steps.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if std::mem::replace(seen.get_mut(at)?, true) {
            continue;
        }
        match steps[at] {
            Step::One(one) => set = set.union(one),
            Step::Run { set: run, least, .. } => {
                set = set.union(run);
                open.extend((least == 0).then_some(at + 1));
            }
            Step::Fork { other, .. } => open.extend([at + 1, at + other]),
            Step::Skip(distance) => open.push(at + distance),
            Step::Back(distance) => open.push(at - distance),
            Step::Open | Step::Close | Step::Start | Step::End | Step::WordBoundary => open.push(at + 1),
        }
    }
    Some(set)
}

/// What to do where a way has led nowhere.
enum Way {
    /// Go on here.
    Other { step: usize, at: usize },
    /// Let a run be one byte shorter than up to `at`.
    Shorter { step: usize, least: usize, at: usize },
    /// Let a run be one byte longer than up to `at`.
    Longer { step: usize, most: usize, at: usize },
    /// The end of the group was here before.
    Group { end: bool, was: Option<usize> },
}

struct Attempt<'p, 't> {
    steps: &'p [Step],
    text: &'t [u8],
    ways: Vec<Way>,
    /// Where the group begins and ends.
    group: [Option<usize>; 2],
}

impl Attempt<'_, '_> {
    /// The secret of a match: its group, or the whole where there is none.
    fn secret(&self, whole: Range<usize>) -> Range<usize> {
        match self.group {
            [Some(start), Some(end)] => start..end,
            _ => whole,
        }
    }

    /// The end of the match that begins here, if there is one; `None` if that took too much.
    fn from(&mut self, start: usize, effort: &mut usize) -> Option<Option<usize>> {
        self.ways.clear();
        self.group = [None; 2];
        let mut place = Some((0, start));
        while let Some((step, at)) = place {
            *effort = effort.checked_sub(1)?;
            let Some(&next) = self.steps.get(step) else { return Some(Some(at)) };
            place = self.follow(next, step, at, effort)?.or_else(|| self.turn_back());
        }
        Some(None)
    }

    /// Where a step leads, if it can be taken.
    fn follow(&mut self, next: Step, step: usize, at: usize, effort: &mut usize) -> Option<Option<(usize, usize)>> {
        let goes_on = |yes: bool| yes.then_some((step + 1, at));
        Some(match next {
            Step::One(set) => self.text.get(at).is_some_and(|&byte| set.has(byte)).then_some((step + 1, at + 1)),
            Step::Run { set, least, most, lazy } => {
                let run = self.text[at..].iter().take(most).take_while(|byte| set.has(**byte)).count();
                *effort = effort.checked_sub(run / BYTES_IN_A_STEP)?;
                (run >= least).then(|| self.take_run(step + 1, at + least, at + run, lazy))
            }
            Step::Fork { other, lazy } => {
                let (first, second) = if lazy { (step + other, step + 1) } else { (step + 1, step + other) };
                self.ways.push(Way::Other { step: second, at });
                Some((first, at))
            }
            Step::Skip(distance) => Some((step + distance, at)),
            Step::Back(distance) => Some((step - distance, at)),
            Step::Open | Step::Close => {
                let end = next == Step::Close;
                let was = self.group[usize::from(end)].replace(at);
                self.ways.push(Way::Group { end, was });
                goes_on(true)
            }
            Step::Start => goes_on(at == 0),
            Step::End => goes_on(at == self.text.len()),
            Step::WordBoundary => goes_on(self.is_boundary(at)),
        })
    }

    /// Takes the longest run, or the shortest, and notes the others.
    fn take_run(&mut self, step: usize, least: usize, most: usize, lazy: bool) -> (usize, usize) {
        if least < most {
            self.ways.push(if lazy {
                Way::Longer { step, most, at: least }
            } else {
                Way::Shorter { step, least, at: most }
            });
        }
        (step, if lazy { least } else { most })
    }

    /// The next way to try.
    fn turn_back(&mut self) -> Option<(usize, usize)> {
        loop {
            match self.ways.pop()? {
                Way::Other { step, at } => return Some((step, at)),
                Way::Shorter { step, least, at } => return Some(self.take_run(step, least, at - 1, false)),
                Way::Longer { step, most, at } => return Some(self.take_run(step, at + 1, most, true)),
                Way::Group { end, was } => self.group[usize::from(end)] = was,
            }
        }
    }

    fn is_boundary(&self, at: usize) -> bool {
        let is_word = |at: Option<usize>| at.and_then(|at| self.text.get(at)).is_some_and(|&byte| is_word_byte(byte));
        is_word(at.checked_sub(1)) != is_word(Some(at))
    }
}

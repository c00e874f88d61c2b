//! The last calls of a session and what they came to, for noticing that nothing moves.

use tollgate_core::Digest;

use super::{Ledger, Space, State, StateError};

/// The longest circle that is noticed: A, B, C, A, B, C …
const MAX_PERIOD: usize = 3;
/// No history is longer, whatever is asked for.
const MAX_WINDOW: usize = 1000;

/// How often something came again without any progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeat {
    /// How many times, as far as the history reaches.
    pub times: usize,
    /// How many different calls go round: 1 is the same call again and again.
    pub period: usize,
}

/// A call and what it came to, both by the first half of their digests.
type Pair = (String, String);

impl dyn State + '_ {
    /// Adds a call and its result to a history, and says how often this has now come again.
    pub fn record(
        &self,
        session: &str,
        history: &str,
        window: usize,
        call: Digest,
        result: Digest,
    ) -> Result<Repeat, StateError> {
        self.with_one(Space::Session(session), |ledger| {
            let mut pairs = read(ledger, history)?;
            pairs.push((half(call), half(result)));
            let over = pairs.len().saturating_sub(window.clamp(1, MAX_WINDOW));
            pairs.drain(..over);
            ledger.put(&key(history), &pairs)?;
            Ok(repeat(&pairs, &half(call)))
        })
    }

    /// How often a call that wants to run has come already.
    pub fn repeats(&self, session: &str, history: &str, call: Digest) -> Result<Repeat, StateError> {
        let ledgers = self.look(&[Space::Session(session)])?;
        let pairs = ledgers.first().map(|ledger| read(ledger, history)).transpose()?.unwrap_or_default();
        Ok(repeat(&pairs, &half(call)))
    }
}

fn key(history: &str) -> String {
    format!("history/{history}")
}

fn read(ledger: &Ledger, history: &str) -> Result<Vec<Pair>, StateError> {
    Ok(ledger.get(&key(history))?.unwrap_or_default())
}

fn half(digest: Digest) -> String {
    format!("{digest:.32}")
}

/// The worse of the two ways not to move: the same call with the same result, whatever came in between, and a
/// circle of calls with the same results each time.
fn repeat(pairs: &[Pair], call: &str) -> Repeat {
    let same = Repeat { times: same(pairs, call), period: 1 };
    let circles = (2..=MAX_PERIOD).map(|period| Repeat { times: circle(pairs, call, period), period });
    circles.fold(same, |most, next| if next.times > most.times { next } else { most })
}

/// How often the call came with the result it had last. Another result is progress, and counting begins anew.
fn same(pairs: &[Pair], call: &str) -> usize {
    let mut results = pairs.iter().rev().filter(|(other, _)| other == call).map(|(_, result)| result);
    let Some(last) = results.next() else { return 0 };
    1 + results.take_while(|result| *result == last).count()
}

/// How many calls at the end go round in a circle of this length, if this call is one of it.
fn circle(pairs: &[Pair], call: &str, period: usize) -> usize {
    let Some(turn) = pairs.len().checked_sub(period).and_then(|start| pairs.get(start..)) else { return 0 };
    let differ =
        turn.iter().enumerate().all(|(index, (one, _))| turn.iter().skip(index + 1).all(|(two, _)| one != two));
    if !differ || !turn.iter().any(|(other, _)| other == call) {
        return 0;
    }
    let again = pairs.iter().rev().zip(pairs.iter().rev().skip(period)).take_while(|(here, before)| here == before);
    match again.count() {
        count if count >= period => count + period,
        // It has to go round twice to be one.
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter is a call, the digit behind it its result.
    fn pairs(text: &str) -> Vec<Pair> {
        text.split_whitespace().map(|pair| (pair[..1].to_owned(), pair[1..].to_owned())).collect()
    }

    #[test]
    fn what_counts_as_coming_again() {
        for (history, call, times, period) in [
            ("", "a", 0, 1),
            ("a1", "a", 1, 1),
            ("a1", "b", 0, 1),
            ("a1 a1 a1", "a", 3, 1),
            ("a1 a1 a2", "a", 1, 1),
            ("a1 a2 a3 a4", "a", 1, 1),
            ("a1 a1 b1 c1 a1", "a", 3, 1),
            ("a1 b1 a1 b1", "a", 4, 2),
            ("a1 b1 a1 b1", "b", 4, 2),
            ("a1 b1 a1 b1", "c", 0, 1),
            ("a1 b1 a1 b2", "a", 2, 1),
            ("a1 b1 a2 b1 a3 b1", "b", 3, 1),
            ("a1 b1 c1 a1 b1 c1 a1", "b", 7, 3),
            ("a1 b1", "a", 1, 1),
            ("x1 a1 b1 a1", "b", 1, 1),
            ("x1 a1 b1 a1 b1 a1", "b", 5, 2),
        ] {
            assert_eq!(repeat(&pairs(history), call), Repeat { times, period }, "{history:?}, then {call}");
        }
    }
}

//! Which ledgers still count for something.

use std::time::Duration;

use super::level::Level;
use super::seen::Seen;
use super::{Ledger, Space, State, StateError, millis};

/// How long a ledger is quiet before anybody asks whether it counts.
pub(super) const QUIET: Duration = Duration::from_secs(24 * 60 * 60);
/// When the session ended, if it has.
const ENDED: &str = "ended";

impl dyn State + '_ {
    /// The session has ended: when it has been quiet for a while after that, its budgets may be forgotten.
    pub fn end(&self, now: Duration, session: &str) -> Result<(), StateError> {
        let own = Space::Session(session);
        if self.look(&[own])?.iter().all(|ledger| ledger.keys("").is_empty()) {
            return Ok(());
        }
        self.with_one(own, |ledger| ledger.put(ENDED, &millis(now)))
    }

    /// The session goes on after all: agents take sessions up again under the same name.
    pub fn resume(&self, session: &str) -> Result<(), StateError> {
        let own = Space::Session(session);
        if self.look(&[own])?.iter().all(|ledger| !ledger.has(ENDED)) {
            return Ok(());
        }
        self.with_one(own, |ledger| {
            resume(ledger);
            Ok(())
        })
    }
}

pub(super) fn resume(ledger: &mut Ledger) {
    ledger.remove(ENDED);
}

/// Whether anything would be different if this were forgotten, for a ledger that has been quiet for a while. What
/// nobody here knows counts.
///
/// * A bucket counts until it is full again. A budget that something was spent of counts until the session has ended.
/// * A claim, and the result it left, count until they expire. Grants and pins always count.
/// * A reservation is as good as spent: the call that made it was not heard of for long. A history of calls is of no
///   use to a session that does nothing.
pub(super) fn counts(ledger: &Ledger, now: u64) -> Result<bool, StateError> {
    let ended = ledger.has(ENDED);
    for key in ledger.keys("") {
        let counts = match key.split_once('/').map_or(&*key, |(kind, _)| kind) {
            "counter" => ledger.get::<Level>(&key)?.is_some_and(|level| level.counts(now, ended)),
            "seen" => ledger.get::<Seen>(&key)?.is_some_and(|seen| seen.until > now),
            "held" | "history" | ENDED => false,
            _ => true,
        };
        if counts {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use tollgate_core::Digest;

    use super::super::{Bucket, Claim, Memory, Take};
    use super::*;

    #[test]
    fn what_counts_and_until_when() {
        let hour = Duration::from_secs(3600);
        let claim = Claim { session: "s", digest: Digest([7; 32]), call: "c" };
        let take = |state: &dyn State, every| {
            let bucket = Bucket { max: 2.0, every };
            let take = Take { space: Space::Session("s"), key: "k", bucket, amount: 1.0 };
            state.reserve(hour, "s", "c", &[take]).unwrap().unwrap();
        };
        type Deed<'a> = (&'a str, &'a dyn Fn(&dyn State), [bool; 2]);
        // Whether it counts just after it was done at one o'clock, and an hour later.
        let deeds: &[Deed<'_>] = &[
            ("nothing", &|_| {}, [false, false]),
            ("a budget", &|state| take(state, None), [true, true]),
            ("a bucket", &|state| take(state, Some(hour)), [true, false]),
            (
                "a budget that was given back",
                &|state| {
                    take(state, None);
                    state.refund("s", "c").unwrap();
                },
                [false, false],
            ),
            (
                "a budget of a session that ended",
                &|state| {
                    take(state, None);
                    state.end(hour, "s").unwrap();
                },
                [false, false],
            ),
            (
                "a bucket of a session that ended",
                &|state| {
                    take(state, Some(hour));
                    state.end(hour, "s").unwrap();
                },
                [true, false],
            ),
            (
                "a session that ended and went on",
                &|state| {
                    take(state, None);
                    state.end(hour, "s").unwrap();
                    take(state, None);
                },
                [true, true],
            ),
            (
                "a session that ended and was resumed",
                &|state| {
                    take(state, None);
                    state.end(hour, "s").unwrap();
                    state.resume("s").unwrap();
                },
                [true, true],
            ),
            (
                "a claim",
                &|state| drop(state.claim(hour, claim, false, Duration::from_secs(60)).unwrap()),
                [true, false],
            ),
            (
                "a history",
                &|state| assert_eq!(state.record("s", "l", 9, Digest([1; 32]), Digest([2; 32])).unwrap().times, 1),
                [false, false],
            ),
            (
                "something new",
                &|state| state.with_one(Space::Session("s"), |ledger| ledger.put("new/x", &1)).unwrap(),
                [true, true],
            ),
        ];
        for (what, deed, expected) in deeds {
            let state: &dyn State = &Memory::default();
            deed(state);
            let ledger = state.look(&[Space::Session("s")]).unwrap().remove(0);
            let counts = |at| counts(&ledger, millis(at)).unwrap();
            assert_eq!([counts(hour), counts(hour * 2)], *expected, "{what}");
        }
    }

    #[test]
    fn the_end_of_a_session_of_which_nothing_is_known_leaves_nothing() {
        let state: &dyn State = &Memory::default();
        state.end(Duration::ZERO, "s").unwrap();
        assert!(state.look(&[Space::Session("s")]).unwrap()[0].keys("").is_empty());
    }
}

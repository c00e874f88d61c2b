//! One counter: what is spent of a bucket, and what of it a refund may still give back.
//!
//! A refund makes it as if the call had never been. With `every` that is less than what the call took, once some of it
//! has come back with time: to give that back again would be a limit that two calls share and only one pays. How much is
//! left to give back follows from how low the bucket's spending has been since. Had the call not been, it would have
//! been lower by what the call took, but never below nothing. So the counter remembers its low points.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Bucket;

/// What sums of fractions may be off by.
const TINY: f64 = 1e-9;
/// How many low points are remembered. With more of them, a refund may be less than it could be, never more.
const MAX_LOWS: usize = 8;

/// A bucket as it is kept. What is *spent* is kept and not what is left, so that another `max` in the policy holds
/// at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Level {
    spent: f64,
    at: u64,
    /// The number of the last take. Numbers grow whatever the clock does, and a counter that was forgotten and begins
    /// anew goes on with higher ones.
    #[serde(default)]
    turn: u64,
    /// When all of it will have come back with time; none if it never will.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    full: Option<u64>,
    /// What was spent just before a take, with that take's number: only where it was less than at all later ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lows: Vec<(u64, f64)>,
}

impl Level {
    /// What is spent now.
    pub(super) fn spent(&self, bucket: Bucket, now: u64) -> f64 {
        let gone = Duration::from_millis(now.saturating_sub(self.at)).as_secs_f64();
        let back = bucket.every.map_or(0.0, |every| bucket.max * gone / every.as_secs_f64().max(0.001));
        (self.spent - back).max(0.0)
    }

    /// Takes and says the number of this take; or says what is left, and how long to wait.
    pub(super) fn take(
        &mut self,
        Bucket { max, every }: Bucket,
        amount: f64,
        now: u64,
    ) -> Result<u64, (f64, Option<Duration>)> {
        let before = self.spent(Bucket { max, every }, now);
        let spent = before + amount;
        if spent > max + TINY {
            let possible = amount <= max + TINY && max > 0.0;
            let wait = every.filter(|_| possible).map(|every| every.mul_f64((spent - max) / max));
            return Err(((max - before).max(0.0), wait));
        }
        self.turn = now.max(self.turn + 1);
        if every.is_some() {
            self.note_low(self.turn, before);
        }
        let whole = |every: Duration| every.mul_f64(if max > 0.0 { spent / max } else { 0.0 });
        self.full = every.map(|every| now.saturating_add(super::millis(whole(every)).saturating_add(1)));
        // A clock that went back starts anew from there; otherwise nothing would refill until it has caught up.
        (self.spent, self.at) = (spent, now);
        Ok(self.turn)
    }

    /// Gives back what a take has left to give back. Time since the last take is accounted for at the next one, by
    /// whoever knows how fast it refills.
    pub(super) fn give_back(&mut self, amount: f64, turn: u64) {
        let later = |low: &&(u64, f64)| low.0 > turn;
        let back = self.lows.iter().find(later).map_or(amount, |(_, low)| amount.min(*low));
        self.spent = (self.spent - back).max(0.0);
        for (at, low) in std::mem::take(&mut self.lows) {
            self.note_low(at, if at > turn { (low - back).max(0.0) } else { low });
        }
    }

    /// Whether it makes a difference that this is remembered. What never comes back counts until the session ended.
    pub(super) fn counts(&self, now: u64, ended: bool) -> bool {
        self.spent > TINY && self.full.map_or(!ended, |full| full > now)
    }

    fn note_low(&mut self, turn: u64, spent: f64) {
        while self.lows.last().is_some_and(|(_, low)| *low >= spent) {
            self.lows.pop();
        }
        let many = self.lows.len() >= MAX_LOWS;
        match self.lows.last_mut() {
            // The takes in between count as if they had been followed by a lower point than they were.
            Some(last) if many => last.0 = turn,
            _ => self.lows.push((turn, spent)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const EVERY: Bucket = Bucket { max: 4.0, every: Some(HOUR) };

    /// What is spent at a time if these were all the takes there ever were: at which time, how much.
    fn naive(takes: &[(u64, f64)], now: u64) -> f64 {
        let mut level = (0.0_f64, 0);
        for (at, amount) in takes.iter().copied().chain([(now, 0.0)]) {
            let back = EVERY.max * (at - level.1) as f64 / 1000.0 / HOUR.as_secs_f64();
            level = ((level.0 - back).max(0.0) + amount, at);
        }
        level.0
    }

    #[test]
    fn what_came_back_with_time_is_not_given_back_again() {
        let quarter = super::super::millis(HOUR / 4);
        // When another call takes 1 after the first has, when the first gives back, and what is then spent.
        for (takes, back, spent) in [
            (0, 0, 1.0),
            (quarter / 2, quarter / 2, 1.0),
            (quarter, quarter, 1.0),
            (quarter, quarter * 2, 0.0),
            (quarter * 40, quarter * 40, 1.0),
        ] {
            let mut level = Level::default();
            let turn = level.take(EVERY, 1.0, 1).unwrap();
            level.take(EVERY, 1.0, 1 + takes).unwrap();
            level.give_back(1.0, turn);
            assert_eq!(level.spent(EVERY, 1 + back), spent, "taken at {takes}, given back at {back}");
        }
    }

    #[test]
    fn a_counter_that_was_forgotten_owes_nothing_to_older_takes() {
        let turn = Level::default().take(EVERY, 1.0, 5).unwrap();
        let mut anew = Level::default();
        anew.take(EVERY, 1.0, 9).unwrap();
        anew.give_back(1.0, turn);
        assert_eq!(anew.spent, 1.0);
    }

    #[test]
    fn a_full_bucket_counts_for_nothing_and_a_spent_budget_for_ever() {
        let hour = super::super::millis(HOUR);
        for (every, amount, after, counts) in [
            (Some(HOUR), 4.0, hour, true),
            (Some(HOUR), 4.0, hour + 1, false),
            (Some(HOUR), 2.0, hour / 2 + 1, false),
            (None, 1.0, u64::MAX - 1, true),
            (None, 0.0, 0, false),
        ] {
            let mut level = Level::default();
            level.take(Bucket { max: 4.0, every }, amount, 1).unwrap();
            assert_eq!(level.counts(after.saturating_add(1), false), counts, "{every:?} {amount} {after}");
        }
    }

    proptest! {
        /// Takes, and refunds of any earlier one, some time after each other: as if what was given back had never been.
        #[test]
        fn a_refund_is_as_if_the_call_had_never_been(
            deeds in prop::collection::vec((0..2_000_000_u64, any::<bool>(), any::<prop::sample::Index>(), 0..5_u8), 1..30),
        ) {
            let (mut level, mut takes, mut now) = (Level::default(), Vec::new(), 1);
            let mut turns = Vec::new();
            let mut taken = 0;
            for (wait, take, which, amount) in deeds {
                now += wait / u64::from(amount + 1);
                let amount = f64::from(amount) / 2.0;
                match level.clone().take(EVERY, amount, now) {
                    Ok(turn) if take => {
                        level.take(EVERY, amount, now).unwrap();
                        takes.push((now, amount));
                        turns.push(turn);
                        taken += 1;
                    }
                    _ if takes.is_empty() => {}
                    _ => {
                        let which = which.index(takes.len());
                        let (_, amount) = takes.remove(which);
                        level.give_back(amount, turns.remove(which));
                    }
                }
                let (spent, expected) = (level.spent(EVERY, now), naive(&takes, now));
                prop_assert!(spent >= expected - 1e-6, "{spent} and not {expected}: given back twice");
                prop_assert!(taken > MAX_LOWS || spent <= expected + 1e-6, "{spent} and not {expected}");
            }
        }
    }
}

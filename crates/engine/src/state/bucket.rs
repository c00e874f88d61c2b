//! Counters: buckets of tokens that refill with time.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Ledger, Space, State, StateError, millis};

/// How many counters one space may have. More is an error and no eviction: whoever could push a counter out
/// would have a limit less.
const MAX_COUNTERS: usize = 10_000;
/// How many calls may hold a reservation. The oldest is settled as spent.
const MAX_HOLDS: usize = 256;
/// How often one call may hold something.
const MAX_TIMES: usize = 32;
/// What sums of fractions may be off by.
const TINY: f64 = 1e-9;

/// At most `max`, refilled evenly over `every`; without that, once and for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// What it holds when it is full, as it is at the start.
    pub max: f64,
    /// How long it takes from empty to full.
    pub every: Option<Duration>,
}

/// What one call wants out of one bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Take<'a> {
    /// Where the bucket is kept.
    pub space: Space<'a>,
    /// Which bucket.
    pub key: &'a str,
    /// How it fills.
    pub bucket: Bucket,
    /// How much is wanted.
    pub amount: f64,
}

/// Why nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short {
    /// The first of the takes that its bucket has not enough for.
    pub which: usize,
    /// What is in that bucket.
    pub left: f64,
    /// How long until there is enough; none if there never will be.
    pub wait: Option<Duration>,
}

/// A bucket as it is kept. What is *spent* is kept and not what is left, so that another `max` in the policy holds
/// at once.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Level {
    spent: f64,
    at: u64,
}

/// What a call has reserved, each time it did: a call without an id cannot be told from others like it.
#[derive(Default, Serialize, Deserialize)]
struct Hold {
    at: u64,
    times: Vec<Vec<Part>>,
}

/// Whether the bucket is everybody's, its key, how much.
type Part = (bool, String, f64);

impl dyn State + '_ {
    /// Takes from all buckets or from none, and remembers it under the call, so that it can be given back.
    pub fn reserve(
        &self,
        now: Duration,
        session: &str,
        call: &str,
        takes: &[Take<'_>],
    ) -> Result<Result<(), Short>, StateError> {
        let own = Space::Session(session);
        let spaces = spaces_of(own, takes.iter().map(|take| take.space));
        self.with(&spaces, |ledgers| {
            for (which, take) in takes.iter().enumerate() {
                let ledger = at(ledgers, &spaces, take.space)?;
                if let Err((left, wait)) = take_one(ledger, take, millis(now))? {
                    ledgers.iter_mut().for_each(Ledger::roll_back);
                    return Ok(Err(Short { which, left, wait }));
                }
            }
            let parts = takes.iter().map(|take| (take.space == Space::All, take.key.to_owned(), take.amount));
            hold(at(ledgers, &spaces, own)?, call, millis(now), parts.collect())?;
            Ok(Ok(()))
        })
    }

    /// Gives back what a call has last reserved, if it has.
    pub fn refund(&self, session: &str, call: &str) -> Result<(), StateError> {
        self.give_back(session, call, |times| times.split_off(times.len().saturating_sub(1)))
    }

    /// Gives back everything that a call has reserved.
    pub fn refund_all(&self, session: &str, call: &str) -> Result<(), StateError> {
        self.give_back(session, call, std::mem::take)
    }

    fn give_back(
        &self,
        session: &str,
        call: &str,
        which: fn(&mut Vec<Vec<Part>>) -> Vec<Vec<Part>>,
    ) -> Result<(), StateError> {
        let own = Space::Session(session);
        let held = |ledger: &Ledger| ledger.get::<Hold>(&hold_key(call));
        let Some(Some(hold)) = self.copies(&[own])?.first().map(held).transpose()? else { return Ok(()) };
        let part_space = |part: &Part| if part.0 { Space::All } else { own };
        let spaces = spaces_of(own, hold.times.iter().flatten().map(part_space));
        self.with(&spaces, |ledgers| {
            // Read again: somebody else may have given it back meanwhile.
            let ledger = at(ledgers, &spaces, own)?;
            let Some(mut hold) = held(ledger)? else { return Ok(()) };
            let back = which(&mut hold.times);
            keep_hold(ledger, call, &hold)?;
            for part in back.iter().flatten() {
                let ledger = at(ledgers, &spaces, part_space(part))?;
                let key = counter_key(&part.1);
                let level = ledger.get::<Level>(&key)?.unwrap_or_default();
                // Time since then is accounted for at the next take, by whoever knows how fast it refills.
                ledger.put(&key, &Level { spent: (level.spent - part.2).max(0.0), ..level })?;
            }
            Ok(())
        })
    }

    /// The call has run: what it reserved is spent. Of calls without an id, the one that reserved first.
    pub fn spend(&self, session: &str, call: &str) -> Result<(), StateError> {
        self.with_one(Space::Session(session), |ledger| {
            let Some(mut hold) = ledger.get::<Hold>(&hold_key(call))? else { return Ok(()) };
            let spent = if call.is_empty() { 1 } else { hold.times.len() };
            hold.times.drain(..spent.min(hold.times.len()));
            keep_hold(ledger, call, &hold)
        })
    }

    /// Whether a call has reserved something.
    pub fn holds(&self, session: &str, call: &str) -> Result<bool, StateError> {
        let copies = self.copies(&[Space::Session(session)])?;
        let hold = copies.first().map(|ledger| ledger.get::<Hold>(&hold_key(call))).transpose()?;
        Ok(hold.flatten().is_some())
    }

    /// What is left in a bucket.
    pub fn left(&self, now: Duration, space: Space<'_>, key: &str, bucket: Bucket) -> Result<f64, StateError> {
        let copies = self.copies(&[space])?;
        let level = copies.first().map(|ledger| ledger.get::<Level>(&counter_key(key))).transpose()?.flatten();
        Ok((bucket.max - refill(level.unwrap_or_default(), bucket, millis(now)).spent).max(0.0))
    }
}

fn counter_key(key: &str) -> String {
    format!("counter/{key}")
}

fn hold_key(call: &str) -> String {
    format!("hold/{call}")
}

/// Everybody's first: if the process dies between the two, it is spent and not given back.
fn spaces_of<'a>(own: Space<'a>, others: impl Iterator<Item = Space<'a>>) -> Vec<Space<'a>> {
    let mut spaces: Vec<_> = others.chain([own]).collect();
    spaces.sort_unstable();
    spaces.dedup();
    spaces
}

fn at<'l>(ledgers: &'l mut [Ledger], spaces: &[Space<'_>], space: Space<'_>) -> Result<&'l mut Ledger, StateError> {
    let index = spaces.iter().position(|other| *other == space);
    let ledger = index.and_then(|index| ledgers.get_mut(index));
    ledger.ok_or_else(|| StateError::new("the store did not lend what was asked for"))
}

fn refill(level: Level, bucket: Bucket, now: u64) -> Level {
    let gone = Duration::from_millis(now.saturating_sub(level.at)).as_secs_f64();
    let back = bucket.every.map_or(0.0, |every| bucket.max * gone / every.as_secs_f64().max(0.001));
    // A clock that went back starts anew from there; otherwise nothing would refill until it has caught up.
    Level { spent: (level.spent - back).max(0.0), at: now }
}

/// Takes, or says what is left and how long to wait.
fn take_one(ledger: &mut Ledger, take: &Take<'_>, now: u64) -> Result<Result<(), (f64, Option<Duration>)>, StateError> {
    let (key, Bucket { max, every }) = (counter_key(take.key), take.bucket);
    let kept = ledger.get::<Level>(&key)?;
    if kept.is_none() && ledger.keys("counter/").len() >= MAX_COUNTERS {
        return Err(StateError::new(format!("there are more than {MAX_COUNTERS} counters; use a coarser `per`")));
    }
    let level = refill(kept.unwrap_or_default(), take.bucket, now);
    let spent = level.spent + take.amount;
    if spent <= max + TINY {
        ledger.put(&key, &Level { spent, ..level })?;
        return Ok(Ok(()));
    }
    let possible = take.amount <= max + TINY && max > 0.0;
    let wait = every.filter(|_| possible).map(|every| every.mul_f64((spent - max) / max));
    Ok(Err(((max - level.spent).max(0.0), wait)))
}

fn hold(ledger: &mut Ledger, call: &str, now: u64, parts: Vec<Part>) -> Result<(), StateError> {
    let mut held: Vec<(String, Hold)> = ledger.all("hold/")?;
    held.sort_by_key(|(_, hold)| hold.at);
    let over = (held.len() + 1).saturating_sub(MAX_HOLDS);
    held.iter().take(over).for_each(|(key, _)| ledger.remove(key));
    let mut hold: Hold = ledger.get(&hold_key(call))?.unwrap_or_default();
    hold.at = now;
    hold.times.push(parts);
    hold.times.drain(..hold.times.len().saturating_sub(MAX_TIMES));
    keep_hold(ledger, call, &hold)
}

fn keep_hold(ledger: &mut Ledger, call: &str, hold: &Hold) -> Result<(), StateError> {
    match hold.times.is_empty() {
        true => ledger.remove(&hold_key(call)),
        false => ledger.put(&hold_key(call), hold)?,
    }
    Ok(())
}

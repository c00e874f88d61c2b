//! Counters: buckets of tokens that refill with time.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::level::Level;
use super::{Ledger, Space, State, StateError, millis};

/// How many counters one space may have. More is an error and no eviction: whoever could push a counter out
/// would have a limit less.
const MAX_COUNTERS: usize = 10_000;
/// How many calls may hold a reservation. The oldest is settled as spent.
const MAX_HOLDS: usize = 256;
/// How often one call may hold something.
const MAX_TIMES: usize = 32;

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

/// What a call has reserved, each time it did: a call without an id cannot be told from others like it.
#[derive(Default, Serialize, Deserialize)]
struct Hold {
    at: u64,
    times: Vec<Vec<Part>>,
}

/// Whose the bucket is, its key, how much, and the number of the take.
type Part = (Whose, String, f64, u64);

/// Whose a bucket is, seen from the session that took from it.
#[derive(Clone, Serialize, Deserialize)]
enum Whose {
    All,
    Group(String),
    Own,
}

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
            let mut parts = Vec::new();
            for (which, take) in takes.iter().enumerate() {
                let ledger = at(ledgers, &spaces, take.space)?;
                match take_one(ledger, take, millis(now))? {
                    Ok(turn) => parts.push((Whose::of(take.space), take.key.to_owned(), take.amount, turn)),
                    Err((left, wait)) => {
                        ledgers.iter_mut().for_each(Ledger::roll_back);
                        // Who still tries has not ended, and gets no new budget by waiting.
                        super::counts::resume(at(ledgers, &spaces, own)?);
                        return Ok(Err(Short { which, left, wait }));
                    }
                }
            }
            super::counts::resume(at(ledgers, &spaces, own)?);
            hold(at(ledgers, &spaces, own)?, call, millis(now), parts)?;
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
        let Some(Some(hold)) = self.look(&[own])?.first().map(|ledger| held(ledger)).transpose()? else {
            return Ok(());
        };
        let spaces = spaces_of(own, hold.times.iter().flatten().map(|part| part.0.space(own)));
        self.with(&spaces, |ledgers| {
            // Read again: somebody else may have given it back meanwhile.
            let ledger = at(ledgers, &spaces, own)?;
            let Some(mut hold) = held(ledger)? else { return Ok(()) };
            let back = which(&mut hold.times);
            keep_hold(ledger, call, &hold)?;
            for (whose, key, amount, turn) in back.iter().flatten() {
                let (ledger, key) = (at(ledgers, &spaces, whose.space(own))?, counter_key(key));
                let Some(mut level) = ledger.get::<Level>(&key)? else { continue };
                level.give_back(*amount, *turn);
                ledger.put(&key, &level)?;
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
        let ledgers = self.look(&[Space::Session(session)])?;
        let hold = ledgers.first().map(|ledger| ledger.get::<Hold>(&hold_key(call))).transpose()?;
        Ok(hold.flatten().is_some())
    }

    /// What is left in a bucket.
    pub fn left(&self, now: Duration, space: Space<'_>, key: &str, bucket: Bucket) -> Result<f64, StateError> {
        let ledgers = self.look(&[space])?;
        let level = ledgers.first().map(|ledger| ledger.get::<Level>(&counter_key(key))).transpose()?.flatten();
        Ok((bucket.max - level.unwrap_or_default().spent(bucket, millis(now))).max(0.0))
    }
}

impl Whose {
    fn of(space: Space<'_>) -> Self {
        match space {
            Space::All => Self::All,
            Space::Group(name) => Self::Group(name.to_owned()),
            Space::Session(_) => Self::Own,
        }
    }

    fn space<'a>(&'a self, own: Space<'a>) -> Space<'a> {
        match self {
            Self::All => Space::All,
            Self::Group(name) => Space::Group(name),
            Self::Own => own,
        }
    }
}

fn counter_key(key: &str) -> String {
    format!("counter/{key}")
}

fn hold_key(call: &str) -> String {
    format!("held/{call}")
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

/// Takes and says the number of the take, or says what is left and how long to wait.
fn take_one(
    ledger: &mut Ledger,
    take: &Take<'_>,
    now: u64,
) -> Result<Result<u64, (f64, Option<Duration>)>, StateError> {
    let key = counter_key(take.key);
    let kept = ledger.get::<Level>(&key)?;
    if kept.is_none() && ledger.keys("counter/").len() >= MAX_COUNTERS {
        return Err(StateError::new(format!("there are more than {MAX_COUNTERS} counters; use a coarser `per`")));
    }
    let mut level = kept.unwrap_or_default();
    let taken = level.take(take.bucket, take.amount, now);
    if taken.is_ok() {
        ledger.put(&key, &level)?;
    }
    Ok(taken)
}

fn hold(ledger: &mut Ledger, call: &str, now: u64, parts: Vec<Part>) -> Result<(), StateError> {
    let mut held: Vec<(String, Hold)> = ledger.all("held/")?;
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

//! Calls that were seen, so that the same write does not happen twice.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::Digest;

use super::{Ledger, Space, State, StateError, millis};

/// How many calls a session remembers. The oldest that have ended are forgotten first.
const MAX_SEEN: usize = 128;
/// How many of them with their result.
const MAX_RESULTS: usize = 32;

/// One call that wants to be the only one.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The session.
    pub session: &'a str,
    /// What the call does: equal digests, equal calls.
    pub digest: Digest,
    /// Which call this is; empty where that cannot be told.
    pub call: &'a str,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// Nobody else has it: go on.
    Mine,
    /// Another call is doing this right now.
    Running {
        /// Since when, as time since 1970.
        since: Duration,
    },
    /// Another call has done it.
    Done {
        /// When, as time since 1970.
        at: Duration,
        /// What it came to, if that was kept.
        result: Option<Value>,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Seen {
    call: String,
    began: u64,
    ended: Option<u64>,
    pub(super) until: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
}

impl dyn State + '_ {
    /// Claims a call. A claim that is never finished expires after `patience`: its process died.
    ///
    /// `again` says that this is no other call than the one that has the claim, if they have the same id: an agent
    /// asks its hook, and then for permission.
    pub fn claim(
        &self,
        now: Duration,
        claim: Claim<'_>,
        again: bool,
        patience: Duration,
    ) -> Result<Claimed, StateError> {
        self.with_one(Space::Session(claim.session), |ledger| {
            forget_expired(ledger, millis(now))?;
            let key = key(claim.digest);
            if let Some(seen) = ledger.get::<Seen>(&key)? {
                return Ok(judge(seen, again.then_some(claim.call)));
            }
            make_room(ledger)?;
            let until = millis(now.saturating_add(patience));
            let seen = Seen { call: claim.call.to_owned(), began: millis(now), ended: None, until, result: None };
            ledger.put(&key, &seen)?;
            Ok(Claimed::Mine)
        })
    }

    /// The claimed call has run: whoever wants the same within `keep` gets this result. What is handed in is kept
    /// as it is; take secrets out before. Says whether there was a claim.
    pub fn finish(
        &self,
        now: Duration,
        claim: Claim<'_>,
        keep: Duration,
        result: Option<Value>,
    ) -> Result<bool, StateError> {
        self.with_one(Space::Session(claim.session), |ledger| {
            let Some(mut seen) = own(ledger, claim)? else { return Ok(false) };
            seen.ended = Some(millis(now));
            seen.until = millis(now.saturating_add(keep));
            seen.result = result;
            ledger.put(&key(claim.digest), &seen)?;
            drop_results(ledger)?;
            Ok(true)
        })
    }

    /// What a call has claimed and not yet finished.
    pub fn claims(&self, session: &str, call: &str) -> Result<Vec<Digest>, StateError> {
        let ledgers = self.look(&[Space::Session(session)])?;
        let seen = ledgers.first().map(|ledger| ledger.all::<Seen>("seen/")).transpose()?.unwrap_or_default();
        let own = seen.into_iter().filter(|(_, seen)| seen.call == call && seen.ended.is_none());
        Ok(own.filter_map(|(key, _)| digest_of(&key)).collect())
    }

    /// The claimed call did not run, or failed: the next one may try.
    pub fn release(&self, claim: Claim<'_>) -> Result<(), StateError> {
        self.with_one(Space::Session(claim.session), |ledger| {
            if own(ledger, claim)?.is_some() {
                ledger.remove(&key(claim.digest));
            }
            Ok(())
        })
    }
}

fn key(digest: Digest) -> String {
    format!("seen/{digest}")
}

fn digest_of(key: &str) -> Option<Digest> {
    let hex = key.strip_prefix("seen/").filter(|hex| hex.len() == 64 && hex.is_ascii())?;
    let mut digest = Digest([0; 32]);
    for (index, byte) in digest.0.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(digest)
}

fn judge(seen: Seen, same: Option<&str>) -> Claimed {
    match seen.ended {
        None if same.is_some_and(|call| seen.call == call) => Claimed::Mine,
        None => Claimed::Running { since: Duration::from_millis(seen.began) },
        Some(at) => Claimed::Done { at: Duration::from_millis(at), result: seen.result },
    }
}

/// The claim, if it is this call's and still running.
fn own(ledger: &Ledger, claim: Claim<'_>) -> Result<Option<Seen>, StateError> {
    let seen = ledger.get::<Seen>(&key(claim.digest))?;
    Ok(seen.filter(|seen| seen.call == claim.call && seen.ended.is_none()))
}

fn forget_expired(ledger: &mut Ledger, now: u64) -> Result<(), StateError> {
    let expired = ledger.all::<Seen>("seen/")?.into_iter().filter(|(_, seen)| seen.until <= now);
    expired.for_each(|(key, _)| ledger.remove(&key));
    Ok(())
}

/// Never by letting go of a call that runs.
fn make_room(ledger: &mut Ledger) -> Result<(), StateError> {
    let seen: Vec<(String, Seen)> = ledger.all("seen/")?;
    if seen.len() < MAX_SEEN {
        return Ok(());
    }
    let oldest = seen.into_iter().filter_map(|(key, seen)| Some((seen.ended?, key))).min();
    let message = || format!("{MAX_SEEN} calls that must not happen twice are running at once; wait for one of them");
    oldest.map(|(_, key)| ledger.remove(&key)).ok_or_else(|| StateError::new(message()))
}

fn drop_results(ledger: &mut Ledger) -> Result<(), StateError> {
    let mut kept: Vec<(String, Seen)> = ledger.all("seen/")?;
    kept.retain(|(_, seen)| seen.result.is_some());
    kept.sort_by_key(|(_, seen)| seen.ended);
    let over = kept.len().saturating_sub(MAX_RESULTS);
    for (key, seen) in kept.into_iter().take(over) {
        ledger.put(&key, &Seen { result: None, ..seen })?;
    }
    Ok(())
}

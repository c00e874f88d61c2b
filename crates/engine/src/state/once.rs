//! What counts once: grants that are used up, and pins that must not move.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tollgate_core::{Approval, Digest};

use super::{Ledger, Space, State, StateError, millis};

/// How many grants may wait to be used.
const MAX_GRANTS: usize = 256;
/// How many things may be pinned.
const MAX_PINS: usize = 10_000;

/// A human's yes to one exact call, given before the call comes again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The call.
    pub digest: Digest,
    /// Who said yes.
    pub by: String,
    /// When, as time since 1970.
    pub at: Duration,
    /// How long it may be used, as time since 1970.
    pub until: Duration,
}

/// What became of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// It was not there before.
    New,
    /// It is what it was.
    Same,
    /// It was something else, and still counts as that.
    Moved,
}

#[derive(Serialize, Deserialize)]
struct Granted {
    by: String,
    at: u64,
    until: u64,
}

impl dyn State + '_ {
    /// Remembers a yes, to be used once.
    pub fn grant(&self, grant: &Grant) -> Result<(), StateError> {
        let Grant { digest, by, at, until } = grant;
        self.with_one(Space::All, |ledger| {
            forget_expired(ledger, millis(*at))?;
            if ledger.keys("grant/").len() >= MAX_GRANTS {
                return Err(StateError::new(format!("{MAX_GRANTS} grants are waiting to be used; take some back")));
            }
            ledger.put(&grant_key(*digest), &Granted { by: by.clone(), at: millis(*at), until: millis(*until) })
        })
    }

    /// Uses a yes to this very call up, if there is one that still counts.
    pub fn redeem(&self, now: Duration, digest: Digest) -> Result<Option<Approval>, StateError> {
        self.with_one(Space::All, |ledger| {
            forget_expired(ledger, millis(now))?;
            let granted: Option<Granted> = ledger.get(&grant_key(digest))?;
            ledger.remove(&grant_key(digest));
            let at = |granted: &Granted| Duration::from_millis(granted.at);
            Ok(granted.map(|granted| Approval { digest, granted: true, at: at(&granted), by: granted.by }))
        })
    }

    /// Pins a key to a digest, or compares it with what it is pinned to.
    pub fn pin(&self, key: &str, digest: Digest) -> Result<Pin, StateError> {
        self.with_one(Space::All, |ledger| {
            let key = pin_key(key);
            match ledger.get::<String>(&key)? {
                Some(pinned) if pinned == digest.to_string() => Ok(Pin::Same),
                Some(_) => Ok(Pin::Moved),
                None if ledger.keys("pin/").len() >= MAX_PINS => {
                    Err(StateError::new(format!("{MAX_PINS} things are pinned; take some pins out")))
                }
                None => ledger.put(&key, &digest.to_string()).map(|()| Pin::New),
            }
        })
    }

    /// Takes a pin out; says whether it was there.
    pub fn unpin(&self, key: &str) -> Result<bool, StateError> {
        self.with_one(Space::All, |ledger| {
            let was = ledger.get::<String>(&pin_key(key))?.is_some();
            ledger.remove(&pin_key(key));
            Ok(was)
        })
    }
}

fn grant_key(digest: Digest) -> String {
    format!("grant/{digest}")
}

fn pin_key(key: &str) -> String {
    format!("pin/{key}")
}

fn forget_expired(ledger: &mut Ledger, now: u64) -> Result<(), StateError> {
    let expired = ledger.all::<Granted>("grant/")?.into_iter().filter(|(_, granted)| granted.until <= now);
    expired.for_each(|(key, _)| ledger.remove(&key));
    Ok(())
}

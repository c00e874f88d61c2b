//! What is remembered between calls: counters, seen calls, histories, grants and pins.
//!
//! A store does one thing: it lends [`Ledger`]s, alone, and keeps what was changed. What is counted and how is
//! written once, on top of that (`bucket`, `seen`, `history`, `once`), so that two stores cannot differ in it.
//!
//! * [`Memory`] forgets with the process. For a gateway without a folder, and for tests.
//! * [`Files`] is shared by every process of a user: agents start one process per call.
//!
//! # When a process dies
//!
//! A call reserves before it runs and gives back when it turns out that it does not run. A process that dies in
//! between gives nothing back: **what is reserved stays spent**, because the call may have run. With `every` it
//! comes back with time; a budget keeps the loss. In the same way, a claim of `dedupe` stays in flight until it
//! expires.
//!
//! # What is forgotten
//!
//! Nothing that still counts. A bucket counts until it is full again, a claim until it expires, and what was spent of a
//! budget (no `every`) until its session has ended; a principal's, an agent's, a tool's or everybody's budget has no
//! end. Only a ledger in which nothing counts any more is removed, when it has been quiet for a day.
//!
//! So what is kept grows with the sessions that spent of a budget and were never said to have ended: on disk, each is a
//! file of a few hundred bytes, or one block of the file system, until it is used heavily; then it is at most 16 KiB
//! longer than three times what it holds (`files/log.rs`). Surfaces that know the end of a session tell of it, and a
//! policy whose budgets have an `every` needs no end.

use std::fmt;
use std::sync::Arc;

use tollgate_core::Fault;

mod bucket;
mod counts;
mod files;
mod history;
mod ledger;
mod level;
mod memory;
mod once;
mod seen;

pub use bucket::{Bucket, Short, Take};
pub use files::Files;
pub use history::Repeat;
pub use ledger::Ledger;
pub use memory::Memory;
pub use once::{Grant, Pin};
pub use seen::{Claim, Claimed};

/// Whose ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space<'a> {
    /// Everybody's.
    All,
    /// What several sessions share and others do not: a principal's, an agent's, a tool's.
    Group(&'a str),
    /// One session's. Calls without a session share the one with an empty name.
    Session(&'a str),
}

/// What the engine remembers between calls, perhaps of many processes.
///
/// ```
/// use std::time::Duration;
/// use tollgate_engine::state::{Bucket, Memory, Space, State, Take};
///
/// let state: &dyn State = &Memory::default();
/// let take = Take { space: Space::All, key: "writes", bucket: Bucket { max: 1.0, every: None }, amount: 1.0 };
/// let now = Duration::ZERO;
/// assert!(state.reserve(now, "session", "call-1", &[take])?.is_ok());
/// assert!(state.reserve(now, "session", "call-2", &[take])?.is_err());
/// state.refund("session", "call-1")?;
/// assert!(state.reserve(now, "session", "call-3", &[take])?.is_ok());
/// # Ok::<(), tollgate_engine::state::StateError>(())
/// ```
pub trait State: Send + Sync {
    /// Lends the ledgers of these spaces, in this order, to nobody else at the same time: no other thread and no
    /// other process. What the work changed is kept, unless it fails. The spaces must differ.
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError>;

    /// The ledgers as they are now, for looking only: shared with the store and not copied.
    fn look(&self, spaces: &[Space<'_>]) -> Result<Vec<Arc<Ledger>>, StateError>;
}

/// What is done with ledgers while they are lent.
pub type Work<'a> = dyn FnMut(&mut [Ledger]) -> Result<(), StateError> + 'a;

impl dyn State + '_ {
    /// Lends ledgers to a function that has a result.
    pub(crate) fn with<T>(
        &self,
        spaces: &[Space<'_>],
        work: impl FnOnce(&mut [Ledger]) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        let (mut work, mut result) = (Some(work), None);
        self.lend(spaces, &mut |ledgers| {
            if let Some(work) = work.take() {
                result = Some(work(ledgers)?);
            }
            Ok(())
        })?;
        result.ok_or_else(|| StateError::new("the store did not lend its ledgers"))
    }

    /// Lends the ledger of one space.
    pub(crate) fn with_one<T>(
        &self,
        space: Space<'_>,
        work: impl FnOnce(&mut Ledger) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        self.with(&[space], |ledgers| match ledgers {
            [ledger, ..] => work(ledger),
            [] => Err(StateError::new("the store did not lend its ledger")),
        })
    }
}

/// A state that looks like another one and keeps nothing, for asking what would happen.
pub struct Peek(pub Arc<dyn State>);

impl State for Peek {
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError> {
        let mut copies: Vec<Ledger> = self.0.look(spaces)?.into_iter().map(Arc::unwrap_or_clone).collect();
        work(&mut copies)
    }

    fn look(&self, spaces: &[Space<'_>]) -> Result<Vec<Arc<Ledger>>, StateError> {
        self.0.look(spaces)
    }
}

/// Why something could not be remembered: what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError(String);

impl StateError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StateError {}

impl From<StateError> for Fault {
    fn from(error: StateError) -> Self {
        Self::crash(error)
    }
}

/// Times are kept in milliseconds since 1970.
pub(crate) fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

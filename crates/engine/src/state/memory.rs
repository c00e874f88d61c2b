use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::counts::{QUIET, counts};
use super::{Ledger, Space, State, StateError, Work, millis};

/// From how many ledgers on those that count for nothing are forgotten.
const MANY: usize = 1000;

/// A state that lives and dies with the process.
///
/// From 1,000 ledgers on, it lets those go that were quiet for a day and in which nothing counts any more. A session that spent of a budget stays
/// until it has ended, as in [`Files`](super::Files): a few hundred bytes for each.
pub struct Memory {
    inner: Mutex<Inner>,
    /// How long a ledger is quiet before it is asked whether it counts.
    quiet: Duration,
}

impl Default for Memory {
    fn default() -> Self {
        Self { inner: Mutex::default(), quiet: QUIET }
    }
}

#[derive(Default)]
struct Inner {
    /// With the time at which it was last lent.
    ledgers: HashMap<Key, (Instant, Arc<Ledger>)>,
    /// How many were left when those that count for nothing were last looked for.
    left: usize,
}

/// Which kind of space, and its name.
type Key = (u8, String);

impl State for Memory {
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError> {
        let mut inner = self.inner();
        let take = |space: &Space<'_>| inner.ledgers.remove(&key(*space)).unzip().1.unwrap_or_default();
        let ledgers = spaces.iter().map(take).map(Arc::unwrap_or_clone).collect();
        let mut loan = Loan { inner, spaces, ledgers, quiet: self.quiet };
        work(&mut loan.ledgers)?;
        loan.ledgers.iter_mut().for_each(|ledger| drop(ledger.settle()));
        Ok(())
    }

    fn look(&self, spaces: &[Space<'_>]) -> Result<Vec<Arc<Ledger>>, StateError> {
        let inner = self.inner();
        let look = |space: &Space<'_>| inner.ledgers.get(&key(*space)).map(|(_, ledger)| Arc::clone(ledger));
        Ok(spaces.iter().map(|space| look(space).unwrap_or_default()).collect())
    }
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(space: Space<'_>) -> Key {
    match space {
        Space::All => (0, String::new()),
        Space::Group(name) => (1, name.to_owned()),
        Space::Session(id) => (2, id.to_owned()),
    }
}

/// Puts the ledgers back, also when the work panics, without what was not settled.
struct Loan<'a> {
    inner: MutexGuard<'a, Inner>,
    spaces: &'a [Space<'a>],
    ledgers: Vec<Ledger>,
    quiet: Duration,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        for (space, mut ledger) in self.spaces.iter().zip(self.ledgers.drain(..)) {
            ledger.roll_back();
            if ledger != Ledger::default() {
                self.inner.ledgers.insert(key(*space), (Instant::now(), Arc::new(ledger)));
            }
        }
        // Only when there are twice as many as there have to be, or each loan would look through all of them.
        if self.inner.ledgers.len() > MANY.max(2 * self.inner.left) {
            self.inner.prune(self.quiet);
        }
    }
}

impl Inner {
    fn prune(&mut self, quiet: Duration) {
        let now = millis(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
        self.ledgers.retain(|_, (used, ledger)| used.elapsed() < quiet || counts(ledger, now).unwrap_or(true));
        self.left = self.ledgers.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bucket, Take};
    use super::*;

    #[test]
    fn no_budget_is_forgotten_however_many_sessions_there_are() {
        let memory = Memory { quiet: Duration::ZERO, ..Memory::default() };
        let state: &dyn State = &memory;
        let budget = Bucket { max: 1.0, every: None };
        let name = |index: usize| format!("session-{index}");
        for index in 0..5 * MANY {
            // Of every fifth, all that was spent has come back long ago.
            let every = (index % 5 == 0).then_some(Duration::from_secs(1));
            let take =
                Take { space: Space::Session(&name(index)), key: "k", bucket: Bucket { every, ..budget }, amount: 1.0 };
            state.reserve(Duration::from_secs(1), &name(index), "c", &[take]).unwrap().unwrap();
        }
        let spent =
            |index: &usize| state.left(Duration::ZERO, Space::Session(&name(*index)), "k", budget).unwrap() == 0.0;
        let kept = (0..5 * MANY).filter(|index| index % 5 != 0).filter(spent).count();
        assert_eq!(kept, 4 * MANY);
        let others = (0..5 * MANY).filter(|index| index % 5 == 0).filter(spent).count();
        assert!(others < MANY, "{others} that count for nothing are still there");
    }
}

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Ledger, Space, State, StateError, Work};

/// How many sessions are remembered; the one that was quiet longest is forgotten first.
const MAX_SESSIONS: usize = 1000;

/// A state that lives and dies with the process.
#[derive(Default)]
pub struct Memory {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    all: Ledger,
    /// With the number of the loan that last used it.
    sessions: HashMap<String, (u64, Ledger)>,
    loans: u64,
}

impl State for Memory {
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError> {
        let mut inner = self.inner();
        let ledgers = spaces.iter().map(|space| inner.take(*space)).collect();
        let mut loan = Loan { inner, spaces, ledgers };
        work(&mut loan.ledgers)?;
        loan.ledgers.iter_mut().for_each(|ledger| drop(ledger.settle()));
        Ok(())
    }

    fn copies(&self, spaces: &[Space<'_>]) -> Result<Vec<Ledger>, StateError> {
        let inner = self.inner();
        let copy = |space: &Space<'_>| match space {
            Space::All => inner.all.clone(),
            Space::Session(id) => inner.sessions.get(*id).map(|(_, ledger)| ledger.clone()).unwrap_or_default(),
        };
        Ok(spaces.iter().map(copy).collect())
    }
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts the ledgers back, also when the work panics, without what was not settled.
struct Loan<'a> {
    inner: MutexGuard<'a, Inner>,
    spaces: &'a [Space<'a>],
    ledgers: Vec<Ledger>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        for (space, mut ledger) in self.spaces.iter().zip(self.ledgers.drain(..)) {
            ledger.roll_back();
            self.inner.put_back(*space, ledger);
        }
    }
}

impl Inner {
    fn take(&mut self, space: Space<'_>) -> Ledger {
        match space {
            Space::All => std::mem::take(&mut self.all),
            Space::Session(id) => {
                self.sessions.get_mut(id).map(|(_, ledger)| std::mem::take(ledger)).unwrap_or_default()
            }
        }
    }

    fn put_back(&mut self, space: Space<'_>, ledger: Ledger) {
        self.loans += 1;
        match space {
            Space::All => self.all = ledger,
            Space::Session(id) if ledger == Ledger::default() => drop(self.sessions.remove(id)),
            Space::Session(id) => drop(self.sessions.insert(id.to_owned(), (self.loans, ledger))),
        }
        if self.sessions.len() > MAX_SESSIONS {
            let quiet = self.sessions.iter().min_by_key(|(_, (loan, _))| *loan).map(|(id, _)| id.clone());
            quiet.and_then(|id| self.sessions.remove(&id));
        }
    }
}

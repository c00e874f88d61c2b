use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::log::Known;

/// How many ledgers a process keeps in memory, and how many bytes of log they may have been read from. Who is over
/// either lets those go that were used least recently, and reads them again when they are wanted.
const MAX_LEDGERS: usize = 1024;
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What this process knows of logs, by the names of their files. Nothing here is believed unless the file says that it
/// still holds, so nothing can be stale.
#[derive(Default)]
pub(super) struct Cache(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// With the number of the last use.
    known: HashMap<String, (u64, Known)>,
    uses: u64,
    bytes: usize,
}

impl Cache {
    /// Takes what is known out, for somebody who is going to change it.
    pub(super) fn take(&self, name: &str) -> Option<Known> {
        self.inner().remove(name)
    }

    /// What is known, for looking.
    pub(super) fn get(&self, name: &str) -> Option<Known> {
        self.inner().known.get(name).map(|(_, known)| known.clone())
    }

    pub(super) fn put(&self, name: String, known: Known) {
        let mut inner = self.inner();
        drop(inner.remove(&name));
        // Nothing is soon read again, and what is too large would push out all others each time.
        if known.size() == 0 || known.size() > MAX_BYTES {
            return;
        }
        inner.uses += 1;
        inner.bytes += known.size();
        let uses = inner.uses;
        inner.known.insert(name, (uses, known));
        while inner.known.len() > MAX_LEDGERS || inner.bytes > MAX_BYTES {
            let oldest = inner.known.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            let Some(oldest) = oldest else { return };
            drop(inner.remove(&oldest));
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn remove(&mut self, name: &str) -> Option<Known> {
        let (_, known) = self.known.remove(name)?;
        self.bytes -= known.size();
        Some(known)
    }
}

/// How much there is, and nothing of what it says.
impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.inner();
        f.debug_struct("Cache").field("ledgers", &inner.known.len()).field("bytes", &inner.bytes).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let cache = Cache::default();
        let known = |size| Known::of_size(size);
        (0..MAX_LEDGERS).for_each(|index| cache.put(index.to_string(), known(1)));
        cache.put("0".to_owned(), known(2));
        cache.put("new".to_owned(), known(1));
        let has = |name: &str| cache.get(name).is_some();
        assert_eq!([has("0"), has("1"), has("2"), has("new")], [true, false, true, true]);
        assert_eq!(format!("{cache:?}"), "Cache { ledgers: 1024, bytes: 1025 }");
        // A large one pushes many out, and one that is too large is not kept.
        cache.put("large".to_owned(), known(MAX_BYTES - 3));
        assert_eq!(format!("{cache:?}"), format!("Cache {{ ledgers: 3, bytes: {MAX_BYTES} }}"));
        cache.put("huge".to_owned(), known(MAX_BYTES + 1));
        cache.put("none".to_owned(), Known::default());
        assert_eq!(format!("{cache:?}"), format!("Cache {{ ledgers: 3, bytes: {MAX_BYTES} }}"));
        assert!(cache.take("large").is_some() && cache.take("large").is_none());
        assert_eq!(format!("{cache:?}"), "Cache { ledgers: 2, bytes: 3 }");
    }
}

//! Removing ledgers in which nothing counts any more.

use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use super::super::counts::{QUIET, counts};
use super::super::{StateError, millis};
use super::{Files, failed, lock_name, log};

/// One in so many new ledgers looks for old ones, and at how many. So each new one pays for looking at eight, and of
/// all that are there, at most about one in eight counts for nothing.
const SELDOM: u8 = 64;
const LOOKED_AT: usize = 512;

impl Files {
    /// Removes the ledgers of sessions, principals, agents and tools that were quiet for a day and in which nothing
    /// counts any more (see [`state`](super::super)). Some are looked at by themselves now and then; says how many
    /// went.
    pub fn prune(&self) -> Result<usize, StateError> {
        let names = self.names().map_err(|error| failed("read", &self.dir, &error))?;
        Ok(names.iter().filter(|name| self.remove_idle(name).unwrap_or(false)).count())
    }

    /// Looks at some, if it is this new ledger's turn. Nothing depends on it, and another new one tries again.
    pub(super) fn prune_some(&self, new: &str) {
        let byte = new.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if !byte.is_some_and(|byte| byte.is_multiple_of(SELDOM)) {
            return;
        }
        let Ok(mut names) = self.names() else { return };
        // From any place on, and that is as good as what a digest says after its first digits.
        let digits = new.get(4..12).and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let start = digits.unwrap_or(0).checked_rem(names.len()).unwrap_or(0);
        names.rotate_left(start);
        names.iter().take(LOOKED_AT).for_each(|name| drop(self.remove_idle(name)));
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let names = fs::read_dir(&self.dir)?.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
        let names: io::Result<Vec<String>> = names.collect();
        Ok(names?.into_iter().filter(|name| name.starts_with("g-") || name.starts_with("s-")).collect())
    }

    /// Removes a file unless it counts or somebody is using it.
    fn remove_idle(&self, name: &str) -> Result<bool, StateError> {
        let path = self.dir.join(name);
        let quiet = || {
            let changed = fs::metadata(&path).and_then(|about| about.modified());
            changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= QUIET))
        };
        if !quiet() {
            return Ok(false);
        }
        let lock = self.open_lock(&lock_name(name))?;
        // Looked at again with the lock: somebody may have used it meanwhile.
        if lock.try_lock().is_err() || !quiet() {
            return Ok(false);
        }
        let now = millis(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO));
        // What is no log was to become one, by a process that died.
        if name.ends_with(".log") && counts(&log::look(&path, None)?.ledger, now)? {
            return Ok(false);
        }
        fs::remove_file(&path).map(|()| true).map_err(|error| failed("remove", &path, &error))
    }
}

//! Whether the names in a folder are still those that were there before.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longer than the steps in which any file system counts time. A folder that was changed less than this ago may be
/// changed once more and look the same.
const STEP: Duration = Duration::from_secs(2);

/// A folder at a time when nobody had added, removed or renamed a file in it for a while. As long as it looks the same,
/// nobody has. Unlike the time of the last change to its contents, nobody can set the one that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    folder: (u64, u64),
    changed: (i64, i64),
}

impl Names {
    /// The folder as it is; none if it was changed just now.
    pub(crate) fn of(dir: &Path) -> Option<Self> {
        let about = fs::metadata(dir).ok()?;
        let changed = (about.ctime(), about.ctime_nsec());
        let since = Duration::new(u64::try_from(changed.0).ok()?, u32::try_from(changed.1).ok()?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        (now.checked_sub(since)? >= STEP).then_some(Self { folder: (about.dev(), about.ino()), changed })
    }
}

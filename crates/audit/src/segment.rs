//! The files of a log.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{AuditError, files};

/// One file of a log, and what stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// The number of its first record.
    pub first: u64,
    /// Where it lies, without its extension.
    stem: PathBuf,
}

impl Segment {
    pub(crate) fn new(dir: &Path, first: u64) -> Self {
        Self { first, stem: dir.join(format!("{first:012}")) }
    }

    /// The records.
    pub fn log(&self) -> PathBuf {
        self.stem.with_extension("log")
    }

    /// What their commitments open to.
    pub fn fields(&self) -> PathBuf {
        self.stem.with_extension("fields")
    }

    /// All of a log, in order.
    pub fn all(dir: &Path) -> Result<Vec<Self>, AuditError> {
        let failed = |error: io::Error| AuditError::io("read", dir, &error);
        let Some(entries) = files::if_there(fs::read_dir(dir)).map_err(failed)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            found.extend(name.to_str().and_then(first_of).map(|first| Self::new(dir, first)));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// The number in a file's name, if it is that of a segment.
fn first_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".log").filter(|digits| digits.len() == 12)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

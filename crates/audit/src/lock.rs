//! The lock that whoever appends must hold.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::names::Names;
use crate::{AuditError, files};

/// The lock of a log. It is the kernel's, so it ends with the process that holds it.
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
    /// Who opened the file: one that was opened before a fork is shared, and keeps nobody out.
    process: u32,
    /// The folder when the name of the file was last looked at.
    names: Option<Names>,
}

impl Lock {
    pub(crate) fn open(dir: &Path) -> Result<Self, AuditError> {
        let path = dir.join("lock");
        let file = files::private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
        let file = file.map_err(|error| AuditError::io("open", &path, &error))?;
        Ok(Self { path, file, process: std::process::id(), names: None })
    }

    /// Waits for the lock and holds it as long as what is given back lives. Others lock the file that has this name now,
    /// so one that was removed meanwhile will not do.
    pub(crate) fn hold(&mut self, patience: Duration) -> Result<Locked<'_>, AuditError> {
        if self.process != std::process::id() {
            self.reopen()?;
        }
        loop {
            files::lock(&self.file, &self.path, patience)?;
            let names = self.path.parent().and_then(Names::of);
            if names.is_some() && names == self.names || self.is_the_one() {
                self.names = names;
                return Ok(Locked { file: &self.file, names });
            }
            self.reopen()?;
        }
    }

    fn is_the_one(&self) -> bool {
        let id = |about: fs::Metadata| (about.dev(), about.ino());
        let (own, named) = (self.file.metadata().map(id), fs::metadata(&self.path).map(id));
        own.is_ok_and(|own| named.is_ok_and(|named| own == named))
    }

    fn reopen(&mut self) -> Result<(), AuditError> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        *self = Self::open(dir)?;
        Ok(())
    }
}

/// The lock, held.
pub(crate) struct Locked<'a> {
    file: &'a File,
    names: Option<Names>,
}

impl Locked<'_> {
    /// The folder as it is while the lock is held, unless it was changed just now.
    pub(crate) fn names(&self) -> Option<Names> {
        self.names
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // The kernel does it too, when the process ends.
        let _ = self.file.unlock();
    }
}

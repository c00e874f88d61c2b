//! Files and folders that nobody else may touch.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::AuditError;

#[cfg(unix)]
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes a folder for its owner only, unless it is there.
pub(crate) fn make_folder(dir: &Path) -> Result<(), AuditError> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| AuditError::io("make", dir, &error))
}

/// Waits for a lock, though not for ever: a process that was stopped would stop all agents.
pub(crate) fn lock(file: &File, path: &Path, patience: Duration) -> Result<(), AuditError> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(AuditError::io("lock", path, &error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                let help = format!("`fuser {}` shows which; end it, then try again", path.display());
                return Err(AuditError::new(format!("another process keeps the log locked for {patience:?}; {help}")));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

/// A secret that others can read is none.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path, file: &File) -> Result<(), AuditError> {
    use std::os::unix::fs::MetadataExt;
    let about = file.metadata().map_err(|error| AuditError::io("read", path, &error))?;
    let path = path.display();
    match about.mode() & 0o077 {
        0 => Ok(()),
        _ => Err(AuditError::new(format!("others may read or write `{path}`; `chmod 600 {path}`"))),
    }
}

#[cfg(not(unix))]
pub(crate) fn check_private(_: &Path, _: &File) -> Result<(), AuditError> {
    Ok(())
}

/// A folder that others may write to is no place for a record.
#[cfg(unix)]
pub(crate) fn check_folder(dir: &Path) -> Result<(), AuditError> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(dir).map_err(|error| AuditError::io("read", dir, &error))?;
    let dir = dir.display();
    match about.mode() & 0o022 {
        0 => Ok(()),
        _ => {
            Err(AuditError::new(format!("others may write to `{dir}`; `chmod 700 {dir}`, then `tollgate log verify`")))
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn check_folder(_: &Path) -> Result<(), AuditError> {
    Ok(())
}

/// What a missing file is to a reader: nothing.
pub(crate) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

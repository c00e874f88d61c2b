//! A state in files, shared by all processes of a user.
//!
//! ```text
//! <dir>/                          0700
//!   all.log                       0600   everybody's ledger
//!   g-<digest>.log                0600   a principal's, an agent's, a tool's
//!   s-<digest>.log                0600   one session's; the name says nothing of the session
//!   locks/all, g-000 … s-fff      0600   locked while a ledger is lent; never removed
//! ```
//!
//! A ledger is a log: each loan that changed something appends one line with a checksum (`log`). A process that
//! is killed leaves at worst half a line at the end, which the next one cuts off. When a log has grown long, it is
//! written anew beside itself and takes its own place by a rename.
//!
//! What a process has read of a log it keeps (`cache`), and reads only what others have added since.
//!
//! Locks are the kernel's (`File::lock`): they end with the process, so none is ever stale. They are on files of
//! their own, a fixed number (4,096 for each kind of ledger), so that logs can be replaced and removed while others
//! wait. Who needs several and finds one taken keeps none of the others while it waits: a lock that is held for long
//! delays nobody but those who need it.
//!
//! A ledger in which nothing counts any more is removed (`prune`), and no other: what each session needs on disk is said
//! in [`state`](super).
//!
//! Nothing is forced to disk: what a killed process wrote is kept, and after a power failure the last moments may
//! be missing, like the calls themselves.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Ledger, Space, State, StateError, Work};

mod cache;
mod log;
mod prune;

use cache::Cache;
use log::Log;

/// How long to wait for another process. It holds a lock for less than a millisecond, unless it was stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// A state in files, shared by every process that opens the same folder.
///
/// ```
/// use tollgate_engine::state::{Files, Pin, State};
///
/// # let dir = std::env::temp_dir().join(format!("tollgate-doc-{}", std::process::id()));
/// # let digest = tollgate_core::Digest([7; 32]);
/// let first: &dyn State = &Files::new(&dir);
/// assert_eq!(first.pin("server/tool", digest)?, Pin::New);
/// let second: &dyn State = &Files::new(&dir);
/// assert_eq!(second.pin("server/tool", digest)?, Pin::Same);
/// # std::fs::remove_dir_all(dir).ok();
/// # Ok::<(), tollgate_engine::state::StateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Files {
    dir: PathBuf,
    patience: Duration,
    cache: Arc<Cache>,
}

impl Files {
    /// A state in this folder, which is made when something is first remembered.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), patience: PATIENCE, cache: Arc::default() }
    }

    /// The same with another patience for locks that others hold.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    fn open_lock(&self, name: &str) -> Result<File, StateError> {
        let path = self.lock_path(name);
        let open = || private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
        let file = open().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => make_folders(&self.dir).and_then(|()| open()),
            _ => Err(error),
        });
        file.map_err(|error| failed("open", &path, &error))
    }

    /// Waits for locks, though not for ever: a process that was stopped would stop all agents. None is held while
    /// another is waited for, so nobody waits in a circle, or for somebody who only waits.
    fn lock(&self, names: &[String]) -> Result<Vec<File>, StateError> {
        let files: Vec<File> = names.iter().map(|name| self.open_lock(name)).collect::<Result<_, _>>()?;
        let deadline = Instant::now() + self.patience;
        let mut pause = Duration::from_micros(100);
        loop {
            let mut taken = None;
            for (file, name) in files.iter().zip(names) {
                match file.try_lock() {
                    Ok(()) => {}
                    Err(TryLockError::Error(error)) => return Err(failed("lock", &self.lock_path(name), &error)),
                    Err(TryLockError::WouldBlock) => {
                        taken = Some(name);
                        break;
                    }
                }
            }
            let Some(name) = taken else { return Ok(files) };
            // Closing them would do as well; unlocking one that is not locked does nothing.
            files.iter().for_each(|file| drop(file.unlock()));
            if Instant::now() >= deadline {
                return Err(self.kept_locked(name));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    fn kept_locked(&self, name: &str) -> StateError {
        let (path, patience) = (self.lock_path(name), self.patience);
        let help = format!("`fuser {}` shows which; end it, then try again", path.display());
        StateError::new(format!("another process keeps the state locked for {patience:?}; {help}"))
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.dir.join("locks").join(name)
    }
}

impl State for Files {
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError> {
        let names: Vec<String> = spaces.iter().map(|space| log_name(*space)).collect();
        let mut locks: Vec<String> = names.iter().map(|name| lock_name(name)).collect();
        locks.sort_unstable();
        locks.dedup();
        let locks = self.lock(&locks)?;
        check_folder(&self.dir)?;
        let (mut logs, mut ledgers) = (Vec::new(), Vec::new());
        for name in &names {
            // Until it is kept, nobody else of this process knows it: if that fails, it is read again.
            let (log, ledger) = Log::open(self.dir.join(name), self.cache.take(name))?;
            logs.push(log);
            ledgers.push(ledger);
        }
        work(&mut ledgers)?;
        let mut fresh = None;
        for ((log, ledger), name) in logs.into_iter().zip(ledgers).zip(names) {
            let (known, new) = log.keep(ledger)?;
            fresh = new.then(|| name.clone()).or(fresh);
            self.cache.put(name, known);
        }
        drop(locks);
        if let Some(name) = fresh {
            self.prune_some(&name);
        }
        Ok(())
    }

    /// Without a lock: a log is only ever added to, cut back to what is good, or replaced whole. Who reads while it is
    /// cut may see nonsense, so nonsense is looked at again with a lock.
    fn look(&self, spaces: &[Space<'_>]) -> Result<Vec<Arc<Ledger>>, StateError> {
        check_folder(&self.dir)?;
        let look = |space: &Space<'_>| {
            let name = log_name(*space);
            let path = self.dir.join(&name);
            let known = log::look(&path, self.cache.get(&name)).or_else(|_| {
                let _lock = self.lock(&[lock_name(&name)])?;
                log::look(&path, None)
            })?;
            let ledger = Arc::clone(&known.ledger);
            self.cache.put(name, known);
            Ok(ledger)
        };
        spaces.iter().map(look).collect()
    }
}

/// The file of a space. Names of sessions and principals are anything; file names are not, and they are shown in
/// listings and errors.
fn log_name(space: Space<'_>) -> String {
    let (kind, name) = match space {
        Space::All => return "all.log".to_owned(),
        Space::Group(name) => ('g', name),
        Space::Session(id) => ('s', id),
    };
    format!("{kind}-{:.32}.log", tollgate_wire::digest(&Value::from(name)))
}

/// The lock of a file: its kind and the first three digits of its digest, or `all`.
fn lock_name(log: &str) -> String {
    log.split('.').next().and_then(|name| name.get(..5)).unwrap_or("all").to_owned()
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> StateError {
    StateError::new(format!("cannot {verb} `{}`: {error}", path.display()))
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn make_folders(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir.join("locks"))
}

/// A folder that others may write to is no place for what decides about calls.
#[cfg(unix)]
fn check_folder(dir: &Path) -> Result<(), StateError> {
    use std::os::unix::fs::MetadataExt;
    let about = match fs::metadata(dir) {
        // Nothing is remembered yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about.map_err(|error| failed("read", dir, &error))?,
    };
    let strange = ![tollgate_config::user(), 0].contains(&about.uid());
    let dir = dir.display();
    match about.mode() & 0o022 {
        _ if strange => Err(StateError::new(format!("`{dir}` belongs to somebody else; choose another folder"))),
        0 => Ok(()),
        _ => Err(StateError::new(format!("others may write to `{dir}`; `chmod 700 {dir}` and look through it"))),
    }
}

#[cfg(not(unix))]
fn check_folder(_: &Path) -> Result<(), StateError> {
    Ok(())
}

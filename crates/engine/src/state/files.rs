//! A state in files, shared by all processes of a user.
//!
//! ```text
//! <dir>/                0700
//!   all.log             0600   everybody's ledger
//!   s-<digest>.log      0600   one session's; the name says nothing of the session
//!   locks/all, 00 … 1f  0600   locked while a ledger is lent; never removed
//! ```
//!
//! A ledger is a log: each loan that changed something appends one line with a checksum (`log`). A process that
//! is killed leaves at worst half a line at the end, which the next one cuts off. When a log has grown long, it is
//! written anew beside itself and takes its own place by a rename.
//!
//! Locks are the kernel's (`File::lock`): they end with the process, so none is ever stale. They are on files of
//! their own, a fixed number, so that logs can be replaced and removed while others wait.
//!
//! Nothing is forced to disk: what a killed process wrote is kept, and after a power failure the last moments may
//! be missing, like the calls themselves.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Ledger, Space, State, StateError, Work};

mod log;

/// Over how many locks the sessions are spread.
const LOCKS: u8 = 32;
/// How long to wait for another process. It holds a lock for less than a millisecond, unless it was stopped.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many sessions are kept, and how long one that is quiet.
const MAX_SESSIONS: usize = 1000;
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

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
}

impl Files {
    /// A state in this folder, which is made when something is first remembered.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), patience: PATIENCE }
    }

    /// The same with another patience for locks that others hold.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Forgets sessions that were quiet for long, and the oldest where there are too many. Done by itself whenever
    /// a session is new; says how many went.
    pub fn prune(&self) -> Result<usize, StateError> {
        let mut sessions = self.sessions().map_err(|error| failed("read", &self.dir, &error))?;
        sessions.sort_unstable();
        let over = sessions.len().saturating_sub(MAX_SESSIONS);
        let old = |age: Duration| age > MAX_AGE;
        let aged = |time: &std::time::SystemTime| time.elapsed().is_ok_and(old);
        let doomed = sessions.iter().enumerate().filter(|(index, (time, _))| *index < over || aged(time));
        Ok(doomed.filter(|(_, (_, name))| self.remove(name).is_ok_and(|gone| gone)).count())
    }

    fn sessions(&self) -> io::Result<Vec<(std::time::SystemTime, String)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if let Some(name) = entry.file_name().to_str().filter(|name| name.starts_with("s-")) {
                // Somebody else may have removed it meanwhile.
                found
                    .extend(entry.metadata().and_then(|data| data.modified()).ok().map(|time| (time, name.to_owned())));
            }
        }
        Ok(found)
    }

    /// Removes a session's files unless somebody is using it.
    fn remove(&self, file: &str) -> Result<bool, StateError> {
        let name = file.trim_start_matches("s-").split('.').next().unwrap_or_default();
        let lock = self.open_lock(&stripe(name))?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        let path = self.dir.join(file);
        fs::remove_file(&path).map(|()| true).map_err(|error| failed("remove", &path, &error))
    }

    fn open_lock(&self, name: &str) -> Result<File, StateError> {
        let path = self.dir.join("locks").join(name);
        let open = || private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
        let file = open().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => make_folders(&self.dir).and_then(|()| open()),
            _ => Err(error),
        });
        file.map_err(|error| failed("open", &path, &error))
    }

    /// Waits for the lock, though not for ever: a process that was stopped would stop all agents.
    fn lock(&self, name: &str) -> Result<File, StateError> {
        let file = self.open_lock(name)?;
        let deadline = Instant::now() + self.patience;
        let mut pause = Duration::from_micros(100);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed("lock", &self.dir.join(name), &error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    let (path, patience) = (self.dir.join("locks").join(name), self.patience);
                    let help = format!("`fuser {}` shows which; end it, then try again", path.display());
                    return Err(StateError::new(format!(
                        "another process keeps the state locked for {patience:?}; {help}"
                    )));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    fn path(&self, space: Space<'_>) -> PathBuf {
        match space {
            Space::All => self.dir.join("all.log"),
            Space::Session(id) => self.dir.join(format!("s-{}.log", file_name(id))),
        }
    }
}

impl State for Files {
    fn lend(&self, spaces: &[Space<'_>], work: &mut Work<'_>) -> Result<(), StateError> {
        let mut names: Vec<String> = spaces.iter().map(|space| lock_name(*space)).collect();
        // Always in the same order, so that no two wait for each other.
        names.sort_unstable();
        names.dedup();
        let locks: Vec<File> = names.iter().map(|name| self.lock(name)).collect::<Result<_, _>>()?;
        check_folder(&self.dir)?;
        let mut logs = Vec::new();
        let mut ledgers = Vec::new();
        for space in spaces {
            let (log, ledger) = log::open(self.path(*space))?;
            logs.push(log);
            ledgers.push(ledger);
        }
        work(&mut ledgers)?;
        let mut fresh = false;
        for ((log, ledger), space) in logs.into_iter().zip(&mut ledgers).zip(spaces) {
            fresh |= log.keep(ledger)? && *space != Space::All;
        }
        drop(locks);
        if fresh {
            // Nothing depends on it, and the next new session tries again.
            let _ = self.prune();
        }
        Ok(())
    }

    /// Without a lock: a log is only ever added to, cut back to what is good, or replaced whole. Who reads while it is
    /// cut may see nonsense, so nonsense is looked at again with a lock.
    fn copies(&self, spaces: &[Space<'_>]) -> Result<Vec<Ledger>, StateError> {
        check_folder(&self.dir)?;
        let copy = |space: &Space<'_>| {
            let path = self.path(*space);
            log::read(&path).or_else(|_| {
                let _lock = self.lock(&lock_name(*space))?;
                log::read(&path)
            })
        };
        spaces.iter().map(copy).collect()
    }
}

/// Session ids are anything; file names are not, and they are shown in listings and errors.
fn file_name(session: &str) -> String {
    format!("{:.32}", tollgate_wire::digest(&Value::from(session)))
}

fn lock_name(space: Space<'_>) -> String {
    match space {
        Space::All => "all".to_owned(),
        Space::Session(id) => stripe(&file_name(id)),
    }
}

fn stripe(file_name: &str) -> String {
    let first = file_name.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    format!("{:02x}", first.unwrap_or_default() % LOCKS)
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

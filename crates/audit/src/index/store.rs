//! The file of the index, and what may be wrong with it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{AuditError, files};

/// Raised whenever something else is kept, or kept otherwise.
const VERSION: i64 = 3;
/// How long to wait for another process. What it does takes less than a second at a time.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
    -- How far the log was read; at most one row.
    CREATE TABLE state (
        first INTEGER NOT NULL,
        last_segment INTEGER NOT NULL, last_offset INTEGER NOT NULL, last_hash BLOB NOT NULL,
        go_segment INTEGER NOT NULL, go_offset INTEGER NOT NULL, go_seq INTEGER NOT NULL, go_time INTEGER NOT NULL
    );
    CREATE TABLE blocks (
        block INTEGER PRIMARY KEY,
        first INTEGER NOT NULL, last INTEGER NOT NULL, last_time INTEGER NOT NULL, unreadable INTEGER NOT NULL,
        summary TEXT NOT NULL, times BLOB NOT NULL, offsets BLOB NOT NULL
    );
    CREATE INDEX blocks_by_time ON blocks (last_time);
    CREATE TABLE names (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (kind, text));
    -- In which places of a block a name stands.
    CREATE TABLE places (block INTEGER, name INTEGER, bits BLOB NOT NULL, PRIMARY KEY (block, name)) WITHOUT ROWID;
    -- Calls that have begun and not ended.
    CREATE TABLE open (seq INTEGER PRIMARY KEY, call INTEGER);
    CREATE INDEX open_by_call ON open (call);
";

/// Why something did not work.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Nothing that the file says can be relied on.
    Damaged(String),
    /// The file may be right, but it cannot be used now.
    Unusable(String),
    /// It is about the log.
    Log(AuditError),
}

impl From<AuditError> for Trouble {
    fn from(error: AuditError) -> Self {
        Self::Log(error)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        use ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
                Self::Unusable("another process keeps it locked; end that one, then try again".to_owned())
            }
            Some(Code::DiskFull) => Self::Unusable(format!("{error}; make room, then try again")),
            Some(
                Code::PermissionDenied | Code::ReadOnly | Code::CannotOpen | Code::AuthorizationForStatementDenied,
            ) => Self::Unusable(format!("{error}; look at who owns it and its folder")),
            Some(Code::SystemIoFailure | Code::OutOfMemory | Code::FileLockingProtocolFailed) => {
                Self::Unusable(error.to_string())
            }
            _ => Self::Damaged(error.to_string()),
        }
    }
}

/// Opens the file. One that is damaged or of another version is thrown away; nothing is lost with it.
pub(super) fn open(file: &Path) -> Result<Connection, AuditError> {
    let _alone = alone(file)?;
    match connect(file) {
        Err(Trouble::Damaged(_)) => {
            remove(file)?;
            connect(file).map_err(|trouble| told(file, trouble))
        }
        opened => opened.map_err(|trouble| told(file, trouble)),
    }
}

/// Throws a damaged file away. Those who have it open keep what they have, until they close it.
pub(super) fn throw_away(file: &Path) -> Result<(), AuditError> {
    let _alone = alone(file)?;
    remove(file)
}

/// What somebody can be told who can do nothing about it here.
pub(super) fn told(file: &Path, trouble: Trouble) -> AuditError {
    let file = file.display();
    match trouble {
        Trouble::Log(error) => error,
        Trouble::Unusable(why) => AuditError::new(format!("cannot use the index `{file}`: {why}")),
        Trouble::Damaged(why) => {
            AuditError::new(format!("the index `{file}` is damaged ({why}); remove it, it is made anew from the log"))
        }
    }
}

/// Nobody else opens or removes the file as long as this lives: SQLite cannot see that a file has been replaced
/// between opening it and opening those beside it.
fn alone(file: &Path) -> Result<File, AuditError> {
    if let Some(dir) = file.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        files::make_folder(dir)?;
    }
    let path = beside(file, "-lock");
    let lock = files::private(OpenOptions::new().write(true).create(true).truncate(false))
        .open(&path)
        .map_err(|error| AuditError::io("open", &path, &error))?;
    files::lock(&lock, &path, PATIENCE)?;
    Ok(lock)
}

fn connect(file: &Path) -> Result<Connection, Trouble> {
    make(file)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // What was removed from the log must not stay behind in free pages.
    connection.execute_batch("PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL;")?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (version, tables) {
        (VERSION, _) => connection.prepare("SELECT 1 FROM state, blocks, names, places, open").map(drop)?,
        (0, 0) => connection.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))?,
        _ => return Err(Trouble::Damaged(format!("it is of version {version}"))),
    }
    Ok(connection)
}

/// Makes the file, for its owner only. SQLite makes those beside it likewise.
fn make(file: &Path) -> Result<(), AuditError> {
    // Opening one that is there, and closing it, would take away the locks that SQLite holds on it in this process.
    match files::private(OpenOptions::new().write(true).create_new(true)).open(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => keep_private(file),
        made => made.map(drop),
    }
    .map_err(|error| AuditError::io("open", file, &error))
}

#[cfg(unix)]
fn keep_private(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    match fs::metadata(file)?.mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(file, fs::Permissions::from_mode(0o600)),
    }
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> io::Result<()> {
    Ok(())
}

fn remove(file: &Path) -> Result<(), AuditError> {
    for path in [file.to_owned(), beside(file, "-wal"), beside(file, "-shm")] {
        files::if_there(fs::remove_file(&path)).map_err(|error| AuditError::io("remove", &path, &error))?;
    }
    Ok(())
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    PathBuf::from(name)
}

/// SQLite knows no numbers beyond this; no log does.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

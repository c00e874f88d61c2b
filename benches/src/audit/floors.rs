//! The same bytes without a chain: plain writes, and rows of a database.

use std::fs::{File, OpenOptions};
use std::io::Write;

use rusqlite::Connection;

use super::Folder;
use crate::cases::Trouble;

/// A file that is added to.
pub(super) fn file(folder: &Folder, name: &str) -> Result<File, Trouble> {
    Ok(OpenOptions::new().create(true).append(true).open(folder.0.join(name))?)
}

/// Writes, one write for each piece.
pub(super) fn write(file: &mut File, bytes: &[u8], pieces: u64, sync: bool) -> bool {
    (0..pieces).all(|_| file.write_all(bytes).is_ok() && (!sync || file.sync_data().is_ok()))
}

/// A table with a line and what stands beside it.
pub(super) fn database(folder: &Folder) -> Result<Connection, Trouble> {
    let database = Connection::open(folder.0.join("rows.db"))?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.execute_batch("CREATE TABLE IF NOT EXISTS records (seq INTEGER PRIMARY KEY, line TEXT, fields TEXT)")?;
    Ok(database)
}

/// Inserts rows, each in a transaction of its own.
pub(super) fn insert(database: &Connection, line: &str, fields: &str, rows: u64) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO records (line, fields) VALUES (?1, ?2)")?;
    (0..rows).try_for_each(|_| insert.execute((line, fields)).map(drop))
}

//! Finding records by session, tool, rule and time, and counting them.
//!
//! The log is the truth; the index is a file beside it that is caught up when somebody asks, and can be removed at any
//! time. It holds nothing of a field, so nothing in it outlives an erasure.
//!
//! ```text
//!  Reader ──► catch_up ──► Block      4096 records: where each stands, and when it was written;
//!                           │         for each name, in which of them it stands; a Summary
//!                           ▼
//!                         SQLite ──► find     sets of places, cut with one another, the newest block first
//!                                └─► stats    summaries, joined; at both ends, the records themselves
//! ```

mod bits;
mod block;
mod catch_up;
mod find;
mod row;
mod state;
mod stats;
mod store;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction};

pub use self::stats::Stats;
pub use self::summary::{Counts, Interceptor};

use self::bits::BLOCK;
use self::catch_up::Turn;
use self::state::Place;
use self::store::{Trouble, signed};
use crate::{AuditError, Query, Reader};

/// Finds records, and counts them, without reading the log from end to end.
///
/// Several processes may use the same file. Answers are about what was there at the last [`Index::catch_up`], of
/// whichever process. An answer that finds the file damaged removes it and fails: open it again.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tollgate_audit::{Draft, Index, Log, Query, Settings};
/// # use tollgate_testkit::ManualClock as SystemClock;
///
/// # let dir = std::env::temp_dir().join(format!("tollgate-doc-index-{}", std::process::id()));
/// let log = Log::open(&dir.join("audit"), &dir.join("keys"), Settings::default(), Arc::new(SystemClock::default()))?;
/// let mut draft = Draft::new("event");
/// draft.member("tool", &json!("Bash"));
/// let seq = log.append(draft)?;
///
/// let mut index = Index::open(&dir.join("index.db"), log.dir())?;
/// index.catch_up(&mut |_, _| {})?;
/// let bash = Query { tool: Some("bash".into()), ..Query::default() };
/// assert_eq!(index.find(&bash, None, 10)?, [seq]);
/// # std::fs::remove_dir_all(dir).ok();
/// # Ok::<(), tollgate_audit::AuditError>(())
/// ```
pub struct Index {
    file: PathBuf,
    reader: Reader,
    connection: Connection,
}

impl Index {
    /// Opens the index in a file, made if it is missing, for the log in a folder. A file that is damaged, of another
    /// version or about another log is thrown away and begun anew.
    pub fn open(file: &Path, log_dir: &Path) -> Result<Self, AuditError> {
        let connection = store::open(file)?;
        let mut index = Self { file: file.to_owned(), reader: Reader::new(log_dir), connection };
        index.mended(catch_up::settle)?;
        Ok(index)
    }

    /// Reads what was appended since. Tells now and then how many bytes of the log are done, and how many there are.
    pub fn catch_up(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<(), AuditError> {
        loop {
            let turn = self.mended(catch_up::turn)?;
            let (done, all) = self.done(&turn)?;
            progress(done, all);
            if matches!(turn, Turn::Done) {
                return Ok(());
            }
        }
    }

    /// The numbers of the records that fit, the newest first: only those before `before`, and at most `limit`.
    pub fn find(&self, query: &Query, before: Option<u64>, limit: usize) -> Result<Vec<u64>, AuditError> {
        let mut found = Vec::new();
        self.asked(|transaction| {
            find::each(transaction, query, before, |start, bits| {
                found.extend(bits.down().take(limit - found.len()).map(|place| start + place));
                found.len() < limit
            })
        })?;
        Ok(found)
    }

    /// How many records fit.
    pub fn count(&self, query: &Query) -> Result<u64, AuditError> {
        let mut count = 0;
        self.asked(|transaction| {
            find::each(transaction, query, None, |_, bits| {
                count += bits.count();
                true
            })
        })?;
        Ok(count)
    }

    /// What happened: not before one moment and before the other, both since 1970.
    pub fn stats(&self, since: Option<Duration>, until: Option<Duration>) -> Result<Stats, AuditError> {
        self.asked(|transaction| stats::stats(transaction, &self.reader, since, until))
    }

    /// Where a record stands: the first record of its segment, and the offset of its line there. None if there is none
    /// with this number.
    pub fn place(&self, seq: u64) -> Result<Option<(u64, u64)>, AuditError> {
        self.asked(|transaction| Self::look_up(transaction, &self.reader, seq))
    }

    fn look_up(connection: &Connection, reader: &Reader, seq: u64) -> Result<Option<(u64, u64)>, Trouble> {
        let sql = "SELECT substr(offsets, ?3 * 8 + 1, 8) FROM blocks WHERE block = ?1 AND first <= ?2 AND last >= ?2";
        let mut find = connection.prepare(sql)?;
        let mut rows = find.query([signed(seq / BLOCK), signed(seq), signed(seq % BLOCK)])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let offset = u64::from_le_bytes(row.get(0)?);
        // A segment is named after its first record.
        let segments = reader.segments()?;
        let after = segments.partition_point(|segment| segment.first <= seq);
        Ok(after.checked_sub(1).map(|at| (segments[at].first, offset)))
    }

    /// Does something that may find the file damaged. Then it is thrown away, and the same is done with a new one.
    fn mended<T>(&mut self, act: impl Fn(&mut Connection, &Reader) -> Result<T, Trouble>) -> Result<T, AuditError> {
        match act(&mut self.connection, &self.reader) {
            Err(Trouble::Damaged(_)) => {
                store::throw_away(&self.file)?;
                self.connection = store::open(&self.file)?;
                act(&mut self.connection, &self.reader).map_err(|trouble| store::told(&self.file, trouble))
            }
            done => done.map_err(|trouble| store::told(&self.file, trouble)),
        }
    }

    /// Answers a question from one state of the file, whatever others write meanwhile.
    fn asked<T>(&self, ask: impl FnOnce(&Transaction<'_>) -> Result<T, Trouble>) -> Result<T, AuditError> {
        let answer = self.connection.unchecked_transaction().map_err(Trouble::from).and_then(|all| ask(&all));
        answer.map_err(|trouble| match trouble {
            Trouble::Damaged(why) => self.give_up(&why),
            trouble => store::told(&self.file, trouble),
        })
    }

    /// Making it anew may take long, and is for whoever catches up.
    fn give_up(&self, why: &str) -> AuditError {
        let file = self.file.display();
        match store::throw_away(&self.file) {
            Ok(()) => AuditError::new(format!("the index `{file}` was damaged ({why}) and was removed; ask again")),
            Err(error) => error,
        }
    }

    fn done(&self, turn: &Turn) -> Result<(u64, u64), AuditError> {
        let (mut done, mut all) = (0, 0);
        for segment in self.reader.segments()? {
            // One that was removed meanwhile has no length.
            let length = fs::metadata(segment.log()).map_or(0, |about| about.len());
            all += length;
            done += match turn {
                Turn::More(Place { segment: at, .. }) if segment.first > *at => 0,
                Turn::More(Place { segment: at, offset }) if segment.first == *at => *offset,
                _ => length,
            };
        }
        Ok((done, all))
    }
}

/// A moment as it is kept.
fn micros(moment: Duration) -> u64 {
    u64::try_from(moment.as_micros()).unwrap_or(u64::MAX)
}

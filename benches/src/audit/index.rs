//! Searching a long log: making the index, and asking it.

use std::time::{Duration, Instant};

use tollgate_audit::{Index, Query, Reader};

use super::Folder;
use crate::cases::Trouble;
use crate::harness::{Case, Effort, Row, Sample, measure};

/// A query that is asked, and how many it may find.
const LIMIT: usize = 100;
/// How often each is asked.
const ASKED: Effort = Effort { rounds: 20, turn: Duration::from_nanos(1) };

/// What was measured.
pub struct Indexed {
    /// How many records there are.
    pub records: u64,
    /// How long it took to read them all into a new index.
    pub made: Duration,
    /// Queries: the target is 50 ms each.
    pub asked: Vec<Row>,
}

/// Makes an index of a log, then asks it by session, tool and time, for the newest and the oldest.
///
/// # Errors
/// When the log or the index cannot be read.
pub(super) fn index(folder: &Folder) -> Result<Indexed, Trouble> {
    let file = folder.0.join("index.db");
    let start = Instant::now();
    let mut first = Index::open(&file, &folder.dir())?;
    first.catch_up(&mut |_, _| {})?;
    let made = start.elapsed();
    let records = first.count(&Query::default())?;
    drop(first);
    let newest = Reader::new(&folder.dir()).entries_back()?.next().transpose()?;
    let session = newest.as_ref().and_then(|entry| entry.record.session.clone());
    let at = newest.and_then(|entry| tollgate_audit::moment(&entry.record.time)).unwrap_or_default();
    let queries = [
        ("by session", Query { session, ..Query::default() }),
        ("by session, none there", Query { session: Some("nobody".into()), ..Query::default() }),
        ("by tool", Query { tool: Some("bash".into()), ..Query::default() }),
        ("by tool, none there", Query { tool: Some("Nothing".into()), ..Query::default() }),
        (
            "by time, the last second",
            Query { since: Some(at.saturating_sub(Duration::from_secs(1))), ..Query::default() },
        ),
        (
            "by tool, act and time",
            Query {
                tool: Some("Write".into()),
                act: Some("deny".into()),
                since: Some(at.saturating_sub(Duration::from_secs(1))),
                ..Query::default()
            },
        ),
    ];
    let mut cases = Vec::new();
    for (what, query) in queries {
        let index = Index::open(&file, &folder.dir())?;
        index.find(&query, None, LIMIT)?;
        let ask = move |runs: u64| {
            let start = Instant::now();
            let found = (0..runs).all(|_| index.find(&query, None, LIMIT).is_ok());
            Sample { took: if found { start.elapsed() } else { Duration::MAX }, allocations: 0 }
        };
        cases.push(Case { what, floor: None, batch: Box::new(ask) });
    }
    Ok(Indexed { records, made, asked: measure(cases, ASKED) })
}

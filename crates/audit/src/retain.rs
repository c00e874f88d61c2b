//! Letting go of what is old, so that what is left can still be proved.

use std::fs;

use serde_json::Value;

use crate::read::Forward;
use crate::segment::Segment;
use crate::{AuditError, Draft, Log, Record};

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Up to which record.
    pub through: u64,
    /// How many files of the log.
    pub segments: usize,
    /// The record that says so.
    pub noted: u64,
}

/// Removes the segments in which every record is older than a moment, written as [`stamp`](crate::stamp()) does. The
/// newest one always stays. None if nothing is that old.
///
/// First the log says so, then the files go, the oldest first. The first record of what is left is a signed checkpoint,
/// which vouches for how many there were.
pub fn retain(log: &Log, since: &str) -> Result<Option<Removed>, AuditError> {
    let segments = Segment::all(log.dir())?;
    let mut old: Vec<&Segment> = Vec::new();
    let mut after = None;
    for pair in segments.windows(2) {
        let Some(next) = first_record(&pair[1])?.filter(|next| next.time.as_str() <= since) else { break };
        old.push(&pair[0]);
        after = Some(next);
    }
    let Some(next) = after else { return Ok(None) };
    let mut draft = Draft::new("retention");
    draft.member("through", &Value::from(next.seq - 1));
    draft.member("head", &Value::from(next.prev));
    let noted = log.append(draft)?;
    for segment in &old {
        for path in [segment.log(), segment.fields()] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(AuditError::io("remove", &path, &error));
                }
                _ => {}
            }
        }
    }
    Ok(Some(Removed { through: next.seq - 1, segments: old.len(), noted }))
}

/// The first record of a segment; none while it has none.
fn first_record(segment: &Segment) -> Result<Option<Record>, AuditError> {
    let line = Forward::open(segment.log(), segment.first, 0)?.and_then(|mut lines| lines.next()).transpose()?;
    line.map(|line| line.record()).transpose()
}

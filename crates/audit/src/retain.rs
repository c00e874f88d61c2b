//! Letting go of what is old, so that what is left can still be proved.

use std::path::Path;
use std::{fs, io};

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
/// which vouches for how many there were. What an interrupted removal left behind goes too.
pub fn retain(log: &Log, since: &str) -> Result<Option<Removed>, AuditError> {
    let segments = Segment::all(log.dir())?;
    if let Some(oldest) = segments.first() {
        remove_leftovers(log.dir(), oldest.first)?;
    }
    let mut old: Vec<&Segment> = Vec::new();
    let mut after = None;
    for pair in segments.windows(2) {
        let Some(next) = first_record(&pair[1])?.filter(|next| next.time.as_str() <= since) else { break };
        old.push(&pair[0]);
        after = Some(next);
    }
    let Some(next) = after else { return Ok(None) };
    let mut draft = Draft::new("retention");
    draft.member("through", &Value::from(next.seq.saturating_sub(1)));
    draft.member("head", &Value::from(next.prev));
    let noted = log.append(draft)?;
    for segment in &old {
        remove(&segment.log())?;
        remove(&segment.fields())?;
    }
    Ok(Some(Removed { through: next.seq.saturating_sub(1), segments: old.len(), noted }))
}

fn remove(path: &Path) -> Result<(), AuditError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(AuditError::io("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Removes fields whose records are gone. Only before the oldest segment: elsewhere a writer may be about to begin one,
/// and writes fields first.
fn remove_leftovers(dir: &Path, oldest: u64) -> Result<(), AuditError> {
    let failed = |error: &io::Error| AuditError::io("read", dir, error);
    for entry in fs::read_dir(dir).map_err(|error| failed(&error))? {
        let name = entry.map_err(|error| failed(&error))?.file_name();
        let digits = name.to_str().and_then(|name| name.strip_suffix(".fields")).filter(|digits| digits.len() == 12);
        let first = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if first.and_then(|first| first.parse().ok()).is_some_and(|first: u64| first < oldest) {
            remove(&dir.join(&name))?;
        }
    }
    Ok(())
}

/// The first record of a segment; none while it has none.
fn first_record(segment: &Segment) -> Result<Option<Record>, AuditError> {
    let line = Forward::open(segment.log(), segment.first, 0)?.and_then(|mut lines| lines.next()).transpose()?;
    line.map(|line| line.record()).transpose()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollgate_testkit::ManualClock;

    use super::*;
    use crate::{Settings, stamp};

    #[test]
    fn fields_that_an_interrupted_removal_left_behind_are_removed() {
        let root = std::env::temp_dir().join(format!("tollgate-leftover-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let settings = Settings { segment: 500, ..Settings::default() };
        let log = Log::open(&root.join("log"), &root.join("keys"), settings, Arc::new(ManualClock::default())).unwrap();
        for _ in 0..9 {
            let mut draft = Draft::new("event");
            draft.field("cwd", Value::from("/work")).unwrap();
            log.append(draft).unwrap();
        }
        let segments = Segment::all(log.dir()).unwrap();
        assert!(segments.len() > 2, "{}", segments.len());
        fs::remove_file(segments[0].log()).unwrap();
        // A writer is about to begin this one.
        let next = Segment::new(log.dir(), 999).fields();
        fs::write(&next, "").unwrap();
        assert_eq!(retain(&log, &stamp(std::time::Duration::ZERO)).unwrap(), None);
        assert!(!segments[0].fields().exists());
        assert!(segments[1].fields().exists() && next.exists());
        fs::remove_dir_all(&root).unwrap();
    }
}

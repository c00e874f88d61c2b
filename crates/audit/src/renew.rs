//! Beginning again, without hiding what was before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::lock::Lock;
use crate::segment::Segment;
use crate::{AuditError, Draft, Head, Log, Reader, files};

/// How long to wait for whoever appends.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kind of record that names the log before.
pub(crate) const KIND: &str = "follows";

/// Puts a log aside, whole, into a folder within its own, whose name is given back. The next record begins a new log;
/// [`follow`] makes its first words name the old one.
///
/// For a log whose key is lost, or whose damage was looked into and need not be shown for ever.
pub fn set_aside(dir: &Path, name: &str) -> Result<(PathBuf, Option<Head>), AuditError> {
    let there = dir.join(name);
    files::make_folder(dir)?;
    let mut lock = Lock::open(dir)?;
    let _locked = lock.hold(PATIENCE)?;
    fs::create_dir(&there).map_err(|error| AuditError::io("make", &there, &error))?;
    let head = fs::read(dir.join("head")).ok().and_then(|text| Head::parse(&text));
    let segments = Segment::all(dir)?;
    // The head last: as long as it is here, whoever appends sees that there was a log.
    let paths = segments.iter().flat_map(|segment| [segment.fields(), segment.log()]).chain([dir.join("head")]);
    for path in paths.filter(|path| path.exists()) {
        let Some(name) = path.file_name() else { continue };
        fs::rename(&path, there.join(name)).map_err(|error| AuditError::io("move", &path, &error))?;
    }
    Ok((there, head))
}

/// Makes a new log name the one before it, once. Others may have appended already; it is among the first in any case.
pub fn follow(log: &Log, head: &Head) -> Result<u64, AuditError> {
    for line in Reader::new(log.dir()).lines_from(0, 0)? {
        if line?.record()?.kind == KIND {
            return Err(AuditError::new("this log follows another one already"));
        }
    }
    let mut draft = Draft::new(KIND);
    let signed: Value = head.to_json();
    draft.member("signed", &signed);
    log.append(draft)
}

//! Beginning again, without hiding what was before.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::segment::Segment;
use crate::{AuditError, Draft, Head, Log, files};

/// Puts a log aside, whole, into a folder within its own, whose name is given back. The next record begins a new log;
/// [`follow`] makes its first words name the old one.
///
/// For a log whose key is lost, or whose damage was looked into and need not be shown for ever.
pub fn set_aside(dir: &Path, name: &str) -> Result<(PathBuf, Option<Head>), AuditError> {
    let there = dir.join(name);
    let lock_path = dir.join("lock");
    files::make_folder(dir)?;
    let lock = files::private(fs::OpenOptions::new().write(true).create(true).truncate(false)).open(&lock_path);
    let lock = lock.map_err(|error| AuditError::io("open", &lock_path, &error))?;
    files::lock(&lock, &lock_path, std::time::Duration::from_secs(5))?;
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

/// Makes a new log name the one before it. Only the first words of a log can do that.
pub fn follow(log: &Log, head: &Head) -> Result<u64, AuditError> {
    if log.head()?.is_some_and(|own| own.count > 0) {
        return Err(AuditError::new("only a log with nothing in it can follow another one"));
    }
    let mut draft = Draft::new("follows");
    let signed: Value = head.to_json();
    draft.member("signed", &signed);
    log.append(draft)
}

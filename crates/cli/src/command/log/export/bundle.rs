//! A copy of a log that others can check.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tollgate_audit::Head;
use tollgate_core::Digest;

use super::super::place::{KEY_FILE, Place, shown};
use super::super::{count, json};
use super::file::aside;
use crate::command::{Done, Failure};
use crate::output::{print, wrap};

pub(super) fn run(place: &Place, folder: &Path, as_json: bool) -> Done {
    let taken = || format!("there is a `{}`; a bundle goes into a new folder", shown(folder));
    if folder.symlink_metadata().is_ok() {
        return Err(taken().into());
    }
    let copy = Copy::begin(folder)?;
    let (head, segments) = copy.log(place)?;
    let key = place.public_key(None)?.map_or(head.key, |key| key.bytes);
    let key = Digest(key).to_string();
    copy.write(KEY_FILE, format!("{key}\n").as_bytes())?;
    copy.keep(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => taken(),
        _ => format!("cannot write `{}`: {error}", shown(folder)),
    })?;
    if as_json {
        json::print(&json!({ "ok": true, "dir": folder, "segments": segments, "signed": head.count, "key": key }))?;
    } else {
        let files = count(segments, "file");
        let note = "The key in it travels with the log. To prove something, give whoever checks it the key of \
                    `tollgate log key` on another way, for `--key`.";
        print(&format!(
            "copied {files} of records to {dir}\n  check it: tollgate log verify --dir {dir}\n{}\n",
            wrap(note, 0, 80),
            dir = shown(folder)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A folder under another name, and gone again unless it is kept.
struct Copy(PathBuf);

impl Copy {
    fn begin(folder: &Path) -> Result<Self, Failure> {
        let name = aside(folder)?;
        let made = DirBuilder::new().mode(0o700).create(&name);
        made.map_err(|error| format!("cannot make `{}`: {error}", shown(folder)))?;
        Ok(Self(name))
    }

    fn keep(&self, folder: &Path) -> io::Result<()> {
        fs::rename(&self.0, folder)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(self.0.join(name));
        let written = file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        written.map_err(|error| format!("cannot write `{name}`: {error}").into())
    }

    /// Copies a log that others may be appending to: the head first and fields last, so that whatever a head speaks of
    /// is there, and whatever a record speaks of.
    fn log(&self, place: &Place) -> Result<(Head, u64), Failure> {
        let (head, bytes) = steady_head(place)?;
        let segments = place.reader().segments()?;
        for segment in &segments {
            for (path, needed) in [(segment.log(), true), (segment.fields(), false)] {
                self.lines(&path, needed)?;
            }
        }
        self.write("head", &bytes)?;
        Ok((head, segments.len() as u64))
    }

    /// Copies the whole lines of a file.
    fn lines(&self, path: &Path, needed: bool) -> Result<(), Failure> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut from = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && !needed => return Ok(()),
            opened => opened.map_err(|error| format!("cannot read `{}`: {error}; try again", shown(path)))?,
        };
        self.write(&name, b"")?;
        let to = OpenOptions::new().read(true).write(true).open(self.0.join(&name));
        let copied = to.and_then(|mut to| {
            io::copy(&mut from, &mut to)?;
            drop_unfinished(&mut to)?;
            to.sync_all()
        });
        copied.map_err(|error| format!("cannot copy `{}`: {error}", shown(path)).into())
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // Once it was kept there is nothing of this name.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The newest head, and how it is written. One that is just being written is read again.
fn steady_head(place: &Place) -> Result<(Head, Vec<u8>), Failure> {
    for _ in 0..50 {
        let bytes = fs::read(place.dir.join("head")).unwrap_or_default();
        if let Some(head) = Head::parse(&bytes).filter(Head::is_genuine) {
            return Ok((head, bytes));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let dir = shown(&place.dir);
    Err(format!("the file `head` in `{dir}` is missing or wrong; run `tollgate log verify`").into())
}

/// Cuts off a last line that was just being written.
fn drop_unfinished(file: &mut File) -> io::Result<()> {
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(4096);
        file.seek(SeekFrom::Start(start))?;
        let mut block = vec![0; usize::try_from(end - start).unwrap_or(0)];
        file.read_exact(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return file.set_len(start + at as u64 + 1);
        }
        end = start;
    }
    file.set_len(0)
}

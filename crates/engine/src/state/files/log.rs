//! The log of one ledger.
//!
//! ```text
//! tollgate state 2 0123456789abcdef
//! 9f8e7d6c5b4a3f2e {"counter/writes":{"spent":3.0,"at":1700000000000},"held/call-2":null}
//! ```
//!
//! A line holds new values by key, null where the key goes, and before them a checksum. Bad lines at the end were
//! never finished and are ignored; a bad line before a good one means that somebody else wrote here.
//!
//! A log is only ever added to, cut back to what is good, or replaced whole, and then it has another number in its first
//! line. So whoever has read one need not read it again: if the number is the same and the last line still stands where it
//! stood, all before that is known, and only what was added is read. The number of the file itself would not do: that of
//! one that was replaced is given to another, whose lines may look the same.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::ledger::Changes;
use super::super::{Ledger, StateError};
use super::{failed, private};

const PREFIX: &str = "tollgate state 2 ";
/// How long the first line is: the prefix, and a number that no other log had.
const HEADER: usize = PREFIX.len() + SUM + 1;
/// How long the checksum of a line is.
const SUM: usize = 16;
/// A log shorter than this is never written anew.
const SMALL: usize = 16 * 1024;

/// What a log held when it was last read or written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    pub(super) ledger: Arc<Ledger>,
    /// The number of the log, in digits.
    number: [u8; SUM],
    /// Up to where it is good.
    good: usize,
    /// How long its first line is: everything there was when it was last written anew.
    first: usize,
    /// Where its last good line begins, and that line's checksum.
    last: (usize, [u8; SUM]),
}

/// A log that is locked.
pub(super) struct Log {
    path: PathBuf,
    /// None if it does not exist yet.
    file: Option<File>,
    length: u64,
    /// Without its ledger, which is lent.
    known: Known,
}

impl Log {
    /// Opens a log, and says what it holds.
    pub(super) fn open(path: PathBuf, known: Option<Known>) -> Result<(Self, Ledger), StateError> {
        let (file, length, mut known) = read(&path, OpenOptions::new().read(true).write(true), known)?;
        let ledger = Arc::unwrap_or_clone(std::mem::take(&mut known.ledger));
        Ok((Self { path, file, length, known }, ledger))
    }

    /// Keeps what was changed. Says what the log holds then, and whether it is new.
    pub(super) fn keep(mut self, mut ledger: Ledger) -> Result<(Known, bool), StateError> {
        let fresh = self.known.good == 0;
        if !ledger.drop_idle_changes() {
            return Ok((Known { ledger: Arc::new(ledger), ..self.known }, false));
        }
        let line = line(&ledger.settle())?;
        if self.known.good + line.len() > SMALL + 2 * self.known.first {
            self.write_anew(&ledger)?;
        } else {
            self.append(&line).map_err(|error| failed("write", &self.path, &error))?;
        }
        Ok((Known { ledger: Arc::new(ledger), ..self.known }, fresh))
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let good = self.known.good as u64;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(private(OpenOptions::new().write(true).create(true).truncate(false)).open(&self.path)?),
        };
        if self.length > good {
            // What a killed process left behind must not stand before what comes now.
            file.set_len(good)?;
        }
        file.seek(SeekFrom::Start(good))?;
        let head = if good == 0 { self.known.begin() } else { Vec::new() };
        let written = file.write_all(&[&head, line].concat());
        if written.is_err() {
            // A full disk: rather nothing than half.
            file.set_len(good)?;
            self.known.good -= head.len();
            return written;
        }
        self.known.follow_line(line);
        Ok(())
    }

    fn write_anew(&mut self, ledger: &Ledger) -> Result<(), StateError> {
        let line = line(&ledger.snapshot())?;
        let beside = self.path.with_extension("new");
        let mut write = || {
            let mut file: File = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&beside)?;
            self.known = Known::default();
            file.write_all(&[&self.known.begin(), &line[..]].concat())?;
            // The old log must not be gone before the new one is there.
            file.sync_all()?;
            self.known.follow_line(&line);
            fs::rename(&beside, &self.path)
        };
        write().map_err(|error| failed("write", &beside, &error))
    }
}

/// What a log holds now, for looking only.
pub(super) fn look(path: &Path, known: Option<Known>) -> Result<Known, StateError> {
    read(path, OpenOptions::new().read(true), known).map(|(_, _, known)| known)
}

/// Opens a log, if it exists, and reads what is not known yet. Also says how long it is.
fn read(path: &Path, how: &OpenOptions, known: Option<Known>) -> Result<(Option<File>, u64, Known), StateError> {
    let mut file = match how.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, 0, Known::default())),
        Err(error) => return Err(failed("read", path, &error)),
    };
    let (mut known, news) = read_news(&mut file, known).map_err(|error| failed("read", path, &error))?;
    let length = (known.good + news.len()) as u64;
    known.follow(&news).map_err(|why| {
        let path = path.display();
        StateError::new(format!("`{path}` {why}; limits start anew if you remove it: `rm {path}`"))
    })?;
    Ok((Some(file), length, known))
}

/// What of that which was known still holds, and all that stands behind it.
fn read_news(file: &mut File, known: Option<Known>) -> io::Result<(Known, Vec<u8>)> {
    let about = file.metadata()?;
    let known = match known {
        Some(known) if known.still_holds(file, &about)? => known,
        _ => Known::default(),
    };
    let mut news = Vec::new();
    if about.len() > known.good as u64 {
        file.seek(SeekFrom::Start(known.good as u64))?;
        file.read_to_end(&mut news)?;
    }
    Ok((known, news))
}

impl Known {
    /// How much it is, roughly.
    pub(super) fn size(&self) -> usize {
        self.good
    }

    #[cfg(test)]
    pub(super) fn of_size(good: usize) -> Self {
        Self { good, ..Self::default() }
    }

    /// Begins a log with a number of its own, and gives the first line.
    fn begin(&mut self) -> Vec<u8> {
        let number = RandomState::new().build_hasher().finish();
        let line = format!("{PREFIX}{number:016x}\n").into_bytes();
        self.begun(&line);
        line
    }

    /// Goes on behind the first line.
    fn begun(&mut self, line: &[u8]) {
        self.number = line.get(PREFIX.len()..).and_then(|rest| rest.first_chunk().copied()).unwrap_or_default();
        self.good = HEADER;
    }

    /// Whether all of this still stands in a file.
    fn still_holds(&self, file: &mut File, about: &fs::Metadata) -> io::Result<bool> {
        if self.good == 0 || about.len() < self.good as u64 {
            return Ok(false);
        }
        let mut number = [0; SUM];
        file.seek(SeekFrom::Start(PREFIX.len() as u64))?;
        file.read_exact(&mut number)?;
        if number != self.number {
            return Ok(false);
        }
        let mut sum = [0; SUM];
        file.seek(SeekFrom::Start(self.last.0 as u64))?;
        file.read_exact(&mut sum)?;
        Ok(sum == self.last.1)
    }

    /// Goes on with what stands behind what is known; whatever the bytes, it answers.
    fn follow(&mut self, mut news: &[u8]) -> Result<(), String> {
        if self.good == 0 {
            match news.split_at_checked(HEADER) {
                Some((head, rest)) if is_head(head) => {
                    self.begun(head);
                    news = rest;
                }
                // The very first write was cut short.
                None if PREFIX.as_bytes().starts_with(news) || news.starts_with(PREFIX.as_bytes()) => return Ok(()),
                _ => return Err("is not a state file that this version can read".to_owned()),
            }
        }
        let mut bad = None;
        let mut at = self.good;
        for line in news.split_inclusive(|byte| *byte == b'\n') {
            match (parse_line(line), bad) {
                (Some(_), Some(bad)) => return Err(format!("is damaged at byte {bad}")),
                (Some(changes), None) => {
                    Arc::make_mut(&mut self.ledger).apply(changes);
                    self.follow_line(line);
                }
                (None, _) => bad = bad.or(Some(at)),
            }
            at += line.len();
        }
        Ok(())
    }

    /// Goes on behind a good line.
    fn follow_line(&mut self, line: &[u8]) {
        self.last = (self.good, line.first_chunk().copied().unwrap_or_default());
        self.first = if self.good == HEADER { line.len() } else { self.first };
        self.good += line.len();
    }
}

fn is_head(line: &[u8]) -> bool {
    let number = line.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(b"\n"));
    number.is_some_and(|number| number.iter().all(u8::is_ascii_hexdigit))
}

fn parse_line(line: &[u8]) -> Option<Changes> {
    let (sum, json) = line.strip_suffix(b"\n")?.split_at_checked(SUM + 1)?;
    let right = checksum(json);
    (sum == format!("{right:016x} ").as_bytes()).then(|| serde_json::from_slice(json).ok()).flatten()
}

fn line(changes: &Changes) -> Result<Vec<u8>, StateError> {
    let json = serde_json::to_vec(changes).map_err(|error| StateError::new(error.to_string()))?;
    let mut line = format!("{:016x} ", checksum(&json)).into_bytes();
    line.extend(json);
    line.push(b'\n');
    Ok(line)
}

/// FNV-1a: it finds what a killed process left unfinished. Whoever can write here needs no collisions.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;

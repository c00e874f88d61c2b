//! The log of one ledger.
//!
//! ```text
//! tollgate state 1
//! 9f8e7d6c5b4a3f2e {"counter/writes":{"spent":3.0,"at":1700000000000},"held/call-2":null}
//! ```
//!
//! A line holds new values by key, null where the key goes, and before them a checksum. Bad lines at the end were
//! never finished and are ignored; a bad line before a good one means that somebody else wrote here.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::ledger::Changes;
use super::super::{Ledger, StateError};
use super::{failed, private};

const HEADER: &str = "tollgate state 1\n";
/// A log shorter than this is never written anew.
const SMALL: usize = 16 * 1024;

/// Where a log stands.
pub(super) struct Log {
    path: PathBuf,
    /// Up to where it is good.
    good: usize,
    /// How long its first line is: everything there was when it was last written anew.
    first: usize,
}

/// What a file holds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    pub(super) ledger: Ledger,
    good: usize,
    first: usize,
}

/// Opens a log that is locked.
pub(super) fn open(path: PathBuf) -> Result<(Log, Ledger), StateError> {
    let Read { ledger, good, first } = load(&path)?;
    Ok((Log { path, good, first }, ledger))
}

/// What a log holds now.
pub(super) fn read(path: &Path) -> Result<Ledger, StateError> {
    load(path).map(|read| read.ledger)
}

fn load(path: &Path) -> Result<Read, StateError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Read::default()),
        Err(error) => return Err(failed("read", path, &error)),
    };
    parse(&bytes).map_err(|why| {
        let path = path.display();
        StateError::new(format!("`{path}` {why}; limits start anew if you remove it: `rm {path}`"))
    })
}

/// Reads a log; whatever the bytes, it answers.
pub(super) fn parse(bytes: &[u8]) -> Result<Read, String> {
    let Some(rest) = bytes.strip_prefix(HEADER.as_bytes()) else {
        return match HEADER.as_bytes().starts_with(bytes) {
            // The very first write was cut short.
            true => Ok(Read::default()),
            false => Err("is no state that this version can read".to_owned()),
        };
    };
    let mut read = Read { good: HEADER.len(), ..Read::default() };
    let mut bad = None;
    let mut at = HEADER.len();
    for (index, line) in rest.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match (parse_line(line), bad) {
            (Some(_), Some(bad)) => return Err(format!("is damaged at byte {bad}")),
            (Some(changes), None) => {
                read.ledger.apply(changes);
                read.good = at + line.len();
                read.first = if index == 0 { line.len() } else { read.first };
            }
            (None, _) => bad = bad.or(Some(at)),
        }
        at += line.len();
    }
    Ok(read)
}

fn parse_line(line: &[u8]) -> Option<Changes> {
    let (sum, json) = line.strip_suffix(b"\n")?.split_at_checked(17)?;
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

impl Log {
    /// Keeps what was changed; says whether the log is new.
    pub(super) fn keep(self, ledger: &mut Ledger) -> Result<bool, StateError> {
        if !ledger.drop_idle_changes() {
            return Ok(false);
        }
        let line = line(&ledger.settle())?;
        if self.good + line.len() > SMALL + 2 * self.first {
            self.write_anew(ledger)?;
        } else {
            self.append(&line).map_err(|error| failed("write", &self.path, &error))?;
        }
        Ok(self.good == 0)
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut file = private(OpenOptions::new().write(true).create(true).truncate(false)).open(&self.path)?;
        // What a killed process left behind must not stand before what comes now.
        file.set_len(self.good as u64)?;
        file.seek(SeekFrom::Start(self.good as u64))?;
        let bytes = if self.good == 0 { [HEADER.as_bytes(), line].concat() } else { line.to_vec() };
        let written = file.write_all(&bytes);
        if written.is_err() {
            // A full disk: rather nothing than half.
            file.set_len(self.good as u64)?;
        }
        written
    }

    fn write_anew(&self, ledger: &Ledger) -> Result<(), StateError> {
        let bytes = [HEADER.as_bytes(), &line(&ledger.snapshot())?].concat();
        let beside = self.path.with_extension("new");
        let write = || {
            let mut file: File = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&beside)?;
            file.write_all(&bytes)?;
            // The old log must not be gone before the new one is there.
            file.sync_all()?;
            fs::rename(&beside, &self.path)
        };
        write().map_err(|error| failed("write", &beside, &error))
    }
}

#[cfg(test)]
mod tests;

//! Where a log ends: all that is needed to go on.

use std::cell::OnceCell;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind::NotFound};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tollgate_core::Digest;

use crate::draft::{CallKey, hash};
use crate::names::Names;
use crate::segment::Segment;
use crate::{AuditError, Head, files, moment};

/// How much of the end is read first: the last line is seldom longer.
const WINDOW: u64 = 4 * 1024;
/// How much of the end is looked through for the beginning of a call.
const RECENT: u64 = 64 * 1024;
/// How long the file with the newest head is, whatever stands in it: it is always written whole, in one piece.
pub(crate) const HEAD_LENGTH: usize = 512;

/// More than this many records have no place in the names of segments.
const MOST_RECORDS: u64 = 1_000_000_000_000;

/// The end of a log. Only true while the lock is held.
pub(crate) struct Tail {
    pub(crate) log: Grows,
    pub(crate) fields: Grows,
    pub(crate) head_file: File,
    /// The newest signed head, if it can be read.
    pub(crate) head: Option<Head>,
    /// The last record's number, 0 if there is none.
    pub(crate) seq: u64,
    pub(crate) hash: Digest,
    pub(crate) time: String,
    /// The first record of its segment, if that was there before.
    pub(crate) first: Option<First>,
    /// The bytes of an unfinished line that was cut off.
    pub(crate) cut: u64,
    /// The folder when its names were last looked at, see [`Names`].
    names: Option<Names>,
    /// The newest lines, once somebody looks for the beginning of a call.
    pub(crate) recent: OnceCell<Vec<u8>>,
}

/// A file that is only ever added to.
pub(crate) struct Grows {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) length: u64,
    /// Which file it is, whatever its name.
    id: (u64, u64),
}

/// The first record of a segment, which is a checkpoint.
pub(crate) struct First {
    pub(crate) seq: u64,
    pub(crate) time: String,
    pub(crate) signed: Head,
}

/// What of a line is needed to go on after it.
#[derive(Deserialize)]
struct Last {
    seq: u64,
    time: String,
}

impl Tail {
    /// Finds the end of a log, and cuts off what was not finished. None if there never was a log.
    pub(crate) fn find(dir: &Path) -> Result<Option<Self>, AuditError> {
        let segments = Segment::all(dir)?;
        let mut cut = 0;
        for (index, segment) in segments.iter().enumerate().rev() {
            let mut tail = Self::open(dir, segment.clone())?;
            tail.read_end()?;
            if tail.log.length == 0 && index > 0 {
                // Its writer died before the first record was in it.
                cut += tail.cut;
                tail.remove()?;
                continue;
            }
            tail.cut += cut;
            tail.drop_orphans()?;
            tail.first = tail.read_first();
            return Ok(Some(tail));
        }
        // A head without a log is what is left of a log.
        if dir.join("head").exists() { Self::create(dir, 1).map(Some) } else { Ok(None) }
    }

    /// A new segment after this many records, with nothing in it.
    pub(crate) fn create(dir: &Path, first: u64) -> Result<Self, AuditError> {
        Self::open(dir, Segment::new(dir, first))
    }

    fn open(dir: &Path, segment: Segment) -> Result<Self, AuditError> {
        let path = dir.join("head");
        let head_file = files::private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
            .open(&path)
            .map_err(|error| AuditError::io("open", &path, &error))?;
        let mut text = [0; HEAD_LENGTH];
        let read = head_file.read_at(&mut text, 0).map_err(|error| AuditError::io("read", &path, &error))?;
        Ok(Self {
            log: Grows::open(segment.log())?,
            fields: Grows::open(segment.fields())?,
            head: Head::parse(&text[..read]),
            head_file,
            seq: segment.first.saturating_sub(1),
            hash: Digest([0; 32]),
            time: String::new(),
            first: None,
            cut: 0,
            names: None,
            recent: OnceCell::new(),
        })
    }

    fn remove(self) -> Result<(), AuditError> {
        for path in [self.log.path, self.fields.path] {
            fs::remove_file(&path).map_err(|error| AuditError::io("remove", &path, &error))?;
        }
        Ok(())
    }

    /// What the first record of the segment says: which log this is, and who signs it.
    fn read_first(&self) -> Option<First> {
        #[derive(Deserialize)]
        struct Line<'a> {
            seq: u64,
            time: String,
            #[serde(borrow)]
            signed: &'a serde_json::value::RawValue,
        }
        let mut bytes = vec![0; 4096];
        let read = self.log.file.read_at(&mut bytes, 0).ok()?;
        let line = bytes[..read].split(|byte| *byte == b'\n').next()?;
        let Line { seq, time, signed } = serde_json::from_slice(line).ok()?;
        Some(First { seq, time, signed: Head::parse(signed.get().as_bytes())? })
    }

    /// Signed statements about the log. Their log and their key must be those of what is appended.
    pub(crate) fn signed(&self) -> impl Iterator<Item = &Head> {
        self.first.iter().map(|first| &first.signed).chain(&self.head)
    }

    /// Whether nobody else has written since: then all that was found out still holds. Somebody may also have gone on
    /// in the next segment, which leaves this one as it is. `names` is the folder as it is now.
    pub(crate) fn still_holds(&mut self, names: Option<Names>) -> bool {
        let grown = |grows: &Grows| !grows.file.metadata().is_ok_and(|about| about.len() == grows.length);
        if grown(&self.log) || grown(&self.fields) {
            return false;
        }
        if names.is_some() && self.names == names {
            return true;
        }
        let holds = self.names_hold();
        self.names = names.filter(|_| holds);
        holds
    }

    /// Whether the names are still those of the same files, and there is no next segment.
    fn names_hold(&self) -> bool {
        let same = |grows: &Grows| fs::metadata(&grows.path).is_ok_and(|there| id(&there) == grows.id);
        let next = self.log.path.parent().map(|dir| Segment::new(dir, self.seq + 1).log());
        let is_last = next.is_some_and(|next| fs::metadata(next).is_err_and(|error| error.kind() == NotFound));
        let head = self.log.path.with_file_name("head");
        let same_head =
            fs::metadata(head).is_ok_and(|head| self.head_file.metadata().is_ok_and(|own| id(&own) == id(&head)));
        same(&self.log) && same(&self.fields) && is_last && same_head
    }

    fn read_end(&mut self) -> Result<(), AuditError> {
        let mut window = WINDOW;
        loop {
            let from = self.log.length.saturating_sub(window);
            let mut bytes = self.log.read(from)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            // The last line begins after the newline before its own.
            let line = bytes[..whole.saturating_sub(1)].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            match line.or((from == 0).then_some(0)) {
                None => window *= 8,
                Some(start) => {
                    self.cut = (bytes.len() - whole) as u64;
                    bytes.truncate(whole);
                    if self.cut > 0 {
                        self.log.cut(from + whole as u64)?;
                    }
                    return self.take_last(&bytes[start..]);
                }
            }
        }
    }

    /// Takes over what the last line says.
    fn take_last(&mut self, line: &[u8]) -> Result<(), AuditError> {
        let Some(line) = line.strip_suffix(b"\n") else { return Ok(()) };
        let unreadable = |why: &dyn fmt::Display| {
            let path = self.log.path.display();
            AuditError::new(format!("the last record in `{path}` cannot be read ({why}); run `tollgate log verify`"))
        };
        let last: Last = serde_json::from_slice(line).map_err(|error| unreadable(&error))?;
        if last.seq <= self.seq || last.seq >= MOST_RECORDS {
            return Err(unreadable(&format!("its number cannot be {}", last.seq)));
        }
        if moment(&last.time).is_none() {
            return Err(unreadable(&"its time is none"));
        }
        (self.seq, self.time, self.hash) = (last.seq, last.time, hash(line));
        Ok(())
    }

    /// Fields of records that were never written are nobody's.
    fn drop_orphans(&mut self) -> Result<(), AuditError> {
        let mut window = WINDOW;
        while self.fields.length > 0 {
            let from = self.fields.length.saturating_sub(window);
            let bytes = self.fields.read(from)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let start = bytes[..whole.saturating_sub(1)].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            let seq = seq_at_end(&bytes[..whole]);
            match start.or((from == 0).then_some(0)) {
                _ if whole == bytes.len() && seq.is_some_and(|seq| seq <= self.seq) => return Ok(()),
                _ if whole < bytes.len() && (whole > 0 || from == 0) => self.fields.cut(from + whole as u64)?,
                Some(start) => self.fields.cut(from + start as u64)?,
                None => window *= 8,
            }
        }
        Ok(())
    }

    /// The record with which a call began, if it is among the newest.
    pub(crate) fn intent(&self, key: &CallKey) -> Option<u64> {
        #[derive(Deserialize)]
        struct Began {
            seq: u64,
            point: Option<String>,
            call: Option<String>,
            session: Option<String>,
        }
        let needle = serde_json::to_string(&key.call).ok()?;
        let recent = self.recent.get_or_init(|| self.read_recent());
        let lines = std::str::from_utf8(recent).ok()?.rsplit('\n');
        let mut found = lines.filter(|line| line.contains(&needle)).filter_map(|line| serde_json::from_str(line).ok());
        let same = |began: &Began| began.session == key.session && began.call.as_deref() == Some(&key.call);
        found.find(|began: &Began| began.point.as_deref() == Some(key.point) && same(began)).map(|began| began.seq)
    }

    /// The newest lines, whole. What cannot be read has no beginnings in it.
    fn read_recent(&self) -> Vec<u8> {
        let from = self.log.length.saturating_sub(RECENT);
        let mut bytes = self.log.read(from).unwrap_or_default();
        if from > 0 {
            let whole = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            bytes.drain(..whole);
        }
        bytes
    }

    /// Writes the newest head, in one piece.
    pub(crate) fn write_head(&mut self, head: Head) -> io::Result<()> {
        let mut text = head.text(Some(&head.sig)).into_bytes();
        text.resize(text.len().max(HEAD_LENGTH - 1), b' ');
        text.push(b'\n');
        self.head_file.write_all_at(&text, 0)?;
        self.head = Some(head);
        Ok(())
    }

    /// After a failure: a head that speaks of records that were cut off again would accuse somebody of removing them.
    pub(crate) fn put_head_back(&mut self, before: Option<Head>) {
        let _ = match before {
            Some(head) => self.write_head(head),
            None => self.head_file.set_len(0),
        };
    }
}

impl Grows {
    pub(crate) fn open(path: PathBuf) -> Result<Self, AuditError> {
        let mut options = OpenOptions::new();
        let file = files::private(options.read(true).append(true).create(true)).open(&path);
        let file = file.map_err(|error| AuditError::io("open", &path, &error))?;
        let about = file.metadata().map_err(|error| AuditError::io("read", &path, &error))?;
        Ok(Self { path, file, length: about.len(), id: id(&about) })
    }

    fn read(&self, from: u64) -> Result<Vec<u8>, AuditError> {
        let mut bytes = vec![0; usize::try_from(self.length - from).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, from).map_err(|error| AuditError::io("read", &self.path, &error))?;
        Ok(bytes)
    }

    /// Adds bytes, or nothing at all.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), AuditError> {
        match io::Write::write_all(&mut self.file, bytes) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // If this fails too, the next writer finds an unfinished line.
                let _ = self.file.set_len(self.length);
                Err(AuditError::io("write to", &self.path, &error))
            }
        }
    }

    /// Cuts it back to a length.
    pub(crate) fn cut(&mut self, length: u64) -> Result<(), AuditError> {
        self.file.set_len(length).map_err(|error| AuditError::io("cut back", &self.path, &error))?;
        self.length = length;
        Ok(())
    }
}

/// The number at the end of a line of fields: nothing else ends a line in this way.
pub(crate) fn seq_at_end(line: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"\"seq\":";
    let end = line.trim_ascii_end().strip_suffix(b"}")?;
    let at = end.windows(NAME.len()).rposition(|window| window == NAME)? + NAME.len();
    std::str::from_utf8(&end[at..]).ok()?.parse().ok()
}

fn id(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}

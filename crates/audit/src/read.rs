//! Reading a log, from any place in it, in either direction, while others append.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::segment::Segment;
use crate::{AuditError, Fields, Record, files};

/// How much is read at once, going backwards.
const BLOCK: usize = 64 * 1024;

/// A record and what stands beside it.
#[derive(Debug)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// What its commitments open to.
    pub fields: Fields,
}

/// A log to read. Nothing is locked: a line that is not finished is not there yet.
#[derive(Clone, Debug)]
pub struct Reader {
    dir: PathBuf,
}

/// One line, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first record of the segment it stands in.
    pub segment: u64,
    /// Where in the segment it begins.
    pub offset: u64,
    /// Its text, without the end.
    pub bytes: Vec<u8>,
}

impl Line {
    /// The record.
    pub fn record(&self) -> Result<Record, AuditError> {
        parse(&self.bytes, self.segment, self.offset)
    }
}

impl Reader {
    /// The log in a folder.
    pub fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Its segments.
    pub fn segments(&self) -> Result<Vec<Segment>, AuditError> {
        Segment::all(&self.dir)
    }

    /// Every line from a place in a segment on: from that segment's offset, then all that follow. `(0, 0)` is the
    /// beginning.
    pub fn lines_from(
        &self,
        segment: u64,
        offset: u64,
    ) -> Result<impl Iterator<Item = Result<Line, AuditError>> + use<>, AuditError> {
        let segments = self.segments()?.into_iter().filter(move |one| one.first >= segment);
        let at = move |one: Segment| {
            let from = if one.first == segment { offset } else { 0 };
            Forward::open(one.log(), one.first, from).map_or_else(|error| Some(Err(error)), |lines| lines.map(Ok))
        };
        Ok(segments.filter_map(at).flat_map(|lines| -> Box<dyn Iterator<Item = Result<Line, AuditError>>> {
            match lines {
                Ok(lines) => Box::new(lines),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        }))
    }

    /// Every record from a number on, with what stands beside it.
    pub fn entries_from(
        &self,
        seq: u64,
    ) -> Result<impl Iterator<Item = Result<Entry, AuditError>> + use<>, AuditError> {
        let segments = self.segments()?;
        let begin = segments.partition_point(|segment| segment.first <= seq).saturating_sub(1);
        let entries = segments.into_iter().skip(begin).flat_map(Entries::open);
        Ok(entries.filter(move |entry| entry.as_ref().map_or(true, |entry| entry.record.seq >= seq)))
    }

    /// The newest lines first.
    pub fn lines_back(&self) -> Result<impl Iterator<Item = Result<Line, AuditError>> + use<>, AuditError> {
        let segments = self.segments()?.into_iter().rev();
        Ok(segments.flat_map(|segment| Backward::open(segment.log(), segment.first)))
    }

    /// The newest records first, with what stands beside them.
    pub fn entries_back(&self) -> Result<impl Iterator<Item = Result<Entry, AuditError>> + use<>, AuditError> {
        let segments = self.segments()?.into_iter().rev();
        Ok(segments.flat_map(|segment| {
            let mut fields = Backward::open(segment.fields(), segment.first).peekable();
            Backward::open(segment.log(), segment.first).map(move |line| {
                let record = line?.record()?;
                Ok(Entry { fields: beside(&mut fields, record.seq)?, record })
            })
        }))
    }

    /// One record; none if there is none with this number.
    pub fn entry(&self, seq: u64) -> Result<Option<Entry>, AuditError> {
        let segments = self.segments()?;
        let Some(at) = segments.partition_point(|segment| segment.first <= seq).checked_sub(1) else { return Ok(None) };
        let Some(line) = find(&segments[at].log(), segments[at].first, seq)? else { return Ok(None) };
        let record = line.record()?;
        let fields = match find(&segments[at].fields(), segments[at].first, seq)? {
            Some(line) => parse(&line.bytes, line.segment, line.offset)?,
            None => Fields::default(),
        };
        Ok(Some(Entry { record, fields }))
    }
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8], segment: u64, offset: u64) -> Result<T, AuditError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("byte {offset} of segment {segment:012}");
        AuditError::new(format!("the line at {place} cannot be read ({error}); run `tollgate log verify`"))
    })
}

/// The fields of a record, where fields come newest first.
fn beside(
    fields: &mut std::iter::Peekable<impl Iterator<Item = Result<Line, AuditError>>>,
    seq: u64,
) -> Result<Fields, AuditError> {
    loop {
        let number = match fields.peek() {
            None => return Ok(Fields::default()),
            Some(Err(_)) => None,
            Some(Ok(line)) => Some(crate::tail::seq_at_end(&line.bytes)),
        };
        match number.flatten() {
            Some(number) if number < seq => return Ok(Fields::default()),
            Some(number) if number == seq => {
                let Some(line) = fields.next().transpose()? else { return Ok(Fields::default()) };
                return parse(&line.bytes, line.segment, line.offset);
            }
            // Of a record that is not there yet, or a line that nobody can read: `verify` speaks of these.
            _ => drop(fields.next().transpose()?),
        }
    }
}

/// The lines of a file, from a place on.
pub(crate) struct Forward {
    reader: BufReader<File>,
    path: PathBuf,
    segment: u64,
    offset: u64,
}

impl Forward {
    /// None if there is no such file.
    pub(crate) fn open(path: PathBuf, segment: u64, offset: u64) -> Result<Option<Self>, AuditError> {
        let failed = |error: &io::Error| AuditError::io("read", &path, error);
        let Some(mut file) = files::if_there(File::open(&path)).map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        file.seek(SeekFrom::Start(offset)).map_err(|error| failed(&error))?;
        Ok(Some(Self { reader: BufReader::with_capacity(BLOCK, file), path, segment, offset }))
    }

    /// Reads the next line into a buffer and says where it begins; none at the end, and at a line that is not finished.
    pub(crate) fn next_into(&mut self, bytes: &mut Vec<u8>) -> Result<Option<u64>, AuditError> {
        bytes.clear();
        let read = self.reader.read_until(b'\n', bytes).map_err(|error| AuditError::io("read", &self.path, &error))?;
        if bytes.pop_if(|byte| *byte == b'\n').is_none() {
            // Whoever asks again later must find the beginning of the line again.
            let back = i64::try_from(read).unwrap_or(0);
            self.reader.seek_relative(-back).map_err(|error| AuditError::io("read", &self.path, &error))?;
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += read as u64;
        Ok(Some(offset))
    }
}

impl Iterator for Forward {
    type Item = Result<Line, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        match self.next_into(&mut bytes) {
            Ok(offset) => offset.map(|offset| Ok(Line { segment: self.segment, offset, bytes })),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Records of one segment with what stands beside them.
struct Entries {
    lines: Option<Forward>,
    fields: Option<Forward>,
    next: Option<Fields>,
    failed: Option<AuditError>,
}

impl Entries {
    fn open(segment: Segment) -> Self {
        let lines = Forward::open(segment.log(), segment.first, 0);
        let fields = Forward::open(segment.fields(), segment.first, 0);
        let failed = lines.as_ref().err().or(fields.as_ref().err()).cloned();
        Self { lines: lines.ok().flatten(), fields: fields.ok().flatten(), next: None, failed }
    }

    fn beside(&mut self, seq: u64) -> Result<Fields, AuditError> {
        loop {
            match self.next.take() {
                Some(fields) if fields.seq == seq => return Ok(fields),
                Some(fields) if fields.seq > seq => {
                    self.next = Some(fields);
                    return Ok(Fields::default());
                }
                _ => {}
            }
            let Some(line) = self.fields.as_mut().and_then(Iterator::next) else { return Ok(Fields::default()) };
            let line = line?;
            self.next = Some(parse(&line.bytes, line.segment, line.offset)?);
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(failed) = self.failed.take() {
            return Some(Err(failed));
        }
        let line = self.lines.as_mut()?.next()?;
        Some(
            line.and_then(|line| line.record())
                .and_then(|record| Ok(Entry { fields: self.beside(record.seq)?, record })),
        )
    }
}

/// The lines of a file from its end.
struct Backward {
    file: Option<File>,
    path: PathBuf,
    segment: u64,
    /// What was read and not yet given out; ends with a line's end.
    rest: Vec<u8>,
    /// Where `rest` begins in the file.
    at: u64,
    failed: Option<AuditError>,
}

impl Backward {
    fn open(path: PathBuf, segment: u64) -> Self {
        let mut lines = Self { file: None, path, segment, rest: Vec::new(), at: 0, failed: None };
        let opened = files::if_there(File::open(&lines.path).and_then(|file| Ok((file.metadata()?.len(), file))));
        match opened {
            Ok(found) => (lines.at, lines.file) = found.map_or((0, None), |(length, file)| (length, Some(file))),
            Err(error) => lines.failed = Some(AuditError::io("read", &lines.path, &error)),
        }
        lines.skip_unfinished();
        lines
    }

    /// Drops what follows the last line's end.
    fn skip_unfinished(&mut self) {
        while !self.rest.ends_with(b"\n") {
            match self.rest.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => self.rest.truncate(end + 1),
                None => {
                    self.rest.clear();
                    if !self.more() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads a block more, at the front. Blocks grow with the line, so that a long one is not copied too often.
    fn more(&mut self) -> bool {
        let Some(file) = self.file.as_ref().filter(|_| self.at > 0) else { return false };
        let wanted = (BLOCK.max(self.rest.len()) as u64).min(self.at);
        let mut block = vec![0; usize::try_from(wanted).unwrap_or(BLOCK)];
        if let Err(error) = file.read_exact_at(&mut block, self.at - wanted) {
            self.failed = Some(AuditError::io("read", &self.path, &error));
            return false;
        }
        self.at -= wanted;
        block.append(&mut self.rest);
        self.rest = block;
        true
    }
}

impl Iterator for Backward {
    type Item = Result<Line, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(failed) = self.failed.take() {
                self.file = None;
                return Some(Err(failed));
            }
            let end = self.rest.len().checked_sub(1);
            let start = end.and_then(|end| self.rest[..end].iter().rposition(|byte| *byte == b'\n')).map(|at| at + 1);
            match (start.or((self.at == 0).then_some(0)), end) {
                (Some(start), Some(end)) => {
                    let bytes = self.rest[start..end].to_vec();
                    self.rest.truncate(start);
                    return Some(Ok(Line { segment: self.segment, offset: self.at + start as u64, bytes }));
                }
                _ if !self.more() && self.failed.is_none() => return None,
                _ => {}
            }
        }
    }
}

/// A line by its number, in a file whose numbers grow.
fn find(path: &Path, segment: u64, seq: u64) -> Result<Option<Line>, AuditError> {
    let failed = |error: io::Error| AuditError::io("read", path, &error);
    let Some(file) = files::if_there(File::open(path)).map_err(failed)? else { return Ok(None) };
    let (mut low, mut high) = (0, file.metadata().map_err(failed)?.len());
    drop(file);
    // The line begins somewhere in low..high; halve that until a short walk will do.
    while high - low > BLOCK as u64 {
        let middle = low + (high - low) / 2;
        let Some(mut lines) = Forward::open(path.to_owned(), segment, middle)? else { return Ok(None) };
        let mut skipped = Vec::new();
        lines.next_into(&mut skipped)?;
        match lines.next().transpose()? {
            Some(line) if line.offset < high && number(&line)? <= seq => low = line.offset,
            _ => high = middle,
        }
    }
    let Some(lines) = Forward::open(path.to_owned(), segment, low)? else { return Ok(None) };
    for line in lines {
        let line = line?;
        match number(&line)? {
            found if found == seq => return Ok(Some(line)),
            found if found > seq => return Ok(None),
            _ => {}
        }
    }
    Ok(None)
}

fn number(line: &Line) -> Result<u64, AuditError> {
    #[derive(Deserialize)]
    struct Numbered {
        seq: u64,
    }
    parse(&line.bytes, line.segment, line.offset).map(|numbered: Numbered| numbered.seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_number_however_long_the_file() {
        let path = std::env::temp_dir().join(format!("tollgate-find-{}", std::process::id()));
        // Some lines are longer than the walk at the end.
        let line =
            |seq: u64| format!("{{\"seq\":{seq},\"pad\":\"{}\"}}\n", "x".repeat([9, 900, BLOCK][seq as usize % 3]));
        let there = |seq: &u64| seq.is_multiple_of(2);
        let text: String = (2..40).filter(there).map(line).collect();
        std::fs::write(&path, &text).unwrap();
        for seq in 0..42 {
            let found = find(&path, 1, seq).unwrap().map(|found| (found.segment, found.offset, found.bytes));
            let whole = line(seq);
            let expected = text.find(&whole).map(|at| (1, at as u64, whole.trim_end().as_bytes().to_vec()));
            assert_eq!(found, expected, "{seq}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}

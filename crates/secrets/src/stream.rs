//! Redaction of text that comes in chunks.

use crate::kubernetes::Object;
use crate::pem::{self, Block};
use crate::rules::id;
use crate::scan::{Found, LOOK_BACK, PLACEHOLDER_START};
use crate::scanner::Scanner;
use std::fmt;

/// The longest line, in bytes, that is held back whole. A longer one is cut behind the last blank, comma, semicolon or
/// quote in it (or just so, where there is none in its last three quarters), and key blocks longer than this are hidden
/// without being held.
pub const MAX_LINE: usize = 1 << 16;

/// How much text is taken in at once.
const PORTION: usize = MAX_LINE / 4;

/// How much text is searched at once behind a line that held a secret.
const FIRST_BATCH: usize = 32;

/// How often a line is searched again after secrets were taken out of it.
const MOST_PASSES: usize = 4;

/// Redacts text that comes in chunks, with the same result for every way of cutting it.
///
/// Text is held back up to the end of its line, and a private key up to the end of its block, so that no part of a
/// secret gets out. Each line, what stands on a line before and behind a private key, and the key itself are handled one
/// after the other, each by itself and what was given out before it; so it does not matter when they came. No more than some multiple of [`MAX_LINE`] is ever held.
///
/// ```
/// let mut stream = tollgate_secrets::scanner().stream();
/// assert_eq!(stream.push("first line\nsecond"), "first line\n");
/// assert_eq!(stream.push_bytes(b" line \xe2\x82"), "");
/// assert_eq!(stream.push_bytes(b"\xac"), "");
/// assert_eq!(stream.finish(), "second line €");
/// ```
pub struct Redactor<'s> {
    scanner: &'s Scanner,
    /// The end of what was given out, then what is held.
    buffer: String,
    /// Where what is held begins.
    held: usize,
    /// How much of what is given out this time stands before it.
    noted: usize,
    /// Up to here there is no line end behind what was handled.
    seen: usize,
    /// How far the key block has been read, while one is read.
    fed: usize,
    /// Key blocks that begin before this place are known to be none.
    passed: usize,
    /// How much is searched at once.
    batch: usize,
    /// The incomplete character at the end of the last chunk of bytes.
    bytes: Vec<u8>,
    object: Object,
    mode: Mode,
}

/// What is going on at the end of what is held.
enum Mode {
    /// Lines are given out as they are completed.
    Lines,
    /// A key block has begun on the first held line and is read.
    Following(Block),
    /// A long key block has been hidden, and the rest of it is dropped.
    Dropping(Block),
}

impl fmt::Debug for Redactor<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Redactor").field("held", &(self.buffer.len() - self.held)).finish_non_exhaustive()
    }
}

impl<'s> Redactor<'s> {
    pub(crate) fn new(scanner: &'s Scanner) -> Self {
        Self {
            scanner,
            buffer: String::new(),
            held: 0,
            noted: 0,
            seen: 0,
            fed: 0,
            passed: 0,
            batch: MAX_LINE,
            bytes: Vec::new(),
            object: Object::default(),
            mode: Mode::Lines,
        }
    }

    /// Takes a chunk of text and gives out what is certain by now.
    pub fn push(&mut self, chunk: &str) -> String {
        let mut out = self.new_output();
        if !self.bytes.is_empty() {
            // Text after half a character: the half cannot be completed any more.
            self.bytes.clear();
            self.take("\u{fffd}", &mut out);
        }
        self.take(chunk, &mut out);
        out
    }

    /// Takes a chunk of bytes, which may begin or end within a character. What is not UTF-8 becomes U+FFFD.
    pub fn push_bytes(&mut self, chunk: &[u8]) -> String {
        let mut out = self.new_output();
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.extend_from_slice(chunk);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (valid, broken) = match std::str::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => {
                    let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                    (valid, Some(error.error_len()))
                }
            };
            self.take(valid, &mut out);
            rest = &rest[valid.len()..];
            match broken {
                Some(Some(length)) => {
                    self.take("\u{fffd}", &mut out);
                    rest = &rest[length..];
                }
                Some(None) => {
                    self.bytes = rest.to_vec();
                    rest = &[];
                }
                None => {}
            }
        }
        out
    }

    /// Gives out what is left.
    pub fn finish(mut self) -> String {
        let mut out = self.new_output();
        if !self.bytes.is_empty() {
            self.take("\u{fffd}", &mut out);
        }
        while self.advance(true, &mut out) {}
        out
    }

    fn new_output(&mut self) -> String {
        self.noted = 0;
        String::new()
    }

    /// Feeds text in portions, so that the buffer stays small.
    fn take(&mut self, chunk: &str, out: &mut String) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let room = PORTION.min(rest.len());
            let cut = (1..=room).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
            self.buffer.push_str(&rest[..cut]);
            rest = &rest[cut..];
            while self.advance(false, out) {}
        }
    }

    /// Handles the next complete lines, or the last one; `false` if there are none.
    fn advance(&mut self, last: bool, out: &mut String) -> bool {
        let following = !matches!(self.mode, Mode::Lines);
        let end = self.next_end(if following { self.fed } else { self.held }, following, last);
        if end.is_none() && !(last && following) {
            self.seen = self.buffer.len();
            return false;
        }
        self.seen = 0;
        let mode = std::mem::replace(&mut self.mode, Mode::Lines);
        match (mode, end) {
            (Mode::Following(block), _) => {
                let block = self.read_on(block, end);
                self.follow(block, out);
            }
            (Mode::Dropping(block), _) => {
                let block = self.read_on(block, end);
                self.drop_key(block, out);
            }
            (Mode::Lines, Some(end)) => self.handle_lines(end, out),
            (Mode::Lines, None) => {}
        }
        true
    }

    /// The end of the lines to handle next, or of the part of a long line. Where a line is cut does not depend on how
    /// much of it has come.
    fn next_end(&self, start: usize, following: bool, last: bool) -> Option<usize> {
        let bytes = self.buffer.as_bytes();
        let from = self.seen.max(start);
        let first = bytes[from..].iter().position(|&byte| byte == b'\n').map(|at| from + at);
        if first.unwrap_or(bytes.len()) - start >= MAX_LINE {
            return Some(start + cut_of_long_line(&self.buffer[start..]));
        }
        let Some(first) = first else { return (last && start < bytes.len()).then_some(bytes.len()) };
        let batch = if following { MAX_LINE } else { self.batch };
        let stop = bytes.len().min(start + batch).max(first + 1);
        bytes[first..stop].iter().rposition(|&byte| byte == b'\n').map(|at| first + at + 1)
    }

    /// Reads a key block up to the end of lines, or to its end with the text.
    fn read_on(&mut self, mut block: Block, end: Option<usize>) -> Block {
        match end {
            Some(end) => block.read(&self.buffer.as_bytes()[..end]),
            None => block.finish(self.buffer.as_bytes()),
        }
        self.fed = end.unwrap_or(self.buffer.len());
        block
    }

    /// Gives out lines up to the first with a secret in it, or to the first key block.
    fn handle_lines(&mut self, end: usize, out: &mut String) {
        let mut object = self.object;
        let outcome = self.scanner.scan(&self.buffer[..end], self.held..end, self.passed, &mut object);
        let line = outcome.block.as_ref().map_or(end, |block| self.line_of(block.start()));
        if let Some(found) = outcome.found.first().filter(|found| found.range.start < line) {
            let behind = found.range.end;
            let line = self.buffer[behind..end].find('\n').map_or(end, |newline| behind + newline + 1);
            if outcome.in_object && line < end {
                self.release(line, line, out);
            } else {
                // No line depends on those behind it: what was found up to here is what would be found without them.
                self.object = object;
                let count = outcome.found.partition_point(|found| found.range.start < line);
                self.write(&outcome.found[..count], line, out);
                self.forget(line, out);
            }
            self.batch = FIRST_BATCH;
            return;
        }
        let Some(mut block) = outcome.block else {
            self.object = object;
            out.push_str(&self.buffer[self.held..end]);
            self.forget(end, out);
            self.batch = MAX_LINE.min(self.batch * 2);
            return;
        };
        self.fed = end;
        if line > self.held {
            self.release(line, line, out);
            block = block.moved(line, self.held);
        }
        self.follow(block, out);
    }

    /// The start of the held line that a place is in.
    fn line_of(&self, at: usize) -> usize {
        self.buffer[self.held..at].rfind('\n').map_or(self.held, |newline| self.held + newline + 1)
    }

    /// Gives out what is held up to `end`, whatever may follow. Behind it the text is known up to `known`.
    fn release(&mut self, end: usize, known: usize, out: &mut String) {
        let mut object = self.object;
        let found = self.scanner.scan(&self.buffer[..known], self.held..end, self.passed, &mut object).found;
        self.object = object;
        self.write(&found, end, out);
        self.forget(end, out);
    }

    /// Hides a key block that has ended or is longer than what is held back.
    fn follow(&mut self, mut block: Block, out: &mut String) {
        if !block.is_complete() && !block.is_long() {
            self.mode = Mode::Following(block);
        } else if !block.is_key() {
            self.passed = block.start() + 1;
        } else {
            let start = block.start();
            if start > self.held {
                let object = self.object;
                self.release(start, block.body(), out);
                block = block.moved(start, self.held);
                // The start of a line is not the line: `---` may go on with the hyphens of the opening.
                self.object = if self.object.is_open() { self.object } else { object };
            }
            let hidden = if block.is_long() {
                placeholder(id::PRIVATE_KEY)
            } else {
                let found = self.scanner.scan_block(&self.buffer, &block);
                replace(&self.buffer, block.start()..block.end(), &found)
            };
            let settled = self.settle(out, hidden, self.object);
            out.push_str(&settled);
            self.object = self.object.behind_key(&self.buffer[block.start()..block.end()]);
            self.batch = FIRST_BATCH;
            self.drop_key(block, out);
        }
    }

    /// Drops what belongs to a block that was hidden already.
    fn drop_key(&mut self, block: Block, out: &str) {
        let end = block.end();
        self.forget(end, out);
        if !block.is_complete() {
            self.mode = Mode::Dropping(block.moved(end, self.held));
        }
    }

    /// Writes what is held up to `end` with the secrets replaced.
    fn write(&self, found: &[Found], end: usize, out: &mut String) {
        let mut at = self.held;
        let mut rest = found;
        while let Some(first) = rest.first() {
            let line_start = self.buffer[at..first.range.start].rfind('\n').map_or(at, |newline| at + newline + 1);
            let (mut line_end, mut count) = (first.range.end, 0);
            while rest.get(count).is_some_and(|found| found.range.start < line_end) {
                let behind = rest[count].range.end;
                line_end = self.buffer[behind..end].find('\n').map_or(end, |newline| behind + newline + 1);
                count += 1;
            }
            out.push_str(&self.buffer[at..line_start]);
            let lines = replace(&self.buffer, line_start..line_end, &rest[..count]);
            let settled = self.settle(out, lines, Object::default());
            out.push_str(&settled);
            (at, rest) = (line_end, &rest[count..]);
        }
        out.push_str(&self.buffer[at..end]);
    }

    /// Searches lines again, in front of which `out` was given out, until nothing is found in them.
    fn settle(&self, out: &str, lines: String, object: Object) -> String {
        let mut text = self.tail(out);
        let start = text.len();
        text.push_str(&lines);
        for _ in 0..MOST_PASSES {
            let found = self.scanner.scan(&text, start..text.len(), 0, &mut { object }).found;
            if found.is_empty() {
                break;
            }
            text = replace(&text, 0..text.len(), &found);
        }
        text.split_off(start)
    }

    /// The end of what was given out, this time and before.
    fn tail(&self, out: &str) -> String {
        let new = last_part(&out[self.noted..], LOOK_BACK * 2);
        let mut tail = last_part(&self.buffer[..self.held], LOOK_BACK * 2 - new.len()).to_owned();
        tail.push_str(new);
        tail
    }

    /// Forgets what was given out up to `end`, but for the end of it.
    fn forget(&mut self, end: usize, out: &str) {
        let tail = self.tail(out);
        self.buffer.replace_range(..end, &tail);
        (self.held, self.noted) = (tail.len(), out.len());
        let place = |at: usize| (at + tail.len()).saturating_sub(end);
        (self.fed, self.passed, self.seen) = (place(self.fed), place(self.passed), 0);
    }
}

fn placeholder(rule: &str) -> String {
    format!("{PLACEHOLDER_START}{rule}]")
}

/// The text of `range` with the secrets in it replaced.
fn replace(text: &str, range: std::ops::Range<usize>, found: &[Found]) -> String {
    let mut out = String::with_capacity(range.len());
    let mut at = range.start;
    for secret in found {
        out.push_str(&text[at..secret.range.start]);
        out.push_str(&placeholder(&secret.rule));
        at = secret.range.end;
    }
    out.push_str(&text[at..range.end]);
    out
}

fn last_part(text: &str, length: usize) -> &str {
    let start = text.len().saturating_sub(length);
    &text[(start..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())..]
}

/// Where a line that is too long is cut.
fn cut_of_long_line(line: &str) -> usize {
    let bytes = &line.as_bytes()[MAX_LINE / 4..MAX_LINE];
    let soft = bytes.iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b',' | b';' | b'"'));
    let cut = soft.map_or(MAX_LINE, |at| MAX_LINE / 4 + at + 1);
    let cut = (1..=cut).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(cut);
    // The opening of a key block is not torn.
    let tail = cut - pem::MARKER;
    pem::opening_in(&line.as_bytes()[tail..cut]).map_or(cut, |opening| tail + opening)
}

#[cfg(test)]
mod tests {
    use crate::scanner;

    #[test]
    fn what_was_given_out_is_remembered_once() {
        let text = "a -----BEGIN PRIVATE KEY-----\nMHcCAQEEIK9vXq2LmT0wYb4RzJ7cNdE1uPfG8hSa5oVkQi3xB6rZ\n-----END PRIVATE KEY----- b\nc\nd\n";
        for size in [1, 3, 40, text.len()] {
            let mut stream = scanner().stream();
            let mut out = String::new();
            for chunk in text.as_bytes().chunks(size) {
                out += &stream.push_bytes(chunk);
                assert_eq!(stream.buffer[..stream.held], out, "in chunks of {size}");
            }
        }
    }
}

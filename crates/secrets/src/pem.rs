//! Private keys in blocks: `-----BEGIN … PRIVATE KEY-----`, over many lines, with escaped line ends, or in the string
//! literals of source code.

use std::ops::Range;

/// How such blocks begin.
pub(crate) const OPENINGS: [&str; 2] = ["-----begin", "private-lines:"];

/// The least number of key characters, in all and in one piece: less is an example in a document.
const LEAST_BODY: usize = 40;
const LEAST_PIECE: usize = 30;

/// A piece this long is no word and no header.
const LONG_PIECE: usize = 100;

/// How far the end marker may reach.
const MARKER: usize = 80;

/// A block that is being read. It can be continued when more text has come.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    start: usize,
    /// How far it has been read.
    at: usize,
    /// The pieces of the key, where something else than blanks stands between them.
    pieces: Vec<Range<usize>>,
    total: usize,
    longest: usize,
    decorated: bool,
    /// What comes next is on a new line, or goes on with a long piece.
    fresh: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// Ended here, with or without an end marker.
    Ended(usize),
}

impl Block {
    /// Begins a block at an opening, if it is that of a private key.
    pub(crate) fn begin(text: &[u8], opening: Range<usize>) -> Option<Self> {
        let at = if text[opening.start] == b'-' {
            after_marker(text, opening.end)?
        } else {
            after_count(text, opening.end)?
        };
        Some(Self {
            start: opening.start,
            at,
            pieces: Vec::new(),
            total: 0,
            longest: 0,
            decorated: false,
            fresh: false,
            state: State::Reading,
        })
    }

    /// Begins again at a position where a block was seen to begin.
    pub(crate) fn restart(text: &[u8], start: usize) -> Option<Self> {
        let opening =
            OPENINGS.iter().find(|opening| text[start..].starts_with(&opening.as_bytes()[..1])).or(OPENINGS.last())?;
        Self::begin(text, start..start + opening.len())
    }

    /// Goes on with a block whose earlier part is gone.
    pub(crate) fn resume_at(&mut self, at: usize) {
        self.at = at;
        self.start = at;
        self.pieces.clear();
        self.fresh = true;
    }

    /// Where the block begins.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Reads what is left of the text as the end of the block.
    pub(crate) fn finish(&mut self, text: &[u8]) {
        self.read(text);
        if self.state == State::Reading {
            let separator = Separator::read(text, self.at);
            let end = piece_end(text, separator.end);
            if end > separator.end && (separator.breaks || self.fresh || end - separator.end >= LEAST_BODY) {
                self.take(separator.end..end, separator.decorated);
            }
            self.state = State::Ended(self.at);
        }
    }

    /// Reads on as far as the text goes.
    pub(crate) fn read(&mut self, text: &[u8]) {
        while self.state == State::Reading && self.at < text.len() {
            if !self.step(text) {
                break;
            }
        }
    }

    /// Reads a separator with the piece behind it; `false` when more text is needed.
    fn step(&mut self, text: &[u8]) -> bool {
        let separator = Separator::read(text, self.at);
        let start = separator.end;
        if start == text.len() {
            return false;
        }
        if text[start..].starts_with(b"-----END") {
            return self.end_at_marker(text, start);
        }
        let end = piece_end(text, start);
        let length = end - start;
        if end == text.len() {
            // The piece may go on in the next chunk; a long one need not be kept to know what it is.
            if length >= LONG_PIECE {
                self.take(start..end, separator.decorated);
                self.fresh = true;
            }
            return false;
        }
        if is_header(text, start, end) {
            self.at = line_end(text, end);
            return self.at < text.len();
        }
        let framed = (separator.breaks || self.fresh) && ends_line(text[end]);
        let other_block = separator.new_line && line_opens_block(text, start);
        if length == 0 || other_block || !(framed || length >= LEAST_BODY) {
            self.state = State::Ended(self.at);
            return true;
        }
        self.take(start..end, separator.decorated);
        true
    }

    fn take(&mut self, piece: Range<usize>, decorated: bool) {
        self.total += piece.len();
        self.longest = self.longest.max(piece.len());
        self.decorated |= decorated;
        self.at = piece.end;
        self.fresh = false;
        self.pieces.push(piece);
    }

    fn end_at_marker(&mut self, text: &[u8], start: usize) -> bool {
        let after = after_marker(text, start + 8);
        if after.is_none() && text.len() < start + MARKER {
            return false;
        }
        self.state = State::Ended(after.unwrap_or(start));
        true
    }

    /// Whether the end has been seen.
    pub(crate) fn is_complete(&self) -> bool {
        self.state != State::Reading
    }

    /// Where the block ends, as far as it has been read.
    pub(crate) fn end(&self) -> usize {
        match self.state {
            State::Ended(end) => end,
            State::Reading => self.at,
        }
    }

    /// Whether it holds enough of a key to be one.
    pub(crate) fn is_key(&self) -> bool {
        self.total >= LEAST_BODY && self.longest >= LEAST_PIECE && !self.is_example()
    }

    fn is_example(&self) -> bool {
        self.total < 64 && self.pieces.len() == 1 && self.decorated
    }

    /// The ranges to hide: the whole block, or piece by piece where quotes stand between them.
    pub(crate) fn secrets(&self) -> Vec<Range<usize>> {
        if !self.is_key() {
            Vec::new()
        } else if self.decorated {
            self.pieces.clone()
        } else {
            std::iter::once(self.start..self.end()).collect()
        }
    }
}

/// What stands between two pieces.
struct Separator {
    end: usize,
    /// There was a line end, real or escaped, or a quote.
    breaks: bool,
    /// There was something that must stay, such as a quote.
    decorated: bool,
    /// There was a real line end.
    new_line: bool,
}

impl Separator {
    fn read(text: &[u8], start: usize) -> Self {
        let (mut at, mut breaks, mut decorated, mut new_line) = (start, false, false, false);
        while at < text.len() {
            match text[at] {
                b'\n' | b'\r' => (breaks, new_line) = (true, true),
                b' ' | b'\t' => {}
                b'\\' if at + 1 < text.len() => {
                    breaks = true;
                    decorated |= matches!(text[at + 1], b'"' | b'\'' | b'\n');
                    at += 1;
                }
                b'"' | b'\'' | b',' | b'`' | b';' | b'#' | b'*' | b'>' | b'|' => (breaks, decorated) = (true, true),
                b'+' | b'/' | b'.' if is_lone(text, at, start) => decorated = true,
                _ => break,
            }
            at += 1;
        }
        Self { end: at, breaks, decorated, new_line }
    }
}

/// Whether a byte of the base64 alphabet stands alone, as the `+` that joins string literals does.
fn is_lone(text: &[u8], at: usize, start: usize) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'');
    let before = at == start || blank(text[at - 1]) || text[at - 1] == text[at];
    before && text.get(at + 1).is_some_and(|&next| blank(next) || next == text[at])
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn piece_end(text: &[u8], start: usize) -> usize {
    (start..text.len()).find(|&at| !is_base64(text[at])).unwrap_or(text.len())
}

/// Whether a piece of a key may be followed by this byte.
fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b'`' | b'-' | b',')
}

/// Whether another block begins on this line: the line then belongs to that one.
fn line_opens_block(text: &[u8], start: usize) -> bool {
    let length = text[start..].iter().position(|&byte| byte == b'\n').unwrap_or(text.len() - start);
    text[start..start + length].windows(10).any(|ten| ten.eq_ignore_ascii_case(OPENINGS[0].as_bytes()))
}

/// Whether a line such as `Proc-Type: 4,ENCRYPTED` begins here.
fn is_header(text: &[u8], start: usize, end: usize) -> bool {
    let word = (start..text.len().min(start + 32)).find(|&at| !(text[at].is_ascii_alphanumeric() || text[at] == b'-'));
    end > start && word.is_some_and(|at| text[at..].starts_with(b": "))
}

/// The end of a header line, real or escaped.
fn line_end(text: &[u8], start: usize) -> usize {
    (start..text.len()).find(|&at| matches!(text[at], b'\n' | b'\\')).unwrap_or(text.len())
}

/// Where a marker ends whose first dashes were read: `… PRIVATE KEY-----`.
fn after_marker(text: &[u8], start: usize) -> Option<usize> {
    let stop = text.len().min(start + MARKER);
    let dashes = start + text[start..stop].windows(5).position(|five| five == b"-----")?;
    let label = &text[start..dashes];
    let private = label.windows(11).any(|eleven| eleven == b"PRIVATE KEY");
    let plain = label.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-'));
    (private && plain).then_some(dashes + 5)
}

/// Where the number behind `Private-Lines:` ends.
fn after_count(text: &[u8], start: usize) -> Option<usize> {
    let digits = start + text[start..].iter().take_while(|byte| **byte == b' ').count();
    let end = digits + text[digits..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    (end > digits).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets_of(text: &str) -> Vec<&str> {
        let start = text.find("-----BEGIN").unwrap();
        let Some(mut block) = Block::begin(text.as_bytes(), start..start + 10) else { return Vec::new() };
        block.read(text.as_bytes());
        block.secrets().into_iter().map(|range| &text[range]).collect()
    }

    const LINE: &str = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";

    #[test]
    fn a_block_is_one_secret() {
        let text = format!("a -----BEGIN RSA PRIVATE KEY-----\n{LINE}\n{LINE}\n-----END RSA PRIVATE KEY----- b");
        assert_eq!(secrets_of(&text), [&text[2..text.len() - 2]]);
    }

    #[test]
    fn escaped_line_ends_are_line_ends() {
        let text = format!("-----BEGIN PRIVATE KEY-----\\n{LINE}\\n{LINE}\\n-----END PRIVATE KEY-----\\n");
        assert_eq!(secrets_of(&text), [&text[..text.len() - 2]]);
    }

    #[test]
    fn string_literals_keep_their_quotes() {
        let text = format!("[\"-----BEGIN PRIVATE KEY-----\",\"{LINE}\",\"{LINE}\",\"-----END PRIVATE KEY-----\"]");
        assert_eq!(secrets_of(&text), [LINE, LINE]);
    }

    #[test]
    fn headers_belong_to_the_block_and_prose_does_not() {
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{LINE}\n{LINE}\nand so on.");
        assert_eq!(secrets_of(&text), [text.split("\nand").next().unwrap()]);
    }

    #[test]
    fn examples_and_public_keys_are_left_alone() {
        assert!(secrets_of("-----BEGIN PRIVATE KEY-----\nthe key\n-----END PRIVATE KEY-----").is_empty());
        assert!(
            secrets_of(&format!("-----BEGIN PUBLIC KEY-----\n{LINE}\n{LINE}\n-----END PUBLIC KEY-----")).is_empty()
        );
    }
}

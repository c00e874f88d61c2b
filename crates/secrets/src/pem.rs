//! Private keys in blocks: `-----BEGIN … PRIVATE KEY-----`, over many lines, with escaped line ends, or in the string
//! literals of source code.

use crate::stream::MAX_LINE;
use std::ops::Range;

/// How such blocks begin.
pub(crate) const OPENINGS: [&str; 2] = ["-----begin", "private-lines:"];

/// The least number of key characters, in all and in one piece: less is an example in a document.
const LEAST_BODY: usize = 40;
const LEAST_PIECE: usize = 30;

/// A piece this long is no word and no header.
const LONG_PIECE: usize = 100;

/// How far a marker may reach.
pub(crate) const MARKER: usize = 80;

/// A block that is being read, line by line. It can be continued when more lines have come, and what becomes of it does
/// not depend on how many came at once. No other opening lies inside.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    start: usize,
    /// Where its opening ends.
    body: usize,
    /// Where what belongs to it ends so far.
    at: usize,
    /// Where its last piece or its last marker ends.
    solid: usize,
    /// How far it has been read.
    cursor: usize,
    /// What stands between `at` and `cursor`.
    separator: Separator,
    /// The pieces of the key, where something else than blanks stands between them.
    pieces: Vec<Range<usize>>,
    total: usize,
    longest: usize,
    decorated: bool,
    /// Between the pieces a string may end.
    torn: bool,
    /// What comes next goes on with a long piece.
    fresh: bool,
    /// It is a key, and too long to be shown piece by piece.
    long: bool,
    ended: bool,
}

/// What stands between two pieces.
#[derive(Clone, Copy, Debug, Default)]
struct Separator {
    /// There was a line end, real or escaped, or a quote.
    breaks: bool,
    /// There was something that must stay, such as a quote.
    decorated: bool,
    /// There was something that may end a string, which must not be hidden with what stands before it.
    torn: bool,
    /// There was a real line end.
    new_line: bool,
}

/// How a line that is being read ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// With a line end, or with the text.
    Complete,
    /// Where another block begins.
    Opening,
    /// It goes on in text that has not come yet.
    Unknown,
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
            body: at,
            at,
            solid: at,
            cursor: at,
            separator: Separator::default(),
            pieces: Vec::new(),
            total: 0,
            longest: 0,
            decorated: false,
            torn: false,
            fresh: false,
            long: false,
            ended: false,
        })
    }

    /// Goes with its text when that is moved.
    pub(crate) fn moved(mut self, from: usize, to: usize) -> Self {
        let place = |at: usize| (at + to).saturating_sub(from);
        for at in [&mut self.start, &mut self.body, &mut self.at, &mut self.solid, &mut self.cursor] {
            *at = place(*at);
        }
        self.pieces.iter_mut().for_each(|piece| *piece = place(piece.start)..place(piece.end));
        self
    }

    /// Where the block begins.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where its opening ends.
    pub(crate) fn body(&self) -> usize {
        self.body
    }

    /// Reads what is left of the text as the end of the block.
    pub(crate) fn finish(&mut self, text: &[u8]) {
        self.read_lines(text, LineEnd::Complete);
        self.ended = true;
    }

    /// Reads on as far as the text goes, which ends at a line end or within a long line.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.read_lines(text, LineEnd::Unknown);
    }

    fn read_lines(&mut self, text: &[u8], end_of_text: LineEnd) {
        while !self.ended && self.cursor < text.len() {
            let newline = text[self.cursor..].iter().position(|&byte| byte == b'\n');
            let end = newline.map_or(text.len(), |at| self.cursor + at + 1);
            if let Some(opening) = opening_in(&text[self.cursor..end]) {
                self.read_line(&text[..self.cursor + opening], LineEnd::Opening);
                self.ended = true;
                return;
            }
            self.read_line(&text[..end], newline.map_or(end_of_text, |_| LineEnd::Complete));
            self.limit(end);
            if newline.is_none() {
                return;
            }
        }
    }

    /// Reads the rest of a line, up to the end of the text.
    fn read_line(&mut self, text: &[u8], line_end: LineEnd) {
        while !self.ended {
            self.skip_separator(text);
            let start = self.cursor;
            if start == text.len() || line_end == LineEnd::Unknown && text[start..] == [b'\\'] {
                return;
            }
            if text[start..].starts_with(b"-----END") {
                let marker = after_marker(text, start + 8);
                if marker.is_some() || line_end != LineEnd::Unknown || text.len() >= start + MARKER {
                    self.end_with(marker);
                }
                return;
            }
            let end = piece_end(text, start);
            if end == text.len() && line_end == LineEnd::Unknown {
                // The piece may go on in the next chunk; a long one need not be kept to know what it is.
                if end - start >= LONG_PIECE {
                    self.take(start..end);
                    self.fresh = true;
                }
                return;
            }
            let header_end = header_end(text, end);
            // A header that has not ended where another block begins belongs to that one.
            let ends = line_end != LineEnd::Opening || header_end < text.len();
            if ends && is_header(text, start, end) {
                self.pass_header(text, start..header_end);
            } else if self.is_piece(text, start..end, line_end) {
                self.take(start..end);
            } else {
                self.ended = true;
            }
        }
    }

    /// Ends the block, behind a marker or where its last piece ended: as the end of the text would if the marker is none,
    /// and lest a quote before the marker be hidden with the block.
    fn end_with(&mut self, marker: Option<usize>) {
        if let Some(marker) = marker.filter(|_| !self.separator.torn || self.is_shown_in_part()) {
            (self.at, self.solid) = (marker, marker);
        }
        self.ended = true;
    }

    /// Goes on behind a header. In JSON its line may hold the end of the string that it stands in, or a quote may stand
    /// before it: the block ends there if nothing of the key follows.
    fn pass_header(&mut self, text: &[u8], header: Range<usize>) {
        let end = header.end;
        let mut quotes = header.filter(|&at| text[at] == b'"').peekable();
        let first = quotes.peek().copied();
        let open = !quotes.count().is_multiple_of(2) || text.get(end) == Some(&b'\\');
        let stays = if self.separator.torn { Some(self.at) } else { first.filter(|_| open) };
        let key = first.filter(|&quote| open && piece_end(text, quote + 1) - quote > LEAST_BODY);
        self.pass(key.unwrap_or(end));
        if let Some(at) = stays {
            self.at = at;
            self.separator.torn = true;
        }
    }

    fn is_piece(&self, text: &[u8], piece: Range<usize>, line_end: LineEnd) -> bool {
        // What is short belongs to the other block that begins on the line. A long piece is key, whatever follows it.
        let others = line_end == LineEnd::Opening && self.separator.new_line && piece.len() < LEAST_PIECE;
        let framed = (self.separator.breaks || self.fresh) && text.get(piece.end).is_none_or(|&byte| ends_line(byte));
        !piece.is_empty() && !others && (framed || piece.len() >= LEAST_BODY)
    }

    fn take(&mut self, piece: Range<usize>) {
        self.total += piece.len();
        self.longest = self.longest.max(piece.len());
        self.decorated |= self.separator.decorated;
        self.torn |= self.separator.torn;
        self.pass(piece.end);
        self.solid = piece.end;
        match self.pieces.last_mut() {
            Some(last) if last.end == piece.start => last.end = piece.end,
            _ if self.long => {}
            _ => self.pieces.push(piece),
        }
    }

    /// Goes on behind what belongs to the block.
    fn pass(&mut self, end: usize) {
        (self.at, self.cursor) = (end, end);
        self.separator = Separator::default();
        self.fresh = false;
    }

    /// Keeps what must be held small.
    fn limit(&mut self, read: usize) {
        if read - self.start > MAX_LINE {
            self.long |= self.is_key();
            self.ended |= !self.long;
            self.pieces.clear();
        }
        self.ended |= read - self.at.min(read) > MAX_LINE;
    }

    /// Reads what may stand between two pieces.
    fn skip_separator(&mut self, text: &[u8]) {
        let Separator { breaks, decorated, torn, new_line } = &mut self.separator;
        while let Some(&byte) = text.get(self.cursor) {
            match byte {
                b'\n' | b'\r' => (*breaks, *new_line) = (true, true),
                b' ' | b'\t' => {}
                b'\\' if self.cursor + 1 < text.len() => {
                    *breaks = true;
                    *decorated |= matches!(text[self.cursor + 1], b'"' | b'\'' | b'\n');
                    *torn |= text[self.cursor + 1] == b'"';
                    self.cursor += 1;
                }
                b'"' => (*breaks, *decorated, *torn) = (true, true, true),
                b'\'' | b',' | b'`' | b';' | b'#' | b'*' | b'>' | b'|' => (*breaks, *decorated) = (true, true),
                b'+' | b'/' | b'.' if is_lone(text, self.cursor, self.at) => *decorated = true,
                _ => break,
            }
            self.cursor += 1;
        }
    }

    /// Whether the end has been seen.
    pub(crate) fn is_complete(&self) -> bool {
        self.ended
    }

    /// Where the block ends, as far as it has been read. Headers behind the last piece are hidden with the whole block,
    /// but where they would stay, they are text like any other.
    pub(crate) fn end(&self) -> usize {
        if self.is_shown_in_part() { self.solid } else { self.at }
    }

    fn is_shown_in_part(&self) -> bool {
        (self.decorated || self.torn) && !self.long
    }

    /// Whether it holds enough of a key to be one. Once true, this stays so.
    pub(crate) fn is_key(&self) -> bool {
        self.long || self.total >= LEAST_BODY && self.longest >= LEAST_PIECE && !self.is_example()
    }

    /// Whether it is a key that is longer than what is held back.
    pub(crate) fn is_long(&self) -> bool {
        self.long
    }

    fn is_example(&self) -> bool {
        self.total < 64 && self.pieces.len() == 1 && self.decorated
    }

    /// The ranges to hide: the whole block, or piece by piece where quotes stand between them.
    pub(crate) fn secrets(&self) -> Vec<Range<usize>> {
        if !self.is_key() {
            Vec::new()
        } else if self.is_shown_in_part() {
            self.pieces.clone()
        } else {
            std::iter::once(self.start..self.end()).collect()
        }
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

/// Where another block begins in a line.
pub(crate) fn opening_in(line: &[u8]) -> Option<usize> {
    (0..line.len()).find(|&at| is_opening(&line[at..]))
}

fn is_opening(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'p' | b'P'))
        && OPENINGS.iter().any(|opening| starts_with_ignoring_case(text, opening.as_bytes()))
}

/// Where the first marker of a key block begins in a range of the text, or the hyphens that end one.
pub(crate) fn marker_in(text: &[u8], range: Range<usize>) -> Option<usize> {
    range.into_iter().find(|&at| is_marker(text, at))
}

/// Whether a marker begins or ends here. It is no part of anything else: a text is cut where a key block begins, and
/// what stands before must be judged alike when the key has been taken out and the marker has stayed.
pub(crate) fn is_marker(text: &[u8], at: usize) -> bool {
    let behind = &text[at..];
    is_opening(behind)
        || behind.starts_with(b"-----END")
        || behind.starts_with(b"-----") && is_private_label(label_before(&text[..at]))
}

/// What stands between the hyphens of a marker, if those behind it begin at the end of the text.
fn label_before(text: &[u8]) -> &[u8] {
    let near = &text[text.len().saturating_sub(MARKER)..];
    let hyphens = near.windows(5).rposition(|five| five == b"-----");
    &near[hyphens.map_or(0, |at| at + 5)..]
}

fn starts_with_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// Whether a line such as `Proc-Type: 4,ENCRYPTED` begins here.
fn is_header(text: &[u8], start: usize, end: usize) -> bool {
    let word = (start..text.len().min(start + 32)).find(|&at| !(text[at].is_ascii_alphanumeric() || text[at] == b'-'));
    end > start && word.is_some_and(|at| text[at..].starts_with(b": "))
}

/// The end of a header line, real or escaped.
fn header_end(text: &[u8], start: usize) -> usize {
    (start..text.len()).find(|&at| matches!(text[at], b'\n' | b'\\')).unwrap_or(text.len())
}

/// Where a marker ends whose first dashes were read: `… PRIVATE KEY-----`.
fn after_marker(text: &[u8], start: usize) -> Option<usize> {
    let stop = text.len().min(start + MARKER);
    let dashes = start + text[start..stop].windows(5).position(|five| five == b"-----")?;
    let label = &text[start..dashes];
    is_private_label(label).then_some(dashes + 5)
}

fn is_private_label(label: &[u8]) -> bool {
    let private = label.windows(11).any(|eleven| eleven == b"PRIVATE KEY");
    // A damaged label is still one, but it reaches over no line end and out of no string.
    private && !label.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\'))
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
        block.finish(text.as_bytes());
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
    fn a_block_without_an_end_does_not_hide_behind_the_next() {
        let text = format!("-----BEGIN PRIVATE KEY-----\n{LINE}-END; -----BEGIN PRIVATE KEY-----\n{LINE}\n");
        assert_eq!(secrets_of(&text), [text.split("-END").next().unwrap()]);
    }

    #[test]
    fn examples_and_public_keys_are_left_alone() {
        assert!(secrets_of("-----BEGIN PRIVATE KEY-----\nthe key\n-----END PRIVATE KEY-----").is_empty());
        assert!(
            secrets_of(&format!("-----BEGIN PUBLIC KEY-----\n{LINE}\n{LINE}\n-----END PUBLIC KEY-----")).is_empty()
        );
    }

    #[test]
    fn a_block_ends_where_nothing_belongs_to_it_for_too_long() {
        let blank = format!("{:10}\n", "");
        for (lines, goes_on) in [(5_000, true), (7_000, false)] {
            let text = format!("-----BEGIN PRIVATE KEY-----\n{LINE}\n{}{LINE}\n", blank.repeat(lines));
            let last = secrets_of(&text).last().map(|secret| secret.as_bytes().as_ptr_range().end);
            assert_eq!(last == Some(text.trim_end().as_bytes().as_ptr_range().end), goes_on, "{lines}");
        }
    }
}

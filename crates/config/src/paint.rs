//! Lines of a stranger's file on somebody's terminal.

use std::fmt::Write as _;
use std::ops::Range;

/// A character as it is shown: nothing that moves the cursor, hides text or turns its direction around.
fn shown(letter: char) -> char {
    match letter {
        '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '\u{fffd}',
        letter => letter,
    }
}

/// How many columns a character takes, or more: then the underline is off, and no line is too long.
fn width(letter: char) -> usize {
    match letter as u32 {
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// A line and what of it is underlined, in columns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) indent: usize,
    pub(crate) marked: usize,
}

impl Line {
    /// The line on which a range begins. A range over several lines is underlined to the end of its first.
    pub(crate) fn of(text: &str, span: &Range<usize>) -> Self {
        let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
        let line = text[start..end].trim_end_matches('\r');
        let mut found = Self { text: String::with_capacity(line.len()), indent: 0, marked: 0 };
        for (at, letter) in line.char_indices().map(|(at, letter)| (start + at, shown(letter))) {
            found.text.push(letter);
            match at {
                at if at < span.start => found.indent += width(letter),
                at if at < span.end => found.marked += width(letter),
                _ => {}
            }
        }
        // The end of a line is a place, too.
        found.marked = found.marked.max(1);
        found
    }

    /// A text on one line, fit to be seen.
    pub(crate) fn plain(text: &str) -> String {
        text.chars().map(shown).collect()
    }

    /// The part around the underlined text that fits.
    pub(crate) fn fit(self, columns: usize) -> Self {
        let all: usize = self.text.chars().map(width).sum();
        if all.max(self.indent + 1) <= columns {
            return Self { marked: self.marked.min(columns - self.indent), ..self };
        }
        let room = columns.saturating_sub(2).max(1);
        let wanted = self.indent.saturating_sub(room / 3).min(all.saturating_sub(room).max(self.indent.min(all)));
        let wanted = if self.indent + self.marked <= room { 0 } else { wanted };
        let (mut text, mut column, mut from) = (String::new(), 0, None);
        for letter in self.text.chars() {
            let next = column + width(letter);
            if column >= wanted && next <= from.unwrap_or(column) + room {
                from.get_or_insert(column);
                text.push(letter);
            }
            column = next;
        }
        let from = from.unwrap_or(all);
        let lead = if from > 0 { "…" } else { "" };
        let tail = if from + room < all { "…" } else { "" };
        let indent = self.indent - from.min(self.indent) + usize::from(from > 0);
        let marked = self.marked.min(columns.saturating_sub(indent)).max(1);
        Self { text: format!("{lead}{text}{tail}"), indent, marked }
    }
}

/// A text that is no longer than that; what a stranger wrote may be any length.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let mut clipped: String = text.chars().map(shown).take(most).collect();
    if text.chars().nth(most).is_some() {
        clipped.push('…');
    }
    clipped
}

/// What somebody wrote, in backticks.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", clip(text, 60))
}

/// `a`, `b` or `c`.
pub(crate) fn choice<S: AsRef<str>>(names: &[S]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let lead = match index {
            0 => "",
            index if index + 1 == names.len() => " or ",
            _ => ", ",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{lead}{}", name.as_ref());
    }
    text
}

/// Breaks a text into lines; those after the first are indented. Only a word longer than a line is cut.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().map(shown).collect();
        for piece in word.chunks(columns.max(1)) {
            let length: usize = piece.iter().map(|letter| width(*letter)).sum();
            if used > 0 && used + 1 + length > columns {
                let _ = write!(lines, "\n{:indent$}", "");
                used = 0;
            }
            if used > 0 {
                lines.push(' ');
                used += 1;
            }
            lines.extend(piece);
            used += length;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_without_harm() {
        for (text, span, expected) in [
            ("a = 1\nb = 2\nc", 6..7, ("b = 2", 0, 1)),
            ("a = 1\r\n", 4..7, ("a = 1", 4, 1)),
            ("a = 1", 5..5, ("a = 1", 5, 1)),
            ("", 0..0, ("", 0, 1)),
            ("a = \"\u{1b}[2J\u{202e}\"", 4..13, ("a = \"\u{fffd}[2J\u{fffd}\"", 4, 7)),
            ("\tb = 1", 1..2, (" b = 1", 1, 1)),
            ("日本 = 1", 0..6, ("日本 = 1", 0, 4)),
            ("a = [\n1]", 4..8, ("a = [", 4, 1)),
        ] {
            let line = Line::of(text, &span);
            assert_eq!((line.text.as_str(), line.indent, line.marked), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let text = format!("{}MARK{}", "a".repeat(100), "b".repeat(100));
        for (span, expected) in [
            (100..104, "…aaaaaaMARKbbbbbbbb…"),
            (0..3, "aaaaaaaaaaaaaaaaaa…"),
            (200..204, "…bbbbbbbbbb"),
            (204..204, "…bbbbbb"),
        ] {
            let line = Line::of(&text, &span).fit(20);
            assert_eq!(line.text, expected, "{span:?}");
            assert!(line.indent + line.marked <= 20, "{line:?}");
        }
    }

    #[test]
    fn long_texts_are_broken() {
        for (text, expected) in
            [("one two three", "one two\n  three"), ("seventeenletters x", "seventeen\n  letters x"), ("", "")]
        {
            assert_eq!(wrap(text, 9, 2), expected, "{text}");
        }
        assert_eq!(choice(&["a", "b", "c"]), "a, b or c");
    }
}

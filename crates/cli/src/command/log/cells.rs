//! How wide text is on a terminal, and text that fits.

use crate::output::visible;

/// At most so many marks are drawn over one character: more would paint over the lines around it.
const MOST_MARKS: usize = 2;

/// What is shown two cells wide.
const WIDE: &[(char, char)] = &[
    ('\u{1100}', '\u{115F}'),
    ('\u{231A}', '\u{231B}'),
    ('\u{2329}', '\u{232A}'),
    ('\u{23E9}', '\u{23F3}'),
    ('\u{25FD}', '\u{25FE}'),
    ('\u{2614}', '\u{2615}'),
    ('\u{2648}', '\u{2653}'),
    ('\u{267F}', '\u{267F}'),
    ('\u{2693}', '\u{2693}'),
    ('\u{26A1}', '\u{26FF}'),
    ('\u{2705}', '\u{2705}'),
    ('\u{270A}', '\u{270B}'),
    ('\u{2728}', '\u{2728}'),
    ('\u{274C}', '\u{2757}'),
    ('\u{2795}', '\u{2797}'),
    ('\u{27B0}', '\u{27BF}'),
    ('\u{2B1B}', '\u{2B1C}'),
    ('\u{2B50}', '\u{2B55}'),
    ('\u{2E80}', '\u{303E}'),
    ('\u{3041}', '\u{A4CF}'),
    ('\u{A960}', '\u{A97F}'),
    ('\u{AC00}', '\u{D7A3}'),
    ('\u{F900}', '\u{FAFF}'),
    ('\u{FE10}', '\u{FE19}'),
    ('\u{FE30}', '\u{FE6F}'),
    ('\u{FF00}', '\u{FF60}'),
    ('\u{FFE0}', '\u{FFE6}'),
    ('\u{16FE0}', '\u{18CFF}'),
    ('\u{1AFF0}', '\u{1B2FF}'),
    ('\u{1F004}', '\u{1F004}'),
    ('\u{1F0CF}', '\u{1F0CF}'),
    ('\u{1F18E}', '\u{1F19A}'),
    ('\u{1F1E6}', '\u{1F64F}'),
    ('\u{1F680}', '\u{1F6FF}'),
    ('\u{1F7E0}', '\u{1F7F0}'),
    ('\u{1F90C}', '\u{1FAFF}'),
    ('\u{20000}', '\u{3FFFD}'),
];

/// What is drawn over the character before it.
const MARKS: &[(char, char)] = &[
    ('\u{0300}', '\u{036F}'),
    ('\u{0483}', '\u{0489}'),
    ('\u{0591}', '\u{05BD}'),
    ('\u{0610}', '\u{061A}'),
    ('\u{064B}', '\u{065F}'),
    ('\u{06D6}', '\u{06DC}'),
    ('\u{093C}', '\u{093C}'),
    ('\u{0941}', '\u{0948}'),
    ('\u{094D}', '\u{094D}'),
    ('\u{0E31}', '\u{0E31}'),
    ('\u{0E34}', '\u{0E3A}'),
    ('\u{0E47}', '\u{0E4E}'),
    ('\u{1AB0}', '\u{1AFF}'),
    ('\u{1DC0}', '\u{1DFF}'),
    ('\u{20D0}', '\u{20FF}'),
    ('\u{302A}', '\u{302D}'),
    ('\u{3099}', '\u{309A}'),
    // The last of these turns a letter into a picture, which some terminals show wider.
    ('\u{FE00}', '\u{FE0E}'),
    ('\u{FE20}', '\u{FE2F}'),
];

fn is_in(c: char, ranges: &[(char, char)]) -> bool {
    let at = ranges.partition_point(|(_, last)| *last < c);
    ranges.get(at).is_some_and(|(first, _)| *first <= c)
}

fn width_of(c: char) -> usize {
    match c {
        ' '..='~' => 1,
        _ if is_in(c, MARKS) => 0,
        _ if is_in(c, WIDE) => 2,
        _ => 1,
    }
}

/// How many cells a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Text that somebody else wrote, on one line, and nothing in it that a terminal obeys.
pub(super) fn tame(text: &str) -> String {
    let mut marks = 0;
    let few = |c: &char| {
        marks = if is_in(*c, MARKS) { marks + 1 } else { 0 };
        marks <= MOST_MARKS
    };
    let text: String = text.chars().filter(few).collect();
    visible(&text)
}

/// At most so many cells, with a mark where it was cut.
pub(super) fn cut(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let mut out = split(text, cells.saturating_sub(1)).0.to_owned();
    if cells > 0 {
        out.push('…');
    }
    out
}

/// Exactly so many cells, cut or with blanks after it.
pub(super) fn fit(text: &str, cells: usize) -> String {
    let mut out = cut(text, cells);
    out.extend(std::iter::repeat_n(' ', cells - width(&out).min(cells)));
    out
}

/// Text in lines of at most so many cells, broken anywhere: nothing is added or left out.
pub(super) fn lines(text: &str, cells: usize) -> Vec<&str> {
    let mut rest = text;
    let mut lines = Vec::new();
    loop {
        let (line, after) = split(rest, cells.max(1));
        lines.push(line);
        if after.is_empty() {
            return lines;
        }
        rest = after;
    }
}

/// As much as fits, though at least one character, and the rest.
fn split(text: &str, cells: usize) -> (&str, &str) {
    let mut used = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        used += width_of(c);
        (used > cells).then_some(at)
    });
    match end {
        None => (text, ""),
        Some(0) if cells == 0 => ("", text),
        Some(0) => text.split_at(text.chars().next().map_or(0, char::len_utf8)),
        Some(at) => text.split_at(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_all_sorts_of_text() {
        for (text, expected) in [
            ("", 0),
            ("abc", 3),
            ("äöü", 3),
            ("a\u{308}", 1),
            ("日本語", 6),
            ("🚀x", 3),
            ("…", 1),
            ("עברית", 5),
            ("한국", 4),
        ] {
            assert_eq!(width(text), expected, "{text}");
        }
    }

    #[test]
    fn text_is_cut_between_characters() {
        for (text, cells, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("日本語", 1, "…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(cut(text, cells), expected);
            assert_eq!(width(&fit(text, cells)), cells, "{text}");
        }
    }

    #[test]
    fn lines_hold_all_of_a_text() {
        for (text, cells, expected) in [
            ("", 4, vec![""]),
            ("abcd", 4, vec!["abcd"]),
            ("abcdefghi", 4, vec!["abcd", "efgh", "i"]),
            ("日本語", 3, vec!["日", "本", "語"]),
            ("日本", 1, vec!["日", "本"]),
        ] {
            assert_eq!(lines(text, cells), expected);
        }
    }

    #[test]
    fn a_pile_of_marks_is_made_low() {
        let pile = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(tame(&pile), "a\u{301}\u{301}b");
        assert_eq!(tame("a\x1b[2J\n\u{9b}\u{202e}\u{7f}"), "a\\u{1b}[2J\\n\\u{9b}\\u{202e}\\u{7f}");
    }

    #[test]
    fn ranges_are_in_order_and_apart() {
        for ranges in [WIDE, MARKS] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}

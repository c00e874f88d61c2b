//! Terminal control.

/// Takes out colours, titles, links and every other escape sequence; line ends and tabs stay.
pub(crate) fn strip(text: &mut String) {
    if !text.contains(['\u{1b}', '\u{9b}', '\u{9d}', '\u{8}', '\u{7}']) {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                Some('[') => skip_control(&mut rest),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut rest),
                // Two-byte sequences, and character sets, which have a third.
                Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => drop(rest.next()),
                _ => {}
            },
            '\u{9b}' => skip_control(&mut rest),
            '\u{9d}' => skip_string(&mut rest),
            '\u{7}' | '\u{8}' => {}
            c => out.push(c),
        }
    }
    *text = out;
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parameters, then one final byte.
fn skip_control(rest: &mut Chars<'_>) {
    while rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// Everything up to the end of the string; one that never ends is cut at the end of its line.
fn skip_string(rest: &mut Chars<'_>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sequences() {
        for (text, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;5;196;1mx\u{1b}[m", "x"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;https://a.b\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx", "x"),
            ("\u{1b}=x", "x"),
            ("\u{9b}31mx", "x"),
            ("a\u{8}b", "ab"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}[31", ""),
            ("\u{1b}]never ends\nnext", "\nnext"),
            ("ä\u{1b}[1mö", "äö"),
        ] {
            let mut stripped = text.to_owned();
            super::strip(&mut stripped);
            assert_eq!(stripped, expected, "{text:?}");
        }
    }
}

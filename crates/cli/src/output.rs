//! Text for a terminal of eighty columns.

use std::io::{self, IsTerminal, Write};

use crate::args::When;
use crate::command::Failure;

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(bool);

impl From<When> for Paint {
    fn from(when: When) -> Self {
        Self(match when {
            When::Always => true,
            When::Never => false,
            When::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty()),
        })
    }
}

impl Paint {
    /// No colours.
    pub(crate) const PLAIN: Self = Self(false);

    pub(crate) fn on(self) -> bool {
        self.0
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.with("31;1", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.with("32;1", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.with("33;1", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Prints to standard output. A reader who went away is no failure, and the status still says what was decided.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.map_err(Failure::from),
    }
}

/// Prints one JSON document, for a reader.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&safe_json(&format!("{value:#}\n")))
}

/// JSON in which nothing stands that a terminal obeys: the same document, with more escapes.
pub(crate) fn safe_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && (c.is_control() || is_unseen(c)) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A number with its thousands set apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Breaks text at blanks so that no line is longer than `width`, each beginning with `indent` blanks.
pub(crate) fn wrap(text: &str, indent: usize, width: usize) -> String {
    let (mut out, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(&format!("{:indent$}{line}\n", ""));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push_str(&format!("{:indent$}{line}", ""));
    out
}

/// What a terminal would obey is shown instead: text that an agent wrote must not move the cursor.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_unseen(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// What changes how the text around it is shown, and is not shown itself.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// At most so many characters, with a mark where it was cut.
pub(crate) fn short(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_blanks() {
        assert_eq!(wrap("one two three", 2, 9), "  one two\n  three");
        assert_eq!(wrap("", 2, 9), "  ");
        assert_eq!(wrap("unbreakable", 0, 4), "unbreakable");
    }

    #[test]
    fn safe_json_is_the_same_document() {
        let document = serde_json::json!({"a\u{202e}": "\u{9b}\x1b\u{7f}\n\u{e0041}é日"});
        let text = safe_json(&document.to_string());
        assert_eq!(text, r#"{"a\u202e":"\u009b\u001b\u007f\n\udb40\udc41é日"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), document);
    }

    #[test]
    fn a_terminal_obeys_nothing_that_is_shown() {
        assert_eq!(visible("a\x1b[2J\nb\u{202E}"), "a\\u{1b}[2J\\nb\\u{202e}");
    }
}

//! Reads `name = value` in the many ways people and programs write it, starting from a word inside the name.

use crate::pem;
use std::ops::Range;

/// How far a value may stand from the word that announced it.
pub(crate) const REACH: usize = 256;

/// How many line ends there may be between a name and its value.
pub(crate) const MOST_LINE_ENDS: usize = 2;

/// The longest value considered. Longer ones are found by their shape or not at all.
pub(crate) const LONGEST_VALUE: usize = 1024;

/// The longest name and the most blanks considered.
const LONGEST_NAME: usize = 80;
const MOST_BLANKS: usize = 48;

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// `=`, `:=`, `=>` and the like.
    Sign,
    /// A colon.
    Colon,
    /// The next argument of a call, or the content of an element.
    Next,
    /// Blanks only, as after a command-line option.
    Blank,
    /// A hyphen that ties the value to the name.
    Hyphen,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// The whole identifier.
    pub(crate) name: Range<usize>,
    /// The value without its quotes.
    pub(crate) value: Range<usize>,
    pub(crate) link: Link,
    /// The value stands in quotes.
    pub(crate) quoted: bool,
    /// The name stands in quotes.
    pub(crate) name_quoted: bool,
}

impl Assignment {
    /// Whether the value is on another line than the name.
    pub(crate) fn crosses(&self, text: &[u8]) -> bool {
        text[self.name.end..self.value.start].contains(&b'\n')
    }
}

/// Reads the assignment whose name holds the word `word`, if it is one; or only if the value is on another line.
pub(crate) fn read(text: &[u8], word: Range<usize>, only_crossing: bool) -> Option<Assignment> {
    let stop = text.len().min(word.end + REACH);
    let mut reader = Reader { text, at: word.end, stop };
    let name_start = name_start(text, word.start);
    reader.skip_while(LONGEST_NAME, is_name_byte);
    // `token:abc` reads the colon as a link, `a.token.` drops the full stop of a sentence.
    let name_end = reader.at;
    let name_quoted = reader.skip_closers();
    reader.skip_blanks();
    reader.skip_value_attribute();
    let opens_element = name_start > 0 && matches!(text[name_start - 1], b'<' | b':');
    let link = reader.link(name_quoted, opens_element)?;
    let link_end = reader.at;
    if only_crossing && !text[name_end..link_end].contains(&b'\n') {
        return None;
    }
    let (value, quoted) = reader.value(link)?;
    // In `"Password:"` the quote behind the colon closes what the quote before the name opened.
    let opening = name_start.checked_sub(1).map(|at| text[at]).filter(|byte| matches!(byte, b'"' | b'\''));
    if link == Link::Colon
        && !name_quoted
        && link_end == name_end + 1
        && opening == text.get(link_end).copied()
        && opening.is_some()
    {
        return None;
    }
    Some(Assignment { name: name_start..name_end, value, link, quoted, name_quoted })
}

/// Reads a value that is tied to its name by a hyphen, such as `vendor-key-1a2b…`, where the name swallowed it.
pub(crate) fn read_tied(text: &[u8], word: Range<usize>) -> Option<Assignment> {
    let stop = text.len().min(word.end + REACH);
    if !matches!(text.get(word.end), Some(b'-' | b'_' | b'.')) {
        return None;
    }
    // Behind `… PRIVATE KEY-----` as well, where a block may end in the middle: the hyphens stay.
    let hyphens = if pem::is_marker(text, word.end) { 5 } else { 1 };
    let start = word.end + hyphens;
    let ends = |at: usize| !(text[at].is_ascii_alphanumeric() || text[at] == b'-') || pem::is_marker(text, at);
    let end = (start..stop).find(|&at| ends(at)).unwrap_or(stop);
    (end >= word.end + 21).then(|| Assignment {
        name: name_start(text, word.start)..word.end,
        value: start..end,
        link: Link::Hyphen,
        quoted: false,
        name_quoted: false,
    })
}

/// Where the identifier that holds `at` begins; the letter of an escape (`\n`) is not part of it.
pub(crate) fn name_start(text: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(LONGEST_NAME);
    let mut start = at;
    while start > floor && is_name_byte(text[start - 1]) && !is_escape_letter(text, start - 1) {
        start -= 1;
    }
    start
}

/// Whether the byte is the letter of `\n`, `\r` or `\t` written out.
pub(crate) fn is_escape_letter(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b'\\' && matches!(text[at], b'n' | b'r' | b't')
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    stop: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        (self.at < self.stop).then(|| self.text[self.at])
    }

    fn skip_while(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let start = self.at;
        while self.at - start < most && self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        self.at - start
    }

    fn skip_blanks(&mut self) -> usize {
        self.skip_while(MOST_BLANKS, |byte| matches!(byte, b' ' | b'\t'))
    }

    /// Skips one line end with the indentation after it.
    fn skip_line_end(&mut self) {
        let before = self.at;
        self.skip_while(1, |byte| byte == b'\r');
        if self.skip_while(1, |byte| byte == b'\n') == 0 {
            self.at = before;
            return;
        }
        self.skip_blanks();
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let end = self.at + word.len();
        let eaten = end <= self.stop && self.text[self.at..end].eq_ignore_ascii_case(word);
        if eaten {
            self.at = end;
        }
        eaten
    }

    /// Skips what closes a name: quotes (also escaped ones) and brackets. Says whether there was a quote.
    fn skip_closers(&mut self) -> bool {
        let mut quote = false;
        for _ in 0..4 {
            let escaped = self.peek() == Some(b'\\') && matches!(self.text.get(self.at + 1), Some(b'"' | b'\''));
            match self.peek() {
                Some(b'"' | b'\'' | b'`') => quote = true,
                Some(b'\\') if escaped => {}
                Some(b']' | b')' | b'}' | b'*') => {}
                _ => break,
            }
            self.at += 1;
        }
        quote
    }

    /// In `key="Password" value="…"` and in `name: TOKEN`, `value: …` the value has a name of its own.
    fn skip_value_attribute(&mut self) {
        let before = self.at;
        self.skip_line_end();
        if !self.eat(b"value") {
            self.at = before;
        }
        self.skip_blanks();
    }

    /// Reads what links the name to the value and stops before the value or its quote.
    fn link(&mut self, name_quoted: bool, opens_element: bool) -> Option<Link> {
        self.skip_type();
        let start = self.at;
        let signs = self.skip_while(4, |byte| matches!(byte, b'=' | b':' | b'?' | b'.' | b'+' | b'|' | b'!' | b'-'));
        let sign = &self.text[start..start + signs];
        let arrow = self.peek() == Some(b'>');
        match sign {
            b"=" | b"-" if arrow => self.at += 1,
            b":" => return self.after_colon(),
            [.., b'='] | b"||" => {}
            [] => return self.link_without_sign(name_quoted, opens_element),
            _ => return None,
        }
        self.skip_blanks();
        self.skip_line_end();
        Some(Link::Sign)
    }

    fn after_colon(&mut self) -> Option<Link> {
        self.skip_blanks();
        // `name: &str = "…"`: what follows the colon is a type.
        let typed = self.at;
        self.skip_while(24, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'&' | b'\'' | b'<' | b'>' | b'?'));
        self.skip_blanks();
        if self.at > typed && self.skip_while(1, |byte| byte == b'=') == 1 {
            self.skip_blanks();
            return Some(Link::Sign);
        }
        self.at = typed;
        // A YAML block scalar keeps its value on the next line.
        self.skip_while(1, |byte| matches!(byte, b'>' | b'|'));
        self.skip_while(1, |byte| byte == b'-');
        self.skip_line_end();
        Some(Link::Colon)
    }

    /// Skips the type in `var name string = …`.
    fn skip_type(&mut self) {
        let before = self.at;
        let blank_before = before > 0 && matches!(self.text[before - 1], b' ' | b'\t');
        let letters = self.skip_while(12, |byte| byte.is_ascii_alphabetic());
        let blanks = self.skip_blanks();
        if !(blank_before && letters > 0 && blanks > 0 && matches!(self.peek(), Some(b'=' | b':'))) {
            self.at = before;
        }
    }

    fn link_without_sign(&mut self, name_quoted: bool, opens_element: bool) -> Option<Link> {
        let blank_before = self.at > 0 && matches!(self.text[self.at - 1], b' ' | b'\t');
        match self.peek()? {
            b',' if name_quoted => {
                self.at += 1;
                self.skip_blanks();
                self.skip_line_end();
                matches!(self.peek()?, b'"' | b'\'' | b'`' | b'\\').then_some(Link::Next)
            }
            b'>' if opens_element || name_quoted => {
                self.at += 1;
                self.skip_blanks();
                self.skip_line_end();
                Some(Link::Next)
            }
            b'(' => {
                self.at += 1;
                matches!(self.peek()?, b'"' | b'\'' | b'`').then_some(Link::Next)
            }
            b'\n' | b'\r' if self.text[self.at - 1].is_ascii_alphanumeric() => {
                self.skip_line_end();
                Some(Link::Blank)
            }
            _ if blank_before => {
                // `the password is 'x'`, `secret key …`, `access token …`
                let before = self.at;
                if !(self.eat(b"is ") || self.eat(b"key ") || self.eat(b"token ")) {
                    self.at = before;
                }
                self.link_after_words()
            }
            _ => None,
        }
    }

    /// After a second word of a name there may still be a sign.
    fn link_after_words(&mut self) -> Option<Link> {
        self.skip_blanks();
        if self.skip_while(2, |byte| matches!(byte, b'=' | b':')) > 0 {
            self.skip_blanks();
            return Some(Link::Sign);
        }
        Some(Link::Blank)
    }

    /// Reads the value, without quotes, and whether it had some.
    fn value(&mut self, link: Link) -> Option<(Range<usize>, bool)> {
        self.skip_openers(link);
        let quote = self.peek()?;
        let (range, quoted) = match quote {
            b'"' | b'\'' | b'`' => (self.quoted(quote)?, true),
            b'\\' if matches!(self.text.get(self.at + 1), Some(b'"' | b'\'')) => {
                self.at += 2;
                (self.bare(), true)
            }
            _ => (self.bare(), false),
        };
        (!range.is_empty()).then_some((range, quoted))
    }

    /// Skips string prefixes, doubled quotes (`'"…"'`) and the name of an authentication scheme.
    fn skip_openers(&mut self, link: Link) {
        self.skip_while(1, |byte| matches!(byte, b'@' | b'['));
        if let (Some(b'b' | b'r' | b'f' | b'u' | b'L'), Some(b'"' | b'\'')) = (self.peek(), self.text.get(self.at + 1))
        {
            self.at += 1;
        }
        if let (Some(b'\'' | b'"'), Some(b'"' | b'\'')) = (self.peek(), self.text.get(self.at + 1))
            && self.text.get(self.at) != self.text.get(self.at + 1)
        {
            self.at += 1;
        }
        if matches!(link, Link::Colon | Link::Sign) {
            let before = self.at;
            self.skip_while(1, |byte| matches!(byte, b'"' | b'\''));
            let scheme = ["bearer ", "basic ", "token ", "bot ", "apikey ", "api-token "];
            if !scheme.iter().any(|word| self.eat(word.as_bytes())) {
                self.at = before;
            }
        }
    }

    /// Reads up to the closing quote, or to a key. A value that holds another kind of quote could reach out of a string
    /// around it.
    fn quoted(&mut self, quote: u8) -> Option<Range<usize>> {
        let start = self.at + 1;
        let stop = self.text.len().min(start + LONGEST_VALUE + 1);
        let mut at = start;
        while at < stop {
            match self.text[at] {
                b'\\' if self.text.get(at + 1) != Some(&b'\n') => at += 1,
                byte if byte == quote => return Some(start..at),
                b'\n' | b'"' => return None,
                _ if pem::is_marker(self.text, at) => return Some(start..at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn bare(&mut self) -> Range<usize> {
        let start = self.at;
        let stop = self.text.len().min(start + LONGEST_VALUE + 1);
        let ends = |byte: u8| byte <= b' ' || b"\"'`,;<>(){}[]\\&".contains(&byte);
        let over = |at: &usize| ends(self.text[*at]) || pem::is_marker(self.text, *at);
        let mut end = (start..stop).find(over).unwrap_or(stop);
        let ellipsis = self.text[start..end].ends_with(b"..");
        while end > start && !ellipsis && matches!(self.text[end - 1], b'.' | b':' | b'?') {
            end -= 1;
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of<'t>(text: &'t str, word: &str) -> Option<&'t str> {
        let start = text.find(word).unwrap();
        let found = read(text.as_bytes(), start..start + word.len(), false)?;
        Some(&text[found.value])
    }

    #[test]
    fn every_way_to_assign_is_read() {
        let texts = [
            "apiToken = \"Zq81\"",
            "apiToken := `Zq81`",
            "api_token: Zq81",
            "api_token ::= 'Zq81'",
            "api_token ?= Zq81;",
            "$apiToken .= \"Zq81\"",
            "\"apiToken\" => \"Zq81\"",
            "{\"api_token\": \"Zq81\"}",
            "{\"a\":\"{\\\"api_token\\\": \\\"Zq81\\\"}\"}",
            "<apiToken>\n    Zq81\n</apiToken>",
            "System.setProperty(\"API_token\", \"Zq81\")",
            "var apiToken string = \"Zq81\"",
            "const apiToken: &str = \"Zq81\";",
            "--token Zq81",
            "?token=Zq81&page=2",
            "<add key=\"token\" value=\"Zq81\" />",
            "name: API_token\n  value: Zq81",
            "token: Bearer Zq81",
        ];
        for text in texts {
            let word = if text.contains("token") { "token" } else { "Token" };
            assert_eq!(value_of(text, word), Some("Zq81"), "{text}");
        }
    }

    #[test]
    fn a_value_never_reaches_over_a_quote_or_an_escape() {
        assert_eq!(value_of("token=ab\\ncd", "token"), Some("ab"));
        assert_eq!(value_of("'token': 'a\"b'", "token"), None);
        assert_eq!(value_of("token", "token"), None);
    }
}

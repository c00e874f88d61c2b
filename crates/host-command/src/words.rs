//! The words of a command line, as far as they can be told without running it.

use std::ops::Range;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// What it says, without quotes.
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) at: Range<usize>,
    /// Whether it says nothing else when it runs: it has no variable, substitution or pattern.
    pub(crate) plain: bool,
}

/// What makes a word depend on more than itself.
const EXPANDS: [char; 5] = ['$', '`', '*', '?', '['];
/// What stands between commands.
const BETWEEN: [char; 7] = ['|', '&', ';', '<', '>', '(', ')'];

/// The commands of a line, each a list of words. `variables` are those whose value is known.
pub(crate) fn commands(line: &str, variables: &[(&str, &str)]) -> Vec<Vec<Word>> {
    let mut reader = Reader { line, variables, done: vec![Vec::new()], word: None };
    reader.read();
    reader.done.retain(|command| !command.is_empty());
    reader.done
}

/// The words of a line that is one command and nothing else: no operator, no second line.
pub(crate) fn only(line: &str, variables: &[(&str, &str)]) -> Option<Vec<Word>> {
    let mut reader = Reader { line: line.trim(), variables, done: vec![Vec::new()], word: None };
    reader.read();
    if reader.done.len() == 1 { reader.done.pop() } else { None }
}

struct Reader<'a> {
    line: &'a str,
    variables: &'a [(&'a str, &'a str)],
    done: Vec<Vec<Word>>,
    word: Option<Word>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut at = 0;
        let mut quote: Option<char> = None;
        while let Some(c) = self.line[at..].chars().next() {
            let next = at + c.len_utf8();
            at = match (quote, c) {
                (Some(open), c) if c == open => {
                    quote = None;
                    self.extend("", at..next)
                }
                (None, '\'' | '"') => {
                    quote = Some(c);
                    self.extend("", at..next)
                }
                (None | Some('"'), '$') => self.variable(at),
                (None | Some('"'), '\\') => self.escaped(at, quote.is_some()),
                (None, c) if c.is_whitespace() => {
                    self.end_word();
                    if c == '\n' {
                        self.end_command();
                    }
                    next
                }
                (None, c) if BETWEEN.contains(&c) => {
                    self.end_word();
                    self.end_command();
                    next
                }
                (None, '#') if self.word.is_none() => {
                    self.line[at..].find('\n').map_or(self.line.len(), |end| at + end)
                }
                (quote, c) => {
                    let dynamic =
                        c == '`' && quote != Some('\'') || quote.is_none() && (EXPANDS.contains(&c) || c == '~');
                    let after = self.extend(&self.line[at..next], at..next);
                    self.mark(dynamic);
                    after
                }
            };
        }
        self.end_word();
    }

    /// A variable: its value where that is known, else the word is anybody's guess.
    fn variable(&mut self, at: usize) -> usize {
        let rest = &self.line[at + 1..];
        let braced = rest.strip_prefix('{').unwrap_or(rest);
        let name: String = braced.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let (open, close) =
            if braced.len() < rest.len() { (1, usize::from(braced[name.len()..].starts_with('}'))) } else { (0, 0) };
        let known = self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let end = at + 1 + open + name.len() + close;
        let (value, dynamic) = match known {
            Some(value) if open == close => (value, false),
            _ => (self.line[at..end].to_owned(), true),
        };
        self.extend(&value, at..end);
        self.mark(dynamic);
        end
    }

    fn escaped(&mut self, at: usize, quoted: bool) -> usize {
        let Some(c) = self.line[at + 1..].chars().next() else { return self.extend("\\", at..at + 1) };
        let end = at + 1 + c.len_utf8();
        let kept = if quoted && !['$', '`', '"', '\\'].contains(&c) { "\\" } else { "" };
        let text = if c == '\n' { String::new() } else { format!("{kept}{c}") };
        self.extend(&text, at..end)
    }

    fn extend(&mut self, text: &str, at: Range<usize>) -> usize {
        let word = self.word.get_or_insert_with(|| Word { text: String::new(), at: at.clone(), plain: true });
        word.text.push_str(text);
        word.at.end = at.end;
        at.end
    }

    fn mark(&mut self, dynamic: bool) {
        if let Some(word) = self.word.as_mut().filter(|_| dynamic) {
            word.plain = false;
        }
    }

    fn end_word(&mut self) {
        let word = self.word.take();
        if let Some(last) = self.done.last_mut() {
            last.extend(word);
        }
    }

    fn end_command(&mut self) {
        self.done.push(Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_like_a_shell_does() {
        let shown = |line: &str| {
            let word = |word: &Word| format!("{}{}", if word.plain { "" } else { "?" }, word.text);
            let command = |words: &Vec<Word>| words.iter().map(word).collect::<Vec<_>>().join("·");
            commands(line, &[("DIR", "/p")]).iter().map(command).collect::<Vec<_>>().join(" | ")
        };
        for (line, expected) in [
            ("", ""),
            ("python guard.py", "python·guard.py"),
            ("  a  'b c' \"d e\"f\\ g ", "a·b c·d ef g"),
            ("a | b && c; (d) > e", "a | b | c | d | e"),
            ("\"$DIR\"/x ${DIR}/y '$DIR' $OTHER ${DIR", "/p/x·/p/y·$DIR·?$OTHER·?${DIR"),
            ("a *.py ~/x `b` \"`c`\"", "a·?*.py·?~/x·?`b`·?`c`"),
            ("a \"\\n\\\"\" \\", "a·\\n\"·\\"),
            ("a # b\nc", "a | c"),
            ("a#b é", "a#b·é"),
            ("'open", "open"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}

//! Cuts code into names, text and operators. Tolerant: whatever it does not know is an operator of one character.

use super::grammar::{Backtick, Grammar, Holes};
use super::quotes;
use crate::doing::Language;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// A variable with a sigil, without it.
    Var(String),
    Text(Vec<Part>),
    /// Text that a shell runs: backticks, `%x()`, `qx{}`.
    Command(Vec<Part>),
    /// `qw(a b)`, `%w[a b]`.
    Words(Vec<String>),
    Number(i64),
    Op(&'static str),
    Newline,
}

/// Text, or code whose value takes its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Plain(String),
    Code(String),
}

/// Operators, longer ones first.
const OPERATORS: &[&str] = &[
    "===", "!==", "...", "**=", "<=>", "&&=", "||=", "??=", "//=", ">>>", "=>", "->", "::", "&&", "||", "??", "?.",
    "&.", "+=", "-=", "*=", "/=", ".=", "..", "==", "!=", "<=", ">=", "=~", "!~", "**", "<<", ">>", ":=", "|>", "<-",
    "<>", "++", "--", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "+", "-", "*", "/", "%", "=", "<", ">", "!",
    "?", "&", "|", "^", "~", "@", "$", "#", "\\",
];

pub(super) struct Lexer<'c> {
    pub code: &'c str,
    pub at: usize,
    pub language: Language,
    pub grammar: Grammar,
    pub tokens: Vec<Token>,
    /// Where the line after the here-documents of this line starts.
    pub after_heredocs: Option<usize>,
}

/// All tokens of a piece of code.
pub(super) fn tokens(code: &str, language: Language) -> Vec<Token> {
    let grammar = super::grammar::of(language);
    let mut lexer = Lexer { code, at: 0, language, grammar, tokens: Vec::new(), after_heredocs: None };
    while lexer.at < code.len() {
        lexer.step();
    }
    lexer.tokens
}

impl<'c> Lexer<'c> {
    pub(super) fn rest(&self) -> &'c str {
        self.code.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> char {
        self.rest().chars().next().unwrap_or('\0')
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn step(&mut self) {
        let c = self.peek();
        match c {
            '\n' => self.newline(),
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '\\' if self.starts("\\\n") => self.at += 2,
            _ if self.comment() => {}
            c if c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || c == '_' => self.name(),
            '$' | '@' | '%' if self.grammar.sigils && self.variable() => {}
            '$' if self.language == Language::JavaScript => self.name(),
            '"' | '\'' => quotes::quoted(self, c),
            '`' if self.grammar.backtick != Backtick::Nothing => quotes::quoted(self, c),
            _ if quotes::special(self) => {}
            c => self.operator(c),
        }
    }

    fn newline(&mut self) {
        self.at = self.after_heredocs.take().unwrap_or(self.at + 1);
        if self.tokens.last() != Some(&Token::Newline) {
            self.tokens.push(Token::Newline);
        }
    }

    /// Skips a comment, if here is one.
    fn comment(&mut self) -> bool {
        let line_start = self.at == 0 || self.code.as_bytes()[self.at - 1] == b'\n';
        let grammar = self.grammar;
        if line_start && self.starts("=") && matches!(self.language, Language::Ruby | Language::Perl) {
            let end = if self.language == Language::Ruby { "\n=end" } else { "\n=cut" };
            if self.rest()[1..].starts_with(|c: char| c.is_ascii_lowercase()) {
                self.skip_past(end);
                self.skip_line();
                return true;
            }
        }
        if grammar.dash_comments && self.starts("--") {
            if self.starts("--[[") { self.skip_past("]]") } else { self.skip_line() }
        } else if grammar.slash_comments && self.starts("/*") {
            self.skip_past("*/");
        } else if grammar.slash_comments && self.starts("//") || grammar.hash_comments && self.starts("#") {
            self.skip_line();
        } else {
            return false;
        }
        true
    }

    fn skip_line(&mut self) {
        self.at = self.rest().find('\n').map_or(self.code.len(), |end| self.at + end);
    }

    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.code.len(), |found| self.at + found + end.len());
    }

    fn number(&mut self) {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let digits = rest[..end].replace('_', "");
        let parsed = match digits.get(..2) {
            Some("0x" | "0X") => i64::from_str_radix(&digits[2..], 16),
            Some("0o" | "0O") => i64::from_str_radix(&digits[2..], 8),
            Some("0b" | "0B") => i64::from_str_radix(&digits[2..], 2),
            Some(two) if two.starts_with('0') => i64::from_str_radix(&digits, 8),
            _ => digits.parse(),
        };
        self.at += end;
        self.tokens.push(Token::Number(parsed.unwrap_or(-1)));
    }

    fn name(&mut self) {
        let rest = self.rest();
        let more = |c: char| c.is_alphanumeric() || c == '_' || c == '$' && self.language == Language::JavaScript;
        let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        let after = rest[end..].chars().next().unwrap_or('\0');
        if quotes::prefixed(self, name, after) {
            return;
        }
        let mut name = name.to_owned();
        self.at += end;
        // `empty?`, `rm_rf!`.
        if matches!(self.language, Language::Ruby | Language::Other)
            && matches!(after, '?' | '!')
            && !self.rest()[1..].starts_with(['=', ' '])
        {
            name.push(after);
            self.at += 1;
        }
        self.tokens.push(Token::Name(name));
    }

    /// `$x`, `@list`, `%hash`, `$Package::x`, `$$`, `$_`.
    fn variable(&mut self) -> bool {
        let rest = self.rest();
        let name = rest[1..].trim_start_matches(['{', '$', '#']);
        let skipped = rest.len() - name.len();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(name.len());
        let name = name[..end].trim_end_matches(':');
        if name.is_empty() || rest.starts_with('%') && (self.value_before() || !name.starts_with(char::is_alphabetic)) {
            return false;
        }
        let braced = skipped > 1 && rest[1..].starts_with('{') && rest[skipped + name.len()..].starts_with('}');
        if rest[1..].starts_with('{') && !braced {
            return false;
        }
        let token = Token::Var(name.to_owned());
        self.at += skipped + name.len() + usize::from(braced);
        self.tokens.push(token);
        true
    }

    /// Whether what precedes is a value, so that an operator follows rather than another value.
    pub(super) fn value_before(&self) -> bool {
        const WORDS: &[&str] = &[
            "return", "in", "of", "if", "unless", "while", "until", "and", "or", "not", "when", "case", "split",
            "grep", "typeof", "puts", "print", "elsif", "else", "then", "do", "map", "yield", "await", "new", "delete",
            "void", "say", "system", "exec", "eval", "x",
        ];
        match self.tokens.last() {
            None | Some(Token::Newline) => false,
            Some(Token::Name(name)) => !WORDS.contains(&name.as_str()),
            Some(Token::Op(op)) => matches!(*op, ")" | "]" | "}"),
            Some(_) => true,
        }
    }

    fn operator(&mut self, c: char) {
        match OPERATORS.iter().find(|op| self.rest().starts_with(**op)) {
            Some(op) => {
                self.at += op.len();
                self.tokens.push(Token::Op(op));
            }
            None => self.at += c.len_utf8(),
        }
    }

    pub(super) fn holes(&self) -> Holes {
        self.grammar.holes
    }
}

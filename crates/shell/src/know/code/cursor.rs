//! Where in the tokens of a program we are.

use std::collections::HashMap;

use super::lex::Token;

/// Tokens and where we are.
pub(super) struct Cursor {
    pub tokens: Vec<Token>,
    pub at: usize,
    /// For each opening bracket, its closing one.
    pub closes: HashMap<usize, usize>,
    /// For each bracket that holds a comprehension, its `for`.
    pub comprehensions: HashMap<usize, usize>,
}

impl Cursor {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        let mut closes = HashMap::new();
        let mut comprehensions = HashMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Op("(" | "[" | "{") => open.push(at),
                Token::Op(")" | "]" | "}") => {
                    if let Some(start) = open.pop() {
                        closes.insert(start, at);
                    }
                }
                Token::Name(name) if name == "for" => {
                    if let Some(start) = open.last() {
                        comprehensions.entry(*start).or_insert(at);
                    }
                }
                _ => {}
            }
        }
        Self { tokens, at: 0, closes, comprehensions }
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn ahead(&self, by: usize) -> Option<&Token> {
        self.tokens.get(self.at + by)
    }

    pub(super) fn is(&self, op: &str) -> bool {
        matches!(self.peek(), Some(Token::Op(it)) if *it == op)
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(it)) if it == name)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    pub(super) fn take(&mut self, op: &str) -> bool {
        let so = self.is(op);
        self.at += usize::from(so);
        so
    }

    pub(super) fn name(&mut self) -> Option<String> {
        match self.peek() {
            Some(Token::Name(name) | Token::Var(name)) => {
                let name = name.clone();
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.peek() == Some(&Token::Newline) {
            self.at += 1;
        }
    }

    pub(super) fn at_end(&self) -> bool {
        matches!(self.peek(), None | Some(Token::Newline | Token::Op(";" | "}" | ")" | "]")))
    }

    pub(super) fn skip_statement(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Newline | Token::Op(";"))) {
            self.at += 1;
        }
    }

    pub(super) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &[Token] {
        self.tokens.get(start..end.min(self.tokens.len())).unwrap_or_default()
    }
}

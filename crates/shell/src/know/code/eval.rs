//! Follows code from top to bottom as if every branch were taken once, and knows what is constant in it.
//!
//! Good enough to see `os.system("rm -rf " + d)` through import aliases, variables and joined text; not an
//! interpreter. Whatever it cannot follow has an unknown value. Calls of names in [`super::calls`] have effects.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::grammar::{self, Grammar};
use super::lex::{self, Token};
use super::value::{Given, Value, joined, path_joined};
use crate::arg::{Arg, HOLE, Origins};
use crate::doing::{Doing, Language};

/// So many operands are looked at, and so many bytes of values moved about.
const STEPS: usize = 200_000;
const BYTES: usize = 32 * 1024 * 1024;
/// So deep are expressions followed.
pub(super) const DEPTH: usize = 60;

/// What a program turned out to do, for what only shows in the whole.
#[derive(Default)]
pub(super) struct Seen {
    pub secret: bool,
    /// A connection to a host that is neither HTTP nor anything else of one purpose.
    pub connects: bool,
    /// A shell that waits for input, or descriptors bent to a connection.
    pub shell: bool,
    pub redirects: bool,
    pub forks: bool,
    pub loops: bool,
    pub waits: bool,
}

pub(super) struct Eval<'e, 'w, 'a> {
    pub doing: &'e mut Doing<'w, 'a>,
    pub language: Language,
    pub grammar: Grammar,
    pub vars: HashMap<String, Value>,
    /// Modules whose names were all imported.
    pub stars: Vec<String>,
    /// Parameters of functions that are defined here.
    pub functions: HashMap<String, Vec<String>>,
    /// What those were called with.
    pub called: HashMap<String, Vec<Given>>,
    /// The elements of what a method with a block or function is called on.
    pub each: Value,
    /// The name that the function about to be read is assigned to.
    pub defining: Option<String>,
    pub seen: Seen,
    /// What was printed.
    pub printed: Arg,
    /// Looks only; nothing happens.
    pub dry: bool,
    steps: usize,
    pub bytes: usize,
    pub depth: usize,
}

impl<'e, 'w, 'a> Eval<'e, 'w, 'a> {
    pub(super) fn new(language: Language, doing: &'e mut Doing<'w, 'a>) -> Self {
        Self {
            doing,
            language,
            grammar: grammar::of(language),
            vars: HashMap::new(),
            stars: Vec::new(),
            functions: HashMap::new(),
            called: HashMap::new(),
            each: Value::Nothing,
            defining: None,
            seen: Seen::default(),
            printed: Arg::default(),
            dry: false,
            steps: 0,
            bytes: 0,
            depth: 0,
        }
    }

    /// Follows a whole program. Where it defines functions it is read twice: first to see what they are called with.
    pub(super) fn program(&mut self, code: &str) {
        let defines = ["def ", "function", "sub ", "=>", "lambda", "fn ", "->"].iter().any(|word| code.contains(word));
        if defines {
            let (vars, stars) = (self.vars.clone(), self.stars.clone());
            self.dry = true;
            self.text(code);
            self.dry = false;
            (self.vars, self.stars, self.seen) = (vars, stars, Seen::default());
            (self.steps, self.bytes) = (0, 0);
        }
        self.text(code);
    }

    /// Follows text; the value of its last statement.
    pub(super) fn text(&mut self, code: &str) -> Value {
        let mut cursor = Cursor::new(lex::tokens(code, self.language));
        let mut last = Value::Nothing;
        while cursor.peek().is_some() {
            let start = cursor.at;
            last = self.statement(&mut cursor);
            if cursor.at == start {
                cursor.at += 1;
            }
        }
        last
    }

    pub(super) fn spent(&mut self) -> bool {
        self.steps += 1;
        self.steps > STEPS || self.bytes > BYTES
    }

    pub(super) fn statement(&mut self, cursor: &mut Cursor) -> Value {
        if self.spent() {
            cursor.at = cursor.tokens.len();
            return Value::Nothing;
        }
        match cursor.peek() {
            Some(Token::Newline | Token::Op(";" | "{" | "}" | ")" | "]" | ":" | ",")) => {
                cursor.at += 1;
                Value::Nothing
            }
            Some(Token::Name(name)) => {
                let name = name.clone();
                if self.keyword(&name, cursor) { Value::Nothing } else { self.expression(cursor) }
            }
            _ => self.expression(cursor),
        }
    }

    /// An expression with its operators.
    pub(super) fn expression(&mut self, cursor: &mut Cursor) -> Value {
        if self.depth >= DEPTH || self.spent() {
            cursor.at += 1;
            return Value::unknown(Origins::default());
        }
        self.depth += 1;
        let start = cursor.at;
        let mut left = self.operand(cursor);
        loop {
            let target = start..cursor.at;
            let Some(Token::Op(op)) = cursor.peek() else {
                match self.word_operator(left, cursor) {
                    Ok(value) => left = value,
                    Err(value) => {
                        left = value;
                        break;
                    }
                }
                continue;
            };
            let op = *op;
            if !self.is_binary(op) {
                break;
            }
            cursor.at += 1;
            cursor.skip_newlines();
            left = self.binary(op, left, target, cursor);
        }
        self.depth -= 1;
        left
    }

    fn is_binary(&self, op: &str) -> bool {
        match op {
            ")" | "]" | "}" | "," | ";" | ":" | "{" | "(" | "[" => false,
            "." => self.grammar.dot_joins,
            "@" | "#" | "\\" | "$" | "!" | "~" => false,
            _ => true,
        }
    }

    fn binary(&mut self, op: &str, left: Value, target: std::ops::Range<usize>, cursor: &mut Cursor) -> Value {
        let tokens = cursor.slice(target.start, target.end).to_vec();
        match op {
            "=" | ":=" | "||=" | "??=" | "<-" => {
                self.defining = match tokens.as_slice() {
                    [Token::Name(name)] => Some(name.clone()),
                    _ => None,
                };
                let right = self.expression(cursor);
                let defined = matches!(tokens.as_slice(), [Token::Name(name)] if self.functions.contains_key(name));
                if !defined {
                    self.assign(&tokens, right.clone());
                }
                self.defining = None;
                right
            }
            "+=" | ".=" => {
                let right = self.expression(cursor);
                let both = self.join(&left, &right);
                self.assign(&tokens, both.clone());
                both
            }
            "=>" => {
                // Parameters of an arrow function, or a key before its value.
                self.bind_params(&tokens);
                self.expression(cursor)
            }
            "?" => {
                let yes = self.expression(cursor);
                let no = if cursor.take(":") { self.expression(cursor) } else { Value::Nothing };
                Value::OneOf(vec![yes, no])
            }
            "||" | "??" => {
                let right = self.expression(cursor);
                if matches!(left, Value::Nothing) { right } else { Value::OneOf(vec![left, right]) }
            }
            "|>" => {
                self.each = left.clone();
                let right = self.expression(cursor);
                Value::unknown(left.origins().and(right.origins()))
            }
            _ => {
                let right = self.operand(cursor);
                self.arithmetic(op, &left, &right)
            }
        }
    }

    fn arithmetic(&mut self, op: &str, left: &Value, right: &Value) -> Value {
        match op {
            "+" | "." | ".." | "<>" | "++" => self.join(left, right),
            "/" if self.language == Language::Python => match (left, right) {
                (Value::Number(_), _) | (_, Value::Number(_)) => Value::Nothing,
                _ => Value::Text(path_joined(&[left.as_arg(), right.as_arg()])),
            },
            "%" if matches!(left, Value::Text(_)) => super::pure::percent(left, right),
            "*" => match (left, right) {
                (Value::Text(text), Value::Number(times)) | (Value::Number(times), Value::Text(text)) => {
                    let times = usize::try_from(*times).unwrap_or(0);
                    if text.text.len().saturating_mul(times) > 4096 {
                        return Value::unknown(text.from);
                    }
                    Value::Text(Arg { text: text.text.repeat(times), ..text.clone() })
                }
                _ => Value::Nothing,
            },
            "-" => match (left, right) {
                (Value::Number(left), Value::Number(right)) => Value::Number(left.saturating_sub(*right)),
                _ => Value::Nothing,
            },
            "^" => match (left, right) {
                (Value::Number(left), Value::Number(right)) => Value::Number(left ^ right),
                _ => Value::unknown(Origins { decoded: true, ..left.origins().and(right.origins()) }),
            },
            "<<" | "|" => Value::unknown(left.origins().and(right.origins())),
            _ => Value::Nothing,
        }
    }

    pub(super) fn join(&mut self, left: &Value, right: &Value) -> Value {
        let value = joined(left, right);
        self.bytes += value.weight();
        value
    }

    /// `a or b`, `x if y`, `with f() as g`; gives the value back where there is no such word.
    fn word_operator(&mut self, left: Value, cursor: &mut Cursor) -> Result<Value, Value> {
        let Some(Token::Name(word)) = cursor.peek() else {
            // A method chain may go on in the next line.
            if cursor.peek() == Some(&Token::Newline)
                && matches!(cursor.ahead(1), Some(Token::Op("." | "?." | "&.")))
                && !self.grammar.dot_joins
            {
                cursor.at += 1;
                return Ok(self.postfix(left, cursor));
            }
            return Err(left);
        };
        match word.as_str() {
            "as" => {
                cursor.at += 1;
                if let Some(name) = cursor.name() {
                    self.vars.insert(name, left.clone());
                }
                Ok(left)
            }
            "or" | "and" | "if" | "unless" | "else" | "in" | "is" | "not" | "of" | "instanceof" | "x" | "eq" | "ne" => {
                if ["if", "unless"].contains(&word.as_str()) && self.grammar.newlines && self.language == Language::Ruby
                {
                    return Err(left);
                }
                let keeps = ["or", "else"].contains(&word.as_str());
                cursor.at += 1;
                let right = self.expression(cursor);
                Ok(if keeps { Value::OneOf(vec![left, right]) } else { left })
            }
            "while" | "until" => {
                cursor.at += 1;
                self.seen.loops = true;
                self.expression(cursor);
                Err(left)
            }
            "for" | "foreach" => {
                self.keyword("for", cursor);
                Err(left)
            }
            _ => Err(left),
        }
    }

    /// Text that runs as code, in the middle of other code.
    pub(super) fn nested(&mut self, code: &str) -> Value {
        if self.depth >= DEPTH {
            return Value::unknown(Origins::default());
        }
        self.depth += 8;
        let value = self.text(code);
        self.depth -= 8;
        value
    }

    /// What the program reads from its input.
    pub(super) fn stdin(&self) -> Value {
        match &self.doing.walk.stdin {
            Some(stuff) => Value::from_stuff(stuff),
            None => Value::unknown(Origins::default()),
        }
    }

    pub(super) fn prints(&mut self, text: &Arg) {
        if !self.dry && self.printed.text.len() < super::value::LONGEST {
            self.printed.text.push_str(&text.text);
            self.printed.from = self.printed.from.and(text.from);
        }
    }

    /// The text of an unknown part.
    pub(super) fn hole(&self) -> Arg {
        Arg { text: HOLE.to_string(), ..Arg::default() }
    }
}

//! Where bash and a shell that knows only what POSIX asks for read the same text in different ways.
//!
//! To the latter `((a))` is a subshell in a subshell, `[[` a program like any other, `a &> b` a command in the
//! background, and `$'a'` a dollar before a quoted text. In what bash takes for arithmetic or for a test, `x > 3` is a
//! comparison, and nearly always meant as one: it is not taken for a redirection there.

use super::{Part, Reader, Redirect, RedirectKind, Simple, Trouble, Word};

/// How far the end of an expression is looked for. Nobody writes longer ones.
const LONGEST: usize = 4096;

const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "**", "<", ">", "<=", ">=", "==", "!=", "<<", ">>", "&", "|", "^", "&&", "||", "=", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "?", ":", ",",
];

impl Reader<'_> {
    /// If this is here, other shells refuse the line.
    pub(super) fn only_in_bash(&mut self, text: &str) {
        if self.posix && self.looking_at(text) {
            self.troubled(Trouble::Syntax);
        }
    }

    /// At a quote after `$`: whether it ends elsewhere when a backslash in it is just text. Where both readings end at
    /// the same quote, what bash makes of it is good enough.
    pub(super) fn ends_elsewhere(&self) -> bool {
        if !self.posix {
            return false;
        }
        let rest = &self.rest().as_bytes()[1..];
        let end = rest.iter().position(|b| *b == b'\'').unwrap_or(rest.len());
        rest[..end].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
    }

    /// At `((`: notes up to where it is an expression, if it is one.
    pub(super) fn note_expression(&mut self) {
        let end = self.end_of("))");
        if is_expression(self.text.get(self.at + 2..end).unwrap_or_default()) {
            self.expression_until = self.expression_until.max(end);
        }
    }

    /// After `[[`: notes up to where it is a test. Looked for once, however many begin before that.
    pub(super) fn note_test(&mut self) {
        if self.at >= self.test_until && self.at >= self.no_test_until {
            self.test_until = self.end_of("]]");
            self.no_test_until = if self.test_until > self.at { 0 } else { self.at + LONGEST };
        }
    }

    /// Whether bash would see a test or an expression here.
    pub(super) fn in_condition(&self) -> bool {
        self.posix && self.at < self.expression_until.max(self.test_until)
    }

    /// Where this is next; here when it is not near.
    fn end_of(&self, text: &str) -> usize {
        let rest = self.rest().as_bytes();
        let near = &rest[..rest.len().min(LONGEST)];
        self.at + near.windows(text.len()).position(|window| window == text.as_bytes()).unwrap_or(0)
    }

    /// Whether what was just read as a redirection is more likely a comparison.
    pub(super) fn compares(&mut self, redirect: &Redirect, simple: &Simple) -> bool {
        let expression = self.at <= self.expression_until;
        match &redirect.kind {
            RedirectKind::Here(_) if expression => {
                self.pending.pop();
                true
            }
            RedirectKind::In(word)
            | RedirectKind::Out(word)
            | RedirectKind::Append(word)
            | RedirectKind::InOut(word)
                if expression || self.at <= self.test_until =>
            {
                let words = simple.words.iter().filter(|word| !is_mark(word)).count();
                (expression || words <= 1) && is_operand(&word.parts)
            }
            _ => false,
        }
    }
}

/// `[[` and `!` are not compared with anything.
fn is_mark(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::Bare(text)] if matches!(text.as_str(), "[[" | "!"))
}

/// A name, a number, a variable: not what files that matter are called.
fn is_operand(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Bare(text) | Part::Quoted(text) => {
            !text.starts_with(['/', '.', '~']) && !text.contains("..") && !text.contains("/.")
        }
        Part::Double(parts) => is_operand(parts),
        Part::Parameter(_) | Part::Arithmetic(_) | Part::Command(_) => parts.len() == 1,
        Part::Process(..) => false,
    })
}

/// Whether operands and operators alternate.
fn is_expression(text: &str) -> bool {
    let is_operator = |c: char| "+-*/%<>=!&|^?:,~".contains(c);
    let is_operand = |c: char| c.is_ascii_alphanumeric() || "_$#{}[]@\"'.".contains(c);
    let mut operand = false;
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_operand(first) {
            if operand {
                return false;
            }
            operand = true;
            rest.find(|c| !is_operand(c)).unwrap_or(rest.len())
        } else if is_operator(first) {
            let length = rest.find(|c| !is_operator(c)).unwrap_or(rest.len());
            let Some(after) = after_operator(&rest[..length], operand) else { return false };
            operand = after;
            length
        } else {
            match first {
                '(' if !operand => {}
                ')' if operand => {}
                _ => return false,
            }
            1
        };
        rest = rest[length..].trim_start();
    }
    true
}

/// Whether an operand is still before what follows these operators; `None` when they cannot be there.
fn after_operator(run: &str, operand: bool) -> Option<bool> {
    let (step, run) = match run.get(..2) {
        Some("++" | "--") => (true, &run[2..]),
        _ => (false, run),
    };
    if run.is_empty() && step {
        return Some(operand);
    }
    let binary = run.trim_end_matches(['+', '-', '!', '~']);
    let known = OPERATORS.contains(&run) || OPERATORS.contains(&binary);
    let unary = run.chars().all(|c| "+-!~".contains(c));
    match operand {
        true => (known || unary && run.starts_with(['+', '-'])).then_some(false),
        false => unary.then_some(false),
    }
}

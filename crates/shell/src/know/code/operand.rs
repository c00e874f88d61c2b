//! Values in code, and what hangs on them: members, calls, subscripts.

use super::cursor::Cursor;
use super::eval::{DEPTH, Eval};
use super::lex::{Part, Token};
use super::value::{Given, Value};
use crate::arg::Origins;
use crate::doing::Language;

impl Eval<'_, '_, '_> {
    /// A value with everything that hangs on it.
    pub(super) fn operand(&mut self, cursor: &mut Cursor) -> Value {
        if self.depth >= DEPTH || self.spent() {
            cursor.at += 1;
            return Value::unknown(Origins::default());
        }
        self.depth += 1;
        let value = self.primary(cursor);
        let value = self.postfix(value, cursor);
        self.depth -= 1;
        value
    }

    fn primary(&mut self, cursor: &mut Cursor) -> Value {
        let start = cursor.at;
        match cursor.next() {
            Some(Token::Text(parts)) => {
                let mut value = self.fill(&parts);
                while let Some(Token::Text(more)) = cursor.peek().cloned() {
                    cursor.at += 1;
                    let more = self.fill(&more);
                    value = self.join(&value, &more);
                }
                value
            }
            Some(Token::Command(parts)) => {
                let script = self.fill(&parts);
                self.run_script(&script)
            }
            Some(Token::Words(words)) => Value::list(words.into_iter().map(Value::text).collect()),
            Some(Token::Number(number)) => Value::Number(number),
            Some(Token::Var(name)) => self.variable(&name),
            Some(Token::Name(name)) => self.named(name, cursor),
            Some(Token::Op("(")) => {
                let mut items = self.group(start, ")", cursor);
                match items.plain.len() {
                    1 if items.named.is_empty() => items.plain.remove(0),
                    _ => Value::list(items.plain),
                }
            }
            Some(Token::Op("[")) => Value::list(self.items(start, "]", cursor).plain),
            Some(Token::Op("{")) => {
                let items = self.items(start, "}", cursor);
                if items.named.is_empty() { Value::list(items.plain) } else { Value::Map(items.named) }
            }
            // A symbol or atom.
            Some(Token::Op(":")) => match cursor.name() {
                Some(name) if self.language == Language::Other => Value::Name(name),
                Some(name) => Value::text(name),
                None => Value::Nothing,
            },
            Some(Token::Op("-")) if matches!(cursor.peek(), Some(Token::Number(_))) => match cursor.next() {
                Some(Token::Number(number)) => Value::Number(number.saturating_neg()),
                _ => Value::Nothing,
            },
            // Whether there is something says nothing about what it is.
            Some(Token::Op("!")) => {
                self.operand(cursor);
                Value::unknown(Origins::default())
            }
            Some(Token::Op(
                "-" | "+" | "~" | "*" | "**" | "&" | "..." | "\\" | "@" | "$" | "++" | "--" | "->" | "#",
            )) => self.operand(cursor),
            Some(Token::Op("|")) => {
                // Parameters of a block.
                let params = cursor.at;
                while !cursor.at_end() && !cursor.is("|") {
                    cursor.at += 1;
                }
                let tokens = cursor.slice(params, cursor.at).to_vec();
                cursor.at += 1;
                self.bind_params(&tokens);
                Value::Nothing
            }
            Some(Token::Op(")" | "]" | "}")) => {
                cursor.at = start;
                Value::Nothing
            }
            _ => Value::Nothing,
        }
    }

    /// A name: a variable, a keyword before a value, or something of the language.
    fn named(&mut self, name: String, cursor: &mut Cursor) -> Value {
        const PREFIXES: &[&str] = &[
            "new", "await", "async", "return", "yield", "typeof", "not", "delete", "void", "raise", "throw", "my",
            "our", "local", "let", "const", "var", "print_r", "defined", "do", "then", "begin", "go", "defer", "val",
            "try", "static", "public", "if", "elif", "while", "unless", "until", "assert", "function", "fn", "lambda",
            "ref", "scalar", "else", "case",
        ];
        if self.vars.contains_key(&name) {
            return self.variable(&name);
        }
        if name == "echo" && self.language == Language::Php && !cursor.at_end() && !cursor.is("(") {
            let given = self.bare_arguments(cursor);
            return super::perform::call(self, "echo", given);
        }
        if PREFIXES.contains(&name.as_str()) && !cursor.at_end() && !cursor.is(".") && !cursor.is("=") {
            self.seen.loops |= name == "while" || name == "until";
            if ["function", "lambda", "fn"].contains(&name.as_str()) {
                cursor.at -= 1;
                if self.keyword(&name, cursor) {
                    return Value::Nothing;
                }
                cursor.at += 1;
            }
            return self.operand(cursor);
        }
        if self.grammar.bare_calls && !cursor.is("(") {
            // Calls without anything behind them.
            match super::calls::find(self.language, &name) {
                Some(super::calls::Act::Fork) => self.seen.forks = true,
                Some(super::calls::Act::Wait) => self.seen.waits = true,
                _ => {}
            }
        }
        if ["loop", "forever"].contains(&name.as_str()) {
            self.seen.loops = true;
        }
        super::names::resolve(self, name)
    }

    pub(super) fn variable(&mut self, name: &str) -> Value {
        if let Some(value) = self.vars.get(name) {
            self.bytes += value.weight();
            return value.clone();
        }
        super::names::special(self, name)
    }

    /// Text with what is filled in.
    fn fill(&mut self, parts: &[Part]) -> Value {
        let mut value = match parts.first() {
            Some(Part::Plain(_)) => Value::Nothing,
            Some(Part::Code(_)) if parts.len() == 1 => Value::Nothing,
            _ => Value::text(""),
        };
        for part in parts {
            let part = match part {
                Part::Plain(text) => Value::text(text.as_str()),
                Part::Code(code) => self.filled(code),
            };
            value = if matches!(value, Value::Nothing) { part } else { self.join(&value, &part) };
        }
        match value {
            Value::Nothing => Value::text(""),
            value @ (Value::Text(_) | Value::OneOf(_)) => value,
            other => Value::Text(other.as_arg()),
        }
    }

    fn filled(&mut self, code: &str) -> Value {
        if self.depth >= DEPTH {
            return Value::unknown(Origins::default());
        }
        self.depth += 1;
        let value = self.text(code);
        self.depth -= 1;
        match value {
            Value::List(items) => Value::Text(super::pure::separated(&items, " ")),
            Value::Nothing => Value::unknown(Origins::default()),
            other => other,
        }
    }

    /// What stands in brackets, after the opening one; moves behind the closing one.
    pub(super) fn items(&mut self, open: usize, close: &str, cursor: &mut Cursor) -> Given {
        self.bracketed(open, close, true, cursor)
    }

    /// As [`Eval::items`], where `a = b` is an assignment and not a named argument.
    fn group(&mut self, open: usize, close: &str, cursor: &mut Cursor) -> Given {
        self.bracketed(open, close, false, cursor)
    }

    fn bracketed(&mut self, open: usize, close: &str, named: bool, cursor: &mut Cursor) -> Given {
        let mut given = Given::default();
        let end = cursor.closes.get(&open).copied();
        let comprehension = cursor.comprehensions.get(&open).copied().filter(|_| self.language == Language::Python);
        if let (Some(at), Some(_)) = (comprehension, end) {
            // Its variables first, then what is made of them.
            let first = cursor.at;
            cursor.at = at;
            self.keyword("for", cursor);
            cursor.at = first;
        }
        while !cursor.is(close) && cursor.peek().is_some() {
            let start = cursor.at;
            self.item(&mut given, named, cursor);
            if let Some(end) = end.filter(|_| comprehension.is_some_and(|at| cursor.at >= at)) {
                cursor.at = end;
                break;
            }
            if cursor.at == start {
                cursor.at += 1;
            }
            if self.spent() {
                cursor.at = cursor.tokens.len();
            }
        }
        cursor.at += 1;
        given
    }

    /// One item: `value`, `name=value`, `key: value`, `key => value`, or a statement of a block.
    fn item(&mut self, given: &mut Given, named: bool, cursor: &mut Cursor) {
        match (cursor.peek(), cursor.ahead(1)) {
            (Some(Token::Op("," | ";" | ":") | Token::Newline), _) => {
                cursor.at += 1;
                return;
            }
            (Some(Token::Name(key)), Some(Token::Op("=" | ":" | "=>"))) if named => {
                // `x => …` is a function, `x:y()` in Lua the method of a value.
                let value = match cursor.ahead(1) {
                    Some(Token::Op("=>")) => self.language == Language::JavaScript,
                    Some(Token::Op(":")) => self.language == Language::Lua,
                    _ => false,
                };
                let key = key.clone();
                if !value {
                    cursor.at += 2;
                    let value = self.expression(cursor);
                    given.named.push((key, value));
                    return;
                }
            }
            (Some(Token::Text(parts)), Some(Token::Op(":" | "=>"))) => {
                let key = self.fill(&parts.clone()).as_arg().text;
                cursor.at += 2;
                let value = self.expression(cursor);
                given.named.push((key, value));
                return;
            }
            _ => {}
        }
        let value = self.statement(cursor);
        if !matches!(value, Value::Nothing) {
            given.plain.push(value);
        }
    }

    /// Members, calls and subscripts behind a value.
    pub(super) fn postfix(&mut self, mut value: Value, cursor: &mut Cursor) -> Value {
        loop {
            if self.spent() {
                return value;
            }
            let Some(token) = cursor.peek() else { return value };
            match token {
                Token::Op(op) if self.leads_to_member(op, cursor) => {
                    cursor.at += 1;
                    value = self.member(value, cursor);
                }
                Token::Op("(") => {
                    let open = cursor.at;
                    cursor.at += 1;
                    let given = self.items(open, ")", cursor);
                    value = self.call(value, given);
                }
                Token::Op("[") => {
                    let open = cursor.at;
                    cursor.at += 1;
                    let reversed = matches!(cursor.slice(open, open + 5), [_, Token::Op(":" | "::"), ..])
                        && is_reversal(cursor.slice(open, open + 6));
                    let keys = self.items(open, "]", cursor);
                    value = if reversed {
                        super::pure::reversed(&value)
                    } else {
                        super::names::subscript(self, value, &keys)
                    };
                }
                Token::Op("{") if self.language == Language::Perl && self.is_subscript(cursor) => {
                    let open = cursor.at;
                    cursor.at += 1;
                    let key = match (cursor.peek(), cursor.ahead(1)) {
                        (Some(Token::Name(name)), Some(Token::Op("}"))) => {
                            Given { plain: vec![Value::text(name.as_str())], named: Vec::new() }
                        }
                        _ => Given::default(),
                    };
                    let keys = self.items(open, "}", cursor);
                    value = super::names::subscript(self, value, if key.plain.is_empty() { &keys } else { &key });
                }
                Token::Text(_) if self.language == Language::JavaScript && matches!(value, Value::Name(_)) => {
                    let Some(Token::Text(parts)) = cursor.next() else { return value };
                    let text = self.fill(&parts);
                    value = self.call(value, Given { plain: vec![text], named: Vec::new() });
                }
                _ if self.is_bare_call(&value, cursor) => {
                    let given = self.bare_arguments(cursor);
                    value = self.call(value, given);
                    return value;
                }
                _ => return value,
            }
        }
    }

    fn is_subscript(&self, cursor: &Cursor) -> bool {
        matches!(cursor.tokens.get(cursor.at.wrapping_sub(1)), Some(Token::Var(_) | Token::Op("->")))
    }

    fn leads_to_member(&self, op: &str, cursor: &Cursor) -> bool {
        let before_member =
            matches!(cursor.ahead(1), Some(Token::Name(_) | Token::Op("(" | "[" | "{") | Token::Var(_)));
        match op {
            "." => !self.grammar.dot_joins && matches!(cursor.ahead(1), Some(Token::Name(_) | Token::Op("("))),
            "?." | "&." | "::" => before_member,
            "->" => self.grammar.dot_joins && before_member,
            ":" => {
                self.language == Language::Lua
                    && matches!(cursor.ahead(1), Some(Token::Name(_)))
                    && matches!(cursor.ahead(2), Some(Token::Op("(") | Token::Text(_)))
            }
            _ => false,
        }
    }

    fn member(&mut self, value: Value, cursor: &mut Cursor) -> Value {
        let Some(name) = cursor.name() else { return value };
        if cursor.is("(") {
            let open = cursor.at;
            cursor.at += 1;
            self.each = self.handed(&value, &name);
            let given = self.items(open, ")", cursor);
            return self.method(value, &name, given);
        }
        let full = super::names::member(self, &value, &name);
        if self.is_bare_call(&full, cursor) {
            let given = self.bare_arguments(cursor);
            return self.method(value, &name, given);
        }
        let has_block = self.language == Language::Ruby && (cursor.is("{") || cursor.is_name("do"));
        if has_block {
            self.each = value.each();
        }
        match full {
            // Ruby calls without parentheses: `Dir.home`, `text.reverse`.
            full if self.language == Language::Ruby && !cursor.is("=") => {
                let _ = full;
                self.method(value, &name, Given::default())
            }
            full => full,
        }
    }

    /// What a function among the arguments of a method is given: an element of the value, or what a host sent.
    fn handed(&mut self, value: &Value, name: &str) -> Value {
        use super::calls::Act;
        let full = super::names::member(self, value, name);
        let act = match &full {
            Value::Name(full) => super::calls::find(self.language, full),
            _ => None,
        };
        if matches!(act, Some(Act::Fetch | Act::Connect)) {
            return Value::unknown(Origins { network: true, ..Origins::default() });
        }
        value.each()
    }

    /// Whether a call without parentheses follows: `system "…"`.
    fn is_bare_call(&self, value: &Value, cursor: &Cursor) -> bool {
        let Value::Name(name) = value else { return false };
        let argument = match cursor.peek() {
            Some(Token::Text(_) | Token::Words(_) | Token::Var(_) | Token::Command(_)) => true,
            Some(Token::Number(_)) => self.language == Language::Perl,
            Some(Token::Name(next)) => {
                let words = [
                    "if", "unless", "while", "until", "and", "or", "do", "then", "end", "for", "in", "is", "as",
                    "else", "not", "foreach", "x", "eq", "ne",
                ];
                self.grammar.bare_calls
                    && self.language != Language::Lua
                    && super::calls::is_known(self.language, name)
                    && !words.contains(&next.as_str())
            }
            Some(Token::Op(":")) => {
                self.language == Language::Ruby
                    && matches!(cursor.ahead(1), Some(Token::Name(_)))
                    && super::calls::is_known(self.language, name)
            }
            _ => false,
        };
        argument
            && (self.grammar.bare_calls
                || self.language == Language::Python && ["exec", "print"].contains(&name.as_str()))
    }

    fn bare_arguments(&mut self, cursor: &mut Cursor) -> Given {
        let mut given = Given::default();
        loop {
            match (cursor.peek(), cursor.ahead(1)) {
                (Some(Token::Name(key)), Some(Token::Op(":" | "=>"))) if self.language == Language::Ruby => {
                    let key = key.clone();
                    cursor.at += 2;
                    let value = self.expression(cursor);
                    given.named.push((key, value));
                }
                _ => {
                    let value = self.expression(cursor);
                    given.plain.push(value);
                }
            }
            if !cursor.take(",") && !cursor.take("=>") {
                return given;
            }
            cursor.skip_newlines();
        }
    }

    /// A call of something.
    pub(super) fn call(&mut self, callee: Value, given: Given) -> Value {
        match callee {
            Value::Name(name) => super::perform::call(self, &name, given),
            // A function by its name in a variable.
            Value::Text(name) if self.grammar.sigils && name.is_known() => {
                super::perform::call(self, &name.text, given)
            }
            Value::OneOf(items) => {
                items.into_iter().take(4).fold(Value::Nothing, |_, item| self.call(item, given.clone()))
            }
            other => Value::unknown(other.origins().and(given.origins())),
        }
    }

    fn method(&mut self, value: Value, name: &str, given: Given) -> Value {
        match super::names::member(self, &value, name) {
            Value::Name(full) if matches!(value, Value::Name(_)) => {
                if super::calls::is_known(self.language, &full) || self.functions.contains_key(&full) {
                    return super::perform::call(self, &full, given);
                }
                super::perform::method(self, value, name, given)
            }
            _ => super::perform::method(self, value, name, given),
        }
    }
}

/// `[::-1]`.
fn is_reversal(tokens: &[Token]) -> bool {
    let ops: Vec<&str> =
        tokens.iter().skip(1).filter_map(|token| if let Token::Op(op) = token { Some(*op) } else { None }).collect();
    matches!(ops.as_slice(), ["::", "-", ..] | [":", ":", "-", ..]) && tokens.contains(&Token::Number(1))
}

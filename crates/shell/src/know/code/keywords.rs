//! Statements that bind names: imports, loops, definitions, assignments.

use super::cursor::Cursor;
use super::eval::Eval;
use super::lex::{Part, Token};
use super::value::Value;
use crate::doing::Language;

/// Words that only stand before a statement.
const BEFORE: &[&str] = &[
    "if", "elif", "elsif", "elseif", "unless", "return", "with", "export", "public", "private", "static", "end",
    "begin", "else", "try", "except", "finally", "ensure", "rescue", "then", "pass", "break", "continue", "next",
    "last", "redo", "done", "fi", "catch", "switch", "case", "when", "default", "raise", "throw", "global", "nonlocal",
    "BEGIN", "END", "defer", "in",
];

/// Words that declare what follows.
const DECLARE: &[&str] = &["let", "const", "var", "my", "our", "local", "val", "final"];

impl Eval<'_, '_, '_> {
    /// Follows a statement that starts with this word, if it is one that matters; the cursor is at the word.
    pub(super) fn keyword(&mut self, word: &str, cursor: &mut Cursor) -> bool {
        let assigned = matches!(cursor.ahead(1), Some(Token::Op("=" | "." | "(")));
        match word {
            "import" if !assigned => {
                cursor.next();
                if self.language == Language::JavaScript { self.import_js(cursor) } else { self.import_python(cursor) }
            }
            "from" if self.language == Language::Python => {
                cursor.next();
                self.names_python(cursor);
            }
            "use" | "no" | "package" | "using" | "namespace" if !assigned && self.language != Language::JavaScript => {
                self.use_modules(cursor);
            }
            "for" | "foreach" => {
                cursor.next();
                self.for_each(cursor);
            }
            "while" | "until" | "loop" => {
                cursor.next();
                self.seen.loops = true;
            }
            "def" | "function" | "sub" | "fn" | "func" | "lambda" | "defp" => {
                cursor.next();
                self.define(word, cursor);
            }
            "class" | "module" | "struct" if matches!(cursor.ahead(1), Some(Token::Name(_))) => {
                cursor.next();
                cursor.next();
            }
            _ if DECLARE.contains(&word) && !assigned => {
                cursor.next();
                self.expression(cursor);
            }
            _ if BEFORE.contains(&word) && !matches!(cursor.ahead(1), Some(Token::Op("=" | "."))) => {
                cursor.next();
            }
            _ => return false,
        }
        true
    }

    /// `a.b as c, d`.
    fn import_python(&mut self, cursor: &mut Cursor) {
        while let Some(module) = dotted(cursor) {
            if cursor.is_name("as") {
                cursor.next();
                if let Some(alias) = cursor.name() {
                    self.vars.insert(alias, Value::Name(module));
                }
            } else {
                // An import undoes what the name meant before.
                let top = module.split('.').next().unwrap_or_default();
                self.vars.remove(top);
            }
            if !cursor.take(",") {
                return;
            }
        }
    }

    /// `a.b import x as y, z`.
    fn names_python(&mut self, cursor: &mut Cursor) {
        while cursor.take(".") {}
        let Some(module) = dotted(cursor) else { return };
        if !cursor.is_name("import") {
            return;
        }
        cursor.next();
        let bracket = cursor.take("(");
        loop {
            if bracket {
                cursor.skip_newlines();
            }
            if cursor.take("*") {
                self.stars.push(module.clone());
            }
            let Some(name) = cursor.name() else { break };
            let mut alias = name.clone();
            if cursor.is_name("as") {
                cursor.next();
                alias = cursor.name().unwrap_or(alias);
            }
            self.vars.insert(alias, Value::Name(format!("{module}.{name}")));
            if !cursor.take(",") {
                break;
            }
        }
        if bracket {
            cursor.skip_newlines();
            cursor.take(")");
        }
    }

    /// `x, {a as b}, * as y from 'module'`.
    fn import_js(&mut self, cursor: &mut Cursor) {
        let mut pairs: Vec<(String, Option<String>)> = Vec::new();
        let mut braces = false;
        loop {
            match cursor.next() {
                Some(Token::Op("{")) => braces = true,
                Some(Token::Op("}")) => braces = false,
                Some(Token::Op("," | "*") | Token::Newline) => {}
                Some(Token::Name(word)) if word == "from" && !braces => {}
                Some(Token::Name(word)) if word == "as" => {
                    let alias = cursor.name().unwrap_or_default();
                    match pairs.pop().filter(|_| braces) {
                        Some((_, member)) => pairs.push((alias, member)),
                        None => pairs.push((alias, None)),
                    }
                }
                Some(Token::Name(name)) => pairs.push((name.clone(), braces.then_some(name))),
                Some(Token::Text(parts)) => {
                    let module = super::names::module_name(&plain(&parts));
                    for (alias, member) in pairs {
                        let full = member.map_or(module.clone(), |member| format!("{module}.{member}"));
                        self.vars.insert(alias, Value::Name(super::names::canonical(self.language, &full)));
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// Perl's `use File::Path qw(rmtree)`: functions keep their bare names, which the tables know.
    fn use_modules(&mut self, cursor: &mut Cursor) {
        cursor.skip_statement();
    }

    /// Binds the variables of a loop to what it goes over.
    fn for_each(&mut self, cursor: &mut Cursor) {
        let bracket = cursor.take("(");
        if bracket && cursor.is(";") && matches!(cursor.ahead(1), Some(Token::Op(";"))) {
            self.seen.loops = true;
            return;
        }
        let start = cursor.position();
        let mut names = Vec::new();
        loop {
            match cursor.peek() {
                Some(Token::Name(word)) if DECLARE.contains(&word.as_str()) || word == "await" || word == "each" => {
                    cursor.next();
                }
                Some(Token::Name(word)) if word == "in" || word == "of" => {
                    cursor.next();
                    let value = self.expression(cursor).each();
                    return self.bind_all(&names, &value);
                }
                Some(Token::Name(name) | Token::Var(name)) if names.len() < 8 => {
                    names.push(name.clone());
                    cursor.next();
                }
                Some(Token::Op(",")) => {
                    cursor.next();
                }
                // Perl: `for my $x (…)`.
                Some(Token::Op("(")) if self.language == Language::Perl && names.len() == 1 && !bracket => {
                    let value = self.operand(cursor).each();
                    return self.bind_all(&names, &value);
                }
                // Parentheses around the names.
                Some(Token::Op("(" | ")")) if !bracket && self.language == Language::Python => {
                    cursor.next();
                }
                _ => break,
            }
        }
        // Perl: `for (…)`, PHP: `foreach (… as $x)`; elsewhere three expressions.
        cursor.rewind(start);
        if bracket {
            let value = self.expression(cursor).each();
            if self.grammar.sigils {
                self.vars.insert("_".to_owned(), value);
            }
        }
    }

    fn bind_all(&mut self, names: &[String], value: &Value) {
        for name in names {
            self.vars.insert(name.clone(), value.clone());
        }
    }

    /// A function: its parameters are whatever it is called with in this program.
    fn define(&mut self, word: &str, cursor: &mut Cursor) {
        cursor.take("*");
        let name = if word == "lambda" { None } else { dotted(cursor) };
        let bracket = cursor.take("(");
        let mut params = Vec::new();
        let mut depth = 0_usize;
        let mut expects = true;
        while let Some(token) = cursor.peek() {
            match token {
                Token::Op(")" | "]" | "}") if depth > 0 => depth -= 1,
                Token::Op("(" | "[" | "{") if bracket => depth += 1,
                Token::Op(")") if bracket => break,
                Token::Op(":" | "{" | ";") | Token::Newline if !bracket => break,
                Token::Op(",") if depth == 0 => expects = true,
                Token::Name(name) | Token::Var(name) if depth == 0 && expects => {
                    params.push(name.clone());
                    expects = false;
                }
                _ => {}
            }
            cursor.next();
        }
        cursor.next();
        let name = name.or_else(|| self.defining.take());
        self.set_params(name, params);
    }

    pub(super) fn set_params(&mut self, name: Option<String>, params: Vec<String>) {
        let calls = name.as_ref().and_then(|name| self.called.get(name)).cloned().unwrap_or_default();
        for (index, param) in params.iter().enumerate() {
            let values: Vec<Value> =
                calls.iter().filter_map(|given| given.at(index).or_else(|| given.named(param)).cloned()).collect();
            let value = if values.is_empty() { self.each.clone() } else { Value::OneOf(values) };
            self.vars.insert(param.clone(), value);
        }
        if let Some(name) = name {
            self.vars.remove(&name);
            self.functions.insert(name, params);
        }
    }

    /// Parameters of an arrow function or block: the elements of what it is called on.
    pub(super) fn bind_params(&mut self, tokens: &[Token]) {
        let names: Vec<String> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Name(name) | Token::Var(name) => Some(name.clone()),
                _ => None,
            })
            .filter(|name| name != "async")
            .take(8)
            .collect();
        let name = self.defining.take();
        self.set_params(name, names);
    }

    /// Gives names what they are assigned.
    pub(super) fn assign(&mut self, target: &[Token], value: Value) {
        let target: Vec<&Token> = target
            .iter()
            .skip_while(|token| matches!(token, Token::Name(word) if DECLARE.contains(&word.as_str()) || word == "new"))
            .filter(|token| **token != Token::Newline)
            .collect();
        match target.as_slice() {
            [Token::Name(name) | Token::Var(name)] => self.set(name.clone(), value),
            [Token::Op("{"), .., Token::Op("}")] => self.take_members(&target, &value),
            [Token::Op("(" | "["), .., Token::Op(")" | "]")] => self.take_elements(&target, &value),
            // `os.environ["HOME"] = …`, `a.b = …`: what it meant before is not certain any more.
            [Token::Name(name) | Token::Var(name), Token::Op("[" | "{"), ..] if self.vars.contains_key(name) => {
                let old = self.vars.remove(name).unwrap_or(Value::Nothing);
                self.set(name.clone(), Value::OneOf(vec![value, old]));
            }
            _ => {}
        }
    }

    pub(super) fn set(&mut self, name: String, value: Value) {
        let value = match value {
            Value::List(items) => Value::list(items),
            other if other.weight() > super::value::LONGEST * 4 => Value::unknown(other.origins()),
            other => other,
        };
        self.vars.insert(name, value);
    }

    /// `const {a, b: c} = module`.
    fn take_members(&mut self, target: &[&Token], value: &Value) {
        let mut at = 1;
        while let Some(Token::Name(member)) = target.get(at) {
            let mut alias = member;
            if let (Some(Token::Op(":")), Some(Token::Name(name))) = (target.get(at + 1), target.get(at + 2)) {
                alias = name;
                at += 2;
            }
            let found = super::names::member(self, value, member);
            self.vars.insert(alias.clone(), found);
            while !matches!(target.get(at), None | Some(Token::Op(","))) {
                at += 1;
            }
            at += 1;
        }
    }

    fn take_elements(&mut self, target: &[&Token], value: &Value) {
        let names = target.iter().filter_map(|token| match token {
            Token::Name(name) | Token::Var(name) => Some(name.clone()),
            _ => None,
        });
        let names: Vec<String> = names.take(16).collect();
        for (index, name) in names.into_iter().enumerate() {
            let element = match value {
                Value::List(items) => items.get(index).cloned().unwrap_or(Value::Nothing),
                other => Value::unknown(other.origins()),
            };
            self.vars.insert(name, element);
        }
    }
}

/// `a.b.c`.
fn dotted(cursor: &mut Cursor) -> Option<String> {
    let mut name = cursor.name()?;
    while cursor.is(".") && matches!(cursor.ahead(1), Some(Token::Name(_))) {
        cursor.next();
        name.push('.');
        name.push_str(&cursor.name().unwrap_or_default());
    }
    Some(name)
}

fn plain(parts: &[Part]) -> String {
    match parts {
        [Part::Plain(text)] => text.clone(),
        _ => String::new(),
    }
}

//! Arithmetic with numbers that are known.

/// What the names in an expression stand for.
pub(crate) trait Names {
    /// The number of a variable; `None` when it cannot be told.
    fn number(&self, name: &str) -> Option<i64>;
    /// A variable gets a number, or becomes unknown.
    fn set(&mut self, name: &str, number: Option<i64>);
}

/// How deep expressions may nest.
const DEEPEST: u32 = 40;

/// The value of an expression, if it can be told.
pub(crate) fn evaluate(text: &str, names: &mut dyn Names) -> Option<i64> {
    if text.trim().is_empty() {
        return Some(0);
    }
    let mut reader = Reader { text: text.as_bytes(), at: 0, names, depth: 0 };
    let value = reader.comma();
    reader.skip();
    if reader.at < reader.text.len() { None } else { value }
}

struct Reader<'t, 'n> {
    text: &'t [u8],
    at: usize,
    names: &'n mut dyn Names,
    /// Expressions are read recursively.
    depth: u32,
}

/// Binary operators, those that bind loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_, '_> {
    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn looking_at(&mut self, text: &str) -> bool {
        self.skip();
        self.text[self.at..].starts_with(text.as_bytes())
    }

    fn eat(&mut self, text: &str) -> bool {
        let here = self.looking_at(text);
        if here {
            self.at += text.len();
        }
        here
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.choice();
        while self.eat(",") {
            value = self.choice();
        }
        value
    }

    fn choice(&mut self) -> Option<i64> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = self.choice_inner();
        self.depth -= 1;
        value
    }

    fn choice_inner(&mut self) -> Option<i64> {
        let start = self.at;
        if let Some(value) = self.assignment() {
            return value;
        }
        self.at = start;
        let condition = self.binary(0);
        if !self.eat("?") {
            return condition;
        }
        let yes = self.choice();
        if !self.eat(":") {
            return None;
        }
        let no = self.choice();
        if condition? != 0 { yes } else { no }
    }

    /// `x = …`, `x += …`, `x++`.
    fn assignment(&mut self) -> Option<Option<i64>> {
        let name = self.name()?;
        let before = self.names.number(&name);
        if self.eat("++") || self.eat("--") {
            let step = if self.text[self.at - 1] == b'+' { 1 } else { -1 };
            self.names.set(&name, before.and_then(|n| n.checked_add(step)));
            return Some(before);
        }
        for operator in ["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "="] {
            if self.looking_at("==") || !self.eat(operator) {
                continue;
            }
            let right = self.choice();
            let value = match operator {
                "=" => right,
                _ => before.zip(right).and_then(|(l, r)| apply(operator.trim_end_matches('='), l, r)),
            };
            self.names.set(&name, value);
            return Some(value);
        }
        None
    }

    fn name(&mut self) -> Option<String> {
        self.skip();
        let length = self.text[self.at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = std::str::from_utf8(&self.text[self.at..self.at + length]).ok()?;
        if !crate::syntax::is_name(name) {
            return None;
        }
        self.at += length;
        Some(name.to_owned())
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1);
        'more: loop {
            for operator in *operators {
                if self.clashes(operator) || !self.eat(operator) {
                    continue;
                }
                let right = self.binary(level + 1);
                left = left.zip(right).and_then(|(l, r)| apply(operator, l, r));
                continue 'more;
            }
            return left;
        }
    }

    /// Whether a longer operator is here that only begins like this one.
    fn clashes(&mut self, operator: &str) -> bool {
        match operator {
            "|" => self.looking_at("||"),
            "&" => self.looking_at("&&"),
            "<" => self.looking_at("<<"),
            ">" => self.looking_at(">>"),
            "*" => self.looking_at("**"),
            _ => false,
        }
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary();
        if !self.eat("**") {
            return base;
        }
        let exponent = self.power();
        base.zip(exponent).and_then(|(b, e)| b.checked_pow(u32::try_from(e).ok()?))
    }

    fn unary(&mut self) -> Option<i64> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = self.unary_inner();
        self.depth -= 1;
        value
    }

    fn unary_inner(&mut self) -> Option<i64> {
        if self.eat("++") || self.eat("--") {
            let step = if self.text[self.at - 1] == b'+' { 1 } else { -1 };
            let name = self.name()?;
            let value = self.names.number(&name).and_then(|n| n.checked_add(step));
            self.names.set(&name, value);
            return value;
        }
        if self.eat("-") {
            return self.unary()?.checked_neg();
        }
        if self.eat("+") {
            return self.unary();
        }
        if self.eat("!") {
            return self.unary().map(|n| i64::from(n == 0));
        }
        if self.eat("~") {
            return self.unary().map(|n| !n);
        }
        if self.eat("(") {
            let value = self.comma();
            return if self.eat(")") { value } else { None };
        }
        if let Some(name) = self.name() {
            return self.names.number(&name);
        }
        self.number()
    }

    fn number(&mut self) -> Option<i64> {
        self.skip();
        let length = self.text[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'#' | b'@' | b'_'))
            .count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + length]).ok()?;
        self.at += length;
        if let Some((base, digits)) = text.split_once('#') {
            return i64::from_str_radix(digits, base.parse().ok().filter(|base| (2..=36).contains(base))?).ok();
        }
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8).ok(),
            None => text.parse().ok(),
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
        ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

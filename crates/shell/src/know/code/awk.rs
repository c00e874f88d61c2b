//! awk: commands it runs, files it writes and reads, what it prints.

use std::collections::HashMap;

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};

/// What the options and operands say.
#[derive(Default)]
struct Asked {
    programs: Vec<Stuff>,
    variables: Vec<(String, String)>,
    in_place: bool,
    operands: Vec<Arg>,
    nothing: bool,
}

pub(super) fn awk(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut asked = options(it, doing);
    if asked.nothing {
        return;
    }
    if asked.programs.is_empty() {
        if asked.operands.is_empty() {
            return;
        }
        let program = asked.operands.remove(0);
        let text = (!program.is_opaque()).then(|| program.text.as_str().into());
        asked.programs.push(Stuff { text, from: program.from });
    }
    let mut from = it.stdin.filter(|_| asked.operands.is_empty()).map(|stdin| stdin.from).unwrap_or_default();
    for file in &asked.operands {
        if is_assignment(&file.text) || file.text == "-" {
            continue;
        }
        if asked.in_place {
            doing.overwrites(file, Flags::NONE);
        } else {
            from = from.and(doing.reads(file).from);
        }
    }
    let mut output = Stuff { text: None, from };
    for program in &asked.programs {
        match &program.text {
            Some(text) => {
                let mut reading = Reading::new(text, &asked.variables);
                reading.from = from;
                let own = it.stdin.filter(|_| asked.operands.is_empty());
                reading.record = own.and_then(|stdin| stdin.text.as_deref()).map(|text| text.trim_end().to_owned());
                reading.run(doing);
                output.from = output.from.and(reading.from);
                output.text = reading.printed();
            }
            None if program.from.network || program.from.decoded => {
                doing.does(Kind::RunUnseen, program.from.flags(), "runs code that cannot be seen");
            }
            None => {}
        }
    }
    doing.prints(output);
}

/// A program alone.
pub(super) fn look_through(code: &str, variables: &[(String, String)], doing: &mut Doing<'_, '_>) {
    Reading::new(code, variables).run(doing);
}

fn options(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) -> Asked {
    let mut asked = Asked::default();
    let mut words = it.args.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if text.len() < 2 || !text.starts_with('-') {
            asked.operands.push(word.clone());
            break;
        }
        let (name, attached) = match text.strip_prefix("--") {
            Some(long) => long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value))),
            None => (
                text.get(1..2).unwrap_or_default(),
                (text.len() > 2).then(|| &text[text.char_indices().nth(2).map_or(text.len(), |it| it.0)..]),
            ),
        };
        let mut value =
            || attached.map(|text| Arg { text: text.to_owned(), ..word.clone() }).or_else(|| words.next().cloned());
        match name {
            "f" | "file" | "E" | "exec" => {
                if let Some(file) = value() {
                    let program = doing.reads(&file);
                    asked.programs.push(program);
                }
            }
            "e" | "source" => {
                if let Some(code) = value() {
                    asked.programs.push(Stuff { text: Some(code.text.into()), from: code.from });
                }
            }
            "v" | "assign" => {
                if let Some((name, value)) = value().as_ref().and_then(|word| word.text.split_once('=')) {
                    asked.variables.push((name.to_owned(), value.to_owned()));
                }
            }
            "F" | "field-separator" | "l" | "load" => {
                value();
            }
            "i" | "include" => asked.in_place |= value().is_some_and(|word| word.text.contains("inplace")),
            "version" | "help" | "V" | "h" => asked.nothing = true,
            _ => {}
        }
    }
    asked.operands.extend(words.cloned());
    asked
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Text(String),
    Name(String),
    Op(char),
    Append,
    Coprocess,
    End,
}

struct Reading {
    tokens: Vec<Token>,
    variables: HashMap<String, String>,
    output: String,
    /// It printed something that it did not read.
    own_words: bool,
    from: Origins,
    /// What `$0` is, if all input is known: all of it, since each line is looked at in its turn.
    record: Option<String>,
    connects: bool,
    runs: bool,
}

impl Reading {
    fn new(code: &str, variables: &[(String, String)]) -> Self {
        Self {
            tokens: tokens(code),
            variables: variables.iter().cloned().collect(),
            output: String::new(),
            own_words: false,
            from: Origins::default(),
            record: None,
            connects: false,
            runs: false,
        }
    }

    fn printed(&self) -> Option<std::rc::Rc<str>> {
        self.own_words.then(|| self.output.as_str().into())
    }

    fn run(&mut self, doing: &mut Doing<'_, '_>) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.step(at, doing);
        }
        if self.connects && self.runs {
            doing.does(Kind::ReverseShell, Flags::NONE, "hands a shell to another machine");
        }
    }

    fn step(&mut self, at: usize, doing: &mut Doing<'_, '_>) -> usize {
        match &self.tokens[at] {
            Token::Text(text) if text.starts_with("/inet") => self.connect(&text.clone(), doing),
            Token::Name(name) if name == "system" && self.tokens.get(at + 1) == Some(&Token::Op('(')) => {
                let end = self.closing(at + 1);
                let script = self.joined(at + 2, end);
                self.run_script(&script, doing);
                return at + 2;
            }
            Token::Name(name) if name == "print" || name == "printf" => {
                if self.reads_secret(at + 1) {
                    self.from.secret = true;
                    doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a credential");
                }
                return self.print(at, doing);
            }
            Token::Name(name) if name == "getline" => return self.getline(at, doing),
            Token::Name(name)
                if self.tokens.get(at + 1) == Some(&Token::Op('='))
                    && self.tokens.get(at + 2) != Some(&Token::Op('=')) =>
            {
                let name = name.clone();
                let end = self.statement_end(at + 2);
                let value = self.joined(at + 2, end);
                self.variables.insert(name, value);
                return at + 2;
            }
            _ => {}
        }
        at + 1
    }

    /// Whether a statement takes a credential from the environment.
    fn reads_secret(&self, at: usize) -> bool {
        let end = self.statement_end(at);
        self.tokens[at..end].windows(3).any(|three| {
            matches!(three, [Token::Name(name), Token::Op('['), Token::Text(key)]
                if name == "ENVIRON" && crate::walk::state::is_secret(key))
        })
    }

    fn connect(&mut self, text: &str, doing: &mut Doing<'_, '_>) {
        self.connects = true;
        self.from.network = true;
        let host = text.split('/').nth(4).unwrap_or_default();
        doing.talks(&Arg::known(host), Flags::NONE.with(Flag::Upload).with(Flag::Download), None);
    }

    fn run_script(&mut self, script: &str, doing: &mut Doing<'_, '_>) {
        if script.is_empty() {
            return;
        }
        self.runs = true;
        let unseen = script.chars().all(|c| c == HOLE);
        // Where the command itself was read from matters, not where its arguments were.
        let read = script.starts_with(HOLE) || self.connects;
        let from =
            Origins { network: read && self.from.network, decoded: read && self.from.decoded, ..Origins::default() };
        let script = Stuff { text: (!unseen).then(|| script.into()), from };
        let output = doing.runs_script("awk", &script, &[], None);
        self.from = self.from.and(output.from);
    }

    /// `print a, b > "file"`, `print | "command"`.
    fn print(&mut self, at: usize, doing: &mut Doing<'_, '_>) -> usize {
        let end = self.statement_end(at + 1);
        let mut depth = 0_usize;
        let mut target = None;
        for index in at + 1..end {
            match &self.tokens[index] {
                Token::Op('(') => depth += 1,
                Token::Op(')') => depth = depth.saturating_sub(1),
                token @ (Token::Op('>' | '|') | Token::Append | Token::Coprocess) if depth == 0 => {
                    target = Some((index, token.clone()));
                    break;
                }
                _ => {}
            }
        }
        let text_end = target.as_ref().map_or(end, |(index, _)| *index);
        let text = match &self.tokens[at] {
            Token::Name(name) if name == "printf" => self.formatted(at + 1, text_end),
            _ if text_end == at + 1 => self.record.clone().unwrap_or_default(),
            _ => self.joined(at + 1, text_end),
        };
        match target {
            Some((index, Token::Op('>') | Token::Append)) => {
                let path = Arg { text: self.joined(index + 1, end), ..Arg::default() };
                let append = self.tokens[index] == Token::Append;
                if !path.text.is_empty() && !path.text.starts_with("/dev/std") {
                    doing.puts(
                        &path,
                        Stuff { text: (!text.contains(HOLE)).then(|| text.as_str().into()), from: self.from },
                        append,
                    );
                }
            }
            Some((index, Token::Op('|'))) => {
                let script = self.joined(index + 1, end);
                let seen = text.chars().any(|c| c != HOLE);
                let stdin = Stuff { text: seen.then(|| text.as_str().into()), from: self.from };
                self.runs = true;
                if !script.is_empty() {
                    doing.runs_script("awk", &Stuff::known(script), &[], Some(&stdin));
                }
            }
            Some(_) => return at + 1,
            None => {
                self.own_words |= text.chars().any(|c| c != HOLE && !c.is_whitespace());
                if self.output.len() < 64 * 1024 {
                    self.output.push_str(if text.is_empty() { "\u{FFFF}" } else { &text });
                    self.output.push('\n');
                }
            }
        }
        // Calls among the arguments are looked at as well.
        let calls = self.tokens[at + 1..end]
            .iter()
            .any(|token| matches!(token, Token::Name(name) if name == "system" || name == "getline"));
        if calls { at + 1 } else { end }
    }

    /// `"command" | getline x`, `getline x < "file"`.
    fn getline(&mut self, at: usize, doing: &mut Doing<'_, '_>) -> usize {
        if at > 0 && matches!(self.tokens[at - 1], Token::Op('|') | Token::Coprocess) {
            let start = self.statement_start(at - 1);
            let script = self.joined(start, at - 1);
            if !script.starts_with("/inet") {
                self.run_script(&script, doing);
            }
        }
        let next = (at + 1..self.tokens.len().min(at + 4)).find(|index| self.tokens[*index] == Token::Op('<'));
        if let Some(index) = next {
            let end = self.statement_end(index + 1);
            let path = self.joined(index + 1, end);
            if !path.is_empty() && !path.starts_with("/inet") {
                self.from = self.from.and(doing.reads(&Arg { text: path, ..Arg::default() }).from);
            }
        }
        at + 1
    }

    /// So far a statement is looked at: what is longer is data.
    const LONGEST: usize = 400;

    fn statement_end(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        let last = self.tokens.len().min(from + Self::LONGEST);
        for index in from..last {
            match &self.tokens[index] {
                Token::Op('(' | '[') => depth += 1,
                Token::Op(')' | ']') if depth == 0 => return index,
                Token::Op(')' | ']') => depth -= 1,
                Token::End | Token::Op(';' | '}' | '{') => return index,
                _ => {}
            }
        }
        last
    }

    fn statement_start(&self, to: usize) -> usize {
        let first = to.saturating_sub(Self::LONGEST);
        let boundary =
            |index: &usize| matches!(self.tokens[*index], Token::End | Token::Op(';' | '{' | '}' | '(' | '&'));
        (first..to).rev().find(boundary).map_or(first, |index| index + 1)
    }

    /// Where the parenthesis at `open` ends; where none stands there, at the first that ends one opened before.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        let last = self.tokens.len().min(open + Self::LONGEST);
        for index in open..last {
            match &self.tokens[index] {
                Token::Op('(') => depth += 1,
                Token::Op(')') if depth <= 1 => return index,
                Token::Op(')') => depth -= 1,
                _ => {}
            }
        }
        last
    }

    /// What `printf` makes of its arguments, as far as letters and numbers go.
    fn formatted(&self, start: usize, end: usize) -> String {
        let (start, end) = match (self.tokens.get(start), self.closing(start) + 1 == end) {
            (Some(Token::Op('(')), true) => (start + 1, end - 1),
            _ => (start, end),
        };
        let mut depth = 0_usize;
        let mut values = Vec::new();
        let mut first = start;
        for at in start..=end.min(self.tokens.len()) {
            match self.tokens.get(at).filter(|_| at < end) {
                Some(Token::Op('(' | '[')) => depth += 1,
                Some(Token::Op(')' | ']')) => depth = depth.saturating_sub(1),
                Some(Token::Op(',')) if depth == 0 => {
                    values.push(self.joined(first, at));
                    first = at + 1;
                }
                None => values.push(self.joined(first, end)),
                _ => {}
            }
        }
        let mut values = values.into_iter();
        let mut text = String::new();
        let format = values.next().unwrap_or_default();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mark = rest.by_ref().find(|c| c.is_alphabetic() || *c == '%');
            match (mark, mark.filter(|mark| *mark != '%').and_then(|_| values.next())) {
                (Some('c'), Some(value)) => match value.trim().parse().ok().and_then(char::from_u32) {
                    Some(letter) => text.push(letter),
                    None => text.extend(value.chars().next()),
                },
                (Some(_), Some(value)) => text.push_str(&value),
                (Some('%'), None) => text.push('%'),
                _ => text.push(HOLE),
            }
        }
        text
    }

    /// Values that stand side by side are one text.
    fn joined(&self, start: usize, end: usize) -> String {
        let mut text = String::new();
        let mut at = start;
        while at < end.min(self.tokens.len()) && text.len() < 64 * 1024 {
            match &self.tokens[at] {
                Token::Text(part) => text.push_str(part),
                Token::Name(name) if self.tokens.get(at + 1) == Some(&Token::Op('(')) => {
                    let _ = name;
                    text.push(HOLE);
                    at = self.closing(at + 1);
                }
                Token::Name(name) if name == "ENVIRON" && self.tokens.get(at + 1) == Some(&Token::Op('[')) => {
                    text.push(HOLE);
                    at = (at + 3).min(end);
                }
                Token::Name(name) if ["while", "if", "do", "else", "return"].contains(&name.as_str()) => {}
                Token::Name(name) => match self.variables.get(name) {
                    Some(value) => text.push_str(value),
                    None if name.starts_with(|c: char| c.is_ascii_digit()) => text.push_str(name),
                    None => text.push(HOLE),
                },
                Token::Op('$') => {
                    at += 1;
                    match &self.record {
                        Some(record) if self.tokens.get(at) == Some(&Token::Name("0".into())) => text.push_str(record),
                        _ => text.push(HOLE),
                    }
                }
                Token::Op(',') => text.push(' '),
                _ => {}
            }
            at += 1;
        }
        text
    }
}

fn tokens(code: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let used = match c {
            '"' => {
                let (text, used) = text(&rest[1..]);
                tokens.push(Token::Text(text));
                used + 1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\n' => {
                tokens.push(Token::End);
                1
            }
            '/' if !value_before(tokens.last()) => pattern(&rest[1..]).map_or(1, |used| {
                tokens.push(Token::Name("/pattern/".into()));
                used + 1
            }),
            c if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(Token::Name(rest[..end].to_owned()));
                end
            }
            '>' if rest.starts_with(">>") => {
                tokens.push(Token::Append);
                2
            }
            '|' if rest.starts_with("|&") => {
                tokens.push(Token::Coprocess);
                2
            }
            '|' if rest.starts_with("||") => 2,
            c if c.is_whitespace() => c.len_utf8(),
            c => {
                tokens.push(Token::Op(c));
                c.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    tokens
}

fn value_before(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Text(_) | Token::Name(_) | Token::Op(')' | ']' | '$')))
}

fn text(body: &str) -> (String, usize) {
    let mut text = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (text, at + 1),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((at, digit @ ('x' | '0'..='7'))) => {
                    let (digits, radix, limit) =
                        if digit == 'x' { (&body[at + 1..], 16, 2) } else { (&body[at..], 8, 3) };
                    let length = digits.chars().take(limit).take_while(|c| c.is_digit(radix)).count();
                    text.extend(u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32));
                    let skip = if digit == 'x' { length } else { length.saturating_sub(1) };
                    (0..skip).for_each(|_| {
                        chars.next();
                    });
                }
                Some((_, c)) => text.push(c),
                None => {}
            },
            c => text.push(c),
        }
    }
    (text, body.len())
}

/// How long a pattern is, with its closing slash.
fn pattern(body: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in body.char_indices().take(2000) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '/' => return Some(at + 1),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

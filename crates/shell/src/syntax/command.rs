//! Lists, pipelines, simple commands and redirections.

use std::rc::Rc;

use super::word::{Within, ends_word, is_name};
use super::{Assign, AssignValue, Command, List, Part, Reader, Redirect, RedirectKind, Simple, Step, Trouble, Word};

/// Reserved words that end a list.
const CLOSERS: &[&str] = &["then", "do", "done", "fi", "elif", "else", "esac", "}"];

/// Commands whose arguments may assign arrays.
const DECLARERS: &[&str] = &["declare", "typeset", "local", "export", "readonly"];

/// Makes a redirection of its target.
type Make = fn(Word) -> RedirectKind;

impl Reader<'_> {
    /// All of the text, whatever stands in it.
    pub(super) fn everything(&mut self) -> List {
        let mut list = self.list();
        while self.at < self.text.len() {
            // Something that closes what was never opened.
            self.troubled(Trouble::Syntax);
            self.skip_closer();
            list.append(&mut self.list());
        }
        if !self.pending.is_empty() {
            self.here_documents();
        }
        list
    }

    fn skip_closer(&mut self) {
        match self.closer() {
            Some(word) => self.at += word.len(),
            None => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
        }
    }

    /// The reserved word that ends a list, if one is here.
    fn closer(&self) -> Option<&'static str> {
        CLOSERS.iter().copied().find(|word| self.at_reserved(word))
    }

    /// Whether a reserved word stands here by itself.
    pub(super) fn at_reserved(&self, word: &str) -> bool {
        self.looking_at(word) && self.peek_at(word.len()).is_none_or(ends_word)
    }

    pub(super) fn eat_reserved(&mut self, word: &str) -> bool {
        let here = self.at_reserved(word);
        if here {
            self.at += word.len();
        }
        here
    }

    /// Commands up to something that closes them.
    pub(super) fn list(&mut self) -> List {
        let mut list = List::new();
        loop {
            let before = self.at;
            self.skip_lines();
            if self.posix && self.depth == 0 && self.trouble.is_none() && self.text[before..self.at].contains('\n') {
                self.sound = list.len();
            }
            match self.peek() {
                None | Some(b')') => return list,
                Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&')) => return list,
                Some(b'}' | b't' | b'd' | b'f' | b'e') if self.closer().is_some() => return list,
                Some(b';' | b'&' | b'|') => {
                    self.troubled(Trouble::Syntax);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let before = self.at;
            let pipeline = self.pipeline();
            let mut step = Step { pipeline, background: false };
            self.skip_blanks();
            if self.eat("&&") || self.eat("||") {
                list.push(step);
                continue;
            }
            if self.peek() == Some(b';') && !matches!(self.peek_at(1), Some(b';' | b'&')) {
                self.at += 1;
            } else if self.peek() == Some(b'&') {
                self.at += 1;
                step.background = true;
            } else if self.at == before {
                self.troubled(Trouble::Syntax);
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            } else if !matches!(self.peek(), None | Some(b'\n' | b')' | b';' | b'#')) && self.closer().is_none() {
                self.troubled(Trouble::Syntax);
            }
            list.push(step);
        }
    }

    fn pipeline(&mut self) -> Vec<Command> {
        let mut commands = Vec::with_capacity(1);
        loop {
            self.skip_blanks();
            while self.eat_reserved("!") || self.eat_reserved("time") {
                self.skip_blanks();
                while self.eat_reserved("-p") || self.eat_reserved("--") {
                    self.skip_blanks();
                }
            }
            let command = self.deeper(|reader| Some(reader.command()));
            commands
                .extend(command.filter(|command| !matches!(command, Command::Simple(simple) if simple.is_nothing())));
            self.skip_blanks();
            if self.looking_at("||") || self.peek() != Some(b'|') {
                return commands;
            }
            self.at += 1;
            self.eat("&");
            self.skip_lines();
        }
    }

    fn command(&mut self) -> Command {
        if let Some(compound) = self.compound() {
            return compound;
        }
        self.simple()
    }

    pub(super) fn simple(&mut self) -> Command {
        let mut simple = Simple { perhaps: self.in_condition(), ..Simple::default() };
        let mut declares = false;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            if byte == b'#' {
                self.skip_comment();
                break;
            }
            if let Some(redirect) = self.redirect() {
                if !self.posix || !self.compares(&redirect, &simple) {
                    simple.redirects.push(redirect);
                }
                continue;
            }
            if ends_word(byte) && !self.at_process() {
                break;
            }
            if (simple.words.is_empty() || declares) && self.assignment(&mut simple, declares) {
                continue;
            }
            let first = simple.words.is_empty();
            let start = self.at;
            let word = self.word();
            if self.at == start {
                break;
            }
            if first && simple.assigns.is_empty() && self.function_parens() {
                let name = &self.text[start..self.at];
                let name: Rc<str> = name.split(['(', ' ', '\t']).next().unwrap_or_default().into();
                return self.function_body(name);
            }
            if first && !simple.assigns.is_empty() && matches!(&self.text[start..self.at], "!" | "time") {
                continue;
            }
            if self.posix && first && &self.text[start..self.at] == "[[" {
                self.note_test();
            }
            declares |= first && DECLARERS.contains(&&self.text[start..self.at]);
            simple.words.push(word);
        }
        Command::Simple(simple)
    }

    /// Whether `<(` or `>(` begins a word here.
    fn at_process(&self) -> bool {
        self.looking_at("<(") || self.looking_at(">(")
    }

    /// Past `()` after a name.
    fn function_parens(&mut self) -> bool {
        let start = self.at;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if self.eat(")") {
                return true;
            }
        }
        self.at = start;
        false
    }

    pub(super) fn function_body(&mut self, name: Rc<str>) -> Command {
        self.skip_lines();
        let start = self.at;
        let body = self.deeper(|reader| Some(reader.command())).unwrap_or(Command::Simple(Simple::default()));
        if self.at == start {
            self.troubled(Trouble::Syntax);
        }
        Command::Function(name, Rc::new(body))
    }

    /// `name=value`, `name[index]=value`, `name+=value`, `name=(…)`.
    fn assignment(&mut self, simple: &mut Simple, declares: bool) -> bool {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        if !is_name(&rest[..length]) || !matches!(rest.as_bytes().get(length), Some(b'=' | b'+' | b'[')) {
            return false;
        }
        let start = self.at;
        let name = rest[..length].to_owned();
        self.at += length;
        let mut index = None;
        if self.eat("[") {
            index = Some(Word { parts: self.deeper(|reader| reader.parts(Within::Brackets)) });
            self.eat("]");
        }
        let append = self.eat("+");
        if !self.eat("=") || declares && self.peek() != Some(b'(') {
            self.at = start;
            return false;
        }
        self.only_in_bash("(");
        let value =
            if self.eat("(") { AssignValue::Array(self.deeper(Self::array)) } else { AssignValue::Text(self.word()) };
        simple.assigns.push(Assign { name, index, value, append });
        true
    }

    /// After `(`: elements, and past the parenthesis.
    fn array(&mut self) -> Vec<(Option<Word>, Word)> {
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return elements;
                }
                None => {
                    self.troubled(Trouble::Syntax);
                    return elements;
                }
                Some(b'[') => elements.push(self.keyed_element()),
                Some(byte) if ends_word(byte) && !self.at_process() => {
                    self.troubled(Trouble::Syntax);
                    self.at += 1;
                }
                Some(_) => elements.push((None, self.word())),
            }
        }
    }

    /// `[key]=value`, or a pattern that begins with a bracket.
    fn keyed_element(&mut self) -> (Option<Word>, Word) {
        let start = self.at;
        self.at += 1;
        let key = Word { parts: self.deeper(|reader| reader.parts(Within::Brackets)) };
        if self.eat("]=") {
            return (Some(key), self.word());
        }
        if self.trouble != Some(Trouble::Depth) {
            self.at = start;
        }
        let word = self.word();
        (None, word)
    }

    /// Redirections after a compound command.
    pub(super) fn redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => return redirects,
            }
        }
    }

    fn redirect(&mut self) -> Option<Redirect> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let mut skip = digits;
        if digits == 0 && self.peek() == Some(b'{') {
            // `{fd}>file`
            let rest = &self.rest()[1..];
            let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            if name > 0 && rest.as_bytes().get(name) == Some(&b'}') {
                skip = name + 2;
            }
        }
        let operator = self.peek_at(skip)?;
        let both = skip == 0 && operator == b'&' && self.peek_at(1) == Some(b'>') && !self.posix;
        if !both && !matches!(operator, b'<' | b'>') {
            return None;
        }
        if skip == 0 && self.at_process() {
            return None;
        }
        let fd = (digits > 0).then(|| self.rest()[..digits].parse().unwrap_or(u32::MAX));
        let name = (skip > digits).then(|| self.rest()[1..skip - 1].to_owned());
        self.at += skip;
        let kind = self.redirect_kind();
        Some(Redirect { fd, name, kind })
    }

    fn redirect_kind(&mut self) -> RedirectKind {
        const OPERATORS: &[(&str, Make)] = &[
            ("&>>", RedirectKind::BothAppend),
            ("&>", RedirectKind::Both),
            ("<<<", RedirectKind::HereString),
            ("<>", RedirectKind::InOut),
            ("<&", RedirectKind::DupIn),
            (">>", RedirectKind::Append),
            (">&", RedirectKind::DupOut),
            (">|", RedirectKind::Out),
            ("<", RedirectKind::In),
            (">", RedirectKind::Out),
        ];
        self.only_in_bash("<<<");
        if !self.looking_at("<<<") && self.eat("<<") {
            let strip = self.eat("-");
            return self.here_operator(strip);
        }
        for (operator, make) in OPERATORS {
            if self.eat(operator) {
                self.skip_blanks();
                let word = self.word();
                if word.parts.is_empty() {
                    self.troubled(Trouble::Syntax);
                }
                return make(word);
            }
        }
        RedirectKind::In(Word { parts: vec![Part::Quoted(String::new())] })
    }
}

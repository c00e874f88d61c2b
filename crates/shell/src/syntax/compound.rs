//! Compound commands: groups, conditions, loops, `case`, `[[`, `((`.

use super::word::{Within, ends_word};
use super::{Arm, Command, Compound, List, Reader, Trouble, Word};

impl Reader<'_> {
    /// The compound command or function definition that begins here, if one does.
    pub(super) fn compound(&mut self) -> Option<Command> {
        let compound = match self.peek()? {
            b'(' => self.parenthesized(),
            b'{' if self.eat_reserved("{") => {
                let list = self.deeper(Self::list);
                self.demand("}");
                Compound::Group(list)
            }
            b'[' if !self.posix && self.eat_reserved("[[") => Compound::Test(self.test()),
            b'i' if self.eat_reserved("if") => Compound::If(self.arms_of_if()),
            b'w' if self.eat_reserved("while") => self.looped(),
            b'u' if self.eat_reserved("until") => self.looped(),
            b'f' if self.eat_reserved("for") => self.for_clause(),
            b's' if self.eat_reserved("select") => self.for_clause(),
            b'c' if self.eat_reserved("case") => self.case(),
            b'c' if self.eat_reserved("coproc") => self.coprocess(),
            b'f' if self.eat_reserved("function") => return Some(self.function_keyword()),
            _ => return None,
        };
        let redirects = self.redirects();
        Some(Command::Compound(compound, redirects))
    }

    fn demand(&mut self, word: &str) {
        self.skip_lines();
        if !self.eat_reserved(word) {
            self.troubled(Trouble::Syntax);
        }
    }

    /// A substitution or subshell ended in something else than a parenthesis: past what does not belong.
    pub(super) fn recover_paren(&mut self) {
        self.troubled(Trouble::Syntax);
    }

    fn parenthesized(&mut self) -> Compound {
        let arithmetic = self.looking_at("((") && self.arithmetic_ahead(1);
        if arithmetic && self.posix {
            self.note_expression();
        } else if arithmetic {
            self.at += 2;
            return Compound::Arithmetic(Word { parts: self.arithmetic() });
        }
        self.at += 1;
        let list = self.deeper(Self::list);
        if !self.eat(")") {
            self.recover_paren();
        }
        Compound::Subshell(list)
    }

    fn function_keyword(&mut self) -> Command {
        self.skip_blanks();
        let start = self.at;
        self.word();
        let name = self.text[start..self.at].into();
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.eat(")");
        }
        self.function_body(name)
    }

    /// After `if`: all arms, and past `fi`.
    fn arms_of_if(&mut self) -> Vec<(List, List)> {
        let mut arms = Vec::new();
        loop {
            let condition = self.deeper(Self::list);
            self.demand("then");
            let body = self.deeper(Self::list);
            arms.push((condition, body));
            self.skip_lines();
            if !self.eat_reserved("elif") {
                break;
            }
        }
        if self.eat_reserved("else") {
            let body = self.deeper(Self::list);
            arms.push((List::new(), body));
        }
        self.demand("fi");
        arms
    }

    fn looped(&mut self) -> Compound {
        let condition = self.deeper(Self::list);
        let body = self.do_group();
        Compound::Loop { condition, body }
    }

    fn do_group(&mut self) -> List {
        self.skip_lines();
        if self.eat(";") {
            self.skip_lines();
        }
        if self.eat_reserved("{") {
            let body = self.deeper(Self::list);
            self.demand("}");
            return body;
        }
        self.demand("do");
        let body = self.deeper(Self::list);
        self.demand("done");
        body
    }

    fn for_clause(&mut self) -> Compound {
        self.skip_blanks();
        self.only_in_bash("((");
        if self.looking_at("((") {
            self.at += 2;
            let header = Word { parts: self.arithmetic() };
            let body = self.do_group();
            return Compound::ArithmeticFor { header, body };
        }
        let start = self.at;
        self.word();
        let name = self.text[start..self.at].to_owned();
        self.skip_lines();
        let mut words = None;
        if self.eat_reserved("in") {
            words = Some(self.words());
        }
        let body = self.do_group();
        Compound::For { name, words, body }
    }

    /// Words up to the end of the line or a semicolon.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(byte) if !ends_word(byte) || self.looking_at("<(") => words.push(self.word()),
                _ => return words,
            }
        }
    }

    fn case(&mut self) -> Compound {
        self.skip_blanks();
        let word = self.word();
        self.demand("in");
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.eat_reserved("esac") {
                break;
            }
            let before = self.at;
            match self.deeper(|reader| Some(reader.arm())) {
                Some(arm) if self.at > before => arms.push(arm),
                _ => {
                    self.troubled(Trouble::Syntax);
                    break;
                }
            }
            if self.peek().is_none() {
                self.troubled(Trouble::Syntax);
                break;
            }
        }
        Compound::Case { word, arms }
    }

    fn arm(&mut self) -> Arm {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.word());
            self.skip_blanks();
            if !self.eat("|") {
                break;
            }
        }
        if !self.eat(")") {
            self.troubled(Trouble::Syntax);
        }
        let body = self.list();
        let falls_through = self.looking_at(";&") || self.looking_at(";;&");
        let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
        Arm { patterns, body, falls_through }
    }

    fn coprocess(&mut self) -> Compound {
        self.skip_blanks();
        // A name may stand before a compound command.
        let start = self.at;
        let length = self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        self.at += length;
        self.skip_blanks();
        let named = length > 0 && matches!(self.peek(), Some(b'{' | b'('));
        let name = named.then(|| self.text[start..start + length].to_owned());
        if !named {
            self.at = start;
        }
        let command = self.deeper(|reader| reader.compound().or_else(|| Some(reader.simple())));
        Compound::Coprocess(name, Box::new(command.unwrap_or(Command::Simple(super::Simple::default()))))
    }

    /// After `[[`: its words, and past `]]`.
    fn test(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        let mut regex = false;
        loop {
            self.skip_lines();
            let Some(byte) = self.peek() else {
                self.troubled(Trouble::Syntax);
                return words;
            };
            if self.eat_reserved("]]") {
                return words;
            }
            if regex {
                regex = false;
                words.push(Word { parts: self.parts(Within::Regex) });
                continue;
            }
            if ends_word(byte) && !self.looking_at("<(") {
                if matches!(byte, b';') {
                    self.troubled(Trouble::Syntax);
                    return words;
                }
                self.at += 1;
                continue;
            }
            let start = self.at;
            words.push(self.word());
            regex = &self.text[start..self.at] == "=~";
        }
    }
}

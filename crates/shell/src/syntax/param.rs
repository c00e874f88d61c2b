//! `${…}`.

use super::word::Within;
use super::{Op, Parameter, Reader, Trouble, Word};

impl Reader<'_> {
    /// After `${`: the rest, and past the brace.
    pub(super) fn parameter(&mut self, quoted: bool) -> Parameter {
        let mut indirect = false;
        let mut length = false;
        if self.peek() == Some(b'#') && self.peek_at(1).is_some_and(|b| b != b'}' && b != b':' && b != b'%') {
            length = true;
            self.at += 1;
        } else if self.peek() == Some(b'!') && self.peek_at(1).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            indirect = true;
            self.at += 1;
        }
        let name = self.parameter_name();
        let mut index = None;
        if self.peek() == Some(b'[') {
            self.at += 1;
            index = Some(Word { parts: self.parts(Within::Brackets) });
            self.eat("]");
        }
        let op = if length {
            Op::Length
        } else if name.is_empty() {
            Op::Other
        } else {
            self.operator(quoted)
        };
        let rest = self.close_brace(quoted);
        Parameter { name, index, indirect, op, rest }
    }

    fn parameter_name(&mut self) -> String {
        let rest = self.rest();
        let length = match rest.bytes().next() {
            Some(b) if b.is_ascii_digit() => rest.bytes().take_while(u8::is_ascii_digit).count(),
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
            }
            Some(b) if b"@*#?-$!".contains(&b) => 1,
            _ => 0,
        };
        self.at += length;
        rest[..length].to_owned()
    }

    fn operator(&mut self, quoted: bool) -> Op {
        let Some(byte) = self.peek() else { return Op::None };
        match byte {
            b'}' => Op::None,
            b':' if matches!(self.peek_at(1), Some(b'-' | b'=' | b'+' | b'?')) => {
                let which = self.peek_at(1).unwrap_or_default();
                self.at += 2;
                Op::Default(which, true, self.operand(Within::Braces(quoted)))
            }
            b'-' | b'=' | b'+' | b'?' => {
                self.at += 1;
                Op::Default(byte, false, self.operand(Within::Braces(quoted)))
            }
            b':' => {
                self.at += 1;
                let offset = self.operand(Within::Offset);
                let length = self.eat(":").then(|| self.operand(Within::Offset));
                Op::Slice(offset, length)
            }
            b'#' | b'%' => {
                self.at += 1;
                let longest = self.peek() == Some(byte);
                self.at += usize::from(longest);
                Op::Trim(byte == b'%', longest, self.operand(Within::Braces(false)))
            }
            b'/' => self.replacement(quoted),
            b'^' | b',' | b'~' => {
                self.at += 1;
                let all = self.peek() == Some(byte);
                self.at += usize::from(all);
                if byte == b'~' { Op::Other } else { Op::Case(byte == b'^', all) }
            }
            b'@' => {
                let which = self.peek_at(1).unwrap_or_default();
                self.at += 1;
                if which.is_ascii_alphabetic() {
                    self.at += 1;
                }
                Op::Transform(which)
            }
            _ => Op::Other,
        }
    }

    fn replacement(&mut self, quoted: bool) -> Op {
        self.at += 1;
        let mut kind = b' ';
        if let Some(byte @ (b'/' | b'#' | b'%')) = self.peek() {
            kind = byte;
            self.at += 1;
        }
        let pattern = self.operand(Within::Pattern(false));
        let with = if self.eat("/") { self.operand(Within::Braces(quoted)) } else { Word::default() };
        Op::Replace(kind, pattern, with)
    }

    fn operand(&mut self, within: Within) -> Word {
        Word { parts: self.deeper(|reader| reader.parts(within)) }
    }

    fn close_brace(&mut self, quoted: bool) -> Word {
        if self.eat("}") {
            return Word::default();
        }
        // A pattern that does not matter, or something that this grammar does not know: up to the brace.
        let rest = self.operand(Within::Braces(quoted));
        if !self.eat("}") {
            self.troubled(Trouble::Syntax);
        }
        rest
    }
}

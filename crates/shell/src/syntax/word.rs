//! Words: quotes, escapes and what begins with a dollar.

use super::{List, Op, Parameter, Part, Reader, Trouble, Word};

/// Whether text could name a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// What ends an unquoted word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Where the parts are read, which decides what is special and what ends them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// A word of a command.
    Command,
    /// The regular expression of `[[ =~ ]]`: parentheses and bars are part of it.
    Regex,
    /// In `${…}`, up to `}`; whether double quotes are around it.
    Braces(bool),
    /// In `${x/…/…}`, up to `/` or `}`.
    Pattern(bool),
    /// In `${x:…:…}`, up to `:` or `}`.
    Offset,
    /// In `[…]`, up to `]`.
    Brackets,
    /// Between double quotes.
    Double,
    /// A here-document.
    Here,
    /// In `((…))`: up to the end of the text.
    Arithmetic,
}

impl Within {
    fn ends_at(self, byte: u8) -> bool {
        match self {
            Self::Command => ends_word(byte),
            Self::Regex => matches!(byte, b' ' | b'\t' | b'\n'),
            Self::Braces(_) => byte == b'}',
            Self::Pattern(_) => matches!(byte, b'}' | b'/'),
            Self::Offset => matches!(byte, b'}' | b':'),
            Self::Brackets => byte == b']',
            Self::Double => byte == b'"',
            Self::Here | Self::Arithmetic => false,
        }
    }

    /// Whether text is as between double quotes.
    fn is_double(self) -> bool {
        matches!(self, Self::Double | Self::Here | Self::Arithmetic)
    }

    /// Whether single quotes are plain text.
    fn single_is_text(self) -> bool {
        self.is_double() || self == Self::Braces(true)
    }
}

/// Collects parts; neighbouring text becomes one part.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    bare: String,
}

impl Parts {
    fn push(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    fn quote(&mut self, text: &str) {
        self.flush();
        match self.parts.last_mut() {
            Some(Part::Quoted(before)) => before.push_str(text),
            _ => self.parts.push(Part::Quoted(text.to_owned())),
        }
    }

    fn flush(&mut self) {
        if !self.bare.is_empty() {
            self.parts.push(Part::Bare(std::mem::take(&mut self.bare)));
        }
    }

    fn done(mut self) -> Vec<Part> {
        self.flush();
        self.parts
    }
}

impl Reader<'_> {
    /// A word of a command.
    pub(super) fn word(&mut self) -> Word {
        Word { parts: self.parts(Within::Command) }
    }

    /// The parts of a here-document: all of the text.
    pub(super) fn here_parts(&mut self) -> Vec<Part> {
        self.parts(Within::Here)
    }

    /// Text up to what ends it there.
    pub(super) fn parts(&mut self, within: Within) -> Vec<Part> {
        let mut parts = Parts::default();
        let mut brackets = 0_usize;
        while let Some(byte) = self.peek() {
            if byte == b'(' && within == Within::Command && self.extended_pattern(&mut parts) {
                continue;
            }
            if matches!(byte, b'<' | b'>') && within == Within::Command && self.peek_at(1) == Some(b'(') {
                self.only_in_bash("");
                self.at += 2;
                let list = self.substituted();
                parts.push(Part::Process(list, byte == b'<'));
                continue;
            }
            if within == Within::Brackets && byte == b'[' {
                brackets += 1;
            } else if within == Within::Brackets && byte == b']' && brackets > 0 {
                brackets -= 1;
                parts.bare.push(']');
                self.at += 1;
                continue;
            }
            if within.ends_at(byte) {
                break;
            }
            self.part(byte, within, &mut parts);
        }
        parts.done()
    }

    fn part(&mut self, byte: u8, within: Within, parts: &mut Parts) {
        match byte {
            b'\\' => self.escape(within, parts),
            b'\'' if !within.single_is_text() => self.single_quoted(parts),
            b'"' if !within.is_double() => self.double_quoted(parts),
            b'`' => {
                let list = self.backquoted(within == Within::Double);
                parts.push(Part::Command(list));
            }
            b'$' => self.dollar(within, parts),
            _ => {
                let rest = self.rest();
                let end = rest
                    .bytes()
                    .skip(1)
                    .position(|b| matches!(b, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'[' | b']') || within.ends_at(b))
                    .map_or(rest.len(), |end| end + 1);
                // A multi-byte character cannot be cut: all that is looked for is ASCII.
                parts.bare.push_str(&rest[..end]);
                self.at += end;
            }
        }
    }

    fn escape(&mut self, within: Within, parts: &mut Parts) {
        self.at += 1;
        let Some(next) = self.rest().chars().next() else {
            parts.quote("\\");
            return;
        };
        self.at += next.len_utf8();
        if next == '\n' {
            return;
        }
        let special = match within {
            Within::Double | Within::Braces(true) => matches!(next, '$' | '`' | '"' | '\\' | '}'),
            Within::Here | Within::Arithmetic => matches!(next, '$' | '`' | '\\'),
            _ => true,
        };
        let mut buffer = [0; 4];
        if special {
            parts.quote(next.encode_utf8(&mut buffer));
        } else {
            parts.quote("\\");
            parts.quote(next.encode_utf8(&mut buffer));
        }
    }

    fn single_quoted(&mut self, parts: &mut Parts) {
        let rest = &self.rest()[1..];
        match rest.find('\'') {
            Some(end) => {
                parts.quote(&rest[..end]);
                self.at += end + 2;
            }
            None => self.endless_quote('\'', parts),
        }
    }

    /// A quote that is never closed: bash would refuse. It is taken as a character, so that what follows is seen.
    fn endless_quote(&mut self, quote: char, parts: &mut Parts) {
        self.troubled(Trouble::Syntax);
        parts.quote(quote.encode_utf8(&mut [0; 4]));
        self.at += 1;
    }

    fn double_quoted(&mut self, parts: &mut Parts) {
        let start = self.at;
        self.at += 1;
        let inner = self.deeper(|reader| reader.parts(Within::Double));
        if self.eat("\"") {
            // An empty string is a word, too.
            match <[Part; 1]>::try_from(inner) {
                Ok([Part::Bare(text)]) => parts.quote(&text),
                Ok([one]) => parts.push(Part::Double(vec![one])),
                Err(inner) => parts.push(Part::Double(inner)),
            }
        } else if self.rewinds > 0 && self.trouble != Some(Trouble::Depth) {
            self.rewinds -= 1;
            self.at = start;
            self.endless_quote('"', parts);
        } else {
            self.troubled(Trouble::Syntax);
            parts.push(Part::Double(inner));
        }
    }

    /// `@(a|b)` and the like, when one begins at this parenthesis.
    fn extended_pattern(&mut self, parts: &mut Parts) -> bool {
        if !parts.bare.ends_with(['?', '*', '+', '@', '!']) || self.peek_at(1) == Some(b')') {
            return false;
        }
        let mut depth = 0_usize;
        let mut end = None;
        for (index, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\n' => break,
                _ => {}
            }
            if depth == 0 {
                end = Some(index + 1);
                break;
            }
        }
        let Some(end) = end else { return false };
        parts.bare.push_str(&self.rest()[..end]);
        self.at += end;
        true
    }

    /// After `$(`, `<(` or `>(`: the commands, and past the parenthesis.
    pub(super) fn substituted(&mut self) -> List {
        let list = self.deeper(Self::list);
        if !self.eat(")") {
            self.recover_paren();
        }
        list
    }

    /// At a backquote: what is between it and the next.
    fn backquoted(&mut self, in_double: bool) -> List {
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        let mut end = None;
        while let Some((index, c)) = chars.next() {
            match c {
                '`' => {
                    end = Some(index + 1);
                    break;
                }
                '\\' => match chars.next() {
                    Some((_, next @ ('`' | '\\' | '$'))) => text.push(next),
                    Some((_, '"')) if in_double => text.push('"'),
                    Some((_, next)) => text.extend(['\\', next]),
                    None => text.push('\\'),
                },
                c => text.push(c),
            }
        }
        if end.is_none() {
            self.troubled(Trouble::Syntax);
        }
        self.at += end.unwrap_or(self.rest().len());
        self.deeper(|reader| reader.within(&text, |inner| inner.everything()))
    }

    fn dollar(&mut self, within: Within, parts: &mut Parts) {
        self.at += 1;
        match self.peek() {
            Some(b'(') if self.looking_at("((") && self.arithmetic_ahead(1) => {
                self.at += 2;
                let inner = self.arithmetic();
                parts.push(Part::Arithmetic(inner));
            }
            Some(b'(') => {
                self.at += 1;
                let list = self.substituted();
                parts.push(Part::Command(list));
            }
            Some(b'[') => {
                self.at += 1;
                let inner = self.deeper(|reader| reader.parts(Within::Brackets));
                self.eat("]");
                parts.push(Part::Arithmetic(inner));
            }
            Some(b'{') => {
                self.at += 1;
                let quoted = within.is_double() || matches!(within, Within::Braces(true) | Within::Pattern(true));
                match self.deeper(|reader| Some(reader.parameter(quoted))) {
                    Some(parameter) => parts.push(Part::Parameter(Box::new(parameter))),
                    None => parts.quote("$"),
                }
            }
            Some(b'\'') if !within.is_double() && !self.ends_elsewhere() => self.ansi_quoted(parts),
            Some(b'"') if !within.is_double() => self.double_quoted(parts),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length = self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                parts.push(plain_parameter(&self.rest()[..length]));
                self.at += length;
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                parts.push(plain_parameter(&self.rest()[..1]));
                self.at += 1;
            }
            _ => parts.quote("$"),
        }
    }

    /// After `$`, at a single quote.
    fn ansi_quoted(&mut self, parts: &mut Parts) {
        let rest = &self.rest()[1..];
        let mut escaped = false;
        let end = rest.bytes().position(|b| {
            let ends = b == b'\'' && !escaped;
            escaped = b == b'\\' && !escaped;
            ends
        });
        match end {
            Some(end) => {
                parts.quote(&ansi(&rest[..end]));
                self.at += end + 2;
            }
            None => self.endless_quote('\'', parts),
        }
    }

    /// Whether the two parentheses that are `skip - 1` bytes ahead close as `))`, that is, whether it is arithmetic.
    pub(super) fn arithmetic_ahead(&self, skip: usize) -> bool {
        let rest = &self.rest().as_bytes()[skip.min(self.rest().len())..];
        let mut depth = 0_usize;
        let mut at = 0;
        while let Some(byte) = rest.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' => at += 1 + rest[at + 1..].iter().position(|b| *b == b'\'').unwrap_or(0),
                b'(' => depth += 1,
                b')' if depth == 1 => return rest.get(at + 1) == Some(&b')'),
                b')' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// After `((`: the expression, and past `))`. That it ends has been looked at.
    pub(super) fn arithmetic(&mut self) -> Vec<Part> {
        let bytes = self.rest().as_bytes();
        let mut depth = 2_usize;
        let mut end = bytes.len();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' => at += 1 + bytes[at + 1..].iter().position(|b| *b == b'\'').unwrap_or(0),
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = at - 1;
                break;
            }
            at += 1;
        }
        let text = self.rest().get(..end).unwrap_or_default();
        self.at = (self.at + end + 2).min(self.text.len());
        self.deeper(|reader| reader.within(text, |inner| inner.parts(Within::Arithmetic)))
    }
}

fn plain_parameter(name: &str) -> Part {
    let (index, indirect, op, rest) = (None, false, Op::None, Word::default());
    Part::Parameter(Box::new(Parameter { name: name.to_owned(), index, indirect, op, rest }))
}

/// The escapes of `$'…'` (and of `echo -e`, `printf` for the most part).
pub(crate) fn ansi(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut utf8 = [0; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            continue;
        }
        let Some(next) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        match next {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => bytes.push(next as u8),
            'c' => bytes.extend(chars.next().map(|c| (c as u32 & 0x1f) as u8)),
            'x' => bytes.push((digits(&mut chars, 16, 2) & 0xff) as u8),
            'u' | 'U' => {
                let code = digits(&mut chars, 16, if next == 'u' { 4 } else { 8 });
                if let Some(c) = char::from_u32(code) {
                    bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                }
            }
            '0'..='7' => {
                let first = next as u32 - '0' as u32;
                let (rest, count) = digits_counted(&mut chars, 8, 2);
                bytes.push(((first * 8_u32.pow(count) + rest) & 0xff) as u8);
            }
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
    bytes.retain(|b| *b != 0);
    String::from_utf8_lossy(&bytes).into_owned()
}

type Chars<'t> = std::iter::Peekable<std::str::Chars<'t>>;

fn digits(chars: &mut Chars<'_>, radix: u32, most: u32) -> u32 {
    digits_counted(chars, radix, most).0
}

fn digits_counted(chars: &mut Chars<'_>, radix: u32, most: u32) -> (u32, u32) {
    let (mut value, mut count) = (0_u32, 0);
    while count < most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        count += 1;
        chars.next();
    }
    (value, count)
}

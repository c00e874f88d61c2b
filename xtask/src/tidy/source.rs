//! Rust source, seen just well enough: what is code, what is comment or literal, what is test, and where an
//! item ends. No parser: the checks read our own, formatted code, and a wrong guess costs a look at a line.

/// A Rust file.
pub(super) struct Source {
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) raw: String,
    /// The line with each byte of a literal replaced by `_` and each byte of a comment by a space, so that
    /// columns stay what they are.
    pub(super) code: String,
    pub(super) in_test: bool,
}

pub(super) struct Function {
    pub(super) name: String,
    /// Index of the line with `fn`.
    pub(super) start: usize,
    /// Index of the line with the closing brace.
    pub(super) end: usize,
}

impl Line {
    pub(super) fn is_code(&self) -> bool {
        !self.code.trim().is_empty()
    }

    pub(super) fn is_doc(&self) -> bool {
        let text = self.raw.trim_start();
        !self.is_code() && (text.starts_with("//!") || text.starts_with("///") && !text.starts_with("////"))
    }
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let masked = mask(text);
        let lines = text.lines().zip(masked.lines());
        let lines = lines.map(|(raw, code)| Line { raw: raw.to_owned(), code: code.to_owned(), in_test: false });
        let mut source = Self { lines: lines.collect() };
        source.mark_tests();
        source
    }

    fn mark_tests(&mut self) {
        for start in 0..self.lines.len() {
            let code = self.lines[start].code.trim_start();
            if code.starts_with("#![cfg(test)]") {
                self.lines.iter_mut().for_each(|line| line.in_test = true);
            } else if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") {
                let end = self.item_end(start, 0).0;
                self.lines[start..=end].iter_mut().for_each(|line| line.in_test = true);
            }
        }
    }

    /// Index of the line where the item or statement ends that starts at this line and column, and whether
    /// it ends with a block. Attributes before it count as its start.
    pub(super) fn item_end(&self, start: usize, column: usize) -> (usize, bool) {
        let mut depth = 0;
        for (index, line) in self.lines.iter().enumerate().skip(start) {
            let skip = if index == start { column } else { 0 };
            for byte in line.code.bytes().skip(skip) {
                depth += match byte {
                    b'(' | b'[' | b'{' => 1,
                    b')' | b']' | b'}' => -1,
                    _ => 0,
                };
                match byte {
                    b';' if depth == 0 => return (index, false),
                    b'}' if depth <= 0 => return (index, true),
                    _ => {}
                }
            }
        }
        (self.lines.len().saturating_sub(1), false)
    }

    /// Every function that has a body.
    pub(super) fn functions(&self) -> impl Iterator<Item = Function> {
        self.lines.iter().enumerate().filter_map(|(start, line)| {
            let (column, name) = function_name(&line.code)?;
            let (end, has_body) = self.item_end(start, column);
            has_body.then(|| Function { name: name.to_owned(), start, end })
        })
    }
}

/// The identifiers, keywords and numbers of a line, each with its column.
pub(super) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + code[from..].find(is_word)?;
        let length = code[start..].find(|char| !is_word(char)).unwrap_or(code.len() - start);
        from = start + length;
        Some((start, &code[start..from]))
    })
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The name after `fn`, and where `fn` stands. A function type, `fn(u8)`, has none.
fn function_name(code: &str) -> Option<(usize, &str)> {
    let mut words = words(code);
    let (column, _) = words.find(|(_, word)| *word == "fn")?;
    let (start, name) = words.next()?;
    (code[column + 2..start].trim().is_empty()).then_some((column, name))
}

enum Kind {
    Code,
    Comment,
    Literal,
}

fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (length, kind) = token(rest, masked.chars().next_back());
        let (token, after) = rest.split_at(length);
        match kind {
            Kind::Code => masked.push_str(token),
            Kind::Comment => masked.extend(token.bytes().map(|byte| blank(byte, ' '))),
            Kind::Literal => masked.extend(token.bytes().map(|byte| blank(byte, '_'))),
        }
        rest = after;
    }
    masked
}

/// White space stays, or a blank line inside a literal would count as code.
fn blank(byte: u8, with: char) -> char {
    if byte.is_ascii_whitespace() { byte.into() } else { with }
}

fn token(rest: &str, before: Option<char>) -> (usize, Kind) {
    let starts_word = !before.is_some_and(is_word);
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Kind::Comment);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), Kind::Comment);
    }
    if let Some(length) = raw_string(rest).filter(|_| starts_word).or_else(|| string(rest)).or_else(|| char(rest)) {
        return (length, Kind::Literal);
    }
    (rest.chars().next().map_or(0, char::len_utf8), Kind::Code)
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(found) = rest[at..].find(['/', '*']) {
        at += found;
        let step = match rest.get(at..at + 2) {
            Some("/*") => 1,
            Some("*/") => -1,
            _ => 0,
        };
        at += if step == 0 { 1 } else { 2 };
        depth += step;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// `r"…"`, `r#"…"#`, also after `b` or `c`.
fn raw_string(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix(['b', 'c']).unwrap_or(rest).strip_prefix('r')?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inside = body[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = inside.find(&close).map_or(inside.len(), |at| at + close.len());
    Some(rest.len() - inside.len() + end)
}

fn string(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    Some(end.map_or(rest.len(), |end| end + 2))
}

/// `'x'` or `'\n'`, but not the lifetime `'x`.
fn char(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let mut chars = inside.char_indices();
    if chars.next()?.1 == '\\' {
        chars.next()?;
        return inside[chars.offset()..].find('\'').map(|at| chars.offset() + at + 2);
    }
    let (end, close) = chars.next()?;
    (close == '\'').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_comments_and_literals() {
        for (text, expected) in [
            ("let a = \"b\"; // c", "let a = ___;     "),
            ("x /* a /* b */ c */ y", "x                   y"),
            (r#"f("\"{", b"}")"#, "f(_____, b___)"),
            (r##"r#"a " b"# + 1"##, "____ _ ___ + 1"),
            (r#"br"\" + 1"#, "_____ + 1"),
            ("var\"{\"", "var___"),
            (r"'{' '\'' '\u{7d}' &'a str", "___ ____ ________ &'a str"),
            ("'é'", "____"),
            ("\"a\n\n  b\"", "__\n\n  __"),
        ] {
            assert_eq!(mask(text), expected, "{text}");
            assert_eq!(mask(text).len(), text.len(), "{text}");
        }
    }

    fn test_lines(text: &str) -> String {
        let source = Source::new(text);
        source.lines.iter().map(|line| if line.in_test { 't' } else { '.' }).collect()
    }

    #[test]
    fn finds_test_code() {
        for (text, expected) in [
            ("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n", ".tttt."),
            ("#[cfg(test)]\nmod tests;\nfn c() {}\n", "tt."),
            ("#[cfg(test)]\n#[allow(x)]\nfn b(a: [u8; 2]) {\n    a;\n}\nfn c() {}\n", "ttttt."),
            ("#[cfg(test)] mod a { const B: char = '}'; }\nfn c() {}\n", "t."),
            ("#![cfg(test)]\nfn c() {}\n", "tt"),
            ("// #[cfg(test)]\nfn c() {}\n", ".."),
        ] {
            assert_eq!(test_lines(text), expected, "{text}");
        }
    }

    #[test]
    fn finds_functions() {
        let text = "\
trait A {
    fn declared(&self);
    async fn given(&self) {
        let f: fn(u8) = g;
    }
}
pub(crate) fn long<T>(
    a: [u8; 3],
) where T: B {
    let x = \"}\";
}
";
        let found: Vec<_> = Source::new(text).functions().map(|f| (f.name, f.start, f.end)).collect();
        assert_eq!(found, [("given".to_owned(), 2, 4), ("long".to_owned(), 6, 10)]);
    }

    #[test]
    fn documentation_is_neither_code_nor_comment() {
        let source = Source::new("//! a\n/// b\n// c\n//// d\nlet e; /// f\n");
        let docs: Vec<_> = source.lines.iter().map(Line::is_doc).collect();
        assert_eq!(docs, [true, true, false, false, false]);
    }
}

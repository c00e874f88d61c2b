//! Text in code: quotes, prefixes, here-documents, escapes, and what is filled in.

use super::grammar::{Backtick, Holes};
use super::lex::{Lexer, Part, Token};
use crate::arg::HOLE;
use crate::doing::Language;

/// How the characters of a text are read.
#[derive(Clone, Copy, Default)]
struct Style {
    /// `\n` means a newline.
    escapes: bool,
    /// `{…}` (Python), `#{…}`, `${…}`, `$x`.
    fills: Fill,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Fill {
    #[default]
    None,
    Braces,
    Hash,
    Template,
    Dollar,
}

/// Text in quotes, at its opening quote.
pub(super) fn quoted(lexer: &mut Lexer<'_>, quote: char) {
    let command = quote == '`' && lexer.grammar.backtick == Backtick::Command;
    let style = Style {
        escapes: quote != '\'' || lexer.grammar.single_escapes,
        fills: match (quote, lexer.holes()) {
            ('`', _) if !command => Fill::Template,
            ('\'', _) | (_, Holes::None) => Fill::None,
            (_, Holes::Hash) => Fill::Hash,
            (_, Holes::Dollar) => Fill::Dollar,
        },
    };
    take_quoted(lexer, quote, style, command);
}

fn take_quoted(lexer: &mut Lexer<'_>, quote: char, style: Style, command: bool) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let end = if lexer.grammar.triple && lexer.starts(&triple) { triple } else { quote.to_string() };
    lexer.at += end.len();
    let body = take_filled(lexer, &end, style.fills);
    push(lexer, &body, style, command);
}

/// Everything up to the end mark that is not escaped; moves behind it.
fn take_body(lexer: &mut Lexer<'_>, end: &str) -> String {
    take_filled(lexer, end, Fill::None)
}

/// As [`take_body`]; quotes in code that is filled in do not end the text.
fn take_filled(lexer: &mut Lexer<'_>, end: &str, fills: Fill) -> String {
    let rest = lexer.rest();
    let mut escaped = false;
    let mut inner = 0;
    for (at, c) in rest.char_indices() {
        if escaped {
            escaped = false;
        } else if at < inner {
            continue;
        } else if c == '\\' {
            escaped = true;
        } else if fills == Fill::Hash && rest[at..].starts_with("#{")
            || fills == Fill::Template && rest[at..].starts_with("${")
        {
            inner = at + 2 + balanced(&rest[at + 2..], '{', '}');
        } else if rest[at..].starts_with(end) {
            let body = rest[..at].to_owned();
            lexer.at += at + end.len();
            return body;
        }
    }
    let body = rest.to_owned();
    lexer.at = lexer.code.len();
    body
}

fn push(lexer: &mut Lexer<'_>, body: &str, style: Style, command: bool) {
    let parts = parts(body, style, lexer);
    lexer.tokens.push(if command { Token::Command(parts) } else { Token::Text(parts) });
}

/// Text with letters in front (`rb"…"`, `f'…'`), or one of the quote words of Perl. True if it was one.
pub(super) fn prefixed(lexer: &mut Lexer<'_>, name: &str, after: char) -> bool {
    match lexer.language {
        Language::Python => python_prefix(lexer, name, after),
        Language::Perl => perl_quote(lexer, name),
        _ => false,
    }
}

fn python_prefix(lexer: &mut Lexer<'_>, name: &str, after: char) -> bool {
    if !matches!(after, '"' | '\'') || name.len() > 2 || !name.chars().all(|c| "rRbBfFuU".contains(c)) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    lexer.at += name.len();
    let fills = if lower.contains('f') { Fill::Braces } else { Fill::None };
    take_quoted(lexer, after, Style { escapes: !lower.contains('r'), fills }, false);
    true
}

fn perl_quote(lexer: &mut Lexer<'_>, name: &str) -> bool {
    if !["q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y"].contains(&name) {
        return false;
    }
    let in_braces =
        matches!(lexer.tokens.last(), Some(Token::Op("{" | "->"))) && lexer.rest()[name.len()..].starts_with('}');
    let after = lexer.rest()[name.len()..].trim_start();
    let spaced = after.len() + name.len() < lexer.rest().len();
    let Some(open) = after.chars().next().filter(|c| c.is_ascii_punctuation() && !",;)=_".contains(*c)) else {
        return false;
    };
    if in_braces
        || spaced && !"{([/".contains(open)
        || after.starts_with("=>")
        || lexer.value_before() && name.len() == 1
    {
        return false;
    }
    lexer.at = lexer.code.len() - after.len();
    let body = take_delimited(lexer);
    match name {
        "q" => push(lexer, &body, Style::default(), false),
        "qq" => push(lexer, &body, Style { escapes: true, fills: Fill::Dollar }, false),
        "qx" => push(lexer, &body, Style { escapes: true, fills: Fill::Dollar }, open != '\''),
        "qw" => lexer.tokens.push(Token::Words(body.split_whitespace().map(str::to_owned).collect())),
        "s" | "tr" | "y" => {
            let second = replacement_part(lexer, open);
            let flags = take_flags(lexer);
            // `s/…/code/e` is code.
            let parts = if name == "s" && flags.contains('e') { vec![Part::Code(second)] } else { Vec::new() };
            lexer.tokens.push(Token::Text(parts));
        }
        _ => {
            take_flags(lexer);
            lexer.tokens.push(Token::Text(vec![Part::Plain(HOLE.to_string())]));
        }
    }
    true
}

fn replacement_part(lexer: &mut Lexer<'_>, open: char) -> String {
    if closing(open) == open {
        // The middle delimiter ended the first part and starts the second.
        return take_body(lexer, &open.to_string());
    }
    let skipped = lexer.rest().len() - lexer.rest().trim_start().len();
    lexer.at += skipped;
    take_delimited(lexer)
}

fn take_flags(lexer: &mut Lexer<'_>) -> String {
    let flags: String = lexer.rest().chars().take_while(char::is_ascii_lowercase).collect();
    lexer.at += flags.len();
    flags
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// Text between delimiters that may nest; at the opening one.
fn take_delimited(lexer: &mut Lexer<'_>) -> String {
    let Some(open) = lexer.rest().chars().next() else { return String::new() };
    lexer.at += open.len_utf8();
    let close = closing(open);
    if close == open {
        return take_body(lexer, &close.to_string());
    }
    let end = balanced(lexer.rest(), open, close);
    let body = lexer.rest()[..end].to_owned();
    lexer.at = (lexer.at + end + close.len_utf8()).min(lexer.code.len());
    body
}

/// Where the closing delimiter stands that belongs to one before the text.
fn balanced(text: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        } else if c == open {
            depth += 1;
        }
    }
    text.len()
}

/// `%w[…]`, `[[…]]`, `/pattern/`, `<<EOF`. True if it was one.
pub(super) fn special(lexer: &mut Lexer<'_>) -> bool {
    match (lexer.language, lexer.peek()) {
        (Language::Ruby, '%') => ruby_percent(lexer),
        (Language::Lua, '[') if lexer.starts("[[") => {
            lexer.at += 2;
            let body = take_until(lexer, "]]");
            lexer.tokens.push(Token::Text(vec![Part::Plain(body)]));
            true
        }
        (_, '/') if lexer.grammar.patterns && !lexer.value_before() => pattern(lexer),
        (Language::Ruby | Language::Perl, '<') if lexer.starts("<<") => heredoc(lexer, 2),
        (Language::Php, '<') if lexer.starts("<<<") => heredoc(lexer, 3),
        (Language::Php, '<') if lexer.starts("<?") => {
            lexer.at += if lexer.starts("<?php") { 5 } else { 2 };
            true
        }
        (Language::Perl, '<') if !lexer.value_before() => perl_glob(lexer),
        _ => false,
    }
}

fn take_until(lexer: &mut Lexer<'_>, end: &str) -> String {
    let found = lexer.rest().find(end).unwrap_or(lexer.rest().len());
    let body = lexer.rest()[..found].to_owned();
    lexer.at = (lexer.at + found + end.len()).min(lexer.code.len());
    body
}

fn ruby_percent(lexer: &mut Lexer<'_>) -> bool {
    let mut chars = lexer.rest()[1..].chars();
    let (Some(first), second) = (chars.next(), chars.next().unwrap_or(' ')) else { return false };
    let letter = first.is_ascii_alphabetic().then_some(first);
    let open = if letter.is_some() { second } else { first };
    if lexer.value_before() || !"([{<|!/".contains(open) || letter.is_some_and(|letter| !"wWiIqQxrs".contains(letter)) {
        return false;
    }
    lexer.at += 1 + usize::from(letter.is_some());
    let body = take_delimited(lexer);
    let filled = Style { escapes: true, fills: Fill::Hash };
    match letter {
        Some('w' | 'W' | 'i' | 'I') => {
            lexer.tokens.push(Token::Words(body.split_whitespace().map(str::to_owned).collect()))
        }
        Some('q' | 's') => push(lexer, &body, Style::default(), false),
        Some('r') => lexer.tokens.push(Token::Text(vec![Part::Plain(HOLE.to_string())])),
        Some('x') => push(lexer, &body, filled, true),
        _ => push(lexer, &body, filled, false),
    }
    true
}

/// So far is looked for the end of a pattern: what is longer is no pattern, and looking again and again takes time.
const LONGEST_PATTERN: usize = 2000;

/// A pattern on one line; its value is of no interest.
fn pattern(lexer: &mut Lexer<'_>) -> bool {
    let line = lexer.rest()[1..].split('\n').next().unwrap_or_default();
    let mut escaped = false;
    let mut class = false;
    for (at, c) in line.char_indices().take(LONGEST_PATTERN) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                lexer.at += at + 2;
                take_flags(lexer);
                lexer.tokens.push(Token::Text(vec![Part::Plain(HOLE.to_string())]));
                return true;
            }
            _ => {}
        }
    }
    false
}

/// `<STDIN>` or `<*.c>`.
fn perl_glob(lexer: &mut Lexer<'_>) -> bool {
    let near = lexer.rest().char_indices().take(LONGEST_PATTERN / 10).take_while(|(_, c)| *c != '\n');
    let Some(end) = near.into_iter().find(|(_, c)| *c == '>').map(|(at, _)| at) else { return false };
    let inner = lexer.rest()[1..end].to_owned();
    if inner.contains([' ', ';', '=']) {
        return false;
    }
    lexer.at += end + 1;
    if inner.contains(['*', '?', '/']) {
        lexer.tokens.extend([
            Token::Name("glob".into()),
            Token::Op("("),
            Token::Text(vec![Part::Plain(inner)]),
            Token::Op(")"),
        ]);
    } else {
        lexer.tokens.push(Token::Var(format!("<{inner}>")));
    }
    true
}

fn heredoc(lexer: &mut Lexer<'_>, arrows: usize) -> bool {
    let after = lexer.rest()[arrows..].trim_start_matches(['~', '-', ' ']);
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let named = after.trim_start_matches(['"', '\'', '`']);
    let length = named.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(named.len());
    let mark = named[..length].to_owned();
    if mark.is_empty() || quote.is_none() && !mark.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') {
        return false;
    }
    let next = lexer.code.len() - named.len() + length + usize::from(quote.is_some());
    let start = lexer
        .after_heredocs
        .unwrap_or_else(|| lexer.code[lexer.at..].find('\n').map_or(lexer.code.len(), |at| lexer.at + at + 1));
    let mut end = start;
    let mut body_end = lexer.code.len();
    for line in lexer.code[start..].split_inclusive('\n') {
        if line.trim().trim_end_matches([';', ')', ',']) == mark {
            body_end = end;
            end += line.len();
            break;
        }
        end += line.len();
    }
    let body = lexer.code[start..body_end].to_owned();
    lexer.after_heredocs = Some(end.min(lexer.code.len()));
    lexer.at = next.min(lexer.code.len());
    let fills = match (quote, lexer.holes()) {
        (Some('\''), _) | (_, Holes::None) => Fill::None,
        (_, Holes::Hash) => Fill::Hash,
        (_, Holes::Dollar) => Fill::Dollar,
    };
    push(lexer, &body, Style { escapes: fills != Fill::None, fills }, quote == Some('`'));
    true
}

/// Splits a text into what it says and what is filled in.
fn parts(body: &str, style: Style, lexer: &Lexer<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let used =
                if style.escapes { escape(rest, lexer, &mut plain) } else { quiet_escape(rest, lexer, &mut plain) };
            rest = &rest[used..];
            continue;
        }
        if let Some((code, used)) = filled(rest, style.fills, &mut plain) {
            rest = &rest[used..];
            if let Some(code) = code {
                if !plain.is_empty() {
                    parts.push(Part::Plain(std::mem::take(&mut plain)));
                }
                parts.push(Part::Code(code));
            }
            continue;
        }
        plain.push(c);
        rest = &rest[c.len_utf8()..];
    }
    if !plain.is_empty() {
        parts.push(Part::Plain(plain));
    }
    parts
}

/// In text without escapes a backslash still protects quotes and itself. (Python's raw text keeps it.)
fn quiet_escape(rest: &str, lexer: &Lexer<'_>, plain: &mut String) -> usize {
    let next = rest[1..].chars().next();
    match next {
        Some(c @ ('\\' | '\'')) if lexer.language != Language::Python => {
            plain.push(c);
            2
        }
        _ => {
            plain.push('\\');
            1
        }
    }
}

/// Puts what an escape means into `plain`; returns its length.
fn escape(rest: &str, lexer: &Lexer<'_>, plain: &mut String) -> usize {
    let Some(c) = rest[1..].chars().next() else {
        plain.push('\\');
        return 1;
    };
    let body = &rest[1 + c.len_utf8()..];
    let simple = match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'a' => Some('\u{7}'),
        'e' => Some('\u{1b}'),
        '\n' => return 2,
        _ => None,
    };
    if let Some(simple) = simple {
        plain.push(simple);
        return 2;
    }
    let (digits, radix, limit) = match c {
        'x' | 'u' | 'U' if body.starts_with('{') => {
            let end = body.find('}').unwrap_or(body.len());
            push_code(&body[1..end.max(1)], 16, plain);
            return (3 + end).min(rest.len());
        }
        'x' => (body, 16, 2),
        'u' => (body, 16, 4),
        'U' => (body, 16, 8),
        '0'..='9' if lexer.language == Language::Lua => (&rest[1..], 10, 3),
        '0'..='7' => (&rest[1..], 8, 3),
        _ => {
            if lexer.grammar.keeps_backslash && c.is_alphanumeric() {
                plain.push('\\');
            }
            plain.push(c);
            return 1 + c.len_utf8();
        }
    };
    let length = digits.chars().take(limit).take_while(|c| c.is_digit(radix)).count();
    push_code(&digits[..length], radix, plain);
    rest.len() - digits.len() + length
}

fn push_code(digits: &str, radix: u32, plain: &mut String) {
    if let Some(c) = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32) {
        plain.push(c);
    }
}

/// Code to fill in at this point, and how long it is; `None` in it for what only looks like it (`{{`).
fn filled(rest: &str, fills: Fill, plain: &mut String) -> Option<(Option<String>, usize)> {
    match fills {
        Fill::None => None,
        Fill::Braces if rest.starts_with("{{") || rest.starts_with("}}") => {
            plain.push_str(&rest[..1]);
            Some((None, 2))
        }
        Fill::Braces if rest.starts_with('{') => {
            let end = balanced(&rest[1..], '{', '}') + 1;
            let code = without_format(rest.get(1..end).unwrap_or_default());
            Some((Some(code.to_owned()), (end + 1).min(rest.len())))
        }
        Fill::Hash if rest.starts_with("#{") => braced(rest, 2),
        Fill::Template if rest.starts_with("${") => braced(rest, 2),
        Fill::Dollar if rest.starts_with("{$") => braced(rest, 1),
        Fill::Dollar if rest.starts_with("${") => {
            let end = balanced(&rest[2..], '{', '}') + 2;
            let name = rest.get(2..end).unwrap_or_default();
            Some((Some(format!("${}", name.trim_start_matches('\\'))), (end + 1).min(rest.len())))
        }
        Fill::Dollar if rest.starts_with(['$', '@']) => {
            let name = rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - 1) + 1;
            if name == 1 {
                return None;
            }
            let end = name + subscripts(&rest[name..]);
            Some((Some(rest[..end].to_owned()), end))
        }
        _ => None,
    }
}

fn braced(rest: &str, open: usize) -> Option<(Option<String>, usize)> {
    let end = balanced(&rest[open..], '{', '}') + open;
    Some((Some(rest[open..end].to_owned()), (end + 1).min(rest.len())))
}

/// `{key}`, `[0]`, `->{key}` behind a variable in text.
fn subscripts(rest: &str) -> usize {
    let arrow = if rest.starts_with("->{") || rest.starts_with("->[") { 2 } else { 0 };
    let (open, close) = match rest[arrow..].chars().next() {
        Some('{') => ('{', '}'),
        Some('[') => ('[', ']'),
        _ => return 0,
    };
    (arrow + 1 + balanced(&rest[arrow + 1..], open, close) + 1).min(rest.len())
}

/// What stands before `!r`, `:>10` or `=` of a Python format field.
fn without_format(code: &str) -> &str {
    let mut depth = 0_i32;
    let mut quote = None;
    for (at, c) in code.char_indices() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '\'' | '"' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' | '!' if depth == 0 && !code[at..].starts_with("!=") => return &code[..at],
            _ => {}
        }
    }
    code
}

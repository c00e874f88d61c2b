//! Brace expansion: one word becomes many, before anything else happens to it.

use crate::syntax::{Part, Word};

/// Most words that several braces in one word may become together.
const MOST: usize = 1024;
/// How many members of a sequence like `{1..100000}` are looked at.
const SEQUENCE: usize = 40;

/// A piece of a word: part of the tree, or bare text cut out of it.
#[derive(Clone, Copy)]
pub(crate) enum Piece<'t> {
    Part(&'t Part),
    Bare(&'t str),
}

/// Whether there is anything to expand.
pub(crate) fn has_braces(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('{')))
        && word.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('}')))
}

#[derive(Clone, Copy)]
enum Token<'t> {
    Piece(Piece<'t>),
    /// With the index of the brace that closes it.
    Open(usize),
    Comma,
    Close,
}

/// A piece of a result.
#[derive(Clone)]
pub(crate) enum Out<'t> {
    Piece(Piece<'t>),
    Text(String),
}

/// All words that a word stands for, or `None` if they are too many.
pub(crate) fn expand(word: &Word) -> Option<Vec<Vec<Out<'_>>>> {
    let mut tokens = Vec::new();
    for part in &word.parts {
        match part {
            Part::Bare(text) => cut(text, &mut tokens),
            other => tokens.push(Token::Piece(Piece::Part(other))),
        }
    }
    pair(&mut tokens);
    all(&tokens, 0, tokens.len(), 0)
}

fn cut<'t>(text: &'t str, tokens: &mut Vec<Token<'t>>) {
    let mut rest = text;
    while let Some(at) = rest.find(['{', ',', '}']) {
        if at > 0 {
            tokens.push(Token::Piece(Piece::Bare(&rest[..at])));
        }
        tokens.push(match rest.as_bytes()[at] {
            b'{' => Token::Open(0),
            b',' => Token::Comma,
            _ => Token::Close,
        });
        rest = &rest[at + 1..];
    }
    if !rest.is_empty() {
        tokens.push(Token::Piece(Piece::Bare(rest)));
    }
}

/// Tells each opening brace where it is closed; zero: nowhere.
fn pair(tokens: &mut [Token<'_>]) {
    let mut open = Vec::new();
    for index in 0..tokens.len() {
        match tokens[index] {
            Token::Open(_) => open.push(index),
            Token::Close => {
                if let Some(at) = open.pop() {
                    tokens[at] = Token::Open(index);
                }
            }
            _ => {}
        }
    }
}

/// The words that a range of tokens stands for.
fn all<'t>(tokens: &[Token<'t>], from: usize, to: usize, depth: usize) -> Option<Vec<Vec<Out<'t>>>> {
    let mut words: Vec<Vec<Out<'t>>> = vec![Vec::new()];
    let mut at = from;
    while at < to {
        let choices = match tokens[at] {
            Token::Open(close) if close > 0 && close < to && depth < 24 => choices(tokens, at, close, depth)?,
            _ => None,
        };
        if let (Some(choices), Token::Open(close)) = (choices, tokens[at]) {
            if words.len() > 1 && words.len() * choices.len() > MOST {
                return None;
            }
            words = words
                .iter()
                .flat_map(|word| choices.iter().map(move |choice| word.iter().chain(choice).cloned().collect()))
                .collect();
            at = close + 1;
            continue;
        }
        let out = match tokens[at] {
            Token::Piece(piece) => Out::Piece(piece),
            Token::Open(_) => Out::Piece(Piece::Bare("{")),
            Token::Comma => Out::Piece(Piece::Bare(",")),
            Token::Close => Out::Piece(Piece::Bare("}")),
        };
        for word in &mut words {
            word.push(out.clone());
        }
        at += 1;
    }
    Some(words)
}

/// What is between a pair of braces, if it is something to choose from.
fn choices<'t>(tokens: &[Token<'t>], open: usize, close: usize, depth: usize) -> Option<Option<Vec<Vec<Out<'t>>>>> {
    let mut commas = Vec::new();
    let mut at = open + 1;
    while at < close {
        match tokens[at] {
            Token::Open(inner) if inner > at => at = inner,
            Token::Comma => commas.push(at),
            _ => {}
        }
        at += 1;
    }
    if commas.is_empty() {
        let [Token::Piece(Piece::Bare(text))] = &tokens[open + 1..close] else { return Some(None) };
        return Some(sequence(text).map(|items| items.into_iter().map(|item| vec![Out::Text(item)]).collect()));
    }
    let mut words = Vec::new();
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        words.append(&mut all(tokens, start, end, depth + 1)?);
        start = end + 1;
    }
    Some(Some(words))
}

/// `1..9`, `a..f`, `01..10..2`; only the first members of a long one.
fn sequence(text: &str) -> Option<Vec<String>> {
    let mut ends = text.splitn(3, "..");
    let (from, to) = (ends.next()?, ends.next()?);
    let step: i64 = match ends.next() {
        Some(step) => step.parse::<i64>().ok()?,
        None => 1,
    };
    let step = step.checked_abs()?.max(1);
    let letter = |text: &str| text.chars().next().filter(|c| text.len() == 1 && c.is_ascii_alphabetic());
    if let (Some(from), Some(to)) = (letter(from), letter(to)) {
        let numbers = walk(i64::from(u32::from(from)), i64::from(u32::from(to)), step, 64);
        return Some(numbers.filter_map(|n| u8::try_from(n).ok()).map(|n| char::from(n).to_string()).collect());
    }
    let padded = [from, to]
        .iter()
        .any(|end| end.trim_start_matches('-').len() > 1 && end.trim_start_matches('-').starts_with('0'));
    let width = if padded { from.len().max(to.len()).min(20) } else { 0 };
    let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
    Some(walk(from, to, step, SEQUENCE).map(|n| format!("{n:0width$}")).collect())
}

fn walk(from: i64, to: i64, step: i64, most: usize) -> impl Iterator<Item = i64> {
    let step = if from <= to { step } else { -step };
    std::iter::successors(Some(from), move |n| n.checked_add(step))
        .take_while(move |n| if step > 0 { *n <= to } else { *n >= to })
        .take(most)
}

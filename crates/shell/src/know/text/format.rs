//! `echo` and `printf`.

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation};

/// More than this is not written out.
const LIMIT: usize = 1 << 20;

fn origins(args: &[Arg]) -> Origins {
    args.iter().fold(Origins::default(), |all, arg| all.and(arg.from))
}

pub(super) fn echo(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut rest = call.args;
    let (mut newline, mut escapes) = (true, false);
    while let Some((first, after)) = rest.split_first() {
        let Some(letters) =
            first.text.strip_prefix('-').filter(|it| !it.is_empty() && it.chars().all(|c| "neE".contains(c)))
        else {
            break;
        };
        newline &= !letters.contains('n');
        for letter in letters.chars() {
            escapes = if letter == 'n' { escapes } else { letter == 'e' };
        }
        rest = after;
    }
    let from = origins(rest);
    let mut text = rest.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let mut from = from;
    if escapes && text.contains('\\') {
        let hidden = hides(&text);
        let (plain, stop) = unescape(&text, true);
        text = plain;
        newline &= !stop;
        from.decoded |= hidden;
    }
    if newline {
        text.push('\n');
    }
    doing.prints(Stuff { text: Some(text.into()), from });
}

/// Whether characters are written as numbers: nobody writes words like that who does not want to hide them.
fn hides(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).filter(|pair| pair[0] == b'\\' && matches!(pair[1], b'x' | b'0'..=b'7' | b'u' | b'U')).count() > 3
}

/// Replaces backslash sequences; whether output stops there (`\c`). In `echo`, octal numbers start with `0`.
pub(super) fn unescape(text: &str, echo: bool) -> (String, bool) {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' || at + 1 == bytes.len() {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let letter = bytes[at + 1];
        at += 2;
        let (base, max) = match letter {
            b'x' => (16, 2),
            b'u' => (16, 4),
            b'U' => (16, 8),
            b'0' if echo => (8, 3),
            b'0'..=b'7' => {
                at -= 1;
                (8, 3)
            }
            b'c' => return (text_of(out), true),
            _ => {
                match simple(letter) {
                    Some(byte) => out.push(byte),
                    None => out.extend([b'\\', letter]),
                }
                continue;
            }
        };
        let digits = bytes[at..].iter().take(max).take_while(|c| char::from(**c).is_digit(base)).count();
        let number = text.get(at..at + digits).and_then(|digits| u32::from_str_radix(digits, base).ok());
        at += digits;
        match number {
            Some(number) if matches!(letter, b'u' | b'U') => {
                out.extend(char::from_u32(number).unwrap_or('?').to_string().bytes());
            }
            Some(number) => out.push((number & 0xFF) as u8),
            None => out.extend([b'\\', letter]),
        }
    }
    (text_of(out), false)
}

fn simple(letter: u8) -> Option<u8> {
    Some(match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'v' => 11,
        b'\\' | b'"' | b'\'' => letter,
        _ => return None,
    })
}

pub(super) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

pub(super) fn printf(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let args = if call.args.first().is_some_and(|arg| arg.text == "--") { &call.args[1..] } else { call.args };
    // `printf -v name` prints nothing; whoever keeps variables takes care of it.
    let skipped = if args.first().is_some_and(|arg| arg.text == "-v") { 2 } else { 0 };
    let Some((format, values)) = args.get(skipped..).and_then(<[Arg]>::split_first) else { return };
    let mut from = format.from.and(origins(values));
    from.decoded |= hides(&format.text);
    let text = formatted(&format.text, values);
    doing.prints(Stuff { text: text.map(Into::into), from });
}

/// What `printf` makes of a format and its values: it is used again as long as there are values.
pub(crate) fn formatted(format: &str, values: &[Arg]) -> Option<String> {
    if format.contains(HOLE) {
        return None;
    }
    let mut out = String::new();
    let mut rest = values;
    loop {
        let before = rest.len();
        let stop = once(format, &mut rest, &mut out);
        if stop || rest.is_empty() || rest.len() == before {
            return Some(out);
        }
        if out.len() > LIMIT {
            return None;
        }
    }
}

fn once(format: &str, rest: &mut &[Arg], out: &mut String) -> bool {
    let mut tail = format;
    while let Some(at) = tail.find('%') {
        let (text, stop) = unescape(&tail[..at], false);
        out.push_str(&text);
        if stop {
            return true;
        }
        tail = &tail[at + 1..];
        if let Some(after) = tail.strip_prefix('%') {
            out.push('%');
            tail = after;
            continue;
        }
        let end = tail.find(|c: char| !"-+ #0123456789.*'lhjztL".contains(c)).unwrap_or(tail.len());
        let Some(letter) = tail[end..].chars().next() else { break };
        if tail[..end].contains('*') {
            next(rest);
        }
        let precision = tail[..end].split_once('.').and_then(|(_, digits)| digits.parse().ok());
        directive(letter, precision, rest, out);
        tail = &tail[end + letter.len_utf8()..];
    }
    let (text, stop) = unescape(tail, false);
    out.push_str(&text);
    stop
}

fn next<'a>(rest: &mut &'a [Arg]) -> Option<&'a Arg> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    Some(first)
}

fn directive(letter: char, precision: Option<usize>, rest: &mut &[Arg], out: &mut String) {
    let value = next(rest).map_or("", |arg| arg.text.as_str());
    match letter {
        'b' => out.push_str(&unescape(value, true).0),
        'c' => out.extend(value.chars().next()),
        'd' | 'i' | 'u' => out.push_str(if value.is_empty() { "0" } else { number(value) }),
        'x' | 'X' | 'o' => match value.parse::<u64>() {
            Ok(number) if letter == 'o' => out.push_str(&format!("{number:o}")),
            Ok(number) => out.push_str(&format!("{number:x}")),
            Err(_) => out.push(HOLE),
        },
        's' | 'q' => match precision {
            Some(most) => out.extend(value.chars().take(most)),
            None => out.push_str(value),
        },
        _ => out.push(HOLE),
    }
}

fn number(value: &str) -> &str {
    value.trim()
}

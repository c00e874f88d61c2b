//! `sed`: what its script reads, writes and runs; plain replacements in known text are done.

use super::{blurred, gather};
use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::Flags;
use crate::know::options::{Options, Spec, only_asks};

const SPEC: Spec = Spec::new("efl", &["expression", "file", "line-length"]).flags(&[
    "quiet",
    "silent",
    "regexp-extended",
    "separate",
    "null-data",
    "follow-symlinks",
    "sandbox",
    "unbuffered",
]);

/// One command of a script, as far as it matters.
#[derive(Debug, PartialEq)]
enum Step {
    /// `s/from/to/flags`
    Replace {
        from: String,
        to: String,
        all: bool,
        runs: bool,
    },
    /// `e command`; without one what stands there runs.
    Run(String),
    Read(String),
    Write(String),
    Other,
}

pub(super) fn sed(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let in_place = call.args.iter().any(is_in_place);
    let rest: Vec<Arg> = call.args.iter().filter(|arg| !is_in_place(arg)).cloned().collect();
    let options = Options::of(&rest, &SPEC);
    // `sed -i '' script file` is how it is said on a Mac.
    let skipped = usize::from(in_place && options.operands.first().is_some_and(|arg| arg.text.is_empty()));
    let mut files = &options.operands[skipped..];
    let mut script: Vec<Stuff> = options.values(&["e", "expression"]).map(stuff).collect();
    script.extend(options.values(&["f", "file"]).map(|file| doing.reads(file)));
    if script.is_empty() {
        let Some((first, others)) = files.split_first() else { return };
        script.push(stuff(first));
        files = others;
    }
    let script: Vec<&str> = script.iter().filter_map(|part| part.text.as_deref()).collect();
    let steps = steps(&script.join("\n"));
    let replaces = |step: &Step| matches!(step, Step::Replace { runs: false, .. });
    let content = if in_place && steps.iter().all(replaces) {
        // Nobody sees what stood there.
        Stuff::unknown()
    } else if !in_place && hides_values(&script) && super::are_settings(files, doing) {
        Stuff::unknown()
    } else {
        gather(files, call, doing)
    };
    for step in &steps {
        perform(step, &content, doing);
    }
    if in_place {
        files.iter().for_each(|file| doing.overwrites(file, Flags::NONE));
    } else {
        let quiet = options.has(&["n", "quiet", "silent"]);
        doing.prints(if quiet { blurred(content) } else { turned(content, &steps) });
    }
}

/// `s/=.*//` leaves only the names of `NAME=value`.
fn hides_values(script: &[&str]) -> bool {
    matches!(script, ["s/=.*//" | "s/=.*/=/" | "s/=.*$//" | "s/=.*/=***/" | "s/=.*/=<redacted>/" | "s/=.*/=REDACTED/"])
}

fn stuff(arg: &Arg) -> Stuff {
    Stuff { text: Some(arg.text.as_str().into()), from: arg.from }
}

/// `-i`, `-i.bak`, `-ni`, `--in-place=x`.
fn is_in_place(arg: &Arg) -> bool {
    let short = || arg.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let letters = |rest: &str| rest.trim_start_matches(['n', 'E', 'r', 's', 'z', 'u']).starts_with(['i', 'I']);
    arg.text.starts_with("--in-pl") || arg.text == "--in" || short().is_some_and(letters)
}

fn perform(step: &Step, content: &Stuff, doing: &mut Doing<'_, '_>) {
    match step {
        Step::Run(command) if command.is_empty() => {
            doing.runs_script("sed", content, &[], None);
        }
        Step::Run(command) | Step::Replace { to: command, runs: true, .. } => {
            doing.runs_script("sed", &Stuff::known(command.as_str()), &[], None);
        }
        Step::Read(path) => {
            doing.reads(&Arg::known(path.as_str()));
        }
        Step::Write(path) => doing.overwrites(&Arg::known(path.as_str()), Flags::NONE),
        Step::Replace { .. } | Step::Other => {}
    }
}

/// What plain replacements make of a known text.
fn turned(content: Stuff, steps: &[Step]) -> Stuff {
    let Some(mut text) = content.text.as_deref().map(str::to_owned) else { return content };
    for step in steps.iter().take(64) {
        let Step::Replace { from, to, all, runs: false } = step else { return blurred(content) };
        let Some(next) = replaced(&text, from, to, *all) else { return blurred(content) };
        text = next;
    }
    Stuff { text: Some(text.into()), from: content.from }
}

fn replaced(text: &str, from: &str, to: &str, all: bool) -> Option<String> {
    let start = from.strip_prefix('^');
    let word = start.unwrap_or(from);
    let plain = |text: &str| !text.contains(['\\', '.', '*', '[', ']', '$', '^', '&', '+', '?', '(', ')', '|', HOLE]);
    if word.is_empty() && start.is_none() || !plain(word) || to.contains(['\\', '&']) {
        return None;
    }
    let line = |line: &str| match start {
        Some(_) => line.strip_prefix(word).map_or_else(|| line.to_owned(), |rest| format!("{to}{rest}")),
        None if all => line.replace(word, to),
        None => line.replacen(word, to, 1),
    };
    let out: String = text.split_inclusive('\n').map(line).collect();
    (out.len() < 4 << 20).then_some(out)
}

/// The commands of a script. What cannot be read is passed over to the next line.
fn steps(script: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = script;
    while let Some(at) = command(rest) {
        let letter = rest[at..].chars().next().unwrap_or('\n');
        let after = &rest[at + letter.len_utf8()..];
        let (step, next) = match letter {
            's' | 'y' => substitution(after, letter == 'y'),
            'a' | 'i' | 'c' => (Step::Other, behind_text(after)),
            '#' => (Step::Other, line(after).1),
            ':' | 'b' | 't' | 'T' => (Step::Other, &after[after.find([';', '\n', '}']).unwrap_or(after.len())..]),
            'e' => named(after, Step::Run),
            'r' | 'R' => named(after, Step::Read),
            'w' | 'W' => named(after, Step::Write),
            _ => (Step::Other, after),
        };
        steps.push(step);
        rest = next;
        if steps.len() > 4096 {
            break;
        }
    }
    steps
}

fn named(after: &str, make: impl Fn(String) -> Step) -> (Step, &str) {
    let (line, next) = line(after);
    // `;` and `}` end it only where nothing is named: `1e;2p`.
    let text = line.trim();
    if text.starts_with([';', '}']) { (make(String::new()), after) } else { (make(text.to_owned()), next) }
}

/// Text to insert goes on in the next line after a backslash.
fn behind_text(text: &str) -> &str {
    let (mut first, mut rest) = line(text);
    while first.ends_with('\\') && !rest.is_empty() {
        (first, rest) = line(rest);
    }
    rest
}

fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Where the next command stands, behind its addresses.
fn command(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' => at += 1 + delimited(&text[at + 1..], b'/'),
            b'\\' if at + 1 < bytes.len() && bytes[at + 1].is_ascii() => {
                at += 2 + delimited(&text[at + 2..], bytes[at + 1]);
            }
            b'I' | b'M' => at += 1,
            c if c.is_ascii_digit() || c.is_ascii_whitespace() || b"$,!{};+~".contains(&c) => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// How long the part up to a delimiter is, with the delimiter.
fn delimited(text: &str, end: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            c if c == end => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn substitution(text: &str, plain: bool) -> (Step, &str) {
    let Some(delimiter) = text.bytes().next().filter(u8::is_ascii) else { return (Step::Other, "") };
    let text = &text[1..];
    let split = |text: &str| {
        let end = delimited(text, delimiter).min(text.len());
        let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        (text[..end].strip_suffix(char::from(delimiter)).unwrap_or(&text[..end]).to_owned(), end)
    };
    let (from, end) = split(text);
    let text = &text[end..];
    let (to, end) = split(text);
    let text = &text[end..];
    let flags = text.find([';', '\n', '}', 'w']).unwrap_or(text.len());
    let (said, rest) = text.split_at(flags);
    if let Some(path) = rest.strip_prefix('w') {
        return named(path, Step::Write);
    }
    if plain {
        return (Step::Other, rest);
    }
    // Behind a backslash the delimiter is a character like any other.
    let to = to.replace(&format!("\\{}", char::from(delimiter)), &char::from(delimiter).to_string());
    (Step::Replace { from, to, all: said.contains('g'), runs: said.contains('e') }, rest)
}

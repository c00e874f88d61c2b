//! Filters: lines go in, lines come out.

use super::{blurred, gather};
use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "rev" => rev,
        "tac" | "gtac" => tac,
        "head" | "ghead" => head,
        "tail" | "gtail" | "tailf" => tail,
        "tr" | "gtr" => tr,
        "cut" | "gcut" | "choose" => cut,
        "sort" | "gsort" => sort,
        "uniq" | "guniq" | "shuf" | "gshuf" | "pv" | "ts" | "vis" | "mbuffer" | "buffer" => passes,
        "wc" | "gwc" | "cksum" | "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" | "b2sum" | "sum" | "shasum"
        | "md5" => counts,
        _ => return None,
    })
}

/// Numbers about a text are not the text.
fn counts(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::unknown());
}

/// Runs a function over the text, if that is known and has no holes where they would matter.
fn turned(content: Stuff, turn: impl FnOnce(&str) -> Option<String>) -> Stuff {
    let text = content.text.as_deref().and_then(turn);
    let mut out = Stuff { text: text.map(Into::into), from: content.from };
    out.from.unknown |= out.text.is_none();
    out
}

fn operands(call: &Invocation<'_>, short: &'static str, long: &'static [&'static str]) -> Options {
    Options::of(call.args, &Spec::new(short, long))
}

fn rev(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = operands(call, "", &[]);
    let content = gather(&options.operands, call, doing);
    let mut out = turned(content, |text| {
        let lines = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
            Some(line) => line.chars().rev().chain(['\n']).collect::<String>(),
            None => line.chars().rev().collect(),
        });
        Some(lines.collect())
    });
    out.from.decoded = true;
    doing.prints(out);
}

fn tac(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = operands(call, "s", &["separator"]);
    let content = gather(&options.operands, call, doing);
    doing.prints(turned(content, |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        Some(lines.join("\n") + "\n")
    }));
}

/// `-n 5`, `-5`, `-c 5`: a number of lines or bytes.
fn amount(call: &Invocation<'_>) -> (Options, bool, String) {
    let short = |arg: &Arg| {
        arg.text.strip_prefix('-').is_some_and(|it| !it.is_empty() && it.bytes().all(|c| c.is_ascii_digit()))
    };
    let lines = call.args.iter().find(|arg| short(arg)).map(|arg| arg.text[1..].to_owned());
    let rest: Vec<Arg> = call.args.iter().filter(|arg| !short(arg)).cloned().collect();
    let options = Options::of(&rest, &Spec::new("ncs", &["lines", "bytes", "sleep-interval", "pid"]));
    let bytes = options.value(&["c", "bytes"]);
    let number = bytes.or(options.value(&["n", "lines"])).map(|value| value.text.clone());
    let (by_bytes, number) = (bytes.is_some(), number.or(lines).unwrap_or_else(|| "10".into()));
    (options, by_bytes, number)
}

fn head(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let (options, bytes, number) = amount(call);
    let content = gather(&options.operands, call, doing);
    doing.prints(turned(content, |text| {
        let count: usize = number.parse().ok()?;
        if bytes {
            return text.get(..count.min(text.len())).map(str::to_owned);
        }
        Some(text.split_inclusive('\n').take(count).collect())
    }));
}

fn tail(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let (options, bytes, number) = amount(call);
    let content = gather(&options.operands, call, doing);
    doing.prints(turned(content, |text| {
        if let Some(from) = number.strip_prefix('+') {
            let from: usize = from.parse().ok()?;
            let from = from.saturating_sub(1);
            return if bytes {
                text.get(from..).map(str::to_owned)
            } else {
                Some(text.split_inclusive('\n').skip(from).collect())
            };
        }
        let count: usize = number.parse().ok()?;
        if bytes {
            return text.get(text.len().saturating_sub(count)..).map(str::to_owned);
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        Some(lines[lines.len().saturating_sub(count)..].concat())
    }));
}

fn tr(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = operands(call, "", &[]);
    let content = super::input(call);
    let (deletes, squeezes) = (options.has(&["d", "delete"]), options.has(&["s", "squeeze-repeats"]));
    let complements = options.has(&["c", "C", "complement"]);
    let from = set(options.word(0));
    let to = set(options.word(1));
    // Letters for other letters is a cipher, unless it is only their case.
    let cipher = !deletes
        && from.iter().zip(&to).any(|(a, b)| a.is_alphabetic() && b.is_alphabetic() && !a.eq_ignore_ascii_case(b));
    let mut out = turned(content, |text| {
        if complements || squeezes && deletes {
            return None;
        }
        let place = positions(&from);
        let squeezed = positions(if to.is_empty() { &from } else { &to });
        let map = |c: char| {
            let Some(at) = place(c) else { return Some(c) };
            if deletes { None } else { to.get(at).or(to.last()).copied().or(Some(c)) }
        };
        let mut last = None;
        let stays = |c: &char| {
            let again = squeezes && last == Some(*c) && squeezed(*c).is_some();
            last = Some(*c);
            !again
        };
        Some(text.chars().filter_map(map).filter(stays).collect())
    });
    out.from.decoded |= cipher;
    doing.prints(out);
}

/// Where a character stands in a set; the last place counts. Only ASCII is looked up.
fn positions(set: &[char]) -> impl Fn(char) -> Option<usize> + use<> {
    let mut table = [None; 128];
    for (at, c) in set.iter().enumerate().filter(|(_, c)| c.is_ascii()) {
        table[*c as usize] = Some(at);
    }
    move |c| table.get(c as usize).copied().flatten()
}

/// The characters of `a-z`, `[:upper:]`, `\n`.
fn set(text: &str) -> Vec<char> {
    let mut text = text.to_owned();
    for (class, range) in [
        ("[:upper:]", "A-Z"),
        ("[:lower:]", "a-z"),
        ("[:digit:]", "0-9"),
        ("[:space:]", " \\t\\n\\r"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "A-Za-z0-9"),
        ("[:blank:]", " \\t"),
    ] {
        if text.contains(class) {
            text = text.replace(class, range);
        }
    }
    let plain: Vec<char> = super::format::unescape(&text, false).0.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < plain.len() && set.len() < 4096 {
        if at + 2 < plain.len() && plain[at + 1] == '-' && plain[at] <= plain[at + 2] {
            set.extend((plain[at]..=plain[at + 2]).take(1024));
            at += 3;
        } else {
            set.push(plain[at]);
            at += 1;
        }
    }
    set
}

fn cut(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = operands(call, "dfcb", &["delimiter", "fields", "characters", "bytes", "output-delimiter"]);
    if call.name == "choose" {
        return;
    }
    let delimiter = options.value(&["d", "delimiter"]).map_or("\t", |arg| arg.text.as_str());
    let first = options.value(&["f", "fields"]).is_some_and(|fields| fields.text == "1");
    if delimiter == "=" && first && super::are_settings(&options.operands, doing) {
        return doing.prints(Stuff::unknown());
    }
    let content = gather(&options.operands, call, doing);
    let delimiter = if delimiter.is_empty() { " " } else { delimiter };
    doing.prints(turned(content, |text| {
        let fields = options.value(&["f", "fields"]);
        let which = ranges(&fields.or(options.value(&["c", "characters", "b", "bytes"]))?.text)?;
        let wanted = |at: usize| which.iter().any(|(first, last)| (*first..=*last).contains(&(at + 1)));
        let pick = |line: &str| -> String {
            if fields.is_some() {
                if !line.contains(delimiter) {
                    return line.to_owned();
                }
                let parts = line.split(delimiter).enumerate().filter(|(at, _)| wanted(*at)).map(|(_, part)| part);
                return parts.collect::<Vec<_>>().join(delimiter);
            }
            line.chars().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, c)| c).collect()
        };
        Some(text.lines().map(|line| pick(line) + "\n").collect())
    }));
}

/// `1,3-5,7-`.
fn ranges(text: &str) -> Option<Vec<(usize, usize)>> {
    let one = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let first = if first.is_empty() { 1 } else { first.parse().ok()? };
        let last = if last.is_empty() { usize::MAX } else { last.parse().ok()? };
        Some((first, last))
    };
    text.split(',').take(64).map(one).collect()
}

fn sort(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let spec = Spec::new(
        "okStT",
        &["output", "key", "field-separator", "buffer-size", "compress-program", "temporary-directory", "files0-from"],
    );
    let options = Options::of(call.args, &spec);
    if let Some(program) = options.value(&["compress-program"]) {
        doing.runs("sort", std::slice::from_ref(program), None);
    }
    let content = gather(&options.operands, call, doing);
    let plain = options.given.iter().all(|given| matches!(given.name.as_str(), "u" | "r" | "o" | "output"));
    let content = turned(content, |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        if options.has(&["u", "unique"]) {
            lines.dedup();
        }
        if options.has(&["r", "reverse"]) {
            lines.reverse();
        }
        (plain && !text.contains(HOLE)).then(|| lines.join("\n") + "\n")
    });
    match options.value(&["o", "output"]) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

/// What comes out is much like what went in.
fn passes(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = operands(call, "fswnoiLsNB", &["skip-fields", "output", "head-count", "input-range"]);
    let content = gather(options.operands.first(), call, doing);
    doing.prints(if matches!(call.name, "uniq" | "pv") && options.given.is_empty() {
        content
    } else {
        blurred(content)
    });
}

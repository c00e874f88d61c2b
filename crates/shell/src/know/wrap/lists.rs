//! Running a command for each item of a list: `xargs`, `parallel`.

use super::options::{Parsed, Spec, joined, parse, split_words};
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation};

const XARGS: Spec = Spec {
    short: "aEdILnPsJRS",
    long: &["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
};

/// So many items are followed one by one; a longer list runs in one go.
const ONE_BY_ONE: usize = 64;

pub(super) fn xargs(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &XARGS);
    if parsed.asks_for_help() {
        return;
    }
    let source = match parsed.value(&["a", "arg-file"]) {
        Some(file) => doing.reads(file),
        None => it.stdin.cloned().unwrap_or_else(Stuff::unknown),
    };
    let empty = source.text.as_deref().is_some_and(|text| text.trim().is_empty());
    if empty && parsed.has(&["r", "no-run-if-empty"]) {
        return;
    }
    let echo = [Arg::known("echo")];
    let command = if parsed.rest.is_empty() { &echo } else { parsed.rest };
    // The command itself reads nothing, unless the list comes from a file.
    let stdin = parsed.has(&["a", "arg-file"]).then_some(it.stdin).flatten();
    let output = match replacement(&parsed) {
        Some(mark) => replace_each(it.name, command, &mark, &items(&source, &parsed, true), stdin, doing),
        None => append(it.name, command, items(&source, &parsed, false), stdin, doing),
    };
    doing.prints(output);
}

/// The mark that items take the place of: `-I{}`, `-i`, `--replace`, BSD's `-J %`.
fn replacement(parsed: &Parsed<'_>) -> Option<String> {
    let given = parsed.value(&["I", "J", "replace"]).map(|mark| mark.text.clone());
    given.or_else(|| parsed.has(&["i", "replace"]).then(|| "{}".to_owned()))
}

fn items(source: &Stuff, parsed: &Parsed<'_>, lines: bool) -> Vec<Arg> {
    let Some(text) = &source.text else { return vec![anything(source.from)] };
    let delimiter = match parsed.value(&["d", "delimiter"]) {
        _ if parsed.has(&["0", "null"]) => Some('\0'),
        Some(given) => Some(unescaped(&given.text)),
        None if lines => Some('\n'),
        None => None,
    };
    match delimiter {
        // Text that the walker knows may have lost its NULs on the way; newlines separate then.
        Some('\0') if !text.contains('\0') => split_at(text, '\n', source.from),
        Some(delimiter) => split_at(text, delimiter, source.from),
        None => split_words(text, source.from).into_iter().map(wild).collect(),
    }
}

fn unescaped(delimiter: &str) -> char {
    match delimiter {
        "\\n" => '\n',
        "\\t" => '\t',
        "\\0" | "\\000" | "\\x00" => '\0',
        other => other.chars().next().unwrap_or('\n'),
    }
}

fn split_at(text: &str, delimiter: char, from: Origins) -> Vec<Arg> {
    let items = text.split(delimiter).map(|item| item.trim_matches(['\n', ' '])).filter(|item| !item.is_empty());
    items.map(|item| wild(Arg { text: item.to_owned(), from, ..Arg::default() })).collect()
}

/// An item that is not wholly known stands for many.
fn wild(item: Arg) -> Arg {
    Arg { glob: item.text.contains(HOLE), ..item }
}

/// A list of which nothing is known.
fn anything(from: Origins) -> Arg {
    Arg { text: HOLE.to_string(), glob: true, from }
}

fn append(via: &str, command: &[Arg], items: Vec<Arg>, stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) -> Stuff {
    let words: Vec<Arg> = command.iter().cloned().chain(items).collect();
    doing.runs(via, &words, stdin)
}

fn replace_each(
    via: &str,
    command: &[Arg],
    mark: &str,
    items: &[Arg],
    stdin: Option<&Stuff>,
    doing: &mut Doing<'_, '_>,
) -> Stuff {
    let mut output = Stuff::unknown();
    for item in items.iter().take(ONE_BY_ONE) {
        let words: Vec<Arg> = command.iter().map(|word| replaced(word, mark, item)).collect();
        output = doing.runs(via, &words, stdin);
    }
    if items.len() > ONE_BY_ONE {
        output = doing.runs(via, &all_at_once(command, mark, &items[ONE_BY_ONE..]), stdin);
    }
    output
}

/// A command with one word for each item where there was the mark: as if it took them all.
fn all_at_once(command: &[Arg], mark: &str, items: &[Arg]) -> Vec<Arg> {
    let mut words = Vec::new();
    for word in command {
        if !mark.is_empty() && word.text == mark {
            words.extend_from_slice(items);
        } else if !mark.is_empty() && word.text.contains(mark) {
            words.push(replaced(word, mark, &anything(Origins::default())));
        } else {
            words.push(word.clone());
        }
    }
    words
}

fn replaced(word: &Arg, mark: &str, item: &Arg) -> Arg {
    if mark.is_empty() || !word.text.contains(mark) {
        return word.clone();
    }
    Arg { text: word.text.replace(mark, &item.text), glob: word.glob || item.glob, from: word.from.and(item.from) }
}

const PARALLEL: Spec = Spec {
    short: "ajPNnLlISdEsC",
    long: &[
        "arg-file",
        "jobs",
        "max-procs",
        "max-args",
        "sshlogin",
        "sshloginfile",
        "joblog",
        "results",
        "tmpdir",
        "delay",
        "timeout",
        "colsep",
        "delimiter",
        "retries",
        "load",
        "memfree",
        "nice",
        "wd",
        "workdir",
        "tagstring",
        "block",
        "recstart",
        "recend",
        "env",
        "basefile",
        "return",
        "halt",
        "name",
        "id",
    ],
};

pub(super) fn parallel(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &PARALLEL);
    if parsed.asks_for_help() || parsed.has(&["dry-run", "dryrun", "citation"]) {
        return;
    }
    let is_separator = |word: &Arg| [":::", ":::+", "::::", "::::+"].contains(&word.text.as_str());
    let at = parsed.rest.iter().position(is_separator).unwrap_or(parsed.rest.len());
    let (command, lists) = parsed.rest.split_at(at);
    let items = parallel_items(it, &parsed, lists, doing);
    if command.is_empty() {
        // Each item is a command of its own.
        for item in items.iter().take(ONE_BY_ONE) {
            doing.runs_script(it.name, &joined(std::slice::from_ref(item)), &[], None);
        }
        return;
    }
    let mut output = Stuff::unknown();
    for item in items.iter().take(ONE_BY_ONE) {
        output = run_with_item(it.name, command, item, doing);
    }
    if items.len() > ONE_BY_ONE {
        output = run_with_item(it.name, command, &joined_items(&items[ONE_BY_ONE..]), doing);
    }
    doing.prints(output);
}

fn parallel_items(it: &Invocation<'_>, parsed: &Parsed<'_>, lists: &[Arg], doing: &mut Doing<'_, '_>) -> Vec<Arg> {
    let mut items = Vec::new();
    for file in parsed.values(&["a", "arg-file"]) {
        items.extend(items_of(&doing.reads(file), parsed));
    }
    let mut files = false;
    for word in lists {
        match word.text.as_str() {
            ":::" | ":::+" => files = false,
            "::::" | "::::+" => files = true,
            _ if files => items.extend(items_of(&doing.reads(word), parsed)),
            _ => items.push(word.clone()),
        }
    }
    if items.is_empty() && lists.is_empty() {
        items.extend(items_of(&it.stdin.cloned().unwrap_or_else(Stuff::unknown), parsed));
    }
    items
}

fn items_of(source: &Stuff, parsed: &Parsed<'_>) -> Vec<Arg> {
    items(source, parsed, true)
}

fn joined_items(items: &[Arg]) -> Arg {
    let all = joined(items);
    Arg { text: all.text.as_deref().unwrap_or_default().to_owned(), glob: true, from: all.from }
}

const MARKS: &[&str] = &["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}", "{3}", "{1.}", "{1/}", "{+}"];

/// `parallel` joins its words and gives them to a shell. A command of several words is taken as words nevertheless
/// where none holds more than one: then the items keep what is known about them.
fn run_with_item(via: &str, command: &[Arg], item: &Arg, doing: &mut Doing<'_, '_>) -> Stuff {
    let marked = command.iter().any(|word| MARKS.iter().any(|mark| word.text.contains(mark)));
    let mut words: Vec<Arg> =
        command.iter().map(|word| MARKS.iter().fold(word.clone(), |word, mark| replaced(&word, mark, item))).collect();
    if !marked {
        words.push(item.clone());
    }
    let simple =
        command.iter().all(|word| word.text.chars().all(|c| c.is_alphanumeric() || "/._-+=:,@%{}".contains(c)));
    if simple {
        return doing.runs(via, &words, None);
    }
    let output = doing.runs_script(via, &joined(&words), &[], None);
    super::meant_as_words(via, &words, None, doing);
    output
}

//! `env`: assignments, then a command; alone it prints the environment, secrets and all.

use super::options::{Spec, is_assignment, parse, split_words};
use super::run_script;
use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Invocation};

const SPEC: Spec = Spec { short: "uCSPaL", long: &["unset", "chdir", "split-string", "argv0"] };

pub(super) fn env(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (args, split) = split_string(it.args);
    let parsed = parse(args, &SPEC);
    if parsed.asks_for_help() {
        return;
    }
    let mut words: Vec<Arg> = Vec::new();
    if let Some((text, after)) = split {
        // What was split may begin with options of `env` itself.
        let first = split_words(&text.text, text.from);
        words.extend_from_slice(parse(&first, &SPEC).rest);
        words.extend_from_slice(after);
    } else {
        words.extend_from_slice(parsed.rest);
    }
    let command = words.iter().position(|word| !is_assignment(word) && word.text != "-");
    match command {
        Some(at) if it.name == "cross-env-shell" => run_script(it.name, &words[at..], it.stdin, doing),
        Some(at) => run_in(it, parsed.value(&["C", "chdir"]), &words, at, doing),
        // An environment that was emptied before holds no secrets.
        None if parsed.has(&["i", "ignore-environment"]) || words.iter().any(|word| word.text == "-") => {}
        None => doing.prints(everything()),
    }
}

/// `-S 'text'` ends the options: the words of the text come before those that follow. Returns the options in front.
fn split_string(args: &[Arg]) -> (&[Arg], Option<(Arg, &[Arg])>) {
    let options = args.iter().take_while(|word| word.text.starts_with('-') || is_assignment(word)).count();
    for (at, word) in args.iter().enumerate().take(options) {
        let long = word.text.strip_prefix("--split-string");
        let short = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let short = short.and_then(|letters| letters.trim_start_matches(['i', 'v', '0']).strip_prefix('S'));
        let Some(rest) = long.or(short) else { continue };
        let own = Arg { text: rest.trim_start_matches('=').to_owned(), ..word.clone() };
        return match args.get(at + 1) {
            Some(next) if rest.is_empty() => (&args[..at], Some((next.clone(), &args[at + 2..]))),
            _ => (&args[..at], Some((own, &args[at + 1..]))),
        };
    }
    (args, None)
}

/// What `env` prints: all variables.
fn everything() -> Stuff {
    Stuff { text: None, from: Origins { secret: true, unknown: true, ..Origins::default() } }
}

/// With the assignments, in the folder; both are forgotten afterwards.
fn run_in(it: &Invocation<'_>, folder: Option<&Arg>, words: &[Arg], command: usize, doing: &mut Doing<'_, '_>) {
    let folder = folder.map(|folder| doing.locate(folder).path);
    let output = doing.walk.subshell(|walk| {
        if let Some(folder) = folder {
            walk.go(Some(folder.into()));
        }
        for word in &words[..command] {
            if let Some((name, value)) = word.text.split_once('=') {
                walk.assign(name, Arg { text: value.to_owned(), ..word.clone() });
            }
        }
        walk.inside(it.name, |walk| walk.command(&words[command..], it.stdin))
    });
    doing.prints(output);
}

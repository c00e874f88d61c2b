//! Tcl and AppleScript: a few commands of each.

use crate::arg::{Arg, Origins, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags, Kind};
use crate::know::wrap::options::split_words;

/// Tcl, as `expect` and `tclsh` run it: one command a line.
pub(super) fn tcl(code: &str, doing: &mut Doing<'_, '_>) {
    for line in code.split(['\n', ';']) {
        let line = line.trim().trim_matches(['[', ']', '{', '}']);
        let words = split_words(&line.replace(['{', '}'], "\""), Origins::default());
        let Some((head, rest)) = words.split_first() else { continue };
        let at = words.iter().position(|word| ["exec", "spawn", "system"].contains(&word.text.trim_start_matches('[')));
        match (head.text.as_str(), at) {
            ("send" | "exp_send" | "send_user", _) if head.text != "send_user" => typed(rest, doing),
            ("file", _) => file(rest, doing),
            ("puts" | "send_user" | "expect", _) => {}
            (_, Some(at)) => {
                let command: Vec<Arg> = words[at + 1..]
                    .iter()
                    .skip_while(|word| {
                        word.text == "--" || word.text.starts_with("-no") || word.text == "-ignorestderr"
                    })
                    .map(|word| Arg { text: word.text.trim_end_matches([']', '}']).to_owned(), ..word.clone() })
                    .collect();
                if words[at].text.ends_with("system") && command.len() == 1 {
                    doing.runs_script("system", &Stuff::known(command[0].text.as_str()), &[], None);
                } else if !command.is_empty() {
                    doing.runs(&head.text, &command, None);
                }
            }
            _ => {}
        }
    }
}

/// What is typed into a program that was spawned, a shell most likely.
fn typed(words: &[Arg], doing: &mut Doing<'_, '_>) {
    let Some(text) = words.iter().rfind(|word| !word.text.starts_with("--")) else { return };
    let line = text.text.trim_end_matches(['\r', '\n', 'r', 'n']).trim_end_matches('\\');
    // `split_words` took the backslash of `\r`.
    if line.contains(' ') {
        doing.runs_script("expect", &Stuff::known(line), &[], None);
    }
}

fn file(words: &[Arg], doing: &mut Doing<'_, '_>) {
    if words.first().is_some_and(|word| word.text == "delete") {
        let flags = Flags::NONE.with(Flag::Recursive).with(Flag::Force);
        for path in words[1..].iter().filter(|word| !word.text.starts_with('-')) {
            doing.deletes(path, flags);
        }
    }
}

/// AppleScript: what it gives to a shell.
pub(super) fn applescript(code: &str, doing: &mut Doing<'_, '_>) {
    let lower = code.to_ascii_lowercase();
    if lower.contains("with administrator privileges") {
        doing.does(Kind::Escalate, Flags::NONE, "asks for an administrator's password to run as root");
    }
    if lower.contains("system events") && ["shut down", "restart", "log out"].iter().any(|what| lower.contains(what)) {
        doing.does(Kind::Kill, Flag::Force.into(), "stops the machine");
    }
    if lower.contains("make login item") || lower.contains("make new login item") {
        doing.does(Kind::Persist, Flags::NONE, "makes a program start by itself");
    }
    // The second one types into a terminal.
    for phrase in ["do shell script", "do script"] {
        let mut rest = code;
        while let Some(at) = find_word(rest, phrase) {
            rest = &rest[at..];
            let Some(open) = rest.find('"') else { break };
            let (script, used) = quoted(&rest[open + 1..]);
            doing.runs_script(phrase, &Stuff::known(script), &[], None);
            rest = &rest[open + 1 + used..];
        }
    }
}

/// Where a phrase ends, whatever its case.
fn find_word(text: &str, phrase: &str) -> Option<usize> {
    let first = phrase.as_bytes()[0].to_ascii_lowercase();
    let bytes = text.as_bytes();
    let matches = |at: &usize| {
        bytes.len() >= at + phrase.len() && bytes[*at..at + phrase.len()].eq_ignore_ascii_case(phrase.as_bytes())
    };
    (0..bytes.len()).filter(|at| bytes[*at].to_ascii_lowercase() == first).find(matches).map(|at| at + phrase.len())
}

/// Text up to the closing quote, without its backslashes, and how long it was.
fn quoted(text: &str) -> (String, usize) {
    let mut plain = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (plain, at + 1),
            '\\' => match chars.next() {
                Some((_, 'n')) => plain.push('\n'),
                Some((_, c)) => plain.push(c),
                None => {}
            },
            c => plain.push(c),
        }
    }
    (plain, text.len())
}

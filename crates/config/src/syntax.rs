//! What is no TOML, in words for somebody who did not mean to learn TOML.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeValue, Error};

use crate::diagnostic::{Diagnostic, Text};
use crate::paint::{clip, quote};
use crate::shape::MOST;
use crate::tree::{Node, Tree};

/// Every place that cannot be read. Only the first on a line, and nothing after a bracket that is never closed: the
/// rest follows from these.
pub(crate) fn mistakes(text: &Arc<Text>, tree: &Tree<'_>, errors: &[Error]) -> Vec<Diagnostic> {
    let end = text.text.len();
    let unclosed =
        errors.iter().any(|error| error.message().starts_with("unclosed") && at(error, end).start >= trimmed(text));
    let open = unclosed.then(|| opening(&tree.root, trimmed(text))).flatten();
    let mut found: Vec<Diagnostic> = Vec::new();
    if let Some(open) = &open {
        let bracket = &text.text[open.clone()];
        found.push(
            Diagnostic::error(text, open.clone(), format!("this `{bracket}` is never closed"))
                .help("close it, or look for a missing comma or quote inside"),
        );
    }
    let limit = open.map_or(usize::MAX, |open| open.start);
    let mut sorted: Vec<&Error> = errors.iter().filter(|error| at(error, end).start < limit).collect();
    sorted.sort_by_key(|error| at(error, end).start);
    let mut last = None;
    for error in sorted {
        let span = at(error, end);
        let fresh =
            last.is_none_or(|last| text.text.get(last..span.start).is_some_and(|between| between.contains('\n')));
        if fresh && found.len() < MOST {
            found.push(explain(text, error, span.clone()));
        }
        last = Some(span.start);
    }
    found
}

fn at(error: &Error, end: usize) -> Range<usize> {
    error.span().unwrap_or(end..end)
}

/// Where the text ends, not counting what cannot be seen.
fn trimmed(text: &Text) -> usize {
    text.text.trim_end().len()
}

/// The outermost bracket whose value goes on to the end of the file.
fn opening(node: &Node<'_>, end: usize) -> Option<Range<usize>> {
    let span = node.span();
    match node.get_ref() {
        DeValue::Table(table) => {
            let inline = span.end >= end && span.start + 1 < span.end;
            inline.then(|| span.start..span.start + 1).or_else(|| table.values().find_map(|value| opening(value, end)))
        }
        DeValue::Array(items) if items.iter().all(|item| item.span().start > span.start) => {
            (span.end >= end).then(|| span.start..span.start + 1)
        }
        DeValue::Array(items) => items.iter().find_map(|value| opening(value, end)),
        _ => None,
    }
}

fn explain(text: &Arc<Text>, error: &Error, span: Range<usize>) -> Diagnostic {
    let written = text.text.get(span.clone()).unwrap_or_default();
    let (line, _) = text.position(span.start);
    let say = |span: Range<usize>, message: &str| Diagnostic::error(text, span, message);
    let message = error.message();
    match message.split(',').next().unwrap_or_default() {
        "string values must be quoted" if written.trim().is_empty() => {
            say(span, "there is no value after `=`").help("write one, or remove the key")
        }
        "string values must be quoted" => say(span, "text needs quotes").help(format!("\"{}\"", clip(written, 50))),
        "key with no value" => say(span, "there is no `=` and no value after this key").help("write `key = value`"),
        "duplicate key" => duplicate(text, span, written),
        "invalid basic string"
        | "invalid literal string"
        | "invalid multi-line basic string"
        | "invalid multi-line literal string"
            if written.is_empty() =>
        {
            say(span, "this text is never closed").help("a quote is missing at its end")
        }
        "missing escaped value" => {
            let start = text.text[..span.start].rfind('\\').unwrap_or(span.start);
            let letter = text.text[span.start..].chars().next().filter(|letter| !letter.is_control()).unwrap_or(' ');
            say(start..span.start + letter.len_utf8(), &format!("`\\{letter}` means nothing between double quotes"))
                .help("use single quotes, in which a backslash is only a backslash: '…'")
        }
        "recursion limit" | "cannot recurse further; max recursion depth met" => too_deep(text, span),
        "unclosed table" | "unclosed array table" => {
            say(span, "this header is never closed").help("a header is `[name]` or `[[name]]`, alone on its line")
        }
        "invalid unquoted key" => {
            say(span, "a key has only letters, digits, `-` and `_`").help("put another one in quotes")
        }
        _ => say(span, &format!("line {line} cannot be read: {message}")),
    }
}

pub(crate) fn too_deep(text: &Arc<Text>, span: Range<usize>) -> Diagnostic {
    Diagnostic::error(text, span, "this is nested too deeply").help("a policy file never needs more than a few levels")
}

fn duplicate(text: &Arc<Text>, span: Range<usize>, written: &str) -> Diagnostic {
    let message = format!("{} stands here a second time", quote(written));
    let header = text.text[..span.start].ends_with('[');
    let help = if header {
        "a list of tables has two brackets each time: `[[rule]]`; a table is opened once"
    } else {
        "each key once per table; give a list to say several things"
    };
    Diagnostic::error(text, span, message).help(help)
}

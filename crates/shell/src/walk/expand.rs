//! From words to arguments: what bash does between reading a command and running it.

use std::rc::Rc;

use super::brace::{self, Out, Piece};
use super::{Walk, arithmetic, pattern};
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::syntax::{List, Part, Word};

/// Collects the arguments that a word becomes.
#[derive(Default)]
pub(super) struct Fields {
    done: Vec<Arg>,
    current: Option<Arg>,
}

impl Fields {
    fn current(&mut self) -> &mut Arg {
        self.current.get_or_insert_default()
    }

    /// Text that stays as it is.
    fn text(&mut self, text: &str, from: Origins) {
        let current = self.current();
        current.text.push_str(text);
        current.from = current.from.and(from);
    }

    fn end(&mut self) {
        self.done.extend(self.current.take());
    }

    /// The result of an unquoted expansion: cut at separators.
    fn split(&mut self, arg: &Arg, separators: &str) {
        let glob = arg.glob || pattern::is_pattern(&arg.text);
        let is_separator = |c: char| separators.contains(c);
        if !arg.text.contains(is_separator) {
            if !arg.text.is_empty() {
                self.text(&arg.text, arg.from);
                self.current().glob |= glob;
            }
            return;
        }
        let blank = |c: char| is_separator(c) && matches!(c, ' ' | '\t' | '\n');
        let mut rest = arg.text.as_str();
        if rest.starts_with(blank) {
            self.end();
            rest = rest.trim_start_matches(blank);
        }
        while !rest.is_empty() {
            let end = rest.find(is_separator).unwrap_or(rest.len());
            if end > 0 || !rest[end..].starts_with(blank) {
                self.text(&rest[..end], arg.from);
                self.current().glob |= pattern::is_pattern(&rest[..end]);
            }
            rest = &rest[end..];
            if let Some(c) = rest.chars().next() {
                self.end();
                rest = rest.trim_start_matches(blank);
                // One separator that is not blank ends one field.
                if !matches!(c, ' ' | '\t' | '\n') {
                    rest = rest.strip_prefix(c).unwrap_or(rest).trim_start_matches(blank);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Arg> {
        self.end();
        self.done
    }
}

/// What an expansion yields.
pub(super) enum Expanded {
    One(Arg),
    /// `"$@"`, `"${a[@]}"`: each a word of its own.
    Many(Vec<Arg>),
}

impl Walk<'_> {
    /// The arguments that a word becomes.
    pub(super) fn words(&mut self, word: &Word, into: &mut Vec<Arg>) {
        self.step(1);
        if let [Part::Bare(text)] = word.parts.as_slice()
            && !text.contains(['{', '~', '*', '?', '[', '(', HOLE])
        {
            into.push(Arg::known(text.as_str()));
            return;
        }
        if !brace::has_braces(word) {
            let pieces = word.parts.iter().map(|part| Out::Piece(Piece::Part(part)));
            into.append(&mut self.fields(pieces));
            return;
        }
        let Some(words) = brace::expand(word) else {
            self.exhausted();
            return;
        };
        for pieces in words {
            self.step(1);
            into.append(&mut self.fields(pieces.into_iter()));
        }
    }

    fn fields<'t>(&mut self, pieces: impl Iterator<Item = Out<'t>>) -> Vec<Arg> {
        let mut fields = Fields::default();
        let mut first = true;
        for piece in pieces {
            match &piece {
                Out::Text(text) => self.bare(text, first, &mut fields),
                Out::Piece(Piece::Bare(text)) => self.bare(text, first, &mut fields),
                Out::Piece(Piece::Part(Part::Bare(text))) => self.bare(text, first, &mut fields),
                Out::Piece(Piece::Part(part)) => self.part(part, false, &mut fields),
            }
            first = false;
        }
        let mut args = fields.finish();
        for arg in &mut args {
            if arg.text.len() > self.longest {
                *arg = self.cut(std::mem::take(arg));
            }
        }
        args
    }

    /// A word as one piece of text: nothing is split, no braces, no patterns.
    pub(super) fn text(&mut self, word: &Word) -> Arg {
        self.step(1);
        let mut fields = Fields::default();
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => self.bare(text, index == 0, &mut fields),
                part => self.part(part, true, &mut fields),
            }
        }
        let mut args = fields.finish();
        let text = if args.len() == 1 { args.swap_remove(0) } else { join(&args, " ") };
        self.cut(text)
    }

    /// The parts of a here-document or an arithmetic expression.
    pub(super) fn quoted(&mut self, parts: &[Part]) -> Arg {
        let mut fields = Fields::default();
        for part in parts {
            match part {
                Part::Bare(text) => fields.text(text, Origins::default()),
                part => self.part(part, true, &mut fields),
            }
        }
        join(&fields.finish(), " ")
    }

    /// A word as a pattern: what was quoted in it means itself.
    pub(super) fn pattern(&mut self, word: &Word) -> Option<String> {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Bare(bare) => text.push_str(bare),
                Part::Parameter(_) | Part::Command(_) => text.push_str(&self.quoted(std::slice::from_ref(part)).text),
                part => {
                    for c in self.quoted(std::slice::from_ref(part)).text.chars() {
                        if matches!(c, '*' | '?' | '[' | '\\') {
                            text.push('\\');
                        }
                        text.push(c);
                    }
                }
            }
        }
        (!text.contains(HOLE)).then_some(text)
    }

    fn bare(&mut self, text: &str, first: bool, fields: &mut Fields) {
        let mut text = text;
        if first && text.starts_with('~') {
            let end = text.find('/').unwrap_or(text.len());
            if let Some(home) = self.tilde(&text[..end]) {
                fields.text(&home, Origins::default());
                text = &text[end..];
            }
        } else if first
            && let Some(at) = text.find("=~")
            && crate::syntax::is_name(text[..at].trim_start_matches('-'))
            && text[at + 2..].starts_with('/')
            && let Some(home) = self.tilde("~")
        {
            // Not what bash does for every argument, but for those of `export` and the like.
            fields.text(&text[..=at], Origins::default());
            fields.text(&home, Origins::default());
            text = &text[at + 2..];
        }
        fields.text(text, Origins { unknown: text.contains(HOLE), ..Origins::default() });
        fields.current().glob |= pattern::is_pattern(text);
    }

    fn tilde(&self, text: &str) -> Option<Rc<str>> {
        match text {
            "~" => match self.shell.get("HOME") {
                Some(home) => Some(home.first().text.into()),
                None => self.around.home.map(Rc::from),
            },
            "~+" => self.shell.cwd.clone(),
            "~-" => self.shell.before.clone(),
            "~root" => Some("/root".into()),
            _ => {
                let user = &text[1..];
                let home = self.around.home?;
                let (above, name) = home.rsplit_once('/')?;
                if !crate::syntax::is_name(&user.replace('-', "_")) {
                    return None;
                }
                Some(if user == name { home.into() } else { format!("{above}/{user}").into() })
            }
        }
    }

    fn part(&mut self, part: &Part, quoted: bool, fields: &mut Fields) {
        if self.over {
            // Nobody will look at it, and it may still be long.
            return;
        }
        match part {
            Part::Bare(text) | Part::Quoted(text) => {
                fields.text(text, Origins { unknown: text.contains(HOLE), ..Origins::default() });
            }
            Part::Double(parts) => {
                // Even when all of it is empty it is a word, unless it is "$@".
                if !matches!(parts.as_slice(), [Part::Parameter(one)] if one.name == "@" || one.index.is_some()) {
                    fields.current();
                }
                for part in parts {
                    self.part(part, true, fields);
                }
            }
            Part::Parameter(parameter) => {
                let expanded = self.parameter(parameter, quoted);
                self.put_expanded(expanded, quoted, fields);
            }
            Part::Command(list) => {
                let value = self.substitute(list).substituted();
                self.put_expanded(Expanded::One(value), quoted, fields);
            }
            Part::Arithmetic(parts) => {
                let value = self.arithmetic(parts);
                self.put_expanded(Expanded::One(value), quoted, fields);
            }
            Part::Process(list, reads) => {
                let path = self.process(list, *reads);
                fields.text(&path, Origins::default());
            }
        }
    }

    fn put_expanded(&mut self, expanded: Expanded, quoted: bool, fields: &mut Fields) {
        match expanded {
            Expanded::One(arg) => {
                self.weigh(arg.text.len());
                if quoted {
                    fields.text(&arg.text, arg.from);
                    fields.current().glob |= arg.glob;
                } else {
                    let separators = self.separators();
                    fields.split(&arg, &separators);
                }
            }
            Expanded::Many(args) => {
                self.step(args.len());
                let separators = self.separators();
                for (index, arg) in args.iter().enumerate() {
                    if !self.weigh(arg.text.len()) {
                        return;
                    }
                    if index > 0 {
                        fields.end();
                    }
                    if quoted {
                        fields.text(&arg.text, arg.from);
                        fields.current().glob |= arg.glob;
                    } else {
                        fields.split(arg, &separators);
                    }
                }
            }
        }
    }

    /// What words are cut at.
    pub(super) fn separators(&self) -> Rc<str> {
        match self.shell.get("IFS") {
            Some(value) => value.first().text.into(),
            None => Rc::clone(&self.blanks),
        }
    }

    /// Runs a substitution and takes what it prints.
    pub(super) fn substitute(&mut self, list: &List) -> Stuff {
        if let [step] = list.as_slice()
            && let [crate::syntax::Command::Simple(simple)] = step.pipeline.as_slice()
            && simple.words.is_empty()
            && simple.assigns.is_empty()
            && let [redirect] = simple.redirects.as_slice()
            && let crate::syntax::RedirectKind::In(word) = &redirect.kind
        {
            // `$(<file)` is the content of the file.
            let path = self.text(word);
            return self.read_file(&path);
        }
        self.nested(|walk| walk.capture(|walk| walk.subshell(|walk| walk.list(list))))
    }

    /// `<(…)`: a path whose content is what the commands print.
    fn process(&mut self, list: &List, reads: bool) -> String {
        self.processes += 1;
        let path = format!("/dev/fd/{}", 63 + self.processes);
        if reads {
            let output = self.substitute(list);
            self.put(path.clone(), output, false);
        } else {
            self.sinks.push(path.clone());
        }
        path
    }

    pub(super) fn arithmetic(&mut self, parts: &[Part]) -> Arg {
        let expression = self.quoted(parts);
        match self.evaluate(&expression) {
            Some(number) => Arg { text: number.to_string(), glob: false, from: expression.from },
            None => Arg { text: HOLE.into(), glob: false, from: Origins { unknown: true, ..expression.from } },
        }
    }

    /// `let`: for what it assigns.
    pub(crate) fn calculate(&mut self, expression: &Arg) {
        self.evaluate(expression);
    }

    pub(super) fn evaluate(&mut self, expression: &Arg) -> Option<i64> {
        self.subscripts(&expression.text);
        arithmetic::evaluate(expression.as_known()?, &mut Numbers(self))
    }
}

/// Variables as arithmetic sees them.
struct Numbers<'w, 'a>(&'w mut Walk<'a>);

impl arithmetic::Names for Numbers<'_, '_> {
    fn number(&self, name: &str) -> Option<i64> {
        let value = self.0.shell.get(name)?.first();
        if value.text.is_empty() { Some(0) } else { value.text.trim().parse().ok() }
    }

    fn set(&mut self, name: &str, number: Option<i64>) {
        let text = number.map_or_else(|| HOLE.to_string(), |number| number.to_string());
        let from = Origins { unknown: number.is_none(), ..Origins::default() };
        self.0.assign(name, Arg { text, glob: false, from });
    }
}

/// Several as one text.
pub(super) fn join(args: &[Arg], separator: &str) -> Arg {
    let mut joined = Arg::default();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            joined.text.push_str(separator);
        }
        joined.text.push_str(&arg.text);
        joined.glob |= arg.glob;
        joined.from = joined.from.and(arg.from);
    }
    joined
}

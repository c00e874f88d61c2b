//! `find` and `fd`: what they find is deleted, or given to a command.

use super::options::{Spec, parse};
use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags};

/// Tests that take a value and hold for few of many files.
const NARROWING: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-inum",
    "-links",
    "-mmin",
    "-mtime",
    "-newer",
    "-perm",
    "-samefile",
    "-size",
    "-uid",
    "-used",
    "-user",
    "-Bmin",
    "-Btime",
    "-flags",
    "-since",
];

/// Tests of a name, with a pattern as value.
const NAMING: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname"];

/// Tests without a value that hold for few.
const RARE: &[&str] = &["-empty", "-executable", "-nouser", "-nogroup", "-readable", "-writable"];

/// Settings with a value that say nothing about which files.
const SETTINGS: &[&str] = &[
    "-maxdepth",
    "-mindepth",
    "-type",
    "-xtype",
    "-regextype",
    "-D",
    "-files0-from",
    "-printf",
    "-depth-n",
    "-exclude",
];

/// What is known about the files for which an expression is true.
#[derive(Clone, Default)]
struct Narrowed {
    /// Not all of them.
    few: bool,
    /// Their names match this.
    name: Option<String>,
}

/// Reads the expression from left to right.
struct Search<'i, 'a> {
    it: &'i Invocation<'a>,
    roots: Vec<Arg>,
    /// What holds here, for each open parenthesis and outside: since the last "or", and for all alternatives before.
    levels: Vec<(Narrowed, Option<Narrowed>)>,
    negated: bool,
    only_roots: bool,
    printed: Option<Narrowed>,
    acted: bool,
}

pub(super) fn find(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let help = |arg: &Arg| ["--help", "-help", "--version", "-version"].contains(&arg.text.as_str());
    if it.args.first().is_some_and(help) {
        return;
    }
    let (roots, expression) = roots(it.args);
    let mut search = Search {
        it,
        roots,
        levels: vec![(Narrowed::default(), None)],
        negated: false,
        only_roots: false,
        printed: None,
        acted: false,
    };
    let mut rest = expression;
    while let Some((word, after)) = rest.split_first() {
        let taken = search.step(word.text.as_str(), after, doing);
        rest = after.get(taken..).unwrap_or_default();
    }
    search.finish(doing);
}

/// The folders to look in, and the expression behind them.
fn roots(args: &[Arg]) -> (Vec<Arg>, &[Arg]) {
    let mut args = args;
    while let Some((word, rest)) = args.split_first()
        && (["-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x"].contains(&word.text.as_str())
            || word.text.starts_with("-O"))
    {
        args = rest;
    }
    let is_expression = |word: &Arg| word.text.starts_with(['-', '(', ')', '!', ',']) && word.text != "-";
    let end = args.iter().position(is_expression).unwrap_or(args.len());
    let (roots, expression) = args.split_at(end);
    let roots = if roots.is_empty() { vec![Arg::known(".")] } else { roots.to_vec() };
    (roots, expression)
}

impl Search<'_, '_> {
    /// One word of the expression; returns how many of those behind it belong to it.
    fn step(&mut self, word: &str, after: &[Arg], doing: &mut Doing<'_, '_>) -> usize {
        let value = after.first().map_or("", |value| value.text.as_str());
        match word {
            "(" => self.open(),
            ")" => self.close(),
            "!" | "-not" => self.negated = !self.negated,
            "-o" | "-or" | "," => self.or(),
            "-a" | "-and" => {}
            "-delete" => self.delete(doing),
            "-exec" | "-execdir" | "-ok" | "-okdir" => return self.exec(word, after, doing),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = after.first() {
                    doing.overwrites(file, Flags::NONE);
                }
                return if word == "-fprintf" { 2 } else { 1 };
            }
            "-print" | "-print0" | "-ls" => self.printed = Some(self.narrowed()),
            "-maxdepth" => {
                self.only_roots = value == "0";
                return 1;
            }
            _ if NAMING.contains(&word) => {
                // `./.git/*` and `*/.git` say where below the folder.
                let below = value.trim_start_matches("./").trim_start_matches("*/");
                let name = match word {
                    "-name" | "-iname" => Some(value),
                    "-path" | "-wholename" | "-ipath" if !below.starts_with(['/', '*']) => Some(below),
                    _ => None,
                };
                self.narrow(names_few(value), name);
                return 1;
            }
            _ if NARROWING.contains(&word) || word.starts_with("-newer") => {
                self.narrow(true, None);
                return 1;
            }
            _ if RARE.contains(&word) => self.narrow(true, None),
            _ if SETTINGS.contains(&word) => return 1,
            _ => self.negated = false,
        }
        0
    }

    fn narrow(&mut self, few: bool, name: Option<&str>) {
        let negated = std::mem::take(&mut self.negated);
        if let (true, Some((here, _))) = (few && !negated, self.levels.last_mut()) {
            here.few = true;
            here.name = name.map(str::to_owned).or(here.name.take());
        }
    }

    fn open(&mut self) {
        self.negated = false;
        self.levels.push((Narrowed::default(), None));
    }

    fn close(&mut self) {
        if self.levels.len() < 2 {
            return;
        }
        if let Some((last, before)) = self.levels.pop() {
            let inner = either(before, last);
            if let (true, Some((here, _))) = (inner.few, self.levels.last_mut()) {
                here.few = true;
                here.name = inner.name.or(here.name.take());
            }
        }
    }

    fn or(&mut self) {
        if let Some((here, before)) = self.levels.last_mut() {
            let last = std::mem::take(here);
            *before = Some(either(before.take(), last));
        }
    }

    /// What holds at this point: everything that any open level says.
    fn narrowed(&self) -> Narrowed {
        let few = self.levels.iter().any(|(here, _)| here.few);
        let name = self.levels.iter().rev().find_map(|(here, _)| here.name.clone());
        Narrowed { few, name }
    }

    /// What is found, as far as it can be told.
    fn found(&self, narrowed: &Narrowed) -> Vec<Arg> {
        self.roots.iter().map(|root| found_below(root, narrowed, self.only_roots)).collect()
    }

    fn delete(&mut self, doing: &mut Doing<'_, '_>) {
        self.acted = true;
        for path in self.found(&self.narrowed()) {
            doing.deletes(&path, Flag::Recursive.into());
        }
    }

    fn exec(&mut self, word: &str, after: &[Arg], doing: &mut Doing<'_, '_>) -> usize {
        self.acted = true;
        // `;` ends it, or `+` right after `{}`; a shell that lost its backslash leaves nothing behind.
        let ends = |at: &usize| {
            let text = after[*at].text.as_str();
            text == ";" || text == "\\;" || text == "+" && *at > 0 && after[*at - 1].text == "{}"
        };
        let end = (0..after.len()).find(ends).unwrap_or(after.len());
        let via = format!("{} {word}", self.it.name);
        for path in self.found(&self.narrowed()) {
            let words: Vec<Arg> = after[..end].iter().map(|word| with_found(word, &path)).collect();
            if !words.is_empty() {
                let output = doing.runs(&via, &words, None);
                doing.prints(output);
            }
        }
        end + 1
    }

    fn finish(&mut self, doing: &mut Doing<'_, '_>) {
        let narrowed = match (self.printed.take(), self.levels.pop()) {
            (Some(printed), _) => printed,
            (None, _) if self.acted => return,
            (None, Some((last, before))) => either(before, last),
            (None, None) => Narrowed::default(),
        };
        let mut text = String::new();
        for path in self.found(&narrowed) {
            text.push_str(&path.text);
            text.push('\n');
        }
        doing.prints(Stuff::known(text));
    }
}

fn either(before: Option<Narrowed>, last: Narrowed) -> Narrowed {
    match before {
        None => last,
        Some(before) => {
            Narrowed { few: before.few && last.few, name: before.name.filter(|name| last.name.as_ref() == Some(name)) }
        }
    }
}

/// A pattern of nothing but stars and what matches anything is no restriction.
fn names_few(pattern: &str) -> bool {
    !pattern.chars().all(|c| "*?./[]!".contains(c)) || pattern == "."
}

fn found_below(root: &Arg, narrowed: &Narrowed, only_roots: bool) -> Arg {
    if !narrowed.few || only_roots {
        return root.clone();
    }
    let folder = root.text.trim_end_matches('/');
    let text = match narrowed.name.as_deref() {
        Some(name) if name.starts_with('*') => format!("{folder}/{HOLE}{}", wild(&name[1..])),
        // At any depth, of which the first is as good as any.
        Some(name) => format!("{folder}/{}", wild(name)),
        None => format!("{folder}/{HOLE}"),
    };
    Arg { text, glob: true, from: root.from }
}

fn wild(pattern: &str) -> String {
    pattern.replace(['*', '?'], &HOLE.to_string())
}

fn with_found(word: &Arg, path: &Arg) -> Arg {
    if !word.text.contains("{}") {
        return word.clone();
    }
    Arg { text: word.text.replace("{}", &path.text), glob: path.glob || word.glob, from: word.from.and(path.from) }
}

const FD: Spec = Spec {
    short: "detESocjx",
    long: &[
        "max-depth",
        "min-depth",
        "exact-depth",
        "type",
        "extension",
        "exclude",
        "size",
        "changed-within",
        "changed-before",
        "owner",
        "color",
        "threads",
        "base-directory",
        "search-path",
        "path-separator",
        "max-results",
        "ignore-file",
        "format",
        "and",
    ],
};

pub(super) fn fd(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let is_exec = |word: &Arg| ["-x", "-X", "--exec", "--exec-batch"].contains(&word.text.as_str());
    let exec = it.args.iter().position(is_exec);
    let mut operands = Vec::new();
    let mut narrowed = Narrowed::default();
    let mut roots: Vec<Arg> = Vec::new();
    let mut left = &it.args[..exec.unwrap_or(it.args.len())];
    loop {
        let parsed = parse(left, &FD);
        narrowed.few |=
            parsed.has(&["e", "extension", "S", "size", "changed-within", "changed-before", "o", "owner", "and"]);
        roots.extend(parsed.values(&["base-directory", "search-path"]).cloned());
        let Some((operand, rest)) = parsed.rest.split_first() else { break };
        operands.push(operand.clone());
        left = rest;
    }
    if let Some((pattern, folders)) = operands.split_first() {
        narrowed.few |= names_few(&pattern.text) && ![".", ".*", "^"].contains(&pattern.text.as_str());
        roots.extend_from_slice(folders);
    }
    if roots.is_empty() {
        roots.push(Arg::known("."));
    }
    let found: Vec<Arg> = roots.iter().map(|root| found_below(root, &narrowed, false)).collect();
    match exec {
        Some(at) => run_found(it, &it.args[at + 1..], &found, doing),
        None => {
            let lines: Vec<&str> = found.iter().map(|path| path.text.as_str()).collect();
            doing.prints(Stuff::known(lines.join("\n")));
        }
    }
}

fn run_found(it: &Invocation<'_>, command: &[Arg], found: &[Arg], doing: &mut Doing<'_, '_>) {
    let end = command.iter().position(|word| word.text == ";").unwrap_or(command.len());
    let command = &command[..end];
    let marks = ["{}", "{/}", "{//}", "{.}", "{/.}"];
    let marked = command.iter().any(|word| marks.iter().any(|mark| word.text.contains(mark)));
    for path in found {
        let mut words: Vec<Arg> = command.iter().map(|word| with_found(word, path)).collect();
        if !marked {
            words.push(path.clone());
        }
        if !command.is_empty() {
            let output = doing.runs(it.name, &words, None);
            doing.prints(output);
        }
    }
}

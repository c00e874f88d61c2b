//! Builtins: what changes the shell itself.

use std::rc::Rc;

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Effect, Flag, Flags, Kind};
use crate::path::locate_folder;
use crate::walk::state::{Open, Value};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "cd" | "chdir" => cd,
        "pushd" => pushd,
        "popd" => popd,
        "eval" => eval,
        "source" | "." => source,
        "exec" => exec,
        "command" => command,
        "builtin" => builtin,
        "alias" => alias,
        "unalias" => unalias,
        "set" => set,
        "shift" => shift,
        "export" | "declare" | "typeset" | "local" | "readonly" => declare,
        "unset" => unset,
        "read" => read,
        "mapfile" | "readarray" => mapfile,
        "trap" => trap,
        "let" => let_,
        "test" | "[" => test,
        "hash" => hash,
        "ztcp" => ztcp,
        "history" => history,
        "pwd" => pwd,
        "which" | "type" => which,
        ":" | "true" | "false" | "exit" | "return" | "break" | "continue" | "shopt" | "wait" | "jobs" | "bg" | "fg"
        | "disown" | "umask" | "ulimit" | "times" | "getopts" | "sleep" => silent,
        _ => return None,
    })
}

fn silent(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::nothing());
}

/// The first argument that is no option.
fn operand(args: &[Arg]) -> Option<&Arg> {
    let mut args = args.iter();
    loop {
        let arg = args.next()?;
        match arg.text.as_str() {
            "--" => return args.next(),
            "-" => return Some(arg),
            text if text.starts_with('-') && text.len() > 1 => {}
            _ => return Some(arg),
        }
    }
}

fn cd(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let to = match operand(invocation.args) {
        Some(arg) if arg.text == "-" => doing.walk.shell.before.clone(),
        Some(arg) => folder(arg, doing),
        None => doing.walk.around().home.map(Rc::from),
    };
    doing.walk.go(to);
    doing.prints(Stuff::nothing());
}

/// Where an argument leads, if that is one known folder.
fn folder(arg: &Arg, doing: &Doing<'_, '_>) -> Option<Rc<str>> {
    if arg.text.is_empty() {
        return doing.walk.shell.cwd.clone();
    }
    // `/tmp/tmp.…` is one folder below another, whatever its name; a name that may be empty can be anywhere.
    let named = arg.text.split('/').all(|name| name.is_empty() || !name.chars().all(|c| c == HOLE));
    if !named || arg.glob || !arg.text.starts_with('/') && doing.walk.shell.cwd.is_none() {
        return None;
    }
    let path = locate_folder(arg, &doing.walk.around()).path;
    path.starts_with('/').then(|| path.into())
}

fn pushd(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let here = doing.walk.shell.cwd.clone();
    match operand(invocation.args) {
        Some(arg) if !arg.text.starts_with('+') => {
            let to = folder(arg, doing);
            doing.walk.shell.stack.push(here);
            doing.walk.go(to);
        }
        _ => {
            let to = doing.walk.shell.stack.pop().flatten();
            doing.walk.shell.stack.push(here);
            doing.walk.go(to);
        }
    }
}

fn popd(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let to = doing.walk.shell.stack.pop().flatten();
    doing.walk.go(to);
}

fn pwd(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if let Some(cwd) = doing.walk.shell.cwd.clone() {
        doing.prints(Stuff::known(format!("{cwd}\n")));
    }
}

/// Arguments as one text.
fn joined(args: &[Arg]) -> Stuff {
    let mut text = String::new();
    let mut from = Origins::default();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&arg.text);
        from = from.and(arg.from);
    }
    Stuff { text: Some(text.into()), from }
}

fn eval(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let args = match invocation.args {
        [dashes, rest @ ..] if dashes.text == "--" => rest,
        args => args,
    };
    if args.is_empty() {
        return doing.prints(Stuff::nothing());
    }
    let script = joined(args);
    let output = doing.walk.inside("eval", |walk| walk.here(&script));
    doing.prints(output);
}

fn source(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((file, args)) = invocation.args.split_first() else { return };
    let script = match (file.text.as_str(), invocation.stdin) {
        ("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0", Some(stdin)) => stdin.clone(),
        _ => sourced(file, doing),
    };
    if script.text.is_none() && !script.from.network && !script.from.decoded {
        // A file that is there already: its owner's affair, like any other program.
        return;
    }
    let before = (!args.is_empty()).then(|| std::mem::replace(&mut doing.walk.shell.positional, args.into()));
    let output = doing.walk.inside(invocation.name, |walk| walk.here(&script));
    if let Some(before) = before {
        doing.walk.shell.positional = before;
    }
    doing.prints(output);
}

/// What is in a file that is run in this shell. Nothing of it is shown: `. .env` uses credentials and does not read
/// them out, so it is a plain read, marked.
fn sourced(file: &Arg, doing: &mut Doing<'_, '_>) -> Stuff {
    let located = doing.locate(file);
    if !located.nature.secret {
        return doing.reads(file);
    }
    let content = doing.walk.content(&located.path).unwrap_or_else(Stuff::unknown);
    let effect = Effect::new(Kind::Read, format!("takes settings from {}", crate::walk::shown(&located.path)));
    let flags = Flag::Secret.into();
    doing.walk.effect(Effect { path: Some(located.path), place: Some(located.place), flags, ..effect });
    content
}

fn exec(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut args = invocation.args;
    while let Some((first, rest)) = args.split_first() {
        match first.text.as_str() {
            "-a" => args = rest.get(1..).unwrap_or_default(),
            "-c" | "-l" | "-cl" | "-lc" | "--" => args = rest,
            _ => break,
        }
    }
    if !args.is_empty() {
        let output = doing.runs("exec", args, invocation.stdin);
        doing.prints(output);
    }
}

fn command(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut args = invocation.args;
    while let Some((first, rest)) = args.split_first() {
        match first.text.as_str() {
            "-p" | "--" => args = rest,
            "-v" | "-V" | "-pv" | "-pV" => return found(rest, doing),
            _ => break,
        }
    }
    let output = doing.runs("command", args, invocation.stdin);
    doing.prints(output);
}

/// `command -v`, `which`: where programs are.
fn found(args: &[Arg], doing: &mut Doing<'_, '_>) {
    let mut text = String::new();
    for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
        let folder = if arg.text.starts_with('/') { "" } else { "/usr/bin/" };
        text.extend([folder, &arg.text, "\n"]);
    }
    doing.prints(Stuff::known(text));
}

fn which(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    found(invocation.args, doing);
}

fn builtin(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let output = doing.runs("builtin", invocation.args, invocation.stdin);
    doing.prints(output);
}

fn alias(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for arg in invocation.args {
        if let Some((name, value)) = arg.text.split_once('=') {
            doing.walk.shell.aliases.insert(name.to_owned(), value.into());
        }
    }
    doing.prints(Stuff::nothing());
}

fn unalias(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for arg in invocation.args {
        if arg.text == "-a" {
            doing.walk.shell.aliases.clear();
        }
        doing.walk.shell.aliases.remove(&arg.text);
    }
}

/// What a shell prints that is asked for all its variables.
fn all_variables() -> Stuff {
    Stuff { text: None, from: Origins { secret: true, unknown: true, ..Origins::default() } }
}

fn set(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let args = invocation.args;
    doing.prints(if args.is_empty() { all_variables() } else { Stuff::nothing() });
    if args.windows(2).any(|pair| pair[0].text == "+o" && pair[1].text == "history") {
        doing.does(Kind::Weaken, Flags::NONE, "stops the shell from recording its history");
    }
    let first = args.iter().position(|arg| arg.text == "--").map(|at| at + 1);
    let first = first.or_else(|| args.first().filter(|arg| !arg.text.starts_with(['-', '+'])).map(|_| 0));
    if let Some(first) = first {
        doing.walk.shell.positional = args[first..].into();
    }
}

fn shift(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let count = invocation.args.first().and_then(|arg| arg.text.parse().ok()).unwrap_or(1_usize);
    doing.walk.step(doing.walk.shell.positional.len() / 16);
    let left = doing.walk.shell.positional.get(count..).unwrap_or_default().into();
    doing.walk.shell.positional = left;
    doing.prints(Stuff::nothing());
}

/// `declare -p NAME`, `export -p`: says what variables hold.
fn listed(args: &[Arg], doing: &mut Doing<'_, '_>) {
    let mut names = args.iter().filter(|arg| !arg.text.starts_with('-')).peekable();
    if names.peek().is_none() {
        return doing.prints(all_variables());
    }
    if names.any(|name| crate::walk::state::is_secret(&name.text) && doing.walk.shell.get(&name.text).is_none()) {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a credential");
    }
}

fn declare(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let prints = |arg: &Arg| arg.text.starts_with('-') && arg.text.contains('p') && !arg.text.contains('=');
    if invocation.args.iter().any(prints) || invocation.args.iter().all(|arg| arg.text == "-x") {
        return listed(invocation.args, doing);
    }
    doing.prints(Stuff::nothing());
    let mut number = false;
    let mut reference = false;
    for arg in invocation.args {
        if let Some(options) = arg.text.strip_prefix('-') {
            number |= options.contains('i') && invocation.name != "export";
            reference |= options.contains('n') && invocation.name != "export";
            continue;
        }
        if is_indexed(&arg.text) {
            doing.walk.subscripts(&arg.text);
        }
        let Some((name, value)) = arg.text.split_once('=') else {
            if number {
                doing.walk.shell.calculates(&arg.text);
            }
            continue;
        };
        let (name, append) = match name.strip_suffix('+') {
            Some(name) => (name, true),
            None => (name, false),
        };
        if !crate::syntax::is_name(name) {
            continue;
        }
        let mut text = value.to_owned();
        if append && let Some(before) = doing.walk.shell.get(name) {
            text.insert_str(0, &before.first().text);
        }
        if number && text.parse::<i64>().is_err() {
            doing.walk.shell.calculates(name);
            doing.walk.subscripts(&text);
            text = HOLE.to_string();
        }
        if reference {
            doing.walk.shell.refer(name, value);
            continue;
        }
        doing.walk.assign(name, Arg { text, glob: false, from: arg.from });
    }
}

/// Whether it begins with a name and a bracket: what is in that is expanded, however it was quoted.
fn is_indexed(text: &str) -> bool {
    text.split_once('[').is_some_and(|(name, _)| crate::syntax::is_name(name))
}

/// `test -v 'a[…]'`; numbers are not expressions here.
fn test(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for pair in invocation.args.windows(2) {
        if matches!(pair[0].text.as_str(), "-v" | "-R") && is_indexed(&pair[1].text) {
            doing.walk.subscripts(&pair[1].text);
        }
    }
    doing.prints(Stuff::nothing());
}

/// `hash -p PATH NAME`, and in zsh `hash NAME=PATH`.
fn hash(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::nothing());
    let mut path: Option<&str> = None;
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        if let Some(options) = arg.text.strip_prefix('-') {
            match options.split_once('p') {
                Some((_, "")) => path = args.next().map(|arg| arg.text.as_str()),
                Some((_, value)) => path = Some(value),
                None => {}
            }
        } else if let Some(path) = path {
            doing.walk.shell.hashed.insert(arg.text.clone(), path.into());
        } else if let Some((name, path)) = arg.text.split_once('=') {
            doing.walk.shell.hashed.insert(name.to_owned(), path.into());
        }
    }
}

fn unset(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for arg in invocation.args {
        if is_indexed(&arg.text) {
            doing.walk.subscripts(&arg.text);
        }
        if arg.text == "HISTFILE" {
            doing.does(Kind::Weaken, Flags::NONE, "stops the shell from recording its history");
        }
        if crate::syntax::is_name(&arg.text) {
            doing.walk.shell.set(&arg.text, Value::Text(Arg::default()));
            doing.walk.shell.forget_function(&arg.text);
        }
    }
    doing.prints(Stuff::nothing());
}

/// One line of the input, and what is left. `None` where it is not known.
fn line(stdin: Option<&Stuff>, until: char, doing: &mut Doing<'_, '_>) -> (Option<String>, Origins) {
    let Some(stdin) = stdin else { return (None, Origins { unknown: true, ..Origins::default() }) };
    let from = stdin.from;
    let Some(text) = &stdin.text else { return (None, from) };
    let (line, rest) = text.split_once(until).unwrap_or((text, ""));
    doing.walk.weigh(text.len() / 8);
    if let Some(own) = &mut doing.walk.stdin
        && own.text.as_ref().is_some_and(|own| Rc::ptr_eq(own, text))
    {
        own.text = Some(rest.into());
    }
    (Some(line.to_owned()), from)
}

fn read(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::nothing());
    let mut names = Vec::new();
    let mut array = None;
    let mut until = '\n';
    let mut opened = None;
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        let Some(options) = arg.text.strip_prefix('-').filter(|_| names.is_empty()) else {
            names.push(arg.text.as_str());
            continue;
        };
        // An option takes the rest of its word or the next one.
        if let Some(at) = options.find(['d', 'n', 'N', 'p', 't', 'u', 'a', 'i']) {
            let value = match &options[at + 1..] {
                "" => args.next().map(|arg| arg.text.as_str()).unwrap_or_default(),
                rest => rest,
            };
            match options.as_bytes()[at] {
                b'd' => until = value.chars().next().unwrap_or('\0'),
                b'a' => array = Some(value.to_owned()),
                b'u' => opened = descriptor(value, doing),
                _ => {}
            }
        }
    }
    let (text, from) = line(opened.as_ref().or(invocation.stdin), until, doing);
    let separators = doing.walk.shell.get("IFS").map_or_else(|| " \t\n".to_owned(), |ifs| ifs.first().text);
    let unknown = || Arg { text: HOLE.into(), glob: false, from: Origins { unknown: true, ..from } };
    if let Some(array) = array {
        let items = match &text {
            Some(text) => fields(text, &separators, usize::MAX),
            None => return doing.walk.assign(&array, unknown()),
        };
        let items = items.into_iter().enumerate();
        let items = items.map(|(key, text)| (key.to_string(), Arg { text, glob: false, from })).collect();
        return doing.walk.shell.set(&array, Value::List(items));
    }
    if names.is_empty() {
        names.push("REPLY");
    }
    let values = text.map(|text| fields(&text, &separators, names.len()));
    for (index, name) in names.into_iter().enumerate() {
        let value = match &values {
            Some(values) => Arg { text: values.get(index).cloned().unwrap_or_default(), glob: false, from },
            None => unknown(),
        };
        doing.walk.assign(name, value);
    }
}

/// What an open descriptor leads to.
fn descriptor(number: &str, doing: &Doing<'_, '_>) -> Option<Stuff> {
    doing.walk.shell.opened(number.parse().ok()?).map(|open| open.stuff.clone())
}

/// At most so many fields; the last one takes the rest.
fn fields(text: &str, separators: &str, most: usize) -> Vec<String> {
    let is_separator = |c: char| separators.contains(c);
    let blank = |c: char| is_separator(c) && c.is_whitespace();
    let mut rest = text.trim_matches(blank);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        if fields.len() + 1 >= most {
            fields.push(rest.to_owned());
            break;
        }
        match rest.find(is_separator) {
            Some(end) => {
                fields.push(rest[..end].to_owned());
                let after = &rest[end..];
                let skipped = after.trim_start_matches(blank);
                rest = if skipped.len() < after.len() {
                    skipped
                } else {
                    after.strip_prefix(is_separator).unwrap_or(after)
                };
            }
            None => {
                fields.push(rest.to_owned());
                break;
            }
        }
    }
    fields
}

fn mapfile(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut name = "MAPFILE";
    let mut opened = None;
    let mut callback = None;
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        let Some(options) = arg.text.strip_prefix('-') else {
            name = &arg.text;
            continue;
        };
        if let Some(at) = options.find(['d', 'n', 'O', 's', 'u', 'C', 'c']) {
            let value = match &options[at + 1..] {
                "" => args.next().map(|arg| arg.text.as_str()).unwrap_or_default(),
                rest => rest,
            };
            match options.as_bytes()[at] {
                b'u' => opened = descriptor(value, doing),
                b'C' => callback = Some(value),
                _ => {}
            }
        }
    }
    let stdin = opened.as_ref().or(invocation.stdin);
    let from = stdin.map(|stdin| stdin.from).unwrap_or_default();
    if let Some(callback) = callback {
        call_back(callback, stdin.and_then(|stdin| stdin.text.as_deref()), doing);
    }
    match stdin.and_then(|stdin| stdin.text.clone()) {
        Some(text) => {
            let lines = text.lines().enumerate();
            let items = lines.map(|(key, line)| (key.to_string(), Arg { text: line.to_owned(), glob: false, from }));
            doing.walk.shell.set(name, Value::List(items.collect()));
        }
        None => {
            doing.walk.assign(name, Arg { text: HOLE.into(), glob: false, from: Origins { unknown: true, ..from } })
        }
    }
    doing.prints(Stuff::nothing());
}

/// `mapfile -C`: runs with a number and a line behind it, here with all lines behind it.
fn call_back(code: &str, lines: Option<&str>, doing: &mut Doing<'_, '_>) {
    let mut text = format!("{code} 0");
    match lines {
        Some(lines) => lines.lines().for_each(|line| text.push_str(&format!(" '{}'", line.replace('\'', "'\\''")))),
        None => text.extend([' ', HOLE]),
    }
    doing.walk.inside("mapfile -C", |walk| walk.here(&Stuff::known(text)));
}

fn trap(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::nothing());
    if let Some(action) = operand(invocation.args).filter(|arg| arg.text != "-" && !arg.text.is_empty())
        && invocation.args.len() > 1
    {
        let action = Stuff { text: Some(action.text.as_str().into()), from: action.from };
        if doing.walk.traps.len() < 64 {
            doing.walk.traps.push(action);
        } else {
            doing.runs_script("trap", &action, &[], None);
        }
    }
}

/// zsh's own connections: the number of the descriptor is in `$REPLY`.
fn ztcp(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::nothing());
    let Some(host) = operand(invocation.args) else { return };
    doing.talks(host, Flags::NONE.with(Flag::Upload).with(Flag::Download), None);
    let fd = doing.walk.free_descriptor();
    let path = Arg::known(format!("/dev/tcp/{}/0", host.text));
    let from = Origins { network: true, unknown: true, ..Origins::default() };
    doing.walk.shell.open(Open { fd, path, stuff: Stuff { text: None, from } });
    doing.walk.assign("REPLY", Arg::known(fd.to_string()));
}

fn let_(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for arg in invocation.args {
        doing.walk.calculate(arg);
    }
    doing.prints(Stuff::nothing());
}

fn history(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // One line that was mistyped may go; all of them are a record.
    if invocation.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('c')) {
        doing.does(Kind::Weaken, Flags::NONE, "deletes the history of the shell");
    }
}

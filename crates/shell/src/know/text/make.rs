//! Commands that print something of their own: names, numbers, paths, variables.

use super::search::is_secret_variable;
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "basename" => basename,
        "dirname" => dirname,
        "realpath" | "readlink" | "greadlink" | "grealpath" => realpath,
        "mktemp" | "gmktemp" | "tempfile" => mktemp,
        "which" | "whereis" => which,
        "true" | "false" | "sleep" | "tty" => silent,
        "seq" | "gseq" => seq,
        "yes" => yes,
        "uname" => uname,
        "whoami" | "logname" => whoami,
        "printenv" | "gprintenv" => printenv,
        _ => return None,
    })
}

fn line(text: impl Into<String>) -> Stuff {
    Stuff::known(text.into() + "\n")
}

fn with_origin(text: String, from: Origins) -> Stuff {
    Stuff { text: Some((text + "\n").into()), from }
}

fn silent(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(Stuff::known(""));
}

fn whoami(_: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let name = doing.walk.around().home.and_then(|home| home.rsplit('/').next().map(str::to_owned));
    doing.prints(name.filter(|name| !name.is_empty()).map_or_else(Stuff::unknown, line));
}

fn last(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        if path.is_empty() { "" } else { "/" }
    } else {
        trimmed.rsplit('/').next().unwrap_or(trimmed)
    }
}

fn basename(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("s", &["suffix"]));
    let many = options.has(&["a", "multiple", "s", "suffix"]);
    let suffix =
        options.value(&["s", "suffix"]).map_or(if many { "" } else { options.word(1) }, |arg| arg.text.as_str());
    let names = options.operands.iter().take(if many { usize::MAX } else { 1 }).map(|arg| {
        let name = last(&arg.text);
        name.strip_suffix(suffix).filter(|name| !name.is_empty()).unwrap_or(name)
    });
    let text = names.collect::<Vec<_>>().join("\n");
    let from = options.operands.iter().fold(Origins::default(), |all, arg| all.and(arg.from));
    doing.prints(with_origin(text, from));
}

fn dirname(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("", &[]));
    let folders = options.operands.iter().map(|arg| {
        let text = arg.text.trim_end_matches('/');
        match text.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
            None if arg.text.starts_with('/') => "/",
            // What holds an unknown path is unknown too.
            None if text.starts_with(HOLE) => text,
            None => ".",
        }
    });
    let text = folders.collect::<Vec<_>>().join("\n");
    let from = options.operands.iter().fold(Origins::default(), |all, arg| all.and(arg.from));
    doing.prints(with_origin(text, from));
}

fn realpath(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("", &["relative-to", "relative-base"]));
    let follows = call.name.ends_with("realpath") || options.has(&["f", "e", "m", "canonicalize"]);
    if !follows || options.has(&["relative-to", "relative-base"]) {
        return;
    }
    let paths = options.operands.iter().map(|path| doing.locate(path).path).collect::<Vec<_>>();
    doing.prints(line(paths.join("\n")));
}

/// A fresh file or folder below `/tmp`: its name is not known, its place is.
fn mktemp(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &Spec::new("p", &["tmpdir", "suffix"]));
    let template = options.operands.first().map_or("tmp.XXXXXXXXXX", |arg| arg.text.as_str());
    let mut name = template.to_owned();
    if let Some(at) = name.find("XXX") {
        let end = at + name[at..].bytes().take_while(|c| *c == b'X').count();
        name.replace_range(at..end, &HOLE.to_string());
    }
    let in_temp = options.operands.is_empty() || options.has(&["t", "tmpdir", "p"]);
    let folder = options.value(&["p"]).or(options
        .given
        .iter()
        .find(|given| given.name == "tmpdir")
        .and_then(|given| given.value.as_ref()));
    let path = match folder {
        _ if name.starts_with('/') => name,
        Some(folder) => format!("{}/{name}", folder.text.trim_end_matches('/')),
        None if in_temp => format!("/tmp/{name}"),
        None => name,
    };
    doing.writes(&Arg::known(path.as_str()), Flags::NONE);
    doing.prints(line(path));
}

fn which(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let names = call.args.iter().filter(|arg| !arg.text.starts_with('-'));
    let paths =
        names.map(|arg| if arg.text.contains('/') { arg.text.clone() } else { format!("/usr/bin/{}", arg.text) });
    doing.prints(line(paths.collect::<Vec<_>>().join("\n")));
}

fn seq(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("sf", &["separator", "format"]));
    let numbers: Option<Vec<i64>> = options.operands.iter().map(|arg| arg.text.parse().ok()).collect();
    let (first, step, end) = match numbers.as_deref() {
        Some([end]) => (1, 1, *end),
        Some([first, end]) => (*first, 1, *end),
        Some([first, step, end]) if *step != 0 => (*first, *step, *end),
        _ => return,
    };
    let mut text = String::new();
    let mut at = first;
    for _ in 0..1000 {
        if step > 0 && at > end || step < 0 && at < end {
            doing.prints(Stuff::known(text));
            return;
        }
        text.push_str(&format!("{at}\n"));
        at = at.saturating_add(step);
    }
}

fn yes(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words = call.args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let from = call.args.iter().fold(Origins::default(), |all, arg| all.and(arg.from));
    doing.prints(with_origin(if words.is_empty() { "y".into() } else { words }, from));
}

fn uname(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    doing.prints(match call.args {
        [] => line("Linux"),
        [only] if only.text == "-s" => line("Linux"),
        [only] if only.text == "-m" => line("x86_64"),
        _ => Stuff::unknown(),
    });
}

fn printenv(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let names: Vec<&Arg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let secret = names.iter().any(|name| is_secret_variable(&name.text));
    if secret {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a secret variable");
    }
    // All variables together: only where they go says what that means.
    let from = Origins { secret: secret || names.is_empty(), unknown: true, ..Origins::default() };
    doing.prints(Stuff { text: None, from });
}

//! Commands that create, change and remove files.

mod archive;
mod copy;
mod edit;
mod mode;
#[cfg(test)]
mod tests;

use super::options::{Options, Spec, only_asks};
use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "rm" | "grm" | "srm" | "wipe" | "rimraf" | "del-cli" | "secure-delete" | "safe-rm" => rm,
        "unlink" | "gunlink" => unlink,
        "rmdir" | "rd" | "del" | "erase" => dos_remove,
        "shred" | "gshred" | "scrub" => shred,
        "trash-empty" | "rmtrash-empty" => trash_empty,
        "truncate" | "gtruncate" => truncate,
        "fallocate" => fallocate,
        "touch" | "gtouch" | "mkdir" | "gmkdir" | "mkfifo" | "mknod" | "md" => create,
        _ => {
            return copy::find(name)
                .or_else(|| archive::find(name))
                .or_else(|| mode::find(name))
                .or_else(|| edit::find(name));
        }
    })
}

const RM: Spec = Spec::new("", &[]).flags(&[
    "recursive",
    "force",
    "dir",
    "verbose",
    "interactive",
    "one-file-system",
    "no-preserve-root",
    "preserve-root",
    "glob",
]);

fn rm(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &RM);
    // `rimraf` and its like need no option for that.
    let always = matches!(call.name, "rimraf" | "del-cli");
    let flags = Flags::NONE
        .with_if(Flag::Recursive, always || options.has(&["r", "R", "recursive"]))
        .with_if(Flag::Force, always || options.has(&["f", "force", "no-preserve-root"]));
    for path in &options.operands {
        let glob = path.glob || always && path.text.contains('*');
        doing.deletes(&Arg { glob, ..path.clone() }, flags);
    }
}

fn unlink(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if !only_asks(call.args) {
        call.args.iter().filter(|arg| arg.text != "--").for_each(|path| doing.deletes(path, Flags::NONE));
    }
}

/// `rmdir` takes only what is empty. With options of DOS (`rd /s /q C:\x`) it takes everything, and `del` takes files.
fn dos_remove(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let is_option = |arg: &Arg| arg.text.len() == 2 && arg.text.starts_with('/') && arg.text != "/";
    let recursive = call.args.iter().any(|arg| is_option(arg) && arg.text.eq_ignore_ascii_case("/s"));
    if !recursive && matches!(call.name, "rmdir" | "rd") {
        return;
    }
    let flags = Flags::NONE.with_if(Flag::Recursive, recursive);
    for path in call.args.iter().filter(|arg| !is_option(arg) && !arg.text.starts_with('-')) {
        doing.deletes(path, flags);
    }
}

const SHRED: Spec = Spec::new("nspDR", &["iterations", "size", "random-source", "pattern", "dirent"])
    .flags(&["remove", "force", "zero", "exact", "verbose"]);

fn shred(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &SHRED);
    let removes = options.has(&["u", "remove", "r"]);
    for path in &options.operands {
        if removes { doing.deletes(path, Flag::Force.into()) } else { doing.overwrites(path, Flag::Force.into()) }
    }
}

fn trash_empty(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // With an age it takes only what has long been there; without one it asks first.
    if call.args.iter().any(|arg| arg.text == "-f") {
        doing.deletes(&Arg::known("~/.local/share/Trash"), Flag::Recursive.into());
    }
}

const TRUNCATE: Spec = Spec::new("sr", &["size", "reference"]).flags(&["no-create", "io-blocks"]);

fn truncate(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &TRUNCATE);
    let grows = options.value(&["s", "size"]).is_some_and(|size| size.text.starts_with('+'));
    for path in &options.operands {
        if grows { doing.writes(path, Flags::NONE) } else { doing.puts(path, Stuff::known(""), false) }
    }
}

const FALLOCATE: Spec = Spec::new("lo", &["length", "offset"]).flags(&[
    "punch-hole",
    "zero-range",
    "collapse-range",
    "dig-holes",
    "insert-range",
    "keep-size",
]);

fn fallocate(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &FALLOCATE);
    let harms = options.has(&["p", "punch-hole", "z", "zero-range", "c", "collapse-range"]);
    for path in &options.operands {
        if harms { doing.overwrites(path, Flags::NONE) } else { doing.writes(path, Flags::NONE) }
    }
}

const CREATE: Spec =
    Spec::new("mdrtZ", &["mode", "date", "reference", "time", "context"]).flags(&["parents", "verbose", "no-create"]);

fn create(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &CREATE);
    let only_one = matches!(call.name, "mknod");
    for path in options.operands.iter().take(if only_one { 1 } else { usize::MAX }) {
        doing.writes(path, Flags::NONE);
    }
    let kind = options.word(1);
    if only_one && matches!(kind, "b" | "c" | "u") {
        doing.does(Kind::Escalate, Flag::Force.into(), "makes a device file, which bypasses file permissions");
    }
}

/// Reads a folder with everything below it. A home or `/etc` as a whole holds credentials, though to read it is not
/// yet to look at them: it only matters where it goes.
pub(super) fn reads_all(path: &Arg, doing: &mut Doing<'_, '_>) -> Stuff {
    let around = doing.walk.around();
    let holds = crate::path::holds_secrets(&doing.locate(path), &around);
    let mut stuff = doing.reads(path);
    stuff.from.secret |= holds;
    stuff
}

/// Everything that several reads brought, as something that cannot be told any more.
pub(super) fn mixed(parts: impl IntoIterator<Item = Stuff>) -> Stuff {
    let from = parts.into_iter().fold(Origins { unknown: true, ..Origins::default() }, |all, part| all.and(part.from));
    Stuff { text: None, from }
}

/// What stands on a command's input.
pub(super) fn input(call: &Invocation<'_>) -> Stuff {
    call.stdin.cloned().unwrap_or_else(Stuff::unknown)
}

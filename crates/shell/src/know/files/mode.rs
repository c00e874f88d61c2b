//! Commands that change who may do what with a file.

use super::super::options::{Options, Spec, only_asks};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind, Place};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "chmod" | "gchmod" => chmod,
        "chown" | "chgrp" | "gchown" | "gchgrp" | "lchown" => chown,
        "chattr" | "chflags" => chattr,
        "setfacl" => setfacl,
        "setcap" => setcap,
        "chcon" | "restorecon" => relabel,
        "icacls" | "takeown" | "cacls" => windows,
        _ => return None,
    })
}

const CHMOD: Spec = Spec::new("", &["reference", "from"]).flags(&[
    "recursive",
    "verbose",
    "changes",
    "silent",
    "quiet",
    "preserve-root",
    "no-preserve-root",
    "no-dereference",
    "dereference",
]);

/// Options, and everything else: a mode may look like an option (`-x`, `-rwx`).
fn with_mode(args: &[Arg]) -> (Options, Option<String>, Vec<Arg>) {
    let is_mode = |arg: &&Arg| {
        arg.text.strip_prefix('-').is_some_and(|mode| !mode.is_empty() && mode.bytes().all(|c| b"rwxXst".contains(&c)))
    };
    let minus = args.iter().find(is_mode).map(|arg| arg.text.clone());
    let rest: Vec<Arg> = args.iter().filter(|arg| !is_mode(arg)).cloned().collect();
    let options = Options::of(&rest, &CHMOD);
    let mut operands = options.operands.clone();
    if minus.is_some() || options.has(&["reference"]) || operands.is_empty() {
        return (options, minus, operands);
    }
    let mode = operands.remove(0).text;
    (options, Some(mode), operands)
}

fn chmod(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let (options, mode, paths) = with_mode(call.args);
    let mode = mode.unwrap_or_default();
    let given = Given::of(&mode);
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has(&["R", "recursive"]));
    for path in &paths {
        let located = doing.locate(path);
        if given.sets_id && located.place != Place::Unknown {
            let what = format!("lets {} run with its owner's rights", shown(path));
            doing.does(Kind::Escalate, Flag::Force.into(), what);
        } else if given.sets_id {
            doing.does(Kind::Escalate, Flag::Force.into(), "lets a program run with its owner's rights");
        }
        let outside = matches!(
            located.place,
            Place::Root | Place::Home | Place::System | Place::Outside | Place::Device | Place::Vcs
        );
        let shows = given.others_read && located.nature.secret;
        let bad = outside && (given.others_write || given.nobody || shows);
        doing.permits(path, flags.with_if(Flag::Force, bad));
        if given.runs && located.nature.runs_later {
            doing.does(Kind::Persist, Flags::NONE, format!("makes {} run later", shown(path)));
        }
    }
}

fn shown(path: &Arg) -> String {
    path.text.replace(crate::arg::HOLE, "…")
}

/// What a mode gives away.
#[derive(Default)]
struct Given {
    sets_id: bool,
    others_write: bool,
    others_read: bool,
    nobody: bool,
    runs: bool,
}

impl Given {
    fn of(mode: &str) -> Self {
        if let Ok(bits) = u32::from_str_radix(mode, 8) {
            return Self {
                sets_id: bits & 0o6000 != 0 && bits & 0o111 != 0 || bits & 0o4000 != 0,
                others_write: bits & 0o002 != 0 && bits & 0o1000 == 0,
                others_read: bits & 0o004 != 0,
                nobody: bits & 0o700 == 0,
                runs: bits & 0o111 != 0,
            };
        }
        mode.split(',').map(Self::clause).fold(Self::default(), |all, one| Self {
            sets_id: all.sets_id || one.sets_id,
            others_write: all.others_write || one.others_write,
            others_read: all.others_read || one.others_read,
            nobody: all.nobody || one.nobody,
            runs: all.runs || one.runs,
        })
    }

    /// `u+s`, `a=rwx`, `-rwx`.
    fn clause(clause: &str) -> Self {
        let Some(at) = clause.find(['+', '-', '=']) else { return Self::default() };
        let (who, what) = (&clause[..at], &clause[at + 1..]);
        let everybody = who.is_empty() || who.contains('a');
        if clause.as_bytes()[at] == b'-' {
            let owner = everybody || who.contains('u');
            return Self { nobody: owner && what.contains('r') && what.contains('w'), ..Self::default() };
        }
        let others = everybody && !who.is_empty() || who.contains('o');
        Self {
            sets_id: what.contains('s') && (everybody || who.contains('u') || who.contains('g')),
            others_write: others && what.contains('w'),
            others_read: others && what.contains('r'),
            nobody: clause.as_bytes()[at] == b'=' && what.is_empty() && (everybody || who.contains('u')),
            runs: what.contains(['x', 'X']),
        }
    }
}

/// A mode that lets a program run with its owner's rights.
pub(super) fn sets_id(mode: &str) -> bool {
    Given::of(mode).sets_id
}

fn chown(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &CHMOD);
    let skipped = usize::from(!options.has(&["reference"]));
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has(&["R", "recursive"]));
    options.operands.iter().skip(skipped).for_each(|path| doing.permits(path, flags));
}

fn chattr(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let is_mode =
        |arg: &&Arg| arg.text.starts_with(['+', '-', '=']) || arg.text.starts_with("no") && call.name == "chflags";
    let mode: String = call.args.iter().filter(is_mode).map(|arg| arg.text.as_str()).collect();
    let flags = Flags::NONE.with_if(Flag::Recursive, mode.contains("-R"));
    let thaws = mode.contains("-i") || mode.contains("-a") || mode.contains("no");
    let skipped = usize::from(call.name == "chflags" && !thaws);
    for path in call.args.iter().filter(|arg| !is_mode(arg)).skip(skipped) {
        let place = doing.locate(path).place;
        let outside = matches!(place, Place::Root | Place::Home | Place::System);
        doing.permits(path, flags.with_if(Flag::Force, outside));
    }
}

fn setfacl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("mxMX", &["modify", "remove", "modify-file", "remove-file", "set", "set-file", "restore"]);
    let options = Options::of(call.args, &spec);
    let open = options.values(&["m", "modify", "set"]).any(|entry| {
        entry.text.split(',').any(|one| (one.starts_with("o:") || one.starts_with("other:")) && one.contains('w'))
    });
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has(&["R", "recursive"]));
    for path in &options.operands {
        let place = doing.locate(path).place;
        let outside = matches!(place, Place::Root | Place::Home | Place::System | Place::Outside);
        doing.permits(path, flags.with_if(Flag::Force, open && outside));
    }
}

fn setcap(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("n", &[]));
    if options.has(&["h", "help", "v"]) {
        return;
    }
    let removes = options.has(&["r"]);
    const STRONG: &[&str] = &[
        "cap_setuid",
        "cap_setgid",
        "cap_sys_admin",
        "cap_dac_override",
        "cap_sys_ptrace",
        "cap_sys_module",
        "cap_chown",
        "cap_fowner",
        "cap_sys_rawio",
        "cap_setfcap",
        "all=",
        "all+",
        "=ep",
        "=eip",
    ];
    let strong = options.operands.iter().any(|arg| {
        let said = arg.text.to_ascii_lowercase();
        STRONG.iter().any(|one| if one.starts_with('=') { said == *one } else { said.contains(one) })
    });
    if !removes && strong {
        doing.does(Kind::Escalate, Flag::Force.into(), "gives a program rights of the superuser");
    }
}

fn relabel(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("utrlef", &["user", "type", "role", "range", "reference"]));
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has(&["R", "r", "recursive"]));
    options.operands.iter().for_each(|path| doing.permits(path, flags));
}

fn windows(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let all = call.args.iter().any(|arg| matches!(arg.text.to_ascii_lowercase().as_str(), "/t" | "/r"));
    let everybody = call.args.iter().any(|arg| arg.text.to_ascii_lowercase().starts_with("everyone:"));
    let flags = Flags::NONE.with_if(Flag::Recursive, all).with_if(Flag::Force, everybody);
    if let Some(path) = call.args.iter().find(|arg| !arg.text.starts_with('/') || arg.text.len() > 3) {
        doing.permits(path, flags);
    }
}

//! `cmd.exe`: its own commands, told by those of Unix that do the same.

use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::wrap::options::joined;

pub(super) fn cmd(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(at) =
        it.args.iter().position(|word| ["/c", "/k", "/r", "//c"].contains(&word.text.to_ascii_lowercase().as_str()))
    else {
        return;
    };
    let script = joined(&it.args[at + 1..]);
    doing.walk.inside("cmd /c", |walk| {
        let mut inner = Doing { walk, output: Stuff::unknown() };
        if let Some(text) = script.text.as_deref() {
            look_through(text, &mut inner);
        }
    });
}

fn look_through(text: &str, doing: &mut Doing<'_, '_>) {
    for command in text.split(['&', '|', '\n']) {
        let words: Vec<Arg> = command.split_whitespace().map(|word| Arg::known(word.trim_matches('"'))).collect();
        if let Some((head, rest)) = words.split_first() {
            run(&head.text.to_ascii_lowercase(), rest, &words, doing);
        }
    }
}

fn run(name: &str, rest: &[Arg], words: &[Arg], doing: &mut Doing<'_, '_>) {
    let (switches, operands): (Vec<&Arg>, Vec<&Arg>) =
        rest.iter().partition(|word| word.text.starts_with('/') && word.text.len() < 4);
    let all = switches.iter().any(|switch| switch.text.eq_ignore_ascii_case("/s"));
    let flags = Flags::NONE.with_if(Flag::Recursive, all).with_if(Flag::Force, switches.len() > 1);
    match name {
        "del" | "erase" | "rd" | "rmdir" => operands.iter().for_each(|path| delete(path, flags, doing)),
        "format" | "format.com" => doing.does(Kind::Disk, Flags::NONE, "formats a drive"),
        "type" | "more" => operands.iter().for_each(|path| {
            doing.reads(path);
        }),
        "move" | "ren" | "rename" => {
            if let Some(path) = operands.first() {
                doing.moves(path);
            }
        }
        "copy" | "xcopy" | "robocopy" => {
            if let [.., path] = operands.as_slice() {
                doing.overwrites(path, Flags::NONE);
            }
        }
        "echo" | "dir" | "cd" | "set" | "rem" => {}
        _ => {
            doing.runs("cmd /c", words, None);
        }
    }
}

/// A path with a pattern that stands for everything is the folder.
pub(super) fn delete(path: &Arg, flags: Flags, doing: &mut Doing<'_, '_>) {
    doing.deletes(&Arg { glob: path.text.contains('*'), text: path.text.replace('\\', "/"), ..path.clone() }, flags);
}

/// Commands that only Windows has, wherever they are called from. False if it is none.
pub(super) fn only_windows(name: &str, rest: &str, doing: &mut Doing<'_, '_>) -> bool {
    let rest = rest.to_ascii_lowercase();
    match name {
        "vssadmin" if rest.contains("delete") => {
            doing.does(Kind::Weaken, Flags::NONE, "deletes the shadow copies that backups are")
        }
        "wevtutil" if rest.contains("cl") => doing.does(Kind::Weaken, Flags::NONE, "clears the event log"),
        "bcdedit" if rest.contains("/set") => doing.does(Kind::Weaken, Flags::NONE, "changes how the machine boots"),
        "netsh" if rest.contains("firewall") && rest.contains("off") => {
            doing.does(Kind::Weaken, Flags::NONE, "turns the firewall off")
        }
        "schtasks" if rest.contains("/create") => {
            doing.does(Kind::Persist, Flags::NONE, "makes a task that runs later")
        }
        "reg" if rest.contains("add") && rest.contains("\\run") => {
            doing.does(Kind::Persist, Flags::NONE, "makes a program start by itself")
        }
        "reg" if rest.starts_with("delete") => doing.does(Kind::Weaken, Flags::NONE, "deletes keys of the registry"),
        "diskpart" => doing.does(Kind::Disk, Flags::NONE, "changes partitions"),
        "cipher" if rest.contains("/w") => doing.does(Kind::Disk, Flags::NONE, "wipes free space"),
        "takeown" | "icacls" if rest.contains("/grant") || name == "takeown" => {
            doing.does(Kind::Permissions, Flags::NONE, "changes who may use files")
        }
        "net" if rest.contains("localgroup administrators") && rest.contains("/add") => {
            doing.does(Kind::Escalate, Flag::Force.into(), "makes a user an administrator");
        }
        _ => return false,
    }
    true
}

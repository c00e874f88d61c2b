//! Making file systems and changing partitions.

use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind, Place};
use crate::know::options::only_asks;

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "mke2fs" | "mkntfs" | "mkdosfs" | "mkreiserfs" | "mkudffs" | "mkexfatfs" | "mkswap" | "mkzftree" => mkfs,
        "newfs" => mkfs,
        _ if name.starts_with("mkfs") || name.starts_with("newfs_") => mkfs,
        "wipefs" => wipefs,
        "fdisk" | "cfdisk" | "gdisk" | "cgdisk" => interactive,
        "sfdisk" => sfdisk,
        "sgdisk" => sgdisk,
        "parted" => parted,
        "btrfs" => btrfs,
        _ => return None,
    })
}

/// An image of a disk in the workspace is a file like any other; everything else is a disk.
fn wipes(target: &Arg, what: &str, doing: &mut Doing<'_, '_>) {
    let place = doing.locate(target).place;
    if matches!(place, Place::Inside | Place::Temp) {
        doing.overwrites(target, Flags::NONE);
    } else {
        doing.does(Kind::Disk, Flag::Force.into(), format!("{what} {}", target.text.replace(crate::arg::HOLE, "…")));
    }
}

/// The word that names a device, else the last that is no option.
fn target<'a>(args: &'a [Arg], doing: &Doing<'_, '_>) -> Option<&'a Arg> {
    let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let last = words.clone().next_back();
    words.find(|arg| doing.locate(arg).place == Place::Device).or(last)
}

fn has(call: &Invocation<'_>, words: &[&str]) -> bool {
    call.args.iter().any(|arg| words.contains(&arg.text.as_str()))
}

fn mkfs(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let dry = has(call, &["-n"]) && (call.name == "mke2fs" || call.name.starts_with("mkfs.ext"));
    if only_asks(call.args) || dry || has(call, &["-V", "-h"]) {
        return;
    }
    if let Some(target) = target(call.args, doing) {
        wipes(target, "makes a new file system on", doing);
    }
}

fn wipefs(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let short = |letter: char| {
        call.args
            .iter()
            .any(|arg| arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(letter))
    };
    let acts = short('a') || short('o') || has(call, &["--all", "--offset"]);
    if only_asks(call.args) || !acts || short('n') || has(call, &["--no-act"]) {
        return;
    }
    if let Some(target) = target(call.args, doing) {
        wipes(target, "wipes the file system on", doing);
    }
}

fn interactive(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) || has(call, &["-l", "--list", "-s", "--getsz", "-v", "-V", "-x", "--list-details"]) {
        return;
    }
    if let Some(target) = target(call.args, doing) {
        wipes(target, "changes the partitions of", doing);
    }
}

fn sfdisk(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let looks =
        ["-d", "--dump", "-l", "--list", "-J", "--json", "-V", "--verify", "-n", "--no-act", "-F", "-s", "-T", "-g"];
    if only_asks(call.args) || has(call, &looks) {
        return;
    }
    let acts = call.stdin.is_some() || has(call, &["--delete", "--wipe", "-N", "--part-type", "-r", "--reorder"]);
    if let Some(target) = target(call.args, doing).filter(|_| acts) {
        wipes(target, "changes the partitions of", doing);
    }
}

fn sgdisk(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let acts = |arg: &Arg| {
        let word = arg.text.split('=').next().unwrap_or_default();
        ["-Z", "-z", "-o", "-d", "-n", "-g", "-l", "-R", "-N", "-G"].iter().any(|one| word.starts_with(one))
            || [
                "--zap",
                "--clear",
                "--delete",
                "--new",
                "--largest",
                "--load",
                "--replicate",
                "--mbrtogpt",
                "--randomize",
            ]
            .iter()
            .any(|one| word.starts_with(one))
    };
    if only_asks(call.args) || has(call, &["--pretend"]) || !call.args.iter().any(acts) {
        return;
    }
    if let Some(target) = call.args.iter().rev().find(|arg| !arg.text.starts_with('-')) {
        wipes(target, "changes the partitions of", doing);
    }
}

fn parted(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // Its commands may stand together in one word: `parted /dev/sda "mklabel gpt"`.
    let acts = ["mklabel", "mktable", "rm", "mkpart", "mkpartfs", "mkfs", "resizepart", "rescue", "move", "resize"];
    let mut words = call.args.iter().flat_map(|arg| arg.text.split_whitespace());
    if only_asks(call.args) || !words.any(|word| acts.contains(&word)) {
        return;
    }
    let paths: Vec<Arg> =
        call.args.iter().filter(|arg| arg.text.contains('/') || arg.text.contains('.')).cloned().collect();
    if let Some(target) = target(&paths, doing) {
        wipes(target, "changes the partitions of", doing);
    }
}

fn btrfs(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let word = |at: usize| call.args.get(at).map_or("", |arg| arg.text.as_str());
    let group = |full: &str, at: usize| !word(at).is_empty() && full.starts_with(word(at));
    if group("subvolume", 0) && word(1).starts_with("del") {
        for path in call.args.iter().skip(2).filter(|arg| !arg.text.starts_with('-')) {
            wipes(path, "deletes the subvolume", doing);
        }
    } else if group("device", 0) && matches!(word(1), "remove" | "delete") {
        doing.does(Kind::Disk, Flags::NONE, "takes a disk out of a file system");
    }
}

//! Packages of the machine that are taken away: guards, and what it cannot do without.

use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flags, Kind};

const MANAGERS: &[&str] = &[
    "apt",
    "apt-get",
    "aptitude",
    "nala",
    "dpkg",
    "dnf",
    "yum",
    "microdnf",
    "rpm",
    "zypper",
    "pacman",
    "yay",
    "paru",
    "apk",
    "brew",
    "snap",
    "emerge",
    "xbps-remove",
    "pkg",
];

const VERBS: &[&str] =
    &["remove", "purge", "uninstall", "erase", "del", "rm", "delete", "--purge", "--remove", "--erase", "--unmerge"];

/// Without these there is no machine to speak of, or no way in.
const NEEDED: &[&str] = &[
    "libc6",
    "glibc",
    "musl",
    "sudo",
    "doas",
    "systemd",
    "init",
    "bash",
    "dash",
    "coreutils",
    "util-linux",
    "dpkg",
    "apt",
    "rpm",
    "dnf",
    "pacman",
    "apk-tools",
    "login",
    "passwd",
    "shadow",
    "openssh-server",
    "kernel",
    "kernel-core",
    "linux",
    "linux-generic",
    "linux-firmware",
    "base-files",
    "e2fsprogs",
    "mount",
];

pub(super) fn knows(name: &str) -> bool {
    MANAGERS.contains(&name)
}

pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let rehearsed = |arg: &Arg| {
        matches!(arg.text.as_str(), "--dry-run" | "--simulate" | "-s" | "--just-print" | "--assumeno" | "--test")
            || arg.text == "-n" && invocation.name == "brew"
    };
    if !knows(invocation.name) || !invocation.args.iter().any(|arg| removes(invocation.name, &arg.text)) {
        return;
    }
    if invocation.args.iter().any(rehearsed) {
        return;
    }
    let named = |test: &dyn Fn(&str) -> bool| {
        invocation.args.iter().any(|arg| !arg.text.starts_with('-') && test(arg.text.trim_end_matches(['-', '*'])))
    };
    if named(&crate::know::system::is_guard) {
        doing.does(Kind::Weaken, Flags::NONE, "removes a program that security depends on");
    } else if named(&|name| NEEDED.contains(&name) || name.starts_with("linux-image")) {
        doing.does(Kind::Weaken, Flags::NONE, "removes what the machine cannot do without");
    }
}

fn removes(manager: &str, word: &str) -> bool {
    match manager {
        "pacman" | "yay" | "paru" => word.starts_with("-R") || word == "--remove",
        "dpkg" => matches!(word, "-r" | "-P" | "--remove" | "--purge"),
        "rpm" => matches!(word, "-e" | "--erase") || word.starts_with("-e") && !word.starts_with("--"),
        "emerge" => matches!(word, "-C" | "--unmerge" | "-c" | "--depclean"),
        "xbps-remove" => true,
        _ => VERBS.contains(&word),
    }
}

//! Accounts and groups.

use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "useradd" | "adduser" | "usermod" => usermod,
        "gpasswd" => gpasswd,
        "addgroup" => addgroup,
        "userdel" | "deluser" => userdel,
        "passwd" => passwd,
        "chpasswd" | "newusers" => chpasswd,
        "visudo" | "vipw" | "vigr" => visudo,
        "dscl" | "dseditgroup" | "sysadminctl" | "pw" | "net" | "net.exe" => directory,
        _ => return None,
    })
}

/// Who is in one of these may become root.
const POWERFUL: &[&str] = &[
    "sudo",
    "wheel",
    "admin",
    "root",
    "docker",
    "lxd",
    "libvirt",
    "adm",
    "disk",
    "shadow",
    "administrators",
    "incus-admin",
];

fn is_powerful(groups: &str) -> bool {
    groups.split([',', ' ']).any(|group| POWERFUL.iter().any(|one| group.eq_ignore_ascii_case(one)))
}

fn gains(doing: &mut Doing<'_, '_>, what: &str) {
    doing.does(Kind::Escalate, Flag::Force.into(), what);
}

const USERMOD: Spec = Spec::new(
    "cdefgGKpsubkLUZPRv",
    &[
        "comment",
        "home",
        "gid",
        "groups",
        "password",
        "shell",
        "uid",
        "ingroup",
        "gecos",
        "expiredate",
        "inactive",
        "skel",
        "key",
    ],
);

fn usermod(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    // `-L` and `-U` take no value, `-aG` is two letters; what matters is told from the words around them.
    let options = Options::of(call.args, &USERMOD);
    let zero = options.value(&["u", "uid"]).is_some_and(|uid| uid.text == "0");
    let powerful = options.values(&["G", "groups", "g", "gid", "ingroup"]).any(|groups| is_powerful(&groups.text));
    let added = call.name == "adduser" && options.operands.len() == 2 && is_powerful(options.word(1));
    if zero || powerful || added || options.has(&["o", "non-unique"]) {
        gains(doing, "makes an account as powerful as root");
    } else if call.name == "usermod" && options.has(&["p", "password"]) {
        gains(doing, "sets the password of an account");
    }
}

fn gpasswd(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("adAMQ", &["add", "delete", "administrators", "members"]));
    if options.has(&["a", "add", "M", "A"]) && options.operands.iter().any(|group| is_powerful(&group.text)) {
        gains(doing, "makes an account as powerful as root");
    }
}

fn addgroup(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("gG", &["gid"]));
    if options.operands.len() == 2 && is_powerful(options.word(1)) {
        gains(doing, "makes an account as powerful as root");
    }
}

fn userdel(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("RP", &["root", "prefix", "backup-to"]));
    if only_asks(call.args) || !options.has(&["r", "remove", "remove-home", "remove-all-files"]) {
        return;
    }
    for name in &options.operands {
        doing.deletes(&Arg::known(format!("~{}", name.text)), Flags::from(Flag::Recursive).with(Flag::Force));
    }
}

fn passwd(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("xnwir", &["maxdays", "mindays", "warndays", "inactive"]));
    if only_asks(call.args) || options.has(&["S", "status", "e", "expire", "l", "lock"]) {
        return;
    }
    if options.has(&["d", "delete"]) {
        gains(doing, "lets an account in without a password");
    } else if options.word(0) == "root" || options.has(&["stdin"]) || call.stdin.is_some() {
        gains(doing, "sets the password of an account");
    }
}

fn chpasswd(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if !only_asks(call.args) {
        gains(doing, "sets the passwords of accounts");
    }
}

fn visudo(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("fx", &["file", "export"]));
    let looks = only_asks(call.args) || options.has(&["c", "check", "x", "V", "h"]);
    if !looks {
        gains(doing, "changes who may come in, or run what as root");
    }
}

fn directory(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let has = |word: &str| call.args.iter().any(|arg| arg.text.eq_ignore_ascii_case(word));
    let powerful = call.args.iter().any(|arg| is_powerful(arg.text.rsplit('/').next().unwrap_or_default()));
    let adds =
        ["-append", "-merge", "-create", "/add", "-a", "usermod", "useradd", "-passwd"].iter().any(|word| has(word));
    let admin = has("-admin") || has("-resetPasswordFor");
    if adds && powerful || admin {
        gains(doing, "makes an account as powerful as root");
    } else if call.name.starts_with("net") && has("user") && has("/add") {
        gains(doing, "makes an account");
    }
    if call.name == "dscl" && has("-read") && call.args.iter().any(|arg| arg.text.contains("ShadowHash")) {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "reads the hash of a password");
    }
}

//! Commands that carry files to and from hosts.

use super::{Sent, network_stuff, talks};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks, part};

const SCP: Spec = Spec::new("cDFiJloPSXbBR", &[]);

/// `scp` and `sftp`: `[user@]host:path` is elsewhere, everything else is here.
pub(super) fn scp(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &SCP);
    for option in options.values(&["o"]) {
        proxied(option, doing);
    }
    for program in options.values(&["S"]) {
        doing.runs(invocation.name, std::slice::from_ref(program), None);
    }
    if invocation.name == "sftp" {
        return sftp(&options, invocation, doing);
    }
    let Some((to, from)) = options.operands.split_last() else { return };
    let mut sent = Sent::default();
    for path in from {
        if is_remote(&path.text) {
            talks(path, Flag::Download.into(), &Sent::default(), doing);
        } else {
            sent.file(path, None, doing);
        }
    }
    if is_remote(&to.text) {
        talks(to, Flag::Upload.into(), &sent, doing);
        return;
    }
    for path in from.iter().filter(|path| is_remote(&path.text)) {
        let name = path.text.rsplit(['/', ':']).next().unwrap_or_default();
        let folder = to.text.ends_with('/') || matches!(to.text.as_str(), "." | ".." | "~");
        let to = if folder { part(to, &format!("{}/{name}", to.text.trim_end_matches('/'))) } else { to.clone() };
        doing.puts(&to, network_stuff(), false);
    }
}

/// ssh options that run a command here.
fn proxied(option: &Arg, doing: &mut Doing<'_, '_>) {
    let (name, command) = option.text.split_once(['=', ' ']).unwrap_or((&option.text, ""));
    if ["proxycommand", "localcommand", "knownhostscommand"].contains(&name.trim().to_ascii_lowercase().as_str()) {
        let script = crate::arg::Stuff { text: Some(command.trim().into()), from: option.from };
        doing.runs_script("ssh -o", &script, &[], None);
    }
}

/// `host:path`, but not `./a:b` and not a drive letter.
fn is_remote(text: &str) -> bool {
    if text.starts_with("scp://") || text.starts_with("sftp://") {
        return true;
    }
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/') && host.len() > 1)
}

fn sftp(options: &Options, invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut sent = Sent::default();
    if let Some(text) = invocation.stdin.and_then(|stdin| stdin.text.clone()) {
        puts_of(&text, &mut sent, doing);
    }
    if let Some(batch) = options.value(&["b"]).filter(|batch| batch.text != "-")
        && let Some(text) = doing.reads(batch).text
    {
        puts_of(&text, &mut sent, doing);
    }
    if let Some(host) = options.operands.first() {
        talks(host, Flags::NONE.with(Flag::Download).with_if(Flag::Upload, sent.any), &sent, doing);
    }
}

/// The files that a script of `put` commands sends.
fn puts_of(script: &str, sent: &mut Sent, doing: &mut Doing<'_, '_>) {
    for line in script.split(['\n', ';']) {
        let mut words = line.split_whitespace();
        if matches!(words.next(), Some("put" | "mput" | "send" | "reput" | "mirror" | "append")) {
            for word in words.filter(|word| !word.starts_with('-')).take(4) {
                sent.file(&Arg::known(word), None, doing);
            }
        }
    }
}

const FTP: Spec = Spec::new("ecuphPmUAW", &["user", "env-password", "mode"]);

/// `ftp`, `lftp`, `tftp`, `ncftpput`, `smbclient`: scripts of `put` and `get`.
pub(super) fn ftp(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &FTP);
    if only_asks(invocation.args) {
        return;
    }
    let mut sent = Sent::default();
    if let Some(text) = invocation.stdin.and_then(|stdin| stdin.text.clone()) {
        puts_of(&text, &mut sent, doing);
    }
    for script in options.values(&["e", "c"]) {
        puts_of(&script.text, &mut sent, doing);
    }
    let words = &options.operands;
    match invocation.name {
        "ncftpput" => words.iter().skip(2).for_each(|path| sent.file(path, None, doing)),
        "tftp" => {
            let after = words.iter().skip_while(|word| word.text != "put").skip(1).take(1);
            after.for_each(|path| sent.file(path, None, doing));
        }
        _ => {}
    }
    if let Some(host) = words.first() {
        talks(host, Flags::NONE.with(Flag::Download).with_if(Flag::Upload, sent.any), &sent, doing);
    }
}

/// `croc send`, `wormhole send`: to whoever knows the words.
pub(super) fn hand_over(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &Spec::new("c", &["code", "text", "relay", "relay-url", "pass"]));
    if !matches!(options.word(0), "send" | "tx" | "upload")
        && invocation.name != "transfer"
        && invocation.name != "ffsend"
    {
        return;
    }
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin {
        sent.add(stdin.from);
    }
    for text in options.values(&["text"]) {
        sent.word(text);
    }
    for path in options.operands.iter().filter(|path| !matches!(path.text.as_str(), "send" | "tx" | "upload")) {
        sent.file(path, None, doing);
    }
    let kind = if sent.from.secret { Kind::SendSecret } else { Kind::Network };
    doing.does(kind, Flag::Upload.into(), "sends files to whoever knows the code");
}

const RCLONE: Spec = Spec::new(
    "P",
    &["config", "include", "exclude", "filter", "transfers", "checkers", "bwlimit", "max-age", "min-age"],
)
.flags(&["dry-run", "interactive", "help", "version", "progress"]);

pub(super) fn rclone(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &RCLONE);
    if only_asks(invocation.args) || options.has(&["dry-run", "n"]) {
        return;
    }
    let is_remote = |arg: &&Arg| arg.text.contains(':') && !arg.text.starts_with(['/', '.', '~']);
    match options.word(0) {
        "purge" | "delete" | "deletefile" | "rmdirs" | "rmdir" | "cleanup" => match options.operands.get(1) {
            Some(path) if is_remote(&path) => {
                doing.does(Kind::Infra, Flag::Remote.into(), "deletes files in a cloud storage")
            }
            Some(path) => doing.deletes(path, Flags::NONE.with(Flag::Recursive).with(Flag::Force)),
            None => {}
        },
        verb @ ("copy" | "copyto" | "sync" | "move" | "moveto" | "bisync" | "rcat") => {
            let mut sent = Sent::default();
            if verb == "rcat"
                && let Some(stdin) = invocation.stdin
            {
                sent.add(stdin.from);
            }
            for path in options.operands.iter().skip(1).take(1).filter(|path| !is_remote(path) && verb != "rcat") {
                sent.file(path, None, doing);
            }
            let Some(to) = options.operands.last() else { return };
            if verb == "sync" && is_remote(&to) {
                doing.does(Kind::Infra, Flag::Remote.into(), "deletes files in a cloud storage that are not here");
            }
            if is_remote(&to) {
                talks(to, Flag::Upload.into(), &sent, doing);
            } else if verb == "sync" {
                doing.deletes(to, Flags::NONE.with(Flag::Recursive));
            }
        }
        "config" if matches!(options.word(1), "show" | "dump" | "userinfo") => {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints the credentials of cloud storages");
        }
        "reveal" => doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a hidden password"),
        _ => {}
    }
}

const MAIL: Spec =
    Spec::new("sarcbACSFfHiqT", &["attach", "to", "from", "subject", "body", "server", "header", "attach-file"]);

pub(super) fn mail(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &MAIL);
    if only_asks(invocation.args) {
        return;
    }
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin {
        sent.add(stdin.from);
    }
    for path in options.values(&["a", "A", "attach", "attach-file", "i", "q"]) {
        sent.file(path, invocation.stdin, doing);
    }
    for text in options.values(&["s", "subject", "body"]) {
        sent.word(&part(text, &text.text));
    }
    let to = options.operands.first().or_else(|| options.value(&["to"]));
    let to = to.map_or("somebody", |to| to.text.as_str());
    match sent.from.secret {
        true => doing.does(Kind::SendSecret, Flag::Upload.into(), format!("mails a credential to {to}")),
        false => doing.does(Kind::Network, Flag::Upload.into(), format!("mails {to}")),
    }
}

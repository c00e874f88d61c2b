//! Raw connections: nc, socat and tunnels. What hangs at the other end of them matters most.

use super::{Sent, network_stuff, talks};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks, part};

const NC: Spec = Spec::new(
    "eciIpPqsTwxXogGmMWO",
    &[
        "exec",
        "sh-exec",
        "lua-exec",
        "source",
        "source-port",
        "wait",
        "idle-timeout",
        "delay",
        "proxy",
        "proxy-type",
        "proxy-auth",
        "output",
        "hex-dump",
        "max-conns",
        "ssl-cert",
        "ssl-key",
        "ssl-trustfile",
        "ssl-ciphers",
    ],
)
.flags(&["listen", "keep-open", "help", "version", "zero", "udp", "ssl", "verbose"]);

pub(super) fn nc(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &NC);
    // In the BSD netcat `-c` stands alone; as a letter it hardly swallows anything of weight then.
    if only_asks(invocation.args) || options.has(&["h"]) {
        return;
    }
    let listens = options.has(&["l", "listen", "L"]);
    for command in options.values(&["e", "exec", "c", "sh-exec", "lua-exec"]) {
        handed_over(command, "nc", doing);
    }
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin {
        sent.add(stdin.from);
        steered(stdin, doing);
        let text = stdin.text.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
        if text.starts_with("flush_all") || text.starts_with("flushall") || text.starts_with("flushdb") {
            doing.does(Kind::Database, Flag::Remote.into(), "empties a cache or database");
        }
    }
    let scans = options.has(&["z", "zero"]);
    let flags =
        Flags::NONE.with_if(Flag::Listen, listens).with_if(Flag::Upload, sent.any).with_if(Flag::Download, !scans);
    match options.operands.first().filter(|_| !options.has(&["U"])) {
        Some(host) if !listens || sent.from.secret => talks(host, flags, &sent, doing),
        _ => doing.does(Kind::Network, flags, "waits for a connection"),
    }
    if !scans {
        doing.prints(network_stuff());
    }
}

/// What a shell prints goes to a host: the other half of a shell that somebody else steers.
fn steered(stdin: &Stuff, doing: &mut Doing<'_, '_>) {
    if stdin.from.shell {
        doing.does(Kind::ReverseShell, Flags::NONE, "hands a shell to whoever is at the other end");
    }
}

/// A command whose input and output are the connection.
fn handed_over(command: &Arg, via: &str, doing: &mut Doing<'_, '_>) {
    if is_shell(&command.text) {
        doing.does(Kind::ReverseShell, Flags::NONE, "hands a shell to whoever is at the other end");
        return;
    }
    let script = Stuff { text: Some(command.text.as_str().into()), from: command.from };
    doing.runs_script(via, &script, &[], Some(&network_stuff()));
}

/// Whether a command gives its input to an interpreter.
fn is_shell(command: &str) -> bool {
    const SHELLS: &[&str] = &[
        "sh",
        "bash",
        "zsh",
        "dash",
        "ash",
        "ksh",
        "fish",
        "csh",
        "tcsh",
        "busybox",
        "cmd",
        "cmd.exe",
        "powershell",
        "powershell.exe",
        "pwsh",
        "python",
        "python2",
        "python3",
        "perl",
        "ruby",
        "node",
        "irb",
        "php",
        "login",
        "su",
    ];
    let words =
        command.split_whitespace().filter(|word| !matches!(*word, "exec" | "env" | "sudo" | "setsid" | "nohup"));
    let mut words =
        words.skip_while(|word| word.starts_with('-') || word.contains('=')).map(|word| word.trim_matches(['"', '\'']));
    // `env -u X sh`: what an option of the wrapper takes is hardly ever a shell.
    words.any(|word| SHELLS.contains(&word.rsplit('/').next().unwrap_or_default())) && !command.contains(" -c ")
}

/// `socat ADDRESS ADDRESS`: each is `KIND:parameter:…,option,…`.
pub(super) fn socat(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &Spec::new("bdtTlLsxvf", &[]).attached("ldDhuUV"));
    if only_asks(invocation.args) || options.has(&["h", "V"]) {
        return;
    }
    let ends: Vec<End> = options.operands.iter().map(|word| End::of(word, doing)).collect();
    let connected = ends.iter().any(|end| end.host.is_some() || end.listens);
    let mut sent = Sent::default();
    for end in &ends {
        if let Some(stuff) = &end.read {
            sent.add(stuff.from);
        }
        if let Some(command) = end.command.as_ref()
            && (connected || !is_shell(&command.text))
        {
            handed_over(command, "socat", doing);
        }
        if end.is_stdin
            && let Some(stdin) = invocation.stdin
        {
            sent.add(stdin.from);
            steered(stdin, doing);
        }
    }
    for end in &ends {
        match &end.host {
            Some(host) => talks(host, Flags::NONE.with_if(Flag::Upload, sent.any).with(Flag::Download), &sent, doing),
            None if end.listens => doing.does(Kind::Network, Flag::Listen.into(), "waits for a connection"),
            None => {}
        }
    }
    if connected {
        doing.prints(network_stuff());
    }
}

/// One end of a socat.
#[derive(Default)]
struct End {
    host: Option<Arg>,
    listens: bool,
    command: Option<Arg>,
    read: Option<Stuff>,
    is_stdin: bool,
}

impl End {
    fn of(word: &Arg, doing: &mut Doing<'_, '_>) -> Self {
        let (kind, rest) = word.text.split_once(':').unwrap_or((&word.text, ""));
        let kind = kind.split(',').next().unwrap_or_default().to_ascii_lowercase();
        let first = rest.split(',').next().unwrap_or_default();
        let mut end = Self::default();
        match kind.as_str() {
            "exec" | "system" | "shell" => {
                let command = if first.is_empty() { "sh" } else { first };
                let command = command.replace("\\\"", "\"");
                let bare = ['"', '\''].iter().find_map(|quote| command.strip_prefix(*quote)?.strip_suffix(*quote));
                end.command = Some(part(word, bare.unwrap_or(&command)));
            }
            "open" | "file" | "gopen" | "create" => {
                let folder = rest.split(',').find_map(|option| option.strip_prefix("chdir="));
                let path = first.trim_matches(['"', '\'']);
                let path = folder.map_or_else(|| path.to_owned(), |folder| format!("{folder}/{path}"));
                end.read = Some(doing.reads(&part(word, &path)));
            }
            "-" | "stdin" | "stdio" | "fd" | "0" => end.is_stdin = true,
            kind if kind.contains("listen") || kind.contains("recv") || kind.ends_with("-l") => end.listens = true,
            kind if is_connection(kind) => end.host = Some(part(word, first)),
            _ if word.text.starts_with(['/', '.']) => {
                end.read = Some(doing.reads(&part(word, word.text.split(',').next().unwrap_or_default())))
            }
            _ => {}
        }
        end
    }
}

fn is_connection(kind: &str) -> bool {
    ["tcp", "udp", "openssl", "ssl", "sctp", "dccp", "proxy", "socks", "quic", "ip", "interface"]
        .iter()
        .any(|start| kind.starts_with(start))
}

pub(super) fn telnet(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &Spec::new("lbenSX", &[]));
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin {
        sent.add(stdin.from);
        steered(stdin, doing);
    }
    if let Some(host) = options.operands.first() {
        talks(host, Flags::NONE.with_if(Flag::Upload, sent.any).with(Flag::Download), &sent, doing);
        doing.prints(network_stuff());
    }
}

pub(super) fn websocket(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options =
        Options::of(invocation.args, &Spec::new("HBclxs", &["header", "exec", "connect", "listen", "protocol"]));
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin {
        sent.add(stdin.from);
        steered(stdin, doing);
    }
    for word in options.operands.iter().chain(options.values(&["c", "connect"])) {
        if let Some(command) = ["exec:", "sh-c:", "cmd:"].iter().find_map(|start| word.text.strip_prefix(start)) {
            handed_over(&part(word, command), "websocat", doing);
        } else {
            talks(word, Flags::NONE.with_if(Flag::Upload, sent.any).with(Flag::Download), &sent, doing);
        }
    }
    doing.prints(network_stuff());
}

/// Tunnels let others in. To open one is ordinary; what is behind it is said elsewhere.
pub(super) fn tunnel(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(invocation.args) || invocation.args.is_empty() {
        return;
    }
    doing.does(Kind::Network, Flag::Listen.into(), "opens a tunnel from outside to this machine");
}

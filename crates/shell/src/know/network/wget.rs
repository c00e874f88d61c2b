//! wget and other commands that fetch.

use super::{Sent, hosts, name_of, network_stuff, talks};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags};
use crate::know::options::{Options, Spec, part};

const WGET: Spec = Spec::new(
    "OPoaieBtTwQURADlIX",
    &[
        "output-document",
        "directory-prefix",
        "output-file",
        "append-output",
        "input-file",
        "execute",
        "base",
        "tries",
        "timeout",
        "wait",
        "quota",
        "user-agent",
        "post-data",
        "post-file",
        "body-data",
        "body-file",
        "method",
        "header",
        "user",
        "password",
        "http-user",
        "http-password",
        "ftp-user",
        "ftp-password",
        "use-askpass",
        "referer",
        "load-cookies",
        "save-cookies",
        "level",
        "reject",
        "accept",
        "domains",
        "exclude-domains",
        "include-directories",
        "limit-rate",
        "certificate",
        "private-key",
        "ca-certificate",
        "ca-directory",
        "bind-address",
        "config",
        "warc-file",
        "cut-dirs",
        "max-redirect",
        "restrict-file-names",
        "default-page",
        "waitretry",
        "dns-timeout",
        "connect-timeout",
        "read-timeout",
        "start-pos",
        "progress",
        "report-speed",
        "compression",
        "secure-protocol",
        "regex-type",
        "accept-regex",
        "reject-regex",
    ],
)
.flags(&[
    "spider",
    "help",
    "version",
    "quiet",
    "recursive",
    "mirror",
    "continue",
    "no-check-certificate",
    "delete-after",
]);

pub(super) fn wget(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &WGET);
    if options.has(&["V", "version", "h", "help"]) {
        return;
    }
    let mut sent = Sent::default();
    for path in options.values(&["post-file", "body-file"]) {
        sent.file(path, invocation.stdin, doing);
    }
    for word in options.values(&["post-data", "body-data"]) {
        sent.word(word);
    }
    for header in options.values(&["header", "U", "user-agent", "referer"]).filter(|header| header.from.secret) {
        let name = header.text.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if !["authorization", "token", "key", "auth", "cookie"].iter().any(|word| name.contains(word)) {
            sent.word(header);
        }
    }
    for command in options.values(&["use-askpass"]) {
        doing.runs("wget", std::slice::from_ref(command), None);
    }
    for path in
        options.values(&["o", "output-file", "a", "append-output", "save-cookies"]).filter(|path| path.text != "-")
    {
        doing.overwrites(path, Flags::NONE);
    }
    let deletes = options.value(&["method"]).is_some_and(|method| method.text.eq_ignore_ascii_case("DELETE"));
    let flags = Flags::NONE.with(Flag::Download).with_if(Flag::Upload, sent.any);
    let file = options.value(&["O", "output-document"]);
    let folder = options.value(&["P", "directory-prefix"]);
    let kept = !options.has(&["spider", "delete-after"]);
    for address in addresses(&options, invocation.stdin, doing) {
        if let Some((kind, what)) = hosts::deletes(&address.text).filter(|_| deletes) {
            doing.does(kind, Flag::Remote.into(), what);
        }
        talks(&address, flags, &sent, doing);
        if kept && doing.walk.step(1) {
            keep(&address, file, folder, doing);
        }
    }
}

/// Those on the command line and those in a list that is known.
fn addresses(options: &Options, stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) -> Vec<Arg> {
    let mut addresses = options.operands.clone();
    for list in options.values(&["i", "input-file"]) {
        let stuff = if list.text == "-" { stdin.cloned().unwrap_or_default() } else { doing.reads(list) };
        if let Some(text) = stuff.text {
            addresses.extend(text.lines().map(|line| Arg {
                text: line.to_owned(),
                from: stuff.from,
                ..Arg::default()
            }));
        }
    }
    addresses
}

fn keep(address: &Arg, file: Option<&Arg>, folder: Option<&Arg>, doing: &mut Doing<'_, '_>) {
    match file {
        Some(path) if path.text == "-" => return doing.prints(network_stuff()),
        Some(path) => return doing.puts(path, network_stuff(), false),
        None => {}
    }
    let name = name_of(&address.text).unwrap_or("index.html");
    match folder {
        Some(folder) => {
            let path = part(folder, &format!("{}/{name}", folder.text.trim_end_matches('/')));
            doing.puts(&path, network_stuff(), false);
        }
        None => doing.puts(&part(address, name), network_stuff(), false),
    }
}

const DOWNLOADER: Spec = Spec::new(
    "odiSsxjknHUT",
    &[
        "out",
        "output",
        "dir",
        "input-file",
        "header",
        "user-agent",
        "max-connection-per-server",
        "split",
        "checksum",
        "log",
        "ftp-user",
        "ftp-passwd",
        "http-user",
        "http-passwd",
        "on-download-complete",
        "on-download-start",
        "on-download-error",
        "on-bt-download-complete",
        "conf-path",
        "max-download-limit",
        "max-speed",
        "num-connections",
    ],
)
.flags(&["help", "version"]);

/// aria2c and axel.
pub(super) fn downloader(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &DOWNLOADER);
    if options.has(&["help", "version", "h", "v", "V"]) {
        return;
    }
    for hook in
        options.values(&["on-download-complete", "on-download-start", "on-download-error", "on-bt-download-complete"])
    {
        doing.runs("aria2c", std::slice::from_ref(hook), None);
    }
    let file = options.value(&["o", "out", "output"]);
    let folder = options.value(&["d", "dir"]);
    for address in addresses(&options, invocation.stdin, doing) {
        if !address.text.contains(':') {
            continue;
        }
        talks(&address, Flag::Download.into(), &Sent::default(), doing);
        let name = file.map(|path| path.text.as_str()).or_else(|| name_of(&address.text));
        let Some(name) = name else { continue };
        let path = match folder {
            Some(folder) => part(folder, &format!("{}/{name}", folder.text.trim_end_matches('/'))),
            None => part(&address, name),
        };
        doing.puts(&path, network_stuff(), false);
    }
}

/// Browsers for the terminal: with `-dump` or `-source` they print what they fetch.
pub(super) fn browser(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    for address in invocation.args.iter().filter(|arg| !arg.text.starts_with('-') && arg.text.contains(['.', ':', '/']))
    {
        if let Some(path) =
            address.text.strip_prefix("file://").or(Some(address.text.as_str()).filter(|path| path.starts_with('/')))
        {
            let stuff = doing.reads(&part(address, path));
            doing.prints(stuff);
        } else {
            talks(address, Flag::Download.into(), &Sent::default(), doing);
            doing.prints(network_stuff());
        }
    }
}

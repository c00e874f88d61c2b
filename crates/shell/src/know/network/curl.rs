//! curl, and httpie with its likes.

use super::{Sent, hosts, name_of, network_stuff, talks};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, part};

const CURL: Spec = Spec::new(
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    &[
        "url",
        "output",
        "output-dir",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "url-query",
        "json",
        "form",
        "form-string",
        "upload-file",
        "header",
        "proxy-header",
        "user",
        "proxy-user",
        "user-agent",
        "referer",
        "cookie",
        "cookie-jar",
        "request",
        "config",
        "cert",
        "key",
        "pass",
        "cacert",
        "capath",
        "proxy",
        "preproxy",
        "noproxy",
        "unix-socket",
        "abstract-unix-socket",
        "max-time",
        "connect-timeout",
        "retry",
        "retry-delay",
        "retry-max-time",
        "write-out",
        "dump-header",
        "trace",
        "trace-ascii",
        "stderr",
        "range",
        "continue-at",
        "limit-rate",
        "resolve",
        "connect-to",
        "interface",
        "local-port",
        "ciphers",
        "tls-max",
        "oauth2-bearer",
        "quote",
        "mail-from",
        "mail-rcpt",
        "netrc-file",
        "time-cond",
        "speed-limit",
        "speed-time",
        "max-redirs",
        "socks5",
        "socks5-hostname",
        "socks4",
        "hostpubmd5",
        "pubkey",
        "libcurl",
        "etag-save",
        "etag-compare",
        "dns-servers",
        "doh-url",
        "aws-sigv4",
        "variable",
        "expand-url",
        "expand-data",
        "expand-header",
        "max-filesize",
        "parallel-max",
        "create-file-mode",
        "telnet-option",
        "proto",
        "proto-default",
        "proto-redir",
        "keepalive-time",
        "request-target",
        "rate",
    ],
)
.flags(&["get", "head", "remote-name", "remote-name-all", "version", "help", "manual", "silent", "fail", "location"]);

/// `@file`, `name@file` or `name=@file` inside these stand for what the file holds.
const BODIES: &[&str] =
    &["d", "data", "data-ascii", "data-binary", "data-urlencode", "json", "url-query", "expand-data"];

pub(super) fn curl(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut options = Options::of(invocation.args, &CURL);
    for file in options.values(&["K", "config"]).cloned().collect::<Vec<_>>() {
        configured(&file, invocation.stdin, &mut options, doing);
    }
    if options.has(&["V", "version", "h", "help", "M", "manual"]) {
        return;
    }
    let sent = sent(&options, invocation.stdin, doing);
    let addresses: Vec<Arg> = options.operands.iter().chain(options.values(&["url", "expand-url"])).cloned().collect();
    let uploads = sent.any || options.has(&["T", "upload-file"]);
    let flags = Flags::NONE.with(Flag::Download).with_if(Flag::Upload, uploads);
    let all_named = options.has(&["remote-name-all"]);
    let request = Request::of(&options);
    let outputs = outputs(&options);
    let folder = options.value(&["output-dir"]);
    for (at, address) in addresses.iter().enumerate() {
        let stuff = match address.text.strip_prefix("file://") {
            Some(path) => doing.reads(&part(address, path)),
            None => {
                request.to(address, doing);
                talks(address, flags, &sent, doing);
                network_stuff()
            }
        };
        if !doing.walk.step(1) {
            return;
        }
        let output = outputs.get(at).copied().unwrap_or(if all_named { Output::Named } else { Output::Printed });
        keep(address, output, folder, stuff, doing);
    }
    for path in options.values(&[
        "D",
        "dump-header",
        "c",
        "cookie-jar",
        "trace",
        "trace-ascii",
        "stderr",
        "libcurl",
        "etag-save",
    ]) {
        if path.text != "-" {
            doing.overwrites(path, Flags::NONE);
        }
    }
}

/// All that goes out besides the address itself.
fn sent(options: &Options, stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) -> Sent {
    let mut sent = Sent::default();
    for given in &options.given {
        let Some(value) = &given.value else { continue };
        match given.name.as_str() {
            name if BODIES.contains(&name) => body(value, name, stdin, &mut sent, doing),
            "data-raw" | "form-string" | "variable" => sent.word(value),
            "F" | "form" => form(value, stdin, &mut sent, doing),
            "T" | "upload-file" => sent.file(value, stdin, doing),
            "H" | "header" | "proxy-header" | "expand-header" => header(value, stdin, &mut sent, doing),
            "A" | "user-agent" | "e" | "referer" if value.from.secret => sent.word(value),
            "b" | "cookie" if !value.text.contains('=') => sent.file(value, stdin, doing),
            _ => {}
        }
    }
    sent
}

fn body(value: &Arg, name: &str, stdin: Option<&Stuff>, sent: &mut Sent, doing: &mut Doing<'_, '_>) {
    let file = match value.text.split_once('@') {
        Some(("", file)) => Some(file),
        Some((before, file)) if matches!(name, "data-urlencode" | "url-query") && !before.contains('=') => Some(file),
        _ => None,
    };
    match file {
        Some(file) => sent.file(&part(value, file), stdin, doing),
        None => sent.word(value),
    }
}

/// `name=@file;type=x`, `name=<file`, several files after commas.
fn form(value: &Arg, stdin: Option<&Stuff>, sent: &mut Sent, doing: &mut Doing<'_, '_>) {
    let content = value.text.split_once('=').map_or("", |(_, content)| content);
    let Some(files) = content.strip_prefix(['@', '<']) else {
        return sent.word(value);
    };
    for file in files.split(',') {
        let file = file.split(";type=").next().unwrap_or_default().split(";filename=").next().unwrap_or_default();
        sent.file(&part(value, file.trim_matches('"')), stdin, doing);
    }
}

/// One's own token in the header that is made for it is how services are used; a credential in any other header is
/// carried out.
fn header(value: &Arg, stdin: Option<&Stuff>, sent: &mut Sent, doing: &mut Doing<'_, '_>) {
    if let Some(file) = value.text.strip_prefix('@') {
        return sent.file(&part(value, file), stdin, doing);
    }
    let name = value.text.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    if value.from.secret && !proves_identity(&name) {
        sent.word(value);
    }
}

fn proves_identity(header: &str) -> bool {
    ["authorization", "token", "api-key", "apikey", "auth", "cookie", "secret", "access-key", "password", "session"]
        .iter()
        .any(|word| header.contains(word))
}

/// How an address is asked.
struct Request {
    method: String,
    /// Through the socket of a container engine.
    to_engine: bool,
}

impl Request {
    fn of(options: &Options) -> Self {
        let socket = options.value(&["unix-socket", "abstract-unix-socket"]).map_or("", |path| path.text.as_str());
        Self {
            method: options.value(&["X", "request"]).map_or(String::new(), |method| method.text.to_ascii_uppercase()),
            to_engine: ["docker", "podman", "containerd", "crio"].iter().any(|engine| socket.contains(engine)),
        }
    }

    /// Methods and paths that destroy things.
    fn to(&self, address: &Arg, doing: &mut Doing<'_, '_>) {
        let deletes = self.method == "DELETE";
        if self.to_engine && (deletes || address.text.contains("/prune")) {
            return doing.does(Kind::Infra, Flags::NONE, "deletes containers, images or volumes");
        }
        if self.to_engine && ["/containers/create", "/exec"].iter().any(|path| address.text.contains(path)) {
            let what = "starts a program with the rights of the container engine";
            return doing.does(Kind::Escalate, Flag::Force.into(), what);
        }
        if (deletes || address.text.contains("_delete_by_query"))
            && let Some((kind, what)) = hosts::deletes(&address.text)
        {
            doing.does(kind, Flag::Remote.into(), what);
        }
    }
}

/// Where an answer goes: each `-o` and `-O` belongs to one address, in their order.
#[derive(Clone, Copy)]
enum Output<'a> {
    File(&'a Arg),
    /// A file with the name that the address ends with.
    Named,
    Printed,
}

fn outputs(options: &Options) -> Vec<Output<'_>> {
    let output =
        |given: &'_ crate::know::options::Given| matches!(given.name.as_str(), "o" | "output" | "O" | "remote-name");
    let kept = options.given.iter().filter(|given| output(given));
    kept.map(|given| given.value.as_ref().map_or(Output::Named, Output::File)).collect()
}

fn keep(address: &Arg, output: Output<'_>, folder: Option<&Arg>, stuff: Stuff, doing: &mut Doing<'_, '_>) {
    let in_folder = |name: &str| match folder.filter(|_| !name.starts_with('/')) {
        Some(folder) => part(folder, &format!("{}/{name}", folder.text.trim_end_matches('/'))),
        None => part(address, name),
    };
    match output {
        Output::File(path) if path.text == "-" => doing.prints(stuff),
        Output::File(path) if folder.is_none() => doing.puts(path, stuff, false),
        Output::File(path) => doing.puts(&in_folder(&path.text), stuff, false),
        Output::Named => {
            if let Some(name) = name_of(&address.text) {
                doing.puts(&in_folder(name), stuff, false);
            }
        }
        Output::Printed => doing.prints(stuff),
    }
}

/// A file of options: `url = "https://…"`, `-o x`, `data @file`.
fn configured(file: &Arg, stdin: Option<&Stuff>, options: &mut Options, doing: &mut Doing<'_, '_>) {
    let stuff = if file.text == "-" { stdin.cloned().unwrap_or_default() } else { doing.reads(file) };
    let Some(text) = stuff.text else { return };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, value) = line.split_once([' ', '=', ':', '\t']).unwrap_or((line, ""));
        let value = value.trim_start_matches([' ', '=', ':', '\t']).trim().trim_matches('"');
        let dashes = if name.starts_with('-') { "" } else { "--" };
        let mut words = vec![Arg { text: format!("{dashes}{name}"), from: stuff.from, ..Arg::default() }];
        if !value.is_empty() {
            words.push(Arg { text: value.to_owned(), from: stuff.from, ..Arg::default() });
        }
        options.given.extend(Options::of(&words, &CURL).given);
    }
}

const HTTPIE: Spec = Spec::new(
    "oaAs",
    &[
        "output",
        "auth",
        "auth-type",
        "session",
        "session-read-only",
        "proxy",
        "verify",
        "cert",
        "cert-key",
        "timeout",
        "print",
        "style",
        "pretty",
        "raw",
        "max-redirects",
        "boundary",
        "default-scheme",
        "ssl",
        "path-as-is",
        "bearer",
    ],
)
.flags(&["offline", "download", "form", "json", "multipart", "help", "version"]);

/// `http [METHOD] URL [name=value | name==query | Name:header | name@file | name=@file]…`
pub(super) fn httpie(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &HTTPIE);
    if options.has(&["offline", "help", "version"]) {
        return;
    }
    let is_method = |word: &str| {
        ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].contains(&word.to_ascii_uppercase().as_str())
    };
    let skip = usize::from(is_method(options.word(0)));
    let Some(address) = options.operands.get(skip) else { return };
    let mut sent = Sent::default();
    if let Some(stdin) = invocation.stdin.filter(|_| !options.has(&["ignore-stdin", "I"])) {
        sent.add(stdin.from);
    }
    for item in &options.operands[skip + 1..] {
        let at = item.text.find(['=', ':', '@']).unwrap_or(0);
        let (name, content) = (&item.text[..at], &item.text[at..]);
        let file = [":=@", "=@", ":@", "@"].iter().find_map(|mark| content.strip_prefix(mark));
        match file {
            Some(file) => sent.file(&part(item, file), None, doing),
            None if content.starts_with(':') && !content.starts_with(":=") => header(item, None, &mut sent, doing),
            None if name.is_empty() => {}
            None => sent.word(item),
        }
    }
    if let Some(raw) = options.value(&["raw"]) {
        sent.word(raw);
    }
    if skip == 1
        && options.word(0).eq_ignore_ascii_case("DELETE")
        && let Some((kind, what)) = hosts::deletes(&address.text)
    {
        doing.does(kind, Flag::Remote.into(), what);
    }
    talks(address, Flags::NONE.with(Flag::Download).with_if(Flag::Upload, sent.any), &sent, doing);
    match options.value(&["o", "output"]) {
        Some(path) => doing.puts(path, network_stuff(), false),
        None if options.has(&["d", "download"]) => {
            if let Some(name) = name_of(&address.text) {
                doing.puts(&part(address, name), network_stuff(), false);
            }
        }
        None => doing.prints(network_stuff()),
    }
}

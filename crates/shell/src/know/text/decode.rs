//! Encodings, compression, encryption: what comes out is another text than what went in.

use super::format::text_of;
use super::{blurred, gather, input};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "base64" | "gbase64" | "base32" | "base16" | "base58" | "basenc" | "base91" | "base85" | "base45" => base,
        "xxd" => xxd,
        "zcat" | "gzcat" | "bzcat" | "xzcat" | "zstdcat" | "lz4cat" | "zmore" | "uudecode" | "lzcat" | "gzexe" => {
            unpack
        }
        "uuencode" | "ascii2uni" | "hashid" => reads_blurred,
        "openssl" => openssl,
        "age" | "rage" | "ccrypt" | "sops" | "ansible-vault" | "mcrypt" => decrypts,
        _ => return None,
    })
}

fn reads_blurred(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("", &[]));
    let content = gather(&options.operands, call, doing);
    doing.prints(blurred(content));
}

fn base(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let spec = Spec::new("wbio", &["wrap", "input", "output", "break"]).flags(&["decode", "ignore-garbage"]);
    let options = Options::of(call.args, &spec);
    let from_option: Vec<&Arg> = options.values(&["i", "input"]).collect();
    let files = from_option.into_iter().chain(&options.operands).collect::<Vec<_>>();
    // `-i` has no value where it means to ignore what is not of the alphabet.
    let files = files.into_iter().filter(|file| !file.text.is_empty()).collect::<Vec<_>>();
    let decodes = options.has(&["d", "D", "decode"]);
    let mut content = gather(files, call, doing);
    let kind = if call.name == "basenc" {
        options.given.iter().map(|given| given.name.as_str()).find(|name| name.starts_with("base")).unwrap_or("base64")
    } else {
        call.name
    };
    content.text = content.text.and_then(|text| match (kind, decodes) {
        ("base64" | "gbase64" | "base64url", true) => Some(text_of(decode64(&text)).into()),
        ("base64" | "gbase64", false) => Some(encode64(text.as_bytes()).into()),
        ("base32" | "base32hex", true) => Some(text_of(decode32(&text)).into()),
        ("base16", true) => Some(text_of(decode16(&text)).into()),
        _ => None,
    });
    content.from.decoded |= decodes;
    content.from.unknown |= content.text.is_none();
    match options.value(&["o", "output"]) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

/// What is not of the alphabet is passed over, as the tools do when they are told to.
pub(crate) fn decode64(text: &str) -> Vec<u8> {
    decode(text, 6, |c| {
        Some(match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        })
    })
}

fn decode32(text: &str) -> Vec<u8> {
    decode(text, 5, |c| {
        Some(match c.to_ascii_uppercase() {
            c @ b'A'..=b'Z' => c - b'A',
            c @ b'2'..=b'7' => c - b'2' + 26,
            _ => return None,
        })
    })
}

fn decode16(text: &str) -> Vec<u8> {
    decode(text, 4, |c| char::from(c).to_digit(16).map(|digit| digit as u8))
}

fn decode(text: &str, width: u32, value: impl Fn(u8) -> Option<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * width as usize / 8 + 1);
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.bytes().filter_map(value) {
        bits = bits << width | u32::from(digit);
        count += width;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xFF) as u8);
            bits &= (1 << count) - 1;
        }
    }
    out
}

fn encode64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > chunk.len() { '=' } else { digit.into() });
        }
    }
    out
}

fn xxd(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // It takes `-r -p`, `-rp`, `-r -ps`, `-revert`, `-plain` alike.
    let has = |letter: char, word: &str| {
        call.args.iter().any(|arg| {
            arg.text
                .strip_prefix('-')
                .is_some_and(|it| it.trim_start_matches('-').starts_with(word) || it.len() < 4 && it.contains(letter))
        })
    };
    let (reverts, plain) = (has('r', "revert"), has('p', "plain") || has('p', "ps"));
    let options = Options::of(call.args, &Spec::new("clsog", &["cols", "len", "seek"]));
    let mut content = gather(options.operands.iter().take(1), call, doing);
    if reverts {
        content.text = content.text.filter(|_| plain).map(|text| text_of(decode16(&text)).into());
        content.from.decoded = true;
    } else {
        content = blurred(content);
    }
    match options.operands.get(1) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

fn unpack(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("So", &[]));
    let mut content = blurred(gather(&options.operands, call, doing));
    content.from.decoded = true;
    match options.value(&["o"]) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

const OPENSSL: &[&str] = &[
    "in",
    "out",
    "k",
    "K",
    "iv",
    "S",
    "pass",
    "passin",
    "passout",
    "kfile",
    "md",
    "iter",
    "inkey",
    "key",
    "cert",
    "CAfile",
    "connect",
    "signkey",
    "keyout",
    "days",
    "subj",
    "config",
    "name",
    "inform",
    "outform",
    "signer",
    "recip",
    "writerand",
    "rand",
    "engine",
    "CA",
    "CAkey",
    "extfile",
    "newkey",
    "export",
    "sigfile",
    "sign",
    "verify",
    "servername",
];

fn openssl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((verb, rest)) = call.args.split_first() else { return };
    let spec = Spec::new("", OPENSSL).one_dash();
    let options = Options::of(rest, &spec);
    let has = |names: &[&str]| options.has(names);
    let decodes = has(&["d", "decrypt"]) && !matches!(verb.text.as_str(), "dgst" | "x509" | "s_client");
    let file = options.value(&["in"]);
    let public = has(&["pubin", "pubout", "noout", "check"]);
    let mut content = match file {
        // Looking at the public half of a key, or at whether it is sound, is not looking at the key.
        Some(file) if !public => doing.reads(file),
        Some(_) => Stuff::unknown(),
        None => input(call),
    };
    let kind = verb.text.as_str();
    let base64 =
        kind == "base64" || has(&["base64", "a"]) && kind == "enc" && !has(&["aes-256-cbc", "k", "pass", "kfile"]);
    let known = base64 && !options.given.iter().any(|given| given.name.contains("aes"));
    content.text = content
        .text
        .filter(|_| known)
        .map(|text| if decodes { text_of(decode64(&text)).into() } else { encode64(text.as_bytes()).into() });
    content.from.decoded |= decodes;
    content.from.unknown |= content.text.is_none();
    if matches!(kind, "s_client" | "s_server" | "s_time") {
        if let Some(host) = options.value(&["connect"]) {
            doing.talks(host, crate::effect::Flags::NONE, Some(&content));
        }
        content = Stuff::unknown();
        content.from.network = true;
    }
    if matches!(kind, "dgst" | "rand" | "version" | "ciphers" | "prime" | "speed" | "list" | "help") {
        content.from.secret = false;
    }
    match options.value(&["out", "keyout"]) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

fn decrypts(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let spec = Spec::new(
        "iorRkK",
        &["identity", "output", "recipient", "key", "input-type", "output-type", "extract", "vault-password-file"],
    );
    let options = Options::of(call.args, &spec);
    let verb = options.word(0);
    let opens = options.has(&["d", "decrypt", "extract"])
        || matches!(verb, "decrypt" | "view" | "-d" | "exec-env" | "exec-file");
    // To encrypt a file of credentials is what these are for.
    if !opens && matches!(call.name, "sops" | "ansible-vault") {
        return;
    }
    let files =
        options.operands.iter().filter(|arg| !matches!(arg.text.as_str(), "decrypt" | "encrypt" | "view" | "edit"));
    let mut content = blurred(gather(files, call, doing));
    content.from.decoded |= opens;
    if opens && matches!(call.name, "sops" | "ansible-vault") {
        content.from.secret = true;
        doing.does(Kind::ReadSecret, Flag::Secret.into(), format!("decrypts secrets with {}", call.name));
    }
    match options.value(&["o", "output"]) {
        Some(file) => doing.puts(file, content, false),
        None => doing.prints(content),
    }
}

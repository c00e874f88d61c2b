//! Stores of credentials on this machine, and the keys of SSH and GPG.

use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "security" => keychain,
        "pass" | "gopass" => pass,
        "op" => one_password,
        "gpg" | "gpg2" | "gpgsm" => gpg,
        "ssh-keygen" => ssh_keygen,
        _ => return None,
    })
}

fn secret() -> Stuff {
    Stuff { text: None, from: Origins { secret: true, unknown: true, ..Origins::default() } }
}

fn reveals(doing: &mut Doing<'_, '_>, what: &str) {
    doing.does(Kind::ReadSecret, Flag::Secret.into(), what);
    doing.prints(secret());
}

fn keychain(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(verb) = call.args.iter().find(|arg| !arg.text.starts_with('-')) else { return };
    let shows = call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(['w', 'g']));
    match verb.text.as_str() {
        "find-generic-password" | "find-internet-password" if shows => {
            reveals(doing, "reads a password from the keychain")
        }
        "dump-keychain" | "export" | "find-key" => reveals(doing, "reads the keychain"),
        "delete-keychain" => {
            doing.deletes(&Arg::known("~/Library/Keychains"), Flag::Recursive.into());
        }
        "add-trusted-cert" | "remove-trusted-cert" | "authorizationdb" | "set-keychain-settings" => {
            doing.does(Kind::Weaken, Flags::NONE, "changes what this machine trusts");
        }
        _ => {}
    }
}

fn pass(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const OTHERS: &[&str] = &[
        "ls",
        "list",
        "find",
        "search",
        "init",
        "insert",
        "add",
        "edit",
        "generate",
        "rm",
        "remove",
        "delete",
        "mv",
        "rename",
        "cp",
        "copy",
        "git",
        "help",
        "version",
        "sync",
        "update",
        "setup",
        "clone",
        "recipients",
        "mounts",
        "config",
        "audit",
        "create",
        "new",
        "templates",
        "completion",
        "unclip",
        "import",
        "link",
        "ln",
        "age",
        "history",
        "fsck",
        "doctor",
    ];
    let words: Vec<&str> =
        call.args.iter().map(|arg| arg.text.as_str()).filter(|word| !word.starts_with('-')).collect();
    match words.first() {
        Some(verb) if OTHERS.contains(verb) => {}
        Some(&"show") if words.len() == 1 => {}
        // A name alone may be a whole store, whose names are listed.
        Some(name) if call.name == "gopass" && words.len() == 1 && !name.contains('/') => {}
        Some(_) if !only_asks(call.args) => reveals(doing, "reads a password from the password store"),
        _ => {}
    }
}

fn one_password(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<&str> =
        call.args.iter().map(|arg| arg.text.as_str()).filter(|word| !word.starts_with('-')).collect();
    match words[..] {
        ["read" | "inject", ..] | ["item" | "document", "get", ..] | ["get", ..] => {
            reveals(doing, "reads a credential from 1Password");
        }
        ["item" | "vault" | "document" | "user" | "group", "delete", ..] => {
            doing.does(Kind::Infra, Flags::NONE, "deletes credentials from 1Password");
        }
        _ => {}
    }
}

const GPG: Spec = Spec::new(
    "oruN",
    &[
        "output",
        "recipient",
        "local-user",
        "keyserver",
        "homedir",
        "passphrase",
        "passphrase-file",
        "cipher-algo",
        "default-key",
        "batch-file",
        "passphrase-fd",
        "status-fd",
        "keyring",
        "trust-model",
        "pinentry-mode",
    ],
)
.flags(&[
    "decrypt",
    "export",
    "export-secret-keys",
    "export-secret-subkeys",
    "delete-secret-keys",
    "delete-secret-and-public-keys",
]);

fn gpg(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &GPG);
    if options.given.iter().any(|given| given.name.starts_with("delete-secret")) {
        doing.deletes(&Arg::known("~/.gnupg/private-keys-v1.d"), Flag::Force.into());
    }
    let mut out = Stuff::unknown();
    if options.given.iter().any(|given| given.name.starts_with("export-secret")) {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "exports private keys");
        out = secret();
    } else if options.has(&["d", "decrypt"]) {
        out = match options.operands.first().filter(|file| file.text != "-") {
            Some(file) => doing.reads(file),
            None => call.stdin.cloned().unwrap_or_else(Stuff::unknown),
        };
        out.text = None;
        out.from.decoded = true;
        out.from.unknown = true;
    }
    match options.value(&["o", "output"]) {
        Some(file) => doing.puts(file, out, false),
        None => doing.prints(out),
    }
}

fn ssh_keygen(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("fbtCNPmOwZIsnVRFDErWaMTz", &[]));
    let Some(file) = options.value(&["f"]) else { return };
    if options.has(&["p"]) && options.value(&["N"]).is_some_and(|phrase| phrase.text.is_empty()) {
        doing.does(Kind::Weaken, Flags::NONE, "takes the passphrase off a private key");
    }
    let looks = options.has(&["l", "y", "e", "i", "B", "R", "F", "H", "p", "L", "Q", "Y", "D", "M", "r", "A"]);
    if looks {
        return;
    }
    // It asks before it replaces a key; who answers beforehand means to.
    if call.stdin.is_some() { doing.overwrites(file, Flag::Force.into()) } else { doing.writes(file, Flags::NONE) }
}

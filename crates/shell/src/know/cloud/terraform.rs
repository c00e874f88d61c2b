//! Infrastructure that is written down: terraform, ansible.

use super::{destroys, reveals};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags};
use crate::know::options::{Options, Spec, only_asks};

const TERRAFORM: Spec =
    Spec::new("", &["target", "var", "var-file", "out", "state", "replace", "chdir-never"]).one_dash();

pub(super) fn terraform(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &TERRAFORM);
    if only_asks(invocation.args) || options.has(&["help", "h", "dry-run"]) {
        return;
    }
    // terragrunt runs terraform's words after its own: `run-all destroy`, `run --all destroy`.
    let own = matches!(options.word(0), "run-all" | "run" | "stack") && invocation.name == "terragrunt";
    let skip = usize::from(own);
    let (verb, second, third) = (options.word(skip), options.word(skip + 1), options.word(skip + 2));
    match (verb, second) {
        ("destroy" | "destroy-all", _) => destroys("destroys deployed infrastructure", doing),
        ("apply", _) if options.on(&["destroy"]) => destroys("destroys deployed infrastructure", doing),
        ("state", "rm") => destroys("makes terraform forget what it has deployed", doing),
        ("workspace", "delete") => destroys("deletes the state of deployed infrastructure", doing),
        ("state", "push") => destroys("overwrites the state of deployed infrastructure", doing),
        ("apply", _) if options.value(&["replace"]).is_some() => {
            destroys("destroys a part of deployed infrastructure and makes it again", doing)
        }
        ("output", name) if is_secret(name) || is_secret(third) => reveals("prints a credential", doing),
        ("console", _) | ("init", _) => {}
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "secret", "token", "private_key", "api_key", "credential"].iter().any(|word| name.contains(word))
}

const ANSIBLE: Spec = Spec::new(
    "maiulfteMTcD",
    &[
        "module-name",
        "args",
        "inventory",
        "user",
        "limit",
        "forks",
        "tree",
        "extra-vars",
        "become-user",
        "vault-password-file",
        "tags",
        "skip-tags",
        "private-key",
        "key-file",
        "connection",
        "timeout",
        "module-path",
        "start-at-task",
    ],
);

/// `ansible hosts -m shell -a 'command'`; a playbook is a file that is not seen.
pub(super) fn ansible(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &ANSIBLE);
    if only_asks(invocation.args)
        || options.has(&["C", "check", "syntax-check", "list-hosts", "list-tasks"])
        || invocation.name != "ansible"
    {
        return;
    }
    let module = options.value(&["m", "module-name"]).map_or("command", |module| module.text.as_str());
    let module = module.rsplit('.').next().unwrap_or_default();
    let Some(arguments) = options.value(&["a", "args"]) else {
        if matches!(module, "reboot" | "shutdown") {
            doing.does(
                crate::effect::Kind::Kill,
                Flags::NONE.with(Flag::Force).with(Flag::Remote),
                "restarts machines",
            );
        }
        return;
    };
    match module {
        "command" | "shell" | "raw" | "script" => {
            let script = Stuff { text: Some(arguments.text.as_str().into()), from: arguments.from };
            doing.runs_script("ansible", &script, &[], None);
        }
        "file" if parameter(arguments, "state") == Some("absent") => {
            if let Some(path) = parameter(arguments, "path").or_else(|| parameter(arguments, "dest")) {
                doing.deletes(&Arg::known(path), Flags::NONE.with(Flag::Recursive).with(Flag::Remote));
            }
        }
        "copy" | "fetch" => {
            if let Some(path) = parameter(arguments, "src") {
                doing.reads(&Arg::known(path));
            }
        }
        _ => {}
    }
}

fn parameter<'a>(arguments: &'a Arg, name: &str) -> Option<&'a str> {
    arguments.text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

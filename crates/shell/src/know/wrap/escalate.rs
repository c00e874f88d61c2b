//! Running as somebody else.

use super::options::{Parsed, Spec, is_assignment, joined, parse, script};
use super::{is_shell, run_words};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};

const SUDO: Spec = Spec {
    short: "uUgGhpCcDRrtTa",
    long: &[
        "user",
        "other-user",
        "group",
        "host",
        "prompt",
        "close-from",
        "chdir",
        "chroot",
        "role",
        "type",
        "command-timeout",
        "auth-type",
        "login-class",
    ],
};

pub(super) fn sudo(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &SUDO);
    let edits = parsed.has(&["e", "edit"]);
    let asks = parsed.has(&["l", "list", "v", "validate", "k", "K", "reset-timestamp", "remove-timestamp", "V"]);
    if edits {
        return edit(parsed.rest, doing);
    }
    let command = without_assignments(parsed.rest);
    if parsed.asks_for_help() || asks && (command.is_empty() || parsed.has(&["l", "list"])) {
        return;
    }
    let shell = parsed.has(&["i", "login", "s", "shell"]);
    let root = is_root(parsed.value(&["u", "user"]));
    if command.is_empty() {
        return if shell { hand_shell(root, it, doing) } else { act_as(root, doing) };
    }
    // With -i and -s the words are joined and given to a shell, each word escaped: they stay the words they are.
    match parsed.value(&["D", "chdir"]).cloned() {
        Some(folder) => {
            let words: Vec<Arg> =
                [Arg::known("env"), Arg::known("-C"), folder].into_iter().chain(command.iter().cloned()).collect();
            run_as(root, it, &words, doing);
        }
        None => run_as(root, it, command, doing),
    }
}

pub(super) fn sudoedit(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    edit(parse(it.args, &SUDO).rest, doing);
}

fn edit(files: &[Arg], doing: &mut Doing<'_, '_>) {
    act_as(true, doing);
    for file in files {
        doing.overwrites(file, Flags::NONE);
    }
}

/// Others of the kind: which options take a value, and how many words precede the command.
const OTHERS: &[(&str, Spec, usize)] = &[
    ("doas", Spec { short: "uCa", long: &[] }, 0),
    (
        "run0",
        Spec {
            short: "ugDE",
            long: &[
                "user",
                "group",
                "chdir",
                "setenv",
                "unit",
                "property",
                "description",
                "slice",
                "nice",
                "background",
                "machine",
            ],
        },
        0,
    ),
    ("pkexec", Spec { short: "u", long: &["user"] }, 0),
    ("gosu", Spec { short: "", long: &[] }, 1),
    ("su-exec", Spec { short: "", long: &[] }, 1),
    (
        "setpriv",
        Spec {
            short: "d",
            long: &[
                "reuid",
                "regid",
                "ruid",
                "euid",
                "rgid",
                "egid",
                "groups",
                "inh-caps",
                "ambient-caps",
                "bounding-set",
                "securebits",
                "pdeathsig",
                "selinux-label",
                "apparmor-profile",
            ],
        },
        0,
    ),
];

pub(super) fn others(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const PLAIN: Spec = Spec { short: "u", long: &["user"] };
    let (spec, operands) =
        OTHERS.iter().find(|row| row.0 == it.name).map_or((&PLAIN, 0), |(_, spec, operands)| (spec, *operands));
    let parsed = parse(it.args, spec);
    if parsed.asks_for_help()
        || it.name == "doas" && parsed.has(&["L"])
        || it.name == "setpriv" && parsed.has(&["d", "dump"])
    {
        return;
    }
    let user = if operands > 0 { parsed.rest.first() } else { parsed.value(&["u", "user", "reuid"]) };
    let root = is_root(user);
    let command = without_assignments(parsed.rest.get(operands..).unwrap_or_default());
    if command.is_empty() {
        return if parsed.has(&["s"]) || it.name == "run0" || it.name == "pkexec" {
            hand_shell(root, it, doing);
        } else {
            act_as(root, doing);
        };
    }
    run_as(root, it, command, doing);
}

const SU: Spec = Spec {
    short: "csgGwuT",
    long: &["command", "session-command", "shell", "group", "supp-group", "whitelist-environment", "user"],
};

pub(super) fn su(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (operands, commands, parsed_user, rest, help) = su_parts(it.args);
    if help {
        return;
    }
    let root = is_root(parsed_user.as_ref().or(operands.first()));
    if !commands.is_empty() {
        act_as(root, doing);
        for command in &commands {
            let output = doing.runs_script("su -c", &script(command), &operands, it.stdin);
            doing.prints(output);
        }
    } else if parsed_user.is_some() && !rest.is_empty() {
        run_as(root, it, &rest, doing);
    } else if let Some(text) = it.stdin {
        act_as(root, doing);
        doing.runs_script(it.name, text, &[], None);
    } else {
        hand_shell(root, it, doing);
    }
}

/// Operands, `-c` commands, `-u` user, the words of `runuser -u name -- words`, and whether only help is asked for.
fn su_parts(args: &[Arg]) -> (Vec<Arg>, Vec<Arg>, Option<Arg>, Vec<Arg>, bool) {
    let mut operands = Vec::new();
    let mut commands = Vec::new();
    let mut user = None;
    let mut help = false;
    let mut left = args;
    // Options may stand after the user's name (`su root -c …`), and `-` is an option too.
    loop {
        let parsed: Parsed<'_> = parse(left, &SU);
        commands.extend(parsed.values(&["c", "command", "session-command"]).cloned());
        user = parsed.value(&["u", "user"]).cloned().or(user);
        help |= parsed.asks_for_help();
        if user.is_some() && commands.is_empty() {
            return (operands, commands, user, parsed.rest.to_vec(), help);
        }
        let Some((operand, rest)) = parsed.rest.split_first() else { break };
        if operand.text != "-" {
            operands.push(operand.clone());
        }
        left = rest;
    }
    (operands, commands, user, Vec::new(), help)
}

/// `sg group -c 'command'`. (Another `sg` searches code and has subcommands.)
pub(super) fn sg(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<Arg> = it.args.iter().filter(|word| word.text != "-").cloned().collect();
    let Some((group, rest)) = words.split_first() else { return };
    let (dash_c, rest) = match rest.split_first() {
        Some((first, rest)) if first.text == "-c" => (true, rest),
        _ => (false, rest),
    };
    if rest.is_empty() || !dash_c && ["run", "scan", "test", "new", "lsp"].contains(&group.text.as_str()) {
        return;
    }
    let output = doing.runs_script("sg", &joined(rest), &[], it.stdin);
    doing.prints(output);
}

/// Enters the namespaces of another process; those of process 1 are the host's.
pub(super) fn nsenter(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "tSGW", long: &["target", "setuid", "setgid", "wdns"] };
    let parsed = parse(it.args, &SPEC);
    if parsed.asks_for_help() {
        return;
    }
    let host = parsed.value(&["t", "target"]).is_some_and(|pid| pid.text == "1");
    doing.does(Kind::Escalate, Flags::NONE.with_if(Flag::Force, host), "enters the namespaces of another process");
    run_words(it.name, parsed.rest, it.stdin, doing);
}

fn without_assignments(words: &[Arg]) -> &[Arg] {
    let command = words.iter().position(|word| !is_assignment(word)).unwrap_or(words.len());
    &words[command..]
}

fn is_root(user: Option<&Arg>) -> bool {
    user.is_none_or(|user| ["root", "#0", "0", "root:root", "0:0", "#-1", "#4294967295"].contains(&user.text.as_str()))
}

fn act_as(root: bool, doing: &mut Doing<'_, '_>) {
    doing.does(Kind::Escalate, Flags::NONE, if root { "runs as root" } else { "runs as another user" });
}

/// A shell without a script: whoever sits at the other end can do anything.
fn hand_shell(root: bool, it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if let Some(text) = it.stdin {
        act_as(root, doing);
        doing.runs_script(it.name, text, &[], None);
    } else if root {
        doing.does(Kind::Escalate, Flag::Force.into(), "opens a shell as root");
    } else {
        act_as(false, doing);
    }
}

fn run_as(root: bool, it: &Invocation<'_>, command: &[Arg], doing: &mut Doing<'_, '_>) {
    if root && it.stdin.is_none() && is_bare_shell(command) {
        return hand_shell(root, it, doing);
    }
    act_as(root, doing);
    run_words(it.name, command, it.stdin, doing);
}

/// `bash`, `su -`, `bash -l`: no command, no file.
fn is_bare_shell(command: &[Arg]) -> bool {
    let Some((head, args)) = command.split_first() else { return false };
    let name = head.text.rsplit('/').next().unwrap_or_default();
    is_shell(name)
        && args.iter().all(|arg| {
            ["-", "-i", "-l", "-il", "-li", "--login", "--norc", "--noprofile", "-p"].contains(&arg.text.as_str())
        })
}

//! Terminals, real and multiplexed: a command is typed into them or started in them.

use super::options::{Spec, parse, script as as_script};
use super::{run_script, run_words};
use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation, Language};
use crate::effect::{Flags, Kind};

/// tmux subcommands that start a command, with the options that take a value.
const STARTS: &[(&[&str], &str)] = &[
    (&["new-session", "new"], "ceFfnstxy"),
    (&["new-window", "neww"], "ceFnt"),
    (&["split-window", "splitw"], "ceFlt"),
    (&["respawn-pane", "respawnp", "respawn-window", "respawnw"], "cet"),
    (&["run-shell", "run"], "cdt"),
    (&["pipe-pane", "pipep"], "t"),
    (&["display-popup", "popup"], "bcdehSstTwxy"),
    (&["if-shell", "if"], "t"),
];

pub(super) fn tmux(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const GLOBAL: Spec = Spec { short: "cfLST", long: &[] };
    let parsed = parse(it.args, &GLOBAL);
    if let Some(command) = parsed.value(&["c"]) {
        run_script(it.name, std::slice::from_ref(command), None, doing);
    }
    // Several tmux commands are separated by a word that is, or ends with, a semicolon.
    for command in parsed.rest.split(|word| word.text == ";" || word.text == "\\;") {
        tmux_command(it, command, doing);
    }
}

fn tmux_command(it: &Invocation<'_>, words: &[Arg], doing: &mut Doing<'_, '_>) {
    let Some((head, args)) = words.split_first() else { return };
    let name = head.text.as_str();
    if ["send-keys", "send"].contains(&name) {
        return typed(it, args, doing);
    }
    let Some((_, short)) = STARTS.iter().find(|(names, _)| names.contains(&name)) else { return };
    let parsed = super::options::parse_short(args, short);
    match parsed {
        // One word is given to a shell, several are run as they are.
        [] => {}
        [one] => run_script(it.name, std::slice::from_ref(one), None, doing),
        several if name.starts_with("if") => several.iter().for_each(|one| {
            doing.runs_script(it.name, &as_script(one), &[], None);
        }),
        several => run_words(it.name, several, None, doing),
    }
}

/// Keys that are sent: what stands before `Enter` is a line for whatever runs there, most likely a shell.
fn typed(it: &Invocation<'_>, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let keys = super::options::parse_short(args, "tNFH");
    let mut text = String::new();
    for key in keys {
        match key.text.as_str() {
            "C-m" | "C-j" | "\\n" => text.push('\n'),
            name if ["Enter", "KPEnter"].iter().any(|key| name.eq_ignore_ascii_case(key)) => text.push('\n'),
            name if name.eq_ignore_ascii_case("Space") => text.push(' '),
            special if special.starts_with("C-") || special == "Escape" => {}
            plain => text.push_str(plain),
        }
    }
    if !text.trim().is_empty() {
        doing.runs_script(it.name, &Stuff::known(text), &[], None);
    }
}

pub(super) fn screen(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "cehpsStT", long: &[] };
    // `-dmS name`, `-x`, `-r name`, `-X command`: the last takes all that follows.
    let parsed = parse(it.args, &SPEC);
    if parsed.has(&["X"]) {
        let Some((head, rest)) = parsed.rest.split_first() else { return };
        let words: Vec<Arg> =
            rest.iter().map(|word| Arg { text: word.text.replace("\\n", "\n"), ..word.clone() }).collect();
        return match head.text.as_str() {
            "stuff" | "exec" | "screen" => run_script(it.name, &words, None, doing),
            _ => {}
        };
    }
    if parsed.has(&["r", "R", "x", "l", "ls", "w", "v"]) {
        return;
    }
    run_words(it.name, parsed.rest, None, doing);
}

pub(super) fn zellij(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<&str> = it.args.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["run", ..] => {
            const SPEC: Spec = Spec { short: "ndxy", long: &["name", "direction", "cwd", "width", "height"] };
            run_words(it.name, parse(&it.args[1..], &SPEC).rest, None, doing);
        }
        ["action", "write-chars", _, ..] => run_script(it.name, &it.args[2..3], None, doing),
        _ => {}
    }
}

/// Records a session: `script -c 'command' file`, or BSD's `script file command …`.
pub(super) fn script(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec {
        short: "cEIOBToTm",
        long: &[
            "command",
            "echo",
            "log-in",
            "log-out",
            "log-io",
            "log-timing",
            "output-limit",
            "logging-format",
            "timing",
        ],
    };
    let parsed = parse(it.args, &SPEC);
    if parsed.asks_for_help() {
        return;
    }
    let mut operands = parsed.rest;
    let mut commands: Vec<Arg> = parsed.values(&["c", "command"]).cloned().collect();
    if let Some((file, rest)) = operands.split_first() {
        doing.overwrites(file, Flags::NONE);
        let late = parse(rest, &SPEC);
        commands.extend(late.values(&["c", "command"]).cloned());
        operands = late.rest;
    }
    for command in &commands {
        let output = doing.runs_script("script -c", &as_script(command), &[], it.stdin);
        doing.prints(output);
    }
    run_words(it.name, operands, it.stdin, doing);
}

pub(super) fn watch(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "nqs", long: &["interval", "equexit", "shotsdir"] };
    let parsed = parse(it.args, &SPEC);
    if parsed.asks_for_help() {
        return;
    }
    if parsed.has(&["x", "exec"]) {
        run_words(it.name, parsed.rest, it.stdin, doing);
    } else {
        run_script(it.name, parsed.rest, it.stdin, doing);
    }
}

pub(super) fn expect(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "cDfb", long: &[] };
    let parsed = parse(it.args, &SPEC);
    for code in parsed.values(&["c"]) {
        doing.runs_code("expect -c", Language::Tcl, &as_script(code), &[]);
    }
    let file = parsed.value(&["f", "b"]).or(parsed.rest.first()).filter(|file| file.text != "-");
    let content = match (file, it.stdin) {
        (Some(file), _) => Some(doing.reads(file)),
        (None, stdin) => stdin.cloned(),
    };
    if let Some(content) = content.filter(super::shells::worth_following) {
        doing.runs_code("expect", Language::Tcl, &content, &[]);
    }
}

/// A window of its own: what stands behind `-e`, `-x`, `--` or, for some, plainly behind the options.
pub(super) fn window(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let display = it.args.iter().skip_while(|word| word.text != "-display").nth(1);
    if display.is_some_and(|display| display.text.split(':').next().is_some_and(|host| host.contains('.'))) {
        doing.does(Kind::ReverseShell, Flags::NONE, "opens a terminal on another machine's screen");
    }
    let starts = |word: &Arg| ["-e", "-x", "--", "--command", "-c"].contains(&word.text.as_str());
    let Some(at) = it.args.iter().position(starts) else {
        if let Some(command) = it.args.iter().find_map(|word| word.text.strip_prefix("--command=")) {
            doing.runs_script(it.name, &Stuff::known(command), &[], None);
        } else if it.args.first().is_some_and(|first| !first.text.starts_with(['-', HOLE])) {
            run_words(it.name, it.args, None, doing);
        }
        return;
    };
    let rest = &it.args[at + 1..];
    if rest.len() == 1 { run_script(it.name, rest, None, doing) } else { run_words(it.name, rest, None, doing) }
}

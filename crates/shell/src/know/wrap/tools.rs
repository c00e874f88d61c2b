//! Wrappers with habits of their own.

use super::options::{Spec, parse, script};
use super::{run_script, run_words};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Language};
use crate::effect::{Flags, Kind};

pub(super) fn time(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "fo", long: &["format", "output"] };
    let parsed = parse(it.args, &SPEC);
    if let Some(file) = parsed.value(&["o", "output"]) {
        doing.overwrites(file, Flags::NONE);
    }
    run_words(it.name, parsed.rest, it.stdin, doing);
}

/// `flock [options] file command …`, or `flock file -c 'script'`.
pub(super) fn flock(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec { short: "wEc", long: &["wait", "timeout", "conflict-exit-code", "command"] };
    let parsed = parse(it.args, &SPEC);
    let Some((_, rest)) = parsed.rest.split_first() else { return };
    let late = parse(rest, &SPEC);
    for command in parsed.values(&["c", "command"]).chain(late.values(&["c", "command"])) {
        run_script(it.name, std::slice::from_ref(command), it.stdin, doing);
    }
    run_words(it.name, late.rest, it.stdin, doing);
}

/// `bwrap` options that take values, with how many.
const BWRAP: &[(&str, usize)] = &[
    ("--args", 1),
    ("--argv0", 1),
    ("--userns", 1),
    ("--userns2", 1),
    ("--pidns", 1),
    ("--uid", 1),
    ("--gid", 1),
    ("--hostname", 1),
    ("--chdir", 1),
    ("--setenv", 2),
    ("--unsetenv", 1),
    ("--lock-file", 1),
    ("--sync-fd", 1),
    ("--bind", 2),
    ("--bind-try", 2),
    ("--dev-bind", 2),
    ("--dev-bind-try", 2),
    ("--ro-bind", 2),
    ("--ro-bind-try", 2),
    ("--remount-ro", 1),
    ("--proc", 1),
    ("--dev", 1),
    ("--tmpfs", 1),
    ("--mqueue", 1),
    ("--dir", 1),
    ("--file", 2),
    ("--bind-data", 2),
    ("--ro-bind-data", 2),
    ("--symlink", 2),
    ("--seccomp", 1),
    ("--block-fd", 1),
    ("--info-fd", 1),
    ("--exec-label", 1),
    ("--file-label", 1),
    ("--chmod", 2),
    ("--cap-add", 1),
    ("--cap-drop", 1),
    ("--perms", 1),
    ("--size", 1),
    ("--overlay-src", 1),
    ("--overlay", 3),
];

pub(super) fn bwrap(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut rest = it.args;
    while let Some((word, after)) = rest.split_first()
        && word.text.starts_with("--")
    {
        let values = BWRAP.iter().find(|(name, _)| *name == word.text).map_or(0, |(_, values)| *values);
        rest = after.get(values..).unwrap_or_default();
        if word.text == "--" {
            break;
        }
    }
    run_words(it.name, rest, it.stdin, doing);
}

/// Runs a command whenever a file of the list on its input changes; `/_` stands for that file.
pub(super) fn entr(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &super::options::SWITCHES);
    if parsed.has(&["s"]) {
        run_script("entr", parsed.rest, None, doing);
    } else {
        run_words("entr", parsed.rest, None, doing);
    }
}

pub(super) fn gdb(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut rest = it.args;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.text.as_str() {
            "--args" | "-args" => return run_words("gdb --args", after, it.stdin, doing),
            "-ex" | "--ex" | "-eval-command" | "--eval-command" | "-iex" | "-x" => {
                let Some(command) = after.first() else { return };
                gdb_command(command, doing);
            }
            _ => {}
        }
    }
}

fn gdb_command(command: &Arg, doing: &mut Doing<'_, '_>) {
    let text = command.text.trim();
    let part =
        |prefix: &str| text.strip_prefix(prefix).map(|rest| script(&Arg { text: rest.to_owned(), ..command.clone() }));
    if let Some(line) = part("shell ").or_else(|| part("!")).or_else(|| part("make ")) {
        doing.runs_script("gdb -ex", &line, &[], None);
    } else if let Some(code) = part("python ").or_else(|| part("py ")) {
        doing.runs_code("gdb -ex", Language::Python, &code, &[]);
    } else if let Some(call) = part("call ").or_else(|| part("print ")).or_else(|| part("p ")) {
        // C as far as it goes: `call (int)system("…")`.
        doing.runs_code("gdb -ex", Language::Php, &call, &[]);
    }
}

/// Measures shell commands: each operand is one, and so are the values of some options.
pub(super) fn hyperfine(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec {
        short: "wmMrpcPDLSun",
        long: &[
            "warmup",
            "min-runs",
            "max-runs",
            "runs",
            "setup",
            "prepare",
            "cleanup",
            "conclude",
            "parameter-scan",
            "parameter-list",
            "shell",
            "export-json",
            "export-csv",
            "export-markdown",
            "style",
            "time-unit",
            "command-name",
            "output",
            "input",
        ],
    };
    let mut left = it.args;
    loop {
        let parsed = parse(left, &SPEC);
        for command in parsed.values(&["s", "setup", "p", "prepare", "c", "cleanup", "conclude"]) {
            doing.runs_script(it.name, &script(command), &[], None);
        }
        let Some((command, rest)) = parsed.rest.split_first() else { return };
        doing.runs_script(it.name, &script(command), &[], None);
        left = rest;
    }
}

pub(super) fn systemd_run(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec {
        short: "HMptuEd",
        long: &[
            "host",
            "machine",
            "property",
            "unit",
            "description",
            "slice",
            "uid",
            "gid",
            "nice",
            "working-directory",
            "setenv",
            "service-type",
            "on-active",
            "on-boot",
            "on-startup",
            "on-unit-active",
            "on-unit-inactive",
            "on-calendar",
            "timer-property",
            "path-property",
            "socket-property",
            "background",
            "job-mode",
        ],
    };
    const TIMERS: &[&str] =
        &["on-active", "on-boot", "on-startup", "on-unit-active", "on-unit-inactive", "on-calendar", "timer-property"];
    let parsed = parse(it.args, &SPEC);
    if parsed.asks_for_help() {
        return;
    }
    if parsed.has(TIMERS) {
        doing.does(Kind::Persist, Flags::NONE, "makes systemd run a command later");
    }
    run_words(it.name, parsed.rest, it.stdin, doing);
}

/// `nix-shell --run 'script'`, `nix develop -c words …`.
pub(super) fn nix(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(at) = it.args.iter().position(|word| ["--run", "--command", "-c"].contains(&word.text.as_str())) else {
        return;
    };
    let rest = &it.args[at + 1..];
    if it.name == "nix-shell" {
        run_script("nix-shell", rest.get(..1).unwrap_or_default(), it.stdin, doing);
    } else {
        run_words("nix", rest, it.stdin, doing);
    }
}

pub(super) fn start_stop_daemon(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec {
        short: "xapnuscgkrdNPImRO",
        long: &[
            "exec",
            "pidfile",
            "name",
            "user",
            "signal",
            "chuid",
            "group",
            "umask",
            "chroot",
            "chdir",
            "nicelevel",
            "procsched",
            "iosched",
            "retry",
            "output",
        ],
    };
    let parsed = parse(it.args, &SPEC);
    if !parsed.has(&["S", "start"]) {
        return;
    }
    let program = parsed.value(&["a"]).or_else(|| parsed.value(&["x", "exec"]));
    let words: Vec<Arg> = program.into_iter().chain(parsed.rest).cloned().collect();
    run_words(it.name, &words, it.stdin, doing);
}

/// Near enough to a shell for what matters: words with braces.
pub(super) fn execlineb(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &Spec { short: "cS", long: &[] });
    if let Some(text) = parsed.value(&["c"]) {
        run_script("execlineb -c", std::slice::from_ref(text), it.stdin, doing);
    }
}

/// What follows `--` (or `==`, for capsh itself) are the arguments of a shell.
pub(super) fn capsh(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(at) = it.args.iter().position(|word| word.text == "--" || word.text == "-+") else { return };
    let words: Vec<Arg> = std::iter::once(Arg::known("bash")).chain(it.args[at + 1..].iter().cloned()).collect();
    run_words("capsh", &words, it.stdin, doing);
}

/// `make` with rules that are in this very command: their recipes run.
pub(super) fn make(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec {
        short: "fCIjloW",
        long: &["file", "makefile", "directory", "include-dir", "jobs", "load-average", "old-file", "what-if", "eval"],
    };
    for name in ["GNUmakefile", "makefile", "Makefile"] {
        let path = doing.locate(&Arg::known(name)).path;
        if let Some(text) = doing.walk.content(&path).and_then(|rules| rules.text) {
            recipes(&text, doing);
        }
    }
    let mut left = it.args;
    loop {
        let parsed = parse(left, &SPEC);
        if parsed.has(&["n", "just-print", "dry-run", "recon", "q", "question"]) || parsed.asks_for_help() {
            return;
        }
        for text in parsed.values(&["eval"]) {
            recipes(&text.text, doing);
        }
        for file in parsed.values(&["f", "file", "makefile"]) {
            let rules = match it.stdin.filter(|_| file.text == "-") {
                Some(rules) => rules.clone(),
                None => doing.reads(file),
            };
            if let Some(text) = rules.text.as_deref() {
                recipes(text, doing);
            } else if rules.from.network || rules.from.decoded {
                doing.does(Kind::RunUnseen, rules.from.flags(), "runs rules that cannot be seen");
            }
        }
        let Some((word, rest)) = parsed.rest.split_first() else { return };
        if let Some(shell) = word.text.strip_prefix("SHELL=") {
            // Each line of a recipe is given to it.
            let words = super::options::split_words(shell, word.from);
            run_words("make SHELL=", &words, None, doing);
        }
        left = rest;
    }
}

/// A page is shown by whatever is named.
pub(super) fn man(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let parsed = parse(it.args, &Spec { short: "CMPSeLmpRrEHTX", long: &["pager", "html", "config-file", "manpath"] });
    for pager in parsed.values(&["P", "pager", "H", "html"]) {
        run_script("man", std::slice::from_ref(pager), None, doing);
    }
}

/// `$(shell …)` runs as soon as it is read.
fn at_once(text: &str, doing: &mut Doing<'_, '_>) {
    for part in text.split("$(shell ").skip(1).take(64) {
        let mut depth = 1_usize;
        let end = part.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let script = &part[..end.map_or(part.len(), |(at, _)| at)];
        doing.runs_script("make", &crate::arg::Stuff::known(script.replace("$$", "$")), &[], None);
    }
}

/// Lines behind a tab, or behind the semicolon of a rule.
fn recipes(text: &str, doing: &mut Doing<'_, '_>) {
    at_once(text, doing);
    for line in text.replace("\\\n", " ").lines() {
        let command = match line.strip_prefix('\t') {
            Some(command) => Some(command),
            None => line.split_once(':').and_then(|(_, rest)| rest.split_once(';')).map(|(_, command)| command),
        };
        if let Some(command) = command {
            // What make would fill in is not known; `$$` is the shell's own `$`.
            let command = command.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$");
            doing.runs_script("make", &crate::arg::Stuff::known(command), &[], None);
        }
    }
}

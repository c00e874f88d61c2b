//! Shells: `-c`, a script file, or a script on standard input.

use super::options::script;
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::walk::Dialect;

const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ksh93",
    "mksh",
    "pdksh",
    "oksh",
    "ash",
    "yash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "rzsh",
    "rksh",
    "posh",
    "elvish",
    "xonsh",
    "osh",
    "ysh",
    "bash5",
    "hush",
    "nu",
    "brush",
    "rc",
    "es",
    "git-shell",
    "bash.exe",
    "sh.exe",
    "zsh.exe",
];

/// Whether a program is a shell that reads more or less what bash reads.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// What the options of a shell ask for.
#[derive(Default)]
struct Asked {
    command: bool,
    stdin: bool,
    nothing: bool,
    interactive: bool,
    /// Files that run first.
    before: Vec<Arg>,
    /// Scripts that run first or, with `--command=`, instead.
    scripts: Vec<Arg>,
}

/// Shells that read like bash, whatever machine it is.
const LIKE_BASH: &[&str] = &["bash", "bash5", "bash.exe", "rbash", "zsh", "zsh.exe", "rzsh", "ksh93", "mksh"];

pub(super) fn shell(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let before =
        doing.walk.next_dialect.replace(if LIKE_BASH.contains(&it.name) { Dialect::Bash } else { Dialect::Any });
    start(it, doing);
    doing.walk.next_dialect = before;
}

fn start(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut asked = Asked::default();
    let rest = take_options(it.args, &mut asked);
    if asked.nothing {
        return;
    }
    for file in &asked.before {
        run_file(it, file, &[], doing);
    }
    let via = format!("{} -c", it.name);
    for text in &asked.scripts {
        let output = doing.runs_script(&via, &script(text), rest, it.stdin);
        doing.prints(output);
    }
    match rest.split_first() {
        Some((text, args)) if asked.command => {
            let output = doing.runs_script(&via, &script(text), args, it.stdin);
            doing.prints(output);
            // `bash -c rm -r x` without quotes does less than what was meant.
            if args.first().is_some_and(|first| first.text.starts_with('-') && first.text.len() > 1) && is_plain(text) {
                doing.runs(&via, rest, it.stdin);
            }
        }
        Some((file, _)) if !asked.stdin => run_file(it, file, rest, doing),
        _ if asked.command || !asked.scripts.is_empty() => {}
        _ => run_stdin(it, asked.interactive, rest, doing),
    }
}

fn is_plain(word: &Arg) -> bool {
    !word.text.is_empty() && word.text.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c))
}

fn run_stdin(it: &Invocation<'_>, interactive: bool, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let Some(text) = it.stdin else { return without_script(doing) };
    if interactive && text.text.is_none() {
        // Nobody types into a pipe: it is the far end of `nc` or of a named pipe that does.
        return doing.does(Kind::ReverseShell, text.from.flags(), "hands an interactive shell to whatever feeds it");
    }
    let zeroth = [Arg::known(it.name)];
    let args: Vec<Arg> = zeroth.iter().chain(args).cloned().collect();
    let mut output = doing.runs_script(it.name, text, &args, None);
    // Should that go to a host, then a shell is what hangs on the line.
    output.from.shell |= text.text.is_none();
    doing.prints(output);
}

/// `sudo find . -exec sh \;`: somebody gets a shell as root, through whatever. One in a container is another matter.
fn without_script(doing: &mut Doing<'_, '_>) {
    const ELSEWHERE: &[&str] = &[
        "docker",
        "podman",
        "nerdctl",
        "kubectl",
        "ssh",
        "lxc",
        "incus",
        "machinectl",
        "chroot",
        "unshare",
        "vagrant",
        "docker-compose",
        "systemd-nspawn",
        "crictl",
        "oc",
        "tmux",
        "screen",
        "k3s",
        "microk8s",
        "minikube",
        "bwrap",
    ];
    if doing.walk.is_under(&["sudo", "doas", "pkexec"], ELSEWHERE) {
        doing.does(Kind::Escalate, Flag::Force.into(), "opens a shell as root");
    }
}

/// Runs a script file by what this very command put into it; another file of the disk is not looked at.
fn run_file(it: &Invocation<'_>, file: &Arg, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let content = match (file.text.as_str(), it.stdin) {
        ("/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0", Some(stdin)) => stdin.clone(),
        _ => doing.reads(file),
    };
    if worth_following(&content) {
        let output = doing.runs_script(it.name, &content, args, it.stdin);
        doing.prints(output);
    } else {
        doing.does(Kind::RunUnseen, Flags::NONE, format!("runs the script {}", shown(file)));
    }
}

/// Known text is judged by what it does, text from a host by where it is from; anything else is an ordinary file.
pub(crate) fn worth_following(content: &Stuff) -> bool {
    content.text.is_some() || content.from.network || content.from.decoded
}

fn shown(file: &Arg) -> String {
    file.text.replace(crate::arg::HOLE, "…")
}

fn take_options<'a>(args: &'a [Arg], asked: &mut Asked) -> &'a [Arg] {
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        let text = word.text.as_str();
        match text {
            "-" | "--" => return after,
            "+c" => {}
            "--rcfile" | "--init-file" | "--config" | "--env-config" => {
                asked.before.extend(after.first().cloned());
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            "--command" | "--commands" | "--init-command" => {
                asked.scripts.extend(after.first().cloned());
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            "--help" | "--version" | "--no-execute" | "--dump-strings" | "--dump-po-strings" => asked.nothing = true,
            _ if text.starts_with("--") => take_long(word, asked),
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                let values = take_cluster(&text[1..], asked);
                rest = after.get(values..).unwrap_or_default();
                continue;
            }
            // `bash $OPTS -c …`: an unknown word in front of an option is an option.
            _ if word.is_opaque() && after.first().is_some_and(|next| next.text.starts_with('-')) => {}
            _ => return rest,
        }
        rest = after;
    }
    rest
}

fn take_long(word: &Arg, asked: &mut Asked) {
    let Some((name, value)) = word.text.split_once('=') else { return };
    let value = Arg { text: value.to_owned(), ..word.clone() };
    match name {
        "--command" | "--commands" | "--init-command" => asked.scripts.push(value),
        "--rcfile" | "--init-file" => asked.before.push(value),
        _ => {}
    }
}

/// Letters like `-lc`; returns how many words behind them belong to them.
fn take_cluster(letters: &str, asked: &mut Asked) -> usize {
    let mut values = 0;
    for letter in letters.chars() {
        match letter {
            'c' => asked.command = true,
            's' => asked.stdin = true,
            'n' => asked.nothing = true,
            'i' => asked.interactive = true,
            'o' | 'O' => values += 1,
            _ => {}
        }
    }
    values
}

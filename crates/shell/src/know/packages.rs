//! Package managers: what they publish, what they fetch and run.

mod install;
mod publish;
mod remove;
mod settings;
#[cfg(test)]
mod tests;

use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::know::options::{Options, Spec, only_asks};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" | "dlx" => runner,
        "bundle" | "bundler" => bundle,
        name if publish::knows(name) || install::knows(name) || remove::knows(name) => manager,
        _ => return None,
    })
}

/// One's own commands first, then what the manager runs, then what it installs.
fn manager(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(invocation.args) || run(invocation, doing) {
        return;
    }
    publish::look(invocation, doing);
    install::look(invocation, doing);
    remove::look(invocation, doing);
    settings::look(invocation, doing);
    // `mix` migrates databases, too; `helm` looks after clusters; `uv` and others run commands.
    let others = [
        super::database::find(invocation.name),
        super::cloud::find(invocation.name),
        super::wrap::find(invocation.name),
        super::code::find(invocation.name),
    ];
    if let Some(known) = others.into_iter().flatten().next() {
        known(invocation, doing);
    }
}

/// Subcommands that run the words after them: `npm exec -- x`, `uv run x`, `poetry run x`.
const RUNS: &[(&[&str], &[&str])] = &[
    (&["npm"], &["exec", "x"]),
    (&["pnpm"], &["exec", "dlx"]),
    (&["yarn"], &["exec", "dlx"]),
    (&["bun"], &["x"]),
    (&["uv", "poetry", "pipenv", "pdm", "rye", "hatch", "pixi"], &["run"]),
    (&["composer"], &["exec"]),
    (&["opam"], &["exec"]),
    (&["conda", "mamba", "micromamba"], &["run"]),
];

const RUN: Spec = Spec::new(
    "pcnCw",
    &[
        "package",
        "call",
        "python",
        "with",
        "with-requirements",
        "with-editable",
        "from",
        "env-file",
        "directory",
        "project",
        "extra",
        "group",
        "index-url",
        "spec",
        "name",
        "prefix",
        "cwd",
        "workspace",
        "shell-mode",
        "dir",
    ],
)
.flags(&["yes", "no-install", "quiet", "isolated", "no-sync", "frozen", "locked", "all-extras", "offline"]);

fn run(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) -> bool {
    let (_, all) = Options::before(invocation.args, &RUN);
    let Some((verb, words)) = all.split_first() else { return false };
    let runs =
        RUNS.iter().any(|(names, verbs)| names.contains(&invocation.name) && verbs.contains(&verb.text.as_str()));
    // `uv tool run x` is `uvx x`.
    let words = match words.split_first() {
        Some((next, words)) if invocation.name == "uv" && verb.text == "tool" && next.text == "run" => words,
        _ if runs => words,
        // A word that is none of their own is a program of the project: `yarn prisma migrate reset`.
        _ if matches!(invocation.name, "yarn" | "pnpm" | "bun") && is_installed(&verb.text) => {
            let output = doing.runs(invocation.name, &all[all.len() - words.len() - 1..], invocation.stdin);
            doing.prints(output);
            return true;
        }
        _ => return false,
    };
    start(&format!("{} {}", invocation.name, verb.text), words, invocation.stdin, doing);
    true
}

/// Programs that a project installs and that do more than build it.
fn is_installed(name: &str) -> bool {
    super::database::migrates(name) || matches!(name, "lerna" | "changeset" | "semantic-release" | "nx" | "vsce")
}

/// `npx x`, `uvx x`, `pipx run x`.
fn runner(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words = match invocation.args.split_first() {
        Some((verb, words)) if invocation.name == "pipx" => match verb.text.as_str() {
            "run" => words,
            _ => return install::look(invocation, doing),
        },
        _ => invocation.args,
    };
    start(invocation.name, words, invocation.stdin, doing);
}

/// Runs a program by its package's name; a version behind it is not part of the name.
fn start(via: &str, words: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    let (options, words) = Options::before(words, &RUN);
    for script in options.values(&["c", "call"]) {
        doing.runs_script(via, &Stuff { text: Some(script.text.as_str().into()), from: script.from }, &[], stdin);
    }
    for source in options.values(&["p", "package", "from", "spec", "with"]) {
        install::source(source, doing);
    }
    let Some((program, rest)) = words.split_first() else { return };
    install::source(program, doing);
    let name = program.text.rsplit_once('@').map_or(program.text.as_str(), |(name, _)| name);
    if name.is_empty() || name.contains("://") {
        return;
    }
    let mut words = vec![crate::know::options::part(program, name)];
    words.extend_from_slice(rest);
    let output = doing.runs(via, &words, stdin);
    doing.prints(output);
}

/// `bundle exec x`.
fn bundle(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if let Some((verb, words)) = invocation.args.split_first()
        && verb.text == "exec"
    {
        let output = doing.runs("bundle exec", words, invocation.stdin);
        doing.prints(output);
    }
}

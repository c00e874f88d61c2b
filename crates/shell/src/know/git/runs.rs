//! Subcommands that run something, reach other hosts, or show and write files.

use super::Sub;
use crate::arg::{Arg, Origins, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, part};

pub(super) fn look(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) -> bool {
    match sub.name {
        "bisect" => bisect(sub, doing),
        "submodule" => foreach(sub, doing),
        "rebase" => rebase(sub, doing),
        "difftool" => scripts(sub, &Spec::new("xt", &["extcmd", "tool"]), &["x", "extcmd"], doing),
        "grep" => scripts(sub, &GREP, &["O", "open-files-in-pager"], doing),
        "filter-branch" => scripts(sub, &FILTER, FILTERS, doing),
        "commit" | "merge" | "am" | "cherry-pick" | "pull" => bypass(sub, doing),
        "clone" | "fetch" | "ls-remote" | "archive" => fetch(sub, doing),
        "credential" | "credential-store" | "credential-cache" | "credential-osxkeychain" | "credential-libsecret" => {
            if matches!(sub.args.last().map(|arg| arg.text.as_str()), Some("fill" | "get")) {
                doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a stored password");
            }
        }
        "show" | "cat-file" | "diff" | "blame" | "log" => shows(sub, doing),
        "add" | "stage" => adds(sub, doing),
        "daemon" => doing.does(Kind::Network, Flag::Listen.into(), "offers repositories to others"),
        "fast-import" => {
            if sub.args.iter().any(|arg| arg.text == "--force") {
                doing.does(Kind::GitRewrite, Flag::Force.into(), "overwrites branches of the repository");
            }
        }
        _ => return false,
    }
    if sub.name == "pull" {
        fetch(sub, doing);
    }
    true
}

/// Runs the values of some options as shell commands.
fn scripts(sub: &Sub<'_>, spec: &Spec, names: &[&str], doing: &mut Doing<'_, '_>) {
    run_values(sub, &sub.options(spec), names, doing);
}

fn run_values(sub: &Sub<'_>, options: &Options, names: &[&str], doing: &mut Doing<'_, '_>) {
    for script in options.values(names) {
        script_of(&format!("git {}", sub.name), script, doing);
    }
}

fn script_of(via: &str, script: &Arg, doing: &mut Doing<'_, '_>) {
    doing.runs_script(via, &Stuff { text: Some(script.text.as_str().into()), from: script.from }, &[], None);
}

const GREP: Spec =
    Spec::new("efABCm", &["max-depth", "context", "threads"]).flags(&["open-files-in-pager"]).attached("O");

const FILTERS: &[&str] = &[
    "setup",
    "env-filter",
    "tree-filter",
    "index-filter",
    "parent-filter",
    "msg-filter",
    "commit-filter",
    "tag-name-filter",
];
const FILTER: Spec = Spec::new("d", FILTERS);

fn bisect(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    if let Some((first, words)) = sub.args.split_first()
        && first.text == "run"
    {
        doing.runs("git bisect run", words, None);
    }
}

fn foreach(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let Some(at) = sub.args.iter().position(|arg| arg.text == "foreach") else { return };
    let words: Vec<Arg> = sub.args[at + 1..].iter().skip_while(|arg| arg.text.starts_with("--")).cloned().collect();
    match words.as_slice() {
        [script] => script_of("git submodule foreach", script, doing),
        words => drop(doing.runs("git submodule foreach", words, None)),
    }
}

const REBASE: Spec =
    Spec::new("xsX", &["exec", "onto", "strategy", "strategy-option"]).flags(&["no-verify", "interactive"]);

fn rebase(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(&REBASE);
    run_values(sub, &options, &["x", "exec"], doing);
    if options.has(&["no-verify"]) {
        doing.does(Kind::Weaken, Flags::NONE, "rebases without the checks of the hooks");
    }
}

/// Commits made past the hooks that check them.
fn bypass(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    const COMMIT: Spec = Spec::new(
        "mFCct",
        &[
            "message",
            "file",
            "reuse-message",
            "reedit-message",
            "template",
            "author",
            "date",
            "fixup",
            "squash",
            "trailer",
            "cleanup",
            "pathspec-from-file",
        ],
    )
    .flags(&["no-verify", "no-edit"])
    .attached("SuX");
    let options = sub.options(&COMMIT);
    if options.has(&["no-verify"]) || sub.name == "commit" && options.has(&["n"]) {
        doing.does(Kind::Weaken, Flags::NONE, "commits without the checks of the hooks");
    }
}

const FETCH: Spec = Spec::new(
    "ucbojor",
    &[
        "upload-pack",
        "exec",
        "config",
        "branch",
        "origin",
        "depth",
        "template",
        "remote",
        "output",
        "format",
        "prefix",
        "reference",
        "filter",
        "jobs",
        "separate-git-dir",
    ],
)
.flags(&["prune", "all", "tags", "force"]);

fn fetch(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    // `-u`, `-o` mean other things elsewhere, and there take no value that could be taken for an address.
    let options = sub.options(if sub.name == "clone" || sub.name == "archive" { &FETCH } else { &PULL });
    if sub.name == "clone" {
        for (key, value) in options.values(&["c", "config"]).filter_map(super::config::assignment) {
            super::config::used(&key, &value, "clone", doing);
        }
        run_values(sub, &options, &["u"], doing);
    }
    run_values(sub, &options, &["upload-pack", "exec"], doing);
    if sub.name == "archive" {
        for path in options.values(&["o", "output"]) {
            doing.overwrites(path, Flags::NONE);
        }
    }
    let from = options.value(&["remote"]).or_else(|| options.operands.first().filter(|_| sub.name != "archive"));
    let Some(from) = from else { return };
    if let Some(command) = from.text.strip_prefix("ext::") {
        doing.runs_script("git ext::", &Stuff { text: Some(command.into()), from: from.from }, &[], None);
    } else if from.text.contains("://") || from.text.contains('@') {
        doing.talks(from, Flag::Download.into(), None);
        if sub.name == "clone" {
            clones(from, options.operands.get(1), doing);
        }
    }
}

/// A clone fills a folder of its own with what came from a host.
fn clones(from: &Arg, folder: Option<&Arg>, doing: &mut Doing<'_, '_>) {
    let address = from.text.trim_end_matches('/');
    let name = address.rsplit(['/', ':']).next().unwrap_or_default();
    let named = Arg::known(name.strip_suffix(".git").unwrap_or(name));
    let network = Origins { network: true, ..Origins::default() };
    doing.fills(folder.unwrap_or(&named), network);
}

const PULL: Spec = Spec::new("sXj", &["upload-pack", "exec", "depth", "strategy", "strategy-option", "server-option"]);

/// Subcommands that print what files hold, or held.
fn shows(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(
        &Spec::new("GSLnO", &["grep", "author", "since", "until", "output", "format", "pretty"]).attached("UM"),
    );
    for path in options.values(&["output"]) {
        doing.overwrites(path, Flags::NONE);
    }
    let prints = sub.name != "log" || options.has(&["p", "patch", "u"]);
    let stat = options.has(&["stat", "name-only", "name-status", "shortstat", "numstat", "quiet", "e", "t", "s"]);
    if !prints || stat {
        return;
    }
    let after = options.before_dashes.unwrap_or(usize::MAX);
    for (at, operand) in options.operands.iter().enumerate() {
        let path = match operand.text.split_once(':') {
            Some((_, path)) if at < after && !path.is_empty() => Some(part(operand, path)),
            None if at >= after || sub.name == "blame" || options.has(&["no-index"]) => Some(operand.clone()),
            None if doing.locate(operand).nature.secret => Some(operand.clone()),
            _ => None,
        };
        if let Some(path) = path {
            doing.reads(&path);
        }
    }
}

/// A credential that is added is in the history for good.
fn adds(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(&Spec::new("", &["pathspec-from-file", "chmod"]));
    if options.has(&["n", "dry-run"]) {
        return;
    }
    if options.operands.iter().any(|path| !path.glob && doing.locate(path).nature.secret) {
        doing.does(Kind::SendSecret, Flag::Secret.into(), "adds a credential to the repository");
    }
}

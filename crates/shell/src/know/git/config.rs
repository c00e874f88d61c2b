//! Settings: many of them name programs that git runs later.

use super::Sub;
use crate::arg::{Arg, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Spec, part};

pub(super) fn look(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) -> bool {
    if sub.name != "config" {
        return false;
    }
    config(sub, doing);
    true
}

/// Where an alias that is set in this command is kept.
pub(super) fn alias_key(name: &str) -> String {
    format!("\0git alias {name}")
}

/// `key=value`; a key alone is true.
pub(super) fn assignment(word: &Arg) -> Option<(String, Arg)> {
    let (key, value) = word.text.split_once('=').unwrap_or((&word.text, "true"));
    (!key.is_empty()).then(|| (key.to_ascii_lowercase(), part(word, value)))
}

/// `--config-env key=VARIABLE`.
pub(super) fn from_variable(word: &Arg, doing: &Doing<'_, '_>) -> Option<(String, Arg)> {
    let (key, name) = word.text.split_once('=')?;
    Some((key.to_ascii_lowercase(), variable(name, doing)?))
}

/// A variable that this very command has set.
fn variable(name: &str, doing: &Doing<'_, '_>) -> Option<Arg> {
    doing.walk.shell.get(name).map(|value| value.first()).filter(|value| !value.text.is_empty())
}

/// Settings in the environment: `GIT_CONFIG_COUNT` with its keys and values, or all in `GIT_CONFIG_PARAMETERS`.
pub(super) fn inherited(doing: &Doing<'_, '_>) -> Vec<(String, Arg)> {
    let mut settings = Vec::new();
    let count = variable("GIT_CONFIG_COUNT", doing).and_then(|count| count.text.trim().parse().ok()).unwrap_or(0);
    for at in 0..count.min(64_usize) {
        let key = variable(&format!("GIT_CONFIG_KEY_{at}"), doing);
        let value = variable(&format!("GIT_CONFIG_VALUE_{at}"), doing);
        if let (Some(key), Some(value)) = (key, value) {
            settings.push((key.text.to_ascii_lowercase(), value));
        }
    }
    if let Some(all) = variable("GIT_CONFIG_PARAMETERS", doing) {
        let quoted = all.text.split('\'').map(str::trim).filter(|text| text.contains('='));
        settings.extend(quoted.filter_map(|text| assignment(&part(&all, text))));
    }
    settings
}

/// Variables that keep the hooks of a project from running, as `--no-verify` does.
fn hookless(sub: &str, doing: &mut Doing<'_, '_>) {
    let off =
        |name: &str, values: &[&str]| variable(name, doing).is_some_and(|value| values.contains(&value.text.as_str()));
    let hooked = matches!(sub, "commit" | "push" | "merge" | "rebase" | "am" | "cherry-pick");
    if hooked && (off("HUSKY", &["0"]) || off("HUSKY_SKIP_HOOKS", &["1", "true"]) || off("LEFTHOOK", &["0", "false"])) {
        doing.does(Kind::Weaken, Flags::NONE, "goes around the checks of the repository");
    }
}

/// Programs in the environment that a subcommand runs.
pub(super) fn programs(sub: &str, doing: &mut Doing<'_, '_>) {
    hookless(sub, doing);
    const VARIABLES: &[(&str, &[&str])] = &[
        ("GIT_SSH_COMMAND", &["push", "pull", "fetch", "clone", "ls-remote", "remote", "archive", "submodule"]),
        ("GIT_SSH", &["push", "pull", "fetch", "clone", "ls-remote", "remote", "archive", "submodule"]),
        ("GIT_ASKPASS", &["push", "pull", "fetch", "clone", "ls-remote", "remote", "submodule"]),
        ("GIT_PROXY_COMMAND", &["push", "pull", "fetch", "clone", "ls-remote", "remote", "submodule"]),
        ("GIT_PAGER", &["log", "show", "diff", "blame", "grep", "branch", "tag", "help", "config", "stash", "reflog"]),
        ("PAGER", &["log", "show", "diff", "blame", "grep", "branch", "tag", "help", "config", "stash", "reflog"]),
        ("GIT_EDITOR", &["commit", "rebase", "merge", "tag", "notes", "revert", "cherry-pick", "config"]),
        ("EDITOR", &["commit", "rebase", "merge", "tag", "notes", "revert", "cherry-pick", "config"]),
        ("VISUAL", &["commit", "rebase", "merge", "tag", "notes", "revert", "cherry-pick", "config"]),
        ("GIT_SEQUENCE_EDITOR", &["rebase"]),
        ("GIT_EXTERNAL_DIFF", &["diff", "show", "log"]),
    ];
    for (name, subs) in VARIABLES {
        if subs.contains(&sub)
            && let Some(value) = variable(name, doing)
        {
            let script = Stuff { text: Some(value.text.as_str().into()), from: value.from };
            doing.runs_script(name, &script, &[], None);
        }
    }
}

/// Settings whose value is a program: `(start, end)` of the key in small letters.
const PROGRAMS: &[(&str, &str)] = &[
    ("core.pager", ""),
    ("pager.", ""),
    ("core.editor", ""),
    ("sequence.editor", ""),
    ("core.sshcommand", ""),
    ("core.askpass", ""),
    ("core.fsmonitor", ""),
    ("core.gitproxy", ""),
    ("core.alternaterefscommand", ""),
    ("diff.external", ""),
    ("diff.", ".command"),
    ("diff.", ".textconv"),
    ("difftool.", ".cmd"),
    ("mergetool.", ".cmd"),
    ("guitool.", ".cmd"),
    ("browser.", ".cmd"),
    ("man.", ".cmd"),
    ("merge.", ".driver"),
    ("filter.", ".clean"),
    ("filter.", ".smudge"),
    ("filter.", ".process"),
    ("gpg.program", ""),
    ("gpg.", ".program"),
    ("interactive.difffilter", ""),
    ("trailer.", ".command"),
    ("trailer.", ".cmd"),
    ("uploadpack.packobjectshook", ""),
    ("remote.", ".uploadpack"),
    ("remote.", ".receivepack"),
    ("tar.", ".command"),
];

/// What of a setting's value runs as a shell command, if anything.
fn program<'v>(key: &str, value: &'v Arg) -> Option<&'v str> {
    let bang = value.text.trim_start().strip_prefix('!');
    if key.starts_with("credential.") || key.starts_with("submodule.") || key.starts_with("alias.") {
        return bang;
    }
    let listed = PROGRAMS.iter().any(|(start, end)| {
        if end.is_empty() && !start.ends_with('.') {
            key == *start
        } else {
            key.starts_with(start) && key.ends_with(end)
        }
    });
    let switch = matches!(value.text.as_str(), "true" | "false" | "");
    (listed && !switch).then_some(bang.unwrap_or(&value.text))
}

/// A setting that holds for this very command (`git -c key=value …`).
pub(super) fn used(key: &str, value: &Arg, sub: &str, doing: &mut Doing<'_, '_>) {
    if key == "core.hookspath" && matches!(sub, "commit" | "push" | "merge" | "rebase" | "am" | "checkout") {
        if is_nowhere(&value.text) {
            doing.does(Kind::Weaken, Flags::NONE, "switches off git hooks");
        }
    } else if key == "protocol.ext.allow" && value.text == "always" {
        doing.does(Kind::Weaken, Flags::NONE, "lets git run commands that stand in addresses");
    } else if !key.starts_with("alias.") {
        run(key, value, doing);
    }
}

fn run(key: &str, value: &Arg, doing: &mut Doing<'_, '_>) {
    if let Some(script) = program(key, value) {
        let script = Stuff { text: Some(script.into()), from: value.from };
        doing.runs_script(&format!("git {key}"), &script, &[], None);
    }
}

fn is_nowhere(path: &str) -> bool {
    path.is_empty() || path.starts_with("/dev/null") || path.contains("nonexist") || path.starts_with("/nowhere")
}

const CONFIG: Spec = Spec::new("ft", &["file", "blob", "type", "default", "comment", "value", "url"]).flags(&[
    "global",
    "system",
    "local",
    "worktree",
    "get",
    "get-all",
    "get-regexp",
    "unset",
    "unset-all",
    "list",
    "add",
    "replace-all",
    "edit",
]);

fn config(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(&CONFIG);
    let verb = options.word(0);
    let skip =
        usize::from(matches!(verb, "set" | "get" | "unset" | "list" | "edit" | "rename-section" | "remove-section"));
    let reads =
        options.has(&["get", "get-all", "get-regexp", "list", "l", "get-urlmatch"]) || matches!(verb, "get" | "list");
    let key = options.word(skip).to_ascii_lowercase();
    let value = options.operands.get(skip + 1);
    if verb == "unset" || options.has(&["unset", "unset-all", "edit", "e", "remove-section", "rename-section"]) {
        return;
    }
    match value.filter(|_| !reads) {
        Some(value) => set(&key, value, options.has(&["global", "system"]), doing),
        None if ["token", "password", "secret", "oauth"].iter().any(|word| key.contains(word)) => {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), format!("prints the credential {key}"));
        }
        None => {}
    }
}

fn set(key: &str, value: &Arg, for_all: bool, doing: &mut Doing<'_, '_>) {
    match key {
        "core.hookspath" if is_nowhere(&value.text) => doing.does(Kind::Weaken, Flags::NONE, "switches off git hooks"),
        "core.hookspath" | "init.templatedir" if for_all => {
            doing.does(
                Kind::Persist,
                Flags::NONE,
                format!("lets git run hooks from {} in every repository", value.text),
            );
        }
        "http.sslverify" if for_all && matches!(value.text.as_str(), "false" | "0" | "no") => {
            doing.does(Kind::Weaken, Flags::NONE, "switches off the check of certificates for git");
        }
        "protocol.ext.allow" if value.text == "always" => {
            doing.does(Kind::Weaken, Flags::NONE, "lets git run commands that stand in addresses");
        }
        "credential.helper" if value.text == "store" || value.text.starts_with("store ") => {
            doing.does(Kind::Weaken, Flags::NONE, "lets git keep passwords as plain text");
        }
        _ => {
            if let Some(name) = key.strip_prefix("alias.") {
                let kept = Stuff { text: Some(value.text.as_str().into()), from: value.from };
                doing.walk.put(alias_key(name), kept, false);
            }
            run(key, value, doing);
        }
    }
}

//! git, and what stands in for it or in front of it.

mod config;
mod discard;
mod forge;
mod others;
mod push;
mod runs;
#[cfg(test)]
mod tests;

use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::know::options::{Options, Spec};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "git" | "git.exe" => git,
        "hub" => forge::hub,
        "gh" => forge::gh,
        "glab" => forge::glab,
        "hg" => others::hg,
        "svn" => others::svn,
        "jj" => others::jj,
        "git-filter-repo" | "bfg" => discard::filter_repo,
        _ => return None,
    })
}

/// Options before the subcommand.
const GLOBAL: Spec = Spec::new(
    "Cc",
    &["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env", "attr-source", "list-cmds"],
);

/// A subcommand with its words.
struct Sub<'a> {
    name: &'a str,
    args: &'a [Arg],
    stdin: Option<&'a Stuff>,
    /// `-c key=value` before it, in order.
    config: &'a [(String, Arg)],
}

impl Sub<'_> {
    fn options(&self, spec: &Spec) -> Options {
        Options::of(self.args, spec)
    }

    /// A setting given on the command line. The last one counts.
    fn setting(&self, key: &str) -> Option<&Arg> {
        self.config.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }
}

/// Aliases may lead to aliases; nobody nests them deeper than this.
const ALIASES: usize = 5;

pub(crate) fn git(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    follow(invocation.args, invocation.stdin, &[], doing, ALIASES);
}

fn follow(args: &[Arg], stdin: Option<&Stuff>, outer: &[(String, Arg)], doing: &mut Doing<'_, '_>, depth: usize) {
    let (globals, rest) = Options::before(args, &GLOBAL);
    if globals.has(&["help", "version", "h", "v"]) {
        return;
    }
    let mut settings = outer.to_vec();
    settings.extend(globals.values(&["c"]).filter_map(config::assignment));
    let Some((name, rest)) = rest.split_first() else { return };
    if name.text == "help" || rest.first().is_some_and(|word| matches!(word.text.as_str(), "--help" | "-h")) {
        return;
    }
    settings.extend(globals.values(&["config-env"]).filter_map(|word| config::from_variable(word, doing)));
    settings.extend(config::inherited(doing));
    for (key, value) in &settings {
        config::used(key, value, &name.text, doing);
    }
    config::programs(&name.text, doing);
    let sub = Sub { name: &name.text, args: rest, stdin, config: &settings };
    if known(&sub, doing) || depth == 0 {
        return;
    }
    let recorded = doing.walk.content(&config::alias_key(&name.text)).and_then(|stuff| stuff.text);
    let alias = sub.setting(&format!("alias.{}", name.text)).map(|alias| alias.text.clone());
    if let Some(alias) = alias.or_else(|| recorded.map(|text| text.to_string())) {
        expand(&alias, &sub, doing, depth - 1);
    }
}

/// An alias stands for a subcommand with options, or after `!` for a shell command.
fn expand(alias: &str, sub: &Sub<'_>, doing: &mut Doing<'_, '_>, depth: usize) {
    if let Some(script) = alias.trim_start().strip_prefix('!') {
        let words: Vec<&str> = sub.args.iter().map(|arg| arg.text.as_str()).collect();
        let script = format!("{script} {}", words.join(" "));
        doing.runs_script("git alias", &Stuff::known(script), &[], sub.stdin);
        return;
    }
    let unquoted = alias.split_whitespace().map(|word| Arg::known(word.trim_matches(['"', '\''])));
    let words: Vec<Arg> = unquoted.chain(sub.args.iter().cloned()).collect();
    follow(&words, sub.stdin, sub.config, doing, depth);
}

/// Whether git itself knows this subcommand: an alias cannot replace it.
fn known(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) -> bool {
    says_where(sub, doing);
    discard::look(sub, doing) || push::look(sub, doing) || runs::look(sub, doing) || config::look(sub, doing) || {
        const HARMLESS: &[&str] = &[
            "status",
            "log",
            "merge",
            "mv",
            "describe",
            "shortlog",
            "rev-parse",
            "rev-list",
            "ls-files",
            "ls-tree",
            "init",
            "cherry-pick",
            "revert",
            "apply",
            "format-patch",
            "name-rev",
            "for-each-ref",
            "show-ref",
            "whatchanged",
        ];
        HARMLESS.contains(&sub.name)
    }
}

/// `git rev-parse --show-toplevel`: the workspace, or the repository's own folder in it.
fn says_where(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let asks = |option: &str| sub.name == "rev-parse" && sub.args.iter().any(|arg| arg.text == option);
    let around = doing.walk.around();
    let inside = |root: &str| around.cwd.is_some_and(|cwd| cwd == root || cwd.starts_with(&format!("{root}/")));
    let Some(root) = around.workspace.filter(|root| inside(root)).map(str::to_owned) else { return };
    if asks("--show-toplevel") {
        doing.prints(Stuff::known(format!("{root}\n")));
    } else if asks("--git-dir") || asks("--absolute-git-dir") || asks("--git-common-dir") {
        doing.prints(Stuff::known(format!("{root}/.git\n")));
    }
}

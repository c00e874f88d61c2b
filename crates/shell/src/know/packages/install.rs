//! What is fetched from an address instead of a registry, and run while it is installed.

use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, part};

/// A manager, its subcommands that install, and the options that hold addresses to install from.
const MANAGERS: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["pip", "pip3", "pipx", "uv", "pipenv", "poetry", "pdm", "rye"],
        &["install", "add", "inject", "pip", "tool"],
        &["e", "editable", "spec"],
    ),
    (&["npm", "pnpm", "yarn", "bun"], &["install", "i", "add", "a", "in", "ci", "global", "isntall"], &[]),
    (&["cargo"], &["install", "add"], &["git"]),
    (&["gem"], &["install"], &[]),
    (&["deno"], &["run", "install", "eval", "serve", "test", "bench"], &["import-map"]),
    (&["go"], &["run", "install"], &[]),
    (&["brew", "dnf", "yum", "zypper", "rpm"], &["install", "reinstall", "localinstall"], &[]),
    (&["helm-plugin"], &["install"], &[]),
    (&["conda", "mamba"], &["install", "create"], &[]),
];

pub(super) fn knows(name: &str) -> bool {
    manager(name).is_some()
}

fn manager(name: &str) -> Option<&'static (&'static [&'static str], &'static [&'static str], &'static [&'static str])> {
    let name = if name.starts_with("pip3") { "pip3" } else { name };
    MANAGERS.iter().find(|(names, ..)| names.contains(&name))
}

const OPTIONS: Spec = Spec::new(
    "eirctd",
    &[
        "editable",
        "index-url",
        "extra-index-url",
        "find-links",
        "requirement",
        "constraint",
        "target",
        "prefix",
        "registry",
        "git",
        "spec",
        "branch",
        "tag",
        "rev",
        "root",
        "python",
        "trusted-host",
        "proxy",
        "import-map",
        "cache-dir",
        "index",
        "version",
    ],
);

pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((_, verbs, sources)) = manager(invocation.name) else { return };
    let options = Options::of(invocation.args, &OPTIONS);
    let Some(verb) = options.operands.iter().position(|word| verbs.contains(&word.text.as_str())) else { return };
    if verb > 1 || options.has(&["dry-run"]) {
        return;
    }
    // `deno run URL -- …` and `go run URL …` take arguments of the program after the first word.
    let operands = &options.operands[verb + 1..];
    let operands =
        if matches!(invocation.name, "deno" | "go") { operands.get(..1).unwrap_or_default() } else { operands };
    for word in operands.iter().chain(options.values(sources)) {
        source(word, doing);
    }
}

/// A package that is named by an address runs code of whoever answers there. Well-known forges over an encrypted
/// connection are as good as a registry.
pub(super) fn source(word: &Arg, doing: &mut Doing<'_, '_>) {
    const TRUSTED: &[&str] = &[
        "https://github.com/",
        "ssh://git@github.com/",
        "https://gitlab.com/",
        "ssh://git@gitlab.com/",
        "https://bitbucket.org/",
        "https://codeberg.org/",
        "https://raw.githubusercontent.com/",
        "https://codeload.github.com/",
        "https://deno.land/",
        "https://jsr.io/",
        "https://esm.sh/",
        "https://files.pythonhosted.org/",
        concat!("https://pypi", ".org/"),
        concat!("https://registry.npmjs", ".org/"),
        "https://download.pytorch.org/",
        concat!("https://crates", ".io/"),
        "https://dl.fedoraproject.org/",
        "https://rpmfind.net/",
    ];
    let text = word.text.rsplit_once(" @ ").map_or(word.text.as_str(), |(_, address)| address);
    let address = text.strip_prefix("git+").unwrap_or(text);
    let fetched =
        ["http://", "https://", "git://", "ssh://", "ftp://"].iter().any(|scheme| address.starts_with(scheme));
    if !fetched {
        return;
    }
    doing.talks(&part(word, address), Flag::Download.into(), None);
    if !TRUSTED.iter().any(|start| address.starts_with(start)) {
        doing.does(
            Kind::RunUnseen,
            Flags::NONE.with(Flag::FromNetwork),
            format!("installs and runs code from {address}"),
        );
    }
}

//! Work that is thrown away: uncommitted changes, commits that nothing names any more.

use super::Sub;
use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec};

/// What each subcommand takes, and what it throws away if anything.
struct Rule {
    name: &'static str,
    spec: Spec,
    loses: fn(&Options, &Sub<'_>) -> Option<&'static str>,
}

const CHANGES: &str = "throws away uncommitted changes";
const COMMITS: &str = "throws away commits that cannot be found again";

const RULES: &[Rule] = &[
    Rule {
        name: "reset",
        spec: Spec::new("U", &["pathspec-from-file"]).flags(&["hard", "merge", "soft", "mixed", "keep", "quiet"]),
        loses: |options, _| options.has(&["hard", "merge"]).then_some(CHANGES),
    },
    Rule { name: "checkout", spec: CHECKOUT, loses: checkout },
    Rule {
        name: "switch",
        spec: Spec::new("cC", &["create", "force-create", "orphan", "conflict"]).flags(&["force", "discard-changes"]),
        loses: |options, _| options.on(&["f", "force", "discard-changes"]).then_some(CHANGES),
    },
    Rule { name: "restore", spec: RESTORE, loses: restore },
    Rule {
        name: "clean",
        spec: Spec::new("e", &["exclude"]).flags(&["force", "dry-run", "interactive", "quiet"]),
        loses: clean,
    },
    Rule {
        name: "stash",
        spec: Spec::new("m", &["message"]),
        loses: |options, _| matches!(options.word(0), "drop" | "clear").then_some("throws away stashed changes"),
    },
    Rule {
        name: "branch",
        spec: Spec::new("u", &["set-upstream-to", "contains", "merged", "sort", "format"]).flags(&["delete", "force"]),
        loses: |options, _| {
            let by_force = options.on(&["f", "force"]);
            if options.has(&["D"]) || options.has(&["d", "delete"]) && by_force {
                return Some("deletes a branch whether it is merged or not");
            }
            let named = options.has(&["m", "move", "c", "copy", "M", "C"]) || options.operands.is_empty();
            (by_force && !named).then_some("moves a branch away from its commits")
        },
    },
    Rule {
        name: "tag",
        spec: Spec::new("mFu", &["message", "file", "local-user", "sort", "format", "cleanup"])
            .flags(&["delete", "list"])
            .attached("n"),
        loses: |options, _| options.has(&["d", "delete"]).then_some("deletes a tag"),
    },
    Rule {
        name: "rm",
        spec: Spec::new("", &["pathspec-from-file"]).flags(&["force", "cached", "dry-run", "quiet"]),
        loses: |options, _| {
            let forced = options.on(&["f", "force"]) && !options.on(&["cached"]) && !options.on(&["n", "dry-run"]);
            forced.then_some("deletes files with their uncommitted changes")
        },
    },
    Rule {
        name: "mv",
        spec: Spec::new("", &[]).flags(&["force", "dry-run"]),
        loses: |options, _| {
            let forced = options.on(&["f", "force"]) && !options.on(&["n", "dry-run"]);
            forced.then_some("overwrites a file with its uncommitted changes")
        },
    },
    Rule {
        name: "worktree",
        spec: Spec::new("", &["reason", "expire"]).flags(&["force"]),
        loses: |options, _| {
            let forced = options.word(0) == "remove" && options.on(&["f", "force"]);
            forced.then_some("removes a worktree with its uncommitted changes")
        },
    },
    Rule {
        name: "reflog",
        spec: Spec::new("", &["expire", "expire-unreachable"]).flags(&["dry-run", "all", "updateref", "rewrite"]),
        loses: reflog,
    },
    Rule {
        name: "gc",
        spec: Spec::new("", &[]).flags(&["prune", "auto", "aggressive", "quiet"]),
        loses: |options, sub| {
            let asked = options.value(&["prune"]).or_else(|| sub.setting("gc.pruneExpire"));
            asked.is_some_and(|when| at_once(&when.text)).then_some(COMMITS)
        },
    },
    Rule {
        name: "prune",
        spec: Spec::new("", &["expire"]).flags(&["dry-run", "verbose", "progress"]),
        loses: |options, _| {
            let kept = options.value(&["expire"]).is_some_and(|when| !at_once(&when.text));
            (!kept && !options.has(&["n", "dry-run"])).then_some(COMMITS)
        },
    },
    Rule {
        name: "update-ref",
        spec: Spec::new("m", &[]).flags(&["delete", "stdin", "create-reflog"]),
        loses: |options, _| options.has(&["d", "delete"]).then_some("deletes a branch or another name for commits"),
    },
    Rule {
        name: "symbolic-ref",
        spec: Spec::new("m", &[]).flags(&["delete"]),
        loses: |options, _| options.has(&["d", "delete"]).then_some("deletes a name for commits"),
    },
    Rule {
        name: "checkout-index",
        spec: Spec::new("", &["prefix", "stage"]).flags(&["force", "all"]),
        loses: |options, _| (options.on(&["f", "force"]) && options.value(&["prefix"]).is_none()).then_some(CHANGES),
    },
    Rule {
        name: "read-tree",
        spec: Spec::new("", &["prefix", "index-output"]).flags(&["reset", "dry-run"]),
        loses: |options, _| {
            (options.has(&["reset"]) && options.has(&["u"]) && !options.has(&["n", "dry-run"])).then_some(CHANGES)
        },
    },
    Rule {
        name: "submodule",
        spec: Spec::new("b", &["branch", "reference", "depth", "name"]).flags(&["force"]),
        loses: |options, _| {
            let forced = matches!(options.word(0), "deinit" | "update") && options.on(&["f", "force"]);
            forced.then_some("throws away changes in a submodule")
        },
    },
    Rule {
        name: "notes",
        spec: Spec::new("mFCc", &["message", "file", "ref"]).flags(&["dry-run"]),
        loses: |options, _| {
            let gone = matches!(options.word(0), "remove" | "prune") && !options.has(&["n", "dry-run"]);
            gone.then_some("deletes notes on commits")
        },
    },
];

const REWRITERS: &[&str] = &["filter-branch", "filter-repo"];

/// `git lfs migrate import` makes every commit anew.
fn migrates(sub: &Sub<'_>) -> bool {
    let words: Vec<&str> = sub.args.iter().map(|arg| arg.text.as_str()).collect();
    sub.name == "lfs" && matches!(words[..], ["migrate", "import" | "export", ..]) && !words.contains(&"--no-rewrite")
}

pub(super) fn look(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) -> bool {
    if REWRITERS.contains(&sub.name) || migrates(sub) {
        rewrite(sub.args, doing);
        return sub.name == "filter-repo";
    }
    let Some(rule) = RULES.iter().find(|rule| rule.name == sub.name) else { return false };
    let options = sub.options(&rule.spec);
    if options.has(&["h", "help"]) {
        return true;
    }
    if let Some(what) = (rule.loses)(&options, sub) {
        doing.does(Kind::GitDiscard, Flags::NONE.with(Flag::Force), what);
    }
    // `git submodule foreach` runs something as well.
    !matches!(sub.name, "submodule")
}

/// `git filter-repo` and its like, called by their own names.
pub(super) fn filter_repo(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    rewrite(invocation.args, doing);
}

fn rewrite(args: &[Arg], doing: &mut Doing<'_, '_>) {
    let spec = Spec::new(
        "",
        &[
            "replace-text",
            "replace-message",
            "path",
            "path-glob",
            "refs",
            "source",
            "target",
            "mailmap",
            "email-callback",
        ],
    );
    if !Options::of(args, &spec).has(&["dry-run", "analyze", "h", "help", "version"]) {
        doing.does(Kind::GitRewrite, Flags::NONE.with(Flag::Force), "rewrites the history of the repository");
    }
}

const CHECKOUT: Spec = Spec::new("bB", &["orphan", "conflict", "pathspec-from-file", "unified", "inter-hunk-context"])
    .flags(&["force", "ours", "theirs", "detach", "track", "quiet", "patch", "merge"])
    .attached("U");

fn checkout(options: &Options, _: &Sub<'_>) -> Option<&'static str> {
    if options.on(&["f", "force"]) || options.value(&["pathspec-from-file"]).is_some() {
        return Some(CHANGES);
    }
    // Taking a side of a conflict is how conflicts are resolved.
    if options.has(&["ours", "theirs", "2", "3"]) {
        return None;
    }
    let branching = options.has(&["b", "B", "orphan", "detach", "d", "track", "t"]);
    let paths = match options.before_dashes {
        Some(before) => options.operands.len() > before,
        None if options.operands.len() > 1 => !branching || options.has(&["track", "t"]),
        None => !branching && options.operands.first().is_some_and(is_path),
    };
    (paths || options.has(&["p", "patch"])).then_some(CHANGES)
}

/// One word may be a branch or a file. A file that looks like one, looks like this.
fn is_path(word: &Arg) -> bool {
    const FILES: &[&str] = &[
        "rs", "py", "js", "mjs", "ts", "tsx", "jsx", "json", "md", "txt", "toml", "yaml", "yml", "lock", "go", "c",
        "h", "cc", "cpp", "hpp", "java", "kt", "rb", "php", "html", "css", "scss", "sh", "sql", "xml", "cfg", "ini",
        "conf", "vue", "swift", "svg", "csv",
    ];
    let text = word.text.as_str();
    word.glob
        || matches!(text, "." | "..")
        || ["./", "../", ":/", ":(", "/", "~"].iter().any(|start| text.starts_with(start))
        || text.ends_with('/')
        || text.rsplit_once('.').is_some_and(|(_, end)| FILES.contains(&end))
}

const RESTORE: Spec = Spec::new("sU", &["source", "conflict", "pathspec-from-file", "unified", "inter-hunk-context"])
    .flags(&["staged", "worktree", "ours", "theirs", "merge", "quiet", "patch"]);

fn restore(options: &Options, _: &Sub<'_>) -> Option<&'static str> {
    let paths = !options.operands.is_empty()
        || options.has(&["p", "patch"])
        || options.value(&["pathspec-from-file"]).is_some();
    let worktree = options.on(&["W", "worktree"]) || !options.has(&["S", "staged"]);
    let side = options.has(&["ours", "theirs"]);
    (paths && worktree && !side).then_some(CHANGES)
}

fn clean(options: &Options, sub: &Sub<'_>) -> Option<&'static str> {
    let unasked = sub
        .setting("clean.requireForce")
        .is_some_and(|value| matches!(value.text.as_str(), "false" | "no" | "0" | "off"));
    let forced = options.has(&["f", "force"]) || unasked;
    let dry = options.on(&["n", "dry-run"]);
    (forced && !dry).then_some("deletes files that git does not track")
}

fn reflog(options: &Options, _: &Sub<'_>) -> Option<&'static str> {
    if options.has(&["n", "dry-run"]) {
        return None;
    }
    let soon = options.values(&["expire", "expire-unreachable"]).any(|when| at_once(&when.text));
    match options.word(0) {
        "delete" => Some("deletes the record of where branches pointed"),
        "expire" if soon => Some("deletes the record of where branches pointed"),
        _ => None,
    }
}

/// Whether a time limit spares nothing.
fn at_once(when: &str) -> bool {
    matches!(when.trim(), "now" | "all" | "0" | "today") || when.starts_with("0.") || when.starts_with("now")
}

//! Version control besides git.

use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

const HG: Spec =
    Spec::new("RmlIXrbBuecd", &["repository", "cwd", "config", "message", "logfile", "include", "exclude", "rev"]);

pub(super) fn hg(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &HG);
    if only_asks(invocation.args) || options.has(&["dry-run", "n"]) {
        return;
    }
    let clean = invocation.args.iter().any(|arg| matches!(arg.text.as_str(), "-C" | "--clean"));
    match options.word(0) {
        "update" | "up" | "checkout" | "co" if clean => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "throws away uncommitted changes");
        }
        "revert" if options.has(&["C", "no-backup"]) || options.has(&["a", "all"]) => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "throws away uncommitted changes");
        }
        "strip" | "purge" | "rollback" | "prune" => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "throws away commits or files");
        }
        "push" if options.has(&["f", "force"]) => {
            doing.does(Kind::GitRewrite, Flag::Force.into(), "pushes against a protection");
        }
        _ => {}
    }
}

const JJ: Spec = Spec::new("Rrmoc", &["repository", "revision", "message", "at-operation", "config", "bookmark"]);

/// jj keeps a record of what it did, from which most things come back, unless that goes as well.
pub(super) fn jj(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &JJ);
    if only_asks(invocation.args) || options.has(&["dry-run"]) {
        return;
    }
    match (options.word(0), options.word(1)) {
        ("op" | "operation", "abandon") => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "throws away the record from which work comes back");
        }
        ("git", "push") if options.has(&["deleted"]) => {
            doing.does(Kind::GitRewrite, Flag::Remote.into(), "deletes published branches");
        }
        _ => {}
    }
}

const SVN: Spec = Spec::new("mFrcN", &["message", "file", "revision", "username", "password", "depth", "config-dir"]);

pub(super) fn svn(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &SVN);
    if only_asks(invocation.args) {
        return;
    }
    let hosted = options.operands.iter().skip(1).any(|arg| arg.text.contains("://"));
    match options.word(0) {
        "revert" => doing.does(Kind::GitDiscard, Flag::Force.into(), "throws away uncommitted changes"),
        "cleanup" if options.has(&["remove-unversioned", "remove-ignored"]) => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "deletes files that are not under version control");
        }
        "delete" | "del" | "remove" | "rm" if hosted => {
            doing.does(Kind::GitRewrite, Flag::Remote.into(), "deletes a folder of the published repository");
        }
        "delete" | "del" | "remove" | "rm" if options.has(&["force"]) => {
            doing.does(Kind::GitDiscard, Flag::Force.into(), "deletes files with their uncommitted changes");
        }
        _ => {}
    }
}

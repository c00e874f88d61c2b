//! What goes to other repositories.

use super::Sub;
use crate::arg::{Arg, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec};

const PUSH: Spec = Spec::new("o", &["push-option", "repo", "receive-pack", "exec"]).flags(&[
    "force",
    "force-with-lease",
    "force-if-includes",
    "delete",
    "mirror",
    "prune",
    "all",
    "branches",
    "tags",
    "follow-tags",
    "dry-run",
    "no-verify",
    "verify",
    "verbose",
    "set-upstream",
    "quiet",
]);

pub(super) fn look(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) -> bool {
    match sub.name {
        "push" => push(sub, doing),
        "remote" => remote(sub, doing),
        "send-pack" => push(sub, doing),
        _ => return false,
    }
    true
}

fn push(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(&PUSH);
    if options.has(&["n", "dry-run", "h", "help"]) {
        return;
    }
    if options.has(&["no-verify"]) {
        doing.does(Kind::Weaken, Flags::NONE, "pushes without the checks of the pre-push hook");
    }
    if let Some(what) = rewrites(&options) {
        doing.does(Kind::GitRewrite, Flags::NONE.with(Flag::Force).with(Flag::Remote), what);
    }
    let to = options.value(&["repo"]).or_else(|| options.operands.first());
    match to {
        Some(to) => send(to, doing),
        None => doing.does(Kind::Network, Flag::Upload.into(), "pushes commits"),
    }
}

fn rewrites(options: &Options) -> Option<&'static str> {
    let skip = usize::from(options.value(&["repo"]).is_none());
    let refs = options.operands.get(skip..).unwrap_or_default();
    let is_delete = |spec: &Arg| spec.text.len() > 1 && (spec.text.starts_with(':') || spec.text.starts_with("+:"));
    if options.on(&["f", "force"]) {
        return Some("overwrites published history");
    }
    if options.has(&["d", "delete"]) || refs.iter().any(is_delete) {
        return Some("deletes a published branch or tag");
    }
    if options.on(&["mirror", "prune"]) {
        return Some("deletes or overwrites whatever the other repository has and this one has not");
    }
    if refs.iter().any(|spec| spec.text.starts_with('+') || spec.text.contains(":+")) {
        return Some("overwrites published history");
    }
    let leased = options.on(&["force-with-lease", "force-if-includes"]);
    let shared = refs.iter().any(|spec| is_shared(spec.text.rsplit(':').next().unwrap_or_default()));
    (leased && shared).then_some("overwrites the published history of a branch that others use")
}

/// Branches that are rarely one's own.
fn is_shared(name: &str) -> bool {
    const SHARED: &[&str] =
        &["main", "master", "trunk", "develop", "production", "prod", "release", "stable", "staging"];
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    SHARED.contains(&name) || name.starts_with("release/") || name.starts_with("release-")
}

fn remote_key(name: &str) -> String {
    format!("\0git remote {name}")
}

/// Remembers where a remote that is named in this command leads.
fn remote(sub: &Sub<'_>, doing: &mut Doing<'_, '_>) {
    let options = sub.options(&Spec::new("tm", &["mirror"]).flags(&["add", "push", "delete", "tags", "fetch"]));
    let (verb, name) = (options.word(0), options.word(1));
    if matches!(verb, "add" | "set-url")
        && let Some(url) = options.operands.get(2)
    {
        doing.walk.put(remote_key(name), Stuff { text: Some(url.text.as_str().into()), from: url.from }, false);
    }
}

/// Where people keep their repositories: to push there is ordinary, wherever the remote was named.
const FORGES: &[&str] = &[
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "git.sr.ht",
    "dev.azure.com",
    "visualstudio.com",
    "heroku.com",
    "huggingface.co",
    "hf.co",
    "amazonaws.com",
    "source.developers.google.com",
    "gitee.com",
    "gitea.com",
    "pagure.io",
    "launchpad.net",
    "savannah.gnu.org",
    "localhost",
    "127.0.0.1",
];

fn send(to: &Arg, doing: &mut Doing<'_, '_>) {
    let recorded = doing.walk.content(&remote_key(&to.text)).and_then(|stuff| stuff.text);
    let named_here = recorded.is_some();
    let url = recorded.map_or_else(|| to.clone(), |text| Arg::known(text.to_string()));
    let by_web = ["http://", "https://", "git://"].iter().any(|scheme| url.text.starts_with(scheme));
    let addressed = by_web || url.text.contains("://") || url.text.contains('@');
    if !addressed {
        doing.does(Kind::Network, Flag::Upload.into(), format!("pushes commits to {}", to.text));
        return;
    }
    let host = crate::path::host(&url.text);
    let familiar =
        FORGES.iter().any(|forge| host.contains(forge)) || host.ends_with(".local") || host.starts_with("git.");
    if (named_here || by_web) && !familiar {
        doing.does(
            Kind::SendSecret,
            Flag::Upload.into(),
            format!("sends the repository to {host}, which is no known forge"),
        );
    }
    doing.talks(&url, Flag::Upload.into(), None);
}

//! Where a path leads, and what kind of place that is.
//!
//! A path is made absolute and plain first (`~`, `.`, `..`, `//`, everything-patterns such as `/*`), then its place is
//! told from where it starts (`place`) and its nature from how it ends (`nature`). Parts that are unknown
//! ([`HOLE`]) count as one ordinary name where they follow something known, since that is what they nearly always are.

mod index;
mod nature;
mod place;
mod table;
#[cfg(test)]
mod tests;
mod touch;
mod view;
mod windows;

use std::borrow::Cow;

use crate::arg::{Arg, HOLE};
use crate::effect::Place;

pub(crate) use touch::effects;
pub use view::is_blind;
pub(crate) use view::{is_view, own_descriptor};

/// Follows symbolic links, where somebody can.
pub trait Resolve {
    /// The real path of an absolute one, if any of it exists and leads elsewhere.
    fn real(&self, path: &str) -> Option<String>;
}

/// What stands around a command.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The working directory, absolute.
    pub cwd: Option<&'a str>,
    /// The folder that the agent works on. Without one: the working directory.
    pub workspace: Option<&'a str>,
    /// The user's home.
    pub home: Option<&'a str>,
    /// Follows symbolic links. Without one a path is what it says.
    pub resolve: Option<&'a dyn Resolve>,
}

/// What a path says about itself, whatever is done to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nature {
    /// Holds credentials (`~/.ssh/id_rsa`, `.env`, `~/.aws/credentials`), not a public key or an example.
    pub secret: bool,
    /// Something there runs later by itself (`~/.bashrc`, `/etc/cron.d/x`, `.git/hooks/pre-commit`, `authorized_keys`).
    pub runs_later: bool,
    /// The agent's own policy, hooks, settings or records.
    pub policy: bool,
    /// Security or audit depends on it (`/etc/sudoers`, `/etc/ld.so.preload`, logs).
    pub security: bool,
}

impl Nature {
    fn and(self, other: Self) -> Self {
        Self {
            secret: self.secret || other.secret,
            runs_later: self.runs_later || other.runs_later,
            policy: self.policy || other.policy,
            security: self.security || other.security,
        }
    }
}

/// A path after normalization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// Absolute and normalized, or as written.
    pub path: String,
    pub place: Place,
    pub nature: Nature,
    /// Led elsewhere through a symbolic link.
    pub symlink: bool,
}

/// Resolves a path from here.
pub(crate) fn locate(path: &Arg, around: &Surroundings<'_>) -> Located {
    follow(path, around, true, climbed(path, around, true))
}

/// Resolves a path the way `cd` does: a shell goes up from where a link lies, not from where it leads.
pub(crate) fn locate_folder(path: &Arg, around: &Surroundings<'_>) -> Located {
    follow(path, around, true, None)
}

/// Resolves a path from here as something that is named, not followed: `rm link` takes the link away, not what it
/// leads to.
pub(crate) fn locate_name(path: &Arg, around: &Surroundings<'_>) -> Located {
    let last_too = path.text.ends_with('/');
    follow(path, around, last_too, climbed(path, around, last_too))
}

/// Paths that are looked up on the disk. The system takes none that is a quarter as long, so there is nothing there.
const LONGEST: usize = 16 << 10;

fn follow(path: &Arg, around: &Surroundings<'_>, last_too: bool, climbed: Option<String>) -> Located {
    let Plain { path: mut plain, rooted } = plain(&path.text, around);
    let everything = if path.glob { place::without_everything(&mut plain) } else { false };
    let named = Place::of(&plain, rooted, around);
    let nature = nature::of(&plain, path.glob, everything, around, named);
    let climbed = climbed.filter(|real| *real != plain && !is_view(&plain));
    let found = || if rooted && plain.len() <= LONGEST { real(&plain, around, last_too || everything) } else { None };
    let real = climbed.or_else(found);
    let Some(real) = real else {
        return Located { path: plain, place: named, nature, symlink: false };
    };
    let root = around.workspace.or(around.cwd);
    let real_root = root.and_then(|root| around.resolve.and_then(|links| links.real(root)));
    let within = Surroundings { workspace: real_root.as_deref().or(root), ..*around };
    let place = Place::of(&real, true, &within);
    let nature = nature.and(nature::of(&real, path.glob, everything, &within, place));
    let symlink = place != named || nature != Nature::default();
    Located { path: real, place, nature, symlink }
}

/// Where a path with `..` in it leads: the system goes up from where a link leads, not from where it lies.
fn climbed(path: &Arg, around: &Surroundings<'_>, last_too: bool) -> Option<String> {
    let (links, text) = (around.resolve?, path.text.as_str());
    if text.len() > LONGEST || !text.split('/').any(|name| name == "..") {
        return None;
    }
    let whole = match text.strip_prefix('~') {
        Some(rest) if rest.starts_with('/') => format!("{}{rest}", around.home?),
        Some(_) => return None,
        None if text.starts_with('/') => text.to_owned(),
        None => format!("{}/{text}", around.cwd?),
    };
    let end = whole.find([HOLE, '*', '?', '[']).unwrap_or(whole.len());
    let is_named = last_too && end == whole.len() || whole.ends_with("/..");
    let at = if is_named { end } else { whole[..end].rfind('/')? };
    let real = links.real(&whole[..at]).filter(|real| !is_view(real))?;
    Some(plainly(&format!("{real}{}", &whole[at..])))
}

/// Where it really is, if that is somewhere else.
fn real(path: &str, around: &Surroundings<'_>, last_too: bool) -> Option<String> {
    let links = around.resolve.filter(|_| !is_view(path))?;
    let known = path.find([HOLE, '*', '?', '[']).map_or(path, |end| path[..end].rsplit_once('/').map_or("", |it| it.0));
    let (folder, rest) = if last_too || known.len() < path.len() {
        (known, &path[known.len()..])
    } else {
        path.rsplit_once('/').map_or((path, ""), |(folder, _)| (folder, &path[folder.len()..]))
    };
    if folder.is_empty() {
        return None;
    }
    let real = links.real(folder).filter(|real| real != folder)?;
    let real = if rest.is_empty() { real } else { format!("{}{rest}", real.trim_end_matches('/')) };
    Some(if is_view(&real) { seen(&real, around, links) } else { real })
}

/// Where a link leads that leads to what each process sees differently. What it finds there may be a link once more.
fn seen(view: &str, around: &Surroundings<'_>, links: &dyn Resolve) -> String {
    let path = plain(view, around).path;
    let further = if is_view(&path) { None } else { links.real(&path) };
    further.map_or(path, |further| plain(&further, around).path)
}

/// A path without `.`, `..`, `//` and `~`.
struct Plain {
    path: String,
    /// It is known where it starts.
    rooted: bool,
}

/// An absolute path without `.`, `..` and `//`, and with the root of a process taken for the machine's.
#[must_use]
pub fn plainly(path: &str) -> String {
    plain(path, &Surroundings::default()).path
}

fn plain(text: &str, around: &Surroundings<'_>) -> Plain {
    let text = text.strip_prefix("file://").unwrap_or(text);
    if let Some(path) = windows::plain(text) {
        return Plain { path, rooted: true };
    }
    let mut path = String::with_capacity(text.len() + 32);
    if let Some(rest) = text.strip_prefix('~')
        && let Some(rest) = home(rest, around, &mut path)
    {
        push(&mut path, rest, true, around);
        return Plain { rooted: !path.starts_with(HOLE), path };
    }
    if text.starts_with('/') {
        push(&mut path, text, true, around);
        return Plain { path, rooted: true };
    }
    let rooted = match around.cwd {
        Some(cwd) if !text.starts_with(HOLE) && !text.is_empty() => {
            push(&mut path, cwd, true, around);
            cwd.starts_with(['/', '~']) || windows::is_one(cwd)
        }
        _ => false,
    };
    push(&mut path, text, rooted, around);
    Plain { path, rooted }
}

/// Puts the home folder that is meant by what follows `~` into `path`; returns what follows it.
fn home<'t>(rest: &'t str, around: &Surroundings<'_>, path: &mut String) -> Option<&'t str> {
    let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let base: Cow<'_, str> = match name {
        "" => around.home.unwrap_or("~").into(),
        "+" => around.cwd?.into(),
        "-" => String::from(HOLE).into(),
        "root" => "/root".into(),
        _ if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | HOLE)) => {
            let homes = around.home.and_then(|home| home.rsplit_once('/')).map_or("/home", |(homes, _)| homes);
            format!("{}/{name}", if homes.is_empty() { "/home" } else { homes }).into()
        }
        _ => return None,
    };
    if base.starts_with('/') {
        push(path, &base, true, around);
    } else {
        path.push_str(&base);
    }
    Some(rest)
}

/// Adds the parts of `more`, plainly. A path that is rooted never leads above its root.
fn push(path: &mut String, more: &str, rooted: bool, around: &Surroundings<'_>) {
    if rooted && path.is_empty() && !more.starts_with('~') && !windows::is_one(more) {
        path.push('/');
    }
    for part in more.split('/') {
        match part {
            "" | "." => {}
            ".." if pop(path, rooted) => {}
            _ => {
                if !path.is_empty() && !path.ends_with('/') {
                    path.push('/');
                }
                path.push_str(part);
                // Before the next part, because `..` goes up from there.
                if path.starts_with("/proc/") {
                    view::enter(path, around.cwd);
                }
            }
        }
    }
}

/// Goes up by one; false where that cannot be told.
fn pop(path: &mut String, rooted: bool) -> bool {
    if path == "/" {
        return true;
    }
    if path.is_empty() || path == ".." || path.ends_with("/..") || path == "~" {
        return path == "~";
    }
    if let Some(told) = view::leave(path) {
        return told;
    }
    match path.rfind('/') {
        Some(0) if rooted => path.truncate(1),
        Some(at) if path.len() != 3 || !windows::is_one(path) => path.truncate(at),
        Some(_) => {}
        None => path.clear(),
    }
    true
}

/// The host in a URL, `user@host:path` or plain name.
pub(crate) fn host(text: &str) -> String {
    let text = text.trim();
    let (after, url) = match text.find("://") {
        Some(at) => (&text[at + 3..], true),
        None => (text.trim_start_matches("//"), text.starts_with("//")),
    };
    let authority = after.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let authority = if url { authority } else { after.split(['/', '?', '#', ' ']).next().unwrap_or_default() };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, _)) => inner,
        None if host.matches(':').count() > 1 && !url => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether audit depends on it: it is no harm to add to it, but to take from it.
pub(crate) fn is_trail(path: &str) -> bool {
    path.starts_with("/var/log/") || path == "/var/log" || path.ends_with("history")
}

/// Nobody minds that it is read here, but it is not for others: accounts, settings of logins.
pub(crate) fn is_private(located: &Located, around: &Surroundings<'_>) -> bool {
    const FILES: &[&str] = &["/etc/passwd", "/etc/group", "/etc/sudoers", "/etc/machine-id"];
    let in_home = || place::in_home(&located.path, around.home);
    let folder = |rest: &str| {
        [".ssh/", ".aws/", ".kube/", ".gnupg/", ".azure/", ".docker/"].iter().any(|one| rest.starts_with(one))
    };
    located.nature.secret
        || FILES.contains(&located.path.as_str())
        || in_home().is_some_and(|rest| folder(rest) && !rest.ends_with(".pub"))
}

/// Whether a folder as a whole holds credentials of all sorts: a home, its `.config`, `/etc`.
pub(crate) fn holds_secrets(located: &Located, around: &Surroundings<'_>) -> bool {
    let in_home = || place::in_home(&located.path, around.home);
    located.nature.secret
        || matches!(located.place, Place::Home | Place::Root)
        || matches!(located.path.as_str(), "/etc" | "/etc/kubernetes" | "/etc/ssl" | "/var/lib/docker" | "/proc")
        || in_home().is_some_and(|rest| matches!(rest, ".config" | ".local" | ".local/share" | "Library" | "AppData"))
}

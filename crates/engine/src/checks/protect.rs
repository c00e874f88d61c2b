//! What watches the agent is not the agent's to change.

mod named;
mod spread;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tollgate_config::{FILE_NAME, Hook, Paths};
use tollgate_core::{Body, Event, Fault, Guard, Point, Power, Registration, Step, Verdict};
use tollgate_rules::{Ambient, Insight};
use tollgate_shell::{Effect, Flag, Kind};

use crate::installed::Installed;

/// Refuses calls that change the policy, the record, the hooks, or the program that answers them, whichever packs are
/// chosen and wherever all that lies on this machine. Packs know these files by their usual names only.
///
/// It holds also while everything else is only observed: an agent that changed the policy would be watched by nobody
/// afterwards.
pub struct Protect {
    places: Places,
    ambient: Arc<dyn Ambient>,
    /// The places as paths, with where they really lie. Most calls change nothing, so most never ask.
    known: OnceLock<Vec<String>>,
}

/// What is protected.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// The folder with the manifest of what was registered: the files it names are protected, too.
    pub data: Option<PathBuf>,
}

impl Places {
    /// The policy files and the folders that hold nothing else, the folders for state, data and cache, and this very
    /// program, also under the name that it was started by.
    pub fn of(paths: &Paths, program: Option<PathBuf>) -> Self {
        let Paths { machine, user, project, instead, workspace, hooks, state, cache, data, key } = paths;
        let called = called();
        let named = [machine, user, project, instead, workspace, hooks, state, cache, data, key, &program, &called];
        let above = |path: &Option<PathBuf>| path.as_deref().and_then(Path::parent).map(Path::to_owned);
        // Where everything lies in one folder of our own (`TOLLGATE_HOME`), it is that folder.
        let home = above(state).filter(|home| state != data && above(data).as_ref() == Some(home));
        let folders = [above(machine), above(user), above(key), home];
        Self { paths: named.into_iter().cloned().chain(folders).flatten().collect(), data: data.clone() }
    }

    /// The same, and the programs and scripts of these hooks, whoever wrote them: whoever changes a guard is not guarded.
    #[must_use]
    pub fn with_hooks(mut self, hooks: &[Hook]) -> Self {
        for hook in hooks {
            self.paths.extend(hook.pins.iter().map(|pin| pin.path.clone()));
            self.paths.extend(hook.program.named.iter().cloned());
        }
        self
    }

    /// All of them, as they are named and as they really lie.
    fn found(&self, ambient: &dyn Ambient) -> Vec<String> {
        // A manifest that cannot be read protects nothing more; it is protected itself, and `tollgate doctor` speaks of it.
        let installed = self.data.as_deref().and_then(|data| Installed::read(data).ok()).unwrap_or_default();
        let files = installed.files.into_iter().map(|file| file.path);
        let named = self.paths.iter().cloned().chain(files).filter(|path| path.is_absolute());
        let named = named.filter_map(|path| Some(path.to_str()?.trim_end_matches('/').to_owned()));
        named.flat_map(|path| [ambient.real(&path), Some(path)]).flatten().filter(|path| !path.is_empty()).collect()
    }
}

impl Protect {
    /// The guard.
    pub fn registration(places: Places, ambient: Arc<dyn Ambient>) -> Registration {
        let protect = Self { places, ambient, known: OnceLock::new() };
        let guard = Registration::guard("protect", [Point::ToolBefore], protect);
        // A rule that refuses the same has better words for it, so the rules come first.
        Registration { priority: i32::MIN, powers: vec![Power::Deny], ..guard }
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let insight = Insight::new(event, body, &*self.ambient);
        let what = match insight.effects()?.iter().find(|effect| self.touches(effect, &insight)) {
            Some(effect) => Some(effect.what.to_string()),
            None => self.named(&insight)?.map(|path| format!("is given {path}")),
        };
        Ok(what.map_or(Verdict::Pass, |what| {
            Verdict::deny(format!(
                "this {what}, which changes the policy, the record or the hooks that watch the agent; a human can do that"
            ))
        }))
    }

    fn known(&self) -> &[String] {
        self.known.get_or_init(|| self.places.found(&*self.ambient))
    }

    fn touches(&self, effect: &Effect, insight: &Insight<'_>) -> bool {
        let changes =
            matches!(effect.kind, Kind::Delete | Kind::Overwrite | Kind::Write | Kind::Move | Kind::Permissions);
        let Some(path) = effect.path.as_deref().filter(|path| changes && path.starts_with('/')) else { return false };
        // What takes a folder away, or opens it to others, does that to everything in it.
        let whole = effect.kind == Kind::Move || effect.flags.has(Flag::Recursive);
        // `/folder/*` is written as the folder; then what lies directly in it goes, too.
        let within = whole || effect.kind == Kind::Delete && effect.flags.has(Flag::Pattern);
        let hit = |place: &String| match overlap(path, place) {
            Overlap::None => false,
            Overlap::In => true,
            // What is not there does not go away with its folder. It can be put there with it.
            Overlap::Above => {
                within && Path::new(place).symlink_metadata().is_ok() || spread::reaches(effect, path, place, insight)
            }
        };
        self.known().iter().any(hit) || is_policy_here(path, insight.event.cwd)
    }
}

/// The name that this process was started by. Where that is a link, whoever changes the link changes what is started.
fn called() -> Option<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next()?);
    if name.components().count() > 1 {
        return Some(name).filter(|name| name.is_absolute());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_absolute() && path.exists())
}

/// Whether a policy at this path would hold for the working directory: one that is not there yet takes the place of
/// the one above.
fn is_policy_here(path: &str, cwd: Option<&str>) -> bool {
    let path = Path::new(path);
    path.file_name().is_some_and(|name| name == FILE_NAME)
        && cwd.zip(path.parent()).is_some_and(|(cwd, folder)| Path::new(cwd).starts_with(folder))
}

/// How a changed path lies to a protected one.
enum Overlap {
    None,
    /// It is that, or lies below.
    In,
    /// It is a folder in which the other lies.
    Above,
}

/// Names with `*`, `?` or `[` in the changed path are patterns.
fn overlap(path: &str, place: &str) -> Overlap {
    let (mut path, mut place) = (path.trim_matches('/').split('/'), place.trim_matches('/').split('/'));
    loop {
        match (path.next(), place.next()) {
            (_, None) => return Overlap::In,
            (Some("") | None, Some(_)) => return Overlap::Above,
            (Some(pattern), Some(name)) if pattern == name || fits(pattern.as_bytes(), name.as_bytes()) => {}
            _ => return Overlap::None,
        }
    }
}

/// Whether a name fits a pattern; `[…]` counts as any one character. Patterns come from agents, so the time is bounded by
/// the product of both lengths, and nothing is called again and again.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    // Behind the last `*`, and what of the name it leaves to the rest.
    let mut retry: Option<(usize, usize)> = None;
    while read < name.len() {
        let next = match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                retry = Some((at, read));
                continue;
            }
            Some(b'?') => Some(at + 1),
            Some(b'[') => pattern[at..].iter().position(|byte| *byte == b']').map(|end| at + end + 1),
            Some(byte) if *byte == name[read] => Some(at + 1),
            _ => None,
        };
        match (next, retry) {
            (Some(next), _) => (at, read) = (next, read + 1),
            (None, Some((star, from))) => {
                (at, read) = (star, from + 1);
                retry = Some((star, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|byte| *byte == b'*')
}

impl Guard for Protect {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;

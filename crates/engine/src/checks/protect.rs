//! What watches the agent is not the agent's to change.

mod arrive;
mod named;
mod places;
mod same;
mod spread;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tollgate_core::{Body, Event, Fault, FaultKind, Guard, Point, Power, Registration, Step, Verdict};
use tollgate_rules::{Ambient, CallFacts};
use tollgate_shell::{Effect, Flag, Kind, Source, Way, is_blind};

use arrive::{Arrival, Held};
pub(crate) use places::Known;
pub use places::{Places, SwitchFile};

/// Refuses calls that change the policy, the record, the hooks, or the program that answers them, whichever packs are
/// chosen and wherever all that lies on this machine. Packs know these files by their usual names only.
///
/// It holds also while everything else is only observed: an agent that changed the policy would be watched by nobody
/// afterwards.
pub struct Protect {
    places: Places,
    ambient: Arc<dyn Ambient>,
    /// The places as paths, with where they really lie. Most calls change nothing, so most never ask.
    known: OnceLock<Known>,
}

/// A call that is judged.
struct Call<'a> {
    facts: &'a CallFacts<'a>,
    arrival: Arrival<'a>,
    /// The working directory, as it is called and as it really lies.
    folders: OnceCell<Vec<String>>,
}

impl Protect {
    /// The guard.
    pub fn registration(places: Places, ambient: Arc<dyn Ambient>) -> Registration {
        let protect = Self { places, ambient, known: OnceLock::new() };
        let guard = Registration::guard("protect", [Point::ToolBefore], protect);
        // A rule that refuses the same has better words for it, so the rules come first.
        Registration { group: None, priority: i32::MIN, powers: vec![Power::Deny], ..guard }
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let facts = CallFacts::new(event, body, &self.ambient);
        let effects = facts.effects()?;
        let call = Call { facts: &facts, arrival: Arrival::new(effects), folders: OnceCell::new() };
        let what = match effects.iter().find(|effect| self.touches(effect, &call)) {
            Some(effect) => Some(effect.what.to_string()),
            None => self.named(&call)?.map(|path| format!("is given {path}")),
        };
        let Some(what) = what else { return self.complete().map(|()| Verdict::Pass) };
        Ok(Verdict::deny(format!(
            "this {what}, which changes the policy, the record or the hooks that watch the agent; a human can do that"
        )))
    }

    /// Whether everything was known, if it was asked for: whoever changes something may change what is registered.
    fn complete(&self) -> Result<(), Fault> {
        match self.known.get().and_then(|known| known.unread.as_ref()) {
            Some(problem) => Err(Fault::new(FaultKind::Crash, format!("what is registered cannot be read: {problem}"))),
            None => Ok(()),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| self.places.found(&*self.ambient))
    }

    fn touches(&self, effect: &Effect, call: &Call<'_>) -> bool {
        let changes =
            matches!(effect.kind, Kind::Delete | Kind::Overwrite | Kind::Write | Kind::Move | Kind::Permissions);
        let Some(path) = effect.path.as_deref().filter(|path| changes && path.starts_with('/')) else { return false };
        let hit = |place: &String| match overlap(path, place) {
            Overlap::None => is_unknown_name_of(path, place, effect, call),
            Overlap::In => true,
            // What is not there does not go away with its folder. It can be put there with it.
            Overlap::Above => takes_all(effect) && is_there(place) || puts_there(path, place, effect, call),
        };
        // Where that leads nobody can tell.
        is_blind(path)
            || self.known().paths.iter().any(hit)
            || self.counts_here(path, call)
            || effect.source.is_some() && self.puts_what_counts(path, effect, call)
            || effect.source.as_ref().is_some_and(|source| self.makes_another_name(source, call))
            || !matches!(effect.kind, Kind::Delete | Kind::Move) && same::is_one_of(path, &self.known().paths)
    }

    /// Whether a policy at this path, or a file that turns hooks off, would hold for the working directory.
    fn counts_here(&self, path: &str, call: &Call<'_>) -> bool {
        self.folders(call).iter().any(|cwd| self.known().counts_in(path, Path::new(cwd)))
    }

    /// Whether such a file comes along with what is put at `path`. One that is not there yet has to be seen there.
    fn puts_what_counts(&self, path: &str, effect: &Effect, call: &Call<'_>) -> bool {
        let comes = |place: &String| call.arrival.at(effect, path, place) == Held::Yes;
        self.folders(call).iter().any(|cwd| self.known().counting_below(path, Path::new(cwd)).iter().any(comes))
    }

    fn folders<'c>(&self, call: &'c Call<'_>) -> &'c [String] {
        let both = |cwd: &str| [self.ambient.real(cwd), Some(cwd.to_owned())];
        call.folders.get_or_init(|| call.facts.event.cwd.into_iter().flat_map(both).flatten().collect())
    }

    /// Whether a protected file gets another name by which it could be written to later.
    fn makes_another_name(&self, source: &Source, call: &Call<'_>) -> bool {
        let is_hit = |path: &str| {
            let hit = |place: &String| match overlap(path, place) {
                Overlap::None => false,
                Overlap::In => true,
                Overlap::Above => is_there(place),
            };
            self.known().paths.iter().any(hit) || self.counts_here(path, call) && is_there(path)
        };
        source.way == Way::HardLink
            && source.path.starts_with('/')
            && (is_hit(&source.path) || self.ambient.real(&source.path).is_some_and(|real| is_hit(&real)))
    }
}

fn is_there(place: &str) -> bool {
    Path::new(place).symlink_metadata().is_ok()
}

/// Whether something happens to everything in a folder. `/folder/*` is written as the folder; then what lies directly in
/// it goes, too.
fn takes_all(effect: &Effect) -> bool {
    // What takes a folder away, or opens it to others, does that to everything in it.
    effect.kind == Kind::Move
        || effect.flags.has(Flag::Recursive)
        || effect.kind == Kind::Delete && effect.flags.has(Flag::Pattern)
}

/// Whether what is put into a folder may arrive at this place below it.
fn puts_there(path: &str, place: &str, effect: &Effect, call: &Call<'_>) -> bool {
    match &effect.source {
        Some(_) => is_enough(call.arrival.at(effect, path, place), path, place, call.facts),
        None => spread::reaches(effect, path, place, call.facts),
    }
}

/// Whether it is refused for what may be there. Much is copied into the folder that the agent works in; there it takes
/// something that would be replaced.
fn is_enough(held: Held, folder: &str, place: &str, facts: &CallFacts<'_>) -> bool {
    match held {
        Held::No => false,
        Held::Perhaps => is_there(place) || !spread::works_in(folder, facts),
        Held::Yes => true,
    }
}

/// Whether a path with one name that cannot be told may be this file. In the folder that the agent works in it hardly
/// ever is.
fn is_unknown_name_of(path: &str, place: &str, effect: &Effect, call: &Call<'_>) -> bool {
    if !path.contains('…') {
        return false;
    }
    let (names, of_place): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), place.split('/').collect());
    let fits = names.len() == of_place.len()
        && names.iter().filter(|name| name.contains('…')).count() == 1
        && names.iter().zip(&of_place).all(|(name, of_place)| fits_name(name, of_place));
    let folder = place.rsplit_once('/').map_or("/", |(folder, _)| folder);
    if !fits || spread::works_in(folder, call.facts) || Path::new(place).is_dir() {
        return false;
    }
    let is_last = names.last().is_some_and(|name| name.contains('…'));
    match &effect.source {
        Some(source) if is_last => call.arrival.under_unknown_name(effect, source, place) != Held::No,
        _ => true,
    }
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

/// Whether a name may be this one. What cannot be told of it may be anything.
fn fits_name(pattern: &str, name: &str) -> bool {
    pattern == name || fits(pattern.replace('…', "*").as_bytes(), name.as_bytes())
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

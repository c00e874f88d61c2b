//! What is copied, moved or linked somewhere may arrive at a protected place below.

use std::cell::Cell;
use std::path::Path;

use tollgate_shell::{Effect, Kind, Source, Way};

use super::spread::spreads;
use super::{Overlap, fits_name, overlap};

/// How many effects are looked at for one call. Nobody copies that often, but somebody could have us look for ever.
const STEPS: usize = 100_000;

/// Whether something is, or will be, where it is copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    No,
    /// It cannot be told.
    Perhaps,
    Yes,
}

/// What a call puts where.
pub(super) struct Arrival<'a> {
    /// Everything that the call does.
    effects: &'a [Effect],
    left: Cell<usize>,
}

/// The effects that led to a question, the last first. None of them is its own answer.
struct Chain<'a> {
    effect: &'a Effect,
    before: Option<&'a Chain<'a>>,
}

impl Chain<'_> {
    fn has(&self, effect: &Effect) -> bool {
        std::ptr::eq(self.effect, effect) || self.before.is_some_and(|before| before.has(effect))
    }

    fn len(&self) -> usize {
        1 + self.before.map_or(0, Chain::len)
    }
}

impl<'a> Arrival<'a> {
    pub(super) fn new(effects: &'a [Effect]) -> Self {
        Self { effects, left: Cell::new(STEPS) }
    }

    /// Whether what an effect puts at `path` arrives at this place below it.
    pub(super) fn at(&self, effect: &Effect, path: &str, place: &str) -> Held {
        self.looked(&Chain { effect, before: None }, path, place)
    }

    /// Whether a source whose name is not known is this file.
    pub(super) fn under_unknown_name(&self, effect: &Effect, source: &Source, place: &str) -> Held {
        let name = place.rsplit('/').next().unwrap_or_default();
        let (folder, last) = split(&source.path);
        if fits_name(last, name) { self.holds(folder, name, &Chain { effect, before: None }) } else { Held::No }
    }

    fn looked(&self, chain: &Chain<'_>, path: &str, place: &str) -> Held {
        let Some(source) = &chain.effect.source else { return Held::No };
        let rest = below(place, path);
        let single = !rest.contains('/');
        let one_file = matches!(source.way, Way::File | Way::SymbolicLink);
        if rest.is_empty() || one_file && (!single || Path::new(place).is_dir()) {
            return Held::No;
        }
        let (folder, last) = split(&source.path);
        let first = rest.split('/').next().unwrap_or_default();
        // It goes there under its own name.
        let named = match fits_name(last, first) {
            false => Held::No,
            true if single && last == first || source.way == Way::SymbolicLink => Held::Yes,
            true => self.holds(folder, &rest, chain),
        };
        // Or there is nothing yet, or only what lies in it goes there.
        let inside = if one_file || is_pattern(last) { Held::No } else { self.holds(&source.path, &rest, chain) };
        named.max(inside)
    }

    /// Whether there is something of this name in a folder, or will be once the command gets there.
    fn holds(&self, folder: &str, name: &str, chain: &Chain<'_>) -> Held {
        if !folder.starts_with('/') || is_pattern(folder) {
            return Held::Perhaps;
        }
        let wanted = format!("{}/{name}", folder.trim_end_matches('/'));
        if Path::new(&wanted).symlink_metadata().is_ok() {
            return Held::Yes;
        }
        let others = self.effects.iter().filter(|effect| !chain.has(effect));
        let made = others.map(|effect| self.makes(effect, &wanted, chain)).max();
        let told = Path::new(folder).symlink_metadata().is_ok() || self.makes_folder(folder);
        made.unwrap_or(Held::No).max(if told { Held::No } else { Held::Perhaps })
    }

    /// Whether a folder is made empty: what it holds then is what is put there.
    fn makes_folder(&self, folder: &str) -> bool {
        let is_it = |effect: &Effect| effect.path.as_deref() == Some(folder) && !spreads(&effect.by);
        self.effects.iter().any(|effect| effect.kind == Kind::Write && is_it(effect))
    }

    fn makes(&self, effect: &Effect, wanted: &str, chain: &Chain<'_>) -> Held {
        let Some(path) = effect.path.as_deref().filter(|_| matches!(effect.kind, Kind::Write | Kind::Overwrite)) else {
            return Held::No;
        };
        let Some(left) = self.left.get().checked_sub(chain.len()) else { return Held::Perhaps };
        self.left.set(left);
        match overlap(path, wanted) {
            Overlap::None => Held::No,
            Overlap::In => Held::Yes,
            Overlap::Above if effect.source.is_some() => {
                self.looked(&Chain { effect, before: Some(chain) }, path, wanted)
            }
            Overlap::Above if spreads(&effect.by) => Held::Perhaps,
            Overlap::Above => Held::No,
        }
    }
}

/// What of a place lies below a folder, whose names may be patterns.
fn below(place: &str, folder: &str) -> String {
    let depth = folder.split('/').filter(|name| !name.is_empty()).count();
    place.split('/').filter(|name| !name.is_empty()).skip(depth).collect::<Vec<_>>().join("/")
}

/// The folder and the last name of a path.
fn split(path: &str) -> (&str, &str) {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some(split) => split,
        None => ("", path),
    }
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '…'])
}

//! Conditions on effects.

use tollgate_shell::{Effect, Flag, Flags, Kind, Place};

use crate::facts::{CallFacts, below};
use crate::form::{EffectForm, EffectTable, FlagName, Matcher, OneOrMany, PlaceName};
use crate::matcher::{Sort, Text};
use crate::mistake::Mistake;

/// A condition on one effect: one of the alternatives, and what is said beside them.
#[derive(Debug, Default)]
pub(crate) struct EffectTest {
    any_of: Option<Vec<Says>>,
    also: Says,
}

#[derive(Debug, Default)]
struct Says {
    kinds: Option<Vec<Kind>>,
    places: Option<Vec<Place>>,
    flags: Flags,
    path: Option<Text>,
    host: Option<Text>,
    secret: Option<bool>,
}

/// What a table says about an effect, wherever it is written.
pub(crate) struct Parts<'a> {
    pub(crate) effect: Option<&'a EffectForm>,
    pub(crate) place: Option<&'a OneOrMany<PlaceName>>,
    pub(crate) flag: Option<&'a OneOrMany<FlagName>>,
    pub(crate) path: Option<&'a Matcher>,
    pub(crate) host: Option<&'a Matcher>,
}

impl EffectTest {
    /// Compiles the condition, if there is one.
    pub(crate) fn compile(parts: &Parts<'_>, mistakes: &mut Vec<Mistake>) -> Option<Self> {
        let also = Says {
            places: places(parts.place, mistakes),
            flags: flags(parts.flag, mistakes),
            path: text("path", parts.path, Sort::Path, mistakes),
            host: text("host", parts.host, Sort::Host, mistakes),
            kinds: None,
            secret: None,
        };
        let any_of = parts.effect.map(|form| {
            let mut any_of = Vec::new();
            let before = mistakes.len();
            alternatives(form, &mut any_of, mistakes);
            mistakes.iter_mut().skip(before).for_each(|mistake| mistake.path.insert(0, "effect".into()));
            any_of
        });
        let given = parts.effect.is_some()
            || parts.place.is_some()
            || parts.flag.is_some()
            || parts.path.is_some()
            || parts.host.is_some();
        given.then_some(Self { any_of, also })
    }

    /// Whether this effect is meant.
    pub(crate) fn fits(&self, effect: &Effect, facts: &CallFacts<'_>) -> bool {
        let any_of = |any_of: &Vec<Says>| any_of.iter().any(|says| says.fits(effect, facts));
        self.any_of.as_ref().is_none_or(any_of) && self.also.fits(effect, facts)
    }

    /// The kinds of which one must be there; none if any will do.
    pub(crate) fn kinds(&self) -> Option<Vec<Kind>> {
        let all: Option<Vec<_>> = self.any_of.as_ref()?.iter().map(|says| says.kinds.clone()).collect();
        all.map(|kinds| kinds.concat())
    }

    /// Texts of which one must be in a path or a host.
    pub(crate) fn literals(&self) -> Option<Vec<String>> {
        let own = self.also.literals();
        own.or_else(|| {
            let all: Option<Vec<_>> = self.any_of.as_ref()?.iter().map(Says::literals).collect();
            all.map(|all| all.concat())
        })
    }
}

impl Says {
    fn fits(&self, effect: &Effect, facts: &CallFacts<'_>) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&effect.kind))
            && self.places.as_ref().is_none_or(|places| effect.place.is_some_and(|place| places.contains(&place)))
            && self.flags.iter().all(|flag| effect.flags.has(flag))
            && self.host.as_ref().is_none_or(|host| effect.host.as_ref().is_some_and(|name| host.fits(name)))
            && self
                .path
                .as_ref()
                .is_none_or(|path| effect.path.as_ref().is_some_and(|place| path_fits(path, place, facts)))
            && self.secret.is_none_or(|secret| has_secret_address(effect) == secret)
    }

    fn literals(&self) -> Option<Vec<String>> {
        let path = self.path.as_ref().and_then(Text::literals);
        path.or_else(|| self.host.as_ref().and_then(Text::literals))
    }
}

/// Whether a credential stands in the address that is gone to. One in front of the host is what it logs in with.
fn has_secret_address(effect: &Effect) -> bool {
    let mut addresses = effect.by.split_whitespace().filter_map(|word| word.split_once("://"));
    effect.host.is_some()
        && addresses.any(|(_, rest)| {
            let (authority, behind) = rest.split_once(['/', '?', '#']).unwrap_or((rest, ""));
            let own = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            !tollgate_secrets::scanner().find(&format!("{own}/{behind}")).is_empty()
        })
}

/// Whether a path fits, however it is written: absolute, from home (`~/…`), from a folder of the workspace (`src/**`),
/// or, for a pattern without `/`, as the last name alone (`*.pem`).
pub(crate) fn path_fits(pattern: &Text, path: &str, facts: &CallFacts<'_>) -> bool {
    let from_home = facts.home().and_then(|home| below(path, home)).map(|rest| match rest {
        "" => "~".to_owned(),
        rest => format!("~/{rest}"),
    });
    // A folder without a name stands for none; everything would be below it.
    let folders = facts.workspace().iter().filter(|folder| !folder.is_empty());
    let inside = folders.filter_map(|folder| below(path, folder)).filter(|rest| !rest.is_empty());
    let inside: Vec<&str> = inside.collect();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    pattern.fits_any(|fits| {
        fits(path)
            || from_home.as_deref().is_some_and(fits)
            || inside.iter().any(|rest| fits(rest))
            || name.is_some_and(fits)
    })
}

fn alternatives(form: &EffectForm, out: &mut Vec<Says>, mistakes: &mut Vec<Mistake>) {
    match form {
        EffectForm::Kind(name) => {
            let kind = named("effect", &name.0, Kind::named, &crate::form::EffectName::all(), mistakes);
            out.push(Says { kinds: Some(Vec::from_iter(kind)), ..Says::default() });
        }
        EffectForm::Table(table) => out.push(says(table, mistakes)),
        EffectForm::AnyOf(forms) => {
            if forms.is_empty() {
                mistakes.push(Mistake::new("an empty list fits nothing"));
            }
            for (place, form) in forms.iter().enumerate() {
                let before = mistakes.len();
                alternatives(form, out, mistakes);
                mistakes.iter_mut().skip(before).for_each(|mistake| mistake.path.insert(0, place.into()));
            }
        }
    }
}

fn says(table: &EffectTable, mistakes: &mut Vec<Mistake>) -> Says {
    let kinds = table.kind.as_ref().map(|names| {
        list("kind", "effect", names, |name| &name.0, Kind::named, &crate::form::EffectName::all(), mistakes)
    });
    Says {
        kinds,
        places: places(table.place.as_ref(), mistakes),
        flags: flags(table.flag.as_ref(), mistakes),
        path: text("path", table.path.as_ref(), Sort::Path, mistakes),
        host: text("host", table.host.as_ref(), Sort::Host, mistakes),
        secret: table.secret,
    }
}

fn places(form: Option<&OneOrMany<PlaceName>>, mistakes: &mut Vec<Mistake>) -> Option<Vec<Place>> {
    form.map(|names| list("place", "place", names, |name| &name.0, Place::named, &PlaceName::all(), mistakes))
}

fn flags(form: Option<&OneOrMany<FlagName>>, mistakes: &mut Vec<Mistake>) -> Flags {
    let Some(names) = form else { return Flags::NONE };
    let found = list("flag", "flag", names, |name| &name.0, Flag::named, &FlagName::all(), mistakes);
    found.into_iter().fold(Flags::NONE, Flags::with)
}

/// A condition on a text, if there is one; what is wrong with it happened below the key.
pub(crate) fn text(key: &str, form: Option<&Matcher>, sort: Sort<'_>, mistakes: &mut Vec<Mistake>) -> Option<Text> {
    let compiled = Text::compile(form?, sort);
    compiled.map_err(|found| mistakes.extend(found.into_iter().map(|mistake| mistake.at(key)))).ok()
}

fn named<T>(
    what: &str,
    name: &str,
    find: impl Fn(&str) -> Option<T>,
    known: &[&str],
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    let found = find(name);
    if found.is_none() {
        mistakes.push(Mistake::unknown(what, name, known));
    }
    found
}

/// Names from a closed list.
pub(crate) fn list<N, T>(
    key: &str,
    what: &str,
    names: &OneOrMany<N>,
    text: impl Fn(&N) -> &String,
    find: impl Fn(&str) -> Option<T>,
    known: &[&str],
    mistakes: &mut Vec<Mistake>,
) -> Vec<T> {
    let mut found = Vec::new();
    if names.iter().next().is_none() {
        mistakes.push(Mistake::new("an empty list fits nothing").at(key));
    }
    for (place, name) in names.iter().enumerate() {
        let before = mistakes.len();
        found.extend(named(what, text(name), &find, known, mistakes));
        for mistake in mistakes.iter_mut().skip(before) {
            if names.is_list() {
                mistake.path.insert(0, place.into());
            }
            mistake.path.insert(0, key.into());
        }
    }
    found
}

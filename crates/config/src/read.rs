//! From a text to data, or to everything that is wrong with it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tollgate_rules::{Mistake, Step};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, Diagnostics, Text};
use crate::form::schemas;
use crate::shape::{Flaw, MOST, flaws};
use crate::syntax;
use crate::tree::{Aim, Tree};

/// A text that has mistakes.
#[derive(Debug)]
pub(crate) struct Flawed<T> {
    /// What is wrong.
    pub(crate) found: Diagnostics,
    /// What can be read of it nevertheless, so that what is wrong there can be said, too.
    pub(crate) rest: Option<(T, Kept)>,
}

/// Which members of each list were kept, by their places in the file. Of a list that is not named, all were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept(BTreeMap<String, Vec<usize>>);

impl Kept {
    /// The path in the file of a member of a list.
    pub(crate) fn path(&self, list: &str, index: usize) -> Vec<Step> {
        let place = self.0.get(list).and_then(|places| places.get(index)).copied().unwrap_or(index);
        vec![list.into(), place.into()]
    }
}

/// Reads a text by the schema of that name.
pub(crate) fn read<T: DeserializeOwned>(text: &Arc<Text>, schema: &str) -> Result<(T, Kept), Box<Flawed<T>>> {
    let (tree, errors) = Tree::parse(&text.text);
    if errors.is_empty()
        && tree.too_deep().is_none()
        && let Ok(form) = typed(tree)
    {
        return Ok((form, Kept::default()));
    }
    Err(Box::new(explain(text, schema)))
}

/// The tree as data.
fn typed<T: DeserializeOwned>(tree: Tree<'_>) -> Result<T, toml::de::Error> {
    let span = tree.root.span();
    let DeValue::Table(mut root) = tree.root.into_inner() else {
        return T::deserialize(toml::de::Deserializer::from(Spanned::new(span, DeTable::new())));
    };
    plain_dates(&mut root);
    T::deserialize(toml::de::Deserializer::from(Spanned::new(span, root)))
}

/// Dates become texts: as an argument of a call, a date is one.
fn plain_dates(table: &mut DeTable<'_>) {
    fn plain(value: &mut DeValue<'_>) {
        match value {
            DeValue::Datetime(date) => *value = DeValue::String(date.to_string().into()),
            DeValue::Array(items) => items.iter_mut().for_each(|item| plain(item.get_mut())),
            DeValue::Table(table) => plain_dates(table),
            _ => {}
        }
    }
    table.iter_mut().for_each(|(_, value)| plain(value.get_mut()));
}

/// The schema of that name, made once.
fn schema(name: &str) -> &'static Value {
    static ALL: OnceLock<Vec<(&'static str, Value)>> = OnceLock::new();
    let all = ALL.get_or_init(schemas);
    all.iter().find(|(known, _)| *known == name).map_or(&Value::Null, |(_, schema)| schema)
}

/// Everything that is wrong with a text that could not be read.
fn explain<T: DeserializeOwned>(text: &Arc<Text>, schema_name: &str) -> Flawed<T> {
    let (tree, errors) = Tree::parse(&text.text);
    if let Some(span) = tree.too_deep() {
        return Flawed { found: [syntax::too_deep(text, span)].into_iter().collect(), rest: None };
    }
    let flaws = flaws(schema(schema_name), &tree.root);
    if !errors.is_empty() {
        return Flawed { found: unreadable(text, &tree, &errors, &flaws), rest: None };
    }
    let mut found: Diagnostics = flaws.iter().map(|flaw| show(text, flaw)).collect();
    if flaws.len() >= MOST {
        return Flawed { found, rest: None };
    }
    let (tree, kept) = prune(tree, &flaws);
    match typed(tree) {
        Ok(form) if !found.is_empty() => Flawed { found, rest: Some((form, kept)) },
        // The shape is right and the data is not: what the typed reader says is all there is to say.
        Ok(_) => Flawed {
            found: [Diagnostic::error(text, 0..0, "this file cannot be read")].into_iter().collect(),
            rest: None,
        },
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            found.push(Diagnostic::error(text, span, error.message().lines().next().unwrap_or_default()));
            Flawed { found, rest: None }
        }
    }
}

/// What is no TOML, and what else is certainly wrong: on other lines, and there. What seems to be missing may only
/// have been lost.
fn unreadable(text: &Arc<Text>, tree: &Tree<'_>, errors: &[toml::de::Error], flaws: &[Flaw]) -> Diagnostics {
    let found = syntax::mistakes(text, tree, errors);
    let line = |offset| text.position(offset).0;
    let lines: Vec<usize> = found.iter().filter_map(|one| one.position()).map(|(line, _)| line).collect();
    // A bracket that stays open swallows what follows it.
    let end = found
        .iter()
        .filter(|one| one.message.starts_with("this `"))
        .filter_map(|one| one.span.clone())
        .map(|span| span.start)
        .min();
    let sure = flaws.iter().filter(|flaw| {
        !flaw.missing && flaw.span.start < end.unwrap_or(usize::MAX) && !lines.contains(&line(flaw.span.start))
    });
    let more: Vec<Diagnostic> = sure.map(|flaw| show(text, flaw)).collect();
    found.into_iter().chain(more).collect()
}

fn show(text: &Arc<Text>, flaw: &Flaw) -> Diagnostic {
    let diagnostic = Diagnostic::error(text, flaw.span.clone(), flaw.message.clone());
    Diagnostic { help: flaw.help.clone(), ..diagnostic }
}

/// The tree without what has flaws, so that the rest can be read.
fn prune<'t>(tree: Tree<'t>, flaws: &[Flaw]) -> (Tree<'t>, Kept) {
    let mut kept = Kept::default();
    let span = tree.root.span();
    let (root, text) = tree.into_parts();
    let DeValue::Table(root) = root.into_inner() else { return (Tree::of(DeTable::new(), span, text), kept) };
    let mut left = DeTable::new();
    for (key, value) in root {
        let name = key.get_ref().to_string();
        let within: Vec<&[Step]> = flaws
            .iter()
            .filter(|flaw| flaw.path.first() == Some(&name.as_str().into()))
            .map(|flaw| &flaw.path[1..])
            .collect();
        let place = value.span();
        match value.into_inner() {
            DeValue::Array(items) if within.iter().all(|path| matches!(path.first(), Some(Step::Index(_)))) => {
                let bad = |index: usize| within.iter().any(|path| path.first() == Some(&Step::Index(index)));
                let (places, items): (Vec<usize>, Vec<_>) =
                    items.into_iter().enumerate().filter(|(index, _)| !bad(*index)).unzip();
                kept.0.insert(name, places);
                left.insert(key, Spanned::new(place, DeValue::Array(items.into_iter().collect())));
            }
            DeValue::Table(table) if name == "override" || name == "audit" => {
                let good = table.into_iter().filter(|(key, _)| {
                    !within.iter().any(|path| path.first() == Some(&Step::Key(key.get_ref().to_string())))
                });
                left.insert(key, Spanned::new(place, DeValue::Table(good.collect())));
            }
            value if within.is_empty() => {
                left.insert(key, Spanned::new(place, value));
            }
            _ => {}
        }
    }
    (Tree::of(left, span, text), kept)
}

/// Mistakes in what a file means, at their places in the file, together with what else is wrong there. Where the
/// shape is wrong already, nothing more is said.
pub(crate) fn place(text: &Arc<Text>, schema_name: &str, mistakes: &[Mistake]) -> Vec<Diagnostic> {
    let (tree, _) = Tree::parse(&text.text);
    let flaws = flaws(schema(schema_name), &tree.root);
    let mut found: Vec<Diagnostic> = flaws.iter().map(|flaw| show(text, flaw)).collect();
    let same = |mistake: &Mistake| flaws.iter().any(|flaw| mistake.path.starts_with(&flaw.path));
    for mistake in mistakes.iter().filter(|mistake| !same(mistake)).take(MOST) {
        let span = span(&tree, mistake);
        let diagnostic = Diagnostic::error(text, span, mistake.message.clone());
        found.push(Diagnostic { help: mistake.help.clone(), ..diagnostic });
    }
    found
}

fn span(tree: &Tree<'_>, mistake: &Mistake) -> std::ops::Range<usize> {
    match &mistake.within {
        Some(within) => tree.locate_within(&mistake.path, within),
        None => tree.locate(&mistake.path, Aim::Value),
    }
}

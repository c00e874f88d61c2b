//! The table of paths of a special nature, so that few of its patterns have to be looked at for one path.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Nature;
use super::table::GROUPS;

pub(super) enum Anchor {
    Root,
    Home,
    Anywhere,
}

/// One line of the table, taken apart.
pub(super) struct Pattern {
    pub nature: Nature,
    pub anchor: Anchor,
    /// It stands for everything below, too.
    pub folder: bool,
    /// Without its anchor and `/**`.
    pub names: &'static str,
    /// How many names that are.
    pub depth: usize,
}

impl Pattern {
    fn of(nature: Nature, text: &'static str) -> Self {
        let (anchor, rest) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(rest), _) => (Anchor::Home, rest),
            (_, Some(rest)) => (Anchor::Root, rest),
            _ => (Anchor::Anywhere, text),
        };
        let names = rest.strip_suffix("/**").unwrap_or(rest);
        Self { nature, anchor, folder: names.len() < rest.len(), names, depth: names.split('/').count() }
    }

    fn last(&self) -> &'static str {
        self.names.rsplit('/').next().unwrap_or_default()
    }
}

pub(super) struct Index {
    patterns: Vec<Pattern>,
    /// Patterns by their last name, for paths that end with it.
    named: HashMap<u64, Vec<usize>>,
    /// Folders by their last name, for paths that lead through it.
    folders: HashMap<u64, Vec<usize>>,
    /// Patterns whose last name is not just one.
    wild: Vec<usize>,
}

pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::build);

impl Index {
    fn build() -> Self {
        let patterns: Vec<Pattern> =
            GROUPS.iter().flat_map(|(nature, texts)| texts.iter().map(|text| Pattern::of(*nature, text))).collect();
        let mut index = Self { patterns, named: HashMap::new(), folders: HashMap::new(), wild: Vec::new() };
        for (at, pattern) in index.patterns.iter().enumerate() {
            let last = pattern.last();
            if last.contains('*') {
                index.wild.push(at);
            } else if pattern.folder {
                index.folders.entry(hash(last)).or_default().push(at);
            } else {
                index.named.entry(hash(last)).or_default().push(at);
            }
        }
        index
    }

    /// Those that a path may fit whose last name is this.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Pattern> {
        self.of(self.named.get(&hash(name)))
    }

    /// Those that a path may fit that leads through a folder of this name.
    pub(super) fn folders(&self, name: &str) -> impl Iterator<Item = &Pattern> {
        self.of(self.folders.get(&hash(name)))
    }

    /// Those that any path may fit.
    pub(super) fn wild(&self) -> impl Iterator<Item = &Pattern> {
        self.of(Some(&self.wild))
    }

    /// All.
    pub(super) fn all(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter()
    }

    fn of<'i>(&'i self, places: Option<&'i Vec<usize>>) -> impl Iterator<Item = &'i Pattern> {
        places.into_iter().flatten().map(|at| &self.patterns[*at])
    }
}

/// Of a name, whatever its case (FNV-1a).
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

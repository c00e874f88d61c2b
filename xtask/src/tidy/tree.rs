//! The repository's text files, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry};
use std::path::Path;

use super::source::Source;
use crate::Result;

/// Text files by their path from the root, always with `/`.
#[derive(Default)]
pub(super) struct Tree {
    texts: BTreeMap<String, String>,
    sources: BTreeMap<String, Source>,
}

impl Tree {
    /// Reads all files under a folder except those git does not keep.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let ignore = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let mut files = BTreeMap::new();
        collect(root, "", &ignored(&ignore), &mut files)?;
        Ok(Self::new(files))
    }

    pub(super) fn new(texts: BTreeMap<String, String>) -> Self {
        let rust = texts.iter().filter(|(path, _)| path.ends_with(".rs"));
        let sources = rust.map(|(path, text)| (path.clone(), Source::new(text))).collect();
        Self { texts, sources }
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub(super) fn source(&self, path: &str) -> Option<&Source> {
        self.sources.get(path)
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &Source)> {
        self.sources.iter().map(|(path, source)| (path.as_str(), source))
    }
}

/// Whether a whole file is test code. Test modules inside a file are found by [`Source`].
pub(super) fn is_test(path: &str) -> bool {
    is_under(path, &["tests"]) || path.ends_with("/tests.rs")
}

/// Whether a path goes through a folder of one of these names.
pub(super) fn is_under(path: &str, folders: &[&str]) -> bool {
    path.rsplit('/').skip(1).any(|folder| folders.contains(&folder))
}

/// What `.gitignore` names from the root, and git's own folder. Our list has no patterns; one that had some
/// would only make us read too much.
fn ignored(list: &str) -> BTreeSet<&str> {
    let lines = list.lines().filter_map(|line| line.trim().strip_prefix('/'));
    lines.map(|path| path.trim_end_matches('/')).chain([".git"]).collect()
}

fn collect(root: &Path, under: &str, skip: &BTreeSet<&str>, files: &mut BTreeMap<String, String>) -> Result {
    let cannot = |error| format!("cannot read `{}`: {error}", root.join(under).display());
    for entry in fs::read_dir(root.join(under)).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let Some(path) = path_of(under, &entry).filter(|path| !skip.contains(path.as_str())) else { continue };
        let kind = entry.file_type().map_err(cannot)?;
        if kind.is_dir() {
            collect(root, &path, skip, files)?;
        } else if kind.is_file()
            && let Ok(text) = String::from_utf8(fs::read(entry.path()).map_err(cannot)?)
        {
            files.insert(path, text);
        }
    }
    Ok(())
}

fn path_of(under: &str, entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().into_string().ok()?;
    Some(if under.is_empty() { name } else { format!("{under}/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_from_the_root_are_ignored() {
        let skip = ignored("/target\n*.log\n\n/fuzz/target/\n");
        assert_eq!(skip.into_iter().collect::<Vec<_>>(), [".git", "fuzz/target", "target"]);
    }

    #[test]
    fn test_files() {
        for (path, expected) in [
            ("crates/core/tests/order.rs", true),
            ("crates/core/src/body/tests.rs", true),
            ("crates/core/src/body.rs", false),
            ("crates/core/src/contests.rs", false),
            ("crates/tests", false),
        ] {
            assert_eq!(is_test(path), expected, "{path}");
        }
    }
}

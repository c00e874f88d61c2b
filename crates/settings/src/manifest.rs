//! What was written where, so that exactly that can be taken away again.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollgate_engine::ours;

use crate::text::{Made, Put};

/// What was written where. Nothing that stood in a file before is in here: settings may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest<K> {
    pub(crate) version: u32,
    /// One for each file and [`Kind`], in the order in which they were written.
    pub files: Vec<Entry<K>>,
}

/// What was written to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<K> {
    /// The agent whose settings it is, or for whom it is.
    pub agent: String,
    /// The file.
    pub path: PathBuf,
    /// What was written, to whoever wrote it.
    pub kind: K,
    /// Whether there was no such file.
    pub created: bool,
    /// The folders that were made for it, outermost first.
    pub folders: Vec<PathBuf>,
    /// What was put in.
    pub ranges: Vec<Put>,
    /// What exists only because of it.
    pub made: Made,
    /// The whole file, right afterwards.
    pub digest: String,
    /// When it was written first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// What a user of this crate writes into files, as it is noted.
pub trait Kind: Clone + PartialEq + Serialize + DeserializeOwned {
    /// Whether two entries are about the same thing, as far as that is not said by their paths.
    fn is_like(&self, other: &Self) -> bool;
}

impl<K> Default for Manifest<K> {
    fn default() -> Self {
        Self { version: 0, files: Vec::new() }
    }
}

impl<K: Kind> Manifest<K> {
    /// The note at this path and its text, if there is one that nobody else could have written.
    pub(crate) fn read(path: &Path) -> Result<(Self, Option<String>), String> {
        let shown = path.display();
        let Some(text) = ours::read(path).map_err(|error| format!("`{shown}`: {error}"))? else {
            return Ok((Self::default(), None));
        };
        let read = serde_json::from_str(&text).map_err(|error| {
            format!("`{shown}` is not what was written there ({error}); move it away: what is registered is then recognised by its command")
        })?;
        Ok((read, Some(text)))
    }

    /// Its text; nothing if nothing is installed.
    pub(crate) fn text(&self) -> Option<String> {
        let text = serde_json::to_string_pretty(self).ok().filter(|_| !self.files.is_empty());
        text.map(|text| text + "\n")
    }

    /// What is noted about this.
    pub fn find(&self, path: &Path, kind: &K) -> Option<&Entry<K>> {
        self.files.iter().find(|entry| entry.path == path && entry.kind.is_like(kind))
    }

    /// Whether there was no such file. One entry of a file knows it, the others came later.
    pub(crate) fn is_created(&self, path: &Path) -> bool {
        self.files.iter().any(|entry| entry.path == path && entry.created)
    }

    pub(crate) fn put(&mut self, entry: Entry<K>) {
        self.version = 1;
        self.drop(&entry);
        self.files.push(entry);
    }

    pub(crate) fn drop(&mut self, gone: &Entry<K>) {
        self.files.retain(|entry| entry.path != gone.path || !entry.kind.is_like(&gone.kind));
    }
}

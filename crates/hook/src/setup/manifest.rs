//! What was written where, so that exactly that can be taken away again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tollgate_engine::{MANIFEST, ours};

use super::text::{Made, Put};
use super::trust::Trusted;

/// What was written where. Nothing that stood in a file before is in here: settings may hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    pub(crate) files: Vec<Entry>,
}

/// What was written to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) agent: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// Whether there was no such file.
    pub(crate) created: bool,
    /// The folders that were made for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// What was put in.
    pub(crate) ranges: Vec<Put>,
    pub(crate) made: Made,
    /// The whole file, right afterwards.
    pub(crate) digest: String,
    /// When it was written first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Entries {
        own: Vec<String>,
    },
    Whole,
    /// Older notes have no hashes, so nothing is ours for what they say alone.
    Trust {
        hooks: PathBuf,
        #[serde(default)]
        trusted: Vec<Trusted>,
    },
}

impl Kind {
    /// Whether two entries are about the same thing, as far as that is not said by their paths.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Trust { hooks, .. }, Self::Trust { hooks: others, .. }) => hooks == others,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

impl Manifest {
    /// The note in this folder and its text, if there is one that nobody else could have written.
    pub(crate) fn read(data: &Path) -> Result<(Self, Option<String>), String> {
        let path = data.join(MANIFEST);
        let shown = path.display();
        let Some(text) = ours::read(&path).map_err(|error| format!("`{shown}`: {error}"))? else {
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

    pub(crate) fn find(&self, path: &Path, kind: &Kind) -> Option<&Entry> {
        self.files.iter().find(|entry| entry.path == path && entry.kind.is_like(kind))
    }

    /// Whether there was no such file. One entry of a file knows it, the others came later.
    pub(crate) fn is_created(&self, path: &Path) -> bool {
        self.files.iter().any(|entry| entry.path == path && entry.created)
    }

    pub(crate) fn put(&mut self, entry: Entry) {
        self.version = 1;
        self.drop(&entry);
        self.files.push(entry);
    }

    pub(crate) fn drop(&mut self, gone: &Entry) {
        self.files.retain(|entry| entry.path != gone.path || !entry.kind.is_like(&gone.kind));
    }
}

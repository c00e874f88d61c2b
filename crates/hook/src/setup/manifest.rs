//! What was written where, so that exactly that can be taken away again.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::text::{Made, Put};

/// The name of the file in the folder for data.
pub(crate) const FILE: &str = "installed.json";

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
    Entries { own: Vec<String> },
    Whole,
    Trust { hooks: PathBuf, keys: Vec<String> },
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
    pub(crate) fn read(data: &Path) -> Result<Self, String> {
        let path = data.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("`{}`: {error}", path.display())),
        };
        serde_json::from_str(&text).map_err(|error| {
            let path = path.display();
            format!("`{path}` is not what was written there ({error}); move it away: what is registered is then recognised by its command")
        })
    }

    /// Its text; nothing if nothing is installed.
    pub(crate) fn text(&self) -> Option<String> {
        let text = serde_json::to_string_pretty(self).ok().filter(|_| !self.files.is_empty());
        text.map(|text| text + "\n")
    }

    pub(crate) fn find(&self, path: &Path, kind: &Kind) -> Option<&Entry> {
        self.files.iter().find(|entry| entry.path == path && entry.kind.is_like(kind))
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

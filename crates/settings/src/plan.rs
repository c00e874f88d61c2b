//! What would be written, before anything is.

use std::path::{Path, PathBuf};

use crate::manifest::{Entry, Kind, Manifest};
use crate::text::{cut, digest};
use crate::write::{Change, apply, clear, missing, read};

/// What would be written.
#[derive(Debug)]
pub struct Plan<K> {
    /// Files that change, in the order in which they are written.
    pub changes: Vec<Change>,
    /// What stays although it was asked to go, and why.
    pub left: Vec<(PathBuf, String)>,
    /// Folders that go afterwards if they are empty then.
    folders: Vec<PathBuf>,
    note: PathBuf,
    /// The note as it was read. Whoever changes it meanwhile is noticed.
    noted: Option<String>,
    known: Manifest<K>,
    manifest: Manifest<K>,
    order: Order,
}

/// When the note is written. It has to say what stands in files as long as it stands there: also if we are killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Before anything is put in.
    NoteFirst,
    /// After everything is taken out.
    NoteLast,
}

impl<K: Kind> Plan<K> {
    /// Nothing yet, beside what the note at this path says. A note that somebody else could have written is an error.
    pub fn begin(note: &Path, order: Order) -> Result<Self, String> {
        let (known, noted) = Manifest::read(note)?;
        Ok(Self {
            changes: Vec::new(),
            left: Vec::new(),
            folders: Vec::new(),
            note: note.to_owned(),
            noted,
            manifest: known.clone(),
            known,
            order,
        })
    }

    /// What the note said when this was begun.
    pub fn known(&self) -> &Manifest<K> {
        &self.known
    }

    /// What the note will say.
    pub fn manifest(&self) -> &Manifest<K> {
        &self.manifest
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.known == self.manifest
    }

    /// Writes it: all, or nothing.
    pub fn write(&self) -> Result<(), String> {
        apply(&self.steps())?;
        clear(&self.folders);
        Ok(())
    }

    /// Every file that is written, the note among them.
    pub fn steps(&self) -> Vec<Change> {
        let note = Change {
            agent: String::new(),
            path: self.note.clone(),
            before: self.noted.clone(),
            after: self.manifest.text(),
            mode: 0o600,
        };
        let noted = (note.before != note.after).then_some(note);
        let changes = self.changes.iter().cloned();
        match self.order {
            Order::NoteFirst => noted.into_iter().chain(changes).collect(),
            Order::NoteLast => changes.chain(noted).collect(),
        }
    }

    /// What a file holds by now, with what is planned so far.
    pub fn now(&self, path: &Path) -> Result<Option<String>, String> {
        match self.changes.iter().rev().find(|change| change.path == path) {
            Some(change) => Ok(change.after.clone()),
            None => read(path).map_err(|problem| problem.replace(&format!("`{}`: ", path.display()), "")),
        }
    }

    /// Plans a file that holds something of ours afterwards, and notes it. `mode` is that of a file that is new.
    pub fn put(&mut self, mut entry: Entry<K>, before: Option<String>, after: String, mode: u32) {
        entry.folders = self.missing(&entry.path);
        entry.digest = digest(&after);
        self.change(&entry.agent, &entry.path, before, Some(after), mode);
        self.manifest.put(entry);
    }

    /// Plans a file that holds nothing of this entry afterwards, and forgets the entry.
    pub fn take(&mut self, entry: &Entry<K>, before: Option<String>, after: Option<String>) {
        self.manifest.drop(entry);
        if after.is_none() {
            self.folders.extend(entry.folders.iter().cloned());
        }
        self.change(&entry.agent, &entry.path, before, after, 0o644);
    }

    /// A file without what an entry put in; nothing if it goes. If the file was changed since, `recognised` says what is
    /// left of it.
    pub fn without(
        &self,
        entry: &Entry<K>,
        text: &str,
        recognised: impl FnOnce() -> Result<String, String>,
    ) -> Result<Option<String>, String> {
        let before = (digest(text) == entry.digest).then(|| cut(text, &entry.ranges)).flatten();
        let rest = before.map_or_else(recognised, Ok)?;
        // Of a file that we made and nobody else wrote into, no more than an empty object is left.
        let content: String = rest.split_whitespace().collect();
        let is_nothing = content.is_empty() || content == "{}";
        let goes = is_nothing && rest != text && self.known.is_created(&entry.path);
        Ok((!goes).then_some(rest))
    }

    fn missing(&self, path: &Path) -> Vec<PathBuf> {
        let planned: Vec<&PathBuf> = self.manifest.files.iter().flat_map(|entry| &entry.folders).collect();
        // Whoever is removed last takes the folders along.
        let mut folders = missing(path);
        folders.extend(
            path.ancestors().skip(1).filter(|above| planned.contains(&&above.to_path_buf())).map(Path::to_owned),
        );
        folders.sort();
        folders.dedup();
        folders
    }

    fn change(&mut self, agent: &str, path: &Path, before: Option<String>, after: Option<String>, mode: u32) {
        if before == after {
            return;
        }
        if let Some(earlier) = self.changes.iter_mut().find(|change| change.path == path) {
            earlier.after = after;
            return;
        }
        self.changes.push(Change { agent: agent.to_owned(), path: path.to_owned(), before, after, mode });
    }
}

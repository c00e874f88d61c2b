//! What a person has looked at and agreed to.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tollgate_rules::form::Date;

use crate::file::hash;
use crate::guard::{self, refused};

/// What can be trusted. More kinds of things may come; a store keeps entries of kinds it does not know.
pub mod kind {
    /// A project's policy file.
    pub const CONFIG: &str = "config";
    /// The hooks in a file that came with a project, with the scripts that they name.
    pub const HOOKS: &str = "hooks";
}

/// One thing that is trusted, exactly as it was.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Entry {
    /// What sort of thing it is, such as [`kind::CONFIG`].
    pub kind: String,
    /// Where it lies.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub hash: String,
    /// Since when.
    pub date: Date,
}

/// The store as a file.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Form {
    version: u32,
    entries: Vec<Entry>,
}

/// Remembers what a person has agreed to, by content: a file that changed is no longer trusted.
///
/// The store is one file that is replaced as a whole, so a reader sees the old or the new one; writers wait for each
/// other. A store that somebody else could have written is not believed.
///
/// ```
/// use tollgate_config::{Trust, kind};
///
/// let folder = std::env::temp_dir().join(format!("tollgate-doc-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let file = folder.join("tollgate.toml");
/// std::fs::write(&file, "mode = \"observe\"")?;
///
/// let trust = Trust::at(&folder.join("data"));
/// assert!(!trust.holds(kind::CONFIG, &file, b"mode = \"observe\"")?);
/// trust.trust(kind::CONFIG, &file, b"mode = \"observe\"")?;
/// assert!(trust.holds(kind::CONFIG, &file, b"mode = \"observe\"")?);
/// assert!(!trust.holds(kind::CONFIG, &file, b"mode = \"observe\" ")?);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trust {
    folder: PathBuf,
}

impl Trust {
    /// The store in a folder ([`Paths::data`](crate::Paths::data)). Nothing is created before something is trusted.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Trusts something exactly as it is; what was trusted at that path before no longer is.
    pub fn trust(&self, kind: &str, path: &Path, bytes: &[u8]) -> io::Result<Entry> {
        let entry = Entry { kind: kind.to_owned(), path: name(path)?, hash: hash(bytes), date: today() };
        self.change(|entries| {
            entries.retain(|old| !(old.kind == entry.kind && old.path == entry.path));
            entries.push(entry.clone());
        })?;
        Ok(entry)
    }

    /// Trusts it no longer; says whether it was trusted. A file that is gone can be named, too.
    pub fn revoke(&self, kind: &str, path: &Path) -> io::Result<bool> {
        let path = place(path).or_else(|_| text(path))?;
        let mut found = false;
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|old| !(old.kind == kind && old.path == path));
            found = entries.len() < before;
        })?;
        Ok(found)
    }

    /// Everything that is trusted.
    pub fn list(&self) -> io::Result<Vec<Entry>> {
        Ok(self.read()?.entries)
    }

    /// Whether something is trusted exactly as it is. An error means that the store cannot be believed.
    pub fn holds(&self, kind: &str, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        let entries = self.read()?.entries;
        if entries.is_empty() {
            return Ok(false);
        }
        let (Ok(path), hash) = (name(path), hash(bytes)) else { return Ok(false) };
        Ok(entries.iter().any(|entry| entry.kind == kind && entry.path == path && entry.hash == hash))
    }

    fn file(&self) -> PathBuf {
        self.folder.join("trust.json")
    }

    fn read(&self) -> io::Result<Form> {
        let path = self.file();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Form { version: 1, entries: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        guard::only_ours(&self.folder)?;
        guard::only_ours(&path)?;
        let form: Form = serde_json::from_slice(&bytes).map_err(|error| {
            refused(format!("`{}` is damaged ({error}); remove it and trust again what you trust", path.display()))
        })?;
        match form.version {
            1 => Ok(form),
            version => Err(refused(format!("`{}` has version {version}; a newer tollgate wrote it", path.display()))),
        }
    }

    /// Reads, changes and replaces the store while nobody else does.
    fn change(&self, change: impl FnOnce(&mut Vec<Entry>)) -> io::Result<()> {
        guard::create_folder(&self.folder)?;
        let lock = guard::private(OpenOptions::new().create(true).truncate(false).write(true))
            .open(self.folder.join("trust.lock"))?;
        // The kernel lets go of it when this process ends, however it ends.
        lock.lock()?;
        let mut form = self.read()?;
        change(&mut form.entries);
        let mut text = serde_json::to_vec_pretty(&form)?;
        text.push(b'\n');
        guard::replace_own(&self.file(), &text)
    }
}

/// The one name of a file: its folder without links and detours, and its own name there. A link keeps its own name,
/// because a cloned project may have one to a file that is trusted elsewhere.
fn name(path: &Path) -> io::Result<String> {
    fs::metadata(path).and_then(|_| place(path))
}

/// The same for a file that may be gone.
fn place(path: &Path) -> io::Result<String> {
    let own = path.file_name().ok_or_else(|| refused(format!("`{}` is no file", path.display())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    text(&fs::canonicalize(folder)?.join(own))
}

fn text(path: &Path) -> io::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| refused(format!("the path `{}` is no text", path.display())))
}

/// Today, in UTC.
pub fn today() -> Date {
    Date::of_seconds(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

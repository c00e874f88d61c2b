//! Writing several files, all or none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The agent whose settings it is, or for whom it is.
    pub agent: String,
    /// The file.
    pub path: PathBuf,
    /// What it holds; nothing if there is none.
    pub before: Option<String>,
    /// What it will hold; nothing if it goes.
    pub after: Option<String>,
    /// The mode of a file that is new.
    pub mode: u32,
}

/// The text of a file; nothing if there is none.
pub fn read(path: &Path) -> Result<Option<String>, String> {
    let failed = |what: String| format!("`{}`: {what}", path.display());
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes);
            text.map(Some).map_err(|_| failed("it is not UTF-8; nothing is changed in it".to_owned()))
        }
        // A link to nothing is nothing that could be written through.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Makes all changes, or none: a file that is not as a change says it was is a failure, and whatever was done before a failure is undone.
pub fn apply(changes: &[Change]) -> Result<(), String> {
    let mut done: Vec<Undo<'_>> = Vec::new();
    for change in changes {
        if let Err(problem) = make(change, &mut done) {
            let undone: Vec<String> = done.iter().rev().filter_map(|undo| undo.run().err()).collect();
            let then = if undone.is_empty() {
                "nothing was changed".to_owned()
            } else {
                format!("what was changed before could not all be undone: {}", undone.join("; "))
            };
            return Err(format!("{problem}; {then}"));
        }
    }
    Ok(())
}

enum Undo<'c> {
    File(&'c Change, Rights),
    Folder(PathBuf),
}

impl Undo<'_> {
    fn run(&self) -> Result<(), String> {
        match self {
            Self::File(change, rights) => put(&change.path, change.before.as_deref(), *rights),
            Self::Folder(folder) => fs::remove_dir(folder).map_err(|error| format!("`{}`: {error}", folder.display())),
        }
    }
}

/// Who may do what with a file. It is asked before the file is touched: one that is gone has none to give back.
#[derive(Clone, Copy)]
struct Rights {
    mode: u32,
    owner: Option<(u32, u32)>,
}

impl Rights {
    fn of(change: &Change) -> Self {
        let about = change.path.metadata().ok();
        Self {
            mode: about.as_ref().map_or(change.mode, |about| about.permissions().mode() & 0o7777),
            owner: about.map(|about| (about.uid(), about.gid())),
        }
    }
}

fn make<'c>(change: &'c Change, done: &mut Vec<Undo<'c>>) -> Result<(), String> {
    let path = change.path.display();
    if read(&change.path)? != change.before {
        return Err(format!("`{path}` was changed by somebody else just now; look at it and try again"));
    }
    if change.after.is_some() {
        for folder in missing(&change.path) {
            // A folder for what is private is private.
            let mode = if change.mode == 0o600 { 0o700 } else { 0o777 };
            fs::DirBuilder::new()
                .mode(mode)
                .create(&folder)
                .map_err(|error| format!("`{}`: {error}", folder.display()))?;
            done.push(Undo::Folder(folder));
        }
    }
    let rights = Rights::of(change);
    put(&change.path, change.after.as_deref(), rights)?;
    done.push(Undo::File(change, rights));
    Ok(())
}

/// Takes away those of the folders that are empty. One that holds something stays.
pub(crate) fn clear(folders: &[PathBuf]) {
    let mut folders: Vec<&PathBuf> = folders.iter().collect();
    // What lies within another folder sorts after it.
    folders.sort_unstable();
    for folder in folders.into_iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// The folders above a file that are not there, outermost first.
pub(crate) fn missing(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn put(path: &Path, text: Option<&str>, rights: Rights) -> Result<(), String> {
    let done = match text {
        Some(text) => replace(path, text, rights),
        None => fs::remove_file(path).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        }),
    };
    done.map_err(|error| format!("`{}`: {error}", path.display()))
}

/// Whoever reads the file sees the old text or the new one, never half of it. Links stay links.
fn replace(path: &Path, text: &str, rights: Rights) -> io::Result<()> {
    let target = if path.exists() { path.canonicalize()? } else { path.to_owned() };
    let folder = target.parent().unwrap_or(Path::new("/"));
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.tollgate-{}", std::process::id()));
    let written = fill(&temporary, text, rights).and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    } else if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    written
}

fn fill(path: &Path, text: &str, rights: Rights) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    let about = file.metadata()?;
    // Only an administrator may give files away; for anybody else it is their own already.
    if let Some((user, group)) = rights.owner.filter(|owner| *owner != (about.uid(), about.gid())) {
        std::os::unix::fs::fchown(&file, Some(user), Some(group))?;
    }
    file.set_permissions(fs::Permissions::from_mode(rights.mode))?;
    file.sync_all()
}

//! A file that is there when it is whole, and not before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::super::place::shown;
use crate::command::Failure;

/// A file under another name beside its own, and gone again unless it is kept.
#[derive(Debug)]
pub(super) struct Beside {
    file: File,
    name: PathBuf,
    target: PathBuf,
    force: bool,
}

impl Beside {
    pub(super) fn create(target: &Path, force: bool) -> Result<Self, Failure> {
        // What a link points to is replaced, not the link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        match fs::metadata(&target) {
            Ok(about) if !about.is_file() => return Err(format!("`{}` is no file", shown(&target)).into()),
            Ok(_) if !force => return Err(taken(&target)),
            _ => {}
        }
        let name = aside(&target)?;
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&name);
        let file = file.map_err(|error| format!("cannot write `{}`: {error}", shown(&target)))?;
        Ok(Self { file, name, target, force })
    }

    pub(super) fn writer(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it its name.
    pub(super) fn keep(self) -> Result<(), Failure> {
        let named = self.file.sync_all().and_then(|()| if self.force { self.rename() } else { self.link() });
        named.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => taken(&self.target),
            _ => format!("cannot write `{}`: {error}", shown(&self.target)).into(),
        })
    }

    fn rename(&self) -> io::Result<()> {
        fs::rename(&self.name, &self.target)
    }

    /// Unlike a new name, a second one never takes the place of a file that somebody else just made.
    fn link(&self) -> io::Result<()> {
        match fs::hard_link(&self.name, &self.target) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists && !self.target.exists() => self.rename(),
            linked => linked,
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // After a new name this one is gone already.
        let _ = fs::remove_file(&self.name);
    }
}

fn taken(target: &Path) -> Failure {
    format!("there is a `{}`; `--force` writes over it", shown(target)).into()
}

/// A name beside another one that nobody else uses.
pub(super) fn aside(target: &Path) -> Result<PathBuf, Failure> {
    let name = target.file_name().ok_or_else(|| format!("`{}` is no name for a file", shown(target)))?;
    let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    Ok(target.with_file_name(name))
}

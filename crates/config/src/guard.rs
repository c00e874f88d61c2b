//! Files that only their owner can write.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// Opens a file of ours, or makes it, to read and to write; its folder is made, too. One that is a link, no ordinary
/// file, or that somebody else could have written is not opened, and neither is one in such a folder.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("tollgate-own-{}", std::process::id()));
/// assert!(tollgate_config::open_own(&folder, "a").is_ok());
/// # std::fs::remove_dir_all(&folder).ok();
/// ```
pub fn open_own(folder: &Path, name: &str) -> io::Result<File> {
    let path = folder.join(name);
    if fs::symlink_metadata(folder).is_err() {
        create_folder(folder)?;
    }
    let about = fs::symlink_metadata(folder)?;
    if !about.is_dir() {
        return Err(refused(format!("`{}` is no folder, so it is not believed", folder.display())));
    }
    believable(&about, folder)?;
    // Nobody else can write in that folder, so what is looked at is what is opened.
    let mut options = OpenOptions::new();
    let options = private(options.read(true).write(true));
    let file = match fs::symlink_metadata(&path) {
        Ok(about) => {
            ordinary(&about, &path)?;
            believable(&about, &path)?;
            let file = options.open(&path)?;
            same(&about, &file.metadata()?, &path)?;
            file
        }
        Err(error) if error.kind() == ErrorKind::NotFound => match options.create_new(true).open(&path) {
            // Another process was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return open_own(folder, name),
            made => made?,
        },
        Err(error) => return Err(error),
    };
    ordinary(&file.metadata()?, &path)?;
    only_ours_open(&file, &path)?;
    Ok(file)
}

/// Puts a file of ours in place as a whole, for nobody else to read; its folder is made, too. Whoever reads it sees the
/// old text or the new one, never half of it.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("tollgate-replaced-{}", std::process::id()));
/// for text in ["old", "new"] {
///     tollgate_config::replace_own(&folder.join("a"), text.as_bytes())?;
///     assert_eq!(std::fs::read_to_string(folder.join("a"))?, text);
/// }
/// assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn replace_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let new = folder.join(name);
    let put = || -> io::Result<()> {
        let mut file = private(OpenOptions::new().create(true).truncate(true).write(true)).open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    let written = put();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    } else {
        // The new name must survive a power cut, too; where folders cannot be synced, it does as well as it can.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    written
}

fn ordinary(about: &Metadata, path: &Path) -> io::Result<()> {
    let no_file = || refused(format!("`{}` is no ordinary file, so it is not believed; remove it", path.display()));
    if about.is_file() { Ok(()) } else { Err(no_file()) }
}

pub(crate) fn refused(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(unix)]
pub use unix::{believable, user};

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
    use std::path::Path;

    use super::refused;

    pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
        options.mode(0o600)
    }

    pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Whether nobody else could have written it.
    pub(crate) fn only_ours(path: &Path) -> io::Result<()> {
        believable(&fs::metadata(path)?, path)
    }

    /// The same of a file that is open: what was judged is what is read.
    pub(crate) fn only_ours_open(file: &File, path: &Path) -> io::Result<()> {
        believable(&file.metadata()?, path)
    }

    /// Whether two looks saw one file.
    pub(super) fn same(one: &Metadata, other: &Metadata, path: &Path) -> io::Result<()> {
        if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
            return Ok(());
        }
        Err(refused(format!("`{}` is being replaced, so it is not believed", path.display())))
    }

    /// Whether nobody else could have written what was looked at; `path` is for the message, which says what to do.
    ///
    /// ```
    /// # use std::os::unix::fs::PermissionsExt;
    /// let path = std::env::temp_dir().join(format!("tollgate-believable-{}", std::process::id()));
    /// std::fs::write(&path, "")?;
    /// std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600))?;
    /// assert!(tollgate_config::believable(&path.metadata()?, &path).is_ok());
    /// std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666))?;
    /// assert!(tollgate_config::believable(&path.metadata()?, &path).is_err());
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn believable(about: &Metadata, path: &Path) -> io::Result<()> {
        if about.mode() & 0o022 != 0 {
            let path = path.display();
            return Err(refused(format!("others may write to `{path}`, so it is not believed; `chmod go-w {path}`")));
        }
        if ![user(), 0].contains(&about.uid()) {
            return Err(refused(format!("`{}` belongs to somebody else, so it is not believed", path.display())));
        }
        Ok(())
    }

    /// Who this process is, as the file system sees it.
    ///
    /// ```
    /// use std::os::unix::fs::MetadataExt;
    ///
    /// assert_eq!(tollgate_config::user(), std::fs::metadata("/proc/self")?.uid());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }
}

#[cfg(not(unix))]
pub use others::believable;
#[cfg(not(unix))]
pub(crate) use others::*;

#[cfg(not(unix))]
mod others {
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn same(_: &Metadata, _: &Metadata, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub fn believable(_: &Metadata, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    pub(crate) fn only_ours(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn only_ours_open(_: &File, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

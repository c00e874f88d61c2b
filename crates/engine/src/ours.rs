//! Small files that decide something, and whether nobody else could have written them.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;

use tollgate_config::believable;

/// No file that is read here is longer.
const MOST: u64 = 1 << 20;

/// What a small file holds; none if there is no such file.
///
/// A file that somebody else could have written is not believed: that is an error which says what to do.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("tollgate-doc-ours-{}", std::process::id()));
/// let file = folder.join("note");
/// assert_eq!(tollgate_engine::ours::read(&file)?, None);
/// tollgate_engine::ours::write(&file, "mine")?;
/// assert_eq!(tollgate_engine::ours::read(&file)?.as_deref(), Some("mine"));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if let Some(folder) = path.parent() {
        believable(&fs::metadata(folder)?, folder)?;
    }
    // What is looked at is what is read, whatever takes its name meanwhile.
    believable(&file.metadata()?, path)?;
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Puts a file in place as a whole, for nobody else to read, and makes its folder if need be.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let new = folder.join(name);
    let put = || -> io::Result<()> {
        let mut file = private(OpenOptions::new().create(true).truncate(true).write(true)).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    let written = put();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Takes a file away; says whether there was one.
pub fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether it means that there is nothing.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(unix)]
fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

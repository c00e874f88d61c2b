//! Small files that decide something, and whether nobody else could have written them.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use tollgate_config::{believable, replace_own};

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
    replace_own(path, text.as_bytes())
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

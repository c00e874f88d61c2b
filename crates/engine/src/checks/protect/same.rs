//! Other names for the same file: whoever writes to one writes to all.

use std::fs::{self, Metadata};
use std::path::Path;

/// How many entries of protected folders are looked at, and how deep.
const MAX_ENTRIES: usize = 4096;
const MAX_DEPTH: usize = 4;

/// Whether a file is one of these places, or lies in one, under another name. Hardly any file has two names, so hardly
/// ever more is looked at than that.
pub(super) fn is_one_of(path: &str, places: &[String]) -> bool {
    let Some(file) = fs::metadata(path).ok().and_then(|about| linked(&about)) else { return false };
    let mut left = MAX_ENTRIES;
    places.iter().any(|place| holds(Path::new(place), file, MAX_DEPTH, &mut left))
}

fn holds(place: &Path, file: (u64, u64), depth: usize, left: &mut usize) -> bool {
    let Ok(about) = fs::symlink_metadata(place) else { return false };
    if !about.is_dir() {
        return linked(&about) == Some(file);
    }
    let entries = if depth > 0 { fs::read_dir(place).ok() } else { None };
    for entry in entries.into_iter().flatten().flatten() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if holds(&entry.path(), file, depth - 1, left) {
            return true;
        }
    }
    false
}

/// What tells a file from all others, if it has more than one name.
#[cfg(unix)]
fn linked(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    (about.is_file() && about.nlink() > 1).then(|| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn linked(_: &Metadata) -> Option<(u64, u64)> {
    None
}

//! Paths of Windows, as they are written in Git Bash, WSL and PowerShell.

use crate::effect::Place;

/// Starts with a drive.
pub(super) fn is_one(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|c| matches!(c, b'/' | b'\\'))
}

/// With slashes and without detours, if it is one: `C:/Users/x`.
pub(super) fn plain(text: &str) -> Option<String> {
    if !is_one(text) {
        return None;
    }
    let mut path = String::with_capacity(text.len() + 1);
    path.push(text.as_bytes()[0].to_ascii_uppercase().into());
    path.push_str(":/");
    super::push(&mut path, &text[2..].replace('\\', "/"), false, &super::Surroundings::default());
    Some(path)
}

/// Where it lies. `path` starts with a drive, or is what WSL and Git Bash call one.
pub(super) fn place(path: &str) -> Option<Place> {
    let rest = rest(path)?;
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let Some(first) = parts.next() else { return Some(Place::Root) };
    let is = |name: &str| first.eq_ignore_ascii_case(name);
    Some(if is("users") || is("documents and settings") {
        if parts.nth(1).is_some() { Place::Outside } else { Place::Home }
    } else if is("temp") || is("tmp") {
        Place::Temp
    } else if is("windows") || is("program files") || is("program files (x86)") || is("programdata") || is("boot") {
        Place::System
    } else {
        Place::Outside
    })
}

/// What follows the drive.
fn rest(path: &str) -> Option<&str> {
    if is_one(path) {
        return Some(&path[2..]);
    }
    let drive = path.strip_prefix("/mnt/").or_else(|| path.strip_prefix('/'))?;
    let bytes = drive.as_bytes();
    let single = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1).is_none_or(|c| *c == b'/');
    single.then(|| &drive[1..])
}

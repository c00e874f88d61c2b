//! Which files a patch changes.

use crate::effect::Kind;

/// Whether a text is a patch.
pub(super) fn is_one(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains("*** Update File:")
        || text.contains("\n+++ ")
        || text.starts_with("+++ ")
}

/// What a patch does to which paths: `*** Add File: x`, or a unified diff.
pub(super) fn changes(text: &str) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    if !text.contains("*** ") || text.contains("\n+++ ") {
        unified(text, &mut found);
    }
    let mut current: Option<&str> = None;
    for line in text.lines() {
        let Some(line) = line.trim_start().strip_prefix("*** ") else { continue };
        let named = |word: &str| line.strip_prefix(word).map(str::trim);
        if let Some(path) = named("Add File:") {
            found.push((Kind::Overwrite, path.to_owned()));
        } else if let Some(path) = named("Update File:") {
            current = Some(path);
            found.push((Kind::Overwrite, path.to_owned()));
        } else if let Some(path) = named("Delete File:") {
            found.push((Kind::Delete, path.to_owned()));
        } else if let Some(path) = named("Move to:") {
            found.extend(current.map(|from| (Kind::Move, from.to_owned())));
            found.push((Kind::Overwrite, path.to_owned()));
        }
    }
    found
}

fn unified(text: &str, found: &mut Vec<(Kind, String)>) {
    let mut before = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            before = Some(name(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            match (name(path), before.take()) {
                ("/dev/null", Some(old)) => found.push((Kind::Delete, stripped(old, 1))),
                (new, _) => found.push((Kind::Overwrite, stripped(new, 1))),
            }
        } else if let Some(path) = line.strip_prefix("rename from ") {
            found.push((Kind::Move, path.to_owned()));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            found.push((Kind::Overwrite, path.to_owned()));
        }
    }
}

/// A diff may say when, after a tab.
fn name(path: &str) -> &str {
    path.split('\t').next().unwrap_or_default().trim()
}

/// Without the folders that a diff puts in front. `a/` and `b/` are only there if somebody put them.
fn stripped(path: &str, count: usize) -> String {
    let mut rest = path;
    for _ in 0..count {
        if count == 1 && !(rest.starts_with("a/") || rest.starts_with("b/")) {
            break;
        }
        rest = rest.split_once('/').map_or(rest, |(_, rest)| rest);
    }
    rest.to_owned()
}

/// The paths that a unified diff changes, without their first `strip` parts.
pub(crate) fn patched(text: &str, strip: usize) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")));
    let mut paths: Vec<String> =
        names.map(name).filter(|path| *path != "/dev/null").map(|path| stripped(path, strip)).collect();
    paths.dedup();
    paths
}

//! Tools that nobody knows: what they do is not told, and what they are given is.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tollgate_core::Fault;
use tollgate_rules::CallFacts;
use tollgate_shell::{is_blind, plainly};

use super::{Call, Overlap, Protect, is_there, overlap, same};

/// How often JSON in a string is opened that is in a string itself.
const DEPTH: usize = 4;
/// No path is longer.
const LONGEST: usize = 4096;

/// What the names of tools that only look begin with, or have as a word.
const READS: &[&str] = &["read", "get", "list", "search", "view", "stat"];
/// What keeps such a name from being only that.
const CHANGES: &[&str] = &[
    "write", "edit", "creat", "delet", "remov", "move", "renam", "updat", "replac", "append", "patch", "insert",
    "copy", "save", "exec", "upload", "install",
];
/// What takes a folder away with everything in it.
const TAKES: &[&str] = &["move", "renam", "delet", "remov", "rmdir", "unlink", "trash"];

impl Protect {
    /// The protected place that a tool is given whose doings are unknown, as it is written.
    pub(super) fn named(&self, call: &Call<'_>) -> Result<Option<String>, Fault> {
        let facts = call.facts;
        let tool = facts.tool();
        if !matches!(facts.kind(), None | Some("mcp" | "agent" | "other")) || reads(tool) {
            return Ok(None);
        }
        let Some(arguments) = facts.arguments()? else { return Ok(None) };
        let takes = TAKES.iter().any(|verb| tool.contains(verb));
        let mut found = None;
        any(arguments, DEPTH, &mut |text| {
            let hit = self.is_given(text, takes, call);
            if hit {
                found = Some(text.trim().to_owned());
            }
            hit
        });
        Ok(found)
    }

    fn is_given(&self, text: &str, takes: bool, call: &Call<'_>) -> bool {
        let Some(Written { path, rooted }) = written(text, call.facts) else { return false };
        let Some(path) = path.to_str() else { return false };
        let plain = plainly(path);
        let real = [path, &plain].map(|path| self.ambient.real(path).map(|real| plainly(&real)));
        let mut ways = real.into_iter().flatten().chain([plain]);
        ways.any(|path| {
            let hit = |place: &String| {
                let near = Path::new(&path).starts_with(place) || takes && Path::new(place).starts_with(&path);
                // What has no beginning is a pattern for names as often as for paths.
                match if near || rooted { overlap(&path, place) } else { Overlap::None } {
                    Overlap::None => false,
                    Overlap::In => true,
                    Overlap::Above => takes && is_there(place),
                }
            };
            // Where a server has its working directory, and what it has open, nobody knows.
            is_blind(&path)
                || self.known().paths.iter().any(hit)
                || self.counts_here(&path, call)
                || same::is_one_of(&path, &self.known().paths)
        })
    }
}

/// Whether a tool's name says that it only looks. The name of its server says nothing.
fn reads(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let looks = READS.iter().any(|verb| name.starts_with(verb)) || words.any(|word| READS.contains(&word));
    looks && !CHANGES.iter().any(|verb| name.contains(verb))
}

/// Whether any text in a document is it, also in JSON that was put into a text.
fn any(value: &Value, depth: usize, is: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => {
            let opened = || serde_json::from_str::<Value>(text).ok();
            let opened = (depth > 0 && text.trim_start().starts_with(['{', '['])).then(opened).flatten();
            is(text) || opened.is_some_and(|value| any(&value, depth - 1, is))
        }
        Value::Array(items) => items.iter().any(|item| any(item, depth, is)),
        Value::Object(fields) => fields.iter().any(|(key, value)| is(key) || any(value, depth, is)),
        _ => false,
    }
}

/// A path that was written.
struct Written {
    path: PathBuf,
    /// Whether it says where it begins.
    rooted: bool,
}

/// The path that a text is, if it may be one.
fn written(text: &str, facts: &CallFacts<'_>) -> Option<Written> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || text.contains(['\n', '\0']) {
        return None;
    }
    let address = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).map(|_| &text[5..]);
    let decoded = address.map(|address| {
        let path = address.strip_prefix("//").map_or(address, |rest| rest.find('/').map_or("", |at| &rest[at..]));
        unescaped(path)
    });
    let text = decoded.as_deref().unwrap_or(text);
    let of_home = ["~", "$HOME", "${HOME}"].iter().find_map(|home| text.strip_prefix(home));
    if let Some(rest) = of_home.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some(Written { path: Path::new(facts.home()?).join(rest.trim_start_matches('/')), rooted: true });
    }
    let rooted = text.starts_with('/');
    let folder = facts.event.cwd.filter(|cwd| cwd.starts_with('/'));
    let path = if rooted { PathBuf::from(text) } else { Path::new(folder?).join(text) };
    Some(Written { path, rooted })
}

/// The text of an address, without its `%41`.
fn unescaped(address: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), address.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|_| *first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn names_of_tools_that_only_look() {
    for (tool, expected) in [
        ("mcp__fs__read_file", true),
        ("mcp__fs__list_directory", true),
        ("mcp__fs__file_search", true),
        ("readthing", true),
        ("mcp__fs__write_file", false),
        ("mcp__target_get__store", false),
        ("widget_store", false),
        ("search_and_replace", false),
        ("read_write", false),
        ("thread_post", false),
        ("", false),
    ] {
        assert_eq!(reads(tool), expected, "{tool}");
    }
}

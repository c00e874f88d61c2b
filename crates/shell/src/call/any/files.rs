//! Paths among the arguments, and addresses.

use super::words::Deed;
use super::{Seen, Text};
use crate::call::{FOLDERS, quoted};
use crate::effect::Kind;
use crate::path::host;

/// What the last word of an argument is called that holds a path.
const PATHS: &[&str] =
    &["path", "file", "filename", "filepath", "dir", "directory", "folder", "attachment", "notebook", "pathname"];
/// Those that hold a folder.
const FOLDER: &[&str] = &["dir", "directory", "folder"];
/// Where it comes from, and where it goes.
const SOURCES: &[&str] = &["source", "src", "from", "old", "origin"];
const TARGETS: &[&str] = &["destination", "dest", "target", "to", "new"];
/// Something is put there, whatever the tool does besides.
const SAVES: &[&str] = &["output", "out", "save", "saved", "destination", "dest", "target", "export", "downloads"];
/// Something is taken from there.
const TAKES: &[&str] = &["input", "source", "src", "upload", "attachment", "template", "import"];
/// What goes into a file.
pub(super) const CONTENTS: &[&str] =
    &["content", "contents", "text", "data", "body", "edits", "filetext", "newtext", "source"];
/// A search with one of these looks into files.
pub(super) const INSIDE: &[&str] = &["regex", "query", "content", "text", "contentpattern"];
/// Beside these, a path that starts nowhere is one of a hosted repository or a store.
pub(super) const HOSTED: &[&str] = &[
    "owner",
    "repo",
    "repository",
    "projectid",
    "project",
    "branch",
    "bucket",
    "bucketname",
    "databaseid",
    "spaceid",
    "siteid",
    "workspaceid",
    "accountid",
    "container",
    "drive",
    "driveid",
    "ref",
    "sha",
];
/// Names that say that only what stands about files is told.
const ABOUT: &[&str] = &["info", "metadata", "stat", "exists", "exist", "size", "list", "tree"];

impl Seen<'_> {
    /// Whether an argument is the path of a file.
    fn is_path(&self, text: &Text<'_>) -> bool {
        let last = text.key.last();
        let named = super::words::is_one(last, PATHS) || self.copies() && text.key.any(SOURCES) | text.key.any(TARGETS);
        let folder = FOLDERS.iter().any(|name| text.key.are(&name.to_ascii_lowercase().replace('_', "")));
        let folder = folder && self.local;
        named
            && !folder
            && !text.text.is_empty()
            && text.text.len() <= 4096
            && !text.text.contains(['\n', '\0'])
            && !text.text.contains("://")
    }

    fn deletes_files(&self) -> bool {
        matches!(self.deed, Some(Deed::Delete | Deed::Remove))
    }

    fn copies(&self) -> bool {
        matches!(self.deed, Some(Deed::Copy | Deed::Move))
    }

    /// Whether a path is one of this machine, or of one that is reached as this one is.
    fn is_file(&self, text: &Text<'_>) -> bool {
        let about_files = self.tool.name.any(&["file", "notebook", "directory", "folder", "path", "content"]);
        if text.key.are("filename") && !text.text.contains('/') && !about_files {
            // What a snippet is called, and the like.
            return false;
        }
        let rooted = text.text.starts_with(['/', '~', '\\'])
            || text.text.starts_with("./")
            || text.text.starts_with("../")
            || text.text.get(1..3) == Some(":\\");
        let hosted = |object: usize| self.given.objects[object].hosted;
        rooted && !self.is_request() || !rooted && !hosted(0) && !hosted(text.object)
    }

    /// Whether a path is that of a request.
    fn is_request(&self) -> bool {
        self.top().has(&["method"]) || self.tool.name.any(&["request", "api", "http", "rest", "endpoint"])
    }

    pub(super) fn files(&mut self, tries: bool, dry: bool) {
        if self.is_git() || self.tool.name.any(&["chmod", "chown"]) {
            return;
        }
        if self.copies() && !tries {
            self.copied();
        }
        for text in &self.given.texts {
            if !self.is_path(text) || !self.is_file(text) {
                continue;
            }
            let Some(kind) = self.kind_of(text, tries, dry) else { continue };
            self.local = true;
            let by = self.tool.name.text();
            match kind {
                // A folder is not what is written, but something in it.
                Kind::Overwrite if super::words::is_one(text.key.last(), FOLDER) => {
                    self.call.touch(kind, &format!("{}/file", text.text.trim_end_matches('/')), &by);
                }
                _ => self.call.touch(kind, text.text, &by),
            }
        }
    }

    /// What is done to a path.
    fn kind_of(&self, text: &Text<'_>, tries: bool, dry: bool) -> Option<Kind> {
        let (name, key) = (&self.tool.name, &text.key);
        let written = Some(Kind::Overwrite).filter(|_| !tries);
        // Nothing can be written there: it is a path of something else.
        let written = written.filter(|_| text.text != "/");
        let read = Some(Kind::Read).filter(|_| !tries || dry);
        let fetches = name.any(&["download", "export", "pull", "dump", "screenshot", "backup"]);
        let about_files = name.any(&["file", "notebook", "directory", "folder", "path", "content"]);
        if key.any(SAVES) && !self.copies() && !self.deletes_files() {
            return written;
        }
        match self.deed {
            Some(Deed::Try) if !dry => None,
            Some(Deed::List) => None,
            Some(Deed::Read) if name.any(ABOUT) && !fetches => None,
            Some(Deed::Read) if self.only_names(text) => None,
            Some(Deed::Read) if fetches && !key.any(&["remote"]) && (key.any(&["local"]) || !about_files) => written,
            Some(Deed::Read | Deed::Run) | None if !about_files && key.last() == "filename" => written,
            None if self.given.objects[text.object].content => written,
            Some(Deed::Read | Deed::Run) | None => read,
            Some(Deed::Write) if key.any(TAKES) => read,
            Some(Deed::Write) => written,
            Some(Deed::Send) if key.any(&["remote"]) => written,
            Some(Deed::Send) => read,
            Some(Deed::Delete | Deed::Remove) => Some(Kind::Delete).filter(|_| !tries),
            Some(Deed::Copy | Deed::Move | Deed::Detach | Deed::Disable | Deed::Try) => None,
        }
    }

    /// A search that only tells the names of files.
    fn only_names(&self, text: &Text<'_>) -> bool {
        let searches = self.tool.name.any(&["search", "find", "glob"]);
        searches && !self.given.objects[text.object].inside
    }

    /// What comes from one place and goes to another, wherever both stand together.
    fn copied(&mut self) {
        for object in &self.given.objects {
            let one = |names: &[&str]| {
                object.members.iter().find(|(key, _)| key.any(names)).and_then(|(_, value)| value.as_str())
            };
            let (Some(from), Some(to)) = (one(SOURCES), one(TARGETS)) else { continue };
            if object.hosted {
                continue;
            }
            self.local = true;
            let ends = [from, to].map(|end| end.trim_start_matches("local:").trim_start_matches("remote:"));
            let program = match self.deed {
                Some(Deed::Move) => "mv",
                _ if self.switched(&["delete"]) => "rsync -a --delete",
                _ => "cp -r",
            };
            self.call.script(&format!("{program} -- {}", quoted(&ends.map(Into::into))));
        }
    }

    /// Addresses that are gone to.
    pub(super) fn addresses(&mut self, tries: bool) {
        const NAMES: &[&str] = &["url", "uri", "href", "link", "endpoint", "webhook", "website", "address"];
        for text in &self.given.texts {
            let address = text.text.trim();
            let Some((scheme, rest)) = address.split_once(':').filter(|_| text.key.any(NAMES)) else { continue };
            match scheme.to_ascii_lowercase().as_str() {
                "file" => {
                    let path = decoded(rest.trim_start_matches("//").trim_start_matches("localhost"));
                    self.call.touch(Kind::Read, &path, &self.tool.name.text());
                }
                "view-source" | "jar" if rest.contains("file:") => {
                    let path = rest.rsplit_once("file://").map_or(rest, |(_, path)| path);
                    self.call.touch(Kind::Read, &decoded(path), &self.tool.name.text());
                }
                _ if !rest.starts_with("//") || tries => {}
                _ if self.deletes_files() && !host(address).is_empty() => {
                    self.call.script(&format!("curl -X DELETE {}", quoted(&[address.into()])));
                }
                _ => self.call.fetch(&decoded_host(address)),
            }
        }
    }
}

/// Patterns such as `**/*.rs` are for names.
pub(super) fn is_of_names(pattern: &serde_json::Value) -> bool {
    pattern.as_str().is_some_and(|pattern| pattern.contains('*') && !pattern.contains(".*"))
}

/// `%2e` and the like, once.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An address in whose host nothing is disguised.
fn decoded_host(address: &str) -> String {
    if !address.contains('%') { address.to_owned() } else { decoded(address) }
}

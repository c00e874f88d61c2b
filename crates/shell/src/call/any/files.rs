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
const TARGETS: &[&str] = &["destination", "dest", "dst", "target", "to", "new"];
/// Something is put there, whatever the tool does besides.
const SAVES: &[&str] = &[
    "output",
    "out",
    "save",
    "saved",
    "destination",
    "dest",
    "dst",
    "target",
    "export",
    "downloads",
    "outfile",
    "to",
    "log",
];
/// Something is taken from there.
#[rustfmt::skip]
const TAKES: &[&str] = &[
    "input", "source", "src", "upload", "attachment", "template", "import", "env", "dotenv", "from", "image", "audio",
    "media",
];
/// What goes into a file.
#[rustfmt::skip]
pub(super) const CONTENTS: &[&str] = &[
    "content", "contents", "text", "data", "body", "edits", "filetext", "newtext", "newstring", "replacement",
    "newcontent", "source",
];
/// A search with one of these looks into files.
pub(super) const INSIDE: &[&str] = &["regex", "query", "content", "text", "contentpattern"];
/// Beside these, a path that starts nowhere is one of a hosted repository or a store.
#[rustfmt::skip]
pub(super) const HOSTED: &[&str] = &[
    "owner", "repo", "repository", "projectid", "project", "branch", "bucket", "bucketname", "databaseid", "spaceid",
    "siteid", "workspaceid", "accountid", "container", "drive", "driveid", "ref", "sha",
];
/// Names of tools that put what they see into a file.
const CAPTURES: &[&str] = &["snapshot", "screenshot", "capture", "console", "trace", "requests", "messages"];
/// Verbs that take what is in a file and do something with it.
#[rustfmt::skip]
const LOADS: &[&str] = &[
    "attach", "insert", "install", "import", "deploy", "set", "build", "add", "apply", "register", "configure", "load", "start",
    "restart", "restore", "upload", "enable", "manage",
];
/// Words of tools that work on files.
pub(super) const ABOUT_FILES: &[&str] = &["file", "notebook", "directory", "folder", "path", "content"];
/// Names that say that only what stands about files is told.
const ABOUT: &[&str] = &["info", "metadata", "stat", "exists", "exist", "size", "list", "tree"];

/// Arguments whose words are for people, patterns or programs: what looks like a path in them is a mention of one.
#[rustfmt::skip]
const PROSE: &[&str] = &[
    "query", "pattern", "text", "message", "body", "content", "title", "description", "comment", "thought", "prompt",
    "subject", "note", "summary", "command", "cmd", "sql", "statement", "code", "script", "selector", "xpath",
    "regex", "url", "endpoint", "route", "reason", "caption", "label", "function", "expression", "keys", "stdin",
    "args", "arguments", "argv",
];

/// What is told of a file under names that speak of one.
#[rustfmt::skip]
const ABOUT_IT: &[&str] = &[
    "id", "ids", "name", "names", "type", "types", "size", "pattern", "content", "contents", "text", "key", "url",
    "format", "extension", "hash", "count", "line", "lines", "mode", "filter", "limit", "title", "description",
];

impl Seen<'_> {
    /// Whether an argument is the path of a file: by its name, or because it can hardly be anything else.
    fn is_path(&self, text: &Text<'_>) -> bool {
        let last = text.key.last();
        let by_name = super::words::is_one(last, PATHS) || text.key.any(&["path", "file", "folder", "directory"]);
        let ends = self.copies() && (text.key.any(SOURCES) || text.key.any(TARGETS));
        let by_looks = is_rooted(text.text) && !text.key.any(PROSE) && !text.text.contains(' ');
        let named = by_name && !ABOUT_IT.contains(&last) || ends || by_looks;
        let folder = FOLDERS.iter().any(|name| text.key.are(&name.to_ascii_lowercase().replace('_', "")));
        let folder = folder && self.ran;
        named
            && !folder
            && !text.text.is_empty()
            && text.text.len() <= 4096
            && !text.text.contains(['\n', '\0'])
            && !text.text.contains("://")
    }

    /// Whether what a deletion speaks of can be a file.
    fn removes_files(&self) -> bool {
        const FILES: &[&str] = &["file", "directory", "dir", "folder", "path", "item", "tree", "content", "fs", "dbfs"];
        let name =
            self.given.chosen.as_ref().map_or_else(|| self.tool.name.clone(), |chosen| chosen.and(&self.tool.name));
        name.any(FILES) || super::words::size(&name).is_none()
    }

    fn deletes_files(&self) -> bool {
        matches!(self.deed, Some(Deed::Delete | Deed::Remove))
    }

    fn copies(&self) -> bool {
        matches!(self.deed, Some(Deed::Copy | Deed::Move))
    }

    /// Whether a path is one of this machine, or of one that is reached as this one is.
    fn is_file(&self, text: &Text<'_>) -> bool {
        let about_files = self.tool.name.any(ABOUT_FILES);
        if text.key.are("filename") && !text.text.contains('/') && !about_files {
            // What a snippet is called, and the like.
            return false;
        }
        let up = ["./", "../", "~", "\\", "$", "%"].iter().any(|start| text.text.starts_with(start));
        let around = &self.call.around;
        let here = [around.workspace, around.cwd].into_iter().flatten().any(|folder| text.text.starts_with(folder));
        let hosted = |object: usize| self.given.objects[object].hosted;
        match text.text.starts_with('/') {
            // What begins at the root of something hosted is none of this machine.
            true => (here || is_rooted(text.text)) && !self.is_request(),
            false => up || is_rooted(text.text) || !hosted(0) && !hosted(text.object),
        }
    }

    /// Whether a path is that of a request.
    fn is_request(&self) -> bool {
        self.top().has(&["method", "httpmethod"])
            || self.tool.name.any(&["request", "api", "http", "rest", "endpoint", "get", "post", "put", "delete"])
                && self.given.objects.iter().any(|object| object.has(&["method", "httpmethod", "headers"]))
    }

    pub(super) fn files(&mut self, tries: bool) {
        if self.is_git() || self.tool.name.any(&["chmod", "chown"]) {
            return;
        }
        if self.copies() && !tries && !self.given.is_dry() {
            self.copied();
        }
        for text in &self.given.texts {
            if !self.is_path(text) || !self.is_file(text) {
                continue;
            }
            let Some(kind) = self.kind_of(text, tries) else { continue };
            self.local |= kind != Kind::Read || !self.deletes_files();
            let by = self.tool.name.text();
            let home = text.text.strip_prefix("$HOME").or_else(|| text.text.strip_prefix("${HOME}"));
            let path = home.map_or_else(|| text.text.to_owned(), |rest| format!("~{rest}"));
            match kind {
                // A folder is not what is written, but something in it.
                Kind::Overwrite if super::words::is_one(text.key.last(), FOLDER) => {
                    self.call.touch(kind, &format!("{}/file", path.trim_end_matches('/')), &by);
                }
                _ => self.call.touch(kind, &path, &by),
            }
        }
    }

    /// What is done to a path.
    fn kind_of(&self, text: &Text<'_>, tries: bool) -> Option<Kind> {
        let (name, key, beside) = (&self.tool.name, &text.key, &self.given.objects[text.object]);
        // Nothing can be written to the root: it is a path of something else.
        let written = Some(Kind::Overwrite).filter(|_| text.text != "/");
        let read = Some(Kind::Read);
        let chosen = self.given.chosen.as_ref();
        let says = |words: &[&str]| name.any(words) || chosen.is_some_and(|chosen| chosen.any(words));
        let fetches = says(&["download", "export", "pull", "dump", "backup", "record"]);
        let both_ends = key.any(&["local"]) && (beside.remote || chosen.is_some());
        let about_files = name.any(ABOUT_FILES);
        if says(&["exists", "exist"])
            || self.deed == Some(Deed::Try) && name.any(&["path", "validate", "check", "verify"])
        {
            return None;
        }
        if key.any(SAVES) && !self.copies() && !self.deletes_files() {
            return written;
        }
        if key.any(&["env", "dotenv"]) && !self.deletes_files() {
            return read;
        }
        match self.deed {
            Some(Deed::List) => None,
            Some(Deed::Read) if name.any(ABOUT) && !fetches => None,
            Some(Deed::Read) if self.only_names(text) => None,
            Some(Deed::Read) if both_ends => written,
            Some(Deed::Read) if fetches && !key.any(&["remote"]) && (key.any(&["local"]) || !about_files) => written,
            Some(Deed::Read | Deed::Run | Deed::Write) | None
                if name.any(CAPTURES) && !name.any(&["read", "extract", "parse"]) =>
            {
                written
            }
            None if beside.content => written,
            Some(Deed::Write) if key.any(TAKES) || !beside.content && name.any(LOADS) => read,
            Some(Deed::Write) => written.filter(|_| !tries),
            Some(Deed::Send) if key.any(&["remote"]) => written,
            Some(Deed::Delete | Deed::Remove) if !self.removes_files() => read.filter(|_| is_rooted(text.text)),
            Some(Deed::Delete | Deed::Remove) => Some(Kind::Delete).filter(|_| !tries),
            Some(Deed::Copy | Deed::Move) if self.local => None,
            Some(Deed::Detach | Deed::Disable) => None,
            Some(Deed::Read | Deed::Run | Deed::Send | Deed::Copy | Deed::Move | Deed::Try) | None => read,
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
            let Some((scheme, rest)) = address.split_once(':') else { continue };
            // Credentials of the machine are given out there, whatever the argument is called.
            let metadata = rest.starts_with("//") && crate::know::is_metadata(&host(&decoded_host(address)));
            let all = !address.contains(char::is_whitespace);
            if !(text.key.any(NAMES) || metadata && all) {
                continue;
            }
            match scheme.to_ascii_lowercase().as_str() {
                "file" => {
                    let path = decoded(rest.trim_start_matches("//").trim_start_matches("localhost"));
                    let writes = self.given.objects[text.object].content;
                    let kind = if writes && !tries { Kind::Overwrite } else { Kind::Read };
                    self.local = true;
                    self.call.touch(kind, &path, &self.tool.name.text());
                }
                "view-source" | "jar" if rest.contains("file:") => {
                    let path = rest.rsplit_once("file://").map_or(rest, |(_, path)| path);
                    self.call.touch(Kind::Read, &decoded(path), &self.tool.name.text());
                }
                _ if !rest.starts_with("//") || tries => {}
                _ if crate::know::is_here(&host(address)) => self.call.fetch(address),
                _ if self.deletes_files() && !host(address).is_empty() => {
                    self.call.script(&format!("curl -X DELETE {}", quoted(&[address.into()])));
                }
                _ => self.call.fetch(&decoded_host(address)),
            }
        }
    }
}

/// Folders at the root of machines.
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    "home", "root", "Users", "etc", "usr", "var", "opt", "tmp", "srv", "mnt", "proc", "boot", "bin", "sbin", "lib",
    "dev", "sys", "run", "Library", "Applications", "System", "private", "Volumes", "media",
];

/// Whether a text begins as the path of a file does that lies where files of people and of systems lie.
pub(super) fn is_rooted(text: &str) -> bool {
    let home =
        ["~/", "$HOME/", "${HOME}/", "%USERPROFILE%", "../", "%APPDATA%"].iter().any(|start| text.starts_with(start));
    let first = text.strip_prefix('/').and_then(|rest| rest.split('/').next());
    home || first.is_some_and(|first| ROOTS.contains(&first)) || text.get(1..3) == Some(":\\")
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

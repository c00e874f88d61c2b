//! A folder with a log in it.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "helpers of tests; not every test uses all")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use tollgate_audit::{Draft, Keys, Known, Log, Settings, Verified, verify};
use tollgate_testkit::ManualClock;

/// A folder of its own, removed at the end.
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) settings: Settings,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("tollgate-audit-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        Self { root, clock: Arc::default(), settings: Settings::default() }
    }

    /// The same with segments of this many bytes.
    pub(crate) fn segments(mut self, bytes: u64) -> Self {
        self.settings.segment = bytes;
        self
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.root.join("audit")
    }

    pub(crate) fn key_dir(&self) -> PathBuf {
        self.root.join("keys")
    }

    /// Opens the log, as a new process would.
    pub(crate) fn log(&self) -> Log {
        Log::open(&self.dir(), &self.key_dir(), self.settings.clone(), self.clock.clone()).unwrap()
    }

    pub(crate) fn known(&self) -> Known {
        let key = Keys::read(&self.key_dir()).unwrap().map(|keys| keys.public());
        Known { key, anchors: Vec::new() }
    }

    pub(crate) fn verify(&self) -> Verified {
        self.verify_with(&self.known())
    }

    pub(crate) fn verify_with(&self, known: &Known) -> Verified {
        verify(&self.dir(), known, &mut |_| {}).unwrap()
    }

    /// What is wrong, in words; `good` if nothing is.
    pub(crate) fn flaw(&self) -> String {
        shown(&self.verify())
    }

    /// Appends this many records, one by one, a second apart.
    pub(crate) fn fill(&self, count: u64) {
        let log = self.log();
        for number in 0..count {
            self.clock.advance(Duration::from_secs(1));
            log.append(call(number)).unwrap();
        }
    }

    /// All files of the log, by name.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = std::fs::read_dir(self.dir()).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    }

    /// Rewrites the lines of a file.
    pub(crate) fn rewrite(&self, file: &str, change: impl FnOnce(&mut Vec<String>)) {
        let path = self.dir().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }

    /// Copies everything elsewhere, to be put back later.
    pub(crate) fn copy_to(&self, name: &str) -> PathBuf {
        let there = self.root.join(name);
        copy(&self.dir(), &there);
        there
    }

    pub(crate) fn put_back(&self, copied: &Path) {
        std::fs::remove_dir_all(self.dir()).unwrap();
        copy(copied, &self.dir());
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A record with a field.
pub(crate) fn call(number: u64) -> Draft {
    let mut draft = Draft::new("event");
    draft.member("point", &json!("tool.before"));
    draft.member("act", &json!("pass"));
    draft.member("tool", &json!("Bash"));
    draft.member("session", &json!(format!("s-{}", number % 3)));
    draft.member("call", &json!(format!("c-{number}")));
    draft.field("arguments", json!({ "command": format!("echo {number}") })).unwrap();
    draft.field("cwd", json!("/work")).unwrap();
    draft.begins(Some(&format!("s-{}", number % 3)), &format!("c-{number}"));
    draft
}

pub(crate) fn shown(found: &Verified) -> String {
    found.flaw.as_ref().map_or("good".to_owned(), |flaw| format!("{}: {}", flaw.seq, flaw.what))
}

/// One of the edits in `spec/audit/vectors.json`.
pub(crate) fn small_edit(dir: &Path, edit: &serde_json::Value) {
    let path = dir.join(edit["file"].as_str().unwrap());
    if edit["remove"] == true {
        return std::fs::remove_file(path).unwrap();
    }
    let (from, to) = (edit["from"].as_str().unwrap(), edit["to"].as_str().unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{edit}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

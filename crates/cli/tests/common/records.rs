//! A log to look at: what a coding agent did on an evening in 2023, when no test runs any more.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use expect_test::Expect;
use serde_json::{Value, json};
use tollgate_audit::{Draft, Log, Settings};
use tollgate_testkit::ManualClock;

use crate::common::Sandbox;

/// How the public key begins that all logs here are signed with.
pub(crate) const PUBLIC: &str = "fa7b1c10aac9";
/// The session of the coding agent.
pub(crate) const SESSION: &str = "3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10";

/// What the program says about a log, with what is drawn at random taken out.
#[track_caller]
pub(crate) fn check(sandbox: &Sandbox, args: &[&str], expected: Expect) {
    let ran = sandbox.run(args);
    // What is for programs may be as wide as it is.
    let narrow = !args.contains(&"--json") && !args.contains(&"csv");
    for line in ran.out.lines().filter(|_| narrow) {
        assert!(line.chars().count() <= 80, "more than 80 columns: {line}");
    }
    expected.assert_eq(&steady(&ran.all()));
}

/// Hashes depend on salts.
pub(crate) fn steady(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = word.chars().take_while(char::is_ascii_hexdigit).count();
        if digits == 64 && !word.starts_with("d1d1") && !word.starts_with(PUBLIC) {
            out.push_str(&format!("<hash>{}", &word[64..]));
        } else {
            out.push_str(word);
        }
    }
    out
}

/// A sandbox with the log of a session.
pub(crate) fn session() -> Sandbox {
    let sandbox = Sandbox::new().keyed();
    drop(Records::new(sandbox.root()).session());
    sandbox
}

/// Where a sandbox keeps its log.
pub(crate) fn dir(root: &Path) -> PathBuf {
    root.join("home/state/state/audit")
}

pub(crate) fn key_dir(root: &Path) -> PathBuf {
    root.join("home/state/data/audit")
}

/// Changes a file of the log.
pub(crate) fn change(sandbox: &Sandbox, file: &str, change: impl FnOnce(String) -> String) {
    let path = dir(sandbox.root()).join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, change(text)).unwrap();
}

/// A log that is being written, in a sandbox.
pub(crate) struct Records {
    pub(crate) log: Log,
    clock: Arc<ManualClock>,
}

impl Records {
    pub(crate) fn new(root: &Path) -> Self {
        Self::with(root, Settings::default())
    }

    /// The same key each time, so that it can stand in a snapshot.
    pub(crate) fn with(root: &Path, settings: Settings) -> Self {
        private(&key_dir(root).join("audit.key"), &"5a".repeat(32));
        let clock = Arc::new(ManualClock::default());
        let log = Log::open(&dir(root), &key_dir(root), settings, clock.clone()).unwrap();
        Self { log, clock }
    }

    /// A second later.
    pub(crate) fn add(&self, draft: impl Into<Draft>) -> u64 {
        self.clock.advance(Duration::from_secs(1));
        self.log.append(draft.into()).unwrap()
    }

    /// A session with something of everything.
    pub(crate) fn session(self) -> Self {
        self.add(event("session.start", "pass"));
        self.add(
            event("prompt.submit", "pass").field("arguments", json!({"prompt": "make the tests pass, then deploy"})),
        );
        self.read_and_edit();
        self.refused();
        self.asked();
        self.failed();
        let stream = event("model.response", "pass").member("model", json!("m-large")).member("stream", json!(42));
        self.add(stream.field("result", json!({"text": "All tests pass."})));
        self.add(call("Bash", "exec", "c-7", json!({"command": "sleep 600"})).begins("c-7"));
        self
    }

    fn read_and_edit(&self) {
        self.add(call("Read", "read", "c-1", json!({"file_path": "src/main.rs"})).begins("c-1"));
        self.add(ended("Read", "c-1", "ok", 12_000).field("result", json!("fn main() {}\n")));
        let edit = call("Bash", "exec", "c-2", json!({"command": "cargo test --offline\n"}));
        let turns = json!([
            {"who": "scrub", "role": "edit", "said": "passed", "took_us": 85, "changed": ["/command"]},
            {"who": "scrub", "role": "edit", "said": "passed", "took_us": 12, "look": 2},
            {"who": "rules", "role": "guard", "said": "passed", "took_us": 1_204},
            {"who": "meter", "role": "watcher", "said": "faulted", "took_us": 15_000_000, "overran": true, "fault": "timeout"},
        ]);
        let changes =
            json!([{"who": "scrub", "path": "/command", "from": "cargo test", "to": "cargo test --offline\n"}]);
        self.add(edit.member("turns", turns).field("changes", changes).begins("c-2"));
        self.add(ended("Bash", "c-2", "error", 3_200_000).field("result", json!({"stdout": "1 failed", "code": 101})));
    }

    fn refused(&self) {
        let refused = event("tool.before", "deny")
            .tool("Bash", "exec", "c-3")
            .member("by", json!("rules"))
            .member("cause", json!("objection"))
            .member("rule", json!("shell-safety/delete-outside"))
            .member("turns", json!([{"who": "rules", "role": "guard", "said": "denied", "took_us": 950}]))
            .field("arguments", json!({"command": "rm -rf ~/projects/other --verbose", "timeout": 60}))
            .field(
                "reason",
                json!("deletes what lies outside the workspace; move it to the trash, or ask the user to do it"),
            )
            .field("said", json!([{"who": "rules", "text": "deletes what lies outside the workspace"}]));
        self.add(refused);
        self.add(ended("Bash", "c-3", "denied", 0));
    }

    fn asked(&self) {
        let push = json!({"command": "git push origin main"});
        let asked = event("tool.before", "ask").tool("Bash", "exec", "c-4").member("rule", json!("git-safety/push"));
        self.add(asked.field("arguments", push.clone()).field("reason", json!("pushes to a shared branch")));
        let answer = Sketch(Draft::new("approval")).member("call", json!("c-4")).member("session", json!(SESSION));
        self.add(answer.member("granted", json!(true)).field("by", json!("ann")));
        let go = call("Bash", "exec", "c-4", push).member("approved", json!(true));
        self.add(go.field("approval", json!({"by": "ann", "at": "2023-11-14T22:13:29Z"})).begins("c-4"));
        self.add(ended("Bash", "c-4", "ok", 812_000).member("approved", json!(true)));
    }

    fn failed(&self) {
        let fetch = json!({"url": "https://docs.example/api?page=2", "prompt": "what is new?"});
        self.add(
            call("WebFetch", "web", "c-5", fetch)
                .member("observed", json!([{"rule": "egress/new-host", "decision": "deny"}]))
                .begins("c-5"),
        );
        self.add(ended("WebFetch", "c-5", "error", 30_000_000).field("reason", json!("no answer")));
        self.add(
            call("mcp__tracker__create_issue", "mcp", "c-6", json!({"title": "Flaky test", "labels": ["bug"]}))
                .begins("c-6"),
        );
        self.add(ended("mcp__tracker__create_issue", "c-6", "ok", 95_000));
    }
}

/// A record that is being written.
pub(crate) struct Sketch(Draft);

pub(crate) fn event(point: &str, act: &str) -> Sketch {
    Sketch(Draft::new("event"))
        .member("point", json!(point))
        .member("act", json!(act))
        .member("agent", json!("claude"))
        .member("session", json!(SESSION))
}

pub(crate) fn call(tool: &str, kind: &str, call: &str, arguments: Value) -> Sketch {
    let sketch = event("tool.before", "pass").tool(tool, kind, call);
    sketch.field("arguments", arguments).field("cwd", json!("/home/dev/app"))
}

pub(crate) fn ended(tool: &str, call: &str, how: &str, took_us: u64) -> Sketch {
    let mut sketch = event("tool.after", "pass").member("tool", json!(tool)).member("call", json!(call));
    sketch = sketch.member("ended", json!(how)).member("took_us", json!(took_us));
    sketch.0.ends(Some(SESSION), call);
    sketch
}

impl Sketch {
    pub(crate) fn new(kind: &str) -> Self {
        Self(Draft::new(kind))
    }

    pub(crate) fn member(mut self, name: &'static str, value: Value) -> Self {
        self.0.member(name, &value);
        self
    }

    pub(crate) fn field(mut self, name: &'static str, value: Value) -> Self {
        self.0.field(name, value).unwrap();
        self
    }

    fn tool(self, tool: &str, kind: &str, call: &str) -> Self {
        let digest = "d1".repeat(32);
        let sketch = self.member("tool", json!(tool)).member("tool_kind", json!(kind)).member("call", json!(call));
        sketch.member("surface", json!("hook")).member("digest", json!(digest))
    }

    pub(crate) fn begins(mut self, call: &str) -> Self {
        self.0.begins(Some(SESSION), call);
        self
    }
}

impl From<Sketch> for Draft {
    fn from(sketch: Sketch) -> Self {
        sketch.0
    }
}

/// A file that only its owner may read.
pub(crate) fn private(path: &Path, text: &str) {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap()).unwrap();
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}

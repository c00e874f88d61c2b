//! A sandbox with a log in it, written by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use expect_test::Expect;
use serde_json::{Value, json};
use tollgate_audit::{Draft, Log, Settings};
use tollgate_testkit::ManualClock;

use super::common::{Ran, Sandbox};

/// What seals, in tests.
const KEY: [u8; 32] = [7; 32];

/// Names and values of a record.
pub(crate) type Pairs<'a> = &'a [(&'static str, Value)];

pub(crate) struct Recording {
    pub(crate) sandbox: Sandbox,
    clock: Arc<ManualClock>,
    log: Log,
    calls: u32,
    /// The session of the calls that follow.
    pub(crate) session: &'static str,
}

impl Recording {
    pub(crate) fn new() -> Self {
        Self::with_segments(Settings::default().segment)
    }

    /// With segments of this many bytes.
    pub(crate) fn with_segments(segment: u64) -> Self {
        let sandbox = Sandbox::new();
        let (dir, keys) = folders(&sandbox);
        let clock: Arc<ManualClock> = Arc::default();
        let settings = Settings { segment, ..Settings::default() };
        let log = Log::open(&dir, &keys, settings, clock.clone()).unwrap();
        Self { sandbox, clock, log, calls: 0, session: "s-1" }
    }

    pub(crate) fn dir(&self) -> PathBuf {
        folders(&self.sandbox).0
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Appends a record of an event, with what stands beside it.
    pub(crate) fn event(&self, members: Pairs<'_>, fields: Pairs<'_>) -> u64 {
        let mut draft = Draft::new("event");
        draft.member("session", &self.session.into());
        members.iter().for_each(|(name, value)| draft.member(name, value));
        fields.iter().for_each(|(name, value)| draft.field(name, value.clone()).unwrap());
        self.log.append(draft).unwrap()
    }

    /// A call, and its end: what was decided about it, and by which rule if it did not simply go.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value, act: &str, rule: &str) -> u64 {
        let seq = self.begin(tool, &[("act", act.into())], rule, Some(arguments));
        self.end(tool, if act == "deny" { "denied" } else { "ok" });
        seq
    }

    pub(crate) fn bash(&mut self, command: &str) -> u64 {
        self.call("Bash", json!({ "command": command }), "pass", "")
    }

    /// A call that has begun.
    pub(crate) fn begin(&mut self, tool: &str, members: Pairs<'_>, rule: &str, arguments: Option<Value>) -> u64 {
        self.calls += 1;
        let mut all = vec![("point", json!("tool.before")), ("tool", tool.into()), ("call", self.id())];
        all.extend(members.iter().cloned());
        if !rule.is_empty() {
            all.push(("rule", rule.into()));
        }
        let fields: Vec<_> = arguments.into_iter().map(|arguments| ("arguments", arguments)).collect();
        self.event(&all, &fields)
    }

    /// The end of the call that began last.
    pub(crate) fn end(&mut self, tool: &str, ended: &str) {
        let members = [
            ("point", json!("tool.after")),
            ("act", json!("pass")),
            ("tool", tool.into()),
            ("call", self.id()),
            ("ended", ended.into()),
        ];
        self.event(&members, &[("result", json!({ "content": [{ "type": "text", "text": "done" }] }))]);
    }

    fn id(&self) -> Value {
        format!("call-{}", self.calls).into()
    }

    /// A call whose arguments only the holder of the key can read.
    pub(crate) fn sealed(&mut self, tool: &str, arguments: &Value) {
        self.calls += 1;
        let mut draft = Draft::new("event");
        let members =
            [("point", json!("tool.before")), ("act", json!("pass")), ("tool", tool.into()), ("call", self.id())];
        members.iter().for_each(|(name, value)| draft.member(name, value));
        draft.field_with("arguments", |salt| Ok(json!({ "sealed": seal(salt, "arguments", arguments) }))).unwrap();
        self.log.append(draft).unwrap();
    }

    /// Puts the key that seals where it belongs.
    pub(crate) fn give_key(&self) {
        let path = folders(&self.sandbox).1.join("audit-seal.key");
        std::fs::write(&path, KEY.map(|byte| format!("{byte:02x}")).concat()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Rewrites a file of the log.
    pub(crate) fn rewrite(&self, file: &str, change: impl FnOnce(String) -> String) {
        let path = self.dir().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, change(text)).unwrap();
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let all: Vec<&str> = ["replay"].into_iter().chain(args.iter().copied()).collect();
        self.sandbox.run(&all)
    }

    /// With this as new.toml, and no packs.
    pub(crate) fn try_rules(&self, rules: &str, args: &[&str]) -> Ran {
        self.sandbox.write("new.toml", &format!("packs.use = []\n{rules}"));
        let all: Vec<&str> = ["--rules", "new.toml"].into_iter().chain(args.iter().copied()).collect();
        self.run(&all)
    }

    #[track_caller]
    pub(crate) fn check(&self, rules: &str, args: &[&str], expected: Expect) {
        shown(&self.try_rules(rules, args), expected);
    }
}

#[track_caller]
pub(crate) fn shown(ran: &Ran, expected: Expect) {
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "more than 80 columns: {line}");
    }
    expected.assert_eq(&ran.all());
}

/// The folder of the log, and that of the keys.
fn folders(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let home = sandbox.project().with_file_name("home").join("state");
    (home.join("state/audit"), home.join("data/audit"))
}

/// As `spec/audit.md` says.
fn seal(salt: &[u8; 16], name: &str, value: &Value) -> String {
    let (nonce, text) = ([9; 24], value.to_string());
    let payload = Payload { msg: text.as_bytes(), aad: &[&salt[..], name.as_bytes()].concat() };
    let sealed = XChaCha20Poly1305::new(&KEY.into()).encrypt(&XNonce::from(nonce), payload).unwrap();
    base64(&[&nonce[..], &sealed].concat())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |bytes: &[u8]| {
        let at = |index: usize| u32::from(bytes.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let digit = |place: usize| match place <= bytes.len() {
            true => char::from(DIGITS[(bits >> (18 - 6 * place) & 63) as usize]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

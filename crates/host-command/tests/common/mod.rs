//! Real programs in a folder of their own, and what came of them.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;
use tollgate_clock::{SystemClock, block_on};
use tollgate_core::{Act, Body, Event, OnFault, Outcome, Pipeline, Point, Registration, Registry};
use tollgate_host_command::{Given, Hook, Protocol, find};

/// A folder of its own for a test, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tollgate-host-{}-{count}", std::process::id());
        let path = std::env::temp_dir().canonicalize().unwrap().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A hook that is a line for a shell, in this folder.
    pub(crate) fn hook(&self, line: &str, protocol: Protocol) -> Hook {
        let mut program = find(Given::Line(line), &self.0, std::env::var_os("PATH").as_deref()).unwrap();
        program.stays = true;
        Hook { program, protocol, timeout: Duration::from_secs(20), env: Vec::new() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A pipeline of one hook.
pub(crate) fn pipeline(hook: Hook, point: Point, on_fault: OnFault) -> Pipeline {
    let mut registry = Registry::new(tollgate_wire::names(), Arc::new(SystemClock::default()), tollgate_wire::digest);
    let limit = Some(hook.timeout + Duration::from_secs(5));
    let made = if point.is_gate() || point == Point::SessionStart {
        Registration::edit("hook", [point], hook)
    } else {
        Registration::watch("hook", [point], hook)
    };
    registry.add(Registration { on_fault, limit, ..made }).unwrap();
    registry.snapshot()
}

/// Runs one event through one hook.
pub(crate) fn run(hook: Hook, event: Event<'_>, on_fault: OnFault, doc: Value) -> (Outcome, Body) {
    let pipeline = pipeline(hook, event.point, on_fault);
    let mut body = Body::from(doc);
    let outcome = block_on(pipeline.run(&event, &mut body));
    (outcome, body)
}

/// What became of it, in one line.
pub(crate) fn said(outcome: &Outcome, body: &Body, before: &Value) -> String {
    let act = match &outcome.act {
        Act::Pass => "pass".to_owned(),
        Act::Deny(ruling) => format!("deny {:?}: {}", ruling.cause, ruling.reason),
        Act::Ask(question) => format!("ask: {}", question.parts[0].1.title),
        other => format!("{other:?}"),
    };
    let doc = body.json().unwrap();
    let became = if doc == before { String::new() } else { format!(" -> {doc}") };
    let name = body.renamed().map(|name| format!(" as {}", name.written())).unwrap_or_default();
    let notes = body.notes.iter().map(|note| format!(" [{note}]")).collect::<String>();
    let tells = body.tells.iter().map(|tell| format!(" ({tell})")).collect::<String>();
    format!("{act}{became}{name}{notes}{tells}")
}

//! What the tests here share.
#![allow(dead_code, reason = "each test uses some of it")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_core::{Act, Body, Clock, Ended, Event, Name, Pipeline, Point, Registration, Registry};
use tollgate_engine::state::{Files, Space, State};

/// What the wall clock shows when a test begins.
pub(crate) const START: Duration = Duration::from_secs(1_700_000_000);

/// A folder of its own for a test, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tollgate-engine-{}-{count}", std::process::id()));
        // Of an earlier process with the same number.
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Somebody who keeps the ledger of a space until told, in another thread with files (and so locks) of its own.
pub(crate) fn keep_locked<T>(folder: &Folder, space: Space<'_>, meanwhile: impl FnOnce() -> T) -> T {
    let (locked, is_locked) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let keep = move || {
            let hold = &mut |_: &mut [_]| {
                locked.send(()).unwrap();
                let _ = released.recv();
                Ok(())
            };
            Files::new(folder.path()).lend(&[space], hold).unwrap();
        };
        scope.spawn(keep);
        is_locked.recv().unwrap();
        // Also when this panics, the other one ends.
        let release = release;
        let result = meanwhile();
        drop(release);
        result
    })
}

/// A surface: it asks the pipeline, runs the tool if it may, and shows what came of it.
pub(crate) struct Surface {
    pub(crate) pipeline: Pipeline,
    pub(crate) session: &'static str,
    pub(crate) agent: &'static str,
    calls: AtomicU32,
    /// How often a tool has really run.
    pub(crate) runs: AtomicU32,
}

/// What a tool does with its arguments.
pub(crate) type Tool<'t> = &'t dyn Fn(&Value) -> Result<Value, &'static str>;

/// A tool that shows its arguments.
pub(crate) fn echo(arguments: &Value) -> Result<Value, &'static str> {
    Ok(json!({"content": [{"type": "text", "text": format!("ran {arguments}")}]}))
}

impl Surface {
    pub(crate) fn new(pipeline: Pipeline) -> Self {
        Self { pipeline, session: "s", agent: "a", calls: AtomicU32::new(0), runs: AtomicU32::new(0) }
    }

    pub(crate) fn of(clock: Arc<dyn Clock>, registrations: impl IntoIterator<Item = Registration>) -> Self {
        let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
        registrations.into_iter().for_each(|registration| registry.add(registration).unwrap());
        Self::new(registry.snapshot())
    }

    pub(crate) fn call(&self, tool: &str, arguments: Value) -> String {
        self.run(tool, arguments, &echo)
    }

    /// The whole life of a call.
    pub(crate) fn run(&self, tool: &str, arguments: Value, execute: Tool<'_>) -> String {
        let id = format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let (act, arguments) = self.before(tool, &id, arguments);
        match act {
            Act::Pass | Act::Route { .. } => {
                self.runs.fetch_add(1, Ordering::Relaxed);
                match execute(arguments.json().unwrap()) {
                    Ok(result) => self.after(tool, &id, &arguments, Ended::Ok, result),
                    Err(error) => self.after(tool, &id, &arguments, Ended::Error, json!({ "error": error })),
                }
            }
            Act::Answer(body) => {
                let notes: String = body.notes.iter().map(|note| format!(" [{note}]")).collect();
                let reply = self.after(tool, &id, &arguments, Ended::Answered, body.into_json().unwrap());
                format!("answered: {reply}{notes}")
            }
            Act::Deny(ruling) => {
                self.after(tool, &id, &arguments, Ended::Denied, json!({"error": ruling.reason}));
                format!("refused: {}", ruling.reason)
            }
            // Nobody is there to answer.
            Act::Ask(question) => {
                self.after(tool, &id, &arguments, Ended::Denied, Value::Null);
                let titles: Vec<_> = question.parts.iter().map(|(_, query)| query.title.clone()).collect();
                format!("asked: {}", titles.join(", "))
            }
        }
    }

    pub(crate) fn before(&self, tool: &str, id: &str, arguments: Value) -> (Act, Body) {
        let name = self.pipeline.name(tool);
        let mut body = Body::from(arguments);
        let act = self.pipeline.run_now(&self.event(Point::ToolBefore, &name, id), &mut body).act;
        (act, body)
    }

    pub(crate) fn after(&self, tool: &str, id: &str, arguments: &Body, ended: Ended, result: Value) -> String {
        let name = self.pipeline.name(tool);
        let event = self.event(Point::ToolAfter, &name, id);
        let event = Event { ended: Some(ended), arguments: Some(arguments), became: arguments.renamed(), ..event };
        let mut body = Body::from(result);
        let outcome = self.pipeline.run_now(&event, &mut body);
        if let Act::Deny(ruling) = outcome.act {
            return format!("withheld: {}", ruling.reason);
        }
        let notes: String = body.notes.iter().map(|note| format!(" [{note}]")).collect();
        let result = body.json().unwrap();
        let text = tollgate_wire::lens::lens_for(result).text(result);
        format!("{}{notes}", text.unwrap_or_else(|| result.to_string()))
    }

    fn event<'a>(&'a self, point: Point, name: &'a Name<'a>, id: &'a str) -> Event<'a> {
        Event { session: Some(self.session), agent: Some(self.agent), ..Event::tool(point, name, id) }
    }

    pub(crate) fn runs(&self) -> u32 {
        self.runs.load(Ordering::Relaxed)
    }
}

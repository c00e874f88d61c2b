//! The call that is measured, and those who look at it.

use std::sync::{Arc, LazyLock};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tollgate_core::{Body, Clock, Edit, Event, Fault, Guard, Name, Names, Point, Route, Step, Verdict};

/// An ordinary tool call, before it runs.
pub fn event<'a>(name: &'a Name<'a>) -> Event<'a> {
    Event {
        session: Some("5f0c9a52-6f1e-4c0b-9d0e-0a3b6c1d2e3f"),
        agent: Some("main"),
        surface: Some("library"),
        cwd: Some("/srv/project"),
        ..Event::tool(Point::ToolBefore, name, "call_01H8XGJWBWBAQ4Z3")
    }
}

/// Its arguments.
pub fn arguments() -> Value {
    json!({"command": "ls -la"})
}

/// The call without a pipeline, and for as long as one likes.
pub fn call() -> (&'static Event<'static>, &'static Body) {
    static NAMES: LazyLock<Names> = LazyLock::new(Names::default);
    static NAME: LazyLock<Name<'static>> = LazyLock::new(|| NAMES.name("exec"));
    static CALL: LazyLock<(Event<'static>, Body)> = LazyLock::new(|| (event(&NAME), Body::from(arguments())));
    (&CALL.0, &CALL.1)
}

/// A document of about this many bytes, as a conversation: many short texts, some numbers.
pub fn document(bytes: usize) -> Vec<u8> {
    let message = |index: usize| {
        json!({
            "role": if index.is_multiple_of(2) { "user" } else { "assistant" },
            "content": format!("line {index}: \"quoted\" text of an ordinary length,\nwith an escape here and there"),
            "tokens": index * 7,
            "score": index as f64 / 8.0,
            "tags": ["a", "b", null, true],
        })
    };
    let each = message(0).to_string().len();
    let messages: Vec<Value> = (0..bytes.div_ceil(each)).map(message).collect();
    json!({"command": "ls -la", "messages": messages}).to_string().into_bytes()
}

/// The check that everything here makes, whatever it is packed in: is there a command, and is it harmless?
pub fn is_harmless(body: &Body) -> Result<bool, Fault> {
    Ok(body.json()?.get("command").and_then(Value::as_str).is_some_and(|command| !command.starts_with("rm ")))
}

fn verdict(body: &Body) -> Result<Verdict, Fault> {
    is_harmless(body).map(|harmless| if harmless { Verdict::Pass } else { Verdict::deny("use `trash` instead") })
}

/// Looks at the command and lets it pass.
pub struct Looks;

impl Guard for Looks {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(verdict(body))
    }
}

impl Edit for Looks {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(verdict(body))
    }
}

/// The same, in a future that is ready at once.
pub struct Waits;

impl Guard for Waits {
    fn judge<'a>(&'a self, _: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::later(async move { verdict(body) })
    }
}

/// Judges by the facts and leaves the body alone.
pub struct LooksAway;

impl Guard for LooksAway {
    fn judge<'a>(&'a self, event: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        let known = event.session.is_some();
        Step::Now(Ok(if known { Verdict::Pass } else { Verdict::deny("no session") }))
    }
}

/// Gives the same verdict whatever it sees.
pub struct Says(pub fn() -> Verdict);

impl Guard for Says {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::Now(Ok((self.0)()))
    }
}

/// Refuses.
pub fn deny() -> Verdict {
    Verdict::deny("use `trash` instead")
}

/// Asks a human.
pub fn ask() -> Verdict {
    Verdict::ask("Run a command?")
}

/// Sends it to a sandbox.
pub fn divert() -> Verdict {
    Verdict::route(Route::to("bubblewrap"))
}

/// Changes one argument.
pub struct Rewrites;

impl Edit for Rewrites {
    fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(body.json_mut().map(|arguments| {
            if let Some(command) = arguments.get_mut("command") {
                *command = "ls -l".into();
            }
            Verdict::Pass
        }))
    }
}

/// The clock of the operating system.
pub struct SystemClock(Instant);

impl SystemClock {
    /// One that starts now.
    pub fn start() -> Arc<dyn Clock> {
        Arc::new(Self(Instant::now()))
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> Duration {
        SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
    }

    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

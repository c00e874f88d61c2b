//! Interceptors as types of one's own: the three roles, without closures.
//!
//! The role is the type of what it gets: an edit a body to write on, a guard one to look at, a watcher one
//! to look at and what was decided. Whoever answers at once returns `Step::Now`.
//!
//! Prints:
//!
//! ```text
//! seen so far: 0
//! {"path":"src/main.rs"}
//! {"status":"blocked","tool":"write","reason":"`.git/config` is not yours to write"}
//! seen so far: 2
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tollgate::{
    Body, Call, Edit, Event, Fault, Gate, Guard, Outcome, Point, Registration, Selector, Step, Tool, Verdict, Watch,
    block_on,
};

/// Makes paths start where the project does.
struct Relative;

impl Edit for Relative {
    fn edit<'a>(&'a self, _event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(relative(body).map(|()| Verdict::Pass))
    }
}

fn relative(body: &mut Body) -> Result<(), Fault> {
    let short = body.json()?["path"].as_str().and_then(|path| path.strip_prefix("./")).map(str::to_owned);
    if let Some(path) = short {
        body.json_mut()?["path"] = path.into();
    }
    Ok(())
}

/// Keeps one folder from being written to.
struct Protect(&'static str);

impl Guard for Protect {
    fn judge<'a>(&'a self, _event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(body.json().map(|arguments| match arguments.get("path").and_then(Value::as_str) {
            Some(path) if path.starts_with(self.0) => Verdict::deny(format!("`{path}` is not yours to write")),
            _ => Verdict::Pass,
        }))
    }
}

#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

impl Watch for Count {
    fn watch<'a>(&'a self, _event: &'a Event<'a>, _body: &'a Body, _outcome: &'a Outcome) -> Step<'a, ()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Step::Now(Ok(()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (gate, count, select) = (Gate::new(), Count::default(), Selector::tool("write"));
    gate.add(Registration { priority: 10, ..Registration::edit("relative", [Point::ToolBefore], Relative) })?;
    gate.add(Registration { select, ..Registration::guard("protect", [Point::ToolBefore], Protect(".git/")) })?;
    gate.add(Registration::watch("count", [Point::ToolBefore, Point::ToolPersist], count.clone()))?;
    println!("seen so far: {}", count.0.load(Ordering::SeqCst));
    let write = Tool::new("Write", |call| async move { Ok(call.params) });
    for path in ["./src/main.rs", "./.git/config"] {
        println!("{}", block_on(gate.session("s").call(&write, Call::new("call", json!({"path": path})))).value);
    }
    println!("seen so far: {}", count.0.load(Ordering::SeqCst));
    Ok(())
}

//! What the tests share: a list that handlers write to, and tools that remember how they were called.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::error::Error;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use serde_json::{Value, json};
use tollgate::{Call, Facts, Finished, Gate, Handle, Tool, block_on};

/// What a test function returns, so that `?` can be used for everything.
pub(crate) type Test = Result<(), Box<dyn Error>>;

/// A list that handlers write to and tests read. Clones are the same list.
pub(crate) struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn push(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }

    /// Everything so far; the list is empty afterwards.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A tool that notes down its arguments and returns them.
pub(crate) fn echo(name: &str, calls: &Log<Value>) -> Tool {
    let calls = calls.clone();
    Tool::new(name, move |call| {
        calls.push(call.params.clone());
        async move { Ok(call.params) }
    })
}

/// Runs one call of a tool at a gate, in a session of its own.
pub(crate) fn run(gate: &Gate, tool: &Tool, params: Value) -> Finished {
    block_on(gate.session("s1").agent("main").call(tool, Call::new("c1", params)))
}

/// Notes down the facts of everything at `tool.after`.
pub(crate) fn log_after(gate: &Gate, facts: &Log<Facts>) -> Result<Handle, tollgate::BadRegistration> {
    let facts = facts.clone();
    gate.after_tool("log-after").watch(move |event, result, _| facts.push(Facts::of(event, &result)))
}

/// What a refused call comes to.
pub(crate) fn blocked(tool: &str, reason: &str) -> Value {
    json!({"status": "blocked", "tool": tool, "reason": reason})
}

/// Lets whoever else is waiting have a turn.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

//! Lets a person decide. A question is bound to a digest of the very call it is about, and so is the answer.
//!
//! The lazy human below says yes once and hands in the same answer for the next call. It does not fit.
//! Nobody there to ask is a no, too.
//!
//! Prints:
//!
//! ```text
//! nobody to ask: Denied: nobody approved it: push to `main`?
//! asked (by pushes): push to `main`?
//! git push origin main: Ok
//! asked (by pushes): push to `main`?
//! git push --force origin main: Denied: the approval is for another call
//! git status: Ok
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::sync::{Arc, OnceLock};

use serde_json::json;
use tollgate::{Approval, Call, Finished, Gate, Tool, Verdict, block_on, grant};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("pushes").tool("exec").guard(|_call, args| {
        let pushes = args.text("command").is_some_and(|command| command.starts_with("git push"));
        pushes.then(|| Verdict::ask("push to `main`?"))
    })?;
    tell("nobody to ask", &call(&gate, "git push origin main"));

    let first_answer: Arc<OnceLock<Approval>> = Arc::default();
    gate.on_ask(move |question| {
        for (by, query) in &question.parts {
            println!("asked (by {by}): {}", query.title);
        }
        let answer = first_answer.get_or_init(|| grant(&question, "ada")).clone();
        async move { Some(answer) }
    });
    for command in ["git push origin main", "git push --force origin main", "git status"] {
        tell(command, &call(&gate, command));
    }
    Ok(())
}

fn call(gate: &Gate, command: &str) -> Finished {
    let exec = Tool::new("exec", |_call| async { Ok(json!({"output": "done"})) });
    block_on(gate.session("s-1").call(&exec, Call::new("call", json!({"command": command}))))
}

fn tell(what: &str, done: &Finished) {
    let why = done.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    println!("{what}: {:?}{why}", done.ended);
}

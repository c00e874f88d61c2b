//! Tools that arrive late, and the proof that none gets round the gate.
//!
//! A toolbox takes plain tools and hands out only wrapped ones, whenever they were added. The proof calls
//! each of them with everything refused: one that ran all the same would be a hole.
//!
//! Prints:
//!
//! ```text
//! at start:  ["Bash"]
//! late:      ["Bash", "deploy"]
//! Bash: covered; before: [no-deploys-on-friday]; after: [redact]
//! deploy: covered; before: [no-deploys-on-friday]; after: [redact]
//! complete: true
//! deploy ran 0 times
//! deploy says: {"status":"blocked","tool":"deploy","reason":"it is Friday"}
//! twice:     `bash` is the same tool as `Bash`, which is here; remove that first
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tollgate::{Call, Gate, Tool, Toolbox, Verdict, block_on};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-deploys-on-friday").guard(|call, args| {
        let deploys = call.tool_name(&args) == "deploy";
        deploys.then(|| Verdict::deny("it is Friday"))
    })?;
    gate.after_tool("redact").edit(|_call, mut result| result.map(|text| text.replace("hunter2", "***")))?;
    let toolbox = Toolbox::new(gate.session("s-1"));
    toolbox.add(Tool::new("Bash", |_call| async { Ok(json!({"output": "done"})) }))?;
    println!("at start:  {:?}", names(&toolbox));

    // An extension brings its own tool, long after the session began.
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let deploy = toolbox.add(Tool::new("deploy", move |_call| {
        counter.fetch_add(1, Ordering::SeqCst);
        async { Ok(json!({"output": "deployed"})) }
    }))?;
    println!("late:      {:?}", names(&toolbox));

    let coverage = block_on(toolbox.coverage());
    print!("{coverage}");
    println!("complete: {}", coverage.is_complete());
    println!("deploy ran {} times", runs.load(Ordering::SeqCst));
    println!("deploy says: {}", block_on(deploy.execute(Call::new("call-1", json!({})))).value);
    if let Err(problem) = toolbox.add(Tool::new("bash", |call| async move { Ok(call.params) })) {
        println!("twice:     {problem}");
    }
    Ok(())
}

fn names(toolbox: &Toolbox) -> Vec<String> {
    toolbox.enumerate().into_iter().map(|tool| tool.name).collect()
}

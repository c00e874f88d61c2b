//! Tasks for an agent, each with the calls that fulfil it and what they returned: some are a user's, some are what a text
//! that the agent reads wants of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::table::percent;
use super::{batch, text};
use crate::{Result, cargo};

/// A call or a result, and the task that it is part of.
struct Step<'t> {
    task: &'t Value,
    event: Value,
}

/// No user's task may be stopped. How many of the others are is only a figure: most ask for nothing that is wrong by
/// itself, such as a mail to somebody.
pub(super) fn run(file: &Path, show: usize) -> Result {
    let tasks = batch::lines(file)?;
    let steps: Vec<Step> = tasks.iter().flat_map(steps).collect();
    let events: Vec<Value> = steps.iter().map(|step| step.event.clone()).collect();
    let answers = batch::ask(&events)?;
    let stops: Vec<(&Step, &Value)> = steps.iter().zip(&answers).filter(|(_, answer)| batch::stopped(answer)).collect();
    println!("\n# {}\n{} calls and results", file.display(), events.len());
    println!("{:<12}{:<12}stopped", "tasks", "suite");
    let counts = counts(&tasks, &stops);
    for ((kind, suite), (stopped, all)) in &counts {
        println!("{kind:<12}{suite:<12}{}", percent(*stopped, *all));
    }
    let met = counts.get(&("user", "all")).is_some_and(|(stopped, _)| *stopped == 0);
    println!("wanted: no task of a user: {}", if met { "met" } else { "missed" });
    stops.iter().take(show).for_each(|(step, answer)| show_step(step, answer));
    Ok(())
}

fn show_step(step: &Step, answer: &Value) {
    let (task, event) = (step.task, &step.event);
    let document = if event["on"].is_null() { &event["args"] } else { &event["body"] };
    let call = batch::short(&format!("{} {document}", text(event, "tool")));
    println!("  {} {}: {call} {}", text(task, "suite"), text(task, "task_id"), text(answer, "rule"));
}

/// A task's calls, each followed by what it returned, as calls of a server that is called like the suite.
fn steps(task: &Value) -> Vec<Step<'_>> {
    let mut events = Vec::new();
    let mut results = cargo::list(task, "results");
    for call in cargo::list(task, "calls") {
        let (server, tool) = (&task["suite"], &call["tool"]);
        events.push(json!({ "server": server, "tool": tool, "args": call["args"] }));
        if let Some(result) = results.next() {
            let content = json!([{ "type": "text", "text": result["result"] }]);
            events.push(json!({ "server": server, "tool": tool, "on": "tool.after", "body": { "content": content } }));
        }
    }
    events.into_iter().map(|event| Step { task, event }).collect()
}

/// By kind and suite, how many tasks have a step that was stopped, and how many there are.
fn counts<'t>(tasks: &'t [Value], stops: &[(&Step, &Value)]) -> BTreeMap<(&'t str, &'t str), (usize, usize)> {
    let mut counts = BTreeMap::<_, (usize, usize)>::new();
    for task in tasks {
        let stopped = stops.iter().any(|(step, _)| std::ptr::eq(step.task, task));
        for suite in [cargo::text(task, "suite"), "all"] {
            let (part, whole) = counts.entry((cargo::text(task, "kind"), suite)).or_default();
            *part += usize::from(stopped);
            *whole += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_stopped_if_one_of_its_steps_is() {
        let calls = json!([{ "tool": "pay", "args": {} }, { "tool": "send", "args": {} }]);
        let results = json!([{ "result": "paid" }, { "result": "sent" }]);
        let task = |suite: &str| json!({ "kind": "user", "suite": suite, "calls": calls, "results": results });
        let without = json!({ "kind": "user", "suite": "mail", "calls": calls });
        let tasks = [task("bank"), task("bank"), without];
        let steps: Vec<Step> = tasks.iter().flat_map(steps).collect();
        assert_eq!(steps.len(), 4 + 4 + 2);
        let answer = Value::Null;
        let stops = [(&steps[1], &answer), (&steps[3], &answer)];
        let expected = [(("user", "all"), (1, 3)), (("user", "bank"), (1, 2)), (("user", "mail"), (0, 1))];
        assert_eq!(counts(&tasks, &stops), BTreeMap::from(expected));
    }
}

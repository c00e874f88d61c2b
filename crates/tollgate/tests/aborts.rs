//! Calls that are stopped while they run, and what they say while they do.

mod common;

use std::thread;

use serde_json::json;
use tollgate::{Abort, Body, Call, Ended, Gate, Point, Tool, ToolError, Toolbox, Verdict, block_on, grant};

use common::{Log, Test, echo, run, yield_once};

// Before the tool.

#[test]
fn an_abort_before_the_call_never_executes() -> Test {
    let (gate, calls, seen) = (Gate::new(), Log::new(), Log::new());
    let log = seen.clone();
    gate.before_tool("sees").guard(move |_, _| log.push(()))?;
    let call = Call::new("c1", json!({}));
    call.abort.abort();
    let done = block_on(gate.session("s").call(&echo("read", &calls), call));
    assert_eq!(done.value, json!({"status": "error", "tool": "read", "error": "aborted"}));
    assert!(calls.take().is_empty() && seen.take().is_empty(), "nobody was asked either");
    Ok(())
}

#[test]
fn an_abort_during_a_slow_handler_never_executes() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    let abort = Abort::default();
    let inside = abort.clone();
    gate.before_tool("slow").guard_async(move |_, _| {
        let abort = inside.clone();
        async move {
            abort.abort();
            yield_once().await;
            Verdict::Pass
        }
    })?;
    let mut call = Call::new("c1", json!({}));
    call.abort = abort;
    let done = block_on(gate.session("s").call(&echo("read", &calls), call));
    assert_eq!((done.ended, done.reason.as_deref()), (Ended::Error, Some("aborted")));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn an_abort_during_the_last_handler_never_executes() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    let abort = Abort::default();
    let inside = abort.clone();
    gate.before_tool("quick").guard(move |_, _| inside.abort())?;
    let mut call = Call::new("c1", json!({}));
    call.abort = abort;
    let done = block_on(gate.session("s").call(&echo("read", &calls), call));
    assert_eq!((done.ended, done.reason.as_deref()), (Ended::Error, Some("aborted")));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn an_abort_while_a_human_thinks_never_executes() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    let abort = Abort::default();
    let inside = abort.clone();
    gate.before_tool("ask").guard(|_, _| Verdict::ask("Really?"))?;
    gate.on_ask(move |question| {
        inside.abort();
        async move {
            yield_once().await;
            Some(grant(&question, "ann"))
        }
    });
    let mut call = Call::new("c1", json!({}));
    call.abort = abort;
    assert_eq!(block_on(gate.session("s").call(&echo("read", &calls), call)).reason.as_deref(), Some("aborted"));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn an_abort_from_another_thread_ends_the_wait() -> Test {
    let gate = Gate::new();
    gate.before_tool("hangs").limit(None).guard_async(|_, _| std::future::pending::<()>())?;
    let mut call = Call::new("c1", json!({}));
    let abort = Abort::default();
    call.abort = abort.clone();
    let other = thread::spawn(move || abort.abort());
    let done = block_on(gate.session("s").call(&echo("read", &Log::new()), call));
    assert_eq!(done.reason.as_deref(), Some("aborted"));
    assert!(other.join().is_ok());
    Ok(())
}

#[test]
fn a_running_tool_hears_of_an_abort() {
    let tool = Tool::new("wait", |call| async move {
        call.abort.abort();
        call.abort.aborted().await;
        Err(ToolError("I was told to stop".into()))
    });
    assert_eq!(run(&Gate::new(), &tool, json!({})).reason.as_deref(), Some("I was told to stop"));
}

// Partial results.

/// A tool that streams two partial results.
fn streams(name: &str) -> Tool {
    Tool::new(name, |call| async move {
        call.update(json!({"output": "half"})).await;
        call.update(json!({"output": "secret"})).await;
        Ok(json!({"output": "whole"}))
    })
}

#[test]
fn partial_results_pass_the_gate() -> Test {
    let (gate, shown, facts) = (Gate::new(), Log::new(), Log::new());
    gate.tool_update("mark").edit(|_, mut part| part.map(|text| format!("{text}…")))?;
    let log = facts.clone();
    gate.tool_update("facts").watch(move |event, _, _| {
        let name = event.name.map(|name| name.normal().to_owned());
        let arguments = event.arguments.and_then(|body| body.json().ok()).cloned();
        log.push((name, event.index, arguments, event.call_id.map(str::to_owned)));
    })?;
    gate.tool_update("refuse").guard(|_, part| (part.text() == "secret…").then(|| Verdict::deny("not that")))?;
    let log = shown.clone();
    let call = Call::new("c1", json!({"a": 1})).on_update(move |part| log.push(part));
    let done = block_on(gate.session("s").call(&streams("Bash"), call));
    assert_eq!(shown.take(), [json!({"output": "half…"})]);
    assert_eq!(done.value, json!({"output": "whole"}));
    let expected = |index| (Some("exec".to_owned()), Some(index), Some(json!({"a": 1})), Some("c1".to_owned()));
    assert_eq!(facts.take(), [expected(0), expected(1)]);
    Ok(())
}

#[test]
fn a_partial_result_nobody_wants_goes_nowhere() {
    assert!(run(&Gate::new(), &streams("read"), json!({})).is_ok());
}

#[test]
fn the_updates_of_a_renamed_call_state_both_names() -> Test {
    let (gate, names) = (Gate::new(), Log::new());
    gate.before_tool("rename").tool("exec").edit(|_, mut args| args.rename("run_safely"))?;
    let log = names.clone();
    gate.on::<Body>([Point::ToolUpdate, Point::ToolAfter], "names").watch(move |event, _, _| {
        let normal = |name: Option<&tollgate::Name<'_>>| name.map(|name| name.normal().to_owned());
        log.push((event.point, normal(event.name), normal(event.became)));
    })?;
    let toolbox = Toolbox::new(gate.session("s"));
    let exec = toolbox.add(echo("exec", &Log::new()))?;
    toolbox.add(streams("run_safely"))?;
    block_on(exec.execute(Call::new("c1", json!({})).on_update(|_| ())));
    let both = |point| (point, Some("exec".to_owned()), Some("run_safely".to_owned()));
    assert_eq!(names.take(), [both(Point::ToolUpdate), both(Point::ToolUpdate), both(Point::ToolAfter)]);
    Ok(())
}

// Answers and detours.

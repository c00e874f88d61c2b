//! Calls that are answered, sent elsewhere, or sent to another tool.

mod common;

use serde_json::{Value, json};
use tollgate::{Call, Ended, Gate, Route, Tool, Toolbox, Verdict, block_on};

use common::{Log, Test, blocked, echo, log_after, run};

// Before the tool.

#[test]
fn an_answer_takes_the_tools_place_and_passes_after() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("cache").guard(|_, _| Verdict::answer(json!({"output": "cached sk-1"})))?;
    gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
    let done = run(&gate, &echo("read", &calls), json!({}));
    assert_eq!((done.value, done.ended), (json!({"output": "cached ***"}), Ended::Answered));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_diverted_call_runs_there_and_not_here() -> Test {
    let (gate, calls, there) = (Gate::new(), Log::new(), Log::new());
    let log = there.clone();
    gate.on_route(move |route, call| {
        log.push((route.provider, call.id, call.params));
        async { Ok(json!({"stdout": "sk-1", "stderr": ""})) }
    });
    gate.before_tool("box").guard(|_, _| Verdict::route(Route::to("box")))?;
    gate.before_tool("default").edit(|_, mut args| args.set("timeout", 5))?;
    gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
    let done = run(&gate, &echo("exec", &calls), json!({"command": "make"}));
    assert_eq!((done.value, done.ended), (json!({"stdout": "***", "stderr": ""}), Ended::Routed));
    assert_eq!(there.take(), [("box".into(), "c1".into(), json!({"command": "make", "timeout": 5}))]);
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_detour_without_a_provider_is_a_refusal() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("box").guard(|_, _| Verdict::route(Route::to("e2b")))?;
    let done = run(&gate, &echo("exec", &calls), json!({}));
    let reason = "it must run at `e2b`, and no sandbox provider is configured";
    assert_eq!(done.value, blocked("exec", reason));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_provider_that_breaks_is_a_failure_of_the_call() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.on_route(|route, _| {
        assert_ne!(route.provider, "box", "no box");
        async { Ok(Value::Null) }
    });
    gate.before_tool("box").guard(|_, _| Verdict::route(Route::to("box")))?;
    let done = run(&gate, &echo("exec", &calls), json!({}));
    assert_eq!(done.ended, Ended::Error);
    assert!(done.reason.is_some_and(|reason| reason.starts_with("the sandbox panicked: ")));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_routes_command_is_judged_before_it_runs() -> Test {
    let (gate, there) = (Gate::new(), Log::new());
    let log = there.clone();
    gate.on_route(move |route, _| {
        log.push(route.command);
        async { Ok(Value::Null) }
    });
    gate.before_tool("box").tool("build").guard(|_, args| {
        let command =
            serde_json::Map::from_iter([("command".to_owned(), args.get("run").cloned().unwrap_or_default())]);
        Verdict::route(Route { command: Some(command), ..Route::to("box") })
    })?;
    gate.before_tool("no-rm").tool("exec").guard(|_, args| {
        args.text("command").is_some_and(|command| command.contains("rm -rf")).then(|| Verdict::deny("no rm -rf"))
    })?;
    let build = echo("build", &Log::new());
    assert_eq!(run(&gate, &build, json!({"run": "rm -rf /"})).value, blocked("build", "no rm -rf"));
    assert!(there.take().is_empty());
    assert_eq!(run(&gate, &build, json!({"run": "make"})).ended, Ended::Routed);
    assert_eq!(there.take().pop().flatten().map(Value::Object), Some(json!({"command": "make"})));
    Ok(())
}

// Renames.

/// A toolbox in which every call of `exec` is renamed.
fn renaming(to: &'static str, calls: &Log<Value>) -> Result<(Gate, Toolbox), tollgate::BadRegistration> {
    let gate = Gate::new();
    gate.before_tool("rename").tool("exec").edit(move |_, mut args| args.rename(to))?;
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(Tool::new("Exec", |_| async { Ok(json!("the old tool ran")) }))?;
    toolbox.add(echo("Run_Safely", calls))?;
    Ok((gate, toolbox))
}

fn call_exec(toolbox: &Toolbox) -> Option<tollgate::Finished> {
    let exec = toolbox.get("exec")?;
    Some(block_on(exec.execute(Call::new("c1", json!({"command": "ls"})))))
}

#[test]
fn a_call_can_be_sent_to_another_tool() -> Test {
    let (calls, after) = (Log::new(), Log::new());
    let (gate, toolbox) = renaming("run_safely", &calls)?;
    log_after(&gate, &after)?;
    assert_eq!(call_exec(&toolbox).map(|done| done.value), Some(json!({"command": "ls"})));
    assert_eq!(calls.take(), [json!({"command": "ls"})]);
    let facts: Vec<_> = after.take().into_iter().map(|facts| (facts.written, facts.tool)).collect();
    assert_eq!(facts, [("Exec".to_owned(), "run_safely".to_owned())]);
    Ok(())
}

#[test]
fn whoever_guards_the_new_name_judges_a_renamed_call() -> Test {
    let calls = Log::new();
    let (gate, toolbox) = renaming("run_safely", &calls)?;
    gate.before_tool("no").tool("run_safely").guard(|_, _| Verdict::deny("not that one"))?;
    assert_eq!(call_exec(&toolbox).map(|done| done.value), Some(blocked("run_safely", "not that one")));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_call_cannot_be_sent_to_a_tool_that_is_not_there() -> Test {
    let calls = Log::new();
    let (_gate, toolbox) = renaming("Nowhere", &calls)?;
    let reason = "it was renamed to `Nowhere`, and there is no such tool";
    assert_eq!(call_exec(&toolbox).map(|done| done.value), Some(blocked("nowhere", reason)));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_tool_outside_a_toolbox_cannot_be_renamed() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("rename").edit(|_, mut args| args.rename("other"))?;
    let done = run(&gate, &echo("exec", &calls), json!({}));
    assert_eq!(done.ended, Ended::Denied);
    assert_eq!(done.reason.as_deref(), Some("`rename` renamed the call once more than is possible here"));
    assert!(calls.take().is_empty());
    Ok(())
}

// Calls that interceptors make.

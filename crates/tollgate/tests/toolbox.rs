//! Toolboxes: plain tools go in, only wrapped ones come out, and that can be proved.

mod common;

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate::{Call, Covered, Ended, Gate, Tool, ToolError, Toolbox, Verdict, block_on, enumerate};

use common::{Log, Test, blocked, echo, log_after};

fn call(tool: &Tool, params: Value) -> tollgate::Finished {
    block_on(tool.execute(Call::new("c1", params)))
}

/// A toolbox where nothing may run.
fn closed() -> Result<(Gate, Toolbox), tollgate::BadRegistration> {
    let gate = Gate::new();
    gate.before_tool("no").guard(|_, _| Verdict::deny("not today"))?;
    let toolbox = Toolbox::new(gate.session("s"));
    Ok((gate, toolbox))
}

#[test]
fn every_way_to_a_tool_leads_through_the_gate() -> Test {
    let (_gate, toolbox) = closed()?;
    let calls = Log::new();
    let added = toolbox.add(echo("Exec", &calls))?;
    let got = [toolbox.get("exec"), toolbox.get("bash"), toolbox.get(" EXEC ")].into_iter().flatten();
    let ways: Vec<Tool> = [added].into_iter().chain(got).chain(toolbox.tools()).collect();
    assert_eq!(ways.len(), 5);
    for tool in ways {
        assert_eq!(call(&tool, json!({})).value, blocked("exec", "not today"));
    }
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn tools_added_later_and_rules_added_later_meet() -> Test {
    let gate = Gate::new();
    let toolbox = Toolbox::new(gate.session("s"));
    let first = toolbox.add(echo("first", &Log::new()))?;
    assert!(call(&first, json!({})).is_ok());
    gate.before_tool("no").guard(|_, _| Verdict::deny("not today"))?;
    let second = toolbox.add(echo("second", &Log::new()))?;
    assert_eq!(call(&first, json!({})).value, blocked("first", "not today"));
    assert_eq!(call(&second, json!({})).value, blocked("second", "not today"));
    Ok(())
}

#[test]
fn a_tool_may_want_a_context() -> Test {
    let gate = Gate::new();
    gate.before_tool("mark").edit(|_, mut args| args.set("mark", true))?;
    let toolbox = Toolbox::new(gate.session("s"));
    let plain = toolbox.add(Tool::new("plain", |call| async move { Ok(call.params) }))?;
    let wants = toolbox.add(Tool::with_context("wants", |call, context| async move {
        let user = context.downcast_ref::<String>().cloned().unwrap_or_default();
        Ok(json!({"user": user, "params": call.params}))
    }))?;
    assert_eq!(call(&plain, json!({})).value, json!({"mark": true}));
    let done = block_on(wants.execute(Call::new("1", json!({})).with_context("ann".to_owned())));
    assert_eq!(done.value, json!({"user": "ann", "params": {"mark": true}}));
    let done = call(&wants, json!({}));
    assert_eq!(done.reason.as_deref(), Some("`wants` needs a context, and the call has none"));
    Ok(())
}

/// A tool of which everything is set.
fn full() -> Tool {
    let mut tool = Tool::new("Read", |call| async move { Ok(call.params) });
    tool.label = "Read a file".into();
    tool.description = "Reads".into();
    tool.parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    tool.render_call = Some(Arc::new(|call| format!("call {call}")));
    tool.render_result = Some(Arc::new(|result| format!("result {result}")));
    tool
}

#[test]
fn a_wrapped_tool_keeps_every_member() -> Test {
    let wrapped = Toolbox::new(Gate::new().session("s")).add(full())?;
    assert_eq!(wrapped.info(), full().info());
    assert_eq!((&*wrapped.name, &*wrapped.label, &*wrapped.description), ("Read", "Read a file", "Reads"));
    assert_eq!(wrapped.render_call.map(|render| render(&json!(1))).as_deref(), Some("call 1"));
    assert_eq!(wrapped.render_result.map(|render| render(&json!(2))).as_deref(), Some("result 2"));
    Ok(())
}

#[test]
fn tools_can_be_enumerated_without_running_them() -> Test {
    let toolbox = Toolbox::new(Gate::new().session("s"));
    toolbox.add(full())?;
    toolbox.add(Tool::new("exec", |_| async { Err(ToolError("must not run".into())) }))?;
    let listed: Vec<_> = toolbox.enumerate().into_iter().map(|info| (info.name, info.has_custom_render)).collect();
    assert_eq!(listed, [("Read".to_owned(), true), ("exec".to_owned(), false)]);
    assert_eq!(toolbox.enumerate(), enumerate(&toolbox.tools()));
    Ok(())
}

#[test]
fn two_tools_of_one_name_are_refused() -> Test {
    let gate = Gate::new();
    gate.alias("terminal", "exec");
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("exec", &Log::new()))?;
    for name in ["exec", "Exec", " bash", "terminal"] {
        let error = toolbox.add(echo(name, &Log::new())).err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("`{name}` is the same tool as `exec`, which is here; remove that first")));
    }
    assert_eq!(toolbox.tools().len(), 1);
    Ok(())
}

#[test]
fn a_removed_tool_is_gone_and_its_name_free() -> Test {
    let toolbox = Toolbox::new(Gate::new().session("s"));
    toolbox.add(echo("exec", &Log::new()))?;
    assert!(toolbox.remove("Bash"));
    assert!(!toolbox.remove("Bash"));
    assert!(toolbox.get("exec").is_none());
    toolbox.add(echo("exec", &Log::new()))?;
    Ok(())
}

#[test]
fn coverage_proves_that_a_refusal_keeps_each_tool_from_running() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("all").guard(|_, _| Verdict::Pass)?;
    gate.before_tool("shell").tool("bash").priority(1).edit(|_, _| Verdict::Pass)?;
    gate.after_tool("redact").tool_glob("read*").edit(|_, _| Verdict::Pass)?;
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("Exec", &calls))?;
    toolbox.add(echo("read_file", &calls))?;
    let coverage = block_on(toolbox.coverage());
    let row = |tool: &str, before: &[&str], after: &[&str]| {
        let own = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Covered { tool: tool.to_owned(), passes: true, before: own(before), after: own(after) }
    };
    assert_eq!(coverage.rows, [row("Exec", &["shell", "all"], &[]), row("read_file", &["all"], &["redact"])]);
    assert!(coverage.is_complete());
    assert_eq!(
        coverage.to_string(),
        "Exec: covered; before: [shell, all]; after: []\nread_file: covered; before: [all]; after: [redact]\n"
    );
    assert!(calls.take().is_empty(), "a proof runs no tool");
    Ok(())
}

#[test]
fn coverage_asks_nobody_and_leaves_no_trace() -> Test {
    let (gate, seen) = (Gate::new(), Log::new());
    for point in [tollgate::Point::ToolBefore, tollgate::Point::ToolAfter] {
        let log = seen.clone();
        gate.on::<tollgate::Body>([point], point.name()).watch(move |event, _, _| log.push(event.point))?;
    }
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("exec", &Log::new()))?;
    assert!(block_on(toolbox.coverage()).is_complete());
    assert!(seen.take().is_empty());
    assert_eq!(gate.ids(), ["tool.before", "tool.after"]);
    Ok(())
}

#[test]
fn coverage_holds_for_a_session_that_an_interceptor_caused() -> Test {
    let gate = Gate::new();
    gate.before_tool("cause").guard(|_, _| Verdict::Pass)?;
    let toolbox = Toolbox::new(gate.session("s").caused_by("cause"));
    toolbox.add(echo("exec", &Log::new()))?;
    assert!(block_on(toolbox.coverage()).is_complete());
    Ok(())
}

#[test]
fn coverage_of_an_empty_toolbox_is_complete() {
    let coverage = block_on(Toolbox::new(Gate::new().session("s")).coverage());
    assert!(coverage.is_complete() && coverage.rows.is_empty());
}

/// Three layers around one tool: an outer one that records, a firewall, and an inner one that makes it safe.
fn layers(calls: &Log<Value>, records: &Log<tollgate::Facts>) -> Result<Tool, tollgate::BadRegistration> {
    let (sandbox, firewall, audit) = (Gate::new(), Gate::new(), Gate::new());
    sandbox.before_tool("prefix").edit(|_, mut args| {
        let path = format!("/sandbox{}", args.text("path").unwrap_or_default());
        args.set("path", path)
    })?;
    firewall.before_tool("no-etc").guard(|_, args| {
        args.text("path").is_some_and(|path| path.starts_with("/etc")).then(|| Verdict::deny("not in /etc"))
    })?;
    firewall.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("secret", "***")))?;
    log_after(&audit, records)?;
    let mut tool = echo("read", calls);
    for gate in [sandbox, firewall, audit] {
        tool = Toolbox::new(gate.session("s")).add(tool)?;
    }
    Ok(tool)
}

#[test]
fn layers_compose() -> Test {
    let (calls, records) = (Log::new(), Log::new());
    let tool = layers(&calls, &records)?;
    let done = call(&tool, json!({"path": "/secret"}));
    assert_eq!(done.value, json!({"path": "/sandbox/***"}), "each layer did its work");
    assert_eq!(calls.take(), [json!({"path": "/sandbox/secret"})]);
    let recorded: Vec<_> = records.take().into_iter().map(|facts| (facts.arguments, facts.ended)).collect();
    assert_eq!(recorded, [(Some(json!({"path": "/secret"})), Some(Ended::Ok))], "as it came to the outermost layer");
    Ok(())
}

#[test]
fn the_refusal_of_an_inner_layer_stays_a_refusal_in_all_outer_ones() -> Test {
    let (calls, records) = (Log::new(), Log::new());
    let tool = layers(&calls, &records)?;
    let done = call(&tool, json!({"path": "/etc/passwd"}));
    assert_eq!((done.value, done.ended), (blocked("read", "not in /etc"), Ended::Denied));
    assert!(calls.take().is_empty());
    let recorded: Vec<_> = records.take().into_iter().map(|facts| (facts.ended, facts.reason)).collect();
    assert_eq!(recorded, [(Some(Ended::Denied), Some("not in /etc".to_owned()))]);
    Ok(())
}

#[test]
fn what_an_inner_layer_takes_out_of_an_error_stays_out() -> Test {
    let (inner, outer, seen) = (Gate::new(), Gate::new(), Log::new());
    inner.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
    let log = seen.clone();
    outer.after_tool("sees").watch(move |event, result, _| {
        log.push((result.value().clone(), event.reason.map(str::to_owned)));
    })?;
    let tool = Tool::new("read", |_| async { Err(ToolError("bad key sk-1".into())) });
    let tool = Toolbox::new(inner.session("s")).add(tool)?;
    let tool = Toolbox::new(outer.session("s")).add(tool)?;
    let done = call(&tool, json!({}));
    assert_eq!(done.ended, Ended::Error);
    assert_eq!(done.value, json!({"status": "error", "tool": "read", "error": "bad key ***"}));
    assert!(!format!("{:?}", seen.take()).contains("sk-1"));
    Ok(())
}

#[test]
fn updates_context_and_abort_reach_the_tool_through_layers() -> Test {
    let inner = Tool::with_context("read", |call, context| async move {
        call.update(json!("partial")).await;
        call.abort.abort();
        Ok(json!(context.downcast_ref::<u8>()))
    });
    let inner = Toolbox::new(Gate::new().session("s")).add(inner)?;
    let outer = Toolbox::new(Gate::new().session("s")).add(inner)?;
    let seen = Log::new();
    let log = seen.clone();
    let call = Call::new("1", json!({})).with_context(7_u8).on_update(move |part| log.push(part));
    let abort = call.abort.clone();
    assert_eq!(block_on(outer.execute(call)).value, json!(7));
    assert_eq!(seen.take(), [json!("partial")]);
    assert!(abort.is_aborted());
    Ok(())
}

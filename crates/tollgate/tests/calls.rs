//! One call's way: what the tool gets, what the caller gets, and who hears of it.

mod common;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate::{
    Abort, Body, Call, Dialect, Ended, Facts, Fault, FaultKind, Gate, Point, Route, Tool, ToolError, Toolbox, Verdict,
    block_on, grant,
};

use common::{Log, Test, blocked, echo, log_after, run, yield_once};

// Before the tool.

#[test]
fn without_interceptors_a_tool_just_runs() {
    let calls = Log::new();
    let done = run(&Gate::new(), &echo("read", &calls), json!({"path": "a"}));
    assert_eq!((done.value, done.ended, done.reason), (json!({"path": "a"}), Ended::Ok, None));
    assert_eq!(calls.take(), [json!({"path": "a"})]);
}

#[test]
fn a_refused_call_does_not_run_and_says_so() -> Test {
    for (tool, shown) in [("exec", "exec"), ("Bash", "exec"), ("Read", "read"), ("My_Tool", "my_tool")] {
        let (gate, calls) = (Gate::new(), Log::new());
        gate.before_tool("no").guard(|_, _| Verdict::deny("not here"))?;
        let done = run(&gate, &echo(tool, &calls), json!({}));
        assert_eq!(done.value, blocked(shown, "not here"), "{tool}");
        assert_eq!((done.ended, done.reason.as_deref()), (Ended::Blocked, Some("not here")), "{tool}");
        assert!(!done.is_ok(), "{tool}");
        assert_eq!(calls.take(), [] as [Value; 0], "{tool}");
    }
    Ok(())
}

#[test]
fn a_refusal_may_come_from_an_edit_too() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("no").edit(|_, _| Verdict::deny("not here"))?;
    assert_eq!(run(&gate, &echo("exec", &calls), json!({})).value, blocked("exec", "not here"));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_refusal_without_a_reason_still_says_something() -> Test {
    let gate = Gate::new();
    gate.before_tool("no").guard(|_, _| Verdict::deny(""))?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({}));
    assert_eq!(done.value, blocked("exec", "refused without a reason"));
    Ok(())
}

#[test]
fn changed_arguments_reach_the_tool() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("prefix").edit(|_, mut args| {
        let path = format!("/sandbox/{}", args.text("path").unwrap_or_default());
        args.set("path", path)
    })?;
    gate.before_tool("limit").edit(|_, mut args| args.default("limit", 10))?;
    gate.before_tool("drop").edit(|_, mut args| drop(args.remove("debug")))?;
    run(&gate, &echo("read", &calls), json!({"path": "a", "debug": true, "limit": 3}));
    assert_eq!(calls.take(), [json!({"path": "/sandbox/a", "limit": 3})]);
    Ok(())
}

#[test]
fn each_edit_sees_the_work_of_the_last() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    for (id, priority) in [("c", 1), ("a", 3), ("b", 2)] {
        gate.before_tool(id).priority(priority).second_look(false).edit(move |_, mut args| {
            let text = format!("{}{id}", args.text("text").unwrap_or_default());
            args.set("text", text)
        })?;
    }
    run(&gate, &echo("read", &calls), json!({"text": ">"}));
    assert_eq!(calls.take(), [json!({"text": ">abc"})]);
    Ok(())
}

#[test]
fn guards_judge_what_edits_made_of_the_call() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("guard")
        .priority(100)
        .guard(|_, args| (args.text("command") == Some("rm -rf /")).then(|| Verdict::deny("never that")))?;
    gate.before_tool("late").priority(-100).edit(|_, mut args| args.set("command", "rm -rf /"))?;
    assert_eq!(run(&gate, &echo("exec", &calls), json!({"command": "ls"})).value, blocked("exec", "never that"));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn an_edit_that_passed_a_call_is_asked_again_when_it_changed() -> Test {
    let (gate, looks) = (Gate::new(), Log::new());
    let log = looks.clone();
    gate.before_tool("both").priority(1).edit(move |event, args| {
        log.push(event.look);
        (args.text("command") == Some("rm -rf /")).then(|| Verdict::deny("never that"))
    })?;
    gate.before_tool("late").edit(|_, mut args| args.set("command", "rm -rf /"))?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({"command": "ls"})).value, blocked("exec", "never that"));
    assert_eq!(looks.take(), [1, 2]);
    Ok(())
}

#[test]
fn async_handlers_are_awaited_in_order() -> Test {
    let (gate, order) = (Gate::new(), Log::new());
    for id in ["slow", "quick"] {
        let order = order.clone();
        gate.before_tool(id).second_look(false).edit_async(move |_, mut args| {
            let order = order.clone();
            async move {
                if id == "slow" {
                    yield_once().await;
                    yield_once().await;
                }
                order.push(id);
                args[id] = true.into();
                args
            }
        })?;
    }
    let done = run(&gate, &echo("read", &Log::new()), json!({}));
    assert_eq!(order.take(), ["slow", "quick"]);
    assert_eq!(done.value, json!({"slow": true, "quick": true}));
    Ok(())
}

#[test]
fn an_async_edit_may_return_a_document_a_verdict_nothing_or_an_error() -> Test {
    let gate = Gate::new();
    let looked = Log::new();
    let log = looked.clone();
    gate.before_tool("nothing").edit_async(move |facts, _| {
        log.push((facts.tool, facts.written, facts.call_id, facts.session, facts.agent));
        async {}
    })?;
    let own = |text: &str| Some(text.to_owned());
    assert_eq!(run(&gate, &echo("Bash", &Log::new()), json!({})).value, json!({}));
    assert_eq!(looked.take(), [("exec".into(), "Bash".into(), "c1".into(), own("s1"), own("main"))]);
    gate.before_tool("document").tool("read").edit_async(|_, _| async { json!({"new": 1}) })?;
    assert_eq!(run(&gate, &echo("read", &Log::new()), json!({})).value, json!({"new": 1}));
    gate.before_tool("verdict").tool("write").edit_async(|_, _| async { Verdict::deny("read only") })?;
    assert_eq!(run(&gate, &echo("write", &Log::new()), json!({})).value, blocked("write", "read only"));
    gate.before_tool("error").tool("edit").mend("run `make`").edit_async(|_, _| async { Err::<(), _>("no disk") })?;
    let reason = "`error` could not judge this (crash: no disk), so it is refused; to mend it: run `make`";
    assert_eq!(run(&gate, &echo("edit", &Log::new()), json!({})).value, blocked("edit", reason));
    Ok(())
}

#[test]
fn a_handler_that_fails_refuses_unless_told_otherwise() -> Test {
    for (passes, tool_runs) in [(false, false), (true, true)] {
        let (gate, calls) = (Gate::new(), Log::new());
        let on = gate.before_tool("broken");
        let on = if passes { on.on_fault(tollgate::OnFault::Pass) } else { on };
        on.guard(|_, _| Err::<(), _>("no disk"))?;
        assert_eq!(run(&gate, &echo("read", &calls), json!({})).is_ok(), tool_runs);
        assert_eq!(calls.take().len(), usize::from(tool_runs));
    }
    Ok(())
}

#[test]
fn a_handler_that_panics_refuses_whatever_it_throws() -> Test {
    for hostile in [false, true] {
        let (gate, calls) = (Gate::new(), Log::new());
        gate.before_tool("panics").guard(move |_, _| -> Verdict {
            if hostile {
                std::panic::panic_any(PanicsAgain);
            }
            panic!("oh no")
        })?;
        let done = run(&gate, &echo("read", &calls), json!({}));
        assert_eq!(done.ended, Ended::Blocked);
        assert!(done.reason.is_some_and(|reason| reason.starts_with("`panics` could not judge this (panic: ")));
        assert!(calls.take().is_empty());
    }
    Ok(())
}

/// Something whose panic is not over when it has been caught.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        if !thread::panicking() {
            std::panic::resume_unwind(Box::new("and again"));
        }
    }
}

#[test]
fn a_broken_edit_leaves_the_call_as_it_was() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("broken").on_fault(tollgate::OnFault::Pass).edit(|_, mut args| {
        args.set("half", "done")?;
        Err::<(), _>(Fault::new(FaultKind::Crash, "no disk"))
    })?;
    run(&gate, &echo("read", &calls), json!({"path": "a"}));
    assert_eq!(calls.take(), [json!({"path": "a"})]);
    Ok(())
}

#[test]
fn arguments_need_not_be_an_object() -> Test {
    for params in [json!(null), json!("text"), json!([1, 2]), json!(7), json!(true)] {
        let (gate, calls, seen) = (Gate::new(), Log::new(), Log::new());
        let log = seen.clone();
        gate.before_tool("look").guard(move |_, args| {
            log.push(args.value().clone());
            assert_eq!((args.get("key"), args.text("key")), (None, None));
        })?;
        assert_eq!(run(&gate, &echo("ReAd", &calls), params.clone()).value, params);
        assert_eq!((seen.take(), calls.take()), (vec![params.clone()], vec![params]));
    }
    Ok(())
}

#[test]
fn a_field_cannot_be_set_where_there_are_no_fields() -> Test {
    for (params, expected) in [
        (json!(null), Some(json!({"limit": 1}))),
        (json!({}), Some(json!({"limit": 1}))),
        (json!("text"), None),
        (json!([1]), None),
    ] {
        let (gate, calls) = (Gate::new(), Log::new());
        gate.before_tool("limit").edit(|_, mut args| args.set("limit", 1))?;
        run(&gate, &echo("read", &calls), params.clone());
        assert_eq!(calls.take().pop(), expected, "{params}");
    }
    Ok(())
}

#[test]
fn what_nests_too_deep_is_refused_when_somebody_must_look() -> Test {
    let deep = |levels: usize| (0..levels).fold(json!("end"), |inner, _| Value::Array(vec![inner]));
    for (levels, runs) in [(100, true), (127, true), (128, false), (100_000, false)] {
        let (gate, calls) = (Gate::new(), Log::new());
        gate.before_tool("look").guard(|_, _| Verdict::Pass)?;
        let done = run(&gate, &echo("read", &calls), deep(levels));
        assert_eq!((done.is_ok(), calls.take().len()), (runs, usize::from(runs)), "{levels}");
    }
    Ok(())
}

// After the tool.

#[test]
fn a_changed_result_reaches_the_caller() -> Test {
    for (result, expected) in [
        (json!("key sk-1"), json!("key ***")),
        (json!({"output": "key sk-1", "n": 1}), json!({"output": "key ***", "n": 1})),
        (
            json!({"content": [{"type": "text", "text": "sk-1"}], "details": {"raw": "sk-1"}}),
            json!({"content": [{"type": "text", "text": "***"}], "details": {"raw": "***"}}),
        ),
        (json!({"stdout": "sk-1", "stderr": "", "code": 0}), json!({"stdout": "***", "stderr": "", "code": 0})),
        (json!({"rows": ["sk-1", {"deep": "sk-1"}]}), json!({"rows": ["***", {"deep": "***"}]})),
        (json!(null), json!(null)),
    ] {
        let gate = Gate::new();
        gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
        assert_eq!(run(&gate, &echo("read", &Log::new()), result.clone()).value, expected, "{result}");
    }
    Ok(())
}

#[test]
fn an_async_edit_may_replace_the_result() -> Test {
    let gate = Gate::new();
    gate.after_tool("enrich").tool("web_search").edit_async(|_, mut result| async move {
        yield_once().await;
        result["details"] = json!({"title": "a page"});
        result
    })?;
    let done = run(&gate, &echo("web_search", &Log::new()), json!({"url": "u"}));
    assert_eq!(done.value, json!({"url": "u", "details": {"title": "a page"}}));
    Ok(())
}

#[test]
fn a_refused_result_is_replaced_though_the_tool_ran() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.after_tool("leaks").guard(|_, result| result.text().contains("sk-1").then(|| Verdict::deny("it leaks")))?;
    let done = run(&gate, &echo("read", &calls), json!("key sk-1"));
    assert_eq!((done.value, done.ended), (blocked("read", "it leaks"), Ended::Blocked));
    assert_eq!(calls.take(), [json!("key sk-1")]);
    Ok(())
}

#[test]
fn a_result_whose_judge_breaks_is_withheld() -> Test {
    let gate = Gate::new();
    gate.after_tool("broken").edit(|_, _| Err::<(), _>("no disk"))?;
    let done = run(&gate, &echo("read", &Log::new()), json!("secret"));
    let reason = "`broken` could not judge this (crash: no disk), so it is refused; \
                  to mend it: fix or remove it, then try again";
    assert_eq!((done.value, done.ended), (blocked("read", reason), Ended::Blocked));
    Ok(())
}

#[test]
fn a_tools_error_becomes_a_result_under_the_normal_name() {
    for (tool, shown) in [("bash", "exec"), ("Read", "read"), ("custom", "custom")] {
        let fails = Tool::new(tool, |_| async { Err(ToolError("no such file".into())) });
        let done = run(&Gate::new(), &fails, json!({}));
        assert_eq!(done.value, json!({"status": "error", "tool": shown, "error": "no such file"}), "{tool}");
        assert_eq!((done.ended, done.reason.as_deref()), (Ended::Error, Some("no such file")), "{tool}");
    }
}

#[test]
fn a_tool_may_fail_with_any_error() {
    let fails = Tool::new("read", |_| async {
        let number: i32 = "x".parse()?;
        Ok(number.into())
    });
    assert_eq!(run(&Gate::new(), &fails, json!({})).reason.as_deref(), Some("invalid digit found in string"));
}

#[test]
fn a_tool_that_panics_has_failed() -> Test {
    let at_once = Tool::new("At_Once", |call| {
        assert!(call.params["ok"].is_null(), "bad call");
        assert!(!call.params["ok"].is_null(), "bad call");
        async { Ok(json!(null)) }
    });
    let later = Tool::new("Later", |_| async {
        yield_once().await;
        panic!("bad day")
    });
    for (tool, shown, error) in
        [(at_once, "at_once", "`At_Once` panicked: bad call"), (later, "later", "`Later` panicked: bad day")]
    {
        let (gate, after) = (Gate::new(), Log::new());
        log_after(&gate, &after)?;
        let done = run(&gate, &tool, json!({}));
        assert_eq!(done.value, json!({"status": "error", "tool": shown, "error": error}));
        assert_eq!(after.take().len(), 1, "{error}");
    }
    Ok(())
}

#[test]
fn the_text_of_an_error_or_a_refusal_may_change_but_never_its_status() -> Test {
    let gate = Gate::new();
    gate.before_tool("no").tool("exec").guard(|_, _| Verdict::deny("sk-1"))?;
    gate.after_tool("all-is-well").edit(|_, mut result| result.set("all is well"))?;
    let fails = Tool::new("read", |_| async { Err(ToolError("sk-1".into())) });
    let exec = echo("exec", &Log::new());
    for (tool, ended) in [(fails, Ended::Error), (exec, Ended::Blocked)] {
        let done = run(&gate, &tool, json!({}));
        assert!(!done.is_ok(), "{}", tool.name);
        assert_eq!((done.value, done.ended), (json!("all is well"), ended), "{}", tool.name);
    }
    Ok(())
}

// Exactly once.

/// How a call can end: its name, how it is set up, and what `tool.after` must say of it.
type End = (
    &'static str,
    fn(&Gate, &Abort) -> Result<tollgate::Handle, tollgate::BadRegistration>,
    Ended,
    Option<&'static str>,
);

const ENDS: [End; 8] = [
    ("success", |gate, _| gate.before_tool("x").guard(|_, _| Verdict::Pass), Ended::Ok, None),
    ("error", |gate, _| gate.before_tool("x").edit(|_, mut args| args.set("fail", true)), Ended::Error, Some("failed")),
    ("block", |gate, _| gate.before_tool("x").guard(|_, _| Verdict::deny("no")), Ended::Blocked, Some("no")),
    (
        "abort",
        |gate, abort| {
            let abort = abort.clone();
            gate.before_tool("x").guard_async(move |_, _| {
                abort.abort();
                std::future::pending::<()>()
            })
        },
        Ended::Error,
        Some("aborted"),
    ),
    ("answer", |gate, _| gate.before_tool("x").guard(|_, _| Verdict::answer(json!("cached"))), Ended::Answered, None),
    (
        "divert",
        |gate, _| {
            gate.on_elsewhere(|_, call| async move { Ok(call.params) });
            gate.before_tool("x").guard(|_, _| Verdict::divert(Route::to("box")))
        },
        Ended::Diverted,
        None,
    ),
    (
        "divert and fail",
        |gate, _| {
            gate.on_elsewhere(|_, _| async { Err(ToolError("no network".into())) });
            gate.before_tool("x").guard(|_, _| Verdict::divert(Route::to("box")))
        },
        Ended::Error,
        Some("no network"),
    ),
    (
        "unanswered question",
        |gate, _| gate.before_tool("x").guard(|_, _| Verdict::ask("Really?")),
        Ended::Blocked,
        Some("nobody approved it: Really?"),
    ),
];

#[test]
fn after_comes_exactly_once_however_a_call_ends() -> Test {
    for (name, set_up, ended, reason) in ENDS {
        let (gate, after, abort) = (Gate::new(), Log::new(), Abort::default());
        log_after(&gate, &after)?;
        gate.before_tool("default").edit(|_, mut args| args.set("added", 1))?;
        set_up(&gate, &abort)?;
        let tool = Tool::new("Bash", |call| async move {
            if call.params["fail"] == true { Err(ToolError("failed".into())) } else { Ok(call.params) }
        });
        let mut call = Call::new("c1", json!({"command": "ls"}));
        call.abort = abort;
        let done = block_on(gate.session("s1").call(&tool, call));
        let [facts] = &after.take()[..] else { panic!("{name}: not exactly once") };
        assert_eq!((done.ended, facts.ended), (ended, Some(ended)), "{name}");
        assert_eq!((done.reason.as_deref(), facts.reason.as_deref()), (reason, reason), "{name}");
        assert_eq!((&*facts.tool, &*facts.written, &*facts.call_id), ("exec", "Bash", "c1"), "{name}");
        let arguments = facts.arguments.clone().unwrap_or_default();
        // Whoever edited an aborted call was dropped halfway, so it is told as it was asked for.
        let added = if reason == Some("aborted") { Value::Null } else { json!(1) };
        assert_eq!((&arguments["command"], &arguments["added"]), (&json!("ls"), &added), "{name}");
        assert_eq!(facts.took == Some(Duration::ZERO), ended == Ended::Blocked, "{name}: {:?}", facts.took);
    }
    Ok(())
}

#[test]
fn after_comes_once_for_every_call_of_a_row() -> Test {
    let (gate, after) = (Gate::new(), Log::new());
    log_after(&gate, &after)?;
    for number in 1..=3 {
        run(&gate, &echo("read", &Log::new()), json!({"number": number}));
        let arguments: Vec<_> = after.take().into_iter().filter_map(|facts| facts.arguments).collect();
        assert_eq!(arguments, [json!({"number": number})]);
    }
    Ok(())
}

#[test]
fn before_comes_once_through_layers_of_the_same_tool() -> Test {
    let (gate, seen) = (Gate::new(), Log::new());
    let log = seen.clone();
    gate.before_tool("count").guard(move |event, _| log.push(event.call_id.map(str::to_owned)))?;
    let toolbox = Toolbox::new(gate.session("s"));
    let tool = toolbox.add(echo("read", &Log::new()))?;
    let mut call = Call::new("c1", json!({}));
    call.abort = Abort::default();
    block_on(tool.execute(call));
    assert_eq!(seen.take(), [Some("c1".to_owned())]);
    Ok(())
}

#[test]
fn what_a_handler_is_given_is_not_what_runs() -> Test {
    let (gate, calls, kept) = (Gate::new(), Log::new(), Log::new());
    let log = kept.clone();
    gate.before_tool("keeps").guard_async(move |_, args| {
        log.push(args);
        async {}
    })?;
    run(&gate, &echo("read", &calls), json!({"path": "a"}));
    let mut mine = kept.take();
    mine[0]["path"] = "b".into();
    assert_eq!(calls.take(), [json!({"path": "a"})]);
    Ok(())
}

// Stopping.

#[test]
fn an_abort_before_the_call_never_executes() -> Test {
    let (gate, calls, seen) = (Gate::new(), Log::new(), Log::new());
    let log = seen.clone();
    gate.before_tool("sees").guard(move |_, _| log.push(()))?;
    let call = Call::new("c1", json!({}));
    call.abort.abort();
    let done = block_on(gate.session("s").call(&echo("read", &calls), call));
    assert_eq!(done.value, json!({"status": "error", "tool": "read", "error": "aborted"}));
    assert!(calls.take().is_empty());
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
    gate.on_elsewhere(move |route, call| {
        log.push((route.provider, call.id, call.params));
        async { Ok(json!({"stdout": "sk-1", "stderr": ""})) }
    });
    gate.before_tool("box").guard(|_, _| Verdict::divert(Route::to("box")))?;
    gate.before_tool("default").edit(|_, mut args| args.set("timeout", 5))?;
    gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
    let done = run(&gate, &echo("exec", &calls), json!({"command": "make"}));
    assert_eq!((done.value, done.ended), (json!({"stdout": "***", "stderr": ""}), Ended::Diverted));
    assert_eq!(there.take(), [("box".into(), "c1".into(), json!({"command": "make", "timeout": 5}))]);
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_detour_without_a_provider_is_a_refusal() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("box").guard(|_, _| Verdict::divert(Route::to("e2b")))?;
    let done = run(&gate, &echo("exec", &calls), json!({}));
    let reason = "it must run at `e2b`, and no sandbox provider is configured";
    assert_eq!(done.value, blocked("exec", reason));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_provider_that_breaks_is_a_failure_of_the_call() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.on_elsewhere(|route, _| {
        assert_ne!(route.provider, "box", "no box");
        async { Ok(Value::Null) }
    });
    gate.before_tool("box").guard(|_, _| Verdict::divert(Route::to("box")))?;
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
    gate.on_elsewhere(move |route, _| {
        log.push(route.command);
        async { Ok(Value::Null) }
    });
    gate.before_tool("box").tool("build").guard(|_, args| {
        let command =
            serde_json::Map::from_iter([("command".to_owned(), args.get("run").cloned().unwrap_or_default())]);
        Verdict::divert(Route { command: Some(command), ..Route::to("box") })
    })?;
    gate.before_tool("no-rm").tool("exec").guard(|_, args| {
        args.text("command").is_some_and(|command| command.contains("rm -rf")).then(|| Verdict::deny("no rm -rf"))
    })?;
    let build = echo("build", &Log::new());
    assert_eq!(run(&gate, &build, json!({"run": "rm -rf /"})).value, blocked("build", "no rm -rf"));
    assert!(there.take().is_empty());
    assert_eq!(run(&gate, &build, json!({"run": "make"})).ended, Ended::Diverted);
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
    assert_eq!(done.ended, Ended::Blocked);
    assert_eq!(done.reason.as_deref(), Some("`rename` renamed the call once more than is possible here"));
    assert!(calls.take().is_empty());
    Ok(())
}

// Calls that interceptors make.

#[test]
fn an_interceptor_is_not_asked_about_its_own_calls() -> Test {
    let (gate, asked, calls) = (Gate::new(), Log::new(), Log::new());
    let (inside, log, nested) = (gate.session("s"), asked.clone(), Arc::new(echo("read", &calls)));
    gate.before_tool("curious").guard_async(move |facts, _| {
        let (session, nested) = (inside.clone().caused_by("curious"), Arc::clone(&nested));
        log.push(("curious", facts.call_id));
        async move {
            session.call(&nested, Call::new("nested", json!({}))).await;
        }
    })?;
    let log = asked.clone();
    gate.before_tool("other")
        .guard(move |event, _| log.push(("other", event.call_id.unwrap_or_default().to_owned())))?;
    run(&gate, &echo("exec", &calls), json!({}));
    let own = |who, call: &str| (who, call.to_owned());
    assert_eq!(asked.take(), [own("curious", "c1"), own("other", "nested"), own("other", "c1")]);
    assert_eq!(calls.take().len(), 2);
    Ok(())
}

#[test]
fn interceptors_cannot_cause_one_another_without_end() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("x").guard(|_, _| Verdict::Pass)?;
    let session = (0..9).fold(gate.session("s"), |session, at| session.caused_by(&format!("cause-{at}")));
    let done = block_on(session.call(&echo("read", &calls), Call::new("1", json!({}))));
    assert_eq!(done.reason.as_deref(), Some("interceptors caused one another more than 8 deep"));
    assert!(calls.take().is_empty());
    Ok(())
}

// Calls side by side.

#[test]
fn a_call_under_way_keeps_the_interceptors_it_began_with() -> Test {
    let (gate, entered, go) = (Gate::new(), Abort::default(), Abort::default());
    let (tell, wait) = (entered.clone(), go.clone());
    gate.before_tool("waits").priority(1).guard_async(move |_, _| {
        let (tell, wait) = (tell.clone(), wait.clone());
        async move {
            tell.abort();
            wait.aborted().await;
        }
    })?;
    let tool = echo("read", &Log::new());
    thread::scope(|scope| {
        let under_way = scope.spawn(|| run(&gate, &tool, json!({"call": 1})));
        block_on(entered.aborted());
        let added = gate.before_tool("new").guard(|_, _| Verdict::deny("new rules"));
        let after = gate.after_tool("new-after").edit(|_, mut result| result.set("changed"));
        assert!(added.is_ok() && after.is_ok());
        go.abort();
        assert_eq!(under_way.join().map(|done| done.value).ok(), Some(json!({"call": 1})));
    });
    assert_eq!(run(&gate, &tool, json!({"call": 2})).value, json!("changed"));
    Ok(())
}

#[test]
fn calls_side_by_side_keep_their_own_arguments_and_results() -> Test {
    let (gate, after, last_is_done) = (Gate::new(), Log::new(), Abort::default());
    log_after(&gate, &after)?;
    let (wait, tell) = (last_is_done.clone(), last_is_done);
    gate.before_tool("mark").edit_async(move |facts, mut args| {
        let wait = wait.clone();
        async move {
            // The first call is decided after the last one has finished.
            if facts.call_id == "0" {
                wait.aborted().await;
            }
            args["mark"] = facts.call_id.into();
            args
        }
    })?;
    let tool = echo("read", &Log::new());
    let (gate, tool, tell) = (&gate, &tool, &tell);
    let results = thread::scope(|scope| {
        let run = |id: usize| {
            let call = Call::new(id.to_string(), json!({"id": id}));
            let done = block_on(gate.session("s").call(tool, call));
            if id == 3 {
                tell.abort();
            }
            done.value
        };
        let calls: Vec<_> = (0..4).map(|id| scope.spawn(move || run(id))).collect();
        calls.into_iter().filter_map(|call| call.join().ok()).collect::<Vec<_>>()
    });
    let expected: Vec<_> = (0..4).map(|id| json!({"id": id, "mark": id.to_string()})).collect();
    assert_eq!(results, expected);
    let mut seen: Vec<_> = after.take().into_iter().map(|facts| (facts.call_id, facts.arguments)).collect();
    seen.sort_by(|one, two| one.0.cmp(&two.0));
    let expected: Vec<_> = expected.into_iter().enumerate().map(|(id, args)| (id.to_string(), Some(args))).collect();
    assert_eq!(seen, expected);
    Ok(())
}

#[test]
fn a_tool_that_runs_in_a_client_passes_like_any_other() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("mark").edit(|_, mut args| args.set("mark", true))?;
    let log = calls.clone();
    let session = gate.session("s").dialect(Dialect::STATUS_ERROR);
    let client = move |call: Call| {
        log.push(call.params.clone());
        async { Ok(json!("from the client")) }
    };
    let done = block_on(session.call_with("client_tool", Call::new("1", json!({})), client));
    assert_eq!(done.value, json!("from the client"));
    assert_eq!(calls.take(), [json!({"mark": true})]);
    gate.before_tool("no").guard(|_, _| Verdict::deny("no"))?;
    let done = block_on(session.call_with("client_tool", Call::new("1", json!({})), |_| async { Ok(json!("ran")) }));
    assert_eq!(done.value, json!({"status": "error", "tool": "client_tool", "error": "no"}));
    Ok(())
}

#[test]
fn a_tools_facts_are_complete() -> Test {
    let (gate, facts) = (Gate::new(), Log::<Facts>::new());
    let log = facts.clone();
    gate.before_tool("facts").guard_async(move |facts, _| {
        log.push(facts);
        async {}
    })?;
    let session = gate.session("s1").agent("main").model("m1").cwd("dir");
    block_on(session.call(&echo("ReAd", &Log::new()), Call::new("c7", json!([]))));
    let own = |text: &str| Some(text.to_owned());
    let expected = Facts {
        point: Point::ToolBefore,
        tool: "read".into(),
        written: "ReAd".into(),
        call_id: "c7".into(),
        session: own("s1"),
        agent: own("main"),
        model: own("m1"),
        cwd: own("dir"),
        arguments: None,
        ended: None,
        approval: None,
        reason: None,
        took: None,
        look: 1,
        labels: Vec::new(),
    };
    assert_eq!(facts.take(), [expected]);
    Ok(())
}

#[test]
fn notes_of_edits_come_with_the_result() -> Test {
    let gate = Gate::new();
    gate.before_tool("warns").edit(|_, mut args| args.notes.push("read only".to_owned()))?;
    gate.after_tool("tells").edit(|_, mut result| result.tells.push("3 lines hidden".to_owned()))?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({}));
    assert_eq!((done.notes, done.tells), (vec!["read only".to_owned()], vec!["3 lines hidden".to_owned()]));
    gate.before_tool("no").guard(|_, _| Verdict::deny("no"))?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).notes, ["read only"]);
    Ok(())
}

//! One call's way: what the tool gets, what the caller gets, and who hears of it.

mod common;

use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};
use tollgate::{Abort, Call, Dialect, Ended, Facts, Fault, FaultKind, Gate, Point, Verdict, block_on};

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
        assert_eq!((done.ended, done.reason.as_deref()), (Ended::Denied, Some("not here")), "{tool}");
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
    assert_eq!(done.by.as_deref(), Some("no"), "and who it was");
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
        assert_eq!(done.ended, Ended::Denied);
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

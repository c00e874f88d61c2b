//! What calls come to, and that it is told exactly once.

mod common;

use std::time::Duration;

use serde_json::{Value, json};
use tollgate::{
    Abort, BadRegistration, Body, Call, Ended, Gate, Name, Point, Route, Session, Tool, ToolError, Toolbox, Verdict,
    block_on,
};

use common::{Log, Test, blocked, echo, log_after, run, yield_once};

// Before the tool.

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
    assert_eq!((done.value, done.ended), (blocked("read", "it leaks"), Ended::Denied));
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
    assert_eq!((done.value, done.ended), (blocked("read", reason), Ended::Denied));
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
    for (tool, ended) in [(fails, Ended::Error), (exec, Ended::Denied)] {
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
    ("block", |gate, _| gate.before_tool("x").guard(|_, _| Verdict::deny("no")), Ended::Denied, Some("no")),
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
            gate.on_route(|_, call| async move { Ok(call.params) });
            gate.before_tool("x").guard(|_, _| Verdict::route(Route::to("box")))
        },
        Ended::Routed,
        None,
    ),
    (
        "divert and fail",
        |gate, _| {
            gate.on_route(|_, _| async { Err(ToolError("no network".into())) });
            gate.before_tool("x").guard(|_, _| Verdict::route(Route::to("box")))
        },
        Ended::Error,
        Some("no network"),
    ),
    (
        "unanswered question",
        |gate, _| gate.before_tool("x").guard(|_, _| Verdict::ask("Really?")),
        Ended::Denied,
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
        assert_eq!(facts.took == Some(Duration::ZERO), ended == Ended::Denied, "{name}: {:?}", facts.took);
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

/// Notes down at which points a gate sees whose call.
fn log_points(gate: &Gate) -> Result<Log<String>, BadRegistration> {
    let seen = Log::new();
    let log = seen.clone();
    gate.on::<Body>([Point::ToolBefore, Point::ToolUpdate, Point::ToolAfter], "log").guard(move |event, _| {
        let tool = event.name.map(Name::written).unwrap_or_default();
        log.push(format!("{} {tool} {}", event.point, event.session.unwrap_or_default()));
    })?;
    Ok(seen)
}

/// A tool that tells of itself while it runs.
fn tells(name: &str) -> Tool {
    Tool::new(name, |call| async move {
        call.update(json!("partial")).await;
        Ok(call.params)
    })
}

const ONCE: [&str; 3] = ["tool.before Read s", "tool.update Read s", "tool.after Read s"];

#[test]
fn every_point_comes_once_through_layers_of_one_gate() -> Test {
    let gate = Gate::new();
    let seen = log_points(&gate)?;
    let mut tool = tells("Read");
    for layers in 1..=3 {
        tool = Toolbox::new(gate.session("s")).add(tool)?;
        let call = || Call::new("c1", json!({})).on_update(|_| ()).abort(&Abort::default());
        block_on(tool.execute(call()));
        assert_eq!(seen.take(), ONCE, "{layers} layers");
        block_on(gate.session("s").call(&tool, call()));
        assert_eq!(seen.take(), ONCE, "{layers} layers and a session");
    }
    Ok(())
}

#[test]
fn a_layer_that_would_judge_something_else_judges_it() -> Test {
    let (gate, other) = (Gate::new(), Gate::new());
    let seen = log_points(&gate)?;
    other.before_tool("changes").edit(|_, mut args| args.set("path", "/etc/shadow"))?;
    let inner = || Toolbox::new(gate.session("s")).add(tells("Read"));
    let mut renamed = inner()?;
    renamed.name = "List".to_owned();
    let between = Toolbox::new(other.session("s")).add(inner()?)?;
    let lent = inner()?;
    let lends = Tool::new("Read", move |mut call| {
        let lent = lent.clone();
        call.params = json!({"path": "/etc/shadow"});
        async move { Ok(lent.execute(call).await.value) }
    });
    let before = |tool: &Tool, session: Session| {
        block_on(session.call(tool, Call::new("c1", json!({}))));
        seen.take().into_iter().filter(|line| line.starts_with("tool.before")).collect::<Vec<_>>()
    };
    let twice = ["tool.before Read s", "tool.before Read s"];
    assert_eq!(before(&between, gate.session("s")), twice, "another gate may have changed the arguments");
    assert_eq!(before(&lends, gate.session("s")), twice, "a tool makes calls of its own");
    let expected = ["tool.before List s", "tool.before Read s"];
    assert_eq!(before(&renamed, gate.session("s")), expected, "another name");
    let expected = ["tool.before Read t", "tool.before Read s"];
    assert_eq!(before(&inner()?, gate.session("t")), expected, "another session");
    assert_eq!(before(&inner()?, gate.session("s").caused_by("log")), ["tool.before Read s"], "another cause");
    gate.prompt_submit("marks").edit(|_, mut prompt| prompt.label("saw", "a secret"))?;
    let marked = gate.session("s");
    block_on(marked.prompt("hi")).map_err(|ruling| ruling.reason)?;
    assert_eq!(before(&inner()?, marked.clone()), twice, "other labels");
    let own = Toolbox::new(marked.clone()).add(tells("Read"))?;
    assert_eq!(before(&own, marked), twice[..1], "the very same session");
    Ok(())
}

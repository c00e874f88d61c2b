//! Ways round a guard that were once open. Each test is named after what it keeps shut.

mod common;

use std::future::pending;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate::{
    Abort, Act, Approval, Body, Call, Dialect, Ended, Event, Gate, Match, Plugin, PluginApi, PluginOptions, Point,
    Query, Ruling, Tool, Toolbox, Verdict, block_on,
};
use tollgate_wire as wire;

use common::{Log, Test, echo, log_after, run, yield_once};

fn admit(gate: &Gate, bytes: &str) -> Result<String, Ruling> {
    let body = block_on(gate.session("s").admit(Point::ModelRequest, wire::body(bytes)))?.into_pass()?;
    Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned())
}

#[test]
fn writing_the_same_value_back_does_not_lift_the_ambiguity() -> Test {
    let gate = Gate::new();
    gate.model_request("looks").guard(|_, fields| assert_eq!(fields.text("command"), Some("ls")))?;
    gate.model_request("identity").edit_async(|_, document| async move { document })?;
    assert!(admit(&gate, r#"{"command":"rm -rf /","command":"ls"}"#).is_err());
    Ok(())
}

#[test]
fn a_body_that_was_replaced_leaves_as_it_was_judged() -> Test {
    let gate = Gate::new();
    gate.on::<Body>([Point::ModelRequest], "sanitize").edit(|_, body: &mut Body| {
        *body = wire::body(r#"{"command":"ls"}"#);
    })?;
    gate.model_request("only-ls")
        .guard(|_, fields| (fields.text("command") != Some("ls")).then(|| Verdict::deny("only ls")))?;
    assert_eq!(admit(&gate, r#"{"command":"rm -rf /"}"#).as_deref(), Ok(r#"{"command":"ls"}"#));
    Ok(())
}

#[test]
fn a_look_at_a_clone_is_a_look() -> Test {
    let gate = Gate::new();
    gate.on::<Body>([Point::ModelRequest], "clones").guard(|_, body: &Body| body.clone().json().map(|_| ()))?;
    assert!(admit(&gate, r#"{"a":1,"a":2}"#).is_err());
    Ok(())
}

#[test]
fn labels_cannot_be_taken_back() -> Test {
    let gate = Gate::new();
    let before = || gate.on::<Body>([Point::ToolBefore], "label").priority(9);
    before().edit(|_, body: &mut Body| body.label("taint", "yes"))?;
    gate.on::<Body>([Point::ToolBefore], "wipe").edit(|_, body: &mut Body| *body = Body::from(json!({})))?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).ended, Ended::Denied);
    Ok(())
}

#[test]
fn the_result_of_a_renamed_call_passes_edits() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("rename").tool("read").edit(|_, mut args| args.rename("exec"))?;
    gate.after_tool("idle").edit(|_, _| ())?;
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("exec", &calls))?;
    let done = block_on(toolbox.add(echo("read", &calls))?.execute(Call::new("1", json!({"a": 1}))));
    assert_eq!((done.ended, done.value), (Ended::Ok, json!({"a": 1})));
    Ok(())
}

#[test]
fn a_renamed_call_runs_the_tool_it_was_judged_as() -> Test {
    let (gate, calls, danger) = (Gate::new(), Log::new(), Log::new());
    let later = gate.clone();
    gate.before_tool("rename").tool("one").edit(move |_, mut args| {
        args.rename("two");
        later.alias("danger", "two");
    })?;
    gate.before_tool("never").tool("danger").guard(|_, _| Verdict::deny("never"))?;
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("danger", &danger))?;
    toolbox.add(echo("two", &calls))?;
    block_on(toolbox.add(echo("one", &calls))?.execute(Call::new("1", json!({}))));
    assert!(danger.take().is_empty());
    Ok(())
}

#[test]
fn a_rename_to_the_same_name_changes_nothing() -> Test {
    let gate = Gate::new();
    gate.before_tool("rename").edit(|_, mut args| args.rename("exec"))?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).ended, Ended::Ok);
    Ok(())
}

/// Panics when it is let go.
struct Boom;

impl Drop for Boom {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "on purpose");
    }
}

#[test]
fn a_handler_that_panics_when_it_is_dropped_costs_no_after() -> Test {
    let (gate, after, abort) = (Gate::new(), Log::new(), Abort::default());
    log_after(&gate, &after)?;
    let signal = abort.clone();
    gate.before_tool("hangs").guard_async(move |_, _| {
        let signal = signal.clone();
        async move {
            let _boom = Boom;
            signal.abort();
            yield_once().await;
            pending::<()>().await
        }
    })?;
    block_on(gate.session("s").call(&echo("exec", &Log::new()), Call::new("1", json!({})).abort(&abort)));
    assert_eq!(after.take().len(), 1);
    Ok(())
}

#[test]
fn an_asker_that_panics_when_it_is_dropped_costs_no_after() -> Test {
    let (gate, after) = (Gate::new(), Log::new());
    log_after(&gate, &after)?;
    let timeout = Some(Duration::from_millis(20));
    gate.before_tool("asks").guard(move |_, _| Verdict::Ask(Box::new(Query { timeout, ..Query::default() })))?;
    gate.on_ask(|_| async {
        let _boom = Boom;
        pending::<Option<Approval>>().await
    });
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).ended, Ended::Denied);
    assert_eq!(after.take().len(), 1);
    Ok(())
}

#[test]
fn a_dialect_that_panics_still_refuses() -> Test {
    let gate = Gate::new();
    gate.before_tool("no").guard(|_, _| Verdict::deny("no"))?;
    let session = gate.session("s").dialect(Dialect { blocked: |_| panic!("on purpose"), ..Dialect::STATUS });
    let done = block_on(session.call(&echo("exec", &Log::new()), Call::new("1", json!({}))));
    assert_eq!((done.ended, done.by.as_deref()), (Ended::Denied, Some("no")));
    Ok(())
}

#[test]
fn a_refused_call_did_not_run_whatever_comes_after() -> Test {
    let gate = Gate::new();
    gate.before_tool("before").guard(|_, _| Verdict::deny("before"))?;
    gate.after_tool("after").guard(|_, _| Verdict::deny("after"))?;
    let session = gate.session("s").dialect(Dialect { blocked: |refusal| json!(refusal.ran), ..Dialect::STATUS });
    let done = block_on(session.call(&echo("exec", &Log::new()), Call::new("1", json!({}))));
    assert_eq!(done.value, json!(false));
    Ok(())
}

#[test]
fn a_session_does_not_hide_what_an_event_says_of_itself() -> Test {
    let gate = Gate::new();
    let github = gate.before_tool("github").select(|select| select.server = Match::exact("github"));
    github.guard(|_, _| Verdict::deny("not there"))?;
    let pipeline = gate.pipeline();
    let name = pipeline.name("push");
    let event = Event { server: Some("github"), ..Event::tool(Point::ToolBefore, &name, "1") };
    let outcome = block_on(gate.session("s").run(event, &mut Body::from(json!({}))));
    assert!(matches!(outcome.act, Act::Deny(_)));
    Ok(())
}

#[test]
fn what_is_redacted_is_redacted_everywhere() -> Test {
    let gate = Gate::new();
    gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("SECRET", "***")))?;
    for result in [
        json!({"output": "x", "stderr": "SECRET"}),
        json!({"content": [{"type": "text", "text": "x", "note": "SECRET"}], "other": {"deep": ["SECRET"]}}),
        json!({"text": "x", "tool_calls": [{"function": {"arguments": "SECRET"}}]}),
    ] {
        let tool = Tool::new("exec", move |_| {
            let result = result.clone();
            async move { Ok(result) }
        });
        let done = run(&gate, &tool, json!({}));
        assert!(!done.value.to_string().contains("SECRET"), "{}", done.value);
    }
    Ok(())
}

#[test]
fn a_second_tool_does_not_take_the_place_of_the_first() {
    let gate = Gate::new();
    let error = gate.before_tool("x").tool("exec").tool_glob("web*").guard(|_, _| Verdict::Pass).err();
    let expected = "`x` already selects a tool; use one pattern for both, or two rules";
    assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(expected));
    assert!(gate.before_tool("x").tool(" ").guard(|_, _| Verdict::Pass).is_err());
}

#[test]
fn a_rule_that_fits_no_tool_is_named() -> Test {
    let gate = Gate::new();
    gate.before_tool("misspelt").tool("exce").guard(|_, _| Verdict::deny("no"))?;
    gate.before_tool("fits").tool("exec").guard(|_, _| Verdict::deny("no"))?;
    let toolbox = Toolbox::new(gate.session("s"));
    toolbox.add(echo("Bash", &Log::new()))?;
    assert_eq!(block_on(toolbox.coverage()).idle, ["misspelt"]);
    Ok(())
}

struct Answers(Value);

impl Plugin for Answers {
    fn id(&self) -> &str {
        "answers"
    }

    fn name(&self) -> &str {
        "Answers"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), tollgate::BadRegistration> {
        let answer = self.0.clone();
        let answer = move |_, _| {
            let answer = answer.clone();
            async move { answer }
        };
        api.on("before_tool_call", answer, 0)
    }
}

#[test]
fn a_plugins_answer_is_not_quoted() -> Test {
    let gate = Gate::new();
    gate.activate(&Answers(json!("sk-SECRET")), PluginOptions::default())?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({}));
    assert!(done.reason.is_some_and(|reason| !reason.contains("SECRET")));
    Ok(())
}

#[test]
fn labels_that_are_there_already_are_not_kept_again() -> Test {
    let gate = Gate::new();
    gate.before_tool("label").edit(|_, mut args| args.label("seen", "yes"))?;
    let session = gate.session("s");
    for _ in 0..3 {
        block_on(session.call(&echo("exec", &Log::new()), Call::new("1", json!({}))));
    }
    assert_eq!(session.labels().len(), 1);
    Ok(())
}

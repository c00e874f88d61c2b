//! What an observer is told of a call, and what it is not.

mod common;

use serde_json::{Value, json};
use tollgate::{Act, Body, Call, Event, Gate, Outcome, Point, Route, Said, Tool, Verdict, block_on, describe};

use common::{Log, Test, blocked, echo, run};

/// What an observer would print of one call.
fn described(gate: &Gate, tool: &Tool) -> Result<Vec<Option<String>>, tollgate::BadRegistration> {
    let lines = Log::new();
    let log = lines.clone();
    gate.on::<Body>([Point::ToolBefore], "observer").watch(
        move |event: &Event<'_>, body: &Body, outcome: &Outcome| {
            log.push(describe(event, body, outcome));
        },
    )?;
    run(gate, tool, json!({"command": "secret"}));
    Ok(lines.take())
}

/// What happened, how it comes about, and the line about it.
type Line = (&'static str, fn(&Gate) -> Result<tollgate::Handle, tollgate::BadRegistration>, Option<&'static str>);

const LINES: [Line; 8] = [
    ("nothing", |gate| gate.before_tool("x").guard(|_, _| Verdict::Pass), None),
    ("written but equal", |gate| gate.before_tool("x").edit(|_, mut args| args.set("command", "secret")), None),
    (
        "block",
        |gate| gate.before_tool("x").guard(|_, _| Verdict::deny("no shell")),
        Some("tool.before exec: x denied: no shell"),
    ),
    (
        "change",
        |gate| gate.before_tool("x").edit(|_, mut args| args.set("command", "other")),
        Some("tool.before exec: x changed /command"),
    ),
    (
        "two changes and a block",
        |gate| {
            gate.before_tool("y").guard(|_, _| Verdict::deny("no"))?;
            gate.before_tool("x").edit(|_, mut args| {
                args.label("a", "b");
                args.set("timeout", 1)
            })
        },
        Some("tool.before exec: x changed /timeout, labels; y denied: no"),
    ),
    ("ask", |gate| gate.before_tool("x").guard(|_, _| Verdict::ask("Ok?")), Some("tool.before exec: x asked: Ok?")),
    (
        "divert",
        |gate| gate.before_tool("x").guard(|_, _| Verdict::route(Route::to("box"))),
        Some("tool.before exec: x sent it to box"),
    ),
    (
        "answer",
        |gate| gate.before_tool("x").guard(|_, _| Verdict::answer(json!("secret"))),
        Some("tool.before exec: x answered in its place"),
    ),
];

#[test]
fn an_observer_gets_a_line_if_and_only_if_something_happened() -> Test {
    for (name, set_up, expected) in LINES {
        let gate = Gate::new();
        set_up(&gate)?;
        let lines = described(&gate, &echo("Bash", &Log::new()))?;
        assert_eq!(lines, [expected.map(str::to_owned)], "{name}");
    }
    Ok(())
}

#[test]
fn a_line_about_a_prompt_names_who_changed_it_and_not_the_words() -> Test {
    let (gate, lines) = (Gate::new(), Log::new());
    gate.prompt_submit("polite").edit(|_, mut prompt| {
        prompt.label("mood", "good");
        prompt.set("secret, please")
    })?;
    let log = lines.clone();
    gate.prompt_submit("observer").watch(move |event, prompt, outcome| log.push(describe(event, &prompt, outcome)))?;
    let _ = block_on(gate.session("s").prompt("secret"));
    assert_eq!(lines.take(), [Some("prompt.submit: polite changed /text, labels".to_owned())]);
    Ok(())
}

#[test]
fn a_line_about_a_model_request_names_the_parameters_that_changed() -> Test {
    let (gate, lines) = (Gate::new(), Log::new());
    gate.model_request("think").edit(|_, mut request| {
        request.set("thinking", "high")?;
        request.set("temperature", 0.0)
    })?;
    let log = lines.clone();
    gate.model_request("observer")
        .watch(move |event, request, outcome| log.push(describe(event, &request, outcome)))?;
    let request = Body::from(json!({"thinking": "low", "temperature": 0.0}));
    assert!(block_on(gate.session("s").admit(Point::ModelRequest, request)).is_ok());
    assert_eq!(lines.take(), [Some("model.request: think changed /thinking".to_owned())]);
    Ok(())
}

#[test]
fn a_line_about_a_broken_handler_says_how_it_broke() -> Test {
    let gate = Gate::new();
    gate.before_tool("x").guard(|_, _| Err::<(), _>("no disk"))?;
    let lines = described(&gate, &echo("exec", &Log::new()))?;
    let line = lines.into_iter().flatten().next().unwrap_or_default();
    assert!(line.starts_with("tool.before exec: x broke (crash: no disk)"), "{line}");
    Ok(())
}

#[test]
fn an_observer_that_breaks_changes_nothing() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("panics").watch(|_, _, _| -> () { panic!("no terminal") })?;
    gate.before_tool("fails").watch(|_, _, _| Err("no terminal"))?;
    assert!(run(&gate, &echo("read", &calls), json!({})).is_ok());
    assert_eq!(calls.take().len(), 1);
    Ok(())
}

#[test]
fn no_record_no_action_where_a_watcher_is_required() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    gate.before_tool("record").on_fault(tollgate::OnFault::Deny).watch(|_, _, _| Err("disk full"))?;
    let done = run(&gate, &echo("read", &calls), json!({}));
    let reason = "`record` could not judge this (crash: disk full), so it is refused; \
                  to mend it: fix or remove it, then try again";
    assert_eq!(done.value, blocked("read", reason));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_watcher_hears_of_a_call_that_cannot_be_read() -> Test {
    let (gate, seen) = (Gate::new(), Log::new());
    gate.before_tool("look").guard(|_, _| Verdict::Pass)?;
    let (sync, later) = (seen.clone(), seen.clone());
    gate.before_tool("record").watch(move |_, _, outcome| sync.push(matches!(outcome.act, Act::Deny(_))))?;
    gate.before_tool("record-later").watch_async(move |_, _, act| {
        later.push(matches!(act, Act::Deny(_)));
        async {}
    })?;
    let deep = (0..200).fold(json!("end"), |inner, _| Value::Array(vec![inner]));
    assert!(!run(&gate, &echo("exec", &Log::new()), deep).is_ok());
    assert_eq!(seen.take(), [true, true]);
    Ok(())
}

#[test]
fn a_trace_prints_no_arguments() -> Test {
    let (gate, printed) = (Gate::new(), Log::new());
    gate.before_tool("x").edit(|_, mut args| args.set("command", "secret"))?;
    gate.before_tool("y").guard(|_, _| Verdict::deny("no"))?;
    let log = printed.clone();
    gate.before_tool("trace").watch(move |_, _, outcome| log.push(format!("{:?}", outcome.trace)))?;
    run(&gate, &echo("exec", &Log::new()), json!({"command": "secret too"}));
    let [printed] = &printed.take()[..] else { panic!("not once") };
    assert!(printed.contains(r#"("x", 1, "#) && printed.contains(r#"("y", 1, "#), "{printed}");
    assert!(!printed.contains("secret") && !printed.contains("no"), "{printed}");
    Ok(())
}

#[test]
fn the_trace_says_who_was_skipped_and_who_was_asked() -> Test {
    let (gate, said) = (Gate::new(), Log::new());
    gate.before_tool("mine").guard(|_, _| Verdict::deny("no"))?;
    gate.before_tool("yours").guard(|_, _| Verdict::Pass)?;
    let log = said.clone();
    gate.before_tool("trace").watch(move |_, _, outcome| {
        log.push(
            outcome.trace.entries().map(|(who, turn)| (who.id.to_string(), turn.said.clone())).collect::<Vec<_>>(),
        );
    })?;
    let session = gate.session("s").caused_by("mine");
    assert!(block_on(session.call(&echo("read", &Log::new()), Call::new("1", json!({})))).is_ok());
    assert_eq!(said.take(), [[("mine".to_owned(), Said::Skipped), ("yours".to_owned(), Said::Passed)]]);
    Ok(())
}

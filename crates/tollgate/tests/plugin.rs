//! Plugins that register hooks by name and speak JSON.

mod common;

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate::{
    BadRegistration, Body, BoxFuture, Call, Dialect, Ended, Gate, Plugin, PluginApi, PluginContext, PluginOptions,
    Point, Question, Tool, ToolError, Toolbox, Verdict, block_on, grant, refuse,
};

use common::{Log, Test, blocked, echo, run, yield_once};

type Handler = Arc<dyn Fn(Value, PluginContext) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

/// A plugin made of handlers: hook, priority, handler.
struct Of(&'static str, Vec<(&'static str, i32, Handler)>);

impl Plugin for Of {
    fn id(&self) -> &str {
        self.0
    }

    fn name(&self) -> &str {
        self.0
    }

    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration> {
        self.1.iter().try_for_each(|(hook, priority, handler)| {
            let handler = Arc::clone(handler);
            api.on(hook, move |event, context| handler(event, context), *priority)
        })
    }
}

/// A handler that always answers the same.
fn says(answer: Value) -> Handler {
    Arc::new(move |_, _| Box::pin(std::future::ready(Ok(answer.clone()))))
}

/// A handler that fails.
fn throws() -> Handler {
    Arc::new(|_, _| Box::pin(std::future::ready(Err("no disk".to_owned()))))
}

/// A handler that notes down what it is told and answers.
fn notes(log: &Log<Value>, answer: Value) -> Handler {
    let log = log.clone();
    Arc::new(move |event, _| {
        log.push(event);
        Box::pin(std::future::ready(Ok(answer.clone())))
    })
}

/// A gate with one plugin.
fn with(handlers: Vec<(&'static str, i32, Handler)>) -> Result<Gate, BadRegistration> {
    let gate = Gate::new();
    gate.activate(&Of("p", handlers), PluginOptions::default())?;
    Ok(gate)
}

/// A gate with handlers for `before_tool_call`, in order.
fn before(answers: Vec<Handler>) -> Result<Gate, BadRegistration> {
    with(answers.into_iter().map(|handler| ("before_tool_call", 0, handler)).collect())
}

// before_tool_call.

#[test]
fn the_event_has_the_name_in_lower_case_and_no_alias() -> Test {
    for (tool, name) in [("Bash", "bash"), (" ReAd ", "read"), ("exec", "exec"), ("apply-patch", "apply-patch")] {
        let seen = Log::new();
        let gate = before(vec![notes(&seen, Value::Null)])?;
        run(&gate, &echo(tool, &Log::new()), json!({"a": 1}));
        assert_eq!(seen.take(), [json!({"toolName": name, "params": {"a": 1}})], "{tool}");
    }
    Ok(())
}

#[test]
fn the_context_says_who_calls() -> Test {
    let seen = Log::new();
    let log = seen.clone();
    let handler: Handler = Arc::new(move |_, context| {
        log.push(context);
        Box::pin(async { Ok(Value::Null) })
    });
    let gate = before(vec![handler])?;
    run(&gate, &echo("Read", &Log::new()), json!({}));
    block_on(gate.session("s2").call(&echo("read", &Log::new()), Call::new("1", json!({}))));
    let context = |agent: Option<&str>, session: &str| PluginContext {
        agent_id: agent.map(str::to_owned),
        session_key: Some(session.to_owned()),
        tool_name: "read".to_owned(),
    };
    assert_eq!(seen.take(), [context(Some("main"), "s1"), context(None, "s2")]);
    Ok(())
}

#[test]
fn params_that_are_no_object_are_shown_as_they_are_and_null_as_an_empty_one() -> Test {
    for params in [json!("text"), json!([1]), json!(null), json!(7)] {
        for answer in [json!(null), json!({}), json!({"params": {}})] {
            let (seen, calls) = (Log::new(), Log::new());
            let gate = before(vec![notes(&seen, answer)])?;
            run(&gate, &echo("ReAd", &calls), params.clone());
            let shown = if params.is_null() { json!({}) } else { params.clone() };
            assert_eq!(seen.take(), [json!({"toolName": "read", "params": shown})], "{params}");
            assert_eq!(calls.take().pop().as_ref(), Some(&params));
        }
    }
    Ok(())
}

#[test]
fn params_are_laid_over_the_current_ones_one_level_deep() -> Test {
    let calls = Log::new();
    let gate = before(vec![says(json!({"params": {"b": {"x": 1}, "c": 3}})), says(json!({"params": {"c": 4}}))])?;
    run(&gate, &echo("read", &calls), json!({"a": 1, "b": {"y": 2}}));
    assert_eq!(calls.take(), [json!({"a": 1, "b": {"x": 1}, "c": 4})]);
    Ok(())
}

#[test]
fn each_handler_sees_what_the_one_before_made_of_the_call() -> Test {
    let seen = Log::new();
    let gate = with(vec![
        ("before_tool_call", 1, notes(&seen, Value::Null)),
        ("before_tool_call", 9, says(json!({"params": {"path": "/sandbox/a"}}))),
    ])?;
    run(&gate, &echo("read", &Log::new()), json!({"path": "a"}));
    assert_eq!(seen.take(), [json!({"toolName": "read", "params": {"path": "/sandbox/a"}})]);
    Ok(())
}

#[test]
fn whatever_is_no_decision_decides_nothing() -> Test {
    let quiet: Vec<Value> = vec![
        json!(null),
        json!({}),
        json!({"block": false}),
        json!({"block": null}),
        json!({"block": false, "blockReason": "unused"}),
        json!({"unknown": 1}),
    ];
    for answer in quiet {
        let calls = Log::new();
        let gate = before(vec![says(answer.clone())])?;
        assert_eq!(run(&gate, &echo("read", &calls), json!({"a": 1})).value, json!({"a": 1}), "{answer}");
        let gate = before(vec![says(json!({"block": true, "blockReason": "no"})), says(answer.clone())])?;
        assert_eq!(run(&gate, &echo("read", &calls), json!({})).value, blocked("read", "no"), "{answer}");
        let gate = before(vec![says(answer.clone()), says(json!({"block": true, "blockReason": "no"}))])?;
        assert_eq!(run(&gate, &echo("read", &calls), json!({})).value, blocked("read", "no"), "{answer}");
        assert_eq!(calls.take().len(), 1);
    }
    Ok(())
}

#[test]
fn a_member_that_is_null_is_no_member() -> Test {
    for answer in [json!({"params": null}), json!({"block": null, "params": null, "requireApproval": null})] {
        let gate = before(vec![says(answer.clone())])?;
        assert_eq!(run(&gate, &echo("read", &Log::new()), json!({"a": 1})).value, json!({"a": 1}), "{answer}");
    }
    for hook in ["tool_result_persist", "before_message_write"] {
        assert_eq!(stored(hook, vec![(0, says(json!({"message": null})))], json!("m"))?, json!("m"), "{hook}");
    }
    Ok(())
}

#[test]
fn nonsense_is_no_consent() -> Test {
    for answer in [json!("block"), json!(true), json!([]), json!({"params": "x"}), json!({"block": "true"})] {
        let calls = Log::new();
        let gate = before(vec![says(answer.clone())])?;
        assert_eq!(run(&gate, &echo("read", &calls), json!({})).ended, Ended::Denied, "{answer}");
        assert!(calls.take().is_empty(), "{answer}");
    }
    Ok(())
}

#[test]
fn the_first_blocks_reason_stands_and_nobody_below_is_called() -> Test {
    let called = Log::new();
    let block = |reason: &str| says(json!({"block": true, "blockReason": reason}));
    for (priorities, expected) in [([0, 0], "first"), ([1, 2], "second")] {
        let gate = with(vec![
            ("before_tool_call", priorities[0], block("first")),
            ("before_tool_call", priorities[1], block("second")),
            ("before_tool_call", -1, notes(&called, json!({"block": true, "blockReason": "third"}))),
            ("before_tool_call", -2, throws()),
        ])?;
        assert_eq!(run(&gate, &echo("read", &Log::new()), json!({})).value, blocked("read", expected));
        assert!(called.take().is_empty());
    }
    Ok(())
}

#[test]
fn a_block_without_a_reason_has_a_default() -> Test {
    let gate = before(vec![says(json!({"block": true}))])?;
    let done = run(&gate, &echo("read", &Log::new()), json!({}));
    assert_eq!(done.value, blocked("read", "Tool call blocked by plugin hook"));
    Ok(())
}

#[test]
fn a_block_can_be_told_as_an_error() -> Test {
    let (gate, calls) = (before(vec![says(json!({"block": true, "blockReason": "no"}))])?, Log::new());
    let tool = echo("Bash", &calls);
    for (dialect, expected) in [
        (Dialect::STATUS_ERROR, json!({"status": "error", "tool": "exec", "error": "no"})),
        (
            Dialect::DETAILS,
            json!({
                "content": [{"type": "text", "text": "no"}],
                "details": {"status": "blocked", "deniedReason": "plugin-before-tool-call", "reason": "no"},
            }),
        ),
    ] {
        let done = block_on(gate.session("s").dialect(dialect).call(&tool, Call::new("1", json!({}))));
        assert_eq!((done.value, done.ended), (expected, Ended::Denied));
    }
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_handler_that_throws_refuses_and_is_named() -> Test {
    let (gate, calls) = (before(vec![throws()])?, Log::new());
    let done = run(&gate, &echo("read", &calls), json!({}));
    let reason = "`p:before_tool_call:1` could not judge this (crash: no disk), so it is refused; \
                  to mend it: fix or remove it, then try again";
    assert_eq!(done.value, blocked("read", reason));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_plugin_may_be_activated_so_that_its_failures_pass() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    let hooks = vec![("before_tool_call", 1, throws()), ("before_tool_call", 0, says(json!({"params": {"b": 2}})))];
    gate.activate(&Of("p", hooks), PluginOptions { catch_errors: true })?;
    run(&gate, &echo("read", &calls), json!({"a": 1}));
    assert_eq!(calls.take(), [json!({"a": 1, "b": 2})]);
    Ok(())
}

#[test]
fn one_call_is_one_call_of_a_handler_through_layers() -> Test {
    let seen = Log::new();
    let gate = before(vec![notes(&seen, Value::Null)])?;
    let inner = Toolbox::new(gate.session("s")).add(echo("read", &Log::new()))?;
    let outer = Toolbox::new(gate.session("s")).add(inner)?;
    block_on(gate.session("s").call(&outer, Call::new("1", json!({})).abort(&tollgate::Abort::default())));
    assert_eq!(seen.take().len(), 1);
    Ok(())
}

#[test]
fn a_block_by_a_handler_that_passed_the_call_before_it_changed_stands() -> Test {
    let guard: Handler = Arc::new(|event, _| {
        let bad = event["params"]["command"] == "rm -rf /";
        Box::pin(async move { Ok(json!({"block": bad, "blockReason": "never that"})) })
    });
    let gate = before(vec![guard, says(json!({"params": {"command": "rm -rf /"}}))])?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({"command": "ls"}));
    assert_eq!(done.value, blocked("exec", "never that"));
    Ok(())
}

// Approval.

/// The questions a human is asked during one call, and whether the call ran.
fn asked(gate: &Gate, granted: bool) -> (Vec<Question>, bool) {
    let questions = Log::new();
    let log = questions.clone();
    gate.on_ask(move |question| {
        log.push(question.clone());
        async move { Some(if granted { grant(&question, "ann") } else { refuse(&question, "ann") }) }
    });
    let done = run(gate, &echo("exec", &Log::new()), json!({"command": "ls"}));
    (questions.take(), done.is_ok())
}

#[test]
fn a_request_for_approval_becomes_a_question() -> Test {
    let request = json!({"title": "Run it?", "description": "ls", "severity": "info", "timeoutMs": 5000});
    for granted in [true, false] {
        let gate = before(vec![says(json!({"requireApproval": request}))])?;
        let (questions, ran) = asked(&gate, granted);
        let [question] = &questions[..] else { panic!("{questions:?}") };
        let [(by, query)] = &question.parts[..] else { panic!("{question:?}") };
        assert_eq!((&**by, &*query.title, &*query.detail), ("p:before_tool_call:1", "Run it?", "ls"));
        assert_eq!(query.timeout, Some(std::time::Duration::from_secs(5)));
        assert_eq!(query.data["severity"], "info");
        assert_eq!(ran, granted);
    }
    Ok(())
}

#[test]
fn the_host_says_which_plugin_asks() -> Test {
    for claimed in [json!({"title": "?"}), json!({"title": "?", "pluginId": "somebody-else"})] {
        let gate = before(vec![says(json!({"requireApproval": claimed}))])?;
        let (questions, _) = asked(&gate, true);
        let ids: Vec<_> =
            questions.iter().flat_map(|question| &question.parts).map(|(_, q)| &q.data["pluginId"]).collect();
        assert_eq!(ids, [&json!("p")]);
    }
    Ok(())
}

#[test]
fn nobody_is_asked_unless_somebody_asks() -> Test {
    for answer in [json!(null), json!({}), json!({"params": {"a": 1}}), json!({"requireApproval": null})] {
        let (questions, ran) = asked(&before(vec![says(answer.clone())])?, false);
        assert_eq!((questions.len(), ran), (0, true), "{answer}");
    }
    Ok(())
}

#[test]
fn every_request_for_approval_is_part_of_the_one_question() -> Test {
    let ask = |title: &str| says(json!({"requireApproval": {"title": title}}));
    for granted in [true, false] {
        let (questions, ran) = asked(&before(vec![ask("first?"), ask("second?")])?, granted);
        let titles: Vec<Vec<_>> =
            questions.iter().map(|question| question.parts.iter().map(|(_, query)| &*query.title).collect()).collect();
        assert_eq!((titles, ran), (vec![vec!["first?", "second?"]], granted));
    }
    Ok(())
}

#[test]
fn a_block_saves_the_question_whoever_comes_first() -> Test {
    let ask = || says(json!({"requireApproval": {"title": "?"}}));
    let block = || says(json!({"block": true, "blockReason": "no"}));
    let both = says(json!({"block": true, "blockReason": "no", "requireApproval": {"title": "?"}}));
    for handlers in [vec![ask(), block()], vec![block(), ask()], vec![both]] {
        let gate = before(handlers)?;
        let (questions, ran) = asked(&gate, true);
        assert_eq!((questions.len(), ran), (0, false));
        assert_eq!(run(&gate, &echo("read", &Log::new()), json!({})).value, blocked("read", "no"));
    }
    Ok(())
}

#[test]
fn params_changed_after_a_request_for_approval_are_part_of_what_is_approved() -> Test {
    let ask = || says(json!({"requireApproval": {"title": "?"}}));
    let (plain, _) = asked(&before(vec![ask()])?, true);
    let (changed, _) = asked(&before(vec![ask(), says(json!({"params": {"command": "rm"}}))])?, true);
    let (written, _) = asked(&before(vec![says(json!({"params": {"command": "rm"}})), ask()])?, true);
    assert_ne!(plain[0].digest, changed[0].digest);
    assert_eq!(changed[0].digest, written[0].digest);
    Ok(())
}

// after_tool_call.

/// What `after_tool_call` is told of one call, without how long it took.
fn told(gate: &Gate, seen: &Log<Value>, tool: &Tool) -> (Value, Option<u64>) {
    run(gate, tool, json!({"a": 1}));
    let mut events = seen.take();
    assert_eq!(events.len(), 1, "{events:?}");
    let mut event = events.remove(0);
    let took = event.as_object_mut().and_then(|event| event.remove("durationMs")).and_then(|took| took.as_u64());
    (event, took)
}

#[test]
fn after_tool_call_comes_once_with_what_ran_and_what_came_of_it() -> Test {
    let seen = Log::new();
    let after = || notes(&seen, Value::Null);
    let params = json!({"a": 1, "b": 2});
    let merge = says(json!({"params": {"b": 2}}));
    let gate = with(vec![("before_tool_call", 0, merge), ("after_tool_call", 0, after())])?;
    let good = echo("Bash", &Log::new());
    let (event, took) = told(&gate, &seen, &good);
    assert_eq!(event, json!({"toolName": "bash", "params": params, "result": params}));
    assert!(took.is_some());
    let fails = Tool::new("bash", |_| async { Err(ToolError("no such file".into())) });
    let (event, took) = told(&gate, &seen, &fails);
    assert_eq!(event, json!({"toolName": "bash", "params": params, "error": "no such file"}));
    assert!(took.is_some());
    Ok(())
}

#[test]
fn after_tool_call_hears_of_a_block_that_took_no_time() -> Test {
    let seen = Log::new();
    let block = says(json!({"block": true, "blockReason": "no"}));
    let gate = with(vec![("before_tool_call", 0, block), ("after_tool_call", 0, notes(&seen, Value::Null))])?;
    let (event, took) = told(&gate, &seen, &echo("Bash", &Log::new()));
    let expected = json!({"toolName": "bash", "params": {"a": 1}, "blocked": true, "blockReason": "no", "error": "no"});
    assert_eq!((event, took), (expected, Some(0)));
    Ok(())
}

#[test]
fn after_tool_call_only_watches() -> Test {
    for handler in [says(json!({"block": true, "result": "changed"})), throws(), says(json!("nonsense"))] {
        let gate = with(vec![("after_tool_call", 0, handler)])?;
        assert_eq!(run(&gate, &echo("read", &Log::new()), json!({"a": 1})).value, json!({"a": 1}));
    }
    Ok(())
}

#[test]
fn after_tool_call_sees_the_result_as_the_model_does() -> Test {
    let seen = Log::new();
    let gate = with(vec![("after_tool_call", 0, notes(&seen, Value::Null))])?;
    gate.after_tool("redact").edit(|_, mut result| result.map(|text| text.replace("sk-1", "***")))?;
    run(&gate, &echo("read", &Log::new()), json!({"output": "sk-1"}));
    assert_eq!(seen.take()[0]["result"], json!({"output": "***"}));
    Ok(())
}

// Storage.

/// Stores one message through both hooks that may change it.
fn stored(hook: &'static str, handlers: Vec<(i32, Handler)>, message: Value) -> Result<Value, BadRegistration> {
    let gate = with(handlers.into_iter().map(|(priority, handler)| (hook, priority, handler)).collect())?;
    let session = gate.session("s");
    Ok(match hook {
        "tool_result_persist" => block_on(session.persist("Read", message)),
        _ => block_on(session.write_message(message)),
    })
}

/// A handler that appends to the message.
fn appends(text: &'static str) -> Handler {
    Arc::new(move |event, _| {
        let message = format!("{}{text}", event["message"].as_str().unwrap_or_default());
        Box::pin(async move {
            yield_once().await;
            Ok(json!({"message": message}))
        })
    })
}

#[test]
fn what_is_stored_chains_by_priority_and_can_be_withheld() -> Test {
    for hook in ["tool_result_persist", "before_message_write"] {
        assert_eq!(stored(hook, vec![], json!("m"))?, json!("m"), "{hook}");
        assert_eq!(stored(hook, vec![(0, says(json!({})))], json!("m"))?, json!("m"), "{hook}");
        let chain = vec![(1, appends("b")), (2, appends("a"))];
        assert_eq!(stored(hook, chain, json!("m"))?, json!("mab"), "{hook}");
        let called = Log::new();
        let block = says(json!({"block": true, "blockReason": "private"}));
        let withheld = stored(hook, vec![(2, block), (1, notes(&called, Value::Null))], json!("m"))?;
        let by = format!("p:{hook}:1");
        assert_eq!(withheld, json!({"withheld": {"by": by, "reason": "private"}}), "{hook}");
        assert!(called.take().is_empty(), "{hook}");
    }
    Ok(())
}

#[test]
fn a_message_withheld_without_a_reason_is_not_called_a_tool_call() -> Test {
    let stub = stored("before_message_write", vec![(0, says(json!({"block": true})))], json!("m"))?;
    let reason = stub["withheld"]["reason"].as_str().unwrap_or_default();
    assert!(!reason.is_empty() && !reason.contains("Tool call"), "{reason}");
    Ok(())
}

#[test]
fn a_handler_that_throws_keeps_the_message_out_of_storage() -> Test {
    for hook in ["tool_result_persist", "before_message_write"] {
        let stub = stored(hook, vec![(0, throws())], json!("secret"))?;
        assert_eq!(stub["withheld"]["by"], json!(format!("p:{hook}:1")));
        assert!(!stub.to_string().contains("secret"));
    }
    Ok(())
}

#[test]
fn with_errors_caught_the_message_is_stored_as_it_was() -> Test {
    let gate = Gate::new();
    let hooks = vec![("before_message_write", 0, throws())];
    gate.activate(&Of("p", hooks), PluginOptions { catch_errors: true })?;
    assert_eq!(block_on(gate.session("s").write_message(json!("m"))), json!("m"));
    Ok(())
}

#[test]
fn a_stored_result_is_told_with_its_tool() -> Test {
    let seen = Log::new();
    stored("tool_result_persist", vec![(0, notes(&seen, Value::Null))], json!({"output": "x"}))?;
    assert_eq!(seen.take(), [json!({"toolName": "read", "message": {"output": "x"}})]);
    Ok(())
}

// Everything else.

#[test]
fn llm_input_and_output_only_watch() -> Test {
    let (seen, answer) = (Log::new(), json!({"block": true, "message": "changed"}));
    let gate = with(vec![
        ("llm_input", 0, notes(&seen, answer.clone())),
        ("llm_output", 0, notes(&seen, answer)),
        ("session_start", 0, notes(&seen, Value::Null)),
        ("session_end", 0, notes(&seen, Value::Null)),
    ])?;
    let session = gate.session("s").model("m1");
    block_on(async {
        assert!(session.start().await.is_ok());
        let request = session.admit(Point::ModelRequest, Body::from(json!({"q": 1}))).await;
        assert!(request.is_ok());
        let response = session.admit(Point::ModelResponse, Body::from(json!({"a": 2}))).await;
        assert!(response.is_ok());
        session.observe(Point::SessionEnd, json!({"why": "done"})).await.unwrap();
    });
    let expected = [
        json!({"model": "m1", "session": null}),
        json!({"model": "m1", "request": {"q": 1}}),
        json!({"model": "m1", "response": {"a": 2}}),
        json!({"model": "m1", "session": {"why": "done"}}),
    ];
    assert_eq!(seen.take(), expected);
    Ok(())
}

#[test]
fn one_can_see_which_hooks_are_registered() -> Test {
    let gate = with(vec![("llm_input", 0, says(Value::Null))])?;
    for (point, registered) in [(Point::ModelRequest, true), (Point::ModelResponse, false)] {
        assert_eq!(!gate.at(point, None).is_empty(), registered, "{point}");
    }
    assert_eq!(gate.ids(), ["p:llm_input:1"]);
    Ok(())
}

#[test]
fn a_hook_that_does_not_exist_is_an_error_that_lists_those_that_do() {
    let error = with(vec![("before_tool_cal", 0, says(Value::Null))]).err().map(|error| error.to_string());
    let expected = "there is no hook `before_tool_cal`; the hooks are before_tool_call, after_tool_call, \
                    tool_result_persist, before_message_write, llm_input, llm_output, session_start, session_end";
    assert_eq!(error.as_deref(), Some(expected));
}

#[test]
fn a_plugin_is_activated_whole_or_not_at_all() -> Test {
    let gate = Gate::new();
    gate.before_tool("mine").guard(|_, _| Verdict::Pass)?;
    let hooks = vec![("before_tool_call", 0, says(Value::Null)), ("nonsense", 0, says(Value::Null))];
    assert!(gate.activate(&Of("p", hooks), PluginOptions::default()).is_err());
    assert_eq!(gate.ids(), ["mine"]);
    Ok(())
}

#[test]
fn a_plugin_that_is_already_active_stays_when_it_is_activated_again() -> Test {
    let gate = Gate::new();
    let hooks = || vec![("before_tool_call", 0, says(json!({"block": true, "blockReason": "no"})))];
    gate.activate(&Of("p", hooks()), PluginOptions::default())?;
    assert!(gate.activate(&Of("p", hooks()), PluginOptions::default()).is_err());
    assert_eq!(gate.ids(), ["p:before_tool_call:1"]);
    assert_eq!(run(&gate, &echo("read", &Log::new()), json!({})).value, blocked("read", "no"));
    Ok(())
}

#[test]
fn plugins_stand_beside_one_another() -> Test {
    let (gate, calls) = (Gate::new(), Log::new());
    for (id, key) in [("one", "a"), ("two", "b")] {
        let answer = json!({"params": {key: true}});
        gate.activate(&Of(id, vec![("before_tool_call", 0, says(answer))]), PluginOptions::default())?;
    }
    run(&gate, &echo("read", &calls), json!({}));
    assert_eq!(calls.take(), [json!({"a": true, "b": true})]);
    Ok(())
}

/// A plugin that makes calls of its own is asked about none of them, by none of its handlers.
#[test]
fn a_plugin_is_not_asked_about_what_it_causes_itself() -> Test {
    let (seen, block) = (Log::new(), json!({"block": true, "blockReason": "never"}));
    let gate = with(vec![
        ("before_tool_call", 1, says(block.clone())),
        ("before_tool_call", 0, says(block)),
        ("after_tool_call", 0, notes(&seen, Value::Null)),
    ])?;
    let calls = Log::new();
    for (who, ended, told) in [("other", Ended::Denied, 1), ("p", Ended::Ok, 0)] {
        let session = gate.session("s").caused_by(who);
        let done = block_on(session.call(&echo("read", &calls), Call::new("1", json!({}))));
        assert_eq!((done.ended, seen.take().len()), (ended, told), "{who}");
    }
    Ok(())
}

//! Hooks by event: decisions, how they join, and observers.

mod common;

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};
use tollgate::{
    Admitted, AgentContext, AgentHooks, AgentLifecycleHook, AgentPrompt, AgentToolCall, Body, Call, Dialect, Ended,
    Gate, LifecycleEvent, Point, PromptDecision, PromptInterceptor, Route, Tool, ToolCallDecision, ToolInterceptor,
    Toolbox, Verdict, block_on,
};

use common::{Log, Test, blocked, echo, run};

fn installed(hooks: AgentHooks) -> Result<Gate, tollgate::BadRegistration> {
    let gate = Gate::new();
    hooks.install(&gate)?;
    Ok(gate)
}

/// The same call with another command.
fn with_command(call: &AgentToolCall, command: &str) -> ToolCallDecision {
    ToolCallDecision::modify(AgentToolCall { arguments: json!({"command": command}), ..call.clone() })
}

// Before a tool.

#[test]
fn no_hooks_and_hooks_that_allow_change_nothing() -> Test {
    for hooks in [AgentHooks::new(), AgentHooks::new().pre_tool_use(|_, _| ToolCallDecision::allow())] {
        let (gate, calls) = (installed(hooks)?, Log::new());
        assert_eq!(run(&gate, &echo("exec", &calls), json!({"command": "ls"})).value, json!({"command": "ls"}));
        assert_eq!(calls.take(), [json!({"command": "ls"})]);
    }
    Ok(())
}

#[test]
fn a_hook_that_blocks_keeps_the_tool_from_running() -> Test {
    let gate = installed(AgentHooks::new().pre_tool_use(|_, _| ToolCallDecision::block("no shell")))?;
    let calls = Log::new();
    let session = gate.session("s").dialect(Dialect::TOOL_BLOCKED);
    let done = block_on(session.call(&echo("exec", &calls), Call::new("c1", json!({}))));
    let told = r#"TOOL_BLOCKED: {"blocked":true,"reason":"no shell","tool":"exec","callId":"c1"}"#;
    assert_eq!((done.value, done.ended), (json!(told), Ended::Denied));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_hook_that_modifies_has_the_new_call_run_once() -> Test {
    let gate = installed(AgentHooks::new().pre_tool_use(|call, _| with_command(call, "ls -l")))?;
    let calls = Log::new();
    run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
    assert_eq!(calls.take(), [json!({"command": "ls -l"})]);
    Ok(())
}

#[test]
fn a_hook_may_send_the_call_to_another_tool() -> Test {
    let rename = |call: &AgentToolCall, _: &AgentContext| match &*call.name {
        "exec" => ToolCallDecision::modify(AgentToolCall { name: "dry_run".into(), ..call.clone() }),
        _ => ToolCallDecision::allow(),
    };
    let gate = installed(AgentHooks::new().pre_tool_use(rename))?;
    let (real, dry) = (Log::new(), Log::new());
    let toolbox = Toolbox::new(gate.session("s"));
    let exec = toolbox.add(echo("exec", &real))?;
    toolbox.add(echo("dry_run", &dry))?;
    block_on(exec.execute(Call::new("1", json!({"command": "ls"}))));
    assert_eq!((real.take(), dry.take()), (vec![], vec![json!({"command": "ls"})]));
    Ok(())
}

#[test]
fn a_hook_may_route_a_call_to_a_sandbox() -> Test {
    for command in [None, Some("make check")] {
        let hooks = AgentHooks::new()
            .pre_tool_use(move |_, context| match &*context.tool {
                "build" => ToolCallDecision::route_to(Route::to("box"), command),
                _ => ToolCallDecision::allow(),
            })
            .post_tool_use(|_, output, _| match output.contains("secret") {
                true => ToolCallDecision::block("it leaks"),
                false => ToolCallDecision::allow(),
            });
        let (gate, calls, there) = (installed(hooks)?, Log::new(), Log::new());
        let done = run(&gate, &echo("build", &calls), json!({"target": "all"}));
        let reason = "it must run at `box`, and no sandbox provider is configured";
        assert_eq!(done.value, blocked("build", reason));
        let log = there.clone();
        gate.on_route(move |route, call| {
            log.push((route.provider, call.params.clone()));
            async move { Ok(if call.params["target"] == "secret" { json!("secret") } else { json!("built") }) }
        });
        let done = run(&gate, &echo("build", &calls), json!({"target": "all"}));
        assert_eq!((done.value, done.ended), (json!("built"), Ended::Routed));
        let ran = command.map_or(json!({"target": "all"}), |command| json!({"command": command}));
        assert_eq!(there.take(), [("box".to_owned(), ran)]);
        if command.is_none() {
            let done = run(&gate, &echo("build", &calls), json!({"target": "secret"}));
            assert_eq!(done.value, blocked("build", "it leaks"), "what comes from there is judged too");
        }
        assert!(calls.take().is_empty());
    }
    Ok(())
}

#[test]
fn the_command_of_a_route_is_judged_by_the_other_hooks() -> Test {
    let hooks = AgentHooks::new()
        .pre_tool_use(|call, _| match &*call.name {
            "build" => ToolCallDecision::route_to(Route::to("box"), Some("rm -rf /")),
            _ => ToolCallDecision::allow(),
        })
        .pre_tool_use(|call, _| match call.arguments["command"].as_str() {
            Some("rm -rf /") => ToolCallDecision::block("never that"),
            _ => ToolCallDecision::allow(),
        });
    let (gate, there) = (installed(hooks)?, Log::new());
    let log = there.clone();
    gate.on_route(move |_, _| {
        log.push(());
        async { Ok(Value::Null) }
    });
    assert_eq!(run(&gate, &echo("build", &Log::new()), json!({})).value, blocked("build", "never that"));
    assert!(there.take().is_empty());
    Ok(())
}

#[test]
fn a_hook_sees_the_call_and_who_makes_it() -> Test {
    let seen = Log::new();
    let log = seen.clone();
    let gate = installed(AgentHooks::new().pre_tool_use(move |call, context| {
        log.push((call.clone(), context.agent.clone(), context.session.clone(), context.tool.clone()));
        ToolCallDecision::allow()
    }))?;
    run(&gate, &echo("Bash", &Log::new()), json!({"command": "ls"}));
    let call = AgentToolCall { name: "bash".into(), arguments: json!({"command": "ls"}), call_id: "c1".into() };
    assert_eq!(seen.take(), [(call, Some("main".into()), Some("s1".into()), "exec".into())]);
    Ok(())
}

#[test]
fn a_hook_that_panics_refuses_the_call_and_not_the_run() -> Test {
    let gate = installed(AgentHooks::new().pre_tool_use(|_, _| panic!("oh no")))?;
    let calls = Log::new();
    let done = run(&gate, &echo("exec", &calls), json!({}));
    assert_eq!(done.ended, Ended::Denied);
    assert!(done.reason.is_some_and(|reason| reason.contains("oh no")));
    assert!(calls.take().is_empty());
    Ok(())
}

// How decisions join.

#[test]
fn modifications_fold() -> Test {
    let append = |text: &'static str| {
        move |call: &AgentToolCall, _: &AgentContext| {
            with_command(call, &format!("{} {text}", call.arguments["command"].as_str().unwrap_or_default()))
        }
    };
    let gate = installed(AgentHooks::new().pre_tool_use(append("-l")).pre_tool_use(append("-a")))?;
    let calls = Log::new();
    run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
    assert_eq!(calls.take(), [json!({"command": "ls -l -a"})]);
    Ok(())
}

/// Two hooks: one that rewrites a command into a bad one, and one that blocks bad ones.
fn rewrites_and_blocks(blocks_first: bool) -> AgentHooks {
    let rewrites = |call: &AgentToolCall, _: &AgentContext| with_command(call, "rm -rf /");
    let blocks = |call: &AgentToolCall, _: &AgentContext| match call.arguments["command"].as_str() {
        Some("rm -rf /") => ToolCallDecision::block("never that"),
        _ => ToolCallDecision::allow(),
    };
    match blocks_first {
        true => AgentHooks::new().pre_tool_use(blocks).pre_tool_use(rewrites),
        false => AgentHooks::new().pre_tool_use(rewrites).pre_tool_use(blocks),
    }
}

#[test]
fn any_block_wins_whatever_the_order() -> Test {
    for blocks_first in [true, false] {
        let (gate, calls) = (installed(rewrites_and_blocks(blocks_first))?, Log::new());
        let done = run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
        assert_eq!(done.value, blocked("exec", "never that"), "{blocks_first}");
        assert!(calls.take().is_empty());
    }
    Ok(())
}

#[test]
fn first_non_allow_wins_when_asked_for() -> Test {
    let asked = Log::new();
    let (one, two) = (asked.clone(), asked.clone());
    let hooks = AgentHooks::new()
        .pre_tool_use(|_, _| ToolCallDecision::allow())
        .pre_tool_use(move |call, _| {
            one.push("modifies");
            with_command(call, "ls -l")
        })
        .pre_tool_use(move |_, _| {
            two.push("blocks");
            ToolCallDecision::block("no")
        });
    let (gate, calls) = (installed(hooks.first_non_allow_wins())?, Log::new());
    run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
    assert_eq!(calls.take(), [json!({"command": "ls -l"})]);
    assert_eq!(asked.take(), ["modifies"]);
    Ok(())
}

#[test]
fn even_where_the_first_wins_nobody_outside_is_skipped() -> Test {
    let (gate, calls) = (installed(rewrites_and_blocks(false).first_non_allow_wins())?, Log::new());
    gate.before_tool("guard")
        .guard(|_, args| (args.text("command") == Some("rm -rf /")).then(|| Verdict::deny("a guard still sees it")))?;
    let done = run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
    assert_eq!(done.value, blocked("exec", "a guard still sees it"));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn sets_of_hooks_stand_beside_one_another() -> Test {
    let gate = Gate::new();
    gate.before_tool("mine").guard(|_, _| Verdict::Pass)?;
    let set = || AgentHooks::new().pre_tool_use(|_, _| ToolCallDecision::allow()).stop(|_| ());
    set().install(&gate)?;
    set().pre_tool_use(|_, _| ToolCallDecision::block("the second set")).install(&gate)?;
    assert_eq!(
        gate.ids(),
        [
            "mine",
            "hooks:1:pre_tool_use:1",
            "hooks:1:stop:1",
            "hooks:2:pre_tool_use:1",
            "hooks:2:pre_tool_use:2",
            "hooks:2:stop:1"
        ]
    );
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).value, blocked("exec", "the second set"));
    Ok(())
}

#[test]
fn sets_installed_at_once_do_not_disturb_one_another() {
    for _ in 0..50 {
        let (gate, ready) = (Gate::new(), Barrier::new(4));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let hooks = AgentHooks::new().pre_tool_use(|_, _| ToolCallDecision::block("no"));
                    ready.wait();
                    assert_eq!(hooks.install(&gate), Ok(()));
                });
            }
        });
        assert_eq!(gate.ids().len(), 4);
    }
}

#[test]
fn hooks_are_installed_all_or_none() -> Test {
    struct Named(&'static str);
    impl AgentLifecycleHook for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn on_event(&self, _: &LifecycleEvent) {}
    }
    let gate = Gate::new();
    let hooks = AgentHooks::new().lifecycle_hook(Named("a")).lifecycle_hook(Named("a"));
    let error = hooks.install(&gate).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("there is already an interceptor `hooks:1:lifecycle:a`; choose another id"));
    assert!(gate.ids().is_empty());
    Ok(())
}

/// Blocks one command before it runs, one output after, and one prompt.
struct Policy(&'static str);

impl ToolInterceptor for Policy {
    fn before_tool_call(&self, call: &AgentToolCall, _: &AgentContext) -> ToolCallDecision {
        match call.arguments["command"].as_str() {
            Some(command) if command.contains(self.0) => ToolCallDecision::block(format!("no {}", self.0)),
            _ => ToolCallDecision::allow(),
        }
    }

    fn after_tool_call(&self, call: &AgentToolCall, output: &str, _: &AgentContext) -> ToolCallDecision {
        match output.contains(&format!("printed {}", self.0)) {
            true => ToolCallDecision::block(format!("{} printed {}", call.name, self.0)),
            false => ToolCallDecision::allow(),
        }
    }
}

impl PromptInterceptor for Policy {
    fn before_prompt(&self, input: &str, _: &AgentContext) -> PromptDecision {
        match input.contains(self.0) {
            true => PromptDecision::block(format!("do not say {}", self.0)),
            false => PromptDecision::allow(),
        }
    }
}

#[test]
fn interceptors_by_interface_coexist_and_never_replace() -> Test {
    let hooks = AgentHooks::new()
        .pre_tool_use(|call, _| match call.arguments["command"] == "a" {
            true => ToolCallDecision::block("no a"),
            false => ToolCallDecision::allow(),
        })
        .tool_interceptor(Policy("b"))
        .tool_interceptor(Policy("c"))
        .prompt_interceptor(Policy("d"))
        .prompt_interceptor(Policy("e"));
    let gate = installed(hooks)?;
    let tool = Tool::new("exec", |call| async move { Ok(call.params["print"].clone()) });
    for (params, expected) in [
        (json!({"command": "a"}), blocked("exec", "no a")),
        (json!({"command": "b"}), blocked("exec", "no b")),
        (json!({"command": "c"}), blocked("exec", "no c")),
        (json!({"print": "printed b"}), blocked("exec", "exec printed b")),
        (json!({"print": "printed c"}), blocked("exec", "exec printed c")),
        (json!({"print": "fine"}), json!("fine")),
    ] {
        assert_eq!(run(&gate, &tool, params.clone()).value, expected, "{params}");
    }
    let session = gate.session("s");
    for (prompt, refused) in [("d", Some("do not say d")), ("e", Some("do not say e")), ("f", None)] {
        let said = block_on(session.prompt(prompt)).err().map(|ruling| ruling.reason.to_string());
        assert_eq!(said.as_deref(), refused, "{prompt}");
    }
    Ok(())
}

// After a tool.

#[test]
fn a_blocked_result_is_replaced_though_the_tool_ran() -> Test {
    let gate = installed(AgentHooks::new().post_tool_use(|_, output, _| match output.contains("sk-1") {
        true => ToolCallDecision::block("it leaks"),
        false => ToolCallDecision::allow(),
    }))?;
    let calls = Log::new();
    let session = gate.session("s").dialect(Dialect::TOOL_BLOCKED);
    let tool = echo("read", &calls);
    for (result, expected) in [("key sk-1", "TOOL_BLOCKED: it leaks"), ("fine", "fine")] {
        assert_eq!(block_on(session.call(&tool, Call::new("1", json!(result)))).value, json!(expected));
    }
    assert_eq!(calls.take().len(), 2);
    Ok(())
}

#[test]
fn a_result_can_only_be_allowed_or_blocked() -> Test {
    let gate = installed(AgentHooks::new().post_tool_use(|call, _, _| ToolCallDecision::modify(call.clone())))?;
    let done = run(&gate, &echo("read", &Log::new()), json!("text"));
    assert_eq!(done.ended, Ended::Denied);
    let expected = "a result can be allowed or blocked, nothing else";
    assert!(done.reason.is_some_and(|reason| reason.contains(expected)));
    Ok(())
}

// Prompts and model requests.

#[test]
fn a_prompt_can_be_allowed_modified_and_blocked() -> Test {
    let gate = installed(AgentHooks::new().user_prompt_submit(|input, _| match input {
        "bad" => PromptDecision::block("an injection"),
        "short" => PromptDecision::modify("a longer text"),
        _ => PromptDecision::allow(),
    }))?;
    let session = gate.session("s");
    for (input, expected) in [("hi", Ok("hi")), ("short", Ok("a longer text")), ("bad", Err("an injection".to_owned()))]
    {
        let said = block_on(session.prompt(input)).map_err(|ruling| ruling.reason.to_string());
        assert_eq!(said.as_deref().map_err(Clone::clone), expected, "{input}");
    }
    Ok(())
}

/// What becomes of a model request.
fn request(gate: &Gate, request: Value) -> Option<Value> {
    match block_on(gate.session("s").admit(Point::ModelRequest, Body::from(request))) {
        Ok(Admitted::Pass(body)) => body.into_json().ok(),
        _ => None,
    }
}

fn sample() -> Value {
    json!({
        "model": "m1",
        "system": "be brief",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "read"}],
        "temperature": 0.7,
        "max_tokens": 9_007_199_254_740_993_u64,
        "metadata": {"user": "u"},
    })
}

#[test]
fn a_builder_changes_only_what_it_says() -> Test {
    type Change = fn(&AgentPrompt) -> AgentPrompt;
    let changes: [(Change, &str, Value); 4] = [
        (|prompt| prompt.to_builder().temperature(0.0).build(), "temperature", json!(0.0)),
        (|prompt| prompt.to_builder().system("be long").build(), "system", json!("be long")),
        (
            |prompt| prompt.to_builder().items(vec![json!({"role": "user"})]).build(),
            "messages",
            json!([{"role": "user"}]),
        ),
        (|prompt| prompt.to_builder().tools(Vec::new()).build(), "tools", json!([])),
    ];
    for (change, key, value) in changes {
        let gate = installed(AgentHooks::new().before_model_request(move |prompt, _| Some(change(prompt))))?;
        let mut expected = sample();
        expected[key] = value;
        assert_eq!(request(&gate, sample()), Some(expected), "{key}");
    }
    Ok(())
}

#[test]
fn a_hook_that_returns_nothing_or_the_same_keeps_the_request() -> Test {
    let hooks = [
        AgentHooks::new().before_model_request(|_, _| None),
        AgentHooks::new().before_model_request(|prompt, _| Some(prompt.clone())),
        AgentHooks::new().before_model_request(|prompt, _| Some(prompt.to_builder().build())),
    ];
    for hooks in hooks {
        let gate = installed(hooks)?;
        assert_eq!(request(&gate, sample()), Some(sample()));
        assert_eq!(request(&gate, json!({"temperature": "odd"})), Some(json!({"temperature": "odd"})));
    }
    Ok(())
}

#[test]
fn model_hooks_chain() -> Test {
    let hooks = AgentHooks::new()
        .before_model_request(|prompt, _| Some(prompt.to_builder().temperature(0.0).build()))
        .before_model_request(|prompt, _| {
            let system = json!(format!("t={:?}", prompt.temperature));
            Some(prompt.to_builder().system(system).build())
        });
    let mut expected = sample();
    (expected["temperature"], expected["system"]) = (json!(0.0), json!("t=Some(0.0)"));
    assert_eq!(request(&installed(hooks)?, sample()), Some(expected));
    Ok(())
}

#[test]
fn a_hook_may_change_and_drop_whatever_else_is_in_a_request() -> Test {
    let gate = installed(AgentHooks::new().before_model_request(|prompt, _| {
        let mut prompt = prompt.clone();
        prompt.rest.remove("metadata");
        prompt.rest.insert("max_tokens".into(), json!(5));
        prompt.tools = None;
        Some(prompt)
    }))?;
    let expected = json!({
        "model": "m1",
        "system": "be brief",
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0.7,
        "max_tokens": 5,
    });
    assert_eq!(request(&gate, sample()), Some(expected));
    Ok(())
}

// Observers.

/// Notes down where it was called.
struct Diary(Log<Point>);

impl AgentLifecycleHook for Diary {
    fn name(&self) -> &str {
        "diary"
    }

    fn on_event(&self, event: &LifecycleEvent) {
        self.0.push(event.point);
    }
}

#[test]
fn observers_hear_of_their_event_and_no_other() -> Test {
    let seen = Log::new();
    let note = |name: &'static str| {
        let seen = seen.clone();
        move |event: &LifecycleEvent| seen.push((name, event.details.clone(), event.context.session.clone()))
    };
    let hooks = AgentHooks::new()
        .session_start(note("start"))
        .stop(note("deny"))
        .stop(note("stop too"))
        .pre_compact(note("compact"))
        .session_end(note("end"));
    let gate = installed(hooks)?;
    let session = gate.session("s1");
    let own = |name, details: Value| (name, details, Some("s1".to_owned()));
    assert_eq!(block_on(session.start()), Ok(Vec::new()));
    assert_eq!(seen.take(), [own("start", Value::Null)]);
    block_on(session.call(&echo("read", &Log::new()), Call::new("1", json!({}))));
    assert!(seen.take().is_empty());
    block_on(session.observe(Point::CompactBefore, json!({"tokens": 9}))).unwrap();
    block_on(session.observe(Point::TurnStop, json!({"steps": 2}))).unwrap();
    block_on(session.observe(Point::SessionEnd, Value::Null)).unwrap();
    let expected = [
        own("compact", json!({"tokens": 9})),
        own("deny", json!({"steps": 2})),
        own("stop too", json!({"steps": 2})),
        own("end", Value::Null),
    ];
    assert_eq!(seen.take(), expected);
    Ok(())
}

#[test]
fn an_observer_of_the_end_of_a_turn_stands_beside_interception() -> Test {
    let seen = Log::new();
    let log = seen.clone();
    let hooks =
        AgentHooks::new().pre_tool_use(|_, _| ToolCallDecision::block("no")).stop(move |event| log.push(event.point));
    let gate = installed(hooks)?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).value, blocked("exec", "no"));
    block_on(gate.session("s").observe(Point::TurnStop, Value::Null)).unwrap();
    assert_eq!(seen.take(), [Point::TurnStop]);
    Ok(())
}

#[test]
fn a_lifecycle_hook_hears_of_everything() -> Test {
    let seen = Log::new();
    let gate = installed(AgentHooks::new().lifecycle_hook(Diary(seen.clone())))?;
    let session = gate.session("s");
    block_on(async {
        let _ = session.start().await;
        let _ = session.admit(Point::ModelRequest, Body::from(json!({}))).await;
        let _ = session.admit(Point::ModelResponse, Body::from(json!({}))).await;
        session.call(&echo("read", &Log::new()), Call::new("1", json!({}))).await;
        let compacted = [Point::CompactBefore, Point::CompactAfter];
        for point in [[Point::AgentStart, Point::AgentStop], compacted, [Point::TurnStop, Point::SessionEnd]].concat() {
            session.observe(point, Value::Null).await.unwrap();
        }
    });
    let expected = [
        Point::SessionStart,
        Point::ModelRequest,
        Point::ModelResponse,
        Point::ToolBefore,
        Point::ToolAfter,
        Point::AgentStart,
        Point::AgentStop,
        Point::CompactBefore,
        Point::CompactAfter,
        Point::TurnStop,
        Point::SessionEnd,
    ];
    assert_eq!(seen.take(), expected);
    Ok(())
}

#[test]
fn an_observer_that_breaks_is_nobodys_problem() -> Test {
    let seen = Log::new();
    let hooks = AgentHooks::new().session_start(|_| panic!("no disk")).lifecycle_hook(Diary(seen.clone()));
    let gate = installed(hooks)?;
    assert_eq!(block_on(gate.session("s").start()), Ok(Vec::new()));
    assert_eq!(seen.take(), [Point::SessionStart]);
    Ok(())
}

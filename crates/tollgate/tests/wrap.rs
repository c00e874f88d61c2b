//! The smallest firewall: one check before, one after.

mod common;

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate::{
    Call, Ended, Finished, PostCall, PostDecision, PreCall, PreDecision, Tool, ToolError, block_on, wrap_tools,
};

use common::{Log, Test, echo, yield_once};

type Pre = fn(PreCall) -> Result<PreDecision, String>;
type Post = fn(PostCall) -> Result<PostDecision, String>;

const ALLOW: Pre = |_| Ok(PreDecision::Allow);
const KEEP: Post = |_| Ok(PostDecision::Keep);

/// Wraps one tool and calls it.
fn run(tool: Tool, pre: Pre, post: Post, params: Value) -> Result<Finished, Box<dyn std::error::Error>> {
    let pre = move |call| async move { pre(call) };
    let post = move |call| async move { post(call) };
    let mut wrapped = wrap_tools([tool], pre, post)?;
    let tool = wrapped.pop().ok_or("one tool in, no tool out")?;
    Ok(block_on(tool.execute(Call::new("c1", params))))
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "details": {}})
}

#[test]
fn what_passes_both_checks_is_left_alone() -> Test {
    let calls = Log::new();
    let done = run(echo("read", &calls), ALLOW, KEEP, json!({"path": "a"}))?;
    assert_eq!((done.value, done.ended), (json!({"path": "a"}), Ended::Ok));
    assert_eq!(calls.take(), [json!({"path": "a"})]);
    Ok(())
}

#[test]
fn a_denial_is_told_as_text_and_nothing_runs() -> Test {
    let calls = Log::new();
    let done = run(echo("exec", &calls), |_| Ok(PreDecision::Deny("no shell".into())), KEEP, json!({}))?;
    assert_eq!((done.value, done.ended), (text("[firewall] blocked: no shell"), Ended::Denied));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_check_that_fails_refuses_and_says_that_it_failed() -> Test {
    let calls = Log::new();
    let done = run(echo("exec", &calls), |_| Err("no rules found".into()), KEEP, json!({}))?;
    let said = done.value["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said.starts_with("[firewall] pre-hook error: ") && said.contains("no rules found"), "{said}");
    assert_eq!((done.ended, &done.value["details"]), (Ended::Denied, &json!({})));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_check_that_panics_refuses() -> Test {
    let calls = Log::new();
    let done = run(echo("exec", &calls), |_| panic!("oh no"), KEEP, json!({}))?;
    let said = done.value["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said.starts_with("[firewall] pre-hook error: ") && said.contains("oh no"), "{said}");
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn the_check_after_may_replace_a_result() -> Test {
    let redact: Post = |call| {
        let leaks = call.result.to_string().contains("sk-1");
        Ok(if leaks { PostDecision::Redact(json!("withheld")) } else { PostDecision::Keep })
    };
    for (result, expected) in [(json!("key sk-1"), json!("withheld")), (json!("fine"), json!("fine"))] {
        assert_eq!(run(echo("read", &Log::new()), ALLOW, redact, result)?.value, expected);
    }
    Ok(())
}

#[test]
fn a_broken_check_after_withholds_the_result_under_its_own_name() -> Test {
    let done = run(echo("read", &Log::new()), ALLOW, |_| Err("no rules found".into()), json!("secret"))?;
    let said = done.value["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(done.ended, Ended::Denied);
    assert!(said.starts_with("[firewall] post-hook error: ") && said.contains("no rules found"), "{said}");
    assert!(!done.value.to_string().contains("secret"));
    Ok(())
}

/// What the check after was told: how the call ended, its arguments and its result.
type Told = (Ended, Value, Value);

/// Runs one call and gives back what the check after was told.
fn told(tool: Tool, pre: Pre) -> Result<Vec<Told>, Box<dyn std::error::Error>> {
    let seen = Log::new();
    let log = seen.clone();
    let post = move |call: PostCall| {
        log.push((call.ended, call.params, call.result));
        async { PostDecision::Keep }
    };
    for tool in wrap_tools([tool], move |call| async move { pre(call) }, post)? {
        block_on(tool.execute(Call::new("c1", json!({"a": 1}))));
    }
    Ok(seen.take())
}

#[test]
fn the_check_after_hears_of_success_failure_and_refusal_once() -> Test {
    let args = json!({"a": 1});
    let good = echo("read", &Log::new());
    assert_eq!(told(good.clone(), ALLOW)?, [(Ended::Ok, args.clone(), args.clone())]);
    let fails = Tool::new("bash", |_| async { Err(ToolError("no such file".into())) });
    let error = json!({"status": "error", "tool": "exec", "error": "no such file"});
    assert_eq!(told(fails, ALLOW)?, [(Ended::Error, args.clone(), error)]);
    let refused = told(good, |_| Ok(PreDecision::Deny("no".into())))?;
    assert_eq!(refused, [(Ended::Denied, args, text("[firewall] blocked: no"))]);
    Ok(())
}

#[test]
fn the_checks_are_told_which_call_it_is() -> Test {
    let seen = Log::new();
    let (log, log_too) = (seen.clone(), seen.clone());
    let pre = move |call: PreCall| {
        log.push((call.tool_name, call.call_id, call.params));
        async { PreDecision::Allow }
    };
    let post = move |call: PostCall| {
        log_too.push((call.tool_name, call.call_id, call.params));
        async { PostDecision::Keep }
    };
    for tool in wrap_tools([echo("My_Tool", &Log::new())], pre, post)? {
        block_on(tool.execute(Call::new("c1", json!({"a": 1}))));
    }
    let expected = ("My_Tool".to_owned(), "c1".to_owned(), json!({"a": 1}));
    assert_eq!(seen.take(), [expected.clone(), expected]);
    Ok(())
}

#[test]
fn the_arguments_a_check_gets_are_a_copy() -> Test {
    let calls = Log::new();
    let change: Pre = |mut call| {
        call.params["path"] = "/etc/passwd".into();
        Ok(PreDecision::Allow)
    };
    run(echo("read", &calls), change, KEEP, json!({"path": "a"}))?;
    assert_eq!(calls.take(), [json!({"path": "a"})]);
    Ok(())
}

#[test]
fn a_wrapped_tool_keeps_every_member() -> Test {
    let mut tool = echo("exec", &Log::new());
    tool.label = "Run".into();
    tool.description = "Runs".into();
    tool.parameters = json!({"type": "object", "required": ["command"]});
    tool.render_call = Some(Arc::new(|call| call.to_string()));
    let allow = |_| async { PreDecision::Allow };
    let wrapped = wrap_tools([tool.clone()], allow, |_| async { PostDecision::Keep })?;
    assert_eq!(wrapped.iter().map(Tool::info).collect::<Vec<_>>(), [tool.info()]);
    assert_eq!(wrapped[0].render_call.as_ref().map(|render| render(&json!(1))).as_deref(), Some("1"));
    Ok(())
}

#[test]
fn context_and_updates_pass_through() -> Test {
    let tool = Tool::with_context("read", |call, context| async move {
        call.update(json!("partial")).await;
        Ok(json!(context.downcast_ref::<u8>()))
    });
    let (seen, allow) = (Log::new(), |_| async { PreDecision::Allow });
    for tool in wrap_tools([tool], allow, |_| async { PostDecision::Keep })? {
        let log = seen.clone();
        let call = Call::new("1", json!({})).with_context(7_u8).on_update(move |part| log.push(part));
        assert_eq!(block_on(tool.execute(call)).value, json!(7));
    }
    assert_eq!(seen.take(), [json!("partial")]);
    Ok(())
}

#[test]
fn checks_are_awaited() -> Test {
    let order = Log::new();
    let (one, two, three) = (order.clone(), order.clone(), order.clone());
    let tool = Tool::new("read", move |_| {
        two.push("tool");
        async { Ok(Value::Null) }
    });
    let pre = move |_| {
        let log = one.clone();
        async move {
            yield_once().await;
            log.push("pre");
            PreDecision::Allow
        }
    };
    let post = move |_| {
        let log = three.clone();
        async move {
            yield_once().await;
            log.push("post");
            PostDecision::Keep
        }
    };
    for tool in wrap_tools([tool], pre, post)? {
        block_on(tool.execute(Call::new("1", json!({}))));
    }
    assert_eq!(order.take(), ["pre", "tool", "post"]);
    Ok(())
}

#[test]
fn layers_stack() -> Test {
    let (calls, order) = (Log::new(), Log::new());
    let mut tools = vec![echo("read", &calls)];
    for layer in ["inner", "outer"] {
        let (before, after) = (order.clone(), order.clone());
        let pre = move |_| {
            before.push(format!("before {layer}"));
            async { PreDecision::Allow }
        };
        let post = move |call: PostCall| {
            after.push(format!("after {layer}"));
            async move { PostDecision::Redact(json!([layer, call.result])) }
        };
        tools = wrap_tools(tools, pre, post)?;
    }
    assert_eq!(block_on(tools[0].execute(Call::new("1", json!(1)))).value, json!(["outer", ["inner", 1]]));
    assert_eq!(order.take(), ["before outer", "before inner", "after inner", "after outer"]);
    Ok(())
}

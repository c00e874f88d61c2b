//! Who stands where: adding, removing, finding and ordering interceptors.

mod common;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use tollgate::{Body, Call, Ended, Gate, Handle, Point, Power, Registration, Tool, Toolbox, Verdict, block_on, global};

use common::{Log, Test, blocked, echo, run};

fn ids(entries: &[Registration]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.id).collect()
}

/// A guard that says nothing.
fn silent(gate: &Gate, id: &str) -> Result<Handle, tollgate::BadRegistration> {
    gate.before_tool(id).guard(|_, _| Verdict::Pass)
}

/// A guard that refuses everything.
fn refuses(gate: &Gate, id: &str) -> Result<Handle, tollgate::BadRegistration> {
    gate.before_tool(id).guard(|_, _| Verdict::deny("no"))
}

#[test]
fn what_is_added_is_listed_in_order_of_registration() -> Test {
    let gate = Gate::new();
    for id in ["b", "c", "a"] {
        silent(&gate, id)?;
    }
    assert_eq!(gate.ids(), ["b", "c", "a"]);
    assert_eq!(ids(&gate.list()), ["b", "c", "a"]);
    Ok(())
}

#[test]
fn a_list_is_a_copy() -> Test {
    let gate = Gate::new();
    silent(&gate, "a")?;
    gate.list().clear();
    assert_eq!(gate.ids(), ["a"]);
    Ok(())
}

#[test]
fn get_finds_by_id() -> Test {
    let gate = Gate::new();
    gate.before_tool("a").priority(7).guard(|_, _| Verdict::Pass)?;
    assert_eq!(gate.get("a").map(|entry| entry.priority), Some(7));
    assert!(gate.get("b").is_none());
    Ok(())
}

#[test]
fn remove_takes_one_out_and_says_whether_it_was_there() -> Test {
    let gate = Gate::new();
    silent(&gate, "a")?;
    silent(&gate, "b")?;
    for (id, was_there) in [("a", true), ("a", false), ("never", false)] {
        assert_eq!(gate.remove(id), was_there, "{id}");
        assert_eq!(gate.ids(), ["b"], "{id}");
    }
    Ok(())
}

#[test]
fn clear_removes_all() -> Test {
    let gate = Gate::new();
    refuses(&gate, "a")?;
    refuses(&gate, "b")?;
    gate.clear();
    assert!(gate.list().is_empty());
    assert_eq!(run(&gate, &echo("read", &Log::new()), json!({"a": 1})).value, json!({"a": 1}));
    Ok(())
}

#[test]
fn a_second_interceptor_of_the_same_id_is_refused() -> Test {
    let gate = Gate::new();
    gate.before_tool("a").priority(1).guard(|_, _| Verdict::Pass)?;
    let error = gate.after_tool("a").edit(|_, _| ()).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("there is already an interceptor `a`; choose another id"));
    assert_eq!(gate.list().iter().map(|entry| entry.priority).collect::<Vec<_>>(), [1]);
    Ok(())
}

#[test]
fn an_id_is_free_again_once_removed() -> Test {
    let gate = Gate::new();
    silent(&gate, "a")?;
    gate.remove("a");
    silent(&gate, "a")?;
    assert_eq!(gate.ids(), ["a"]);
    Ok(())
}

#[test]
fn what_cannot_work_is_refused_with_the_reason() {
    let gate = Gate::new();
    let pass = |_: &tollgate::Event<'_>, _: &Body| Verdict::Pass;
    for (added, expected) in [
        (silent(&gate, " "), "an interceptor needs an id and at least one point, and this one is ` `"),
        (
            gate.on::<Body>([], "x").guard(pass),
            "an interceptor needs an id and at least one point, and this one is `x`",
        ),
        (
            gate.on::<Body>([Point::TurnStop], "x").guard(pass),
            "`x` is a guard, and nothing can be refused at turn.stop",
        ),
        (
            gate.on::<Body>([Point::TurnStop], "x").edit(|_, _| Verdict::Pass),
            "`x` is an edit, and nothing can be changed at turn.stop",
        ),
        (
            gate.prompt_submit("x").tool("exec").guard(|_, _| Verdict::Pass),
            "`x` selects a tool, and there is none at prompt.submit",
        ),
        (
            gate.prompt_submit("x").setting(|entry| entry.powers = vec![Power::Route]).guard(|_, _| Verdict::Pass),
            "`x` may say Route, and prompt.submit cannot do that",
        ),
        (
            gate.before_tool("x").tool_glob("a?").guard(|_, _| Verdict::Pass),
            "`x`: the pattern `a?` does not work: a glob is a name in which `*` stands for any text",
        ),
    ] {
        assert_eq!(added.err().map(|error| error.to_string()).as_deref(), Some(expected));
    }
    assert!(gate.ids().is_empty());
}

#[test]
fn a_broken_regex_is_refused_and_shown() {
    let gate = Gate::new();
    let error = gate.before_tool("x").tool_regex("(exec").guard(|_, _| Verdict::Pass).err();
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(error.starts_with("`x`: the pattern `(exec` does not work: "), "{error}");
}

#[test]
fn higher_priority_first_then_order_of_registration() -> Test {
    for (added, expected) in [
        (&[("a", None), ("b", None)][..], &["a", "b"][..]),
        (&[("low", Some(-1)), ("none", None), ("high", Some(1))], &["high", "none", "low"]),
        (&[("b", Some(5)), ("first", Some(9)), ("a", Some(5))], &["first", "b", "a"]),
        (&[("zero", Some(0)), ("none", None)], &["zero", "none"]),
        (&[("min", Some(i32::MIN)), ("max", Some(i32::MAX))], &["max", "min"]),
    ] {
        let gate = Gate::new();
        let ran = Log::new();
        for &(id, priority) in added {
            let ran = ran.clone();
            let on = gate.before_tool(id);
            let on = if let Some(priority) = priority { on.priority(priority) } else { on };
            on.guard(move |_, _| ran.push(id))?;
        }
        run(&gate, &echo("exec", &Log::new()), json!({}));
        assert_eq!(ids(&gate.at(Point::ToolBefore, None)), expected, "{added:?}");
        assert_eq!(ran.take(), expected, "{added:?}");
    }
    Ok(())
}

#[test]
fn edits_run_before_guards_before_watchers_whatever_their_priority() -> Test {
    let gate = Gate::new();
    let ran = Log::new();
    let note = |id| {
        let ran = ran.clone();
        move || ran.push(id)
    };
    let (watch, guard, edit) = (note("watch"), note("guard"), note("edit"));
    gate.before_tool("watch").priority(100).watch(move |_, _, _| watch())?;
    gate.before_tool("guard").priority(50).guard(move |_, _| guard())?;
    gate.before_tool("edit").edit(move |_, _| edit())?;
    run(&gate, &echo("exec", &Log::new()), json!({}));
    assert_eq!(ran.take(), ["edit", "guard", "watch"]);
    assert_eq!(ids(&gate.at(Point::ToolBefore, None)), ["edit", "guard", "watch"]);
    Ok(())
}

/// One interceptor of every kind of selector.
fn selecting() -> Result<Gate, tollgate::BadRegistration> {
    let gate = Gate::new();
    silent(&gate, "any")?;
    gate.before_tool("exact").tool("Bash").guard(|_, _| Verdict::Pass)?;
    gate.before_tool("glob").tool_glob("web_*").guard(|_, _| Verdict::Pass)?;
    gate.before_tool("whole").tool_regex("^(read|write)$").guard(|_, _| Verdict::Pass)?;
    gate.before_tool("part").tool_regex("file").guard(|_, _| Verdict::Pass)?;
    gate.after_tool("after").guard(|_, _| Verdict::Pass)?;
    Ok(gate)
}

#[test]
fn at_finds_by_point_and_tool() -> Test {
    let gate = selecting()?;
    for (point, tool, expected) in [
        (Point::ToolAfter, None, &["after"][..]),
        (Point::ToolAfter, Some("exec"), &["after"]),
        (Point::PromptSubmit, None, &[]),
        (Point::ToolBefore, Some("exec"), &["any", "exact"]),
        (Point::ToolBefore, Some("bash"), &["any", "exact"]),
        (Point::ToolBefore, Some("  BASH "), &["any", "exact"]),
        (Point::ToolBefore, Some("web_search"), &["any", "glob"]),
        (Point::ToolBefore, Some("Web_Search"), &["any", "glob"]),
        (Point::ToolBefore, Some("my_web_search"), &["any"]),
        (Point::ToolBefore, Some("Read"), &["any", "whole"]),
        (Point::ToolBefore, Some("write"), &["any", "whole"]),
        (Point::ToolBefore, Some("reader"), &["any"]),
        (Point::ToolBefore, Some("profiles"), &["any", "part"]),
        (Point::ToolBefore, Some("READ_FILE"), &["any", "part"]),
    ] {
        assert_eq!(ids(&gate.at(point, tool)), expected, "{point} {tool:?}");
    }
    Ok(())
}

#[test]
fn at_without_a_tool_finds_those_with_a_selector_too() -> Test {
    assert_eq!(ids(&selecting()?.at(Point::ToolBefore, None)), ["any", "exact", "glob", "whole", "part"]);
    Ok(())
}

#[test]
fn the_selectors_of_at_are_those_of_calls() -> Test {
    for tool in ["exec", "Bash", "web_search", "my_web_search", "Read", "reader", "profiles"] {
        let gate = selecting()?;
        let ran = Log::new();
        let log = ran.clone();
        gate.before_tool("trace").watch(move |_, _, outcome| {
            log.push(outcome.trace.entries().map(|(who, _)| who.id.to_string()).collect::<Vec<_>>());
        })?;
        run(&gate, &echo(tool, &Log::new()), json!({}));
        let mut expected: Vec<_> = gate.at(Point::ToolBefore, Some(tool)).iter().map(|e| e.id.to_string()).collect();
        expected.retain(|id| id != "trace");
        assert_eq!(ran.take(), [expected], "{tool}");
    }
    Ok(())
}

#[test]
fn a_regex_sees_the_normalized_name_only() -> Test {
    for (pattern, tool, fits) in [
        ("exec", "Bash", true),
        ("bash", "Bash", false),
        ("Bash", "Bash", false),
        ("(?i)EXEC", "Bash", true),
        ("^read$|^grep$", "GREP", true),
        ("re", "preview", true),
        ("^re", "preview", false),
        ("", "anything", true),
    ] {
        let gate = Gate::new();
        gate.before_tool("x").tool_regex(pattern).guard(|_, _| Verdict::Pass)?;
        assert_eq!(!gate.at(Point::ToolBefore, Some(tool)).is_empty(), fits, "/{pattern}/ on {tool}");
    }
    Ok(())
}

#[test]
fn a_regex_remembers_nothing_between_calls() -> Test {
    let gate = Gate::new();
    gate.before_tool("x").tool_regex("exec").guard(|_, _| Verdict::deny("no"))?;
    let tool = echo("exec", &Log::new());
    for turn in 0..6 {
        assert_eq!(run(&gate, &tool, json!({})).value, blocked("exec", "no"), "{turn}");
    }
    Ok(())
}

#[test]
fn a_selector_may_name_a_tool_that_comes_later() -> Test {
    let gate = Gate::new();
    gate.before_tool("x").tool("mcp__new__thing").guard(|_, _| Verdict::deny("not yet"))?;
    gate.before_tool("y").tool_regex("^brand_new").guard(|_, _| Verdict::deny("nor this"))?;
    let toolbox = Toolbox::new(gate.session("s"));
    for (name, reason) in [("mcp__new__thing", "not yet"), ("brand_new_tool", "nor this")] {
        let tool = toolbox.add(echo(name, &Log::new()))?;
        let done = block_on(tool.execute(tollgate::Call::new("1", json!({}))));
        assert_eq!(done.value, blocked(name, reason), "{name}");
    }
    Ok(())
}

#[test]
fn an_agent_can_be_selected_at_every_point() -> Test {
    let gate = Gate::new();
    gate.prompt_submit("p").agent("main").guard(|_, _| Verdict::deny("not main"))?;
    gate.before_tool("t").agent("main").guard(|_, _| Verdict::deny("not main"))?;
    let tool = echo("read", &Log::new());
    for (agent, refused) in [("main", true), ("helper", false), ("mainly", false)] {
        let session = gate.session("s").agent(agent);
        assert_eq!(block_on(session.prompt("hi")).is_err(), refused, "{agent}");
        let done = block_on(session.call(&tool, tollgate::Call::new("1", json!({}))));
        assert_eq!(!done.is_ok(), refused, "{agent}");
    }
    Ok(())
}

#[test]
fn a_session_can_be_selected() -> Test {
    let gate = Gate::new();
    gate.before_tool("t").session("s1").guard(|_, _| Verdict::deny("not here"))?;
    let tool = echo("read", &Log::new());
    for (session, refused) in [("s1", true), ("s2", false)] {
        let done = block_on(gate.session(session).call(&tool, tollgate::Call::new("1", json!({}))));
        assert_eq!(!done.is_ok(), refused, "{session}");
    }
    Ok(())
}

#[test]
fn conditions_join() -> Test {
    let gate = Gate::new();
    gate.before_tool("t").tool("exec").agent("main").guard(|_, _| Verdict::deny("no"))?;
    for (tool, agent, refused) in [("exec", "main", true), ("exec", "b", false), ("read", "main", false)] {
        let tool = echo(tool, &Log::new());
        let done = block_on(gate.session("s").agent(agent).call(&tool, tollgate::Call::new("1", json!({}))));
        assert_eq!(!done.is_ok(), refused, "{} {agent}", tool.name);
    }
    Ok(())
}

#[test]
fn an_alias_of_ones_own_counts_in_calls_and_selectors() -> Test {
    let gate = Gate::new();
    gate.before_tool("x").tool("exec").guard(|_, _| Verdict::deny("no shell"))?;
    gate.alias("terminal", "exec");
    assert_eq!(run(&gate, &echo("Terminal", &Log::new()), json!({})).value, blocked("exec", "no shell"));
    Ok(())
}

#[test]
fn a_handle_knows_its_id_and_removes() -> Test {
    let gate = Gate::new();
    let handle = silent(&gate, "a")?;
    assert_eq!(handle.id(), "a");
    assert!(handle.remove());
    assert!(gate.ids().is_empty());
    Ok(())
}

#[test]
fn a_dropped_handle_removes_nothing_unless_told_to() -> Test {
    let gate = Gate::new();
    drop(silent(&gate, "stays")?);
    let tied = silent(&gate, "goes")?.remove_on_drop();
    assert_eq!(gate.ids(), ["stays", "goes"]);
    drop(tied);
    assert_eq!(gate.ids(), ["stays"]);
    Ok(())
}

#[test]
fn a_handle_may_outlive_its_gate() -> Test {
    let gate = Gate::new();
    let (tied, plain) = (silent(&gate, "a")?.remove_on_drop(), silent(&gate, "b")?);
    drop(gate);
    assert!(!plain.remove());
    drop(tied);
    Ok(())
}

#[test]
fn an_old_handle_leaves_a_new_interceptor_of_the_same_id_alone() -> Test {
    let gate = Gate::new();
    let (tied, plain) = (silent(&gate, "a")?.remove_on_drop(), silent(&gate, "b")?);
    for id in ["a", "b"] {
        gate.remove(id);
        refuses(&gate, id)?;
    }
    drop(tied);
    assert_eq!(gate.ids(), ["a", "b"], "a dropped handle");
    assert!(!plain.remove(), "a handle used by hand");
    assert_eq!(gate.ids(), ["a", "b"]);
    Ok(())
}

#[test]
fn a_handler_may_own_handles_and_be_removed_with_them() -> Test {
    let (done, finished) = mpsc::channel();
    // Should this ever wait for itself, the test must not wait with it.
    thread::spawn(move || {
        let gate = Gate::new();
        let inner = silent(&gate, "inner")?.remove_on_drop();
        gate.before_tool("outer").guard(move |_, _| drop(inner.id().to_owned()))?;
        gate.remove("outer");
        let _ = done.send(gate.ids());
        Ok::<(), tollgate::BadRegistration>(())
    });
    assert_eq!(finished.recv_timeout(Duration::from_secs(5))?, Vec::<String>::new());
    Ok(())
}

#[test]
fn what_a_handler_adds_holds_from_the_next_call_on() -> Test {
    let gate = Gate::new();
    let inside = gate.clone();
    gate.before_tool("adds").edit(move |_, _| {
        // From the second call on there is one already.
        let _ = refuses(&inside, "added");
        let _ = inside.after_tool("added-after").edit(|_, mut result| result.set("changed"));
    })?;
    let tool = echo("read", &Log::new());
    assert_eq!(run(&gate, &tool, json!({"call": 1})).value, json!({"call": 1}));
    assert_eq!(gate.ids(), ["adds", "added", "added-after"]);
    assert_eq!(run(&gate, &tool, json!({"call": 2})).ended, tollgate::Ended::Denied);
    Ok(())
}

#[test]
fn what_a_handler_removes_goes_with_the_next_call() -> Test {
    let gate = Gate::new();
    let inside = gate.clone();
    gate.before_tool("removes").priority(1).guard(move |_, _| _ = inside.remove("refuses"))?;
    refuses(&gate, "refuses")?;
    let tool = echo("read", &Log::new());
    assert_eq!(run(&gate, &tool, json!({})).value, blocked("read", "no"));
    assert_eq!(run(&gate, &tool, json!({})).value, json!({}));
    Ok(())
}

#[test]
fn a_handler_may_remove_itself() -> Test {
    let gate = Gate::new();
    let inside = gate.clone();
    gate.before_tool("once").guard(move |_, _| {
        inside.remove("once");
        Verdict::deny("only once")
    })?;
    let tool = echo("read", &Log::new());
    assert_eq!(run(&gate, &tool, json!({})).value, blocked("read", "only once"));
    assert_eq!(run(&gate, &tool, json!({})).value, json!({}));
    Ok(())
}

#[test]
fn clones_of_a_gate_are_the_same_gate_and_new_ones_are_not() -> Test {
    let gate = tollgate::create();
    silent(&gate.clone(), "a")?;
    assert_eq!(gate.ids(), ["a"]);
    assert!(tollgate::create().ids().is_empty());
    Ok(())
}

#[test]
fn the_global_gate_is_made_once_until_it_is_reset() -> Test {
    global::reset();
    assert!(global::get().is_none());
    let first = global::init();
    silent(&first, "a")?;
    assert_eq!(global::init().ids(), ["a"]);
    assert_eq!(global::get().map(|gate| gate.ids()), Some(vec!["a".to_owned()]));
    global::reset();
    global::reset();
    assert!(global::get().is_none());
    assert!(global::init().ids().is_empty());
    assert_eq!(first.ids(), ["a"], "whoever holds it keeps it");
    Ok(())
}

#[test]
fn many_threads_may_register_and_call_at_once() {
    let gate = Gate::new();
    thread::scope(|scope| {
        for thread in 0..8 {
            let gate = &gate;
            scope.spawn(move || {
                let tool = Tool::new("read", |call| async move { Ok(call.params) });
                for turn in 0..20 {
                    let id = format!("{thread}-{turn}");
                    let handle = silent(gate, &id).map(Handle::remove_on_drop);
                    assert_eq!(run(gate, &tool, json!({"id": id})).value, json!({"id": id}));
                    drop(handle);
                }
            });
        }
    });
    assert!(gate.ids().is_empty());
}

#[test]
fn the_tools_of_a_session_with_a_server_are_that_servers() -> Test {
    for (selector, fits) in [
        ("mcp__github__delete", true),
        ("MCP__GitHub__*", true),
        ("delete", true),
        ("mcp__gitlab__*", false),
        ("mcp__github__fork", false),
    ] {
        let gate = Gate::new();
        gate.before_tool("x").tool_glob(selector).guard(|_, _| Verdict::deny("no"))?;
        let toolbox = Toolbox::new(gate.session("s").server("GitHub"));
        toolbox.add(echo("delete", &Log::new()))?;
        let tool = toolbox.get("Delete").ok_or("there is such a tool")?;
        let refused = block_on(tool.execute(Call::new("1", json!({})))).ended == Ended::Denied;
        assert_eq!(refused, fits, "{selector}");
        assert_eq!(block_on(toolbox.coverage()).rows[0].before.len(), usize::from(fits), "{selector}");
    }
    Ok(())
}

#[test]
fn a_call_is_renamed_within_its_server() -> Test {
    let (gate, deleted, archived) = (Gate::new(), Log::new(), Log::new());
    gate.before_tool("other").tool("mcp__github__delete").edit(|_, mut args| args.rename("archive"))?;
    gate.before_tool("x").tool("mcp__github__archive").guard(|_, _| Verdict::deny("no"))?;
    let toolbox = Toolbox::new(gate.session("s").server("github"));
    toolbox.add(echo("delete", &deleted))?;
    toolbox.add(echo("archive", &archived))?;
    let tool = toolbox.get("delete").ok_or("there is such a tool")?;
    assert_eq!(block_on(tool.execute(Call::new("1", json!({})))).ended, Ended::Denied);
    gate.remove("x");
    block_on(tool.execute(Call::new("2", json!({}))));
    assert_eq!((deleted.take().len(), archived.take().len()), (0, 1));
    Ok(())
}

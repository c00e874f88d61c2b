//! From `[[hook]]` in a policy to programs that judge.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::Folder;
use expect_test::expect;
use serde_json::{Value, json};
use tollgate_clock::{SystemClock, block_on};
use tollgate_config::{File, Layer, Paths, Plan, inspect, load_cached};
use tollgate_core::{Act, Body, Ended, Event, Point, Said};
use tollgate_engine::state::Memory;
use tollgate_engine::{Engine, Parts};
use tollgate_rules::Still;

/// A project with scripts, and its policy.
struct Project {
    folder: Folder,
}

impl Project {
    fn new(policy: &str) -> Self {
        let project = Self { folder: Folder::new() };
        project.write("tollgate.toml", &format!("[packs]\nuse = []\n{policy}"));
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    fn plan(&self, layer: Layer, trusted: bool) -> Plan {
        let file = File::read(layer, &self.path().join("tollgate.toml")).unwrap().unwrap();
        let hooks = File::read(layer, &self.path().join(".tollgate/workspace.json")).unwrap();
        inspect(vec![file], hooks, trusted).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// An engine with the policy as the user's own.
    fn engine(&self) -> Engine {
        engine(self.plan(Layer::User, false))
    }
}

fn engine(plan: Plan) -> Engine {
    let parts = Parts {
        state: Arc::new(Memory::default()),
        clock: Arc::new(SystemClock::default()),
        ambient: Arc::new(Still::default()),
        report: None,
        more: Vec::new(),
    };
    Engine::new(plan, parts).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// What becomes of something, and who broke.
fn run(engine: &Engine, point: Point, tool: Option<&str>, doc: Value) -> String {
    let pipeline = engine.pipeline();
    let name = tool.map(|tool| pipeline.name(tool));
    let arguments = Body::from(json!({}));
    let event = Event { name: name.as_ref(), call_id: tool.map(|_| "call-1"), session: Some("s"), ..Event::at(point) };
    let event = match point {
        Point::ToolAfter => Event { arguments: Some(&arguments), ended: Some(Ended::Ok), ..event },
        _ => event,
    };
    let mut body = Body::from(doc.clone());
    let outcome = block_on(pipeline.run(&event, &mut body));
    let act = match &outcome.act {
        Act::Pass => "pass".to_owned(),
        Act::Deny(ruling) => format!("deny by {}: {}", ruling.by.as_deref().unwrap_or("-"), ruling.reason),
        Act::Ask(question) => format!("ask: {}", question.parts[0].1.title),
        other => format!("{other:?}"),
    };
    let became = body.json().unwrap();
    let became = if *became == doc { String::new() } else { format!(" -> {became}") };
    let faults = outcome.trace.entries().filter_map(|(who, turn)| match &turn.said {
        Said::Faulted(fault) if !matches!(outcome.act, Act::Deny(_)) => Some(format!(" ! {}: {fault}", who.id)),
        _ => None,
    });
    format!("{act}{became}{}", faults.collect::<String>())
}

fn bash(engine: &Engine, command: &str) -> String {
    run(engine, Point::ToolBefore, Some("Bash"), json!({ "command": command }))
}

const GUARD: &str = r#"
import json, sys
event = json.load(sys.stdin)
command = event["body"]["arguments"].get("command", "")
if "prod" in command:
    print("production is read-only; use the replica", file=sys.stderr)
    sys.exit(2)
if command.startswith("make"):
    print(json.dumps({"decision": "modify", "arguments": {"command": command + " -n"}}))
if command == "push":
    print(json.dumps({"decision": "ask", "reason": "push?"}))
if command == "crash":
    raise KeyError("x")
"#;

#[test]
fn a_program_refuses_rewrites_asks_and_breaks() {
    let project = Project::new("[[hook]]\nid = 'guard'\ncommand = 'python3 guard.py'\nmatch = 'bash'\n");
    project.write("guard.py", GUARD);
    let engine = project.engine();
    let shown = |text: String| text.replace(project.path().to_str().unwrap(), "");
    assert_eq!(bash(&engine, "ls"), "pass");
    assert_eq!(bash(&engine, "psql prod"), "deny by guard: production is read-only; use the replica");
    assert_eq!(bash(&engine, "make all"), r#"pass -> {"command":"make all -n"}"#);
    assert_eq!(bash(&engine, "push"), "ask: push?");
    assert_eq!(
        shown(bash(&engine, "crash")),
        "deny by guard: `guard` could not judge this (crash: exit status 1 (KeyError: 'x')), so it is refused; to mend it: look at this hook in /tollgate.toml, and run it by hand"
    );
}

#[test]
fn a_failure_passes_only_where_somebody_wrote_so() {
    let project = Project::new("[[hook]]\ncommand = 'exit 1'\non_fault = 'pass'\n");
    assert_eq!(bash(&project.engine(), "ls"), "pass ! hook-1: crash: exit status 1");
}

#[test]
fn a_rewrite_hides_no_refusal() {
    // The second makes of it what the first refuses, so the first is asked again.
    let first = "[[hook]]\nid = 'first'\ncommand = 'grep -q prod && { echo no prod >&2; exit 2; } || exit 0'\n";
    let then = "[[hook]]\nid = 'then'\ncommand = \"\"\"echo '{\"decision\":\"modify\",\"arguments\":{\"command\":\"prod\"}}'\"\"\"\n";
    let project = Project::new(&format!("{first}{then}"));
    assert_eq!(bash(&project.engine(), "ls"), r#"deny by first: no prod -> {"command":"prod"}"#);
    // And a rule sees what a program made of it.
    let rule = "[[rule]]\nid = 'no-prod'\narg.command = { contains = 'prod' }\ndeny = 'no'\n";
    let project = Project::new(&format!("{then}{rule}"));
    assert_eq!(bash(&project.engine(), "ls"), r#"deny by rules: no-prod: no -> {"command":"prod"}"#);
}

#[test]
fn only_those_are_started_that_are_meant() {
    let project = Project::new(
        "[[hook]]\nid = 'one'\ncommand = 'touch one; exit 2'\nmatch = 'write'\n\
         [[hook]]\nid = 'two'\ncommand = 'touch two; exit 2'\nmatch = ['Bash', 'web_*']\n",
    );
    let engine = project.engine();
    assert_eq!(run(&engine, Point::ToolBefore, Some("read"), json!({})), "pass");
    assert!(!project.has("one") && !project.has("two"));
    assert_eq!(run(&engine, Point::ToolBefore, Some("exec"), json!({})), "deny by two: blocked by hook");
    assert_eq!(run(&engine, Point::ToolBefore, Some("Web_Search"), json!({})), "deny by two: blocked by hook");
    assert!(!project.has("one"));
    assert_eq!(run(&engine, Point::ToolAfter, Some("write"), json!({})), "pass", "it stands elsewhere");
}

/// Calls come under the name that all names of a tool stand for, which a pattern of another one does not fit.
#[test]
fn a_pattern_fits_a_tool_by_each_of_its_names() {
    for (pattern, tool, asked) in [
        ("bash*", "Bash", true),
        ("bash*", "exec", true),
        ("*SH", "exec", true),
        ("bash*", "read", false),
        ("exe*", "Bash", true),
        ("bash*", "bash_output_of_a_server", true),
        ("mcp__*", "Bash", false),
    ] {
        let project =
            Project::new(&format!("[[hook]]\nid = 'one'\ncommand = 'exit 2'\nmatch = ['{pattern}', 'none']\n"));
        let said = run(&project.engine(), Point::ToolBefore, Some(tool), json!({}));
        assert_eq!(said != "pass", asked, "{pattern} {tool}: {said}");
    }
}

#[test]
fn without_hooks_everything_goes() {
    assert_eq!(bash(&Project::new("").engine(), "ls"), "pass");
    let project = Project::new("");
    project.write(".tollgate/workspace.json", r#"{"hooks": {"preToolUse": []}}"#);
    assert_eq!(bash(&project.engine(), "ls"), "pass");
}

#[test]
fn prompts_in_the_words_of_the_seed() {
    for (command, expected) in [
        ("echo 'no secrets here' >&2; exit 2", "deny by userPromptSubmit-1: no secrets here"),
        (r#"echo '{"decision":"block","reason":"no"}'"#, "deny by userPromptSubmit-1: no"),
        (r#"echo '{"decision":"modify","input":"[hidden]"}'"#, r#"pass -> {"text":"[hidden]"}"#),
        ("exit 0", "pass"),
        (r#"test "$(cat)" = '{"input":"hello"}'"#, "pass"),
    ] {
        let project = Project::new("");
        let hooks = json!({"hooks": {"userPromptSubmit": [{"command": command}]}});
        project.write(".tollgate/workspace.json", &hooks.to_string());
        let told = run(&project.engine(), Point::PromptSubmit, None, json!({"text": "hello"}));
        assert_eq!(told, expected, "{command}");
    }
    let project = Project::new("");
    project.write(".tollgate/workspace.json", r#"{"hooks": {"userPromptSubmit": [{"command": "true; gone"}]}}"#);
    let told = run(&project.engine(), Point::PromptSubmit, None, json!({"text": "hello"}));
    assert!(
        told.starts_with("deny by userPromptSubmit-1: `userPromptSubmit-1` could not judge this (missing"),
        "{told}"
    );
}

#[test]
fn every_event_has_its_own_program_and_none_of_them_stops_anything() {
    let project = Project::new("");
    let hooks = json!({"hooks": {
        "stop": [{"command": "cat > stop"}, {"command": "exit 1"}],
        "preCompact": [{"command": "cat > compact"}],
        "sessionStart": [{"command": "cat > start; exit 3"}],
        "sessionEnd": [{"command": "cat > end"}],
    }});
    project.write(".tollgate/workspace.json", &hooks.to_string());
    let engine = project.engine();
    assert_eq!(run(&engine, Point::TurnStop, None, json!({})), "pass ! stop-2: crash: exit status 1");
    assert!(project.has("stop") && !project.has("compact") && !project.has("start") && !project.has("end"));
    assert_eq!(run(&engine, Point::CompactBefore, None, json!({})), "pass");
    assert_eq!(run(&engine, Point::SessionStart, None, json!({})), "pass ! sessionStart-1: crash: exit status 3");
    assert_eq!(run(&engine, Point::SessionEnd, None, json!({})), "pass");
    let read = |name: &str| std::fs::read_to_string(project.path().join(name)).unwrap();
    assert_eq!(read("end"), r#"{"point":"session.end","session":"s"}"#);
    assert!(project.has("compact") && project.has("start"));
}

#[test]
fn one_hook_may_judge_and_watch() {
    let project = Project::new(
        "[[hook]]\nid = 'all'\ncommand = 'touch $TOLLGATE_POINT'\non = ['tool.before', 'prompt.submit', 'session.start', 'turn.stop']\n",
    );
    let engine = project.engine();
    for (point, tool) in [
        (Point::ToolBefore, Some("x")),
        (Point::PromptSubmit, None),
        (Point::SessionStart, None),
        (Point::TurnStop, None),
    ] {
        assert_eq!(run(&engine, point, tool, json!({"text": ""})), "pass", "{point}");
        assert!(project.has(point.name()), "{point}");
    }
}

const REFUSED: &str = "deny by hooks: the hooks of this project are not trusted as they are now, so they cannot be asked; the user can look at them and run `tollgate trust`";

#[test]
fn hooks_that_nobody_trusted_refuse_and_do_not_run() {
    let project = Project::new(
        "[[hook]]\ncommand = 'touch ran'\nmatch = 'write'\n[[hook]]\non = 'turn.stop'\ncommand = 'touch stopped'\n",
    );
    let engine = engine(project.plan(Layer::Project, false));
    assert_eq!(bash(&engine, "ls"), REFUSED, "nobody knows what they would say of this one");
    assert_eq!(run(&engine, Point::ToolBefore, Some("write"), json!({})), REFUSED);
    assert_eq!(run(&engine, Point::ToolAfter, Some("write"), json!({})), "pass");
    assert_eq!(run(&engine, Point::TurnStop, None, json!({})), "pass");
    assert!(!project.has("ran") && !project.has("stopped"));
}

#[test]
fn hooks_that_are_trusted_run_until_they_change() {
    let project = Project::new("[[hook]]\ncommand = 'sh guard.sh'\non_fault = 'pass'\n");
    project.write("guard.sh", "exit 0\n");
    let engine = engine(project.plan(Layer::Project, true));
    assert_eq!(bash(&engine, "ls"), "pass");
    project.write("guard.sh", "touch ran; exit 0 # changed\n");
    let told = bash(&engine, "ls").replace(project.path().to_str().unwrap(), "");
    assert_eq!(
        told,
        "deny by hook-1: `/guard.sh` is no longer what was trusted; look at it, then run `tollgate trust`"
    );
    assert!(!project.has("ran"));
    project.write("guard.sh", "exit 0\n");
    assert_eq!(bash(&engine, "ls"), "pass");
}

#[test]
fn what_is_only_observed_stops_nothing() {
    let project = Project::new("[[hook]]\ncommand = 'exit 2'\n");
    let policy = std::fs::read_to_string(project.path().join("tollgate.toml")).unwrap();
    project.write("tollgate.toml", &format!("mode = 'observe'\n{policy}"));
    assert_eq!(bash(&project.engine(), "ls"), "pass");
    assert_eq!(bash(&engine(project.plan(Layer::Project, true)), "ls"), "pass");
}

#[test]
fn explaining_names_programs_and_runs_none() {
    let project = Project::new("[[hook]]\nid = 'guard'\ncommand = 'touch ran; exit 2'\nmatch = 'bash'\n");
    let name = tollgate_wire::names();
    let (bash, read) = (name.name("Bash"), name.name("read"));
    let engine = project.engine();
    let explained = engine.explain(&Event::tool(Point::ToolBefore, &bash, "c"), json!({}).into());
    let hooks = serde_json::to_string(&explained.hooks).unwrap();
    expect![[r#"[{"id":"guard","origin":"user","command":"touch ran; exit 2","trusted":true}]"#]].assert_eq(&hooks);
    assert!(engine.explain(&Event::tool(Point::ToolBefore, &read, "c"), json!({}).into()).hooks.is_empty());
    assert!(!project.has("ran"));
}

/// The second time it comes from a cache, which keeps nothing of the machine.
#[test]
fn a_kept_plan_runs_like_a_new_one() {
    let project = Project::new("[[hook]]\ncommand = 'exit 2'\ntimeout = '3s'\n");
    let (user, cache) = (Some(project.path().join("tollgate.toml")), Some(project.path().join("cache")));
    let paths = Paths { user, cache: cache.clone(), ..Paths::default() };
    let new = load_cached(&paths).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(std::fs::read_dir(cache.unwrap()).unwrap().count(), 1);
    let plan = load_cached(&paths).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!((plan.hooks[0].timeout, &plan.hooks), (Duration::from_secs(3), &new.hooks));
    assert_eq!(bash(&engine(plan), "ls"), "deny by hook-1: blocked by hook");
}

/// A program that stands at several points has several registrations, and whoever caused an event is left out whole.
#[test]
fn a_hook_is_one_group() {
    let project = Project::new(
        "[[hook]]\nid = 'all'\ncommand = 'exit 2'\non = ['tool.before', 'prompt.submit', 'session.start', 'turn.stop']\n",
    );
    let pipeline = project.engine().pipeline();
    let groups = |point| {
        let due = pipeline.order(point, None).into_iter();
        due.filter_map(|who| Some((who.id.to_string(), who.group.as_deref()?.to_owned()))).collect::<Vec<_>>()
    };
    let own = |id: &str| vec![(id.to_owned(), "all".to_owned())];
    assert_eq!(groups(Point::TurnStop), own("all@turn.stop"));
    for (chain, expected) in [(&[][..], "deny"), (&["all"], "pass"), (&["all@prompt.submit"], "deny")] {
        let event = Event { chain, ..Event::at(Point::PromptSubmit) };
        let mut body = Body::from(json!({"text": "hello"}));
        assert_eq!(block_on(pipeline.run(&event, &mut body)).act.name(), expected, "{chain:?}");
    }
}

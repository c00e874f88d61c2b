//! One call of a server's tool, by every way there is: it has one name, and the same rules hold.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_config::{File, Layer, combine, today};
use tollgate_core::{Act, Body, Event, Point};
use tollgate_engine::state::Memory;
use tollgate_engine::{Engine, Parts};
use tollgate_rules::Still;
use tollgate_testkit::ManualClock;
use tollgate_wire::form::ActForm;
use tollgate_wire::name_of;

use super::find;
use crate::agent::{DecodedEvent, Said};
use crate::run::{self, Gate};

fn arguments() -> Value {
    json!({"owner": "me", "repo": "all"})
}

/// How an agent announces `delete_repository` of `github`: the agent, its event, the document.
fn announced() -> Vec<(&'static str, &'static str, Value)> {
    let claude = |tool: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p", "tool_use_id": "1", "tool_name": tool,
            "tool_input": arguments()})
    };
    let own = "mcp__github__delete_repository";
    let mut with_server = claude(own);
    with_server["mcp_server"] = json!({"name": "GitHub"});
    let mut gemini = claude("mcp_github_delete_repository");
    gemini["hook_event_name"] = json!("BeforeTool");
    gemini["mcp_context"] = json!({"server_name": "github", "tool_name": "delete_repository"});
    let copilot =
        |tool: &str| json!({"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": tool, "toolArgs": arguments()});
    let mut permission = copilot("github/delete_repository");
    permission["hookName"] = json!("permissionRequest");
    let vs_code = json!({"hookEventName": "PreToolUse", "sessionId": "s", "cwd": "/p", "tool_name": own, "tool_input": arguments()});
    let cursor = |event: &str, tool: &str| {
        json!({"hook_event_name": event, "cursor_version": "1", "conversation_id": "s", "tool_name": tool,
            "tool_input": arguments().to_string(), "url": "https://mcp.github.example"})
    };
    let plugin = json!({"hook": "tool.execute.before", "cwd": "/p", "servers": ["git", "github"],
        "input": {"tool": "github_delete_repository", "sessionID": "s", "callID": "1"}, "output": {"args": arguments()}});
    let openclaw = json!({"hook": "before_tool_call", "cwd": "/p", "ctx": {"sessionId": "s"},
        "event": {"toolName": "github__delete_repository", "toolCallId": "1", "params": arguments()}});
    let cline = |event: &str, key: &str, call: Value| json!({"clineVersion": "3", "hookName": event, "taskId": "s", "workspaceRoots": ["/p"], key: call});
    let wrapped =
        json!({"server_name": "github", "tool_name": "delete_repository", "arguments": arguments().to_string()});
    vec![
        ("claude-code", "PreToolUse", claude(own)),
        ("claude-code", "PreToolUse", with_server),
        ("codex", "PreToolUse", claude(own)),
        ("qwen-code", "PreToolUse", claude(own)),
        ("droid", "PreToolUse", claude(own)),
        ("gemini-cli", "BeforeTool", gemini),
        ("copilot", "preToolUse", copilot("github-delete_repository")),
        ("copilot", "permissionRequest", permission),
        ("copilot", "PreToolUse", vs_code),
        ("cursor", "preToolUse", cursor("preToolUse", "MCP:delete_repository")),
        ("cursor", "beforeMCPExecution", cursor("beforeMCPExecution", "delete_repository")),
        ("opencode", "tool.execute.before", plugin),
        ("openclaw", "before_tool_call", openclaw),
        (
            "cline",
            "tool_call",
            cline(
                "tool_call",
                "tool_call",
                json!({"id": "1", "name": "github__delete_repository", "input": arguments()}),
            ),
        ),
        (
            "cline",
            "tool_call",
            cline("tool_call", "tool_call", json!({"id": "1", "name": "use_mcp_tool", "input": wrapped})),
        ),
        (
            "cline",
            "PreToolUse",
            cline("PreToolUse", "preToolUse", json!({"toolName": "use_mcp_tool", "parameters": wrapped})),
        ),
        (
            "windsurf",
            "pre_mcp_tool_use",
            json!({"agent_action_name": "pre_mcp_tool_use", "trajectory_id": "s", "tool_info": {
            "mcp_server_name": "github", "mcp_tool_name": "delete_repository", "mcp_tool_arguments": arguments()}}),
        ),
        (
            "kiro",
            "preToolUse",
            json!({"hook_event_name": "preToolUse", "session_id": "s", "cwd": "/p",
            "tool_name": "@github/delete_repository", "tool_input": arguments()}),
        ),
        (
            "goose",
            "PreToolUse",
            json!({"event": "PreToolUse", "session_id": "s", "working_dir": "/p",
            "tool_name": "github__delete_repository", "tool_input": arguments()}),
        ),
    ]
}

fn engine(policy: &str) -> Engine {
    let text = format!("packs.use = []\n{policy}\n");
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into()).unwrap();
    let parts = Parts {
        state: Arc::new(Memory::default()),
        clock: Arc::new(ManualClock::default()),
        ambient: Arc::new(Still::default()),
        report: None,
        more: Vec::new(),
    };
    let plan = combine(vec![file], true, today()).unwrap_or_else(|wrong| panic!("{policy}: {wrong}"));
    Engine::new(plan, parts).unwrap_or_else(|wrong| panic!("{policy}: {wrong}"))
}

/// The normal name and whether it is refused, in an agent's words.
fn through_hook(engine: &Engine, agent: &str, event: &str, document: &Value) -> (String, bool) {
    let (agent, text, mut doc) = (find(agent).unwrap(), document.to_string(), Value::Null);
    let read = run::read(agent, Some(event), text.as_bytes(), &mut doc).unwrap_or_else(|answer| panic!("{answer:?}"));
    assert_eq!((read.agent.id, read.payload.hook.name), (agent.id, event), "{text}");
    let decoded = read.event.as_ref().unwrap_or_else(|problem| panic!("{text}: {problem}"));
    assert_eq!(decoded.body.json(), Ok(&arguments()), "{text}");
    let gate = Gate { pipeline: engine.pipeline(), engine: None, here: Some("/p"), tells: Vec::new() };
    let name = name_of(gate.pipeline.names(), decoded.tool.unwrap(), &decoded.readings).normal().to_owned();
    (name, matches!(run::decide(&gate, &read).said, Said::Deny(_)))
}

/// The same for an event that was not made by a hook: the library's, and that of `explain`.
fn through_event(engine: &Engine, explain: bool, tool: &str, server: Option<&str>) -> (String, bool) {
    let pipeline = engine.pipeline();
    // A name made without the server, as whoever has an event of its own may.
    let name = if explain { pipeline.names().tool_of(tool, server) } else { pipeline.name(tool) };
    let event = Event { server, cwd: Some("/p"), ..Event::tool(Point::ToolBefore, &name, "1") };
    let normal = pipeline.names().tool_of(tool, server).normal().to_owned();
    let refused = match explain {
        true => matches!(engine.explain(&event, Body::from(arguments())).act, ActForm::Deny { .. }),
        false => matches!(pipeline.run_now(&event, &mut Body::from(arguments())).act, Act::Deny(_)),
    };
    (normal, refused)
}

/// A policy, whether it refuses the call, and whether it does where the server has no name.
const POLICIES: &[(&str, bool, bool)] = &[
    ("", false, false),
    ("[[rule]]\nid = 'a'\ntool = 'mcp__github__delete_repository'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = 'MCP__GitHub__Delete_*'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = 'mcp__github__*'\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = 'mcp__gitlab__*'\ndeny = 'no'", false, false),
    ("[[rule]]\nid = 'a'\ntool = 'delete_repository'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = 'delete_*'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = { regex = '^delete_' }\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = 'github__delete_repository'\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = '@github/delete_*'\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = 'mcp_github_delete_repository'\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = 'github-delete_repository'\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = { one_of = ['github/delete_repository'] }\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = 'MCP:delete_repository'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\nkind = 'mcp'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = '*'\nserver = { eq = 'github' }\ndeny = 'no'", true, false),
    ("[[rule]]\nid = 'a'\ntool = '*'\narg.repo = 'all'\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = '*'\nwhen = \"tool == 'mcp__github__delete_repository'\"\ndeny = 'no'", true, false),
    // Only the agent's own tool of that name is let through.
    ("[[rule]]\nid = 'a'\ntool = '*'\nnot = { tool = 'delete_repository' }\ndeny = 'no'", true, true),
    ("[[rule]]\nid = 'a'\ntool = '*'\nnot = { tool = 'mcp__github__delete_repository' }\ndeny = 'no'", false, true),
    ("[[rule]]\nid = 'a'\ntool = '*'\nnot = { not = { tool = 'delete_repository' } }\ndeny = 'no'", true, true),
    ("[tools]\ndeny = ['delete_repository']", true, true),
    ("[tools]\nadmin = ['delete_repository']\nallow = ['delete_repository']", true, true),
    ("[tools]\nallow = ['delete_repository']", true, true),
    ("[tools]\nallow = ['delete_*']", true, true),
    ("[tools]\nallow = ['mcp__github__*']", false, true),
    ("[tools]\nallow = ['@github/delete_repository']", false, true),
    ("[tools]\nallow = ['github__*']", false, true),
    ("[tools]\nallow = ['*']", false, false),
    ("default = 'deny'\n[tools]\nread = ['delete_repository']", true, true),
    ("default = 'deny'\n[tools]\nread = ['mcp__github__delete_repository']", false, true),
    ("[[require]]\ntool = 'delete_repository'\narg.repo = 'none'", true, true),
    ("[[limit]]\nid = 'l'\ntool = 'delete_repository'\nmax = 1\ncost = 'arg.n'\ndeny = 'too many'", true, true),
];

#[test]
fn the_call_of_a_servers_tool_is_one_call_everywhere() {
    let announced = announced();
    assert!(super::AGENTS.iter().all(|agent| announced.iter().any(|(id, ..)| *id == agent.id)), "an agent is missing");
    for (policy, refused, nameless) in POLICIES {
        let engine = engine(policy);
        for (agent, event, document) in &announced {
            let expected = match *agent {
                "cursor" => ("mcp____delete_repository".to_owned(), *nameless),
                _ => ("mcp__github__delete_repository".to_owned(), *refused),
            };
            assert_eq!(through_hook(&engine, agent, event, document), expected, "{agent} {event}: {policy}");
        }
        let expected = ("mcp__github__delete_repository".to_owned(), *refused);
        for explain in [false, true] {
            for (tool, server) in [("delete_repository", Some("GitHub")), ("mcp__github__delete_repository", None)] {
                assert_eq!(through_event(&engine, explain, tool, server), expected, "{explain} {tool}: {policy}");
            }
        }
    }
}

#[test]
fn a_limit_for_each_tool_counts_a_call_whichever_agent_makes_it() {
    let policy = "[[limit]]\nid = 'l'\ntool = '*'\nper = 'tool'\nmax = 1\ndeny = 'too many'";
    for (agent, event, document) in announced().iter().filter(|(agent, ..)| *agent != "cursor") {
        let engine = engine(policy);
        let first = through_event(&engine, false, "delete_repository", Some("github"));
        assert!(!first.1 && through_hook(&engine, agent, event, document).1, "{agent} {event}");
    }
}

/// What was put around the arguments is put around those that a rule makes of them, too.
#[test]
fn a_wrapped_call_is_rewritten_within_its_wrapping() {
    let engine = engine("[[rule]]\nid = 'a'\ntool = 'mcp__github__*'\nrewrite = [{ set = { repo = 'one' } }]");
    let gate = Gate { pipeline: engine.pipeline(), engine: None, here: Some("/p"), tells: Vec::new() };
    let rewritten = json!({"owner": "me", "repo": "one"});
    let input = |arguments: Value| json!({"server_name": "github", "tool_name": "x", "arguments": arguments});
    for (call, expected) in [
        (json!({"name": "use_mcp_tool", "input": input(arguments())}), input(rewritten.clone())),
        (
            json!({"name": "use_mcp_tool", "input": input(json!(arguments().to_string()))}),
            input(json!(rewritten.to_string())),
        ),
        (json!({"name": "github__x", "input": arguments()}), rewritten.clone()),
    ] {
        let text = json!({"clineVersion": "3", "hookName": "tool_call", "workspaceRoots": ["/p"], "tool_call": call})
            .to_string();
        let mut doc = Value::Null;
        let read = run::read(find("cline").unwrap(), None, text.as_bytes(), &mut doc).unwrap();
        let answer: Value = serde_json::from_str(&run::answer(&gate, &read).stdout).unwrap();
        assert_eq!(answer["overrideInput"], expected, "{text}");
    }
}

/// What a call is known by where its agent does not number it: two tools with equal arguments are two calls.
#[test]
fn two_tools_of_a_server_are_not_one() {
    let sort =
        |agent: &str, tool: &'static str| run::sort(&DecodedEvent::default().of_tool(agent, tool, None)).unwrap();
    for (agent, tool, expected) in [
        ("claude-code", "mcp__s__list", "mcp__s__list"),
        ("claude-code", "mcp__s__delete", "mcp__s__delete"),
        ("kiro", "@s/Delete", "mcp__s__delete"),
        ("copilot", "s-delete", "mcp__s__delete"),
        ("copilot", "s/delete", "mcp__s__delete"),
        // The same call under several names.
        ("copilot", "create", "write"),
        ("copilot", "Write", "write"),
        ("opencode", "my_tool", "my_tool"),
    ] {
        assert_eq!(sort(agent, tool), expected, "{agent} {tool}");
    }
}

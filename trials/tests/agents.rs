//! Real coding agents, guarded by the real program, with a model that follows a script.
//!
//! Everything here is about what nobody can prove alone: that an agent honours what Tollgate answers.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "agents/cases.rs"]
mod cases;
#[path = "agents/peer.rs"]
mod peer;
#[path = "../../xtask/src/peers/place.rs"]
mod place;
#[path = "agents/served.rs"]
mod served;
#[path = "agents/world.rs"]
mod world;

use cases::{ALLOWED, DENIED, POLICY, breaks, guards, panics, saw};
use peer::{CLAUDE_CODE, CODEX, COPILOT, GEMINI_CLI};
use served::guards_servers;
use tollgate_testkit::{Call, ScriptedModel};
use world::World;

#[test]
fn claude_code_is_guarded() {
    guards(&CLAUDE_CODE);
}

#[test]
fn codex_is_guarded() {
    guards(&CODEX);
}

#[test]
fn gemini_cli_is_guarded() {
    guards(&GEMINI_CLI);
}

#[test]
fn copilot_is_guarded() {
    guards(&COPILOT);
}

#[test]
fn claude_code_is_guarded_with_an_mcp_server() {
    guards_servers(&CLAUDE_CODE);
}

#[test]
fn codex_is_guarded_with_an_mcp_server() {
    guards_servers(&CODEX);
}

#[test]
fn gemini_cli_is_guarded_with_an_mcp_server() {
    guards_servers(&GEMINI_CLI);
}

#[test]
fn copilot_is_guarded_with_an_mcp_server() {
    guards_servers(&COPILOT);
}

#[test]
fn claude_code_with_a_hook_that_is_killed() {
    breaks(&CLAUDE_CODE, World::killed, CLAUDE_CODE.killed);
}

#[test]
fn claude_code_with_a_hook_that_panics() {
    panics(&CLAUDE_CODE);
}

#[test]
fn claude_code_without_its_hook() {
    breaks(&CLAUDE_CODE, World::missing, CLAUDE_CODE.missing);
}

#[test]
fn codex_with_a_hook_that_is_killed() {
    breaks(&CODEX, World::killed, CODEX.killed);
}

#[test]
fn codex_with_a_hook_that_panics() {
    panics(&CODEX);
}

#[test]
fn codex_without_its_hook() {
    breaks(&CODEX, World::missing, CODEX.missing);
}

#[test]
fn gemini_cli_with_a_hook_that_is_killed() {
    breaks(&GEMINI_CLI, World::killed, GEMINI_CLI.killed);
}

#[test]
fn gemini_cli_with_a_hook_that_panics() {
    panics(&GEMINI_CLI);
}

#[test]
fn gemini_cli_without_its_hook() {
    breaks(&GEMINI_CLI, World::missing, GEMINI_CLI.missing);
}

#[test]
fn copilot_with_a_hook_that_is_killed() {
    breaks(&COPILOT, World::killed, COPILOT.killed);
}

#[test]
fn copilot_with_a_hook_that_panics() {
    panics(&COPILOT);
}

#[test]
fn copilot_without_its_hook() {
    breaks(&COPILOT, World::missing, COPILOT.missing);
}

/// Copilot also runs the hooks that a project has for Claude Code. Whoever installs Tollgate for both has two processes
/// for each call.
#[test]
fn copilot_with_two_hooks_answers_alike_and_records_once() {
    let world = World::with(POLICY);
    let model = ScriptedModel::start([DENIED, ALLOWED].map(Call::shell).to_vec()).unwrap();
    (COPILOT.settings)(&world, model.address());
    world.register("copilot", &[]);
    world.register("claude-code", &["--project"]);
    world.counted();
    let mut command = (COPILOT.start)(&world, model.address());
    // A folder that is trusted: only there are its hooks run.
    let (_, printed) = world.run(command.env("COPILOT_ALLOW_ALL", "true"));
    assert!(model.was_finished(), "{}: {printed}", saw(&model));
    assert_eq!(world.made("denied.txt"), None, "the refused call ran");
    assert_eq!(world.made("allowed.txt").as_deref(), Some("forty-two"));
    let records = world.records();
    let acts = |point: &str| -> Vec<&str> {
        records.iter().filter(|record| record["point"] == point).filter_map(|record| record["act"].as_str()).collect()
    };
    assert_eq!(acts("tool.before"), ["deny", "pass"], "{records:#?}");
    assert_eq!(acts("tool.after"), ["pass", "pass"], "{records:#?}");
    // A call that the first hook refuses is not shown to the second.
    let [before, after, again] = ["hook copilot preToolUse", "hook copilot postToolUse", "hook claude-code"];
    let asked = world.asked();
    assert!(asked.windows(5).any(|asked| *asked == [before, before, again, after, again]), "{asked:?}");
}

//! The agents: how each is told of a hook, how it is started, and what it does when the hook is broken.

#![allow(dead_code, reason = "each test file uses its part")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::world::World;

/// What becomes of a call whose hook did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Runs,
    DoesNotRun,
}

/// A coding agent.
pub(crate) struct Peer {
    /// Tollgate's name for it.
    pub(crate) id: &'static str,
    /// Writes its settings: this program is its hook, before and after each call.
    pub(crate) register: fn(&World, &Path),
    /// Starts it, with a model that listens there.
    pub(crate) start: fn(&World, SocketAddr) -> Command,
    /// When its hook is killed.
    pub(crate) killed: Then,
    /// When its hook is not there.
    pub(crate) missing: Then,
    /// Whether somebody gets to see the reason when a refusal is an exit status.
    pub(crate) tells: bool,
}

/// Seconds that a hook gets: well more than it takes for itself.
const PATIENCE: u64 = 60;

fn hook(program: &Path, agent: &str) -> String {
    format!("{} hook {agent}", program.display())
}

/// The layout that Claude Code began and others took over.
fn settings(events: [&str; 2], handler: &Value) -> Value {
    let entries = events.map(|event| (event.to_owned(), json!([{ "matcher": "*", "hooks": [handler] }])));
    json!({ "hooks": serde_json::Map::from_iter(entries) })
}

/// Registers Claude Code's hook in one of its files.
pub(crate) fn register_claude_code(world: &World, file: &str, program: &Path) {
    let command = hook(program, "claude-code");
    let handler = json!({ "type": "command", "command": command, "timeout": PATIENCE, "onFailure": "block" });
    world.write(file, &settings(["PreToolUse", "PostToolUse"], &handler).to_string());
}

pub(crate) static CLAUDE_CODE: Peer = Peer {
    id: "claude-code",
    register: |world, program| register_claude_code(world, "home/.claude/settings.json", program),
    start: |world, model| {
        // What the package's own command would start, had its script been run.
        let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let mut command = world.agent(&format!("@anthropic-ai/claude-code-linux-{machine}/claude"));
        command.args(["-p", "go", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"]);
        command.env("ANTHROPIC_BASE_URL", format!("http://{model}")).env("ANTHROPIC_API_KEY", "fake");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        command.env("DISABLE_TELEMETRY", "1").env("DISABLE_ERROR_REPORTING", "1").env("ENABLE_TOOL_SEARCH", "false");
        command
    },
    killed: Then::DoesNotRun,
    missing: Then::DoesNotRun,
    tells: true,
};

pub(crate) static CODEX: Peer = Peer {
    id: "codex",
    register: |world, program| {
        let handler = json!({ "type": "command", "command": hook(program, "codex"), "timeout": PATIENCE });
        world.write("home/.codex/hooks.json", &settings(["PreToolUse", "PostToolUse"], &handler).to_string());
    },
    start: |world, model| {
        let config = format!(
            r#"
            model = "gpt-5.5"
            model_provider = "scripted"
            approval_policy = "never"
            sandbox_mode = "danger-full-access"
            [model_providers.scripted]
            name = "scripted"
            base_url = "http://{model}/v1"
            wire_api = "responses"
            env_key = "SCRIPTED_KEY"
            [analytics]
            enabled = false
            "#
        );
        world.write("home/.codex/config.toml", &config);
        let mut command = world.agent(".bin/codex");
        command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"]);
        command.env("SCRIPTED_KEY", "fake");
        command
    },
    killed: Then::Runs,
    missing: Then::Runs,
    tells: true,
};

pub(crate) static GEMINI_CLI: Peer = Peer {
    id: "gemini-cli",
    register: |world, program| {
        // Milliseconds here.
        let handler = json!({
            "type": "command", "name": "tollgate", "command": hook(program, "gemini-cli"), "timeout": PATIENCE * 1000,
        });
        let mut settings = settings(["BeforeTool", "AfterTool"], &handler);
        let auth = json!({ "selectedType": "gemini-api-key" });
        settings["security"] = json!({ "auth": auth, "folderTrust": { "enabled": false } });
        settings["privacy"] = json!({ "usageStatisticsEnabled": false });
        world.write("home/.gemini/settings.json", &settings.to_string());
    },
    start: |world, model| {
        let mut command = world.agent(".bin/gemini");
        command.args(["-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash", "--skip-trust"]);
        command.env("GEMINI_API_KEY", "fake").env("GOOGLE_GEMINI_BASE_URL", format!("http://{model}"));
        command
    },
    killed: Then::Runs,
    missing: Then::DoesNotRun,
    tells: true,
};

pub(crate) static COPILOT: Peer = Peer {
    id: "copilot",
    register: |world, program| {
        // Its documents do not say which event they are about.
        let handler = |event: &str| {
            let command = format!("{} {event}", hook(program, "copilot"));
            json!([{ "type": "command", "bash": command, "timeoutSec": PATIENCE }])
        };
        let hooks = json!({ "preToolUse": handler("preToolUse"), "postToolUse": handler("postToolUse") });
        world.write("home/.copilot/hooks/tollgate.json", &json!({ "version": 1, "hooks": hooks }).to_string());
    },
    start: |world, model| {
        let mut command = world.agent(".bin/copilot");
        command.args(["-p", "go", "--allow-all-tools"]);
        command.env("COPILOT_OFFLINE", "true").env("COPILOT_AUTO_UPDATE", "false").env("COPILOT_MODEL", "gpt-4.1");
        command.env("COPILOT_PROVIDER_BASE_URL", format!("http://{model}/v1")).env("COPILOT_PROVIDER_API_KEY", "fake");
        command
    },
    killed: Then::DoesNotRun,
    missing: Then::DoesNotRun,
    tells: false,
};

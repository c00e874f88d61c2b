//! The agents: what their users have set, how each is started, and what it does when the hook is broken.

#![allow(dead_code, reason = "each test file uses its part")]

use std::net::SocketAddr;
use std::process::Command;

use serde_json::json;

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
    /// Writes the settings that its user has, with a model that listens there, and a comment where that may be.
    pub(crate) settings: fn(&World, SocketAddr),
    /// Gives it an MCP server, as its user would: a name, and the program with its arguments.
    pub(crate) serve: fn(&World, &str, &[&str]),
    /// Starts it, with a model that listens there.
    pub(crate) start: fn(&World, SocketAddr) -> Command,
    /// When its hook is killed.
    pub(crate) killed: Then,
    /// When its hook is not there.
    pub(crate) missing: Then,
}

pub(crate) static CLAUDE_CODE: Peer = Peer {
    id: "claude-code",
    settings: |world, _| {
        // It reads no comments.
        let settings = "{\n  \"model\": \"claude-sonnet-4-5\",\n  \"hooks\": { \"Stop\": [] }\n}\n";
        world.write("home/.claude/settings.json", settings);
    },
    serve: |world, name, program| {
        let server = json!({ "type": "stdio", "command": program[0], "args": program[1..] });
        world.write("home/.claude.json", &json!({ "mcpServers": { name: server } }).to_string());
    },
    start: |world, model| {
        // What the package's own command would start, had its script been run.
        let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let mut command = world.agent(&format!("@anthropic-ai/claude-code-linux-{machine}/claude"));
        command.args(["-p", "go", "--allowedTools", "Bash,mcp__desk"]);
        command.env("ANTHROPIC_BASE_URL", format!("http://{model}")).env("ANTHROPIC_API_KEY", "fake");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        command.env("DISABLE_TELEMETRY", "1").env("DISABLE_ERROR_REPORTING", "1").env("ENABLE_TOOL_SEARCH", "false");
        // It does not begin before its servers are there.
        command.env("MCP_CONNECTION_NONBLOCKING", "0").env("MCP_CONNECT_TIMEOUT_MS", "60000");
        command
    },
    killed: Then::DoesNotRun,
    missing: Then::DoesNotRun,
};

pub(crate) static CODEX: Peer = Peer {
    id: "codex",
    settings: |world, model| {
        let config = format!(
            r#"
            # mine
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
        // It reads no comments there.
        world.write("home/.codex/hooks.json", "{ \"hooks\": {} }\n");
    },
    serve: |world, name, program| {
        let config = std::fs::read_to_string(world.home().join(".codex/config.toml")).unwrap();
        let server =
            format!("[mcp_servers.{name}]\ncommand = {:?}\nargs = {:?}\nrequired = true\n", program[0], &program[1..]);
        // Newer models are not shown the tools of servers; they have to search for them.
        world.write("home/.codex/config.toml", &(config.replace("gpt-5.5", "gpt-5.2") + &server));
    },
    // Hooks that nobody trusts are skipped here.
    start: |world, _| {
        let mut command = world.agent(".bin/codex");
        command.args(["exec", "--skip-git-repo-check", "go"]);
        command.env("SCRIPTED_KEY", "fake");
        command
    },
    killed: Then::Runs,
    missing: Then::Runs,
};

pub(crate) static GEMINI_CLI: Peer = Peer {
    id: "gemini-cli",
    settings: |world, _| {
        let auth = json!({ "selectedType": "gemini-api-key" });
        let security = json!({ "auth": auth, "folderTrust": { "enabled": false } });
        let settings = json!({ "security": security, "privacy": { "usageStatisticsEnabled": false } });
        world.write("home/.gemini/settings.json", &format!("// mine\n{settings:#}\n"));
    },
    serve: |world, name, program| {
        let server = json!({ "command": program[0], "args": program[1..] });
        world.write("project/.gemini/settings.json", &json!({ "mcpServers": { name: server } }).to_string());
    },
    start: |world, model| {
        let mut command = world.agent(".bin/gemini");
        command.args(["-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash", "--skip-trust"]);
        command.env("GEMINI_API_KEY", "fake").env("GOOGLE_GEMINI_BASE_URL", format!("http://{model}"));
        command
    },
    killed: Then::Runs,
    missing: Then::DoesNotRun,
};

pub(crate) static COPILOT: Peer = Peer {
    id: "copilot",
    settings: |world, _| {
        world.write("home/.copilot/settings.json", "// mine\n{ \"theme\": \"dark\" }\n");
    },
    serve: |world, name, program| {
        let server = json!({ "type": "local", "command": program[0], "args": program[1..], "tools": ["*"] });
        world.write("home/.copilot/mcp-config.json", &json!({ "mcpServers": { name: server } }).to_string());
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
};

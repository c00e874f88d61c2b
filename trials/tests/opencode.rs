//! OpenCode, guarded by the real program, with a model that follows a script.
//!
//! Its hooks are JavaScript: the plugin that Tollgate makes is tried here, too.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
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

use cases::{breaks, guards};
use peer::{Peer, Then};
use serde_json::json;
use served::guards_servers;
use world::World;

static OPENCODE: Peer = Peer {
    id: "opencode",
    settings: |world, model| {
        let options = json!({ "baseURL": format!("http://{model}/v1"), "apiKey": "fake" });
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options,
            "models": { "scripted": { "name": "scripted" } },
        });
        let config = json!({
            "provider": { "scripted": provider }, "model": "scripted/scripted", "permission": { "*": "allow" },
            "autoupdate": false, "share": "disabled",
        });
        world.write("home/.config/opencode/opencode.json", &format!("// mine\n{config:#}\n"));
    },
    serve: |world, name, program| {
        let server = json!({ "type": "local", "command": program });
        world.write("project/opencode.json", &json!({ "mcp": { name: server } }).to_string());
    },
    start: |world, _| {
        let mut command = world.agent("opencode-linux-x64/bin/opencode");
        command.args(["run", "go", "--format", "json"]);
        command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
        command.env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
        command
    },
    killed: Then::DoesNotRun,
    missing: Then::DoesNotRun,
    // A prompt that is refused looks like any other error of its own.
};

#[test]
fn opencode_is_guarded() {
    guards(&OPENCODE);
}

#[test]
fn opencode_without_the_program() {
    breaks(&OPENCODE, World::missing, OPENCODE.missing);
}

#[test]
fn opencode_is_guarded_with_an_mcp_server() {
    guards_servers(&OPENCODE);
}

//! Runs what cannot be trusted somewhere else: a hook names the place, a provider goes there.
//!
//! The provider here is the smallest there is: an empty folder and an empty environment. It keeps files
//! and variables apart, nothing more; a real one would also take away the network and the rest of the disk.
//! A command that comes with a route is judged like any other call before it runs.
//!
//! Prints:
//!
//! ```text
//! ls           {"output":"ran here","ran":"ls"}
//! downloaded   {"exitCode":0,"stdout":"in an empty folder, HOME is unset\n"}
//! dangerous    {"status":"blocked","tool":"exec","reason":"rm -rf is not allowed"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, process};

use serde_json::{Value, json};
use tollgate::{
    AgentContext, AgentHooks, AgentToolCall, Call, Gate, Route, Tool, ToolCallDecision, ToolError, Verdict, block_on,
};

const SCRIPT: &str = r#"[ -z "$(ls -A)" ] && echo "in an empty folder, HOME is ${HOME-unset}""#;

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.before_tool("no-rm-rf").tool("exec").guard(|_call, args| {
        let bad = args.text("command").is_some_and(|command| command.contains("rm -rf"));
        bad.then(|| Verdict::deny("rm -rf is not allowed"))
    })?;
    let untrusted = |call: &AgentToolCall, _context: &AgentContext| match call.arguments["command"].as_str() {
        // Whoever routes a call may also say what is to run there.
        Some(command) if command.contains("downloads/") => {
            let script = command.replace("sh downloads/setup.sh", SCRIPT);
            ToolCallDecision::route_to(Route::to("empty-folder"), Some(&script))
        }
        _ => ToolCallDecision::allow(),
    };
    AgentHooks::new().pre_tool_use(untrusted).install(&gate)?;
    gate.on_route(|_route, call| async move { run_in_empty_folder(&call) });

    let session = gate.session("s-1");
    let exec =
        Tool::new("exec", |call| async move { Ok(json!({"output": "ran here", "ran": call.params["command"]})) });
    for (what, command) in
        [("ls", "ls"), ("downloaded", "sh downloads/setup.sh"), ("dangerous", "sh downloads/setup.sh && rm -rf /")]
    {
        let call = Call::new("call", json!({"command": command}));
        println!("{what:<12} {}", block_on(session.call(&exec, call)).value);
    }
    Ok(())
}

fn run_in_empty_folder(call: &Call) -> Result<Value, ToolError> {
    let command = call.params["command"].as_str().ok_or("no command to run")?;
    let folder = Folder::new()?;
    let output = Command::new("/bin/sh").args(["-c", command]).current_dir(&folder.0).env_clear().output()?;
    Ok(json!({"exitCode": output.status.code(), "stdout": String::from_utf8_lossy(&output.stdout)}))
}

/// A folder that is gone when we are done with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let path = env::temp_dir().join(format!("tollgate-example-{}", process::id()));
        fs::create_dir(&path).map(|()| Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

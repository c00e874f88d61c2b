//! Keeps a record of every decision, and proves afterwards that nobody changed it.
//!
//! The recorder is a watcher at every point. It takes credentials out, chains and signs what it writes, and a call that
//! it cannot record does not happen. Name a folder to keep the log there and look at it:
//!
//! ```sh
//! cargo run --example record -- /tmp/demo
//! cargo run -q -p tollgate-cli -- log --dir /tmp/demo/audit
//! ```
//!
//! Prints:
//!
//! ```text
//! 2 tool.before pass  {"command":"git status"}
//! 3 tool.after  pass  ended ok
//! 4 tool.before deny  {"command":"sudo reboot"}
//! 5 tool.after  pass  ended denied
//! 6 tool.before pass  {"password":"[redacted:password]","user":"ada"}
//! 7 tool.after  pass  ended error
//! 7 records fit together
//! then somebody writes `pass` for `deny`: record 4 is bad
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tollgate::{Call, Gate, SystemClock, Tool, ToolError, Verdict, block_on};
use tollgate_audit::{Known, Log, Reader, Recorder, RecorderSettings, Settings, verify};

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = given.clone().unwrap_or_else(|| std::env::temp_dir().join(format!("record-{}", std::process::id())));
    let (dir, keys) = (folder.join("audit"), folder.join("keys"));

    let log = Arc::new(Log::open(&dir, &keys, Settings::default(), Arc::new(SystemClock::default()))?);
    let recorder = Recorder::new(log, RecorderSettings::default())?;
    run(&recorder)?;
    show(&dir)?;

    let known = Known { key: Some(recorder.log().keys().public()), ..Known::default() };
    let found = verify(&dir, &known, &mut |_| {})?;
    println!("{} records fit together", found.records);
    if given.is_none() {
        let first = dir.join("000000000001.log");
        std::fs::write(&first, std::fs::read_to_string(&first)?.replace("\"act\":\"deny\"", "\"act\":\"pass\""))?;
        let flaw = verify(&dir, &known, &mut |_| {})?.flaw.ok_or("nobody noticed")?;
        println!("then somebody writes `pass` for `deny`: record {} is bad", flaw.seq);
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// A session with three calls.
fn run(recorder: &Recorder) -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.add_all(recorder.registrations())?;
    gate.before_tool("no-sudo").tool("exec").guard(|_call, args| {
        let sudo = args.text("command").is_some_and(|command| command.contains("sudo"));
        sudo.then(|| Verdict::deny("there is no sudo here"))
    })?;
    let session = gate.session("s-1").agent("main");
    let bash = Tool::new("Bash", |_call| async { Ok(json!({"output": "clean"})) });
    let login = Tool::new("login", |_call| async { Err(ToolError("wrong password".to_owned())) });
    block_on(session.call(&bash, Call::new("call-1", json!({"command": "git status"}))));
    block_on(session.call(&bash, Call::new("call-2", json!({"command": "sudo reboot"}))));
    block_on(session.call(&login, Call::new("call-3", json!({"user": "ada", "password": "hunter2hunter2"}))));
    Ok(())
}

fn show(dir: &Path) -> Result<(), Box<dyn Error>> {
    for entry in Reader::new(dir).entries_from(2)? {
        let entry = entry?;
        let (record, arguments) = (entry.record, entry.fields.value("arguments"));
        let (point, act) = (record.point.unwrap_or_default(), record.act.unwrap_or_default());
        let ended = record.ended.map(|how| format!("ended {how}"));
        let what = arguments.map(|arguments| arguments.to_string()).or(ended).unwrap_or_default();
        println!("{} {point:<11} {act:<5} {what}", record.seq);
    }
    Ok(())
}

//! `tollgate try`
//!
//! A short session of an agent, played through the real hook as the agent would: a process for every event, in a scratch
//! folder with a policy and a record of its own.

use std::fmt::Write as _;
use std::fs::DirBuilder;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::{Done, Failure};
use crate::output::{Paint, print, visible, wrap};

const POLICY: &str = include_str!("tryout/policy.toml");
const SESSION: &str = include_str!("tryout/session.json");

pub(super) fn run(keep: bool, paint: Paint) -> Done {
    let scratch = Scratch::new(keep)?;
    let steps: Vec<Value> = serde_json::from_str(SESSION).map_err(|error| error.to_string())?;
    print(&format!("{}\n{ABOUT}\n", paint.bold("A session of an agent, as its hook sees it")))?;
    for (number, step) in steps.iter().enumerate() {
        let told = scratch.play(step, number)?;
        print(&shown(number + 1, step, &told, paint))?;
    }
    print(&format!("{}\n\n", paint.bold("The record of it (tollgate log)")))?;
    print(&scratch.tollgate(&["log", "--color", colour(paint)])?)?;
    print(&format!("\n{}\n\n", paint.bold("The proof that nobody changed it (tollgate log verify)")))?;
    print(&scratch.tollgate(&["log", "verify", "--color", colour(paint)])?)?;
    print(&format!("\n{}\n{NEXT}", paint.bold("What next")))?;
    if keep {
        print(&format!("\nkept: {}\n", visible(&scratch.folder.display().to_string())))?;
    }
    Ok(ExitCode::SUCCESS)
}

const ABOUT: &str = "
Recorded events of a coding agent go through the real hook, with the default
packs and two entries of a policy. Nothing of what they speak of is run, and no
settings are touched.
";

const NEXT: &str = "
  tollgate init                guard your agents: shows what it would write, asks
  tollgate doctor              prove that they are guarded
  tollgate explain 'COMMAND'   what would happen to a command, and why
  tollgate init --policy       start a policy of your own
";

fn colour(paint: Paint) -> &'static str {
    if paint.on() { "always" } else { "never" }
}

/// What the hook said to one event, and how long that took.
struct Told {
    answer: Value,
    millis: f64,
}

impl Told {
    fn text(&self, pointer: &str) -> Option<&str> {
        self.answer.pointer(&format!("/hookSpecificOutput/{pointer}"))?.as_str()
    }
}

/// One step for people: what the agent wanted, and what became of it.
fn shown(number: usize, step: &Value, told: &Told, paint: Paint) -> String {
    let text = |pointer: &str| step.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let mut out = format!("  {}  {}\n", paint.bold(&number.to_string()), visible(text("/about")));
    let _ = writeln!(out, "     {} {}", paint.dim("agent "), visible(text("/shown")));
    let verdict = match (told.text("permissionDecisionReason"), told.text("updatedInput/command")) {
        (Some(reason), _) => format!("{} {}", paint.red("stops "), wrap(&visible(reason), 12, 80).trim_start()),
        (_, Some(command)) => format!("{} {}", paint.yellow("runs  "), visible(command)),
        _ => match told.text("updatedToolOutput/stdout") {
            Some(output) => format!("{} {}", paint.yellow("reads "), visible(output)),
            None => format!("{} nothing is said, so the agent goes on", paint.green("passes")),
        },
    };
    let _ = writeln!(out, "     {verdict}");
    let _ = writeln!(out, "     {}\n", paint.dim(&format!("{:.1} ms, the whole process", told.millis)));
    out
}

/// A folder for one session: a home with a policy, and a project.
struct Scratch {
    folder: PathBuf,
    keep: bool,
}

impl Scratch {
    fn new(keep: bool) -> Result<Self, Failure> {
        let folder = own_folder(&std::env::temp_dir())?;
        let scratch = Self { folder, keep };
        let policy = scratch.home().join(".config/tollgate");
        let made = std::fs::create_dir_all(scratch.project())
            .and_then(|()| std::fs::create_dir_all(&policy))
            .and_then(|()| std::fs::write(policy.join(tollgate_config::FILE_NAME), POLICY));
        made.map_err(|error| format!("cannot fill the scratch folder {}: {error}", scratch.folder.display()))?;
        Ok(scratch)
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// This very program, with nothing of this user's around it.
    fn command(&self, args: &[&str]) -> Result<Command, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(args).env_clear().env("HOME", self.home()).current_dir(self.project());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Ok(command)
    }

    fn tollgate(&self, args: &[&str]) -> Result<String, Failure> {
        let output = self.command(args)?.output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Gives an event to the hook, as the agent does.
    fn play(&self, step: &Value, number: usize) -> Result<Told, Failure> {
        let event = event(step, &self.project(), number);
        let started = Instant::now();
        let output = self.hook(&event)?;
        let millis = started.elapsed().as_secs_f64() * 1000.0;
        let said = String::from_utf8_lossy(&output.stdout);
        let answer = if said.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&said) };
        match (answer, output.status.success()) {
            (Ok(answer), true) => Ok(Told { answer, millis }),
            _ => Err(Failure::Said(format!(
                "the hook broke: {}; `tollgate doctor` says what is wrong",
                visible(String::from_utf8_lossy(&output.stderr).trim())
            ))),
        }
    }

    fn hook(&self, event: &Value) -> Result<Output, Failure> {
        let mut command = self.command(&["hook", "claude-code"])?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(event.to_string().as_bytes())?;
        }
        Ok(child.wait_with_output()?)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// A folder that was not there before and that only we can enter: in a folder for everybody, others could have made one
/// of that name, with a policy of theirs in it.
fn own_folder(within: &Path) -> Result<PathBuf, Failure> {
    let cannot = |path: &Path, error| format!("cannot make a scratch folder at {}: {error}", path.display());
    let mut number = 0;
    loop {
        let path = within.join(format!("tollgate-try-{}-{number}", std::process::id()));
        match private().create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(cannot(&path, error).into()),
        }
    }
}

#[cfg(unix)]
fn private() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}

/// An event as Claude Code writes it.
fn event(step: &Value, project: &Path, number: usize) -> Value {
    let mut event = json!({
        "session_id": "5d1c6e0a-try",
        "transcript_path": project.join("session.jsonl"),
        "cwd": project,
        "prompt_id": "try",
        "permission_mode": "default",
        "tool_use_id": format!("toolu_{number}"),
    });
    if let (Value::Object(event), Some(Value::Object(own))) = (&mut event, step.get("event")) {
        event.extend(own.clone());
    }
    event
}

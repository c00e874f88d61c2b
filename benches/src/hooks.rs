//! What a hook costs as a whole process: ours, `/bin/true` started the same way, and other people's.
//!
//! All are started in turn, round after round, with the same event on standard input and the answer read to its end, as
//! an agent does it. Before that, each must let an everyday command pass and refuse `rm -rf /`: what answers nothing is
//! fast, too.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::json;

/// A hook that somebody could register.
pub struct Hook {
    /// Its name and version.
    pub name: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Whether it judges anything; `/bin/true` does not.
    pub judges: bool,
}

impl Hook {
    /// A hook that judges.
    pub fn new(name: &str, words: &[&str]) -> Self {
        Self { name: name.to_owned(), words: words.iter().map(|word| (*word).to_owned()).collect(), judges: true }
    }

    /// A program that reads nothing and says nothing.
    pub fn floor(program: &str) -> Self {
        Self { judges: false, ..Self::new(program, &[program]) }
    }
}

/// How long a hook took, in milliseconds, sorted.
pub struct Times {
    /// Which hook.
    pub name: String,
    millis: Vec<f64>,
}

impl Times {
    /// The time that this share of all runs stayed below.
    pub fn at(&self, share: f64) -> f64 {
        let last = self.millis.len().saturating_sub(1);
        // A share of a small count: nothing is lost.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "as said"
        )]
        let index = ((last as f64) * share).round() as usize;
        self.millis.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// Where everything happens: a folder that is nobody's, so that no settings are found.
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// A new one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("tollgate-bench-hook-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("home"))?;
        std::fs::create_dir_all(folder.join("project"))?;
        Ok(Self { folder })
    }

    /// A program where an installer would have put it. A file that was copied at once lies in memory in large pieces, one
    /// that a linker has written here and there does not, and takes longer to start.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn install(&self, program: &str) -> std::io::Result<String> {
        let installed = self.folder.join("home/hook");
        std::fs::copy(program, &installed)?;
        Ok(text(&installed))
    }

    fn event(&self, command: &str) -> Vec<u8> {
        let event = json!({
            "session_id": "8a57b3cf-0712-4f60-ab83-344544408fca",
            "transcript_path": self.folder.join("home/session.jsonl"),
            "cwd": self.folder.join("project"),
            "prompt_id": "5215b56e-933f-4346-a5e7-3e6458675e91",
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": command, "description": "what it is for" },
            "tool_use_id": "toolu_01",
        });
        event.to_string().into_bytes()
    }

    fn run(&self, hook: &Hook, event: &[u8]) -> Result<Output, String> {
        let [program, arguments @ ..] = &hook.words[..] else { return Err("a hook without a program".to_owned()) };
        let failed = |error: std::io::Error| format!("{}: {error}", hook.name);
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .env("HOME", self.folder.join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.folder.join("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // Some do not read.
            let _ = stdin.write_all(event);
        }
        child.wait_with_output().map_err(failed)
    }

    /// Whether a hook does what it is for.
    fn prove(&self, hook: &Hook) -> Result<(), String> {
        if !hook.judges {
            return Ok(());
        }
        // Some would rather ask than refuse.
        let objects = |output: &Output| {
            let said = String::from_utf8_lossy(&output.stdout);
            let words = ["\"deny\"", "\"block\"", "\"ask\""];
            output.status.code() == Some(2) || words.iter().any(|word| said.contains(word))
        };
        for (command, wanted) in [(EVERYDAY, false), ("rm -rf /", true)] {
            let output = self.run(hook, &self.event(command))?;
            if objects(&output) != wanted {
                return Err(format!("{} answers `{command}` with {output:?}", hook.name));
            }
        }
        Ok(())
    }

    /// Starts every hook in turn, `rounds` times.
    ///
    /// # Errors
    /// When one cannot be started, or does not judge.
    pub fn race(&self, hooks: &[Hook], rounds: usize) -> Result<Vec<Times>, String> {
        hooks.iter().try_for_each(|hook| self.prove(hook))?;
        let event = self.event(EVERYDAY);
        let mut all: Vec<Times> =
            hooks.iter().map(|hook| Times { name: hook.name.clone(), millis: Vec::with_capacity(rounds) }).collect();
        for _ in 0..rounds {
            for (hook, times) in hooks.iter().zip(&mut all) {
                let started = Instant::now();
                self.run(hook, &event)?;
                times.millis.push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
        all.iter_mut().for_each(|times| times.millis.sort_by(f64::total_cmp));
        Ok(all)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const EVERYDAY: &str = "cargo test -p shop --lib && git status";

/// A hook of five lines, as people write them.
pub const FIVE_LINES: &str = r#"command=$(jq -r '.tool_input.command // empty')
if [[ $command == *"rm -rf /"* || $command == *"git reset --hard"* ]]; then
    echo "this is dangerous: $command" >&2
    exit 2
fi
"#;

/// The table. The first of all is the floor, the second ours.
pub fn shown(all: &[Times]) -> String {
    let mut text =
        format!("{:<44}{:>8}{:>8}{:>8}{:>9}\n", "a hook, as a whole process (ms)", "min", "p50", "p95", "× floor");
    let Some(floor) = all.first() else { return text };
    for times in all {
        let ratio = times.at(0.5) / floor.at(0.5);
        let (min, half, most) = (times.at(0.0), times.at(0.5), times.at(0.95));
        let _ = writeln!(text, "{:<44}{min:>8.2}{half:>8.2}{most:>8.2}{ratio:>9.2}", times.name);
    }
    text
}

/// What the project wants to keep, and whether it does.
pub fn kept(all: &[Times]) -> String {
    let [floor, ours, ..] = all else { return String::new() };
    let (ratio, most) = (ours.at(0.5) / floor.at(0.5), ours.at(0.95));
    let met = |met: bool| if met { "met" } else { "NOT MET (is the machine quiet?)" };
    format!(
        "\np50 at most 2.5 × the floor (aim: 2): {ratio:.2}, {}\np95 at most 3 ms: {most:.2}, {}\n",
        met(ratio <= 2.5),
        met(most <= 3.0)
    )
}

/// A path as text.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}

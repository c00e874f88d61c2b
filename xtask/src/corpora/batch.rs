//! Sending a file of commands through `tollgate explain --batch`.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::text;
use crate::Result;

/// Where a row says nothing, the policy's own example.
const CWD: &str = "/home/dev/project";
const HOME: &str = "/home/dev";

/// A labelled command and what we think of it.
pub(super) struct Row {
    pub command: String,
    pub class: String,
    /// The label.
    pub dangerous: bool,
    pub stopped: bool,
    /// Who stopped it.
    pub rule: String,
}

impl Row {
    pub(super) fn wrong(&self) -> bool {
        self.dangerous != self.stopped
    }

    pub(super) fn short(&self) -> String {
        let line: String = self.command.escape_debug().take(90).collect();
        format!("`{line}`")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.dangerous { "missed" } else { "false alarm" };
        write!(f, "{what} [{}] {} {}", self.class, self.short(), self.rule)
    }
}

/// Judges every command of a file.
pub(super) fn judge(file: &Path) -> Result<Vec<Row>> {
    let labelled = fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let labelled: Vec<Value> = labelled.lines().map(parse).collect::<Result<_>>()?;
    let answers = answers(labelled.iter().map(question).collect())?;
    if answers.len() != labelled.len() {
        return Err(format!("{} commands and {} answers", labelled.len(), answers.len()));
    }
    Ok(labelled.iter().zip(&answers).map(|(label, answer)| row(label, answer)).collect())
}

fn parse(line: &str) -> Result<Value> {
    serde_json::from_str(line).map_err(|error| format!("`{line}` is not JSON: {error}"))
}

fn question(label: &Value) -> String {
    let or = |key: &str, otherwise: &str| label[key].as_str().unwrap_or(otherwise).to_owned();
    format!("{}\n", json!({ "command": label["command"], "cwd": or("cwd", CWD), "home": or("home", HOME) }))
}

fn row(label: &Value, answer: &Value) -> Row {
    let class = [text(label, "class"), text(label, "category"), "-".to_owned()];
    Row {
        command: text(label, "command"),
        class: class.into_iter().find(|class| !class.is_empty()).unwrap_or_default(),
        dangerous: text(label, "expected") != "allow",
        stopped: text(answer, "act") != "pass",
        rule: text(answer, "rule"),
    }
}

fn answers(questions: String) -> Result<Vec<Value>> {
    let program = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned()) + "/release/tollgate";
    let mut child = Command::new(&program)
        .args(["explain", "--batch", "--defaults"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    let stdin = child.stdin.take();
    // The answers come while the questions are still being written.
    let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(questions.as_bytes())));
    let output = child.wait_with_output().map_err(|error| format!("{program}: {error}"))?;
    if !matches!(writer.join(), Ok(Some(Ok(())))) || !output.status.success() {
        return Err(format!("{program} did not answer everything: {}", output.status));
    }
    String::from_utf8_lossy(&output.stdout).lines().map(parse).collect()
}

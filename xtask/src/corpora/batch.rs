//! Sending a file of calls through `tollgate explain --batch`.

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
pub(super) const CWD: &str = "/home/dev/project";
const HOME: &str = "/home/dev";

/// A labelled call and what we think of it.
pub(super) struct Row {
    /// The shell command, or the id, the tool and its arguments.
    pub call: String,
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
        short(&self.call)
    }
}

/// The beginning, on one line. Quotes stay as they are: most calls are full of them.
pub(super) fn short(call: &str) -> String {
    let line: String = call.escape_debug().collect::<String>().replace("\\\"", "\"").replace("\\'", "'");
    format!("`{}`", line.chars().take(90).collect::<String>())
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.dangerous { "missed" } else { "false alarm" };
        write!(f, "{what} [{}] {} {}", self.class, self.short(), self.rule)
    }
}

/// Judges every call of a file.
pub(super) fn judge(file: &Path) -> Result<Vec<Row>> {
    let labelled = lines(file)?;
    let answers = ask(&labelled)?;
    Ok(labelled.iter().zip(&answers).map(|(label, answer)| row(label, answer)).collect())
}

/// The JSON documents of a file, one a line.
pub(super) fn lines(file: &Path) -> Result<Vec<Value>> {
    read(file)?.lines().map(parse).collect()
}

pub(super) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// What we think of each of these calls. What they say besides (labels, notes) is not passed on.
pub(super) fn ask(calls: &[Value]) -> Result<Vec<Value>> {
    let answers = answers(calls.iter().map(question).collect())?;
    if answers.len() != calls.len() {
        return Err(format!("{} calls and {} answers", calls.len(), answers.len()));
    }
    Ok(answers)
}

pub(super) fn stopped(answer: &Value) -> bool {
    text(answer, "act") != "pass"
}

pub(super) fn parse(line: &str) -> Result<Value> {
    serde_json::from_str(line).map_err(|error| format!("`{line}` is not JSON: {error}"))
}

fn question(call: &Value) -> String {
    let mut question = json!({ "cwd": CWD, "home": HOME });
    for key in ["command", "tool", "server", "args", "on", "body", "cwd", "home"] {
        if let Some(value) = call.get(key).filter(|value| !value.is_null()) {
            question[key] = value.clone();
        }
    }
    format!("{question}\n")
}

fn row(label: &Value, answer: &Value) -> Row {
    let call = match label["tool"].as_str() {
        Some(tool) => format!("{} {tool} {}", text(label, "id"), label["args"]),
        None => text(label, "command"),
    };
    Row {
        call,
        class: first(label, &["class", "category", "kind"]).unwrap_or_else(|| "-".to_owned()),
        dangerous: first(label, &["expected", "label"]).as_deref() != Some("allow"),
        stopped: stopped(answer),
        rule: text(answer, "rule"),
    }
}

/// The first of these that is there: collections have words of their own.
fn first(label: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().map(|key| text(label, key)).find(|text| !text.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_asked_about_without_its_label() {
        for (label, expected) in [
            (json!({ "command": "ls", "expected": "allow" }), json!({ "command": "ls", "cwd": CWD, "home": HOME })),
            (
                json!({ "id": "d1", "tool": "get", "server": "s", "args": {}, "cwd": "/w", "home": null, "label": "allow" }),
                json!({ "tool": "get", "server": "s", "args": {}, "cwd": "/w", "home": HOME }),
            ),
            (
                json!({ "tool": "get", "on": "tool.after", "body": "x" }),
                json!({ "tool": "get", "on": "tool.after", "body": "x", "cwd": CWD, "home": HOME }),
            ),
        ] {
            assert_eq!(parse(&question(&label)), Ok(expected), "{label}");
        }
    }

    #[test]
    fn every_collection_labels_in_its_own_words() {
        let denied = json!({ "act": "deny", "rule": "r" });
        for (label, expected) in [
            (
                json!({ "command": "a 'b'\n\"c\"", "expected": "allow", "class": "x" }),
                "false alarm [x] `a 'b'\\n\"c\"` r",
            ),
            (json!({ "command": "a", "label": "allow", "kind": "y" }), "false alarm [y] `a` r"),
            (
                json!({ "id": "d1", "tool": "get", "args": { "a": "b" }, "label": "allow" }),
                "false alarm [-] `d1 get {\"a\":\"b\"}` r",
            ),
        ] {
            assert_eq!(row(&label, &denied).to_string(), expected, "{label}");
        }
        let passed = row(&json!({ "command": "a", "expected": "ask", "category": "z" }), &json!({ "act": "pass" }));
        assert_eq!((passed.wrong(), passed.to_string().as_str()), (true, "missed [z] `a` "));
    }
}

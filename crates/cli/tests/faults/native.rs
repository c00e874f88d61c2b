//! A call of each agent in its own words, and a judge for each who knows what that agent takes for a refusal.
//!
//! The judges say what the agents were seen to do, and know nothing of how Tollgate makes its answers.

use std::path::Path;

use serde_json::{Value, json};

/// What the hook printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Option<i32>,
}

/// What a judge finds: the reason that somebody gets to see, or why the call would run.
pub(crate) type Judged = Result<String, String>;

/// A harmless call, as an agent writes it.
pub(crate) struct Native {
    pub(crate) agent: &'static str,
    /// The event, where only the registration can say it.
    pub(crate) named: Option<&'static str>,
    /// How the document names the event.
    pub(crate) event: &'static str,
    /// A key that decides what is run; twice in a document it makes that ambiguous.
    pub(crate) key: &'static str,
    /// The document: a real one, or one that follows the agent's description.
    pub(crate) document: Document,
    pub(crate) judge: fn(&Answer) -> Judged,
}

pub(crate) enum Document {
    /// In `crates/hook/fixtures`.
    Fixture(&'static str),
    Made(fn(&str) -> Value),
}

impl Native {
    /// The document, about this project.
    pub(crate) fn text(&self, project: &Path) -> String {
        let project = project.to_str().unwrap();
        match self.document {
            Document::Made(make) => make(project).to_string(),
            Document::Fixture(name) => {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hook/fixtures").join(self.agent);
                let path = folder.join(format!("{name}.json"));
                let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                text.replace("/home/dev/project", project)
            }
        }
    }
}

use Document::{Fixture, Made};

pub(crate) static NATIVES: &[Native] = &[
    Native {
        agent: "claude-code",
        named: None,
        event: "PreToolUse",
        key: "tool_name",
        document: Fixture("claude-code-2.1.325.PreToolUse"),
        judge: |answer| nested(answer).or_else(|_| status(answer)),
    },
    Native {
        agent: "codex",
        named: None,
        event: "PreToolUse",
        key: "tool_name",
        document: Fixture("codex-0.166.0.PreToolUse"),
        judge: |answer| exactly(answer).or_else(|_| status(answer)),
    },
    Native {
        agent: "droid",
        named: None,
        event: "PreToolUse",
        key: "tool_name",
        document: Fixture("droid-0.225.2.PreToolUse"),
        judge: |answer| nested(answer).or_else(|_| status(answer)),
    },
    Native {
        agent: "qwen-code",
        named: None,
        event: "PreToolUse",
        key: "tool_name",
        document: Fixture("qwen-code-0.24.4.PreToolUse"),
        judge: |answer| nested(answer).or_else(|_| decision(answer)).or_else(|_| status(answer)),
    },
    Native {
        agent: "gemini-cli",
        named: None,
        event: "BeforeTool",
        key: "tool_name",
        document: Fixture("gemini-cli-0.61.0.BeforeTool"),
        judge: |answer| decision(answer).or_else(|_| status(answer)),
    },
    Native {
        agent: "copilot",
        named: Some("preToolUse"),
        event: "preToolUse",
        key: "toolName",
        document: Fixture("copilot-cli-1.0.102.preToolUse"),
        judge: |answer| flat(answer).or_else(|_| any_failure(answer)),
    },
    Native {
        agent: "copilot",
        named: Some("PreToolUse"),
        event: "PreToolUse",
        key: "tool_name",
        document: Fixture("copilot-cli-1.0.102.PreToolUse"),
        judge: |answer| nested(answer).or_else(|_| any_failure(answer)),
    },
    Native {
        agent: "cline",
        named: None,
        event: "tool_call",
        key: "name",
        document: Fixture("cline-3.0.65.tool_call"),
        judge: cline,
    },
    Native {
        agent: "opencode",
        named: None,
        event: "tool.execute.before",
        key: "tool",
        document: Made(|project| {
            let input = json!({ "tool": "bash", "sessionID": "ses_1", "callID": "call_1" });
            let output = json!({ "args": { "command": HELLO, "description": "say hello" } });
            json!({ "hook": "tool.execute.before", "cwd": project, "input": input, "output": output })
        }),
        judge: shim,
    },
    Native {
        agent: "openclaw",
        named: None,
        event: "before_tool_call",
        key: "toolName",
        document: Fixture("openclaw-2026.9.6.before_tool_call"),
        judge: shim,
    },
    Native {
        agent: "cursor",
        named: None,
        event: "preToolUse",
        key: "tool_name",
        document: Made(|project| {
            json!({
                "conversation_id": "c-1", "generation_id": "g-1", "model": "m", "hook_event_name": "preToolUse",
                "cursor_version": "3.0.0", "workspace_roots": [project], "user_email": null, "transcript_path": null,
                "tool_name": "Shell", "tool_input": { "command": HELLO, "working_directory": project },
                "tool_use_id": "call_1", "cwd": project, "agent_message": "",
            })
        }),
        judge: cursor,
    },
    Native {
        agent: "windsurf",
        named: None,
        event: "pre_run_command",
        key: "agent_action_name",
        document: Made(|project| {
            json!({
                "agent_action_name": "pre_run_command", "trajectory_id": "t-1", "execution_id": "e-1",
                "timestamp": "2026-11-15T07:00:00Z", "tool_info": { "command_line": HELLO, "cwd": project },
            })
        }),
        judge: status,
    },
    Native {
        agent: "kiro",
        named: None,
        event: "preToolUse",
        key: "tool_name",
        document: Made(|project| {
            json!({
                "hook_event_name": "preToolUse", "cwd": project, "tool_name": "execute_bash",
                "tool_input": { "command": HELLO },
            })
        }),
        judge: status,
    },
    Native {
        agent: "goose",
        named: None,
        event: "PreToolUse",
        key: "tool_name",
        document: Made(|project| {
            json!({
                "event": "PreToolUse", "session_id": "s-1", "matcher_context": "developer__shell",
                "tool_name": "developer__shell", "tool_input": { "command": HELLO }, "working_dir": project,
            })
        }),
        judge: |answer| decision(answer).or_else(|_| status(answer)),
    },
];

/// What the made calls run; the real ones say hello, too.
const HELLO: &str = "echo hello-from-tool > tool_ran.txt";

fn json(answer: &Answer) -> Result<Value, String> {
    serde_json::from_str(&answer.stdout).map_err(|error| format!("standard output is no JSON ({error})"))
}

/// A text that says something.
fn told(value: &Value, what: &str) -> Judged {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("`{what}` is missing or empty"))
}

fn ended_well(answer: &Answer) -> Result<(), String> {
    if answer.exit == Some(0) { Ok(()) } else { Err(format!("it ended with {:?}", answer.exit)) }
}

/// Status 2 and a reason. With an empty reason some run the call, and some believe what is on standard output.
fn status(answer: &Answer) -> Judged {
    match answer {
        Answer { exit: Some(2), stdout, stderr } if stdout.is_empty() => told(&json!(stderr), "standard error"),
        _ => Err("no refusal, neither in words nor by status".to_owned()),
    }
}

/// Copilot takes every failure for a refusal.
fn any_failure(answer: &Answer) -> Judged {
    if answer.exit.is_some_and(|exit| exit != 0) { Ok(answer.stderr.clone()) } else { Err("it ended well".to_owned()) }
}

/// Claude Code's form.
fn nested(answer: &Answer) -> Judged {
    ended_well(answer)?;
    let own = &json(answer)?["hookSpecificOutput"];
    if own["permissionDecision"] != "deny" || own["hookEventName"] != "PreToolUse" {
        return Err("no `deny` in `hookSpecificOutput`".to_owned());
    }
    told(&own["permissionDecisionReason"], "permissionDecisionReason")
}

/// Codex: the same, and not a field that it does not know.
fn exactly(answer: &Answer) -> Judged {
    let document = json(answer)?;
    let fields = |value: &Value, known: &[&str]| -> Result<(), String> {
        let unknown = value.as_object().and_then(|map| map.keys().find(|key| !known.contains(&key.as_str())));
        unknown.map_or(Ok(()), |key| Err(format!("Codex does not know `{key}` and forgets the whole answer")))
    };
    fields(&document, &["hookSpecificOutput", "systemMessage"])?;
    let own = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    fields(&document["hookSpecificOutput"], &own)?;
    nested(answer)
}

/// Copilot's form for an event in camel case: the nested one would not be seen.
fn flat(answer: &Answer) -> Judged {
    ended_well(answer)?;
    let document = json(answer)?;
    if document["permissionDecision"] != "deny" {
        return Err("no `deny` in `permissionDecision`".to_owned());
    }
    told(&document["permissionDecisionReason"], "permissionDecisionReason")
}

/// The older form.
fn decision(answer: &Answer) -> Judged {
    let document = json(answer)?;
    if document["decision"] != "deny" && document["decision"] != "block" {
        return Err("`decision` is neither `deny` nor `block`".to_owned());
    }
    told(&document["reason"], "reason")
}

/// Cline looks at no status: it is stopped by `cancel`, or by a command that does nothing.
fn cline(answer: &Answer) -> Judged {
    let document = json(answer)?;
    if document["cancel"] == true {
        return told(&document["errorMessage"], "errorMessage");
    }
    let commands = document["overrideInput"]["commands"].as_array().ok_or("neither `cancel` nor `overrideInput`")?;
    let [command] = &commands[..] else { return Err(format!("{} commands", commands.len())) };
    let command = told(command, "overrideInput.commands")?;
    let quoted = command.strip_prefix("echo '").and_then(|rest| rest.strip_suffix("' >&2; exit 1"));
    let harmless = quoted.is_some_and(|text| !text.contains(['\'', '\\', '$', '`', '\n']));
    if harmless { told(&document["context"], "context") } else { Err(format!("`{command}` does something")) }
}

/// Our own plugin throws at `stop`, and whenever the program failed.
fn shim(answer: &Answer) -> Judged {
    if answer.exit != Some(0) {
        return told(&json!(answer.stderr), "standard error");
    }
    let document = json(answer)?;
    if document["decision"] == "deny" { told(&document["reason"], "reason") } else { Err("no `stop`".to_owned()) }
}

/// Cursor reads its answer where the status is 0. Status 2 refuses, whatever is printed beside it.
fn cursor(answer: &Answer) -> Judged {
    if answer.exit == Some(2) {
        return told(&json!(answer.stderr), "standard error");
    }
    ended_well(answer)?;
    let document = json(answer)?;
    if document["permission"] != "deny" {
        return Err("`permission` is not `deny`".to_owned());
    }
    told(&document["agent_message"], "agent_message")
}

//! How each agent is recognised, and what is registered where.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tollgate_core::Point;

use super::command::Command;
use super::place::Place;
use crate::agent::{Agent, Hook};
use crate::agents::find;
use crate::shim;

/// How long an agent waits for us. We answer within 25 seconds whatever happens.
const PATIENCE: u64 = 60;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The person's: all projects.
    User,
    /// One project's.
    Project,
}

/// How an agent runs its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A line, by a shell.
    Shell,
    /// A script with a name.
    Script,
    /// A plugin within the agent, which starts us.
    Plugin,
}

/// How an agent is set up.
#[derive(Debug)]
pub struct Setup {
    /// The agent's id.
    pub id: &'static str,
    /// What it is started as.
    pub(crate) programs: &'static [&'static str],
    /// Its folder of settings; in a project, the folder there.
    pub(crate) folder: fn(&Place, Level) -> PathBuf,
    /// What is registered.
    pub(crate) files: fn(&Wanted<'_>) -> Vec<File>,
    pub(crate) runs: Runs,
    /// A call that must be refused, as the agent would describe it.
    pub(crate) canary: fn(cwd: &str, command: &str) -> Value,
    /// The event of that call.
    pub(crate) before: &'static str,
}

/// What a registration is made of.
pub(crate) struct Wanted<'a> {
    pub(crate) setup: &'static Setup,
    pub(crate) place: &'a Place,
    pub(crate) level: Level,
    pub(crate) program: &'a Path,
    pub(crate) events: Vec<Event>,
}

/// An event to register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// Whether it is about a tool, so that a matcher means something.
    pub(crate) tool: bool,
    /// Whether it can refuse.
    pub(crate) deny: bool,
}

impl From<&Hook> for Event {
    fn from(hook: &Hook) -> Self {
        Self { name: hook.name, tool: matches!(hook.point, Point::ToolBefore | Point::ToolAfter), deny: hook.can.deny }
    }
}

/// A file and what goes into it.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Entries in a file that others write to as well, and members there that are ours alone, by their pointers.
    Entries(Value, &'static [&'static str]),
    /// A file of our own.
    Whole { text: String, executable: bool },
    /// The trust of Codex in the handlers of this file.
    Trust { hooks: PathBuf },
}

/// Every agent that can be set up.
pub static SETUPS: &[Setup] = &[
    Setup {
        id: "claude-code",
        programs: &["claude"],
        folder: |place, level| user(level, || place.folder("CLAUDE_CONFIG_DIR", ".claude"), place, ".claude"),
        files: |wanted| {
            // Everything stands in the line: other agents that run these hooks know no `args`.
            wanted.groups("settings.json", |event| {
                let mut handler = wanted.handler("timeout", PATIENCE);
                if event.deny {
                    handler["onFailure"] = json!("block");
                }
                handler
            })
        },
        runs: Runs::Shell,
        canary: |cwd, command| claude_like(cwd, "Bash", &json!({ "command": command })),
        before: "PreToolUse",
    },
    Setup {
        id: "codex",
        programs: &["codex"],
        folder: |place, level| user(level, || place.folder("CODEX_HOME", ".codex"), place, ".codex"),
        files: |wanted| {
            // It allows no more at the end of a session, and warns every time.
            let patience = |event: &Event| if event.name == "SessionEnd" { 3 } else { PATIENCE };
            let mut files = wanted.groups("hooks.json", |event| wanted.handler("timeout", patience(event)));
            let config = wanted.place.folder("CODEX_HOME", ".codex").join("config.toml");
            files.push(File { path: config, content: Content::Trust { hooks: wanted.folder().join("hooks.json") } });
            files
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            let mut doc = claude_like(cwd, "Bash", &json!({ "command": command }));
            // This is how Claude Code is recognised.
            let _ = doc.as_object_mut().map(|doc| doc.remove("prompt_id"));
            doc["turn_id"] = json!("canary");
            doc["model"] = json!("canary");
            doc
        },
        before: "PreToolUse",
    },
    Setup {
        id: "gemini-cli",
        programs: &["gemini"],
        folder: |place, level| user(level, || place.folder("GEMINI_CLI_HOME", "").join(".gemini"), place, ".gemini"),
        files: |wanted| {
            wanted.groups("settings.json", |_| {
                let mut handler = wanted.handler("timeout", PATIENCE * 1000);
                handler["name"] = json!("tollgate");
                handler
            })
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "session_id": "canary", "transcript_path": "", "cwd": cwd, "hook_event_name": "BeforeTool",
                "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "run_shell_command",
                "tool_input": { "command": command },
            })
        },
        before: "BeforeTool",
    },
    Setup {
        id: "qwen-code",
        programs: &["qwen"],
        folder: |place, level| user(level, || place.home.join(".qwen"), place, ".qwen"),
        files: |wanted| wanted.groups("settings.json", |_| wanted.handler("timeout", PATIENCE * 1000)),
        runs: Runs::Shell,
        canary: |cwd, command| {
            let mut doc = claude_like(cwd, "run_shell_command", &json!({ "command": command }));
            doc["timestamp"] = json!("2026-01-01T00:00:00.000Z");
            doc["tool_call_id"] = json!("canary");
            doc
        },
        before: "PreToolUse",
    },
    Setup {
        id: "droid",
        programs: &["droid"],
        folder: |place, level| user(level, || place.home.join(".factory"), place, ".factory"),
        files: |wanted| {
            // The hooks in the settings are not read where there is a file of hooks.
            let own = wanted.folder().join("hooks.json");
            let groups = wanted.groups("settings.json", |_| wanted.handler("timeout", PATIENCE));
            if !own.exists() {
                return groups;
            }
            let moved = groups.into_iter().map(|mut file| {
                if let Content::Entries(entries, _) = &mut file.content {
                    *entries = entries["hooks"].take();
                }
                File { path: own.clone(), ..file }
            });
            moved.collect()
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "session_id": "canary", "transcript_path": "", "cwd": cwd, "permission_mode": "auto-low",
                "hook_event_name": "PreToolUse", "tool_name": "Execute", "tool_input": { "command": command },
            })
        },
        before: "PreToolUse",
    },
    Setup {
        id: "copilot",
        programs: &["copilot"],
        folder: |place, level| user(level, || place.folder("COPILOT_HOME", ".copilot"), place, ".github"),
        files: |wanted| {
            // What it sends does not say which event it is, so the registration does.
            let hooks = wanted.lists(
                |event| json!({ "type": "command", "bash": wanted.line(Some(event.name)), "timeoutSec": PATIENCE }),
            );
            vec![wanted.whole("hooks/tollgate.json", &json!({ "version": 1, "hooks": hooks }))]
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "sessionId": "canary", "timestamp": 1_767_225_600_000_u64, "cwd": cwd, "toolName": "bash",
                "toolArgs": { "command": command },
            })
        },
        before: "preToolUse",
    },
    Setup {
        id: "cursor",
        programs: &["cursor-agent", "cursor"],
        folder: |place, level| user(level, || place.home.join(".cursor"), place, ".cursor"),
        files: |wanted| {
            let hooks = wanted.lists(
                |_| json!({ "type": "command", "command": wanted.line(None), "timeout": PATIENCE, "failClosed": true }),
            );
            vec![wanted.entries("hooks.json", json!({ "version": 1, "hooks": hooks }))]
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "conversation_id": "canary", "generation_id": "canary", "model": "canary", "cursor_version": "canary",
                "workspace_roots": [cwd], "user_email": null, "transcript_path": null,
                "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": { "command": command },
                "tool_use_id": "canary", "cwd": cwd, "agent_message": "",
            })
        },
        before: "preToolUse",
    },
    Setup {
        id: "windsurf",
        programs: &["windsurf"],
        folder: |place, level| user(level, || place.home.join(".codeium/windsurf"), place, ".windsurf"),
        files: |wanted| {
            let hooks = wanted.lists(|_| json!({ "command": wanted.line(None), "show_output": true }));
            vec![wanted.entries("hooks.json", json!({ "hooks": hooks }))]
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "agent_action_name": "pre_run_command", "trajectory_id": "canary", "execution_id": "canary",
                "timestamp": "2026-01-01T00:00:00Z", "tool_info": { "command_line": command, "cwd": cwd },
            })
        },
        before: "pre_run_command",
    },
    Setup {
        id: "cline",
        programs: &["cline"],
        folder: |place, level| user(level, || place.home.join(".cline"), place, ".cline"),
        files: |wanted| {
            // It takes the interpreter from the first line, so the program needs a script around it.
            let script = |event: &Event| File {
                path: wanted.folder().join("hooks").join(script_name(event.name)),
                content: Content::Whole {
                    text: format!("#!/bin/sh\nexec {}\n", wanted.line(Some(event.name))),
                    executable: true,
                },
            };
            wanted.events.iter().map(script).collect()
        },
        runs: Runs::Script,
        canary: |cwd, command| {
            json!({
                "clineVersion": "canary", "timestamp": "1767225600000", "taskId": "canary",
                "sessionContext": { "rootSessionId": "canary" }, "workspaceRoots": [cwd], "userId": "canary",
                "agent_id": "canary", "parent_agent_id": null, "hookName": "tool_call",
                "tool_call": { "id": "canary", "name": "run_commands", "input": { "commands": [command] } },
                "preToolUse": { "toolName": "run_commands", "parameters": { "commands": json!([command]).to_string() } },
            })
        },
        before: "PreToolUse",
    },
    Setup {
        id: "opencode",
        programs: &["opencode"],
        folder: |place, level| {
            user(level, || place.folder("XDG_CONFIG_HOME", ".config").join("opencode"), place, ".opencode")
        },
        files: |wanted| {
            let text = shim::opencode(&wanted.program.to_string_lossy());
            vec![File {
                path: wanted.folder().join("plugins/tollgate.js"),
                content: Content::Whole { text, executable: false },
            }]
        },
        runs: Runs::Plugin,
        canary: |cwd, command| {
            json!({
                "hook": "tool.execute.before", "cwd": cwd,
                "input": { "tool": "bash", "sessionID": "canary", "callID": "canary" },
                "output": { "args": { "command": command } },
            })
        },
        before: "tool.execute.before",
    },
    Setup {
        id: "openclaw",
        programs: &["openclaw"],
        folder: |place, level| user(level, || place.folder("OPENCLAW_STATE_DIR", ".openclaw"), place, ".openclaw"),
        files: |wanted| {
            let plugin = wanted.folder().join("plugins/tollgate");
            let parts = shim::openclaw(&wanted.program.to_string_lossy()).into_iter();
            let mut files: Vec<File> = parts
                .map(|(name, text)| File {
                    path: plugin.join(name),
                    content: Content::Whole { text, executable: false },
                })
                .collect();
            let entries = json!({ "plugins": {
                "load": { "paths": [plugin.to_string_lossy()] },
                "entries": { "tollgate": { "enabled": true } },
            }});
            let own: &[&str] = &["/plugins/entries/tollgate"];
            files.push(File { path: wanted.folder().join("openclaw.json"), content: Content::Entries(entries, own) });
            files
        },
        runs: Runs::Plugin,
        canary: |cwd, command| {
            json!({
                "hook": "before_tool_call", "cwd": cwd, "ctx": { "sessionId": "canary" },
                "event": { "toolName": "exec", "params": { "command": command }, "toolCallId": "canary" },
            })
        },
        before: "before_tool_call",
    },
    Setup {
        id: "kiro",
        programs: &["kiro-cli", "kiro"],
        folder: |place, level| user(level, || place.home.join(".kiro"), place, ".kiro"),
        files: |wanted| {
            let mut hooks: Vec<Value> = Vec::new();
            for event in &wanted.events {
                let trigger = trigger(event.name);
                if !hooks.iter().any(|hook| hook["trigger"] == trigger) {
                    hooks.push(json!({
                        "name": format!("tollgate {trigger}"), "trigger": trigger,
                        "action": { "type": "command", "command": wanted.line(Some(&trigger)) },
                        "timeout": PATIENCE, "enabled": true,
                    }));
                }
            }
            vec![wanted.whole("hooks/tollgate.json", &json!({ "version": "v1", "hooks": hooks }))]
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "execute_bash",
                "tool_input": { "command": command },
            })
        },
        before: "PreToolUse",
    },
    Setup {
        id: "goose",
        programs: &["goose"],
        folder: |place, level| {
            user(level, || place.folder("XDG_CONFIG_HOME", ".config").join("goose"), place, ".agents")
        },
        files: |wanted| {
            let above = if wanted.level == Level::User { &wanted.place.home } else { &wanted.place.project };
            let plugin = above.join(".agents/plugins/tollgate");
            let about = json!({
                "name": "tollgate", "version": env!("CARGO_PKG_VERSION"),
                "description": "Asks Tollgate before a tool runs", "hooks": "./hooks/hooks.json",
            });
            let hooks = json!({ "hooks": wanted.grouped(|_| wanted.handler("timeout", PATIENCE)) });
            [("plugin.json", about), ("hooks/hooks.json", hooks)]
                .into_iter()
                .map(|(name, value)| File { path: plugin.join(name), content: whole(&value) })
                .collect()
        },
        runs: Runs::Shell,
        canary: |cwd, command| {
            json!({
                "event": "PreToolUse", "session_id": "canary", "matcher_context": "developer__shell",
                "tool_name": "developer__shell", "tool_input": { "command": command }, "working_dir": cwd,
            })
        },
        before: "PreToolUse",
    },
];

fn user(level: Level, own: impl FnOnce() -> PathBuf, place: &Place, project: &str) -> PathBuf {
    if level == Level::User { own() } else { place.project.join(project) }
}

fn claude_like(cwd: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "canary", "transcript_path": "", "cwd": cwd, "hook_event_name": "PreToolUse",
        "permission_mode": "default", "prompt_id": "canary", "tool_name": tool, "tool_input": input,
        "tool_use_id": "canary",
    })
}

/// Cline's scripts are named after its older events.
pub(crate) fn script_name(event: &str) -> &str {
    match event {
        "tool_call" => "PreToolUse",
        "tool_result" => "PostToolUse",
        "prompt_submit" => "UserPromptSubmit",
        "agent_start" => "TaskStart",
        "agent_resume" => "TaskResume",
        "agent_abort" => "TaskCancel",
        "agent_end" => "TaskComplete",
        "agent_error" => "TaskError",
        "session_shutdown" => "SessionShutdown",
        named => named,
    }
}

/// Kiro's newer files know events by other names, which it also sends.
fn trigger(event: &str) -> String {
    if event == "agentSpawn" {
        return "SessionStart".to_owned();
    }
    let mut chars = event.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

fn whole(value: &Value) -> Content {
    Content::Whole { text: format!("{value:#}\n"), executable: false }
}

impl Wanted<'_> {
    /// The same for another program.
    pub(crate) fn with<'b>(&'b self, program: &'b Path) -> Wanted<'b> {
        Wanted { program, events: self.events.clone(), ..*self }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        (self.setup.folder)(self.place, self.level)
    }

    fn line(&self, event: Option<&str>) -> String {
        Command::line(self.program, self.setup.id, event)
    }

    fn handler(&self, timeout: &str, patience: u64) -> Value {
        let mut handler = json!({ "type": "command", "command": self.line(None) });
        handler[timeout] = json!(patience);
        handler
    }

    fn lists(&self, handler: impl Fn(&Event) -> Value) -> Value {
        let lists = self.events.iter().map(|event| (event.name.to_owned(), json!([handler(event)])));
        Value::Object(lists.collect::<Map<_, _>>())
    }

    /// Claude Code's layout: handlers in groups with a matcher.
    fn grouped(&self, handler: impl Fn(&Event) -> Value) -> Value {
        // Codex and Gemini read a matcher as an expression; without one all tools match, everywhere.
        let matched = self.setup.id == "claude-code" || self.setup.id == "droid";
        self.lists(|event| match event.tool && matched {
            true => json!({ "matcher": "*", "hooks": [handler(event)] }),
            false => json!({ "hooks": [handler(event)] }),
        })
    }

    fn groups(&self, file: &str, handler: impl Fn(&Event) -> Value) -> Vec<File> {
        vec![self.entries(file, json!({ "hooks": self.grouped(handler) }))]
    }

    fn entries(&self, file: &str, entries: Value) -> File {
        File { path: self.folder().join(file), content: Content::Entries(entries, &[]) }
    }

    fn whole(&self, file: &str, value: &Value) -> File {
        File { path: self.folder().join(file), content: whole(value) }
    }
}

impl Setup {
    /// What is known of its hooks.
    pub fn agent(&self) -> Option<&'static Agent> {
        find(self.id)
    }

    /// Its name for people.
    pub fn title(&self) -> &'static str {
        self.agent().map_or(self.id, |agent| agent.title)
    }

    /// How it shows that it is installed; nothing if it does not.
    pub fn found(&self, place: &Place) -> Option<String> {
        let folder = (self.folder)(place, Level::User);
        if folder.is_dir() {
            return Some(folder.display().to_string());
        }
        self.programs.iter().find_map(|name| place.program(name)).map(|program| program.display().to_string())
    }

    /// What is looked for.
    pub fn looked_for(&self, place: &Place) -> String {
        let folder = (self.folder)(place, Level::User);
        format!("{} or the program {}", folder.display(), self.programs.join(" or "))
    }

    pub(crate) fn wanted<'a>(&'static self, place: &'a Place, level: Level, program: &'a Path) -> Wanted<'a> {
        let hooks = self.agent().map_or(&[][..], |agent| agent.hooks);
        let events = hooks.iter().filter(|hook| hook.registered).map(Event::from).collect();
        Wanted { setup: self, place, level, program, events }
    }
}

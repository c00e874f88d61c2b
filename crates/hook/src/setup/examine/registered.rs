//! What is registered, as the files say it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tollgate_settings::{json, read};

use super::super::agents::{Content, Level, Runs, Setup, script_name};
use super::super::command::{Command, is_program};
use super::super::place::Place;

/// One event in one file.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    pub(super) file: PathBuf,
    pub(super) event: String,
    pub(super) command: Command,
    /// What the agent runs: a line for a shell, or the path of a script.
    pub(super) line: String,
}

/// What was found, and what could not be read.
pub(super) struct Registered {
    pub(super) registrations: Vec<Registration>,
    pub(super) problems: Vec<String>,
}

/// Everything of ours at one level.
pub(super) fn find(setup: &'static Setup, place: &Place, level: Level, program: &Path) -> Registered {
    let mut found = Registered { registrations: Vec::new(), problems: Vec::new() };
    for file in (setup.files)(&setup.wanted(place, level, program)) {
        if matches!(file.content, Content::Trust { .. }) {
            continue;
        }
        match read(&file.path) {
            Ok(None) => {}
            Ok(Some(text)) => match in_file(setup, &file.path, &text) {
                Ok(registrations) => found.registrations.extend(registrations),
                Err(problem) => found.problems.push(format!("{}: {problem}", file.path.display())),
            },
            Err(problem) => found.problems.push(problem),
        }
    }
    found
}

/// The programs that a file of an agent starts; none if it cannot be read.
pub(crate) fn programs_in(setup: &'static Setup, path: &Path, text: &str) -> Vec<PathBuf> {
    let found = in_file(setup, path, text).unwrap_or_default();
    found.into_iter().map(|registration| registration.command.program).collect()
}

fn in_file(setup: &'static Setup, path: &Path, text: &str) -> Result<Vec<Registration>, String> {
    let registration = |event: &str, command: Command, line: String| Registration {
        file: path.to_owned(),
        event: event.to_owned(),
        command,
        line,
    };
    match setup.runs {
        Runs::Script => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let commands = text.lines().filter_map(|line| Command::of_line(line.trim().strip_prefix("exec ")?));
            Ok(commands.map(|command| registration(&name, command, path.display().to_string())).collect())
        }
        Runs::Plugin => {
            let is_plugin = path.extension().is_some_and(|kind| kind == "js" || kind == "mjs" || kind == "ts");
            let line = program_in(text).filter(|_| is_plugin).map(|program| Command::line(&program, setup.id, None));
            let command = line.and_then(|line| Some((Command::of_line(&line)?, line)));
            // The plugin stands at all of them.
            let hooks = setup.agent().map_or(&[][..], |agent| agent.hooks).iter().filter(|hook| hook.registered);
            let all =
                hooks.filter_map(|hook| command.clone().map(|(command, line)| registration(hook.name, command, line)));
            Ok(all.collect())
        }
        Runs::Shell => {
            let mut found = Vec::new();
            handlers(&json::read(text)?, None, &mut |event, handler| {
                let command = Command::of_handler(handler).filter(|command| command.agent == setup.id);
                if let Some(command) = command {
                    let line = ["bash", "command"]
                        .iter()
                        .find_map(|key| handler.get("action").unwrap_or(handler).get(key)?.as_str());
                    found.push(registration(event, command, line.unwrap_or_default().to_owned()));
                }
            });
            Ok(found)
        }
    }
}

/// Calls `each` with every handler and its event: the nearest name above that holds a list, or its `trigger`.
fn handlers(value: &Value, event: Option<&str>, each: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| handlers(part, event, each)),
        Value::Object(members) => {
            let trigger = members.get("trigger").and_then(Value::as_str).or(event);
            if let Some(event) = trigger {
                each(event, value);
            }
            for (key, member) in members {
                let inner = if key == "hooks" { event } else { Some(key.as_str()) };
                if key != "action" && (member.is_array() || member.is_object()) {
                    handlers(member, inner, each);
                }
            }
        }
        _ => {}
    }
}

/// The program that a plugin starts: the text in it that is a path to one.
fn program_in(text: &str) -> Option<PathBuf> {
    text.match_indices('"').find_map(|(at, _)| {
        let mut texts = serde_json::Deserializer::from_str(&text[at..]).into_iter::<String>();
        let path = PathBuf::from(texts.next()?.ok()?);
        (path.is_absolute() && is_program(&path)).then_some(path)
    })
}

/// Whether a registered name stands for an event of the agent; some agents have two names for it.
pub(super) fn is_same(setup: &Setup, registered: &str, event: &str) -> bool {
    registered == event
        || (setup.id == "cline" && registered == script_name(event))
        || (setup.id == "kiro" && registered.eq_ignore_ascii_case(event))
        || (setup.id == "kiro" && event == "agentSpawn" && registered == "SessionStart")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

    use super::super::super::agents::SETUPS;
    use super::*;

    #[test]
    fn some_agents_have_two_names_for_an_event() {
        for (agent, registered, event, expected) in [
            ("claude-code", "PreToolUse", "PreToolUse", true),
            ("claude-code", "PreToolUse", "tool_call", false),
            ("claude-code", "pretooluse", "PreToolUse", false),
            ("cline", "PreToolUse", "tool_call", true),
            ("cline", "PostToolUse", "tool_call", false),
            ("kiro", "PreToolUse", "preToolUse", true),
            ("kiro", "PreToolUse", "tool_call", false),
            ("kiro", "SessionStart", "agentSpawn", true),
            ("kiro", "SessionStart", "stop", false),
            ("cline", "SessionStart", "agentSpawn", false),
        ] {
            let setup = SETUPS.iter().find(|setup| setup.id == agent).unwrap();
            assert_eq!(is_same(setup, registered, event), expected, "{agent}: {registered} {event}");
        }
    }
}

//! The command that agents run, and how to know it again.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tollgate_config::quoted;

use crate::agents::find;

/// What a registration runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The program.
    pub(crate) program: PathBuf,
    /// The agent's id.
    pub(crate) agent: String,
    /// The event, where it is named.
    pub(crate) event: Option<String>,
}

impl Command {
    /// As one line for a shell.
    pub(crate) fn line(program: &Path, agent: &str, event: Option<&str>) -> String {
        let event = event.map(|event| format!(" {event}")).unwrap_or_default();
        format!("{} hook {agent}{event}", quoted(&program.to_string_lossy()))
    }

    /// A line that we could have written.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let line = line.trim();
        let (program, rest) = match line.strip_prefix('\'') {
            None => line.split_once(' ')?,
            Some(quoted) => {
                let end = quoted.replace(r"'\''", "....").find('\'')?;
                (&line[..end + 2], quoted[end + 1..].trim_start())
            }
        };
        let program = program.trim_matches('\'').replace(r"'\''", "'");
        Self::of_words(&program, rest.split_whitespace())
    }

    fn of_words<'w>(program: &str, mut words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let program = PathBuf::from(program);
        if !is_program(&program) || words.next()? != "hook" {
            return None;
        }
        let typed = words.next()?;
        let agent = find(typed).map_or(typed, |agent| agent.id).to_owned();
        let event = words.next().map(str::to_owned);
        words.next().is_none().then_some(Self { program, agent, event })
    }

    /// The command of a handler in any agent's form.
    pub(crate) fn of_handler(handler: &Value) -> Option<Self> {
        let action = handler.get("action").unwrap_or(handler);
        let texts = ["bash", "command"].iter().filter_map(|key| action.get(key)?.as_str());
        let args = handler.get("args").and_then(Value::as_array);
        match args {
            Some(args) => Self::of_words(
                handler.get("command")?.as_str()?,
                args.iter().map(|arg| arg.as_str().unwrap_or_default()),
            ),
            None => texts.map(Self::of_line).next()?,
        }
    }
}

/// Whether a program could be this one, by its name: `tollgate`, `tollgate-hook`.
pub(crate) fn is_program(path: &Path) -> bool {
    let name = path.file_stem().and_then(|name| name.to_str());
    name.is_some_and(|name| name == "tollgate" || name.starts_with("tollgate-"))
}

/// Whether a text speaks of a command of ours.
pub(crate) fn is_mentioned(text: &str) -> bool {
    ["tollgate hook", "tollgate' hook", "tollgate-hook"].iter().any(|words| text.contains(words))
}

/// Whether a part of a settings file is our registration for this agent: a handler, or a group with nothing else in it.
pub(crate) fn is_ours(agent: &str, part: &Value) -> bool {
    if let Some(handlers) = part.get("hooks").and_then(Value::as_array) {
        return !handlers.is_empty() && handlers.iter().all(|handler| is_ours(agent, handler));
    }
    Command::of_handler(part).is_some_and(|command| command.agent == agent)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_known_again() {
        for program in ["/bin/tollgate", "/bin/tollgate-hook", "/a b/tollgate", "/it's/tollgate", "/$x/tollgate-hook"] {
            let line = Command::line(Path::new(program), "claude-code", Some("PreToolUse"));
            assert!(is_mentioned(&line), "{line}");
            let found = Command::of_line(&line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.program.to_str(), found.event.as_deref()), (Some(program), Some("PreToolUse")), "{line}");
        }
        let foreign = [
            "echo tollgate hook claude-code",
            "/usr/bin/other hook claude-code",
            "/usr/bin/tollgate check",
            "/usr/bin/tollgate hook claude-code x; rm y",
            "'/usr/bin/tollgate hook claude-code",
        ];
        for line in foreign {
            assert_eq!(Command::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn a_handler_is_known_in_every_form() {
        let line = "/usr/bin/tollgate hook claude";
        for handler in [
            json!({"command": line}),
            json!({"bash": line}),
            json!({"action": {"command": line}}),
            json!({"command": "/usr/bin/tollgate", "args": ["hook", "claude-code"]}),
            json!({"matcher": "*", "hooks": [{"command": line}]}),
        ] {
            assert!(is_ours("claude-code", &handler), "{handler}");
            assert!(!is_ours("codex", &handler), "{handler}");
        }
        assert!(!is_ours("claude-code", &json!({"hooks": [{"command": line}, {"command": "other"}]})));
        assert!(!is_ours("claude-code", &json!({"hooks": []})));
    }
}

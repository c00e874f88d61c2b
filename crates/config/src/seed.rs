//! Hooks as an ancestor writes them: `"hooks": {"preToolUse": [{"command": …, "match": …}], …}` in a JSON file.

use std::ops::Range;

use serde_json::{Map, Value};
use tollgate_rules::form::OneOrMany;
use tollgate_rules::nearest;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file::File;
use crate::hook::{Hook, HookFile, ProtocolName};

/// Its events, and the points they stand for.
const EVENTS: &[(&str, &str)] = &[
    ("preToolUse", "tool.before"),
    ("postToolUse", "tool.after"),
    ("userPromptSubmit", "prompt.submit"),
    ("stop", "turn.stop"),
    ("preCompact", "compact.before"),
    ("sessionStart", "session.start"),
    ("sessionEnd", "session.end"),
    ("subagentStart", "agent.start"),
    ("subagentStop", "agent.stop"),
    ("notification", "notice"),
];

/// The hooks of a file. What else stands in it is not ours.
pub(crate) fn hooks(file: &File) -> Result<Vec<Hook>, Diagnostics> {
    let mut reader = Reader { file, found: Vec::new(), wrong: Diagnostics::default() };
    reader.read();
    if reader.wrong.is_empty() { Ok(reader.found) } else { Err(reader.wrong) }
}

struct Reader<'a> {
    file: &'a File,
    found: Vec<Hook>,
    wrong: Diagnostics,
}

impl Reader<'_> {
    fn read(&mut self) {
        let text = &self.file.text.text;
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            let at = offset(text, error.line(), error.column());
            return self.mistake(at, format!("this is no JSON: {error}"), "correct it, or remove the file");
        }
        let root = match tollgate_wire::read(text.as_bytes()) {
            (Ok(Value::Object(root)), None) => root,
            (_, Some(why)) => return self.mistake(0..1, format!("this can be read in two ways ({why})"), "remove one"),
            _ => return self.mistake(0..1, "this is no JSON object".to_owned(), "begin with `{\"hooks\": {…}}`"),
        };
        match root.get("hooks") {
            None | Some(Value::Null) => {}
            Some(Value::Object(events)) => events.iter().for_each(|(event, list)| self.event(event, list)),
            Some(_) => self.mistake(
                self.key("hooks"),
                "`hooks` must be an object".to_owned(),
                "write `\"hooks\": {\"preToolUse\": [{\"command\": \"…\"}]}`",
            ),
        }
    }

    fn event(&mut self, event: &str, list: &Value) {
        let Some((_, point)) = EVENTS.iter().find(|(known, _)| *known == event) else {
            let known: Vec<&str> = EVENTS.iter().map(|(known, _)| *known).collect();
            let help = match nearest(event, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            return self.mistake(self.key(event), format!("there is no event `{}`", event.escape_debug()), &help);
        };
        let Value::Array(entries) = list else {
            let help = "in brackets: [{\"command\": \"…\"}]";
            return self.mistake(self.key(event), format!("`{event}` must be a list"), help);
        };
        for (index, entry) in entries.iter().enumerate() {
            match entry {
                Value::Object(entry) => self.entry(&format!("{event}-{}", index + 1), event, point, entry),
                _ => self.mistake(self.key(event), format!("an entry of `{event}` must be an object"), FORM),
            }
        }
    }

    fn entry(&mut self, id: &str, event: &str, point: &str, entry: &Map<String, Value>) {
        if let Some(key) = entry.keys().find(|key| !["command", "match"].contains(&key.as_str())) {
            return self.mistake(
                self.key(key),
                format!("an entry of `{event}` has no key `{}`", key.escape_debug()),
                FORM,
            );
        }
        let Some(Value::String(command)) = entry.get("command") else {
            return self.mistake(
                self.key(event),
                format!("an entry of `{event}` has no `command` that is a text"),
                FORM,
            );
        };
        let tool = match entry.get("match") {
            None | Some(Value::Null) => None,
            Some(Value::String(tool)) => Some(tool.trim()).filter(|tool| !tool.is_empty() && *tool != "*"),
            Some(_) => return self.mistake(self.key("match"), "`match` must be a text".to_owned(), ONE_NAME),
        };
        if let Some(tool) = tool.filter(|tool| tool.contains(['*', '|', '?', '^', '$', '(', '['])) {
            let message = format!("`{}` is no name of a tool", tool.escape_debug());
            return self.mistake(self.key(tool), message, ONE_NAME);
        }
        // It does not ask for a tool where there is none.
        let tool = tool.filter(|_| point.starts_with("tool."));
        let form = HookFile {
            id: Some(id.to_owned()),
            on: Some(OneOrMany::One(point.into())),
            command: OneOrMany::One(command.clone()),
            tools: tool.map(|tool| OneOrMany::One(tool.to_owned())),
            timeout: None,
            protocol: Some(ProtocolName::Seed),
            on_fault: None,
            env: Vec::new(),
            priority: None,
        };
        match Hook::of(&form, &self.root(), 0) {
            Ok(hook) => self.found.push(Hook { file: self.file.path.clone(), ..hook }),
            Err(wrong) => {
                for mistake in wrong {
                    let help = mistake.help.unwrap_or_else(|| FORM.to_owned());
                    let help = help.replace("the folder of this file", "the project's folder");
                    self.mistake(self.key(command), mistake.message, &help);
                }
            }
        }
    }

    /// The file as if it lay where its commands are meant to run: the folder above `.tollgate`.
    fn root(&self) -> File {
        let folder = self.file.folder();
        let hidden = folder.file_name().is_some_and(|name| name == ".tollgate");
        let folder = folder.parent().filter(|_| hidden).unwrap_or(folder);
        File { path: folder.join("workspace.json"), ..self.file.clone() }
    }

    fn mistake(&mut self, at: Range<usize>, message: String, help: &str) {
        self.wrong.push(Diagnostic::error(&self.file.text, at, message).help(help));
    }

    /// Where a text stands, as JSON writes it.
    fn key(&self, text: &str) -> Range<usize> {
        let written = Value::from(text).to_string();
        self.file.text.text.find(&written).map_or(0..1, |at| at..at + written.len())
    }
}

const FORM: &str = "write {\"command\": \"…\", \"match\": \"a tool's name\"}";
const ONE_NAME: &str = "write one tool's name, or `*` for all; `[[hook]]` in tollgate.toml takes lists and globs";

/// The bytes at a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (start + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    at..at + 1
}

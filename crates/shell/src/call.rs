//! What an agent's tool call does, told by the kind of tool: the effects of a command, or of reading and writing files.
//!
//! Agents keep the same thing under different names (`command`, `cmd`, `file_path`, `filePath`…), some put JSON into
//! strings, and one argument may hold a patch of many files. All of these spellings are looked for, whatever the agent.

mod any;
mod patch;
mod path;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::arg::Arg;
use crate::effect::{Effect, Flag, Flags, Kind};
use crate::path::{Surroundings, effects, host, locate, locate_name};
use crate::walk::understand;

pub(crate) use patch::patched;
pub use path::understand_path;

/// Which tool is called.
///
/// ```
/// use serde_json::json;
/// use tollgate_shell::{Kind, Surroundings, Tool, understand_call};
///
/// let around = Surroundings { cwd: Some("/home/user/app"), home: Some("/home/user"), ..Surroundings::default() };
/// let kinds = |tool: &Tool<'_>, args| understand_call(tool, &args, &around).iter().map(|it| it.kind).collect::<Vec<_>>();
/// let read = Tool::Foreign { name: "mcp__files__read_text_file", server: None };
/// assert_eq!(kinds(&read, json!({"path": "~/.ssh/id_rsa"})), [Kind::ReadSecret]);
/// let query = Tool::Foreign { name: "run_sql", server: Some("shop") };
/// assert_eq!(kinds(&query, json!({"params": {"sql": "drop table orders"}})), [Kind::Database]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool<'a> {
    /// One that agents bring along, of this kind (the kinds are those of `tollgate_wire::kind`).
    Own(&'a str),
    /// One of an MCP server, or one that nobody here knows.
    Foreign {
        /// What it is called, with its capitals.
        name: &'a str,
        /// The server that offers it, where the name does not say.
        server: Option<&'a str>,
    },
}

/// What a tool call does. A tool that agents bring along and whose kind says nothing about effects (`agent`, `other`) does
/// nothing that can be told.
#[must_use]
pub fn understand_call(tool: &Tool<'_>, args: &Value, around: &Surroundings<'_>) -> Vec<Effect> {
    let opened = opened(args);
    let args = opened.as_ref().unwrap_or(args);
    let here = Surroundings { workspace: around.workspace.or(around.cwd), ..*around };
    let kind = match *tool {
        Tool::Own(kind) => kind,
        Tool::Foreign { name, server } => return any::understand(name, server, args, &here),
    };
    let mut effects = understand_at(kind, args, here);
    let folders = folders(args, &here);
    for folder in folders.iter().take(MOST_FOLDERS) {
        let there = understand_at(kind, args, Surroundings { cwd: Some(folder), ..here });
        join(&mut effects, there);
    }
    if folders.len() > MOST_FOLDERS {
        effects.push(unclear("names more folders to work in than can be looked at"));
    }
    effects
}

/// The same in one folder.
fn understand_at(kind: &str, args: &Value, around: Surroundings<'_>) -> Vec<Effect> {
    let mut call = Call::new(around);
    match kind {
        "exec" => call.runs(args),
        "stdin" => call.types(args),
        "read" => call.reads(args),
        "write" | "edit" => call.changes(args, kind == "edit"),
        "web" => call.fetches(args),
        _ => {}
    }
    call.effects
}

/// How many folders a call may name to work in. Agents know one name for that.
const MOST_FOLDERS: usize = 8;
const COMMANDS: &[&str] = &["command", "commands", "command_line", "commandLine", "cmd", "script", "code"];
const FOLDERS: &[&str] = &[
    "cwd",
    "workdir",
    "working_dir",
    "working_directory",
    "workingDirectory",
    "workingDir",
    "dir",
    "directory",
    "dir_path",
];
const TYPED: &[&str] = &["chars", "data", "input", "text", "keys", "stdin"];
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "files",
    "paths",
    "absolute_path",
    "target_file",
    "notebook_path",
    "notebookPath",
    "relative_path",
    "relativePath",
    "uri",
    "file_paths",
    "filePaths",
    "operations",
];
const SOURCES: &[&str] = &["source", "source_path", "sourcePath", "old_path", "oldPath", "src"];
const TARGETS: &[&str] =
    &["destination", "destination_path", "destinationPath", "new_path", "newPath", "dest", "target_path"];
const CONTENTS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "fileText",
    "text",
    "new_str",
    "newStr",
    "new_string",
    "newString",
    "new_source",
    "edits",
    "code_edit",
    "insert_text",
    "insert_line",
    "diff",
    "patch",
    "data",
    "replacements",
    "old_str",
    "old_string",
    "oldString",
    "command",
];
const PATCHES: &[&str] = &["input", "patch", "diff", "command", "content", "patch_text", "patchText"];
const URLS: &[&str] = &["url", "urls", "requests", "prompt", "uri"];

struct Call<'a> {
    around: Surroundings<'a>,
    effects: Vec<Effect>,
    /// How many more commands are followed.
    left: usize,
}

/// How many commands one call may hand over. Each alone may take long to follow.
const MOST_COMMANDS: usize = 256;

impl<'a> Call<'a> {
    fn new(around: Surroundings<'a>) -> Self {
        Self { around, effects: Vec::new(), left: MOST_COMMANDS }
    }
}

/// JSON that was put into a string.
fn opened(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim_start();
    if text.starts_with(['{', '[']) { serde_json::from_str(text).ok() } else { None }
}

fn fields(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

/// The folders that a call names to work in. No agent knows all of these names, and what it does not know it ignores:
/// the call may run in any of them, or in none.
fn folders(args: &Value, around: &Surroundings<'_>) -> Vec<String> {
    let is_one = |key: &str| FOLDERS.iter().any(|name| name.eq_ignore_ascii_case(key));
    let members = [Some(args), args.get("action")].into_iter().flatten().filter_map(fields).flatten();
    let named = members.filter(|(key, _)| is_one(key)).filter_map(|(_, value)| value.as_str());
    let mut found: Vec<String> = Vec::new();
    for text in named.filter(|text| !text.is_empty()) {
        let path = locate(&Arg::known(text), around).path;
        if around.cwd != Some(&path) && !found.contains(&path) {
            found.push(path);
        }
        if found.len() > MOST_FOLDERS {
            break;
        }
    }
    found
}

/// Adds what a call does elsewhere. Most of that is the same wherever it runs, and in the same order.
fn join(effects: &mut Vec<Effect>, others: Vec<Effect>) {
    let others = others.into_iter().enumerate();
    let new: Vec<Effect> =
        others.filter(|(at, other)| effects.get(*at) != Some(other)).map(|(_, other)| other).collect();
    effects.extend(new);
}

/// What cannot be told.
fn unclear(what: &str) -> Effect {
    Effect { flags: Flag::Force.into(), ..Effect::new(Kind::Unknown, what) }
}

/// Every text below the fields of these names. Lists are gone through, objects asked for the same names.
fn texts<'v>(args: &'v Value, keys: &[&str], found: &mut Vec<&'v str>) {
    for (_, value) in fields(args).into_iter().flatten().filter(|(key, _)| keys.contains(&key.as_str())) {
        add(value, keys, found);
    }
}

fn add<'v>(value: &'v Value, keys: &[&str], found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| add(item, keys, found)),
        Value::Object(_) => texts(value, keys, found),
        _ => {}
    }
}

/// Every text but those that only describe a call.
fn anything<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    const ABOUT: &[&str] =
        &["description", "title", "explanation", "reason", "session_id", "sessionId", "id", "shell_id"];
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| anything(item, found)),
        Value::Object(fields) => {
            let telling = |key: &str| !ABOUT.contains(&key) && !FOLDERS.contains(&key);
            fields.iter().filter(|(key, _)| telling(key)).for_each(|(_, value)| anything(value, found));
        }
        _ => {}
    }
}

impl Call<'_> {
    fn touch(&mut self, kind: Kind, path: &str, by: &str) {
        let arg = Arg { text: path.to_owned(), glob: path.contains('*'), ..Arg::default() };
        let verb = match kind {
            Kind::Delete => "deletes",
            Kind::Write => "writes to",
            Kind::Overwrite => "overwrites",
            Kind::Move => "moves away",
            _ => "reads",
        };
        let located = match kind {
            Kind::Delete | Kind::Move => locate_name(&arg, &self.around),
            _ => locate(&arg, &self.around),
        };
        let by = format!("{by} {path}");
        self.effects
            .extend(effects(kind, located, Flags::NONE, verb).map(|effect| Effect { by: by.clone(), ..effect }));
    }

    fn runs(&mut self, args: &Value) {
        if let Some(text) = args.as_str() {
            return self.script(text);
        }
        if !self.runs_named(args) {
            self.runs_nameless(args);
        }
    }

    /// Runs what stands under a name that is known; says whether there was one.
    fn runs_named(&mut self, args: &Value) -> bool {
        let named = |key: &str| COMMANDS.iter().find(|name| name.eq_ignore_ascii_case(key)).copied();
        let mut found = false;
        for (name, value) in fields(args).into_iter().flatten().filter_map(|(key, value)| Some((named(key)?, value))) {
            let opened = opened(value);
            self.command(name, opened.as_ref().unwrap_or(value), args);
            found = true;
        }
        // `{"action": {"command": […]}}`, as the model's own shell has it.
        match args.get("action").filter(|action| action.is_object()) {
            Some(action) => self.runs_named(action) || found,
            None => found,
        }
    }

    /// A shell whose command is not where one is expected runs something all the same. Every text is judged as if it
    /// were the command, and that it may not be is said.
    fn runs_nameless(&mut self, args: &Value) {
        let mut found = Vec::new();
        anything(args, &mut found);
        if found.is_empty() {
            return;
        }
        found.into_iter().for_each(|text| self.script(text));
        self.effects.push(unclear("runs a command that cannot be found in its arguments"));
    }

    fn command(&mut self, key: &str, value: &Value, call: &Value) {
        match value {
            Value::String(text) => match call.get("args").and_then(Value::as_array) {
                // A program and its arguments apart.
                Some(rest) if !text.contains(' ') => self.script(&quoted(std::iter::once(value).chain(rest))),
                _ => self.script(text),
            },
            Value::Array(items) if key == "commands" => items.iter().for_each(|item| match item {
                Value::String(text) => self.script(text),
                Value::Array(_) => self.command("cmd", item, item),
                _ => self.runs(item),
            }),
            Value::Array(items) => self.script(&quoted(items)),
            Value::Object(_) => self.runs(value),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn script(&mut self, text: &str) {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None if self.effects.last().is_some_and(|effect| effect.kind == Kind::Unknown) => return,
            None => return self.effects.push(unclear("hands over more commands than can be followed")),
        }
        if text.trim_start().starts_with("*** Begin Patch") {
            return self.patch(text);
        }
        self.effects.extend(understand(text, &self.around));
        if is_power_shell(text) {
            let script = format!("pwsh -Command '{}'", text.replace('\'', "'\\''"));
            self.effects.extend(understand(&script, &self.around));
        }
    }

    fn types(&mut self, args: &Value) {
        let mut found = Vec::new();
        texts(args, TYPED, &mut found);
        found.into_iter().for_each(|text| self.script(text));
    }

    fn reads(&mut self, args: &Value) {
        let mut found = Vec::new();
        texts(args, PATHS, &mut found);
        let pattern = args.get("pattern").and_then(Value::as_str);
        // A pattern of names lists them; a pattern of text looks into them.
        let lists = pattern.is_some_and(|pattern| pattern.contains("**") || pattern.starts_with("*."));
        for path in found.into_iter().filter(|_| !lists) {
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let folder = [".ssh", ".aws", ".gnupg", ".kube", ".azure", "gcloud", ".password-store"].contains(&name);
            if pattern.is_some() || !folder {
                self.touch(Kind::Read, path, "read");
            }
        }
    }

    fn changes(&mut self, args: &Value, edit: bool) {
        if let Some(text) = args.as_str() {
            return self.patch(text);
        }
        let mut patches = Vec::new();
        texts(args, PATCHES, &mut patches);
        let patches: Vec<&str> = patches.into_iter().filter(|text| patch::is_one(text)).collect();
        let mut found = Vec::new();
        texts(args, PATHS, &mut found);
        for path in fields(args).and_then(|args| args.get("changes")?.as_object()).into_iter().flat_map(Map::keys) {
            found.push(path);
        }
        let verb = args.get("command").and_then(Value::as_str).unwrap_or_default();
        let has_content = fields(args).is_some_and(|args| args.keys().any(|key| CONTENTS.contains(&key.as_str())));
        let mode = args.get("edit_mode").or_else(|| args.get("action")).and_then(Value::as_str).unwrap_or_default();
        let kind = match (verb, mode) {
            ("view" | "read", _) => Kind::Read,
            ("delete", _) | (_, "delete") if verb == "delete" || !has_content => Kind::Delete,
            _ if !edit && !has_content && patches.is_empty() => Kind::Delete,
            _ => Kind::Overwrite,
        };
        let several = args.get("edits").and_then(Value::as_array);
        for one in several.into_iter().flatten() {
            texts(one, PATHS, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        let by = if edit { "edit" } else { "write" };
        // Beside a path, a text that looks like a patch may be what the file shall hold: a test, a document.
        if found.is_empty() {
            patches.into_iter().for_each(|text| self.patch(text));
        }
        found.into_iter().for_each(|path| self.touch(kind, path, by));
        if !has_content {
            self.moves(args);
        }
    }

    /// A file that gets another name.
    fn moves(&mut self, args: &Value) {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        texts(args, SOURCES, &mut from);
        texts(args, TARGETS, &mut to);
        if !to.is_empty() {
            from.into_iter().for_each(|path| self.touch(Kind::Move, path, "move"));
            to.into_iter().for_each(|path| self.touch(Kind::Overwrite, path, "move"));
        }
    }

    fn patch(&mut self, text: &str) {
        for (kind, path) in patch::changes(text) {
            self.touch(kind, &path, "patch");
        }
    }

    fn fetches(&mut self, args: &Value) {
        let mut found = Vec::new();
        match args {
            Value::String(text) => found.push(text.as_str()),
            _ => texts(args, URLS, &mut found),
        }
        let words = found.into_iter().flat_map(str::split_whitespace).take(1024);
        let urls: Vec<&str> = words.map(|word| word.trim_matches(['(', ')', '<', '>', '"', '\'', ','])).collect();
        for url in urls {
            if let Some(path) = url.strip_prefix("file://") {
                self.touch(Kind::Read, path, "fetch");
            } else if url.contains("://") || args.get("url").and_then(Value::as_str) == Some(url) {
                self.fetch(url);
            }
        }
    }

    fn fetch(&mut self, url: &str) {
        let host = host(url);
        let (kind, what) = if crate::know::is_metadata(&host) {
            (Kind::ReadSecret, format!("reads credentials of this machine from {host}"))
        } else {
            (Kind::Network, format!("talks to {host}"))
        };
        let by = format!("fetch {url}");
        self.effects.push(Effect { host: Some(host), flags: Flag::Download.into(), by, ..Effect::new(kind, what) });
    }
}

/// Words as a shell would need them to be the same words again.
fn quoted<'v>(words: impl IntoIterator<Item = &'v Value>) -> String {
    let one = |word: &Value| {
        let text = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
        let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c));
        if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    words.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Whether a text speaks PowerShell: nothing says which shell a tool runs.
fn is_power_shell(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "remove-item",
        "invoke-",
        "format-volume",
        "clear-disk",
        "set-executionpolicy",
        "iex",
        "iwr",
        "irm",
        "$env:",
        "start-process",
        "stop-computer",
        "restart-computer",
        "new-object",
        "get-content",
        "set-content",
        "set-itemproperty",
        "remove-itemproperty",
        "set-mppreference",
        "clear-content",
        "out-file",
        "move-item",
        "copy-item",
        "ri ",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

//! What a call is about, in a few words.

use serde_json::Value;
use tollgate_audit::Entry;

use super::find::is_sealed;

const COMMANDS: &[&str] = &["command", "commands", "command_line", "commandLine", "cmd", "script", "code"];
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
    "relative_path",
    "file_paths",
    "filePaths",
    "uri",
];
const URLS: &[&str] = &["url", "urls", "uri", "query", "prompt"];
const TEXTS: &[&str] = &["prompt", "text", "message", "description", "query"];

/// The subject of an entry: of its arguments, else of its result.
pub(super) fn of_entry(entry: &Entry) -> String {
    let kind = entry.record.tool_kind.as_deref();
    let erased: Vec<&str> = entry.fields.erased().collect();
    for name in ["arguments", "result"] {
        match entry.fields.value(name) {
            Some(value) if is_sealed(&value) => return "(sealed)".to_owned(),
            Some(value) => return of(kind, &value),
            None if erased.contains(&name) => return "(erased)".to_owned(),
            None => {}
        }
    }
    String::new()
}

/// The subject of a document: a command, a path, an address; all of it if it has none.
fn of(kind: Option<&str>, document: &Value) -> String {
    let Some(members) = document.as_object() else { return plain(document) };
    let first =
        |keys: &[&str]| keys.iter().find_map(|key| members.get(*key)).map(plain).filter(|text| !text.is_empty());
    let subject = match kind {
        Some("exec") => first(COMMANDS),
        Some("read") => match (first(&["pattern"]), first(PATHS)) {
            (Some(pattern), Some(path)) => Some(format!("{pattern} in {path}")),
            (pattern, path) => pattern.or(path),
        },
        Some("write" | "edit") => first(PATHS),
        Some("web") => first(URLS),
        Some("mcp") => None,
        _ => first(TEXTS),
    };
    let only = || members.values().next().filter(|_| members.len() == 1).map(plain);
    subject.or_else(only).unwrap_or_else(|| if members.is_empty() { String::new() } else { document.to_string() })
}

/// A text as it is, a list of texts as a line of words, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Value::Null => String::new(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_calls_are_about() {
        for (kind, document, expected) in [
            (Some("exec"), json!({"command": "ls -l", "timeout": 5}), "ls -l"),
            (Some("exec"), json!({"command": ["git", "status"]}), "git status"),
            (Some("read"), json!({"file_path": "a.rs", "limit": 3}), "a.rs"),
            (Some("read"), json!({"pattern": "todo", "path": "src"}), "todo in src"),
            (Some("read"), json!({"pattern": "*.rs"}), "*.rs"),
            (Some("edit"), json!({"old_string": "a", "file_path": "b.rs"}), "b.rs"),
            (Some("web"), json!({"url": "https://a.example", "prompt": "?"}), "https://a.example"),
            (Some("mcp"), json!({"title": "x", "text": "y"}), r#"{"title":"x","text":"y"}"#),
            (None, json!({"prompt": "do it", "n": 1}), "do it"),
            (None, json!({"anything": "alone"}), "alone"),
            (None, json!("text"), "text"),
            (Some("exec"), json!({}), ""),
            (Some("exec"), json!({"command": ""}), ""),
            (None, json!(null), ""),
        ] {
            assert_eq!(of(kind, &document), expected, "{document}");
        }
    }
}

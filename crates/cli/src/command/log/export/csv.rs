//! Records for a spreadsheet: one line each, whatever is in them.

use serde_json::Value;

use crate::output::visible;

const MEMBERS: &[&str] = &[
    "seq",
    "time",
    "kind",
    "point",
    "act",
    "rule",
    "by",
    "cause",
    "tool",
    "became",
    "tool_kind",
    "session",
    "agent",
    "surface",
    "server",
    "model",
    "call",
    "intent",
    "ended",
    "took_us",
    "approved",
    "granted",
    "stream",
    "digest",
];
const FIELDS: &[&str] =
    &["arguments", "result", "reason", "cwd", "principal", "labels", "chain", "approval", "changes", "said", "notes"];

pub(super) fn header() -> String {
    MEMBERS.iter().chain(FIELDS).chain(&["erased"]).copied().collect::<Vec<_>>().join(",")
}

pub(super) fn line(record: &Value) -> String {
    let members = MEMBERS.iter().map(|name| &record[*name]);
    let fields = FIELDS.iter().map(|name| &record["fields"][*name]);
    let cells: Vec<String> = members.chain(fields).chain([&record["erased"]]).map(cell).collect();
    cells.join(",")
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => visible(text),
        _ => visible(&value.to_string()),
    };
    // A spreadsheet would run what an agent wrote.
    let formula = value.is_string() && text.starts_with(['=', '+', '-', '@']);
    let text = if formula { format!("'{text}") } else { text };
    if text.contains([',', '"', ' ']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells() {
        for (value, expected) in [
            (json!(null), ""),
            (json!(5), "5"),
            (json!(-5), "-5"),
            (json!("plain"), "plain"),
            (json!("a,b"), "\"a,b\""),
            (json!("a \"b\""), "\"a \"\"b\"\"\""),
            (json!("a\nb\x1b"), "a\\nb\\u{1b}"),
            (json!("=cmd()"), "'=cmd()"),
            (json!("@x"), "'@x"),
            (json!({"a": 1}), "\"{\"\"a\"\":1}\""),
        ] {
            assert_eq!(cell(&value), expected, "{value}");
        }
        assert_eq!(header().matches(',').count(), line(&json!({})).matches(',').count());
    }
}

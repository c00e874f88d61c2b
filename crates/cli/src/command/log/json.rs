//! Records as JSON.

use serde_json::{Map, Value};
use tollgate_audit::{Entry, Record};

use crate::command::Failure;
use crate::output::{self, is_unseen};

/// A record with what stands beside it, in place of the commitments to that.
pub(super) fn entry(entry: &Entry) -> Value {
    with_fields(&entry.record, entry.fields.all(), entry.fields.erased().collect())
}

/// The same with other values.
pub(super) fn with_fields(record: &Record, fields: Map<String, Value>, erased: Vec<&str>) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.remove("fields");
        members.retain(|_, member| !is_empty(member));
        if !fields.is_empty() {
            members.insert("fields".to_owned(), fields.into());
        }
        if !erased.is_empty() {
            members.insert("erased".to_owned(), erased.into());
        }
    }
    value
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// JSON in which nothing stands that a terminal obeys: the same document, with more escapes.
pub(super) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && (c.is_control() || is_unseen(c)) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// One line.
pub(super) fn line(value: &Value) -> String {
    format!("{}\n", safe(&value.to_string()))
}

/// Prints one document, for a reader.
pub(super) fn print(value: &Value) -> Result<(), Failure> {
    output::print(&format!("{}\n", safe(&format!("{value:#}"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_document_comes_out() {
        let document = json!({"a\u{202e}": "\u{9b}\x1b\u{7f}\n\u{e0041}é日"});
        let text = safe(&document.to_string());
        assert_eq!(text, r#"{"a\u202e":"\u009b\u001b\u007f\n\udb40\udc41é日"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
    }
}

//! Records as JSON.

use serde_json::{Map, Value};
use tollgate_audit::{Entry, Record};

pub(super) use crate::output::print_json as print;
use crate::output::safe_json;

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

/// One line.
pub(super) fn line(value: &Value) -> String {
    format!("{}\n", safe_json(&value.to_string()))
}

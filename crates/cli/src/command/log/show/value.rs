//! Documents as people read them.

use serde_json::Value;

use super::super::cells::{lines, tame};
use super::super::find::is_sealed;
use super::super::table::WIDTH;
use crate::output::thousands;

/// Nobody reads more of one value on a terminal.
const MOST: usize = 200;

/// A document in lines that fit, each beginning with so many blanks. Texts of several lines are shown as such.
pub(super) fn shown(value: &Value, indent: usize) -> String {
    let mut out = Vec::new();
    write(value, indent, &mut out);
    let left = out.len().saturating_sub(MOST);
    out.truncate(MOST);
    if left > 0 {
        let more = if left == 1 { "1 more line" } else { &format!("{} more lines", thousands(left as u64)) };
        out.push(format!("{:indent$}… {more}; `--json` shows all", ""));
    }
    out.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn write(value: &Value, indent: usize, out: &mut Vec<String>) {
    // However deep a document is, there must be room for it.
    let indent = indent.min(WIDTH / 2);
    match value {
        _ if is_sealed(value) => text("(sealed; `--unseal` opens it)", indent, out),
        Value::String(own) => {
            own.strip_suffix('\n').unwrap_or(own).split('\n').for_each(|line| text(line, indent, out));
        }
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, member)| self::member(&format!("{name}:"), member, indent, out));
        }
        Value::Array(items) if items.iter().any(|item| !is_short(item)) => {
            items.iter().for_each(|item| member("-", item, indent, out));
        }
        _ => text(&value.to_string(), indent, out),
    }
}

/// A member on one line, if it fits there.
fn member(name: &str, value: &Value, indent: usize, out: &mut Vec<String>) {
    if is_short(value) {
        let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return text(&format!("{name} {plain}"), indent, out);
    }
    text(name, indent, out);
    write(value, indent + 2, out);
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n') && text.len() < 200,
        Value::Array(items) => items.is_empty() || items.iter().all(Value::is_number),
        Value::Object(members) => members.is_empty(),
        _ => true,
    }
}

fn text(line: &str, indent: usize, out: &mut Vec<String>) {
    // A text of a megabyte in one line is one line of text too many.
    let cut: String = line.chars().take(MOST * WIDTH).collect();
    out.extend(lines(&tame(&cut), WIDTH - indent).iter().map(|part| format!("{:indent$}{part}", "")));
}

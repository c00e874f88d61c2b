//! What edits changed.

use serde_json::Value;

use super::super::cells::{lines, tame};
use super::super::table::WIDTH;
use crate::output::Paint;

/// Nobody reads more of one change on a terminal.
const MOST: usize = 40;
/// Lines around a change that are the same.
const AROUND: usize = 1;

/// All changes, as small diffs.
pub(super) fn shown(changes: &Value, paint: Paint) -> String {
    let all = changes.as_array().map_or(&[][..], Vec::as_slice);
    all.iter().map(|change| one(change, paint)).collect()
}

fn one(change: &Value, paint: Paint) -> String {
    let text = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default();
    let path = if text("path").is_empty() { "all of it" } else { text("path") };
    let mut out = String::new();
    let title = tame(&format!("{} changed {path}", text("who")));
    lines(&title, WIDTH - 2).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    if change.get("hidden").and_then(Value::as_bool) == Some(true) {
        return out + "    (they differ in secrets only, which are not recorded)\n";
    }
    out + &diff(change.get("from"), change.get("to"), paint)
}

/// The lines that were, and those that are.
fn diff(from: Option<&Value>, to: Option<&Value>, paint: Paint) -> String {
    let (from, to) = (plain(from), plain(to));
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let rest = from.len().min(to.len()) - same;
    let ends = from.iter().rev().zip(to.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    let mut out = String::new();
    for line in &from[same.saturating_sub(AROUND)..same] {
        part(&mut out, "  ", line, |text| text.to_owned());
    }
    some(&mut out, "- ", &from[same..from.len() - ends], |text| paint.red(text));
    some(&mut out, "+ ", &to[same..to.len() - ends], |text| paint.green(text));
    for line in from[from.len() - ends..].iter().take(AROUND) {
        part(&mut out, "  ", line, |text| text.to_owned());
    }
    out
}

fn some(out: &mut String, mark: &str, all: &[String], tint: impl Fn(&str) -> String) {
    all.iter().take(MOST).for_each(|line| part(out, mark, line, &tint));
    if all.len() > MOST {
        out.push_str(&format!("    … {} more; `--json` shows all\n", all.len() - MOST));
    }
}

fn part(out: &mut String, mark: &str, line: &str, tint: impl Fn(&str) -> String) {
    let cut: String = line.chars().take(MOST * WIDTH).collect();
    for part in lines(&tame(&cut), WIDTH - 6) {
        out.push_str(&format!("    {}\n", tint(format!("{mark}{part}").trim_end())));
    }
}

fn plain(value: Option<&Value>) -> Vec<String> {
    match value {
        None => Vec::new(),
        Some(Value::String(text)) => text.split('\n').map(str::to_owned).collect(),
        Some(other) => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_differs_is_shown() {
        for (from, to, expected) in [
            (json!("a"), json!("b"), "    - a\n    + b\n"),
            (json!("a\nb\nc\nd"), json!("a\nb\nx\nd"), "      b\n    - c\n    + x\n      d\n"),
            (json!("a\nb"), json!("a"), "      a\n    - b\n"),
            (json!("a\na"), json!("a\na\na"), "      a\n    + a\n"),
            (json!(null), json!({"a": 1}), "    - null\n    + {\"a\":1}\n"),
        ] {
            assert_eq!(diff(Some(&from), Some(&to), Paint::PLAIN), expected, "{from} {to}");
        }
        assert_eq!(diff(None, Some(&json!("new")), Paint::PLAIN), "    + new\n");
    }
}

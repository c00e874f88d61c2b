//! Secrets in JSON documents.

use crate::keywords::Trigger;
use crate::names::NameStrength;
use crate::rules::id;
use crate::scanner::Scanner;
use crate::value::{self, Circumstances};
use serde_json::Value;
use std::borrow::Cow;

/// Redacts all strings, names of members included, and counts those that changed.
pub(crate) fn redact(scanner: &Scanner, document: &mut Value, name: Option<&str>) -> usize {
    match document {
        Value::String(text) => redact_text(scanner, text, name),
        Value::Array(items) => redact_items(scanner, items, name),
        Value::Object(members) => redact_members(scanner, members) + redact_names(scanner, members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// In the arguments of a program, an option names what follows it.
fn redact_items(scanner: &Scanner, items: &mut [Value], name: Option<&str>) -> usize {
    let mut option: Option<String> = None;
    let mut count = 0;
    for item in items {
        let before = option.take();
        option = item.as_str().and_then(|text| text.strip_prefix('-')).map(str::to_owned);
        count += redact(scanner, item, before.as_deref().map(|text| text.trim_start_matches('-')).or(name));
    }
    count
}

/// In `{"name": "DB_PASSWORD", "value": "…"}` the one member names the other.
fn redact_members(scanner: &Scanner, members: &mut serde_json::Map<String, Value>) -> usize {
    let named = ["name", "key", "Name", "Key"].iter().find_map(|name| members.get(*name)?.as_str()).map(str::to_owned);
    let is_value = |name: &str| matches!(name, "value" | "val" | "Value");
    let each = |(name, member): (&String, &mut Value)| {
        let count = redact(scanner, member, Some(name));
        let told = named.as_deref().filter(|_| is_value(name));
        count + told.map_or(0, |told| redact(scanner, member, Some(told)))
    };
    members.iter_mut().map(each).sum()
}

fn redact_text(scanner: &Scanner, text: &mut String, name: Option<&str>) -> usize {
    let by_name = name.and_then(|name| rule_by_name(name, text)).map(|rule| format!("[redacted:{rule}]"));
    let redacted = match (by_name, scanner.redact(text)) {
        (_, Cow::Owned(redacted)) if redacted.starts_with("[redacted:") && redacted.ends_with(']') => redacted,
        (Some(hidden), _) => hidden,
        (None, Cow::Owned(redacted)) => redacted,
        (None, Cow::Borrowed(_)) => return 0,
    };
    *text = redacted;
    1
}

/// Renames members whose name holds a secret. Members stay in order.
fn redact_names(scanner: &Scanner, members: &mut serde_json::Map<String, Value>) -> usize {
    let dirty = |name: &String| matches!(scanner.redact(name), Cow::Owned(_));
    let count = members.keys().filter(|name| dirty(name)).count();
    if count > 0 {
        let old = std::mem::take(members);
        members.extend(old.into_iter().map(|(name, member)| (scanner.redact(&name).into_owned(), member)));
    }
    count
}

/// The words of names of members that hold secrets.
const TRIGGERS: [(&str, Trigger); 10] = [
    ("passw", Trigger::Password),
    ("passphrase", Trigger::Password),
    ("pwd", Trigger::Password),
    ("secret", Trigger::Strong),
    ("token", Trigger::Strong),
    ("cred", Trigger::Strong),
    ("auth", Trigger::Strong),
    ("key", Trigger::Weak),
    ("access", Trigger::Weak),
    ("private", Trigger::Weak),
];

/// The rule by which the name of a member makes its text a secret.
fn rule_by_name(name: &str, text: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    TRIGGERS.iter().find_map(|&(word, trigger)| {
        let at = lower.find(word)?;
        let strength = NameStrength::of(name.as_bytes(), trigger, at, b"")?;
        let circumstances = Circumstances {
            password: strength == NameStrength::Password,
            strong_name: strength != NameStrength::Weak,
            quoted: true,
            ..Circumstances::default()
        };
        let rule = if circumstances.password { id::PASSWORD } else { id::GENERIC };
        value::is_secret(text.as_bytes(), circumstances).then_some(rule)
    })
}

#[cfg(test)]
mod tests {
    use crate::scanner;
    use serde_json::json;

    #[test]
    fn names_give_context_at_every_depth() {
        let mut document =
            json!({"a": [{"client_secret": "q8Zr2LmX0vBn"}, "q8Zr2LmX0vBn"], "tokens": ["q8Zr2LmX0vBn"]});
        assert_eq!(scanner().redact_json(&mut document), 2);
        let hidden = "[redacted:generic-secret]";
        assert_eq!(document, json!({"a": [{"client_secret": hidden}, "q8Zr2LmX0vBn"], "tokens": [hidden]}));
        assert_eq!(scanner().redact_json(&mut document), 0);
    }

    #[test]
    fn an_option_or_a_name_beside_it_names_a_value() {
        let hidden = "[redacted:generic-secret]";
        for (document, expected) in [
            (json!(["login", "--token", "q8Zr2LmX0vBn", "--force"]), json!(["login", "--token", hidden, "--force"])),
            (json!({"name": "API_TOKEN", "value": "q8Zr2LmX0vBn"}), json!({"name": "API_TOKEN", "value": hidden})),
            (json!([{"key": "API_TOKEN", "val": "q8Zr2LmX0vBn"}]), json!([{"key": "API_TOKEN", "val": hidden}])),
            (json!(["-n", "q8Zr2LmX0vBn"]), json!(["-n", "q8Zr2LmX0vBn"])),
            (json!({"name": "colour", "value": "q8Zr2LmX0vBn"}), json!({"name": "colour", "value": "q8Zr2LmX0vBn"})),
        ] {
            let mut redacted = document.clone();
            scanner().redact_json(&mut redacted);
            assert_eq!(redacted, expected);
            assert_eq!(scanner().redact_json(&mut redacted), 0);
        }
    }

    #[test]
    fn names_are_texts_too() {
        let mut document = json!({"first": 1, "AKIAQW3RT8ZX51LMNB7K": 2, "last": 3});
        assert_eq!(scanner().redact_json(&mut document), 1);
        let names: Vec<_> = document.as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, ["first", "[redacted:aws-access-key-id]", "last"]);
    }
}

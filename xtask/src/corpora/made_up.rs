//! Calls that a tool's schema describes, with values that do no harm.

mod values;
mod words;

use serde_json::{Map, Value, json};

use crate::cargo;
use words::words;

/// A tool as its server offers it.
pub(super) struct Offer<'o> {
    pub server: &'o str,
    pub tool: &'o str,
    pub description: &'o str,
    pub schema: &'o Value,
}

/// Arguments that choose what a tool does.
const DEEDS: &[&str] = &["action", "command", "method", "mode", "op", "operation"];

/// Words that say that something will be gone. A call that says so may well be stopped.
const VERBS: &[&str] = &[
    "clear",
    "del",
    "delete",
    "destroy",
    "discard",
    "drop",
    "empty",
    "erase",
    "flush",
    "kill",
    "prune",
    "purge",
    "remove",
    "reset",
    "revoke",
    "rm",
    "terminate",
    "trash",
    "truncate",
    "uninstall",
    "unlink",
    "unpublish",
    "wipe",
];

/// Whether the tool's own name or a chosen deed says that something will be gone.
pub(super) fn by_verb(tool: &str, args: &Value) -> bool {
    says_so(tool) || chooses_so(args)
}

fn says_so(name: &str) -> bool {
    words(name).iter().any(|word| VERBS.contains(&word.as_str()))
}

fn chooses_so(args: &Value) -> bool {
    match args {
        Value::Object(object) => {
            object.iter().any(|(name, value)| is_deed(name) && value.as_str().is_some_and(says_so) || chooses_so(value))
        }
        Value::Array(list) => list.iter().any(chooses_so),
        _ => false,
    }
}

fn is_deed(name: &str) -> bool {
    words(name).last().is_some_and(|word| DEEDS.contains(&word.as_str()))
}

/// The arguments of one call with what must be said, of one with all that can be, and of one for each deed to choose.
pub(super) fn calls(offer: &Offer) -> Vec<Value> {
    let plain = MakeUp { offer, all: false, chosen: None };
    let mut calls = vec![plain.arguments(), MakeUp { all: true, ..plain }.arguments()];
    for chosen in deeds(offer.schema) {
        calls.push(MakeUp { chosen: Some(chosen), ..plain }.arguments());
    }
    let mut different: Vec<Value> = Vec::new();
    calls.into_iter().for_each(|call| {
        if !different.contains(&call) {
            different.push(call)
        }
    });
    different
}

/// Every deed that can be chosen, at any depth, with the name of its argument.
fn deeds(schema: &Value) -> Vec<(&str, &Value)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .flat_map(|(name, schema)| {
            let here = if is_deed(name) { schema["enum"].as_array() } else { None };
            let here = here.into_iter().flatten().map(|value| (name.as_str(), value));
            here.chain(deeds(schema)).collect::<Vec<_>>()
        })
        .collect()
}

#[derive(Clone, Copy)]
struct MakeUp<'o> {
    offer: &'o Offer<'o>,
    /// Also what need not be said.
    all: bool,
    chosen: Option<(&'o str, &'o Value)>,
}

impl MakeUp<'_> {
    fn arguments(&self) -> Value {
        self.object(self.offer.schema)
    }

    fn object(&self, schema: &Value) -> Value {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let said = properties.filter(|(name, _)| self.says(name, schema));
        said.map(|(name, schema)| (name.clone(), self.value(name, schema))).collect::<Map<_, _>>().into()
    }

    fn says(&self, name: &str, schema: &Value) -> bool {
        self.all
            || cargo::list(schema, "required").any(|required| required == name)
            || self.chosen.is_some_and(|(chosen, _)| chosen == name || leads_to(&schema["properties"][name], chosen))
    }

    fn value(&self, name: &str, schema: &Value) -> Value {
        if let Some((_, value)) = self.chosen.filter(|(chosen, _)| *chosen == name) {
            return value.clone();
        }
        if let Some(one) = one_of(schema) {
            return self.value(name, one);
        }
        given(schema).unwrap_or_else(|| match kind(schema) {
            "object" => self.object(schema),
            "array" => json!([self.value(name, &schema["items"])]),
            "boolean" => json!(false),
            "integer" | "number" => json!(1),
            "null" => Value::Null,
            _ => json!(values::text(self.offer, name, schema)),
        })
    }
}

/// Whether an argument of this name is somewhere below.
fn leads_to(schema: &Value, chosen: &str) -> bool {
    deeds(schema).iter().any(|(name, _)| *name == chosen)
}

/// Of several schemas the first that says what it is.
fn one_of(schema: &Value) -> Option<&Value> {
    let mut all = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|key| cargo::list(schema, key));
    all.find(|one| one["$ref"].is_null() && kind(one) != "null")
}

fn kind(schema: &Value) -> &str {
    let of_several = || cargo::list(schema, "type").filter_map(Value::as_str).find(|kind| *kind != "null");
    let kind = schema["type"].as_str().or_else(of_several);
    let unsaid = if schema["properties"].is_object() || schema["$ref"].is_string() { "object" } else { "string" };
    kind.unwrap_or(unsaid)
}

/// A value that the schema itself names. A default is what happens anyway to who does not say anything.
fn given(schema: &Value) -> Option<Value> {
    let harmless = |value: &&Value| !value.as_str().is_some_and(says_so);
    let default = schema["default"].as_str().filter(|text| !text.is_empty()).map(Value::from);
    let choice = || cargo::list(schema, "enum").find(harmless).or_else(|| schema["enum"].get(0));
    schema.get("const").cloned().or(default).or_else(|| choice().cloned())
}

#[cfg(test)]
mod tests;

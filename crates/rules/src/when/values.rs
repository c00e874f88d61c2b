//! What expressions see.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::Key;
use cel::{ExecutionError, Value};
use serde_json::Value as Json;
use tollgate_core::{Fault, Point};
use tollgate_shell::Effect;
use tollgate_wire::form::EndedForm;

use super::{map, text};
use crate::facts::CallFacts;

/// The variables there are.
pub(super) const VARIABLES: &[&str] = &[
    "tool",
    "kind",
    "args",
    "result",
    "text",
    "session",
    "agent",
    "server",
    "model",
    "surface",
    "principal",
    "cwd",
    "point",
    "headers",
    "effects",
    "own",
    "labels",
    "attempt",
    "ended",
    "approval",
];

/// Variables that were worked out already, for all expressions that look at the same event.
#[derive(Default)]
pub(crate) struct Activation {
    known: RefCell<HashMap<&'static str, Value>>,
}

impl Activation {
    pub(super) fn value(&self, name: &'static str, facts: &CallFacts<'_>) -> Result<Value, Fault> {
        if let Some(value) = self.known.borrow().get(name) {
            return Ok(value.clone());
        }
        let value = work_out(name, facts)?;
        self.known.borrow_mut().insert(name, value.clone());
        Ok(value)
    }
}

fn work_out(name: &str, facts: &CallFacts<'_>) -> Result<Value, Fault> {
    let event = facts.event;
    // A fact that is missing is an empty text, so that expressions need not ask first.
    let fact = |fact: Option<&str>| text(fact.unwrap_or_default());
    Ok(match name {
        "tool" => text(facts.tool()),
        "kind" => fact(facts.kind()),
        "args" => facts.arguments()?.map_or(Value::Null, of_json),
        "result" => match event.point {
            Point::ToolUpdate | Point::ToolAfter | Point::ToolPersist => of_json(facts.document()?),
            _ => Value::Null,
        },
        "text" => text(facts.text()?),
        "session" => fact(event.session),
        "agent" => fact(event.agent),
        "server" => fact(event.server.or_else(|| facts.named_server())),
        "model" => fact(event.model),
        "surface" => fact(event.surface),
        "principal" => fact(event.principal),
        "cwd" => fact(event.cwd),
        "point" => text(event.point.name()),
        "headers" => headers(facts),
        "own" => of_map(event.own.iter().rev().map(|(name, value)| (*name, text(*value)))),
        "labels" => labels(event.labels),
        "attempt" => Value::Int(event.attempt.into()),
        "ended" => fact(event.ended.map(|ended| EndedForm::from(&ended).name())),
        "approval" => {
            let granted = Value::Bool(event.approval.is_some_and(|approval| approval.granted));
            map([("granted", granted), ("by", fact(event.approval.map(|approval| approval.by.as_str())))])
        }
        _ => of_effects(facts.effects()?),
    })
}

/// Headers by their names in lower case; of several the first.
fn headers(facts: &CallFacts<'_>) -> Value {
    let mut map: HashMap<Key, Value> = HashMap::new();
    for (name, value) in facts.body.headers().into_iter().flat_map(|headers| headers.iter()) {
        map.entry(Key::from(name.to_lowercase())).or_insert_with(|| text(value));
    }
    Value::Map(cel::objects::Map { map: Arc::new(map) })
}

/// Labels by their names, each a list: what was noted down cannot be taken back by noting down something else.
fn labels(labels: &[(String, String)]) -> Value {
    let mut all: HashMap<&str, Vec<Value>> = HashMap::new();
    for (name, value) in labels {
        all.entry(name).or_default().push(text(value.as_str()));
    }
    of_map(all.into_iter().map(|(name, values)| (name, Value::List(Arc::new(values)))))
}

fn of_map<'a>(members: impl Iterator<Item = (&'a str, Value)>) -> Value {
    let map = members.map(|(name, value)| (Key::from(name.to_owned()), value)).collect();
    Value::Map(cel::objects::Map { map: Arc::new(map) })
}

/// Effects as maps, with every member there.
pub(super) fn of_effects(effects: &[Effect]) -> Value {
    let one = |effect: &Effect| {
        map([
            ("kind", text(effect.kind.name())),
            ("path", text(effect.path.as_deref().unwrap_or_default())),
            ("place", text(effect.place.map_or("", |place| place.name()))),
            ("host", text(effect.host.as_deref().unwrap_or_default())),
            ("flags", Value::List(Arc::new(effect.flags.iter().map(|flag| text(flag.name())).collect()))),
            ("by", text(effect.by.as_str())),
        ])
    };
    Value::List(Arc::new(effects.iter().map(one).collect()))
}

fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Int(number),
            (_, Some(number)) => Value::UInt(number),
            _ => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(string) => text(string.as_str()),
        Json::Array(items) => Value::List(Arc::new(items.iter().map(of_json).collect())),
        Json::Object(members) => of_map(members.iter().map(|(key, value)| (key.as_str(), of_json(value)))),
    }
}

/// How many values are in a value.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Map(map) => 1 + map.map.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// What went wrong, without showing what the document holds.
pub(super) fn reason(error: &ExecutionError) -> String {
    let word = |name: &str| name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match error {
        ExecutionError::NoSuchKey(key) if word(key) => format!("the expression failed: there is no `{key}`"),
        ExecutionError::NoSuchKey(_) => "the expression failed: there is no such member".to_owned(),
        ExecutionError::NoSuchOverload(overload) => format!("the expression failed: {overload}"),
        ExecutionError::UndeclaredReference(name) if word(name) => {
            format!("the expression failed: there is no `{name}`")
        }
        ExecutionError::FunctionError { function, .. } => format!("the expression failed: `{function}` did"),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "the expression failed: it divides by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "the expression failed: a number is too large".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "the expression failed: a list is too short".to_owned(),
        _ => "the expression failed: the values do not go together".to_owned(),
    }
}

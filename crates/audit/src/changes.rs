//! What edits changed, in a form that can be kept.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Event, Headers, Name};

use crate::keep;

/// How many changed places of one edit are told apart.
const MOST_PLACES: usize = 64;
/// How much of a pointer is kept for each step.
const STEP: usize = keep::LEAST;
/// How deep a pointer goes; what lies deeper changed with what it lies in.
const MOST_STEPS: usize = 32;

/// What one edit changed.
#[derive(Default)]
pub(crate) struct Changes<'b> {
    pub(crate) places: Vec<Place<'b>>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// A place that changed.
pub(crate) struct Place<'b> {
    /// A JSON pointer whose steps are redacted, or `name`, `headers`, `notes`, `labels`.
    pub(crate) path: String,
    /// The nearest name above it, which may say that it is a credential.
    name: Option<&'b str>,
    /// What was there, as it was; none if nothing was.
    from: Option<Cow<'b, Value>>,
    /// What is there now.
    to: Option<Cow<'b, Value>>,
}

impl<'b> Changes<'b> {
    /// What is different between two bodies.
    pub(crate) fn between(event: &Event<'_>, before: &'b Body, after: &'b Body) -> Self {
        let mut changes = Self::default();
        match (before.json(), after.json()) {
            (Ok(old), Ok(new)) => changes.compare(old, new, &mut Vec::new(), None),
            (Err(_), Err(_)) => {}
            (old, new) => {
                changes.add(String::new(), None, [old, new].map(|value| value.ok().map(Cow::Borrowed)));
            }
        }
        changes.beside(event, before, after);
        changes
    }

    /// What travels with the document.
    fn beside(&mut self, event: &Event<'_>, before: &Body, after: &Body) {
        let name = |body: &Body| body.renamed().or(event.name).map(Name::written).map(Value::from);
        if before.renamed() != after.renamed() {
            self.part("name", name(before), name(after));
        }
        if before.headers() != after.headers() {
            let names = |these, those| Some(changed_headers(these, those));
            self.part("headers", names(before.headers(), after.headers()), names(after.headers(), before.headers()));
        }
        if (&before.notes, &before.tells) != (&after.notes, &after.tells) {
            let notes = |body: &Body| Some(json!([&body.notes[..], &body.tells].concat()));
            self.part("notes", notes(before), notes(after));
        }
        if before.labels() != after.labels() {
            // They can only be added to.
            let added = after.labels().get(before.labels().len()..).unwrap_or_default();
            self.part("labels", None, Some(labels(added)));
        }
    }

    fn part(&mut self, path: &str, from: Option<Value>, to: Option<Value>) {
        self.add(path.to_owned(), None, [from, to].map(|value| value.map(Cow::Owned)));
    }

    fn add(&mut self, path: String, name: Option<&'b str>, [from, to]: [Option<Cow<'b, Value>>; 2]) {
        self.places.push(Place { path, name, from, to });
    }

    /// Lists of the same length are compared item by item, so that one changed message does not stand for all.
    fn compare(&mut self, old: &'b Value, new: &'b Value, at: &mut Vec<Cow<'b, str>>, name: Option<&'b str>) {
        match (old, new) {
            (Value::Object(before), Value::Object(after)) if at.len() < MOST_STEPS => {
                for (key, old) in before {
                    self.step(Some(old), after.get(key), at, Cow::Borrowed(key), Some(key));
                }
                for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                    self.step(None, Some(new), at, Cow::Borrowed(key), Some(key));
                }
            }
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() && at.len() < MOST_STEPS => {
                for (index, (old, new)) in before.iter().zip(after).enumerate() {
                    self.step(Some(old), Some(new), at, Cow::Owned(index.to_string()), name);
                }
            }
            _ if old == new => {}
            _ => self.differ(Some(old), Some(new), at, name),
        }
    }

    fn step(
        &mut self,
        old: Option<&'b Value>,
        new: Option<&'b Value>,
        at: &mut Vec<Cow<'b, str>>,
        key: Cow<'b, str>,
        name: Option<&'b str>,
    ) {
        at.push(key);
        match (old, new) {
            (Some(old), Some(new)) => self.compare(old, new, at, name),
            _ => self.differ(old, new, at, name),
        }
        at.pop();
    }

    fn differ(&mut self, old: Option<&'b Value>, new: Option<&'b Value>, at: &[Cow<'b, str>], name: Option<&'b str>) {
        if self.places.len() < MOST_PLACES {
            self.add(pointer(at), name, [old, new].map(|value| value.map(Cow::Borrowed)));
        } else {
            self.more += 1;
        }
    }

    /// What is kept of it, redacted, with this much room for each value.
    pub(crate) fn kept(&self, who: &str, room: usize) -> Vec<Value> {
        let redacted = |place: &Place<'_>| place.redacted(who, room);
        self.places.iter().map(redacted).chain(self.rest(who)).collect()
    }

    /// All of it, for sealing.
    pub(crate) fn whole(&self, who: &str) -> Vec<Value> {
        self.places.iter().map(|place| place.whole(who)).chain(self.rest(who)).collect()
    }

    fn rest(&self, who: &str) -> Option<Value> {
        (self.more > 0).then(|| json!({ "who": who, "more": self.more }))
    }

    /// Where it changed something.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.places.iter().map(|place| place.path.as_str()).collect()
    }
}

impl Place<'_> {
    fn redacted(&self, who: &str, room: usize) -> Value {
        let kept = |value: &Option<Cow<'_, Value>>| Some(keep::member(self.name, value.as_deref()?, room));
        let (from, to) = (kept(&self.from), kept(&self.to));
        if from != to {
            return self.entry(who, [("from", from), ("to", to)]);
        }
        let cut = |value: &Option<Cow<'_, Value>>| value.as_deref().is_some_and(|value| keep::size(value, room) > room);
        let why = if cut(&self.from) || cut(&self.to) { "cut" } else { "hidden" };
        self.entry(who, [(why, Some(Value::Bool(true))), ("", None)])
    }

    fn whole(&self, who: &str) -> Value {
        let copy = |value: &Option<Cow<'_, Value>>| value.as_deref().cloned();
        self.entry(who, [("from", copy(&self.from)), ("to", copy(&self.to))])
    }

    fn entry(&self, who: &str, values: [(&str, Option<Value>); 2]) -> Value {
        let mut entry = Map::from_iter([("who".to_owned(), who.into()), ("path".to_owned(), self.path.clone().into())]);
        entry.extend(values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(entry)
    }
}

/// Facts by name; one that was noted down more than once has a list.
pub(crate) fn labels(labels: &[(String, String)]) -> Value {
    let mut by_name: Map<String, Value> = Map::new();
    for (key, value) in labels {
        match by_name.get_mut(key) {
            Some(Value::Array(values)) => values.push(value.as_str().into()),
            Some(one) => *one = Value::Array(vec![one.take(), value.as_str().into()]),
            None => drop(by_name.insert(key.clone(), value.as_str().into())),
        }
    }
    Value::Object(by_name)
}

/// The names of the headers that the others lack or have another value of.
fn changed_headers(these: Option<&Headers>, those: Option<&Headers>) -> Value {
    let all = |headers: Option<&Headers>, name: &str| -> Vec<String> {
        let fields = headers.into_iter().flat_map(Headers::iter).filter(|(key, _)| key.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value.to_owned()).collect()
    };
    let names = these.into_iter().flat_map(Headers::iter).map(|(name, _)| name);
    let changed: BTreeSet<&str> = names.filter(|name| all(these, name) != all(those, name)).collect();
    json!(changed)
}

/// A pointer as RFC 6901 writes it. Names of members are texts like any other: they are redacted, each by itself,
/// because an escape in the middle would hide a credential.
fn pointer(steps: &[Cow<'_, str>]) -> String {
    let step = |step: &Cow<'_, str>| format!("/{}", keep::text(step, STEP).replace('~', "~0").replace('/', "~1"));
    steps.iter().map(step).collect()
}

#[cfg(test)]
mod tests;

//! Taking credentials out.

use std::borrow::Cow;

use regex::Regex;
use serde_json::Value;
use tollgate_core::{Body, Event, Fault, Flow, Verdict};
use tollgate_secrets::{Redactor, scanner};
use tollgate_wire::lens::strings_mut;

use crate::form::{Hide, Redact};
use crate::matcher::rewriting_regex;
use crate::mistake::Mistake;

/// What stands in the place of something that an expression found, unless the rule says otherwise.
const GONE: &str = "[redacted]";

/// What is taken out of every string of a document.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    secrets: bool,
    patterns: Vec<(Regex, String)>,
}

impl Redaction {
    /// Compiles it, or says all that is wrong with it.
    pub(crate) fn compile(form: &Redact) -> Result<Self, Vec<Mistake>> {
        let mut redaction = Self::default();
        let mut mistakes = Vec::new();
        let list = match form {
            Redact::Secrets(true) => &vec![Hide::Known("secrets".to_owned())],
            Redact::Secrets(false) => return Err(vec![Mistake::new("`false` takes nothing out")]),
            Redact::List(list) if list.is_empty() => return Err(vec![Mistake::new("an empty list takes nothing out")]),
            Redact::List(list) => list,
        };
        for (place, hide) in list.iter().enumerate() {
            match hide {
                Hide::Known(name) if name == "secrets" => redaction.secrets = true,
                Hide::Known(name) => mistakes.push(Mistake::unknown("thing to take out", name, &["secrets"]).at(place)),
                Hide::Table(table) => match rewriting_regex(&table.regex) {
                    Ok(regex) if regex.is_match("") => {
                        mistakes.push(Mistake::new("this fits even where there is nothing").at("regex").at(place));
                    }
                    Ok(regex) => redaction.patterns.push((regex, table.with.clone().unwrap_or(GONE.to_owned()))),
                    Err(mistake) => mistakes.push(mistake.at("regex").at(place)),
                },
            }
        }
        if mistakes.is_empty() { Ok(redaction) } else { Err(mistakes) }
    }

    /// Takes it out of a body, and touches nothing where there is nothing to take out.
    pub(crate) fn apply(&self, body: &mut Body) -> Result<(), Fault> {
        let mut document = body.json()?.clone();
        self.document(&mut document);
        if *body.json()? != document {
            body.set(document);
        }
        Ok(())
    }

    fn document(&self, document: &mut Value) {
        if self.secrets {
            scanner().redact_json(document);
        }
        if self.patterns.is_empty() {
            return;
        }
        for text in strings_mut(document) {
            for (regex, with) in &self.patterns {
                if let Cow::Owned(new) = regex.replace_all(text, with.as_str()) {
                    *text = new;
                }
            }
        }
    }

    /// A worker for one stream. Expressions of one's own may look further than a worker holds back, so those need the
    /// whole.
    pub(crate) fn open(&self) -> Option<Box<dyn Flow>> {
        (self.secrets && self.patterns.is_empty()).then(|| Box::new(Worker::default()) as Box<dyn Flow>)
    }
}

/// The members under which pieces of a stream carry a part of a longer text.
const PARTS: [&str; 11] = [
    "text",
    "content",
    "delta",
    "output",
    "stdout",
    "stderr",
    "thinking",
    "partial_json",
    "arguments",
    "reasoning_content",
    "refusal",
];

/// The members that tell one text of a stream from another, and are there in every piece.
const WHICH: [&str; 4] = ["index", "output_index", "content_index", "item_id"];

/// Takes credentials out of a stream, also those that are cut in two.
///
/// Every text that comes in parts has a redactor of its own, which gives out what is certain and holds back the rest.
/// The piece goes on at once with what there is; what was held back goes with the next piece of the same text, or with
/// a copy of the last one when the text is over.
#[derive(Default)]
struct Worker {
    channels: Vec<Channel>,
}

struct Channel {
    /// The way to the text, and which of several it is.
    name: String,
    redactor: Redactor<'static>,
    /// The last piece, to carry what is left.
    piece: Body,
    way: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Key(String),
    Item(usize),
}

impl Flow for Worker {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        let mut document = piece.json()?.clone();
        let mut found = Vec::new();
        parts(&document, &mut Vec::new(), String::new(), &mut found);
        let end = is_end(&document);
        let mut taken = Vec::new();
        for (name, way) in found {
            if let Some(Value::String(text)) = follow(&mut document, &way) {
                let text = std::mem::take(text);
                let mut certain = self.channel(&name, &way, &piece).push(&text);
                if end {
                    certain += &self.close(&name);
                }
                taken.push((certain, way));
            }
        }
        if end {
            self.flush(out)?;
        }
        // What is no part of a longer text is looked at where it stands.
        scanner().redact_json(&mut document);
        for (text, way) in taken {
            if let Some(Value::String(place)) = follow(&mut document, &way) {
                *place = text;
            }
        }
        let mut piece = piece;
        if *piece.json()? != document {
            piece.set(document);
        }
        out.push(piece);
        Ok(Verdict::Pass)
    }

    fn finish(&mut self, _: &Event<'_>, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        self.flush(out)?;
        Ok(Verdict::Pass)
    }
}

impl Worker {
    fn channel(&mut self, name: &str, way: &[Step], piece: &Body) -> &mut Redactor<'static> {
        let place = self.channels.iter().position(|channel| channel.name == name).unwrap_or(self.channels.len());
        if place == self.channels.len() {
            let (name, way) = (name.to_owned(), way.to_vec());
            self.channels.push(Channel { name, redactor: scanner().stream(), piece: piece.clone(), way });
        }
        let channel = &mut self.channels[place];
        channel.piece.clone_from(piece);
        channel.way = way.to_vec();
        &mut channel.redactor
    }

    /// What is left of a text that is over.
    fn close(&mut self, name: &str) -> String {
        let place = self.channels.iter().position(|channel| channel.name == name);
        place.map_or_else(String::new, |place| self.channels.remove(place).redactor.finish())
    }

    /// Passes on what was held back, each text in a copy of its last piece.
    fn flush(&mut self, out: &mut Vec<Body>) -> Result<(), Fault> {
        for Channel { redactor, mut piece, way, .. } in self.channels.drain(..) {
            let rest = redactor.finish();
            if rest.is_empty() {
                continue;
            }
            let mut document = piece.json()?.clone();
            // Other texts of that piece are out already.
            let mut found = Vec::new();
            parts(&document, &mut Vec::new(), String::new(), &mut found);
            for (_, other) in found {
                if let Some(Value::String(text)) = follow(&mut document, &other) {
                    text.clear();
                }
            }
            if let Some(Value::String(text)) = follow(&mut document, &way) {
                *text = rest;
            }
            piece.set(document);
            out.push(piece);
        }
        Ok(())
    }
}

/// The texts of a piece that are parts of longer ones.
fn parts(value: &Value, way: &mut Vec<Step>, name: String, found: &mut Vec<(String, Vec<Step>)>) {
    match value {
        Value::String(_) => {
            let part = match way.last() {
                Some(Step::Key(key)) => PARTS.contains(&key.as_str()),
                Some(Step::Item(_)) => false,
                None => true,
            };
            if part {
                found.push((name, way.clone()));
            }
        }
        Value::Object(members) => {
            let which = |key: &&str| members.get(*key).filter(|value| !value.is_object() && !value.is_array());
            let which: Vec<String> = WHICH.iter().filter_map(|key| which(key).map(Value::to_string)).collect();
            for (key, inner) in members {
                way.push(Step::Key(key.clone()));
                parts(inner, way, format!("{name}{}.{key}", which.join(",")), found);
                way.pop();
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                way.push(Step::Item(number));
                // An element that says which it is need not stand in the same place of every piece.
                let place = if item.get("index").is_some() { String::new() } else { number.to_string() };
                parts(item, way, format!("{name}[{place}]"), found);
                way.pop();
            }
        }
        _ => {}
    }
}

fn follow<'v>(document: &'v mut Value, way: &[Step]) -> Option<&'v mut Value> {
    way.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(number) => value.get_mut(number),
    })
}

/// Whether a piece says that a text, or everything, is over.
fn is_end(document: &Value) -> bool {
    let over = ["stop", "done", "complete", "completed", "end", "finished"];
    let word = |text: &str| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| over.contains(&word));
    match document {
        Value::Object(members) => members.iter().any(|(key, value)| match (key.as_str(), value) {
            ("type" | "event" | "status", Value::String(text)) => word(text),
            ("finish_reason" | "stop_reason", value) => !value.is_null(),
            (_, value) => is_end(value),
        }),
        Value::Array(items) => items.iter().any(is_end),
        _ => false,
    }
}

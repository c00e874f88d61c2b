//! Taking credentials out.

use std::borrow::Cow;

use regex::Regex;
use serde_json::{Map, Value};
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
    name: Name,
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

/// Which text of a stream: the steps to it, each with what the table it starts from says of which it is.
type Name = Vec<(Which, String)>;

type Which = Vec<(&'static str, String)>;

/// Something that is over: a table of a piece, by its name and by which it says it is.
struct End {
    name: Name,
    which: Which,
}

impl End {
    /// Whether it is the end of a text. One that says less of which it is ends all that it may mean; what other texts
    /// hold back is not certain yet.
    fn of(&self, name: &[(Which, String)]) -> bool {
        let within = |some: &Which, more: &Which| some.iter().all(|one| more.contains(one));
        let Some((way, rest)) = name.split_at_checked(self.name.len()) else { return false };
        let same = way.iter().zip(&self.name).all(|(one, end)| one.1 == end.1 && within(&end.0, &one.0));
        same && (self.which.is_empty() || rest.first().is_some_and(|(which, _)| within(&self.which, which)))
    }
}

impl Flow for Worker {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        let mut document = piece.json()?.clone();
        let mut found = Vec::new();
        parts(&document, &mut Vec::new(), &mut Vec::new(), &mut found);
        let mut over = Vec::new();
        ends(&document, &mut Vec::new(), &mut over);
        let mut taken = Vec::new();
        for (name, way) in found {
            if let Some(Value::String(text)) = follow(&mut document, &way) {
                let text = std::mem::take(text);
                let mut certain = self.channel(&name, &way, &piece).push(&text);
                if over.iter().any(|end| end.of(&name)) {
                    certain += &self.close(&name);
                }
                taken.push((certain, way));
            }
        }
        self.flush(&over, out)?;
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
        self.flush(&[End { name: Vec::new(), which: Vec::new() }], out)?;
        Ok(Verdict::Pass)
    }
}

impl Worker {
    fn channel(&mut self, name: &[(Which, String)], way: &[Step], piece: &Body) -> &mut Redactor<'static> {
        let place = self.channels.iter().position(|channel| channel.name == name).unwrap_or(self.channels.len());
        if place == self.channels.len() {
            let (name, way) = (name.to_vec(), way.to_vec());
            self.channels.push(Channel { name, redactor: scanner().stream(), piece: piece.clone(), way });
        }
        let channel = &mut self.channels[place];
        channel.piece.clone_from(piece);
        channel.way = way.to_vec();
        &mut channel.redactor
    }

    /// What is left of a text that is over.
    fn close(&mut self, name: &[(Which, String)]) -> String {
        let place = self.channels.iter().position(|channel| channel.name == name);
        place.map_or_else(String::new, |place| self.channels.remove(place).redactor.finish())
    }

    /// Passes on what was held back of texts that are over, each in a copy of its last piece.
    fn flush(&mut self, over: &[End], out: &mut Vec<Body>) -> Result<(), Fault> {
        let ended = |channel: &mut Channel| over.iter().any(|end| end.of(&channel.name));
        for Channel { redactor, mut piece, way, .. } in self.channels.extract_if(.., ended) {
            let rest = redactor.finish();
            if rest.is_empty() {
                continue;
            }
            let mut document = piece.json()?.clone();
            // Other texts of that piece are out already.
            let mut found = Vec::new();
            parts(&document, &mut Vec::new(), &mut Vec::new(), &mut found);
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
fn parts(value: &Value, way: &mut Vec<Step>, name: &mut Name, found: &mut Vec<(Name, Vec<Step>)>) {
    match value {
        Value::String(_) => {
            let part = match way.last() {
                Some(Step::Key(key)) => PARTS.contains(&key.as_str()),
                Some(Step::Item(_)) => false,
                None => true,
            };
            if part {
                found.push((name.clone(), way.clone()));
            }
        }
        Value::Object(members) => {
            for (key, inner) in members {
                way.push(Step::Key(key.clone()));
                name.push((which(members), key.clone()));
                parts(inner, way, name, found);
                name.pop();
                way.pop();
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                way.push(Step::Item(number));
                name.push((Which::new(), place(number, item)));
                parts(item, way, name, found);
                name.pop();
                way.pop();
            }
        }
        _ => {}
    }
}

/// What a table says of which it is.
fn which(members: &Map<String, Value>) -> Which {
    let said = |key: &&'static str| {
        let value = members.get(*key).filter(|value| !value.is_object() && !value.is_array())?;
        Some((*key, value.to_string()))
    };
    WHICH.iter().filter_map(said).collect()
}

/// An element that says which it is need not stand in the same place of every piece.
fn place(number: usize, item: &Value) -> String {
    if item.get("index").is_some() { String::new() } else { number.to_string() }
}

fn follow<'v>(document: &'v mut Value, way: &[Step]) -> Option<&'v mut Value> {
    way.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(number) => value.get_mut(number),
    })
}

/// What a piece says is over: a text, several, or everything.
fn ends(value: &Value, name: &mut Name, found: &mut Vec<End>) {
    match value {
        Value::Object(members) => {
            if members.iter().any(|(key, value)| is_end(key, value)) {
                found.push(End { name: name.clone(), which: which(members) });
            }
            for (key, inner) in members.iter().filter(|(_, inner)| inner.is_object() || inner.is_array()) {
                name.push((which(members), key.clone()));
                ends(inner, name, found);
                name.pop();
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                name.push((Which::new(), place(number, item)));
                ends(item, name, found);
                name.pop();
            }
        }
        _ => {}
    }
}

fn is_end(key: &str, value: &Value) -> bool {
    let over = ["stop", "done", "complete", "completed", "end", "finished"];
    let word = |text: &str| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| over.contains(&word));
    match (key, value) {
        ("type" | "event" | "status", Value::String(text)) => word(text),
        ("finish_reason" | "stop_reason", value) => !value.is_null(),
        _ => false,
    }
}

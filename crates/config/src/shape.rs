//! Whether a tree has the shape that a JSON Schema describes, and every place where it has not.
//!
//! This knows what schemas made from Rust types look like (`$ref`, `anyOf`, `oneOf`, `properties`, `required`, `items`,
//! `enum`, `const`, bounds of numbers) and no more: what it does not understand it lets pass, and the typed reader
//! has the last word. It exists for its messages.

use std::ops::Range;

use serde_json::Value;
use tollgate_rules::{Step, nearest};
use toml::de::{DeTable, DeValue};

use crate::paint::{choice, quote};
use crate::tree::Node;

/// A place where a tree has another shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) path: Vec<Step>,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Something is not there, as opposed to something that is there and wrong.
    pub(crate) missing: bool,
}

/// Nobody reads more, and looking for them takes time.
pub(crate) const MOST: usize = 200;

/// Compares a tree with a schema. Stops when there is [too much](MOST) to say.
pub(crate) fn flaws(schema: &Value, root: &Node<'_>) -> Vec<Flaw> {
    let mut check = Check { root: schema, path: Vec::new(), found: Vec::new() };
    check.value(schema, root);
    check.found
}

struct Check<'s> {
    root: &'s Value,
    path: Vec<Step>,
    found: Vec<Flaw>,
}

impl<'s> Check<'s> {
    fn value(&mut self, schema: &'s Value, node: &Node<'_>) {
        if self.found.len() >= MOST {
            return;
        }
        let mut kinds = Vec::new();
        self.alternatives(schema, &mut kinds);
        let fitting: Vec<&Value> = kinds.iter().copied().filter(|kind| takes(kind, node.get_ref())).collect();
        match fitting[..] {
            [] => self.wrong_type(&kinds, node),
            [only] => self.alternative(only, node),
            _ if node.get_ref().is_str() => self.text(&fitting, node),
            _ => self.best(&fitting, node),
        }
    }

    /// A schema without references and choices: all that it may be.
    fn alternatives(&self, schema: &'s Value, into: &mut Vec<&'s Value>) {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            self.alternatives(&self.root["$defs"][name], into);
        } else if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            choices.iter().for_each(|choice| self.alternatives(choice, into));
        } else if schema["type"] != "null" {
            into.push(schema);
        }
    }

    fn alternative(&mut self, schema: &'s Value, node: &Node<'_>) {
        match node.get_ref() {
            DeValue::Table(table) => self.table(schema, table, node.span()),
            DeValue::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(Step::Index(index), |check| check.value(&schema["items"], item));
                }
            }
            DeValue::String(_) => self.text(&[schema], node),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64);
                self.number(schema, number, node);
            }
            DeValue::Float(number) => self.number(schema, number.as_str().parse().ok(), node),
            _ => {}
        }
    }

    fn inside(&mut self, step: Step, work: impl FnOnce(&mut Self)) {
        self.path.push(step);
        work(self);
        self.path.pop();
    }

    fn table(&mut self, schema: &'s Value, table: &DeTable<'_>, span: Range<usize>) {
        let known = &schema["properties"];
        let mut meant: Vec<&str> = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            match (known.get(name), &schema["additionalProperties"]) {
                (Some(schema), _) => self.inside(name.into(), |check| check.value(schema, value)),
                (None, Value::Bool(false)) => {
                    let names: Vec<&str> =
                        known.as_object().into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
                    meant.extend(self.unknown_key(name, key.span(), &names));
                }
                (None, other) if other.is_object() => self.inside(name.into(), |check| check.value(other, value)),
                (None, _) => {}
            }
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // What is there and misspelt is not missing.
        let lacking: Vec<&str> = required.filter(|name| !table.contains_key(*name) && !meant.contains(name)).collect();
        if lacking.is_empty() {
            return;
        }
        let names: Vec<String> = lacking.iter().map(|name| format!("no `{name}`")).collect();
        let message = format!("{} has {}", self.here(), names.join(" and "));
        let about = |name: &str| known[name]["description"].as_str().and_then(|text| text.lines().next());
        let about = lacking.iter().filter_map(|name| about(name).map(|about| format!("{name}: {}", lower(about))));
        let help = about.collect::<Vec<_>>().join("; ");
        let help = (!help.is_empty()).then_some(help);
        self.found.push(Flaw { path: self.path.clone(), span, message, help, missing: true });
    }

    /// Says which key was probably meant.
    fn unknown_key<'k>(&mut self, name: &str, span: Range<usize>, known: &[&'k str]) -> Option<&'k str> {
        let message = format!("{} has no key {}", self.scope(), quote(name));
        let meant = same_verdict(name, known).or_else(|| near(name, known));
        let help = match meant {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are {}", known.join(", ")),
        };
        let path = [&self.path[..], &[name.into()]].concat();
        self.found.push(Flaw { path, span, message, help: Some(help), missing: false });
        meant
    }

    /// A text, of which all alternatives that take a text may list what it can be.
    fn text(&mut self, schemas: &[&Value], node: &Node<'_>) {
        let Some(text) = node.get_ref().as_str() else { return };
        let mut names: Vec<&str> = Vec::new();
        for schema in schemas {
            match (schema["const"].as_str(), schema["enum"].as_array()) {
                (Some(name), _) => names.push(name),
                (None, Some(list)) => names.extend(list.iter().filter_map(Value::as_str)),
                (None, None) => return,
            }
        }
        if names.contains(&text) {
            return;
        }
        let message = match text {
            "" => format!("{} is empty", self.label()),
            text => format!("{} cannot be {}", self.label(), quote(text)),
        };
        let help = match same_verdict(text, &names).or_else(|| near(text, &names)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it can be {}", choice(&names)),
        };
        self.flaw(node.span(), message, Some(help));
    }

    fn number(&mut self, schema: &Value, number: Option<f64>, node: &Node<'_>) {
        let Some(number) = number else {
            return self.flaw(node.span(), format!("{} is too large", self.label()), None);
        };
        if !number.is_finite() {
            return self.flaw(node.span(), format!("{} must be a finite number", self.label()), None);
        }
        let bounds = match schema["format"].as_str() {
            Some("int32") => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Some("uint32") => (0.0, f64::from(u32::MAX)),
            _ => (f64::MIN, f64::MAX),
        };
        let least = schema["minimum"].as_f64().unwrap_or(bounds.0);
        let most = schema["maximum"].as_f64().unwrap_or(bounds.1);
        if number < least {
            self.flaw(node.span(), format!("{} must be at least {least}", self.label()), None);
        } else if number > most {
            self.flaw(node.span(), format!("{} must be at most {most}", self.label()), None);
        }
    }

    fn wrong_type(&mut self, kinds: &[&Value], node: &Node<'_>) {
        let mut wanted: Vec<&str> = Vec::new();
        for name in kinds.iter().flat_map(|kind| types(kind)) {
            let name = described(name);
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        if wanted.is_empty() {
            return;
        }
        let found = match node.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("{} must be {}, and this is {found}", self.label(), choice(&wanted));
        self.flaw(node.span(), message, self.remedy(&wanted, node.get_ref()));
    }

    /// What to write instead, for the slips that happen most.
    fn remedy(&self, wanted: &[&str], value: &DeValue<'_>) -> Option<String> {
        match (value, wanted) {
            (DeValue::String(text), wanted)
                if wanted.contains(&"true or false") && matches!(text.as_ref(), "true" | "false") =>
            {
                Some(format!("without quotes: {text}"))
            }
            (DeValue::String(text), ["a whole number" | "a number"]) if text.parse::<f64>().is_ok() => {
                Some(format!("without quotes: {text}"))
            }
            (DeValue::Integer(number), ["a text", ..]) => Some(format!("with quotes: \"{number}\"")),
            (DeValue::Table(_), ["a list"]) => match &self.path[..] {
                [Step::Key(key)] => Some(format!("with two brackets: `[[{key}]]`")),
                _ => Some("in brackets: [ … ]".to_owned()),
            },
            (DeValue::String(_), ["a list"]) => Some("in brackets: [\"…\"]".to_owned()),
            _ => None,
        }
    }

    /// Of several that would take the value, what is wrong by the one that fits best.
    fn best(&mut self, schemas: &[&'s Value], node: &Node<'_>) {
        if let DeValue::Table(table) = node.get_ref() {
            // Tables with one member, whose name says what it is.
            let names: Vec<&str> = schemas.iter().filter_map(|schema| schema["required"][0].as_str()).collect();
            if names.len() == schemas.len() {
                return self.one_member(schemas, &names, table, node);
            }
        }
        let mut least: Option<Vec<Flaw>> = None;
        for schema in schemas {
            let mut check = Check { root: self.root, path: self.path.clone(), found: Vec::new() };
            check.alternative(schema, node);
            if least.as_ref().is_none_or(|least| check.found.len() < least.len()) {
                least = Some(check.found);
            }
        }
        self.found.extend(least.into_iter().flatten());
    }

    fn one_member(&mut self, schemas: &[&'s Value], names: &[&str], table: &DeTable<'_>, node: &Node<'_>) {
        let mut members = table.iter();
        let Some((key, _)) = members.next() else {
            let help = format!("it takes one of {}", names.join(", "));
            return self.flaw(node.span(), format!("{} is empty", self.label()), Some(help));
        };
        let Some(at) = names.iter().position(|name| *name == key.get_ref()) else {
            self.unknown_key(key.get_ref(), key.span(), names);
            return;
        };
        if let Some((second, _)) = members.next() {
            let message = format!("{} takes one key, and this is a second", self.label());
            let help = match self.path.last() {
                Some(Step::Index(_)) => "write two tables, one after the other",
                _ => "choose one",
            };
            return self.flaw(second.span(), message, Some(help.to_owned()));
        }
        self.alternative(schemas[at], node);
    }

    fn flaw(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        self.found.push(Flaw { path: self.path.clone(), span, message, help, missing: false });
    }

    /// The value's name in a message.
    fn label(&self) -> String {
        match &self.path[..] {
            [.., Step::Key(key)] => quote(key),
            [.., Step::Key(list), Step::Index(_)] => format!("an entry of {}", quote(list)),
            _ => "this".to_owned(),
        }
    }

    /// The table's name in a message about what it lacks.
    fn here(&self) -> String {
        match &self.path[..] {
            [] => "the file".to_owned(),
            [Step::Key(list), Step::Index(_)] => format!("this {}", quote(list)),
            _ => self.label(),
        }
    }

    /// The table's name in a message about what it cannot have.
    fn scope(&self) -> String {
        match &self.path[..] {
            [] => "the file".to_owned(),
            [Step::Key(list), Step::Index(_)] => format!("a {}", quote(list)),
            [.., Step::Key(list), Step::Index(_)] => format!("an entry of {}", quote(list)),
            _ => self.label(),
        }
    }
}

/// A near name. Nobody mistypes a long one, and looking for it costs time.
pub(crate) fn near<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > 64 || known.len() > 1000 { None } else { nearest(name, known) }
}

/// What another tool's word for a verdict is called here.
fn same_verdict<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let ours = tollgate_wire::verdict(word)?;
    known.iter().copied().find(|known| *known == ours)
}

fn lower(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// The types that a schema names.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        _ => Vec::new(),
    }
}

fn described(name: &str) -> &'static str {
    match name {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "a table",
    }
}

/// Whether a schema speaks of values of this type.
fn takes(schema: &Value, value: &DeValue<'_>) -> bool {
    let types = types(schema);
    types.is_empty()
        || types.iter().any(|name| match value {
            DeValue::String(_) => *name == "string",
            DeValue::Integer(_) => matches!(*name, "integer" | "number"),
            DeValue::Float(_) => *name == "number",
            DeValue::Boolean(_) => *name == "boolean",
            DeValue::Datetime(_) => *name == "string" && schema["format"] == "date",
            DeValue::Array(_) => *name == "array",
            DeValue::Table(_) => *name == "object",
        })
}

//! Edits as data.

use regex::Regex;
use serde_json::Value;
use tollgate_core::{Body, Event, Fault, FaultKind, Point};
use tollgate_wire::lens::{lens_for, strings_mut};

use crate::form::EditForm;
use crate::matcher::{Sort, Text, rewriting_regex};
use crate::mistake::Mistake;

mod ansi;
mod path;
mod redact;

pub(crate) use path::Way;
pub(crate) use redact::Redaction;

/// Edits, in order.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    ops: Vec<Op>,
}

#[derive(Debug)]
enum Op {
    Set(Vec<(Way, Value)>),
    Default(Vec<(Way, Value)>),
    Remove(Vec<Way>),
    PrefixPath(Vec<(Way, String)>),
    Append(Vec<(Way, String)>),
    Prepend(Vec<(Way, String)>),
    SetHeader(Vec<(String, String)>),
    RemoveHeader(Vec<String>),
    Replace { regex: Regex, with: String, place: Option<Way> },
    StripAnsi,
    Truncate { bytes: usize, place: Option<Way> },
    Keep(Vec<(Way, Filter)>),
    Note(String),
    Rename(String),
}

/// What stays in a list.
#[derive(Debug)]
struct Filter {
    names: Option<Text>,
    values: Vec<Value>,
}

impl Edits {
    /// Compiles edits, or says all that is wrong with them.
    pub(crate) fn compile(forms: &[EditForm], points: &[Point]) -> Result<Self, Vec<Mistake>> {
        let (mut ops, mut mistakes) = (Vec::new(), Vec::new());
        if forms.is_empty() {
            mistakes.push(Mistake::new("an empty list changes nothing"));
        }
        for (place, form) in forms.iter().enumerate() {
            match compile(form) {
                Ok(op) => {
                    mistakes.extend(points.iter().find_map(|point| op.misplaced(*point)).map(|m| m.at(place)));
                    ops.push(op);
                }
                Err(mistake) => mistakes.push(mistake.at(place)),
            }
        }
        if mistakes.is_empty() { Ok(Self { ops }) } else { Err(mistakes) }
    }

    /// Rewrites a body. If something fails, nothing is changed; and where nothing changes, nothing is touched, so that
    /// the bytes leave as they came.
    pub(crate) fn apply(&self, event: &Event<'_>, body: &mut Body) -> Result<(), Fault> {
        let touches = self.ops.iter().any(Op::touches_document);
        let mut document = if touches { Some(body.json()?.clone()) } else { None };
        if let Some(document) = &mut document {
            for op in &self.ops {
                op.rewrite(event, document)?;
            }
        }
        if let Some(document) = document
            && *body.json()? != document
        {
            body.set(document);
        }
        self.ops.iter().for_each(|op| op.beside(body));
        Ok(())
    }
}

fn compile(form: &EditForm) -> Result<Op, Mistake> {
    fn ways<T: Clone>(key: &str, table: &std::collections::BTreeMap<String, T>) -> Result<Vec<(Way, T)>, Mistake> {
        if table.is_empty() {
            return Err(Mistake::new("an empty table changes nothing").at(key));
        }
        let each = |(name, value): (&String, &T)| Ok((Way::compile(name)?, value.clone()));
        table.iter().map(each).collect::<Result<_, Mistake>>().map_err(|mistake| mistake.at(key))
    }
    let within = |key: &str, place: &Option<String>| {
        place.as_deref().map(Way::compile).transpose().map_err(|mistake| mistake.at("in").at(key))
    };
    let text = |key: &str, text: &str| match text.trim().is_empty() {
        true => Err(Mistake::new("this must not be empty").at(key)),
        false => Ok(text.to_owned()),
    };
    Ok(match form {
        EditForm::Set(table) => Op::Set(leaves(ways("set", table)?)),
        EditForm::Default(table) => Op::Default(leaves(ways("default", table)?)),
        EditForm::Remove(names) => {
            let all: Result<Vec<Way>, Mistake> = names.iter().map(|name| Way::compile(name)).collect();
            Op::Remove(all.map_err(|mistake| mistake.at("remove"))?)
        }
        EditForm::PrefixPath(table) => Op::PrefixPath(ways("prefix_path", table)?),
        EditForm::Append(table) => Op::Append(ways("append", table)?),
        EditForm::Prepend(table) => Op::Prepend(ways("prepend", table)?),
        EditForm::SetHeader(table) => Op::SetHeader(table.clone().into_iter().collect()),
        EditForm::RemoveHeader(names) => Op::RemoveHeader(names.clone()),
        EditForm::Replace(form) => Op::Replace {
            regex: rewriting_regex(&form.regex).map_err(|mistake| mistake.at("regex").at("replace"))?,
            with: form.with.clone(),
            place: within("replace", &form.place)?,
        },
        EditForm::StripAnsi(true) => Op::StripAnsi,
        EditForm::StripAnsi(false) => return Err(Mistake::new("`false` changes nothing").at("strip_ansi")),
        EditForm::Truncate(form) => Op::Truncate { bytes: form.bytes, place: within("truncate", &form.place)? },
        EditForm::Keep(table) => {
            let filter = |(way, values): (Way, Vec<Value>)| Ok((way, Filter::compile(values)?));
            let all: Result<Vec<_>, Mistake> = ways("keep", table)?.into_iter().map(filter).collect();
            Op::Keep(all.map_err(|mistake| mistake.at("keep"))?)
        }
        EditForm::Note(note) => Op::Note(text("note", note)?),
        EditForm::Rename(name) => Op::Rename(text("rename", name)?),
    })
}

/// A table that is set goes deeper: `set = { options.force = true }` leaves the other options as they are.
fn leaves(all: Vec<(Way, Value)>) -> Vec<(Way, Value)> {
    let mut out = Vec::new();
    for (way, value) in all {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = members.into_iter().map(|(key, value)| (way.then(&key), value)).collect();
                out.extend(leaves(inner));
            }
            value => out.push((way, value)),
        }
    }
    out
}

impl Filter {
    fn compile(values: Vec<Value>) -> Result<Self, Mistake> {
        let (texts, values): (Vec<_>, Vec<_>) = values.into_iter().partition(Value::is_string);
        let texts: Vec<_> =
            texts.iter().filter_map(Value::as_str).map(|text| crate::form::Matcher::Is(text.to_owned())).collect();
        let compile = |texts| Text::compile(&crate::form::Matcher::AnyOf(texts), Sort::Plain);
        let names = (!texts.is_empty()).then(|| compile(texts)).transpose();
        let names = names.map_err(|mut found| found.pop().unwrap_or_else(|| Mistake::new("this fits nothing")))?;
        Ok(Self { names, values })
    }

    /// A text by itself, a table by its name, anything else by its value.
    fn keeps(&self, item: &Value) -> bool {
        let name = item.as_str().or_else(|| item.get("name")?.as_str());
        let name = name.or_else(|| item.get("function")?.get("name")?.as_str());
        let named = name.zip(self.names.as_ref()).is_some_and(|(name, names)| names.fits(name));
        named || self.values.contains(item)
    }
}

impl Op {
    /// What cannot be done at a point.
    fn misplaced(&self, point: Point) -> Option<Mistake> {
        let model = matches!(point, Point::ModelRequest | Point::ModelDispatch | Point::ModelResponse);
        match self {
            Self::SetHeader(_) | Self::RemoveHeader(_) if !model => {
                Some(Mistake::new(format!("there are no headers at {point}")))
            }
            Self::Rename(_) if point != Point::ToolBefore => {
                Some(Mistake::new(format!("a call can be renamed at tool.before, not at {point}")))
            }
            Self::Note(_) => None,
            _ if !point.is_gate() => Some(Mistake::new(format!("at {point} there can only be notes"))),
            _ => None,
        }
    }

    fn touches_document(&self) -> bool {
        !matches!(self, Self::SetHeader(_) | Self::RemoveHeader(_) | Self::Note(_) | Self::Rename(_))
    }

    fn rewrite(&self, event: &Event<'_>, document: &mut Value) -> Result<(), Fault> {
        match self {
            Self::Set(all) => all.iter().try_for_each(|(way, value)| way.set(document, value, true)),
            Self::Default(all) => all.iter().try_for_each(|(way, value)| way.set(document, value, false)),
            Self::Remove(all) => {
                all.iter().for_each(|way| way.remove(document));
                Ok(())
            }
            Self::PrefixPath(all) => all.iter().try_for_each(|(way, folder)| {
                way.texts(document, &mut |text| path::below(folder, text).map(|path| *text = path))
            }),
            Self::Append(all) => all.iter().try_for_each(|(way, more)| {
                way.texts(document, &mut |text| {
                    // Once is enough, however often the same call passes.
                    if !text.ends_with(more.as_str()) {
                        text.push_str(more);
                    }
                    Ok(())
                })
            }),
            Self::Prepend(all) => all.iter().try_for_each(|(way, more)| {
                way.texts(document, &mut |text| {
                    if !text.starts_with(more.as_str()) {
                        text.insert_str(0, more);
                    }
                    Ok(())
                })
            }),
            Self::Replace { regex, with, place } => texts(event, document, place.as_ref(), &mut |text| {
                if let std::borrow::Cow::Owned(new) = regex.replace_all(text, with.as_str()) {
                    *text = new;
                }
            }),
            Self::StripAnsi => texts(event, document, None, &mut ansi::strip),
            Self::Truncate { bytes, place } => texts(event, document, place.as_ref(), &mut |text| cut(text, *bytes)),
            Self::Keep(all) => all.iter().try_for_each(|(way, filter)| {
                way.values(document, &mut |value| match value {
                    Value::Array(items) => {
                        items.retain(|item| filter.keeps(item));
                        Ok(())
                    }
                    _ => Err(way.fault("is no list")),
                })
            }),
            Self::SetHeader(_) | Self::RemoveHeader(_) | Self::Note(_) | Self::Rename(_) => Ok(()),
        }
    }

    /// What is changed beside the document.
    fn beside(&self, body: &mut Body) {
        match self {
            Self::SetHeader(all) => {
                for (name, value) in all {
                    let only = |headers: &tollgate_core::Headers| {
                        headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name)).count() == 1
                            && headers.get(name) == Some(value)
                    };
                    if !body.headers().is_some_and(only) {
                        body.headers_mut().set(name, value.as_str());
                    }
                }
            }
            Self::RemoveHeader(all) => {
                for name in all {
                    if body.headers().is_some_and(|headers| headers.get(name).is_some()) {
                        body.headers_mut().remove(name);
                    }
                }
            }
            Self::Note(note) if !body.notes.contains(note) => body.notes.push(note.clone()),
            Self::Rename(name) => body.rename(name.as_str()),
            _ => {}
        }
    }
}

/// The texts an edit works on: those of one argument, or all. In a result these are the parts that somebody reads, and
/// what repeats them for programs, not the names and types around them.
fn texts(
    event: &Event<'_>,
    document: &mut Value,
    place: Option<&Way>,
    work: &mut dyn FnMut(&mut String),
) -> Result<(), Fault> {
    if let Some(way) = place {
        return way.texts(document, &mut |text| {
            work(text);
            Ok(())
        });
    }
    if matches!(event.point, Point::ToolBefore | Point::ModelRequest | Point::ModelDispatch | Point::ToolList) {
        strings_mut(document).into_iter().for_each(work);
        return Ok(());
    }
    let lens = lens_for(document);
    lens.texts_mut(document).into_iter().for_each(&mut *work);
    if let Some(details) = lens.details_mut(document) {
        strings_mut(details).into_iter().for_each(work);
    }
    Ok(())
}

/// Shortens a text to so many bytes, on a character's border, and says how much is gone.
fn cut(text: &mut String, bytes: usize) {
    if text.len() <= bytes || is_cut(text, bytes) {
        return;
    }
    let end = (0..=bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let gone = text.len() - end;
    text.truncate(end);
    text.push_str(&format!("{CUT}{gone} bytes]"));
}

const CUT: &str = "\n[cut: ";

/// Whether this is the work of an earlier [`cut`], which is a little longer than it says.
fn is_cut(text: &str, bytes: usize) -> bool {
    text.rfind(CUT).is_some_and(|at| at <= bytes && text.ends_with(" bytes]") && text.len() - at < 40)
}

pub(crate) fn garbage(detail: String) -> Fault {
    Fault::new(FaultKind::Garbage, detail)
}

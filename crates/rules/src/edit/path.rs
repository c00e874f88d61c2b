//! Ways into a document, and paths below folders.

use serde_json::{Map, Value};
use tollgate_core::Fault;

use super::garbage;
use crate::mistake::Mistake;

/// A dotted way into a document: names, numbers of list elements, and `*` for all of a list.
#[derive(Clone, Debug)]
pub(crate) struct Way(Vec<Box<str>>);

type Work<'w> = dyn FnMut(&mut Value) -> Result<(), Fault> + 'w;

impl Way {
    pub(crate) fn compile(text: &str) -> Result<Self, Mistake> {
        // `arg.` is how conditions and limits write it; both are understood.
        let steps: Vec<Box<str>> = text.strip_prefix("arg.").unwrap_or(text).split('.').map(Into::into).collect();
        match steps.iter().any(|step| step.is_empty()) {
            true => {
                Err(Mistake::new(format!("`{text}` is no way to an argument")).help("write it like `options.force`"))
            }
            false => Ok(Self(steps)),
        }
    }

    pub(crate) fn then(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(key.into());
        Self(steps)
    }

    pub(crate) fn fault(&self, what: &str) -> Fault {
        garbage(format!("`{}` {what}", self.0.join(".")))
    }

    /// Works on every value the way leads to; on none if it leads nowhere.
    pub(crate) fn values(&self, document: &mut Value, work: &mut Work<'_>) -> Result<(), Fault> {
        visit(document, &self.0, work)
    }

    /// Works on every text the way leads to.
    pub(crate) fn texts(
        &self,
        document: &mut Value,
        work: &mut dyn FnMut(&mut String) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.values(document, &mut |value| match value {
            Value::String(text) => work(text),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter_mut().try_for_each(|item| match item {
                    Value::String(text) => work(text),
                    _ => Ok(()),
                })
            }
            Value::Null => Ok(()),
            _ => Err(self.fault("is no text")),
        })
    }

    /// Sets what the way leads to, making objects on the way; what is there stays if it must.
    pub(crate) fn set(&self, document: &mut Value, new: &Value, over: bool) -> Result<(), Fault> {
        let Some((last, steps)) = self.0.split_last() else { return Ok(()) };
        if steps.iter().chain([last]).any(|step| **step == *"*") || document.is_array() {
            return self.values(document, &mut |value| {
                if over {
                    new.clone_into(value);
                }
                Ok(())
            });
        }
        let mut here = document;
        for step in steps {
            here = match here {
                Value::Null => {
                    *here = Value::Object(Map::new());
                    self.object(here)?.entry(&**step).or_insert(Value::Null)
                }
                Value::Object(members) => members.entry(&**step).or_insert(Value::Null),
                Value::Array(items) => {
                    let number = step.parse::<usize>().ok();
                    number.and_then(|number| items.get_mut(number)).ok_or_else(|| self.fault("leads into a list"))?
                }
                _ => return Err(self.fault("leads through something that is no table")),
            };
        }
        if here.is_null() {
            *here = Value::Object(Map::new());
        }
        if let (Value::Array(items), Ok(number)) = (&mut *here, last.parse::<usize>()) {
            let item = items.get_mut(number).filter(|_| over);
            item.into_iter().for_each(|item| new.clone_into(item));
            return Ok(());
        }
        let members = self.object(here)?;
        if over || !members.contains_key(&**last) {
            members.insert(last.to_string(), new.clone());
        }
        Ok(())
    }

    fn object<'v>(&self, value: &'v mut Value) -> Result<&'v mut Map<String, Value>, Fault> {
        value.as_object_mut().ok_or_else(|| self.fault("leads through something that is no table"))
    }

    /// Removes what the way leads to.
    pub(crate) fn remove(&self, document: &mut Value) {
        let Some((last, steps)) = self.0.split_last() else { return };
        let removed = visit(document, steps, &mut |value| {
            match value {
                Value::Object(members) => drop(members.shift_remove(&**last)),
                Value::Array(items) => match last.parse::<usize>() {
                    Ok(number) if number < items.len() => drop(items.remove(number)),
                    Err(_) if **last == *"*" => items.clear(),
                    Err(_) => items.iter_mut().filter_map(Value::as_object_mut).for_each(|members| {
                        members.shift_remove(&**last);
                    }),
                    Ok(_) => {}
                },
                _ => {}
            }
            Ok(())
        });
        drop(removed);
    }
}

fn visit(value: &mut Value, steps: &[Box<str>], work: &mut Work<'_>) -> Result<(), Fault> {
    let Some((step, rest)) = steps.split_first() else { return work(value) };
    match value {
        Value::Object(members) => members.get_mut(&**step).map_or(Ok(()), |value| visit(value, rest, work)),
        Value::Array(items) if **step == *"*" => items.iter_mut().try_for_each(|item| visit(item, rest, work)),
        Value::Array(items) => match step.parse::<usize>() {
            Ok(number) => items.get_mut(number).map_or(Ok(()), |item| visit(item, rest, work)),
            Err(_) => Ok(()),
        },
        _ => Ok(()),
    }
}

/// A path below a folder, wherever it pointed to before. One that is there already stays as it is; one that leads out
/// is a fault, because nobody can say where it was meant to go.
pub(crate) fn below(folder: &str, path: &str) -> Result<String, Fault> {
    let folder = folder.trim_end_matches('/');
    let inner = match path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => rest,
        None => path,
    };
    let mut names: Vec<&str> = Vec::new();
    for name in inner.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop().ok_or_else(|| garbage(format!("a path leads out of `{folder}`")))?;
            }
            name => names.push(name),
        }
    }
    match names.is_empty() {
        true => Ok(folder.to_owned()),
        false => Ok(format!("{folder}/{}", names.join("/"))),
    }
}

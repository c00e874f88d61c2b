//! Parameters and what `${…}` does to them.

use super::expand::{Expanded, join};
use super::state::{Value, inherited};
use super::{Walk, pattern};
use crate::arg::{Arg, HOLE, Origins};
use crate::effect::{Effect, Kind};
use crate::syntax::{Op, Parameter, Word};

impl Walk<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, quoted: bool) -> Expanded {
        if !parameter.rest.parts.is_empty() {
            self.text(&parameter.rest);
        }
        let all = parameter.index.as_ref().and_then(all_of);
        if let Op::Length = parameter.op {
            return Expanded::One(self.length(parameter, all.is_some()));
        }
        if parameter.indirect {
            if all.is_some() && matches!(parameter.op, Op::None) {
                return self.keys(&parameter.name);
            }
            let name = self.value(&parameter.name, parameter.index.as_ref());
            let value = match name.as_known() {
                Some(name) if !matches!(parameter.op, Op::Other | Op::Transform(_)) => self.named(name),
                _ => hole(name.from),
            };
            return Expanded::One(self.operate(&parameter.name, value, &parameter.op));
        }
        let list = match parameter.name.as_str() {
            "@" | "*" => Some(self.shell.positional.to_vec()),
            _ if all.is_some() => self.items(&parameter.name),
            _ => None,
        };
        if let Some(list) = list {
            let concatenated = parameter.name == "*" || all == Some('*');
            return self.operate_on_list(parameter, list, concatenated && quoted);
        }
        let value = self.value(&parameter.name, parameter.index.as_ref());
        Expanded::One(self.operate(&parameter.name, value, &parameter.op))
    }

    /// `$x`, `${x[i]}`.
    fn value(&mut self, name: &str, index: Option<&Word>) -> Arg {
        let Some(index) = index else { return self.named(name) };
        let index = self.text(index);
        let number = self.evaluate(&index);
        match self.shell.get(name) {
            Some(Value::List(items)) => {
                let number = number.map(|n| if n < 0 { n + i64::try_from(items.len()).unwrap_or(0) } else { n });
                let number = number.map(|number| number.to_string());
                let found = items.iter().find(|(key, _)| *key == index.text || Some(key) == number.as_ref());
                match found {
                    Some((_, value)) => value.clone(),
                    None if index.is_known() && !items.is_empty() => Arg::default(),
                    None => hole(join(&items.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>(), "").from),
                }
            }
            Some(Value::Text(text)) if number == Some(0) || index.text == "@" || index.text == "*" => text.clone(),
            Some(Value::Text(_)) => Arg::default(),
            None => inherited(name),
        }
    }

    /// The value of a name or number.
    pub(super) fn named(&self, name: &str) -> Arg {
        if let Some(value) = self.shell.get(name) {
            return value.first();
        }
        if let Some(Ok(number)) = name.starts_with(|c: char| c.is_ascii_digit()).then(|| name.parse::<usize>()) {
            return match number {
                0 => self.shell.zero.clone(),
                number => self.shell.positional.get(number - 1).cloned().unwrap_or_default(),
            };
        }
        let path = |path: Option<&str>| path.map_or_else(|| hole(Origins::default()), Arg::known);
        match name {
            "#" => Arg::known(self.shell.positional.len().to_string()),
            "HOME" => path(self.around.home),
            "PWD" => path(self.shell.cwd.as_deref()),
            "OLDPWD" => path(self.shell.before.as_deref()),
            "USER" | "LOGNAME" => path(self.around.home.and_then(|home| home.rsplit('/').next())),
            name => inherited(name),
        }
    }

    fn items(&self, name: &str) -> Option<Vec<Arg>> {
        match self.shell.get(name)? {
            Value::List(items) => Some(items.iter().map(|(_, value)| value.clone()).collect()),
            Value::Text(text) => Some(vec![text.clone()]),
        }
    }

    fn keys(&self, name: &str) -> Expanded {
        match self.shell.get(name) {
            Some(Value::List(items)) => Expanded::Many(items.iter().map(|(key, _)| Arg::known(key.as_str())).collect()),
            Some(Value::Text(_)) => Expanded::One(Arg::known("0")),
            None => Expanded::One(hole(Origins::default())),
        }
    }

    fn length(&mut self, parameter: &Parameter, all: bool) -> Arg {
        if matches!(parameter.name.as_str(), "@" | "*") {
            return self.named("#");
        }
        if all {
            return match self.items(&parameter.name) {
                Some(items) => Arg::known(items.len().to_string()),
                None => hole(Origins::default()),
            };
        }
        let value = self.value(&parameter.name, parameter.index.as_ref());
        match value.as_known() {
            Some(text) => Arg::known(text.chars().count().to_string()),
            None => hole(Origins::default()),
        }
    }

    fn operate_on_list(&mut self, parameter: &Parameter, list: Vec<Arg>, concatenate: bool) -> Expanded {
        self.step(list.len());
        let list = match &parameter.op {
            Op::None => list,
            Op::Slice(offset, length) => {
                let mut list = list;
                let mut skip = self.number(offset).unwrap_or(0);
                if parameter.name == "@" || parameter.name == "*" {
                    // The script's name comes before the first.
                    list.insert(0, self.shell.zero.clone());
                }
                let total = i64::try_from(list.len()).unwrap_or(i64::MAX);
                skip = if skip < 0 { (total + skip).max(0) } else { skip };
                let take = length.as_ref().and_then(|length| self.number(length)).unwrap_or(total).max(0);
                let (skip, take) = (usize::try_from(skip).unwrap_or(0), usize::try_from(take).unwrap_or(0));
                list.into_iter().skip(skip).take(take).collect()
            }
            Op::Default(_, _, word) if list.is_empty() => return Expanded::One(self.defaulted(word)),
            Op::Default(b'+', _, word) => return Expanded::One(self.defaulted(word)),
            op => list.into_iter().map(|item| self.operate(&parameter.name, item, op)).collect(),
        };
        if !concatenate {
            return Expanded::Many(list);
        }
        let separators = self.separators();
        let separator = separators.chars().next().map(String::from).unwrap_or_default();
        Expanded::One(join(&list, &separator))
    }

    fn number(&mut self, word: &Word) -> Option<i64> {
        let text = self.quoted(&word.parts);
        self.evaluate(&text)
    }

    fn defaulted(&mut self, word: &Word) -> Arg {
        let mut value = self.text(word);
        // What comes out of braces is split like any expansion; a pattern in it is seen then.
        value.glob = false;
        value
    }

    fn operate(&mut self, name: &str, value: Arg, op: &Op) -> Arg {
        self.weigh(value.text.len());
        match op {
            Op::None => value,
            Op::Length => value,
            Op::Default(which, colon, word) => self.default(name, value, *which, *colon, word),
            Op::Trim(at_end, longest, word) => {
                let pattern = self.pattern(word);
                changed(&value, |text| pattern::trim(text, pattern.as_deref()?, *at_end, *longest))
            }
            Op::Replace(kind, pattern, with) => {
                let pattern = self.pattern(pattern);
                let with = self.text(with);
                let mut new = changed(&value, |text| pattern::replace(text, *kind, pattern.as_deref()?, &with.text));
                new.from = new.from.and(with.from);
                self.weigh(new.text.len());
                new
            }
            Op::Case(upper, all) => changed(&value, |text| Some(recased(text, *upper, *all))),
            Op::Slice(offset, length) => {
                let offset = self.number(offset);
                let length = match length {
                    Some(length) => self.number(length).map(Some),
                    None => Some(None),
                };
                let mut new = changed(&value, |text| slice(text, offset?, length?));
                // A few characters tell which credential it is, not what it is.
                new.from.secret &= !length.flatten().is_some_and(|length| (0..=8).contains(&length));
                new
            }
            Op::Transform(b'P') => {
                if !value.is_known() {
                    self.effect(Effect::new(Kind::Unknown, "expands text that cannot be told as a prompt"));
                }
                let expanded = self.prompt(&value);
                changed(&expanded.unwrap_or(value), |text| (!text.contains('\\')).then(|| text.to_owned()))
            }
            Op::Transform(which) => changed(&value, |text| match which {
                b'U' => Some(text.to_uppercase()),
                b'L' => Some(text.to_lowercase()),
                b'u' => Some(recased(text, true, false)),
                b'E' => Some(crate::syntax::ansi(text)),
                b'Q' | b'K' => Some(quote(text)),
                _ => None,
            }),
            Op::Other => hole(value.from),
        }
    }

    fn default(&mut self, name: &str, value: Arg, which: u8, colon: bool, word: &Word) -> Arg {
        let set =
            self.shell.get(name).is_some() || matches!(name, "HOME" | "PWD" | "USER" | "PATH" | "SHELL" | "TMPDIR");
        let positional = name.starts_with(|c: char| c.is_ascii_digit());
        let absent = if positional || set {
            value.text.is_empty() && (colon || !set)
        } else {
            // Nobody in the command has set it, so most likely nobody has.
            true
        };
        match which {
            b'+' if absent && (set || positional) => Arg::default(),
            b'+' => self.defaulted(word),
            b'?' if absent && !value.is_known() => {
                self.text(word);
                // Either there is something, or nothing runs: it is not empty.
                Arg { text: format!("{HOLE}x"), ..value }
            }
            b'?' => value,
            _ if !absent => value,
            which => {
                let mut new = self.defaulted(word);
                new.from.secret |= value.from.secret;
                if which == b'=' {
                    self.assign(name, new.clone());
                }
                new
            }
        }
    }
}

/// `@` or `*` in brackets.
fn all_of(index: &Word) -> Option<char> {
    match index.parts.as_slice() {
        [crate::syntax::Part::Bare(text)] if text == "@" => Some('@'),
        [crate::syntax::Part::Bare(text)] if text == "*" => Some('*'),
        _ => None,
    }
}

pub(super) fn hole(from: Origins) -> Arg {
    Arg { text: HOLE.into(), glob: false, from: Origins { unknown: true, ..from } }
}

/// Known text becomes other text; what is unknown stays so.
fn changed(value: &Arg, change: impl FnOnce(&str) -> Option<String>) -> Arg {
    match value.as_known().and_then(change) {
        Some(text) => Arg { text, glob: value.glob, from: value.from },
        None => hole(value.from),
    }
}

fn recased(text: &str, upper: bool, all: bool) -> String {
    let case = |text: &str| if upper { text.to_uppercase() } else { text.to_lowercase() };
    if all {
        return case(text);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    format!("{}{}", case(&text[..first]), &text[first..])
}

fn slice(text: &str, offset: i64, length: Option<i64>) -> Option<String> {
    let total = i64::try_from(text.chars().count()).ok()?;
    let start = if offset < 0 { total + offset } else { offset };
    if start < 0 || start > total {
        return Some(String::new());
    }
    let end = match length {
        None => total,
        Some(length) if length < 0 => (total + length).max(start),
        Some(length) => start.saturating_add(length).min(total),
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(text.chars().skip(start).take(end.saturating_sub(start)).collect())
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

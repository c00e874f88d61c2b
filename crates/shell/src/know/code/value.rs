//! What is known about the value of an expression.

use crate::arg::{Arg, HOLE, Origins, Stuff};

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Text, with [`HOLE`]s where it is not known.
    Text(Arg),
    Number(i64),
    List(Vec<Value>),
    /// Fields of an object, keys of a dictionary, named arguments.
    Map(Vec<(String, Value)>),
    /// Something of the language or a library, by its full name: `os.system`, `socket.socket()`.
    Name(String),
    /// One of these.
    OneOf(Vec<Value>),
    /// A file open for writing.
    File(Arg),
    Nothing,
}

/// So many items of a list are looked at.
const MANY: usize = 64;

/// Values do not grow beyond this: a list that holds itself twice, forty times, is a short program.
const HEAVIEST: usize = 256 * 1024;

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(Arg::known(text))
    }

    /// Something that cannot be told, from somewhere.
    pub(super) fn unknown(from: Origins) -> Self {
        Self::Text(Arg { text: HOLE.to_string(), glob: false, from: Origins { unknown: true, ..from } })
    }

    pub(super) fn from_stuff(stuff: &Stuff) -> Self {
        match &stuff.text {
            Some(text) => Self::Text(Arg { text: text.to_string(), glob: false, from: stuff.from }),
            None => Self::unknown(stuff.from),
        }
    }

    /// Where any part of it came from.
    pub(super) fn origins(&self) -> Origins {
        let mut left = 4 * MANY;
        self.gather(&mut left)
    }

    fn gather(&self, left: &mut usize) -> Origins {
        *left = left.saturating_sub(1);
        let none = Origins::default();
        match self {
            _ if *left == 0 => none,
            Self::Text(arg) | Self::File(arg) => arg.from,
            Self::List(items) | Self::OneOf(items) => items.iter().fold(none, |from, item| from.and(item.gather(left))),
            Self::Map(fields) => fields.iter().fold(none, |from, (_, item)| from.and(item.gather(left))),
            Self::Number(_) | Self::Name(_) | Self::Nothing => none,
        }
    }

    /// How much memory it takes, roughly, counted up to a limit.
    pub(super) fn weight(&self) -> usize {
        let mut weight = 0;
        self.weigh(&mut weight);
        weight
    }

    fn weigh(&self, weight: &mut usize) {
        *weight += 32;
        match self {
            _ if *weight > HEAVIEST => {}
            Self::Text(arg) | Self::File(arg) => *weight += arg.text.len(),
            Self::Name(name) => *weight += name.len(),
            Self::List(items) | Self::OneOf(items) => items.iter().for_each(|item| item.weigh(weight)),
            Self::Map(fields) => fields.iter().for_each(|(_, item)| item.weigh(weight)),
            Self::Number(_) | Self::Nothing => {}
        }
    }

    /// A list, unless that is too much.
    pub(super) fn list(items: Vec<Self>) -> Self {
        let list = Self::List(items);
        if list.weight() > HEAVIEST { Self::unknown(list.origins()) } else { list }
    }

    /// As one text.
    pub(super) fn as_arg(&self) -> Arg {
        match self {
            Self::Text(arg) | Self::File(arg) => arg.clone(),
            Self::Number(number) => Arg::known(number.to_string()),
            Self::OneOf(items) => items.first().map_or_else(Arg::default, Self::as_arg),
            Self::List(items) if items.len() == 1 => items[0].as_arg(),
            other => {
                let mut from = other.origins();
                from.secret |= other.is_environment();
                Arg { text: HOLE.to_string(), glob: false, from }
            }
        }
    }

    /// All variables at once, as they are or written out.
    pub(super) fn is_environment(&self) -> bool {
        matches!(self, Self::Name(name) if name == "ENV" || name == "ENV.all")
    }

    /// As the words of a command, or the paths that are meant: lists are spread, options left out.
    pub(super) fn spread(&self) -> Vec<Arg> {
        let mut words = Vec::new();
        self.spread_into(&mut words);
        words
    }

    fn spread_into(&self, words: &mut Vec<Arg>) {
        match self {
            _ if words.len() >= MANY => {}
            Self::List(items) | Self::OneOf(items) => items.iter().take(MANY).for_each(|item| item.spread_into(words)),
            Self::Map(_) | Self::Nothing => {}
            other => words.push(other.as_arg()),
        }
    }

    pub(super) fn as_known(&self) -> Option<&str> {
        match self {
            Self::Text(arg) => arg.as_known(),
            _ => None,
        }
    }

    pub(super) fn as_stuff(&self) -> Stuff {
        let arg = self.as_arg();
        let text = (!arg.is_opaque()).then(|| arg.text.as_str().into());
        Stuff { text, from: arg.from }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0,
            Self::Name(name) => ["True", "true", "TRUE"].contains(&name.as_str()),
            Self::Text(arg) => arg.text != "0" && !arg.text.is_empty(),
            _ => false,
        }
    }

    /// What a loop over it would see.
    pub(super) fn each(&self) -> Self {
        match self {
            Self::List(items) => Self::OneOf(items.iter().take(MANY).cloned().collect()),
            other => other.clone(),
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// What a call is given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub plain: Vec<Value>,
    pub named: Vec<(String, Value)>,
}

impl Given {
    pub(super) fn first(&self) -> Option<&Value> {
        self.plain.first()
    }

    pub(super) fn at(&self, index: usize) -> Option<&Value> {
        self.plain.get(index)
    }

    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        let in_options = || self.plain.iter().rev().find_map(|value| value.field(name));
        self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value).or_else(in_options)
    }

    pub(super) fn origins(&self) -> Origins {
        let plain = self.plain.iter().fold(Origins::default(), |from, value| from.and(value.origins()));
        self.named.iter().fold(plain, |from, (_, value)| from.and(value.origins()))
    }

    /// What is sent to a host: credentials in headers are what an API asks for.
    pub(super) fn sent(&self) -> Origins {
        const HEADERS: &[&str] = &["headers", "auth", "cookies", "Authorization"];
        let mut from = Origins::default();
        for value in &self.plain {
            from = from.and(match value {
                Value::Map(fields) => {
                    let rest = fields.iter().filter(|(key, _)| !HEADERS.contains(&key.as_str()));
                    rest.fold(Origins::default(), |from, (_, value)| from.and(value.origins()))
                }
                other => other.origins(),
            });
        }
        let named = self.named.iter().filter(|(key, _)| !HEADERS.contains(&key.as_str()));
        named.fold(from, |from, (_, value)| from.and(value.origins()))
    }

    /// All plain arguments as words.
    pub(super) fn words(&self) -> Vec<Arg> {
        self.plain.iter().flat_map(Value::spread).collect()
    }
}

/// Texts one after the other.
pub(super) fn joined(left: &Value, right: &Value) -> Value {
    if let (Value::List(left), Value::List(right)) = (left, right) {
        return Value::List(left.iter().chain(right).take(4 * MANY).cloned().collect());
    }
    if let (Value::Number(left), Value::Number(right)) = (left, right) {
        return Value::Number(left.saturating_add(*right));
    }
    if matches!(left, Value::OneOf(_)) || matches!(right, Value::OneOf(_)) {
        let (left, right) = (left.spread(), right.spread());
        let pairs = left.iter().take(8).flat_map(|left| right.iter().take(8).map(move |right| (left, right)));
        return Value::OneOf(
            pairs.map(|(left, right)| joined(&Value::Text(left.clone()), &Value::Text(right.clone()))).collect(),
        );
    }
    let (left, right) = (left.as_arg(), right.as_arg());
    let from = left.from.and(right.from);
    if left.text.len() + right.text.len() > LONGEST {
        return Value::unknown(from);
    }
    Value::Text(Arg { text: left.text + &right.text, glob: left.glob || right.glob, from })
}

/// Texts do not grow beyond this: doubling a text forty times is one line of code.
pub(super) const LONGEST: usize = 64 * 1024;

/// Parts of a path.
pub(super) fn path_joined(parts: &[Arg]) -> Arg {
    let mut all = Arg::default();
    for part in parts {
        if part.text.starts_with('/') || all.text.is_empty() {
            all.text.clone_from(&part.text);
        } else if all.text.len() + part.text.len() < LONGEST {
            if !all.text.ends_with('/') {
                all.text.push('/');
            }
            all.text.push_str(&part.text);
        }
        all.glob |= part.glob;
        all.from = all.from.and(part.from);
    }
    all
}

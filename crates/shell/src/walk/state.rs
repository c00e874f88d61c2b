//! What a shell keeps: variables, functions, aliases, positional parameters, the working directory.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::syntax::Command;

/// The value of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Arg),
    /// Keys (numbers for plain arrays) and what they lead to.
    List(Vec<(String, Arg)>),
}

impl Value {
    /// What `$x` of it is.
    pub(crate) fn first(&self) -> Arg {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                items.iter().find(|(key, _)| key == "0").map_or_else(Arg::default, |(_, value)| value.clone())
            }
        }
    }
}

/// Where an open file descriptor leads.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub fd: u32,
    pub path: Arg,
    pub stuff: Stuff,
}

/// What is undone when a subshell ends.
enum Undo {
    Variable(Rc<str>, Option<Value>),
    Function(Rc<str>, Option<Rc<Command>>),
}

/// What is put back when a subshell ends.
pub(crate) struct Scope {
    log: usize,
    cwd: Option<Rc<str>>,
    positional: Rc<[Arg]>,
    zero: Arg,
    open: Vec<Open>,
}

/// Aliases, references, programs and integers.
pub(crate) type Names = (HashMap<String, Rc<str>>, HashMap<String, Rc<str>>, HashMap<String, Rc<str>>, HashSet<String>);

pub(crate) struct Shell {
    variables: HashMap<Rc<str>, Value>,
    functions: HashMap<Rc<str>, Rc<Command>>,
    pub aliases: HashMap<String, Rc<str>>,
    /// Names that stand for other names.
    references: HashMap<String, Rc<str>>,
    /// Programs that names stand for: `hash -p`.
    pub hashed: HashMap<String, Rc<str>>,
    /// Variables whose values are calculated.
    integers: HashSet<String>,
    pub positional: Rc<[Arg]>,
    pub zero: Arg,
    /// Where it works, if that can be told.
    pub cwd: Option<Rc<str>>,
    /// Folders of `pushd`, and the one before for `cd -`.
    pub stack: Vec<Option<Rc<str>>>,
    pub before: Option<Rc<str>>,
    pub open: Vec<Open>,
    log: Vec<Undo>,
    scopes: usize,
}

impl Shell {
    pub(crate) fn new(cwd: Option<&str>) -> Self {
        Self {
            variables: HashMap::new(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            references: HashMap::new(),
            hashed: HashMap::new(),
            integers: HashSet::new(),
            positional: Rc::from([]),
            zero: Arg::known("bash"),
            cwd: cwd.map(Rc::from),
            stack: Vec::new(),
            before: None,
            open: Vec::new(),
            log: Vec::new(),
            scopes: 0,
        }
    }

    pub(crate) fn enter(&mut self) -> Scope {
        self.scopes += 1;
        Scope {
            log: self.log.len(),
            cwd: self.cwd.clone(),
            positional: Rc::clone(&self.positional),
            zero: self.zero.clone(),
            open: self.open.clone(),
        }
    }

    pub(crate) fn leave(&mut self, scope: Scope) {
        self.scopes -= 1;
        while self.log.len() > scope.log {
            match self.log.pop() {
                Some(Undo::Variable(name, value)) => restore(&mut self.variables, name, value),
                Some(Undo::Function(name, body)) => restore(&mut self.functions, name, body),
                None => break,
            }
        }
        self.cwd = scope.cwd;
        self.positional = scope.positional;
        self.zero = scope.zero;
        self.open = scope.open;
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        let name: Rc<str> = name.into();
        let before = self.variables.insert(Rc::clone(&name), value);
        if self.scopes > 0 {
            self.log.push(Undo::Variable(name, before));
        }
    }

    /// One element of an array.
    pub(crate) fn set_item(&mut self, name: &str, key: &str, value: Arg) {
        let mut items = match self.get(name) {
            Some(Value::List(items)) => items.clone(),
            Some(Value::Text(text)) => vec![("0".to_owned(), text.clone())],
            None => Vec::new(),
        };
        match items.iter_mut().find(|(other, _)| other == key) {
            Some((_, old)) => *old = value,
            None => items.push((key.to_owned(), value)),
        }
        self.set(name, Value::List(items));
    }

    pub(crate) fn forget(&mut self, name: &str) {
        if let Some((name, value)) = self.variables.remove_entry(name)
            && self.scopes > 0
        {
            self.log.push(Undo::Variable(name, Some(value)));
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let meant = if self.references.is_empty() { None } else { self.references.get(name) };
        self.variables.get(meant.map_or(name, |name| name))
    }

    /// The variable that a name stands for: another one after `declare -n`.
    pub(crate) fn meant(&self, name: &str) -> Rc<str> {
        self.references.get(name).cloned().unwrap_or_else(|| name.into())
    }

    /// `declare -n name=target`.
    pub(crate) fn refer(&mut self, name: &str, target: &str) {
        let target = self.meant(target);
        if &*target != name {
            self.references.insert(name.to_owned(), target);
        }
    }

    /// `declare -i name`.
    pub(crate) fn calculates(&mut self, name: &str) {
        self.integers.insert(name.to_owned());
    }

    pub(crate) fn is_integer(&self, name: &str) -> bool {
        !self.integers.is_empty() && self.integers.contains(name)
    }

    /// What names stand for, besides variables and functions.
    pub(crate) fn names(&self) -> Names {
        (self.aliases.clone(), self.references.clone(), self.hashed.clone(), self.integers.clone())
    }

    pub(crate) fn rename(&mut self, names: Names) {
        (self.aliases, self.references, self.hashed, self.integers) = names;
    }

    pub(crate) fn define(&mut self, name: &Rc<str>, body: &Rc<Command>) {
        let before = self.functions.insert(Rc::clone(name), Rc::clone(body));
        if self.scopes > 0 {
            self.log.push(Undo::Function(Rc::clone(name), before));
        }
    }

    pub(crate) fn forget_function(&mut self, name: &str) {
        if let Some((name, body)) = self.functions.remove_entry(name)
            && self.scopes > 0
        {
            self.log.push(Undo::Function(name, Some(body)));
        }
    }

    pub(crate) fn function(&self, name: &str) -> Option<(&Rc<str>, &Rc<Command>)> {
        if self.functions.is_empty() { None } else { self.functions.get_key_value(name) }
    }

    pub(crate) fn opened(&self, fd: u32) -> Option<&Open> {
        self.open.iter().find(|open| open.fd == fd)
    }

    pub(crate) fn open(&mut self, open: Open) {
        self.open.retain(|other| other.fd != open.fd);
        self.open.push(open);
    }
}

fn restore<T>(map: &mut HashMap<Rc<str>, T>, name: Rc<str>, value: Option<T>) {
    match value {
        Some(value) => map.insert(name, value),
        None => map.remove(&name),
    };
}

/// A variable that nobody in the command has set.
pub(crate) fn inherited(name: &str) -> Arg {
    let known = match name {
        "IFS" => " \t\n",
        "PATH" => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "SHELL" | "BASH" => "/bin/bash",
        "TMPDIR" | "TMP" | "TEMP" => "/tmp",
        "OSTYPE" => "linux-gnu",
        "TERM" => "xterm-256color",
        "LANG" => "C.UTF-8",
        "SHLVL" | "OPTIND" => "1",
        "?" => "0",
        "_" | "BASH_ENV" | "ENV" | "CDPATH" => "",
        _ => return Arg { text: HOLE.into(), glob: false, from: origin_of(name) },
    };
    Arg::known(known)
}

fn origin_of(name: &str) -> Origins {
    Origins { unknown: true, secret: is_secret(name), ..Origins::default() }
}

/// Whether a variable of this name holds a credential by custom.
pub(crate) fn is_secret(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWORDS",
        "PASSWD",
        "PASSPHRASE",
        "APIKEY",
        "CREDENTIALS",
        "CREDENTIAL",
        "PAT",
        "PRIVATEKEY",
        "PWD",
        "PASS",
        "KEY",
        "AUTH",
        "COOKIE",
        "DSN",
    ];
    if !name.contains('_') {
        let upper = name.to_ascii_uppercase();
        return ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "PASSPHRASE", "CREDENTIALS"]
            .iter()
            .any(|word| upper.ends_with(word));
    }
    let upper = name.to_ascii_uppercase();
    if upper.starts_with("PUBLIC_") || upper.contains("_PUBLIC_") || upper.contains("_PUB_") {
        return false;
    }
    // The last words say what it is: GITHUB_TOKEN_FILE is a file name, TOKEN_COUNT a number.
    let last = upper.rsplit('_').next().unwrap_or_default();
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    match last {
        "PWD" | "PASS" | "AUTH" | "COOKIE" | "DSN" | "PAT" => true,
        "KEY" => !matches!(upper.as_str(), "PRIMARY_KEY" | "FOREIGN_KEY" | "CACHE_KEY" | "SORT_KEY" | "PARTITION_KEY"),
        last => {
            WORDS.contains(&last) || ["PASSWORD", "PASSWD", "SECRET", "TOKEN"].iter().any(|word| last.ends_with(word))
        }
    }
}

//! What a tool does that no agent brings along: one of an MCP server, or one that nobody here has heard of.
//!
//! Nothing is known of it but its name and its arguments, so both are read: the words of the name say what is done
//! ([`words`]), the names and the looks of arguments what it is done to ([`files`]). Whatever another program is handed (a
//! command, a statement, code, what is typed into a terminal) is judged as if a shell had started that program with it
//! ([`programs`]); what is left is the doing of a service ([`service`]).

mod files;
mod programs;
mod service;
#[cfg(test)]
mod tests;
mod words;

use std::rc::Rc;

use serde_json::Value;

use super::{Call, MOST_FOLDERS, folders, join, unclear};
use crate::effect::{Effect, Flag, Flags, Kind};
use crate::path::Surroundings;
use words::{Deed, Words};

/// How many texts among the arguments are looked at.
const MOST: usize = 20_000;
/// How deep arguments may nest. Documents do not get deeper.
const DEEPEST: usize = 128;
/// How deep an argument may stand that chooses what is done: at the top, or where all arguments are wrapped in one.
const CHOOSING: usize = 2;

/// Which tool.
struct Named {
    /// The words of its name.
    name: Words,
    /// Those of the server's.
    server: Words,
}

impl Named {
    fn new(name: &str, server: Option<&str>) -> Self {
        let (server, name) = match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, name)) => (Some(server), name),
            None => (server, name),
        };
        Self { name: Words::of(name), server: Words::of(server.unwrap_or_default()) }
    }

    /// Whether the name of the tool or of its server has one of these words.
    fn speaks_of(&self, words: &[&str]) -> bool {
        self.name.any(words) || self.server.any(words)
    }
}

/// What a call of such a tool does.
pub(super) fn understand(name: &str, server: Option<&str>, args: &Value, around: &Surroundings<'_>) -> Vec<Effect> {
    let tool = Named::new(name, server);
    let given = Given::of(args, &tool);
    let mut effects = understand_at(&tool, &given, *around);
    for folder in folders(args, around).iter().take(MOST_FOLDERS) {
        join(&mut effects, understand_at(&tool, &given, Surroundings { cwd: Some(folder), ..*around }));
    }
    if given.texts.len() >= MOST {
        effects.push(unclear("is given more than can be looked at"));
    }
    effects
}

fn understand_at(tool: &Named, given: &Given<'_>, around: Surroundings<'_>) -> Vec<Effect> {
    let deed = given.chosen.as_ref().and_then(words::deed).or_else(|| words::deed(&tool.name));
    let mut seen = Seen { tool, given, deed, call: Call::new(around), local: false, ran: false };
    seen.all();
    seen.call.effects
}

/// What a call was given.
#[derive(Default)]
struct Given<'v> {
    /// The objects, the one with all arguments first.
    objects: Vec<Object<'v>>,
    texts: Vec<Text<'v>>,
    /// Switches that are on.
    on: Vec<Rc<Words>>,
    /// What an argument such as `method` chose.
    chosen: Option<Words>,
    /// The name of the tool says what is done, so that an `action` is one of what it is done to: a rule that drops.
    settled: bool,
}

/// An object among the arguments, and what each of its texts wants to know of the others: there may be many.
struct Object<'v> {
    members: Vec<(Rc<Words>, &'v Value)>,
    /// It speaks of a hosted repository or a store.
    hosted: bool,
    /// Something in it is what a file shall hold.
    content: bool,
    /// Files are looked into, not only told by their names.
    inside: bool,
}

impl<'v> Object<'v> {
    fn new(members: Vec<(Rc<Words>, &'v Value)>) -> Self {
        let object = Self { members, hosted: false, content: false, inside: false };
        let [hosted, content] = [files::HOSTED, files::CONTENTS].map(|names| object.has(names));
        let inside = object.has(files::INSIDE) || object.get(&["pattern"]).is_some_and(|it| !files::is_of_names(it));
        Self { hosted, content, inside, ..object }
    }

    /// The member with one of these names, however it divides its words.
    fn get(&self, names: &[&str]) -> Option<&'v Value> {
        let named = |words: &Words| names.iter().any(|name| words.are(name));
        self.members.iter().find(|(key, _)| named(key)).map(|(_, value)| *value)
    }

    fn text(&self, names: &[&str]) -> Option<&'v str> {
        self.get(names).and_then(Value::as_str)
    }

    fn has(&self, names: &[&str]) -> bool {
        self.get(names).is_some()
    }
}

/// One text among the arguments.
struct Text<'v> {
    /// What it is called: by its own name, or that of the list it stands in.
    key: Rc<Words>,
    text: &'v str,
    /// The object it stands in.
    object: usize,
}

/// Arguments that choose what is done.
const CHOOSES: &[&str] = &["action", "operation", "op", "method", "mode", "verb", "subcommand"];

impl<'v> Given<'v> {
    fn of(args: &'v Value, tool: &Named) -> Self {
        let settles = ["create", "add", "insert", "update", "get", "list", "search", "delete", "remove"];
        let mut given = Self { settled: tool.name.any(&settles), ..Self::default() };
        given.gather(&Rc::default(), args, 0, 0);
        if given.objects.is_empty() {
            given.objects.push(Object::new(Vec::new()));
        }
        given
    }

    fn gather(&mut self, key: &Rc<Words>, value: &'v Value, object: usize, depth: usize) {
        if depth > DEEPEST || self.texts.len() >= MOST {
            return;
        }
        match value {
            Value::String(text) => {
                self.choose(key, text, depth);
                self.texts.push(Text { key: Rc::clone(key), text, object });
            }
            Value::Array(items) => items.iter().for_each(|item| self.gather(key, item, object, depth + 1)),
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| (Rc::new(Words::of(name)), member));
                let members: Vec<(Rc<Words>, &Value)> = members.collect();
                let object = self.objects.len();
                self.objects.push(Object::new(members.clone()));
                members.iter().for_each(|(key, member)| self.gather(key, member, object, depth + 1));
            }
            Value::Bool(true) => self.on.push(Rc::clone(key)),
            Value::Null | Value::Bool(false) | Value::Number(_) => {}
        }
    }

    fn choose(&mut self, key: &Words, text: &str, depth: usize) {
        let chooses = depth <= CHOOSING && CHOOSES.iter().any(|name| key.are(name));
        let is_property = self.settled && key.are("action");
        if chooses && !is_property && self.chosen.is_none() && text.len() <= 40 && !text.contains(' ') {
            self.chosen = Some(Words::of(text));
        }
    }

    /// Whether a switch says that it is only to be tried.
    fn is_dry(&self) -> bool {
        const NAMES: &[&str] = &["dryrun", "preview", "simulate", "whatif", "validateonly", "testonly", "checkonly"];
        self.on.iter().any(|key| NAMES.iter().any(|name| key.are(name)) || key.have(["dry", "run"]))
    }
}

/// A call as it is looked at.
struct Seen<'a> {
    tool: &'a Named,
    given: &'a Given<'a>,
    deed: Option<Deed>,
    call: Call<'a>,
    /// It works on files of this machine.
    local: bool,
    /// It hands something to a program.
    ran: bool,
}

impl<'a> Seen<'a> {
    fn all(&mut self) {
        let dry = self.given.is_dry();
        let tries = dry || self.only_tries();
        if !tries {
            self.programs();
        }
        self.files(tries, dry);
        self.addresses(tries);
        if !tries {
            self.service();
        }
        let sends = self.deed == Some(Deed::Send) || !self.local;
        if sends && !self.ran && !self.given.texts.is_empty() {
            self.say(Kind::Network, Flag::Upload.into(), "hands what it is given to a service");
        }
    }

    /// Whether it only plans, checks or translates. A plan that is analyzed has been carried out.
    fn only_tries(&self) -> bool {
        let translates = self.deed.is_none() && self.tool.name.any(&["to"]);
        (translates || self.deed == Some(Deed::Try)) && !self.switched(&["analyze", "execute", "apply"])
    }

    fn say(&mut self, kind: Kind, flags: Flags, what: impl Into<String>) {
        let by = self.tool.name.text();
        self.call.effects.push(Effect { flags, by, ..Effect::new(kind, what) });
    }

    /// Whether a switch is on that has one of these words.
    fn switched(&self, words: &[&str]) -> bool {
        self.given.on.iter().any(|key| key.any(words))
    }

    /// The object with all arguments.
    fn top(&self) -> &'a Object<'a> {
        &self.given.objects[0]
    }

    /// The argument with one of these names, at the top or where all arguments are wrapped in one.
    fn argument(&self, names: &[&str]) -> Option<&'a Value> {
        let wrapped = self.given.objects.get(1).filter(|_| self.top().members.len() == 1);
        self.top().get(names).or_else(|| wrapped?.get(names))
    }

    fn text(&self, names: &[&str]) -> Option<&'a str> {
        self.argument(names).and_then(Value::as_str)
    }
}

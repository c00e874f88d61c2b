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

use serde_json::{Map, Value};

use super::{Call, MOST_FOLDERS, folders, join};
use crate::effect::{Effect, Flag, Flags, Kind};
use crate::path::Surroundings;
use words::{Deed, Words};

/// How many arguments are looked at, with all that is in them.
const MOST: usize = 4096;
/// How deep arguments may nest. Documents do not get deeper.
const DEEPEST: usize = 128;
/// How deep an argument may stand that chooses what is done: at the top, or where all arguments are wrapped in one.
const CHOOSING: usize = 2;

type Object = Map<String, Value>;

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
    let Some(top) = args.as_object() else { return Vec::new() };
    let tool = Named::new(name, server);
    let settles = ["create", "add", "insert", "update", "get", "list", "search", "delete", "remove"];
    let mut given = Given { settled: tool.name.any(&settles), ..Given::default() };
    given.gather(&Words::default(), args, top, 0);
    let mut effects = understand_at(&tool, top, &given, *around);
    for folder in folders(args, around).iter().take(MOST_FOLDERS) {
        join(&mut effects, understand_at(&tool, top, &given, Surroundings { cwd: Some(folder), ..*around }));
    }
    effects
}

fn understand_at(tool: &Named, top: &Object, given: &Given<'_>, around: Surroundings<'_>) -> Vec<Effect> {
    let own = words::deed(&tool.name);
    let deed = given.chosen.as_ref().and_then(words::deed).or(own);
    let call = Call { around, effects: Vec::new() };
    let mut seen = Seen { tool, top, given, deed, call, local: false, ran: false };
    seen.all();
    seen.call.effects
}

/// What a call was given.
#[derive(Default)]
struct Given<'v> {
    texts: Vec<Text<'v>>,
    objects: Vec<&'v Object>,
    /// Switches that are on.
    on: Vec<Words>,
    /// What an argument such as `method` chose.
    chosen: Option<Words>,
    /// The name of the tool says what is done, so that an `action` is one of what it is done to: a rule that drops.
    settled: bool,
}

/// One text among the arguments.
struct Text<'v> {
    /// What it is called: by its own name, or that of the list it stands in.
    key: Words,
    text: &'v str,
    /// The object it stands in.
    beside: &'v Object,
}

/// Arguments that choose what is done.
const CHOOSES: &[&str] = &["action", "operation", "op", "method", "mode", "verb", "subcommand"];

impl<'v> Given<'v> {
    fn gather(&mut self, key: &Words, value: &'v Value, beside: &'v Object, depth: usize) {
        if depth > DEEPEST || self.texts.len() >= MOST {
            return;
        }
        match value {
            Value::String(text) => {
                let chooses = depth <= CHOOSING && CHOOSES.iter().any(|name| key.are(name));
                let chooses = chooses && !(self.settled && key.are("action"));
                if chooses && self.chosen.is_none() && text.len() <= 40 && !text.contains(' ') {
                    self.chosen = Some(Words::of(text));
                }
                self.texts.push(Text { key: key.clone(), text, beside });
            }
            Value::Array(items) => items.iter().for_each(|item| self.gather(key, item, beside, depth + 1)),
            Value::Object(members) => {
                self.objects.push(members);
                for (name, member) in members {
                    self.gather(&Words::of(name), member, members, depth + 1);
                }
            }
            Value::Bool(true) => self.on.push(key.clone()),
            Value::Null | Value::Bool(false) | Value::Number(_) => {}
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
    top: &'a Object,
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

    /// The argument with one of these names, at the top or where all arguments are wrapped in one.
    fn argument(&self, names: &[&str]) -> Option<&'a Value> {
        let wrapped = self.top.values().filter_map(Value::as_object).filter(|_| self.top.len() == 1).flatten();
        self.top.iter().chain(wrapped).find(|(key, _)| is_named(key, names)).map(|(_, value)| value)
    }

    fn text(&self, names: &[&str]) -> Option<&'a str> {
        self.argument(names).and_then(Value::as_str)
    }
}

/// Whether an argument has one of these names, however it divides its words.
fn is_named(key: &str, names: &[&str]) -> bool {
    let words = Words::of(key);
    names.iter().any(|name| words.are(name))
}

/// The member of an object with one of these names.
fn member<'v>(object: &'v Object, names: &[&str]) -> Option<&'v Value> {
    object.iter().find(|(key, _)| is_named(key, names)).map(|(_, value)| value)
}

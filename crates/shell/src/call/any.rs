//! What a tool does that no agent brings along: one of an MCP server, or one that nobody here has heard of.
//!
//! Nothing is known of it but its name and its arguments, so both are read: the words of the name say what is done
//! ([`words`]), the names and the looks of arguments what it is done to ([`files`]). Whatever another program is handed (a
//! command, a statement, code, what is typed into a terminal) is judged as if a shell had started that program with it
//! ([`programs`]); what is left is the doing of a service ([`service`]).

mod code;
mod files;
mod given;
mod programs;
mod service;
#[cfg(test)]
mod tests;
mod words;

use serde_json::Value;

use super::{Call, MOST_FOLDERS, folders, join, unclear};
use crate::effect::{Effect, Flag, Flags, Kind};
use crate::path::Surroundings;
use given::{Given, Inner, Object, Text};
pub(super) use words::Deed;
use words::Words;

/// How many calls may be wrapped in one.
const MOST_CALLS: usize = 1000;

/// Which tool.
#[derive(Clone)]
struct Named {
    /// The words of its name.
    name: Words,
    /// Those of the server's.
    server: Words,
    /// Its name says that nothing is done. Unlike an argument, nobody who calls it can say so.
    tries: bool,
}

impl Named {
    fn new(name: &str, server: Option<&str>) -> Self {
        let (server, name) = match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, name)) => (Some(server), name),
            None => (server, name),
        };
        let (name, server) = (Words::of(name), Words::of(server.unwrap_or_default()));
        Self { tries: only_tries(&name), name, server }
    }

    /// The one that was chosen within it.
    fn inner(&self, chosen: &Words) -> Self {
        Self { name: chosen.and(&self.name), ..self.clone() }
    }

    /// Whether the name of the tool or of its server has one of these words.
    fn speaks_of(&self, words: &[&str]) -> bool {
        self.name.any(words) || self.server.any(words)
    }
}

/// Whether a tool of this name only plans, checks, translates or puts down what others would carry out.
fn only_tries(name: &Words) -> bool {
    let texts = name.any(&["query", "sql", "code", "dialect", "statement"]);
    let deed = words::deed(name);
    let translates = name.any(&["to"]) && texts && deed.is_none();
    let keeps = name.any(&["save", "saved", "convert", "analyze"]) && texts;
    translates || keeps || deed == Some(Deed::Try)
}

/// What the name of a tool says is done.
pub(super) fn deed(name: &str) -> Option<Deed> {
    words::deed(&Named::new(name, None).name)
}

/// What a call of such a tool does, with all calls that are wrapped in it.
pub(super) fn understand(name: &str, server: Option<&str>, args: &Value, around: &Surroundings<'_>) -> Vec<Effect> {
    let unfolded = given::unfolded(args);
    let args = unfolded.as_ref().unwrap_or(args);
    let mut calls = vec![Inner { tool: Named::new(name, server), args }];
    let mut effects = Vec::new();
    let mut at = 0;
    while at < calls.len() && at < MOST_CALLS {
        let tool = calls[at].tool.clone();
        let given = Given::of(calls[at].args, &tool, &mut calls);
        effects.append(&mut understand_at(&tool, &given, *around));
        for folder in folders(calls[at].args, around).iter().take(MOST_FOLDERS) {
            join(&mut effects, understand_at(&tool, &given, Surroundings { cwd: Some(folder), ..*around }));
        }
        if given.is_cut() {
            effects.push(unclear("is given more than can be looked at"));
        }
        at += 1;
    }
    if at < calls.len() {
        effects.push(unclear("wraps more calls than can be looked at"));
    }
    effects
}

fn understand_at(tool: &Named, given: &Given<'_>, around: Surroundings<'_>) -> Vec<Effect> {
    let deed = given.chosen.as_ref().and_then(words::deed).or_else(|| words::deed(&tool.name));
    let mut seen = Seen { tool, given, deed, call: Call::new(around), local: false, ran: false };
    seen.all();
    seen.call.effects
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
        let tries = self.tries();
        if !self.tool.tries || self.carried_out() {
            self.programs(tries);
        }
        self.files(tries);
        self.addresses(tries);
        if !tries && !self.given.is_dry() {
            self.service();
        }
        if self.leaves() && !self.given.texts.is_empty() {
            self.say(Kind::Network, Flag::Upload.into(), "hands what it is given to a service");
        }
    }

    /// Whether what it is given goes to somebody else. One argument more does not keep it here: the name must say so, too.
    fn leaves(&self) -> bool {
        let (deed, types) = (words::deed(&self.tool.name), self.ran && self.tool.speaks_of(programs::TERMINALS));
        match deed {
            Some(Deed::Send) => !types,
            Some(Deed::Write) => !(types || self.local && self.tool.name.any(files::ABOUT_FILES)),
            _ => !self.local && !self.ran,
        }
    }

    /// Whether nothing is done but what is handed to a program: by its name, or by what was chosen. A switch may be one that
    /// the tool does not know, so it spares nothing but the doing of a service.
    fn tries(&self) -> bool {
        let chosen = self.deed == Some(Deed::Try) || self.given.chose_dry();
        (self.tool.tries || chosen) && !self.carried_out()
    }

    /// A plan that is analyzed has been carried out.
    fn carried_out(&self) -> bool {
        self.switched(&["analyze", "execute", "apply"])
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

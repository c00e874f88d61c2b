//! What a policy says a tool does, beside what is understood anyhow.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Event, Names, Point};
use tollgate_shell::{Effect, Flag, Kind, Surroundings, Tool, understand_call, understand_path};

use crate::args::descend;
use crate::condition::Condition;
use crate::effects::list;
use crate::examples::{CWD, does};
use crate::facts::{Ambient, CallFacts, Extended, Still};
use crate::form::{Conditions, EffectName, Matcher, OneOrMany, OwnKindName, Taught, TaughtExample};
use crate::mistake::Mistake;

/// How many values of one call are looked at.
const MOST_VALUES: usize = 64;

/// A `[[tool]]`, compiled.
///
/// It can only add effects: no condition that lets a call through (`not`, an exception) goes by what it adds.
#[derive(Debug)]
pub struct Lesson {
    when: Condition,
    kind: Option<&'static str>,
    effects: Vec<Kind>,
    arguments: Vec<Argument>,
}

/// An argument, and what it holds.
#[derive(Debug)]
struct Argument {
    holds: Holds,
    path: Vec<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Path,
    Command,
    Query,
    Url,
}

impl Lesson {
    /// Compiles a lesson and checks its examples, or says all that is wrong with it.
    pub fn compile(form: &Taught, names: &Names) -> Result<Arc<Self>, Vec<Mistake>> {
        let (lesson, mut found) = Self::read(form, names);
        let lesson = Arc::new(lesson);
        if found.is_empty() {
            let wrong = |(place, example)| Some(lesson.check(example, form, names).err()?.at(place).at("examples"));
            found.extend(form.examples.iter().enumerate().filter_map(wrong));
        }
        if found.is_empty() { Ok(lesson) } else { Err(found) }
    }

    fn read(form: &Taught, names: &Names) -> (Self, Vec<Mistake>) {
        let mut found = Vec::new();
        let (tool, server) = (Some(form.name.clone()), form.server.clone());
        let when = Condition::compile(&Conditions { tool, server, ..Conditions::default() }, names);
        let lesson = Self {
            when: when.unwrap_or_else(|mistakes| {
                found.extend(mistakes.into_iter().map(in_own_words));
                Condition::default()
            }),
            kind: form.kind.as_ref().and_then(|kind| own_kind(kind, &mut found)),
            effects: form.effects.as_ref().map_or_else(Vec::new, |effects| kinds(effects, &mut found)),
            arguments: arguments(form, &mut found),
        };
        if found.is_empty() && lesson.kind.is_none() && lesson.effects.is_empty() && lesson.arguments.is_empty() {
            let help = "give at least one of kind, effects, path, command, query, url";
            found.push(Mistake::new("this table says nothing about the tool").help(help));
        }
        (lesson, found)
    }

    /// Whether it is about the tool of a call.
    pub(crate) fn is_of(&self, facts: &CallFacts<'_>) -> bool {
        self.when.holds_by_facts(facts)
    }

    /// Of which kind the tool is.
    pub(crate) fn kind(&self) -> Option<&'static str> {
        self.kind
    }

    /// Adds what a call does, as far as it is not known yet.
    pub(crate) fn add_effects(
        &self,
        tool: &Tool<'_>,
        args: &Value,
        around: &Surroundings<'_>,
        effects: &mut Vec<Effect>,
    ) {
        // Some put JSON into a string.
        let opened = args.as_str().and_then(|text| serde_json::from_str(text).ok());
        let call = TaughtCall { lesson: self, tool, args: opened.as_ref().unwrap_or(args), around };
        for effect in call.effects() {
            if !effects.contains(&effect) {
                effects.push(effect);
            }
        }
    }

    fn check(self: &Arc<Self>, example: &TaughtExample, form: &Taught, names: &Names) -> Result<(), Mistake> {
        let mut found = Vec::new();
        let expected = kinds(&example.effects, &mut found);
        found.pop().map_or(Ok(()), Err)?;
        let tool = match (&example.tool, &form.name) {
            (Some(tool), _) => tool,
            (None, Matcher::Is(name)) if !name.contains('*') => name,
            _ => {
                let help = "add `tool`, because `name` fits many";
                return Err(Mistake::new("this example does not say which tool is called").help(help));
            }
        };
        let server = example.server.as_deref();
        let name = tollgate_wire::name_of(names, tool, &tollgate_wire::readings("", tool, server));
        let event = Event { cwd: Some(CWD), server, ..Event::tool(Point::ToolBefore, &name, "example") };
        let (body, lessons) = (Body::from(example.args.clone()), vec![Arc::clone(self)]);
        let ambient: Arc<dyn Ambient> = Arc::new(Extended { inner: Still::shared(), folders: Vec::new(), lessons });
        let facts = CallFacts::new(&event, &body, &ambient);
        if facts.lessons().is_empty() {
            let mistake = Mistake::new(format!("`{tool}` is not a tool that this table is about"));
            return Err(mistake.help("`name` and `server` say which it is about").at("tool"));
        }
        let effects = facts.effects().map_err(|fault| Mistake::new(format!("this call cannot be read: {fault}")))?;
        match expected.iter().find(|kind| !effects.iter().any(|effect| effect.kind == **kind)) {
            Some(kind) => {
                Err(Mistake::new(format!("this example does not have the effect `{kind}`")).help(does(&facts)))
            }
            None => Ok(()),
        }
    }
}

/// A call, as a lesson sees it.
struct TaughtCall<'a> {
    lesson: &'a Lesson,
    tool: &'a Tool<'a>,
    args: &'a Value,
    around: &'a Surroundings<'a>,
}

impl TaughtCall<'_> {
    fn effects(&self) -> Vec<Effect> {
        let Lesson { kind, effects, .. } = self.lesson;
        let by = match *self.tool {
            Tool::Own(kind) => kind,
            Tool::Foreign { name, .. } => name,
        };
        let said = |kind: &Kind| Effect {
            by: by.to_owned(),
            ..Effect::new(*kind, format!("has the effect `{kind}`, as the policy says"))
        };
        let mut all: Vec<Effect> = effects.iter().map(said).collect();
        let held = self.held();
        // A shell looks for its command everywhere, unless it is known where it stands.
        let found = *kind == Some("exec") && held.iter().any(|(holds, _)| *holds == Holds::Command);
        if let Some(kind) = kind.filter(|_| !found) {
            all.extend(understand_call(&Tool::Own(kind), self.args, self.around));
        }
        all.extend(held.iter().take(MOST_VALUES).flat_map(|(holds, value)| self.does(*holds, value)));
        if held.len() > MOST_VALUES {
            let what = "is given more than can be looked at";
            all.push(Effect { flags: Flag::Force.into(), ..Effect::new(Kind::Unknown, what) });
        }
        all
    }

    /// The values that the lesson speaks of: texts, or the words of a command.
    fn held(&self) -> Vec<(Holds, &Value)> {
        let mut all = Vec::new();
        for Argument { holds, path } in &self.lesson.arguments {
            let mut values = Vec::new();
            descend(self.args, path, &mut values);
            match holds {
                Holds::Command => all.extend(values.into_iter().map(|value| (*holds, value))),
                _ => values.into_iter().for_each(|value| each_text(value, &mut |text| all.push((*holds, text)))),
            }
        }
        all
    }

    fn does(&self, holds: Holds, value: &Value) -> Vec<Effect> {
        let text = value.as_str().unwrap_or_default();
        let call = |tool: Tool<'_>, args: Value| understand_call(&tool, &args, self.around);
        match holds {
            Holds::Path => {
                let own = self.lesson.kind.map(Tool::Own);
                understand_path(own.as_ref().unwrap_or(self.tool), text, self.around)
            }
            // What stands beside it may say in which folder it runs.
            Holds::Command => {
                let mut beside = self.args.as_object().cloned().unwrap_or_else(Map::new);
                beside.insert("command".to_owned(), value.clone());
                call(Tool::Own("exec"), beside.into())
            }
            Holds::Query => {
                let server = match *self.tool {
                    Tool::Foreign { server, .. } => server,
                    Tool::Own(_) => None,
                };
                call(Tool::Foreign { name: "run_query", server }, json!({ "statement": text }))
            }
            Holds::Url => call(Tool::Own("web"), json!({ "url": text })),
        }
    }
}

/// Every text in a value.
fn each_text<'v>(value: &'v Value, found: &mut dyn FnMut(&'v Value)) {
    match value {
        Value::String(_) => found(value),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, found)),
        Value::Object(members) => members.values().for_each(|member| each_text(member, found)),
        _ => {}
    }
}

/// A rule's `tool` is called `name` here.
fn in_own_words(mut mistake: Mistake) -> Mistake {
    mistake.path.iter_mut().filter(|step| **step == "tool".into()).for_each(|step| *step = "name".into());
    mistake
}

fn own_kind(name: &OwnKindName, found: &mut Vec<Mistake>) -> Option<&'static str> {
    let known = OwnKindName::all();
    let kind = known.iter().copied().find(|kind| *kind == name.0);
    if kind.is_none() {
        found.push(Mistake::unknown("kind of tool with effects", &name.0, &known).at("kind"));
    }
    kind
}

fn kinds(names: &OneOrMany<EffectName>, found: &mut Vec<Mistake>) -> Vec<Kind> {
    list("effects", "effect", names, |name| &name.0, Kind::named, &EffectName::all(), found)
}

fn arguments(form: &Taught, found: &mut Vec<Mistake>) -> Vec<Argument> {
    let lists = [
        ("path", Holds::Path, &form.path),
        ("command", Holds::Command, &form.command),
        ("query", Holds::Query, &form.query),
        ("url", Holds::Url, &form.url),
    ];
    let mut all = Vec::new();
    for (key, holds, written) in lists {
        let Some(written) = written else { continue };
        if written.iter().next().is_none() {
            found.push(Mistake::new("an empty list names no argument").at(key));
        }
        for (place, name) in written.iter().enumerate() {
            let path: Vec<Box<str>> = name.split('.').map(Into::into).collect();
            if path.iter().any(|part| part.trim().is_empty()) {
                let mistake = Mistake::new(format!("`{name}` is not the name of an argument"));
                let mistake = mistake.help("write it like `path`, or `options.path` for one further in");
                found.push(if written.is_list() { mistake.at(place) } else { mistake }.at(key));
            }
            all.push(Argument { holds, path });
        }
    }
    all
}

//! A small, fixed set of interceptors, each made from a name and JSON parameters.
//!
//! Cases and properties are built from these, so that every surface can have them too. What each does is
//! listed in `spec/cases/README.md`.

use std::collections::BTreeMap;
use std::future::{pending, poll_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollgate_core::{
    Body, Edit, Event, Fault, FaultKind, Guard, Name, Outcome, Query, Role, Route, Step, Verdict, Watch,
};

/// What an interceptor does when its turn comes.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "actor", content = "params", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the parameters, and what each actor does says what they are for")]
pub enum Does {
    /// Puts a value at a place in the document.
    Set(Place),
    /// Adds text at the end of an argument, if that is text.
    Append { arg: String, text: String },
    /// Sets an argument that is not there.
    Default { arg: String, value: Value },
    /// Puts another document in this one's place.
    Body { json: Value },
    /// Replaces text in all texts of the document.
    Replace { find: String, with: String },
    /// Takes a tool off a list of tools.
    Hide { tool: String },
    /// Sends the call to another tool, and perhaps breaks then.
    Rename {
        to: String,
        #[serde(default)]
        then_fail: bool,
    },
    /// Adds a note for the model.
    Note { text: String },
    /// Adds a note for the user.
    Tell { text: String },
    /// Notes a fact down for later points.
    Label { key: String, value: String },
    /// Sets and removes headers.
    Header {
        #[serde(default)]
        set: Map<String, Value>,
        #[serde(default)]
        remove: Vec<String>,
    },
    /// Writes, and objects to what it saw before.
    EditAndDenyIf { pointer: String, value: Value, contains: String, reason: String },
    /// Asks for the document to write on, and writes nothing.
    Touch {},
    /// Writes a value that nests very deep.
    Deep { levels: usize },

    /// Says nothing.
    Pass {},
    /// Reads the document and says nothing.
    Look {},
    /// Objects.
    Deny { reason: String },
    /// Objects to a text in the document.
    DenyIf { contains: String, reason: String },
    /// Objects to the value of an argument.
    DenyIfArg { arg: String, equals: Value, reason: String },
    /// Objects to the tool the call goes to now.
    DenyIfNamed { name: String, reason: String },
    /// Objects to a fact.
    DenyIfFact { fact: String, is: Value, reason: String },
    /// Wants a human to decide.
    Ask { title: String, timeout_ms: Option<u64> },
    /// Wants it to happen elsewhere.
    Route {
        provider: String,
        #[serde(default)]
        place: Map<String, Value>,
        command: Option<Map<String, Value>>,
    },
    /// Wants it to happen elsewhere, unless it is a route's command already.
    RouteOnce { provider: String, command: Option<Map<String, Value>> },
    /// Answers in its place.
    Answer { json: Value },

    /// Panics, perhaps after writing.
    Panic { message: String, first: Option<Place> },
    /// Breaks in the way named, perhaps after writing.
    Fault { kind: Kind, detail: String, first: Option<Place> },
    /// Never answers, perhaps after writing.
    Hang { first: Option<Place> },
    /// Says nothing, but only when asked twice.
    Wait {},

    /// Watches and notes down what it saw.
    See {},
    /// The same, and then breaks.
    SeeAndFail { detail: String },
}

/// A way to break; [`FaultKind`], as files write it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are core's")]
pub enum Kind {
    Crash,
    Garbage,
    Missing,
    Flood,
}

/// A value and where it goes, as a JSON pointer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pointer: String,
    value: Value,
}

/// What watchers saw, in order.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Notes a line down.
    pub fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Everything so far; the log is empty afterwards.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An interceptor made from data.
pub struct Actor {
    id: String,
    does: Does,
    /// Whether it answers through a future, although it could answer at once.
    later: bool,
    log: Log,
}

/// Makes an interceptor. `role` is `edit`, `guard`, `watch`, or not said: then the least that will do.
pub fn actor(id: &str, does: Does, role: Option<&str>, later: bool, log: &Log) -> Result<Role, String> {
    let least = does.least_role();
    let role = role.unwrap_or(least);
    let actor = Arc::new(Actor { id: id.to_owned(), does, later, log: log.clone() });
    match (role, least) {
        ("edit", "edit" | "guard") => Ok(Role::Edit(actor)),
        ("guard", "guard") => Ok(Role::Guard(actor)),
        ("watch", "watch") => Ok(Role::Watch(actor)),
        // What only passes or breaks can stand anywhere.
        ("watch", "guard") if actor.does.has_no_opinion() => Ok(Role::Watch(actor)),
        _ => Err(format!("`{id}`: an actor that needs the role `{least}` cannot have the role `{role}`")),
    }
}

impl Does {
    /// An actor by its name.
    pub fn parse(name: &str, params: &Value) -> Result<Self, String> {
        let params = if params.is_null() { json!({}) } else { params.clone() };
        serde_json::from_value(json!({ "actor": name, "params": params })).map_err(|error| error.to_string())
    }

    fn least_role(&self) -> &'static str {
        use Does::*;
        match self {
            See { .. } | SeeAndFail { .. } => "watch",
            Panic { first: None, .. } | Fault { first: None, .. } | Hang { first: None } | Wait { .. } => "guard",
            Pass { .. } | Look { .. } | Deny { .. } | DenyIf { .. } | DenyIfArg { .. } | DenyIfNamed { .. } => "guard",
            DenyIfFact { .. } | Ask { .. } | Route { .. } | RouteOnce { .. } | Answer { .. } => "guard",
            _ => "edit",
        }
    }

    fn has_no_opinion(&self) -> bool {
        matches!(self, Self::Pass {} | Self::Panic { .. } | Self::Fault { .. } | Self::Hang { .. } | Self::Wait {})
    }
}

impl Actor {
    /// One that does nothing at all.
    pub(crate) fn idle() -> Self {
        Self { id: String::new(), does: Does::Pass {}, later: false, log: Log::default() }
    }

    /// Answers now or later, as it was told to.
    fn step<'a, T: Send + 'a>(&self, answer: impl FnOnce() -> Result<T, Fault> + Send + 'a) -> Step<'a, T> {
        match self.does {
            Does::Hang { .. } => Step::later(async move {
                let _ = answer();
                pending().await
            }),
            Does::Wait {} => Step::later(async move {
                pause().await;
                answer()
            }),
            _ if self.later => Step::later(async move { answer() }),
            _ => Step::Now(answer()),
        }
    }

    fn write(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        match &self.does {
            Does::Rename { to, then_fail } => {
                body.rename(to);
                return if *then_fail { Err(Fault::crash("after renaming")) } else { Ok(Verdict::Pass) };
            }
            Does::Note { text } => body.notes.push(text.clone()),
            Does::Tell { text } => body.tells.push(text.clone()),
            Does::Label { key, value } => body.label(key, value),
            Does::Header { set, remove } => write_headers(body, set, remove),
            Does::EditAndDenyIf { pointer, value, contains, reason } => {
                let objects = holds(body, contains)?;
                Place { pointer: pointer.clone(), value: value.clone() }.put(body)?;
                return Ok(if objects { Verdict::deny(reason.clone()) } else { Verdict::Pass });
            }
            Does::Panic { first: Some(at), .. } | Does::Fault { first: Some(at), .. } => {
                at.put(body)?;
                return self.judge_now(event, body);
            }
            Does::Hang { first: Some(at) } => at.put(body)?,
            does if does.least_role() == "edit" => write_document(does, body)?,
            _ => return self.judge_now(event, body),
        }
        Ok(Verdict::Pass)
    }

    fn judge_now(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let deny_if =
            |objects: bool, reason: &String| Ok(if objects { Verdict::deny(reason.clone()) } else { Verdict::Pass });
        match &self.does {
            Does::Look {} => body.json().map(|_| Verdict::Pass),
            Does::Deny { reason } => deny_if(true, reason),
            Does::DenyIf { contains, reason } => deny_if(holds(body, contains)?, reason),
            Does::DenyIfArg { arg, equals, reason } => deny_if(body.json()?.get(arg) == Some(equals), reason),
            Does::DenyIfNamed { name, reason } => deny_if(event.tool_now(body).map(Name::normal) == Some(name), reason),
            Does::DenyIfFact { fact, is, reason } => deny_if(facts(event).get(fact) == Some(is), reason),
            Does::Ask { title, timeout_ms } => {
                let timeout = timeout_ms.map(Duration::from_millis);
                Ok(Verdict::Ask(Box::new(Query { title: title.clone(), timeout, ..Query::default() })))
            }
            Does::Route { provider, place, command } => {
                let (provider, place, command) = (provider.clone(), place.clone(), command.clone());
                Ok(Verdict::route(Route { provider, place, command }))
            }
            Does::RouteOnce { provider, command } if !event.routed => {
                Ok(Verdict::route(Route { command: command.clone(), ..Route::to(provider) }))
            }
            Does::Answer { json } => Ok(Verdict::answer(json.clone())),
            does => does.fail().map(|()| Verdict::Pass),
        }
    }
}

impl Does {
    /// Breaks, if that is what it does.
    #[expect(clippy::panic, reason = "to panic is this actor's job")]
    fn fail(&self) -> Result<(), Fault> {
        match self {
            Self::Panic { message, .. } => panic!("{PANIC}{message}"),
            Self::Fault { kind, detail, .. } => Err(Fault::new((*kind).into(), detail.clone())),
            Self::SeeAndFail { detail } => Err(Fault::crash(detail)),
            _ => Ok(()),
        }
    }
}

impl Edit for Actor {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        self.step(move || self.write(event, body))
    }
}

impl Guard for Actor {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        self.step(move || self.judge_now(event, body))
    }
}

impl Watch for Actor {
    fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        self.step(move || {
            self.log.add(format!("{}:{}", self.id, outcome.act.name()));
            self.does.fail()
        })
    }
}

impl Place {
    fn put(&self, body: &mut Body) -> Result<(), Fault> {
        let document = body.json_mut()?;
        if self.pointer.is_empty() {
            *document = self.value.clone();
            return Ok(());
        }
        let (parent, key) = self.pointer.rsplit_once('/').unwrap_or_default();
        let place = match document.pointer_mut(parent) {
            Some(Value::Object(map)) => Some(map.entry(key).or_insert(Value::Null)),
            Some(Value::Array(items)) => key.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            _ => None,
        };
        *place.ok_or_else(|| Fault::crash(format!("there is no place `{}`", self.pointer)))? = self.value.clone();
        Ok(())
    }
}

fn write_document(does: &Does, body: &mut Body) -> Result<(), Fault> {
    match does {
        Does::Set(at) => return at.put(body),
        Does::Body { json } => body.set(json.clone()),
        Does::Deep { levels } => *body.json_mut()? = nested(*levels),
        Does::Replace { find, with } => replace(body.json_mut()?, find, with),
        Does::Append { arg, text } => {
            if let Some(Value::String(old)) = body.json_mut()?.get_mut(arg) {
                old.push_str(text);
            }
        }
        Does::Default { arg, value } => {
            if let Value::Object(map) = body.json_mut()? {
                map.entry(arg).or_insert_with(|| value.clone());
            }
        }
        Does::Hide { tool } => {
            if let Some(Value::Array(tools)) = body.json_mut()?.get_mut("tools") {
                tools.retain(|it| it["name"] != *tool);
            }
        }
        _ => drop(body.json_mut()?),
    }
    Ok(())
}

fn write_headers(body: &mut Body, set: &Map<String, Value>, remove: &[String]) {
    let headers = body.headers_mut();
    for (name, value) in set {
        headers.set(name, value.as_str().unwrap_or_default());
    }
    for name in remove {
        headers.remove(name);
    }
}

fn replace(value: &mut Value, find: &str, with: &str) {
    match value {
        Value::String(text) => *text = text.replace(find, with),
        Value::Array(items) => items.iter_mut().for_each(|inner| replace(inner, find, with)),
        Value::Object(map) => map.values_mut().for_each(|inner| replace(inner, find, with)),
        _ => {}
    }
}

/// A list in a list in a list.
pub fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

fn holds(body: &Body, text: &str) -> Result<bool, Fault> {
    Ok(body.json()?.to_string().contains(text))
}

/// An event's facts, by name.
fn facts(event: &Event<'_>) -> Value {
    json!({
        "name": event.name.map(Name::normal),
        "written": event.name.map(Name::written),
        "became": event.became.map(Name::normal),
        "call_id": event.call_id,
        "session": event.session,
        "agent": event.agent,
        "cwd": event.cwd,
        "principal": event.principal,
        "native": event.native,
        "own": event.own.iter().copied().collect::<BTreeMap<&str, &str>>(),
        "labels": event.labels,
        "arguments": event.arguments.and_then(|body| body.json().ok()),
        "reason": event.reason,
        "ended": event.ended.map(|ended| format!("{ended:?}").to_lowercase()),
        "took_ms": event.took.map(|took| took.as_millis() as u64),
        "attempt": event.attempt,
        "look": event.look,
        "routed": event.routed,
        "permission": event.permission,
        "server": event.server,
    })
}

impl From<Kind> for FaultKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Crash => Self::Crash,
            Kind::Garbage => Self::Garbage,
            Kind::Missing => Self::Missing,
            Kind::Flood => Self::Flood,
        }
    }
}

/// Ready when polled for the second time.
async fn pause() {
    let mut polled = false;
    poll_fn(move |context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// How the message of an intended panic begins.
const PANIC: &str = "on purpose: ";

/// Keeps intended panics out of the test's output; real ones are still shown.
pub fn hush_intended_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let shown = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let intended = info.payload_as_str().is_none_or(|message| message.starts_with(PANIC));
            if !intended {
                shown(info);
            }
        }));
    });
}

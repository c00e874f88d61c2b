//! What an agent's file says.

use serde_json::Value;
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::dialect::HookAnswer;
use tollgate_wire::{Reading, readings};

/// A coding agent: everything that is known about its hooks.
///
/// The functions are plain: they read and make documents and do nothing else.
pub struct Agent {
    /// Its name on the command line, in records and in policies: `claude-code`.
    pub id: &'static str,
    /// What else people type for it.
    pub aliases: &'static [&'static str],
    /// Its name for people: `Claude Code`.
    pub title: &'static str,
    /// Every event it has.
    pub hooks: &'static [Hook],
    /// What it can do without any hook being asked, in words that end the sentence "no hook sees …".
    pub unseen: &'static [&'static str],
    /// Whether it also runs hooks that were registered for other agents, so that a call may be judged twice.
    pub doubled: bool,
    /// Whether a document certainly comes from this agent. Some agents also run hooks that were registered for others.
    pub calls: fn(&Value) -> bool,
    /// The name of the event a document is about, if the document says it.
    pub event: for<'a> fn(&'a Value) -> Option<&'a str>,
    /// From the agent's document to what is about to happen; or why that cannot be told, as a sentence's end
    /// ("`tool_name` is missing").
    pub decode: for<'a> fn(&Payload<'a>) -> Result<DecodedEvent<'a>, String>,
    /// Why something that the [`Hook`] can do in general cannot be said this time, as a whole sentence. It is asked
    /// before anything is recorded as happening.
    pub fits: Option<Fits>,
    /// From a decision to what is printed. It is only asked for what the [`Hook`] can do.
    pub encode: fn(&Payload<'_>, &Decision) -> HookAnswer,
    /// The refusal where not even the event is known.
    pub refuse: fn(&str) -> HookAnswer,
}

/// Whether an agent can be told this, or why not.
pub type Fits = fn(&Payload<'_>, &Said) -> Result<(), String>;

/// One event of an agent: its name, where it stands in an agent's life, and what can be done there.
#[derive(Debug)]
pub struct Hook {
    /// The agent's name for it.
    pub name: &'static str,
    /// The point.
    pub point: Point,
    /// What an answer can do.
    pub can: Can,
    /// Whether `tollgate init` registers it. The others cost a process each time and can do little.
    pub registered: bool,
    /// Whether it asks again about a call that another event has asked about (`PermissionRequest`).
    pub permission: bool,
    /// What is printed where there is nothing to say. Nothing, but for agents that take that for a broken hook.
    pub neutral: &'static str,
}

impl Hook {
    /// An event that is registered.
    pub const fn new(name: &'static str, point: Point, can: Can) -> Self {
        Self { name, point, can, registered: true, permission: false, neutral: "" }
    }

    /// The same, and nobody registers it unless they want to.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self { registered: false, ..self }
    }

    /// The same, and where there is nothing to say this is printed.
    #[must_use]
    pub const fn neutral(self, neutral: &'static str) -> Self {
        Self { neutral, ..self }
    }

    /// The same, about a call that was judged already.
    #[must_use]
    pub const fn permission(self) -> Self {
        Self { permission: true, registered: false, ..self }
    }
}

/// What an answer to an event can do. What it cannot do is never silently left out: a question becomes a refusal, and so
/// does a call that should have been rewritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Can {
    /// Keep it from happening; at `tool.after`, keep the result from the model.
    pub deny: bool,
    /// Have the agent ask its user.
    pub ask: bool,
    /// Change it: arguments before, the result after.
    pub rewrite: bool,
    /// Add text for the model.
    pub note: bool,
    /// Show text to the user.
    pub tell: bool,
}

impl Can {
    /// Nothing: it is only seen.
    pub const WATCH: Self = Self { deny: false, ask: false, rewrite: false, note: false, tell: false };
    /// Refuse.
    pub const DENY: Self = Self { deny: true, ..Self::WATCH };

    /// And have the agent ask.
    #[must_use]
    pub const fn ask(self) -> Self {
        Self { ask: true, ..self }
    }

    /// And change it.
    #[must_use]
    pub const fn rewrite(self) -> Self {
        Self { rewrite: true, ..self }
    }

    /// And add text for the model.
    #[must_use]
    pub const fn note(self) -> Self {
        Self { note: true, ..self }
    }

    /// And show text to the user.
    #[must_use]
    pub const fn tell(self) -> Self {
        Self { tell: true, ..self }
    }
}

/// What came in on standard input, read.
pub struct Payload<'a> {
    /// The event it is about.
    pub hook: &'static Hook,
    /// The bytes as they came.
    pub bytes: &'a [u8],
    /// What they say.
    pub doc: &'a Value,
}

impl<'a> Payload<'a> {
    /// A text in the document, by its JSON pointer (`/tool_name`).
    pub fn text(&self, pointer: &str) -> Option<&'a str> {
        self.doc.pointer(pointer)?.as_str()
    }

    /// A text that must be there.
    pub fn must(&self, pointer: &str) -> Result<&'a str, String> {
        self.text(pointer).ok_or_else(|| format!("`{}` is missing or is no text", pointer.trim_start_matches('/')))
    }

    /// A part of the document as a body, with the very bytes it has in the document: how it was written decides
    /// whether two readers could take it for different things.
    pub fn body(&self, path: &[&str]) -> Result<Body, String> {
        let missing = || format!("`{}` is missing", path.join("."));
        tollgate_wire::part(self.bytes, path).map(|part| tollgate_wire::body(part.to_vec())).ok_or_else(missing)
    }

    /// The same where the part is a text that holds JSON; if it holds none, it is a text.
    pub fn body_in_text(&self, path: &[&str]) -> Result<Body, String> {
        match self.doc.pointer(&pointer(path)) {
            Some(Value::String(text)) if tollgate_wire::read(text.as_bytes()).0.is_ok() => {
                Ok(tollgate_wire::body(text.as_bytes().to_vec()))
            }
            _ => self.body(path),
        }
    }

    /// The same for arguments. A text that begins like a document and cannot be read is refused: whoever runs the call may
    /// be able to read it.
    pub fn arguments_in_text(&self, path: &[&str]) -> Result<Body, String> {
        let begins = |text: &str| text.trim_start().starts_with(['{', '[']);
        let text = self.doc.pointer(&pointer(path)).and_then(Value::as_str).filter(|text| begins(text));
        match text.map(|text| tollgate_wire::read(text.as_bytes()).0) {
            Some(Err(fault)) => Err(format!("the JSON in `{}`: {}", path.join("."), fault.detail)),
            _ => self.body_in_text(path),
        }
    }

    /// What a call came to, where agents may leave that out: that it ended is still to be recorded.
    pub fn result(&self, path: &[&str]) -> Body {
        self.body(path).unwrap_or_else(|_| Body::from(Value::Null))
    }

    /// The same where the result is a text that holds JSON.
    pub fn result_in_text(&self, path: &[&str]) -> Body {
        self.body_in_text(path).unwrap_or_else(|_| Body::from(Value::Null))
    }
}

fn pointer(path: &[&str]) -> String {
    path.iter().flat_map(|step| ["/", step]).collect()
}

/// What is about to happen, or has, in an agent's life.
#[derive(Debug, Default)]
pub struct DecodedEvent<'a> {
    /// The tool, as the agent calls it.
    pub tool: Option<&'a str>,
    /// What that can mean, where it may be a server's tool.
    pub readings: Vec<Reading<'a>>,
    /// The MCP server that owns the tool.
    pub server: Option<&'a str>,
    /// Which call.
    pub call_id: Option<&'a str>,
    /// The session.
    pub session: Option<&'a str>,
    /// The model that asks.
    pub model: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
    /// How the call ended, at `tool.after`.
    pub ended: Option<Ended>,
    /// How it failed.
    pub reason: Option<&'a str>,
    /// How long it took, in milliseconds.
    pub took: Option<u64>,
    /// The arguments as they ran, at `tool.after`.
    pub arguments: Option<Body>,
    /// The document that is judged: arguments, a result, a prompt.
    pub body: Body,
}

impl<'a> DecodedEvent<'a> {
    /// The same about this tool, as an agent writes it, of a server that the agent may name beside it.
    #[must_use]
    pub fn of_tool(self, agent: &str, tool: &'a str, server: Option<&'a str>) -> Self {
        self.of_readings(tool, readings(agent, tool, server), server)
    }

    /// The same about this tool of a server, whose name need not be known.
    #[must_use]
    pub fn of_server(self, written: &'a str, server: Option<&'a str>, tool: &'a str) -> Self {
        self.of_readings(written, vec![(Some(server.unwrap_or_default()), tool)], server)
    }

    fn of_readings(self, tool: &'a str, readings: Vec<Reading<'a>>, server: Option<&'a str>) -> Self {
        let named = match readings[..] {
            [(Some(named), _)] if !named.is_empty() => Some(named),
            _ => None,
        };
        Self { tool: Some(tool), readings, server: server.or(named), ..self }
    }
}

/// What is to be printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What becomes of it.
    pub said: Said,
    /// For the model.
    pub notes: Vec<String>,
    /// For the user.
    pub tells: Vec<String>,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// It happens.
    Pass,
    /// It happens like this: the whole new arguments, result or prompt, in the agent's own shape.
    Rewrite(Value),
    /// The agent asks its user, with these words.
    Ask(String),
    /// The same, and what the user agrees to happens like this. Only asked of an event that can do both.
    AskRewritten(String, Value),
    /// It does not happen, for this reason. Never empty: some agents take that for consent.
    Deny(String),
}

impl Decision {
    /// A refusal.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { said: Said::Deny(reason.into()), notes: Vec::new(), tells: Vec::new() }
    }

    /// Whether there is nothing to say.
    pub fn is_silent(&self) -> bool {
        self.said == Said::Pass && self.notes.is_empty() && self.tells.is_empty()
    }
}

/// A reason that is never blank: several agents take a refusal without one for consent.
pub(crate) fn worded(reason: &str) -> &str {
    if reason.trim().is_empty() { "refused by policy" } else { reason }
}

/// Why arguments cannot be taken over by an agent, all of which read them from an object. It would run the call as it was.
pub(crate) fn no_object(who: &str) -> String {
    format!("the policy gives this call arguments that are no object, which {who} does not take, so it is refused")
}

/// Why somebody cannot be asked about a call in another form by an agent that asks about the call it has.
pub(crate) fn otherwise(question: &str) -> String {
    format!(
        "a human would have to agree to this in another form ({question}), which cannot be asked here, so it is refused"
    )
}

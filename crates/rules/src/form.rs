//! What people write, as plain data: every table of the policy file from `[[rule]]` to `[override]`.
//!
//! These types say what may stand in a file and nothing else. What it means is checked when it is compiled; what is
//! wrong is then reported as a [`Mistake`](crate::Mistake) with a path into this data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

mod date;
mod decision;
mod names;
mod secret;
mod shape;
mod span;
mod tools;

pub use date::Date;
pub use decision::{Ask, AskTable, Cut, Decision, EditForm, Filter, Hide, HideTable, Redact, Replace, RouteForm};
pub use names::{EffectName, EndedName, FlagName, KindName, OwnKindName, PlaceName, PointName};
pub use secret::{SecretForm, SecretSort};
pub use span::Span;
pub use tollgate_wire::form::OnFaultForm as OnFault;
pub use tools::{Require, Taught, TaughtExample};

/// One, or a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// Several.
    Many(Vec<T>),
    /// One.
    One(T),
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        match self {
            Self::One(one) => std::slice::from_ref(one).iter(),
            Self::Many(many) => many.iter(),
        }
    }

    /// Whether it is written as a list, so that a place in it is part of the path.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Many(_))
    }
}

/// A condition on a text: the text itself (with `*` a glob), a table, or a list of these, any of which will do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Matcher {
    /// Equal to this; with `*` a glob.
    Is(String),
    /// Any of these.
    AnyOf(Vec<Matcher>),
    /// All that the table says.
    Says(Box<Words>),
}

/// A condition on a text, in detail. Everything given must hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    /// Equal to this, or to one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq: Option<OneOrMany<String>>,
    /// Equal to one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<OneOrMany<String>>,
    /// Begins with this, or with one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<OneOrMany<String>>,
    /// Ends with this, or with one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<OneOrMany<String>>,
    /// Fits this pattern, or one of these: `*` is any text. In paths `*` stops at `/` and `**` does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<OneOrMany<String>>,
    /// Holds something that fits this regular expression, or one of these. `^…$` for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<OneOrMany<String>>,
    /// Holds this text, or one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<OneOrMany<String>>,
    /// Upper and lower case are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_case: Option<bool>,
}

/// A condition on an effect: its kind, a table, or a list of these, any of which will do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EffectForm {
    /// An effect of this kind.
    Kind(EffectName),
    /// Any of these.
    AnyOf(Vec<EffectForm>),
    /// An effect for which all that the table says holds.
    Table(Box<EffectTable>),
}

/// A condition on an effect, in detail. Everything given must hold for one and the same effect.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EffectTable {
    /// What happens, any of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<OneOrMany<EffectName>>,
    /// Where the path lies, any of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<OneOrMany<PlaceName>>,
    /// How it happens, all of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<OneOrMany<FlagName>>,
    /// The path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Matcher>,
    /// The host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Matcher>,
    /// Whether the address holds a credential, other than the one it logs in with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<bool>,
}

/// A condition on an argument: a value it must equal (a text with `*` is a glob), a list of such, a table of `eq`,
/// `one_of`, `prefix`, `suffix`, `glob`, `regex`, `contains`, `ignore_case`, `exists`, `min`, `max`, or a table that
/// goes deeper into the arguments.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct ArgForm(pub Value);

impl JsonSchema for ArgForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ArgForm".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A condition on an argument: a value it must equal (a text with `*` is a glob), a list of \
                such, a table of `eq`, `one_of`, `prefix`, `suffix`, `glob`, `regex`, `contains`, `ignore_case`, \
                `exists`, `min`, `max`, or a table that goes deeper into the arguments.",
            "type": ["string", "number", "boolean", "array", "object"],
        })
    }
}

/// A condition on a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number, or a table of `min` and `max`")]
pub enum Count {
    /// Equal to this.
    Is(u32),
    /// Not below the one and not above the other.
    Within(Between),
}

/// Bounds of a whole number, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Between {
    /// At least this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// At most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

/// Conditions. All that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Conditions {
    /// The tool: a name, a glob (`*`), `{ regex = "…" }`, or a list of these. Names are normalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Matcher>,
    /// What sort of tool it is, any of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<OneOrMany<KindName>>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Matcher>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Matcher>,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Matcher>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Matcher>,
    /// The surface it came in by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Matcher>,
    /// On whose behalf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Matcher>,
    /// Facts of the surface's own, by name: `own.client = "ide"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, Matcher>,
    /// What interceptors noted down at earlier points of the turn, by name: `label.ticket = "T-*"`. Of several
    /// with one name any will do.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub label: BTreeMap<String, Matcher>,
    /// Which attempt at the same request, from 1: a number, or `{ min = 2 }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Count>,
    /// How it ended, any of these; at `tool.after` and `model.complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<OneOrMany<EndedName>>,
    /// Whether a human said yes to it; `false` also where nobody was asked. At `tool.after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// What the call does. With `place`, `flag`, `path` and `host` it speaks of one and the same effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectForm>,
    /// Where the path lies, any of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<OneOrMany<PlaceName>>,
    /// How it happens, all of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<OneOrMany<FlagName>>,
    /// A path that the call has to do with. `*` stops at `/`, `**` does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Matcher>,
    /// A host that the call has to do with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Matcher>,
    /// Arguments, by dotted path: `arg.options.force = true`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arg: BTreeMap<String, ArgForm>,
    /// Any string in the document: result, prompt, messages, arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Matcher>,
    /// Whether the document holds a credential; `"evident"`: one that is known by its looks, not by the name of its field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretForm>,
    /// Headers, at the model points.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub header: BTreeMap<String, Matcher>,
    /// Conditions that must not hold; of a list, none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<OneOrMany<Conditions>>>,
    /// At least one of these must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<Conditions>>,
    /// All of these must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<Vec<Conditions>>,
    /// An expression (CEL), looked at only when everything else holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// One rule: conditions, and one decision.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name, unique.
    pub id: String,
    /// The point or points it stands at; `tool.before` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<OneOrMany<PointName>>,
    /// When it applies.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Refuse, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
    /// Let a human decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// Run it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteForm>,
    /// Rewrite it: these edits, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<Vec<EditForm>>,
    /// Take credentials (and more) out of every string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redact: Option<Redact>,
    /// Only record that it happened, with this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// What to do instead; goes with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggest: Option<String>,
    /// Higher first; among equals the file's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// What its failure means; `deny` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_fault: Option<OnFault>,
    /// `observe`: what would have happened is recorded, nothing is stopped or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Calls that the rule must and must not match, checked when it is loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<Examples>,
}

/// Whether something is enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It is.
    #[default]
    Enforce,
    /// Only what would have happened is recorded.
    Observe,
}

/// Calls that a rule must and must not match.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Examples {
    /// It must match these.
    #[serde(rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Example>,
    /// It must not match these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass: Vec<Example>,
}

/// A call: a shell command, or a table.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Example {
    /// A command of the tool `exec`.
    Command(String),
    /// Any call.
    Call(Box<ExampleCall>),
}

/// Any call, as an example.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExampleCall {
    /// The tool; `exec` if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its arguments, or the document at the other points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// The text of the document, instead of `args`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The point; the rule's first if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<PointName>,
    /// The working directory; a made-up workspace if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// On whose behalf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Headers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub header: BTreeMap<String, String>,
    /// Facts of the surface's own, by name: `own.client = "ide"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, String>,
    /// What interceptors noted down at earlier points of the turn, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub label: BTreeMap<String, String>,
    /// Which attempt at the same request, from 1; 1 if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedName>,
    /// Whether a human said yes to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
}

/// Which tools there are, and what they may do.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// What may be run freely.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Matcher>,
    /// What changes something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<Matcher>,
    /// What is refused unless `allow` names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub admin: Vec<Matcher>,
    /// If given, nothing else runs. An empty list refuses everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<Matcher>>,
    /// What is refused, whatever `allow` says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Matcher>,
}

/// At most `max` calls, refilled evenly over `every`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Its name, unique.
    pub id: String,
    /// Which calls count.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// What is counted apart: a list joins them. `session` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<OneOrMany<Per>>,
    /// How much there is.
    pub max: f64,
    /// How long it takes to refill; without it, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
    /// How much a call takes, as a dotted path to an argument (`arg.amount`); 1 without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// Refuse what is too much, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
    /// Let a human decide about what is too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// `observe`: only recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// What a limit counts apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// Each session.
    Session,
    /// Each agent.
    Agent,
    /// Each tool.
    Tool,
    /// Each person or machine on whose behalf.
    Principal,
    /// Nothing: all together.
    All,
}

/// The same call again and again, without progress.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Its name, for messages and overrides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which calls are looked at.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// The model is told after so many; 10 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn: Option<u32>,
    /// Refused after so many; 20 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<u32>,
    /// How many calls back are remembered; 30 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// `observe`: only recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// The same write twice: the second gets the first one's result.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dedupe {
    /// Its name, for messages and overrides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which calls.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// How long a result is remembered.
    #[serde(rename = "for")]
    pub span: Span,
}

/// A call that a rule does not speak of: narrow, dated, shown.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The rule.
    pub rule: String,
    /// For this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Matcher>,
    /// For this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Matcher>,
    /// For this tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Matcher>,
    /// For these arguments.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arg: BTreeMap<String, ArgForm>,
    /// The last day it holds.
    pub until: Date,
    /// Why.
    pub reason: String,
}

impl Exception {
    /// Whether it speaks of something in particular; one that does not would switch its rule off.
    pub fn is_narrow(&self) -> bool {
        let blank = |text: &str| text.chars().all(|letter| matches!(letter, '*' | '/'));
        let all = |matcher: &Matcher| matches!(matcher, Matcher::Is(text) if blank(text));
        [&self.path, &self.host, &self.tool].into_iter().flatten().any(|matcher| !all(matcher)) || !self.arg.is_empty()
    }
}

/// What becomes of a rule that somebody else wrote.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Override {
    /// `off` or `observe`; `enforce` makes a rule that only observes hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<OverrideMode>,
    /// Another decision for the same conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<OverrideDecision>,
}

/// Whether an overridden rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverrideMode {
    /// It holds.
    Enforce,
    /// It is only recorded.
    Observe,
    /// As if it were not there.
    Off,
}

/// What an overridden rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverrideDecision {
    /// A human decides.
    Ask,
    /// Refused.
    Deny,
}

/// Free members of a table.
pub type Members = Map<String, Value>;

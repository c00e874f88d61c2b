use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Members, Rule, Span};

/// The decisions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Refuse.
    Deny,
    /// A human decides.
    Ask,
    /// Run elsewhere.
    Route,
    /// Rewrite.
    Rewrite,
    /// Take out credentials.
    Redact,
    /// Record.
    Log,
}

impl Decision {
    /// All of them, in the order they are explained in.
    pub const ALL: [Self; 6] = [Self::Deny, Self::Ask, Self::Route, Self::Rewrite, Self::Redact, Self::Log];

    /// The key in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Route => "route",
            Self::Rewrite => "rewrite",
            Self::Redact => "redact",
            Self::Log => "log",
        }
    }
}

impl Rule {
    /// The decisions that are written down; a rule must have exactly one.
    pub fn decisions(&self) -> Vec<Decision> {
        [
            (self.deny.is_some(), Decision::Deny),
            (self.ask.is_some(), Decision::Ask),
            (self.route.is_some(), Decision::Route),
            (self.rewrite.is_some(), Decision::Rewrite),
            (self.redact.is_some(), Decision::Redact),
            (self.log.is_some(), Decision::Log),
        ]
        .into_iter()
        .filter_map(|(written, decision)| written.then_some(decision))
        .collect()
    }
}

/// A question for a human.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Ask {
    /// One line.
    Title(String),
    /// In detail.
    Table(AskTable),
}

/// A question for a human, in detail.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskTable {
    /// One line.
    pub title: String,
    /// As much as is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How long the question stays open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

impl Ask {
    /// The question as a table.
    pub fn table(&self) -> AskTable {
        match self {
            Self::Title(title) => AskTable { title: title.clone(), ..AskTable::default() },
            Self::Table(table) => table.clone(),
        }
    }
}

/// Where a call runs instead. What else is in the table describes the place.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct RouteForm {
    /// Who provides the place.
    pub provider: String,
    /// What to run there, where it is not the call itself: arguments of an `exec` call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Members>,
    /// Which place exactly: `profile`, `image`, `workspace`, `labels`, `config`, `limits`.
    #[serde(flatten)]
    pub place: Members,
}

/// What is taken out of every string.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Redact {
    /// `true`: credentials.
    Secrets(bool),
    /// These.
    List(Vec<Hide>),
}

/// One thing to take out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Hide {
    /// `"secrets"`.
    Known(String),
    /// What fits an expression.
    Table(HideTable),
}

/// What fits an expression is taken out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HideTable {
    /// The expression.
    pub regex: String,
    /// What stands there instead; `$1` is the first group. `[redacted]` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// One edit. A table with exactly one member.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EditForm {
    /// Sets arguments, by dotted path.
    Set(BTreeMap<String, Value>),
    /// Sets arguments that are not there.
    Default(BTreeMap<String, Value>),
    /// Removes arguments.
    Remove(Vec<String>),
    /// Puts paths below a folder.
    PrefixPath(BTreeMap<String, String>),
    /// Adds text at the end.
    Append(BTreeMap<String, String>),
    /// Adds text at the beginning.
    Prepend(BTreeMap<String, String>),
    /// Sets headers.
    SetHeader(BTreeMap<String, String>),
    /// Removes headers.
    RemoveHeader(Vec<String>),
    /// Replaces what fits an expression.
    Replace(Replace),
    /// Takes out colours and other terminal control.
    StripAnsi(bool),
    /// Shortens text.
    Truncate(Cut),
    /// Filters lists: what is not named goes.
    Keep(BTreeMap<String, Filter>),
    /// Tells the model something.
    Note(String),
    /// Sends the call to another tool.
    Rename(String),
}

/// What stays in a list: texts, or members' names.
pub type Filter = Vec<Value>;

/// Replaces what fits an expression.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// The expression.
    pub regex: String,
    /// What stands there instead; `$1` is the first group.
    pub with: String,
    /// In this argument; without it, in every text.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Shortens text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// How much stays of each text.
    pub bytes: usize,
    /// In this argument; without it, in every text.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

//! What tools must be given, and what they do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ArgForm, EffectName, Matcher, OneOrMany, OwnKindName};

/// What an argument must be.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Require {
    /// Its name, for messages and overrides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool.
    pub tool: Matcher,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Matcher>,
    /// What its arguments must be. An argument that is missing is not what it must be.
    pub arg: BTreeMap<String, ArgForm>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
}

/// What a tool does that its name and its arguments do not tell. It only adds to what is understood anyhow.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Taught {
    /// The tool.
    pub name: Matcher,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Matcher>,
    /// It is judged like an agent's own tool of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OwnKindName>,
    /// Effects that every call has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<OneOrMany<EffectName>>,
    /// Arguments that hold a path, or a list of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<OneOrMany<String>>,
    /// Arguments that hold a command, or the words of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<OneOrMany<String>>,
    /// Arguments that hold a statement for a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<OneOrMany<String>>,
    /// Arguments that hold an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<OneOrMany<String>>,
    /// Calls and effects that they must have, checked when the file is loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<TaughtExample>,
}

/// A call of a tool, and what it does.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaughtExample {
    /// The tool; the `name` of the table if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Its arguments.
    pub args: Value,
    /// Effects that it must have, beside whatever others.
    pub effects: OneOrMany<EffectName>,
}

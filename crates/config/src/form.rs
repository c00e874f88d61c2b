//! The policy file, as plain data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_rules::form::{Dedupe, Exception, Limit, Loop, Mode, Override, Require, Rule, Taught, Tools};

use crate::audit::AuditFile;
use crate::hook::HookFile;

/// `tollgate.toml`: what may stand in it (`spec/rules.md` says what it means).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "tollgate.toml")]
pub struct PolicyFile {
    /// `observe`: nothing is stopped, what would have happened is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// `deny`: a tool that `[tools]` does not name is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Unknown>,
    /// Tools that write are answered instead of run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// What becomes of a document that two parsers may read differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous: Option<Ambiguous>,
    /// Folders in which work is ordinary, beside the project's own; relative to this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Vec<String>>,
    /// The packs of rules that are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs: Option<Packs>,
    /// Rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rule: Vec<Rule>,
    /// Which tools there are, and what they may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// What tools do that their names and arguments do not tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool: Vec<Taught>,
    /// What arguments must be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Require>,
    /// How much there may be of something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit: Vec<Limit>,
    /// The same call again and again.
    #[serde(rename = "loop", skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<Loop>,
    /// The same write twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dedupe: Vec<Dedupe>,
    /// Calls that a rule does not speak of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exception: Vec<Exception>,
    /// What becomes of rules that somebody else wrote, by id.
    #[serde(rename = "override", skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, Override>,
    /// What is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditFile>,
    /// Programs that judge, rewrite or watch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hook: Vec<HookFile>,
}

/// What becomes of a tool that nobody named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// It runs, unless a rule objects.
    #[default]
    Allow,
    /// It is refused.
    Deny,
}

/// What becomes of a document that two parsers may read differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ambiguous {
    /// It is refused.
    #[default]
    Deny,
    /// It is written anew, as it was read.
    Rewrite,
}

/// The packs of rules that are used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Packs {
    /// Their names; instead of the default ones.
    #[serde(rename = "use")]
    pub names: Vec<String>,
}

/// A pack: rules on one topic. A rule's id is written without the pack's name and known as `pack/id`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A pack of rules")]
pub struct PackFile {
    /// What the pack is for, in a sentence.
    pub description: String,
    /// Its rules.
    pub rule: Vec<Rule>,
}

/// The JSON Schemas of the files, by name: `tollgate` for `tollgate.toml`, `pack` for a pack of rules.
pub fn schemas() -> Vec<(&'static str, serde_json::Value)> {
    let schema = |schema: schemars::Schema| serde_json::Value::from(schema);
    vec![("tollgate", schema(schemars::schema_for!(PolicyFile))), ("pack", schema(schemars::schema_for!(PackFile)))]
}

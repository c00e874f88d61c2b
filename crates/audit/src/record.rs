//! Records as they are read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollgate_wire::hex;

use crate::{AuditError, seal};

/// A record as it stands in the log (`spec/audit.md`). Members that a kind of record does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Record {
    /// Its number.
    pub seq: u64,
    /// When it was written.
    pub time: String,
    /// What kind of record: `event`, `approval`, `checkpoint`, `erasure`, `retention`, `anchor`.
    pub kind: String,
    /// The hash of the record before.
    pub prev: String,
    /// Where in the agent's life.
    pub point: Option<String>,
    /// What had to be done.
    pub act: Option<String>,
    /// Who refused.
    pub by: Option<String>,
    /// The kind of refusal.
    pub cause: Option<String>,
    /// The rule that refused or asked.
    pub rule: Option<String>,
    /// The tool's name, as written.
    pub tool: Option<String>,
    /// What ran instead.
    pub became: Option<String>,
    /// What kind of tool.
    pub tool_kind: Option<String>,
    /// Which call.
    pub call: Option<String>,
    /// Which session.
    pub session: Option<String>,
    /// Which agent.
    pub agent: Option<String>,
    /// By which surface.
    pub surface: Option<String>,
    /// Which MCP server.
    pub server: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// The surface's own name for it.
    pub native: Option<String>,
    /// The keyed digest of the call.
    pub digest: Option<String>,
    /// How the call ended.
    pub ended: Option<String>,
    /// How long it ran.
    pub took_us: Option<u64>,
    /// Whether a human let it happen.
    pub approved: Option<bool>,
    /// The answer to a question.
    pub granted: Option<bool>,
    /// The record with which the call began.
    pub intent: Option<u64>,
    /// Of how many pieces, where it was a stream.
    pub stream: Option<u64>,
    /// Whether this is the command of a route.
    pub routed: bool,
    /// Whether this is an agent's own permission request.
    pub permission: bool,
    /// Who was asked.
    pub turns: Vec<Turn>,
    /// What would have been done if it were enforced.
    pub observed: Vec<Value>,
    /// Members that the recorder could not tell any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Commitments.
    pub fields: BTreeMap<String, String>,
    /// Why there is a checkpoint.
    pub why: Option<String>,
    /// What was found when the log was opened.
    pub recovered: Option<Value>,
    /// The signed head of a checkpoint.
    pub signed: Option<Value>,
    /// Which records were erased.
    pub seqs: Vec<(u64, u64)>,
    /// Which of their fields; all, if none is named.
    pub names: Vec<String>,
    /// Why, in the words of who did it.
    pub reason: Option<String>,
    /// Up to which record the log was removed.
    pub through: Option<u64>,
    /// The hash of that one.
    pub head: Option<String>,
    /// How many records a head that could not be published was about.
    pub count: Option<u64>,
}

/// What one interceptor did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Turn {
    /// Its id.
    pub who: String,
    /// What it is.
    pub role: String,
    /// What it said.
    pub said: String,
    /// How long it took.
    pub took_us: u64,
    /// 2 when it was asked again about the final body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<u8>,
    /// Whether this was about the command of a route.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub routed: bool,
    /// Whether it took longer than it may.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overran: bool,
    /// What it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Which way it broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What stands beside a record.
#[derive(Debug, Default, Deserialize)]
pub struct Fields {
    /// Whose.
    pub seq: u64,
    /// By name: salt and value; none if it was erased.
    pub fields: BTreeMap<String, Option<(String, Box<RawValue>)>>,
}

impl Fields {
    /// The value of a field, as it is kept.
    pub fn value(&self, name: &str) -> Option<Value> {
        let (_, value) = self.fields.get(name)?.as_ref()?;
        serde_json::from_str(value.get()).ok()
    }

    /// The value of a field, unsealed with a key if it was sealed. None if it is not there or was erased.
    pub fn open(&self, name: &str, key: Option<&[u8; 32]>) -> Option<Result<Value, AuditError>> {
        let (salt, _) = self.fields.get(name)?.as_ref()?;
        let value = self.value(name)?;
        match (seal::is_sealed(&value), key, hex::decode(salt)) {
            (None, ..) => Some(Ok(value)),
            (_, Some(key), Some(salt)) => seal::unseal(key, &salt, name, &value),
            _ => Some(Err(AuditError::new(format!("the field `{name}` is sealed, and there is no key")))),
        }
    }

    /// All that are there, as they are kept.
    pub fn all(&self) -> Map<String, Value> {
        self.fields.keys().filter_map(|name| Some((name.clone(), self.value(name)?))).collect()
    }

    /// The names of those that were erased.
    pub fn erased(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(|(_, field)| field.is_none()).map(|(name, _)| name.as_str())
    }
}

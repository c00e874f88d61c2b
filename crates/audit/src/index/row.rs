//! A record, as far as it can be searched and counted.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::{Line, moment};

/// Numbers beyond this have no exact place in JSON, and none in the index.
const LARGEST: u64 = 1 << 53;

/// The members of a record that the index is about. None of them is a field: those can be erased.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Row {
    pub(super) seq: u64,
    time: String,
    kind: String,
    pub(super) point: Option<String>,
    pub(super) act: Option<String>,
    pub(super) rule: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) became: Option<String>,
    pub(super) session: Option<String>,
    pub(super) agent: Option<String>,
    call: Option<String>,
    pub(super) approved: Option<bool>,
    intent: Option<u64>,
    routed: bool,
    permission: bool,
    pub(super) turns: Vec<RowTurn>,
    pub(super) observed: Vec<Observed>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RowTurn {
    pub(super) who: String,
    pub(super) said: String,
    pub(super) took_us: u64,
    pub(super) fault: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Observed {
    pub(super) rule: String,
}

impl Row {
    /// None if the line is no record.
    pub(super) fn read(line: &Line) -> Option<Self> {
        let row: Self = serde_json::from_slice(&line.bytes).ok()?;
        (1..=LARGEST).contains(&row.seq).then_some(row)
    }

    /// When it was written, in microseconds since 1970; 0 if that cannot be told.
    pub(super) fn micros(&self) -> u64 {
        moment(&self.time).map_or(0, super::micros)
    }

    pub(super) fn is_at(&self, point: &str) -> bool {
        self.point.as_deref() == Some(point)
    }

    pub(super) fn did(&self, act: &str) -> bool {
        self.act.as_deref() == Some(act)
    }

    /// Whether this is a call that an agent wants to make.
    pub(super) fn is_call(&self) -> bool {
        self.is_own() && self.kind == "event" && self.is_at("tool.before")
    }

    /// Whether it is about a call itself: the command of a route and an agent's own permission request only go with one.
    fn is_own(&self) -> bool {
        !self.routed && !self.permission
    }

    /// What a human said about a call, as the record of its end says: not every answer has a record of its own.
    pub(super) fn answer(&self) -> Option<bool> {
        self.approved.filter(|_| self.is_own() && self.is_at("tool.after"))
    }

    /// What this does to the calls of which nobody knows how they ended.
    pub(super) fn effect(&self) -> Option<Effect> {
        if self.is_call() && (self.did("pass") || self.did("route")) {
            return Some(Effect::Begins(self.call_key()));
        }
        if !self.is_own() || !self.is_at("tool.after") {
            return None;
        }
        self.intent.map(Effect::Ends).or_else(|| self.call_key().map(Effect::EndsCall))
    }

    /// Stands for session and call.
    fn call_key(&self) -> Option<i64> {
        let call = self.call.as_ref()?;
        let mut hash = Sha256::new();
        hash.update([u8::from(self.session.is_some())]);
        hash.update(self.session.as_deref().unwrap_or_default());
        hash.update([0]);
        hash.update(call);
        hash.finalize().first_chunk().map(|bytes| i64::from_le_bytes(*bytes))
    }
}

/// What a record does to open calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// A call begins, known by this key if it has one.
    Begins(Option<i64>),
    /// The call that began with this record has ended.
    Ends(u64),
    /// All calls with this key have ended.
    EndsCall(i64),
}

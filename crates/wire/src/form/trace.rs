use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::{Entry, Registration, Said, Trace};

use super::parts::{is_false, micros};
use super::{DigestForm, FaultForm, Form, OnFaultForm, RoleForm, changes};

/// The proof of a run: who was due, who ran, who changed what, who objected or failed. It holds nothing of
/// the documents themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trace")]
pub struct TraceForm {
    /// Every turn, in order.
    pub entries: Vec<EntryForm>,
    /// The digest of the final call, if the act is bound to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestForm>,
}

/// What one interceptor did in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Entry")]
pub struct EntryForm {
    /// The interceptor.
    pub id: String,
    /// What it is.
    pub role: RoleForm,
    /// 1, or 2 when it was asked again about the final body.
    pub look: u8,
    /// What it said.
    pub said: SaidForm,
    /// What it changed: JSON pointers into the document, and `name`, `headers`, `notes` or `labels`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// Whether this was about the command of a route.
    #[serde(default, skip_serializing_if = "is_false")]
    pub routed: bool,
    /// Whether it took longer than it may and could not be stopped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overran: bool,
    /// What its failure means.
    pub on_fault: OnFaultForm,
}

/// What an interceptor said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Said")]
pub enum SaidForm {
    /// Nothing.
    Passed,
    /// No, and why.
    Denied(String),
    /// That a human decide: the question's title.
    Asked(String),
    /// That it go elsewhere: to which provider.
    Routed(String),
    /// The answer itself, which is not here.
    Answered,
    /// Nothing, because it broke.
    Faulted(FaultForm),
    /// It was not asked, because it caused the event itself.
    Skipped,
}

impl Form for TraceForm {
    const NAME: &'static str = "trace";
}

impl TraceForm {
    /// The form of a trace.
    pub fn of(trace: &Trace) -> Self {
        Self {
            entries: trace.entries().map(|(who, entry)| EntryForm::of(who, &entry)).collect(),
            digest: trace.digest.map(DigestForm),
        }
    }
}

impl EntryForm {
    fn of(who: &Registration, entry: &Entry) -> Self {
        Self {
            id: who.id.to_string(),
            role: (&who.role).into(),
            look: entry.look,
            said: (&entry.said).into(),
            changed: entry.change.as_deref().map_or_else(Vec::new, |(before, after)| changes(before, after)),
            took_us: micros(entry.took),
            routed: entry.routed,
            overran: entry.overran,
            on_fault: (&who.on_fault).into(),
        }
    }
}

impl From<&Said> for SaidForm {
    fn from(said: &Said) -> Self {
        match said {
            Said::Passed => Self::Passed,
            Said::Denied(reason) => Self::Denied(reason.clone()),
            Said::Asked(title) => Self::Asked(title.clone()),
            Said::Routed(provider) => Self::Routed(provider.clone()),
            Said::Answered => Self::Answered,
            Said::Faulted(fault) => Self::Faulted(fault.into()),
            Said::Skipped => Self::Skipped,
        }
    }
}

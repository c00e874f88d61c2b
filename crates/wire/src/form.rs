//! The versioned JSON forms of events, bodies, verdicts and outcomes: what plugins, records and other
//! programs see. `spec/wire.md` is their specification and `spec/schema` their JSON Schema.
//!
//! A form that leaves carries `"v": 2`, at the top and nowhere else. A form that comes in must carry it too,
//! must be free of unknown fields, and must be a document that every parser reads alike: what is not
//! understood is refused, never skipped.
//!
//! ```
//! use tollgate_wire::form::{Form, VerdictForm};
//!
//! let form = VerdictForm::from_bytes(br#"{"v": 2, "verdict": "deny", "reason": "not on Fridays"}"#)?;
//! assert_eq!(form.to_json().to_string(), r#"{"v":2,"verdict":"deny","reason":"not on Fridays"}"#);
//!
//! let error = VerdictForm::from_bytes(br#"{"v": 2, "verdict": "deny", "why": "because"}"#).unwrap_err();
//! assert_eq!(error.to_string(), "this is no verdict: unknown field `why`, expected `reason`");
//! # Ok::<(), tollgate_wire::form::BadForm>(())
//! ```

mod body;
mod changes;
mod event;
mod outcome;
mod parts;
mod question;
mod schema;
mod trace;
mod verdict;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use body::BodyForm;
pub use changes::changes;
pub use event::{EventForm, NameForm};
pub use outcome::{ActForm, AskedForm, OutcomeForm};
pub use parts::{
    ApprovalForm, CauseForm, DigestForm, EndedForm, FaultForm, FaultKindForm, OnFaultForm, PointForm, RoleForm,
};
pub use question::{PartForm, QuestionForm};
pub use schema::schemas;
pub use trace::{EntryForm, SaidForm, TraceForm};
pub use verdict::{RouteForm, VerdictForm};

/// The version of all forms. It changes when a reader of the old one could misread the new one; what changed is in
/// `spec/wire.md`.
pub const VERSION: u64 = 2;

/// A form that travels on its own.
pub trait Form: Serialize + DeserializeOwned + JsonSchema {
    /// What it is called, in messages and as the name of its schema.
    const NAME: &'static str;

    /// The form as a document, with its version.
    fn to_json(&self) -> Value {
        let mut document = Map::from_iter([("v".to_owned(), VERSION.into())]);
        // A form is an object with text for keys, which always becomes one.
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            document.extend(members);
        }
        Value::Object(document)
    }

    /// Reads a form from a document.
    fn from_json(document: Value) -> Result<Self, BadForm> {
        let Value::Object(mut members) = document else {
            return Err(BadForm::of::<Self>("it is not an object"));
        };
        match members.shift_remove("v") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            Some(version) => return Err(BadForm::of::<Self>(unknown_version(&version))),
            None => return Err(BadForm::of::<Self>(format!("`v` is missing; write `\"v\": {VERSION}`"))),
        }
        serde_json::from_value(Value::Object(members)).map_err(BadForm::of::<Self>)
    }

    /// Reads a form from text. A document that another parser may read differently is refused.
    fn from_bytes(bytes: &[u8]) -> Result<Self, BadForm> {
        match crate::read(bytes) {
            (Ok(document), None) => Self::from_json(document),
            (Ok(_), Some(ambiguity)) => Err(BadForm::of::<Self>(ambiguity)),
            (Err(fault), _) => Err(BadForm::of::<Self>(fault.detail)),
        }
    }
}

fn unknown_version(version: &Value) -> String {
    format!("its version is `{version}`, and only {VERSION} is understood here; use a Tollgate that knows it")
}

/// Why a document is not the form it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadForm(String);

impl BadForm {
    fn of<F: Form>(why: impl fmt::Display) -> Self {
        Self(format!("this is no {}: {why}", F::NAME))
    }
}

impl fmt::Display for BadForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadForm {}

impl From<BadForm> for tollgate_core::Fault {
    /// Whoever should have given a form and gave something else gave garbage.
    fn from(bad: BadForm) -> Self {
        Self::new(tollgate_core::FaultKind::Garbage, bad.0)
    }
}

#[cfg(test)]
mod tests;

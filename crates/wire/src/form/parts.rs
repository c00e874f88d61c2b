//! Small parts that several forms have.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tollgate_core::{Approval, Cause, Digest, Ended, Fault, FaultKind, OnFault, Point, Role};

use super::Form;

/// The largest whole number that every JSON parser keeps; times that are longer are written as this one.
const LARGEST: u64 = (1 << 53) - 1;

/// A time in whole microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(LARGEST).min(LARGEST)
}

/// A time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(LARGEST).min(LARGEST)
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Reads a member that is there as something, even if it is null.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Writes the form of a plain core enum and the way to it, so that neither can miss a case.
macro_rules! words {
    ($(#[$doc:meta])* $form:ident for $core:ident { $($(#[$about:meta])* $case:ident $(($inner:ident))?,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $form { $($(#[$about])* $case,)+ }

        impl From<&$core> for $form {
            fn from(core: &$core) -> Self {
                match core { $($core::$case $((words!(@skip $inner)))? => Self::$case,)+ }
            }
        }
    };
    (@skip $inner:ident) => { _ };
}

words! {
    /// How a tool call or a model request ended.
    EndedForm for Ended {
        /// It ran and returned.
        Ok,
        /// It ran and failed.
        Error,
        /// The pipeline refused it.
        Denied,
        /// It ran elsewhere.
        Routed,
        /// An interceptor answered in its place.
        Answered,
        /// Whoever wanted it went away before it was done.
        Canceled,
    }
}

impl EndedForm {
    /// Every ending there is.
    pub const ALL: &[Self] = &[Self::Ok, Self::Error, Self::Denied, Self::Routed, Self::Answered, Self::Canceled];

    /// The word for it in files, records and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Routed => "routed",
            Self::Answered => "answered",
            Self::Canceled => "canceled",
        }
    }
}

impl From<EndedForm> for Ended {
    fn from(form: EndedForm) -> Self {
        match form {
            EndedForm::Ok => Self::Ok,
            EndedForm::Error => Self::Error,
            EndedForm::Denied => Self::Denied,
            EndedForm::Routed => Self::Routed,
            EndedForm::Answered => Self::Answered,
            EndedForm::Canceled => Self::Canceled,
        }
    }
}

words! {
    /// What an interceptor is.
    RoleForm for Role {
        /// It rewrites, and may object.
        Edit(edit),
        /// It judges.
        Guard(guard),
        /// It watches.
        Watch(watch),
    }
}

words! {
    /// What a fault of an interceptor does to the call.
    OnFaultForm for OnFault {
        /// The call is refused.
        Deny,
        /// The call goes on.
        Pass,
    }
}

impl From<OnFaultForm> for OnFault {
    fn from(form: OnFaultForm) -> Self {
        match form {
            OnFaultForm::Deny => Self::Deny,
            OnFaultForm::Pass => Self::Pass,
        }
    }
}

words! {
    /// The ways an interceptor can break.
    FaultKindForm for FaultKind {
        /// It ran and failed.
        Crash,
        /// It panicked.
        Panic,
        /// It did not answer in time.
        Timeout,
        /// It answered something that makes no sense.
        Garbage,
        /// It could not be started.
        Missing,
        /// It produced more than it may.
        Flood,
        /// It would have to wait, and the caller cannot.
        Waits,
        /// The document it had to judge cannot be read.
        Unreadable,
    }
}

words! {
    /// The kinds of refusal.
    CauseForm for Cause {
        /// An interceptor objected.
        Objection,
        /// An interceptor broke; `fault` says how.
        Fault(kind),
        /// Two parsers may read the document differently.
        Ambiguous,
        /// A gate had to look and the document cannot be read.
        Unreadable,
        /// Two interceptors want the call at different places.
        Conflict,
        /// A verdict, an edit or a rename that cannot be carried out there.
        Power,
        /// The call was renamed too often.
        Renames,
        /// Interceptors caused one another too deep.
        Depth,
        /// A human said no.
        Refused,
        /// Nobody answered in time.
        Expired,
        /// The approval is for another call.
        Mismatch,
    }
}

/// An interceptor that broke: which way, and what exactly happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultForm {
    /// Which way.
    pub kind: FaultKindForm,
    /// What happened, for a person.
    pub detail: String,
}

impl From<&Fault> for FaultForm {
    fn from(fault: &Fault) -> Self {
        Self { kind: (&fault.kind).into(), detail: fault.detail.to_string() }
    }
}

/// A human's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Approval")]
pub struct ApprovalForm {
    /// The call that was shown to them.
    pub digest: DigestForm,
    /// Yes or no, to all of it.
    pub granted: bool,
    /// Who answered.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

impl Form for ApprovalForm {
    const NAME: &'static str = "approval";
}

impl From<&Approval> for ApprovalForm {
    fn from(approval: &Approval) -> Self {
        let Approval { digest, granted, by, at } = approval;
        Self { digest: DigestForm(*digest), granted: *granted, by: by.clone(), at_ms: millis(*at) }
    }
}

impl From<&ApprovalForm> for Approval {
    fn from(form: &ApprovalForm) -> Self {
        let at = Duration::from_millis(form.at_ms);
        Self { digest: form.digest.0, granted: form.granted, by: form.by.clone(), at }
    }
}

/// A point, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointForm(pub Point);

impl Serialize for PointForm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for PointForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for PointForm {
    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Point::ALL.iter().map(|point| point.name()).collect();
        json_schema!({"description": "Where in an agent's life something passes.", "type": "string", "enum": names})
    }
}

/// A digest, as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestForm(pub Digest);

impl Serialize for DigestForm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DigestForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        digest_of(&text).map(Self).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is no digest, which has 64 hexadecimal digits in lower case"))
        })
    }
}

fn digest_of(text: &str) -> Option<Digest> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(Digest(bytes))
}

impl JsonSchema for DigestForm {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let description = "SHA-256 over the canonical form of a call.";
        json_schema!({"description": description, "type": "string", "pattern": "^[0-9a-f]{64}$"})
    }
}

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::{Act, Cause, Outcome, Question, Ruling};

use super::parts::millis;
use super::{CauseForm, DigestForm, FaultKindForm, Form, TraceForm};

/// What a run of the pipeline came to. It holds nothing of the documents themselves, so that it can be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Outcome")]
pub struct OutcomeForm {
    /// What the caller had to do.
    pub act: ActForm,
    /// Who was due, who ran, and what each of them said.
    pub trace: TraceForm,
}

/// What the surface had to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Act")]
pub enum ActForm {
    /// Do it.
    Pass {},
    /// Do it there instead.
    Route {
        /// Who provides the place.
        provider: String,
        /// Which call this is for.
        digest: DigestForm,
    },
    /// Ask a human.
    Ask {
        /// Who asks what, in order.
        parts: Vec<AskedForm>,
        /// Which call this is for.
        digest: DigestForm,
        /// When an answer comes too late, in milliseconds since 1970.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline_ms: Option<u64>,
        /// Who provides the place the call goes to once it is granted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
    },
    /// Do not do it: there is an answer.
    Answer {},
    /// Do not do it, and say why.
    Deny {
        /// The interceptor that refused, unless it was the pipeline itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// What kind of refusal this is.
        cause: CauseForm,
        /// Which way the interceptor broke, where that is the cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<FaultKindForm>,
        /// Why.
        reason: String,
    },
}

/// A question's title and who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Asked")]
pub struct AskedForm {
    /// The interceptor.
    pub by: String,
    /// One line.
    pub title: String,
}

impl Form for OutcomeForm {
    const NAME: &'static str = "outcome";
}

impl OutcomeForm {
    /// The form of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        Self { act: ActForm::of(&outcome.act), trace: TraceForm::of(&outcome.trace) }
    }
}

impl ActForm {
    /// The form of an act. Answers, places and commands may hold what the call holds: they are left out.
    pub fn of(act: &Act) -> Self {
        match act {
            Act::Pass => Self::Pass {},
            Act::Route { route, digest } => {
                Self::Route { provider: route.provider.clone(), digest: DigestForm(*digest) }
            }
            Act::Ask(question) => Self::asked(question),
            Act::Answer(_) => Self::Answer {},
            Act::Deny(ruling) => Self::denied(ruling),
        }
    }

    fn asked(question: &Question) -> Self {
        let parts = question.parts.iter();
        Self::Ask {
            parts: parts.map(|(by, query)| AskedForm { by: by.to_string(), title: query.title.clone() }).collect(),
            digest: DigestForm(question.digest),
            deadline_ms: question.deadline.map(millis),
            provider: question.route.as_ref().map(|route| route.provider.clone()),
        }
    }

    fn denied(ruling: &Ruling) -> Self {
        let fault = match &ruling.cause {
            Cause::Fault(kind) => Some(kind.into()),
            _ => None,
        };
        Self::Deny {
            by: ruling.by.as_deref().map(str::to_owned),
            cause: (&ruling.cause).into(),
            fault,
            reason: ruling.reason.to_string(),
        }
    }
}

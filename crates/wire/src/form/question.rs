use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::{Query, Question};

use super::parts::millis;
use super::{DigestForm, Form, RouteForm};

/// Everything that must be granted before a call may happen, for whoever shows it to a human: a queue of approvals in
/// another process can keep it, and what it reads back answers as the question itself would.
///
/// It holds what an outcome leaves out (details, data, the place and its command), so it may hold what the call
/// holds. It is not for records.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Act, Approval, Digest, Question, Route};
/// use tollgate_wire::form::{ApprovalForm, Form, QuestionForm};
///
/// let digest = Digest([1; 32]);
/// let route = Some(Box::new(Route::to("e2b")));
/// let question = Question { parts: Vec::new(), digest, deadline: None, route };
/// let sent = QuestionForm::of(&question).to_json().to_string();
///
/// // In another process: somebody says yes.
/// let kept = QuestionForm::from_bytes(sent.as_bytes())?;
/// let yes = Approval { digest: kept.digest.0, granted: true, by: "ann".into(), at: Duration::ZERO };
/// let sent = ApprovalForm::from(&yes).to_json().to_string();
///
/// let approval = Approval::from(&ApprovalForm::from_bytes(sent.as_bytes())?);
/// assert!(matches!(kept.question().answer(&approval), Act::Route { .. }));
/// # Ok::<(), tollgate_wire::form::BadForm>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Question")]
pub struct QuestionForm {
    /// Who asks what, in order.
    pub parts: Vec<PartForm>,
    /// The call that is asked about.
    pub digest: DigestForm,
    /// When an answer comes too late, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Where the call goes once it is granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteForm>,
}

/// What one interceptor wants a human to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Part")]
pub struct PartForm {
    /// The interceptor.
    pub by: String,
    /// One line.
    pub title: String,
    /// As much as is needed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How long the question stays open, in milliseconds; for ever if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Anything the asker's surface understands, such as a severity.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl Form for QuestionForm {
    const NAME: &'static str = "question";
}

impl QuestionForm {
    /// The form of a question. Times are rounded down to milliseconds.
    pub fn of(question: &Question) -> Self {
        let part = |(by, query): &(Arc<str>, Query)| {
            let Query { title, detail, timeout, data } = query.clone();
            PartForm { by: by.to_string(), title, detail, timeout_ms: timeout.map(millis), data }
        };
        Self {
            parts: question.parts.iter().map(part).collect(),
            digest: DigestForm(question.digest),
            deadline_ms: question.deadline.map(millis),
            route: question.route.as_deref().map(RouteForm::of),
        }
    }

    /// The question itself.
    pub fn question(self) -> Question {
        let part = |PartForm { by, title, detail, timeout_ms, data }: PartForm| {
            (by.into(), Query { title, detail, timeout: timeout_ms.map(Duration::from_millis), data })
        };
        Question {
            parts: self.parts.into_iter().map(part).collect(),
            digest: self.digest.0,
            deadline: self.deadline_ms.map(Duration::from_millis),
            route: self.route.map(|route| Box::new(route.route())),
        }
    }
}

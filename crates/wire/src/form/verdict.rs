use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollgate_core::{Event, Fault, Point, Query, Route, Verdict};

use super::parts::millis;
use super::{BadForm, BodyForm, Form};

/// One interceptor's opinion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Verdict")]
pub enum VerdictForm {
    /// No objection.
    // Braces, because a case without fields would let any field pass.
    Pass {},
    /// It must not happen, and this is why.
    Deny {
        /// Why, for the model and its user: say what would be accepted instead.
        reason: String,
    },
    /// It may happen if a human agrees.
    Ask {
        /// One line.
        title: String,
        /// As much as is needed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// How long the question stays open, in milliseconds; for ever if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
        /// Anything the asker's surface understands, such as a severity.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
    },
    /// It may happen, but there.
    Route {
        /// The place.
        route: RouteForm,
    },
    /// It need not happen: here is the answer.
    Answer {
        /// The answer, always as `json`.
        body: Box<BodyForm>,
    },
}

/// Where a call goes instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Route")]
pub struct RouteForm {
    /// Who provides the place, such as `bubblewrap`.
    pub provider: String,
    /// Which place exactly: `profile`, `image`, `workspace`, `labels`, `config`, `limits`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub place: Map<String, Value>,
    /// What to run there, where it is not the call itself: the arguments of an `exec` call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Map<String, Value>>,
}

impl Form for VerdictForm {
    const NAME: &'static str = "verdict";
}

impl VerdictForm {
    /// The form of a verdict. An error where it is an answer that cannot be read.
    pub fn of(verdict: &Verdict) -> Result<Self, Fault> {
        Ok(match verdict {
            Verdict::Pass => Self::Pass {},
            Verdict::Deny(reason) => Self::Deny { reason: reason.to_string() },
            Verdict::Ask(query) => {
                let Query { title, detail, timeout, data } = (**query).clone();
                Self::Ask { title, detail, timeout_ms: timeout.map(millis), data }
            }
            Verdict::Route(route) => Self::Route { route: RouteForm::of(route) },
            Verdict::Answer(body) => Self::Answer { body: Box::new(BodyForm::of(&result(), body)?) },
        })
    }

    /// The verdict itself.
    pub fn verdict(self) -> Result<Verdict, BadForm> {
        Ok(match self {
            Self::Pass {} => Verdict::Pass,
            Self::Deny { reason } => Verdict::deny(reason),
            Self::Ask { title, detail, timeout_ms, data } => {
                let timeout = timeout_ms.map(Duration::from_millis);
                Verdict::Ask(Box::new(Query { title, detail, timeout, data }))
            }
            Self::Route { route } => Verdict::route(route.route()),
            Self::Answer { body } => Verdict::Answer(Box::new(body.body(&result())?)),
        })
    }
}

/// An answer stands for what the call would have come to, so it is written as a result, whatever the point.
fn result() -> Event<'static> {
    Event::at(Point::ToolAfter)
}

impl RouteForm {
    /// The form of a route.
    pub fn of(route: &Route) -> Self {
        let Route { provider, place, command } = route.clone();
        Self { provider, place, command }
    }

    /// The route itself.
    pub fn route(self) -> Route {
        let Self { provider, place, command } = self;
        Route { provider, place, command }
    }
}

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::body::{MAX_DEPTH, is_deeper, too_deep};
use crate::{Body, Fault, Power};

/// One interceptor's opinion.
///
/// There is no "allow". Silence is consent, and since nobody can say yes, nobody can say yes over
/// somebody else's no.
///
/// ```
/// use tollgate_core::{Power, Route, Verdict};
///
/// assert_eq!(Verdict::Pass.power(), None);
/// assert_eq!(Verdict::deny("the build is frozen; try again on Monday").power(), Some(Power::Deny));
/// assert_eq!(Verdict::ask("Push to main?").power(), Some(Power::Ask));
/// assert_eq!(Verdict::route(Route::to("bubblewrap")).power(), Some(Power::Route));
/// ```
#[derive(Clone, Debug, Default)]
pub enum Verdict {
    /// No objection.
    #[default]
    Pass,
    /// It may happen, but there.
    Route(Box<Route>),
    /// It may happen if a human agrees.
    Ask(Box<Query>),
    /// It need not happen: here is the answer.
    Answer(Box<Body>),
    /// It must not happen, and this is why.
    Deny(Cow<'static, str>),
}

impl Verdict {
    /// A refusal. The reason reaches the model: say what would be accepted instead.
    pub fn deny(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Deny(reason.into())
    }

    /// A question for a human.
    pub fn ask(title: impl Into<String>) -> Self {
        Self::Ask(Box::new(Query { title: title.into(), ..Query::default() }))
    }

    /// An answer in the call's place.
    pub fn answer(body: impl Into<Body>) -> Self {
        Self::Answer(Box::new(body.into()))
    }

    /// A detour.
    pub fn route(route: Route) -> Self {
        Self::Route(Box::new(route))
    }

    /// Refuses a verdict that carries something built too deep.
    pub(crate) fn refuse_deep(mut self) -> Result<Self, Fault> {
        let deep = match &mut self {
            Self::Answer(body) => body.refuse_deep().is_err(),
            Self::Ask(query) => is_deeper(&query.data, MAX_DEPTH),
            Self::Route(route) => {
                let Route { place, command, .. } = &**route;
                place.values().chain(command.iter().flat_map(Map::values)).any(|value| is_deeper(value, MAX_DEPTH))
            }
            Self::Pass | Self::Deny(_) => false,
        };
        if deep { Err(too_deep(self)) } else { Ok(self) }
    }

    /// Which power this verdict uses; none for a pass.
    pub fn power(&self) -> Option<Power> {
        match self {
            Self::Pass => None,
            Self::Route(_) => Some(Power::Route),
            Self::Ask(_) => Some(Power::Ask),
            Self::Answer(_) => Some(Power::Answer),
            Self::Deny(_) => Some(Power::Deny),
        }
    }
}

/// What one interceptor wants a human to decide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// One line.
    pub title: String,
    /// As much as is needed.
    pub detail: String,
    /// How long the question stays open; for ever if not said.
    pub timeout: Option<Duration>,
    /// Anything the asker's surface understands, such as a severity.
    pub data: Value,
}

/// Where a call goes instead: plain data, for whoever owns sandboxes and model pools.
///
/// ```
/// use serde_json::json;
/// use tollgate_core::Route;
///
/// let mut route = Route::to("e2b");
/// route.place.insert("image".into(), json!("python:3.12"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Who provides the place, such as `bubblewrap` or `e2b`.
    pub provider: String,
    /// Which place exactly: `profile`, `image`, `workspace`, `labels`, `config`, `limits`.
    pub place: Map<String, Value>,
    /// What to run there, where it is not the call itself: the arguments of an `exec` call (`command`, and
    /// perhaps `cwd`, `stdin`, `timeout_ms`, `env`). It is judged as one before it runs.
    pub command: Option<Map<String, Value>>,
}

impl Route {
    /// A route to a provider's default place.
    pub fn to(provider: impl Into<String>) -> Self {
        Self { provider: provider.into(), ..Self::default() }
    }
}

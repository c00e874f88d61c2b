use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{Body, Power};

/// One interceptor's opinion.
///
/// There is no "allow". Silence is consent, and since nobody can say yes, nobody can say yes over
/// somebody else's no.
#[derive(Clone, Debug, Default)]
pub enum Verdict {
    /// No objection.
    #[default]
    Pass,
    /// It may happen, but there.
    Divert(Box<Route>),
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
    pub fn divert(route: Route) -> Self {
        Self::Divert(Box::new(route))
    }

    /// Which power this verdict uses; none for a pass.
    pub fn power(&self) -> Option<Power> {
        match self {
            Self::Pass => None,
            Self::Divert(_) => Some(Power::Divert),
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Who provides the place, such as `bubblewrap` or `e2b`.
    pub provider: String,
    /// Which of the provider's profiles.
    pub profile: Option<String>,
    /// Which image or template.
    pub image: Option<String>,
    /// Which workspace to attach.
    pub workspace: Option<String>,
    /// Key/values kept with the run.
    pub labels: Map<String, Value>,
    /// Settings for the provider.
    pub config: Map<String, Value>,
    /// Limits: memory, time, network.
    pub limits: Map<String, Value>,
    /// What to run there, where it is not the call itself. It is judged before it runs.
    pub command: Option<Command>,
}

/// A command an interceptor supplies for a route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The command line.
    pub command: String,
    /// Where to run it.
    pub cwd: Option<String>,
    /// What to feed it.
    pub stdin: Option<String>,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// Environment variables.
    pub env: Vec<(String, String)>,
}

impl Route {
    /// A route to a provider's default place.
    pub fn to(provider: impl Into<String>) -> Self {
        Self { provider: provider.into(), ..Self::default() }
    }

    /// The place without the command.
    pub(crate) fn place(&self) -> Self {
        Self { command: None, ..self.clone() }
    }

    /// The route as data: what the digest covers, and what a record or another program sees.
    pub fn to_json(&self) -> Value {
        json!({
            "provider": self.provider,
            "profile": self.profile,
            "image": self.image,
            "workspace": self.workspace,
            "labels": self.labels,
            "config": self.config,
            "limits": self.limits,
            "command": self.command.as_ref().map(Command::to_json),
        })
    }
}

impl Command {
    /// The command as the arguments of an `exec` call, which is how it is judged.
    pub fn to_json(&self) -> Value {
        let env: Map<String, Value> = self.env.iter().map(|(k, v)| (k.clone(), v.as_str().into())).collect();
        let timeout = self.timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let all = [
            ("command", json!(self.command)),
            ("cwd", json!(self.cwd)),
            ("stdin", json!(self.stdin)),
            ("timeout_ms", json!(timeout)),
            ("env", if env.is_empty() { Value::Null } else { Value::Object(env) }),
        ];
        all.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// Reads such arguments back, after edits may have changed them. Nothing that is not understood is
    /// dropped: it makes the whole unreadable.
    pub fn from_json(arguments: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut command = Self::default();
        for (key, value) in arguments.as_object()? {
            match key.as_str() {
                "command" => command.command = text(value)?,
                "cwd" => command.cwd = Some(text(value)?),
                "stdin" => command.stdin = Some(text(value)?),
                "timeout_ms" => command.timeout = Some(Duration::from_millis(value.as_u64()?)),
                "env" => {
                    let pairs = value.as_object()?.iter().map(|(key, value)| Some((key.clone(), text(value)?)));
                    command.env = pairs.collect::<Option<_>>()?;
                }
                _ => return None,
            }
        }
        (!command.command.trim().is_empty()).then_some(command)
    }
}

//! One check before a tool, one after: the smallest firewall.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tollgate_core::{BadRegistration, Ended, Verdict};

use crate::dialect::Dialect;
use crate::facts::Facts;
use crate::gate::Gate;
use crate::passage::Passage;
use crate::session::Session;
use crate::tool::Tool;

/// What the check before a tool gets to see. It is a copy: keeping it changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct PreCall {
    /// The tool, as it is registered.
    pub tool_name: String,
    /// Which call.
    pub call_id: String,
    /// The arguments.
    pub params: Value,
    /// When.
    pub timestamp: SystemTime,
}

/// What the check before a tool says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreDecision {
    /// No objection.
    Allow,
    /// It must not run, and this is why.
    Deny(String),
}

/// What the check after a tool gets to see.
#[derive(Clone, Debug, PartialEq)]
pub struct PostCall {
    /// The tool, as it is registered.
    pub tool_name: String,
    /// Which call.
    pub call_id: String,
    /// The arguments it ran with.
    pub params: Value,
    /// What came of it.
    pub result: Value,
    /// How it ended; the check is asked about failures and refusals too.
    pub ended: Ended,
    /// How long it ran.
    pub duration: Duration,
}

/// What the check after a tool says.
#[derive(Clone, Debug, PartialEq)]
pub enum PostDecision {
    /// Leave the result as it is.
    Keep,
    /// Give the model this instead.
    Redact(Value),
}

/// What a check may return: a decision, or a result of one.
pub trait IntoDecision<D> {
    /// The decision, or why there is none.
    fn into_decision(self) -> Result<D, String>;
}

impl IntoDecision<Self> for PreDecision {
    fn into_decision(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl IntoDecision<Self> for PostDecision {
    fn into_decision(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl<D, E: Display> IntoDecision<D> for Result<D, E> {
    fn into_decision(self) -> Result<D, String> {
        self.map_err(|error| error.to_string())
    }
}

/// Wraps tools so that each call passes `pre` and each result passes `post`.
///
/// Everything else about a tool is kept. A check that fails refuses: neither check can be skipped by
/// breaking it. Layers stack, because what comes out are tools again.
pub fn wrap_tools<P, Q, PF, QF>(
    tools: impl IntoIterator<Item = Tool>,
    pre: P,
    post: Q,
) -> Result<Vec<Tool>, BadRegistration>
where
    P: Fn(PreCall) -> PF + Send + Sync + 'static,
    Q: Fn(PostCall) -> QF + Send + Sync + 'static,
    PF: Future<Output: IntoDecision<PreDecision>> + Send + 'static,
    QF: Future<Output: IntoDecision<PostDecision>> + Send + 'static,
{
    let gate = Gate::new();
    gate.before_tool("pre-hook").guard_async(move |facts, params| {
        let decision = pre(PreCall::of(facts, params));
        async move {
            decision.await.into_decision().map(|decision| match decision {
                PreDecision::Allow => Verdict::Pass,
                PreDecision::Deny(reason) => Verdict::deny(reason),
            })
        }
    })?;
    gate.after_tool("post-hook").edit_async(move |facts, result| {
        let decision = post(PostCall::of(facts, result));
        async move {
            decision.await.into_decision().map(|decision| match decision {
                PostDecision::Keep => (None, Verdict::Pass),
                PostDecision::Redact(result) => (Some(result), Verdict::Pass),
            })
        }
    })?;
    let session = gate.session("wrapped").dialect(Dialect::FIREWALL);
    Ok(tools.into_iter().map(|tool| wrap(&session, &tool)).collect())
}

/// One tool behind a session's gate, under its own name only.
fn wrap(session: &Session, tool: &Tool) -> Tool {
    let (session, name, execute) = (session.clone(), tool.name.clone(), tool.executor());
    tool.rerouted(Arc::new(move |call| {
        let (session, name, execute) = (session.clone(), name.clone(), Arc::clone(&execute));
        Box::pin(
            async move { Passage { session: &session, name: &name, execute: &execute, find: None }.call(call).await },
        )
    }))
}

impl PreCall {
    fn of(facts: Facts, params: Value) -> Self {
        Self { tool_name: facts.written, call_id: facts.call_id, params, timestamp: SystemTime::now() }
    }
}

impl PostCall {
    fn of(facts: Facts, result: Value) -> Self {
        Self {
            tool_name: facts.written,
            call_id: facts.call_id,
            params: facts.arguments.unwrap_or_default(),
            result,
            ended: facts.ended.unwrap_or(Ended::Ok),
            duration: facts.took.unwrap_or_default(),
        }
    }
}

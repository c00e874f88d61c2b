use serde_json::{Map, Value};
use tollgate_core::{Point, Route};

use crate::facts::Facts;

/// A tool call as hooks see it. It is a copy: to change the call, return [`ToolCallDecision::modify`].
#[derive(Clone, Debug, PartialEq)]
pub struct AgentToolCall {
    /// The tool as the agent wrote it, in lower case. Aliases are resolved in [`AgentContext`]'s `tool`.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
    /// Which call.
    pub call_id: String,
}

/// Who is calling, and from where.
pub type AgentContext = Facts;

/// What a hook says about a tool call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCallDecision {
    /// No objection.
    Allow,
    /// It must not happen, or its result must not be seen.
    Block(String),
    /// This call instead.
    Modify(AgentToolCall),
    /// There instead.
    RouteTo(Box<Route>),
}

impl ToolCallDecision {
    /// No objection.
    pub fn allow() -> Self {
        Self::Allow
    }

    /// It must not happen; the reason reaches the model.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block(reason.into())
    }

    /// This call instead. It is judged like any other.
    pub fn modify(call: AgentToolCall) -> Self {
        Self::Modify(call)
    }

    /// In a sandbox instead. A command that is given is judged before it runs there.
    pub fn route_to(route: Route, command: Option<&str>) -> Self {
        let command = command.map(|command| Map::from_iter([("command".to_owned(), command.into())]));
        Self::RouteTo(Box::new(Route { command: command.or(route.command), ..route }))
    }
}

/// What a hook says about a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptDecision {
    /// No objection.
    Allow,
    /// The model must not see it.
    Block(String),
    /// This text instead.
    Modify(String),
}

impl PromptDecision {
    /// No objection.
    pub fn allow() -> Self {
        Self::Allow
    }

    /// The model must not see it.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block(reason.into())
    }

    /// This text instead.
    pub fn modify(text: impl Into<String>) -> Self {
        Self::Modify(text.into())
    }
}

/// Decides about tool calls, before and after they run.
pub trait ToolInterceptor: Send + Sync {
    /// Before the tool runs.
    fn before_tool_call(&self, call: &AgentToolCall, context: &AgentContext) -> ToolCallDecision;

    /// After it ran, with its output. Only `Allow` and `Block` mean something here.
    fn after_tool_call(&self, _call: &AgentToolCall, _output: &str, _context: &AgentContext) -> ToolCallDecision {
        ToolCallDecision::Allow
    }
}

/// Decides about what a person submits.
pub trait PromptInterceptor: Send + Sync {
    /// Before the model sees it.
    fn before_prompt(&self, input: &str, context: &AgentContext) -> PromptDecision;
}

/// Watches an agent's life.
pub trait AgentLifecycleHook: Send + Sync {
    /// What it is called; unique at a gate.
    fn name(&self) -> &str;

    /// Something happened.
    fn on_event(&self, event: &LifecycleEvent);
}

/// Something that happened in an agent's life.
#[derive(Clone, Debug, PartialEq)]
pub struct LifecycleEvent {
    /// Where.
    pub point: Point,
    /// To whom.
    pub context: AgentContext,
    /// What it was about.
    pub details: Value,
}

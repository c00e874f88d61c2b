//! Hooks by event, with decisions: allow, block, modify, route.
//!
//! The shape of this API is that of agent frameworks with `preToolUse` and its kin. Underneath, each hook
//! is an edit that can object: modifications fold, any block wins, and a hook that passed a call is asked
//! again if a later one changed it.

use std::sync::Arc;

use serde_json::{Map, Value};
use tollgate_core::{
    BadRegistration, Body, Edit, Event, Fault, FaultKind, OnFault, Outcome, Point, Registration, Route, Step, Verdict,
    Watch,
};

use crate::facts::Facts;
use crate::gate::Gate;
use crate::view::{Text, View};

/// A tool call as hooks see it. It is a copy: to change the call, return [`ToolCallDecision::modify`].
#[derive(Clone, Debug, PartialEq)]
pub struct AgentToolCall {
    /// The tool.
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

/// A model request as hooks see it: the parts that all providers share, and the rest as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentPrompt {
    /// The system prompt.
    pub system: Option<Value>,
    /// The conversation.
    pub items: Vec<Value>,
    /// The tools offered.
    pub tools: Option<Vec<Value>>,
    /// How freely the model may choose.
    pub temperature: Option<f64>,
    /// Everything else.
    pub rest: Map<String, Value>,
}

impl AgentPrompt {
    /// A copy to change.
    pub fn to_builder(&self) -> AgentPromptBuilder {
        AgentPromptBuilder(self.clone())
    }

    fn read(request: &Value) -> Self {
        let mut rest = request.as_object().cloned().unwrap_or_default();
        let mut list = |key| match rest.shift_remove(key) {
            Some(Value::Array(items)) => Some(items),
            _ => None,
        };
        let (items, tools) = (list("messages").unwrap_or_default(), list("tools"));
        let system = rest.shift_remove("system");
        let temperature = rest.shift_remove("temperature").and_then(|value| value.as_f64());
        Self { system, items, tools, temperature, rest }
    }

    /// Writes what differs from `before` into the request, and leaves the rest of it alone.
    fn write(self, before: &Self, request: &mut Map<String, Value>) {
        let mut put = |key: &str, differs: bool, value: Option<Value>| match value {
            _ if !differs => {}
            Some(value) => drop(request.insert(key.to_owned(), value)),
            None => drop(request.shift_remove(key)),
        };
        put("system", self.system != before.system, self.system);
        put("messages", self.items != before.items, Some(self.items.into()));
        put("tools", self.tools != before.tools, self.tools.map(Value::from));
        put("temperature", self.temperature != before.temperature, self.temperature.map(Value::from));
        for key in before.rest.keys() {
            put(key, !self.rest.contains_key(key), None);
        }
        for (key, value) in self.rest {
            put(&key, before.rest.get(&key) != Some(&value), Some(value));
        }
    }
}

/// Changes a copy of an [`AgentPrompt`].
pub struct AgentPromptBuilder(AgentPrompt);

impl AgentPromptBuilder {
    /// Another system prompt.
    #[must_use]
    pub fn system(mut self, system: impl Into<Value>) -> Self {
        self.0.system = Some(system.into());
        self
    }

    /// Another conversation.
    #[must_use]
    pub fn items(mut self, items: Vec<Value>) -> Self {
        self.0.items = items;
        self
    }

    /// Other tools.
    #[must_use]
    pub fn tools(mut self, tools: Vec<Value>) -> Self {
        self.0.tools = Some(tools);
        self
    }

    /// Another temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.0.temperature = Some(temperature);
        self
    }

    /// The changed prompt.
    pub fn build(self) -> AgentPrompt {
        self.0
    }
}

type PreHook = Arc<dyn Fn(&AgentToolCall, &AgentContext) -> ToolCallDecision + Send + Sync>;
type PostHook = Arc<dyn Fn(&AgentToolCall, &str, &AgentContext) -> ToolCallDecision + Send + Sync>;
type PromptHook = Arc<dyn Fn(&str, &AgentContext) -> PromptDecision + Send + Sync>;
type ModelHook = Arc<dyn Fn(&AgentPrompt, &AgentContext) -> Option<AgentPrompt> + Send + Sync>;
type Observer = Arc<dyn Fn(&LifecycleEvent) + Send + Sync>;

/// Hooks being gathered, one entry point for every event.
///
/// ```
/// use tollgate::{AgentHooks, Gate, ToolCallDecision};
///
/// let gate = Gate::new();
/// AgentHooks::new()
///     .pre_tool_use(|call, _| match call.arguments["command"].as_str() {
///         Some(command) if command.contains("rm -rf") => ToolCallDecision::block("no"),
///         _ => ToolCallDecision::allow(),
///     })
///     .stop(|_| println!("turn over"))
///     .install(&gate)?;
/// assert_eq!(gate.ids(), ["hooks:1:pre_tool_use:1", "hooks:1:stop:1"]);
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
#[derive(Default)]
pub struct AgentHooks {
    pre: Vec<PreHook>,
    post: Vec<PostHook>,
    prompt: Vec<PromptHook>,
    model: Vec<ModelHook>,
    observers: Vec<(&'static str, Point, Observer)>,
    lifecycle: Vec<Arc<dyn AgentLifecycleHook>>,
    first_non_allow_wins: bool,
}

macro_rules! observers {
    ($($(#[$doc:meta])* $name:ident: $point:ident;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, observe: impl Fn(&LifecycleEvent) + Send + Sync + 'static) -> Self {
            self.observers.push((stringify!($name), Point::$point, Arc::new(observe)));
            self
        }
    )+};
}

impl AgentHooks {
    observers! {
        /// A turn is over; once per turn.
        stop: TurnStop;
        /// The conversation is about to be compacted.
        pre_compact: CompactBefore;
        /// The session begins.
        session_start: SessionStart;
        /// The session is over.
        session_end: SessionEnd;
    }

    /// No hooks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Before a tool runs.
    #[must_use]
    pub fn pre_tool_use(
        mut self,
        hook: impl Fn(&AgentToolCall, &AgentContext) -> ToolCallDecision + Send + Sync + 'static,
    ) -> Self {
        self.pre.push(Arc::new(hook));
        self
    }

    /// After a tool ran.
    #[must_use]
    pub fn post_tool_use(
        mut self,
        hook: impl Fn(&AgentToolCall, &str, &AgentContext) -> ToolCallDecision + Send + Sync + 'static,
    ) -> Self {
        self.post.push(Arc::new(hook));
        self
    }

    /// Before the model sees what a person submits.
    #[must_use]
    pub fn user_prompt_submit(
        mut self,
        hook: impl Fn(&str, &AgentContext) -> PromptDecision + Send + Sync + 'static,
    ) -> Self {
        self.prompt.push(Arc::new(hook));
        self
    }

    /// Before the model is asked. Nothing returned keeps the request as it is.
    #[must_use]
    pub fn before_model_request(
        mut self,
        hook: impl Fn(&AgentPrompt, &AgentContext) -> Option<AgentPrompt> + Send + Sync + 'static,
    ) -> Self {
        self.model.push(Arc::new(hook));
        self
    }

    /// Adds an interceptor beside the others; it replaces nobody.
    #[must_use]
    pub fn tool_interceptor(self, interceptor: impl ToolInterceptor + 'static) -> Self {
        let before = Arc::new(interceptor);
        let after = Arc::clone(&before);
        self.pre_tool_use(move |call, context| before.before_tool_call(call, context))
            .post_tool_use(move |call, output, context| after.after_tool_call(call, output, context))
    }

    /// Adds a prompt interceptor beside the others.
    #[must_use]
    pub fn prompt_interceptor(self, interceptor: impl PromptInterceptor + 'static) -> Self {
        self.user_prompt_submit(move |input, context| interceptor.before_prompt(input, context))
    }

    /// Adds a lifecycle hook beside the others.
    #[must_use]
    pub fn lifecycle_hook(mut self, hook: impl AgentLifecycleHook + 'static) -> Self {
        self.lifecycle.push(Arc::new(hook));
        self
    }

    /// Stops at the first hook that does not allow, as some frameworks do. A hook behind one that modifies
    /// is then not asked at all: use this only for hooks written for it.
    #[must_use]
    pub fn first_non_allow_wins(mut self) -> Self {
        self.first_non_allow_wins = true;
        self
    }

    /// Registers everything at a gate, beside what is already there; all of it or, on an error, nothing.
    pub fn install(self, gate: &Gate) -> Result<(), BadRegistration> {
        let set = (1..).find(|set| !gate.ids().iter().any(|id| id.starts_with(&format!("hooks:{set}:"))));
        let prefix = format!("hooks:{}", set.unwrap_or(0));
        let registrations = self.registrations(&prefix);
        let ids: Vec<_> = registrations.iter().map(|entry| Arc::clone(&entry.id)).collect();
        let added = registrations.into_iter().try_for_each(|entry| gate.add(entry).map(drop));
        if added.is_err() {
            for id in ids {
                gate.remove(&id);
            }
        }
        added
    }

    fn registrations(self, prefix: &str) -> Vec<Registration> {
        let mut all = Vec::new();
        let chunk = if self.first_non_allow_wins { usize::MAX } else { 1 };
        add_edits(&mut all, prefix, "pre_tool_use", Point::ToolBefore, &self.pre, chunk, Pre);
        add_edits(&mut all, prefix, "post_tool_use", Point::ToolAfter, &self.post, chunk, Post);
        add_edits(&mut all, prefix, "user_prompt_submit", Point::PromptSubmit, &self.prompt, chunk, Prompt);
        add_edits(&mut all, prefix, "before_model_request", Point::ModelRequest, &self.model, 1, Model);
        for (name, point, observe) in self.observers {
            let earlier = all.iter().filter(|entry: &&Registration| entry.id.contains(&format!(":{name}:"))).count();
            let id = format!("{prefix}:{name}:{}", earlier + 1);
            all.push(Registration::watch(&id, [point], Observe(observe)));
        }
        for hook in self.lifecycle {
            let id = format!("{prefix}:lifecycle:{}", hook.name());
            all.push(Registration::watch(&id, LIFECYCLE, Observe(Arc::new(move |event| hook.on_event(event)))));
        }
        all
    }
}

/// Where lifecycle hooks stand.
const LIFECYCLE: [Point; 10] = [
    Point::SessionStart,
    Point::SessionEnd,
    Point::AgentStart,
    Point::AgentStop,
    Point::TurnStop,
    Point::CompactBefore,
    Point::ModelRequest,
    Point::ModelResponse,
    Point::ToolBefore,
    Point::ToolAfter,
];

/// One edit per hook, or one for all of them where the first that does not allow wins.
fn add_edits<H: Clone, E: Edit + 'static>(
    all: &mut Vec<Registration>,
    prefix: &str,
    name: &str,
    point: Point,
    hooks: &[H],
    chunk: usize,
    make: impl Fn(Vec<H>) -> E,
) {
    for (at, hooks) in hooks.chunks(chunk).enumerate() {
        let id = format!("{prefix}:{name}:{}", at + 1);
        all.push(Registration { on_fault: OnFault::Deny, ..Registration::edit(&id, [point], make(hooks.to_vec())) });
    }
}

struct Pre(Vec<PreHook>);
struct Post(Vec<PostHook>);
struct Prompt(Vec<PromptHook>);
struct Model(Vec<ModelHook>);
struct Observe(Observer);

impl Edit for Pre {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Pre {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let name = event.tool_now(body).map_or_else(String::new, |name| name.written().to_owned());
        let call = AgentToolCall { name, arguments: body.json()?.clone(), call_id: context.call_id.clone() };
        let decisions = self.0.iter().map(|hook| hook(&call, &context));
        match decisions.into_iter().find(|decision| *decision != ToolCallDecision::Allow) {
            None | Some(ToolCallDecision::Allow) => Ok(Verdict::Pass),
            Some(ToolCallDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(ToolCallDecision::RouteTo(route)) => Ok(Verdict::Divert(route)),
            Some(ToolCallDecision::Modify(modified)) => {
                if modified.name != call.name {
                    body.rename(modified.name);
                }
                body.set(modified.arguments);
                Ok(Verdict::Pass)
            }
        }
    }
}

impl Edit for Post {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Post {
    fn decide(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let output = Text::look(body)?.text();
        let arguments = context.arguments.clone().unwrap_or_default();
        let name = event.tool_now(body).map_or_else(String::new, |name| name.written().to_owned());
        let call = AgentToolCall { name, arguments, call_id: context.call_id.clone() };
        let decisions = self.0.iter().map(|hook| hook(&call, &output, &context));
        match decisions.into_iter().find(|decision| *decision != ToolCallDecision::Allow) {
            None | Some(ToolCallDecision::Allow) => Ok(Verdict::Pass),
            Some(ToolCallDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(_) => Err(Fault::new(FaultKind::Garbage, "a result can be allowed or blocked, nothing else")),
        }
    }
}

impl Edit for Prompt {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Prompt {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let mut text = Text::write(body)?;
        let input = text.text();
        let decisions = self.0.iter().map(|hook| hook(&input, &context));
        match decisions.into_iter().find(|decision| *decision != PromptDecision::Allow) {
            None | Some(PromptDecision::Allow) => Ok(Verdict::Pass),
            Some(PromptDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(PromptDecision::Modify(modified)) => text.set(modified).map(|()| Verdict::Pass),
        }
    }
}

impl Edit for Model {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Model {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let before = AgentPrompt::read(body.json()?);
        for hook in &self.0 {
            if let Some(prompt) = hook(&before, &context).filter(|prompt| *prompt != before) {
                let request = body.json_mut()?.as_object_mut();
                let request = request.ok_or_else(|| Fault::new(FaultKind::Garbage, "the request is no object"))?;
                prompt.write(&before, request);
            }
        }
        Ok(Verdict::Pass)
    }
}

impl Watch for Observe {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _outcome: &'a Outcome) -> Step<'a, ()> {
        let details = body.json().cloned().unwrap_or_default();
        (self.0)(&LifecycleEvent { point: event.point, context: Facts::of(event, body), details });
        Step::Now(Ok(()))
    }
}

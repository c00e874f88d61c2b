//! Hooks by event, with decisions: allow, block, modify, route.
//!
//! The shape of this API is that of agent frameworks with `preToolUse` and its kin. Underneath, each hook
//! is an edit that can object: modifications fold, any block wins, and a hook that passed a call is asked
//! again if a later one changed it.

mod decision;
mod edits;
mod prompt;

use std::sync::Arc;

use tollgate_core::{BadRegistration, Edit, Point, Registration};

pub use self::decision::{
    AgentContext, AgentLifecycleHook, AgentToolCall, LifecycleEvent, PromptDecision, PromptInterceptor,
    ToolCallDecision, ToolInterceptor,
};
use self::edits::{Model, ModelHook, Observe, Observer, Post, PostHook, Pre, PreHook, Prompt, PromptHook};
pub use self::prompt::{AgentPrompt, AgentPromptBuilder};
use crate::gate::Gate;

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
        /// The conversation was compacted.
        post_compact: CompactAfter;
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
        let prefix = format!("hooks:{}", gate.next_number());
        gate.add_all(self.registrations(&prefix))
    }

    fn registrations(&self, prefix: &str) -> Vec<Registration> {
        let mut all = Vec::new();
        let chunk = if self.first_non_allow_wins { usize::MAX } else { 1 };
        add_edits(&mut all, prefix, "pre_tool_use", Point::ToolBefore, &self.pre, chunk, Pre);
        add_edits(&mut all, prefix, "post_tool_use", Point::ToolAfter, &self.post, chunk, Post);
        add_edits(&mut all, prefix, "user_prompt_submit", Point::PromptSubmit, &self.prompt, chunk, Prompt);
        add_edits(&mut all, prefix, "before_model_request", Point::ModelRequest, &self.model, 1, Model);
        for (name, point, observe) in &self.observers {
            let earlier = all.iter().filter(|entry: &&Registration| entry.id.contains(&format!(":{name}:"))).count();
            let id = format!("{prefix}:{name}:{}", earlier + 1);
            all.push(Registration::watch(&id, [*point], Observe(Arc::clone(observe))));
        }
        for hook in &self.lifecycle {
            let id = format!("{prefix}:lifecycle:{}", hook.name());
            let hook = Arc::clone(hook);
            all.push(Registration::watch(&id, LIFECYCLE, Observe(Arc::new(move |event| hook.on_event(event)))));
        }
        all
    }
}

/// Where lifecycle hooks stand.
const LIFECYCLE: [Point; 11] = [
    Point::SessionStart,
    Point::SessionEnd,
    Point::AgentStart,
    Point::AgentStop,
    Point::TurnStop,
    Point::CompactBefore,
    Point::CompactAfter,
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
        all.push(Registration::edit(&id, [point], make(hooks.to_vec())));
    }
}

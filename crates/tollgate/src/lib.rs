//! The interception layer for AI agents, as a library.
//!
//! Wrap your agent's tools and decide what passes: rewrite a call, refuse it, answer in its place, send it to
//! a sandbox, ask a human, or just watch. A guard that breaks refuses; what was checked is what runs; a
//! refusal says who refused and why.
//!
//! ```
//! use serde_json::json;
//! use tollgate::{Call, Gate, Tool, Toolbox, Verdict, block_on};
//!
//! let gate = Gate::new();
//! gate.before_tool("no-rm-rf").tool("exec").guard(|_call, args| match args.text("command") {
//!     Some(command) if command.contains("rm -rf") => Verdict::deny("rm -rf is not allowed"),
//!     _ => Verdict::Pass,
//! })?;
//! gate.after_tool("no-keys").edit(|_call, mut result| result.map(|text| text.replace("sk-123", "sk-***")))?;
//!
//! let toolbox = Toolbox::new(gate.session("session-1").agent("main"));
//! let bash = toolbox.add(Tool::new("bash", |call| async move {
//!     Ok(json!({"output": format!("ran {} with sk-123", call.params["command"])}))
//! }))?;
//!
//! let done = block_on(bash.execute(Call::new("1", json!({"command": "ls"}))));
//! assert_eq!(done.value, json!({"output": "ran \"ls\" with sk-***"}));
//! let done = block_on(bash.execute(Call::new("2", json!({"command": "rm -rf /"}))));
//! assert_eq!(done.value, json!({"status": "blocked", "tool": "exec", "reason": "rm -rf is not allowed"}));
//! # Ok::<(), tollgate::BadRegistration>(())
//! ```
//!
//! # Where to begin
//!
//! * [`Gate`] holds the interceptors. Register closures with [`Gate::before_tool`] and its neighbours; they
//!   end in `guard` (judge), `edit` (rewrite) or `watch`. Prefer the least powerful.
//! * [`Session`] is one agent's run at a gate. Its [`Toolbox`] hands out wrapped tools only and
//!   [proves](Toolbox::coverage) that none gets round the gate.
//! * [`Gate::on_ask`] and [`Gate::on_route`] say who answers questions and who runs diverted calls. Until
//!   you say so, both are refusals.
//! * [`Dialect`] is how a refusal is told to the model.
//!
//! What happens to a call, and in which order, is told by the crate this one is built on: see
//! [`Pipeline::run`], [`Edit`], [`Guard`] and [`Watch`], which are re-exported here.
//!
//! # If you come from another system
//!
//! [`wrap_tools`] is a firewall of one check before and one after. [`AgentHooks`] has `pre_tool_use` and its
//! kin. [`Plugin`]s register hooks by name and speak JSON. [`global`] is one gate for a whole process. All of
//! them can be used at once, at one gate: nobody replaces anybody.
//!
//! # Without a runtime, or with any
//!
//! Nothing here needs an async runtime, and everything works under one. [`block_on`] runs a call on the
//! current thread. An async handler over its time is dropped and counts as broken. A handler that blocks its
//! thread cannot be stopped by anyone: give work that may hang to an async one.

mod approval;
mod dialect;
mod facts;
mod gate;
pub mod global;
mod hooks;
mod on;
mod passage;
mod plugin;
mod session;
mod task;
mod timeline;
mod tool;
mod toolbox;
mod view;
mod wrap;

pub use approval::{grant, refuse};
pub use dialect::{Dialect, Failure, Refusal};
pub use facts::Facts;
pub use gate::{Gate, Handle};
pub use hooks::{
    AgentContext, AgentHooks, AgentLifecycleHook, AgentPrompt, AgentPromptBuilder, AgentToolCall, LifecycleEvent,
    PromptDecision, PromptInterceptor, ToolCallDecision, ToolInterceptor,
};
pub use on::{IntoRewrite, IntoSeen, IntoVerdict, On, regex};
pub use plugin::{IntoAnswer, Plugin, PluginApi, PluginContext, PluginOptions};
pub use session::{Admitted, Session};
pub use task::{Abort, BoxFuture, block_on};
pub use timeline::describe;
pub use tollgate_clock::SystemClock;
pub use tollgate_core::*;
pub use tool::{Call, Context, Finished, Render, Tool, ToolError, ToolInfo, enumerate};
pub use toolbox::{Coverage, Covered, Toolbox};
pub use view::{Fields, FieldsMut, Text, TextMut, View};
pub use wrap::{IntoDecision, PostCall, PostDecision, PreCall, PreDecision, wrap_tools};

/// A gate of one's own: the same as [`Gate::new`].
pub fn create() -> Gate {
    Gate::new()
}

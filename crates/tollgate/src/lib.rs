//! draft

mod clock;
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

pub use clock::SystemClock;
pub use dialect::{Dialect, Refusal};
pub use facts::Facts;
pub use gate::{Gate, Handle};
pub use hooks::{
    AgentContext, AgentHooks, AgentLifecycleHook, AgentPrompt, AgentPromptBuilder, AgentToolCall, LifecycleEvent,
    PromptDecision, PromptInterceptor, ToolCallDecision, ToolInterceptor,
};
pub use on::{IntoRewrite, IntoVerdict, On, regex};
pub use plugin::{IntoAnswer, Plugin, PluginApi, PluginContext, PluginOptions};
pub use session::Session;
pub use task::{Abort, BoxFuture, block_on};
pub use timeline::describe;
pub use tollgate_core::*;
pub use tool::{Call, Context, Finished, Render, Tool, ToolError, ToolInfo, enumerate};
pub use toolbox::{Coverage, Covered, Toolbox};
pub use view::{Fields, FieldsMut, Text, TextMut, View};
pub use wrap::{PostCall, PostDecision, PreCall, PreDecision, wrap_tools};

/// A gate of one's own: the same as [`Gate::new`].
pub fn create() -> Gate {
    Gate::new()
}

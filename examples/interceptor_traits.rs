//! The same hooks as objects: an interceptor for tool calls, one for prompts, and a lifecycle hook.
//! `call.name` is what the agent wrote; rules compare `context.tool`, which is the same for every spelling.
//!
//! Prints:
//!
//! ```text
//! audit: session.start
//! prompt: Deploy the site (as ada)
//! audit: tool.before
//! audit: tool.after
//! Deploy: {"target":"staging"}
//! audit: tool.before
//! audit: tool.after
//! rm:     {"status":"blocked","tool":"rm","reason":"`rm` is not for agents"}
//! audit: turn.stop
//! audit: session.end
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::json;
use tollgate::{
    AgentContext, AgentHooks, AgentLifecycleHook, AgentToolCall, Call, Gate, LifecycleEvent, Point, PromptDecision,
    PromptInterceptor, Session, Tool, ToolCallDecision, ToolInterceptor, block_on,
};

/// Sends deployments to staging, and refuses one tool altogether.
struct Staging;

impl ToolInterceptor for Staging {
    fn before_tool_call(&self, call: &AgentToolCall, context: &AgentContext) -> ToolCallDecision {
        let arguments = json!({"target": "staging"});
        match context.tool.as_str() {
            "deploy" => ToolCallDecision::modify(AgentToolCall { arguments, ..call.clone() }),
            "rm" => ToolCallDecision::block("`rm` is not for agents"),
            _ => ToolCallDecision::allow(),
        }
    }
}

struct Sign;

impl PromptInterceptor for Sign {
    fn before_prompt(&self, input: &str, _context: &AgentContext) -> PromptDecision {
        PromptDecision::modify(format!("{input} (as ada)"))
    }
}

struct Audit;

impl AgentLifecycleHook for Audit {
    fn name(&self) -> &str {
        "audit"
    }

    fn on_event(&self, event: &LifecycleEvent) {
        println!("audit: {}", event.point);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    AgentHooks::new().tool_interceptor(Staging).prompt_interceptor(Sign).lifecycle_hook(Audit).install(&gate)?;
    block_on(life(&gate.session("s-1")))
}

async fn life(session: &Session) -> Result<(), Box<dyn Error>> {
    session.start().await?;
    println!("prompt: {}", session.prompt("Deploy the site").await?);
    for name in ["Deploy", "rm"] {
        let tool = Tool::new(name, |call| async move { Ok(call.params) });
        let done = session.call(&tool, Call::new("call", json!({"target": "production"}))).await;
        println!("{:<7} {}", format!("{name}:"), done.value);
    }
    session.observe(Point::TurnStop, json!({})).await?;
    session.observe(Point::SessionEnd, json!({})).await?;
    Ok(())
}

//! The agents there are: one file each.

use serde_json::Value;

use crate::Agent;

mod claude_code;
mod claude_like;
mod codex;
mod droid;
mod gemini_cli;
mod qwen_code;
#[cfg(test)]
mod tests;

/// Every agent whose hooks can be answered.
pub static AGENTS: &[&Agent] =
    &[&claude_code::AGENT, &codex::AGENT, &gemini_cli::AGENT, &qwen_code::AGENT, &droid::AGENT];

/// An agent by the name that somebody typed.
///
/// ```
/// assert_eq!(tollgate_hook::find("claude").map(|agent| agent.id), Some("claude-code"));
/// assert!(tollgate_hook::find("nobody").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.id == name || agent.aliases.contains(&name))
}

/// Who really wrote a document that was given to the hook of `registered`: agents also run hooks that were registered
/// for others, and understand only their own answers.
pub fn caller(registered: &'static Agent, doc: &Value) -> &'static Agent {
    if (registered.calls)(doc) {
        return registered;
    }
    AGENTS.iter().copied().find(|agent| (agent.calls)(doc)).unwrap_or(registered)
}

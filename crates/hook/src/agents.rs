//! The agents there are: one file each.

use serde_json::Value;

use crate::Agent;

mod claude_code;
mod claude_like;
mod cline;
mod codex;
mod common;
mod copilot;
mod cursor;
#[cfg(test)]
mod documents;
mod droid;
mod gemini_cli;
mod goose;
mod kiro;
#[cfg(test)]
mod names;
mod openclaw;
mod opencode;
mod qwen_code;
#[cfg(test)]
mod tests;
mod windsurf;

/// Every agent whose hooks can be answered.
pub static AGENTS: &[&Agent] = &[
    &claude_code::AGENT,
    &codex::AGENT,
    &gemini_cli::AGENT,
    &copilot::AGENT,
    &cursor::AGENT,
    &opencode::AGENT,
    &openclaw::AGENT,
    &qwen_code::AGENT,
    &cline::AGENT,
    &windsurf::AGENT,
    &droid::AGENT,
    &kiro::AGENT,
    &goose::AGENT,
];

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

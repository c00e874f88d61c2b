//! How a refusal or a failure is told to the model, as a value a tool could have returned.

use serde_json::{Value, json};
use tollgate_core::{Cause, Ruling};
use tollgate_wire::dialect as say;

/// A refusal, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The tool's normalized name.
    pub tool: String,
    /// Which call.
    pub call_id: String,
    /// Who refused, and why.
    pub ruling: Ruling,
    /// Whether the tool had already run, and only its result was refused.
    pub ran: bool,
}

/// A tool's failure, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure<'a> {
    /// The tool's normalized name.
    pub tool: &'a str,
    /// Which call.
    pub call_id: &'a str,
    /// What went wrong.
    pub error: &'a str,
}

/// A way to tell refusals and failures.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// What stands in the result's place when a call is refused.
    pub blocked: fn(&Refusal) -> Value,
    /// What stands there when a tool failed.
    pub failed: fn(&Failure<'_>) -> Value,
}

impl Default for Dialect {
    fn default() -> Self {
        Self::STATUS
    }
}

impl Dialect {
    /// `{"status":"blocked","tool","reason"}`.
    pub const STATUS: Self =
        Self { blocked: |refusal| say::status_blocked(&refusal.ruling, &refusal.tool), failed: status_error };

    /// `{"status":"error","tool","error"}`, refusals too.
    pub const STATUS_ERROR: Self =
        Self { blocked: |refusal| say::status_error(&refusal.ruling, &refusal.tool), failed: status_error };

    /// A text block `blocked: reason` with empty details.
    pub const CONTENT: Self = Self { blocked: |refusal| say::content_blocked(&refusal.ruling), failed: status_error };

    /// A text block `[firewall] blocked: reason`.
    pub const FIREWALL: Self = Self { blocked: firewall, failed: status_error };

    /// A text block with the reason, and details that say who denied.
    pub const DETAILS: Self = Self { blocked: |refusal| say::details_blocked(&refusal.ruling), failed: status_error };

    /// The text `TOOL_BLOCKED: …`, with the call as JSON before the tool ran and the bare reason after.
    pub const TOOL_BLOCKED: Self = Self { blocked: tool_blocked, failed: tool_failed };

    /// An MCP result with `isError`.
    pub const MCP: Self = Self { blocked: |refusal| say::mcp_error(&refusal.ruling), failed: mcp_failed };
}

fn status_error(failure: &Failure<'_>) -> Value {
    json!({"status": "error", "tool": failure.tool, "error": failure.error})
}

fn firewall(refusal: &Refusal) -> Value {
    match refusal.ruling.cause {
        Cause::Fault(_) => say::firewall_fault(if refusal.ran { "post" } else { "pre" }, &refusal.ruling.reason),
        _ => say::firewall_blocked(&refusal.ruling),
    }
}

fn tool_blocked(refusal: &Refusal) -> Value {
    let Refusal { tool, call_id, ruling, ran } = refusal;
    if *ran { say::tool_blocked_after(ruling) } else { say::tool_blocked(ruling, tool, Some(call_id)) }.into()
}

fn tool_failed(failure: &Failure<'_>) -> Value {
    say::tool_error("ToolError", failure.error, failure.tool, Some(failure.call_id)).into()
}

fn mcp_failed(failure: &Failure<'_>) -> Value {
    json!({"content": [{"type": "text", "text": failure.error}], "isError": true})
}

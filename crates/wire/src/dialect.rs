//! A refusal in other people's words.
//!
//! Inside there is one type for it, [`Ruling`]. Each function here says the same in one outside shape, and
//! decides nothing. Where an agent takes an empty reason for consent, an empty reason would let the tool run,
//! so none of these shapes ever carries one.

use serde_json::{Value, json};
use tollgate_core::{Cause, Ruling};

/// What is said where nobody said why.
const NO_REASON: &str = "refused without a reason";

/// The text of a reason that is never blank.
fn worded(reason: &str) -> &str {
    if reason.trim().is_empty() { NO_REASON } else { reason }
}

fn reason(ruling: &Ruling) -> &str {
    worded(&ruling.reason)
}

/// One text as the content of a tool result.
fn content(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

// Results of a tool call.

/// `{"status":"blocked","tool","reason"}`.
pub fn status_blocked(ruling: &Ruling, tool: &str) -> Value {
    json!({"status": "blocked", "tool": tool, "reason": reason(ruling)})
}

/// `{"status":"error","tool","error"}`.
pub fn status_error(ruling: &Ruling, tool: &str) -> Value {
    json!({"status": "error", "tool": tool, "error": reason(ruling)})
}

/// `TOOL_BLOCKED: ` and a JSON object: the call did not run.
pub fn tool_blocked(ruling: &Ruling, tool: &str, call_id: Option<&str>) -> String {
    let call = json!({"blocked": true, "reason": reason(ruling), "tool": tool, "callId": call_id});
    format!("TOOL_BLOCKED: {call}")
}

/// `TOOL_BLOCKED: ` and the reason: the call ran, and its result is withheld.
pub fn tool_blocked_after(ruling: &Ruling) -> String {
    format!("TOOL_BLOCKED: {}", reason(ruling))
}

/// `PROMPT_BLOCKED: ` and the reason.
pub fn prompt_blocked(ruling: &Ruling) -> String {
    format!("PROMPT_BLOCKED: {}", reason(ruling))
}

/// `TOOL_ERROR: ` and a JSON object: the call or an interceptor failed.
pub fn tool_error(kind: &str, message: &str, tool: &str, call_id: Option<&str>) -> String {
    let error = json!({"errorType": kind, "error": worded(message), "tool": tool, "callId": call_id});
    format!("TOOL_ERROR: {error}")
}

/// What a command in a sandbox came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxRun<'a> {
    /// Its exit status, unless it was ended from outside.
    pub exit_code: Option<i32>,
    /// What it wrote.
    pub stdout: &'a str,
    /// What it complained about.
    pub stderr: &'a str,
    /// Whether it was ended because it took too long.
    pub timed_out: bool,
    /// Whether it was ended because nobody wanted the result any more.
    pub canceled: bool,
}

/// `SANDBOX_RESULT: ` and a JSON object: the call ran elsewhere.
pub fn sandbox_result(run: &SandboxRun<'_>, tool: &str) -> String {
    let SandboxRun { exit_code, stdout, stderr, timed_out, canceled } = run;
    let mut result = json!({"routed": true, "exitCode": exit_code, "stdout": stdout, "stderr": stderr, "tool": tool});
    for (key, applies) in [("timedOut", *timed_out), ("canceled", *canceled)] {
        if applies {
            result[key] = true.into();
        }
    }
    format!("SANDBOX_RESULT: {result}")
}

/// A result whose text is `blocked: ` and the reason, with empty details.
pub fn content_blocked(ruling: &Ruling) -> Value {
    json!({"content": content(&format!("blocked: {}", reason(ruling))), "details": {}})
}

/// A result whose text is `[firewall] blocked: ` and the reason, with empty details.
pub fn firewall_blocked(ruling: &Ruling) -> Value {
    json!({"content": content(&format!("[firewall] blocked: {}", reason(ruling))), "details": {}})
}

/// A result whose text is `[firewall] pre-hook error: ` (or `post-hook`) and a message: an interceptor broke,
/// so the call did not run, or its result is withheld.
pub fn firewall_fault(hook: &str, message: &str) -> Value {
    json!({"content": content(&format!("[firewall] {hook}-hook error: {}", worded(message))), "details": {}})
}

/// A result whose details say that it was blocked, and by which part of the agent.
pub fn details_blocked(ruling: &Ruling) -> Value {
    let reason = reason(ruling);
    let denied = match ruling.cause {
        Cause::Refused | Cause::Expired | Cause::Mismatch => "plugin-approval",
        _ => "plugin-before-tool-call",
    };
    json!({
        "content": content(reason),
        "details": {"status": "blocked", "deniedReason": denied, "reason": reason},
    })
}

/// An MCP tool result marked as an error, so that the model reads why.
pub fn mcp_error(ruling: &Ruling) -> Value {
    json!({"content": content(reason(ruling)), "isError": true})
}

// Answers of a model provider.

/// An HTTP response that refuses a request, in a provider's own shape: its clients then report it as they
/// report any error of that provider, and do not try again.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpError {
    /// The status code.
    pub status: u16,
    /// The body, to be sent as `application/json`.
    pub body: Value,
}

impl HttpError {
    fn forbidden(body: Value) -> Self {
        Self { status: 403, body }
    }
}

/// The error of Anthropic's Messages API.
pub fn anthropic_messages(ruling: &Ruling) -> HttpError {
    HttpError::forbidden(json!({"type": "error", "error": {"type": "permission_error", "message": reason(ruling)}}))
}

/// The error of OpenAI's chat completions, which many others copy.
pub fn openai_chat(ruling: &Ruling) -> HttpError {
    let error = json!({"message": reason(ruling), "type": "request_forbidden", "param": null, "code": "blocked"});
    HttpError::forbidden(json!({"error": error}))
}

/// The error of OpenAI's responses: before a stream begins it is that of chat completions.
pub fn openai_responses(ruling: &Ruling) -> HttpError {
    openai_chat(ruling)
}

/// The error of Gemini's `generateContent`.
pub fn gemini(ruling: &Ruling) -> HttpError {
    let error = json!({"code": 403, "message": reason(ruling), "status": "PERMISSION_DENIED"});
    HttpError::forbidden(json!({"error": error}))
}

// Answers of a hook to a coding agent, before a tool runs.

/// What a hook program prints, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    /// For the agent.
    pub stdout: String,
    /// For the model or the user, depending on the agent.
    pub stderr: String,
    /// The exit status.
    pub exit: u8,
}

impl HookAnswer {
    /// No answer, which every agent takes for "go on as you would have".
    pub const SILENT: Self = Self { stdout: String::new(), stderr: String::new(), exit: 0 };

    /// An answer that is read.
    pub fn says(answer: &Value) -> Self {
        Self { stdout: answer.to_string(), stderr: String::new(), exit: 0 }
    }

    /// An answer by exit status. Several agents let the tool run if nothing is on standard error, so something always is.
    ///
    /// ```
    /// use tollgate_wire::dialect::HookAnswer;
    ///
    /// assert_eq!(HookAnswer::fails("no").stderr, "no");
    /// assert!(!HookAnswer::fails(" ").stderr.trim().is_empty());
    /// ```
    pub fn fails(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: worded(reason).to_owned(), exit: 2 }
    }
}

/// Claude Code's answer, which others took over.
pub fn claude_code_hook(ruling: &Ruling) -> HookAnswer {
    HookAnswer::says(&json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason(ruling),
    }}))
}

/// Codex CLI reads Claude Code's answer, and lets the tool run if there is one field more.
pub fn codex_hook(ruling: &Ruling) -> HookAnswer {
    claude_code_hook(ruling)
}

/// Qwen Code reads Claude Code's answer.
pub fn qwen_code_hook(ruling: &Ruling) -> HookAnswer {
    claude_code_hook(ruling)
}

/// Factory's droid reads Claude Code's answer, and ignores its older `decision`.
pub fn droid_hook(ruling: &Ruling) -> HookAnswer {
    claude_code_hook(ruling)
}

/// Gemini CLI knows only the older `decision`, and lets the tool run at any other.
pub fn gemini_cli_hook(ruling: &Ruling) -> HookAnswer {
    HookAnswer::says(&json!({"decision": "deny", "reason": reason(ruling)}))
}

/// Cursor's answer: one text for the person and one for the model.
pub fn cursor_hook(ruling: &Ruling) -> HookAnswer {
    let reason = reason(ruling);
    HookAnswer::says(&json!({"permission": "deny", "user_message": reason, "agent_message": reason}))
}

/// Copilot CLI's answer to an event in camel case (`preToolUse`); the nested one would be ignored here.
pub fn copilot_hook(ruling: &Ruling) -> HookAnswer {
    HookAnswer::says(&json!({"permissionDecision": "deny", "permissionDecisionReason": reason(ruling)}))
}

/// Copilot CLI's answer to an event in Claude Code's spelling (`PreToolUse`).
pub fn copilot_pascal_hook(ruling: &Ruling) -> HookAnswer {
    claude_code_hook(ruling)
}

/// Cline's answer. Exit statuses mean nothing to it, and its `cancel` ends the whole run.
///
/// A shell call can be stopped alone: its commands are replaced by one that prints the reason and fails.
/// Any other tool has no input that is known to be harmless, so there the run ends.
pub fn cline_hook(ruling: &Ruling, tool: &str) -> HookAnswer {
    let reason = reason(ruling);
    if tool == "run_commands" {
        let harmless = format!("echo 'blocked: {}' >&2; exit 1", harmless(reason));
        return HookAnswer::says(&json!({"overrideInput": {"commands": [harmless]}, "context": reason}));
    }
    HookAnswer::says(&json!({"cancel": true, "errorMessage": reason}))
}

/// A reason may quote the very command it refuses, and nobody knows which shell will see it: whatever could
/// mean something to one becomes a blank.
fn harmless(reason: &str) -> String {
    let keeps = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '_' | '-' | '/' | '+' | '=');
    reason.chars().map(|c| if keeps(c) { c } else { ' ' }).collect()
}

/// Windsurf looks at the exit status only.
pub fn windsurf_hook(ruling: &Ruling) -> HookAnswer {
    HookAnswer::fails(reason(ruling))
}

/// Kiro looks at the exit status only.
pub fn kiro_hook(ruling: &Ruling) -> HookAnswer {
    HookAnswer::fails(reason(ruling))
}

/// Goose takes an exit status or, in its newer versions, an answer: it gets both.
pub fn goose_hook(ruling: &Ruling) -> HookAnswer {
    let answer = json!({"decision": "block", "reason": reason(ruling)});
    HookAnswer { stdout: answer.to_string(), ..HookAnswer::fails(reason(ruling)) }
}

#[cfg(test)]
mod tests;

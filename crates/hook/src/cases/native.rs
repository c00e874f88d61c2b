//! How each agent writes an event, and how it reads an answer.
//!
//! Both are written here a second time, from what the agents were seen to do, so that an agent's file cannot agree with
//! itself alone. An agent that is not known here must be added.

#![cfg(test)]

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tollgate_core::Point;
use tollgate_testkit::case::{Document, Facts};
use tollgate_wire::dialect::HookAnswer;
use tollgate_wire::lens::lens_for;

use crate::agent::Hook;

/// A moment as the text that an agent writes to the hook's standard input.
pub(super) fn document(id: &str, hook: &Hook, facts: &Facts, body: &Document) -> Result<String, &'static str> {
    let json = body.json.clone().unwrap_or_default().to_string();
    let raw = body.raw.clone().unwrap_or(json);
    if serde_json::from_str::<&RawValue>(&raw).is_err() {
        return Err("the agent's document would be no JSON");
    }
    let parts = Parts { hook, facts, raw: &raw };
    let members = match id {
        "claude-code" => parts.claude_like(&[("prompt_id", "\"p\"".to_owned()), ("mcp_server", parts.server())]),
        "codex" => parts.claude_like(&[("turn_id", "\"t\"".to_owned()), ("model", parts.model())]),
        "gemini-cli" => parts.gemini(),
        "qwen-code" => parts.claude_like(&[
            ("timestamp", "\"2026-11-15T06:58:10.126Z\"".to_owned()),
            ("permission_mode", "\"default\"".to_owned()),
            ("tool_call_id", text(&facts.call_id)),
            ("submitted_prompt", "\"p\"".to_owned()),
        ]),
        "droid" => parts.droid(),
        "copilot" => parts.copilot(),
        "cursor" => parts.cursor(),
        "windsurf" => parts.windsurf(),
        "cline" => parts.cline(),
        "opencode" => parts.opencode(),
        "openclaw" => parts.openclaw(),
        "kiro" => parts.kiro(),
        "goose" => parts.goose(),
        id => panic!("say here how `{id}` writes its events"),
    };
    Ok(object(&members))
}

struct Parts<'a> {
    hook: &'a Hook,
    facts: &'a Facts,
    /// The case's document, as it is written there.
    raw: &'a str,
}

type Members = Vec<(&'static str, String)>;

/// An object of members that are written already; those without a value are left out.
fn object(members: &[(&str, String)]) -> String {
    let there = members.iter().filter(|(_, value)| !value.is_empty());
    let members: Vec<String> = there.map(|(key, value)| format!("{}:{value}", json!(key))).collect();
    format!("{{{}}}", members.join(","))
}

fn text(value: &Option<String>) -> String {
    value.as_ref().map(|text| json!(text).to_string()).unwrap_or_default()
}

impl Parts<'_> {
    fn at(&self, points: &[Point], value: String) -> String {
        if points.contains(&self.hook.point) { value } else { String::new() }
    }

    fn name(&self) -> String {
        json!(self.hook.name).to_string()
    }

    fn server(&self) -> String {
        self.facts.server.as_ref().map(|name| json!({ "name": name }).to_string()).unwrap_or_default()
    }

    fn model(&self) -> String {
        json!(self.facts.model.clone().unwrap_or_else(|| "m".to_owned())).to_string()
    }

    fn tool(&self) -> String {
        self.at(&[Point::ToolBefore, Point::ToolAfter, Point::ToolPersist], text(&self.facts.name))
    }

    fn call(&self) -> String {
        self.at(&[Point::ToolBefore, Point::ToolAfter, Point::ToolPersist], text(&self.facts.call_id))
    }

    /// The arguments: before a call the document, after it none that a case tells.
    fn input(&self) -> String {
        let before = self.at(&[Point::ToolBefore], self.raw.to_owned());
        if before.is_empty() { self.at(&[Point::ToolAfter], "{}".to_owned()) } else { before }
    }

    /// Whether it is about a call that failed: some agents have an event of its own for that, and some a member.
    fn failed(&self) -> bool {
        let told = ["tool_result", "after_tool_call"].contains(&self.hook.name);
        self.hook.name.ends_with("Failure") || (told && self.facts.ended.as_deref() == Some("error"))
    }

    fn result(&self) -> String {
        if self.failed() { String::new() } else { self.at(&[Point::ToolAfter], self.raw.to_owned()) }
    }

    /// How it failed is always told as a text.
    fn error(&self) -> String {
        let error = if self.raw.starts_with('"') { self.raw.to_owned() } else { json!(self.raw).to_string() };
        if self.failed() { self.at(&[Point::ToolAfter], error) } else { String::new() }
    }

    /// A text that holds the result as JSON.
    fn result_in_text(&self) -> String {
        if self.failed() { String::new() } else { self.at(&[Point::ToolAfter], json!(self.raw).to_string()) }
    }

    fn prompt_text(&self) -> Value {
        serde_json::from_str(&self.prompt()).unwrap_or_default()
    }

    fn prompt(&self) -> String {
        let text = tollgate_wire::part(self.raw.as_bytes(), &["text"]).unwrap_or(b"\"\"");
        self.at(&[Point::PromptSubmit], String::from_utf8(text.to_vec()).unwrap())
    }

    fn claude_like(&self, more: &[(&'static str, String)]) -> Members {
        let mut members = vec![
            ("session_id", text(&self.facts.session)),
            ("transcript_path", "\"/t\"".to_owned()),
            ("cwd", text(&self.facts.cwd)),
            ("hook_event_name", self.name()),
            ("tool_name", self.tool()),
            ("tool_input", self.input()),
            ("tool_response", self.result()),
            ("error", self.error()),
            ("tool_use_id", self.call()),
            ("prompt", self.prompt()),
        ];
        members.extend(more.iter().cloned());
        members
    }

    fn droid(&self) -> Members {
        let mut members = self.claude_like(&[("permission_mode", "\"auto-low\"".to_owned())]);
        members.retain(|(key, _)| !["tool_use_id", "tool_response"].contains(key));
        members.push(("tool_response", self.result_in_text()));
        members
    }

    fn gemini(&self) -> Members {
        let request = json!({"model": self.facts.model.clone().unwrap_or_else(|| "m".to_owned())}).to_string();
        let mut members = self.claude_like(&[
            ("timestamp", "\"2026-11-15T06:54:15.875Z\"".to_owned()),
            (
                "mcp_context",
                self.facts.server.as_ref().map(|name| json!({"server_name": name}).to_string()).unwrap_or_default(),
            ),
            ("llm_request", self.at(&[Point::ModelRequest, Point::ToolList], self.raw.to_owned())),
            ("llm_request", self.at(&[Point::ModelResponse], request)),
            ("llm_response", self.at(&[Point::ModelResponse], self.raw.to_owned())),
        ]);
        members.retain(|(key, _)| *key != "tool_use_id");
        members
    }

    fn copilot(&self) -> Members {
        let camel = self.hook.name.starts_with(char::is_lowercase);
        let permission = self.hook.permission;
        let result = |type_key: &str, text_key: &str| {
            let result = json!({ (type_key): "success", (text_key): self.raw }).to_string();
            if self.failed() { String::new() } else { self.at(&[Point::ToolAfter], result) }
        };
        if permission {
            return vec![
                ("hookName", "\"permissionRequest\"".to_owned()),
                ("sessionId", text(&self.facts.session)),
                ("timestamp", "1794727380959".to_owned()),
                ("cwd", text(&self.facts.cwd)),
                ("toolName", self.tool()),
                ("toolInput", self.input()),
                ("permissionSuggestions", "[]".to_owned()),
            ];
        }
        if camel {
            return vec![
                ("sessionId", text(&self.facts.session)),
                ("timestamp", "1794727380959".to_owned()),
                ("cwd", text(&self.facts.cwd)),
                ("toolName", self.tool()),
                ("toolArgs", self.input()),
                ("toolResult", result("resultType", "textResultForLlm")),
                ("error", self.error()),
                ("prompt", self.prompt()),
            ];
        }
        vec![
            ("hook_event_name", self.name()),
            ("session_id", text(&self.facts.session)),
            ("timestamp", "\"2026-11-15T07:23:00.852Z\"".to_owned()),
            ("cwd", text(&self.facts.cwd)),
            ("tool_name", self.tool()),
            ("tool_input", self.input()),
            ("tool_result", result("result_type", "text_result_for_llm")),
            ("error", self.error()),
            ("prompt", self.prompt()),
        ]
    }

    fn cursor(&self) -> Members {
        vec![
            ("conversation_id", text(&self.facts.session)),
            ("generation_id", "\"g\"".to_owned()),
            ("model", self.model()),
            ("hook_event_name", self.name()),
            ("cursor_version", "\"3.0\"".to_owned()),
            ("workspace_roots", json!([self.facts.cwd.clone().unwrap_or_default()]).to_string()),
            ("tool_name", self.tool()),
            ("tool_input", self.input()),
            ("tool_use_id", self.call()),
            ("cwd", text(&self.facts.cwd)),
            ("tool_output", self.result_in_text()),
            ("error_message", self.error()),
            ("prompt", self.prompt()),
        ]
    }

    fn windsurf(&self) -> Members {
        let info = object(&[
            (
                "mcp_server_name",
                self.at(
                    &[Point::ToolBefore, Point::ToolAfter],
                    json!(self.facts.server.as_deref().unwrap_or("s")).to_string(),
                ),
            ),
            ("mcp_tool_name", self.tool()),
            ("mcp_tool_arguments", self.input()),
            ("mcp_result", self.result()),
            ("user_prompt", self.prompt()),
        ]);
        vec![
            ("agent_action_name", self.name()),
            ("trajectory_id", text(&self.facts.session)),
            ("execution_id", "\"e\"".to_owned()),
            ("timestamp", "\"2026-11-15T07:23:00Z\"".to_owned()),
            ("model_name", self.model()),
            ("tool_info", info),
        ]
    }

    fn cline(&self) -> Members {
        let call = |more: &[(&str, String)]| {
            let mut members = vec![("id", self.call()), ("name", self.tool()), ("input", self.input())];
            members.extend(more.iter().cloned());
            object(&members)
        };
        let session = self.facts.session.clone().unwrap_or_default();
        vec![
            ("clineVersion", "\"3.0.65\"".to_owned()),
            ("timestamp", "\"2026-11-15T07:22:02.485Z\"".to_owned()),
            ("taskId", text(&self.facts.session)),
            ("sessionContext", json!({ "rootSessionId": session }).to_string()),
            ("workspaceRoots", json!([self.facts.cwd.clone().unwrap_or_default()]).to_string()),
            ("hookName", self.name()),
            ("tool_call", self.at(&[Point::ToolBefore], call(&[]))),
            ("tool_result", self.at(&[Point::ToolAfter], call(&[("output", self.result()), ("error", self.error())]))),
            ("userPromptSubmit", self.at(&[Point::PromptSubmit], object(&[("prompt", self.prompt())]))),
        ]
    }

    fn opencode(&self) -> Members {
        let args = self.at(&[Point::ToolAfter], self.input());
        let input = object(&[
            ("tool", self.tool()),
            ("sessionID", text(&self.facts.session)),
            ("callID", self.call()),
            ("args", args),
        ]);
        let output = match self.hook.point {
            Point::ToolBefore => object(&[("args", self.input())]),
            Point::ToolAfter => self.result(),
            Point::PromptSubmit => {
                let model = json!({"providerID": "p", "modelID": self.facts.model});
                json!({"message": {"model": model}, "parts": [{"type": "text", "text": self.prompt_text()}]})
                    .to_string()
            }
            _ => String::new(),
        };
        vec![("hook", self.name()), ("input", input), ("output", output), ("cwd", text(&self.facts.cwd))]
    }

    fn openclaw(&self) -> Members {
        let model = json!({"model": self.facts.model, "said": self.raw}).to_string();
        let event = match self.hook.point {
            Point::ModelRequest | Point::ModelResponse => model,
            _ => object(&[
                ("toolName", self.tool()),
                ("params", self.input()),
                ("toolCallId", self.call()),
                ("result", self.result()),
                ("error", self.error()),
                ("message", self.at(&[Point::ToolPersist, Point::MessageWrite], self.raw.to_owned())),
                ("prompt", self.prompt()),
            ]),
        };
        let context = object(&[("toolName", self.tool()), ("sessionId", text(&self.facts.session))]);
        vec![("hook", self.name()), ("event", event), ("ctx", context), ("cwd", text(&self.facts.cwd))]
    }

    fn kiro(&self) -> Members {
        vec![
            ("hook_event_name", self.name()),
            ("cwd", text(&self.facts.cwd)),
            ("tool_name", self.tool()),
            ("tool_input", self.input()),
            ("tool_response", self.result()),
            ("prompt", self.prompt()),
        ]
    }

    fn goose(&self) -> Members {
        vec![
            ("event", self.name()),
            ("session_id", text(&self.facts.session)),
            ("matcher_context", if self.tool().is_empty() { "null".to_owned() } else { self.tool() }),
            ("tool_name", self.tool()),
            ("tool_input", self.input()),
            ("tool_output", self.result_in_text()),
            ("message", self.prompt()),
            ("message", self.error()),
            ("working_dir", text(&self.facts.cwd)),
        ]
    }
}

/// Whether an agent takes an answer for a refusal that it carries out.
pub(super) fn denies(id: &str, hook: &Hook, answer: &HookAnswer) -> bool {
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let is = |pointer: &str, word: &str| said.pointer(pointer).and_then(Value::as_str) == Some(word);
    let there =
        |pointer: &str| said.pointer(pointer).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let no = |pointer: &str| said.pointer(pointer) == Some(&json!(false));
    let by_exit = answer.exit == 2 && !answer.stderr.trim().is_empty();
    let blocks = is("/decision", "block") && there("/reason");
    let nested =
        is("/hookSpecificOutput/permissionDecision", "deny") && there("/hookSpecificOutput/permissionDecisionReason");
    match (id, hook.point) {
        ("claude-code" | "codex" | "qwen-code", Point::ToolBefore) if hook.permission => {
            is("/hookSpecificOutput/decision/behavior", "deny")
        }
        ("claude-code" | "codex" | "qwen-code" | "droid", Point::ToolBefore) => nested || by_exit,
        ("claude-code", Point::ToolAfter) => blocks && said.pointer("/hookSpecificOutput/updatedToolOutput").is_some(),
        ("qwen-code" | "droid", Point::ToolAfter) => false,
        ("claude-code" | "codex" | "qwen-code" | "droid", _) => blocks || by_exit,
        ("gemini-cli", Point::ToolList) => is("/hookSpecificOutput/toolConfig/mode", "NONE"),
        ("gemini-cli", _) => is("/decision", "deny") || by_exit,
        ("copilot", Point::ToolAfter) => there("/modifiedResult/textResultForLlm"),
        ("copilot", Point::ToolBefore) if hook.permission => is("/behavior", "deny") && there("/message"),
        ("copilot", Point::ToolBefore) if hook.name == "preToolUse" => {
            is("/permissionDecision", "deny") && there("/permissionDecisionReason")
        }
        ("copilot", Point::ToolBefore) => nested,
        ("copilot", _) => blocks,
        ("cursor", Point::ToolAfter) => said.get("updated_mcp_tool_output").is_some(),
        ("cursor", Point::PromptSubmit) => no("/continue"),
        ("cursor", _) => is("/permission", "deny"),
        ("windsurf" | "kiro", _) => by_exit,
        // Older versions look at the status and newer ones at the answer.
        ("goose", _) => blocks && by_exit,
        ("cline", _) => said.get("cancel") == Some(&json!(true)) || harmless(&said),
        // The plugins of these two are ours: they throw the reason, or give it to their agent.
        ("opencode" | "openclaw", _) => is("/decision", "deny") && there("/reason") && answer.exit == 0,
        (id, _) => panic!("say here how `{id}` is refused something"),
    }
}

/// Whether what Cline runs instead does nothing: a command that only fails, or an empty list.
fn harmless(said: &Value) -> bool {
    let command = said.pointer("/overrideInput/commands/0").and_then(Value::as_str);
    let lists = ["files", "queries", "requests"].map(|list| said.pointer(&format!("/overrideInput/{list}")));
    command.is_some_and(|command| command.ends_with("; exit 1")) || lists.contains(&Some(&json!([])))
}

/// Whether an agent takes an answer for a question to its user.
pub(super) fn asks(id: &str, hook: &Hook, answer: &HookAnswer) -> bool {
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let pointer = match (id, hook.name) {
        ("claude-code" | "qwen-code", _) | ("copilot", "PreToolUse") => "/hookSpecificOutput/permissionDecision",
        ("copilot", _) => "/permissionDecision",
        ("cursor", _) => "/permission",
        ("openclaw", _) => "/decision",
        (id, _) => panic!("say here how `{id}` is told to ask"),
    };
    said.pointer(pointer) == Some(&json!("ask"))
}

/// Whether an agent can ask and can run something else, but not both of one call.
pub(super) fn asks_only_as_it_is(id: &str) -> bool {
    ["copilot", "openclaw"].contains(&id)
}

/// Whether an answer has a document in it, or the text of it where an agent takes nothing else.
pub(super) fn carries(answer: &HookAnswer, doc: &Value) -> bool {
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let text = lens_for(doc).text(doc).filter(|text| !text.is_empty());
    holds(&said, doc, text.as_deref())
}

fn holds(said: &Value, doc: &Value, text: Option<&str>) -> bool {
    said == doc
        || match said {
            Value::String(said) => {
                text.is_some_and(|text| said.contains(text))
                    || serde_json::from_str::<Value>(said).ok().as_ref() == Some(doc)
            }
            Value::Array(items) => items.iter().any(|item| holds(item, doc, text)),
            Value::Object(members) => members.values().any(|member| holds(member, doc, text)),
            _ => false,
        }
}

/// Whether an agent that rewrites has no words for this: arguments that are no object, or, where new ones are laid over
/// the old, fewer than before.
pub(super) fn cannot_carry(id: &str, hook: &Hook, before: &Value, after: &Value) -> bool {
    let nothing = Map::new();
    let old = before.as_object().unwrap_or(&nothing);
    let fewer = after.as_object().is_none_or(|after| old.keys().any(|key| !after.contains_key(key)));
    match hook.point {
        Point::ToolBefore => !after.is_object() || (id == "gemini-cli" && fewer),
        Point::ModelRequest => id == "gemini-cli",
        _ => false,
    }
}

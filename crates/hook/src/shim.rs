//! Plugins for agents whose hooks are JavaScript within their own process.
//!
//! The plugin starts this program with `hook <agent>`, writes one document to its standard input and reads one answer:
//!
//! ```text
//! {"decision": "pass" | "rewrite" | "ask" | "deny", "reason": "…", "value": …, "notes": ["…"]}
//! ```
//!
//! Exit status 0 with nothing printed is "pass". Everything else (another status, a signal, a text that is no answer, a
//! program that is not there or takes too long) is an error in the plugin, which its agent takes for a refusal.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tollgate_wire::dialect::HookAnswer;

use crate::agent::{Decision, Payload, Said, otherwise, worded};

/// How long a plugin waits for this program: longer than [`crate::process::DEADLINE`].
pub const PATIENCE: Duration = Duration::from_secs(30);

const JUDGE: &str = include_str!("shim/judge.js");
const OPENCODE: &str = include_str!("shim/opencode.js");
const OPENCLAW: &str = include_str!("shim/openclaw.js");

/// The plugin for OpenCode, one file. `program` is the absolute path of this program.
///
/// ```
/// let plugin = tollgate_hook::shim::opencode("/usr/bin/tollgate");
/// assert!(plugin.contains(r#"const PROGRAM = "/usr/bin/tollgate";"#));
/// ```
pub fn opencode(program: &str) -> String {
    plugin(OPENCODE, program, PATIENCE)
}

/// The plugin for OpenClaw: the files of its folder, by name.
pub fn openclaw(program: &str) -> Vec<(&'static str, String)> {
    let package = json!({
        "name": "tollgate",
        "version": env!("CARGO_PKG_VERSION"),
        "private": true,
        "type": "module",
        "openclaw": { "extensions": ["./index.js"] },
    });
    let manifest = json!({
        "id": "tollgate",
        "name": "Tollgate",
        "description": "Judges every tool call with the policy of Tollgate.",
        "activation": { "onStartup": true },
        "configSchema": { "type": "object", "additionalProperties": false, "properties": {} },
    });
    vec![
        ("package.json", format!("{package:#}\n")),
        ("openclaw.plugin.json", format!("{manifest:#}\n")),
        ("index.js", plugin(OPENCLAW, program, PATIENCE)),
    ]
}

/// One plugin: what asks, then what is asked about. A path in JSON is a text in JavaScript, whatever is in it.
fn plugin(hooks: &str, program: &str, patience: Duration) -> String {
    let program = Value::from(program).to_string();
    let judge = JUDGE.replace("\"@PATIENCE@\"", &patience.as_millis().to_string());
    let judge = judge.replace("\"@PROGRAM@\"", &program);
    format!("{judge}\n{hooks}")
}

/// What the plugins cannot do: have somebody asked about another call than the agent has, and replace a document by one
/// that is no object.
pub(crate) fn fits(_: &Payload<'_>, said: &Said) -> Result<(), String> {
    match said {
        Said::AskRewritten(question, _) => Err(otherwise(question)),
        Said::Rewrite(value) if !value.is_object() => {
            Err("the policy makes something of this that is no object, which cannot be said here, so it is refused"
                .to_owned())
        }
        _ => Ok(()),
    }
}

/// A decision as the plugins read it.
pub(crate) fn answer(decision: &Decision) -> HookAnswer {
    let mut answer = Map::new();
    let mut put = |key: &str, value: Value| drop(answer.insert(key.to_owned(), value));
    match &decision.said {
        Said::Pass => put("decision", json!("pass")),
        Said::Rewrite(value) => {
            put("decision", json!("rewrite"));
            put("value", value.clone());
        }
        Said::Ask(reason) => {
            put("decision", json!("ask"));
            put("reason", json!(worded(reason)));
        }
        // Their agents cannot be asked about another call than the one they have.
        Said::Deny(reason) | Said::AskRewritten(reason, _) => {
            put("decision", json!("deny"));
            put("reason", json!(worded(reason)));
        }
    }
    if !decision.notes.is_empty() {
        put("notes", json!(decision.notes));
    }
    HookAnswer::says(&Value::Object(answer))
}

#[cfg(test)]
mod tests;

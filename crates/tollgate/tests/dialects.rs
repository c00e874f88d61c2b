//! One refusal in the words of every dialect.

mod common;

use std::fmt::Write;

use expect_test::expect;
use serde_json::json;
use tollgate::{Call, Dialect, Gate, Tool, ToolError, Verdict, block_on};

use common::Test;

const DIALECTS: [(&str, Dialect); 7] = [
    ("STATUS", Dialect::STATUS),
    ("STATUS_ERROR", Dialect::STATUS_ERROR),
    ("CONTENT", Dialect::CONTENT),
    ("FIREWALL", Dialect::FIREWALL),
    ("DETAILS", Dialect::DETAILS),
    ("TOOL_BLOCKED", Dialect::TOOL_BLOCKED),
    ("MCP", Dialect::MCP),
];

/// What a call of `bash` comes to in each dialect.
fn rendered(gate: &Gate) -> Result<String, std::fmt::Error> {
    let tool = Tool::new("Bash", |_| async { Err(ToolError("exit status 1".into())) });
    let mut lines = String::new();
    for (name, dialect) in DIALECTS {
        let session = gate.session("s").dialect(dialect);
        let done = block_on(session.call(&tool, Call::new("c1", json!({"command": "ls"}))));
        writeln!(lines, "{name:12} {}", done.value)?;
    }
    Ok(lines)
}

#[test]
fn a_call_that_is_refused() -> Test {
    let gate = Gate::new();
    gate.before_tool("no").guard(|_, _| Verdict::deny("no shell here"))?;
    expect![[r#"
        STATUS       {"status":"blocked","tool":"exec","reason":"no shell here"}
        STATUS_ERROR {"status":"error","tool":"exec","error":"no shell here"}
        CONTENT      {"content":[{"type":"text","text":"blocked: no shell here"}],"details":{}}
        FIREWALL     {"content":[{"type":"text","text":"[firewall] blocked: no shell here"}],"details":{}}
        DETAILS      {"content":[{"type":"text","text":"no shell here"}],"details":{"status":"blocked","deniedReason":"plugin-before-tool-call","reason":"no shell here"}}
        TOOL_BLOCKED "TOOL_BLOCKED: {\"blocked\":true,\"reason\":\"no shell here\",\"tool\":\"exec\",\"callId\":\"c1\"}"
        MCP          {"content":[{"type":"text","text":"no shell here"}],"isError":true}
    "#]].assert_eq(&rendered(&gate)?);
    Ok(())
}

#[test]
fn a_result_that_is_refused() -> Test {
    let gate = Gate::new();
    gate.after_tool("no").guard(|_, _| Verdict::deny("it leaks"))?;
    expect![[r#"
        STATUS       {"status":"blocked","tool":"exec","reason":"it leaks"}
        STATUS_ERROR {"status":"error","tool":"exec","error":"it leaks"}
        CONTENT      {"content":[{"type":"text","text":"blocked: it leaks"}],"details":{}}
        FIREWALL     {"content":[{"type":"text","text":"[firewall] blocked: it leaks"}],"details":{}}
        DETAILS      {"content":[{"type":"text","text":"it leaks"}],"details":{"status":"blocked","deniedReason":"plugin-before-tool-call","reason":"it leaks"}}
        TOOL_BLOCKED "TOOL_BLOCKED: it leaks"
        MCP          {"content":[{"type":"text","text":"it leaks"}],"isError":true}
    "#]].assert_eq(&rendered(&gate)?);
    Ok(())
}

#[test]
fn a_call_that_nobody_approved() -> Test {
    let gate = Gate::new();
    gate.before_tool("ask").guard(|_, _| Verdict::ask("Run it?"))?;
    expect![[r#"
        STATUS       {"status":"blocked","tool":"exec","reason":"nobody approved it: Run it?"}
        STATUS_ERROR {"status":"error","tool":"exec","error":"nobody approved it: Run it?"}
        CONTENT      {"content":[{"type":"text","text":"blocked: nobody approved it: Run it?"}],"details":{}}
        FIREWALL     {"content":[{"type":"text","text":"[firewall] blocked: nobody approved it: Run it?"}],"details":{}}
        DETAILS      {"content":[{"type":"text","text":"nobody approved it: Run it?"}],"details":{"status":"blocked","deniedReason":"plugin-approval","reason":"nobody approved it: Run it?"}}
        TOOL_BLOCKED "TOOL_BLOCKED: {\"blocked\":true,\"reason\":\"nobody approved it: Run it?\",\"tool\":\"exec\",\"callId\":\"c1\"}"
        MCP          {"content":[{"type":"text","text":"nobody approved it: Run it?"}],"isError":true}
    "#]].assert_eq(&rendered(&gate)?);
    Ok(())
}

#[test]
fn a_handler_that_broke() -> Test {
    let gate = Gate::new();
    gate.before_tool("broken").mend("run `make rules`").guard(|_, _| Err::<(), _>("no rules"))?;
    expect![[r#"
        STATUS       {"status":"blocked","tool":"exec","reason":"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}
        STATUS_ERROR {"status":"error","tool":"exec","error":"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}
        CONTENT      {"content":[{"type":"text","text":"blocked: `broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}],"details":{}}
        FIREWALL     {"content":[{"type":"text","text":"[firewall] pre-hook error: `broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}],"details":{}}
        DETAILS      {"content":[{"type":"text","text":"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}],"details":{"status":"blocked","deniedReason":"plugin-before-tool-call","reason":"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}}
        TOOL_BLOCKED "TOOL_BLOCKED: {\"blocked\":true,\"reason\":\"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`\",\"tool\":\"exec\",\"callId\":\"c1\"}"
        MCP          {"content":[{"type":"text","text":"`broken` could not judge this (crash: no rules), so it is refused; to mend it: run `make rules`"}],"isError":true}
    "#]].assert_eq(&rendered(&gate)?);
    Ok(())
}

#[test]
fn a_tool_that_failed() -> Test {
    expect![[r#"
        STATUS       {"status":"error","tool":"exec","error":"exit status 1"}
        STATUS_ERROR {"status":"error","tool":"exec","error":"exit status 1"}
        CONTENT      {"status":"error","tool":"exec","error":"exit status 1"}
        FIREWALL     {"status":"error","tool":"exec","error":"exit status 1"}
        DETAILS      {"status":"error","tool":"exec","error":"exit status 1"}
        TOOL_BLOCKED "TOOL_ERROR: {\"errorType\":\"ToolError\",\"error\":\"exit status 1\",\"tool\":\"exec\",\"callId\":\"c1\"}"
        MCP          {"content":[{"type":"text","text":"exit status 1"}],"isError":true}
    "#]].assert_eq(&rendered(&Gate::new())?);
    Ok(())
}

#[test]
fn a_dialect_of_ones_own() -> Test {
    let gate = Gate::new();
    gate.before_tool("no").tool("exec").guard(|_, _| Verdict::deny("no shell here"))?;
    let shouts = Dialect {
        blocked: |refusal| {
            let by = refusal.ruling.by.as_deref().unwrap_or("nobody");
            json!(format!("{} {} {by}: {}", refusal.tool, refusal.call_id, refusal.ruling.reason.to_uppercase()))
        },
        failed: |failure| json!(format!("{}: {}", failure.tool, failure.error.to_uppercase())),
    };
    let session = gate.session("s").dialect(shouts);
    for (name, expected) in [("bash", "exec c1 no: NO SHELL HERE"), ("read", "read: NO FILE")] {
        let tool = Tool::new(name, |_| async { Err(ToolError("no file".into())) });
        assert_eq!(block_on(session.call(&tool, Call::new("c1", json!({})))).value, json!(expected));
    }
    Ok(())
}

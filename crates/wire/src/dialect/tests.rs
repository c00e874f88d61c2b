use std::fmt::Write as _;

use expect_test::expect;

use super::*;

const TOOL: &str = "Bash";
const CALL: Option<&str> = Some("call-7");

fn ruling(reason: &'static str) -> Ruling {
    Ruling { by: Some("no-rm".into()), cause: Cause::Objection, reason: reason.into() }
}

/// Every shape by its name, each as the text that leaves.
fn all(ruling: &Ruling) -> Vec<(&'static str, String)> {
    let mut shapes = results(ruling);
    let errors = [
        ("anthropic_messages", anthropic_messages(ruling)),
        ("openai_chat", openai_chat(ruling)),
        ("openai_responses", openai_responses(ruling)),
        ("gemini", gemini(ruling)),
    ];
    shapes.extend(errors.map(|(name, HttpError { status, body })| (name, format!("{status} {body}"))));
    let answers = [
        ("claude_code_hook", claude_code_hook(ruling)),
        ("codex_hook", codex_hook(ruling)),
        ("gemini_cli_hook", gemini_cli_hook(ruling)),
        ("cursor_hook", cursor_hook(ruling)),
        ("copilot_hook", copilot_hook(ruling)),
        ("copilot_pascal_hook", copilot_pascal_hook(ruling)),
        ("qwen_code_hook", qwen_code_hook(ruling)),
        ("cline_hook", cline_hook(ruling, "run_commands")),
        ("cline_hook, other tool", cline_hook(ruling, "read_files")),
        ("windsurf_hook", windsurf_hook(ruling)),
        ("droid_hook", droid_hook(ruling)),
        ("kiro_hook", kiro_hook(ruling)),
        ("goose_hook", goose_hook(ruling)),
    ];
    shapes.extend(answers.map(|(name, answer)| (name, answer_text(&answer))));
    shapes
}

fn results(ruling: &Ruling) -> Vec<(&'static str, String)> {
    vec![
        ("status_blocked", status_blocked(ruling, TOOL).to_string()),
        ("status_error", status_error(ruling, TOOL).to_string()),
        ("tool_blocked", tool_blocked(ruling, TOOL, CALL)),
        ("tool_blocked, no call id", tool_blocked(ruling, TOOL, None)),
        ("tool_blocked_after", tool_blocked_after(ruling)),
        ("prompt_blocked", prompt_blocked(ruling)),
        ("tool_error", tool_error("TimeoutError", &ruling.reason, TOOL, CALL)),
        ("content_blocked", content_blocked(ruling).to_string()),
        ("firewall_blocked", firewall_blocked(ruling).to_string()),
        ("firewall_fault", firewall_fault("pre", &ruling.reason).to_string()),
        ("details_blocked", details_blocked(ruling).to_string()),
        ("mcp_error", mcp_error(ruling).to_string()),
    ]
}

fn answer_text(answer: &HookAnswer) -> String {
    let HookAnswer { stdout, stderr, exit } = answer;
    let shown = [("stdout", stdout), ("stderr", stderr)].into_iter().filter(|(_, text)| !text.is_empty());
    shown.fold(format!("exit {exit}"), |all, (name, text)| format!("{all}, {name} {text}"))
}

#[test]
fn every_shape() {
    let mut text = String::new();
    for (name, shape) in all(&ruling("no \"rm\", try `mv`")) {
        writeln!(text, "{name}\n    {shape}").unwrap();
    }
    expect![[r#"
        status_blocked
            {"status":"blocked","tool":"Bash","reason":"no \"rm\", try `mv`"}
        status_error
            {"status":"error","tool":"Bash","error":"no \"rm\", try `mv`"}
        tool_blocked
            TOOL_BLOCKED: {"blocked":true,"reason":"no \"rm\", try `mv`","tool":"Bash","callId":"call-7"}
        tool_blocked, no call id
            TOOL_BLOCKED: {"blocked":true,"reason":"no \"rm\", try `mv`","tool":"Bash","callId":null}
        tool_blocked_after
            TOOL_BLOCKED: no "rm", try `mv`
        prompt_blocked
            PROMPT_BLOCKED: no "rm", try `mv`
        tool_error
            TOOL_ERROR: {"errorType":"TimeoutError","error":"no \"rm\", try `mv`","tool":"Bash","callId":"call-7"}
        content_blocked
            {"content":[{"type":"text","text":"blocked: no \"rm\", try `mv`"}],"details":{}}
        firewall_blocked
            {"content":[{"type":"text","text":"[firewall] blocked: no \"rm\", try `mv`"}],"details":{}}
        firewall_fault
            {"content":[{"type":"text","text":"[firewall] pre-hook error: no \"rm\", try `mv`"}],"details":{}}
        details_blocked
            {"content":[{"type":"text","text":"no \"rm\", try `mv`"}],"details":{"status":"blocked","deniedReason":"plugin-before-tool-call","reason":"no \"rm\", try `mv`"}}
        mcp_error
            {"content":[{"type":"text","text":"no \"rm\", try `mv`"}],"isError":true}
        anthropic_messages
            403 {"type":"error","error":{"type":"permission_error","message":"no \"rm\", try `mv`"}}
        openai_chat
            403 {"error":{"message":"no \"rm\", try `mv`","type":"request_forbidden","param":null,"code":"blocked"}}
        openai_responses
            403 {"error":{"message":"no \"rm\", try `mv`","type":"request_forbidden","param":null,"code":"blocked"}}
        gemini
            403 {"error":{"code":403,"message":"no \"rm\", try `mv`","status":"PERMISSION_DENIED"}}
        claude_code_hook
            exit 0, stdout {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}}
        codex_hook
            exit 0, stdout {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}}
        gemini_cli_hook
            exit 0, stdout {"decision":"deny","reason":"no \"rm\", try `mv`"}
        cursor_hook
            exit 0, stdout {"permission":"deny","user_message":"no \"rm\", try `mv`","agent_message":"no \"rm\", try `mv`"}
        copilot_hook
            exit 0, stdout {"permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}
        copilot_pascal_hook
            exit 0, stdout {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}}
        qwen_code_hook
            exit 0, stdout {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}}
        cline_hook
            exit 0, stdout {"overrideInput":{"commands":["echo 'blocked: no  rm , try  mv ' >&2; exit 1"]},"context":"no \"rm\", try `mv`"}
        cline_hook, other tool
            exit 0, stdout {"cancel":true,"errorMessage":"no \"rm\", try `mv`"}
        windsurf_hook
            exit 2, stderr no "rm", try `mv`
        droid_hook
            exit 0, stdout {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"rm\", try `mv`"}}
        kiro_hook
            exit 2, stderr no "rm", try `mv`
        goose_hook
            exit 2, stdout {"decision":"block","reason":"no \"rm\", try `mv`"}, stderr no "rm", try `mv`
    "#]].assert_eq(&text);
}

#[test]
fn a_reason_is_never_empty() {
    for reason in ["", " \n\t"] {
        for (name, shape) in all(&ruling(reason)) {
            assert!(shape.contains(NO_REASON), "{name}: {shape}");
        }
    }
}

#[test]
fn who_stood_in_the_way() {
    for (cause, expected) in [
        (Cause::Objection, "plugin-before-tool-call"),
        (Cause::Ambiguous, "plugin-before-tool-call"),
        (Cause::Refused, "plugin-approval"),
        (Cause::Expired, "plugin-approval"),
        (Cause::Mismatch, "plugin-approval"),
    ] {
        let ruling = Ruling::of_pipeline(cause, "no");
        assert_eq!(details_blocked(&ruling)["details"]["deniedReason"], expected, "{cause:?}");
    }
}

#[test]
fn runs_elsewhere() {
    let run = SandboxRun { exit_code: Some(1), stdout: "a\n", stderr: "b", ..SandboxRun::default() };
    for (run, expected) in [
        (run.clone(), r#"{"routed":true,"exitCode":1,"stdout":"a\n","stderr":"b","tool":"Bash"}"#),
        (
            SandboxRun { exit_code: None, timed_out: true, ..run.clone() },
            r#"{"routed":true,"exitCode":null,"stdout":"a\n","stderr":"b","tool":"Bash","timedOut":true}"#,
        ),
        (
            SandboxRun { canceled: true, ..run },
            r#"{"routed":true,"exitCode":1,"stdout":"a\n","stderr":"b","tool":"Bash","canceled":true}"#,
        ),
    ] {
        assert_eq!(sandbox_result(&run, TOOL), format!("SANDBOX_RESULT: {expected}"), "{run:?}");
    }
}

/// No shell may find anything to run in a reason, whatever it takes for a quote.
#[test]
fn nothing_of_a_reason_reaches_a_shell() {
    for (reason, expected) in [
        ("no $(rm -rf /)", "no   rm -rf / "),
        ("it's `x`\n& del *", "it s  x    del  "),
        ("’; rm %PATH% |\"\\", "   rm  PATH     "),
        ("größe 1.5, a:b_c=d", "größe 1.5, a:b_c=d"),
    ] {
        assert_eq!(harmless(reason), expected, "{reason}");
    }
}

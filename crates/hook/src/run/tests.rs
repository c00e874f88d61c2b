#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::Arc;

use expect_test::{Expect, expect};
use tollgate_clock::SystemClock;
use tollgate_config::{File, Layer, combine, today};
use tollgate_core::Registry;
use tollgate_engine::state::{Ledger, Space, State, StateError, Work};
use tollgate_engine::{Disk, Parts};
use tollgate_testkit::actors::Log;
use tollgate_testkit::case::Interceptor;

use super::*;
use crate::agents::find;
use crate::testing::shown;

/// What is answered to a document where an edit stands at a point, and what a watcher sees of the call.
fn check(agent: &str, document: &Value, point: &str, actor: &str, params: Value, expected: Expect) {
    let log = Log::default();
    let clock = Arc::new(SystemClock::default());
    let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
    let edit = json!({ "id": "edit", "actor": actor, "params": params, "points": [point] });
    let watch = |point: &str| json!({ "id": point, "actor": "see", "points": [point] });
    for registration in [edit, watch("tool.before"), watch("tool.after")] {
        let interceptor: Interceptor = serde_json::from_value(registration).unwrap();
        registry.add(interceptor.build(&log).unwrap()).unwrap();
    }
    let gate = Gate { pipeline: registry.snapshot(), engine: None, here: None, tells: Vec::new() };
    let (text, mut doc) = (document.to_string(), Value::Null);
    let read =
        read(find(agent).unwrap(), None, text.as_bytes(), &mut doc).unwrap_or_else(|answer| unreachable!("{answer:?}"));
    let answer = shown(&answer(&gate, &read));
    expected.assert_eq(&format!("{answer}{}\n", log.take().join("\n")));
}

fn after(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {}, "tool_response": "key"})
}

/// Nobody is told that something was refused which the model reads all the same.
#[test]
fn a_result_that_cannot_be_changed_is_told_as_that() {
    let hide = || json!({ "find": "key", "with": "[redacted]" });
    check(
        "qwen-code",
        &after("PostToolUse"),
        "tool.after",
        "replace",
        hide(),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"the policy would have changed this result, and Qwen Code cannot change results here"}
            tool.after:pass
        "#]],
    );
    check(
        "droid",
        &after("PostToolUse"),
        "tool.after",
        "replace",
        hide(),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"the policy would have changed this result, and Factory droid cannot change results here"}
            tool.after:pass
        "#]],
    );
    check(
        "qwen-code",
        &after("PostToolUse"),
        "tool.after",
        "deny",
        json!({ "reason": "secret" }),
        expect![[r#"
            exit 0
            stdout: {"systemMessage":"secret"}
            tool.after:deny
        "#]],
    );
}

/// A call that the agent cannot be given in its new form has ended, and whoever watches is told.
#[test]
fn a_call_that_cannot_be_rewritten_ends_here() {
    let call = |event: &str| json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls", "env": 1}});
    let fewer = || json!({ "json": {"command": "ls"} });
    check(
        "gemini-cli",
        &call("BeforeTool"),
        "tool.before",
        "body",
        fewer(),
        expect![[r#"
            exit 0
            stdout: {"decision":"deny","reason":"the policy takes `env` out of this call, which Gemini CLI cannot do, so it is refused"}
            tool.before:pass
            tool.after:pass
        "#]],
    );
    check(
        "claude-code",
        &call("PreToolUse"),
        "tool.before",
        "body",
        fewer(),
        expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}
            tool.before:pass
        "#]],
    );
    check(
        "claude-code",
        &call("PreToolUse"),
        "tool.before",
        "body",
        json!({ "json": [1] }),
        expect![[r#"
            exit 0
            stdout: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy gives this call arguments that are no object, which Claude Code does not take, so it is refused"}}
            tool.before:pass
            tool.after:pass
        "#]],
    );
    let open_code =
        json!({"hook": "tool.execute.before", "input": {"tool": "bash"}, "output": {"args": {"command": "ls"}}});
    check(
        "opencode",
        &open_code,
        "tool.before",
        "body",
        json!({ "json": [1] }),
        expect![[r#"
            exit 0
            stdout: {"decision":"deny","reason":"the policy gives this call arguments that are no object, which OpenCode does not take, so it is refused"}
            tool.before:pass
            tool.after:pass
        "#]],
    );
}

/// An event that can refuse nothing ends no call.
#[test]
fn a_call_that_goes_on_has_not_ended() {
    let document = json!({"event": "BeforeReadFile", "matcher_context": "x", "tool_input": {"path": "a"}});
    check(
        "goose",
        &document,
        "tool.before",
        "deny",
        json!({ "reason": "no" }),
        expect![[r#"
            exit 0
            tool.before:deny
        "#]],
    );
}

/// A store that is broken.
struct Broken;

impl State for Broken {
    fn lend(&self, _: &[Space<'_>], _: &mut Work<'_>) -> Result<(), StateError> {
        Err(StateError::new("the disk is full"))
    }

    fn look(&self, _: &[Space<'_>]) -> Result<Vec<Arc<Ledger>>, StateError> {
        Err(StateError::new("the disk is full"))
    }
}

/// Whatever was reserved for a call that is refused after it was judged is given back at its end.
#[test]
fn a_call_whose_approval_cannot_be_looked_up_ends_here() {
    let policy = "packs.use = []\n[[rule]]\nid = 'ask'\ntool = '*'\nask = 'sure?'\n";
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), policy.into()).unwrap();
    let log = Log::default();
    let watch = |point: &str| {
        let form = json!({ "id": point, "actor": "see", "points": [point] });
        serde_json::from_value::<Interceptor>(form).unwrap().build(&log).unwrap()
    };
    let parts = Parts {
        state: Arc::new(Broken),
        clock: Arc::new(SystemClock::default()),
        ambient: Arc::new(Disk::new(None)),
        report: None,
        more: vec![watch("tool.before"), watch("tool.after")],
    };
    let engine = Engine::new(combine(vec![file], true, today()).unwrap(), parts).unwrap();
    let gate = Gate { pipeline: engine.pipeline(), engine: Some(&engine), here: None, tells: Vec::new() };
    let text = r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let mut doc = Value::Null;
    let read = read(find("claude-code").unwrap(), None, text.as_bytes(), &mut doc).unwrap();
    let said = decide(&gate, &read).said;
    assert!(matches!(&said, Said::Deny(reason) if reason.contains("the disk is full")), "{said:?}");
    assert_eq!(log.take(), ["tool.before:ask", "tool.after:pass"]);
}

/// The event that a document is taken for, or how it is refused.
fn taken(agent: &str, event: Option<&str>, document: &str) -> String {
    let mut doc = Value::Null;
    match read(find(agent).unwrap(), event, document.as_bytes(), &mut doc) {
        Ok(read) => read.payload.hook.name.to_owned(),
        Err(answer) => shown(&answer).lines().find(|line| line.contains("could not judge")).unwrap().to_owned(),
    }
}

#[test]
fn a_registration_at_a_gate_is_asked_about_that_gate() {
    let before = r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{}}"#;
    let after = before.replace("PreToolUse", "PostToolUse");
    let over = before.replace("PreToolUse", "SessionEnd");
    let torn = |told: &str| format!("the registration names PreToolUse, and the document is about {told}");
    for (event, document, expected) in [
        (None, before, "PreToolUse".to_owned()),
        (Some("PreToolUse"), before, "PreToolUse".to_owned()),
        (Some("PreToolUse"), &after, torn("PostToolUse")),
        (Some("PreToolUse"), &over, torn("SessionEnd")),
        // Where nothing is refused, the document knows better.
        (Some("SessionEnd"), before, "PreToolUse".to_owned()),
        (Some("Nonsense"), before, "PreToolUse".to_owned()),
    ] {
        let said = taken("claude-code", event, document);
        assert!(said.contains(&expected), "{event:?} {document}: {said}");
    }
    // What is inferred is no more than a guess.
    let camel = r#"{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"bash","toolArgs":{},"toolResult":{}}"#;
    assert_eq!(taken("copilot", Some("preToolUse"), camel), "preToolUse");
    assert_eq!(taken("copilot", Some("postToolUse"), camel), "postToolUse");
    assert_eq!(taken("copilot", None, camel), "postToolUse");
}

#[test]
fn an_envelope_that_can_be_read_in_two_ways_is_refused_at_every_event() {
    for (document, refused) in [
        (r#"{"hook_event_name":"PreToolUse","hook_event_name":"SessionEnd","session_id":"s"}"#, true),
        (r#"{"hook_event_name":"PreToolUse","hook_event\u005fname":"SessionEnd","session_id":"s"}"#, true),
        (r#"{"hook_event_name":"SessionEnd","session_id":"s","session_id":"t"}"#, true),
        (r#"{"hook_event_name":"SessionEnd","session_id":"s","reason":{"a:\"":1,"a:\"":2}}"#, false),
        (r#"{"hook_event_name":"SessionEnd","session_id":"s","reason":"{\"a\":1}"}"#, false),
    ] {
        let said = taken("claude-code", None, document);
        assert_eq!(said.contains("can be read in two ways"), refused, "{document}: {said}");
        assert!(refused || said == "SessionEnd", "{document}: {said}");
    }
}

/// Claude Code, decoded by another function.
fn decoded_by(decode: for<'a> fn(&Payload<'a>) -> Result<DecodedEvent<'a>, String>) -> &'static Agent {
    Box::leak(Box::new(Agent { decode, calls: |_| true, doubled: true, ..*find("claude-code").unwrap() }))
}

const CALL: &[u8] = br#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"a":1}}"#;

#[test]
fn a_document_is_decoded_once() {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let agent = decoded_by(|payload| {
        COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        (find("claude-code").unwrap().decode)(payload)
    });
    let home = std::env::temp_dir().join(format!("tollgate-decoded-{}", std::process::id()));
    let paths =
        Paths::find(Path::new("/"), None, |name| (name == "TOLLGATE_HOME").then(|| home.clone().into_os_string()));
    let clock = Arc::new(SystemClock::default());
    let pipeline = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest).snapshot();
    let gate = Gate { pipeline, engine: None, here: None, tells: Vec::new() };
    let mut doc = Value::Null;
    let read = read(agent, None, CALL, &mut doc).unwrap();
    folder_of(&read).unwrap();
    let claim = match once::look_up(agent, None, &read, &paths).unwrap() {
        Earlier::Nothing(Some(claim)) => claim,
        Earlier::Nothing(None) | Earlier::Decided(_) => unreachable!("it is doubled and new"),
    };
    let decision = decide(&gate, &read);
    claim.keep(&read, &decision).unwrap();
    assert_eq!(shown(&say(&read, decision)), "exit 0\n");
    std::fs::remove_dir_all(&home).unwrap();
    assert_eq!(COUNT.load(std::sync::atomic::Ordering::SeqCst), 1);
}

/// Every agent shows such a refusal to its model; the one for a document that nobody understood, not all do.
#[test]
fn a_decoder_that_breaks_is_a_refusal_in_the_words_of_the_event() {
    let agent = decoded_by(|_| unreachable!("broken"));
    let mut doc = Value::Null;
    let read = read(agent, None, CALL, &mut doc).unwrap();
    let clock = Arc::new(SystemClock::default());
    let pipeline = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest).snapshot();
    let said = shown(&answer(&Gate { pipeline, engine: None, here: None, tells: Vec::new() }, &read));
    assert!(said.contains(r#""permissionDecision":"deny""#) && said.contains("broken"), "{said}");
}

#[test]
fn the_call_that_is_always_refused_is_told_from_one_that_speaks_of_it() {
    let clock = Arc::new(SystemClock::default());
    let registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
    let gate = Gate { pipeline: registry.snapshot(), engine: None, here: None, tells: Vec::new() };
    for (input, refused) in [
        (json!({ "command": CANARY }), true),
        (json!({ "other": 1, "command": ["sh", CANARY] }), true),
        (json!({ "command": format!("echo {CANARY}") }), false),
        (json!({ "command": { "deeper": CANARY } }), false),
        (json!({ "command": "ls" }), false),
    ] {
        let document =
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": input});
        let (text, mut doc) = (document.to_string(), Value::Null);
        let read = read(find("claude-code").unwrap(), None, text.as_bytes(), &mut doc).unwrap();
        assert_eq!(shown(&answer(&gate, &read)).contains(CANARY_REASON), refused, "{document}");
    }
}

#[test]
fn a_key_counts_as_twice_where_the_document_itself_has_it() {
    for (text, expected) in [
        (r#"{"a":1,"b":2}"#, false),
        (r#"{"a":1,"a":2}"#, true),
        (r#"{"a":{"b":1,"b":2}}"#, false),
        (r#"{"a":[{"b":1}],"a":2}"#, true),
        (r#"{"a":"b:c"}"#, false),
        (r#"{"a":"{","b":"]"}"#, false),
        (r#"{"a":"\":","b":"\\"}"#, false),
        ("[]", false),
    ] {
        let doc: Value = serde_json::from_str(text).unwrap();
        assert_eq!(has_a_key_twice(text.as_bytes(), &doc), expected, "{text}");
    }
}

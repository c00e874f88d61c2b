//! What a program is told: its input, its surroundings, and in whose words.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::time::Duration;

use common::{Folder, run, said};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tollgate_core::{Body, Ended, Event, Names, OnFault, Point, Said};
use tollgate_host_command::{Given, Hook, Protocol, find};

/// What a program read at a point, in every protocol that has words for it.
fn check(point: Point, doc: &Value, expected: Expect) {
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let arguments = Body::from(json!({"command": "make"}));
    let mut event = Event { session: Some("s-1"), cwd: Some("/nowhere"), ..Event::at(point) };
    event.own = &[("client", "ide")];
    if point.is_about_a_tool() {
        (event.name, event.call_id) = (Some(&name), Some("call-1"));
    }
    if point == Point::ToolAfter {
        (event.arguments, event.ended) = (Some(&arguments), Some(Ended::Ok));
    }
    let mut shown = String::new();
    for protocol in
        [Protocol::Tollgate, Protocol::Seed, Protocol::ClaudeCode].into_iter().filter(|all| all.knows(point))
    {
        let folder = Folder::new();
        let (outcome, body) = run(folder.hook("cat > read", protocol), event, OnFault::Deny, doc.clone());
        assert_eq!(said(&outcome, &body, doc), "pass", "{protocol:?}");
        shown += &format!("{}: {}\n", protocol.name(), folder.read("read"));
    }
    expected.assert_eq(&shown);
}

#[test]
fn before_a_call() {
    check(
        Point::ToolBefore,
        &json!({"command": "make"}),
        expect![[r#"
            tollgate: {"v":2,"event":{"point":"tool.before","name":{"written":"Bash","normal":"exec"},"kind":"exec","call_id":"call-1","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"name":"Bash","arguments":{"command":"make"}}}
            seed: {"name":"Bash","arguments":"{\"command\":\"make\"}","callId":"call-1","type":"function"}
            claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"call-1"}
        "#]],
    );
}

#[test]
fn after_a_call() {
    let doc = json!({"content": [{"type": "text", "text": "done"}, {"type": "text", "text": "twice"}]});
    check(
        Point::ToolAfter,
        &doc,
        expect![[r#"
            tollgate: {"v":2,"event":{"point":"tool.after","name":{"written":"Bash","normal":"exec"},"kind":"exec","call_id":"call-1","session":"s-1","cwd":"/nowhere","own":{"client":"ide"},"ended":"ok","arguments":{"command":"make"}},"body":{"json":{"content":[{"type":"text","text":"done"},{"type":"text","text":"twice"}]}}}
            seed: {"call":{"name":"Bash","arguments":"{\"command\":\"make\"}","callId":"call-1","type":"function"},"output":"done\ntwice"}
            claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"call-1","tool_response":{"content":[{"type":"text","text":"done"},{"type":"text","text":"twice"}]}}
        "#]],
    );
}

#[test]
fn a_prompt() {
    check(
        Point::PromptSubmit,
        &json!({"text": "hello"}),
        expect![[r#"
            tollgate: {"v":2,"event":{"point":"prompt.submit","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{"text":"hello"}}}
            seed: {"input":"hello"}
            claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"hello"}
        "#]],
    );
}

#[test]
fn the_life_of_a_session() {
    for (point, expected) in [
        (
            Point::SessionStart,
            expect![[r#"
                tollgate: {"v":2,"event":{"point":"session.start","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{}}}
                seed: {"point":"session.start","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}}
                claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"SessionStart","source":"startup"}
            "#]],
        ),
        (
            Point::TurnStop,
            expect![[r#"
                tollgate: {"v":2,"event":{"point":"turn.stop","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{}}}
                seed: {"point":"turn.stop","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}}
                claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false}
            "#]],
        ),
        (
            Point::CompactBefore,
            expect![[r#"
                tollgate: {"v":2,"event":{"point":"compact.before","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{}}}
                seed: {"point":"compact.before","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}}
                claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}
            "#]],
        ),
        (
            Point::ModelRequest,
            expect![[r#"
                tollgate: {"v":2,"event":{"point":"model.request","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{}}}
            "#]],
        ),
    ] {
        check(point, &json!({}), expected);
    }
    check(
        Point::CompactBefore,
        &json!({"reason": "manual", "size": 9000}),
        expect![[r#"
            tollgate: {"v":2,"event":{"point":"compact.before","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{"reason":"manual","size":9000}}}
            seed: {"point":"compact.before","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}}
            claude-code: {"session_id":"s-1","transcript_path":"","cwd":"/nowhere","permission_mode":"default","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":""}
        "#]],
    );
    check(
        Point::CompactAfter,
        &json!({"reason": "manual", "size": 900}),
        expect![[r#"
        tollgate: {"v":2,"event":{"point":"compact.after","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}},"body":{"json":{"reason":"manual","size":900}}}
        seed: {"point":"compact.after","session":"s-1","cwd":"/nowhere","own":{"client":"ide"}}
    "#]],
    );
}

#[test]
fn results_and_prompts_can_be_rewritten() {
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let arguments = Body::from(json!({}));
    let after =
        Event { arguments: Some(&arguments), ended: Some(Ended::Ok), ..Event::tool(Point::ToolAfter, &name, "c") };
    let prompt = Event::at(Point::PromptSubmit);
    let result = json!({"content": [{"type": "text", "text": "key"}]});
    let asked = json!({"text": "hello", "attachments": []});
    for (event, doc, protocol, line, expected) in [
        (
            after,
            &result,
            Protocol::Tollgate,
            r#"echo '{"decision":"modify","output":"***"}'"#,
            r#"pass -> {"content":[{"type":"text","text":"***"}]}"#,
        ),
        (
            after,
            &result,
            Protocol::Tollgate,
            r#"echo '{"decision":"modify","result":{"content":"x"}}'"#,
            r#"pass -> {"content":"x"}"#,
        ),
        (
            after,
            &result,
            Protocol::Seed,
            r#"echo '{"decision":"modify","output":"***"}'"#,
            r#"pass -> {"content":[{"type":"text","text":"***"}]}"#,
        ),
        (after, &result, Protocol::Seed, "echo leak >&2; exit 2", "deny Objection: leak"),
        (
            after,
            &result,
            Protocol::ClaudeCode,
            r#"echo '{"hookSpecificOutput":{"updatedToolOutput":"***"}}'"#,
            r#"pass -> "***""#,
        ),
        (
            after,
            &result,
            Protocol::ClaudeCode,
            r#"echo '{"decision":"block","reason":"lint failed"}'"#,
            "deny Objection: lint failed",
        ),
        (
            prompt,
            &asked,
            Protocol::Tollgate,
            r#"echo '{"decision":"modify","input":"bye"}'"#,
            r#"pass -> {"text":"bye","attachments":[]}"#,
        ),
        (
            prompt,
            &asked,
            Protocol::Tollgate,
            r#"echo '{"decision":"modify","output":"bye"}'"#,
            "deny Fault(Garbage): `hook` could not judge this (garbage: the decision `modify` needs `input` at prompt.submit), so it is refused; to mend it: fix or remove it, then try again",
        ),
        (
            prompt,
            &asked,
            Protocol::Seed,
            r#"echo '{"decision":"modify","input":"bye"}'"#,
            r#"pass -> {"text":"bye","attachments":[]}"#,
        ),
        (prompt, &asked, Protocol::Seed, "exit 2", "deny Objection: blocked by prompt hook"),
        (prompt, &asked, Protocol::ClaudeCode, "echo 'today is Friday'", "pass [today is Friday]"),
        (prompt, &asked, Protocol::ClaudeCode, r#"echo '{"decision":"block","reason":"no"}'"#, "deny Objection: no"),
    ] {
        let folder = Folder::new();
        let (outcome, body) = run(folder.hook(line, protocol), event, OnFault::Deny, doc.clone());
        assert_eq!(said(&outcome, &body, doc), expected, "{protocol:?} {line}");
    }
}

#[test]
fn watchers_cannot_stop_anything() {
    for (point, line) in [
        (Point::TurnStop, "touch ran; exit 2"),
        (Point::SessionEnd, "touch ran; exit 1"),
        (Point::SessionStart, "touch ran; echo '{\"decision\":\"block\"}'"),
    ] {
        let folder = Folder::new();
        let (outcome, body) = run(folder.hook(line, Protocol::Tollgate), Event::at(point), OnFault::Pass, json!({}));
        assert_eq!(said(&outcome, &body, &json!({})), "pass", "{point}");
        assert!(folder.path().join("ran").exists(), "{point}");
        let faulted = |said: &Said| matches!(said, Said::Faulted(_));
        assert!(outcome.trace.entries().any(|(_, turn)| faulted(&turn.said)), "{point}: it is noted");
    }
    let folder = Folder::new();
    let hook = folder.hook("echo 'be brief'", Protocol::ClaudeCode);
    let (outcome, body) = run(hook, Event::at(Point::SessionStart), OnFault::Pass, json!({}));
    assert_eq!(said(&outcome, &body, &json!({})), "pass [be brief]");
}

#[test]
fn a_call_that_was_refused_is_told_in_our_words_only() {
    let names = Names::default();
    let name = names.name("bash");
    let event = Event { ended: Some(Ended::Denied), ..Event::tool(Point::ToolAfter, &name, "c") };
    for (protocol, told) in [(Protocol::Tollgate, true), (Protocol::Seed, false), (Protocol::ClaudeCode, false)] {
        let folder = Folder::new();
        run(folder.hook("touch ran", protocol), event, OnFault::Deny, json!({}));
        assert_eq!(folder.path().join("ran").exists(), told, "{protocol:?}");
    }
}

/// Run once more with a secret in the environment, by the test below.
#[test]
fn the_environment_is_scrubbed() {
    if std::env::var_os("TOLLGATE_SECRET_TOKEN").is_none() {
        let itself = std::env::current_exe().unwrap();
        let again = std::process::Command::new(itself)
            .args(["--exact", "the_environment_is_scrubbed", "--nocapture"])
            .env_clear()
            .envs([("TOLLGATE_SECRET_TOKEN", "s3cr3t"), ("WANTED", "yes"), ("LC_ALL", "C"), ("HOME", "/home/user")])
            .env("PATH", format!("relative:{}", std::env::var("PATH").unwrap()))
            .output()
            .unwrap();
        let said = [again.stdout, again.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        // Success alone may mean that there is no test of this name.
        assert!(again.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    for (protocol, extra) in [(Protocol::Tollgate, ""), (Protocol::ClaudeCode, "CLAUDE_PROJECT_DIR=/project ")] {
        let folder = Folder::new();
        let mut hook = folder.hook("env | grep -v '^_=' | sort > env", protocol);
        hook.env = vec!["WANTED".to_owned(), "NOT_THERE".to_owned()];
        hook.program.project = Some("/project".into());
        let names = Names::default();
        let name = names.name("bash");
        let event = Event { session: Some("s-1"), ..Event::tool(Point::ToolBefore, &name, "c") };
        run(hook, event, OnFault::Deny, json!({}));
        // A shell adds these two itself.
        let own =
            |line: &&str| !line.starts_with("PWD=") && !line.starts_with("SHLVL=") && !line.starts_with("OLDPWD=");
        let text = folder.read("env");
        let lines: Vec<&str> =
            text.lines().filter(own).map(|line| if line.starts_with("PATH=/") { "PATH" } else { line }).collect();
        let expected = format!(
            "{extra}HOME=/home/user LC_ALL=C PATH PYTHONSAFEPATH=1 TOLLGATE_POINT=tool.before TOLLGATE_SESSION=s-1 WANTED=yes"
        );
        assert_eq!(lines.join(" "), expected);
    }
}

#[test]
fn where_it_runs() {
    let (home, there) = (Folder::new(), Folder::new());
    home.write("say.sh", "pwd > \"$1\"\n");
    // Somebody who can choose the working directory cannot choose the script.
    there.write("say.sh", "exit 2\n");
    let names = Names::default();
    let name = names.name("bash");
    for (line, cwd, expected) in [
        ("pwd > OUT", there.path().to_str().unwrap(), home.path()),
        ("pwd | tee OUT", there.path().to_str().unwrap(), home.path()),
        ("sh say.sh OUT", there.path().to_str().unwrap(), home.path()),
        ("sh HOME/say.sh OUT", there.path().to_str().unwrap(), there.path()),
        ("sh HOME/say.sh OUT", "/no/such/folder", home.path()),
        ("sh HOME/say.sh OUT", "relative", home.path()),
    ] {
        let out = Folder::new();
        let written = out.path().join("out");
        let line = line.replace("OUT", written.to_str().unwrap()).replace("HOME", home.path().to_str().unwrap());
        let program = find(Given::Line(&line), home.path(), std::env::var_os("PATH").as_deref()).unwrap();
        let hook = Hook { program, protocol: Protocol::Tollgate, timeout: Duration::from_secs(20), env: Vec::new() };
        let event = Event { cwd: Some(cwd), ..Event::tool(Point::ToolBefore, &name, "c") };
        let hook = Hook { protocol: Protocol::ClaudeCode, ..hook };
        let (outcome, body) = run(hook, event, OnFault::Deny, json!({}));
        assert_eq!(said(&outcome, &body, &json!({})), "pass", "{line}");
        assert_eq!(out.read("out").trim(), expected.to_str().unwrap(), "{line} in {cwd}");
    }
}

//! Every way a program can end, and what becomes of the call.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use common::{Folder, run, said};
use expect_test::{Expect, expect};
use serde_json::json;
use tollgate_core::{Act, Event, Names, OnFault, Point, Said};
use tollgate_host_command::{Given, Hook, Protocol, find};

/// What a line makes of a call, with both policies for faults.
fn ends(protocol: Protocol, line: &str) -> String {
    let folder = Folder::new();
    let mut hook = folder.hook(line, protocol);
    if line.starts_with("sleep") {
        hook.timeout = Duration::from_millis(200);
    }
    let names = Names::default();
    let name = names.name("bash");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let doc = json!({"command": "make"});
    let told = |on_fault| {
        let (outcome, body) = run(hook.clone(), event, on_fault, doc.clone());
        let fault = outcome.trace.entries().find_map(|(_, turn)| match &turn.said {
            Said::Faulted(fault) => Some(format!(" ! {fault}")),
            _ => None,
        });
        (said(&outcome, &body, &doc), fault.unwrap_or_default())
    };
    let ((deny, _), (pass, fault)) = (told(OnFault::Deny), told(OnFault::Pass));
    if deny == pass {
        format!("{line}\n  {deny}\n")
    } else {
        format!("{line}\n  {deny}\n  on_fault = pass: {pass}{fault}\n")
    }
}

fn check(protocol: Protocol, lines: &[&str], expected: Expect) {
    let shown: String = lines.iter().map(|line| ends(protocol, line)).collect();
    expected.assert_eq(&shown);
}

#[test]
fn statuses_and_signals() {
    check(
        Protocol::Tollgate,
        &[
            "true",
            "exit 0",
            "echo 'not today' >&2; exit 2",
            "echo 'said aloud'; exit 2",
            "exit 2",
            "exit 1",
            "echo 'Traceback:' >&2; echo 'KeyError: x' >&2; exit 1",
            "exit 126",
            "exit 127",
            "true; no-such-program-here 2>/dev/null",
            "kill -9 $$",
            "kill -TERM $$",
            "sleep 30",
            "head -c 1100000 /dev/zero",
            "head -c 1100000 /dev/zero >&2",
            "printf 'echo token=ghp_%s' wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx >&2; exit 1",
        ],
        expect![[r#"
            true
              pass
            exit 0
              pass
            echo 'not today' >&2; exit 2
              deny Objection: not today
            echo 'said aloud'; exit 2
              deny Objection: said aloud
            exit 2
              deny Objection: blocked by hook
            exit 1
              deny Fault(Crash): `hook` could not judge this (crash: exit status 1), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: exit status 1
            echo 'Traceback:' >&2; echo 'KeyError: x' >&2; exit 1
              deny Fault(Crash): `hook` could not judge this (crash: exit status 1 (KeyError: x)), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: exit status 1 (KeyError: x)
            exit 126
              deny Fault(Missing): `hook` could not judge this (missing: exit status 126: it is there and cannot be run), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! missing: exit status 126: it is there and cannot be run
            exit 127
              deny Fault(Missing): `hook` could not judge this (missing: exit status 127: a program was not found), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! missing: exit status 127: a program was not found
            true; no-such-program-here 2>/dev/null
              deny Fault(Missing): `hook` could not judge this (missing: exit status 127: a program was not found), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! missing: exit status 127: a program was not found
            kill -9 $$
              deny Fault(Crash): `hook` could not judge this (crash: ended by signal 9), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: ended by signal 9
            kill -TERM $$
              deny Fault(Crash): `hook` could not judge this (crash: ended by signal 15), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: ended by signal 15
            sleep 30
              deny Fault(Timeout): `hook` could not judge this (timeout: no answer within 200ms, so it was killed), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! timeout: no answer within 200ms, so it was killed
            head -c 1100000 /dev/zero
              deny Fault(Flood): `hook` could not judge this (flood: more than 1 MiB on standard output), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! flood: more than 1 MiB on standard output
            head -c 1100000 /dev/zero >&2
              deny Fault(Flood): `hook` could not judge this (flood: more than 1 MiB on standard error), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! flood: more than 1 MiB on standard error
            printf 'echo token=ghp_%s' wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx >&2; exit 1
              deny Fault(Crash): `hook` could not judge this (crash: exit status 1 (echo token=[redacted:github-token])), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: exit status 1 (echo token=[redacted:github-token])
        "#]],
    );
}

#[test]
fn what_is_said_with_status_0() {
    check(
        Protocol::Tollgate,
        &[
            r#"echo '{}'"#,
            r#"echo '{"decision":"allow"}'"#,
            r#"echo '{"decision":"block","reason":"no"}'"#,
            r#"echo '{"decision":"block"}'"#,
            r#"echo '{"decision":"ask","reason":"really?"}'"#,
            r#"echo '{"decision":"modify","arguments":{"command":"make -n"}}'"#,
            r#"echo '{"decision":"modify","name":"read","arguments":{"path":"x"}}'"#,
            r#"echo '{"v":1,"decision":"allow","notes":["n"],"tells":["t"]}'"#,
            r#"echo '{"decision":"modify"}'"#,
            r#"echo '{"decision":"modify","arguments":[1]}'"#,
            r#"echo '{"decision":"modify","arguments":"{"}'"#,
            r#"echo '{"arguments":{}}'"#,
            r#"echo '{"decision":"deny"}'"#,
            r#"echo '{"decision":"block","why":"no"}'"#,
            r#"echo '{"decision":"allow","decision":"block"}'"#,
            r#"echo '{"decision":7}'"#,
            r#"echo '{"v":3}'"#,
            r#"echo '[1]'"#,
            r#"echo looks fine"#,
            r#"printf '\377'"#,
            r#"{ sleep 0.5; echo '{"decision":"block","reason":"late"}'; } & exit 0"#,
            r#"{ sleep 0.5; printf '{"decision":'; sleep 0.02; echo '"block","reason":"in parts"}'; } & exit 0"#,
            r#"{ sleep 0.5; echo; } & exit 0"#,
            r#"sleep 1 > /dev/null & exit 0"#,
            r#"printf '{"decision":"ask","reason":"ghp_%s\\u001b[2J?"}' wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"#,
            r#"printf '{"notes":["\\u001bn %s"],"tells":["\\u0007t %s"]}' 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 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"#,
            r#"echo '{"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":1}'"#,
        ],
        expect![[r#"
            echo '{}'
              pass
            echo '{"decision":"allow"}'
              pass
            echo '{"decision":"block","reason":"no"}'
              deny Objection: no
            echo '{"decision":"block"}'
              deny Objection: blocked by hook
            echo '{"decision":"ask","reason":"really?"}'
              ask: really?
            echo '{"decision":"modify","arguments":{"command":"make -n"}}'
              pass -> {"command":"make -n"}
            echo '{"decision":"modify","name":"read","arguments":{"path":"x"}}'
              pass -> {"path":"x"} as read
            echo '{"v":1,"decision":"allow","notes":["n"],"tells":["t"]}'
              pass [n] (t)
            echo '{"decision":"modify"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: the decision `modify` needs `arguments` or `name` at tool.before), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: the decision `modify` needs `arguments` or `name` at tool.before
            echo '{"decision":"modify","arguments":[1]}'
              deny Fault(Garbage): `hook` could not judge this (garbage: `arguments` must be an object), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: `arguments` must be an object
            echo '{"decision":"modify","arguments":"{"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: `arguments`: what it said is no JSON), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: `arguments`: what it said is no JSON
            echo '{"arguments":{}}'
              deny Fault(Garbage): `hook` could not judge this (garbage: `arguments` needs the decision `modify`), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: `arguments` needs the decision `modify`
            echo '{"decision":"deny"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: there is no decision `deny`; write block, modify, ask or allow), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: there is no decision `deny`; write block, modify, ask or allow
            echo '{"decision":"block","why":"no"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: an answer has no key `why`), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: an answer has no key `why`
            echo '{"decision":"allow","decision":"block"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said can be read in two ways (a key appears twice in one object)), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said can be read in two ways (a key appears twice in one object)
            echo '{"decision":7}'
              deny Fault(Garbage): `hook` could not judge this (garbage: `decision` must be a text), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: `decision` must be a text
            echo '{"v":3}'
              deny Fault(Garbage): `hook` could not judge this (garbage: the version of an answer is 2), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: the version of an answer is 2
            echo '[1]'
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said is no JSON object), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said is no JSON object
            echo looks fine
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said is no JSON), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said is no JSON
            printf '\377'
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said is not UTF-8 text), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said is not UTF-8 text
            { sleep 0.5; echo '{"decision":"block","reason":"late"}'; } & exit 0
              deny Objection: late
            { sleep 0.5; printf '{"decision":'; sleep 0.02; echo '"block","reason":"in parts"}'; } & exit 0
              deny Objection: in parts
            { sleep 0.5; echo; } & exit 0
              pass
            sleep 1 > /dev/null & exit 0
              pass
            printf '{"decision":"ask","reason":"ghp_%s\\u001b[2J?"}' wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx
              ask: [redacted:github-token][2J?
            printf '{"notes":["\\u001bn %s"],"tells":["\\u0007t %s"]}' 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 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
              pass [n [redacted:github-token]] (t [redacted:github-token])
            echo '{"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":1}'
              deny Fault(Garbage): `hook` could not judge this (garbage: an answer has no key `[redacted:github-token]`), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: an answer has no key `[redacted:github-token]`
        "#]],
    );
}

#[test]
fn what_the_seed_says_with_status_0() {
    check(
        Protocol::Seed,
        &[
            r#"echo '{"decision":"block","reason":"no","severity":3}'"#,
            r#"echo '{"decision":"modify","name":"bash","arguments":"{\"command\":\"make -n\"}"}'"#,
            r#"echo '{"checked":true}'"#,
            r#"echo '{"decision":"later"}'"#,
            r#"echo looks fine"#,
            r#"exit 1"#,
        ],
        expect![[r#"
            echo '{"decision":"block","reason":"no","severity":3}'
              deny Objection: no
            echo '{"decision":"modify","name":"bash","arguments":"{\"command\":\"make -n\"}"}'
              pass -> {"command":"make -n"}
            echo '{"checked":true}'
              pass
            echo '{"decision":"later"}'
              deny Fault(Garbage): `hook` could not judge this (garbage: there is no decision `later`; write block, modify, ask or allow), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: there is no decision `later`; write block, modify, ask or allow
            echo looks fine
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said is no JSON), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said is no JSON
            exit 1
              deny Fault(Crash): `hook` could not judge this (crash: exit status 1), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: exit status 1
        "#]],
    );
}

#[test]
fn what_hooks_of_claude_code_say() {
    check(
        Protocol::ClaudeCode,
        &[
            r#"echo 'use the wrapper' >&2; exit 2"#,
            r#"echo 'only on stdout'; exit 2"#,
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'"#,
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'"#,
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"make -n"},"additionalContext":"dry run"}}'"#,
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"defer","permissionDecisionReason":"later"}}'"#,
            r#"echo '{"decision":"block","reason":"old words"}'"#,
            r#"echo '{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}'"#,
            r#"echo '{"decision":"block","hookSpecificOutput":{"permissionDecision":"ask"}}'"#,
            r#"echo '{"continue":false,"stopReason":"enough"}'"#,
            r#"echo '{"systemMessage":"hello","suppressOutput":true,"new_field":1}'"#,
            r#"echo 'all good'"#,
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"maybe"}}'"#,
            r#"echo '{"hookSpecificOutput":{"updatedInput":"x"}}'"#,
            r#"echo '{"decision":'"#,
            r#"exit 1"#,
        ],
        expect![[r#"
            echo 'use the wrapper' >&2; exit 2
              deny Objection: use the wrapper
            echo 'only on stdout'; exit 2
              deny Objection: blocked by hook
            echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'
              deny Objection: no
            echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'
              ask: sure?
            echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"make -n"},"additionalContext":"dry run"}}'
              pass -> {"command":"make -n"} [dry run]
            echo '{"hookSpecificOutput":{"permissionDecision":"defer","permissionDecisionReason":"later"}}'
              ask: later
            echo '{"decision":"block","reason":"old words"}'
              deny Objection: old words
            echo '{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}'
              deny Objection: blocked by hook
            echo '{"decision":"block","hookSpecificOutput":{"permissionDecision":"ask"}}'
              deny Objection: blocked by hook
            echo '{"continue":false,"stopReason":"enough"}'
              deny Objection: enough
            echo '{"systemMessage":"hello","suppressOutput":true,"new_field":1}'
              pass (hello)
            echo 'all good'
              pass
            echo '{"hookSpecificOutput":{"permissionDecision":"maybe"}}'
              deny Fault(Garbage): `hook` could not judge this (garbage: there is no decision `maybe`), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: there is no decision `maybe`
            echo '{"hookSpecificOutput":{"updatedInput":"x"}}'
              deny Fault(Garbage): `hook` could not judge this (garbage: `updatedInput` must be an object), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: `updatedInput` must be an object
            echo '{"decision":'
              deny Fault(Garbage): `hook` could not judge this (garbage: what it said is no JSON), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! garbage: what it said is no JSON
            exit 1
              deny Fault(Crash): `hook` could not judge this (crash: exit status 1), so it is refused; to mend it: fix or remove it, then try again
              on_fault = pass: pass ! crash: exit status 1
        "#]],
    );
}

#[test]
fn a_program_that_is_gone_is_not_a_program_that_agrees() {
    let folder = Folder::new();
    let mut hook = folder.hook("true", Protocol::Tollgate);
    hook.program.argv = vec!["/nowhere/guard".to_owned()];
    let names = Names::default();
    let name = names.name("bash");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let (outcome, body) = run(hook.clone(), event, OnFault::Deny, json!({}));
    assert_eq!(
        said(&outcome, &body, &json!({})),
        "deny Fault(Missing): `hook` could not judge this (missing: `/nowhere/guard` could not be started: No such file or directory (os error 2)), so it is refused; to mend it: fix or remove it, then try again"
    );
    hook.program.folder = "/nowhere".into();
    let (outcome, _) = run(hook, event, OnFault::Deny, json!({}));
    assert!(matches!(outcome.act, Act::Deny(ruling) if ruling.reason.contains("its folder `/nowhere` is not there")));
}

/// Whether a pipe full on one side while the other waits can hold anybody up.
#[test]
fn pipes_do_not_wait_for_each_other() {
    let big = "x".repeat(1 << 20);
    for (what, line, expected) in [
        ("writes before it reads", "head -c 900000 /dev/zero >&2; cat >/dev/null; exit 0", "pass"),
        ("fills both", "head -c 900000 /dev/zero >&2; head -c 900000 /dev/zero | tr '\\0' ' '; cat >/dev/null", "pass"),
        ("never reads", "exit 0", "pass"),
        ("never reads, and takes its time", "sleep 0.2; exit 0", "pass"),
        ("closes stdin", "exec <&-; sleep 0.1; exit 0", "pass"),
        ("reads half", "head -c 1000 >/dev/null; exit 0", "pass"),
        ("says nothing more", "exec >&- 2>&-; sleep 0.1; exit 0", "pass"),
        ("counts what it read", "test $(wc -c) -gt 1048576", "pass"),
    ] {
        let folder = Folder::new();
        let names = Names::default();
        let name = names.name("bash");
        let event = Event::tool(Point::ToolBefore, &name, "call-1");
        let doc = json!({ "command": big });
        let started = Instant::now();
        let (outcome, body) = run(folder.hook(line, Protocol::Tollgate), event, OnFault::Deny, doc.clone());
        assert_eq!(said(&outcome, &body, &doc), expected, "{what}");
        assert!(started.elapsed() < Duration::from_secs(10), "{what}");
    }
}

/// Whether a process with this in its command line runs.
fn runs(mark: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(mark))
}

fn gone(mark: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while runs(mark) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    !runs(mark)
}

#[test]
fn whatever_it_started_ends_with_it() {
    let seconds = 100_000 + std::process::id();
    let names = Names::default();
    let name = names.name("bash");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    for (number, line, timeout, expected) in [
        // A child of a child, in the background, when time is up.
        (1, "sh -c 'sleep MARK & sleep MARK' & wait", 300, "deny Fault(Timeout)"),
        // One that holds the pipes after the program itself has ended.
        (2, "sleep MARK & exit 0", 20_000, "deny Fault(Timeout)"),
        (3, "sleep MARK & echo no >&2; exit 2", 20_000, "deny Objection: no"),
        // One that floods.
        (4, "sleep MARK & yes", 20_000, "deny Fault(Flood)"),
    ] {
        let mark = format!("{seconds}.{number}");
        let folder = Folder::new();
        let hook = folder.hook(&line.replace("MARK", &mark), Protocol::Tollgate);
        let hook = Hook { timeout: Duration::from_millis(timeout), ..hook };
        let started = Instant::now();
        let (outcome, body) = run(hook, event, OnFault::Deny, json!({}));
        let told = said(&outcome, &body, &json!({}));
        assert!(told.starts_with(expected), "{line}: {told}");
        assert!(started.elapsed() < Duration::from_secs(5), "{line}");
        assert!(gone(&mark), "{line}: something of it still runs");
    }
}

#[test]
fn whoever_stops_waiting_ends_it() {
    let folder = Folder::new();
    let mark = format!("{}.9", 200_000 + std::process::id());
    let hook = folder.hook(&format!("touch started; sleep {mark} & wait"), Protocol::Tollgate);
    let names = Names::default();
    let name = names.name("bash");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let mut registry = tollgate_core::Registry::new(
        names.clone(),
        std::sync::Arc::new(tollgate_clock::SystemClock::default()),
        tollgate_wire::digest,
    );
    // The pipeline has less patience than the hook.
    let limit = Some(Duration::from_millis(500));
    let made = tollgate_core::Registration::edit("hook", [Point::ToolBefore], hook);
    registry.add(tollgate_core::Registration { limit, ..made }).unwrap();
    let mut body = json!({}).into();
    let outcome = tollgate_clock::block_on(registry.snapshot().run(&event, &mut body));
    assert!(matches!(outcome.act, Act::Deny(_)));
    assert!(folder.path().join("started").exists());
    assert!(gone(&mark));
}

#[test]
fn programs_are_found_when_the_policy_is_read() {
    let folder = Folder::new();
    folder.write("guard.py", "");
    folder.write("hooks/run.sh", "#!/bin/sh\n");
    // A name without a folder is looked up elsewhere, also if there is such a file here.
    folder.write("true", "");
    folder.write("hooks/go", "#!/bin/sh\n");
    std::fs::set_permissions(folder.path().join("hooks/go"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = "/usr/bin:/bin:relative";
    let told = |found: Result<tollgate_host_command::Program, tollgate_host_command::Unfound>| match found {
        Ok(program) => {
            let files: Vec<_> = program
                .files
                .iter()
                .map(|file| file.strip_prefix(folder.path()).unwrap().display().to_string())
                .collect();
            format!("{} files [{}]", if program.stays { "stays" } else { "follows" }, files.join(" "))
        }
        Err(wrong) => {
            let message = wrong.message.replace(folder.path().to_str().unwrap(), "");
            format!("{message} ({:?} {:?})", wrong.within, wrong.word)
        }
    };
    let mut shown = String::new();
    for line in [
        "true",
        "python3 guard.py",
        "python3 -u guard.py --strict",
        "python3 missing.py",
        "python3 -c 'import x.py'",
        "python3 -m guard",
        "no-such-thing guard.py",
        "./guard.py",
        "./hooks",
        "hooks/go",
        "hooks/none.sh",
        "sh hooks/run.sh",
        "\"$CLAUDE_PROJECT_DIR\"/hooks/run.sh",
        "sh $CLAUDE_PROJECT_DIR/hooks/run.sh",
        "MODE=x python3 guard.py",
        "cd hooks && sh run.sh",
        "cat guard.py | python3",
        "$GUARD --now",
        "env --split=guard.py",
        "  ",
    ] {
        let found = told(find(Given::Line(line), folder.path(), Some(path.as_ref())));
        shown += &format!("{line}: {found}\n");
    }
    for words in [&["python3", "guard.py"][..], &["python3", "missing.py"], &["guard.py"], &["guard"], &[""], &[]] {
        let given: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = told(find(Given::Words(&given), folder.path(), Some(path.as_ref())));
        shown += &format!("{words:?}: {found}\n");
    }
    expect![[r#"
        true: follows files []
        python3 guard.py: stays files [guard.py]
        python3 -u guard.py --strict: stays files [guard.py]
        python3 missing.py: there is no file `missing.py` (Some(8..18) None)
        python3 -c 'import x.py': follows files []
        python3 -m guard: stays files []
        no-such-thing guard.py: there is no program `no-such-thing` (Some(0..13) None)
        ./guard.py: `./guard.py` cannot be run (Some(0..10) None)
        ./hooks: there is no file `./hooks` (Some(0..7) None)
        hooks/go: stays files [hooks/go]
        hooks/none.sh: there is no file `hooks/none.sh` (Some(0..13) None)
        sh hooks/run.sh: stays files [hooks/run.sh]
        "$CLAUDE_PROJECT_DIR"/hooks/run.sh: `/hooks/run.sh` cannot be run (Some(0..34) None)
        sh $CLAUDE_PROJECT_DIR/hooks/run.sh: follows files [hooks/run.sh]
        MODE=x python3 guard.py: stays files [guard.py]
        cd hooks && sh run.sh: stays files [hooks/run.sh]
        cat guard.py | python3: stays files [guard.py]
        $GUARD --now: follows files []
        env --split=guard.py: stays files [guard.py]
          : the command is empty (None None)
        ["python3", "guard.py"]: stays files [guard.py]
        ["python3", "missing.py"]: there is no file `missing.py` (None Some(1))
        ["guard.py"]: there is no program `guard.py` (None Some(0))
        ["guard"]: there is no program `guard` (None Some(0))
        [""]: the command is empty (None None)
        []: the command is empty (None None)
    "#]]
    .assert_eq(&shown);
}

//! What people have around the hook: status, pause, halt, and what only they may do.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{KEY, Sandbox};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const HUMAN: [&[&str]; 6] = [
    &["trust"],
    &["pause", "10m", "--reason", "r"],
    &["resume"],
    &["key", "new"],
    &["pause", "10m", "--reason", "r", "--json"],
    &["init", "--policy", "--force"],
];

/// What the hook of Claude Code answers to a command.
fn hook(sandbox: &Sandbox, command: &str) -> Value {
    call(sandbox, "Bash", json!({ "command": command }))
}

fn call(sandbox: &Sandbox, tool: &str, input: Value) -> Value {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let id = format!("call-{}", CALLS.fetch_add(1, Ordering::Relaxed));
    let event = json!({
        "session_id": "s", "prompt_id": "p", "hook_event_name": "PreToolUse", "cwd": sandbox.project(),
        "tool_name": tool, "tool_use_id": id, "tool_input": input,
    });
    let ran = sandbox.run_with(&["hook", "claude-code"], &event.to_string());
    assert_eq!(ran.code, Some(0), "{}", ran.all());
    if ran.out.is_empty() { Value::Null } else { ran.json() }
}

fn reason(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default()
}

fn tells(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

/// Times are not the same twice.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n', '"']) {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let is_time = digits >= 4 && (word.contains(':') || word.matches('-').count() == 2);
        let end = word.chars().last().filter(|c| " \n\"".contains(*c)).map(String::from).unwrap_or_default();
        if is_time { out.push_str(&format!("TIME{end}")) } else { out.push_str(word) }
    }
    out
}

fn check(sandbox: &Sandbox, args: &[&str], expected: &Expect) {
    expected.assert_eq(&steady(&sandbox.run(args).all()));
}

#[test]
fn what_relaxes_wants_a_person() {
    let sandbox = Sandbox::with("mode = 'observe'\n");
    for args in HUMAN {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("is for people, and"), "{args:?}: {said}");
        assert!(said.contains("run it yourself in a terminal of your own"), "{args:?}: {said}");
    }
    assert!(!sandbox.root().join("home/state/data/trust.json").exists());
    assert!(!sandbox.root().join("home/state/state/pause.json").exists());
    // What restricts or only looks, anybody may do.
    for args in [&["trust", "--list"][..], &["status"], &["halt"], &["check"]] {
        assert_eq!(sandbox.run(args).code, Some(0), "{args:?}");
    }
    assert_eq!(sandbox.run(&["trust", "--revoke"]).code, Some(1));
    assert_eq!(sandbox.run(&["key", "revoke"]).code, Some(1));
}

/// Runs a command in a terminal of its own, and away from those who run these tests: that may be an agent.
fn in_a_terminal(sandbox: &Sandbox, program: &str, args: &str) -> String {
    let inner = sandbox.command(&[]);
    let line = format!("{program} {args}");
    let mut command = Command::new("setsid");
    command.args(["--fork", "script", "-qec", &line, "/dev/null"]).current_dir(sandbox.project()).env_clear();
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    // Whoever is left behind holds the pipe, so this waits for the end.
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn at_a_terminal_of_an_agent_nobody_is_a_person() {
    let sandbox = Sandbox::with("mode = 'observe'\n");
    let tollgate = env!("CARGO_BIN_EXE_tollgate");
    // A program by an agent's name runs it, as agents do; so does an interpreter that runs an agent's package.
    let agent = sandbox.root().join("codex");
    std::fs::write(&agent, format!("#!/bin/sh\n{tollgate} \"$@\"\nexit $?\n")).unwrap();
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = in_a_terminal(&sandbox, agent.to_str().unwrap(), "trust");
    assert!(said.contains("`tollgate trust` is for people, and the agent `codex` started this"), "{said}");
    let marked = in_a_terminal(&sandbox, "env CLAUDECODE=1", &format!("{tollgate} trust"));
    assert!(marked.contains("the agent `claude` started this"), "{marked}");
    assert!(!sandbox.root().join("home/state/data/trust.json").exists());
    let plain = in_a_terminal(&sandbox, tollgate, "trust");
    assert!(plain.contains("trusted: "), "{plain}");
    let piped = in_a_terminal(&sandbox, &format!("true | {tollgate}"), "trust");
    assert!(piped.contains("there is no terminal"), "{piped}");
}

#[test]
fn a_key_stands_for_a_person_until_it_is_revoked() {
    let sandbox = Sandbox::with("mode = 'observe'\n").keyed();
    let made = sandbox.run(&["key", "new", "--json"]).json();
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("tollgate-key-") && key.len() == 77, "{key}");
    let file = sandbox.key_file();
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(!kept.contains(key) && kept.trim() == tollgate_config::sha256(key.as_bytes()));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let said = |key: &str| sandbox.run(&["trust", "--key", key]).all();
    assert!(said(KEY).contains("this is not the key for automation"), "the one before is of no use");
    assert!(said(key).contains("trusted: "));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(said(key).contains("others may write to"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(sandbox.run(&["key", "revoke"]).out, "the key is of no use any more\n");
    assert!(said(key).contains("there is no key for automation"));
}

#[test]
fn a_pause_stops_nothing_records_everything_and_says_so() {
    let sandbox = Sandbox::new().keyed();
    let deletes = "rm -rf /usr";
    assert!(reason(&hook(&sandbox, deletes)).starts_with("shell-safety/"));
    check(
        &sandbox,
        &["pause", "10m", "--reason", "a broken rule"],
        &expect![[r#"
            paused until TIME TIME UTC: nothing is stopped, everything is recorded
              end it: tollgate resume
            [0]
        "#]],
    );
    let answer = hook(&sandbox, deletes);
    assert_eq!(reason(&answer), "", "{answer}");
    assert!(tells(&answer).starts_with("Tollgate is paused until "), "{answer}");
    assert!(tells(&answer).ends_with(" UTC (a broken rule): nothing is stopped"), "{answer}");
    let log = sandbox.run(&["log", "--json", "-n", "2"]).out;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["point"], &lines[0]["native"]), (&json!("notice"), &json!("tollgate.pause")), "{log}");
    assert_eq!(lines[0]["fields"]["arguments"]["reason"], "a broken rule", "{log}");
    assert_eq!((&lines[1]["act"], &lines[1]["observed"][0]["decision"]), (&json!("pass"), &json!("deny")), "{log}");
    assert_eq!(sandbox.run(&["resume"]).out, "the pause is over; the policy is enforced\n");
    assert!(reason(&hook(&sandbox, deletes)).starts_with("shell-safety/"));
    assert_eq!(sandbox.run(&["resume"]).all(), "nothing was halted or paused; the policy is enforced\n[1]\n");
    let too_long = "is too long; a pause lasts at most `24h`";
    let no_time = "is no length of time; write `10m` or `2h`, at most `24h`";
    for (long, said) in [("25h", too_long), ("2d", too_long), ("0m", no_time), ("soon", no_time)] {
        let ran = sandbox.run(&["pause", long, "--reason", "r"]);
        assert!(ran.err.contains(said), "{long}: {}", ran.err);
    }
    assert!(sandbox.run(&["pause", "1h", "--reason", " "]).err.contains("`--reason` is empty"));
}

#[test]
fn a_pause_that_is_not_believed_is_told_and_the_policy_holds() {
    let sandbox = Sandbox::new().keyed();
    sandbox.write("../home/state/state/pause.json", "{}");
    let answer = hook(&sandbox, "rm -rf /usr");
    assert!(reason(&answer).starts_with("shell-safety/"), "{answer}");
    let quiet = hook(&sandbox, "ls");
    assert!(tells(&quiet).starts_with("Tollgate is not paused: "), "{quiet}");
}

#[test]
fn while_halted_everything_is_refused_and_recorded_and_nothing_is_spent() {
    let sandbox = Sandbox::new().keyed();
    sandbox.user_policy("[[limit]]\nid = 'two'\ntool = 'exec'\nmax = 2\ndeny = 'enough'\n");
    assert_eq!(hook(&sandbox, "ls"), Value::Null);
    sandbox.run(&["pause", "10m", "--reason", "r"]);
    for said in ["all agents are halted", "all agents were halted already"] {
        let ran = sandbox.run(&["halt", "--reason", "the build is on fire"]);
        assert_eq!(ran.out, format!("{said}: every call is refused\n  end it: tollgate resume\n"));
    }
    let answer = hook(&sandbox, "ls");
    let refusal = "all agents are halted: the build is on fire; a human runs `tollgate resume`";
    assert_eq!(reason(&answer), refusal, "a halt beats a pause: {answer}");
    let log = sandbox.run(&["log", "--json", "-n", "2"]).out;
    let before: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!((&before["act"], &before["by"]), (&json!("deny"), &json!("halt")), "{log}");
    let all = sandbox.run(&["log", "--json", "-n", "99"]).out;
    assert_eq!(all.matches("tollgate.halt").count(), 1, "{all}");
    assert_eq!(sandbox.run(&["resume"]).out, "the halt and the pause are over; the policy is enforced\n");
    assert_eq!(hook(&sandbox, "ls"), Value::Null, "what was refused meanwhile did not count");
    assert_eq!(reason(&hook(&sandbox, "ls")), "two: enough. At most 2 in all; 0 left");
    // A file is enough, whoever made it.
    sandbox.write("../home/state/state/halt", "");
    assert!(reason(&hook(&sandbox, "ls")).contains("no reason was given"));
}

#[test]
fn what_watches_the_agent_is_protected_wherever_it_lies_and_whatever_is_enforced() {
    let sandbox = Sandbox::new().keyed();
    sandbox.user_policy("packs.use = []\n");
    let settings = sandbox.root().join("elsewhere/settings.json");
    let manifest = json!({ "files": [{ "path": settings, "agent": "claude-code", "since": "2026-11-01T10:00:00Z" }] });
    sandbox.write("../home/state/data/installed.json", &manifest.to_string());
    assert_eq!(hook(&sandbox, "rm -rf /usr"), Value::Null, "no pack, no objection");
    let refused = |sandbox: &Sandbox| {
        for command in
            ["rm -rf ../home/state", "echo > ../elsewhere/settings.json", "touch ../home/state/state/pause.json"]
        {
            let answer = hook(sandbox, command);
            assert!(reason(&answer).contains("a human can do that"), "{command}: {answer}");
        }
        let answer = call(sandbox, "Write", json!({ "file_path": settings, "content": "{}" }));
        assert!(reason(&answer).contains("the hooks that watch the agent"), "{answer}");
        let program = env!("CARGO_BIN_EXE_tollgate");
        assert!(reason(&hook(sandbox, &format!("cp /bin/true {program}"))).contains("a human can do that"));
    };
    refused(&sandbox);
    sandbox.run(&["pause", "10m", "--reason", "r"]);
    refused(&sandbox);
}

#[test]
fn the_status_of_nothing_and_of_something() {
    let sandbox = Sandbox::new().keyed();
    check(
        &sandbox,
        &["status"],
        &expect![[r#"
            policy    no file, so the default packs hold
            packs     shell-safety, git-safety, secrets, sensitive-paths, infra, database,
                      egress; 28 rules in all
            agents    none is registered or was seen; `tollgate init` registers them
            record    nothing is recorded yet
            [0]
        "#]],
    );
    hook(&sandbox, "ls");
    hook(&sandbox, "rm -rf /usr");
    hook(&sandbox, "ls");
    let manifest = json!({ "files": [
        { "path": "/a", "agent": "claude-code", "since": "2026-11-01T10:00:00Z" }, { "path": "/b", "agent": "codex" },
    ] });
    sandbox.write("../home/state/data/installed.json", &manifest.to_string());
    sandbox.write("tollgate.toml", "[packs]\nuse = ['shell-safety']\n");
    sandbox.run(&["pause", "10m", "--reason", "a reason"]);
    sandbox.run(&["halt", "--reason", "deny"]);
    check(
        &sandbox,
        &["status"],
        &expect![[r#"
            halted    all agents are halted: deny; a human runs `tollgate resume`
            paused    Tollgate is paused until TIME UTC (a reason): nothing is stopped
            policy    /project/tollgate.toml (project)
            packs     shell-safety, git-safety, secrets, sensitive-paths, infra, database,
                      egress; 28 rules in all
            agent     Claude Code: registered since TIME TIME UTC, last seen
                      TIME TIME UTC
            agent     Codex CLI: registered, never seen
            record    7 records since TIME TIME UTC
            refused   TIME TIME UTC claude-code, Bash, by
                      shell-safety/delete-outside: deletes what lies outside the workspace
                      (/usr). Instead: delete only named paths inside the workspace or a
                      temporary folder
                      tollgate log show 3
            [0]
        "#]],
    );
    let status = sandbox.run(&["status", "--json"]).json();
    assert_eq!(status["log"]["last_refusal"]["tool"], "Bash", "{status}");
    assert_eq!(status["halted"]["reason"], "deny", "{status}");
    assert_eq!(status["paused"]["reason"], "a reason", "{status}");
    assert_eq!(status["agents"][0]["agent"], "claude-code", "{status}");
    assert_eq!(status["agents"][1]["last_seen"], Value::Null, "{status}");
    sandbox.write("tollgate.toml", "mod = 1\n");
    let broken = sandbox.run(&["status"]);
    assert!(broken.out.contains("it has mistakes, so nothing is let through"), "{}", broken.out);
    assert_eq!(sandbox.run(&["status", "--json"]).json()["policy"], Value::Null);
}

#[test]
fn check_says_what_becomes_of_rules_in_an_agent() {
    let sandbox = Sandbox::new();
    sandbox.user_policy("[[rule]]\nid = 'boxed'\ntool = 'exec'\nroute = { provider = 'docker' }\n");
    assert!(!sandbox.run(&["check"]).out.contains("if tollgate is"), "nothing is registered");
    check(
        &sandbox,
        &["check", "--agent", "claude"],
        &expect![[r#"
            user     /home/.config/tollgate/tollgate.toml

            enforced
              packs      shell-safety, git-safety, secrets, sensitive-paths, infra,
                         database, egress
              rules      28 of packs, 1 of files
              records    redacted, files of 16 MB, kept for ever; no anchor

            claude-code
              calls for a sandbox are refused (boxed)
              error messages of failed tools cannot be redacted (secrets/result)
              if tollgate is killed, too slow or missing, calls are refused
              no hook sees files that a prompt mentions with `@`

            the policy is right
            [0]
        "#]],
    );
    let all = sandbox.run(&["check", "--all-agents"]).out;
    assert_eq!(all.matches("if tollgate is killed").count(), tollgate_hook::AGENTS.len(), "{all}");
    let document = sandbox.run(&["check", "--json"]).json();
    assert_eq!(document["agents"]["claude-code"]["on_failure"]["killed"], "denied", "{document}");
    assert_eq!(document["agents"].as_object().unwrap().len(), tollgate_hook::AGENTS.len());
    assert_eq!(sandbox.run(&["check", "--agent", "nobody"]).code, Some(2));
    sandbox.write("../home/state/data/installed.json", r#"{"files": [{"path": "/a", "agent": "claude-code"}]}"#);
    assert!(sandbox.run(&["check"]).out.contains("if tollgate is killed, too slow or missing, calls are refused"));
}

/// Whoever turns hooks off during a pause is watched by nobody when it ends.
#[test]
fn a_pause_lets_no_agent_turn_its_hooks_off() {
    let sandbox = Sandbox::new().keyed();
    sandbox.user_policy("[packs]\nuse = []\n");
    sandbox.run(&["pause", "10m", "--reason", "r"]);
    let settings = json!({ "file_path": ".claude/settings.local.json", "content": "{\"disableAllHooks\": true}" });
    assert!(reason(&call(&sandbox, "Write", settings)).contains("the hooks that watch the agent"));
    for command in ["echo '{}' > .claude/settings.local.json", "touch /etc/claude-code/managed-settings.json"] {
        assert!(reason(&hook(&sandbox, command)).contains("the hooks that watch the agent"), "{command}");
    }
    for command in ["echo x > .claude/notes.md", "echo '{}' > .factory/settings.local.json", "echo x > a"] {
        assert_eq!(reason(&hook(&sandbox, command)), "", "{command}");
    }
}

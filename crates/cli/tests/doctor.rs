//! `tollgate doctor`, with the real program.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[path = "common/setup.rs"]
mod setup;

use std::fs;
use std::path::Path;

use common::Sandbox;
use expect_test::{Expect, expect};
use serde_json::Value;
use setup::edit;

/// What is said about an agent: its standing, then its findings that are not good.
fn about(sandbox: &Sandbox, agent: &str) -> String {
    let ran = sandbox.run(&["doctor", "--json", "--agent", agent]);
    let json = ran.json();
    let code = match json["enforced"] {
        Value::Bool(true) => 0,
        Value::Bool(false) => 1,
        _ => 2,
    };
    assert_eq!(ran.code, Some(code), "{}", ran.all());
    let report = &json["agents"][0];
    let findings = report["findings"].as_array().unwrap().iter().chain(json["tollgate"].as_array().unwrap());
    let wrong = findings.filter(|finding| finding["weight"] == "bad" || finding["weight"] == "unknown");
    let lines = wrong
        .map(|finding| format!("{}: {}\n", finding["weight"].as_str().unwrap(), finding["text"].as_str().unwrap()));
    format!("enforced: {}\n{}", report["enforced"], lines.collect::<String>())
}

fn check(agent: &str, spoil: impl FnOnce(&Sandbox), expected: Expect) {
    let sandbox = Sandbox::new();
    sandbox.done(&["init", "--yes", "--agent", agent]);
    spoil(&sandbox);
    expected.assert_eq(&about(&sandbox, agent));
}

/// Another program stands in the settings now.
fn register(settings: &Path, sandbox: &Sandbox, other: &Path) {
    let text = fs::read_to_string(settings).unwrap();
    let changed = text.replace(sandbox.program().to_str().unwrap(), other.to_str().unwrap());
    assert_ne!(changed, text);
    fs::write(settings, changed).unwrap();
}

#[test]
fn every_agent_that_is_registered_is_enforced() {
    for agent in tollgate_hook::AGENTS {
        for project in [false, true] {
            let sandbox = Sandbox::new();
            let mut args = vec!["init", "--yes", "--agent", agent.id];
            if project {
                args.push("--project");
                // Where a project's hooks need trust, this folder has it.
                sandbox.user_file(".gemini/settings.json", "{\"security\":{\"folderTrust\":{\"enabled\":false}}}");
                let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", sandbox.project().display());
                sandbox.user_file(".codex/config.toml", &trusted);
            }
            sandbox.done(&args);
            assert_eq!(about(&sandbox, agent.id), "enforced: true\n", "{} {project}", agent.id);
        }
    }
}

#[test]
fn what_is_not_registered_is_not_enforced() {
    for agent in tollgate_hook::AGENTS {
        let said = about(&Sandbox::new(), agent.id);
        assert_eq!(
            said, "enforced: false\nbad: it is not registered: nothing that this agent does is judged\n",
            "{}",
            agent.id
        );
    }
}

#[test]
fn what_is_wrong_is_said() {
    let settings = |sandbox: &Sandbox| sandbox.home().join(".claude/settings.json");
    check(
        "claude-code",
        |_| {},
        expect![[r#"
        enforced: true
    "#]],
    );
    check(
        "claude-code",
        |sandbox| edit(&settings(sandbox), "\"PreToolUse\"", "\"Other\""),
        expect![[r#"
            enforced: false
            bad: not registered for PreToolUse; what happens there is not judged
            bad: /home/.claude/settings.json is not as `tollgate init` writes it, so calls may pass by us
            bad: nothing is asked before a tool runs (PreToolUse)
        "#]],
    );
    check(
        "claude-code",
        |sandbox| {
            register(&settings(sandbox), sandbox, Path::new("/gone/tollgate"));
        },
        expect![[r#"
            enforced: false
            bad: the program that is registered is gone: /gone/tollgate
            bad: no answer: the program that is registered is gone: /gone/tollgate
        "#]],
    );
    check(
        "claude-code",
        |sandbox| {
            let other = sandbox.root().join("tollgate");
            fs::copy("/bin/true", &other).unwrap();
            register(&settings(sandbox), sandbox, &other);
        },
        expect![[r#"
            enforced: false
            bad: /tollgate is not Tollgate
            bad: a call that must be refused is not: it ended with status 0 and said nothing
        "#]],
    );
    check(
        "claude-code",
        |sandbox| edit(&settings(sandbox), "{", "{ \"disableAllHooks\": true,"),
        expect![[r#"
        enforced: false
        bad: `disableAllHooks` in /home/.claude/settings.json turns every hook off
    "#]],
    );
    check(
        "claude-code",
        |sandbox| edit(&settings(sandbox), "{", "{ // mine"),
        expect![[r#"
            enforced: false
            bad: Claude Code ignores all of /home/.claude/settings.json, which is no plain JSON: key must be a string at line 1 column 3
        "#]],
    );
    check(
        "claude-code",
        |sandbox| edit(&settings(sandbox), "{", "{,"),
        expect![[r#"
            enforced: null
            unknown: /home/.claude/settings.json: line 1, column 2: Unexpected token in object
        "#]],
    );
    check(
        "claude-code",
        |sandbox| sandbox.user_policy("nonsense = 1\n"),
        expect![[r#"
            enforced: false
            bad: it refuses every call: the policy has mistakes: /home/.config/tollgate/tollgate.toml:1:1: the file has no key `nonsense`; `tollgate check` shows them
            bad: the policy has mistakes, so nothing is let through: /home/.config/tollgate/tollgate.toml:1:1: the file has no key `nonsense`
        "#]],
    );
}

/// The self-test of a guard, and what it needs, in one place: the guard is run and must refuse; what keeps it from that
/// is named.
#[test]
fn nothing_is_taken_for_granted() {
    use std::os::unix::fs::PermissionsExt as _;
    check(
        "claude-code",
        |sandbox| {
            let state = sandbox.root().join("home/state/state");
            fs::create_dir_all(&state).unwrap();
            fs::write(state.join("audit"), "a file where a folder should be").unwrap();
        },
        expect![[r#"
            enforced: false
            bad: it refuses every call: the record: cannot make `/home/state/state/audit`: File exists (os error 17)
            bad: the record cannot be written, so every call is refused: cannot make `/home/state/state/audit`: File exists (os error 17)
        "#]],
    );
    check(
        "claude-code",
        |sandbox| {
            let cache = sandbox.root().join("home/state/cache");
            fs::create_dir_all(&cache).unwrap();
            fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
        },
        expect![[r#"
            enforced: true
            bad: others may write to the folder for cache: /home/state/cache
        "#]],
    );
    check(
        "claude-code",
        |sandbox| sandbox.user_policy("mode = \"observe\"\n"),
        expect![[r#"
        enforced: true
        bad: the policy only observes: nothing is refused
    "#]],
    );
}

/// Hooks go by what was kept. Whoever can write it can give it the right digest, too.
#[test]
fn a_plan_that_was_changed_is_noticed() {
    let poison = |sandbox: &Sandbox| {
        sandbox.run(&["doctor", "--agent", "claude-code"]);
        let kept = fs::read_dir(sandbox.root().join("home/state/cache")).unwrap().map(|entry| entry.unwrap().path());
        let kept: Vec<_> = kept.filter(|path| path.to_str().unwrap().contains("plan-")).collect();
        assert!(!kept.is_empty());
        for path in kept {
            let text = fs::read_to_string(&path).unwrap();
            let plan = text.split_once('\n').unwrap().1.replacen("\"mode\":\"enforce\"", "\"mode\":\"observe\"", 1);
            fs::write(&path, format!("{}\n{plan}", tollgate_config::sha256(plan.as_bytes()))).unwrap();
        }
    };
    check(
        "claude-code",
        poison,
        expect![[r#"
            enforced: true
            bad: not enforced: the plan that was kept in /home/state/cache is not what the policy says
        "#]],
    );
}

/// What refuses the canary does not refuse anything else then.
#[test]
fn a_pause_is_no_enforcement() {
    let sandbox = Sandbox::new();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    sandbox.done(&["pause", "1h", "--reason", "lunch"]);
    let ran = sandbox.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{}", ran.all());
    assert!(ran.out.contains("Tollgate is paused until "), "{}", ran.out);
    assert!(ran.out.ends_with("something is not enforced\n"), "{}", ran.out);
    sandbox.done(&["resume"]);
    assert!(sandbox.done(&["doctor"]).out.ends_with("everything is enforced\n"));
    // Everything is refused then, which is enforced enough.
    sandbox.done(&["halt", "--reason", "fire"]);
    assert!(sandbox.done(&["doctor"]).out.contains("all agents are halted: fire"));
}

#[test]
fn a_note_of_registrations_that_cannot_be_read_is_noticed() {
    check(
        "claude-code",
        |sandbox| fs::write(sandbox.root().join("home/state/data/installed.json"), "{").unwrap(),
        expect![[r#"
            enforced: true
            bad: what is registered cannot be read, so agents may change it: EOF while parsing an object at line 1 column 1
        "#]],
    );
}

/// The program that only answers hooks holds no TLS.
#[test]
fn heads_at_an_address_need_the_larger_program() {
    let sandbox = Sandbox::new();
    let smaller = sandbox.program().with_file_name("tollgate-hook");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tollgate"), smaller).unwrap();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    sandbox.user_policy("audit.anchor.url = 'https://heads.example/x'\n");
    let ran = sandbox.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{}", ran.all());
    assert!(ran.out.contains("heads of the record are not published at https://heads.example"), "{}", ran.out);
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    assert!(sandbox.done(&["doctor"]).out.contains("/bin/tollgate is tollgate "));
}

#[test]
fn in_words() {
    let sandbox = Sandbox::new();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    let ran = sandbox.done(&["doctor"]);
    let text = &ran.out;
    assert!(text.contains("Claude Code  enforced\n"), "{text}");
    assert!(text.contains("  ok    a call that must be refused is refused\n"), "{text}");
    assert!(text.contains("  note  no hook sees "), "{text}");
    assert!(text.ends_with("everything is enforced\n"), "{text}");
    let ran = Sandbox::new().run(&["doctor"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("no coding agent was found"), "{}", ran.out);
    assert!(ran.out.contains("nothing is judged yet"), "{}", ran.out);
}

/// Where a plugin is registered does not show that its agent is installed.
#[test]
fn what_is_registered_is_examined_whether_installed_or_not() {
    let sandbox = Sandbox::new();
    for agent in tollgate_hook::AGENTS {
        sandbox.done(&["init", "--yes", "--agent", agent.id]);
    }
    let smaller = sandbox.program().with_file_name("tollgate-hook");
    let both = |sandbox: &Sandbox| {
        let ran = sandbox.done(&["doctor"]);
        for agent in tollgate_hook::AGENTS {
            assert!(ran.out.contains(&format!("{}  enforced\n", agent.title)), "{}: {}", agent.id, ran.out);
        }
        ran.out
    };
    assert!(both(&sandbox).contains("/bin/tollgate is tollgate "));
    // The program that only answers hooks, beside this one: whatever the agent, it is registered and known again.
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tollgate"), &smaller).unwrap();
    for agent in tollgate_hook::AGENTS {
        sandbox.done(&["init", "--yes", "--agent", agent.id]);
    }
    let said = both(&sandbox);
    assert_eq!(said.matches("/bin/tollgate-hook is tollgate ").count(), tollgate_hook::AGENTS.len(), "{said}");
    let status = sandbox.run(&["status"]).out;
    assert_eq!(status.matches(": registered since 20").count(), tollgate_hook::AGENTS.len(), "{status}");
}

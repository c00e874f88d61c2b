//! `tollgate init` and `tollgate uninstall`, with the real program.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[path = "common/setup.rs"]
mod setup;

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use common::Sandbox;
use expect_test::{Expect, expect};
use setup::{FOLDERS, edit};

fn known() -> Vec<&'static str> {
    tollgate_hook::AGENTS.iter().map(|agent| agent.id).collect()
}

fn check(sandbox: &Sandbox, args: &[&str], expected: Expect) {
    expected.assert_eq(&sandbox.run(args).all());
}

#[test]
fn all_agents_are_registered_and_nothing_is_left_afterwards() {
    let sandbox = Sandbox::with_settings();
    let before = sandbox.tree();
    let ran = sandbox.done(&["init", "--yes"]);
    for id in known() {
        let title = tollgate_hook::find(id).unwrap().title;
        assert!(ran.out.contains(title), "{id}: {}", ran.out);
    }
    assert_ne!(sandbox.tree(), before);
    let again = sandbox.done(&["init", "--yes"]);
    assert!(again.out.starts_with("nothing to do: "), "{}", again.out);
    sandbox.done(&["uninstall", "--yes"]);
    assert_eq!(sandbox.tree(), before);
    let again = sandbox.done(&["uninstall", "--yes"]);
    assert_eq!(again.out, "nothing to do: nothing of Tollgate is registered\n");
}

#[test]
fn each_agent_comes_and_goes_alone() {
    for id in known() {
        let sandbox = Sandbox::with_settings();
        let before = sandbox.tree();
        sandbox.done(&["init", "--yes", "--agent", id]);
        assert_ne!(sandbox.tree(), before, "{id}");
        sandbox.done(&["init", "--yes", "--project", "--agent", id]);
        sandbox.done(&["uninstall", "--yes", "--agent", id]);
        assert_eq!(sandbox.tree(), before, "{id}");
    }
}

#[test]
fn the_difference_is_shown_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.home().join(".claude")).unwrap();
    fs::write(
        sandbox.home().join(".claude/settings.json"),
        "{\n  \"env\": { \"API_TOKEN\": \"f3Kd81mzQp0aLw7TbX2c\" }\n}\n",
    )
    .unwrap();
    let before = sandbox.tree();
    let ran = sandbox.done(&["init", "--dry-run"]);
    assert!(
        ran.out.contains("--- /home/.claude/settings.json\n+++ /home/.claude/settings.json\n@@ -1,3 +1,"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\n+  \"hooks\": {\n"), "{}", ran.out);
    assert!(ran.out.contains("\n+            \"onFailure\": \"block\"\n"), "{}", ran.out);
    assert!(!ran.out.contains("f3Kd81"), "a secret is shown: {}", ran.out);
    assert!(ran.out.ends_with("nothing was changed: this is what would be\n"), "{}", ran.out);
    assert_eq!(sandbox.tree(), before);
    let json = sandbox.done(&["init", "--dry-run", "--json"]).json();
    assert_eq!((&json["written"], &json["changes"][0]["what"]), (&false.into(), &"changed".into()));
    assert!(!json.to_string().contains("f3Kd81"), "{json}");
}

#[test]
fn nobody_can_be_asked_through_a_pipe() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.home().join(".claude")).unwrap();
    let before = sandbox.tree();
    assert_eq!(sandbox.run_with(&["init"], "y\n").code, Some(2));
    let ran = sandbox.acted(&["init"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("say --yes to write this"), "{}", ran.err);
    assert_eq!(sandbox.acted(&["init", "--json"]).code, Some(2));
    assert_eq!(sandbox.tree(), before);
}

/// Runs a command in a terminal, types these keys when it asks, and says how it ended and what stood there.
fn typed(sandbox: &Sandbox, args: &str, keys: &[u8]) -> (Option<i32>, String) {
    let inner = sandbox.command(&[]);
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{} {args}", sandbox.program().display()), "/dev/null"]).env_clear();
    script.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.current_dir(sandbox.project()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    let (mut keyboard, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut byte) = (Vec::new(), [0]);
    while !shown.ends_with(b"[y/N] ") && screen.read(&mut byte).unwrap() == 1 {
        shown.push(byte[0]);
    }
    let asked = shown.len();
    keyboard.write_all(keys).unwrap();
    screen.read_to_end(&mut shown).unwrap();
    let code = child.wait().unwrap().code();
    (code, String::from_utf8_lossy(&shown[asked..]).replace('\r', ""))
}

#[test]
fn somebody_at_a_terminal_is_asked() {
    let sandbox = Sandbox::with_settings().keyed();
    let before = sandbox.tree();
    // No, nothing, the end of the input, an interruption: nothing is written, not even half.
    for (keys, code, says) in [
        (&b"n\n"[..], 1, "n\nnothing was changed\n"),
        (b"\n", 1, "\nnothing was changed\n"),
        (b"why\n", 1, "why\nnothing was changed\n"),
        (b"\x04", 1, "\nnothing was changed\n"),
        (b"\x03", 130, "^C"),
    ] {
        assert_eq!(typed(&sandbox, "init", keys), (Some(code), says.to_owned()), "{keys:?}");
        assert_eq!(sandbox.tree(), before, "{keys:?}");
        assert!(!sandbox.root().join("state/data/installed.json").exists(), "{keys:?}");
    }
    let (code, says) = typed(&sandbox, "init", b"y\n");
    assert!(code == Some(0) && says.starts_with("y\nregistered with Claude Code, "), "{says}");
    let registered = sandbox.tree();
    assert_ne!(registered, before);
    assert_eq!(typed(&sandbox, "uninstall", b"\x03").0, Some(130));
    assert_eq!(sandbox.tree(), registered);
    let (code, says) = typed(&sandbox, "uninstall", b"y\n");
    assert!(code == Some(0) && says.starts_with("y\ntaken away; "), "{says}");
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn without_an_agent_it_says_what_it_looked_for() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["init"]);
    assert_eq!(ran.code, Some(1), "{}", ran.all());
    assert!(
        ran.out
            .starts_with("no coding agent was found; looked for\n  claude-code  /home/.claude or the program claude\n")
    );
    assert!(
        ran.out.ends_with("name one that is not installed yet: tollgate init --agent claude-code\n"),
        "{}",
        ran.out
    );
    let ran = sandbox.run(&["init", "--agent", "nobody"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: there is no agent `nobody`; known are claude-code"), "{}", ran.err);
    assert_eq!(sandbox.tree().len(), 0);
}

#[test]
fn an_agent_is_found_by_its_program_and_its_variables() {
    let sandbox = Sandbox::new();
    let (bin, other) = (sandbox.root().join("bin"), sandbox.home().join("route"));
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/true", bin.join("claude")).unwrap();
    sandbox.acted(&["init", "--dry-run"]);
    let mut command = sandbox.command(&["init", "--yes"]);
    let output =
        command.env("TOLLGATE_KEY", setup::KEY).env("PATH", &bin).env("CLAUDE_CONFIG_DIR", &other).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(fs::read_to_string(other.join("settings.json")).unwrap().contains("\"PreToolUse\""));
    assert!(!sandbox.home().join(".claude").exists());
}

#[test]
fn one_file_that_cannot_be_read_stops_all() {
    let sandbox = Sandbox::with_agents();
    fs::write(sandbox.home().join(".claude/settings.json"), "{\n  \"a\": 1\n  \"b\": 2\n}\n").unwrap();
    let before = sandbox.tree();
    let ran = sandbox.acted(&["init", "--yes"]);
    assert_eq!(ran.code, Some(2));
    expect![[r#"
        error: nothing was changed, because this cannot be:
          Claude Code: `/home/.claude/settings.json`: line 2, column 9: Expected comma; mend the file, or leave this agent out with `--agent`
    "#]].assert_eq(&ran.err);
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn a_path_that_is_gone_is_replaced() {
    let sandbox = Sandbox::new();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    let settings = sandbox.home().join(".claude/settings.json");
    let fresh = fs::read_to_string(&settings).unwrap();
    edit(&settings, sandbox.program().to_str().unwrap(), "/old/tollgate");
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), fresh);
}

#[test]
fn the_path_that_was_typed_is_registered() {
    let sandbox = Sandbox::new();
    let link = sandbox.root().join("my tools");
    fs::create_dir_all(&link).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tollgate"), link.join("tollgate")).unwrap();
    sandbox.acted(&["init", "--dry-run"]);
    let script = "exec tollgate init --yes --agent claude-code";
    let env = [
        ("PATH", link.clone()),
        ("HOME", sandbox.home()),
        ("TOLLGATE_HOME", sandbox.root().join("home/state")),
        ("TOLLGATE_KEY", setup::KEY.into()),
    ];
    let output = Command::new("/bin/sh")
        .args(["-c", script])
        .env_clear()
        .envs(env)
        .current_dir(sandbox.project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let settings = fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    assert!(settings.contains(link.join("tollgate").to_str().unwrap()), "{settings}");
}

/// The program that only answers hooks starts faster.
#[test]
fn the_smaller_program_beside_this_one_is_registered() {
    let sandbox = Sandbox::with_agents();
    let before = sandbox.tree();
    let smaller = sandbox.program().with_file_name("tollgate-hook");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tollgate"), &smaller).unwrap();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    let settings = fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    assert!(settings.contains(&format!("{} hook claude-code", smaller.display())), "{settings}");
    sandbox.done(&["doctor", "--agent", "claude-code"]);
    // It is gone: that is said, and mended by registering again.
    fs::remove_file(&smaller).unwrap();
    assert_eq!(sandbox.run(&["doctor", "--agent", "claude-code"]).code, Some(1));
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    sandbox.done(&["doctor", "--agent", "claude-code"]);
    sandbox.done(&["uninstall", "--yes"]);
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn what_is_changed_meanwhile_stays() {
    let sandbox = Sandbox::with_settings();
    let settings = sandbox.home().join(".claude/settings.json");
    let before = fs::read_to_string(&settings).unwrap();
    sandbox.done(&["init", "--yes", "--agent", "claude-code"]);
    edit(&settings, "\"model\": \"x\"", "\"model\": \"other\"");
    sandbox.done(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), before.replace("\"model\": \"x\"", "\"model\": \"other\""));
}

#[test]
fn what_uninstall_leaves_is_named() {
    let sandbox = Sandbox::new();
    sandbox.done(&["init", "--yes", "--agent", "cline"]);
    let script = sandbox.home().join(".cline/hooks/PreToolUse");
    edit(&script, "#!/bin/sh\n", "#!/bin/sh\necho mine >&2\n");
    let changed = fs::read_to_string(&script).unwrap();
    let says = "these files; what they call Tollgate for is still judged\n  /home/.cline/hooks/PreToolUse\n";
    for done in ["taken away, except from ", "nothing was changed in "] {
        let ran = sandbox.acted(&["uninstall", "--yes"]);
        assert_eq!(ran.code, Some(1), "{}", ran.all());
        assert!(ran.out.ends_with(&format!("{done}{says}")), "{}", ran.out);
        assert!(!ran.out.contains("no longer judged"), "{}", ran.out);
        assert_eq!(fs::read_to_string(&script).unwrap(), changed);
    }
    let ran = sandbox.acted(&["init", "--yes", "--agent", "cline"]);
    assert!(ran.err.contains("or one of ours that was changed; move it away"), "{}", ran.err);
}

#[test]
fn a_policy_to_start_with_is_another_matter() {
    let sandbox = Sandbox::new().keyed();
    check(
        &sandbox,
        &["init", "--policy", "--force"],
        expect![[r#"
        wrote tollgate.toml; everything in it is a comment, so the default packs hold
          tollgate check      what is enforced
          tollgate explain    what would happen to a command
        [0]
    "#]],
    );
    assert_eq!(sandbox.run(&["init", "--force"]).code, Some(2));
}

#[test]
fn every_agent_has_a_setup() {
    let setups: Vec<&str> = FOLDERS.iter().map(|(id, _)| *id).collect();
    for id in known() {
        assert!(setups.contains(&id), "{id}");
        assert!(tollgate_hook::setup::SETUPS.iter().any(|setup| setup.id == id), "{id}");
    }
}

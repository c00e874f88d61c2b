//! Programs that a project brings along: shown, trusted, run, and what stands in for them until then.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use common::Sandbox;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const POLICY: &str = "[packs]\nuse = []\n[[hook]]\nid = 'guard'\ncommand = 'sh guard.sh'\nmatch = 'bash'\n";
const GUARD: &str = "grep -q prod && { echo 'production is read-only' >&2; exit 2; }\nexit 0\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(POLICY).keyed();
    sandbox.write("guard.sh", GUARD);
    sandbox
}

/// What the hook of Claude Code says to a command in the project.
fn asked(sandbox: &Sandbox, command: &str) -> String {
    let payload = json!({
        "session_id": "s-1", "cwd": sandbox.project(), "hook_event_name": "PreToolUse", "prompt_id": "p",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": format!("call {command}"),
    });
    let ran = sandbox.run_with(&["hook", "claude-code"], &payload.to_string());
    if ran.out.is_empty() {
        return format!("silent {:?} {}", ran.code, ran.err);
    }
    let answer: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out));
    let own = &answer["hookSpecificOutput"];
    format!("{}: {}", own["permissionDecision"].as_str().unwrap(), own["permissionDecisionReason"].as_str().unwrap())
}

fn check(sandbox: &Sandbox, args: &[&str], stdin: &str, expected: Expect) {
    // A question ends with a blank, and nothing else does.
    expected.assert_eq(&sandbox.run_with(args, stdin).all().replace("[y/N] \n", "[y/N]\n"));
}

const REFUSED: &str = "deny: the hooks of this project are not trusted as they are now, so they cannot be asked; the user can look at them and run `tollgate trust`";

#[test]
fn from_a_clone_to_a_hook_that_runs_and_back() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(&["trust", "--list"]).out, "nothing is trusted\n");
    assert_eq!(asked(&sandbox, "ls"), REFUSED);
    // Saying no, saying nothing and saying something else are all no.
    for answer in ["n\n", "", "\n", "maybe\n"] {
        let ran = sandbox.run_with(&["trust"], answer);
        assert_eq!(ran.code, Some(1), "{answer:?}");
        assert_eq!(sandbox.run(&["trust", "--list"]).out, "nothing is trusted\n", "{answer:?}");
    }
    check(
        &sandbox,
        &["trust"],
        "y\n",
        expect![[r#"
            trusted: /project/tollgate.toml
              exactly as it is now (sha256 7b8ac1531a80); any change ends it
            trusted: hooks of /project/tollgate.toml
              exactly as it is now (sha256 caca4fbd5848); any change ends it
              take it back: tollgate trust --revoke /project/tollgate.toml
            hooks of /project/tollgate.toml
              guard at tool.before, match bash, protocol tollgate
                  sh guard.sh
                  runs /project/guard.sh (sha256 30a00e609fd6)

            These programs run on this machine, with your rights, whenever an agent comes by these points.
            Trust them exactly as they are now? [y/N]
            [0]
        "#]],
    );
    assert_eq!(asked(&sandbox, "ls"), "silent Some(0) ");
    assert_eq!(asked(&sandbox, "psql prod"), "deny: production is read-only");
    // It is remembered, by content.
    sandbox.write("guard.sh", "exit 0\n");
    assert_eq!(asked(&sandbox, "psql prod 2"), REFUSED);
    sandbox.write("guard.sh", GUARD);
    assert_eq!(asked(&sandbox, "psql prod 3"), "deny: production is read-only");
    let list = sandbox.run(&["trust", "--list"]).out;
    assert_eq!(
        list.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect::<Vec<_>>(),
        ["config", "hooks"]
    );
    check(
        &sandbox,
        &["trust", "--revoke"],
        "",
        expect![[r#"
        no longer trusted: /project/tollgate.toml
        [0]
    "#]],
    );
    assert_eq!(asked(&sandbox, "ls 4"), REFUSED);
    check(
        &sandbox,
        &["trust", "--revoke"],
        "",
        expect![[r#"
        was not trusted: /project/tollgate.toml
        [1]
    "#]],
    );
    // And is asked about again.
    assert_eq!(sandbox.run_with(&["trust"], "yes\n").code, Some(0));
    assert_eq!(asked(&sandbox, "ls 5"), "silent Some(0) ");
}

#[test]
fn without_hooks_nothing_is_asked() {
    let sandbox = Sandbox::with("[packs]\nuse = []\n").keyed();
    sandbox.write(".tollgate/workspace.json", r#"{"hooks": {}}"#);
    assert_eq!(asked(&sandbox, "ls"), "silent Some(0) ");
    let ran = sandbox.run(&["trust"]);
    assert!(ran.code == Some(0) && ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn what_is_trusted_is_shown_whole() {
    let sandbox = Sandbox::new().keyed();
    let long = format!("echo '\u{1b}[31m{}' '\rtrue'", "x".repeat(150));
    let hooks = json!({"hooks": {"preToolUse": [{"command": long, "match": "bash"}, {"command": "echo 'a\nexit 0'"}]}});
    sandbox.write(".tollgate/workspace.json", &hooks.to_string());
    sandbox.write("tollgate.toml", "[[hook]]\ncommand = ['true', 'a b']\nenv = ['GITHUB_TOKEN']\non_fault = 'pass'\n");
    check(
        &sandbox,
        &["trust"],
        "n\n",
        expect![[r#"
            hooks of /project/tollgate.toml
              hook-1 at tool.before, match *, protocol tollgate
                  true 'a b'
                  gets GITHUB_TOKEN of your environment
                  lets calls go on when it fails
            hooks of /project/.tollgate/workspace.json
              preToolUse-1 at tool.before, match bash, protocol seed
                  echo '\u{1b}[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                  xxxxxxxxxxxxxxxxxx' '\u{d}true'
              preToolUse-2 at tool.before, match *, protocol seed
                  echo 'a
                  exit 0'

            These programs run on this machine, with your rights, whenever an agent comes by these points.
            Trust them exactly as they are now? [y/N]
            nothing is trusted that was not before
            [1]
        "#]],
    );
}

#[test]
fn a_folder_can_be_named() {
    let sandbox = sandbox();
    let dir = sandbox.project().display().to_string();
    let elsewhere = sandbox.root().join("route");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let run = |args: &[&str]| {
        let mut command = sandbox.command(args);
        command.current_dir(&elsewhere).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"y\n");
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text.replace(sandbox.root().to_str().unwrap(), ""))
    };
    let trusted = || !sandbox.run(&["trust", "--list"]).out.starts_with("nothing");
    assert_eq!(run(&["trust", "--dir", &dir]).0, Some(0));
    assert!(trusted());
    assert_eq!(
        run(&["trust", "--revoke", &format!("--dir={dir}")]),
        (Some(0), "no longer trusted: /project/tollgate.toml\n".to_owned())
    );
    assert!(!trusted());
    assert_eq!(run(&["trust", &format!("--dir={dir}")]).0, Some(0));
    assert!(trusted());
    assert_eq!(
        run(&["trust", "--revoke", "--dir", "/nowhere"]),
        (Some(1), "was not trusted: /nowhere/tollgate.toml\n".to_owned())
    );
    let (code, text) = run(&["trust", "--dir", "/nowhere"]);
    assert_eq!(
        (code, text.as_str()),
        (
            Some(2),
            "error: there is no tollgate.toml in /nowhere; name the file, or begin with `tollgate init --policy`\n"
        )
    );
    let (code, text) = run(&["trust", "--help"]);
    assert!(
        code == Some(0) && ["--dir <DIR>", "--revoke", "--list"].iter().all(|option| text.contains(option)),
        "{text}"
    );
}

#[test]
fn check_and_explain_name_hooks_and_run_none() {
    let sandbox = sandbox();
    sandbox.write("guard.sh", "touch ran\n");
    check(
        &sandbox,
        &["check"],
        "",
        expect![[r#"
            project  /project/tollgate.toml

            enforced
              packs      shell-safety, git-safety, secrets, sensitive-paths, infra,
                         database, egress
              rules      28 of packs, 0 of files
              hook       guard: sh guard.sh at tool.before of bash; not trusted, so all of
                         these are refused
              records    redacted, files of 16 MB, kept for ever; no anchor

            warning: leaving out shell-safety, git-safety, secrets, sensitive-paths, infra,
                     database, egress does not hold
             --> /project/tollgate.toml:2:1
              |
            2 | use = []
              | ^^^
              = help: this file is not trusted as it is now; read it, then run `tollgate
                      trust`

            warning: the hooks in this file are not trusted as they are now, so what they
                     would judge is refused
             --> /project/tollgate.toml:3:1
              |
            3 | [[hook]]
              | ^^^^^^^^
              = help: look at them and their scripts, then run `tollgate trust`

            2 warnings

            the policy is right
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["explain", "make all"],
        "",
        expect![[r#"
              call    make all
              does    nothing that is known to do harm
              rules   26 looked and had nothing to say
              hooks   ? guard (project)
                        sh guard.sh
                        not trusted, so this is refused
              so      deny
                      the hooks of this project are not trusted as they are now, so they
                      cannot be asked; the user can look at them and run `tollgate trust`
              ignored leaving out shell-safety, git-safety, secrets, sensitive-paths, infra,
                      database, egress does not hold: this file is not trusted as it is now;
                      read it, then run `tollgate trust`
                        at /project/tollgate.toml:2
            [1]
        "#]],
    );
    assert_eq!(sandbox.run_with(&["trust"], "y\n").code, Some(0));
    check(
        &sandbox,
        &["explain", "make all"],
        "",
        expect![[r#"
              call    make all
              does    nothing that is known to do harm
              hooks   ? guard (project)
                        sh guard.sh
                        asked when it happens, not now
              so      pass
                      unless a hook objects
            [0]
        "#]],
    );
    let report = sandbox.run(&["check", "--json"]).json();
    expect![[r#"[{"id":"guard","origin":"project","on":["tool.before"],"match":["bash"],"command":"sh guard.sh","protocol":"tollgate","timeout_ms":10000,"on_fault":"deny","trusted":true}]"#]].assert_eq(&report["hooks"].to_string());
    assert!(!sandbox.project().join("ran").exists());
}

#[test]
fn hooks_can_be_named_for_a_question() {
    let sandbox = Sandbox::with("[packs]\nuse = []\n").keyed();
    let file = sandbox.write("mine.json", r#"{"hooks": {"preToolUse": [{"command": "true"}]}}"#);
    let explained = sandbox.run(&["--hooks", file.to_str().unwrap(), "explain", "--json", "ls"]).json();
    assert_eq!(
        explained["hooks"],
        json!([{"id": "preToolUse-1", "origin": "user", "command": "true", "trusted": true}])
    );
    let ran = sandbox.run(&["check", "--hooks", "gone.json"]);
    assert!(ran.code == Some(2) && ran.err.contains("look at what follows `--hooks`"), "{}", ran.err);
    assert_eq!(sandbox.run(&["test", "--hooks", "mine.json"]).code, Some(0));
}

#[test]
fn a_hook_that_is_not_there_refuses_everything() {
    let sandbox = sandbox();
    std::fs::remove_file(sandbox.project().join("guard.sh")).unwrap();
    let told = asked(&sandbox, "ls");
    assert!(
        told.starts_with("deny: Tollgate could not judge this") && told.contains("there is no file `guard.sh`"),
        "{told}"
    );
}

#[test]
fn the_example_works_as_the_users_own() {
    let sandbox = Sandbox::with("").keyed();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies");
    let home = sandbox.root().join("home/.config/tollgate");
    std::fs::create_dir_all(home.join("hooks")).unwrap();
    std::fs::copy(examples.join("hooks.toml"), home.join("tollgate.toml")).unwrap();
    std::fs::copy(examples.join("hooks/no-prod.py"), home.join("hooks/no-prod.py")).unwrap();
    assert_eq!(asked(&sandbox, "ls"), "silent Some(0) ");
    assert_eq!(asked(&sandbox, "psql -h db.prod"), "deny: production is read-only; use the replica, db.replica");
}

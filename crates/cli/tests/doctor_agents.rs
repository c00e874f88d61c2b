//! What keeps agents from asking, and how `tollgate doctor` says it.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[path = "common/setup.rs"]
mod setup;

use std::fs;
use std::path::Path;

use common::Sandbox;
use expect_test::{Expect, expect};
use setup::edit;

/// Registers an agent, spoils something, and shows what is not enforced then.
fn check(args: &[&str], spoil: impl FnOnce(&Sandbox), expected: Expect) {
    let sandbox = Sandbox::new();
    sandbox.done(&[&["init", "--yes", "--agent"], args].concat());
    spoil(&sandbox);
    let ran = sandbox.run(&["doctor", "--json", "--agent", args[0]]);
    let json = ran.json();
    let findings = json["agents"][0]["findings"].as_array().unwrap();
    let wrong = findings.iter().filter(|finding| finding["weight"] == "bad" || finding["weight"] == "unknown");
    let line = |finding: &serde_json::Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
        format!("{}\n  mend: {}\n", text("text"), text("mend"))
    };
    let shown = format!("[{}]\n{}", ran.code.unwrap(), wrong.map(line).collect::<String>());
    expected.assert_eq(&shown);
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn codex_skips_what_is_not_trusted() {
    check(
        &["codex"],
        |_| {},
        expect![[r#"
        [0]
    "#]],
    );
    check(
        &["codex"],
        |sandbox| fs::remove_file(sandbox.home().join(".codex/config.toml")).unwrap(),
        expect![[r#"
        [1]
        NOT ENFORCED: Codex skips hooks without a word that are not trusted, and runs the tool: pre_tool_use, post_tool_use, user_prompt_submit, session_start, session_end, subagent_start, subagent_stop, stop, pre_compact
          mend: tollgate init --agent codex (or trust them with `/hooks` in Codex)
    "#]],
    );
    // Another command has another hash.
    let changed =
        |sandbox: &Sandbox| edit(&sandbox.home().join(".codex/hooks.json"), "\"timeout\": 60", "\"timeout\": 61");
    check(
        &["codex"],
        changed,
        expect![[r#"
            [1]
            NOT ENFORCED: Codex skips hooks without a word that are not trusted, and runs the tool: pre_tool_use
              mend: tollgate init --agent codex (or trust them with `/hooks` in Codex)
            /home/.codex/hooks.json is not as `tollgate init` writes it, so calls may pass by us
              mend: tollgate init --agent codex
        "#]],
    );
    let disabled = |sandbox: &Sandbox| {
        edit(&sandbox.home().join(".codex/config.toml"), "trusted_hash", "enabled = false\ntrusted_hash");
    };
    check(
        &["codex"],
        disabled,
        expect![[r#"
        [1]
        NOT ENFORCED: Codex skips hooks without a word that are not trusted, and runs the tool: pre_tool_use
          mend: tollgate init --agent codex (or trust them with `/hooks` in Codex)
    "#]],
    );
    let off = |sandbox: &Sandbox| {
        let config = sandbox.home().join(".codex/config.toml");
        write(&config, &(fs::read_to_string(&config).unwrap() + "[features]\nhooks = false\n"));
    };
    check(
        &["codex"],
        off,
        expect![[r#"
        [1]
        `features.hooks` in /home/.codex/config.toml turns every hook off
          mend: take `features.hooks` out of /home/.codex/config.toml
    "#]],
    );
    check(
        &["codex"],
        |sandbox| edit(&sandbox.home().join(".codex/hooks.json"), "{", "{ // mine"),
        expect![[r#"
            [1]
            Codex CLI ignores all of /home/.codex/hooks.json, which is no plain JSON: key must be a string at line 1 column 3
              mend: take comments and commas at the end of lists out of the file
        "#]],
    );
    check(
        &["codex", "--project"],
        |_| {},
        expect![[r#"
            [1]
            it reads a project's hooks only if you trust the project, and /project is not trusted
              mend: trust it when Codex asks, or register for yourself: `tollgate init --agent codex`
        "#]],
    );
}

#[test]
fn codex_keeps_the_trust_of_others() {
    let sandbox = Sandbox::new();
    let config = sandbox.home().join(".codex/config.toml");
    let before = "# mine\n[hooks.state.\"/other:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n";
    write(&config, before);
    sandbox.done(&["init", "--yes", "--agent", "codex"]);
    edit(&config, "# mine", "# mine still");
    sandbox.done(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&config).unwrap(), before.replace("# mine", "# mine still"));
}

#[test]
fn switches() {
    let put = |path: &'static str, member: &'static str| {
        move |sandbox: &Sandbox| edit(&sandbox.home().join(path), "{", &format!("{{ {member},"))
    };
    check(
        &["gemini-cli"],
        put(".gemini/settings.json", "\"hooksConfig\": {\"enabled\": false}"),
        expect![[r#"
        [1]
        `hooksConfig.enabled` in /home/.gemini/settings.json turns every hook off
          mend: take `hooksConfig.enabled` out of /home/.gemini/settings.json
    "#]],
    );
    check(
        &["gemini-cli"],
        put(".gemini/settings.json", "\"hooksConfig\": {\"disabled\": [\"tollgate\"]}"),
        expect![[r#"
            [1]
            `hooksConfig.disabled` in /home/.gemini/settings.json turns this hook off
              mend: take `hooksConfig.disabled` out of /home/.gemini/settings.json
        "#]],
    );
    check(
        &["gemini-cli", "--project"],
        |_| {},
        expect![[r#"
        [1]
        it runs a project's hooks only in folders that you trust, and /project is none
          mend: trust the folder (`/permissions` in Gemini), or register for yourself: `tollgate init --agent gemini-cli`
    "#]],
    );
    check(
        &["qwen-code"],
        put(".qwen/settings.json", "\"disableAllHooks\": true"),
        expect![[r#"
        [1]
        `disableAllHooks` in /home/.qwen/settings.json turns every hook off
          mend: take `disableAllHooks` out of /home/.qwen/settings.json
    "#]],
    );
    check(
        &["droid"],
        put(".factory/settings.json", "\"enableHooks\": false"),
        expect![[r#"
        [1]
        `enableHooks` in /home/.factory/settings.json turns every hook off
          mend: take `enableHooks` out of /home/.factory/settings.json
    "#]],
    );
    check(
        &["copilot"],
        |sandbox| write(&sandbox.home().join(".copilot/settings.json"), "{\"disableAllHooks\": true}"),
        expect![[r#"
            [1]
            `disableAllHooks` in /home/.copilot/settings.json turns every hook off
              mend: take `disableAllHooks` out of /home/.copilot/settings.json
        "#]],
    );
    check(
        &["openclaw"],
        |sandbox| edit(&sandbox.home().join(".openclaw/openclaw.json"), "\"load\"", "\"allow\": [], \"load\""),
        expect![[r#"
            [1]
            `plugins.allow` in /home/.openclaw/openclaw.json leaves the plugin out
              mend: take `plugins.allow` out of /home/.openclaw/openclaw.json
        "#]],
    );
}

#[test]
fn files_that_are_gone() {
    let gone = |path: &'static str| move |sandbox: &Sandbox| fs::remove_file(sandbox.home().join(path)).unwrap();
    check(
        &["cline"],
        gone(".cline/hooks/PreToolUse"),
        expect![[r#"
        [1]
        not registered for PreToolUse; what happens there is not judged
          mend: tollgate init --agent cline
        nothing is asked before a tool runs (PreToolUse)
          mend: tollgate init --agent cline
    "#]],
    );
    check(
        &["opencode"],
        gone(".config/opencode/plugins/tollgate.js"),
        expect![[r#"
        [1]
        it is not registered: nothing that this agent does is judged
          mend: tollgate init --agent opencode
    "#]],
    );
    check(
        &["cursor"],
        gone(".cursor/hooks.json"),
        expect![[r#"
        [1]
        it is not registered: nothing that this agent does is judged
          mend: tollgate init --agent cursor
    "#]],
    );
    check(
        &["kiro"],
        |sandbox| edit(&sandbox.home().join(".kiro/hooks/tollgate.json"), "hook kiro", "hook nobody"),
        expect![[r#"
            [1]
            not registered for preToolUse, PreToolUse; what happens there is not judged
              mend: tollgate init --agent kiro
            /home/.kiro/hooks/tollgate.json is not as `tollgate init` writes it, so calls may pass by us
              mend: tollgate init --agent kiro
            nothing is asked before a tool runs (PreToolUse)
              mend: tollgate init --agent kiro
        "#]],
    );
}

/// A command that is still there is not always run, and not for every tool.
#[test]
fn what_stands_around_the_command_counts() {
    for (agent, path, from, to) in [
        ("claude-code", ".claude/settings.json", "\"matcher\": \"*\"", "\"matcher\": \"Edit\""),
        ("claude-code", ".claude/settings.json", "\"hooks\": {", "\"_hooks\": {"),
        ("claude-code", ".claude/settings.json", "\"onFailure\": \"block\"", "\"onFailure\": \"allow\""),
        ("droid", ".factory/settings.json", "\"matcher\": \"*\"", "\"matcher\": \"Edit\""),
        ("cursor", ".cursor/hooks.json", "\"failClosed\": true", "\"failClosed\": false"),
        ("kiro", ".kiro/hooks/tollgate.json", "\"enabled\": true", "\"enabled\": false"),
        ("openclaw", ".openclaw/openclaw.json", "\"enabled\": true", "\"enabled\": false"),
        ("openclaw", ".openclaw/openclaw.json", "/plugins/tollgate", "/plugins/nothing"),
        ("opencode", ".config/opencode/plugins/tollgate.js", "throw ", "void "),
    ] {
        let sandbox = Sandbox::new();
        sandbox.done(&["init", "--yes", "--agent", agent]);
        edit(&sandbox.home().join(path), from, to);
        let ran = sandbox.run(&["doctor", "--agent", agent]);
        let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(ran.code, Some(1), "{agent} {to}: {said}");
        assert!(said.contains(&format!("{path} is not as `tollgate init` writes it")), "{agent} {to}: {said}");
        let again = sandbox.acted(&["init", "--yes", "--agent", agent]);
        if again.err.contains("move it away") {
            // A file of our own that somebody changed is theirs to judge.
            fs::remove_file(sandbox.home().join(path)).unwrap();
        }
        sandbox.done(&["init", "--yes", "--agent", agent]);
        sandbox.done(&["doctor", "--agent", agent]);
    }
}

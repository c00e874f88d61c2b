//! The plugins as `node` runs them, with small programs in this program's place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use expect_test::expect;

use super::*;
use crate::agents::find;

/// Puts one program after another in its place, has the plugin meet an event with it, and prints what becomes of that.
const DRIVER: &str = r#"
import { rmSync, writeFileSync } from "node:fs";
const [plugin, program, cases] = process.argv.slice(2);
const exported = await import(plugin);
const became = [];
for (const [script, event] of JSON.parse(cases)) {
  rmSync(program, { force: true });
  if (script !== "") writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  try {
    became.push(await meet(event));
  } catch (error) {
    became.push("throws: " + error.message);
  }
}
console.log(JSON.stringify(became));
"#;

/// Does what OpenCode does: it goes on with the objects that it gave away.
const LIKE_OPENCODE: &str = r#"
async function meet([name, input, output]) {
  const kept = output.args ?? output;
  const hooks = await exported.Tollgate({ directory: "/home/dev/project" });
  await hooks.config({ mcp: { git: { type: "local" } } });
  await hooks[name](input, output);
  return "goes on with " + JSON.stringify(kept);
}
"#;

/// Does what OpenClaw does. Its context holds things that cannot be written down.
const LIKE_OPENCLAW: &str = r#"
async function meet([name, event, context]) {
  const hooks = {};
  exported.default.register({ on: (hook, handler, options) => (hooks[hook] = { handler, options }) });
  if (name === "") return Object.entries(hooks).map(([hook, { options }]) => hook + " " + JSON.stringify(options)).join("\n");
  const result = hooks[name].handler(event, { ...context, abortSignal: hooks, self: globalThis });
  const all = (key, value) => (value === undefined ? "(gone)" : value);
  return "returns " + (result === undefined ? "nothing" : JSON.stringify(result, all));
}
"#;

/// A folder with a plugin, what drives it and the program that it asks. It goes away with the value.
struct Stage(PathBuf);

impl Stage {
    fn new(hooks: &str, driver: &str, patience: Duration) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("tollgate-shim-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let stage = Self(folder);
        fs::write(stage.0.join("driver.mjs"), format!("{DRIVER}{driver}")).unwrap();
        let program = stage.program();
        let plugin = plugin(hooks, program.to_str().unwrap(), patience);
        fs::write(stage.0.join("plugin.mjs"), plugin).unwrap();
        stage
    }

    fn program(&self) -> PathBuf {
        // A name that would end a text early, were it not written with care.
        self.0.join("it's \"the\\program\".sh")
    }

    /// What becomes of events when the program does this. Without anything to do, there is no program.
    fn run(&self, cases: &[(&str, &Value)]) -> Vec<String> {
        let mut node = Command::new("node");
        node.arg(self.0.join("driver.mjs"))
            .arg(self.0.join("plugin.mjs"))
            .arg(self.program())
            .arg(json!(cases).to_string());
        let run = node.output().unwrap_or_else(|error| panic!("these tests need `node`: {error}"));
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let became: Vec<String> = serde_json::from_slice(&run.stdout).unwrap();
        became.iter().map(|text| text.replace(self.program().to_str().unwrap(), "PROGRAM")).collect()
    }

    /// The same as a text, each with its name.
    fn shown(&self, cases: &[(&str, &str, &Value)]) -> String {
        let became = self.run(&cases.iter().map(|(_, script, event)| (*script, *event)).collect::<Vec<_>>());
        cases.iter().zip(became).map(|((what, ..), became)| format!("{what}: {became}\n")).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whatever can go wrong with a program, as scripts. None of it may pass for consent.
const FAULTS: &[(&str, &str)] = &[
    ("not there", ""),
    ("status 1", "cat >/dev/null; exit 1"),
    ("status 1 with consent", r#"cat >/dev/null; echo '{"decision":"pass"}'; exit 1"#),
    ("status 2 with a reason", "cat >/dev/null; echo 'a reason' >&2; exit 2"),
    ("killed", "cat >/dev/null; kill -9 $$"),
    ("no JSON", "cat >/dev/null; echo hello"),
    ("half an answer", r#"cat >/dev/null; printf '{"decision":"de'"#),
    ("no object", "cat >/dev/null; echo null"),
    ("no decision", r#"cat >/dev/null; echo '{"reason":"x"}'"#),
    ("another decision", r#"cat >/dev/null; echo '{"decision":"allow"}'"#),
    ("a refusal without a reason", r#"cat >/dev/null; echo '{"decision":"deny","reason":" "}'"#),
    ("a rewrite without a value", r#"cat >/dev/null; echo '{"decision":"rewrite"}'"#),
    ("a rewrite into a text", r#"cat >/dev/null; echo '{"decision":"rewrite","value":"ls"}'"#),
    ("notes that are none", r#"cat >/dev/null; echo '{"decision":"pass","notes":"x"}'"#),
    ("another agent's words", r#"cat >/dev/null; echo '{"permissionDecision":"allow"}'"#),
];

/// The same for a program that does not end in time.
const SLOW: &[(&str, &str)] = &[
    ("too slow", "cat >/dev/null; exec sleep 9"),
    ("a child that holds on to its output", "cat >/dev/null; sleep 9 & wait"),
];

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(400);

fn says(answer: &str) -> String {
    format!("cat >/dev/null; echo '{answer}'")
}

/// A result on its way into storage.
fn stored() -> Value {
    let content = json!([{ "type": "text", "text": "hunter2" }]);
    let message = json!({ "role": "toolResult", "content": content, "details": { "x": "hunter2" } });
    json!(["tool_result_persist", { "toolName": "exec", "message": message }, { "sessionId": "s1" }])
}

/// What becomes of an event with every fault: with a plugin that waits, and for slow programs with one that does not.
fn faults(hooks: &str, driver: &str, event: &Value) -> Vec<(&'static str, String)> {
    let met = |faults: &[(&'static str, &'static str)], patience| {
        let cases: Vec<_> = faults.iter().map(|(_, script)| (*script, event)).collect();
        let became = Stage::new(hooks, driver, patience).run(&cases);
        faults.iter().map(|(what, _)| *what).zip(became).collect::<Vec<_>>()
    };
    [met(FAULTS, LONG), met(SLOW, SHORT)].concat()
}

#[test]
fn opencode_does_what_is_decided() {
    let call = json!(["tool.execute.before", { "tool": "bash" }, { "args": { "command": "rm x", "timeout": 5 } }]);
    let after =
        json!(["tool.execute.after", { "tool": "read" }, { "title": "t", "output": "hunter2", "metadata": {} }]);
    let mcp = json!(["tool.execute.after", { "tool": "s_t" }, { "content": [{ "type": "text", "text": "hunter2" }] }]);
    let prompt = json!(["chat.message", {}, { "parts": [{ "type": "text", "text": "hi" }] }]);
    let deny = says(r#"{"decision":"deny","reason":"no"}"#);
    let became = Stage::new(OPENCODE, LIKE_OPENCODE, LONG).shown(&[
        ("silence", "cat >/dev/null", &call),
        ("pass", &says(r#"{"decision":"pass"}"#), &call),
        ("deny", &deny, &call),
        ("ask", &says(r#"{"decision":"ask","reason":"really?"}"#), &call),
        // The key that is gone must be gone from the very object that the agent holds.
        ("rewrite", &says(r#"{"decision":"rewrite","value":{"command":"ls"}}"#), &call),
        ("rewrite to a name with a meaning", &says(r#"{"decision":"rewrite","value":{"__proto__":{"x":1}}}"#), &call),
        ("deny after", &deny, &after),
        ("rewrite after", &says(r#"{"decision":"rewrite","value":{"title":"t","output":"***"}}"#), &after),
        ("note after", &says(r#"{"decision":"pass","notes":["a","b"]}"#), &after),
        ("note after an MCP tool", &says(r#"{"decision":"pass","notes":["a"]}"#), &mcp),
        ("rewrite after an MCP tool", &says(r#"{"decision":"rewrite","value":{"content":[]}}"#), &mcp),
        ("prompt", "cat >/dev/null", &prompt),
        ("deny a prompt", &deny, &prompt),
        ("what it is asked", "echo \"$@\" >&2; cat >&2; exit 9", &call),
    ]);
    expect![[r#"
        silence: goes on with {"command":"rm x","timeout":5}
        pass: goes on with {"command":"rm x","timeout":5}
        deny: throws: no
        ask: throws: really?
        rewrite: goes on with {"command":"ls"}
        rewrite to a name with a meaning: goes on with {"__proto__":{"x":1}}
        deny after: throws: no
        rewrite after: goes on with {"title":"t","output":"***"}
        note after: goes on with {"title":"t","output":"hunter2\n\na\nb","metadata":{}}
        note after an MCP tool: goes on with {"content":[{"type":"text","text":"hunter2"},{"type":"text","text":"a"}]}
        rewrite after an MCP tool: goes on with {"content":[]}
        prompt: goes on with {"parts":[{"type":"text","text":"hi"}]}
        deny a prompt: throws: no
        what it is asked: throws: Tollgate could not judge this, so it is refused: PROGRAM ended with status 9: hook opencode
        {"hook":"tool.execute.before","input":{"tool":"bash"},"output":{"args":{"command":"rm x","timeout":5}},"cwd":"/home/dev/project","servers":["git"]}; `tollgate doctor` says what is wrong and how to mend it
    "#]].assert_eq(&became);
}

#[test]
fn opencode_refuses_whatever_goes_wrong() {
    let call = json!(["tool.execute.before", { "tool": "bash" }, { "args": { "command": "rm x" } }]);
    let mut shown = String::new();
    for (what, became) in faults(OPENCODE, LIKE_OPENCODE, &call) {
        let inner = became.strip_prefix("throws: Tollgate could not judge this, so it is refused: ");
        let inner =
            inner.and_then(|rest| rest.strip_suffix("; `tollgate doctor` says what is wrong and how to mend it"));
        shown += &format!("{what}: {}\n", inner.unwrap_or_else(|| panic!("{what}: {became}")));
    }
    expect![[r#"
        not there: PROGRAM cannot be asked (spawnSync PROGRAM ENOENT)
        status 1: PROGRAM ended with status 1
        status 1 with consent: PROGRAM ended with status 1
        status 2 with a reason: PROGRAM ended with status 2: a reason
        killed: PROGRAM ended by SIGKILL
        no JSON: PROGRAM printed something that is no answer
        half an answer: PROGRAM printed something that is no answer
        no object: PROGRAM printed an answer that this plugin does not know
        no decision: PROGRAM printed an answer that this plugin does not know
        another decision: PROGRAM printed an answer that this plugin does not know
        a refusal without a reason: PROGRAM printed an answer that this plugin does not know
        a rewrite without a value: PROGRAM printed an answer that this plugin does not know
        a rewrite into a text: PROGRAM printed an answer that this plugin does not know
        notes that are none: PROGRAM printed an answer that this plugin does not know
        another agent's words: PROGRAM printed an answer that this plugin does not know
        too slow: PROGRAM cannot be asked (spawnSync PROGRAM ETIMEDOUT)
        a child that holds on to its output: PROGRAM cannot be asked (spawnSync PROGRAM ETIMEDOUT)
    "#]]
    .assert_eq(&shown);
}

#[test]
fn openclaw_does_what_is_decided() {
    let context = json!({ "sessionId": "s1", "workspaceDir": "/home/dev/project" });
    let call =
        json!(["before_tool_call", { "toolName": "exec", "params": { "command": "rm x", "pty": true } }, context]);
    let seen = json!(["after_tool_call", { "toolName": "exec" }, {}]);
    let stored = stored();
    let deny = says(r#"{"decision":"deny","reason":"no"}"#);
    let became = Stage::new(OPENCLAW, LIKE_OPENCLAW, LONG).shown(&[
        ("silence", "cat >/dev/null", &call),
        ("deny", &deny, &call),
        ("ask", &says(r#"{"decision":"ask","reason":"really?"}"#), &call),
        ("rewrite", &says(r#"{"decision":"rewrite","value":{"command":"ls"}}"#), &call),
        ("deny storing", &deny, &stored),
        ("rewrite what is stored", &says(r#"{"decision":"rewrite","value":{"content":[]}}"#), &stored),
        ("store", "cat >/dev/null", &stored),
        ("watch", "cat >/dev/null", &seen),
        ("what it is asked", "echo \"$@\" >&2; cat >&2; exit 9", &call),
    ]);
    expect![[r#"
        silence: returns nothing
        deny: returns {"block":true,"blockReason":"no"}
        ask: returns {"requireApproval":{"title":"Tollgate asks","description":"really?","severity":"warning","timeoutBehavior":"deny"}}
        rewrite: returns {"params":{"command":"ls","pty":"(gone)"}}
        deny storing: returns {"message":{"role":"toolResult","content":[{"type":"text","text":"no"}]}}
        rewrite what is stored: returns {"message":{"content":[]}}
        store: returns nothing
        watch: returns nothing
        what it is asked: throws: Tollgate could not judge this, so it is refused: PROGRAM ended with status 9: hook openclaw
        {"hook":"before_tool_call","event":{"toolName":"exec","params":{"command":"rm x","pty":true}},"ctx":{"sessionId":"s1"},"cwd":"/home/dev/project"}; `tollgate doctor` says what is wrong and how to mend it
    "#]].assert_eq(&became);
}

#[test]
fn openclaw_refuses_whatever_goes_wrong() {
    let call = json!(["before_tool_call", { "toolName": "exec", "params": {} }, {}]);
    for (what, became) in faults(OPENCLAW, LIKE_OPENCLAW, &call) {
        assert!(became.starts_with("throws: Tollgate could not judge this"), "{what}: {became}");
        assert!(became.contains("tollgate doctor"), "{what}: {became}");
    }
    // An error would be taken for consent here, and the text would be stored.
    for (what, became) in faults(OPENCLAW, LIKE_OPENCLAW, &stored()) {
        assert!(became.starts_with(r#"returns {"message""#), "{what}: {became}");
        assert!(became.contains("could not judge this") && !became.contains("hunter2"), "{what}: {became}");
    }
}

/// What the tables call registered is what the plugins stand at, and nothing else.
#[test]
fn plugins_stand_where_the_tables_say() {
    let stage = Stage::new(OPENCLAW, LIKE_OPENCLAW, LONG);
    let stands = stage.run(&[("", &json!(["", {}, {}]))]).concat();
    let mut names: Vec<&str> = stands.lines().filter_map(|line| line.split(' ').next()).collect();
    let registered = |id: &str| -> Vec<&str> {
        find(id).unwrap().hooks.iter().filter(|hook| hook.registered).map(|hook| hook.name).collect()
    };
    let mut expected = registered("openclaw");
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(stands.lines().all(|line| line.ends_with(r#"{"priority":-1000000,"timeoutMs":40000}"#)), "{stands}");
    let plugin = opencode("/bin/tollgate");
    for name in registered("opencode") {
        assert!(plugin.contains(&format!("  \"{name}\": async")), "{name}");
    }
    assert_eq!(plugin.matches("\": async").count(), registered("opencode").len());
}

/// A path may hold anything; it stays a text.
#[test]
fn a_path_cannot_become_code() {
    let program = "/home/dev/\"; process.exit(0); //\\\u{2028}\n${x}`/tollgate";
    let made = opencode(program);
    let line = made.lines().find(|line| line.starts_with("const PROGRAM")).unwrap();
    let text = line.strip_prefix("const PROGRAM = ").unwrap().strip_suffix(';').unwrap();
    assert_eq!(serde_json::from_str::<String>(text).unwrap(), program);
}

#[test]
fn the_folder_of_openclaws_plugin() {
    let files = openclaw("/usr/bin/tollgate");
    let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["package.json", "openclaw.plugin.json", "index.js"]);
    let text = |name: &str| files.iter().find(|(file, _)| *file == name).unwrap().1.clone();
    let package: Value = serde_json::from_str(&text("package.json")).unwrap();
    assert_eq!(package.pointer("/openclaw/extensions/0").unwrap(), "./index.js");
    let manifest: Value = serde_json::from_str(&text("openclaw.plugin.json")).unwrap();
    assert_eq!(manifest.get("id").unwrap(), "tollgate");
    assert!(text("index.js").contains("timeout: PATIENCE_MS") && text("index.js").contains("PATIENCE_MS = 30000;"));
}

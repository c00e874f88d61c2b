//! Codex runs a hook only if its user has trusted it; else it skips the hook and runs the tool, without a word.
//!
//! The trust stands in `$CODEX_HOME/config.toml`, for the place of a handler and the hash of what it says:
//!
//! ```toml
//! [hooks.state."/home/user/.codex/hooks.json:pre_tool_use:0:0"]
//! trusted_hash = "sha256:…"
//! ```
//!
//! What is hashed was found with Codex 0.166.0, whose `codex app-server` tells the hash of every hook (`hooks/list`):
//! SHA-256 of this document, without blanks and with sorted keys, `matcher` only where there is one:
//!
//! ```json
//! {"event_name":"pre_tool_use","hooks":[{"async":false,"command":"…","timeout":60,"type":"command"}],"matcher":"*"}
//! ```
//!
//! The folder in the key has its links resolved; the numbers are those of the group within the event and of the handler
//! within the group. `timeout` is 600 where the file says nothing; for `SessionEnd` it is 1 and at most 3. Prompts and stops have no matcher, whatever the file
//! says.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollgate_settings::text::Edited;
use tollgate_settings::toml::Table;
pub(crate) use tollgate_settings::toml::read;

/// The trust of one handler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trusted {
    pub(crate) key: String,
    pub(crate) hash: String,
}

/// Events whose matcher Codex drops.
const UNMATCHED: &[&str] = &["UserPromptSubmit", "Stop"];

/// The trust that each of our handlers in a `hooks.json` needs.
pub(crate) fn needed(file: &Path, hooks: &Value, ours: &dyn Fn(&Value) -> bool) -> Vec<Trusted> {
    let mut needed = Vec::new();
    for (event, groups) in hooks.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (group_index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array);
            for (index, handler) in handlers.into_iter().flatten().enumerate().filter(|(_, handler)| ours(handler)) {
                let key = format!("{}:{}:{group_index}:{index}", file.display(), snake(event));
                let matcher = group.get("matcher").and_then(Value::as_str);
                needed.push(Trusted { key, hash: hash(event, matcher, handler) });
            }
        }
    }
    needed
}

/// What Codex compares.
fn hash(event: &str, matcher: Option<&str>, handler: &Value) -> String {
    let mut normal = Map::new();
    normal.insert("type".to_owned(), json!("command"));
    normal.insert("async".to_owned(), handler.get("async").cloned().unwrap_or(json!(false)));
    let told = handler.get("timeout").and_then(Value::as_u64);
    let timeout = if event == "SessionEnd" { told.unwrap_or(1).min(3) } else { told.unwrap_or(600) };
    normal.insert("timeout".to_owned(), json!(timeout));
    for key in ["command", "commandWindows", "statusMessage", "additionalContextLimit"] {
        if let Some(value) = handler.get(key) {
            normal.insert(key.to_owned(), value.clone());
        }
    }
    let mut document = json!({ "event_name": snake(event), "hooks": [normal] });
    if let (Some(matcher), Some(document)) = (matcher.filter(|_| !UNMATCHED.contains(&event)), document.as_object_mut())
    {
        document.insert("matcher".to_owned(), json!(matcher));
    }
    format!("sha256:{}", tollgate_wire::digest(&document))
}

fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Whether the hash that Codex will compare is the one that stands there.
pub(crate) fn holds(config: &toml::Table, trusted: &Trusted) -> bool {
    stated(config, &trusted.key) == Some(&trusted.hash) && !is_disabled(config, &trusted.key)
}

fn state<'t>(config: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    config.get("hooks")?.get("state")?.get(key)
}

fn stated<'t>(config: &'t toml::Table, key: &str) -> Option<&'t str> {
    state(config, key)?.get("trusted_hash")?.as_str()
}

fn is_disabled(config: &toml::Table, key: &str) -> bool {
    state(config, key).and_then(|state| state.get("enabled")?.as_bool()) == Some(false)
}

/// Puts the entries at the end of the file.
pub(crate) fn add(text: &str, trusted: &[Trusted]) -> Result<Edited, String> {
    read(text)?;
    let table = |Trusted { key, hash }: &Trusted| Table {
        header: header(key),
        lines: vec![format!("trusted_hash = \"{hash}\"")],
    };
    let edited = tollgate_settings::toml::add(text, &trusted.iter().map(table).collect::<Vec<_>>());
    let after = read(&edited.text).map_err(|problem| {
        format!(
            "{problem}, if the trust of the hooks is added as `[hooks.state.…]`: write the table `hooks.state` that way"
        )
    })?;
    match trusted.iter().find(|trusted| !holds(&after, trusted)) {
        Some(Trusted { key, .. }) => Err(format!("the trust of `{key}` is stated otherwise there; remove it")),
        None => Ok(edited),
    }
}

fn header(key: &str) -> String {
    format!("[hooks.state.{}]", json!(key))
}

/// Takes out the entries with these keys, as far as they are written the way we write them. Where somebody wrote more
/// about a hook, the trust goes and the rest stays.
pub(crate) fn remove(text: &str, keys: &[String]) -> String {
    let own = |line: &str| line.trim_start().starts_with("trusted_hash");
    keys.iter().fold(text.to_owned(), |text, key| tollgate_settings::toml::remove(&text, &header(key), own))
}

/// The keys of entries that state a hash of ours. A key is only a place, where another hook may stand by now; the hash
/// says what is trusted. So a hash of ours is ours at every place in this file, also where nothing stands any more.
pub(crate) fn keys(config: &toml::Table, file: &Path, ours: &[Trusted]) -> Vec<String> {
    let within = format!("{}:", file.display());
    let is_ours = |key: &str| {
        let stated = stated(config, key);
        let alike = |ours: &Trusted| stated == Some(&ours.hash) && (key == ours.key || key.starts_with(&within));
        ours.iter().any(alike)
    };
    let state = config.get("hooks").and_then(|hooks| hooks.get("state")?.as_table());
    state.into_iter().flat_map(toml::Table::keys).filter(|key| is_ours(key)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event: &str, matcher: Option<&str>, handler: Value, expected: &str) {
        assert_eq!(hash(event, matcher, &handler), format!("sha256:{expected}"), "{event} {handler}");
    }

    /// As `codex app-server` 0.166.0 told them.
    #[test]
    fn the_hash_is_that_of_codex() {
        let plain = "/bin/true hook codex";
        check(
            "PreToolUse",
            Some("*"),
            json!({"type": "command", "command": plain, "timeout": 60}),
            "fd52b8986cd0d35641c448e100e798e2695ee71cd6276e458f06a26aa2fcf428",
        );
        check(
            "PreToolUse",
            None,
            json!({"type": "command", "command": plain}),
            "23e0d3c5f0004f9f976c370d34cc27cd6af6ae8f773a83ac6a7b0aaeccb11108",
        );
        check(
            "UserPromptSubmit",
            None,
            json!({"type": "command", "command": "'/opt/a b/tollgate' hook codex", "timeout": 60}),
            "15d1dfc018c7c07c90853bab5390ace9a6fcb475f2054255dc474b7b61cc6b93",
        );
        check(
            "PreToolUse",
            Some("*"),
            json!({"type": "command", "command": "/bin/é \"q\" hook codex", "timeout": 60}),
            "68f7daea8d284004ee25425fd230d4ca11cd1f40c34841e276ff8f181e44aa1a",
        );
        check(
            "PostToolUse",
            Some(""),
            json!({"type": "command", "command": "/bin/x", "statusMessage": "hi"}),
            "9a2b2c6aa17602da4d66367a7bcd53c86541e474ba0e7839645dce3ee641149a",
        );
        check(
            "Stop",
            Some("*"),
            json!({"type": "command", "command": "/bin/x"}),
            "2f4e7dc39b98e1abdba806a7f40ddef4cd00907e77c8d9fdbaa09d86499a4cb5",
        );
        check(
            "SessionEnd",
            None,
            json!({"type": "command", "command": "/bin/x", "timeout": 60}),
            "e597a7f06830382899238db213f028bbe4adb07793535b4154bed517f2856752",
        );
        check(
            "PermissionRequest",
            None,
            json!({"type": "command", "command": "/bin/x"}),
            "18518f13be3771fb654f2e761f61a63410e39263d41ac69f789e12b4996f32d5",
        );
    }

    #[test]
    fn entries_go_in_and_out() {
        let entry = |key: &str| Trusted { key: key.to_owned(), hash: "sha256:00".to_owned() };
        let trusted = [entry("/home/user/.codex/hooks.json:pre_tool_use:0:0"), entry("/home/user/a\"b:stop:0:0")];
        let keys: Vec<String> = trusted.iter().map(|trusted| trusted.key.clone()).collect();
        for before in [
            "",
            "model = \"x\"",
            "model = \"x\"\n",
            "# a\r\n[a]\r\nb = 1\r\n\r\n",
            "[hooks.state.\"x:y:0:0\"]\ntrusted_hash = \"h\"\n",
        ] {
            let after = add(before, &trusted).unwrap();
            assert_eq!(tollgate_settings::text::cut(&after.text, &after.ranges).as_deref(), Some(before));
            let ended =
                if before.is_empty() || before.ends_with('\n') { before.to_owned() } else { format!("{before}\n") };
            assert_eq!(remove(&after.text, &keys), ended);
            let more = format!("{}\n[user]\nedit = 1\n", after.text);
            assert_eq!(remove(&more, &keys), format!("{ended}\n[user]\nedit = 1\n"));
        }
    }

    #[test]
    fn a_file_that_states_it_otherwise_is_refused() {
        let trusted = [Trusted { key: "k".to_owned(), hash: "sha256:00".to_owned() }];
        for text in ["hooks = 1\n", "hooks = { state = {} }\n", "[hooks.state.k]\ntrusted_hash = \"x\"\n", "a = \n"] {
            assert!(add(text, &trusted).is_err(), "{text}");
        }
    }
}

//! A machine with agents on it.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::common::{Ran, Sandbox};

/// Where each agent's folder is that shows that it is installed.
pub(crate) const FOLDERS: &[(&str, &str)] = &[
    ("claude-code", ".claude"),
    ("codex", ".codex"),
    ("gemini-cli", ".gemini"),
    ("qwen-code", ".qwen"),
    ("droid", ".factory"),
    ("copilot", ".copilot"),
    ("cursor", ".cursor"),
    ("windsurf", ".codeium/windsurf"),
    ("cline", ".cline"),
    ("opencode", ".config/opencode"),
    ("openclaw", ".openclaw"),
    ("kiro", ".kiro"),
    ("goose", ".config/goose"),
];

/// Settings that each agent's user has written, where others' hooks go as well.
pub(crate) const SETTINGS: &[(&str, &str)] = &[
    (
        ".claude/settings.json",
        "{\n  // mine\n  \"model\": \"x\", // why\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] } // mine\n    ]\n  }\n}\n",
    ),
    (
        ".codex/hooks.json",
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}",
    ),
    (".codex/config.toml", "# mine\r\nmodel = \"x\"\r\n\r\n[projects.\"/a\"]\r\ntrust_level = \"trusted\""),
    (".gemini/settings.json", "\u{feff}{\r\n\t\"general\": {}\r\n}\r\n"),
    (".qwen/settings.json", ""),
    (".factory/settings.json", "{ \"model\": \"x\" }"),
    (".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"true\" }],\n  },\n}"),
    (".codeium/windsurf/hooks.json", "{}\n"),
    (".openclaw/openclaw.json", "{\n  // JSON5\n  agents: { defaults: { model: 'x' } },\n}\n"),
];

/// The key for automation, and its hash: there is no terminal in a test.
pub(crate) const KEY: &str = "tollgate-test";
const KEY_HASH: &str = "f322723a4f57b4151d395f42b65f43ec7bfc449fb3f78b33acda879e2759bbf5";

impl Sandbox {
    /// Runs with the key for automation.
    pub(crate) fn acted(&self, args: &[&str]) -> Ran {
        let key = self.key_file();
        let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(key.parent().unwrap());
        if !key.exists() {
            fs::write(&key, format!("{KEY_HASH}\n")).unwrap();
            fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        }
        Ran::of(&self.command(args).env("TOLLGATE_KEY", KEY).output().unwrap(), self.root())
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// A file in the home.
    pub(crate) fn user_file(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Every agent is installed.
    pub(crate) fn with_agents() -> Self {
        let sandbox = Self::new();
        for (_, folder) in FOLDERS {
            fs::create_dir_all(sandbox.home().join(folder)).unwrap();
        }
        sandbox
    }

    /// Every agent is installed and has settings.
    pub(crate) fn with_settings() -> Self {
        let sandbox = Self::with_agents();
        for (path, text) in SETTINGS {
            fs::write(sandbox.home().join(path), text).unwrap();
        }
        sandbox
    }

    /// Every file and folder of home and project, with what it holds, without what is our own.
    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.home(), self.project()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if [self.home().join("state"), self.home().join(".local")].contains(&path) {
                    continue;
                }
                let name = path.strip_prefix(self.root()).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(&path).unwrap_or_default());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found
    }

    /// Runs, and must succeed.
    pub(crate) fn done(&self, args: &[&str]) -> Ran {
        let ran = self.acted(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.all());
        ran
    }
}

pub(crate) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

//! Settings that keep a registered hook from being run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agents::Level;
use super::command::is_mentioned;
use super::examine::Finding;
use super::place::Place;
use super::write::read;
use super::{json, trust};

/// A setting, and what it says when hooks do not run.
struct Switch {
    agent: &'static str,
    files: fn(&Place) -> Vec<PathBuf>,
    /// Its JSON pointer.
    at: &'static str,
    off: fn(&Value) -> bool,
    /// What follows, as the end of a sentence that begins with the setting.
    then: &'static str,
}

fn is_true(value: &Value) -> bool {
    value == &Value::Bool(true)
}

fn is_false(value: &Value) -> bool {
    value == &Value::Bool(false)
}

fn names_us(value: &Value) -> bool {
    let ours = |name: &Value| name.as_str().is_some_and(|name| name == "tollgate" || is_mentioned(name));
    value.as_array().is_some_and(|names| names.iter().any(ours))
}

fn leaves_us_out(value: &Value) -> bool {
    value.as_array().is_some_and(|names| !names.iter().any(|name| name == "tollgate"))
}

fn claude(place: &Place) -> Vec<PathBuf> {
    let user = place.folder("CLAUDE_CONFIG_DIR", ".claude");
    let project = place.project.join(".claude");
    let mut files = managed_claude(place);
    files.extend([&user, &project].iter().flat_map(|at| [at.join("settings.json"), at.join("settings.local.json")]));
    files
}

fn managed_claude(_: &Place) -> Vec<PathBuf> {
    vec!["/etc/claude-code/managed-settings.json".into()]
}

fn gemini(place: &Place) -> Vec<PathBuf> {
    let user = place.folder("GEMINI_CLI_HOME", "").join(".gemini/settings.json");
    vec![user, place.project.join(".gemini/settings.json"), "/etc/gemini-cli/settings.json".into()]
}

fn qwen(place: &Place) -> Vec<PathBuf> {
    vec![place.home.join(".qwen/settings.json"), place.project.join(".qwen/settings.json")]
}

fn droid(place: &Place) -> Vec<PathBuf> {
    let at = |folder: &Path| [folder.join(".factory/settings.json"), folder.join(".factory/settings.local.json")];
    [at(&place.home), at(&place.project)].concat()
}

fn copilot(place: &Place) -> Vec<PathBuf> {
    let user = place.folder("COPILOT_HOME", ".copilot");
    let project = place.project.join(".github/copilot");
    let mut files = vec![user.join("settings.json"), user.join("config.json")];
    files.extend([project.join("settings.json"), project.join("settings.local.json")]);
    files
}

fn openclaw(place: &Place) -> Vec<PathBuf> {
    vec![place.folder("OPENCLAW_STATE_DIR", ".openclaw").join("openclaw.json")]
}

const ALL_OFF: &str = "turns every hook off";

const SWITCHES: &[Switch] = &[
    Switch { agent: "claude-code", files: claude, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch {
        agent: "claude-code",
        files: managed_claude,
        at: "/allowManagedHooksOnly",
        off: is_true,
        then: "lets only the administrator's hooks run; have them register Tollgate",
    },
    Switch { agent: "gemini-cli", files: gemini, at: "/hooksConfig/enabled", off: is_false, then: ALL_OFF },
    Switch { agent: "gemini-cli", files: gemini, at: "/tools/enableHooks", off: is_false, then: ALL_OFF },
    Switch { agent: "gemini-cli", files: gemini, at: "/hooks/enabled", off: is_false, then: ALL_OFF },
    Switch {
        agent: "gemini-cli",
        files: gemini,
        at: "/hooksConfig/disabled",
        off: names_us,
        then: "turns this hook off",
    },
    Switch { agent: "gemini-cli", files: gemini, at: "/hooks/disabled", off: names_us, then: "turns this hook off" },
    Switch { agent: "qwen-code", files: qwen, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch { agent: "qwen-code", files: qwen, at: "/hooksConfig/enabled", off: is_false, then: ALL_OFF },
    Switch { agent: "qwen-code", files: qwen, at: "/hooks/disabled", off: names_us, then: "turns this hook off" },
    Switch { agent: "droid", files: droid, at: "/enableHooks", off: is_false, then: ALL_OFF },
    Switch { agent: "droid", files: droid, at: "/hooksDisabled", off: is_true, then: ALL_OFF },
    Switch { agent: "copilot", files: copilot, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch {
        agent: "openclaw",
        files: openclaw,
        at: "/plugins/enabled",
        off: is_false,
        then: "turns every plugin off",
    },
    Switch { agent: "openclaw", files: openclaw, at: "/plugins/deny", off: names_us, then: "turns the plugin off" },
    Switch {
        agent: "openclaw",
        files: openclaw,
        at: "/plugins/allow",
        off: leaves_us_out,
        then: "leaves the plugin out",
    },
];

/// Everything that keeps an agent from running what is registered.
pub(crate) fn findings(agent: &str, place: &Place, levels: &[Level]) -> Vec<Finding> {
    let mut found = Vec::new();
    for switch in SWITCHES.iter().filter(|switch| switch.agent == agent) {
        for file in (switch.files)(place) {
            let shown = file.display();
            match read(&file).and_then(|text| text.map(|text| json::read(&text)).transpose()) {
                Err(problem) => {
                    let unread =
                        format!("its settings cannot be read, so nobody knows what they say: {shown}: {problem}");
                    let unread = Finding::unknown(unread).mended("mend the file");
                    if !found.contains(&unread) {
                        found.push(unread);
                    }
                }
                Ok(Some(settings)) if settings.pointer(switch.at).is_some_and(switch.off) => {
                    let setting = switch.at.trim_start_matches('/').replace('/', ".");
                    let text = format!("`{setting}` in {shown} {}", switch.then);
                    found.push(Finding::bad(text).mended(&format!("take `{setting}` out of {shown}")));
                }
                Ok(_) => {}
            }
        }
    }
    match agent {
        "codex" => {
            found.extend(codex(place));
            found.extend(codex_trust(place).filter(|_| levels == [Level::Project]));
        }
        "gemini-cli" if levels == [Level::Project] => found.extend(gemini_trust(place)),
        _ => {}
    }
    found
}

/// Codex's own switches, in its own language.
fn codex(place: &Place) -> Vec<Finding> {
    let mut found = Vec::new();
    let user = place.folder("CODEX_HOME", ".codex").join("config.toml");
    let files = ["/etc/codex/requirements.toml".into(), "/etc/codex/managed_config.toml".into(), user];
    for file in files {
        let shown = file.display();
        let config = match read(&file).and_then(|text| text.map(|text| trust::read(&text)).transpose()) {
            Ok(Some(config)) => config,
            Ok(None) => continue,
            Err(problem) => {
                found.push(
                    Finding::unknown(format!("its settings cannot be read: {shown}: {problem}"))
                        .mended("mend the file"),
                );
                continue;
            }
        };
        if config.get("allow_managed_hooks_only").and_then(toml::Value::as_bool) == Some(true) {
            let text = format!("`allow_managed_hooks_only` in {shown} lets only the administrator's hooks run");
            found.push(Finding::bad(text).mended("have your administrator register Tollgate"));
        }
        let feature = |name: &str| config.get("features").and_then(|features| features.get(name)?.as_bool());
        for name in ["hooks", "codex_hooks"].into_iter().filter(|name| feature(name) == Some(false)) {
            let text = format!("`features.{name}` in {shown} turns every hook off");
            found.push(Finding::bad(text).mended(&format!("take `features.{name}` out of {shown}")));
        }
    }
    found
}

/// Codex does not even read a project's hooks unless its user trusts the project.
fn codex_trust(place: &Place) -> Option<Finding> {
    let file = place.folder("CODEX_HOME", ".codex").join("config.toml");
    let config = read(&file).ok().flatten().and_then(|text| trust::read(&text).ok()).unwrap_or_default();
    let trusts = |path: &Path| {
        let project = config.get("projects")?.get(path.to_str()?)?;
        Some(project.get("trust_level")?.as_str()? == "trusted")
    };
    let is_trusted = place.project.ancestors().any(|above| trusts(above) == Some(true));
    (!is_trusted).then(|| {
        let text = format!(
            "it reads a project's hooks only if you trust the project, and {} is not trusted",
            place.project.display()
        );
        Finding::bad(text).mended("trust it when Codex asks, or register for yourself: `tollgate init --agent codex`")
    })
}

/// Gemini runs a project's hooks only in folders that its user trusts.
fn gemini_trust(place: &Place) -> Option<Finding> {
    let folder = place.folder("GEMINI_CLI_HOME", "").join(".gemini");
    let file = |name: &str| read(&folder.join(name)).ok().flatten().and_then(|text| json::read(&text).ok());
    let settings = file("settings.json").unwrap_or_default();
    if settings.pointer("/security/folderTrust/enabled").is_some_and(is_false) {
        return None;
    }
    let trusted = file("trustedFolders.json").unwrap_or_default();
    let rules = trusted.as_object().into_iter().flatten();
    let trusts = |(path, rule): (&String, &Value)| match rule.as_str() {
        Some("TRUST_FOLDER") => place.project.starts_with(path),
        Some("TRUST_PARENT") => Path::new(path).parent().is_some_and(|parent| place.project.starts_with(parent)),
        _ => false,
    };
    let is_trusted = rules.into_iter().any(trusts);
    (!is_trusted).then(|| {
        let text = format!(
            "it runs a project's hooks only in folders that you trust, and {} is none",
            place.project.display()
        );
        Finding::bad(text).mended(
            "trust the folder (`/permissions` in Gemini), or register for yourself: `tollgate init --agent gemini-cli`",
        )
    })
}

//! Settings that keep a registered hook from being run.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tollgate_settings::{json, read};

use super::agents::Level;
use super::command::is_mentioned;
use super::examine::Finding;
use super::place::Place;
use super::trust;
use crate::switch_files::{At, SWITCH_FILES};

/// A setting, and what it says when hooks do not run.
struct Switch {
    agent: &'static str,
    /// Whether it counts only in the settings of the machine's administrator.
    managed: bool,
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

/// The settings of an agent, everybody's or only the administrator's.
fn settings(agent: &str, managed: bool, place: &Place) -> Vec<PathBuf> {
    let of_agent = SWITCH_FILES.iter().filter(|files| files.agent == agent);
    let at = of_agent.flat_map(|files| files.settings).filter(|at| !managed || matches!(at, At::Machine(_)));
    at.filter_map(|at| located(*at, place)).collect()
}

fn located(at: At, place: &Place) -> Option<PathBuf> {
    let env = |name: &str| place.env.get(std::ffi::OsStr::new(name)).cloned();
    Some(place.project.join(at.path(Some(&place.home), &env)?))
}

const ALL_OFF: &str = "turns every hook off";

const SWITCHES: &[Switch] = &[
    Switch { agent: "claude-code", managed: false, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch {
        agent: "claude-code",
        managed: true,
        at: "/allowManagedHooksOnly",
        off: is_true,
        then: "lets only the administrator's hooks run; have them register Tollgate",
    },
    Switch { agent: "gemini-cli", managed: false, at: "/hooksConfig/enabled", off: is_false, then: ALL_OFF },
    Switch { agent: "gemini-cli", managed: false, at: "/tools/enableHooks", off: is_false, then: ALL_OFF },
    Switch { agent: "gemini-cli", managed: false, at: "/hooks/enabled", off: is_false, then: ALL_OFF },
    Switch {
        agent: "gemini-cli",
        managed: false,
        at: "/hooksConfig/disabled",
        off: names_us,
        then: "turns this hook off",
    },
    Switch { agent: "gemini-cli", managed: false, at: "/hooks/disabled", off: names_us, then: "turns this hook off" },
    Switch { agent: "qwen-code", managed: false, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch { agent: "qwen-code", managed: false, at: "/hooksConfig/enabled", off: is_false, then: ALL_OFF },
    Switch { agent: "qwen-code", managed: false, at: "/hooks/disabled", off: names_us, then: "turns this hook off" },
    Switch { agent: "droid", managed: false, at: "/enableHooks", off: is_false, then: ALL_OFF },
    Switch { agent: "droid", managed: false, at: "/hooksDisabled", off: is_true, then: ALL_OFF },
    Switch { agent: "copilot", managed: false, at: "/disableAllHooks", off: is_true, then: ALL_OFF },
    Switch { agent: "openclaw", managed: false, at: "/plugins/enabled", off: is_false, then: "turns every plugin off" },
    Switch { agent: "openclaw", managed: false, at: "/plugins/deny", off: names_us, then: "turns the plugin off" },
    Switch {
        agent: "openclaw",
        managed: false,
        at: "/plugins/allow",
        off: leaves_us_out,
        then: "leaves the plugin out",
    },
];

/// Everything that keeps an agent from running what is registered.
pub(crate) fn findings(agent: &str, place: &Place, levels: &[Level]) -> Vec<Finding> {
    let mut found = Vec::new();
    for switch in SWITCHES.iter().filter(|switch| switch.agent == agent) {
        for file in settings(agent, switch.managed, place) {
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
    let of_codex = SWITCH_FILES.iter().filter(|files| files.agent == "codex").flat_map(|files| files.others);
    // A project's settings are no more than a wish: whether they are read is for the person to say.
    for file in of_codex.filter(|at| !matches!(at, At::Project(_))).filter_map(|at| located(*at, place)) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

    use super::*;

    #[test]
    fn what_turns_the_hooks_of_codex_off() {
        let home = std::env::temp_dir().join(format!("tollgate-switches-{}", std::process::id()));
        let place = Place { home: home.clone(), project: home.join("project"), env: Default::default() };
        std::fs::create_dir_all(home.join(".codex")).unwrap();
        for (config, expected) in [
            ("", &[][..]),
            ("[features]\nhooks = true\n", &[]),
            ("[features]\nhooks = false\n", &["`features.hooks` in FILE turns every hook off"]),
            (
                "[features]\ncodex_hooks = false\nother = false\n",
                &["`features.codex_hooks` in FILE turns every hook off"],
            ),
            ("allow_managed_hooks_only = false\n", &[]),
            (
                "allow_managed_hooks_only = true\n",
                &["`allow_managed_hooks_only` in FILE lets only the administrator's hooks run"],
            ),
        ] {
            let file = home.join(".codex/config.toml");
            std::fs::write(&file, config).unwrap();
            let shown = |finding: Finding| finding.text.replace(&*file.to_string_lossy(), "FILE");
            let found: Vec<String> = codex(&place).into_iter().map(shown).collect();
            assert_eq!(found, expected, "{config}");
        }
        std::fs::remove_dir_all(&home).unwrap();
    }
}

//! The files in which an agent can be told to run no hooks. `tollgate doctor` looks into them, and no agent may write to
//! those of an agent that is registered.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tollgate_engine::checks::SwitchFile;

/// What agents tell their hooks of the folder they were started in.
const PROJECTS: [&str; 4] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "FACTORY_PROJECT_DIR", "CURSOR_PROJECT_DIR"];

/// Where such a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Its administrator's, for everybody.
    Machine(&'static str),
    /// The person's: the variable that names a folder, the folder in the home without it, and the file there.
    User(&'static str, &'static str, &'static str),
    /// The project's.
    Project(&'static str),
}

/// The files of one agent.
#[derive(Debug)]
pub(crate) struct SwitchFiles {
    pub(crate) agent: &'static str,
    /// Settings, in JSON.
    pub(crate) settings: &'static [At],
    /// Others: settings in another language, and whom the agent trusts.
    pub(crate) others: &'static [At],
}

const CODEX: &str = "CODEX_HOME";
const COPILOT: &str = "COPILOT_HOME";
const CLAUDE: &str = "CLAUDE_CONFIG_DIR";
const GEMINI: &str = "GEMINI_CLI_HOME";

pub(crate) static SWITCH_FILES: &[SwitchFiles] = &[
    SwitchFiles {
        agent: "claude-code",
        settings: &[
            At::Machine("/etc/claude-code/managed-settings.json"),
            At::User(CLAUDE, ".claude", "settings.json"),
            At::User(CLAUDE, ".claude", "settings.local.json"),
            At::Project(".claude/settings.json"),
            At::Project(".claude/settings.local.json"),
        ],
        others: &[],
    },
    SwitchFiles {
        agent: "codex",
        settings: &[],
        others: &[
            At::Machine("/etc/codex/requirements.toml"),
            At::Machine("/etc/codex/managed_config.toml"),
            At::User(CODEX, ".codex", "config.toml"),
            At::Project(".codex/config.toml"),
        ],
    },
    SwitchFiles {
        agent: "gemini-cli",
        settings: &[
            At::User(GEMINI, "", ".gemini/settings.json"),
            At::Project(".gemini/settings.json"),
            At::Machine("/etc/gemini-cli/settings.json"),
        ],
        others: &[At::User(GEMINI, "", ".gemini/trustedFolders.json")],
    },
    SwitchFiles {
        agent: "qwen-code",
        settings: &[At::User("", ".qwen", "settings.json"), At::Project(".qwen/settings.json")],
        others: &[],
    },
    SwitchFiles {
        agent: "droid",
        settings: &[
            At::User("", ".factory", "settings.json"),
            At::User("", ".factory", "settings.local.json"),
            At::Project(".factory/settings.json"),
            At::Project(".factory/settings.local.json"),
        ],
        others: &[],
    },
    SwitchFiles {
        agent: "copilot",
        settings: &[
            At::User(COPILOT, ".copilot", "settings.json"),
            At::User(COPILOT, ".copilot", "config.json"),
            At::Project(".github/copilot/settings.json"),
            At::Project(".github/copilot/settings.local.json"),
        ],
        others: &[],
    },
    SwitchFiles {
        agent: "openclaw",
        settings: &[At::User("OPENCLAW_STATE_DIR", ".openclaw", "openclaw.json")],
        others: &[],
    },
];

impl At {
    /// The path, relative for a project's; none for a person's without a home.
    pub(crate) fn path(self, home: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        match self {
            Self::Machine(path) | Self::Project(path) => Some(path.into()),
            Self::User(variable, folder, file) => {
                // A relative one would mean another folder everywhere.
                let named = env(variable).map(PathBuf::from).filter(|path| path.is_absolute());
                Some(named.or_else(|| Some(home?.join(folder)))?.join(file))
            }
        }
    }
}

/// All of them, of every agent: what is a project's in the project wherever that is, and in the folder that this process
/// was started in.
pub(crate) fn all(home: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<SwitchFile> {
    let named = PROJECTS.iter().filter_map(|name| env(name)).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut projects: Vec<PathBuf> = std::env::current_dir().into_iter().chain(named).collect();
    projects.dedup();
    let mut files = Vec::new();
    for SwitchFiles { agent, settings, others } in SWITCH_FILES {
        for path in settings.iter().chain(*others).filter_map(|at| at.path(home, env)) {
            let started = projects.iter().filter(|_| path.is_relative()).map(|project| project.join(&path));
            files.extend(started.map(|path| SwitchFile { agent, path }));
            files.push(SwitchFile { agent, path });
        }
    }
    files
}

#[test]
fn files_lie_where_their_agents_look() {
    let env = |name: &str| match name {
        "CODEX_HOME" => Some("/codex".into()),
        "CLAUDE_CONFIG_DIR" => Some("relative".into()),
        "CLAUDE_PROJECT_DIR" => Some("/app".into()),
        _ => None,
    };
    let found = all(Some(Path::new("/home/ann")), &env);
    for (agent, path) in [
        ("claude-code", "/home/ann/.claude/settings.local.json"),
        ("claude-code", "/etc/claude-code/managed-settings.json"),
        ("claude-code", ".claude/settings.local.json"),
        ("claude-code", "/app/.claude/settings.local.json"),
        ("codex", "/codex/config.toml"),
        ("gemini-cli", "/home/ann/.gemini/trustedFolders.json"),
        ("qwen-code", "/home/ann/.qwen/settings.json"),
    ] {
        assert!(found.contains(&SwitchFile { agent, path: path.into() }), "{agent} {path}");
    }
    assert!(all(None, &env).iter().all(|file| !file.path.starts_with("/home")), "there is no home");
    for files in SWITCH_FILES {
        assert!(crate::AGENTS.iter().any(|agent| agent.id == files.agent), "{}", files.agent);
    }
}

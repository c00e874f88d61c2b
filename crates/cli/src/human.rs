//! Whether a person sits here: commands that relax something are not for agents.
//!
//! This is a hurdle and not a wall. A program that runs as the same user can do what the user can: it can start a
//! session of its own with a terminal in it (`setsid`, `script`), so that none of its ancestors is an agent any more;
//! it can run an agent, or this program, under another name; it can edit the files themselves. Nothing here notices
//! that. What helps is the rest: the packs refuse these commands by their name when an agent proposes them, and
//! `Protect` refuses calls that touch the policy, the state, the key or the registered hooks. Who must be sure gives the
//! agent a user of its own.
//!
//! A key for automation proves something only if the caller could not have made it. So it lies in one place in the
//! home, which no variable moves, and stands for nothing outside of that home: whoever sets `HOME` to a folder of their
//! own gets to change that folder.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tollgate_config::{Paths, sha256};
use tollgate_engine::ours;
use tollgate_hook::setup::Place;

use crate::command::Failure;
use crate::output::visible;

/// Variables that say where something lies that a command changes: our own, and those of agents.
#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    "TOLLGATE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR",
    "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "OPENCLAW_STATE_DIR",
];
/// How many ancestors are looked at. There are fewer, unless somebody plays.
const MOST_ANCESTORS: usize = 64;

/// The names of agents' programs, in small letters.
#[rustfmt::skip]
const AGENTS: &[&str] = &[
    "aider", "amp", "auggie", "claude", "cline", "codex", "copilot", "crush", "cursor", "cursor-agent", "droid",
    "gemini", "goose", "goosed", "kiro", "kiro-cli", "openclaw", "opencode", "qodercli", "qwen", "windsurf",
];

/// Folders in which agents' packages lie, in small letters: what an interpreter runs from one of them is an agent.
#[rustfmt::skip]
const PACKAGES: &[&str] = &[
    "@anthropic-ai", "@google/gemini-cli", "@openai/codex", "@qwen-code", "@github/copilot", "@sourcegraph/amp",
    "aider", "claude-code", "cline", "cursor-agent", "gemini-cli", "openclaw", "opencode-ai", "qwen-code",
];

/// Programs that run others' code.
const INTERPRETERS: &[&str] = &["node", "nodejs", "bun", "deno", "tsx", "electron", "npx", "python", "uv", "ruby"];

/// Variables that agents set for what they run, in case somebody came between.
#[rustfmt::skip]
const MARKS: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude"), ("CODEX_SANDBOX", "codex"), ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CURSOR_AGENT", "cursor-agent"), ("GEMINI_CLI", "gemini"), ("QWEN_CODE", "qwen"),
];

/// Refuses what only a person may do, unless a person sits at a terminal here that no agent opened, or the key for
/// automation is given: with `--key`, or in the variable `TOLLGATE_KEY`.
///
/// `what` is the command, as it was typed: `tollgate pause`.
pub(crate) fn require(what: &str, key: Option<&str>) -> Result<(), Failure> {
    require_for(what, key, [])
}

/// The same, for a command that changes these files besides our own.
pub(crate) fn require_for<'f>(
    what: &str,
    key: Option<&str>,
    files: impl IntoIterator<Item = &'f Path>,
) -> Result<(), Failure> {
    let given = key.map(str::to_owned).or_else(|| std::env::var("TOLLGATE_KEY").ok()).filter(|key| !key.is_empty());
    if let Some(given) = given {
        all_at_home(files).map_err(|why| {
            format!(
                "`{what}`: the key for automation is for what lies in its home, and {why}; \
                 run it without the key in a terminal of your own"
            )
        })?;
        return match_key(what, &given);
    }
    let help = "run it yourself in a terminal of your own; for automation see `tollgate key --help`";
    if let Some(agent) = ancestor().or_else(marked) {
        let agent = visible(&agent);
        return Err(format!("`{what}` is for people, and the agent `{agent}` started this; {help}").into());
    }
    if !at_a_terminal() {
        return Err(format!("`{what}` is for people, and there is no terminal; {help}").into());
    }
    Ok(())
}

/// Says what a command would change outside of the home that the key lies in.
fn all_at_home<'f>(files: impl IntoIterator<Item = &'f Path>) -> Result<(), String> {
    let cwd = std::env::current_dir().map_err(|error| format!("the working directory is unknown: {error}"))?;
    let env = |name: &str| std::env::var_os(name);
    let home = Paths::home(&cwd, env).ok_or("there is no home")?;
    if env("HOME").map(PathBuf::from).as_ref() != Some(&home) {
        return Err("`HOME` leads into the project".to_owned());
    }
    let away = |name: &&&str| env(name).is_some_and(|value| !value.is_empty() && !is_in(Path::new(&value), &home));
    if let Some(name) = FOLDERS.iter().find(away) {
        return Err(format!("`{name}` leads out of it"));
    }
    let paths = Paths::find(&cwd, None, env);
    let ours = [&paths.user, &paths.state, &paths.cache, &paths.data, &paths.key];
    let ours = ours.into_iter().flatten().find(|path| !is_in(path, &home)).map(PathBuf::as_path);
    let project = Place::of_process()?.project;
    let listed = Paths::listed_home();
    match ours.or_else(|| {
        files.into_iter().find(|file| !is_in(file, &home) && !is_only_in(file, &project, listed.as_deref()))
    }) {
        Some(path) => Err(format!("`{}` is not there", visible(&path.display().to_string()))),
        None => Ok(()),
    }
}

fn is_in(path: &Path, home: &Path) -> bool {
    path.is_absolute() && Paths::is_below(path, home)
}

/// Whether a file is the project's and not also the user's, who may have another home than the variable says: then the
/// project is in the home that the variable should name.
fn is_only_in(file: &Path, project: &Path, listed: Option<&Path>) -> bool {
    project.parent().is_some() && is_in(file, project) && listed.is_some_and(|listed| !is_in(file, listed))
}

fn match_key(what: &str, given: &str) -> Result<(), Failure> {
    let path = key_file()?;
    let known = ours::read(&path).map_err(|error| format!("the key for automation: {error}"))?;
    match known.as_deref().map(str::trim) {
        Some(known) if known == sha256(given.as_bytes()) => Ok(()),
        Some(_) => {
            Err(format!("`{what}`: this is not the key for automation; `tollgate key new` makes another").into())
        }
        None => Err(format!("`{what}`: there is no key for automation; `tollgate key new` makes one").into()),
    }
}

/// Where the hash of the key for automation lies.
pub(crate) fn key_file() -> Result<PathBuf, Failure> {
    let none = "the key for automation lies in your home; set `HOME` to it, with its full path";
    Ok(Paths::of_process(None)?.key.ok_or_else(|| none.to_owned())?)
}

fn at_a_terminal() -> bool {
    let tty = OpenOptions::new().read(true).write(true).open("/dev/tty");
    io::stdin().is_terminal() && io::stderr().is_terminal() && tty.is_ok()
}

fn marked() -> Option<String> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    MARKS.iter().find(|(name, _)| set(name)).map(|(_, agent)| (*agent).to_owned())
}

/// The nearest agent among the processes that led to this one.
fn ancestor() -> Option<String> {
    let mut pid = parent("self")?;
    for _ in 0..MOST_ANCESTORS {
        if pid == "0" {
            return None;
        }
        if let Some(agent) = agent(&Process::read(&pid)) {
            return Some(agent);
        }
        pid = parent(&pid)?;
    }
    None
}

/// Which process started this one. A name may hold anything, so what follows its last parenthesis counts.
fn parent(pid: &str) -> Option<String> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat).into_owned();
    stat.rsplit_once(')')?.1.split_whitespace().nth(1).map(str::to_owned)
}

/// What is known about a process.
#[derive(Debug, Default)]
struct Process {
    /// Its name, which it may have changed; the first fifteen bytes.
    name: String,
    /// The program's file.
    program: String,
    words: Vec<String>,
}

impl Process {
    fn read(pid: &str) -> Self {
        let text = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let words = String::from_utf8_lossy(&text("cmdline")).into_owned();
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        Self {
            name: String::from_utf8_lossy(&text("comm")).trim().to_owned(),
            program: program.to_string_lossy().into_owned(),
            words: words.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
        }
    }
}

/// The agent that a process is.
fn agent(process: &Process) -> Option<String> {
    let first = process.words.first().map(String::as_str).unwrap_or_default();
    let names = [process.name.as_str(), &process.program, first].map(plain);
    if let Some(name) = names.iter().find(|name| AGENTS.contains(&name.as_str())) {
        return Some(name.clone());
    }
    let runs = |name: &String| {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        INTERPRETERS.contains(&base)
    };
    if !names.iter().any(runs) {
        return None;
    }
    // The script is the first word that is no option; an option's value may come before it.
    let mut words = process.words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let script = words.find(|word| AGENTS.contains(&plain(word).as_str()) || is_package(word))?;
    Some(if is_package(script) && !AGENTS.contains(&plain(script).as_str()) { package(script) } else { plain(script) })
}

/// A program's name: without its folder and its ending, in small letters.
fn plain(path: &str) -> String {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let ends = [".js", ".mjs", ".cjs", ".ts", ".py", ".exe", ".appimage", " (deleted)"];
    ends.iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(&name).to_owned())
}

fn is_package(path: &str) -> bool {
    PACKAGES.iter().any(|package| holds(path, package))
}

fn package(path: &str) -> String {
    PACKAGES.iter().find(|package| holds(path, package)).map(|package| (*package).to_owned()).unwrap_or_default()
}

/// Whether a folder of this name, or of these, is on a path.
fn holds(path: &str, folder: &str) -> bool {
    format!("/{}", path.to_lowercase()).contains(&format!("/{folder}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, program: &str, words: &[&str], expected: Option<&str>) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let process = Process { name: name.to_owned(), program: program.to_owned(), words };
        assert_eq!(agent(&process).as_deref(), expected, "{process:?}");
    }

    #[test]
    fn agents_are_known_by_their_programs() {
        for (name, program, words, expected) in [
            ("claude", "/usr/bin/node", &["claude"][..], Some("claude")),
            ("codex", "/opt/codex/bin/codex", &["codex", "exec"], Some("codex")),
            ("node", "/usr/bin/node", &["node", "/usr/local/bin/gemini", "-p", "x"], Some("gemini")),
            ("node", "/usr/bin/node", &["node", "--max-old-space-size=4096", "/x/qwen.js"], Some("qwen")),
            (
                "MainThread",
                "/usr/bin/node22",
                &["/usr/bin/node22", "/x/node_modules/@google/gemini-cli/dist/index.js"],
                Some("@google/gemini-cli"),
            ),
            ("node", "", &["node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"], Some("@anthropic-ai")),
            ("node", "/n", &["node", "-r", "x.js", "/x/node_modules/openclaw/dist/a.mjs"], Some("openclaw")),
            ("python3.12", "/usr/bin/python3.12", &["python3.12", "/home/user/.local/bin/aider"], Some("aider")),
            ("Cursor", "/opt/Cursor/cursor", &["/opt/Cursor/cursor", "--type=utility"], Some("cursor")),
            ("cursor-agent", "", &[], Some("cursor-agent")),
            ("kiro", "/x/Kiro.AppImage", &[], Some("kiro")),
            ("bash", "/usr/bin/bash", &["bash", "claude.sh"], None),
            ("vim", "/usr/bin/vim", &["vim", "claude"], None),
            ("node", "/usr/bin/node", &["node", "server.js"], None),
            ("zsh", "/usr/bin/zsh", &["-zsh"], None),
            ("cargo-nextest", "/x/cargo-nextest", &["cargo-nextest", "run", "codex"], None),
            ("sshd", "", &[], None),
            ("", "", &[], None),
        ] {
            check(name, program, words, expected);
        }
    }

    #[test]
    fn the_way_up_is_found() {
        let parent = parent("self").unwrap();
        assert_ne!(parent, "0");
        let process = Process::read(&parent);
        assert!(!process.name.is_empty(), "{process:?}");
        assert_eq!(super::parent("no such process"), None);
    }
}

//! Other guards, installed once and measured beside ours.
//!
//! They are pinned by the lock files in `benches/peers` and live in a cache folder outside the clone, named after the
//! pins: a changed pin is a new folder.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NPM: &str = include_str!("../peers/package-lock.json");
const PIP: &str = include_str!("../peers/requirements.txt");
const AGENTGUARD: &str = "0.5.1";
/// A file that says that an installation came to its end.
const DONE: &str = "installed";

/// A guard that somebody else wrote.
pub struct Peer {
    /// Its name and version.
    pub name: &'static str,
    /// Nanoseconds for a decision.
    pub took: f64,
}

/// Measures the peers on the same commands; installs them first when they are not there.
///
/// # Errors
/// When one cannot be installed or run: what was tried, and what it said.
pub fn measure(commands: &[&str], rounds: u32) -> Result<Vec<Peer>, String> {
    let (scripts, folder) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("peers"), install()?);
    let commands = serde_json::json!(commands).to_string();
    let rounds = rounds.to_string();
    let node = [path(&scripts.join("ask_cc_safety_net.mjs")), path(&folder), rounds.clone()];
    let python = [path(&scripts.join("ask_nah.py")), rounds];
    Ok(vec![
        Peer { name: "cc-safety-net 2.4.5, in its process", took: ask("node", &node, &commands)? },
        Peer {
            name: "nah 0.11.0, in its process",
            took: ask(&path(&folder.join("venv/bin/python")), &python, &commands)?,
        },
    ])
}

/// The folder with the guards of npm and PyPI.
///
/// # Errors
/// When one cannot be installed: what was tried, and what it said.
pub fn install() -> Result<PathBuf, String> {
    let mut pins = DefaultHasher::new();
    (NPM, PIP).hash(&mut pins);
    let folder = cache()?.join(format!("bench-peers-{:016x}", pins.finish()));
    if folder.join(DONE).exists() {
        return Ok(folder);
    }
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for file in ["package.json", "package-lock.json", "requirements.txt"] {
        std::fs::copy(peers.join(file), folder.join(file)).map_err(|error| format!("cannot copy {file}: {error}"))?;
    }
    run(Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    run(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(&folder))?;
    let pip = folder.join("venv/bin/pip");
    run(Command::new(pip).args(["install", "-q", "--require-hashes", "-r", "requirements.txt"]).current_dir(&folder))?;
    std::fs::write(folder.join(DONE), "").map_err(|error| format!("cannot finish the installation: {error}"))?;
    Ok(folder)
}

/// The program of a guard that is a crate.
///
/// # Errors
/// When it cannot be built: what was tried, and what it said.
pub fn agentguard() -> Result<PathBuf, String> {
    let root = cache()?.join(format!("agentguard-{AGENTGUARD}"));
    let program = root.join("bin/apohara-agentguard");
    if !program.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let pinned = format!("apohara-agentguard@{AGENTGUARD}");
        run(Command::new(cargo).args(["install", "-q", "--locked", &pinned, "--root"]).arg(&root))?;
    }
    Ok(program)
}

fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("TOLLGATE_PEERS")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("tollgate-peers")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/tollgate-peers")))
        .ok_or_else(|| "no place for the peers; set TOLLGATE_PEERS to a folder".to_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

fn ask(program: &str, args: &[String], input: &str) -> Result<f64, String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {program}: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(|error| format!("{program} does not listen: {error}"))?;
    }
    let output = child.wait_with_output().map_err(|error| format!("{program}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim().parse().map_err(|_| format!("{command:?} said `{}` instead of a number", said.trim()))
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

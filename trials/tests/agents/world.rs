//! A home and a project that nobody else uses, the real `tollgate`, and the coding agents as they were installed.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::place;

/// No agent needs this long for a handful of calls; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(150);
/// So many agents run at once: each of them takes a processor and some hundred megabytes.
const SLOTS: usize = 3;

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A home and a project.
pub(crate) struct World {
    root: PathBuf,
    tollgate: PathBuf,
    peers: PathBuf,
}

impl World {
    /// With this policy in the user's own file.
    pub(crate) fn with(policy: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tollgate-agents-{}-{number}", std::process::id());
        let root = std::env::temp_dir().canonicalize().unwrap().join(name);
        let _ = fs::remove_dir_all(&root);
        let world = Self { root, tollgate: tollgate(), peers: peers() };
        fs::create_dir_all(world.project().join(".git")).unwrap();
        world.write("home/.config/tollgate/tollgate.toml", policy);
        world
    }

    /// Where the agent works.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Where its user lives.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The program under test.
    pub(crate) fn tollgate(&self) -> &Path {
        &self.tollgate
    }

    /// A file somewhere in this world.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A program that kills itself, whatever it is asked.
    pub(crate) fn killed(&self) -> PathBuf {
        self.script("killed", "kill -9 $$")
    }

    /// Tollgate with a bug, which a build for tests has on demand.
    pub(crate) fn panicking(&self) -> PathBuf {
        self.script("panicking", &format!("TOLLGATE_TEST_FAIL=panic exec {} \"$@\"", self.tollgate.display()))
    }

    /// Tollgate, and what it is asked is written down.
    pub(crate) fn counted(&self) -> PathBuf {
        let (list, tollgate) = (self.root.join("asked"), self.tollgate.display());
        self.script("counted", &format!("echo \"$@\" >> {}; exec {tollgate} \"$@\"", list.display()))
    }

    /// What a [`World::counted`] program was asked, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let list = fs::read_to_string(self.root.join("asked")).unwrap_or_default();
        list.lines().map(str::to_owned).collect()
    }

    fn script(&self, name: &str, line: &str) -> PathBuf {
        let path = self.write(name, &format!("#!/bin/sh\n{line}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A program that is not there.
    pub(crate) fn missing(&self) -> PathBuf {
        self.root.join("missing/tollgate")
    }

    /// What stands in a file of the project; nothing if nobody made it.
    pub(crate) fn made(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project().join(name)).ok()
    }

    /// A program of an installed package, with an environment in which nothing of this machine is left.
    pub(crate) fn agent(&self, program: &str) -> Command {
        let path = self.peers.join("node_modules").join(program);
        assert!(path.exists(), "`{}` is missing; remove that folder and run `cargo xtask peers`", path.display());
        let mut command = Command::new(path);
        // The pinned Node.js, or where there is none for this machine, its own.
        let own = std::env::var("PATH").unwrap_or_default();
        command.env_clear().env("PATH", format!("{}:{own}", self.peers.join("node_modules/.bin").display()));
        command.env("HOME", self.home()).env("LANG", "C.UTF-8").env("TERM", "dumb").current_dir(self.project());
        command
    }

    /// Runs an agent to its end; says how it ended and what it printed. Nothing that it started is left behind.
    pub(crate) fn run(&self, command: &mut Command) -> (ExitStatus, String) {
        let _slot = slot(&self.peers);
        let path = self.root.join("printed");
        let file = || File::options().create(true).append(true).open(&path).unwrap();
        // Into a file and not a pipe, which grandchildren would hold open.
        command.stdin(Stdio::null()).stdout(file()).stderr(file()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let until = Instant::now() + PATIENCE;
        let ended = loop {
            match child.try_wait().unwrap() {
                None if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
                ended => break ended,
            }
        };
        let kill = format!("kill -s KILL -- -{}", child.id());
        let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        let ended = ended.map_or_else(|| Err(child.wait()), Ok);
        let printed = fs::read_to_string(&path).unwrap_or_default();
        (ended.unwrap_or_else(|_| panic!("{command:?} did not end: {printed}")), printed)
    }

    /// The records, oldest first.
    pub(crate) fn records(&self) -> Vec<Value> {
        let (verified, text) = self.ask(&["log", "verify"]);
        assert!(verified, "{text}");
        let (listed, text) = self.ask(&["log", "--json", "--lines", "1000"]);
        assert!(listed, "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn ask(&self, args: &[&str]) -> (bool, String) {
        let mut command = Command::new(&self.tollgate);
        command.args(args).current_dir(self.project()).env_clear().env("HOME", self.home());
        let done = command.output().unwrap();
        (done.status.success(), String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // For whoever wants to look at what went wrong.
        if std::env::var_os("TOLLGATE_TEST_KEEP").is_none() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// Where the repository is.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn peers() -> PathBuf {
    let folder = place::cache(|name| std::env::var_os(name)).and_then(|cache| place::installed(&cache, &repository()));
    let folder = folder.unwrap_or_else(|problem| panic!("{problem}"));
    let help = "the coding agents are not installed; run `cargo xtask peers` (it needs npm and a network)";
    assert!(folder.is_dir(), "{help}: `{}` is missing", folder.display());
    folder
}

/// Waits until few others run. The lock goes with the file.
fn slot(peers: &Path) -> File {
    let open = |number| {
        let path = peers.with_file_name(format!("slot-{number}.lock"));
        File::options()
            .create(true)
            .append(true)
            .open(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let files: Vec<File> = (0..SLOTS).map(open).collect();
    loop {
        if let Some(free) = files.iter().position(|file| file.try_lock().is_ok()) {
            return files.into_iter().nth(free).unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The program, beside this test. It is built with everybody else's tests; for whoever runs these alone it is built here.
fn tollgate() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let path = here.ancestors().nth(2).unwrap().join("tollgate");
    if !is_fresh(&path) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo).args(["build", "-q", "-p", "tollgate-cli"]).current_dir(repository()).status();
        assert!(built.is_ok_and(|status| status.success()), "run `cargo build -p tollgate-cli`");
    }
    assert!(path.exists(), "`{}` is missing; run `cargo build -p tollgate-cli`", path.display());
    path
}

/// Whether a program is newer than whatever cargo says it is made of.
fn is_fresh(program: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    let (Ok(built), Ok(parts)) = (changed(program), fs::read_to_string(program.with_extension("d"))) else {
        return false;
    };
    let parts = parts.split_once(": ").map(|(_, parts)| parts.to_owned()).unwrap_or_default();
    parts.split_whitespace().all(|part| changed(Path::new(part)).is_ok_and(|changed| changed <= built))
}

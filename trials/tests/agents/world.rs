//! A home and a project that nobody else uses, the real `tollgate`, and the coding agents as they were installed.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::Digest as _;

use super::place;

/// No agent needs this long for a handful of calls; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(150);
/// So many agents run at once: each of them takes a processor and some hundred megabytes.
const SLOTS: usize = 3;

/// The folder for data of this world's user, and the key for automation there: no person sits here.
const DATA: &str = "home/.local/share/tollgate";
const KEY: &str = "tollgate-key-of-a-trial";

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
        fs::create_dir_all(world.root.join("bin")).unwrap();
        symlink(&world.tollgate, world.program()).unwrap();
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

    /// The program under test, where agents are told that it is. Something else can be put there.
    pub(crate) fn program(&self) -> PathBuf {
        self.root.join("bin/tollgate")
    }

    /// A file somewhere in this world.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Registers Tollgate with an agent as its user would, and has it proved.
    pub(crate) fn register(&self, agent: &str, more: &[&str]) {
        let key = sha2::Sha256::digest(KEY.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let file = self.write(&format!("{DATA}/automation.sha256"), &key);
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        self.must(&[&["init", "--yes", "--agent", agent], more].concat());
        self.must(&["doctor", "--agent", agent]);
    }

    /// Takes every registration away.
    pub(crate) fn unregister(&self) {
        self.must(&["uninstall", "--yes"]);
    }

    /// The files that are registered in, by what was noted.
    pub(crate) fn registered(&self) -> Vec<PathBuf> {
        let noted = fs::read_to_string(self.root.join(DATA).join("installed.json")).unwrap();
        let noted: Value = serde_json::from_str(&noted).unwrap();
        let files = noted["files"].as_array().unwrap().iter();
        files.map(|file| PathBuf::from(file["path"].as_str().unwrap())).collect()
    }

    /// Every file of the home, with what it holds.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut found, mut folders) = (BTreeMap::new(), vec![self.home()]);
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                match fs::read(&path) {
                    Ok(bytes) => drop(found.insert(path, bytes)),
                    Err(_) => folders.push(path),
                }
            }
        }
        found
    }

    fn must(&self, args: &[&str]) {
        let mut command = Command::new(self.program());
        command.args(args).current_dir(self.project()).env_clear().env("HOME", self.home()).env("TOLLGATE_KEY", KEY);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    /// What must not succeed, with the program as it was built.
    pub(crate) fn must_fail(&self, args: &[&str]) {
        let (succeeded, text) = self.ask(args);
        assert!(!succeeded, "{args:?}: {text}");
    }

    /// From now on the program kills itself when it is asked about a call.
    pub(crate) fn killed(&self) {
        self.replaced(&self.about_calls("kill -9 $$"));
    }

    /// From now on the program has a bug when it is asked about a call, which a build for tests has on demand.
    pub(crate) fn panicking(&self) {
        self.replaced(&self.about_calls("export TOLLGATE_TEST_FAIL=panic"));
    }

    /// What is done first when a call is about to run; whatever else is asked, Tollgate answers.
    fn about_calls(&self, then: &str) -> String {
        let calls = "*hook*[Pp]reToolUse*|*BeforeTool*|*tool.execute.before*";
        let answer = format!("printf %s \"$asked\" | {} \"$@\"", self.tollgate.display());
        format!("asked=$(cat)\ncase \"$* $asked\" in {calls}) {then};; esac\n{answer}")
    }

    /// From now on, what the program is asked is written down.
    pub(crate) fn counted(&self) {
        let (list, tollgate) = (self.root.join("asked"), self.tollgate.display());
        self.replaced(&format!("echo \"$@\" >> {}; exec {tollgate} \"$@\"", list.display()));
    }

    /// From now on the program is not there.
    pub(crate) fn missing(&self) {
        fs::remove_file(self.program()).unwrap();
    }

    /// What a [`World::counted`] program was asked, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let list = fs::read_to_string(self.root.join("asked")).unwrap_or_default();
        list.lines().map(str::to_owned).collect()
    }

    /// A script is where the program was.
    fn replaced(&self, lines: &str) {
        self.missing();
        let path = self.write("bin/tollgate", &format!("#!/bin/sh\n{lines}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
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
        // An example among them makes cargo choose the features that tests have: with others, or with what cargo tells a
        // test about itself, much would be built once more.
        let mut build = Command::new(cargo);
        build.args(["build", "-q", "--workspace", "--bin", "tollgate", "--example", "schema"]);
        let about_us = |name: &String| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        std::env::vars().map(|(name, _)| name).filter(about_us).for_each(|name| {
            build.env_remove(name);
        });
        let built = build.current_dir(repository()).status();
        assert!(built.is_ok_and(|status| status.success()), "run `cargo build --workspace --all-targets`");
    }
    assert!(path.exists(), "`{}` is missing; run `cargo build --workspace --all-targets`", path.display());
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

//! Running the real program in a folder of its own.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A home and a project nobody else uses.
pub(crate) struct Sandbox {
    root: PathBuf,
    /// Whether commands get the key for automation: there is no person here.
    keyed: bool,
}

/// The key for automation of sandboxes that have one.
pub(crate) const KEY: &str = "tollgate-key-of-a-sandbox";

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Sandbox {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root =
            std::env::temp_dir().canonicalize().unwrap().join(format!("tollgate-cli-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["home/state", "project", "bin"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tollgate"), root.join("bin/tollgate")).unwrap();
        Self { root, keyed: false }
    }

    /// With a key for automation, which every command is given: what only people may do can be done.
    pub(crate) fn keyed(mut self) -> Self {
        let place = self.key_file();
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, tollgate_config::sha256(KEY.as_bytes())).unwrap();
        self.keyed = true;
        self
    }

    /// Where the hash of the key for automation lies.
    pub(crate) fn key_file(&self) -> PathBuf {
        self.root.join("home/.local/share/tollgate/automation.sha256")
    }

    /// With this policy in the project.
    pub(crate) fn with(policy: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write("tollgate.toml", policy);
        sandbox
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn user_policy(&self, text: &str) {
        let folder = self.root.join("home/.config/tollgate");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tollgate.toml"), text).unwrap();
    }

    /// The program, in a folder where nothing else is: what was built beside it makes no difference.
    pub(crate) fn program(&self) -> PathBuf {
        self.root.join("bin/tollgate")
    }

    /// The folder that holds everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.root.join("home"))
            .env("TOLLGATE_HOME", self.root.join("home/state"))
            .env("PATH", "/usr/bin:/bin");
        if self.keyed {
            command.env("TOLLGATE_KEY", KEY);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Ran {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_owned();
        let writer = std::thread::spawn(move || drop(pipe.write_all(stdin.as_bytes())));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran::of(&output, &self.root)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// What the program said, with the sandbox's own folder taken out.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output, root: &Path) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace(root.to_str().unwrap(), "");
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Everything, for a snapshot.
    pub(crate) fn all(&self) -> String {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        format!("{}{}[{code}]\n", self.out, self.err)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

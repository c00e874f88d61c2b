//! A project with hooks, and what they come to as text.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use tollgate_config::{Hook, Paths, Plan};

/// A folder with a project, a home and scripts.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().canonicalize().unwrap();
        let path = root.join(format!("tollgate-hooks-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let folder = Self(path);
        folder.write("project/guard.py", "import sys\n");
        folder
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn paths(&self) -> Paths {
        let env = |name: &str| match name {
            "HOME" => Some(self.0.join("home").into_os_string()),
            "TOLLGATE_HOME" => Some(self.0.join("state").into_os_string()),
            _ => None,
        };
        Paths { machine: None, ..Paths::find(&self.0.join("project"), None, env) }
    }

    pub(crate) fn shown(&self, text: &str) -> String {
        text.replace(self.0.to_str().unwrap(), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What hooks a plan has, a line each.
pub(crate) fn told(folder: &Folder, plan: &Plan) -> String {
    let hook = |hook: &Hook| {
        let points: Vec<&str> = hook.on.iter().map(|point| point.0.as_str()).collect();
        let pins: Vec<_> = hook.pins.iter().map(|pin| folder.shown(pin.path.to_str().unwrap())).collect();
        format!(
            "{} ({}) {} [{}] `{}` {:?} {:?} on_fault {:?} priority {} env {:?} trusted {} pins {pins:?}\n",
            hook.id,
            hook.origin,
            points.join(" "),
            hook.tools.join(" "),
            hook.line(),
            hook.protocol,
            hook.timeout,
            hook.on_fault,
            hook.priority,
            hook.env,
            hook.trusted
        )
    };
    plan.hooks.iter().map(hook).collect()
}

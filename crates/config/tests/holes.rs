//! Ways around the policy that must stay closed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tollgate_config::{File, Layer, Paths, Plan, Trust, combine, kind, load};
use tollgate_rules::form::{Date, Mode};

/// A plan of the machine's, the user's and the project's file.
fn plan(machine: &str, user: &str, project: &str, trusted: bool) -> Plan {
    let layers = [
        (Layer::Machine, "/etc/tollgate/tollgate.toml", machine),
        (Layer::User, "/home/ann/.config/tollgate/tollgate.toml", user),
        (Layer::Project, "/work/tollgate.toml", project),
    ];
    let read = |(layer, path, text): (Layer, &str, &str)| File::of_bytes(layer, Path::new(path), text.into()).unwrap();
    let files = layers.into_iter().filter(|(_, _, text)| !text.is_empty()).map(read).collect();
    combine(files, trusted, Date::new(2026, 11, 15).unwrap()).unwrap_or_else(|found| panic!("{found}"))
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().canonicalize().unwrap();
        let path = path.join(format!("tollgate-holes-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn observing_does_not_undo_what_the_machine_says() {
    const OBSERVE: &str = "mode = 'observe'";
    for machine in [
        "[[rule]]\nid = 'm'\ntool = 'exec'\ndeny = 'no'\n",
        "[tools]\ndeny = ['x']\n",
        "default = 'deny'\n",
        "[[limit]]\nid = 'l'\ntool = '*'\nmax = 1\n",
        "[[loop]]\ntool = '*'\n",
        "[[dedupe]]\ntool = 'x'\nfor = '1h'\n",
        "[[require]]\ntool = 'x'\narg.a = 1\n",
        "[packs]\nuse = ['git-safety']\n",
        "[override.'git-safety/rewrite']\ndecision = 'deny'\n",
    ] {
        for (user, project) in [(OBSERVE, ""), ("", OBSERVE)] {
            let plan = plan(machine, user, project, true);
            assert_eq!(plan.mode, Mode::Enforce, "{machine}");
            assert!(plan.ignored.iter().any(|one| one.what == "`mode`"), "{machine}");
        }
        let observed = format!("{OBSERVE}\n{machine}");
        assert_eq!(plan(&observed, "", "", false).mode, Mode::Observe, "the machine may: {machine}");
    }
    assert_eq!(plan("workspace = ['/srv/x']", OBSERVE, "", false).mode, Mode::Observe);
}

#[test]
fn nobody_calls_reading_what_the_machine_wants_only_tried_or_done_once() {
    const READ: &str = "[tools]\nread = ['delete_*']";
    for machine in ["dry_run = true\n", "[[dedupe]]\ntool = 'delete_*'\nfor = '1h'\n"] {
        for (user, project) in [(READ, ""), ("", READ)] {
            let plan = plan(machine, user, project, true);
            assert!(plan.reads.is_empty(), "{machine}");
            assert_eq!(plan.ignored.len(), 1, "{machine}");
        }
        assert_eq!(plan(&format!("{machine}{READ}"), "", "", false).reads.len(), 1);
    }
    assert_eq!(plan("mode = 'enforce'", READ, "", false).reads.len(), 1);
}

#[cfg(unix)]
#[test]
fn a_project_does_not_borrow_the_trust_of_another_by_a_link() {
    let folder = Folder::new("link");
    let lenient = folder.write("lenient/tollgate.toml", "mode = 'observe'");
    fs::create_dir_all(folder.0.join("cloned")).unwrap();
    std::os::unix::fs::symlink(&lenient, folder.0.join("cloned/tollgate.toml")).unwrap();
    std::os::unix::fs::symlink(folder.0.join("lenient"), folder.0.join("alias")).unwrap();
    let mode = |cwd: &str| {
        let env = |name: &str| (name == "HOME").then(|| OsString::from(folder.0.join("home")));
        load(&Paths::find(&folder.0.join(cwd), None, env)).unwrap().mode
    };
    let trust = Trust::at(&folder.0.join("home/.local/share/tollgate"));
    trust.trust(kind::CONFIG, &lenient, b"mode = 'observe'").unwrap();
    assert_eq!(mode("lenient"), Mode::Observe);
    assert_eq!(mode("alias"), Mode::Observe, "the same file in the same folder");
    assert_eq!(mode("cloned"), Mode::Enforce);
    // Whoever looked at the link and agreed gets it.
    trust.trust(kind::CONFIG, &folder.0.join("cloned/tollgate.toml"), b"mode = 'observe'").unwrap();
    assert_eq!(mode("cloned"), Mode::Observe);
    assert!(trust.revoke(kind::CONFIG, &lenient).unwrap());
    assert_eq!((mode("lenient"), mode("cloned")), (Mode::Enforce, Mode::Observe));
}

#[test]
fn variables_that_lead_into_the_project_are_not_believed() {
    let folder = Folder::new("variables");
    fs::create_dir_all(folder.0.join("project/.git")).unwrap();
    fs::create_dir_all(folder.0.join("project/deep/er")).unwrap();
    folder.write("project/own/tollgate/tollgate.toml", "mode = 'observe'");
    let inside = folder.0.join("project/own");
    let home = folder.0.join("home");
    for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TOLLGATE_HOME"] {
        for cwd in ["project", "project/deep", "project/deep/er", "project/own"] {
            for spelled in [inside.clone(), folder.0.join("project/deep/../own"), inside.join("not-yet")] {
                let env = |name: &str| match name {
                    "HOME" => Some(OsString::from(&home)),
                    name if name == variable => Some(spelled.clone().into()),
                    _ => None,
                };
                let paths = Paths::find(&folder.0.join(cwd), None, env);
                let all = [&paths.user, &paths.state, &paths.cache, &paths.data];
                for path in all.into_iter().flatten() {
                    assert!(path.starts_with(&home), "{variable} in {cwd}: {}", path.display());
                }
            }
        }
    }
    // In other folders they hold, also beside the project.
    let env = |name: &str| (name == "TOLLGATE_HOME").then(|| OsString::from(folder.0.join("state")));
    let paths = Paths::find(&folder.0.join("project"), None, env);
    assert_eq!(paths.data, Some(folder.0.join("state/data")));
}

//! Finding and reading files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use expect_test::expect;
use tollgate_config::{Layer, Paths, Plan, Trust, kind, load};

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tollgate-files-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// As found from a folder below, with this one as home and no machine's file.
    fn paths(&self, cwd: &str) -> Paths {
        let cwd = self.0.join(cwd);
        fs::create_dir_all(&cwd).unwrap();
        let paths = Paths::find(&cwd, None, |name| (name == "HOME").then(|| self.0.join("home").into()));
        Paths { machine: Some(self.0.join("etc/tollgate.toml")), ..paths }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_nearest_file_above_is_the_projects() {
    let folder = Folder::new();
    folder.write("work/tollgate.toml", "");
    folder.write("work/a/b/tollgate.toml", "");
    for (cwd, expected) in [
        ("work", Some("work/tollgate.toml")),
        ("work/a", Some("work/tollgate.toml")),
        ("work/a/b", Some("work/a/b/tollgate.toml")),
        ("work/a/b/c/d", Some("work/a/b/tollgate.toml")),
        ("route", None),
    ] {
        assert_eq!(folder.paths(cwd).project, expected.map(|path| folder.0.join(path)), "{cwd}");
    }
}

#[test]
fn the_users_own_file_is_not_a_projects_file() {
    let folder = Folder::new();
    let user = folder.write("home/.config/tollgate/tollgate.toml", "mode = \"observe\"");
    let paths = folder.paths("home/.config/tollgate");
    assert_eq!((paths.user.as_deref(), paths.project.as_deref()), (Some(user.as_path()), None));
    assert!(load(&paths).unwrap().ignored.is_empty());
}

#[test]
fn all_layers_are_read() {
    let folder = Folder::new();
    let rule = |id: &str| format!("[[rule]]\nid = \"{id}\"\ntool = \"x\"\ndeny = \"no\"\n");
    folder.write("etc/tollgate.toml", rule("m"));
    folder.write("home/.config/tollgate/tollgate.toml", rule("u"));
    folder.write("work/tollgate.toml", rule("p"));
    let plan = load(&folder.paths("work")).unwrap();
    let layers: Vec<Layer> = plan.files.iter().map(|file| file.layer).collect();
    assert_eq!(layers, [Layer::Machine, Layer::User, Layer::Project]);
    let own = plan.rules.iter().filter(|rule| !rule.origin.starts_with("pack "));
    let own: Vec<(&str, &str)> = own.map(|rule| (&*rule.origin, rule.form.id.as_str())).collect();
    assert_eq!(own, [("machine", "m"), ("user", "u"), ("project", "p")]);
}

#[test]
fn one_file_instead_of_all() {
    let folder = Folder::new();
    folder.write("etc/tollgate.toml", "broken");
    let instead = folder.write("mine.toml", "mode = \"observe\"");
    let paths = Paths { instead: Some(instead), ..folder.paths("work") };
    let plan = load(&paths).unwrap();
    assert_eq!(plan.files.len(), 1);
    assert!(plan.ignored.is_empty());
    let gone = Paths { instead: Some(folder.0.join("gone.toml")), ..paths };
    let message = load(&gone).unwrap_err().to_string().replace(folder.0.to_str().unwrap(), "DIR");
    expect![[r#"
        error: there is no such file
         --> DIR/gone.toml
          = help: look at what follows `--config`
    "#]]
    .assert_eq(&message);
}

#[test]
fn what_cannot_be_read_is_an_error_and_not_nothing() {
    let check = |prepare: &dyn Fn(&Folder, &Path)| {
        let folder = Folder::new();
        fs::create_dir_all(folder.0.join("work")).unwrap();
        prepare(&folder, &folder.0.join("work/tollgate.toml"));
        let found = load(&folder.paths("work")).unwrap_err();
        found.to_string().replace(folder.0.to_str().unwrap(), "DIR")
    };
    expect![[r#"
        error: this is a folder, and a policy file is expected here
         --> DIR/work/tollgate.toml
          = help: move it away
    "#]]
    .assert_eq(&check(&|_, path| fs::create_dir(path).unwrap()));
    expect![[r#"
        error: this policy file is larger than 1 MiB
         --> DIR/work/tollgate.toml
          = help: no policy needs that; is it the right file?
    "#]]
    .assert_eq(&check(&|_, path| fs::write(path, vec![b'#'; (1 << 20) + 1]).unwrap()));
    expect![[r#"
        error: this is not UTF-8 text
         --> DIR/work/tollgate.toml:1:1
          |
        1 | �
          | ^
          = help: save the file as UTF-8, without binary data
    "#]]
    .assert_eq(&check(&|_, path| fs::write(path, b"\xff").unwrap()));
    #[cfg(unix)]
    expect![[r#"
        error: this policy file is a link that leads nowhere
         --> DIR/work/tollgate.toml
          = help: mend or remove the link
    "#]]
    .assert_eq(&check(&|_, path| std::os::unix::fs::symlink("nowhere", path).unwrap()));
    // A link to itself is unreadable for everybody, also for whoever may read everything.
    #[cfg(unix)]
    assert!(
        check(&|_, path| std::os::unix::fs::symlink(path, path).unwrap())
            .starts_with("error: this policy file cannot be read: ")
    );
    #[cfg(unix)]
    expect![[r#"
        error: this is no file, and a policy file is expected here
         --> DIR/work/tollgate.toml
          = help: move it away
    "#]]
    .assert_eq(&check(&|_, path| {
        drop(std::os::unix::net::UnixListener::bind(path).unwrap());
    }));
}

#[test]
fn a_file_of_exactly_the_largest_size_is_read() {
    let folder = Folder::new();
    folder.write("work/tollgate.toml", vec![b'#'; 1 << 20]);
    assert!(load(&folder.paths("work")).is_ok());
}

#[test]
fn mistakes_in_several_files_come_together() {
    let folder = Folder::new();
    folder.write("home/.config/tollgate/tollgate.toml", "mod = 1\n");
    folder.write("work/tollgate.toml", "dry_run = 1\n");
    let found = load(&folder.paths("work")).unwrap_err();
    let places: Vec<String> = found.iter().map(|one| one.place().replace(folder.0.to_str().unwrap(), "DIR")).collect();
    assert_eq!(places, ["DIR/home/.config/tollgate/tollgate.toml:1:1", "DIR/work/tollgate.toml:1:11"]);
}

#[test]
fn trust_holds_for_exactly_what_was_trusted() {
    let folder = Folder::new();
    let text = "mode = \"observe\"\n";
    let file = folder.write("work/tollgate.toml", text);
    let paths = folder.paths("work");
    let ignored = || load(&paths).unwrap().ignored;
    assert_eq!(ignored().len(), 1);
    let trust = Trust::at(paths.data().unwrap());
    trust.trust(kind::CONFIG, &file, text.as_bytes()).unwrap();
    assert_eq!(ignored(), []);
    folder.write("work/tollgate.toml", "mode = \"observe\" # a comment\n");
    assert_eq!(ignored().len(), 1);
    folder.write("work/tollgate.toml", text);
    assert_eq!(ignored(), []);
    let copy = folder.write("copy/tollgate.toml", text);
    assert!(!trust.holds(kind::CONFIG, &copy, text.as_bytes()).unwrap());
    assert!(!trust.holds("hook", &file, text.as_bytes()).unwrap());
    assert!(trust.revoke(kind::CONFIG, &file).unwrap());
    assert!(!trust.revoke(kind::CONFIG, &file).unwrap());
    assert_eq!(ignored().len(), 1);
    assert_eq!(trust.list().unwrap(), []);
}

#[test]
fn a_file_that_is_gone_can_be_revoked() {
    let folder = Folder::new();
    let file = folder.write("work/tollgate.toml", "");
    let trust = Trust::at(&folder.0.join("data"));
    trust.trust(kind::CONFIG, &file, b"").unwrap();
    fs::remove_file(&file).unwrap();
    assert!(!trust.holds(kind::CONFIG, &file, b"").unwrap());
    assert!(trust.revoke(kind::CONFIG, &file).unwrap());
}

#[test]
fn entries_of_kinds_to_come_are_kept() {
    let folder = Folder::new();
    let file = folder.write("work/tollgate.toml", "");
    let trust = Trust::at(&folder.0.join("data"));
    trust.trust("from-the-future", &file, b"x").unwrap();
    trust.trust(kind::CONFIG, &file, b"").unwrap();
    let kinds: Vec<String> = trust.list().unwrap().into_iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, ["from-the-future", "config"]);
}

#[cfg(unix)]
#[test]
fn a_store_that_others_could_have_written_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;

    let warned = |plan: &Plan, words: &str| plan.warnings.iter().any(|one| one.message.contains(words));
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let bits = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = Folder::new();
    let file = folder.write("work/tollgate.toml", "mode = \"observe\"");
    let paths = folder.paths("work");
    let data = paths.data().unwrap();
    Trust::at(data).trust(kind::CONFIG, &file, b"mode = \"observe\"").unwrap();
    let store = data.join("trust.json");
    assert_eq!((bits(data), bits(&store)), (0o700, 0o600));
    assert!(load(&paths).unwrap().ignored.is_empty());
    for (path, loose, tight) in [(&store, 0o666, 0o600), (&store, 0o620, 0o600), (&data.to_owned(), 0o777, 0o700)] {
        mode(path, loose);
        let plan = load(&paths).unwrap();
        assert_eq!(plan.ignored.len(), 1, "{loose:o}");
        assert!(warned(&plan, "others may write to"), "{}", plan.warnings);
        assert!(Trust::at(data).trust(kind::CONFIG, &file, b"").is_err());
        mode(path, tight);
    }
    fs::write(&store, "{").unwrap();
    assert!(warned(&load(&paths).unwrap(), "is damaged"));
    fs::write(&store, "{\"version\":2,\"entries\":[]}").unwrap();
    assert!(warned(&load(&paths).unwrap(), "a newer tollgate wrote it"));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let folder = Folder::new();
    let files: Vec<PathBuf> = (0..8).map(|index| folder.write(&format!("{index}/tollgate.toml"), "")).collect();
    let trust = Trust::at(&folder.0.join("data"));
    std::thread::scope(|scope| {
        for file in &files {
            scope.spawn(|| {
                for round in 0..5 {
                    trust.trust(&format!("round-{round}"), file, b"").unwrap();
                }
            });
        }
        // A reader never sees half a store.
        scope.spawn(|| (0..200).for_each(|_| drop(trust.list().unwrap())));
    });
    assert_eq!(trust.list().unwrap().len(), 40);
}

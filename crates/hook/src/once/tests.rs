#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::agents::find;
use crate::testing::fixture;

/// A folder of its own, and how often somebody judged.
struct Judged {
    folder: std::path::PathBuf,
    count: AtomicUsize,
}

impl Judged {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tollgate-once-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self { folder, count: AtomicUsize::new(0) }
    }

    /// What this registration is told: the number of the judgement.
    fn told(&self, registration: &str) -> usize {
        let judge = || {
            std::thread::sleep(Duration::from_millis(20));
            Decision::deny((self.count.fetch_add(1, Ordering::SeqCst) + 1).to_string())
        };
        match decided(&self.folder, registration, judge).unwrap().said {
            Said::Deny(number) => number.parse().unwrap(),
            said => unreachable!("{said:?}"),
        }
    }
}

/// What was decided about the event `k`, or what is decided now.
fn decided(folder: &Path, registration: &str, judge: impl FnOnce() -> Decision) -> Result<Decision, String> {
    match claim(folder, "k".to_owned(), registration.to_owned())? {
        Earlier::Decided(decision) => Ok(decision),
        Earlier::Nothing(claim) => {
            let decision = judge();
            claim.unwrap().note(decision.clone()).map(|()| decision)
        }
    }
}

impl Drop for Judged {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_registration_that_comes_again_is_another_call() {
    let judged = Judged::new("again");
    for (registration, judgement) in [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("b", 3), ("a", 3), ("a", 4)] {
        assert_eq!(judged.told(registration), judgement, "{registration}");
    }
}

#[test]
fn registrations_that_come_at_once_are_told_the_same() {
    let judged = &Judged::new("at-once");
    let told = move |registration: &'static str| assert_eq!(judged.told(registration), 1, "{registration}");
    std::thread::scope(|scope| {
        for registration in ["a", "b", "c", "d"] {
            scope.spawn(move || told(registration));
        }
    });
    assert_eq!(judged.count.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_kept_is_read_back() {
    let (reason, value) = ("no".to_owned(), json!({"a": [1, null]}));
    for said in [
        Said::Pass,
        Said::Rewrite(Value::Null),
        Said::Rewrite(value.clone()),
        Said::Ask(reason.clone()),
        Said::AskRewritten(reason.clone(), value),
        Said::Deny(reason),
    ] {
        let decision = Decision { said, notes: vec!["n".to_owned()], tells: vec!["t".to_owned()] };
        let kept = Kept { decision, answered: vec!["copilot preToolUse".to_owned()] };
        assert_eq!(read_back(&written(&kept)).as_ref(), Some(&kept));
    }
    for text in ["", "{}", r#"{"said":"deny","notes":[],"tells":[],"answered":[]}"#] {
        assert_eq!(serde_json::from_str(text).ok().and_then(|kept| read_back(&kept)), None, "{text}");
    }
}

/// A disk that is full takes back no answer, and leaves none of an earlier call.
#[test]
fn a_decision_that_cannot_be_kept_holds() {
    let judged = Judged::new("full");
    judged.told("a");
    let (path, kept) = (judged.folder.join("k"), Kept { decision: Decision::deny("no"), answered: Vec::new() });
    let mut file = File::open(&path).unwrap();
    assert!(keep(&mut file, &kept).is_err(), "it can only be read");
    assert!(note(&mut file, &path, &kept).is_ok() && !path.exists());
    assert!(note(&mut file, &path, &kept).is_err(), "nothing says that nobody reads what was there");
    assert_eq!(judged.told("b"), 2);
}

/// What is kept may hold arguments. It goes at the next event, whatever that is about.
#[test]
fn what_is_no_longer_asked_for_is_removed_at_any_event() {
    let judged = Judged::new("sweep");
    let home = judged.folder.to_str().unwrap().to_owned();
    let variables = |name: &str| (name == "TOLLGATE_HOME").then(|| home.clone().into());
    let paths = Paths::find(Path::new("/"), None, variables);
    let folder = paths.state().unwrap().join("once");
    fs::create_dir_all(&folder).unwrap();
    for (name, seconds) in [("old", 31), ("waited-for", 25)] {
        let file = File::create(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }
    let copilot = find("copilot").unwrap();
    let (text, mut doc) = (fixture(copilot, "copilot-cli-1.0.102.agentStop"), Value::Null);
    let read = run::read(copilot, Some("agentStop"), text.as_bytes(), &mut doc).unwrap();
    assert!(matches!(look_up(copilot, None, &read, &paths), Ok(Earlier::Nothing(None))));
    assert!(!folder.join("old").exists() && folder.join("waited-for").exists());
}

/// What somebody else may have put there is no decision, and nothing waits for it.
#[cfg(unix)]
#[test]
fn only_what_is_ours_is_believed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    type Put = fn(&Path, &Path);
    let open_to_all = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    let cases: [(&str, Put, Option<&str>); 7] = [
        ("nothing", |_, _| {}, None),
        ("file", |file, go| assert!(fs::copy(go, file).unwrap() > 0), None),
        ("link", |file, go| symlink(go, file).unwrap(), Some("is no ordinary file")),
        ("nowhere", |file, _| symlink("/nowhere/at/all", file).unwrap(), Some("is no ordinary file")),
        (
            "fifo",
            |file, _| assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success()),
            Some("is no ordinary file"),
        ),
        ("folder", |file, _| fs::create_dir(file).unwrap(), Some("is no ordinary file")),
        (
            "open",
            |file, go| {
                fs::copy(go, file).unwrap();
                fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
            },
            Some("others may write to"),
        ),
    ];
    let told =
        |judged: &Judged| decided(&judged.folder, "b", || Decision::deny("judged")).map(|decision| decision.said);
    for (name, put, refused) in cases {
        let judged = Judged::new(name);
        fs::create_dir_all(&judged.folder).unwrap();
        fs::set_permissions(&judged.folder, fs::Permissions::from_mode(0o700)).unwrap();
        let go = judged.folder.join("pass");
        let decision = Decision { said: Said::Pass, notes: Vec::new(), tells: Vec::new() };
        fs::write(&go, written(&Kept { decision, answered: Vec::new() }).to_string()).unwrap();
        fs::set_permissions(&go, fs::Permissions::from_mode(0o600)).unwrap();
        put(&judged.folder.join("k"), &go);
        match (told(&judged), refused) {
            (Err(problem), Some(why)) => assert!(problem.contains(why), "{name}: {problem}"),
            (said, None) if name == "file" => assert_eq!(said, Ok(Said::Pass)),
            (said, None) => assert_eq!(said, Ok(Said::Deny("judged".to_owned()))),
            (said, why) => unreachable!("{name}: {said:?} {why:?}"),
        }
    }
    // The folder, too.
    let judged = Judged::new("open-folder");
    fs::create_dir_all(&judged.folder).unwrap();
    open_to_all(&judged.folder);
    assert!(told(&judged).unwrap_err().contains("others may write to"));
    fs::set_permissions(&judged.folder, fs::Permissions::from_mode(0o700)).unwrap();
    let linked = Judged::new("linked-folder");
    symlink(&judged.folder, &linked.folder).unwrap();
    assert!(told(&linked).unwrap_err().contains("is no folder"));
    fs::remove_file(&linked.folder).unwrap();
}

/// The name of an event in one of its spellings.
fn key_of(agent: &str, text: &str) -> String {
    let mut doc = Value::Null;
    let read = run::read(find(agent).unwrap(), None, text.as_bytes(), &mut doc).unwrap();
    key(&read, None)
}

#[test]
fn spellings_of_one_call_are_one_event() {
    let copilot = |file: &str| fixture(find("copilot").unwrap(), &format!("copilot-cli-1.0.102{file}"));
    for (one, other) in [
        (".preToolUse", ".PreToolUse"),
        ("-files.preToolUse", "-files.PreToolUse"),
        ("-mcp.preToolUse", "-mcp.PreToolUse"),
        (".postToolUse", ".PostToolUse"),
        ("-files.postToolUse", "-files.PostToolUse"),
        ("-mcp.postToolUse", "-mcp.PostToolUse"),
    ] {
        assert_eq!(key_of("copilot", &copilot(one)), key_of("claude-code", &copilot(other)), "{one} {other}");
    }
    let (before, after) = (copilot(".preToolUse"), copilot(".postToolUse"));
    let elsewhere = before.replace("/home/dev/project", "/home/dev/other");
    let changed = [
        before.replace("hello", "bye"),
        before.replace("bash", "view"),
        before.replace("5a45", "5a46"),
        elsewhere,
        after,
    ];
    for other in changed {
        assert_ne!(key_of("copilot", &before), key_of("copilot", &other), "{other}");
    }
    let cursor = fixture(find("cursor").unwrap(), "doc-preToolUse");
    assert_ne!(key_of("cursor", &cursor), key_of("cursor", &cursor.replace("tool-1", "tool-2")));
}

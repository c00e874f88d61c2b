use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use tollgate_core::{Act, Names, Registry};
use tollgate_testkit::ManualClock;

use super::*;

/// 2026-11-15T09:30:00Z.
const NOW: Duration = Duration::from_secs(1_794_735_000);
const HOUR: Duration = Duration::from_secs(3600);

/// A folder of its own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tollgate-switch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        Self(path)
    }

    fn switch(&self) -> Switch {
        Switch::at(&self.0)
    }

    fn put(&self, name: &str, text: &str, mode: u32) {
        let path = self.0.join(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pause_file(since: Duration, until: Duration) -> String {
    json!({ "until": stamp(until), "reason": "r", "by": "ann", "since": stamp(since) }).to_string()
}

#[test]
fn a_pause_that_cannot_be_believed_is_told_and_does_not_hold() {
    let folder = Folder::new("doubt");
    for (text, mode, expected) in [
        (pause_file(NOW, NOW + HOUR), 0o600, "paused"),
        (pause_file(NOW, NOW + HOUR), 0o644, "paused"),
        (pause_file(NOW - 2 * HOUR, NOW - HOUR), 0o600, "off"),
        (pause_file(NOW, NOW), 0o600, "off"),
        (pause_file(NOW + HOUR, NOW + 2 * HOUR), 0o600, "it begins in the future"),
        (pause_file(NOW, NOW + 25 * HOUR), 0o600, "it is longer than 24 hours"),
        (pause_file(NOW, NOW + HOUR), 0o620, "others may write to"),
        (pause_file(NOW, NOW + HOUR), 0o602, "others may write to"),
        ("{}".to_owned(), 0o600, "it is damaged"),
        (String::new(), 0o600, "it is damaged"),
        (r#"{"until": "soon", "reason": "", "by": "", "since": "now"}"#.to_owned(), 0o600, "`now` is no time"),
    ] {
        folder.put("pause.json", &text, mode);
        let stand = folder.switch().read(NOW);
        let tells = stand.tells().join("\n");
        match expected {
            "paused" => assert_eq!(tells, "Tollgate is paused until 10:30 UTC (r): nothing is stopped", "{text}"),
            "off" => assert!(stand.is_off(), "{text}: {stand:?}"),
            _ => assert!(tells.starts_with("Tollgate is not paused: ") && tells.contains(expected), "{text}: {tells}"),
        }
        assert_eq!(stand.observes(), expected == "paused", "{text}");
    }
    folder.put("pause.json", &pause_file(NOW, NOW + HOUR), 0o600);
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(folder.switch().read(NOW).doubted.unwrap().contains("others may write to"));
}

#[test]
fn any_file_of_that_name_halts_and_beats_a_pause() {
    let folder = Folder::new("halt");
    let said = || folder.switch().read(NOW).halted.map(|halt| halt.refusal());
    assert_eq!(said(), None);
    folder.switch().pause(&Pause::new(NOW, HOUR, "r", "ann").unwrap()).unwrap();
    let end = "; a human runs `tollgate resume`";
    for (text, mode, reason) in [
        ("", 0o600, "no reason was given"),
        ("", 0o000, "no reason was given"),
        ("the build is on fire\nreally\n", 0o644, "the build is on fire"),
        (r#"{"reason": "stop", "by": "ann"}"#, 0o600, "stop"),
    ] {
        folder.put("halt", text, mode);
        assert_eq!(said(), Some(format!("all agents are halted: {reason}{end}")), "{text}");
        let stand = folder.switch().read(NOW);
        assert!(!stand.observes() && stand.tells().is_empty(), "{text}");
    }
    // A folder counts, and a link, which is not read: it may lead to a secret.
    fs::remove_file(folder.0.join("halt")).unwrap();
    symlink(folder.0.join("pause.json"), folder.0.join("halt")).unwrap();
    assert_eq!(said(), Some(format!("all agents are halted: no reason was given{end}")));
    fs::remove_file(folder.0.join("halt")).unwrap();
    fs::create_dir(folder.0.join("halt")).unwrap();
    assert_eq!(said(), Some(format!("all agents are halted: no reason was given{end}")));
}

#[test]
fn to_halt_twice_changes_nothing_and_to_resume_twice_either() {
    let folder = Folder::new("twice");
    let switch = folder.switch();
    for reason in ["first", "second"] {
        switch.halt(&Halt { reason: reason.to_owned(), ..Halt::default() }).unwrap();
        assert_eq!(switch.read(NOW).halted.unwrap().reason, "first");
    }
    assert_eq!(switch.resume().unwrap(), Resumed { halt: true, pause: false });
    assert_eq!(switch.resume().unwrap(), Resumed::default());
    assert!(switch.read(NOW).is_off());
}

#[test]
fn a_pause_is_at_most_a_day() {
    for (long, fine) in [(Duration::ZERO, false), (HOUR, true), (24 * HOUR, true), (25 * HOUR, false)] {
        assert_eq!(Pause::new(NOW, long, "r", "ann").is_ok(), fine, "{long:?}");
    }
}

#[test]
fn while_halted_every_gate_refuses_and_nobody_else_is_asked() {
    let stand = Stand { halted: Some(Halt::default()), ..Stand::default() };
    let mut registry =
        Registry::new(Names::default(), std::sync::Arc::new(ManualClock::default()), tollgate_wire::digest);
    registry.add(stand.registration().unwrap()).unwrap();
    let pipeline = registry.snapshot();
    for point in Point::ALL {
        let name = pipeline.name("Bash");
        let event = if point.is_about_a_tool() { Event::tool(*point, &name, "1") } else { Event::at(*point) };
        let outcome = pipeline.run_now(&event, &mut Body::from(json!({})));
        assert_eq!(matches!(outcome.act, Act::Deny(_)), point.is_gate(), "{point}");
    }
    assert!(Stand::default().registration().is_none());
}

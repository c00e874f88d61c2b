//! What is erased, removed, set aside and published, and that the rest can still be proved.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Folder, call, shown};
use serde_json::json;
use tollgate_audit::{
    Anchor, Entry, Head, Keys, Known, Publisher, Reader, erase, follow, publish_newest, retain, set_aside, stamp,
};

fn of_session(session: &str) -> impl Fn(&Entry) -> bool + use<> {
    let session = session.to_owned();
    move |entry| entry.record.session.as_deref() == Some(&session)
}

/// Everything in the folder, as one text.
fn all_text(folder: &Folder) -> String {
    let text = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    folder.files().into_iter().map(text).collect()
}

#[test]
fn an_erased_field_leaves_the_chain_valid() {
    let folder = Folder::new("erase").segments(20_000);
    folder.fill(300);
    let log = folder.log();
    let erased = erase(&log, &of_session("s-1"), &[], "a request of 2026-11-15").unwrap();
    assert_eq!((erased.records, erased.fields), (100, 200));
    let found = folder.verify();
    assert_eq!((shown(&found).as_str(), found.erased, found.unfinished), ("good", 200, 0));
    let text = all_text(&folder);
    // Of s-1 are the calls 1, 4, 7 and so on.
    assert!(text.contains("\"echo 5\"") && !text.contains("\"echo 4\"") && !text.contains("\"echo 298\""));
    let again = erase(&log, &of_session("s-1"), &[], "again").unwrap();
    assert_eq!((again.records, again.noted.len()), (0, 0));
}

#[test]
fn one_field_can_be_erased_and_the_others_stay() {
    let folder = Folder::new("erase-one");
    folder.fill(9);
    let names = ["cwd".to_owned()];
    let erased = erase(&folder.log(), &of_session("s-0"), &names, "wrong folder").unwrap();
    assert_eq!((erased.records, erased.fields), (3, 3));
    assert_eq!(folder.flaw(), "good");
    let entry = Reader::new(&folder.dir()).entry(2).unwrap().unwrap();
    assert_eq!(entry.fields.erased().collect::<Vec<_>>(), ["cwd"]);
    assert_eq!(entry.fields.value("arguments"), Some(json!({"command": "echo 0"})));
}

#[test]
fn an_erasure_that_was_interrupted_is_told_and_can_be_finished() {
    let folder = Folder::new("interrupted");
    folder.fill(6);
    let fields = folder.dir().join("000000000001.fields");
    let before = std::fs::read(&fields).unwrap();
    let log = folder.log();
    erase(&log, &of_session("s-0"), &[], "first").unwrap();
    std::fs::write(&fields, before).unwrap();
    let found = folder.verify();
    assert_eq!((shown(&found).as_str(), found.unfinished), ("good", 4));
    erase(&folder.log(), &of_session("s-0"), &[], "second").unwrap();
    assert_eq!(folder.verify().unfinished, 0);
}

#[test]
fn what_is_left_after_old_records_went_can_be_proved() {
    let folder = Folder::new("retain").segments(20_000);
    folder.fill(500);
    let log = folder.log();
    let now = tollgate_core::Clock::wall(&*folder.clock);
    assert_eq!(retain(&log, &stamp(Duration::ZERO)).unwrap(), None);
    let removed = retain(&log, &stamp(now - Duration::from_secs(200))).unwrap().unwrap();
    assert!(removed.through > 200 && removed.segments > 1, "{removed:?}");
    let found = folder.verify();
    assert_eq!((shown(&found).as_str(), found.range.unwrap().0), ("good", removed.through + 1));
    // The same without a word is found.
    let first = Reader::new(&folder.dir()).segments().unwrap().swap_remove(0);
    std::fs::remove_file(first.log()).unwrap();
    std::fs::remove_file(first.fields()).unwrap();
    assert!(folder.flaw().starts_with("1: records 1 to "), "{}", folder.flaw());
}

#[test]
fn a_removal_that_was_interrupted_is_one_all_the_same() {
    let folder = Folder::new("half-removed").segments(20_000);
    folder.fill(500);
    let before = folder.copy_to("before");
    let now = tollgate_core::Clock::wall(&*folder.clock);
    let segments = Reader::new(&folder.dir()).segments().unwrap();
    let removed = retain(&folder.log(), &stamp(now - Duration::from_secs(200))).unwrap().unwrap();
    // The oldest went first, and the last of them stayed.
    let last = &segments[removed.segments - 1];
    for path in [last.log(), last.fields()] {
        std::fs::copy(before.join(path.file_name().unwrap()), &path).unwrap();
    }
    let found = folder.verify();
    assert_eq!((shown(&found).as_str(), found.range.unwrap().0), ("good", last.first));
}

#[test]
fn records_go_by_themselves_when_they_are_too_old() {
    let mut folder = Folder::new("by-itself").segments(20_000);
    folder.settings.retain = Some(Duration::from_secs(100));
    folder.fill(600);
    let found = folder.verify();
    assert_eq!(shown(&found), "good");
    assert!(found.range.unwrap().0 > 300, "{found:?}");
}

#[test]
fn a_log_that_is_set_aside_is_named_by_the_next() {
    let folder = Folder::new("renew");
    folder.fill(5);
    std::fs::remove_file(folder.key_dir().join("audit.key")).unwrap();
    let refused =
        tollgate_audit::Log::open(&folder.dir(), &folder.key_dir(), folder.settings.clone(), folder.clock.clone());
    assert!(refused.err().unwrap().to_string().contains("tollgate log new"));
    let (old, head) = set_aside(&folder.dir(), "old-1").unwrap();
    let log = folder.log();
    let head = head.unwrap();
    assert_eq!(follow(&log, &head).unwrap(), 2);
    assert!(follow(&log, &head).is_err(), "only once");
    log.append(call(1)).unwrap();
    assert_eq!(folder.flaw(), "good");
    // What was anchored of the old log is no flaw of the new one, which names it.
    let known = Known { anchors: vec![head.clone()], ..folder.known() };
    assert_eq!(shown(&folder.verify_with(&known)), "good");
    let other = Folder::new("other");
    other.fill(3);
    let known = Known { anchors: vec![other.log().head().unwrap().unwrap()], ..folder.known() };
    assert_eq!(
        shown(&folder.verify_with(&known)),
        "1: this is another log than the one that an anchored head speaks of"
    );
    let known = Known { key: Some(head.key), anchors: vec![head] };
    assert_eq!(shown(&tollgate_audit::verify(&old, &known, &mut |_| {}).unwrap()), "good");
}

#[test]
fn a_head_is_published_to_a_file_at_every_checkpoint_and_shows_a_rollback() {
    let folder = Folder::new("anchor");
    let file = folder.root.join("route");
    let log = Arc::new(folder.log());
    let publisher = Publisher::new(Anchor::File(file.clone()), Arc::clone(&log));
    for number in 0..400 {
        publisher.recorded(log.append(call(number)).unwrap());
        if number == 300 {
            folder.copy_to("older");
        }
    }
    drop(publisher);
    let heads = Anchor::heads(&file).unwrap();
    assert_eq!(heads.len(), 2, "one for each checkpoint");
    publish_newest(&Anchor::File(file.clone()), &log).unwrap();
    folder.put_back(&folder.root.join("older"));
    assert_eq!(folder.flaw(), "good", "alone, an older copy cannot be told from the newest");
    let known = Known { anchors: Anchor::heads(&file).unwrap(), ..folder.known() };
    let flaw = shown(&folder.verify_with(&known));
    // Which head was newest when the publisher came by is a matter of time.
    assert!(flaw.starts_with("304: the end is cut off: an anchored head speaks of "), "{flaw}");
}

#[test]
fn a_program_gets_the_head_and_its_failure_is_recorded() {
    let folder = Folder::new("command");
    folder.fill(3);
    let (log, taken) = (folder.log(), folder.root.join("taken"));
    let shell = |script: String| Anchor::Command(vec!["sh".into(), "-c".into(), script]);
    let head = publish_newest(&shell(format!("cat > '{}'", taken.display())), &log).unwrap().unwrap();
    assert_eq!(Head::parse(&std::fs::read(&taken).unwrap()), Some(head));
    let error = publish_newest(&shell("echo no >&2; exit 3".to_owned()), &log).unwrap_err().to_string();
    assert_eq!(error, "`sh` did not take the head: exit status: 3 no");
    let entry = Reader::new(&folder.dir()).entries_back().unwrap().next().unwrap().unwrap();
    assert_eq!((entry.record.kind.as_str(), entry.fields.value("error")), ("anchor", Some(json!(error))));
    // What it left behind holds the pipe, and nobody waits for that.
    let started = std::time::Instant::now();
    let error = publish_newest(&shell("sleep 30 & echo no >&2; exit 3".to_owned()), &log).unwrap_err().to_string();
    assert_eq!(error, "`sh` did not take the head: exit status: 3 no");
    assert!(started.elapsed().as_secs() < 20);
    let missing = Anchor::Command(vec!["no-such-program-here".into()]);
    assert!(publish_newest(&missing, &log).is_err());
    assert_eq!(folder.flaw(), "good");
}

/// Answers one request with a status and gives back what was sent.
#[cfg(feature = "url")]
fn serve(status: &'static str) -> (String, std::thread::JoinHandle<String>) {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/heads", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let start = head.len();
            reader.read_line(&mut head).unwrap();
            let line = head[start..].to_ascii_lowercase();
            length = line.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        write!(reader.get_mut(), "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        String::from_utf8(body).unwrap()
    });
    (url, served)
}

#[cfg(feature = "url")]
#[test]
fn a_server_gets_the_head_and_its_refusal_counts() {
    let folder = Folder::new("url");
    folder.fill(3);
    let log = folder.log();
    let (url, served) = serve("201 Created");
    let head = publish_newest(&Anchor::Url(url), &log).unwrap().unwrap();
    assert_eq!(Head::parse(served.join().unwrap().as_bytes()), Some(head));
    let (url, served) = serve("507 Insufficient Storage");
    let error = publish_newest(&Anchor::Url(url), &log).unwrap_err().to_string();
    served.join().unwrap();
    assert!(error.contains("did not take the head") && error.contains("507"), "{error}");
}

#[test]
fn keys_are_made_once_and_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("keys");
    let first = folder.log().keys().public();
    assert_eq!(folder.log().keys().public(), first);
    let path = folder.key_dir().join("audit.key");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let keys = Keys::read(&folder.key_dir()).unwrap().unwrap();
    assert!(!format!("{keys:?}").contains(std::fs::read_to_string(path).unwrap().trim()));
}

//! Every way a writer can die, and what the next one makes of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::{Folder, call, shown};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tollgate_audit::{Log, Reader, Settings};
use tollgate_testkit::ManualClock;

/// A log with some records, and the files it consists of before and after one more was appended.
struct Append {
    folder: Folder,
    before: PathBuf,
    after: PathBuf,
}

impl Append {
    fn new(name: &str, records: u64, segment: u64) -> Self {
        let folder = Folder::new(name).segments(segment);
        folder.fill(records);
        let before = folder.copy_to("before");
        folder.fill(1);
        let after = folder.copy_to("after");
        Self { folder, before, after }
    }

    /// The file that a writer died in: where it ended before, and where it ended after.
    fn grown(&self, extension: &str) -> (String, u64, u64) {
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let all = fs::read_dir(&self.after).unwrap().map(|entry| entry.unwrap().path());
        let newest = all.filter(|path| path.extension().is_some_and(|one| one == extension)).max().unwrap();
        let name = name(&newest);
        let length = |dir: &Path| fs::metadata(dir.join(&name)).map_or(0, |about| about.len());
        (name.clone(), length(&self.before), length(&self.after))
    }

    /// The files as they were when the writer died: so many bytes of fields, so many of the record, the head old.
    fn died(&self, fields: u64, log: u64) {
        self.folder.put_back(&self.after);
        fs::copy(self.before.join("head"), self.folder.dir().join("head")).unwrap();
        cut(&self.folder.dir().join(self.grown("fields").0), fields);
        cut(&self.folder.dir().join(self.grown("log").0), log);
    }
}

fn cut(path: &Path, length: u64) {
    File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// What the checkpoints of a log say was found.
fn recovered(folder: &Folder) -> Vec<Value> {
    let all = Reader::new(&folder.dir()).entries_from(1).unwrap();
    all.filter_map(|entry| entry.unwrap().record.recovered).collect()
}

/// The calls in a log, each with whether it has its fields.
fn calls(folder: &Folder) -> Vec<(String, bool)> {
    let all = Reader::new(&folder.dir()).entries_from(1).unwrap().map(|entry| entry.unwrap());
    all.filter_map(|entry| Some((entry.record.call?, entry.fields.value("arguments").is_some()))).collect()
}

/// Goes on after a crash: all that was acknowledged is there, all fits, and what was found is said.
fn check_goes_on(append: &Append, acknowledged: usize, found: &[Value]) {
    let folder = &append.folder;
    folder.clock.advance(Duration::from_secs(1));
    folder.log().append(call(77)).unwrap();
    assert_eq!(folder.flaw(), "good");
    let calls = calls(folder);
    assert!(calls.iter().all(|(_, has_fields)| *has_fields), "{calls:?}");
    assert_eq!(calls.len(), acknowledged + 1, "{calls:?}");
    assert_eq!(calls.last().unwrap().0, "c-77");
    assert_eq!(recovered(folder), found);
}

fn check_every_byte(append: &Append, records: u64) {
    let (_, fields_before, fields_after) = append.grown("fields");
    let (_, log_before, log_after) = append.grown("log");
    let acknowledged = usize::try_from(records).unwrap();
    for fields in fields_before..=fields_after {
        append.died(fields, log_before);
        check_goes_on(append, acknowledged, &[]);
    }
    for log in log_before + 1..log_after {
        append.died(fields_after, log);
        let lines = fs::read(append.after.join(append.grown("log").0)).unwrap();
        let whole = lines[..usize::try_from(log).unwrap()].iter().rposition(|byte| *byte == b'\n').unwrap_or(0) as u64;
        let whole = if whole == 0 { 0 } else { whole + 1 };
        let mut found = json!({});
        if whole > log_before {
            // A checkpoint that was written together with the record.
            (found["unsigned_from"], found["unsigned_to"]) = (json!(records + 2), json!(records + 2));
        }
        if log > whole {
            found["cut"] = (log - whole).into();
        }
        check_goes_on(append, acknowledged, &[found]);
    }
}

#[test]
fn a_writer_dies_at_any_byte_of_an_append() {
    let append = Append::new("bytes", 2, 16_000_000);
    check_every_byte(&append, 2);
    append.died(append.grown("fields").2, append.grown("log").2);
    check_goes_on(&append, 3, &[json!({"unsigned_from": 4, "unsigned_to": 4})]);
}

#[test]
fn a_writer_dies_at_any_byte_of_the_first_append_to_a_segment() {
    let append = Append::new("first-bytes", 2, 1000);
    assert_eq!(append.grown("log").1, 0);
    check_every_byte(&append, 2);
    append.died(append.grown("fields").2, append.grown("log").2);
    check_goes_on(&append, 3, &[json!({"unsigned_from": 4, "unsigned_to": 5})]);
}

#[test]
fn a_writer_dies_before_there_ever_was_a_head() {
    let folder = Folder::new("no-head");
    folder.fill(1);
    fs::write(folder.dir().join("head"), "").unwrap();
    folder.fill(1);
    assert_eq!(folder.flaw(), "good");
    assert_eq!(recovered(&folder), [json!({"unsigned_from": 1, "unsigned_to": 2})]);
    assert_eq!(folder.verify().unsigned, [(1, 2)]);
}

#[test]
fn a_head_that_is_gone_or_cannot_be_read_is_never_passed_over() {
    for damage in [None, Some(""), Some("?\n"), Some("{\"count\":3}\n")] {
        let folder = Folder::new("head-gone");
        folder.fill(3);
        let head = folder.dir().join("head");
        damage.map_or_else(|| fs::remove_file(&head), |text| fs::write(&head, text)).unwrap();
        folder.fill(2);
        assert_eq!(recovered(&folder), [json!({"lost_from": 5, "unsigned_from": 1, "unsigned_to": 4})], "{damage:?}");
        let flaw = folder.flaw();
        assert!(flaw.starts_with("5: when record 5 was written, the signed head was gone"), "{damage:?}: {flaw}");
        assert_eq!(calls(&folder).len(), 5);
    }
}

#[test]
fn two_writers_die_one_after_the_other() {
    let append = Append::new("twice", 2, 16_000_000);
    let (name, before, after) = append.grown("log");
    append.died(append.grown("fields").2, after - 5);
    let folder = &append.folder;
    let old = fs::read(folder.dir().join("head")).unwrap();
    folder.fill(1);
    // The second one had written the checkpoint that speaks of the first, and half of its record.
    let path = folder.dir().join(&name);
    cut(&path, fs::metadata(&path).unwrap().len() - 20);
    fs::write(folder.dir().join("head"), old).unwrap();
    folder.clock.advance(Duration::from_secs(1));
    folder.log().append(call(77)).unwrap();
    assert_eq!(folder.flaw(), "good");
    let found = recovered(folder);
    assert_eq!(found[0], json!({"cut": after - 5 - before}));
    assert_eq!((&found[1]["unsigned_from"], &found[1]["unsigned_to"]), (&json!(4), &json!(4)));
    assert_eq!(calls(folder).len(), 3);
}

#[test]
fn an_empty_log_file_with_a_head_is_a_log_that_was_cut_off() {
    let folder = Folder::new("emptied");
    folder.fill(3);
    cut(&folder.dir().join("000000000001.log"), 0);
    assert_eq!(folder.flaw(), "1: the end is cut off: the signed head speaks of 4 records, and 4 are gone");
    folder.fill(1);
    assert_eq!(folder.flaw(), "1: records 1 to 4 had been signed and were gone when record 1 was written");
}

#[test]
fn times_never_go_back() {
    let mut folder = Folder::new("clock");
    folder.clock.advance(Duration::from_secs(1000));
    folder.fill(2);
    folder.clock = Arc::new(ManualClock::default());
    folder.fill(3);
    assert_eq!(folder.flaw(), "good");
    let all = Reader::new(&folder.dir()).entries_from(1).unwrap();
    let times: Vec<String> = all.map(|entry| entry.unwrap().record.time).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times[2..], vec![times[2].clone(); 4]);
}

/// What is said when a log can not be appended to.
fn refused(folder: &Folder, dir: &Path) -> String {
    let settings = Settings { patience: Duration::from_millis(10), ..folder.settings.clone() };
    let log = Log::open(dir, &folder.key_dir(), settings, folder.clock.clone());
    let error = log.and_then(|log| log.append(call(1))).unwrap_err();
    error.to_string().replace(folder.root.to_str().unwrap(), "ROOT")
}

fn check_refused(name: &str, damage: impl FnOnce(&Folder), expected: &Expect) {
    let folder = Folder::new(name);
    folder.fill(2);
    damage(&folder);
    let files =
        |folder: &Folder| -> Vec<Vec<u8>> { folder.files().iter().map(|path| fs::read(path).unwrap()).collect() };
    let before = files(&folder);
    expected.assert_eq(&refused(&folder, &folder.dir()));
    assert_eq!(files(&folder), before, "it is left as it was");
}

fn write_key(folder: &Folder, text: &str) {
    fs::write(folder.key_dir().join("audit.key"), text).unwrap();
}

#[test]
fn without_its_key_nothing_is_appended() {
    check_refused(
        "key-gone",
        |folder| fs::remove_file(folder.key_dir().join("audit.key")).unwrap(),
        &expect![
            "the key of the log in `ROOT/audit` is gone from `ROOT/keys`; put it back, or begin a new log: `tollgate log new`"
        ],
    );
    check_refused(
        "key-other",
        |folder| write_key(folder, &"ab".repeat(32)),
        &expect![
            "the log in `ROOT/audit` was signed with another key; put that key back, or begin a new log: `tollgate log new`"
        ],
    );
    check_refused(
        "key-other-no-head",
        |folder| {
            write_key(folder, &"ab".repeat(32));
            fs::write(folder.dir().join("head"), "").unwrap();
        },
        &expect![
            "the log in `ROOT/audit` was signed with another key; put that key back, or begin a new log: `tollgate log new`"
        ],
    );
    check_refused(
        "key-broken",
        |folder| write_key(folder, "?"),
        &expect!["`ROOT/keys/audit.key` does not hold 64 hexadecimal digits; put it back"],
    );
}

#[test]
fn a_last_record_that_cannot_be_read_is_not_continued() {
    let damaged = |line: &'static str| {
        move |folder: &Folder| folder.rewrite("000000000001.log", |lines| lines.push(line.to_owned()))
    };
    check_refused(
        "last-text",
        damaged("?"),
        &expect![
            "the last record in `ROOT/audit/000000000001.log` cannot be read (expected value at line 1 column 1); run `tollgate log verify`"
        ],
    );
    check_refused(
        "last-large",
        damaged(r#"{"seq":18446744073709551615,"time":""}"#),
        &expect![
            "the last record in `ROOT/audit/000000000001.log` cannot be read (its number cannot be 18446744073709551615); run `tollgate log verify`"
        ],
    );
    check_refused(
        "last-small",
        damaged(r#"{"seq":0,"time":""}"#),
        &expect![
            "the last record in `ROOT/audit/000000000001.log` cannot be read (its number cannot be 0); run `tollgate log verify`"
        ],
    );
}

#[cfg(unix)]
#[test]
fn what_others_may_touch_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: PathBuf, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    check_refused(
        "folder-open",
        |folder| mode(folder.dir(), 0o770),
        &expect!["others may write to `ROOT/audit`; `chmod 700 ROOT/audit`, then `tollgate log verify`"],
    );
    check_refused(
        "key-open",
        |folder| mode(folder.key_dir().join("audit.key"), 0o640),
        &expect!["others may read or write `ROOT/keys/audit.key`; `chmod 600 ROOT/keys/audit.key`"],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = Folder::new("read-only");
    folder.fill(1);
    let said = refused(&folder, Path::new("/proc/tollgate/audit"));
    assert!(said.starts_with("cannot make `/proc/tollgate/audit`: "), "{said}");
    let file = folder.root.join("file");
    fs::write(&file, "").unwrap();
    let said = refused(&folder, &file.join("audit"));
    assert!(said.starts_with("cannot make `ROOT/file/audit`: "), "{said}");
    assert_eq!(shown(&folder.verify()), "good");
}

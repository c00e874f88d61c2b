//! A disk that is full: nothing is recorded by halves, nothing goes on unrecorded, and all is well once there is room.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::{Folder, call};
use serde_json::json;
use tollgate_audit::{AuditError, Draft, Log, Reader, Settings};
use tollgate_core::{Act, Body, Event, Fault, OnFault, Outcome, Point, Registration, Registry, Step, Watch};
use tollgate_testkit::StillClock;

/// What fills a disk of its own: some pages, and few files.
const MOUNT: &str = "mount -t tmpfs -o size=512k,nr_inodes=40 none \"$TOLLGATE_TEST_DISK\" && exec \"$@\"";
/// A file may not become longer than this many kilobytes. It is an error, not a signal.
const LIMIT: &str = "trap '' XFSZ && ulimit -f 80 && exec \"$@\"";
/// How a program is run on a disk that gets full: as root, as anybody, or with files that cannot grow.
const WAYS: [(&str, &[&str]); 3] = [
    ("disk", &["unshare", "--mount", "sh", "-c", MOUNT, "sh"]),
    ("disk", &["unshare", "--mount", "--map-root-user", "sh", "-c", MOUNT, "sh"]),
    ("limit", &["bash", "-c", LIMIT, "bash"]),
];
/// What every refusal says.
const FULL: [(&str, &str); 2] = [
    ("disk", "No space left on device (os error 28); make room, then try again"),
    ("limit", "File too large (os error 27); make room or raise the limit (`ulimit -f`), then try again"),
];

/// Starts this very program again in one of the ways, to run only one test; says whether it could be started so.
fn run(way: &[&str], kind: &str, job: &str, root: &Path) -> bool {
    let disk = root.join("disk");
    fs::create_dir_all(&disk).unwrap();
    let with = |program: &[&Path], args: &[&str]| {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]).args(program).args(args);
        command.env("TOLLGATE_TEST_DISK", &disk).env("TOLLGATE_TEST_KIND", kind).env("TOLLGATE_TEST_JOB", job);
        command
    };
    let tried = with(&[Path::new("true")], &[]).stderr(Stdio::null()).status();
    if !tried.is_ok_and(|status| status.success()) {
        return false;
    }
    let program = std::env::current_exe().unwrap();
    let output = with(&[&program], &["--exact", "worker", "--nocapture", "--test-threads=1"]).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{job} with {way:?}: {said}");
    true
}

/// What must be possible on this machine. A disk of its own can be mounted on Linux only.
const NEEDED: &[&str] = if cfg!(target_os = "linux") { &["disk", "limit"] } else { &["limit"] };

/// In all ways that this machine knows, of which there must be one for each kind of fault.
fn in_every_way(job: &str) {
    let folder = Folder::new(&format!("full-{job}"));
    let done: Vec<&str> =
        WAYS.iter().filter(|(kind, way)| run(way, kind, job, &folder.root)).map(|(kind, _)| *kind).collect();
    for kind in NEEDED {
        assert!(done.contains(kind), "`{kind}` could not be tried here, only {done:?}; allow `unshare --mount` for it");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_no_trace() {
    in_every_way("fill");
}

#[test]
fn without_a_record_a_call_does_not_run() {
    in_every_way("pipeline");
}

/// What runs on the disk. Without a job it is a test that has nothing to do.
#[test]
fn worker() {
    let Ok(job) = std::env::var("TOLLGATE_TEST_JOB") else { return };
    let disk = PathBuf::from(std::env::var("TOLLGATE_TEST_DISK").unwrap());
    let kind = std::env::var("TOLLGATE_TEST_KIND").unwrap();
    let full = FULL.iter().find(|(name, _)| *name == kind).unwrap().1;
    match (job.as_str(), kind.as_str()) {
        ("fill", "disk") => fill_disk(&disk, full),
        ("fill", _) => fill_file(&disk, full),
        ("pipeline", "disk") => refuse_calls(&disk, full, Some(&Ballast(disk.join("ballast")))),
        ("pipeline", _) => refuse_calls(&disk, full, None),
        (job, kind) => panic!("no job {job} with {kind}"),
    }
}

/// A file that takes the room away, and gives it back.
struct Ballast(PathBuf);

impl Ballast {
    /// Leaves this many bytes free, however much is used by others.
    fn leave(&self, room: u64) {
        let mut file = File::options().create(true).append(true).open(&self.0).unwrap();
        while file.write(&[0; 4096]).is_ok_and(|written| written > 0) {}
        file.set_len(file.metadata().unwrap().len().saturating_sub(room)).unwrap();
    }
}

fn on(disk: &Path, name: &str) -> Folder {
    Folder { root: disk.join(name), clock: Arc::default(), settings: Settings::default() }
}

fn open(folder: &Folder) -> Result<Log, AuditError> {
    Log::open(&folder.dir(), &folder.key_dir(), folder.settings.clone(), folder.clock.clone())
}

/// Every file ends with a whole line, and there is nothing wrong with the log.
fn check(folder: &Folder, acknowledged: u64, what: &str) {
    let found = folder.verify();
    assert_eq!(common::shown(&found), "good", "{what}");
    assert_eq!((found.signed, found.unsigned.len()), (found.records, 0), "{what}");
    let records = Reader::new(&folder.dir()).entries_from(1).unwrap().map(|entry| entry.unwrap().record);
    assert_eq!(records.filter(|record| record.kind == "event").count() as u64, acknowledged, "{what}");
    let texts = folder.files().into_iter().filter(|path| path.extension().is_some_and(|it| it != "lock"));
    for path in texts {
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "{what}: {} ends with half a line", path.display());
    }
}

/// Appends until that is refused, and says how many there were and why there are not more.
fn until_refused(folder: &Folder, long: usize) -> (u64, AuditError) {
    let append = |number: u64| {
        let mut draft = call(number);
        draft.field("result", json!("x".repeat(long)))?;
        open(folder)?.append(draft)
    };
    let mut count = 0;
    loop {
        let before = lengths(folder);
        match append(count) {
            Ok(_) => count += 1,
            Err(error) => {
                assert_eq!(lengths(folder), before, "{error}");
                return (count, error);
            }
        }
    }
}

/// How long the files are that have something in them.
fn lengths(folder: &Folder) -> Vec<(PathBuf, u64)> {
    let files = if folder.dir().exists() { folder.files() } else { Vec::new() };
    let lengths = files.into_iter().map(|path| (path.clone(), fs::metadata(path).unwrap().len()));
    lengths.filter(|(_, length)| *length > 0).collect()
}

/// The room ends at every place: before there is a key, in the first record, in fields, in a record, in a new segment.
fn fill_disk(disk: &Path, full: &str) {
    let ballast = Ballast(disk.join("ballast"));
    for (pages, long, segment) in [(0, 10, 1 << 20), (1, 10, 1 << 20), (2, 10, 1 << 20), (3, 10, 1 << 20)]
        .into_iter()
        .chain((3..20).flat_map(|pages| [(pages, 100, 5_000), (pages, 5_000, 1 << 20), (pages, 700, 2_000)]))
    {
        let what = format!("{pages} pages, {long} bytes, segments of {segment}");
        let mut folder = on(disk, "log");
        folder.settings.segment = segment;
        ballast.leave(pages * 4096);
        let (mut count, refusal) = until_refused(&folder, long);
        assert!(refusal.to_string().ends_with(full), "{what}: {refusal}");
        if folder.dir().exists() {
            check(&folder, count, &what);
        }
        // A log that stays open is refused in the same way, and goes on in the same way.
        ballast.leave(100_000);
        let log = open(&folder).unwrap();
        log.append(call(1000)).unwrap();
        ballast.leave(0);
        let mut refused = 0;
        while refused < 3 {
            let before = lengths(&folder);
            match log.append(call(1001)) {
                Ok(_) => count += 1,
                Err(error) => {
                    assert_eq!(lengths(&folder), before, "{what}");
                    assert!(error.to_string().ends_with(full), "{what}: {error}");
                    refused += 1;
                }
            }
        }
        check(&folder, count + 1, &what);
        ballast.leave(100_000);
        log.append(call(1002)).unwrap();
        open(&folder).unwrap().append(call(1003)).unwrap();
        check(&folder, count + 3, &what);
    }
}

/// The log cannot grow, nor can the fields. A new segment is a new file, so that it can go on there.
fn fill_file(disk: &Path, full: &str) {
    for long in [0, 100, 1000, 7000] {
        let mut folder = on(disk, &format!("log-{long}"));
        folder.settings.segment = 1 << 20;
        let (count, refusal) = until_refused(&folder, long);
        assert!(refusal.to_string().ends_with(full), "{long}: {refusal}");
        check(&folder, count, &long.to_string());
        let (none, refusal) = until_refused(&folder, long.max(200));
        assert!(none < 10 && refusal.to_string().ends_with(full), "{long}: {refusal}");
        folder.settings.segment = 4_000;
        open(&folder).unwrap().append(call(1000)).unwrap();
        check(&folder, count + none + 1, &long.to_string());
    }
}

/// Appends what it sees.
struct Records(Log);

impl Watch for Records {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _: &'a Outcome) -> Step<'a, ()> {
        let arguments = body.json().unwrap().clone();
        let mut draft = Draft::new("event");
        draft.member("call", &json!(event.call_id));
        let recorded = draft.field("arguments", arguments).and_then(|()| self.0.append(draft));
        Step::Now(recorded.map(drop).map_err(Fault::crash))
    }
}

fn refuse_calls(disk: &Path, full: &str, ballast: Option<&Ballast>) {
    let room = |bytes: u64| ballast.iter().for_each(|ballast| ballast.leave(bytes));
    room(100_000);
    let folder = on(disk, "log");
    let watch = Registration::watch("record", [Point::ToolBefore], Records(open(&folder).unwrap()));
    let mut registry = Registry::new(tollgate_wire::names(), Arc::new(StillClock), tollgate_wire::digest);
    registry.add(Registration { on_fault: OnFault::Deny, ..watch }).unwrap();
    let pipeline = registry.snapshot();
    let name = pipeline.name("Bash");
    let run = || {
        let mut body = Body::from(json!({ "command": "x".repeat(3000) }));
        pipeline.run_now(&Event::tool(Point::ToolBefore, &name, "c-1"), &mut body).act
    };
    let mut count = 0;
    let refusal = loop {
        match run() {
            Act::Pass => count += 1,
            Act::Deny(ruling) => break ruling,
            other => panic!("{other:?}"),
        }
    };
    assert!(count > 3 && refusal.reason.contains(full), "{count}: {refusal:?}");
    assert!(matches!(run(), Act::Deny(_)), "still");
    check(&folder, count, "refused");
    if ballast.is_some() {
        room(200_000);
        assert!(matches!(run(), Act::Pass), "there is room again");
        check(&folder, count + 1, "gone on");
    }
}

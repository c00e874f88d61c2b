//! The state in files: many processes, killed processes, damaged files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use common::{Folder, START, keep_locked};
use proptest::prelude::*;
use serde_json::json;
use tollgate_core::Digest;
use tollgate_engine::state::{Bucket, Claim, Files, Grant, Memory, Space, State, Take};

const HOUR: Duration = Duration::from_secs(3600);

fn take<'a>(space: Space<'a>, key: &'a str, max: f64) -> Take<'a> {
    Take { space, key, bucket: Bucket { max, every: None }, amount: 1.0 }
}

/// Starts this very program again, to run only `worker`.
fn start(folder: &Folder, job: &str, name: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", "worker", "--nocapture", "--test-threads=1"]).stdout(Stdio::null());
    command.env("TOLLGATE_TEST_JOB", job).env("TOLLGATE_TEST_NAME", name);
    command.env("TOLLGATE_TEST_DIR", folder.path()).spawn().unwrap()
}

/// What the other processes do. Without a job it is a test that has nothing to do.
#[test]
fn worker() {
    let Ok(job) = std::env::var("TOLLGATE_TEST_JOB") else { return };
    let dir = PathBuf::from(std::env::var("TOLLGATE_TEST_DIR").unwrap());
    let state: &dyn State = &Files::new(dir.join("state")).patience(HOUR);
    let name = std::env::var("TOLLGATE_TEST_NAME").unwrap();
    let digest = |write: u8| tollgate_wire::digest(&json!(write));
    let once = |count: u8| match job.as_str() {
        "reserve" => {
            let takes = [take(Space::All, "global", 20.0), take(Space::Session("s"), "own", 1e9)];
            state.reserve(START, "s", &format!("{name}-{count}"), &takes).unwrap().is_ok()
        }
        "claim" => {
            let claim = Claim { session: "s", digest: digest(count), call: &name };
            state.claim(START, claim, false, HOUR).unwrap() == tollgate_engine::state::Claimed::Mine
        }
        "redeem" => state.redeem(START, digest(count)).unwrap().is_some(),
        "write for ever" => loop {
            let count = state.look(&[Space::All]).unwrap()[0].keys("held").len();
            state.reserve(START, "s", &format!("{name}-{count}"), &[take(Space::All, "global", 1e9)]).unwrap().unwrap();
            state.record("s", &"long ".repeat(200), 30, digest(0), digest(0)).unwrap();
        },
        other => panic!("no job {other}"),
    };
    // All at once, or they would only queue.
    fs::write(dir.join(format!("ready-{name}")), "").unwrap();
    while job != "write for ever" && !dir.join("pass").exists() {
        std::thread::yield_now();
    }
    let granted = (0..10).filter(|count| once(*count)).count();
    std::process::exit(100 + i32::try_from(granted).unwrap());
}

#[test]
fn many_processes_share_one_limit() {
    for (job, expected) in [("reserve", 20), ("claim", 10), ("redeem", 10)] {
        let folder = Folder::new();
        fs::create_dir(folder.path()).unwrap();
        let state: &dyn State = &Files::new(folder.path().join("state"));
        for write in 0..10 {
            let digest = tollgate_wire::digest(&json!(write));
            state.grant(&Grant { digest, by: "ann".to_owned(), at: START, until: START + HOUR }).unwrap();
        }
        let children: Vec<Child> = (0..50).map(|index| start(&folder, job, &index.to_string())).collect();
        // The folder of the state is there, too.
        while fs::read_dir(folder.path()).unwrap().count() < 51 {
            std::thread::yield_now();
        }
        fs::write(folder.path().join("pass"), "").unwrap();
        let codes: Vec<_> = children.into_iter().map(|mut child| child.wait().unwrap().code().unwrap()).collect();
        assert!(codes.iter().all(|code| (100..=110).contains(code)), "{job}: {codes:?}");
        assert_eq!(codes.iter().map(|code| code - 100).sum::<i32>(), expected, "{job}: {codes:?}");
    }
}

#[test]
fn many_threads_share_one_limit() {
    let folder = Folder::new();
    let files = Files::new(folder.path());
    let granted: usize = std::thread::scope(|scope| {
        let run = |index: usize| {
            let state: &dyn State = &files;
            (0..10)
                .filter(|call| {
                    let name = format!("{index}-{call}");
                    state.reserve(START, "s", &name, &[take(Space::All, "k", 20.0)]).unwrap().is_ok()
                })
                .count()
        };
        let threads: Vec<_> = (0..8).map(|index| scope.spawn(move || run(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(granted, 20);
}

#[test]
fn a_killed_process_loses_nothing_that_was_kept() {
    let folder = Folder::new();
    fs::create_dir(folder.path()).unwrap();
    let state: &dyn State = &Files::new(folder.path().join("state"));
    let bucket = Bucket { max: 1e9, every: None };
    let spent = || 1e9 - state.left(START, Space::All, "global", bucket).unwrap();
    let mut last = 0.0;
    for round in 0..12_u64 {
        let mut children: Vec<Child> =
            (0..3).map(|index| start(&folder, "write for ever", &format!("{round}-{index}"))).collect();
        // Until they have begun; then at some moment that is never the same.
        let begun = last;
        while spent() < begun + 20.0 {
            std::thread::yield_now();
        }
        for _ in 0..round * 1000 {
            std::hint::black_box(round);
        }
        let (first, others) = children.split_first_mut().unwrap();
        first.kill().unwrap();
        first.wait().unwrap();
        let before = spent();
        // The others go on: no lock is left behind.
        while spent() < before + 5.0 {
            std::thread::yield_now();
        }
        others.iter_mut().for_each(|child| child.kill().unwrap());
        for child in others {
            child.wait().unwrap();
        }
        let now = spent();
        assert!(now >= before + 5.0, "round {round}: {before} were spent, and now {now}");
        // Whatever the killed ones left at the end, the next write goes on from there.
        state.reserve(START, "s", "mine", &[take(Space::All, "global", 1e9)]).unwrap().unwrap();
        assert_eq!(spent(), now + 1.0, "round {round}");
        last = spent();
    }
    let size = fs::metadata(folder.path().join("state/all.log")).unwrap().len();
    assert!(size < 200_000, "the log is written anew now and then, and has {size} bytes");
}

#[test]
fn half_a_line_at_the_end_is_cut_off() {
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path());
    let log = folder.path().join("all.log");
    state.pin("a", Digest([1; 32])).unwrap();
    let whole = fs::read(&log).unwrap();
    state.pin("b", Digest([2; 32])).unwrap();
    let longer = fs::read(&log).unwrap();
    for cut in whole.len()..longer.len() {
        fs::write(&log, &longer[..cut]).unwrap();
        let keys = || state.look(&[Space::All]).unwrap()[0].keys("pin/");
        assert_eq!(keys(), ["pin/a"], "cut at {cut}");
        state.pin("c", Digest([3; 32])).unwrap();
        assert_eq!(keys(), ["pin/a", "pin/c"], "cut at {cut}");
    }
}

#[test]
fn damage_is_an_error_that_says_what_to_do() {
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path());
    state.pin("a", Digest([1; 32])).unwrap();
    state.pin("b", Digest([2; 32])).unwrap();
    let log = folder.path().join("all.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[40] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let path = log.display();
    // Whoever has read it before knows what it said.
    assert_eq!(state.look(&[Space::All]).unwrap()[0].keys("pin/").len(), 2);
    let state: &dyn State = &Files::new(folder.path());
    let expected = format!("`{path}` is damaged at byte 34; limits start anew if you remove it: `rm {path}`");
    assert_eq!(state.pin("c", Digest([3; 32])).unwrap_err().to_string(), expected);
    assert_eq!(fs::read(&log).unwrap(), bytes, "nothing was written");
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path().join("deep/state"));
    state.pin("a", Digest([1; 32])).unwrap();
    let session = "../../etc/passwd";
    state.reserve(START, session, "c", &[take(Space::Session(session), "k", 1.0)]).unwrap().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = folder.path().join("deep/state");
    assert_eq!((mode(&dir), mode(&dir.join("locks"))), (0o700, 0o700));
    let mut names = Vec::new();
    for entry in fs::read_dir(&dir).unwrap() {
        let entry = entry.unwrap();
        names.push(entry.file_name().into_string().unwrap());
        if entry.metadata().unwrap().is_file() {
            assert_eq!(mode(&entry.path()), 0o600, "{names:?}");
        }
    }
    assert_eq!(names.len(), 3, "{names:?}");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
    let error = state.pin("b", Digest([1; 32])).unwrap_err().to_string();
    let path = dir.display();
    assert_eq!(error, format!("others may write to `{path}`; `chmod 700 {path}` and look through it"));
}

#[test]
fn looking_makes_no_files() {
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path());
    assert_eq!(state.left(START, Space::All, "k", Bucket { max: 3.0, every: None }).unwrap(), 3.0);
    assert!(!folder.path().exists());
}

#[test]
fn a_lock_that_is_never_released_is_an_error() {
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path()).patience(Duration::from_millis(20));
    state.pin("a", Digest([1; 32])).unwrap();
    let held = fs::File::options().write(true).open(folder.path().join("locks/all")).unwrap();
    held.lock().unwrap();
    let error = state.pin("b", Digest([1; 32])).unwrap_err().to_string();
    assert!(error.starts_with("another process keeps the state locked for 20ms; `fuser "), "{error}");
    drop(held);
    state.pin("b", Digest([1; 32])).unwrap();
}

fn logs(folder: &Folder) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).collect()
}

/// As if nobody had used these ledgers for two days.
fn age(folder: &Folder) {
    for log in logs(folder) {
        let file = fs::File::options().write(true).open(log).unwrap();
        file.set_modified(SystemTime::now() - 48 * HOUR).unwrap();
    }
}

#[test]
fn no_open_session_loses_its_budget_and_what_counts_for_nothing_goes() {
    const OPEN: usize = 5000;
    const IDLE: usize = 200;
    let folder = Folder::new();
    // One that keeps many of them in memory, and one that knows of none.
    let (files, other) = (Files::new(folder.path()), Files::new(folder.path()));
    let name = |index: usize| format!("session-{index}");
    let reserve = |session: &str, every| {
        let bucket = Bucket { max: 1.0, every };
        let take = Take { space: Space::Session(session), key: "k", bucket, amount: 1.0 };
        (&files as &dyn State).reserve(START, session, "c", &[take]).unwrap().is_ok()
    };
    // Those that count for nothing come between the others: all that they took has come back, or they have ended.
    let is_idle = |index: usize| index.is_multiple_of(26);
    for index in 0..OPEN + IDLE {
        let refills = is_idle(index) && index.is_multiple_of(52);
        assert!(reserve(&name(index), refills.then_some(HOUR)));
        if is_idle(index) && !refills {
            (&files as &dyn State).end(START, &name(index)).unwrap();
        }
    }
    assert_eq!(files.prune().unwrap(), 0, "nobody is quiet");
    age(&folder);
    assert_eq!((other.prune().unwrap(), logs(&folder).len()), (IDLE, OPEN));
    for index in 0..OPEN + IDLE {
        assert_eq!(reserve(&name(index), None), is_idle(index), "session {index}");
    }
}

#[test]
fn a_ledger_that_somebody_uses_or_that_cannot_be_read_stays() {
    let folder = Folder::new();
    let state = Files::new(folder.path());
    (&state as &dyn State).record("s", "loop", 9, Digest([1; 32]), Digest([2; 32])).unwrap();
    let log = logs(&folder).remove(0);
    age(&folder);
    keep_locked(&folder, Space::Session("s"), || assert_eq!(state.prune().unwrap(), 0));
    let whole = fs::read(&log).unwrap();
    fs::write(&log, "something else").unwrap();
    age(&folder);
    assert_eq!(state.prune().unwrap(), 0, "it cannot be told whether it counts");
    fs::write(&log, whole).unwrap();
    age(&folder);
    assert_eq!(state.prune().unwrap(), 1);
}

#[test]
fn now_and_then_a_new_session_looks_for_old_ones() {
    let folder = Folder::new();
    let state: &dyn State = &Files::new(folder.path());
    let visit = |session: String| assert!(state.record(&session, "loop", 9, Digest([1; 32]), Digest([2; 32])).is_ok());
    (0..10).for_each(|index| visit(format!("old-{index}")));
    age(&folder);
    // About one in 64 does.
    (0..500).for_each(|index| visit(format!("new-{index}")));
    assert_eq!(logs(&folder).len(), 500);
}

#[test]
fn looking_copies_nothing_and_sees_what_others_wrote() {
    let folder = Folder::new();
    let (one, two) = (Files::new(folder.path()), Files::new(folder.path()));
    let look = |state: &Files| state.look(&[Space::All]).unwrap().remove(0);
    (&one as &dyn State).pin("a", Digest([1; 32])).unwrap();
    assert!(Arc::ptr_eq(&look(&one), &look(&one)) && Arc::ptr_eq(&look(&two), &look(&two)));
    let before = look(&two);
    (&one as &dyn State).pin("b", Digest([2; 32])).unwrap();
    assert_eq!((look(&two).keys("pin/").len(), before.keys("pin/").len()), (2, 1));
    assert!(Arc::ptr_eq(&look(&two), &look(&two)));
    // Whoever begins anew is noticed, too.
    fs::remove_file(folder.path().join("all.log")).unwrap();
    assert!(look(&two).keys("").is_empty());
    (&one as &dyn State).pin("c", Digest([3; 32])).unwrap();
    assert_eq!((look(&one).keys(""), look(&two).keys("")), (vec!["pin/c".to_owned()], vec!["pin/c".to_owned()]));
}

#[test]
fn a_lock_that_is_held_stalls_nobody_who_does_not_need_it() {
    let spaces = [Space::All, Space::Group("ann"), Space::Group("ben"), Space::Session("one"), Space::Session("two")];
    for held in spaces {
        let folder = Folder::new();
        keep_locked(&folder, held, || {
            let state: &dyn State = &Files::new(folder.path()).patience(Duration::from_millis(100));
            for space in spaces.into_iter().chain([Space::Group("one"), Space::Session("ann")]) {
                let done = state.lend(&[space], &mut |_| Ok(()));
                assert_eq!(done.is_ok(), space != held, "{space:?}, while {held:?} is kept: {done:?}");
            }
        });
    }
}

#[test]
fn who_waits_for_one_lock_holds_no_other() {
    let folder = Folder::new();
    keep_locked(&folder, Space::Session("stuck"), || {
        std::thread::scope(|scope| {
            // Calls of the stuck session also need what others need.
            let waits = |shared| {
                let state = Files::new(folder.path()).patience(Duration::from_millis(400));
                state.lend(&[shared, Space::Session("stuck")], &mut |_| Ok(())).is_err()
            };
            let shared = [Space::All, Space::Group("ann")];
            let waiting: Vec<_> = shared.map(|shared| scope.spawn(move || waits(shared))).into();
            let state = Files::new(folder.path()).patience(Duration::from_millis(100));
            while waiting.iter().any(|thread| !thread.is_finished()) {
                for shared in shared {
                    state.lend(&[shared, Space::Session("free")], &mut |_| Ok(())).unwrap();
                }
            }
            assert!(waiting.into_iter().all(|thread| thread.join().unwrap()), "they could not go on");
        });
    });
}

/// Something that can be done to a state, with a text of what came of it.
#[derive(Clone, Debug)]
enum Deed {
    Reserve(u8, u8, Vec<(bool, u8)>, u16),
    Refund(u8, u8),
    RefundAll(u8, u8),
    Spend(u8, u8),
    Claim(u8, u8, u8, u16),
    Finish(u8, u8, u8, u16),
    Release(u8, u8, u8),
    Record(u8, u8, u8, bool),
    Grant(u8, u16),
    Redeem(u8, u16),
    Pin(u8, u8),
    Unpin(u8),
    Reopen,
    Tear(u8),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let small = || 0..3_u8;
    let time = || 0..5000_u16;
    let takes = || prop::collection::vec((any::<bool>(), 0..2_u8), 0..3);
    prop::collection::vec(
        prop_oneof![
            (small(), small(), takes(), time()).prop_map(|(s, c, takes, t)| Deed::Reserve(s, c, takes, t)),
            (small(), small()).prop_map(|(s, c)| Deed::Refund(s, c)),
            (small(), small()).prop_map(|(s, c)| Deed::RefundAll(s, c)),
            (small(), small()).prop_map(|(s, c)| Deed::Spend(s, c)),
            (small(), small(), small(), time()).prop_map(|(s, d, c, t)| Deed::Claim(s, d, c, t)),
            (small(), small(), small(), time()).prop_map(|(s, d, c, t)| Deed::Finish(s, d, c, t)),
            (small(), small(), small()).prop_map(|(s, d, c)| Deed::Release(s, d, c)),
            (small(), small(), small(), any::<bool>()).prop_map(|(s, d, r, long)| Deed::Record(s, d, r, long)),
            (small(), time()).prop_map(|(d, t)| Deed::Grant(d, t)),
            (small(), time()).prop_map(|(d, t)| Deed::Redeem(d, t)),
            (small(), small()).prop_map(|(k, d)| Deed::Pin(k, d)),
            small().prop_map(Deed::Unpin),
            Just(Deed::Reopen),
            any::<u8>().prop_map(Deed::Tear),
        ],
        1..60,
    )
}

fn carry_out(state: &dyn State, deed: &Deed) -> String {
    let at = |seconds: &u16| START + Duration::from_secs((*seconds).into());
    let digest = |byte: &u8| Digest([*byte; 32]);
    let minute = Duration::from_secs(60);
    match deed {
        Deed::Reserve(session, call, takes, time) => {
            let (session, call) = (session.to_string(), call.to_string());
            let takes: Vec<Take<'_>> = takes
                .iter()
                .map(|(all, key)| {
                    let shared = if *key == 0 { Space::All } else { Space::Group("ann") };
                    let space = if *all { shared } else { Space::Session(&session) };
                    let bucket = Bucket { max: 3.0, every: (*key == 0).then_some(HOUR) };
                    Take { space, key: ["k0", "k1"][usize::from(*key)], bucket, amount: 1.0 }
                })
                .collect();
            format!("{:?}", state.reserve(at(time), &session, &call, &takes))
        }
        Deed::Refund(session, call) => format!("{:?}", state.refund(&session.to_string(), &call.to_string())),
        Deed::RefundAll(session, call) => format!("{:?}", state.refund_all(&session.to_string(), &call.to_string())),
        Deed::Spend(session, call) => format!("{:?}", state.spend(&session.to_string(), &call.to_string())),
        Deed::Claim(session, d, call, time) => {
            let claim = Claim { session: &session.to_string(), digest: digest(d), call: &call.to_string() };
            format!("{:?}", state.claim(at(time), claim, time % 2 == 0, minute))
        }
        Deed::Finish(session, d, call, time) => {
            let claim = Claim { session: &session.to_string(), digest: digest(d), call: &call.to_string() };
            format!("{:?}", state.finish(at(time), claim, minute, Some(json!({"at": time}))))
        }
        Deed::Release(session, d, call) => {
            let claim = Claim { session: &session.to_string(), digest: digest(d), call: &call.to_string() };
            format!("{:?}", state.release(claim))
        }
        Deed::Record(session, call, result, long) => {
            // A long one is more than a log may grow by: it is written anew.
            let (session, name) = if *long { (&0, "loop ".repeat(3500)) } else { (session, "loop".to_owned()) };
            format!("{:?}", state.record(&session.to_string(), &name, 10, digest(call), digest(result)))
        }
        Deed::Grant(d, time) => {
            let grant = Grant { digest: digest(d), by: "ann".to_owned(), at: at(time), until: at(time) + minute };
            format!("{:?}", state.grant(&grant))
        }
        Deed::Redeem(d, time) => format!("{:?}", state.redeem(at(time), digest(d))),
        Deed::Pin(key, d) => format!("{:?}", state.pin(&key.to_string(), digest(d))),
        Deed::Unpin(key) => format!("{:?}", state.unpin(&key.to_string())),
        Deed::Reopen | Deed::Tear(_) => String::new(),
    }
}

/// Half a line, as a killed process leaves it, at the end of a log.
fn tear(folder: &Folder, byte: u8) {
    let log = folder.path().join("all.log");
    if let Ok(mut log) = fs::OpenOptions::new().append(true).open(log) {
        std::io::Write::write_all(&mut log, &[byte; 7]).unwrap();
    }
}

proptest! {
    /// Two that know what they have read, and one that is opened anew each time, on one folder.
    #[test]
    fn files_remember_what_memory_remembers(deeds in deeds(), who in prop::collection::vec(0..3_usize, 60)) {
        let (folder, memory) = (Folder::new(), Memory::default());
        let mut files = [(); 3].map(|()| Files::new(folder.path()));
        let spaces = [Space::All, Space::Group("ann"), Space::Session("0"), Space::Session("1"), Space::Session("2")];
        for (deed, who) in deeds.iter().zip(who) {
            match deed {
                Deed::Reopen => files[who] = Files::new(folder.path()),
                Deed::Tear(byte) => tear(&folder, *byte),
                _ => {}
            }
            files[2] = Files::new(folder.path());
            prop_assert_eq!(carry_out(&files[who], deed), carry_out(&memory, deed), "{:?}", deed);
            // Not always: who does not look for long has the more to notice.
            if let Deed::Pin(..) = deed {
                let other = &files[(who + 1) % 3];
                prop_assert_eq!(other.look(&spaces).unwrap(), memory.look(&spaces).unwrap(), "{:?}", deed);
            }
        }
        for files in &files {
            prop_assert_eq!(files.look(&spaces).unwrap(), memory.look(&spaces).unwrap());
        }
    }
}

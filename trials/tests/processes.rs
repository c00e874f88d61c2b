//! Fifty real processes append at once, and some are killed while they do: whatever was acknowledged is there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

#[path = "../../crates/audit/tests/common/mod.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::task::Waker;
use std::time::{Duration, SystemTime};

use common::Folder;
use serde_json::{Value, json};
use tollgate_audit::{Draft, Log, Reader, Settings};
use tollgate_core::Clock;

const PROCESSES: usize = 50;
/// Of these, some keep the log open and write from several threads.
const DAEMONS: usize = 10;
const THREADS: usize = 4;
/// How many are written together by the first thread of a daemon.
const TOGETHER: usize = 5;
const RECORDS: usize = 20_000;
const EACH: usize = RECORDS / PROCESSES;
/// At least a tenth of the processes dies; each death is tried for, and one that ended before does not count.
const DEATHS: usize = PROCESSES / 10;
const ATTEMPTS: usize = 4 * DEATHS;
/// Small enough that a new segment begins every now and then, under everybody's hands.
const SEGMENT: u64 = 300_000;

/// What a process said: its record of this number has this place in the log.
struct Ack {
    process: String,
    number: usize,
    seq: u64,
}

/// What all who start and end processes share.
struct Round {
    root: PathBuf,
    acks: Mutex<Vec<Ack>>,
    living: Vec<Mutex<Option<Child>>>,
    killed: Mutex<Vec<String>>,
    working: AtomicUsize,
    all_ready: Barrier,
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Duration {
        self.wall()
    }

    fn wall(&self) -> Duration {
        SystemTime::UNIX_EPOCH.elapsed().unwrap()
    }

    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

fn open(root: &Path) -> Log {
    // Nobody may be refused because the machine is busy.
    let settings = Settings { segment: SEGMENT, patience: Duration::from_secs(600), ..Settings::default() };
    Log::open(&root.join("audit"), &root.join("keys"), settings, Arc::new(Now)).unwrap()
}

/// Every second record ends the call that the one before it began.
fn draft(process: &str, number: usize) -> Draft {
    let call = format!("c-{}", number / 2);
    let mut draft = Draft::new("event");
    draft.member("call", &json!(call));
    draft.member("session", &json!(process));
    draft.member("native", &json!(number.to_string()));
    draft.field("arguments", arguments(process, number)).unwrap();
    if number.is_multiple_of(2) {
        draft.member("point", &json!("tool.before"));
        draft.begins(Some(process), &call);
    } else {
        draft.member("point", &json!("tool.after"));
        draft.ends(Some(process), &call);
    }
    draft
}

/// Now and then one is long.
fn arguments(process: &str, number: usize) -> Value {
    let long = if number % 97 == 13 { 9_000 } else { number % 50 };
    json!({ "command": format!("echo {process} {number}"), "text": "long ".repeat(long) })
}

#[test]
fn who_keeps_the_log_open_sees_that_others_went_on_in_a_new_file() {
    for (ours, theirs) in [(3_000, 3_000), (1 << 20, 3_000), (3_000, 1 << 20)] {
        let folder = Folder::new("next");
        let open = |segment| {
            let settings = Settings { segment, ..Settings::default() };
            Log::open(&folder.dir(), &folder.key_dir(), settings, folder.clock.clone()).unwrap()
        };
        let (mine, other) = (open(ours), open(theirs));
        for number in 0..200 {
            let log = if number / 7 % 2 == 0 { &mine } else { &other };
            log.append(draft("both", number)).unwrap();
        }
        assert_eq!(folder.flaw(), "good", "{ours} and {theirs}");
        assert!(folder.files().len() > 10, "{ours} and {theirs}");
    }
}

/// Starts this very program again, to run only `worker`.
fn start(root: &Path, process: &str, count: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "worker", "--nocapture", "--test-threads=1"]);
    command.env("TOLLGATE_TEST_DIR", root).env("TOLLGATE_TEST_NAME", process);
    command.env("TOLLGATE_TEST_COUNT", count.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// What the other processes do. Without a name it is a test that has nothing to do.
#[test]
fn worker() {
    let Ok(process) = std::env::var("TOLLGATE_TEST_NAME") else { return };
    let root = PathBuf::from(std::env::var("TOLLGATE_TEST_DIR").unwrap());
    let count: usize = std::env::var("TOLLGATE_TEST_COUNT").unwrap().parse().unwrap();
    say("\nready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    if process.starts_with("daemon") {
        let log = open(&root);
        std::thread::scope(|scope| {
            let (log, process) = (&log, &process);
            (0..THREADS).for_each(|thread| drop(scope.spawn(move || serve(log, process, thread, count))));
        });
    } else {
        // As a hook does: a new log for each record.
        (0..count).for_each(|number| acknowledge(number, open(&root).append(draft(&process, number)).unwrap()));
    }
    std::process::exit(0);
}

/// A thread's share. Pairs stay together, or the end of a call could come before its beginning.
fn serve(log: &Log, process: &str, thread: usize, count: usize) {
    let numbers: Vec<usize> = (0..count).filter(|number| number / 2 % THREADS == thread).collect();
    for numbers in numbers.chunks(if thread == 0 { TOGETHER } else { 1 }) {
        let drafts: Vec<Draft> = numbers.iter().map(|number| draft(process, *number)).collect();
        let seqs = match &drafts[..] {
            [one] => vec![log.append(one.clone()).unwrap()],
            drafts => log.append_all(drafts).unwrap(),
        };
        numbers.iter().zip(seqs).for_each(|(number, seq)| acknowledge(*number, seq));
    }
}

fn acknowledge(number: usize, seq: u64) {
    say(&format!("ack {number} {seq}"));
}

/// In one piece: a process that is killed has said a line or not.
fn say(line: &str) {
    std::io::stdout().lock().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Sees to it that a place's share of the records is written, whoever dies.
fn keep_working(round: &Round, place: usize) {
    let kind = if place < DAEMONS { "daemon" } else { "hook" };
    let mut left = EACH;
    for life in 0.. {
        let process = format!("{kind}-{place}-{life}");
        let mut child = start(&round.root, &process, left);
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        *round.living[place].lock().unwrap() = Some(child);
        for line in BufReader::new(output).lines() {
            let line = line.unwrap();
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["ready"] => {
                    if life == 0 {
                        round.all_ready.wait();
                    }
                    // Who was killed while it waited needs no word.
                    let _ = input.write_all(b"pass\n");
                }
                ["ack", number, seq] => {
                    let (number, seq) = (number.parse().unwrap(), seq.parse().unwrap());
                    round.acks.lock().unwrap().push(Ack { process: process.clone(), number, seq });
                    left -= 1;
                }
                _ => {}
            }
        }
        let ended = round.living[place].lock().unwrap().take().unwrap().wait().unwrap();
        match ended.signal() {
            Some(9) => round.killed.lock().unwrap().push(process),
            _ => assert!(ended.success(), "{process}: {ended}"),
        }
        if left == 0 {
            break;
        }
    }
    round.working.fetch_sub(1, Ordering::SeqCst);
}

/// Kills somebody whenever the log has grown by some random number of records.
fn kill_some(round: &Round, mut random: impl FnMut(usize) -> usize) {
    let mut moments: Vec<usize> = (0..ATTEMPTS).map(|_| random(RECORDS * 9 / 10)).collect();
    moments.sort_unstable();
    for moment in moments {
        while round.acks.lock().unwrap().len() < moment && round.working.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Not always just after an acknowledgement.
        std::thread::sleep(Duration::from_micros(random(3000) as u64));
        if let Some(child) = round.living[random(PROCESSES)].lock().unwrap().as_mut() {
            child.kill().unwrap();
        }
    }
}

#[test]
fn whatever_was_acknowledged_is_there_whoever_was_killed() {
    let seed = std::env::var("TOLLGATE_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| u64::from(Now.wall().subsec_nanos()) | 1);
    let mut state = seed;
    let random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let folder = Folder::new("processes");
    std::fs::create_dir_all(&folder.root).unwrap();
    let round = Round {
        root: folder.root.clone(),
        acks: Mutex::default(),
        living: (0..PROCESSES).map(|_| Mutex::default()).collect(),
        killed: Mutex::default(),
        working: AtomicUsize::new(PROCESSES),
        all_ready: Barrier::new(PROCESSES),
    };
    std::thread::scope(|scope| {
        for place in 0..PROCESSES {
            let round = &round;
            scope.spawn(move || keep_working(round, place));
        }
        kill_some(&round, random);
    });
    let killed = round.killed.into_inner().unwrap();
    assert!(killed.len() >= DEATHS, "only {killed:?} died, seed {seed}");
    check(&folder, &round.acks.into_inner().unwrap(), &killed, seed);
}

fn check(folder: &Folder, acks: &[Ack], killed: &[String], seed: u64) {
    let found = folder.verify();
    assert_eq!(found.flaw, None, "seed {seed}");
    assert_eq!((found.range, found.signed), (Some((1, found.records)), found.records), "seed {seed}");
    assert_eq!(acks.len(), RECORDS, "seed {seed}");
    let by_seq: BTreeMap<u64, &Ack> = acks.iter().map(|ack| (ack.seq, ack)).collect();
    assert_eq!(by_seq.len(), acks.len(), "a number was acknowledged twice, seed {seed}");
    let places: BTreeMap<(&str, usize), u64> =
        acks.iter().map(|ack| ((ack.process.as_str(), ack.number), ack.seq)).collect();
    let (mut seen, mut unheard) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    let (mut next, mut named) = (1, 0);
    for entry in Reader::new(&folder.dir()).entries_from(1).unwrap() {
        let entry = entry.unwrap();
        let (seq, record) = (entry.record.seq, &entry.record);
        assert_eq!(seq, next, "seed {seed}");
        next += 1;
        if record.kind == "checkpoint" {
            assert!(!by_seq.contains_key(&seq), "a checkpoint was acknowledged: {seq}, seed {seed}");
            continue;
        }
        let (process, number) = (record.session.clone().unwrap(), record.native.as_ref().unwrap().parse().unwrap());
        assert_eq!(entry.fields.value("arguments"), Some(arguments(&process, number)), "record {seq}, seed {seed}");
        match by_seq.get(&seq) {
            Some(ack) => assert_eq!((&ack.process, ack.number), (&process, number), "record {seq}, seed {seed}"),
            None => *unheard.entry(process.clone()).or_default() += 1,
        }
        if let Some(intent) = record.intent {
            let began = places.get(&(process.as_str(), number - 1));
            assert!(began.is_none_or(|began| *began == intent), "record {seq} names {intent}, seed {seed}");
            named += 1;
        }
        assert!(seen.insert((process, number)), "record {seq} is there twice, seed {seed}");
    }
    assert_eq!(next, found.records + 1, "seed {seed}");
    assert!(by_seq.keys().all(|seq| *seq < next), "what was acknowledged is gone, seed {seed}");
    assert!(named > 0, "no end of a call names its beginning, seed {seed}");
    // What was written and not acknowledged is what the killed were about to say.
    for (process, count) in unheard {
        assert!(killed.contains(&process) && count < THREADS + TOGETHER, "{process}: {count}, seed {seed}");
    }
}

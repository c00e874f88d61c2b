//! The index finds and counts what reading the whole log would, whatever became of either.

#![cfg(feature = "index")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use common::Folder;
use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Value, json};
use tollgate_audit::{Counts, Draft, Index, Interceptor, Query, Reader, Record, Stats, moment, stamp};

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn maybe<'a>(&mut self, all: &[&'a str]) -> Option<&'a str> {
        (self.below(3) > 0).then(|| self.one_of(all))
    }
}

const SESSIONS: &[&str] = &["s-1", "s-2", "s-3", "S-1", ""];
const AGENTS: &[&str] = &["claude", "codex"];
const TOOLS: &[&str] = &["Bash", "bash", "BASH", "Read", "mcp__x__y", "Ünit"];
const ACTS: &[&str] = &["pass", "pass", "pass", "route", "ask", "answer", "deny"];
const POINTS: &[&str] = &["tool.before", "tool.before", "tool.after", "user.prompt"];
const RULES: &[&str] = &["core/rm", "own/no-push"];
const SAID: &[&str] = &["passed", "passed", "denied", "asked", "routed", "answered", "faulted", "skipped"];

fn record(dice: &mut Dice) -> Draft {
    let mut draft = Draft::new(if dice.below(10) == 0 { "approval" } else { "event" });
    let [session, agent, tool, became] = [SESSIONS, AGENTS, TOOLS, TOOLS].map(|all| dice.maybe(all));
    let [act, point, rule] = [ACTS, POINTS, RULES].map(|all| dice.maybe(all));
    let call = (dice.below(4) > 0).then(|| format!("c-{}", dice.below(50)));
    let facts = [("session", session), ("agent", agent), ("tool", tool), ("became", became), ("act", act)];
    let more = [("point", point), ("rule", rule), ("call", call.as_deref())];
    for (name, value) in facts.into_iter().chain(more) {
        if let Some(value) = value {
            draft.member(name, &json!(value));
        }
    }
    if let (Some(call), Some(point)) = (&call, point) {
        match dice.below(2) {
            0 => {}
            _ if point == "tool.before" => draft.begins(session, call),
            _ => draft.ends(session, call),
        }
    }
    if dice.below(4) == 0 {
        draft.member("approved", &json!(dice.below(2) == 0));
        draft.member("observed", &json!([{ "rule": dice.one_of(RULES), "decision": "deny" }]));
    }
    for name in ["routed", "permission"] {
        if dice.below(8) == 0 {
            draft.member(name, &json!(true));
        }
    }
    let turns: Vec<Value> = (0..dice.below(4))
        .map(|who| json!({ "who": format!("i-{who}"), "role": "guard", "said": dice.one_of(SAID), "took_us": dice.below(90) }))
        .collect();
    draft.member("turns", &json!(turns));
    draft
}

/// Appends some, of which several have the same moment.
fn append(folder: &Folder, dice: &mut Dice, count: u64) {
    let log = folder.log();
    let mut left = count;
    while left > 0 {
        let some = left.min(1 + dice.below(40));
        left -= some;
        folder.clock.advance(Duration::from_micros(dice.below(600_000_000)));
        log.append_all(&(0..some).map(|_| record(dice)).collect::<Vec<_>>()).unwrap();
    }
}

fn query(dice: &mut Dice, folder: &Folder, records: &[Record]) -> Query {
    let rarely = |dice: &mut Dice, all: &[&str]| {
        (dice.below(3) == 0).then(|| if dice.below(20) == 0 { "nobody" } else { dice.one_of(all) }.to_owned())
    };
    let [session, agent, tool, act, point, rule] =
        [SESSIONS, AGENTS, TOOLS, ACTS, POINTS, RULES].map(|all| rarely(dice, all));
    let mut time = || {
        let at = dice.below(records.len() as u64 * 3 + 1) as usize;
        let near = Duration::from_nanos(dice.below(3) * 1000);
        let near = |time| time + near;
        match records.get(at) {
            Some(record) => moment(&record.time).map(near),
            None if at.is_multiple_of(11) => Some(tollgate_core::Clock::wall(&*folder.clock)),
            None => None,
        }
    };
    Query { since: time(), until: time(), session, agent, tool, act, point, rule }
}

fn read(folder: &Folder) -> Vec<Record> {
    Reader::new(&folder.dir()).entries_from(1).unwrap().map(|entry| entry.unwrap().record).collect()
}

fn file(folder: &Folder) -> PathBuf {
    folder.root.join("index.db")
}

/// Opens the index, as a new process would.
fn open(folder: &Folder) -> Index {
    let mut index = Index::open(&file(folder), &folder.dir()).unwrap();
    index.catch_up(&mut |done, all| assert!(done <= all)).unwrap();
    index
}

/// Asks some questions of the index and of the log.
fn check(folder: &Folder, index: &Index, dice: &mut Dice, questions: u64) {
    let records = read(folder);
    for _ in 0..questions {
        let query = query(dice, folder, &records);
        let before = (dice.below(2) == 0).then(|| dice.below(records.last().map_or(1, |last| last.seq + 2)));
        let limit = dice.below(60) as usize;
        let fitting = || records.iter().rev().filter(|record| query.fits(record)).map(|record| record.seq);
        let wanted: Vec<u64> = fitting().filter(|seq| before.is_none_or(|before| *seq < before)).take(limit).collect();
        assert_eq!(index.find(&query, before, limit).unwrap(), wanted, "{query:?} {before:?}");
        assert_eq!(index.count(&query).unwrap(), fitting().count() as u64, "{query:?}");
        let (since, until) = (query.since, query.until);
        assert_eq!(index.stats(since, until).unwrap(), counted(&records, since, until), "{since:?} {until:?}");
    }
    for _ in 0..questions {
        let seq = dice.below(records.last().map_or(1, |last| last.seq + 2));
        let found = index.place(seq).unwrap().map(|(segment, offset)| {
            let mut lines = Reader::new(&folder.dir()).lines_from(segment, offset).unwrap();
            lines.next().unwrap().unwrap().record().unwrap()
        });
        assert_eq!(found.as_ref(), records.iter().find(|record| record.seq == seq));
    }
}

/// The same as the index does, in the plainest way.
fn counted(records: &[Record], since: Option<Duration>, until: Option<Duration>) -> Stats {
    let time = Query { since, until, ..Query::default() };
    let some: Vec<&Record> = records.iter().filter(|record| time.fits(record)).collect();
    let act = |name: &str| some.iter().filter(|record| record.act.as_deref() == Some(name)).count() as u64;
    let granted =
        |what: bool| some.iter().filter(|record| is_end(record) && record.approved == Some(what)).count() as u64;
    let open = open_calls(records);
    let interceptors = interceptors(&some);
    Stats {
        records: some.len() as u64,
        calls: some.iter().filter(|record| is_call(record)).count() as u64,
        denied: act("deny"),
        asked: act("ask"),
        routed: act("route"),
        answered: act("answer"),
        faults: interceptors.iter().map(|one| one.faults).sum(),
        open: some.iter().filter(|record| open.contains(&record.seq)).count() as u64,
        granted: granted(true),
        refused: granted(false),
        unreadable: 0,
        sessions: some.iter().filter_map(|record| record.session.as_ref()).collect::<BTreeSet<_>>().len() as u64,
        by_tool: by(&some, |record| &record.tool, |_| vec![], |counts| counts.calls),
        by_rule: by(&some, |record| &record.rule, observed, |counts| counts.records + counts.observed),
        by_agent: by(&some, |record| &record.agent, |_| vec![], |counts| counts.records),
        interceptors,
        hours: hours(&some),
    }
}

fn is_call(record: &Record) -> bool {
    is_own(record) && record.kind == "event" && record.point.as_deref() == Some("tool.before")
}

fn is_end(record: &Record) -> bool {
    is_own(record) && record.point.as_deref() == Some("tool.after")
}

fn is_own(record: &Record) -> bool {
    !record.routed && !record.permission
}

fn open_calls(records: &[Record]) -> BTreeSet<u64> {
    let mut open = BTreeMap::new();
    for record in records {
        if is_call(record) && matches!(record.act.as_deref(), Some("pass" | "route")) {
            open.insert(record.seq, (record.session.clone(), record.call.clone()));
        } else if is_end(record) {
            let call = (record.session.clone(), record.call.clone());
            match record.intent {
                Some(intent) => drop(open.remove(&intent)),
                None if call.1.is_some() => open.retain(|_, begun| *begun != call),
                None => {}
            }
        }
    }
    open.into_keys().collect()
}

fn observed(record: &Record) -> Vec<String> {
    record.observed.iter().map(|observed| observed["rule"].as_str().unwrap().to_owned()).collect()
}

fn by(
    records: &[&Record],
    name: impl Fn(&Record) -> &Option<String>,
    observed: impl Fn(&Record) -> Vec<String>,
    frequency: impl Fn(&Counts) -> u64,
) -> Vec<(String, Counts)> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    for record in records {
        if let Some(name) = name(record) {
            let counts = all.entry(name.clone()).or_default();
            counts.records += 1;
            counts.calls += u64::from(is_call(record));
            counts.denied += u64::from(record.act.as_deref() == Some("deny"));
            counts.asked += u64::from(record.act.as_deref() == Some("ask"));
        }
        for rule in observed(record) {
            all.entry(rule).or_default().observed += 1;
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, counts)| Reverse(frequency(counts)));
    all.truncate(10);
    all
}

fn interceptors(records: &[&Record]) -> Vec<Interceptor> {
    let mut all: BTreeMap<&str, Interceptor> = BTreeMap::new();
    for turn in records.iter().flat_map(|record| &record.turns).filter(|turn| turn.said != "skipped") {
        let one = all.entry(&turn.who).or_insert_with(|| Interceptor { who: turn.who.clone(), ..Default::default() });
        one.turns += 1;
        one.objections += u64::from(["denied", "asked", "routed", "answered"].contains(&turn.said.as_str()));
        one.faults += u64::from(turn.said == "faulted");
        one.total_us += turn.took_us;
        one.max_us = one.max_us.max(turn.took_us);
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.sort_by_key(|one| Reverse(one.total_us / one.turns));
    all
}

fn hours(records: &[&Record]) -> Vec<(String, u64, u64)> {
    let counts = |record: &Record| (u64::from(is_call(record)), u64::from(record.act.as_deref() == Some("deny")));
    let some: Vec<_> = records.iter().filter(|record| counts(record) != (0, 0)).collect();
    let hour = |record: &Record| moment(&record.time).unwrap().as_secs() / 3600;
    let (Some(from), Some(to)) = (some.first().map(|one| hour(one)), some.last().map(|one| hour(one))) else {
        return vec![];
    };
    let (unit, length) = if to - from < 72 { (1, 13) } else { (24, 10) };
    let name = |number: u64| stamp(Duration::from_secs(number * unit * 3600))[..length].to_owned();
    let mut all: BTreeMap<String, (u64, u64)> =
        (from / unit..=to / unit).map(|number| (name(number), (0, 0))).collect();
    for record in some {
        let ((calls, denied), sum) = (counts(record), all.get_mut(&record.time[..length]).unwrap());
        *sum = (sum.0 + calls, sum.1 + denied);
    }
    all.into_iter().map(|(name, (calls, denied))| (name, calls, denied)).collect()
}

/// What may become of a log and its index.
#[derive(Clone, Debug)]
enum Fate {
    /// More is appended, and segments begin anew after this many bytes.
    Append {
        count: u64,
        segment: u64,
    },
    /// The same index goes on.
    Stay,
    Delete,
    /// Only this many thousandths of the file are left.
    Truncate(u64),
    /// From this many thousandths on there is something else.
    Garbage(u64),
    /// Somebody puts another log there.
    Replace,
    /// This many of the oldest segments are removed.
    Shorten(usize),
    /// The newest records are taken back, as when they could not be signed.
    CutOff,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => (1_u64..3000, 20_000_u64..2_000_000).prop_map(|(count, segment)| Fate::Append { count, segment }),
        2 => (1_u64..5, 20_000_u64..2_000_000).prop_map(|(count, segment)| Fate::Append { count, segment }),
        2 => Just(Fate::Stay),
        1 => Just(Fate::Delete),
        1 => (0_u64..1000).prop_map(Fate::Truncate),
        1 => (0_u64..20).prop_map(Fate::Garbage),
        1 => Just(Fate::Replace),
        3 => (1_usize..60).prop_map(Fate::Shorten),
        1 => Just(Fate::CutOff),
    ]
}

fn befall(folder: &mut Folder, dice: &mut Dice, fate: &Fate) {
    let of_file = |thousandths: u64| std::fs::metadata(file(folder)).unwrap().len() * thousandths / 1000;
    match fate {
        Fate::Append { count, segment } => {
            folder.settings.segment = *segment;
            append(folder, dice, *count);
        }
        Fate::Stay => {}
        Fate::Delete => std::fs::remove_file(file(folder)).unwrap(),
        Fate::Truncate(left) => {
            let left = of_file(*left);
            std::fs::File::options().write(true).open(file(folder)).unwrap().set_len(left).unwrap();
        }
        Fate::Garbage(from) => {
            let from = of_file(*from) as usize;
            let mut bytes = std::fs::read(file(folder)).unwrap();
            bytes[from..].fill_with(|| dice.below(256) as u8);
            std::fs::write(file(folder), bytes).unwrap();
        }
        Fate::Replace => {
            std::fs::remove_dir_all(folder.dir()).unwrap();
            append(folder, dice, 500);
        }
        Fate::Shorten(count) => {
            let segments = Reader::new(&folder.dir()).segments().unwrap();
            for segment in segments.iter().take((*count).min(segments.len().saturating_sub(1))) {
                std::fs::remove_file(segment.log()).unwrap();
                std::fs::remove_file(segment.fields()).unwrap();
            }
        }
        Fate::CutOff => {
            let segments = Reader::new(&folder.dir()).segments().unwrap();
            let newest = segments.last().unwrap().log();
            let text = std::fs::read_to_string(&newest).unwrap();
            let end = text.trim_end().rfind('\n').map_or(text.len(), |end| end + 1);
            std::fs::write(newest, &text[..end]).unwrap();
        }
    }
}

/// Whether the index is found to be damaged only by whoever asks it.
fn asks_again(index: &Index) -> bool {
    let found = index.count(&Query { point: Some("tool.before".to_owned()), ..Query::default() });
    let found = found.and_then(|_| index.stats(None, None));
    found.is_err_and(|error| error.to_string().ends_with("was removed; ask again"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_the_log_would(seed: u64, fates in prop::collection::vec(fate(), 1..7)) {
        let (mut folder, mut dice) = (Folder::new("index-fates"), Dice(seed));
        let many = 3000 + dice.below(3000);
        befall(&mut folder, &mut dice, &Fate::Append { count: many, segment: 100_000 });
        let mut index = open(&folder);
        check(&folder, &index, &mut dice, 5);
        for fate in &fates {
            let stays = matches!(fate, Fate::Append { .. } | Fate::Stay | Fate::Shorten(_) | Fate::CutOff | Fate::Replace);
            if stays && dice.below(2) == 0 {
                befall(&mut folder, &mut dice, fate);
                index.catch_up(&mut |_, _| {}).unwrap();
            } else {
                drop(index);
                befall(&mut folder, &mut dice, fate);
                index = open(&folder);
                if asks_again(&index) {
                    index = open(&folder);
                }
            }
            check(&folder, &index, &mut dice, 5);
        }
    }
}

#[test]
fn nothing_of_a_field_is_in_the_index() {
    let folder = Folder::new("index-fields");
    let log = folder.log();
    for number in 0..5000 {
        let mut draft = common::call(number);
        draft.field("reason", json!("unforgettable")).unwrap();
        log.append(draft).unwrap();
    }
    let mut index = Some(open(&folder));
    let found = |needle: &str| -> Vec<String> {
        let paths = std::fs::read_dir(&folder.root).unwrap().map(|entry| entry.unwrap().path());
        let holds = |path: &PathBuf| {
            std::fs::read(path).unwrap().windows(needle.len()).any(|window| window == needle.as_bytes())
        };
        paths.filter(|path| path.is_file() && holds(path)).map(|path| path.display().to_string()).collect()
    };
    // While it is open, a part of it is in other files.
    for _ in 0..2 {
        for needle in ["unforgettable", "echo 4", "/work", "\"command\"", "arguments"] {
            assert_eq!(found(needle), Vec::<String>::new(), "{needle}");
        }
        // What is looked for would be found.
        assert!(!found("s-2").is_empty());
        index = None;
    }
    assert!(index.is_none());
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_index() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = Folder::new("index-mode");
    folder.fill(10);
    drop(open(&folder));
    std::fs::set_permissions(file(&folder), std::fs::Permissions::from_mode(0o644)).unwrap();
    folder.fill(10);
    let _index = open(&folder);
    let mut modes: Vec<String> = std::fs::read_dir(&folder.root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| format!("{} {:o}", entry.file_name().display(), entry.metadata().unwrap().mode() & 0o777))
        .collect();
    modes.sort();
    expect![[r#"
        [
            "index.db 600",
            "index.db-lock 600",
            "index.db-shm 600",
            "index.db-wal 600",
        ]
    "#]]
    .assert_debug_eq(&modes);
}

#[test]
fn what_was_removed_from_the_log_is_gone_from_the_index() {
    let folder = Folder::new("index-removed").segments(50_000);
    let log = folder.log();
    for number in 0..6000 {
        let mut draft = Draft::new("event");
        draft.member("session", &json!(format!("session-{number:05}")));
        log.append(draft).unwrap();
    }
    drop(open(&folder));
    let segments = Reader::new(&folder.dir()).segments().unwrap();
    let (gone, stay) = segments.split_at(segments.len() - 2);
    gone.iter().for_each(|segment| std::fs::remove_file(segment.log()).unwrap());
    drop(open(&folder));
    let bytes = std::fs::read(file(&folder)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let digits = |rest: &str| rest.chars().take(5).take_while(char::is_ascii_digit).collect::<String>();
    let held: BTreeSet<String> = text.split("session-").skip(1).map(digits).collect();
    let left: Vec<Record> = read(&folder);
    let named = left.iter().filter_map(|record| record.session.as_deref()?.strip_prefix("session-"));
    let named: BTreeSet<&str> = named.collect();
    // What the database wrote over may leave half a name of a record that is still there.
    let stays = |held: &String| named.iter().any(|name| !held.is_empty() && name.starts_with(held.as_str()));
    assert!(held.iter().all(stays), "{held:?}");
    assert!(named.iter().all(|name| held.contains(*name)), "{held:?}");
    assert!(stay[0].first > 4096, "{}", stay[0].first);
}

#[test]
fn a_line_that_is_no_record_is_passed_over_and_counted() {
    let folder = Folder::new("index-unreadable").segments(100_000);
    folder.fill(5000);
    let records = read(&folder);
    let segments = Reader::new(&folder.dir()).segments().unwrap();
    let name = segments[1].log().file_name().unwrap().to_str().unwrap().to_owned();
    folder.rewrite(&name, |lines| {
        lines[5] = "{".to_owned();
        lines.swap(7, 8);
    });
    let index = open(&folder);
    // Of the two that were swapped, the later one now stands before its time and the other one is too late.
    let missing = [segments[1].first + 5, segments[1].first + 7];
    let wanted: Vec<u64> = records.iter().map(|record| record.seq).filter(|seq| !missing.contains(seq)).rev().collect();
    assert_eq!(index.find(&Query::default(), None, usize::MAX).unwrap(), wanted);
    assert_eq!(index.stats(None, None).unwrap().unreadable, 2);
}

#[test]
fn several_may_catch_up_at_once() {
    let folder = Folder::new("index-several");
    append(&folder, &mut Dice(7), 20_000);
    let found: Vec<Stats> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| open(&folder).stats(None, None).unwrap())).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let wanted = counted(&read(&folder), None, None);
    assert!(found.iter().all(|found| *found == wanted), "{found:?}");
}

#[test]
fn a_file_of_another_version_or_another_program_is_begun_anew() {
    let folder = Folder::new("index-version");
    folder.fill(20);
    for sql in ["PRAGMA user_version = 99", "DROP TABLE places", "CREATE TABLE other (x); PRAGMA user_version = 0"] {
        drop(open(&folder));
        rusqlite::Connection::open(file(&folder)).unwrap().execute_batch(sql).unwrap();
        let index = open(&folder);
        assert_eq!(index.count(&Query::default()).unwrap(), 21, "{sql}");
    }
}

#[test]
fn a_log_that_is_not_there_has_no_records() {
    let folder = Folder::new("index-nothing");
    let index = open(&folder);
    assert_eq!(index.find(&Query::default(), None, 10).unwrap(), [0; 0]);
    assert_eq!(index.stats(None, None).unwrap(), Stats::default());
}

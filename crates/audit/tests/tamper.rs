//! What somebody without the key can do to a log, and what `verify` says of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod attacks;
mod common;

use std::path::PathBuf;

use attacks::{ATTACKS, Victim};
use common::{Folder, call, shown};
use expect_test::expect_file;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tollgate_audit::{Known, Log, Reader, Segment, verify};
use tollgate_wire::canonical;

#[test]
fn every_attack_is_found_and_the_first_bad_record_is_named() {
    let victim = Victim::new("tamper");
    let (mut all, mut wrong) = (String::new(), Vec::new());
    for (name, attack) in ATTACKS {
        victim.restore();
        let (known, expected) = attack(&victim);
        let found = victim.folder.verify_with(&known);
        if found.flaw.as_ref().map(|flaw| flaw.seq) != expected {
            wrong.push(format!("{name}: {} instead of {expected:?}", shown(&found)));
        }
        let unsigned =
            if found.unsigned.is_empty() { String::new() } else { format!("; unsigned {:?}", found.unsigned) };
        all += &format!("{name}\n    {}{unsigned}\n", shown(&found));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    expect_file!["tamper.txt"].assert_eq(&all);
}

/// Some records, in several segments.
/// A checkpoint that says "I found these unsigned" must not become one that vouches for them.
#[test]
fn forged_records_are_not_laundered_through_the_next_writer() {
    let folder = Folder::new("laundered");
    folder.fill(20);
    let (log, head) = (folder.dir().join("000000000001.log"), std::fs::read(folder.dir().join("head")).unwrap());
    let lines = std::fs::read_to_string(&log).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let seq = last["seq"].as_u64().unwrap();
    let hash: String = Sha256::digest(lines.lines().last().unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
    let forged =
        json!({"kind": "erasure", "prev": hash, "seq": seq + 1, "seqs": [[2, 2]], "time": last["time"], "v": 1});
    let forged = String::from_utf8(canonical(&forged)).unwrap();
    std::fs::write(&log, format!("{lines}{forged}\n")).unwrap();
    folder.log().append(common::call(99)).unwrap();
    let found = std::fs::read_to_string(&log).unwrap();
    let mut checkpoint: Value =
        serde_json::from_str(found.lines().nth(usize::try_from(seq).unwrap() + 1).unwrap()).unwrap();
    assert_eq!(checkpoint["recovered"]["unsigned_from"], seq + 1);
    checkpoint.as_object_mut().unwrap().remove("recovered");
    checkpoint["why"] = json!("count");
    let checkpoint = String::from_utf8(canonical(&checkpoint)).unwrap();
    std::fs::write(&log, format!("{lines}{forged}\n{checkpoint}\n")).unwrap();
    std::fs::write(folder.dir().join("head"), head).unwrap();
    assert!(folder.flaw().contains("its signature is wrong"), "{}", folder.flaw());
}

/// Whoever appends a record without the key chooses no time for those who come after.
#[test]
fn a_forged_time_is_not_taken_over() {
    let folder = Folder::new("forged-time");
    folder.fill(20);
    let log = folder.dir().join("000000000001.log");
    let lines = std::fs::read_to_string(&log).unwrap();
    let last = lines.lines().last().unwrap();
    let seq = serde_json::from_str::<Value>(last).unwrap()["seq"].as_u64().unwrap();
    let hash: String = Sha256::digest(last).iter().map(|byte| format!("{byte:02x}")).collect();
    let append = |time: &str| {
        let forged = json!({"kind": "event", "prev": hash, "seq": seq + 1, "time": time, "v": 1});
        std::fs::write(&log, format!("{lines}{}\n", String::from_utf8(canonical(&forged)).unwrap())).unwrap();
    };
    append("~later\",\"approved\":true,\"x\":\"");
    assert!(folder.log().append(common::call(99)).unwrap_err().to_string().contains("tollgate log verify"));
    assert!(folder.flaw().starts_with("22: "), "{}", folder.flaw());
    append("9999-12-31T23:59:59.999999Z");
    folder.log().append(common::call(99)).unwrap();
    assert_eq!(folder.flaw(), "good");
    let newest = tollgate_audit::Reader::new(&folder.dir()).entries_back().unwrap().next().unwrap().unwrap();
    assert!(newest.record.time.starts_with("2023-"), "{}", newest.record.time);
}

fn small() -> Folder {
    let folder = Folder::new("small").segments(8_000);
    folder.fill(40);
    folder
}

/// Where every record stands: its file, where its line begins and ends, and its number.
fn places(folder: &Folder) -> Vec<(PathBuf, usize, usize, u64)> {
    let mut all = Vec::new();
    let mut seq = 0;
    for segment in Segment::all(&folder.dir()).unwrap() {
        let mut start = 0;
        for line in std::fs::read(segment.log()).unwrap().split_inclusive(|byte| *byte == b'\n') {
            seq += 1;
            all.push((segment.log(), start, start + line.len(), seq));
            start += line.len();
        }
    }
    all
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng())
}

fn rng() -> TestRng {
    TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32])
}

#[test]
fn a_byte_changed_removed_or_added_anywhere_is_found_at_or_before_its_record() {
    let folder = small();
    let places = places(&folder);
    let strategy = (any::<Index>(), any::<Index>(), 0..3_u8, any::<u8>());
    let property = |(place, at, how, byte): (Index, Index, u8, u8)| {
        let (path, start, end, seq) = place.get(&places);
        let good = std::fs::read(path).unwrap();
        let at = start + at.index(end - start);
        let mut bytes = good.clone();
        match how {
            0 if bytes[at] == byte => bytes[at] ^= 1,
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, byte),
        }
        std::fs::write(path, &bytes).unwrap();
        let found = folder.verify();
        std::fs::write(path, &good).unwrap();
        let first = found.flaw.as_ref().map(|flaw| flaw.seq);
        // An added newline after a line's end is a line of its own; only then is it the next one that is bad.
        let next = how == 2 && at + 1 == *end;
        prop_assert!(first.is_some_and(|first| first <= seq + u64::from(next)), "{seq}: {}", shown(&found));
        Ok(())
    };
    runner(400).run(&strategy, property).unwrap();
}

#[test]
fn no_bytes_make_it_panic() {
    let texts = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        prop::collection::vec(select(fragments()), 0..6).prop_map(|parts| parts.concat().into_bytes()),
    ];
    let strategy = (texts.clone(), texts.clone(), texts, select(vec![0, 1, 2, 999_999_999_999_u64]));
    let folder = Folder::new("bytes");
    std::fs::create_dir_all(folder.dir()).unwrap();
    runner(500)
        .run(&strategy, |(log, fields, head, first)| {
            let dir = folder.dir();
            folder.files().iter().for_each(|path| std::fs::remove_file(path).unwrap());
            std::fs::write(dir.join(format!("{first:012}.log")), log).unwrap();
            std::fs::write(dir.join(format!("{first:012}.fields")), fields).unwrap();
            std::fs::write(dir.join("head"), head).unwrap();
            let _ = verify(&dir, &Known::default(), &mut |_| {});
            let reader = Reader::new(&dir);
            let _ = reader.entries_from(0).unwrap().filter(Result::is_ok).count();
            let _ = reader.entries_back().unwrap().filter(Result::is_ok).count();
            let _ = (reader.entry(0), reader.entry(first), reader.entry(u64::MAX));
            let log = Log::open(&dir, &folder.key_dir(), folder.settings.clone(), folder.clock.clone());
            let _ = log.and_then(|log| log.append(call(1)));
            Ok(())
        })
        .unwrap();
}

/// What comes close to a record.
fn fragments() -> Vec<String> {
    let (most, zeros) = (u64::MAX, "0".repeat(128));
    let (log, hash) = (&zeros[..32], &zeros[..64]);
    let head =
        format!(r#"{{"count":{most},"head":"{hash}","key":"{hash}","log":"{log}","sig":"{zeros}","time":"","v":1}}"#);
    let record = |seq: u64, kind: &str, more: &str| {
        format!(r#"{{"kind":"{kind}","prev":"{hash}","seq":{seq},"time":"","v":1{more}}}"#) + "\n"
    };
    vec![
        "\n".to_owned(),
        "{".to_owned(),
        "\"seq\":".to_owned(),
        r#"{"fields":{"a":["00",1]},"seq":1}"#.to_owned() + "\n",
        format!(r#"{{"fields":{{"a":null   }},"seq":{most}}}"#) + "\n",
        head.clone(),
        record(1, "event", ""),
        record(most, "event", ""),
        record(0, "checkpoint", &format!(r#","signed":{head}"#)),
        record(1, "checkpoint", &format!(r#","signed":{head},"recovered":{{"lost_from":{most}}}"#)),
        record(2, "erasure", &format!(r#","seqs":[[9,1],[0,{most}]]"#)),
        record(1, "retention", &format!(r#","through":{most},"head":"{hash}""#)),
    ]
}

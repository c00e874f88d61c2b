//! What is appended is there, in order, and fits together.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use common::{Folder, call};
use serde_json::json;
use tollgate_audit::{Draft, Reader, Record, Segment};

#[test]
fn a_log_of_several_segments_fits_together() {
    let folder = Folder::new("several").segments(20_000);
    folder.fill(700);
    let found = folder.verify();
    assert_eq!(found.flaw, None);
    assert_eq!((found.range, found.signed), (Some((1, found.records)), found.records));
    assert!(folder.files().len() > 12, "{:?}", folder.files());
    assert_eq!(found.fields, 1400);
    assert!(found.unsigned.is_empty());
}

#[test]
fn the_end_of_a_call_names_its_beginning_in_this_process_and_in_the_next() {
    let folder = Folder::new("intent");
    let end = |session: &str, call: &str| {
        let mut draft = Draft::new("event");
        draft.member("point", &json!("tool.after"));
        draft.ends(Some(session), call);
        draft
    };
    let log = folder.log();
    let begun = log.append(call(1)).unwrap();
    log.append(call(2)).unwrap();
    let ended = [log.append(end("s-1", "c-1")).unwrap(), folder.log().append(end("s-2", "c-2")).unwrap()];
    let other = folder.log().append(end("s-0", "c-2")).unwrap();
    let reader = Reader::new(&folder.dir());
    let intent = |seq| reader.entry(seq).unwrap().unwrap().record.intent;
    assert_eq!((intent(ended[0]), intent(ended[1]), intent(other)), (Some(begun), Some(begun + 1), None));
}

/// The names of the files with records.
fn names(folder: &Folder) -> Vec<String> {
    let names = folder.files().into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| name.ends_with(".log")).collect()
}

#[test]
fn of_more_open_calls_than_are_remembered_the_newest_are_and_no_end_names_another() {
    let folder = Folder::new("open");
    let log = folder.log();
    let drafts: Vec<Draft> = (0..10_001).map(call).collect();
    let begun = log.append_all(&drafts).unwrap();
    let end = |number: usize| {
        let mut draft = Draft::new("event");
        draft.member("point", &json!("tool.after"));
        draft.ends(Some(&format!("s-{}", number % 3)), &format!("c-{number}"));
        let seq = log.append(draft).unwrap();
        Reader::new(&folder.dir()).entry(seq).unwrap().unwrap().record.intent
    };
    assert_eq!((end(0), end(4_000)), (None, None));
    assert_eq!((end(5_100), end(10_000)), (Some(begun[5_100]), Some(begun[10_000])));
}

#[test]
fn readers_find_the_same_records_from_both_ends_and_by_number() {
    let folder = Folder::new("readers").segments(30_000);
    folder.fill(300);
    let early = names(&folder);
    folder.fill(300);
    let reader = Reader::new(&folder.dir());
    let forward: Vec<_> = reader.entries_from(1).unwrap().map(|entry| entry.unwrap()).collect();
    let mut backward: Vec<_> = reader.entries_back().unwrap().map(|entry| entry.unwrap()).collect();
    backward.reverse();
    assert_eq!(forward.len(), backward.len());
    for (one, other) in forward.iter().zip(&backward) {
        assert_eq!((&one.record, one.fields.all()), (&other.record, other.fields.all()));
        let found = reader.entry(one.record.seq).unwrap().unwrap();
        assert_eq!((&found.record, found.fields.all()), (&one.record, one.fields.all()));
    }
    // Each file is named by its first record, and none was renamed when others followed.
    let late = names(&folder);
    assert!(early.len() > 2 && late.len() > early.len() && late.starts_with(&early), "{early:?}, then {late:?}");
    for segment in Segment::all(&folder.dir()).unwrap() {
        let text = std::fs::read_to_string(segment.log()).unwrap();
        let first: Record = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(segment.log().file_stem().unwrap().to_str().unwrap(), format!("{:012}", first.seq));
    }
    assert!(reader.entry(0).unwrap().is_none());
    assert!(reader.entry(forward.len() as u64 + 1).unwrap().is_none());
}

#[test]
fn a_lock_or_a_head_that_somebody_removed_is_noticed() {
    let folder = Folder::new("lock");
    let (one, other) = (folder.log(), folder.log());
    one.append(call(1)).unwrap();
    std::fs::remove_file(folder.dir().join("lock")).unwrap();
    other.append(call(2)).unwrap();
    one.append(call(3)).unwrap();
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(folder.dir().join(name)).unwrap());
    let (lock, head) = (inode("lock"), inode("head"));
    std::fs::copy(folder.dir().join("head"), folder.root.join("copy")).unwrap();
    std::fs::rename(folder.root.join("copy"), folder.dir().join("head")).unwrap();
    assert_ne!(head, inode("head"));
    let seq = one.append(call(4)).unwrap();
    assert_eq!(lock, inode("lock"));
    let found = folder.verify();
    assert_eq!((found.flaw, found.signed), (None, seq));
}

#[test]
fn what_happens_in_a_folder_that_was_quiet_for_a_while_is_noticed() {
    let folder = Folder::new("quiet");
    let log = folder.log();
    log.append(call(0)).unwrap();
    let path = |name: &str| folder.dir().join(name);
    type Change<'a> = (&'a str, Box<dyn Fn() + 'a>);
    let changes: [Change<'_>; 4] = [
        ("a lock that was removed", Box::new(|| std::fs::remove_file(path("lock")).unwrap())),
        ("another head in its place", {
            Box::new(|| {
                std::fs::copy(path("head"), folder.root.join("copy")).unwrap();
                std::fs::rename(folder.root.join("copy"), path("head")).unwrap();
            })
        }),
        ("another writer", Box::new(|| folder.log().append(call(7)).map(drop).unwrap())),
        ("another writer in the next segment", {
            Box::new(|| {
                let settings = tollgate_audit::Settings { segment: 1, ..folder.settings.clone() };
                let other = tollgate_audit::Log::open(&folder.dir(), &folder.key_dir(), settings, folder.clock.clone());
                other.unwrap().append(call(8)).unwrap();
            })
        }),
    ];
    for (what, change) in changes {
        // Longer than it takes until the names in a folder are believed to stay; and once more to find that they did.
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        log.append(call(1)).unwrap();
        log.append(call(2)).unwrap();
        change();
        let seq = log.append(call(3)).unwrap();
        let found = folder.verify();
        assert_eq!((common::shown(&found), found.signed, found.records), ("good".to_owned(), seq, seq), "{what}");
        assert_eq!(found.unsigned.len(), 0, "{what}");
    }
}

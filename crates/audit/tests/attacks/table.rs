//! The attacks.

use std::fs;

use serde_json::{Value, json};
use tollgate_audit::Known;

use super::{Attack, ERASED, append, blank, old_signature, own_key, rewritten, wrong_signature};

/// By name. Where nothing is to be found, that is what `spec/audit.md` says of it.
pub(crate) const ATTACKS: &[(&str, Attack)] = &[
    ("nothing", |v| (v.known(), None)),
    ("nothing, with an anchor", |v| (v.anchored(), None)),
    ("a byte of a record", |v| {
        v.edit(100, "Bash", "Dash");
        (v.known(), Some(100))
    }),
    ("a byte of a record's prev", |v| {
        v.edit(100, "\"prev\":\"", "\"prev\":\"0");
        (v.known(), Some(99))
    }),
    ("a byte of a record, so that it is not JSON", |v| {
        v.edit(100, "{", "[");
        (v.known(), Some(100))
    }),
    ("a byte of the last record", |v| {
        v.edit(v.last, "Bash", "Dash");
        (v.known(), Some(v.vouched(v.last) + 1))
    }),
    ("a byte of the last record, and Tollgate goes on", |v| {
        v.edit(v.last, "Bash", "Dash");
        v.folder.fill(1);
        (v.known(), Some(v.vouched(v.last) + 1))
    }),
    ("a checkpoint's signature", |v| {
        v.edit(257, "\"sig\":\"", "\"sig\":\"00");
        (v.known(), Some(257))
    }),
    ("a digit of a checkpoint's signature", |v| {
        let line = v.line(257);
        let at = line.find("\"sig\":\"").unwrap() + 7;
        let other = if &line[at..=at] == "0" { "1" } else { "0" };
        v.edit(257, &line[at - 7..=at], &format!("\"sig\":\"{other}"));
        (v.known(), Some(v.vouched(256) + 1))
    }),
    ("what a checkpoint says beside its head", |v| {
        v.edit(257, "\"why\":\"count\"", "\"why\":\"start\"");
        (v.known(), Some(v.segment(257)))
    }),
    ("a field", |v| {
        v.edit_fields(100, |line| line.replacen("echo", "true", 1));
        (v.known(), Some(100))
    }),
    ("a field's salt", |v| {
        v.edit_fields(100, |line| line.replacen("[\"", "[\"0", 1));
        (v.known(), Some(100))
    }),
    ("a field and its commitment", |v| {
        let (salt, value) = ("00".repeat(16), "{\"command\":\"true\"}");
        v.edit_fields(100, |line| {
            let cwd = &line[line.find(",\"cwd\"").unwrap()..];
            format!("{{\"fields\":{{\"arguments\":[\"{salt}\",{value}]{cwd}")
        });
        let mut bytes = vec![0; 16];
        bytes.extend(format!("arguments\0{value}").bytes());
        let mut record: Value = serde_json::from_str(&v.line(100)).unwrap();
        record["fields"]["arguments"] = super::hash_bytes(&bytes).into();
        v.lines(100, |lines, at| lines[at] = record.to_string());
        (v.known(), Some(100))
    }),
    ("a field that nobody committed to", |v| {
        v.edit_fields(100, |line| line.replacen("{\"fields\":{", "{\"fields\":{\"a\":[\"00\",1],", 1));
        (v.known(), Some(100))
    }),
    ("a field blanked, and nobody says so", |v| {
        blank(&v.folder, 100);
        (v.known(), Some(100))
    }),
    ("a line of fields gone", |v| {
        v.edit_fields(100, |_| String::new());
        (v.known(), Some(100))
    }),
    ("a line of fields moved to the end", |v| {
        let name = v.path(100, "fields");
        v.folder.rewrite(name.file_name().unwrap().to_str().unwrap(), |lines| lines.rotate_left(1));
        (v.known(), Some(v.segment(100) + 1))
    }),
    ("a file of fields gone", |v| {
        fs::remove_file(v.path(600, "fields")).unwrap();
        (v.known(), Some(v.segment(600) + 1))
    }),
    ("a record removed", |v| {
        v.lines(100, |lines, at| drop(lines.remove(at)));
        (v.known(), Some(100))
    }),
    ("a segment in the middle removed", |v| {
        fs::remove_file(v.path(v.firsts[2], "log")).unwrap();
        (v.known(), Some(v.firsts[2]))
    }),
    ("the first segment removed", |v| {
        fs::remove_file(v.path(1, "log")).unwrap();
        (v.known(), Some(1))
    }),
    ("the last segment removed", |v| {
        fs::remove_file(v.path(v.last, "log")).unwrap();
        (v.known(), Some(v.segment(v.last)))
    }),
    ("all segments removed", |v| {
        v.firsts.iter().for_each(|first| fs::remove_file(v.path(*first, "log")).unwrap());
        (v.known(), Some(1))
    }),
    ("everything removed", |v| {
        v.folder.files().iter().for_each(|path| fs::remove_file(path).unwrap());
        (v.known(), None)
    }),
    ("everything removed, with an anchor", |v| {
        v.folder.files().iter().for_each(|path| fs::remove_file(path).unwrap());
        (v.anchored(), Some(1))
    }),
    ("a record copied", |v| {
        v.lines(100, |lines, at| lines.insert(at, lines[at - 50].clone()));
        (v.known(), Some(99))
    }),
    ("a forged record put in", |v| {
        let mut forged: Value = serde_json::from_str(&v.line(100)).unwrap();
        forged["tool"] = json!("Forged");
        v.lines(100, |lines, at| lines.insert(at, forged.to_string()));
        (v.known(), Some(100))
    }),
    ("two lines swapped", |v| {
        v.lines(100, |lines, at| lines.swap(at, at + 1));
        (v.known(), Some(100))
    }),
    ("two segments swapped", |v| {
        let (one, other) = (v.path(v.firsts[1], "log"), v.path(v.firsts[2], "log"));
        let texts = (fs::read(&one).unwrap(), fs::read(&other).unwrap());
        fs::write(one, texts.1).unwrap();
        fs::write(other, texts.0).unwrap();
        (v.known(), Some(v.firsts[1]))
    }),
    ("a segment under another name", |v| {
        let path = v.path(v.firsts[2], "log");
        fs::rename(&path, path.with_file_name(format!("{:012}.log", v.firsts[2] + 1))).unwrap();
        (v.known(), Some(v.firsts[2]))
    }),
    ("the last record cut off", |v| {
        v.cut_after(v.last - 1);
        (v.known(), Some(v.last))
    }),
    ("half of the last record cut off", |v| {
        v.cut(&v.path(v.last, "log"), 100);
        (v.known(), Some(v.last))
    }),
    ("many records cut off", |v| {
        v.cut_after(400);
        (v.known(), Some(401))
    }),
    ("many records cut off, and Tollgate goes on", |v| {
        v.cut_after(400);
        v.folder.fill(1);
        (v.known(), Some(401))
    }),
    ("many records cut off, with the head of a checkpoint", |v| {
        let checkpoint: Value = serde_json::from_str(&v.line(513)).unwrap();
        v.cut_after(512);
        v.write_head(&checkpoint["signed"]);
        (v.known(), Some(v.vouched(512) + 1))
    }),
    ("many records cut off, with the head of a checkpoint, and Tollgate goes on", |v| {
        let checkpoint: Value = serde_json::from_str(&v.line(513)).unwrap();
        v.cut_after(512);
        v.write_head(&checkpoint["signed"]);
        v.folder.fill(1);
        (v.known(), Some(513))
    }),
    ("many records cut off and the head removed, and Tollgate goes on", |v| {
        v.cut_after(400);
        fs::remove_file(v.folder.dir().join("head")).unwrap();
        v.folder.fill(1);
        (v.known(), Some(401))
    }),
    ("the end of the fields cut off", |v| {
        v.cut(&v.path(v.last, "fields"), 10);
        (v.known(), Some(v.last))
    }),
    ("an older head", |v| {
        fs::copy(v.old.join("head"), v.folder.dir().join("head")).unwrap();
        (v.known(), None)
    }),
    ("the whole folder as it was before", |v| {
        v.folder.put_back(&v.old);
        (v.known(), None)
    }),
    ("the whole folder as it was before, with an anchor", |v| {
        v.folder.put_back(&v.old);
        let last = v.folder.verify().records;
        (v.anchored(), Some(last + 1))
    }),
    ("the whole folder as it was before, Tollgate goes on, with an anchor", |v| {
        v.folder.put_back(&v.old);
        v.folder.fill(420);
        (v.anchored(), Some(1))
    }),
    ("the head removed", |v| {
        fs::remove_file(v.folder.dir().join("head")).unwrap();
        (v.known(), Some(v.last))
    }),
    ("the head overwritten", |v| {
        fs::write(v.folder.dir().join("head"), "?").unwrap();
        (v.known(), Some(v.last))
    }),
    ("the head's signature", |v| {
        let mut head = v.read_head();
        wrong_signature(&mut head, b"");
        v.write_head(&head);
        (v.known(), Some(v.vouched(v.last) + 1))
    }),
    ("everything from 300 on rewritten, with another key", |v| {
        rewritten(v, 300, &own_key);
        (v.known(), Some(v.vouched(300) + 1))
    }),
    ("everything rewritten, with another key", |v| {
        rewritten(v, 1, &own_key);
        (v.known(), Some(1))
    }),
    ("everything rewritten, with another key, and nobody knows the key", |v| {
        rewritten(v, 1, &own_key);
        (Known::default(), None)
    }),
    ("everything from 300 on rewritten, with wrong signatures", |v| {
        rewritten(v, 300, &wrong_signature);
        (v.known(), Some(v.vouched(300) + 1))
    }),
    ("everything from 300 on rewritten, with the signatures that were there", |v| {
        rewritten(v, 300, &old_signature);
        (v.known(), Some(v.vouched(300) + 1))
    }),
    ("everything after the last checkpoint rewritten", |v| {
        let from = v.vouched(v.last) + 2;
        v.rewrite_from(from, &old_signature);
        (v.known(), Some(from - 1))
    }),
    ("everything after the last checkpoint rewritten, one more, and Tollgate goes on", |v| {
        let from = v.vouched(v.last) + 2;
        v.rewrite_from(from, &old_signature);
        v.append_unsigned(json!({"kind": "event", "tool": "Forged"}));
        v.folder.fill(1);
        (v.known(), Some(from - 1))
    }),
    ("another log with the same key", |v| {
        v.folder.put_back(&v.other.dir());
        (v.known(), None)
    }),
    ("another log with the same key, with an anchor", |v| {
        v.folder.put_back(&v.other.dir());
        (v.anchored(), Some(1))
    }),
    ("the head of another log with the same key", |v| {
        fs::copy(v.other.dir().join("head"), v.folder.dir().join("head")).unwrap();
        (v.known(), Some(v.vouched(v.last) + 1))
    }),
    ("records appended without a signature", |v| {
        v.append_unsigned(json!({"kind": "event", "tool": "Forged"}));
        (v.known(), None)
    }),
    ("records appended without a signature, and Tollgate goes on", |v| {
        v.append_unsigned(json!({"kind": "event", "tool": "Forged"}));
        v.folder.fill(300);
        (v.known(), None)
    }),
    ("records appended with a forged head, and Tollgate goes on", |v| {
        v.append_unsigned(json!({"kind": "event", "tool": "Forged"}));
        let mut head = v.read_head();
        let text = fs::read_to_string(v.path(v.last, "log")).unwrap();
        (head["count"], head["head"]) = ((v.last + 1).into(), super::hash(text.lines().last().unwrap()).into());
        v.write_head(&head);
        v.folder.fill(1);
        (v.known(), Some(v.last + 2))
    }),
    ("a forged erasure", |v| {
        blank(&v.folder, 100);
        v.append_unsigned(json!({"kind": "erasure", "seqs": [[100, 100]], "reason": "?"}));
        (v.known(), Some(100))
    }),
    ("a forged erasure, and Tollgate goes on", |v| {
        blank(&v.folder, 100);
        v.append_unsigned(json!({"kind": "erasure", "seqs": [[100, 100]], "reason": "?"}));
        v.folder.fill(1);
        (v.known(), Some(100))
    }),
    ("an erasure with the key", |v| {
        append(&v.folder, "erasure", &[("seqs", json!([[100, 100]])), ("names", json!(["arguments", "cwd"]))]);
        blank(&v.folder, 100);
        (v.known(), None)
    }),
    ("an erasure with the key, of other fields", |v| {
        append(&v.folder, "erasure", &[("seqs", json!([[100, 100]])), ("names", json!(["arguments"]))]);
        blank(&v.folder, 100);
        (v.known(), Some(100))
    }),
    ("an erasure of what comes later", |v| {
        append(&v.folder, "erasure", &[("seqs", json!([[1, v.last + 10]]))]);
        v.folder.fill(3);
        blank(&v.folder, v.last + 3);
        (v.known(), Some(v.last + 3))
    }),
    ("a record changed between an erased one and its erasure", |v| {
        v.edit(ERASED + 50, "Bash", "Dash");
        (v.known(), Some(ERASED + 50))
    }),
    ("a forged retention", |v| {
        let second: Value = serde_json::from_str(&v.line(v.firsts[1])).unwrap();
        v.append_unsigned(json!({"kind": "retention", "through": v.firsts[1] - 1, "head": second["prev"]}));
        fs::remove_file(v.path(1, "log")).unwrap();
        (v.known(), Some(1))
    }),
    ("a retention with the key", |v| {
        let second: Value = serde_json::from_str(&v.line(v.firsts[1])).unwrap();
        append(&v.folder, "retention", &[("through", json!(v.firsts[1] - 1)), ("head", second["prev"].clone())]);
        ["log", "fields"].iter().for_each(|end| fs::remove_file(v.path(1, end)).unwrap());
        (v.known(), None)
    }),
    ("a retention with the key, and a record changed before it", |v| {
        let second: Value = serde_json::from_str(&v.line(v.firsts[1])).unwrap();
        append(&v.folder, "retention", &[("through", json!(v.firsts[1] - 1)), ("head", second["prev"].clone())]);
        ["log", "fields"].iter().for_each(|end| fs::remove_file(v.path(1, end)).unwrap());
        v.edit(v.firsts[1] + 20, "Bash", "Dash");
        (v.known(), Some(v.firsts[1] + 20))
    }),
    ("more removed than the retention says", |v| {
        let second: Value = serde_json::from_str(&v.line(v.firsts[1])).unwrap();
        append(&v.folder, "retention", &[("through", json!(v.firsts[1] - 1)), ("head", second["prev"].clone())]);
        [1, v.firsts[1]].iter().for_each(|first| fs::remove_file(v.path(*first, "log")).unwrap());
        (v.known(), Some(1))
    }),
];

//! `tollgate log verify` and `key`, as a user meets them.

mod common;
#[path = "common/records.rs"]
mod records;

use common::Sandbox;
use expect_test::{Expect, expect};
use records::{Records, change, check, dir, session};

#[test]
fn a_good_log() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 19 records (1 to 19), 2 signatures, 25 fields
              signed up to 19 with key fa7b1c10aac9…
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify", "--json"],
        expect![[r#"
        {
          "ok": true,
          "flaw": null,
          "records": 19,
          "first": 1,
          "last": 19,
          "signatures": 2,
          "fields": 25,
          "erased": 0,
          "unfinished": 0,
          "signed": 19,
          "unsigned": [],
          "anchors": 0,
          "key": "fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e",
          "key_from": "own",
          "notes": []
        }
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify", "--key", &"00".repeat(32)],
        expect![[r#"
            bad: record 1: from here on nobody with the key wrote this: at 1, it was signed
                 with another key
                 read: 0 records, 1 signature, 0 fields
            [1]
        "#]],
    );
}

#[test]
fn bad_logs() {
    let check_changed = |file: &str, with: &dyn Fn(String) -> String, expected: Expect| {
        let sandbox = session();
        change(&sandbox, file, with);
        check(&sandbox, &["log", "verify"], expected);
    };
    let first = "000000000001";
    check_changed(
        &format!("{first}.log"),
        &|text| text.replace("shell-safety/delete-outside", "git-safety/push"),
        expect![[r#"
            bad: record 8: it was changed, or the record after it was: their hashes do not
                 fit
                 read: 8 records (1 to 8), 1 signature, 11 fields
            [1]
        "#]],
    );
    check_changed(
        &format!("{first}.fields"),
        &|text| text.replace("rm -rf", "ls -la"),
        expect![[r#"
            bad: record 8: its field `arguments` was changed
                 read: 19 records (1 to 19), 2 signatures, 25 fields
            [1]
        "#]],
    );
    check_changed(
        &format!("{first}.fields"),
        &|text| text.lines().skip(1).map(|line| format!("{line}\n")).collect(),
        expect![[r#"
            bad: record 3: its field `arguments` is gone, and nobody wrote down that it was
                 erased
                 read: 19 records (1 to 19), 2 signatures, 24 fields
            [1]
        "#]],
    );
    check_changed(
        &format!("{first}.log"),
        &|text| text.lines().take(12).map(|line| format!("{line}\n")).collect(),
        expect![[r#"
        bad: record 13: the end is cut off: the signed head speaks of 19 records, and 7
             are gone
             read: 12 records (1 to 12), 2 signatures, 17 fields
        [1]
    "#]],
    );
    check_changed(
        "head",
        &|_| "nonsense".to_owned(),
        expect![[r#"
        bad: record 19: the file `head` cannot be read
             read: 19 records (1 to 19), 1 signature, 25 fields
        [1]
    "#]],
    );
    let sandbox = session();
    change(&sandbox, &format!("{first}.log"), |text| text.replace("prompt.submit", "prompt.forged"));
    check(
        &sandbox,
        &["log", "verify", "--json"],
        expect![[r#"
            {
              "ok": false,
              "flaw": {
                "seq": 3,
                "what": "it was changed, or the record after it was: their hashes do not fit"
              },
              "records": 3,
              "first": 1,
              "last": 3,
              "signatures": 1,
              "fields": 1,
              "erased": 0,
              "unfinished": 0,
              "signed": 0,
              "unsigned": [],
              "anchors": 0,
              "key": "fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e",
              "key_from": "own",
              "notes": []
            }
            [1]
        "#]],
    );
}

#[test]
fn anchors_are_compared() {
    let sandbox = session();
    let head = std::fs::read_to_string(dir(sandbox.root()).join("head")).unwrap();
    sandbox.write("head.json", &head);
    sandbox.write("other.json", "{}");
    check(
        &sandbox,
        &["log", "verify", "--anchor", "head.json"],
        expect![[r#"
        good: 19 records (1 to 19), 3 signatures, 25 fields
              signed up to 19 with key fa7b1c10aac9…; fits 1 anchored head
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify", "--anchor", "other.json"],
        expect![[r#"
        error: `other.json` is no signed head, so it proves nothing
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify", "--anchor", "nowhere.json"],
        expect![[r#"
        error: there is no file `nowhere.json`
        [2]
    "#]],
    );
    let anchor = sandbox.project().join("anchored");
    sandbox.user_policy(&format!("[audit]\nanchor.file = '{}'\n", anchor.display()));
    let ran = sandbox.run(&["log", "verify"]);
    // Where the line is broken depends on how long the path is.
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ran.code, Some(0));
    assert!(
        said.ends_with("note: the policy's anchor `/project/anchored` is not there, so it was not compared"),
        "{said}"
    );
    std::fs::write(&anchor, &head).unwrap();
    std::fs::remove_dir_all(dir(sandbox.root())).unwrap();
    drop(Records::new(sandbox.root()).session());
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
            bad: record 1: this is another log than the one that an anchored head speaks of
                 read: 19 records (1 to 19), 2 signatures, 25 fields
            [1]
        "#]],
    );
    std::fs::remove_dir_all(dir(sandbox.root())).unwrap();
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        bad: record 1: the end is cut off: an anchored head speaks of 19 records, and 19
             are gone
             read: 0 records, 1 signature, 0 fields
        [1]
    "#]],
    );
}

#[test]
fn records_that_were_not_signed_are_named() {
    let sandbox = session();
    let old = std::fs::read(dir(sandbox.root()).join("head")).unwrap();
    let records = Records::new(sandbox.root());
    records.add(records::event("turn.stop", "pass"));
    std::fs::write(dir(sandbox.root()).join("head"), old).unwrap();
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 20 records (1 to 20), 2 signatures, 25 fields
              signed up to 19 with key fa7b1c10aac9…
        note: record 20 was not signed when written; somebody without the key could have
              added it
        [0]
    "#]],
    );
    // The next writer says so, for ever.
    Records::new(sandbox.root()).add(records::event("session.end", "pass"));
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 22 records (1 to 22), 3 signatures, 25 fields
              signed up to 22 with key fa7b1c10aac9…
        note: record 20 was not signed when written; somebody without the key could have
              added it
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "-n", "2"],
        expect![[r#"
            seq  UTC       act   what         about  (all by claude)
            2023-11-14
             21  22:13:21        checkpoint   found unsigned: record 20
             22  22:13:21  pass  session end
            [0]
        "#]],
    );
}

#[test]
fn without_its_key_ones_own_log_is_not_proven() {
    let sandbox = session();
    std::fs::remove_file(records::key_dir(sandbox.root()).join("audit.key")).unwrap();
    let ran = sandbox.run(&["log", "verify"]);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ran.code, Some(1), "{said}");
    assert!(said.starts_with("not proven: 19 records (1 to 19)"), "{said}");
    assert!(
        said.contains("note: the key of this log is not in `/home/state/data/audit`. Without it nothing"),
        "{said}"
    );
    let json = sandbox.run(&["log", "verify", "--json"]);
    assert_eq!((json.code, &json.json()["ok"]), (Some(1), &serde_json::json!(false)));
    // Whoever knows the key, or looks at a copy, is told what they were told before.
    let key = "fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e";
    assert_eq!(sandbox.run(&["log", "verify", "--key", key]).code, Some(0));
    let dir = dir(sandbox.root());
    assert_eq!(sandbox.run(&["log", "verify", "--dir", dir.to_str().unwrap()]).code, Some(0));
}

#[test]
fn the_key() {
    let alone = session().run(&["log", "key"]).out;
    assert_eq!(alone, "fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e\n");
    check(
        &session(),
        &["log", "key"],
        expect![[r#"
        fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e

        This key is no secret. Give it to whoever is to check the log, on another way
        than the log itself; `tollgate log export --bundle DIR` copies the log, and
        `tollgate log verify --dir DIR --key KEY` checks it.
        [0]
    "#]],
    );
    check(
        &Sandbox::new(),
        &["log", "key"],
        expect![[r#"
        there is no key yet: it is made with the first record of the log in
        /home/state/state/audit
        [1]
    "#]],
    );
}

//! `tollgate log stats`, `erase`, `anchor` and `new`, as a user meets them.

mod common;
#[path = "common/records.rs"]
mod records;

use expect_test::expect;
use records::{Records, call, check, dir, key_dir, session};
use serde_json::json;
use tollgate_audit::Settings;

#[test]
fn how_much_of_what() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "stats"],
        expect![[r#"
              calls      8 in 1 session
              denied     1 (12.5%)
              asked      1 (12.5%); humans granted 1, refused 0
              faults     1 of interceptors
              open       1 call that never ended
              records    19

            over time
              calls   █ 8
                      █
                      █
                      █
              denied  █ 1
                      2023-11-14T22 2023-11-14T22

            tools                                              calls      denied       asked
              Bash                                                 5           1           1
              Read                                                 1           0           0
              WebFetch                                             1           0           0
              mcp__tracker__create_issue                           1           0           0

            agents                                             calls      denied       asked
              claude                                               8           1           1

            rules                                             denied       asked    observed
              egress/new-host                                      0           0           1
              git-safety/push                                      0           1           0
              shell-safety/delete-outside                          1           0           0

            slowest interceptors                                mean     longest       turns
              meter                                           15.0 s      15.0 s           1
              rules                                           1.0 ms      1.2 ms           2
              scrub                                            48 µs       85 µs           2
            [0]
        "#]],
    );
    let ran = sandbox.run(&["log", "stats", "--json"]);
    assert_eq!(ran.json()["records"], 19, "{}", ran.all());
    check(
        &sandbox,
        &["log", "stats", "--since", "2030-01-01"],
        expect![[r#"
        nothing was recorded
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "stats", "--since", "whenever"],
        expect![[r#"
        error: `whenever` is no moment; write how long ago (`2h`, `7d`), a day (`2026-11-01`) or a time (`2026-11-01T09:30:00Z`)
        [2]
    "#]],
    );
}

#[test]
fn what_is_about_somebody_can_be_erased() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "erase", "--reason", "x"],
        expect![[r#"
        error: the following required arguments were not provided:
          <--session <ID>|--principal <NAME>|--seq <N[-M]>>

        Usage: tollgate log erase --reason <TEXT> <--session <ID>|--principal <NAME>|--seq <N[-M]>>

        For more information, try '--help'.
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "0x3", "--reason", "x"],
        expect![[r#"
        error: `0x3` is no number of a record; write `57` or `57-90`
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--session", "nobody", "--reason", "x", "--yes"],
        expect![[r#"
        no record is like that, or all of them are erased already
        [1]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3-8", "--reason", "asked to on 15 November"],
        expect![[r#"
            6 records would lose for ever: arguments, changes, cwd, reason, result, said
              with --yes it is done
            [1]
        "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3-8", "--field", "result", "--reason", "x"],
        expect![[r#"
        2 records would lose for ever: result
          with --yes it is done
        [1]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3", "--field", "result", "--reason", "x", "--yes"],
        expect![[r#"
        no record is like that, or all of them are erased already
        [1]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3-8", "--field", "result", "--reason", "x", "--json"],
        expect![[r#"
        {
          "records": 0,
          "fields": 0,
          "noted": [],
          "found": 2,
          "names": [
            "result"
          ]
        }
        [1]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3-8", "--reason", "asked to on 15 November", "--yes"],
        expect![[r#"
        erased 11 fields of 6 records; record 20 says so
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 20 records (1 to 20), 2 signatures, 14 fields
              signed up to 20 with key fa7b1c10aac9…
        note: 11 fields were erased, as the log says
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "show", "3"],
        expect![[r#"
            record 3: prompt.submit
              time       2023-11-14 22:13:22.000000 UTC
              point      prompt.submit
              session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
              agent      claude
              erased     arguments

            decision
              act        pass

            in the log
              hash       <hash>
              before it  <hash>
              stands in  000000000001.log, line 3
            [0]
        "#]],
    );
    assert!(!sandbox.run(&["log", "--grep", "rm -rf"]).out.contains("rm -rf"));
}

#[test]
fn an_erasure_that_cannot_be_meant_is_refused() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "erase", "--seq", "3", "--field", "argumnts", "--reason", "x", "--yes"],
        expect![[r#"
        error: there is no field `argumnts`; did you mean `arguments`?
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3", "--field", "everything", "--reason", "x", "--yes"],
        expect![[r#"
        error: there is no field `everything`; there are arguments, result, reason, cwd, principal, labels, chain, approval, changes, said, notes, headers, by, error
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "3", "--reason", " ", "--yes"],
        expect![[r#"
        error: `--reason` is empty; say why, for whoever reads the log later
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "57", "--reason", "x", "--yes"],
        expect![[r#"
        error: there is no record 57; the log has 1 to 19
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "erase", "--seq", "57-90", "--reason", "x", "--yes"],
        expect![[r#"
        error: there is no record from 57 to 90; the log has 1 to 19
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 19 records (1 to 19), 2 signatures, 25 fields
              signed up to 19 with key fa7b1c10aac9…
        [0]
    "#]],
    );
}

/// Whoever is recorded does not decide what stays in the record.
#[test]
fn what_takes_from_the_log_wants_a_person() {
    let sandbox = session();
    for args in [&["log", "erase", "--seq", "3", "--reason", "x", "--yes"][..], &["log", "new", "--yes"]] {
        let output = sandbox.command(args).env_remove("TOLLGATE_KEY").stdin(std::process::Stdio::null()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains("is for people, and"), "{args:?}: {said}");
    }
    let ran = sandbox.run(&["log", "verify"]);
    assert!(ran.out.starts_with("good: 19 records (1 to 19), 2 signatures, 25 fields"), "{}", ran.all());
}

#[test]
fn an_erasure_says_that_older_logs_were_not_touched() {
    let sandbox = session();
    assert_eq!(sandbox.run(&["log", "new", "--yes"]).code, Some(0));
    drop(Records::new(sandbox.root()).session());
    let old = std::fs::read_dir(dir(sandbox.root())).unwrap().map(|entry| entry.unwrap().path());
    let old = old.into_iter().find(|path| path.is_dir()).unwrap();
    let name = old.file_name().unwrap().to_str().unwrap();
    let ran = sandbox.run(&["log", "erase", "--seq", "4", "--reason", "x", "--yes"]);
    let said = format!("note: an older log was not touched: {name} in /home/state/state/audit\n");
    assert!(ran.out.ends_with(&said), "{}", ran.all());
    let ran = sandbox.run(&["log", "erase", "--seq", "5-8", "--reason", "x", "--yes", "--json"]);
    assert_eq!(ran.json()["untouched"], json!([name]));
}

#[test]
fn an_anchor_is_not_put_back() {
    let sandbox = common::Sandbox::new();
    let records = Records::new(sandbox.root());
    let add = |count: u32| (0..count).map(|_| records.add(call("Bash", "exec", "c", json!({})))).last();
    assert_eq!(add(12), Some(13));
    let (log, aside) = (dir(sandbox.root()), sandbox.root().join("aside"));
    let copy = |from: &std::path::Path, to: &std::path::Path| {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    };
    copy(&log, &aside);
    assert_eq!(add(6), Some(19));
    let place = sandbox.root().join("route");
    sandbox.user_policy(&format!("audit.anchor = {{ file = '{}' }}\n", place.display()));
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
            published to /route: 19 records up to 2023-11-14T22:13:38.000000Z
            [0]
        "#]],
    );
    let published = std::fs::read_to_string(&place).unwrap();
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
            /route has this head already: 19 records up to 2023-11-14T22:13:38.000000Z
            [0]
        "#]],
    );
    copy(&aside, &log);
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
            error: the anchor speaks of 19 records and the log has 13; run `tollgate log verify`
            [2]
        "#]],
    );
    assert_eq!(std::fs::read_to_string(&place).unwrap(), published);
    // Somebody else's lines say nothing about this log.
    std::fs::write(&place, format!("{{}}\n{}", published.replace("\"count\":19", "\"count\":90"))).unwrap();
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
            published to /route: 13 records up to 2023-11-14T22:13:32.000000Z
            [0]
        "#]],
    );
}

#[test]
fn a_home_that_is_not_used_is_mentioned() {
    let sandbox = session();
    let note = "note: TOLLGATE_HOME is ignored: it leads into the project (or is not absolute)\n";
    let inside = sandbox.project().join("home");
    for (home, expected) in [
        ("relative", note),
        (inside.to_str().unwrap(), note),
        (sandbox.root().join("home/state").to_str().unwrap(), ""),
    ] {
        let ran = sandbox.command(&["log"]).env("TOLLGATE_HOME", home).output().unwrap();
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), expected, "{home}");
    }
}

#[test]
fn heads_are_published_where_the_policy_says() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
        error: the policy has no anchor; name a place in the policy, such as `[audit] anchor = { file = "/mnt/other/head" }`, or use --print
        [2]
    "#]],
    );
    let place = sandbox.root().join("route");
    sandbox.user_policy(&format!("audit.anchor = {{ file = '{}' }}\n", place.display()));
    check(
        &sandbox,
        &["log", "anchor"],
        expect![[r#"
            published to /route: 19 records up to 2023-11-14T22:13:38.000000Z
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
        good: 19 records (1 to 19), 3 signatures, 25 fields
              signed up to 19 with key fa7b1c10aac9…; fits 1 anchored head
        [0]
    "#]],
    );
    let printed = sandbox.run(&["log", "anchor", "--print"]);
    assert_eq!(printed.out, std::fs::read_to_string(&place).unwrap());
    // An older copy of the whole log is found by what was published.
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
fn a_log_can_be_set_aside() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "new"],
        expect![[r#"
        19 records would be set aside and a new log begun; with --yes it is done
        [1]
    "#]],
    );
    std::fs::remove_file(key_dir(sandbox.root()).join("audit.key")).unwrap();
    let done = sandbox.run(&["log", "new", "--yes"]);
    assert!(done.out.starts_with("the old log is now in "), "{}", done.all());
    let ran = sandbox.run(&["log"]);
    assert!(ran.out.contains("follows     a log of 19 records, set aside"), "{}", ran.all());
    let ran = sandbox.run(&["log", "verify"]);
    assert!(ran.out.starts_with("good: 2 records (1 to 2)"), "{}", ran.all());
    let old = std::fs::read_dir(dir(sandbox.root())).unwrap().map(|entry| entry.unwrap().path());
    let old = old.into_iter().find(|path| path.is_dir()).unwrap();
    let ran = sandbox.run(&["log", "verify", "--dir", old.to_str().unwrap()]);
    assert!(ran.out.starts_with("good: 19 records"), "{}", ran.all());
    let empty = common::Sandbox::new();
    check(
        &empty,
        &["log", "new", "--yes"],
        expect![[r#"
        nothing is recorded yet, so there is nothing to set aside
        [1]
    "#]],
    );
}

#[test]
fn older_records_are_found_through_the_index() {
    let sandbox = common::Sandbox::new();
    let records = Records::with(sandbox.root(), Settings::default());
    for number in 0..12_000 {
        let tool = if number == 7 { "Needle" } else { "Bash" };
        records.add(call(tool, "exec", &format!("c-{number}"), json!({ "command": format!("echo {number}") })));
    }
    let ran = sandbox.run(&["log", "--tool", "needle", "--json"]);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.all());
    assert!(ran.out.contains("\"echo 7\""), "{}", ran.out);
    let cache: Vec<_> = walk(sandbox.root()).into_iter().filter(|path| path.contains("audit.sqlite")).collect();
    assert!(!cache.is_empty(), "the index was not used");
    // Without the index it takes longer, and is the same.
    cache.iter().for_each(|path| std::fs::write(path, "garbage").unwrap());
    assert_eq!(sandbox.run(&["log", "--tool", "needle", "--json"]).out, ran.out);
}

fn walk(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path.display().to_string()] }).collect()
}

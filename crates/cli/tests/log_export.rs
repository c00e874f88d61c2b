//! `tollgate log export`, and what is kept encrypted, as a user meets them.

mod common;
#[path = "common/records.rs"]
mod records;

use std::os::unix::fs::PermissionsExt;

use common::Sandbox;
use expect_test::expect;
use records::{Records, change, check, key_dir, session};
use tollgate_audit::Settings;

#[test]
fn exports() {
    let sandbox = session();
    check(
        &sandbox,
        &["log", "export", "--act", "deny", "--format", "csv"],
        expect![[r#"
            seq,time,kind,point,act,rule,by,cause,tool,became,tool_kind,session,agent,surface,server,model,call,intent,ended,took_us,approved,granted,stream,digest,arguments,result,reason,cwd,principal,labels,chain,approval,changes,said,notes,erased
            8,2023-11-14T22:13:27.000000Z,event,tool.before,deny,shell-safety/delete-outside,rules,objection,Bash,,exec,3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10,claude,hook,,,c-3,,,,,,,d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1,"{""command"":""rm -rf ~/projects/other --verbose"",""timeout"":60}",,"deletes what lies outside the workspace; move it to the trash, or ask the user to do it",,,,,,,"[{""text"":""deletes what lies outside the workspace"",""who"":""rules""}]",,
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "export", "--out", "all.jsonl"],
        expect![[r#"
        wrote 19 records to all.jsonl
        [0]
    "#]],
    );
    let text = std::fs::read_to_string(sandbox.project().join("all.jsonl")).unwrap();
    let all: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        all.iter().map(|record| record["seq"].as_u64().unwrap()).collect::<Vec<_>>(),
        (1..=19).collect::<Vec<_>>()
    );
    assert_eq!(all[3]["fields"]["arguments"]["file_path"], "src/main.rs");
    check(
        &sandbox,
        &["log", "export", "--out", "all.jsonl", "--tool", "Read"],
        expect![[r#"
        error: there is a `/project/all.jsonl`; `--force` writes over it
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "export", "--out", "all.jsonl", "--tool", "Read", "--force"],
        expect![[r#"
        wrote 2 records to all.jsonl
        [0]
    "#]],
    );
    assert_eq!(std::fs::read_to_string(sandbox.project().join("all.jsonl")).unwrap().lines().count(), 2);
    check(
        &sandbox,
        &["log", "export", "--out", "/dev/null", "--force"],
        expect![[r#"
        error: `/dev/null` is no file
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "export", "--out", "no/such/folder.jsonl"],
        expect![[r#"
        error: cannot write `no/such/folder.jsonl`: No such file or directory (os error 2)
        [2]
    "#]],
    );
    let left: Vec<_> = std::fs::read_dir(sandbox.project()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["all.jsonl"], "nothing half written is left");
}

#[test]
fn an_export_that_cannot_be_whole_is_none() {
    let sandbox = session();
    change(&sandbox, "000000000001.log", |text| text.replace("\"act\":\"ask\"", "\"act\":ask"));
    check(
        &sandbox,
        &["log", "export", "--out", "all.jsonl"],
        expect![[r#"
            error: nothing was written to `all.jsonl`: the line at byte 4490 of segment 000000000001 cannot be read (expected value at line 1 column 8); run `tollgate log verify`
            [2]
        "#]],
    );
    assert_eq!(std::fs::read_dir(sandbox.project()).unwrap().count(), 0);
    // Looking at it is another matter.
    check(
        &sandbox,
        &["log", "-n", "100"],
        expect![[r#"
            seq  UTC       act      what          about  (all by claude)
            2023-11-14
              1  22:13:21           checkpoint    the log begins
              2  22:13:21  pass     session
              3  22:13:22  pass     prompt        make the tests pass, then deploy
              4  22:13:23  ok       Read          src/main.rs
              6  22:13:25  error    Bash          cargo test --offline  edited, 3.2 s
              8  22:13:27  deny     Bash          rm -rf ~/pro…  shell-safety/delete-outside
             11  22:13:30  granted  approval      call c-4  by ann
             12  22:13:31  ok       Bash          git push origin main  approved
             14  22:13:33  error    WebFetch      https://docs.exampl…  observed: egress/ne…
             16  22:13:35  ok       mcp__tracke…  {"labels":["bug"],"title":"Flaky test"}
             18  22:13:37  pass     response      m-large All tests pass.  42 pieces
             19  22:13:38  pass     Bash          sleep 600
            error: the line at byte 4490 of segment 000000000001 cannot be read (expected value at line 1 column 8); run `tollgate log verify`
            [2]
        "#]],
    );
}

#[test]
fn a_bundle_can_be_checked_elsewhere() {
    let sandbox = Sandbox::new();
    drop(Records::with(sandbox.root(), Settings { segment: 4_000, ..Settings::default() }).session());
    check(
        &sandbox,
        &["log", "export", "--bundle", "bundle"],
        expect![[r#"
        copied 3 files of records to bundle
          check it: tollgate log verify --dir bundle
        The key in it travels with the log. To prove something, give whoever checks it
        the key of `tollgate log key` on another way, for `--key`.
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "export", "--bundle", "bundle"],
        expect![[r#"
        error: there is a `bundle`; a bundle goes into a new folder
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["log", "export", "--bundle", "part", "--act", "deny"],
        expect![[r#"
        error: a bundle is the whole log: with some of its records left out, nobody could check it
        [2]
    "#]],
    );
    let mut files: Vec<_> =
        std::fs::read_dir(sandbox.project().join("bundle")).unwrap().map(|entry| entry.unwrap()).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    assert!(files.iter().all(|file| file.metadata().unwrap().permissions().mode() & 0o077 == 0));
    let stranger = Sandbox::new();
    for file in files {
        let name = file.file_name().into_string().unwrap();
        stranger.write(&format!("copy/{name}"), &std::fs::read_to_string(file.path()).unwrap());
    }
    check(
        &stranger,
        &["log", "verify", "--dir", "copy"],
        expect![[r#"
        good: 21 records (1 to 21), 4 signatures, 25 fields
              signed up to 21 with key fa7b1c10aac9…
        note: the key was taken from the file `key` beside the log, which proves only
              that the log fits together; give the one you know with `--key`
        [0]
    "#]],
    );
    check(
        &stranger,
        &["log", "--dir", "copy", "-n", "1"],
        expect![[r#"
            seq  UTC       act   what  about  (all by claude)
            2023-11-14
             21  22:13:38  pass  Bash  sleep 600
            [0]
        "#]],
    );
    check(
        &stranger,
        &["log", "key", "--dir", "copy"],
        expect![[r#"
        fa7b1c10aac973364625a37c8de55b61e23de120ab815b8ed59fa361c01ac84e

        This key came with the log. Compare it with the one that `tollgate log key`
        prints where the log was written: whoever made up the log could have made up the
        key.
        [0]
    "#]],
    );
    let key = std::fs::read_to_string(sandbox.project().join("bundle/key")).unwrap();
    check(
        &stranger,
        &["log", "verify", "--dir", "copy", "--key", key.trim()],
        expect![[r#"
        good: 21 records (1 to 21), 4 signatures, 25 fields
              signed up to 21 with key fa7b1c10aac9…
        [0]
    "#]],
    );
    std::fs::remove_file(stranger.project().join("copy/key")).unwrap();
    check(
        &stranger,
        &["log", "verify", "--dir", "copy"],
        expect![[r#"
        good: 21 records (1 to 21), 4 signatures, 25 fields
              signed up to 21 with key fa7b1c10aac9…
        note: the key was taken from the log itself because none was given, which proves
              only that the log fits together; `tollgate log key` prints it where the
              log was written
        [0]
    "#]],
    );
}

#[test]
fn sealed_values_are_opened_for_who_has_the_key() {
    let sandbox = Sandbox::new();
    let commitment = "ab".repeat(32);
    let record = format!(
        r#"{{"act":"pass","fields":{{"arguments":"{commitment}"}},"kind":"event","point":"tool.before","prev":"{}","seq":1,"time":"2023-11-14T22:13:20.000000Z","tool":"Deploy","v":1}}"#,
        "0".repeat(64)
    );
    let sealed = "zbhFv2Z/wYeS+E7rnIMxM7iQHd/YygI7Hgskod9doPUfdydfU8usnWL51rP+vwk7Quzd3WkccAPgYU8thYQa82A8dBY23Bb/yI3T+Eguv+KMk7JS5EeElZWARY4VsALkOLGYxr4=";
    let fields = format!(r#"{{"fields":{{"arguments":["{}",{{"sealed":"{sealed}"}}]}},"seq":1}}"#, "03".repeat(16));
    sandbox.write("sealed/000000000001.log", &format!("{record}\n"));
    sandbox.write("sealed/000000000001.fields", &format!("{fields}\n"));
    check(
        &sandbox,
        &["log", "--dir", "sealed"],
        expect![[r#"
            seq  UTC       act   what    about
            2023-11-14
              1  22:13:20  pass  Deploy  (sealed)
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "show", "1", "--dir", "sealed"],
        expect![[r#"
            record 1: a call, before it ran
              time       2023-11-14 22:13:20.000000 UTC
              tool       Deploy
              point      tool.before

            decision
              act        pass

            arguments
              (sealed; `--unseal` opens it)

            the same call
              open       nobody recorded how it ended: it still runs, its process died, or
                         its surface does not say

            in the log
              hash       nothing speaks of it yet
              before it  <hash>
              stands in  000000000001.log, line 1
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "show", "1", "--dir", "sealed", "--unseal"],
        expect![[r#"
        error: the field `arguments` is sealed, and there is no key; it is `TOLLGATE_SEAL_KEY`, or `/home/state/data/audit/audit-seal.key`
        [2]
    "#]],
    );
    let seal = key_dir(sandbox.root()).join("audit-seal.key");
    records::private(&seal, &"02".repeat(32));
    check(
        &sandbox,
        &["log", "show", "1", "--dir", "sealed", "--unseal"],
        expect![[r#"
        error: the field `arguments` was sealed with another key; it is `TOLLGATE_SEAL_KEY`, or `/home/state/data/audit/audit-seal.key`
        [2]
    "#]],
    );
    records::private(&seal, &"01".repeat(32));
    check(
        &sandbox,
        &["log", "show", "1", "--dir", "sealed", "--unseal"],
        expect![[r#"
            record 1: a call, before it ran
              time       2023-11-14 22:13:20.000000 UTC
              tool       Deploy
              point      tool.before

            decision
              act        pass

            arguments
              command: deploy --to staging
              password: [redacted:password]

            the same call
              open       nobody recorded how it ended: it still runs, its process died, or
                         its surface does not say

            in the log
              hash       nothing speaks of it yet
              before it  <hash>
              stands in  000000000001.log, line 1
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "show", "1", "--dir", "sealed", "--unseal", "--reveal"],
        expect![[r#"
            record 1: a call, before it ran
              time       2023-11-14 22:13:20.000000 UTC
              tool       Deploy
              point      tool.before

            decision
              act        pass

            arguments
              command: deploy --to staging
              password: hunter2hunter2

            the same call
              open       nobody recorded how it ended: it still runs, its process died, or
                         its surface does not say

            in the log
              hash       nothing speaks of it yet
              before it  <hash>
              stands in  000000000001.log, line 1
            [0]
        "#]],
    );
}

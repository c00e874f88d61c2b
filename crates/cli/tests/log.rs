//! `tollgate log`, as a user meets it.

mod common;
#[path = "common/records.rs"]
mod records;

use common::Sandbox;
use expect_test::expect;
use records::{Records, Sketch, call, change, check, session};
use serde_json::json;

#[test]
fn a_session_as_a_table() {
    check(
        &session(),
        &["log"],
        expect![[r#"
            seq  UTC       act      what          about  (all by claude)
            2023-11-14
              1  22:13:21           checkpoint    the log begins
              2  22:13:21  pass     session
              3  22:13:22  pass     prompt        make the tests pass, then deploy
              4  22:13:23  ok       Read          src/main.rs
              6  22:13:25  error    Bash          cargo test --offline  edited, 3.2 s
              8  22:13:27  deny     Bash          rm -rf ~/pro…  shell-safety/delete-outside
             10  22:13:29  ask      Bash          git push origin main  git-safety/push
             11  22:13:30  granted  approval      call c-4  by ann
             12  22:13:31  ok       Bash          git push origin main  approved
             14  22:13:33  error    WebFetch      https://docs.exampl…  observed: egress/ne…
             16  22:13:35  ok       mcp__tracke…  {"labels":["bug"],"title":"Flaky test"}
             18  22:13:37  pass     response      m-large All tests pass.  42 pieces
             19  22:13:38  pass     Bash          sleep 600
            [0]
        "#]],
    );
}

#[test]
fn pages_and_filters() {
    let sandbox = session();
    for (args, expected) in [
        (
            &["-n", "3"][..],
            expect![[r#"
                seq  UTC       act   what          about  (all by claude)
                2023-11-14
                 16  22:13:35  ok    mcp__tracke…  {"labels":["bug"],"title":"Flaky test"}
                 18  22:13:37  pass  response      m-large All tests pass.  42 pieces
                 19  22:13:38  pass  Bash          sleep 600
                [0]
            "#]],
        ),
        (
            &["-n", "2", "--before", "6"],
            expect![[r#"
                seq  UTC       act   what    about  (all by claude)
                2023-11-14
                  3  22:13:22  pass  prompt  make the tests pass, then deploy
                  4  22:13:23  ok    Read    src/main.rs
                [0]
            "#]],
        ),
        (
            &["--before", "1"],
            expect![[r#"
            there is no record before that
            [0]
        "#]],
        ),
        (
            &["--before", "99", "-n", "1"],
            expect![[r#"
                seq  UTC       act   what  about  (all by claude)
                2023-11-14
                 19  22:13:38  pass  Bash  sleep 600
                [0]
            "#]],
        ),
        (
            &["--act", "deny"],
            expect![[r#"
            seq  UTC       act   what  about  (all by claude)
            2023-11-14
              8  22:13:27  deny  Bash  rm -rf ~/projects/other…  shell-safety/delete-outside
            [0]
        "#]],
        ),
        (
            &["--act", "Block"],
            expect![[r#"
            seq  UTC       act   what  about  (all by claude)
            2023-11-14
              8  22:13:27  deny  Bash  rm -rf ~/projects/other…  shell-safety/delete-outside
            [0]
        "#]],
        ),
        (
            &["--tool", "bash", "-n", "2"],
            expect![[r#"
                seq  UTC       act   what  about  (all by claude)
                2023-11-14
                 13  22:13:32  ok    Bash  ↳ 12 git push origin main  approved
                 19  22:13:38  pass  Bash  sleep 600
                [0]
            "#]],
        ),
        (
            &["--session", "3f9a", "--point", "prompt.submit"],
            expect![[r#"
                seq  UTC       act   what    about  (all by claude)
                2023-11-14
                  3  22:13:22  pass  prompt  make the tests pass, then deploy
                [0]
            "#]],
        ),
        (
            &["--rule", "git-safety/push"],
            expect![[r#"
            seq  UTC       act  what  about  (all by claude)
            2023-11-14
             10  22:13:29  ask  Bash  git push origin main  git-safety/push
            [0]
        "#]],
        ),
        (
            &["--grep", "FLAKY"],
            expect![[r#"
                seq  UTC       act   what          about  (all by claude)
                2023-11-14
                 16  22:13:35  pass  mcp__tracke…  {"labels":["bug"],"title":"Flaky test"}
                [0]
            "#]],
        ),
        (
            &["--grep", "nowhere to be found"],
            expect![[r#"
            no record is like that
            [0]
        "#]],
        ),
        (
            &["--since", "2023-11-14T22:13:36Z", "--until", "2023-11-14T22:13:38Z"],
            expect![[r#"
                seq  UTC       act   what          about  (all by claude)
                2023-11-14
                 17  22:13:36  ok    mcp__tracke…  ↳ 16 {"labels":["bug"],"title":"Flaky test"}
                 18  22:13:37  pass  response      m-large All tests pass.  42 pieces
                [0]
            "#]],
        ),
        (
            &["--since", "2h"],
            expect![[r#"
            no record is like that
            [0]
        "#]],
        ),
        // Its call began before the page does.
        (
            &["--grep", "1 failed"],
            expect![[r#"
            seq  UTC       act    what  about  (all by claude)
            2023-11-14
              7  22:13:26  error  Bash  ↳ 6 cargo test --offline  3.2 s
            [0]
        "#]],
        ),
    ] {
        check(&sandbox, &[&["log"], args].concat(), expected);
    }
}

#[test]
fn everything_about_a_record() {
    let sandbox = session();
    for (seq, expected) in [
        (
            "1",
            expect![[r#"
            record 1: a checkpoint: all before it is signed
              time       2023-11-14 22:13:21.000000 UTC
              says       the log begins

            in the log
              hash       <hash>
              before it  <hash>
              stands in  000000000001.log, line 1
            [0]
        "#]],
        ),
        (
            "6",
            expect![[r#"
                record 6: a call, before it ran
                  time       2023-11-14 22:13:25.000000 UTC
                  tool       Bash (exec)
                  point      tool.before
                  call       c-2
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  agent      claude
                  surface    hook
                  folder     /home/dev/app

                decision
                  act        pass

                asked
                  who    role     said         took
                  scrub  edit     passed      85 µs  changed /command
                  scrub  edit     passed      12 µs  second look
                  rules  guard    passed     1.2 ms
                  meter  watcher  faulted      15 s  took too long, broke: timeout

                changed
                  scrub changed /command
                    - cargo test
                    + cargo test --offline
                    +

                arguments
                  command:
                    cargo test --offline

                the same call
                  7          it ended: error after 3.2 s

                in the log
                  hash       <hash>
                  before it  <hash>
                  digest     d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1
                  stands in  000000000001.log, line 6
                [0]
            "#]],
        ),
        (
            "7",
            expect![[r#"
                record 7: what a call came to
                  time       2023-11-14 22:13:26.000000 UTC
                  tool       Bash
                  point      tool.after
                  call       c-2
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  agent      claude

                decision
                  act        pass
                  ended      error after 3.2 s

                result
                  code: 101
                  stdout: 1 failed

                the same call
                  6          it began

                in the log
                  hash       <hash>
                  before it  <hash>
                  stands in  000000000001.log, line 7
                [0]
            "#]],
        ),
        (
            "8",
            expect![[r#"
                record 8: a call that was refused
                  time       2023-11-14 22:13:27.000000 UTC
                  tool       Bash (exec)
                  point      tool.before
                  call       c-3
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  agent      claude
                  surface    hook

                decision
                  act        deny: it was refused
                  rule       shell-safety/delete-outside
                  by         rules
                  cause      objection
                  reason     deletes what lies outside the workspace; move it to the trash, or
                             ask the user to do it
                  said       rules: deletes what lies outside the workspace

                asked
                  who    role   said        took
                  rules  guard  denied    950 µs

                arguments
                  command: rm -rf ~/projects/other --verbose
                  timeout: 60

                the same call
                  9          it ended: denied

                in the log
                  hash       <hash>
                  before it  <hash>
                  digest     d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1
                  stands in  000000000001.log, line 8
                [0]
            "#]],
        ),
        (
            "11",
            expect![[r#"
                record 11: a human's answer
                  time       2023-11-14 22:13:30.000000 UTC
                  call       c-4
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  by         ann

                decision
                  act        granted

                the same call
                  10         it was asked about
                  12         it began
                  13         it ended: ok after 812 ms

                in the log
                  hash       <hash>
                  before it  <hash>
                  stands in  000000000001.log, line 11
                [0]
            "#]],
        ),
        (
            "12",
            expect![[r#"
                record 12: a call, before it ran
                  time       2023-11-14 22:13:31.000000 UTC
                  tool       Bash (exec)
                  point      tool.before
                  call       c-4
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  agent      claude
                  surface    hook
                  folder     /home/dev/app

                decision
                  act        pass
                  approval   granted by ann at 2023-11-14T22:13:29Z

                arguments
                  command: git push origin main

                the same call
                  10         it was asked about
                  11         a human granted it
                  13         it ended: ok after 812 ms

                in the log
                  hash       <hash>
                  before it  <hash>
                  digest     d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1
                  stands in  000000000001.log, line 12
                [0]
            "#]],
        ),
        (
            "19",
            expect![[r#"
                record 19: a call, before it ran
                  time       2023-11-14 22:13:38.000000 UTC
                  tool       Bash (exec)
                  point      tool.before
                  call       c-7
                  session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
                  agent      claude
                  surface    hook
                  folder     /home/dev/app

                decision
                  act        pass

                arguments
                  command: sleep 600

                the same call
                  open       nobody recorded how it ended: it still runs, its process died, or
                             its surface does not say

                in the log
                  hash       <hash>
                  before it  <hash>
                  digest     d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1
                  stands in  000000000001.log, line 19
                [0]
            "#]],
        ),
    ] {
        check(&sandbox, &["log", "show", seq], expected);
    }
}

#[test]
fn what_was_erased_and_what_the_log_says_of_itself() {
    let sandbox = Sandbox::new();
    let records = Records::new(sandbox.root());
    records.add(call("Bash", "exec", "c-1", json!({"command": "cat letter.txt"})).begins("c-1"));
    let note = Sketch::new;
    records.add(note("erasure").member("seqs", json!([[2, 2]])).member("reason", json!("somebody asked for it")));
    records.add(note("retention").member("through", json!(0)));
    records.add(note("anchor").member("count", json!(1)).field("error", json!("no route to host")));
    change(&sandbox, "000000000001.fields", |text| {
        let (before, after) = text.split_once("[").unwrap();
        let (_, after) = after.split_once("],").unwrap();
        format!("{before}null,{after}")
    });
    check(
        &sandbox,
        &["log"],
        expect![[r#"
            seq  UTC       act   what        about  (all by claude)
            2023-11-14
              1  22:13:21        checkpoint  the log begins
              2  22:13:21  pass  Bash        (erased)
              3  22:13:22        erasure     all fields of record 2 erased
              4  22:13:23        retention   records up to 0 were removed
              5  22:13:24        anchor      the head of 1 record could not be published
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "show", "2"],
        expect![[r#"
            record 2: a call, before it ran
              time       2023-11-14 22:13:21.000000 UTC
              tool       Bash (exec)
              point      tool.before
              call       c-1
              session    3f9a01c2-7d55-4e0b-9a41-0c6f2b7d8e10
              agent      claude
              surface    hook
              folder     /home/dev/app
              erased     arguments

            decision
              act        pass

            the same call
              open       nobody recorded how it ended: it still runs, its process died, or
                         its surface does not say

            in the log
              hash       <hash>
              before it  <hash>
              digest     d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1
              stands in  000000000001.log, line 2
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["log", "show", "3"],
        expect![[r#"
        record 3: erasure
          time       2023-11-14 22:13:22.000000 UTC
          says       all fields of record 2 erased
          why        somebody asked for it

        in the log
          hash       <hash>
          before it  <hash>
          stands in  000000000001.log, line 3
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["log", "verify"],
        expect![[r#"
            good: 5 records (1 to 5), 2 signatures, 2 fields
                  signed up to 5 with key fa7b1c10aac9…
            note: 1 field was erased, as the log says
            note: an erasure was interrupted: 1 field should be gone and is still there;
                  erase again
            [0]
        "#]],
    );
    let record = sandbox.run(&["log", "show", "2", "--json"]).json();
    assert_eq!((&record["erased"], &record["fields"]), (&json!(["arguments"]), &json!({"cwd": "/home/dev/app"})));
}

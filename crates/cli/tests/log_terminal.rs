//! `tollgate log` and what it is given to show: nothing of it may reach a terminal as it is.

mod common;
#[path = "common/records.rs"]
mod records;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use common::Sandbox;
use expect_test::expect;
use records::{Records, call, check, dir, ended, event, session};
use serde_json::{Value, json};
use tollgate_audit::Settings;

/// What a terminal would obey, or what would change how the rest of a line is shown.
fn is_obeyed(c: char) -> bool {
    c != '\n' && c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// How many cells a line takes, where every character that may be wide is.
fn cells(line: &str) -> usize {
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}');
    line.chars().map(|c| if wide(c) { 2 } else { usize::from(!matches!(c, '\u{300}'..='\u{36f}')) }).sum()
}

const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}]0;owned\u{7}echo \u{9b}31m",
    "one\ntwo\r\nthree\ttabs\u{b}\u{c}\u{8}",
    "safe\u{202e}gnp.exe\u{2066}\u{200f}\u{200b}\u{feff}\u{ad}",
    "日本語のとても長いコマンドを実行してから全部のファイルを消すかもしれません日本語のとても長いコマンド",
    "🚀🔥👩‍👩‍👧‍👦🏳️‍🌈 deploy 🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥🚀🔥",
    "Z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}alg\u{301}\u{301}\u{301}\u{301}o",
    "\u{e0041}\u{e0042}\u{7f}\u{80}",
];

fn hostile() -> Sandbox {
    let sandbox = Sandbox::new();
    let records = Records::new(sandbox.root());
    let long = "unbreakable".repeat(200);
    for text in HOSTILE.iter().copied().chain([long.as_str()]) {
        let turns = json!([{"who": text, "role": text, "said": text, "took_us": 1, "changed": [text], "fault": text}]);
        let changes = json!([{"who": text, "path": text, "from": text, "to": [text]}]);
        let mut refused = call(text, text, text, json!({"command": text, text: {text: [text]}})).begins(text);
        for name in ["act", "rule", "by", "cause", "agent", "session", "surface", "server", "model", "native"] {
            refused = refused.member(name, json!(text));
        }
        records.add(refused.member("turns", turns).field("changes", changes).field("reason", json!(text)));
        records.add(ended(text, text, text, 5).field("result", json!(text)));
        records.add(
            call(text, "exec", "c", json!({"command": text})).member("act", json!("deny")).member("rule", json!(text)),
        );
        records.add(event(text, "pass").field("arguments", json!([text])).field("labels", json!([text])));
    }
    sandbox
}

#[test]
fn nothing_that_an_agent_wrote_is_obeyed_by_a_terminal() {
    let sandbox = hostile();
    let shows: Vec<String> = (1..=33).map(|seq: u32| seq.to_string()).collect();
    let mut all = vec![vec!["log", "-n", "99"], vec!["log", "-n", "99", "--json"], vec!["log", "export"]];
    all.push(vec!["log", "export", "--format", "csv"]);
    all.extend([vec!["log", "stats", "--json"], vec!["log", "key", "--json"]]);
    all.extend(shows.iter().map(|seq| vec!["log", "show", seq]));
    all.extend(shows.iter().map(|seq| vec!["log", "show", seq, "--json"]));
    for args in all {
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        for line in ran.out.lines() {
            assert!(!line.contains(is_obeyed), "{args:?}: {line:?}");
            let free = args.contains(&"--json") || args.contains(&"export");
            assert!(free || cells(line) <= 80, "{args:?}: {} cells: {line}", cells(line));
        }
    }
}

#[test]
fn what_is_typed_wrong_is_not_obeyed_either() {
    let sandbox = session();
    for args in [
        ["log", "--act", HOSTILE[0]],
        ["log", "--since", HOSTILE[0]],
        ["log", "--session", HOSTILE[0]],
        ["log", "--dir", HOSTILE[0]],
    ] {
        let ran = sandbox.run(&args);
        assert!(!ran.all().contains(is_obeyed), "{args:?}: {:?}", ran.all());
    }
}

#[test]
fn numbers_that_somebody_made_up_do_no_harm() {
    let sandbox = Sandbox::new();
    let record = |seq: u64| {
        let time = "2026-11-15T09:30:00.000000Z";
        let record = json!({"v": 1, "seq": seq, "time": time, "kind": "event", "point": "tool.before", "act": "pass",
            "call": "c", "took_us": u64::MAX, "turns": [{"who": "x", "said": "passed", "took_us": u64::MAX}]});
        format!("{record}\n")
    };
    let most = u64::MAX.to_string();
    sandbox.write("huge/000000000001.log", &[record(1), record(2), record(u64::MAX - 1), record(u64::MAX)].concat());
    sandbox.write("gap/000000000001.log", &[record(1), record(2)].concat());
    sandbox.write("gap/999999999000.log", &record(999_999_999_000));
    let before = sandbox.run(&["log", "--before", &most, "--json", "--dir", "gap"]);
    assert_eq!(before.out.lines().count(), 3, "what is behind the gap is found: {}", before.all());
    for dir in ["huge", "gap"] {
        for args in [
            &["log"][..],
            &["log", "--before", &most],
            &["log", "--before", &most, "--json"],
            &["log", "--tool", "x"],
            &["log", "show", "1"],
            &["log", "show", &most],
            &["log", "stats"],
            &["log", "verify"],
            &["log", "export"],
            &["replay"],
        ] {
            let ran = sandbox.run(&[args, &["--dir", dir]].concat());
            assert!(ran.code.is_some_and(|code| code <= 2), "{args:?}: {}", ran.all());
        }
    }
}

#[test]
fn json_lines_are_the_records() {
    let sandbox = session();
    let ran = sandbox.run(&["log", "--json", "-n", "4"]);
    let all: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs: Vec<u64> = all.iter().map(|record| record["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, [16, 17, 18, 19]);
    assert_eq!(
        all[0]["fields"],
        json!({"arguments": {"labels": ["bug"], "title": "Flaky test"}, "cwd": "/home/dev/app"})
    );
    assert_eq!((&all[1]["intent"], &all[1]["ended"]), (&json!(16), &json!("ok")));
    let shown = sandbox.run(&["log", "show", "6", "--json"]).json();
    assert_eq!((&shown["same_call"], &shown["line"]), (&json!([7]), &json!(6)));
}

#[test]
fn clear_errors() {
    let sandbox = session();
    for (args, expected) in [
        (
            &["log", "show", "99"][..],
            expect![[r#"
            error: there is no record 99; the log has 1 to 19
            [2]
        "#]],
        ),
        (
            &["log", "show", "0"],
            expect![[r#"
            error: there is no record 0; the log has 1 to 19
            [2]
        "#]],
        ),
        (
            &["log", "show", "many"],
            expect![[r#"
            error: invalid value 'many' for '<SEQ>': invalid digit found in string

            For more information, try '--help'.
            [2]
        "#]],
        ),
        (
            &["log", "show", "99", "--json"],
            expect![[r#"
            {"ok":false,"error":true,"mistakes":"there is no record 99; the log has 1 to 19"}
            [2]
        "#]],
        ),
        (
            &["log", "--act", "stopp"],
            expect![[r#"
                error: there is no act `stopp`; there are pass, route, ask, answer, deny
                [2]
            "#]],
        ),
        (
            &["log", "--act", "frobnicate"],
            expect![[r#"
                error: there is no act `frobnicate`; there are pass, route, ask, answer, deny
                [2]
            "#]],
        ),
        (
            &["log", "--point", "tool.befor"],
            expect![[r#"
            error: there is no point `tool.befor`; did you mean `tool.before`?
            [2]
        "#]],
        ),
        (
            &["log", "--since", "yesterday"],
            expect![[r#"
                error: `yesterday` is no moment; write how long ago (`2h`, `7d`), a day (`2026-11-01`) or a time (`2026-11-01T09:30:00Z`)
                [2]
            "#]],
        ),
        (
            &["log", "--until", "2026-02-30"],
            expect![[r#"
                error: `2026-02-30` is no moment; write how long ago (`2h`, `7d`), a day (`2026-11-01`) or a time (`2026-11-01T09:30:00Z`)
                [2]
            "#]],
        ),
        (
            &["log", "-n", "-3"],
            expect![[r#"
            error: unexpected argument '-3' found

            Usage: tollgate log [OPTIONS]
                   tollgate log <COMMAND>

            For more information, try '--help'.
            [2]
        "#]],
        ),
        (
            &["log", "--dir", "nowhere"],
            expect![[r#"
            error: cannot read `nowhere`: No such file or directory (os error 2)
            [2]
        "#]],
        ),
        (
            &["log", "verify", "--key", "abc"],
            expect![[r#"
            error: `abc` is no public key: it has 64 hexadecimal digits
            [2]
        "#]],
        ),
        (
            &["log", "show", "3", "--reveal"],
            expect![[r#"
            error: the following required arguments were not provided:
              --unseal

            Usage: tollgate log show --unseal --reveal <SEQ>

            For more information, try '--help'.
            [2]
        "#]],
        ),
    ] {
        check(&sandbox, args, expected);
    }
}

#[test]
fn where_there_is_nothing() {
    let sandbox = Sandbox::new();
    for (args, expected) in [
        (
            &["log"][..],
            expect![[r#"
            nothing is recorded yet
              every call that an agent makes through Tollgate adds to it
              looked in /home/state/state/audit
            [0]
        "#]],
        ),
        (
            &["log", "--json"],
            expect![[r#"
            [0]
        "#]],
        ),
        (
            &["log", "verify"],
            expect![[r#"
            nothing to check: there is no record in /home/state/state/audit
              if there were any, all of them are gone: only an anchor kept elsewhere can
              tell
            [1]
        "#]],
        ),
        (
            &["log", "show", "1"],
            expect![[r#"
            error: there is no record 1; nothing is recorded in `/home/state/state/audit`
            [2]
        "#]],
        ),
        (
            &["log", "export"],
            expect![[r#"
            error: there is nothing to export: no record is in `/home/state/state/audit`
            [2]
        "#]],
        ),
        (
            &["log", "--dir", "."],
            expect![[r#"
            there is no record in `.`; a log has files like 000000000001.log
            [0]
        "#]],
        ),
    ] {
        check(&sandbox, args, expected);
    }
    sandbox.user_policy("[audit]\nenabled = false\n");
    check(
        &sandbox,
        &["log"],
        expect![[r#"
        nothing is recorded yet
          nothing will be: the policy has `[audit] enabled = false`
          looked in /home/state/state/audit
        [0]
    "#]],
    );
    let ran = sandbox.command(&["log"]).env_remove("HOME").env_remove("TOLLGATE_HOME").output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8(ran.stderr).unwrap().contains("set `TOLLGATE_HOME` to a folder"));
}

#[test]
fn a_folder_that_cannot_be_read_is_said_to_be_so() {
    let sandbox = session();
    let folder = dir(sandbox.root());
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read_dir(&folder).is_ok();
    let ran = sandbox.run(&["log"]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    // The superuser reads everything.
    assert!(readable || ran.code == Some(2) && ran.err.contains("look at who owns it"), "{}", ran.all());
}

#[test]
fn help_teaches() {
    let sandbox = Sandbox::new();
    for args in [&["log"][..], &["log", "show"], &["log", "verify"], &["log", "export"], &["log", "key"]] {
        let ran = sandbox.run(&[args, &["--help"]].concat());
        assert!(ran.code == Some(0) && ran.out.contains("Example"), "{args:?}");
        assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{args:?}: {}", ran.out);
    }
}

#[test]
fn followers_see_what_others_append_across_files() {
    let sandbox = Sandbox::new();
    let records = Records::with(sandbox.root(), Settings { segment: 1_000, ..Settings::default() });
    records.add(event("session.start", "pass"));
    let mut child = sandbox.command(&["log", "-f", "-n", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let header: Vec<String> = lines.by_ref().take(3).collect();
    assert!(header[2].contains("session"), "{header:?}");
    for number in 0..20 {
        let id = format!("c-{number}");
        records.add(call("Bash", "exec", &id, json!({"command": format!("echo {number}.")})).begins(&id));
        let seen = lines.find(|line| line.contains(&format!("echo {number}."))).unwrap();
        assert!(seen.contains("Bash") && cells(&seen) <= 80, "{seen}");
    }
    assert!(std::fs::read_dir(dir(sandbox.root())).unwrap().count() > 6, "there are several files by now");
    records.add(ended("Bash", "c-19", "error", 5));
    assert!(lines.find(|line| line.contains("error")).unwrap().contains("echo 19."));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let status = child.wait().unwrap();
    assert!(lines.next().is_none(), "it ends quietly");
    // By the signal, so that a shell stops a script too, as it should.
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
}

#[test]
fn a_follower_whose_reader_went_away_ends() {
    let sandbox = Sandbox::new();
    let records = Records::new(sandbox.root());
    records.add(event("session.start", "pass"));
    let mut child = sandbox.command(&["log", "--follow", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    drop(out);
    records.add(event("session.end", "pass"));
    assert!(child.wait().unwrap().success());
}

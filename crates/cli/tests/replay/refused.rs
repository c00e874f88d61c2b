//! What cannot be replayed.

use expect_test::expect;
use serde_json::json;

use super::NO_PROD;
use super::common::{Ran, Sandbox};
use super::recording::{Recording, shown};

/// A file of the log, and what becomes of it.
type Damage = (&'static str, fn(String) -> String);

fn without(text: &str, what: &str) -> String {
    text.lines().filter(|line| !line.contains(what)).map(|line| format!("{line}\n")).collect()
}

const UNREADABLE: Damage = ("000000000001.log", |text| text.replacen("\"call-2\"", "\"call-2", 1));
const MISSING: Damage = ("000000000001.log", |text| without(&text, "\"seq\":3"));
const TIMELESS: Damage = ("000000000001.log", |text| text.replace("T22:13", "X22:13"));
const LOST: Damage = ("000000000001.fields", |text| without(&text, "psql prod"));

fn damaged((file, change): Damage, args: &[&str]) -> Ran {
    let mut recording = Recording::new();
    recording.bash("psql prod");
    recording.bash("ls");
    recording.rewrite(file, change);
    recording.try_rules(NO_PROD, args)
}

#[test]
fn a_damaged_log_is_not_replayed() {
    for (damage, expected) in [
        (UNREADABLE, "error: the line at byte "),
        (MISSING, "error: record 3 is missing;"),
        (TIMELESS, "error: record 2 has no time;"),
        (LOST, "error: record 2 has lost its `arguments`;"),
    ] {
        let ran = damaged(damage, &[]);
        assert!(ran.err.starts_with(expected), "{}", ran.err);
        assert!(ran.err.ends_with("; run `tollgate log verify`\n"), "{}", ran.err);
        assert_eq!((ran.out.as_str(), ran.code), ("", Some(2)), "{expected}");
    }
}

#[test]
fn a_document_that_has_begun_is_still_one() {
    let ran = damaged(UNREADABLE, &["--json", "--all"]);
    let found = ran.json();
    assert_eq!((&found["ok"], ran.code), (&json!(false), Some(2)));
    assert_eq!(found["changes"][0]["seq"], 2);
}

#[test]
fn what_cannot_be_done_is_said() {
    let sandbox = Sandbox::new();
    shown(
        &sandbox.run(&["replay"]),
        expect![[r#"
        error: there is no log in `/home/state/state/audit`; nothing was recorded there
        [2]
    "#]],
    );
    let mut recording = Recording::new();
    recording.bash("ls");
    shown(
        &recording.try_rules("[[rule]]\nid = 'x'\nblok = 'y'\n", &[]),
        expect![[r#"
            error: the policy has mistakes, so nothing is let through

            error: a `rule` has no key `blok`
             --> /project/new.toml:4:1
              |
            4 | blok = 'y'
              | ^^^^
              = help: did you mean `log`?
            [2]
        "#]],
    );
    shown(
        &recording.run(&["--rules", "missing.toml"]),
        expect![[r#"
            error: there is no file `missing.toml`; look at what follows `--rules`
            [2]
        "#]],
    );
    shown(
        &recording.run(&["--since", "soon"]),
        expect![[r#"
        error: --since: `soon` is no moment; write how long ago (`2h`, `7d`), a day (`2026-11-01`) or a time (`2026-11-01T09:30:00Z`)
        [2]
    "#]],
    );
    shown(
        &recording.run(&["--since", "2026-11-02", "--until", "2026-11-01"]),
        expect![[r#"
        error: --since (2026-11-02T00:00:00.000000Z) is not before --until (2026-11-01T00:00:00.000000Z), so nothing is between
        [2]
    "#]],
    );
    shown(
        &recording.run(&["--rules", "a.toml", "--config", "b.toml"]),
        expect![[r#"
        error: `--rules` and `--config` both name the policy to try; give one of them
        [2]
    "#]],
    );
    shown(
        &recording.run(&["--rules", "a.toml", "--defaults"]),
        expect![[r#"
        error: `--defaults` uses no file; give it or `--rules`
        [2]
    "#]],
    );
    for args in [["--session", "nope"], ["--tool", "Read"]] {
        let said = "error: no recorded call fits; look at `--session` and `--tool`\n[2]\n";
        assert_eq!(recording.run(&args).all(), said, "{args:?}");
    }
    assert_eq!(recording.run(&["--session", "nope", "--json", "--all"]).json()["ok"], false);
    // The beginning of an id will do.
    assert_eq!(recording.run(&["--session", "s-", "--json"]).json()["calls"]["all"], 1);
    shown(
        &recording.run(&["--dir", "nowhere"]),
        expect![[r#"
        error: there is no log in `nowhere`; nothing was recorded there
        [2]
    "#]],
    );
}

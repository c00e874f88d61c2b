//! Limits and duplicates, which depend on what came before.

use expect_test::expect;
use serde_json::json;

use super::recording::Recording;
use super::{NO_PROD, TEN_AN_HOUR};

#[test]
fn limits_count_by_the_time_of_the_record() {
    let record = |pause: u64| {
        let mut recording = Recording::new();
        for _ in 0..12 {
            recording.bash("make");
            recording.wait(pause);
        }
        recording
    };
    record(7200).check(
        TEN_AN_HOUR,
        &[],
        expect![[r#"
            12 calls and 12 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-15T20:13Z.

            With new.toml, nothing changes: 12 calls stay as they are.
            [0]
        "#]],
    );
    record(5).check(
        TEN_AN_HOUR,
        &[],
        expect![[r#"
            12 calls and 12 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:14Z.
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule    tool
                 2  pass → deny  slowly  Bash
                    #22 make

            With new.toml, 2 more calls would be stopped; 10 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn calls_that_run_only_now_are_counted_by_limits() {
    let mut recording = Recording::new();
    for _ in 0..12 {
        recording.call("Bash", json!({ "command": "psql prod" }), "deny", "no-prod");
    }
    let ran = recording.try_rules(TEN_AN_HOUR, &["--json"]);
    assert_eq!(ran.json()["calls"]["fewer_stopped"], 10);
    // Those that stay refused give nothing back that they did not take.
    let ran = recording.try_rules(&format!("{NO_PROD}{TEN_AN_HOUR}"), &["--json"]);
    assert_eq!(ran.json()["calls"]["same"], 12);
}

#[test]
fn duplicates_are_answered() {
    let mut recording = Recording::new();
    for _ in 0..3 {
        recording.call("create_issue", json!({ "title": "it is broken" }), "pass", "");
    }
    recording.check(
        "[[dedupe]]\ntool = 'create_issue'\nfor = '1h'\n",
        &[],
        expect![[r#"
            3 calls and 3 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The results of 2 calls are not compared: they do not run under both policies.

             count  change         rule    tool
                 2  pass → answer  dedupe  create_issue
                    #4 {"title":"it is broken"}

            With new.toml, 2 calls would go another way; 1 stays as it is.
            [1]
        "#]],
    );
}

#[test]
fn calls_are_counted_that_are_not_compared() {
    let mut recording = Recording::new();
    for session in ["s-1", "s-2"] {
        recording.session = session;
        for _ in 0..8 {
            recording.bash("make");
        }
    }
    let all = TEN_AN_HOUR.to_owned() + "per = 'all'\n";
    for (rules, args, calls, stopped) in [
        (&all, &["--session", "s-1"][..], 8, 0),
        (&all, &["--session", "s-2"], 8, 6),
        (&TEN_AN_HOUR.to_owned(), &["--session", "s-2"], 8, 0),
        (&all, &["--tool", "bash"], 16, 6),
    ] {
        let found = recording.try_rules(rules, &[args, &["--json"]].concat()).json();
        assert_eq!(found["calls"]["all"], calls, "{args:?}");
        assert_eq!(found["calls"]["more_stopped"], stopped, "{args:?}");
    }
}

#[test]
fn loops_are_found() {
    let mut recording = Recording::new();
    for _ in 0..7 {
        recording.bash("make");
    }
    let found = recording.try_rules("[[loop]]\nwarn = 2\ndeny = 5\ntool = 'exec'\n", &["--json"]).json();
    assert_eq!(found["calls"]["more_stopped"], 2);
    assert_eq!(found["groups"][0]["rule"], "loop");
}

#[test]
fn refused_calls_that_are_tried_again_are_no_loop() {
    let mut recording = Recording::new();
    for _ in 0..7 {
        recording.call("Bash", json!({ "command": "make" }), "deny", "no-make");
    }
    let found = recording.try_rules("[[loop]]\nwarn = 2\ndeny = 5\ntool = 'exec'\n", &["--json"]).json();
    assert_eq!(found["calls"]["fewer_stopped"], 7, "what would have come of them nobody knows");
}

#[test]
fn a_call_that_asks_for_permission_is_counted_once() {
    let mut recording = Recording::new();
    for number in 0..10 {
        let call = [("call", json!(format!("c-{number}"))), ("act", json!("pass"))];
        recording.begin("Bash", &call, "", Some(json!({ "command": "make" })));
        recording.begin("Bash", &call, "", Some(json!({ "command": "make" })));
    }
    let found = recording.try_rules(TEN_AN_HOUR, &["--json"]).json();
    assert_eq!(found["calls"]["same"], 20);
}

#[test]
fn a_permission_request_that_the_record_marks_is_no_guess() {
    let only_one = TEN_AN_HOUR.replace("10", "1");
    for (permission, stopped) in [(true, 0), (false, 1)] {
        let mut recording = Recording::new();
        let call = |permission: bool| [("call", "c".into()), ("act", "pass".into()), ("permission", permission.into())];
        recording.begin("Bash", &call(false), "", Some(json!({ "command": "make" })));
        // More calls than are remembered without an end.
        for _ in 0..300 {
            recording.begin("Read", &[("act", "pass".into())], "", Some(json!({})));
        }
        recording.begin("Bash", &call(permission), "", Some(json!({ "command": "make" })));
        let found = recording.try_rules(&only_one, &["--json"]).json();
        assert_eq!(found["calls"]["more_stopped"], stopped, "{permission}");
    }
}

#[test]
fn the_command_of_a_route_is_no_call_of_its_own() {
    let mut recording = Recording::new();
    recording.bash("ls");
    let routed = [("act", json!("deny")), ("routed", json!(true))];
    recording.begin("Bash", &routed, "no-prod", Some(json!({ "command": "psql prod" })));
    let found = recording.try_rules("", &["--json"]).json();
    assert_eq!((&found["calls"]["all"], &found["changed"]), (&json!(1), &json!(0)));
}

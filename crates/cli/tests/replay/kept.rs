//! What is kept of a call, and what is shown of it.

use expect_test::expect;
use serde_json::json;

use super::NO_PROD;
use super::recording::Recording;

#[test]
fn redacted_calls_are_judged_and_marked() {
    let mut recording = Recording::new();
    recording.bash("deploy --token [redacted:generic-secret] prod");
    recording.bash("ls");
    let long = format!("{}… [5000 bytes left out]", "x".repeat(50));
    recording.call("Write", json!({ "content": long, "file_path": "a.txt" }), "deny", "secrets/write");
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            3 calls and 3 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z. 2 were judged by what is left after redaction (*).
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule           tool
                1*  pass → deny  no-prod        Bash
                    #2 deploy --token [redacted:generic-secret] prod
                1*  deny → pass  secrets/write  Write
                    #6 a.txt

            With new.toml, 1 more call would be stopped, 1 fewer; 1 stays as it is.
            [1]
        "#]],
    );
    recording.check(
        NO_PROD,
        &["--all"],
        expect![[r#"
            #2*  pass → deny  no-prod  Bash  deploy --token [redacted:generic-secret] prod
            #6*  deny → pass  secrets/write  Write  a.txt

            3 calls and 3 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z. 2 were judged by what is left after redaction (*).
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule           tool
                1*  pass → deny  no-prod        Bash
                    #2 deploy --token [redacted:generic-secret] prod
                1*  deny → pass  secrets/write  Write
                    #6 a.txt

            With new.toml, 1 more call would be stopped, 1 fewer; 1 stays as it is.
            [1]
        "#]],
    );
}

#[test]
fn what_is_not_there_cannot_be_judged() {
    let mut recording = Recording::new();
    recording.bash("psql prod 1");
    recording.begin("Bash", &[("act", "pass".into())], "", None);
    recording.begin("Bash", &[("act", "pass".into())], "", Some(json!({ "command": "psql prod 2" })));
    recording.rewrite("000000000001.fields", |text| {
        let (before, rest) = text.rsplit_once("[\"").unwrap();
        let erased = rest.split_once("]}").unwrap().1;
        format!("{before}null}}{erased}")
    });
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            3 calls and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z. 2 could not be judged: 1 not kept, 1 erased.
            The result of 1 call is not compared: it does not run under both policies.

             count  change       rule     tool
                 1  pass → deny  no-prod  Bash
                    #2 psql prod 1

            With new.toml, 1 more call would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn sealed_arguments_are_opened_with_the_key() {
    let mut recording = Recording::new();
    let secret = "ghp_Zx9Kd81mzQp0aLw7TbX2cVn4Rt6Yu8Io3Pq5";
    recording.sealed("Bash", &json!({ "command": format!("psql prod; GH_TOKEN={secret} gh pr list") }));
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            1 call of 1 session between 2023-11-14T22:13Z and 2023-11-14T22:13Z. 1 could not
            be judged: 1 sealed without a key.

            With new.toml, no call could be compared.
            [0]
        "#]],
    );
    recording.give_key();
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            1 call of 1 session between 2023-11-14T22:13Z and 2023-11-14T22:13Z.

             count  change       rule     tool
                 1  pass → deny  no-prod  Bash
                    #2 psql prod; GH_TOKEN=[redacted:github-token] gh pr list

            With new.toml, 1 more call would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
    for args in [&["--all"][..], &["--json"], &["--json", "--all"]] {
        let ran = recording.try_rules(NO_PROD, args);
        assert!(!ran.all().contains(secret), "{}", ran.all());
    }
}

#[test]
fn of_what_was_too_long_to_be_sealed_the_beginning_is_judged_and_marked() {
    let mut recording = Recording::new();
    let beginning = json!({ "command": "psql prod… [2000000 bytes left out]" });
    recording.sealed("Bash", &json!({ "too_long": true, "beginning": beginning }));
    recording.give_key();
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            1 call of 1 session between 2023-11-14T22:13Z and 2023-11-14T22:13Z. 1 was
            judged by what is left after redaction (*).

             count  change       rule     tool
                1*  pass → deny  no-prod  Bash
                    #2 psql prod… [2000000 bytes left out]

            With new.toml, 1 more call would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
    // Whoever calls a tool may use the same words.
    recording.call("Bash", json!({ "too_long": true, "beginning": { "command": "psql prod" } }), "pass", "");
    let found = recording.try_rules(NO_PROD, &["--json"]).json();
    assert_eq!((&found["redacted"], &found["calls"]["more_stopped"]), (&json!(1), &json!(1)));
}

#[test]
fn what_was_left_out_of_lists_is_marked_too() {
    for note in ["… [3 items left out]", "[7 members left out]"] {
        let mut recording = Recording::new();
        recording.call("Write", json!({ "a": ["x", note] }), "pass", "");
        assert_eq!(recording.try_rules(NO_PROD, &["--json"]).json()["redacted"], 1, "{note}");
    }
}

#[test]
fn json_holds_nothing_that_a_terminal_obeys() {
    let mut recording = Recording::new();
    recording.call("tool\u{9b}\u{202e}", json!({ "a": "\u{9b}2J" }), "deny", "rule\u{202e}");
    for args in [&["--json"][..], &["--json", "--all"], &["--json", "--dir", "\u{9b}\u{202e}"], &["--dir", "\u{9b}"]] {
        let ran = recording.try_rules(NO_PROD, args).all();
        assert!(!ran.contains(['\u{9b}', '\u{202e}']), "{args:?}: {ran:?}");
    }
}

#[test]
fn what_an_agent_wrote_does_not_move_the_cursor() {
    let mut recording = Recording::new();
    let hostile = "prod \u{1b}[2J\u{1b}]0;owned\u{7}\r\u{202e}\n";
    recording.session = "\u{1b}[31m";
    recording.bash(&format!("{hostile}{}", "long ".repeat(100)));
    recording.call(&format!("tool{hostile}"), json!({ "a": hostile }), "deny", &format!("rule{hostile}"));
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            2 calls and 2 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule                            tool
                 1  pass → deny  no-prod                         Bash
                    #2 prod \u{1b}[2J\u{1b}]0;owned\u{7}\u{d}\u{202e}\nlong long long long …
                 1  deny → pass  ruleprod \u{1b}[2J\u{1b}]0;ow…  toolprod \u{1b}[2J\u{1b}]0…
                    #4 {"a":"prod \u001b[2J\u001b]0;owned\u0007\r\u{202e}\n"}

            With new.toml, 1 more call would be stopped, 1 fewer; 0 stay as they are.
            [1]
        "#]],
    );
    recording.check(
        NO_PROD,
        &["--all"],
        expect![[r##"
            #2  pass → deny  no-prod  Bash  prod \u{1b}[2J\u{1b}]0;owned\u{7}\u{d}\u{202e}\…
            #4  deny → pass  ruleprod \u{1b}[2J\u{1b}]0;ow…  toolprod \u{1b}[2J\u{1b}]0;ow……

            2 calls and 2 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule                            tool
                 1  pass → deny  no-prod                         Bash
                    #2 prod \u{1b}[2J\u{1b}]0;owned\u{7}\u{d}\u{202e}\nlong long long long …
                 1  deny → pass  ruleprod \u{1b}[2J\u{1b}]0;ow…  toolprod \u{1b}[2J\u{1b}]0…
                    #4 {"a":"prod \u001b[2J\u001b]0;owned\u0007\r\u{202e}\n"}

            With new.toml, 1 more call would be stopped, 1 fewer; 0 stay as they are.
            [1]
        "##]],
    );
}

//! `tollgate replay`: recorded calls under another policy.

mod common;
#[path = "replay/kept.rs"]
mod kept;
#[path = "replay/recording.rs"]
mod recording;
#[path = "replay/refused.rs"]
mod refused;
#[path = "replay/stateful.rs"]
mod stateful;

use expect_test::expect;
use recording::{Recording, shown};
use serde_json::json;

const NO_PROD: &str = "
[[rule]]
id = 'no-prod'
tool = 'exec'
arg.command = { contains = 'prod' }
deny = 'production is read-only'
";

const NO_READ: &str = "[[rule]]\nid = 'no-read'\nkind = 'read'\ndeny = 'no'\n";

const ASK_PROD: &str = "
[[rule]]
id = 'ask-prod'
tool = 'exec'
arg.command = { contains = 'prod' }
ask = 'really?'
";

const TEN_AN_HOUR: &str = "
[[limit]]
id = 'slowly'
tool = 'exec'
max = 10
every = '1h'
";

#[test]
fn nothing_changes() {
    let mut recording = Recording::new();
    recording.bash("ls");
    recording.wait(60);
    recording.session = "s-2";
    recording.call("Bash", json!({ "command": "psql prod" }), "deny", "no-prod");
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            2 calls and 2 other events of 2 sessions between 2023-11-14T22:13Z and
            2023-11-14T22:14Z.

            With new.toml, nothing changes: 2 calls stay as they are.
            [0]
        "#]],
    );
    recording.check(
        "",
        &["--until", "2020-01-01"],
        expect![[r#"
        No call was recorded in this time.

        With new.toml, no call could be compared.
        [0]
    "#]],
    );
}

#[test]
fn a_new_rule_stops_some_calls() {
    let mut recording = Recording::new();
    for number in 0..3 {
        recording.bash(&format!("psql prod -c 'drop table x{number}'"));
        recording.wait(3600);
    }
    recording.call("shell", json!({ "command": "echo prod" }), "pass", "");
    recording.call("Read", json!({ "file_path": "/srv/prod.txt" }), "pass", "");
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            5 calls and 5 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-15T01:13Z.
            The results of 3 calls are not compared: they do not run under both policies.

             count  change       rule     tool
                 3  pass → deny  no-prod  Bash
                    #2 psql prod -c 'drop table x0'

            With new.toml, 3 more calls would be stopped; 2 stay as they are.
            [1]
        "#]],
    );
    recording.check(
        &format!("{NO_PROD}{NO_READ}"),
        &["-n", "1"],
        expect![[r#"
            5 calls and 5 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-15T01:13Z.
            The results of 4 calls are not compared: they do not run under both policies.

             count  change       rule     tool
                 3  pass → deny  no-prod  Bash
                    #2 psql prod -c 'drop table x0'
            and 1 other kind of change; `-n` shows more, `--all` every record

            With new.toml, 4 more calls would be stopped; 1 stays as it is.
            [1]
        "#]],
    );
    recording.check(
        NO_PROD,
        &["--all"],
        expect![[r#"
            #2  pass → deny  no-prod  Bash  psql prod -c 'drop table x0'
            #4  pass → deny  no-prod  Bash  psql prod -c 'drop table x1'
            #6  pass → deny  no-prod  Bash  psql prod -c 'drop table x2'

            5 calls and 5 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-15T01:13Z.
            The results of 3 calls are not compared: they do not run under both policies.

             count  change       rule     tool
                 3  pass → deny  no-prod  Bash
                    #2 psql prod -c 'drop table x0'

            With new.toml, 3 more calls would be stopped; 2 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn without_a_rule_some_calls_go() {
    let mut recording = Recording::new();
    recording.bash("ls");
    for _ in 0..2 {
        recording.call("Bash", json!({ "command": "psql prod" }), "deny", "no-prod");
    }
    recording.check(
        "",
        &[],
        expect![[r#"
            3 calls and 3 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The results of 2 calls are not compared: they do not run under both policies.

             count  change       rule     tool
                 2  deny → pass  no-prod  Bash
                    #4 psql prod

            With new.toml, 2 fewer calls would be stopped; 1 stays as it is.
            [1]
        "#]],
    );
}

#[test]
fn questions_are_compared_and_not_their_answers() {
    let mut recording = Recording::new();
    let prod = || Some(json!({ "command": "psql prod" }));
    let act = |act: &str, cause: &str| [("act", act.into()), ("cause", cause.into())];
    recording.begin("Bash", &[("act", "ask".into())], "ask-prod", prod());
    recording.begin("Bash", &[("act", "ask".into()), ("approved", true.into())], "ask-prod", prod());
    recording.begin("Bash", &[("act", "pass".into()), ("approved", true.into())], "", prod());
    recording.begin("Bash", &act("deny", "refused"), "", prod());
    recording.begin("Bash", &act("deny", "expired"), "", prod());
    recording.begin("Bash", &act("deny", "fault"), "", prod());
    recording.begin("Bash", &act("deny", "fault"), "", Some(json!({ "command": "ls" })));
    recording.check(
        ASK_PROD,
        &[],
        expect![[r#"
            7 calls of 1 session between 2023-11-14T22:13Z and 2023-11-14T22:13Z.
            2 were refused by a human then; what counts is that the policy asked.
            2 were stopped then because something broke or could not be read: not compared.
            Of these, 2 would not be stopped now.

            With new.toml, nothing changes: 5 calls stay as they are.
            [0]
        "#]],
    );
    recording.check(
        NO_PROD,
        &[],
        expect![[r#"
            7 calls of 1 session between 2023-11-14T22:13Z and 2023-11-14T22:13Z.
            2 were refused by a human then; what counts is that the policy asked.
            2 were stopped then because something broke or could not be read: not compared.
            Of these, 1 would not be stopped now.

             count  change      rule     tool
                 5  ask → deny  no-prod  Bash
                    #2 psql prod

            With new.toml, 5 more calls would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn what_was_stopped_is_asked_about() {
    let mut recording = Recording::new();
    recording.call("Bash", json!({ "command": "psql prod" }), "deny", "no-prod");
    recording.bash("echo prod");
    recording.check(
        ASK_PROD,
        &[],
        expect![[r#"
            2 calls and 2 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.

             count  change      rule      tool
                 1  deny → ask  ask-prod  Bash
                    #2 psql prod
                 1  pass → ask  ask-prod  Bash
                    #4 echo prod

            With new.toml, 1 fewer call would be stopped; 1 more would be asked about; 0
            stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn a_window_may_begin_in_any_segment() {
    let mut recording = Recording::with_segments(1500);
    for number in 0..12 {
        recording.bash(&format!("psql prod {number}"));
        recording.wait(3600);
    }
    let segments = recording.dir().read_dir().unwrap().count();
    assert!(segments > 6, "{segments}");
    // The log begins at 2023-11-14T22:13:20Z.
    for (since, until, calls) in [
        ("2023-11-01", "2024-01-01", 12),
        ("2023-11-15", "2024-01-01", 10),
        ("2023-11-15T03:13:20", "2023-11-15T06:13:20", 3),
        ("2023-11-15T03:13:20.000001Z", "2023-11-15 06:13:21", 3),
        ("2020-01-01", "2023-11-14", 0),
        ("7d", "now", 0),
    ] {
        let found = recording.try_rules(NO_PROD, &["--since", since, "--until", until, "--json"]).json();
        assert_eq!(found["calls"]["more_stopped"], calls, "{since} {until}");
    }
}

#[test]
fn other_points_are_compared_too() {
    let mut recording = Recording::new();
    recording.event(
        &[("point", json!("prompt.submit")), ("act", json!("pass"))],
        &[("arguments", json!({ "text": "drop prod" }))],
    );
    recording.bash("ls");
    recording.bash("psql prod");
    let point = |point: &str, text: &str| {
        format!(
            "\n[[rule]]\nid = 'no-{text}'\non = '{point}'\ntool = '*'\ntext = {{ contains = '{text}' }}\ndeny = 'no'\n"
        )
    };
    let rules = [NO_PROD, &point("prompt.submit", "drop"), &point("tool.after", "done")].concat();
    recording.check(
        &rules,
        &[],
        expect![[r#"
            2 calls and 3 other events of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The result of 1 call is not compared: it does not run under both policies.

             count  change       rule     tool
                 1  pass → deny  no-drop  prompt.submit
                    #2 drop prod
                 1  pass → deny  no-done  Bash at tool.after
                    #4 {"content":[{"text":"done","type":"text"}]}
                 1  pass → deny  no-prod  Bash
                    #5 psql prod

            With new.toml, 1 more call would be stopped; 1 stays as it is.
            Beside calls, 2 more events would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn rules_that_only_observe_are_mentioned() {
    let mut recording = Recording::new();
    recording.bash("psql prod");
    recording.check(
        &format!("{NO_PROD}mode = 'observe'\n"),
        &[],
        expect![[r#"
            1 call and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            Rules that only observe would have objected to 1.

            With new.toml, nothing changes: 1 call stays as it is.
            [0]
        "#]],
    );
}

#[test]
fn facts_of_the_event_count() {
    let recording = Recording::new();
    let members = [
        ("point", json!("tool.before")),
        ("act", json!("pass")),
        ("tool", json!("deploy")),
        ("became", json!("ship")),
        ("call", json!("c")),
        ("agent", json!("main")),
        ("server", json!("ops")),
        ("surface", json!("mcp")),
        ("model", json!("m-1")),
    ];
    let fields = [("arguments", json!({})), ("principal", json!("ann")), ("cwd", json!("/srv"))];
    recording.event(&members, &fields);
    for (condition, changed) in [
        ("tool = 'ship'", 1),
        ("tool = 'deploy'", 0),
        ("agent = 'main'", 1),
        ("agent = 'other'", 0),
        ("server = 'ops'", 1),
        ("surface = 'mcp'", 1),
        ("model = 'm-1'", 1),
        ("session = 's-1'", 1),
        ("principal = 'ann'", 1),
        ("when = 'cwd == \"/srv\"'", 1),
    ] {
        let rules = format!("[[rule]]\nid = 'it'\n{condition}\ndeny = 'no'\n");
        let ran = recording.try_rules(&rules, &["--json"]);
        assert_eq!(ran.json()["changed"], changed, "{condition}");
        assert_eq!(ran.code, Some(changed), "{condition}");
    }
}

#[test]
fn as_json() {
    let mut recording = Recording::new();
    recording.bash("psql prod");
    recording.call("Bash", json!({ "command": "ls" }), "deny", "no-ls");
    recording.check(
        NO_PROD,
        &["--json"],
        expect![[r#"
            {
              "ok": true,
              "policy": "new.toml",
              "first": "2023-11-14T22:13:20.000000Z",
              "last": "2023-11-14T22:13:20.000000Z",
              "sessions": 1,
              "calls": {
                "all": 2,
                "same": 0,
                "changed": 2,
                "more_stopped": 1,
                "fewer_stopped": 1,
                "more_asked": 0,
                "fewer_asked": 0,
                "otherwise": 0
              },
              "others": {
                "all": 2,
                "same": 0,
                "changed": 0,
                "more_stopped": 0,
                "fewer_stopped": 0,
                "more_asked": 0,
                "fewer_asked": 0,
                "otherwise": 0
              },
              "changed": 2,
              "not_judged": {
                "not_kept": 0,
                "erased": 0,
                "sealed": 0
              },
              "redacted": 0,
              "hypothetical": 2,
              "refused_by_human": 0,
              "broke": {
                "all": 0,
                "not_stopped_now": 0
              },
              "observed": 0,
              "groups": [
                {
                  "count": 1,
                  "redacted": 0,
                  "from": "pass",
                  "to": "deny",
                  "rule": "no-prod",
                  "point": "tool.before",
                  "tool": "Bash",
                  "example": {
                    "seq": 2,
                    "from": "pass",
                    "to": "deny",
                    "rule": "no-prod",
                    "point": "tool.before",
                    "tool": "Bash",
                    "summary": "psql prod",
                    "redacted": false
                  }
                },
                {
                  "count": 1,
                  "redacted": 0,
                  "from": "deny",
                  "to": "pass",
                  "rule": "no-ls",
                  "point": "tool.before",
                  "tool": "Bash",
                  "example": {
                    "seq": 4,
                    "from": "deny",
                    "to": "pass",
                    "rule": "no-ls",
                    "point": "tool.before",
                    "tool": "Bash",
                    "summary": "ls",
                    "redacted": false
                  }
                }
              ],
              "ignored": []
            }
            [1]
        "#]],
    );
    let all = recording.try_rules(NO_PROD, &["--json", "--all"]).json();
    let seqs: Vec<_> = all["changes"].as_array().unwrap().iter().map(|change| &change["seq"]).collect();
    assert_eq!(seqs, [2, 4]);
    assert_eq!(all["changed"], 2);
    let none = recording.try_rules(NO_PROD, &["--json", "--all", "--until", "2020-01-01"]).json();
    assert_eq!(none["changes"], json!([]));
}

#[test]
fn without_rules_the_policy_that_holds_here_is_tried() {
    let mut recording = Recording::new();
    recording.bash("psql prod");
    shown(
        &recording.run(&[]),
        expect![[r#"
            1 call and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.

            With the policy as it is now, nothing changes: 1 call stays as it is.
            [0]
        "#]],
    );
    recording.sandbox.write("tollgate.toml", NO_PROD);
    shown(
        &recording.run(&[]),
        expect![[r#"
            1 call and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The result of 1 call is not compared: it does not run under both policies.

             count  change       rule     tool
                 1  pass → deny  no-prod  Bash
                    #2 psql prod

            With the policy as it is now, 1 more call would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
    shown(
        &recording.run(&["--defaults"]),
        expect![[r#"
            1 call and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.

            With the default packs, nothing changes: 1 call stays as it is.
            [0]
        "#]],
    );
    let dir = recording.dir();
    let elsewhere = recording.sandbox.project().join("copy");
    std::fs::rename(dir, &elsewhere).unwrap();
    shown(
        &recording.run(&["--dir", "copy", "--tool", "bash"]),
        expect![[r#"
            1 call and 1 other event of 1 session between 2023-11-14T22:13Z and
            2023-11-14T22:13Z.
            The result of 1 call is not compared: it does not run under both policies.

             count  change       rule     tool
                 1  pass → deny  no-prod  Bash
                    #2 psql prod

            With the policy as it is now, 1 more call would be stopped; 0 stay as they are.
            [1]
        "#]],
    );
}

#[test]
fn what_does_not_hold_is_said() {
    let mut recording = Recording::new();
    recording.bash("ls");
    recording.sandbox.write("tollgate.toml", "packs.use = []\n");
    // Where the lines end depends on the folder.
    let words = recording.run(&[]).out.replace('\n', " ");
    assert!(words.contains("ignored: leaving out shell-safety, git-safety, secrets"), "{words}");
    assert!(words.contains("is not trusted as it is now; read it, then run `tollgate trust`"), "{words}");
    let found = recording.run(&["--json"]).json();
    assert_eq!(found["ignored"][0]["line"], 1);
}

//! Every subcommand, as a user meets it.

mod common;

use common::Sandbox;
use expect_test::{Expect, expect};
use serde_json::json;

#[track_caller]
fn check(sandbox: &Sandbox, args: &[&str], expected: Expect) {
    let ran = sandbox.run(args);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "more than 80 columns: {line}");
    }
    expected.assert_eq(&ran.all());
}

#[test]
fn without_a_policy_the_packs_hold() {
    check(
        &Sandbox::new(),
        &["check"],
        expect![[r#"
            no policy file, so the default packs hold; `tollgate init --policy` writes one

            enforced
              packs      shell-safety, git-safety, secrets, sensitive-paths, infra,
                         database, egress
              rules      28 of packs, 0 of files
              records    redacted, files of 16 MB, kept for ever; no anchor

            the policy is right
            [0]
        "#]],
    );
}

#[test]
fn init_writes_a_policy_once() {
    let sandbox = Sandbox::new();
    check(
        &sandbox,
        &["init", "--policy"],
        expect![[r#"
        wrote tollgate.toml; everything in it is a comment, so the default packs hold
          tollgate check      what is enforced
          tollgate explain    what would happen to a command
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["check"],
        expect![[r#"
            project  /project/tollgate.toml

            enforced
              packs      shell-safety, git-safety, secrets, sensitive-paths, infra,
                         database, egress
              rules      28 of packs, 0 of files
              records    redacted, files of 16 MB, kept for ever; no anchor

            the policy is right
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["init", "--policy"],
        expect![[r#"
        error: there is a tollgate.toml here; `--force` writes over it
        [2]
    "#]],
    );
}

#[test]
fn what_is_recorded_is_shown() {
    let check_user = |policy: &str, expected: Expect| {
        let sandbox = Sandbox::new();
        sandbox.user_policy(&format!("packs.use = []\n[audit]\n{policy}"));
        check(&sandbox, &["check"], expected);
    };
    check_user(
        "keep = 'sealed'\nsync = 'full'\nsegment = '64kB'\nretain = '90d'\nanchor.file = '/mnt/other/head'",
        expect![[r#"
            user     /home/.config/tollgate/tollgate.toml

            enforced
              packs      none
              rules      0 of packs, 0 of files
              records    sealed, files of 64 kB, kept for 90 days, safe from power failures;
                         anchored at /mnt/other/head

            the policy is right
            [0]
        "#]],
    );
    check_user(
        "keep = 'nothing'\nretain = '36h'\non_fault = 'pass'\nanchor.url = 'https://ann:pw@notary.example/x?key=1'",
        expect![[r#"
            user     /home/.config/tollgate/tollgate.toml

            enforced
              packs      none
              rules      0 of packs, 0 of files
              records    decisions only, files of 16 MB, kept for 36 hours; anchored at
                         https://notary.example
              on fault   calls go on even if they cannot be recorded

            the policy is right
            [0]
        "#]],
    );
    check_user(
        "retain = '61m'\nanchor.command = ['publish-head', '--quiet']",
        expect![[r#"
        user     /home/.config/tollgate/tollgate.toml

        enforced
          packs      none
          rules      0 of packs, 0 of files
          records    redacted, files of 16 MB, kept for 61 minutes; anchored by
                     publish-head

        the policy is right
        [0]
    "#]],
    );
    check_user(
        "enabled = false\non_fault = 'pass'",
        expect![[r#"
        user     /home/.config/tollgate/tollgate.toml

        enforced
          packs      none
          rules      0 of packs, 0 of files
          records    none: nothing of what happens is recorded

        the policy is right
        [0]
    "#]],
    );
}

#[test]
fn a_relaxed_record_is_yellow() {
    let sandbox = Sandbox::new();
    sandbox.user_policy("audit.on_fault = 'pass'");
    let shown = sandbox.run(&["check", "--color", "always"]).out;
    assert!(shown.contains("\u{1b}[33;1mcalls go on even if they cannot be recorded\u{1b}[0m\n"), "{shown:?}");
    assert!(shown.contains("  records    redacted, files of 16 MB, kept for ever; no anchor\n"), "{shown:?}");
}

#[test]
fn what_is_recorded_is_data_too() {
    let sandbox = Sandbox::new();
    let audit = || sandbox.run(&["check", "--json"]).json()["audit"].clone();
    let usual = json!({
        "enabled": true,
        "keep": "redacted",
        "sync": "process",
        "on_fault": "deny",
        "segment": 16_000_000,
        "retain": null,
        "anchor": null,
    });
    assert_eq!(audit(), usual);
    sandbox.user_policy("[audit]\nenabled = false\nretain = '1h'\nanchor.command = ['publish-head']\n");
    assert_eq!(audit()["enabled"], false);
    assert_eq!(audit()["retain"], 3600);
    assert_eq!(audit()["anchor"], json!({ "command": ["publish-head"] }));
}

#[test]
fn every_mistake_is_shown_at_once() {
    let sandbox = Sandbox::with(
        "mode = \"enforced\"\n\n[[rule]]\nid = \"a\"\ntool = \"exec\"\ndenny = \"no\"\n\n[[rule]]\nid = \"a\"\ntool = { regex = \"(\" }\ndeny = \"no\"\nask = \"sure?\"\n",
    );
    check(
        &sandbox,
        &["check"],
        expect![[r#"
            error: the policy has mistakes, so nothing is let through

            error: `mode` cannot be `enforced`
             --> /project/tollgate.toml:1:8
              |
            1 | mode = "enforced"
              |        ^^^^^^^^^^
              = help: did you mean `enforce`?

            error: a `rule` has no key `denny`
             --> /project/tollgate.toml:6:1
              |
            6 | denny = "no"
              | ^^^^^
              = help: did you mean `deny`?

            error: a rule has one decision, and this has `deny` and `ask`
             --> /project/tollgate.toml:8:1
              |
            8 | [[rule]]
              | ^^^^^^^^
              = help: write a rule for each

            error: this is no regular expression: unclosed group
              --> /project/tollgate.toml:10:19
               |
            10 | tool = { regex = "(" }
               |                   ^

            4 errors
            [2]
        "#]],
    );
}

#[test]
fn with_mistakes_nothing_is_let_through() {
    let sandbox = Sandbox::with("[[rule]]\n");
    let ran = sandbox.run(&["explain", "ls"]);
    assert_eq!(ran.code, Some(2), "{}", ran.all());
    assert!(ran.err.contains("nothing is let through"), "{}", ran.err);
}

const RELAXED: &str =
    "mode = \"observe\"\n[[rule]]\nid = \"no-make\"\narg.command = { prefix = \"make\" }\ndeny = \"use ninja\"\n";

#[test]
fn a_project_relaxes_only_when_trusted_as_it_is() {
    let sandbox = Sandbox::with(RELAXED).keyed();
    let act = |sandbox: &Sandbox, command: &str| sandbox.run(&["explain", "--json", command]).json()["act"].clone();
    assert_eq!(act(&sandbox, "rm -rf /"), "deny");
    assert_eq!(act(&sandbox, "make all"), "deny", "its restriction holds untrusted");
    check(
        &sandbox,
        &["explain", "make all"],
        expect![[r#"
              call    make all
              does    nothing that is known to do harm
              rules   ✗ no-make (project)
                        deny: use ninja
                      26 more looked and had nothing to say
              so      deny
                      no-make: use ninja
              ignored `mode` does not hold: this file is not trusted as it is now; read it,
                      then run `tollgate trust`
                        at /project/tollgate.toml:1
            [1]
        "#]],
    );
    check(
        &sandbox,
        &["trust"],
        expect![[r#"
            trusted: /project/tollgate.toml
              exactly as it is now (sha256 448ea2beab0f); any change ends it
              take it back: tollgate trust --revoke /project/tollgate.toml
            [0]
        "#]],
    );
    assert_eq!(act(&sandbox, "rm -rf /"), "pass");
    check(
        &sandbox,
        &["explain", "rm -rf /"],
        expect![[r#"
              call    rm -rf /
              does    deletes / [delete root recursive force]
                        by `rm -rf /`
              rules   ○ shell-safety/delete-outside (pack shell-safety)
                        deny: deletes what lies outside the workspace
                        only observed
                      26 more looked and had nothing to say
              noted   shell-safety/delete-outside: would be refused:
                      shell-safety/delete-outside: deletes what lies outside the workspace
                      (/). Instead: delete only named paths inside the workspace or a
                      temporary folder
              so      pass
            [0]
        "#]],
    );
    let list = sandbox.run(&["trust", "--list"]);
    assert!(list.out.contains("config") && list.out.contains("/project/tollgate.toml"), "{}", list.out);
    // One byte more, and it is another file.
    sandbox.write("tollgate.toml", &format!("{RELAXED}\n"));
    assert_eq!(act(&sandbox, "rm -rf /"), "deny");
    sandbox.write("tollgate.toml", RELAXED);
    assert_eq!(act(&sandbox, "rm -rf /"), "pass");
    check(
        &sandbox,
        &["trust", "--revoke"],
        expect![[r#"
        no longer trusted: /project/tollgate.toml
        [0]
    "#]],
    );
    check(
        &sandbox,
        &["trust", "--revoke"],
        expect![[r#"
        was not trusted: /project/tollgate.toml
        [1]
    "#]],
    );
    assert_eq!(act(&sandbox, "rm -rf /"), "deny");
}

#[test]
fn the_users_own_file_relaxes() {
    let sandbox = Sandbox::new();
    sandbox.user_policy("[override.\"shell-safety/publish\"]\nmode = \"off\"\n");
    assert_eq!(sandbox.run(&["explain", "npm publish"]).code, Some(0));
    assert_eq!(sandbox.run(&["explain", "rm -rf /"]).code, Some(1));
}

#[test]
fn a_policy_with_mistakes_cannot_be_trusted() {
    let sandbox = Sandbox::with("mode = 3\n").keyed();
    let ran = sandbox.run(&["trust"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("cannot be trusted"), "{}", ran.err);
    assert_eq!(sandbox.run(&["trust", "--list"]).out, "nothing is trusted\n");
}

#[test]
fn batch_answers_every_line() {
    let lines = [
        json!({"command": "rm -rf /", "cwd": "/w"}).to_string(),
        json!({"tool": "Read", "args": {"file_path": "/home/a/.ssh/id_rsa"}, "cwd": "/w"}).to_string(),
        json!({"tool": "Bash", "args": {"command": "ls"}}).to_string(),
        "not json".to_owned(),
        json!({"comand": "ls"}).to_string(),
        json!({"command": "git status"}).to_string(),
    ];
    let ran = Sandbox::new().run_with(&["explain", "--batch"], &(lines.join("\n") + "\n"));
    assert_eq!(ran.code, Some(2), "two lines were wrong");
    let acts: Vec<_> = ran
        .out
        .lines()
        .map(|line| {
            let answer: serde_json::Value = serde_json::from_str(line).unwrap();
            (answer["act"].as_str().unwrap().to_owned(), answer["rule"].as_str().unwrap_or("-").to_owned())
        })
        .collect();
    let acts: Vec<_> = acts.iter().map(|(act, rule)| (act.as_str(), rule.as_str())).collect();
    let expected = [
        ("deny", "shell-safety/delete-outside"),
        ("deny", "sensitive-paths/read"),
        ("pass", "-"),
        ("deny", "-"),
        ("deny", "-"),
        ("pass", "-"),
    ];
    assert_eq!(acts, expected);
}

#[test]
fn a_question_can_state_what_rules_ask_for() {
    let sandbox = Sandbox::with(
        "[[rule]]\nid = 'own'\nown.client = 'ide'\nlabel.taint = 'web'\ndeny = 'no'\n\
         [[rule]]\nid = 'again'\non = 'model.dispatch'\nattempt = { min = 2 }\ndeny = 'no'\n\
         [[rule]]\nid = 'half'\non = 'tool.after'\ntool = 'exec'\nended = 'canceled'\napproved = false\ndeny = 'no'\n\
         [[rule]]\nid = 'of-files'\nserver = 'files'\narg.path = 'a'\ndeny = 'no'\n\
         [[rule]]\nid = 'of-any'\nkind = 'mcp'\narg.path = 'a'\ndeny = 'no'\n",
    );
    let after = |ended: &str, approved: bool| json!({"tool": "exec", "body": "x", "on": "tool.after", "ended": ended, "approved": approved});
    for (question, expected) in [
        (json!({"command": "ls", "own": {"client": "ide"}, "label": {"taint": "web"}}), "own"),
        (json!({"command": "ls", "own": {"client": "ide"}}), "-"),
        (json!({"body": {}, "on": "model.dispatch", "attempt": 2}), "again"),
        (json!({"body": {}, "on": "model.dispatch"}), "-"),
        (after("canceled", false), "half"),
        (after("canceled", true), "-"),
        (after("ok", false), "-"),
        (json!({"tool": "look_up", "server": "files", "args": {"path": "a"}}), "of-files"),
        (json!({"tool": "look_up", "server": "notes", "args": {"path": "a"}}), "of-any"),
        (json!({"tool": "mcp__notes__look_up", "args": {"path": "a"}}), "of-any"),
        (json!({"tool": "mcp__notes__look_up", "args": {"path": "b"}}), "-"),
        (json!({"tool": "look_up", "args": {"path": "a"}}), "-"),
    ] {
        let ran = sandbox.run_with(&["explain", "--batch"], &format!("{question}\n"));
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["rule"].as_str().unwrap_or("-"), expected, "{question}: {answer}");
    }
}

#[test]
fn case_files_are_run() {
    let sandbox = Sandbox::with(
        "[[rule]]\nid = \"no-make\"\narg.command = { prefix = \"make\" }\ndeny = \"use ninja\"\nexamples.match = [\"make x\"]\n",
    );
    sandbox.write("tests/a.toml", "[[case]]\ncommand = \"make all\"\nexpect = \"deny\"\nrule = \"no-make\"\n\n[[case]]\nname = \"deleting is seen\"\ncommand = \"rm -r /srv\"\nexpect = \"deny\"\neffects = [\"delete\"]\n");
    check(
        &sandbox,
        &["test"],
        expect![[r#"
            137 examples of rules hold; 2 cases, 0 failed
            [0]
        "#]],
    );
    sandbox.write("tests/b.toml", "[[case]]\ncommand = \"make all\"\nexpect = \"pass\"\n\n[[case]]\ncommand = \"ls\"\nexpect = \"fine\"\n\n[[case]]\ncomand = \"ls\"\nexpect = \"pass\"\n");
    check(
        &sandbox,
        &["test"],
        expect![[r#"
            failed: make all
              /project/tests/b.toml:1
              expected pass, got deny (no-make: use ninja)
            failed: ls
              /project/tests/b.toml:5
              `expect = "fine"` is not understood; write one of pass, deny, ask, route,
              answer
            failed: a call
              /project/tests/b.toml:9
              unknown field `comand`, expected one of `command`, `tool`, `args`, `body`,
              `on`, `cwd`, `home`, `agent`, `session`, `server`, `model`, `own`, `label`,
              `attempt`, `ended`, `approved`
            137 examples of rules hold; 5 cases, 3 failed
            [1]
        "#]],
    );
    let report = sandbox.run(&["test", "--json"]).json();
    assert_eq!((&report["failed"], &report["cases"].as_array().map(Vec::len)), (&json!(3), &Some(5)));
}

#[test]
fn an_example_that_does_not_hold_is_a_mistake() {
    let sandbox = Sandbox::with(
        "[[rule]]\nid = \"x\"\narg.command = { prefix = \"make\" }\ndeny = \"no\"\nexamples.match = [\"ninja\"]\n",
    );
    check(
        &sandbox,
        &["test"],
        expect![[r#"
        error: the policy has mistakes, so nothing is let through

        error: the rule does not match this example
         --> /project/tollgate.toml:5:19
          |
        5 | examples.match = ["ninja"]
          |                   ^^^^^^^
          = help: its tool is `exec` and it has no effects that are known
        [2]
    "#]],
    );
}

#[test]
fn rules_are_listed_and_shown() {
    let sandbox = Sandbox::new();
    check(
        &sandbox,
        &["rules", "show", "git-safety/rewrite"],
        expect![[r#"
            git-safety/rewrite  (pack git-safety, deny)
              rewrites or deletes published history
              instead: push a new commit; or `--force-with-lease` on your own branch

              id = "git-safety/rewrite"
              effect = "git-rewrite"
              deny = "rewrites or deletes published history"
              suggest = "push a new commit; or `--force-with-lease` on your own branch"

              [examples]
              match = [
                  "git push --force origin main",
                  "git push origin +main",
                  "git push origin --delete release",
              ]
              pass = [
                  "git push origin topic",
                  "git push --force-with-lease origin topic",
              ]
            [0]
        "#]],
    );
    check(
        &sandbox,
        &["rules", "show", "git-safety/rewrit"],
        expect![[r#"
        error: there is no rule `git-safety/rewrit`; did you mean `git-safety/rewrite`?
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["rules", "effects"],
        expect![[r#"
        effect: what a call does
          delete, overwrite, write, move, read, read-secret, send-secret, network,
          run-unseen, reverse-shell, permissions, escalate, weaken, git-discard,
          git-rewrite, disk, infra, database, kill, publish, persist, policy, exhaust,
          unknown

        place: where its path lies
          inside, workspace, vcs, temp, home, root, system, device, outside, unknown

        flag: how it does it
          recursive, force, upload, download, listen, from-network, decoded, pattern,
          symlink, remote, secret

        kind: what sort of tool it is
          exec, stdin, read, write, edit, web, mcp, agent, other
        [0]
    "#]],
    );
    assert!(sandbox.run(&["rules", "list"]).out.contains("shell-safety/delete-outside"));
    let listed = sandbox.run(&["rules", "list", "--json"]).json();
    assert_eq!(listed[0]["rule"]["id"], "shell-safety/delete-outside");
}

#[test]
fn bad_input_is_answered_clearly() {
    let sandbox = Sandbox::new().keyed();
    check(
        &sandbox,
        &["explain", "--tool", "read", "--args", "{"],
        expect![[r#"
        error: --args is not JSON: EOF while parsing an object at line 1 column 1
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["explain", "ls", "--on", "tool.befor"],
        expect![[r#"
        error: there is no point `tool.befor`; the points are session.start, session.end, agent.start, agent.stop, turn.stop, compact.before, compact.after, prompt.submit, model.request, model.dispatch, model.response, model.complete, tool.list, tool.before, tool.update, tool.after, tool.persist, message.write, notice
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["check", "--config", "nowhere.toml"],
        expect![[r#"
        error: the policy has mistakes, so nothing is let through

        error: there is no such file
         --> /project/nowhere.toml
          = help: look at what follows `--config`
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["trust", "nowhere.toml"],
        expect![[r#"
        error: there is no file `nowhere.toml`
        [2]
    "#]],
    );
    check(
        &sandbox,
        &["trust"],
        expect![[r#"
        error: there is no tollgate.toml here or in a folder above; name the file, or begin with `tollgate init --policy`
        [2]
    "#]],
    );
}

#[test]
fn what_an_agent_wrote_does_not_move_the_cursor() {
    let ran = Sandbox::new().run(&["explain", "echo \u{1b}[2J\u{202e}x > /etc/a\u{1b}]0;t\u{7}"]);
    assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", ran.out);
}

#[test]
fn colour_is_for_those_who_want_it() {
    let sandbox = Sandbox::new();
    assert!(!sandbox.run(&["explain", "rm -rf /"]).out.contains('\u{1b}'));
    assert!(sandbox.run(&["explain", "--color", "always", "rm -rf /"]).out.contains("\u{1b}[31;1mdeny"));
}

#[test]
fn help_completions_and_manual_are_there() {
    let sandbox = Sandbox::new();
    for (args, holds) in [
        (&["--help"][..], "Examples:"),
        (&["explain", "--help"], "exit status"),
        (&["completions", "bash"], "_tollgate"),
        (&["completions", "fish"], "complete -c tollgate"),
        (&["man"], ".TH tollgate"),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code == Some(0) && ran.out.contains(holds), "{args:?}: {}", ran.all());
    }
}

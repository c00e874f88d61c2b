//! Policies that earlier systems had built in, written as rules.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::sync::Arc;

use serde_json::{Value, json};
use support::{Call, Heard, act, bash, call, pipeline, rule, rules, run, short};
use tollgate_core::{Body, Event, Point};
use tollgate_rules::Arguments;

/// Which of the calls are refused.
fn check(policy: &str, refused: &[Call], fine: &[Call]) {
    let set = rules(policy);
    for (calls, expected) in [(refused, true), (fine, false)] {
        for call in calls {
            let act = act(&set, call);
            assert_eq!(act.starts_with("deny"), expected, "{} {}: {act}", call.tool, call.args);
        }
    }
}

const SENSITIVE: &str = r#"
    [[rule]]
    id = "sensitive-files"
    kind = ["read", "write", "edit"]
    path = ["~/.ssh/**", "~/.aws/**", "~/.gnupg/**", "/etc/shadow", ".env", "*.pem", "credentials.json", "~/.bashrc", "~/.zshrc"]
    not = { path = ["**/node_modules/**", "**/fixtures/**"] }
    deny = "this file holds credentials"
"#;

/// A file guard looks at file tools, knows where files lie, and leaves commands to whoever is for commands.
#[test]
fn sensitive_files_are_kept_from_file_tools() {
    let file = |tool, path: &str| call(tool, json!({"file_path": path}));
    check(
        SENSITIVE,
        &[
            file("Read", "/home/user/.ssh/id_rsa"),
            file("Read", "~/.aws/credentials"),
            file("Write", "/etc/shadow"),
            file("Read", ".env"),
            file("Read", "/home/user/project/deploy/server.pem"),
            file("Edit", "/home/user/.gnupg/gpg.conf"),
            file("Write", "../.bashrc"),
            file("Read", "src/../../.ssh/id_ed25519"),
            file("Read", "config/credentials.json"),
        ],
        &[
            file("Read", "src/main.rs"),
            file("Read", "node_modules/tls/test.pem"),
            file("Read", "tests/fixtures/server.pem"),
            file("Read", "package-lock.json"),
            bash("cat ~/.ssh/id_rsa"),
        ],
    );
}

const CONSTRAINTS: &str = r#"
    [[rule]]
    id = "drafts"
    tool = "create_pull_request"
    rewrite = [{ set = { draft = true } }]
    [[rule]]
    id = "labels"
    tool = "*"
    arg.labels = { exists = true }
    rewrite = [{ keep = { labels = ["bug", "docs"] } }]
    [[rule]]
    id = "comments"
    tool = "add_comment"
    rewrite = [{ truncate = { bytes = 5, in = "body" } }]
"#;

/// Constraints that rewrite: a draft is forced, labels are filtered, a comment is cut, and nothing happens otherwise.
#[test]
fn constraints_rewrite() {
    let pipeline = pipeline(&rules(CONSTRAINTS), None);
    for (tool, before, after) in [
        ("create_pull_request", json!({"draft": false}), json!({"draft": true})),
        ("create_pull_request", json!({"title": "t"}), json!({"title": "t", "draft": true})),
        ("create_pull_request", json!({"draft": true}), json!({"draft": true})),
        ("create_issue", json!({"labels": ["bug", "wontfix"]}), json!({"labels": ["bug"]})),
        ("create_issue", json!({"labels": []}), json!({"labels": []})),
        ("add_comment", json!({"body": "a long one"}), json!({"body": "a lon\n[cut: 5 bytes]"})),
        ("add_comment", json!({"body": "short"}), json!({"body": "short"})),
        ("get_issue", json!({"body": "a long one"}), json!({"body": "a long one"})),
    ] {
        let (act, body) = run(&pipeline, &call(tool, before));
        assert_eq!((short(act).as_str(), body.json().unwrap()), ("pass", &after), "{tool}");
    }
}

/// What an argument must be: missing and of the wrong type are not right.
#[test]
fn what_arguments_must_be() {
    let form = |form: Value| Arguments::compile(&serde_json::from_value(form).unwrap()).unwrap();
    let draft = form(json!({"draft": true}));
    let branch = form(json!({"branch": {"prefix": ["finn/", "feature/", "fix/", "chore/"]}}));
    for (arguments, given, fine) in [
        (&draft, json!({"draft": true}), true),
        (&draft, json!({"draft": false}), false),
        (&draft, json!({}), false),
        (&draft, json!({"draft": "true"}), false),
        (&branch, json!({"branch": "finn/x"}), true),
        (&branch, json!({"branch": "feature/x"}), true),
        (&branch, json!({"branch": "fix/x"}), true),
        (&branch, json!({"branch": "chore/x"}), true),
        (&branch, json!({"branch": "main"}), false),
        (&branch, json!({"branch": "my/fix/x"}), false),
        (&branch, json!({"branch": 7}), false),
        (&branch, json!({"branch": ["fix/x", "main"]}), false),
    ] {
        assert_eq!(arguments.violation(&given).is_none(), fine, "{given}");
    }
}

const COMMANDS: &str = r#"
    [[rule]]
    id = "plain-commands"
    kind = "exec"
    arg.command = { regex = '[|&;$`(){}!<>\\#~\n]' }
    deny = "one plain command, please"
    [[rule]]
    id = "listed-commands"
    kind = "exec"
    not = { arg.command = { regex = '^(git (log|status|diff|show|rev-parse)|br (list|get|sync)|ls|cat|wc)( |$)' } }
    deny = "this command is not on the list"
    [[rule]]
    id = "git-flags"
    kind = "exec"
    arg.command = { regex = '^git( .*)? (-c|--exec-path|--git-dir|--work-tree)([ =]|$)' }
    deny = "this flag lets git run anything"
"#;

/// A list of commands, without anything of the shell.
#[test]
fn only_listed_plain_commands() {
    let metacharacters = "|&;$`(){}!<>\\#~\n".chars().map(|c| bash(&format!("ls {c} x")));
    let refused =
        ["rm x", "python x.py", "git", "git push", "git -c a=b log", "git log -c", "git log --exec-path=x", "lsx", ""];
    let refused: Vec<Call> = refused.into_iter().map(bash).chain(metacharacters).collect();
    let fine = ["git log --oneline", "git status", "br list", "ls -la", "cat a b", "wc -l x"].map(bash);
    check(COMMANDS, &refused, &fine);
}

/// A shell that is off until somebody allows it is one rule, and who may use it a condition of it.
#[test]
fn a_shell_can_be_off() {
    let off = "[[rule]]\nid = 'no-shell'\nkind = 'exec'\ndeny = 'there is no shell here'";
    check(off, &["ls", "git log", "python3 x.py", ""].map(bash), &[call("Read", json!({"file_path": "a"}))]);
}

/// Hosts, with wildcards, whoever talks to them.
#[test]
fn hosts_are_refused_to_everybody() {
    check(
        "[[rule]]\nid = 'hosts'\nhost = ['github.com', '*.github.com']\ndeny = 'not from here'",
        &[
            bash("curl https://api.github.com/x"),
            bash("wget https://GITHUB.com/a.tgz"),
            call("WebFetch", json!({"url": "https://raw.github.com/x"})),
        ],
        &[
            bash("curl https://example.com"),
            bash("ls github.com"),
            call("WebFetch", json!({"url": "https://notgithub.com"})),
        ],
    );
}

/// A rule that only observes never refuses, says what it would have done, and says nothing that the document holds.
#[test]
fn observing_is_not_deciding() {
    let heard = Arc::new(Heard::default());
    let set = rules(
        r#"
        [[rule]]
        id = "new"
        tool = "exec"
        text = { contains = "hunter2" }
        mode = "observe"
        deny = "holds a password"
        [[rule]]
        id = "broken"
        tool = "exec"
        mode = "observe"
        when = "args.missing == text"
        deny = "no"
        "#,
    );
    let (act, _) = run(&pipeline(&set, Some(Arc::clone(&heard) as Arc<_>)), &bash("login hunter2"));
    assert_eq!(short(act), "pass");
    let heard = heard.0.lock().unwrap().join("\n");
    assert_eq!(
        heard,
        "observed new: holds a password\nobserved broken: it could not be judged (crash: the expression failed: there is no `missing`)"
    );
}

/// Patterns of one's own beside those that are known, several in one text, and again on what is left.
#[test]
fn patterns_of_ones_own_are_taken_out() {
    let set = rule("tool = 'x'\nredact = ['secrets', { regex = 'BADGE-[0-9]+', with = '[badge]' }]");
    let pipeline = pipeline(&set, None);
    let text = "BADGE-12 and BADGE-34, token=f3Kd81mzQp0aLw7TbX2c";
    let (_, body) = run(&pipeline, &call("x", json!({"a": text})));
    let once = body.json().unwrap().clone();
    assert_eq!(once, json!({"a": "[badge] and [badge], token=[redacted:generic-secret]"}));
    assert_eq!(run(&pipeline, &call("x", once.clone())).1.json().unwrap(), &once);
}

/// Of what fits the same text the known credentials come first, then one's own patterns as they are written.
#[test]
fn known_credentials_come_before_patterns_of_ones_own() {
    let text = "token=f3Kd81mzQp0aLw7TbX2c BADGE-12";
    let (known, short, long) = ("'secrets'", pattern("(token=|BADGE)", "[short]"), pattern("BADGE-[0-9]+", "[long]"));
    for (patterns, expected) in [
        ([known, &short, &long], "[short][redacted:generic-secret] [short]-12"),
        ([&short, &long, known], "[short][redacted:generic-secret] [short]-12"),
        ([&long, known, &short], "[short][redacted:generic-secret] [long]"),
    ] {
        let set = rule(&format!("tool = 'x'\nredact = [{}]", patterns.join(", ")));
        let (_, body) = run(&pipeline(&set, None), &call("x", json!({"a": text})));
        assert_eq!(body.json().unwrap(), &json!({"a": expected}), "{patterns:?}");
    }
}

fn pattern(regex: &str, with: &str) -> String {
    format!("{{ regex = '{regex}', with = '{with}' }}")
}

/// An error is a document like any other: its message, its stack and what caused it, however deep.
#[test]
fn errors_lose_their_secrets_with_stack_and_causes() {
    let set = rule("on = 'tool.after'\ntool = 'x'\nredact = true");
    let error = |secret: &str| {
        let said = |what: &str| json!({"message": format!("{what}: token={secret}"), "stack": format!("at a\nat token={secret}")});
        let causes = ["third", "second", "first"].map(said);
        let chained = causes.into_iter().reduce(|cause, mut error| {
            error["cause"] = cause;
            error
        });
        json!({"status": "error", "error": chained})
    };
    let names = tollgate_wire::names();
    let mut body = Body::from(error("f3Kd81mzQp0aLw7TbX2c"));
    pipeline(&set, None).run_now(&Event::tool(Point::ToolAfter, &names.name("x"), "c"), &mut body);
    assert_eq!(body.json().unwrap(), &error("[redacted:generic-secret]"));
}

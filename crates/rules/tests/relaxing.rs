//! Observing, exceptions and overrides.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::sync::Arc;

use serde_json::json;
use support::{Call, Heard, act, bash, call, pipeline, rules, run, short};

/// What becomes of a call, and what is reported beside it.
fn check(text: &str, call: &Call, expected: &str, reported: &[&str]) {
    let heard = Arc::new(Heard::default());
    let pipeline = pipeline(&rules(text), Some(Arc::clone(&heard) as Arc<_>));
    let (act, _) = run(&pipeline, call);
    assert_eq!(short(act), expected, "{text}");
    assert_eq!(*heard.0.lock().unwrap(), reported, "{text}");
}

#[test]
fn what_is_observed_is_reported_and_not_enforced() {
    let rule = |more: &str| format!("[[rule]]\nid = 'a'\ntool = 'exec'\nmode = 'observe'\n{more}");
    check(&rule("deny = 'no'\nsuggest = 'yes'"), &bash("ls"), "pass", &["observed a: no. Instead: yes"]);
    check(&rule("ask = 'sure?'"), &bash("ls"), "pass", &["observed a: sure?"]);
    check(&rule("route = { provider = 'p' }"), &bash("ls"), "pass", &["observed a: runs at `p`"]);
    check(&rule("rewrite = [{ remove = ['command'] }]"), &bash("ls"), "pass", &["observed a: is rewritten"]);
    check(&rule("deny = 'no'"), &call("read", json!({})), "pass", &[]);
    check("[[rule]]\nid = 'a'\ntool = '*'\nlog = 'seen'", &bash("ls"), "pass", &["logged a: seen"]);
    let both = "[[rule]]\nid = 'a'\ntool = '*'\nlog = 'seen'\n[[rule]]\nid = 'b'\ntool = '*'\ndeny = 'no'";
    check(both, &bash("ls"), "deny b: no", &["logged a: seen"]);
}

#[test]
fn an_edit_that_observes_changes_nothing() {
    let set = rules("[[rule]]\nid = 'a'\ntool = 'x'\nmode = 'observe'\nrewrite = [{ remove = ['b'] }]");
    let (_, body) = run(&pipeline(&set, None), &call("x", json!({"b": 1})));
    assert_eq!(*body.json().unwrap(), json!({"b": 1}));
}

const DELETE: &str = "[[rule]]\nid = 'a'\neffect = 'delete'\ndeny = 'no'\n";

fn exception(more: &str) -> String {
    format!("{DELETE}[[exception]]\nrule = 'a'\nuntil = 2026-06-15\nreason = 'scratch'\n{more}")
}

#[test]
fn an_exception_is_for_what_it_names() {
    let path = exception("path = '/srv/scratch/**'");
    check(&path, &bash("rm /srv/scratch/x"), "pass", &["excepted (scratch) a: no (/srv/scratch/x)"]);
    check(&path, &bash("rm /srv/data"), "deny a: no (/srv/data)", &[]);
    check(&path, &bash("rm /srv/scratch"), "deny a: no (/srv/scratch)", &[]);
    // An exception for one path is none for another in the same call.
    check(&path, &bash("rm /srv/scratch/x /srv/data"), "deny a: no (/srv/data)", &[]);
    check(&path, &bash("rm /srv/scratch/../data"), "deny a: no (/srv/data)", &[]);
    let narrow = exception("path = '/srv/scratch/**'\ntool = 'powershell'");
    check(&narrow, &bash("rm /srv/scratch/x"), "deny a: no (/srv/scratch/x)", &[]);
    let tool = exception("tool = 'bash'");
    check(&tool, &bash("rm /srv/data"), "pass", &["excepted (scratch) a: no (/srv/data)"]);
    let arg = exception("arg.command = { suffix = ' # really' }");
    check(&arg, &bash("rm /srv/data # really"), "pass", &["excepted (scratch) a: no (/srv/data)"]);
    check(&arg, &bash("rm /srv/data"), "deny a: no (/srv/data)", &[]);
}

#[test]
fn two_exceptions_together_cover_what_each_covers() {
    let second = "[[exception]]\nrule = 'a'\nuntil = 2026-07-01\nreason = 'old'\npath = '/srv/old'";
    let both = format!("{}\n{second}", exception("path = '/srv/scratch/**'"));
    check(&both, &bash("rm /srv/scratch/x /srv/old"), "pass", &["excepted (scratch) a: no (/srv/scratch/x)"]);
    check(&both, &bash("rm /srv/scratch/x /srv/new"), "deny a: no (/srv/new)", &[]);
}

#[test]
fn an_exception_ends() {
    for (until, expected) in [("2026-06-14", "deny a: no (/srv/x)"), ("2026-06-15", "pass"), ("2027-01-01", "pass")] {
        let text = exception("path = '/srv/**'").replace("2026-06-15", until);
        assert_eq!(act(&rules(&text), &bash("rm /srv/x")), expected, "{until}");
    }
}

#[test]
fn an_exception_for_everything_lifts_nothing() {
    for more in ["", "path = '**'", "tool = '*'", "host = '*'"] {
        assert_eq!(act(&rules(&exception(more)), &bash("rm /srv/x")), "deny a: no (/srv/x)", "{more}");
    }
}

/// Where a rule does not speak of effects, an exception for a path needs all of them to lie there.
#[test]
fn an_exception_by_path_from_a_rule_about_something_else() {
    let rule = "[[rule]]\nid = 'a'\narg.command = { contains = 'rm' }\ndeny = 'no'\n";
    let text = format!("{rule}[[exception]]\nrule = 'a'\nuntil = 2026-12-31\nreason = 's'\npath = '/srv/**'");
    assert_eq!(act(&rules(&text), &bash("rm /srv/x")), "pass");
    assert_eq!(act(&rules(&text), &bash("rm /srv/x /etc/y")), "deny a: no");
    assert_eq!(act(&rules(&text), &bash("echo rm")), "deny a: no");
}

#[test]
fn overrides() {
    let rule = |decision: &str, over: &str| {
        format!("[[rule]]\nid = 'a/b'\ntool = 'exec'\n{decision}\n[override.'a/b']\n{over}")
    };
    for (decision, over, expected) in [
        ("deny = 'no'", "mode = 'off'", "pass"),
        ("deny = 'no'", "mode = 'observe'", "pass"),
        ("deny = 'no'", "decision = 'ask'", "ask a/b: no"),
        ("ask = 'sure?'", "decision = 'deny'", "deny a/b: sure?"),
        ("log = 'seen'", "decision = 'deny'", "deny a/b: seen"),
        ("deny = 'no'\nmode = 'observe'", "mode = 'enforce'", "deny a/b: no"),
        ("deny = 'no'", "mode = 'observe'\ndecision = 'ask'", "pass"),
    ] {
        assert_eq!(act(&rules(&rule(decision, over)), &bash("ls")), expected, "{decision} {over}");
    }
}

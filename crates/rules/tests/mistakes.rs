//! What is said about files that are wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use expect_test::{Expect, expect};
use support::{lines, try_rules};

fn check(text: &str, expected: &Expect) {
    let found = try_rules(text).map_or_else(|found| lines(&found), |_| "nothing is wrong".to_owned());
    expected.assert_eq(&found);
}

#[test]
fn all_mistakes_are_told_at_once() {
    check(
        r#"
        [[rule]]
        id = "a"
        tool = { regex = "(" }
        effect = ["delte", { kind = "network", place = "insid", flag = ["recursive", "froce"] }]
        kind = "shell"
        arg.a.b = { min = "x" }
        text = ""
        not = [{ host = [] }, {}]
        any = []
        when = "agnt == 'x'"
        deny = " "

        [[rule]]
        id = "a"
        tool = "x"
        deny = "no"
        ask = "really?"

        [[rule]]
        id = ""
        deny = "no"

        [[rule]]
        id = "b"
        on = ["tool.befor", "tool.after"]
        tool = "x"
        rewrite = [{ rename = "y" }, { set_header = { a = "b" } }, { replace = { regex = "[", with = "" } }, { remove = ["a..b"] }]
        "#,
        &expect![[r#"
            rule.0.deny: say why
            rule.0.not.0.host: an empty list fits nothing
            rule.0.not.1: this table says nothing
            rule.0.any: an empty list never holds
            rule.0.arg.a.b.min: this must be a number
            rule.0.tool.regex: this is no regular expression: unclosed group
            rule.0.kind: there is no kind of tool `shell` (there are exec, stdin, read, write, edit, web, mcp, agent, other)
            rule.0.text: an empty text fits nothing
            rule.0.effect.0: there is no effect `delte` (did you mean `delete`?)
            rule.0.effect.1.place: there is no place `insid` (did you mean `inside`?)
            rule.0.effect.1.flag.1: there is no flag `froce` (did you mean `force`?)
            rule.0.when: there is no variable `agnt` (did you mean `agent`?)
            rule.1.id: there is already a rule `a` (test) (choose another id)
            rule.1: a rule has one decision, and this has `deny` and `ask` (write a rule for each)
            rule.2.id: a rule needs an id
            rule.2: this rule would apply to everything (say `tool = "*"` if that is meant)
            rule.3.on.0: there is no point `tool.befor` (did you mean `tool.before`?)
            rule.3.rewrite.0: a call can be renamed at tool.before, not at tool.after
            rule.3.rewrite.1: there are no headers at tool.after
            rule.3.rewrite.2.replace.regex: this is no regular expression: unclosed character class
            rule.3.rewrite.3.remove: `a..b` is no way to an argument (write it like `options.force`)"#]],
    );
}

#[test]
fn decisions_belong_to_points() {
    check(
        r#"
        [[rule]]
        id = "a"
        on = "tool.after"
        tool = "x"
        ask = "really?"
        [[rule]]
        id = "b"
        on = ["tool.before", "model.dispatch"]
        when = "true"
        route = { provider = "" }
        [[rule]]
        id = "c"
        on = "session.start"
        agent = "x"
        deny = "no"
        [[rule]]
        id = "d"
        on = "prompt.submit"
        effect = "delete"
        deny = "no"
        [[rule]]
        id = "e"
        on = "session.start"
        agent = "x"
        rewrite = [{ note = "hi" }, { set = { a = 1 } }]
        [[rule]]
        id = "f"
        tool = "x"
        redact = ["secret", { regex = "a*" }]
        [[rule]]
        id = "g"
        tool = "x"
        ask = { title = "", timeout = "soon" }
        "#,
        &expect![[r#"
            rule.0.ask: `ask` cannot be done at tool.after (`ask` works at prompt.submit, model.request, tool.before)
            rule.1.route: `route` cannot be done at model.dispatch (`route` works at model.request, tool.before)
            rule.1.route.provider: this must not be empty
            rule.2.deny: `deny` cannot be done at session.start (`deny` works at prompt.submit, model.request, model.dispatch, model.response, tool.list, tool.before, tool.update, tool.after, tool.persist, message.write)
            rule.3: there is no tool at prompt.submit (tools, their kinds and their effects are known at tool.before, tool.update, tool.after and tool.persist)
            rule.4.rewrite.1: at session.start there can only be notes
            rule.5.redact.0: there is no thing to take out `secret` (did you mean `secrets`?)
            rule.5.redact.1.regex: this fits even where there is nothing
            rule.6.ask: a question needs words
            rule.6.ask.timeout: `soon` is no length of time; write a number and a unit: `30s`, `10m`, `1h`, `7d`"#]],
    );
}

#[test]
fn exceptions_and_overrides() {
    check(
        r#"
        [[rule]]
        id = "git/force-push"
        on = "tool.after"
        tool = "x"
        deny = "no"
        [[exception]]
        rule = "git/force-push"
        tool = { regex = "(" }
        until = 2026-12-31
        reason = "because"
        [[exception]]
        rule = "git/force-push"
        until = 2026-12-31
        reason = ""
        [override."git/force-push"]
        decision = "ask"
        "#,
        &expect![[r#"
            override.git/force-push.decision: `git/force-push` stands at tool.after, where this cannot be done
            exception.0.tool.regex: this is no regular expression: unclosed group
            exception.1.reason: say why"#]],
    );
}

#[test]
fn examples_are_checked() {
    check(
        r#"
        [[rule]]
        id = "a"
        tool = "exec"
        arg.command = { contains = "prod" }
        deny = "no"
        examples.match = ["psql prod", "psql dev", { tool = "read", args = { command = "prod" } }, { point = "tool.befor" }]
        examples.pass = ["psql dev", "psql prod", { point = "tool.after", args = { command = "prod" } }]
        [[rule]]
        id = "b"
        on = ["tool.after", "prompt.submit"]
        text = { contains = "password" }
        deny = "no"
        examples.match = [{ text = "my password" }, { text = "my password", point = "prompt.submit" }, { text = "x", args = { a = "password" } }]
        [[rule]]
        id = "c"
        when = "args.missing == 1"
        deny = "no"
        examples.pass = ["ls"]
        [[rule]]
        id = "d"
        effect = "delete"
        deny = "no"
        examples.match = ["rm x", "true"]
        examples.pass = ["rm y"]
        "#,
        &expect![[r#"
            rule.0.examples.match.1: the rule does not match this example (its tool is `exec` and it has no effects that are known)
            rule.0.examples.match.2: the rule does not match this example (its tool is `read` and it has no effects that are known)
            rule.0.examples.match.3.point: there is no point `tool.befor` (did you mean `tool.before`?)
            rule.0.examples.pass.1: the rule matches this example, which it must not
            rule.1.examples.match.2: the rule does not match this example (it runs a command that cannot be found in its arguments [unknown])
            rule.2.examples.pass.0: the rule cannot judge this example: crash: the expression failed: there is no `missing`
            rule.3.examples.match.1: the rule does not match this example (its tool is `exec` and it has no effects that are known)
            rule.3.examples.pass.0: the rule matches this example, which it must not (because it deletes /home/user/project/y [delete (inside)])"#]],
    );
}

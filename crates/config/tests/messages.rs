//! How mistakes look, in 80 columns.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::Path;

use expect_test::{Expect, expect};
use tollgate_config::{Diagnostics, File, Layer, combine};
use tollgate_rules::form::Date;

fn load(layer: Layer, text: &str) -> String {
    let file = match File::of_bytes(layer, Path::new("tollgate.toml"), text.into()) {
        Ok(file) => file,
        Err(mistake) => return [mistake].into_iter().collect::<Diagnostics>().to_string(),
    };
    let found = combine(vec![file], true, Date::new(2026, 11, 15).unwrap());
    let shown = found.map_or_else(|wrong| wrong.to_string(), |plan| plan.warnings.to_string());
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    shown
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&load(Layer::Project, text));
}

#[test]
fn other_tools_words_for_a_verdict_are_answered_with_ours() {
    for (table, key, ours) in [
        ("rule", "block = 'no'", "deny"),
        ("rule", "refuse = 'no'", "deny"),
        ("rule", "edit = [{ note = 'x' }]", "rewrite"),
        ("rule", "sandbox = { provider = 'x' }", "route"),
        ("limit", "max = 1\nblock = 'no'", "deny"),
        ("loop", "block = 20", "deny"),
        ("override.x", "decision = 'block'", "deny"),
    ] {
        let head = if table.contains('.') { format!("[{table}]") } else { format!("[[{table}]]\nid = 'a'") };
        let shown = load(Layer::Project, &format!("{head}\n{key}\n"));
        assert!(shown.contains(&format!("= help: did you mean `{ours}`?")), "{table} {key}: {shown}");
    }
}

#[test]
fn what_decides_before_a_call_cannot_ask_how_it_ended() {
    for table in ["[[limit]]\nid = 'a'\nmax = 1", "[[loop]]\nid = 'a'", "[[dedupe]]\nid = 'a'\nfor = '1m'"] {
        for (key, fact) in
            [("ended = 'ok'", "ended"), ("approved = true", "approved"), ("not = { ended = 'ok' }", "ended")]
        {
            let shown = load(Layer::Project, &format!("{table}\ntool = 'x'\n{key}\n"));
            assert!(
                shown.contains(&format!("error: `{fact}` is not known before a call runs")),
                "{table} {key}: {shown}"
            );
        }
    }
}

#[test]
fn unknown_keys() {
    check(
        r#"
mod = "enforce"

[[rule]]
id = "a"
tol = "exec"
not = { efect = "delete" }
deny = "no"
quux = 1
"#,
        expect![[r#"
            error: the file has no key `mod`
             --> tollgate.toml:2:1
              |
            2 | mod = "enforce"
              | ^^^
              = help: did you mean `mode`?

            error: a `rule` has no key `tol`
             --> tollgate.toml:6:1
              |
            6 | tol = "exec"
              | ^^^
              = help: did you mean `tool`?

            error: `not` has no key `efect`
             --> tollgate.toml:7:9
              |
            7 | not = { efect = "delete" }
              |         ^^^^^
              = help: did you mean `effect`?

            error: a `rule` has no key `quux`
             --> tollgate.toml:9:1
              |
            9 | quux = 1
              | ^^^^
              = help: the keys are id, on, tool, kind, agent, session, server, model,
                      surface, principal, own, label, attempt, ended, approved, effect,
                      place, flag, path, host, arg, text, secret, header, not, any, all,
                      when, deny, ask, route, rewrite, redact, log, suggest, priority,
                      on_fault, mode, examples

            4 errors
        "#]],
    );
}

#[test]
fn wrong_types() {
    check(
        r#"
dry_run = "true"
workspace = "../other"

[[rule]]
id = 7
tool = 1.5
priority = "10"
rewrite = { set = { a = 1 } }
deny = "no"

[rules]
x = 1
"#,
        expect![[r#"
            error: `dry_run` must be true or false, and this is a text
             --> tollgate.toml:2:11
              |
            2 | dry_run = "true"
              |           ^^^^^^
              = help: without quotes: true

            error: `workspace` must be a list, and this is a text
             --> tollgate.toml:3:13
              |
            3 | workspace = "../other"
              |             ^^^^^^^^^^
              = help: in brackets: ["…"]

            error: `id` must be a text, and this is a whole number
             --> tollgate.toml:6:6
              |
            6 | id = 7
              |      ^
              = help: with quotes: "7"

            error: `tool` must be a text, a list or a table, and this is a number
             --> tollgate.toml:7:8
              |
            7 | tool = 1.5
              |        ^^^

            error: `priority` must be a whole number, and this is a text
             --> tollgate.toml:8:12
              |
            8 | priority = "10"
              |            ^^^^
              = help: without quotes: 10

            error: `rewrite` must be a list, and this is a table
             --> tollgate.toml:9:11
              |
            9 | rewrite = { set = { a = 1 } }
              |           ^^^^^^^^^^^^^^^^^^^
              = help: in brackets: [ … ]

            error: the file has no key `rules`
              --> tollgate.toml:12:2
               |
            12 | [rules]
               |  ^^^^^
               = help: did you mean `rule`?

            7 errors
        "#]],
    );
    check(
        r#"
[rule]
id = "a"
deny = "no"
"#,
        expect![[r#"
            error: `rule` must be a list, and this is a table
             --> tollgate.toml:2:1
              |
            2 | [rule]
              | ^^^^^^
              = help: with two brackets: `[[rule]]`
        "#]],
    );
}

#[test]
fn missing_keys() {
    check(
        r#"
[[rule]]
tool = "exec"
deny = "no"

[[limit]]
id = "writes"
tool = "create_*"

[[exception]]
rule = "shell-safety/delete-outside"
path = "/srv/**"
"#,
        expect![[r#"
            error: this `rule` has no `id`
             --> tollgate.toml:2:1
              |
            2 | [[rule]]
              | ^^^^^^^^
              = help: id: its name, unique

            error: this `limit` has no `max`
             --> tollgate.toml:6:1
              |
            6 | [[limit]]
              | ^^^^^^^^^
              = help: max: how much there is

            error: this `exception` has no `until` and no `reason`
              --> tollgate.toml:10:1
               |
            10 | [[exception]]
               | ^^^^^^^^^^^^^
               = help: until: the last day it holds; reason: why

            3 errors
        "#]],
    );
}

#[test]
fn values_from_closed_lists() {
    check(
        r#"
mode = "enforced"
default = "nothing"

[[rule]]
id = "a"
on = ["tool.befor", "tool.after"]
kind = "executable"
effect = { kind = "delet", place = ["home", "rooot"], flag = "recursively" }
deny = "no"

[override."git-safety/rewrite"]
mode = "of"
"#,
        expect![[r#"
            error: `mode` cannot be `enforced`
             --> tollgate.toml:2:8
              |
            2 | mode = "enforced"
              |        ^^^^^^^^^^
              = help: did you mean `enforce`?

            error: `default` cannot be `nothing`
             --> tollgate.toml:3:11
              |
            3 | default = "nothing"
              |           ^^^^^^^^^
              = help: it can be allow or deny

            error: an entry of `on` cannot be `tool.befor`
             --> tollgate.toml:7:7
              |
            7 | on = ["tool.befor", "tool.after"]
              |       ^^^^^^^^^^^^
              = help: did you mean `tool.before`?

            error: `kind` cannot be `executable`
             --> tollgate.toml:8:8
              |
            8 | kind = "executable"
              |        ^^^^^^^^^^^^
              = help: it can be exec, stdin, read, write, edit, web, mcp, agent or other

            error: `kind` cannot be `delet`
             --> tollgate.toml:9:19
              |
            9 | effect = { kind = "delet", place = ["home", "rooot"], flag = "recursively" }
              |                   ^^^^^^^
              = help: did you mean `delete`?

            error: an entry of `place` cannot be `rooot`
             --> tollgate.toml:9:45
              |
            9 | effect = { kind = "delet", place = ["home", "rooot"], flag = "recursively" }
              |                                             ^^^^^^^
              = help: did you mean `root`?

            error: `flag` cannot be `recursively`
             --> tollgate.toml:9:62
              |
            9 | effect = { kind = "delet", place = ["home", "rooot"], flag = "recursively" }
              |                                                              ^^^^^^^^^^^^^
              = help: did you mean `recursive`?

            error: `mode` cannot be `of`
              --> tollgate.toml:13:8
               |
            13 | mode = "of"
               |        ^^^^
               = help: did you mean `off`?

            8 errors
        "#]],
    );
}

#[test]
fn edits() {
    check(
        r#"
[[rule]]
id = "a"
tool = "exec"
rewrite = [{ sett = { a = 1 } }, { note = "a", rename = "b" }, {}, { truncate = { byte = 3 } }, { remove = "x" }]
"#,
        expect![[r#"
            error: an entry of `rewrite` has no key `sett`
             --> tollgate.toml:5:14
              |
            5 | rewrite = [{ sett = { a = 1 } }, { note = "a", rename = "b" }, {}, { trunc…
              |              ^^^^
              = help: did you mean `set`?

            error: an entry of `rewrite` takes one key, and this is a second
             --> tollgate.toml:5:48
              |
            5 | rewrite = [{ sett = { a = 1 } }, { note = "a", rename = "b" }, {}, { trunc…
              |                                                ^^^^^^
              = help: write two tables, one after the other

            error: an entry of `rewrite` is empty
             --> tollgate.toml:5:64
              |
            5 | rewrite = [{ sett = { a = 1 } }, { note = "a", rename = "b" }, {}, { trunc…
              |                                                                ^^
              = help: it takes one of set, default, remove, prefix_path, append, prepend,
                      set_header, remove_header, replace, strip_ansi, truncate, keep, note,
                      rename

            error: `truncate` has no key `byte`
             --> tollgate.toml:5:83
              |
            5 | …" }, {}, { truncate = { byte = 3 } }, { remove = "x" }]
              |                          ^^^^
              = help: did you mean `bytes`?

            error: `remove` must be a list, and this is a text
             --> tollgate.toml:5:108
              |
            5 | …yte = 3 } }, { remove = "x" }]
              |                          ^^^
              = help: in brackets: ["…"]

            5 errors
        "#]],
    );
}

#[test]
fn decisions() {
    check(
        r#"
[[rule]]
id = "two"
tool = "exec"
deny = "no"
ask = "really?"

[[rule]]
id = "none"
tool = "exec"

[[rule]]
id = "everything"
deny = "no"

[[rule]]
id = "late"
on = "tool.after"
tool = "exec"
ask = "may it have happened?"
"#,
        expect![[r#"
            error: a rule has one decision, and this has `deny` and `ask`
             --> tollgate.toml:2:1
              |
            2 | [[rule]]
              | ^^^^^^^^
              = help: write a rule for each

            error: a rule needs a decision
             --> tollgate.toml:8:1
              |
            8 | [[rule]]
              | ^^^^^^^^
              = help: give one of deny, ask, route, rewrite, redact, log

            error: this rule would apply to everything
              --> tollgate.toml:12:1
               |
            12 | [[rule]]
               | ^^^^^^^^
               = help: say `tool = "*"` if that is meant

            error: `ask` cannot be done at tool.after
              --> tollgate.toml:20:7
               |
            20 | ask = "may it have happened?"
               |       ^^^^^^^^^^^^^^^^^^^^^^^
               = help: `ask` works at prompt.submit, model.request, tool.before

            4 errors
        "#]],
    );
}

#[test]
fn patterns_and_expressions() {
    check(
        r#"
[[rule]]
id = "a"
tool = { regex = "ba(sh|z" }
arg.command = { regex = 'x{2,1}' }
text = { regex = ["fine", '\p{Greek}+[z-a]'] }
path = "/srv/***/x"
deny = "no"

[[rule]]
id = "b"
tool = "exec"
when = "args.amount > && tool == 'x'"
deny = "no"

[[rule]]
id = "c"
tool = "exec"
when = "amount > 100"
deny = "no"

[tools]
read = ["get_*", { regex = "(" }]

[[require]]
tool = { regex = "[" }
arg.branch = { regex = "*" }

[[limit]]
id = "l"
tool = { regex = ")" }
max = 1
"#,
        expect![[r#"
            error: this is no regular expression: unclosed group
             --> tollgate.toml:4:21
              |
            4 | tool = { regex = "ba(sh|z" }
              |                     ^

            error: this is no regular expression: invalid repetition count range, the start
                   must be <= the end
             --> tollgate.toml:5:27
              |
            5 | arg.command = { regex = 'x{2,1}' }
              |                           ^

            error: this is no regular expression: invalid character class range, the start
                   must be <= the end
             --> tollgate.toml:6:39
              |
            6 | text = { regex = ["fine", '\p{Greek}+[z-a]'] }
              |                                       ^

            error: this is no expression: Syntax error: extraneous input '&&'
              --> tollgate.toml:13:23
               |
            13 | when = "args.amount > && tool == 'x'"
               |                       ^

            error: there is no variable `amount`
              --> tollgate.toml:19:9
               |
            19 | when = "amount > 100"
               |         ^^^^^^
               = help: there are tool, kind, args, result, text, session, agent, server,
                       model, surface, principal, cwd, point, headers, effects, own, labels,
                       attempt, ended, approval

            error: this is no regular expression: unclosed group
              --> tollgate.toml:23:29
               |
            23 | read = ["get_*", { regex = "(" }]
               |                             ^

            error: this is no regular expression: unclosed character class
              --> tollgate.toml:26:19
               |
            26 | tool = { regex = "[" }
               |                   ^

            error: this is no regular expression: repetition operator missing expression
              --> tollgate.toml:27:25
               |
            27 | arg.branch = { regex = "*" }
               |                         ^

            error: this is no regular expression: unopened group
              --> tollgate.toml:31:19
               |
            31 | tool = { regex = ")" }
               |                   ^

            9 errors
        "#]],
    );
}

#[test]
fn examples() {
    check(
        r#"
[[rule]]
id = "a"
arg.command = { contains = "prod" }
deny = "no"
examples.match = ["psql prod", "psql dev"]
examples.pass = ["psql dev", { tool = "read", args = { command = "prod" } }, { tool = "x", argz = 1 }]
"#,
        expect![[r#"
            error: an entry of `pass` has no key `argz`
             --> tollgate.toml:7:92
              |
            7 | …rod" } }, { tool = "x", argz = 1 }]
              |                          ^^^^
              = help: did you mean `args`?
        "#]],
    );
    check(
        r#"
[[rule]]
id = "a"
arg.command = { contains = "prod" }
deny = "no"
examples.match = ["psql prod", "psql dev"]
examples.pass = ["psql dev", { tool = "read", args = { command = "prod" } }]
"#,
        expect![[r#"
            error: the rule does not match this example
             --> tollgate.toml:6:32
              |
            6 | examples.match = ["psql prod", "psql dev"]
              |                                ^^^^^^^^^^
              = help: its tool is `exec` and it has no effects that are known

            error: the rule matches this example, which it must not
             --> tollgate.toml:7:30
              |
            7 | examples.pass = ["psql dev", { tool = "read", args = { command = "prod" } }]
              |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

            2 errors
        "#]],
    );
}

#[test]
fn the_same_conditions_twice() {
    check(
        r#"
[[rule]]
id = "a"
tool = "exec"
arg.command = "x"
deny = "no"

[[rule]]
id = "b"
tool = "exec"
arg.command = "x"
ask = "really?"

[[rule]]
id = "c"
tool = "exec"
arg.command = "x"
log = "both are fine"
"#,
        expect![[r#"
            warning: `b` has the same conditions as `a`, which refuses
             --> tollgate.toml:8:1
              |
            8 | [[rule]]
              | ^^^^^^^^
              = help: one of them is enough
        "#]],
    );
}

#[test]
fn overrides_of_what_is_no_rule() {
    check(
        r#"
[[loop]]
id = "again"
tool = "*"

[[dedupe]]
id = "twice"
tool = "*"
for = "1m"

[override.again]
decision = "ask"

[override.twice]
mode = "observe"
"#,
        expect![[r#"
            error: `again` is no rule and always refuses
              --> tollgate.toml:12:12
               |
            12 | decision = "ask"
               |            ^^^^^
               = help: it can be switched off: `mode = "off"`

            error: `twice` is no rule and cannot only observe
              --> tollgate.toml:15:8
               |
            15 | mode = "observe"
               |        ^^^^^^^^^
               = help: it can be switched off: `mode = "off"`

            2 errors
        "#]],
    );
}

#[test]
fn ids() {
    check(
        r#"
[[rule]]
id = "a"
tool = "exec"
deny = "no"

[[rule]]
id = "a"
tool = "read"
deny = "no"

[[rule]]
id = "git-safety/mine"
tool = "read"
deny = "no"

[[limit]]
id = "a"
tool = "*"
max = 1
"#,
        expect![[r#"
            error: the id `a` is taken
             --> tollgate.toml:8:6
              |
            8 | id = "a"
              |      ^^^
              = help: ids are unique; the other one is at tollgate.toml:3

            error: the id `git-safety/mine` has a `/`
              --> tollgate.toml:13:6
               |
            13 | id = "git-safety/mine"
               |      ^^^^^^^^^^^^^^^^^
               = help: only the rules of packs do; use `-`

            error: the id `a` is taken
              --> tollgate.toml:18:6
               |
            18 | id = "a"
               |      ^^^
               = help: ids are unique; the other one is at tollgate.toml:3

            3 errors
        "#]],
    );
}

#[test]
fn exceptions_and_overrides() {
    check(
        r#"
[[rule]]
id = "broken"
blok = "a"

[[exception]]
rule = "shell-safety/delete-outsid"
path = "/srv/**"
until = 2027-01-01
reason = "scratch"

[[exception]]
rule = "shell-safety/delete-outside"
until = 2027-01-01
reason = "scratch"

[[exception]]
rule = "broken"
path = "/srv/scratch/**"
until = 2027-01-01
reason = "the rule is there, only broken"

[override.quux]
mode = "off"

[override."git-safety/rewrite"]

[[limit]]
id = "few"
tool = "x"
max = 1
ask = { title = "more?", timeout = "soon" }

[[exception]]
rule = "few"
tool = "x"
until = 2027-01-01
reason = "a limit is no rule"
"#,
        expect![[r#"
            error: a `rule` has no key `blok`
             --> tollgate.toml:4:1
              |
            4 | blok = "a"
              | ^^^^
              = help: did you mean `log`?

            error: there is no rule `shell-safety/delete-outsid`
             --> tollgate.toml:7:8
              |
            7 | rule = "shell-safety/delete-outsid"
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: did you mean `shell-safety/delete-outside`?

            error: this exception lifts all of `shell-safety/delete-outside`
              --> tollgate.toml:12:1
               |
            12 | [[exception]]
               | ^^^^^^^^^^^^^
               = help: narrow it with path, host, tool or arg; or use `override`

            error: there is no rule `quux`
              --> tollgate.toml:23:1
               |
            23 | [override.quux]
               | ^^^^^^^^^^^^^^^
               = help: `tollgate rules list` shows all

            error: this override of `git-safety/rewrite` changes nothing
              --> tollgate.toml:26:1
               |
            26 | [override."git-safety/rewrite"]
               | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               = help: give it `mode` or `decision`

            error: `soon` is no length of time
              --> tollgate.toml:32:36
               |
            32 | ask = { title = "more?", timeout = "soon" }
               |                                    ^^^^^^
               = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            error: there is no rule `few`
              --> tollgate.toml:35:8
               |
            35 | rule = "few"
               |        ^^^^^
               = help: only rules have exceptions; narrow the conditions of `few` instead

            7 errors
        "#]],
    );
}

#[test]
fn exceptions_that_are_over_and_rules_that_are_not_used() {
    check(
        r#"
[packs]
use = ["shell-safety"]

[[exception]]
rule = "shell-safety/delete-outside"
path = "/srv/scratch/**"
until = 2026-11-14
reason = "scratch"

[[exception]]
rule = "shell-safety/delete-outside"
path = "/srv/scratch/**"
until = 2026-11-15
reason = "today is the last day"

[override."git-safety/rewrite"]
mode = "off"
"#,
        expect![[r#"
            warning: this exception ended on 2026-11-14
             --> tollgate.toml:8:1
              |
            8 | until = 2026-11-14
              | ^^^^^
              = help: remove it, or give it a new date

            warning: `git-safety/rewrite` is not in use, so this has no effect
              --> tollgate.toml:17:11
               |
            17 | [override."git-safety/rewrite"]
               |           ^^^^^^^^^^^^^^^^^^^^
               = help: `packs.use` does not name git-safety; remove this, or add it

            2 warnings
        "#]],
    );
}

#[test]
fn packs_folders_and_numbers() {
    check(
        r#"
workspace = ["~/src", "/usr/.."]

[packs]
use = ["git-saftey", "pizza"]

[[limit]]
id = "l"
tool = "*"
max = 0
every = "1 year"
cost = "amount"
deny = "a"
ask = "b"

[[loop]]
tool = "*"
warn = -1

[[loop]]
tool = "*"
window = 5

[[dedupe]]
tool = "create_*"
for = "soon"
"#,
        expect![[r#"
            error: `~/src` is no folder
             --> tollgate.toml:2:14
              |
            2 | workspace = ["~/src", "/usr/.."]
              |              ^^^^^^^
              = help: write the full path, or one relative to this file

            error: the whole machine cannot be a workspace
             --> tollgate.toml:2:23
              |
            2 | workspace = ["~/src", "/usr/.."]
              |                       ^^^^^^^^^
              = help: name the folders in which work is ordinary

            error: there is no pack `git-saftey`
             --> tollgate.toml:5:8
              |
            5 | use = ["git-saftey", "pizza"]
              |        ^^^^^^^^^^^^
              = help: did you mean `git-safety`?

            error: there is no pack `pizza`
             --> tollgate.toml:5:22
              |
            5 | use = ["git-saftey", "pizza"]
              |                      ^^^^^^^
              = help: there are shell-safety, git-safety, secrets, sensitive-paths, infra,
                      database, egress

            error: `max` must be more than 0
              --> tollgate.toml:10:7
               |
            10 | max = 0
               |       ^
               = help: to refuse everything, write a rule with `deny`

            error: `1 year` is no length of time
              --> tollgate.toml:11:9
               |
            11 | every = "1 year"
               |         ^^^^^^^^
               = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            error: `cost` must name an argument
              --> tollgate.toml:12:8
               |
            12 | cost = "amount"
               |        ^^^^^^^^
               = help: like `arg.amount`

            error: this limit has two decisions, `deny` and `ask`
              --> tollgate.toml:14:7
               |
            14 | ask = "b"
               |       ^^^
               = help: choose one

            error: `warn` must be at least 0
              --> tollgate.toml:18:8
               |
            18 | warn = -1
               |        ^^

            error: the window of 5 is shorter than the 20 calls that `deny` counts
              --> tollgate.toml:22:10
               |
            22 | window = 5
               |          ^

            error: `soon` is no length of time
              --> tollgate.toml:26:7
               |
            26 | for = "soon"
               |       ^^^^^^
               = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            11 errors
        "#]],
    );
    check(
        r#"
[[limit]]
id = "l"
tool = "*"
max = 0
every = "1 year"
cost = "amount"
deny = "a"
ask = "b"

[[loop]]
tool = "*"
window = 5

[[dedupe]]
tool = "create_*"
for = "soon"
"#,
        expect![[r#"
            error: `max` must be more than 0
             --> tollgate.toml:5:7
              |
            5 | max = 0
              |       ^
              = help: to refuse everything, write a rule with `deny`

            error: `1 year` is no length of time
             --> tollgate.toml:6:9
              |
            6 | every = "1 year"
              |         ^^^^^^^^
              = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            error: `cost` must name an argument
             --> tollgate.toml:7:8
              |
            7 | cost = "amount"
              |        ^^^^^^^^
              = help: like `arg.amount`

            error: this limit has two decisions, `deny` and `ask`
             --> tollgate.toml:9:7
              |
            9 | ask = "b"
              |       ^^^
              = help: choose one

            error: the window of 5 is shorter than the 20 calls that `deny` counts
              --> tollgate.toml:13:10
               |
            13 | window = 5
               |          ^

            error: `soon` is no length of time
              --> tollgate.toml:17:7
               |
            17 | for = "soon"
               |       ^^^^^^
               = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            6 errors
        "#]],
    );
}

#[test]
fn a_limit_that_nobody_reaches_is_no_limit() {
    for number in ["inf", "-inf", "nan", "1e999"] {
        let limit = format!("[[limit]]\nid = 'a'\ntool = 'x'\nevery = '1h'\ndeny = 'a'\nmax = {number}\n");
        let shown = load(Layer::Project, &limit);
        assert_eq!(shown.lines().next(), Some("error: `max` must be a finite number"), "{number}");
    }
}

#[test]
fn no_toml() {
    check(
        r#"
mode = enforce
default =
dry_run = true
dry_run = false

[[rule]]
id = "a"
text = { regex = "\d+" }
deny = "no
tol = "exec"
"#,
        expect![[r#"
            error: text needs quotes
             --> tollgate.toml:2:8
              |
            2 | mode = enforce
              |        ^^^^^^^
              = help: "enforce"

            error: there is no value after `=`
             --> tollgate.toml:3:10
              |
            3 | default =
              |          ^
              = help: write one, or remove the key

            error: `dry_run` stands here a second time
             --> tollgate.toml:5:1
              |
            5 | dry_run = false
              | ^^^^^^^
              = help: each key once per table; give a list to say several things

            error: `\d` means nothing between double quotes
             --> tollgate.toml:9:19
              |
            9 | text = { regex = "\d+" }
              |                   ^^
              = help: use single quotes, in which a backslash is only a backslash: '…'

            error: this text is never closed
              --> tollgate.toml:10:11
               |
            10 | deny = "no
               |           ^
               = help: a quote is missing at its end

            error: a `rule` has no key `tol`
              --> tollgate.toml:11:1
               |
            11 | tol = "exec"
               | ^^^
               = help: did you mean `tool`?

            6 errors
        "#]],
    );
    check(
        r#"
[[rule]]
id = "a"
tool = ["exec",
deny = "no"

[[rule]]
id = "b"
"#,
        expect![[r#"
            error: this `[` is never closed
             --> tollgate.toml:4:8
              |
            4 | tool = ["exec",
              |        ^
              = help: close it, or look for a missing comma or quote inside
        "#]],
    );
    check(
        r#"
[[rule]
id = "a"

[rule]
id = "b"
mode
"#,
        expect![[r#"
            error: this header is never closed
             --> tollgate.toml:2:8
              |
            2 | [[rule]
              |        ^
              = help: a header is `[name]` or `[[name]]`, alone on its line

            error: there is no `=` and no value after this key
             --> tollgate.toml:7:5
              |
            7 | mode
              |     ^
              = help: write `key = value`

            2 errors
        "#]],
    );
    check(
        &format!("{}a = 1", "a.".repeat(60_000)),
        expect![[r#"
        error: this is nested too deeply
         --> tollgate.toml:1:120006
          |
        1 | ….a.a.a.a.a.a.a.a.a.a = 1
          |                          ^
          = help: a policy file never needs more than a few levels
    "#]],
    );
    check(
        &format!("x = {{{}a = {{{}a = 1}} }}", "a.".repeat(60), "a.".repeat(60)),
        expect![[r#"
        error: this is nested too deeply
         --> tollgate.toml:1:205
          |
        1 | …a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = …
          |                          ^
          = help: a policy file never needs more than a few levels
    "#]],
    );
}

#[test]
fn long_lines_and_what_is_not_fit_to_be_seen() {
    let long = "x".repeat(200);
    check(
        &format!("mode = \"{long}\"\n{long} = 1\nquux = \"\u{202e}\" # \u{7}"),
        expect![[r#"
            error: `mode` cannot be
                   `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
             --> tollgate.toml:1:8
              |
            1 | mode = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: it can be enforce or observe

            error: the file has no key
                   `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
             --> tollgate.toml:2:1
              |
            2 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: the keys are mode, default, dry_run, ambiguous, workspace, packs,
                      rule, tools, tool, require, limit, loop, dedupe, exception, override,
                      audit, hook

            error: line 3 cannot be read: invalid comment character, expected printable
                   characters
             --> tollgate.toml:3:14
              |
            3 | quux = "�" # �
              |              ^

            3 errors
        "#]],
    );
    check(
        "# a = 日本\n日本 = 1\n\tx = 2\r\n",
        expect![[r#"
            error: a key has only letters, digits, `-` and `_`
             --> tollgate.toml:2:1
              |
            2 | 日本 = 1
              | ^^^^
              = help: put another one in quotes

            error: the file has no key `x`
             --> tollgate.toml:3:2
              |
            3 |  x = 2
              |  ^
              = help: the keys are mode, default, dry_run, ambiguous, workspace, packs,
                      rule, tools, tool, require, limit, loop, dedupe, exception, override,
                      audit, hook

            2 errors
        "#]],
    );
}

#[test]
fn an_empty_file_and_comments_are_fine() {
    for text in ["", "\n\n", "# nothing", "\u{feff}mode = \"enforce\"", "mode = \"enforce\"\r\n"] {
        assert_eq!(load(Layer::Project, text), "", "{text:?}");
    }
}

#[test]
fn a_file_for_all_projects_may_speak_of_rules_that_are_not_here() {
    let text = "[override.some-rule]\nmode = \"off\"\n";
    let expected = expect![[r#"
        warning: there is no rule `some-rule`
         --> tollgate.toml:1:11
          |
        1 | [override.some-rule]
          |           ^^^^^^^^^
          = help: it has no effect here; another project may have such a rule
    "#]];
    expected.assert_eq(&load(Layer::User, text));
}

#[test]
fn no_text() {
    let file =
        File::of_bytes(Layer::User, Path::new("tollgate.toml"), b"mode = \"enforce\"\nx = \"\xff\xfe\"\n".to_vec());
    let found: Diagnostics = [file.unwrap_err()].into_iter().collect();
    expect![[r#"
        error: this is not UTF-8 text
         --> tollgate.toml:2:6
          |
        2 | x = "��"
          |      ^
          = help: save the file as UTF-8, without binary data
    "#]]
    .assert_eq(&found.to_string());
}

#[test]
fn as_json_in_colour_and_in_one_line() {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), b"mod = 1\n[[rule]]\nid = 1".to_vec()).unwrap();
    let found = combine(vec![file], true, Date::of_seconds(0)).unwrap_err();
    let json = serde_json::to_string_pretty(&found).unwrap();
    expect![[r#"
        [
          {
            "severity": "error",
            "file": "tollgate.toml",
            "line": 1,
            "column": 1,
            "start": 0,
            "end": 3,
            "message": "the file has no key `mod`",
            "help": "did you mean `mode`?"
          },
          {
            "severity": "error",
            "file": "tollgate.toml",
            "line": 3,
            "column": 6,
            "start": 22,
            "end": 23,
            "message": "`id` must be a text, and this is a whole number",
            "help": "with quotes: \"1\""
          }
        ]"#]]
    .assert_eq(&json);
    expect![[r#"
        ESC[1;31merrorESC[0mESC[1m: the file has no key `mod`ESC[0m
         ESC[1;34m-->ESC[0m tollgate.toml:1:1
          ESC[1;34m|ESC[0m
        ESC[1;34m1 |ESC[0m mod = 1
          ESC[1;34m|ESC[0m ESC[1;31m^^^ESC[0m
          ESC[1;34m= help:ESC[0m did you mean `mode`?

        ESC[1;31merrorESC[0mESC[1m: `id` must be a text, and this is a whole numberESC[0m
         ESC[1;34m-->ESC[0m tollgate.toml:3:6
          ESC[1;34m|ESC[0m
        ESC[1;34m3 |ESC[0m id = 1
          ESC[1;34m|ESC[0m      ESC[1;31m^ESC[0m
          ESC[1;34m= help:ESC[0m with quotes: "1"

        2 errors
    "#]]
    .assert_eq(&found.coloured().replace('\u{1b}', "ESC"));
    expect!["tollgate.toml:1:1: the file has no key `mod` (and 1 more)"].assert_eq(&found.brief());
}

#[test]
fn what_is_taught_of_tools() {
    check(
        r#"
[[tool]]
name = "acme_*"
kind = "exce"
effects = ["infra", "delte"]

[[tool]]
name = ""
path = ["a", "b..c"]

[[tool]]
name = "acme_*"
server = { regex = "(" }

[[tool]]
name = "acme_*"

[[tool]]
nam = "acme_*"
paths = ["where"]

[[tool]]
name = "acme_wipe"
kind = "mcp"
quux = 1
"#,
        expect![[r#"
            error: `kind` cannot be `exce`
             --> tollgate.toml:4:8
              |
            4 | kind = "exce"
              |        ^^^^^^
              = help: did you mean `exec`?

            error: an entry of `effects` cannot be `delte`
             --> tollgate.toml:5:21
              |
            5 | effects = ["infra", "delte"]
              |                     ^^^^^^^
              = help: did you mean `delete`?

            error: an empty text fits nothing
             --> tollgate.toml:8:8
              |
            8 | name = ""
              |        ^^

            error: `b..c` is not the name of an argument
             --> tollgate.toml:9:14
              |
            9 | path = ["a", "b..c"]
              |              ^^^^^^
              = help: write it like `path`, or `options.path` for one further in

            error: this is no regular expression: unclosed group
              --> tollgate.toml:13:21
               |
            13 | server = { regex = "(" }
               |                     ^

            error: this table says nothing about the tool
              --> tollgate.toml:15:1
               |
            15 | [[tool]]
               | ^^^^^^^^
               = help: give at least one of kind, effects, path, command, query, url

            error: a `tool` has no key `nam`
              --> tollgate.toml:19:1
               |
            19 | nam = "acme_*"
               | ^^^
               = help: did you mean `name`?

            error: a `tool` has no key `paths`
              --> tollgate.toml:20:1
               |
            20 | paths = ["where"]
               | ^^^^^
               = help: did you mean `path`?

            error: `kind` cannot be `mcp`
              --> tollgate.toml:24:8
               |
            24 | kind = "mcp"
               |        ^^^^^
               = help: it can be exec, stdin, read, write, edit or web

            error: a `tool` has no key `quux`
              --> tollgate.toml:25:1
               |
            25 | quux = 1
               | ^^^^
               = help: the keys are name, server, kind, effects, path, command, query, url,
                       examples

            10 errors
        "#]],
    );
    check(
        r#"
[[tool]]
name = "acme_*"
path = "where"
examples = [
    { tool = "acme_wipe", args = { where = "/data" }, effects = "delete" },
    { tool = "acme_wipe", args = { were = "/data" }, effects = ["delete"] },
    { args = {}, effects = "delete" },
    { tool = "other", args = {}, effects = "delete" },
    { tool = "acme_wipe", args = {}, effects = [] },
]

[[rule]]
id = "r"
effect = "delete"
deny = "no"
examples.match = [{ tool = "acme_wipe", args = { where = "/data" } }]
examples.pass = [{ tool = "acme_wipe", args = { were = "/data" } }]
"#,
        expect![[r#"
            error: this example does not have the effect `delete`
             --> tollgate.toml:7:5
              |
            7 |     { tool = "acme_wipe", args = { were = "/data" }, effects = ["delete"] },
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: it deletes (acme wipe) [infra], hands what it is given to a service
                      [network]

            error: this example does not say which tool is called
             --> tollgate.toml:8:5
              |
            8 |     { args = {}, effects = "delete" },
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: add `tool`, because `name` fits many

            error: `other` is not a tool that this table is about
             --> tollgate.toml:9:14
              |
            9 |     { tool = "other", args = {}, effects = "delete" },
              |              ^^^^^^^
              = help: `name` and `server` say which it is about

            error: an empty list fits nothing
              --> tollgate.toml:10:48
               |
            10 |     { tool = "acme_wipe", args = {}, effects = [] },
               |                                                ^^

            4 errors
        "#]],
    );
}

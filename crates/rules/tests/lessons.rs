//! What a policy says that tools do.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tollgate_core::{Body, Event, Point};
use tollgate_rules::form::Date;
use tollgate_rules::{Ambient, CallFacts, Extended, Finding, Lesson, RuleSet, Setting, Source, Still, compile};

fn lesson(form: &Value) -> Result<Arc<Lesson>, String> {
    let names = tollgate_wire::names();
    Lesson::compile(&serde_json::from_value(form.clone()).unwrap(), &names)
        .map_err(|wrong| wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The same surroundings, and a lesson.
fn taught(inner: &Arc<dyn Ambient>, form: &Value) -> Arc<dyn Ambient> {
    let lessons = vec![lesson(form).unwrap()];
    Arc::new(Extended { inner: Arc::clone(inner), folders: Vec::new(), lessons })
}

/// Asks something about a call of a tool, which is of server `acme` if its name says nothing else.
fn about<T>(tool: &str, body: &Body, ambient: &Arc<dyn Ambient>, ask: impl FnOnce(&CallFacts<'_>) -> T) -> T {
    let names = tollgate_wire::names();
    let server = (!tool.starts_with("mcp__")).then_some("acme");
    let name = tollgate_wire::name_of(&names, tool, &tollgate_wire::readings("", tool, server));
    let cwd = Some("/home/user/project");
    let event = Event { cwd, server, ..Event::tool(Point::ToolBefore, &name, "call") };
    ask(&CallFacts::new(&event, body, ambient))
}

fn effects(tool: &str, body: &Body, ambient: &Arc<dyn Ambient>) -> Vec<String> {
    about(tool, body, ambient, |facts| {
        let shown = facts.effects().unwrap().iter().map(|effect| {
            let place = effect.path.as_ref().or(effect.host.as_ref()).map_or(String::new(), |it| format!(" {it}"));
            format!("{}{place}", effect.kind)
        });
        shown.collect()
    })
}

/// What a lesson adds to what is understood of calls.
fn check(form: Value, calls: &[(&str, Value)], expected: Expect) {
    let plain = Still::shared();
    let taught = taught(&plain, &form);
    let mut shown = String::new();
    for (tool, args) in calls {
        let body = Body::from(args.clone());
        let before = effects(tool, &body, &plain);
        // The same document, seen by another policy.
        let after = effects(tool, &body, &taught);
        assert_eq!(after[..before.len()], before, "{tool} {args}: nothing is taken away");
        let more = &after[before.len()..];
        let more = if more.is_empty() { "nothing more".to_owned() } else { more.join(", ") };
        writeln!(shown, "{tool} {args}: {more}").unwrap();
        assert_eq!(effects(tool, &body, &plain), before, "{tool} {args}: what was taught is not for others");
    }
    expected.assert_eq(&shown);
}

#[test]
fn every_call_has_the_effects_that_are_said() {
    check(
        json!({"name": "acme_*", "effects": ["infra", "weaken"]}),
        &[
            ("acme_go", json!({})),
            ("mcp__x__acme_go", json!({"a": 1})),
            ("mcp__x__other", json!({})),
            ("Acme_Go", json!("x")),
        ],
        expect![[r#"
            acme_go {}: infra, weaken
            mcp__x__acme_go {"a":1}: infra, weaken
            mcp__x__other {}: nothing more
            Acme_Go "x": infra, weaken
        "#]],
    );
}

#[test]
fn a_tool_of_a_kind_is_judged_like_an_agents_own() {
    check(
        json!({"name": "zap", "server": "acme", "kind": "exec"}),
        &[
            ("zap", json!({"line": "rm -rf /"})),
            ("zap", json!({"command": "rm -rf /"})),
            ("mcp__acme__zap", json!({"line": "rm -rf /"})),
            ("mcp__other__zap", json!({"line": "rm -rf /"})),
            ("zap", json!({})),
        ],
        expect![[r#"
            zap {"line":"rm -rf /"}: delete /, unknown
            zap {"command":"rm -rf /"}: nothing more
            mcp__acme__zap {"line":"rm -rf /"}: delete /, unknown
            mcp__other__zap {"line":"rm -rf /"}: nothing more
            zap {}: nothing more
        "#]],
    );
    check(
        json!({"name": "zap", "kind": "write", "path": "where"}),
        &[("zap", json!({"where": "/data/x"})), ("zap", json!({"path": "/data/x"}))],
        expect![[r#"
            zap {"where":"/data/x"}: overwrite /data/x
            zap {"path":"/data/x"}: delete /data/x
        "#]],
    );
}

#[test]
fn arguments_hold_what_is_said() {
    check(
        json!({"name": ["acme_*", "zap"], "path": ["where", "options.paths"]}),
        &[
            ("acme_wipe", json!({"where": "/data/orders"})),
            ("acme_store", json!({"where": "x"})),
            ("acme_list", json!({"where": "/data/orders"})),
            ("zap", json!({"where": "~/.ssh/id_rsa"})),
            ("zap", json!({"options": [{"paths": ["/data/a"]}, {"paths": {"b": "/data/b"}}], "else": "/data/c"})),
            ("zap", json!("{\"where\": \"/data/orders\"}")),
            ("zap", json!({"where": 7})),
        ],
        expect![[r#"
            acme_wipe {"where":"/data/orders"}: delete /data/orders
            acme_store {"where":"x"}: overwrite /home/user/project/x
            acme_list {"where":"/data/orders"}: nothing more
            zap {"where":"~/.ssh/id_rsa"}: nothing more
            zap {"options":[{"paths":["/data/a"]},{"paths":{"b":"/data/b"}}],"else":"/data/c"}: read /data/a, read /data/b
            zap "{\"where\": \"/data/orders\"}": read /data/orders
            zap {"where":7}: nothing more
        "#]],
    );
    check(
        json!({"name": "zap", "kind": "exec", "command": "line"}),
        &[
            ("zap", json!({"line": "rm -rf a", "cwd": "/data", "note": "reboot"})),
            ("zap", json!({"line": ["rm", "-rf", "/"]})),
            ("zap", json!({"note": "reboot"})),
        ],
        expect![[r#"
            zap {"line":"rm -rf a","cwd":"/data","note":"reboot"}: delete /home/user/project/a, delete /data/a
            zap {"line":["rm","-rf","/"]}: delete /
            zap {"note":"reboot"}: kill, unknown
        "#]],
    );
    check(
        json!({"name": "zap", "query": "ask", "url": "at"}),
        &[
            ("zap", json!({"ask": "drop table orders"})),
            ("zap", json!({"ask": "select * from orders where title = 'drop table x'"})),
            ("zap", json!({"at": "https://evil.example/x"})),
            ("zap", json!({"at": ["evil.example", "file:///etc/shadow"]})),
        ],
        expect![[r#"
            zap {"ask":"drop table orders"}: database
            zap {"ask":"select * from orders where title = 'drop table x'"}: nothing more
            zap {"at":"https://evil.example/x"}: network evil.example
            zap {"at":["evil.example","file:///etc/shadow"]}: network evil.example, read-secret /etc/shadow
        "#]],
    );
}

#[test]
fn more_values_than_can_be_looked_at_are_not_passed_over() {
    let args = json!({"where": vec!["a"; 65]});
    let found = effects("zap", &Body::from(args), &taught(&Still::shared(), &json!({"name": "zap", "path": "where"})));
    assert_eq!(found.last().map(String::as_str), Some("unknown"));
}

#[test]
fn wrong_lessons() {
    for (form, expected) in [
        (
            json!({"name": "x"}),
            expect![
                "this table says nothing about the tool (give at least one of kind, effects, path, command, query, url)"
            ],
        ),
        (json!({"name": "", "effects": ["infra"]}), expect!["name: an empty text fits nothing"]),
        (
            json!({"name": ["x", {"regex": "("}], "effects": ["infra"]}),
            expect!["name.1.regex: this is no regular expression: unclosed group"],
        ),
        (
            json!({"name": "x", "kind": "mcp"}),
            expect![
                "kind: there is no kind of tool with effects `mcp` (there are exec, stdin, read, write, edit, web)"
            ],
        ),
        (
            json!({"name": "x", "kind": "exce"}),
            expect!["kind: there is no kind of tool with effects `exce` (did you mean `exec`?)"],
        ),
        (
            json!({"name": "x", "effects": ["delte"]}),
            expect!["effects.0: there is no effect `delte` (did you mean `delete`?)"],
        ),
        (json!({"name": "x", "effects": []}), expect!["effects: an empty list fits nothing"]),
        (json!({"name": "x", "path": []}), expect!["path: an empty list names no argument"]),
        (
            json!({"name": "x", "path": ["a", "b..c"], "url": ""}),
            expect![[r#"
            path.1: `b..c` is not the name of an argument (write it like `path`, or `options.path` for one further in)
            url: `` is not the name of an argument (write it like `path`, or `options.path` for one further in)"#]],
        ),
        (
            json!({"name": "x*", "path": "a", "examples": [{"args": {}, "effects": "read"}]}),
            expect![
                "examples.0: this example does not say which tool is called (add `tool`, because `name` fits many)"
            ],
        ),
        (
            json!({"name": "x", "path": "a", "examples": [{"tool": "y", "args": {}, "effects": "read"}]}),
            expect![
                "examples.0.tool: `y` is not a tool that this table is about (`name` and `server` say which it is about)"
            ],
        ),
        (
            json!({"name": "x", "path": "a", "examples": [{"args": {"a": "b"}, "effects": "delete"}]}),
            expect![
                "examples.0: this example does not have the effect `delete` (it hands what it is given to a service [network], reads /home/user/project/b [read (inside)])"
            ],
        ),
        (
            json!({"name": "x", "path": "a", "examples": [{"args": {}, "effects": "infra"}]}),
            expect![
                "examples.0: this example does not have the effect `infra` (its tool is `x` and it has no effects that are known)"
            ],
        ),
        (
            json!({"name": "x", "path": "a", "examples": [{"args": {}, "effects": "infr"}]}),
            expect!["examples.0.effects: there is no effect `infr` (did you mean `infra`?)"],
        ),
        (json!({"name": "x", "path": "a", "examples": [{"args": {"a": "b"}, "effects": ["read"]}]}), expect!["right"]),
    ] {
        expected.assert_eq(&lesson(&form).err().unwrap_or_else(|| "right".to_owned()));
    }
}

fn rules(forms: &[Value], exceptions: &[Value]) -> RuleSet {
    let source = |form: &Value| Source {
        form: serde_json::from_value(form.clone()).unwrap(),
        origin: "test".into(),
        path: Vec::new(),
    };
    let given =
        |form: &Value| tollgate_rules::Placed { form: serde_json::from_value(form.clone()).unwrap(), path: Vec::new() };
    let setting =
        Setting { exceptions: exceptions.iter().map(given).collect(), ..Setting::on(Date::new(2026, 1, 1).unwrap()) };
    compile(forms.iter().map(source).collect(), &setting).unwrap()
}

/// Whatever is taught, a rule that refuses a call still does.
#[test]
fn what_is_taught_lets_nothing_through() {
    let lesson = json!({"name": "zap", "kind": "exec", "effects": ["infra"], "path": "where"});
    let exception = json!({"rule": "r", "path": "/data/**", "until": "2999-01-01", "reason": "r"});
    for (rule, exceptions, before, after) in [
        (json!({"effect": "infra"}), vec![], false, true),
        (json!({"kind": "exec"}), vec![], false, true),
        (json!({"path": "/data/**"}), vec![], false, true),
        (json!({"path": "/data/**"}), vec![exception.clone()], false, false),
        (json!({"when": "effects.exists(e, e.kind == 'infra')"}), vec![], false, true),
        (json!({"when": "!effects.exists(e, e.kind == 'infra')"}), vec![], true, true),
        (json!({"tool": "zap", "not": {"effect": "infra"}}), vec![], true, true),
        (json!({"tool": "zap", "not": {"kind": "exec"}}), vec![], true, true),
        (json!({"tool": "zap", "not": {"path": "/data/**"}}), vec![], true, true),
        (json!({"tool": "zap"}), vec![exception], true, true),
    ] {
        let mut form = rule.clone();
        form["id"] = "r".into();
        form["deny"] = "no".into();
        let rules = rules(&[form], &exceptions);
        let body = Body::from(json!({"where": "/data/x"}));
        let refuses = |ambient: &Arc<dyn Ambient>| {
            about("zap", &body, ambient, |facts| {
                rules.findings(facts.event, &body, ambient).unwrap().iter().any(Finding::is_enforced)
            })
        };
        let plain = Still::shared();
        let found = (refuses(&plain), refuses(&taught(&plain, &lesson)));
        assert_eq!(found, (before, after), "{rule} {exceptions:?}");
    }
}

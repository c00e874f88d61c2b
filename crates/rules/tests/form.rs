//! What may stand in a file, and what may not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use serde_json::{Value, json};
use tollgate_rules::form::{Dedupe, Exception, Limit, Loop, Override, Require, Rule, Tools};

/// Whether a text can be read as a table.
fn reads<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

#[test]
fn everything_of_the_specification_is_read() {
    let rule: Rule = reads(
        r#"
        id = "no-prod-db"
        on = ["tool.before", "tool.after"]
        tool = ["exec", "db_*", { regex = "^sql" }]
        kind = "exec"
        agent = "claude-code"
        session = { prefix = "s-" }
        server = "a"
        model = "b"
        surface = "c"
        principal = "d"
        effect = ["database", { kind = "delete", place = ["root", "home"], flag = "recursive", path = "/**", host = "*" }]
        place = "outside"
        flag = ["recursive", "force"]
        path = { prefix = "/srv" }
        host = "*.internal"
        arg.command = { contains = "prod" }
        arg.options.force = true
        text = { regex = "(?i)password" }
        secret = true
        header.x-team = "payments"
        not = { arg.draft = true }
        any = [{ tool = "a" }, { tool = "b" }]
        all = [{ tool = "a", not = [{ tool = "c" }] }]
        when = "args.amount > 100"
        deny = "production is read-only"
        suggest = "use the replica"
        priority = 0
        on_fault = "deny"
        mode = "enforce"
        examples.match = ["psql prod -c 'drop table x'"]
        examples.pass = [{ tool = "read", args = { path = "a" } }, "psql dev"]
        "#,
    )
    .unwrap();
    assert_eq!(serde_json::from_value::<Rule>(serde_json::to_value(&rule).unwrap()).unwrap(), rule);
    assert_eq!(rule.conditions.arg["options"].0, json!({"force": true}));

    reads::<Tools>("read = ['get_*']\nwrite = ['a']\nadmin = ['b']\nallow = ['*']\ndeny = [{ regex = 'c' }]").unwrap();
    reads::<Require>("tool = 'push'\narg.branch = { prefix = ['feature/', 'fix/'] }").unwrap();
    let limit = "id = 'w'\ntool = 'create_*'\nper = ['session', 'tool']\nmax = 20\nevery = '1h'\ncost = 'arg.amount'\ndeny = 'no'";
    assert!((reads::<Limit>(limit).unwrap().max - 20.0).abs() < f64::EPSILON);
    assert_eq!(reads::<Loop>("tool = '*'\nwarn = 10\ndeny = 20\nwindow = 30").unwrap().deny, Some(20));
    assert_eq!(reads::<Dedupe>("tool = 'create_*'\nfor = '10m'").unwrap().span.0, "10m");
    let exception = "rule = 'a/b'\npath = '/srv/scratch/**'\nuntil = 2026-12-31\nreason = 'scratch disk'";
    assert_eq!(reads::<Exception>(exception).unwrap().until.to_string(), "2026-12-31");
    reads::<Override>("mode = 'off'").unwrap();
    reads::<Override>("decision = 'ask'").unwrap();
}

#[test]
fn decisions_and_edits_are_read() {
    for decision in [
        r#"ask = "really?""#,
        r#"ask = { title = "really?", detail = "a lot", timeout = "2m" }"#,
        r#"route = { provider = "bubblewrap", profile = "strict", limits = { cpu = 1 } }"#,
        r#"log = "seen""#,
        "redact = true",
        r#"redact = ["secrets", { regex = "a+", with = "b" }]"#,
        r#"rewrite = [{ set = { arg = 1 } }, { default = { "a.b" = [] } }, { remove = ["arg"] }]"#,
        r#"rewrite = [{ prefix_path = { path = "dir" } }, { append = { a = " text" } }, { prepend = { a = "text " } }]"#,
        r#"rewrite = [{ set_header = { name = "value" } }, { remove_header = ["name"] }, { rename = "tool" }]"#,
        r#"rewrite = [{ replace = { regex = "a", with = "b", in = "c" } }, { strip_ansi = true }, { note = "text" }]"#,
        r#"rewrite = [{ truncate = { bytes = 20000, in = "a" } }, { truncate = { bytes = 1 } }, { keep = { a = ["b"] } }]"#,
    ] {
        reads::<Rule>(&format!("id = 'a'\n{decision}")).unwrap_or_else(|error| panic!("{decision}: {error}"));
    }
}

#[test]
fn what_is_not_in_the_specification_is_refused() {
    for (text, says) in [
        ("id = 'a'\nblok = 'b'", "unknown field `blok`"),
        ("deny = 'b'", "missing field `id`"),
        ("id = 'a'\nmode = 'of'", "unknown variant"),
        ("id = 'a'\nnot = { tols = 'b' }", "unknown field `tols`"),
        ("id = 'a'\ntext = { regexp = 'b' }", "unknown field `regexp`"),
        ("id = 'a'\nrewrite = [{ sett = { a = 1 } }]", "unknown variant"),
    ] {
        let error = reads::<Rule>(text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}

/// The schema is what mistakes are found by, so it must be as strict as the reader.
#[test]
fn the_schema_knows_every_key_and_no_other() {
    let schema = schemars::schema_for!(Rule).to_value();
    assert_eq!(schema["additionalProperties"], Value::Bool(false), "{schema:#}");
    for key in ["id", "on", "tool", "effect", "arg", "not", "when", "deny", "examples"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    assert_eq!(schema["required"], json!(["id"]));
    assert_eq!(schema["$defs"]["PlaceName"]["enum"][0], "inside");
}

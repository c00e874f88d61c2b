use super::*;

fn made_up(tool: &str, schema: &Value) -> Vec<Value> {
    calls(&Offer { server: "any", tool, description: "", schema })
}

#[test]
fn what_must_be_said_comes_first_and_then_all_that_can_be() {
    let schema = json!({
        "required": ["path", "options"],
        "properties": {
            "path": { "type": "string" },
            "head": { "type": "integer" },
            "options": {
                "type": "object",
                "required": ["force"],
                "properties": { "force": { "type": "boolean", "default": true }, "tags": { "items": { "type": "string" }, "type": "array" } },
            },
        },
    });
    let expected = [
        json!({ "path": "src/main.rs", "options": { "force": false } }),
        json!({ "path": "src/main.rs", "head": 1, "options": { "force": false, "tags": ["example"] } }),
    ];
    assert_eq!(made_up("read", &schema), expected);
    assert_eq!(made_up("ping", &json!({})), [json!({})], "a call without arguments is made once");
}

#[test]
fn every_deed_is_chosen_once_at_any_depth() {
    let schema = json!({
        "properties": { "params": { "type": "object", "properties": { "action": { "enum": ["delete", "get"] } } } },
    });
    let expected = [json!({}), json!({ "params": { "action": "get" } }), json!({ "params": { "action": "delete" } })];
    assert_eq!(made_up("pages", &schema), expected);
}

#[test]
fn values_follow_from_names_types_and_descriptions() {
    for (name, schema, expected) in [
        ("file_url", json!({}), json!("https://example.org/")),
        ("fileName", json!({}), json!("src/main.rs")),
        ("path", json!({ "description": "Absolute path of the file" }), json!("/home/dev/project/src/main.rs")),
        ("outputDirs", json!({ "type": "array" }), json!(["src"])),
        ("query", json!({}), json!("open questions of the roadmap")),
        ("query", json!({ "description": "A SQL query" }), json!("SELECT 1")),
        ("filter", json!({ "description": "In PromQL" }), json!("up")),
        ("issueId", json!({ "type": ["null", "string"] }), json!("abc-123")),
        ("issueId", json!({ "type": "integer" }), json!(1)),
        ("when", json!({ "format": "date" }), json!("2026-01-02")),
        ("kind", json!({ "enum": ["remove", "keep"] }), json!("keep")),
        ("kind", json!({ "const": "x" }), json!("x")),
        ("method", json!({ "default": "HEAD" }), json!("HEAD")),
        ("title", json!({ "default": "" }), json!("The meeting is on Tuesday.")),
        ("parent", json!({ "anyOf": [{ "$ref": "#/x" }, { "type": "null" }, { "type": "boolean" }] }), json!(false)),
        ("parent", json!({ "$ref": "#/x" }), json!({})),
    ] {
        let of = json!({ "required": [name], "properties": { name: schema } });
        assert_eq!(made_up("any", &of)[0][name], expected, "{name} {schema}");
    }
}

#[test]
fn a_deed_that_says_so_is_told_from_one_that_mentions_it() {
    for (tool, args, expected) in [
        ("droplet-delete", json!({}), true),
        ("list_deleted", json!({}), false),
        ("pages", json!({ "params": [{ "action": "delete_page" }] }), true),
        ("pages", json!({ "title": "delete", "action": "get" }), false),
    ] {
        assert_eq!(by_verb(tool, &args), expected, "{tool} {args}");
    }
}

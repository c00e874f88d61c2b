//! Hooks in JSON: what they come to, and how mistakes in them look.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod hooked;

use expect_test::{Expect, expect};
use hooked::{Folder, told};
use tollgate_config::load;

/// What the hooks of a project come to, or how its mistakes look.
fn check_json(text: &str, expected: Expect) {
    let folder = Folder::new();
    folder.write("project/.tollgate/workspace.json", text);
    let shown =
        load(&folder.paths()).map_or_else(|wrong| folder.shown(&wrong.to_string()), |plan| told(&folder, &plan));
    expected.assert_eq(&shown);
}

#[test]
fn hooks_as_the_ancestor_writes_them() {
    check_json(
        r#"{
  "model": "whatever else is there",
  "hooks": {
    "preToolUse": [{ "command": "python3 guard.py", "match": "bash" }, { "command": "true", "match": "*" }],
    "postToolUse": [{ "command": "true", "match": "" }],
    "userPromptSubmit": [{ "command": "true", "match": "ignored" }],
    "stop": [{ "command": "true" }],
    "preCompact": [{ "command": "true" }],
    "sessionStart": [{ "command": "true" }],
    "sessionEnd": []
  }
}"#,
        expect![[r#"
            preToolUse-1 (project) tool.before [bash] `python3 guard.py` Seed 10s on_fault Deny priority 0 env [] trusted false pins ["/project/guard.py"]
            preToolUse-2 (project) tool.before [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
            postToolUse-1 (project) tool.after [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
            userPromptSubmit-1 (project) prompt.submit [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
            stop-1 (project) turn.stop [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
            preCompact-1 (project) compact.before [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
            sessionStart-1 (project) session.start [] `true` Seed 10s on_fault Deny priority 0 env [] trusted false pins []
        "#]],
    );
    check_json("{}", expect![""]);
    check_json(r#"{"hooks": null}"#, expect![""]);
}

#[test]
fn mistakes_in_json() {
    for (text, expected) in [
        (
            "{\n  \"hooks\": {\n",
            expect![[r#"
            error: this is no JSON: EOF while parsing an object at line 3 column 0
             --> /project/.tollgate/workspace.json:2:13
              |
            2 |   "hooks": {
              |             ^
              = help: correct it, or remove the file
        "#]],
        ),
        (
            "[]",
            expect![[r#"
            error: this is no JSON object
             --> /project/.tollgate/workspace.json:1:1
              |
            1 | []
              | ^
              = help: begin with `{"hooks": {…}}`
        "#]],
        ),
        (
            r#"{"hooks": {}, "hooks": {}}"#,
            expect![[r#"
            error: this can be read in two ways (a key appears twice in one object)
             --> /project/.tollgate/workspace.json:1:1
              |
            1 | {"hooks": {}, "hooks": {}}
              | ^
              = help: remove one
        "#]],
        ),
        (
            r#"{"hooks": []}"#,
            expect![[r#"
            error: `hooks` must be an object
             --> /project/.tollgate/workspace.json:1:2
              |
            1 | {"hooks": []}
              |  ^^^^^^^
              = help: write `"hooks": {"preToolUse": [{"command": "…"}]}`
        "#]],
        ),
        (
            r#"{"hooks": {
  "preToolUze": [],
  "onFire": [],
  "stop": {"command": "true"},
  "postToolUse": ["true"],
  "preToolUse": [
    {"command": "true", "matcher": "bash"},
    {"match": "bash"},
    {"command": "true", "match": "bash|write"},
    {"command": "true", "match": 3},
    {"command": "python3 gone.py"}
  ]
}}"#,
            expect![[r#"
                error: there is no event `preToolUze`
                 --> /project/.tollgate/workspace.json:2:3
                  |
                2 |   "preToolUze": [],
                  |   ^^^^^^^^^^^^
                  = help: did you mean `preToolUse`?

                error: there is no event `onFire`
                 --> /project/.tollgate/workspace.json:3:3
                  |
                3 |   "onFire": [],
                  |   ^^^^^^^^
                  = help: there are preToolUse, postToolUse, userPromptSubmit, stop, preCompact,
                          sessionStart, sessionEnd, subagentStart, subagentStop, notification

                error: `stop` must be a list
                 --> /project/.tollgate/workspace.json:4:3
                  |
                4 |   "stop": {"command": "true"},
                  |   ^^^^^^
                  = help: in brackets: [{"command": "…"}]

                error: an entry of `postToolUse` must be an object
                 --> /project/.tollgate/workspace.json:5:3
                  |
                5 |   "postToolUse": ["true"],
                  |   ^^^^^^^^^^^^^
                  = help: write {"command": "…", "match": "a tool's name"}

                error: an entry of `preToolUse` has no key `matcher`
                 --> /project/.tollgate/workspace.json:7:25
                  |
                7 |     {"command": "true", "matcher": "bash"},
                  |                         ^^^^^^^^^
                  = help: write {"command": "…", "match": "a tool's name"}

                error: an entry of `preToolUse` has no `command` that is a text
                 --> /project/.tollgate/workspace.json:6:3
                  |
                6 |   "preToolUse": [
                  |   ^^^^^^^^^^^^
                  = help: write {"command": "…", "match": "a tool's name"}

                error: `bash|write` is no name of a tool
                 --> /project/.tollgate/workspace.json:9:34
                  |
                9 |     {"command": "true", "match": "bash|write"},
                  |                                  ^^^^^^^^^^^^
                  = help: write one tool's name, or `*` for all; `[[hook]]` in tollgate.toml
                          takes lists and globs

                error: `match` must be a text
                 --> /project/.tollgate/workspace.json:8:6
                  |
                8 |     {"match": "bash"},
                  |      ^^^^^^^
                  = help: write one tool's name, or `*` for all; `[[hook]]` in tollgate.toml
                          takes lists and globs

                error: there is no file `gone.py`
                  --> /project/.tollgate/workspace.json:11:17
                   |
                11 |     {"command": "python3 gone.py"}
                   |                 ^^^^^^^^^^^^^^^^^
                   = help: correct the path; it is relative to the project's folder

                9 errors
            "#]],
        ),
    ] {
        check_json(text, expected);
    }
}

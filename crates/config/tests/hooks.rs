//! `[[hook]]`: what they come to, how mistakes in them look, and whose run.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod hooked;

use std::path::Path;

use expect_test::{Expect, expect};
use hooked::{Folder, told};
use tollgate_config::{File, Hook, Layer, Paths, Trust, inspect, kind, load, load_cached};

/// What a policy of the project comes to, or how its mistakes look.
fn check(text: &str, expected: Expect) {
    let folder = Folder::new();
    let path = folder.write("project/tollgate.toml", text);
    let file = File::read(Layer::Project, &path).unwrap().unwrap();
    let shown = inspect(vec![file], None, false)
        .map_or_else(|wrong| folder.shown(&wrong.to_string()), |plan| told(&folder, &plan));
    expected.assert_eq(&shown);
}

#[test]
fn what_is_written_and_what_is_not() {
    check(
        r#"
[[hook]]
command = "python3 guard.py"

[[hook]]
id = "after"
on = ["tool.before", "tool.after"]
command = ["python3", "guard.py", "it's"]
match = ["bash", "web_*"]
timeout = "500ms"
protocol = "claude-code"
on_fault = "pass"
env = ["GITHUB_TOKEN"]
priority = 10

[[hook]]
on = "session.end"
command = "true"
match = "*"
"#,
        expect![[r#"
            hook-1 (project) tool.before [] `python3 guard.py` Tollgate 10s on_fault Deny priority 0 env [] trusted false pins ["/project/guard.py"]
            after (project) tool.before tool.after [bash web_*] `python3 guard.py 'it'\''s'` ClaudeCode 500ms on_fault Pass priority 10 env ["GITHUB_TOKEN"] trusted false pins ["/project/guard.py"]
            hook-3 (project) session.end [] `true` Tollgate 10s on_fault Deny priority 0 env [] trusted false pins []
        "#]],
    );
}

#[test]
fn mistakes_in_shape() {
    check(
        r#"
[[hook]]
comand = "true"

[[hook]]
command = 7
on = "tool.befor"
protocol = "claude"
on_fault = "allow"
"#,
        expect![[r#"
            error: a `hook` has no key `comand`
             --> /project/tollgate.toml:3:1
              |
            3 | comand = "true"
              | ^^^^^^
              = help: did you mean `command`?

            error: `command` must be a list or a text, and this is a whole number
             --> /project/tollgate.toml:6:11
              |
            6 | command = 7
              |           ^

            error: `on` cannot be `tool.befor`
             --> /project/tollgate.toml:7:6
              |
            7 | on = "tool.befor"
              |      ^^^^^^^^^^^^
              = help: did you mean `tool.before`?

            error: `protocol` cannot be `claude`
             --> /project/tollgate.toml:8:12
              |
            8 | protocol = "claude"
              |            ^^^^^^^^
              = help: it can be tollgate, seed or claude-code

            error: `on_fault` cannot be `allow`
             --> /project/tollgate.toml:9:12
              |
            9 | on_fault = "allow"
              |            ^^^^^^^
              = help: did you mean `pass`?

            5 errors
        "#]],
    );
}

#[test]
fn mistakes_in_meaning() {
    check(
        r#"
[[hook]]
command = "python3 gaurd.py"

[[hook]]
command = ["no-such-program", "x"]

[[hook]]
command = ["python3", "gone.py"]

[[hook]]
command = "./guard.py"

[[hook]]
command = ""

[[hook]]
id = "a"
command = "true"
timeout = "soon"
env = ["OK", "A=B"]

[[hook]]
id = "a"
command = "true"

[[hook]]
id = "a"
command = "true"
timeout = "1h"

[[hook]]
id = " "
command = "true"
on = ["tool.before", "prompt.submit"]
match = "bash"

[[hook]]
command = "true"
on = ["tool.before", "model.request"]
protocol = "seed"

[[hook]]
command = "true"
on = []

[[hook]]
command = "true"
match = "ba[sz]h"

[[hook]]
id = "b"
command = "true"

[[hook]]
id = "b"
command = "true"
"#,
        expect![[r#"
            error: there is no file `gaurd.py`
             --> /project/tollgate.toml:3:20
              |
            3 | command = "python3 gaurd.py"
              |                    ^^^^^^^^
              = help: correct the path; it is relative to the folder of this file

            error: there is no program `no-such-program`
             --> /project/tollgate.toml:6:12
              |
            6 | command = ["no-such-program", "x"]
              |            ^^^^^^^^^^^^^^^^^
              = help: install it, or write its full path; it is looked for in the folders of
                      $PATH

            error: there is no file `gone.py`
             --> /project/tollgate.toml:9:23
              |
            9 | command = ["python3", "gone.py"]
              |                       ^^^^^^^^^
              = help: correct the path; it is relative to the folder of this file

            error: `./guard.py` cannot be run
              --> /project/tollgate.toml:12:12
               |
            12 | command = "./guard.py"
               |            ^^^^^^^^^^
               = help: `chmod +x ./guard.py`, or name what runs it first

            error: the command is empty
              --> /project/tollgate.toml:15:11
               |
            15 | command = ""
               |           ^^
               = help: write a line for a shell, or a list: the program and its arguments

            error: `soon` is no length of time
              --> /project/tollgate.toml:20:11
               |
            20 | timeout = "soon"
               |           ^^^^^^
               = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

            error: `A=B` is no name of a variable
              --> /project/tollgate.toml:21:14
               |
            21 | env = ["OK", "A=B"]
               |              ^^^^^
               = help: name variables that are set; their values are passed on

            error: `timeout` must be more than nothing and at most `10m`
              --> /project/tollgate.toml:30:11
               |
            30 | timeout = "1h"
               |           ^^^^
               = help: it is `10s` if you do not say

            error: `id` is empty
              --> /project/tollgate.toml:33:6
               |
            33 | id = " "
               |      ^^^
               = help: give it a name, or leave it out

            error: `match` speaks of tools, and at prompt.submit there is none
              --> /project/tollgate.toml:36:9
               |
            36 | match = "bash"
               |         ^^^^^^
               = help: write one hook for tools and one for the rest

            error: the protocol `seed` has no words for model.request
              --> /project/tollgate.toml:40:22
               |
            40 | on = ["tool.before", "model.request"]
               |                      ^^^^^^^^^^^^^^^
               = help: `protocol = "tollgate"` has

            error: this hook stands nowhere
              --> /project/tollgate.toml:45:6
               |
            45 | on = []
               |      ^^
               = help: name a point, such as `tool.before`

            error: the pattern `ba[sz]h` does not work: a glob is a name in which `*` stands
                   for any text
              --> /project/tollgate.toml:49:9
               |
            49 | match = "ba[sz]h"
               |         ^^^^^^^^^
               = help: one name, or a list of names

            error: there is another hook `b`
              --> /project/tollgate.toml:56:6
               |
            56 | id = "b"
               |      ^^^
               = help: give each its own id

            14 errors
        "#]],
    );
}

/// What a project's command runs must be known, or it could be changed without anybody being asked again.
#[test]
fn commands_of_a_project_name_all_that_they_run() {
    let folder = Folder::new();
    folder.write("project/guard.js", "");
    let help = "as in `python3 guard.py` or `./guard.sh`";
    for command in [
        "'sh \"$PWD/guard.py\"'",
        "'true; ./b.sh || true'",
        "'node guard'",
        "'python3 -m guard'",
        "'make -s x'",
        "'sh ./?.sh'",
        "['sh', '-c', 'sh<guard.py']",
    ] {
        let policy = format!("[[hook]]\ncommand = {command}\n");
        for (layer, refused) in [(Layer::Project, true), (Layer::User, false), (Layer::Machine, false)] {
            let path = folder.write("project/tollgate.toml", &policy);
            let file = File::read(layer, &path).unwrap().unwrap();
            let said = inspect(vec![file], None, false).map_err(|wrong| wrong.to_string());
            // Not every machine has every program.
            if said.as_ref().is_err_and(|said| said.contains("there is no program")) {
                continue;
            }
            assert_eq!(said.is_err(), refused, "{command} {layer:?}");
            assert!(said.err().is_none_or(|said| said.replace("\n", " ").contains("which files this command runs")));
        }
    }
    let path = folder.write("project/tollgate.toml", "[[hook]]\ncommand = 'sh -c true'\n");
    let file = File::read(Layer::Project, &path).unwrap().unwrap();
    let said = inspect(vec![file], None, false).unwrap_err().to_string();
    let said: Vec<&str> = said.split_whitespace().collect();
    assert!(said.join(" ").contains(help), "{said:?}");
    // What users' hooks name is known, too, so that nobody else changes it.
    let path = folder.write("home/tollgate.toml", "[[hook]]\ncommand = 'cat | python3 ../project/guard.py'\n");
    let plan = inspect(vec![File::read(Layer::User, &path).unwrap().unwrap()], None, false).unwrap();
    let named = &plan.hooks[0].program.named;
    assert!(named.contains(&folder.0.join("home/../project/guard.py")), "{named:?}");
}

const POLICY: &str = "[[hook]]\ncommand = 'python3 guard.py'\n";

#[test]
fn hooks_of_a_project_are_trusted_with_their_scripts() {
    let folder = Folder::new();
    let file = folder.write("project/tollgate.toml", POLICY);
    let json =
        folder.write("project/.tollgate/workspace.json", r#"{"hooks": {"preToolUse": [{"command": "sh check.sh"}]}}"#);
    folder.write("project/check.sh", "exit 0\n");
    let paths = folder.paths();
    let store = Trust::at(paths.data().unwrap());
    let trusted = || load(&paths).unwrap().hooks.iter().map(|hook| hook.trusted).collect::<Vec<_>>();
    let agree = |path: &Path| {
        let plan = load(&paths).unwrap();
        let file = plan.files.iter().find(|file| file.path == path).unwrap();
        store.trust(kind::HOOKS, path, Hook::manifest(file, &plan.hooks).as_bytes()).unwrap();
    };
    assert_eq!(trusted(), [false, false]);
    let warnings = folder.shown(&load(&paths).unwrap().warnings.to_string());
    expect![[r#"
        warning: the hooks in this file are not trusted as they are now, so what they
                 would judge is refused
         --> /project/tollgate.toml:1:1
          |
        1 | [[hook]]
          | ^^^^^^^^
          = help: look at them and their scripts, then run `tollgate trust`

        warning: the hooks in this file are not trusted as they are now, so what they
                 would judge is refused
         --> /project/.tollgate/workspace.json:1:2
          |
        1 | {"hooks": {"preToolUse": [{"command": "sh check.sh"}]}}
          |  ^^^^^^^
          = help: look at them and their scripts, then run `tollgate trust`

        2 warnings
    "#]]
    .assert_eq(&warnings);
    // To trust the policy is not to trust its hooks.
    store.trust(kind::CONFIG, &file, POLICY.as_bytes()).unwrap();
    assert_eq!(trusted(), [false, false]);
    agree(&file);
    assert_eq!(trusted(), [true, false]);
    agree(&json);
    assert_eq!(trusted(), [true, true]);
    // A script that changed, one that changed back, a policy that changed, a link in the script's place.
    folder.write("project/guard.py", "import os\n");
    assert_eq!(trusted(), [false, true]);
    folder.write("project/guard.py", "import sys\n");
    assert_eq!(trusted(), [true, true]);
    folder.write("project/tollgate.toml", &format!("{POLICY}# more\n"));
    assert_eq!(trusted(), [false, true]);
    folder.write("project/tollgate.toml", POLICY);
    store.revoke(kind::HOOKS, &json).unwrap();
    assert_eq!(trusted(), [true, false]);
    // What changes after it was loaded is noticed, too.
    let plan = load(&paths).unwrap();
    assert_eq!(plan.hooks[0].changed(), None);
    folder.write("project/guard.py", "");
    assert_eq!(plan.hooks[0].changed(), Some(&*folder.0.join("project/guard.py")));
    std::fs::remove_file(folder.0.join("project/guard.py")).unwrap();
    assert!(load(&paths).unwrap_err().to_string().contains("there is no file `guard.py`"));
}

#[test]
fn whose_hooks_run() {
    let folder = Folder::new();
    folder.write("home/.config/tollgate/tollgate.toml", "[[hook]]\ncommand = 'true'\n");
    folder.write("project/.tollgate/workspace.json", r#"{"hooks": {"stop": [{"command": "true"}]}}"#);
    let named = folder.write("mine.json", r#"{"hooks": {"sessionEnd": [{"command": "true"}]}}"#);
    let ids = |paths: &Paths| {
        let plan = load(paths).unwrap_or_else(|wrong| panic!("{wrong}"));
        plan.hooks.iter().map(|hook| format!("{} {} {}", hook.id, hook.origin, hook.trusted)).collect::<Vec<_>>()
    };
    let paths = folder.paths();
    assert_eq!(ids(&paths), ["hook-1 user true", "stop-1 project false"]);
    let paths = Paths { hooks: Some(named), ..paths };
    assert_eq!(ids(&paths), ["hook-1 user true", "sessionEnd-1 user true"]);
    let paths = Paths { hooks: Some("/nowhere.json".into()), ..paths };
    expect![[r#"
        error: there is no such file
         --> /nowhere.json
          = help: look at what follows `--hooks`
    "#]]
    .assert_eq(&load(&paths).unwrap_err().to_string());
    let paths = Paths { hooks: None, instead: Some(folder.write("only.toml", "")), ..paths };
    assert_eq!(ids(&paths), [""; 0]);
}

#[test]
fn a_hook_survives_being_kept() {
    let folder = Folder::new();
    folder.write("project/tollgate.toml", POLICY);
    let paths = Paths { cache: Some(folder.0.join("cache")), ..folder.paths() };
    let hooks = load(&paths).unwrap().hooks;
    for kept in [false, true] {
        assert_eq!(folder.0.join("cache").exists(), kept);
        assert_eq!(load_cached(&paths).unwrap().hooks, hooks);
    }
}

use serde_json::{Value, json};

use super::{Tool, understand_call};
use crate::path::Surroundings;

fn check(kind: &str, args: Value, expected: &str) {
    let around = Surroundings {
        cwd: Some("/home/ann/app"),
        workspace: Some("/home/ann/app"),
        home: Some("/home/ann"),
        resolve: None,
    };
    let tool = if kind == "mcp" { Tool::Foreign { name: "x", server: None } } else { Tool::Own(kind) };
    let found = understand_call(&tool, &args, &around);
    let shown: Vec<String> = found
        .iter()
        .map(|effect| {
            let place = effect.place.map_or("-", |place| place.name());
            let subject = effect.path.as_deref().or(effect.host.as_deref()).unwrap_or("-");
            format!("{} {place} {subject}", effect.kind)
        })
        .collect();
    assert_eq!(shown.join("; "), expected, "{kind} {args}");
}

#[test]
fn files() {
    check("read", json!({"file_path": "src/a.rs"}), "read inside /home/ann/app/src/a.rs");
    check("read", json!({"filePath": "/home/ann/.ssh/id_rsa"}), "read-secret outside /home/ann/.ssh/id_rsa");
    check("read", json!({"files": [{"path": ".env"}]}), "read-secret inside /home/ann/app/.env");
    check(
        "read",
        json!({"operations": [{"mode": "Line", "path": "~/.netrc"}]}),
        "read-secret outside /home/ann/.netrc",
    );
    check("read", json!({"path": "~/.ssh"}), "");
    check("read", json!({"pattern": "KEY", "path": "~/.ssh"}), "read-secret outside /home/ann/.ssh");
    check("read", json!({"pattern": "**/*.rs", "path": "."}), "");
    check("write", json!({"file_path": "a.txt", "content": "x"}), "overwrite inside /home/ann/app/a.txt");
    check(
        "write",
        json!({"path": "~/.bashrc", "file_text": "x"}),
        "overwrite outside /home/ann/.bashrc; persist outside /home/ann/.bashrc",
    );
    check("write", json!({"path": "src"}), "delete inside /home/ann/app/src");
    check(
        "edit",
        json!({"file_path": ".claude/settings.json", "old_string": "a", "new_string": "b"}),
        "overwrite inside /home/ann/app/.claude/settings.json; policy inside /home/ann/app/.claude/settings.json",
    );
    check("edit", json!({"command": "view", "path": "/etc/shadow"}), "read-secret system /etc/shadow");
    check(
        "edit",
        json!({"notebook_path": "a.ipynb", "new_source": "x", "edit_mode": "delete"}),
        "overwrite inside /home/ann/app/a.ipynb",
    );
}

#[test]
fn patches() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: ../c\n@@\n*** Delete File: /etc/d\n*** End Patch";
    let expected = "overwrite inside /home/ann/app/a; overwrite inside /home/ann/app/b; move inside /home/ann/app/b; \
                    overwrite outside /home/ann/c; delete system /etc/d";
    check("edit", json!({"input": patch}), expected);
    check("edit", json!({"command": patch}), expected);
    check("edit", json!(patch), expected);
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a/.git/hooks/z\n+++ b/.git/hooks/z\n--- a/old\n+++ /dev/null\n";
    let expected = "overwrite inside /home/ann/app/x; overwrite vcs /home/ann/app/.git/hooks/z; \
                    persist vcs /home/ann/app/.git/hooks/z; delete inside /home/ann/app/old";
    check("edit", json!({"patch": diff}), expected);
    check("edit", json!({"path": "doc.md", "diff": diff}), "overwrite inside /home/ann/app/doc.md");
}

#[test]
fn commands() {
    let gone = "delete home /home/ann";
    check("exec", json!({"command": "rm -r ~"}), gone);
    check("exec", json!({"commands": ["ls", {"command": "rm", "args": ["-r", "/home/ann"]}]}), gone);
    check("exec", json!({"command_line": "rm -r /home/ann"}), gone);
    check("exec", json!({"cmd": ["rm", "-r", "/home/ann"]}), gone);
    check("exec", json!({"commands": "[\"rm -r /home/ann\"]"}), gone);
    check("exec", json!("{\"command\": \"rm -r /home/ann\"}"), gone);
    check("stdin", json!({"session": 1, "chars": "rm -r /home/ann\n"}), gone);
    check("exec", json!({"command": "Remove-Item -Recurse -Force C:\\Users\\ann"}), "delete home C:/Users/ann");
    check("mcp", json!({"command": "rm -r /home/ann"}), "delete home /home/ann");
    check("exec", json!({"action": {"command": ["rm", "-r", "/home/ann"]}}), gone);
    check("exec", json!({"action": "rm -r /home/ann"}), "delete home /home/ann; unknown - -");
}

/// No agent knows all names for a folder, and what it does not know it ignores.
#[test]
fn a_call_that_names_a_folder_is_judged_there_and_here() {
    let here = "delete inside /home/ann/app/x";
    for (args, expected) in [
        (json!({"workdir": "/home"}), format!("{here}; delete home /home/x")),
        (json!({"cwd": "sub"}), format!("{here}; delete inside /home/ann/app/sub/x")),
        (json!({"Cwd": "/home"}), format!("{here}; delete home /home/x")),
        (json!({"cwd": "/tmp", "workdir": "/home"}), format!("{here}; delete temp /tmp/x; delete home /home/x")),
        (json!({"cwd": "/tmp", "dir": "/tmp/"}), format!("{here}; delete temp /tmp/x")),
        (json!({"cwd": "/home/ann/app", "dir": "", "directory": 7}), here.to_owned()),
        (json!({"action": {"command": "true", "cwd": "/home"}}), format!("{here}; delete home /home/x")),
    ] {
        let mut args = args;
        args["command"] = json!("rm -r x");
        check("exec", args, &expected);
    }
    // What is the same wherever it runs is there once.
    check("exec", json!({"command": "rm -r /home/ann", "cwd": "/tmp"}), "delete home /home/ann");
    check(
        "exec",
        json!({"command": "rm -r /home/ann; rm -r x", "cwd": "/tmp"}),
        &format!("delete home /home/ann; {here}; delete temp /tmp/x"),
    );
    check(
        "write",
        json!({"path": "tollgate.toml", "content": "", "dir": "/tmp"}),
        "overwrite inside /home/ann/app/tollgate.toml; policy inside /home/ann/app/tollgate.toml; \
         overwrite temp /tmp/tollgate.toml",
    );
    let names = ["cwd", "Cwd", "cWd", "cwD", "CWd", "CwD", "cWD", "CWD", "dir"];
    let many = names.iter().enumerate().map(|(number, name)| ((*name).to_owned(), json!(format!("/{number}"))));
    let mut many = Value::Object(many.collect());
    many["command"] = json!("true");
    check("exec", many, "unknown - -");
}

#[test]
fn web() {
    check("web", json!({"url": "https://Example.com/x"}), "network - example.com");
    check("web", json!({"prompt": "look at https://a.example/x, and b"}), "network - a.example");
    check("web", json!({"requests": [{"url": "http://b.example"}]}), "network - b.example");
    check("web", json!({"url": "http://169.254.169.254/latest"}), "read-secret - 169.254.169.254");
    check("web", json!({"url": "http://metadata/computeMetadata/v1/"}), "read-secret - metadata");
    check("web", json!({"url": "file:///etc/shadow"}), "read-secret system /etc/shadow");
    check("web", json!({"query": "how to rm -rf"}), "");
}

#[test]
fn another_name() {
    check(
        "write",
        json!({"source": "/home/ann/docs", "destination": "docs"}),
        "move outside /home/ann/docs; overwrite inside /home/ann/app/docs",
    );
    check(
        "write",
        json!({"path": "a", "content": "x", "source": "/srv/b", "destination": "/srv/c"}),
        "overwrite inside /home/ann/app/a",
    );
}

#[test]
fn a_shell_runs_something_wherever_its_command_is() {
    let lost = "delete root /; unknown - -";
    check("exec", json!({"Command": "rm -rf /"}), "delete root /");
    check("exec", json!(["rm -rf /"]), lost);
    check("exec", json!({"input": {"command": "rm -rf /"}}), lost);
    check("exec", json!({"command": {"a": "rm -rf /"}}), lost);
    check("exec", json!({"run": "ls"}), "unknown - -");
    check("exec", json!({"restart": true, "description": "start anew"}), "");
    check("exec", json!({}), "");
}

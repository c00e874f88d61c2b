//! What is fuzzed.

use std::path::Path;

use serde_json::{Value, json};
use tollgate_audit::{Known, Reader, verify};
use tollgate_config::{File, Layer, combine, today};
use tollgate_core::{Body, Event, Point};
use tollgate_rules::{Setting, Source, Still, compile};
use tollgate_shell::{Surroundings, Tool, understand};

/// Makes a hard input of about this many bytes.
type Hard = fn(usize) -> Vec<u8>;

/// One parser of outside bytes.
pub(crate) struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Words that mean something to it.
    pub words: &'static [&'static str],
    /// What it might be slow on.
    pub hard: &'static [(&'static str, Hard)],
}

pub(crate) const ALL: &[Target] = &[SHELL, CALL, SQL, ADDRESS, SECRETS, POLICY, CEL, RECORD, HOOK];

pub(crate) fn named(name: &str) -> Result<&'static Target, String> {
    let names = || ALL.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    ALL.iter().find(|target| target.name == name).ok_or_else(|| format!("no target `{name}`; there are {}", names()))
}

/// The committed inputs of a target.
pub(crate) fn corpus(target: &Target) -> Result<Vec<Vec<u8>>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let wrong = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(wrong)? {
        let text = std::fs::read(entry.map_err(wrong)?.path()).map_err(wrong)?;
        // One file holds many inputs, one below the other; an input of several lines ends at a line of dashes.
        inputs.extend(String::from_utf8_lossy(&text).split("\n----\n").map(|input| input.as_bytes().to_vec()));
    }
    inputs.sort();
    if inputs.is_empty() { Err(format!("{} is empty", folder.display())) } else { Ok(inputs) }
}

const AROUND: Surroundings<'static> = Surroundings {
    cwd: Some("/home/user/project"),
    workspace: Some("/home/user/project"),
    home: Some("/home/user"),
    resolve: None,
};

const SHELL: Target = Target {
    name: "shell",
    run: |input| drop(understand(&String::from_utf8_lossy(input), &AROUND)),
    words: &[
        "rm -rf ",
        "&&",
        "||",
        "|",
        ";",
        "\n",
        "$(",
        ")",
        "${",
        "}",
        "\"",
        "'",
        "`",
        "<<EOF\n",
        "\nEOF\n",
        "<<<",
        "<(",
        ">",
        ">>",
        "2>&1",
        "sudo ",
        "bash -c ",
        "eval ",
        "xargs ",
        "find . -exec ",
        " {} \\;",
        "for i in ",
        "; do ",
        "; done",
        "if ",
        "; then ",
        "fi",
        "case x in ",
        "esac",
        "{a,b}",
        "{1..9}",
        "~",
        "/",
        "$IFS",
        "$@",
        "${x:-y}",
        "$((",
        "))",
        "\\",
        "#",
        "!",
        "()",
        "{ ",
        "; }",
        "&",
        "python3 -c ",
        "base64 -d",
        "curl ",
        "git push --force",
        "$'\\x41'",
        "[[ ",
        " ]]",
        "function f ",
        "coproc ",
        "select ",
        "while :; do ",
        "export ",
        "alias ",
        "trap ",
    ],
    hard: &[
        ("nested single quotes", |size| around(size, "bash -c '", "'")),
        ("nested double quotes", |size| around(size, "\"$(echo ", ")\"")),
        ("open double quotes", |size| filled(size, "echo \"")),
        ("braces", |size| filled(size, "{a,b}")),
        ("nested braces", |size| around(size, "{a,", "}")),
        ("parentheses", |size| around(size, "(", ")")),
        ("open parentheses", |size| filled(size, "(")),
        ("towers of $(", |size| around(size, "$(", ")")),
        ("open $(", |size| filled(size, "$(")),
        ("towers of ${", |size| around(size, "${x:-", "}")),
        ("replacements in replacements", |size| around(size, "${PATH//:/ a:b", "}")),
        ("backquotes", |size| filled(size, "`")),
        ("long pipeline", |size| filled(size, "cat | ")),
        ("long list", |size| filled(size, "true && ")),
        ("many lines", |size| filled(size, "echo hello world\n")),
        ("many words", |size| filled(size, "word ")),
        ("one word", |size| filled(size, "a")),
        ("many assignments", |size| filled(size, "a=b;")),
        ("a growing variable", |size| filled(size, "a=$a$a;")),
        ("here-documents", |size| filled(size, "cat <<E\nx\nE\n")),
        ("open here-documents", |size| filled(size, "cat <<E\n")),
        ("arithmetic", |size| around(size, "$((1+", "))")),
        ("backslashes", |size| filled(size, "\\")),
        ("nested eval", |size| filled(size, "eval ")),
        ("nested sudo", |size| filled(size, "sudo ")),
        ("nested xargs", |size| filled(size, "xargs ")),
        ("functions", |size| filled(size, "f(){ f; };")),
        ("loops", |size| filled(size, "for i in 1 2 3; do ")),
        ("python", |size| quoted(size, "python3 -c '", "print(", "'")),
        ("sql", |size| quoted(size, "psql -c \"", "select (", "\"")),
    ],
};

const CALL: Target = Target {
    name: "call",
    run: |input| {
        let Ok(call) = serde_json::from_slice::<Value>(input) else { return };
        let own = tollgate_wire::KINDS.iter().map(|kind| Tool::Own(kind));
        let foreign = ["run_sql", "delete_files", "tmux_send_keys", "git_push", "copy", "run_code"];
        let foreign = foreign.map(|name| Tool::Foreign { name, server: Some("server") });
        for tool in own.chain(foreign) {
            drop(tollgate_shell::understand_call(&tool, &call, &AROUND));
        }
    },
    words: &[
        "\"command\":",
        "\"file_path\":",
        "\"patch\":",
        "*** Begin Patch\\n",
        "*** Delete File: ",
        "*** Update File: ",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        "null",
        "\\n",
        "\"url\":",
        "--- a/",
        "+++ b/",
        "\"commands\":",
        "\"content\":",
    ],
    hard: &[
        ("a patch of many files", |size| {
            let lines = "*** Update File: a/b\n@@\n-x\n+y\n".repeat(size / 34 + 1);
            json!({ "patch": format!("*** Begin Patch\n{lines}*** End Patch") }).to_string().into_bytes()
        }),
        ("many paths", |size| json!({ "paths": vec!["src/main.rs"; size / 14 + 1] }).to_string().into_bytes()),
        ("many commands", |size| json!({ "commands": vec!["rm -r a"; size / 10 + 1] }).to_string().into_bytes()),
        ("many names", |size| {
            let members = (0..size / 24 + 1).map(|number| (format!("a{number}_path"), json!("src/main.rs")));
            Value::Object(members.collect()).to_string().into_bytes()
        }),
        ("many objects", |size| {
            let one = json!({ "path": "a", "content": "b" });
            json!({ "items": vec![one; size / 26 + 1] }).to_string().into_bytes()
        }),
    ],
};

/// A call of a tool of some server.
fn foreign(name: &str, args: &Value) {
    let tool = Tool::Foreign { name, server: Some("server") };
    drop(tollgate_shell::understand_call(&tool, args, &AROUND));
}

const SQL: Target = Target {
    name: "sql",
    run: |input| {
        let text = String::from_utf8_lossy(input);
        for name in ["postgres_query", "mysql_query", "write_cypher"] {
            foreign(name, &json!({ "sql": text }));
        }
    },
    words: &[
        "SELECT ",
        "DROP TABLE ",
        "DELETE FROM ",
        "WHERE ",
        "UPDATE ",
        "SET ",
        "TRUNCATE ",
        "ALTER TABLE ",
        "GRANT ALL ",
        "BEGIN ",
        "DO $$",
        "$$",
        "/*",
        "*/",
        "--",
        "\n",
        ";",
        "'",
        "\"",
        "`",
        "(",
        ")",
        "#",
        "/*!50000 ",
        "EXPLAIN ",
        "ANALYZE ",
        "MATCH (n) ",
        "DETACH DELETE n",
        "INTO OUTFILE '",
        "COPY ",
        "PROGRAM '",
        "\\! ",
        "=",
        "1",
        " OR ",
        "WITH x AS (",
    ],
    hard: &[
        ("statements", |size| filled(size, "select 1;")),
        ("parentheses", |size| filled(size, "select (")),
        ("comments", |size| filled(size, "/*")),
        ("quotes", |size| filled(size, "'")),
        ("dollars", |size| filled(size, "$a$")),
        ("nested", |size| filled(size, "do 'begin execute ")),
        ("verbs", |size| filled(size, "with drop delete ")),
        ("or", |size| filled(size, "delete from a where 1 or ")),
    ],
};

const ADDRESS: Target = Target {
    name: "address",
    run: |input| {
        let text = String::from_utf8_lossy(input);
        for name in ["fetch_page", "delete_page", "read_file"] {
            foreign(name, &json!({ "url": text, "path": text }));
        }
    },
    words: &[
        "http://",
        "https://",
        "file://",
        "FILE:",
        "//",
        "/",
        "..",
        "%2e",
        "%2F",
        "%",
        "@",
        ":",
        "?",
        "#",
        "[",
        "]",
        "::ffff:",
        "169.254.169.254",
        "0xa9fe",
        "0251",
        "2852039166",
        "localhost",
        "~",
        "$HOME",
        "\\",
        "C:\\",
        "view-source:",
        ".ssh/id_rsa",
    ],
    hard: &[
        ("percent", |size| filled(size, "%2e")),
        ("dots", |size| filled(size, "http://1.")),
        ("at", |size| filled(size, "http://a@")),
        ("slashes", |size| filled(size, "file:///../")),
        ("colons", |size| filled(size, "http://[::")),
    ],
};

const SECRETS: Target = Target {
    name: "secrets",
    run: secrets,
    words: &[
        "ghp_",
        "AKIA",
        "sk-",
        "sk-ant-",
        "xoxb-",
        "eyJ",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----END",
        "password=",
        "token: ",
        "\"secret\": \"",
        "api_key",
        "=",
        ":",
        "\"",
        "Bearer ",
        "https://user:pw@",
        "glpat-",
        "0123456789abcdef",
    ],
    hard: &[
        ("prose", |size| filled(size, "The quick brown fox jumps over the lazy dog. ")),
        ("key=", |size| filled(size, "key=")),
        ("token prefixes", |size| filled(size, "ghp_")),
        ("base64", |size| filled(size, "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo")),
        ("hex", |size| filled(size, "0123456789abcdef")),
        ("PEM headers", |size| filled(size, "-----BEGIN PRIVATE KEY-----\n")),
        ("URLs", |size| filled(size, "https://user:")),
        ("quotes", |size| filled(size, "secret: \"")),
        ("dots", |size| filled(size, "eyJ.")),
    ],
};

const POLICY: Target = Target {
    name: "policy",
    run: policy,
    words: &[
        "[[rule]]\n",
        "id = \"x\"\n",
        "deny = \"no\"\n",
        "tool = \"exec\"\n",
        "effect = \"delete\"\n",
        "[packs]\n",
        "use = []\n",
        "[tools]\n",
        "[[limit]]\n",
        "max = 1\n",
        "arg.a = ",
        "{ regex = \"(\" }",
        "when = \"",
        "not = { ",
        " }",
        "any = [",
        "]",
        "examples.match = [\"rm -rf /\"]\n",
        "[override.\"",
        "\"\"\"",
        "until = 2027-01-01\n",
    ],
    hard: &[
        ("many rules", |size| filled(size, "[[rule]]\ntool = \"a\"\ndeny = \"b\"\n")),
        ("many mistakes", |size| filled(size, "[[rule]]\nblok = 1\n")),
        ("open brackets", |size| filled(size, "[")),
        ("nested arrays", |size| [b"a = ".to_vec(), around(size, "[", "]")].concat()),
        ("nested tables", |size| [b"a = ".to_vec(), around(size, "{a=", "}")].concat()),
        ("one long string", |size| quoted(size, "mode = \"", "x", "\"")),
    ],
};

const CEL: Target = Target {
    name: "cel",
    run: expression,
    words: &[
        "args.command",
        "tool",
        " == ",
        " && ",
        " || ",
        "!",
        "shell(",
        ")",
        "(",
        "[",
        "]",
        "{",
        "}",
        ".exists(e, ",
        ".all(x, ",
        ".map(x, x)",
        "matches(\"",
        "size(",
        "has(args.x)",
        "1",
        "\"rm\"",
        " in ",
        "paths(",
        "secrets(",
        "url(",
        "? 1 : 2",
        ".startsWith(",
        ".contains(",
        "-",
        "+",
        "*",
        "/",
        "%",
        "0x1F",
        "b'x'",
        "r\"x\"",
        "e.kind",
    ],
    hard: &[
        ("parentheses", |size| around(size, "(", ")")),
        ("open parentheses", |size| filled(size, "(")),
        ("a long sum", |size| [filled(size, "1+"), b"1".to_vec()].concat()),
        ("a long or", |size| [filled(size, "true||"), b"true".to_vec()].concat()),
        ("nested lists", |size| around(size, "[", "]")),
        ("negations", |size| [filled(size, "!"), b"true".to_vec()].concat()),
        ("selections", |size| [b"args".to_vec(), filled(size, ".a")].concat()),
    ],
};

/// In pieces as in one.
fn secrets(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let scanner = tollgate_secrets::scanner();
    let whole = scanner.redact(&text).into_owned();
    let mut stream = scanner.stream();
    let size = 1 + input.len() % 61;
    let mut pieces: String = text.as_bytes().chunks(size).map(|piece| stream.push_bytes(piece)).collect();
    pieces += &stream.finish();
    assert_eq!(pieces, whole, "any chunking gives the same");
}

/// A file that is right, or mistakes that can be shown.
fn policy(input: &[u8]) {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), input.to_vec());
    let Ok(file) = file else { return };
    if let Err(mistakes) = combine(vec![file], false, today()) {
        assert!(!mistakes.to_string().is_empty(), "a refusal says why");
    }
}

/// An expression that compiles is also evaluated.
fn expression(input: &[u8]) {
    let when = String::from_utf8_lossy(input);
    let form = json!({"id": "x", "tool": "exec", "when": when, "deny": "no"});
    let Ok(form) = serde_json::from_value(form) else { return };
    let source = Source { form, origin: "fuzz".into(), path: Vec::new() };
    let Ok(rules) = compile(vec![source], &Setting::on(today())) else { return };
    let names = tollgate_wire::names();
    let name = names.name("exec");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let body = Body::from(json!({"command": "ls", "n": 3, "list": [1, 2]}));
    drop(rules.findings(&event, &body, &Still::shared()));
}

fn filled(size: usize, piece: &str) -> Vec<u8> {
    piece.repeat(size / piece.len() + 1).into_bytes()
}

fn around(size: usize, open: &str, close: &str) -> Vec<u8> {
    let times = size / (open.len() + close.len()) + 1;
    format!("{}x{}", open.repeat(times), close.repeat(times)).into_bytes()
}

fn quoted(size: usize, open: &str, piece: &str, close: &str) -> Vec<u8> {
    [open.as_bytes(), &filled(size, piece), close.as_bytes()].concat()
}

const RECORD: Target = Target {
    name: "record",
    run: |input| drop(read_log(input)),
    words: &[
        "{\"",
        "\":\"",
        "\",\"",
        "\":{\"",
        "\":[",
        "]",
        "}",
        "\n",
        "\n==\n",
        "\"seq\":",
        "\"prev\":",
        "\"time\":",
        "\"kind\":",
        "\"checkpoint\"",
        "\"erasure\"",
        "\"retention\"",
        "\"follows\"",
        "\"signed\":",
        "\"recovered\":",
        "\"fields\":",
        "\"seqs\":[[1,18446744073709551615]]",
        "\"through\":",
        "\"v\":1",
        "null",
        "18446744073709551615",
        "-1",
        "1e400",
    ],
    hard: &[
        ("many lines", |size| b"{\"v\":1}\n".repeat(size / 8)),
        ("a long line", |size| [&vec![b'['; size][..], b"\n"].concat()),
        ("many fields", |size| [b"\n==\n", &b"{\"fields\":{},\"seq\":1}\n".repeat(size / 23)[..]].concat()),
    ],
};

/// Reads a log in every way there is: its records, then what stands beside them, then its head.
fn read_log(input: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("tollgate-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split("\n==\n");
    for name in ["000000000001.log", "000000000001.fields", "head"] {
        std::fs::write(dir.join(name), parts.next().unwrap_or_default())?;
    }
    let reader = Reader::new(&dir);
    let forward = reader.entries_from(1)?.take_while(Result::is_ok).count();
    let backward = reader.entries_back()?.take_while(Result::is_ok).count();
    let _ = (reader.entry(1), reader.entry(forward as u64), reader.entry(backward as u64));
    verify(&dir, &Known::default(), &mut |_| {})?;
    Ok(())
}

const HOOK: Target = Target {
    name: "hook",
    run: crate::hook::run,
    words: &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "true",
        "\"\"",
        "\"hook_event_name\":\"PreToolUse\"",
        "\"hook_event_name\":\"PostToolUse\"",
        "\"hook_event_name\":\"BeforeTool\"",
        "\"tool_name\":\"Bash\"",
        "\"tool_input\":{}",
        "\"tool_response\":",
        "\"toolName\":\"bash\"",
        "\"toolArgs\":{}",
        "\"session_id\":\"s\"",
        "\"timestamp\":",
        "\"cursor_version\":\"1\"",
        "\"turn_id\":\"t\"",
        "\"prompt_id\":\"p\"",
        "\"hookName\":\"tool_call\"",
        "\"agent_action_name\":\"pre_run_command\"",
        "\"hook\":\"before_tool_call\"",
        "1e999",
        "\\ud800",
    ],
    hard: &[
        ("a deep document", |size| {
            let half = size / 2;
            format!(
                "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{}{}}}",
                "[".repeat(half),
                "]".repeat(half)
            )
            .into_bytes()
        }),
        ("a long command", |size| {
            format!(
                "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{}\"}}}}",
                "a".repeat(size)
            )
            .into_bytes()
        }),
    ],
};

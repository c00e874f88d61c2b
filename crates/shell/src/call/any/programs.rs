//! What is handed to other programs: commands, statements, code, keys. It is judged as if a shell had started them.

use serde_json::Value;

use super::words::{Deed, Words};
use super::{Object, Seen};
use crate::call::{opened, quoted};
use crate::effect::{Flag, Kind};

/// What an argument holds, told by its last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Command,
    /// The arguments of a program that the tool is named after.
    Arguments,
    Code,
    Query,
    /// Typed into a program that runs already.
    Typed,
}

const ROLES: &[(Role, &[&str])] = &[
    (Role::Command, &["command", "cmd", "cmdline", "commandline"]),
    (Role::Arguments, &["args", "argv", "arguments"]),
    (
        Role::Code,
        &["code", "script", "function", "expression", "snippet", "javascript", "js", "python", "source", "program"],
    ),
    (
        Role::Query,
        &[
            "sql",
            "query",
            "queries",
            "statement",
            "stmt",
            "cypher",
            "ddl",
            "dml",
            "cql",
            "q",
            "mutation",
            "kql",
            "aql",
            "surql",
            "traversal",
            "update",
        ],
    ),
    (Role::Typed, &["keys", "text", "input", "chars", "stdin", "data", "line", "payload", "value"]),
];

/// Programs that tools and servers are named after, by other names than their own.
const CALLED: &[(&str, &[&str])] = &[
    ("aws", &["awscli"]),
    ("az", &["azcli"]),
    ("kubectl", &["kubernetes", "k8s"]),
    ("tmux", &["libtmux"]),
    ("flyctl", &["fly"]),
    ("redis-cli", &["redis", "valkey", "keydb"]),
];
/// Programs that tools and servers are named after, as they are.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "gcloud", "aws", "az", "kubectl", "helm", "docker", "podman", "terraform", "tofu", "tmux", "git", "gh", "glab",
    "npm", "pnpm", "yarn", "cargo", "heroku", "vercel", "netlify", "flyctl", "doctl", "wrangler", "pulumi", "twine",
    "poetry", "gem", "nuget", "dotnet", "flyway", "rails", "rake", "mix", "uv", "pod", "cdk", "oci", "wp", "adb",
    "make", "salt", "pub", "hex", "gradle", "mvn", "vsce", "prisma", "vault", "firebase", "supabase", "systemctl",
    "rclone", "restic",
];

/// Where text is typed into something that obeys it.
#[rustfmt::skip]
pub(super) const TERMINALS: &[&str] = &[
    "tmux", "libtmux", "pane", "terminal", "term", "pty", "tty", "shell", "ssh", "console", "repl", "bash", "zsh",
    "process", "iterm", "screen",
];

/// Where it is typed into something that shows it.
const PAGES: &[&str] = &["browser", "page", "playwright", "puppeteer", "chrome", "form"];

/// Languages, by what they are called, and how a shell would start them.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python3 -c", &["python", "py", "python3", "jupyter", "notebook", "ipython", "pandas", "cell"]),
    (
        "node -e",
        &[
            "javascript",
            "js",
            "node",
            "typescript",
            "ts",
            "browser",
            "page",
            "playwright",
            "puppeteer",
            "worker",
            "deno",
            "bun",
            "evaluate",
            "chrome",
            "devtools",
            "gcp",
        ],
    ),
    ("osascript -e", &["applescript", "osascript"]),
    ("bash -c", &["bash", "sh", "shell", "zsh", "shellscript"]),
    ("pwsh -Command", &["powershell", "pwsh"]),
    ("mongosh --eval", &["mongo", "mongosh", "mongodb"]),
    ("ruby -e", &["ruby", "rb"]),
    ("php -r", &["php"]),
    ("perl -e", &["perl"]),
    ("lua -e", &["lua"]),
    ("Rscript -e", &["r", "rscript"]),
    ("julia -e", &["julia"]),
];

impl Seen<'_> {
    /// `tries`: what the tool does itself is only tried. What it hands over is judged all the same.
    pub(super) fn programs(&mut self, tries: bool) {
        if !tries && self.is_git() && !self.top().has(&["args", "arguments", "command", "cmd", "subcommand"]) {
            return self.git();
        }
        if !tries {
            if self.is_kubernetes() && !self.given.is_dry() {
                self.kubernetes();
            }
            self.modes();
            self.named_after();
        }
        for object in &self.given.objects {
            self.started(object);
            for (key, value) in &object.members {
                if !(tries && self.role(key) == Some(Role::Query)) {
                    self.handed(key, value, object);
                }
            }
        }
    }

    fn handed(&mut self, key: &Words, value: &Value, beside: &Object<'_>) {
        let Some(role) = self.role(key) else { return };
        let opened = opened(value).filter(|_| role != Role::Code && role != Role::Query);
        let value = opened.as_ref().unwrap_or(value);
        match role {
            Role::Command => self.command(key, value, beside),
            Role::Arguments => self.arguments(value, beside),
            Role::Code => each_text(value, &mut |text| self.code(text, key, beside)),
            Role::Query => each_text(value, &mut |text| self.query(text, key)),
            Role::Typed => each_text(value, &mut |text| {
                self.ran = true;
                self.call.script(text);
                self.statement(text);
                if text.contains("import ") || text.contains("require(") {
                    self.code(text, key, beside);
                }
            }),
        }
    }

    /// What an argument is for. Most names are used for many things, so that the tool must speak of it, too.
    fn role(&self, key: &Words) -> Option<Role> {
        let (role, _) = *ROLES.iter().find(|(_, names)| super::words::is_one(key.last(), names))?;
        let name = &self.tool.name;
        let fits = match role {
            Role::Command | Role::Arguments => true,
            // In a tool that sends or writes, it is a text among others.
            Role::Code => match key.last() {
                "source" => {
                    self.top().has(&["celltype"]) || name.any(&["cell", "function", "worker", "userscript", "lambda"])
                }
                "function" | "expression" => self.speaks_code() || self.deed == Some(Deed::Run),
                "script" => true,
                "code" if !self.tool.name.any(&["file", "analyze", "format", "lint"]) => true,
                _ => self.deed == Some(Deed::Run) || self.speaks_code(),
            },
            Role::Query => true,
            Role::Typed if ["chars", "keys"].contains(&key.last()) => !self.tool.speaks_of(PAGES),
            Role::Typed => {
                self.tool.speaks_of(TERMINALS) && !self.tool.speaks_of(PAGES) && self.deed != Some(Deed::List)
            }
        };
        fits.then_some(role)
    }

    fn speaks_code(&self) -> bool {
        LANGUAGES.iter().any(|(_, names)| self.tool.speaks_of(names)) || self.tool.name.any(&["code", "script"])
    }

    /// The program that the tool is named after, and the words behind it in its name.
    fn program(&self) -> Option<(&'static str, Vec<&str>)> {
        let known = |word: &str| {
            let own = PROGRAMS.iter().find(|program| **program == word).copied();
            own.or_else(|| CALLED.iter().find(|(_, names)| names.contains(&word)).map(|(program, _)| *program))
        };
        let name: Vec<&str> = self.tool.name.iter().collect();
        match name.iter().position(|word| known(word).is_some()) {
            Some(at) => known(name[at]).map(|program| (program, name[at + 1..].to_vec())),
            None => self.tool.server.iter().find_map(known).map(|program| (program, name)),
        }
    }

    /// `cargo_publish`, `{"subcommand": "reset", "args": ["--hard"]}` of `git`: the words of one command line.
    fn named_after(&mut self) {
        let Some((program, mut words)) = self.program() else { return };
        if self.top().has(&["command", "cmd"]) && words.iter().any(|word| ["run", "exec", "execute"].contains(word)) {
            return;
        }
        let generic = ["run", "exec", "execute", "command", "raw", "cli", "cmd", "call"];
        words.retain(|word| !generic.contains(word));
        let mut line: Vec<Value> = words.into_iter().map(Into::into).collect();
        let one_word = |text: &&str| !text.contains(' ');
        let deed = ["subcommand", "command", "cmd", "action", "task", "target"];
        line.extend(self.text(&deed).filter(one_word).map(Into::into));
        let mut rest = String::new();
        let switches = self.given.on.iter().map(|key| format!("--{}", key.text().replace(' ', "-")));
        line.extend(switches.map(Into::into));
        for name in [&["args", "argv", "arguments", "arg", "cliargs"][..], &["flags", "options"], &["tasks", "goals"]] {
            match self.argument(name) {
                Some(Value::Array(items)) => line.extend(items.iter().filter(|item| item.is_string()).cloned()),
                Some(Value::String(text)) => rest.push_str(text),
                _ => {}
            }
        }
        if !line.is_empty() || !rest.is_empty() {
            self.call.script(&format!("{program} {} {rest}", quoted(&line)));
        }
    }

    /// A program and its arguments apart: `{"program": "rm", "arguments": ["-rf", …]}`, `{"argv": […]}`.
    fn started(&mut self, object: &Object<'_>) {
        let program = object.get(&["program", "executable", "binary", "exe", "module"]).filter(|it| it.is_string());
        let file = object.get(&["file"]).filter(|_| object.has(&["args", "argv"]));
        let args = object.get(&["args", "argv", "arguments"]);
        let items = args.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let alone = object.get(&["argv"]).is_some() && program.is_none() && file.is_none();
        if alone || (program.or(file).is_some() && args.is_some()) {
            self.ran = true;
            let words = program.or(file).into_iter().chain(items);
            match args {
                Some(Value::String(text)) => self.call.script(text),
                _ => self.call.script(&quoted(words)),
            }
        }
    }

    fn command(&mut self, key: &Words, value: &Value, beside: &Object<'_>) {
        self.ran = true;
        let several = key.last().ends_with('s');
        match value {
            Value::String(text) => {
                let rest = beside.get(&["args", "argv", "arguments", "parameters"]).and_then(Value::as_array);
                let line = match rest {
                    Some(rest) if !text.contains(' ') => quoted(std::iter::once(value).chain(rest)),
                    _ => text.clone(),
                };
                self.line(&line, beside);
            }
            Value::Array(items) if several => {
                items.iter().for_each(|item| self.command(&Words::of("command"), item, beside));
            }
            Value::Array(items) => self.line(&quoted(items), beside),
            _ => {}
        }
    }

    /// A command line, with what it reads, and as the words of the program that the tool is named after.
    fn line(&mut self, line: &str, beside: &Object<'_>) {
        match beside.text(&["stdin", "input"]) {
            Some(stdin) => self.call.script(&format!("printf %s {} | {line}", quoted(&[stdin.into()]))),
            None => self.call.script(line),
        }
        self.statement(line);
        if let Some((program, _)) = self.program().filter(|(program, _)| !line.starts_with(program)) {
            self.call.script(&format!("{program} {line}"));
        }
    }

    /// `run_container {"image": …, "args": …}`; other arguments of programs are part of [`Self::named_after`].
    fn arguments(&mut self, value: &Value, beside: &Object<'_>) {
        let Some((program, _)) = self.program().filter(|_| !beside.has(&["command", "cmd"])) else { return };
        let words = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) if items.iter().all(Value::is_string) => quoted(items),
            _ => return,
        };
        self.ran = true;
        let image = beside.text(&["image"]).filter(|_| matches!(program, "docker" | "podman"));
        if let Some(image) = image {
            self.call.script(&format!("{program} run {words} {}", quoted(&[image.into()])));
        }
    }

    fn code(&mut self, text: &str, key: &Words, beside: &Object<'_>) {
        self.ran = true;
        let named = beside.text(&["language", "languageid", "lang", "interpreter", "runtime", "kernel", "engine"]);
        let named = named.map(Words::of).unwrap_or_default();
        let spoken = |(_, names): &&(&str, &[&str])| {
            named.any(names) || named.is_empty() && (key.any(names) || self.tool.speaks_of(names))
        };
        let starts: Vec<&str> = LANGUAGES.iter().filter(spoken).map(|(start, _)| *start).collect();
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
            self.call.script(line);
        }
        if let Some(cell) = text.strip_prefix("%%bash").or_else(|| text.strip_prefix("%%sh")) {
            self.call.script(cell);
        }
        // Nobody says which language it is: it is all that it could be.
        let starts = match (starts.is_empty(), key.last()) {
            (false, _) => starts,
            (true, "script") if !["=>", "const ", "def ", "import "].iter().any(|word| text.contains(word)) => {
                vec!["bash -c"]
            }
            _ => vec!["python3 -c", "node -e"],
        };
        for start in starts {
            self.call.script(&format!("{start} {}", quoted(&[text.into()])));
        }
        self.leaks(text);
        self.cloud_code(text);
        self.any_code(text);
    }

    fn query(&mut self, text: &str, key: &Words) {
        const SEARCHES: &[&str] = &["search", "find", "lookup", "ask", "web", "docs", "recommend"];
        let sure = key.any(&["sql", "statement", "cypher", "ddl", "dml", "cql"]);
        if sure || !self.tool.name.any(SEARCHES) || self.tool.speaks_of(DATABASES) {
            self.statement(text);
        }
    }

    /// A statement for a database, or for a service that is asked like one.
    pub(super) fn statement(&mut self, text: &str) {
        self.other_query(text);
        if self.mutation(text) || self.control(text) || !begins_a_statement(text) {
            return;
        }
        let client = match () {
            () if self.tool.speaks_of(&["cypher", "neo4j", "memgraph"]) => "cypher-shell",
            () if self.tool.speaks_of(&["mysql", "mariadb"]) => "mysql -e",
            () => "psql -c",
        };
        self.ran = true;
        self.call.script(&format!("{client} {}", quoted(&[text.into()])));
    }

    /// GraphQL: what is done stands before parentheses in the outermost braces.
    fn mutation(&mut self, text: &str) -> bool {
        let text = text.trim_start();
        if !text.starts_with("mutation") {
            return false;
        }
        let (mut depth, mut word) = (0, String::new());
        for (at, c) in text.char_indices().take(64 << 10) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                '(' if depth == 1 && !word.is_empty() => {
                    let bounded =
                        text[at..].split('{').nth(1).is_some_and(|inner| !inner.trim_start().starts_with('}'));
                    let by_id = text[at..].starts_with("(id") || text[at..].starts_with("(input");
                    self.field(&Words::of(&word), bounded && !by_id);
                }
                _ => {}
            }
            if c.is_alphanumeric() || c == '_' { word.push(c) } else { word.clear() }
        }
        true
    }

    /// Languages that are no SQL: what they say when everything is to go.
    fn other_query(&mut self, text: &str) {
        let words: Vec<String> = text.split_whitespace().take(64).map(str::to_ascii_uppercase).collect();
        let starts = |first: &str, second: &[&str]| {
            words.first().is_some_and(|word| word == first)
                && words.get(1).is_some_and(|word| second.contains(&word.trim_end_matches(';')))
        };
        let documents = starts("FOR", &[words.get(1).map_or("", String::as_str)])
            && words.iter().any(|word| word == "REMOVE")
            && !words.iter().any(|word| word == "FILTER");
        let lost = documents
            || starts("REMOVE", &["TABLE", "DATABASE", "NAMESPACE"])
            || starts("DROP", &["ALL", "GRAPH", "NAMED"])
            || starts("CLEAR", &["ALL", "GRAPH", "DEFAULT"])
            || starts("DELETE", &["WHERE"])
            || text.starts_with("g.V().drop()")
            || text.trim_end().ends_with("| delete");
        if lost {
            self.say(Kind::Database, Flag::Remote.into(), "removes what is in a database");
        }
    }

    /// Control commands of Kusto: `.drop table …`.
    fn control(&mut self, text: &str) -> bool {
        let Some(command) = text.trim_start().strip_prefix('.') else { return false };
        let first = command.split_whitespace().next().unwrap_or_default();
        if ["drop", "purge", "clear", "delete", "set-or-replace"].contains(&first) {
            self.say(Kind::Database, Flag::Remote.into(), format!("removes what is in a database (.{first})"));
        }
        true
    }

    /// Tools named after programs that take what they do from a word.
    fn modes(&mut self) {
        let mode = self.text(&["mode", "permissions", "owner"]);
        for program in ["chmod", "chown"] {
            if let Some(mode) = mode.filter(|_| self.tool.name.any(&[program])) {
                let paths = self.given.texts.iter().filter(|text| text.key.any(&["path", "file"]));
                let words: Vec<Value> =
                    std::iter::once(mode).chain(paths.map(|text| text.text)).map(Into::into).collect();
                self.ran = true;
                self.call.script(&format!("{program} {}", quoted(&words)));
            }
        }
    }

    pub(super) fn is_git(&self) -> bool {
        self.tool.name.first() == "git" || self.tool.server.iter().eq(["git"])
    }

    /// `git_reset {"mode": "hard"}` is `git reset --hard`.
    fn git(&mut self) {
        self.ran = true;
        let Some(deed) = self.tool.name.iter().find(|word| *word != "git") else { return };
        let mut line = format!("git {deed}");
        let mut add = |word: &str| {
            line.push(' ');
            line.push_str(&quoted(&[word.into()]));
        };
        let is = |key: &Words, names: &[&str]| names.iter().any(|name| key.are(name));
        for (key, value) in &self.top().members {
            match value {
                Value::String(text) if is(key, &["mode", "action", "operation", "subcommand"]) => match deed {
                    "reset" => add(&format!("--{text}")),
                    "branch" | "tag" if text == "delete" => add(if self.switched(&["force"]) { "-D" } else { "-d" }),
                    "branch" | "tag" => {}
                    _ => add(text),
                },
                Value::Bool(true) => {
                    let flag = key.iter().collect::<Vec<_>>().join("-");
                    let short = match flag.as_str() {
                        "directories" => "-d",
                        "ignored" => "-x",
                        "dry-run" => "-n",
                        _ => "",
                    };
                    if short.is_empty() { add(&format!("--{flag}")) } else { add(short) }
                }
                Value::String(text) if is(key, REFERENCES) => add(text),
                Value::Array(items) if is(key, &["files", "paths", "args"]) => {
                    items.iter().filter_map(Value::as_str).for_each(&mut add);
                }
                _ => {}
            }
        }
        self.call.script(&line);
    }

    fn is_kubernetes(&self) -> bool {
        self.top().text(&["kind"]).is_some() && self.top().has(&["apiversion"])
            || self.tool.speaks_of(&["kubernetes", "k8s", "kubectl"])
    }

    /// Resources of a cluster, by what they are called there.
    fn kubernetes(&mut self) {
        let kind = self.text(&["kind", "resourcetype", "resource"]).filter(|kind| !kind.contains(['\n', ' ']));
        let name = self.text(&["name", "resourcename"]);
        let verb = match self.deed {
            Some(Deed::Delete | Deed::Remove) => "delete",
            Some(Deed::Read) if self.text(&["output"]) == Some("name") => "get -o name",
            Some(Deed::Read) => "get -o yaml",
            _ => "",
        };
        if self.tool.name.any(&["configuration", "config", "kubeconfig"]) && self.tool.name.any(&["view", "get"]) {
            self.ran = true;
            self.call.script("kubectl config view --raw");
        } else if let Some(kind) = kind.filter(|_| !verb.is_empty()) {
            self.ran = true;
            let words: Vec<Value> =
                std::iter::once(kind.to_ascii_lowercase().as_str()).chain(name).map(Into::into).collect();
            self.call.script(&format!("kubectl {verb} {}", quoted(&words)));
        }
    }
}

/// What git is told besides what it is to do, in the order in which people say it.
const REFERENCES: &[&str] =
    &["remote", "branch", "target", "ref", "commit", "branchname", "tagname", "name", "revision"];

/// What databases are called.
#[rustfmt::skip]
pub(super) const DATABASES: &[&str] = &[
    "sql", "db", "database", "postgres", "postgresql", "pg", "mysql", "mariadb", "sqlite", "clickhouse", "bigquery",
    "snowflake", "neon", "supabase", "d1", "redshift", "duckdb", "mongo", "mongodb", "neo4j", "cypher",
    "elasticsearch", "opensearch", "cassandra", "dynamodb", "redis", "valkey", "turso", "databricks", "oracle",
    "mssql", "cockroach", "trino", "presto", "motherduck", "singlestore", "table", "index", "schema", "collection",
    "keyspace",
];

/// What statements begin with.
#[rustfmt::skip]
const FIRST: &[&str] = &[
    "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "DROP", "TRUNCATE", "ALTER", "CREATE", "GRANT", "REVOKE",
    "EXPLAIN", "MERGE", "COPY", "CALL", "DO", "BEGIN", "SET", "EXEC", "EXECUTE", "USE", "IF", "DECLARE", "START",
    "MATCH", "DETACH", "OPTIONAL", "UNWIND", "PURGE", "RESET", "REPLACE", "LOAD", "ATTACH", "RENAME", "REASSIGN",
    "OPTIMIZE", "SYSTEM",
];

/// Whether a text begins as statements do, behind blanks and comments.
fn begins_a_statement(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        rest = match (rest.strip_prefix("--"), rest.strip_prefix("/*")) {
            (Some(line), _) => line.split_once('\n').map_or("", |(_, rest)| rest).trim_start(),
            (_, Some(comment)) if !comment.starts_with('!') => {
                comment.split_once("*/").map_or("", |(_, rest)| rest).trim_start()
            }
            _ => break,
        };
    }
    let rest = rest.trim_start_matches(['(', ';', '/', '*', '!', ' ']);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    FIRST.iter().any(|word| word.eq_ignore_ascii_case(&rest[..end]))
}

fn each_text(value: &Value, work: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => work(text),
        Value::Array(items) => items.iter().filter_map(Value::as_str).for_each(work),
        _ => {}
    }
}

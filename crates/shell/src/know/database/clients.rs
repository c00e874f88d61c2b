//! Clients that are handed statements as words, files or input.

use super::{Dialect, destroys, look_through, lower};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

/// How a client is told what to do.
struct Client {
    names: &'static [&'static str],
    spec: Spec,
    /// Options that hold statements.
    says: &'static [&'static str],
    /// Options that name files of statements.
    files: &'static [&'static str],
    /// The operand from which on statements stand.
    from: Option<usize>,
    dialect: Dialect,
}

const CLIENTS: &[Client] = &[
    Client {
        names: &["psql", "pgcli", "usql", "cockroach", "ysqlsh", "gsql"],
        spec: Spec::new(
            "cfdhpUvoLPFRTe",
            &[
                "command",
                "file",
                "dbname",
                "host",
                "port",
                "username",
                "set",
                "variable",
                "output",
                "log-file",
                "pset",
                "field-separator",
                "record-separator",
                "execute",
                "url",
                "database",
                "user",
                "format",
            ],
        ),
        says: &["c", "command", "e", "execute"],
        files: &["f", "file"],
        from: None,
        dialect: Dialect::Postgres,
    },
    Client {
        names: &["mysql", "mariadb", "mycli", "mysqlsh", "tidb"],
        spec: Spec::new(
            "eDhPuSf",
            &["execute", "database", "host", "port", "user", "socket", "init-command", "defaults-file", "file"],
        )
        .attached("p"),
        says: &["e", "execute", "init-command"],
        files: &["f", "file"],
        from: None,
        dialect: Dialect::MySql,
    },
    Client {
        names: &["sqlite3", "sqlite", "duckdb", "litecli", "sqlcipher"],
        spec: Spec::new("cs", &["cmd", "init", "separator", "nullvalue", "newline", "vfs"]).one_dash(),
        says: &["cmd", "c", "s"],
        files: &["init"],
        from: Some(1),
        dialect: Dialect::Dots,
    },
    Client {
        names: &["sqlcmd", "bcp", "osql", "isql", "mssql-cli"],
        spec: Spec::new("SUPdQqiotlhswvaHA", &[]),
        says: &["Q", "q"],
        files: &["i"],
        from: None,
        dialect: Dialect::Plain,
    },
    Client {
        names: &[
            "clickhouse-client",
            "clickhouse",
            "clickhouse-local",
            "snowsql",
            "cqlsh",
            "trino",
            "presto",
            "hive",
            "beeline",
            "spark-sql",
            "impala-shell",
            "influx",
            "questdb",
            "vsql",
            "nzsql",
            "db2",
            "athenacli",
            "monetdb",
            "mclient",
        ],
        spec: Spec::new(
            "qeEfhudpaUswDk",
            &[
                "query",
                "execute",
                "file",
                "queries-file",
                "host",
                "port",
                "user",
                "password",
                "database",
                "keyspace",
                "server",
                "output-format",
            ],
        ),
        says: &["q", "query", "e", "execute", "E"],
        files: &["f", "file", "queries-file"],
        from: Some(0),
        dialect: Dialect::Plain,
    },
    Client {
        names: &["sqlplus", "sql", "sqlldr"],
        spec: Spec::new("", &[]),
        says: &[],
        files: &[],
        from: None,
        dialect: Dialect::Plain,
    },
];

fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.names.contains(&name))
}

pub(super) fn knows(name: &str) -> bool {
    find(name).is_some()
}

pub(super) fn client(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(client) = find(invocation.name) else { return };
    if only_asks(invocation.args) {
        return;
    }
    let options = Options::of(invocation.args, &client.spec);
    if client.dialect == Dialect::Dots {
        match options.operands.first() {
            // What is only in memory is gone anyway.
            Some(file) if matches!(file.text.as_str(), ":memory:" | "") => {
                return options.operands[1..].iter().for_each(|statement| dots(statement, doing));
            }
            Some(file) if doing.locate(file).nature.secret => drop(doing.reads(file)),
            _ => {}
        }
    }
    let mut told = false;
    for given in &options.given {
        let Some(value) = &given.value else { continue };
        if client.says.contains(&given.name.as_str()) {
            told = true;
            say(value, client.dialect, doing);
        } else if client.files.contains(&given.name.as_str()) && value.text != "-" {
            told = true;
            let stuff = doing.reads(value);
            look_through(&stuff, client.dialect, doing);
        } else if matches!(given.name.as_str(), "o" | "output") && client.dialect == Dialect::Postgres {
            match value.text.strip_prefix('|') {
                Some(script) => drop(doing.runs_script(invocation.name, &Stuff::known(script), &[], None)),
                None => doing.overwrites(value, Flags::NONE),
            }
        }
    }
    // `influx bucket delete` and `influx delete` are words, not statements.
    if invocation.name == "influx" && options.operands.iter().any(|word| word.text == "delete") {
        return destroys("deletes data of a time series database", doing);
    }
    for statement in client.from.and_then(|from| options.operands.get(from..)).unwrap_or_default() {
        told = true;
        say(statement, client.dialect, doing);
    }
    let reads_input = !told || client.from == Some(0);
    if let Some(stdin) = invocation.stdin.filter(|_| reads_input) {
        look_through(stdin, client.dialect, doing);
    }
}

/// Of statements for a database in memory, only those that reach outside of it.
fn dots(statement: &Arg, doing: &mut Doing<'_, '_>) {
    if statement.text.trim_start().starts_with('.') || statement.text.to_ascii_lowercase().contains("attach") {
        say(statement, Dialect::Dots, doing);
    }
}

fn say(statement: &Arg, dialect: Dialect, doing: &mut Doing<'_, '_>) {
    look_through(&Stuff { text: Some(statement.text.as_str().into()), from: statement.from }, dialect, doing);
}

const MONGO: Spec =
    Spec::new("upf", &["eval", "host", "port", "username", "password", "authenticationDatabase", "file"]);

pub(super) fn mongo(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &MONGO);
    if only_asks(invocation.args) {
        return;
    }
    for code in options.values(&["eval"]) {
        mongo_code(&code.text, doing);
    }
    for file in options.values(&["f", "file"]).chain(options.operands.iter().filter(|word| word.text.ends_with(".js")))
    {
        if let Some(text) = doing.reads(file).text {
            mongo_code(&text, doing);
        }
    }
    if let Some(text) = invocation.stdin.and_then(|stdin| stdin.text.clone()) {
        mongo_code(&text, doing);
    }
}

/// Methods that lose everything, wherever they stand outside quotes.
fn mongo_code(code: &str, doing: &mut Doing<'_, '_>) {
    const LOSE: &[&str] = &[
        ".dropdatabase(",
        ".drop(",
        ".deletemany({})",
        ".remove({})",
        ".deletemany()",
        ".remove()",
        "dropdatabase:1",
        ".dropuser(",
        ".dropallusers(",
        ".droprole(",
        ".updatemany({},",
    ];
    let bare = without_strings(code).to_ascii_lowercase();
    if LOSE.iter().any(|method| bare.contains(method)) {
        destroys("drops or empties collections of a MongoDB", doing);
    }
    if bare.contains("shutdownserver(") {
        doing.does(Kind::Kill, Flag::Force.into(), "stops the database server");
    }
}

/// Code without blanks and without what is between quotes.
fn without_strings(code: &str) -> String {
    let mut bare = String::with_capacity(code.len());
    let mut quote = None;
    let mut escaped = false;
    for c in code.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => {
                quote = Some(c);
                bare.push('_');
            }
            None if c.is_whitespace() => {}
            None => bare.push(c),
        }
    }
    bare
}

const REDIS: Spec = Spec::new(
    "hpnasuritdDX",
    &["user", "pass", "eval", "pattern", "cert", "key", "cacert", "cacertdir", "sni", "count", "rdb", "functions-rdb"],
);

pub(super) fn redis(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (options, words) = Options::before(invocation.args, &REDIS);
    if options.has(&["help", "version", "v"]) {
        return;
    }
    if options.has(&["cluster"]) || words.iter().any(|word| word.text == "--cluster") {
        return;
    }
    // Keys that come out of another command: `redis-cli keys '*' | xargs redis-cli del`.
    let many = words.iter().any(|word| word.glob && word.is_opaque());
    if many && words.first().is_some_and(|verb| matches!(lower(verb).as_str(), "del" | "unlink")) {
        return destroys("deletes many keys of a Redis", doing);
    }
    redis_command(&words.iter().map(lower).collect::<Vec<_>>(), doing);
    if let Some(text) = invocation.stdin.and_then(|stdin| stdin.text.clone()).filter(|_| words.is_empty()) {
        for line in text.lines() {
            redis_command(&line.split_whitespace().map(str::to_ascii_lowercase).collect::<Vec<_>>(), doing);
        }
    }
}

fn redis_command(words: &[String], doing: &mut Doing<'_, '_>) {
    // A number repeats the command.
    let words: Vec<&str> = words.iter().map(|word| word.trim_matches(['"', '\''])).collect();
    match words.as_slice() {
        ["flushall" | "flushdb", ..] => destroys("deletes every key of a Redis", doing),
        ["shutdown", ..] => doing.does(Kind::Kill, Flag::Force.into(), "stops the database server"),
        ["slaveof" | "replicaof", host, ..] if *host != "no" => {
            destroys("replaces what a Redis holds by that of another", doing)
        }
        ["config", "set", "dir" | "dbfilename", ..] => {
            doing.does(Kind::Persist, Flags::NONE, "lets a Redis write files where it should not");
        }
        ["config", "set", "requirepass", "", ..] | ["config", "set", "protected-mode", "no", ..] => {
            doing.does(Kind::Weaken, Flags::NONE, "takes the protection of a Redis away");
        }
        ["config", "get", "requirepass" | "masterauth", ..] => {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints the password of a Redis");
        }
        ["eval", script, ..] if script.contains("flushall") || script.contains("flushdb") => {
            destroys("deletes every key of a Redis", doing);
        }
        ["debug", "segfault", ..] => doing.does(Kind::Kill, Flag::Force.into(), "crashes the database server"),
        _ => {}
    }
}

pub(super) fn cypher(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let input = invocation.stdin.and_then(|stdin| stdin.text.as_deref()).unwrap_or_default();
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    for text in words.chain([input]) {
        let text = text.to_ascii_lowercase();
        let all = text.contains("delete") && !text.contains("where") && !text.contains('{');
        if all || text.contains("drop database") {
            return destroys("deletes what is in a graph database", doing);
        }
    }
}

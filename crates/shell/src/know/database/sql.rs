//! Statements, read just far enough to see what they destroy.

use crate::arg::{Arg, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags, Kind};

/// How a client reads text besides SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `\!`, `\copy`, `\o` (psql and its likes).
    Postgres,
    /// `\!`, `system`, backslashes in strings, `#` comments.
    MySql,
    /// `.shell`, `.read` (sqlite3, duckdb).
    Dots,
    /// Nothing besides SQL, or nobody knows.
    Plain,
}

/// Says what statements do.
pub(crate) fn look_through(code: &Stuff, dialect: Dialect, doing: &mut Doing<'_, '_>) {
    let Some(text) = &code.text else { return };
    let mut rest = String::with_capacity(text.len());
    for line in text.split('\n') {
        if !command_line(line, dialect, doing) {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    statements(&rest, dialect, DEEPEST, doing);
}

/// How deep statements may stand in quotes of statements.
const DEEPEST: usize = 6;

/// Lines that the client itself obeys.
fn command_line(line: &str, dialect: Dialect, doing: &mut Doing<'_, '_>) -> bool {
    let line = line.trim();
    match dialect {
        Dialect::Postgres => backslash(line, doing),
        Dialect::MySql => {
            let script = line.strip_prefix("\\!").or_else(|| line.strip_prefix("system "));
            script.map(|script| shell(script, doing)).is_some()
        }
        Dialect::Dots => line.starts_with('.') && dotted(line, doing),
        Dialect::Plain => {
            let script =
                line.strip_prefix("\\!").or_else(|| line.strip_prefix("!!")).or_else(|| line.strip_prefix("host "));
            script.map(|script| shell(script, doing)).is_some()
        }
    }
}

fn shell(script: &str, doing: &mut Doing<'_, '_>) {
    doing.runs_script("sql", &Stuff::known(script.trim().trim_end_matches(';')), &[], None);
}

/// psql: `\! command`, `\o |command`, `\o file`, `\i file`, `\copy … to program 'command'`.
fn backslash(line: &str, doing: &mut Doing<'_, '_>) -> bool {
    // `\!` may follow a statement on the same line.
    if let Some((before, script)) = line.split_once("\\!") {
        shell(script, doing);
        return before.trim().is_empty();
    }
    let Some(rest) = line.strip_prefix('\\') else { return false };
    let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let value = value.trim();
    match (name, value.strip_prefix('|')) {
        ("o" | "out" | "g" | "w" | "gx", Some(script)) => shell(script, doing),
        ("o" | "out" | "w" | "g", None) if !value.is_empty() => doing.overwrites(&Arg::known(value), Flags::NONE),
        ("i" | "ir" | "include", _) => read(value, Dialect::Postgres, doing),
        ("copy", _) => statements(&format!("COPY {value}"), Dialect::Postgres, DEEPEST, doing),
        _ => {}
    }
    true
}

/// sqlite3 and duckdb.
fn dotted(line: &str, doing: &mut Doing<'_, '_>) -> bool {
    let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let value = value.trim().trim_matches(['"', '\'']);
    match (name, value.strip_prefix('|')) {
        (".shell" | ".system" | ".sh", _) => shell(value, doing),
        (".read" | ".output" | ".once" | ".import", Some(script)) => shell(script, doing),
        (".read", None) => read(value, Dialect::Dots, doing),
        (".output" | ".once" | ".backup" | ".save" | ".log", None) if !value.is_empty() && value != "stdout" => {
            let path = value.rsplit(char::is_whitespace).next().unwrap_or(value);
            doing.overwrites(&Arg::known(path), Flags::NONE);
        }
        (".restore", _) => doing.does(Kind::Database, Flags::NONE, "replaces a database by a backup"),
        _ => {}
    }
    true
}

/// Statements in a file, where this very command put them.
fn read(path: &str, dialect: Dialect, doing: &mut Doing<'_, '_>) {
    let stuff = doing.reads(&Arg::known(path));
    if let Some(text) = &stuff.text {
        statements(text, dialect, DEEPEST, doing);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A bare word, in capitals.
    Word(String),
    /// A quoted name.
    Name,
    /// What is between quotes.
    Text(String),
    Sign(char),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            _ => "",
        }
    }
}

fn statements(text: &str, dialect: Dialect, depth: usize, doing: &mut Doing<'_, '_>) {
    let tokens = tokens(text, dialect);
    for statement in tokens.split(|token| matches!(token, Token::Sign(';')) || token.is("GO")) {
        judge(statement, dialect, depth, doing);
    }
}

fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if rest.starts_with("--") || first == '#' && dialect == Dialect::MySql {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            // MySQL runs what is in `/*! … */`.
            match comment.strip_prefix('!') {
                Some(code) => rest = code.trim_start_matches(|c: char| c.is_ascii_digit()),
                None => rest = comment.split_once("*/").map_or("", |(_, rest)| rest),
            }
        } else if let Some(after) = rest.strip_prefix("*/") {
            rest = after;
        } else if matches!(first, '\'' | '"' | '`') {
            let (inner, after) = quoted(&rest[1..], first, dialect == Dialect::MySql);
            tokens.push(if first == '\'' || first == '"' && dialect == Dialect::MySql {
                Token::Text(inner)
            } else {
                Token::Name
            });
            rest = after;
        } else if first == '$'
            && let Some((inner, after)) = dollars(rest)
        {
            tokens.push(Token::Text(inner.to_owned()));
            rest = after;
        } else if is_letter(first) {
            let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_ascii_uppercase()));
            rest = &rest[end..];
        } else {
            tokens.push(Token::Sign(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == crate::arg::HOLE
}

/// What is between quotes (a doubled quote is one), and what follows.
fn quoted(text: &str, quote: char, backslashes: bool) -> (String, &str) {
    let mut inner = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && backslashes {
            inner.extend(chars.next().map(|(_, c)| c));
        } else if c == quote {
            if chars.peek().is_none_or(|(_, next)| *next != quote) {
                return (inner, &text[at + quote.len_utf8()..]);
            }
            chars.next();
            inner.push(quote);
        } else {
            inner.push(c);
        }
    }
    (inner, "")
}

/// `$tag$ … $tag$`.
fn dollars(text: &str) -> Option<(&str, &str)> {
    let end = text[1..].find('$')? + 2;
    let tag = &text[..end];
    if !tag[1..end - 1].chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    Some(text[end..].split_once(tag).unwrap_or((&text[end..], "")))
}

/// Statements in which others may be nested.
const NESTING: &[&str] =
    &["IF", "BEGIN", "DECLARE", "WITH", "EXPLAIN", "EXEC", "EXECUTE", "USE", "DO", "START", "SET", "CALL"];

fn judge(statement: &[Token], dialect: Dialect, depth: usize, doing: &mut Doing<'_, '_>) {
    let Some(first) = statement.first() else { return };
    reaches_out(statement, doing);
    let dry = first.is("EXPLAIN") && !statement.iter().any(|token| token.is("ANALYZE"));
    if dry {
        return;
    }
    if NESTING.contains(&first.word()) {
        nested(statement, dialect, depth, doing);
    } else if let Some(what) = loses(statement) {
        doing.does(Kind::Database, Flags::NONE, what);
    }
}

fn nested(statement: &[Token], dialect: Dialect, depth: usize, doing: &mut Doing<'_, '_>) {
    const VERBS: &[&str] = &["DROP", "TRUNCATE", "DELETE", "UPDATE", "ALTER"];
    let verbs = statement.iter().enumerate().filter(|(_, token)| VERBS.contains(&token.word()));
    // Each is read to the end of the statement; this many are enough.
    for (at, _) in verbs.take(100) {
        if let Some(what) = loses(&statement[at..]) {
            return doing.does(Kind::Database, Flags::NONE, what);
        }
    }
    // Code in quotes that this statement runs.
    if depth > 0 && matches!(statement[0].word(), "DO" | "EXEC" | "EXECUTE" | "BEGIN") {
        for token in statement {
            if let Token::Text(text) = token
                && text.contains(' ')
            {
                statements(text, dialect, depth - 1, doing);
            }
        }
    }
}

/// What is gone after a statement.
fn loses(statement: &[Token]) -> Option<&'static str> {
    /// Nothing but definitions, which can be made again.
    const DEFINITIONS: &[&str] = &[
        "INDEX",
        "VIEW",
        "FUNCTION",
        "PROCEDURE",
        "TRIGGER",
        "SEQUENCE",
        "TYPE",
        "CAST",
        "OPERATOR",
        "RULE",
        "EVENT",
        "STATISTICS",
        "AGGREGATE",
        "DOMAIN",
        "TEMPORARY",
        "TEMP",
        "CONSTRAINT",
        "PREPARE",
        "SYNONYM",
        "MACRO",
        "ALIAS",
    ];
    let second = statement.get(1).map_or("", Token::word);
    match statement.first()?.word() {
        "DROP" if statement.len() > 1 && !DEFINITIONS.contains(&second) => Some("drops what is in a database"),
        "TRUNCATE" if statement.len() > 1 => Some("empties a table"),
        "DELETE" if statement.len() > 1 && !is_bounded(statement) => Some("deletes every row of a table"),
        "UPDATE" if statement.iter().any(|token| token.is("SET")) && !is_bounded(statement) => {
            Some("overwrites every row of a table")
        }
        "ALTER" => alters(statement),
        "PURGE" => Some("deletes what a database keeps for recovery"),
        "RESET" if second == "MASTER" => Some("deletes what a database keeps for recovery"),
        _ => None,
    }
}

/// `ALTER TABLE x DROP COLUMN y`, and in ClickHouse `ALTER TABLE x DELETE WHERE …`.
fn alters(statement: &[Token]) -> Option<&'static str> {
    const KEPT: &[&str] = &[
        "CONSTRAINT",
        "INDEX",
        "DEFAULT",
        "NOT",
        "KEY",
        "FOREIGN",
        "PRIMARY",
        "CHECK",
        "EXPRESSION",
        "IDENTITY",
        "UNIQUE",
        "POLICY",
        "PROJECTION",
    ];
    let at = statement.iter().position(|token| token.is("DROP") || token.is("DELETE"))?;
    if statement[at].is("DELETE") {
        return (!is_bounded(&statement[at..])).then_some("deletes every row of a table");
    }
    let is_table = statement.get(1).is_some_and(|token| token.is("TABLE") || token.is("KEYSPACE"));
    let next = statement.get(at + 1)?;
    (is_table && !KEPT.contains(&next.word())).then_some("drops a column or a part of a table")
}

/// Whether a condition spares any row.
fn is_bounded(statement: &[Token]) -> bool {
    let Some(at) = statement.iter().position(|token| token.is("WHERE")) else { return false };
    let condition: Vec<&Token> = statement[at + 1..]
        .iter()
        .take_while(|token| !["RETURNING", "LIMIT", "ORDER"].contains(&token.word()))
        .filter(|token| !matches!(token, Token::Sign('(' | ')')))
        .collect();
    !condition.split(|token| token.is("OR")).any(is_always)
}

/// `1=1`, `TRUE`, `'a'='a'`: no column stands in it.
fn is_always(condition: &[&Token]) -> bool {
    condition.iter().all(|token| match token {
        Token::Word(word) => {
            matches!(word.as_str(), "TRUE" | "AND" | "NOT" | "NULL" | "IS" | "LIKE")
                || word.chars().all(|c| c.is_ascii_digit())
        }
        Token::Text(_) | Token::Sign(_) => true,
        Token::Name => false,
    })
}

/// Statements that leave the database: programs and files of the machine.
fn reaches_out(statement: &[Token], doing: &mut Doing<'_, '_>) {
    for pair in statement.windows(2) {
        let Token::Text(text) = &pair[1] else { continue };
        let path = Arg::known(text.as_str());
        match pair[0].word() {
            "PROGRAM" | "XP_CMDSHELL" => shell(text, doing),
            "OUTFILE" | "DUMPFILE" => doing.overwrites(&path, Flags::NONE),
            "INFILE" => drop(doing.reads(&path)),
            "TO" if statement[0].is("COPY") => doing.overwrites(&path, Flags::NONE),
            "FROM" if statement[0].is("COPY") => drop(doing.reads(&path)),
            "SP_CONFIGURE" if text == "xp_cmdshell" => {
                doing.does(Kind::Weaken, Flags::NONE, "lets the database run programs");
            }
            _ => {}
        }
    }
    for triple in statement.windows(3) {
        if let [Token::Word(name), Token::Sign('('), Token::Text(text)] = triple {
            match name.as_str() {
                "LOAD_FILE"
                | "PG_READ_FILE"
                | "PG_READ_BINARY_FILE"
                | "READFILE"
                | "LO_IMPORT"
                | "READ_TEXT"
                | "READ_BLOB" => {
                    doing.reads(&Arg::known(text.as_str()));
                }
                "SYS_EVAL" | "SYS_EXEC" => shell(text, doing),
                "LOAD_EXTENSION" => doing.does(Kind::RunUnseen, Flags::NONE, "loads a library into the database"),
                _ => {}
            }
        }
    }
    rights(statement, doing);
    hashes(statement, doing);
}

/// Statements that make somebody all-powerful, or take away what keeps them apart.
fn rights(statement: &[Token], doing: &mut Doing<'_, '_>) {
    let has = |word: &str| statement.iter().any(|token| token.is(word));
    let pair = |first: &str, second: &str| statement.windows(2).any(|two| two[0].is(first) && two[1].is(second));
    let superuser = has("SUPERUSER") && ["ALTER", "CREATE"].contains(&statement[0].word());
    // Everything in one database is what applications get; everything in all of them is not.
    let everything =
        statement.windows(3).any(|three| matches!(three, [Token::Sign('*'), Token::Sign('.'), Token::Sign('*')]));
    let grants = statement[0].is("GRANT") && (pair("GRANT", "ALL") && everything || pair("GRANT", "OPTION"));
    if superuser || grants {
        doing.does(Kind::Escalate, Flag::Force.into(), "makes a database user all-powerful");
    }
    if statement[0].is("ALTER") && pair("DISABLE", "ROW") {
        doing.does(Kind::Weaken, Flags::NONE, "switches the security of rows off");
    }
}

/// Tables and columns in which databases keep what logs people in, and addresses that give out credentials.
fn hashes(statement: &[Token], doing: &mut Doing<'_, '_>) {
    const KEPT: &[&str] =
        &["AUTHENTICATION_STRING", "PG_SHADOW", "PG_AUTHID", "ROLPASSWORD", "SYSLOGINS", "SQL_LOGINS"];
    if statement.iter().any(|token| KEPT.contains(&token.word())) {
        doing.does(Kind::ReadSecret, Flags::NONE, "reads the passwords of a database's users");
    }
    let metadata = |token: &Token| match token {
        Token::Text(text) => text.contains("://") && crate::know::is_metadata(&crate::path::host(text)),
        _ => false,
    };
    if statement.iter().any(metadata) {
        doing.does(Kind::ReadSecret, Flags::NONE, "lets the database read credentials of its machine");
    }
}

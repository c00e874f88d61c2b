//! What an argument holds, as far as its name tells.

use serde_json::Value;

use super::super::batch::CWD;
use super::Offer;
use super::words::words;
use crate::cargo;

/// Words of names, and an ordinary value for them. Words that say nothing (`name`, `value`, `type`) are left out, so that
/// the one before them counts.
const ORDINARY: &[(&[&str], &str)] = &[
    (&["file", "filename", "filepath", "path"], FILE),
    (&["cwd", "dir", "directory", "folder", "root", "workdir", "workspace"], FOLDER),
    (&["endpoint", "href", "link", "uri", "url", "webhook", "website"], "https://example.org/"),
    (&["domain", "host", "hostname", "server"], "example.org"),
    (&["ip"], "192.0.2.7"),
    (&["address", "assignee", "bcc", "cc", "email", "from", "recipient", "sender", "to"], "ann@example.org"),
    (&["after", "at", "before", "date", "end", "since", "start", "time", "timestamp", "until"], "2026-01-02T09:00:00Z"),
    (&["sql", "statement"], SQL),
    (&["cmd", "command"], "ls"),
    (&["code", "expression", "js", "javascript", "python", "script"], "1 + 1"),
    (&["action", "op", "operation"], "list"),
    (&["method"], "GET"),
    (&["branch", "ref", "revision"], "feature/login"),
    (&["project", "repo", "repository"], "project"),
    (&["region"], "eu-west-1"),
    (&["lang", "language"], "en"),
    (&["format"], "json"),
    (&["namespace"], "default"),
    (&["filter", "keyword", "prompt", "q", "query", "search", "term"], SEARCH),
    (
        &["body", "comment", "content", "description", "message", "notes", "subject", "summary", "text", "title"],
        "The meeting is on Tuesday.",
    ),
    (
        &["cursor", "gid", "id", "identifier", "key", "number", "password", "secret", "slug", "token", "uid", "uuid"],
        "abc-123",
    ),
];

const FILE: &str = "src/main.rs";
const FOLDER: &str = "src";
const SEARCH: &str = "open questions of the roadmap";
const SQL: &str = "SELECT 1";

/// What a search is written in, where a tool or an argument says so.
const LANGUAGES: &[(&str, &str)] = &[
    ("cypher", "MATCH (n) RETURN n LIMIT 1"),
    ("graphql", "{ __typename }"),
    ("kusto", "Events | take 10"),
    ("promql", "up"),
    ("soql", "SELECT Id FROM Account LIMIT 1"),
    ("sql", SQL),
];

/// Formats that schemas name.
const FORMATS: &[(&str, &str)] = &[
    ("date", "2026-01-02"),
    ("date-time", "2026-01-02T09:00:00Z"),
    ("email", "ann@example.org"),
    ("uri", "https://example.org/"),
    ("uuid", "6f1b2c3d-0000-4000-8000-000000000000"),
];

/// An ordinary text for an argument.
pub(super) fn text(offer: &Offer, name: &str, schema: &Value) -> String {
    let (about, format) = (cargo::text(schema, "description"), cargo::text(schema, "format"));
    let formatted = FORMATS.iter().find(|(known, _)| *known == format).map(|(_, value)| *value);
    let absolute = about.to_lowercase().contains("absolute");
    match formatted.or_else(|| ordinary(name)).unwrap_or("example") {
        SEARCH => language(&[about, offer.tool, offer.description]).unwrap_or(SEARCH).to_owned(),
        path @ (FILE | FOLDER) if absolute => format!("{CWD}/{path}"),
        value => value.to_owned(),
    }
}

fn language(texts: &[&str]) -> Option<&'static str> {
    let texts = texts.join(" ").to_lowercase();
    LANGUAGES.iter().find(|(language, _)| texts.contains(language)).map(|(_, search)| *search)
}

/// The last word that tells something decides: a `file_url` is an address. A plural is of the same kind.
fn ordinary(name: &str) -> Option<&'static str> {
    words(name).iter().rev().find_map(|word| {
        let one = word.strip_suffix('s').unwrap_or(word);
        let known = |words: &[&str]| words.contains(&word.as_str()) || words.contains(&one);
        ORDINARY.iter().find(|(words, _)| known(words)).map(|(_, value)| *value)
    })
}

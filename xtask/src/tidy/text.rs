//! Rules for every text file: nothing that ties it to one machine or one registry, and clean line ends.

use super::Finding;
use super::tree::{Tree, is_test, is_under};

// Both lists are written in halves so that this file passes its own check.
const MACHINE_PATHS: &[&str] = &[concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/ro", "ot/")];
const REGISTRIES: &[&str] = &[concat!("crates", ".io"), concat!("pypi", ".org"), concat!("npmjs", ".org")];
/// Cargo writes the registry's name here, and nobody edits it.
const LOCK: &str = "Cargo.lock";
/// Nobody in particular: users in examples of what Tollgate knows about home folders.
const NOBODY: &[&str] = &["user", "dev", "ann"];
/// In front of a `/`, these mean that a path goes on and does not start.
const INSIDE_A_PATH: &[char] = &['/', '.', '_', '-', '~', '*', '$', '}', ')', ']', '>'];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts().flat_map(|(path, text)| check_text(tree, path, text)).collect()
}

fn check_text(tree: &Tree, path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Not `lines()`, which would take a carriage return for part of the line's end.
    for (index, line) in text.split('\n').enumerate() {
        let mut found = |message: String| findings.push(Finding::new(path, index + 1, message));
        if let Some((_, folder)) = machine_paths(line).find(|(at, _)| !is_example(tree, path, index, *at)) {
            found(format!("`{folder}` leads to one machine's files; write the path from the repository's root"));
        }
        if let Some(registry) = REGISTRIES.iter().find(|name| path != LOCK && line.contains(**name)) {
            found(format!("`{registry}` ties the text to one registry; say \"the registry\""));
        }
        if path.ends_with(".rs") && line.contains('\t') {
            found("a tab; indent with spaces and write \\t in literals".to_owned());
        }
        // A head in a log of records is as long as any other, by its blanks.
        if line.ends_with(char::is_whitespace) && !path.starts_with("spec/audit/log/") {
            found("white space at the end of the line; delete it".to_owned());
        }
    }
    // What an agent really sent stays as it was sent.
    if !text.is_empty() && !text.ends_with('\n') && !path.starts_with("crates/hook/fixtures/") {
        let message = "no newline at the end of the file; add one";
        findings.push(Finding::new(path, text.lines().count(), message));
    }
    findings
}

/// Where on the line absolute paths of somebody's machine start.
fn machine_paths(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let found = MACHINE_PATHS.iter().flat_map(|path| line.match_indices(path));
    found.filter(|(at, folder)| {
        let (before, after) = (&line[..*at], &line[at + folder.len()..]);
        let whose = after.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        !before.ends_with(char::is_alphanumeric) && !before.ends_with(INSIDE_A_PATH) && !NOBODY.contains(&whose)
    })
}

/// Whether the text at this place is data of an example or a test: there, in Rust, only in literals.
fn is_example(tree: &Tree, path: &str, line: usize, column: usize) -> bool {
    let folder = is_test(path) || is_under(path, &["examples"]) || path.starts_with("spec/cases/");
    match tree.source(path).and_then(|source| source.lines.get(line)) {
        Some(line) => (folder || line.in_test) && line.code.as_bytes().get(column) == Some(&b'_'),
        None => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::printed;

    fn check_one(path: &str, text: &str, expected: &[&str]) {
        let found = printed(&check(&Tree::of(&[(path, text)])));
        let expected: Vec<_> = expected.iter().map(|message| format!("{path}:1: {message}")).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn machine_paths() {
        let complaint = "`/home/` leads to one machine's files; write the path from the repository's root";
        for (path, text) in [
            ("README.md", "see `/home/ada/notes`\n"),
            ("src/a.rs", "let a = \"/home/ada/b\";\n"),
            ("tests/a.rs", "// see /home/ada/b\n"),
            ("tests/a.rs", "let a = \"/home/ada/b\"; // in /home/ada\n"),
            ("run.sh", "cd /home/ada/b\n"),
        ] {
            check_one(path, text, &[complaint]);
        }
        for (path, text) in [
            ("tests/a.rs", "let a = \"/home/ada/b\";\n"),
            ("examples/a.rs", "let a = r\"/home/ada/b\";\n"),
            ("crates/a/tests/data.json", "\"/home/ada/b\"\n"),
            ("spec/cases/a.json", "\"/home/ada/b\"\n"),
            ("src/a.rs", "const HOME: &str = \"/home/user\";\n"),
            ("src/a.rs", "#[cfg(test)] mod a { const B: &str = \"/home/ada\"; }\n"),
            ("README.md", "crates/work/flow and ~/work/ and https://a.example/home/\n"),
        ] {
            check_one(path, text, &[]);
        }
    }

    #[test]
    fn registries() {
        let name = REGISTRIES[0];
        let text = format!("https://{name}/a\n");
        check_one("README.md", &text, &[&format!("`{name}` ties the text to one registry; say \"the registry\"")]);
        check_one("Cargo.lock", &text, &[]);
    }

    #[test]
    fn white_space() {
        let trailing = "white space at the end of the line; delete it";
        check_one("a.md", "a \n", &[trailing]);
        check_one("a.md", "a\r\n", &[trailing]);
        check_one("a.md", "a", &["no newline at the end of the file; add one"]);
        check_one("crates/hook/fixtures/a/a.json", "{}", &[]);
        check_one("a.md", "", &[]);
        check_one("a.rs", "\ta\n", &["a tab; indent with spaces and write \\t in literals"]);
        check_one("a.mk", "\ta\n", &[]);
    }
}

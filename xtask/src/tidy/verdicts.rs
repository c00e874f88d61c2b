//! One word for each verdict: pass, rewrite, redact, answer, ask, route, deny. Other people's words stay theirs, where
//! we speak to them; everywhere else a second word for the same thing is one that readers stumble over.

use super::Finding;
use super::source::is_word;
use super::tree::Tree;

/// Words that once stood for a verdict, and the one that does.
const WORDS: &[(&str, &str)] = &[
    ("block", "deny"),
    ("blocked", "denied"),
    ("divert", "route"),
    ("diverted", "routed"),
    ("elsewhere", "route"),
    ("go", "pass"),
    ("reply", "answer"),
    ("stop", "deny"),
];
/// The same as names of types and their cases.
const NAMES: &[(&str, &str)] =
    &[("Blocked", "Denied"), ("Divert", "Route"), ("Diverted", "Routed"), ("Elsewhere", "Route")];
/// The same as keys of a policy.
const KEYS: &[(&str, &str)] = &[("block = ", "deny"), ("edit = [", "rewrite")];

/// Where other people are spoken to in their own words, or spoken of.
const THEIRS: &[&str] = &[
    "benches/peers/",
    "crates/cli/tests/faults",
    "crates/config/src/seed.rs",
    "crates/config/tests/hooks.rs",
    "crates/config/tests/messages.rs",
    "crates/config/tests/seed_hooks.rs",
    "crates/engine/src/switch/tests.rs",
    "crates/engine/tests/hooks.rs",
    "crates/hook/fixtures/",
    "crates/hook/src/agents/",
    "crates/hook/src/cases/native.rs",
    "crates/hook/src/setup/",
    "crates/hook/src/shim",
    "crates/host-command/",
    "crates/rules/src/edit/redact.rs",
    "crates/secrets/",
    "crates/shell/",
    "crates/testkit/src/model",
    "crates/tollgate/src/",
    "crates/tollgate/tests/",
    "crates/wire/src/dialect",
    "crates/wire/src/verdicts.rs",
    "docs/agents.md",
    "docs/quick-start.md",
    "examples/",
    "fuzz/corpus/",
    "spec/cases/tool-after-sees-every-end.json",
    "spec/conformance.md",
    "trials/",
    "xtask/src/tidy/verdicts.rs",
];

/// What stands on lines that show another protocol's words: the seeds' events and answers of programs.
const THEIR_LINES: &[&str] = &["preToolUse", "\"decision\":"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let ours = |path: &str| !THEIRS.iter().any(|theirs| path.starts_with(theirs));
    tree.texts().filter(|(path, _)| ours(path)).flat_map(|(path, text)| check_text(path, text)).collect()
}

fn check_text(path: &str, text: &str) -> Vec<Finding> {
    let read = [".rs", ".md", ".toml", ".json"].iter().any(|end| path.ends_with(end));
    let ours = |line: &str| !THEIR_LINES.iter().any(|theirs| line.contains(theirs));
    let lines = text.lines().enumerate().filter(|(_, line)| read && ours(line));
    let found = lines.filter_map(|(index, line)| {
        let (old, new) = in_code(path, line).or_else(|| quoted(line)).or_else(|| key(path, line))?;
        Some(Finding::new(path, index + 1, format!("`{}` is `{new}` here: each verdict has one word", old.trim())))
    });
    found.collect()
}

/// A name in Rust, as a case of an enum or behind its type.
fn in_code<'w>(path: &str, line: &str) -> Option<(&'w str, &'w str)> {
    let whole = |name: &str| {
        let at = line.match_indices(name);
        at.into_iter().any(|(at, _)| !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word))
    };
    NAMES.iter().copied().find(|(old, _)| path.ends_with(".rs") && whole(old))
}

/// A word that stands alone between quotation marks or backticks.
fn quoted<'w>(line: &str) -> Option<(&'w str, &'w str)> {
    let stands = |word: &str| ['"', '`'].iter().any(|mark| line.contains(&format!("{mark}{word}{mark}")));
    WORDS.iter().copied().find(|(old, _)| stands(old))
}

/// A key at the start of a line of a policy, which may stand in a test or a page.
fn key<'w>(path: &str, line: &str) -> Option<(&'w str, &'w str)> {
    let text = line.trim_start().trim_start_matches("# ");
    KEYS.iter().copied().find(|(old, _)| !path.ends_with(".json") && text.starts_with(old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::printed;

    #[test]
    fn a_second_word_for_a_verdict() {
        for (path, text, expected) in [
            ("crates/core/src/x.rs", "    Diverted(String),", Some("`Diverted` is `Routed`")),
            ("crates/core/src/x.rs", "    Act::Elsewhere => {}", Some("`Elsewhere` is `Route`")),
            ("crates/core/src/x.rs", "    \"stop\" => Act::Deny", Some("`stop` is `deny`")),
            ("docs/x.md", "its act is `go`", Some("`go` is `pass`")),
            ("docs/x.md", "block = \"no\"", Some("`block =` is `deny`")),
            ("examples.toml", "edit = [{}]", Some("`edit = [` is `rewrite`")),
            ("spec/cases/x.json", "\"act\": \"reply\"", Some("`reply` is `answer`")),
            ("docs/x.md", "stop here and go on", None),
            ("docs/x.md", "`turn.stop`", None),
            ("docs/x.md", "`{\"decision\": \"block\"}`", None),
            ("crates/core/src/x.rs", "Unblocked, Diverter", None),
            ("crates/hook/src/agents/x.rs", "json!(\"block\")", None),
            ("x.svg", "\"go\"", None),
        ] {
            let found = printed(&check(&Tree::of(&[(path, text)])));
            let expected: Vec<_> =
                expected.iter().map(|told| format!("{path}:1: {told} here: each verdict has one word")).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

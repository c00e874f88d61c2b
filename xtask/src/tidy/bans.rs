//! What product code does not do: panic on purpose, leave debris, step outside the language's guarantees.

use super::Finding;
use super::source::{Source, is_word, words};
use super::tree::{Tree, is_test, is_under};

/// Ways to crash. A crashed gate lets the call through in some agents, so a fault must be a value.
const CRASHES: &[&str] = &[".unwrap(", ".expect(", "panic!", "todo!", "unimplemented!", "dbg!"];
/// Folders besides tests whose code may crash: nobody's call depends on them.
const MAY_CRASH: &[&str] = &["benches", "examples"];
/// Where counting allocations and the like needs it.
const MAY_BE_UNSAFE: &[&str] = &["benches/", "crates/testkit/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().flat_map(|(path, source)| check_source(path, source)).collect()
}

fn check_source(path: &str, source: &Source) -> Vec<Finding> {
    let may_crash = is_test(path) || is_under(path, MAY_CRASH);
    let may_be_unsafe = MAY_BE_UNSAFE.iter().any(|folder| path.starts_with(folder));
    let excused = excused(source);
    let mut findings = Vec::new();
    for (index, line) in source.lines.iter().enumerate() {
        let mut found = |message: String| findings.push(Finding::new(path, index + 1, message));
        let crash = CRASHES.iter().find(|crash| uses(&line.code, crash));
        if let Some(crash) = crash.filter(|_| !may_crash && !line.in_test && !excused[index]) {
            let help = "return an error, or say why it cannot fail with #[expect(clippy::..., reason = \"...\")]";
            found(format!("`{crash}` outside tests; {help}"));
        }
        if !may_be_unsafe && words(&line.code).any(|(_, word)| word == "unsafe") {
            found("`unsafe` is for the test kit and the benchmarks only; find a safe way".to_owned());
        }
        if line.code.contains("#[ignore") {
            found("a test that does not run proves nothing; mend it or delete it".to_owned());
        }
    }
    findings
}

/// Whether the text occurs, and not as the end of a longer word.
fn uses(code: &str, text: &str) -> bool {
    let whole = |at| text.starts_with('.') || !code[..at].ends_with(is_word);
    code.match_indices(text).any(|(at, _)| whole(at))
}

/// For each line, whether an `#[expect(clippy::…, reason = …)]` stands on the item or statement it is in.
fn excused(source: &Source) -> Vec<bool> {
    let mut excused = vec![false; source.lines.len()];
    for (start, line) in source.lines.iter().enumerate() {
        let Some(column) = line.code.find("#[expect(") else { continue };
        let end = source.item_end(start, column).0;
        let text: String = source.lines[start..=end].iter().map(|line| line.code.as_str()).collect();
        let attribute = text[column..].split(']').next().unwrap_or_default();
        if attribute.contains("clippy::") && attribute.contains("reason") {
            excused[start..=end].fill(true);
        }
    }
    excused
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASH: &str = "outside tests; return an error, or say why it cannot fail with \
                         #[expect(clippy::..., reason = \"...\")]";

    /// Expected are pairs of a line and how its message starts.
    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        let findings = check_source(path, &Source::new(text));
        let found: Vec<_> = findings.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
        assert_eq!(found.len(), expected.len(), "{path}: {text}\n{found:?}");
        for ((line, message), (expected_line, start)) in found.into_iter().zip(expected) {
            assert_eq!(line, *expected_line, "{path}: {text}");
            assert!(message.starts_with(start), "{path}: {text}\n{message}");
        }
    }

    #[test]
    fn crashes() {
        check_text("src/a.rs", "a().unwrap();\n", &[(1, &format!("`.unwrap(` {CRASH}"))]);
        for text in ["a().expect(\"b\");", "panic!();", "std::panic!();", "todo!()", "unimplemented!()", "dbg!(a)"] {
            check_text("src/a.rs", text, &[(1, "`")]);
            check_text("src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{text}\n}}\n"), &[]);
            for path in ["tests/a.rs", "src/tests.rs", "examples/a.rs", "crates/a/benches/b.rs"] {
                check_text(path, text, &[]);
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_crash() {
        for text in [
            "a.unwrap_or_default();",
            "a.expect_err;",
            "std::panic::catch_unwind(a);",
            "no_panic!();",
            "unwrap(command);",
            "let a = \"panic!\";",
            "// a.unwrap()",
            "/// a.unwrap()",
        ] {
            check_text("src/a.rs", text, &[]);
        }
    }

    #[test]
    fn a_reason_excuses_what_it_stands_on() {
        let given = "#[expect(clippy::unwrap_used, reason = \"why\")]";
        for text in [
            "let b = a.unwrap();",
            "let b = a\n    .c()\n    .unwrap();",
            "fn a() {\n    b.unwrap();\n}",
            "#[inline]\nfn a() {\n    b.unwrap();\n}",
        ] {
            check_text("src/a.rs", &format!("{given}\n{text}\n"), &[]);
            check_text("src/a.rs", &format!("{given} {text}\n"), &[]);
        }
        check_text("src/a.rs", &format!("{given}\nlet b = 1;\na.unwrap();\n"), &[(3, "`.unwrap(`")]);
        check_text("src/a.rs", "#[expect(clippy::unwrap_used)]\nlet b = a.unwrap();\n", &[(2, "`.unwrap(`")]);
        let broken = "#[expect(\n    clippy::unwrap_used,\n    reason = \"why\"\n)]\nlet b = a.unwrap();\n";
        check_text("src/a.rs", broken, &[]);
    }

    #[test]
    fn unsafe_code() {
        let text = "unsafe { a() }";
        check_text("src/a.rs", text, &[(1, "`unsafe` is for the test kit and the benchmarks only")]);
        check_text("crates/core/tests/a.rs", text, &[(1, "`unsafe`")]);
        check_text("crates/testkit/src/a.rs", text, &[]);
        check_text("benches/src/a.rs", text, &[]);
        check_text("src/a.rs", "#![forbid(unsafe_code)] // unsafe", &[]);
    }

    #[test]
    fn ignored_tests() {
        check_text("tests/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n", &[(2, "a test that does not run")]);
    }
}

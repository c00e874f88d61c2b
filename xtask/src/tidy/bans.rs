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

/// The programs that agents start. Each refuses to be built so that a panic ends it.
const PROGRAMS: &[&str] = &["crates/cli/src/main.rs", "crates/hook/src/bin/tollgate-hook.rs"];
const GUARD: &str = "#[cfg(not(panic = \"unwind\"))]\ncompile_error!(";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources().flat_map(|(path, source)| check_source(path, source));
    sources.chain(check_unwinding(tree)).collect()
}

/// In most agents a crashed hook means that the tool runs, so every build unwinds: no profile says otherwise, and what
/// a flag or a variable says is found when a program is built.
fn check_unwinding(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".toml")) {
        let plain = |line: &str| line.split('#').next().unwrap_or_default().replace([' ', '"', '\''], "");
        let aborts = text.lines().enumerate().filter(|(_, line)| plain(line).contains("panic=abort"));
        let help = "every build unwinds, so that a panic becomes a refusal; take this out";
        findings.extend(aborts.map(|(index, _)| Finding::new(path, index + 1, help)));
    }
    for path in PROGRAMS.iter().filter(|path| !tree.text(path).is_some_and(|text| text.contains(GUARD))) {
        let message = format!("an aborting build of this program must fail; put `{}` back", GUARD.replace('\n', " "));
        findings.push(Finding::new(path, 1, message));
    }
    findings
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

    #[test]
    fn what_aborts_is_found() {
        let guarded = format!("{GUARD}\"x\");\n");
        let tree = Tree::of(&[
            (
                "Cargo.toml",
                "[profile.release]\npanic = \"unwind\"\n# panic = \"abort\"\n[profile.dist]\npanic = 'abort'\n",
            ),
            (".cargo/config.toml", "rustflags = [\"-Cpanic=abort\"]\n"),
            (PROGRAMS[0], "fn main() {}\n"),
            (PROGRAMS[1], &guarded),
        ]);
        let help = "every build unwinds, so that a panic becomes a refusal; take this out";
        let mut found = crate::tidy::printed(&check_unwinding(&tree));
        found.sort();
        let guard =
            "an aborting build of this program must fail; put `#[cfg(not(panic = \"unwind\"))] compile_error!(` back";
        let expected = [
            format!(".cargo/config.toml:1: {help}"),
            format!("Cargo.toml:5: {help}"),
            format!("{}:1: {guard}", PROGRAMS[0]),
        ];
        assert_eq!(found, expected);
    }

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

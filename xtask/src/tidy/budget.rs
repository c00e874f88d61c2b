//! What core may cost: lines to read, names to learn, and prose that explains them.

use super::Finding;
use super::source::{Line, Source};
use super::tree::{Tree, is_test};

const FOLDER: &str = "crates/core/src/";
const LIB: &str = "crates/core/src/lib.rs";
const MAX_CODE: usize = 1_600;
const MAX_PUBLIC: usize = 42;
/// Lines of documentation for each hundred lines of code.
const MIN_DOCS: usize = 40;

/// Kinds of item that count as something to learn.
const KINDS: &[&str] = &["enum", "fn", "struct", "trait", "type", "union"];
/// Words that may stand between `pub` and the kind.
const BEFORE_KIND: &[&str] = &["async", "const", "extern", "unsafe"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources().filter(|(path, _)| path.starts_with(FOLDER) && !is_test(path));
    let lines: Vec<&Line> = sources.flat_map(|(_, source)| &source.lines).filter(|line| !line.in_test).collect();
    let code = lines.iter().filter(|line| line.is_code()).count();
    let docs = lines.iter().filter(|line| line.is_doc()).count();
    let mut findings = check_lines(code, docs);
    findings.extend(tree.source(LIB).map(check_names).unwrap_or_default());
    findings
}

fn check_lines(code: usize, docs: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    if code > MAX_CODE {
        let message = format!("core has {code} lines of code, {MAX_CODE} are allowed; move what can live above it");
        findings.push(Finding::new(LIB, 1, message));
    }
    if docs * 100 < code * MIN_DOCS {
        let need = (code * MIN_DOCS).div_ceil(100);
        let message = format!("core has {docs} lines of documentation for {code} of code; it should have {need}");
        findings.push(Finding::new(LIB, 1, message));
    }
    findings
}

fn check_names(lib: &Source) -> Vec<Finding> {
    let (mut count, mut findings) = (0, Vec::new());
    for (index, line) in lib.lines.iter().enumerate().filter(|(_, line)| !line.in_test) {
        // Formatted code has top-level items, and nothing else, at the left edge.
        let Some(item) = line.code.strip_prefix("pub ") else { continue };
        if item.starts_with("mod ") || item.starts_with("use ") && statement(lib, index).contains('*') {
            let message = "this makes names public that are not counted; write `pub use` with each name";
            findings.push(Finding::new(LIB, index + 1, message));
        } else if item.starts_with("use ") {
            count += count_names(&statement(lib, index));
        } else if declares_kind(item) {
            count += 1;
        }
    }
    if count > MAX_PUBLIC {
        let message = format!("core has {count} public names, {MAX_PUBLIC} are allowed; hide or join some");
        findings.push(Finding::new(LIB, 1, message));
    }
    findings
}

fn declares_kind(item: &str) -> bool {
    let mut words = item.split_whitespace().skip_while(|word| BEFORE_KIND.contains(word));
    words.next().is_some_and(|word| KINDS.contains(&word))
}

/// The whole `use` that starts on this line.
fn statement(source: &Source, start: usize) -> String {
    let (end, _) = source.item_end(start, 0);
    source.lines[start..=end].iter().map(|line| line.code.as_str()).collect()
}

/// The leaves of a `use`. What ends in `::` is the way to a list of names, not a name.
fn count_names(statement: &str) -> usize {
    let parts = statement.trim_start_matches("pub use").split([',', '{', '}', ';']).map(str::trim);
    parts.filter(|part| !part.is_empty() && !part.ends_with("::")).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::printed;

    #[test]
    fn names_in_a_use() {
        for (statement, expected) in [
            ("pub use body::Body;", 1),
            ("pub use body::Body as Document;", 1),
            ("pub use event::{Ended, Event};", 2),
            ("pub use event::{    Ended,    Event,};", 2),
            ("pub use a::{B, c::{D, E}};", 3),
            ("pub use {a::B, c::D};", 2),
        ] {
            assert_eq!(count_names(statement), expected, "{statement}");
        }
    }

    fn check_lib(text: &str, expected: &[&str]) {
        assert_eq!(printed(&check_names(&Source::new(text))), expected, "{text}");
    }

    #[test]
    fn public_names() {
        let forty_one = (0..41).map(|n| format!("pub struct S{n};\n")).collect::<String>();
        check_lib(&format!("{forty_one}pub use a::B;\npub(crate) use a::C;\npub const D: u8 = 0;\n"), &[]);
        let over = "crates/core/src/lib.rs:1: core has 43 public names, 42 are allowed; hide or join some";
        check_lib(&format!("{forty_one}pub use a::{{\n    B,\n    C,\n}};\n"), &[over]);
        check_lib(&format!("{forty_one}pub async fn a() {{}}\npub const fn b() {{}}\n"), &[over]);
        let hidden = "this makes names public that are not counted; write `pub use` with each name";
        let (first, second) =
            (format!("crates/core/src/lib.rs:1: {hidden}"), format!("crates/core/src/lib.rs:2: {hidden}"));
        check_lib("pub mod a;\npub use b::*;\n", &[&first, &second]);
    }

    #[test]
    fn lines_of_code_and_documentation() {
        let too_big = "crates/core/src/lib.rs:1: core has 1601 lines of code, 1600 are allowed; \
                       move what can live above it";
        let too_terse = "crates/core/src/lib.rs:1: core has 39 lines of documentation for 100 of code; \
                         it should have 40";
        assert_eq!(printed(&check_lines(1_600, 640)), [""; 0]);
        assert_eq!(printed(&check_lines(1_601, 700)), [too_big]);
        assert_eq!(printed(&check_lines(100, 39)), [too_terse]);
    }

    #[test]
    fn only_the_code_of_core_counts() {
        let code = "const A: u8 = 0;\n".repeat(2);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "const A: u8 = 0;\n".repeat(1_600));
        let tree = Tree::of(&[
            ("crates/core/src/lib.rs", &format!("//! What it is.\n\n// Why.\n{code}{tests}")),
            ("crates/core/src/tests.rs", &tests),
            ("crates/wire/src/lib.rs", &"const A: u8 = 0;\n".repeat(1_600)),
        ]);
        assert_eq!(check(&tree), []);
    }
}

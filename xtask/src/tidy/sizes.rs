//! Long files and long functions. What is too long today is written down in a list with its size, and that
//! list can only get shorter and its numbers smaller.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{Function, Source};
use super::tree::{Tree, is_test};

const FILE_LIMIT: usize = 600;
const FUNCTION_LIMIT: usize = 100;
/// Functions beyond this are counted, not forbidden.
const FUNCTION_GOAL: usize = 60;
const RATCHET: &str = "xtask/ratchet.txt";

/// A file, or by `file::function` a function. The longest counts where a file has several of one name.
struct Measure {
    path: String,
    line: usize,
    size: usize,
    limit: usize,
}

/// A line of the list.
struct Entry {
    line: usize,
    size: usize,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let (mut entries, mut findings) = read_ratchet(tree.text(RATCHET).unwrap_or_default());
    for (key, measure) in too_long(tree) {
        findings.extend(compare(&key, &measure, entries.remove(&key)));
    }
    let stale = |(key, entry): (String, Entry)| {
        Finding::new(RATCHET, entry.line, format!("`{key}` is no longer too long; remove this line"))
    };
    findings.extend(entries.into_iter().map(stale));
    findings
}

/// One sentence on how close the tree is to the goal for functions.
pub(super) fn summary(tree: &Tree) -> String {
    let sizes: Vec<usize> = functions(tree).map(|(_, function)| size(&function)).collect();
    let long = sizes.iter().filter(|size| **size > FUNCTION_GOAL).count();
    format!("{long} of {} functions are longer than {FUNCTION_GOAL} lines", sizes.len())
}

fn compare(key: &str, measure: &Measure, entry: Option<Entry>) -> Option<Finding> {
    let Measure { path, line, size, limit } = measure;
    let Some(entry) = entry else {
        let message = format!("`{key}` has {size} lines, {limit} are allowed; split it into parts with names");
        return Some(Finding::new(path, *line, message));
    };
    let old = entry.size;
    if *size > old {
        let message = format!("`{key}` has grown from {old} to {size} lines; make it shorter, not the list's number");
        return Some(Finding::new(path, *line, message));
    }
    let message = format!("`{key}` has only {size} lines now, not {old}; write {size} here, so that it stays so");
    (*size < old).then(|| Finding::new(RATCHET, entry.line, message))
}

fn too_long(tree: &Tree) -> BTreeMap<String, Measure> {
    let mut found = BTreeMap::new();
    for (path, source) in product(tree) {
        let size = source.lines.iter().filter(|line| !line.in_test).count();
        if size > FILE_LIMIT {
            found.insert(path.to_owned(), Measure { path: path.to_owned(), line: 1, size, limit: FILE_LIMIT });
        }
    }
    for (path, function) in functions(tree) {
        let (key, size) = (format!("{path}::{}", function.name), size(&function));
        let longest = found.get(&key).map_or(FUNCTION_LIMIT, |measure| measure.size);
        if size > longest {
            let line = function.start + 1;
            found.insert(key, Measure { path: path.to_owned(), line, size, limit: FUNCTION_LIMIT });
        }
    }
    found
}

fn product(tree: &Tree) -> impl Iterator<Item = (&str, &Source)> {
    tree.sources().filter(|(path, _)| !is_test(path))
}

fn functions(tree: &Tree) -> impl Iterator<Item = (&str, Function)> {
    product(tree).flat_map(|(path, source)| {
        let functions = source.functions().filter(|function| !source.lines[function.start].in_test);
        functions.map(move |function| (path, function))
    })
}

fn size(function: &Function) -> usize {
    function.end - function.start + 1
}

/// Lines of `SIZE WHAT`; what starts with `#` is for the reader.
fn read_ratchet(text: &str) -> (BTreeMap<String, Entry>, Vec<Finding>) {
    let (mut entries, mut findings) = (BTreeMap::new(), Vec::new());
    for (index, text) in text.lines().enumerate() {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let line = index + 1;
        let parts = text.split_once(' ').and_then(|(size, key)| Some((size.parse().ok()?, key.trim())));
        let Some((size, key)) = parts else {
            let message = format!("`{text}` is not understood; write `640 path/file.rs` or `120 path/file.rs::name`");
            findings.push(Finding::new(RATCHET, line, message));
            continue;
        };
        if entries.insert(key.to_owned(), Entry { line, size }).is_some() {
            findings.push(Finding::new(RATCHET, line, format!("`{key}` is listed twice; keep one line")));
        }
    }
    (entries, findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::printed;

    fn function(name: &str, size: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    work();\n".repeat(size - 2))
    }

    fn check_one(path: &str, text: &str, ratchet: &str, expected: &[&str]) {
        let tree = Tree::of(&[(path, text), (RATCHET, ratchet)]);
        assert_eq!(printed(&check(&tree)), expected, "{path} with {ratchet:?}");
    }

    #[test]
    fn files() {
        let (long, fine) = ("const A: u8 = 0;\n".repeat(601), "const A: u8 = 0;\n".repeat(600));
        let tested = format!("{fine}#[cfg(test)]\nmod tests {{\n{fine}}}\n");
        let over = "src/a.rs:1: `src/a.rs` has 601 lines, 600 are allowed; split it into parts with names";
        check_one("src/a.rs", &long, "", &[over]);
        check_one("src/a.rs", &long, "# why\n\n601 src/a.rs\n", &[]);
        check_one("src/a.rs", &fine, "", &[]);
        check_one("src/a.rs", &tested, "", &[]);
        check_one("src/tests.rs", &long, "", &[]);
        check_one("tests/a.rs", &long, "", &[]);
    }

    #[test]
    fn functions() {
        let text = format!("{}{}", function("b", 101), function("c", 100));
        let over = "src/a.rs:1: `src/a.rs::b` has 101 lines, 100 are allowed; split it into parts with names";
        check_one("src/a.rs", &text, "", &[over]);
        check_one("src/a.rs", &text, "101 src/a.rs::b\n", &[]);
        let twice = format!("{}{}", function("b", 101), function("b", 105));
        check_one("src/a.rs", &twice, "105 src/a.rs::b\n", &[]);
        assert_eq!(summary(&Tree::of(&[("src/a.rs", &text)])), "2 of 2 functions are longer than 60 lines");
    }

    #[test]
    fn the_ratchet_only_tightens() {
        let text = function("b", 110);
        let grown = "src/a.rs:1: `src/a.rs::b` has grown from 105 to 110 lines; \
                     make it shorter, not the list's number";
        let loose = "xtask/ratchet.txt:1: `src/a.rs::b` has only 110 lines now, not 120; \
                     write 110 here, so that it stays so";
        let stale = "xtask/ratchet.txt:2: `src/gone.rs` is no longer too long; remove this line";
        let twice = "xtask/ratchet.txt:2: `src/a.rs::b` is listed twice; keep one line";
        let garbled = "xtask/ratchet.txt:2: `src/a.rs 9` is not understood; \
                       write `640 path/file.rs` or `120 path/file.rs::name`";
        check_one("src/a.rs", &text, "105 src/a.rs::b\n", &[grown]);
        check_one("src/a.rs", &text, "120 src/a.rs::b\n", &[loose]);
        check_one("src/a.rs", &text, "110 src/a.rs::b\n700 src/gone.rs\n", &[stale]);
        check_one("src/a.rs", &text, "110 src/a.rs::b\n110 src/a.rs::b\n", &[twice]);
        check_one("src/a.rs", &text, "110 src/a.rs::b\nsrc/a.rs 9\n", &[garbled]);
    }
}

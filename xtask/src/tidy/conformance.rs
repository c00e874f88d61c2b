//! The list of promised behaviours, `spec/conformance.md`, and whether each is shown by something that exists.
//!
//! A row is `| id | behaviour | shown by |`. The last cell names its proof in backticks: `case:NAME` for a file
//! in `spec/cases`, `test:PATH::NAME` for a test function, `doc:PATH` for a page. A row may also say
//! "difference", with a reason and a proof of what we do, or "out of scope", with a reason.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{Function, Source};
use super::tree::Tree;

const LIST: &str = "spec/conformance.md";

/// Series, first number, last number.
const REQUIRED: &[(&str, u8, u8)] = &[
    ("A1", 1, 47),
    ("A2", 1, 9),
    ("A3", 1, 8),
    ("A3", 10, 16),
    ("A3", 19, 19),
    ("A3", 32, 40),
    ("A3", 42, 61),
    ("B-AP", 1, 4),
    ("B-AU", 1, 20),
    ("B-BT", 1, 1),
    ("B-DR", 1, 7),
    ("B-FW", 1, 13),
    ("B-ID", 1, 3),
    ("B-KS", 1, 5),
    ("B-RD", 1, 2),
    ("B-RL", 1, 3),
    ("B-SB", 1, 8),
    ("B-TR", 1, 3),
    ("C", 1, 15),
    ("C", 17, 30),
];

struct Row<'t> {
    line: usize,
    id: &'t str,
    cells: Vec<&'t str>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(LIST) else {
        return vec![Finding::new(LIST, 1, "this file is missing; it lists what is promised and what shows it")];
    };
    let rows = rows(text);
    let mut findings = check_ids(&rows, &required());
    for row in &rows {
        let found = |message| Finding::new(LIST, row.line, format!("{}: {message}", row.id));
        findings.extend(check_row(row, tree).into_iter().map(found));
    }
    findings
}

fn required() -> Vec<String> {
    let ids = |(series, first, last)| (first..=last).map(move |number: u8| format!("{series}-{number:02}"));
    REQUIRED.iter().copied().flat_map(ids).collect()
}

/// Every required id once, and no other.
fn check_ids(rows: &[Row<'_>], required: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = BTreeMap::new();
    for Row { line, id, .. } in rows {
        if !required.iter().any(|required| required == id) {
            findings.push(Finding::new(LIST, *line, format!("{id}: no such id is required; correct it")));
        }
        if let Some(first) = seen.insert(*id, *line) {
            findings.push(Finding::new(LIST, *line, format!("{id}: already on line {first}; join the rows")));
        }
    }
    for id in required.iter().filter(|id| !seen.contains_key(id.as_str())) {
        findings.push(Finding::new(LIST, 1, format!("{id}: no row; add one that says what shows it")));
    }
    findings
}

/// Everything that is wrong with one row.
fn check_row(row: &Row<'_>, tree: &Tree) -> Vec<String> {
    let [_, _, shown] = row.cells[..] else {
        return vec![format!("{} cells; write `| id | behaviour | shown by |`", row.cells.len())];
    };
    let references: Vec<_> = code_spans(shown).filter_map(Reference::read).collect();
    let mut wrong: Vec<String> = references.iter().filter_map(|reference| reference.problem(tree)).collect();
    wrong.extend(claim_problem(&prose(shown), &references).map(str::to_owned));
    wrong
}

/// What the references are worth for what the row claims.
fn claim_problem(claim: &str, references: &[Reference<'_>]) -> Option<&'static str> {
    if let Some((_, reason)) = claim.split_once("out of scope") {
        return (!is_reason(reason)).then_some("out of scope for what reason? write it there");
    }
    if let Some((_, reason)) = claim.split_once("difference") {
        if !is_reason(reason) {
            return Some("a difference for what reason? write it there");
        }
        let is_shown = references.iter().any(|reference| !matches!(reference, Reference::Doc(_)));
        return (!is_shown).then_some("a difference that nothing shows; name the test or case of what we do");
    }
    references.is_empty().then_some("nothing shows it; name a `case:NAME`, `test:PATH::NAME` or `doc:PATH`")
}

/// The rows of all tables whose first cell is an id.
fn rows(text: &str) -> Vec<Row<'_>> {
    let tables = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with('|'));
    let rows = tables.map(|(index, line)| (index + 1, cells(line)));
    rows.filter_map(|(line, cells)| {
        let id = cells.first()?.trim_matches(['`', '*']);
        is_id(id).then_some(Row { line, id, cells })
    })
    .collect()
}

/// `A1-07`, `B-FW-07`: letters and digits, a dash, a number.
fn is_id(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(series, number)| {
        series.starts_with(|char: char| char.is_ascii_uppercase())
            && series.len() <= 4
            && series.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '-')
            && number.len() == 2
            && number.chars().all(|char| char.is_ascii_digit())
    })
}

/// Splits a row at its bars; one in backticks or after a backslash is text.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').unwrap_or(line);
    let (mut in_code, mut escaped) = (false, false);
    let parts = line.split(|char| {
        let splits = char == '|' && !in_code && !escaped;
        in_code ^= char == '`';
        escaped = char == '\\';
        splits
    });
    parts.map(str::trim).collect()
}

fn code_spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// A cell's words in small letters, without what stands in backticks.
fn prose(cell: &str) -> String {
    cell.split('`').step_by(2).collect::<String>().to_lowercase()
}

/// Two words are the least that can be a reason.
fn is_reason(text: &str) -> bool {
    text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count() >= 2
}

/// Where a behaviour is shown.
enum Reference<'t> {
    Case(&'t str),
    /// `PATH::NAME`
    Test(&'t str),
    Doc(&'t str),
}

impl<'t> Reference<'t> {
    fn read(span: &'t str) -> Option<Self> {
        let (kind, rest) = span.split_once(':')?;
        match kind {
            "case" => Some(Self::Case(rest)),
            "test" => Some(Self::Test(rest)),
            "doc" => Some(Self::Doc(rest)),
            _ => None,
        }
    }

    fn problem(&self, tree: &Tree) -> Option<String> {
        match self {
            Self::Case(name) => {
                let path = format!("spec/cases/{name}.json");
                tree.text(&path).is_none().then(|| format!("`case:{name}`: there is no {path}; correct the name"))
            }
            Self::Doc(page) => {
                let path = page.split('#').next().unwrap_or_default();
                tree.text(path).is_none().then(|| format!("`doc:{page}`: there is no such file; correct the path"))
            }
            Self::Test(test) => test_problem(test, tree),
        }
    }
}

fn test_problem(test: &str, tree: &Tree) -> Option<String> {
    let Some((path, name)) = test.split_once("::") else {
        return Some(format!("`test:{test}`: which test? write `test:PATH::NAME`"));
    };
    let Some(source) = tree.source(path) else {
        return Some(format!("`test:{test}`: there is no Rust file {path}; correct the path"));
    };
    let mut named = source.functions().filter(|function| function.name == name);
    let help = "correct the name, or mark the function #[test]";
    (!named.any(|function| is_test(source, &function))).then(|| format!("`test:{test}`: no such test; {help}"))
}

/// Whether a function has a test attribute or stands in a `proptest!`.
fn is_test(source: &Source, function: &Function) -> bool {
    let above = source.lines[..function.start].iter().rev().map(|line| line.code.trim());
    let mut attributes = above.take_while(|code| code.is_empty() || code.starts_with('#'));
    let is_marked = attributes.any(|code| code.contains("test]") || code.contains("test("));
    let mut macros = source.lines.iter().enumerate().filter(|(_, line)| line.code.contains("proptest! {"));
    is_marked || macros.any(|(start, _)| (start..=source.item_end(start, 0).0).contains(&function.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "\
#[test]
fn plain() {}

#[tokio::test(flavor = \"current_thread\")]
async fn waits() {}

proptest! {
    #![proptest_config(x)]
    fn holds(a in 0..9) {}
}

fn helper() {}
";

    fn check_cell(shown: &str, expected: &[&str]) {
        let tree =
            Tree::of(&[("spec/cases/deny.json", "{}\n"), ("crates/a/tests/b.rs", TESTS), ("docs/c.md", "# C\n")]);
        let line = format!("| A1-01 | it stops | {shown} |");
        let rows = rows(&line);
        assert_eq!(rows.len(), 1, "{line}");
        assert_eq!(check_row(&rows[0], &tree), expected, "{line}");
    }

    #[test]
    fn proofs_that_exist() {
        for shown in [
            "`case:deny`",
            "`test:crates/a/tests/b.rs::plain`",
            "`test:crates/a/tests/b.rs::waits`, `doc:docs/c.md`",
            "`test:crates/a/tests/b.rs::holds`",
            "see `doc:docs/c.md#part`",
            "difference: a denial names the rule; `case:deny`",
            "Difference (`case:deny`): one order for all surfaces",
            "out of scope: the agent draws its own windows",
        ] {
            check_cell(shown, &[]);
        }
    }

    #[test]
    fn proofs_that_do_not() {
        for (shown, expected) in [
            ("", "nothing shows it; name a `case:NAME`, `test:PATH::NAME` or `doc:PATH`"),
            ("by design", "nothing shows it; name a `case:NAME`, `test:PATH::NAME` or `doc:PATH`"),
            ("`case:dney`", "`case:dney`: there is no spec/cases/dney.json; correct the name"),
            ("`doc:d.md`", "`doc:d.md`: there is no such file; correct the path"),
            ("`test:b.rs`", "`test:b.rs`: which test? write `test:PATH::NAME`"),
            ("`test:b.rs::a`", "`test:b.rs::a`: there is no Rust file b.rs; correct the path"),
            (
                "`test:crates/a/tests/b.rs::helper`",
                "`test:crates/a/tests/b.rs::helper`: no such test; correct the name, or mark the function #[test]",
            ),
            ("difference: `case:deny`", "a difference for what reason? write it there"),
            (
                "difference: ours is stricter, `doc:docs/c.md`",
                "a difference that nothing shows; name the test or case of what we do",
            ),
            ("out of scope", "out of scope for what reason? write it there"),
        ] {
            check_cell(shown, &[expected]);
        }
    }

    #[test]
    fn rows_of_tables() {
        let text = "\
# A1-01 is not a row
| id | behaviour | shown by |
|---|---|---|
| A1-01 | `a | b` and a \\| b | `case:deny` |
| `C-15` | last |
| other-01 | not an id | |
";
        let found: Vec<_> = rows(text).into_iter().map(|row| (row.line, row.id, row.cells.len())).collect();
        assert_eq!(found, [(4, "A1-01", 3), (5, "C-15", 2)]);
        let short = check_row(&rows(text)[1], &Tree::default());
        assert_eq!(short, ["2 cells; write `| id | behaviour | shown by |`"]);
    }

    #[test]
    fn every_id_once() {
        let rows = rows("| A1-01 | a | b |\n| A1-01 | a | b |\n| A9-01 | a | b |\n");
        let findings = check_ids(&rows, &["A1-01".to_owned(), "A1-02".to_owned()]);
        let found: Vec<_> = findings.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
        let expected = [
            (2, "A1-01: already on line 1; join the rows"),
            (3, "A9-01: no such id is required; correct it"),
            (1, "A1-02: no row; add one that says what shows it"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn required_ids() {
        let ids = required();
        assert_eq!(ids.len(), 47 + 9 + 8 + 7 + 1 + 9 + 20 + 40 + 23 + 5 + 1 + 15 + 14);
        assert_eq!((ids[0].as_str(), ids[ids.len() - 1].as_str()), ("A1-01", "C-30"));
    }

    #[test]
    fn a_missing_list_is_one_finding() {
        assert_eq!(check(&Tree::default()).len(), 1);
    }
}

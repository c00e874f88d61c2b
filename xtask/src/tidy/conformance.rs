//! The list of promised behaviours, `spec/conformance.md`, and whether each is shown by something that exists.
//!
//! A row is `| id | behaviour | shown by |`. The last cell names its proof in backticks: `case:NAME` for a file
//! in `spec/cases`, `test:PATH::NAME` for a test function, `doc:PATH` for a page. A row may also say
//! "difference", with a reason and a proof of what we do, or "out of scope", with a reason.
//!
//! The page also counts: `| part | behaviours | without a row | why |` says of every part how many behaviours it has and
//! which of them have no row yet. Rows and exceptions together must be all numbers from 1, each once.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{Function, Source};
use super::tree::Tree;

const LIST: &str = "spec/conformance.md";

struct Row<'t> {
    line: usize,
    id: &'t str,
    cells: Vec<&'t str>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(LIST) else {
        return vec![Finding::new(LIST, 1, "this file is missing; it lists what is promised and what shows it")];
    };
    let (rows, counts) = (rows(text), counts(text));
    let mut findings = check_ids(&rows, &counts);
    for row in &rows {
        let found = |message| Finding::new(LIST, row.line, format!("{}: {message}", row.id));
        findings.extend(check_row(row, tree).into_iter().map(found));
    }
    findings
}

/// What the page says of one part: how many behaviours it has, and which of them have no row.
struct Count<'t> {
    line: usize,
    part: &'t str,
    all: u8,
    without: Vec<u8>,
    why: &'t str,
}

impl Count<'_> {
    /// The ids that must have a row.
    fn required(&self) -> impl Iterator<Item = String> {
        let numbers = (1..=self.all).filter(|number| !self.without.contains(number));
        numbers.map(|number| format!("{}-{number:02}", self.part))
    }
}

/// The rows of tables that count: a part, a number, numbers, why.
fn counts(text: &str) -> Vec<Count<'_>> {
    let rows = text.lines().enumerate().filter(|(_, line)| line.starts_with('|'));
    let count = |(index, line)| match cells(line)[..] {
        [part, all, without, why] => {
            let (all, without) = (all.parse().ok()?, numbers(without)?);
            Some(Count { line: index + 1, part, all, without, why })
        }
        _ => None,
    };
    rows.filter_map(count).collect()
}

/// `9, 17, 20-31`
fn numbers(text: &str) -> Option<Vec<u8>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    let ranges: Option<Vec<std::ops::RangeInclusive<u8>>> = parts.map(range).collect();
    Some(ranges?.into_iter().flatten().collect())
}

/// Every id that the page counts once, and no other.
fn check_ids(rows: &[Row<'_>], counts: &[Count<'_>]) -> Vec<Finding> {
    let required: Vec<String> = counts.iter().flat_map(Count::required).collect();
    let mut findings = Vec::new();
    let mut seen = BTreeMap::new();
    for Row { line, id, .. } in rows {
        if !required.iter().any(|required| required == id) {
            let message = format!("{id}: its part is not said to have it; correct it, or what is counted");
            findings.push(Finding::new(LIST, *line, message));
        }
        if let Some(first) = seen.insert(*id, *line) {
            findings.push(Finding::new(LIST, *line, format!("{id}: already on line {first}; join the rows")));
        }
    }
    for Count { line, part, .. } in counts.iter().filter(|count| !count.without.is_empty() && !is_reason(count.why)) {
        findings.push(Finding::new(LIST, *line, format!("{part}: without a row for what reason? write it there")));
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
        let text = "\
| part | behaviours | without a row | why |
|---|---|---|---|
| A1 | 2 | | |
| B | 6 | 2, 4-5 | no surface yet |
| C | 1 | 1 | later |
| A1-01 | a | b |
| A1-01 | a | b |
| A1-03 | a | b |
| A9-01 | a | b |
| B-01 | a | b |
| B-04 | a | b |
";
        let findings = check_ids(&rows(text), &counts(text));
        let found: Vec<_> = findings.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
        let expected = [
            (7, "A1-01: already on line 6; join the rows"),
            (8, "A1-03: its part is not said to have it; correct it, or what is counted"),
            (9, "A9-01: its part is not said to have it; correct it, or what is counted"),
            (11, "B-04: its part is not said to have it; correct it, or what is counted"),
            (5, "C: without a row for what reason? write it there"),
            (1, "A1-02: no row; add one that says what shows it"),
            (1, "B-03: no row; add one that says what shows it"),
            (1, "B-06: no row; add one that says what shows it"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_missing_list_is_one_finding() {
        assert_eq!(check(&Tree::default()).len(), 1);
    }
}

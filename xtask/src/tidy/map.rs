//! The map in ARCHITECTURE.md says of each crate what it depends on: exactly what its manifest says, tests apart. Our own
//! crates come first and without their prefix, then the others, each in order.

use serde_json::Value;

use super::Finding;
use super::arrows::{Package, packages};
use super::tree::Tree;

const MAP: &str = "ARCHITECTURE.md";

/// A row about one crate: `crates/shell`, its line, and its last cell.
struct Row<'t> {
    folder: &'t str,
    line: usize,
    depends: &'t str,
}

pub(super) fn check(tree: &Tree, metadata: &Value) -> Vec<Finding> {
    let rows: Vec<Row<'_>> = rows(tree.text(MAP).unwrap_or_default()).collect();
    let packages = packages(metadata);
    let ours: Vec<&str> = packages.iter().map(|package| package.name).collect();
    let crates: Vec<(&str, String)> =
        packages.iter().filter_map(|package| Some((folder(package)?, depends(package, &ours)))).collect();
    let mapped = crates.iter().flat_map(|(folder, depends)| check_crate(folder, depends, &rows));
    let gone = rows.iter().filter(|row| crates.iter().all(|(folder, _)| *folder != row.folder));
    mapped.chain(gone.map(|row| finding(row, format!("there is no `{}`; delete this row", row.folder)))).collect()
}

fn check_crate(folder: &str, depends: &str, rows: &[Row<'_>]) -> Vec<Finding> {
    let mut found = rows.iter().filter(|row| row.folder == folder).peekable();
    if found.peek().is_none() {
        let row = format!("| `{folder}` | … | {depends} |");
        return vec![Finding::new(MAP, 1, format!("the map has no row for `{folder}`; add `{row}`"))];
    }
    let wrong = found.filter(|row| row.depends != depends);
    let message = format!("what `{folder}` depends on is in its manifest; the last cell must be `{depends}`");
    wrong.map(|row| finding(row, message.clone())).collect()
}

fn finding(row: &Row<'_>, message: String) -> Finding {
    Finding::new(MAP, row.line, message)
}

fn rows(map: &str) -> impl Iterator<Item = Row<'_>> {
    map.lines().enumerate().filter_map(|(index, line)| {
        let cells = line.strip_prefix("| `")?.strip_suffix('|')?;
        let (folder, rest) = cells.split_once("` |")?;
        let depends = rest.rsplit_once('|')?.1.trim();
        folder.starts_with("crates/").then_some(Row { folder, line: index + 1, depends })
    })
}

/// The folder of a crate; none for what is no crate of the product.
fn folder<'p>(package: &Package<'p>) -> Option<&'p str> {
    package.manifest.strip_suffix("/Cargo.toml").filter(|folder| folder.starts_with("crates/"))
}

fn depends(package: &Package<'_>, ours: &[&str]) -> String {
    let (mut own, mut others): (Vec<&str>, Vec<&str>) = package.uses.iter().partition(|used| ours.contains(used));
    for names in [&mut own, &mut others] {
        names.sort_unstable();
        names.dedup();
    }
    let own = own.into_iter().map(|name| name.strip_prefix("tollgate-").unwrap_or(name));
    own.chain(others).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tidy::printed;

    /// Findings for a workspace with a `crates/user` that uses something of everything, and with this map.
    fn findings(rows: &[&str]) -> Vec<String> {
        let map = rows.join("\n") + "\n";
        let uses = |name: &str, kind: Option<&str>, optional| json!({"name": name, "kind": kind, "optional": optional});
        let metadata = json!({"workspace_root": "/repo", "packages": [
            {"name": "tollgate-user", "manifest_path": "/repo/crates/user/Cargo.toml", "dependencies": [
                uses("zeroize", None, true),
                uses("tollgate-wire", None, false),
                uses("serde", None, false),
                uses("tollgate", None, true),
                uses("proptest", Some("dev"), false),
                uses("tollgate-kit", Some("dev"), false),
                uses("cc", Some("build"), false),
                uses("serde", Some("build"), false),
            ]},
            {"name": "tollgate-wire", "manifest_path": "/repo/crates/wire/Cargo.toml", "dependencies": []},
            {"name": "tollgate", "manifest_path": "/repo/crates/tollgate/Cargo.toml", "dependencies": []},
            {"name": "tollgate-kit", "manifest_path": "/repo/kit/Cargo.toml", "dependencies": [uses("serde", None, false)]},
        ]});
        printed(&check(&Tree::of(&[(MAP, &map)]), &metadata))
    }

    const RIGHT: &str = "| `crates/user` | Uses | all. | tollgate, wire, cc, serde, zeroize |";
    const WIRE: &str = "| `crates/wire` | Bytes. | |";
    const TOLLGATE: &str = "| `crates/tollgate` | Façade. |  |";
    const KIT: &str = "| `kit/` | Not of the product. | anything |";

    #[test]
    fn the_last_cell_is_what_the_manifest_says() {
        assert_eq!(findings(&["# Map", RIGHT, WIRE, TOLLGATE, KIT]), [""; 0]);
        let expected = "ARCHITECTURE.md:2: what `crates/user` depends on is in its manifest; \
                        the last cell must be `tollgate, wire, cc, serde, zeroize`";
        for cell in [
            "",
            "tollgate, wire, cc, serde",
            "tollgate, wire, cc, serde, zeroize, proptest",
            "wire, tollgate, cc, serde, zeroize",
            "tollgate, `wire`, cc, serde, zeroize",
            "tollgate-wire, tollgate, cc, serde, zeroize",
        ] {
            let row = format!("| `crates/user` | Uses all. | {cell} |");
            assert_eq!(findings(&[KIT, &row, WIRE, TOLLGATE]), [expected], "{cell}");
        }
    }

    #[test]
    fn every_crate_has_a_row_and_every_row_a_crate() {
        let missing = "ARCHITECTURE.md:1: the map has no row for `crates/user`; \
                       add `| `crates/user` | … | tollgate, wire, cc, serde, zeroize |`";
        assert_eq!(findings(&[WIRE, TOLLGATE]), [missing]);
        let gone = "ARCHITECTURE.md:4: there is no `crates/old`; delete this row";
        assert_eq!(findings(&[RIGHT, WIRE, TOLLGATE, "| `crates/old` | Was here. | wire |"]), [gone]);
    }
}

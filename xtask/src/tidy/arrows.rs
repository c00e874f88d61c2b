//! Which crate may use which. The table below is the whole rule.

use serde_json::Value;

use super::Finding;
use super::tree::Tree;
use crate::{Result, cargo};

const ANYTHING: u8 = u8::MAX;
/// Crates that nothing in the stack may use.
const TOP: u8 = 10;

/// Package, the level it stands on, its reach: it may use whatever stands below its reach. For most that is
/// their own level, so neighbours do not know each other. Some crates of the design have a place and do not exist yet.
const STACK: &[(&str, u8, u8)] = &[
    ("tollgate-core", 0, 0),
    ("tollgate-clock", 1, 1),
    ("tollgate-wire", 1, 1),
    ("tollgate-shell", 2, 2),
    ("tollgate-secrets", 2, 2),
    ("tollgate-process", 2, 2),
    // The façade stands low: a library user brings the surface, and the agent runtime stands on it.
    ("tollgate", 2, 2),
    ("tollgate-rules", 3, 3),
    ("tollgate-audit", 3, 3),
    ("tollgate-sandbox", 3, 3),
    ("tollgate-host-command", 3, 3),
    ("tollgate-host-js", 3, 3),
    ("tollgate-host-wasm", 3, 3),
    ("tollgate-host-http", 3, 3),
    ("tollgate-config", 4, 4),
    ("tollgate-engine", 5, 5),
    ("tollgate-serve", 6, 6),
    ("tollgate-settings", 6, 6),
    ("tollgate-hook", 7, 7),
    ("tollgate-mcp", 7, 7),
    ("tollgate-model", 7, 7),
    ("tollgate-agent", 8, 8),
    ("tollgate-cli", 9, 9),
    ("tollgate-testkit", TOP, 2),
    ("tollgate-benches", TOP, ANYTHING),
    ("tollgate-fuzz", TOP, ANYTHING),
    ("tollgate-trials", TOP, ANYTHING),
    ("xtask", TOP, 0),
];

const CORE: &str = "tollgate-core";
/// All that core may name in its manifest.
const CORE_USES: &[&str] = &["serde_json"];
/// What core must not get through a dependency either: runtimes and anything slow to build.
const CORE_NEVER: &[&str] = &["tokio", "tracing", "regex", "serde_derive", "http"];
/// Everything core is built from.
pub(super) const CORE_TREE: &str = "tree -p tollgate-core -e normal --prefix none";

pub(super) struct Package<'m> {
    pub(super) name: &'m str,
    /// Its path from the root.
    pub(super) manifest: &'m str,
    /// What it is built from; what only its tests use may come from anywhere.
    pub(super) uses: Vec<&'m str>,
}

pub(super) fn check(tree: &Tree, metadata: &Value) -> Vec<Finding> {
    let packages = packages(metadata);
    let ours: Vec<&str> = packages.iter().map(|package| package.name).collect();
    packages.iter().flat_map(|package| check_package(package, &ours, tree)).collect()
}

fn check_package(package: &Package<'_>, ours: &[&str], tree: &Tree) -> Vec<Finding> {
    let Package { name, manifest, uses } = package;
    let text = tree.text(manifest).unwrap_or_default();
    let mut findings = Vec::new();
    let mut found = |key, message| findings.push(Finding::new(manifest, line_of(text, key), message));
    if place(name).is_none() {
        found("name", format!("`{name}` has no place in the stack; give it one in xtask/src/tidy/arrows.rs"));
    }
    for used in uses {
        if ours.contains(used) && !may_use(name, used) {
            let help = "move what both need further down, or make it a dev-dependency if only tests need it";
            found(used, format!("`{used}` does not stand below `{name}`, which may not use it; {help}"));
        }
        if *name == CORE && !CORE_USES.contains(used) {
            let help = "define a small trait in core and supply this from a crate above";
            found(used, format!("core may use {} only, not `{used}`; {help}", CORE_USES.join(", ")));
        }
    }
    findings
}

/// Looks through the output of [`CORE_TREE`].
pub(super) fn check_core_tree(output: Result<String>) -> Vec<Finding> {
    let found = |message: String| Finding::new("crates/core/Cargo.toml", 1, message);
    let output = match output {
        Ok(output) => output,
        Err(error) => return vec![found(error)],
    };
    let packages = output.lines().filter_map(|line| line.split_whitespace().next());
    let mut unwanted: Vec<&str> = packages.filter(|name| CORE_NEVER.contains(name)).collect();
    unwanted.sort_unstable();
    unwanted.dedup();
    let message =
        |name| format!("core is built with `{name}`; `cargo tree -p {CORE} -i {name}` shows who brings it in");
    unwanted.into_iter().map(|name| found(message(name))).collect()
}

fn place(package: &str) -> Option<(u8, u8)> {
    STACK.iter().find(|(name, ..)| *name == package).map(|&(_, level, reach)| (level, reach))
}

/// A crate without a place is reported once, not again for each of its arrows.
fn may_use(user: &str, used: &str) -> bool {
    match (place(user), place(used)) {
        (Some((_, reach)), Some((level, _))) => level < reach,
        _ => true,
    }
}

pub(super) fn packages(metadata: &Value) -> Vec<Package<'_>> {
    let root = cargo::text(metadata, "workspace_root");
    let package = |package| {
        let path = cargo::text(package, "manifest_path");
        let manifest = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
        let uses = cargo::list(package, "dependencies").filter(|used| cargo::text(used, "kind") != "dev");
        let uses = uses.map(|used| cargo::text(used, "name")).collect();
        Package { name: cargo::text(package, "name"), manifest, uses }
    };
    cargo::list(metadata, "packages").map(package).collect()
}

/// The line of a manifest that starts with this key.
fn line_of(manifest: &str, key: &str) -> usize {
    let starts = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    manifest.lines().position(starts).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tidy::printed;

    /// Findings for a workspace of two crates, one of which uses the other.
    fn findings(user: &str, used: &str, kind: Option<&str>) -> Vec<String> {
        let tree = Tree::of(&[("user/Cargo.toml", &format!("[dependencies]\n{used}.workspace = true\n"))]);
        let metadata = json!({"workspace_root": "/repo", "packages": [
            {"name": user, "manifest_path": "/repo/user/Cargo.toml", "dependencies": [{"name": used, "kind": kind}]},
            {"name": used, "manifest_path": "/repo/used/Cargo.toml", "dependencies": []},
        ]});
        printed(&check(&tree, &metadata))
    }

    #[test]
    fn arrows_point_down() {
        for (user, used, allowed) in [
            ("tollgate-wire", "tollgate-core", true),
            ("tollgate-core", "tollgate-wire", false),
            ("tollgate-engine", "tollgate-host-js", true),
            ("tollgate-shell", "tollgate-rules", false),
            ("tollgate-hook", "tollgate-mcp", false),
            ("tollgate-cli", "tollgate-hook", true),
            ("tollgate-cli", "tollgate-testkit", false),
            ("tollgate", "tollgate-wire", true),
            ("tollgate", "tollgate-secrets", false),
            ("tollgate", "tollgate-engine", false),
            ("tollgate-secrets", "tollgate", false),
            ("tollgate-host-js", "tollgate", true),
            ("tollgate-agent", "tollgate", true),
            ("tollgate-host-command", "tollgate-process", true),
            ("tollgate-process", "tollgate-host-command", false),
            ("tollgate-settings", "tollgate-engine", true),
            ("tollgate-settings", "tollgate-serve", false),
            ("tollgate-engine", "tollgate-settings", false),
            ("tollgate-mcp", "tollgate-settings", true),
            ("tollgate-mcp", "tollgate-model", false),
            ("tollgate-model", "tollgate-hook", false),
            ("tollgate-agent", "tollgate-mcp", true),
            ("tollgate-agent", "tollgate-model", true),
            ("tollgate-mcp", "tollgate-agent", false),
            ("tollgate-cli", "tollgate-agent", true),
            ("tollgate-testkit", "tollgate-wire", true),
            ("tollgate-testkit", "tollgate-rules", false),
            ("tollgate-benches", "tollgate-testkit", true),
            ("tollgate-benches", "tollgate-cli", true),
            ("xtask", "tollgate-core", false),
        ] {
            assert_eq!(findings(user, used, None).is_empty(), allowed, "{user} uses {used}");
            assert_eq!(findings(user, used, Some("dev")), [""; 0], "the tests of {user} use {used}");
        }
    }

    #[test]
    fn findings_say_where_and_what_to_do() {
        let expected = "user/Cargo.toml:2: `tollgate-mcp` does not stand below `tollgate-hook`, which may not use it; \
                        move what both need further down, or make it a dev-dependency if only tests need it";
        assert_eq!(findings("tollgate-hook", "tollgate-mcp", None), [expected]);
        let expected = "used/Cargo.toml:1: `tollgate-new` has no place in the stack; \
                        give it one in xtask/src/tidy/arrows.rs";
        assert_eq!(findings("tollgate-cli", "tollgate-new", Some("build")), [expected]);
    }

    #[test]
    fn core_stays_small() {
        let metadata = json!({"packages": [{"name": "tollgate-core", "manifest_path": "Cargo.toml", "dependencies": [
            {"name": "serde_json", "kind": null},
            {"name": "proptest", "kind": "dev"},
            {"name": "memchr", "kind": null},
        ]}]});
        let expected = "Cargo.toml:1: core may use serde_json only, not `memchr`; \
                        define a small trait in core and supply this from a crate above";
        assert_eq!(printed(&check(&Tree::default(), &metadata)), [expected]);
    }

    #[test]
    fn core_stays_light() {
        let fine = "tollgate-core v0.1.0 (/repo/crates/core)\nserde_json v1.0.154\nhttparse v1.0.0\n";
        assert_eq!(check_core_tree(Ok(fine.to_owned())), []);
        let heavy = "tollgate-core v0.1.0\ntokio v1.0.0\nserde_derive v1.0.0 (proc-macro)\ntokio v1.0.0 (*)\n";
        let expected = ["serde_derive", "tokio"].map(|name| {
            let help = format!("`cargo tree -p tollgate-core -i {name}` shows who brings it in");
            format!("crates/core/Cargo.toml:1: core is built with `{name}`; {help}")
        });
        assert_eq!(printed(&check_core_tree(Ok(heavy.to_owned()))), expected);
        assert_eq!(check_core_tree(Err("no cargo".to_owned())).len(), 1);
    }
}

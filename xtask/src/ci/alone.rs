//! Each crate checked as if nothing else were there.
//!
//! In a workspace a crate sees features of its dependencies that only somebody else turned on; alone it would not
//! compile. What a crate can see are its own features and those of the crates it names. So a crate whose features, and
//! whose dependencies' features, are the same alone as in something that was checked before needs no check of its own:
//! of 17 crates, three are left, and a third of the time.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Result, cargo};

/// Packages and the features each is built with. One that is built twice, as for a macro, has both.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Checks what must be checked alone. The lints have seen all of them together.
pub(super) fn run() -> Result {
    let metadata = cargo::metadata()?;
    let mut crates = Vec::new();
    for package in cargo::list(&metadata, "packages") {
        let name = cargo::text(package, "name");
        crates.push((name, features(&format!("-p {name} -e normal,build"))?));
    }
    // What is made of much shows much: the parts of it rarely need a check after that.
    crates.sort_by_key(|(name, all)| (std::cmp::Reverse(all.len()), *name));
    let mut checked = vec![features("--workspace -e all")?];
    for (name, all) in crates {
        let sees = features(&format!("-p {name} -e normal,build --depth 1"))?;
        if checked.iter().any(|before| covers(before, &sees)) {
            continue;
        }
        println!("{name}");
        cargo::run(&format!("check -q -p {name}"))?;
        checked.push(all);
    }
    Ok(())
}

fn features(what: &str) -> Result<Features> {
    Ok(parsed(&cargo::output(&format!("tree {what} --prefix none -f {{p}}|{{f}}"))?))
}

/// Reads lines such as `regex v1.13.1|perf,std (*)`.
fn parsed(tree: &str) -> Features {
    let mut features = Features::new();
    for (package, rest) in tree.lines().filter_map(|line| line.split_once('|')) {
        let list = rest.split(' ').next().unwrap_or_default();
        features.entry(package.replace(" (proc-macro)", "")).or_default().insert(list.to_owned());
    }
    features
}

/// Whether everything a crate sees was there with the same features, and no others.
fn covers(before: &Features, sees: &Features) -> bool {
    sees.iter().all(|(package, features)| before.get(package) == Some(features))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_features_of_what_a_crate_names_need_a_check() {
        let workspace =
            parsed("a v1|x\nregex v1|perf,std\nsyn v2|full\nsyn v2|full,visit (*)\nserde_derive v1 (proc-macro)|\n");
        for (sees, covered) in [
            ("a v1|x\nregex v1|perf,std (*)\n", true),
            ("a v1|x\nserde_derive v1 (proc-macro)|\n", true),
            ("a v1|\n", false),
            ("a v1|x\nregex v1|std\n", false),
            // Nobody can tell which of the two it would be.
            ("a v1|x\nsyn v2|full\n", false),
            ("b v1|\n", false),
        ] {
            assert_eq!(covers(&workspace, &parsed(sees)), covered, "{sees}");
        }
    }
}

//! The house rules, as checks. Each looks at the tree of files as data and returns findings; all run, and
//! all findings are printed, so that one run shows everything there is to mend.

mod arrows;
mod bans;
mod budget;
mod conformance;
mod generated;
mod map;
mod sizes;
mod source;
mod text;
mod tree;
mod verdicts;

use std::fmt;

use crate::{Result, built, cargo};
use tree::Tree;

/// Something to mend: where, what, and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from one; 1 for what concerns a file as a whole.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Runs every check on the current folder.
pub(crate) fn run() -> Result {
    let tree = Tree::read(".".as_ref())?;
    let metadata = cargo::metadata()?;
    let mut findings = arrows::check(&tree, &metadata);
    findings.extend(map::check(&tree, &metadata));
    findings.extend(arrows::check_core_tree(cargo::output(arrows::CORE_TREE)));
    findings.extend(sizes::check(&tree));
    findings.extend(budget::check(&tree));
    findings.extend(bans::check(&tree));
    findings.extend(conformance::check(&tree));
    findings.extend(text::check(&tree));
    findings.extend(verdicts::check(&tree));
    findings.extend(built::generators(&["--check"])?.into_iter().flat_map(generated::check));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} files read; {}", tree.texts().count(), sizes::summary(&tree));
    match findings.len() {
        0 => Ok(()),
        1 => Err("tidy has 1 finding, printed above; `cargo xtask tidy` shows it again".to_owned()),
        count => Err(format!("tidy has {count} findings, printed above; `cargo xtask tidy` shows them again")),
    }
}

/// Findings as they are printed, for tests.
#[cfg(test)]
fn printed(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(Finding::to_string).collect()
}

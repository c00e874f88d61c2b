//! What is enforced, and from where.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollgate_rules::form::{Dedupe, Exception, Limit, Loop, Matcher, Mode, Override, Require, Rule, Taught};
use tollgate_rules::{Lesson, Mistake, RuleSet, Step};

use crate::audit::Audit;
use crate::cached;
use crate::checks::Checks;
use crate::diagnostic::{Diagnostic, Diagnostics, Text};
use crate::file::File;
use crate::form::{Ambiguous, Unknown};
use crate::hook::Hook;
use crate::read;

/// Something from a file that knows where it stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Placed<T> {
    /// What is written.
    pub form: T,
    /// Who wrote it: `machine`, `user`, `project`, or `pack git-safety`.
    pub origin: Arc<str>,
    /// Where it stands: the number of the text in the plan, then the path in it. What is given to a compiler as a
    /// path comes back in its [`Mistake`]s, and [`Plan::diagnose`] shows these in their files.
    #[serde(skip)]
    pub path: Vec<Step>,
}

/// Which tools one layer lets through. A call must get through every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Toolset<List = Vec<Matcher>> {
    /// Who wrote it.
    pub origin: Arc<str>,
    /// Where it stands.
    #[serde(skip)]
    pub path: Vec<Step>,
    /// Whether a tool that is not known is refused.
    pub default: Unknown,
    /// The tools that are known to this layer: those it names itself, and those named by whoever may add to it.
    pub known: List,
    /// Refused, unless `lifted` says otherwise.
    pub admin: List,
    /// What whoever may do so has allowed in spite of `admin`.
    pub lifted: List,
    /// If given, nothing else runs.
    pub allow: Option<List>,
    /// Refused, whatever `allow` says.
    pub deny: List,
}

/// A part of a file that would make the policy weaker, and that its writer had no right to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Relaxation {
    /// What is ignored.
    pub what: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Why it does not hold, and what would make it hold.
    pub why: String,
}

/// What all files together say: what is enforced, and from where.
///
/// As data it is without what is compiled and what only people look at: what is kept between two processes.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Plan {
    /// Whether anything is enforced.
    pub mode: Mode,
    /// Whether tools that write are answered instead of run.
    pub dry_run: bool,
    /// What becomes of a document that two parsers may read differently.
    pub ambiguous: Ambiguous,
    /// Folders in which work is ordinary, beside the project's own.
    pub workspace: Vec<PathBuf>,
    /// The packs in use.
    #[serde(deserialize_with = "cached::packs")]
    pub packs: Vec<&'static str>,
    /// All rules: those of the packs, the machine's, the user's, the project's.
    #[serde(with = "cached::rules")]
    pub rules: Vec<Placed<Rule>>,
    /// Which tools each layer lets through.
    pub tools: Vec<Toolset>,
    /// Tools that only read, by the word of somebody who may say so.
    pub reads: Vec<Matcher>,
    /// Tools that write, by anybody's word; it beats `reads`.
    pub writes: Vec<Matcher>,
    /// What tools do that their names and arguments do not tell.
    #[serde(serialize_with = "cached::taught")]
    pub taught: Vec<Placed<Taught>>,
    /// What arguments must be.
    pub requires: Vec<Placed<Require>>,
    /// How much there may be of something.
    pub limits: Vec<Placed<Limit>>,
    /// The same call again and again.
    pub loops: Vec<Placed<Loop>>,
    /// The same write twice.
    pub dedupes: Vec<Placed<Dedupe>>,
    /// The exceptions that hold today.
    pub exceptions: Vec<Placed<Exception>>,
    /// The overrides of rules that hold, by the rule's id. Those of limits and the like are carried out already.
    pub overrides: BTreeMap<String, Override>,
    /// What is recorded.
    pub audit: Audit,
    /// Programs that judge, rewrite or watch: found, checked, and marked whether they may run.
    pub hooks: Vec<Hook>,
    /// What is taught of tools, compiled.
    #[serde(skip)]
    pub lessons: Vec<Arc<Lesson>>,
    /// The rules, compiled, with exceptions and overrides.
    #[serde(skip)]
    pub compiled: Option<RuleSet>,
    /// What stands beside the rules, compiled.
    #[serde(skip)]
    pub checks: Option<Checks>,
    /// What does not hold; `check` and `explain` show it.
    pub ignored: Vec<Relaxation>,
    /// What is probably not what was meant, `ignored` included.
    #[serde(skip)]
    pub warnings: Diagnostics,
    /// The files that were read.
    #[serde(skip)]
    pub files: Vec<File>,
    /// Everything that was read, with the name of its schema.
    #[serde(skip)]
    pub(crate) texts: Vec<(Arc<Text>, &'static str)>,
    /// Where the overrides stand.
    #[serde(skip)]
    pub(crate) override_paths: BTreeMap<String, Vec<Step>>,
}

impl Plan {
    /// Shows mistakes that were found in [`Placed`] things in the files where they stand.
    pub fn diagnose(&self, mistakes: &[Mistake]) -> Diagnostics {
        diagnose(&self.texts, mistakes)
    }
}

/// Shows mistakes, whose paths begin with the number of a text, in these texts.
pub(crate) fn diagnose(texts: &[(Arc<Text>, &'static str)], mistakes: &[Mistake]) -> Diagnostics {
    let mut found = Diagnostics::default();
    for (index, (text, schema)) in texts.iter().enumerate() {
        let here = mistakes.iter().filter(|mistake| mistake.path.first() == Some(&Step::Index(index)));
        let here: Vec<Mistake> =
            here.map(|mistake| Mistake { path: mistake.path[1..].to_vec(), ..mistake.clone() }).collect();
        if !here.is_empty() {
            found.extend(read::place(text, schema, &here));
        }
    }
    let placed = |mistake: &Mistake| matches!(mistake.path.first(), Some(Step::Index(index)) if *index < texts.len());
    // Nothing that is wrong may be lost, wherever it was found.
    found.extend(
        mistakes
            .iter()
            .filter(|mistake| !placed(mistake))
            .map(|mistake| Diagnostic::file("policy", mistake.to_string())),
    );
    found.sort();
    found
}

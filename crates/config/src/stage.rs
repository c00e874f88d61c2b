//! How several files become one plan, stage by stage.

use tollgate_rules::Mistake;
use tollgate_rules::form::Date;

use crate::diagnostic::Diagnostics;
use crate::layer::{Layering, Parsed};
use crate::pack::pack;
use crate::{apply, audit, checks, meaning, target};

/// A stage on the way from files to a plan.
///
/// ```
/// for stage in tollgate_config::STAGES {
///     println!("{:10} {} (after: {})", stage.name, stage.why, stage.after.join(", "));
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What it is about.
    pub name: &'static str,
    /// The stages that must have been before. There are no other reasons for the order.
    pub after: &'static [&'static str],
    /// Why after these.
    pub why: &'static str,
    run: fn(&mut Work<'_>),
}

/// What stages work on.
pub(crate) struct Work<'a> {
    pub(crate) layering: Layering<'a>,
    pub(crate) today: Date,
    /// What makes no sense so far.
    pub(crate) mistakes: Vec<Mistake>,
    /// What is wrong so far and stands in no file of the user's.
    pub(crate) wrong: Diagnostics,
}

/// The stages, in order.
pub const STAGES: [Stage; 14] = [
    Stage { name: "settings", after: &[], why: "they follow from the files alone", run: settings },
    Stage { name: "packs", after: &[], why: "which are used follows from the files alone", run: packs },
    Stage {
        name: "lists",
        after: &["packs"],
        why: "of rules with the same priority those of packs come first",
        run: |work| files(work).iter().for_each(|parsed| work.layering.lists(parsed)),
    },
    Stage {
        name: "tools",
        after: &["settings"],
        why: "what a stranger says of tools that read matters in a dry run",
        run: tools,
    },
    Stage {
        name: "workspace",
        after: &[],
        why: "it follows from the files alone",
        run: |work| work.layering.workspace(),
    },
    Stage { name: "audit", after: &[], why: "it follows from the files alone", run: record },
    Stage {
        name: "hooks",
        after: &[],
        why: "their ids are not those of rules",
        run: |work| work.mistakes.extend(work.layering.hooks()),
    },
    Stage {
        name: "relaxations",
        after: &["packs", "lists"],
        why: "exceptions and overrides are for something that is there, and what is lost is not missed",
        run: |work| target::relax(&mut work.layering, work.today, &mut work.mistakes),
    },
    Stage { name: "twins", after: &["lists"], why: "rules are compared with those before them", run: twins },
    Stage {
        name: "numbers",
        after: &["lists"],
        why: "everybody's limits are looked at as they are written",
        run: |work| work.mistakes.extend(meaning::checks(&work.layering.plan)),
    },
    Stage {
        name: "overrides",
        after: &["relaxations", "numbers"],
        why: "only those that hold are carried out, and a limit with two decisions would be left with one",
        run: |work| work.mistakes.extend(apply::overrides(&mut work.layering.plan)),
    },
    Stage {
        name: "lessons",
        after: &["lists"],
        why: "what is taught of tools is compiled as it is written",
        run: |work| work.mistakes.extend(apply::lessons(&mut work.layering.plan)),
    },
    Stage {
        name: "rules",
        after: &["settings", "relaxations", "lessons"],
        why: "they are compiled as they are enforced: with the mode, and the exceptions and overrides that hold; and their \
              examples know what is taught",
        run: |work| work.mistakes.extend(apply::rules(&mut work.layering.plan, work.today)),
    },
    Stage {
        name: "checks",
        after: &["tools", "overrides"],
        why: "what is switched off is gone, and what is wrong with a tool's name is known in its place",
        run: |work| checks::compile(&mut work.layering.plan, &mut work.mistakes),
    },
];

impl Stage {
    /// Takes the work one stage further.
    pub(crate) fn run(&self, work: &mut Work<'_>) {
        (self.run)(work);
    }
}

fn files<'a>(work: &Work<'a>) -> &'a [Parsed] {
    work.layering.files
}

fn settings(work: &mut Work<'_>) {
    work.layering.settings();
    work.mistakes.extend(files(work).iter().flat_map(meaning::settings));
}

fn packs(work: &mut Work<'_>) {
    for name in work.layering.packs() {
        match pack(name) {
            Ok(pack) => pack.into_iter().for_each(|pack| work.layering.pack(pack)),
            Err(wrong) => work.wrong.extend(wrong.iter().cloned()),
        }
    }
}

fn tools(work: &mut Work<'_>) {
    work.layering.tools();
    work.mistakes.extend(files(work).iter().flat_map(meaning::tools));
}

fn record(work: &mut Work<'_>) {
    work.layering.audit();
    work.mistakes.extend(files(work).iter().flat_map(audit::mistakes));
}

fn twins(work: &mut Work<'_>) {
    for (path, message) in meaning::shadowed(&work.layering.plan) {
        work.layering.warn(&path, message, "one of them is enough");
    }
}

#[cfg(test)]
mod tests;

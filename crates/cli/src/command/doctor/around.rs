//! What every agent's calls lean on: the policy, the record, folders that nobody else may write to.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use tollgate_clock::SystemClock;
use tollgate_config::{Anchor, Paths, Plan};
use tollgate_core::Clock;
use tollgate_engine::{Installed, Switch, record};
use tollgate_hook::setup::{Finding, Report, Weight, is_small};
use tollgate_rules::form::{Mode, OnFault};

use crate::args::Policy;
use crate::command::Failure;
use crate::open::{self, Around};
use crate::output::{Paint, thousands};

pub(super) fn findings(policy: &Policy, reports: &[Report]) -> Vec<Finding> {
    let paths = match Paths::of_process(policy.config.as_deref()) {
        Ok(paths) => paths,
        Err(error) => return vec![finding(Weight::Unknown, format!("the working directory: {error}"), None)],
    };
    let mut found = Vec::new();
    match plan(policy) {
        Err(problem) => found.push(finding(Weight::Bad, problem, Some("tollgate check"))),
        Ok(plan) => {
            found.extend(enforced(&plan));
            found.extend(remembered(&paths));
            found.push(recorded(&plan, &paths));
            found.extend(unpublished(&plan, reports));
        }
    }
    found.extend(switched(&paths));
    found.extend(noted(&paths));
    let folders = [("state", paths.state()), ("data", paths.data()), ("cache", paths.cache())];
    for (name, folder) in folders {
        match folder {
            Ok(folder) => found.extend(owned(name, folder)),
            Err(error) => found.push(finding(Weight::Bad, error.to_string(), None)),
        }
    }
    found
}

fn finding(weight: Weight, text: String, mend: Option<&str>) -> Finding {
    Finding { weight, text, mend: mend.map(str::to_owned) }
}

/// The policy, if it is right: only what compiles, with all its examples, is.
fn plan(policy: &Policy) -> Result<Plan, String> {
    let tried = open::plan(policy, Paint::PLAIN)
        .and_then(|plan| open::engine(plan.clone(), &Around::new(), Paint::PLAIN).map(|_| plan));
    tried.map_err(|failure| match failure {
        Failure::Said(message) => brief(&message),
        Failure::ClosedPipe => "the policy cannot be read".to_owned(),
    })
}

/// The first of all mistakes, in one line: what that means, where it stands, what it is.
fn brief(message: &str) -> String {
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let means = lines.next().unwrap_or_default();
    let Some(what) = lines.next() else { return means.to_owned() };
    let what = what.strip_prefix("error: ").unwrap_or(what);
    match lines.next().and_then(|line| line.strip_prefix("--> ")) {
        Some(place) => format!("{means}: {place}: {what}"),
        None => format!("{means}: {what}"),
    }
}

fn enforced(plan: &Plan) -> Vec<Finding> {
    let mut found = vec![finding(Weight::Good, format!("the policy is right, with {} rules", plan.rules.len()), None)];
    if plan.mode != Mode::Enforce {
        let text = "the policy only observes: nothing is refused".to_owned();
        found.push(finding(Weight::Bad, text, Some("take `mode` out of the policy")));
    }
    found
}

/// Whether somebody has taken the policy out of force, or everything out of work.
fn switched(paths: &Paths) -> Vec<Finding> {
    let Ok(state) = paths.state() else { return Vec::new() };
    let stand = Switch::at(state).read(SystemClock::default().wall());
    let weight = if stand.observes() { Weight::Bad } else { Weight::Note };
    let told = stand.tells().into_iter().map(|text| finding(weight, text, Some("tollgate resume")));
    let halted = stand.halted.as_ref().map(|halt| finding(Weight::Note, halt.refusal(), None));
    told.chain(halted).collect()
}

/// What is registered where: what is not known is not protected.
fn noted(paths: &Paths) -> Option<Finding> {
    let problem = Installed::read(paths.data().ok()?).err()?;
    let text = format!("what is registered cannot be read, so agents may change it: {problem}");
    Some(finding(Weight::Bad, text, Some("remove the file, and run `tollgate init`")))
}

/// What hooks go by is what was worked out before, and must be what the policy says. Whoever can write there could make it
/// say anything.
fn remembered(paths: &Paths) -> Option<Finding> {
    let (Ok(plan), Ok(kept)) = (tollgate_config::load(paths), tollgate_config::load_cached(paths)) else { return None };
    if tollgate_config::same(&plan, &kept) {
        return None;
    }
    let folder = paths.cache().map(|folder| folder.display().to_string()).unwrap_or_default();
    let text = format!("not enforced: the plan that was kept in {folder} is not what the policy says");
    Some(finding(Weight::Bad, text, Some(&format!("remove the folder {folder}, and find out who changed it"))))
}

/// Whether the record can be opened, as the hook opens it, and its newest part is signed by us.
fn recorded(plan: &Plan, paths: &Paths) -> Finding {
    if !plan.audit.enabled {
        return finding(Weight::Note, "nothing is recorded: the policy says so".to_owned(), None);
    }
    let (Ok(state), Ok(data)) = (paths.state(), paths.data()) else {
        return finding(Weight::Bad, "there is no place for the record".to_owned(), Some("set TOLLGATE_HOME"));
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let opened = record::log(&plan.audit, state, data, &clock).and_then(|log| log.head());
    match opened {
        Ok(Some(head)) => {
            let text = format!("the record can be written, with {} so far; its head is signed", thousands(head.count));
            finding(Weight::Good, text, None)
        }
        Ok(None) => finding(Weight::Good, "the record can be written; it is empty".to_owned(), None),
        Err(error) if plan.audit.on_fault == OnFault::Pass => {
            let text = format!("nothing is recorded, and calls go on, because the policy says so: {error}");
            finding(Weight::Bad, text, Some("tollgate log verify"))
        }
        Err(error) => {
            let text = format!("the record cannot be written, so every call is refused: {error}");
            finding(Weight::Bad, text, Some("tollgate log verify"))
        }
    }
}

/// Heads that are to be published at an address, by a program that knows none.
fn unpublished(plan: &Plan, reports: &[Report]) -> Option<Finding> {
    let Some(anchor @ Anchor::Url(_)) = &plan.audit.anchor else { return None };
    let small = reports.iter().flat_map(|report| &report.programs).find(|program| is_small(program))?;
    let text = format!("heads of the record are not published at {anchor}: {} cannot", small.display());
    Some(finding(Weight::Bad, text, Some("tollgate init, which registers `tollgate` itself")))
}

/// What another user could write decides nothing here.
fn owned(name: &str, folder: &Path) -> Option<Finding> {
    let about = folder.metadata().ok()?;
    let shown = folder.display();
    if about.uid() != tollgate_config::user() {
        let text = format!("the folder for {name} belongs to somebody else: {shown}");
        return Some(finding(Weight::Bad, text, Some("remove it, or set TOLLGATE_HOME to a folder of your own")));
    }
    let text = format!("others may write to the folder for {name}: {shown}");
    let mend = format!("chmod go-w {shown}");
    (about.mode() & 0o022 != 0).then(|| finding(Weight::Bad, text, Some(&mend)))
}

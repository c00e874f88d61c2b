//! Changing the settings of agents: what would be written is shown, somebody agrees, then it is written.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_hook::setup::{Change, Line, Plan, unified};

use super::{Done, Failure, NO};
use crate::args::Writing;
use crate::human;
use crate::output::{Paint, print, print_json, visible};

/// What is to be done, in words.
pub(super) struct Wanted<'a> {
    /// The command.
    pub what: &'a str,
    /// What is said when there is nothing to do.
    pub nothing: &'a str,
    /// What is said when it is done.
    pub done: &'a str,
}

/// All that keeps it from being written.
pub(super) fn refused(problems: Vec<String>) -> Failure {
    let problems: Vec<String> = problems.iter().map(|problem| format!("  {}", visible(problem))).collect();
    Failure::Said(format!("nothing was changed, because this cannot be:\n{}", problems.join("\n")))
}

/// Shows a plan, asks, and writes it.
pub(super) fn change(plan: &Plan, wanted: &Wanted<'_>, writing: &Writing, json: bool, paint: Paint) -> Done {
    if json && !writing.yes && !writing.dry_run {
        return Err("with --json nobody can be asked: say --yes or --dry-run".to_owned().into());
    }
    let writes = !writing.dry_run && !plan.is_empty();
    if writes {
        let files = plan.changes().iter().map(|change| change.path.as_path());
        human::require_for(wanted.what, writing.key.key.as_deref(), files)?;
    }
    if !json {
        print(&shown(plan, paint))?;
    }
    if writes {
        if !writing.yes && !agreed()? {
            print("nothing was changed\n")?;
            return Ok(ExitCode::from(NO));
        }
        plan.write()?;
    }
    let code = if plan.left().is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    if json {
        print_json(&document(plan, writes))?;
    } else if plan.is_empty() && plan.left().is_empty() {
        print(&format!("{}\n", visible(wanted.nothing)))?;
    } else if writing.dry_run {
        print("nothing was changed: this is what would be\n")?;
    } else if plan.left().is_empty() {
        print(wanted.done)?;
    } else {
        print(&left(plan, writes))?;
    }
    Ok(code)
}

/// What is said when something had to stay where it was. Only what takes away leaves anything.
fn left(plan: &Plan, written: bool) -> String {
    let done = if written { "taken away, except from" } else { "nothing was changed in" };
    let files = plan.left().iter().map(|(path, _)| format!("  {}\n", visible(&path.display().to_string())));
    let files: String = files.collect();
    format!("{done} these files; what they call Tollgate for is still judged\n{files}")
}

fn agreed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err("nobody can be asked here: say --yes to write this, or --dry-run to see it".to_owned().into());
    }
    print("write this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    if !answer.ends_with('\n') {
        print("\n")?;
    }
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn shown(plan: &Plan, paint: Paint) -> String {
    let mut out = String::new();
    for change in plan.changes() {
        let _ = writeln!(out, "{}", difference(change, paint));
    }
    for (path, why) in plan.left() {
        let _ = writeln!(out, "{} {}: {why}", paint.yellow("left:"), visible(&path.display().to_string()));
    }
    out
}

/// As `diff -u` writes it. What stands there may be secret.
fn difference(change: &Change, paint: Paint) -> String {
    let path = visible(&change.path.display().to_string());
    let name = |there: bool| if there { path.as_str() } else { "/dev/null" };
    let head = format!("--- {}\n+++ {}", name(change.before.is_some()), name(change.after.is_some()));
    let mut out = paint.bold(&head) + "\n";
    let (before, after) = (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    for line in unified(before, after) {
        let (text, shown) = match line {
            Line::Place(place) => ("\n", paint.dim(&place)),
            Line::Same(text) => (text, format!(" {}", hidden(text))),
            Line::Gone(text) => (text, paint.red(&format!("-{}", hidden(text)))),
            Line::New(text) => (text, paint.green(&format!("+{}", hidden(text)))),
        };
        let _ = writeln!(out, "{shown}");
        if !text.ends_with('\n') {
            out.push_str("\\ No newline at end of file\n");
        }
    }
    out
}

fn hidden(line: &str) -> String {
    plain(&tollgate_secrets::scanner().redact(line))
}

/// A line without its end, as a terminal may show it.
fn plain(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

fn document(plan: &Plan, written: bool) -> Value {
    let changes = plan.changes().iter().map(|change| {
        let what = match (&change.before, &change.after) {
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        };
        let diff = difference(change, Paint::PLAIN);
        json!({ "agent": change.agent, "path": change.path, "what": what, "diff": diff })
    });
    let left = plan.left().iter().map(|(path, why)| json!({ "path": path, "why": why }));
    json!({
        "ok": plan.left().is_empty(),
        "written": written,
        "changes": changes.collect::<Vec<_>>(),
        "left": left.collect::<Vec<_>>(),
    })
}

//! `tollgate check`

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_config::{Plan, Unknown};
use tollgate_rules::form::Mode;

use super::Done;
use crate::args::Policy;
use crate::open::{self, Around};
use crate::output::{Paint, print, print_json, visible, wrap};

pub(super) fn run(policy: &Policy, json: bool, paint: Paint) -> Done {
    let plan = open::plan(policy, paint)?;
    // Only what compiles, with all its examples, is right.
    open::engine(plan.clone(), &Around::new(), paint)?;
    if json {
        print_json(&enforced(&plan))?
    } else {
        print(&show(&plan, paint))?
    }
    Ok(ExitCode::SUCCESS)
}

fn enforced(plan: &Plan) -> Value {
    let rules = plan.rules.iter().map(|placed| {
        let decisions: Vec<&str> = placed.form.decisions().iter().map(|decision| decision.name()).collect();
        json!({ "id": placed.form.id, "origin": &*placed.origin, "decision": decisions.first() })
    });
    json!({
        "ok": true,
        "mode": plan.mode,
        "dry_run": plan.dry_run,
        "packs": plan.packs,
        "files": plan.files.iter().map(|file| json!({ "layer": file.layer, "path": file.path, "sha256": file.hash })).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "limits": plan.limits.len(),
        "exceptions": plan.exceptions.len(),
        "overrides": plan.overrides.keys().collect::<Vec<_>>(),
        "ignored": plan.ignored,
        "warnings": plan.warnings,
    })
}

fn show(plan: &Plan, paint: Paint) -> String {
    let mut out = String::new();
    for line in files(plan) {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "\n{}", paint.bold("enforced"));
    for (name, value) in facts(plan) {
        let text = wrap(&value, 13, 80);
        let _ = writeln!(out, "  {name:<11}{}", text.trim_start());
    }
    if !plan.warnings.is_empty() {
        let shown = if paint.on() { plan.warnings.coloured() } else { plan.warnings.to_string() };
        let _ = writeln!(out, "\n{}", shown.trim_end());
    }
    let _ = writeln!(out, "\n{}", paint.green("the policy is right"));
    out
}

fn files(plan: &Plan) -> Vec<String> {
    if plan.files.is_empty() {
        return vec!["no policy file, so the default packs hold; `tollgate init` writes one".to_owned()];
    }
    plan.files
        .iter()
        .map(|file| format!("{:<9}{}", file.layer.name(), visible(&file.path.display().to_string())))
        .collect()
}

fn facts(plan: &Plan) -> Vec<(&'static str, String)> {
    let count = |what: &str| plan.rules.iter().filter(|placed| placed.origin.starts_with(what)).count();
    let own = plan.rules.len() - count("pack ");
    let mut facts = vec![
        ("packs", if plan.packs.is_empty() { "none".to_owned() } else { plan.packs.join(", ") }),
        ("rules", format!("{} of packs, {own} of files", count("pack "))),
    ];
    let mut more = |name, count: usize| {
        if count > 0 {
            facts.push((name, count.to_string()));
        }
    };
    more("requires", plan.requires.len());
    more("limits", plan.limits.len());
    more("loops", plan.loops.len());
    more("dedupes", plan.dedupes.len());
    more("exceptions", plan.exceptions.len());
    if !plan.overrides.is_empty() {
        facts.push(("overrides", visible(&plan.overrides.keys().cloned().collect::<Vec<_>>().join(", "))));
    }
    if plan.mode == Mode::Observe {
        facts.push(("mode", "observe: nothing is stopped, only recorded".to_owned()));
    }
    if plan.dry_run {
        facts.push(("dry run", "tools that write are answered instead of run".to_owned()));
    }
    if plan.tools.iter().any(|tools| tools.default == Unknown::Deny) {
        facts.push(("tools", "those that no table names are refused".to_owned()));
    }
    facts
}

//! `tollgate check`

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_config::{Anchor, Audit, Hook, Keep, Plan, Sync, Unknown};
use tollgate_engine::HookForm;
use tollgate_rules::form::{Mode, OnFault};

use super::{Done, degraded};
use crate::args::{Check, Policy};
use crate::open::{self, Around};
use crate::output::{Paint, print, print_json, short, visible, wrap};

pub(super) fn run(policy: &Policy, args: &Check, paint: Paint) -> Done {
    let plan = open::plan(policy, paint)?;
    let agents = degraded::wanted(policy, args)?;
    // Only what compiles, with all its examples, is right.
    open::engine(plan.clone(), &Around::new(), paint)?;
    if args.json.json {
        let mut all = enforced(&plan);
        all["agents"] = degraded::document(&agents, &plan);
        print_json(&all)?
    } else {
        print(&show(&plan, &degraded::show(&agents, &plan, paint), paint))?
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
        "taught": plan.taught.len(),
        "limits": plan.limits.len(),
        "exceptions": plan.exceptions.len(),
        "overrides": plan.overrides.keys().collect::<Vec<_>>(),
        "hooks": plan.hooks.iter().map(hook).collect::<Vec<_>>(),
        "audit": recorded(&plan.audit),
        "ignored": plan.ignored,
        "warnings": plan.warnings,
    })
}

fn hook(hook: &Hook) -> Value {
    let HookForm { id, origin, command, trusted } = HookForm::of(hook);
    json!({
        "id": id,
        "origin": origin,
        "on": hook.on,
        "match": hook.tools,
        "command": command,
        "protocol": hook.protocol,
        "timeout_ms": hook.timeout.as_millis() as u64,
        "on_fault": hook.on_fault,
        "trusted": trusted,
    })
}

fn recorded(audit: &Audit) -> Value {
    let Audit { enabled, keep, sync, on_fault, segment, retain, anchor } = audit;
    json!({
        "enabled": enabled,
        "keep": keep,
        "sync": sync,
        "on_fault": on_fault,
        "segment": segment,
        "retain": retain.map(|retain| retain.as_secs()),
        "anchor": anchor,
    })
}

fn show(plan: &Plan, agents: &str, paint: Paint) -> String {
    let mut out = String::new();
    for line in files(plan) {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "\n{}", paint.bold("enforced"));
    let facts = facts(plan).into_iter().map(|(name, value)| (name, value, false));
    for (name, value, relaxed) in facts.chain(hooks(&plan.hooks)).chain(records(&plan.audit)) {
        let text = wrap(&value, 13, 80);
        let text = text.trim_start();
        let _ = writeln!(out, "  {name:<11}{}", if relaxed { paint.yellow(text) } else { text.to_owned() });
    }
    out.push_str(agents);
    if !plan.warnings.is_empty() {
        let shown = if paint.on() { plan.warnings.coloured() } else { plan.warnings.to_string() };
        let _ = writeln!(out, "\n{}", shown.trim_end());
    }
    let _ = writeln!(out, "\n{}", paint.green("the policy is right"));
    out
}

fn files(plan: &Plan) -> Vec<String> {
    if plan.files.is_empty() {
        return vec!["no policy file, so the default packs hold; `tollgate init --policy` writes one".to_owned()];
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
    more("taught", plan.taught.len());
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

/// Programs that are asked, and whether somebody relaxed what their failure means.
fn hooks(hooks: &[Hook]) -> impl Iterator<Item = (&'static str, String, bool)> {
    hooks.iter().map(|hook| {
        let HookForm { id, command, trusted, .. } = HookForm::of(hook);
        let points: Vec<&str> = hook.on.iter().map(|point| point.0.as_str()).collect();
        let tools = if hook.tools.is_empty() { String::new() } else { format!(" of {}", hook.tools.join(", ")) };
        let passes = hook.on_fault == OnFault::Pass;
        let fault = if passes { "; calls go on when it fails" } else { "" };
        let stands = if trusted { "" } else { "; not trusted, so all of these are refused" };
        let what = format!("{id}: {command} at {}{tools}{fault}{stands}", points.join(", "));
        ("hook", visible(&what), passes || !trusted)
    })
}

/// What is recorded, and whether somebody relaxed that.
fn records(audit: &Audit) -> Vec<(&'static str, String, bool)> {
    if !audit.enabled {
        return vec![("records", "none: nothing of what happens is recorded".to_owned(), true)];
    }
    let keep = match audit.keep {
        Keep::Redacted => "redacted",
        Keep::Sealed => "sealed",
        Keep::Nothing => "decisions only",
    };
    let sync = if audit.sync == Sync::Full { ", safe from power failures" } else { "" };
    let kept = audit.retain.map_or("ever".to_owned(), length);
    let anchor = audit.anchor.as_ref().map_or("no anchor".to_owned(), |anchor| {
        let how = if matches!(anchor, Anchor::Command(_)) { "by" } else { "at" };
        format!("anchored {how} {}", short(&visible(&anchor.to_string()), 50))
    });
    let what = format!("{keep}, files of {}, kept for {kept}{sync}; {anchor}", size(audit.segment));
    let mut facts = vec![("records", what, false)];
    if audit.on_fault == OnFault::Pass {
        facts.push(("on fault", "calls go on even if they cannot be recorded".to_owned(), true));
    }
    facts
}

/// A number of bytes, in the largest unit of which it is a whole number.
fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let unit = units.into_iter().find(|(each, _)| bytes.is_multiple_of(*each));
    unit.map_or_else(|| format!("{bytes} bytes"), |(each, name)| format!("{} {name}", bytes / each))
}

/// A length of time, in the largest unit of which it is a whole number.
fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let (each, name) = units.into_iter().find(|(each, _)| seconds.is_multiple_of(*each)).unwrap_or((1, "second"));
    let count = seconds / each;
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

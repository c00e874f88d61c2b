//! Overrides of what is no rule, and the rules compiled.

use std::collections::BTreeSet;

use tollgate_rules::form::{Ask, Date, Mode, Override, OverrideDecision, OverrideMode, Rule};
use tollgate_rules::{Lesson, Mistake, Placed as Given, Setting, Source, Step, compile};

use crate::checks;
use crate::plan::{Placed, Plan};

/// Carries out the overrides of limits, loops, requirements and dedupes.
pub(crate) fn overrides(plan: &mut Plan) -> Vec<Mistake> {
    let rules: BTreeSet<&str> = plan.rules.iter().map(|rule| rule.form.id.as_str()).collect();
    let (of_rules, others) =
        std::mem::take(&mut plan.overrides).into_iter().partition(|(id, _)| rules.contains(id.as_str()));
    plan.overrides = of_rules;
    let (mut found, mut off) = (Vec::new(), Plan::default());
    for (id, form) in others {
        let path = plan.override_paths.get(&id).cloned().unwrap_or_default();
        if form.mode == Some(OverrideMode::Off) {
            switch_off(plan, &id, &mut off);
        } else if let Err(mistake) = one(plan, &id, &form) {
            found.push(mistake.below(&path));
        }
    }
    // What is switched off is never run, and what is wrong with it is a mistake all the same.
    checks::compile(&mut off, &mut found);
    found
}

fn switch_off(plan: &mut Plan, id: &str, off: &mut Plan) {
    let is = |own: &Option<String>| own.as_deref() == Some(id);
    off.limits.extend(plan.limits.extract_if(.., |one| one.form.id == id));
    off.loops.extend(plan.loops.extract_if(.., |one| is(&one.form.id)));
    off.requires.extend(plan.requires.extract_if(.., |one| is(&one.form.id)));
    off.dedupes.extend(plan.dedupes.extract_if(.., |one| is(&one.form.id)));
}

fn one(plan: &mut Plan, id: &str, form: &Override) -> Result<(), Mistake> {
    let mode = form.mode.map(|mode| if mode == OverrideMode::Observe { Mode::Observe } else { Mode::Enforce });
    if let Some(Placed { form: limit, .. }) = plan.limits.iter_mut().find(|limit| limit.form.id == id) {
        limit.mode = mode.or(limit.mode);
        match form.decision {
            Some(OverrideDecision::Deny) => limit.ask = None,
            Some(OverrideDecision::Ask) if limit.ask.is_none() => {
                let title = limit.deny.take().unwrap_or_else(|| format!("`{id}` is used up"));
                limit.ask = Some(Ask::Title(title));
            }
            _ => {}
        }
        return Ok(());
    }
    if form.decision.is_some() {
        return Err(Mistake::new(format!("`{id}` is no rule and always refuses"))
            .help("it can be switched off: `mode = \"off\"`")
            .at("decision"));
    }
    match plan.loops.iter_mut().find(|one| one.form.id.as_deref() == Some(id)) {
        Some(one) => one.form.mode = mode.or(one.form.mode),
        None => {
            return Err(Mistake::new(format!("`{id}` is no rule and cannot only observe"))
                .help("it can be switched off: `mode = \"off\"`")
                .at("mode"));
        }
    }
    Ok(())
}

/// Compiles what is taught of tools.
pub(crate) fn lessons(plan: &mut Plan) -> Vec<Mistake> {
    let (names, mut found) = (tollgate_wire::names(), Vec::new());
    let taught = std::mem::take(&mut plan.taught);
    plan.lessons = checks::each(&taught, &mut found, |placed| Lesson::compile(&placed.form, &names));
    plan.taught = taught;
    found
}

/// Compiles the rules. Examples in packs are checked when Tollgate is built, not at every start.
pub(crate) fn rules(plan: &mut Plan, today: Date) -> Vec<Mistake> {
    let mut ids = BTreeSet::new();
    // The same id twice is reported already.
    let once = plan.rules.iter().filter(|rule| ids.insert(rule.form.id.as_str()));
    // What tools do in examples is not known while something is wrong with what is taught of them.
    let known = plan.lessons.len() == plan.taught.len();
    let sources = once.map(|Placed { form, origin, path }| {
        let examples = form.examples.clone().filter(|_| known && !origin.starts_with("pack "));
        Source { form: Rule { examples, ..form.clone() }, origin: origin.clone(), path: path.clone() }
    });
    let given = |path: &[Step], form: &Override| Given { form: form.clone(), path: path.to_vec() };
    let setting = Setting {
        exceptions: plan
            .exceptions
            .iter()
            .map(|one| Given { form: one.form.clone(), path: one.path.clone() })
            .collect(),
        overrides: plan
            .overrides
            .iter()
            .map(|(id, form)| (id.clone(), given(plan.override_paths.get(id).map_or(&[], |path| path), form)))
            .collect(),
        lessons: plan.lessons.clone(),
        observe: plan.mode == Mode::Observe,
        ..Setting::on(today)
    };
    match compile(sources.collect(), &setting) {
        Ok(compiled) => {
            plan.compiled = Some(compiled);
            Vec::new()
        }
        Err(mistakes) => mistakes,
    }
}

//! Exceptions and overrides: which of them hold.

use std::collections::BTreeMap;

use tollgate_rules::form::{Date, Decision, Exception, Mode, Override, OverrideDecision, OverrideMode};
use tollgate_rules::{Mistake, Step};

use crate::file::Layer;
use crate::layer::{Layering, MACHINE, Parsed};
use crate::pack::{pack, pack_names};
use crate::plan::Placed;
use crate::shape::{MOST, near};

/// Something that has an id.
struct Target {
    /// Who wrote it; a pack has no layer, unless the machine's file asks for it.
    layer: Option<Layer>,
    decision: Decision,
    mode: Mode,
    path: Vec<Step>,
}

/// Everything that has an id. The same id twice is a mistake.
fn targets(layering: &Layering<'_>, mistakes: &mut Vec<Mistake>) -> BTreeMap<String, Target> {
    let plan = &layering.plan;
    let machine = layering.files.iter().find(|parsed| parsed.file.layer == Layer::Machine);
    let asked = |origin: &str| {
        let packs = machine.and_then(|parsed| parsed.form.packs.as_ref());
        packs.is_some_and(|packs| packs.names.iter().any(|name| origin.strip_prefix("pack ") == Some(name)))
    };
    let layer = |origin: &str| {
        let named = [Layer::Machine, Layer::User, Layer::Project].into_iter().find(|layer| layer.name() == origin);
        named.or(asked(origin).then_some(Layer::Machine))
    };
    let mut found: BTreeMap<String, Target> = BTreeMap::new();
    let mut add = |id: Option<&String>, origin: &str, path: &[Step], decision: Decision, mode: Option<Mode>| {
        let Some(id) = id else { return };
        let at = [path, &["id".into()]].concat();
        if id.contains('/') && !origin.starts_with("pack ") {
            let message = Mistake::new(format!("the id `{id}` has a `/`")).help("only the rules of packs do; use `-`");
            return mistakes.push(message.below(&at));
        }
        if let Some(first) = found.get(id) {
            if mistakes.len() >= MOST {
                return;
            }
            return mistakes.push(taken(layering, id, first).below(&at));
        }
        found.insert(
            id.clone(),
            Target { layer: layer(origin), decision, mode: mode.unwrap_or_default(), path: path.to_vec() },
        );
    };
    for Placed { form, origin, path } in &plan.rules {
        // A rule without a decision is reported elsewhere.
        let decision = form.decisions().first().copied().unwrap_or(Decision::Log);
        add(Some(&form.id), origin, path, decision, form.mode);
    }
    plan.requires.iter().for_each(|one| add(one.form.id.as_ref(), &one.origin, &one.path, Decision::Deny, None));
    plan.limits.iter().for_each(|one| add(Some(&one.form.id), &one.origin, &one.path, Decision::Deny, one.form.mode));
    plan.loops.iter().for_each(|one| add(one.form.id.as_ref(), &one.origin, &one.path, Decision::Deny, one.form.mode));
    plan.dedupes.iter().for_each(|one| add(one.form.id.as_ref(), &one.origin, &one.path, Decision::Deny, None));
    found
}

fn taken(layering: &Layering<'_>, id: &str, first: &Target) -> Mistake {
    let mistake = Mistake::new(format!("the id `{id}` is taken"));
    let at = [&first.path[..], &["id".into()]].concat();
    match layering.locate(&at) {
        Some((parsed, span)) => {
            let text = &parsed.file.text;
            let (line, _) = text.position(span.start);
            mistake.help(format!("ids are unique; the other one is at {}:{line}", text.name))
        }
        None => mistake,
    }
}

/// Looks at every exception and override, and keeps those that hold.
pub(crate) fn relax(layering: &mut Layering<'_>, today: Date, mistakes: &mut Vec<Mistake>) {
    let (files, targets) = (layering.files, &targets(layering, mistakes));
    for parsed in files {
        for (index, form) in parsed.form.exception.iter().enumerate() {
            exception(layering, targets, today, parsed, (index, form), mistakes);
        }
        for (id, form) in &parsed.form.overrides {
            overriding(layering, targets, parsed, (id, form), mistakes);
        }
    }
}

fn exception(
    layering: &mut Layering<'_>,
    targets: &BTreeMap<String, Target>,
    today: Date,
    parsed: &Parsed,
    (index, form): (usize, &Exception),
    mistakes: &mut Vec<Mistake>,
) {
    let path = parsed.path("exception", index);
    let rule = [&path[..], &["rule".into()]].concat();
    if !form.is_narrow() {
        let mistake = Mistake::new(format!("this exception lifts all of `{}`", form.rule));
        return mistakes.push(mistake.help("narrow it with path, host, tool or arg; or use `override`").below(&path));
    }
    let Some(target) = targets.get(&form.rule) else {
        return missing(layering, targets, parsed, (&form.rule, &rule), mistakes);
    };
    if form.until < today {
        let message = format!("this exception ended on {}", form.until);
        let at = [&path[..], &["until".into()]].concat();
        layering.warn(&at, message, "remove it, or give it a new date");
        return;
    }
    match layering.may(parsed.file.layer, target.layer) {
        Ok(()) if !layering.plan.rules.iter().any(|placed| placed.form.id == form.rule) => {
            let help = format!("only rules have exceptions; narrow the conditions of `{}` instead", form.rule);
            mistakes.push(Mistake::new(format!("there is no rule `{}`", form.rule)).help(help).below(&rule));
        }
        Ok(()) => {
            let origin = parsed.file.layer.name().into();
            layering.plan.exceptions.push(Placed { form: form.clone(), origin, path });
        }
        Err(why) => layering.ignore(&rule, format!("the exception to `{}`", form.rule), why),
    }
}

/// A name that nothing has. A file for all projects may speak of something that is not in this one.
fn missing(
    layering: &mut Layering<'_>,
    targets: &BTreeMap<String, Target>,
    parsed: &Parsed,
    (id, path): (&str, &[Step]),
    mistakes: &mut Vec<Mistake>,
) {
    if layering.lost.contains(id) || mistakes.len() + layering.plan.warnings.len() >= MOST {
        return;
    }
    if let Some(pack) = unused(id) {
        let message = format!("`{id}` is not in use, so this has no effect");
        let help = format!("`packs.use` does not name {pack}; remove this, or add it");
        layering.warn(path, message, &help);
        return;
    }
    let known: Vec<&str> = targets.keys().map(String::as_str).collect();
    let near = near(id, &known);
    if parsed.file.layer != Layer::Project && !id.contains('/') && near.is_none() {
        let help = "it has no effect here; another project may have such a rule";
        layering.warn(path, format!("there is no rule `{id}`"), help);
        return;
    }
    let mistake = Mistake::new(format!("there is no rule `{id}`"));
    let help = near.map_or("`tollgate rules list` shows all".to_owned(), |near| format!("did you mean `{near}`?"));
    mistakes.push(mistake.help(help).below(path));
}

/// The pack that has a rule of this id, whether or not it is used.
fn unused(id: &str) -> Option<&'static str> {
    let (name, _) = id.split_once('/')?;
    let name = pack_names().into_iter().find(|known| *known == name)?;
    let pack = pack(name).ok().flatten()?;
    pack.rules.iter().any(|rule| rule.id == id).then_some(name)
}

fn overriding(
    layering: &mut Layering<'_>,
    targets: &BTreeMap<String, Target>,
    parsed: &Parsed,
    (id, form): (&str, &Override),
    mistakes: &mut Vec<Mistake>,
) {
    let path = parsed.key(&["override", id]);
    let Some(target) = targets.get(id) else {
        return missing(layering, targets, parsed, (id, &path), mistakes);
    };
    if form.mode.is_none() && form.decision.is_none() {
        let mistake = Mistake::new(format!("this override of `{id}` changes nothing"));
        return mistakes.push(mistake.help("give it `mode` or `decision`").below(&path));
    }
    let now = layering.plan.overrides.get(id).cloned().unwrap_or_default();
    let mode = now.mode.unwrap_or(plain(target.mode));
    let decision = now.decision.map_or(strength(target.decision), decision_of);
    let looser = form.mode.is_some_and(|new| mode_of(new) < mode_of(mode))
        || form.decision.is_some_and(|new| decision_of(new) < decision);
    let allowed = match machine_said(layering, id) && parsed.file.layer != Layer::Machine {
        true => Err(MACHINE),
        false => layering.may(parsed.file.layer, target.layer),
    };
    match allowed {
        Err(why) if looser => layering.ignore(&path, format!("the override of `{id}`"), why),
        _ => {
            let kept = Override { mode: form.mode.or(now.mode), decision: form.decision.or(now.decision) };
            layering.plan.overrides.insert(id.to_owned(), kept);
            layering.plan.override_paths.insert(id.to_owned(), path);
        }
    }
}

fn machine_said(layering: &Layering<'_>, id: &str) -> bool {
    layering.files.iter().any(|parsed| parsed.file.layer == Layer::Machine && parsed.form.overrides.contains_key(id))
}

fn plain(mode: Mode) -> OverrideMode {
    match mode {
        Mode::Enforce => OverrideMode::Enforce,
        Mode::Observe => OverrideMode::Observe,
    }
}

/// How strict a mode is.
fn mode_of(mode: OverrideMode) -> u8 {
    match mode {
        OverrideMode::Off => 0,
        OverrideMode::Observe => 1,
        OverrideMode::Enforce => 2,
    }
}

fn decision_of(decision: OverrideDecision) -> u8 {
    match decision {
        OverrideDecision::Ask => strength(Decision::Ask),
        OverrideDecision::Deny => strength(Decision::Deny),
    }
}

/// How strict a decision is. A question in place of a rewriting lets the call go as it was.
fn strength(decision: Decision) -> u8 {
    match decision {
        Decision::Log => 0,
        Decision::Ask => 1,
        Decision::Route | Decision::Rewrite | Decision::Redact => 2,
        Decision::Deny => 3,
    }
}

//! Whether what is written makes sense, beyond its shape.

use tollgate_rules::form::{Dedupe, Limit, Loop, Rule, Span, Tools};
use tollgate_rules::{Condition, Mistake, Sense, Step};

use crate::layer::{Parsed, resolve};
use crate::pack::pack_names;
use crate::plan::{Placed, Plan};

/// What is wrong in the files' own settings.
pub(crate) fn settings(parsed: &Parsed) -> Vec<Mistake> {
    let known = pack_names();
    let wanted = parsed.form.packs.iter().flat_map(|packs| packs.names.iter().enumerate());
    let packs = wanted.filter(|(_, name)| !known.contains(&name.as_str())).map(|(index, name)| {
        let at = [parsed.key(&["packs", "use"]), vec![index.into()]].concat();
        Mistake::unknown("pack", name, &known).below(&at)
    });
    let folders = parsed.form.workspace.iter().flatten().enumerate().filter_map(|(index, folder)| {
        let at = [parsed.key(&["workspace"]), vec![index.into()]].concat();
        let path = resolve(&parsed.file.folder().join(folder));
        let (message, help) = match folder {
            folder if folder.starts_with('~') || folder.is_empty() => {
                (format!("`{folder}` is no folder"), "write the full path, or one relative to this file")
            }
            _ if path.has_root() && path.parent().is_none() => {
                ("the whole machine cannot be a workspace".to_owned(), "name the folders in which work is ordinary")
            }
            _ => return None,
        };
        Some(Mistake::new(message).help(help).below(&at))
    });
    packs.chain(folders).collect()
}

/// What is wrong with what a plan has beside its rules, apart from conditions.
pub(crate) fn checks(plan: &Plan) -> Vec<Mistake> {
    let limits = plan.limits.iter().flat_map(limit);
    limits.chain(plan.loops.iter().flat_map(repeat)).chain(plan.dedupes.iter().filter_map(dedupe)).collect()
}

/// What is wrong with the names in `[tools]`.
pub(crate) fn tools(parsed: &Parsed) -> Vec<Mistake> {
    let Some(Tools { read, write, admin, allow, deny }) = &parsed.form.tools else { return Vec::new() };
    let names = tollgate_wire::names();
    let allow = allow.as_deref().unwrap_or_default();
    let lists = [("read", &read[..]), ("write", write), ("admin", admin), ("allow", allow), ("deny", deny)];
    let wrong = lists.into_iter().filter(|(_, list)| !list.is_empty()).flat_map(|(key, list)| {
        let found = Condition::tools(list, &names, Sense::Restricts).err().unwrap_or_default();
        found.into_iter().map(move |mistake| mistake.below(&parsed.key(&["tools", key])))
    });
    wrong.collect()
}

/// Rules that never get their turn, because another says the same of the same calls.
pub(crate) fn shadowed(plan: &Plan) -> Vec<(Vec<Step>, String)> {
    let own: Vec<&Placed<Rule>> = plan.rules.iter().filter(|rule| !rule.origin.starts_with("pack ")).collect();
    // Comparing each with each is for what a person can write.
    if own.len() > 500 {
        return Vec::new();
    }
    let beats = |first: &Rule, then: &Rule| first.deny.is_some() && (then.deny.is_some() || then.ask.is_some());
    let twin = |(index, rule): (usize, &&Placed<Rule>)| {
        let same = |other: &&&Placed<Rule>| {
            let (first, then) = (&other.form, &rule.form);
            first.mode == then.mode && beats(first, then) && first.on == then.on && first.conditions == then.conditions
        };
        let first = own[..index].iter().find(same)?;
        Some((
            rule.path.clone(),
            format!("`{}` has the same conditions as `{}`, which refuses", rule.form.id, first.form.id),
        ))
    };
    own.iter().enumerate().filter_map(twin).collect()
}

fn limit(Placed { form, path, .. }: &Placed<Limit>) -> Vec<Mistake> {
    let mut found = Vec::new();
    if !(form.max > 0.0 && form.max.is_finite()) {
        let mistake = Mistake::new("`max` must be more than 0").help("to refuse everything, write a rule with `deny`");
        found.push(mistake.at("max").below(path));
    }
    if form.deny.is_some() && form.ask.is_some() {
        let mistake = Mistake::new("this limit has two decisions, `deny` and `ask`").help("choose one");
        found.push(mistake.at("ask").below(path));
    }
    if form.cost.as_ref().is_some_and(|cost| cost.strip_prefix("arg.").is_none_or(str::is_empty)) {
        let mistake = Mistake::new("`cost` must name an argument").help("like `arg.amount`");
        found.push(mistake.at("cost").below(path));
    }
    found.extend(form.every.as_ref().and_then(|every| span(every, "every", path)));
    let timeout = form.ask.as_ref().and_then(|ask| ask.table().timeout);
    found.extend(timeout.and_then(|timeout| span(&timeout, "timeout", &[&path[..], &["ask".into()]].concat())));
    found
}

fn repeat(Placed { form, path, .. }: &Placed<Loop>) -> Vec<Mistake> {
    let (warn, deny, window) = (form.warn.unwrap_or(10), form.deny.unwrap_or(20), form.window.unwrap_or(30));
    let wrong = |key: &str, message: String| Mistake::new(message).at(key).below(path);
    let mut found = Vec::new();
    for (key, number) in [("warn", warn), ("deny", deny), ("window", window)] {
        if number < 2 {
            found.push(wrong(key, format!("`{key}` must be at least 2: one call is no loop")));
        }
    }
    if window < deny {
        let message = format!("the window of {window} is shorter than the {deny} calls that `deny` counts");
        found.push(wrong(if form.window.is_some() { "window" } else { "deny" }, message));
    }
    found
}

fn dedupe(Placed { form, path, .. }: &Placed<Dedupe>) -> Option<Mistake> {
    span(&form.span, "for", path)
}

pub(crate) fn span(span: &Span, key: &str, path: &[Step]) -> Option<Mistake> {
    let wrong = span.duration().err()?;
    let (message, help) = wrong.split_once("; ").unwrap_or((&wrong, "write it like `10m`"));
    Some(Mistake::new(message).help(help).at(key).below(path))
}

//! What a plan has beside its rules, compiled.

use std::sync::Arc;

use tollgate_core::{Names, Point};
use tollgate_rules::form::{Conditions, Dedupe, Limit, Loop, Matcher, OneOrMany, Require, Words};
use tollgate_rules::{Arguments, Condition, Mistake, Sense};

use crate::form::Unknown;
use crate::plan::{Placed, Plan, Toolset};

/// What a plan has beside its rules, compiled: who runs it compiles nothing.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// Which tools each layer lets through.
    pub tools: Vec<Toolset<Tools>>,
    /// Tools that only read.
    pub reads: Tools,
    /// Tools that write.
    pub writes: Tools,
    /// What arguments must be.
    pub requires: Vec<(Check<Require>, Arc<Arguments>)>,
    /// How much there may be of something.
    pub limits: Vec<Check<Limit>>,
    /// The same call again and again.
    pub loops: Vec<Check<Loop>>,
    /// The same write twice.
    pub dedupes: Vec<Check<Dedupe>>,
}

/// A list of tools; none if it is empty.
pub type Tools = Option<Arc<Condition>>;

/// Something that is for some calls only.
#[derive(Clone, Debug)]
pub struct Check<T> {
    /// What is written.
    pub form: T,
    /// Who wrote it.
    pub origin: Arc<str>,
    /// The calls.
    pub when: Arc<Condition>,
}

/// Compiles what a plan has beside its rules, unless something is wrong with it or was before.
pub(crate) fn compile(plan: &mut Plan, mistakes: &mut Vec<Mistake>) {
    let names = tollgate_wire::names();
    let mut checks = Checks {
        requires: each(&plan.requires, mistakes, |placed| require(placed, &names)),
        limits: each(&plan.limits, mistakes, |placed| check(placed, &placed.form.conditions, &names)),
        loops: each(&plan.loops, mistakes, |placed| check(placed, &placed.form.conditions, &names)),
        dedupes: each(&plan.dedupes, mistakes, |placed| check(placed, &placed.form.conditions, &names)),
        ..Checks::default()
    };
    // These are put together from several files, in which each name was looked at where it stands.
    if mistakes.is_empty() {
        let mut list = |list: &[Matcher], sense: Sense| {
            tools(list, &names, sense).map_err(|found| mistakes.extend(found)).ok().flatten()
        };
        checks.tools = plan.tools.iter().map(|set| toolset(set, &mut list)).collect();
        (checks.reads, checks.writes) = (list(&plan.reads, Sense::Lets), list(&plan.writes, Sense::Restricts));
    }
    plan.checks = mistakes.is_empty().then_some(checks);
}

/// Compiles each, and puts what is wrong where it stands.
pub(crate) fn each<T, C>(
    all: &[Placed<T>],
    mistakes: &mut Vec<Mistake>,
    compile: impl Fn(&Placed<T>) -> Result<C, Vec<Mistake>>,
) -> Vec<C> {
    let mut one = |placed: &Placed<T>| {
        let below = |mistake: Mistake| mistake.below(&placed.path);
        compile(placed).map_err(|found| mistakes.extend(found.into_iter().map(below))).ok()
    };
    all.iter().filter_map(&mut one).collect()
}

fn check<T: Clone>(placed: &Placed<T>, conditions: &Conditions, names: &Names) -> Result<Check<T>, Vec<Mistake>> {
    let when = Arc::new(Condition::compile(conditions, names)?);
    // All of these decide before the call runs.
    if let Some(fact) = when.asks_too_early(Point::ToolBefore) {
        let help = "a rule with `on = \"tool.after\"` can ask for it";
        return Err(vec![Mistake::new(format!("`{fact}` is not known before a call runs")).help(help)]);
    }
    Ok(Check { form: placed.form.clone(), origin: Arc::clone(&placed.origin), when })
}

fn require(placed: &Placed<Require>, names: &Names) -> Result<(Check<Require>, Arc<Arguments>), Vec<Mistake>> {
    let form = &placed.form;
    let (tool, server) = (Some(form.tool.clone()), form.server.clone());
    let mut found = Vec::new();
    let when = check(placed, &Conditions { tool, server, ..Conditions::default() }, names);
    let when = when.map_err(|mistakes| found.extend(mistakes));
    let arguments = Arguments::compile(&form.arg);
    let arguments = arguments.map_err(|mistakes| found.extend(mistakes.into_iter().map(|mistake| mistake.at("arg"))));
    when.and_then(|when| Ok((when, Arc::new(arguments?)))).map_err(|()| found)
}

fn tools(list: &[Matcher], names: &Names, sense: Sense) -> Result<Tools, Vec<Mistake>> {
    (!list.is_empty()).then(|| Condition::tools(list, names, sense).map(Arc::new)).transpose()
}

fn toolset(set: &Toolset, mut list: impl FnMut(&[Matcher], Sense) -> Tools) -> Toolset<Tools> {
    let lifted: Vec<Matcher> = set.lifted.iter().filter(|matcher| is_a_name(matcher)).cloned().collect();
    Toolset {
        origin: Arc::clone(&set.origin),
        path: set.path.clone(),
        default: set.default,
        // Nobody asks for what is known unless the rest is refused.
        known: if set.default == Unknown::Deny { list(&set.known, Sense::Lets) } else { None },
        admin: list(&set.admin, Sense::Restricts),
        lifted: list(&lifted, Sense::Lets),
        allow: set.allow.as_deref().map(|allow| list(allow, Sense::Lets)),
        deny: list(&set.deny, Sense::Restricts),
    }
}

/// Whether a matcher names tools one by one. What is refused by name is not let through by a pattern that happens to
/// fit it, such as `*`.
fn is_a_name(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Is(name) => !name.contains('*'),
        Matcher::Says(words) => {
            let Words { eq, one_of, .. } = &**words;
            eq.iter().chain(one_of).flat_map(OneOrMany::iter).next().is_some()
        }
        Matcher::AnyOf(all) => all.iter().all(is_a_name),
    }
}

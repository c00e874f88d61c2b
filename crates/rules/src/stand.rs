//! Rules as interceptors.

use std::sync::Arc;

use tollgate_core::{
    Body, Edit, Event, Fault, Flow, Guard, Match, OnFault, Outcome, Point, Query, Registration, Route, Selector, Step,
    Verdict, Watch,
};
use tollgate_secrets::scanner;

use crate::compile::{Action, Rule};
use crate::facts::{Ambient, CallFacts};
use crate::form::Decision;
use crate::set::{Finding, Inner, RuleSet};

/// Hears of what rules found and did not say by a verdict: what was logged, what was only observed, what an exception
/// let pass.
pub trait Report: Send + Sync {
    /// One rule, at one event.
    fn report(&self, event: &Event<'_>, finding: &Finding);
}

/// The id under which the rules that judge are registered.
pub const GUARD: &str = "rules";

/// The id under which the rules that send elsewhere are registered.
pub const ROUTER: &str = "rules.route";

/// The id under which log rules stand where there are only watchers.
pub const WATCH: &str = "rules.log";

impl RuleSet {
    /// The rules as interceptors: one guard for all that judge, one for all that send elsewhere, and each edit by
    /// itself, under the rule's id.
    pub fn registrations(&self, ambient: &Arc<dyn Ambient>, report: Option<Arc<dyn Report>>) -> Vec<Registration> {
        let judge = |routes| Judge {
            set: Arc::clone(&self.inner),
            ambient: Arc::clone(ambient),
            report: report.clone(),
            routes,
        };
        let mend = Some("`tollgate explain` says which rule it was and why".into());
        let mut all = Vec::new();
        let edits = self.inner.rules.iter().enumerate();
        for (number, rule) in edits.filter(|(_, rule)| matches!(rule.action, Action::Rewrite(_) | Action::Redact(_))) {
            let edit = Rewrite { judge: judge(false), number };
            all.push(Registration {
                select: Selector { tool: tool(&self.inner, number, rule), ..Selector::default() },
                priority: rule.priority,
                on_fault: rule.on_fault.unwrap_or(OnFault::Deny),
                // It only writes, and what it writes the second time is dropped anyway.
                second_look: false,
                mend: mend.clone(),
                ..Registration::edit(&rule.id, rule.points.clone(), edit)
            });
        }
        let (gates, others): (Vec<Point>, Vec<Point>) =
            self.inner.judging.points().into_iter().partition(|point| point.is_gate());
        if !gates.is_empty() {
            all.push(Registration { mend: mend.clone(), ..Registration::guard(GUARD, gates, judge(false)) });
        }
        let routes = self.inner.routing.points();
        if !routes.is_empty() {
            all.push(Registration { mend, ..Registration::guard(ROUTER, routes, judge(true)) });
        }
        if !others.is_empty() {
            all.push(Registration::watch(WATCH, others, judge(false)));
        }
        all
    }
}

/// What core can know about the tool, so that a rule for another is not even asked.
fn tool(inner: &Arc<Inner>, number: usize, rule: &Rule) -> Match {
    let Some(tool) = &rule.condition.tool else { return Match::Any };
    match tool.text.names().as_deref() {
        Some([name]) => Match::exact(name),
        _ => {
            let inner = Arc::clone(inner);
            Match::with("a rule's tools", move |name| {
                let tool = inner.rules.get(number).and_then(|rule| rule.condition.tool.as_ref());
                tool.is_none_or(|tool| tool.text.fits(name))
            })
        }
    }
}

/// All rules that judge, as one guard: the facts about a call are worked out once.
struct Judge {
    set: Arc<Inner>,
    ambient: Arc<dyn Ambient>,
    report: Option<Arc<dyn Report>>,
    routes: bool,
}

impl Judge {
    fn look(&self, event: &Event<'_>, body: &Body) -> Result<Vec<(&Rule, Finding)>, Fault> {
        let facts = CallFacts::new(event, body, &self.ambient);
        let index = if self.routes { &self.set.routing } else { &self.set.judging };
        let found = self.set.look(index, &facts)?;
        found.iter().for_each(|(_, finding)| self.tell(event, finding));
        Ok(found)
    }

    fn tell(&self, event: &Event<'_>, finding: &Finding) {
        let silent = !finding.is_enforced() || finding.decision == Decision::Log;
        if let Some(report) = self.report.as_ref().filter(|_| silent) {
            report.report(event, finding);
        }
    }

    fn verdict(&self, mut found: Vec<(&Rule, Finding)>) -> Verdict {
        found.retain(|(_, finding)| finding.is_enforced());
        let denies = |finding: &Finding| finding.decision == Decision::Deny || finding.fault.is_some();
        if let Some((_, finding)) = found.iter().find(|(_, finding)| denies(finding)) {
            return Verdict::deny(finding.message());
        }
        if self.routes { route(&found) } else { question(&found) }
    }
}

/// All that want to ask, as one question that names them.
fn question(found: &[(&Rule, Finding)]) -> Verdict {
    let asks = found.iter().filter_map(|(rule, finding)| match &rule.action {
        Action::Ask(query) => Some((finding, query)),
        _ => None,
    });
    let asks: Vec<(&Finding, &Query)> = asks.collect();
    let part = |(finding, query): &(&Finding, &Query)| {
        let lines = [Some(&query.detail), finding.suggest.as_ref()].into_iter().flatten();
        let effect = finding.effect.as_ref().map(|effect| format!("This {}.", scanner().redact(&effect.what)));
        let lines = lines.filter(|line| !line.trim().is_empty()).cloned().chain(effect);
        lines.collect::<Vec<_>>().join("\n")
    };
    let ids: Vec<&str> = asks.iter().map(|(finding, _)| &*finding.rule).collect();
    let (title, detail) = match &asks[..] {
        [] => return Verdict::Pass,
        [one] => (format!("{}: {}", one.0.rule, one.1.title), part(one)),
        [first, others @ ..] => {
            let each = asks.iter().map(|ask| format!("{}: {}\n{}", ask.0.rule, ask.1.title, part(ask)));
            let title = format!("{}: {} (and {} more)", first.0.rule, first.1.title, others.len());
            (title, each.map(|text| text.trim_end().to_owned()).collect::<Vec<_>>().join("\n\n"))
        }
    };
    let timeout = asks.iter().filter_map(|(_, query)| query.timeout).min();
    Verdict::Ask(Box::new(Query { title, detail, timeout, data: serde_json::json!({ "rules": ids }) }))
}

/// Where all that want it elsewhere want it; a call cannot be at two places.
fn route(found: &[(&Rule, Finding)]) -> Verdict {
    let mut routes = found.iter().filter_map(|(rule, _)| match &rule.action {
        Action::Route(route) => Some((&rule.id, route)),
        _ => None,
    });
    let Some((first, there)): Option<(&Arc<str>, &Route)> = routes.next() else { return Verdict::Pass };
    match routes.find(|(_, route)| *route != there) {
        Some((other, elsewhere)) => Verdict::deny(format!(
            "{first}: sends it to `{}`, and {other} to `{}`, and not in the same way",
            there.provider, elsewhere.provider
        )),
        None => Verdict::route(there.clone()),
    }
}

impl Guard for Judge {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.look(event, body).map(|found| self.verdict(found)))
    }
}

impl Watch for Judge {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.look(event, body).map(drop))
    }
}

/// One rule that rewrites.
struct Rewrite {
    judge: Judge,
    number: usize,
}

impl Rewrite {
    fn rewrite(&self, event: &Event<'_>, body: &mut Body) -> Result<(), Fault> {
        let Some(rule) = self.judge.set.rules.get(self.number) else { return Ok(()) };
        let facts = CallFacts::new(event, body, &self.judge.ambient);
        let Some(finding) = rule.finds(&facts) else { return Ok(()) };
        self.judge.tell(event, &finding);
        match (&rule.action, finding.fault) {
            (_, Some(fault)) => Err(fault),
            _ if finding.observed || finding.excepted.is_some() => Ok(()),
            (Action::Rewrite(edits), None) => edits.apply(event, body),
            (Action::Redact(redaction), None) => redaction.apply(body),
            _ => Ok(()),
        }
    }
}

impl Edit for Rewrite {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.rewrite(event, body).map(|()| Verdict::Pass))
    }

    fn open(&self, event: &Event<'_>) -> Option<Box<dyn Flow>> {
        let rule = self.judge.set.rules.get(self.number)?;
        let Action::Redact(redaction) = &rule.action else { return None };
        if rule.condition.speaks_of_document() {
            return None;
        }
        let body = Body::default();
        match rule.finds(&CallFacts::new(event, &body, &self.judge.ambient)) {
            None => Some(Box::new(Through)),
            Some(finding) if !finding.is_enforced() && finding.fault.is_none() => {
                self.judge.tell(event, &finding);
                Some(Box::new(Through))
            }
            Some(finding) if finding.fault.is_some() => None,
            Some(_) => redaction.open(),
        }
    }
}

/// Lets everything through: the rule is not for this stream.
struct Through;

impl Flow for Through {
    fn push(&mut self, _: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault> {
        out.push(piece);
        Ok(Verdict::Pass)
    }

    fn finish(&mut self, _: &Event<'_>, _: &mut Vec<Body>) -> Result<Verdict, Fault> {
        Ok(Verdict::Pass)
    }
}

//! All rules together.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tollgate_core::{Body, Event, Fault, OnFault, Point};
use tollgate_shell::Effect;

use crate::compile::{Action, Exception, Rule};
use crate::condition::Hit;
use crate::effects::path_fits;
use crate::facts::{Ambient, CallFacts};
use crate::form::{Date, Decision};
use crate::index::Index;

/// Compiled rules. Cheap to clone.
#[derive(Clone)]
pub struct RuleSet {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) rules: Vec<Rule>,
    /// Those that judge: deny, ask, log.
    pub(crate) judging: Index,
    /// Those that route. A verdict is one thing, and a call may need a human and a sandbox.
    pub(crate) routing: Index,
    /// All of them, edits too, once somebody asks for that: a dry run.
    everything: OnceLock<Index>,
}

/// What one rule has to do with one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: Arc<str>,
    /// Who wrote it.
    pub origin: Arc<str>,
    /// What it decides.
    pub decision: Decision,
    /// Why, in the rule's words.
    pub reason: String,
    /// What to do instead, in the rule's words.
    pub suggest: Option<String>,
    /// The effect it speaks of.
    pub effect: Option<Effect>,
    /// Whether its conditions hold. If not, it only looked.
    pub matched: bool,
    /// Whether it only observes.
    pub observed: bool,
    /// The exception that keeps it from applying.
    pub excepted: Option<Excepted>,
    /// Why it could not tell.
    pub fault: Option<Fault>,
}

/// An exception that applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excepted {
    /// Why it was made.
    pub reason: Arc<str>,
    /// The last day it holds.
    pub until: Date,
}

/// What there is to say about a rule without any call.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its name.
    pub rule: Arc<str>,
    /// Who wrote it.
    pub origin: Arc<str>,
    /// What it decides.
    pub decision: Decision,
    /// Why, in its own words.
    pub reason: String,
    /// Where it stands.
    pub points: Vec<Point>,
    /// Whether it only observes.
    pub observed: bool,
    /// Exceptions from it that hold.
    pub exceptions: Vec<Excepted>,
}

impl Finding {
    /// Whether it has consequences: it matched, or could not tell, and is neither excepted nor only observing.
    pub fn is_enforced(&self) -> bool {
        (self.matched || self.fault.is_some()) && !self.observed && self.excepted.is_none()
    }

    /// What the model and its user are told: the rule, why, and what to do instead.
    ///
    /// ```text
    /// no-prod-db: production is read-only (db.prod.internal). Instead: use the replica
    /// ```
    ///
    /// The path or host that it is about is named, never the command: that may hold a credential.
    pub fn message(&self) -> String {
        let reason = match &self.fault {
            Some(fault) => format!("it could not be judged ({fault})"),
            None => self.reason.clone(),
        };
        let about = self.effect.as_ref().and_then(|effect| effect.path.as_ref().or(effect.host.as_ref()));
        let about = about.map_or(String::new(), |about| format!(" ({about})"));
        let message = match &self.suggest {
            Some(suggest) => format!("{}: {}{about}. Instead: {suggest}", self.rule, reason.trim_end_matches('.')),
            None => format!("{}: {reason}{about}", self.rule),
        };
        // A path can hold one, too.
        tollgate_secrets::scanner().redact(&message).into_owned()
    }
}

impl RuleSet {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let judges = |rule: &Rule| matches!(rule.action, Action::Deny(_) | Action::Ask(_) | Action::Log(_));
        let judging = Index::new(&rules, judges);
        let routing = Index::new(&rules, |rule| matches!(rule.action, Action::Route(_)));
        Self { inner: Arc::new(Inner { rules, judging, routing, everything: OnceLock::new() }) }
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.inner.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inner.rules.is_empty()
    }

    /// The rules, in the order in which they are asked.
    pub fn list(&self) -> Vec<About> {
        self.inner.rules.iter().map(Rule::about).collect()
    }

    /// The rules that match an event, in order. This decides nothing and changes nothing.
    pub fn findings(&self, event: &Event<'_>, body: &Body, ambient: &Arc<dyn Ambient>) -> Result<Vec<Finding>, Fault> {
        let facts = CallFacts::new(event, body, ambient);
        let found = self.inner.look(self.inner.everything(), &facts)?;
        Ok(found.into_iter().map(|(_, finding)| finding).collect())
    }

    /// What every rule that stands at the point and is for the tool has to say, those that do not match too. Asks them
    /// one by one.
    pub fn all_findings(&self, event: &Event<'_>, body: &Body, ambient: &Arc<dyn Ambient>) -> Vec<Finding> {
        let facts = CallFacts::new(event, body, ambient);
        let due = |rule: &&Rule| rule.points.contains(&event.point) && rule.condition.holds_by_facts(&facts);
        self.inner
            .rules
            .iter()
            .filter(due)
            .map(|rule| rule.finding(&facts, rule.condition.look(&facts, None)))
            .collect()
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSet").field("rules", &self.len()).finish_non_exhaustive()
    }
}

impl Inner {
    fn everything(&self) -> &Index {
        self.everything.get_or_init(|| Index::new(&self.rules, |_| true))
    }

    /// The rules of an index that match or could not tell, and what they have to say.
    pub(crate) fn look(&self, index: &Index, facts: &CallFacts<'_>) -> Result<Vec<(&Rule, Finding)>, Fault> {
        let candidates = index.candidates(facts, &self.rules)?;
        let rules = candidates.iter().filter_map(|number| self.rules.get(*number as usize));
        Ok(rules.filter_map(|rule| Some((rule, rule.finds(facts)?))).collect())
    }
}

impl Rule {
    /// What this rule has to say, if it matches or cannot tell.
    pub(crate) fn finds(&self, facts: &CallFacts<'_>) -> Option<Finding> {
        let looked = self.condition.look(facts, None);
        (!matches!(looked, Ok(None))).then(|| self.finding(facts, looked))
    }

    fn finding(&self, facts: &CallFacts<'_>, looked: Result<Option<Hit>, Fault>) -> Finding {
        let mut finding = Finding {
            rule: Arc::clone(&self.id),
            origin: Arc::clone(&self.origin),
            decision: self.action.decision(),
            reason: self.action.reason(),
            suggest: self.suggest.clone(),
            effect: None,
            matched: false,
            observed: self.observe,
            excepted: None,
            fault: None,
        };
        if let Err(fault) = looked.and_then(|hit| self.judge(facts, hit, &mut finding)) {
            // Whoever wrote down that a failure passes gets that; a record that fails is no reason to refuse.
            let fatal = self.on_fault.unwrap_or(match self.action {
                Action::Log(_) => OnFault::Pass,
                _ => OnFault::Deny,
            });
            finding.observed |= fatal == OnFault::Pass;
            finding.fault = Some(fault);
        }
        finding
    }

    fn judge(&self, facts: &CallFacts<'_>, hit: Option<Hit>, finding: &mut Finding) -> Result<(), Fault> {
        let Some(hit) = hit else { return Ok(()) };
        let effect = |place: Option<usize>| -> Result<Option<Effect>, Fault> {
            place.map_or(Ok(None), |place| facts.effects().map(|effects| effects.get(place).cloned()))
        };
        finding.matched = true;
        finding.effect = effect(hit.effect)?;
        let mut holding = Vec::new();
        for exception in &self.exceptions {
            if exception.speaks_of(facts)? {
                holding.push(exception);
            }
        }
        if holding.is_empty() {
            return Ok(());
        }
        // An exception for a path is one for what happens to that path, not for whatever else the call does.
        let left = match self.condition.speaks_of_effects() {
            true => {
                let excepted = |effect: &Effect| holding.iter().any(|exception| exception.covers(effect, facts));
                self.condition.look(facts, Some(&excepted))?
            }
            false => {
                let somewhere = |effect: &&Effect| effect.path.is_some() || effect.host.is_some();
                let covered = |effect: &Effect| holding.iter().any(|exception| exception.covers(effect, facts));
                let wide = holding.iter().any(|exception| exception.path.is_none() && exception.host.is_none());
                let all = |facts: &CallFacts<'_>| -> Result<bool, Fault> {
                    let mut effects = facts.effects()?.iter().filter(somewhere).peekable();
                    Ok(effects.peek().is_some() && effects.all(covered))
                };
                let all = all(facts)? && facts.untaught().as_ref().map_or(Ok(true), all)?;
                (!wide && !all).then_some(hit)
            }
        };
        match left {
            Some(hit) => finding.effect = effect(hit.effect)?,
            None => finding.excepted = holding.first().map(|exception| exception.about()),
        }
        Ok(())
    }

    fn about(&self) -> About {
        About {
            rule: Arc::clone(&self.id),
            origin: Arc::clone(&self.origin),
            decision: self.action.decision(),
            reason: self.action.reason(),
            points: self.points.clone(),
            observed: self.observe,
            exceptions: self.exceptions.iter().map(Exception::about).collect(),
        }
    }
}

impl Exception {
    fn about(&self) -> Excepted {
        Excepted { reason: Arc::clone(&self.reason), until: self.until }
    }

    /// Whether it is for this call at all.
    fn speaks_of(&self, facts: &CallFacts<'_>) -> Result<bool, Fault> {
        let args =
            self.args.is_empty() || facts.arguments()?.is_some_and(|arguments| self.args.hold_for_all(arguments));
        Ok(args && self.tool.as_ref().is_none_or(|tool| tool.fits(facts.name())))
    }

    /// Whether it is for this effect.
    fn covers(&self, effect: &Effect, facts: &CallFacts<'_>) -> bool {
        let path = |pattern| effect.path.as_ref().is_some_and(|path| path_fits(pattern, path, facts));
        let host = |pattern: &crate::matcher::Text| effect.host.as_ref().is_some_and(|host| pattern.fits(host));
        self.path.as_ref().is_none_or(path) && self.host.as_ref().is_none_or(host)
    }
}

//! The rules of a plan.

use std::sync::Arc;

use serde::Serialize;
use tollgate_core::{Body, Event, Registration};
use tollgate_rules::form::Decision;
use tollgate_rules::{Ambient, Finding, RuleSet};

use crate::checks::Preview;
use crate::explain::EffectForm;
use crate::observe::{Observed, Report, Would};

/// The compiled rules, and what they need to look at calls.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) set: RuleSet,
    pub(crate) ambient: Arc<dyn Ambient>,
}

/// What one rule found in a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingForm {
    /// The rule.
    pub rule: String,
    /// Who wrote it.
    pub origin: String,
    /// What it decides.
    pub decision: &'static str,
    /// Whether its conditions hold; if not, it only looked.
    pub matched: bool,
    /// Why, in the rule's words.
    pub reason: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggest: Option<String>,
    /// The effect it speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectForm>,
    /// Whether it only observes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
    /// The exception that keeps it from applying: why, and until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excepted: Option<String>,
    /// Why it could not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl FindingForm {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.to_string(),
            origin: finding.origin.to_string(),
            decision: finding.decision.name(),
            matched: finding.matched,
            reason: finding.reason.clone(),
            suggest: finding.suggest.clone(),
            effect: finding.effect.as_ref().map(EffectForm::of),
            observed: finding.observed,
            excepted: excepted(finding),
            fault: finding.fault.as_ref().map(ToString::to_string),
        }
    }
}

fn excepted(finding: &Finding) -> Option<String> {
    finding.excepted.as_ref().map(|exception| format!("{} (until {})", exception.reason, exception.until))
}

impl Rules {
    pub(crate) fn registrations(&self, report: Option<&Report>) -> Vec<Registration> {
        let report = report.map(|report| Arc::new(Tell(Arc::clone(report))) as Arc<dyn tollgate_rules::Report>);
        self.set.registrations(&self.ambient, report)
    }

    /// What every rule has to say: those that rewrite about the call as it came, the others about what it became.
    pub(crate) fn findings(&self, event: &Event<'_>, before: &Body, after: &Body) -> Vec<FindingForm> {
        let rewrites = |finding: &Finding| matches!(finding.decision, Decision::Rewrite | Decision::Redact);
        let first = self.set.all_findings(event, before, &self.ambient).into_iter().filter(rewrites);
        let then = self.set.all_findings(event, after, &self.ambient).into_iter();
        first.chain(then.filter(|finding| !rewrites(finding))).map(|finding| FindingForm::of(&finding)).collect()
    }
}

/// What a rule would have done.
fn would(finding: &Finding) -> Option<Would> {
    if let Some(fault) = &finding.fault {
        return Some(Would::Fault(format!("{}: {fault}", finding.rule)));
    }
    finding.matched.then(|| match finding.decision {
        Decision::Deny => Would::Deny(finding.message()),
        Decision::Ask => Would::Ask(finding.message()),
        Decision::Route => Would::Route(finding.reason.clone()),
        Decision::Rewrite | Decision::Redact => Would::Rewrite,
        Decision::Log => Would::Log(finding.reason.clone()),
    })
}

/// Passes on what rules report.
struct Tell(Report);

impl tollgate_rules::Report for Tell {
    fn report(&self, event: &Event<'_>, finding: &Finding) {
        if let Some(would) = would(finding) {
            (self.0)(event, Observed { by: finding.rule.to_string(), would, excepted: excepted(finding) });
        }
    }
}

impl Preview for Rules {
    /// Rules that let the call go and still have a word in it.
    fn preview(&self, event: &Event<'_>, body: &Body) -> Vec<String> {
        let found = self.set.findings(event, body, &self.ambient).unwrap_or_default();
        let lines = found.iter().filter(|finding| finding.is_enforced()).filter_map(|finding| match finding.decision {
            Decision::Ask => Some(format!("rule {}: a human would be asked: {}", finding.rule, finding.reason)),
            Decision::Route => Some(format!("rule {}: {}", finding.rule, finding.reason)),
            Decision::Log => Some(format!("rule {}: would be noted: {}", finding.rule, finding.reason)),
            Decision::Deny | Decision::Rewrite | Decision::Redact => None,
        });
        lines.collect()
    }
}

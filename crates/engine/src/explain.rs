//! Why, in a form that can be printed.

use std::sync::PoisonError;

use serde::Serialize;
use serde_json::Value;
use tollgate_config::Relaxation;
use tollgate_core::{Act, Body, Cause, Event, FaultKind, Outcome, Ruling};
use tollgate_rules::CallFacts;
use tollgate_shell::Effect;
use tollgate_wire::form::{ActForm, TraceForm};

use crate::Engine;
use crate::hooks::HookForm;
use crate::observe::Observed;
use crate::rules::FindingForm;

/// What would happen to a call, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// What the surface would do.
    pub act: ActForm,
    /// The rule or check that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The answer, where there is one in the call's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The document as it would be used, where it is rewritten. It may hold secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<Value>,
    /// What the call does.
    pub effects: Vec<EffectForm>,
    /// Every rule that looked at it.
    pub findings: Vec<FindingForm>,
    /// Programs that would have a word in it. They are not run to find out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookForm>,
    /// What is only observed.
    pub observed: Vec<Observed>,
    /// Who was asked, and what each said.
    pub trace: TraceForm,
    /// What parts of the policy do not hold, and why.
    pub ignored: Vec<Relaxation>,
}

/// One thing that a call does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectForm {
    /// What happens.
    pub kind: &'static str,
    /// To which path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where that lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'static str>,
    /// With which host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// How.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<&'static str>,
    /// In words.
    pub what: String,
    /// The innermost command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// What that was wrapped in, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
}

impl EffectForm {
    /// The form of an effect, without credentials: it is printed and kept.
    pub fn of(effect: &Effect) -> Self {
        let clean = |text: &String| tollgate_secrets::scanner().redact(text).into_owned();
        Self {
            kind: effect.kind.name(),
            path: effect.path.as_ref().map(clean),
            place: effect.place.map(|place| place.name()),
            host: effect.host.as_ref().map(clean),
            flags: effect.flags.iter().map(|flag| flag.name()).collect(),
            what: clean(&effect.what),
            by: clean(&effect.by),
            via: effect.via.iter().map(clean).collect(),
        }
    }
}

impl Engine {
    /// What would happen to a call, and why. Nothing is kept, and nobody outside the plan is asked.
    pub fn explain(&self, event: &Event<'_>, mut body: Body) -> Explained {
        let loaded = &self.loaded;
        let before = body.clone();
        let (outcome, observed) = self.ask(event, &mut body);
        let becomes = (body.json() != before.json()).then(|| body.json().ok().cloned()).flatten();
        let findings = loaded.rules.findings(event, &before, &body);
        let facts = CallFacts::new(event, &body, &loaded.ambient);
        let effects = facts.effects().unwrap_or_default().iter().map(EffectForm::of).collect();
        let (rule, reason, answer) = decided(&outcome.act);
        Explained {
            act: ActForm::of(&outcome.act),
            rule,
            reason,
            answer,
            becomes,
            effects,
            findings,
            hooks: HookForm::due(&loaded.plan, &self.names, event),
            observed,
            trace: TraceForm::of(&outcome.trace),
            ignored: loaded.plan.ignored.clone(),
        }
    }
}

impl Engine {
    fn ask(&self, event: &Event<'_>, body: &mut Body) -> (Outcome, Vec<Observed>) {
        let asking = match self.asking() {
            Ok(asking) => asking,
            Err(problem) => {
                let ruling = Ruling::of_pipeline(Cause::Fault(FaultKind::Crash), problem.to_owned());
                return (Outcome { act: Act::Deny(Box::new(ruling)), ..Outcome::default() }, Vec::new());
            }
        };
        // One at a time, so that each sees what it alone made the checks observe.
        let _turn = asking.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let take = || std::mem::take(&mut *asking.observed.lock().unwrap_or_else(PoisonError::into_inner));
        take();
        let outcome = asking.pipeline.run_now(event, body);
        (outcome, take())
    }
}

/// The rule or check that refused or asked; none where nobody did.
///
/// ```
/// use tollgate_core::{Act, Cause, Ruling};
///
/// let ruling = Ruling { by: Some("rules".into()), cause: Cause::Objection, reason: "no-prod: read-only".into() };
/// assert_eq!(tollgate_engine::decider(&Act::Deny(Box::new(ruling))).as_deref(), Some("no-prod"));
/// assert_eq!(tollgate_engine::decider(&Act::Pass), None);
/// ```
pub fn decider(act: &Act) -> Option<String> {
    match act {
        Act::Pass | Act::Route { .. } | Act::Answer(_) => None,
        Act::Deny(_) | Act::Ask(_) => decided(act).0,
    }
}

/// Who decided and why. A check that speaks for several rules names the one at the beginning of its reason.
fn decided(act: &Act) -> (Option<String>, Option<String>, Option<Value>) {
    match act {
        Act::Deny(ruling) => {
            let named = ruling.by.as_deref().and_then(|_| ruling.reason.split_once(": "));
            let named = named.map(|(rule, _)| rule).filter(|rule| !rule.contains([' ', '`']));
            let rule = named.or(ruling.by.as_deref()).map(str::to_owned);
            (rule, Some(ruling.reason.to_string()), None)
        }
        Act::Ask(question) => {
            let titles: Vec<&str> = question.parts.iter().map(|(_, query)| query.title.as_str()).collect();
            let rule = question.parts.first().map(|(by, query)| {
                let named = query.data.pointer("/rules/0").and_then(Value::as_str);
                named.unwrap_or(by).to_owned()
            });
            (rule, Some(titles.join("; ")), None)
        }
        Act::Answer(body) => (None, None, body.json().ok().cloned()),
        Act::Pass | Act::Route { .. } => (None, None, None),
    }
}

//! Examples, checked when a rule is loaded.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_core::{Approval, Body, Digest, Ended, Event, Point};
use tollgate_shell::Effect;
use tollgate_wire::form::EndedForm;

use crate::compile::{Rule, Setting};
use crate::facts::{Ambient, CallFacts, Extended, Still};
use crate::form::{self, Example, ExampleCall};
use crate::mistake::Mistake;

/// Where examples happen unless they say otherwise.
pub(crate) const CWD: &str = "/home/user/project";

/// Checks that a rule matches what it must and nothing that it must not.
pub(crate) fn check(form: &form::Rule, rule: &Rule, setting: &Setting, found: &mut Vec<Mistake>) {
    let Some(examples) = &form.examples else { return };
    let lists = [("match", &examples.matches, true), ("pass", &examples.pass, false)];
    for (key, list, expected) in lists {
        for (place, example) in list.iter().enumerate() {
            if let Some(mistake) = wrong(example, rule, setting, expected) {
                found.push(mistake.at(place).at(key).at("examples"));
            }
        }
    }
}

fn wrong(example: &Example, rule: &Rule, setting: &Setting, expected: bool) -> Option<Mistake> {
    let call = match example {
        Example::Command(command) => ExampleCall { args: Some(json!({"command": command})), ..ExampleCall::default() },
        Example::Call(call) => (**call).clone(),
    };
    let first = rule.points.first().copied().unwrap_or(Point::ToolBefore);
    let point = match call.point.as_ref().map(|point| point.0.parse::<Point>()) {
        Some(Ok(point)) => point,
        Some(Err(_)) => {
            let written = call.point.as_ref().map_or("", |point| &point.0);
            return Some(Mistake::unknown("point", written, &form::PointName::all()).at("point"));
        }
        None => first,
    };
    let tool = call.tool.as_deref().unwrap_or("exec");
    let (agent, server) = (call.agent.as_deref().unwrap_or_default(), call.server.as_deref());
    let name = tollgate_wire::name_of(&setting.names, tool, &tollgate_wire::readings(agent, tool, server));
    let (body, arguments) = bodies(&call, point);
    let ended = match call.ended.as_ref().map(ending).transpose() {
        Ok(ended) => ended,
        Err(mistake) => return Some(mistake.at("ended")),
    };
    let own: Vec<(&str, &str)> = call.own.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let labels: Vec<(String, String)> = call.label.clone().into_iter().collect();
    let (digest, by, at) = (Digest([0; 32]), "example".to_owned(), Duration::ZERO);
    let approval = call.approved.map(|granted| Approval { digest, granted, by, at });
    let event = Event {
        own: &own,
        labels: &labels,
        attempt: call.attempt.unwrap_or(1),
        ended,
        approval: approval.as_ref(),
        cwd: Some(call.cwd.as_deref().unwrap_or(CWD)),
        agent: call.agent.as_deref(),
        session: call.session.as_deref(),
        server: call.server.as_deref(),
        model: call.model.as_deref(),
        surface: call.surface.as_deref(),
        principal: call.principal.as_deref(),
        arguments: arguments.as_ref(),
        name: point.is_about_a_tool().then_some(&name),
        call_id: Some("example"),
        ..Event::at(point)
    };
    let (folders, lessons) = (Vec::new(), setting.lessons.clone());
    let ambient: Arc<dyn Ambient> = Arc::new(Extended { inner: Still::shared(), folders, lessons });
    judged(rule, &CallFacts::new(&event, &body, &ambient), expected)
}

fn ending(name: &form::EndedName) -> Result<Ended, Mistake> {
    let known = EndedForm::ALL.iter().find(|known| known.name() == name.0);
    known.map(|known| (*known).into()).ok_or_else(|| Mistake::unknown("ending", &name.0, &form::EndedName::all()))
}

/// What is wrong if a rule does not judge an example as expected.
fn judged(rule: &Rule, facts: &CallFacts<'_>, expected: bool) -> Option<Mistake> {
    let point = facts.event.point;
    match rule.condition.look(facts, None) {
        Err(fault) => Some(Mistake::new(format!("the rule cannot judge this example: {fault}"))),
        Ok(hit) if hit.is_some() && rule.points.contains(&point) == expected => None,
        Ok(None) if !expected => None,
        Ok(None) => Some(Mistake::new("the rule does not match this example").help(does(facts))),
        Ok(Some(_)) if expected => Some(Mistake::new(format!("the rule does not stand at {point}"))),
        Ok(Some(hit)) => {
            let effect = hit.effect.and_then(|place| facts.effects().ok()?.get(place).map(describe));
            let mistake = Mistake::new("the rule matches this example, which it must not");
            Some(match effect {
                Some(effect) => mistake.help(format!("because it {effect}")),
                None => mistake,
            })
        }
    }
}

/// What helps to see why a rule does not match.
pub(crate) fn does(facts: &CallFacts<'_>) -> String {
    let effects = facts.effects().unwrap_or_default();
    match effects.is_empty() {
        true => format!("its tool is `{}` and it has no effects that are known", facts.tool()),
        false => format!("it {}", effects.iter().map(describe).collect::<Vec<_>>().join(", ")),
    }
}

fn describe(effect: &Effect) -> String {
    let place = effect.place.map_or(String::new(), |place| format!(" ({place})"));
    format!("{} [{}{place}]", effect.what, effect.kind)
}

/// The document and, where they are not the same, the arguments.
fn bodies(call: &ExampleCall, point: Point) -> (Body, Option<Body>) {
    let args = call.args.clone().unwrap_or(json!({}));
    let document = match (&call.text, point) {
        (Some(text), Point::PromptSubmit) => json!({"text": text}),
        (Some(text), Point::ToolBefore) => json!({"text": text}),
        (Some(text), Point::MessageWrite) => json!({"role": "user", "content": text}),
        (Some(text), _) => json!({"content": [{"type": "text", "text": text}]}),
        (None, Point::ToolAfter | Point::ToolUpdate | Point::ToolPersist) => Value::Null,
        (None, _) => args.clone(),
    };
    let mut body = Body::from(document);
    for (name, value) in &call.header {
        body.headers_mut().append(name, value.as_str());
    }
    let apart = matches!(point, Point::ToolAfter | Point::ToolUpdate | Point::ToolPersist);
    (body, apart.then(|| Body::from(args)))
}

//! What becomes of a policy in an agent that cannot do all of it.
//!
//! A question that cannot be asked is a refusal, and so is a call that cannot be rewritten. Where not even a refusal is
//! possible, what was decided is recorded and nothing else. People should know before they rely on it.

use std::collections::{BTreeMap, BTreeSet};

use tollgate_config::Plan;
use tollgate_core::Point;
use tollgate_rules::form::{Decision, Mode, OverrideDecision, OverrideMode, Rule};

use crate::agent::{Agent, Can, Hook};

/// Rules that an agent cannot carry out as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// Where they stand.
    pub point: Point,
    /// What they decide.
    pub decision: &'static str,
    /// What happens instead.
    pub instead: Instead,
    /// The agent's events at which that is so.
    pub events: Vec<&'static str>,
    /// The rules, by their ids.
    pub rules: Vec<String>,
    /// Whether these rules stand also where the agent can be seen: what is unseen here is then seen there.
    pub partly: bool,
}

/// What happens instead of what was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instead {
    /// It is refused.
    Refused,
    /// It happens, and is recorded.
    Nothing,
    /// The agent has an event for it, which `tollgate init` does not register.
    NotRegistered,
    /// It is never seen.
    Unseen,
}

impl Instead {
    /// In one word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Nothing => "recorded",
            Self::NotRegistered => "not-registered",
            Self::Unseen => "unseen",
        }
    }
}

/// What becomes of a plan in an agent: nothing, if it can do all of it.
pub fn degraded(agent: &Agent, plan: &Plan) -> Vec<Degraded> {
    let mut found: BTreeMap<(Point, &'static str, Instead, bool), Degraded> = BTreeMap::new();
    let wishes = wishes(plan);
    let seen = |point: Point| agent.hooks.iter().any(|hook| hook.point == point && hook.registered);
    let elsewhere: BTreeSet<&str> =
        wishes.iter().filter(|(_, point, _)| seen(*point)).map(|(id, ..)| id.as_str()).collect();
    for (id, point, decision) in &wishes {
        let Some((instead, events)) = short(agent, *point, *decision) else { continue };
        let (name, partly) = (decision.name(), !seen(*point) && elsewhere.contains(id.as_str()));
        let none = || Degraded { point: *point, decision: name, instead, events, rules: Vec::new(), partly };
        found.entry((*point, name, instead, partly)).or_insert_with(none).rules.push(id.clone());
    }
    found.into_values().collect()
}

/// What the rules and limits that are enforced want to happen, and where.
fn wishes(plan: &Plan) -> Vec<(String, Point, Decision)> {
    if plan.mode == Mode::Observe {
        return Vec::new();
    }
    let rules = plan.rules.iter().filter_map(|placed| Some((&placed.form, decision(plan, &placed.form)?)));
    let rules = rules
        .flat_map(|(rule, decision)| points(rule).into_iter().map(move |point| (rule.id.clone(), point, decision)));
    let asks = plan.limits.iter().filter(|limit| limit.form.ask.is_some() && limit.form.mode != Some(Mode::Observe));
    rules.chain(asks.map(|limit| (limit.form.id.clone(), Point::ToolBefore, Decision::Ask))).collect()
}

/// What a rule decides, as far as it is enforced.
fn decision(plan: &Plan, rule: &Rule) -> Option<Decision> {
    let written = rule.decisions().first().copied().filter(|_| rule.mode != Some(Mode::Observe))?;
    let Some(changed) = plan.overrides.get(&rule.id) else { return Some(written) };
    match (changed.mode, changed.decision) {
        (Some(OverrideMode::Off | OverrideMode::Observe), _) => None,
        (_, Some(OverrideDecision::Ask)) => Some(Decision::Ask),
        (_, Some(OverrideDecision::Block)) => Some(Decision::Block),
        _ => Some(written),
    }
}

fn points(rule: &Rule) -> Vec<Point> {
    match &rule.on {
        None => vec![Point::ToolBefore],
        Some(names) => names.iter().filter_map(|name| name.0.parse().ok()).collect(),
    }
}

/// What an agent does instead, and at which of its events.
fn short(agent: &Agent, point: Point, decision: Decision) -> Option<(Instead, Vec<&'static str>)> {
    let at = || agent.hooks.iter().filter(move |hook| hook.point == point && !hook.permission);
    let names = |hooks: Vec<&Hook>| hooks.into_iter().map(|hook| hook.name).collect::<Vec<_>>();
    if at().next().is_none() {
        return Some((Instead::Unseen, Vec::new()));
    }
    if !at().any(|hook| hook.registered) {
        return Some((Instead::NotRegistered, names(at().collect())));
    }
    let lacking: Vec<&Hook> = at().filter(|hook| hook.registered && !able(hook.can, decision)).collect();
    let worst = lacking.iter().map(|hook| if hook.can.deny { Instead::Refused } else { Instead::Nothing }).max()?;
    Some((worst, names(lacking)))
}

fn able(can: Can, decision: Decision) -> bool {
    match decision {
        Decision::Block => can.deny,
        Decision::Ask => can.ask,
        // Nothing is run elsewhere by a hook yet.
        Decision::Route => false,
        Decision::Edit | Decision::Redact => can.rewrite,
        Decision::Log => true,
    }
}

impl Degraded {
    /// In words, for people: "asks become refusals".
    pub fn words(&self) -> String {
        let what = match self.point {
            Point::ToolBefore => "calls".to_owned(),
            Point::ToolAfter => "results".to_owned(),
            Point::PromptSubmit => "prompts".to_owned(),
            point => format!("documents at `{point}`"),
        };
        match (self.instead, self.decision) {
            (Instead::Refused, "ask") => "asks become refusals".to_owned(),
            (Instead::Refused, "route") => format!("{what} for a sandbox are refused"),
            (Instead::Refused, "redact") if self.point == Point::ToolAfter => {
                "results with credentials are withheld instead of redacted".to_owned()
            }
            (Instead::Refused, _) => format!("rewritten {what} are refused"),
            (Instead::Nothing, "block") => format!("{what} cannot be refused, only recorded"),
            (Instead::Nothing, "ask") => format!("{what} cannot be asked about or refused, only recorded"),
            (Instead::Nothing, "route") => format!("{what} cannot be sent to a sandbox, only recorded"),
            (Instead::Nothing, "redact") => format!("{what} cannot be redacted"),
            (Instead::Nothing, _) => format!("{what} cannot be rewritten"),
            (Instead::NotRegistered, _) => format!("{what} are not looked at (`{}`)", self.events.join("`, `")),
            (Instead::Unseen, _) => format!("{what} are never seen"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use expect_test::{Expect, expect};
    use serde_json::Value;
    use tollgate_config::{File, Layer, combine, today};
    use tollgate_wire::dialect::HookAnswer;

    use super::*;
    use crate::agent::Moment;

    const POLICY: &str = r#"
packs.use = []
[[rule]]
id = "ask"
tool = "exec"
ask = "sure?"
[[rule]]
id = "edit"
tool = "exec"
edit = [{ set = { command = "true" } }]
[[rule]]
id = "hide"
on = ["tool.after", "tool.persist"]
tool = "*"
redact = true
[[rule]]
id = "no-secrets"
on = "prompt.submit"
secret = true
block = "a secret"
[[rule]]
id = "boxed"
tool = "*"
route = { provider = "docker" }
[[rule]]
id = "quiet"
tool = "*"
ask = "sure?"
mode = "observe"
"#;

    fn agent(hooks: &'static [Hook]) -> Agent {
        Agent {
            id: "test",
            aliases: &[],
            title: "Test",
            hooks,
            unseen: &[],
            doubled: false,
            calls: |_: &Value| false,
            event: |_| None,
            decode: |_| Ok(Moment::default()),
            fits: None,
            encode: |_, _| HookAnswer::SILENT,
            refuse: HookAnswer::fails,
        }
    }

    fn check(hooks: &'static [Hook], expected: &Expect) {
        let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), POLICY.into()).unwrap();
        let plan = combine(vec![file], true, today()).unwrap();
        let lines = degraded(&agent(hooks), &plan).into_iter().map(|one| {
            let partly = if one.partly { ", partly" } else { "" };
            let (words, rules, word) = (one.words(), one.rules.join(", "), one.instead.word());
            format!("{words}: {rules} [{word}{partly}] at {:?}\n", one.events)
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn what_becomes_of_a_policy() {
        check(
            const {
                &[
                    Hook::new("Pre", Point::ToolBefore, Can::DENY.ask().rewrite()),
                    Hook::new("Post", Point::ToolAfter, Can::DENY.rewrite()),
                    Hook::new("Prompt", Point::PromptSubmit, Can::DENY),
                ]
            },
            &expect![[r#"
                calls for a sandbox are refused: boxed [refused] at ["Pre"]
                documents at `tool.persist` are never seen: hide [unseen, partly] at []
            "#]],
        );
        check(
            const {
                &[
                    Hook::new("Pre", Point::ToolBefore, Can::DENY),
                    Hook::new("Other", Point::ToolBefore, Can::DENY.ask().rewrite()),
                    Hook::new("Permission", Point::ToolBefore, Can::WATCH).permission(),
                    Hook::new("Post", Point::ToolAfter, Can::WATCH),
                    Hook::new("Prompt", Point::PromptSubmit, Can::DENY).optional(),
                ]
            },
            &expect![[r#"
                prompts are not looked at (`Prompt`): no-secrets [not-registered] at ["Prompt"]
                asks become refusals: ask [refused] at ["Pre"]
                rewritten calls are refused: edit [refused] at ["Pre"]
                calls for a sandbox are refused: boxed [refused] at ["Pre", "Other"]
                results cannot be redacted: hide [recorded] at ["Post"]
                documents at `tool.persist` are never seen: hide [unseen, partly] at []
            "#]],
        );
        check(
            const { &[Hook::new("Post", Point::ToolAfter, Can::DENY)] },
            &expect![[r#"
                prompts are never seen: no-secrets [unseen] at []
                calls are never seen: ask [unseen] at []
                calls are never seen: edit [unseen] at []
                calls are never seen: boxed [unseen] at []
                results with credentials are withheld instead of redacted: hide [refused] at ["Post"]
                documents at `tool.persist` are never seen: hide [unseen, partly] at []
            "#]],
        );
    }
}

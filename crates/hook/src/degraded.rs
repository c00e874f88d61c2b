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
    /// Whether that is so at every event which the agent has there.
    pub everywhere: bool,
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

    /// Whether Tollgate is asked at all. Where it is not, rules are not carried out badly: nobody applies them.
    pub fn is_seen(self) -> bool {
        matches!(self, Self::Refused | Self::Nothing)
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
        for Short { instead, events, everywhere } in short(agent, *point, *decision) {
            let (point, decision) = (*point, decision.name());
            let partly = !instead.is_seen() && elsewhere.contains(id.as_str());
            let none = || Degraded { point, decision, instead, events, everywhere, rules: Vec::new(), partly };
            found.entry((point, decision, instead, partly)).or_insert_with(none).rules.push(id.clone());
        }
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
    let written = rule.decisions().first().copied()?;
    let changed = plan.overrides.get(&rule.id);
    let enforced = match changed.and_then(|changed| changed.mode) {
        Some(mode) => mode == OverrideMode::Enforce,
        None => rule.mode != Some(Mode::Observe),
    };
    let decision = match changed.and_then(|changed| changed.decision) {
        Some(OverrideDecision::Ask) => Decision::Ask,
        Some(OverrideDecision::Deny) => Decision::Deny,
        _ => written,
    };
    enforced.then_some(decision)
}

fn points(rule: &Rule) -> Vec<Point> {
    match &rule.on {
        None => vec![Point::ToolBefore],
        Some(names) => names.iter().filter_map(|name| name.0.parse().ok()).collect(),
    }
}

/// Where an agent falls short of what was decided.
struct Short {
    instead: Instead,
    events: Vec<&'static str>,
    everywhere: bool,
}

/// What an agent does instead, and at which of its events.
fn short(agent: &Agent, point: Point, decision: Decision) -> Vec<Short> {
    let at: Vec<&Hook> = agent.hooks.iter().filter(|hook| hook.point == point && !hook.permission).collect();
    let names = |hooks: &[&Hook]| hooks.iter().map(|hook| hook.name).collect::<Vec<_>>();
    let registered: Vec<&Hook> = at.iter().copied().filter(|hook| hook.registered).collect();
    if registered.is_empty() {
        let instead = if at.is_empty() { Instead::Unseen } else { Instead::NotRegistered };
        return vec![Short { instead, events: names(&at), everywhere: true }];
    }
    let of = |instead| {
        let falls = |hook: &&Hook| {
            !able(hook.can, decision) && instead == if hook.can.deny { Instead::Refused } else { Instead::Nothing }
        };
        let lacking: Vec<&Hook> = registered.iter().copied().filter(falls).collect();
        let everywhere = lacking.len() == registered.len();
        (!lacking.is_empty()).then(|| Short { instead, events: names(&lacking), everywhere })
    };
    [Instead::Refused, Instead::Nothing].into_iter().filter_map(of).collect()
}

fn able(can: Can, decision: Decision) -> bool {
    match decision {
        Decision::Deny => can.deny,
        Decision::Ask => can.ask,
        // Nothing is run elsewhere by a hook yet.
        Decision::Route => false,
        Decision::Rewrite | Decision::Redact => can.rewrite,
        Decision::Log => true,
    }
}

impl Degraded {
    /// In words, for people: "asks become refusals".
    pub fn words(&self) -> String {
        let what = self.what();
        let asks = if self.everywhere { "asks".to_owned() } else { format!("asks about {what}") };
        match (self.instead, self.decision) {
            (Instead::Refused, "ask") => format!("{asks} become refusals"),
            (Instead::Refused, "route") => format!("{what} for a sandbox are refused"),
            (Instead::Refused, "redact") if self.point == Point::ToolAfter => {
                format!("{what} with credentials are withheld instead of redacted")
            }
            (Instead::Refused, _) => format!("rewritten {what} are refused"),
            (Instead::Nothing, "deny") => format!("{what} cannot be refused, only recorded"),
            (Instead::Nothing, "ask") => format!("{what} cannot be asked about or refused, only recorded"),
            (Instead::Nothing, "route") => format!("{what} cannot be sent to a sandbox, only recorded"),
            (Instead::Nothing, "redact") => format!("{what} cannot be redacted"),
            (Instead::Nothing, _) => format!("{what} cannot be rewritten"),
            (Instead::NotRegistered, _) => {
                format!("not seen: {what} (`{}` is not registered)", self.events.join("`, `"))
            }
            (Instead::Unseen, _) => format!("not seen: {what}"),
        }
    }

    /// What this is about. Where an agent has several events for it and falls short at some, those are named.
    fn what(&self) -> String {
        let fails = |event: &&str| event.to_ascii_lowercase().ends_with("failure");
        let what = match self.point {
            Point::ToolBefore => "calls".to_owned(),
            Point::ToolAfter if !self.everywhere && self.events.iter().all(fails) => {
                return "error messages of failed tools".to_owned();
            }
            Point::ToolAfter => "results".to_owned(),
            Point::PromptSubmit => "prompts".to_owned(),
            point => format!("documents at `{point}`"),
        };
        if self.everywhere { what } else { format!("{what} at `{}`", self.events.join("`, `")) }
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
    use crate::agent::DecodedEvent;

    const POLICY: &str = r#"
packs.use = []
[[rule]]
id = "ask"
tool = "exec"
ask = "sure?"
[[rule]]
id = "edit"
tool = "exec"
rewrite = [{ set = { command = "true" } }]
[[rule]]
id = "hide"
on = ["tool.after", "tool.persist"]
tool = "*"
redact = true
[[rule]]
id = "no-secrets"
on = "prompt.submit"
secret = true
deny = "a secret"
[[rule]]
id = "boxed"
tool = "*"
route = { provider = "docker" }
[[rule]]
id = "quiet"
tool = "*"
ask = "sure?"
mode = "observe"
[[rule]]
id = "enforced"
tool = "*"
ask = "sure?"
mode = "observe"
[override.enforced]
mode = "enforce"
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
            decode: |_| Ok(DecodedEvent::default()),
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
                not seen: documents at `tool.persist`: hide [unseen, partly] at []
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
                not seen: prompts (`Prompt` is not registered): no-secrets [not-registered] at ["Prompt"]
                asks about calls at `Pre` become refusals: ask, enforced [refused] at ["Pre"]
                rewritten calls at `Pre` are refused: edit [refused] at ["Pre"]
                calls for a sandbox are refused: boxed [refused] at ["Pre", "Other"]
                results cannot be redacted: hide [recorded] at ["Post"]
                not seen: documents at `tool.persist`: hide [unseen, partly] at []
            "#]],
        );
        // Only what an agent cannot do is said, and at which event.
        check(
            const {
                &[
                    Hook::new("Pre", Point::ToolBefore, Can::DENY.ask().rewrite()),
                    Hook::new("PreRead", Point::ToolBefore, Can::WATCH),
                    Hook::new("Post", Point::ToolAfter, Can::DENY.rewrite()),
                    Hook::new("PostFailure", Point::ToolAfter, Can::WATCH),
                    Hook::new("Persist", Point::ToolPersist, Can::DENY.rewrite()),
                    Hook::new("Prompt", Point::PromptSubmit, Can::DENY),
                    Hook::new("Expansion", Point::PromptSubmit, Can::WATCH),
                ]
            },
            &expect![[r#"
                prompts at `Expansion` cannot be refused, only recorded: no-secrets [recorded] at ["Expansion"]
                calls at `PreRead` cannot be asked about or refused, only recorded: ask, enforced [recorded] at ["PreRead"]
                calls at `PreRead` cannot be rewritten: edit [recorded] at ["PreRead"]
                calls at `Pre` for a sandbox are refused: boxed [refused] at ["Pre"]
                calls at `PreRead` cannot be sent to a sandbox, only recorded: boxed [recorded] at ["PreRead"]
                error messages of failed tools cannot be redacted: hide [recorded] at ["PostFailure"]
            "#]],
        );
        check(
            const { &[Hook::new("Post", Point::ToolAfter, Can::DENY)] },
            &expect![[r#"
                not seen: prompts: no-secrets [unseen] at []
                not seen: calls: ask, enforced [unseen] at []
                not seen: calls: edit [unseen] at []
                not seen: calls: boxed [unseen] at []
                results with credentials are withheld instead of redacted: hide [refused] at ["Post"]
                not seen: documents at `tool.persist`: hide [unseen, partly] at []
            "#]],
        );
    }
}

//! What becomes of the policy in each agent, for `tollgate check`.

use std::fmt::Write;

use serde_json::{Value, json};
use tollgate_config::{Paths, Plan};
use tollgate_engine::Installed;
use tollgate_hook::failing::{Failing, failing};
use tollgate_hook::{AGENTS, Agent, Degraded, degraded, find};

use super::Failure;
use crate::args::{Check, Policy};
use crate::output::{Paint, visible, wrap};

/// How many rules are named before they are only counted.
const NAMED: usize = 2;

/// The agents that somebody wants to see: the one they name, all, or those that are registered.
pub(super) fn wanted(policy: &Policy, args: &Check) -> Result<Vec<&'static Agent>, Failure> {
    if let Some(name) = &args.agent {
        let known = || AGENTS.iter().map(|agent| agent.id).collect::<Vec<_>>().join(", ");
        let found =
            find(name).ok_or_else(|| format!("there is no agent `{}`; known are {}", visible(name), known()))?;
        return Ok(vec![found]);
    }
    if args.all_agents || args.json.json {
        return Ok(AGENTS.to_vec());
    }
    let paths = Paths::of_process(policy.config.as_deref())?;
    let installed = paths.data().ok().and_then(|data| Installed::read(data).ok()).unwrap_or_default();
    Ok(installed.agents().into_iter().filter_map(|(agent, _)| find(agent)).collect())
}

/// A few lines for each agent.
pub(super) fn show(agents: &[&'static Agent], plan: &Plan, paint: Paint) -> String {
    let mut out = String::new();
    for agent in agents {
        let _ = writeln!(out, "\n{}", paint.bold(agent.id));
        let mut line = |text: &str| {
            let _ = writeln!(out, "  {}", wrap(text, 4, 80).trim_start());
        };
        let (degraded, unseen) = split(agent, plan);
        for one in degraded.iter().chain(unseen.iter().filter(|one| !one.partly)) {
            line(&format!("{} ({})", one.words(), rules(one)));
        }
        let fails = failing(agent.id);
        line(&fails.sentence());
        for unseen in agent.unseen {
            line(&format!("no hook sees {unseen}"));
        }
    }
    out
}

/// What an agent does otherwise than was decided, and what it never asks about.
fn split(agent: &Agent, plan: &Plan) -> (Vec<Degraded>, Vec<Degraded>) {
    degraded(agent, plan).into_iter().partition(|one| one.instead.is_seen())
}

fn rules(degraded: &Degraded) -> String {
    let rules = &degraded.rules;
    if rules.len() <= NAMED { visible(&rules.join(", ")) } else { format!("{} rules", rules.len()) }
}

/// Everything, by the agent's id.
pub(super) fn document(agents: &[&'static Agent], plan: &Plan) -> Value {
    let of = |agent: &&'static Agent| {
        let Failing { killed, slow, missing, switch, evidence, .. } = failing(agent.id);
        let (degraded, unseen) = split(agent, plan);
        let row = |one: &Degraded| {
            json!({
                "on": one.point.name(),
                "decision": one.decision,
                "becomes": one.instead.word(),
                "events": one.events,
                "rules": one.rules,
                "partly": one.partly,
                "words": one.words(),
            })
        };
        let about = json!({
            "degraded": degraded.iter().map(row).collect::<Vec<_>>(),
            "not_seen": unseen.iter().map(row).collect::<Vec<_>>(),
            "unseen": agent.unseen,
            "on_failure": {
                "killed": killed.word(),
                "slow": slow.word(),
                "missing": missing.word(),
                "switch": switch,
                "seen": evidence == tollgate_hook::failing::Evidence::Seen,
            },
        });
        (agent.id.to_owned(), about)
    };
    Value::Object(agents.iter().map(of).collect())
}

//! What agents do when their hook fails: when Tollgate is killed, does not answer in time, or is not there at all.
//!
//! Whatever goes wrong within Tollgate is answered by Tollgate. These are the rest, and nobody but the agent can answer
//! for them. Each line says what happens with the registration that `tollgate init` writes.

/// What becomes of a call whose hook failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It happens.
    Runs,
    /// It does not.
    Denied,
    /// Nobody has seen that.
    Unknown,
}

/// How it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The agent was run and seen.
    Seen,
    /// It was read in the agent's source or documentation.
    Read,
}

/// What one agent does when its hook fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The agent's id.
    pub agent: &'static str,
    /// The process is killed, or crashes in a way that it cannot answer.
    pub killed: Then,
    /// It does not answer within the time that the registration gives it.
    pub slow: Then,
    /// The program is not there.
    pub missing: Then,
    /// The setting that makes the agent refuse then, if it has one. `tollgate init` writes it; without it calls run.
    pub switch: Option<&'static str>,
    /// How that is known.
    pub evidence: Evidence,
}

const fn line(agent: &'static str, [killed, slow, missing]: [Then; 3], evidence: Evidence) -> Failing {
    Failing { agent, killed, slow, missing, switch: None, evidence }
}

const fn closed(agent: &'static str, switch: &'static str, evidence: Evidence) -> Failing {
    Failing { switch: Some(switch), ..line(agent, [Then::Denied; 3], evidence) }
}

/// Every agent's line.
pub const FAILING: &[Failing] = {
    use Evidence::{Read, Seen};
    use Then::{Denied, Runs};
    &[
        closed("claude-code", "onFailure: \"block\"", Seen),
        line("codex", [Runs, Runs, Runs], Seen),
        // A shell that finds no program says so with an exit status that Gemini takes for a refusal.
        line("gemini-cli", [Runs, Runs, Denied], Seen),
        closed("cursor", "failClosed: true", Read),
        line("copilot", [Denied, Runs, Denied], Seen),
        // The shim refuses for us, whatever it waits for in vain. Without the shim nothing asks.
        line("opencode", [Denied, Denied, Denied], Seen),
        line("openclaw", [Denied, Denied, Denied], Seen),
        line("qwen-code", [Runs, Runs, Runs], Seen),
        line("cline", [Runs, Runs, Runs], Read),
        line("windsurf", [Runs, Runs, Runs], Read),
        line("droid", [Runs, Runs, Runs], Seen),
        line("kiro", [Runs, Runs, Runs], Read),
        line("goose", [Runs, Runs, Runs], Read),
    ]
};

/// What an agent does when its hook fails. Of one that nobody wrote down, nothing is known.
///
/// ```
/// use tollgate_hook::failing::{Then, failing};
///
/// assert_eq!(failing("codex").missing, Then::Runs);
/// assert_eq!(failing("claude-code").sentence(), "if tollgate is killed, too slow or missing, calls are refused");
/// ```
pub fn failing(agent: &'static str) -> Failing {
    let known = FAILING.iter().find(|line| line.agent == agent).copied();
    known.unwrap_or(line(agent, [Then::Unknown; 3], Evidence::Read))
}

impl Then {
    /// In words: "if that happens, …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Runs => "calls run unwatched",
            Self::Denied => "calls are refused",
            Self::Unknown => "it is not known what happens",
        }
    }

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Denied => "denied",
            Self::Unknown => "unknown",
        }
    }
}

impl Failing {
    /// All of it in a sentence.
    pub fn sentence(&self) -> String {
        let mut parts: Vec<(Vec<&str>, Then)> = Vec::new();
        for (case, then) in self.cases() {
            match parts.iter_mut().find(|(_, known)| *known == then) {
                Some((cases, _)) => cases.push(case),
                None => parts.push((vec![case], then)),
            }
        }
        let said = parts.iter().map(|(cases, then)| format!("if tollgate is {}, {}", listed(cases), then.words()));
        said.collect::<Vec<_>>().join("; ")
    }

    /// The cases in which calls run unwatched, as the end of the sentence "if tollgate is …".
    ///
    /// ```
    /// use tollgate_hook::failing::failing;
    ///
    /// assert_eq!(failing("gemini-cli").open().as_deref(), Some("killed or too slow"));
    /// assert_eq!(failing("claude-code").open(), None);
    /// ```
    pub fn open(&self) -> Option<String> {
        let open = self.cases().into_iter().filter(|(_, then)| *then == Then::Runs);
        let open: Vec<&str> = open.map(|(case, _)| case).collect();
        (!open.is_empty()).then(|| listed(&open))
    }

    fn cases(&self) -> [(&'static str, Then); 3] {
        [("killed", self.killed), ("too slow", self.slow), ("missing", self.missing)]
    }
}

fn listed(cases: &[&str]) -> String {
    match cases {
        [first, second, third] => format!("{first}, {second} or {third}"),
        _ => cases.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::AGENTS;

    #[test]
    fn every_agent_has_its_line_once() {
        let lines: Vec<&str> = FAILING.iter().map(|line| line.agent).collect();
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len());
        for agent in AGENTS {
            assert!(lines.contains(&agent.id), "`{}` has no line in `FAILING`", agent.id);
        }
    }

    #[test]
    fn sentences() {
        for (agent, expected) in [
            ("codex", "if tollgate is killed, too slow or missing, calls run unwatched"),
            (
                "gemini-cli",
                "if tollgate is killed or too slow, calls run unwatched; if tollgate is missing, calls are refused",
            ),
            (
                "copilot",
                "if tollgate is killed or missing, calls are refused; if tollgate is too slow, calls run unwatched",
            ),
            ("nobody", "if tollgate is killed, too slow or missing, it is not known what happens"),
        ] {
            assert_eq!(failing(agent).sentence(), expected, "{agent}");
        }
    }
}

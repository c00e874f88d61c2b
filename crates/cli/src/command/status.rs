//! `tollgate status`

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_audit::{AuditError, Reader, Record};
use tollgate_clock::SystemClock;
use tollgate_config::{Paths, Plan};
use tollgate_core::Clock;
use tollgate_engine::record::FOLDER;
use tollgate_engine::{Installed, Stand, Switch};
use tollgate_hook::find;
use tollgate_rules::form::Mode;

use super::Done;
use crate::args::Policy;
use crate::open;
use crate::output::{Paint, print, print_json, short, thousands, visible, wrap};

/// How many of the newest records are looked at.
const RECENT: usize = 10_000;

pub(super) fn run(policy: &Policy, json: bool, paint: Paint) -> Done {
    let paths = Paths::of_process(policy.config.as_deref())?;
    let plan = open::plan(policy, Paint::PLAIN).ok();
    let state = paths.state().ok();
    let stand = state.map(|state| Switch::at(state).read(SystemClock::default().wall())).unwrap_or_default();
    let installed = paths.data().map(Installed::read).unwrap_or_else(|_| Ok(Installed::default()));
    let log = state.map(|state| look(&state.join(FOLDER))).unwrap_or_else(|| Ok(Seen::default()));
    let status = Status { plan: plan.as_ref(), stand: &stand, installed: &installed, log: &log };
    if json {
        print_json(&status.document())?;
    } else {
        print(&status.show(paint))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything there is to say.
struct Status<'a> {
    /// None if it has mistakes.
    plan: Option<&'a Plan>,
    stand: &'a Stand,
    installed: &'a std::io::Result<Installed>,
    log: &'a Result<Seen, AuditError>,
}

/// What the record says.
#[derive(Default)]
struct Seen {
    /// The number of the newest record.
    newest: u64,
    /// The number and time of the oldest that is kept.
    oldest: Option<(u64, String)>,
    /// The newest refusal, with its reason.
    refused: Option<(Record, Option<String>)>,
    /// When each agent was seen last.
    agents: BTreeMap<String, String>,
}

fn look(dir: &Path) -> Result<Seen, AuditError> {
    let (reader, mut seen) = (Reader::new(dir), Seen::default());
    for line in reader.lines_back()?.take(RECENT) {
        let record = line?.record()?;
        seen.newest = seen.newest.max(record.seq);
        if let Some(agent) = &record.agent {
            seen.agents.entry(agent.clone()).or_insert_with(|| record.time.clone());
        }
        if seen.refused.is_none() && is_refusal(&record) {
            let beside = reader.entry(record.seq)?.and_then(|entry| entry.fields.value("reason"));
            seen.refused = Some((record, beside.and_then(|reason| reason.as_str().map(str::to_owned))));
        }
    }
    let first = reader.lines_from(0, 0)?.next().transpose()?;
    seen.oldest = first.map(|line| line.record()).transpose()?.map(|record| (record.seq, record.time));
    Ok(seen)
}

/// A call that did not happen. Its end says so once more.
fn is_refusal(record: &Record) -> bool {
    record.act.as_deref() == Some("deny") && record.ended.as_deref() != Some("denied")
}

impl Status<'_> {
    fn document(&self) -> Value {
        let policy = self.plan.map(|plan| {
            let file = |file: &tollgate_config::File| json!({ "layer": file.layer, "path": file.path });
            json!({
                "mode": plan.mode,
                "files": plan.files.iter().map(file).collect::<Vec<_>>(),
                "packs": plan.packs,
                "rules": plan.rules.len(),
                "recorded": plan.audit.enabled,
            })
        });
        let log = self.log.as_ref().map_or_else(
            |error| json!({ "error": error.to_string() }),
            |seen| {
                let last = seen.refused.as_ref().map(|(record, reason)| {
                    let Record { seq, time, agent, tool, rule, by, point, .. } = record;
                    json!({ "seq": seq, "time": time, "agent": agent, "tool": tool, "on": point, "rule": rule, "by": by, "reason": reason })
                });
                json!({
                    "records": seen.count(),
                    "since": seen.oldest.as_ref().map(|(_, time)| time),
                    "last_refusal": last,
                    "last_seen": seen.agents,
                })
            },
        );
        json!({
            "policy": policy,
            "halted": self.stand.halted,
            "paused": self.stand.paused,
            "pause_ignored": self.stand.doubted,
            "agents": self.agents(),
            "agents_error": self.installed.as_ref().err().map(ToString::to_string),
            "log": log,
        })
    }

    /// Each agent that is registered or was seen: since when, and when it was seen last.
    fn agents(&self) -> Value {
        let mut agents: BTreeMap<&str, (bool, Option<&str>, Option<&str>)> = BTreeMap::new();
        for (agent, since) in self.installed.iter().flat_map(Installed::agents) {
            agents.insert(agent, (true, since, None));
        }
        for (agent, time) in self.log.iter().flat_map(|seen| &seen.agents) {
            agents.entry(agent).or_default().2 = Some(time);
        }
        let shown = agents.into_iter().map(|(agent, (registered, since, seen))| {
            json!({ "agent": agent, "registered": registered, "since": since, "last_seen": seen })
        });
        shown.collect()
    }

    fn show(&self, paint: Paint) -> String {
        let mut out = String::new();
        let mut line = |name: &str, text: &str, alarm: bool| {
            let text = wrap(text, 10, 80);
            let text = text.trim_start();
            let _ = writeln!(out, "{name:<10}{}", if alarm { paint.yellow(text) } else { text.to_owned() });
        };
        if let Some(halt) = &self.stand.halted {
            line("halted", &visible(&halt.refusal()), true);
        }
        // A halt keeps a pause from holding, and a person wants to know of both.
        for told in (Stand { halted: None, ..self.stand.clone() }).tells() {
            line("paused", &visible(&told), true);
        }
        match self.plan {
            None => line("policy", "it has mistakes, so nothing is let through; `tollgate check` shows them", true),
            Some(plan) => policy(plan, &mut line),
        }
        self.show_agents(&mut line);
        match self.log {
            Err(error) => line("record", &visible(&error.to_string()), true),
            Ok(seen) => seen.show(self.plan.is_none_or(|plan| plan.audit.enabled), &mut line),
        }
        out
    }

    fn show_agents(&self, line: &mut impl FnMut(&str, &str, bool)) {
        if let Err(error) = self.installed {
            line("agents", &visible(&format!("what is registered cannot be told: {error}")), true);
        }
        let agents = self.agents();
        let agents = agents.as_array().map(Vec::as_slice).unwrap_or_default();
        if agents.is_empty() {
            line("agents", "none is registered or was seen; `tollgate init` registers them", false);
        }
        for agent in agents {
            let text = |name: &str| agent.get(name).and_then(Value::as_str);
            let id = text("agent").unwrap_or_default();
            let title = find(id).map_or_else(|| visible(id), |known| known.title.to_owned());
            let registered = agent.get("registered") == Some(&Value::Bool(true));
            let since = match (registered, text("since")) {
                (true, Some(since)) => format!("registered since {}", time(since)),
                (true, None) => "registered".to_owned(),
                (false, _) => "not registered by `tollgate init`".to_owned(),
            };
            let seen = text("last_seen").map_or("never seen".to_owned(), |seen| format!("last seen {}", time(seen)));
            line("agent", &format!("{title}: {since}, {seen}"), !registered);
        }
    }
}

fn policy(plan: &Plan, line: &mut impl FnMut(&str, &str, bool)) {
    if plan.files.is_empty() {
        line("policy", "no file, so the default packs hold", false);
    }
    for file in &plan.files {
        let path = visible(&file.path.display().to_string());
        line("policy", &format!("{path} ({})", file.layer.name()), false);
    }
    let packs = if plan.packs.is_empty() { "none".to_owned() } else { plan.packs.join(", ") };
    line("packs", &format!("{packs}; {} rules in all", plan.rules.len()), plan.packs.is_empty());
    if plan.mode == Mode::Observe {
        line("mode", "observe: nothing is stopped, only recorded", true);
    }
    if plan.dry_run {
        line("mode", "dry run: tools that write are answered instead of run", true);
    }
}

impl Seen {
    fn count(&self) -> u64 {
        self.oldest.as_ref().map_or(0, |(first, _)| (self.newest + 1).saturating_sub(*first))
    }

    fn show(&self, enabled: bool, line: &mut impl FnMut(&str, &str, bool)) {
        if !enabled {
            line("record", "off: nothing of what happens is recorded", true);
        }
        let Some((_, since)) = &self.oldest else {
            line("record", "nothing is recorded yet", false);
            return;
        };
        let count = self.count();
        let records = if count == 1 { "record" } else { "records" };
        line("record", &format!("{} {records} since {}", thousands(count), time(since)), false);
        let Some((record, reason)) = &self.refused else {
            line("refused", &format!("nothing of the newest {}", thousands(count.min(RECENT as u64))), false);
            return;
        };
        let word = |text: &Option<String>| text.as_deref().map(|text| short(&visible(text), 40));
        let agent = word(&record.agent).map(|agent| format!("{agent}, ")).unwrap_or_default();
        let what = word(&record.tool).or_else(|| word(&record.point)).unwrap_or_default();
        let rule = word(&record.rule).or_else(|| word(&record.by)).unwrap_or_default();
        let why = reason.as_deref().map(|reason| short(&visible(reason), 200)).unwrap_or_default();
        // A rule's reason begins with its name.
        let why = if why.starts_with(&format!("{rule}: ")) { why } else { format!("{rule}: {why}") };
        line("refused", &format!("{} {agent}{what}, by {why}", time(&record.time)), false);
        line("", &format!("tollgate log show {}", record.seq), false);
    }
}

/// A time as it stands in records, for people.
fn time(stamp: &str) -> String {
    let minutes = stamp.get(..16).map(|text| format!("{} UTC", text.replace('T', " ")));
    visible(&minutes.unwrap_or_else(|| stamp.to_owned()))
}

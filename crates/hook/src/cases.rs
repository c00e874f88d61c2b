//! Every case in `spec/cases` through this surface, for every agent: wrapped in the agent's own document, judged, and
//! the answer read as that agent would read it.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use expect_test::expect;
use serde_json::{Value, json};
use tollgate_core::{Ended, Pipeline, Point};
use tollgate_testkit::actors::{Log, hush_intended_panics};
use tollgate_testkit::case::{self, Case, Facts, Interceptor, Pattern};
use tollgate_testkit::{HastyClock, OnCore, Replay as _, Report};
use tollgate_wire::dialect::HookAnswer;

use crate::agent::{Agent, DecodedEvent, Hook};
use crate::agents::AGENTS;
use crate::run::{self, Gate};

mod native;

/// What a case says of a moment, with everything that core's pipeline adds to it.
struct Played<'a> {
    case: &'a Case,
    step: &'a case::Moment,
    report: Report,
}

impl Played<'_> {
    fn text(&self, key: &str) -> &str {
        self.report.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether a registration may have a turn here.
    fn due(&self, it: &Interceptor) -> bool {
        let name = |name: &str| name.trim().to_lowercase();
        let other = match (&it.tool, &self.step.event.name) {
            (Pattern::Exact(tool), Some(called)) => self.case.aliases.is_empty() && name(tool) != name(called),
            _ => false,
        };
        it.points.contains(&self.step.event.point) && !other
    }

    /// The facts that somebody looks at.
    fn facts(&self) -> impl Iterator<Item = &str> {
        self.case.registrations.iter().filter(|it| self.due(it)).flat_map(|it| {
            let selected = [
                ("agent", &it.agent),
                ("session", &it.session),
                ("surface", &it.surface),
                ("server", &it.server),
                ("model", &it.model),
            ];
            let selected = selected.into_iter().filter(|(_, pattern)| !matches!(pattern, Pattern::Any));
            selected.map(|(fact, _)| fact).chain(it.params.get("fact").and_then(Value::as_str))
        })
    }
}

/// A case about some agent, as one about this agent.
fn about(agent: &Agent, case: &Case) -> Case {
    let mut case = case.clone();
    let Some(told) = case.steps.iter().find_map(|step| step.event.agent.clone()) else { return case };
    for step in &mut case.steps {
        step.event.agent.iter_mut().filter(|name| **name == told).for_each(|name| agent.id.clone_into(name));
    }
    for it in &mut case.registrations {
        if matches!(&it.agent, Pattern::Exact(name) if *name == told) {
            it.agent = Pattern::Exact(agent.id.to_owned());
        }
        if it.params.get("fact") == Some(&json!("agent")) && it.params.get("is") == Some(&json!(told)) {
            it.params["is"] = json!(agent.id);
        }
    }
    case
}

/// Why a case cannot be told in an agent's words, or that it was answered as it must be.
type Told = Result<(), &'static str>;

fn pipeline(case: &Case, log: &Log) -> Pipeline {
    case.registry(Arc::new(HastyClock::default()), log).unwrap().snapshot()
}

/// The event of an agent that stands for a moment.
fn hook(agent: &'static Agent, facts: &Facts) -> Result<&'static Hook, &'static str> {
    let point: Point = facts.point.parse().unwrap();
    let failed = facts.ended.as_deref() == Some("error");
    let fits = |hook: &&Hook| hook.point == point && hook.permission == facts.permission;
    let all: Vec<_> = agent.hooks.iter().filter(fits).collect();
    let named = |word: &str| all.iter().find(|hook| hook.name.to_lowercase().contains(word)).copied();
    // Windsurf has an event for each kind of tool, and Cline's documents say more under other names.
    let special = || ["mcp_tool_use", "tool_call", "tool_result"].into_iter().find_map(named);
    if failed { named("failure").or_else(special) } else { special() }
        .or_else(|| all.first().copied())
        .ok_or("the agent has no such event")
}

/// Plays one moment through an agent's hook, and says what is wrong with the answer by panicking.
fn play(agent: &'static Agent, pipeline: &Pipeline, log: &Log, played: &Played<'_>) -> Told {
    let (step, facts) = (played.step, &played.step.event);
    let plain = [
        (!facts.chain.is_empty(), "a hook is caused by nobody"),
        (!step.body.headers.is_empty(), "a hook has no headers"),
        (step.cannot_wait, "a hook can wait"),
        (facts.became.is_some(), "a hook renames nothing"),
        (facts.attempt.is_some(), "a hook sees no attempts"),
    ];
    plain.iter().find(|(applies, _)| *applies).map_or(Ok(()), |(_, why)| Err(*why))?;
    let renames = |it: &Interceptor| it.actor == "rename" && played.due(it);
    if !facts.fixed_name && played.case.registrations.iter().any(renames) {
        return Err("a hook renames nothing");
    }
    let hook = hook(agent, facts)?;
    let text = native::document(agent.id, hook, facts, &step.body)?;
    if tollgate_wire::read(text.as_bytes()).0.is_err() {
        return Err("the agent's document would be no JSON");
    }
    let mut doc = Value::Null;
    let read = run::read(agent, Some(hook.name), text.as_bytes(), &mut doc);
    let read = read.unwrap_or_else(|answer| panic!("{text} is refused: {answer:?}"));
    assert_eq!((read.agent.id, read.payload.hook.name), (agent.id, hook.name), "{text}");
    // One of its own: what the pipeline is given, nobody has looked at.
    let decoded = (agent.decode)(&read.payload).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    tells(agent, hook, &decoded, played)?;
    let gate = Gate { pipeline: pipeline.clone(), engine: None, here: None, tells: Vec::new() };
    let answer = run::answer(&gate, &read);
    let seen = log.take();
    if let Some(expected) = step.expect.get("seen") {
        assert!(json!(seen).as_array().unwrap().starts_with(expected.as_array().unwrap()), "{expected}: {seen:?}");
    }
    check(agent, hook, played, &answer).unwrap_or_else(|problem| panic!("{problem}\n{text}\n{answer:?}"));
    Ok(())
}

/// Whether what the agent tells is what the case is about.
fn tells(agent: &Agent, hook: &Hook, decoded: &DecodedEvent<'_>, played: &Played<'_>) -> Told {
    let facts = &played.step.event;
    let own = |text: &Option<String>| text.clone().unwrap_or_default();
    let ended = decoded.ended.map(|ended: Ended| format!("{ended:?}").to_lowercase());
    let known = [
        // The name that everything goes by has the server in it.
        ("name", own(&facts.server) == decoded.server.unwrap_or_default()),
        ("written", own(&facts.name) == decoded.tool.unwrap_or_default()),
        ("call_id", own(&facts.call_id) == decoded.call_id.unwrap_or_default()),
        ("session", own(&facts.session) == decoded.session.unwrap_or_default()),
        ("agent", own(&facts.agent) == agent.id),
        ("surface", own(&facts.surface) == run::SURFACE),
        ("server", own(&facts.server) == decoded.server.unwrap_or_default()),
        ("model", own(&facts.model) == decoded.model.unwrap_or_default()),
        ("cwd", own(&facts.cwd) == decoded.cwd.unwrap_or_default()),
        ("native", facts.native.as_deref() == Some(hook.name)),
        ("ended", facts.ended == ended),
        ("principal", facts.principal.is_none()),
        ("labels", facts.labels.is_empty()),
        ("own", facts.own.is_empty()),
    ];
    let differs = |fact: &str| known.iter().any(|(name, same)| *name == fact && !same);
    if decoded.tool.is_some() && differs("written") {
        return Err("the agent has another name for the tool");
    }
    if facts.ended.is_some() && facts.ended.as_deref() != Some("ok") && differs("ended") {
        return Err("the agent does not tell that end");
    }
    if played.facts().any(differs) || facts.server.is_some() && differs("name") {
        return Err("the agent does not tell a fact that counts");
    }
    let (came, meant) = (decoded.body.json().ok().cloned(), played.step.body.build().json().ok().cloned());
    let given = &played.step.body;
    let counts = hook.point.is_gate() && (given.json.is_some() || given.raw.is_some());
    if !counts || came == meant { Ok(()) } else { Err("the agent has another document there") }
}

/// Whether an answer means what was decided.
fn check(agent: &Agent, hook: &Hook, played: &Played<'_>, answer: &HookAnswer) -> Result<(), String> {
    let said = format!("{}{}", answer.stdout, answer.stderr);
    let denied = native::denies(agent.id, hook, answer);
    let silent = HookAnswer { stdout: hook.neutral.to_owned(), ..HookAnswer::SILENT };
    // Where nothing can be held up, it is told, if anybody can be.
    let refused = |why: &str| match (hook.can.deny, hook.can.tell) {
        (true, _) if !denied => Err(format!("is not refused, and should be ({why})")),
        (false, true) if *answer == silent => Err(format!("is not told: {why}")),
        (false, false) if *answer != silent => Err("says what nobody reads".to_owned()),
        // A list without tools has no room for words.
        (can, tell)
            if (can || tell) && hook.point != Point::ToolList && !why.is_empty() && !said.contains(&quoted(why)) =>
        {
            Err(format!("does not say why: {why}"))
        }
        _ => Ok(()),
    };
    let came = played.step.body.build();
    let before = came.json().ok().cloned().unwrap_or_default();
    let after = played.report.get("body").cloned().unwrap_or_default();
    // What could be read in two ways, and cannot any more, is another document too.
    let settled = came.ambiguity().is_some()
        && played.report.get("bytes") != played.step.body.raw.clone().map(Value::from).as_ref();
    let rewritten = hook.point.is_gate() && (before != after || settled);
    let routed = played.report.get("route").is_some_and(|route| !route.is_null());
    match played.text("act") {
        "deny" => refused(played.text("reason")),
        "ask" if rewritten && native::asks_only_as_it_is(agent.id) => refused(""),
        "ask" if hook.can.ask && (!rewritten || hook.can.rewrite) && !routed => {
            let asks = native::asks(agent.id, hook, answer) && (!rewritten || native::carries(answer, &after));
            if asks { Ok(()) } else { Err("is not asked".to_owned()) }
        }
        "ask" | "route" | "answer" => refused(""),
        "pass" if rewritten && denied && native::cannot_carry(agent.id, hook, &before, &after) => Ok(()),
        "pass" if rewritten && hook.can.rewrite => {
            let carried = native::carries(answer, &after);
            if carried { Ok(()) } else { Err(format!("is not rewritten to {after}")) }
        }
        "pass" if rewritten => refused(""),
        "pass" => {
            let lists = [("notes", hook.can.note), ("tells", hook.can.tell)];
            let said_all = lists.iter().all(|(key, can)| {
                let texts = played.report.get(*key).and_then(Value::as_array).cloned().unwrap_or_default();
                !can || texts.iter().all(|text| said.contains(&quoted(text.as_str().unwrap())))
            });
            let nothing = lists
                .iter()
                .all(|(key, can)| !can || played.report.get(*key).and_then(Value::as_array).is_none_or(Vec::is_empty));
            match (nothing, *answer == silent) {
                (true, false) => Err("says something".to_owned()),
                (false, _) if !said_all => Err("leaves something unsaid".to_owned()),
                _ => Ok(()),
            }
        }
        act => Err(format!("unknown act {act}")),
    }
}

/// A text as it stands in JSON.
fn quoted(text: &str) -> String {
    json!(text.trim()).to_string().trim_matches('"').to_owned()
}

#[test]
fn every_agent_answers_what_the_cases_say() {
    hush_intended_panics();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases");
    let cases = case::load_all(&folder).unwrap();
    let mut counts: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (agent, case) in AGENTS.iter().flat_map(|agent| cases.iter().map(|case| (*agent, about(agent, case)))) {
        let reports = OnCore.play(&case).unwrap();
        for (step, report) in case.steps.iter().zip(reports) {
            let log = Log::default();
            let pipeline = pipeline(&case, &log);
            let played = Played { case: &case, step, report };
            let run = || play(agent, &pipeline, &log, &played);
            let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let (expressed, why) = counts.entry(agent.id).or_default();
            match told {
                Ok(Ok(())) => *expressed += 1,
                Ok(Err(reason)) => *why.entry(reason).or_default() += 1,
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                    wrong.push(format!("{} through {}: {text}", case.name, agent.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} moments:\n{}", wrong.len(), wrong.join("\n"));
    let mut out = String::new();
    for agent in AGENTS {
        let (expressed, why) = &counts[agent.id];
        let _ = writeln!(out, "{}: {expressed}", agent.id);
        for (reason, count) in why {
            let _ = writeln!(out, "    {count} not: {reason}");
        }
    }
    expect![[r#"
        claude-code: 163
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            8 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            1 not: the agent has another document there
            25 not: the agent has no such event
            7 not: the agent's document would be no JSON
        codex: 157
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            25 not: the agent has no such event
            7 not: the agent's document would be no JSON
        gemini-cli: 167
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            11 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            17 not: the agent has no such event
            7 not: the agent's document would be no JSON
        copilot: 154
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            14 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            4 not: the agent has another document there
            25 not: the agent has no such event
            7 not: the agent's document would be no JSON
        cursor: 157
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            1 not: the agent has another document there
            26 not: the agent has no such event
            7 not: the agent's document would be no JSON
        opencode: 150
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            32 not: the agent has no such event
            7 not: the agent's document would be no JSON
        openclaw: 167
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            6 not: the agent has another document there
            11 not: the agent has no such event
            7 not: the agent's document would be no JSON
        qwen-code: 158
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            1 not: the agent has another document there
            25 not: the agent has no such event
            7 not: the agent's document would be no JSON
        cline: 155
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            13 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            1 not: the agent has another document there
            28 not: the agent has no such event
            7 not: the agent's document would be no JSON
        windsurf: 151
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            11 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            33 not: the agent has no such event
            7 not: the agent's document would be no JSON
        droid: 154
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            14 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            27 not: the agent has no such event
            7 not: the agent's document would be no JSON
        kiro: 145
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            19 not: the agent does not tell a fact that counts
            5 not: the agent does not tell that end
            1 not: the agent has another document there
            31 not: the agent has no such event
            7 not: the agent's document would be no JSON
        goose: 152
            2 not: a hook can wait
            1 not: a hook has no headers
            9 not: a hook is caused by nobody
            13 not: a hook renames nothing
            1 not: a hook sees no attempts
            14 not: the agent does not tell a fact that counts
            4 not: the agent does not tell that end
            1 not: the agent has another document there
            30 not: the agent has no such event
            7 not: the agent's document would be no JSON
    "#]]
    .assert_eq(&out);
}

//! Every tool of real servers gets calls with ordinary values: whatever is stopped needs a reason that a reader accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::made_up::{self, Offer};
use super::table::percent;
use super::{batch, text};
use crate::{Result, cargo};

/// A call that was made up, and what we think of it.
struct Judged<'j> {
    call: &'j Value,
    answer: &'j Value,
    /// It says itself that something will be gone.
    by_verb: bool,
}

/// One tool a line, as servers list them.
pub(super) fn of_servers(file: &Path, show: usize) -> Result {
    let tools = batch::lines(file)?;
    let offer = |tool| offer(cargo::text(tool, "server"), tool, "tool", "inputSchema");
    run(file, &tools.iter().map(offer).collect::<Vec<_>>(), show)
}

/// The tools of each suite.
pub(super) fn of_suites(file: &Path, show: usize) -> Result {
    let suites = batch::parse(&batch::read(file)?)?;
    let suites = suites.as_object().into_iter().flatten();
    let offers = suites.flat_map(|(suite, tools)| {
        tools.as_array().into_iter().flatten().map(|tool| offer(suite, tool, "name", "parameters"))
    });
    run(file, &offers.collect::<Vec<_>>(), show)
}

fn offer<'o>(server: &'o str, tool: &'o Value, name: &str, schema: &str) -> Offer<'o> {
    let description = cargo::text(tool, "description");
    Offer { server, tool: cargo::text(tool, name), description, schema: &tool[schema] }
}

fn run(file: &Path, offers: &[Offer], show: usize) -> Result {
    let calls: Vec<Value> = offers.iter().flat_map(calls).collect();
    let answers = batch::ask(&calls)?;
    let judged = calls.iter().zip(&answers).map(|(call, answer)| {
        let by_verb = made_up::by_verb(cargo::text(call, "tool"), &call["args"]);
        Judged { call, answer, by_verb }
    });
    let (by_verb, others): (Vec<Judged>, Vec<Judged>) = judged.partition(|judged| judged.by_verb);
    println!("\n# {}\n{} tools, {} calls made up from their schemas", file.display(), offers.len(), calls.len());
    part("by verb, calls that say themselves that something will be gone", &by_verb, show);
    part("the others", &others, show);
    Ok(())
}

fn calls(offer: &Offer) -> Vec<Value> {
    let call = |args| json!({ "server": offer.server, "tool": offer.tool, "args": args });
    made_up::calls(offer).into_iter().map(call).collect()
}

fn part(what: &str, judged: &[Judged], show: usize) {
    let stopped: Vec<&Judged> = judged.iter().filter(|judged| batch::stopped(judged.answer)).collect();
    println!("\n{what}: stopped {}", percent(stopped.len(), judged.len()));
    let mut rules: BTreeMap<String, Vec<&Judged>> = BTreeMap::new();
    for judged in stopped {
        rules.entry(text(judged.answer, "rule")).or_default().push(judged);
    }
    for (rule, judged) in rules {
        let mut tools = BTreeSet::new();
        let firsts: Vec<_> = judged.iter().filter(|judged| tools.insert(named(judged.call))).collect();
        println!("{rule}: {} calls, {} tools", judged.len(), firsts.len());
        firsts.iter().take(show).for_each(|judged| println!("  {judged}"));
    }
}

fn named(call: &Value) -> String {
    format!("{} {}", text(call, "server"), text(call, "tool"))
}

impl std::fmt::Display for Judged<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let call = batch::short(&format!("{} {}", named(self.call), self.call["args"]));
        write!(f, "{call} {}", text(self.answer, "reason").lines().next().unwrap_or_default())
    }
}

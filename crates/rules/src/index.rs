//! Finds the rules that may apply, without asking them all.
//!
//! Every rule is filed under the one thing about it that tells most: a text that must be in the document, a text that
//! must be in a path or host, the tool's name, the kinds of effects. What is found this way may apply; whether it does
//! is asked of the rule itself, so filing can only ever make things faster.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use serde_json::Value;
use tollgate_core::{Body, Fault, Name, Point};
use tollgate_shell::Kind;

use crate::compile::Rule;
use crate::facts::CallFacts;

/// How many names matched by patterns are remembered. Names come from models, which can make up any number.
const REMEMBERED: usize = 1024;

/// The rules of all points.
#[derive(Debug, Default)]
pub(crate) struct Index {
    chains: BTreeMap<Point, Chain>,
}

/// The rules of one point.
#[derive(Debug, Default)]
struct Chain {
    document: Literals,
    effects: Literals,
    named: HashMap<Box<str>, Bucket>,
    /// Rules for tools by pattern, and what that came to for names seen before.
    patterns: Vec<u32>,
    remembered: RwLock<HashMap<Box<str>, Arc<Bucket>>>,
    any: Bucket,
}

/// Rules found by a text.
#[derive(Debug, Default)]
struct Literals {
    automaton: Option<AhoCorasick>,
    /// For every text, the rules it leads to.
    rules: Vec<Vec<u32>>,
    texts: HashMap<String, usize>,
}

/// Rules found by what the call does, or always.
#[derive(Debug, Default)]
struct Bucket {
    always: Vec<u32>,
    by_kind: HashMap<Kind, Vec<u32>>,
}

impl Index {
    /// Files those rules for which `takes` holds.
    pub(crate) fn new(rules: &[Rule], takes: impl Fn(&Rule) -> bool) -> Self {
        let mut index = Self::default();
        for (number, rule) in (0..).zip(rules).filter(|(_, rule)| takes(rule)) {
            for point in &rule.points {
                index.chains.entry(*point).or_default().file(number, rule);
            }
        }
        for chain in index.chains.values_mut() {
            chain.document.build();
            chain.effects.build();
        }
        index
    }

    /// The points at which there are rules.
    pub(crate) fn points(&self) -> Vec<Point> {
        self.chains.keys().copied().collect()
    }

    /// The rules that may apply, in order.
    pub(crate) fn candidates(&self, facts: &CallFacts<'_>, rules: &[Rule]) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        let Some(chain) = self.chains.get(&facts.event.point) else { return Ok(found) };
        chain.document.find_in_documents(facts, &mut found)?;
        chain.effects.find_in_effects(facts, &mut found)?;
        chain.any.find(facts, &mut found)?;
        for tool in facts.name().into_iter().flat_map(Name::all) {
            if let Some(bucket) = chain.named.get(tool) {
                bucket.find(facts, &mut found)?;
            }
            if !chain.patterns.is_empty() && !tool.is_empty() {
                chain.by_pattern(tool, rules).find(facts, &mut found)?;
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

impl Chain {
    fn file(&mut self, number: u32, rule: &Rule) {
        let condition = &rule.condition;
        if let Some(texts) = condition.document_literals() {
            return self.document.add(number, texts);
        }
        if let Some(texts) = condition.effect_literals() {
            return self.effects.add(number, texts);
        }
        match condition.tool.as_ref().map(|tool| tool.text.names()) {
            None => self.any.add(number, rule),
            Some(Some(names)) => {
                for name in names {
                    self.named.entry(name.into()).or_default().add(number, rule);
                }
            }
            Some(None) => self.patterns.push(number),
        }
    }

    fn by_pattern(&self, tool: &str, rules: &[Rule]) -> Arc<Bucket> {
        if let Some(bucket) = self.remembered.read().unwrap_or_else(PoisonError::into_inner).get(tool) {
            return Arc::clone(bucket);
        }
        let mut bucket = Bucket::default();
        for number in &self.patterns {
            if let Some(rule) = rules.get(*number as usize)
                && rule.condition.tool.as_ref().is_none_or(|pattern| pattern.text.fits(tool))
            {
                bucket.add(*number, rule);
            }
        }
        let bucket = Arc::new(bucket);
        let mut remembered = self.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() < REMEMBERED {
            remembered.insert(tool.into(), Arc::clone(&bucket));
        }
        bucket
    }
}

impl Bucket {
    fn add(&mut self, number: u32, rule: &Rule) {
        match rule.condition.effect_kinds() {
            None => self.always.push(number),
            Some(kinds) => kinds.into_iter().for_each(|kind| self.by_kind.entry(kind).or_default().push(number)),
        }
    }

    fn find(&self, facts: &CallFacts<'_>, found: &mut Vec<u32>) -> Result<(), Fault> {
        found.extend(&self.always);
        if !self.by_kind.is_empty() {
            for effect in facts.effects()? {
                found.extend(self.by_kind.get(&effect.kind).into_iter().flatten());
            }
        }
        Ok(())
    }
}

impl Literals {
    fn add(&mut self, number: u32, texts: Vec<String>) {
        for text in texts {
            let place = *self.texts.entry(text.to_ascii_lowercase()).or_insert_with(|| {
                self.rules.push(Vec::new());
                self.rules.len() - 1
            });
            if let Some(rules) = self.rules.get_mut(place) {
                rules.push(number);
            }
        }
    }

    fn build(&mut self) {
        let mut texts: Vec<(String, usize)> = std::mem::take(&mut self.texts).into_iter().collect();
        if texts.is_empty() {
            return;
        }
        texts.sort_unstable_by_key(|(_, place)| *place);
        let built = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(texts.iter().map(|(text, _)| text));
        // Too much for one automaton: then all of them are asked, as if there were none.
        self.automaton = built.ok();
    }

    fn find(&self, text: &str, found: &mut Vec<u32>) {
        let Some(automaton) = &self.automaton else { return };
        for hit in automaton.find_overlapping_iter(text) {
            found.extend(self.rules.get(hit.pattern().as_usize()).into_iter().flatten());
        }
    }

    /// Without an automaton everybody is found.
    fn all(&self, found: &mut Vec<u32>) -> bool {
        if self.automaton.is_none() {
            found.extend(self.rules.iter().flatten());
        }
        self.automaton.is_none()
    }

    fn find_in_documents(&self, facts: &CallFacts<'_>, found: &mut Vec<u32>) -> Result<(), Fault> {
        if self.all(found) {
            return Ok(());
        }
        let arguments = facts.event.arguments.map(Body::json).transpose()?;
        for document in arguments.into_iter().chain([facts.document()?]) {
            each_text(document, &mut |text| self.find(text, found));
        }
        Ok(())
    }

    fn find_in_effects(&self, facts: &CallFacts<'_>, found: &mut Vec<u32>) -> Result<(), Fault> {
        if self.all(found) {
            return Ok(());
        }
        for effect in facts.effects()? {
            effect.path.iter().chain(&effect.host).for_each(|text| self.find(text, found));
        }
        Ok(())
    }
}

fn each_text(value: &Value, work: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => work(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, work)),
        Value::Object(members) => members.values().for_each(|member| each_text(member, work)),
        _ => {}
    }
}

//! Expressions (CEL) over one event.
//!
//! An expression is read and checked once, when it is compiled: unknown names and functions, expressions that do not
//! compile, and everything that could make it slow. To run it, only the variables it names are worked out.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use cel::common::ast::SourceInfo;
use cel::parser::{Expression as Tree, ParseErrors};
use cel::{Context, Env, Value};
use tollgate_core::{Fault, FaultKind};

use crate::facts::CallFacts;
use crate::mistake::Mistake;

mod check;
mod functions;
mod values;

pub(crate) use functions::Pattern;
pub(crate) use values::Activation;

/// How long an expression may be, in bytes. Who needs more writes two rules.
const MAX_LENGTH: usize = 2_000;

/// How deep brackets may nest while reading, and operations afterwards.
const MAX_NESTING: u16 = 24;

/// How many steps macros (`all`, `exists`, `map`…) may take, judged by the size of what they may run over.
const MAX_STEPS: usize = 1_000_000;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Expression {
    tree: Tree,
    variables: Vec<&'static str>,
    patterns: Vec<(String, Arc<Pattern>)>,
    /// How deep macros run within macros.
    loops: u32,
    /// Whether it asks what a command or a path is, which depends on what stands around.
    needs_surroundings: bool,
}

impl Expression {
    /// Reads and checks an expression, or says all that is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, Vec<Mistake>> {
        if text.trim().is_empty() {
            return Err(vec![Mistake::new("an empty expression says nothing")]);
        }
        if text.len() > MAX_LENGTH {
            let message = format!("this expression has {} bytes, and {MAX_LENGTH} is the most", text.len());
            return Err(vec![Mistake::new(message).help("write several rules, or use conditions")]);
        }
        if let Some(place) = check::too_many_operations(text) {
            return Err(vec![too_deep().within(place..(place + 1).min(text.len()))]);
        }
        let parser = environment().parser().max_recursion_depth(MAX_NESTING).error_recovery_limit(4);
        // A parser that breaks has not understood.
        let read = Fault::catch(|| parser.parse_with_source_info(text));
        let (mut tree, info) = match read {
            Ok(Ok(read)) => read,
            Ok(Err(errors)) => return Err(parse_mistakes(text, &errors)),
            Err(_) => return Err(vec![Mistake::new("this is no expression")]),
        };
        let checked = check::check(&mut tree, &|id| place(text, &info, id))?;
        Ok(Self {
            tree,
            variables: checked.variables,
            patterns: checked.patterns,
            loops: checked.loops,
            needs_surroundings: checked.needs_surroundings,
        })
    }

    /// Whether it is true. What is neither true nor false is a fault, and so is whatever goes wrong.
    pub(crate) fn holds(&self, facts: &CallFacts<'_>) -> Result<bool, Fault> {
        Fault::catch(|| self.run(facts))?
    }

    fn run(&self, facts: &CallFacts<'_>) -> Result<bool, Fault> {
        let activation = facts.activation.get_or_init(Activation::default);
        let mut scope: Context<'_, '_> = root().new_inner_scope();
        let mut size = MAX_LENGTH;
        for name in &self.variables {
            let value = activation.value(name, facts)?;
            if self.loops > 0 {
                size += values::size(&value);
            }
            scope.add_variable_from_value(*name, value);
        }
        if self.loops > 1 && size.saturating_pow(self.loops) > MAX_STEPS || size > MAX_STEPS {
            return Err(Fault::new(FaultKind::Flood, "the document is too large for this expression"));
        }
        for (name, pattern) in &self.patterns {
            scope.add_variable_from_value(name.as_str(), Value::Opaque(Arc::clone(pattern) as Arc<_>));
        }
        if self.needs_surroundings {
            for (name, value) in functions::surroundings(facts) {
                scope.add_variable_from_value(name, value);
            }
        }
        match Value::resolve(&self.tree, &scope) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(_) => Err(Fault::crash("the expression is neither true nor false")),
            Err(error) => Err(Fault::crash(values::reason(&error))),
        }
    }
}

fn too_deep() -> Mistake {
    Mistake::new("this expression nests too deep").help("write several rules, or use conditions")
}

/// What expressions are read with.
fn environment() -> &'static Env {
    static ENVIRONMENT: OnceLock<Env> = OnceLock::new();
    ENVIRONMENT.get_or_init(Env::stdlib)
}

/// All functions. Making this is slow, so it is made once and every run only opens a scope in it.
fn root() -> &'static Context<'static, 'static> {
    static ROOT: OnceLock<Context<'static, 'static>> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut root = Context::default();
        functions::add(&mut root);
        root
    })
}

/// Where a part of the tree was written, in bytes.
fn place(text: &str, info: &SourceInfo, id: u64) -> Option<Range<usize>> {
    let (start, stop) = info.offset_for(id)?;
    let (start, end) = (start as usize, stop as usize + 1);
    text.get(start..end).map(|_| start..end)
}

fn parse_mistakes(text: &str, errors: &ParseErrors) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = Vec::new();
    for error in &errors.errors {
        if error.msg.contains("ecursion limit")
            || error.source.as_ref().is_some_and(|e| e.to_string().contains("ecursion limit"))
        {
            return vec![too_deep()];
        }
        let first = error.msg.lines().next().unwrap_or("it cannot be read");
        let first = first.split(" expecting ").next().unwrap_or(first);
        let mistake = Mistake::new(format!("this is no expression: {first}"));
        let line = usize::try_from(error.pos.0 - 1).unwrap_or(0);
        let column = usize::try_from(error.pos.1 - 1).unwrap_or(0);
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = text.get(before..).unwrap_or_default();
        let start = before + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
        let len = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        mistakes.push(mistake.within(start..start + len));
    }
    mistakes.dedup();
    mistakes.truncate(3);
    mistakes
}

/// Names and values, for a map.
fn map(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let map: HashMap<String, Value> = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Value::Map(map.into())
}

fn text(text: impl Into<String>) -> Value {
    Value::String(Arc::new(text.into()))
}

#[cfg(test)]
mod tests;

//! What can be known to be wrong with an expression before it runs.

use std::ops::Range;
use std::sync::Arc;

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, LiteralValue};
use cel::parser::Expression as Tree;

use super::functions::{self, Pattern};
use super::{MAX_NESTING, too_deep, values};
use crate::mistake::Mistake;

/// How deep the tree may be: brackets, and chains of operators, each of which is a level of its own.
const MAX_TREE: u32 = 64;

/// How many operators and selections there may be. The library recurses over chains of them before anybody can look.
const MAX_OPERATIONS: usize = 200;

/// The place where an expression becomes too long a chain, if it does. Counts what could be an operator, outside of
/// texts and not; counting too much only refuses what nobody writes by hand.
pub(super) fn too_many_operations(text: &str) -> Option<usize> {
    let operator = |c: char| matches!(c, '.' | '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '?');
    let opening = |c: char| matches!(c, '(' | '[' | '{');
    let operations = text.char_indices().filter(|(_, c)| operator(*c)).nth(MAX_OPERATIONS * 2).map(|(at, _)| at);
    let mut depth = 0_u16;
    let nested = text.char_indices().find(|(_, c)| {
        match c {
            c if opening(*c) => depth = depth.saturating_add(1),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_NESTING * 2
    });
    operations.or(nested.map(|(at, _)| at))
}

/// What was learned about an expression.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) variables: Vec<&'static str>,
    pub(super) patterns: Vec<(String, Arc<Pattern>)>,
    pub(super) loops: u32,
    pub(super) needs_surroundings: bool,
}

/// Checks a tree and puts compiled patterns in the place of those that are written out.
pub(super) fn check(tree: &mut Tree, place: &dyn Fn(u64) -> Option<Range<usize>>) -> Result<Checked, Vec<Mistake>> {
    let mut walk = Walk { checked: Checked::default(), mistakes: Vec::new(), scope: Vec::new(), place };
    walk.tree(tree, MAX_TREE, 0);
    if walk.mistakes.is_empty() { Ok(walk.checked) } else { Err(walk.mistakes) }
}

struct Walk<'a> {
    checked: Checked,
    mistakes: Vec<Mistake>,
    /// Variables of the macros around.
    scope: Vec<String>,
    place: &'a dyn Fn(u64) -> Option<Range<usize>>,
}

impl Walk<'_> {
    fn wrong(&mut self, id: u64, mistake: Mistake) {
        let mistake = match (self.place)(id) {
            Some(range) => mistake.within(range),
            None => mistake,
        };
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    fn tree(&mut self, tree: &mut Tree, depth: u32, loops: u32) {
        let id = tree.id;
        let Some(depth) = depth.checked_sub(1) else { return self.wrong(id, too_deep()) };
        match &mut tree.expr {
            Expr::Ident(name) => self.variable(id, name),
            Expr::Select(select) => self.tree(&mut select.operand, depth, loops),
            Expr::List(list) => list.elements.iter_mut().for_each(|inner| self.tree(inner, depth, loops)),
            Expr::Map(map) => self.entries(&mut map.entries, depth, loops),
            Expr::Struct(_) => self.wrong(id, Mistake::new("there are no types to build here")),
            Expr::Literal(_) | Expr::Unspecified => {}
            Expr::Comprehension(inner) => {
                self.checked.loops = self.checked.loops.max(loops + 1);
                self.tree(&mut inner.iter_range, depth, loops);
                let outer = self.scope.len();
                self.scope.extend([inner.iter_var.clone(), inner.accu_var.clone()]);
                self.scope.extend(inner.iter_var2.clone());
                for part in [&mut inner.accu_init, &mut inner.loop_cond, &mut inner.loop_step, &mut inner.result] {
                    self.tree(part, depth, loops + 1);
                }
                self.scope.truncate(outer);
            }
            Expr::Call(call) => {
                let namespace = matches!(call.target.as_ref().map(|target| &target.expr), Some(Expr::Ident(name)) if name == "optional");
                self.function(id, &call.func_name, namespace);
                if call.func_name == "matches"
                    && let Some(pattern) = call.args.last_mut()
                {
                    self.pattern(pattern);
                }
                if let Some(target) = call.target.as_mut().filter(|_| !namespace) {
                    self.tree(target, depth, loops);
                }
                call.args.iter_mut().for_each(|inner| self.tree(inner, depth, loops));
            }
        }
    }

    fn entries(&mut self, entries: &mut [IdedEntryExpr], depth: u32, loops: u32) {
        for entry in entries {
            match &mut entry.expr {
                EntryExpr::StructField(field) => self.tree(&mut field.value, depth, loops),
                EntryExpr::MapEntry(entry) => {
                    self.tree(&mut entry.key, depth, loops);
                    self.tree(&mut entry.value, depth, loops);
                }
            }
        }
    }

    fn variable(&mut self, id: u64, name: &str) {
        // A leading dot skips the variables of macros.
        let plain = name.trim_start_matches('.');
        if name.starts_with('@') || self.scope.iter().any(|inner| inner == name) || TYPES.contains(&plain) {
            return;
        }
        match values::VARIABLES.iter().find(|known| **known == plain) {
            Some(known) if !self.checked.variables.contains(known) => self.checked.variables.push(known),
            Some(_) => {}
            None => self.wrong(id, Mistake::unknown("variable", name, values::VARIABLES)),
        }
    }

    fn function(&mut self, id: u64, name: &str, namespace: bool) {
        let known = |list: &[&str]| list.contains(&name);
        let operator = !name.starts_with(|c: char| c.is_ascii_alphabetic());
        self.checked.needs_surroundings |= known(&["shell", "paths"]);
        let fine = if namespace { known(OPTIONAL) } else { operator || known(STANDARD) || known(functions::NAMES) };
        if !fine {
            let all: Vec<&str> = functions::NAMES.iter().chain(STANDARD).copied().collect();
            self.wrong(id, Mistake::unknown("function", name, &all));
        }
    }

    /// A pattern that is written out is compiled now and not at every call.
    fn pattern(&mut self, tree: &mut Tree) {
        let Expr::Literal(LiteralValue::String(pattern)) = &tree.expr else { return };
        match Pattern::new(pattern.inner()) {
            Ok(pattern) => {
                let name = format!("@pattern{}", self.checked.patterns.len());
                tree.expr = Expr::Ident(name.clone());
                self.checked.patterns.push((name, Arc::new(pattern)));
            }
            Err(mistake) => self.wrong(tree.id, Mistake { within: None, ..mistake }),
        }
    }
}

/// Functions of the language itself.
const STANDARD: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "string",
    "int",
    "uint",
    "double",
    "bytes",
    "bool",
    "type",
    "dyn",
    "hasValue",
    "value",
    "or",
    "orValue",
];

/// Functions called on `optional`.
const OPTIONAL: &[&str] = &["of", "none", "ofNonZeroValue"];

/// Names of types, which are values too.
const TYPES: &[&str] = &["int", "uint", "double", "string", "bool", "bytes", "list", "map", "null_type", "type"];

//! Expressions, where they are left out of the build.

use tollgate_core::Fault;

use crate::facts::CallFacts;
use crate::mistake::Mistake;

/// An expression that cannot be made.
#[derive(Debug)]
pub(crate) enum Expression {}

impl Expression {
    pub(crate) fn compile(_: &str) -> Result<Self, Vec<Mistake>> {
        Err(vec![Mistake::new("this build of Tollgate has no expressions").help("build it with the feature `cel`")])
    }

    pub(crate) fn holds(&self, _: &CallFacts<'_>) -> Result<bool, Fault> {
        match *self {}
    }
}

//! One small function for each command worth knowing, and the table that finds it.
//!
//! Each file has `find(name) -> Option<Known>`: a `match` from names to functions. A command that nobody knows does
//! nothing that can be told, which is not the same as nothing.

mod builtin;
mod cloud;
pub(crate) mod code;
mod database;
mod files;
mod git;
mod network;
pub(crate) mod options;
mod packages;
mod system;
mod text;
mod wrap;

pub(crate) use network::{is_here, is_metadata};

use std::cell::RefCell;
use std::collections::HashMap;

use crate::doing::Known;

thread_local! {
    /// Who was found before: the same few commands come again and again, and there are many to ask.
    static FOUND: RefCell<HashMap<Box<str>, Option<Known>>> = RefCell::default();
}

/// How many names are remembered, and how long they may be.
const REMEMBERED: usize = 512;
const LONGEST: usize = 40;

/// What knows the command of this name.
pub(crate) fn find(name: &str) -> Option<Known> {
    if let Some(found) = FOUND.with_borrow(|found| found.get(name).copied()) {
        return found;
    }
    let known = ask(name);
    if name.len() <= LONGEST {
        FOUND.with_borrow_mut(|found| {
            if found.len() < REMEMBERED {
                found.insert(name.into(), known);
            }
        });
    }
    known
}

fn ask(name: &str) -> Option<Known> {
    builtin::find(name)
        .or_else(|| files::find(name))
        .or_else(|| text::find(name))
        .or_else(|| git::find(name))
        .or_else(|| network::find(name))
        .or_else(|| packages::find(name))
        .or_else(|| wrap::find_store(name))
        .or_else(|| system::find(name))
        .or_else(|| cloud::find(name))
        .or_else(|| database::find(name))
        // After `packages` and `cloud`: a manager that also runs commands asks `wrap` itself.
        .or_else(|| wrap::find(name))
        .or_else(|| code::find(name))
}

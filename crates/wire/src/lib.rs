//! How Tollgate is written down.
//!
//! Core knows events, bodies and verdicts as types. This crate knows them as bytes: how a document is
//! [read] and [digested](digest), what tools are [called](names), how a refusal is said in other people's
//! [protocols](dialect), where the text stands in other people's [results](lens), and the versioned JSON
//! [forms](form) that plugins, records and other programs see. It does no IO.

pub mod dialect;
pub mod form;
pub mod hex;
pub mod lens;

mod digest;
mod number;
mod part;
mod read;
#[cfg(test)]
mod samples;
mod scan;
mod servers;
mod tools;
mod verdicts;

pub use digest::{canonical, digest, write_canonical};
pub use part::part;
pub use read::{body, read};
pub use servers::{Reading, SPELLINGS, Spelling, among, name_of, normal_spellings, readings, server_tool};
pub use tools::{KINDS, TOOLS, Tool, kind, names};
pub use verdicts::{VERDICTS, verdict};

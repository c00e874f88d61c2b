//! Interceptors that are programs.
//!
//! A program gets the event on standard input. How it ends is its verdict: status 0 with a decision on standard output
//! or with nothing, status 2 for a refusal. *Every other ending is a fault*: a crash, a signal, a program that is not
//! there, one that takes too long, says something that makes no sense or says too much. A fault is never taken for
//! consent; the registration's `on_fault` says what becomes of the call.
//!
//! ```text
//!  Given ──► find ──► Program ─┐
//!  Protocol ───────────────────┼──► Hook ──► Edit, Watch
//!  time, names of variables ───┘      │
//!                                     └─► a process group: pipes drained together, output bounded,
//!                                         environment scrubbed, killed as a whole
//! ```
//!
//! Nothing here needs an async runtime: a thread looks after each program and wakes whoever waits. Whoever stops waiting
//! ends the program and all that it started.

mod answer;
mod find;
mod hook;
mod plain;
mod protocol;
mod words;

pub use find::{Given, Program, Unfound, find};
pub use hook::{Hook, LIMIT};
pub use protocol::Protocol;
pub use tollgate_process::end_all;

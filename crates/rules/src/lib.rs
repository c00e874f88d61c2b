//! The rule language: read, check and compile rules to guards and edits.
//!
//! ```text
//!  form ──► compile ──► RuleSet ──► Registrations (one guard for all that judge, one edit for each that rewrites)
//!  (data)   Mistakes       │
//!                          └──► findings (which rules match, for people)
//! ```
//!
//! * [`form`]: what people write, as plain data with a JSON Schema.
//! * [`compile`]: from there to a [`RuleSet`], or to all [`Mistake`]s at once, each with its place.
//! * [`Condition`]: when something applies, asked of [`CallFacts`], which works out what is asked for and only once.
//!   Limits and the like use it by itself.
//! * [`Lesson`]: what a policy says a tool does, beside what is understood anyhow.
//! * `index`: finds the rules that may apply to a call without asking them all.
//! * `when`: expressions (CEL); left out without the feature `cel`.
//! * `edit`: edits as data, and taking credentials out, of streams too.
//!
//! Nothing here reads a file or a clock: what stands around a call comes in through [`Ambient`], and today through
//! [`Setting`].

pub mod form;

mod args;
mod compile;
mod condition;
mod edit;
mod effects;
mod examples;
mod facts;
mod index;
mod lesson;
mod matcher;
mod mistake;
mod set;
mod stand;
mod understood;
#[cfg(feature = "cel")]
mod when;
#[cfg(not(feature = "cel"))]
#[path = "when/none.rs"]
mod when;

pub use args::Arguments;
pub use compile::{Placed, Setting, Source, compile};
pub use condition::Condition;
pub use facts::{Ambient, CallFacts, Extended, Still};
pub use lesson::Lesson;
pub use matcher::Sense;
#[doc(hidden)]
pub use matcher::texts_compiled;
pub use mistake::{Mistake, Step, nearest};
pub use set::{About, Excepted, Finding, RuleSet};
pub use stand::{GUARD, ROUTER, Report, WATCH};

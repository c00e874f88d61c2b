//! Registering the hook with agents, taking it away again, and proving that it works.
//!
//! An agent's settings belong to its user. They are changed by putting text in between the bytes that are there, after
//! everything that will be written has been computed; a note of what was put where allows to take out exactly that.
//!
//! * [`SETUPS`] — where each agent keeps its settings, and what is registered there.
//! * [`Plan`] — what would be written, to be shown before it is.
//! * [`examine`] — whether what is registered does what it is for.

mod agents;
mod command;
mod examine;
mod ours;
mod place;
mod plan;
mod switches;
mod trust;

pub use agents::{Level, SETUPS, Setup};
pub use examine::{Finding, Report, Weight, examine};
pub use place::{Place, is_small};
pub use plan::{Plan, chosen};
pub use tollgate_settings::{Change, Line, unified};

#[cfg(test)]
mod tests;

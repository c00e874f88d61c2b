//! The hooks of coding agents, answered with one policy.
//!
//! A coding agent starts a program before it runs a tool, writes what it is about to do as JSON to its standard input,
//! and goes by what the program prints. Each agent has its own words for that. This crate is the program:
//!
//! ```text
//!  stdin ─► agent.decode ─► DecodedEvent ─► pipeline ─► engine::within ─► Decision ─► agent.encode ─► stdout, exit
//!           who really calls?                           what this agent
//!           which event?                                can carry out
//! ```
//!
//! * [`Agent`] — everything that is known about one agent: its events, what can be done at each, how it writes and what
//!   it reads. One file in `agents/` each; adding an agent is adding a file and a line in [`AGENTS`].
//! * [`run`] — the way from an agent's bytes to the answer's, top to bottom; [`answer`] is the part of it that a
//!   policy is given to.
//! * [`process`] — the program around it: standard input, the policy, the record, the clock that answers when we hang.
//! * [`degraded`] — what becomes of a policy in an agent that cannot do all of it.
//! * [`failing`], [`table`] — what agents do when we fail, and the page about all of this.
//!
//! # Failure means no
//!
//! Nearly every agent takes a hook that crashes, hangs or prints something odd for consent. So whatever goes wrong here
//! (input that cannot be read, an event nobody knows, a policy with mistakes, a panic, a full disk, a lock that does not
//! come) is answered with that agent's own refusal, in a form that it was seen to honour, and with one line that says
//! what is broken and what mends it.
//!
//! # Silence is consent
//!
//! When nothing objects, nothing is printed: in several agents the word "allow" skips the question that the agent itself
//! would have asked.

pub mod agent;
pub mod failing;
pub mod process;
pub mod run;
#[cfg(feature = "setup")]
pub mod setup;
pub mod shim;
pub mod table;

mod agents;
mod cases;
mod degraded;
mod once;
mod switch_files;
#[cfg(test)]
mod testing;

pub use agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said};
pub use agents::{AGENTS, caller, find};
pub use degraded::{Degraded, Instead, degraded};
pub use run::{Gate, answer};

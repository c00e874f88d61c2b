//! What Tollgate's tests share.
//!
//! * [`ManualClock`] moves only when told, [`CountingAlloc`] counts what a piece of code allocates.
//! * [`naive`] is the reference pipeline: slow, and written to be obviously right.
//! * [`actors`] are small interceptors made from JSON.
//! * [`ScriptedModel`] stands in for a provider of models when a real agent is tried.
//! * [`case`] reads `spec/cases/*.json` and plays them through anything that implements [`Replay`];
//!   [`through_surface`] plays them through a surface that has no words for some.

pub mod actors;
mod alloc;
pub mod case;
mod clock;
mod document;
mod model;
pub mod naive;
mod replay;
mod report;
mod surface;

pub use alloc::{CountingAlloc, count};
pub use case::Case;
pub use clock::{HastyClock, ManualClock, StillClock};
pub use document::body;
pub use model::{Call, LAST_WORDS, Request, ScriptedModel};
pub use replay::{OnCore, OnNaive, Replay, check_case};
pub use report::{Report, report};
pub use surface::{Shown, through_surface};

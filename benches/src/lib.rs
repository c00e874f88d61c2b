//! What Tollgate's pipeline costs.
//!
//! ```text
//! cargo run --release -p tollgate-benches --bin core -- [--quick] [--json]
//! cargo run --release -p tollgate-benches --bin rules -- [--quick] [--json]
//! cargo run --release -p tollgate-benches --bin audit -- [--quick] [--json]
//! cargo xtask bench hook [--quick]
//! ```
//!
//! A time alone says more about the machine than about the code, so every row is also given as a multiple of a
//! floor: the same work without Tollgate, measured in the same run. Nothing here fails because something was slow.

pub mod audit;
pub mod call;
pub mod cases;
pub mod harness;
pub mod hooks;
pub mod peers;
pub mod policy;
pub mod report;
pub mod stack;

//! The record: what every agent did, who let it, and how anybody can check that.
//!
//! ```text
//!  Event, Body, Outcome ──► Recorder ──► Draft ──► Log          appended under a lock, chained, signed
//!                            redacts,              │
//!                            seals                 ├─► Reader    from any place, in either direction
//!                                                  ├─► verify    the first bad record, if there is one
//!                                                  └─► Index     queries (feature `index`); can be made anew
//! ```
//!
//! The format is in `spec/audit.md`, which also says what it proves and what it does not.

mod anchor;
mod changes;
mod draft;
mod erase;
mod error;
mod event;
mod files;
mod head;
#[cfg(feature = "index")]
mod index;
mod keep;
mod keys;
mod lock;
mod log;
mod names;
mod query;
mod read;
mod record;
mod recorder;
mod renew;
mod retain;
mod seal;
mod segment;
mod stamp;
mod tail;
mod verify;

pub use anchor::{Anchor, Publisher, publish_newest};
pub use draft::Draft;
pub use erase::{Erased, erase};
pub use error::AuditError;
pub use head::Head;
#[cfg(feature = "index")]
pub use index::{Counts, Index, Interceptor, Stats};
pub use keys::Keys;
pub use log::{Log, Settings};
pub use query::Query;
pub use read::{Entry, Line, Reader};
pub use record::{Fields, Record, Turn};
pub use recorder::{Keep, Recorder, RecorderSettings};
pub use renew::{follow, set_aside};
pub use retain::{Removed, retain};
pub use segment::Segment;
pub use stamp::{moment, stamp};
pub use verify::{Flaw, Known, Verified, verify};

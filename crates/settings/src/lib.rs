//! Other programs' settings, changed so that everything can be taken back.
//!
//! Settings are written by people, with comments, odd spacing and commas at the end. Reading and printing them anew would
//! lose that. So text is put between bytes that stay, a [`Manifest`] notes what was put where, and taking it out again
//! leaves the bytes that were there before; where somebody has written since, what is recognised as ours goes and the
//! rest stays.
//!
//! * [`json`], [`toml`], [`text`] — insertions into a text and out of it again, without any file.
//! * [`Plan`] — what would be written, to be shown ([`unified`]) before it is; then all of it is written, or nothing.
//! * [`Manifest`] — what was written where. What is noted of each file besides is for the user of this crate to say
//!   ([`Kind`]); so is which parts of a changed file are ours.
//!
//! ```
//! use serde_json::json;
//! use tollgate_settings::json::{add, remove};
//! use tollgate_settings::text::cut;
//!
//! let before = "{\n  \"model\": \"x\", // the good one\n}\n";
//! let edited = add(before, &json!({"hooks": ["ours"]}))?;
//! assert_eq!(edited.text, "{\n  \"model\": \"x\", // the good one\n  \"hooks\": [\n    \"ours\"\n  ],\n}\n");
//! // Nobody has written since: to the byte.
//! assert_eq!(cut(&edited.text, &edited.ranges).as_deref(), Some(before));
//! // Somebody has: what is ours goes, and what was made for it if it is empty then.
//! let changed = edited.text.replace("the good one", "no longer");
//! let rest = remove(&changed, &|part| part == "ours", &[], &edited.made)?;
//! assert_eq!(rest, Some(before.replace("the good one", "no longer")));
//! # Ok::<(), String>(())
//! ```

pub mod json;
pub mod text;
pub mod toml;

mod diff;
mod manifest;
mod plan;
mod write;

pub use diff::{Line, unified};
pub use manifest::{Entry, Kind, Manifest};
pub use plan::{Order, Plan};
pub use write::{Change, apply, read};

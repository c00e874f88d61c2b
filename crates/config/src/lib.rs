//! From policy files to a checked plan.
//!
//! People write policy in `tollgate.toml` (`spec/rules.md`): one for the machine, one for the person, one for the
//! project. This crate finds them ([`Paths`]), reads them ([`File`]), puts them together by who may say what, and hands
//! out a [`Plan`]: what is enforced, and from where. Whoever wants a policy calls [`load`].
//!
//! ```text
//!  Paths ──► File ──► PolicyFile ─┐
//!  packs ────────────► PackFile ──┼──► layers ──► compiled ──► Plan ──► engine
//!  Trust ─────────────────────────┘    who may relax what            ignored, warnings
//! ```
//!
//! **Mistakes** come all at once, each with its line, the text underlined, and what to do: [`Diagnostics`]. A file with
//! mistakes is not loaded, and neither are the others: half a policy is none. A file that cannot be read is a
//! mistake, too; only one that does not exist is not.
//!
//! **Layers.** A restriction holds whoever wrote it. A relaxation holds from the machine's file; from the person's,
//! unless the machine's file speaks against it; and from a project's only while [`Trust`] holds exactly its bytes. A
//! project that is not trusted cannot rewrite calls or send them elsewhere either: that would be as good as running
//! commands. Of what is recorded ([`Audit`]), each key is decided by whoever has the most rights of those who say it. What
//! does not hold is in [`Plan::ignored`], for `check` and `explain` to show.
//!
//! **Hooks** are programs. Those that come with a project run only while [`Trust`] holds its file *and* every script that
//! they name. Until then what they would have judged is refused: a guard that is not asked has not agreed.

mod apply;
mod audit;
mod cached;
mod checks;
mod diagnostic;
mod file;
mod form;
mod guard;
mod hook;
mod init;
mod layer;
mod load;
mod meaning;
mod pack;
mod paint;
mod paths;
mod plan;
mod read;
mod seed;
mod shape;
mod stage;
mod syntax;
mod target;
mod tree;
mod trust;

pub use audit::{Anchor, Audit, AuditFile, Keep, Size, Sync};
pub use cached::{Basis, basis, load_cached, load_cached_on, same};
pub use checks::{Check, Checks, Tools};
pub use diagnostic::{Diagnostic, Diagnostics, Severity, Text};
pub use file::{File, Layer, hash as sha256};
pub use form::{Ambiguous, PackFile, Packs, PolicyFile, Unknown, schemas};
#[cfg(unix)]
pub use guard::user;
pub use guard::{believable, open_own, replace_own};
pub use hook::{Hook, HookFile, Pin, ProtocolName, quoted};
pub use init::TEMPLATE;
pub use load::{combine, inspect, load, observed, on};
pub use pack::{Pack, pack, pack_names};
pub use paths::{FILE_NAME, HOOKS_FILE, NoHome, Paths};
pub use plan::{Placed, Plan, Relaxation, Toolset};
pub use stage::{STAGES, Stage};
pub use trust::{Entry, Trust, kind, today};

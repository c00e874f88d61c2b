//! Finds credentials in text and takes them out.
//!
//! One pass for keywords over the text decides which of the rules are worth a closer look, so that clean
//! text costs little and no rule ever searches text that does not name it. There are three families of rules:
//!
//! * **token shapes** ([`rules`]): what vendors publish about the look of their tokens (`ghp_…`, `AKIA…`);
//! * **named values**: an identifier that says key, secret, token or password, or names a vendor whose keys have no
//!   prefix, followed by an assignment and a value that looks drawn at random;
//! * **key blocks**: PEM, OpenPGP and PuTTY private keys, over many lines or with escaped line ends.
//!
//! ```
//! let scanner = tollgate_secrets::scanner();
//! let text = "login with token=f3Kd81mzQp0aLw7TbX2c and go";
//! assert_eq!(scanner.redact(text), "login with token=[redacted:generic-secret] and go");
//! assert!(scanner.find("nothing to see here").is_empty());
//! ```
//!
//! # What is promised
//!
//! * Offsets of [`Found`] are byte offsets into the text given, always on character boundaries.
//! * [`Scanner::redact`] applied to its own output changes nothing, and JSON text stays JSON.
//! * [`Redactor`] gives the same text for every way of cutting the input into chunks.
//! * No type of this crate shows a secret in its `Debug` form.

mod assign;
mod check;
mod closed;
mod custom;
mod inside;
mod json;
mod keywords;
mod kubernetes;
mod made_up;
mod names;
mod pattern;
mod pem;
pub mod rules;
mod scan;
mod scanner;
mod stream;
mod table;
mod value;

pub use custom::{Custom, CustomError};
pub use scan::Found;
pub use scanner::{Scanner, scanner};
pub use stream::{MAX_LINE, Redactor};

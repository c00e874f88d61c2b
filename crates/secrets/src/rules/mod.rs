//! The rules, as data: token shapes that vendors publish, and vendors whose keys have no prefix.

mod ai;
mod cloud;
mod code;
mod commerce;
mod formats;
mod messaging;
mod tools;
mod vendors;

pub use crate::check::Check;
pub use vendors::{Alphabet, Shape, VENDORS, Vendor};

/// How much of the text around a keyword a pattern is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The unbroken run of characters around the keyword: no blanks, quotes, angle brackets or escapes.
    Run,
    /// The line.
    Line,
}

/// A token shape.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What a finding is called: `[redacted:<id>]`.
    pub id: &'static str,
    /// Who issues such tokens.
    pub vendor: &'static str,
    /// Every match holds one of these. One with a capital letter must occur in just that case.
    pub keywords: &'static [&'static str],
    /// What the pattern is applied to.
    pub span: Span,
    /// What a match must satisfy besides.
    pub check: Check,
    /// The length of the shortest match.
    pub least: usize,
    /// The shape. The secret is the first group, or the whole match where there is none.
    pub pattern: &'static str,
    /// A made-up text that matches, in two parts so that no scanner takes the source of this crate for a leak.
    pub example: [&'static str; 2],
}

/// Every token shape, by family.
pub(crate) const FAMILIES: [&[Rule]; 7] =
    [code::RULES, cloud::RULES, ai::RULES, commerce::RULES, messaging::RULES, tools::RULES, formats::RULES];

/// All token shapes.
///
/// ```
/// assert!(tollgate_secrets::rules::all().any(|rule| rule.vendor == "GitHub"));
/// ```
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// What the findings of named values and key blocks are called.
pub mod id {
    /// A value that the name before it calls a secret.
    pub const GENERIC: &str = "generic-secret";
    /// A value that the name before it calls a password.
    pub const PASSWORD: &str = "password";
    /// A value in the shape of the keys of a vendor that is named before it.
    pub const VENDOR: &str = "vendor-key";
    /// A private key in a block of its own.
    pub const PRIVATE_KEY: &str = "private-key";
    /// A value that the caller wants hidden.
    pub const KNOWN: &str = "known-value";
    /// The data of a Kubernetes secret.
    pub const KUBERNETES: &str = "kubernetes-secret";
}

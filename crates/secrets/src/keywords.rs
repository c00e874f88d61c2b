//! What keywords announce, and the rules that they announce.

use crate::pattern::Pattern;
use crate::rules::{self, Rule};

/// What a keyword announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A token shape, by its index.
    Rule(u16),
    /// A word of a name that calls its value a secret.
    Trigger(Trigger),
    /// A vendor, by its index.
    Vendor(u16),
    /// The first line of a private key.
    KeyBlock,
    /// The start of a placeholder that this crate wrote.
    Placeholder,
    /// The kind of a Kubernetes object.
    Kubernetes,
}

/// How a word calls a value a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// `password` and its short forms.
    Password,
    /// `secret`, `token`, `credential`, `auth`.
    Strong,
    /// `key`, `access`, `private`: says little alone.
    Weak,
}

pub(crate) const TRIGGERS: [(&str, Trigger); 12] = [
    ("passw", Trigger::Password),
    ("passphrase", Trigger::Password),
    ("pwd", Trigger::Password),
    ("pass", Trigger::Password),
    ("secret", Trigger::Strong),
    ("token", Trigger::Strong),
    ("cred", Trigger::Strong),
    ("auth", Trigger::Strong),
    ("_pat", Trigger::Strong),
    ("key", Trigger::Weak),
    ("access", Trigger::Weak),
    ("private", Trigger::Weak),
];

/// A token shape with its pattern, which is prepared when first needed: most processes need few of them.
pub(crate) struct LazyRule {
    pub(crate) rule: &'static Rule,
    pub(crate) pattern: Pattern,
}

/// The token shapes that keywords announce. The keywords themselves stand in a table.
pub(crate) struct Keywords {
    pub(crate) rules: Vec<LazyRule>,
}

impl Keywords {
    pub(crate) fn new() -> Self {
        let lazy = |rule: &'static Rule| LazyRule { rule, pattern: Pattern::new(rule.pattern) };
        Self { rules: rules::all().map(lazy).collect() }
    }
}

//! The automaton that says which rules are worth a look, and where.

use crate::rules::{self, Rule, VENDORS};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a keyword announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A token shape, by its index; the keyword must occur in this case if one is given.
    Rule { index: usize, exact: Option<&'static str> },
    /// A word of a name that calls its value a secret.
    Trigger(Trigger),
    /// A vendor, by its index.
    Vendor(usize),
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

const TRIGGERS: [(&str, Trigger); 12] = [
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

/// A token shape with its pattern compiled when first needed: most processes need few of them.
pub(crate) struct LazyRule {
    pub(crate) rule: &'static Rule,
    regex: OnceLock<Option<Regex>>,
}

impl LazyRule {
    /// The compiled pattern. A test compiles them all, so `None` does not occur.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(self.rule.pattern).unicode(false).size_limit(1 << 22).build().ok();
        self.regex.get_or_init(compile).as_ref()
    }
}

/// All keywords with what they announce.
pub(crate) struct Keywords {
    /// Quickly built: most processes search little.
    small: Option<AhoCorasick>,
    /// Quick in its work, built once much has been searched.
    large: OnceLock<Option<AhoCorasick>>,
    searched: AtomicUsize,
    words: Vec<String>,
    signs: Vec<Vec<Sign>>,
    pub(crate) rules: Vec<LazyRule>,
}

impl Keywords {
    pub(crate) fn new() -> Self {
        let mut signs: BTreeMap<String, Vec<Sign>> = BTreeMap::new();
        let mut add = |word: &str, sign| signs.entry(word.to_ascii_lowercase()).or_default().push(sign);
        let rules: Vec<_> = rules::all().map(|rule| LazyRule { rule, regex: OnceLock::new() }).collect();
        for (index, lazy) in rules.iter().enumerate() {
            for word in lazy.rule.keywords {
                let exact = word.bytes().any(|byte| byte.is_ascii_uppercase()).then_some(*word);
                add(word, Sign::Rule { index, exact });
            }
        }
        TRIGGERS.iter().for_each(|(word, trigger)| add(word, Sign::Trigger(*trigger)));
        VENDORS.iter().enumerate().for_each(|(index, vendor)| add(vendor.word, Sign::Vendor(index)));
        for opening in crate::pem::OPENINGS {
            add(opening, Sign::KeyBlock);
        }
        add(crate::scan::PLACEHOLDER_START, Sign::Placeholder);
        add("kind:", Sign::Kubernetes);
        let (words, signs): (Vec<_>, Vec<_>) = signs.into_iter().unzip();
        let small = build(&words, AhoCorasickKind::ContiguousNFA);
        Self { small, large: OnceLock::new(), searched: AtomicUsize::new(0), words, signs, rules }
    }

    /// The automaton to search a text of this length with.
    pub(crate) fn automaton(&self, length: usize) -> Option<&AhoCorasick> {
        if self.searched.fetch_add(length, Ordering::Relaxed) < WORTH_BUILDING {
            return self.small.as_ref();
        }
        self.large.get_or_init(|| build(&self.words, AhoCorasickKind::DFA)).as_ref()
    }

    /// What the pattern with this number announces.
    pub(crate) fn signs(&self, pattern: usize) -> &[Sign] {
        self.signs.get(pattern).map_or(&[], Vec::as_slice)
    }
}

/// How many bytes are searched before the larger automaton is worth its time.
const WORTH_BUILDING: usize = 1 << 20;

fn build(words: &[String], kind: AhoCorasickKind) -> Option<AhoCorasick> {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(words)
        .ok()
}

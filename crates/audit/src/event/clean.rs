//! Short texts that go into a record as they are, once it is known that they hold no credential.

use std::borrow::Cow;

use tollgate_secrets::scanner;

use crate::keep;

/// Facts up to this long are looked at together.
const SHORT: usize = 256;
/// How much is kept of one that is longer.
const FACT: usize = 512;

/// Whether any of many short texts holds a credential. They are searched in one go, because each search costs about as
/// much as reading a hundred bytes.
pub(super) struct Clean(bool);

impl Clean {
    /// Searches texts, one on each line. A line depends on nothing behind it, and what stands before it can only make
    /// more of it suspicious: then each text is looked at by itself.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut lines = String::with_capacity(512);
        for text in texts.into_iter().filter(|text| is_line(text)) {
            lines.push_str(text);
            lines.push('\n');
        }
        Self(scanner().find(&lines).is_empty())
    }

    /// What is kept of a fact, which must be one of those that were looked at.
    pub(super) fn fact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.text(text, FACT)
    }

    /// What is kept of one of those that were looked at, and of a longer text.
    pub(super) fn text<'t>(&self, text: &'t str, limit: usize) -> Cow<'t, str> {
        if self.0 && is_line(text) { Cow::Borrowed(text) } else { Cow::Owned(keep::text(text, limit)) }
    }
}

/// Whether a text can stand on a line among others and be judged there as if it were alone. A key block goes on over
/// lines, also over escaped ones.
fn is_line(text: &str) -> bool {
    text.len() <= SHORT && !text.contains(['\n', '\r', '\\']) && !text.contains("---")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tollgate_secrets::rules;

    use super::*;

    fn fact() -> impl Strategy<Value = String> {
        let examples: Vec<String> = rules::all().map(|rule| rule.example.concat()).collect();
        prop_oneof![
            2 => proptest::sample::select(examples),
            2 => "[a-z]{0,8}(key|token|secret|password)[\"' ]{0,2}(=|:| )[\"' ]{0,2}[A-Za-z0-9!_-]{0,30}",
            1 => Just("-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu".to_owned()),
            1 => Just("kind: Secret\ndata:\n  user: YWRtaW46cHdwd3B3".to_owned()),
            1 => Just("[redacted:x".to_owned()),
            3 => "[A-Za-z0-9_/.:-]{0,20}",
        ]
    }

    proptest! {
        #[test]
        fn what_is_kept_of_facts_together_is_redacted_like_each_alone(facts in proptest::collection::vec(fact(), 0..12)) {
            let clean = Clean::of(facts.iter().map(String::as_str));
            for fact in &facts {
                prop_assert_eq!(clean.fact(fact), keep::text(fact, FACT));
            }
        }
    }
}

//! The words of records, which are those of the forms in `tollgate-wire`.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tollgate_core::{Act, Question, Said};
use tollgate_wire::form::{ActForm, SaidForm};

/// The guard that stands for all rules, whose words begin with the id of the rule.
const RULES: &str = "rules";

/// What had to be done, in words.
#[derive(Default)]
pub(super) struct Decided {
    pub(super) act: String,
    pub(super) by: Option<String>,
    pub(super) cause: Option<String>,
    pub(super) rule: Option<String>,
    /// Why it was refused or asked.
    pub(super) reason: Option<String>,
}

impl Decided {
    pub(super) fn of(act: &Act) -> Self {
        let mut form = serde_json::to_value(ActForm::of(act)).unwrap_or_default();
        let mut part = |name: &str| match form.get_mut(name).map(Value::take) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (by, cause) = (part("by"), part("cause"));
        let word = part("do").unwrap_or_default();
        let mut decided = Self { act: word, by, cause, ..Self::default() };
        match act {
            Act::Deny(_) => {
                decided.reason = part("reason");
                let objected = decided.cause.as_deref() == Some("objection");
                let (by, reason) = (decided.by.as_deref(), decided.reason.as_deref());
                decided.rule = by.zip(reason).filter(|_| objected).and_then(|(by, reason)| rule(by, reason));
            }
            Act::Ask(question) => (decided.rule, decided.reason) = asked(question),
            Act::Pass | Act::Route { .. } | Act::Answer(_) => {}
        }
        decided
    }
}

fn asked(question: &Question) -> (Option<String>, Option<String>) {
    let titles: Vec<&str> = question.parts.iter().map(|(_, query)| query.title.as_str()).collect();
    let rule = question.parts.iter().find_map(|(by, query)| rule(by, &query.title));
    (rule, Some(titles.join("; ")))
}

/// The id of the rule that speaks.
fn rule(by: &str, text: &str) -> Option<String> {
    let (id, _) = text.split_once(": ").filter(|_| by == RULES)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.');
    (!id.is_empty() && id.bytes().all(plain)).then(|| id.to_owned())
}

/// What an interceptor said, and in which words of its own.
pub(super) fn said(said: &Said) -> (String, Option<&str>) {
    let text = match said {
        Said::Denied(text) | Said::Asked(text) | Said::Routed(text) => Some(text.as_str()),
        Said::Faulted(fault) => Some(&*fault.detail),
        Said::Passed | Said::Answered | Said::Skipped => None,
    };
    (word(&SaidForm::from(said)), text)
}

/// The word for something that is a word, or a word with more to it.
pub(super) fn word(form: &impl Serialize) -> String {
    match serde_json::to_value(form) {
        Ok(Value::String(word)) => word,
        Ok(Value::Object(tagged)) => tagged.into_iter().next().map(|(word, _)| word).unwrap_or_default(),
        _ => String::new(),
    }
}

/// A time in whole microseconds that every JSON parser keeps.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).min((1 << 53) - 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollgate_core::{Cause, Digest, Fault, FaultKind, Query, Ruling};

    use super::*;

    #[test]
    fn a_rule_is_named_only_where_a_rule_speaks() {
        let stop = |by: &str, cause, reason: &'static str| {
            Decided::of(&Act::Deny(Box::new(Ruling { by: Some(by.into()), cause, reason: reason.into() }))).rule
        };
        for (by, reason, expected) in [
            ("rules", "files/no-etc: not there (/etc). Instead: elsewhere", Some("files/no-etc")),
            ("rules", "a.b_c-1: no", Some("a.b_c-1")),
            ("rules", "two words: no", None),
            ("rules", ": no", None),
            ("rules", "no colon", None),
            ("rules", "a:b", None),
            ("other", "files/no-etc: no", None),
        ] {
            assert_eq!(stop(by, Cause::Objection, reason).as_deref(), expected, "{by}: {reason}");
        }
        assert_eq!(stop("rules", Cause::Fault(FaultKind::Crash), "files/no-etc: no"), None);
        let part = |by: &str, title: &str| (Arc::from(by), Query { title: title.into(), ..Query::default() });
        let parts = vec![part("human", "Push?"), part("rules", "git/push: Push to main?")];
        let ask =
            Decided::of(&Act::Ask(Box::new(Question { parts, digest: Digest([0; 32]), deadline: None, route: None })));
        assert_eq!(
            (ask.rule.as_deref(), ask.reason.as_deref()),
            (Some("git/push"), Some("Push?; git/push: Push to main?"))
        );
    }

    #[test]
    fn words_are_those_of_the_forms() {
        for (what, expected) in [
            (Said::Passed, ("passed", None)),
            (Said::Denied("no".into()), ("denied", Some("no"))),
            (Said::Asked("may I".into()), ("asked", Some("may I"))),
            (Said::Routed("e2b".into()), ("routed", Some("e2b"))),
            (Said::Answered, ("answered", None)),
            (Said::Faulted(Fault::crash("broke")), ("faulted", Some("broke"))),
            (Said::Skipped, ("skipped", None)),
        ] {
            let (word, text) = said(&what);
            assert_eq!((word.as_str(), text), expected);
        }
    }
}

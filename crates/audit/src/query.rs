use std::time::Duration;

use crate::{Record, stamp};

/// Which records somebody wants to see. What is not given does not matter.
///
/// ```
/// use tollgate_audit::{Query, Record};
///
/// let record = Record { tool: Some("Bash".into()), act: Some("deny".into()), ..Record::default() };
/// assert!(Query { tool: Some("bash".into()), ..Query::default() }.fits(&record));
/// assert!(!Query { act: Some("pass".into()), ..Query::default() }.fits(&record));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Of this session.
    pub session: Option<String>,
    /// Of this agent.
    pub agent: Option<String>,
    /// About this tool, under the name it was asked for or the one that ran; case does not matter.
    pub tool: Option<String>,
    /// With this act: `pass`, `route`, `ask`, `answer`, `deny`.
    pub act: Option<String>,
    /// At this point.
    pub point: Option<String>,
    /// Refused or asked about by this rule.
    pub rule: Option<String>,
    /// Not before this moment, since 1970.
    pub since: Option<Duration>,
    /// Before this moment, since 1970.
    pub until: Option<Duration>,
}

impl Query {
    /// Whether a record is wanted.
    pub fn fits(&self, record: &Record) -> bool {
        let same = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        let like =
            |wanted: &str, found: &Option<String>| found.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let tool = self.tool.as_deref().is_none_or(|tool| like(tool, &record.tool) || like(tool, &record.became));
        let since = self.since.is_none_or(|since| record.time >= stamp(since));
        let until = self.until.is_none_or(|until| record.time < stamp(until));
        let facts = same(&self.session, &record.session) && same(&self.agent, &record.agent);
        facts
            && tool
            && since
            && until
            && same(&self.act, &record.act)
            && same(&self.point, &record.point)
            && same(&self.rule, &record.rule)
    }
}

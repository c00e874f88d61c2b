use std::borrow::Cow;
use std::collections::HashMap;

/// A tool's name, as it was written and as everything matches it.
///
/// Only [`Names`] makes one, so no surface can forget to normalize.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    written: Cow<'a, str>,
    normal: Cow<'a, str>,
}

impl Name<'_> {
    /// The name as the agent wrote it: for messages, and for finding the real tool.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The name that selectors match: trimmed, lower-cased, aliases resolved.
    pub fn normal(&self) -> &str {
        &self.normal
    }
}

/// The one table of aliases, applied before any match.
///
/// A rule for `exec` that misses a call to `Bash ` is a hole, so normalizing is not left to whoever writes
/// the rule.
///
/// ```
/// use tollgate_core::Names;
///
/// let mut names = Names::default();
/// names.alias("bash", "exec");
/// let name = names.name(" Bash ");
/// assert_eq!((name.written(), name.normal()), (" Bash ", "exec"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    aliases: HashMap<String, String>,
}

impl Names {
    /// Lets `alias` stand for `name`. Chains of aliases are resolved here, so that one look-up is enough.
    pub fn alias(&mut self, alias: &str, name: &str) {
        let alias = lower(alias).into_owned();
        let name = self.name(name).normal.into_owned();
        for target in self.aliases.values_mut().filter(|target| **target == alias) {
            target.clone_from(&name);
        }
        self.aliases.insert(alias, name);
    }

    /// The name for a tool as somebody wrote it. Allocates only for names not yet in lower case.
    pub fn name<'a>(&'a self, written: &'a str) -> Name<'a> {
        let lower = lower(written);
        let normal = match self.aliases.get(&*lower) {
            Some(name) => Cow::Borrowed(name.as_str()),
            None => lower,
        };
        Name { written: Cow::Borrowed(written), normal }
    }

    /// The same, for a name that must outlive the text it was read from.
    pub(crate) fn owned(&self, written: String) -> Name<'static> {
        let normal = Cow::Owned(self.name(&written).normal.into_owned());
        Name { written: Cow::Owned(written), normal }
    }
}

fn lower(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim();
    let is_lower = |c: char| c.is_ascii() && !c.is_ascii_uppercase();
    if trimmed.chars().all(is_lower) { Cow::Borrowed(trimmed) } else { Cow::Owned(trimmed.to_lowercase()) }
}

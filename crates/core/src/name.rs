use std::borrow::Cow;
use std::collections::HashMap;

/// A tool's name, as it was written and as everything matches it.
///
/// Only [`Names`] makes one, so no surface can forget to normalize.
///
/// The tool `t` of the MCP server `s` is normally called `mcp__s__t`, however an agent spells that. Who restricts it may
/// also have named it `t`, whoever offers it, or as the agent does; who lets it through must have meant this very tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    written: Cow<'a, str>,
    normal: Cow<'a, str>,
    /// The name as it was written, in lower case, where that is another and says more than the tool alone.
    spelled: Option<Box<str>>,
    /// What else it may be called, for those who restrict.
    also: Vec<Box<str>>,
}

impl Name<'_> {
    /// The name as the agent wrote it: for messages, and for finding the real tool.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The one name that everything goes by: trimmed, lower-cased, aliases resolved, `mcp__s__t` for the tool of a server.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// The names by which something may be let through.
    pub fn exact(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.normal).chain(self.spelled.as_deref())
    }

    /// The names by which something may be restricted: those and, of a server's tool, the one it has at its server.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.exact().chain(self.also.iter().map(|name| &**name))
    }

    /// The same, which may also be called so by those who restrict it: nobody can tell.
    #[must_use]
    pub fn or(mut self, name: &str) -> Self {
        self.also.push(name.into());
        self
    }

    /// Whether an MCP server offers it, or may.
    pub fn is_of_server(&self) -> bool {
        self.all().any(|name| name.starts_with(PREFIX))
    }
}

/// How the normal name of a server's tool begins, and what stands between its two parts.
const PREFIX: &str = "mcp__";
const BETWEEN: &str = "__";

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

    /// The name for a tool as somebody wrote it. Allocates only for names not yet in lower case and those of servers.
    pub fn name<'a>(&'a self, written: &'a str) -> Name<'a> {
        let lower = lower(written);
        let normal = match self.aliases.get(&*lower) {
            Some(name) => Cow::Borrowed(name.as_str()),
            None if lower.starts_with(PREFIX) => Cow::Owned(clean(&lower)),
            None => lower,
        };
        let also = self.tails(&normal);
        Name { written: Cow::Borrowed(written), normal, spelled: None, also }
    }

    /// The name for a tool of a server, where it is known which; written with or without the server.
    ///
    /// ```
    /// let names = tollgate_core::Names::default();
    /// let name = names.tool_of("Fork", Some("GitHub"));
    /// assert_eq!((name.written(), name.normal()), ("Fork", "mcp__github__fork"));
    /// assert_eq!(name.exact().collect::<Vec<_>>(), ["mcp__github__fork"]);
    /// assert_eq!(name.all().collect::<Vec<_>>(), ["mcp__github__fork", "fork"]);
    /// ```
    pub fn tool_of<'a>(&'a self, written: &'a str, server: Option<&str>) -> Name<'a> {
        let name = self.name(written);
        let known = server.map(str::trim).filter(|server| !server.is_empty() && !name.is_of_server());
        let Some(server) = known.filter(|_| !name.normal.is_empty()) else { return name };
        self.meaning(written, format!("{PREFIX}{server}{BETWEEN}{}", written.trim()), false)
    }

    /// The name for what an agent wrote that means another name. `exact` is whether what is written says as much, so that
    /// something may be let through by it.
    pub fn meaning<'a>(&'a self, written: &'a str, name: String, exact: bool) -> Name<'a> {
        let spelled = (exact && lower(written) != name).then(|| lower(written).into());
        Name { written: Cow::Borrowed(written), spelled, ..self.owned(name, None) }
    }

    /// What a server's tool is called there. Where the server's name ends is told by nothing but the first mark.
    fn tails(&self, normal: &str) -> Vec<Box<str>> {
        let rest = normal.strip_prefix(PREFIX).unwrap_or_default();
        let tails = rest.match_indices(BETWEEN).filter_map(|(at, mark)| rest.get(at + mark.len()..));
        tails.filter(|tail| !tail.is_empty()).map(|tail| self.name(tail).normal().into()).collect()
    }

    /// The same, for a name that must outlive the text it was read from.
    pub(crate) fn owned(&self, written: String, server: Option<&str>) -> Name<'static> {
        let Name { normal, spelled, also, .. } = self.tool_of(&written, server);
        Name { normal: Cow::Owned(normal.into_owned()), spelled, also, written: Cow::Owned(written) }
    }
}

fn lower(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim();
    let is_lower = |c: char| c.is_ascii() && !c.is_ascii_uppercase();
    if trimmed.chars().all(is_lower) { Cow::Borrowed(trimmed) } else { Cow::Owned(trimmed.to_lowercase()) }
}

/// Such a name, as most agents write it. A `*` stays what it is: no tool has one, and patterns do.
fn clean(name: &str) -> String {
    let keeps = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "_-*".contains(c);
    name.chars().map(|c| if keeps(c) { c } else { '_' }).collect()
}

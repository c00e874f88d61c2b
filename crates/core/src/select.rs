use std::sync::Arc;

use crate::{BadRegistration, Event, Fault, Names};

/// Which events an interceptor is for. All conditions must hold; by default there are none.
///
/// ```
/// use tollgate_core::{Match, Selector};
///
/// let shell_of_main = Selector { tool: Match::exact("exec"), agent: Match::glob("main*")?, ..Selector::default() };
/// # Ok::<(), tollgate_core::BadRegistration>(())
/// ```
#[derive(Clone, Default)]
pub struct Selector {
    /// The tool, by its normalized name.
    pub tool: Match,
    /// The agent.
    pub agent: Match,
    /// The session.
    pub session: Match,
    /// The surface.
    pub surface: Match,
    /// The MCP server.
    pub server: Match,
    /// The model.
    pub model: Match,
}

/// A condition on one name. Compiled when it is made.
///
/// ```
/// use tollgate_core::Match;
///
/// assert!(Match::exact("exec").fits(Some("exec")));
/// assert!(Match::glob("web_*")?.fits(Some("web_search")) && !Match::glob("web_*")?.fits(Some("my_web_search")));
/// assert!(Match::with("short names", |name| name.len() < 5).fits(Some("exec")));
/// assert!(Match::Any.fits(None) && !Match::exact("exec").fits(None));
/// # Ok::<(), tollgate_core::BadRegistration>(())
/// ```
#[derive(Clone, Default)]
pub enum Match {
    /// Anything, and nothing too.
    #[default]
    Any,
    /// The whole name.
    Exact(Box<str>),
    /// The whole name, where `*` is any text.
    Glob(Box<str>),
    /// Whatever a function says; the text describes it. Regular expressions come in this way. It is asked once
    /// per name, perhaps while the registry is locked, so it must not come back to that.
    With(Box<str>, Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Selector {
    /// Every call of one tool.
    pub fn tool(name: &str) -> Self {
        Self { tool: Match::exact(name), ..Self::default() }
    }

    /// Whether everything but the tool's name fits; that one is looked up in an index.
    pub(crate) fn fits(&self, event: &Event<'_>) -> bool {
        // Most conditions are none at all, and a call for each of those would be felt.
        let fits = |condition: &Match, fact| matches!(condition, Match::Any) || condition.fits(fact);
        fits(&self.agent, event.agent)
            && fits(&self.session, event.session)
            && fits(&self.surface, event.surface)
            && fits(&self.server, event.server)
            && fits(&self.model, event.model)
    }
}

impl Match {
    /// The whole name.
    pub fn exact(name: &str) -> Self {
        Self::Exact(name.into())
    }

    /// The whole name by a pattern.
    pub fn glob(pattern: &str) -> Result<Self, BadRegistration> {
        if pattern.is_empty() || pattern.contains(['?', '[', ']', '{', '}']) {
            let rule = "a glob is a name in which `*` stands for any text";
            return Err(BadRegistration(format!("the pattern `{pattern}` does not work: {rule}")));
        }
        Ok(Self::Glob(pattern.into()))
    }

    /// Whatever a function says.
    pub fn with(description: &str, matches: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self::With(description.into(), Arc::new(matches))
    }

    /// Whether a name fits. A missing name fits only [`Match::Any`].
    pub fn fits(&self, name: Option<&str>) -> bool {
        match (self, name) {
            (Self::Any, _) => true,
            (_, None) => false,
            (Self::Exact(exact), Some(name)) => **exact == *name,
            (Self::Glob(pattern), Some(name)) => glob(pattern, name),
            // A condition that breaks holds: better one guard too many than one too few.
            (Self::With(_, matches), Some(name)) => Fault::catch(|| matches(name)).unwrap_or(true),
        }
    }

    /// The same condition over normalized names, so that `Bash` in a selector means what it means in a call.
    pub(crate) fn normalized(&self, names: &Names) -> Self {
        match self {
            Self::Exact(name) => Self::exact(names.name(name).normal()),
            Self::Glob(pattern) => Self::Glob(pattern.trim().to_lowercase().into()),
            Self::Any | Self::With(..) => self.clone(),
        }
    }
}

/// The texts between the stars, found one after another from the left.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, others)) = pattern.split_once('*') else { return pattern == text };
    let (middle, last) = others.rsplit_once('*').unwrap_or(("", others));
    let rest = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
    let mut parts = middle.split('*');
    rest.is_some_and(|rest| parts.try_fold(rest, |rest, part| Some(rest.split_once(part)?.1)).is_some())
}

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::{BadRegistration, Event, Fault, Names};

/// Which events an interceptor is for. All conditions must hold.
///
/// ```
/// use tollgate_core::{Match, Selector};
///
/// let shell_of_main = Selector { tool: Match::exact("exec"), agent: Match::glob("main*")?, ..Selector::ANY };
/// # Ok::<(), tollgate_core::BadRegistration>(())
/// ```
#[derive(Clone, Debug)]
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

/// A condition on one name. Compiled when it is made; matching takes linear time.
#[derive(Clone)]
pub enum Match {
    /// Anything, and nothing too.
    Any,
    /// The whole name.
    Exact(Box<str>),
    /// The whole name, where `*` is any text and `?` one character.
    Glob(Box<str>),
    /// Whatever a function says; the text describes it. Regular expressions come in this way.
    With(Box<str>, Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Selector {
    /// Every event.
    pub const ANY: Self = Self {
        tool: Match::Any,
        agent: Match::Any,
        session: Match::Any,
        surface: Match::Any,
        server: Match::Any,
        model: Match::Any,
    };

    /// Every call of one tool.
    pub fn tool(name: &str) -> Self {
        Self { tool: Match::exact(name), ..Self::ANY }
    }

    /// Whether everything but the tool's name fits; that one is looked up in an index.
    pub(crate) fn fits(&self, event: &Event<'_>) -> bool {
        self.agent.fits(event.agent)
            && self.session.fits(event.session)
            && self.surface.fits(event.surface)
            && self.server.fits(event.server)
            && self.model.fits(event.model)
    }
}

impl Match {
    /// The whole name.
    pub fn exact(name: &str) -> Self {
        Self::Exact(name.into())
    }

    /// The whole name by a pattern.
    pub fn glob(pattern: &str) -> Result<Self, BadRegistration> {
        if pattern.is_empty() || pattern.contains(['[', ']', '{', '}']) {
            let problem = "a glob is a name with `*` for any text and `?` for one character";
            return Err(BadRegistration::Pattern { pattern: pattern.to_owned(), problem: problem.to_owned() });
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
    pub(crate) fn normalized(&self, names: &Names) -> Cow<'_, Self> {
        match self {
            Self::Exact(name) => Cow::Owned(Self::exact(names.name(name).normal())),
            Self::Glob(pattern) => Cow::Owned(Self::Glob(pattern.trim().to_lowercase().into())),
            Self::Any | Self::With(..) => Cow::Borrowed(self),
        }
    }
}

impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Exact(name) => write!(f, "`{name}`"),
            Self::Glob(pattern) => write!(f, "glob `{pattern}`"),
            Self::With(description, _) => f.write_str(description),
        }
    }
}

/// Matches by remembering only the last star: no recursion, no blow-up.
fn glob(pattern: &str, text: &str) -> bool {
    let (mut rest, mut left) = (pattern.chars(), text.chars());
    let mut star = None;
    loop {
        let (mut after, mut further) = (rest.clone(), left.clone());
        match (after.next(), further.next()) {
            (Some('*'), _) => {
                star = Some((after.clone(), left.clone()));
                rest = after;
            }
            (Some(want), Some(have)) if want == '?' || want == have => (rest, left) = (after, further),
            (None, None) => return true,
            _ => {
                // Let the last star swallow one more character, and go on from there.
                let Some((after_star, mut swallowed)) = star else { return false };
                if swallowed.next().is_none() {
                    return false;
                }
                (rest, left) = (after_star.clone(), swallowed.clone());
                star = Some((after_star, swallowed));
            }
        }
    }
}

//! What there is to know about one event.

use std::cell::OnceCell;

use serde_json::Value;
use tollgate_core::{Body, Event, Fault, Point};
use tollgate_shell::{Effect, Place, Resolve, Surroundings};
use tollgate_wire::lens::{lens_for, strings};

/// What stands around a call and is not in it. Whoever has a file system implements it.
pub trait Ambient: Send + Sync {
    /// The folders in which work is ordinary, the project's own first; all absolute.
    fn workspace(&self, cwd: Option<&str>) -> Vec<String>;

    /// The user's home.
    fn home(&self, cwd: Option<&str>) -> Option<String>;

    /// The real path of an absolute one, if any of it exists and leads elsewhere.
    fn real(&self, path: &str) -> Option<String>;
}

/// Surroundings that stand still: for tests, examples, and whoever has no file system.
///
/// ```
/// use tollgate_rules::{Ambient, Still};
///
/// let still = Still::default();
/// assert_eq!(still.workspace(Some("/home/user/project/src")), ["/home/user/project"]);
/// assert_eq!(still.workspace(Some("/elsewhere")), ["/elsewhere"]);
/// ```
#[derive(Clone, Debug)]
pub struct Still {
    /// The folders in which work is ordinary; the working directory counts too if it is in none of them.
    pub workspace: Vec<String>,
    /// The user's home.
    pub home: Option<String>,
}

impl Default for Still {
    fn default() -> Self {
        Self { workspace: vec!["/home/user/project".to_owned()], home: Some("/home/user".to_owned()) }
    }
}

impl Ambient for Still {
    fn workspace(&self, cwd: Option<&str>) -> Vec<String> {
        let outside = cwd.filter(|cwd| !self.workspace.iter().any(|folder| below(cwd, folder).is_some()));
        outside.map_or_else(|| self.workspace.clone(), |cwd| vec![cwd.to_owned()])
    }

    fn home(&self, _cwd: Option<&str>) -> Option<String> {
        self.home.clone()
    }

    fn real(&self, _path: &str) -> Option<String> {
        None
    }
}

/// What is left of a path below a folder; empty for the folder itself.
pub(crate) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Everything that conditions ask about one event. What costs something is worked out when it is first asked for, and
/// only once, however many rules ask.
pub struct Insight<'a> {
    /// The facts.
    pub event: &'a Event<'a>,
    /// The document, and what travels with it.
    pub body: &'a Body,
    ambient: &'a dyn Ambient,
    workspace: OnceCell<Vec<String>>,
    home: OnceCell<Option<String>>,
    effects: OnceCell<Result<Vec<Effect>, Fault>>,
    texts: OnceCell<Result<Vec<&'a str>, Fault>>,
    secret: OnceCell<Result<bool, Fault>>,
    #[cfg(feature = "cel")]
    pub(crate) activation: OnceCell<crate::when::Activation>,
}

struct Links<'a>(&'a dyn Ambient);

impl Resolve for Links<'_> {
    fn real(&self, path: &str) -> Option<String> {
        self.0.real(path)
    }
}

impl<'a> Insight<'a> {
    /// What can be known about an event.
    pub fn new(event: &'a Event<'a>, body: &'a Body, ambient: &'a dyn Ambient) -> Self {
        Self {
            event,
            body,
            ambient,
            workspace: OnceCell::new(),
            home: OnceCell::new(),
            effects: OnceCell::new(),
            texts: OnceCell::new(),
            secret: OnceCell::new(),
            #[cfg(feature = "cel")]
            activation: OnceCell::new(),
        }
    }

    /// The tool's normalized name as it stands now; empty where there is none.
    pub fn tool(&self) -> &str {
        self.event.tool_name(self.body)
    }

    /// What sort of tool that is.
    pub fn kind(&self) -> Option<&'static str> {
        let of_server = || self.event.server.is_some().then_some("mcp");
        tollgate_wire::kind(self.tool()).or_else(of_server)
    }

    /// The document.
    pub fn document(&self) -> Result<&'a Value, Fault> {
        self.body.json()
    }

    /// The call's arguments: the document before it runs, a fact afterwards. At points that are about no tool, the
    /// document.
    pub fn arguments(&self) -> Result<Option<&'a Value>, Fault> {
        match (self.event.point, self.event.arguments) {
            (Point::ToolUpdate | Point::ToolAfter | Point::ToolPersist, arguments) => {
                arguments.map(Body::json).transpose()
            }
            _ => self.document().map(Some),
        }
    }

    /// The folders in which work is ordinary.
    pub fn workspace(&self) -> &[String] {
        self.workspace.get_or_init(|| self.ambient.workspace(self.event.cwd))
    }

    /// The user's home.
    pub fn home(&self) -> Option<&str> {
        self.home.get_or_init(|| self.ambient.home(self.event.cwd)).as_deref()
    }

    /// What the call does.
    pub fn effects(&self) -> Result<&[Effect], Fault> {
        let effects = self.effects.get_or_init(|| {
            if !self.event.point.is_about_a_tool() {
                return Ok(Vec::new());
            }
            let Some(arguments) = self.arguments()? else { return Ok(Vec::new()) };
            let kind = self.kind().unwrap_or("other");
            Ok(self.effects_of(|around| tollgate_shell::understand_call(kind, arguments, around)))
        });
        effects.as_deref().map_err(Clone::clone)
    }

    /// What a command would do here.
    pub fn effects_of_command(&self, command: &str) -> Vec<Effect> {
        self.effects_of(|around| tollgate_shell::understand(command, around))
    }

    fn effects_of(&self, understand: impl FnOnce(&Surroundings<'_>) -> Vec<Effect>) -> Vec<Effect> {
        let folders = self.workspace();
        let around = Surroundings {
            // A relative one is relative to something nobody knows.
            cwd: self.event.cwd.filter(|cwd| cwd.starts_with('/')),
            workspace: folders.first().map(String::as_str),
            home: self.home(),
            resolve: Some(&Links(self.ambient)),
        };
        let mut effects = understand(&around);
        for effect in &mut effects {
            move_inside(effect, folders.get(1..).unwrap_or_default());
        }
        effects
    }

    /// Every string of the document.
    pub fn texts(&self) -> Result<&[&'a str], Fault> {
        let texts = self.texts.get_or_init(|| self.document().map(strings));
        texts.as_deref().map_err(Clone::clone)
    }

    /// The text of the document as a person or a model reads it.
    pub fn text(&self) -> Result<String, Fault> {
        let document = self.document()?;
        Ok(lens_for(document).text(document).unwrap_or_default())
    }

    /// Whether the document holds a credential.
    pub fn has_secret(&self) -> Result<bool, Fault> {
        let look = || {
            let mut copy = self.document()?.clone();
            Ok(tollgate_secrets::scanner().redact_json(&mut copy) > 0)
        };
        self.secret.get_or_init(look).clone()
    }
}

/// What is in another folder of the workspace is not outside.
fn move_inside(effect: &mut Effect, folders: &[String]) {
    let (Some(path), Some(Place::Outside | Place::System | Place::Temp)) = (&effect.path, effect.place) else { return };
    match folders.iter().find_map(|folder| below(path, folder)) {
        Some("") => effect.place = Some(Place::Workspace),
        Some(_) => effect.place = Some(Place::Inside),
        None => {}
    }
}

//! What there is to know about one event.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;
use tollgate_core::{Body, Event, Fault, Name, Point};
use tollgate_shell::{Effect, Tool};
use tollgate_wire::lens::{lens_for, strings};

use crate::form::{SecretForm, SecretSort};
use crate::lesson::Lesson;
use crate::understood::{DocumentFacts, Viewpoint, moved};

/// What stands around a call and is not in it. Whoever has a file system implements it.
pub trait Ambient: Send + Sync {
    /// The folders in which work is ordinary, the project's own first; all absolute.
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]>;

    /// The user's home.
    fn home<'a>(&'a self, cwd: Option<&'a str>) -> Option<Cow<'a, str>>;

    /// The real path of an absolute one, if any of it exists and leads elsewhere.
    fn real(&self, path: &str) -> Option<String>;

    /// What a policy says that tools do.
    fn lessons(&self) -> &[Arc<Lesson>] {
        &[]
    }

    /// What these add folders and lessons to, where they do nothing else: then a call is understood once for both.
    fn ground(&self) -> Option<&Arc<dyn Ambient>> {
        None
    }
}

/// Surroundings, and what a policy adds to them.
pub struct Extended {
    /// The surroundings.
    pub inner: Arc<dyn Ambient>,
    /// More folders in which work is ordinary.
    pub folders: Vec<String>,
    /// What tools do.
    pub lessons: Vec<Arc<Lesson>>,
}

impl Ambient for Extended {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        let mut folders = self.inner.workspace(cwd);
        if !self.folders.is_empty() {
            folders.to_mut().extend(self.folders.iter().cloned());
        }
        folders
    }

    fn home<'a>(&'a self, cwd: Option<&'a str>) -> Option<Cow<'a, str>> {
        self.inner.home(cwd)
    }

    fn real(&self, path: &str) -> Option<String> {
        self.inner.real(path)
    }

    fn lessons(&self) -> &[Arc<Lesson>] {
        &self.lessons
    }

    fn ground(&self) -> Option<&Arc<dyn Ambient>> {
        Some(self.inner.ground().unwrap_or(&self.inner))
    }
}

/// Surroundings that stand still: for tests, examples, and whoever has no file system.
///
/// ```
/// use tollgate_rules::{Ambient, Still};
///
/// let still = Still::default();
/// assert_eq!(*still.workspace(Some("/home/user/project/src")), ["/home/user/project"]);
/// assert_eq!(*still.workspace(Some("/elsewhere")), ["/elsewhere"]);
/// ```
#[derive(Clone, Debug)]
pub struct Still {
    /// The folders in which work is ordinary; the working directory counts too if it is in none of them.
    pub workspace: Vec<String>,
    /// The user's home.
    pub home: Option<String>,
}

impl Still {
    /// The usual ones, to be shared by all who look at a call.
    pub fn shared() -> Arc<dyn Ambient> {
        Arc::new(Self::default())
    }
}

impl Default for Still {
    fn default() -> Self {
        Self { workspace: vec!["/home/user/project".to_owned()], home: Some("/home/user".to_owned()) }
    }
}

impl Ambient for Still {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        let outside = cwd.filter(|cwd| !self.workspace.iter().any(|folder| below(cwd, folder).is_some()));
        outside.map_or(Cow::Borrowed(&self.workspace), |cwd| Cow::Owned(vec![cwd.to_owned()]))
    }

    fn home<'a>(&'a self, _cwd: Option<&'a str>) -> Option<Cow<'a, str>> {
        self.home.as_deref().map(Cow::Borrowed)
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
/// only once, however many rules ask. What the call does is kept with its document, so also whoever else looks at that
/// document in these surroundings need not find out again.
pub struct CallFacts<'a> {
    /// The facts.
    pub event: &'a Event<'a>,
    /// The document, and what travels with it.
    pub body: &'a Body,
    ambient: &'a Arc<dyn Ambient>,
    workspace: OnceCell<Cow<'a, [String]>>,
    home: OnceCell<Option<Cow<'a, str>>>,
    lessons: OnceCell<Vec<&'a Arc<Lesson>>>,
    effects: OnceCell<Result<Cow<'a, [Effect]>, Fault>>,
    texts: OnceCell<Result<Vec<&'a str>, Fault>>,
    #[cfg(feature = "cel")]
    pub(crate) activation: OnceCell<crate::when::Activation>,
}

impl<'a> CallFacts<'a> {
    /// What can be known about an event.
    pub fn new(event: &'a Event<'a>, body: &'a Body, ambient: &'a Arc<dyn Ambient>) -> Self {
        Self {
            event,
            body,
            ambient,
            workspace: OnceCell::new(),
            home: OnceCell::new(),
            lessons: OnceCell::new(),
            effects: OnceCell::new(),
            texts: OnceCell::new(),
            #[cfg(feature = "cel")]
            activation: OnceCell::new(),
        }
    }

    /// The tool's normalized name as it stands now; empty where there is none.
    pub fn tool(&self) -> &str {
        self.event.tool_name(self.body)
    }

    /// All that the tool is called by now.
    pub fn name(&self) -> Option<&Name<'_>> {
        self.event.tool_now(self.body)
    }

    /// The server that the tool's name says it is of.
    pub fn named_server(&self) -> Option<&str> {
        let (server, _) = tollgate_wire::server_tool(self.tool(), self.event.server)?;
        Some(server).filter(|server| !server.is_empty())
    }

    /// What sort of tool that is.
    pub fn kind(&self) -> Option<&'static str> {
        let of_server = || self.event.server.is_some() || self.name().is_some_and(Name::is_of_server);
        tollgate_wire::kind(self.tool()).or_else(|| of_server().then_some("mcp"))
    }

    /// The document.
    pub fn document(&self) -> Result<&'a Value, Fault> {
        self.body.json()
    }

    /// The call's arguments: the document before it runs, a fact afterwards. At points that are about no tool, the
    /// document.
    pub fn arguments(&self) -> Result<Option<&'a Value>, Fault> {
        self.call().map(Body::json).transpose()
    }

    /// Where the arguments stand.
    fn call(&self) -> Option<&'a Body> {
        match self.event.point {
            Point::ToolUpdate | Point::ToolAfter | Point::ToolPersist => self.event.arguments,
            _ => Some(self.body),
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

    /// What the policy says of the tool.
    pub(crate) fn lessons(&self) -> &[&'a Arc<Lesson>] {
        self.lessons.get_or_init(|| self.ambient.lessons().iter().filter(|lesson| lesson.is_of(self)).collect())
    }

    /// The same without what the policy says of the tool, if it says anything. What is taught may make conditions hold, so
    /// whatever lets a call through goes by this.
    pub(crate) fn untaught(&self) -> Option<Self> {
        let lessons = OnceCell::from(Vec::new());
        let plain = || Self { lessons, ..Self::new(self.event, self.body, self.ambient) };
        (!self.lessons().is_empty()).then(plain)
    }

    /// What the call does.
    pub fn effects(&self) -> Result<&[Effect], Fault> {
        let effects = self.effects.get_or_init(|| {
            let call = self.call().filter(|_| self.event.point.is_about_a_tool());
            let Some(call) = call else { return Ok(Cow::default()) };
            let (arguments, view) = (call.json()?, self.view());
            Ok(match DocumentFacts::of(call) {
                Some(known) => known.effects(&view, self.more(), arguments),
                None => Cow::Owned(moved(view.effects(arguments), self.more())),
            })
        });
        effects.as_deref().map_err(Clone::clone)
    }

    /// What a command would do here.
    pub fn effects_of_command(&self, command: &str) -> Vec<Effect> {
        moved(self.view().understand(|around| tollgate_shell::understand(command, around)), self.more())
    }

    fn view(&self) -> Viewpoint<'_> {
        Viewpoint {
            tool: self.which(),
            cwd: self.event.cwd,
            folder: self.workspace().first().map(String::as_str),
            home: self.home(),
            ground: self.ambient.ground().unwrap_or(self.ambient),
            point: self.event.point,
            lessons: self.lessons(),
        }
    }

    /// The tool, whoever offers it. Its name is given as it was written: what is a word of its own in it may be told by its
    /// capitals.
    fn which(&self) -> Tool<'_> {
        let written = self.event.tool_now(self.body).map_or("", Name::written);
        match tollgate_wire::server_tool(self.tool(), self.event.server) {
            Some((server, tool)) => {
                let end = written.len().checked_sub(tool.len()).and_then(|start| written.get(start..));
                let name = end.filter(|end| end.to_lowercase() == tool).unwrap_or(tool);
                Tool::Foreign { name, server: Some(server).filter(|name| !name.is_empty()).or(self.event.server) }
            }
            None => match tollgate_wire::kind(self.tool()) {
                Some(kind) if kind != "mcp" && self.event.server.is_none() => Tool::Own(kind),
                _ => Tool::Foreign { name: written, server: self.event.server },
            },
        }
    }

    /// The folders of the workspace beside the first.
    fn more(&self) -> &[String] {
        self.workspace().get(1..).unwrap_or_default()
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

    /// Whether it is so about credentials in the document.
    pub(crate) fn secret_is(&self, form: SecretForm) -> Result<bool, Fault> {
        match form {
            SecretForm::Is(there) => Ok(self.has_secret()? == there),
            SecretForm::Of(SecretSort::Evident) => {
                Ok(self.texts()?.iter().any(|text| !tollgate_secrets::scanner().find(text).is_empty()))
            }
        }
    }

    /// Whether the document holds a credential.
    pub fn has_secret(&self) -> Result<bool, Fault> {
        let document = self.document()?;
        let look = || tollgate_secrets::scanner().redact_json(&mut document.clone()) > 0;
        Ok(match DocumentFacts::of(self.body) {
            Some(known) => known.secret(look),
            None => look(),
        })
    }
}

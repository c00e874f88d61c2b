//! What was worked out from a document, kept with it: [`Body::derived`] shares it among all who look at the same
//! document, and drops it when somebody writes.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tollgate_core::{Body, Point};
use tollgate_shell::{Effect, Place, Resolve, Surroundings, Tool};

use crate::facts::{Ambient, below};
use crate::lesson::Lesson;

/// How many views of one document are kept. A run has one or two; more only cost time.
const MAX_VIEWS: usize = 8;

/// What is known about a document.
#[derive(Default)]
pub(crate) struct DocumentFacts {
    secret: OnceLock<bool>,
    first: OnceLock<Understood>,
}

impl DocumentFacts {
    /// What is known about the document of a body; none where somebody else keeps something there.
    pub(crate) fn of(body: &Body) -> Option<&Self> {
        body.derived()
    }

    /// Whether the document holds a credential.
    pub(crate) fn secret(&self, look: impl FnOnce() -> bool) -> bool {
        *self.secret.get_or_init(look)
    }

    /// What the document does as a call. Nobody who sees it otherwise is given the same.
    pub(crate) fn effects(&self, view: &Viewpoint<'_>, more: &[String], arguments: &Value) -> Cow<'_, [Effect]> {
        let anew = || Understood::new(view, arguments);
        let mut one = self.first.get_or_init(anew);
        for _ in 1..MAX_VIEWS {
            if one.is_by(view) {
                break;
            }
            one = one.next.get_or_init(|| Box::new(anew()));
        }
        if one.is_by(view) { one.with(more) } else { Cow::Owned(moved(view.effects(arguments), more)) }
    }
}

/// All that decides what a call with some arguments does. Whatever else should come to matter has to be added here, since
/// what was understood is shared by all who see the call alike.
pub(crate) struct Viewpoint<'a> {
    /// Which tool it is for.
    pub(crate) tool: Tool<'a>,
    /// The working directory.
    pub(crate) cwd: Option<&'a str>,
    /// The first folder of the workspace.
    pub(crate) folder: Option<&'a str>,
    /// The user's home.
    pub(crate) home: Option<&'a str>,
    /// Who knows where links lead.
    pub(crate) ground: &'a Arc<dyn Ambient>,
    /// Where in the call's life: a link may lead somewhere else by the time it has run.
    pub(crate) point: Point,
    /// What the policy says of the tool.
    pub(crate) lessons: &'a [&'a Arc<Lesson>],
}

impl Viewpoint<'_> {
    pub(crate) fn effects(&self, arguments: &Value) -> Vec<Effect> {
        self.understand(|around| {
            let mut effects = tollgate_shell::understand_call(&self.tool, arguments, around);
            self.lessons.iter().for_each(|lesson| lesson.add_effects(&self.tool, arguments, around, &mut effects));
            effects
        })
    }

    pub(crate) fn understand(&self, understand: impl FnOnce(&Surroundings<'_>) -> Vec<Effect>) -> Vec<Effect> {
        let links = AmbientLinks(&**self.ground);
        understand(&Surroundings {
            // A relative one is relative to something nobody knows.
            cwd: self.cwd.filter(|cwd| cwd.starts_with('/')),
            workspace: self.folder,
            home: self.home,
            resolve: Some(&links),
        })
    }
}

struct AmbientLinks<'a>(&'a dyn Ambient);

impl Resolve for AmbientLinks<'_> {
    fn real(&self, path: &str) -> Option<String> {
        self.0.real(path)
    }
}

/// The tool, its server and the folders of a view, one behind the other.
struct Places {
    text: String,
    lengths: [Option<usize>; 6],
}

impl Places {
    fn of(view: &Viewpoint<'_>) -> Self {
        let all = Self::all(view);
        Self { text: all.map(Option::unwrap_or_default).concat(), lengths: all.map(|place| place.map(str::len)) }
    }

    fn are(&self, view: &Viewpoint<'_>) -> bool {
        let all = Self::all(view);
        let mut rest = self.text.as_str();
        let mut next = |place: &str| rest.strip_prefix(place).map(|behind| rest = behind).is_some();
        self.lengths == all.map(|place| place.map(str::len)) && all.into_iter().flatten().all(&mut next)
    }

    fn all<'a>(view: &Viewpoint<'a>) -> [Option<&'a str>; 6] {
        let [kind, name, server] = match view.tool {
            Tool::Own(kind) => [Some(kind), None, None],
            Tool::Foreign { name, server } => [None, Some(name), server],
        };
        [kind, name, server, view.cwd, view.folder, view.home]
    }
}

/// What a call does in one view, and the next view of it.
struct Understood {
    places: Places,
    /// It is held, so that nothing else can have its address.
    ground: Arc<dyn Ambient>,
    point: Point,
    /// They are held for the same reason.
    lessons: Vec<Arc<Lesson>>,
    effects: Vec<Effect>,
    /// The same where the workspace has more folders, and which.
    wider: OnceLock<(Vec<String>, Vec<Effect>)>,
    next: OnceLock<Box<Self>>,
}

impl Understood {
    fn new(view: &Viewpoint<'_>, arguments: &Value) -> Self {
        Self {
            places: Places::of(view),
            ground: Arc::clone(view.ground),
            point: view.point,
            lessons: view.lessons.iter().map(|lesson| Arc::clone(lesson)).collect(),
            effects: view.effects(arguments),
            wider: OnceLock::new(),
            next: OnceLock::new(),
        }
    }

    fn is_by(&self, view: &Viewpoint<'_>) -> bool {
        self.point == view.point
            && self.lessons.len() == view.lessons.len()
            && self.lessons.iter().zip(view.lessons).all(|(one, other)| Arc::ptr_eq(one, other))
            && self.places.are(view)
            && std::ptr::addr_eq(Arc::as_ptr(&self.ground), Arc::as_ptr(view.ground))
    }

    fn with(&self, more: &[String]) -> Cow<'_, [Effect]> {
        if more.is_empty() {
            return Cow::Borrowed(&self.effects);
        }
        let (folders, effects) = self.wider.get_or_init(|| (more.to_vec(), moved(self.effects.clone(), more)));
        if folders == more { Cow::Borrowed(effects) } else { Cow::Owned(moved(self.effects.clone(), more)) }
    }
}

/// What is in another folder of the workspace is not outside.
pub(crate) fn moved(mut effects: Vec<Effect>, folders: &[String]) -> Vec<Effect> {
    effects.iter_mut().for_each(|effect| move_inside(effect, folders));
    effects
}

fn move_inside(effect: &mut Effect, folders: &[String]) {
    let (Some(path), Some(Place::Outside | Place::System | Place::Temp)) = (&effect.path, effect.place) else { return };
    match folders.iter().find_map(|folder| below(path, folder)) {
        Some("") => effect.place = Some(Place::Workspace),
        Some(_) => effect.place = Some(Place::Inside),
        None => {}
    }
}

use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{Event, Fault, FaultKind, Headers, Name, Names};

/// How many lists and objects may stand in one another: 128 levels with the innermost value, which is where
/// `serde_json` stops too.
pub(crate) const MAX_DEPTH: usize = 127;

/// The one thing that may be rewritten: a JSON document, and what travels with it.
///
/// The document is read when somebody first looks. If nobody writes, [`to_bytes`](Self::to_bytes) gives
/// back the very bytes that came in, spaces and all.
///
/// At `tool.before` the document is the call's arguments, and the name they go to can be changed with
/// [`rename`](Self::rename). At the model points there are [`headers`](Self::headers) beside it.
///
/// ```
/// use serde_json::json;
/// use tollgate_core::Body;
///
/// let mut body = Body::from(json!({"path": "a.txt"}));
/// assert_eq!(body.json()?["path"], "a.txt");
/// body.json_mut()?["path"] = "/sandbox/a.txt".into();
/// assert_eq!(&*body.to_bytes(), br#"{"path":"/sandbox/a.txt"}"#);
/// # Ok::<(), tollgate_core::Fault>(())
/// ```
///
/// A handler gets it by reference and cannot keep it: what was judged cannot change afterwards.
///
/// ```compile_fail
/// # use tollgate_core::{Body, Edit, Event, Step, Verdict};
/// struct Keeps(std::sync::Mutex<Option<&'static mut Body>>);
/// impl Edit for Keeps {
///     fn edit<'a>(&'a self, _: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
///         *self.0.lock().unwrap() = Some(body);
///         Step::PASS
///     }
/// }
/// ```
// A clone shares the document until one side writes: the pipeline takes one before every edit, to come
// back to when the edit fails.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The bytes that came in, as long as nobody wrote, and what reads them.
    pub(crate) raw: Option<(Arc<Vec<u8>>, Reader)>,
    /// What reading them came to. Clones share it: whoever looks at a clone has looked at the body.
    read: Arc<OnceLock<Reading>>,
    name: Option<Name<'static>>,
    headers: Option<Arc<Headers>>,
    labels: Vec<(String, String)>,
    /// Text for the model to read, where the surface can carry it.
    pub notes: Vec<String>,
    /// Text for the person at the keyboard.
    pub tells: Vec<String>,
}

/// Reads bytes as a document: its value, or why there is none, and why two parsers may read it differently.
///
/// Core parses nothing itself; `tollgate-wire` has the reader that every surface uses.
pub type Reader = fn(&[u8]) -> (Result<Value, Fault>, Option<&'static str>);

#[derive(Clone, Debug)]
struct Reading {
    value: Result<Arc<Value>, Fault>,
    ambiguity: Option<&'static str>,
    /// What somebody worked out from it.
    derived: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        let mut body = Self::default();
        body.set(value);
        body
    }
}

impl Body {
    /// A document as it came in, not yet read.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, reader: Reader) -> Self {
        Self { raw: Some((Arc::new(bytes.into()), reader)), ..Self::default() }
    }

    /// The document. An error where the bytes are no JSON or nest too deep; hand it on with `?` and the
    /// call is refused.
    pub fn json(&self) -> Result<&Value, Fault> {
        self.reading().value.as_deref().map_err(Clone::clone)
    }

    /// The document, to be changed in place.
    pub fn json_mut(&mut self) -> Result<&mut Value, Fault> {
        self.json()?;
        self.raw = None;
        match Arc::make_mut(&mut self.read).get_mut() {
            Some(Reading { value: Ok(value), derived, .. }) => {
                derived.take();
                Ok(Arc::make_mut(value))
            }
            _ => Err(Fault::new(FaultKind::Unreadable, "there is no document")),
        }
    }

    /// Puts another document in this one's place.
    pub fn set(&mut self, value: Value) {
        self.raw = None;
        let value = if is_deeper(&value, MAX_DEPTH) { Err(too_deep(value)) } else { Ok(Arc::new(value)) };
        self.read = Arc::new(Reading { value, ambiguity: None, derived: OnceLock::new() }.into());
    }

    /// A place for what is worked out from the document and nothing else: clones share it, and it goes with the
    /// document as soon as somebody writes. It is of the type that asked first; none for any other.
    ///
    /// ```
    /// # use std::sync::OnceLock;
    /// # use tollgate_core::Body;
    /// let mut body = Body::from(serde_json::json!({"command": "ls"}));
    /// let length = |body: &Body| *body.derived::<OnceLock<usize>>().unwrap().get_or_init(|| body.to_bytes().len());
    /// assert_eq!(length(&body), 16);
    /// body.json_mut()?["command"] = "rm".into();
    /// body.json_mut()?["force"] = true.into();
    /// assert_eq!(length(&body), 29);
    /// # Ok::<(), tollgate_core::Fault>(())
    /// ```
    pub fn derived<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        self.reading().derived.get_or_init(|| Arc::<T>::default()).downcast_ref()
    }

    /// The bytes to send on: those that came in unless somebody wrote.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match &self.raw {
            Some((raw, _)) => Cow::Borrowed(raw.as_slice()),
            None => Cow::Owned(self.json().unwrap_or(&Value::Null).to_string().into_bytes()),
        }
    }

    /// The document as a value, taking the body apart.
    pub fn into_json(mut self) -> Result<Value, Fault> {
        self.json()?;
        Arc::make_mut(&mut self.read).take().map_or(Ok(Value::Null), |read| read.value.map(Arc::unwrap_or_clone))
    }

    /// The headers, where there are any.
    pub fn headers(&self) -> Option<&Headers> {
        self.headers.as_deref()
    }

    /// The headers, to be changed.
    pub fn headers_mut(&mut self) -> &mut Headers {
        Arc::make_mut(self.headers.get_or_insert_default())
    }

    /// Sends the call to another tool. Counts at `tool.before` only; the pipeline then asks whoever is
    /// registered for the new name.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = Some(Names::default().owned(name.into(), None));
    }

    /// What the call was renamed to.
    pub fn renamed(&self) -> Option<&Name<'static>> {
        self.name.as_ref()
    }

    /// Notes a fact down for later points of the same turn. It can be added to, never taken back.
    pub fn label(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.labels.push((key.into(), value.into()));
    }

    /// What was noted down.
    pub fn labels(&self) -> &[(String, String)] {
        &self.labels
    }

    /// Why two parsers may read the document differently, once somebody has looked at it.
    pub fn ambiguity(&self) -> Option<&'static str> {
        self.read.get()?.ambiguity
    }

    fn reading(&self) -> &Reading {
        self.read.get_or_init(|| {
            let (value, ambiguity) = self.raw.as_ref().map_or((Ok(Value::Null), None), |(raw, reader)| reader(raw));
            Reading { value: value.map(Arc::new), ambiguity, derived: OnceLock::new() }
        })
    }

    /// Whether somebody has looked.
    pub(crate) fn was_read(&self) -> bool {
        self.read.get().is_some()
    }

    /// Refuses a document that somebody built too deep.
    pub(crate) fn refuse_deep(&mut self) -> Result<(), Fault> {
        let read = Arc::make_mut(&mut self.read).get_mut();
        let Some(Reading { value: Ok(value), .. }) = read else { return Ok(()) };
        if is_deeper(value, MAX_DEPTH) { Err(too_deep(std::mem::take(value))) } else { Ok(()) }
    }

    /// Whether nobody has put another document in the place of one that both had.
    pub(crate) fn shares_document(&self, other: &Self) -> bool {
        match (&self.raw, &other.raw) {
            (Some((here, _)), Some((there, _))) => Arc::ptr_eq(here, there),
            (None, None) => Arc::ptr_eq(&self.read, &other.read),
            _ => false,
        }
    }

    /// Closes an edit's turn: resolves a rename, refuses what cannot be a document, and goes back to the
    /// document that came in if nothing really changed. Says whether something did.
    pub(crate) fn close_edit(&mut self, before: &Self, names: &Names, event: &Event<'_>) -> Result<bool, Fault> {
        let mut wrote = !self.shares_document(before);
        if wrote {
            // Depth first of all, because even comparing a value that is too deep could end the process.
            self.reading();
            self.refuse_deep()?;
            wrote = self.json() != before.json();
        }
        if !wrote {
            (self.raw, self.read) = (before.raw.clone(), Arc::clone(&before.read));
        }
        if !self.labels.starts_with(&before.labels) {
            return Err(Fault::new(FaultKind::Garbage, "it took labels back"));
        }
        if self.name.as_ref().is_some_and(|name| name.normal().is_empty()) {
            return Err(Fault::new(FaultKind::Garbage, "it renamed the call to nothing"));
        }
        self.name = self.name.take().map(|name| names.owned(name.written().to_owned(), event.server));
        let moved = self.name != before.name || self.headers != before.headers;
        let noted = self.notes != before.notes || self.tells != before.tells || self.labels != before.labels;
        if (wrote || moved) && !event.point.is_gate() {
            return Err(Fault::new(FaultKind::Garbage, "it may only add notes here"));
        }
        Ok(wrote || moved || noted)
    }
}

/// Lets go of what nests too deep without dropping it: that recurses, and could end the process. Whatever
/// comes from outside was never let in so deep; only a handler in this very process can build such a thing.
pub(crate) fn too_deep<T>(leaked: T) -> Fault {
    std::mem::forget(leaked);
    Fault::new(FaultKind::Garbage, "the document nests deeper than 128 levels")
}

/// Whether a value nests deeper than `limit`; never looks deeper than that itself.
pub(crate) fn is_deeper(value: &Value, limit: usize) -> bool {
    match value {
        Value::Object(map) => limit == 0 || map.values().any(|inner| is_deeper(inner, limit - 1)),
        Value::Array(items) => limit == 0 || items.iter().any(|inner| is_deeper(inner, limit - 1)),
        _ => false,
    }
}

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::scan::{self, Scan};
use crate::{Fault, FaultKind, Headers, Name, Names};

/// The one thing that may be rewritten: a JSON document, and what travels with it.
///
/// The document is parsed when somebody first looks. If nobody writes, [`into_bytes`](Self::into_bytes)
/// gives back the very bytes that came in, spaces and all.
///
/// At `tool.before` the document is the call's arguments, and the name they go to can be changed with
/// [`rename`](Self::rename). At the model points there are [`headers`](Self::headers) beside it.
///
/// ```
/// use tollgate_core::Body;
///
/// let mut body = Body::from_bytes(r#"{ "path": "a.txt" }"#);
/// assert_eq!(body.json()?["path"], "a.txt");
/// assert_eq!(&*body.to_bytes(), br#"{ "path": "a.txt" }"#);
///
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
    /// The bytes that came in, as long as nobody wrote.
    raw: Option<Arc<Vec<u8>>>,
    read: OnceLock<Read>,
    name: Option<Name<'static>>,
    headers: Option<Arc<Headers>>,
    notes: Vec<String>,
    tells: Vec<String>,
    labels: Vec<(String, String)>,
}

/// What reading the bytes came to.
#[derive(Clone, Debug)]
struct Read {
    value: Result<Arc<Value>, Fault>,
    ambiguity: Option<&'static str>,
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        let mut body = Self::default();
        body.set(value);
        body
    }
}

impl Body {
    /// A document as it came in, not yet parsed.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { raw: Some(Arc::new(bytes.into())), ..Self::default() }
    }

    /// The same body with headers beside the document.
    #[must_use]
    pub fn with_headers(self, headers: Headers) -> Self {
        Self { headers: Some(Arc::new(headers)), ..self }
    }

    /// The document. An error where the bytes are no JSON or nest too deep; hand it on with `?` and the
    /// call is refused.
    pub fn json(&self) -> Result<&Value, Fault> {
        match &self.reading().value {
            Ok(value) => Ok(value),
            Err(fault) => Err(fault.clone()),
        }
    }

    /// The document, to be changed in place.
    pub fn json_mut(&mut self) -> Result<&mut Value, Fault> {
        self.reading();
        self.raw = None;
        match self.read.get_mut().map(|read| &mut read.value) {
            Some(Ok(value)) => Ok(Arc::make_mut(value)),
            Some(Err(fault)) => Err(fault.clone()),
            None => Err(Fault::new(FaultKind::Unreadable, "the document is gone")),
        }
    }

    /// Puts another document in this one's place.
    pub fn set(&mut self, value: Value) {
        self.raw = None;
        let value = shallow(value).map(Arc::new);
        self.read = OnceLock::from(Read { value, ambiguity: None });
    }

    /// The bytes to send on: those that came in unless somebody wrote.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match (&self.raw, self.read.get()) {
            (Some(raw), _) => Cow::Borrowed(raw.as_slice()),
            (None, Some(Read { value: Ok(value), .. })) => Cow::Owned(value.to_string().into_bytes()),
            (None, _) => Cow::Borrowed(b"null"),
        }
    }

    /// The same, taking the body apart.
    pub fn into_bytes(mut self) -> Vec<u8> {
        match self.raw.take() {
            Some(raw) => Arc::unwrap_or_clone(raw),
            None => self.to_bytes().into_owned(),
        }
    }

    /// The document as a value, taking the body apart.
    pub fn into_json(mut self) -> Result<Value, Fault> {
        self.reading();
        match self.read.take().map(|read| read.value) {
            Some(value) => value.map(Arc::unwrap_or_clone),
            None => Ok(Value::Null),
        }
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
        self.name = Some(Names::default().owned(name.into()));
    }

    /// What the call was renamed to.
    pub fn renamed(&self) -> Option<&Name<'static>> {
        self.name.as_ref()
    }

    /// Adds text for the model to read, where the surface can carry it.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds text for the person at the keyboard.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.tells.push(text.into());
    }

    /// Notes a fact down for later points of the same turn. It can be added to, never taken back.
    pub fn label(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.labels.push((key.into(), value.into()));
    }

    /// What was noted for the model.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was noted for the person.
    pub fn tells(&self) -> &[String] {
        &self.tells
    }

    /// What was noted for later points.
    pub fn labels(&self) -> &[(String, String)] {
        &self.labels
    }

    /// Why two parsers may read the document differently, once somebody has looked at it.
    pub fn ambiguity(&self) -> Option<&'static str> {
        self.read.get()?.ambiguity
    }

    fn reading(&self) -> &Read {
        self.read.get_or_init(|| match &self.raw {
            Some(raw) => read(raw),
            None => Read { value: Ok(Arc::default()), ambiguity: None },
        })
    }

    /// Whether somebody looked at bytes that came from outside.
    pub(crate) fn was_read(&self) -> bool {
        self.read.get().is_some()
    }

    /// Lets go of the bytes that came in: what leaves is what was read.
    pub(crate) fn rewrite(&mut self) {
        self.raw = None;
    }

    /// Closes an edit's turn: resolves a rename, refuses what cannot be a document, and puts the body back
    /// as it was if nothing really changed. Says what did, as JSON pointers and plain words, never values.
    pub(crate) fn close_edit(&mut self, before: &Self, names: &Names) -> Result<Vec<String>, Fault> {
        if let Some(name) = self.name.take() {
            if name.normal().is_empty() {
                return Err(Fault::new(FaultKind::Garbage, "it renamed the call to nothing"));
            }
            self.name = Some(names.owned(name.written().to_owned()));
        }
        if let Some(Read { value: Ok(value), .. }) = self.read.get_mut()
            && scan::is_deeper(value, scan::MAX_DEPTH)
        {
            scan::dismantle(std::mem::take(Arc::make_mut(value)));
            return Err(too_deep(FaultKind::Garbage));
        }
        let changes = self.changes_since(before);
        if changes.is_empty() {
            // Somebody looked, even if nothing was written: that must not be forgotten.
            let read = std::mem::take(&mut self.read);
            *self = before.clone();
            if self.read.get().is_none() {
                self.read = read;
            }
        }
        Ok(changes)
    }

    fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if let (Some(Read { value: Ok(now), .. }), Some(Read { value: Ok(then), .. })) =
            (self.read.get(), before.read.get())
        {
            if !Arc::ptr_eq(now, then) {
                diff(then, now, &mut String::new(), &mut changes);
            }
        } else if self.raw.is_none() && before.raw.is_some() {
            match before.json() {
                Ok(then) => diff(then, self.json().unwrap_or(&Value::Null), &mut String::new(), &mut changes),
                Err(_) => changes.push(String::new()),
            }
        }
        let beside = [
            (self.name != before.name, "name"),
            (self.headers != before.headers, "headers"),
            (self.notes != before.notes || self.tells != before.tells, "notes"),
            (self.labels != before.labels, "labels"),
        ];
        changes.extend(beside.iter().filter(|(differs, _)| *differs).map(|(_, what)| (*what).to_owned()));
        changes
    }
}

fn read(raw: &[u8]) -> Read {
    let scan = Scan::of(raw);
    let rest = raw.get(scan.end..).unwrap_or_default();
    let mut text = Cow::Borrowed(&raw[..raw.len() - rest.len()]);
    for &at in &scan.lone_surrogates {
        if let Some(escape) = text.to_mut().get_mut(at..at + 6) {
            escape.copy_from_slice(b"\\ufffd");
        }
    }
    let value: Result<Value, _> = serde_json::from_slice(&text);
    let value = value.map_err(|error| Fault::new(FaultKind::Unreadable, format!("no readable JSON: {error}")));
    let doubled = matches!(&value, Ok(value) if scan::members(value) != scan.members);
    let reasons = [
        (doubled, "a key appears twice in one object"),
        (!scan.lone_surrogates.is_empty(), "an escaped surrogate stands alone"),
        (rest.iter().any(|byte| !byte.is_ascii_whitespace()), "bytes follow the end"),
        (scan.inexact_number, "a number does not fit a 64-bit float"),
    ];
    let ambiguity = reasons.iter().find(|(found, _)| *found).map(|(_, reason)| *reason);
    Read { value: value.map(Arc::new), ambiguity }
}

/// Refuses a value that nests too deep, and takes it apart safely.
fn shallow(value: Value) -> Result<Value, Fault> {
    if scan::is_deeper(&value, scan::MAX_DEPTH) {
        scan::dismantle(value);
        return Err(too_deep(FaultKind::Unreadable));
    }
    Ok(value)
}

fn too_deep(kind: FaultKind) -> Fault {
    Fault::new(kind, "the document nests deeper than 128 levels")
}

/// Where two documents differ, as JSON pointers; a list or a type that changed is named whole.
fn diff(then: &Value, now: &Value, path: &mut String, changes: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                let at = path.len();
                path.push('/');
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(then), Some(now)) => diff(then, now, path, changes),
                    _ => changes.push(path.clone()),
                }
                path.truncate(at);
            }
        }
        _ if then == now => {}
        _ => changes.push(path.clone()),
    }
}

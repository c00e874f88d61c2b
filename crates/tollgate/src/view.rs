//! Typed looks at a body: what a handler gets as its second argument.

use std::ops::{Deref, DerefMut};

use serde_json::{Map, Value};
use tollgate_core::{Body, Fault, FaultKind};
use tollgate_wire::lens::{lens_for, strings, strings_mut};

/// How handlers at a point see the body: one type to look at it, one to write on it.
pub trait View: 'static {
    /// What a guard gets.
    type Look<'a>;
    /// What an edit gets.
    type Write<'a>;
    /// Looks at a body, if it can be read.
    fn look(body: &Body) -> Result<Self::Look<'_>, Fault>;
    /// Looks at a body as a watcher, who sees also what cannot be read, as nothing.
    fn see(body: &Body) -> Self::Look<'_>;
    /// Gets ready to write on a body. Nothing is copied until something is written.
    fn write(body: &mut Body) -> Result<Self::Write<'_>, Fault>;
}

/// The body as an object with fields: a call's arguments, a model request.
pub struct Fields<'a>(&'a Body);

/// The same, to be changed.
pub struct FieldsMut<'a>(&'a mut Body);

/// The body as text somebody will read: a tool's result, a prompt, a message.
pub struct Text<'a>(&'a Body);

/// The same, to be changed.
pub struct TextMut<'a>(&'a mut Body);

impl View for Body {
    type Look<'a> = &'a Body;
    type Write<'a> = &'a mut Body;

    fn look(body: &Body) -> Result<&Body, Fault> {
        Ok(body)
    }

    fn see(body: &Body) -> &Body {
        body
    }

    fn write(body: &mut Body) -> Result<&mut Body, Fault> {
        Ok(body)
    }
}

/// The document of a body that was read before.
fn document(body: &Body) -> &Value {
    body.json().unwrap_or(&Value::Null)
}

impl FieldsMut<'_> {
    /// Sets a field. An error where the document is something else than an object or nothing.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), Fault> {
        self.object()?.insert(key.to_owned(), value.into());
        Ok(())
    }

    /// Sets a field unless it is there.
    pub fn default(&mut self, key: &str, value: impl Into<Value>) -> Result<(), Fault> {
        if self.get(key).is_none() { self.set(key, value) } else { Ok(()) }
    }

    /// Removes a field and keeps the order of the others.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.get(key)?;
        self.object().ok()?.shift_remove(key)
    }

    /// Lays other fields over these.
    pub fn merge(&mut self, fields: Map<String, Value>) -> Result<(), Fault> {
        if !fields.is_empty() {
            self.object()?.extend(fields);
        }
        Ok(())
    }

    fn object(&mut self) -> Result<&mut Map<String, Value>, Fault> {
        let document = self.0.json_mut()?;
        if document.is_null() {
            *document = Value::Object(Map::new());
        }
        document.as_object_mut().ok_or_else(|| Fault::new(FaultKind::Garbage, "the document is no object"))
    }
}

impl TextMut<'_> {
    /// Rewrites every string of the document, wherever it stands: what is taken out of a text must not survive
    /// beside it. Names of fields are left alone. Where that changes nothing, nothing is touched.
    pub fn map(&mut self, rewrite: impl Fn(&str) -> String) -> Result<(), Fault> {
        if strings(document(self.0)).into_iter().all(|text| rewrite(text) == text) {
            return Ok(());
        }
        strings_mut(self.0.json_mut()?).into_iter().for_each(|text| *text = rewrite(text));
        Ok(())
    }

    /// Puts one text in the place of all.
    pub fn set(&mut self, text: impl Into<String>) -> Result<(), Fault> {
        let lens = lens_for(document(self.0));
        let (text, document) = (text.into(), self.0.json_mut()?);
        lens.set_text(document, &text);
        Ok(())
    }
}

/// The text in a body, in whatever shape its source writes it.
fn text_of(body: &Body) -> String {
    let document = document(body);
    lens_for(document).texts(document).join("\n")
}

/// What a pair of views, one to look and one to write, has in common: how they are made, and that everything
/// else about the body can be reached through them. The block is what both can read.
macro_rules! views {
    ($($look:ident, $write:ident: { $($reading:item)+ })+) => {$(
        impl View for $look<'static> {
            type Look<'a> = $look<'a>;
            type Write<'a> = $write<'a>;

            fn look(body: &Body) -> Result<$look<'_>, Fault> {
                body.json().map(|_| $look(body))
            }

            fn see(body: &Body) -> $look<'_> {
                $look(body)
            }

            fn write(body: &mut Body) -> Result<$write<'_>, Fault> {
                body.json()?;
                Ok($write(body))
            }
        }

        impl $look<'_> {
            $($reading)+
        }

        impl $write<'_> {
            $($reading)+
        }

        impl Deref for $look<'_> {
            type Target = Body;

            fn deref(&self) -> &Body {
                self.0
            }
        }

        impl Deref for $write<'_> {
            type Target = Body;

            fn deref(&self) -> &Body {
                self.0
            }
        }

        impl DerefMut for $write<'_> {
            fn deref_mut(&mut self) -> &mut Body {
                self.0
            }
        }
    )+};
}

views! {
    Fields, FieldsMut: {
        /// One field.
        pub fn get(&self, key: &str) -> Option<&Value> {
            document(self.0).get(key)
        }

        /// One field, if it is text.
        pub fn text(&self, key: &str) -> Option<&str> {
            self.get(key)?.as_str()
        }

        /// The document itself, which need not be an object.
        pub fn value(&self) -> &Value {
            document(self.0)
        }
    }

    Text, TextMut: {
        /// The text the model reads, parts joined by line ends.
        pub fn text(&self) -> String {
            text_of(self.0)
        }

        /// Every string of the document, joined by line ends: for guards that look for what must not be there.
        pub fn everything(&self) -> String {
            strings(document(self.0)).join("\n")
        }

        /// The document itself.
        pub fn value(&self) -> &Value {
            document(self.0)
        }
    }
}

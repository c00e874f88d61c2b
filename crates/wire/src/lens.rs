//! Where the text stands in a tool's result.
//!
//! Tools answer in many shapes. A lens knows one of them: it reads and writes the parts that every result
//! has (texts, details, whether it is an error) and leaves the rest of the document as it is. What works on
//! results is written once, over lenses.
//!
//! ```
//! use serde_json::json;
//! use tollgate_wire::lens::lens_for;
//!
//! let mut result = json!({"content": [{"type": "text", "text": "the key is hunter2"}], "isError": false});
//! let lens = lens_for(&result);
//! for text in lens.texts_mut(&mut result) {
//!     *text = text.replace("hunter2", "[secret]");
//! }
//! assert_eq!(lens.text(&result).as_deref(), Some("the key is [secret]"));
//! ```

use serde_json::{Value, json};

/// The canonical view of a result inside a native document.
pub trait Lens: Send + Sync {
    /// Whether the document has this lens's shape.
    fn fits(&self, doc: &Value) -> bool;

    /// Every text part, in order.
    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str>;

    /// Every text part, to be changed in place. An edit over these changes nothing else.
    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String>;

    /// Makes this the only text. Parts that are no text (images) stay.
    fn set_text(&self, doc: &mut Value, text: &str);

    /// The text as one, a line break between the parts; none if there is no text part.
    fn text(&self, doc: &Value) -> Option<String> {
        let texts = self.texts(doc);
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// What the result holds for programs, where it has that.
    ///
    /// It often repeats the text. Whoever takes something out of the text must look here too:
    /// [`strings_mut`] finds every string of it.
    fn details<'a>(&self, doc: &'a Value) -> Option<&'a Value> {
        DETAILS.iter().find_map(|key| doc.get(key))
    }

    /// The same, to be changed in place.
    fn details_mut<'a>(&self, doc: &'a mut Value) -> Option<&'a mut Value> {
        let key = DETAILS.iter().find(|key| doc.get(key).is_some())?;
        doc.get_mut(key)
    }

    /// Whether the result says that the tool failed.
    fn is_error(&self, doc: &Value) -> bool {
        ["isError", "is_error"].iter().any(|key| doc.get(key) == Some(&Value::Bool(true)))
    }
}

/// The keys for what is meant for programs; a document has one of them.
const DETAILS: [&str; 2] = ["details", "structuredContent"];

/// The lens for a document, by its shape.
pub fn lens_for(doc: &Value) -> &'static dyn Lens {
    let known: [&'static dyn Lens; 4] = [&Content, &Output, &Stdio, &Prompt];
    known.into_iter().find(|lens| lens.fits(doc)).unwrap_or(&Whole)
}

/// `{"content": [{"type": "text", "text": …}, …], "details": …}`, and MCP's `content` with `isError`. The
/// content may also be one text. Text inside an embedded resource is text too.
#[derive(Clone, Copy, Debug)]
pub struct Content;

impl Lens for Content {
    fn fits(&self, doc: &Value) -> bool {
        doc.get("content").is_some_and(|content| content.is_array() || content.is_string())
    }

    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str> {
        match doc.get("content") {
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| part_text(part)?.as_str()).collect(),
            content => Vec::from_iter(content.and_then(Value::as_str)),
        }
    }

    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String> {
        match doc.get_mut("content") {
            Some(Value::Array(parts)) => parts.iter_mut().filter_map(|part| string(part_text_mut(part)?)).collect(),
            content => Vec::from_iter(content.and_then(string)),
        }
    }

    fn set_text(&self, doc: &mut Value, text: &str) {
        let Some(Value::Array(parts)) = doc.get_mut("content") else {
            return put(doc, "content", text);
        };
        let part = json!({"type": "text", "text": text});
        let place = parts.iter().position(|part| part_text(part).is_some()).unwrap_or(0);
        // The parts before the first text have none, so it keeps its place.
        parts.retain(|part| part_text(part).is_none());
        parts.insert(place, part);
    }
}

/// Where a part has its text, if it has one.
fn part_text(part: &Value) -> Option<&Value> {
    let own = part.get("text").filter(|text| text.is_string());
    own.or_else(|| part.get("resource")?.get("text").filter(|text| text.is_string()))
}

fn part_text_mut(part: &mut Value) -> Option<&mut Value> {
    match part.get("text").is_some_and(Value::is_string) {
        true => part.get_mut("text"),
        false => part.get_mut("resource")?.get_mut("text"),
    }
}

/// `{"output": "…"}`, or nothing but a text.
#[derive(Clone, Copy, Debug)]
pub struct Output;

impl Lens for Output {
    fn fits(&self, doc: &Value) -> bool {
        !self.texts(doc).is_empty()
    }

    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str> {
        Vec::from_iter(doc.get("output").unwrap_or(doc).as_str())
    }

    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String> {
        match doc {
            Value::Object(members) => Vec::from_iter(members.get_mut("output").and_then(string)),
            doc => Vec::from_iter(string(doc)),
        }
    }

    fn set_text(&self, doc: &mut Value, text: &str) {
        put(doc, "output", text);
    }
}

/// `{"stdout": "…", "stderr": "…"}`: a command's result in Claude Code.
#[derive(Clone, Copy, Debug)]
pub struct Stdio;

impl Lens for Stdio {
    fn fits(&self, doc: &Value) -> bool {
        ["stdout", "stderr"].iter().any(|key| doc.get(key).is_some_and(Value::is_string))
    }

    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str> {
        ["stdout", "stderr"].iter().filter_map(|key| doc.get(key)?.as_str()).collect()
    }

    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String> {
        let Value::Object(members) = doc else { return Vec::new() };
        let (mut out, mut err) = (None, None);
        for (key, value) in members {
            match key.as_str() {
                "stdout" => out = string(value),
                "stderr" => err = string(value),
                _ => {}
            }
        }
        out.into_iter().chain(err).collect()
    }

    fn set_text(&self, doc: &mut Value, text: &str) {
        self.texts_mut(doc).into_iter().for_each(String::clear);
        put(doc, "stdout", text);
    }

    /// An empty stream is no part of the text.
    fn text(&self, doc: &Value) -> Option<String> {
        let texts = self.texts(doc);
        let written: Vec<_> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| written.join("\n"))
    }
}

/// `{"text": "…", "attachments": …}`: what a person submits.
#[derive(Clone, Copy, Debug)]
pub struct Prompt;

impl Lens for Prompt {
    fn fits(&self, doc: &Value) -> bool {
        doc.get("text").is_some_and(Value::is_string)
    }

    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str> {
        Vec::from_iter(doc.get("text").and_then(Value::as_str))
    }

    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String> {
        Vec::from_iter(doc.get_mut("text").and_then(string))
    }

    fn set_text(&self, doc: &mut Value, text: &str) {
        put(doc, "text", text);
    }
}

/// Any other shape: every string in it may be read by the model, so every string is a text part.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

impl Lens for Whole {
    fn fits(&self, _doc: &Value) -> bool {
        true
    }

    fn texts<'a>(&self, doc: &'a Value) -> Vec<&'a str> {
        strings(doc)
    }

    fn texts_mut<'a>(&self, doc: &'a mut Value) -> Vec<&'a mut String> {
        strings_mut(doc)
    }

    /// Nothing is known about the rest, so nothing of it stays.
    fn set_text(&self, doc: &mut Value, text: &str) {
        *doc = text.into();
    }

    fn details<'a>(&self, _doc: &'a Value) -> Option<&'a Value> {
        None
    }

    fn details_mut<'a>(&self, _doc: &'a mut Value) -> Option<&'a mut Value> {
        None
    }
}

/// Every string in a document, but for keys.
pub fn strings(doc: &Value) -> Vec<&str> {
    match doc {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// Every string in a document, but for keys, to be changed in place.
pub fn strings_mut(doc: &mut Value) -> Vec<&mut String> {
    match doc {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter_mut().flat_map(strings_mut).collect(),
        Value::Object(members) => members.values_mut().flat_map(strings_mut).collect(),
        _ => Vec::new(),
    }
}

fn string(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Sets a member, or the document itself where it has none.
fn put(doc: &mut Value, key: &str, text: &str) {
    match doc {
        Value::Object(members) => drop(members.insert(key.to_owned(), text.into())),
        doc => *doc = text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: &str = r#"{"type":"image","data":"aGk=","mimeType":"image/png"}"#;

    /// One document as it is read, as it is after every text was marked, and after its text was replaced.
    fn check(doc: &str, read: &str, marked: &str, replaced: &str) {
        let parsed: Value = serde_json::from_str(doc).unwrap();
        let lens = lens_for(&parsed);
        let details = lens.details(&parsed).map_or(String::new(), |details| format!(" details {details}"));
        let error = if lens.is_error(&parsed) { " error" } else { "" };
        assert_eq!(format!("{:?}{details}{error}", lens.text(&parsed)), read, "{doc}");

        let mut copy = parsed.clone();
        let seen: Vec<String> = lens.texts(&parsed).into_iter().map(str::to_owned).collect();
        let mut texts = lens.texts_mut(&mut copy);
        assert_eq!(texts.iter().map(|text| text.to_string()).collect::<Vec<_>>(), seen, "{doc}");
        texts.iter_mut().for_each(|text| text.push('!'));
        assert_eq!(copy.to_string(), marked, "{doc}");

        let mut copy = parsed;
        lens.set_text(&mut copy, "new");
        assert_eq!(copy.to_string(), replaced, "{doc}");
        assert_eq!(lens.text(&copy).as_deref(), Some("new"), "{doc}");
    }

    #[test]
    fn prompt() {
        check(
            r#"{"text":"hi","attachments":[{"name":"a.png"}]}"#,
            r#"Some("hi")"#,
            r#"{"text":"hi!","attachments":[{"name":"a.png"}]}"#,
            r#"{"text":"new","attachments":[{"name":"a.png"}]}"#,
        );
    }

    #[test]
    fn content() {
        check(
            r#"{"id":7,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"details":{"n":1},"z":0}"#,
            r#"Some("a\nb") details {"n":1}"#,
            r#"{"id":7,"content":[{"type":"text","text":"a!"},{"type":"text","text":"b!"}],"details":{"n":1},"z":0}"#,
            r#"{"id":7,"content":[{"type":"text","text":"new"}],"details":{"n":1},"z":0}"#,
        );
        check(
            &format!(r#"{{"content":[{IMAGE},{{"type":"text","text":"a"}},{IMAGE}],"isError":true}}"#),
            r#"Some("a") error"#,
            &format!(r#"{{"content":[{IMAGE},{{"type":"text","text":"a!"}},{IMAGE}],"isError":true}}"#),
            &format!(r#"{{"content":[{IMAGE},{{"type":"text","text":"new"}},{IMAGE}],"isError":true}}"#),
        );
        check(
            &format!(r#"{{"content":[{IMAGE}],"structuredContent":{{"a":"b"}}}}"#),
            r#"None details {"a":"b"}"#,
            &format!(r#"{{"content":[{IMAGE}],"structuredContent":{{"a":"b"}}}}"#),
            &format!(r#"{{"content":[{{"type":"text","text":"new"}},{IMAGE}],"structuredContent":{{"a":"b"}}}}"#),
        );
        check(
            r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"r"}}],"is_error":true}"#,
            r#"Some("r") error"#,
            r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"r!"}}],"is_error":true}"#,
            r#"{"content":[{"type":"text","text":"new"}],"is_error":true}"#,
        );
        check(r#"{"content":"a","b":1}"#, r#"Some("a")"#, r#"{"content":"a!","b":1}"#, r#"{"content":"new","b":1}"#);
        check(r#"{"content":[]}"#, "None", r#"{"content":[]}"#, r#"{"content":[{"type":"text","text":"new"}]}"#);
    }

    #[test]
    fn output() {
        check(
            r#"{"b":1,"output":"a","a":2}"#,
            r#"Some("a")"#,
            r#"{"b":1,"output":"a!","a":2}"#,
            r#"{"b":1,"output":"new","a":2}"#,
        );
        check(r#""a""#, r#"Some("a")"#, r#""a!""#, r#""new""#);
        check(
            r#"{"output":"","details":[]}"#,
            r#"Some("") details []"#,
            r#"{"output":"!","details":[]}"#,
            r#"{"output":"new","details":[]}"#,
        );
    }

    #[test]
    fn stdio() {
        check(
            r#"{"stderr":"e","interrupted":false,"stdout":"o"}"#,
            r#"Some("o\ne")"#,
            r#"{"stderr":"e!","interrupted":false,"stdout":"o!"}"#,
            r#"{"stderr":"","interrupted":false,"stdout":"new"}"#,
        );
        check(
            r#"{"stdout":"o","stderr":"","isImage":false}"#,
            r#"Some("o")"#,
            r#"{"stdout":"o!","stderr":"!","isImage":false}"#,
            r#"{"stdout":"new","stderr":"","isImage":false}"#,
        );
        check(
            r#"{"stdout":"o","stderr":null}"#,
            r#"Some("o")"#,
            r#"{"stdout":"o!","stderr":null}"#,
            r#"{"stdout":"new","stderr":null}"#,
        );
    }

    #[test]
    fn whole() {
        check(
            r#"{"files":[{"path":"a","n":1},"b"],"details":"c"}"#,
            r#"Some("a\nb\nc")"#,
            r#"{"files":[{"path":"a!","n":1},"b!"],"details":"c!"}"#,
            r#""new""#,
        );
        check(r#"{"output":{"a":"b"}}"#, r#"Some("b")"#, r#"{"output":{"a":"b!"}}"#, r#""new""#);
        check(r#"{"content":7}"#, "None", r#"{"content":7}"#, r#""new""#);
        check("null", "None", "null", r#""new""#);
    }
}

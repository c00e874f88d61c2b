//! Entries in a JSON file that belongs to somebody else.
//!
//! The text is never written anew: entries are put in between the bytes that are there, and taken out again. Comments,
//! order, spacing, line ends and a byte order mark stay as they are.

use std::ops::Range;

use jsonc_parser::ast::{self, Object};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::Value;

use crate::text::{Edited, Insertion, Made, inserted};

/// Comments and commas too many are fine, and what JSON5 adds: some agents read it. Commas too few are a mistake.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: true,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: true,
    allow_hexadecimal_numbers: true,
    allow_unary_plus_numbers: true,
    allow_bare_decimal_point_numbers: true,
    allow_non_finite_numbers: true,
    allow_extended_string_escapes: true,
};

/// What a file says; `Null` if it says nothing. Or what is wrong with it, and where.
pub fn read(text: &str) -> Result<Value, String> {
    Ok(parse(split_mark(text).1)?.map_or(Value::Null, Value::from))
}

fn parse(text: &str) -> Result<Option<ast::Value<'_>>, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS);
    let value = parsed.map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        format!("line {line}, column {column}: {}", error.kind())
    })?;
    Ok(value.value)
}

/// A byte order mark, and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches('\u{feff}').len())
}

/// Puts `wanted` into a file: objects are joined, elements of arrays are added at the end, anything else is added where
/// there is nothing.
pub fn add(text: &str, wanted: &Value) -> Result<Edited, String> {
    let (mark, text) = split_mark(text);
    let mut adding =
        Adding { text, style: Style::of(text), insertions: Vec::new(), made: Made::default(), at: Vec::new() };
    match parse(text)? {
        None => {
            let root = format!("{}{}", adding.style.written(wanted, ""), adding.style.newline);
            adding.insertions.push(Insertion { at: text.len(), text: root });
            adding.created(wanted);
        }
        Some(root) => adding.join(&root, wanted)?,
    }
    let mut edited = inserted(text, adding.insertions, adding.made);
    edited.text.insert_str(0, mark);
    edited.ranges.iter_mut().for_each(|put| put.at += mark.len());
    Ok(edited)
}

struct Adding<'t> {
    text: &'t str,
    style: Style,
    insertions: Vec<Insertion>,
    made: Made,
    at: Vec<String>,
}

impl Adding<'_> {
    fn join(&mut self, there: &ast::Value<'_>, wanted: &Value) -> Result<(), String> {
        match (there, wanted) {
            (ast::Value::Object(object), Value::Object(members)) => {
                let mut missing = Vec::new();
                for (key, value) in members {
                    self.at.push(key.clone());
                    match only(object, key)? {
                        Some(found) => self.join(&found.value, value)?,
                        None => {
                            self.created(value);
                            missing.push((Some(key.as_str()), value));
                        }
                    }
                    self.at.pop();
                }
                let last = object.properties.last().map(|last| last.range);
                self.append(object.range, last, &missing);
                Ok(())
            }
            (ast::Value::Array(array), Value::Array(elements)) => {
                let missing: Vec<_> = elements.iter().map(|element| (None, element)).collect();
                self.append(array.range, array.elements.last().map(|last| last.range()), &missing);
                Ok(())
            }
            (_, Value::Object(_) | Value::Array(_)) => {
                let kind = if wanted.is_object() { "an object" } else { "a list" };
                let what =
                    if self.at.is_empty() { "the document".to_owned() } else { format!("`{}`", self.at.join(".")) };
                let line = self.text[..there.start()].matches('\n').count() + 1;
                Err(format!("line {line}: {what} is not {kind}"))
            }
            // Whoever set it to something else had a reason.
            _ => Ok(()),
        }
    }

    /// Notes which parts exist only because of us.
    fn created(&mut self, value: &Value) {
        let container = value.is_object() || value.is_array();
        if container { &mut self.made.containers } else { &mut self.made.scalars }.push(pointer(&self.at));
        for (key, value) in value.as_object().into_iter().flatten() {
            self.at.push(key.clone());
            self.created(value);
            self.at.pop();
        }
    }

    fn append(
        &mut self,
        container: jsonc_parser::common::Range,
        last: Option<jsonc_parser::common::Range>,
        parts: &[(Option<&str>, &Value)],
    ) {
        if parts.is_empty() {
            return;
        }
        let (text, compact) = (self.text, self.style.compact);
        let outer = indent_of(text, container.start);
        let inner = match last {
            Some(last) if starts_line(text, last.start) => indent_of(text, last.start),
            _ => format!("{outer}{}", self.style.unit),
        };
        let lead = if compact { String::new() } else { format!("{}{inner}", self.style.newline) };
        let written = parts.iter().map(|(key, value)| {
            let value = self.style.written(value, &inner);
            let colon = if compact { ":" } else { ": " };
            key.map_or_else(|| value.clone(), |key| format!("{}{colon}{value}", Value::from(key)))
        });
        let body = format!("{lead}{}", written.collect::<Vec<_>>().join(&format!(",{lead}")));
        let mut insert = |at, text| self.insertions.push(Insertion { at, text });
        let Some(last) = last else {
            let at = end_of_line_comment(text, container.start + 1);
            let inside = &text[at..container.end - 1];
            let tail =
                if compact || inside.contains('\n') { String::new() } else { format!("{}{outer}", self.style.newline) };
            insert(at, format!("{body}{tail}"));
            if !tail.is_empty() {
                self.made.tails.push((pointer(&self.at), tail));
            }
            return;
        };
        let next = skip(text, last.end);
        if text[next..].starts_with(',') {
            // The comma after the last one stays the comma after the last one.
            insert(end_of_line_comment(text, next + 1), format!("{body},"));
            return;
        }
        let at = end_of_line_comment(text, last.end);
        if at == last.end {
            insert(at, format!(",{body}"));
        } else {
            insert(last.end, ",".to_owned());
            insert(at, body);
        }
    }
}

/// A member that is there once. Of two with one name, each reader takes another.
fn only<'o, 'a>(object: &'o Object<'a>, key: &str) -> Result<Option<&'o ast::ObjectProp<'a>>, String> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == key);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("`{key}` is there twice; keep one of the two")),
        (one, None) => Ok(one),
    }
}

/// Takes out every element that is `ours`, the members `own` (by their JSON pointers), and then what was made for them and is empty.
///
/// `None` if nothing is left that was not made by us. An error if anything else would change.
pub fn remove(text: &str, ours: &dyn Fn(&Value) -> bool, own: &[&str], made: &Made) -> Result<Option<String>, String> {
    let rest = taken_out(text, ours, own, made)?;
    let mut expected = read(text)?;
    strip(&mut expected, &mut Vec::new(), ours, own, made);
    let found = read(rest.as_deref().unwrap_or_default())?;
    let is_gone = found.is_null() && is_hollow(&expected) && made.has_container("");
    if found == expected || is_gone {
        return Ok(rest);
    }
    Err("to take the entries of Tollgate out would change something else, too".to_owned())
}

fn taken_out(text: &str, ours: &dyn Fn(&Value) -> bool, own: &[&str], made: &Made) -> Result<Option<String>, String> {
    let (mark, before) = split_mark(text);
    let mut text = before.to_owned();
    while let Some(cuts) = parse(&text)?.and_then(|root| next_cuts(&text, &root, &mut Vec::new(), ours, own, made)) {
        for cut in cuts.into_iter().rev() {
            text.replace_range(cut, "");
        }
    }
    let root = parse(&text)?;
    let Some(ast::Value::Object(object)) = &root else { return Ok(Some(format!("{mark}{text}"))) };
    let range = object.range;
    // An empty object that had nothing of ours in it is not the one that we made.
    if object.properties.is_empty() && made.has_container("") && text != before {
        let rest = format!("{}{}", &text[..range.start], text[range.end..].trim_start_matches(['\r', '\n']));
        return Ok((!rest.trim().is_empty()).then(|| format!("{mark}{rest}")));
    }
    Ok(Some(format!("{mark}{text}")))
}

/// What a document says without what is ours: the same as `taken_out`, of values instead of text.
fn strip(value: &mut Value, at: &mut Vec<String>, ours: &dyn Fn(&Value) -> bool, own: &[&str], made: &Made) {
    match value {
        Value::Array(parts) => {
            parts.retain(|part| !ours(part));
            for (index, part) in parts.iter_mut().enumerate() {
                at.push(index.to_string());
                strip(part, at, ours, own, made);
                at.pop();
            }
        }
        Value::Object(members) => members.retain(|key, member| {
            at.push(key.clone());
            strip(member, at, ours, own, made);
            let here = pointer(at);
            at.pop();
            !(own.contains(&here.as_str()) || is_hollow(member) && made.has_container(&here))
        }),
        _ => {}
    }
    if let Value::Object(members) = value
        && at.is_empty()
        && !members.keys().any(|key| made.has_container(&pointer(std::slice::from_ref(key))))
    {
        members.retain(|key, member| member.is_object() || !made.has_scalar(&pointer(std::slice::from_ref(key))));
    }
}

/// Whether all that [`add`] would put in is there. What is set to something else counts as there, unless it is a switch:
/// whoever set it had a reason.
pub fn holds(there: &Value, wanted: &Value) -> bool {
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| there.get(key).is_some_and(|there| holds(there, wanted)))
        }
        (Value::Array(there), Value::Array(wanted)) => wanted.iter().all(|wanted| there.contains(wanted)),
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        (Value::Bool(there), Value::Bool(wanted)) => there == wanted,
        _ => true,
    }
}

fn is_hollow(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// What to cut out next, in order; nothing if all is done.
fn next_cuts(
    text: &str,
    value: &ast::Value<'_>,
    at: &mut Vec<String>,
    ours: &dyn Fn(&Value) -> bool,
    own: &[&str],
    made: &Made,
) -> Option<Vec<Range<usize>>> {
    let parts: Vec<(jsonc_parser::common::Range, String, &ast::Value<'_>)> = match value {
        ast::Value::Object(object) => {
            object.properties.iter().map(|prop| (prop.range, prop.name.as_str().to_owned(), &prop.value)).collect()
        }
        ast::Value::Array(array) => {
            array.elements.iter().enumerate().map(|(index, part)| (part.range(), index.to_string(), part)).collect()
        }
        _ => return None,
    };
    for (index, (range, key, part)) in parts.iter().enumerate() {
        at.push(key.clone());
        let here = pointer(at);
        let is_element = matches!(value, ast::Value::Array(_));
        let is_empty = match part {
            ast::Value::Object(object) => object.properties.is_empty(),
            ast::Value::Array(array) => array.elements.is_empty(),
            _ => false,
        };
        let goes = (is_element && ours(&Value::from((*part).clone())))
            || (!is_element && own.contains(&here.as_str()))
            || (!is_element && is_empty && made.has_container(&here));
        if goes {
            let before = index.checked_sub(1).map_or(value.start() + 1, |index| parts[index].0.end);
            return Some(cuts(text, range.start..range.end, before));
        }
        let tail = made.tails.iter().find(|(pointer, _)| is_empty && *pointer == here).map(|(_, tail)| tail);
        if let Some(cut) = tail.and_then(|tail| tail_cut(text, part.start() + 1, tail)) {
            return Some(vec![cut]);
        }
        if let Some(cuts) = next_cuts(text, part, at, ours, own, made) {
            return Some(cuts);
        }
        at.pop();
    }
    if at.is_empty()
        && matches!(value, ast::Value::Object(_))
        // What stands beside a container that others have added to since belongs to them now.
        && !parts.iter().any(|(_, key, _)| made.has_container(&pointer(std::slice::from_ref(key))))
    {
        let scalar = |(_, key, part): &&(_, String, &ast::Value<'_>)| {
            part.as_object().is_none() && made.has_scalar(&pointer(std::slice::from_ref(key)))
        };
        if let Some(index) = parts.iter().position(|part| scalar(&part)) {
            let before = index.checked_sub(1).map_or(value.start() + 1, |index| parts[index].0.end);
            return Some(cuts(text, parts[index].0.start..parts[index].0.end, before));
        }
    }
    if at.is_empty() && parts.is_empty() {
        let tail = made.tails.iter().find(|(pointer, _)| pointer.is_empty()).map(|(_, tail)| tail);
        return tail.and_then(|tail| tail_cut(text, value.start() + 1, tail)).map(|cut| vec![cut]);
    }
    None
}

/// The line that was begun so that an empty container could hold something.
fn tail_cut(text: &str, inside: usize, tail: &str) -> Option<Range<usize>> {
    let at = end_of_line_comment(text, inside);
    // Without its end, a line with a comment would swallow what follows.
    let is_free = !text[inside..at].contains("//");
    (is_free && text[at..].starts_with(tail)).then(|| at..at + tail.len())
}

/// A part with the blanks before it and the comma that it needed. `before` is where what stands before it ends.
fn cuts(text: &str, part: Range<usize>, before: usize) -> Vec<Range<usize>> {
    let blanks = text[..part.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let next = skip(text, part.end);
    if text[next..].starts_with(',') {
        let after = next + 1;
        if is_swallowed(text, before, blanks, after) {
            let spaces = text[after..].len() - text[after..].trim_start_matches([' ', '\t']).len();
            return vec![part, next..after + spaces];
        }
        return vec![blanks..part.end, next..after];
    }
    let start = if is_swallowed(text, before, blanks, part.end) { part.start } else { blanks };
    let comma = Some(skip(text, before)).filter(|&comma| comma < start && text[comma..].starts_with(','));
    let mut cuts: Vec<Range<usize>> = comma.map(|comma| comma..comma + 1).into_iter().collect();
    cuts.push(cuts.first().map_or(start, |comma| start.max(comma.end))..part.end);
    cuts
}

/// Whether what stands at `after` would become part of a comment if it followed directly on what ends at `blanks`.
fn is_swallowed(text: &str, before: usize, blanks: usize, after: usize) -> bool {
    let rest = text[after..].trim_start_matches([' ', '\t']);
    let is_line_end = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    !is_line_end && ends_in_line_comment(text, before, blanks)
}

/// Whether the last of the blanks, commas and comments between two places is a comment up to the end of its line.
fn ends_in_line_comment(text: &str, from: usize, to: usize) -> bool {
    let (mut at, mut is_comment) = (from, false);
    while at < to {
        let rest = &text[at..];
        is_comment = rest.starts_with("//");
        at += if is_comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    is_comment
}

fn pointer(steps: &[String]) -> String {
    steps.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Behind blanks and comments.
fn skip(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        at += rest.len() - trimmed.len();
        let comment = if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
        } else {
            return at;
        };
        at += comment;
    }
}

/// Behind the comments that follow on the same line: they speak of what stands before them.
fn end_of_line_comment(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text[at..].trim_start_matches([' ', '\t']);
        let start = text.len() - rest.len();
        if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or_default();
            return start + line.trim_end_matches('\r').len();
        }
        match rest.starts_with("/*").then(|| rest.find("*/")).flatten() {
            Some(end) if !rest[..end].contains('\n') => at = start + end + 2,
            _ => return at,
        }
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn indent_of(text: &str, at: usize) -> String {
    text[line_start(text, at)..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

fn starts_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

/// How a file is written.
struct Style {
    newline: &'static str,
    unit: String,
    compact: bool,
}

impl Style {
    fn of(text: &str) -> Self {
        let first = text.find('\n');
        let newline = if first.is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" };
        let indents = text.lines().map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        let unit = indents.filter(|indent| !indent.is_empty()).min_by_key(|indent| indent.len());
        let content = text.trim();
        let compact = content.len() > 2 && !content.contains('\n') && content.starts_with('{');
        Self { newline, unit: unit.unwrap_or("  ").to_owned(), compact }
    }

    fn written(&self, value: &Value, indent: &str) -> String {
        if self.compact {
            return value.to_string();
        }
        let mut out = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut to = serde_json::Serializer::with_formatter(&mut out, form);
        // Writing a document to memory cannot fail.
        let _ = value.serialize(&mut to);
        String::from_utf8_lossy(&out).replace('\n', &format!("{}{indent}", self.newline))
    }
}

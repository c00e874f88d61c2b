//! What a call was given: its arguments, taken apart.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::words::{Deed, Words, deed, is_one};
use super::{Named, files};

/// How many texts among the arguments are looked at.
const MOST: usize = 20_000;
/// How deep arguments may nest. Documents do not get deeper.
const DEEPEST: usize = 128;
/// How deep an argument may stand that chooses what is done: at the top, or where all arguments are wrapped in one.
const CHOOSING: usize = 2;
/// Words of arguments that choose what is done.
const CHOOSES: &[&str] = &["action", "operation", "op", "method", "mode", "verb", "subcommand", "subtool", "service"];
/// What the arguments of a call are called that is wrapped in another.
const ARGUMENTS: &[&str] = &["arguments", "args", "params", "parameters", "input", "kwargs", "toolinput", "toolargs"];

/// A call that is wrapped in another.
pub(super) struct Inner<'v> {
    pub(super) tool: Named,
    pub(super) args: &'v Value,
}

/// What a call was given.
#[derive(Default)]
pub(super) struct Given<'v> {
    /// The objects, the one with all arguments first.
    pub(super) objects: Vec<Object<'v>>,
    pub(super) texts: Vec<Text<'v>>,
    /// Switches that are on.
    pub(super) on: Vec<Rc<Words>>,
    /// Those that are off, and what is empty or nothing.
    pub(super) off: Vec<Rc<Words>>,
    /// What an argument such as `method` chose.
    pub(super) chosen: Option<Words>,
    /// The name of the tool says what is done, so that an `action` is one of what it is done to: a rule that drops.
    settled: bool,
    /// The name says that nothing is done, whatever is chosen.
    tries: bool,
}

/// An object among the arguments, and what each of its texts wants to know of the others: there may be many.
pub(super) struct Object<'v> {
    pub(super) members: Vec<(Rc<Words>, &'v Value)>,
    /// It speaks of a hosted repository or a store.
    pub(super) hosted: bool,
    /// Something in it is what a file shall hold.
    pub(super) content: bool,
    /// Files are looked into, not only told by their names.
    pub(super) inside: bool,
    /// It speaks of another machine.
    pub(super) remote: bool,
}

impl<'v> Object<'v> {
    fn new(members: Vec<(Rc<Words>, &'v Value)>) -> Self {
        let remote = members.iter().any(|(key, _)| key.any(&["remote", "cloud"]));
        let object = Self { members, hosted: false, content: false, inside: false, remote };
        let [hosted, content] = [files::HOSTED, files::CONTENTS].map(|names| object.has(names));
        let fills = |key: &Words| {
            key.any(&["content", "edit", "replacement"]) || key.any(&["text"]) && key.any(&["new", "insert"])
        };
        let content = content || object.members.iter().any(|(key, _)| fills(key));
        let inside = object.has(files::INSIDE) || object.get(&["pattern"]).is_some_and(|it| !files::is_of_names(it));
        Self { hosted, content, inside, ..object }
    }

    /// The member with one of these names, however it divides its words.
    pub(super) fn get(&self, names: &[&str]) -> Option<&'v Value> {
        let named = |words: &Words| names.iter().any(|name| words.are(name));
        self.members.iter().find(|(key, _)| named(key)).map(|(_, value)| *value)
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<&'v str> {
        self.get(names).and_then(Value::as_str)
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.get(names).is_some()
    }

    /// Whether it is a change as JSON patches write it, whose path leads through a document.
    fn is_patch(&self) -> bool {
        let op =
            self.text(&["op"]).is_some_and(|op| ["add", "remove", "replace", "move", "copy", "test"].contains(&op));
        let path = self.text(&["path"]).is_some_and(|path| path.starts_with('/') && !files::is_rooted(path));
        op && path && !self.content
    }
}

/// One text among the arguments.
pub(super) struct Text<'v> {
    /// What it is called: by its own name, or that of the list it stands in.
    pub(super) key: Rc<Words>,
    pub(super) text: &'v str,
    /// The object it stands in.
    pub(super) object: usize,
}

impl<'v> Given<'v> {
    pub(super) fn of(args: &'v Value, tool: &Named, calls: &mut Vec<Inner<'v>>) -> Self {
        let settles = ["create", "add", "insert", "update", "get", "list", "search", "delete", "remove"];
        let mut given = Self { settled: tool.name.any(&settles), tries: tool.tries, ..Self::default() };
        given.gather(&Rc::default(), args, 0, 0, &mut |object, value| wrapped(tool, object, value, calls));
        if given.objects.is_empty() {
            given.objects.push(Object::new(Vec::new()));
        }
        given
    }

    /// Whether there was more.
    pub(super) fn is_cut(&self) -> bool {
        self.texts.len() >= MOST
    }

    /// Takes a value apart. `apart` takes an object that is a call of its own, and says whether it was one.
    fn gather(
        &mut self,
        key: &Rc<Words>,
        value: &'v Value,
        object: usize,
        depth: usize,
        apart: &mut dyn FnMut(&Object<'v>, &'v Value) -> bool,
    ) {
        if depth > DEEPEST || self.is_cut() {
            return;
        }
        match value {
            Value::String(text) => {
                self.texts.push(Text { key: Rc::clone(key), text, object });
                self.note_off(key, text.is_empty());
            }
            Value::Array(items) => {
                self.note_off(key, items.is_empty());
                items.iter().for_each(|item| self.gather(key, item, object, depth + 1, apart));
            }
            Value::Object(members) => self.take_apart(key, members, value, depth, apart),
            Value::Bool(true) => self.on.push(Rc::clone(key)),
            Value::Number(number) => self.note_off(key, number.as_f64() == Some(0.0)),
            Value::Null | Value::Bool(false) => self.note_off(key, true),
        }
    }

    fn take_apart(
        &mut self,
        key: &Rc<Words>,
        members: &'v Map<String, Value>,
        value: &'v Value,
        depth: usize,
        apart: &mut dyn FnMut(&Object<'v>, &'v Value) -> bool,
    ) {
        let object = Object::new(members.iter().map(|(name, member)| (Rc::new(Words::of(name)), member)).collect());
        if depth != 1 && apart(&object, value) {
            if depth == 0 {
                self.objects.push(object);
            }
            return;
        }
        let at = self.objects.len();
        // Files by their paths: `{"files": {"src/a.rs": "…"}}`.
        let paths = members.keys().filter(|name| name.contains('/') || name.starts_with(['.', '~']));
        let paths: Vec<&'v str> = paths.filter(|name| !name.contains([' ', '\n'])).map(String::as_str).collect();
        let members = object.members.clone();
        self.objects.push(object);
        if !paths.is_empty() && key.any(&["file", "path", "change"]) {
            let path = Rc::new(Words::of("path"));
            self.texts.extend(paths.into_iter().map(|text| Text { key: Rc::clone(&path), text, object: at }));
        }
        let patch = depth > 0 && self.objects[at].is_patch();
        for (key, member) in members.iter().filter(|(key, _)| !(patch && (key.are("path") || key.are("op")))) {
            if let Value::String(text) = member {
                self.choose(key, text, depth + 1);
            }
            self.gather(key, member, at, depth + 1, apart);
        }
    }

    fn note_off(&mut self, key: &Rc<Words>, off: bool) {
        if off {
            self.off.push(Rc::clone(key));
        }
    }

    fn choose(&mut self, key: &Words, text: &str, depth: usize) {
        let chooses = depth <= CHOOSING && chooses(key, text);
        let is_property = self.settled && key.are("action") || self.tries;
        let known = self.chosen.as_ref().is_some_and(|chosen| deed(chosen).is_some());
        if chooses && !is_property && !known {
            self.chosen = Some(Words::of(text));
        }
    }

    /// Whether a switch says that it is only to be tried.
    pub(super) fn is_dry(&self) -> bool {
        self.on.iter().any(|key| says_dry(key))
    }

    /// Whether what was chosen says so.
    pub(super) fn chose_dry(&self) -> bool {
        self.chosen.as_ref().is_some_and(says_dry)
    }
}

fn says_dry(words: &Words) -> bool {
    const NAMES: &[&str] = &["dryrun", "preview", "simulate", "whatif", "validateonly", "testonly", "checkonly"];
    NAMES.iter().any(|name| words.are(name)) || words.have(["dry", "run"])
}

/// Whether an argument with this name says with this value what is done.
fn chooses(key: &Words, text: &str) -> bool {
    // `auth_method` and `payment_method` say how, not what.
    let named = match key.iter().count() {
        1 => key.any(CHOOSES),
        2 => {
            let what = ["api", "http", "request", "tool", "task", "sub"].contains(&key.first()) && key.any(CHOOSES);
            what || is_one(key.first(), CHOOSES) && ["id", "name", "type"].contains(&key.last())
        }
        _ => false,
    };
    // `command` is a line as often; as one word it may be a deed.
    let named = named || key.are("command") && deed(&Words::of(text)).is_some();
    let loses = || matches!(deed(&Words::of(text)), Some(Deed::Delete | Deed::Remove));
    let named = named || key.last() == "type" && key.iter().count() == 2 && loses();
    named && !key.are("serviceaccount") && text.len() <= 60 && !text.contains([' ', '/', '\n']) && !text.is_empty()
}

/// Puts an object down as a call of its own, if it is one: `{"op": "delete", "path": …}`, `{"name": "delete_x", "arguments": …}`.
fn wrapped<'v>(tool: &Named, object: &Object<'v>, value: &'v Value, calls: &mut Vec<Inner<'v>>) -> bool {
    let name = object.text(&["tool", "toolname", "name", "function", "functionname", "command"]);
    let inner = object.get(ARGUMENTS).filter(|args| args.is_object());
    if let (Some(name), Some(args)) = (name, inner)
        && !name.contains(' ')
        && deed(&Words::of(name)).is_some()
    {
        calls.push(Inner { tool: Named { name: Words::of(name), ..tool.clone() }, args });
        return true;
    }
    // `{"deleteMany": {"filter": {}}}`
    for (key, inner) in &object.members {
        if inner.is_object() && matches!(deed(key), Some(Deed::Delete | Deed::Remove)) {
            calls.push(Inner { tool: tool.inner(key), args: inner });
        }
    }
    let top = calls.len() == 1 && std::ptr::eq(calls[0].args, value);
    let chosen = object.members.iter().find_map(|(key, value)| value.as_str().filter(|text| chooses(key, text)));
    match chosen.map(Words::of).filter(|words| !top && deed(words).is_some()) {
        Some(words) if !calls.iter().any(|call| std::ptr::eq(call.args, value)) => {
            calls.push(Inner { tool: tool.inner(&words), args: value });
            true
        }
        _ => false,
    }
}

/// The same with JSON that was put into strings as what it is; none if there is no such string.
pub(super) fn unfolded(args: &Value) -> Option<Value> {
    const FOLDED: &[&str] = &[
        "request",
        "payload",
        "json",
        "arguments",
        "args",
        "params",
        "parameters",
        "input",
        "options",
        "config",
        "data",
        "policy",
        "document",
        "policydocument",
    ];
    let members = args.as_object()?;
    let open = |(key, value): (&String, &Value)| {
        let folds = FOLDED.iter().any(|name| Words::of(key).are(name));
        crate::call::opened(value).filter(|_| folds).map(|opened| (key.clone(), opened))
    };
    let opened: Vec<(String, Value)> = members.iter().filter_map(open).collect();
    if opened.is_empty() {
        return None;
    }
    let mut members = members.clone();
    members.extend(opened);
    Some(Value::Object(members))
}

//! What names, members and subscripts stand for.

use super::eval::Eval;
use super::value::{Given, Value};
use crate::arg::{Arg, HOLE, Origins};
use crate::doing::Language;

/// A name that no variable has.
pub(super) fn resolve(eval: &mut Eval<'_, '_, '_>, name: String) -> Value {
    let starred = eval
        .stars
        .iter()
        .map(|module| format!("{module}.{name}"))
        .find(|full| super::calls::is_known(eval.language, full));
    let full = canonical(eval.language, &starred.unwrap_or(name));
    match full.as_str() {
        "ENV" => Value::Name("ENV".to_owned()),
        "__file__" | "__filename" | "__FILE__" => Value::unknown(Origins::default()),
        "__dirname" | "__DIR__" => Value::text("."),
        _ if is_stdin(&full) => eval.stdin(),
        _ => Value::Name(full),
    }
}

/// A variable with a sigil that nothing was assigned to.
pub(super) fn special(eval: &mut Eval<'_, '_, '_>, name: &str) -> Value {
    match name {
        "ENV" | "_ENV" | "_SERVER" => Value::Name("ENV".to_owned()),
        "_" => eval.each.clone(),
        "<STDIN>" | "<>" | "stdin" => eval.stdin(),
        _ => Value::unknown(Origins::default()),
    }
}

/// What the program reads from its input.
fn is_stdin(name: &str) -> bool {
    ["sys.stdin", "process.stdin", "STDIN", "ARGF", "Deno.stdin", "io.stdin", "Bun.stdin"].contains(&name)
}

/// One spelling of a full name for the tables.
pub(super) fn canonical(language: Language, name: &str) -> String {
    let mut name = name
        .replace(".__dict__", "")
        .replace(".__builtins__", "")
        .replace("__builtins__.", "")
        .replace("builtins.", "");
    if language == Language::JavaScript {
        for prefix in ["globalThis.", "global.", "window.", "self.", "process.mainModule.", "module.", "default."] {
            if let Some(rest) = name.strip_prefix(prefix) {
                name = rest.to_owned();
            }
        }
        name = name
            .replace(".promises", "")
            .replace(".default", "")
            .replace("fs-extra", "fs")
            .replace("graceful-fs", "fs");
    }
    if matches!(language, Language::Ruby | Language::Perl) {
        for prefix in ["Kernel.", "CORE.GLOBAL.", "CORE.", "Object.", "main."] {
            if let Some(rest) = name.strip_prefix(prefix) {
                name = rest.to_owned();
            }
        }
    }
    match name.as_str() {
        "process.env" | "os.environ" | "Deno.env" | "Bun.env" | "os.environb" | "import.meta.env" => "ENV".to_owned(),
        "posix" | "nt" => "os".to_owned(),
        _ => name.strip_prefix("posix.").map_or(name.clone(), |rest| format!("os.{rest}")),
    }
}

/// The name under which the tables know a JavaScript module.
pub(super) fn module_name(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    module.strip_suffix("/promises").unwrap_or(module).to_owned()
}

/// `value.name`.
pub(super) fn member(eval: &mut Eval<'_, '_, '_>, value: &Value, name: &str) -> Value {
    match value {
        Value::Name(owner) if owner == "ENV" && !is_method_of_env(name) => environment(eval, name),
        Value::Name(owner) => {
            let full =
                canonical(eval.language, &if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") });
            match () {
                () if eval.vars.contains_key(&full) => eval.variable(&full),
                () if is_stdin(&full) => eval.stdin(),
                () => Value::Name(full),
            }
        }
        Value::Map(_) => value.field(name).cloned().unwrap_or(Value::Nothing),
        Value::OneOf(items) => {
            let items: Vec<Value> = items.iter().take(16).cloned().collect();
            Value::OneOf(items.iter().map(|item| member(eval, item, name)).collect())
        }
        Value::Text(text) if ["parent", "dirname"].contains(&name) => Value::Text(parent(text)),
        Value::List(_) if ["length", "size"].contains(&name) => Value::Nothing,
        Value::Text(_) if ["length", "size"].contains(&name) => Value::Nothing,
        other => Value::unknown(other.origins()),
    }
}

fn is_method_of_env(name: &str) -> bool {
    [
        "get",
        "fetch",
        "items",
        "keys",
        "values",
        "to_h",
        "toObject",
        "map",
        "each",
        "copy",
        "pop",
        "setdefault",
        "update",
        "inspect",
        "set",
        "delete",
        "key",
        "select",
        "join",
    ]
    .contains(&name)
}

/// `value[key]`.
pub(super) fn subscript(eval: &mut Eval<'_, '_, '_>, value: Value, keys: &Given) -> Value {
    let key = keys.first();
    match (&value, key) {
        (Value::Name(owner), Some(key)) if owner == "ENV" => environment(eval, &key.as_arg().text),
        (Value::Name(owner), Some(key)) if owner == "Dir" => Value::Text(Arg { glob: true, ..key.as_arg() }),
        (Value::Name(_), Some(Value::Text(key))) => member(eval, &value, &key.text),
        (Value::List(items), Some(Value::Number(at))) => {
            usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned().unwrap_or_else(|| value.each())
        }
        (Value::List(_), _) => value.each(),
        (Value::Map(_), Some(key)) => value.field(&key.as_arg().text).cloned().unwrap_or(Value::Nothing),
        (Value::Map(fields), None) => Value::OneOf(fields.iter().take(16).map(|(_, value)| value.clone()).collect()),
        (Value::Nothing, _) => Value::Nothing,
        _ => Value::unknown(value.origins()),
    }
}

/// A variable of the environment.
pub(super) fn environment(eval: &mut Eval<'_, '_, '_>, name: &str) -> Value {
    let around = eval.doing.walk.around();
    match name {
        "HOME" | "USERPROFILE" => Value::text(around.home.unwrap_or("~")),
        "PWD" => Value::text(around.cwd.unwrap_or(".")),
        "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
        _ => Value::unknown(Origins { secret: is_secret(name), ..Origins::default() }),
    }
}

/// Whether a variable is likely to hold a credential, by its name.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words =
        ["TOKEN", "SECRET", "PASSW", "APIKEY", "API_KEY", "PRIVATE_KEY", "CREDENTIAL", "ACCESS_KEY", "DATABASE_URL"];
    words.iter().any(|word| name.contains(word)) || name.contains(HOLE)
}

fn parent(text: &Arg) -> Arg {
    let folder = match text.text.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    Arg { text: folder.to_owned(), ..text.clone() }
}

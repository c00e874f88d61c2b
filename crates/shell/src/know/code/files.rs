//! Calls about files and hosts.

use super::eval::Eval;
use super::perform::run_text;
use super::value::{Given, Value};
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::Language;
use crate::effect::{Flag, Flags, Kind};

/// `open(path, mode)`.
pub(super) fn open(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let Some(first) = given.first().or_else(|| given.named("file")) else { return Value::Nothing };
    let path = first.as_arg();
    if let Some(command) = path.text.strip_prefix('|').filter(|_| eval.language == Language::Ruby) {
        return eval.run_named_script(name, &Value::Text(Arg { text: command.to_owned(), ..path.clone() }));
    }
    if is_url(&path.text) {
        return fetch(eval, given);
    }
    let mode = given.at(1).or_else(|| given.named("mode")).map(|mode| mode.as_arg().text).unwrap_or_default();
    open_as(eval, first, &mode)
}

fn open_as(eval: &mut Eval<'_, '_, '_>, path: &Value, mode: &str) -> Value {
    let replaces = mode.contains('w')
        || mode.starts_with('>') && !mode.starts_with(">>")
        || mode.contains('+') && !mode.contains('a');
    let adds = mode.contains(['a', 'x']) || mode.starts_with(">>");
    if !replaces && !adds {
        return read_paths(eval, path);
    }
    for path in path.spread() {
        if eval.dry {
            continue;
        }
        if replaces {
            eval.doing.puts(&path, Stuff::known(""), false);
        } else {
            eval.doing.writes(&path, Flags::NONE);
        }
    }
    Value::File(path.as_arg())
}

/// `open(HANDLE, mode, path)`, `open(HANDLE, ">path")`, `open(HANDLE, "command|")`.
pub(super) fn perl_open(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let mode = given.at(1).map(Value::as_arg).unwrap_or_default();
    let text = mode.text.trim();
    let part = |text: &str| Value::Text(Arg { text: text.trim().to_owned(), ..mode.clone() });
    if text.contains(">&") || text.contains("<&") {
        eval.seen.redirects = true;
        return Value::Nothing;
    }
    match given.at(2) {
        Some(command) if text == "-|" || text == "|-" => match given.plain.get(3..).filter(|more| !more.is_empty()) {
            Some(more) => {
                let words: Vec<Arg> = command.spread().into_iter().chain(more.iter().flat_map(Value::spread)).collect();
                eval.run_words(name, &words, None)
            }
            None => eval.run_named_script(name, command),
        },
        Some(path) => open_as(eval, &path.clone(), text),
        None if text.starts_with('|') || text.ends_with('|') => {
            eval.run_named_script(name, &part(text.trim_matches('|')))
        }
        None if text.starts_with(['>', '+']) => open_as(eval, &part(text.trim_start_matches(['>', '+', '<'])), text),
        None => read_paths(eval, &part(text.trim_start_matches('<'))),
    }
}

/// The content of a file, or what a URL gives.
pub(super) fn read(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let Some(first) = given.first() else { return Value::Nothing };
    if is_url(&first.as_arg().text) { fetch(eval, given) } else { read_paths(eval, first) }
}

fn read_paths(eval: &mut Eval<'_, '_, '_>, paths: &Value) -> Value {
    if ["/dev/stdin", "php://stdin", "0"].contains(&paths.as_arg().text.as_str()) {
        return eval.stdin();
    }
    let mut content = Value::unknown(Origins::default());
    for path in paths.spread() {
        if !eval.dry {
            let stuff = eval.doing.reads(&path);
            eval.seen.secret |= stuff.from.secret;
            content = Value::from_stuff(&stuff);
        }
    }
    content
}

/// Replaces or adds to what a file holds: path and content.
pub(super) fn put(eval: &mut Eval<'_, '_, '_>, given: &Given, append: bool) -> Value {
    let content = given.at(1).map_or_else(Stuff::unknown, Value::as_stuff);
    let paths = given.first().map(Value::spread).unwrap_or_default();
    for path in paths.iter().filter(|_| !eval.dry) {
        eval.doing.puts(path, content.clone(), append);
    }
    paths.into_iter().next().map_or(Value::Nothing, Value::File)
}

/// Runs a file that this command wrote, or a URL.
pub(super) fn eval_file(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let Some(first) = given.first() else { return Value::Nothing };
    let code = if is_url(&first.as_arg().text) { fetch(eval, given) } else { read_paths(eval, first) };
    let code = code.as_arg();
    if !code.is_opaque() || code.from.network || code.from.decoded { run_text(eval, &code) } else { Value::Nothing }
}

pub(super) fn fetch(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let sends =
        given.plain.len() > 1 || ["data", "json", "files", "body"].iter().any(|name| given.named(name).is_some());
    talk(eval, given, Flags::NONE.with(Flag::Download).with_if(Flag::Upload, sends));
    Value::unknown(Origins { network: true, ..given.sent() })
}

/// Saves what a host sends.
pub(super) fn download(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let content = fetch(eval, given).as_stuff();
    if let Some(path) = given.at(1).map(Value::as_arg).filter(|_| !eval.dry) {
        eval.doing.puts(&path, Stuff { text: None, ..content }, false);
    }
    given.at(1).cloned().unwrap_or(Value::Nothing)
}

/// Talks to the host that is named among the arguments.
pub(super) fn talk(eval: &mut Eval<'_, '_, '_>, given: &Given, flags: Flags) {
    let words = given.words();
    let named = ["url", "uri", "host", "hostname", "PeerAddr", "PeerHost"]
        .iter()
        .find_map(|name| given.named(name))
        .map(Value::as_arg);
    let url = words.iter().find(|word| is_url(&word.text)).cloned();
    let host = words
        .iter()
        .find(|word| !word.is_opaque() && word.text.contains(['.', ':']) || word.text == "localhost")
        .cloned();
    let host = url.or(named).or(host).unwrap_or_else(|| Arg { text: HOLE.to_string(), ..Arg::default() });
    let mut sent = Stuff { text: None, from: given.sent() };
    sent.from.secret |=
        eval.seen.secret || given.plain.iter().chain(given.named.iter().map(|(_, value)| value)).any(holds_environment);
    if crate::know::network::is_metadata(&crate::path::host(&host.text)) {
        eval.does(Kind::ReadSecret, Flag::Secret.into(), "asks the cloud for the credentials of this machine");
    }
    if !eval.dry {
        eval.doing.talks(&host, flags, Some(&sent));
    }
}

/// All variables at once, as they are.
fn holds_environment(value: &Value) -> bool {
    match value {
        Value::Name(name) => name == "ENV" || name.starts_with("ENV."),
        Value::List(items) | Value::OneOf(items) => items.iter().take(16).any(holds_environment),
        Value::Map(fields) => fields.iter().take(16).any(|(key, value)| key != "headers" && holds_environment(value)),
        _ => false,
    }
}

pub(super) fn is_url(text: &str) -> bool {
    ["http://", "https://", "ftp://", "ws://", "wss://", "tcp://", "udp://", "ssl://", "tls://", "gopher://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

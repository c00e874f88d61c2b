//! Methods that make values of values.

use super::eval::Eval;
use super::pure::{self, Codec};
use super::value::{Given, Value};
use crate::arg::{Arg, Origins};
use crate::doing::Language;
use crate::know::wrap::options::split_words;

/// The value of a method that has no effect; `None` for one that is not known here.
pub(super) fn pure(eval: &mut Eval<'_, '_, '_>, value: &Value, name: &str, given: &Given) -> Option<Value> {
    let text = |at: usize| given.at(at).map(|value| value.as_arg().text).unwrap_or_default();
    Some(match (name, value) {
        ("join", Value::Text(between)) if eval.language == Language::Python => match given.first() {
            Some(Value::List(items)) => Value::Text(pure::separated(items, &between.text)),
            Some(other) => other.clone(),
            None => Value::Nothing,
        },
        ("join", Value::List(items)) => {
            let between = match given.first() {
                Some(between) => between.as_arg().text,
                None if eval.language == Language::JavaScript => ",".to_owned(),
                None => String::new(),
            };
            Value::Text(pure::separated(items, &between))
        }
        ("format", Value::Text(format)) => pure::braces(format, &given.words()),
        ("replace" | "replaceAll" | "gsub" | "sub" | "replace_all", Value::Text(it)) if given.plain.len() >= 2 => {
            replaced(it, given)
        }
        ("reverse" | "reversed", value) => pure::reversed(value),
        ("split", Value::Text(it)) => split(it, given),
        ("toString" | "decode" | "encode", Value::Text(_)) => match text(0).as_str() {
            "base64" | "base64_codec" if eval.language == Language::Python => pure::decoded(Codec::Base64, value),
            "hex" | "hex_codec" if eval.language == Language::Python && name == "decode" => {
                pure::decoded(Codec::Hex, value)
            }
            "rot13" | "rot_13" | "rot-13" => pure::decoded(Codec::Rot13, value),
            _ => value.clone(),
        },
        ("unpack" | "unpack1", Value::Text(_)) => unpacked(value, &text(0)),
        ("pack", Value::List(items)) => packed(items, &text(0)),
        ("concat" | "push" | "append" | "extend", Value::List(items)) => {
            Value::list(items.iter().cloned().chain(given.plain.iter().cloned()).collect())
        }
        ("concat", Value::Text(_)) => {
            given.plain.iter().fold(value.clone(), |all, more| super::value::joined(&all, more))
        }
        ("with_name" | "with_suffix", Value::Text(path)) => {
            let folder = path.text.rsplit_once('/').map_or("", |(folder, _)| folder);
            Value::Text(Arg { text: format!("{folder}/{}", text(0)), ..path.clone() })
        }
        ("glob" | "rglob", Value::Text(folder)) => {
            Value::Text(Arg { glob: true, ..super::value::path_joined(&[folder.clone(), Arg::known(text(0))]) })
        }
        ("doShellScript", _) => {
            let script = given.first().cloned().unwrap_or(Value::Nothing);
            eval.run_named_script(name, &script)
        }
        ("forEach" | "each" | "map" | "each_with_index" | "flatMap" | "filter" | "select" | "find", value) => {
            over(eval, value, given)
        }
        ("get" | "fetch", Value::Map(_)) => {
            value.field(&text(0)).cloned().or_else(|| given.at(1).cloned()).unwrap_or(Value::Nothing)
        }
        ("get" | "fetch" | "pop", Value::Name(owner)) if owner == "ENV" => super::names::environment(eval, &text(0)),
        ("call" | "apply" | "bind", Value::Name(_)) => {
            let skip = usize::from(eval.language == Language::JavaScript);
            let plain = given.plain.get(skip..).unwrap_or_default();
            let plain = if let [Value::List(items)] = plain { items.clone() } else { plain.to_vec() };
            eval.call(value.clone(), Given { plain, named: given.named.clone() })
        }
        ("send" | "public_send" | "__send__", Value::Name(owner))
            if eval.language == Language::Ruby && !owner.contains("ocket") =>
        {
            let callee = super::names::member(eval, value, &text(0));
            eval.call(callee, Given { plain: given.plain.get(1..).unwrap_or_default().to_vec(), named: Vec::new() })
        }
        (
            "strip" | "rstrip" | "lstrip" | "trim" | "lower" | "upper" | "toLowerCase" | "chomp" | "to_s" | "to_str"
            | "to_path" | "expand_path" | "read" | "readlines" | "text" | "json" | "slice" | "toArray" | "to_a"
            | "freeze" | "dup" | "valueOf" | "as_posix" | "then" | "catch" | "communicate" | "stdout" | "content"
            | "body" | "wait" | "copy" | "tolist" | "force_encoding" | "unwrap" | "trimEnd" | "split_lines"
            | "getvalue" | "absolute" | "resolve" | "realpath" | "parse" | "flat" | "compact" | "uniq" | "sort"
            | "dump" | "lines" | "items" | "values" | "keys" | "each_line" | "splitlines",
            Value::Text(_) | Value::List(_) | Value::OneOf(_) | Value::Map(_),
        ) => value.clone(),
        _ => return None,
    })
}

fn replaced(it: &Arg, given: &Given) -> Value {
    let (old, new) =
        (given.at(0).map(Value::as_arg).unwrap_or_default(), given.at(1).map(Value::as_arg).unwrap_or_default());
    let from = Origins { decoded: true, ..it.from.and(old.from).and(new.from) };
    if !old.is_known() || old.text.is_empty() || !it.is_known() {
        return Value::unknown(it.from.and(new.from));
    }
    let text = it.text.replace(&old.text, &new.text);
    let from = if text == it.text { it.from } else { from };
    if text.len() > super::value::LONGEST {
        Value::unknown(from)
    } else {
        Value::Text(Arg { text, glob: it.glob, from })
    }
}

fn split(it: &Arg, given: &Given) -> Value {
    if !it.is_known() {
        return Value::unknown(it.from);
    }
    let part = |text: String| Value::Text(Arg { text, ..it.clone() });
    let parts: Vec<Value> = match given.first().map(|value| value.as_arg().text).as_deref() {
        None => split_words(&it.text, it.from).into_iter().map(Value::Text).collect(),
        Some("") => it.text.chars().take(4096).map(|c| part(c.to_string())).collect(),
        Some(between) => it.text.split(between).map(|text| part(text.to_owned())).collect(),
    };
    Value::list(parts)
}

/// Ruby's `"…".unpack("m")`.
fn unpacked(value: &Value, format: &str) -> Value {
    let codec = match format.chars().next() {
        Some('m') => Codec::Base64,
        _ => Codec::Opaque,
    };
    pure::decoded(codec, value)
}

/// Ruby's `["…"].pack("H*")`.
fn packed(items: &[Value], format: &str) -> Value {
    match (format.chars().next(), items.first()) {
        (Some('H'), Some(first)) => pure::decoded(Codec::Hex, first),
        (Some('c' | 'C' | 'U'), _) => pure::characters(items),
        _ => Value::Text(pure::separated(items, "")),
    }
}

/// A function that is named as what to do with each element.
fn over(eval: &mut Eval<'_, '_, '_>, value: &Value, given: &Given) -> Value {
    if let Some(callee @ Value::Name(_)) = given.first().cloned() {
        eval.call(callee, Given { plain: vec![value.each()], named: Vec::new() });
    }
    // What a function made of each element, where it is one value.
    match given.first() {
        Some(made @ Value::Text(_)) => made.clone(),
        _ => value.clone(),
    }
}

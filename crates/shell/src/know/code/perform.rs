//! What calls do.

use super::calls::{self, Act};
use super::eval::Eval;
use super::pure::{self, Codec};
use super::value::{Given, Value, path_joined};
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::Language;
use crate::effect::{Flag, Flags, Kind};
use crate::know::wrap::{is_shell, options::split_words};

/// So many of several possible values are followed.
const ALTERNATIVES: usize = 8;

/// A call of something that has a name.
pub(super) fn call(eval: &mut Eval<'_, '_, '_>, name: &str, given: Given) -> Value {
    if let Some(act) = calls::find(eval.language, name).filter(|_| !eval.functions.contains_key(name)) {
        return perform(eval, act, name, given);
    }
    if let Some(module) = name.strip_prefix("sh.").filter(|_| eval.language == Language::Python) {
        let words: Vec<Arg> = std::iter::once(Arg::known(module)).chain(given.words()).collect();
        return eval.run_words(name, &words, None);
    }
    if ["bool", "Boolean", "len", "isset", "empty", "strlen", "is_null", "defined"].contains(&name) {
        return Value::unknown(Origins::default());
    }
    const WRITES_OUT: &[&str] =
        &["urlencode", "stringify", "dumps", "dict", "str", "repr", "entries", "http_build_query", "encode"];
    let last = name.rsplit('.').next().unwrap_or_default();
    if WRITES_OUT.contains(&last) && given.first().is_some_and(Value::is_environment) {
        return Value::Name("ENV.all".to_owned());
    }
    let from = given.origins();
    let known = eval.called.entry(name.to_owned()).or_default();
    if known.len() < ALTERNATIVES && !given.plain.is_empty() {
        known.push(given);
    }
    if from.network || from.decoded || from.secret {
        return Value::unknown(from);
    }
    Value::Name(format!("{}()", name.chars().take(200).collect::<String>()))
}

/// A method of a value.
pub(super) fn method(eval: &mut Eval<'_, '_, '_>, value: Value, name: &str, given: Given) -> Value {
    if let Value::File(path) = &value {
        return write_to(eval, path, name, &given);
    }
    if name == "then"
        && let Some(callee @ Value::Name(function)) = given.first()
        && calls::find(eval.language, function).is_some()
    {
        return eval.call(callee.clone(), Given { plain: vec![value], named: Vec::new() });
    }
    if let Some(result) = super::methods::pure(eval, &value, name, &given) {
        return result;
    }
    let full = match &value {
        Value::Name(owner) => format!("{owner}.{name}"),
        _ => name.to_owned(),
    };
    let few = given.plain.len() < 2;
    // `list.remove`, `text.replace`, `cache.delete` are no files; a lone path object is.
    let act = calls::method(name)
        .filter(|_| !matches!(value, Value::Name(_) | Value::Map(_) | Value::List(_)) || name == "execute");
    if let Some(act) = act.filter(|_| few || name == "open") {
        let mut all = given;
        all.plain.insert(0, value);
        return perform(eval, act, name, all);
    }
    let from = value.origins().and(given.origins());
    let lower = full.to_ascii_lowercase();
    if matches!(value, Value::Name(_)) {
        let object = matches!(&value, Value::Name(owner) if owner.contains("()"));
        if object && ["socket", "http", "request", "urlopen", "session"].iter().any(|word| lower.contains(word)) {
            return talk_on(eval, name, &given);
        }
        return call(eval, &full, given);
    }
    // A connection that was made before.
    if value.origins().network
        && ["send", "sendall", "write", "puts", "print", "post", "request", "end", "sendto"].contains(&name)
    {
        return talk_on(eval, name, &given);
    }
    Value::unknown(from)
}

/// Something is sent over a connection that is open.
fn talk_on(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let mut from = given.sent();
    from.secret |= given.plain.iter().any(Value::is_environment);
    if from.secret || eval.seen.secret && ["send", "sendall", "write", "post", "request", "sendto"].contains(&name) {
        eval.does(Kind::SendSecret, Flag::Upload.into(), "sends a credential to another machine");
    }
    Value::unknown(Origins { network: true, ..from })
}

fn write_to(eval: &mut Eval<'_, '_, '_>, path: &Arg, name: &str, given: &Given) -> Value {
    let writes = ["write", "writelines", "puts", "print", "<<", "writeSync", "printf", "write_text", "end", "syswrite"];
    if writes.contains(&name) {
        let content = given.first().map_or_else(Stuff::unknown, Value::as_stuff);
        if !eval.dry {
            eval.doing.puts(path, content, true);
        }
    }
    Value::Nothing
}

fn perform(eval: &mut Eval<'_, '_, '_>, act: Act, name: &str, given: Given) -> Value {
    match act {
        Act::Shell => shell(eval, name, &given),
        Act::Program => program(eval, name, &given),
        Act::Exec => exec(eval, name, &given),
        Act::Like(template) => like(eval, name, template, &given),
        Act::Open => super::files::open(eval, name, &given),
        Act::PerlOpen => super::files::perl_open(eval, name, &given),
        Act::Read => super::files::read(eval, &given),
        Act::Put | Act::Append => super::files::put(eval, &given, act == Act::Append),
        Act::Fetch => super::files::fetch(eval, &given),
        Act::Download => super::files::download(eval, &given),
        Act::Connect => connect(eval, &given),
        Act::Listen => {
            eval.does(Kind::Network, Flag::Listen.into(), "waits for others to connect");
            Value::unknown(Origins { network: true, ..Origins::default() })
        }
        Act::Eval => evaluate(eval, &given),
        Act::EvalFile => super::files::eval_file(eval, &given),
        Act::Unpickle => {
            let from = given.origins();
            if from.network || from.decoded {
                eval.does(Kind::RunUnseen, from.flags(), "runs code that was decoded or downloaded");
            }
            Value::unknown(from)
        }
        Act::Fork => {
            eval.seen.forks = true;
            Value::Nothing
        }
        Act::Wait => {
            eval.seen.waits = true;
            Value::Nothing
        }
        Act::Redirect => {
            eval.seen.redirects = true;
            Value::Nothing
        }
        Act::Import => match given.first().and_then(Value::as_known) {
            Some(module) => Value::Name(super::names::canonical(eval.language, &super::names::module_name(module))),
            None => Value::unknown(Origins::default()),
        },
        Act::Member => match (given.first().cloned(), given.at(1).map(Value::as_arg)) {
            (Some(owner), Some(name)) => super::names::member(eval, &owner, &name.text),
            _ => Value::Nothing,
        },
        Act::Apply => apply(eval, given),
        Act::Map => map(eval, &given),
        Act::Print => print(eval, name, &given),
        _ => make(eval, act, given),
    }
}

/// Calls that only make a value.
fn make(eval: &mut Eval<'_, '_, '_>, act: Act, given: Given) -> Value {
    let first = given.first().cloned().unwrap_or(Value::Nothing);
    match act {
        Act::Decode(Codec::Rot13) => match given.at(1).map(|codec| codec.as_arg().text) {
            Some(codec) if codec.contains("rot") || codec.is_empty() => pure::decoded(Codec::Rot13, &first),
            Some(codec) if codec.contains("hex") => pure::decoded(Codec::Hex, &first),
            Some(codec) if codec.contains("64") => pure::decoded(Codec::Base64, &first),
            Some(_) => first,
            None if eval.language == Language::Php => pure::decoded(Codec::Rot13, &first),
            None => first,
        },
        Act::Decode(codec) => pure::decoded(codec, &first),
        Act::Characters if matches!(first, Value::Text(_)) => first,
        Act::Characters => pure::characters(&given.plain),
        Act::Path => Value::Text(path_joined(&given.words())),
        Act::Home => {
            let home = Value::text(eval.doing.walk.around().home.unwrap_or("~"));
            match given.plain.is_empty() {
                true => home,
                false => Value::Text(path_joined(&[home.as_arg(), first.as_arg()])),
            }
        }
        Act::Here => Value::text(eval.doing.walk.around().cwd.unwrap_or(".").to_owned()),
        Act::Environment => super::names::environment(eval, &first.as_arg().text),
        Act::Glob => {
            Value::OneOf(first.spread().into_iter().map(|path| Value::Text(Arg { glob: true, ..path })).collect())
        }
        Act::Inside => {
            Value::Text(path_joined(&[first.as_arg(), Arg { text: HOLE.to_string(), glob: true, ..Arg::default() }]))
        }
        Act::Expand => expanded(eval, &first),
        Act::Reverse => pure::reversed(&if given.plain.len() > 1 { Value::List(given.plain) } else { first }),
        Act::Implode => match given.at(1) {
            Some(Value::List(items)) => Value::Text(pure::separated(items, &first.as_arg().text)),
            _ => Value::Text(pure::separated(given.plain.get(1..).unwrap_or_default(), &first.as_arg().text)),
        },
        Act::Words => {
            Value::list(split_words(&first.as_arg().text, first.origins()).into_iter().map(Value::Text).collect())
        }
        Act::Format => formatted(eval.language, &given),
        // `[rm, -rf]` in, the same out.
        _ => match first {
            Value::Nothing => Value::unknown(given.origins()),
            first => first,
        },
    }
}

/// `~` at the start is home.
fn expanded(eval: &Eval<'_, '_, '_>, value: &Value) -> Value {
    let path = value.as_arg();
    let home = eval.doing.walk.around().home.unwrap_or("~").to_owned();
    let text = match path.text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.text.replace("$HOME", &home).replace("${HOME}", &home),
    };
    Value::Text(Arg { text, ..path })
}

/// `Buffer.from(text, 'base64')`, `pack("H*", text)`, `paste0(a, b)`.
fn formatted(language: Language, given: &Given) -> Value {
    let text = |at: usize| given.at(at).map(|value| value.as_arg().text).unwrap_or_default();
    let nothing = Value::Nothing;
    match language {
        Language::JavaScript => match text(1).as_str() {
            "base64" | "base64url" => pure::decoded(Codec::Base64, given.first().unwrap_or(&nothing)),
            "hex" => pure::decoded(Codec::Hex, given.first().unwrap_or(&nothing)),
            _ => match given.first() {
                Some(list @ Value::List(_)) => pure::characters(std::slice::from_ref(list)),
                Some(first) => first.clone(),
                None => Value::Nothing,
            },
        },
        Language::Perl if text(0).starts_with(['H', 'h']) => pure::decoded(Codec::Hex, given.at(1).unwrap_or(&nothing)),
        Language::Perl if text(0).starts_with('u') => pure::decoded(Codec::Opaque, given.at(1).unwrap_or(&nothing)),
        Language::Perl if text(0).starts_with(['C', 'c', 'U', 'W']) => {
            pure::characters(given.plain.get(1..).unwrap_or_default())
        }
        _ => Value::Text(pure::separated(&given.plain, "")),
    }
}

fn shell(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let words: Vec<&Value> =
        given.plain.iter().filter(|value| !matches!(value, Value::Map(_) | Value::Nothing)).collect();
    let first = given.first().cloned().or_else(|| given.named("cmd").or_else(|| given.named("command")).cloned());
    // Options and callbacks follow the script in these; elsewhere more arguments are the program's.
    let script_only = matches!(eval.language, Language::JavaScript | Language::Php | Language::Lua)
        || eval.language == Language::Python && !name.contains("spawn");
    match first {
        Some(list @ Value::List(_)) => eval.run_words(name, &list.spread(), None),
        Some(_) if words.len() > 1 && !script_only && !is_mode(words[1]) => eval.run_words(name, &given.words(), None),
        Some(script) => eval.run_named_script(name, &script),
        None => Value::Nothing,
    }
}

/// `IO.popen(command, "r")`.
fn is_mode(value: &Value) -> bool {
    matches!(value.as_known(), Some("r" | "w" | "r+" | "w+" | "rb" | "wb"))
}

fn program(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let in_shell = given.named("shell").is_some_and(|shell| shell.is_true() || matches!(shell, Value::Text(_)));
    let first = given.first().or_else(|| given.named("args")).or_else(|| given.named("cmd")).cloned();
    let Some(first) = first else { return Value::Nothing };
    let first = first.field("cmd").cloned().unwrap_or(first);
    let stdin = given.named("input").map(Value::as_stuff);
    if in_shell {
        let words: Vec<Value> = match &first {
            Value::List(items) => items.iter().take(1).cloned().collect(),
            _ if eval.language == Language::JavaScript => given.words().into_iter().map(Value::Text).collect(),
            other => vec![other.clone()],
        };
        return match words.as_slice() {
            [one] => eval.run_named_script(name, one),
            several => eval.run_named_script(name, &Value::Text(pure::separated(several, " "))),
        };
    }
    let mut words = match &first {
        Value::Text(text) if given.plain.len() == 1 && eval.language != Language::JavaScript => {
            split_words(&text.text, text.from)
        }
        first @ Value::List(_) => first.spread(),
        _ if eval.language == Language::Python => given.words(),
        first => first.spread().into_iter().chain(given.at(1).map(Value::spread).unwrap_or_default()).collect(),
    };
    if let Some(args) = given.named("args").filter(|_| given.first().is_some()) {
        words.extend(args.spread());
    }
    if let Some(folder) = given.named("cwd").or_else(|| given.named("chdir")) {
        words.splice(0..0, [Arg::known("env"), Arg::known("-C"), folder.as_arg()]);
    }
    eval.run_words(name, &words, stdin.as_ref())
}

/// `execlp("rm", "rm", "-rf", "/")`, `spawnv(mode, "rm", ["rm", "-rf"])`: one word is only the program's own name.
fn exec(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let skip = usize::from(name.contains("spawn") && !name.contains("posix"));
    let mut words: Vec<Arg> = given.plain.get(skip..).unwrap_or_default().iter().flat_map(Value::spread).collect();
    if words.len() > 1 {
        words.remove(1);
    }
    eval.run_words(name, &words, None)
}

/// Does what a command does.
fn like(eval: &mut Eval<'_, '_, '_>, name: &str, template: &str, given: &Given) -> Value {
    let mut words = Vec::new();
    for part in template.split(' ') {
        let Some(at) = part.find('%') else {
            words.push(Arg::known(part));
            continue;
        };
        let (before, mark) = part.split_at(at);
        let (octal, index) = match mark[1..].strip_prefix('o') {
            Some(index) => (true, index),
            None => (false, &mark[1..]),
        };
        if index == "*" {
            words.extend(given.words());
            continue;
        }
        // `removeItem(atPath: "x")`: where nothing stands alone, names only say what is what.
        let named = |index: usize| given.named.get(index).map(|(_, value)| value).filter(|_| given.plain.is_empty());
        let value = index.parse().ok().and_then(|index: usize| given.at(index).or_else(|| named(index)));
        match value {
            Some(Value::Number(number)) if octal => words.push(Arg::known(format!("{number:o}"))),
            Some(value) if before.is_empty() => words.extend(value.spread()),
            Some(value) => {
                let value = value.as_arg();
                let value_text = if value.is_opaque() { "TERM" } else { value.text.as_str() };
                words.push(Arg { text: format!("{before}{value_text}"), ..value.clone() });
            }
            None if before.is_empty() => words.push(eval.hole()),
            None => words.push(Arg::known(format!("{before}TERM"))),
        }
    }
    eval.run_words(name, &words, None)
}

fn connect(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    eval.seen.connects = true;
    super::files::talk(eval, given, Flags::NONE.with(Flag::Upload).with(Flag::Download));
    Value::unknown(Origins { network: true, ..Origins::default() })
}

/// Text that runs as code of this language.
pub(super) fn evaluate(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let code = if eval.language == Language::JavaScript {
        given.plain.iter().rev().find(|value| matches!(value, Value::Text(_)))
    } else {
        given.first()
    };
    match code.cloned() {
        Some(Value::Text(code)) => run_text(eval, &code),
        Some(Value::OneOf(all)) => {
            all.iter().take(ALTERNATIVES).for_each(|code| {
                run_text(eval, &code.as_arg());
            });
            Value::Nothing
        }
        _ => Value::Nothing,
    }
}

pub(super) fn run_text(eval: &mut Eval<'_, '_, '_>, code: &Arg) -> Value {
    let from = code.from;
    if from.network || from.decoded {
        let what = if from.network {
            "runs code that comes from the network"
        } else {
            "runs code that was decoded or disguised"
        };
        eval.does(Kind::RunUnseen, from.flags(), what);
    } else if code.is_opaque() {
        eval.does(Kind::RunUnseen, Flags::NONE, "runs code that cannot be seen");
    }
    if code.is_opaque() { Value::unknown(from) } else { eval.nested(&code.text) }
}

fn apply(eval: &mut Eval<'_, '_, '_>, mut given: Given) -> Value {
    if let Some(target) = given.named("target").cloned() {
        let plain =
            given.named("args").map(|args| args.spread().into_iter().map(Value::Text).collect()).unwrap_or_default();
        return eval.call(target, Given { plain, named: Vec::new() });
    }
    if given.plain.is_empty() {
        return Value::Nothing;
    }
    let callee = match given.plain.remove(0) {
        Value::Text(name) if name.is_known() => Value::Name(name.text),
        other => other,
    };
    if let [Value::List(items)] = given.plain.as_slice() {
        given.plain = items.clone();
    }
    if matches!(callee, Value::Name(_)) && (!given.plain.is_empty() || eval.language != Language::Ruby) {
        eval.call(callee, given)
    } else {
        callee
    }
}

fn map(eval: &mut Eval<'_, '_, '_>, given: &Given) -> Value {
    let callee = match given.first() {
        Some(Value::Text(name)) if name.is_known() => Value::Name(name.text.clone()),
        Some(callee @ Value::Name(_)) => callee.clone(),
        _ => return given.at(1).cloned().unwrap_or(Value::Nothing),
    };
    let Some(items) = given.at(1) else { return Value::Nothing };
    let items: Vec<Value> = match items {
        Value::List(items) | Value::OneOf(items) => items.iter().take(64).cloned().collect(),
        other => vec![other.clone()],
    };
    let made = items.into_iter().map(|item| eval.call(callee.clone(), Given { plain: vec![item], named: Vec::new() }));
    Value::list(made.collect())
}

fn print(eval: &mut Eval<'_, '_, '_>, name: &str, given: &Given) -> Value {
    let from = given.origins();
    if from.secret && !eval.seen.secret && given.plain.iter().any(|value| matches!(value, Value::Text(_))) {
        eval.does(Kind::ReadSecret, Flag::Secret.into(), "prints a credential");
    }
    let mut text = pure::separated(&given.plain, " ");
    if given.plain.iter().any(|value| matches!(value, Value::Name(name) if name == "ENV")) {
        text.from.secret = true;
    }
    let bare = if eval.language == Language::Python {
        name.contains("write")
    } else {
        ["echo", "printf", "print"].contains(&name)
    };
    if !bare && !name.contains("write") {
        text.text.push('\n');
    }
    eval.prints(&text);
    Value::Nothing
}

impl Eval<'_, '_, '_> {
    pub(super) fn does(&mut self, kind: Kind, flags: Flags, what: &str) {
        if !self.dry {
            self.doing.does(kind, flags, what);
        }
    }

    pub(super) fn run_words(&mut self, via: &str, words: &[Arg], stdin: Option<&Stuff>) -> Value {
        self.seen.shell |= stdin.is_none() && waits_for_input(words);
        if self.dry || words.is_empty() {
            return Value::unknown(Origins::default());
        }
        Value::from_stuff(&self.doing.runs(via, words, stdin))
    }

    pub(super) fn run_script(&mut self, script: &Value) -> Value {
        self.run_named_script("`…`", script)
    }

    pub(super) fn run_named_script(&mut self, via: &str, script: &Value) -> Value {
        let scripts = match script {
            Value::OneOf(all) => all.iter().take(ALTERNATIVES).cloned().collect(),
            other => vec![other.clone()],
        };
        let mut output = Value::unknown(Origins::default());
        for script in &scripts {
            // Whatever came over the line runs: that is a shell, whoever reads the commands.
            self.seen.shell |= script.as_arg().is_opaque();
            let script = script.as_stuff();
            if let Some(text) = &script.text {
                self.seen.shell |= waits_for_input(&split_words(text, Origins::default()));
            }
            if !self.dry {
                output = Value::from_stuff(&self.doing.runs_script(via, &script, &[], None));
            }
        }
        output
    }
}

/// A shell with neither a script nor a file: it takes what is typed, by whomever.
fn waits_for_input(words: &[Arg]) -> bool {
    let Some((head, rest)) = words.split_first() else { return false };
    let name = head.text.rsplit(['/', '\\']).next().unwrap_or_default();
    let shell = is_shell(name) || ["cmd.exe", "cmd", "powershell", "powershell.exe", "pwsh"].contains(&name);
    shell && rest.iter().all(|word| word.text != "-c" && (word.text.starts_with('-') || word.text.contains(['<', '>'])))
}

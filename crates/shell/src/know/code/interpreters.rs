//! Interpreters on the command line: code in an option, in a file, or on standard input.

use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation, Language};
use crate::effect::{Flag, Flags, Kind};

/// How an interpreter takes its code.
struct Interpreter {
    names: &'static [&'static str],
    language: Language,
    /// Letters followed by code.
    code: &'static str,
    /// Long options followed by code.
    code_long: &'static [&'static str],
    /// Letters followed by a value, attached or as the next word.
    values: &'static str,
    /// Letters whose value can only be attached: the rest of the word is theirs.
    attached: &'static str,
    /// Long options followed by a value.
    values_long: &'static [&'static str],
    /// Options with which nothing runs.
    inert: &'static [&'static str],
}

const BASE: Interpreter = Interpreter {
    names: &[],
    language: Language::Other,
    code: "e",
    code_long: &[],
    values: "",
    attached: "",
    values_long: &[],
    inert: &["--version", "--help", "-h", "-v", "-V"],
};

const PYTHON: Interpreter = Interpreter {
    names: &["ipython", "ipython3", "jython", "micropython", "sage", "bpython", "ptpython"],
    language: Language::Python,
    code: "c",
    values: "WXQm",
    inert: &["--version", "--help", "-h", "-V", "-VV"],
    ..BASE
};

#[rustfmt::skip]
const INTERPRETERS: &[Interpreter] = &[
    PYTHON,
    Interpreter { names: &["node", "nodejs", "bun", "deno", "tsx", "ts-node", "qjs", "d8", "node.exe", "osascript-js"],
        language: Language::JavaScript, code: "ep", code_long: &["--eval", "--print"], values: "rC",
        values_long: &["--require", "--import", "--loader", "--env-file", "--conditions", "--experimental-loader", "--input-type"],
        inert: &["--version", "--help", "-h", "-v", "-c", "--check"], ..BASE },
    Interpreter { names: &["perl", "perl5", "raku", "perl6"], language: Language::Perl, code: "eE", values: "I", attached: "iMmFCDxV",
        inert: &["--version", "--help", "-h", "-v", "-c"], ..BASE },
    Interpreter { names: &["ruby", "jruby", "truffleruby", "irb", "mruby"], language: Language::Ruby, code: "e", values: "rICE",
        attached: "iFKTWx", inert: &["--version", "--help", "-h", "-c"], ..BASE },
    Interpreter { names: &["php", "php7", "php8", "php-cli", "hhvm", "php7.4", "php8.0", "php8.1", "php8.2", "php8.3", "php8.4"],
        language: Language::Php, code: "rRBE", code_long: &["--run"], values: "cdzS", inert: &["--version", "--help", "-h", "-v", "-i", "-m", "-l"], ..BASE },
    Interpreter { names: &["lua", "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit", "luau", "texlua"], language: Language::Lua, values: "l", ..BASE },
    Interpreter { names: &["Rscript", "R", "littler", "r"], code_long: &["--expression"], values: "f", ..BASE },
    Interpreter { names: &["julia"], code: "eE", code_long: &["--eval", "--print"], values: "pLtJC", ..BASE },
    Interpreter { names: &["elixir", "iex"], code_long: &["--eval"], values: "rSp", inert: &["--version", "--help", "-h"], ..BASE },
    Interpreter { names: &["groovy", "scala", "kotlin", "swift", "crystal", "clojure", "clj", "bb", "ghc", "racket", "coffee", "nim", "jshell"],
        values: "c", inert: &["--version", "--help", "-h"], ..BASE },
    Interpreter { names: &["tclsh", "wish", "tclsh8.6", "jimsh"], language: Language::Tcl, code: "", ..BASE },
    Interpreter { names: &["osascript"], language: Language::AppleScript, values: "ls", inert: &["-h"], ..BASE },
];

fn find(name: &str) -> Option<&'static Interpreter> {
    let plain = name.strip_suffix(".exe").unwrap_or(name);
    // `python3.12`, `perl5.38.2`, `ruby3.2`.
    let base = plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    if ["python", "pypy"].contains(&base) {
        return Some(&PYTHON);
    }
    INTERPRETERS.iter().find(|row| row.names.contains(&plain) || base.len() > 1 && row.names.contains(&base))
}

pub(super) fn knows(name: &str) -> bool {
    find(name).is_some()
}

/// What the options said.
#[derive(Default)]
struct Asked<'a> {
    code: Option<Stuff>,
    module: Option<Arg>,
    /// `-S host:port` of PHP.
    serves: bool,
    in_place: bool,
    each_line: bool,
    javascript: bool,
    nothing: bool,
    rest: &'a [Arg],
}

pub(super) fn interpreter(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(row) = find(it.name) else { return };
    let asked = options(it, row);
    if asked.nothing {
        return;
    }
    let language = if asked.javascript { Language::JavaScript } else { row.language };
    if asked.serves {
        return doing.does(Kind::Network, Flag::Listen.into(), "waits for others to connect");
    }
    if let Some(module) = &asked.module {
        return run_module(it, module, asked.rest, doing);
    }
    if let Some(code) = &asked.code {
        let before = std::mem::replace(&mut doing.walk.stdin, it.stdin.cloned());
        doing.runs_code(
            &format!("{} -{}", it.name, row.code.chars().next().unwrap_or('c')),
            language,
            code,
            asked.rest,
        );
        doing.walk.stdin = before;
        return operands(&asked, it, doing);
    }
    match asked.rest.split_first() {
        Some((word, rest)) if it.name == "deno" || it.name == "bun" => subcommand(it, word, rest, doing),
        Some((file, rest)) if file.text != "-" && file.text != "/dev/stdin" => {
            run_file(it, language, file, rest, doing)
        }
        _ => {
            if let Some(code) = it.stdin {
                doing.runs_code(it.name, language, code, asked.rest.get(1..).unwrap_or_default());
            }
        }
    }
}

fn options<'a>(it: &Invocation<'a>, row: &Interpreter) -> Asked<'a> {
    let mut asked = Asked { rest: it.args, ..Asked::default() };
    if it.name == "deno" && it.args.first().is_some_and(|word| word.text == "eval") {
        asked.rest = &it.args[1..];
        let code = asked.rest.iter().position(|word| !word.text.starts_with('-'));
        asked.code = code.map(|at| stuff(&asked.rest[at]));
        asked.rest = &[];
        return asked;
    }
    while let Some((word, after)) = asked.rest.split_first() {
        let text = word.text.as_str();
        if text == "--" {
            asked.rest = after;
            break;
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        asked.rest = after;
        asked.nothing |= row.inert.contains(&text);
        if text.starts_with("--") {
            long(word, row, &mut asked)
        } else {
            cluster(word, it.name, row, &mut asked)
        }
        if asked.module.is_some() || asked.code.is_some() && row.language == Language::Python {
            break;
        }
    }
    asked
}

fn long(word: &Arg, row: &Interpreter, asked: &mut Asked<'_>) {
    let (name, value) = match word.text.split_once('=') {
        Some((name, value)) => (name, Some(Arg { text: value.to_owned(), ..word.clone() })),
        None => (word.text.as_str(), None),
    };
    if row.code_long.contains(&name) {
        let value = value.or_else(|| take(asked));
        add_code(asked, value);
    } else if row.values_long.contains(&name) && value.is_none() {
        take(asked);
    }
}

fn take(asked: &mut Asked<'_>) -> Option<Arg> {
    let (first, rest) = asked.rest.split_first()?;
    asked.rest = rest;
    Some(first.clone())
}

fn cluster(word: &Arg, program: &str, row: &Interpreter, asked: &mut Asked<'_>) {
    for (at, letter) in word.text.char_indices().skip(1) {
        let rest = &word.text[at + letter.len_utf8()..];
        let attached = (!rest.is_empty()).then(|| Arg { text: rest.to_owned(), ..word.clone() });
        match letter {
            'i' if row.attached.contains('i') => asked.in_place = true,
            'n' | 'p' if row.attached.contains('i') => asked.each_line = true,
            // `node -pe code`: letters of code may be followed by letters of code.
            'p' if row.language == Language::JavaScript && rest.starts_with('e') => continue,
            _ => {}
        }
        if row.code.contains(letter) {
            let code = attached.or_else(|| take(asked));
            return add_code(asked, code);
        }
        if row.values.contains(letter) {
            let value = attached.or_else(|| take(asked));
            asked.serves |= letter == 'S' && row.language == Language::Php;
            asked.javascript |=
                program == "osascript" && value.as_ref().is_some_and(|value| value.text == "JavaScript");
            if letter == 'm' && row.language == Language::Python {
                asked.module = value;
            }
            return;
        }
        if row.attached.contains(letter) {
            return;
        }
    }
}

/// Several pieces are lines of one program.
fn add_code(asked: &mut Asked<'_>, code: Option<Arg>) {
    let Some(code) = code else { return };
    let mut text = asked
        .code
        .as_ref()
        .and_then(|before| before.text.as_deref())
        .map(|before| format!("{before}\n"))
        .unwrap_or_default();
    text.push_str(&code.text);
    let from = asked.code.as_ref().map_or(code.from, |before| before.from.and(code.from));
    asked.code = Some(whole(text, from));
}

fn whole(text: String, from: crate::arg::Origins) -> Stuff {
    let unseen = !text.is_empty() && text.chars().all(|c| c == HOLE || c.is_whitespace());
    Stuff { text: (!unseen).then(|| text.into()), from }
}

fn stuff(code: &Arg) -> Stuff {
    whole(code.text.clone(), code.from)
}

/// With `-i` the files behind the code are changed, with `-n` and `-p` they are read.
fn operands(asked: &Asked<'_>, it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if !asked.in_place && !asked.each_line {
        return;
    }
    let mut from = it.stdin.map(|stdin| stdin.from).unwrap_or_default();
    for file in asked.rest.iter().filter(|file| file.text != "-") {
        if asked.in_place {
            doing.overwrites(file, Flags::NONE);
        } else {
            from = from.and(doing.reads(file).from);
        }
    }
    doing.prints(Stuff { text: None, from });
}

fn run_file(it: &Invocation<'_>, language: Language, file: &Arg, args: &[Arg], doing: &mut Doing<'_, '_>) {
    if super::files::is_url(&file.text) {
        doing.talks(file, Flag::Download.into(), None);
        return doing.does(Kind::RunUnseen, Flag::FromNetwork.into(), "runs code that comes from the network");
    }
    let name = file.text.rsplit('/').next().unwrap_or_default();
    let own = crate::know::database::find(name);
    if let Some(known) = own.or_else(|| (name == "setup.py").then(|| crate::know::packages::find(name)).flatten()) {
        // `php artisan …`, `python manage.py …`, `python setup.py …`: programs of their own.
        let inner = Invocation { name, args, stdin: it.stdin };
        return known(&inner, doing);
    }
    let content = doing.reads(file);
    if content.text.is_some() || content.from.network || content.from.decoded {
        doing.runs_code(it.name, language, &content, args);
    } else {
        doing.does(Kind::RunUnseen, Flags::NONE, format!("runs the script {}", crate::walk::shown(&file.text)));
    }
}

/// `deno run file`, `bun x.ts`, `bun run build`.
fn subcommand(it: &Invocation<'_>, word: &Arg, rest: &[Arg], doing: &mut Doing<'_, '_>) {
    let runs = ["run", "test", "bench", "serve", "compile"].contains(&word.text.as_str());
    let file = if runs { rest.iter().find(|word| word.text == "-" || !word.text.starts_with('-')) } else { Some(word) };
    if let (Some(stdin), true) = (it.stdin, runs && file.is_some_and(|file| file.text == "-")) {
        return doing.runs_code(it.name, Language::JavaScript, stdin, &[]);
    }
    let is_code = |file: &&Arg| {
        super::files::is_url(&file.text)
            || file
                .text
                .rsplit('.')
                .next()
                .is_some_and(|end| ["ts", "js", "mjs", "cjs", "tsx", "jsx", "mts"].contains(&end))
    };
    if let Some(file) = file.filter(is_code) {
        run_file(it, Language::JavaScript, file, rest, doing);
    }
}

/// Modules that are programs of their own.
const MODULES: &[&str] = &[
    "pip",
    "pip3",
    "twine",
    "poetry",
    "pipx",
    "uv",
    "flit",
    "hatch",
    "pdm",
    "base64",
    "virtualenv",
    "pipenv",
    "ansible",
    "conda",
    "ensurepip",
    "pytest",
    "black",
    "build",
    "dbt",
];

fn run_module(it: &Invocation<'_>, module: &Arg, args: &[Arg], doing: &mut Doing<'_, '_>) {
    match module.text.as_str() {
        "http.server" | "SimpleHTTPServer" | "smtpd" | "pyftpdlib" | "uploadserver" | "CGIHTTPServer" => {
            doing.does(Kind::Network, Flag::Listen.into(), "serves files to whoever connects");
        }
        "awscli" => {
            let words: Vec<Arg> = std::iter::once(Arg::known("aws")).chain(args.iter().cloned()).collect();
            doing.runs("python -m", &words, it.stdin);
        }
        "timeit" => {
            for code in args.iter().filter(|word| !word.text.starts_with('-')) {
                doing.runs_code("python -m timeit", Language::Python, &stuff(code), &[]);
            }
        }
        "code" | "pdb" | "cProfile" | "profile" | "trace" | "runpy" | "coverage" => {
            if let Some(file) = args.iter().find(|word| word.text.ends_with(".py")) {
                run_file(it, Language::Python, file, &[], doing);
            }
        }
        name if MODULES.contains(&name) => {
            let words: Vec<Arg> = std::iter::once(module.clone()).chain(args.iter().cloned()).collect();
            let output = doing.runs("python -m", &words, it.stdin);
            doing.prints(output);
        }
        _ => {}
    }
}

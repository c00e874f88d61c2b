//! Whatever the text is, there is an answer; and what a command does stays what it is when something harmless is
//! around it. `PROPTEST_CASES` says how many are drawn.

use proptest::prelude::*;
use tollgate_shell::{Effect, Kind, Surroundings, understand};

fn effects(command: &str) -> Vec<Effect> {
    let around = Surroundings { cwd: Some("/home/ann/app"), home: Some("/home/ann"), ..Surroundings::default() };
    understand(command, &around)
}

/// What rules look at. What cannot be told may be told otherwise in another wrapping.
fn told(command: &str) -> Vec<(Kind, Option<String>)> {
    let effects = effects(command).into_iter().filter(|effect| effect.kind != Kind::Unknown);
    effects.map(|effect| (effect.kind, effect.path.or(effect.host))).collect()
}

const TOKENS: &[&str] = &[
    "rm",
    "-rf",
    "/",
    "~",
    "echo",
    "git",
    "reset",
    "--hard",
    "curl",
    "https://a.example",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "$",
    "${",
    "$x",
    "${x:-",
    "x=",
    "x=/",
    "<<E",
    "E",
    "<",
    ">",
    ">>",
    "2>&1",
    "<<<",
    "<(",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    ";;",
    "f()",
    "function",
    "[[",
    "]]",
    "((",
    "))",
    "!",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "{1..3}",
    "#",
    "eval",
    "bash",
    "-c",
    "sudo",
    "xargs",
    "cd",
    "..",
    "=",
    "é",
    "\u{0}",
    "\u{FFFF}",
    "export",
    "read",
    "set",
    "--",
    "trap",
    "cat",
    "/etc/passwd",
    "python3",
    "base64",
    "-d",
    "$'",
    "\\x2f",
    "@",
    "%",
    "##",
    "$((",
    "1",
    "+",
];

fn soup() -> impl Strategy<Value = String> {
    let token = (prop::sample::select(TOKENS), prop::sample::select(&["", " ", " "][..]));
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.into_iter().flat_map(|(a, b)| [a, b]).collect())
}

/// Commands that are whole, so that they can be wrapped.
fn command() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        &["rm -rf", "rm", "cat", "touch", "mkdir -p", "chmod -R 777", "shred", "tee", "cp a", "mv a"][..],
    );
    let path = prop::sample::select(
        &[
            "/",
            "/etc",
            "~",
            "build",
            "./src/*",
            "../other",
            "$HOME/.ssh/id_rsa",
            "\"/tmp/a b\"",
            "'/usr/lib'",
            ".env",
            "$(echo /etc)",
        ][..],
    );
    let simple = (name, path).prop_map(|(name, path)| format!("{name} {path}"));
    let redirected =
        (simple.clone(), prop::sample::select(&["", " > out", " >> /etc/hosts", " 2>/dev/null", " < in"][..]));
    let one = redirected.prop_map(|(command, redirect)| format!("{command}{redirect}"));
    let joint = prop::sample::select(&[" && ", "; ", " | ", " || ", "\n"][..]);
    (one.clone(), prop::option::of((joint, one))).prop_map(|(first, more)| match more {
        Some((joint, second)) => format!("{first}{joint}{second}"),
        None => first,
    })
}

fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', "'\\''"))
}

proptest! {
    #[test]
    fn anything_is_answered(text in any::<String>()) {
        effects(&text);
    }

    #[test]
    fn shell_like_text_is_answered(text in soup()) {
        effects(&text);
    }

    #[test]
    fn a_harmless_prefix_changes_nothing(text in soup()) {
        // A comment, a continued line or the text of a here-document may not begin where `true;` ends.
        let before = told(&text);
        let after = told(&format!("true; {text}"));
        for effect in before {
            prop_assert!(after.contains(&effect), "{effect:?} of {text:?} is lost");
        }
    }

    #[test]
    fn wrappings_change_nothing(command in command()) {
        let plain = told(&command);
        for wrapped in [
            format!("({command})"),
            format!("{{ {command}; }}"),
            format!("if true; then {command}; fi"),
            format!("for i in 1; do {command}; done"),
            format!("while :; do {command}; done"),
            format!("case a in a) {command};; esac"),
            format!("f() {{ {command}; }}; f"),
            format!("{command} &"),
            format!("! {command}"),
            format!("time {command}"),
            format!("eval {}", quoted(&command)),
            format!("bash -c {}", quoted(&command)),
            format!("sh -c {}", quoted(&format!("bash -c {}", quoted(&command)))),
            format!("x=$({command})"),
            format!("echo `{command}`"),
            format!("cat <({command})"),
            format!("trap {} EXIT", quoted(&command)),
        ] {
            let found = told(&wrapped);
            for effect in &plain {
                prop_assert!(found.contains(effect), "{effect:?} of {command:?} is lost in {wrapped:?}: {found:?}");
            }
        }
    }
}

//! Options in front of the command that a wrapper runs.

use crate::arg::Arg;

/// Which options take a value. All others are taken for switches.
pub(super) struct Spec {
    /// Letters with a value: `-n 5` or `-n5`.
    pub short: &'static str,
    /// Long names with a value: `--adjustment 5` or `--adjustment=5`.
    pub long: &'static [&'static str],
}

pub(super) const SWITCHES: Spec = Spec { short: "", long: &[] };

/// The options, and what follows them.
pub(super) struct Parsed<'a> {
    options: Vec<(String, Option<Arg>)>,
    pub rest: &'a [Arg],
    /// The options were ended by `--`.
    pub ended: bool,
}

impl Parsed<'_> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The last value given to any of these.
    pub(super) fn value(&self, names: &'static [&'static str]) -> Option<&Arg> {
        self.values(names).last()
    }

    pub(super) fn values(&self, names: &'static [&'static str]) -> impl Iterator<Item = &Arg> {
        self.options.iter().filter(|(name, _)| names.contains(&name.as_str())).filter_map(|(_, value)| value.as_ref())
    }

    /// Asks for nothing but a page of text.
    pub(super) fn asks_for_help(&self) -> bool {
        self.has(&["help", "version"])
    }
}

/// Takes options off the front, up to the first word that is none.
pub(super) fn parse<'a>(args: &'a [Arg], spec: &Spec) -> Parsed<'a> {
    let mut parsed = Parsed { options: Vec::new(), rest: args, ended: false };
    while let Some((word, rest)) = parsed.rest.split_first() {
        let text = word.text.as_str();
        if text == "--" {
            parsed.rest = rest;
            parsed.ended = true;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            parsed.rest = rest;
            take_long(&mut parsed, long, word, spec);
        } else if text.len() > 1 && text.starts_with('-') {
            parsed.rest = rest;
            take_short(&mut parsed, word, spec);
        } else if word.is_opaque() && rest.len() > 1 {
            // `sudo $FLAGS rm …`: an unknown word in front of others is rather an option than the command.
            parsed.rest = rest;
        } else {
            break;
        }
    }
    parsed
}

/// As [`parse`], with letters that are only known at run time; returns what follows.
pub(super) fn parse_short<'a>(args: &'a [Arg], short: &'static str) -> &'a [Arg] {
    parse(args, &Spec { short, long: &[] }).rest
}

fn take_long(parsed: &mut Parsed<'_>, long: &str, word: &Arg, spec: &Spec) {
    if let Some((name, value)) = long.split_once('=') {
        parsed.options.push((name.to_owned(), Some(Arg { text: value.to_owned(), ..word.clone() })));
        return;
    }
    // GNU programs accept the beginning of a long name.
    let full = spec.long.iter().find(|name| **name == long || long.len() > 2 && name.starts_with(long));
    let value = full.and_then(|_| take_next(parsed));
    parsed.options.push((full.map_or(long, |name| name).to_owned(), value));
}

fn take_short(parsed: &mut Parsed<'_>, word: &Arg, spec: &Spec) {
    let cluster = &word.text[1..];
    for (at, letter) in cluster.char_indices() {
        if !spec.short.contains(letter) {
            parsed.options.push((letter.to_string(), None));
            continue;
        }
        let attached = &cluster[at + letter.len_utf8()..];
        let value = match attached {
            "" => take_next(parsed),
            _ => Some(Arg { text: attached.to_owned(), ..word.clone() }),
        };
        parsed.options.push((letter.to_string(), value));
        return;
    }
}

fn take_next(parsed: &mut Parsed<'_>) -> Option<Arg> {
    let (value, rest) = parsed.rest.split_first()?;
    parsed.rest = rest;
    Some(value.clone())
}

/// Words joined by blanks, as programs do that hand their arguments to a shell.
pub(crate) fn joined(words: &[Arg]) -> crate::arg::Stuff {
    let mut text = String::new();
    let mut from = crate::arg::Origins::default();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
        from = from.and(word.from);
    }
    crate::arg::Stuff { text: Some(text.into()), from }
}

/// One word as a script.
pub(super) fn script(word: &Arg) -> crate::arg::Stuff {
    joined(std::slice::from_ref(word))
}

/// Whether a word sets a variable: `NAME=value`.
pub(super) fn is_assignment(word: &Arg) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Splits as `xargs` and `env -S` do: at blanks, with quotes and backslashes.
pub(crate) fn split_words(text: &str, from: crate::arg::Origins) -> Vec<Arg> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.into_iter().map(|text| Arg { text, from, ..Arg::default() }).collect()
}

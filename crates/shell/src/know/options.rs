//! Tells options from operands, for commands that take both.
//!
//! A [`Spec`] says only what cannot be seen: which options take the next word as their value, and which long names
//! are worth completing when somebody abbreviates them (`--forc`).

use crate::arg::Arg;

/// What cannot be seen from the words themselves.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    /// Letters that take a value: `o` for `-o file` and `-ofile`.
    short: &'static str,
    /// Long names that take a value, without dashes.
    long: &'static [&'static str],
    /// Long names without a value that may be abbreviated.
    flags: &'static [&'static str],
    /// Letters whose value, if any, is the rest of the word: `U` in `-U3`, never the next word.
    attached: &'static str,
    /// One dash is enough for a long name: `-auto-approve`.
    one_dash: bool,
}

impl Spec {
    pub(crate) const fn new(short: &'static str, long: &'static [&'static str]) -> Self {
        Self { short, long, flags: &[], attached: "", one_dash: false }
    }

    /// With names that may be abbreviated.
    pub(crate) const fn flags(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }

    /// With letters whose value is the rest of the word.
    pub(crate) const fn attached(self, attached: &'static str) -> Self {
        Self { attached, ..self }
    }

    /// Where `-name` is a long option, as in terraform or java.
    pub(crate) const fn one_dash(self) -> Self {
        Self { one_dash: true, ..self }
    }

    /// The full name of a long option, and whether it takes a value.
    fn complete<'n>(&self, name: &'n str) -> (&'n str, bool)
    where
        'static: 'n,
    {
        if self.long.contains(&name) {
            return (name, true);
        }
        if self.flags.contains(&name) || name.is_empty() {
            return (name, false);
        }
        let starts = |list: &'static [&'static str]| list.iter().copied().find(|full| full.starts_with(name));
        match (starts(self.flags), starts(self.long)) {
            (Some(full), _) => (full, false),
            (None, Some(full)) => (full, true),
            (None, None) => (name, false),
        }
    }
}

/// One option as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Without dashes: `o`, `output`.
    pub name: String,
    pub value: Option<Arg>,
}

/// The words of a command, told apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub given: Vec<Given>,
    pub operands: Vec<Arg>,
    /// How many operands stood before `--`, if that was there.
    pub before_dashes: Option<usize>,
}

impl Options {
    /// Options and operands in any order.
    pub(crate) fn of(args: &[Arg], spec: &Spec) -> Self {
        let mut options = Self::default();
        let mut rest = args;
        while let Some((first, after)) = rest.split_first() {
            if first.text == "--" {
                options.before_dashes = Some(options.operands.len());
                options.operands.extend_from_slice(after);
                break;
            }
            rest = match options.take(first, after, spec) {
                Some(after) => after,
                None => {
                    options.operands.push(first.clone());
                    after
                }
            };
        }
        options
    }

    /// Options up to the first operand, and the words from there on: for `git -C x reset --hard`.
    pub(crate) fn before<'a>(args: &'a [Arg], spec: &Spec) -> (Self, &'a [Arg]) {
        let mut options = Self::default();
        let mut rest = args;
        while let Some((first, after)) = rest.split_first() {
            if first.text == "--" {
                return (options, after);
            }
            match options.take(first, after, spec) {
                Some(after) => rest = after,
                None => break,
            }
        }
        (options, rest)
    }

    /// Whether any of these is there. One letter is a short name.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|given| names.contains(&given.name.as_str()))
    }

    /// Whether it is on after all: the last of `--force`, `-f` and `--no-force` counts, and `--force=false` is off.
    pub(crate) fn on(&self, names: &[&str]) -> bool {
        let said = |given: &Given| {
            if names.contains(&given.name.as_str()) {
                let off = given
                    .value
                    .as_ref()
                    .is_some_and(|value| matches!(value.text.as_str(), "false" | "no" | "0" | "none"));
                return Some(!off);
            }
            let negated = given.name.strip_prefix("no-")?;
            names.contains(&negated).then_some(false)
        };
        self.given.iter().rev().find_map(said).unwrap_or(false)
    }

    /// The values of these, in order.
    pub(crate) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Arg> {
        self.given.iter().filter(|given| names.contains(&given.name.as_str())).filter_map(|given| given.value.as_ref())
    }

    /// The last value of these.
    pub(crate) fn value<'s>(&'s self, names: &'s [&str]) -> Option<&'s Arg> {
        self.values(names).last()
    }

    /// The text of an operand; empty when there is none.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.operands.get(at).map_or("", |arg| arg.text.as_str())
    }

    /// Takes an option and perhaps its value; `None` when the word is an operand.
    fn take<'a>(&mut self, word: &Arg, after: &'a [Arg], spec: &Spec) -> Option<&'a [Arg]> {
        let long = word.text.strip_prefix("--").filter(|name| !name.is_empty());
        let long = long.or_else(|| word.text.strip_prefix('-').filter(|name| spec.one_dash && name.len() > 1));
        if let Some(long) = long {
            return Some(self.take_long(word, long, after, spec));
        }
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.is_empty())?;
        Some(self.take_short(word, letters, after, spec))
    }

    fn take_long<'a>(&mut self, word: &Arg, long: &str, after: &'a [Arg], spec: &Spec) -> &'a [Arg] {
        if let Some((name, value)) = long.split_once('=') {
            self.push(spec.complete(name).0, Some(part(word, value)));
            return after;
        }
        let (name, takes) = spec.complete(long);
        match after.split_first() {
            Some((value, after)) if takes => {
                self.push(name, Some(value.clone()));
                after
            }
            _ => {
                self.push(name, None);
                after
            }
        }
    }

    fn take_short<'a>(&mut self, word: &Arg, letters: &str, after: &'a [Arg], spec: &Spec) -> &'a [Arg] {
        for (at, letter) in letters.char_indices() {
            let name = &letters[at..at + letter.len_utf8()];
            let value = &letters[at + letter.len_utf8()..];
            if spec.attached.contains(letter) && !value.is_empty() {
                self.push(name, Some(part(word, value)));
                return after;
            }
            if !spec.short.contains(letter) {
                self.push(name, None);
                // A long word is hardly a heap of letters; what follows `=` is certainly none.
                if value.starts_with('=') || at > 32 {
                    break;
                }
                continue;
            }
            if !value.is_empty() {
                self.push(name, Some(part(word, value)));
                return after;
            }
            let (value, after) =
                after.split_first().map_or((None, after), |(value, after)| (Some(value.clone()), after));
            self.push(name, value);
            return after;
        }
        after
    }

    fn push(&mut self, name: &str, value: Option<Arg>) {
        self.given.push(Given { name: name.to_owned(), value });
    }
}

/// A part of a word, with what is known about the whole.
pub(crate) fn part(word: &Arg, text: &str) -> Arg {
    Arg { text: text.to_owned(), glob: word.glob, from: word.from }
}

/// Whether words ask for nothing but a manual page or a version.
pub(crate) fn only_asks(args: &[Arg]) -> bool {
    let own = args.iter().position(|arg| arg.text == "--").map_or(args, |at| &args[..at]);
    own.iter().enumerate().any(|(at, arg)| match arg.text.as_str() {
        "--help" => true,
        // After a subcommand it is that of a package, if anything is: `cargo yank --version 1.0.0`.
        "--version" => at == 0 || own.get(at + 1).is_none_or(|next| next.text.starts_with('-')),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: Spec = Spec::new("o", &["output", "data"]).flags(&["force", "force-with-lease"]);

    fn shown(line: &str) -> String {
        let args: Vec<Arg> = line.split_whitespace().map(Arg::known).collect();
        let options = Options::of(&args, &SPEC);
        let given = options.given.iter().map(|given| match &given.value {
            Some(value) => format!("{}={}", given.name, value.text),
            None => given.name.clone(),
        });
        let operands = options.operands.iter().map(|arg| format!("[{}]", arg.text));
        given.chain(operands).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tells_options_from_operands() {
        for (line, expected) in [
            ("-xo file a", "x o=file [a]"),
            ("-ofile a -v", "o=file v [a]"),
            ("--output x --data=y z", "output=x data=y [z]"),
            ("--forc --out x", "force output=x"),
            ("--force-w=x", "force-with-lease=x"),
            ("a -- -o b", "[a] [-o] [b]"),
            ("- -o", "o [-]"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        let on = |line: &str| {
            let args: Vec<Arg> = line.split_whitespace().map(Arg::known).collect();
            Options::of(&args, &SPEC).on(&["f", "force"])
        };
        assert!(on("-f"));
        assert!(!on("-f --no-force"));
        assert!(on("--no-force --force"));
        assert!(!on("--force=false"));
    }

    #[test]
    fn asks_for_a_version_or_names_one() {
        for (line, expected) in [
            ("--version", true),
            ("--version x", true),
            ("sub --version", true),
            ("sub --version -v", true),
            ("sub --version 1.0.0", false),
            ("sub a --version 1.0.0 --help", true),
            ("sub -- --help", false),
        ] {
            let args: Vec<Arg> = line.split_whitespace().map(Arg::known).collect();
            assert_eq!(only_asks(&args), expected, "{line}");
        }
    }

    #[test]
    fn stops_at_the_first_operand() {
        let args: Vec<Arg> = "-o x sub -o y".split_whitespace().map(Arg::known).collect();
        let (options, rest) = Options::before(&args, &SPEC);
        assert_eq!(options.value(&["o"]).map(|value| value.text.as_str()), Some("x"));
        assert_eq!(rest.len(), 3);
    }
}

//! Conditions on one text.

use std::cell::Cell;

use regex::bytes::{Regex, RegexBuilder};
use tollgate_core::{Name, Names};

use crate::form::{Matcher, OneOrMany, Words};
use crate::mistake::Mistake;

mod glob;
mod literal;

pub(crate) use glob::Glob;

/// How large a compiled expression may be. It bounds the time of a match too, which is linear in both.
const MAX_REGEX: usize = 1 << 20;

/// What a text is, because that decides how it is compared.
#[derive(Clone, Copy)]
pub(crate) enum Sort<'a> {
    /// Just text.
    Plain,
    /// A tool's name, which is compared as normalized by this table.
    Tool(&'a Names, Sense),
    /// A path: `*` stops at `/`, a prefix ends where a name ends.
    Path,
    /// A host: upper and lower case are the same.
    Host,
}

/// What follows if a tool's name fits. `read` restricts what is called so, whoever offers it; but it lets no server's tool
/// through that only happens to have that name, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sense {
    /// Something is refused, asked about, counted, changed.
    #[default]
    Restricts,
    /// Something is let through that would else be refused.
    Lets,
}

impl Sense {
    /// The sense of what must not hold.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Restricts => Self::Lets,
            Self::Lets => Self::Restricts,
        }
    }
}

/// A condition on a tool's name.
#[derive(Debug)]
pub(crate) struct ToolText {
    pub(crate) text: Text,
    sense: Sense,
}

impl ToolText {
    pub(crate) fn compile(form: &Matcher, names: &Names, sense: Sense) -> Result<Self, Vec<Mistake>> {
        Ok(Self { text: Text::compile(form, Sort::Tool(names, sense))?, sense })
    }

    /// Whether it is meant. No name at all is never.
    pub(crate) fn fits(&self, name: Option<&Name<'_>>) -> bool {
        let Some(name) = name.filter(|name| !name.normal().is_empty()) else { return false };
        match self.sense {
            Sense::Restricts => name.all().any(|name| self.text.fits(name)),
            Sense::Lets => name.exact().any(|name| self.text.fits(name)),
        }
    }
}

/// A condition on one text: at least one of the alternatives must hold.
#[derive(Debug)]
pub(crate) struct Text {
    alternatives: Vec<Vec<Check>>,
}

/// One of its tests must hold.
#[derive(Debug)]
struct Check {
    fold: bool,
    tests: Vec<Test>,
}

#[derive(Debug)]
enum Test {
    Eq(Box<str>),
    Prefix(Box<str>),
    /// The same for paths: the next character must be a `/`, or none.
    Below(Box<str>),
    Suffix(Box<str>),
    Contains(Box<str>),
    Glob(Glob),
    Regex(Box<Regex>, Option<Vec<Box<str>>>),
}

thread_local! {
    static COMPILED: Cell<usize> = const { Cell::new(0) };
}

/// How many conditions on texts this thread has compiled, for tests of how often that is done.
#[doc(hidden)]
pub fn texts_compiled() -> usize {
    COMPILED.get()
}

impl Text {
    pub(crate) fn compile(form: &Matcher, sort: Sort<'_>) -> Result<Self, Vec<Mistake>> {
        COMPILED.set(COMPILED.get() + 1);
        let mut mistakes = Vec::new();
        let mut alternatives = Vec::new();
        Compiler { sort, mistakes: &mut mistakes }.alternatives(form, &mut alternatives);
        if mistakes.is_empty() { Ok(Self { alternatives }) } else { Err(mistakes) }
    }

    /// Whether the text fits.
    pub(crate) fn fits(&self, text: &str) -> bool {
        self.fits_any(|test| test(text))
    }

    /// Whether one of several ways to write the same thing fits. `ways` asks for each of them until one does.
    pub(crate) fn fits_any(&self, mut ways: impl FnMut(&dyn Fn(&str) -> bool) -> bool) -> bool {
        self.alternatives.iter().any(|checks| checks.iter().all(|check| ways(&|text| check.fits(text))))
    }

    /// The names it is equal to, if it is nothing but a list of names.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        let name = |test: &'_ Test| matches!(test, Test::Eq(_));
        let only = |checks: &Vec<Check>| checks.len() == 1 && checks.iter().all(|check| check.tests.iter().all(name));
        let tests = || self.alternatives.iter().flatten().flat_map(|check| &check.tests);
        self.alternatives
            .iter()
            .all(only)
            .then(|| tests().filter_map(|test| if let Test::Eq(name) = test { Some(&**name) } else { None }).collect())
    }

    /// Texts of which at least one must be in whatever fits, upper and lower case being the same.
    pub(crate) fn literals(&self) -> Option<Vec<String>> {
        let best = |checks: &Vec<Check>| {
            let each = checks.iter().filter_map(|check| {
                let found: Option<Vec<Vec<String>>> =
                    check.tests.iter().map(|test| test.literals(check.fold)).collect();
                found.map(|found| found.concat())
            });
            // Of the checks that all must hold, the one whose shortest text is longest tells most.
            each.max_by_key(|texts| texts.iter().map(String::len).min())
        };
        let all: Option<Vec<Vec<String>>> = self.alternatives.iter().map(best).collect();
        all.map(|all| all.concat()).filter(|all| !all.is_empty())
    }
}

impl Check {
    fn fits(&self, text: &str) -> bool {
        match self.fold && text.chars().any(char::is_uppercase) {
            true => self.holds(&text.to_lowercase()),
            false => self.holds(text),
        }
    }

    fn holds(&self, text: &str) -> bool {
        self.tests.iter().any(|test| match test {
            Test::Eq(eq) => **eq == *text,
            Test::Prefix(prefix) => text.starts_with(&**prefix),
            Test::Below(folder) => text
                .strip_prefix(&**folder)
                .is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/')),
            Test::Suffix(suffix) => text.ends_with(&**suffix),
            Test::Contains(part) => text.contains(&**part),
            Test::Glob(glob) => glob.fits(text),
            Test::Regex(regex, _) => regex.is_match(text.as_bytes()),
        })
    }
}

impl Test {
    fn literals(&self, fold: bool) -> Option<Vec<String>> {
        let mut found = match self {
            Self::Eq(text) | Self::Prefix(text) | Self::Below(text) | Self::Suffix(text) | Self::Contains(text) => {
                vec![text.trim_start_matches('~').to_string()]
            }
            Self::Glob(glob) => vec![glob.literal().to_owned()],
            Self::Regex(_, literals) => literals.as_ref()?.iter().map(ToString::to_string).collect(),
        };
        if fold {
            // There are other letters that become a `k` or an `i` in lower case: those of Kelvin and of Istanbul.
            let safe =
                |text: &String| text.split(['k', 'K', 'i', 'I']).max_by_key(|part| part.len()).map(str::to_owned);
            found = found.iter().filter_map(safe).collect();
        }
        found.iter().all(|text| text.len() >= literal::MIN && text.is_ascii()).then_some(found)
    }
}

/// Compiles an expression of the policy language: ASCII unless it says otherwise, and bounded.
pub(crate) fn regex(pattern: &str, fold: bool) -> Result<Regex, Mistake> {
    let mut builder = RegexBuilder::new(pattern);
    builder.unicode(false).case_insensitive(fold).size_limit(MAX_REGEX).dfa_size_limit(MAX_REGEX * 4);
    builder.build().map_err(|error| regex_mistake(pattern, &error))
}

/// Compiles an expression that rewrites text. It is Unicode, so that what is left is text again.
pub(crate) fn rewriting_regex(pattern: &str) -> Result<regex::Regex, Mistake> {
    let mut builder = regex::RegexBuilder::new(pattern);
    builder.size_limit(MAX_REGEX).dfa_size_limit(MAX_REGEX * 4);
    builder.build().map_err(|error| regex_mistake(pattern, &error))
}

/// The last line of what the library says is what is wrong; the lines before it draw where.
fn regex_mistake(pattern: &str, error: &regex::Error) -> Mistake {
    let text = error.to_string();
    if let regex::Error::CompiledTooBig(_) = error {
        return Mistake::new("this regular expression is too large").help("repeat less, or use several rules");
    }
    let last = text.lines().last().unwrap_or(&text);
    let mistake = Mistake::new(format!("this is no regular expression: {}", last.trim_start_matches("error: ")));
    let carets = text.lines().find(|line| line.trim_start().starts_with('^'));
    let start = carets.and_then(|line| line.find('^')).map(|column| column.saturating_sub(4));
    match start.filter(|_| !pattern.contains('\n') && pattern.is_ascii()) {
        Some(start) if start <= pattern.len() => mistake.within(start..(start + 1).min(pattern.len())),
        _ => mistake,
    }
}

struct Compiler<'a> {
    sort: Sort<'a>,
    mistakes: &'a mut Vec<Mistake>,
}

impl Compiler<'_> {
    fn alternatives(&mut self, form: &Matcher, out: &mut Vec<Vec<Check>>) {
        match form {
            Matcher::Is(text) => {
                if text.is_empty() {
                    self.mistakes.push(Mistake::new("an empty text fits nothing"));
                }
                out.push(vec![self.check([self.whole(text)].into_iter().chain(self.sort.spelled(text)), false)]);
            }
            Matcher::AnyOf(many) => {
                if many.is_empty() {
                    self.mistakes.push(Mistake::new("an empty list fits nothing"));
                }
                for (place, one) in many.iter().enumerate() {
                    let before = self.mistakes.len();
                    self.alternatives(one, out);
                    self.moved(before, place);
                }
            }
            Matcher::Says(words) => {
                let checks = self.words(words);
                if checks.is_empty() && self.mistakes.is_empty() {
                    let known = "eq, one_of, prefix, suffix, glob, regex or contains";
                    self.mistakes.push(Mistake::new("this table says nothing").help(format!("give one of {known}")));
                }
                out.push(checks);
            }
        }
    }

    /// What was found since then happened one step further in.
    fn moved(&mut self, since: usize, step: impl Into<crate::mistake::Step>) {
        let step = step.into();
        for mistake in self.mistakes.iter_mut().skip(since) {
            mistake.path.insert(0, step.clone());
        }
    }

    fn words(&mut self, words: &Words) -> Vec<Check> {
        let fold = words.ignore_case == Some(true) || matches!(self.sort, Sort::Host);
        let mut checks = Vec::new();
        let mut add = |this: &mut Self, key: &str, texts: &Option<OneOrMany<String>>, make: &Make| {
            let Some(texts) = texts else { return };
            let is_whole = matches!(key, "eq" | "one_of" | "glob");
            let before = this.mistakes.len();
            let mut tests = Vec::new();
            for (place, text) in texts.iter().enumerate() {
                let start = this.mistakes.len();
                match make(this.sort, text, fold) {
                    Ok(test) => tests.push(test),
                    Err(mistake) => this.mistakes.push(mistake),
                }
                tests.extend(this.sort.spelled(text).filter(|_| is_whole));
                if texts.is_list() {
                    this.moved(start, place);
                }
            }
            if tests.is_empty() && this.mistakes.len() == before {
                this.mistakes.push(Mistake::new("an empty list fits nothing"));
            }
            this.moved(before, key);
            checks.push(this.check(tests, fold));
        };
        add(self, "eq", &words.eq, &|sort, text, fold| Ok(Test::Eq(sort.text(text, fold))));
        add(self, "one_of", &words.one_of, &|sort, text, fold| Ok(Test::Eq(sort.text(text, fold))));
        add(self, "prefix", &words.prefix, &|sort, text, fold| {
            let text = sort.part(text, fold);
            Ok(if matches!(sort, Sort::Path) { Test::Below(text) } else { Test::Prefix(text) })
        });
        add(self, "suffix", &words.suffix, &|sort, text, fold| Ok(Test::Suffix(sort.part(text, fold))));
        add(self, "contains", &words.contains, &|sort, text, fold| Ok(Test::Contains(sort.part(text, fold))));
        add(self, "glob", &words.glob, &|sort, text, fold| sort.glob(text, fold));
        add(self, "regex", &words.regex, &|sort, text, fold| {
            // Tools' names are compared in lower case, and an expression cannot be lower-cased.
            let fold = fold || matches!(sort, Sort::Tool(..) | Sort::Host);
            // A `~` stands for something else in paths, so a text with one need not be in what fits.
            let plain = |found: &Vec<String>| !found.iter().any(|text| text.contains('~'));
            let literals = literal::of_regex(text).filter(plain).map(|all| all.into_iter().map(Into::into).collect());
            Ok(Test::Regex(Box::new(regex(text, fold)?), literals))
        });
        checks
    }

    /// A text that stands alone: equal, or a glob if it has a `*`.
    fn whole(&self, text: &str) -> Test {
        let fold = matches!(self.sort, Sort::Host);
        match text.contains('*') {
            true => self.sort.glob(text, fold).unwrap_or_else(|_| Test::Eq(text.into())),
            false => Test::Eq(self.sort.text(text, fold)),
        }
    }

    fn check(&self, tests: impl IntoIterator<Item = Test>, fold: bool) -> Check {
        Check { fold: fold || matches!(self.sort, Sort::Host), tests: tests.into_iter().collect() }
    }
}

type Make = dyn Fn(Sort<'_>, &str, bool) -> Result<Test, Mistake>;

impl Sort<'_> {
    /// A whole text in the form in which it is compared.
    fn text(self, text: &str, fold: bool) -> Box<str> {
        match self {
            Self::Tool(names, _) => names.name(text).normal().into(),
            _ => self.part(text, fold),
        }
    }

    /// Part of a text in the form in which it is compared.
    fn part(self, text: &str, fold: bool) -> Box<str> {
        match self {
            Self::Tool(..) => text.trim().to_lowercase().into(),
            _ if fold => text.to_lowercase().into(),
            _ => text.into(),
        }
    }

    /// What else a whole text means: whoever writes a server's tool as one agent does means that tool.
    fn spelled(self, text: &str) -> impl Iterator<Item = Test> {
        let normal = match self {
            Self::Tool(_, sense) => tollgate_wire::normal_spellings(text, sense == Sense::Lets),
            _ => Vec::new(),
        };
        normal.into_iter().map(|text| match text.contains('*') {
            true => Test::Glob(Glob::new(&text, false)),
            false => Test::Eq(text.into()),
        })
    }

    fn glob(self, text: &str, fold: bool) -> Result<Test, Mistake> {
        let text = self.part(text, fold);
        match text.is_empty() {
            true => Err(Mistake::new("an empty pattern fits nothing")),
            false => Ok(Test::Glob(Glob::new(&text, matches!(self, Self::Path)))),
        }
    }
}

#[cfg(test)]
mod tests;

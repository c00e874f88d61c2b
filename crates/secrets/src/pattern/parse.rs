//! Reads a regular expression into steps. What the rules of this crate do not use is not known here.

use super::set::Set;

/// One step of a match. Distances are counted from the step itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// One byte of the set.
    One(Set),
    /// So many bytes of the set: the more the better, or the fewer.
    Run {
        set: Set,
        least: usize,
        most: usize,
        lazy: bool,
    },
    /// The next step, or else the other; if lazy, the other first.
    Fork {
        other: usize,
        lazy: bool,
    },
    Skip(usize),
    Back(usize),
    /// The group begins.
    Open,
    /// The group ends.
    Close,
    Start,
    End,
    WordBoundary,
}

/// The steps of a pattern, or `None` if something in it is not known here.
pub(super) fn parse(pattern: &str) -> Option<Vec<Step>> {
    let mut parser = Parser { rest: pattern.as_bytes(), folds: false, groups: 0 };
    let steps = parser.alternatives()?;
    (parser.rest.is_empty() && parser.groups <= 1).then_some(steps)
}

struct Parser<'p> {
    rest: &'p [u8],
    /// Case does not matter.
    folds: bool,
    groups: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn alternatives(&mut self) -> Option<Vec<Step>> {
        let folds = self.folds;
        let mut branches = vec![self.sequence()?];
        while self.eat(b"|") {
            branches.push(self.sequence()?);
        }
        self.folds = folds;
        branches.into_iter().rev().reduce(|later, branch| {
            let mut steps = vec![Step::Fork { other: branch.len() + 2, lazy: false }];
            steps.extend(branch);
            steps.push(Step::Skip(later.len() + 1));
            steps.extend(later);
            steps
        })
    }

    fn sequence(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while self.rest.first().is_some_and(|byte| !matches!(byte, b'|' | b')')) {
            let atom = self.atom()?;
            self.repeat(&atom, &mut steps)?;
        }
        Some(steps)
    }

    fn atom(&mut self) -> Option<Vec<Step>> {
        let step = match self.next()? {
            b'(' => return self.group(),
            b'[' => Step::One(self.class()?),
            b'^' => Step::Start,
            b'$' => Step::End,
            b'\\' if self.eat(b"b") => Step::WordBoundary,
            b'\\' => Step::One(self.escape()?),
            b'.' | b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return None,
            byte => Step::One(self.literal(byte)?),
        };
        Some(vec![step])
    }

    fn literal(&self, byte: u8) -> Option<Set> {
        let set = Set::of([byte]);
        byte.is_ascii().then(|| if self.folds { set.folded() } else { set })
    }

    /// What a backslash and the next byte stand for.
    fn escape(&mut self) -> Option<Set> {
        match self.next()? {
            b'n' => Some(Set::of(*b"\n")),
            // These would be the ends of words.
            b'<' | b'>' => None,
            byte if byte.is_ascii_punctuation() => Some(Set::of([byte])),
            byte => Set::named(byte),
        }
    }

    fn group(&mut self) -> Option<Vec<Step>> {
        if self.eat(b"?i)") {
            self.folds = true;
            return Some(Vec::new());
        }
        let folds = self.folds;
        let captures = !self.rest.starts_with(b"?");
        self.groups += usize::from(captures);
        if self.eat(b"?i:") {
            self.folds = true;
        } else if self.eat(b"?-i:") {
            self.folds = false;
        } else if !captures && !self.eat(b"?:") {
            return None;
        }
        let mut steps = self.alternatives()?;
        self.folds = folds;
        if captures {
            steps.insert(0, Step::Open);
            steps.push(Step::Close);
        }
        self.eat(b")").then_some(steps)
    }

    fn class(&mut self) -> Option<Set> {
        let negated = self.eat(b"^");
        let mut set = self.class_item()?;
        while !self.eat(b"]") {
            set = set.union(self.class_item()?);
        }
        let set = if self.folds { set.folded() } else { set };
        Some(if negated { set.negated() } else { set })
    }

    /// A byte, a range or an escape. Classes within classes, and what joins them, are not known.
    fn class_item(&mut self) -> Option<Set> {
        let joins = [&b"&&"[..], b"--", b"~~"].iter().any(|sign| self.rest.starts_with(sign));
        let first = self.next().filter(|byte| byte.is_ascii() && !matches!(byte, b'[' | b']') && !joins)?;
        let escaped = if first == b'\\' { Some(self.escape()?) } else { None };
        match *self.rest {
            [b'-', b']', ..] => escaped.or(Some(Set::of([first]))),
            [b'-', b'[' | b'\\' | b'-', ..] => None,
            [b'-', ..] if escaped.is_some() => None,
            [b'-', last, ..] => {
                self.rest = &self.rest[2..];
                (last.is_ascii() && first <= last).then(|| Set::of(first..=last))
            }
            _ => escaped.or(Some(Set::of([first]))),
        }
    }

    /// Writes an atom as often as what stands behind it says.
    fn repeat(&mut self, atom: &[Step], steps: &mut Vec<Step>) -> Option<()> {
        let Some((least, most)) = self.count()? else {
            steps.extend(atom);
            return Some(());
        };
        let lazy = self.eat(b"?");
        if let [Step::One(set)] = *atom {
            steps.push(Step::Run { set, least, most, lazy });
            return Some(());
        }
        steps.extend(atom.repeat(least));
        if most == usize::MAX {
            steps.push(Step::Fork { other: atom.len() + 2, lazy });
            steps.extend(atom);
            steps.push(Step::Back(atom.len() + 1));
        }
        for left in (1..=most - least).rev().take_while(|_| most < usize::MAX) {
            steps.push(Step::Fork { other: left * (atom.len() + 1), lazy });
            steps.extend(atom);
        }
        Some(())
    }

    /// How often the last atom is wanted, if something says so.
    fn count(&mut self) -> Option<Option<(usize, usize)>> {
        let bounds = match self.rest.first() {
            Some(b'?') => (0, 1),
            Some(b'*') => (0, usize::MAX),
            Some(b'+') => (1, usize::MAX),
            Some(b'{') => return self.braces().map(Some),
            _ => return Some(None),
        };
        self.next();
        Some(Some(bounds))
    }

    /// `{3}`, `{3,}` or `{3,5}`.
    fn braces(&mut self) -> Option<(usize, usize)> {
        let end = self.rest.iter().position(|&byte| byte == b'}')?;
        let inside = std::str::from_utf8(&self.rest[1..end]).ok()?;
        self.rest = &self.rest[end + 1..];
        let (least, most) = match inside.split_once(',') {
            None => (inside.parse().ok()?, inside.parse().ok()?),
            Some((least, "")) => (least.parse().ok()?, usize::MAX),
            Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
        };
        (least <= most).then_some((least, most))
    }
}

//! Texts that must stand in whatever an expression fits, so that rules can be found by what a call says.

/// Shorter texts are everywhere and tell nothing.
pub(crate) const MIN: usize = 2;

/// Texts of which at least one stands in everything that the expression fits, upper and lower case being the same; none
/// where that cannot be told at a glance. It reads only the outermost level of the expression and takes the longest
/// plain run of each alternative, which is right (if not always best) for every expression that compiles.
pub(super) fn of_regex(pattern: &str) -> Option<Vec<String>> {
    // `x` lets blanks and comments stand between, and folding Unicode has more than two cases for a letter.
    let flags = pattern.match_indices("(?").any(|(at, _)| {
        let flags = pattern.split_at(at + 2).1.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-');
        flags.into_iter().any(|flag| matches!(flag, 'x' | 'u'))
    });
    if flags || !pattern.is_ascii() {
        return None;
    }
    let mut reader = Reader { rest: pattern.as_bytes(), run: String::new(), best: String::new(), found: Vec::new() };
    reader.all()?;
    reader.found.iter().all(|text| text.len() >= MIN).then_some(reader.found)
}

struct Reader<'a> {
    rest: &'a [u8],
    run: String,
    best: String,
    found: Vec<String>,
}

impl Reader<'_> {
    fn all(&mut self) -> Option<()> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            match first {
                b'|' => self.next_alternative(),
                b'(' => {
                    self.skip_group()?;
                    self.end_run();
                }
                b'[' => {
                    self.skip_class()?;
                    self.end_run();
                }
                b'.' | b'^' | b'$' => self.end_run(),
                b'?' | b'*' | b'{' => {
                    // What may be missing is no part of the run.
                    self.run.pop();
                    self.end_run();
                    if *first == b'{' {
                        self.skip_past(b'}')?;
                    }
                }
                // What is repeated is there at least once, but what follows need not follow directly. Repeated again
                // (`a+*`), it may be missing after all.
                b'+' => {
                    if matches!(self.rest.first(), Some(b'?' | b'*' | b'{' | b'+')) {
                        self.run.pop();
                    }
                    self.end_run();
                }
                b'\\' => self.escape()?,
                other => self.run.push(char::from(*other)),
            }
        }
        self.next_alternative();
        Some(())
    }

    fn end_run(&mut self) {
        if self.run.len() > self.best.len() {
            self.best = std::mem::take(&mut self.run);
        }
        self.run.clear();
    }

    fn next_alternative(&mut self) {
        self.end_run();
        self.found.push(std::mem::take(&mut self.best));
    }

    fn escape(&mut self) -> Option<()> {
        let (escaped, rest) = self.rest.split_first()?;
        self.rest = rest;
        match escaped {
            punctuation if punctuation.is_ascii_punctuation() && !matches!(punctuation, b'<' | b'>') => {
                self.run.push(char::from(*punctuation));
            }
            // Classes and borders of one letter; everything longer (`\x41`, `\p{L}`, `\b{start}`) is left alone.
            b'd' | b'D' | b'w' | b'W' | b's' | b'S' | b'b' | b'B' | b'A' | b'z' if rest.first() != Some(&b'{') => {
                self.end_run();
            }
            b't' | b'n' | b'r' | b'f' | b'v' | b'a' => self.end_run(),
            _ => return None,
        }
        Some(())
    }

    fn skip_past(&mut self, end: u8) -> Option<()> {
        let place = self.rest.iter().position(|byte| *byte == end)?;
        self.rest = self.rest.split_at(place + 1).1;
        Some(())
    }

    /// Past a `]`. Classes may nest.
    fn skip_class(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        // `[]a]` and `[^]a]` hold a `]`.
        self.rest = self.rest.strip_prefix(b"^").unwrap_or(self.rest);
        self.rest = self.rest.strip_prefix(b"]").unwrap_or(self.rest);
        while depth > 0 {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'[' => {
                    depth += 1;
                    self.rest = self.rest.strip_prefix(b"^").unwrap_or(self.rest);
                    self.rest = self.rest.strip_prefix(b"]").unwrap_or(self.rest);
                }
                b']' => depth -= 1,
                b'\\' => self.rest = self.rest.split_first()?.1,
                _ => {}
            }
        }
        Some(())
    }

    /// Past a `)`. Flags for the rest (`(?i)`) are a group too; a literal is compared without case anyway.
    fn skip_group(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'[' => self.skip_class()?,
                b'\\' => self.rest = self.rest.split_first()?.1,
                _ => {}
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_expressions() {
        for (pattern, expected) in [
            ("abc", Some(vec!["abc"])),
            ("(?i)password", Some(vec!["password"])),
            ("(?i)exu", Some(vec!["exu"])),
            ("(?i-u)abc", None),
            ("(?-x:a)bcd", None),
            (r"rm\s+-rf", Some(vec!["-rf"])),
            ("-0+*", None),
            ("abc+*d", Some(vec!["ab"])),
            (r"\bdrop\s+table\b", Some(vec!["table"])),
            ("abc|defg", Some(vec!["abc", "defg"])),
            ("abc|d", None),
            ("abcd?", Some(vec!["abc"])),
            ("abcd*ef", Some(vec!["abc"])),
            ("abcd{0,2}ef", Some(vec!["abc"])),
            ("abcd+efghi", Some(vec!["efghi"])),
            ("a(bc|de)fgh", Some(vec!["fgh"])),
            ("[]x]abc", Some(vec!["abc"])),
            ("[^]x]abc", Some(vec!["abc"])),
            (r"[\]]abc", Some(vec!["abc"])),
            ("[a[bc]]def", Some(vec!["def"])),
            (r"a\.b\.c", Some(vec!["a.b.c"])),
            (r"\x41bcd", None),
            (r"\p{L}bcd", None),
            (r"\b{start}abc", None),
            ("(?x)a b c", None),
            ("(?u)abc", None),
            ("(?iu:abc)def", None),
            ("äbc", None),
            ("", None),
            (".*", None),
        ] {
            let expected = expected.map(|texts| texts.into_iter().map(str::to_owned).collect());
            assert_eq!(of_regex(pattern), expected, "{pattern}");
        }
    }
}

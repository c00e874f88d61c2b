//! Patterns with `*`.

/// A pattern in which `*` is any text. In paths `*` stops at `/`, `**` does not, and `**/` may be nothing at all.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    tokens: Vec<Token>,
    literal: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Char(char),
    /// Any text without `/`.
    Name,
    /// Any text.
    Any,
    /// Any number of whole folders.
    Folders,
}

impl Glob {
    pub(crate) fn new(pattern: &str, path: bool) -> Self {
        let mut tokens = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let at_name = rest.len() == pattern.len() || tokens.last() == Some(&Token::Char('/'));
            let (token, len) = match first {
                '*' if path && at_name && rest.starts_with("**/") => (Token::Folders, 3),
                '*' if rest.starts_with("**") => (Token::Any, 2),
                '*' if path => (Token::Name, 1),
                '*' => (Token::Any, 1),
                other => (Token::Char(other), other.len_utf8()),
            };
            if tokens.last() != Some(&token) || matches!(token, Token::Char(_)) {
                tokens.push(token);
            }
            rest = rest.split_at(len).1;
        }
        let literal = longest_run(&tokens);
        Self { tokens, literal }
    }

    /// The longest text that must be in whatever fits.
    pub(crate) fn literal(&self) -> &str {
        &self.literal
    }

    /// Whether the whole text fits. Follows all ways through the pattern at once, so no pattern makes it slow.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let end = self.tokens.len();
        let mut here = vec![false; end + 1];
        let mut next = here.clone();
        self.reach(&mut here, 0);
        let mut previous = '/';
        for c in text.chars() {
            next.fill(false);
            for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| here.get(*place) == Some(&true)) {
                match token {
                    Token::Char(want) if *want == c => self.reach(&mut next, place + 1),
                    Token::Name if c != '/' => self.reach(&mut next, place),
                    Token::Any => self.reach(&mut next, place),
                    Token::Folders => {
                        self.stay(&mut next, place);
                        if c == '/' && previous != '/' {
                            self.reach(&mut next, place + 1);
                        }
                    }
                    _ => {}
                }
            }
            previous = c;
            std::mem::swap(&mut here, &mut next);
        }
        here.last() == Some(&true)
    }

    fn stay(&self, set: &mut [bool], place: usize) {
        if let Some(state) = set.get_mut(place) {
            *state = true;
        }
    }

    /// A place, and those that a star standing for nothing leads on to.
    fn reach(&self, set: &mut [bool], place: usize) {
        let mut place = place;
        loop {
            self.stay(set, place);
            match self.tokens.get(place) {
                Some(Token::Name | Token::Any | Token::Folders) => place += 1,
                _ => return,
            }
        }
    }
}

/// The longest text between the stars. A `~` stands for something else.
fn longest_run(tokens: &[Token]) -> String {
    let character = |token: &Token| if let Token::Char(c) = token { Some(*c) } else { None };
    let runs = tokens.split(|token| matches!(character(token), None | Some('~')));
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    longest.iter().filter_map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, path, text, fits) in [
            ("a", false, "a", true),
            ("a", false, "ab", false),
            ("*", false, "", true),
            ("*", false, "a/b", true),
            ("web_*", false, "web_search", true),
            ("web_*", false, "my_web_search", false),
            ("*a*b*", false, "xxaxxbxx", true),
            ("*a*b*", false, "xxbxxaxx", false),
            ("*.internal", false, "db.internal", true),
            ("*.internal", false, "internal", false),
            ("/a/*", true, "/a/b", true),
            ("/a/*", true, "/a/b/c", false),
            ("/a/*/c", true, "/a/b/c", true),
            ("/a/**", true, "/a/b/c", true),
            ("/a/**", true, "/a", false),
            ("/a/**", true, "/ab", false),
            ("/a/**/c", true, "/a/c", true),
            ("/a/**/c", true, "/a/b/b/c", true),
            ("/a/**/c", true, "/a/bc", false),
            ("**/c", true, "c", true),
            ("**/c", true, "/a/b/c", true),
            ("**/c", true, "/a/bc", false),
            ("**/*.pem", true, "/x/y/key.pem", true),
            ("**/.env*", true, "/x/.env.local", true),
            ("**", true, "/a/b", true),
            ("/**/x/**", true, "/x/y", true),
            ("ä*ü", false, "äöü", true),
            ("[id]", true, "[id]", true),
        ] {
            assert_eq!(Glob::new(pattern, path).fits(text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn no_pattern_is_slow() {
        let pattern = "*a".repeat(200);
        assert!(!Glob::new(&pattern, false).fits(&"a".repeat(5_000).replace("aaaaa", "aaaab")));
    }
}

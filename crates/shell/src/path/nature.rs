//! What a path says about itself, told from how it ends.

use super::index::{Anchor, INDEX, Pattern};
use super::{Nature, Surroundings, place};
use crate::arg::HOLE;
use crate::effect::Place;

/// How many names of a path are looked at, from its end.
const DEPTH: usize = 32;

/// Of a plain path. `everything`: it stood for all that is in that folder.
pub(super) fn of(path: &str, glob: bool, everything: bool, around: &Surroundings<'_>, place: Place) -> Nature {
    let names = Names::of(path, glob);
    let Some(last) = names.last() else { return Nature::default() };
    let home = place::in_home(path, around.home).map(|rest| rest.split('/').filter(|part| !part.is_empty()).count());
    let mut nature = Nature::default();
    let mut look = |pattern: &Pattern| {
        if names.fit(pattern, home, place) {
            nature = nature.and(pattern.nature);
        }
    };
    if names.any(is_telling) && glob {
        INDEX.all().for_each(&mut look);
    } else {
        INDEX.named(last).for_each(&mut look);
        names.names[..names.len].iter().flat_map(|name| INDEX.folders(name)).for_each(&mut look);
        INDEX.wild().for_each(&mut look);
    }
    nature.secret |= is_private_key(&names) || is_env(last, glob) && !everything;
    if is_public(last) || names.any(|name| name == "node_modules") {
        nature.secret = false;
    }
    if place == Place::Temp && !path.starts_with("/dev/") {
        // A project below a folder for temporary files is a trial: nothing there runs by itself.
        nature = Nature { runs_later: false, policy: false, ..nature };
    }
    nature
}

/// The names in a path, the last ones if there are too many.
struct Names<'p> {
    names: [&'p str; DEPTH],
    len: usize,
    /// All names are there, and the path starts at a root.
    whole: bool,
    glob: bool,
}

impl<'p> Names<'p> {
    fn of(path: &'p str, glob: bool) -> Self {
        let mut names = [""; DEPTH];
        let mut len = 0;
        let mut whole = path.starts_with('/');
        for part in path.rsplit('/').filter(|part| !part.is_empty()) {
            if len == DEPTH {
                whole = false;
                break;
            }
            names[len] = part;
            len += 1;
        }
        Self { names, len, whole, glob }
    }

    fn last(&self) -> Option<&'p str> {
        (self.len > 0).then(|| self.names[0])
    }

    fn any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.names[..self.len].iter().any(|name| test(name))
    }

    /// `home`: how many names follow the home folder, in one.
    fn fit(&self, pattern: &Pattern, home: Option<usize>, place: Place) -> bool {
        let depth = match pattern.anchor {
            // Where it starts cannot be told, any home could be meant.
            Anchor::Home if place == Place::Unknown => None,
            Anchor::Home => Some(home.unwrap_or(usize::MAX)),
            Anchor::Root => Some(if self.whole { self.len } else { usize::MAX }),
            Anchor::Anywhere => None,
        };
        match depth {
            Some(usize::MAX) => false,
            Some(depth) if pattern.folder => depth >= pattern.depth && self.ends(pattern.names, depth - pattern.depth),
            Some(depth) => depth == pattern.depth && self.ends(pattern.names, 0),
            None if pattern.folder => (0..self.len).any(|skipped| self.ends(pattern.names, skipped)),
            None => self.ends(pattern.names, 0),
        }
    }

    /// The names before the last `skipped` ones fit the pattern.
    fn ends(&self, pattern: &str, skipped: usize) -> bool {
        let mut parts = (skipped..).zip(pattern.rsplit('/'));
        parts.all(|(at, part)| at < self.len && self.same(part, self.names[at]))
    }

    fn same(&self, pattern: &str, name: &str) -> bool {
        let same = if pattern.contains('*') {
            fits(pattern.as_bytes(), name.as_bytes())
        } else {
            name.eq_ignore_ascii_case(pattern)
        };
        same || self.glob && could_be(name, pattern.trim_matches('*'))
    }
}

/// A pattern for names that says enough to be held against names that matter: `.e*v`, but not `*.txt`.
fn is_telling(name: &str) -> bool {
    !name.starts_with(['*', '?', '[']) && name.contains(['*', '?', '[']) && said(name) >= 2
}

fn said(name: &str) -> usize {
    name.bytes().filter(|c| !matches!(c, b'*' | b'?' | b'[' | b']')).count()
}

/// Whether a pattern says so much of this name that it must be meant.
fn could_be(pattern: &str, name: &str) -> bool {
    let enough = is_telling(pattern) || !pattern.starts_with("*.") && said(pattern) >= 4 && pattern.len() < 64;
    enough && pattern.len() * 3 >= name.len() && fits(pattern.as_bytes(), name.as_bytes())
}

/// Whether a text fits a pattern of `*`, `?` and `[...]` (which counts as any character).
pub(super) fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        let (fit, next) = match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, t));
                p += 1;
                continue;
            }
            Some(b'?') => (true, p + 1),
            Some(b'[') => match pattern[p..].iter().position(|c| *c == b']') {
                Some(end) => (true, p + end + 1),
                None => (text[t] == b'[', p + 1),
            },
            Some(c) => (c.eq_ignore_ascii_case(&text[t]), p + 1),
            None => (false, p),
        };
        match (fit, retry) {
            (true, _) => (p, t) = (next, t + 1),
            (false, Some((star, from))) => {
                retry = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
            (false, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

/// For everybody to see: examples, templates, public keys, documents about them.
fn is_public(name: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        ".pub", ".example", ".sample", ".template", ".tmpl", ".tpl", ".dist", ".default", ".defaults", ".schema",
        ".md", ".rst", ".enc", ".sops", ".j2", ".erb", ".d.ts", ".test.ts", ".test.js", "_test.go",
    ];
    const INFIX: &[&str] = &[".pub.", ".example.", ".sample.", ".template."];
    const STARTS: &[&str] = &["example.", "sample.", "template.", "env.example", "known_hosts"];
    ENDS.iter().any(|end| ends_with(name, end))
        || STARTS.iter().any(|start| name.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start)))
        || INFIX.iter().any(|infix| name.contains(infix))
}

/// `.env`, `.env.local`, `prod.env`.
fn is_env(name: &str, glob: bool) -> bool {
    let lower = |text: &str| name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    if lower(".env") {
        let rest = &name[4..];
        return rest.chars().all(|c| c == HOLE)
            || rest.starts_with(['.', '-', '_']) && !matches!(rest, ".vault" | ".me" | ".sh")
            || glob && rest.starts_with(['*', '?', '[']);
    }
    if name.len() > 4 && ends_with(name, ".env") {
        return !name.contains(['*', '?']) || glob;
    }
    glob && name.starts_with('.') && could_be(name, ".env")
}

const KEY_ENDS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".p8"];

/// Words in the names of files that look like keys and are none.
#[rustfmt::skip]
const PUBLIC_WORDS: &[&str] =
    &["cert", "chain", "public", "pubkey", "ca-", "cacert", "ca.", "bundle", "dhparam", "csr"];

/// Folders with keys that protect nothing.
#[rustfmt::skip]
const TRIALS: &[&str] = &[
    "fixtures", "fixture", "testdata", "test", "tests", "__tests__", "spec", "examples", "mocks", "certs", "i18n",
    "locales",
];

fn is_private_key(names: &Names<'_>) -> bool {
    let Some(last) = names.last() else { return false };
    if names.any(|name| name == ".ssh") {
        let harmless = ["known_hosts", "config", "authorized_keys", "allowed_signers", "rc", "environment"];
        let in_config = names.any(|name| name == "config.d");
        let base = last.split('.').next().unwrap_or_default();
        return last == ".ssh" || !(harmless.contains(&base) || in_config || ends_with(last, ".pub"));
    }
    for key in ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"] {
        if last.starts_with(key) || names.glob && could_be(last, key) {
            return !names.any(|name| TRIALS.contains(&name));
        }
    }
    KEY_ENDS.iter().any(|end| ends_with(last, end) && last.len() > end.len())
        && !PUBLIC_WORDS.iter().any(|word| contains(last, word))
        && !names.any(|name| TRIALS.contains(&name) && !(name == "certs" && contains(last, "priv")))
}

fn ends_with(name: &str, end: &str) -> bool {
    name.len() >= end.len()
        && name.is_char_boundary(name.len() - end.len())
        && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
}

fn contains(name: &str, word: &str) -> bool {
    name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

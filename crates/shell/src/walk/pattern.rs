//! Shell patterns, for `case`, `${x#…}` and program names that are written as patterns.

/// Longest text that patterns with `*` are tried on.
const LONGEST: usize = 2048;

/// Whether text has characters that mean something in a pattern.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?']) || has_brackets(text) || text.contains("@(") || text.contains("+(") || text.contains("!(")
}

fn has_brackets(text: &str) -> bool {
    text.find('[').is_some_and(|open| text[open..].contains(']'))
}

/// Whether all of the text fits. A backslash in the pattern takes the meaning from the next character.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    if pattern.len() > LONGEST || text.len() > LONGEST {
        return unescape(pattern).is_some_and(|plain| plain == text);
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    fits_chars(&pattern, &text)
}

/// The text that a pattern stands for if it has nothing but text.
pub(crate) fn unescape(pattern: &str) -> Option<String> {
    let mut plain = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(chars.next()),
            '*' | '?' | '[' => return None,
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// Greedy with one point to come back to: enough for `*`, and never exponential.
fn fits_chars(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match one(pattern, p, text[t]) {
            Some(next) => {
                p = next;
                t += 1;
            }
            None if pattern.get(p) == Some(&'*') => {
                star = Some((p, t));
                p += 1;
            }
            None => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Where the pattern goes on if its next element fits this character. Not for `*`.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '*' => None,
        '?' => Some(at + 1),
        '\\' => (pattern.get(at + 1) == Some(&c)).then_some(at + 2),
        '[' => match bracket(pattern, at, c) {
            Some((end, fits)) => fits.then_some(end),
            None => (c == '[').then_some(at + 1),
        },
        other => (*other == c).then_some(at + 1),
    }
}

/// Where a bracket expression ends and whether the character is in it.
fn bracket(pattern: &[char], at: usize, c: char) -> Option<(usize, bool)> {
    let mut index = at + 1;
    let negated = matches!(pattern.get(index), Some('!' | '^'));
    index += usize::from(negated);
    let first = index;
    let mut found = false;
    loop {
        match pattern.get(index)? {
            ']' if index > first => return Some((index + 1, found != negated)),
            '[' if pattern.get(index + 1) == Some(&':') => {
                let end =
                    (index + 2..pattern.len()).find(|i| pattern[*i] == ':' && pattern.get(i + 1) == Some(&']'))?;
                let class: String = pattern[index + 2..end].iter().collect();
                found |= in_class(&class, c);
                index = end + 2;
            }
            low => {
                let low = if *low == '\\' {
                    index += 1;
                    *pattern.get(index)?
                } else {
                    *low
                };
                if pattern.get(index + 1) == Some(&'-') && pattern.get(index + 2).is_some_and(|high| *high != ']') {
                    found |= (low..=pattern[index + 2]).contains(&c);
                    index += 3;
                } else {
                    found |= low == c;
                    index += 1;
                }
            }
        }
    }
}

fn in_class(class: &str, c: char) -> bool {
    match class {
        "alpha" => c.is_alphabetic(),
        "digit" => c.is_ascii_digit(),
        "alnum" => c.is_alphanumeric(),
        "upper" => c.is_uppercase(),
        "lower" => c.is_lowercase(),
        "space" => c.is_whitespace(),
        "blank" => matches!(c, ' ' | '\t'),
        "punct" => c.is_ascii_punctuation(),
        "xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}

/// `${x#pattern}` and its kin. `None`: too long to be tried.
pub(crate) fn trim(text: &str, pattern: &str, at_end: bool, longest: bool) -> Option<String> {
    if let Some(plain) = unescape(pattern) {
        let cut = if at_end { text.strip_suffix(plain.as_str()) } else { text.strip_prefix(plain.as_str()) };
        return Some(cut.unwrap_or(text).to_owned());
    }
    if text.len() > LONGEST || pattern.len() > LONGEST || text.len() * text.len() * pattern.len() > 4_000_000 {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let fits_at = |cut: usize| fits_chars(&pattern, if at_end { &chars[cut..] } else { &chars[..cut] });
    // From the front, the longest is the last place to cut; from the end, the first.
    let cut = if at_end == longest {
        (0..=chars.len()).find(|cut| fits_at(*cut))
    } else {
        (0..=chars.len()).rev().find(|cut| fits_at(*cut))
    };
    Some(match cut {
        None => text.to_owned(),
        Some(cut) if at_end => chars[..cut].iter().collect(),
        Some(cut) => chars[cut..].iter().collect(),
    })
}

/// How long the result of a replacement may become, at the worst.
const MOST_REPLACED: usize = 1 << 18;

/// `${x/pattern/with}`: `kind` is `/` for all, `#` and `%` for the ends, else the first. `None`: too long to be tried.
pub(crate) fn replace(text: &str, kind: u8, pattern: &str, with: &str) -> Option<String> {
    if pattern.is_empty() {
        return Some(text.to_owned());
    }
    // A replacement within a replacement multiplies; what has grown that large is no longer followed.
    if text.len().saturating_mul(1 + with.len()) > MOST_REPLACED {
        return None;
    }
    if let Some(plain) = unescape(pattern) {
        return Some(match kind {
            b'/' => text.replace(&plain, with),
            b'#' => text.strip_prefix(plain.as_str()).map_or_else(|| text.to_owned(), |rest| format!("{with}{rest}")),
            b'%' => text.strip_suffix(plain.as_str()).map_or_else(|| text.to_owned(), |rest| format!("{rest}{with}")),
            _ => text.replacen(&plain, with, 1),
        });
    }
    if text.len() * text.len() * pattern.len() > 400_000 {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let mut done = false;
    while at <= chars.len() {
        let ends =
            if done { None } else { (at + 1..=chars.len()).rev().find(|end| fits_chars(&pattern, &chars[at..*end])) };
        let ends = ends.filter(|end| (kind != b'#' || at == 0) && (kind != b'%' || *end == chars.len()));
        match ends {
            Some(end) => {
                out.push_str(with);
                at = end;
                done = kind != b'/';
            }
            None => {
                out.extend(chars.get(at));
                at += 1;
            }
        }
    }
    Some(out)
}

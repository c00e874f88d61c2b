use std::fmt;
use std::ops::Range;

/// Something wrong in what somebody wrote: where, what, and what would be right.
///
/// ```
/// use tollgate_rules::Mistake;
///
/// let mistake = Mistake::new("there is no effect `delte`").help("did you mean `delete`?").at("effect").at("rule");
/// assert_eq!(mistake.to_string(), "rule.effect: there is no effect `delte` (did you mean `delete`?)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The way to it, outermost first.
    pub path: Vec<Step>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// Which bytes of the string at that place, such as a position in a regular expression.
    pub within: Option<Range<usize>>,
}

/// One step into nested data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of a table.
    Key(String),
    /// A place in a list, from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl Mistake {
    /// A mistake right here.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into(), help: None, within: None }
    }

    /// What would be right.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Which bytes of the string.
    #[must_use]
    pub fn within(self, range: Range<usize>) -> Self {
        Self { within: Some(range), ..self }
    }

    /// The same mistake, seen from one step further out.
    #[must_use]
    pub fn at(mut self, step: impl Into<Step>) -> Self {
        self.path.insert(0, step.into());
        self
    }

    /// The same mistake, seen from the beginning of a path.
    #[must_use]
    pub fn below(mut self, path: &[Step]) -> Self {
        self.path.splice(0..0, path.iter().cloned());
        self
    }

    /// A name that does not exist, and the one that was probably meant.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let mistake = Self::new(format!("there is no {what} `{name}`"));
        match nearest(name, known) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("there are {}", known.join(", "))),
        }
    }
}

/// The name that was probably meant.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let near = known.iter().map(|known| (distance(&lower, known), *known)).min()?;
    (near.0 <= 1 + name.len() / 4).then_some(near.1)
}

/// How many characters must be added, taken or replaced.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, have) in from.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        for (cell, want) in row.iter_mut().skip(1).zip(&to) {
            let up = *cell;
            left = (diagonal + usize::from(have != *want)).min(up + 1).min(left + 1);
            (diagonal, *cell) = (up, left);
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<String> = self.path.iter().map(Step::to_string).collect();
        if !path.is_empty() {
            write!(f, "{}: ", path.join("."))?;
        }
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for Mistake {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_near_names() {
        for (from, to, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2)]
        {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
        for (name, expected) in [("delte", Some("delete")), ("Delete", Some("delete")), ("xyz", None), ("", None)] {
            assert_eq!(nearest(name, &["delete", "network"]), expected, "{name}");
        }
    }
}
